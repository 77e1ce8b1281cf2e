/* SPDX-License-Identifier: MIT */
/*
 * The latency tolerance as a picture: by how much the time grows as one parameter grows, a curve for
 * each parameter, up to the last percentage that is shown. The curves are exact, apart from the
 * rounding of G and gamma.
 */
#include "view/records/records.h"
#include "text/problem.h"
#include "view/canvas/picture.h"
#include "view/plot/plot.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_PICTURES = 64, MOST_GROWTH = 100 /* percent of a parameter */ };

static double growth(const struct logp_curve *c, double ps)
{
    return 100 * (ps - (double)c->at_ps) / (double)c->at_ps;
}

/* By how many percent the time is longer than now. */
static double longer(const struct logp_curve *c, double ps)
{
    const double now = (double)logp_curve_ps(c, c->at_ps);
    size_t i = c->n - 1;

    while (i > 0 && (double)c->lines[i].from_ps > ps)
        i--;
    return 100 * ((double)c->lines[i].base_ps + (double)c->lines[i].slope * ps - now) / now;
}

/* The parameters that may grow by a part of themselves. */
static bool is_drawn(const struct logp_explanation *e, enum logp_parameter p, struct logp_curve *c)
{
    return is_shown(&e->params, p) && logp_parameter_ps(p, &e->params) > 0 && curve_of(e, p, c);
}

static double last_percent(void)
{
    const int *percent = tolerated_percents;

    while (percent[1] > 0)
        percent++;
    return *percent;
}

/* Where the curves end: at the largest growth up to MOST_GROWTH that reaches the last percentage. */
static double end_of_axis(const struct logp_explanation *e)
{
    double end = 0;
    struct logp_curve c;

    for (enum logp_parameter p = 0; p < LOGP_PARAMETERS; p++) {
        int64_t ps;

        if (!is_drawn(e, p, &c))
            continue;
        ps = tolerance_ps(&c, (int)last_percent());
        if (ps >= 0 && growth(&c, (double)(c.at_ps + ps)) <= MOST_GROWTH)
            end = fmax(end, growth(&c, (double)(c.at_ps + ps)));
        logp_curve_free(&c);
    }
    return end > 0 ? end : MOST_GROWTH;
}

static void add_curve(struct plot *plot, const struct logp_curve *c, double end)
{
    const int series = plot_series(plot, logp_parameter_name(c->parameter));
    const int64_t last = tolerance_ps(c, (int)last_percent());
    const double to = last < 0 || growth(c, (double)(c->at_ps + last)) > end
                          ? (double)c->at_ps * (1 + end / 100)
                          : (double)(c->at_ps + last);

    plot_add(plot, PLOT_LINE, series, 0, 0, NAN, NAN);
    for (size_t i = 0; i < c->n; i++) {
        const double from = (double)c->lines[i].from_ps;

        if (c->lines[i].from_ps > c->at_ps && from < to)
            plot_add(plot, PLOT_LINE, series, growth(c, from), longer(c, from), NAN, NAN);
    }
    plot_add(plot, PLOT_LINE, series, growth(c, to), longer(c, to), NAN, NAN);
    for (const int *percent = tolerated_percents; *percent > 0; percent++) {
        const int64_t ps = tolerance_ps(c, *percent);

        if (ps >= 0 && (double)(c->at_ps + ps) <= to)
            plot_add(plot, PLOT_CIRCLES, series, growth(c, (double)(c->at_ps + ps)), *percent, NAN,
                     NAN);
    }
}

static struct plot plot_of(const struct question *q, const struct row *row)
{
    const struct logp_explanation *e = row->explained;
    const double end = end_of_axis(e);
    struct plot plot = {.kinds = {[PLOT_LINE] = "T", [PLOT_CIRCLES] = "1, 2 and 5 % longer"},
                        .x_scale = SCALE_LINEAR,
                        .y_scale = SCALE_LINEAR};
    struct logp_curve c;

    snprintf(plot.title, sizeof(plot.title), "%s %s, P = %lld: T = %.3f us", row->algorithm->name,
             row->algorithm->collective, (long long)q->model.P, us(e->ns));
    snprintf(plot.x_axis, sizeof(plot.x_axis), "one parameter is larger by, %%");
    snprintf(plot.y_axis, sizeof(plot.y_axis), "T is longer by, %%");
    for (enum logp_parameter p = 0; e->ns > 0 && p < LOGP_PARAMETERS; p++)
        if (is_drawn(e, p, &c)) {
            add_curve(&plot, &c, end);
            logp_curve_free(&c);
        }
    return plot;
}

struct problem *draw_tolerances(FILE *f, const struct question *q, const struct output *out)
{
    struct plot plots[MOST_PICTURES];
    struct problem *problem = NULL;
    char *svg = NULL;
    size_t size, n = 0;
    FILE *text;

    TRY(check_picture("--format", q->form.format->name));
    for (size_t i = 0; i < out->n && n < MOST_PICTURES; i++)
        if (out->rows[i].explained != NULL) {
            plots[n] = plot_of(q, &out->rows[i]);
            if (plots[n].n_curves > 0)
                n++;
        }
    if (n == 0)
        return usage_problem("--explain: no parameter above 0 is in a time that can be explained, "
                             "so there is no tolerance to draw");
    if (n == 1) {
        plots[0].width = q->form.width;
        plots[0].height = q->form.height;
        if (q->form.title != NULL)
            snprintf(plots[0].title, sizeof(plots[0].title), "%s", q->form.title);
    }
    text = need(open_memstream(&svg, &size));
    draw_plots(text, plots, n, n > 1 ? q->form.title : NULL);
    for (size_t i = 0; i < n; i++)
        plot_free(&plots[i]);
    problem = put_picture(f, close_text(text, &svg), q->form.format->name);
    free(svg);
    return problem;
}
