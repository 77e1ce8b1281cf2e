/* SPDX-License-Identifier: MIT */
/*
 * Plots as a script for gnuplot. See plot.h. Text from outside is data in it and never a command:
 * it stands in a block of data, a line each, and the commands name it by its number.
 */
#include "plot/palette.h"
#include "plot/plot.h"
#include "text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 380, ROW = 15, AROUND_ROWS = 140, HEADING = 40, MOST_PLOTS = 64 };

static const char *const styles[N_PLOT_KINDS] = {
    [PLOT_LINE] = "linespoints dt 1 lw 1.6 pt 7",
    [PLOT_DASHES] = "linespoints dt (6,5) lw 1.2 pt 7",
    [PLOT_PRINTED] = "points pt 5 ps 0.9",
    [PLOT_CIRCLES] = "points pt 6 ps 0.7",
};

/* Of rows: a bar from the axis, and marks. */
static const char *const row_styles[N_PLOT_KINDS] = {
    [PLOT_LINE] = "points pt 7 ps 0.6",
    [PLOT_DASHES] = "points pt 4 ps 1.1",
    [PLOT_PRINTED] = "points pt 5 ps 0.7",
    [PLOT_CIRCLES] = "points pt 6 ps 1.1",
};

/* ---- what the axes span ---- */

struct span {
    double low, high;
};

static void widen(struct span *s, double x)
{
    if (isnan(x))
        return;
    s->low = fmin(s->low, x);
    s->high = fmax(s->high, x);
}

static bool is_other(const struct plot *p, const struct plot_curve *c)
{
    return c->kind == PLOT_PRINTED && p->other_axis[0] != '\0';
}

/* Of the values on an axis; what was measured counts where there is nothing else. */
static struct span value_span(const struct plot *p, bool other)
{
    struct span s = {INFINITY, -INFINITY}, measured = s;

    for (size_t i = 0; i < p->n_curves; i++) {
        const struct plot_curve *c = &p->curves[i];

        for (size_t k = 0; k < c->n && is_other(p, c) == other; k++)
            widen(c->kind == PLOT_CIRCLES ? &measured : &s, c->points[k].y);
    }
    if (s.low > s.high)
        s = measured;
    else if (measured.high > s.high) /* a little beyond, if need be */
        s.high = fmin(measured.high,
                      p->log_y ? s.high * 1.5 : s.high + 0.15 * (s.high - fmin(s.low, 0)));
    if (p->log_y)
        return (struct span){s.low / 1.3, s.high * 1.3};
    s.low = fmin(s.low, 0);
    s.high = s.high > s.low ? s.high : s.low + 1;
    return (struct span){s.low < 0 ? s.low - 0.05 * (s.high - s.low) : s.low,
                         s.high + 0.06 * (s.high - s.low)};
}

static struct span x_span(const struct plot *p)
{
    struct span s = {INFINITY, -INFINITY};

    for (size_t i = 0; i < p->n_curves; i++)
        for (size_t k = 0; k < p->curves[i].n; k++)
            widen(&s, p->curves[i].points[k].x);
    if (p->log_x)
        return (struct span){s.low / 1.15, s.high * 1.15};
    return (struct span){s.low - 0.03 * (s.high - s.low) - (s.high > s.low ? 0 : 1),
                         s.high + 0.03 * (s.high - s.low) + (s.high > s.low ? 0 : 1)};
}

/* ---- the script ---- */

/* The points of a curve as a block of data: x, y, low, high, and whether it is beyond the axis. */
static void put_data(FILE *f, const struct plot *p, size_t i)
{
    const struct plot_curve *c = &p->curves[i];
    const struct span s = value_span(p, is_other(p, c));

    fprintf(f, "$d%zu << EOD\n", i);
    for (size_t k = 0; k < c->n; k++) {
        const struct plot_point *at = &c->points[k];
        const bool beyond = c->kind == PLOT_CIRCLES && at->y > s.high;

        if (p->log_y && at->y <= 0)
            continue;
        fprintf(f, "%.10g %.10g %.10g %.10g %d\n", at->x, beyond ? s.high : at->y,
                isnan(at->low) || beyond ? at->y : at->low,
                isnan(at->high) || beyond ? at->y : fmin(at->high, s.high), beyond);
    }
    fputs("EOD\n", f);
}

