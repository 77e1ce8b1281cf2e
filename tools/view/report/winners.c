/* SPDX-License-Identifier: MIT */
/* The map of the algorithms predicted to be the best: processors in powers of two, sizes in powers
 * of four, and the points that were run. */
#include "view/report/report.h"

#include <string.h>

enum { MOST_VALUES = 64, USUAL_P = 64, USUAL_SIZE = 1 << 20 };

/* Numbers in ascending order, each once. */
struct values {
    int64_t value[MOST_VALUES];
    size_t n;
};

static void add(struct values *v, int64_t x)
{
    size_t i = v->n;

    while (i > 0 && v->value[i - 1] > x)
        i--;
    if ((i > 0 && v->value[i - 1] == x) || v->n == MOST_VALUES)
        return;
    for (size_t k = v->n++; k > i; k--)
        v->value[k] = v->value[k - 1];
    v->value[i] = x;
}

/* The sizes of the map: the option that gives them, and the size of an element in units of it;
 * element 0: the sizes are bytes of a message */
struct sizing {
    const char *unit; /* NULL: the collective has no sizes */
    int64_t element;
};

static struct sizing sizing_of(const struct question *q, const struct logp_collective *c)
{
    struct sizing s = {size_option(q, c), 0};

    if (s.unit != NULL && c->operands != LOGP_OPERANDS_BYTES)
        s.element = *s.unit == 'b' ? size_unit(q, c) : 1;
    return s;
}

static int64_t size_of(const struct question *q, struct sizing s)
{
    return s.unit == NULL  ? 0
           : s.element > 0 ? q->what.count * s.element
                           : (int64_t)q->what.n_bytes;
}

/* The grid around the points that were run; with a topology, different links or different blocks,
 * only these points. */
static void choose_grid(const struct output *out, struct sizing s, struct values *P,
                        struct values *sizes)
{
    const bool fixed = out->q->model.network.topology != NULL ||
                       out->q->model.network.links != NULL || out->c->args.blocks != NULL;

    for (const struct output *x = out; x != NULL; x = x->next) {
        add(P, x->q->model.P);
        add(sizes, size_of(x->q, s));
    }
    for (int64_t n = 2; !fixed && n <= USUAL_P; n *= 2)
        if (n > out->q->what.root)
            add(P, n);
    for (int64_t n = s.element > 0 ? s.element : 4; !fixed && s.unit != NULL && n <= USUAL_SIZE;
         n *= 4)
        add(sizes, n);
}

static json_int_t index_of(json_t *names, const char *name)
{
    size_t i;
    json_t *its;

    json_array_foreach(names, i, its)
    {
        if (strcmp(json_string_value(its), name) == 0)
            return (json_int_t)i;
    }
    json_array_append_new(names, json_string(name));
    return (json_int_t)i;
}

/* -1: none, or there is no prediction */
static json_int_t winner(const struct output *out, struct sizing s, int64_t P, int64_t size,
                         json_t *names)
{
    struct question q = *out->q;
    const struct logp_algorithm *best = NULL;
    struct problem *problem;
    struct logp_invocation c;
    int64_t ns;

    q.model.P = P;
    q.model.gamma_given = true; /* it was measured where it had to be */
    q.model.gamma_host = false;
    if (s.unit != NULL && s.element == 0)
        q.what.n_bytes = (size_t)size;
    else if (s.unit != NULL)
        q.what.count = size / s.element;
    problem = make_invocation(&q, out->collective, &c);
    if (problem == NULL && q.model.P == P)
        problem = predicted_best(&q, out->collective, &c, &best, &ns);
    free(problem);
    return best != NULL ? index_of(names, best->name) : -1;
}

static json_t *numbers(const struct values *v)
{
    json_t *all = json_array();

    for (size_t i = 0; i < v->n; i++)
        json_array_append_new(all, json_integer(v->value[i]));
    return all;
}

json_t *predicted_winners(const struct output *out)
{
    const struct logp_collective *what = logp_collective_find(out->collective);
    struct sizing s = {NULL, 0};
    json_t *names = json_array(), *rows = json_array();
    struct values P = {.n = 0}, sizes = {.n = 0};

    if (what == NULL || out->q->what.list != NULL || out->n == 0 ||
        (!out->q->model.emulated && out->q->model.plugin == NULL)) {
        json_decref(names);
        json_decref(rows);
        return json_null();
    }
    s = sizing_of(out->q, what);
    choose_grid(out, s, &P, &sizes);
    for (size_t i = 0; i < P.n; i++) {
        json_t *row = json_array();

        for (size_t k = 0; k < sizes.n; k++)
            json_array_append_new(row,
                                  json_integer(winner(out, s, P.value[i], sizes.value[k], names)));
        json_array_append_new(rows, row);
    }
    return json_pack("{ss?sosososo}", "unit", s.unit, "P", numbers(&P), "sizes", numbers(&sizes),
                     "algorithms", names, "best", rows);
}
