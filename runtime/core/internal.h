/* SPDX-License-Identifier: MIT */
/*
 * The runtime's own structures, and who may touch them.
 *
 *   machine   written by its creator between runs; during a run only its atomics change
 *   core      all that is not atomic belongs to its holder, the one vp that runs on it. The
 *             hand-over (executor) passes ownership on with release/acquire
 *   proc      one virtual processor: belongs to the holder of its core
 *   lane      the way from one core to another: the producer half belongs to the holder of the
 *             one, the consumer half to the holder of the other
 *
 * So a message between two vps of one core is delivered by plain stores, and only messages
 * between cores need atomics. Under the virtual clock the whole machine is one core,
 * unless it is parallel (window.c).
 */
#ifndef LPI_INTERNAL_H
#define LPI_INTERNAL_H

#include <logp/logp.h>

#include "host/clock.h"
#include "core/lag.h"
#include "mail/message.h"
#include "core/timers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <urcu/wfcqueue.h>

#define LPI_LINE 128              /* two cache lines: the adjacent-line prefetcher pairs them */
#define LPI_POLLS_IN_VAIN 1000000 /* after so many, a vp that polls counts as waiting */
#define LPI_CONTEXT_COLLECTIVE (UINT32_C(1) << 31)

enum lpi_state {
    LPI_RUNNING, /* it holds the core */
    LPI_READY,   /* in the core's list of those that can go on at once, whatever the time */
    LPI_TIMED,   /* in the timers: its deadline will come */
    LPI_BLOCKED, /* waits for a message that nobody has sent */
    LPI_SYNC,    /* waits in logp_sync() */
    LPI_ENDED,
};

/* Bits of lpi_core.attention: why a core should look up from its spinning. */
enum { LPI_ATT_BELL = 1, LPI_ATT_SYNC = 2 };

struct lpi_proc;
struct lpi_core;

/* What a program holds: a processor seen in a context, perhaps with other ranks. */
struct logp_vp {
    struct lpi_proc *proc;
    uint32_t context;
    int rank, size;
    int *to_global; /* NULL: the same */
    int *to_local;
    struct logp_vp *collective;
};

struct lpi_offer;

struct lpi_proc {
    /* constant while it lives: senders on other cores read it */
    _Alignas(64) struct lpi_core *core;
    int rank, core_index; /* the latter as core->index, which lies among what its holder writes */
    void *carrier;        /* the executor's: a thread's baton or a fiber */
    struct logp_vp view, collective;
    /* the holder's own, but written only by waits that end, or for any of several */
    union {
        int64_t wait_until; /* waits_for: by a message that arrives by then */
        struct {
            int src, tag; /* waits_for_any: what is asked for, for reports */
        } any;
    };

    /* the holder's own; what a message within the core touches comes first */
    _Alignas(64) enum lpi_state state;
    unsigned emulating : 1;     /* emulated and left are valid (delay was not none) */
    unsigned waits_for_any : 1; /* in a wait that whatever comes may end */
    unsigned sends : 30;        /* in this run */
    unsigned stamp;             /* of its deadline in the timers */
    unsigned polls;             /* tests and probes in a row that found nothing */
    struct lpi_proc *next_ready;
    struct logp_request *waits_for; /* while BLOCKED or TIMED in a wait for a receive ... */
    struct lpi_inbox inbox;
    int64_t deadline; /* while TIMED */
    int64_t emulated; /* the vp's clock */
    int64_t left;     /* wall clock at the last exit from the runtime */
    struct logp_port port;
};
_Static_assert(sizeof(void *) > 8 || sizeof(struct lpi_proc) <= 256, "a vp is small");

/* What senders on other cores write: queue.c. */
struct lpi_mail {
    _Alignas(64) struct __cds_wfcq_head head;
    struct cds_wfcq_tail tail;
    struct lpi_proc *bell_next; /* link of the core's bell list */
    atomic_bool rung;
};

/* A posted buffer that a sender on another core may fill: see offer.c. */
#define LPI_OFFER_FROM 2048 /* bytes: below, two copies cost less than the offer's cache lines */
enum { LPI_OFFER_NONE, LPI_OFFER_OPEN, LPI_OFFER_CHECKED, LPI_OFFER_CLAIMED };
struct lpi_offer {
    _Alignas(LPI_LINE) atomic_uint state;
    uint32_t context;
    int src, tag;
    size_t capacity;
    void *buf;
    struct logp_request *request; /* the receiver's own; NULL: nothing is on offer */
};

struct lpi_core {
    _Alignas(LPI_LINE) atomic_uint attention;
    _Atomic(struct lpi_proc *) bell;        /* procs whose queue has mail */
    _Atomic(struct lpi_message *) returned; /* messages of this core's pool, freed elsewhere */
    /* odd: nobody here can go on; changes before a message is taken (deadlock.c) */
    _Alignas(LPI_LINE) atomic_ulong idle_epoch;
    atomic_int holder; /* rank of the holder, -1 in the scheduler's idle loop: for reports */

