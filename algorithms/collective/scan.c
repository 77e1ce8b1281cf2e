/* SPDX-License-Identifier: MIT */
/*
 * Scan: each processor gets the vectors of ranks 0 up to its own combined in their order; exscan:
 * those of the ranks below it, which rank 0 has none of. c is the time to combine two vectors.
 */
#include "predict/predict.h"
#include "schedule/reader.h"
#include "collective/collective.h"

/* ---- operands and results ---- */

static bool postcondition_scan(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t j,
                               struct logp_postcondition *out)
{
    (void)P;
    return lpi_vector_promise(rank + 1, c, j, out);
}

static bool postcondition_exscan(int64_t P, int64_t rank, const struct logp_invocation *c,
                                 int64_t j, struct logp_postcondition *out)
{
    (void)P;
    return lpi_vector_promise(rank, c, j, out);
}

/* The last rank gets a reduction; the vector of rank 0 is part of all results; and each vector is
 * part of the results of the ranks above. */
static int64_t scan_bound(int64_t P, const struct logp_invocation *c)
{
    const int64_t bytes = lpi_bound_bytes(lpi_vector_bytes(c));
    const struct lpi_need need = {.from = lpi_ranks_all(P),
                                  .to = lpi_ranks_all(P),
                                  .bytes = bytes,
                                  .work_ns = lpi_combine_ns(&c->model.params, 1),
                                  .up = true};

    return lpi_max(
        lpi_max(lpi_bound_reduce(&c->model.params, P, bytes, c->args.count),
                lpi_bound_broadcast(&c->model.params, P, bytes)),
        lpi_max(lpi_bound_prefix(&c->model.params, P, bytes), lpi_bound_ways(P, c, &need)));
}

/* The last rank contributes nothing, and gets the result of the P - 1 below it: the rank that makes
 * its last combination has heard from all of these. */
static int64_t exscan_bound(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const int64_t bytes = lpi_bound_bytes(lpi_vector_bytes(c));
    const int64_t last = P > 2 ? lpi_bound_in(p, P - 1) + lpi_combine_ns(p, 1) : 0;
    const struct lpi_need need = {
        .from = lpi_ranks_all(P), .to = lpi_ranks_all(P), .bytes = bytes, .up = true};
    int64_t T;

    if (P == 1 || bytes == 0)
        return 0;
    T = lpi_max(lpi_max(last, lpi_bound_combined(p, P, c->args.count, P - 1)),
                lpi_max(lpi_bound_broadcast(p, P, bytes), lpi_bound_reduce(p, P, bytes, 0)));
    return lpi_max(T, lpi_max(lpi_bound_prefix(p, P, bytes), lpi_bound_ways(P, c, &need)));
}

/* ---- steps ---- */

static bool copy_vector(struct logp_step *out, const struct logp_invocation *c, enum logp_buffer at,
                        enum logp_buffer from)
{
    return logp_step_copy(out, (struct logp_buffer_ref){at, 0}, (struct logp_buffer_ref){from, 0},
                          lpi_vector_bytes(c));
}

/* ---- linear: each rank sends to the next rank ---- */

static bool linear_scan_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                              struct logp_step *out)
{
    if (rank == 0 && i-- == 0)
        return copy_vector(out, c, LOGP_RECV_BUF, LOGP_BUF);
    if (rank > 0 && i-- == 0)
        return lpi_receive_vector(out, c, rank - 1, LOGP_RECV_BUF);
    if (rank > 0 && i-- == 0)
        return lpi_combine_vector(out, c, LOGP_RECV_BUF, LOGP_RECV_BUF, LOGP_BUF);
    return rank < P - 1 && i == 0 && lpi_send_vector(out, c, rank + 1, LOGP_RECV_BUF);
}

LPI_READER(linear_scan_run, linear_scan_steps)

