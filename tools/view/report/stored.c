/* SPDX-License-Identifier: MIT */
/*
 * The page of the records in a file, which may come from another host or from a cluster: its facts
 * are those of the records. Diagrams, the map and the sliders need the machine of the records and
 * are left out.
 */
#include "view/records/columns.h"
#include "view/report/report.h"

#include <stdlib.h>
#include <string.h>

/* ---- the records ---- */

/* Copy the columns of a record in their order; those that it has not are null. */
static json_t *whole(const json_t *record)
{
    json_t *copy = json_object();
    struct column col;

    for (size_t i = 0; output_column(i, &col); i++) {
        json_t *value = col.key != NULL ? json_object_get(record, col.key) : NULL;

        if (col.key != NULL && json_object_get(copy, col.key) == NULL)
            json_object_set_new(copy, col.key, value != NULL ? json_incref(value) : json_null());
    }
    return copy;
}

/* A problem where a record lacks a value that the page shows of each. */
static struct problem *check_page(const char *path, const json_t *all)
{
    static const char *const needed[] = {"P", "clock", "executor", "delay", "prediction"};
    size_t i;
    json_t *record;

    json_array_foreach((json_t *)all, i, record)
    {
        const char *certainty;

        for (size_t k = 0; k < sizeof(needed) / sizeof(needed[0]); k++)
            if (json_is_null(json_object_get(record, needed[k])))
                return usage_problem("report %s: record %zu has no value of %s; logp bench writes "
                                     "all of them",
                                     path, i + 1, needed[k]);
        certainty = json_string_value(json_object_get(record, "prediction"));
        if ((strcmp(certainty, "none") != 0) ==
            json_is_null(json_object_get(record, "predicted_ns")))
            return usage_problem("report %s: record %zu: predicted_ns and prediction contradict "
                                 "each other; logp bench writes files anew with --restart",
                                 path, i + 1);
    }
    return NULL;
}

/* Whether records that have all other settings in common differ in this one. */
static bool is_swept(const json_t *all, const char *key)
{
    json_t *seen = json_object(), *record;
    bool swept = false;
    size_t i;

    json_array_foreach((json_t *)all, i, record)
    {
        json_t *value = json_object_get(record, key), *others, *before;
        char *text;

        if (swept || json_is_null(value))
            continue;
        others = settings_of(record);
        json_object_del(others, key);
        text = need(json_dumps(others, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(7)));
        before = json_object_get(seen, text);
        swept = before != NULL && !json_equal(before, value);
        json_object_set(seen, text, value);
        free(text);
        json_decref(others);
    }
    json_decref(seen);
    return swept;
}

/* Whether the sizes were given with --bytes. */
static bool has_bytes(const json_t *all)
{
    const char *sweep = json_string_value(json_object_get(json_array_get(all, 0), "sweep"));

    return sweep != NULL && strstr(sweep, "--bytes ") != NULL;
}

/* As of a sweep that is run: parameters of the algorithms with several values, and "bytes". */
static json_t *swept(const json_t *all)
{
    json_t *keys = json_array();
    struct column col;

    for (size_t i = 0; output_column(i, &col); i++)
        if (col.knob != NULL && is_swept(all, col.key))
            json_array_append_new(keys, json_string(col.key));
    if (has_bytes(all))
        json_array_append_new(keys, json_string("bytes"));
    return keys;
}

/* ---- facts ---- */

static void add_fact(json_t *facts, const char *name, json_t *value)
{
    if (value != NULL)
        json_array_append_new(facts, json_pack("[so]", name, value));
}

