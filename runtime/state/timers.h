/* SPDX-License-Identifier: MIT */
/*
 * The deadlines of a core, the earliest (key, order) first.
 *
 * The vps of a program do the same things at the same times, so most deadlines come in order. They
 * are appended to one of a few sorted runs and taken from its front, which touches nothing else. A
 * deadline that fits no run goes into a 4-ary heap. With loose_ns it also fits a run
 * if it is out of order by fewer ns than there are deadlines. The deadlines with which a run of the
 * machine starts are all the same, and need no memory.
 *
 * Deadlines are not removed from the middle. A deadline that is moved is pushed again, and the
 * scheduler skips stale slots. lpi_timers_purge() removes them when there are too many.
 */
#ifndef LPI_TIMERS_H
#define LPI_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LPI_RUNS = 12,
    LPI_FEW_RUNS = 4, /* while there are few deadlines, a small heap costs less than more runs */
    LPI_HEAP_ARITY = 4,
    LPI_TIMER_BLOCK = 63,
    LPI_AFTER_ALL = 1 << 30
};

struct lpi_timer {
    int64_t key;
    int order;      /* of those with this key: the proc's rank, or LPI_AFTER_ALL | rank */
    unsigned stamp; /* the proc's stamp at the push: a different one now means stale */
};

static inline int lpi_timer_rank(const struct lpi_timer *s)
{
    return s->order & ~LPI_AFTER_ALL;
}

/* Blocks of all runs are of one size, so they serve each other's memory. */
struct lpi_timer_block {
    struct lpi_timer_block *next;
    struct lpi_timer slots[LPI_TIMER_BLOCK];
};

struct lpi_run {
    struct lpi_timer_block *first, *last; /* NULL: never used */
    int head, tail;                       /* in the first, and in the last; tail 0: it is empty */
};

struct lpi_timers {
    struct lpi_run runs[LPI_RUNS];
    int n_runs; /* the others are empty */
    struct lpi_timer *heap;
    int n_heap, n, capacity; /* in the heap; in all parts; of all but the start */
    int loose_ns; /* in a run, a deadline may follow one that is later by less than n * loose_ns */
    int top;      /* the part with the earliest deadline, if it is known: timers.c */
    /* if it is known: no deadline of another part is before this one */
    struct lpi_timer other;
    int64_t least;          /* no key is less; it may be lower than all of them */
    struct lpi_timer start; /* the next deadline at the start, of n_start ... */
    int n_start;
    const int *ranks; /* ... for these; NULL: consecutive ranks */
    struct lpi_timer_block *blocks, *free;
    int n_blocks, n_used; /* blocks that have been used are in a run or free */
};

/* Space for `most` deadlines and as many stale ones. @return 0; -ENOMEM */
int lpi_timers_init(struct lpi_timers *t, int most);
void lpi_timers_fini(struct lpi_timers *t);
void lpi_timers_clear(struct lpi_timers *t);
/* Add n deadlines at time 0 with stamp 0 to timers that are empty. ranks: their ranks, in ascending
 * order, which must stay where they are; NULL: they are first, first + 1, ... */
void lpi_timers_start(struct lpi_timers *t, const int *ranks, int first, int n);
bool lpi_timers_full(const struct lpi_timers *t);
/* Requires !lpi_timers_full(). */
void lpi_timers_push(struct lpi_timers *t, int64_t key, int order, unsigned stamp);
/* The earliest deadline; NULL: there is none. Valid until the next change. */
const struct lpi_timer *lpi_timers_top(struct lpi_timers *t);
void lpi_timers_pop(struct lpi_timers *t);
/* The k-th deadline after the earliest, if it is known without a search; else NULL. */
const struct lpi_timer *lpi_timers_ahead(struct lpi_timers *t, int k);
/* The second deadline. Its key is INT64_MAX if there are fewer than two. */
struct lpi_timer lpi_timers_second(struct lpi_timers *t);
/* Keep only the slots for which holds(arg, slot), and the start. */
void lpi_timers_purge(struct lpi_timers *t, bool (*holds)(void *arg, const struct lpi_timer *s),
                      void *arg);

#endif
