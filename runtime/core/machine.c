/* SPDX-License-Identifier: MIT */
/* A machine from creation to destruction: see machine.h. */
#include "carrier/carrier.h"
#include "core/core.h"
#include "core/sched.h"
#include "delay/delay.h"
#include "host/cores.h"
#include "host/host.h"
#include "mail/lane.h"
#include "mail/mail.h"
#include "trace/recorder.h"
#include "state/stop.h"
#include "state/timers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The largest limit of queues, and of the stacks of all vps: sums do not overflow. */
static const size_t most_limit = SIZE_MAX / 4;
static const int64_t most_credit = 1 << 20; /* bytes of the limit that a core takes at once */

_Thread_local struct lpi_core *lpi_this_core;

static const struct lpi_executor *const executors[] = {&lpi_executor_thread, &lpi_executor_fiber,
                                                       NULL};

const char *logp_executor_at(size_t i)
{
    const size_t n = sizeof(executors) / sizeof(executors[0]) - 1;

    return i < n ? executors[i]->name : NULL;
}

/* Fibers share stacks only under the virtual clock: if configured, or if there are very many. */
static const struct lpi_executor *with_stacks(const struct lpi_executor *executor,
                                              const struct logp_config *config)
{
    const bool can = executor == &lpi_executor_fiber && config->clock == LOGP_CLOCK_VIRTUAL;

    if (can && (config->stacks == LOGP_STACKS_SHARED ||
                (config->stacks == LOGP_STACKS_AUTO && config->n_processors > LPI_MOST_OWN_STACKS)))
        return &lpi_executor_shared;
    return executor;
}

static const struct lpi_executor *find_executor(const char *name)
{
    for (int i = 0; executors[i] != NULL; i++)
        if (name == NULL || strcmp(name, executors[i]->name) == 0)
            return executors[i];
    return NULL;
}

/* ---- create ---- */

static int init_core(struct logp_machine *m, int index, int cpu)
{
    struct lpi_core *c = &m->cores[index];

    c->machine = m;
    c->index = index;
    c->cpu = cpu;
    return lpi_core_take_procs(c);
}

/* Allocate this many bytes for each vp. If that fails, *rc becomes -ENOMEM. */
static void *of_vps(const struct logp_machine *m, size_t size, int *rc)
{
    void *memory = lpi_memory_zeroed((size_t)m->P, size);

    if (memory == NULL)
        *rc = -ENOMEM;
    return memory;
}

static int init_memory(struct logp_machine *m, const struct logp_config *config)
{
    const int64_t share = (int64_t)(m->queue_limit / 64) / m->n_cores;
    int rc = 0;

    /* senders that wait for space must see all free space */
    m->credit_batch = config->wait_for_space ? 0 : share < most_credit ? share : most_credit;
    m->procs = of_vps(m, sizeof(*m->procs), &rc);
    m->waits = of_vps(m, sizeof(*m->waits), &rc);
    m->mails = of_vps(m, sizeof(*m->mails), &rc);
    m->waits_in_vain = of_vps(m, sizeof(*m->waits_in_vain), &rc);
    if (config->wait_for_space)
        m->space_waits = of_vps(m, sizeof(*m->space_waits), &rc);
    m->cores = lpi_memory_zeroed((size_t)m->n_cores, sizeof(*m->cores));
    if (rc != 0 || m->cores == NULL)
        return -ENOMEM;
    for (int i = 0; rc == 0 && i < m->n_cores; i++)
        rc = init_core(m, i, m->held.cpus[i]);
    return rc != 0 ? rc : lpi_lanes_create(m, config->lane_slots);
}

