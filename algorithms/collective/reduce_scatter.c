/* SPDX-License-Identifier: MIT */
/*
 * Reduce-scatter: each processor has a vector of P blocks of count elements; block i of all,
 * combined element by element, ends on rank i. c is the time to combine a block with another.
 */
#include "collective/exchange.h"
#include "predict/predict.h"
#include "schedule/reader.h"

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

    return c->args.blocks != NULL ? lpi_bytes((size_t)elements(c, r), element)
                                  : lpi_vectors_bytes(c, r.n);
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
    const int64_t bytes = lpi_bound_bytes(lpi_vectors_bytes(c, 1));
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

/* Plan scratch for a block like the own one. */
static int plan_own(int P, int rank, struct logp_invocation *c)
{
    (void)P;
    c->plan.scratch_bytes = bytes(c, one(rank));
    return lpi_vector_valid(c);
}

/* Plan scratch for any block: finding the largest would take long, and unused memory costs
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
    const struct lpi_times t = lpi_times(p, lpi_vectors_bytes(c, 1));
    const int64_t combine = lpi_combine_ns(p, c->args.count);
    const int64_t apart =
        lpi_max(p->o_recv_ns + combine, logp_params_gap_ns(p, lpi_vectors_bytes(c, 1)));

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

/* ---- ring: block i - r - 1 is passed on to the right, combined with the own part ---- */

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
    const struct lpi_times t = lpi_times(&c->model.params, lpi_vectors_bytes(c, 1));
    const int64_t once = t.D + lpi_combine_ns(&c->model.params, c->args.count);

    if (P == 1)
        return lpi_exact(0);
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_exact((__int128)(P - 2) * lpi_max(once, t.E) + once);
}

/* ---- recursive-halving: rank xor P/2, P/4, ... gets its half of the blocks left ---- */

/*
 * Return the first block of the j-th of the X. Of a pair (collective.h), the rank that acts for
 * both ends with the blocks of both, one after the other.
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
    /* in scratch: the vector so far, and the received blocks */
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
    return (__int128)lpi_round_at_most(&c->model.params, lpi_vectors_bytes(c, n)) +
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
        return lpi_bound(T + lpi_times(&c->model.params, lpi_vectors_bytes(c, 1)).D);
    for (int64_t d = P / 2; d > 0; d /= 2) {
        lpi_round(&r, &c->model.params, 1, lpi_vectors_bytes(c, d));
        r.free += lpi_combine_ns(&c->model.params, whole(d, c).args.count);
    }
    return lpi_exact(r.free);
}

/* ---- circulant: the further half of the rest goes to rank + P/2, P/4, ..., rounded up ---- */

/* In scratch block j is that of rank + j; received blocks follow. In the round of skip(k), those
 * from there up to skip(k + 1) are sent; as many are received, and combined with the first. */
static bool circulant_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                            struct logp_step *out)
{
    const int64_t k = lpi_ceil_log2(P) - 1 - (i - 2) / 3;
    const struct logp_buffer_ref first = {LOGP_SCRATCH, 0}, in = block(c, LOGP_SCRATCH, P);
    int64_t skip, n;

    if (P == 1)
        return alone(c, i, out);
    if (i == 0)
        return logp_step_copy(out, first, block(c, LOGP_BUF, rank), lpi_vectors_bytes(c, P - rank));
    if (i == 1)
        return logp_step_copy(out, block(c, LOGP_SCRATCH, P - rank), block(c, LOGP_BUF, 0),
                              lpi_vectors_bytes(c, rank));
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
    for (int k = lpi_ceil_log2(P) - 1; k >= 0; k--) {
        const int64_t n = lpi_circulant_skip(P, k + 1) - lpi_circulant_skip(P, k);

        lpi_combining_round(&r, &c->model.params, 1, lpi_vectors_bytes(c, n),
                            lpi_combine_ns(&c->model.params, whole(n, c).args.count));
    }
    return lpi_exact(r.free);
}

/* ---- butterfly: halves with rank xor 1, 2, 4, ..., so in the order of ranks ---- */

