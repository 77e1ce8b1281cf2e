/* SPDX-License-Identifier: MIT */
/* Records as JSON, and as CSV, which is the same made flat: see columns.h. */
#include "output/columns.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 7 }; /* of what is no whole number */

/* Does the record of this output have the column? */
static bool has_key(const struct output *out, const struct column *col)
{
    return col->key != NULL && (out->n_cores > 0 || !col->measured);
}

static json_t *cell_json(const struct cell *cell)
{
    json_t *text = NULL;

    switch (cell->kind) {
    case CELL_NOTHING:
        break;
    case CELL_WHOLE:
    case CELL_NS:
        return json_integer(cell->number);
    case CELL_THOUSANDTHS: /* an integer where it is one */
        return cell->number % 1000 == 0 ? json_integer(cell->number / 1000)
                                        : json_real((double)cell->number / 1000);
    case CELL_RATIO:
        return json_real(cell->ratio);
    case CELL_TRUTH:
        return json_boolean(cell->number);
    case CELL_TEXT:
        text = json_string(cell->text);
        break;
    }
    return text != NULL ? text : json_null(); /* what is no UTF-8 is none */
}

/* ---- JSON ---- */

/* An object all of whose parts are nothing is null. */
static void add_part(json_t *record, const struct column *col, const struct cell *cell)
{
    json_t *object = json_object_get(record, col->key);

    if (object == NULL)
        json_object_set_new(record, col->key, json_null());
    if (cell->kind == CELL_NOTHING)
        return;
    if (!json_is_object(object)) {
        object = json_object();
        json_object_set_new(record, col->key, object);
    }
    json_object_set_new(object, col->part, cell_json(cell));
}

static json_t *record_json(const struct output *out, const struct row *row)
{
    const struct column *col;
    json_t *record = json_object();

    for (size_t i = 0; (col = output_column(i)) != NULL; i++) {
        struct cell cell;

        if (!has_key(out, col))
            continue;
        cell = cell_of(out, row, col);
        if (col->part != NULL)
            add_part(record, col, &cell);
        else
            json_object_set_new(record, col->key, cell_json(&cell));
    }
    return record;
}

void print_json(const struct output *out)
{
    putchar('[');
    for (size_t i = 0; i < out->n; i++) {
        json_t *record = record_json(out, &out->rows[i]);

        fputs(i > 0 ? ",\n " : "", stdout);
        json_dumpf(record, stdout,
                   JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(DIGITS));
        json_decref(record);
    }
    puts("]");
}

/* ---- CSV ---- */

static void print_cell(const struct cell *cell)
{
    json_t *value;
    char *text;

    if (cell->kind == CELL_TEXT)
        print_csv_text(cell->text);
    if (cell->kind == CELL_TEXT || cell->kind == CELL_NOTHING)
        return;
    value = cell_json(cell);
    text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS));
    fputs(text != NULL ? text : "", stdout);
    free(text);
    json_decref(value);
}

/* A part goes before the unit: measured_min_ns. */
static void print_name(const struct column *col)
{
    if (col->part == NULL)
        fputs(col->key, stdout);
    else
        printf("%.*s_%s_ns", (int)strlen(col->key) - 3, col->key, col->part);
}

/* The names of the columns, row NULL, or what they say of a row. */
static void print_csv_line(const struct output *out, const struct row *row)
{
    const struct column *col;
    const char *between = "";

    for (size_t i = 0; (col = output_column(i)) != NULL; i++) {
        if (!has_key(out, col))
            continue;
        fputs(between, stdout);
        between = ",";
        if (row == NULL) {
            print_name(col);
        } else {
            const struct cell cell = cell_of(out, row, col);

            print_cell(&cell);
        }
    }
    putchar('\n');
}

void print_csv(const struct output *out)
{
    print_csv_line(out, NULL);
    for (size_t i = 0; i < out->n; i++)
        print_csv_line(out, &out->rows[i]);
}
