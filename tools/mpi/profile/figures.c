/* SPDX-License-Identifier: MIT */
/* The figures of the page. */
#include "html.h"
#include "text/problem.h"
#include "view/canvas/canvas.h"
#include "view/records/records.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ROWS = 64, MOST_COLUMNS = 128, BAR_WIDTH = 640, LEFT = 60 };

/* The number of neighbouring ranks that share a cell. */
static int64_t ranks_per_cell(const struct profile *p, int64_t most)
{
    return (p->P + most - 1) / most;
}

static const char *ranks_text(const struct profile *p, int64_t first, int64_t per, char buf[64])
{
    const int64_t last = first + per - 1 < p->P - 1 ? first + per - 1 : p->P - 1;

    if (per == 1)
        snprintf(buf, 64, "%lld", (long long)first);
    else
        snprintf(buf, 64, "%lld-%lld", (long long)first, (long long)last);
    return buf;
}

/* ---- ranks ---- */

static void draw_part(struct canvas *to, const char *name, int64_t ns, int64_t whole, double *x,
                      int64_t y, int height)
{
    const double width = whole > 0 ? BAR_WIDTH * (double)ns / (double)whole : 0;

    if (width > 0)
        canvas_box(to, (struct look){.class = name}, *x, (double)y, width, height - 1);
    *x += width;
}

/* Begin a figure that is shown as large as it is. */
static struct canvas begin(FILE *f, const char *class, const char *label, double width,
                           double height)
{
    struct canvas to = svg_canvas(f);

    begin_svg_of_page(&to, &(struct sheet){.class = class,
                                           .label = label,
                                           .width = width,
                                           .height = height,
                                           .shown_width = width});
    return to;
}

static void finish(struct canvas *to)
{
    canvas_end(to);
    canvas_end_line(to);
}

void draw_ranks(FILE *f, const struct profile *p)
{
    const int64_t per = ranks_per_cell(p, MOST_ROWS), rows = (p->P + per - 1) / per;
    const int bar = rows > 24 ? 8 : 16, named = rows > 24 ? 8 : 1; /* few names fit: one in 8 */
    struct canvas to = begin(f, "heat parts", "Time of each rank: own work, MPI, waiting",
                             LEFT + BAR_WIDTH, (double)(rows * bar + 4));

    for (int64_t i = 0; i < rows; i++) {
        struct profile_rank sum = {0};
        int64_t n = 0;
        double x = LEFT;
        char title[256], name[64], own[32], mpi[32], wait[32];

        for (int64_t r = i * per; r < p->P && r < (i + 1) * per; r++, n++) {
            sum.call_ns += p->ranks[r].call_ns;
            sum.wait_ns += p->ranks[r].wait_ns;
        }
        sum.call_ns /= n;
        sum.wait_ns /= n;
        sum.wait_ns = sum.wait_ns < sum.call_ns ? sum.wait_ns : sum.call_ns;
        snprintf(title, sizeof(title), "rank %s: own work %s, MPI %s, waiting %s",
                 ranks_text(p, i * per, per, name), profile_time(p->end_ns - sum.call_ns, own),
                 profile_time(sum.call_ns - sum.wait_ns, mpi), profile_time(sum.wait_ns, wait));
        canvas_group(&to, (struct look){.title = title}, 0, 0, 0);
        canvas_text(&to, (struct look){.anchor = ANCHOR_END}, LEFT - 6,
                    (double)(i * bar + bar / 2 + 4), i % named == 0 ? name : "");
        to.digits = (struct digits){.x = 2, .width = 2};
        draw_part(&to, "own", p->end_ns - sum.call_ns, p->end_ns, &x, i * bar, bar);
        draw_part(&to, "mpi", sum.call_ns - sum.wait_ns, p->end_ns, &x, i * bar, bar);
        draw_part(&to, "wait", sum.wait_ns, p->end_ns, &x, i * bar, bar);
        to.digits = (struct digits){0};
        canvas_end_group(&to);
        canvas_end_line(&to);
    }
    finish(&to);
}

