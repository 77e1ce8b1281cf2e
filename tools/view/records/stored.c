/* SPDX-License-Identifier: MIT */
/*
 * Records that a file keeps: those of run, predict and bench, as a JSON array, as the JSON of
 * bench --save, or as CSV. CSV is JSON made flat; its objects are made again, so that all forms
 * are read alike. Other keys stay. A file that was cut or changed is refused.
 */
#include "view/records/columns.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = 256 };

bool is_record_file(const char *word)
{
    const char *end = strrchr(word, '.');

    return end != NULL && (strcmp(end, ".csv") == 0 || strcmp(end, ".json") == 0);
}

/* ---- what the values of a column are ---- */

enum value_kind {
    VALUE_ANY, /* a number or a word */
    VALUE_NUMBER,
    VALUE_TEXT,
    VALUE_TRUTH,
    VALUE_LIST, /* of numbers */
};

static enum value_kind kind_of(const struct column *col)
{
    static const struct names texts = {{"collective", "algorithm",  "counts",    "type",
                                        "op",         "packing",    "gap",       "machine",
                                        "clock",      "executor",   "place",     "delay",
                                        "transport",  "topology",   "nodes",     "links",
                                        "unit_by",    "sweep",      "arrival",   "fault",
                                        "noise",      "prediction", "core_note", "prediction_by",
                                        "verdict"},
                                       25},
                              truths = {{"verified", "same_results", "too_busy"}, 3},
                              lists = {{"rank_ends_ns", "patterns_ns"}, 2};

    return col->knob != NULL && col->knob->words != NULL ? VALUE_ANY
           : find_name(&texts, col->key) >= 0            ? VALUE_TEXT
           : find_name(&truths, col->key) >= 0           ? VALUE_TRUTH
           : find_name(&lists, col->key) >= 0            ? VALUE_LIST
                                                         : VALUE_NUMBER;
}

/* All columns that have a key. */
struct columns {
    struct column column[MOST_KEYS];
    enum value_kind kind[MOST_KEYS];
    size_t n;
};

static void all_columns(struct columns *c)
{
    struct column col;

    c->n = 0;
    for (size_t i = 0; c->n < MOST_KEYS && output_column(i, &col); i++)
        if (col.key != NULL) {
            c->kind[c->n] = kind_of(&col);
            c->column[c->n++] = col;
        }
}

/* ---- CSV ---- */

/* Take the next cell, in place and without its quotes.
 * @return the text after the cell; *end: the character that ended it */
static char *next_cell(char *s, char **cell, char *end)
{
    char *to = s;
    const bool quoted = *s == '"';

    *cell = s;
    s += quoted;
    for (; *s != '\0' && (quoted || (*s != ',' && *s != '\n')); s++) {
        if (quoted && *s == '"' && *++s != '"')
            break;
        *to++ = *s;
    }
    if (s[0] == '\r' && s[1] == '\n') /* end of a line in RFC 4180 */
        s++;
    else if (!quoted && *s == '\n' && to > *cell && to[-1] == '\r')
        to--;
    *end = *s;
    *to = '\0';
    return s + (*end != '\0');
}

static json_t *number_of(const char *text)
{
    char *end;
    const long long whole = strtoll(text, &end, 10);
    double x;

    if (*end == '\0' && llabs(whole) < 1LL << 53)
        return json_integer(whole);
    x = strtod(text, &end);
    return *end == '\0' && isfinite(x) ? json_real(x) : NULL;
}

static json_t *list_of(char *text)
{
    json_t *all = json_array(), *value;
    char *save = NULL;

    for (char *s = strtok_r(text, " ", &save); s != NULL; s = strtok_r(NULL, " ", &save)) {
        value = number_of(s);
        json_array_append_new(all, value != NULL ? value : json_null());
    }
    return all;
}

