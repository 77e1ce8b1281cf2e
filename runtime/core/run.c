/* SPDX-License-Identifier: MIT */
/* Runs of a machine, and their reports: see machine.h. */
#include "core/resolver.h"
#include "core/core.h"
#include "core/sched.h"

#include "carrier/carrier.h"
#include "delay/delay.h"
#include "host/clock.h"
#include "host/host.h"
#include "mail/mail.h"
#include "state/lag.h"
#include "trace/recorder.h"
#include "state/stop.h"
#include "state/timers.h"

#include <errno.h>
#include <stdlib.h>

/* The time that a vp gets to finish its computation after the timeout. */
static const int64_t grace_ns = INT64_C(1000000000);

static void prepare_core(struct lpi_core *c)
{
    atomic_store(&c->attention, 0);
    atomic_store(&c->requests, NULL);
    atomic_store(&c->idle_epoch, 0);
    c->life.is_idle = false;
    c->life.n_live = c->n_procs;
    lpi_timers_clear(&c->run_queue.timers);
    c->run_queue.timers.loose_ns = c->machine->time->loose_ns;
    c->run_queue.ready_first = c->space.first = NULL;
    atomic_store(&c->space.wanted, INT64_MAX);
    c->space.at = 0;
    c->window.end = c->machine->lookahead;
    c->window.sync_end = 0;
    c->window.alone_to = c->machine->lookahead < INT64_MAX ? 0 : INT64_MIN;
    c->window.put_off = NULL;
    c->window.asks = c->window.left_at = INT64_MAX;
    c->window.is_first = false;
    c->window.counted_to = c->machine->n_used > 1 ? INT64_MAX : 0;
    atomic_store(&c->window.mail, INT64_MAX);
    c->life.n_at_sync = c->life.n_blocking = 0;
    c->life.stop_cursor = 0;
    c->run_queue.prepared = NULL;
    c->run_queue.slack = c->machine->executor->slack_ns * c->n_procs;
    c->run_queue.clock_seen = 0;
    atomic_store(&c->vain.from, INT64_MAX);
    c->vain.quiet = 0;
    c->vain.settled = UINT64_MAX;
    c->messages = 0;
    c->late_starts = 0;
    c->failed.error = 0;
    lpi_lag_reset(&c->lag);
    lpi_absence_reset(c);
    for (int i = 0; i < c->n_procs; i++) {
        struct lpi_proc *p = lpi_proc_at(c, i);

        c->machine->time->reset(p);
        p->halted = false;
        p->port = (struct logp_port){LOGP_NEVER, LOGP_NEVER, LOGP_NEVER};
        p->sends = 0;
        p->in_vain = 0;
        p->waits_for = NULL;
        p->waits_for_any = false;
        p->needs_query = c->machine->instrumented;
        p->state = LPI_TIMED;
        p->order = p->rank;
        p->deadline = 0;
        p->stamp = 0;
    }
    lpi_timers_start(&c->run_queue.timers, c->ranks, c->first_rank, c->n_procs);
}

