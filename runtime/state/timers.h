/* SPDX-License-Identifier: MIT */
/*
 * The deadlines of a core, the earliest (key, rank) first.
 *
 * Processors of one program do the same things at the same times, so most deadlines come already in
 * order: they are appended to one of a few sorted runs and taken from its front, without touching
 * anything else. What fits no run goes to a 4-ary heap. On the wall clock it fits where it is out
 * of order by less than it takes to go through all of them.
 *
 * There is no removal from the middle. A deadline that is moved is pushed again, and the scheduler
 * passes over slots that no longer hold (lpi_timers_purge: when there are too many of them).
 */
#ifndef LPI_TIMERS_H
#define LPI_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LPI_RUNS = 4, LPI_HEAP_ARITY = 4 };

struct lpi_timer {
    int64_t key;
    int rank;
    unsigned stamp; /* of the deadline, so that one that has been moved is not taken for another */
};

struct lpi_run {
    struct lpi_timer *slots; /* sorted, [head, tail) */
    int head, tail;
};

struct lpi_timers {
    struct lpi_run runs[LPI_RUNS];
    struct lpi_timer *heap;
    int n_heap, n, capacity; /* in the heap, in all; of each part */
    bool is_loose; /* a deadline may come after later ones, by less ns than there are deadlines */
    int top;       /* the part that holds the earliest, if it is known: timers.c */
};

/* Room for `most` that hold, and as many that do not. 0; -ENOMEM */
int lpi_timers_init(struct lpi_timers *t, int most);
void lpi_timers_fini(struct lpi_timers *t);
void lpi_timers_clear(struct lpi_timers *t);
/* There must be room: n < capacity. */
void lpi_timers_push(struct lpi_timers *t, int64_t key, int rank, unsigned stamp);
/* The earliest; NULL: there is none. Valid until the next change. */
const struct lpi_timer *lpi_timers_top(struct lpi_timers *t);
void lpi_timers_pop(struct lpi_timers *t);
/* The k-th after the earliest, if that is known without searching; else NULL. */
const struct lpi_timer *lpi_timers_ahead(struct lpi_timers *t, int k);
/* Some of those that come soon after the earliest, in no order. @return their number, <= most */
int lpi_timers_soon(const struct lpi_timers *t, const struct lpi_timer **out, int most);
/* Keep only the slots for which holds(arg, slot). */
void lpi_timers_purge(struct lpi_timers *t, bool (*holds)(void *arg, const struct lpi_timer *s),
                      void *arg);

#endif
