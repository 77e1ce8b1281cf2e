/* SPDX-License-Identifier: MIT */
/*
 * Sweeps: options with several values, and all combinations of these. An option is applied once for
 * each point, with the text of one value, as if that had been written; so all that holds for
 * options holds for each of their values.
 */
#include "question/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 32, MOST_POINTS = 100000 };

/* The options with several values, in the order of the rows, as they are first seen. */
struct sweep {
    struct axis {
        const char *name, *text; /* text: as it was given */
        int place;               /* of its row */
        struct series series;
        int at; /* index of the current value */
    } axes[MOST_AXES];
    int n;
};

static struct sweep *sweep_of(const struct question *q)
{
    return part_of(q, PART_SWEEP, sizeof(struct sweep));
}

static struct axis *find_axis(struct sweep *s, const char *name)
{
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->axes[i].name, name) == 0)
            return &s->axes[i];
    return NULL;
}

/* A map of crossovers has two axes. */
static bool may_vary(const struct question *q, const struct option_row *row)
{
    static const struct names of_map = {{"P", "bytes", "count"}, 3};

    return (q->line.sets & OPTIONS_SWEEP) != 0 && is_series("a,b", row->series) &&
           ((q->line.sets & OPTIONS_CROSSOVER) == 0 || find_name(&of_map, row->name) >= 0);
}

static void drop_series(void *memory)
{
    struct series *s = memory;

    for (int i = 0; i < s->n; i++)
        free(s->value[i]);
    free(s->value);
    free(s);
}

/* The question keeps the values: texts of options point to them. */
static struct axis *add_axis(const struct question *q, const char *name, const char *text,
                             int place, const struct series *series)
{
    struct sweep *s = sweep_of(q);
    struct series *kept = kept_by(q, malloc(sizeof(*kept)), drop_series);
    int k = s->n++;

    *kept = *series;
    for (; k > 0 && s->axes[k - 1].place > place; k--)
        s->axes[k] = s->axes[k - 1];
    s->axes[k] = (struct axis){name, text, place, *series, 0};
    return &s->axes[k];
}

/* Refuse several numbers or times; words may hold anything. Some commands
 * parse their own ranges. */
static struct problem *refuse_several(const struct question *q, const struct option_row *row,
                                      const char *option, const char *text)
{
    const bool own_range =
        (q->line.sets & (OPTIONS_SPANS | OPTIONS_MEASURE | OPTIONS_EXPLORE)) != 0 &&
        (row->set & (OPTIONS_SPANS | OPTIONS_MEASURE)) != 0;

    if (row->series == SERIES_WORDS || own_range || (row->set & q->line.sets) == 0)
        return NULL;
    if ((q->line.sets & OPTIONS_CROSSOVER) != 0)
        return must_be(option, text, "one value; only -P, --bytes and --count take several here");
    return option_problem(option, text,
                          "%s takes one value; for several type logp bench or logp plot",
                          q->line.words[0]);
}

/* Name the option with the most values; it may not be the last one. */
static struct problem *refuse_so_many(const struct sweep *s)
{
    const struct axis *most = &s->axes[0];

    for (int i = 1; i < s->n; i++)
        if (s->axes[i].series.n >= most->series.n)
            most = &s->axes[i];
    return must_be(most->name, most->text,
                   "fewer values, as in 1..64k*2: a sweep has at most %d points", MOST_POINTS);
}

struct problem *value_at_point(const struct question *q, const struct option_row *row, int place,
                               const char *option, const char **text)
{
    struct sweep *s = sweep_of(q);
    const struct axis *axis = find_axis(s, row->name);
    const char *allowed;
    char dashed[32];
    struct series series;

    if (is_dashed_range(*text, row->series))
        return option_problem(option, *text, "a range has two dots, as %.*s..%s",
                              (int)strcspn(*text, "-"), *text, strchr(*text, '-') + 1);
    if (!is_series(*text, row->series))
        return NULL;
    if (!may_vary(q, row))
        return refuse_several(q, row, option, *text);
    if (axis == NULL) {
        if (s->n == MOST_AXES)
            return must_be(option, *text, "one value; too many options have several values");
        allowed = read_series(*text, row->series, &series);
        if (allowed != NULL)
            return option_problem(option, *text, "%s", allowed);
        axis = add_axis(q, row->name, *text, place, &series);
        if (series.short_of_end)
            say_note("%s %s: the steps do not meet the end of the range; the last value is %s",
                     option_dashed(row->name, dashed), *text, series.value[series.n - 1]);
        if (sweep_points(q) > MOST_POINTS)
            return refuse_so_many(s);
    }
    *text = axis->series.value[axis->at];
    return NULL;
}

