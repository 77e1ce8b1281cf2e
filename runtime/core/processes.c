/* SPDX-License-Identifier: MIT */
/* A machine over several processes: see state/remote.h and logp/transport.h. */
#define _GNU_SOURCE
#include "core/core.h"
#include "core/sched.h"

#include "delay/delay.h"
#include "host/host.h"
#include "mail/mail.h"
#include "state/run_queue.h"
#include "state/stop.h"

#include <logp/transport.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The time to wait, after the end of a run, for a process that does not answer. */
static const int64_t patience_ns = INT64_C(5000000000);

static atomic_bool in_use; /* one machine at a time: there is one communicator */
static uint32_t n_runs;    /* of all machines: equal in all processes */

int logp_machine_processes(const struct logp_machine *m)
{
    return m->processes->count(m);
}

int logp_machine_process(const struct logp_machine *m)
{
    return m->processes->own(m);
}

int logp_machine_ranks(const struct logp_machine *m, int process, int *first, int *n)
{
    const int n_processes = logp_machine_processes(m), share = m->P / n_processes;
    const int more = m->P % n_processes;

    if (process < 0 || process >= n_processes)
        return -EINVAL;
    *first = process * share + (process < more ? process : more);
    *n = share + (process < more);
    return 0;
}

int logp_machine_agree(struct logp_machine *m, int64_t *values, size_t n, enum logp_agreement how)
{
    return logp_machine_busy(m) ? -EBUSY : m->processes->agree(m, values, n, how);
}

int64_t logp_machine_clock_error(const struct logp_machine *m)
{
    return m->processes->clock_error(m);
}

/* ---- from creation to destruction ---- */

enum { SAME = 11 }; /* values that must be equal in all processes; the first is the error */

/* Add the values of the delay model that concern all processes. */
static void add_model(const struct logp_delay *delay, int64_t *out)
{
    struct logp_delay_ops ops;
    const struct logp_params *p;

    out[0] = -1; /* no delay */
    if (logp_delay_is_none(delay) || logp_delay_functions(delay, &ops) != 0)
        return;
    out[0] = ops.lookahead != NULL ? ops.lookahead(delay->model) : 0;
    p = ops.params != NULL ? ops.params(delay->model) : NULL;
    if (p == NULL)
        return;
    memcpy(out + 1,
           (int64_t[]){p->L_ns, p->o_send_ns, p->o_recv_ns, p->g_ns, p->G_ps, p->gamma_ps,
                       p->gap_shared},
           7 * sizeof(*out));
}

/* Compare the configurations. All processes must ask for the same machine, and none may have an
 * error. rc: the error of this process, or 0. @return the worst of all */
static int compare_all(const struct lpi_transport *ops, int n_processes, int rc,
                       const struct logp_config *config)
{
    int64_t mine[SAME] = {rc, config->n_processors, n_runs}, least[SAME], most[SAME];

    add_model(&config->delay, mine + 3);
    memcpy(least, mine, sizeof(mine));
    memcpy(most, mine, sizeof(mine));
    ops->reduce(least, SAME, LPI_MIN);
    ops->reduce(most, SAME, LPI_MAX);
    if (least[0] != 0)
        return (int)least[0];
    return memcmp(least, most, sizeof(least)) != 0 || config->n_processors < n_processes ? -EINVAL
                                                                                         : 0;
}

/* Become the machine of this process that uses a transport. @return 0; -ENOTSUP; -EBUSY */
static int claim(const struct logp_config *config)
{
    if (config->clock != LOGP_CLOCK_WALL)
        return -ENOTSUP;
    /* acquire pairs with the releases in refuse(), join() and lpi_remote_destroy() */
    return atomic_exchange_explicit(&in_use, true, memory_order_acquire) ? -EBUSY : 0;
}

static void refuse(const struct logp_config *config, const struct lpi_transport *ops, int rc)
{
    int process, n_processes;

    if (claim(config) != 0)
        return;
    if (ops->open(&process, &n_processes) == 0)
        compare_all(ops, n_processes, rc, config);
    /* release pairs with the acquire in claim() */
    atomic_store_explicit(&in_use, false, memory_order_release);
}

