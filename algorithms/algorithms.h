/* SPDX-License-Identifier: MIT */
/*
 * What the files of this room share: the abbreviations of predictions, arithmetic, trees, operands,
 * and the functions of collectives that are one file. Those of several files have a header each.
 */
#ifndef LPI_ALGORITHMS_H
#define LPI_ALGORITHMS_H

#include <logp/collective.h>
#include <logp/delay.h>
#include <logp/op.h>
#include <logp/topology.h>
#include <logp/tree.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- predictions ---- */

/*
 * The abbreviations of all predictions. A message of m bytes takes D from the start of its sending
 * to the end of its receipt; sends of one processor start E apart. With the shared gap a processor
 * that has received may start to send only max(o_recv, g) after the start of its receive: D grows
 * to that, and the end of the last receive comes `early` before it. (`early` is 0 otherwise.)
 */
struct lpi_times {
    int64_t D, E, early;
};

static inline int64_t lpi_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline __int128 lpi_later(__int128 a, __int128 b)
{
    return a > b ? a : b;
}

static inline struct lpi_times lpi_times(const struct logp_params *p, size_t n_bytes)
{
    const int64_t stream = logp_stream_ns(p, n_bytes);
    struct lpi_times t = {.D = p->o_send_ns + stream + p->L_ns + p->o_recv_ns,
                          .E = lpi_max(p->o_send_ns, logp_gap_ns(p, n_bytes))};

    if (p->gap_shared) {
        t.early = lpi_max(p->o_recv_ns, p->g_ns) - p->o_recv_ns;
        t.D += t.early;
    }
    return t;
}

/* n items of size bytes; more than can be addressed: SIZE_MAX. */
static inline size_t lpi_bytes(size_t n, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes;
}

/* Time to combine `elements` elements, rounded up to whole nanoseconds once. */
static inline int64_t lpi_combine_ns(const struct logp_params *p, int64_t elements)
{
    int64_t ps;
    __int128 ns;

    /* each step asks, and a division of 128 bits is slow */
    if (p->gamma_ps == 0)
        return 0;
    if (!__builtin_mul_overflow(elements, p->gamma_ps, &ps) && ps <= INT64_MAX - 999)
        ns = (ps + 999) / 1000;
    else
        ns = ((__int128)elements * p->gamma_ps + 999) / 1000;
    return ns < INT64_MAX / 8 ? (int64_t)ns : INT64_MAX / 8; /* as logp_stream_ns() */
}

static inline struct logp_prediction lpi_no_prediction(void)
{
    return (struct logp_prediction){.certainty = LOGP_PREDICTION_NONE};
}

/* Beyond 36 years there is none: sums of times saturate there, and no clock goes on. */
static inline struct logp_prediction lpi_exact(__int128 ns)
{
    if (ns >= INT64_MAX / 8)
        return lpi_no_prediction();
    return (struct logp_prediction){.certainty = LOGP_PREDICTION_EXACT, .ns = (int64_t)ns};
}

static inline struct logp_prediction lpi_bound(__int128 ns)
{
    struct logp_prediction prediction = lpi_exact(ns);

    if (prediction.certainty == LOGP_PREDICTION_EXACT)
        prediction.certainty = LOGP_PREDICTION_BOUND;
    return prediction;
}

/* ---- whole numbers ---- */

/* The largest power of two below n >= 2. */
static inline int64_t lpi_half(int64_t n)
{
    return INT64_C(1) << (63 - __builtin_clzll((uint64_t)(n - 1)));
}

/* n / k, rounded up; n >= 0, k >= 1 */
static inline int64_t lpi_ceil_div(int64_t n, int64_t k)
{
    return n / k + (n % k != 0);
}

/* minimise.c */
/* The x in low .. high where a function is least; among equals low, else any. bound(a, b) is at
 * most its value anywhere in a .. b, and bound(x, x) is its value. */
int64_t lpi_minimise(__int128 (*bound)(int64_t low, int64_t high, const void *arg), const void *arg,
                     int64_t low, int64_t high);
/* floor(sqrt(x)), x < 2^126 */
int64_t lpi_isqrt(unsigned __int128 x);

/* ---- trees ---- */

/* Processors as a square: its side, floor(sqrt(P)); P >= 1. */
static inline int64_t lpi_side(int64_t P)
{
    return lpi_isqrt((unsigned __int128)P);
}

static inline const char *lpi_needs_square(int64_t P, const struct logp_coll *c)
{
    (void)c;
    return lpi_side(P) * lpi_side(P) == P ? NULL : "a square number of processors";
}

/* Processors as a grid, ranks along the last dimension first. */
struct lpi_grid {
    int dimensions; /* 0: P is no such number */
    int64_t size[LOGP_TOPOLOGY_SIZES];
};

/* grid.c */
/* The sizes of the topology where that is a mesh or torus; else a square. */
struct lpi_grid lpi_grid_of(int64_t P, const struct logp_coll *c);
const char *lpi_needs_grid(int64_t P, const struct logp_coll *c);

