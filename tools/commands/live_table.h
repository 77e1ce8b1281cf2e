/* SPDX-License-Identifier: MIT */
/* The watcher of --watch: a live table of what runs, on stderr. */
#ifndef LOGP_LIVE_TABLE_H
#define LOGP_LIVE_TABLE_H

#include "answer/answer.h"

/* An algorithm. */
struct live_line {
    const struct logp_algorithm *algorithm;
    int points, done;
    int runs, of_runs; /* of the point that is running, or ran last */
    double ratio, worst;
    int64_t lag_ns; /* of the last that is done; -1: none */
};

/* Starts as {0}. */
struct live_table {
    struct live_line lines[MAX_ALGORITHMS]; /* in the order of their first runs */
    int n, points, done, current;
    double all_ns, done_ns;
    int64_t begun_ns;
    bool live, coloured;
    int drawn; /* number of its lines on the terminal */
};

/* Add so many points of this algorithm, and their estimated time, to the points to run; negative
 * numbers remove points. */
void live_table_expect(struct live_table *t, const struct logp_algorithm *algorithm, int points,
                       double ns);
/* With --watch, watch the runs of the question from now on. */
void live_table_begin(struct live_table *t, const struct question *q);
/* Leave the terminal as it was before. */
void live_table_end(struct live_table *t);

#endif
