/* SPDX-License-Identifier: MIT */
/*
 * Allreduce in groups of k neighbours: a reduce-scatter in each group, after which a rank has the
 * group's combination of one of k parts; an allreduce of that part between the ranks of all groups
 * that have it; and an allgather in the group. Each of the three follows the best word (census.c)
 * for its messages. k = 1 is the row `census`, and k = P a reduce-scatter and an allgather. Values
 * in between suit vectors that are neither short nor long.
 *
 * Parts are as even as can be. In scratch the own part is the last, after those of the ranks before
 * it in the group, so that the parts of a message are contiguous; received parts follow.
 */
#include "allreduce.h"
#include "collective/collective.h"
#include "predict/predict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* plan.state */
struct grouped {
    int64_t k;
    int n_scatter, n_reduce, n; /* operations of the first word; of two; of all three */
    struct lpi_census_op ops[];
};

struct words {
    struct lpi_census scatter, reduce, gather;
};

/* ---- how long it takes about ---- */

static int64_t part_elements(const struct logp_invocation *c, int64_t k)
{
    return lpi_ceil_div(lpi_max(c->args.count, 0), k);
}

static __int128 message(const struct logp_invocation *c, int64_t elements, bool combines)
{
    const struct lpi_times t =
        lpi_times(&c->model.params, lpi_bytes((size_t)elements, lpi_element_bytes(c)));

    return lpi_max(t.D, t.E) + (combines ? lpi_combine_ns(&c->model.params, elements) : 0);
}

/* An estimate: in each round a rank knows twice as many contributions as before. */
static __int128 about(int64_t P, const struct logp_invocation *c, int64_t k)
{
    const int64_t part = part_elements(c, k);
    __int128 T = 0;

    for (int64_t have = 1; have < k; have *= 2) {
        const int64_t n = lpi_bound_times(have < k - have ? have : k - have, part);

        T += message(c, n, true) + message(c, n, false);
    }
    for (int64_t have = 1; have < P / k; have *= 2)
        T += message(c, part, true);
    return T;
}

/* ---- words ---- */

/* 0; -ENOMEM */
static int find(struct words *w, int64_t P, const struct logp_invocation *c, int64_t k)
{
    const int64_t part = part_elements(c, k);
    const size_t bytes = lpi_bytes((size_t)part, lpi_element_bytes(c));
    const int64_t combine = lpi_combine_ns(&c->model.params, part);
    const struct lpi_census_cost scatter = {
        .rank_bytes = bytes, .combine_ns = combine, .backwards = true};
    const struct lpi_census_cost reduce = {
        .fixed_bytes = bytes, .combine_ns = combine, .exact = true};
    const struct lpi_census_cost gather = {.rank_bytes = bytes};
    int rc = lpi_census_find(&w->scatter, k, &c->model.params, &scatter);

    if (rc == 0)
        rc = lpi_census_find(&w->reduce, P / k, &c->model.params, &reduce);
    return rc == 0 ? lpi_census_find(&w->gather, k, &c->model.params, &gather) : rc;
}

/* ---- k ---- */

enum { MOST_SEARCHED = 128 }; /* a search for words of so many ranks takes next to no time */

static __int128 time_of(int64_t P, const struct logp_invocation *c, int64_t k)
{
    struct words w;

    if (P > MOST_SEARCHED || find(&w, P, c, k) != 0)
        return about(P, c, k);
    return w.reduce.found ? w.scatter.time + w.reduce.time + w.gather.time : INT64_MAX;
}

static int64_t group_size(int64_t P, const struct logp_invocation *c)
{
    return lpi_group_size(P, c, time_of);
}

/* All are tried where this is not too much (0). */
static int64_t tried_k(int64_t P, const struct logp_invocation *c)
{
    return lpi_tries_groups(P, c) ? 0 : group_size(P, c);
}

/* At least: k-1 parts come to each rank before the allreduce, a part is sent in it, and k-1 parts come
 * after it. */
static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    const int64_t k = group_size(P, c);
    const int64_t part =
        lpi_bound_bytes(lpi_bytes((size_t)(lpi_max(c->args.count, 0) / k), lpi_element_bytes(c)));
    struct logp_params p = c->model.params;

    p.gap_shared = false;
    return lpi_at_least_ns((k > 1 ? 2 * (__int128)lpi_bound_received(&p, (k - 1) * part) : 0) +
                           (P > k ? lpi_times(&p, (size_t)part).D : 0));
}