static void init_home(struct logp_machine *m)
{
    pthread_condattr_t attr;
    pthread_mutexattr_t attributes;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&m->home, &attr);
    pthread_condattr_destroy(&attr);
    pthread_mutexattr_init(&attributes);
    /* it is held for moments, and a vp that slept for it would stop its whole core */
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(&m->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void destroy_all(struct logp_machine *m)
{
    if (m->procs != NULL && m->executor != NULL)
        m->executor->destroy(m);
    lpi_delay_fini(m);
    lpi_cores_release(&m->held);
    lpi_process_leave();
    for (int i = 0; m->cores != NULL && i < m->n_cores; i++)
        lpi_pool_fini(&m->cores[i]);
    for (int i = 0; m->cores != NULL && i < m->n_cores; i++) {
        lpi_timers_fini(&m->cores[i].run_queue.timers);
        free(m->cores[i].ranks);
    }
    lpi_lanes_destroy(m);
    lpi_capacity_destroy(m);
    lpi_attached_destroy(m);
    lpi_tracing_destroy(m);
    lpi_explore_free(m);
    lpi_calls_free(m);
    lpi_remote_destroy(m);
    pthread_cond_destroy(&m->home);
    pthread_mutex_destroy(&m->lock);
    free(m->core_of);
    lpi_memory_free(m->cores, (size_t)m->n_cores, sizeof(*m->cores));
    lpi_memory_free(m->procs, (size_t)m->P, sizeof(*m->procs));
    lpi_memory_free(m->mails, (size_t)m->P, sizeof(*m->mails));
    lpi_memory_free(m->space_waits, (size_t)m->P, sizeof(*m->space_waits));
    lpi_memory_free(m->waits, (size_t)m->P, sizeof(*m->waits));
    lpi_memory_free(m->waits_in_vain, (size_t)m->P, sizeof(*m->waits_in_vain));
    lpi_memory_free(m, 1, sizeof(*m));
}

static bool valid(const struct logp_config *c)
{
    return (c->delay.ops != NULL || c->network != NULL) && c->n_processors >= 1 &&
           c->n_processors <= LOGP_MAX_PROCESSORS && c->poll_ns >= 0 &&
           c->poll_ns <= LOGP_PARAM_MAX_NS && c->n_cores >= 0 &&
           c->stack_bytes <= most_limit / (size_t)c->n_processors &&
           (unsigned)c->clock <= LOGP_CLOCK_VIRTUAL &&
           !((c->wait_for_space || lpi_rendezvous_from(c) > 0) && c->parallel &&
             c->clock == LOGP_CLOCK_VIRTUAL) &&
           lpi_rendezvous_from(c) >= 0 &&
           (c->placement == LOGP_PLACE_BLOCK ||
            (c->placement == LOGP_PLACE_ROUND_ROBIN && c->core_of == NULL));
}

/* Check the configuration before any allocation. */
static int look_at(const struct logp_config *given, struct logp_config *config)
{
    const int rc =
        logp_struct_take(config, sizeof(*config), LOGP_UP_TO(struct logp_config, time_arg), given);
    const struct lpi_executor *executor;

    if (rc != 0)
        return rc;
    if (!valid(config))
        return -EINVAL;
    if (config->clock == LOGP_CLOCK_WALL)
        config->parallel = true; /* its cores run at once, too */
    executor = find_executor(config->executor);
    if (executor == NULL)
        return -ENOENT;
    if (executor->most != NULL && config->n_processors > executor->most())
        return -EAGAIN; /* trying would take long */
    return 0;
}

static const struct lpi_time *time_of(enum logp_clock clock, int n_cores)
{
    static const struct lpi_time *const on_one[] = {
        [LOGP_CLOCK_WALL] = &lpi_time_wall, [LOGP_CLOCK_VIRTUAL] = &lpi_time_virtual};
    static const struct lpi_time *const on_several[] = {
        [LOGP_CLOCK_WALL] = &lpi_time_wall_several, [LOGP_CLOCK_VIRTUAL] = &lpi_time_parallel};

    return n_cores > 1 ? on_several[clock] : on_one[clock];
}

/* Set each field from the configuration, or its default. */
static void configure(struct logp_machine *m, const struct logp_config *config)
{
    m->P = m->n_local = config->n_processors;
    m->time = time_of(config->clock, 1); /* the number of cores is not known yet */
    m->shares_memory = m->time->shares_memory;
    m->poll_ns = config->poll_ns > 0 ? config->poll_ns : 100;
    m->queue_limit = config->queue_limit > 0 ? config->queue_limit : (size_t)1 << 30;
    if (m->queue_limit > most_limit)
        m->queue_limit = most_limit;
    m->stack_bytes = config->stack_bytes > 0 ? config->stack_bytes : (size_t)256 << 10;
    m->rendezvous_from = lpi_rendezvous_from(config);
    m->yield_seed = config->yield_seed;
    m->time_ns = config->time_ns;
    m->time_arg = config->time_arg;
    if (config->network != NULL)
        m->planned = *config->network;
    m->executor = with_stacks(find_executor(config->executor), config);
}

static int first_error(int a, int b)
{
    return a != 0 ? a : b;
}

static int make_parts(struct logp_machine *m, const struct logp_config *config)
{
    int rc = m->processes->choose_cores(m, config);

    m->n_cores = rc == 0 ? m->held.n : 1;
    if (rc == 0)
        rc = lpi_placement_create(m, config);
    m->n_used = m->n_cores;
    m->time = time_of(config->clock, m->n_cores);
    m->is_virtual = m->time->clock == LOGP_CLOCK_VIRTUAL;
    m->has_windows = m->time == &lpi_time_parallel;
    m->idle_polls = m->time->idle_polls;
    if (m->idle_polls < m->processes->idle_polls)
        m->idle_polls = m->processes->idle_polls;
    m->is_crowded = rc == 0 && lpi_is_crowded(m->held.cpus, m->n_cores);
    if (m->is_crowded && m->remote != NULL)
        m->remote->is_crowded = true;
    if (m->is_crowded)
        m->idle_polls = 1; /* a yield takes longer than what the polls save */
    else if (rc == 0 && m->n_cores > 1 && m->time->clock == LOGP_CLOCK_WALL)
        m->line_ns = lpi_line_ns(m->held.cpus[0], m->held.cpus[m->n_cores - 1]);
    m->compares_calls |= m->time->compares_calls;
    m->exploring = first_error(m->time->exploring, m->executor->exploring);
    m->blocking = first_error(m->time->blocking, m->executor->blocking);
    m->has_choice = m->n_cores > 1 && m->time->lookahead == lpi_delay_begin &&
                    config->cores == NULL && m->core_of == NULL && m->executor->moves;
    if (rc == 0)
        rc = init_memory(m, config);
    return rc != 0 ? rc : m->executor->create(m);
}

/* rc: the error of the configuration; 0: none, and it has a delay model. is_own: that model is not
 * the one of its network. */
static int create(const struct logp_config *config, bool is_own, int rc, struct logp_machine **out)
{
    const struct lpi_transport *transport = NULL;
    const struct lpi_processes *processes;
    struct lpi_delay *delay = NULL;
    struct logp_machine *m;
    int found = 0;

    if (rc == 0 || rc == -EAGAIN) /* -EAGAIN may be of this process alone: notify the others */
        found = lpi_transport_find(config->transport, &transport);
    processes = transport != NULL ? &lpi_processes_several : &lpi_processes_one;
    if (rc == 0 && found == 0 && !lpi_process_enter())
        return -ENOTSUP;
    if (rc != 0 || found != 0) {
        processes->refuse(config, transport, rc);
        return rc != 0 ? rc : found;
    }
    m = lpi_memory_zeroed(1, sizeof(*m));
    if (m == NULL) {
        processes->refuse(config, transport, -ENOMEM);
        lpi_process_leave();
        return -ENOMEM;
    }
    configure(m, config);
    m->record = &lpi_record_none;
    m->processes = processes;
    m->held.registry = -1;
    m->live = lpi_proc_main;
    m->cores_done = lpi_cores_done;
    m->polls_in_vain = LPI_POLLS_IN_VAIN;
    m->report.error_rank = -1;
    atomic_init(&m->pending_at, INT64_MAX);
    m->lookahead = INT64_MAX;
    atomic_init(&m->credit, (int64_t)m->queue_limit);
    init_home(m);
    rc = processes->join(m, config, transport);
    if (rc == 0) {
        rc = make_parts(m, config);
        if (rc == 0)
            rc = lpi_delay_copy(&config->delay, &delay);
        if (!is_own || config->network == NULL)
            m->planned.undelayed = m->shares_memory;
        else if (rc == 0)
            delay->network = m->planned;
        rc = m->processes->agree_on(m, rc);
    }
    if (rc != 0) {
        free(delay);
        destroy_all(m);
        return rc;
    }
    lpi_delay_install(m, delay);
    *out = m;
    return 0;
}

int logp_machine_create(const struct logp_config *given, struct logp_machine **out)
{
    struct logp_config config;
    int rc = look_at(given, &config);
    const bool is_made = (rc == 0 || rc == -EAGAIN) && config.delay.ops == NULL;

    if (is_made) {
        const int made =
            logp_network_delay(config.network, config.n_processors, NULL, &config.delay, NULL);

        rc = rc != 0 ? rc : made;
    }
    rc = create(&config, !is_made, rc, out);
    if (rc != 0 && is_made)
        logp_delay_destroy(&config.delay);
    return rc;
}

int logp_machine_destroy(struct logp_machine *m)
{
    if (m == NULL || lpi_process_is_orphan())
        return 0;
    if (logp_machine_busy(m))
        return -EBUSY;
    lpi_reclaim_late(m);
    destroy_all(m);
    return 0;
}

int logp_machine_set_rendezvous_from(struct logp_machine *m, int64_t from)
{
    int rc = from < 0 ? -EINVAL : m->time->waiting_sends;

    if (rc != 0)
        return rc;
    pthread_mutex_lock(&m->lock);
    if (lpi_in_use(m))
        rc = -EBUSY;
    else
        m->rendezvous_from = from;
    pthread_mutex_unlock(&m->lock);
    return rc;
}

int logp_machine_inject(struct logp_machine *m, int dst, int tag, const void *buf, size_t n_bytes)
{
    const struct lpi_envelope e = {.src = LOGP_OUTSIDE,
                                   .dst = dst,
                                   .tag = tag,
                                   .n_bytes = n_bytes,
                                   .arrival = LOGP_NEVER,
                                   .data = buf};

    if (dst < 0 || dst >= m->P || tag < 0 || (buf == NULL && n_bytes > 0))
        return -EINVAL;
    return m->time->inject(m, &e);
}

void logp_machine_expect(struct logp_machine *m, bool expects)
{
    m->time->expect(m, expects);
}

void logp_machine_stop(struct logp_machine *m, int error)
{
    int stopped = 0;

    if (error >= 0)
        error = -ECANCELED;
    /* A stop of an abandoned run is for the next run. acquire pairs with the release in abandon();
     * release: as in lpi_stop() */
    while (!lpi_stop(m, error) && stopped == 0 &&
           atomic_load_explicit(&m->is_abandoned, memory_order_acquire)) {
        stopped = -ETIMEDOUT; /* expected; it is 0 if the next run has begun */
        atomic_compare_exchange_strong_explicit(&m->stop, &stopped, error, memory_order_release,
                                                memory_order_relaxed);
    }
}

const struct logp_report *logp_machine_report(const struct logp_machine *m)
{
    return &m->report;
}

int logp_machine_size(const struct logp_machine *m)
{
    return m->P;
}

int logp_machine_cores(const struct logp_machine *m)
{
    return m->n_used;
}

void logp_machine_core_use(const struct logp_machine *m, struct logp_core_use *out)
{
    *out = (struct logp_core_use){.n_cores = m->n_cores,
                                  .n_threads = m->held.n_threads,
                                  .is_mixed = m->held.is_mixed,
                                  .is_shared = m->held.is_shared};
}

int logp_machine_core_of(const struct logp_machine *m, int rank)
{
    return lpi_is_local(m, rank) ? m->procs[rank].core_index : -1;
}

int logp_machine_share(const struct logp_machine *m, int rank, int *cpus, int n)
{
    const int core = logp_machine_core_of(m, rank), n_share = core >= 0 ? m->held.n_share : 0;

    for (int i = 0; i < n && i < n_share; i++)
        cpus[i] = m->held.shares[core * n_share + i];
    return n_share;
}

enum logp_clock logp_machine_clock(const struct logp_machine *m)
{
    return m->time->clock;
}

bool logp_machine_delayed(const struct logp_machine *m)
{
    return lpi_emulates(m);
}
