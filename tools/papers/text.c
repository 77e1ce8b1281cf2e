/* SPDX-License-Identifier: MIT */
/* A paper's tables as text, and the list at the end: the claims, whether they agree, and why. */
#include "papers/paper.h"

#include <stdio.h>
#include <string.h>

static const char *const headings[N_VALUES] = {
    [PRINTED] = "printed",     [FORMULA] = "its formula", [DERIVED] = "derived here",
    [PREDICTED] = "predicted", [EMULATED] = "virtual",    [MEASURED] = "measured",
};

/* Whole numbers as such, printed numbers with the paper's digits, others with two decimals. */
static const char *number(const struct paper_row *row, enum paper_value which, char buf[40])
{
    const double x = row->value[which];
    const char *mark = which != PREDICTED                              ? ""
                       : row->certainty == LOGP_PREDICTION_BOUND       ? "<= "
                       : row->certainty == LOGP_PREDICTION_LOWER_BOUND ? ">= "
                                                                       : "";

    if (isnan(x))
        snprintf(buf, 40, "%s", which == PRINTED ? "n/a" : "-");
    else if (paper_is_whole(x))
        snprintf(buf, 40, "%s%.0f", mark, x);
    else
        snprintf(buf, 40, which == PRINTED ? "%s%g" : "%s%.2f", mark, x);
    return buf;
}

/* ---- text ---- */

static void widen(int *width, const char *text)
{
    if ((int)strlen(text) > *width)
        *width = (int)strlen(text);
}

/* Names of units that differ go into the heading: "printed, s". */
static const char *heading(const struct paper_table *t, enum paper_value which, char buf[40])
{
    snprintf(buf, 40, "%s%s%s", headings[which],
             which == PRINTED && t->printed_unit != NULL ? ", " : "",
             which == PRINTED && t->printed_unit != NULL ? t->printed_unit : "");
    return buf;
}

enum { MOST_COLUMNS = 8, NOTE_WIDTH = 96 };

/* Whether a column is shown: most tables have no formula that is derived here. */
static bool is_shown(const struct paper_table *t, int v)
{
    return v != DERIVED || paper_has(t, DERIVED);
}

static void find_widths(const struct paper_table *t, int n_values, int *label_width, int *width)
{
    char text[64];

    for (int i = 0; i < paper_columns(t); i++) {
        label_width[i] = 0;
        widen(&label_width[i], paper_label(t->columns, i, text));
        for (size_t k = 0; k < t->n_rows; k++)
            widen(&label_width[i], paper_label(t->rows[k].labels, i, text));
    }
    for (int v = 0; v < n_values; v++) {
        width[v] = 0;
        widen(&width[v], heading(t, (enum paper_value)v, text));
        for (size_t k = 0; k < t->n_rows; k++)
            widen(&width[v], number(&t->rows[k], (enum paper_value)v, text));
    }
}

/* Numbers to the right, words to the left. */
static void print_labels(FILE *f, const char *labels, const struct paper_table *t, const int *width)
{
    char text[64], first[64];
    int64_t unused;

    for (int i = 0; i < paper_columns(t); i++) {
        const bool numbers = t->n_rows > 0 && parse_whole(paper_label(t->rows[0].labels, i, first),
                                                          INT64_MIN, INT64_MAX, &unused);

        fprintf(f, numbers ? "  %*s" : "  %-*s", width[i], paper_label(labels, i, text));
    }
}

/* Print a text, broken at spaces, with its further lines indented. */
static void print_wrapped(FILE *f, const char *begin, const char *indent, const char *text)
{
    while (*text != '\0') {
        size_t n = strlen(text);

        if (n > NOTE_WIDTH)
            for (n = NOTE_WIDTH; n > 1 && text[n] != ' '; n--)
                ;
        fprintf(f, "%s%.*s\n", begin, (int)n, text);
        text += n + (text[n] == ' ');
        begin = indent;
    }
}

static void print_note(FILE *f, const char *note)
{
    print_wrapped(f, "  - ", "    ", note);
}

