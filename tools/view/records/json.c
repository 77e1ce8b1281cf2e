/* SPDX-License-Identifier: MIT */
/* Records as JSON, and as CSV, which is the same made flat: see columns.h. */
#include "view/records/columns.h"
#include "text/text.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 7 }; /* significant digits of a number that is not whole */

static json_t *list_json(const struct cell *cell)
{
    json_t *all = json_array();

    for (int64_t i = 0; i < cell->number; i++)
        json_array_append_new(all, json_integer(cell->list[i]));
    return all;
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
    case CELL_BYTE_TIME:
    case CELL_THOUSANDTHS: /* an integer where it is one */
        return cell->number % 1000 == 0 ? json_integer(cell->number / 1000)
                                        : json_real((double)cell->number / 1000);
    case CELL_RATIO:
        return json_real(cell->ratio);
    case CELL_TRUTH:
        return json_boolean(cell->number);
    case CELL_LIST:
        return list_json(cell);
    case CELL_TEXT:
        text = json_string(cell->text);
        break;
    }
    return text != NULL ? text : json_null(); /* null for a text that is not UTF-8 */
}

static bool is_key(const struct column *col, const char *key)
{
    return key != NULL && strcmp(col->key, key) == 0;
}

/* ---- JSON ---- */

/* Add a part to an object. An object whose parts all have no value is null. */
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

json_t *record_json(const struct output *out, const struct row *row, const char *before)
{
    struct column col;
    json_t *record = json_object();

    for (size_t i = 0; output_column(i, &col); i++) {
        struct cell cell;

        if (!has_key(out, &col))
            continue;
        if (is_key(&col, before))
            break;
        cell = cell_of(out, row, &col);
        if (col.part != NULL)
            add_part(record, &col, &cell);
        else
            json_object_set_new(record, col.key, cell_json(&cell));
    }
    if (out->q->form.explain)
        json_object_set_new(record, "explain", explanation_json(row->explained));
    return record;
}

void write_json_record(FILE *f, const struct output *out, const struct row *row, const char *before)
{
    json_t *record = record_json(out, row, before);
    char *text =
        json_dumps(record, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(DIGITS));

    if (text != NULL)
        fprintf(f, "%.*s", (int)strlen(text) - (before != NULL), text);
    free(text);
    json_decref(record);
}

void print_json(FILE *f, const struct output *out)
{
    struct records r = {.f = f, .form = out->q->form.format->form, .digits = DIGITS};

    say_free_bytes_in(out);
    for (const struct output *q = out; q != NULL; q = q->next)
        for (size_t i = 0; i < q->n; i++)
            put_record(&r, record_json(q, &q->rows[i], NULL));
    end_records(&r);
}

/* ---- CSV ---- */

static void write_cell(FILE *f, const struct cell *cell)
{
    json_t *value;
    char *text;

    if (cell->kind == CELL_TEXT)
        write_csv_text(f, cell->text);
    for (int64_t i = 0; cell->kind == CELL_LIST && i < cell->number; i++)
        fprintf(f, "%s%lld", i > 0 ? " " : "", (long long)cell->list[i]);
    if (cell->kind == CELL_TEXT || cell->kind == CELL_LIST || cell->kind == CELL_NOTHING)
        return;
    value = cell_json(cell);
    text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS));
    fputs(text != NULL ? text : "", f);
    free(text);
    json_decref(value);
}

void csv_name(const struct column *col, char buf[CELL_SIZE])
{
    const char *unit = strstr(col->key, "_ns");
    const int name = (int)(unit != NULL ? (size_t)(unit - col->key) : strlen(col->key));

    if (col->part == NULL)
        snprintf(buf, CELL_SIZE, "%s", col->key);
    else
        snprintf(buf, CELL_SIZE, "%.*s_%s%s", name, col->key, col->part, col->key + name);
}

void write_csv_names(FILE *f, const struct output *out, const char *before)
{
    struct column col;
    const char *between = "";
    char name[CELL_SIZE];

    for (size_t i = 0; output_column(i, &col); i++) {
        if (!has_key(out, &col))
            continue;
        if (is_key(&col, before))
            break;
        csv_name(&col, name);
        fprintf(f, "%s%s", between, name);
        between = ",";
    }
}

void write_csv_record(FILE *f, const struct output *out, const struct row *row, const char *before)
{
    struct column col;
    const char *between = "";

    for (size_t i = 0; output_column(i, &col); i++) {
        struct cell cell;

        if (!has_key(out, &col))
            continue;
        if (is_key(&col, before))
            break;
        fputs(between, f);
        between = ",";
        cell = cell_of(out, row, &col);
        write_cell(f, &cell);
    }
}

void print_csv(FILE *f, const struct output *out)
{
    say_free_bytes_in(out);
    write_csv_names(f, out, NULL);
    fputc('\n', f);
    for (const struct output *q = out; q != NULL; q = q->next)
        for (size_t i = 0; i < q->n; i++) {
            write_csv_record(f, q, &q->rows[i], NULL);
            fputc('\n', f);
        }
}