static json_t *cell_value(char *text, enum value_kind kind)
{
    json_t *number = kind == VALUE_TEXT ? NULL : number_of(text);

    if (*text == '\0') {
        json_decref(number);
        return json_null();
    }
    if (kind == VALUE_LIST) {
        json_decref(number);
        return list_of(text);
    }
    if (number != NULL)
        return number;
    if (kind == VALUE_TRUTH && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0))
        return json_boolean(*text == 't');
    text = (char *)csv_text(text);
    return json_stringn_nocheck(text, strlen(text)); /* check_texts() checks it */
}

/* Set the value of a column. An object whose parts all have no value is null. */
static void set_value(json_t *record, const struct column *col, json_t *value)
{
    json_t *object = json_object_get(record, col->key);

    if (col->part == NULL) {
        json_object_set_new(record, col->key, value);
        return;
    }
    if (!json_is_object(object)) {
        object = json_is_null(value) ? json_null() : json_object();
        json_object_set_new(record, col->key, object);
    }
    if (json_is_null(value))
        json_decref(value);
    else
        json_object_set_new(object, col->part, value);
}

/* The columns of a file: NULL for a name that is none. */
struct header {
    char *name[MOST_KEYS];
    const struct column *column[MOST_KEYS];
    enum value_kind kind[MOST_KEYS];
    int n;
};

static char *read_header(struct header *h, const struct columns *c, char *s, char *end)
{
    char known[CELL_SIZE];

    h->n = 0;
    do {
        const int i = h->n++;

        s = next_cell(s, &h->name[i], end);
        h->column[i] = NULL;
        h->kind[i] = VALUE_ANY;
        for (size_t k = 0; k < c->n && h->column[i] == NULL; k++) {
            csv_name(&c->column[k], known);
            if (strcmp(known, h->name[i]) == 0) {
                h->column[i] = &c->column[k];
                h->kind[i] = c->kind[k];
            }
        }
    } while (*end == ',' && h->n < MOST_KEYS);
    return s;
}

static struct problem *read_csv(const char *command, const char *path, const struct columns *c,
                                char *s, json_t *all)
{
    struct header h;
    char *cell, end = '\0';

    s = read_header(&h, c, s, &end);
    while (*s != '\0') {
        json_t *record = json_object();
        int n = 0;

        json_array_append_new(all, record);
        do {
            s = next_cell(s, &cell, &end);
            if (n < h.n && h.column[n] != NULL)
                set_value(record, h.column[n], cell_value(cell, h.kind[n]));
            else if (n < h.n)
                json_object_set_new_nocheck(record, h.name[n], cell_value(cell, h.kind[n]));
            n++;
        } while (end == ',');
        if (n != h.n)
            return usage_problem("%s %s: record %zu has %d cells, and the first line names %d; "
                                 "logp bench writes complete files",
                                 command, path, json_array_size(all), n, h.n);
        if (end != '\n')
            return usage_problem("%s %s: record %zu has no end of line, so that it may be cut off; "
                                 "logp bench writes complete files",
                                 command, path, json_array_size(all));
    }
    return NULL;
}

/* ---- checks ---- */

static bool is_time(const json_t *value, const char *key)
{
    return json_is_number(value) && (json_number_value(value) >= 0 || (strstr(key, "_ns") == NULL));
}

static bool is_list(const json_t *value)
{
    size_t i;
    const json_t *x;

    json_array_foreach((json_t *)value, i, x)
    {
        if (!is_time(x, "_ns"))
            return false;
    }
    return json_is_array(value);
}

/* Whether a value that is not null can be in the column. *what: the values that can */
static bool is_right(const struct column *col, enum value_kind kind, const json_t *value,
                     const char **what)
{
    switch (kind) {
    case VALUE_TEXT:
        *what = "a text";
        return json_is_string(value);
    case VALUE_TRUTH:
        *what = "true or false";
        return json_is_boolean(value);
    case VALUE_LIST:
        *what = "a list of numbers of at least 0";
        return is_list(value);
    case VALUE_ANY:
        *what = "a number or a word";
        return json_is_number(value) || json_is_string(value);
    case VALUE_NUMBER:
        break;
    }
    if (strcmp(col->key, "P") == 0) {
        *what = "a whole number of at least 1";
        return json_is_integer(value) && json_integer_value(value) > 0;
    }
    *what = strstr(col->key, "_ns") != NULL ? "a number of at least 0" : "a number";
    return is_time(value, col->key);
}

