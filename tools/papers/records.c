/* SPDX-License-Identifier: MIT */
/* A paper's tables as JSON and CSV: a record for each row, for each listing, and for each line of
 * the list at the end. Its verdict is a key of its own in JSON, and begins the remark in CSV; the
 * notes of a table are in the JSON of its first row. */
#include "paper.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const char *const keys[N_VALUES] = {
    [PRINTED] = "printed",   [FORMULA] = "paper_formula", [PREDICTED] = "predicted",
    [EMULATED] = "emulated", [MEASURED] = "measured",
};

/* ---- JSON ---- */

static json_t *number_json(double x)
{
    if (isnan(x))
        return json_null();
    return paper_is_whole(x) ? json_integer((json_int_t)x) : json_real(x);
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

/* The lines below the table. */
static json_t *notes_json(const struct paper_table *t)
{
    json_t *j = json_array();

    for (int i = 0; i < t->n_notes; i++)
        json_array_append_new(j, json_string(t->notes[i]));
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
        json_object_set_new(j, keys[v], number_json(row->value[v]));
    json_object_set_new(j, "prediction",
                        json_string(predicted ? logp_certainty_name(row->certainty) : "none"));
    json_object_set_new(j, "remark", text_json(row->remark));
    json_object_set_new(j, "verdict", text_json(row->verdict));
    json_object_set_new(j, "notes", row == t->rows ? notes_json(t) : json_null());
    return j;
}

/* @return what stands between two records */
static const char *print_record(json_t *j, const char *between)
{
    fputs(between, stdout);
    json_dumpf(j, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(7));
    json_decref(j);
    return ",\n ";
}

/* @return what stands between two rows */
static const char *print_json_table(const struct paper *p, const struct paper_table *t,
                                    const char *between)
{
    for (size_t k = 0; k < t->n_rows; k++)
        between = print_record(row_json(p, t, &t->rows[k]), between);
    return between;
}

/* As a table: its texts are the labels of a row. */
static json_t *listing_json(const struct paper *p, const struct paper_listing *l)
{
    json_t *j = json_pack("{s:s, s:s, s:s, s:{s:s, s:s, s:s, s:s}, s:s, s:s}", "paper", p->name,
                          "figure", "Listings", "title", "as printed and as run here", "row",
                          "listing", l->name, "as printed", l->printed, "run as printed", l->does,
                          "as run here", l->here, "unit", "none", "printed_unit", "none");

    for (int v = 0; v < N_VALUES; v++)
        json_object_set_new(j, keys[v], json_null());
    json_object_set_new(j, "prediction", json_string("none"));
    json_object_set_new(j, "remark", json_null());
    json_object_set_new(j, "verdict", json_null());
    json_object_set_new(j, "notes", json_null());
    return j;
}

void print_paper_json(const struct paper *p)
{
    const char *between = "[";

    for (int i = 0; i < p->n_tables; i++)
        between = print_json_table(p, &p->tables[i], between);
    for (int i = 0; i < p->n_listings && !p->stopped; i++)
        between = print_record(listing_json(p, &p->listings[i]), between);
    print_json_table(p, &p->verdicts, between);
    puts("]");
}

/* ---- CSV ---- */

static void print_cell(const char *text)
{
    print_csv_text(text);
    putchar(',');
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
    char remark[1024];

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
    snprintf(remark, sizeof(remark), "%s%s%s", row->verdict != NULL ? row->verdict : "",
             row->verdict != NULL && row->remark[0] != '\0' ? ": " : "", row->remark);
    print_csv_text(remark);
    putchar('\n');
}

static void print_csv_table(const struct paper *p, const struct paper_table *t)
{
    for (size_t k = 0; k < t->n_rows; k++)
        print_csv_row(p, t, &t->rows[k]);
}

static void print_csv_listing(const struct paper *p, const struct paper_listing *l)
{
    char cell[1024];

    print_cell(p->name);
    print_cell("Listings");
    print_cell("as printed and as run here");
    snprintf(cell, sizeof(cell), "listing=%s; as printed=%s; run as printed=%s; as run here=%s",
             l->name, l->printed, l->does, l->here);
    print_cell(cell);
    fputs("none,none,", stdout);
    for (int v = 0; v < N_VALUES; v++)
        putchar(',');
    puts("none,");
}

void print_paper_csv(const struct paper *p)
{
    fputs("paper,figure,title,row,unit,printed_unit,", stdout);
    for (int v = 0; v < N_VALUES; v++)
        printf("%s,", keys[v]);
    puts("prediction,remark");
    for (int i = 0; i < p->n_tables; i++)
        print_csv_table(p, &p->tables[i]);
    for (int i = 0; i < p->n_listings && !p->stopped; i++)
        print_csv_listing(p, &p->listings[i]);
    print_csv_table(p, &p->verdicts);
}
