/* SPDX-License-Identifier: MIT */
/* Records as a table, JSON or CSV, and what a table should say in words. */
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
    add_textbook(j, o, row, c, (size_t)operand_bytes(o, collective, c));
    if (row->ran)
        add_measured(j, row);
    return j;
}

static void print_json(const struct options *o, const char *collective, const struct logp_coll *c,
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

static void print_csv_row(json_t *j, bool header)
{
    const char *key, *inner, *between = "";
    json_t *value, *part;

    json_object_foreach(j, key, value)
    {
        if (!json_is_object(value)) {
            char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(7));
            const size_t len = strlen(text);

            if (header)
                printf("%s%s", between, key);
            else if (json_is_string(value))
                printf("%s%.*s", between, (int)len - 2, text + 1);
            else
                printf("%s%s", between, json_is_null(value) ? "" : text);
            free(text);
            between = ",";
            continue;
        }
        json_object_foreach(value, inner, part)
        {
            if (header)
                printf("%s%.*s_%s_ns", between, (int)strlen(key) - 3, key, inner);
            else
                printf("%s%lld", between, (long long)json_integer_value(part));
            between = ",";
        }
    }
    putchar('\n');
}

/* Columns must not depend on the row: absent statistics are empty objects of empty cells. */
static void complete_columns(json_t *j)
{
    static const struct {
        const char *key, *parts[6];
    } groups[] = {
        {"measured_ns", {"min", "median", "p90", "p99", "max"}},
        {"emulated_ns", {"min", "median", "max"}},
        {"lag_ns", {"median", "p99", "max"}},
    };

    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        json_t *value = json_object_get(j, groups[i].key);

        if (value == NULL || json_is_object(value))
            continue;
        json_object_del(j, groups[i].key);
        for (int k = 0; groups[i].parts[k] != NULL; k++) {
            char name[32];

            snprintf(name, sizeof(name), "%.*s_%s_ns", (int)strlen(groups[i].key) - 3,
                     groups[i].key, groups[i].parts[k]);
            json_object_set_new(j, name, json_null());
        }
    }
}

static void print_csv(const struct options *o, const char *collective, const struct logp_coll *c,
                      const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        json_t *j = record_json(o, collective, c, &rows[i]);

        complete_columns(j);
        if (i == 0)
            print_csv_row(j, true);
        print_csv_row(j, false);
        json_decref(j);
    }
}

/* ---- table ---- */

/* "of 8 bytes", "of 100 x double, sum" */
static void print_operands(const struct options *o, enum logp_operands operands,
                           const struct logp_coll *c)
{
    switch (operands) {
    case LOGP_OPERANDS_NONE:
        break;
    case LOGP_OPERANDS_BYTES:
        printf(" of %zu byte%s", o->n_bytes, o->n_bytes == 1 ? "" : "s");
        break;
    case LOGP_OPERANDS_VECTOR:
        printf(" of %lld %s each, %s", (long long)c->count, c->op->type, c->op->name);
        break;
    case LOGP_OPERANDS_TOTAL:
        printf(" of %lld %s in all, %s", (long long)c->count, c->op->type, c->op->name);
        break;
    case LOGP_OPERANDS_MATRIX:
        printf(" of %lld x %lld elements of %zu bytes", (long long)c->rows, (long long)c->cols,
               c->n_bytes);
        break;
    }
}

