/* SPDX-License-Identifier: MIT */
/* The marks and lines of curves. See plot.h. */
#include "view/plot/plot.h"
#include "text/problem.h"

#include <math.h>
#include <stdlib.h>

enum { DENSE = 24 }; /* points of a curve: their markers are small from there on */

/* The class of a curve, and that of its line; NULL: it has none. */
static const struct {
    const char *curve, *line;
} classes[N_PLOT_KINDS] = {
    [PLOT_LINE] = {"predicted", "line"},
    [PLOT_DASHES] = {"formula", "dashes"},
    [PLOT_PRINTED] = {"printed", NULL},
    [PLOT_CIRCLES] = {"measured", NULL},
};

/* ---- marks ---- */

/* Of series; and for a value beyond the axis: UP. */
enum marker { DISC, SQUARE, DIAMOND, DOWN, PENTAGON, N_MARKERS, UP = N_MARKERS };

/* Their corners, for a radius of 1. */
static const struct {
    size_t n;
    struct point corners[5];
} markers[] = {
    [SQUARE] = {4, {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}},
    [DIAMOND] = {4, {{0, -1.41}, {1.41, 0}, {0, 1.41}, {-1.41, 0}}},
    [DOWN] = {3, {{0, 1.33}, {1.33, -0.67}, {-1.33, -0.67}}},
    [PENTAGON] = {5, {{0, -1.33}, {1.27, -0.41}, {0.78, 1.08}, {-0.78, 1.08}, {-1.27, -0.41}}},
    [UP] = {3, {{0, -1.33}, {-1.33, 0.67}, {1.33, 0.67}}},
};

static void draw_mark(struct canvas *to, enum marker marker, struct look look, struct point at,
                      double radius)
{
    struct point corners[5];

    for (size_t i = 0; i < markers[marker].n; i++)
        corners[i] = (struct point){at.x + radius * markers[marker].corners[i].x,
                                    at.y + radius * markers[marker].corners[i].y};
    if (marker == DISC)
        canvas_disc(to, look, at.x, at.y, radius);
    else
        canvas_path(to, look, corners, markers[marker].n, true);
}

/* Colours repeat after 8 series; each repetition pairs them with other markers and dashes. */
void draw_plot_marker(struct canvas *to, int series, struct point at, double radius, bool filled)
{
    draw_mark(to, (enum marker)((series + series / N_SERIES_COLORS) % N_MARKERS),
              (struct look){.class = filled ? "disc" : "ring"}, at, radius);
}

/* An x, or upright a +. */
static void cross(struct canvas *to, bool upright, struct point at, double radius)
{
    const double a = upright ? 0 : radius, b = upright ? radius : 0;

    canvas_line(to, (struct look){.class = "mark"}, at.x - a - b, at.y - a, at.x + a + b, at.y + a);
    canvas_line(to, (struct look){.class = "mark"}, at.x - a, at.y + a + b, at.x + a, at.y - a - b);
}

/* n: points of the curve */
static void mark(struct canvas *to, const struct plot *p, enum plot_kind kind, int series, size_t n,
                 struct point at)
{
    const bool rows = p->n_rows > 0, dense = n > DENSE;

    if (kind == PLOT_PRINTED || (kind == PLOT_DASHES && rows))
        cross(to, kind == PLOT_DASHES, at, kind == PLOT_DASHES ? 4.5 : 3.7);
    else if (kind == PLOT_CIRCLES)
        draw_plot_marker(to, series, at, rows ? 4.5 : dense ? 2 : 3.7, false);
    else if (kind == PLOT_DASHES)
        draw_mark(to, DISC, (struct look){.class = "disc"}, at, n == 1 ? 3.3 : 1);
    else
        draw_plot_marker(to, series, at, rows ? 2.5 : n == 1 ? 3.3 : dense ? 1.2 : 2.3, true);
}

/* ---- curves ---- */

/* A logarithmic axis shows neither 0 nor values below its range. */
static bool is_shown(const struct plot_axis *axis, const struct plot_point *at)
{
    return axis->base == 0 || at->y >= axis->low;
}

static bool is_beyond(const struct plot_axis *axis, const struct plot_curve *c,
                      const struct plot_point *at)
{
    return c->kind == PLOT_CIRCLES && at->y > axis->high;
}

