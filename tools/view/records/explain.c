/* SPDX-License-Identifier: MIT */
/* Explanations in words. Times are microseconds, as in the table above them. */
#define _GNU_SOURCE /* qsort_r */
#include "view/records/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEGMENTS_SHOWN = 40, SLACKS_SHOWN = 12, RANKS_SHOWN = 16, LINES_SHOWN = 6 };

/* ---- T = 2L + 4o + 1g ---- */

static void add_term(FILE *f, const char **between, int64_t n, const char *unit)
{
    if (n == 0)
        return;
    fprintf(f, "%s%lld%s", *between, (long long)n, unit);
    *between = " + ";
}

void write_terms(FILE *f, const struct logp_explanation *e)
{
    const struct logp_terms *t = &e->terms;
    const char *between = "";

    fputs("T = ", f);
    add_term(f, &between, t->L, "L");
    if (e->params.o_send_ns == e->params.o_recv_ns) {
        add_term(f, &between, t->o_send + t->o_recv, "o");
    } else {
        add_term(f, &between, t->o_send, " o_send");
        add_term(f, &between, t->o_recv, " o_recv");
    }
    add_term(f, &between, t->g, "g");
    add_term(f, &between, t->bytes, "G");
    add_term(f, &between, t->bytes_O, "O");
    add_term(f, &between, t->elements, " gamma");
    add_term(f, &between, t->compute_ns, " ns computed");
    add_term(f, &between, t->links_ns, " ns of links");
    if (t->rounding_ps > 0)
        fprintf(f, "%s%.6g ns rounded up", between, (double)t->rounding_ps / 1000);
    if (*between == '\0' && t->rounding_ps == 0)
        putc('0', f);
}

/* ---- the path ---- */

void print_segment(FILE *f, const struct logp_explanation *e, const struct logp_path_segment *s)
{
    char who[48] = "", what[64];

    snprintf(who, sizeof(who), "%lld", (long long)s->rank);
    switch (s->kind) {
    case LOGP_SEGMENT_SEND:
        snprintf(what, sizeof(what), "sends to %lld", (long long)s->peer);
        break;
    case LOGP_SEGMENT_RECEIVE:
        snprintf(what, sizeof(what), "receives from %lld", (long long)s->peer);
        break;
    case LOGP_SEGMENT_WIRE:
        snprintf(who, sizeof(who), "%lld -> %lld", (long long)s->rank, (long long)s->peer);
        snprintf(what, sizeof(what), "the message is on its way");
        break;
    case LOGP_SEGMENT_GAP:
        snprintf(what, sizeof(what), "the gap since its %s %lld began",
                 e->tasks[s->task].kind == LOGP_STEP_SEND ? "send to" : "receive from",
                 (long long)s->peer);
        break;
    case LOGP_SEGMENT_COMPUTE:
        if (s->terms.elements > 0)
            snprintf(what, sizeof(what), "combines %lld element%s", (long long)s->terms.elements,
                     s->terms.elements == 1 ? "" : "s");
        else
            snprintf(what, sizeof(what), "computes");
        break;
    }
    fprintf(f, "%12.3f %12.3f  %-12s %s\n", us(s->from_ns), us(s->to_ns), who, what);
}

static void print_path(FILE *f, const struct logp_explanation *e)
{
    const size_t skipped = e->n_path > SEGMENTS_SHOWN ? e->n_path - SEGMENTS_SHOWN : 0;

    fprintf(f,
            "\nThe critical path, %s%.3f us as predicted: each part begins at the end of the "
            "previous part\n\n%12s %12s  %-12s %s\n",
            e->params.latency_varies ? "at most " : "", us(e->ns), "from", "to", "processor",
            "which");
    for (size_t i = 0; i < e->n_path; i++) {
        if (skipped > 0 && i == SEGMENTS_SHOWN / 2) {
            fprintf(f, "%12s %12s  (%zu more; --format json has all)\n", "...", "...", skipped);
            i += skipped;
        }
        print_segment(f, e, &e->path[i]);
    }
}

/* ---- slack ---- */

/* For qsort_r(): numbers by their slack. */
static int in_order(const void *a, const void *b, void *slack)
{
    const int64_t *sorted_by = slack;
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;

    if (sorted_by[i] != sorted_by[j])
        return sorted_by[i] < sorted_by[j] ? -1 : 1;
    return (i > j) - (i < j);
}

