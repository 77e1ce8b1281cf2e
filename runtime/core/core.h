/* SPDX-License-Identifier: MIT */
/* The life of a machine and its vps in a run: what the other folders call. */
#ifndef LPI_CORE_CORE_H
#define LPI_CORE_CORE_H

#include "carrier/carrier.h"
#include "state/explore.h"
#include "state/remote.h"
#include "state/state.h"

/* ---- run.c: runs of a machine ---- */

/*
 * The last vp of a core has ended, and so have all of the machine.
 * @return true: the next run has begun
 */
bool lpi_cores_done(struct lpi_core *c);
/* Reclaim what the last run has left, if it was abandoned and is done now. Called with the lock, or
 * by the only owner. */
void lpi_reclaim_late(struct logp_machine *m);

/* Whether the machine is in use: a core is not done. False inside the function that
 * logp_machine_repeat() calls on the carrier, since it may change the settings for the next run.
 * Called with the lock. */
static inline bool lpi_in_use(const struct logp_machine *m)
{
    const bool is_asked = m->is_asking && lpi_this_core != NULL && lpi_this_core->machine == m;

    return m->running > 0 && !is_asked;
}

/* ---- placement.c: the core of each rank ---- */

/* Take the placement of the configuration, after the cores are chosen. It may use fewer of them.
 * @return 0; -EINVAL (core_of), -ENOMEM */
int lpi_placement_create(struct logp_machine *m, const struct logp_config *config);
/* The most cores that this configuration needs: one for each rank, or those that core_of names. */
int lpi_placement_cores(const struct logp_config *config);
/* Give the core its vps of the next run, and memory for their deadlines. Requires its machine and
 * index, and the number of cores that are used. @return 0; -ENOMEM */
int lpi_core_take_procs(struct lpi_core *c);

/* ---- worth.c: the number of cores that a run is worth ---- */

/* The least number of events for which cores meet: of each core in each window. */
enum { LPI_EVENTS_WORTH = 16 };

/* What the beginning and the end of a run on a core cost, in windows. */
enum { LPI_WINDOWS_BESIDE = 32 };

/* The cores for a run of so many events (a message is two: its send and its receive) and windows: 1
 * .. most */
static inline int lpi_cores_worth(uint64_t events, uint64_t windows, int most)
{
    const uint64_t n = events / LPI_EVENTS_WORTH / (windows + LPI_WINDOWS_BESIDE);

    return n < 1 ? 1 : n < (uint64_t)most ? (int)n : most;
}

/* Time t of the only core c is the next window's: count it, as if there were other cores. */
void lpi_worth_count(struct lpi_core *c, int64_t t);
/* A run has ended, and its report is complete: choose the cores of the next. */
void lpi_worth_note(struct logp_machine *m);
/* A run begins: use the cores that it has chosen. @return 0; -ENOMEM */
int lpi_worth_use(struct logp_machine *m);

/* ---- common_start.c: the common start ---- */

/* All vps of the machine have arrived: fix the start. Wall clock: it is at the clock's reading
 * clock_ns (LOGP_NEVER: a little ahead of now), which is `start` on the machine's clock (below 0:
 * computed). The first start of a run is 0. By the holder of c. @return start */
int64_t lpi_fix_start(struct lpi_core *c, int64_t clock_ns, int64_t start);
/* The start is fixed: release the vps of this core, with it as their deadline. By the holder. */
void lpi_release_sync(struct lpi_core *c);
/* The time from the fixing of a start of all vps to the start itself. */
int64_t lpi_start_margin(const struct logp_machine *m);
/* This core has released vps whose start is this. Counts it if that time has passed. @return the time that is
 * left */
int64_t lpi_note_release(struct lpi_core *c, int64_t start);
/* p begins anew after a sync: its port is free. */
void lpi_start_anew(struct lpi_proc *p);

/* Record the last wait of this core, if it has not been recorded yet. */
static inline void lpi_record_lag(struct lpi_core *c)
{
    if (c->lag.deadline >= 0)
        lpi_lag_record(&c->lag, &c->machine->sync_generation);
}
/* p arrives at the common start of all vps. */
void lpi_sync_arrive(struct lpi_proc *p);
/* p's clock when it arrived at the sync at which it is. */
int64_t lpi_arrived_at(const struct lpi_proc *p);
/* Whether p serves its background work while it is at a sync or waits for a word. */
bool lpi_syncs_beside(const struct lpi_proc *p);
/* Note when the sync that p is at starts, and its result: 0, an error, or what a comparison has
 * found. By any core, after p has arrived. */
