/* SPDX-License-Identifier: MIT */
/*
 * The text of a paper. Each line begins with a keyword; a line that begins with a blank continues
 * the one before; # begins a comment. Figures are filled as they are read, and claims judged at the
 * end:
 *
 *     let NAME = FORMULA             see formula.c
 *     model L=6 o=2 g=4              of all further runs, see case.c
 *     figure FIGURE: TITLE           a table
 *     columns LABEL|LABEL in UNIT    its printed numbers have another one: printed-in UNIT
 *     rows EACH as LABELS            rows, see struct paper_rows, with: run, idle, printed, formula,
 *                                    derived, predicted, remark, adjust, complete, make; for the
 *                                    next rows of the figure too, but for idle, printed, remark
 *     note TEXT                      a line below the table; from all its rows: after FUNCTION
 *     curves X SERIES log-x AXIS; AXIS  or: picture tree, picture time
 *     claim TEXT                     below the table that it is about
 *     why TEXT                       $(Figure 4:100|10:predicted) is the number of a row, and
 *                                    $(...:predicted:1) has one decimal
 *                                    $(hold) of $(rows): those of the last `same`, and $(agrees?
 *                                    these words:or these)
 *     same ROWS: formula = emulated  in rows whose labels match, see fnmatch(); also >, >=, and a
 *                                    constant, and: within 0.1. same-above: in the table before. It
 *                                    agrees if all of these hold, and agrees FUNCTION; or: judge
 *                                    FUNCTION. nothing: the paper prints nothing
 */
#include "papers/paper.h"

#include "text/problem.h"

#include <stdlib.h>
#include <string.h>

/* A printed number, or a formula, against ours: "agrees" or "differs", and why. */
struct claim {
    const char *what, *why;
    const struct paper_table *table; /* above it */
    bool nothing;                    /* it is a figure without numbers or formula */
    struct {
        const struct paper_table *table;
        const char *rows, *a, *relation, *b;
        double within;
    } same[5];
    int n_same;
    const struct paper_function *function;
};

struct reading {
    struct paper *p;
    struct paper_table *t;
    struct paper_rows rows;
    bool has_rows;
    struct claim claims[MOST_CLAIMS];
    int n_claims;
};

/* ---- rows ---- */

static const struct {
    const char *word;
    size_t field; /* of struct paper_rows */
} of_rows[] = {{"run", offsetof(struct paper_rows, run)},
               {"printed", offsetof(struct paper_rows, printed)},
               {"formula", offsetof(struct paper_rows, formula)},
               {"derived", offsetof(struct paper_rows, derived)},
               {"predicted", offsetof(struct paper_rows, predicted)},
               {"remark", offsetof(struct paper_rows, remark)}},
  functions_of_rows[] = {{"adjust", offsetof(struct paper_rows, adjust)},
                         {"complete", offsetof(struct paper_rows, complete)},
                         {"make", offsetof(struct paper_rows, make)}};

enum {
    N_OF_ROWS = sizeof(of_rows) / sizeof(of_rows[0]),
    N_FUNCTIONS = sizeof(functions_of_rows) / sizeof(functions_of_rows[0])
};

static void refuse(struct paper *p, const char *word)
{
    say("paper %s: its text has an unknown word: %s", p->name, word);
    p->wrong = true;
}

/* NULL: "none" */
static const struct paper_function *function_of(struct paper *p, const char *name)
{
    const struct paper_function *f = p->kind->functions;

    while (f->name != NULL && strcmp(f->name, name) != 0)
        f++;
    if (f->name == NULL && strcmp(name, "none") != 0)
        refuse(p, name);
    return f->name != NULL ? f : NULL;
}

/* Whether the line is part of the rows that were begun. */
static bool read_rows(struct reading *r, const char *word, char *rest)
{
    char *const rows = (char *)&r->rows;

    if (strcmp(word, "idle") == 0)
        return r->rows.idle = true;
    for (int i = 0; i < N_OF_ROWS; i++)
        if (strcmp(word, of_rows[i].word) == 0) {
            memcpy(rows + of_rows[i].field, &rest, sizeof(rest));
            return true;
        }
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (strcmp(word, functions_of_rows[i].word) == 0) {
            const struct paper_function *f = function_of(r->p, rest);

            memcpy(rows + functions_of_rows[i].field, &f, sizeof(f));
            return true;
        }
    return false;
}

