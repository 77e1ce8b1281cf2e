/* SPDX-License-Identifier: MIT */
/*
 * The two clocks: what a run does differently if real time passes (wall), and if time jumps to the
 * earliest deadline (virtual). The machine's table is chosen when it is created.
 *
 * On the wall clock a vp's deadline is a time to wait for. Under the virtual clock a vp's clock may
 * be ahead of the machine's: reach() waits until the machine has caught up, and is called before
 * everything that others can notice.
 */
#include "core/core.h"
#include "core/resolver.h"
#include "core/sched.h"
#include "delay/delay.h"
#include "mail/mail.h"
#include "state/run_queue.h"
#include "state/stop.h"
#include "state/timers.h"

#include <errno.h>

enum {
    FINAL_NS = 60,       /* this near a deadline, read only the clock */
    READINGS_FREE = 1000 /* virtual: number of readings in a row that cost no time */
};

static void run_due(struct lpi_core *c, struct lpi_proc *p)
{
    p->state = LPI_RUNNING;
    lpi_timers_pop(&c->run_queue.timers);
}

static void as_usual(struct lpi_resolver *r)
{
    (void)r;
}

static int hold_until(struct lpi_proc *p, int64_t deadline)
{
    lpi_set_deadline(p, deadline);
    return lpi_hold(p);
}

/* ---- wall ---- */

static int64_t no_lookahead(struct logp_machine *m)
{
    (void)m;
    return INT64_MAX;
}

static void wall_prepare(struct logp_machine *m)
{
    lpi_clock_init(&m->clock, m->time_ns, m->time_arg);
    m->processes->prepare(m);
    m->clock_overhead = lpi_clock_overhead(&m->clock);
    m->base_ns = lpi_clock_ns(&m->clock);
}

static int64_t wall_own(const struct logp_machine *m)
{
    return lpi_wall(m);
}

static int wall_begin(struct lpi_proc *p)
{
    const int rc = lpi_stopped(p);

    return rc == 0 ? lpi_sync(p->vp, NULL) : rc;
}

/* The program's own time counts from the start on, which is time 0. */
static void wall_reset(struct lpi_proc *p)
{
    p->emulated = LOGP_NEVER;
    p->left = 0;
    p->counts = true;
}

/* p has a clock from this start on if there is a delay model. */
static void wall_start_anew(struct lpi_proc *p)
{
    p->emulated = lpi_emulates(p->core->machine) ? lpi_later(p, 0) : LOGP_NEVER;
}

static int64_t wall_start(struct logp_machine *m, int64_t clock_ns, int64_t start)
{
    /* relaxed: only lpi_fix_start() changes it during a run */
    const bool is_first = atomic_load_explicit(&m->sync_generation, memory_order_relaxed) == 0;

    if (clock_ns == LOGP_NEVER)
        clock_ns = lpi_clock_ns(&m->clock) + lpi_start_margin(m);
    if (is_first) { /* its time 0 */
        m->base_ns = clock_ns;
        start = 0;
        if (!lpi_stopping(m)) /* else the run may be abandoned already */
            lpi_injections_open(m);
    } else if (start < 0) {
        start = clock_ns - m->base_ns;
    }
    lpi_delay_restart(m, is_first, start);
    return start;
}

/* A little ahead of now: all cores can meet it. */
static int64_t wall_group_start(const struct logp_machine *m, int64_t latest, int64_t release_ns)
{
    (void)latest;
    return lpi_wall(m) + release_ns;
}

/* The wait of p is over, and the clock has been read. */
static void end_wait(struct lpi_proc *p, int64_t deadline)
{
    struct lpi_core *c = p->core;
    const bool has_clock = lpi_has_clock(p);

    lpi_lag_over(&c->lag, deadline, c->run_queue.clock_seen, has_clock);
    if (has_clock)
        p->emulated = deadline;
}

/* Read the clock in a wait of this core. */
static inline void read_waiting(struct lpi_core *c)
{
    const int64_t now = lpi_wall(c->machine);

    lpi_lag_away(&c->lag, now - c->absence.seen);
    c->absence.seen = c->run_queue.clock_seen = now;
}

static bool wall_take_due(struct lpi_core *c, struct lpi_proc *p)
{
    const int64_t deadline = p->deadline;

    if (c->run_queue.clock_seen < deadline || !p->counts) {
        do
            read_waiting(c);
        while (c->run_queue.clock_seen < deadline && deadline - c->run_queue.clock_seen < FINAL_NS);
    }
    if (c->run_queue.clock_seen < deadline)
        return false;
    c->run_queue.prepared = NULL;
    end_wait(p, deadline);
    run_due(c, p);
    return true;
}