void lpi_sync_note(struct lpi_proc *p, int64_t start, int result);
/* Release p at the noted start, unless a stop has released it. By the holder of its core. */
void lpi_sync_release(struct lpi_proc *p);

/* ---- absence.c: the longest absence of a core. By its holder ---- */

/* A run begins. */
void lpi_absence_reset(struct lpi_core *c);
/* All vps of c have arrived at a sync, or have ended: judge the time since the last common start. */
void lpi_absence_arrive(struct lpi_core *c);
/* They are released, and start after so many ns. */
void lpi_absence_released(struct lpi_core *c, int64_t until_start);

/* ---- release.c: the tree of cores along which a start is released ---- */

/* The i-th of the cores 0 .. n - 1 that this one lets notice a start; core 0 has fixed it. -1: there
 * are no more. */
int lpi_release_child(int n, int core, int i);
/* An upper bound of the time until the last of n cores has released its vps, of which a core has at
 * most `members`. line_ns: see lpi_line_ns() */
int64_t lpi_release_ns(int n_cores, int members, int64_t line_ns);

/* ---- life.c: the life of a vp in one run ---- */

/* Called by its carrier when a vp first gets the core in a run. */
void lpi_proc_main(struct lpi_proc *p);

/* ---- sync_group.c: waiting for a common start, and the start of the members of a group ---- */

/* word: to be compared; NULL: this is a sync. @return 0; or the error of this member, which has not
 * arrived */
int lpi_sync_group_arrive(const struct logp_vp *vp, const uint64_t *word);
/*
 * Arrive at the common start of all vps, or of the members of a group, and wait for it.
 * @return  0, *start is set (start may be NULL); or the error that ends the call
 */
int lpi_sync(const struct logp_vp *vp, int64_t *start);
/* Handle a message of another process: its vp has arrived at a sync whose entry is here, or a vp of
 * this process is released. */
void lpi_group_hear(struct lpi_core *c, const struct lpi_wire *w);
/* Free the entries of a run that has ended. */
void lpi_groups_discard(struct logp_machine *m);

/* ---- window.c: the virtual clock on several cores ---- */

void lpi_next_window(struct lpi_core *c);
/* See struct lpi_time. */
int lpi_window_settle(struct lpi_proc *p);
/* The holder of c has polled for long: end the window here, and ask all cores. */
void lpi_window_check(struct lpi_core *c);
/* The functions of lpi_resolver on such a machine. */
struct lpi_proc *lpi_window_next(struct lpi_core *c);
bool lpi_window_others_first(struct lpi_proc *p, int64_t t);

/* ---- word_wait.c: waiting for a word of memory ---- */

/* The word that a vp waits for; in its core's list while the vp is blocked. */
struct lpi_word_wait {
    _Atomic(const uint64_t *) word; /* NULL: none; read by the deadlock scan */
    _Atomic uint64_t value;
    struct lpi_word_wait *next;
    struct lpi_proc *proc;
    struct logp_request *event; /* complete when the word is reached; NULL: the vp just waits */
};

/* p begins to wait until the word is at least value. event: for p to await; NULL: it is made ready.
 * @return 0; -ENOMEM */
int lpi_word_wait_begin(struct lpi_proc *p, const uint64_t *word, uint64_t value,
                        struct logp_request *event);
/* It waits no longer, though the word may not be reached. */
void lpi_word_wait_end(struct lpi_proc *p, bool is_reached);
/* p, which polls, also waits for this word; NULL: not any more. */
void lpi_word_wait_note(struct lpi_proc *p, const uint64_t *word, uint64_t value);
/* Make ready the vps whose words have reached their values. By the holder. */
void lpi_word_wait_poll(struct lpi_core *c);
/* A word of this address has been set: give its cores work if they sleep. */
void lpi_word_wait_given(struct logp_machine *m, const uint64_t *word);
/* Whether a word has reached its value without its core having noticed. For the deadlock scan. */
bool lpi_word_wait_pending(struct logp_machine *m);
/* For reports. */
bool lpi_waits_for_word(const struct lpi_proc *p);

/* ---- deadlock.c: deadlock ---- */

/* The sum of the epochs of all cores, if all are idle. Epochs only grow, so an equal sum means that
 * none has changed. */
