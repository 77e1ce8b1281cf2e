/* SPDX-License-Identifier: MIT */
/* The figures of the page. Colours are variables of the style sheet, so they follow the theme. */
#include "html.h"
#include "text/text.h"

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

static void draw_part(const char *name, int64_t ns, int64_t whole, double *x, int64_t y, int height)
{
    const double width = whole > 0 ? BAR_WIDTH * (double)ns / (double)whole : 0;

    if (width > 0)
        printf("<rect class=\"%s\" x=\"%.2f\" y=\"%lld\" width=\"%.2f\" height=\"%d\"/>", name, *x,
               (long long)y, width, height - 1);
    *x += width;
}

void draw_ranks(const struct profile *p)
{
    const int64_t per = ranks_per_cell(p, MOST_ROWS), rows = (p->P + per - 1) / per;
    const int bar = rows > 24 ? 8 : 16, named = rows > 24 ? 8 : 1; /* few names fit: one in 8 */

    printf("<svg class=\"heat parts\" role=\"img\" aria-label=\"Time of each rank: own work, MPI, "
           "waiting\" viewBox=\"0 0 %d %lld\" width=\"%d\">\n",
           LEFT + BAR_WIDTH, (long long)rows * bar + 4, LEFT + BAR_WIDTH);
    for (int64_t i = 0; i < rows; i++) {
        struct profile_rank sum = {0};
        int64_t n = 0;
        double x = LEFT;
        char name[64], own[32], mpi[32], wait[32];

        for (int64_t r = i * per; r < p->P && r < (i + 1) * per; r++, n++) {
            sum.call_ns += p->ranks[r].call_ns;
            sum.wait_ns += p->ranks[r].wait_ns;
        }
        sum.call_ns /= n;
        sum.wait_ns /= n;
        sum.wait_ns = sum.wait_ns < sum.call_ns ? sum.wait_ns : sum.call_ns;
        printf("<g><title>rank %s: own work %s, MPI %s, waiting %s</title>"
               "<text x=\"%d\" y=\"%lld\" text-anchor=\"end\">%s</text>",
               ranks_text(p, i * per, per, name), profile_time(p->end_ns - sum.call_ns, own),
               profile_time(sum.call_ns - sum.wait_ns, mpi), profile_time(sum.wait_ns, wait),
               LEFT - 6, (long long)i * bar + bar / 2 + 4, i % named == 0 ? name : "");
        draw_part("own", p->end_ns - sum.call_ns, p->end_ns, &x, i * bar, bar);
        draw_part("mpi", sum.call_ns - sum.wait_ns, p->end_ns, &x, i * bar, bar);
        draw_part("wait", sum.wait_ns, p->end_ns, &x, i * bar, bar);
        printf("</g>\n");
    }
    printf("</svg>\n");
}

/* ---- cells ---- */

/* share: 0 .. 1, of the largest value */
static void draw_cell(double x, double y, double size_x, double size_y, double share)
{
    if (share > 0)
        printf("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
               "style=\"fill:color-mix(in srgb,var(--accent) %.0f%%,var(--shade))\">",
               x, y, size_x, size_y, 12 + 88 * share);
}

void draw_calls(const struct profile *p, const int *sites, int n)
{
    const int64_t per = ranks_per_cell(p, MOST_COLUMNS), columns = (p->P + per - 1) / per;
    const int left = 210, row = 16;
    const double cell = 520.0 / (double)columns;
    int64_t most = 0;
    int64_t *means = or_end(calloc((size_t)n * (size_t)columns + 1, sizeof(*means)));

    for (int s = 0; s < n; s++)
        for (int64_t i = 0; i < columns; i++) {
            int64_t sum = 0, ranks = 0;

            for (int64_t r = i * per; r < p->P && r < (i + 1) * per; r++, ranks++)
                sum += p->calls->calls[r * p->calls->n_sites + sites[s]].ns;
            means[s * columns + i] = sum / ranks;
            most = sum / ranks > most ? sum / ranks : most;
        }
    printf(
        "<svg class=\"heat\" role=\"img\" aria-label=\"Time of each call on each rank; the table "
        "below has the sums\" viewBox=\"0 0 %d %d\" width=\"%d\">\n",
        left + 520, n * row + 18, left + 520);
    for (int s = 0; s < n; s++) {
        char name[256], text[32], ranks[64];

        printf("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", left - 6, s * row + 12);
        profile_site_name(p, sites[s], name);
        name[34] = '\0'; /* the characters that fit */
        write_xml(stdout, name);
        printf("</text><rect class=\"ground\" x=\"%d\" y=\"%d\" width=\"520\" height=\"%d\"/>\n",
               left, s * row, row - 2);
        for (int64_t i = 0; i < columns; i++) {
            const int64_t ns = means[s * columns + i];

            if (ns <= 0)
                continue;
            draw_cell(left + cell * (double)i, s * row, cell * (columns > 64 ? 1 : 0.94), row - 2,
                      (double)ns / (double)most);
            printf("<title>rank %s: %s</title></rect>\n", ranks_text(p, i * per, per, ranks),
                   profile_time(ns, text));
        }
    }
    printf("<text x=\"%d\" y=\"%d\">rank 0</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">"
           "%lld</text></svg>\n",
           left, n * row + 13, left + 520, n * row + 13, (long long)p->P - 1);
    free(means);
}