/*
 * Whether p, whose deadline has passed or is near, continues without a hand-over. A core that is
 * late continues with p, unless the deadline of another vp is earlier by more than run_queue.slack.
 * So the order of deadlines changes by at most the slack, no vp starves, and several steps share a
 * hand-over and its cold memory. A core is also not handed over for less than patience_ns, the time
 * that a hand-over takes.
 */
static bool goes_on(struct lpi_proc *p, int64_t deadline)
{
    struct lpi_core *c = p->core;
    const struct lpi_proc *first = NULL;
    int64_t away = 0;

    /* every LPI_POLL_EVERY-th turn is left to lpi_usual_next(), which polls for mail in it */
    if (c->run_queue.ready_first != NULL || (c->run_queue.taken + 1) % LPI_POLL_EVERY == 0)
        return false;
    c->run_queue.taken++;
    if (c->run_queue.clock_seen < deadline) {
        c->run_queue.clock_seen = lpi_wall(c->machine);
        if (c->run_queue.clock_seen < deadline - c->machine->executor->patience_ns)
            return false;
    } else if (!p->counts) { /* no other reading shows how late p is */
        c->run_queue.clock_seen = lpi_wall(c->machine);
    }
    if (c->run_queue.clock_seen < deadline ||
        c->run_queue.timers.least < deadline - c->run_queue.slack)
        first = lpi_earliest(c);
    if (first != NULL && first->deadline < deadline - c->run_queue.slack)
        return false;
    if (c->run_queue.clock_seen < deadline && (first == NULL || first->deadline >= deadline))
        return false; /* p keeps the core anyway */
    while (c->run_queue.clock_seen < deadline) {
        const int64_t before = c->run_queue.clock_seen;

        c->run_queue.clock_seen = lpi_wall(c->machine);
        if (c->run_queue.clock_seen - before > away)
            away = c->run_queue.clock_seen - before;
    }
    lpi_record_lag(c);
    lpi_lag_away(&c->lag, away); /* now: the record of a common start begins anew */
    end_wait(p, deadline);
    return true;
}

static int wall_wait(struct lpi_proc *p, int64_t deadline)
{
    return goes_on(p, deadline) ? lpi_stopped(p) : hold_until(p, deadline);
}

/* Its message is handed over at once, with its arrival. */
static bool wall_awaits_start(const struct lpi_proc *p, int64_t start)
{
    (void)p, (void)start;
    return false;
}

static int wall_send(struct lpi_proc *p, int64_t *arrival)
{
    (void)p;
    *arrival = LOGP_NEVER;
    return 0;
}

static int wall_sent(struct lpi_proc *p)
{
    return lpi_let_others_run(p);
}

static int64_t wall_space_ns(const struct lpi_core *c)
{
    return lpi_wall(c->machine);
}

/* The core counts as idle for the length of a check. */
static void check_in_vain(struct lpi_core *c)
{
    lpi_idle(c);
    lpi_check_deadlock(c);
    lpi_busy(c);
}

static void several_in_vain(struct lpi_core *c)
{
    c->machine->processes->in_vain(c);
    check_in_vain(c);
}

static int64_t wall_read(struct lpi_proc *p, int64_t *wall_ns)
{
    p->in_vain = 0; /* a program that reads the clock may act at a certain time */
    if (!lpi_has_clock(p))
        return *wall_ns = lpi_wall(p->core->machine);
    *wall_ns = p->counts ? p->left : lpi_wall(p->core->machine);
    return p->emulated;
}

/* The core of m that the caller holds; NULL: it is not a vp of m. */
static struct lpi_core *core_here(const struct logp_machine *m)
{
    return lpi_this_core != NULL && lpi_this_core->machine == m ? lpi_this_core : NULL;
}

static int wall_replace(struct logp_machine *m, struct lpi_delay *copy, int64_t at_ns)
{
    const bool inside = core_here(m) != NULL;

    (void)at_ns;
    if (inside && lpi_stopping(m)) /* its run is over: the model would be for the next one */
        return -ECANCELED;
    if (!inside)
        lpi_delay_drop_due(m);
    lpi_delay_install(m, copy);
    return 0;
}

static enum logp_trace_source wall_source(const struct logp_machine *m)
{
    return lpi_emulates(m) ? LOGP_TRACE_WALL : LOGP_TRACE_HOST;
}

static void wall_expect(struct logp_machine *m, bool expects)
{
    /* release pairs with the acquire in lpi_check_deadlock() */
    atomic_store_explicit(&m->expects, expects, memory_order_release);
    if (!expects) /* a core that sleeps looks for a deadlock again */
        lpi_announce(m);
}

static int wall_reach(struct lpi_proc *p, int64_t t)
{
    (void)p, (void)t;
    return 0;
}

