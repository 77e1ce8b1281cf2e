/* SPDX-License-Identifier: MIT */
/*
 * Allreduce: a vector from each processor, combined element by element, on all. c is the time to
 * combine a vector with another, or a part of it with one.
 */
#include "allreduce.h"
#include "collective/collective.h"
#include "predict/predict.h"
#include "schedule/reader.h"

/* ---- operands and results ---- */

static bool postcondition(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t j,
                          struct logp_postcondition *out)
{
    (void)rank;
    return lpi_vector_promise(P, c, j, out);
}

/*
 * An allreduce contains a reduction, and a broadcast of each rank's part. Before any rank has a
 * result, at least P - 1 messages with part of an element have arrived, and each other rank needs
 * one more message to get it (Harary & Schwenk 1974). So 2 (P-1) times the vector is sent, and at
 * least one of the P ranks sends the average.
 */
static int64_t bound(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const int64_t bytes = lpi_bound_bytes(lpi_vector_bytes(c));
    const int64_t sent = 2 * bytes - 2 * bytes / P;
    const int64_t ports = lpi_max(lpi_bound_sent(p, sent), lpi_bound_received(p, sent));
    const struct lpi_need need = {.from = lpi_ranks_all(P),
                                  .to = lpi_ranks_all(P),
                                  .bytes = bytes,
                                  .work_ns = lpi_combine_ns(p, 1)};

    if (P == 1 || bytes == 0)
        return 0;
    return lpi_max(
        lpi_max(ports, lpi_bound_ways(P, c, &need)),
        lpi_max(lpi_bound_reduce(p, P, bytes, c->args.count), lpi_bound_broadcast(p, P, bytes)));
}

/* ---- reduce-broadcast: up the binomial tree of rank 0 and down again ---- */

static bool up_down_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                          struct logp_step *out)
{
    const int64_t children = lpi_knomial_children(P, rank, 2);
    const int64_t parent = lpi_knomial_parent(P, rank, 2);
    const enum logp_buffer mine = children > 0 ? LOGP_RECV_BUF : LOGP_BUF;

    if (P == 1)
        return lpi_allreduce_alone(c, i, out);
    if (i < 2 * children) {
        if (i % 2 == 0)
            return lpi_receive_vector(out, c, lpi_knomial_child(P, rank, 2, children - 1 - i / 2),
                                      LOGP_SCRATCH);
        return lpi_combine_vector(out, c, LOGP_RECV_BUF, i == 1 ? LOGP_BUF : LOGP_RECV_BUF,
                                  LOGP_SCRATCH);
    }
    i -= 2 * children;
    if (rank > 0 && i-- == 0)
        return lpi_send_vector(out, c, parent, mine);
    if (rank > 0 && i-- == 0)
        return lpi_receive_vector(out, c, parent, LOGP_RECV_BUF);
    return i < children && lpi_send_vector(out, c, lpi_knomial_child(P, rank, 2, i), LOGP_RECV_BUF);
}

LPI_READER(up_down_run, up_down_steps)

/* The time of the reduction and that of the broadcast, if no gap of the former is left over:
 * between two messages up and down there are at least a = D + c and D. */
static struct logp_prediction up_down_predict(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const struct lpi_times t = lpi_times(p, lpi_vector_bytes(c));
    const int64_t combine = lpi_combine_ns(p, c->args.count), a = t.D + combine;
    const int64_t gap = logp_params_gap_ns(p, lpi_vector_bytes(c));
    const int64_t B = lpi_max(p->o_recv_ns + combine, gap);

    if (P > 1 && (p->gap_shared || lpi_max(t.E, gap) > a + t.D))
        return lpi_no_prediction();
    return lpi_exact(lpi_doubling_time(P, a, B) + lpi_doubling_time(P, t.D, t.E));
}

/* ---- recursive-doubling: combine with rank xor 1, 2, 4, ... ---- */

/*
 * A vector from a lower rank is combined on the left, so that both partners, and in the end all
 * ranks, get the value of one expression. A combination leaves its result in the buffer of its left
 * operand: that of the vector so far, or that of the received one. These are recv_buf and scratch,
 * and the number of times that they change places is known, so the first result is placed such that
 * the last one is in recv_buf.
 */
