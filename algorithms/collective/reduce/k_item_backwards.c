/* SPDX-License-Identifier: MIT */
/*
 * Reduction in pieces along optimal trees, in turn: the block-cyclic broadcast of k pieces backwards.
 * There a processor gets each piece once, and sends it on afterwards; so here it hands each on once,
 * when all that comes of it has been combined. A slot also has the time of a combination.
 * Source: Karp, Sahay, Santos, Schauser, SPAA 1993, ch. 3.
 */
#include "collective/broadcast/k_item.h"
#include "reduce.h"
#include "schedule/reader.h"

#include <errno.h>
#include <stdlib.h>

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    const char *order = lpi_needs_commutative(P, c);

    return order == NULL && P > LPI_TURNS_MOST_P ? "at most 4096 processors" : order;
}

/* Of `size` elements each. */
static struct lpi_pieces pieces_of(const struct logp_invocation *c, int64_t size)
{
    return (struct lpi_pieces){.total = lpi_max(c->args.count, 0),
                               .size = size,
                               .n_bytes = (size_t)lpi_elements_bytes(c, size),
                               .work_ns = lpi_combine_ns(&c->model.params, size)};
}

static struct lpi_pieces few_of(const struct logp_invocation *c, int64_t size)
{
    struct lpi_pieces pieces = pieces_of(c, size);

    pieces.few = true;
    return pieces;
}

static int64_t piece_elements(int64_t P, const struct logp_invocation *c)
{
    return lpi_turns_size(P, c, lpi_max(c->args.count, 0), lpi_elements_asked(c), pieces_of);
}

static int64_t few_elements(int64_t P, const struct logp_invocation *c)
{
    return lpi_turns_size(P, c, lpi_max(c->args.count, 0), lpi_elements_asked(c), few_of);
}

static int64_t block_bytes(int64_t P, const struct logp_invocation *c)
{
    return lpi_elements_bytes(c, piece_elements(P, c));
}

static int64_t few_bytes(int64_t P, const struct logp_invocation *c)
{
    return lpi_elements_bytes(c, few_elements(P, c));
}

LPI_VECTOR_BLOCK(tried_block, block_bytes)
LPI_VECTOR_BLOCK(tried_few, few_bytes)

static int plan_pieces(int P, int rank, struct logp_invocation *c, const struct lpi_pieces *pieces)
{
    const int rc = lpi_vector_valid(c);

    if (rc != 0)
        return rc;
    c->plan.state =
        lpi_turns_create(P, lpi_virtual_rank(rank, c->args.root, P), &c->model.params, pieces);
    c->plan.block = pieces->size;
    c->plan.early = true; /* pieces cross */
    c->plan.scratch_bytes =
        lpi_slot_bytes(pieces->n_bytes) + (rank == c->args.root ? 0 : lpi_vector_bytes(c));
    return c->plan.state != NULL ? 0 : -ENOMEM;
}

static int plan(int P, int rank, struct logp_invocation *c)
{
    const struct lpi_pieces pieces = pieces_of(c, piece_elements(P, c));

    return plan_pieces(P, rank, c, &pieces);
}

static int few_plan(int P, int rank, struct logp_invocation *c)
{
    const struct lpi_pieces pieces = few_of(c, few_elements(P, c));

    return plan_pieces(P, rank, c, &pieces);
}

/* A copy of the operands; then, from the last turn on, two steps for each: a send; or a receive, and
 * the combination with the vector so far. */
static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct lpi_turns *t = c->plan.state;
    const size_t size = lpi_element_bytes(c);
    const struct logp_buffer_ref in = {LOGP_SCRATCH, 0};
    struct logp_buffer_ref all = {LOGP_RECV_BUF, 0};
    const int64_t turn_i = lpi_turns_number(t) - 1 - (i - 1) / 2;
    struct lpi_turn turn;
    int64_t begin, n, peer;

    if (rank != c->args.root)
        all = (struct logp_buffer_ref){
            LOGP_SCRATCH, lpi_slot_bytes((size_t)lpi_elements_bytes(c, c->plan.block))};
    if (i == 0)
        return logp_step_copy(out, all, (struct logp_buffer_ref){LOGP_BUF, 0}, lpi_vector_bytes(c));
    if (turn_i < 0)
        return false;
    turn = lpi_turns_at(t, turn_i);
    if (!turn.acts || (!turn.sends && i % 2 == 0))
        return logp_step_compute(out, 0, 0);
    begin = turn.piece * c->plan.block;
    n = c->args.count - begin < c->plan.block ? c->args.count - begin : c->plan.block;
    peer = lpi_mod(turn.peer + c->args.root, P);
    all.offset += (size_t)begin * size;
    if (!turn.sends)
        return logp_step_send(out, peer, c->args.tag, all.buffer, all.offset, (size_t)n * size);
    if (i % 2 == 1)
        return logp_step_receive(out, peer, c->args.tag, in.buffer, in.offset, (size_t)n * size);
    return logp_step_combine(out, all, all, in, n, lpi_combine_ns(&c->model.params, n));
}

LPI_READER(run, steps)

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("reduce", "k-item", "pieces along optimal trees, in turn", "Karp et al. 1993"),
     .needs = needs, .plan = plan, .steps = steps, .run = run,
     .knobs = {LOGP_KNOB(block_bytes, tried_block)}},
    {LOGP_ALGORITHM("reduce", "k-item-few", "k-item for a few pieces, on trees with more sends",
                    "this library"),
     .needs = needs, .plan = few_plan, .steps = steps, .run = run,
     .knobs = {LOGP_KNOB(block_bytes, tried_few)}},
};

const struct lpi_rows lpi_reduce_k_item = LPI_ROWS(algorithms);