static void print_heading(const struct options *o, const char *collective,
                          const struct logp_coll *c, const struct row *rows, size_t n, int n_cores)
{
    const struct logp_collective *what = logp_collective_find(collective);
    const struct logp_params *p = &o->params;
    char L[32], o1[32], o2[32], g[32], G[48] = "";

    printf("%s", collective);
    print_operands(o, what->operands, c);
    if (what->rooted)
        printf(", root %lld", (long long)o->root);
    printf(", P = %lld\n", (long long)o->P);
    if (o->machine != NULL)
        printf("%s; ", o->machine->title);
    if (o->plugin != NULL)
        printf("delays by %s; ", o->plugin);
    else
        printf("delay %s%s%s; ", o->delay, o->topology != NULL ? " on " : "",
               o->topology != NULL ? logp_topology_spec(o->topology) : "");
    if (p->G_ps > 0)
        snprintf(G, sizeof(G), ", G = %g ns/byte", (double)p->G_ps / 1000);
    if (o->plugin != NULL || strcmp(o->delay, "none") != 0) {
        printf("L = %s, ", show_ns(p->L_ns, L, sizeof(L)));
        if (p->o_send_ns == p->o_recv_ns)
            printf("o = %s, ", show_ns(p->o_send_ns, o1, sizeof(o1)));
        else
            printf("o = %s to send, %s to receive, ", show_ns(p->o_send_ns, o1, sizeof(o1)),
                   show_ns(p->o_recv_ns, o2, sizeof(o2)));
        printf("g = %s%s%s; ", show_ns(p->g_ns, g, sizeof(g)), p->gap_shared ? " (shared)" : "", G);
        if (p->gamma_ps > 0)
            printf("gamma = %g ns; ", (double)p->gamma_ps / 1000);
        if (logp_capacity(p) > 0)
            printf("capacity %lld; ", (long long)logp_capacity(p));
    }
    if (n == 0 || !rows[0].ran)
        puts("prediction only");
    else
        printf("%s clock, %s executor on %d core%s, %d run%s each\n",
               o->clock == LOGP_CLOCK_VIRTUAL ? "virtual" : "wall", o->executor, n_cores,
               n_cores == 1 ? "" : "s", o->reps, o->reps == 1 ? "" : "s");
}

/* A time in microseconds, or a dash. */
static const char *us(bool valid, int64_t ns, char buf[32])
{
    if (valid)
        snprintf(buf, 32, "%.3f", (double)ns / 1000);
    else
        snprintf(buf, 32, "-");
    return buf;
}

/* A prediction in microseconds, marked where it is only a bound. */
static const char *predicted_us(const struct logp_prediction *p, char buf[32])
{
    const char *mark = p->certainty == LOGP_PREDICTION_BOUND         ? "<= "
                       : p->certainty == LOGP_PREDICTION_LOWER_BOUND ? ">= "
                                                                     : "";
    char number[32];

    us(p->certainty != LOGP_PREDICTION_NONE, p->ns, number);
    snprintf(buf, 32, "%s%.28s", mark, number);
    return buf;
}

static void print_table_row(const struct row *row, int width)
{
    const struct logp_record *r = &row->record;
    const bool wall = r->has_measured && r->reps > 0;
    const bool any = r->reps > 0;
    const struct logp_summary *s = r->has_measured ? &r->measured : &r->emulated;
    const double ratio = logp_record_ratio(r);
    char b[5][32], ratio_text[32] = "-";

    if (ratio > 0)
        snprintf(ratio_text, sizeof(ratio_text), "%.4f", ratio);
    printf("%-*s %13s", width, row->algorithm->name, predicted_us(&r->prediction, b[0]));
    if (!row->ran) {
        printf("  %s\n", logp_certainty_name(r->prediction.certainty));
        return;
    }
    printf(" %13s %13s %8s %9s %9s  %s\n", us(any, s->median_ns, b[1]), us(wall, s->p99_ns, b[2]),
           ratio_text, us(any && r->has_lag, r->lag.median_ns, b[3]),
           us(any && r->has_lag, r->lag.p99_ns, b[4]), r->verified ? "yes" : "NO");
}

static void print_table(const struct options *o, const char *collective, const struct logp_coll *c,
                        const struct row *rows, size_t n, int n_cores)
{
    int width = 12;

    for (size_t i = 0; i < n; i++)
        if ((int)strlen(rows[i].algorithm->name) > width)
            width = (int)strlen(rows[i].algorithm->name);
    print_heading(o, collective, c, rows, n, n_cores);
    if (n > 0 && rows[0].ran)
        printf("\n%-*s %13s %13s %13s %8s %9s %9s  %s\n", width, "times in us", "predicted",
               o->clock == LOGP_CLOCK_WALL ? "measured" : "emulated", "p99", "ratio", "lag",
               "lag p99", "verified");
    else
        printf("\n%-*s %13s\n", width, "times in us", "predicted");
    for (size_t i = 0; i < n; i++)
        print_table_row(&rows[i], width);
    for (size_t i = 0; i < n; i++)
        if (rows[i].algorithm->block != NULL)
            printf("%s: blocks of %lld bytes\n", rows[i].algorithm->name,
                   (long long)rows[i].algorithm->block(o->P, c));
}

