/* SPDX-License-Identifier: MIT */
/*
 * Reduction along two trees (collective.h), each with half of the vector in segments of --block
 * bytes. The broadcast backwards: what a processor has of a segment is complete when both its
 * children have sent theirs, in two steps one after the other, and goes up in the next.
 */
#include "collective/collective.h"
#include "reduce.h"
#include "schedule/reader.h"

/* Elements of a segment. */
static int64_t elements(int64_t P, const struct logp_invocation *c)
{
    return lpi_two_tree_segment(P, c, lpi_max(c->args.count, 0), lpi_elements_asked(c),
                                lpi_vector_hop);
}

static int64_t block(int64_t P, const struct logp_invocation *c)
{
    return lpi_elements_bytes(c, elements(P, c));
}

LPI_VECTOR_BLOCK(tried_block, block)

/* Plan scratch for two segments: the combination so far and, after it, the one to combine with
 * it. */
static int plan(int P, int rank, struct logp_invocation *c)
{
    const int rc = lpi_vector_valid(c);
    const int64_t size = elements(P, c);
    const struct lpi_halves halves = lpi_halves_of(c->args.count, size);
    const struct lpi_hop hop = lpi_vector_hop(c, size);

    c->plan.scratch_bytes =
        rank != c->args.root ? 2 * lpi_slot_bytes((size_t)lpi_elements_bytes(c, size)) : 0;
    return rc != 0 ? rc : lpi_two_tree_plan(P, rank, c, &halves, &hop, false);
}

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct lpi_two_tree *t = c->plan.state;
    struct logp_buffer_ref own = {LOGP_BUF, 0}, all = {LOGP_SCRATCH, 0}, in;
    int64_t segment, part, begin, n;
    const struct lpi_stream *s = lpi_two_tree_at(t, i, &segment, &part);
    size_t bytes;

    if (s == NULL)
        return P == 1 && segment == 0 &&
               logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, 0}, own,
                              lpi_vector_bytes(c));
    begin = lpi_segment_begin(&t->halves, s->half, segment);
    n = lpi_segment_begin(&t->halves, s->half, segment + 1) - begin;
    bytes = (size_t)n * lpi_element_bytes(c);
    own.offset = (size_t)begin * lpi_element_bytes(c);
    if (rank == c->args.root)
        all = (struct logp_buffer_ref){LOGP_RECV_BUF, own.offset};
    if (s->sends) {
        in = s->leaf ? own : all;
        return logp_step_send(out, s->peer, c->args.tag, in.buffer, in.offset, bytes);
    }
    in = all;
    if (!s->first)
        in.offset = c->plan.scratch_bytes / 2;
    if (part == 0)
        return logp_step_receive(out, s->peer, c->args.tag, in.buffer, in.offset, bytes);
    return logp_step_combine(out, all, all, s->first ? own : in, n,
                             lpi_combine_ns(&c->model.params, n));
}

LPI_READER(run, steps)

static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    const int64_t size = elements(P, c);
    const struct lpi_hop hop = lpi_vector_hop(c, size);

    if (P == 1)
        return lpi_exact(0);
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_bound(lpi_two_tree_time(P, lpi_halves_of(lpi_max(c->args.count, 0), size).n, &hop));
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("reduce", "two-tree", "halves along two trees, in segments (--block)",
                    "Sanders, Speck & Traeff 2009"),
     .needs = lpi_needs_commutative, .plan = plan, .steps = steps, .run = run, .predict = predict,
     .rough = true, .knobs = {LOGP_KNOB(block_bytes, tried_block)}},
};

const struct lpi_rows lpi_reduce_two_tree = LPI_ROWS(algorithms);
