/* SPDX-License-Identifier: MIT */
/* Broadcast along two trees (collective.h), each with half of the item in segments of --block bytes.
 */
#include "broadcast.h"
#include "collective/collective.h"
#include "schedule/reader.h"

static struct lpi_hop hop_of(const struct logp_invocation *c, int64_t size)
{
    return lpi_hop_of(&c->model.params, (size_t)size, 0);
}

static int64_t block(int64_t P, const struct logp_invocation *c)
{
    return lpi_two_tree_segment(P, c, lpi_item_bytes(c), c->args.block_bytes, hop_of);
}

LPI_ITEM_BLOCK(tried_block, block)

static int plan(int P, int rank, struct logp_invocation *c)
{
    const int64_t size = block(P, c);
    const struct lpi_halves halves = lpi_halves_of(lpi_item_bytes(c), size);
    const struct lpi_hop hop = hop_of(c, size);

    return lpi_two_tree_plan(P, rank, c, &halves, &hop, true);
}

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct lpi_two_tree *t = c->plan.state;
    int64_t segment, part, begin, n;
    const struct lpi_stream *s = lpi_two_tree_at(t, i, &segment, &part);

    (void)P, (void)rank;
    if (s == NULL)
        return segment == 0 && c->args.work_ns > 0 && logp_step_compute(out, c->args.work_ns, 0);
    begin = lpi_segment_begin(&t->halves, s->half, segment);
    n = lpi_segment_begin(&t->halves, s->half, segment + 1) - begin;
    return (s->sends ? logp_step_send : logp_step_receive)(out, s->peer, c->args.tag, LOGP_BUF,
                                                           (size_t)begin, (size_t)n);
}

LPI_READER(run, steps)

static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    const int64_t size = block(P, c);
    const struct lpi_hop hop = hop_of(c, size);

    if (P == 1)
        return lpi_exact(c->args.work_ns);
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_bound(lpi_two_tree_time(P, lpi_halves_of(lpi_item_bytes(c), size).n, &hop) +
                     c->args.work_ns);
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("broadcast", "two-tree", "halves along two trees, in segments (--block)",
                    "Sanders, Speck & Traeff 2009"),
     .plan = plan, .steps = steps, .run = run, .predict = predict, .rough = true,
     .knobs = {LOGP_KNOB(block_bytes, tried_block), LOGP_KNOB(work_ns, NULL)}},
};

const struct lpi_rows lpi_broadcast_two_tree = LPI_ROWS(algorithms);
