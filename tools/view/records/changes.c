/* SPDX-License-Identifier: MIT */
/*
 * How the medians of a run compare with those of a saved one. The change of a point is the ratio of
 * two medians; its 95 % interval is that of Zou & Donner, made of the intervals of both medians,
 * which are order statistics (logp_median_interval()), on logarithms. So nothing is assumed about
 * the distribution of the times.
 * Source: Zou & Donner, Statistics in Medicine 27(10), 2008.
 */
#include "view/records/columns.h"

#include <math.h>
#include <stdio.h>

/* A median and its interval, and the median of the undisturbed runs (0: not known). */
struct known {
    double median, low, high, undisturbed;
    bool has_median, has_interval, is_too_busy;
};

/* The median in a record; without an interval it is exact on the virtual clock. */
static struct known known_of(const json_t *record, bool is_virtual)
{
    const json_t *times = json_object_get(record, "measured_ns");
    const json_t *interval = json_object_get(record, "interval_ns");
    struct known k = {0};

    if (!json_is_object(times))
        times = json_object_get(record, "emulated_ns");
    k.has_median = json_is_object(times) && !json_is_false(json_object_get(record, "verified"));
    k.median = json_number_value(json_object_get(times, "median"));
    k.low =
        json_is_object(interval) ? json_number_value(json_object_get(interval, "low")) : k.median;
    k.high =
        json_is_object(interval) ? json_number_value(json_object_get(interval, "high")) : k.median;
    k.has_interval = (json_is_object(interval) || is_virtual) && k.low > 0 && k.low <= k.median &&
                     k.median <= k.high;
    k.undisturbed = json_number_value(json_object_get(record, "undisturbed_median_ns"));
    k.is_too_busy = json_is_true(json_object_get(record, "too_busy"));
    return k;
}

/* Set the interval of the ratio now / then. */
static void set_interval(struct change *c, const struct known *now, const struct known *then)
{
    const double below = hypot(log(now->median / now->low), log(then->high / then->median));
    const double above = hypot(log(now->high / now->median), log(then->median / then->low));

    c->low = c->ratio * exp(-below);
    c->high = c->ratio * exp(above);
}

/* A busy host changes medians, too. So a change must also be one of the undisturbed runs, if their medians are
 * known. */
static enum verdict judge(const struct question *q, struct change *c)
{
    const double least =
        q->how.clock == LOGP_CLOCK_VIRTUAL ? 0 : (double)q->how.precision_ppm / 1e6;
    const bool slower = c->low > 1 && c->ratio > 1 + least;
    const bool faster = c->high < 1 && c->ratio < 1 - least;
    const double r = c->undisturbed_ratio;

    c->is_too_busy |= (slower && r > 0 && r <= 1 + least) || (faster && r > 0 && r >= 1 - least);
    if (c->is_too_busy)
        return VERDICT_UNKNOWN;
    return slower ? VERDICT_SLOWER : faster ? VERDICT_FASTER : VERDICT_UNCHANGED;
}

struct change compare_saved(const struct output *out, const struct row *row)
{
    const bool is_virtual = out->q->how.clock == LOGP_CLOCK_VIRTUAL;
    const json_t *there = saved_record(out->against, out, row);
    json_t *here = record_json(out, row, NULL);
    const struct known now = known_of(here, is_virtual), then = known_of(there, is_virtual);
    struct change c = {.verdict = there != NULL ? VERDICT_UNKNOWN : VERDICT_NEW};

    json_decref(here);
    if (!then.has_median)
        return c;
    c.has_then = true;
    c.then_ns = (int64_t)then.median;
    c.then_undisturbed_ns = (int64_t)then.undisturbed;
    c.is_too_busy = now.is_too_busy || then.is_too_busy;
    if (now.undisturbed > 0 && then.undisturbed > 0)
        c.undisturbed_ratio = now.undisturbed / then.undisturbed;
    if (!now.has_median || now.median <= 0 || then.median <= 0) {
        if (now.has_median && now.median == then.median)
            c.verdict = VERDICT_UNCHANGED;
        return c;
    }
    c.ratio = now.median / then.median;
    c.has_interval = now.has_interval && then.has_interval;
    if (!c.has_interval)
        return c;
    set_interval(&c, &now, &then);
    c.verdict = judge(out->q, &c);
    return c;
}