struct where {
    enum logp_buffer acc, in, at; /* the vector so far; the one received; the result */
    bool lower;                   /* the received vector is from a lower rank */
};

static enum logp_buffer other_than(enum logp_buffer buffer)
{
    return buffer == LOGP_RECV_BUF ? LOGP_SCRATCH : LOGP_RECV_BUF;
}

/* Where the vector so far is before the combination with j xor d; for its own vector, where the first
 * result goes. X: after the last combination: in recv_buf. */
static enum logp_buffer so_far(const struct lpi_fold *f, bool paired, int64_t d)
{
    const int64_t turns = f->j & -d & (paired ? -1 : -2);

    return __builtin_popcountll((uint64_t)turns) % 2 == 0 ? LOGP_RECV_BUF : LOGP_SCRATCH;
}

/* The combination with j xor d. */
static struct where where(const struct lpi_fold *f, bool paired, int64_t d)
{
    const enum logp_buffer acc = so_far(f, paired, d);
    const bool lower = (f->j & d) != 0;

    if (d == 1 && !paired) /* the vector so far is still buf */
        return (struct where){LOGP_BUF, lower ? acc : other_than(acc), acc, lower};
    return (struct where){acc, other_than(acc), lower ? other_than(acc) : acc, lower};
}

bool lpi_first_of_pair(int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    if (i == 0)
        return lpi_send_vector(out, c, rank + 1, LOGP_BUF);
    return i == 1 && lpi_receive_vector(out, c, rank + 1, LOGP_RECV_BUF);
}

bool lpi_second_of_pair(int64_t rank, const struct logp_invocation *c, enum logp_buffer into,
                        int64_t i, struct logp_step *out)
{
    return i == 0 ? lpi_receive_vector(out, c, rank - 1, into)
                  : lpi_combine_vector(out, c, into, into, LOGP_BUF);
}

static bool doubling_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                           struct logp_step *out)
{
    const struct lpi_fold f = lpi_fold_of(P, rank);
    const bool paired = rank < 2 * f.pairs;
    int64_t d = 1;
    struct where w;

    if (f.j < 0)
        return lpi_first_of_pair(rank, c, i, out);
    if (P == 1)
        return lpi_allreduce_alone(c, i, out);
    if (paired && i < 2)
        return lpi_second_of_pair(rank, c, so_far(&f, true, 1), i, out);
    for (i -= paired ? 2 : 0; i >= 3 && d < f.X; d *= 2)
        i -= 3;
    if (d < f.X) {
        const int64_t other = lpi_unfold(&f, f.j ^ d);

        w = where(&f, paired, d);
        if (i == 0)
            return lpi_send_vector(out, c, other, w.acc);
        if (i == 1)
            return lpi_receive_vector(out, c, other, w.in);
        return w.lower ? lpi_combine_vector(out, c, w.at, w.in, w.acc)
                       : lpi_combine_vector(out, c, w.at, w.acc, w.in);
    }
    return paired && i == 0 && lpi_send_vector(out, c, rank - 1, LOGP_RECV_BUF);
}

LPI_READER(doubling_run, doubling_steps)

/* P = 2^x; else not all do the same, and this is how long it takes at most. */
static struct logp_prediction doubling_predict(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const struct lpi_fold f = lpi_fold_of(P, P - 1);
    const __int128 once =
        (__int128)lpi_round_at_most(p, lpi_vector_bytes(c)) + lpi_combine_ns(p, c->args.count);
    struct lpi_rounds r = LPI_ROUNDS;

    if (P > 1 && p->gap_shared)
        return lpi_no_prediction();
    if (f.pairs > 0)
        return lpi_bound((64 - __builtin_clzll((uint64_t)f.X)) * once +
                         lpi_times(p, lpi_vector_bytes(c)).D);
    for (int64_t d = 1; d < P; d *= 2) {
        lpi_round(&r, &c->model.params, 1, lpi_vector_bytes(c));
        r.free += lpi_combine_ns(&c->model.params, c->args.count);
    }
    return lpi_exact(r.free);
}

/* ---- ring: each part goes round to be combined, and once more to be handed out ---- */

/*
 * Of P parts, in phase r of the first round rank i sends part i - r, and combines part i - r - 1
 * with its own; it ends with part i + 1, and in phase r of the second sends part i + 1 - r.
 */