static int agree_on(struct logp_machine *m, int rc)
{
    int64_t worst = rc;

    m->remote->ops->reduce(&worst, 1, LPI_MIN);
    return (int)worst;
}

static int make_parts(struct logp_machine *m, struct lpi_remote *f)
{
    const size_t n = (size_t)f->n_processes, P = (size_t)m->P;

    f->process_of = lpi_memory_zeroed(P, sizeof(*f->process_of));
    f->sending = lpi_memory_zeroed(P, sizeof(*f->sending));
    f->states = calloc(n, sizeof(*f->states));
    f->is_known = calloc(n, sizeof(*f->is_known));
    if (f->process_of == NULL || f->sending == NULL || f->states == NULL || f->is_known == NULL)
        return -ENOMEM;
    for (int i = 0; i < f->n_processes; i++) {
        int first = 0, n_ranks = 0;

        logp_machine_ranks(m, i, &first, &n_ranks);
        for (int k = 0; k < n_ranks; k++)
            f->process_of[first + k] = i;
    }
    return logp_machine_ranks(m, f->process, &m->first_rank, &m->n_local);
}

static int join(struct logp_machine *m, const struct logp_config *config,
                const struct lpi_transport *ops)
{
    int process, n_processes, rc;
    struct lpi_remote *f;

    rc = config->wait_for_space || config->core_of != NULL ? -ENOTSUP : claim(config);
    if (rc != 0)
        return rc;
    f = m->remote = calloc(1, sizeof(*f));
    rc = ops->open(&process, &n_processes);
    if (rc == 0)
        rc = compare_all(ops, n_processes, f != NULL ? 0 : -ENOMEM, config);
    /* release pairs with the acquire in claim() */
    if (f == NULL)
        atomic_store_explicit(&in_use, false, memory_order_release);
    if (rc != 0) /* all processes return it */
        return rc;
    f->ops = ops;
    f->process = process;
    f->n_processes = n_processes;
    f->control = lpi_remote_control;
    f->last_reply = &f->replies;
    lpi_clock_init(&f->host_clock, NULL, NULL); /* its rate is measured from now on */
    lpi_common_clock_open(m);
    m->shares_memory = false;
    return agree_on(m, make_parts(m, f));
}

void lpi_remote_destroy(struct logp_machine *m)
{
    struct lpi_remote *f = m->remote;

    if (f == NULL)
        return;
    if (lpi_remote_is_lost(f))
        f->ops->abandon();
    lpi_memory_free(f->process_of, (size_t)m->P, sizeof(*f->process_of));
    lpi_memory_free(f->sending, (size_t)m->P, sizeof(*f->sending));
    free(f->states);
    free(f->is_known);
    free(f);
    /* release pairs with the acquire in claim() */
    atomic_store_explicit(&in_use, false, memory_order_release);
}

/* Of the cores of this host, n_cores with a second thread of each up to n_all, the part of this
 * process. @return its length, *first: its begin */
static int divide(struct logp_machine *m, const int *cpus, int n_cores, int n_all, int *first)
{
    int64_t set[1024] = {0}; /* a bit for each core, modulo the size */
    struct lpi_remote *f = m->remote;
    int index, n_alike, n, end;

    for (int i = 0; i < n_all; i++)
        set[cpus[i] / 64 % 1024] |= (int64_t)(UINT64_C(1) << cpus[i] % 64);
    f->ops->alike(set, sizeof(set), &index, &n_alike);
    n = n_alike > n_cores ? n_all : n_cores;
    f->is_crowded = n_alike > n;
    *first = f->is_crowded ? index % n : (int)((int64_t)index * n / n_alike);
    end = f->is_crowded ? *first + 1 : (int)((int64_t)(index + 1) * n / n_alike);
    return end - *first < m->n_local ? end - *first : m->n_local;
}

