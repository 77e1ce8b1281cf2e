/* SPDX-License-Identifier: MIT */
/* The collectives that follow the best word of sends and receives: census.c. The barrier is in
 * barrier.c. */
#include "allgather/allgather.h"
#include "collective/collective.h"
#include "predict/predict.h"

#include <string.h>

static const char source[] = "Karp et al. 1993";

static struct lpi_census_cost vector_cost(const struct logp_invocation *c, bool exact)
{
    return (struct lpi_census_cost){.fixed_bytes = lpi_vector_bytes(c),
                                    .combine_ns = lpi_combine_ns(&c->model.params, c->args.count),
                                    .exact = exact};
}

struct lpi_census_cost lpi_census_cost_of(const char *collective, const struct logp_invocation *c)
{
    struct lpi_census_cost cost = {0};

    if (strcmp(collective, "barrier") == 0)
        return cost;
    if (strcmp(collective, "allgather") == 0) {
        cost.rank_bytes = c->args.n_bytes;
        return cost;
    }
    if (strcmp(collective, "reduce-scatter") != 0)
        return vector_cost(c, strcmp(collective, "allreduce") == 0);
    cost.rank_bytes = lpi_vector_bytes(c);
    cost.combine_ns = lpi_combine_ns(&c->model.params, c->args.count);
    cost.backwards = true;
    return cost;
}

/* ---- allgather ---- */

/* The own item is the last in scratch, after those of the ranks before: item P-1-t is that of
 * rank - t. So a window is the end of scratch, and received items extend it to the front. */

static int allgather_plan(int P, int rank, struct logp_invocation *c)
{
    const struct lpi_census_cost cost = lpi_census_cost_of("allgather", c);

    (void)rank;
    c->plan.scratch_bytes = lpi_bytes((size_t)P, c->args.n_bytes);
    return lpi_census_plan(P, c, &cost);
}

static bool allgather_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                            struct logp_step *out)
{
    const struct lpi_census *word = c->plan.state;
    const struct lpi_census_op *op = &word->ops[i > 0 && i <= word->n ? i - 1 : 0];
    const int64_t n = op->carries < P - op->reach ? op->carries : P - op->reach;

    if (i == 0)
        return lpi_copy_items(out, c, lpi_item(c, LOGP_SCRATCH, P - 1), lpi_item(c, LOGP_BUF, 0),
                              1);
    if (i <= word->n)
        return op->sends ? lpi_send_items(out, c, lpi_mod(rank + op->reach, P),
                                          lpi_item(c, LOGP_SCRATCH, P - n), n)
                         : lpi_receive_items(out, c, lpi_mod(rank - op->reach, P),
                                             lpi_item(c, LOGP_SCRATCH, P - op->reach - n), n);
    if (i == word->n + 1)
        return lpi_copy_items(out, c, lpi_item(c, LOGP_RECV_BUF, 0),
                              lpi_item(c, LOGP_SCRATCH, P - 1 - rank), rank + 1);
    return i == word->n + 2 && rank < P - 1 &&
           lpi_copy_items(out, c, lpi_item(c, LOGP_RECV_BUF, rank + 1),
                          lpi_item(c, LOGP_SCRATCH, 0), P - 1 - rank);
}

static const struct logp_algorithm allgathers[] = {
    {LOGP_ALGORITHM("allgather", "census", "the best word of sends and receives, the same on all",
                    source),
     .plan = allgather_plan, .steps = allgather_steps},
};

const struct lpi_rows lpi_census_allgather = LPI_ROWS(allgathers);

/* ---- vectors that are combined ---- */

static int vector_plan(int P, int rank, struct logp_invocation *c)
{
    const struct lpi_census_cost cost = vector_cost(c, false);
    const int rc = lpi_vector_plan(P, rank, c);

    return rc != 0 ? rc : lpi_census_plan(P, c, &cost);
}

/* Where the vector of a window is, and where the next comes, which belongs to its left. */
struct places {
    enum logp_buffer have, in;
};

static void take(struct places *p)
{
    p->have = p->in;
    p->in = p->in == LOGP_RECV_BUF ? LOGP_SCRATCH : LOGP_RECV_BUF;
}

/* Find step i. wraps: rank P - 1 is before rank 0; otherwise windows, and so messages, end at
 * rank 0. */
