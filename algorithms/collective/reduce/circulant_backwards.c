/* SPDX-License-Identifier: MIT */
/*
 * Reduction in n blocks on a circulant graph: the broadcast of its n blocks backwards. There a rank
 * gets each block once, and sends it on afterwards; so here it hands each on once, when all that
 * comes of it has been combined. In n - 1 + ceil(log2 P) rounds for any P.
 * Source: Traeff 2024, Optimal Broadcast Schedules in Logarithmic Time.
 */
#include "collective/collective.h"
#include "reduce.h"
#include "schedule/reader.h"

#include <errno.h>
#include <stdlib.h>

static int64_t element_bytes(const struct logp_invocation *c)
{
    return c->args.op != NULL ? (int64_t)c->args.op->element_bytes : 8;
}

/* Return the block size in bytes: as requested, but at most the vector; by default that of the
 * number of blocks with the best prediction. */
static int64_t block_bytes(int64_t P, const struct logp_invocation *c)
{
    const int64_t size = element_bytes(c), count = c->args.count;
    const size_t bytes = lpi_vector_bytes(c);
    __int128 block = c->args.block_bytes;

    if (block == 0 && count > 0)
        block = (__int128)size * lpi_ceil_div(count, lpi_circulant_blocks(P, &c->model.params,
                                                                          count, (size_t)size, 1));
    return block < (__int128)bytes ? (int64_t)block : (int64_t)bytes;
}

LPI_VECTOR_BLOCK(tried_block, block_bytes)

/* Elements of a block. */
static int64_t block_of(int64_t P, const struct logp_invocation *c)
{
    return lpi_max(block_bytes(P, c) / element_bytes(c), 1);
}

static int64_t blocks_of(int64_t block, const struct logp_invocation *c)
{
    return c->args.count > 0 ? lpi_ceil_div(c->args.count, block) : 1;
}

/* A copy of the operands; then in each round a send, a receive behind the vector so far, and the
 * combination, where there is a block. */
static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct lpi_circulant *s = c->plan.state;
    const int64_t root = c->args.root, v = lpi_mod(rank - root, P);
    const enum logp_buffer acc = rank == root ? LOGP_RECV_BUF : LOGP_SCRATCH;
    const size_t size = (size_t)element_bytes(c);
    const size_t behind = rank == root ? 0 : lpi_vector_bytes(c);
    const int64_t round = s->rounds - 1 - (i - 1) / 3;
    struct lpi_circulant_block b;
    int64_t begin, n;

    if (i == 0)
        return logp_step_copy(out, (struct logp_buffer_ref){acc, 0},
                              (struct logp_buffer_ref){LOGP_BUF, 0}, lpi_vector_bytes(c));
    if (round < 0)
        return false;
    b = (i % 3 == 1 ? lpi_circulant_receive : lpi_circulant_send)(s, P, v, round);
    if (b.block < 0)
        return logp_step_compute(out, 0, 0);
    begin = b.block * c->plan.block;
    n = c->args.count - begin < c->plan.block ? c->args.count - begin : c->plan.block;
    if (i % 3 == 1)
        return logp_step_send(out, lpi_mod(b.peer + root, P), c->args.tag, acc,
                              (size_t)begin * size, (size_t)n * size);
    if (i % 3 == 2)
        return logp_step_receive(out, lpi_mod(b.peer + root, P), c->args.tag, LOGP_SCRATCH, behind,
                                 (size_t)n * size);
    return logp_step_combine(out, (struct logp_buffer_ref){acc, (size_t)begin * size},
                             (struct logp_buffer_ref){acc, (size_t)begin * size},
                             (struct logp_buffer_ref){LOGP_SCRATCH, behind}, n,
                             lpi_combine_ns(&c->model.params, n));
}

LPI_READER(run, steps)

static int plan(int P, int rank, struct logp_invocation *c)
{
    const int valid = lpi_vector_valid(c);
    struct lpi_circulant *s;

    if (valid != 0)
        return valid;
    s = lpi_vector_bytes(c) <= SIZE_MAX / 4 ? malloc(sizeof(*s)) : NULL;
    if (s == NULL)
        return -ENOMEM;
    c->plan.state = s;
    c->plan.block = block_of(P, c);
    c->plan.scratch_bytes = lpi_bytes((size_t)c->plan.block, (size_t)element_bytes(c)) +
                            (rank == c->args.root ? 0 : lpi_vector_bytes(c));
    lpi_circulant_plan(s, P, lpi_virtual_rank(rank, c->args.root, P), blocks_of(c->plan.block, c));
    return 0;
}

static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    const int64_t block = block_of(P, c), n = c->args.count < block ? c->args.count : block;

    if (P == 1)
        return lpi_exact(0);
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_bound(lpi_circulant_at_most(P, &c->model.params, blocks_of(block, c),
                                           lpi_bytes((size_t)n, (size_t)element_bytes(c)),
                                           lpi_combine_ns(&c->model.params, n)));
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("reduce", "circulant", "send blocks to rank - P/2, ..., P/2^q in turn",
                    "Traeff 2024"),
     .needs = lpi_needs_commutative, .plan = plan, .steps = steps, .run = run, .predict = predict,
     .rough = true, .knobs = {LOGP_KNOB(block_bytes, tried_block)}},
};

const struct lpi_rows lpi_reduce_circulant = LPI_ROWS(algorithms);
