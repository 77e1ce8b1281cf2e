/* SPDX-License-Identifier: MIT */
/*
 * Reduce-scatter: each processor has a vector of P blocks of count elements; block i of all,
 * combined element by element, ends on rank i. c is the time to combine a block with another.
 */
#include "collective/collective.h"
#include "predict/predict.h"
#include "schedule/reader.h"

/* n blocks where all are alike; of one, all that lpi_vector_bytes() knows. */
static size_t blocks(const struct logp_invocation *c, int64_t n)
{
    return lpi_bytes((size_t)n, lpi_vector_bytes(c));
}

/* Blocks [first, first + n). */
struct range {
    int64_t first, n;
};

static int64_t elements(const struct logp_invocation *c, struct range r)
{
    return c->args.blocks != NULL ? (int64_t)lpi_blocks_size(c->args.blocks, r.first, r.n)
                                  : r.n * c->args.count;
}

static size_t bytes(const struct logp_invocation *c, struct range r)
{
    const size_t element = c->args.op != NULL ? c->args.op->element_bytes : 8;

    return c->args.blocks != NULL ? lpi_bytes((size_t)elements(c, r), element) : blocks(c, r.n);
}

/* Those below block i; of P, all. */
static struct range below(int64_t i)
{
    return (struct range){0, i};
}

static struct range one(int64_t i)
{
    return (struct range){i, 1};
}

/* The whole vector, as if it were one of P times as many elements. */
static struct logp_invocation whole(int64_t P, const struct logp_invocation *c)
{
    struct logp_invocation v = *c;

    v.args.count = c->args.blocks != NULL          ? elements(c, below(P))
                   : c->args.count < INT64_MAX / P ? P * c->args.count
                                                   : INT64_MAX;
    return v;
}

/* ---- operands and results ---- */

static void sizes(int P, int rank, const struct logp_invocation *c, size_t *buf, size_t *recv_buf)
{
    *buf = bytes(c, below(P));
    *recv_buf = bytes(c, c->args.in_place ? below(P) : one(rank));
}

static bool postcondition(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t j,
                          struct logp_postcondition *out)
{
    out->at.buffer = LOGP_RECV_BUF;
    out->n_bytes = bytes(c, one(rank));
    out->ranks = P;
    out->offset = bytes(c, below(rank));
    out->combined = true;
    return j == 0;
}

/*
 * Something of each vector goes to all, and comes from all, as in an all-to-all of blocks;
 * combined, P - 1 blocks still leave a processor, and come to one on the average. One makes (P-1)
 * count combinations on the average, and the last of its own block when it has heard from all.
 */
static int64_t bound(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const int64_t bytes = lpi_bound_bytes(blocks(c, 1));
    const int64_t d = lpi_bound_out(p, P > 1 ? 2 : 1);
    const int64_t combining = lpi_max(lpi_bound_in(p, P) + lpi_combine_ns(p, 1),
                                      d + lpi_combine_ns(p, lpi_bound_times(P - 1, c->args.count)));
    const struct lpi_need need = {.from = lpi_ranks_all(P),
                                  .to = lpi_ranks_all(P),
                                  .bytes = bytes,
                                  .work_ns = lpi_combine_ns(p, 1),
                                  .each_to = true};

    if (P == 1 || bytes == 0)
        return 0;
    return lpi_max(
        lpi_max(lpi_max(combining, lpi_bound_ways(P, c, &need)), lpi_bound_combined(p, P, 1, P)),
        lpi_max(lpi_bound_scatter(p, P, bytes), lpi_bound_gather(p, P, bytes)));
}

/* ---- steps ---- */

/* Block `at` of a buffer. */
static struct logp_buffer_ref block(const struct logp_invocation *c, enum logp_buffer buffer,
                                    int64_t at)
{
    return (struct logp_buffer_ref){buffer, bytes(c, below(at))};
}

static bool send_blocks(struct logp_step *out, const struct logp_invocation *c, int64_t to,
                        struct logp_buffer_ref from, struct range r)
{
    return logp_step_send(out, to, c->args.tag, from.buffer, from.offset, bytes(c, r));
}

static bool receive_blocks(struct logp_step *out, const struct logp_invocation *c, int64_t from,
                           struct logp_buffer_ref into, struct range r)
{
    return logp_step_receive(out, from, c->args.tag, into.buffer, into.offset, bytes(c, r));
}

/* at = left op right */
static bool combine_blocks(struct logp_step *out, const struct logp_invocation *c,
                           struct logp_buffer_ref at, struct logp_buffer_ref left,
                           struct logp_buffer_ref right, struct range r)
{
    const int64_t n = elements(c, r);

