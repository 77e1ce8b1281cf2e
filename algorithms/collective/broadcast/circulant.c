/* SPDX-License-Identifier: MIT */
/*
 * Broadcast in n blocks on a circulant graph: n - 1 + ceil(log2 P) rounds for any P, which no
 * algorithm with one message a round and rank betters. All ranks but the root get each block once.
 * Source: Traeff 2024, Optimal Broadcast Schedules in Logarithmic Time.
 */
#include "broadcast.h"
#include "collective/collective.h"
#include "schedule/reader.h"

#include <errno.h>
#include <stdlib.h>

/* Return the block size in bytes: as requested, but at most the item; by default that of the number
 * of blocks with the best prediction. */
static int64_t block_bytes(int64_t P, const struct logp_invocation *c)
{
    const int64_t M = lpi_item_bytes(c);

    if (c->args.block_bytes > 0 || M == 0)
        return c->args.block_bytes < M ? c->args.block_bytes : M;
    return lpi_ceil_div(M, lpi_circulant_blocks(P, &c->model.params, M, 1, 0));
}

LPI_ITEM_BLOCK(tried_block, block_bytes)

static int64_t blocks_of(int64_t block, const struct logp_invocation *c)
{
    return block > 0 ? lpi_ceil_div(lpi_item_bytes(c), block) : 1;
}

/* In each round a send and a receive, where there is a block; then the time to process the item. */
static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct lpi_circulant *s = c->plan.state;
    const int64_t v = lpi_mod(rank - c->args.root, P);
    struct lpi_circulant_block b;
    int64_t peer, begin, n;

    if (i / 2 >= s->rounds)
        return i == 2 * s->rounds && logp_step_compute(out, c->args.work_ns, 0);
    b = (i % 2 == 0 ? lpi_circulant_send : lpi_circulant_receive)(s, P, v, i / 2);
    if (b.block < 0)
        return logp_step_compute(out, 0, 0);
    peer = lpi_mod(b.peer + c->args.root, P);
    begin = b.block * c->plan.block;
    n = lpi_item_bytes(c) - begin < c->plan.block ? lpi_item_bytes(c) - begin : c->plan.block;
    return (i % 2 == 0 ? logp_step_send : logp_step_receive)(out, peer, c->args.tag, LOGP_BUF,
                                                             (size_t)begin, (size_t)n);
}

LPI_READER(run, steps)

static int plan(int P, int rank, struct logp_invocation *c)
{
    struct lpi_circulant *s = malloc(sizeof(*s));

    if (s == NULL)
        return -ENOMEM;
    c->plan.state = s;
    c->plan.block = block_bytes(P, c);
    lpi_circulant_plan(s, P, lpi_virtual_rank(rank, c->args.root, P), blocks_of(c->plan.block, c));
    return 0;
}

static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    const int64_t block = block_bytes(P, c);

    if (P == 1)
        return lpi_exact(c->args.work_ns);
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_bound(
        lpi_circulant_at_most(P, &c->model.params, blocks_of(block, c), (size_t)block, 0) +
        c->args.work_ns);
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("broadcast", "circulant", "send blocks to rank + P/2^q, ..., P/2 in turn",
                    "Traeff 2024"),
     .plan = plan, .steps = steps, .run = run, .predict = predict, .rough = true,
     .knobs = {LOGP_KNOB(block_bytes, tried_block), LOGP_KNOB(work_ns, NULL)}},
};

const struct lpi_rows lpi_broadcast_circulant = LPI_ROWS(algorithms);
