/* SPDX-License-Identifier: MIT */
/* Rows of results; predictions, traces and explanations, which need no run. */
#ifndef LOGP_ANSWER_H
#define LOGP_ANSWER_H

#include "question/choice/choice.h"
#include "question/schedule/schedule.h"
#include "text/problem.h"

#include <stdlib.h>

/* How the median compares with that of a saved run. */
enum verdict { VERDICT_UNCHANGED, VERDICT_FASTER, VERDICT_SLOWER, VERDICT_UNKNOWN, VERDICT_NEW };

struct change {
    enum verdict verdict;
    bool has_then, has_interval;
    int64_t then_ns;
    double ratio, low, high;     /* now / then, 0: not known; its 95 % interval */
    int64_t then_undisturbed_ns; /* median of the undisturbed runs; 0: not known */
    double undisturbed_ratio;    /* of these medians; 0: not known */
    bool is_too_busy;            /* one of the two runs was, or these medians do not agree */
};

/* One row of the result. */
struct row {
    const struct logp_algorithm *algorithm;
    struct logp_record record;
    bool ran;      /* set by a run; not by a prediction */
    int processes; /* of the machine */
    bool has_ranks;
    struct {
        int64_t min_ns, mean_ns, max_ns;
    } ranks; /* over the ranks, of each rank's mean time */
    bool has_links;
    struct logp_link_use links, busiest; /* on a topology: messages and waiting of one run */
    struct logp_explanation *explained;  /* with --explain; NULL: there is none */
    const char *unexplained;             /* the reason; NULL: it is explained */
    bool keeps_runs;                     /* each measured time is wanted */
    struct logp_run_time *runs;          /* reps + restarts of them, to be freed; NULL: none */
    bool explained_failure;   /* with faults: the first failed repetition has been reported */
    struct change change;     /* bench --against */
    const int64_t *rank_ends; /* by rank, of a GOAL file: the end of its last operation; kept by the
                                 question. NULL: not known */
    int64_t n_rank_ends;
    const struct logp_args
        *args; /* with several patterns of arrivals, its parameters; kept by the question. NULL:
                                     those of the output */
    const int64_t *pattern_ns; /* and its time with each pattern; NULL: not known */
    int64_t n_patterns;
    bool has_alone;
    int64_t alone_ns;      /* of a file of --schedule, without the others */
    char wrong_ranks[128]; /* without the right result in it: "3,7"; many: "3,7,+5 more" */
};

struct saved; /* a run that was kept: view/records/saved.c */

/* All rows, and their settings. */
struct output {
    const struct question *q;
    const char *collective;
    const struct logp_invocation *c;
    const struct row *rows;
    size_t n;
    struct logp_core_use cores;  /* n_cores 0: nothing was run */
    const char *sweep;           /* the sweep that these rows belong to; NULL: none */
    const struct output *next;   /* more rows of it; NULL: there are no more */
    const struct saved *against; /* the run to compare the rows with; NULL: none */
};

/* Free the measured times of a row. */
static inline void forget_runs(struct row *row)
{
    free(row->runs);
    row->runs = NULL;
}

/* The number of runs, including those that faults made fail. */
static inline int runs_of_record(const struct logp_record *r)
{
    return r->reps + r->failed;
}

/* ---- emulation.c ---- */

/* Create the delay model of the question. *rc: 0; a negative errno: there is none */
CHECKED struct problem *create_delay(const struct question *q, struct logp_delay *delay, int *rc);

/* ---- prediction.c ---- */

/* The reason why there is no prediction, and what to do. @return buf or a constant */
const char *why_unpredicted(const struct question *q, const struct logp_algorithm *algorithm,
                            char buf[192]);

/* Whether the steps cannot be done according to the prediction: a deadlock, a message without a
 * receive. */
