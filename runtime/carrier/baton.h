/* SPDX-License-Identifier: MIT */
/* Pinned threads that sleep until they are given something; each has a futex word. The thread
 * executor has one per vp and passes the core between them. The fiber executor has one per core. */
#ifndef LPI_BATON_H
#define LPI_BATON_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum {
    LPI_BATON_ASLEEP, /* or about to be: wake it after a change */
    LPI_BATON_AWAKE,  /* runnable: it reads the word before it sleeps */
    LPI_BATON_HAS,    /* the thread has the baton */
    LPI_BATON_QUIT,   /* the machine ends */
};

struct lpi_baton {
    _Alignas(128) atomic_int word;
    pthread_t thread;
    void *arg; /* the thread's own */
};

/* Start a thread on one core (cpu < 0: any) that runs main(baton). 0; negative errno */
int lpi_baton_start(struct lpi_baton *b, int cpu, size_t stack_bytes, void *(*main)(void *));
void lpi_baton_give(struct lpi_baton *b, int what);
/* Make its thread runnable, without giving it anything. */
void lpi_baton_prepare(struct lpi_baton *b);
/* By its own thread: wait until something is given, and return it. The word is AWAKE then. */
int lpi_baton_await(struct lpi_baton *b);

#endif