/* The values of a key, each once, as "1, 4"; NULL: no record has one. unit: after each number */
static json_t *values_of(const json_t *all, const char *key, const char *unit)
{
    json_t *seen = json_object(), *record, *text = NULL;
    char *line = NULL;
    size_t i, size;
    FILE *f = need(open_memstream(&line, &size));

    json_array_foreach((json_t *)all, i, record)
    {
        const json_t *value = json_object_get(record, key);
        char number[64];
        const char *said = json_string_value(value);

        if (json_is_number(value)) {
            snprintf(number, sizeof(number), "%.10g%s", json_number_value(value), unit);
            said = number;
        }
        if (said == NULL || json_object_get(seen, said) != NULL)
            continue;
        fprintf(f, "%s%s", json_object_size(seen) > 0 ? ", " : "", said);
        json_object_set_new(seen, said, json_true());
    }
    close_text(f, &line);
    if (json_object_size(seen) > 0)
        text = json_string(line);
    json_decref(seen);
    free(line);
    return text;
}

/* [["Processor", "..."], ...] */
static json_t *facts_of(const char *path, const json_t *stored)
{
    const json_t *all = json_object_get(stored, "records"), *host = json_object_get(stored, "host"),
                 *processor = json_object_get(host, "processor"),
                 *cores = json_object_get(host, "cores"), *saved = json_object_get(stored, "saved"),
                 *version = json_object_get(stored, "logp");
    json_t *facts = json_array();
    char *file = shown_text(path);

    add_fact(facts, "File", json_string(file));
    if (json_is_string(saved) && json_is_string(version))
        add_fact(
            facts, "Saved",
            json_sprintf("%s by logp %s", json_string_value(saved), json_string_value(version)));
    if (json_is_string(processor))
        add_fact(facts, "Processor", json_sprintf("%s", json_string_value(processor)));
    if (json_is_integer(cores))
        add_fact(facts, "Cores", json_sprintf("%d", (int)json_integer_value(cores)));
    add_fact(facts, "Cores used", values_of(all, "core_count", ""));
    add_fact(facts, "Processes", values_of(all, "processes", ""));
    add_fact(facts, "Transport", values_of(all, "transport", ""));
    add_fact(facts, "Clock error", values_of(all, "clock_error_ns", " ns"));
    add_fact(facts, "Placement", values_of(all, "place", ""));
    add_fact(facts, "Executor", values_of(all, "executor", ""));
    add_fact(facts, "Clock", values_of(all, "clock", ""));
    free(file);
    return facts;
}

static void add_command(json_t *commands, const char *what, json_t *command)
{
    json_array_append_new(commands, json_pack("{ssso}", "what", what, "command", command));
}

static json_t *commands(const struct question *q, const char *path, const json_t *all)
{
    const json_t *first = json_array_get(all, 0);
    const char *sweep = json_string_value(json_object_get(first, "sweep"));
    const json_int_t processes = json_integer_value(json_object_get(first, "processes"));
    json_t *list = json_array();
    char *file = shown_text(path),
         *page = shown_text(q->form.output != NULL ? q->form.output : "-");
    char launcher[48] = "";

    if (processes > 1)
        snprintf(launcher, sizeof(launcher), "mpirun -n %lld ", (long long)processes);
    add_command(list, "This page", json_sprintf("logp report %s --output %s", file, page));
    if (sweep != NULL)
        add_command(list, "Its records", json_sprintf("%slogp bench %s", launcher, sweep));
    free(file);
    free(page);
    return list;
}

struct problem *write_stored_page(FILE *f, const struct question *q, const char *path, json_t *made)
{
    json_t *stored, *all = json_array(), *record, *data;
    struct problem *problem = read_records("report", path, &stored);
    size_t i;

    json_array_foreach(json_object_get(stored, "records"), i, record)
    {
        if (problem == NULL)
            json_array_append_new(all, whole(record));
    }
    if (problem == NULL)
        problem = check_page(path, all);
    if (problem != NULL) {
        json_decref(stored);
        json_decref(all);
        json_decref(made);
        return problem;
    }
    data = json_pack("{sOsosnsososos[]s[]}", "records", all, "swept", swept(all), "map", "machine",
                     facts_of(path, stored), "commands", commands(q, path, all), "made", made,
                     "diagrams", "what_if");
    json_decref(stored);
    json_decref(all);
    begin_page(f);
    write_data(f, data);
    end_page(f);
    return NULL;
}
