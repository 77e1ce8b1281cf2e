/* SPDX-License-Identifier: MIT */
/*
 * One pinned thread per vp; a baton is the right to run on a core.
 *
 * A hand-over by the kernel takes 0.7 to 1.5 us, and most of that can hide in a wait. A thread that
 * is wanted right after the holder's own deadline is woken ahead (prepare): it is runnable, but the
 * holder keeps running on this core. When the next vp is late, the holder yields before it sleeps:
 * that is the fastest switch to another runnable thread. The holder goes to sleep when it runs
 * next, unless it has the core again by then.
 *
 * But a yield may also give the core to another process, for milliseconds. So a thread that gets
 * the core by a yield checks how long that took. After a long one, the threads of this core only
 * sleep and wake for a number of hand-overs, which doubles each time.
 */
#define _GNU_SOURCE
#include "carrier/carrier.h"
#include "carrier/threads.h"
#include "host/clock.h"
#include "host/rcu.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LATE_NS = 3000,   /* so near a deadline, a hand-over must be fast */
    LONG_NS = 200000, /* a longer hand-over means that another process had the core */
    FIRST_REST = 1 << 10,
    LAST_REST = 1 << 17, /* hand-overs: some 200 ms, so that a slow one among them is negligible */
};

/* The hand-overs of a core. By its holder. */
struct yields {
    _Alignas(LPI_LINE) int64_t at; /* of the last one, if it is to be looked at; else 0. Then: */
    int64_t left;                  /* until the deadline of the thread that gets the core */
    bool is_yield;
    int rest, last_rest; /* hand-overs to come without a yield; the last such number */
};

struct threads {
    struct lpi_baton *batons; /* by rank */
    struct yields *yields;    /* by core */
    int n;                    /* threads that exist */
    int cpu;                  /* not pinned at creation: where all run in this run; -1: anywhere */
};

/* Without a core of their own the threads of a machine run where its caller is: a hand-over to a
 * thread on an idle core takes ten times as long. *at: where this one is */
static void stay_together(const struct logp_machine *m, int *at)
{
    const struct threads *t = m->executor_data;
    cpu_set_t set;

    if (t->cpu < 0 || t->cpu >= CPU_SETSIZE || t->cpu == *at)
        return;
    CPU_ZERO(&set);
    CPU_SET((size_t)t->cpu, &set);
    sched_setaffinity(0, sizeof(set), &set); /* only for speed, so errors are ignored */
    *at = t->cpu;
}

static void *thread_main(void *arg)
{
    struct lpi_baton *b = arg;
    struct lpi_proc *p = b->arg;
    /* No preemption on wake-up: the waker goes to sleep by itself, a moment later. */
    const struct sched_param batch = {.sched_priority = 0};
    int at = -1;

    pthread_setschedparam(pthread_self(), SCHED_BATCH, &batch);
    lpi_this_core = p->core;
    lpi_rcu_register();
    while (lpi_baton_await(b) == LPI_BATON_HAS) {
        stay_together(p->core->machine, &at);
        p->core->machine->live(p);
    }
    lpi_rcu_unregister();
    return NULL;
}

static void destroy(struct logp_machine *m)
{
    struct threads *t = m->executor_data;

    if (t == NULL)
        return;
    for (int i = 0; i < t->n; i++)
        lpi_baton_give(&t->batons[i], LPI_BATON_QUIT);
    for (int i = 0; i < t->n; i++)
        pthread_join(t->batons[i].thread, NULL);
    free(t->batons);
    free(t->yields);
    free(t);
    m->executor_data = NULL;
}

/* The number in a file of /proc; INT64_MAX: none. */
static int64_t limit_in(const char *path)
{
    FILE *f = fopen(path, "re");
    long long n;
    const bool good = f != NULL && fscanf(f, "%lld", &n) == 1 && n > 0;

    if (f != NULL)
        fclose(f);
    return good ? n : INT64_MAX;
}

/* The most threads that the kernel allows, with those of others. A stack with its guard is two
 * mappings. */
static int64_t most(void)
{
    const int64_t limits[] = {limit_in("/proc/sys/kernel/threads-max"),
                              limit_in("/proc/sys/kernel/pid_max"),
                              limit_in("/proc/sys/vm/max_map_count") / 2};
    int64_t least = INT64_MAX;

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        least = limits[i] < least ? limits[i] : least;
    return least;
}

static bool repeats(const struct logp_machine *m)
{
    (void)m;
    return false;
}