/* ---- plans ---- */

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    const char *order = lpi_needs_commutative(P, c);
    const int64_t k = group_size(P, c);
    struct words w;

    if (order != NULL)
        return order;
    if (c->args.k < 0 || P % k != 0)
        return "groups of the same size: a --k that divides P";
    /* out of memory: the plan returns the error */
    return find(&w, P, c, k) != 0 || w.reduce.found ? NULL : "windows whose sizes make up P / k";
}

static void add(struct grouped *g, const struct lpi_census *word)
{
    memcpy(g->ops + g->n, word->ops, (size_t)word->n * sizeof(g->ops[0]));
    g->n += word->n;
}

static int plan(int P, int rank, struct logp_invocation *c)
{
    const int64_t k = group_size(P, c);
    const int valid = lpi_vector_valid(c);
    struct grouped *g;
    struct words w;
    int rc;

    (void)rank;
    if (valid != 0)
        return valid;
    rc = find(&w, P, c, k);
    if (rc == 0 && !w.reduce.found)
        rc = -EINVAL;
    if (rc != 0)
        return rc;
    g = malloc(sizeof(*g) +
               (size_t)(w.scatter.n + w.reduce.n + w.gather.n + 1) * sizeof(g->ops[0]));
    if (g == NULL)
        return -ENOMEM;
    *g = (struct grouped){.k = k};
    add(g, &w.scatter);
    g->n_scatter = g->n;
    add(g, &w.reduce);
    g->n_reduce = g->n;
    add(g, &w.gather);
    c->plan.state = g;
    c->plan.early = true; /* as lpi_census_plan() */
    c->plan.scratch_bytes = lpi_bytes(2, lpi_vector_bytes(c));
    return 0;
}

/* ---- steps ---- */

/* A rank and its group. */
struct place {
    int64_t P, rank, local, k;
    const struct logp_invocation *c;
};

/* Elements of n parts from `first` on, which may go round; 0 <= first < 2 k. */
static int64_t span(const struct place *p, int64_t first, int64_t n)
{
    const int64_t count = p->c->args.count, begin = lpi_mod(first, p->k), end = begin + n;

    return end <= p->k ? lpi_part_begin(count, p->k, end) - lpi_part_begin(count, p->k, begin)
                       : count - lpi_part_begin(count, p->k, begin) +
                             lpi_part_begin(count, p->k, end - p->k);
}

/* n parts in scratch, from slot s on. Slot k - 1 holds the own part. */
struct slots {
    struct logp_buffer_ref at;
    int64_t elements;
    size_t bytes;
};

static struct slots slots_of(const struct place *p, int64_t s, int64_t n)
{
    const size_t element = lpi_element_bytes(p->c);
    const int64_t elements = span(p, p->local + 1 + s, n);

    return (struct slots){{LOGP_SCRATCH, (size_t)span(p, p->local + 1, s) * element},
                          elements,
                          (size_t)elements * element};
}

static struct logp_buffer_ref coming(const struct place *p)
{
    return (struct logp_buffer_ref){LOGP_SCRATCH, lpi_vector_bytes(p->c)};
}

/* Copy between a vector in the order of parts and scratch: copy 0 the parts up to the own one,
 * copy 1 those after it. */
static bool copy(const struct place *p, int64_t which, enum logp_buffer vector, bool into,
                 struct logp_step *out)
{
    const int64_t up_to = p->local + 1;
    const struct slots s =
        which == 0 ? slots_of(p, p->k - up_to, up_to) : slots_of(p, 0, p->k - up_to);
    const struct logp_buffer_ref at = {
        vector, which == 0 ? 0 : (size_t)span(p, 0, up_to) * lpi_element_bytes(p->c)};

    return into ? logp_step_copy(out, s.at, at, s.bytes) : logp_step_copy(out, at, s.at, s.bytes);
}

static int64_t in_group(const struct place *p, int64_t way)
{
    return p->rank - p->local + lpi_mod(p->local + way, p->k);
}