/* Processes of a machine that share a core hold it together. Else each holds its part, or other
 * cores if another machine has some of it. */
static int choose_cores(struct logp_machine *m, const struct logp_config *config)
{
    struct logp_config own = *config;
    int *cpus = NULL, n_cores = 0, n_all = 0, first = 0, n;
    int rc = agree_on(m, lpi_cores_list(config, &cpus, &n_cores, &n_all));

    if (rc == 0) {
        n = divide(m, cpus, n_cores, n_all, &first);
        if (config->cores != NULL || m->remote->is_crowded) {
            own.cores = cpus + first;
            own.n_cores = n;
        }
        rc = lpi_cores_hold(&own, cpus + first, n, &m->held);
        m->held.is_shared &= !m->remote->is_crowded;
        m->remote->is_shared = m->held.n > 1;
    }
    free(cpus);
    return rc;
}

/* If nothing can happen on this core until another process sends something, wait for that. */
static bool await(struct lpi_core *c)
{
    return c->machine->n_cores == 1 && c->run_queue.timers.n == 0 && lpi_remote_await(c);
}

static void await_sent(struct lpi_proc *p)
{
    while (!lpi_remote_is_sent(p)) {
        lpi_poll(p->core);
        if (p->core->run_queue.ready_first != NULL || p->core->run_queue.timers.n > 0)
            lpi_yield(p);
    }
}

static int count(const struct logp_machine *m)
{
    return m->remote->n_processes;
}

static int own(const struct logp_machine *m)
{
    return m->remote->process;
}

static int agree(struct logp_machine *m, int64_t *values, size_t n, enum logp_agreement how)
{
    static const enum lpi_reduction as[] = {LPI_SUM, LPI_MIN, LPI_MAX};

    if (lpi_remote_is_lost(m->remote))
        return -EBUSY;
    m->remote->ops->reduce(values, n, as[how]);
    return 0;
}

static int64_t clock_error(const struct logp_machine *m)
{
    return m->remote->clock_error_ns;
}

/* ---- a run ---- */

static int barrier(struct logp_machine *m, int64_t end)
{
    /* relaxed: written only under the lock, which is held */
    const struct lpi_delay *d = atomic_load_explicit(&m->delay, memory_order_relaxed);

    if (lpi_remote_is_lost(m->remote))
        return -EBUSY;
    if (d != NULL && (d->ops.fate != NULL || d->ops.lookahead == NULL || d->capacity > 0))
        lpi_stop(m, -ENOTSUP); /* the others are notified, as of any stop */
    return lpi_common_clock_barrier(m, end);
}

static void prepare(struct logp_machine *m)
{
    struct lpi_remote *f = m->remote;

    lpi_common_clock_set(m);
    f->run = ++n_runs;
    /* relaxed, both: the launch of the run orders them */
    atomic_store_explicit(&f->sent, 0, memory_order_relaxed);
    f->received = 0;
    f->dropped = 0;
    f->is_told = f->stop_told = f->is_done = f->is_ended = false;
    f->error = INT64_MAX;
    atomic_store_explicit(&f->n_arrived_processes, 0, memory_order_relaxed);
    memset(f->is_known, 0, (size_t)f->n_processes * sizeof(*f->is_known));
    f->n_known = 0;
    f->n_scanned = -1;
}

static void conclude(struct logp_machine *m, int64_t end)
{
    struct lpi_remote *f = m->remote;
    struct lpi_core *c = &m->cores[0];
    int64_t last = INT64_MAX;

    while (!f->is_ended && !lpi_remote_is_lost(f)) {
        int64_t now;

        lpi_remote_done(m);
        if (lpi_poll_all(c))
            continue;
        now = lpi_monotonic_ns();
        if (end > 0 && now > end)
            lpi_stop(m, -ETIMEDOUT);
        if (last == INT64_MAX && lpi_stopping(m))
            last = now + patience_ns;
        if (now > last)
            lpi_remote_lose(f);
    }
    for (int i = 0; i < m->n_cores; i++) /* take the messages that are still queued for each core */
        while (lpi_poll_all(&m->cores[i]) && !lpi_remote_is_lost(f))
            ;
}