static bool linear_exscan_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                                struct logp_step *out)
{
    if (rank > 0 && i-- == 0)
        return lpi_receive_vector(out, c, rank - 1, LOGP_RECV_BUF);
    if (rank == P - 1)
        return false;
    if (rank == 0)
        return i == 0 && lpi_send_vector(out, c, 1, LOGP_BUF);
    if (i == 0)
        return copy_vector(out, c, LOGP_SCRATCH, LOGP_RECV_BUF);
    if (i == 1)
        return lpi_combine_vector(out, c, LOGP_SCRATCH, LOGP_SCRATCH, LOGP_BUF);
    return i == 2 && lpi_send_vector(out, c, rank + 1, LOGP_SCRATCH);
}

LPI_READER(linear_exscan_run, linear_exscan_steps)

/* (P-1) (D + c); with the shared gap a send after a combination may still have to wait. */
static struct logp_prediction linear_scan_predict(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, lpi_vector_bytes(c));
    const int64_t combine = lpi_combine_ns(&c->model.params, c->args.count);

    if (P > 1 && c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_exact((__int128)(P - 1) * (t.D + combine));
}

/* (P-1) D + (P-2) c */
static struct logp_prediction linear_exscan_predict(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, lpi_vector_bytes(c));
    const int64_t combine = lpi_combine_ns(&c->model.params, c->args.count);

    if (P > 1 && c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_exact(P > 1 ? (__int128)(P - 1) * t.D + (__int128)(P - 2) * combine : 0);
}

/* ---- in rounds ---- */

/*
 * The vector so far, and where the next comes, which belongs to its left: so the result is where
 * that has come to, and recv_buf and scratch take turns.
 */
struct turns {
    enum logp_buffer have, in;
};

static const struct turns at_first = {LOGP_BUF, LOGP_RECV_BUF}; /* of a scan */

static struct turns next_turn(struct turns t)
{
    return (struct turns){t.in, t.in == LOGP_RECV_BUF ? LOGP_SCRATCH : LOGP_RECV_BUF};
}

static bool combine_turn(struct logp_step *out, const struct logp_invocation *c, struct turns t)
{
    return lpi_combine_vector(out, c, t.in, t.in, t.have);
}

/* In the end. */
static bool copy_turn(struct logp_step *out, const struct logp_invocation *c, struct turns t)
{
    return t.have != LOGP_RECV_BUF && copy_vector(out, c, LOGP_RECV_BUF, t.have);
}

/* `rounds` of a message and a combination, at most. */
static __int128 rounds_at_most(const struct logp_invocation *c, int rounds)
{
    const struct logp_params *p = &c->model.params;
    const int64_t combine = lpi_combine_ns(p, c->args.count);
    const __int128 once = (__int128)lpi_round_at_most(p, lpi_vector_bytes(c)) + combine;

    return rounds > 0 ? (rounds - 1) * once + lpi_times(p, lpi_vector_bytes(c)).D + combine : 0;
}

static struct logp_prediction scan_at_most(int64_t P, const struct logp_invocation *c, int rounds)
{
    if (P == 1)
        return lpi_exact(0);
    return c->model.params.gap_shared ? lpi_no_prediction() : lpi_bound(rounds_at_most(c, rounds));
}

/* ---- doubling: the result so far goes to rank + 1, 2, 4, ... (Hillis and Steele) ---- */

/* The scan of ranks `first` .. P - 1. At distance d a rank has what the d ranks up to its own make;
 * it sends that on. */
static bool doubling(int64_t P, int64_t first, int64_t rank, const struct logp_invocation *c,
                     struct turns t, int64_t i, struct logp_step *out)
{
    for (int64_t d = 1; d < P - first; d *= 2) {
        const bool sends = rank + d < P, receives = rank - first >= d;

        if (sends && i-- == 0)
            return lpi_send_vector(out, c, rank + d, t.have);
        if (receives && i-- == 0)
            return lpi_receive_vector(out, c, rank - d, t.in);
        if (receives && i-- == 0)
            return combine_turn(out, c, t);
        if (receives)
            t = next_turn(t);
    }
    return i == 0 && copy_turn(out, c, t);
}

