/* SPDX-License-Identifier: MIT */
/* Two pinned threads: see pair.h. */
#define _GNU_SOURCE
#include "pair.h"

#include "sample.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, SLOTS = 1024, BURST = 16, ACK_EVERY = 64 };

static void pin(int core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void *allocate(size_t n_bytes)
{
    void *memory = aligned_alloc(4096, (n_bytes + 4095) / 4096 * 4096);

    if (memory == NULL) {
        fputs("no memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* Run both halves, each on a thread of its own. */
static void run_both(void *(*first)(void *), void *(*second)(void *), void *a, void *b)
{
    pthread_t threads[2];

    if (pthread_create(&threads[1], NULL, second, b) != 0 ||
        pthread_create(&threads[0], NULL, first, a) != 0) {
        fputs("no thread\n", stderr);
        exit(1);
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

/* ---- half a round trip ---- */

struct trip {
    _Alignas(128) atomic_int ping;
    _Alignas(128) atomic_int pong;
    char *to_pong, *to_ping; /* buffer of the other side's message */
    size_t n_bytes;
    int trips;
    double half_ns;
};

static char *buffer(size_t n_bytes)
{
    char *b = allocate(n_bytes);

    memset(b, 1, n_bytes);
    return b;
}

static void await_flag(atomic_int *flag, int value)
{
    /* acquire pairs with the release of the other side: its memcpy is visible */
    while (atomic_load_explicit(flag, memory_order_acquire) != value)
        ;
}

static void *pong(void *arg)
{
    struct trip *b = arg;
    char *mine = b->n_bytes > 8 ? buffer(b->n_bytes) : NULL;

    pin(1);
    for (int i = 1; i <= b->trips; i++) {
        await_flag(&b->ping, i);
        if (mine != NULL)
            memcpy(b->to_ping, mine, b->n_bytes);
        atomic_store_explicit(&b->pong, i, memory_order_release);
    }
    free(mine);
    return NULL;
}

static void *ping(void *arg)
{
    struct trip *b = arg;
    char *mine = b->n_bytes > 8 ? buffer(b->n_bytes) : NULL;
    const int warm = b->trips / 10;
    int64_t start = 0;

    pin(0);
    for (int i = 1; i <= b->trips; i++) {
        if (i == warm)
            start = bench_now_ns();
        if (mine != NULL)
            memcpy(b->to_pong, mine, b->n_bytes);
        atomic_store_explicit(&b->ping, i, memory_order_release);
        await_flag(&b->pong, i);
    }
    b->half_ns = (double)(bench_now_ns() - start) / 2 / (b->trips - warm + 1);
    free(mine);
    return NULL;
}

double pair_trip_ns(size_t n_bytes, int trips)
{
    static struct trip b;

    b = (struct trip){
        .n_bytes = n_bytes, .trips = trips, .to_pong = buffer(n_bytes), .to_ping = buffer(n_bytes)};
    run_both(ping, pong, &b, &b);
    free(b.to_pong);
    free(b.to_ping);
    return b.half_ns;
}

/* ---- rings ---- */

struct ring {
    _Alignas(128) unsigned char memory[SLOTS * LINE];
    _Alignas(128) atomic_ulong ack;
};

struct side {
    struct ring *out, *in;
    atomic_int *ready;
    int core, per_line;
    long n;
    double ns;
};

/* Progress of a side. */
struct progress {
    unsigned long out, in, acked; /* slots */
    long sent, got;               /* messages */
};

static size_t message_bytes(const struct side *s)
{
    return s->per_line == 1 ? PAIR_LONE_BYTES : PAIR_TWO_BYTES;
}

/* Send a burst, up to a full ring. The first 8 bytes of a slot are its number. */
static inline void send_some(const struct side *s, struct progress *p, const unsigned char *payload,
                             size_t n_bytes)
{
    for (int burst = 0; burst < BURST && p->sent < s->n; burst++) {
        unsigned char *slot = s->out->memory + p->out % SLOTS * LINE;

        if (p->out - p->acked >= SLOTS - 1) {
            /* acquire pairs with the release in receive_some(): the slot has been read */
            p->acked = atomic_load_explicit(&s->out->ack, memory_order_acquire);
            if (p->out - p->acked >= SLOTS - 1)
                return;
        }
        for (int k = 0; k < s->per_line; k++)
            memcpy(slot + 8 + (size_t)k * n_bytes, payload, n_bytes);
        /* release pairs with the acquire in receive_some() */
        atomic_store_explicit((_Atomic uint64_t *)(void *)slot, ++p->out, memory_order_release);
        p->sent += s->per_line;
    }
}

static inline void receive_some(const struct side *s, struct progress *p, unsigned char *payload,
                                size_t n_bytes)
{
    for (int burst = 0; burst < BURST && p->got < s->n; burst++) {
        const unsigned char *slot = s->in->memory + p->in % SLOTS * LINE;

        /* acquire pairs with the release in send_some() */
        if (atomic_load_explicit((const _Atomic uint64_t *)(const void *)slot,
                                 memory_order_acquire) != p->in + 1)
            return;
        for (int k = 0; k < s->per_line; k++)
            memcpy(payload, slot + 8 + (size_t)k * n_bytes, n_bytes);
        p->in++;
        p->got += s->per_line;
        if (p->in % ACK_EVERY == 0) /* release pairs with the acquire in send_some() */
            atomic_store_explicit(&s->in->ack, p->in, memory_order_release);
    }
}

static void *ring_side(void *arg)
{
    struct side *s = arg;
    unsigned char payload[LINE] = {7};
    const size_t n_bytes = message_bytes(s);
    struct progress p = {0};
    int64_t start;

    pin(s->core);
    atomic_fetch_add(s->ready, 1);
    while (atomic_load(s->ready) < 2)
        ;
    start = bench_now_ns();
    while (p.sent < s->n || p.got < s->n) {
        send_some(s, &p, payload, n_bytes);
        receive_some(s, &p, payload, n_bytes);
    }
    /* release pairs with the acquire in send_some() */
    atomic_store_explicit(&s->in->ack, p.in, memory_order_release);
    s->ns = (double)(bench_now_ns() - start) / (double)s->n;
    return NULL;
}

double pair_ring_ns(int per_line, long n)
{
    struct ring *rings = allocate(2 * sizeof(struct ring));
    atomic_int ready = 0;
    struct side sides[2];

    memset(rings, 0, 2 * sizeof(struct ring));
    for (int i = 0; i < 2; i++)
        sides[i] = (struct side){.out = &rings[i],
                                 .in = &rings[1 - i],
                                 .ready = &ready,
                                 .core = i,
                                 .per_line = per_line,
                                 .n = n / per_line * per_line};
    run_both(ring_side, ring_side, &sides[0], &sides[1]);
    free(rings);
    return sides[0].ns;
}