bool has_wrong_steps(const struct logp_prediction *p);
/* The error of a plug-in's algorithm whose steps have no end. */
CHECKED struct problem *check_last_step(const struct question *q, const struct logp_invocation *c,
                                        const struct logp_algorithm *a);
/* The error of the steps, as a run finds it; of several lines the last: the others have been
 * printed. */
CHECKED struct problem *check_steps(const struct question *q, const struct logp_invocation *c,
                                    const struct logp_algorithm *a);
/* Print the rows that are not predicted because their schedules are too long. */
void say_unpredicted_rows(const struct question *q, const struct logp_invocation *c,
                          const struct row *rows, size_t n);
/* Predict as the options ask, under their delay model. */
CHECKED struct problem *predict(const struct question *q, const struct logp_invocation *c,
                                const struct logp_algorithm *algorithm,
                                struct logp_prediction *out);
/* The time of all runs of an algorithm on the host, by its formula; most: the limit of --limit. */
struct expected_time {
    double likely_ns, most_ns;
};
struct expected_time expect_time(const struct question *q, const struct logp_invocation *c,
                                 const struct logp_algorithm *algorithm);
/* The time left after `done` has taken spent_ns: the likely rest times spent / likely of `done`,
 * but at most the rest of the most; if `done` took more than its most, that rest grows with it. */
double time_left_ns(struct expected_time all, struct expected_time done, double spent_ns);
/* The likely time of all runs. */
double estimate_ns(const struct question *q, const struct logp_invocation *c,
                   const struct logp_algorithm *algorithm);
/* The latest end of the algorithm; -1: no prediction bounds it, or the algorithm does not apply. */
CHECKED struct problem *latest_end(const struct question *q, const struct logp_invocation *c,
                                   const struct logp_algorithm *algorithm, int64_t *ns);
/* The algorithm with the earliest latest_end() among those that the options choose; ties go to the
 * first. *best: NULL: none has a prediction; *ns: its end; -1 */
CHECKED struct problem *predicted_best(const struct question *q, const char *collective,
                                       const struct logp_invocation *c,
                                       const struct logp_algorithm **best, int64_t *ns);
/* A time that no algorithm can beat; -1: not known. */
int64_t lower_bound(const struct question *q, const char *collective,
                    const struct logp_invocation *c);

/* ---- arrivals.c ---- */

/*
 * Predict the mean time over all patterns, and set the parameters of *c: one set of them for all. Only means up
 * to `until` are wanted, INT64_MAX: any. ns: out, the time with each pattern; NULL: not wanted.
 * @return a lower bound: the mean is later; none: it is not known
 */
struct logp_prediction predict_mean(const struct arrivals *arrivals,
                                    const struct logp_algorithm *algorithm, int64_t P,
                                    struct logp_invocation *c, int64_t until, int64_t *ns);

/* ---- tracing.c ---- */

/* The trace of the algorithm's schedule under the delay model of the options; *out: NULL: it has no
 * schedule, or more messages than `most`, 0: any number. */
CHECKED struct problem *trace_prediction(const struct question *q, const struct logp_invocation *c,
                                         const struct logp_algorithm *algorithm, uint64_t most,
                                         struct logp_trace **out);

/* ---- explanation.c ---- */

/* The problem of a model whose times are not sums along a path. by: the option or command that
 * needs it */
CHECKED struct problem *check_explained(const struct question *q, const char *by);
/* With --explain, explain the predicted time of each row's algorithm; a problem if the options do
 * not allow it, or if there is only one row and it cannot be explained. */
CHECKED struct problem *explain_rows(const struct question *q, const struct logp_invocation *c,
                                     struct row *rows, size_t n);
/* Explain one algorithm. NULL: it cannot be explained, and *why is the reason. */
struct logp_explanation *explain_algorithm(const struct question *q,
                                           const struct logp_invocation *c,
                                           const struct logp_algorithm *algorithm,
                                           const char **why);
void forget_explanations(struct row *rows, size_t n);

#endif
