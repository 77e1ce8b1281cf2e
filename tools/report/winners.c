/* SPDX-License-Identifier: MIT */
/* The map of who is predicted to be the best: processors and sizes in powers of two and four, and
 * those that were run. */
#include "choice/choice.h"
#include "report/report.h"

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

/* What a size is called; NULL: the collective has none. */
static const char *unit_of(enum logp_operands operands)
{
    if (operands == LOGP_OPERANDS_BYTES)
        return "bytes";
    return operands == LOGP_OPERANDS_VECTOR || operands == LOGP_OPERANDS_TOTAL ? "count" : NULL;
}

static int64_t size_of(const struct options *o, const char *unit)
{
    return unit == NULL ? 0 : *unit == 'b' ? (int64_t)o->n_bytes : o->count;
}

/* Around what was run; of a topology, links that differ, and blocks of different sizes, only that.
 */
static void choose_grid(const struct output *out, const char *unit, struct values *P,
                        struct values *sizes)
{
    const bool fixed =
        out->o->topology != NULL || out->o->links != NULL || out->c->args.blocks != NULL;

    for (const struct output *x = out; x != NULL; x = x->next) {
        add(P, x->o->P);
        add(sizes, size_of(x->o, unit));
    }
    for (int64_t n = 2; !fixed && n <= USUAL_P; n *= 2)
        if (n > out->o->root)
            add(P, n);
    for (int64_t n = unit != NULL && *unit == 'b' ? 4 : 1;
         !fixed && unit != NULL && n <= USUAL_SIZE; n *= 4)
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

static json_int_t winner(const struct output *out, const char *unit, int64_t P, int64_t size,
                         json_t *names)
{
    struct options o = *out->o;
    const struct logp_algorithm *best;
    struct logp_coll c;
    int64_t ns;

    o.P = P;
    o.gamma_given = true; /* it was measured where it had to be */
    o.gamma_host = false;
    if (unit != NULL && *unit == 'b')
        o.n_bytes = (size_t)size;
    else if (unit != NULL)
        o.count = size;
    c = make_coll(&o, out->collective);
    if (o.P != P)
        return -1;
    best = predicted_best(&o, out->collective, &c, &ns);
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
    const char *unit = what != NULL ? unit_of(what->operands) : NULL;
    json_t *names = json_array(), *rows = json_array();
    struct values P = {.n = 0}, sizes = {.n = 0};

    if (what == NULL || out->o->list != NULL || out->n == 0 ||
        (!out->o->emulated && out->o->plugin == NULL)) {
        json_decref(names);
        json_decref(rows);
        return json_null();
    }
    choose_grid(out, unit, &P, &sizes);
    for (size_t i = 0; i < P.n; i++) {
        json_t *row = json_array();

        for (size_t k = 0; k < sizes.n; k++)
            json_array_append_new(
                row, json_integer(winner(out, unit, P.value[i], sizes.value[k], names)));
        json_array_append_new(rows, row);
    }
    return json_pack("{ss?sosososo}", "unit", unit, "P", numbers(&P), "sizes", numbers(&sizes),
                     "algorithms", names, "best", rows);
}