/* ---- cells ---- */

/* share: 0 .. 1, of the largest value */
static void draw_cell(struct canvas *to, double x, double y, double size_x, double size_y,
                      double share, const char *title)
{
    char style[96];

    if (share <= 0)
        return;
    snprintf(style, sizeof(style), "fill:color-mix(in srgb,var(--accent) %.0f%%,var(--shade))",
             12 + 88 * share);
    to->digits = (struct digits){2, 2, 2, 2};
    canvas_box(to, (struct look){.style = style, .title = title}, x, y, size_x, size_y);
    canvas_end_line(to);
    to->digits = (struct digits){0};
}

/* The scale of a map: which colour is which value, from 0 to the largest. */
static void draw_scale(struct canvas *to, double x, double y, double width, const char *most)
{
    enum { STEPS = 20 };
    const double step = width / STEPS;

    canvas_text(to, (struct look){0}, x, y + 21, "0");
    canvas_text(to, (struct look){.anchor = ANCHOR_END}, x + width, y + 21, most);
    for (int i = 0; i < STEPS; i++)
        draw_cell(to, x + step * i, y, step + 0.3, 9, (i + 0.5) / STEPS, NULL);
}

/* A value in a cell that is wide enough. */
static void draw_number(struct canvas *to, double x, double y, double width, double share,
                        const char *text)
{
    if (share > 0 && canvas_text_size(to, text, 10) <= width - 2)
        canvas_text(to,
                    (struct look){
                        .class = share > 0.45 ? "on" : "off", .anchor = ANCHOR_MIDDLE, .size = 10},
                    x + width / 2, y + 3.5, text);
}

/* Whether column or line i of n is named, of which so many fit. */
static bool is_named(int64_t i, int64_t n, int64_t fit)
{
    const int64_t every = (n + fit - 1) / fit;

    return i % every == 0;
}

/* One unit for all times of a map, so that they compare at a glance. */
struct time_unit {
    const char *name;
    double ns;
};

static struct time_unit unit_of(int64_t most_ns)
{
    return most_ns < 10000         ? (struct time_unit){"ns", 1}
           : most_ns < 10000000    ? (struct time_unit){"us", 1e3}
           : most_ns < 10000000000 ? (struct time_unit){"ms", 1e6}
                                   : (struct time_unit){"s", 1e9};
}

void draw_calls(FILE *f, const struct profile *p, const int *sites, int n)
{
    const int64_t per = ranks_per_cell(p, MOST_COLUMNS), columns = (p->P + per - 1) / per;
    enum { WIDE = 560, NAME = 16, CELL = 20, ROW_OF_CALL = NAME + CELL + 4 };
    const double cell = (double)WIDE / (double)columns;
    int64_t most = 1;
    char label[64];
    struct time_unit unit;
    struct canvas to;
    int64_t *means = need(calloc((size_t)n * (size_t)columns + 1, sizeof(*means)));

    for (int s = 0; s < n; s++)
        for (int64_t i = 0; i < columns; i++) {
            int64_t sum = 0, ranks = 0;

            for (int64_t r = i * per; r < p->P && r < (i + 1) * per; r++, ranks++)
                sum += p->calls->calls[r * p->calls->n_sites + sites[s]].ns;
            means[s * columns + i] = sum / ranks;
            most = sum / ranks > most ? sum / ranks : most;
        }
    unit = unit_of(most);
    to = begin(f, "heat map", "Time of each call on each rank; the table below has the sums", WIDE,
               n * ROW_OF_CALL + 56);
    for (int s = 0; s < n; s++) {
        const int y = s * ROW_OF_CALL + NAME;
        char name[256], text[32], ranks[64], title[420];

        profile_site_name(p, sites[s], name);
        snprintf(label, sizeof(label), "%.63s", name); /* the characters that fit */
        canvas_text(&to, (struct look){0}, 0, y - 4, label);
        canvas_box(&to, (struct look){.class = "ground"}, 0, y, WIDE, CELL);
        canvas_end_line(&to);
        for (int64_t i = 0; i < columns; i++) {
            const int64_t ns = means[s * columns + i];
            const double share = (double)ns / (double)most;

            snprintf(title, sizeof(title), "%s, rank %s: %s", name,
                     ranks_text(p, i * per, per, ranks), profile_time(ns, text));
            draw_cell(&to, cell * (double)i, y, cell * (columns > 64 ? 1 : 0.96), CELL, share,
                      title);
            snprintf(text, sizeof(text), "%.3g", (double)ns / unit.ns);
            draw_number(&to, cell * (double)i, y + CELL / 2.0, cell, share, text);
        }
    }
    for (int64_t i = 0; i < columns; i++)
        if (is_named(i, columns, 16)) {
            snprintf(label, sizeof(label), i == 0 ? "rank %lld" : "%lld", (long long)(i * per));
            canvas_text(&to, (struct look){.anchor = ANCHOR_MIDDLE},
                        fmax(20, cell * ((double)i + 0.5)), n * ROW_OF_CALL + 12, label);
        }
    snprintf(label, sizeof(label), "%.4g %s in the call", (double)most / unit.ns, unit.name);
    draw_scale(&to, 0, n * ROW_OF_CALL + 27, 240, label);
    finish(&to);
    free(means);
}

