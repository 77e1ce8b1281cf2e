/* SPDX-License-Identifier: MIT */
/* Kurnosov: the models whose costs its figures have, and its formulas. */
#include "papers/paper.h"

/* ---- the models ---- */

const struct kurnosov_model kurnosov_small = {0, 1, 2, 0, 1000},
                            kurnosov_plain = {6, 2, 4, 0, 1000},
                            kurnosov_cluster = {6, 2, 4, 10, 50};

struct paper_case kurnosov_case(const struct paper *p, const char *algorithm, int P, int k,
                                int64_t count, const struct kurnosov_model *model)
{
    const int64_t unit = paper_unit(p, 5000);
    struct paper_case x = {.collective = "reduce",
                           .algorithm = algorithm,
                           .P = P,
                           .unit_ns = unit,
                           .c = {.model.params = paper_params(unit, model->L, model->o, model->g),
                                 .args.count = count,
                                 .args.k = k,
                                 .args.op = logp_op_find("sum", "double")}};

    x.c.model.params.G_ps = model->byte * unit; /* thousandths of a unit in ns are whole ps */
    x.c.model.params.gamma_ps = model->element * unit;
    return x;
}

struct kurnosov_costs kurnosov_costs(const struct paper_case *x)
{
    const struct logp_params *q = &x->c.model.params;
    const double unit = (double)x->unit_ns;
    const double stream =
        (double)logp_params_stream_ns(q, (size_t)x->c.args.count * sizeof(double)) / unit;
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

/* u, v and s as in the paper. It lacks an L. */
double kurnosov_short_first(const struct kurnosov_costs *t, int P, int k)
{
    const int u = (P - 1) / k, v = (P - 1) % k, s = k - v;
    const double apart = fmax(t->b, t->g);

    return (u - 1) * t->a + fmax(s * apart, t->a) + (v - 1) * apart + 2 * t->o + t->c;
}

double kurnosov_t(const struct kurnosov_costs *t, int P, int k)
{
    const int shortest = (P - 1) / k;

    return (shortest + 1) * t->a + (k - 1) * t->b;
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

/* ---- inequalities ---- */

/* Figure 4's model, that of the other figures, and one in which an element takes longer than L. */
static const struct {
    const char *labels;
    const struct kurnosov_model *model;
    int64_t m;
    int inequality;
} ratios[] = {{"2|0,1,2|1", &kurnosov_small, 1, 2},
              {"2|6,2,4|1", &kurnosov_plain, 1, 2},
              {"3|0,1,2|1", &kurnosov_small, 1, 3},
              {"3|6,2,4|10", &kurnosov_plain, 10, 3}};

void kurnosov_inequalities(struct paper *p)
{
    struct paper_table *t = paper_table(p, "Inequalities (2), (3)", "inequality|L,o,g|m", "a/b",
                                        "how much longer a is than b, for m elements of gamma = 1");
    bool holds[2] = {true, true};

    for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
        const struct paper_case x =
            kurnosov_case(p, "kchain", KURNOSOV_P, 1, ratios[i].m, ratios[i].model);
        const struct kurnosov_costs q = kurnosov_costs(&x);
        struct paper_row *row = paper_row(t, "%s", ratios[i].labels);
        bool holds_here;

        row->value[FORMULA] = ratios[i].inequality == 2 ? 1 + (q.o + q.L) / (q.o + q.c) : 2;
        row->value[PREDICTED] = q.a / q.b;
        holds_here = q.a / q.b > 1 &&
                     (ratios[i].inequality == 2 ? fabs(q.a / q.b - row->value[FORMULA]) < 1e-9
                                                : q.o + q.L < q.b && q.a / q.b < 2);
        holds[ratios[i].inequality - 2] &= holds_here;
        paper_remark(row, "%s", holds_here ? "holds" : "does not hold");
    }
    paper_note(t, "Its formulas: (2) 1 < a/b = 1 + (o+L)/(o+gamma) for m = 1; (3) 1 < a/b < 2 "
                  "where o+L < o + m gamma, of which the 2 is shown. Predicted: a/b with a = 2o + "
                  "L + m gamma, b = o + m gamma.");
    paper_judge(p, "(2), 1 < a/b = 1 + (o+L)/(o+gamma) for m = 1", holds[0],
                "for L,o,g = 0,1,2 and 6,2,4");
    paper_judge(p, "(3), 1 < a/b < 2 where o+L < o + m gamma", holds[1],
                "for L,o,g = 0,1,2 with m = 1, and 6,2,4 with m = 10");
}
