/* SPDX-License-Identifier: MIT */
/* Kurnosov: the models whose costs its figures have, and its formulas. */
#include "kurnosov.h"

/* ---- the models ---- */

struct logp_params kurnosov_small(int64_t unit)
{
    return (struct logp_params){
        .o_send_ns = unit, .o_recv_ns = unit, .g_ns = 2 * unit, .gamma_ps = unit * 1000};
}

struct logp_params kurnosov_plain(int64_t unit)
{
    return (struct logp_params){.L_ns = 6 * unit,
                                .o_send_ns = 2 * unit,
                                .o_recv_ns = 2 * unit,
                                .g_ns = 4 * unit,
                                .gamma_ps = unit * 1000};
}

struct logp_params kurnosov_cluster(int64_t unit)
{
    return (struct logp_params){.L_ns = 6 * unit,
                                .o_send_ns = 2 * unit,
                                .o_recv_ns = 2 * unit,
                                .g_ns = 4 * unit,
                                .G_ps = unit * 10,
                                .gamma_ps = unit * 50};
}

struct paper_case kurnosov_case(const struct paper *p, const char *algorithm, int P, int k,
                                int64_t count, kurnosov_model model)
{
    const int64_t unit = paper_unit(p, 5000);

    return (struct paper_case){.collective = "reduce",
                               .algorithm = algorithm,
                               .P = P,
                               .unit_ns = unit,
                               .c = {.model.params = model(unit),
                                     .args.count = count,
                                     .args.k = k,
                                     .args.op = logp_op_find("sum", "double")}};
}

struct kurnosov_costs kurnosov_costs(const struct paper_case *x)
{
    const struct logp_params *q = &x->c.model.params;
    const double unit = (double)x->unit_ns;
    const double stream =
        (double)logp_stream_ns(q, (size_t)x->c.args.count * sizeof(double)) / unit;
    struct kurnosov_costs t = {.c = (double)x->c.args.count * (double)q->gamma_ps / 1000 / unit,
                               .o = (double)q->o_send_ns / unit,
                               .L = (double)q->L_ns / unit + stream,
                               .g = (double)q->g_ns / unit + stream};

    t.a = 2 * t.o + t.L + t.c;
    t.b = t.o + t.c;
    return t;
}

/* ---- the paper's formulas ---- */

double kurnosov_long_first(const struct kurnosov_costs *t, int P, int k)
{
    const int shortest = (P - 1) / k;

    return shortest * t->a + (k - 2) * fmax(t->b, t->g) + 3 * t->o + t->L + 2 * t->c;
}

/* It lacks L: with L in the second term it is what ours is where g <= o + c. */
double kurnosov_short_first(const struct kurnosov_costs *t, int P, int k)
{
    const int shortest = (P - 1) / k, longer = (P - 1) % k;

    if (longer == 0)
        return NAN;
    return shortest * t->a + fmax((k - longer) * t->b, t->a - t->L) + (longer - 1) * t->b;
}

double kurnosov_t(const struct kurnosov_costs *t, int P, int k)
{
    const int shortest = (P - 1) / k;

    return (shortest + 1) * t->a + (k - 1) * t->b;
}

double kurnosov_smooth(const struct kurnosov_costs *t, int P, double k)
{
    return ((P - 1) / k + 1) * t->a + (k - 1) * t->b;
}

double kurnosov_best(const struct kurnosov_costs *t, int P)
{
    return 2 * sqrt(t->a * t->b * (P - 1)) + t->a - t->b;
}

double kurnosov_best_k(const struct kurnosov_costs *t, int P)
{
    return sqrt(t->a * (P - 1) / t->b);
}

double kurnosov_adaptive(const struct kurnosov_costs *t, int P)
{
    return t->a + (sqrt(8.0 * (P - 1) + 1) - 1) / 2 * fmax(t->b, t->g);
}

double kurnosov_figure_8(const struct kurnosov_costs *t)
{
    return t->a + 3 * fmax(t->b, t->g);
}

double kurnosov_binomial(const struct kurnosov_costs *t, int P)
{
    return t->a * log2(P) + t->b;
}
