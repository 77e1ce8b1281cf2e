/* SPDX-License-Identifier: MIT */
/* Whether the host kept up with the runs and, if not, why and what helps. */
#ifndef LOGP_ADVICE_H
#define LOGP_ADVICE_H

#include "answer/answer.h"

/* A run is late if it takes longer than predicted by more than this fraction. */
#define BEARABLE 0.01

/* Quality of a run on the wall clock. */
struct advice {
    int n_cores;
    int late, judged, restarts; /* rows beyond the bearable ratio, out of how many; repeated runs */
    int late_starts;            /* counted runs that a core began late */
    const struct row
        *busy; /* the one with the fewest undisturbed runs, if these are fewer than a third:
                                   the host was too busy; else NULL */
    const struct row
        *spoilt; /* the latest one that is late only with its disturbed runs; NULL: none */
    const struct row *worst; /* the latest of them; NULL: the host kept up */
    const struct row *early; /* the first one that is faster than the model's rules allow */
    int64_t clock_error_ns;  /* between processes, the greatest; -1: all are in one */
    bool clock_is_off;       /* by more than is bearable of a unit or of a prediction */
    double fiber_ratio;      /* of the worst with fibers, as tried; 0: not tried */
    int64_t steps_ns;        /* of a run of it with fibers and without delays; 0: not tried */
    double copied_bytes;     /* in one run of the worst; 0: not known */
    double copy_ps_per_byte; /* of this host; 0: not known */
    int64_t G_ps;            /* that would charge for it, */
    double G_ratio;          /* and the worst with it, as tried; 0: not tried */
    int64_t program_ns;      /* of a program, which has no rows: its emulated time, */
    double program_over;     /* and how late it ended, as a fraction of that */
};

/* Judge rows that were run. */
struct advice judge_rows(const struct output *out);
/* Set the bytes that a run of the worst row copies, and their cost here; for people only. */
void judge_copies(const struct output *out, struct advice *a);
/* Run the worst row without delays, with fibers if threads could not keep up, and with a larger G if
 * copying bytes costs more than the model charges; for people only. */
CHECKED struct problem *try_others(const struct question *q, const char *collective,
                                   struct advice *a);

/* The ratio by which a row is judged: of the undisturbed runs, if these are at least a third. */
double judged_ratio(const struct logp_record *r);
/* Excess of the worst row over its prediction, or of a program over its emulated time, as a
 * fraction; and as a time. */
double worst_over(const struct advice *a);
double excess_ns(const struct advice *a);
/* The time of copying in a run of the worst row. */
double copying_ns(const struct question *q, const struct advice *a);
/* Whether copying is most of that excess; or enough to be 10 % late, and most of the steps. After
 * judge_copies(), and again after try_others(). */
bool is_copying(const struct question *q, const struct advice *a);
/* Whether the steps of the worst row, with all that they copy, are most of that excess. */
bool are_steps_long(const struct advice *a);
/* The unit with which an error of this fraction would be bearable, because the time that the host
 * adds to a run is much the same with any unit. */
int64_t bearable_unit_ns(const struct question *q, double over);

#endif