/* The last changes first. */
void select_point(const struct question *q, int64_t i)
{
    struct sweep *s = sweep_of(q);

    for (int k = s->n - 1; k >= 0; k--) {
        s->axes[k].at = (int)(i % s->axes[k].series.n);
        i /= s->axes[k].series.n;
    }
}

int64_t sweep_points(const struct question *q)
{
    const struct sweep *s = sweep_of(q);
    int64_t n = 1;

    for (int k = 0; k < s->n; k++)
        if (__builtin_mul_overflow(n, s->axes[k].series.n, &n))
            return INT64_MAX;
    return n;
}

int64_t sweep_values(const struct question *q, const char *name)
{
    const struct axis *axis = find_axis(sweep_of(q), name);

    return axis != NULL ? axis->series.n : 1;
}

const char *show_point(const struct question *q, char *buf, size_t size)
{
    const struct sweep *s = sweep_of(q);
    size_t n = 0;

    buf[0] = '\0';
    for (int k = 0; k < s->n && n < size; k++) {
        const struct axis *axis = &s->axes[k];
        char option[32];

        n += (size_t)snprintf(buf + n, size - n, "%s%s %s", k > 0 ? " " : "",
                              option_dashed(axis->name, option), axis->series.value[axis->at]);
    }
    return buf;
}

/* "1%", "0.5%": in millionths. Only sweeps end before all runs are done. */
static struct problem *apply_precision(struct question *q, const char *option, const char *text)
{
    const size_t length = strlen(text);
    char number[32] = "";

    if (length > 1 && length < sizeof(number) && text[length - 1] == '%')
        memcpy(number, text, length - 1);
    if (!logp_time_parse(number, 10000, &q->how.precision_ppm) || q->how.precision_ppm > 1000000 ||
        strchr(number, 's') != NULL)
        return must_be(option, text, "0%% .. 100%%, in steps of 0.0001%%");
    if ((q->line.sets & OPTIONS_SWEEP) == 0)
        q->how.precision_ppm = 0;
    return NULL;
}

static struct problem *apply_limit(struct question *q, const char *option, const char *text)
{
    int64_t ps;

    if (!logp_time_parse(text, INT64_C(1000000000000), &ps) || ps < 1000)
        return must_be(
            option, text,
            "a time, 1 ns .. 106 days, in seconds or with a suffix ns, us, ms or s, as 1.5s");
    q->how.limit_ns = (q->line.sets & (OPTIONS_SWEEP | OPTIONS_SEARCH)) != 0 ? ps / 1000 : 0;
    q->how.choice_limit_ns = /* no limit unless one is given */
        (q->line.sets & OPTIONS_EXPLAIN) != 0 && option_given(q, option) ? ps / 1000 : 0;
    return NULL;
}

static struct problem *apply_fail_on(struct question *q, const char *option, const char *text)
{
    static const struct names names = {{"slower", "change", "none"}, 3};
    int which;

    TRY(which_name(option, text, &names, &which));
    q->form.fails_on_slower = which < 2;
    q->form.fails_on_change = which == 1;
    return NULL;
}

const struct option_row sweep_options[] = {
    {"precision", "X%", "repeat until the median's 95 % interval is within X %", "1%", "",
     OPTIONS_SWEEP, .apply = apply_precision},
    {"limit", "T", "time limit of a point, or of a search; predict, run: of --algo auto, if given",
     "10s", "", OPTIONS_SWEEP | OPTIONS_SEARCH | OPTIONS_EXPLAIN, .apply = apply_limit},
    {"predicted", NULL, "draw the predicted schedule, without a run", "off", "", OPTIONS_TRACE,
     SWITCH(how.only_predicted)},
    {"replay", "FILE", "draw a failure found by the test kit", "", "none", OPTIONS_REPLAY,
     TEXT(how.replay)},
    {"diff", NULL, "with --replay: draw also the nearest run that passes", "off", "",
     OPTIONS_REPLAY, SWITCH(how.diff)},
    {"save", "NAME", "keep the run by a name, or in a FILE.json", "", "none", OPTIONS_SAVE,
     TEXT(form.save)},
    {"against", "NAME",
     "compare with a saved run (mpirun: FILE.json of --report); changes up to --precision do not "
     "count",
     "", "none", OPTIONS_SAVE | OPTIONS_MPIRUN, TEXT(form.against)},
    {"fail-on", "WHAT", "exit code 1 if a point is slower, or has changed: slower, change, none",
     "none", "", OPTIONS_SAVE, .apply = apply_fail_on, .words = "slower, change, none"},
    {"restart", NULL, "overwrite the file of --output", "off", "", OPTIONS_FILE,
     SWITCH(form.restart)},
    {"measure", NULL, "run the best and the second on both sides of each change", "off", "",
     OPTIONS_CROSSOVER, SWITCH(how.measure)},
    {0},
};
