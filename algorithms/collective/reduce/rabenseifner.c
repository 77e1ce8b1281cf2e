/* SPDX-License-Identifier: MIT */
/*
 * Reduction of a long vector: recursive halving (collective.h), then a binomial gather of the parts
 * on the root. That is virtual rank P - 1, which is never the first of a pair, and the last of the
 * X.
 * Source: Rabenseifner, ICCS 2004.
 */
#include "collective/collective.h"
#include "reduce.h"
#include "schedule/reader.h"

static int plan(int P, int rank, struct logp_invocation *c)
{
    const size_t slot = lpi_slot_bytes(lpi_vector_bytes(c));

    if (P > 1)
        c->plan.scratch_bytes = rank == c->args.root ? slot : lpi_bytes(2, slot);
    return lpi_vector_valid(c);
}

/* Where all but the result is; and the result, on the root. */
static struct lpi_halving halving_of(int64_t P, int64_t rank, const struct logp_invocation *c)
{
    const int64_t shift = (c->args.root + 1) % P;
    const bool root = rank == c->args.root;

    return (struct lpi_halving){
        .P = P,
        .v = lpi_mod(rank - shift, P),
        .shift = shift,
        .acc = {root ? LOGP_RECV_BUF : LOGP_SCRATCH, 0},
        .in = {LOGP_SCRATCH, root ? 0 : c->plan.scratch_bytes / 2},
    };
}

/* Of two partners, the one farther from the root in the last bit that differs sends all it has. */
static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct lpi_halving h = halving_of(P, rank, c);
    const struct lpi_fold f = lpi_fold_of(P, h.v);
    int64_t halved;

    if (P == 1)
        return i == 0 && logp_step_copy(out, h.acc, (struct logp_buffer_ref){LOGP_BUF, 0},
                                        lpi_vector_bytes(c));
    if (f.j < 0)
        return i == 0 && lpi_move_parts(true, &h, h.v + 1, (struct logp_buffer_ref){LOGP_BUF, 0}, 1,
                                        0, 1, c, out);
    halved = lpi_halve(&h, c, i, out);
    if (halved < 0)
        return true;
    i -= halved;
    for (int64_t d = 1; d < f.X; d *= 2) {
        const bool sends = (f.j & d) == 0;

        if (i-- == 0)
            return lpi_move_parts(sends, &h, lpi_unfold(&f, f.j ^ d), h.acc, f.X,
                                  (sends ? f.j : f.j ^ d) & -d, d, c, out);
        if (sends)
            return false;
    }
    return false;
}

LPI_READER(run, steps)

/* The root and the ranks that send to it have received the same until then. */
static void gather(struct lpi_rounds *r, int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;

    for (int64_t d = 1; d < P; d *= 2) {
        const size_t bytes = lpi_vector_bytes(c) / (size_t)P * (size_t)d;
        const int64_t apart = lpi_max(p->o_recv_ns, logp_params_gap_ns(p, bytes));
        const __int128 arrival = lpi_later(r->free, r->send_next) + p->o_send_ns +
                                 logp_params_stream_ns(p, bytes) + p->L_ns;

        r->recv_start = lpi_later(arrival, r->recv_start + apart);
        r->free = r->recv_start + p->o_recv_ns;
    }
}

/* P = 2^x that divides the vector; else not all do the same, and this is how long it takes at most.
 */
static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_fold f = lpi_fold_of(P, P - 1);
    struct lpi_rounds r = LPI_ROUNDS;
    __int128 T;

    if (P > 1 && c->model.params.gap_shared)
        return lpi_no_prediction();
    if (f.pairs == 0 && c->args.count % P == 0) {
        lpi_halving_rounds(&r, P, c);
        gather(&r, P, c);
        return lpi_exact(r.free);
    }
    T = lpi_halving_at_most(P, c);
    for (int64_t d = 1; d < f.X; d *= 2)
        T += lpi_parts_at_most(f.X, d, c);
    return lpi_bound(T);
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("reduce", "rabenseifner", "recursive halving, then gather",
                    "Rabenseifner 2004"),
     .needs = lpi_needs_commutative, .plan = plan, .steps = steps, .run = run, .predict = predict,
     .rough = true},
};

const struct lpi_rows lpi_reduce_rabenseifner = LPI_ROWS(algorithms);
