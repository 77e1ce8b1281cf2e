/* SPDX-License-Identifier: MIT */
/*
 * Plots as a script for gnuplot. See plot.h. Text from outside is data in it and never a command: a
 * block of data has one line for each text, and the commands name it by its number.
 */
#include "view/plot/palette.h"
#include "view/plot/plot.h"
#include "text/text.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 640, /* of a plot, at least; in pixels */
    HEIGHT = 380,
    ROW = 15,
    AROUND_ROWS = 140,
    HEADING = 40,
    MOST_PLOTS = 64,
    DENSE = 24, /* points of a curve: their markers are small from there on */
    TOP = 58,   /* around the curves: title and legend, */
    LEFT = 45,  /* without the numbers of the axis */
    DIGIT = 7,
    RIGHT = 24,
    BOTTOM = 50,
    OTHER_AXIS = 64,
    CURVES = 420, /* width of the curves if the names need more than the rest */
};

/* The styles of rows: a bar from the axis, and marks. */
static const char *const row_styles[N_PLOT_KINDS] = {
    [PLOT_LINE] = "points pt 7 ps 0.6",
    [PLOT_DASHES] = "points pt 1 ps 1.1 lw 1.6",
    [PLOT_PRINTED] = "points pt 2 ps 0.9 lw 1.6",
    [PLOT_CIRCLES] = "points pt 6 ps 1.1",
};

/* ---- curves ---- */

/* Colours repeat after 8 series; each repetition pairs them with other markers and dashes. */
int plot_marker(int series, bool filled)
{
    static const int markers[] = {7, 5, 13, 11, 15}; /* disc, square, diamond, triangle, pentagon */
    const int n = sizeof(markers) / sizeof(markers[0]);

    return markers[(series + series / N_SERIES_COLORS) % n] - !filled;
}

static const char *dashes_of(int series)
{
    static const char *const dashes[] = {"1", "(10,4)", "(2,3)", "(10,3,2,3)", "(4,4)"};
    const int n = sizeof(dashes) / sizeof(dashes[0]), round = series / N_SERIES_COLORS;

    return dashes[(round + round / n) % n];
}

/* n: points of the curve */
static void put_style(FILE *f, enum plot_kind kind, int series, size_t n)
{
    const double size = n == 1 ? 0.8 : n > DENSE ? 0.3 : 0.55;

    if (kind == PLOT_LINE)
        fprintf(f, "linespoints dt %s lw 1.5 pt %d ps %g", dashes_of(series),
                plot_marker(series, true), size);
    else if (kind == PLOT_DASHES)
        fprintf(f, "linespoints dt (6,5) lw 1.2 pt 7 ps %g", n == 1 ? 0.8 : 0.25);
    else if (kind == PLOT_PRINTED)
        fputs("points pt 2 lw 1.5 ps 0.9", f);
    else
        fprintf(f, "points pt %d ps %g", plot_marker(series, false), n > DENSE ? 0.5 : 0.9);
}

/* ---- the script ---- */

/* The points of a curve as a block of data: x, y, low, high, and whether it is beyond the axis. */
static void put_data(FILE *f, const struct plot *p, const struct plot_area *area, size_t i)
{
    const struct plot_curve *c = &p->curves[i];
    const struct plot_axis s = plot_is_other(p, c) ? area->other : area->y_axis;

    fprintf(f, "$d%zu << EOD\n", i);
    for (size_t k = 0; k < c->n; k++) {
        const struct plot_point *at = &c->points[k];
        const bool beyond = c->kind == PLOT_CIRCLES && at->y > s.high;

        if (s.base > 0 && at->y <= 0)
            continue;
        fprintf(f, "%.10g %.10g %.10g %.10g %d\n", at->x, beyond ? s.high : at->y,
                isnan(at->low) || beyond ? at->y : at->low,
                isnan(at->high) || beyond ? at->y : fmin(at->high, s.high), beyond);
    }
    fputs("EOD\n", f);
}

