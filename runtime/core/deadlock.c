/* SPDX-License-Identifier: MIT */
/*
 * Deadlock: every vp waits for a message (or has ended) and nothing is on its way.
 *
 * Each core has an epoch, which is odd while none of its vps has a deadline. It turns even before a
 * message is taken. So a core whose epoch was odd and unchanged in two scans neither sent nor took
 * a message in between. If that holds for all cores, if all messages sent between cores have been
 * taken, and if no core has yet to notice the end of a sync, a word that a vp waits for, or queue
 * space, then there was a moment from which on no vp of this process could ever continue. For other
 * processes see remote_control.c.
 */

#include "core/core.h"
#include "core/resolver.h"
#include "core/sched.h"
#include "host/host.h"
#include "mail/lane.h"
#include "mail/mail.h"
#include "state/explore.h"
#include "state/message.h"
#include "state/stop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool lpi_all_idle(const struct logp_machine *m, unsigned long *sum)
{
    *sum = 0;
    for (int i = 0; i < m->n_used; i++) {
        /* seq_cst pairs with the increments in lpi_idle() and lpi_busy_now() */
        const unsigned long e = atomic_load_explicit(&m->cores[i].idle_epoch, memory_order_seq_cst);

        if (e % 2 == 0)
            return false;
        *sum += e;
    }
    return true;
}

/* Whether every core has noticed all events for it: messages, the end of a sync, words. */
static bool nothing_pending(struct logp_machine *m)
{
    for (int i = 0; i < m->n_used; i++)
        /* acquire pairs with the releases in attend(), ring() and request() */
        if (atomic_load_explicit(&m->cores[i].attention, memory_order_acquire) != 0)
            return false;
    return lpi_lanes_quiet(m) && !lpi_word_wait_pending(m);
}

struct logp_wait_info lpi_wait_of(const struct lpi_proc *p)
{
    const struct logp_request *const r = p->waits_for; /* read once: a stop may change it */
    struct logp_wait_info w = {.rank = p->rank, .source = LOGP_ANY_SOURCE, .tag = LOGP_ANY_TAG};

    if (p->halted) {
        w.kind = LOGP_WAIT_HALTED;
    } else if (p->state == LPI_SYNC || lpi_syncs_beside(p)) {
        w.kind = LOGP_WAIT_SYNC;
    } else if (p->state == LPI_WAITS_FOR_SPACE || p->state == LPI_SENDING) {
        w.kind = p->state == LPI_WAITS_FOR_SPACE ? LOGP_WAIT_SPACE : LOGP_WAIT_SEND;
        w.source = p->any.src;
        w.tag = p->any.tag;
    } else if (p->state == LPI_POLLING) {
        const struct lpi_query *q = p->core->machine->explore->vps[p->rank].query;

        w = lpi_query_subject(q, lpi_query_earliest(q));
        w.rank = p->rank;
    } else if (r != NULL || p->waits_for_any) {
        w.kind = LOGP_WAIT_RECV;
        w.source = r != NULL ? r->src : p->any.src;
        w.tag = r != NULL ? r->tag : p->any.tag;
    } else if (lpi_waits_for_word(p)) {
        w.kind = LOGP_WAIT_SYNC;
    } else if (p->polls >= p->core->machine->polls_in_vain) {
        w.kind = LOGP_WAIT_POLL;
    }
    return w;
}

static struct logp_wait_info running_info(int rank)
{
    return (struct logp_wait_info){
        .rank = rank, .kind = LOGP_WAIT_RUNNING, .source = LOGP_ANY_SOURCE, .tag = LOGP_ANY_TAG};
}

/* As lpi_wait_of(), for any core; the caller has the machine's lock. The vps of a core that polls
 * in vain still run, so their waits are those of its last check. */
static struct logp_wait_info last_wait_of(const struct lpi_proc *p)
{
    const struct logp_machine *m = p->core->machine;

    /* relaxed: the lock protects the waits that it refers to */
    return atomic_load_explicit(&p->core->vain.from, memory_order_relaxed) != INT64_MAX
               ? m->waits_in_vain[p->rank]
               : lpi_wait_of(p);
}