    return logp_step_combine(out, at, left, right, n, lpi_combine_ns(&c->model.params, n));
}

/* One processor has nothing to combine. */
static bool alone(const struct logp_invocation *c, int64_t i, struct logp_step *out)
{
    return i == 0 &&
           logp_step_copy(out, block(c, LOGP_RECV_BUF, 0), block(c, LOGP_BUF, 0), bytes(c, one(0)));
}

/* Room for another of the own blocks. */
static int plan_own(int P, int rank, struct logp_invocation *c)
{
    (void)P;
    c->plan.scratch_bytes = bytes(c, one(rank));
    return lpi_vector_valid(c);
}

/* Room for any block; which is the largest would take long to find, and what is not used costs
 * nothing. */
static int plan_any(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    c->plan.scratch_bytes = bytes(c, c->args.blocks != NULL ? below(P) : one(0));
    return lpi_vector_valid(c);
}

/* ---- linear: all send all blocks, each combines its own in the order of ranks ---- */

static bool linear_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                         struct logp_step *out)
{
    const struct logp_buffer_ref in = {LOGP_SCRATCH, 0}, acc = {LOGP_RECV_BUF, 0};
    const struct logp_buffer_ref own = block(c, LOGP_BUF, rank);
    const int64_t to = lpi_mod(rank + (i < P ? i : 0) + 1, P), from = (i - (P - 1)) / 2;

    if (i < P - 1)
        return send_blocks(out, c, to, block(c, LOGP_BUF, to), one(to));
    i -= P - 1;
    if (from >= P)
        return false;
    if (from == rank && i % 2 == 0)
        return rank == 0 ? logp_step_copy(out, acc, own, bytes(c, one(rank)))
                         : combine_blocks(out, c, acc, acc, own, one(rank));
    if (i % 2 == 0)
        return receive_blocks(out, c, from, from == 0 ? acc : in, one(rank));
    return from == 0 || from == rank ? logp_step_copy(out, acc, acc, 0)
                                     : combine_blocks(out, c, acc, acc, in, one(rank));
}

LPI_READER(linear_run, linear_steps)

/* All has come when the last could have been sent, and is received one after the other. */
static struct logp_prediction linear_predict(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const struct lpi_times t = lpi_times(p, blocks(c, 1));
    const int64_t combine = lpi_combine_ns(p, c->args.count);
    const int64_t apart = lpi_max(p->o_recv_ns + combine, logp_params_gap_ns(p, blocks(c, 1)));

    if (P == 1)
        return lpi_exact(0);
    if (p->gap_shared)
        return lpi_no_prediction();
    return lpi_bound((P - 2) * ((__int128)t.E + apart) + t.D + 2 * (__int128)combine);
}

/* ---- pairwise: in phase r send rank + r its block, receive one's own from rank - r ---- */

static bool pairwise_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                           struct logp_step *out)
{
    const int64_t r = i / 3 + 1, to = lpi_mod(rank + r, P);
    const struct logp_buffer_ref in = {LOGP_SCRATCH, 0}, acc = {LOGP_RECV_BUF, 0};

    if (P == 1)
        return alone(c, i, out);
    if (r >= P)
        return false;
    if (i % 3 == 0)
        return send_blocks(out, c, to, block(c, LOGP_BUF, to), one(to));
    if (i % 3 == 1)
        return receive_blocks(out, c, lpi_mod(rank - r, P), in, one(rank));
    return combine_blocks(out, c, acc, r == 1 ? block(c, LOGP_BUF, rank) : acc, in, one(rank));
}

LPI_READER(pairwise_run, pairwise_steps)

/* ---- ring: block i - r - 1 goes on to the right, with one's own part of it ---- */

static bool ring_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    const int64_t r = i / 3;
    const int64_t sent = lpi_mod(lpi_mod(rank - 1, P) - r, P), got = lpi_mod(sent - 1, P);
    const struct logp_buffer_ref in = {LOGP_SCRATCH, 0};

    if (P == 1)
        return alone(c, i, out);
    if (r >= P - 1)
        return false;
    if (i % 3 == 0)
        return send_blocks(out, c, lpi_mod(rank + 1, P), r == 0 ? block(c, LOGP_BUF, sent) : in,
                           one(sent));
    if (i % 3 == 1)
        return receive_blocks(out, c, lpi_mod(rank - 1, P), in, one(got));
    if (r < P - 2)
        return combine_blocks(out, c, in, in, block(c, LOGP_BUF, got), one(got));
    return combine_blocks(out, c, block(c, LOGP_RECV_BUF, 0), block(c, LOGP_BUF, got), in,
                          one(got));
}

