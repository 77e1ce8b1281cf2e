/* SPDX-License-Identifier: MIT */
/*
 * The parameters that explain the errors of predictions. A time is the sum of its parameters, each
 * times its count on the critical path: least squares of (measured - predicted) / measured over
 * these counts, first of each parameter alone, then of all together. The paths stay those of the
 * file's parameters.
 */
#include "answer/validate/validate.h"

#include <math.h>
#include <string.h>

struct equation {
    double counts[FITTED]; /* divided by the measured time */
    double off;            /* (measured - predicted) / measured */
};

static bool equation_of(const struct validated_row *row, struct equation *out)
{
    const struct logp_terms *t = &row->terms;
    const double counts[FITTED] = {(double)t->L, (double)t->o_send, (double)t->o_recv,
                                   (double)t->g, (double)t->bytes,  (double)t->elements};
    const double measured = (double)row->measured_ns;
    double any = 0;

    for (int k = 0; k < FITTED; k++)
        any += counts[k];
    if (any == 0 || row->measured_ns <= 0 || row->doubtful)
        return false;
    for (int k = 0; k < FITTED; k++)
        out->counts[k] = counts[k] / measured;
    out->off = (measured - (double)row->predicted_ns) / measured;
    return true;
}

/* The sums of all equations: a x = b, and c: of off^2. */
struct sums {
    double a[FITTED][FITTED], b[FITTED], c;
    size_t n;
};

static void add_up(const struct validated *v, struct sums *s)
{
    struct equation e;

    *s = (struct sums){0};
    for (size_t i = 0; i < v->n; i++)
        for (size_t j = 0; j < v->points[i].n; j++) {
            if (!equation_of(&v->points[i].rows[j], &e))
                continue;
            for (int k = 0; k < FITTED; k++) {
                for (int m = 0; m < FITTED; m++)
                    s->a[k][m] += e.counts[k] * e.counts[m];
                s->b[k] += e.counts[k] * e.off;
            }
            s->c += e.off * e.off;
            s->n++;
        }
}

/* The root mean square of the errors that remain with x added to the parameters. */
static double left_of(const struct sums *s, const double x[FITTED])
{
    double left = s->c;

    for (int k = 0; k < FITTED; k++) {
        left -= 2 * x[k] * s->b[k];
        for (int m = 0; m < FITTED; m++)
            left += x[k] * s->a[k][m] * x[m];
    }
    return sqrt(fmax(left, 0) / (double)s->n);
}

/* Minimise the sum of squares, with no parameter below 0: in each of many rounds, set one parameter
 * after the other to its best value for the current others, which converges. */
static void solve(const struct sums *s, const struct fitted_parameter *fit, double x[FITTED])
{
    const int rounds = 20000;

    for (int i = 0; i < rounds; i++)
        for (int k = 0; k < FITTED; k++) {
            double off = s->b[k];

            if (s->a[k][k] <= 0)
                continue;
            for (int m = 0; m < FITTED; m++)
                off -= m != k ? s->a[k][m] * x[m] : 0;
            x[k] = fmax(off / s->a[k][k], -fit[k].is_ns);
        }
}

void fit_parameters(struct validated *v)
{
    static const char *const names[FITTED] = {"L", "o_send", "o_recv", "g", "G", "gamma"};
    const struct logp_params *p = &v->q->model.network.params;
    const double is[FITTED] = {(double)p->L_ns, (double)p->o_send_ns,   (double)p->o_recv_ns,
                               (double)p->g_ns, (double)p->G_ps / 1000, (double)p->gamma_ps / 1000};
    double all[FITTED] = {0};
    struct sums s;

    add_up(v, &s);
    v->has_fit = s.n > 0;
    if (!v->has_fit)
        return;
    v->error = left_of(&s, all);
    for (int k = 0; k < FITTED; k++) {
        double alone[FITTED] = {0};

        v->fit[k] = (struct fitted_parameter){.name = names[k], .is_ns = is[k]};
        v->fit[k].counts = s.a[k][k] > 0;
        if (v->fit[k].counts)
            alone[k] = fmax(s.b[k] / s.a[k][k], -is[k]);
        v->fit[k].alone_ns = is[k] + alone[k];
        v->fit[k].alone_error = left_of(&s, alone);
    }
    solve(&s, v->fit, all);
    v->fitted_error = left_of(&s, all);
    for (int k = 0; k < FITTED; k++)
        v->fit[k].together_ns = is[k] + all[k];
}
