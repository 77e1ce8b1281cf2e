/* SPDX-License-Identifier: MIT */
/*
 * Allreduces of a long vector: in each round a rank halves its part and combines it with its
 * partner's; then the parts are doubled again. The algorithms differ in the order of partners, and
 * so in the part that a rank ends with.
 */
#include "allreduce.h"
#include "collective/collective.h"
#include "schedule/reader.h"

/* ---- the partners ---- */

/* How far it is to the other in round s of swing: 1, -1, 3, -5, 11, ... = (1 - (-2)^(s+1)) / 3 */
static int64_t swing_of(int s)
{
    const int64_t power = INT64_C(1) << (s + 1);

    return (s % 2 == 0 ? 1 + power : 1 - power) / 3;
}

/* Forwards for even ranks, backwards for odd ones. */
static int64_t swung(int64_t X, int64_t j, int s)
{
    return (j % 2 == 0 ? j + swing_of(s) : j - swing_of(s)) & (X - 1);
}

/*
 * The part that rank j of swing ends with. From round s on only ranks meet that agree in u mod
 * 2^(s+1), u = j or, for odd j, j - 1/3 mod X (swing_of(s) is 1/3 mod 2^(s+1)): so the bits of u/2,
 * the lowest first, say which half is kept, and in the last round whether j is odd.
 */
static int64_t swung_part(int64_t X, int64_t j)
{
    const int rounds = 63 - __builtin_clzll((uint64_t)X);
    const int64_t u = j % 2 == 0 ? j : (j - swing_of(rounds)) & (X - 1);
    int64_t part = 0;

    for (int s = 1; s < rounds; s++)
        part = 2 * part + (u >> s & 1);
    return X > 1 ? 2 * part + j % 2 : 0;
}

/* ---- steps ---- */

/*
 * Of X parts, at distance d = X/2, X/4, ... 1 the rank that ends with part `end` has those from
 * end & -2d on, 2 d of them: it sends the half that the other's part is in, and combines its own.
 * The way back is that of an allgather. Without swing, j ends with part j, and swaps with j xor d.
 */
static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, bool swing, int64_t i,
                  struct logp_step *out)
{
    const struct lpi_fold f = lpi_fold_of(P, rank);
    const bool paired = rank < 2 * f.pairs;
    int64_t d, end, other;
    bool back;

    if (f.j < 0)
        return lpi_first_of_pair(rank, c, i, out);
    if (P == 1)
        return lpi_allreduce_alone(c, i, out);
    if (paired && i < 2)
        return lpi_second_of_pair(rank, c, i, out);
    i -= paired ? 2 : 0;
    for (d = f.X / 2; i >= 3 && d > 0; d /= 2)
        i -= 3;
    back = d == 0;
    for (d = back ? 1 : d; back && i >= 2 && d < f.X; d *= 2)
        i -= 2;
    if (d == f.X)
        return paired && i == 0 && lpi_send_vector(out, c, rank - 1, LOGP_RECV_BUF);
    end = swing ? swung_part(f.X, f.j) : f.j;
    other =
        lpi_unfold(&f, swing ? swung(f.X, f.j, __builtin_ctzll((uint64_t)(f.X / d)) - 1) : f.j ^ d);
    const struct lpi_range mine = lpi_range_of(c, f.X, end & -d, d);
    const struct lpi_range theirs = lpi_range_of(c, f.X, (end ^ d) & -d, d);

    if (back)
        return i == 0 ? lpi_send_range(out, c, other, LOGP_RECV_BUF, mine)
                      : lpi_receive_range(out, c, other, LOGP_RECV_BUF, theirs);
    const bool first = d == f.X / 2 && !paired; /* all that there is, is buf */

    if (i == 0)
        return lpi_send_range(out, c, other, first ? LOGP_BUF : LOGP_RECV_BUF, theirs);
    return i == 1 ? lpi_receive_range(out, c, other, first ? LOGP_RECV_BUF : LOGP_SCRATCH, mine)
                  : lpi_combine_range(out, c, first ? LOGP_BUF : LOGP_SCRATCH, mine);
}

LPI_STEPS_WITH(halving_steps, steps, false)
LPI_STEPS_WITH(swing_steps, steps, true)
LPI_READER(halving_run, halving_steps)
LPI_READER(swing_run, swing_steps)

/* ---- what it takes ---- */

/* P = 2^x that divides the vector; else not all do the same, and this is how long it takes at most.
 */
static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const struct lpi_fold f = lpi_fold_of(P, P - 1);
    struct lpi_rounds r = LPI_ROUNDS;
    __int128 T;

    if (P > 1 && p->gap_shared)
        return lpi_no_prediction();
    if (f.pairs == 0 && c->args.count % P == 0) {
        lpi_halving_rounds(&r, P, c);
        for (int64_t d = 1; d < P; d *= 2)
            lpi_round(&r, p, 1, lpi_vector_bytes(c) / (size_t)P * (size_t)d);
        return lpi_exact(r.free);
    }
    T = lpi_halving_at_most(P, c) + (f.pairs > 0 ? lpi_times(p, lpi_vector_bytes(c)).D : 0);
    for (int64_t d = 1; d < f.X; d *= 2)
        T += lpi_parts_at_most(f.X, d, c);
    return lpi_bound(T);
}

/* ---- the rows ---- */

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("allreduce", "rabenseifner", "recursive halving, then recursive doubling",
                    "Rabenseifner 2004"),
     .needs = lpi_needs_commutative, .plan = lpi_vector_plan, .steps = halving_steps,
     .run = halving_run, .predict = predict, .rough = true},
    {LOGP_ALGORITHM("allreduce", "swing", "halving with rank +- 1, -+ 1, +- 3, -+ 5, ...",
                    "De Sensi et al. 2024"),
     .needs = lpi_needs_commutative, .plan = lpi_vector_plan, .steps = swing_steps,
     .run = swing_run, .predict = predict, .rough = true},
};

const struct lpi_rows lpi_allreduce_halvings = LPI_ROWS(algorithms);
