/* SPDX-License-Identifier: MIT */
/* The tables of a paper: making their rows, and comparing their numbers. */
#include "papers/paper.h"

#include "text/problem.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool paper_has(const struct paper_table *t, enum paper_value v)
{
    for (size_t i = 0; i < t->n_rows; i++)
        if (!isnan(t->rows[i].value[v]))
            return true;
    return false;
}

const struct paper_row *paper_row_of(const struct paper *p, const char *figure, const char *labels)
{
    for (int i = 0; i < p->n_tables; i++)
        for (size_t k = 0; k < p->tables[i].n_rows; k++)
            if (strcmp(p->tables[i].figure, figure) == 0 &&
                strcmp(p->tables[i].rows[k].labels, labels) == 0)
                return &p->tables[i].rows[k];
    return NULL;
}

/* ---- rows ---- */

struct paper_row *paper_row(struct paper_table *t, const char *labels, ...)
{
    struct paper_row *row;
    va_list args;

    if ((t->n_rows & (t->n_rows + 1)) == 0) /* capacity: 1, 3, 7, ... */
        t->rows = need(realloc(t->rows, (2 * t->n_rows + 1) * sizeof(*t->rows)));
    row = &t->rows[t->n_rows++];
    *row = (struct paper_row){.certainty = LOGP_PREDICTION_EXACT};
    for (int i = 0; i < N_VALUES; i++)
        row->value[i] = NAN;
    va_start(args, labels);
    vsnprintf(row->labels, sizeof(row->labels), labels, args);
    va_end(args);
    return row;
}

void paper_remark(struct paper_row *row, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(row->remark, sizeof(row->remark), format, args);
    va_end(args);
}

void paper_note(struct paper_table *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(t->notes[t->n_notes++], sizeof(t->notes[0]), format, args);
    va_end(args);
}

/* Number i of a list with blanks between; -: none. */
static double listed(const char *list, size_t i)
{
    char *end;
    double x;

    for (; list != NULL && i > 0; i--)
        list += strcspn(list, " ") + 1;
    x = list != NULL ? strtod(list, &end) : NAN;
    return list != NULL && end != list ? x : NAN;
}

/* The rows of one combination of words; i: the number of rows before it in `rows`. */
static void add_row(struct paper *p, struct paper_table *t, const struct paper_rows *rows, size_t i,
                    const char *words)
{
    struct paper_case x = paper_case(p, rows->run, words);
    struct paper_row *row;

    if (rows->adjust != NULL && !rows->adjust->adjust(&x))
        return;
    if (t->drawn.own == NULL)
        t->drawn = x;
    if (rows->make != NULL) {
        rows->make->make(p, t, &x);
        return;
    }
    row = paper_row(t, "%s", words);
    if (*rows->labels != '\0')
        paper_words(rows->labels, words, row->labels, sizeof(row->labels));
    row->value[PRINTED] = listed(rows->printed, i);
    if (rows->formula != NULL)
        row->value[FORMULA] = paper_value_of(p, &x, rows->formula);
    if (rows->derived != NULL)
        row->value[DERIVED] = paper_value_of(p, &x, rows->derived);
    if (rows->predicted != NULL)
        row->value[PREDICTED] = paper_value_of(p, &x, rows->predicted);
    if (rows->run != NULL && !rows->idle)
        paper_run(p, &x, row);
    if (rows->remark != NULL)
        paper_remark(row, "%s", rows->remark);
    if (rows->complete != NULL)
        rows->complete->complete(&(struct paper_at){p, t, row, &x});
}

/* Add the words of the factors that are left, " x "-separated, to those before. */
static void combine(struct paper *p, struct paper_table *t, const struct paper_rows *rows,
                    size_t before, const char *words, const char *each)
{
    const char *const rest = each != NULL ? strstr(each, " x ") : NULL;
    const char *const end = rest != NULL ? rest : each != NULL ? each + strlen(each) : NULL;

    if (each == NULL)
        add_row(p, t, rows, t->n_rows - before, words);
    for (const char *s = each; s != NULL && s < end; s += strspn(s, "; ")) {
        const size_t n = strcspn(s, ";");
        const int length = (int)(s + n < end ? n : (size_t)(end - s));
        long first, last;
        char next[96];
        const bool range = sscanf(s, "%ld..%ld", &first, &last) == 2;

        for (long k = range ? first : 0; k <= (range ? last : 0); k++) {
            if (range)
                snprintf(next, sizeof(next), "%s%s%ld", words, *words != '\0' ? "|" : "", k);
            else
                snprintf(next, sizeof(next), "%s%s%.*s", words, *words != '\0' ? "|" : "", length,
                         s);
            combine(p, t, rows, before, next, rest != NULL ? rest + strlen(" x ") : NULL);
        }
        s += length;
    }
}

void paper_add_rows(struct paper *p, struct paper_table *t, const struct paper_rows *rows)
{
    combine(p, t, rows, t->n_rows, "", *rows->each != '\0' ? rows->each : NULL);
}

/* ---- the list of claims ---- */

static void add_verdict(struct paper *p, const char *what, const char *verdict, const char *format,
                        va_list args)
{
    struct paper_row *row;

    if (p->stopped)
        return;
    row = paper_row(&p->verdicts, "%s", what);
    row->verdict = verdict;
    vsnprintf(row->remark, sizeof(row->remark), format, args);
}

void paper_judge(struct paper *p, const char *what, bool agrees, const char *why, ...)
{
    va_list args;

    va_start(args, why);
    add_verdict(p, what, agrees ? "agrees" : "differs", why, args);
    va_end(args);
}

void paper_judge_none(struct paper *p, const char *what, const char *here, ...)
{
    va_list args;

    va_start(args, here);
    add_verdict(p, what, "nothing printed", here, args);
    va_end(args);
}

void paper_listing(struct paper *p, const char *claim, bool agrees, const char *texts, ...)
{
    struct paper_listing *l = &p->listings[p->n_listings++];
    char why[sizeof(l->name)], all[5 * sizeof(why)], *text = all;
    char *const parts[] = {l->name, l->printed, l->does, l->here, why};
    va_list args;

    va_start(args, texts);
    vsnprintf(all, sizeof(all), texts, args);
    va_end(args);
    for (int i = 0; i < 5; i++) {
        const size_t n = strcspn(text, "|");

        snprintf(parts[i], sizeof(why), "%.*s", (int)n, text);
        text += n + (text[n] == '|');
    }
    if (claim != NULL)
        paper_judge(p, claim, agrees, "%s", why);
}

/* Number i, or a constant. */
static double side(const struct paper_row *row, const char *name)
{
    char *end;
    const double x = strtod(name, &end);

    return end != name ? x : row->value[paper_value_named(name)];
}

struct paper_count paper_compare_rows(const struct paper_table *t, const char *rows, const char *a,
                                      const char *relation, const char *b, double within)
{
    struct paper_count n = {0, 0};

    for (size_t i = 0; i < t->n_rows; i++) {
        const double x = side(&t->rows[i], a), y = side(&t->rows[i], b);

        if (fnmatch(rows, t->rows[i].labels, FNM_NOESCAPE) != 0 || isnan(x) || isnan(y))
            continue;
        n.rows++;
        n.hold += relation[0] == '='   ? fabs(x - y) < (within > 0 ? within : 1e-6)
                  : relation[1] == '=' ? x >= y
                                       : x > y;
    }
    return n;
}

void paper_free(struct paper *p)
{
    free(p->text);
    for (int i = 0; i < p->n_tables; i++)
        free(p->tables[i].rows);
    free(p->verdicts.rows);
}