    _Alignas(LPI_LINE) struct logp_machine *machine;
    struct lpi_timers timers;
    struct lpi_proc *ready_first, *ready_last; /* in the order in which they became ready */
    unsigned hand_overs;                       /* to those that were ready */
    struct lpi_pool pool;
    struct lpi_lane **in, **out; /* indexed by core; NULL for itself */
    int index;
    int cpu;                /* operating system's number; -1: not pinned */
    void *exceptions;       /* of its carrier: thread_state.h */
    uintptr_t shared_stack; /* which vps use in turn; bytes 0: each has its own */
    size_t shared_stack_bytes;
    struct lpi_proc **procs;
    int first_rank, n_procs; /* its procs have consecutive ranks */
    int n_live;
    int n_at_sync;
    int stop_cursor; /* procs below have ended, once the run is stopping */
    bool is_idle;    /* idle_epoch is odd */
    unsigned idle_polls;
    const struct lpi_proc *prepared; /* for whose deadline the next proc has been made ready */
    int64_t clock_seen;              /* a reading of the wall clock on this core: it has passed */
    int64_t window_end;              /* parallel: time stops here; else INT64_MAX */
    _Atomic int64_t least;           /* parallel: its earliest deadline, at a meeting; ... */
    atomic_bool in_vain;             /* ... and whether all of its procs wait or poll in vain */
    bool alarm;                      /* parallel: there may be none of its procs but such */
    int64_t deliveries;              /* without delays: their order stands for that of arrival */
    int64_t credit;                  /* bytes of queue_limit taken from the machine and not used */
    uint64_t messages;
    struct lpi_lag lag;
};

struct lpi_executor {
    const char *name;
    /* So many procs at most, as the host is; NULL: as many as there is memory for. */
    int64_t (*most)(void);
    /* Make what carries the procs of the machine; destroy undoes it (also half of it). */
    int (*create)(struct logp_machine *m);
    void (*destroy)(struct logp_machine *m);
    /* A run begins: each core goes to its first proc. */
    void (*launch)(struct logp_machine *m);
    /* Give the core to `to`; returns when `from` has been given it back. late: `to` should be
     * running already. */
    void (*switch_to)(struct lpi_proc *from, struct lpi_proc *to, bool late);
    /* `to` will be given the core as soon as the holder's own deadline has passed. NULL: there
     * is nothing to prepare. */
    void (*prepare)(struct lpi_proc *to);
    /* See lpi_resident(); NULL: there are no shared stacks. */
    void *(*resident)(const struct lpi_proc *p, void *address);
    /* Is this address in the guard below the holder's stack? NULL: not known. */
    bool (*guards)(const struct lpi_core *c, const void *address);
    /* As switch_to for a proc that has ended; its carrier waits for the next run. */
    void (*leave)(struct lpi_proc *from, struct lpi_proc *to);
};

extern const struct lpi_executor *const lpi_executors[]; /* NULL-terminated */
extern const struct lpi_executor lpi_executor_thread, lpi_executor_fiber, lpi_executor_shared;

#define LPI_MOST_OWN_STACKS 16384 /* beyond, stacks have no guard pages of their own */

struct lpi_pending_delay {
    struct lpi_pending_delay *next;
    int64_t at;
    struct logp_delay delay;
};

struct logp_machine {
    /* read by every call, written hardly ever */
    _Atomic(struct logp_delay *) delay; /* NULL: none. RCU: readers in call.h, writer in_force.c */
    atomic_int stop;                    /* negative errno: the run is over */
    _Atomic int64_t pending_at;         /* virtual: the next replacement; INT64_MAX: none */
    bool is_virtual;
    int P, n_cores;
    int taken_core; /* of the process's; -1: none */
    int64_t poll_ns;
    uint64_t yield_seed;
    int64_t (*time_ns)(void *arg); /* the wall clock's source; NULL: the host's */
    void *time_arg;
    struct lpi_clock clock;
    struct lpi_proc *procs;
    struct lpi_core *cores;
    struct lpi_offer *offers;            /* by rank; NULL on one core */
    struct lpi_mail *mails;              /* the same */
    _Atomic(struct lpi_onwire *) onwire; /* capacity.c; NULL: not needed yet */
    void *lanes; /* n_cores^2 of lane_stride bytes */
    size_t lane_stride;
    const struct lpi_executor *executor;
    void *executor_data;
    struct lpi_warmer *warmer; /* NULL: there is none */
    size_t stack_bytes;
    size_t queue_limit;
    int64_t credit_batch; /* what a core takes of it at once, and keeps of what it is given */

