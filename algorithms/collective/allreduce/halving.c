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

/* The X ranks as a torus, where they are one whose sizes are powers of two; else as a ring. */
static struct lpi_grid rings_of(int64_t P, int64_t X, const struct logp_invocation *c)
{
    const struct lpi_grid ring = {.dimensions = 1, .size = {X}};
    struct lpi_grid grid = {0};

    if (c->model.topology == NULL || P != X)
        return ring;
    grid = lpi_grid_of(P, c);
    for (int i = 0; i < grid.dimensions; i++)
        if ((grid.size[i] & (grid.size[i] - 1)) != 0)
            return ring;
    return grid.dimensions > 0 ? grid : ring;
}

/* A rank's ring in a dimension: its size, its place there, and how far apart its ranks are. */
struct ring {
    int64_t size, place, stride;
};

/* Round s of all is round *local of a ring: rings take turns, as long as they have rounds. */
static struct ring ring_of(const struct lpi_grid *grid, int64_t j, int s, int *local)
{
    int dimension = 0;
    struct ring r = {.stride = 1};

    for (*local = 0;; dimension++) {
        if (dimension == grid->dimensions) {
            dimension = 0;
            ++*local;
        }
        if (INT64_C(2) << *local <= grid->size[dimension] && s-- == 0)
            break;
    }
    for (int i = dimension + 1; i < grid->dimensions; i++)
        r.stride *= grid->size[i];
    r.size = grid->size[dimension];
    r.place = j / r.stride % r.size;
    return r;
}

/* Forwards for even places, backwards for odd ones. */
static int64_t swung(const struct lpi_grid *grid, int64_t j, int s)
{
    int local;
    const struct ring r = ring_of(grid, j, s, &local);
    const int64_t far = swing_of(local), place = r.place % 2 == 0 ? r.place + far : r.place - far;

    return j + ((place & (r.size - 1)) - r.place) * r.stride;
}

/*
 * Return the part that rank j of swing ends with. On a ring, from round s on, only places meet that
 * agree in u mod 2^(s+1), where u = j or, for odd j, j - 1/3 mod X (swing_of(s) is
 * 1/3 mod 2^(s+1)). So the bits of u/2, the lowest first, select the half that is kept, and in the
 * last round the parity of j does.
 */
static int64_t swung_part(const struct lpi_grid *grid, int64_t X, int64_t j)
{
    int64_t part = 0;

    for (int s = 0; INT64_C(1) << s < X; s++) {
        int local;
        const struct ring r = ring_of(grid, j, s, &local);
        const int rounds = 63 - __builtin_clzll((uint64_t)r.size);
        const int64_t u = r.place % 2 == 0 ? r.place : (r.place - swing_of(rounds)) & (r.size - 1);

        part = 2 * part + (local < rounds - 1 ? u >> (local + 1) & 1 : r.place % 2);
    }
    return part;
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
        return lpi_second_of_pair(rank, c, LOGP_RECV_BUF, i, out);
    i -= paired ? 2 : 0;
    for (d = f.X / 2; i >= 3 && d > 0; d /= 2)
        i -= 3;
    back = d == 0;
    for (d = back ? 1 : d; back && i >= 2 && d < f.X; d *= 2)
        i -= 2;
    if (d == f.X)
        return paired && i == 0 && lpi_send_vector(out, c, rank - 1, LOGP_RECV_BUF);
    end = f.j;
    other = f.j ^ d;
    if (swing) {
        const struct lpi_grid rings = rings_of(P, f.X, c);

        end = swung_part(&rings, f.X, f.j);
        other = swung(&rings, f.j, __builtin_ctzll((uint64_t)(f.X / d)) - 1);
    }
    other = lpi_unfold(&f, other);
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

/* ---- time ---- */

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
     .run = halving_run, .predict = predict, .rough = true, .same_results = true},
    {LOGP_ALGORITHM("allreduce", "swing",
                    "halving with rank +- 1, -+ 1, +- 3, ..., along each ring of a torus in turn",
                    "De Sensi et al. 2024"),
     .needs = lpi_needs_commutative, .plan = lpi_vector_plan, .steps = swing_steps,
     .run = swing_run, .predict = predict, .rough = true, .same_results = true},
};

const struct lpi_rows lpi_allreduce_halvings = LPI_ROWS(algorithms);