static bool doubling_scan_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                                struct logp_step *out)
{
    return doubling(P, 0, rank, c, at_first, i, out);
}

LPI_READER(doubling_scan_run, doubling_scan_steps)

static struct logp_prediction doubling_scan_predict(int64_t P, const struct logp_invocation *c)
{
    return scan_at_most(P, c, lpi_ceil_log2(P));
}

/* ---- binomial: up a tree, and down again ---- */

/*
 * The scan of ranks `first` .. P - 1, which are 1, 2, ..., v, ..., n here. Up: v, divisible by 2^x
 * and no more, gets what the 1, 2, 4, ... before make, until it has the last 2^x; and so does v +
 * 2^x from it. Down: v gets all up to v - 2^x, and hands all up to it to v + 2^(x-1), ... v + 1.
 */
static bool binomial(int64_t P, int64_t first, int64_t rank, const struct logp_invocation *c,
                     struct turns t, int64_t i, struct logp_step *out)
{
    const int64_t n = P - first, v = rank - first + 1, span = v & -v;

    for (int64_t d = 1; d < span; d *= 2, t = next_turn(t), i -= 2)
        if (i < 2)
            return i == 0 ? lpi_receive_vector(out, c, rank - d, t.in) : combine_turn(out, c, t);
    if (v + span <= n && i-- == 0)
        return lpi_send_vector(out, c, rank + span, t.have);
    if (v > span) {
        if (i < 2)
            return i == 0 ? lpi_receive_vector(out, c, rank - span, t.in) : combine_turn(out, c, t);
        t = next_turn(t);
        i -= 2;
    }
    for (int64_t d = span / 2; d > 0; d /= 2)
        if (v + d <= n && i-- == 0)
            return lpi_send_vector(out, c, rank + d, t.have);
    return i == 0 && copy_turn(out, c, t);
}

static bool binomial_scan_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                                struct logp_step *out)
{
    return binomial(P, 0, rank, c, at_first, i, out);
}

LPI_READER(binomial_scan_run, binomial_scan_steps)

/* lg n up, rounded down; as many down as there are 3, 6, 12, ... <= n */
static int binomial_rounds(int64_t n)
{
    return 63 - __builtin_clzll((uint64_t)n) + (n >= 3 ? 64 - __builtin_clzll((uint64_t)n / 3) : 0);
}

static struct logp_prediction binomial_scan_predict(int64_t P, const struct logp_invocation *c)
{
    return scan_at_most(P, c, binomial_rounds(P));
}

/* ---- exscan: all hand their vectors to the next, and the scan of ranks 1 .. P - 1 follows ---- */

static bool handed_on(int64_t P, int64_t rank, const struct logp_invocation *c,
                      bool (*scan)(int64_t P, int64_t first, int64_t rank,
                                   const struct logp_invocation *c, struct turns t, int64_t i,
                                   struct logp_step *out),
                      int64_t i, struct logp_step *out)
{
    if (rank + 1 < P && i-- == 0)
        return lpi_send_vector(out, c, rank + 1, LOGP_BUF);
    if (rank == 0)
        return false;
    if (i-- == 0)
        return lpi_receive_vector(out, c, rank - 1, LOGP_RECV_BUF);
    return scan(P, 1, rank, c, (struct turns){LOGP_RECV_BUF, LOGP_SCRATCH}, i, out);
}

LPI_STEPS_WITH(doubling_exscan_steps, handed_on, doubling)
LPI_STEPS_WITH(binomial_exscan_steps, handed_on, binomial)
LPI_READER(doubling_exscan_run, doubling_exscan_steps)
LPI_READER(binomial_exscan_run, binomial_exscan_steps)

/* A round before the others. */
static struct logp_prediction exscan_at_most(int64_t P, const struct logp_invocation *c, int rounds)
{
    const struct logp_params *p = &c->model.params;

    if (P == 1)
        return lpi_exact(0);
    if (p->gap_shared)
        return lpi_no_prediction();
    if (P == 2)
        return lpi_exact(lpi_times(p, lpi_vector_bytes(c)).D);
    return lpi_bound(lpi_round_at_most(p, lpi_vector_bytes(c)) + rounds_at_most(c, rounds));
}