bool lpi_all_idle(const struct logp_machine *m, unsigned long *sum);
void lpi_check_deadlock(struct lpi_core *c);
/* Make c idle: none of its vps can run. */
void lpi_check_idle(struct lpi_core *c);
void lpi_stop_deadlocked(struct logp_machine *m);
void lpi_check_pollers(struct lpi_core *c);
/* On several cores: all vps of c wait or poll in vain. */
void lpi_check_all_pollers(struct lpi_core *c);
/* Parallel: whether all vps of c waited or polled in vain at time t, and still do. */
bool lpi_in_vain_at(const struct lpi_core *c, int64_t t);
/* Parallel: they did, and it is a deadlock: take back the polls of c after t, from the clocks. */
void lpi_in_vain_back(struct lpi_core *c, int64_t t);
void lpi_record_waits(struct logp_machine *m, bool running);
/* Put the waits of a cycle first, each before the one that it waits for, if there are more waits
 * than are shown. n waits, by rank. */
void lpi_cycle_first(struct logp_wait_info *waits, int n);
/* The event that p waits for. Exact only while its core's holder does not change it. */
struct logp_wait_info lpi_wait_of(const struct lpi_proc *p);

/* ---- blocking.c: what a core must notice; blocking sections ---- */

/* Handle everything that others may have changed. By the holder. */
void lpi_poll_mail(struct lpi_core *c);

/* p, which holds its core, gives it up. From then on the core's data belongs to its next holder. */
void lpi_blocking_begin(struct lpi_proc *p);
/*
 * Wait until p's clock reaches `deadline` (below 0: at once) and p holds its core again.
 * @return  0; or the error that stops the run. p holds its core in both cases
 */
int lpi_blocking_end(struct lpi_proc *p, int64_t deadline);
/* Wake p's core, which is not the caller's: the start of p's sync has been noted. */
void lpi_core_wake(struct lpi_proc *p);

/* ---- area.c: memory that the members of groups share ---- */

/* An area that a vp has joined, and the view of the group through which it did. */
struct lpi_joined {
    struct lpi_joined *next;
    const struct logp_vp *vp;
    const void *key;
    void *memory;
    struct lpi_area *area;
};

/* As logp_shared(), for an area that is not joined yet. vp is the group's view for collectives. */
int lpi_area_join(struct logp_vp *vp, const void *key, size_t n_bytes, void **memory);
/* Leave all areas of vp, before the group is freed. */
void lpi_area_leave(struct logp_vp *vp);
/* All cores are done. Called with the machine's lock. */
void lpi_areas_discard(struct logp_machine *m);

/* ---- attach.c: data attached to vps ---- */

struct lpi_attached {
    _Alignas(64) struct lpi_word_wait watch;
    struct lpi_joined *joined; /* areas: area.c */
    struct logp_attached *first;
    struct logp_operation *operations; /* in the order of starting: operation.c */
    bool goes_on;                      /* one of them does its steps: they serve no others */
    struct logp_request *sync;         /* complete when the sync that the vp is at starts */
    struct lpi_proc *next_put_off;     /* in the list of its core's window ... */
    bool is_put_off;                   /* ... in which it is */
    struct lpi_rendezvous *rts;        /* its rendezvous sends, in the order of the calls */
    bool has_background;               /* operations, rendezvous sends or other threads: its waits
                                          serve them */
    logp_pause *pause;                 /* logp_vp_share(); NULL: one thread calls */
    void *pause_arg;
    struct logp_vp started; /* for the vp itself; groups have their own */
};

/* The entry of p, allocated if needed. Only p uses it, except for its atomics. NULL: no memory. */
struct lpi_attached *lpi_attached_to(struct lpi_proc *p);
/* The same, or NULL if nothing is attached to any vp. */
static inline struct lpi_attached *lpi_attached_of(const struct lpi_proc *p)
{
    /* acquire pairs with the release in lpi_attached_to(): the zeroes are visible */
    struct lpi_attached *all =
        atomic_load_explicit(&p->core->machine->attached, memory_order_acquire);

    return all != NULL ? &all[p->rank] : NULL;
}

/* Whether p has background work, which its waits serve. */
static inline bool lpi_has_background(const struct lpi_proc *p)
{
    const struct lpi_attached *a = lpi_attached_of(p);

    return a != NULL && a->has_background;
}

/* The first rendezvous send that p has under way; NULL: none. */
static inline struct lpi_rendezvous *lpi_rts_of(const struct lpi_proc *p)
{
    const struct lpi_attached *a = lpi_attached_of(p);

    return a != NULL ? a->rts : NULL;
}

