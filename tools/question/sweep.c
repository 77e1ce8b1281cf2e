/* SPDX-License-Identifier: MIT */
/*
 * Sweeps: options with several values, and all combinations of these. An option is applied once for
 * each point, with the text of one value, as if that had been written; so all that holds for
 * options holds for each of their values.
 */
#include "question/rows.h"

#include <stdio.h>
#include <string.h>

enum { MOST_AXES = 32, MOST_POINTS = 100000 };

/* An option with several values. In the order of the rows, as they are first seen. */
static struct axis {
    const char *name, *text; /* text: as it was given */
    int place;               /* of its row */
    struct series series;
    int at; /* index of the current value */
} axes[MOST_AXES];
static int n_axes;

static struct axis *find_axis(const char *name)
{
    for (int i = 0; i < n_axes; i++)
        if (strcmp(axes[i].name, name) == 0)
            return &axes[i];
    return NULL;
}

/* A map of crossovers has two axes. */
static bool may_vary(const struct question *q, const struct option_row *row)
{
    static const struct names of_map = {{"P", "bytes", "count"}, 3};

    return (q->line.sets & OPTIONS_SWEEP) != 0 && is_series("a,b", row->series) &&
           ((q->line.sets & OPTIONS_CROSSOVER) == 0 || find_name(&of_map, row->name) >= 0);
}

/* The values stay: texts of options point to them. */
static struct axis *add_axis(const char *name, const char *text, int place,
                             const struct series *series)
{
    int k = n_axes++;

    for (; k > 0 && axes[k - 1].place > place; k--)
        axes[k] = axes[k - 1];
    axes[k] = (struct axis){name, text, place, *series, 0};
    return &axes[k];
}

/* Refuse several numbers or times; words may hold anything. Some commands
 * parse their own ranges. */
static void refuse_several(const struct question *q, const struct option_row *row,
                           const char *option, const char *text)
{
    const bool own_range = (q->line.sets & (OPTIONS_SPANS | OPTIONS_MEASURE)) != 0 &&
                           (row->set & (OPTIONS_SPANS | OPTIONS_MEASURE)) != 0;

    if (row->series == SERIES_WORDS || own_range || (row->set & q->line.sets) == 0)
        return;
    if ((q->line.sets & OPTIONS_CROSSOVER) != 0)
        bad_option(option, text, "one value; only -P, --bytes and --count take several here");
    bad_option(option, text, "%s takes one value; for several type logp bench or logp plot",
               q->line.words[0]);
}

/* Name the option with the most values; it may not be the last one. */
_Noreturn static void refuse_so_many(void)
{
    const struct axis *most = &axes[0];
    char shown[32];

    for (int i = 1; i < n_axes; i++)
        if (axes[i].series.n >= most->series.n)
            most = &axes[i];
    bad_option(option_shown(most->name, shown), most->text,
               "fewer values, as in 1..64k*2: a sweep has at most %d points", MOST_POINTS);
}

const char *value_at_point(const struct question *q, const struct option_row *row, int place,
                           const char *option, const char *text)
{
    struct axis *axis = find_axis(row->name);
    const char *allowed;
    struct series series;

    if (!is_series(text, row->series))
        return text;
    if (!may_vary(q, row)) {
        refuse_several(q, row, option, text);
        return text;
    }
    if (axis != NULL)
        return axis->series.value[axis->at];
    if (n_axes == MOST_AXES)
        bad_option(option, text, "one value; too many options have several values");
    allowed = read_series(text, row->series, &series);
    if (allowed != NULL)
        bad_option(option, text, "%s", allowed);
    axis = add_axis(row->name, text, place, &series);
    if (sweep_points() > MOST_POINTS)
        refuse_so_many();
    return axis->series.value[0];
}

/* The last changes first. */
void select_point(int64_t i)
{
    for (int k = n_axes - 1; k >= 0; k--) {
        axes[k].at = (int)(i % axes[k].series.n);
        i /= axes[k].series.n;
    }
}