static bool ring_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    const int64_t right = lpi_mod(rank + 1, P), left = lpi_mod(rank - 1, P);
    int64_t r = i / 3;

    if (P == 1)
        return lpi_allreduce_alone(c, i, out);
    if (r < P - 1) {
        const struct lpi_range in = lpi_range_of(c, P, lpi_mod(rank - r - 1, P), 1);

        if (i % 3 == 0)
            return lpi_send_range(out, c, right, r == 0 ? LOGP_BUF : LOGP_RECV_BUF,
                                  lpi_range_of(c, P, lpi_mod(rank - r, P), 1));
        return i % 3 == 1 ? lpi_receive_range(out, c, left, LOGP_RECV_BUF, in)
                          : lpi_combine_range(out, c, LOGP_BUF, in);
    }
    i -= 3 * (P - 1);
    r = i / 2;
    if (r >= P - 1)
        return false;
    if (i % 2 == 0)
        return lpi_send_range(out, c, right, LOGP_RECV_BUF,
                              lpi_range_of(c, P, lpi_mod(rank + 1 - r, P), 1));
    return lpi_receive_range(out, c, left, LOGP_RECV_BUF,
                             lpi_range_of(c, P, lpi_mod(rank - r, P), 1));
}

LPI_READER(ring_run, ring_steps)

static int plan_op(int P, int rank, struct logp_invocation *c)
{
    (void)P, (void)rank;
    return lpi_vector_valid(c);
}

/* (P-1) max(D + c, E) + (P-2) max(D, E) + D, all of the largest part: exact where all are as large,
 * else a bound. */
static struct logp_prediction ring_predict(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_range largest = lpi_range_of(c, P, 0, 1);
    const struct lpi_times t =
        lpi_times(&c->model.params, lpi_vector_ref(c, LOGP_BUF, largest.n).offset);
    const int64_t most = lpi_max(t.D, t.E);
    const int64_t combining = lpi_max(t.D + lpi_combine_ns(&c->model.params, largest.n), t.E);
    const __int128 T = (P - 1) * (__int128)combining + (P - 2) * (__int128)most + t.D;

    if (P == 1)
        return lpi_exact(0);
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    return c->args.count % P == 0 ? lpi_exact(T) : lpi_bound(T);
}

/* ---- the rows ---- */

static const char thakur[] = "Thakur et al. 2005";

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("allreduce", "reduce-broadcast", "reduce up a binomial tree, broadcast down",
                    "Grama et al., ch. 4.3"),
     .plan = lpi_vector_plan, .steps = up_down_steps, .run = up_down_run,
     .predict = up_down_predict, .in_place = true, .same_results = true},
    {LOGP_ALGORITHM("allreduce", "recursive-doubling", "combine with rank xor 1, 2, 4, ...",
                    thakur),
     .plan = lpi_vector_plan, .steps = doubling_steps, .run = doubling_run,
     .predict = doubling_predict, .rough = true, .same_results = true},
    {LOGP_ALGORITHM("allreduce", "ring", "parts go round twice: reduce, then gather",
                    "Patarasuk & Yuan 2009"),
     .needs = lpi_needs_commutative, .plan = plan_op, .steps = ring_steps, .run = ring_run,
     .predict = ring_predict, .rough = true, .same_results = true},
};

static const struct lpi_rows rows = LPI_ROWS(algorithms);

const struct logp_collective lpi_allreduce = {
    .name = "allreduce",
    .summary = "combine a vector of each rank on all ranks",
    .operands = LOGP_OPERANDS_VECTOR,
    .sizes = lpi_vectors_sizes,
    .postcondition = postcondition,
    .in_place = lpi_vector_in_place,
    .bound = bound,
    .same_results = true,
    .rows =
        (const struct lpi_rows *const[]){
            &rows, &lpi_census_allreduce, &lpi_two_level_allreduce, &lpi_allreduce_halvings,
            &lpi_allreduce_segmented, &lpi_allreduce_exchanges, &lpi_allreduce_circulant,
            &lpi_allreduce_grouped, &lpi_allreduce_two_tree, &lpi_allreduce_dual_root,
            &lpi_allreduce_windows, &lpi_shared_allreduce, &lpi_neighbours_allreduce,
            &lpi_lanes_allreduce, &lpi_allreduce_rings, &lpi_torus_rings_allreduce, NULL},
};
