/* SPDX-License-Identifier: MIT */
/* The scheduler: which vp holds a core, and until when: see sched.c. */
#ifndef LPI_SCHED_H
#define LPI_SCHED_H

#include "mail/mail.h"
#include "state/state.h"

#include <logp/trace.h>

/* The functions and settings that depend on how time advances: chosen at creation, see time.c. */
struct lpi_time {
    enum logp_clock clock;
    /* In this one of LPI_POLL_EVERY turns a ready vp runs, even if deadlines have come;
     * LPI_POLL_EVERY: in none */
    unsigned turn_of_ready;
    int loose_ns;        /* see struct lpi_timers */
    unsigned idle_polls; /* at least; see logp_machine */
    bool has_fast_path;  /* without a delay, messages may take it */
    bool shares_memory;  /* without a delay the vps of a process may share memory */
    bool compares_calls; /* vps run in the order of time, so calls are compared at little cost */
    int waiting_sends;   /* sends that wait for their receivers: 0; -ENOTSUP: there are none */
    int exploring;       /* runs can be explored: 0; -ENOTSUP: they cannot */
    int blocking;        /* so can vps be in blocking sections */
    /* A run of m is to begin. @return logp_machine.lookahead; <= 0: it cannot begin */
    int64_t (*lookahead)(struct logp_machine *m);
    void (*prepare)(struct logp_machine *m); /* a run of m begins */
    /* Change the resolver of a run that begins. */
    void (*resolves)(struct lpi_resolver *r);
    /* The clock that measures what a program computes itself. */
    int64_t (*own_ns)(const struct logp_machine *m);
    /* The program of p is about to begin. @return 0; or the error that stops the run */
    int (*begin)(struct lpi_proc *p);
    /* A run begins for p. */
    void (*reset)(struct lpi_proc *p);
    /* p begins anew at a common start. */
    void (*start_anew)(struct lpi_proc *p);
    /* See lpi_fix_start(). */
    int64_t (*start)(struct logp_machine *m, int64_t clock_ns, int64_t start);
    /* The start of a group whose last member arrives at `latest`; it takes release_ns to release all. */
    int64_t (*group_start)(const struct logp_machine *m, int64_t latest, int64_t release_ns);
    /* As lpi_release_child(). */
    int (*release_child)(int n, int core, int i);
    /* Whether the deadline of p, the earliest of its core, has come. If so, p is removed from the
     * timers, and is RUNNING as soon as it gets the core. */
    bool (*take_due)(struct lpi_core *c, struct lpi_proc *p);
    /* p waits until deadline, or for an event that gives it an earlier one. @return as lpi_hold() */
    int (*wait)(struct lpi_proc *p, int64_t deadline);
    int (*pass)(struct lpi_proc *p, int64_t deadline);  /* nothing can wake p before */
    int (*stall)(struct lpi_proc *p, int64_t deadline); /* the same, and then p sends */
    /* Wait until no vp is before (t, rank of p). */
    int (*reach)(struct lpi_proc *p, int64_t t);
    /* p is about to take an action that depends on which messages have been sent, though they arrive
     * later: wait until all have been delivered that were sent before (clock, rank of p), and none
     * that is sent later. @return as reach() */
    int (*settle)(struct lpi_proc *p);
    /* Whether p must wait until its clock is at the start of its send. */
    bool (*awaits_start)(const struct lpi_proc *p, int64_t start);
    /* A send of p without a delay takes place. *arrival: when its message arrives. @return as reach() */
    int (*send)(struct lpi_proc *p, int64_t *arrival);
    int (*sent)(struct lpi_proc *p); /* it has taken place. @return as lpi_yield() */
    /* When space in the queue limit is found to be free. */
    int64_t (*space_ns)(const struct lpi_core *c);
    /* No vp of c is ready or has a deadline; parallel: before its window's end. */
    void (*nobody_ready)(struct lpi_core *c);
    /* No vp of c is ready, and the first deadline is this one. NULL: time does not pass in waits. */
    void (*nothing_before)(struct lpi_core *c, int64_t deadline);
    /* All vps of c wait or poll in vain. */
    void (*in_vain)(struct lpi_core *c);
    /* See logp_clocks(); p has entered the call. */
    int64_t (*read)(struct lpi_proc *p, int64_t *wall_ns);
    /* See logp_machine_set_delay(). 0: the machine has the copy */
    int (*replace)(struct logp_machine *m, struct lpi_delay *copy, int64_t at_ns);
    enum logp_trace_source (*source)(const struct logp_machine *m); /* of a trace */
    /* See logp_machine_inject(), whose arguments have been checked, and logp_machine_expect(). */
    int (*inject)(struct logp_machine *m, const struct lpi_envelope *e);
    void (*expect)(struct logp_machine *m, bool expects);
};
extern const struct lpi_time lpi_time_wall, lpi_time_wall_several, lpi_time_virtual,
    lpi_time_parallel;

int lpi_wait_until(struct lpi_proc *p, int64_t deadline);
int lpi_wait_message(struct lpi_proc *p, int64_t deadline);
/* p waits for r, a receive: the delivery of its message charges it and wakes p, unless it arrives
 * after `until`. Other cores read the line of wait_until, so it is written only if it changes. */
static inline void lpi_waits_for(struct lpi_proc *p, struct logp_request *r, int64_t until)
{
    p->waits_for = r;
    if (p->wait_until != until)
        p->wait_until = until;
}

/* Wait for r so, until deadline at the latest. @return as lpi_wait_message() */
static inline int lpi_await_message(struct lpi_proc *p, struct logp_request *r, int64_t until,
                                    int64_t deadline)
{
    int rc;

    lpi_waits_for(p, r, until);
    rc = lpi_wait_message(p, deadline);
    p->waits_for = NULL;
    return rc;
}
bool lpi_poll_before_wait(struct lpi_core *c);
static inline int lpi_reach(struct lpi_proc *p, int64_t t)
{
    return p->core->machine->time->reach(p, t);
}
/* On one core of the virtual clock. */
int lpi_settle(struct lpi_proc *p);
int lpi_yield(struct lpi_proc *p);
/* One in eight of p's sends, from the machine's seed. */
bool lpi_yields_by_chance(const struct lpi_proc *p);

enum { LPI_SENDS_IN_ROW = 64 };

/* Without delays nothing makes a sender wait: others still get the core now and then. */
static inline int lpi_let_others_run(struct lpi_proc *p)
{
    if (p->sends % LPI_SENDS_IN_ROW == 0 ||
        (p->core->machine->yield_seed != 0 && lpi_yields_by_chance(p)))
        return lpi_yield(p);
    return lpi_stopped(p);
}
int lpi_hold(struct lpi_proc *p);
/* Of lpi_resolver_usual. */
struct lpi_proc *lpi_usual_next(struct lpi_core *c);
bool lpi_usual_others_first(struct lpi_proc *p, int64_t t);
/* sleep.c. Of lpi_time. */
void lpi_nobody_ready(struct lpi_core *c);
void lpi_nothing_before(struct lpi_core *c, int64_t deadline);
/* A vp that can hold the core instead of its holder: the next one, or any that waits. NULL: all
 * others have ended or are in blocking sections. */
struct lpi_proc *lpi_stand_in(struct lpi_core *c);
/* The vp that gets the core of a vp that has ended; NULL: all vps of the machine have ended. */
struct lpi_proc *lpi_successor(struct lpi_core *c);

#endif
