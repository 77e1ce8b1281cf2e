/* SPDX-License-Identifier: MIT */
/* Plots on a canvas. See plot.h. */
#include "view/plot/plot.h"

#include <math.h>

enum {
    WIDTH = 640, /* of a plot, at least; in pixels */
    HEIGHT = 380,
    ROW = 15,
    ROWS_HEIGHT = 200, /* at least */
    HEADING = 40,
    MOST_PLOTS = 64,
    TOP = 52,  /* around the curves: the title, */
    LEFT = 34, /* without the numbers of the axis */
    RIGHT = 24,
    BOTTOM = 74, /* the axis and the legend, of at most two lines */
    OTHER_AXIS = 64,
    CURVES = 420, /* width of the curves if the names need more than the rest */
    TITLE = 15,   /* of the size of a diagram's */
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

/* ---- the picture ---- */

static double height_of(const struct plot *p)
{
    const int above = p->n_rows > 0 && p->other_axis[0] != '\0' ? PLOT_ABOVE : 0;
    const int rows = TOP + above + BOTTOM + ROW * (int)p->n_rows,
              curves = TOP + BOTTOM + labels_height(p);

    if (p->n_rows > 0)
        return rows > ROWS_HEIGHT ? rows : ROWS_HEIGHT;
    return curves > HEIGHT ? curves : HEIGHT;
}

/* The width at the left of the curves: of the axis and its name, or of the names of rows. */
static double left_of(const struct canvas *to, const struct plot *p, double height)
{
    const struct plot_axis y = plot_y_axis(p, false);
    const struct plot_tics tics = plot_value_tics(&y, (int)height, PLOT_APART);
    double longest = 0;

    for (size_t i = 0; p->n_rows == 0 && i < tics.n; i++)
        longest = fmax(longest, canvas_text_size(to, tics.tics[i].label, PLOT_SIZE));
    if (p->n_rows == 0)
        return LEFT + longest;
    longest = canvas_text_size(to, p->names, PLOT_SIZE);
    for (size_t i = 0; i < p->n_rows; i++)
        longest = fmax(longest, canvas_text_size(to, p->rows[i], PLOT_SIZE));
    return 14 + longest;
}

static double width_of(const struct canvas *to, const struct plot *p)
{
    const double wide = left_of(to, p, height_of(p) - TOP - BOTTOM) + CURVES +
                        (p->other_axis[0] != '\0' ? OTHER_AXIS : 0) + labels_width(to, p);

    return p->n_rows == 0 && wide > WIDTH ? ceil(wide) : WIDTH;
}

/* Draw a plot in a part of the picture; names have at most half of it. */
static void draw_plot(struct canvas *to, const struct plot *p, double x, double y, double width,
                      double whole)
{
    const bool other = p->other_axis[0] != '\0';
    const double above = TOP + (p->n_rows > 0 && other ? PLOT_ABOVE : 0),
                 height = whole - above - BOTTOM, left = fmin(left_of(to, p, height), 0.6 * width),
                 labels = labels_width(to, p);
    const double start = p->n_rows > 0 ? 8 : left, room = width - start,
                 size = fmax(7, fmin(TITLE, room / (canvas_text_size(to, p->title, 1) + 1)));
    struct plot_area area = {.x = x + left, .y = y + above, .height = height};
    char title[MAX_TITLE];

    area.x_axis = plot_x_axis(p);
    area.y_axis = plot_y_axis(p, false);
    area.other = plot_y_axis(p, true);
    area.aside = other && p->n_rows == 0 ? OTHER_AXIS : 0;
    area.labels = fmin(fmax(labels, RIGHT), width / 2);
    area.width = width - left - area.aside - area.labels;
    canvas_text(to, (struct look){.size = size}, x + start, y + 22,
                shorten(to, p->title, room, size, title));
    canvas_end_line(to);
    draw_plot_axes(to, p, &area, left);
    draw_plot_labels(to, p, &area);
    for (size_t i = 0; i < p->n_curves; i++)
        if (p->n_rows > 0 && p->curves[i].kind == PLOT_LINE) /* behind all marks */
            draw_plot_bars(to, p, &area, &p->curves[i]);
    for (size_t i = 0; i < p->n_curves; i++)
        draw_plot_curve(to, p, &area, &p->curves[i]);
    draw_plot_legend(to, p, &area);
}

/* The places of plots in two columns, each put into the shorter one. */
struct columns {
    int n;
    double used[2]; /* the end of each */
    int column[MOST_PLOTS];
    double y[MOST_PLOTS], height[MOST_PLOTS], width; /* width: of a column */
};

static struct columns columns_of(const struct canvas *to, const struct plot *plots, size_t n,
                                 double top)
{
    struct columns c = {.n = n > 1 ? 2 : 1, .used = {top, top}};

    for (size_t i = 0; i < n; i++) {
        c.column[i] = c.n == 2 && c.used[1] < c.used[0];
        c.y[i] = c.used[c.column[i]];
        c.height[i] = height_of(&plots[i]);
        c.used[c.column[i]] += c.height[i];
        c.width = fmax(c.width, width_of(to, &plots[i]));
    }
    return c;
}

/* Make the plots of the shorter column higher, so that both end together. */
static void fill_columns(struct columns *c, size_t n, double top)
{
    const double end = fmax(c->used[0], c->used[1]);

    for (size_t i = 0; i < n; i++) {
        const double more = (end - top) / (c->used[c->column[i]] - top);

        c->y[i] = top + (c->y[i] - top) * more;
        c->height[i] *= more;
    }
    c->used[0] = c->used[1] = end;
}

/* Lay out one plot in the proportions of its picture: at least as large as without a size, unless
 * the picture is smaller. @return how much it is scaled */
static double fit(struct columns *c, const struct plot *p)
{
    const double scale = fmax(1, fmin(p->width / c->width, p->height / c->height[0]));

    c->width = p->width / scale;
    c->used[0] = c->height[0] = p->height / scale;
    return scale;
}

void draw_plots(FILE *f, const struct plot *plots, size_t n, const char *heading)
{
    struct canvas to = svg_canvas(f);
    const double top = heading != NULL ? HEADING : 0;
    struct columns c = columns_of(&to, plots, n, top);
    const bool sized = n == 1 && plots[0].width > 0;
    const double scale = sized ? fit(&c, &plots[0]) : 1;
    double width, height;

    if (c.n > 1)
        fill_columns(&c, n, top);
    width = c.n * c.width;
    height = fmax(c.used[0], c.used[1]);
    begin_svg(&to, &(struct sheet){.width = width,
                                   .height = height,
                                   .shown_width = width * scale,
                                   .shown_height = height * scale,
                                   .css = css,
                                   .rules = colors});
    to.digits = (struct digits){2, 2, 2, 2};
    if (heading != NULL)
        canvas_text(&to, (struct look){.size = TITLE + 2}, 8, HEADING / 2.0 + 6, heading);
    for (size_t i = 0; i < n; i++)
        draw_plot(&to, &plots[i], c.column[i] * c.width, c.y[i], c.width, c.height[i]);
    canvas_end(&to);
    canvas_end_line(&to);
}
