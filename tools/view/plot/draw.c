/* SPDX-License-Identifier: MIT */
/* Plots on a canvas. See plot.h. */
#include "view/plot/plot.h"
#include "text/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 640, /* of a plot, at least; in pixels */
    HEIGHT = 380,
    ROW = 15,
    ROWS_HEIGHT = 200, /* at least */
    HEADING = 40,
    MOST_PLOTS = 64,
    DENSE = 24, /* points of a curve: their markers are small from there on */
    TOP = 58,   /* around the curves: title and legend, */
    ABOVE = 32, /* another axis, */
    LEFT = 34,  /* without the numbers of the axis */
    RIGHT = 24,
    BOTTOM = 50,
    OTHER_AXIS = 64,
    CURVES = 420, /* width of the curves if the names need more than the rest */
    TIC = 6,
    LEVEL_APART = 60, /* between tics; and on an upright axis: */
    UPRIGHT_APART = 26,
    SIZE = 11, /* of text; and of small text: */
    SMALL = 10,
    TITLE = 13,
    SAMPLE = 28, /* the width of a sample of the legend */
    LINE = 14,   /* of the legend */
};

/* The class of a curve, and that of its line; NULL: it has none. */
static const struct {
    const char *curve, *line;
} classes[N_PLOT_KINDS] = {
    [PLOT_LINE] = {"predicted", "line"},
    [PLOT_DASHES] = {"formula", "dashes"},
    [PLOT_PRINTED] = {"printed", NULL},
    [PLOT_CIRCLES] = {"measured", NULL},
};

static const char css[] =
    ".line,.dashes,.mark,.ring,.leader,.interval{stroke:currentColor}.line,.dashes,.ring,.axis"
    "{fill:none}.line,.mark{stroke-width:1.5}.disc{fill:currentColor}.bar{stroke-width:3}"
    ".dashes{stroke-dasharray:6 5;stroke-width:1.2}.leader{stroke-width:.6}"
    ".early{stroke-dasharray:2 4}.grid{stroke-dasharray:2 3}.d1{stroke-dasharray:10 4}"
    ".d2{stroke-dasharray:2 3}.d3{stroke-dasharray:10 3 2 3}.d4{stroke-dasharray:4 4}"
    ".mid{text-anchor:middle}.end{text-anchor:end}";

static const struct color_rule colors[] = {
    {".bg", "fill", COLOR_RAISED},
    {"text", "fill", COLOR_INK},
    {"text.soft", "fill", COLOR_SOFT},
    {".grid", "stroke", COLOR_LINE},
    {".axis", "stroke", COLOR_GAP},
    {".leader.early", "stroke", COLOR_GAP},
    {".bar", "stroke", COLOR_STRONG},
    {".ink", "color", COLOR_INK},
    {".s0", "color", COLOR_SERIES},
    {".s1", "color", COLOR_SERIES + 1},
    {".s2", "color", COLOR_SERIES + 2},
    {".s3", "color", COLOR_SERIES + 3},
    {".s4", "color", COLOR_SERIES + 4},
    {".s5", "color", COLOR_SERIES + 5},
    {".s6", "color", COLOR_SERIES + 6},
    {".s7", "color", COLOR_SERIES + 7},
    {NULL},
};

/* ---- marks ---- */

static void draw_line(struct canvas *to, const char *class, double x, double y, double dx,
                      double dy)
{
    canvas_line(to, (struct look){.class = class}, x, y, x + dx, y + dy);
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
        draw_marker(to, series, at, rows ? 4.5 : dense ? 2 : 3.7, false);
    else if (kind == PLOT_DASHES)
        draw_mark(to, PLOT_DISC, (struct look){.class = "disc"}, at, n == 1 ? 3.3 : 1);
    else
        draw_marker(to, series, at, rows ? 2.5 : n == 1 ? 3.3 : dense ? 1.2 : 2.3, true);
}

/* ---- curves ---- */

