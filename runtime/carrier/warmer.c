/* SPDX-License-Identifier: MIT */
/* Making memory present ahead of its use: see warmer.h. */
#define _GNU_SOURCE
#include "carrier/warmer.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; older ones refuse it, and nothing is lost */
#endif

enum { MOST_RANGES = 8, STEP = 8 << 20 };

struct range {
    char *memory;
    size_t bytes;
};

struct lpi_warmer {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct range ranges[MOST_RANGES];
    int n;
    bool quit;
};

/* From the end to the beginning: the other way round than it is used, so that the two meet once. */
static void populate(struct lpi_warmer *w, struct range r)
{
    const uintptr_t page = 4096;
    const uintptr_t first = ((uintptr_t)r.memory + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)r.memory + r.bytes) / page * page;

    while (end > first) {
        const uintptr_t from = end - first > STEP ? end - STEP : first;
        bool quit;

        if (madvise((void *)from, end - from, MADV_POPULATE_WRITE) != 0)
            return;
        end = from;
        pthread_mutex_lock(&w->lock);
        quit = w->quit;
        pthread_mutex_unlock(&w->lock);
        if (quit)
            return;
    }
}

static void *warm(void *arg)
{
    struct lpi_warmer *w = arg;

    pthread_mutex_lock(&w->lock);
    while (!w->quit) {
        struct range r;

        if (w->n == 0) {
            pthread_cond_wait(&w->changed, &w->lock);
            continue;
        }
        r = w->ranges[0];
        w->n--;
        for (int i = 0; i < w->n; i++)
            w->ranges[i] = w->ranges[i + 1];
        pthread_mutex_unlock(&w->lock);
        populate(w, r);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

struct lpi_warmer *lpi_warmer_start(void)
{
    struct lpi_warmer *w;
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0 && CPU_COUNT(&allowed) < 2)
        return NULL;
    w = calloc(1, sizeof(*w));
    if (w == NULL)
        return NULL;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    if (pthread_create(&w->thread, NULL, warm, w) == 0)
        return w;
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
    return NULL;
}

void lpi_warmer_add(struct lpi_warmer *w, void *memory, size_t bytes)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    if (w->n < MOST_RANGES)
        w->ranges[w->n++] = (struct range){memory, bytes};
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

void lpi_warmer_stop(struct lpi_warmer *w)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    w->quit = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}