static bool follow(int64_t P, int64_t rank, const struct logp_invocation *c, bool wraps, int64_t i,
                   struct logp_step *out)
{
    const struct lpi_census *word = c->plan.state;
    struct places at = {LOGP_BUF, LOGP_RECV_BUF};

    for (int k = 0; k < word->n; k++) {
        const struct lpi_census_op *op = &word->ops[k];
        const int64_t peer = op->sends ? rank + op->reach : rank - op->reach;

        if (!wraps && (peer < 0 || peer >= P))
            continue;
        if (op->sends) {
            if (i-- == 0)
                return lpi_send_vector(out, c, lpi_mod(peer, P), at.have);
            continue;
        }
        if (i == 0)
            return lpi_receive_vector(out, c, lpi_mod(peer, P), at.in);
        if (i == 1)
            return lpi_combine_vector(out, c, at.in, at.in, at.have);
        i -= 2;
        take(&at);
    }
    return i == 0 && at.have != LOGP_RECV_BUF &&
           logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, 0},
                          (struct logp_buffer_ref){at.have, 0}, lpi_vector_bytes(c));
}

/* ---- scan ---- */

static bool scan_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    return follow(P, rank, c, false, i, out);
}

static const struct logp_algorithm scans[] = {
    {LOGP_ALGORITHM("scan", "census", "the best word of sends and receives; windows end at rank 0",
                    source),
     .plan = vector_plan, .steps = scan_steps},
};

const struct lpi_rows lpi_census_scan = LPI_ROWS(scans);

/* ---- exscan ---- */

/* The combination of the ranks before is in recv_buf or in the first half of scratch. A message has
 * the own vector as well, and is made in the second half. */

static int exscan_plan(int P, int rank, struct logp_invocation *c)
{
    const int rc = vector_plan(P, rank, c);

    c->plan.scratch_bytes = lpi_bytes(2, lpi_vector_bytes(c));
    return rc;
}

static bool exscan_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                         struct logp_step *out)
{
    const struct lpi_census *word = c->plan.state;
    const size_t bytes = lpi_vector_bytes(c);
    const struct logp_buffer_ref with_own = {LOGP_SCRATCH, bytes}, own = {LOGP_BUF, 0};
    const int64_t ns = lpi_combine_ns(&c->model.params, c->args.count);
    struct places at = {LOGP_SCRATCH, LOGP_RECV_BUF}; /* nothing is there yet */
    bool has = false, is_stale = false;

    for (int k = 0; k < word->n; k++) {
        const struct lpi_census_op *op = &word->ops[k];
        const int64_t peer = op->sends ? rank + op->reach : rank - op->reach;

        if (peer < 0 || peer >= P)
            continue;
        if (op->sends && is_stale && i-- == 0)
            return logp_step_combine(out, with_own, (struct logp_buffer_ref){at.have, 0}, own,
                                     c->args.count, ns);
        if (op->sends) {
            const struct logp_buffer_ref from = has ? with_own : own;

            is_stale = false;
            if (i-- == 0)
                return logp_step_send(out, peer, c->args.tag, from.buffer, from.offset, bytes);
            continue;
        }
        if (i-- == 0)
            return lpi_receive_vector(out, c, peer, at.in);
        if (has && i-- == 0)
            return lpi_combine_vector(out, c, at.in, at.in, at.have);
        take(&at);
        has = is_stale = true;
    }
    return i == 0 && has && at.have != LOGP_RECV_BUF &&
           logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, 0},
                          (struct logp_buffer_ref){at.have, 0}, bytes);
}

static const struct logp_algorithm exscans[] = {
    {LOGP_ALGORITHM("exscan", "census", "as the scan, but for the own vector", source),
     .plan = exscan_plan, .steps = exscan_steps},
};

const struct lpi_rows lpi_census_exscan = LPI_ROWS(exscans);

/* ---- allreduce: windows that make up P ---- */

static const char *allreduce_needs(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_census_cost cost = vector_cost(c, true);
    const char *needs = lpi_needs_commutative(P, c);
    struct lpi_census word;

    if (needs != NULL || lpi_census_find(&word, P, &c->model.params, &cost) != 0)
        return needs; /* out of memory: the plan returns the error */
    return word.found ? NULL : "windows whose sizes make up P";
}