/* After a change of p's operations or rendezvous sends. */
void lpi_background_changed(struct lpi_proc *p);
/* End all that is attached to p, after its program has ended. */
void lpi_attached_end(struct lpi_proc *p);
void lpi_attached_destroy(struct logp_machine *m);

/* ---- processes.c: a machine over several processes, from creation to destruction ---- */

/* load.c: load the transport of this name; NULL: the mailbox. 0; -ENOENT; -ELIBACC: it cannot be
 * loaded, see logp_transport_error() */
int lpi_transport_find(const char *name, const struct lpi_transport **out);

void lpi_remote_destroy(struct logp_machine *m);

extern const struct lpi_processes lpi_processes_one, lpi_processes_several;

/* ---- common_clock.c: the common clock of the processes of a machine ---- */

/* At creation, by all processes: agree on the clock. */
void lpi_common_clock_open(struct logp_machine *m);
/* Before a run, by all processes: keep the last fit, or make a new one. Wait for the others until
 * `end` of the host's clock (0: for ever). 0; -ETIMEDOUT: a process did not come and is lost */
int lpi_common_clock_barrier(struct logp_machine *m, int64_t end);
/* Turn m->clock, just initialised, into the common clock. */
void lpi_common_clock_set(struct logp_machine *m);
/* After a run, by all processes: measure the error of the clocks again. */
void lpi_common_clock_check(struct logp_machine *m);

/* ---- remote_control.c: control messages between processes in a run ---- */

void lpi_remote_control(struct lpi_core *c, int from, const struct lpi_wire *w, const void *more);
/* See lpi_processes. */
void lpi_remote_arrived(struct lpi_core *c);
void lpi_remote_idle(struct lpi_core *c, unsigned long epochs);
/* Report to process 0, at each change, that all vps of this process have ended. Called by a thread
 * that holds none of its cores. */
void lpi_remote_done(struct logp_machine *m);

/* ---- agree.c: the calls of collectives in a run ---- */

void lpi_calls_free(struct logp_machine *m);
/* Return whether the calls of two vps differ, on the wall clock, and put that into the report. All
 * cores are done. */
bool lpi_calls_part(struct logp_machine *m);
bool lpi_same_call(const struct logp_call *a, const struct logp_call *b);
/* Another vp has called `first` where p calls this: the run ends. With the machine's lock. @return -EPROTO */
int lpi_calls_differ(struct lpi_proc *p, const struct logp_call *call, int rank,
                     const struct logp_call *first);

/* ---- compare.c: the same, in each call ---- */

void lpi_compared_begin(struct logp_machine *m);
void lpi_compared_free(struct logp_machine *m);
/* @return as logp_vp_note_call() */
int lpi_compare_call(struct logp_vp *vp, bool started, const struct logp_call *call);

/* ---- report.c: what a run reports ---- */

/* A check of p has failed, such as LOGP_CHECK(). Unless the run is over, end it, and report the
 * failure. detail: copied; NULL: none. Called with the lock, since the run may be abandoned. */
void lpi_assert_fails(const struct lpi_proc *p, const char *file, int line, const char *expression,
                      const char *detail);
enum { LPI_WAITS_SHOWN = 16 }; /* by logp_report_print() and the command */

/* ---- explorer.c: the explorer of a machine. Called by the holder of its one core ---- */

void lpi_explore_begin(struct logp_machine *m);
void lpi_explore_free(struct logp_machine *m);
/* See struct lpi_resolver. */
struct lpi_proc *lpi_explored_next(struct lpi_core *c);
bool lpi_explored_others_first(struct lpi_proc *p, int64_t t);
/* The vp that usually runs first: the earliest deadline, then the lowest rank. shared: others may
 * have this deadline. */
struct lpi_proc *lpi_explored_first(const struct lpi_core *c, bool *shared);
/* explore.c: the choose() of struct lpi_way. */
int lpi_choose_late(struct lpi_proc *p, struct lpi_query *query);
int lpi_choose_now(struct lpi_proc *p, struct lpi_query *query);
/* @return 1: query->index has been taken; 0: there was nothing to choose from; -ETIME: query
 * misses; or the error that stops the run */
int lpi_explored_choose(struct lpi_proc *p, struct lpi_query *query);

