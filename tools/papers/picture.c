/* SPDX-License-Identifier: MIT */
/*
 * A paper's tables as pictures: a table with a chart as curves, with lines for predictions, dashed
 * lines for the paper's formula, and points for printed and measured numbers; trees and space-time
 * diagrams as drawing.c draws them; other tables row by row.
 */
#include "papers/paper.h"
#include "view/canvas/picture.h"
#include "view/plot/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const enum plot_kind kind_of[N_VALUES] = {[PRINTED] = PLOT_PRINTED,
                                                 [FORMULA] = PLOT_DASHES,
                                                 [DERIVED] = PLOT_DASHES,
                                                 [PREDICTED] = PLOT_LINE,
                                                 [MEASURED] = PLOT_CIRCLES};

/* The number of a label, also of "2^10". @return false: the label is not a number */
static bool label_number(const char *label, double *out)
{
    int64_t x;

    if (!parse_number(label, false, 0, INT64_MAX, &x))
        return false;
    *out = (double)x;
    return true;
}

/* Whether this column is part of the name of a row, or a curve. */
static bool is_named(const struct paper_table *t, int column)
{
    const struct paper_chart *chart = t->chart;

    return chart == NULL ||
           (column != chart->x && (chart->series == EACH_OTHER || column == chart->series));
}

/* The parts of "a|b|c" that name a row or a curve, without empty ones: "a | c". @return how many */
static int join(const struct paper_table *t, const char *labels, char out[128])
{
    size_t n = 0;
    int parts = 0;

    out[0] = '\0';
    for (int i = 0; i < paper_columns(t) && n < 128; i++) {
        char text[64];

        if (!is_named(t, i) || *paper_label(labels, i, text) == '\0')
            continue;
        n += (size_t)snprintf(out + n, 128 - n, "%s%s", n > 0 ? " | " : "", text);
        parts++;
    }
    return parts;
}

/* A curve that is a bare number has the name of its column: "P = 100". */
static void name_of(const struct paper_table *t, const struct paper_row *row, char out[128])
{
    const int parts = join(t, row->labels, out);
    char columns[128], value[64];
    double x;

    snprintf(value, sizeof(value), "%.63s", out);
    if (t->chart != NULL && parts == 1 && label_number(value, &x) &&
        join(t, t->columns, columns) == 1)
        snprintf(out, 128, "%.60s = %.60s", columns, value);
}

/* "Figures 10, 11" as "figures-10-11"; the second of that name ends in "-2". */
static void name_file(const struct paper *p, int table, char out[64])
{
    const char *figure = p->tables[table].figure;
    int n = 0, before = 0;

    for (const char *s = figure; *s != '\0' && n < 48; s++)
        if (strchr(" ,;:/()", *s) == NULL)
            out[n++] = (char)(*s >= 'A' && *s <= 'Z' ? *s - 'A' + 'a' : *s);
        else if (n > 0 && out[n - 1] != '-')
            out[n++] = '-';
    n -= n > 0 && out[n - 1] == '-';
    out[n] = '\0';
    for (int i = 0; i < table; i++)
        before += strcmp(p->tables[i].figure, figure) == 0;
    if (before > 0)
        snprintf(out + n, 64 - (size_t)n, "-%d", before + 1);
}

static void describe(const struct paper *p, const struct paper_table *t, struct plot *plot)
{
    const struct paper_chart *chart = t->chart;

    snprintf(plot->title, sizeof(plot->title), "%s: %s", t->figure, t->title);
    snprintf(plot->y_axis, sizeof(plot->y_axis), "%s", t->unit);
    plot->kinds[PLOT_LINE] = p->wrong ? "ours, NOT as emulated" : "ours";
    plot->kinds[PLOT_DASHES] =
        paper_has(t, DERIVED) ? "its formula, or derived here" : "its formula";
    plot->kinds[PLOT_PRINTED] = "printed";
    plot->kinds[PLOT_CIRCLES] = "measured here";
    if (t->printed_unit != NULL)
        snprintf(plot->other_axis, sizeof(plot->other_axis), "printed, %s", t->printed_unit);
    if (join(t, t->columns, plot->names) == 1 && chart != NULL)
        plot->names[0] = '\0';
    if (chart == NULL)
        return;
    snprintf(plot->x_axis, sizeof(plot->x_axis), "%s", chart->x_axis);
    snprintf(plot->y_axis, sizeof(plot->y_axis), "%s", chart->y_axis);
    plot->x_scale = chart->log_x ? SCALE_LOG : SCALE_LINEAR;
    plot->y_scale = chart->log_y ? SCALE_LOG : SCALE_LINEAR;
}

/* A value of the row; its emulated number takes the place of a missing prediction. */
static double value_of(const struct paper_row *row, enum paper_value v)
{
    return v == PREDICTED && isnan(row->value[v]) ? row->value[EMULATED] : row->value[v];
}