/* Gather the waiting vps of all processes in the report. */
static void gather_waits(struct logp_machine *m)
{
    struct lpi_remote *f = m->remote;
    struct logp_report *r = &m->report;
    const size_t one = sizeof(*m->waits);
    struct logp_wait_info *mine = malloc((size_t)m->n_local * one);
    int64_t *n_waits = calloc((size_t)f->n_processes, sizeof(*n_waits));
    int *n_bytes = calloc((size_t)f->n_processes, sizeof(*n_bytes));
    int64_t missing = mine == NULL || n_waits == NULL || n_bytes == NULL;

    f->ops->reduce(&missing, 1, LPI_MAX);
    if (!missing) {
        memcpy(mine, m->waits, (size_t)r->n_waits * one);
        n_waits[f->process] = r->n_waits;
        f->ops->reduce(n_waits, (size_t)f->n_processes, LPI_SUM);
        for (int i = r->n_waits = 0; i < f->n_processes; i++) {
            n_bytes[i] = (int)n_waits[i] * (int)one;
            r->n_waits += (int)n_waits[i];
        }
        f->ops->gather(mine, n_bytes[f->process], m->waits, n_bytes);
        lpi_cycle_first(m->waits, r->n_waits);
        r->waits = m->waits;
    }
    free(mine);
    free(n_waits);
    free(n_bytes);
}

/* Merge the lag of all processes. */
static void merge_lag(struct logp_machine *m)
{
    struct lpi_histogram *h = &m->cores[0].lag.waits;
    int64_t counts[LPI_HIST_BUCKETS + 1];
    struct logp_report *r = &m->report;

    counts[LPI_HIST_BUCKETS] = (int64_t)h->n;
    for (int i = 0; i < LPI_HIST_BUCKETS; i++)
        counts[i] = h->count[i];
    m->remote->ops->reduce(counts, LPI_HIST_BUCKETS + 1, LPI_SUM);
    m->remote->ops->reduce(&h->max, 1, LPI_MAX);
    h->n = (uint64_t)counts[LPI_HIST_BUCKETS];
    for (int i = 0; i < LPI_HIST_BUCKETS; i++)
        h->count[i] = (uint32_t)counts[i];
    r->lag.n = h->n;
    r->lag.max_ns = h->max;
    r->lag.median_ns = lpi_histogram_permille(h, 500);
    r->lag.p99_ns = lpi_histogram_permille(h, 990);
}

static void collect(struct logp_machine *m)
{
    struct lpi_remote *f = m->remote;
    struct logp_report *r = &m->report;
    int64_t counts[3] = {(int64_t)r->messages, (int64_t)(r->unreceived + f->dropped),
                         lpi_emulates(m)};
    const int own = r->error, own_rank = r->error_rank;

    if (lpi_remote_is_lost(f)) {
        r->error = own != 0 ? own : -ETIMEDOUT;
        return;
    }
    r->error = f->error == INT64_MAX ? 0 : -(int)(f->error & 0x7fffffff);
    r->error_rank = r->error != 0 && f->error >> 32 < m->P ? (int)(f->error >> 32) : -1;
    if (r->error_rank != own_rank)
        r->error_call = NULL;      /* it is of another error than that of the run */
    if (r->error == 0 && own != 0) /* it came after all others had ended: stop the next run */
        lpi_stop(m, own);
    f->ops->reduce(counts, 3, LPI_SUM); /* barrier: no next run before this */
    lpi_common_clock_check(m);
    r->messages = (uint64_t)counts[0];
    r->unreceived = (uint64_t)counts[1];
    if (counts[2] > 0)
        merge_lag(m);
    if (r->error == -EDEADLK)
        gather_waits(m);
}

static void abandon(struct logp_machine *m)
{
    lpi_remote_lose(m->remote);
    m->remote->ops->abandon();
}

