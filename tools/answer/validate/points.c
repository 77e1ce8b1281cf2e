/* SPDX-License-Identifier: MIT */
/* A point: all algorithms that have a prediction, run on one machine. */
#include "answer/validate/validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The invocation as the options predict it; vectors have whole elements. */
static struct problem *invocation_of(const struct question *q, const char *collective,
                                     int64_t bytes, struct logp_invocation *c)
{
    struct question at = *q;

    at.what.n_bytes = (size_t)bytes;
    at.what.count = bytes / size_unit(q, logp_collective_find(collective));
    TRY(make_invocation(&at, collective, c));
    c->model.undelayed = false;
    return NULL;
}

static void explain(const struct question *q, const struct logp_invocation *c,
                    struct validated_row *row)
{
    struct logp_explanation *e;

    if (logp_explanation_of(row->algorithm, q->model.P, &c->args, &c->model, &e) != 0)
        return;
    row->terms = e->terms;
    logp_explanation_free(e);
}

/* The algorithms that have a prediction: p->n rows. */
static struct problem *predict_rows(const struct question *q, const struct logp_invocation *c,
                                    struct validated_point *p)
{
    const struct logp_algorithm *a;
    int64_t ns;

    p->rows = need(calloc(MAX_ALGORITHMS, sizeof(*p->rows)));
    for (size_t i = 0; (a = logp_algorithm_at(p->collective, i)) != NULL; i++) {
        if (a->steps == NULL || p->n == MAX_ALGORITHMS)
            continue;
        TRY(latest_end(q, c, a, &ns));
        if (ns < 0)
            continue;
        p->rows[p->n] = (struct validated_row){.algorithm = a, .predicted_ns = ns};
        if (q->network.fit)
            explain(q, c, &p->rows[p->n]);
        p->n++;
    }
    return NULL;
}

/* Whether the median is far above the shortest run: a busy host delays some runs, but not all. */
static bool is_doubtful(const struct logp_summary *s)
{
    const int64_t many = 10;

    return s->median_ns / many > s->min_ns;
}

/* Whether a is better than b; a row that is not doubtful is better than a doubtful one. */
static bool is_better(const struct validated_row *a, const struct validated_row *b)
{
    return a->doubtful != b->doubtful ? b->doubtful : a->measured_ns < b->measured_ns;
}

/* Set the chosen and the best row; ties go to the first in the table. */
static void find_best(struct validated_point *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct validated_row *row = &p->rows[i];

        if (p->chosen == NULL || row->predicted_ns < p->chosen->predicted_ns)
            p->chosen = row;
        if (p->best == NULL || is_better(row, p->best))
            p->best = row;
    }
    p->doubtful = p->n > 0 && (p->chosen->doubtful || p->best->doubtful);
}

/* ---- progress ---- */

static void row_runs(void *of, const struct row *row, int done, int total)
{
    struct validated *v = of;
    const double rows = (double)v->rows_done + (double)done / (total > 0 ? total : 1);
    char what[96];

    snprintf(what, sizeof(what), "%s %s", row->algorithm->collective, row->algorithm->name);
    show_steps(&v->steps, (double)v->n_done + rows / (double)v->rows_of_point, v->n_planned, what);
}

static void row_has_run(void *of, const struct question *q, const struct logp_invocation *c,
                        const struct row *row)
{
    struct validated *v = of;

    (void)q, (void)c, (void)row;
    v->rows_done++;
}

/* ---- points ---- */

