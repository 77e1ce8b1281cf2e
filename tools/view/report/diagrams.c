/* SPDX-License-Identifier: MIT */
/* The space-time diagrams: each algorithm of one point runs once more, traced, and is predicted;
 * the fastest first, as many as a page can hold. */
#include "answer/runs.h"
#include "view/records/records.h"
#include "view/report/report.h"

#include <stdlib.h>

enum {
    MOST_EVENTS = 2500000, /* of a page: a browser is slow to open more */
    EASY_P = 64,           /* rows that are easy to look at */
    RUNS = 5,              /* of each algorithm on the wall clock */
};

/* The state of the page being written. */
struct page {
    FILE *f;
    const struct question *q;
    int traces;
    int64_t events;
};

/* other: NULL, or the trace that the page got last. */
static json_t *add_trace(struct page *page, const struct logp_trace *trace,
                         const struct logp_trace *other)
{
    const struct logp_trace_info *info = trace != NULL ? logp_trace_info(trace) : NULL;
    const int number = page->traces;

    if (info == NULL || info->n_events == 0 || page->events + (int64_t)info->n_events > MOST_EVENTS)
        return json_null();
    page->events += (int64_t)info->n_events;
    page->traces++;
    return write_trace(page->f, page->q, trace, number, other, number - 1);
}

/* Without the messages, which are in the trace. */
static json_t *explanation(const struct output *out, const struct row *row)
{
    const bool known = out->q->model.emulated && out->q->model.plugin == NULL && !is_faulty(out->q);
    const char *why;
    struct logp_explanation *e =
        known ? explain_algorithm(out->q, out->c, row->algorithm, &why) : NULL;
    json_t *it = e != NULL ? explanation_json(e) : json_null();

    json_object_del(it, "messages");
    logp_explanation_free(e);
    return it;
}

/* Run a few times on the wall clock, where the host disturbs all runs a little and some much, and
 * return the run that it disturbed least. *runs: the number of runs */
static struct logp_trace *calmest_run(const struct output *out, struct row *row,
                                      struct logp_machine *m, int64_t most, int *runs)
{
    const int n = out->q->how.clock == LOGP_CLOCK_WALL ? RUNS : 1;
    struct logp_trace *best = NULL, *trace;
    struct question once = *out->q;

    once.how.reps = 1;
    once.form.progress = false;
    for (*runs = 0; *runs < n && !runs_are_over(&once); ++*runs) {
        const int code = tell_problem(&once, trace_run(&once, m, out->c, row, most, &trace));

        if (best == NULL ||
            (code == EXIT_OK && logp_trace_info(trace)->wall_ns < logp_trace_info(best)->wall_ns)) {
            logp_trace_free(best);
            best = trace;
        } else {
            logp_trace_free(trace);
        }
        if (code != EXIT_OK)
            break;
    }
    return best;
}

static json_t *diagram(struct page *page, const struct output *out, struct row *row,
                       struct logp_machine *m)
{
    int64_t left = MOST_EVENTS - page->events;
    json_t *run, *prediction;
    struct logp_trace *traced = NULL, *predicted = NULL;
    int runs = 0;

    if (m != NULL)
        traced = calmest_run(out, row, m, left, &runs);
    run = add_trace(page, traced, NULL);
    left = MOST_EVENTS - page->events;
    tell_problem(out->q,
                 trace_prediction(out->q, out->c, row->algorithm, (uint64_t)left / 2, &predicted));
    prediction = add_trace(page, predicted, json_is_object(run) ? traced : NULL);
    logp_trace_free(traced);
    logp_trace_free(predicted);
    return json_pack("{sssisososo}", "name", row->algorithm->name, "runs", runs, "prediction",
                     prediction, "run", run, "explain", explanation(out, row));
}

static int by_time(const void *a, const void *b)
{
    const struct logp_prediction *x = &((const struct row *)a)->record.prediction,
                                 *y = &((const struct row *)b)->record.prediction;
    const int64_t p = x->certainty == LOGP_PREDICTION_NONE ? INT64_MAX : x->ns,
                  q = y->certainty == LOGP_PREDICTION_NONE ? INT64_MAX : y->ns;

    return (p > q) - (p < q);
}

/* The first of the points with the most processors up to EASY_P. record: out: the index of its
 * first record */
static const struct output *one_of_all(const struct output *all, json_int_t *record)
{
    const struct output *best = all;
    json_int_t n = 0;

    *record = 0;
    for (const struct output *x = all; x != NULL; n += (json_int_t)x->n, x = x->next)
        if (x->q->model.P <= EASY_P &&
            (x->q->model.P > best->q->model.P || best->q->model.P > EASY_P)) {
            best = x;
            *record = n;
        }
    return best;
}

json_t *write_diagrams(FILE *f, const struct output *points)
{
    json_int_t record;
    const struct output *out = one_of_all(points, &record);
    struct page page = {.f = f, .q = out->q};
    struct question q = *out->q;
    struct logp_machine *m = NULL;
    struct row *rows = need(calloc(out->n + 1, sizeof(*rows)));
    json_t *all = json_array();

    tell_problem(&q, place_partners(&q, out->c, out->rows, out->n));
    if (out->n > 0)
        tell_problem(&q, try_machine(&q, &m));
    for (size_t i = 0; i < out->n; i++)
        rows[i] = out->rows[i];
    qsort(rows, out->n, sizeof(*rows), by_time);
    for (size_t i = 0; i < out->n && page.events < MOST_EVENTS; i++) {
        json_t *it = rows[i].record.verified ? diagram(&page, out, &rows[i], m) : NULL;

        if (it != NULL && (json_is_object(json_object_get(it, "run")) ||
                           json_is_object(json_object_get(it, "prediction"))))
            json_array_append(all, it);
        if (it != NULL)
            json_object_set_new(it, "record", json_integer(record));
        json_decref(it);
    }
    end_machine(&q, m);
    free(rows);
    return all;
}
