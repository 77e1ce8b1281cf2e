/* SPDX-License-Identifier: MIT */
/*
 * One pinned thread per vp. The right to run on a core is a baton: a futex word per thread.
 *
 * A hand-over by the kernel takes 0.7 to 1.5 us, and most of that can hide in a wait. A thread that
 * will be wanted at once after the holder's own deadline is woken ahead (prepare): it is runnable,
 * but on this core the holder keeps running. When it is late, the holder yields before it sleeps:
 * that is the shortest way to another runnable thread; it goes to sleep when it runs next.
 */
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <urcu/urcu-memb.h>

enum {
    ASLEEP, /* or about to be: a change must be followed by a wake-up */
    AWAKE,  /* runnable: it looks at the word before it sleeps */
    HAS,    /* the core is yours */
    QUIT,   /* the machine ends */
};

struct baton {
    _Alignas(LPI_LINE) atomic_int word;
    pthread_t thread;
    struct lpi_proc *proc;
};

struct threads {
    struct baton *batons;
    int n; /* threads that exist */
};

static struct baton *baton_of(const struct lpi_proc *p)
{
    return p->carrier;
}

static void give(struct baton *b, int what)
{
    /* release pairs with the acquire in await(); acq_rel: a sleeper's own store came before */
    if (atomic_exchange_explicit(&b->word, what, memory_order_acq_rel) == ASLEEP)
        syscall(SYS_futex, &b->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static int await(struct baton *b)
{
    for (;;) {
        /* acquire pairs with the release in give(): all that the last holder did is visible */
        int word = atomic_load_explicit(&b->word, memory_order_acquire);

        if (word >= HAS)
            return word;
        /* relaxed: nothing is published; give() and prepare() see that they must wake us */
        if (word == ASLEEP ||
            atomic_compare_exchange_strong_explicit(&b->word, &word, ASLEEP, memory_order_relaxed,
                                                    memory_order_relaxed))
            syscall(SYS_futex, &b->word, FUTEX_WAIT_PRIVATE, ASLEEP, NULL, NULL, 0);
    }
}

static void *thread_main(void *arg)
{
    struct baton *b = arg;
    /* No preemption on wake-up: the waker goes to sleep by itself, a moment later. */
    const struct sched_param batch = {.sched_priority = 0};

    pthread_setschedparam(pthread_self(), SCHED_BATCH, &batch);
    lpi_this_core = b->proc->core;
    urcu_memb_register_thread();
    while (await(b) == HAS) {
        /* relaxed, here and below: only the holder writes AWAKE into its own word */
        atomic_store_explicit(&b->word, AWAKE, memory_order_relaxed);
        lpi_proc_main(b->proc);
    }
    urcu_memb_unregister_thread();
    return NULL;
}

static int start_thread(const struct logp_machine *m, struct baton *b)
{
    pthread_attr_t attr;
    int rc = pthread_attr_init(&attr);

    if (rc != 0)
        return -rc;
    rc = pthread_attr_setstacksize(&attr, m->stack_bytes);
    if (rc == 0 && b->proc->core->cpu >= 0) {
        cpu_set_t *set = CPU_ALLOC((size_t)b->proc->core->cpu + 1);
        const size_t size = CPU_ALLOC_SIZE((size_t)b->proc->core->cpu + 1);

        if (set == NULL) {
            rc = ENOMEM;
        } else {
            CPU_ZERO_S(size, set);
            CPU_SET_S((size_t)b->proc->core->cpu, size, set);
            rc = pthread_attr_setaffinity_np(&attr, size, set);
            CPU_FREE(set);
        }
    }
    if (rc == 0)
        rc = pthread_create(&b->thread, &attr, thread_main, b);
    pthread_attr_destroy(&attr);
    return -rc;
}

static void destroy(struct logp_machine *m)
{
    struct threads *t = m->executor_data;

    if (t == NULL)
        return;
    for (int i = 0; i < t->n; i++)
        give(&t->batons[i], QUIT);
    for (int i = 0; i < t->n; i++)
        pthread_join(t->batons[i].thread, NULL);
    free(t->batons);
    free(t);
    m->executor_data = NULL;
}

static int create(struct logp_machine *m)
{
    struct threads *t = calloc(1, sizeof(*t));

    if (t == NULL)
        return -ENOMEM;
    m->executor_data = t;
    t->batons = aligned_alloc(LPI_LINE, (size_t)m->P * sizeof(*t->batons));
    if (t->batons == NULL)
        return -ENOMEM;
    for (int i = 0; i < m->P; i++) {
        struct baton *b = &t->batons[i];
        int rc;

        atomic_init(&b->word, AWAKE);
        b->proc = &m->procs[i];
        b->proc->carrier = b;
        rc = start_thread(m, b);
        if (rc != 0)
            return rc;
        t->n++;
    }
    return 0;
}

static void pass(struct lpi_proc *to)
{
    /* relaxed: for reports only */
    atomic_store_explicit(&to->core->holder, to->rank, memory_order_relaxed);
    give(baton_of(to), HAS);
}

static void launch(struct logp_machine *m)
{
    for (int i = 0; i < m->n_cores; i++)
        pass(m->cores[i].procs[0]);
}

static void switch_to(struct lpi_proc *from, struct lpi_proc *to, bool late)
{
    struct baton *mine = baton_of(from);

    pass(to);
    if (late)
        sched_yield();
    await(mine);
    atomic_store_explicit(&mine->word, AWAKE, memory_order_relaxed);
}

static void prepare(struct lpi_proc *to)
{
    struct baton *b = baton_of(to);
    int asleep = ASLEEP;

    /* relaxed: it only wakes; the core is given later */
    if (atomic_compare_exchange_strong_explicit(&b->word, &asleep, AWAKE, memory_order_relaxed,
                                                memory_order_relaxed))
        syscall(SYS_futex, &b->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void leave(struct lpi_proc *from, struct lpi_proc *to)
{
    if (to != NULL)
        pass(to);
    else
        lpi_core_home(from->core);
}

const struct lpi_executor lpi_executor_thread = {
    .name = "thread",
    .create = create,
    .destroy = destroy,
    .launch = launch,
    .switch_to = switch_to,
    .prepare = prepare,
    .leave = leave,
};
