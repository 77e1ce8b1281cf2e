/* SPDX-License-Identifier: MIT */
/*
 * The names of series at the ends of their curves: in a column at the right of the plot, in the
 * order of the ends, each as near to its own end as the others leave it; a thin line connects them.
 */
#include "view/plot/palette.h"
#include "view/plot/plot.h"
#include "text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROW = 14,      /* pixels: the height of a name */
    LEAST = 8,     /* its least height; names that do not fit then are left out */
    CHAR = 6,      /* the width of a character */
    LEADER = 16,   /* from the plot to the marker */
    MARKER = 12,   /* from there to the name */
    SHORTEST = 12, /* characters that a name keeps */
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

static size_t characters(const char *text)
{
    size_t n = 0;

    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

int labels_width(const struct plot *p)
{
    size_t longest = has_names(p) ? characters(p->names) : 0;

    for (size_t i = 0; has_names(p) && i < p->n_series; i++)
        if (characters(p->series[i]) > longest)
            longest = characters(p->series[i]);
    return longest > 0 ? LEADER + MARKER + CHAR * (int)longest + 8 : 0;
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
    } *groups = or_end(calloc(n + 1, sizeof(*groups)));
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
        y = plot_is_other(p, c) ? area->other : area->y_axis;
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

/* ---- in the script ---- */

static double at_x(const struct plot_area *area, double x)
{
    return (area->x + x) / area->picture_width;
}

static double at_y(const struct plot_area *area, double y)
{
    return 1 - (area->y + y) / area->picture_height;
}

/* The name, shortened to the width: "scatter-all..." */
static void put_name(struct script *s, const char *name, int pixels)
{
    const size_t fit = pixels / CHAR > SHORTEST ? (size_t)(pixels / CHAR) : SHORTEST;
    char text[160];
    size_t n = 0;

    snprintf(text, sizeof(text), "%s", name);
    if (characters(name) > fit) {
        for (size_t k = 0; k < fit - 3 || ((unsigned char)text[n] & 0xc0) == 0x80; n++)
            k += ((unsigned char)text[n] & 0xc0) != 0x80;
        snprintf(text + n, sizeof(text) - n, "...");
    }
    put_text(s, text, "");
}

static void put_label(struct script *s, const struct plot *p, const struct label *l,
                      const struct plot_area *area, double font)
{
    FILE *const f = s->f;
    const char *color = color_of_series(l->series);
    const double x = at_x(area, area->width + area->aside + LEADER), y = at_y(area, l->place);
    const bool ends_early =
        axis_place(&area->x_axis, l->x) < 0.9; /* its line could be taken for a curve */

    fprintf(f,
            "set arrow from first %.10g, %s %.10g to screen %.5f, screen %.5f nohead lw 0.6 dt %s "
            "lc rgb '%s'\n",
            l->x, plot_is_other(p, l->curve) ? "second" : "first", l->y,
            at_x(area, area->width + area->aside + LEADER - 6), y, ends_early ? "(2,4)" : "1",
            ends_early ? color_of(COLOR_GAP) : color);
    fprintf(f,
            "set label '' at screen %.5f, screen %.5f point pt %d ps 0.8 lc rgb '%s'\nset label ",
            x, y, plot_marker(l->series, true), color);
    put_name(s, p->series[l->series], area->labels - LEADER - MARKER);
    fprintf(f, "at screen %.5f, screen %.5f left font ',%g'\n",
            at_x(area, area->width + area->aside + LEADER + MARKER - 4), y, font);
}

void put_labels(struct script *s, const struct plot *p, const struct plot_area *area, double font)
{
    const double height = area->height;
    const double x = at_x(area, area->width + area->aside + LEADER + MARKER - 4);
    struct label *all;
    size_t n, shown;

    if (!has_names(p))
        return;
    all = or_end(calloc(p->n_series, sizeof(*all)));
    n = find_labels(p, area, all);
    shown = (size_t)fmin((double)n, fmax(1, floor(height / LEAST)));
    if (shown < n)
        shown--;
    if (height / ROW < (double)shown + 1)
        font *= fmax(0.6, height / ROW / ((double)shown + 1));
    spread(all, shown, fmin(ROW, height / (double)(shown + (shown < n))),
           height - (shown < n ? ROW : 0));
    if (p->names[0] != '\0') {
        fputs("set label ", s->f);
        put_name(s, p->names, area->labels - LEADER - MARKER);
        fprintf(s->f, "at screen %.5f, screen %.5f left font ',%g' textcolor rgb '%s'\n", x,
                at_y(area, -ROW), font, color_of(COLOR_SOFT));
    }
    for (size_t i = 0; i < shown; i++)
        put_label(s, p, &all[i], area, font);
    if (shown < n) {
        char more[32];

        snprintf(more, sizeof(more), "and %zu more", n - shown);
        fputs("set label ", s->f);
        put_text(s, more, "");
        fprintf(s->f, "at screen %.5f, screen %.5f left font ',%g'\n", x, at_y(area, height), font);
    }
    free(all);
}
