/* SPDX-License-Identifier: MIT */
/* A paper's tables as text, JSON and CSV. */
#include "paper.h"

#include <jansson.h>
#include <string.h>

static const struct {
    const char *key, *heading;
} values[N_VALUES] = {
    [PRINTED] = {"printed", "printed"},       [FORMULA] = {"paper_formula", "its formula"},
    [PREDICTED] = {"predicted", "predicted"}, [EMULATED] = {"emulated", "virtual"},
    [MEASURED] = {"measured", "measured"},
};

static bool is_whole(double x)
{
    return x == floor(x) && fabs(x) < 9007199254740992.0; /* 2^53: integers are exact below */
}

/* Whole numbers as such, what a paper prints as it does, others with two decimals. */
static const char *number(const struct paper_row *row, enum paper_value which, char buf[40])
{
    const double x = row->value[which];
    const char *mark = which != PREDICTED                              ? ""
                       : row->certainty == LOGP_PREDICTION_BOUND       ? "<= "
                       : row->certainty == LOGP_PREDICTION_LOWER_BOUND ? ">= "
                                                                       : "";

    if (isnan(x))
        snprintf(buf, 40, "%s", which == PRINTED ? "n/a" : "-");
    else if (is_whole(x))
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
    snprintf(buf, 40, "%s%s%s", values[which].heading,
             which == PRINTED && t->printed_unit != NULL ? ", " : "",
             which == PRINTED && t->printed_unit != NULL ? t->printed_unit : "");
    return buf;
}

enum { MOST_COLUMNS = 8, NOTE_WIDTH = 96 };

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
static void print_labels(const char *labels, const struct paper_table *t, const int *width)
{
    char text[64], first[64];
    int64_t unused;

    for (int i = 0; i < paper_columns(t); i++) {
        const bool numbers = t->n_rows > 0 && parse_whole(paper_label(t->rows[0].labels, i, first),
                                                          INT64_MIN, INT64_MAX, &unused);

        printf(numbers ? "  %*s" : "  %-*s", width[i], paper_label(labels, i, text));
    }
}

/* A line begins with a dash, is broken at a space, and goes on indented. */
static void print_note(const char *note)
{
    const char *begin = "  - ";

    while (*note != '\0') {
        size_t n = strlen(note);

        if (n > NOTE_WIDTH)
            for (n = NOTE_WIDTH; n > 1 && note[n] != ' '; n--)
                ;
        printf("%s%.*s\n", begin, (int)n, note);
        note += n + (note[n] == ' ');
        begin = "    ";
    }
}

static void print_text_table(const struct paper_table *t, int n_values)
{
    int label_width[MOST_COLUMNS], width[N_VALUES];
    char text[64];

    printf("\n%s: %s (%s)\n\n", t->figure, t->title, t->unit);
    find_widths(t, n_values, label_width, width);
    print_labels(t->columns, t, label_width);
    for (int v = 0; v < n_values; v++)
        printf("  %*s", width[v], heading(t, (enum paper_value)v, text));
    putchar('\n');
    for (size_t k = 0; k < t->n_rows; k++) {
        const struct paper_row *row = &t->rows[k];

        print_labels(row->labels, t, label_width);
        for (int v = 0; v < n_values; v++)
            printf("  %*s", width[v], number(row, (enum paper_value)v, text));
        printf("%s%s\n", row->remark[0] != '\0' ? "  " : "", row->remark);
    }
    for (int i = 0; i < t->n_notes; i++) {
        fputs(i == 0 ? "\n" : "", stdout);
        print_note(t->notes[i]);
    }
}

static void print_text(const struct paper *p)
{
    const int n_values = p->o->clock == LOGP_CLOCK_WALL ? N_VALUES : MEASURED;

    printf("%s\n\n"
           "printed: by the paper, n/a where it prints no number; its formula: the paper's own,\n"
           "evaluated; predicted: exact, or a bound where marked; virtual: run on the virtual "
           "clock%s\n",
           p->title, n_values > MEASURED ? ";\nmeasured: run on this box, the median" : "");
    for (int i = 0; i < p->n_tables; i++)
        print_text_table(&p->tables[i], n_values);
    if (p->late > 0)
        printf("\nThe host could not keep up with %d of %d runs, whose medians are more than 1 %% "
               "beyond "
               "the\nprediction. If it is not busy with other things, take a larger --unit or more "
               "--reps.\n",
               p->late, p->judged);
    printf("\n%s\n", p->stopped ? "Not all was run."
                     : p->wrong ? "Not every prediction agrees with the virtual clock."
                                : "Every result was verified, and every prediction agrees with the "
                                  "virtual clock.");
}