/*
 * Of the X ranks that act for all (collective.h) the j-th ends with the part whose number has the
 * bits of j in reverse, and hands it over to the rank that it belongs to. The vector so far and the
 * received blocks are in two halves of scratch, which change places where the received ones belong
 * to the left.
 */
static int64_t mirror(int64_t X, int64_t j)
{
    int64_t mirrored = 0;

    for (int64_t bit = 1; bit < X; bit *= 2, j /= 2)
        mirrored = 2 * mirrored + j % 2;
    return mirrored;
}

static struct range part_of(const struct lpi_fold *f, int64_t first, int64_t n)
{
    const int64_t begin = first_block(f, first);

    return (struct range){begin, first_block(f, first + n) - begin};
}

static bool butterfly_round(int64_t P, const struct lpi_fold *f, const struct logp_invocation *c,
                            int64_t d, int64_t i, struct logp_step *out)
{
    const int64_t n = f->X / (2 * d), peer = f->j ^ d;
    /* the parts that are left of 2 n, all but d - 1 bits of whose number are those of j in reverse */
    const int64_t first = mirror(f->X, f->j % d);
    const struct range mine = part_of(f, first + (f->j & d ? n : 0), n);
    const struct range theirs = part_of(f, first + (f->j & d ? 0 : n), n);
    /* each bit of j below d that is set has made them change places */
    const int64_t at = __builtin_parityll((uint64_t)(f->j % d)) ? P : 0, other = P - at;
    const struct logp_buffer_ref have = block(c, LOGP_SCRATCH, at + mine.first);
    const struct logp_buffer_ref in = block(c, LOGP_SCRATCH, other + mine.first);

    if (i == 0)
        return send_blocks(out, c, lpi_unfold(f, peer), block(c, LOGP_SCRATCH, at + theirs.first),
                           theirs);
    if (i == 1)
        return receive_blocks(out, c, lpi_unfold(f, peer), in, mine);
    return peer < f->j ? combine_blocks(out, c, in, in, have, mine)
                       : combine_blocks(out, c, have, have, in, mine);
}

/* The part that j ends with goes to its rank, or its two ranks, and theirs come. */
static bool hand_over(int64_t P, int64_t rank, const struct lpi_fold *f,
                      const struct logp_invocation *c, int64_t i, struct logp_step *out)
{
    const int64_t m = mirror(f->X, f->j), at = __builtin_parityll((uint64_t)f->j) ? P : 0;
    const struct range part = part_of(f, m, 1);
    const int64_t to = part.first + i;

    if (i < part.n)
        return to == rank ? logp_step_copy(out, block(c, LOGP_RECV_BUF, 0),
                                           block(c, LOGP_SCRATCH, at + rank), bytes(c, one(rank)))
                          : send_blocks(out, c, to, block(c, LOGP_SCRATCH, at + to), one(to));
    return i == part.n && m != f->j &&
           receive_blocks(out, c, lpi_unfold(f, m), block(c, LOGP_RECV_BUF, 0), one(rank));
}

static bool butterfly_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                            struct logp_step *out)
{
    const struct lpi_fold f = lpi_fold_of(P, rank);
    const struct logp_buffer_ref all = block(c, LOGP_SCRATCH, 0), own = block(c, LOGP_BUF, 0);

    if (P == 1)
        return alone(c, i, out);
    if (f.j < 0) { /* the rank that ends with its pair's part has its block */
        const int64_t holder = lpi_unfold(&f, mirror(f.X, rank / 2));

        return i == 0 ? send_blocks(out, c, rank + 1, own, below(P))
                      : i == 1 &&
                            receive_blocks(out, c, holder, block(c, LOGP_RECV_BUF, 0), one(rank));
    }
    if (rank < 2 * f.pairs) {
        if (i < 2)
            return i == 0 ? receive_blocks(out, c, rank - 1, all, below(P))
                          : combine_blocks(out, c, all, all, own, below(P));
        i -= 2;
    } else if (i-- == 0) {
        return logp_step_copy(out, all, own, bytes(c, below(P)));
    }
    for (int64_t d = 1; d < f.X; d *= 2, i -= 3)
        if (i < 3)
            return butterfly_round(P, &f, c, d, i, out);
    return hand_over(P, rank, &f, c, i, out);
}