void print_rows(const struct options *o, const char *collective, const struct logp_coll *c,
                const struct row *rows, size_t n, int n_cores)
{
    if (o->format == FORMAT_JSON)
        print_json(o, collective, c, rows, n);
    else if (o->format == FORMAT_CSV)
        print_csv(o, collective, c, rows, n);
    else
        print_table(o, collective, c, rows, n, n_cores);
}

/* ---- words ---- */

/* The next of 1, 2, 5, 10, 20, 50, ... */
static int64_t round_up_125(double x)
{
    int64_t step = 1;

    while ((double)step * 10 <= x)
        step *= 10;
    if ((double)step >= x)
        return step;
    if ((double)step * 2 >= x)
        return step * 2;
    return (double)step * 5 >= x ? step * 5 : step * 10;
}

static const double bearable = 0.01;

struct advice judge_rows(const struct row *rows, size_t n, int n_cores)
{
    struct advice a = {.n_cores = n_cores};
    double most = 1 + bearable;

    for (size_t i = 0; i < n; i++) {
        const bool exact = rows[i].record.prediction.certainty == LOGP_PREDICTION_EXACT;
        const double ratio = exact ? logp_record_ratio(&rows[i].record) : 0;

        a.judged += ratio > 0;
        a.restarts += rows[i].record.restarts;
        a.late += ratio > 1 + bearable;
        if (ratio > most) {
            most = ratio;
            a.worst = &rows[i];
        }
    }
    return a;
}

/* "20us", as the option takes it: a unit with which the error would be bearable. What the host adds
 * to a run is much the same at any unit. */
static const char *bearable_unit(const struct options *o, double over, char *out, size_t size)
{
    char *space;

    show_ns(round_up_125((double)o->unit_ns * over / bearable), out, size);
    space = strchr(out, ' ');
    if (space != NULL)
        memmove(space, space + 1, strlen(space));
    return out;
}

static void print_ways_out(const struct options *o, const struct advice *a)
{
    const double over = logp_record_ratio(&a->worst->record) - 1;
    const bool threads = strcmp(o->executor, "thread") == 0;
    char unit[32];

    if (threads)
        puts("each hand-over between threads costs a microsecond or more. What would do:");
    else
        puts("those whose waits end together go on one after the other. What would do:");
    if (a->fiber_ratio > 0)
        printf("  --executor fiber    %s takes %.2f %% longer than predicted (just tried)\n",
               a->worst->algorithm->name, (a->fiber_ratio - 1) * 100);
    if (o->machine == NULL) /* with one, a unit changes nothing but plain numbers */
        printf("  --unit %-12s about %.0f %% longer, as what the host adds stays the same\n",
               bearable_unit(o, over, unit, sizeof(unit)), bearable * 100);
    puts("  --clock virtual     exact, and nobody waits; or fewer processors (-P)");
}

void print_advice(const struct options *o, const struct advice *a)
{
    if (o->format != FORMAT_TABLE || o->clock != LOGP_CLOCK_WALL)
        return;
    if (a->restarts > 0)
        printf("%d run%s repeated: a core was not there at the start\n", a->restarts,
               a->restarts == 1 ? " was" : "s were");
    if (a->worst == NULL) {
        if (a->judged > 0)
            puts("The host kept up: every median is within 1 % of its prediction.");
        return;
    }
    printf("The host could not keep up with %d of %d: %s took %.1f %% longer than predicted.\n"
           "%lld processors share %d core%s, and ",
           a->late, a->judged, a->worst->algorithm->name,
           (logp_record_ratio(&a->worst->record) - 1) * 100, (long long)o->P, a->n_cores,
           a->n_cores == 1 ? "" : "s");
    print_ways_out(o, a);
}