    logp_program program;
    void *arg;
    int64_t base_ns;        /* wall clock at time 0 of the run */
    int64_t clock_overhead; /* of two readings in a row */

    _Alignas(LPI_LINE) _Atomic int64_t credit; /* bytes of queue_limit nobody has taken */
    _Alignas(LPI_LINE) atomic_int sync_arrived;
    atomic_uint sync_generation;
    _Atomic int64_t sync_start;
    /* parallel: the meetings of the cores at the end of each window */
    int64_t lookahead;
    _Alignas(LPI_LINE) atomic_int n_met;
    atomic_uint meetings;
    atomic_uint event; /* changes with all that a core may sleep for: window.c */
    atomic_int n_asleep;
    _Alignas(LPI_LINE) atomic_int live_cores; /* cores with procs that have not ended */

    pthread_mutex_t lock; /* of all below */
    pthread_cond_t home;
    int away;         /* cores that have not come home */
    bool uncollected; /* what the last run left is still where it was */
    struct lpi_pending_delay *pending;
    struct logp_report report;
    atomic_int error_rank;
    struct logp_wait_info *waits;
};

/* The core whose carrier this thread is; NULL: none. Set by the executors. */
extern _Thread_local struct lpi_core *lpi_this_core;

/* sched.c: who holds the core, and until when. */
int lpi_wait_until(struct lpi_proc *p, int64_t deadline);
int lpi_wait_message(struct lpi_proc *p, int64_t deadline);
int lpi_wait_ready(struct lpi_proc *p);
int lpi_reach(struct lpi_proc *p, int64_t t);
int lpi_yield(struct lpi_proc *p);
void lpi_wake(struct lpi_proc *p, int64_t deadline);
void lpi_make_ready(struct lpi_proc *p);
int lpi_hold(struct lpi_proc *p);
void lpi_record_lag(struct lpi_core *c);
void lpi_proc_main(struct lpi_proc *p);
void lpi_core_home(struct lpi_core *c);
void lpi_attend(struct logp_machine *m, unsigned bits);
bool lpi_stop(struct logp_machine *m, int error);

struct lpi_proc *lpi_earliest(struct lpi_core *c);
void lpi_look_up(struct lpi_core *c);

/* sync.c: the common start. */
void lpi_release_sync(struct lpi_core *c);
int lpi_sync(struct lpi_proc *p, int64_t *start);

/* window.c: the virtual clock on several cores. */
void lpi_next_window(struct lpi_core *c);
void lpi_announce(struct logp_machine *m);

/* deadlock.c */
void lpi_idle(struct lpi_core *c);
void lpi_busy_now(struct lpi_core *c);
void lpi_check_deadlock(struct lpi_core *c);
void lpi_stop_deadlocked(struct logp_machine *m);
void lpi_check_pollers(struct lpi_core *c);
bool lpi_all_in_vain(const struct lpi_core *c);
void lpi_record_waits(struct logp_machine *m, bool away);

/* mailbox.c: messages between cores. */
int lpi_lanes_create(struct logp_machine *m, int slots);
void lpi_lanes_destroy(struct logp_machine *m);
bool lpi_poll(struct lpi_core *c);
bool lpi_lanes_quiet(const struct logp_machine *m);
int lpi_find_room(struct lpi_proc *from, struct lpi_proc *to, const struct lpi_envelope *e);
int lpi_post(struct lpi_proc *from, struct lpi_proc *to, const struct lpi_envelope *e);

/* offer.c: long messages between cores without a second copy. */
bool lpi_offer_fill(struct lpi_offer *o, const struct lpi_envelope *e);
void lpi_offer_open(struct lpi_proc *p, struct logp_request *r);
bool lpi_offer_withdraw(struct lpi_proc *p, struct logp_request *r);
void lpi_offer_complete(struct lpi_proc *p, struct logp_request *r);
void lpi_offer_close(struct lpi_proc *p);
__attribute__((noinline, cold)) int lpi_offer_stopped(struct lpi_proc *p, int stop);

/* match.c: messages and receives meet. */
int lpi_deliver(struct lpi_proc *p, struct lpi_core *at, const struct lpi_envelope *e);
bool lpi_deliver_here(struct lpi_proc *to, struct lpi_core *c, const struct lpi_label *l,
                      const void *data, size_t n_bytes, bool paid);
struct lpi_message *lpi_match_take_here(struct lpi_proc *p, uint32_t context, int src, int tag,
                                        size_t capacity);