LPI_READER(butterfly_run, butterfly_steps)

/* ---- pat: an allgather's trees backwards, up to k blocks in a message ---- */

/*
 * In scratch block j is that of rank + j; behind them are the blocks of a message that goes, and of
 * one that comes. At distance d, 1, 2, 4, ..., the blocks d, 3 d, 5 d, ... go to rank + d, which has
 * them at 0, 2 d, 4 d, ...
 */
static bool pat_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                      struct logp_step *out)
{
    const int64_t k = lpi_pat_most(P, c);
    const struct logp_buffer_ref message = block(c, LOGP_SCRATCH, P);

    if (i == 0)
        return logp_step_copy(out, block(c, LOGP_SCRATCH, 0), block(c, LOGP_BUF, rank),
                              lpi_vectors_bytes(c, P - rank));
    if (i == 1)
        return logp_step_copy(out, block(c, LOGP_SCRATCH, P - rank), block(c, LOGP_BUF, 0),
                              lpi_vectors_bytes(c, rank));
    i -= 2;
    for (int64_t d = 1; d < P; d *= 2) {
        const int64_t n = (P - d - 1) / (2 * d) + 1, messages = lpi_ceil_div(n, k);
        const int64_t a_message = k < n ? k : n; /* blocks of all but the last */
        int64_t m = i / 2;

        if (m < messages) {
            const int64_t packed = a_message < n - m * k ? a_message : n - m * k;

            if (i % 2 == 1)
                return send_blocks(out, c, lpi_mod(rank + d, P), message, below(packed));
            logp_step_copy(out, message, block(c, LOGP_SCRATCH, d + 2 * d * m * k),
                           lpi_vectors_bytes(c, 1));
            out->n = packed;
            out->right_stride = lpi_vectors_bytes(c, 2 * d);
            return true;
        }
        i -= 2 * messages;
        m = i / (a_message + 1);
        if (m < messages) {
            const int64_t b = i % (a_message + 1) - 1, come = n - m * k;
            const struct logp_buffer_ref at = block(c, LOGP_SCRATCH, 2 * d * (m * k + b));

            if (b < 0)
                return receive_blocks(out, c, lpi_mod(rank - d, P), message,
                                      below(a_message < come ? a_message : come));
            if (b < come)
                return combine_blocks(out, c, at, at, block(c, LOGP_SCRATCH, P + b), one(0));
            return logp_step_copy(out, message, message, 0);
        }
        i -= messages * (a_message + 1);
    }
    return i == 0 && logp_step_copy(out, block(c, LOGP_RECV_BUF, 0), block(c, LOGP_SCRATCH, 0),
                                    lpi_vectors_bytes(c, 1));
}

static int pat_plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    c->plan.scratch_bytes = lpi_vectors_bytes(c, P + lpi_pat_most(P, c));
    return lpi_vector_valid(c);
}

LPI_NEEDS_BOTH(pat_needs, lpi_needs_commutative, lpi_pat_needs)

/* Where the messages of a round are of one size. */
static struct logp_prediction pat_predict(int64_t P, const struct logp_invocation *c)
{
    const int64_t k = lpi_pat_most(P, c);
    struct lpi_rounds r = LPI_ROUNDS;

    if (P > 1 && c->model.params.gap_shared)
        return lpi_no_prediction();
    for (int64_t d = 1; d < P; d *= 2) {
        const int64_t n = (P - d - 1) / (2 * d) + 1, items = k < n ? k : n;

        if (n % items != 0)
            return lpi_no_prediction();
        lpi_combining_round(
            &r, &c->model.params, n / items, lpi_vectors_bytes(c, items),
            lpi_bound_times(items, lpi_combine_ns(&c->model.params, c->args.count)));
    }
    return lpi_exact(r.free);
}