/* A vp of another process may send something. */
static void never_in_vain(struct lpi_core *c)
{
    (void)c;
}

const struct lpi_processes lpi_processes_several = {
    .only_one = -ENOTSUP,
    .idle_polls = LPI_IDLE_POLLS,
    .refuse = refuse,
    .join = join,
    .count = count,
    .own = own,
    .agree = agree,
    .clock_error = clock_error,
    .agree_on = agree_on,
    .choose_cores = choose_cores,
    .barrier = barrier,
    .prepare = prepare,
    .arrived = lpi_remote_arrived,
    .idle = lpi_remote_idle,
    .in_vain = never_in_vain,
    .await = await,
    .await_sent = await_sent,
    .post = lpi_active_post,
    .drop_receives = lpi_remote_drop_receives,
    .conclude = conclude,
    .collect = collect,
    .abandon = abandon,
};

/* ---- one process ---- */

static void one_refuse(const struct logp_config *config, const struct lpi_transport *ops, int rc)
{
    (void)config, (void)ops, (void)rc;
}

static int one_join(struct logp_machine *m, const struct logp_config *config,
                    const struct lpi_transport *ops)
{
    (void)ops;
    m->compares_calls = config->compare_calls;
    m->trusts_calls = config->trust_calls;
    return 0;
}

static int one_count(const struct logp_machine *m)
{
    (void)m;
    return 1;
}

static int one_own(const struct logp_machine *m)
{
    (void)m;
    return 0;
}

static int one_agree(struct logp_machine *m, int64_t *values, size_t n, enum logp_agreement how)
{
    (void)m, (void)values, (void)n, (void)how;
    return 0;
}

static int64_t one_clock_error(const struct logp_machine *m)
{
    (void)m;
    return -1;
}

static int one_agree_on(struct logp_machine *m, int rc)
{
    (void)m;
    return rc;
}

static int one_choose_cores(struct logp_machine *m, const struct logp_config *config)
{
    return lpi_cores_hold(config, NULL, lpi_placement_cores(config), &m->held);
}

static int one_barrier(struct logp_machine *m, int64_t end)
{
    (void)m, (void)end;
    return 0;
}

static void one_arrived(struct lpi_core *c)
{
    const int64_t start = lpi_fix_start(c, LOGP_NEVER, -1);

    for (int i = 0; i < c->machine->n_used; i++)
        lpi_window_reach(c, &c->machine->cores[i], start);
}

static void one_idle(struct lpi_core *c, unsigned long epochs)
{
    (void)epochs;
    lpi_stop_deadlocked(c->machine);
}

static bool one_await(struct lpi_core *c)
{
    (void)c;
    return false;
}

static int one_post(struct logp_machine *m, const struct lpi_wire *w)
{
    (void)m, (void)w;
    return -EINVAL;
}

/* Of p, nothing remains to be sent or received. */
static void one_is_done(struct lpi_proc *p)
{
    (void)p;
}

static void one_conclude(struct logp_machine *m, int64_t end)
{
    (void)m, (void)end;
}

static void one_collect(struct logp_machine *m)
{
    lpi_cycle_first(m->waits, m->report.n_waits);
}

static void one_nothing(struct logp_machine *m)
{
    (void)m;
}

const struct lpi_processes lpi_processes_one = {
    .idle_polls = 1,
    .refuse = one_refuse,
    .join = one_join,
    .count = one_count,
    .own = one_own,
    .agree = one_agree,
    .clock_error = one_clock_error,
    .agree_on = one_agree_on,
    .choose_cores = one_choose_cores,
    .barrier = one_barrier,
    .prepare = one_nothing,
    .arrived = one_arrived,
    .idle = one_idle,
    .in_vain = lpi_check_all_pollers,
    .await = one_await,
    .await_sent = one_is_done,
    .post = one_post,
    .drop_receives = one_is_done,
    .conclude = one_conclude,
    .collect = one_collect,
    .abandon = one_nothing,
};