/* shapes.c: collectives along trees. */
struct lpi_tree_shape {
    /* Parent of virtual rank v > 0, and its k-th child in the order of sending, -1: no more. */
    int (*parent)(int P, int v, const void *shape);
    int (*child)(int P, int v, int k, const void *shape);
    const void *shape;
};

/* Fill c->plan from a shape in virtual ranks; to_rank relabels them, NULL: lpi_rotate(). 0;
 * -ENOMEM */
int lpi_plan_tree(int P, int v, const struct lpi_tree_shape *shape,
                  int (*to_rank)(int v, int root, int P, const void *shape), struct logp_coll *c);
/* The usual relabelling, v = (rank - root) mod P, and its inverse. */
int lpi_rotate(int v, int root, int P);
int lpi_virtual_rank(int rank, int root, int P);
/* A reduction receives from its children in the order opposite to the broadcast's. */
void lpi_reverse_children(struct logp_plan *plan);
/* Children are in the order in which a broadcast sends to them. 0; -ENOMEM */
int lpi_plan_flat(int P, int rank, struct logp_coll *c);
int lpi_plan_chain(int P, int rank, struct logp_coll *c);
int lpi_plan_binary(int P, int rank, struct logp_coll *c);
int lpi_plan_binomial(int P, int rank, struct logp_coll *c);
int lpi_plan_nearest(int P, int rank, struct logp_coll *c); /* binomial, the nearest first */
int lpi_plan_mesh(int P, int rank, struct logp_coll *c);
int lpi_plan_optimal(const struct logp_tree *tree, int rank, struct logp_coll *c);

/* optimal_tree.c: f(0) + ... + f(n) for d, e > 0, as long as f(n) < LOGP_TREE_MAX; else less. */
__int128 lpi_tree_sum(int64_t n, int64_t d, int64_t e);
/* Sum of the effective times of a tree whose ends are 0; d, e > 0. */
__int128 lpi_tree_total(const struct logp_tree *tree);

/* topology_predict.c */
struct logp_prediction lpi_topology_predict(const struct logp_algorithm *algorithm, int64_t P,
                                            const struct logp_coll *c);

/* ---- operands ---- */

/* experiment.c: the host's clock, from any fixed time on. */
int64_t lpi_host_ns(void);

/* op.c: n operands of an experiment. */
void lpi_op_fill(const struct logp_op *op, void *buf, size_t n, uint64_t seed);

/* pattern.c: bytes that differ with their seed, as operands. */
uint64_t lpi_pattern_word(uint64_t seed, size_t i);
void lpi_pattern_fill(void *buf, size_t n_bytes, uint64_t seed);
bool lpi_pattern_check(const void *buf, size_t n_bytes, uint64_t seed);

/* ---- collectives of one file ---- */

/* barrier.c */
bool lpi_barrier_dissemination_steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,
                                     struct logp_step *out);
int lpi_barrier_dissemination_run(struct logp_vp *vp, const struct logp_coll *c);
struct logp_prediction lpi_barrier_dissemination_predict(int64_t P, const struct logp_coll *c);
void lpi_barrier_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf);
void lpi_barrier_fill(int P, int rank, uint64_t seed, const struct logp_coll *c);
int lpi_barrier_check(int P, int rank, uint64_t seed, const struct logp_coll *c);

/* alltoall.c */
bool lpi_alltoall_linear_steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,
                               struct logp_step *out);
int lpi_alltoall_linear_run(struct logp_vp *vp, const struct logp_coll *c);
struct logp_prediction lpi_alltoall_linear_predict(int64_t P, const struct logp_coll *c);
void lpi_alltoall_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf);
void lpi_alltoall_fill(int P, int rank, uint64_t seed, const struct logp_coll *c);
int lpi_alltoall_check(int P, int rank, uint64_t seed, const struct logp_coll *c);
bool lpi_alltoall_promise(int64_t P, int64_t rank, const struct logp_coll *c, int64_t j,
                          struct logp_promise *out);

/* matvec.c */
const char *lpi_matvec_needs(int64_t P, const struct logp_coll *c);
int lpi_matvec_plan(int P, int rank, struct logp_coll *c);
bool lpi_matvec_steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,
                      struct logp_step *out);
int lpi_matvec_run(struct logp_vp *vp, const struct logp_coll *c);
size_t lpi_matvec_given(int64_t P, int64_t rank, const struct logp_coll *c);
bool lpi_matvec_promise(int64_t P, int64_t rank, const struct logp_coll *c, int64_t j,
                        struct logp_promise *out);
struct logp_prediction lpi_matvec_predict(int64_t P, const struct logp_coll *c);
void lpi_matvec_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf);
void lpi_matvec_fill(int P, int rank, uint64_t seed, const struct logp_coll *c);
int lpi_matvec_check(int P, int rank, uint64_t seed, const struct logp_coll *c);

#endif