/* Messages match as they come. */
static int wall_settle(struct lpi_proc *p)
{
    (void)p;
    return 0;
}

/* The entries that one core and several share. */
#define WALL_TIME                                                                                  \
    .clock = LOGP_CLOCK_WALL, .turn_of_ready = 0, .loose_ns = 1, .has_fast_path = true,            \
    .shares_memory = true, .exploring = -ENOTSUP, .lookahead = no_lookahead,                       \
    .prepare = wall_prepare, .resolves = as_usual, .own_ns = wall_own, .begin = wall_begin,        \
    .reset = wall_reset, .start_anew = wall_start_anew, .start = wall_start,                       \
    .group_start = wall_group_start, .release_child = lpi_release_child,                           \
    .take_due = wall_take_due, .wait = wall_wait, .pass = wall_wait, .stall = lpi_wait_until,      \
    .settle = wall_settle, .reach = wall_reach, .awaits_start = wall_awaits_start,                 \
    .send = wall_send, .sent = wall_sent, .space_ns = wall_space_ns,                               \
    .nobody_ready = lpi_nobody_ready, .nothing_before = lpi_nothing_before, .read = wall_read,     \
    .replace = wall_replace, .source = wall_source, .inject = lpi_inject, .expect = wall_expect

const struct lpi_time lpi_time_wall = {
    WALL_TIME,
    .idle_polls = 1,
    .in_vain = check_in_vain,
};

const struct lpi_time lpi_time_wall_several = {
    WALL_TIME,
    .idle_polls = LPI_IDLE_POLLS,
    .in_vain = several_in_vain,
};

/* ---- virtual ---- */

static void virtual_prepare(struct logp_machine *m)
{
    (void)m;
}

/* Under the virtual clock the program's own computing takes no time. */
static int64_t virtual_own(const struct logp_machine *m)
{
    (void)m;
    return 0;
}

/* All vps begin at 0. */
static int virtual_begin(struct lpi_proc *p)
{
    struct logp_machine *m = p->core->machine;

    if (p->rank == 0)
        lpi_delay_restart(m, true, 0);
    return lpi_stopped(p);
}

static void virtual_reset(struct lpi_proc *p)
{
    p->emulated = 0;
    p->counts = false;
}

static void virtual_start_anew(struct lpi_proc *p)
{
    (void)p;
}

static int64_t virtual_start(struct logp_machine *m, int64_t clock_ns, int64_t start)
{
    (void)clock_ns;
    start = 0;
    for (int i = 0; i < m->P; i++)
        if (lpi_arrived_at(&m->procs[i]) > start)
            start = lpi_arrived_at(&m->procs[i]);
    lpi_delay_restart(m, false, start);
    return start;
}

static int64_t virtual_group_start(const struct logp_machine *m, int64_t latest, int64_t release_ns)
{
    (void)m, (void)release_ns;
    return latest;
}

/* At once: within a window no core but the first looks. */
static int virtual_release_child(int n, int core, int i)
{
    return core == 0 && i + 1 < n ? i + 1 : -1;
}

static bool virtual_take_due(struct lpi_core *c, struct lpi_proc *p)
{
    p->emulated = p->deadline;
    run_due(c, p);
    return true;
}

static int virtual_pass(struct lpi_proc *p, int64_t deadline)
{
    if (deadline > p->emulated)
        p->emulated = deadline;
    return lpi_stopped(p);
}

static int virtual_reach(struct lpi_proc *p, int64_t t)
{
    if (p->core->machine->resolver.others_first(p, t))
        return hold_until(p, t);
    p->emulated = t;
    return lpi_stopped(p);
}

/* A wait for a start matches what arrives meanwhile only on one core. The strategy of an explored
 * run decides by itself. */
int lpi_settle(struct lpi_proc *p)
{
    int rc;

    if (p->core->machine->explore != NULL)
        return 0;
    rc = virtual_reach(p, p->emulated);
    if (rc == 0 && p->inbox.n_any > 0)
        lpi_match_arrived(p, p->emulated);
    return rc;
}

static bool virtual_awaits_start(const struct lpi_proc *p, int64_t start)
{
    return start > p->emulated;
}

static int virtual_send(struct lpi_proc *p, int64_t *arrival)
{
    const int rc = virtual_reach(p, p->emulated);

    *arrival = p->emulated;
    return rc;
}

/* The sender keeps the core: the order of deadlines decides which vp runs. */
static int virtual_sent(struct lpi_proc *p)
{
    (void)p;
    return 0;
}

static int64_t virtual_space_ns(const struct lpi_core *c)
{
    return c->space.at;
}

