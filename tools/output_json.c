/* SPDX-License-Identifier: MIT */
/* Records as JSON, and as CSV, which is the JSON record made flat. */
#include "command.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static bool predicted(const struct row *r)
{
    return r->record.prediction.certainty != LOGP_PREDICTION_NONE;
}

/* ---- JSON ---- */

static json_t *number_or_null(bool valid, int64_t value)
{
    return valid ? json_integer(value) : json_null();
}

/* A number of thousandths: an integer where it is one. */
static json_t *thousandths(int64_t ps)
{
    return ps % 1000 == 0 ? json_integer(ps / 1000) : json_real((double)ps / 1000);
}

static json_t *summary_or_null(bool valid, const struct logp_summary *s, bool percentiles)
{
    json_t *j;

    if (!valid)
        return json_null();
    j = json_pack("{s:I, s:I}", "min", (json_int_t)s->min_ns, "median", (json_int_t)s->median_ns);
    if (percentiles) {
        json_object_set_new(j, "p90", json_integer(s->p90_ns));
        json_object_set_new(j, "p99", json_integer(s->p99_ns));
    }
    json_object_set_new(j, "max", json_integer(s->max_ns));
    return j;
}

static void add_measured(json_t *j, const struct row *row)
{
    const struct logp_record *r = &row->record;
    const bool any = r->reps > 0;
    const double ratio = logp_record_ratio(r);

    json_object_set_new(j, "measured_ns",
                        summary_or_null(any && r->has_measured, &r->measured, true));
    json_object_set_new(j, "emulated_ns",
                        summary_or_null(any && r->has_emulated, &r->emulated, false));
    json_object_set_new(j, "lag_ns",
                        any && r->has_lag
                            ? json_pack("{s:I, s:I, s:I}", "median", (json_int_t)r->lag.median_ns,
                                        "p99", (json_int_t)r->lag.p99_ns, "max",
                                        (json_int_t)r->lag.max_ns)
                            : json_null());
    json_object_set_new(j, "restarts", json_integer(r->restarts));
    json_object_set_new(j, "ratio", ratio > 0 ? json_real(ratio) : json_null());
    json_object_set_new(j, "messages", json_integer((json_int_t)r->messages));
    json_object_set_new(j, "link_most",
                        number_or_null(row->has_links, (int64_t)row->busiest.messages));
    json_object_set_new(j, "link_wait_ns", number_or_null(row->has_links, row->links.waited_ns));
    json_object_set_new(j, "verified", json_boolean(r->verified));
}

static bool counts(const char *collective)
{
    const enum logp_operands operands = logp_collective_find(collective)->operands;

    return operands == LOGP_OPERANDS_VECTOR || operands == LOGP_OPERANDS_TOTAL;
}

/* What the operands take: of a matrix all of it, of a vector that of one processor. */
static json_int_t operand_bytes(const struct options *o, const char *collective,
                                const struct logp_coll *c)
{
    __int128 bytes = (__int128)o->n_bytes;

    if (counts(collective))
        bytes = (__int128)c->count * (__int128)c->op->element_bytes;
    else if (logp_collective_find(collective)->operands == LOGP_OPERANDS_MATRIX)
        bytes = (__int128)c->rows * c->cols < INT64_MAX
                    ? (__int128)c->rows * c->cols * (__int128)c->n_bytes
                    : INT64_MAX;
    return bytes < INT64_MAX ? (json_int_t)bytes : INT64_MAX;
}

/* Recursive doubling, in a row or on a mesh: what the textbook says that it takes. */
static void add_textbook(json_t *j, const struct options *o, const struct row *row,
                         const struct logp_coll *c, size_t bytes)
{
    const struct logp_algorithm *a = row->algorithm;
    const bool has =
        (strcmp(a->collective, "broadcast") == 0 || strcmp(a->collective, "reduce") == 0) &&
        (strcmp(a->name, "binomial") == 0 || strcmp(a->name, "mesh") == 0) &&
        strcmp(o->delay, "none") != 0 && o->plugin == NULL;
    const int64_t ns = has ? logp_textbook_cost(o->P, &c->params, bytes) : -1;

    json_object_set_new(j, "textbook_ns", number_or_null(ns >= 0, ns));
}