void draw_matrix(const struct profile *p, enum matrix what)
{
    const int64_t per = ranks_per_cell(p, MOST_ROWS), n = (p->P + per - 1) / per;
    const double size = 400.0 / (double)n;
    int64_t *cells = or_end(calloc((size_t)(n * n), sizeof(*cells))), most = 1;
    const char *title = what == MATRIX_BYTES ? "Bytes from each rank to each rank"
                                             : "Time that each rank waited for each rank";

    for (size_t i = 0; i < p->n_pairs; i++) {
        const struct profile_pair *x = &p->pairs[i];
        int64_t *cell = &cells[x->from / per * n + x->to / per];

        *cell += what == MATRIX_BYTES ? x->bytes + x->messages : x->wait_ns;
        most = *cell > most ? *cell : most;
    }
    printf("<svg class=\"heat\" role=\"img\" aria-label=\"%s; the table has the largest\" "
           "viewBox=\"0 0 %d 446\" width=\"%d\">\n<rect class=\"ground\" x=\"%d\" y=\"20\" "
           "width=\"400\" height=\"400\"/><text x=\"%d\" y=\"13\">to rank 0</text>"
           "<text x=\"%d\" y=\"13\" text-anchor=\"end\">%lld</text><text x=\"%d\" y=\"32\" "
           "text-anchor=\"end\">from 0</text><text x=\"%d\" y=\"418\" text-anchor=\"end\">%lld"
           "</text>\n",
           title, LEFT + 400, LEFT + 400, LEFT, LEFT, LEFT + 400, (long long)p->P - 1, LEFT - 6,
           LEFT - 6, (long long)p->P - 1);
    for (int64_t i = 0; i < n * n; i++) {
        char from[64], to[64], text[32];

        if (cells[i] == 0)
            continue;
        draw_cell(LEFT + size * (double)(i % n), 20 + size * (double)(i / n), size * 0.96,
                  size * 0.96, (double)cells[i] / (double)most);
        ranks_text(p, i / n * per, per, from);
        ranks_text(p, i % n * per, per, to);
        if (what == MATRIX_BYTES)
            printf("<title>from %s to %s: %lld bytes, with one for each message</title></rect>\n",
                   from, to, (long long)cells[i]);
        else
            printf("<title>%s waited %s for %s</title></rect>\n", to, profile_time(cells[i], text),
                   from);
    }
    printf("</svg>\n");
    free(cells);
}

/* ---- curves ---- */

void draw_curve(const struct profile *p, const struct logp_curve *c)
{
    const int width = 300, height = 150, left = 10, top = 24, bottom = 24;
    const double at = (double)c->at_ps, most = (double)logp_curve_ps(c, 2 * c->at_ps);
    const char *name = logp_parameter_name(c->parameter);
    char now[32], value[64];

#define X(v) (left + (width - 2 * left) * (v) / (2 * at))
#define Y(t) (top + (height - top - bottom) * (1 - (t) / most))
    printf("<figure><svg class=\"chart-line\" role=\"img\" aria-label=\"Time as a function of %s; "
           "the table has its values\" viewBox=\"0 0 %d %d\">\n<line class=\"axis\" x1=\"%d\" "
           "y1=\"%d\" x2=\"%d\" y2=\"%d\"/>",
           name, width, height, left, height - bottom, width - left, height - bottom);
    printf("<path class=\"line\" d=\"M%.1f %.1f", X(0.0), Y((double)logp_curve_ps(c, 0)));
    for (size_t i = 1; i < c->n && c->lines[i].from_ps < 2 * c->at_ps; i++)
        printf("L%.1f %.1f", X((double)c->lines[i].from_ps),
               Y((double)logp_curve_ps(c, c->lines[i].from_ps)));
    printf("L%.1f %.1f\"/>", X(2 * at), Y(most));
    printf("<circle class=\"half\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/><circle class=\"now\" "
           "cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>",
           X(at / 2), Y((double)logp_curve_ps(c, c->at_ps / 2)), X(at),
           Y((double)logp_curve_ps(c, c->at_ps)));
    printf("<text x=\"%d\" y=\"12\">T by %s</text><text x=\"%d\" y=\"%d\">0</text>"
           "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s = %s</text>"
           "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text></svg></figure>\n",
           left, name, left, height - 8, X(at), height - 8, name, profile_value(c, value), X(at),
           Y((double)logp_curve_ps(c, c->at_ps)) - 8, profile_time(p->explained->ns, now));
#undef X
#undef Y
}