/* A reading that costs time. */
static int read_later(struct lpi_proc *p)
{
    const struct logp_machine *m = p->core->machine;
    int rc = lpi_wait_until(p, p->emulated + m->poll_ns);

    if (rc == 0)
        rc = m->resolver.pass(p, LOGP_NOTE_WAITED, false);
    return rc == 0 ? lpi_reach(p, p->emulated) : rc;
}

/* A loop that only reads the clock must see time pass, or that the run is over, and others must get on
 * meanwhile. */
static int64_t virtual_read(struct lpi_proc *p, int64_t *wall_ns)
{
    int rc = 0;

    p->polls = 0;
    if (p->readings < READINGS_FREE)
        p->readings++;
    else
        rc = read_later(p);
    *wall_ns = rc == 0 ? p->emulated : rc;
    return *wall_ns;
}

static int virtual_replace(struct logp_machine *m, struct lpi_delay *copy, int64_t at_ns)
{
    const struct lpi_core *here = core_here(m);

    if (here == NULL && (at_ns > 0 || logp_machine_busy(m))) {
        lpi_delay_order(m, copy, at_ns > 0 ? at_ns : 0);
        return 0;
    }
    if (here != NULL) {
        /* relaxed: it is the caller itself */
        const int rank = atomic_load_explicit(&here->holder, memory_order_relaxed);
        const int rc = lpi_reach(&m->procs[rank], m->procs[rank].emulated);

        if (rc != 0)
            return rc;
    } else {
        lpi_delay_drop_due(m);
    }
    lpi_delay_install(m, copy);
    return 0;
}

static enum logp_trace_source virtual_source(const struct logp_machine *m)
{
    (void)m;
    return LOGP_TRACE_VIRTUAL;
}

/* No thread outside takes part in virtual time. */
static int virtual_inject(struct logp_machine *m, const struct lpi_envelope *e)
{
    (void)m, (void)e;
    return -ENOTSUP;
}

static void virtual_expect(struct logp_machine *m, bool expects)
{
    (void)m, (void)expects;
}

/* The entries that one core and several share. */
#define VIRTUAL_TIME                                                                               \
    .clock = LOGP_CLOCK_VIRTUAL, .turn_of_ready = LPI_POLL_EVERY, .blocking = -ENOTSUP,            \
    .prepare = virtual_prepare, .own_ns = virtual_own, .reset = virtual_reset,                     \
    .start_anew = virtual_start_anew, .start = virtual_start, .group_start = virtual_group_start,  \
    .release_child = virtual_release_child, .take_due = virtual_take_due, .wait = hold_until,      \
    .pass = virtual_pass, .stall = virtual_reach, .reach = virtual_reach,                          \
    .awaits_start = virtual_awaits_start, .send = virtual_send, .sent = virtual_sent,              \
    .space_ns = virtual_space_ns, .read = virtual_read, .source = virtual_source,                  \
    .inject = virtual_inject, .expect = virtual_expect

const struct lpi_time lpi_time_virtual = {
    VIRTUAL_TIME,
    .compares_calls = true,
    .idle_polls = 1,
    .lookahead = no_lookahead,
    .resolves = as_usual,
    .begin = virtual_begin,
    .settle = lpi_settle,
    .nobody_ready = lpi_nobody_ready,
    .in_vain = check_in_vain,
    .replace = virtual_replace,
};

/* ---- virtual, on several cores ---- */

static void window_resolves(struct lpi_resolver *r)
{
    r->next_proc = lpi_window_next;
    r->others_first = lpi_window_others_first;
    r->answers_at_sync = false;
}

/* The model has been restarted by lpi_delay_begin(). */
static int parallel_begin(struct lpi_proc *p)
{
    return lpi_stopped(p);
}

/* The cores plan with the model: only between runs. */
static int parallel_replace(struct logp_machine *m, struct lpi_delay *copy, int64_t at_ns)
{
    int rc = -ENOTSUP;

    if (core_here(m) != NULL || at_ns > 0)
        return rc;
    pthread_mutex_lock(&m->lock);
    if (m->running == 0) {
        lpi_delay_install(m, copy);
        rc = 0;
    }
    pthread_mutex_unlock(&m->lock);
    return rc;
}

const struct lpi_time lpi_time_parallel = {
    VIRTUAL_TIME,
    .waiting_sends = -ENOTSUP,
    .exploring = -ENOTSUP,
    .idle_polls = LPI_IDLE_POLLS,
    .lookahead = lpi_delay_begin,
    .resolves = window_resolves,
    .begin = parallel_begin,
    .settle = lpi_window_settle,
    .nobody_ready = lpi_next_window,
    .in_vain = lpi_window_check,
    .replace = parallel_replace,
};
