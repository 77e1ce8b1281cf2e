/* SPDX-License-Identifier: MIT */
/*
 * Curves over the swept values. All records are read as JSON, whether they have just been made
 * or were kept in a file (stored.c).
 */
#include "view/records/records.h"
#include "text/problem.h"
#include "view/canvas/picture.h"
#include "view/plot/plot.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = 256 };

static json_t *records_of(const struct output *out)
{
    const char *between = "[";
    char *text = NULL;
    size_t size;
    FILE *f = need(open_memstream(&text, &size));
    json_t *all;

    for (; out != NULL; out = out->next)
        for (size_t i = 0; i < out->n; i++, between = ",") {
            fputs(between, f);
            write_json_record(f, out, &out->rows[i], NULL);
        }
    fputs("]", f);
    all = json_loads(close_text(f, &text), 0, NULL);
    free(text);
    return all;
}

/* ---- swept keys ---- */

/* Return a part of an object such as "measured_ns", or NAN if the object lacks it. */
static double time_of(const json_t *record, const char *key, const char *part)
{
    const json_t *value = json_object_get(json_object_get(record, key), part);

    return json_is_number(value) ? json_number_value(value) / 1000 : NAN;
}

static double number_of(const json_t *record, const char *key)
{
    const json_t *value = json_object_get(record, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool same(const json_t *a, const json_t *b, const char *key)
{
    return json_equal(json_object_get(a, key), json_object_get(b, key));
}

/* Number of different values of this key; 0: some are not numbers. */
static int count_values(const json_t *all, const char *key)
{
    const size_t n = json_array_size(all);
    int count = 0;

    for (size_t i = 0; i < n; i++) {
        const json_t *record = json_array_get(all, i);
        bool seen = false;

        if (isnan(number_of(record, key)))
            return 0;
        for (size_t k = 0; k < i && !seen; k++)
            seen = same(json_array_get(all, k), record, key);
        count += !seen;
    }
    return count;
}

/* Whether the key can be a setting. In a record, settings precede results. */
static bool is_asked(const char *key)
{
    static const struct names others = {{"collective", "algorithm", "reps"}, 3};

    return find_name(&others, key) < 0;
}

/* The key with the most values; NULL: none is swept. */
static const char *swept_key(const json_t *all)
{
    json_t *first = json_array_get(all, 0);
    const char *key, *best = NULL;
    json_t *value;
    int most = 1;

    json_object_foreach(first, key, value)
    {
        const int n = is_asked(key) ? count_values(all, key) : 0;

        if (strcmp(key, "predicted_ns") == 0)
            break;
        if (n > most) {
            most = n;
            best = key;
        }
    }
    return best;
}

/* Whether two records of an algorithm have the same x and differ in this key. */
static bool tells_apart(const json_t *all, const char *key, const char *x)
{
    const size_t n = json_array_size(all);

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) {
            const json_t *a = json_array_get(all, i), *b = json_array_get(all, k);

            if (same(a, b, "algorithm") && (x == NULL || same(a, b, x)) && !same(a, b, key))
                return true;
        }
    return false;
}

static int name_keys(const json_t *all, const char *x, const char *keys[MOST_KEYS])
{
    json_t *value;
    const char *key;
    int n = 0;

    keys[n++] = "algorithm";
    json_object_foreach(json_array_get(all, 0), key, value)
    {
        if (strcmp(key, "predicted_ns") == 0)
            break;
        if (is_asked(key) && (x == NULL || strcmp(key, x) != 0) && n < MOST_KEYS &&
            tells_apart(all, key, x))
            keys[n++] = key;
    }
    return n;
}

/* ---- the plot ---- */

static void join(char out[128], size_t *n, const char *text)
{
    if (*n < 128)
        *n += (size_t)snprintf(out + *n, 128 - *n, "%s%s", *n > 0 ? " | " : "", text);
}

static void name_of(const json_t *record, const char *const *keys, int n, char out[128])
{
    size_t length = 0;

    for (int i = 0; i < n; i++) {
        const json_t *value = json_object_get(record, keys[i]);
        char number[32];

        snprintf(number, sizeof(number), "%.10g", number_of(record, keys[i]));
        join(out, &length,
             json_is_string(value) ? json_string_value(value)
             : json_is_null(value) ? "-"
                                   : number);
    }
}

/* Name an axis; "L_ns" is shown in us, as times are in all tables.
 * @return the divisor of its values */
static double name_axis(const char *key, char out[100])
{
    const size_t n = strlen(key);
    const bool ns = n > 3 && strcmp(key + n - 3, "_ns") == 0;

    snprintf(out, 100, ns ? "%.*s, us" : "%.*s", (int)(ns ? n - 3 : n), key);
    return ns ? 1000 : 1;
}

static void add_record(struct plot *p, const json_t *record, int series, double x)
{
    const double predicted = number_of(record, "predicted_ns") / 1000;
    const double measured = time_of(record, "measured_ns", "median");
    const double emulated = time_of(record, "emulated_ns", "median");

    if (!isnan(predicted))
        plot_add(p, PLOT_LINE, series, x, predicted, NAN, NAN);
    if (!isnan(measured))
        plot_add(p, PLOT_CIRCLES, series, x, measured, time_of(record, "interval_ns", "low"),
                 time_of(record, "interval_ns", "high"));
    else if (!isnan(emulated))
        plot_add(p, PLOT_CIRCLES, series, x, emulated, NAN, NAN);
}

static struct plot plot_of(const json_t *all)
{
    const char *keys[MOST_KEYS], *const x = swept_key(all);
    const int n = name_keys(all, x, keys);
    const json_t *first = json_array_get(all, 0);
    const bool wall = !isnan(time_of(first, "measured_ns", "median"));
    const char *sweep = json_string_value(json_object_get(first, "sweep"));
    struct plot p = {
        .kinds = {[PLOT_LINE] = "predicted", [PLOT_CIRCLES] = wall ? "measured" : "emulated"},
        .bytes = x != NULL && strcmp(x, "bytes") == 0};
    const double unit = x != NULL ? name_axis(x, p.x_axis) : 1;
    size_t length = 0;

    snprintf(p.title, sizeof(p.title), "%.130s%s",
             sweep != NULL ? sweep : json_string_value(json_object_get(first, "collective")),
             sweep != NULL && strlen(sweep) > 130 ? "..." : "");
    snprintf(p.y_axis, sizeof(p.y_axis), "time, us");
    for (int i = 0; i < n && (n > 1 || x == NULL); i++)
        join(p.names, &length, keys[i]);
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *record = json_array_get(all, i);
        char name[128];

        name_of(record, keys, n, name);
        if (x != NULL)
            add_record(&p, record, plot_series(&p, name), number_of(record, x) / unit);
        else
            add_record(&p, record, 0, plot_row(&p, name));
    }
    return p;
}