LPI_READER(ring_run, ring_steps)

/* Both take P-1 rounds of a block and its combination: (P-2) max(D + c, E) + D + c. */
static struct logp_prediction rounds_predict(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, blocks(c, 1));
    const int64_t once = t.D + lpi_combine_ns(&c->model.params, c->args.count);

    if (P == 1)
        return lpi_exact(0);
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_exact((__int128)(P - 2) * lpi_max(once, t.E) + once);
}

/* ---- recursive-halving: the half of what is left that rank xor P/2, P/4, ... is in ---- */

/*
 * With pairs (vector.h), the one that stands for both ends with the blocks of both, one after the
 * other. Block i belongs to the X from that of lpi_unfold() on.
 */
static int64_t first_block(const struct lpi_fold *f, int64_t j)
{
    return j < f->pairs ? 2 * j : j + f->pairs;
}

static bool halving_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                          struct logp_step *out)
{
    const struct lpi_fold f = lpi_fold_of(P, rank);
    const bool paired = rank < 2 * f.pairs;
    /* in scratch: the vector so far, and what comes */
    const struct logp_buffer_ref in = block(c, LOGP_SCRATCH, P), acc = {LOGP_SCRATCH, 0};
    bool first = !paired;
    int64_t d;

    if (P == 1)
        return alone(c, i, out);
    if (f.j < 0) {
        if (i == 0)
            return send_blocks(out, c, rank + 1, block(c, LOGP_BUF, 0), below(P));
        return i == 1 && receive_blocks(out, c, rank + 1, block(c, LOGP_RECV_BUF, 0), one(rank));
    }
    if (paired && i < 2)
        return i == 0 ? receive_blocks(out, c, rank - 1, in, below(P))
                      : combine_blocks(out, c, acc, in, block(c, LOGP_BUF, 0), below(P));
    i -= paired ? 2 : 0;
    for (d = f.X / 2; i >= 3 && d > 0; d /= 2) {
        i -= 3;
        first = false;
    }
    if (d > 0) {
        const int64_t mine = first_block(&f, f.j & -d), theirs = first_block(&f, (f.j ^ d) & -d);
        const struct range r = {mine, first_block(&f, (f.j & -d) + d) - mine};
        const struct logp_buffer_ref had = block(c, first ? LOGP_BUF : LOGP_SCRATCH, mine);

        if (i == 0)
            return send_blocks(
                out, c, lpi_unfold(&f, f.j ^ d), block(c, first ? LOGP_BUF : LOGP_SCRATCH, theirs),
                (struct range){theirs, first_block(&f, ((f.j ^ d) & -d) + d) - theirs});
        if (i == 1)
            return receive_blocks(out, c, lpi_unfold(&f, f.j ^ d), in, r);
        return combine_blocks(out, c, block(c, LOGP_SCRATCH, mine), had, in, r);
    }
    if (i-- == 0)
        return logp_step_copy(out, block(c, LOGP_RECV_BUF, 0), block(c, LOGP_SCRATCH, rank),
                              bytes(c, one(rank)));
    return paired && i == 0 &&
           send_blocks(out, c, rank - 1, block(c, LOGP_SCRATCH, rank - 1), one(rank - 1));
}

LPI_READER(halving_run, halving_steps)

/* The vector so far, and as much again. */
static int halving_plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    c->plan.scratch_bytes = lpi_bytes(2, bytes(c, below(P)));
    return lpi_vector_valid(c);
}

/* n blocks are sent, and combined. */
static __int128 round_at_most(const struct logp_invocation *c, int64_t n)
{
    return (__int128)lpi_round_at_most(&c->model.params, blocks(c, n)) +
           lpi_combine_ns(&c->model.params, whole(n, c).args.count);
}

/* P = 2^x; else not all do the same, and this is how long it takes at most. */
static struct logp_prediction halving_predict(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_fold f = lpi_fold_of(P, P - 1);
    struct lpi_rounds r = LPI_ROUNDS;
    __int128 T = round_at_most(c, P);

    if (P > 1 && c->model.params.gap_shared)
        return lpi_no_prediction();
    for (int64_t d = f.X / 2; f.pairs > 0 && d > 0; d /= 2)
        T += round_at_most(c, 2 * d);
    if (f.pairs > 0)
        return lpi_bound(T + lpi_times(&c->model.params, blocks(c, 1)).D);
    for (int64_t d = P / 2; d > 0; d /= 2) {
        lpi_round(&r, &c->model.params, 1, blocks(c, d));
        r.free += lpi_combine_ns(&c->model.params, whole(d, c).args.count);
    }
    return lpi_exact(r.free);
}

