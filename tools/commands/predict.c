/* SPDX-License-Identifier: MIT */
/* logp predict: one row for each requested algorithm. */
#include "question/choice/choice.h"
#include "question/schedule/schedule.h"
#include "commands/command.h"
#include "view/records/records.h"
#include "answer/answer.h"
#include "answer/runs.h"

/* INT64_MAX: there is no upper bound of its end. */
static int64_t end_of(const struct row *row)
{
    const struct logp_prediction *p = &row->record.prediction;

    return p->certainty == LOGP_PREDICTION_EXACT || p->certainty == LOGP_PREDICTION_BOUND
               ? p->ns
               : INT64_MAX;
}

/* Whether a row is before another one in the table of algorithms. */
static bool comes_before(const struct row *a, const struct row *b)
{
    const struct logp_algorithm *at;
    size_t i = 0;

    while ((at = logp_algorithm_at(a->algorithm->collective, i)) != NULL && at != a->algorithm &&
           at != b->algorithm)
        i++;
    return at == a->algorithm && a->algorithm != b->algorithm;
}

/* Sort by time, the best first; ties go to the row that is first in the table. */
static void rank_rows(struct row *rows, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct row row = rows[i];
        size_t at = i;

        for (; at > 0 && end_of(&rows[at - 1]) > end_of(&row); at--)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
}

/* Note a missing prediction: of an algorithm that only runs, or of the only one that was
 * requested. Report errors in steps, too. @return an exit code */
static int say_unpredicted(const struct question *q, const struct logp_invocation *c,
                           const struct row *rows, size_t n)
{
    char why[192];
    int code = EXIT_OK;

    for (size_t i = 0; i < n; i++) {
        const struct logp_algorithm *a = rows[i].algorithm;

        if (has_wrong_steps(&rows[i].record.prediction) &&
            tell_problem(q, check_steps(q, c, a)) != EXIT_OK)
            code = EXIT_WRONG;
        else if (rows[i].record.prediction.certainty == LOGP_PREDICTION_NONE &&
                 (n == 1 || (a->steps == NULL && a->predict == NULL && a->predict_linked == NULL)))
            say_note("%s %s has no prediction: %s", a->collective, a->name,
                     why_unpredicted(q, a, why));
    }
    return code;
}

/* A G beyond g is a slip, as a rule: without a unit it counts units. */
static void say_large_G(const struct question *q)
{
    const struct logp_params *p = &q->model.network.params;
    char time[32];

    if (option_is_given(q, "G") && q->model.emulated && p->G_ps / 1000 > p->g_ns)
        say_note("-G %s is %s a byte, more than the gap g of a message", option_text(q, "G"),
                 show_ns(p->G_ps / 1000, time, sizeof(time)));
}

static struct problem *show_predictions(struct question *q, const struct output *out,
                                        struct row *rows, FILE *f)
{
    if (q->form.format->curves && !q->form.explain)
        return option_problem("--format", q->form.format->name,
                              "draws the tolerance of --explain; type --explain, or logp plot %s",
                              out->collective);
    TRY(explain_rows(q, out->c, rows, out->n));
    if (q->form.format->curves)
        return draw_tolerances(f, q, out);
    if (q->what.algorithms == ALGORITHMS_ALL && q->form.format->form < RECORDS_JSON) /* a table */
        rank_rows(rows, out->n);
    q->form.format->records(f, out);
    print_explanations(f, out);
    return told(say_unpredicted(q, out->c, rows, out->n));
}

/* The part of a GOAL file that has been read, which takes about as long as what follows. */
static void show_reading(void *arg, double part)
{
    show_steps(arg, part / 2, 1, "reading the schedule");
}

/* The operations of a GOAL file that are done. */
static void show_graph(void *arg, int64_t done, int64_t all)
{
    show_steps(arg, 0.5 + (double)done / (double)all / 2, 1, "operations of the schedule");
}

/* A row for each file of --schedule, with its time alone and with the others. */
static struct problem *predict_jobs(struct question *q, struct output *out, struct row *rows,
                                    const struct logp_algorithm *listed)
{
    const int64_t *ends;

    time_of_graph(q, &ends);
    for (out->n = 0; out->n < jobs_of_schedule(q); out->n++) {
        struct row *row = &rows[out->n];
        struct schedule_job job;

        TRY(find_job(q, out->n, listed, &job));
        *row = (struct row){.algorithm = job.row,
                            .n_rank_ends = job.P,
                            .rank_ends = keep_ends(q, ends + job.first, job.P),
                            .has_alone = true,
                            .alone_ns = job.alone_ns};
        row->record.prediction =
            (struct logp_prediction){LOGP_PREDICTION_EXACT, job.together_ns, LOGP_BY_SCHEDULE};
    }
    return NULL;
}