static struct problem *draw_json(FILE *f, const struct question *q, const json_t *all,
                                 const char *to)
{
    struct plot p = plot_of(all);
    struct problem *problem;
    char *svg = NULL;
    size_t size;
    FILE *text = need(open_memstream(&svg, &size));

    p.width = q->form.width;
    p.height = q->form.height;
    if (q->form.title != NULL)
        snprintf(p.title, sizeof(p.title), "%s", q->form.title);
    p.x_scale = q->form.scales[0];
    p.y_scale = q->form.scales[1];
    if (p.x_scale == SCALE_LOG && p.n_rows == 0 && plot_x_axis(&p).base == 0)
        say_note("--scale %s: the x axis is linear, because it has values of 0 or less",
                 option_text(q, "scale"));
    draw_plots(text, &p, 1, NULL);
    plot_free(&p);
    problem = put_picture(f, close_text(text, &svg), to);
    free(svg);
    return problem;
}

struct problem *draw_records(FILE *f, const struct question *q, const struct output *out,
                             const char *to)
{
    json_t *all = records_of(out);
    struct problem *problem = json_array_size(all) > 0 ? draw_json(f, q, all, to) : NULL;

    json_decref(all);
    return problem;
}

struct problem *draw_record_file(FILE *f, const struct question *q, const char *file,
                                 const char *to)
{
    json_t *stored;
    struct problem *problem = read_records("plot", file, &stored);

    if (problem == NULL)
        problem = draw_json(f, q, json_object_get(stored, "records"), to);
    json_decref(stored);
    return problem;
}