bool lpi_match_is_first(struct lpi_proc *p, const struct logp_request *r);
struct logp_request *lpi_match_wanted(struct lpi_proc *p, const struct lpi_envelope *e);
void lpi_match_arrived(struct lpi_proc *p, int64_t until);
int64_t lpi_next_arrival(struct lpi_proc *p);
void lpi_match_post(struct lpi_proc *p, struct logp_request *r, int64_t until);
int lpi_match_restore(struct lpi_proc *p, const struct logp_request *r);
void lpi_match_unpost(struct lpi_proc *p, struct logp_request *r);
struct lpi_message *lpi_match_find(struct lpi_proc *p, uint32_t context, int src, int tag,
                                   int64_t until);
void lpi_match_close(struct lpi_proc *p);
void lpi_match_discard(struct lpi_proc *p, struct lpi_core *at);

/* in_force.c: the model in force. */
int lpi_delay_install(struct logp_machine *m, struct logp_delay delay);
void lpi_delay_apply_pending(struct logp_machine *m, int64_t now);
void lpi_delay_restart(struct logp_machine *m, bool new_run);
void lpi_delay_fini(struct logp_machine *m);

int64_t lpi_delay_begin(struct logp_machine *m);

/* recv.c */
void lpi_charge_recv(struct lpi_proc *p, struct logp_request *r);

/* capacity.c: messages on the wire. */
struct lpi_onwire;
void lpi_capacity_destroy(struct logp_machine *m);
int lpi_capacity_claim(struct lpi_proc *from, struct lpi_proc *to, int64_t capacity,
                       const struct logp_transfer *t, int64_t *retry_at);
void lpi_capacity_settle(struct lpi_proc *from, struct lpi_proc *to, int64_t arrival);
void lpi_capacity_reset(struct logp_machine *m);

/* cores.c: which cores, in which order. */
int lpi_cores_choose(const struct logp_config *config, int **cores, int *n, int *taken);

static inline bool lpi_stopping(const struct logp_machine *m)
{
    /* acquire pairs with the release in lpi_stop(): who stopped the run has read what it needed */
    return atomic_load_explicit(&m->stop, memory_order_acquire) != 0;
}

/* The error that calls of p, the caller, return; 0: the run goes on. */
static inline __attribute__((always_inline)) int lpi_stopped(struct lpi_proc *p)
{
    /* acquire: as in lpi_stopping() */
    const int stop = atomic_load_explicit(&p->core->machine->stop, memory_order_acquire);

    return stop == 0 ? 0 : lpi_offer_stopped(p, stop);
}

/* Somebody on this core can go on, or is about to: before the reason becomes visible. */
static inline void lpi_busy(struct lpi_core *c)
{
    if (c->is_idle)
        lpi_busy_now(c);
}

static inline int64_t lpi_wall(const struct logp_machine *m)
{
    return lpi_clock_ns(&m->clock) - m->base_ns;
}

/* Does the vp have a clock of its own? Not on the wall clock with delay none. */
static inline bool lpi_has_clock(const struct lpi_proc *p)
{
    return p->emulating || p->core->machine->is_virtual;
}

/*
 * Where the memory is that p calls `address`. The same, unless it lies on a stack that several vps
 * share in turn and p's part of it is set aside (shared.c). NULL: no memory.
 */
static inline void *lpi_resident(const struct lpi_proc *p, void *address)
{
    const struct lpi_core *c = p->core;

    if ((uintptr_t)address - c->shared_stack >= c->shared_stack_bytes)
        return address;
    return c->machine->executor->resident(p, address);
}

/* Does the virtual clock run on several cores? */
static inline bool lpi_is_parallel(const struct logp_machine *m)
{
    return m->is_virtual && m->n_cores > 1;
}

/* Is there a delay model? */
static inline bool lpi_emulates(const struct logp_machine *m)
{
    /* relaxed: NULL or not; whoever uses the model reads it again under RCU */
    return atomic_load_explicit(&m->delay, memory_order_relaxed) != NULL;
}

/* Nothing is emulated and nobody has a clock: the shortest ways may be taken. */
static inline bool lpi_plain(const struct logp_machine *m)
{
    return !m->is_virtual && !lpi_emulates(m);
}

/* Is this rank on the core? */
static inline bool lpi_is_here(const struct lpi_core *c, int rank)
{
    return (unsigned)(rank - c->first_rank) < (unsigned)c->n_procs;
}

/* What logp_now() says. */
static inline int64_t lpi_clock(const struct lpi_proc *p)
{
    return lpi_has_clock(p) ? p->emulated : lpi_wall(p->core->machine);
}

/* t + dt, or the end of time; t, dt >= 0. */
static inline int64_t lpi_after(int64_t t, int64_t dt)
{
    return dt < INT64_MAX - t ? t + dt : INT64_MAX;
}

/* t, but not before the vp's own clock. */
static inline int64_t lpi_later(const struct lpi_proc *p, int64_t t)
{
    return lpi_has_clock(p) && p->emulated > t ? p->emulated : t;
}

#endif