/* Put the names of the rows on the axis of y, and above them the heading p->names. */
static void put_row_names(struct script *s, const struct plot *p)
{
    FILE *const f = s->f;
    size_t longest = strlen(p->names);

    fputs("set ytics (", f);
    for (size_t i = 0; i < p->n_rows; i++) {
        longest = strlen(p->rows[i]) > longest ? strlen(p->rows[i]) : longest;
        fputs(i > 0 ? ", " : "", f);
        put_text(s, p->rows[i], "%");
        fprintf(f, "%zu", i);
    }
    fputs(")\nset label 3 ", f);
    put_text(s, p->names, "");
    fprintf(f, "at graph 0, graph 1 right offset -1,0.6 textcolor rgb '#777777'\nset lmargin %zu\n",
            longest + 3);
    fputs("set key at graph 1, graph 1 right bottom horizontal", f);
}

/* The values that the paper prints have an axis of their own. */
static void put_other_axis(struct script *s, const struct plot *p, const struct plot_axis *other)
{
    const char *axis = p->n_rows > 0 ? "x" : "y";

    if (p->other_axis[0] == '\0')
        return;
    fprintf(s->f, "set %s2label ", axis);
    put_text(s, p->other_axis, "");
    fprintf(s->f, "\nset %s2tics\nset %s2range [%g:%g]\nset %stics nomirror\n", axis, axis,
            other->low, other->high, axis);
    put_value_tics(s->f, p->n_rows > 0 ? "x2" : "y2", other);
}

static void put_row_axes(struct script *s, const struct plot *p, const struct plot_area *area)
{
    const struct plot_axis y = area->y_axis;

    fputs("set tmargin 4\n", s->f);
    put_row_names(s, p);
    fputs(" notitle\nset xlabel ", s->f);
    put_text(s, p->y_axis, "");
    fprintf(s->f, "\nset xrange [%g:%g]\nset yrange [%zu.5:-0.5]\n", y.low, y.high, p->n_rows - 1);
    put_value_tics(s->f, "x", &y);
    put_other_axis(s, p, &area->other);
}

static void put_curve_axes(struct script *s, const struct plot *p, const struct plot_area *area)
{
    FILE *const f = s->f;
    const struct plot_axis x = area->x_axis, y = area->y_axis;
    const double width = area->picture_width, height = area->picture_height;

    fprintf(f, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", area->x / width,
            (area->x + area->width) / width);
    fprintf(f, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", 1 - area->y / height,
            1 - (area->y + area->height) / height);
    fputs("set key at graph 0, graph 1 left bottom horizontal notitle\nset xlabel ", f);
    put_text(s, p->x_axis, "");
    fputs("\nset ylabel ", f);
    put_text(s, p->y_axis, "");
    fprintf(f, "\nset xrange [%.10g:%.10g]\nset yrange [%g:%g]\n", x.low, x.high, y.low, y.high);
    put_x_tics(f, p, &x, area->width);
    put_value_tics(f, "y", &y);
    put_other_axis(s, p, &area->other);
}

static bool has_bars(const struct plot_curve *c)
{
    for (size_t k = 0; k < c->n; k++)
        if (!isnan(c->points[k].low) || !isnan(c->points[k].high))
            return true;
    return false;
}

/* One curve, without an entry of the legend. */
static const char *put_curve(FILE *f, const struct plot *p, size_t i, const char *between)
{
    const struct plot_curve *c = &p->curves[i];
    const char *color = color_of_series(c->series);
    const bool other = plot_is_other(p, c);

    if (p->n_rows > 0 && c->kind == PLOT_LINE) {
        fprintf(f, "%s$d%zu using (0):1:2:(0) with vectors nohead lw 3 lc rgb '%s' notitle",
                between, i, color_of(COLOR_STRONG));
        between = ", ";
    }
    if (c->kind == PLOT_CIRCLES) {
        if (has_bars(c)) {
            fprintf(
                f,
                "%s$d%zu using %s with vectors heads size graph 0.006,90 lw 1 lc rgb '%s' notitle",
                between, i, p->n_rows > 0 ? "3:1:($4-$3):(0)" : "1:3:(0):($4-$3)", color);
            between = ", ";
        }
        fprintf(f,
                "%s$d%zu using %s:($5 > 0 ? %s : NaN) with points pt 9 ps 0.9 lc rgb '%s' notitle",
                between, i, p->n_rows > 0 ? "2" : "1", p->n_rows > 0 ? "$1" : "$2", color);
        between = ", ";
    }
    fprintf(f, "%s$d%zu using ", between, i);
    if (c->kind == PLOT_CIRCLES)
        fprintf(f, "%s:($5 > 0 ? NaN : %s)", p->n_rows > 0 ? "2" : "1",
                p->n_rows > 0 ? "$1" : "$2");
    else
        fputs(p->n_rows > 0 ? "2:1" : "1:2", f);
    fprintf(f, " axes %s with ", !other ? "x1y1" : p->n_rows > 0 ? "x2y1" : "x1y2");
    if (p->n_rows > 0)
        fputs(row_styles[c->kind], f);
    else
        put_style(f, c->kind, c->series, c->n);
    fprintf(f, " lc rgb '%s' notitle", color);
    return ", ";
}

