/* SPDX-License-Identifier: MIT */
/*
 * The axes of a plot: their ranges, scales and tics. With SCALE_AUTO, the x axis is logarithmic if
 * the logarithms of its values are spaced more evenly than the values: for 2, 4, 8, not 1, 2, 3.
 */
#include "view/plot/plot.h"
#include "text/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LARGE = 16,      /* two values, or times, have a logarithmic axis from this ratio on */
    MOST_VALUES = 12 /* up to this number, each value has a tic */
};

/* ---- the values of x ---- */

struct values {
    double *value; /* ascending, each once */
    size_t n;
};

static struct values x_values(const struct plot *p)
{
    struct values all = {0};
    size_t n = 0;

    for (size_t i = 0; i < p->n_curves; i++)
        n += p->curves[i].n;
    all.value = need(calloc(n + 1, sizeof(*all.value)));
    n = 0;
    for (size_t i = 0; i < p->n_curves; i++)
        for (size_t k = 0; k < p->curves[i].n; k++)
            all.value[n++] = p->curves[i].points[k].x;
    qsort(all.value, n, sizeof(*all.value), ascending_reals);
    for (size_t i = 0; i < n; i++)
        if (all.n == 0 || all.value[i] > all.value[all.n - 1])
            all.value[all.n++] = all.value[i];
    return all;
}

/* The widest step between neighbours, measured by the narrowest. */
static double unevenness(const struct values *all, bool logarithms)
{
    double least = INFINITY, most = 0;

    for (size_t i = 1; i < all->n; i++) {
        const double a = all->value[i - 1], b = all->value[i],
                     step = logarithms ? log(b / a) : b - a;

        least = fmin(least, step);
        most = fmax(most, step);
    }
    return most / least;
}

static bool steps_multiply(const struct values *all)
{
    if (all->n < 2 || all->value[0] <= 0)
        return false;
    if (all->n == 2)
        return all->value[1] / all->value[0] >= LARGE;
    return unevenness(all, true) < unevenness(all, false);
}

/* 2 where each value is some power of two times the first. */
static int base_of(const struct values *all)
{
    for (size_t i = 1; i < all->n; i++) {
        const double power = log2(all->value[i] / all->value[0]);

        if (fabs(power - round(power)) > 1e-9)
            return 10;
    }
    return 2;
}

/* ---- the ranges of the axes ---- */

static void widen(struct plot_axis *s, double x)
{
    if (isnan(x))
        return;
    s->low = fmin(s->low, x);
    s->high = fmax(s->high, x);
}

struct plot_axis plot_x_axis(const struct plot *p)
{
    struct values all = x_values(p);
    struct plot_axis a = {0, 1, 0};

    if (all.n > 0 &&
        (p->x_scale == SCALE_LOG || (p->x_scale == SCALE_AUTO && steps_multiply(&all))))
        a.base = all.value[0] <= 0 ? 0 : p->bytes ? 2 : base_of(&all);
    if (all.n > 0)
        a = (struct plot_axis){all.value[0], all.value[all.n - 1], a.base};
    free(all.value);
    if (a.base > 0) {
        const double factor = fmax(pow(a.high / a.low, 0.03), 1.05);

        return (struct plot_axis){a.low / factor, a.high * factor, a.base};
    }
    const double margin = a.high > a.low ? 0.03 * (a.high - a.low) : 1;

    return (struct plot_axis){a.low - margin, a.high + margin, 0};
}

static bool is_other(const struct plot *p, const struct plot_curve *c)
{
    return c->kind == PLOT_PRINTED && p->other_axis[0] != '\0';
}

/* Whether the axis of times is logarithmic: if x is, and the times span a large ratio. */
static bool is_logarithmic(const struct plot *p, const struct plot_axis *s)
{
    if (p->y_scale != SCALE_AUTO)
        return p->y_scale == SCALE_LOG;
    return p->n_rows == 0 && s->low > 0 && s->high / s->low >= LARGE && plot_x_axis(p).base > 0;
}

/* The span of the values on an axis. Measured values count only if there are no others. Values that
 * a logarithmic axis cannot show do not count. */
static struct plot_axis value_span(const struct plot *p, bool other, double least)
{
    struct plot_axis s = {INFINITY, -INFINITY, 0}, measured = s;

    for (size_t i = 0; i < p->n_curves; i++) {
        const struct plot_curve *c = &p->curves[i];

        for (size_t k = 0; k < c->n && is_other(p, c) == other; k++)
            if (c->points[k].y > least)
                widen(c->kind == PLOT_CIRCLES ? &measured : &s, c->points[k].y);
    }
    if (s.low > s.high)
        s = measured;
    else if (measured.high > s.high) /* a little beyond, if need be */
        s.high = fmin(measured.high,
                      least >= 0 ? s.high * 1.5 : s.high + 0.15 * (s.high - fmin(s.low, 0)));
    return s;
}

struct plot_axis plot_y_axis(const struct plot *p, bool other)
{
    struct plot_axis s = value_span(p, other, -INFINITY);

    if (is_logarithmic(p, &s) && s.high > 0) {
        s = value_span(p, other, 0);
        return (struct plot_axis){s.low / 1.3, s.high * 1.3, 10};
    }
    s.low = fmin(s.low, 0);
    s.high = s.high > s.low ? s.high : s.low + 1;
    return (struct plot_axis){s.low < 0 ? s.low - 0.05 * (s.high - s.low) : s.low,
                              s.high + 0.06 * (s.high - s.low), 0};
}

double axis_place(const struct plot_axis *a, double value)
{
    if (a->base > 0)
        return log(value / a->low) / log(a->high / a->low);
    return (value - a->low) / (a->high - a->low);
}

