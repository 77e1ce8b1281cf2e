/* SPDX-License-Identifier: MIT */
/*
 * --unit auto: the smallest unit of 1, 2, 5, 10, ... at which a run keeps within 1 % of its
 * prediction on this host. The time that the host adds to a run is much the same at any unit, so
 * its share falls as the unit grows. The unit is found by bisection; a second trial confirms it.
 */
#include "answer/runs.h"
#include "question/choice/choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const units[] = {"10ns",  "20ns", "50ns", "100ns", "200ns", "500ns", "1us",
                                    "2us",   "5us",  "10us", "20us",  "50us",  "100us", "200us",
                                    "500us", "1ms",  "2ms",  "5ms",   "10ms"};
enum { N_UNITS = sizeof(units) / sizeof(units[0]) };

static const double within = 1.01;
static const int64_t trial_ns = 300000000;  /* intended time of a trial of an algorithm */
static const int64_t most_ns = 10000000000; /* largest predicted time of a trial */
enum { LEAST_REPS = 5, MOST_REPS = 50, WARMUP = 2 };

/* Short runs of the chosen algorithms at one unit. */
struct trial {
    struct question q;
    struct logp_invocation c;
    size_t n;
    struct row rows[MAX_ALGORITHMS];
    double worst; /* the largest ratio; the first above 1 % ends the trial */
    size_t at;    /* the row of the largest ratio */
};

/* Resolve the options again with this unit; the fields set by the command itself stay. */
static struct problem *take_unit(struct question *q, const char *unit)
{
    const struct question before = *q;

    give_option(q, "unit", unit);
    TRY(resolve_point(q, 0));
    q->form.watch = before.form.watch;
    q->what.algorithms = before.what.algorithms;
    return NULL;
}

static struct problem *begin(struct trial *t, const struct question *q, const char *collective,
                             int unit)
{
    const struct logp_algorithm *chosen[MAX_ALGORITHMS];

    *t = (struct trial){.q = *q};
    TRY(take_unit(&t->q, units[unit]));
    TRY(make_invocation(&t->q, collective, &t->c));
    TRY(choose_algorithms(&t->q, collective, &t->c, chosen, &t->n));
    for (size_t i = 0; i < t->n; i++)
        t->rows[i].algorithm = chosen[i];
    return NULL;
}

/* The prediction of a row, with which its runs are compared. */
static struct problem *promised(const struct trial *t, size_t i, int64_t *ns)
{
    const struct logp_algorithm *a = t->rows[i].algorithm;
    struct logp_prediction p;

    TRY(predict(&t->q, &t->c, a, &p));
    *ns = p.ns;
    if (p.certainty == LOGP_PREDICTION_NONE || p.certainty == LOGP_PREDICTION_LOWER_BOUND)
        return must_be("--unit", "auto", "a time, as 10us: %s %s has %s", a->collective, a->name,
                       p.certainty == LOGP_PREDICTION_NONE
                           ? "no prediction"
                           : "only a lower bound as its prediction");
    return NULL;
}

/* The longest prediction at one unit. */
static struct problem *longest(struct trial *t, const struct question *q, const char *collective,
                               int unit, int64_t *most)
{
    int64_t ns;

    *most = 0;
    TRY(begin(t, q, collective, unit));
    for (size_t i = 0; i < t->n; i++) {
        TRY(promised(t, i, &ns));
        *most = ns > *most ? ns : *most;
    }
    return NULL;
}

static int reps_of(const struct question *q, int64_t ns)
{
    const int64_t reps = trial_ns / (ns + 1),
                  most = q->how.reps < MOST_REPS ? q->how.reps : MOST_REPS;

    return (int)(reps > most ? most : reps < LEAST_REPS ? LEAST_REPS : reps);
}