/* Fill the report's list. running: only vps that hold a core that is not done, or are in a blocking
 * section. */
void lpi_record_waits(struct logp_machine *m, bool running)
{
    int n = 0;

    for (int i = m->first_rank; i < m->first_rank + m->n_local && !running; i++) {
        m->waits[n] = last_wait_of(&m->procs[i]);
        n += m->waits[n].kind != LOGP_WAIT_NONE;
    }
    for (int i = 0; i < m->n_used && running; i++) {
        /* relaxed: for a report; it may change at any time */
        const int rank = atomic_load_explicit(&m->cores[i].holder, memory_order_relaxed);

        if (rank >= 0)
            m->waits[n++] = running_info(rank);
    }
    for (int i = m->first_rank; i < m->first_rank + m->n_local && running; i++)
        /* relaxed: as above */
        if (atomic_load_explicit(&m->mails[i].is_blocking, memory_order_relaxed))
            m->waits[n++] = running_info(i);
    m->report.waits = m->waits;
    m->report.n_waits = n;
}

/* ---- which vp waits for which ---- */

static int by_rank(const void *a, const void *b)
{
    const struct logp_wait_info *p = a, *q = b;

    return (p->rank > q->rank) - (p->rank < q->rank);
}

/* The wait of the vp that w waits for, of n by rank; NULL: w names none, or that one does not wait */
static const struct logp_wait_info *next_wait(const struct logp_wait_info *waits, int n,
                                              const struct logp_wait_info *w)
{
    const struct logp_wait_info wanted = {.rank = w->source};
    const bool names =
        w->kind == LOGP_WAIT_RECV || w->kind == LOGP_WAIT_SEND || w->kind == LOGP_WAIT_SPACE;

    return names ? bsearch(&wanted, waits, (size_t)n, sizeof(*waits), by_rank) : NULL;
}

/* The lowest rank of a cycle; NULL: there is none. seen: of each wait, the walk that has come by */
static const struct logp_wait_info *find_cycle(const struct logp_wait_info *waits, int n, int *seen)
{
    const struct logp_wait_info *w = NULL, *lowest;

    for (int i = 0; i < n; i++) {
        for (w = &waits[i]; w != NULL && seen[w - waits] == 0; w = next_wait(waits, n, w))
            seen[w - waits] = i + 1;
        if (w != NULL && seen[w - waits] == i + 1)
            break;
        w = NULL;
    }
    lowest = w;
    for (const struct logp_wait_info *end = w; w != NULL; w = w != end ? w : NULL) {
        lowest = w < lowest ? w : lowest;
        w = next_wait(waits, n, w);
    }
    return lowest;
}

void lpi_cycle_first(struct logp_wait_info *waits, int n)
{
    struct logp_wait_info *all;
    const struct logp_wait_info *first, *w;
    int *seen, at = 0;

    if (n <= LPI_WAITS_SHOWN)
        return;
    all = malloc((size_t)n * sizeof(*all));
    seen = calloc((size_t)n, sizeof(*seen));
    if (all != NULL && seen != NULL) {
        memcpy(all, waits, (size_t)n * sizeof(*all));
        first = find_cycle(all, n, seen);
        memset(seen, 0, (size_t)n * sizeof(*seen));
        for (w = first; w != NULL && seen[w - all] == 0; w = next_wait(all, n, w)) {
            seen[w - all] = 1;
            waits[at++] = *w;
        }
        for (int i = 0; i < n; i++)
            if (seen[i] == 0)
                waits[at++] = all[i];
    }
    free(all);
    free(seen);
}

void lpi_stop_deadlocked(struct logp_machine *m)
{
    pthread_mutex_lock(&m->lock);
    if (!lpi_stopping(m)) {
        lpi_record_waits(m, false);
        lpi_stop(m, -EDEADLK);
    }
    pthread_mutex_unlock(&m->lock);
}