/* explored_points.c: see struct lpi_way and struct lpi_resolver. */
int lpi_pass_late(struct lpi_proc *p, bool yields);
int lpi_pass_now(struct lpi_proc *p, bool yields);
int lpi_turn_now(struct lpi_proc *p, struct lpi_query *turn);
int lpi_explored_pass(struct lpi_proc *p, enum logp_note_kind kind, bool yields);
int lpi_explored_touch(struct lpi_proc *p, int key);
int lpi_explored_pick(struct lpi_proc *p, int n);
/* Whether p calls. relaxed: this thread has stored it, or got the core from the one that did */
static inline bool lpi_calls_itself(const struct lpi_proc *p)
{
    return lpi_this_core == p->core &&
           atomic_load_explicit(&p->core->holder, memory_order_relaxed) == p->rank;
}
/* A thread of the program, or another vp, calls for p, whose calls are its own: the run fails. @return -EPROTO */
int lpi_explored_end_for_other(struct lpi_proc *p);
/* From now on p's receives are matched as late as those from any source. */
void lpi_explored_raise(struct lpi_proc *p);
void lpi_explored_cancels(struct lpi_proc *p, struct logp_request *r);
void lpi_explored_ends(struct lpi_proc *p);

/* ---- usage.c: errors in the use of requests, on an explored machine ---- */

/* NULL: no memory */
struct lpi_usage *lpi_usage_new(int P);
void lpi_usage_free(struct lpi_usage *usage, int P);
/* p posts r, whose id, peer, tag and buffer are set. */
void lpi_usage_posts(struct lpi_proc *p, struct logp_request *r, enum lpi_posting posting);
/* As lpi_resolver.keeps(). */
bool lpi_usage_keeps(struct lpi_proc *p, struct logp_request *r);
/* r, which is SPENT, is given to a call again. @return -EPROTO */
int lpi_usage_twice(struct lpi_proc *p, const struct logp_request *r);
/* p's program has ended. */
void lpi_usage_ends(struct lpi_proc *p);
/* p has no requests any more. */
void lpi_usage_forget(struct lpi_proc *p);

/* ---- explored_faults.c: faults and durable data ---- */

/* See struct lpi_resolver. */
int lpi_explored_fate(struct lpi_proc *p, enum logp_note_kind call, const struct lpi_envelope *e);
bool lpi_explored_restarts(struct lpi_proc *p);
int lpi_explored_cut(struct lpi_proc *p, uint64_t from, uint64_t to, bool heals);
/* Keep data that p's program makes durable, on an explored machine. @return 0; -ENOMEM */
int lpi_durable_keep(struct lpi_proc *p, int key, const void *data, size_t n_bytes);
/* @return 0; -ENOENT; -EMSGSIZE */
int lpi_durable_take(struct lpi_proc *p, int key, void *data, size_t capacity, size_t *n_bytes);
void lpi_durable_free(struct lpi_durable *all);

/* ---- outcomes.c: the alternatives of a query, as entries of the explorer's list ---- */

/* See struct lpi_way. */
bool lpi_takes_timed(void *gathering, const struct lpi_message *m, const struct logp_request *r);
bool lpi_takes_untimed(void *gathering, const struct lpi_message *m, const struct logp_request *r);
bool lpi_takes_late(void *gathering, const struct lpi_message *m, const struct logp_request *r);

/* Make space for one more entry than n. @return false: there is none, and the run is stopped */
bool lpi_outcomes_reserve(struct logp_machine *m, int n);
/* Ask for one of the n > 0 alternatives in explore->list. @return its place */
int lpi_outcomes_ask(const struct lpi_explore *x, int n);
/* Append the alternatives of p's query but misses to n entries. forced: the first is the only one.
 * @return the new number of entries */
int lpi_outcomes_gather(struct lpi_proc *p, const struct lpi_query *query, int n, bool *forced);
/* The query's alternatives begin at `from`: append a miss or a cancel, if it may come to that.
 * @return the new number of entries */
int lpi_outcomes_add_miss(struct lpi_proc *p, const struct lpi_query *query, int from, int n);
struct logp_alternative lpi_outcomes_miss(const struct lpi_explore *x, int rank,
                                          const struct lpi_query *query);
/* This alternative has been chosen for p's query. */
void lpi_outcomes_take(struct lpi_proc *p, struct lpi_query *query,
                       const struct logp_alternative *a);
/* Whether query is a wait for one request that is complete. */
bool lpi_outcomes_complete(const struct lpi_query *query);

#endif
