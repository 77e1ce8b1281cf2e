/* SPDX-License-Identifier: MIT */
/* A paper's tables as JSON and CSV: a record for each row, for each listing, and for each line of
 * the list at the end. Its verdict is a key of its own in JSON, and begins the remark in CSV; the
 * notes of a table are in the JSON of its first row. */
#include "papers/paper.h"

#include "text/text.h"

#include <stdio.h>
#include <string.h>

enum { DIGITS = 7 };

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
        if (v != DERIVED)
            json_object_set_new(j, paper_keys[v], number_json(row->value[v]));
    json_object_set_new(j, "prediction",
                        json_string(predicted ? logp_certainty_name(row->certainty) : "none"));
    json_object_set_new(j, "remark", text_json(row->remark));
    json_object_set_new(j, "verdict", text_json(row->verdict));
    json_object_set_new(j, "notes", row == t->rows ? notes_json(t) : json_null());
    json_object_set_new(j, paper_keys[DERIVED],
                        number_json(row->value[DERIVED])); /* newer, so last */
    return j;
}

static json_t *listing_json(const struct paper *p, const struct paper_listing *l)
{
    return json_pack(
        "{s:s, s:s, s:s, s:{s:s, s:s, s:s, s:s}, s:s, s:s, s:n, s:n, s:n, s:n, s:n, s:s, "
        "s:n, s:n, s:n, s:n}",
        "paper", p->name, "figure", "Listings", "title", "as printed and as run here", "row",
        "listing", l->name, "as printed", l->printed, "run as printed", l->does, "as run here",
        l->here, "unit", "none", "printed_unit", "none", paper_keys[PRINTED], paper_keys[FORMULA],
        paper_keys[PREDICTED], paper_keys[EMULATED], paper_keys[MEASURED], "prediction", "none",
        "remark", "verdict", "notes", paper_keys[DERIVED]);
}

/* ---- CSV ---- */

/* An object in one cell: "P=100; k=10". */
static json_t *labels_text(json_t *labels)
{
    char text[1024] = "";
    const char *key;
    json_t *value;
    size_t n = 0;

    json_object_foreach(labels, key, value)
    {
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s=", n > 0 ? "; " : "", key);
        if (json_is_string(value))
            n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", json_string_value(value));
        else
            n += (size_t)snprintf(text + n, sizeof(text) - n, "%lld",
                                  (long long)json_integer_value(value));
    }
    return json_string(text);
}

/* The same record in cells: its verdict begins the remark. */
static json_t *csv_of(json_t *record)
{
    const char *verdict = json_string_value(json_object_get(record, "verdict"));
    const char *remark = json_string_value(json_object_get(record, "remark"));

    for (int v = 0; v < N_VALUES; v++) {
        json_t *value = json_object_get(record, paper_keys[v]);

        if (json_is_number(value))
            json_object_set_new(record, paper_keys[v], json_real(json_number_value(value)));
    }
    json_object_set_new(record, "row", labels_text(json_object_get(record, "row")));
    if (verdict != NULL)
        json_object_set_new(record, "remark",
                            json_sprintf("%s%s%s", verdict, remark != NULL ? ": " : "",
                                         remark != NULL ? remark : ""));
    return record;
}

/* ---- all records, in their order ---- */

static void add(struct records *r, json_t *record)
{
    put_record(r, r->form == RECORDS_CSV ? csv_of(record) : record);
}

struct problem *print_paper(FILE *f, enum record_form form, const struct paper *p)
{
    struct records r = {.f = f,
                        .form = form,
                        .digits = DIGITS,
                        .columns = "paper,figure,title,row,unit,printed_unit,printed,paper_formula,"
                                   "predicted,emulated,measured,prediction,remark,derived"};

    if (form == RECORDS_NONE)
        return draw_paper(f, p);
    if (form == RECORDS_TABLE) {
        print_paper_text(f, p);
        return NULL;
    }
    for (int i = 0; i < p->n_tables; i++)
        for (size_t k = 0; k < p->tables[i].n_rows; k++)
            add(&r, row_json(p, &p->tables[i], &p->tables[i].rows[k]));
    for (int i = 0; i < p->n_listings && !p->stopped; i++)
        add(&r, listing_json(p, &p->listings[i]));
    for (size_t k = 0; k < p->verdicts.n_rows; k++)
        add(&r, row_json(p, &p->verdicts, &p->verdicts.rows[k]));
    end_records(&r);
    return NULL;
}