/* Called by a holder whose core is idle: end the run if the machine is deadlocked. */
void lpi_check_deadlock(struct lpi_core *c)
{
    struct logp_machine *m = c->machine;
    unsigned long before, after;

    /* acquire: a machine whose vps have all ended is not deadlocked */
    if (atomic_load_explicit(&m->live_cores, memory_order_acquire) == 0)
        return;
    /* acquire pairs with the release in logp_machine_expect(): earlier injections are visible */
    if (atomic_load_explicit(&m->expects, memory_order_acquire))
        return;
    if (!lpi_all_idle(m, &before))
        return;
    lpi_pause();
    if (!nothing_pending(m) || lpi_space_for_one(m))
        return;
    lpi_pause();
    if (!lpi_all_idle(m, &after) || before != after)
        return;
    m->processes->idle(c, after);
}

/* Whether p can continue only after a message is sent to it. */
static bool waits_in_vain(const struct lpi_proc *p)
{
    if (p->state == LPI_BLOCKED || p->state == LPI_SYNC || p->state == LPI_WAITS_FOR_SPACE ||
        p->state == LPI_SENDING || p->state == LPI_ENDED)
        return true;
    if (p->state == LPI_POLLING && !lpi_may_miss(p->core->machine->explore->vps[p->rank].query))
        return true;
    if (p->polls < p->core->machine->polls_in_vain)
        return false;
    if (!lpi_has_clock(p)) /* is_settled() */
        return true;
    /* p may have been charged for its last poll already: what arrived since is not polled yet */
    for (const struct lpi_message *m = p->inbox.first; m != NULL; m = m->next)
        if (m->arrival > p->emulated - p->core->machine->poll_ns)
            return false;
    return true;
}

static bool all_in_vain(const struct lpi_core *c)
{
    for (int i = 0; i < c->n_procs; i++)
        if (!waits_in_vain(lpi_proc_at(c, i)))
            return false;
    return true;
}

/* Whether p, which waits or polls in vain now, did so at time t of the virtual clock too. */
static bool did_at(const struct lpi_proc *p, int64_t t)
{
    const struct logp_machine *m = p->core->machine;
    int64_t since;

    if (p->state == LPI_ENDED) /* its clock may be ahead of its last action */
        return p->deadline <= t;
    if (p->state != LPI_TIMED && p->state != LPI_RUNNING)
        return p->emulated <= t;
    since = p->emulated - m->poll_ns - t; /* its last poll came so long after t */
    return since <= 0 ||
           p->polls - (since + m->poll_ns - 1) / m->poll_ns >= (int64_t)m->polls_in_vain;
}

bool lpi_in_vain_at(const struct lpi_core *c, int64_t t)
{
    for (int i = 0; i < c->n_procs; i++)
        if (!waits_in_vain(lpi_proc_at(c, i)) || !did_at(lpi_proc_at(c, i), t))
            return false;
    return true;
}

void lpi_in_vain_back(struct lpi_core *c, int64_t t)
{
    const int64_t poll_ns = c->machine->poll_ns;

    for (int i = 0; i < c->n_procs; i++) {
        struct lpi_proc *p = lpi_proc_at(c, i);

        if (p->state == LPI_TIMED && p->emulated > t)
            p->emulated -= (p->emulated - t - 1) / poll_ns * poll_ns;
    }
}

/* ---- polling loops on several cores ---- */

/* The number of messages that c has sent, and taken from other cores. */
static uint64_t messages_of(const struct lpi_core *c)
{
    uint64_t n = 0;

    for (int i = 0; i < c->n_procs; i++)
        n += lpi_proc_at(c, i)->sends;
    for (int i = 0; i < c->n_in; i++)
        /* relaxed: its own */
        n += atomic_load_explicit(&c->in[i].head, memory_order_relaxed) +
             atomic_load_explicit(&c->in[i].q_taken, memory_order_relaxed);
    return n;
}

/* Note the waits of c, whose procs all wait or poll in vain, and since when. Called at each check
 * of c. */