static struct problem *run_point(struct validated *v, const struct question *on,
                                 const struct logp_invocation *c, struct validated_point *p)
{
    struct row rows[MAX_ALGORITHMS] = {0};
    struct question planned = *on;
    struct watcher *const watcher = &on->work->watcher;
    const struct watcher usual = *watcher;
    struct logp_invocation as_it_is = *c;
    struct logp_machine *m;
    struct problem *problem;
    size_t done;

    as_it_is.model.params.gamma_ps =
        on->model.network.params.gamma_ps; /* a property of the host, not of messages */
    planned.model.planned = &as_it_is.model;
    TRY(create_machine(&planned, &m));
    logp_machine_core_use(m, &v->cores);
    for (size_t i = 0; i < p->n; i++)
        rows[i].algorithm = p->rows[i].algorithm;
    v->rows_of_point = p->n;
    v->rows_done = 0;
    watcher->progress = row_runs;
    watcher->finished = row_has_run;
    watcher->of = v;
    problem = run_unpromised(on, m, &as_it_is, rows, p->n, &done);
    *watcher = usual;
    for (size_t i = 0; i < done; i++) {
        const struct logp_record *r = &rows[i].record;

        const struct logp_summary *s = r->has_measured ? &r->measured : &r->emulated;

        p->rows[i].measured_ns = s->median_ns;
        p->rows[i].undisturbed_ns =
            r->has_measured && r->disturbed < r->reps ? r->undisturbed.median_ns : -1;
        p->rows[i].runs = r->reps;
        p->rows[i].disturbed = r->disturbed;
        p->rows[i].doubtful = is_doubtful(s) || logp_record_too_busy(r);
        p->rows[i].verified = r->verified;
    }
    p->n = done;
    end_machine(on, m);
    return problem;
}

static struct problem *validate_point(struct validated *v, const struct question *on,
                                      const char *collective, int64_t P, int64_t bytes)
{
    struct question q = *v->q, ours = *on;
    struct validated_point *p;
    struct logp_invocation c;
    struct problem *problem;

    q.model.P = ours.model.P = P;
    TRY(links_of(&q, P, &q.model.network.links));
    TRY(links_of(&ours, P, &ours.model.network.links));
    TRY(invocation_of(&q, collective, bytes, &c));
    v->points = need(realloc(v->points, (v->n + 1) * sizeof(*p)));
    p = &v->points[v->n];
    *p = (struct validated_point){.collective = collective, .P = P, .bytes = bytes};
    problem = predict_rows(&q, &c, p);
    if (problem != NULL || p->n == 0) {
        free(p->rows);
        return problem;
    }
    v->n++;
    problem = run_point(v, &ours, &c, p);
    if (problem != NULL)
        p->n = 0; /* an incomplete point is not shown */
    find_best(p);
    return problem;
}

/* The size after this one; 0: this is the last one. */
static int64_t next_bytes(const struct question *q, int64_t bytes)
{
    const int64_t high = q->span.bytes_high;

    if (bytes == 0 || bytes == high)
        return 0;
    return bytes * 8 > high ? high : bytes * 8;
}

/* 0: it has no operands */
static int64_t first_bytes(const struct question *q, const char *collective)
{
    const struct logp_collective *c = logp_collective_find(collective);
    const int64_t unit = size_unit(q, c);

    if (c->operands == LOGP_OPERANDS_NONE)
        return 0;
    return unit > 1 && q->span.bytes_low < unit ? unit : q->span.bytes_low;
}

void plan_collective(struct validated *v, const char *collective)
{
    int64_t bytes = first_bytes(v->q, collective);

    do
        v->n_planned += v->q->span.n_P;
    while ((bytes = next_bytes(v->q, bytes)) > 0);
}

struct problem *validate_collective(struct validated *v, const struct question *on,
                                    const char *collective)
{
    const struct question *q = v->q;

    for (size_t i = 0; i < q->span.n_P; i++) {
        int64_t bytes = first_bytes(q, collective);

        do {
            TRY(validate_point(v, on, collective, q->span.P_list[i], bytes));
            v->n_done++;
        } while (!runs_are_over(q) && (bytes = next_bytes(q, bytes)) > 0);
    }
    return runs_are_over(q) ? told(EXIT_WRONG) : NULL;
}

size_t doubtful_points(const struct validated *v)
{
    size_t n = 0;

    for (size_t i = 0; i < v->n; i++)
        n += v->points[i].n > 0 && v->points[i].doubtful;
    return n;
}

void forget_points(struct validated *v)
{
    for (size_t i = 0; i < v->n; i++)
        free(v->points[i].rows);
    free(v->points);
}