static int allreduce_plan(int P, int rank, struct logp_invocation *c)
{
    const struct lpi_census_cost cost = vector_cost(c, true);
    const int rc = lpi_vector_plan(P, rank, c);

    return rc != 0 ? rc : lpi_census_plan(P, c, &cost);
}

static bool allreduce_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                            struct logp_step *out)
{
    return follow(P, rank, c, true, i, out);
}

static const struct logp_algorithm allreduces[] = {
    {LOGP_ALGORITHM("allreduce", "census", "the best word of sends and receives, the same on all",
                    source),
     .needs = allreduce_needs, .plan = allreduce_plan, .steps = allreduce_steps},
};

const struct lpi_rows lpi_census_allreduce = LPI_ROWS(allreduces);

/* ---- reduce-scatter: the allgather backwards ---- */

/* The combined block comes from the rank to which an allgather sends an item. In scratch the own
 * block is the last, after those of the ranks before; received blocks follow it. The first message
 * of an allgather is the own item, so the last one received here completes the own block. */

static int reduce_scatter_plan(int P, int rank, struct logp_invocation *c)
{
    const struct lpi_census_cost cost = lpi_census_cost_of("reduce-scatter", c);
    const int rc = lpi_vector_plan(P, rank, c);

    c->plan.scratch_bytes = lpi_bytes(2 * (size_t)P, lpi_vector_bytes(c));
    return rc != 0 ? rc : lpi_census_plan(P, c, &cost);
}

static bool reduce_scatter_steps(int64_t P, int64_t rank, const struct logp_invocation *c,
                                 int64_t i, struct logp_step *out)
{
    const struct lpi_census *word = c->plan.state;
    const struct logp_buffer_ref in = lpi_vector_at(c, LOGP_SCRATCH, P);

    if (i == 0)
        return logp_step_copy(out, lpi_vector_at(c, LOGP_SCRATCH, P - 1 - rank),
                              lpi_vector_at(c, LOGP_BUF, 0), lpi_vectors_bytes(c, rank + 1));
    if (i == 1)
        return logp_step_copy(out, lpi_vector_at(c, LOGP_SCRATCH, 0),
                              lpi_vector_at(c, LOGP_BUF, rank + 1),
                              lpi_vectors_bytes(c, P - 1 - rank));
    i -= 2;
    for (int k = word->n - 1; k >= 0; k--) {
        const struct lpi_census_op *op = &word->ops[k];
        const int64_t n = op->carries < P - op->reach ? op->carries : P - op->reach;

        if (!op->sends && i-- == 0)
            return logp_step_send(out, lpi_mod(rank - op->reach, P), c->args.tag, LOGP_SCRATCH,
                                  lpi_vector_at(c, LOGP_SCRATCH, P - op->reach - n).offset,
                                  lpi_vectors_bytes(c, n));
        if (op->sends && i-- == 0)
            return logp_step_receive(out, lpi_mod(rank + op->reach, P), c->args.tag, in.buffer,
                                     in.offset, lpi_vectors_bytes(c, n));
        if (op->sends && i-- == 0) {
            const struct logp_buffer_ref at = lpi_vector_at(c, LOGP_SCRATCH, P - n);
            const int64_t elements = lpi_bound_times(n, c->args.count);

            return logp_step_combine(out, k == 0 ? lpi_vector_at(c, LOGP_RECV_BUF, 0) : at, at, in,
                                     elements, lpi_combine_ns(&c->model.params, elements));
        }
    }
    return P == 1 && i == 0 &&
           logp_step_copy(out, lpi_vector_at(c, LOGP_RECV_BUF, 0),
                          lpi_vector_at(c, LOGP_SCRATCH, 0), lpi_vectors_bytes(c, 1));
}

static const struct logp_algorithm reduce_scatters[] = {
    {LOGP_ALGORITHM("reduce-scatter", "census", "the best word of an allgather, backwards", source),
     .needs = lpi_needs_commutative, .plan = reduce_scatter_plan, .steps = reduce_scatter_steps,
     .in_place = true},
};

const struct lpi_rows lpi_census_reduce_scatter = LPI_ROWS(reduce_scatters);