/* The names of ranks at the left and above a matrix. */
static void draw_rank_names(struct canvas *to, const struct profile *p, int64_t n, int64_t per,
                            double size, double top)
{
    char name[32];

    for (int64_t i = 0; i < n; i++)
        if (is_named(i, n, 16)) {
            snprintf(name, sizeof(name), "%lld", (long long)(i * per));
            canvas_text(to, (struct look){.anchor = ANCHOR_MIDDLE}, LEFT + size * ((double)i + 0.5),
                        top - 6, name);
            canvas_text(to, (struct look){.anchor = ANCHOR_END}, LEFT - 6,
                        top + size * ((double)i + 0.5) + 4, name);
        }
    (void)p;
    canvas_end_line(to);
}

void draw_matrix(FILE *f, const struct profile *p, enum matrix what)
{
    enum { TOP = 36, SIDE = 400 };
    const int64_t per = ranks_per_cell(p, MOST_ROWS), n = (p->P + per - 1) / per;
    const double size = (double)SIDE / (double)n;
    int64_t *cells = need(calloc((size_t)(n * n), sizeof(*cells))), most = 1;
    char title[256], label[64];
    struct time_unit unit = {"bytes", 1};
    struct canvas to;

    for (size_t i = 0; i < p->n_pairs; i++) {
        const struct profile_pair *x = &p->pairs[i];
        int64_t *cell = &cells[x->from / per * n + x->to / per];

        *cell += what == MATRIX_BYTES ? x->bytes : x->wait_ns;
        most = *cell > most ? *cell : most;
    }
    if (what == MATRIX_WAITS)
        unit = unit_of(most);
    to = begin(f, "heat map",
               what == MATRIX_BYTES
                   ? "Bytes from each rank to each rank; the table has the largest"
                   : "Time that each rank waited for each rank; the table has the largest",
               LEFT + SIDE, TOP + SIDE + 44);
    canvas_box(&to, (struct look){.class = "ground"}, LEFT, TOP, SIDE, SIDE);
    canvas_text(&to, (struct look){0}, LEFT, 12,
                what == MATRIX_BYTES ? "to rank" : "the rank that waited");
    canvas_text(&to, (struct look){.anchor = ANCHOR_MIDDLE, .rising = true}, 12, TOP + SIDE / 2.0,
                what == MATRIX_BYTES ? "from rank" : "the rank that was waited for");
    draw_rank_names(&to, p, n, per, size, TOP);
    for (int64_t i = 0; i < n * n; i++) {
        char from[64], to_rank[64], text[32];
        const double share = (double)cells[i] / (double)most, x = LEFT + size * (double)(i % n),
                     y = TOP + size * (double)(i / n);

        ranks_text(p, i / n * per, per, from);
        ranks_text(p, i % n * per, per, to_rank);
        if (what == MATRIX_BYTES)
            snprintf(title, sizeof(title), "from rank %s to rank %s: %lld bytes", from, to_rank,
                     (long long)cells[i]);
        else
            snprintf(title, sizeof(title), "rank %s waited %s for rank %s", to_rank,
                     profile_time(cells[i], text), from);
        draw_cell(&to, x, y, size * 0.96, size * 0.96, share, title);
        snprintf(text, sizeof(text), what == MATRIX_BYTES ? "%.6g" : "%.3g",
                 (double)cells[i] / unit.ns);
        draw_number(&to, x, y + size * 0.48, size, share, text);
    }
    snprintf(label, sizeof(label), "%.6g %s", (double)most / unit.ns, unit.name);
    draw_scale(&to, LEFT, TOP + SIDE + 12, 240, label);
    finish(&to);
    free(cells);
}

