/* SPDX-License-Identifier: MIT */
/* Kurnosov: its formulas, as they are printed. */
#include "papers/kurnosov.h"

/* The paper's a, b and c, with L and g of a message that streams; B = max(b, g). In units. */
struct costs {
    double a, b, c, o, L, g, B;
};

static struct costs costs_of(const struct paper_case *x)
{
    const struct logp_params *q = &x->c.model.params;
    const size_t n_bytes = (size_t)x->c.args.count * sizeof(double);
    const double stream = paper_units(x, logp_params_stream_ns(q, n_bytes));
    struct costs t = {.c = (double)x->c.args.count * paper_units(x, q->gamma_ps) / 1000,
                      .o = paper_units(x, q->o_send_ns),
                      .L = paper_units(x, q->L_ns) + stream,
                      .g = paper_units(x, q->g_ns) + stream};

    t.a = 2 * t.o + t.L + t.c;
    t.b = t.o + t.c;
    t.B = fmax(t.b, t.g);
    return t;
}

/* floor((P-1)/k) */
static double shortest(const struct paper_case *x)
{
    return (double)((x->P - 1) / x->c.args.k);
}

double kurnosov_long_first(const struct paper_case *x)
{
    const struct costs t = costs_of(x);

    return shortest(x) * t.a + (double)(x->c.args.k - 2) * t.B + 3 * t.o + t.L + 2 * t.c;
}

/* u, v and s as in the paper. It lacks an L. */
double kurnosov_short_first(const struct paper_case *x)
{
    const struct costs t = costs_of(x);
    const double u = shortest(x), v = (double)((x->P - 1) % x->c.args.k);
    const double s = (double)x->c.args.k - v;

    return (u - 1) * t.a + fmax(s * t.B, t.a) + (v - 1) * t.B + 2 * t.o + t.c;
}

double kurnosov_t(const struct paper_case *x)
{
    const struct costs t = costs_of(x);

    return (shortest(x) + 1) * t.a + (double)(x->c.args.k - 1) * t.b;
}

double kurnosov_best(const struct paper_case *x)
{
    const struct costs t = costs_of(x);

    return 2 * sqrt(t.a * t.b * (double)(x->P - 1)) + t.a - t.b;
}

double kurnosov_best_k(const struct paper_case *x)
{
    const struct costs t = costs_of(x);

    return sqrt(t.a * (double)(x->P - 1) / t.b);
}

double kurnosov_adaptive(const struct paper_case *x)
{
    const struct costs t = costs_of(x);

    return t.a + (sqrt(8 * (double)(x->P - 1) + 1) - 1) / 2 * t.B;
}

double kurnosov_binomial(const struct paper_case *x)
{
    const struct costs t = costs_of(x);

    return t.a * log2((double)x->P) + t.b;
}

double kurnosov_figure_1(const struct paper_case *x)
{
    const struct costs t = costs_of(x);

    return paper_number(x->words, 0) == 0 ? 2 * t.g + t.o : t.L + 2 * t.g + 2 * t.o;
}

double kurnosov_begins(const struct paper_case *x)
{
    const struct costs t = costs_of(x);

    return 3 * t.o + 2 * t.L + t.c;
}

double kurnosov_figure_8(const struct paper_case *x)
{
    const struct costs t = costs_of(x);

    return t.a + 3 * t.B;
}

/* For P = 11, k = 4: u = v = s = 2. It begins with 3o + 2L, where the root begins to receive at
 * 3o + 2L + c; its other terms are those of the general form, and o + c of the root. */
double kurnosov_example(const struct paper_case *x)
{
    const struct costs t = costs_of(x);

    return 3 * t.o + 2 * t.L + fmax(2 * t.B, t.a) + t.B + t.o + t.c;
}

double kurnosov_closed(const struct paper_case *x)
{
    const struct costs t = costs_of(x);

    return 7 * t.o + 2 * t.L + 4 * t.c + fmax(t.c, t.L);
}

double kurnosov_longs(const struct paper_case *x)
{
    const struct costs t = costs_of(x);

    return 9 * t.o + 3 * t.L + 6 * t.c;
}

/* ---- inequalities ---- */

double kurnosov_ratio_printed(const struct paper_case *x)
{
    const struct costs t = costs_of(x);

    return paper_number(x->words, 0) == 2 ? 1 + (t.o + t.L) / (t.o + t.c) : 2;
}

double kurnosov_ratio(const struct paper_case *x)
{
    const struct costs t = costs_of(x);

    return t.a / t.b;
}

void kurnosov_try_ratio(struct paper *p, struct paper_table *t, struct paper_row *row,
                        const struct paper_case *x)
{
    const struct costs q = costs_of(x);
    const double ratio = row->value[PREDICTED], printed = row->value[FORMULA];
    const bool holds = paper_number(x->words, 0) == 2 ? fabs(ratio - printed) < 1e-9
                                                      : q.o + q.L < q.b && ratio < 2;

    (void)p;
    (void)t;
    paper_remark(row, ratio > 1 && holds ? "holds" : "does not hold");
}