static bool combine(const struct place *p, struct logp_buffer_ref at, struct logp_buffer_ref other,
                    int64_t elements, struct logp_step *out)
{
    return logp_step_combine(out, at, at, other, elements,
                             lpi_combine_ns(&p->c->model.params, elements));
}

/* An operation of the reduce-scatter, which is an allgather backwards; of `steps` it is step i. */
static bool scatter(const struct place *p, const struct lpi_census_op *op, int64_t i,
                    struct logp_step *out)
{
    const int64_t n = op->carries < p->k - op->reach ? op->carries : p->k - op->reach;
    const struct slots mine = slots_of(p, p->k - n, n);

    if (!op->sends) {
        const struct slots theirs = slots_of(p, p->k - op->reach - n, n);

        return logp_step_send(out, in_group(p, -op->reach), p->c->args.tag, LOGP_SCRATCH,
                              theirs.at.offset, theirs.bytes);
    }
    if (i == 0)
        return logp_step_receive(out, in_group(p, op->reach), p->c->args.tag, LOGP_SCRATCH,
                                 coming(p).offset, mine.bytes);
    return combine(p, mine.at, coming(p), mine.elements, out);
}

static bool gather(const struct place *p, const struct lpi_census_op *op, struct logp_step *out)
{
    const int64_t n = op->carries < p->k - op->reach ? op->carries : p->k - op->reach;
    const struct slots s = slots_of(p, p->k - n - (op->sends ? 0 : op->reach), n);

    return (op->sends ? logp_step_send
                      : logp_step_receive)(out, in_group(p, op->sends ? op->reach : -op->reach),
                                           p->c->args.tag, LOGP_SCRATCH, s.at.offset, s.bytes);
}

/* A step between groups, which combines the own part. Each combination swaps the two slots: the
 * one that receives, and the one that holds the result so far. */
static bool reduce(const struct place *p, const struct lpi_census_op *op, bool turned, int64_t i,
                   struct logp_step *out)
{
    const struct slots own = slots_of(p, p->k - 1, 1);
    const struct logp_buffer_ref have = turned ? coming(p) : own.at;
    const struct logp_buffer_ref in = turned ? own.at : coming(p);
    const int64_t way = op->sends ? op->reach : -op->reach;
    const int64_t peer = lpi_mod(p->rank + way * p->k, p->P);

    if (op->sends)
        return logp_step_send(out, peer, p->c->args.tag, have.buffer, have.offset, own.bytes);
    if (i == 0)
        return logp_step_receive(out, peer, p->c->args.tag, in.buffer, in.offset, own.bytes);
    return combine(p, in, have, own.elements, out);
}

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct grouped *g = c->plan.state;
    const struct place p = {P, rank, rank % g->k, g->k, c};
    bool turned = false;

    if (i < 2)
        return copy(&p, i, LOGP_BUF, true, out);
    i -= 2;
    for (int o = g->n_scatter - 1; o >= 0; o--) {
        const int made = g->ops[o].sends ? 2 : 1;

        if (i < made)
            return scatter(&p, &g->ops[o], i, out);
        i -= made;
    }
    for (int o = g->n_scatter; o < g->n_reduce; o++) {
        const int made = g->ops[o].sends ? 1 : 2;

        if (i < made)
            return reduce(&p, &g->ops[o], turned, i, out);
        i -= made;
        turned ^= !g->ops[o].sends;
    }
    if (i-- == 0) {
        const struct slots own = slots_of(&p, p.k - 1, 1);

        return logp_step_copy(out, own.at, turned ? coming(&p) : own.at, turned ? own.bytes : 0);
    }
    if (i < g->n - g->n_reduce)
        return gather(&p, &g->ops[g->n_reduce + i], out);
    i -= g->n - g->n_reduce;
    return i < 2 && copy(&p, i, LOGP_RECV_BUF, false, out);
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("allreduce", "grouped", "reduce-scatter in groups of k, allreduce, allgather",
                    "this library"),
     .needs = needs, .plan = plan, .predict = predict, .steps = steps,
     .knobs = {LOGP_KNOB(k, tried_k)}},
};

const struct lpi_rows lpi_allreduce_grouped = LPI_ROWS(algorithms);