/* End the text at a separator. @return what follows it; "": nothing */
static char *cut(char *text, const char *separator)
{
    char *at = strstr(text, separator);

    if (at == NULL)
        return text + strlen(text);
    *at = '\0';
    return at + strlen(separator);
}

/* ---- claims ---- */

/* "ring|*: formula = emulated within 0.1" */
static void read_same(struct claim *claim, const struct paper_table *table, char *rows)
{
    const int i = claim->n_same++;
    char *a = cut(rows, ": "), *relation = cut(a, " "), *b = cut(relation, " ");

    claim->same[i].within = strtod(cut(b, " within "), NULL);
    claim->same[i].table = table;
    claim->same[i].rows = rows;
    claim->same[i].a = a;
    claim->same[i].relation = relation;
    claim->same[i].b = b;
}

static bool read_claim(struct reading *r, const char *word, char *rest)
{
    struct claim *claim;

    if (strcmp(word, "claim") == 0)
        r->claims[r->n_claims++] = (struct claim){.what = rest, .table = r->t};
    claim = &r->claims[r->n_claims - 1];
    if (strcmp(word, "why") == 0)
        claim->why = rest;
    else if (strcmp(word, "same") == 0)
        read_same(claim, claim->table, rest);
    else if (strcmp(word, "same-above") == 0)
        read_same(claim, claim->table - 1, rest);
    else if (strcmp(word, "nothing") == 0)
        claim->nothing = true;
    else if (strcmp(word, "agrees") == 0 || strcmp(word, "judge") == 0)
        claim->function = function_of(r->p, rest);
    else
        return strcmp(word, "claim") == 0;
    return true;
}

/* The words of a claim, with numbers of rows, and words that depend on its result, in it. */
static void put_why(const struct paper *p, const char *why, bool agrees, struct paper_count n,
                    char *out, size_t size)
{
    size_t at = 0;

    while (*why != '\0' && at + 1 < size) {
        char figure[64] = "", labels[64], value[64];
        const struct paper_row *row;
        int decimals = -1, length = 0;

        if (sscanf(why, "$(%63[^:?]?%63[^:]:%63[^)])%n", figure, labels, value, &length) == 3 &&
            strcmp(figure, "agrees") == 0) {
            at += (size_t)snprintf(out + at, size - at, "%s", agrees ? labels : value);
            why += length;
        } else if (sscanf(why, "$(%63[a-z])%n", figure, &length) == 1 && length > 0) {
            at += (size_t)snprintf(out + at, size - at, "%zu",
                                   strcmp(figure, "hold") == 0 ? n.hold : n.rows);
            why += length;
        } else if (sscanf(why, "$(%63[^:]:%63[^:]:%63[a-z]%n", figure, labels, value, &length) ==
                   3) {
            why += length;
            if (sscanf(why, ":%d%n", &decimals, &length) == 1)
                why += length;
            why += *why == ')';
            row = paper_row_of(p, figure, labels);
            at += (size_t)snprintf(out + at, size - at, decimals < 0 ? "%.*g" : "%.*f",
                                   decimals < 0 ? 6 : decimals,
                                   row != NULL ? row->value[paper_value_named(value)] : NAN);
        } else {
            out[at++] = *why++;
        }
    }
    out[at] = '\0';
}

static void judge(struct paper *p, const struct claim *claim)
{
    const struct paper_table *t = claim->table;
    const struct paper_function *f = claim->function;
    bool agrees = f == NULL || f->agrees == NULL || f->agrees(p, t);
    char why[sizeof(p->verdicts.rows->remark)];
    struct paper_count n = {0, 0};

    if (f != NULL && f->judge != NULL) {
        f->judge(p, t, claim->what);
        return;
    }
    for (int i = 0; i < claim->n_same; i++) {
        n = paper_compare_rows(claim->same[i].table, claim->same[i].rows, claim->same[i].a,
                               claim->same[i].relation, claim->same[i].b, claim->same[i].within);
        agrees = agrees && n.rows > 0 && n.hold == n.rows;
    }
    put_why(p, claim->why, agrees, n, why, sizeof(why));
    if (claim->nothing)
        paper_judge_none(p, claim->what, "%s", why);
    else
        paper_judge(p, claim->what, agrees, "%s", why);
}

