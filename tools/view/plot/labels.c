/* SPDX-License-Identifier: MIT */
/*
 * The names of series at the ends of their curves: in a column at the right of the plot, in the
 * order of the ends, each as near to its own end as the others leave it; a thin line connects them.
 */
#include "view/plot/plot.h"
#include "text/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROW = 14,      /* pixels: the height of a name */
    LEAST = 8,     /* its least height; names that do not fit then are left out */
    SIZE = 10,     /* of the letters */
    LEADER = 16,   /* from the plot to the marker */
    MARKER = 12,   /* from there to the name */
    HIGHEST = 4000 /* pixels for which a picture grows */
};

struct label {
    int series;
    const struct plot_curve *curve;
    double x, y;          /* the end of its curve */
    double wanted, place; /* pixels from the top of the plot */
};

/* ---- the labels ---- */

/* The curve whose end has the name: the predicted one, or else the measured one. */
static const struct plot_curve *curve_of(const struct plot *p, int series)
{
    static const enum plot_kind order[] = {PLOT_LINE, PLOT_DASHES, PLOT_CIRCLES, PLOT_PRINTED};

    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
        for (size_t k = 0; k < p->n_curves; k++)
            if (p->curves[k].series == series && p->curves[k].kind == order[i])
                return &p->curves[k];
    return NULL;
}

static bool has_names(const struct plot *p)
{
    return p->n_rows == 0 && p->n_series > 0 && p->series[0][0] != '\0';
}

double labels_width(const struct canvas *to, const struct plot *p)
{
    double longest = has_names(p) ? canvas_text_size(to, p->names, SIZE) : 0;

    for (size_t i = 0; has_names(p) && i < p->n_series; i++)
        longest = fmax(longest, canvas_text_size(to, p->series[i], SIZE));
    return longest > 0 ? LEADER + MARKER + longest + 8 : 0;
}

int labels_height(const struct plot *p)
{
    const size_t most = HIGHEST / ROW;

    return has_names(p) ? ROW * (int)(p->n_series < most ? p->n_series : most) : 0;
}

/* ---- their places ---- */

static int higher(const void *a, const void *b)
{
    const struct label *x = a, *y = b;

    return x->wanted < y->wanted ? -1 : x->wanted > y->wanted ? 1 : x->series - y->series;
}

/* Place each label as near as possible to its wanted place, at least `apart` from its neighbours:
 * labels that are too near become a group around the mean of their wanted places, which is merged
 * with the group before if the two meet. */
static void spread(struct label *all, size_t n, double apart, double height)
{
    struct group {
        double sum, at; /* sum of the places that all want for the first label; its place */
        size_t n;
    } *groups = need(calloc(n + 1, sizeof(*groups)));
    size_t used = 0, k = 0;

    for (size_t i = 0; i < n; i++) {
        struct group now = {all[i].wanted, all[i].wanted, 1};

        for (;;) {
            const double most = height - apart * (double)(now.n - 1);

            now.at = fmax(0, fmin(most, now.sum / (double)now.n));
            if (used == 0 || groups[used - 1].at + apart * (double)groups[used - 1].n <= now.at)
                break;
            used--;
            now.sum = groups[used].sum + now.sum - apart * (double)(groups[used].n * now.n);
            now.n += groups[used].n;
        }
        groups[used++] = now;
    }
    for (size_t g = 0; g < used; g++)
        for (size_t i = 0; i < groups[g].n; i++)
            all[k++].place = groups[g].at + apart * (double)i;
    free(groups);
}

/* Collect the labels; one whose curve ends off the axis is placed at its edge. */
static size_t find_labels(const struct plot *p, const struct plot_area *area, struct label *all)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_series; i++) {
        const struct plot_curve *c = curve_of(p, (int)i);
        struct plot_axis y;
        const struct plot_point *end;

        if (c == NULL || c->n == 0)
            continue;
        end = &c->points[0];
        for (size_t k = 1; k < c->n; k++)
            end = c->points[k].x > end->x ? &c->points[k] : end;
        y = *plot_axis_of(p, area, c);
        if (y.base > 0 && end->y <= 0)
            continue;
        all[n] = (struct label){.series = (int)i, .curve = c, .x = end->x};
        all[n].y = fmax(y.low, fmin(y.high, end->y));
        all[n].wanted = (1 - axis_place(&y, all[n].y)) * area->height;
        n++;
    }
    qsort(all, n, sizeof(*all), higher);
    return n;
}

/* ---- in the picture ---- */

const char *shorten(const struct canvas *to, const char *text, double width, double size,
                    char buf[MAX_TITLE])
{
    const size_t most = (size_t)(width / canvas_text_size(to, "x", size));
    size_t n = 0;

    snprintf(buf, MAX_TITLE, "%s", text);
    if (canvas_text_size(to, text, size) <= width || most <= 3)
        return buf;
    for (size_t k = 0; k < most - 3 || ((unsigned char)buf[n] & 0xc0) == 0x80; n++)
        k += ((unsigned char)buf[n] & 0xc0) != 0x80;
    snprintf(buf + n, MAX_TITLE - n, "...");
    return buf;
}

static void draw_name(struct canvas *to, const struct plot_area *area, const char *class,
                      double from_top, double size, const char *name)
{
    const double aside = LEADER + MARKER - 4;
    char text[MAX_TITLE];

    canvas_text(to, (struct look){.class = class, .size = size},
                area->x + area->width + area->aside + aside, area->y + from_top + 0.35 * size,
                shorten(to, name, area->labels - aside, size, text));
    canvas_end_line(to);
}

static void draw_label(struct canvas *to, const struct plot *p, const struct label *l,
                       const struct plot_area *area, double size)
{
    const struct point end = plot_place(p, area, l->curve, l->x, l->y),
                       at = {area->x + area->width + area->aside + LEADER, area->y + l->place};
    const bool ends_early =
        axis_place(&area->x_axis, l->x) < 0.9; /* its line could be taken for a curve */
    char class[32];

    snprintf(class, sizeof(class), "name s%d", l->series % N_SERIES_COLORS);
    canvas_group(to, (struct look){.class = class}, 0, 0, 0);
    canvas_line(to, (struct look){.class = ends_early ? "leader early" : "leader"}, end.x, end.y,
                at.x - 6, at.y);
    draw_plot_marker(to, l->series, at, 3.3, true);
    draw_name(to, area, NULL, l->place, size, p->series[l->series]);
    canvas_end_group(to);
}

void draw_plot_labels(struct canvas *to, const struct plot *p, const struct plot_area *area)
{
    const double height = area->height;
    struct label *all;
    size_t n, shown;
    double size = SIZE;

    if (!has_names(p))
        return;
    all = need(calloc(p->n_series, sizeof(*all)));
    n = find_labels(p, area, all);
    shown = (size_t)fmin((double)n, fmax(1, floor(height / LEAST)));
    if (shown < n)
        shown--;
    if (height / ROW < (double)shown + 1)
        size *= fmax(0.6, height / ROW / ((double)shown + 1));
    spread(all, shown, fmin(ROW, height / (double)(shown + (shown < n))),
           height - (shown < n ? ROW : 0));
    if (p->names[0] != '\0')
        draw_name(to, area, "soft", -ROW, size, p->names);
    for (size_t i = 0; i < shown; i++)
        draw_label(to, p, &all[i], area, size);
    if (shown < n) {
        char more[32];

        snprintf(more, sizeof(more), "and %zu more", n - shown);
        draw_name(to, area, NULL, height, size, more);
    }
    free(all);
}
