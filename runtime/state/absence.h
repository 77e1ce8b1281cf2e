/* SPDX-License-Identifier: MIT */
/*
 * Absences of a core: times in which its carriers did not run.
 *
 * In a wait the clock is read again and again, and the longest time between two readings counts. This also
 * shows what a hypervisor takes. A program between two calls reads no clock. So the processor time of the
 * carriers is subtracted from the host's time between two common starts, and the rest counts as one absence.
 */
#ifndef LPI_ABSENCE_H
#define LPI_ABSENCE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* What a core has at a moment, in ns. */
struct lpi_presence {
    int64_t host;     /* the host's clock; below 0: there is nothing to compare with */
    int64_t cpu;      /* processor time of all its carriers, up to now ... */
    int64_t own;      /* ... and of the one that was asked, ... */
    pthread_t thread; /* ... which is this one */
};

/* By the core's holder. */
struct lpi_absence {
    int64_t seen;      /* the last reading of the clock in this wait; LPI_UNSEEN: there is none */
    int64_t idle_seen; /* the last one in idle polls, by the host's clock; valid if idle_from is */
    unsigned idle_polls;    /* they count the polls between two of those */
    int64_t slept;          /* since then the core slept by itself: sleep.c */
    int64_t most;           /* in this run, up to the last sync */
    struct lpi_presence at; /* before the last start */
    _Atomic int64_t
        last[2]; /* since a start, by the parity of its generation; valid after the next sync */
};

#define LPI_UNSEEN (INT64_MAX / 8)

#endif
