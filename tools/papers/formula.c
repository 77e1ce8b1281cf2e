/* SPDX-License-Identifier: MIT */
/* The value of a formula, written as in C: names are parameters of the case in units, functions and
 * definitions of the paper, and $1, $2, ... the numbers among its words. */
#include "papers/paper.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct formula {
    const char *at;
    const struct paper *p;
    const struct paper_case *x;
};

static double choice(struct formula *f);

static bool takes(struct formula *f, const char *token)
{
    f->at += strspn(f->at, " ");
    if (strncmp(f->at, token, strlen(token)) != 0)
        return false;
    f->at += strlen(token);
    return true;
}

/* A parameter of the case: times in units, of a byte and of an element too. */
static bool parameter(const struct paper_case *x, const char *name, double *out)
{
    const struct logp_params *q = &x->c.model.params;
    const struct logp_args *a = &x->c.args;
    const struct {
        const char *name;
        double value;
    } all[] = {{"P", (double)x->P},
               {"k", (double)a->k},
               {"N", (double)a->count},
               {"L", paper_units(x, q->L_ns)},
               {"o", paper_units(x, q->o_send_ns)},
               {"g", paper_units(x, q->g_ns)},
               {"gamma", paper_units(x, q->gamma_ps) / 1000},
               {"pack", paper_units(x, a->pack_ns)},
               {"packed", a->packing == LOGP_PACKING_STRUCTURED},
               /* a vector of doubles that streams */
               {"stream", paper_units(x, logp_params_stream_ns(q, (size_t)a->count * 8))},
               {"T", x->machine != NULL ? (double)x->machine->overhead : 0},
               {"r", x->machine != NULL ? (double)x->machine->delay : 0},
               {"cycle", x->machine != NULL ? (double)x->machine->cycle_ns : 0},
               {"w", x->machine != NULL ? (double)x->machine->width : 0},
               {"none", NAN}};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(all[i].name, name) == 0) {
            *out = all[i].value;
            return true;
        }
    return false;
}

static bool call(struct formula *f, const char *name, double *out)
{
    static const struct {
        const char *name;
        double (*one)(double);
        double (*two)(double, double);
    } all[] = {{"floor", .one = floor}, {"ceil", .one = ceil}, {"sqrt", .one = sqrt},
               {"lg", .one = log2},     {"max", .two = fmax},  {"min", .two = fmin},
               {"mod", .two = fmod}};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(all[i].name, name) == 0 && takes(f, "(")) {
            const double x = choice(f);

            *out = all[i].one != NULL ? all[i].one(x)
                   : takes(f, ",")    ? all[i].two(x, choice(f))
                                      : x;
            takes(f, ")");
            return true;
        }
    return false;
}

static double named(struct formula *f)
{
    char name[32];
    size_t n = 0;
    double x = NAN;

    while (isalnum((unsigned char)f->at[n]) || f->at[n] == '_')
        n++;
    snprintf(name, sizeof(name), "%.*s", (int)n, f->at);
    f->at += n;
    for (int i = f->p->n_lets - 1; i >= 0; i--)
        if (strcmp(f->p->lets[i].name, name) == 0)
            return paper_value_of(f->p, f->x, f->p->lets[i].formula);
    for (const struct paper_function *c = f->p->kind->functions; c->name != NULL; c++)
        if (strcmp(c->name, name) == 0 && c->number != NULL)
            return c->number(f->x);
    return call(f, name, &x) || parameter(f->x, name, &x) ? x : NAN;
}

static double factor(struct formula *f)
{
    double x;

    if (takes(f, "-"))
        return -factor(f);
    if (takes(f, "(")) {
        x = choice(f);
        takes(f, ")");
    } else if (takes(f, "$")) {
        x = paper_number(f->x->words, *f->at++ - '1');
    } else if (isdigit((unsigned char)*f->at)) {
        char *end;

        x = strtod(f->at, &end);
        f->at = end;
    } else {
        x = named(f);
    }
    return x;
}

static double product(struct formula *f)
{
    double x = factor(f);

    for (;;)
        if (takes(f, "*"))
            x *= factor(f);
        else if (takes(f, "/"))
            x /= factor(f);
        else
            return x;
}

static double sum(struct formula *f)
{
    double x = product(f);

    for (;;)
        if (takes(f, "+"))
            x += product(f);
        else if (takes(f, "-"))
            x -= product(f);
        else
            return x;
}

/* "a == b ? x : y"; the condition may also have >= or >, or none */
static double choice(struct formula *f)
{
    double x = sum(f), y, z;

    if (takes(f, "=="))
        x = x == sum(f);
    else if (takes(f, ">="))
        x = x >= sum(f);
    else if (takes(f, ">"))
        x = x > sum(f);
    if (!takes(f, "?"))
        return x;
    y = choice(f);
    takes(f, ":");
    z = choice(f);
    return x != 0 ? y : z;
}

double paper_value_of(const struct paper *p, const struct paper_case *x, const char *formula)
{
    struct formula f = {formula, p, x};

    return choice(&f);
}
