/* SPDX-License-Identifier: MIT */
/* Reduce: a vector from each processor, combined element by element, on the root. */
#include "predict/predict.h"
#include "reduce.h"

#include <logp/algorithm.h>

static void sizes(int P, int rank, const struct logp_invocation *c, size_t *buf, size_t *recv_buf)
{
    (void)P;
    *buf = lpi_vector_bytes(c);
    *recv_buf = rank == c->args.root ? *buf : 0;
}

static bool postcondition(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t j,
                          struct logp_postcondition *out)
{
    return lpi_vector_promise(rank == c->args.root ? P : 0, c, j, out);
}

static bool in_place(int64_t P, int64_t rank, const struct logp_invocation *c,
                     struct logp_buffer_ref *at)
{
    return lpi_vector_in_place(P, rank, c, at) && rank == c->args.root;
}

/* On its way to the root each operand is combined at least once. */
static int64_t bound(int64_t P, const struct logp_invocation *c)
{
    const int64_t bytes = lpi_bound_bytes(lpi_vector_bytes(c));
    const struct lpi_need need = {.from = lpi_ranks_all(P),
                                  .to = lpi_ranks_one(c->args.root),
                                  .bytes = bytes,
                                  .work_ns = lpi_combine_ns(&c->model.params, 1)};

    return lpi_max(lpi_bound_reduce(&c->model.params, P, bytes, c->args.count),
                   lpi_bound_ways(P, c, &need));
}

const struct logp_collective lpi_reduce = {
    .name = "reduce",
    .summary = "combine a vector of each rank on the root",
    .rooted = true,
    .operands = LOGP_OPERANDS_VECTOR,
    .sizes = sizes,
    .postcondition = postcondition,
    .in_place = in_place,
    .bound = bound,
    .rows =
        (const struct lpi_rows *const[]){
            &lpi_reduce_trees, &lpi_reduce_chains, &lpi_reduce_doublings, &lpi_reduce_pipelined,
            &lpi_reduce_two_tree, &lpi_reduce_rabenseifner, &lpi_reduce_circulant,
            &lpi_reduce_knomial, &lpi_reduce_matched, &lpi_reduce_k_item, &lpi_shared_reduce,
            &lpi_lanes_reduce, &lpi_contained_reduce, NULL},
};