/* Predict the mean of a row over the patterns of --arrival, up to `until`. */
static void predict_patterns(const struct question *q, const struct arrivals *arrivals,
                             const struct logp_invocation *c, int64_t until, struct row *row)
{
    struct logp_invocation of = *c;
    struct logp_args *args = kept_by(q, malloc(sizeof(*args)), free);
    int64_t *ns = kept_by(q, malloc(arrivals->n * sizeof(*ns)), free);
    struct logp_prediction *const p = &row->record.prediction;

    *p = q->what.by != LOGP_BY_FORMULA
             ? predict_mean(arrivals, row->algorithm, q->model.P, &of, until, ns)
             : (struct logp_prediction){.certainty = LOGP_PREDICTION_NONE};
    if (end_of(row) == INT64_MAX)
        return;
    *args = of.args;
    row->args = args;
    row->pattern_ns = ns;
    row->n_patterns = (int64_t)arrivals->n;
}

/* With auto, the algorithm with the least mean; ties go to the first. */
static void choose_for_patterns(const struct question *q, const struct arrivals *arrivals,
                                struct asked *a, struct row *out, struct steps *steps)
{
    const struct logp_algorithm *all[MAX_ALGORITHMS];
    const size_t n = applying_algorithms(q, a->collective, &a->c, all);
    struct row best = {.algorithm = a->chosen[0]};

    predict_patterns(q, arrivals, &a->c, INT64_MAX, &best);
    for (size_t i = 0; i < n; i++) {
        struct row row = {.algorithm = all[i]};

        show_steps(steps, (double)i, n, all[i]->name);
        predict_patterns(q, arrivals, &a->c, end_of(&best), &row);
        if (end_of(&row) < end_of(&best) ||
            (end_of(&row) == end_of(&best) && comes_before(&row, &best)))
            best = row;
    }
    *out = best;
}

/* What --arrival with several patterns is not combined with. */
static struct problem *check_patterns(const struct question *q)
{
    return is_faulty(q) || q->model.plugin != NULL
               ? option_problem("--arrival", q->model.arrival_text,
                                "one pattern with --fault, --noise and --plugin")
               : NULL;
}

static struct problem *predict_for_patterns(const struct question *q, struct asked *a,
                                            struct row *rows, struct steps *steps)
{
    struct arrivals arrivals;

    TRY(check_patterns(q));
    TRY(arrivals_of(q, q->model.P, &arrivals));
    if (q->what.list == NULL && q->what.algorithms == ALGORITHMS_AUTO) {
        choose_for_patterns(q, &arrivals, a, &rows[0], steps);
        return NULL;
    }
    for (size_t i = 0; i < a->n; i++) {
        rows[i].algorithm = a->chosen[i];
        show_steps(steps, (double)i, a->n, a->chosen[i]->name);
        predict_patterns(q, &arrivals, &a->c, INT64_MAX, &rows[i]);
    }
    return NULL;
}

static struct problem *predict_each(const struct question *q, const struct asked *a,
                                    struct row *rows, struct steps *steps)
{
    const int64_t *ends;

    for (size_t i = 0; i < a->n; i++) {
        rows[i].algorithm = a->chosen[i];
        show_steps(steps, (double)i, a->n, a->chosen[i]->name);
        if (q->model.plugin != NULL || q->model.emulated)
            TRY(predict(q, &a->c, a->chosen[i], &rows[i].record.prediction));
        if (by_graph(q)) {
            time_of_graph(q, &ends);
            rows[i].rank_ends = keep_ends(q, ends, q->model.P);
            rows[i].n_rank_ends = q->model.P;
        }
    }
    return NULL;
}

static struct problem *predict_all(struct question *q, struct answer_file *to)
{
    struct row rows[MAX_ALGORITHMS] = {0};
    struct asked a;
    struct output out = {.q = q, .c = &a.c, .rows = rows};
    struct steps steps = begin_steps(q, "predict", "algorithms");
    struct choice_steps choice;
    struct problem *problem;

    q->what.graph_progress = show_graph;
    q->what.read_progress = show_reading;
    q->what.graph_progress_arg = &steps;
    begin_choice(&choice, q, "predict");
    problem = asked_algorithms(q, &a);
    end_choice(&choice, q);
    TRY(problem);
    out.collective = a.collective;
    out.n = a.n;
    say_large_G(q);
    if (jobs_of_schedule(q) > 1)
        TRY(predict_jobs(q, &out, rows, a.chosen[0]));
    else if (q->model.has_patterns && q->model.emulated)
        TRY(predict_for_patterns(q, &a, rows, &steps));
    else
        TRY(predict_each(q, &a, rows, &steps));
    end_steps(&steps);
    say_unpredicted_rows(q, &a.c, rows, a.n);
    problem = show_predictions(q, &out, rows, to->f);
    forget_explanations(rows, out.n);
    return problem;
}

const struct command command_predict = {
    .name = "predict",
    .arguments = "COLLECTIVE",
    .summary = "predict the time without a run",
    .options = OPTIONS_MODEL | OPTIONS_FAULT | OPTIONS_FORMAT | OPTIONS_OUTPUT | OPTIONS_BASIS |
               OPTIONS_EXPLAIN | OPTIONS_PICTURE | OPTIONS_PATTERNS,
    .answer = ANSWER_SWEEP,
    .remark =
        "\nOf several patterns, as --arrival none,late@0:90us,exp:50us, the time is the mean, and "
        "auto\nis the algorithm with the least mean.",
    .call = predict_all,
};