int64_t sweep_points(void)
{
    int64_t n = 1;

    for (int k = 0; k < n_axes; k++)
        if (__builtin_mul_overflow(n, axes[k].series.n, &n))
            return INT64_MAX;
    return n;
}

int64_t sweep_values(const char *name)
{
    const struct axis *axis = find_axis(name);

    return axis != NULL ? axis->series.n : 1;
}

const char *show_point(char *buf, size_t size)
{
    size_t n = 0;

    buf[0] = '\0';
    for (int k = 0; k < n_axes && n < size; k++) {
        char option[32];

        n +=
            (size_t)snprintf(buf + n, size - n, "%s%s %s", k > 0 ? " " : "",
                             option_dashed(axes[k].name, option), axes[k].series.value[axes[k].at]);
    }
    return buf;
}

/* "1%", "0.5%": in millionths. Only sweeps end before all runs are done. */
static void apply_precision(struct question *q, const char *option, const char *text)
{
    const size_t length = strlen(text);
    char number[32] = "";

    if (length > 1 && length < sizeof(number) && text[length - 1] == '%')
        memcpy(number, text, length - 1);
    if (!logp_time_parse(number, 10000, &q->how.precision_ppm) || q->how.precision_ppm > 1000000 ||
        strchr(number, 's') != NULL)
        bad_option(option, text, "0%% .. 100%%, in steps of 0.0001%%");
    if ((q->line.sets & OPTIONS_SWEEP) == 0)
        q->how.precision_ppm = 0;
}

static void apply_limit(struct question *q, const char *option, const char *text)
{
    int64_t ps;

    if (!logp_time_parse(text, INT64_C(1000000000000), &ps) || ps < 1000)
        bad_option(option, text,
                   "a time, 1 ns .. 106 days, in seconds or with a suffix ns, us, ms or s");
    q->how.limit_ns = (q->line.sets & (OPTIONS_SWEEP | OPTIONS_SEARCH)) != 0 ? ps / 1000 : 0;
}

static void apply_fail_on(struct question *q, const char *option, const char *text)
{
    static const struct names names = {{"slower", "change", "none"}, 3};
    const int which = which_name(option, text, &names);

    q->form.fails_on_slower = which < 2;
    q->form.fails_on_change = which == 1;
}

const struct option_row sweep_options[] = {
    {"precision", "X%", "repeat until the median's 95 % interval is within X %", "1%", "",
     OPTIONS_SWEEP, .apply = apply_precision},
    {"limit", "T", "time limit of a point, or of a search", "10s", "",
     OPTIONS_SWEEP | OPTIONS_SEARCH, .apply = apply_limit},
    {"predicted", NULL, "draw the predicted schedule, without a run", "off", "", OPTIONS_TRACE,
     SWITCH(how.only_predicted)},
    {"replay", "FILE", "draw a failure found by the test kit", "", "none", OPTIONS_REPLAY,
     TEXT(how.replay)},
    {"diff", NULL, "with --replay: draw also the nearest run that passes", "off", "",
     OPTIONS_REPLAY, SWITCH(how.diff)},
    {"save", "NAME", "keep the run by a name, or in a FILE.json", "", "none", OPTIONS_SAVE,
     TEXT(form.save)},
    {"against", "NAME", "compare with a saved run; changes up to --precision do not count", "",
     "none", OPTIONS_SAVE, TEXT(form.against)},
    {"fail-on", "WHAT", "exit code 1 if a point is slower, or has changed: slower, change, none",
     "none", "", OPTIONS_SAVE, .apply = apply_fail_on, .words = "slower, change, none"},
    {"restart", NULL, "overwrite the file of --output", "off", "", OPTIONS_FILE,
     SWITCH(form.restart)},
    {"measure", NULL, "run the best and the second on both sides of each change", "off", "",
     OPTIONS_CROSSOVER, SWITCH(how.measure)},
    {0},
};