static json_t *record_json(const struct options *o, const char *collective,
                           const struct logp_coll *c, const struct row *row)
{
    const struct logp_params *p = &o->params;
    json_t *j = json_pack("{s:s, s:s, s:I, s:I, s:I, s:o}", "collective", collective, "algorithm",
                          row->algorithm->name, "P", (json_int_t)o->P, "root", (json_int_t)o->root,
                          "bytes", operand_bytes(o, collective, c), "count",
                          number_or_null(counts(collective), c->count));

    json_object_set_new(j, "L_ns", json_integer(p->L_ns));
    json_object_set_new(j, "o_send_ns", json_integer(p->o_send_ns));
    json_object_set_new(j, "o_recv_ns", json_integer(p->o_recv_ns));
    json_object_set_new(j, "g_ns", json_integer(p->g_ns));
    json_object_set_new(j, "G_ns_per_byte", thousandths(p->G_ps));
    json_object_set_new(j, "gamma_ns", thousandths(p->gamma_ps));
    json_object_set_new(j, "gap", json_string(p->gap_shared ? "shared" : "separate"));
    json_object_set_new(j, "capacity", number_or_null(logp_capacity(p) > 0, logp_capacity(p)));
    json_object_set_new(j, "k",
                        number_or_null(row->algorithm->k != NULL,
                                       row->algorithm->k != NULL ? row->algorithm->k(o->P, c) : 0));
    json_object_set_new(
        j, "window",
        number_or_null(row->algorithm->window != NULL,
                       row->algorithm->window != NULL ? row->algorithm->window(o->P, c) : 0));
    json_object_set_new(
        j, "block",
        number_or_null(row->algorithm->block != NULL,
                       row->algorithm->block != NULL ? row->algorithm->block(o->P, c) : 0));
    json_object_set_new(j, "machine",
                        o->machine != NULL ? json_string(o->machine->name) : json_null());
    json_object_set_new(j, "clock",
                        json_string(o->clock == LOGP_CLOCK_VIRTUAL ? "virtual" : "wall"));
    json_object_set_new(j, "executor", json_string(o->executor));
    json_object_set_new(j, "delay", json_string(o->plugin != NULL ? o->plugin : o->delay));
    json_object_set_new(j, "topology",
                        o->topology != NULL ? json_string(logp_topology_spec(o->topology))
                                            : json_null());
    json_object_set_new(j, "reps", json_integer(row->ran ? row->record.reps : o->reps));
    json_object_set_new(j, "predicted_ns",
                        number_or_null(predicted(row), row->record.prediction.ns));
    json_object_set_new(j, "prediction",
                        json_string(logp_certainty_name(row->record.prediction.certainty)));
    json_object_set_new(j, "prediction_by",
                        !predicted(row)                                 ? json_null()
                        : row->record.prediction.by == LOGP_BY_SCHEDULE ? json_string("schedule")
                                                                        : json_string("formula"));
    add_textbook(j, o, row, c, (size_t)operand_bytes(o, collective, c));
    if (row->ran)
        add_measured(j, row);
    return j;
}

void print_rows_json(const struct options *o, const char *collective, const struct logp_coll *c,
                     const struct row *rows, size_t n)
{
    putchar('[');
    for (size_t i = 0; i < n; i++) {
        json_t *j = record_json(o, collective, c, &rows[i]);

        fputs(i > 0 ? ",\n " : "", stdout);
        json_dumpf(j, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(7));
        json_decref(j);
    }
    puts("]");
}

/* ---- CSV: the JSON record, flattened ---- */

/* Columns must not depend on the row: statistics that are absent are empty cells. */
static const struct group {
    const char *key, *parts[6];
} groups[] = {
    {"measured_ns", {"min", "median", "p90", "p99", "max"}},
    {"emulated_ns", {"min", "median", "max"}},
    {"lag_ns", {"median", "p99", "max"}},
};

static const struct group *group_of(const char *key)
{
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        if (strcmp(groups[i].key, key) == 0)
            return &groups[i];
    return NULL;
}

/* measured_min_ns, ... */
static void print_group(const struct group *g, const json_t *value, bool header,
                        const char **between)
{
    for (int k = 0; g->parts[k] != NULL; k++, *between = ",") {
        const json_t *part = json_object_get(value, g->parts[k]); /* NULL of what is null */

        fputs(*between, stdout);
        if (header)
            printf("%.*s_%s_ns", (int)strlen(g->key) - 3, g->key, g->parts[k]);
        else if (part != NULL)
            printf("%lld", (long long)json_integer_value(part));
    }
}

static void print_cell(const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(7));

    if (json_is_string(value))
        printf("%.*s", (int)strlen(text) - 2, text + 1);
    else if (!json_is_null(value))
        fputs(text, stdout);
    free(text);
}

static void print_csv_row(json_t *j, bool header)
{
    const char *key, *between = "";
    json_t *value;

    json_object_foreach(j, key, value)
    {
        const struct group *group = group_of(key);

        if (group != NULL) {
            print_group(group, value, header, &between);
            continue;
        }
        fputs(between, stdout);
        if (header)
            fputs(key, stdout);
        else
            print_cell(value);
        between = ",";
    }
    putchar('\n');
}

void print_rows_csv(const struct options *o, const char *collective, const struct logp_coll *c,
                    const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        json_t *j = record_json(o, collective, c, &rows[i]);

        if (i == 0)
            print_csv_row(j, true);
        print_csv_row(j, false);
        json_decref(j);
    }
}