static int create(struct logp_machine *m)
{
    struct threads *t = calloc(1, sizeof(*t));
    int rc = 0;

    if (t == NULL)
        return -ENOMEM;
    m->executor_data = t;
    t->batons = aligned_alloc(LPI_LINE, (size_t)m->n_local * sizeof(*t->batons));
    t->yields = aligned_alloc(LPI_LINE, (size_t)m->n_cores * sizeof(*t->yields));
    if (t->batons == NULL || t->yields == NULL)
        return -ENOMEM;
    for (int i = 0; i < m->n_cores; i++)
        t->yields[i] = (struct yields){0};
    while (rc == 0 && t->n < m->n_local) {
        struct lpi_proc *p = &m->procs[m->first_rank + t->n];

        p->carrier = &t->batons[t->n];
        t->batons[t->n].arg = p;
        rc = lpi_baton_start(&t->batons[t->n], p->core->cpu, m->stack_bytes, thread_main);
        t->n += rc == 0;
    }
    return rc;
}

static struct yields *yields_of(const struct lpi_core *c)
{
    const struct threads *t = c->machine->executor_data;

    return &t->yields[c->index];
}

/* at: see struct yields. */
static void pass(struct lpi_proc *to, int64_t at)
{
    yields_of(to->core)->at = at;
    /* relaxed: for reports only */
    atomic_store_explicit(&to->core->holder, to->rank, memory_order_relaxed);
    lpi_baton_give(to->carrier, LPI_BATON_HAS);
}

static void give(struct lpi_proc *to)
{
    pass(to, 0);
}

static void launch(struct logp_machine *m)
{
    struct threads *t = m->executor_data;

    t->cpu = m->cores[0].cpu < 0 ? sched_getcpu() : -1;
    for (int i = 0; i < m->n_cores; i++)
        give(lpi_proc_at(&m->cores[i], 0));
}

/* Whether this late hand-over may be a yield. */
static bool may_yield(struct yields *y)
{
    if (y->rest == 0)
        return true;
    y->rest--;
    return false;
}

/* A hand-over that was a yield took so long: adapt the number of later ones without a yield. */
static void adapt(struct yields *y, int64_t took)
{
    const int longer = 2 * y->last_rest < FIRST_REST ? FIRST_REST : 2 * y->last_rest;

    if (took < LONG_NS)
        y->last_rest -= y->last_rest > 0;
    else
        y->rest = y->last_rest = longer < LAST_REST ? longer : LAST_REST;
}

/* p has been given the core. If that took long, other threads had the core, or none: until the deadline of p the wait
 * hides that, and it does not count as an absence. */
static __attribute__((noinline)) void look_how_long(struct lpi_proc *p, struct yields *y)
{
    const int64_t took = lpi_monotonic_ns() - y->at;

    y->at = 0;
    if (y->is_yield)
        adapt(y, took);
    if (took > p->core->machine->executor->slack_ns && y->left > 0)
        p->core->absence.slept += took < y->left ? took : y->left;
}

static void switch_to(struct lpi_proc *from, struct lpi_proc *to, bool due)
{
    struct yields *y = yields_of(from->core);
    const int64_t left = due ? 0 : to->deadline - lpi_wall(from->core->machine);
    const bool yield = left < LATE_NS && may_yield(y);

    y->left = left;
    y->is_yield = yield;
    pass(to, yield || left > 0 ? lpi_monotonic_ns() : 0);
    if (yield)
        sched_yield();
    lpi_baton_await(from->carrier);
    if (y->at != 0)
        look_how_long(from, y);
}

static void prepare(struct lpi_proc *to)
{
    lpi_baton_prepare(to->carrier);
}

static int64_t others_ns(const struct lpi_core *c)
{
    int64_t sum = 0;

    for (int i = 0; i < c->n_procs; i++) {
        const struct lpi_baton *b = lpi_proc_at(c, i)->carrier;
        struct timespec t;
        clockid_t clock;

        if (!pthread_equal(b->thread, pthread_self()) &&
            pthread_getcpuclockid(b->thread, &clock) == 0 && clock_gettime(clock, &t) == 0)
            sum += (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    }
    return sum;
}

static bool guards(const struct lpi_core *c, const void *address)
{
    (void)c, (void)address;
    return false;
}

static void leave(struct lpi_proc *from, struct lpi_proc *to)
{
    if (to != NULL)
        give(to);
    else
        from->core->machine->cores_done(from->core);
}

static void await(struct lpi_proc *p)
{
    lpi_baton_await(p->carrier);
}

const struct lpi_executor lpi_executor_thread = {
    .name = "thread",
    .has_threads = true,
    .slack_ns = 12000,
    .patience_ns = 1000,
    .polls = LPI_POLL_EVERY - 1,
    .looks = 4096, /* as long as a hand-over takes */
    .most = most,
    .create = create,
    .destroy = destroy,
    .launch = launch,
    .repeats = repeats,
    .switch_to = switch_to,
    .prepare = prepare,
    .prepare_ns = 3000,
    .others_ns = others_ns,
    .guards = guards,
    .leave = leave,
    .give = give,
    .await = await,
};