/* The powers of ten; where these are few also 2 and 5 times them. */
static void put_log_tics(FILE *f, char axis, struct span s)
{
    const int most = s.high / s.low > 1e4 ? 1 : 5;
    const char *between = "";

    fprintf(f, "set logscale %c 10\nset %ctics (", axis, axis);
    for (int power = (int)floor(log10(s.low)); power <= (int)ceil(log10(s.high)); power++)
        for (int digit = 1; digit <= most; digit = digit == 1 ? 2 : digit + 3) {
            const double at = digit * pow(10, power);

            if (at < s.low || at > s.high)
                continue;
            fprintf(f, "%s'%g' %g", between, at, at);
            between = ", ";
        }
    fputs(")\n", f);
}

/* Of rows: their names on the axis of y, and above these what they are made of. */
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

static void put_axes(struct script *s, const struct plot *p)
{
    FILE *const f = s->f;
    const struct span x = x_span(p), y = value_span(p, false), other = value_span(p, true);
    const bool rows = p->n_rows > 0;

    fprintf(f, "set tmargin %d\n", rows ? 4 : 3);
    if (rows)
        put_row_names(s, p);
    else
        fputs("set key outside right top vertical", f);
    if (!rows && p->n_series > 1 && p->names[0] != '\0') {
        fputs(" title ", f);
        put_text(s, p->names, "");
    } else {
        fputs(" notitle", f);
    }
    if (!rows) {
        fputs("\nset xlabel ", f);
        put_text(s, p->x_axis, "");
    }
    fprintf(f, "\nset %slabel ", rows ? "x" : "y");
    put_text(s, p->y_axis, "");
    if (p->other_axis[0] != '\0') {
        fprintf(f, "\nset %s2label ", rows ? "x" : "y");
        put_text(s, p->other_axis, "");
        fprintf(f,
                "\nset %s2tics textcolor rgb '#333333'\nset %s2range [%g:%g]\nset %stics nomirror",
                rows ? "x" : "y", rows ? "x" : "y", other.low, other.high, rows ? "x" : "y");
    }
    if (rows) {
        fprintf(f, "\nset xrange [%g:%g]\nset yrange [%zu.5:-0.5]\n", y.low, y.high, p->n_rows - 1);
        return;
    }
    fprintf(f, "\nset xrange [%g:%g]\nset yrange [%g:%g]\n", x.low, x.high, y.low, y.high);
    if (p->log_x && x.high / x.low > 4096)
        put_log_tics(f, 'x', x);
    else if (p->log_x)
        fputs("set logscale x 2\n", f);
    if (p->log_y)
        put_log_tics(f, 'y', y);
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
    const char *colour = color_of_series(c->series);
    const bool other = is_other(p, c);

    if (p->n_rows > 0 && c->kind == PLOT_LINE) {
        fprintf(f, "%s$d%zu using (0):1:2:(0) with vectors nohead lw 3 lc rgb '%s' notitle",
                between, i, "#b9cfee");
        between = ", ";
    }
    if (c->kind == PLOT_CIRCLES) {
        if (has_bars(c)) {
            fprintf(f, "%s$d%zu using %s with %serrorbars lt 1 lw 1 pt -1 ps 0 lc rgb '%s' notitle",
                    between, i, p->n_rows > 0 ? "2:1:3:4" : "1:2:3:4", p->n_rows > 0 ? "x" : "y",
                    colour);
            between = ", ";
        }
        fprintf(f,
                "%s$d%zu using %s:($5 > 0 ? %s : NaN) with points pt 9 ps 0.9 lc rgb '%s' notitle",
                between, i, p->n_rows > 0 ? "2" : "1", p->n_rows > 0 ? "$1" : "$2", colour);
        between = ", ";
    }
    fprintf(f, "%s$d%zu using ", between, i);
    if (c->kind == PLOT_CIRCLES)
        fprintf(f, "%s:($5 > 0 ? NaN : %s)", p->n_rows > 0 ? "2" : "1",
                p->n_rows > 0 ? "$1" : "$2");
    else
        fputs(p->n_rows > 0 ? "2:1" : "1:2", f);
    fprintf(f, " axes %s with %s lc rgb '%s'%s notitle",
            !other          ? "x1y1"
            : p->n_rows > 0 ? "x2y1"
                            : "x1y2",
            p->n_rows > 0 ? row_styles[c->kind] : styles[c->kind], colour,
            p->n_rows > 0 || c->kind >= PLOT_PRINTED ? ""
            : c->n == 1                              ? " ps 0.8"
                                                     : " ps 0.25");
    return ", ";
}