/* The parts of some objects are left out where they have no value. */
static bool has_all_parts(const char *key)
{
    static const struct names some = {{"inter", "inter_sockets", "change"}, 3};

    return find_name(&some, key) < 0;
}

static struct problem *check_record(const char *command, const char *path, size_t i,
                                    const struct columns *c, const json_t *record)
{
    for (size_t k = 0; k < c->n; k++) {
        const struct column *col = &c->column[k];
        const json_t *value = json_object_get(record, col->key);
        const char *what = "an object", *part = col->part != NULL ? col->part : "";
        bool right;

        if (value == NULL || json_is_null(value))
            continue;
        right = col->part == NULL || json_is_object(value);
        if (right && col->part != NULL)
            value = json_object_get(value, col->part);
        if (right && value != NULL)
            right = is_right(col, c->kind[k], value, &what);
        else if (right && has_all_parts(col->key))
            right = is_right(col, c->kind[k], json_null(), &what);
        if (!right)
            return usage_problem("%s %s: record %zu: %s%s%s must be %s; logp bench writes files "
                                 "anew with --restart",
                                 command, path, i + 1, col->key, *part != '\0' ? "." : "", part,
                                 what);
    }
    return NULL;
}

/* Check the texts of records that become titles or names: one line of printable characters. */
static struct problem *check_texts(const char *command, const char *path, size_t i, json_t *record)
{
    json_t *value;
    const char *key;

    json_object_foreach(record, key, value)
    {
        if (!is_printable(key) ||
            (json_is_string(value) && !is_printable(json_string_value(value))))
            return usage_problem("%s %s: record %zu has a control character in \"%s\"; remove it",
                                 command, path, i + 1, key);
    }
    return NULL;
}

static bool is_name(const json_t *value)
{
    return json_is_string(value) && *json_string_value(value) != '\0';
}

static struct problem *check_all(const char *command, const char *path, const struct columns *c,
                                 const json_t *all)
{
    size_t i;
    json_t *record;

    if (json_array_size(all) == 0)
        return usage_problem("%s %s: it holds no records of logp bench or run", command, path);
    json_array_foreach((json_t *)all, i, record)
    {
        if (!is_name(json_object_get(record, "algorithm")) ||
            !is_name(json_object_get(record, "collective")))
            return usage_problem("%s %s: record %zu is not a record of logp bench or run", command,
                                 path, i + 1);
        TRY(check_texts(command, path, i, record));
        TRY(check_record(command, path, i, c, record));
    }
    return NULL;
}

/* ---- the file ---- */

static struct problem *read_json(const char *command, const char *path, const char *text,
                                 json_t **stored)
{
    json_error_t error;
    json_t *file = *text == '\0' ? json_array() : json_loads(text, 0, &error);

    if (file == NULL)
        return usage_problem("%s %s: line %d: no complete JSON: it was cut or changed; logp bench "
                             "writes complete files",
                             command, path, error.line);
    if (json_is_object(file) && json_is_array(json_object_get(file, "records")))
        *stored = file;
    else
        *stored = json_pack("{so}", "records", file);
    return NULL;
}

struct problem *read_records(const char *command, const char *path, json_t **stored)
{
    const char *why;
    char *text = text_of_file(path, &why);
    struct columns *c;
    struct problem *problem;

    *stored = NULL;
    if (text == NULL)
        return usage_problem("%s %s: %s", command, path, why);
    c = need(malloc(sizeof(*c)));
    all_columns(c);
    if (strcmp(strrchr(path, '.'), ".json") == 0) {
        problem = read_json(command, path, text, stored);
    } else {
        *stored = json_pack("{s[]}", "records");
        problem = read_csv(command, path, c, text, json_object_get(*stored, "records"));
    }
    if (problem == NULL)
        problem = check_all(command, path, c, json_object_get(*stored, "records"));
    free(c);
    free(text);
    return problem;
}
