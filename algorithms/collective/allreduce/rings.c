/* SPDX-License-Identifier: MIT */
/*
 * Several rings at once, where processors have several ports. Each of R rings takes one part in R of
 * the vector round twice, as the row `ring` does with all of it. Ring q goes from rank to rank + s,
 * and s is coprime to P, so that the ring has all ranks: s = 1, P-1, then up and down from the next
 * coprime, and so on, from the start again after the last. Rings with different s share no link in a
 * direction.
 * Source: rings that share no link: Bae & Bose, Edge Disjoint Hamiltonian Cycles in k-Ary n-Cubes
 * and Hypercubes, IEEE Trans. Computers 52(10), 2003; a ring: Patarasuk & Yuan 2009.
 */
#include "allreduce.h"
#include "predict/predict.h"
#include "schedule/reader.h"

#include <logp/machine.h>

#include <errno.h>
#include <stdlib.h>

/* Of a ring: from a rank to the next, and from a rank to its place. */
enum { STRIDE, PLACE, FIELDS };

static int64_t rings_of(int64_t P, const struct logp_invocation *c)
{
    (void)P;
    return c->args.k > 0 ? c->args.k : lpi_has_ports(&c->model) ? c->model.ports : 1;
}

static const char *needs_ports(int64_t P, const struct logp_invocation *c)
{
    if (!lpi_has_ports(&c->model))
        return "several ports (--ports)";
    if (c->args.k < 0 || c->args.k > LOGP_MOST_PORTS)
        return "a number of rings (--k), 1 to 64";
    return P <= LOGP_MAX_PROCESSORS ? NULL : "at most 16777216 ranks";
}

LPI_NEEDS_BOTH(needs, lpi_needs_commutative, needs_ports)

/* plan.children: the fields of each ring. */
static int plan(int P, int rank, struct logp_invocation *c)
{
    const int64_t n = rings_of(P, c);
    int64_t s = 0;
    int *rings;

    (void)rank;
    if (P == 1)
        return lpi_vector_valid(c);
    rings = malloc((size_t)n * FIELDS * sizeof(*rings));
    if (rings == NULL)
        return -ENOMEM;
    for (int64_t q = 0; q < n; q++) {
        if (q % 2 == 0)
            do
                s = s < P / 2 ? s + 1 : 1;
            while (lpi_gcd(s, P) != 1);
        rings[FIELDS * q + STRIDE] = (int)(q % 2 == 0 ? s : P - s);
        rings[FIELDS * q + PLACE] = (int)lpi_inverse(rings[FIELDS * q + STRIDE], P);
    }
    c->plan.children = rings;
    c->plan.n_children = (int)n * FIELDS;
    return lpi_vector_valid(c);
}

/* Step i of ring q: what the row `ring` does in phase r, of the first round or the second. */
struct turn {
    int64_t q, r;
    bool gathers;
    int what; /* 0: send; 1: receive; 2: combine */
};

/* In each phase the sends of all rings come first. @return false: there is no such step */
static bool turn_of(int64_t P, int64_t n, int64_t i, struct turn *t)
{
    const int64_t combining = 3 * n * (P - 1);

    t->gathers = i >= combining;
    i -= t->gathers ? combining : 0;
    t->r = i / ((t->gathers ? 2 : 3) * n);
    i %= (t->gathers ? 2 : 3) * n;
    t->q = i < n ? i : t->gathers ? i - n : (i - n) / 2;
    t->what = i < n ? 0 : t->gathers ? 1 : 1 + (int)((i - n) % 2);
    return t->r < P - 1;
}

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const int64_t n = c->plan.n_children / FIELDS;
    struct turn t;

    if (P == 1)
        return lpi_allreduce_alone(c, i, out);
    if (!turn_of(P, n, i, &t))
        return false;

    const int64_t stride = c->plan.children[FIELDS * t.q + STRIDE];
    const int64_t place = rank * c->plan.children[FIELDS * t.q + PLACE] % P;
    /* at the same place as in `ring`: of the part that goes out, or comes in */
    const int64_t part = lpi_mod(place - t.r + t.gathers - (t.what > 0), P);
    const struct lpi_range range = lpi_range_of(c, P * n, t.q * P + part, 1);

    if (t.what == 0)
        return lpi_send_range(out, c, lpi_mod(rank + stride, P),
                              t.r == 0 && !t.gathers ? LOGP_BUF : LOGP_RECV_BUF, range);
    return t.what == 1 ? lpi_receive_range(out, c, lpi_mod(rank - stride, P), LOGP_RECV_BUF, range)
                       : lpi_combine_range(out, c, LOGP_BUF, range);
}

LPI_READER(run, steps)

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("allreduce", "rings", "several rings at once, each with a part (--k)",
                    "Bae & Bose 2003"),
     .needs = needs, .plan = plan, .steps = steps, .run = run, .same_results = true,
     .knobs = {LOGP_KNOB(k, rings_of)}},
};

const struct lpi_rows lpi_allreduce_rings = LPI_ROWS(algorithms);