static void note_in_vain(struct lpi_core *c)
{
    struct logp_machine *m = c->machine;
    const int64_t now = lpi_monotonic_ns();
    const uint64_t done = messages_of(c);

    pthread_mutex_lock(&m->lock);
    for (int i = 0; i < c->n_procs; i++)
        m->waits_in_vain[lpi_proc_at(c, i)->rank] = lpi_wait_of(lpi_proc_at(c, i));
    /* release, both: pair with the acquires in rests(). relaxed: its own */
    if (atomic_load_explicit(&c->vain.from, memory_order_relaxed) == INT64_MAX ||
        done != c->vain.done) {
        atomic_store_explicit(&c->vain.from, now, memory_order_release);
        c->vain.quiet = 0;
    }
    c->vain.done = done;
    atomic_store_explicit(&c->vain.until, now, memory_order_release);
    pthread_mutex_unlock(&m->lock);
}

static void end_vain(struct lpi_core *c)
{
    /* release pairs with the acquire in rests(). relaxed: its own */
    if (atomic_load_explicit(&c->vain.from, memory_order_relaxed) != INT64_MAX)
        atomic_store_explicit(&c->vain.from, INT64_MAX, memory_order_release);
}

void lpi_check_idle(struct lpi_core *c)
{
    end_vain(c); /* what its vps waited for when it was checked may be over */
    lpi_idle(c);
    lpi_check_deadlock(c);
}

/* Whether each core has been idle or in vain from this time on, until a time that is not before
 * `until`.
 * @return 1; 0: not until then, so far; -1: no. *idle: the epochs of those that are idle */
static int rests(const struct logp_machine *m, int64_t from, int64_t until, unsigned long *idle)
{
    int rc = 1;

    *idle = 0;
    for (int i = 0; i < m->n_used; i++) {
        const struct lpi_core *c = &m->cores[i];
        /* seq_cst: as in lpi_all_idle() */
        const unsigned long e = atomic_load_explicit(&c->idle_epoch, memory_order_seq_cst);

        /* acquire, both: pair with the releases in note_in_vain() and end_vain() */
        if (atomic_load_explicit(&c->vain.from, memory_order_acquire) <= from) {
            if (atomic_load_explicit(&c->vain.until, memory_order_acquire) < until)
                rc = 0;
        } else if (e % 2 == 0) {
            return -1;
        } else {
            *idle += e;
        }
    }
    return rc;
}

/*
 * No core of several in which vps poll is ever idle. But if nothing was on its way at a time at which
 * each core was idle or in vain, and each has been so ever since, until it was checked after that
 * time, then nothing can happen any more.
 */
void lpi_check_all_pollers(struct lpi_core *c)
{
    struct logp_machine *m = c->machine;
    unsigned long idle;
    int64_t now;
    int rc;

    note_in_vain(c);
    if (atomic_load_explicit(&m->expects, memory_order_acquire))
        return; /* acquire: as in lpi_check_deadlock() */
    if (c->vain.quiet > 0) {
        rc = rests(m, c->vain.quiet, c->vain.quiet_until, &idle);
        if (rc >= 0 && idle != c->vain.idle)
            rc = -1;
        if (rc > 0)
            lpi_stop_deadlocked(m);
        if (rc >= 0)
            return;
        c->vain.quiet = 0;
    }
    now = lpi_monotonic_ns();
    if (rests(m, now, INT64_MIN, &idle) < 0 || !nothing_pending(m) || lpi_space_for_one(m))
        return;
    c->vain.quiet = now;
    c->vain.quiet_until = lpi_monotonic_ns();
    c->vain.idle = idle;
}

/* Without a clock, no time of arrival shows that a vp has polled since. But vps without a clock run in turn:
 * messages that were there at the check before have been polled. */
static bool is_settled(struct lpi_core *c)
{
    const uint64_t done = messages_of(c);
    const bool is_same = done == c->vain.settled;

    c->vain.settled = done;
    return is_same || lpi_emulates(c->machine);
}

/*
 * Called by a holder that polls many times in a row. If all vps of its core poll or wait, the
 * clock's in_vain() checks for a deadlock, so that a polling loop does not hide a deadlock of all
 * others.
 */
void lpi_check_pollers(struct lpi_core *c)
{
    if (!all_in_vain(c))
        end_vain(c);
    else if (is_settled(c))
        c->machine->time->in_vain(c);
}
