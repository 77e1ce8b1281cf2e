/* SPDX-License-Identifier: MIT */
/*
 * Which block a rank gets in which round: see collective.h.
 *
 * Without blocks, the q rounds are a broadcast: rank r is reached by way of skips that grow, of
 * which the first one is its base block b; it has that when it is reached. In the long run a rank
 * gets, in any q rounds, q different blocks: its own base block, and those before it that others
 * have as theirs. In round k that comes from rank - skip(k), by way of ranks of which the first has
 * it as its base block and is as far back as skip(k + 1) at most; of these the one whose block is
 * largest and not taken yet. A search along sums of skips finds them one after the other, in some
 * 2 q steps. Each send of a rank is the receive of the other.
 */
#include "collective/collective.h"
#include "predict/predict.h"

/* ---- the schedule ---- */

struct search {
    int64_t skip[LPI_CIRCULANT_ROUNDS + 1];
    int q;
    int64_t to, last; /* the rank, plus P; where the block before was found */
    uint64_t left;    /* blocks that are not taken yet: bits */
    signed char *block;
};

/* The largest one left below e; -1: none */
static int below(const struct search *s, int e)
{
    const uint64_t left = s->left & ((UINT64_C(1) << e) - 1);

    return left != 0 ? 63 - __builtin_clzll(left) : -1;
}

/* From `at` on by way of skip(e) or shorter ones, for rounds k, k + 1, ... @return the next k */
static int search(struct search *s, int64_t at, int e, int k)
{
    for (; e >= 0; e = below(s, e)) {
        const int64_t next = at + s->skip[e];

        if (next > s->to - s->skip[k] || next >= s->last)
            continue;
        if (next <= s->to - s->skip[k + 1])
            k = search(s, next, e, k);
        if (k == s->q || at > s->to - s->skip[k + 1])
            return k;
        s->last = next;
        s->block[k++] = (signed char)e;
        s->left &= ~(UINT64_C(1) << e);
        if (k == s->q)
            return k;
    }
    return k;
}

/* The shortest skip of those that lead to rank v; q: it is 0 */
static int base_block(const struct search *s, int64_t v)
{
    for (int k = s->q - 1; k >= 0; k--)
        if (v >= s->skip[k]) {
            v -= s->skip[k];
            if (v == 0)
                return k;
        }
    return s->q;
}

/* In round k rank v gets block[k]: of the first q rounds its base block, else one of those before
 * them. */
static void receives(struct search *s, int64_t P, int64_t v, signed char *block)
{
    const int base = base_block(s, v);

    s->to = P + v;
    s->last = 2 * P;
    s->left = (UINT64_C(2) << s->q) - 1;
    s->left &= ~(UINT64_C(1) << base);
    s->block = block;
    search(s, 0, base == s->q ? s->q - 1 : s->q, 0);
    for (int k = 0; k < s->q; k++)
        block[k] = (signed char)(block[k] == s->q ? base : block[k] - s->q);
}

void lpi_circulant_plan(struct lpi_circulant *s, int64_t P, int64_t rank, int64_t n)
{
    const int q = lpi_ceil_log2(P);
    signed char of_other[LPI_CIRCULANT_ROUNDS];
    struct search x = {.q = q};

    *s = (struct lpi_circulant){.n = n};
    if (P == 1)
        return;
    for (int k = 0; k <= q; k++)
        x.skip[k] = lpi_circulant_skip(P, k);
    s->rounds = n - 1 + q;
    s->first = (q - (n - 1) % q) % q;
    receives(&x, P, rank, s->receives);
    for (int k = 0; k < q; k++) {
        if (rank > 0)
            receives(&x, P, lpi_mod(rank + x.skip[k], P), of_other);
        s->sends[k] = rank > 0 ? of_other[k] : (signed char)k;
    }
}

/* The last blocks are all the last one. */
static int64_t block_of(const struct lpi_circulant *s, int64_t q, int64_t round,
                        const signed char *blocks)
{
    const int64_t number = s->first + round;
    const int64_t block = number - number % q - s->first + blocks[number % q];

    return block < 0 ? -1 : block < s->n ? block : s->n - 1;
}

struct lpi_circulant_block lpi_circulant_send(const struct lpi_circulant *s, int64_t P,
                                              int64_t rank, int64_t round)
{
    const int64_t q = lpi_ceil_log2(P);
    const int64_t to = lpi_mod(rank + lpi_circulant_skip(P, (s->first + round) % q), P);

    return (struct lpi_circulant_block){to > 0 ? block_of(s, q, round, s->sends) : -1, to};
}

struct lpi_circulant_block lpi_circulant_receive(const struct lpi_circulant *s, int64_t P,
                                                 int64_t rank, int64_t round)
{
    const int64_t q = lpi_ceil_log2(P);

    return (struct lpi_circulant_block){
        rank > 0 ? block_of(s, q, round, s->receives) : -1,
        lpi_mod(rank - lpi_circulant_skip(P, (s->first + round) % q), P)};
}

/* ---- time ---- */

__int128 lpi_circulant_at_most(int64_t P, const struct logp_params *p, int64_t n, size_t n_bytes,
                               int64_t c_ns)
{
    const __int128 rounds = (__int128)n - 1 + lpi_ceil_log2(P);
    const __int128 once = (__int128)lpi_round_at_most(p, n_bytes) + c_ns;

    return rounds > 0 ? (rounds - 1) * once + lpi_times(p, n_bytes).D + c_ns : 0;
}

struct choice {
    int64_t P, units;
    const struct logp_params *p;
    size_t unit_bytes;
    int gamma;
};

/* Of low .. high blocks: as few as the largest, each as short as the smallest. */
static __int128 least_time(int64_t low, int64_t high, const void *arg)
{
    const struct choice *x = arg;
    const int64_t units = lpi_ceil_div(x->units, high);

    return lpi_circulant_at_most(x->P, x->p, low, lpi_bytes((size_t)units, x->unit_bytes),
                                 x->gamma * lpi_combine_ns(x->p, units));
}

int64_t lpi_circulant_blocks(int64_t P, const struct logp_params *p, int64_t units,
                             size_t unit_bytes, int gamma)
{
    const struct choice x = {P, units, p, unit_bytes, gamma};

    return units > 1 ? lpi_minimise(least_time, &x, 1, units) : 1;
}
