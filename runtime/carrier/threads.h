/* SPDX-License-Identifier: MIT */
/* The threads of executors: batons, overflows of stacks, and state that each fiber needs. */
#ifndef LPI_THREADS_H
#define LPI_THREADS_H

#include "state/state.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/*
 * ---- baton.c ----
 * Pinned threads that sleep until they are given something; each has a futex word. The thread
 * executor has one per vp and passes the core between them. The fiber executor has one per core.
 */

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
/* Make its thread runnable, without giving the baton. */
void lpi_baton_prepare(struct lpi_baton *b);
/* By its own thread: wait until something is given, and return it. The word is AWAKE then. */
int lpi_baton_await(struct lpi_baton *b);

/* ---- overflow.c: name the fiber that overflows its stack ---- */

/* Below each stack: more than the largest frame that compiled code makes without touching its
 * pages. */
enum { LPI_GUARD_BYTES = 1 << 20 };

/* By a carrier thread, before its first fiber: check its faults, on a stack of their own if there
 * is memory for it. */
void lpi_overflow_guard(void **memory);
/* At its end. */
void lpi_overflow_unguard(void *memory);

/*
 * ---- the state of a thread ----
 * What the C and C++ runtimes keep per thread, and each fiber needs for itself: errno, and the
 * exceptions that are being handled (Itanium C++ ABI, 2.2.2: two words), if there is a C++ runtime.
 * Other thread-local variables belong to the carrier thread.
 */

/* Of the C++ runtime; NULL if the process was started without one. */
void *__cxa_get_globals(void) __attribute__((weak));

struct lpi_thread_state {
    int error;
    void *exceptions[2];
};

static inline struct lpi_thread_place lpi_thread_place(void)
{
    return (struct lpi_thread_place){
        .error = &errno,
        .exceptions = __cxa_get_globals != NULL ? __cxa_get_globals() : NULL,
    };
}

static inline void lpi_thread_state_save(struct lpi_thread_state *s,
                                         const struct lpi_thread_place *at)
{
    s->error = *at->error;
    if (at->exceptions != NULL)
        memcpy(s->exceptions, at->exceptions, sizeof(s->exceptions));
}

static inline void lpi_thread_state_restore(const struct lpi_thread_state *s,
                                            const struct lpi_thread_place *at)
{
    *at->error = s->error;
    if (at->exceptions != NULL)
        memcpy(at->exceptions, s->exceptions, sizeof(s->exceptions));
}

/* A vp gives its thread to another one, and has it again: logp_vp_keep(). Rarely used, so not inlined. */
void lpi_kept_save(const struct logp_kept *kept);
void lpi_kept_restore(const struct logp_kept *kept);

#endif