/* A logarithmic axis shows neither 0 nor values below its range. */
static bool is_shown(const struct plot_axis *axis, const struct plot_point *at)
{
    return axis->base == 0 || at->y >= axis->low;
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

    if (c->kind == PLOT_CIRCLES && at->y > axis->high) {
        draw_mark(to, PLOT_UP, (struct look){.class = "disc beyond"}, place, 3.7);
        return;
    }
    if (c->kind == PLOT_CIRCLES)
        draw_interval(to, p, area, c, at);
    mark(to, p, c->kind, c->series, c->n, place);
}

static void draw_curve(struct canvas *to, const struct plot *p, const struct plot_area *area,
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

/* In rows, a bar from 0 to each value of the curve. */
static void draw_bars(struct canvas *to, const struct plot *p, const struct plot_area *area,
                      const struct plot_curve *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (is_shown(plot_axis_of(p, area, c), &c->points[i])) {
            const struct point zero = plot_place(p, area, c, c->points[i].x, 0),
                               end = plot_place(p, area, c, c->points[i].x, c->points[i].y);

            draw_line(to, "bar", fmax(area->x, zero.x), end.y, end.x - fmax(area->x, zero.x), 0);
            canvas_end_line(to);
        }
}

/* ---- axes ---- */

/* Draw the axis below the curves, or above them. both: tics on both sides */
static void draw_level_axis(struct canvas *to, const struct plot_area *area,
                            const struct plot_axis *axis, const struct plot_tics *tics,
                            const char *name, bool above, bool both)
{
    const double end = area->y + area->height, y = above ? area->y : end;

    for (size_t i = 0; i < tics->n; i++) {
        const double x = area->x + axis_place(axis, tics->tics[i].at) * area->width;

        if (!above)
            draw_line(to, "grid", x, end, 0, -area->height);
        draw_line(to, "axis", x, y, 0, above ? TIC : -TIC);
        if (both)
            draw_line(to, "axis", x, area->y, 0, TIC);
        canvas_text(to, (struct look){.class = "mid"}, x, above ? y - 6 : y + 17,
                    tics->tics[i].label);
        canvas_end_line(to);
    }
    canvas_text(to, (struct look){.class = "mid"}, area->x + area->width / 2,
                above ? y - 20 : y + 38, name);
    canvas_end_line(to);
}

/* Draw the axis at the left of the curves, or at their right. both: tics on both sides */
static void draw_upright_axis(struct canvas *to, const struct plot_area *area,
                              const struct plot_axis *axis, const struct plot_tics *tics,
                              bool right, bool both)
{
    const double end = area->x + area->width, x = right ? end : area->x;

    for (size_t i = 0; i < tics->n; i++) {
        const double y = area->y + (1 - axis_place(axis, tics->tics[i].at)) * area->height;

        if (!right)
            draw_line(to, "grid", x, y, area->width, 0);
        draw_line(to, "axis", x, y, right ? -TIC : TIC, 0);
        if (both)
            draw_line(to, "axis", end, y, -TIC, 0);
        canvas_text(to, (struct look){.class = right ? NULL : "end"}, right ? x + 6 : x - 6, y + 4,
                    tics->tics[i].label);
        canvas_end_line(to);
    }
}

static void draw_row_names(struct canvas *to, const struct plot *p, const struct plot_area *area,
                           double left)
{
    char name[MAX_TITLE];

    for (size_t i = 0; i < p->n_rows; i++) {
        const double y = area->y + ((double)i + 0.5) / (double)p->n_rows * area->height;

        draw_line(to, "grid", area->x, y, area->width, 0);
        canvas_text(to, (struct look){.class = "end"}, area->x - 6, y + 4,
                    shorten(to, p->rows[i], left - 12, SIZE, name));
        canvas_end_line(to);
    }
    canvas_text(to, (struct look){.class = "end soft"}, area->x - 6, area->y - 8,
                shorten(to, p->names, left - 12, SIZE, name));
    canvas_end_line(to);
}

/* left: the width at the left of the curves */
static void draw_axes(struct canvas *to, const struct plot *p, const struct plot_area *area,
                      double left)
{
    const int width = (int)area->width, height = (int)area->height;
    const bool rows = p->n_rows > 0, other = p->other_axis[0] != '\0';
    const struct plot_tics x = rows ? plot_value_tics(&area->y_axis, width, LEVEL_APART)
                                    : plot_x_tics(p, &area->x_axis, width),
                           y = plot_value_tics(&area->y_axis, height, UPRIGHT_APART),
                           z = rows ? plot_value_tics(&area->other, width, LEVEL_APART)
                                    : plot_value_tics(&area->other, height, UPRIGHT_APART);

    draw_level_axis(to, area, rows ? &area->y_axis : &area->x_axis, &x,
                    rows ? p->y_axis : p->x_axis, false, !rows || !other);
    if (rows) {
        draw_row_names(to, p, area, left);
    } else {
        draw_upright_axis(to, area, &area->y_axis, &y, false, !other);
        canvas_text(to, (struct look){.class = "mid", .rising = true}, area->x - left + SIZE + 6,
                    area->y + area->height / 2, p->y_axis);
    }
    if (rows && other) {
        draw_level_axis(to, area, &area->other, &z, p->other_axis, true, false);
    } else if (other) { /* its name is above it, apart from the leaders of names */
        draw_upright_axis(to, area, &area->other, &z, true, false);
        canvas_text(to, (struct look){.size = SMALL}, area->x + area->width + 2, area->y - 8,
                    p->other_axis);
    }
    canvas_box(to, (struct look){.class = "axis"}, area->x, area->y, area->width, area->height);
    canvas_end_line(to);
}

/* ---- the legend ---- */

/* Draw the kinds of curves, in the colour of the series if there is only one; in two lines if one
 * is too short. */
static void draw_legend(struct canvas *to, const struct plot *p, const struct plot_area *area)
{
    const bool above = p->n_rows > 0 && p->other_axis[0] != '\0';
    const double sample = p->n_rows > 0 ? SAMPLE / 2.0 : SAMPLE, apart = 6;
    const double room = area->width + (labels_height(p) > 0 ? 0 : area->labels);
    double left = area->x, widths[N_PLOT_KINDS] = {0}, all = 0, x = 0,
           y = area->y - 12 - (above ? ABOVE : 0);

    for (size_t i = 0; i < p->n_curves; i++) {
        const enum plot_kind kind = p->curves[i].kind;

        if (p->kinds[kind] != NULL)
            widths[kind] = sample + apart + canvas_text_size(to, p->kinds[kind], SMALL) + 2 * apart;
    }
    for (int kind = 0; kind < N_PLOT_KINDS; kind++)
        all += widths[kind];
    if (all > room)
        y -= LINE;
    else if (p->n_rows > 0) /* apart from the heading of the names of rows */
        left += area->width - all;
    canvas_group(to, (struct look){.class = p->n_series > 1 ? "legend ink" : "legend s0"}, 0, 0, 0);
    for (int kind = 0; kind < N_PLOT_KINDS; kind++) {
        if (widths[kind] == 0)
            continue;
        if (x > 0 && x + widths[kind] > room) {
            x = 0;
            y += LINE;
        }
        if (p->n_rows == 0 && classes[kind].line != NULL)
            draw_line(to, classes[kind].line, left + x, y, sample, 0);
        mark(to, p, (enum plot_kind)kind, 0, 2, (struct point){left + x + sample / 2, y});
        canvas_text(to, (struct look){.size = SMALL}, left + x + sample + apart, y + 3.5,
                    p->kinds[kind]);
        x += widths[kind];
    }
    canvas_end_group(to);
    canvas_end_line(to);
}

/* ---- the picture ---- */

static double height_of(const struct plot *p)
{
    const int above = p->n_rows > 0 && p->other_axis[0] != '\0' ? ABOVE : 0;
    const int rows = TOP + above + BOTTOM + ROW * (int)p->n_rows,
              curves = TOP + BOTTOM + labels_height(p);

    if (p->height > 0)
        return p->height;
    if (p->n_rows > 0)
        return rows > ROWS_HEIGHT ? rows : ROWS_HEIGHT;
    return curves > HEIGHT ? curves : HEIGHT;
}

/* The width at the left of the curves: of the axis and its name, or of the names of rows. */
static double left_of(const struct canvas *to, const struct plot *p, double height)
{
    const struct plot_axis y = plot_y_axis(p, false);
    const struct plot_tics tics = plot_value_tics(&y, (int)height, UPRIGHT_APART);
    double longest = 0;

    for (size_t i = 0; p->n_rows == 0 && i < tics.n; i++)
        longest = fmax(longest, canvas_text_size(to, tics.tics[i].label, SIZE));
    if (p->n_rows == 0)
        return LEFT + longest;
    longest = canvas_text_size(to, p->names, SIZE);
    for (size_t i = 0; i < p->n_rows; i++)
        longest = fmax(longest, canvas_text_size(to, p->rows[i], SIZE));
    return 14 + longest;
}

static double width_of(const struct canvas *to, const struct plot *p)
{
    const double wide = left_of(to, p, height_of(p) - TOP - BOTTOM) + CURVES +
                        (p->other_axis[0] != '\0' ? OTHER_AXIS : 0) + labels_width(to, p);

    return p->width > 0 ? p->width : p->n_rows == 0 && wide > WIDTH ? ceil(wide) : WIDTH;
}

/* Draw a plot in a part of the picture; names have at most half of it. */
static void draw_plot(struct canvas *to, const struct plot *p, double x, double y, double width)
{
    const bool other = p->other_axis[0] != '\0';
    const double above = TOP + (p->n_rows > 0 && other ? ABOVE : 0),
                 height = height_of(p) - above - BOTTOM,
                 left = fmin(left_of(to, p, height), 0.6 * width), labels = labels_width(to, p);
    const double size = fmax(7, fmin(TITLE, width / (canvas_text_size(to, p->title, 1) + 1)));
    struct plot_area area = {.x = x + left, .y = y + above, .height = height};
    char title[MAX_TITLE];

    area.x_axis = plot_x_axis(p);
    area.y_axis = plot_y_axis(p, false);
    area.other = plot_y_axis(p, true);
    area.aside = other && p->n_rows == 0 ? OTHER_AXIS : 0;
    area.labels = fmin(fmax(labels, RIGHT), width / 2);
    area.width = width - left - area.aside - area.labels;
    canvas_text(to, (struct look){.class = "mid", .size = size}, x + width / 2, y + 20,
                shorten(to, p->title, width, size, title));
    canvas_end_line(to);
    draw_axes(to, p, &area, left);
    draw_labels(to, p, &area);
    for (size_t i = 0; i < p->n_curves; i++)
        if (p->n_rows > 0 && p->curves[i].kind == PLOT_LINE) /* behind all marks */
            draw_bars(to, p, &area, &p->curves[i]);
    for (size_t i = 0; i < p->n_curves; i++)
        draw_curve(to, p, &area, &p->curves[i]);
    draw_legend(to, p, &area);
}

/* Put the plots into two columns, each into the shorter one. */
void draw_plots(FILE *f, const struct plot *plots, size_t n, const char *heading)
{
    struct canvas to = svg_canvas(f);
    const double top = heading != NULL ? HEADING : 0;
    const int columns = n > 1 ? 2 : 1;
    double used[2] = {top, top}, y[MOST_PLOTS], width = 0;
    int column[MOST_PLOTS];

    for (size_t i = 0; i < n; i++) {
        column[i] = columns == 2 && used[1] < used[0];
        y[i] = used[column[i]];
        used[column[i]] += height_of(&plots[i]);
        width = fmax(width, width_of(&to, &plots[i]));
    }
    begin_svg(&to, &(struct sheet){.width = columns * width,
                                   .height = fmax(used[0], used[1]),
                                   .css = css,
                                   .rules = colors});
    to.digits = (struct digits){2, 2, 2, 2};
    if (heading != NULL)
        canvas_text(&to, (struct look){.class = "mid", .size = TITLE + 2}, columns * width / 2,
                    HEADING / 2.0 + 6, heading);
    for (size_t i = 0; i < n; i++)
        draw_plot(&to, &plots[i], column[i] * width, y[i], width);
    canvas_end(&to);
    canvas_end_line(&to);
}