/* ---- circulant: the further half of what is left goes to rank + P/2, P/4, ..., rounded up ---- */

/* In scratch block j is that of rank + j; behind them is what comes. In the round of skip(k), those
 * from there up to skip(k + 1) are sent; as many come, and are combined with the first. */
static bool circulant_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                            struct logp_step *out)
{
    const int64_t k = lpi_circulant_rounds(P) - 1 - (i - 2) / 3;
    const struct logp_buffer_ref first = {LOGP_SCRATCH, 0}, in = block(c, LOGP_SCRATCH, P);
    int64_t skip, n;

    if (P == 1)
        return alone(c, i, out);
    if (i == 0)
        return logp_step_copy(out, first, block(c, LOGP_BUF, rank), blocks(c, P - rank));
    if (i == 1)
        return logp_step_copy(out, block(c, LOGP_SCRATCH, P - rank), block(c, LOGP_BUF, 0),
                              blocks(c, rank));
    if (k < 0)
        return false;
    skip = lpi_circulant_skip(P, k);
    n = lpi_circulant_skip(P, k + 1) - skip;
    if (i % 3 == 2)
        return send_blocks(out, c, lpi_mod(rank + skip, P), block(c, LOGP_SCRATCH, skip), below(n));
    if (i % 3 == 0)
        return receive_blocks(out, c, lpi_mod(rank - skip, P), in, below(n));
    return combine_blocks(out, c, k == 0 ? block(c, LOGP_RECV_BUF, 0) : first, first, in, below(n));
}

LPI_READER(circulant_run, circulant_steps)

static struct logp_prediction circulant_predict(int64_t P, const struct logp_invocation *c)
{
    struct lpi_rounds r = LPI_ROUNDS;

    if (P > 1 && c->model.params.gap_shared)
        return lpi_no_prediction();
    for (int k = lpi_circulant_rounds(P) - 1; k >= 0; k--) {
        const int64_t n = lpi_circulant_skip(P, k + 1) - lpi_circulant_skip(P, k);

        lpi_combining_round(&r, &c->model.params, 1, blocks(c, n),
                            lpi_combine_ns(&c->model.params, whole(n, c).args.count));
    }
    return lpi_exact(r.free);
}

/* ---- the rows ---- */

static const char thakur[] = "Thakur et al. 2005";

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("reduce-scatter", "linear", "all to all, combined in the order of ranks",
                    "Open MPI"),
     .plan = plan_own, .steps = linear_steps, .run = linear_run, .predict = linear_predict,
     .rough = true, .any_blocks = true},
    {LOGP_ALGORITHM("reduce-scatter", "pairwise", "send to i + r, receive from i - r", thakur),
     .needs = lpi_needs_commutative, .plan = plan_own, .steps = pairwise_steps, .run = pairwise_run,
     .predict = rounds_predict, .any_blocks = true},
    {LOGP_ALGORITHM("reduce-scatter", "ring", "each block goes round once and is combined",
                    "Open MPI"),
     .needs = lpi_needs_commutative, .plan = plan_any, .steps = ring_steps, .run = ring_run,
     .predict = rounds_predict, .in_place = true, .any_blocks = true},
    {LOGP_ALGORITHM("reduce-scatter", "recursive-halving", "recursive halving", thakur),
     .needs = lpi_needs_commutative, .plan = halving_plan, .steps = halving_steps,
     .run = halving_run, .predict = halving_predict, .rough = true, .in_place = true,
     .any_blocks = true},
    {LOGP_ALGORITHM("reduce-scatter", "circulant", "circulant halving, any P", "Traeff 2024"),
     .needs = lpi_needs_commutative, .plan = halving_plan, .steps = circulant_steps,
     .run = circulant_run, .predict = circulant_predict},
};

const struct logp_collective lpi_reduce_scatter = {
    .name = "reduce-scatter",
    .summary = "combine a vector of each rank; a block to each",
    .operands = LOGP_OPERANDS_VECTOR,
    .sizes = sizes,
    .postcondition = postcondition,
    .in_place = lpi_vector_in_place,
    .bound = bound,
    .rows =
        (const struct lpi_rows *const[]){&(const struct lpi_rows)LPI_ROWS(algorithms),
                                         &lpi_census_reduce_scatter, &lpi_two_level_reduce_scatter,
                                         &lpi_shared_reduce_scatter, NULL},
};