/* The legend: what the colours are, if there are several, and what the kinds are. */
static void put_legend(struct script *s, const struct plot *p)
{
    FILE *const f = s->f;

    for (size_t i = 0; i < p->n_series && p->n_series > 1; i++) {
        fprintf(f, ", keyentry with lines lw 3 lc rgb '%s' title ", color_of_series((int)i));
        put_text(s, p->series[i], "");
    }
    for (int kind = 0; kind < N_PLOT_KINDS; kind++) {
        bool any = false;

        for (size_t i = 0; i < p->n_curves; i++)
            any |= (int)p->curves[i].kind == kind;
        if (!any || p->kinds[kind] == NULL)
            continue;
        fprintf(f, ", keyentry with %s lc rgb '%s'%s title ",
                p->n_rows > 0 ? row_styles[kind] : styles[kind],
                p->n_series > 1 ? "#333333" : color_of_series(0),
                p->n_rows > 0 || kind >= PLOT_PRINTED ? "" : " ps 0.25");
        put_text(s, p->kinds[kind], "");
    }
}

static void put_plot(struct script *s, const struct plot *p)
{
    FILE *const f = s->f;
    const char *between = "plot ";

    for (size_t i = 0; i < p->n_curves; i++)
        put_data(f, p, i);
    put_axes(s, p);
    for (size_t i = 0; i < p->n_curves; i++)
        between = put_curve(f, p, i, between);
    put_legend(s, p);
    fputs("\nunset logscale\nunset xlabel\nunset ylabel\nunset label 3\nset lmargin -1\nunset "
          "y2tics\nunset x2tics\nunset "
          "y2label\nunset x2label\n"
          "set xtics mirror autofreq\nset ytics mirror autofreq\n",
          f);
}

static int height_of(const struct plot *p)
{
    const int rows = AROUND_ROWS + ROW * (int)p->n_rows, legend = 90 + 16 * (int)(p->n_series + 4);

    if (p->n_rows > 0)
        return rows > 200 ? rows : 200;
    return legend > HEIGHT ? legend : HEIGHT;
}

static void put_terminal(FILE *f, const char *to, int width, int height)
{
    const char *kind = plot_kind(to);

    if (strcmp(kind, "png") == 0)
        fprintf(f, "set terminal pngcairo size %d,%d font 'sans,9'\n", width, height);
    else if (strcmp(kind, "pdf") == 0)
        fprintf(f, "set terminal pdfcairo size %.2fin,%.2fin font 'sans,9' fontscale 0.75\n",
                width / 96.0, height / 96.0);
    else
        fprintf(f, "set terminal svg size %d,%d font 'sans,11' background '#ffffff'\n", width,
                height);
    fputs("set termoption noenhanced\n"
          "set key Left reverse samplen 2.5 font ',9'\n"
          "set grid lc rgb '#dddddd'\nset border lc rgb '#888888'\nset tics textcolor rgb "
          "'#333333'\nset errorbars small\n",
          f);
}

/* Two columns, each plot in that which is the shorter one. */
static void put_all(struct script *s, const struct plot *plots, size_t n, const char *heading,
                    const char *to)
{
    FILE *const f = s->f;
    const int top = heading != NULL ? HEADING : 0, columns = n > 1 ? 2 : 1;
    int used[2] = {top, top}, x[MOST_PLOTS], y[MOST_PLOTS], height;

    for (size_t i = 0; i < n; i++) {
        const int column = columns == 2 && used[1] < used[0];

        x[i] = column;
        y[i] = used[column];
        used[column] += height_of(&plots[i]);
    }
    height = used[0] > used[1] ? used[0] : used[1];
    put_terminal(f, to, columns * WIDTH, height);
    fputs("set multiplot", f);
    if (heading != NULL) {
        fputs("\nset label 1 ", f);
        put_text(s, heading, "");
        fprintf(f, "at screen 0.5, screen %g center font ',13'", 1 - HEADING / 2.0 / height);
    }
    for (size_t i = 0; i < n; i++) {
        const int h = height_of(&plots[i]);

        fprintf(f, "\nset size %g,%g\nset origin %g,%g\nset label 2 ", 1.0 / columns,
                h / (double)height, (double)x[i] / columns, 1 - (y[i] + h) / (double)height);
        put_text(s, plots[i].title, "");
        fprintf(f, "at screen %g, screen %g center font ',%d'\n", (x[i] + 0.5) / columns,
                1 - (y[i] + 16) / (double)height, strlen(plots[i].title) > 80 ? 9 : 11);
        put_plot(s, &plots[i]);
        fputs("unset label 1\n", f);
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