struct problem *sum_up_changes(FILE *f, const struct question *q, const struct saved *s,
                               const struct output *out)
{
    size_t n[VERDICT_NEW + 1] = {0}, all = 0, compared, busy = 0;

    for (; out != NULL; out = out->next)
        for (size_t i = 0; i < out->n; i++, all++) {
            n[out->rows[i].change.verdict]++;
            busy += out->rows[i].change.is_too_busy;
        }
    compared = all - n[VERDICT_NEW];
    if (q->form.format->for_people) {
        fprintf(f, "%zu slower, %zu faster, %zu unchanged", n[VERDICT_SLOWER], n[VERDICT_FASTER],
                n[VERDICT_UNCHANGED]);
        if (n[VERDICT_UNKNOWN] > 0)
            fprintf(f, ", %zu unknown (%s)", n[VERDICT_UNKNOWN],
                    busy == 0                   ? "too few runs, or a wrong result"
                    : busy < n[VERDICT_UNKNOWN] ? "a host too busy, too few runs, or a wrong result"
                                                : "the host was too busy");
        if (all > compared)
            fprintf(f, ", %zu new", all - compared);
        if (saved_points(s) > compared)
            fprintf(f, "; %zu points of %s were not run", saved_points(s) - compared,
                    q->form.against);
        fputc('\n', f);
    }
    if (!(q->form.fails_on_slower && n[VERDICT_SLOWER] > 0) &&
        !(q->form.fails_on_change && n[VERDICT_FASTER] > 0))
        return NULL;
    return failure("--fail-on %s: %zu slower and %zu faster of %zu points, against %s",
                   q->form.fails_on_change ? "change" : "slower", n[VERDICT_SLOWER],
                   n[VERDICT_FASTER], compared, q->form.against);
}

/* ---- columns ---- */

VALUE(now_of)
{
    const struct logp_record *r = &row->record;

    return number_cell(CELL_NS, r->reps > 0,
                       r->has_measured ? r->measured.median_ns : r->emulated.median_ns);
}

VALUE(now_undisturbed_of)
{
    const struct logp_record *r = &row->record;

    return number_cell(CELL_NS, r->has_measured && r->disturbed < r->reps,
                       r->undisturbed.median_ns);
}

VALUE(then_undisturbed_of)
{
    return number_cell(CELL_NS, row->change.then_undisturbed_ns > 0,
                       row->change.then_undisturbed_ns);
}

VALUE(then_of)
{
    return number_cell(CELL_NS, row->change.has_then, row->change.then_ns);
}

static struct cell ratio_cell(bool valid, double ratio)
{
    return valid ? (struct cell){.kind = CELL_RATIO, .ratio = ratio} : no_cell;
}

VALUE(change_of)
{
    return ratio_cell(row->change.ratio > 0, row->change.ratio);
}

VALUE(undisturbed_change_of)
{
    return ratio_cell(row->change.undisturbed_ratio > 0, row->change.undisturbed_ratio);
}

VALUE(change_low_of)
{
    return ratio_cell(row->change.has_interval, row->change.low);
}

VALUE(change_high_of)
{
    return ratio_cell(row->change.has_interval, row->change.high);
}

VALUE(verdict_of)
{
    static const char *const names[] = {[VERDICT_UNCHANGED] = "unchanged",
                                        [VERDICT_FASTER] = "faster",
                                        [VERDICT_SLOWER] = "slower",
                                        [VERDICT_UNKNOWN] = "unknown",
                                        [VERDICT_NEW] = "new"};

    return text_cell(names[row->change.verdict]);
}

const struct column against_columns[] = {
    {.value = now_of, TABLE("now", 13, TABLE_COMPARED), .compared = true},
    {.value = now_undisturbed_of,
     TABLE("undisturbed", 13, TABLE_COMPARED),
     .spare = 2,
     .compared = true},
    {KEY("then_ns", then_of), TABLE("then", 13, TABLE_COMPARED), .compared = true},
    {.value = then_undisturbed_of,
     TABLE("undisturbed", 13, TABLE_COMPARED),
     .spare = 2,
     .compared = true},
    {PART("change", "ratio", change_of), TABLE("change", 8, TABLE_COMPARED), .compared = true},
    {PART("change", "low", change_low_of), TABLE("from", 8, TABLE_COMPARED), .compared = true},
    {PART("change", "high", change_high_of), TABLE("to", 8, TABLE_COMPARED), .compared = true},
    {.value = undisturbed_change_of,
     TABLE("undist.", 8, TABLE_COMPARED),
     .spare = 2,
     .compared = true},
    {KEY("verdict", verdict_of), TABLE("verdict", -9, TABLE_COMPARED), .compared = true},
    {0},
};

/* The same of the undisturbed runs; among the newest columns. */
const struct column undisturbed_columns[] = {
    {KEY("then_undisturbed_ns", then_undisturbed_of), .compared = true},
    {KEY("undisturbed_change", undisturbed_change_of), .compared = true},
    {0},
};