/* Numbers 0 .. n-1 by their slack; to be freed. */
static int64_t *order_by(const int64_t *slack, int64_t n)
{
    int64_t *order = need(malloc((size_t)(n + 1) * sizeof(*order)));

    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, (size_t)n, sizeof(*order), in_order, (void *)slack);
    return order;
}

/* Ranks of the same slack in a line, as 0-3, 7. */
static void print_ranks(FILE *f, const int64_t *order, int64_t n)
{
    int shown = 0;

    for (int64_t i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && order[k] == order[k - 1] + 1; k++)
            ;
        if (shown++ == RANKS_SHOWN) {
            fprintf(f, ", ... (%lld in all)", (long long)n);
            break;
        }
        fprintf(f, "%s%lld", i > 0 ? ", " : "", (long long)order[i]);
        if (k > i + 1)
            fprintf(f, "%s%lld", k > i + 2 ? "-" : ", ", (long long)order[k - 1]);
    }
    fputc('\n', f);
}

static void print_slack(FILE *f, const struct logp_explanation *e)
{
    int64_t *order = order_by(e->slack_ns, e->P);
    int shown = 0;

    fprintf(f,
            "\nSlack: how much later each processor may act without delaying the end\n\n%12s  %s\n",
            "slack", "processors");
    for (int64_t i = 0, k; i < e->P; i = k) {
        const int64_t slack = e->slack_ns[order[i]];

        for (k = i + 1; k < e->P && e->slack_ns[order[k]] == slack; k++)
            ;
        if (shown++ == SLACKS_SHOWN) {
            fprintf(f, "%12s  (%lld more processors; --format json has all)\n", "...",
                    (long long)(e->P - i));
            break;
        }
        fprintf(f, "%12.3f  ", us(slack));
        print_ranks(f, order + i, k - i);
    }
    free(order);
}

/* Print the messages with the least slack above 0. */
static void print_messages(FILE *f, const struct logp_explanation *e)
{
    int64_t *slack = need(calloc(e->n_tasks + 1, sizeof(*slack))), *order, critical = 0, n = 0;

    for (size_t i = 0; i < e->n_tasks; i++) {
        const struct logp_task *t = &e->tasks[i];

        slack[i] = t->kind == LOGP_STEP_SEND && t->other >= 0 ? t->message_slack_ns : INT64_MAX;
        critical += slack[i] == 0;
        n += slack[i] != INT64_MAX;
    }
    order = order_by(slack, (int64_t)e->n_tasks);
    if (n > 0)
        fprintf(f, "\n%lld of %lld messages are critical%s\n", (long long)critical, (long long)n,
                critical < n ? ". The least slack among the others:\n" : "");
    if (critical < n)
        fprintf(f, "%12s %12s  %s\n", "slack", "arrives at", "message");
    for (int64_t i = critical; i < n && i < critical + SLACKS_SHOWN; i++) {
        const struct logp_task *t = &e->tasks[order[i]];

        fprintf(f, "%12.3f %12.3f  %lld -> %lld\n", us(slack[order[i]]), us(t->arrival_ns),
                (long long)t->rank, (long long)t->peer);
    }
    free(order);
    free(slack);
}

/* ---- the curves ---- */

/* Whether its values are fractions of a ns. */
static bool is_small(enum logp_parameter parameter)
{
    return parameter == LOGP_PARAMETER_BYTE || parameter == LOGP_PARAMETER_GAMMA;
}

/* Print the slopes and the ranges of the value in which they hold; of many, those
 * around the current value. */
static void print_lines(FILE *f, const struct logp_curve *c)
{
    size_t first = 0, last = c->n;

    while (last - first > LINES_SHOWN && first + 1 < last &&
           c->lines[first + LINES_SHOWN / 2].from_ps <= c->at_ps)
        first++;
    if (first > 0)
        fprintf(f, "... ");
    if (last - first > LINES_SHOWN)
        last = first + LINES_SHOWN;
    for (size_t i = first; i < last; i++) {
        const char *between = i == first ? "" : i + 1 < c->n ? ", " : ", then ";

        if (c->lines[i].slope == 0)
            fprintf(f, "%s0", between);
        else
            fprintf(f, "%s%lld", between, (long long)c->lines[i].slope);
        if (i + 1 < c->n)
            fprintf(f, " up to %.*f", is_small(c->parameter) ? 6 : 3,
                    (double)c->lines[i + 1].from_ps / 1000000);
    }
    if (last < c->n)
        fprintf(f, ", ... %lld in the end", (long long)c->lines[c->n - 1].slope);
}