/* Run one algorithm a few times. */
static struct problem *try_row(struct trial *t, const struct question *q, struct logp_machine *m,
                               size_t i)
{
    int64_t ns;
    size_t done;
    double ratio;

    TRY(promised(t, i, &ns));
    t->q.how.reps = reps_of(q, ns);
    TRY(run_rows(&t->q, m, &t->c, &t->rows[i], 1, &done));
    if (runs_are_over(q))
        return told(EXIT_WRONG);
    ratio = logp_record_ratio(&t->rows[i].record);
    if (ratio > t->worst) {
        t->worst = ratio;
        t->at = i;
    }
    return NULL;
}

/* Run each algorithm a few times at this unit. *kept: whether each keeps within 1 % */
static struct problem *try_unit(struct trial *t, const struct question *q, const char *collective,
                                int unit, bool *kept)
{
    struct problem *problem = NULL;
    struct logp_machine *m;
    char what[64];

    TRY(begin(t, q, collective, unit));
    snprintf(what, sizeof(what), "logp: --unit auto: trying %s ", units[unit]);
    tell_doing(q, what);
    t->q.form.progress = t->q.form.watch = false;
    t->q.how.warmup = WARMUP;
    TRY(place_partners(&t->q, &t->c, t->rows, t->n));
    TRY(create_machine(&t->q, &m));
    for (size_t i = 0; i < t->n && problem == NULL && t->worst <= within; i++)
        problem = try_row(t, q, m, i);
    end_machine(q, m);
    *kept = t->worst <= within;
    return problem;
}

/* *n: the number of units whose runs are short enough to be tried. A problem if the prediction does
 * not depend on the unit. */
static struct problem *count_tried(struct trial *t, const struct question *q,
                                   const char *collective, int *n)
{
    int64_t shortest, most;

    *n = N_UNITS;
    TRY(longest(t, q, collective, 0, &shortest));
    TRY(longest(t, q, collective, N_UNITS - 1, &most));
    if (most == shortest)
        return must_be("--unit", "auto",
                       "a time, as 10us: no time of this run is counted in units");
    for (; *n > 1 && most > most_ns / (LEAST_REPS + WARMUP); --*n)
        TRY(longest(t, q, collective, *n - 2, &most));
    return NULL;
}

static struct problem *none_keeps(const struct trial *t, const char *unit)
{
    const struct logp_algorithm *a = t->rows[t->at].algorithm;

    return failure(
        "--unit auto: no unit up to %s keeps within 1 %% here: %s %s takes %.1f %% longer than "
        "predicted; try %sfewer processors, or --clock virtual without --unit auto",
        unit, a->collective, a->name, (t->worst - 1) * 100,
        t->q.how.fibers ? "" : "--executor fiber, ");
}

/* The smallest unit that keeps, and keeps again. */
static struct problem *search(struct trial *t, const struct question *q, const char *collective,
                              const char **unit)
{
    int low = 0, high, n;
    bool kept = false;

    TRY(count_tried(t, q, collective, &n));
    for (high = n; low < high;) { /* below low none keeps, high does or is n */
        const int middle = (low + high) / 2;

        TRY(try_unit(t, q, collective, middle, &kept));
        if (kept)
            high = middle;
        else
            low = middle + 1;
    }
    for (kept = false; high < n && !kept; high += !kept)
        TRY(try_unit(t, q, collective, high, &kept));
    tell_doing(q, NULL);
    if (high == n)
        return none_keeps(t, units[n - 1]);
    *unit = units[high];
    return NULL;
}

struct problem *find_unit(struct question *q, const char *collective)
{
    struct problem *problem;
    struct trial *t;
    const char *unit = NULL;

    if (q->how.clock == LOGP_CLOCK_VIRTUAL)
        return must_be("--unit", "auto",
                       "a time, as 10us: on the virtual clock each unit keeps its prediction");
    if (!q->model.emulated && q->model.plugin == NULL)
        return must_be("--unit", "auto", "a time, as 10us: without delays there is no prediction");
    t = need(malloc(sizeof(*t)));
    problem = search(t, q, collective, &unit);
    free(t);
    if (problem == NULL)
        problem = take_unit(q, unit);
    q->model.unit_auto = true;
    return problem;
}
