/* SPDX-License-Identifier: MIT */
/*
 * --unit auto: the smallest unit of 1, 2, 5, 10, ... at which a run keeps within 1 % of its
 * prediction on this host. The time that the host adds to a run is much the same at any unit, so
 * its share falls as the unit grows. The unit is found by bisection; a second trial confirms it.
 */
#include "question/choice/choice.h"
#include "answer/answer.h"

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
    int code;     /* EXIT_WRONG: a run went wrong */
    double worst; /* the largest ratio; the first above 1 % ends the trial */
    size_t at;    /* the row of the largest ratio */
};

/* Resolve the options again with this unit; the fields set by the command itself stay. */
static void take_unit(struct question *q, const char *unit)
{
    const struct question before = *q;

    give_option("unit", unit);
    resolve_point(q, 0);
    q->form.watch = before.form.watch;
    q->what.algorithms = before.what.algorithms;
}

static void begin(struct trial *t, const struct question *q, const char *collective, int unit)
{
    const struct logp_algorithm *chosen[MAX_ALGORITHMS];

    *t = (struct trial){.q = *q, .code = EXIT_OK};
    take_unit(&t->q, units[unit]);
    t->c = make_invocation(&t->q, collective);
    t->n = choose_algorithms(&t->q, collective, &t->c, chosen);
    for (size_t i = 0; i < t->n; i++)
        t->rows[i].algorithm = chosen[i];
}

/* The prediction of the row; ends the process if no run can be compared with it. */
static int64_t promised(const struct trial *t, size_t i)
{
    const struct logp_algorithm *a = t->rows[i].algorithm;
    const struct logp_prediction p = predict(&t->q, &t->c, a);

    if (p.certainty == LOGP_PREDICTION_NONE || p.certainty == LOGP_PREDICTION_LOWER_BOUND)
        bad_option("--unit", "auto", "a time, as 10us: %s %s has %s", a->collective, a->name,
                   p.certainty == LOGP_PREDICTION_NONE ? "no prediction"
                                                       : "only a lower bound as its prediction");
    return p.ns;
}

static int64_t longest(const struct trial *t)
{
    int64_t most = 0;

    for (size_t i = 0; i < t->n; i++)
        most = promised(t, i) > most ? promised(t, i) : most;
    return most;
}

static int reps_of(const struct question *q, int64_t ns)
{
    const int64_t reps = trial_ns / (ns + 1),
                  most = q->how.reps < MOST_REPS ? q->how.reps : MOST_REPS;

    return (int)(reps > most ? most : reps < LEAST_REPS ? LEAST_REPS : reps);
}

/* Run each algorithm a few times at this unit. @return whether each keeps within 1 % */
static bool keeps(struct trial *t, const struct question *q, const char *collective, int unit)
{
    struct logp_machine *m;
    size_t done;

    begin(t, q, collective, unit);
    if (t->q.form.progress)
        fprintf(stderr, "\rlogp: --unit auto: trying %s \033[K", units[unit]);
    t->q.form.progress = t->q.form.watch = false;
    t->q.how.warmup = WARMUP;
    place_partners(&t->q, &t->c, t->rows, t->n);
    m = create_machine(&t->q);
    for (size_t i = 0; i < t->n && t->code == EXIT_OK && t->worst <= within; i++) {
        t->q.how.reps = reps_of(q, promised(t, i));
        t->code = run_rows(&t->q, m, &t->c, &t->rows[i], 1, &done);
        if (t->code == EXIT_OK && done == 1 && logp_record_ratio(&t->rows[i].record) > t->worst) {
            t->worst = logp_record_ratio(&t->rows[i].record);
            t->at = i;
        }
    }
    end_machine(m);
    if (runs_are_over())
        t->code = EXIT_WRONG;
    return t->code == EXIT_OK && t->worst <= within;
}

/* The number of units whose runs are short enough to be tried; ends the process if the prediction
 * does not depend on the unit. */
static int n_tried(struct trial *t, const struct question *q, const char *collective)
{
    int64_t shortest;
    int n = N_UNITS;

    begin(t, q, collective, 0);
    shortest = longest(t);
    begin(t, q, collective, N_UNITS - 1);
    if (longest(t) == shortest)
        bad_option("--unit", "auto", "a time, as 10us: no time of this run is counted in units");
    for (; n > 1 && longest(t) > most_ns / (LEAST_REPS + WARMUP); n--)
        begin(t, q, collective, n - 2);
    return n;
}

static int say_none(const struct trial *t, const char *unit)
{
    const struct logp_algorithm *a = t->rows[t->at].algorithm;

    say("--unit auto: no unit up to %s keeps within 1 %% here: %s %s takes %.1f %% longer than "
        "predicted; try %sfewer processors, or --clock virtual without --unit auto",
        unit, a->collective, a->name, (t->worst - 1) * 100,
        t->q.how.fibers ? "" : "--executor fiber, ");
    return EXIT_WRONG;
}

int find_unit(struct question *q, const char *collective)
{
    struct trial *t = or_end(malloc(sizeof(*t)));
    int low = 0, high, n, code = EXIT_OK;

    if (q->how.clock == LOGP_CLOCK_VIRTUAL)
        bad_option("--unit", "auto",
                   "a time, as 10us: on the virtual clock each unit keeps its prediction");
    if (!q->model.emulated && q->model.plugin == NULL)
        bad_option("--unit", "auto", "a time, as 10us: without delays there is no prediction");
    n = high = n_tried(t, q, collective);
    while (code == EXIT_OK && low < high) { /* below low none keeps, high does or is n */
        const int middle = (low + high) / 2;

        if (keeps(t, q, collective, middle))
            high = middle;
        else
            low = middle + 1;
        code = t->code;
    }
    for (; code == EXIT_OK && high < n && !keeps(t, q, collective, high); high++)
        code = t->code;
    if (code == EXIT_OK && q->form.progress)
        fputs("\r\033[K", stderr);
    if (code == EXIT_OK && high == n)
        code = say_none(t, units[n - 1]);
    if (code == EXIT_OK) {
        take_unit(q, units[high]);
        q->model.unit_auto = true;
    }
    free(t);
    return code;
}