bool is_shown(const struct logp_params *params, enum logp_parameter p)
{
    const bool same = params->o_send_ns == params->o_recv_ns;

    if (p == LOGP_PARAMETER_O || p == LOGP_PARAMETER_O_SEND || p == LOGP_PARAMETER_O_RECV)
        return same == (p == LOGP_PARAMETER_O);
    return !is_small(p) || logp_parameter_ps(p, params) > 0;
}

/* By how much each parameter may grow until the time is some percent longer. */
static void print_tolerances(FILE *f, const struct logp_explanation *e)
{
    fputs("\nTolerance: growth of each parameter until T is longer by", f);
    for (const int *percent = tolerated_percents; *percent > 0; percent++)
        fprintf(f, "%s %d %%", percent > tolerated_percents ? "," : "", *percent);
    fputs("\n\n", f);
    for (enum logp_parameter p = 0; p < LOGP_PARAMETERS; p++) {
        struct logp_curve c;

        if (!is_shown(&e->params, p) || !curve_of(e, p, &c))
            continue;
        fprintf(f, "%-7s", logp_parameter_name(p));
        for (const int *percent = tolerated_percents; *percent > 0; percent++) {
            const int64_t ps = tolerance_ps(&c, *percent);

            if (ps < 0)
                fprintf(f, " %12s", "any");
            else
                fprintf(f, " %12.*f", is_small(p) ? 6 : 3, (double)ps / 1000000);
        }
        fputc('\n', f);
        logp_curve_free(&c);
    }
}

static void print_curves(FILE *f, const struct logp_explanation *e)
{
    int64_t rounding = 0;

    fprintf(
        f,
        "\nSensitivity: change of T per unit more and per unit less, and the ranges in which it "
        "holds (same schedule)\n\n%-7s %12s %8s %8s  %s\n",
        "", "value", "costs", "saves", "counts");
    for (enum logp_parameter p = 0; p < LOGP_PARAMETERS; p++) {
        struct logp_curve c;

        if (!is_shown(&e->params, p) || !curve_of(e, p, &c))
            continue;
        fprintf(f, "%-7s %12.*f %8lld %8lld  ", logp_parameter_name(p), is_small(p) ? 6 : 3,
                (double)c.at_ps / 1000000, (long long)c.right, (long long)c.left);
        print_lines(f, &c);
        fputc('\n', f);
        rounding = c.rounding_ns > rounding ? c.rounding_ns : rounding;
        logp_curve_free(&c);
    }
    print_tolerances(f, e);
    if (e->terms.links_ns > 0)
        fputs("parameters that are set for a link are unchanged and not counted\n", f);
    if (rounding > 0)
        fprintf(
            f, "G and gamma are not rounded up to whole ns here; rounding adds less than %lld ns\n",
            (long long)rounding);
}

/* ---- all of it ---- */

static void explain_one(FILE *f, const struct row *row)
{
    const struct logp_explanation *e = row->explained;

    fputc('\n', f);
    write_terms(f, e);
    fputc('\n', f);
    if (e->n_path == 0)
        return;
    print_path(f, e);
    print_slack(f, e);
    print_messages(f, e);
    print_curves(f, e);
}

void print_explanations(FILE *f, const struct output *out)
{
    int width = 0;

    if (!out->q->form.explain || !out->q->form.format->for_people)
        return;
    if (out->n == 1) {
        explain_one(f, &out->rows[0]);
        return;
    }
    for (size_t i = 0; i < out->n; i++) {
        const int length = (int)strlen(out->rows[i].algorithm->name);

        width = length > width ? length : width;
    }
    fputs(
        "\nTerms of the predicted times (for the critical path and slack, name one algorithm)\n\n",
        f);
    for (size_t i = 0; i < out->n; i++) {
        const struct row *row = &out->rows[i];

        fprintf(f, "%-*s  ", width, row->algorithm->name);
        if (row->explained == NULL) {
            fprintf(f, "not explained: %s\n", row->unexplained);
            continue;
        }
        write_terms(f, row->explained);
        fputc('\n', f);
    }
}