static struct logp_prediction doubling_exscan_predict(int64_t P, const struct logp_invocation *c)
{
    return exscan_at_most(P, c, lpi_ceil_log2(P - 1));
}

static struct logp_prediction binomial_exscan_predict(int64_t P, const struct logp_invocation *c)
{
    return exscan_at_most(P, c, P > 1 ? binomial_rounds(P - 1) : 0);
}

/* ---- the rows ---- */

static const char hillis[] = "Hillis & Steele 1986", mpi[] = "Open MPI";
static const char brent[] = "Brent & Kung 1982";

static const struct logp_algorithm scans[] = {
    {LOGP_ALGORITHM("scan", "linear", "each rank sends to the next rank", mpi),
     .plan = lpi_vector_plan, .steps = linear_scan_steps, .run = linear_scan_run,
     .predict = linear_scan_predict},
    {LOGP_ALGORITHM("scan", "recursive-doubling", "send to rank + 1, 2, 4, ...", hillis),
     .plan = lpi_vector_plan, .steps = doubling_scan_steps, .run = doubling_scan_run,
     .predict = doubling_scan_predict, .rough = true},
    {LOGP_ALGORITHM("scan", "binomial", "combine up a binomial tree, distribute down", brent),
     .plan = lpi_vector_plan, .steps = binomial_scan_steps, .run = binomial_scan_run,
     .predict = binomial_scan_predict, .rough = true},
};

static const struct logp_algorithm exscans[] = {
    {LOGP_ALGORITHM("exscan", "linear", "each rank sends to the next rank", mpi),
     .plan = lpi_vector_plan, .steps = linear_exscan_steps, .run = linear_exscan_run,
     .predict = linear_exscan_predict},
    {LOGP_ALGORITHM("exscan", "recursive-doubling", "send to rank + 1, then scan the received",
                    hillis),
     .plan = lpi_vector_plan, .steps = doubling_exscan_steps, .run = doubling_exscan_run,
     .predict = doubling_exscan_predict, .rough = true},
    {LOGP_ALGORITHM("exscan", "binomial", "send to rank + 1, then scan the received", brent),
     .plan = lpi_vector_plan, .steps = binomial_exscan_steps, .run = binomial_exscan_run,
     .predict = binomial_exscan_predict, .rough = true},
};

const struct logp_collective lpi_scan = {
    .name = "scan",
    .summary = "combine the vectors of ranks 0 to its own",
    .operands = LOGP_OPERANDS_VECTOR,
    .sizes = lpi_vectors_sizes,
    .postcondition = postcondition_scan,
    .in_place = lpi_vector_in_place,
    .bound = scan_bound,
    .rows =
        (const struct lpi_rows *const[]){&(const struct lpi_rows)LPI_ROWS(scans), &lpi_scan_chain,
                                         &lpi_scan_two_tree, &lpi_census_scan, &lpi_scan_grouped,
                                         &lpi_two_level_scan, &lpi_scan_earliest, &lpi_shared_scan,
                                         &lpi_lanes_scan, &lpi_contained_scan, NULL},
};

const struct logp_collective lpi_exscan = {
    .name = "exscan",
    .summary = "combine the vectors of all lower ranks",
    .operands = LOGP_OPERANDS_VECTOR,
    .sizes = lpi_vectors_sizes,
    .postcondition = postcondition_exscan,
    .in_place = lpi_vector_in_place,
    .bound = exscan_bound,
    .rows =
        (const struct lpi_rows *const[]){
            &(const struct lpi_rows)LPI_ROWS(exscans), &lpi_exscan_chain, &lpi_exscan_two_tree,
            &lpi_census_exscan, &lpi_exscan_grouped, &lpi_two_level_exscan, &lpi_exscan_earliest,
            &lpi_shared_exscan, &lpi_lanes_exscan, &lpi_contained_exscan, NULL},
};
