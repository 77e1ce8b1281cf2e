/* SPDX-License-Identifier: MIT */
/* Bare fibers: see raw.h. */
#define _GNU_SOURCE
#include "raw.h"

#include "bench.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct transfer {
    void *context, *data;
};

/* Boost.Context's C-callable entry points. */
struct transfer jump_fcontext(void *to, void *data);
void *make_fcontext(void *stack_top, size_t size, void (*entry)(struct transfer));

enum { STACK = 16 << 10, MOST_CORES = 2 };

struct fiber {
    void *context;
    bool ended;
};

/* The fibers of one core. */
struct ring {
    struct fiber *fibers;
    char *stacks;
    void *home;
    int first, n, current, live, cpu;
    struct work *of;
};

/* The work of all fibers: `once`, n times, with generation 1, 2, ... */
struct work {
    void (*once)(const struct work *w, int me, unsigned generation);
    int P, n, n_cores;
    atomic_uint *flags;    /* barrier, by round and rank: the last generation signalled */
    atomic_ullong *places; /* broadcast, by generation modulo 2P and rank: the item */
    atomic_int ready;
    int64_t ns; /* time of all n on rank 0 */
    struct ring rings[MOST_CORES];
};

static _Thread_local struct ring *ring;

/* Jump to a context, which stores the current context in *slot. */
static void jump(void *to, void **slot)
{
    const struct transfer t = jump_fcontext(to, slot);

    *(void **)t.data = t.context;
}

static void next(void)
{
    struct ring *r = ring;
    struct fiber *self = &r->fibers[r->current];

    do
        r->current = r->current + 1 == r->n ? 0 : r->current + 1;
    while (r->fibers[r->current].ended && r->live > 0);
    if (&r->fibers[r->current] != self)
        jump(r->fibers[r->current].context, &self->context);
}

static void barrier(const struct work *w, int me, unsigned generation)
{
    for (int round = 0, d = 1; d < w->P; round++, d *= 2) {
        atomic_uint *flags = &w->flags[(size_t)round * (size_t)w->P];
        const int to = me + d < w->P ? me + d : me + d - w->P;

        /* release pairs with the acquire below, at the receiver */
        atomic_store_explicit(&flags[to], generation, memory_order_release);
        while (atomic_load_explicit(&flags[me], memory_order_acquire) < generation)
            next();
    }
}

/*
 * Broadcast the generation as the item. 2P places are enough: before a rank begins generation G,
 * each of the others has been root once in the P generations before it, and so has received the
 * item of generation G - 2P.
 */
static void broadcast(const struct work *w, int me, unsigned generation)
{
    const int P = w->P, place = (int)(generation % (2 * (unsigned)P));
    const int root = place < P ? place : place - P;
    const int rank = me >= root ? me - root : me - root + P; /* in the tree */
    atomic_ullong *places = &w->places[(size_t)place * (size_t)P];
    int d = 1;

    while (d < P && (rank & d) == 0)
        d *= 2;
    /* acquire pairs with the release below, at the parent */
    while (rank > 0 && atomic_load_explicit(&places[me], memory_order_acquire) != generation)
        next();
    for (d /= 2; d > 0; d /= 2)
        if (rank + d < P)
            atomic_store_explicit(&places[me + d < P ? me + d : me + d - P], generation,
                                  memory_order_release);
}

static void fiber_main(struct transfer t)
{
    struct ring *r = ring;
    struct work *w = r->of;
    const int me = r->first + r->current;
    int64_t start = 0;

    *(void **)t.data = t.context;
    for (int i = 0; i < w->n + w->n / 10; i++) {
        if (i == w->n / 10)
            start = bench_now_ns();
        w->once(w, me, (unsigned)i + 1);
    }
    if (me == 0)
        w->ns = bench_now_ns() - start;
    r->fibers[me - r->first].ended = true;
    if (--r->live > 0)
        next();
    else
        jump(r->home, &r->fibers[me - r->first].context);
    abort();
}

static void *core_main(void *arg)
{
    struct ring *r = ring = arg;
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET((size_t)r->cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
    for (int i = 0; i < r->n; i++)
        r->fibers[i].context =
            make_fcontext(r->stacks + (size_t)(i + 1) * STACK - 64 * (size_t)(i % 31),
                          STACK - 64 * 31, fiber_main);
    atomic_fetch_add(&r->of->ready, 1);
    while (atomic_load(&r->of->ready) < r->of->n_cores)
        ;
    jump(r->fibers[0].context, &r->home);
    return NULL;
}

static void make_ring(struct work *w, int core, int cpu)
{
    struct ring *r = &w->rings[core];

    *r = (struct ring){.of = w, .cpu = cpu, .first = w->P * core / w->n_cores};
    r->n = r->live = w->P * (core + 1) / w->n_cores - r->first;
    r->fibers = calloc((size_t)r->n, sizeof(*r->fibers));
    r->stacks = aligned_alloc(64, (size_t)r->n * STACK);
    if (r->fibers == NULL || r->stacks == NULL)
        bench_check(-ENOMEM, "bare fibers");
}

static double measure(struct work *w)
{
    pthread_t threads[MOST_CORES];
    cpu_set_t allowed;
    int cpu = -1;

    sched_getaffinity(0, sizeof(allowed), &allowed);
    w->n_cores = CPU_COUNT(&allowed) < MOST_CORES ? 1 : MOST_CORES;
    for (int i = 0; i < w->n_cores; i++) {
        do
            cpu++;
        while (!CPU_ISSET((size_t)cpu, &allowed));
        make_ring(w, i, cpu);
    }
    for (int i = 0; i < w->n_cores; i++)
        bench_check(-pthread_create(&threads[i], NULL, core_main, &w->rings[i]), "thread");
    for (int i = 0; i < w->n_cores; i++) {
        pthread_join(threads[i], NULL);
        free(w->rings[i].fibers);
        free(w->rings[i].stacks);
    }
    return (double)w->ns / w->n;
}

double raw_barrier_ns(int P, int n)
{
    struct work w = {.once = barrier, .P = P, .n = n};
    int rounds = 1;
    double ns;

    while ((1 << rounds) < P)
        rounds++;
    w.flags = calloc((size_t)rounds * (size_t)P, sizeof(*w.flags));
    if (w.flags == NULL)
        bench_check(-ENOMEM, "bare fibers");
    ns = measure(&w);
    free(w.flags);
    return ns;
}

double raw_broadcast_ns(int P, int n)
{
    struct work w = {.once = broadcast, .P = P, .n = n};
    double ns;

    w.places = calloc(2 * (size_t)P * (size_t)P, sizeof(*w.places));
    if (w.places == NULL)
        bench_check(-ENOMEM, "bare fibers");
    ns = measure(&w);
    free(w.places);
    return ns;
}

static void echo_main(struct transfer t)
{
    for (;;)
        t = jump_fcontext(t.context, NULL);
}

double raw_switch_ns(int64_t n)
{
    static _Alignas(64) char stack[STACK];
    void *other = make_fcontext(stack + STACK, STACK, echo_main);
    const int64_t start = bench_now_ns();

    for (int64_t i = 0; i < n; i += 2)
        other = jump_fcontext(other, NULL).context;
    return (double)(bench_now_ns() - start) / (double)n;
}