static void print_text_table(FILE *f, const struct paper_table *t, int n_values)
{
    int label_width[MOST_COLUMNS], width[N_VALUES];
    char text[64];

    fprintf(f, "\n%s: %s (%s)\n\n", t->figure, t->title, t->unit);
    find_widths(t, n_values, label_width, width);
    print_labels(f, t->columns, t, label_width);
    for (int v = 0; v < n_values; v++)
        if (is_shown(t, v))
            fprintf(f, "  %*s", width[v], heading(t, (enum paper_value)v, text));
    fputc('\n', f);
    for (size_t k = 0; k < t->n_rows; k++) {
        const struct paper_row *row = &t->rows[k];

        print_labels(f, row->labels, t, label_width);
        for (int v = 0; v < n_values; v++)
            if (is_shown(t, v))
                fprintf(f, "  %*s", width[v], number(row, (enum paper_value)v, text));
        fprintf(f, "%s%s\n", row->remark[0] != '\0' ? "  " : "", row->remark);
    }
    for (int i = 0; i < t->n_notes; i++) {
        fputs(i == 0 ? "\n" : "", f);
        print_note(f, t->notes[i]);
    }
}

/* Print one part of a listing: its heading, and its text. */
static void print_part(FILE *f, const char *what, const char *words)
{
    size_t capacity = NOTE_WIDTH - 20;

    fprintf(f, "      %-16s", what);
    for (; strlen(words) > capacity;) {
        size_t n = capacity;

        while (n > 1 && words[n] != ' ')
            n--;
        fprintf(f, "%.*s\n%22s", (int)n, words, "");
        words += n + 1;
    }
    fprintf(f, "%s\n", words);
}

static void print_listings(FILE *f, const struct paper *p)
{
    if (p->n_listings > 0)
        fputs("\nListings in words: as printed, its effect when run, and as run here\n\n", f);
    for (int i = 0; i < p->n_listings; i++) {
        const struct paper_listing *l = &p->listings[i];

        fprintf(f, "  - %s\n", l->name);
        print_part(f, "as printed:", l->printed);
        print_part(f, "run as printed:", l->does);
        print_part(f, "as run here:", l->here);
    }
}

static void print_verdicts(FILE *f, const struct paper_table *t)
{
    if (t->n_rows > 0)
        fprintf(f, "\nClaims of the paper, and whether they agree with ours:\n\n");
    for (size_t k = 0; k < t->n_rows; k++) {
        const struct paper_row *row = &t->rows[k];
        char line[600];

        snprintf(line, sizeof(line), "%s: %s%s%s", row->labels, row->verdict,
                 row->remark[0] != '\0' ? ": " : "", row->remark);
        print_note(f, line);
    }
}

/* Print the meanings of the columns. */
static void print_legend(FILE *f, const struct paper *p, int n_values)
{
    bool derives = false;
    char text[400];

    for (int i = 0; i < p->n_tables; i++)
        derives |= paper_has(&p->tables[i], DERIVED);
    snprintf(
        text, sizeof(text),
        "printed: by the paper, n/a if it prints no number; its formula: the paper's formula, "
        "evaluated as it is printed; %spredicted: exact, or a bound if marked; virtual: run on "
        "the virtual clock%s",
        derives ? "derived here: a formula that the paper does not print; " : "",
        n_values > MEASURED
            ? "; measured: median of runs on this host, or - if the host did not keep up"
            : "");
    print_wrapped(f, "", "", text);
}

void print_paper_text(FILE *f, const struct paper *p)
{
    const int n_values = p->q->how.clock == LOGP_CLOCK_WALL ? N_VALUES : MEASURED;

    fprintf(f, "%s\n\n", p->title);
    print_legend(f, p, n_values);
    for (int i = 0; i < p->n_tables; i++)
        print_text_table(f, &p->tables[i], n_values);
    if (!p->stopped)
        print_listings(f, p);
    print_verdicts(f, &p->verdicts);
    if (p->late > 0)
        fprintf(f,
                "\nThe host did not keep up with %d of %d runs: their medians were more than 1 %% "
                "above the\nvirtual clock, so the table shows -. Try a larger --unit, more --reps, "
                "or an idle host.\n",
                p->late, p->judged);
    fprintf(f, "\n%s\n",
            p->stopped ? "The run was interrupted; not all is shown."
            : p->wrong ? "Not every prediction agrees with the virtual clock."
                       : "Every result was verified, and every prediction agrees with the "
                         "virtual clock.");
}