LPI_NEEDS_BOTH(radix_needs, lpi_needs_commutative, lpi_knomial_needs)

/* ---- recursive-exchange: parts of the blocks left go to k - 1 ranks a round, distance / k ---- */

/* Of n groups from `first` on: blocks in the order of ranks. */
static struct range groups(int64_t P, const struct lpi_exchange *g, int64_t first, int64_t n)
{
    const int64_t begin = lpi_part_begin(P, g->X, first);

    return (struct range){begin, lpi_part_begin(P, g->X, first + n) - begin};
}

static bool exchange_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                           struct logp_step *out)
{
    const struct lpi_exchange g = lpi_exchange_of(P, rank, lpi_knomial_radix(P, c));
    const int64_t n = g.k - 1, each = 2 * g.others;
    const struct logp_buffer_ref all = block(c, LOGP_SCRATCH, 0), in = block(c, LOGP_SCRATCH, P);

    if (rank != g.first)
        return i == 0 ? send_blocks(out, c, g.first, block(c, LOGP_BUF, 0), below(P))
                      : i == 1 &&
                            receive_blocks(out, c, g.first, block(c, LOGP_RECV_BUF, 0), one(rank));
    if (i-- == 0)
        return logp_step_copy(out, all, block(c, LOGP_BUF, 0), bytes(c, below(P)));
    if (i < each)
        return i % 2 == 0 ? receive_blocks(out, c, rank + 1 + i / 2, in, below(P))
                          : combine_blocks(out, c, all, all, in, below(P));
    i -= each;
    for (int64_t d = g.X / g.k; d > 0; d /= g.k, i -= 3 * n) {
        const struct range mine = groups(P, &g, g.j - g.j % d, d);

        if (i < n) {
            const int64_t to = lpi_exchange_peer(&g, d, 1 + i);
            const struct range theirs = groups(P, &g, to - to % d, d);

            return send_blocks(out, c, lpi_part_begin(P, g.X, to),
                               block(c, LOGP_SCRATCH, theirs.first), theirs);
        }
        if (i < 3 * n) {
            const int64_t from = lpi_exchange_peer(&g, d, g.k - 1 - (i - n) / 2);
            const struct logp_buffer_ref at = block(c, LOGP_SCRATCH, mine.first);

            return (i - n) % 2 == 0 ? receive_blocks(out, c, lpi_part_begin(P, g.X, from), in, mine)
                                    : combine_blocks(out, c, at, at, in, mine);
        }
    }
    if (i < g.others)
        return send_blocks(out, c, rank + 1 + i, block(c, LOGP_SCRATCH, rank + 1 + i),
                           one(rank + 1 + i));
    return i == g.others && logp_step_copy(out, block(c, LOGP_RECV_BUF, 0),
                                           block(c, LOGP_SCRATCH, rank), bytes(c, one(rank)));
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
    {LOGP_ALGORITHM("reduce-scatter", "butterfly", "halves with rank xor 1, 2, 4, ..., in order",
                    "Open MPI"),
     .plan = halving_plan, .steps = butterfly_steps, .run = butterfly_run, .any_blocks = true},
    {LOGP_ALGORITHM("reduce-scatter", "pat", "trees of an allgather backwards, k blocks a message",
                    "NCCL 2.23"),
     .needs = pat_needs, .plan = pat_plan, .steps = pat_steps, .predict = pat_predict,
     .knobs = {LOGP_KNOB(k, lpi_pat_most)}},
    {LOGP_ALGORITHM("reduce-scatter", "recursive-exchange",
                    "parts of the rest to k - 1 ranks a round, distance / k", "MPICH"),
     .needs = radix_needs, .plan = halving_plan, .steps = exchange_steps, .any_blocks = true,
     .knobs = {LOGP_KNOB(k, lpi_knomial_k)}},
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
                                         &lpi_shared_reduce_scatter, &lpi_neighbours_reduce_scatter,
                                         &lpi_lanes_reduce_scatter, &lpi_contained_reduce_scatter,
                                         &lpi_torus_rings_reduce_scatter, NULL},
};