static struct timespec at(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

/* Wait for all cores, until `deadline` (0: for ever). Called with the lock held. */
static bool await_done(struct logp_machine *m, int64_t deadline)
{
    const struct timespec t = at(deadline);

    while (m->running > 0) {
        if (deadline == 0)
            pthread_cond_wait(&m->home, &m->lock);
        else if (pthread_cond_timedwait(&m->home, &m->lock, &t) == ETIMEDOUT)
            return m->running == 0;
    }
    return true;
}

/* Free the sends that no receive has matched. */
static void discard_rts(struct logp_machine *m)
{
    for (int i = m->first_rank; i < m->first_rank + m->n_local; i++) {
        struct lpi_attached *a = lpi_attached_of(&m->procs[i]);

        while (a != NULL && a->rts != NULL) {
            struct lpi_rendezvous *z = a->rts;

            a->rts = z->next;
            free(z->copy);
            free(z);
        }
    }
}

/* If no vp waits, report the vps that the delay model has stopped. */
static void record_halted(struct logp_machine *m)
{
    struct logp_report *r = &m->report;

    if (r->n_waits > 0)
        return;
    for (int i = m->first_rank; i < m->first_rank + m->n_local; i++)
        if (m->procs[i].halted)
            m->waits[r->n_waits++] = lpi_wait_of(&m->procs[i]);
    r->waits = m->waits;
}

/* All cores are done: count and free the messages that were never received. Called with the lock,
 * or by the only owner. */
static void reclaim(struct logp_machine *m)
{
    struct logp_report *r = &m->report;
    struct lpi_histogram *lag = &m->cores[0].lag.waits;
    int stopped;

    m->not_reclaimed = false;
    /* relaxed: only whether there is one */
    if (atomic_load_explicit(&m->has_work, memory_order_relaxed))
        record_halted(m);
    lpi_groups_discard(m);
    lpi_areas_discard(m);
    for (int i = 0; i < m->n_cores; i++) {
        while (lpi_poll_all(&m->cores[i]))
            ;
        if (m->has_windows)
            lpi_take_all_mail(&m->cores[i]);
    }
    discard_rts(m);
    for (int i = 0; i < m->n_cores; i++) {
        struct lpi_core *c = &m->cores[i];

        r->messages += c->messages;
        r->late_starts += c->late_starts;
        if (r->absence_ns < c->absence.most)
            r->absence_ns = c->absence.most;
        c->messages = 0; /* counted */
        if (i > 0)
            lpi_histogram_merge(lag, &c->lag.waits);
    }
    for (int i = m->first_rank; i < m->first_rank + m->n_local; i++) {
        r->unreceived += (uint64_t)m->procs[i].inbox.n_pending;
        if (r->time_ns < lpi_clock(&m->procs[i]))
            r->time_ns = lpi_clock(&m->procs[i]);
        lpi_match_discard(&m->procs[i]);
    }
    for (int i = 0; i < m->n_cores; i++) {
        lpi_pool_forget_requests(&m->cores[i]);
        m->cores[i].credit = 0; /* nothing is queued any more */
    }
    /* relaxed, both: all cores are done, which has ordered them */
    atomic_store_explicit(&m->credit, (int64_t)m->queue_limit, memory_order_relaxed);
    r->lag.n = lag->n;
    r->lag.max_ns = lag->max;
    r->lag.median_ns = lpi_histogram_permille(lag, 500);
    r->lag.p99_ns = lpi_histogram_permille(lag, 990);
    r->error_rank = atomic_load_explicit(&m->error_rank, memory_order_relaxed);
    /* a later stop is for the next run; relaxed: nothing is published by it */
    stopped = atomic_exchange_explicit(&m->stop, 0, memory_order_relaxed);
    if (r->error == 0)
        r->error = stopped;
    /* what one vp does not call, or calls otherwise, the others wait for, or get too much of */
    if (!m->is_abandoned && (r->error == 0 || r->error == -EDEADLK || r->error == -EMSGSIZE) &&
        lpi_calls_part(m))
        r->error = -EPROTO;
    if (m->is_abandoned) {
        m->is_abandoned = false;
        if (stopped != -ETIMEDOUT) /* this stop came later */
            lpi_stop(m, stopped);
    }
    m->processes->collect(m);
    lpi_worth_note(m);
}

void lpi_reclaim_late(struct logp_machine *m)
{
    if (!m->not_reclaimed)
        return;
    lpi_injections_close(m); /* programs may have begun after the timeout */
    reclaim(m);
}

static void prepare(struct logp_machine *m, logp_program program, void *arg)
{
    m->program = program;
    m->arg = arg;
    m->report = (struct logp_report){.error_rank = -1};
    atomic_store(&m->error_rank, -1);
    atomic_store(&m->sync_arrived, 0);
    atomic_store(&m->sync_generation, 0);
    atomic_store(&m->n_active, m->n_used);
    m->windows = m->n_used > 1; /* the first has begun */
    atomic_store(&m->live_cores, m->n_used);
    m->time->prepare(m);
    lpi_capacity_reset(m);
    lpi_compared_begin(m);
    if (m->explore != NULL)
        lpi_explore_begin(m);
    lpi_resolver_choose(m);
    m->not_reclaimed = true;
    m->n_runs++;
    for (int i = 0; i < m->n_cores; i++)
        prepare_core(&m->cores[i]);
}

/* Begin the next run on the carrier of a machine of one core, if again() wants one, after all vps
 * have ended. Called with the lock, which is not held during again(). */
static bool begin_again(struct logp_machine *m)
{
    bool (*const ask)(void *, const struct logp_report *) = m->again;
    struct logp_report report;
    bool again;

    reclaim(m);
    report = m->report; /* a copy: abandon() changes m->report after a timeout */
    m->is_asking = true;
    pthread_mutex_unlock(&m->lock);
    again = ask(m->again_arg, &report);
    pthread_mutex_lock(&m->lock);
    m->is_asking = false;
    m->not_reclaimed = m->again == NULL; /* timed out: there is no next run */
    if (!again || m->not_reclaimed)
        return false;
    prepare(m, m->program, m->arg);
    return true;
}

bool lpi_cores_done(struct lpi_core *c)
{
    struct logp_machine *m = c->machine;
    bool again;

    pthread_mutex_lock(&m->lock);
    again = m->again != NULL && begin_again(m);
    if (!again && --m->running == 0)
        pthread_cond_signal(&m->home);
    pthread_mutex_unlock(&m->lock);
    return again;
}

/* As await_done(), with this timeout for each run. */
static bool await_runs(struct logp_machine *m, int64_t timeout_ns)
{
    unsigned seen;

    do {
        seen = m->n_runs;
        if (await_done(m, timeout_ns > 0 ? lpi_after(lpi_monotonic_ns(), timeout_ns) : 0))
            return true;
    } while (m->n_runs != seen);
    m->again = NULL;
    return false;
}

static void launch(struct logp_machine *m)
{
    m->running = m->n_used;
    m->executor->launch(m);
}

/* Leave all memory that running vps may use. Called with the lock. */
static void abandon(struct logp_machine *m)
{
    if (m->not_reclaimed) /* else m->again() is what takes too long */
        lpi_record_waits(m, true);
    lpi_injections_close(m);
    m->processes->abandon(m);
    m->report.error = -ETIMEDOUT;
    /* release pairs with the acquire in logp_machine_stop() */
    atomic_store_explicit(&m->stop, -ETIMEDOUT, memory_order_relaxed);
    atomic_store_explicit(&m->is_abandoned, true, memory_order_release);
}

/* A run, or all that again() asks for if the carrier begins them itself; again == NULL: one. */
static int run(struct logp_machine *m, logp_program program, void *arg, int64_t timeout_ns,
               bool (*again)(void *again_arg, const struct logp_report *report), void *again_arg)
{
    int64_t end = timeout_ns > 0 ? lpi_after(lpi_monotonic_ns(), timeout_ns) : 0;
    int rc;

    if (lpi_process_is_orphan())
        return -ENOTSUP;
    pthread_mutex_lock(&m->lock);
    if (m->running > 0 || program == NULL || timeout_ns < 0) {
        rc = m->running > 0 ? -EBUSY : -EINVAL;
        pthread_mutex_unlock(&m->lock);
        return rc;
    }
    lpi_reclaim_late(m);
    m->lookahead = m->time->lookahead(m);
    if (m->lookahead <= 0) {
        pthread_mutex_unlock(&m->lock);
        return -ENOTSUP;
    }
    rc = m->processes->barrier(m, end);
    rc = rc != 0 ? rc : lpi_worth_use(m);
    if (rc != 0) {
        pthread_mutex_unlock(&m->lock);
        return rc;
    }
    if (end > 0) /* the time for the clocks does not count */
        end = lpi_after(lpi_monotonic_ns(), timeout_ns);
    m->again = again;
    m->again_arg = again_arg;
    prepare(m, program, arg);
    if (!lpi_stopping(m))
        launch(m);
    if (!await_runs(m, timeout_ns)) {
        lpi_stop(m, -ETIMEDOUT);
        if (!await_done(m, lpi_monotonic_ns() + grace_ns)) {
            abandon(m);
            pthread_mutex_unlock(&m->lock);
            return -ETIMEDOUT;
        }
    }
    m->again = NULL;
    m->processes->conclude(m, end);
    lpi_injections_close(m);
    if (m->not_reclaimed)
        reclaim(m);
    pthread_mutex_unlock(&m->lock);
    return m->report.error;
}

int logp_machine_run(struct logp_machine *m, logp_program program, void *arg, int64_t timeout_ns)
{
    return run(m, program, arg, timeout_ns, NULL, NULL);
}

int logp_machine_repeat(struct logp_machine *m, logp_program program, void *arg, int64_t timeout_ns,
                        bool (*again)(void *again_arg, const struct logp_report *report),
                        void *again_arg)
{
    const bool by_itself = m->executor->repeats(m);
    unsigned before;
    int rc = m->processes->only_one;

    if (rc != 0)
        return rc;
    do {
        before = m->n_runs;
        rc = run(m, program, arg, timeout_ns, by_itself ? again : NULL, again_arg);
    } while (!by_itself && rc != -ETIMEDOUT && m->n_runs != before && again(again_arg, &m->report));
    return rc;
}

bool logp_machine_busy(struct logp_machine *m)
{
    bool busy;

    if (lpi_process_is_orphan())
        return false;
    pthread_mutex_lock(&m->lock);
    busy = m->running > 0;
    pthread_mutex_unlock(&m->lock);
    return busy;
}