/* ---- curves ---- */

void draw_curve(FILE *f, const struct profile *p, const struct logp_curve *c)
{
    const int width = 300, height = 150, left = 10, top = 24, bottom = 24;
    const double at = (double)c->at_ps, most = (double)logp_curve_ps(c, 2 * c->at_ps);
    const char *name = logp_parameter_name(c->parameter);
    struct point *points = need(malloc((c->n + 2) * sizeof(*points)));
    const int64_t tolerated = tolerance_ps(c, 5);
    char text[128], value[64];
    struct canvas to = svg_canvas(f);
    size_t n = 0;

#define X(v) (left + (width - 2 * left) * (v) / (2 * at))
#define Y(t) (top + (height - top - bottom) * (1 - (t) / most))
#define AT(ps) (struct point){X((double)(ps)), Y((double)logp_curve_ps(c, ps))}
    points[n++] = AT(0);
    for (size_t i = 1; i < c->n && c->lines[i].from_ps < 2 * c->at_ps; i++)
        points[n++] = AT(c->lines[i].from_ps);
    points[n++] = (struct point){X(2 * at), Y(most)};
    fprintf(f, "<figure>");
    snprintf(text, sizeof(text), "Time as a function of %s; the table has its values", name);
    begin_svg_of_page(
        &to,
        &(struct sheet){.class = "chart-line", .label = text, .width = width, .height = height});
    canvas_line(&to, (struct look){.class = "axis"}, left, height - bottom, width - left,
                height - bottom);
    to.digits = (struct digits){1, 1, 0, 0};
    canvas_path(&to, (struct look){.class = "line"}, points, n, false);
    canvas_disc(&to, (struct look){.class = "half"}, X(at / 2), AT(c->at_ps / 2).y, 4);
    canvas_disc(&to, (struct look){.class = "now"}, X(at), AT(c->at_ps).y, 4);
    if (tolerated >= 0 && tolerated < c->at_ps) { /* up to here T is at most 5 % longer */
        const struct point end = AT(c->at_ps + tolerated);

        canvas_line(&to, (struct look){.class = "axis"}, end.x, end.y, end.x, height - bottom);
        canvas_text(&to, (struct look){0}, end.x + 3, height - bottom - 4, "+5 %");
    }
    to.digits = (struct digits){0};
    snprintf(text, sizeof(text), "T by %s", name);
    canvas_text(&to, (struct look){0}, left, 12, text);
    canvas_text(&to, (struct look){0}, left, height - 8, "0");
    to.digits = (struct digits){.x = 1};
    snprintf(text, sizeof(text), "%s = %s", name, profile_value(c, value));
    canvas_text(&to, (struct look){.anchor = ANCHOR_MIDDLE}, X(at), height - 8, text);
    to.digits = (struct digits){1, 1, 0, 0};
    canvas_text(&to, (struct look){.anchor = ANCHOR_MIDDLE}, X(at), AT(c->at_ps).y - 8,
                profile_time(p->explained->ns, text));
    canvas_end(&to);
    fputs("</figure>\n", f);
    free(points);
#undef X
#undef Y
#undef AT
}
