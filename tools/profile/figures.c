/* SPDX-License-Identifier: MIT */
/* The figures of the page. */
#include "profile/html.h"
#include "text/problem.h"
#include "view/canvas/canvas.h"

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
static struct canvas begin(const char *class, const char *label, double width, double height)
{
    struct canvas to = svg_canvas(stdout);

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

void draw_ranks(const struct profile *p)
{
    const int64_t per = ranks_per_cell(p, MOST_ROWS), rows = (p->P + per - 1) / per;
    const int bar = rows > 24 ? 8 : 16, named = rows > 24 ? 8 : 1; /* few names fit: one in 8 */
    struct canvas to = begin("heat parts", "Time of each rank: own work, MPI, waiting",
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

void draw_calls(const struct profile *p, const int *sites, int n)
{
    const int64_t per = ranks_per_cell(p, MOST_COLUMNS), columns = (p->P + per - 1) / per;
    const int left = 210, row = 16;
    const double cell = 520.0 / (double)columns;
    int64_t most = 0;
    char last[32];
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
    to = begin("heat", "Time of each call on each rank; the table below has the sums", left + 520,
               n * row + 18);
    for (int s = 0; s < n; s++) {
        char name[256], text[32], ranks[64], title[128];

        profile_site_name(p, sites[s], name);
        name[34] = '\0'; /* the characters that fit */
        canvas_text(&to, (struct look){.anchor = ANCHOR_END}, left - 6, s * row + 12, name);
        canvas_box(&to, (struct look){.class = "ground"}, left, s * row, 520, row - 2);
        canvas_end_line(&to);
        for (int64_t i = 0; i < columns; i++) {
            const int64_t ns = means[s * columns + i];

            snprintf(title, sizeof(title), "rank %s: %s", ranks_text(p, i * per, per, ranks),
                     profile_time(ns, text));
            draw_cell(&to, left + cell * (double)i, s * row, cell * (columns > 64 ? 1 : 0.94),
                      row - 2, (double)ns / (double)most, title);
        }
    }
    snprintf(last, sizeof(last), "%lld", (long long)p->P - 1);
    canvas_text(&to, (struct look){0}, left, n * row + 13, "rank 0");
    canvas_text(&to, (struct look){.anchor = ANCHOR_END}, left + 520, n * row + 13, last);
    finish(&to);
    free(means);
}

void draw_matrix(const struct profile *p, enum matrix what)
{
    const int64_t per = ranks_per_cell(p, MOST_ROWS), n = (p->P + per - 1) / per;
    const double size = 400.0 / (double)n;
    int64_t *cells = need(calloc((size_t)(n * n), sizeof(*cells))), most = 1;
    char title[256];
    struct canvas to;

    for (size_t i = 0; i < p->n_pairs; i++) {
        const struct profile_pair *x = &p->pairs[i];
        int64_t *cell = &cells[x->from / per * n + x->to / per];

        *cell += what == MATRIX_BYTES ? x->bytes + x->messages : x->wait_ns;
        most = *cell > most ? *cell : most;
    }
    to = begin("heat",
               what == MATRIX_BYTES
                   ? "Bytes from each rank to each rank; the table has the largest"
                   : "Time that each rank waited for each rank; the table has the largest",
               LEFT + 400, 446);
    canvas_box(&to, (struct look){.class = "ground"}, LEFT, 20, 400, 400);
    snprintf(title, sizeof(title), "%lld", (long long)p->P - 1);
    canvas_text(&to, (struct look){0}, LEFT, 13, "to rank 0");
    canvas_text(&to, (struct look){.anchor = ANCHOR_END}, LEFT + 400, 13, title);
    canvas_text(&to, (struct look){.anchor = ANCHOR_END}, LEFT - 6, 32, "from 0");
    canvas_text(&to, (struct look){.anchor = ANCHOR_END}, LEFT - 6, 418, title);
    canvas_end_line(&to);
    for (int64_t i = 0; i < n * n; i++) {
        char from[64], to_rank[64], text[32];

        ranks_text(p, i / n * per, per, from);
        ranks_text(p, i % n * per, per, to_rank);
        if (what == MATRIX_BYTES)
            snprintf(title, sizeof(title), "from %s to %s: %lld bytes, with one for each message",
                     from, to_rank, (long long)cells[i]);
        else
            snprintf(title, sizeof(title), "%s waited %s for %s", to_rank,
                     profile_time(cells[i], text), from);
        draw_cell(&to, LEFT + size * (double)(i % n), 20 + size * (double)(i / n), size * 0.96,
                  size * 0.96, (double)cells[i] / (double)most, title);
    }
    finish(&to);
    free(cells);
}

/* ---- curves ---- */

void draw_curve(const struct profile *p, const struct logp_curve *c)
{
    const int width = 300, height = 150, left = 10, top = 24, bottom = 24;
    const double at = (double)c->at_ps, most = (double)logp_curve_ps(c, 2 * c->at_ps);
    const char *name = logp_parameter_name(c->parameter);
    struct point *points = need(malloc((c->n + 2) * sizeof(*points)));
    char text[128], value[64];
    struct canvas to = svg_canvas(stdout);
    size_t n = 0;

#define X(v) (left + (width - 2 * left) * (v) / (2 * at))
#define Y(t) (top + (height - top - bottom) * (1 - (t) / most))
#define AT(ps) (struct point){X((double)(ps)), Y((double)logp_curve_ps(c, ps))}
    points[n++] = AT(0);
    for (size_t i = 1; i < c->n && c->lines[i].from_ps < 2 * c->at_ps; i++)
        points[n++] = AT(c->lines[i].from_ps);
    points[n++] = (struct point){X(2 * at), Y(most)};
    printf("<figure>");
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
    puts("</figure>");
    free(points);
#undef X
#undef Y
#undef AT
}