/* Put the legend of the kinds, in the colour of the series, if there is only one. */
static void put_legend(FILE *f, struct script *s, const struct plot *p)
{
    for (int kind = 0; kind < N_PLOT_KINDS; kind++) {
        bool any = false;

        for (size_t i = 0; i < p->n_curves; i++)
            any |= (int)p->curves[i].kind == kind;
        if (!any || p->kinds[kind] == NULL)
            continue;
        fputs(", keyentry with ", f);
        if (p->n_rows > 0)
            fputs(row_styles[kind], f);
        else
            put_style(f, (enum plot_kind)kind, 0, 2);
        fprintf(f, " lc rgb '%s' title ",
                p->n_series > 1 ? color_of(COLOR_INK) : color_of_series(0));
        put_text(s, p->kinds[kind], "");
    }
}

static void put_plot(struct script *s, const struct plot *p, const struct plot_area *area,
                     double font)
{
    FILE *const f = s->f;
    const char *between = "plot ";

    for (size_t i = 0; i < p->n_curves; i++)
        put_data(f, p, area, i);
    if (p->n_rows > 0)
        put_row_axes(s, p, area);
    else
        put_curve_axes(s, p, area);
    put_labels(s, p, area, font);
    for (size_t i = 0; i < p->n_curves; i++)
        between = put_curve(f, p, i, between);
    put_legend(f, s, p);
    fputs("\nunset logscale\nunset xlabel\nunset ylabel\nunset label\nunset arrow\n"
          "unset lmargin\nunset rmargin\nunset tmargin\nunset bmargin\n"
          "unset y2tics\nunset x2tics\nunset y2label\nunset x2label\n"
          "set xtics mirror autofreq\nset ytics mirror autofreq\n",
          f);
}

/* ---- the picture ---- */

/* The width of the label and the numbers of the axis of y. */
static int left_of(const struct plot *p)
{
    const struct plot_axis y = plot_y_axis(p, false);
    const int digits = snprintf(NULL, 0, "%.0f", y.high), least = 5, most = 8;

    return LEFT + DIGIT * (digits < least ? least : digits > most ? most : digits);
}

static int width_of(const struct plot *p)
{
    const int wide =
        left_of(p) + CURVES + (p->other_axis[0] != '\0' ? OTHER_AXIS : 0) + labels_width(p);

    return p->width > 0 ? p->width : p->n_rows == 0 && wide > WIDTH ? wide : WIDTH;
}

static int height_of(const struct plot *p)
{
    const int rows = AROUND_ROWS + ROW * (int)p->n_rows, curves = TOP + BOTTOM + labels_height(p);

    if (p->height > 0)
        return p->height;
    if (p->n_rows > 0)
        return rows > 200 ? rows : 200;
    return curves > HEIGHT ? curves : HEIGHT;
}

/* Where the curves are in a part of the picture; names have at most half of it. */
static struct plot_area area_of(const struct plot *p, int x, int y, int width, int height)
{
    const int labels = labels_width(p), left = left_of(p);
    struct plot_area area = {.x = x + left, .y = y + TOP, .height = height - TOP - BOTTOM};