static struct plot plot_of(const struct paper *p, int table)
{
    const struct paper_table *t = &p->tables[table];
    struct plot plot = {0};

    describe(p, t, &plot);
    name_file(p, table, plot.name);
    for (size_t i = 0; i < t->n_rows; i++) {
        const struct paper_row *row = &t->rows[i];
        char name[128], text[64];
        double x = 0;
        int series = 0;

        name_of(t, row, name);
        if (t->chart == NULL)
            x = plot_row(&plot, name);
        else if (label_number(paper_label(row->labels, t->chart->x, text), &x))
            series = plot_series(&plot, name);
        for (int v = 0; v < N_VALUES; v++)
            if (v != EMULATED && !isnan(value_of(row, (enum paper_value)v)))
                plot_add(&plot, kind_of[v], series, x, value_of(row, (enum paper_value)v), NAN,
                         NAN);
    }
    return plot;
}

/* ---- all of them ---- */

struct plots {
    struct plot list[MOST_TABLES];
    size_t n;
};

/* The plots of all tables that are plotted. */
static struct plots *plots_of(const struct paper *p)
{
    struct plots *plots = need(calloc(1, sizeof(*plots)));

    for (int i = 0; i < p->n_tables; i++) {
        struct plot plot = {0};

        if (p->tables[i].picture == PAPER_PLOT)
            plot = plot_of(p, i);
        if (plot.n_curves > 0)
            plots->list[plots->n++] = plot;
        else
            plot_free(&plot);
    }
    return plots;
}

static void free_plots(struct plots *plots)
{
    for (size_t i = 0; i < plots->n; i++)
        plot_free(&plots->list[i]);
    free(plots);
}

static bool is_drawn(const struct paper *p, int table)
{
    return p->tables[table].picture != PAPER_PLOT && !p->stopped;
}

/* Plots as an SVG, to be freed. */
static char *svg_of(const struct plot *plots, size_t n, const char *heading)
{
    char *svg = NULL;
    size_t size;
    FILE *f = need(open_memstream(&svg, &size));

    if (n > 0)
        draw_plots(f, plots, n, heading);
    return close_text(f, &svg);
}

struct problem *draw_paper(FILE *f, const struct paper *p)
{
    struct plots *plots = plots_of(p);
    struct picture pictures[MOST_TABLES + 1] = {{NULL, svg_of(plots->list, plots->n, p->title)}};
    struct problem *problem = NULL;
    size_t n = 1;

    for (int i = 0; i < p->n_tables && problem == NULL; i++)
        if (is_drawn(p, i)) {
            pictures[n].caption = p->tables[i].figure;
            problem = draw_run(p, &p->tables[i], svg_number(pictures[0].svg, "width=\""),
                               &pictures[n++].svg);
        }
    if (problem == NULL)
        draw_together(f, pictures, n);
    for (size_t i = 0; i < n; i++)
        free(pictures[i].svg);
    free_plots(plots);
    return problem;
}

/* FOLDER/NAME.END; to be freed */
static char *path_of(const char *folder, const char *name, const char *end)
{
    const size_t n = strlen(folder) + strlen(name) + strlen(end) + sizeof("/.");
    char *path = need(malloc(n));

    snprintf(path, n, "%s/%s.%s", folder, name, end);
    return path;
}

/* Print a problem, and set *printed to one without text. */
static void print_problem(struct problem **printed, struct problem *problem)
{
    if (problem == NULL)
        return;
    say("%s", problem->text);
    free(problem);
    if (*printed == NULL)
        *printed = told(EXIT_WRONG);
}

/* Write a picture in each of its formats; it is freed. */
static void write_files(char *svg, const char *name, const char *folder, struct problem **printed)
{
    static const char *const ends[] = {"png", "svg", "pdf"};

    for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++) {
        char *path = path_of(folder, name, ends[k]);

        print_problem(printed, put_picture(NULL, svg, path));
        free(path);
    }
    free(svg);
}

struct problem *draw_figures(const struct paper *p, const char *folder)
{
    struct plots *plots = plots_of(p);
    struct problem *printed = NULL;

    for (size_t i = 0; i < plots->n; i++)
        write_files(svg_of(&plots->list[i], 1, NULL), plots->list[i].name, folder, &printed);
    free_plots(plots);
    for (int i = 0; i < p->n_tables; i++) {
        char name[64], *svg;
        struct problem *problem;

        if (!is_drawn(p, i))
            continue;
        name_file(p, i, name);
        problem = draw_run(p, &p->tables[i], 0, &svg);
        print_problem(&printed, problem);
        if (problem == NULL)
            write_files(svg, name, folder, &printed);
        else
            free(svg);
    }
    return printed;
}