/* ---- figures ---- */

static bool read_figure(struct reading *r, const char *word, char *rest)
{
    struct paper_table *t = r->t;

    if (strcmp(word, "figure") == 0) {
        r->t = &r->p->tables[r->p->n_tables++];
        *r->t = (struct paper_table){.figure = rest, .title = cut(rest, ": ")};
        r->rows = (struct paper_rows){.labels = ""};
    } else if (strcmp(word, "columns") == 0) {
        t->columns = rest;
        t->unit = cut(rest, " in ");
    } else if (strcmp(word, "printed-in") == 0) {
        t->printed_unit = rest;
    } else if (strcmp(word, "note") == 0) {
        paper_note(t, "%s", rest);
    } else if (strcmp(word, "after") == 0) {
        function_of(r->p, rest)->after(r->p, t);
    } else if (strcmp(word, "picture") == 0) {
        t->picture = strcmp(rest, "tree") == 0 ? PAPER_TREE : PAPER_TIME;
    } else if (strcmp(word, "curves") == 0) {
        t->chart = &t->axes;
        t->axes.x = (int)strtol(rest, &rest, 10);
        t->axes.series = (int)strtol(rest, &rest, 10);
        rest++;
        t->axes.log_x = strncmp(rest, "log-x ", 6) == 0;
        rest += t->axes.log_x ? 6 : 0;
        t->axes.log_y = strncmp(rest, "log-y ", 6) == 0;
        rest += t->axes.log_y ? 6 : 0;
        t->axes.x_axis = rest;
        t->axes.y_axis = cut(rest, "; ");
    } else {
        return false;
    }
    return true;
}

static void read_line(struct reading *r, char *line)
{
    char *rest = cut(line, " ");
    struct paper *p = r->p;

    if (read_rows(r, line, rest))
        return;
    if (r->has_rows)
        paper_add_rows(p, r->t, &r->rows);
    r->has_rows = strcmp(line, "rows") == 0;
    if (r->has_rows) {
        const bool one = strncmp(rest, "as ", 3) == 0;
        char *const labels = one ? rest + 3 : cut(rest, " as ");

        r->rows.each = one ? "" : rest;
        r->rows.labels = *labels != '\0' ? labels : r->rows.labels;
        r->rows.idle = false;
        r->rows.printed = r->rows.remark = NULL;
    } else if (strcmp(line, "model") == 0) {
        p->model = rest;
    } else if (strcmp(line, "let") == 0) {
        p->lets[p->n_lets++] = (struct paper_let){rest, cut(rest, " = ")};
    } else if (!read_figure(r, line, rest) && !read_claim(r, line, rest)) {
        refuse(p, line);
    }
}

/* The next line with all that continue it. @return the text after it */
static char *next_line(char *text, char **line)
{
    char *end = text, *to;

    *line = text;
    for (to = text; *end != '\0' && (*end != '\n' || end[1] == ' ');)
        if (*end == '\n') {
            *to++ = ' ';
            end += 1 + strspn(end + 1, " ");
        } else {
            *to++ = *end++;
        }
    end += *end == '\n';
    *to = '\0';
    return end;
}

void paper_fill(struct paper *p, const struct paper_kind *kind)
{
    struct reading *r = need(calloc(1, sizeof(*r)));
    char *rest, *line;

    p->kind = kind;
    p->name = kind->name;
    p->title = kind->title;
    p->text = need(strdup(kind->text));
    p->model = "";
    p->verdicts = (struct paper_table){.figure = "Summary",
                                       .title = "claims, and whether they agree",
                                       .columns = "what",
                                       .unit = "none"};
    r->p = p;
    for (rest = p->text; *rest != '\0';) {
        rest = next_line(rest, &line);
        if (*line != '#' && *line != '\0')
            read_line(r, line);
    }
    for (int i = 0; i < r->n_claims && !p->stopped; i++)
        judge(p, &r->claims[i]);
    free(r);
}