    area.x_axis = plot_x_axis(p);
    area.y_axis = plot_y_axis(p, false);
    area.other = plot_y_axis(p, true);
    area.aside = p->other_axis[0] != '\0' ? OTHER_AXIS : 0;
    area.labels = labels < RIGHT ? RIGHT : labels < width / 2 ? labels : width / 2;
    area.width = width - left - area.aside - area.labels;
    return area;
}

/* @return the size of the font of small text */
static double put_terminal(FILE *f, const char *to, int width, int height)
{
    const char *kind = plot_kind(to);
    const bool png = strcmp(kind, "png") == 0;

    if (png)
        fprintf(f, "set terminal pngcairo size %d,%d pointscale 1.4 font 'sans,9'\n", width,
                height);
    else if (strcmp(kind, "pdf") == 0)
        fprintf(f, "set terminal pdfcairo size %.2fin,%.2fin font 'sans,11' fontscale 0.75\n",
                width / 96.0, height / 96.0);
    else
        fprintf(f, "set terminal svg size %d,%d font 'sans,11' background '%s'\n", width, height,
                color_of(COLOR_RAISED));
    fprintf(f,
            "set termoption noenhanced\n"
            "set key Left reverse samplen 2.5 font ',%g'\n"
            "set grid lc rgb '%s'\nset border lc rgb '%s'\nset tics textcolor rgb '%s'\n",
            png ? 7.5 : 10, color_of(COLOR_LINE), color_of(COLOR_GAP), color_of(COLOR_INK));
    return png ? 7.5 : 10;
}

/* Put a title, as large as it fits. */
static void put_title(struct script *s, const char *title, int width, double font)
{
    const double fit = width / (0.6 * (double)(strlen(title) + 1));

    put_text(s, title, "");
    fprintf(s->f, "font ',%g' ", font * fmax(0.7, fmin(1.1, fit / 10)));
}

/* Put the plots into two columns, each into the shorter one. */
static void put_all(struct script *s, const struct plot *plots, size_t n, const char *heading,
                    const char *to)
{
    FILE *const f = s->f;
    const int top = heading != NULL ? HEADING : 0, columns = n > 1 ? 2 : 1;
    int used[2] = {top, top}, column[MOST_PLOTS], y[MOST_PLOTS], width = 0, height;
    double font;

    for (size_t i = 0; i < n; i++) {
        column[i] = columns == 2 && used[1] < used[0];
        y[i] = used[column[i]];
        used[column[i]] += height_of(&plots[i]);
        width = width_of(&plots[i]) > width ? width_of(&plots[i]) : width;
    }
    height = used[0] > used[1] ? used[0] : used[1];
    font = put_terminal(f, to, columns * width, height);
    fputs("set multiplot", f);
    if (heading != NULL) {
        fputs("\nset label ", f);
        put_text(s, heading, "");
        fprintf(f, "at screen 0.5, screen %g center font ',%g'", 1 - HEADING / 2.0 / height,
                font * 1.3);
    }
    for (size_t i = 0; i < n; i++) {
        const int h = height_of(&plots[i]), x = column[i] * width;
        struct plot_area area = area_of(&plots[i], x, y[i], width, h);

        area.picture_width = columns * width;
        area.picture_height = height;
        fprintf(f, "\nset size %g,%g\nset origin %g,%g\nset label ", 1.0 / columns,
                h / (double)height, (double)column[i] / columns, 1 - (y[i] + h) / (double)height);
        put_title(s, plots[i].title, width, font);
        fprintf(f, "at screen %g, screen %g center\n", (column[i] + 0.5) / columns,
                1 - (y[i] + 16) / (double)height);
        put_plot(s, &plots[i], &area, font);
    }
    fputs("unset multiplot\n", f);
}

int draw_plots(const struct plot *plots, size_t n, const char *heading, const char *to)
{
    struct script s;
    int code;

    if (n == 0 || n > MOST_PLOTS)
        return EXIT_OK;
    script_begin(&s);
    put_all(&s, plots, n, heading, *to != '\0' ? to : "svg");
    code = script_run(&s, *to != '\0' ? to : "svg");
    script_end(&s);
    return code;
}