bool has_beyond(const struct plot *p, const struct plot_area *area, const struct plot_curve *c)
{
    const struct plot_axis *axis = plot_axis_of(p, area, c);
    bool any = false;

    for (size_t i = 0; i < c->n; i++)
        any |= is_beyond(axis, c, &c->points[i]);
    return any;
}

void draw_plot_beyond(struct canvas *to, struct point at)
{
    draw_mark(to, UP, (struct look){.class = "disc beyond"}, at, 3.7);
}

static void draw_path(struct canvas *to, const struct plot *p, const struct plot_area *area,
                      const struct plot_curve *c)
{
    const int round = c->series / N_SERIES_COLORS, n_dashes = 5;
    struct point *points = need(malloc((c->n + 1) * sizeof(*points)));
    char class[32] = "dashes";
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++)
        if (is_shown(plot_axis_of(p, area, c), &c->points[i]))
            points[n++] = plot_place(p, area, c, c->points[i].x, c->points[i].y);
    if (c->kind == PLOT_LINE)
        snprintf(class, sizeof(class), "line d%d", (round + round / n_dashes) % n_dashes);
    if (n > 1)
        canvas_path(to, (struct look){.class = class}, points, n, false);
    free(points);
}

/* The interval of a measured value, as far as the axis reaches, with a line across each end. */
static void draw_interval(struct canvas *to, const struct plot *p, const struct plot_area *area,
                          const struct plot_curve *c, const struct plot_point *at)
{
    const struct plot_axis *axis = plot_axis_of(p, area, c);
    const struct point low =
        plot_place(p, area, c, at->x, fmax(axis->low, isnan(at->low) ? at->y : at->low));
    const struct point high =
        plot_place(p, area, c, at->x, fmin(axis->high, isnan(at->high) ? at->y : at->high));
    char path[64];

    if (isnan(at->low) && isnan(at->high))
        return;
    if (p->n_rows > 0)
        snprintf(path, sizeof(path), "v6m0 -3h%.2fm0 -3v6", high.x - low.x);
    else
        snprintf(path, sizeof(path), "h6m-3 0v%.2fm-3 0h6", high.y - low.y);
    canvas_shape(to, (struct look){.class = "interval"}, low.x - (p->n_rows > 0 ? 0 : 3),
                 low.y - (p->n_rows > 0 ? 3 : 0), path);
}

static void draw_point(struct canvas *to, const struct plot *p, const struct plot_area *area,
                       const struct plot_curve *c, const struct plot_point *at)
{
    const struct plot_axis *axis = plot_axis_of(p, area, c);
    const struct point place = plot_place(p, area, c, at->x, fmin(at->y, axis->high));

    if (is_beyond(axis, c, at)) {
        draw_plot_beyond(to, place);
        return;
    }
    if (c->kind == PLOT_CIRCLES)
        draw_interval(to, p, area, c, at);
    mark(to, p, c->kind, c->series, c->n, place);
}

void draw_plot_curve(struct canvas *to, const struct plot *p, const struct plot_area *area,
                     const struct plot_curve *c)
{
    char class[48];

    snprintf(class, sizeof(class), "%s s%d", classes[c->kind].curve, c->series % N_SERIES_COLORS);
    canvas_group(to, (struct look){.class = class}, 0, 0, 0);
    if (p->n_rows == 0 && classes[c->kind].line != NULL)
        draw_path(to, p, area, c);
    for (size_t i = 0; i < c->n; i++)
        if (is_shown(plot_axis_of(p, area, c), &c->points[i]))
            draw_point(to, p, area, c, &c->points[i]);
    canvas_end_group(to);
    canvas_end_line(to);
}

void draw_plot_bars(struct canvas *to, const struct plot *p, const struct plot_area *area,
                    const struct plot_curve *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (is_shown(plot_axis_of(p, area, c), &c->points[i])) {
            const struct point zero = plot_place(p, area, c, c->points[i].x, 0),
                               end = plot_place(p, area, c, c->points[i].x, c->points[i].y);

            canvas_line(to, (struct look){.class = "bar"}, fmax(area->x, zero.x), end.y, end.x,
                        end.y);
            canvas_end_line(to);
        }
}

void draw_plot_sample(struct canvas *to, const struct plot *p, enum plot_kind kind, double x,
                      double y, double width)
{
    if (p->n_rows == 0 && classes[kind].line != NULL)
        canvas_line(to, (struct look){.class = classes[kind].line}, x, y, x + width, y);
    mark(to, p, kind, 0, 2, (struct point){x + width / 2, y});
}