/* ---- JSON ---- */

static json_t *number_json(double x)
{
    if (isnan(x))
        return json_null();
    return is_whole(x) ? json_integer((json_int_t)x) : json_real(x);
}

static json_t *text_json(const char *text)
{
    return text != NULL && *text != '\0' ? json_string(text) : json_null();
}

static json_t *labels_json(const struct paper_table *t, const struct paper_row *row)
{
    json_t *j = json_object();
    char name[64], text[64];
    int64_t whole;

    for (int i = 0; i < paper_columns(t); i++) {
        paper_label(t->columns, i, name);
        paper_label(row->labels, i, text);
        json_object_set_new(j, name,
                            parse_whole(text, INT64_MIN, INT64_MAX, &whole) ? json_integer(whole)
                                                                            : json_string(text));
    }
    return j;
}

static json_t *row_json(const struct paper *p, const struct paper_table *t,
                        const struct paper_row *row)
{
    const bool predicted = !isnan(row->value[PREDICTED]);
    json_t *j = json_pack("{s:s, s:s, s:s, s:o, s:s, s:s}", "paper", p->name, "figure", t->figure,
                          "title", t->title, "row", labels_json(t, row), "unit", t->unit,
                          "printed_unit", t->printed_unit != NULL ? t->printed_unit : t->unit);

    for (int v = 0; v < N_VALUES; v++)
        json_object_set_new(j, values[v].key, number_json(row->value[v]));
    json_object_set_new(j, "prediction",
                        json_string(predicted ? logp_certainty_name(row->certainty) : "none"));
    json_object_set_new(j, "remark", text_json(row->remark));
    return j;
}

static void print_json(const struct paper *p)
{
    const char *between = "[";

    for (int i = 0; i < p->n_tables; i++)
        for (size_t k = 0; k < p->tables[i].n_rows; k++) {
            json_t *j = row_json(p, &p->tables[i], &p->tables[i].rows[k]);

            fputs(between, stdout);
            json_dumpf(j, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(7));
            json_decref(j);
            between = ",\n ";
        }
    puts("]");
}

/* ---- CSV ---- */

static void print_cell(const char *text)
{
    const bool quoted = strpbrk(text, ",\"") != NULL;

    if (quoted)
        putchar('"');
    for (const char *s = text; *s != '\0'; s++)
        printf(*s == '"' ? "\"%c" : "%c", *s);
    fputs(quoted ? "\"," : ",", stdout);
}

/* All labels of a row in one cell: "P=100 k=10". */
static void print_labels_cell(const struct paper_table *t, const struct paper_row *row)
{
    char cell[256] = "", name[64], text[64];

    for (int i = 0; i < paper_columns(t); i++)
        snprintf(cell + strlen(cell), sizeof(cell) - strlen(cell), "%s%s=%s", i > 0 ? "; " : "",
                 paper_label(t->columns, i, name), paper_label(row->labels, i, text));
    print_cell(cell);
}

static void print_csv_row(const struct paper *p, const struct paper_table *t,
                          const struct paper_row *row)
{
    const bool predicted = !isnan(row->value[PREDICTED]);

    print_cell(p->name);
    print_cell(t->figure);
    print_cell(t->title);
    print_labels_cell(t, row);
    print_cell(t->unit);
    print_cell(t->printed_unit != NULL ? t->printed_unit : t->unit);
    for (int v = 0; v < N_VALUES; v++) {
        if (!isnan(row->value[v]))
            printf("%.7g", row->value[v]);
        putchar(',');
    }
    print_cell(predicted ? logp_certainty_name(row->certainty) : "none");
    printf("\"%s\"\n", row->remark);
}

static void print_csv(const struct paper *p)
{
    fputs("paper,figure,title,row,unit,printed_unit,", stdout);
    for (int v = 0; v < N_VALUES; v++)
        printf("%s,", values[v].key);
    puts("prediction,remark");
    for (int i = 0; i < p->n_tables; i++)
        for (size_t k = 0; k < p->tables[i].n_rows; k++)
            print_csv_row(p, &p->tables[i], &p->tables[i].rows[k]);
}

void print_paper(const struct paper *p)
{
    if (p->o->format == FORMAT_JSON)
        print_json(p);
    else if (p->o->format == FORMAT_CSV)
        print_csv(p);
    else
        print_text(p);
}