const struct plot_axis *plot_axis_of(const struct plot *p, const struct plot_area *area,
                                     const struct plot_curve *c)
{
    return is_other(p, c) ? &area->other : &area->y_axis;
}

struct point plot_place(const struct plot *p, const struct plot_area *area,
                        const struct plot_curve *c, double x, double y)
{
    const double value = axis_place(plot_axis_of(p, area, c), y);

    if (p->n_rows > 0)
        return (struct point){area->x + value * area->width,
                              area->y + (x + 0.5) / (double)p->n_rows * area->height};
    return (struct point){area->x + axis_place(&area->x_axis, x) * area->width,
                          area->y + (1 - value) * area->height};
}

/* ---- tics ---- */

/* "1 KiB", "1.5 KiB", "100 B"; plain numbers as they are. */
static void tic_label(const struct plot *p, double at, char out[32])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;

    for (; p->bytes && at >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
        at /= 1024;
    snprintf(out, 32, p->bytes ? "%.5g %s" : "%.10g", at, units[unit]);
}

static void add_tic(struct plot_tics *t, const struct plot *p, double at)
{
    if (t->n == MOST_TICS)
        return;
    t->tics[t->n].at = at;
    tic_label(p, at, t->tics[t->n++].label);
}

/* Whether the labels of all values fit. */
static bool have_room(const struct plot *p, const struct values *all, const struct plot_axis *a,
                      int pixels)
{
    const int digit = 7, apart = 10;
    char label[32];
    double end = -INFINITY;

    for (size_t i = 0; i < all->n; i++) {
        double width, middle = axis_place(a, all->value[i]) * pixels;

        tic_label(p, all->value[i], label);
        width = (double)strlen(label) * digit;
        if (middle - width / 2 < end + apart)
            return false;
        end = middle + width / 2;
    }
    return all->n <= MOST_VALUES;
}

/* The values are the first times powers of two: of these, the largest that all steps are powers of.
 */
static int common_step(const struct values *all)
{
    int step = 0;

    for (size_t i = 1; i < all->n; i++) {
        int a = (int)lround(log2(all->value[i] / all->value[i - 1])), b = step;

        while (b != 0) {
            const int rest = a % b;

            a = b;
            b = rest;
        }
        step = a;
    }
    return step > 0 ? step : 1;
}

/* Powers of the base, or the first value times such: every one, or every second, ..., which are
 * values if those are spaced evenly. */
static void add_powers(struct plot_tics *t, const struct plot *p, const struct plot_axis *a,
                       const struct values *all, int pixels)
{
    const bool evenly = a->base == 2 && base_of(all) == 2;
    const int room = p->bytes ? 60 : 45, most = pixels / room > 1 ? pixels / room : 1;
    const double powers = log(a->high / a->low) / log(a->base);
    const int least = evenly ? common_step(all) : 1,
              step = least * ((int)(powers / (most * least)) + 1);
    double at = pow(a->base, ceil(log(a->low) / log(a->base) - 1e-9));

    if (evenly)
        at = all->value[0];
    for (; at <= a->high && t->n < MOST_TICS; at *= pow(a->base, step))
        add_tic(t, p, at);
}

/* Add the powers of ten; if these are few, also 2 and 5 times them; of many, every second, ... */
static void add_decades(struct plot_tics *t, const struct plot *p, const struct plot_axis *a)
{
    const int first = (int)floor(log10(a->low)), last = (int)ceil(log10(a->high)), room = 16;
    const int most = last - first <= 4 || a->high / a->low <= 1e4 ? 5 : 1;

    for (int power = first; power <= last; power += (last - first) / room + 1)
        for (int digit = 1; digit <= most; digit = digit == 1 ? 2 : digit + 3) {
            const double at = digit * pow(10, power);

            if (at >= a->low && at <= a->high)
                add_tic(t, p, at);
        }
}

/* Add the multiples of a step. */
static void add_multiples(struct plot_tics *t, const struct plot *p, const struct plot_axis *a,
                          double step)
{
    const double first = ceil(a->low / step - 1e-9);

    for (int i = 0; (first + i) * step <= a->high; i++)
        add_tic(t, p, (first + i) * step + 0.0); /* not -0 */
}

/* The step of a linear axis of this many pixels, with tics at least `apart`. */
static double linear_step(const struct plot_axis *a, int pixels, int apart)
{
    return axis_step((a->high - a->low) * apart / pixels);
}

struct plot_tics plot_x_tics(const struct plot *p, const struct plot_axis *a, int pixels)
{
    struct values all = x_values(p);
    struct plot_tics t = {0};

    if (have_room(p, &all, a, pixels) && (!p->bytes || base_of(&all) == 2))
        for (size_t i = 0; i < all.n; i++)
            add_tic(&t, p, all.value[i]);
    else if (a->base == 10 && a->high / a->low < 1e6)
        add_decades(&t, p, a);
    else if (a->base > 0)
        add_powers(&t, p, a, &all, pixels);
    else
        add_multiples(&t, p, a,
                      p->bytes ? exp2(ceil(log2((a->high - a->low) * 70 / pixels)))
                               : linear_step(a, pixels, 60));
    free(all.value);
    return t;
}

struct plot_tics plot_value_tics(const struct plot_axis *a, int pixels, int apart)
{
    static const struct plot plain;
    struct plot_tics t = {0};

    if (a->base > 0)
        add_decades(&t, &plain, a);
    else
        add_multiples(&t, &plain, a, linear_step(a, pixels, apart));
    return t;
}
