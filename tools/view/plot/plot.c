/* SPDX-License-Identifier: MIT */
/* The contents of a plot. See plot.h. */
#include "view/plot/plot.h"
#include "text/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Make space for one more after n; the capacity is the next power of two. */
static void *one_more(void *all, size_t n, size_t size)
{
    if ((n & (n - 1)) != 0)
        return all;
    all = need(realloc(all, (n == 0 ? 1 : 2 * n) * size));
    return all;
}

static int name_in(char (**names)[128], size_t *n, const char *name)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp((*names)[i], name) == 0)
            return (int)i;
    *names = one_more(*names, *n, sizeof(**names));
    snprintf((*names)[*n], sizeof(**names), "%s", name);
    return (int)(*n)++;
}

int plot_series(struct plot *p, const char *name)
{
    return name_in(&p->series, &p->n_series, name);
}

int plot_row(struct plot *p, const char *name)
{
    return name_in(&p->rows, &p->n_rows, name);
}

static struct plot_curve *curve_of(struct plot *p, enum plot_kind kind, int series)
{
    for (size_t i = 0; i < p->n_curves; i++)
        if (p->curves[i].kind == kind && p->curves[i].series == series)
            return &p->curves[i];
    p->curves = one_more(p->curves, p->n_curves, sizeof(*p->curves));
    p->curves[p->n_curves] = (struct plot_curve){.kind = kind, .series = series};
    return &p->curves[p->n_curves++];
}

void plot_add(struct plot *p, enum plot_kind kind, int series, double x, double y, double low,
              double high)
{
    struct plot_curve *c = curve_of(p, kind, series);

    c->points = one_more(c->points, c->n, sizeof(*c->points));
    c->points[c->n++] = (struct plot_point){x, y, low, high};
}

void plot_free(struct plot *p)
{
    for (size_t i = 0; i < p->n_curves; i++)
        free(p->curves[i].points);
    free(p->curves);
    free(p->series);
    free(p->rows);
}
