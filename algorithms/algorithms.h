/* SPDX-License-Identifier: MIT */
/* What the files of this room share. */
#ifndef LPI_ALGORITHMS_H
#define LPI_ALGORITHMS_H

#include <logp/collective.h>
#include <logp/delay.h>
#include <logp/experiment.h>
#include <logp/summation.h>
#include <logp/tree.h>

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
    const __int128 ns = ((__int128)elements * p->gamma_ps + 999) / 1000;

    return ns < INT64_MAX / 8 ? (int64_t)ns : INT64_MAX / 8; /* as logp_stream_ns() */
}

static inline struct logp_prediction lpi_no_prediction(void)
{
    return (struct logp_prediction){LOGP_PREDICTION_NONE, 0};
}

/* Beyond 292 years there is none. */
static inline struct logp_prediction lpi_exact(__int128 ns)
{
    if (ns > INT64_MAX)
        return lpi_no_prediction();
    return (struct logp_prediction){LOGP_PREDICTION_EXACT, (int64_t)ns};
}

/* The largest power of two below n >= 2. */
static inline int64_t lpi_half(int64_t n)
{
    return INT64_C(1) << (63 - __builtin_clzll((uint64_t)(n - 1)));
}

/* The largest whole number whose square is at most n >= 0. */
static inline int64_t lpi_isqrt(int64_t n)
{
    int64_t root = 0;

    for (int bit = 31; bit >= 0; bit--) {
        const int64_t more = root + (INT64_C(1) << bit);

        if (more <= n / more)
            root = more;
    }
    return root;
}

static inline const char *lpi_needs_square(int64_t P, const struct logp_coll *c)
{
    (void)c;
    return lpi_isqrt(P) * lpi_isqrt(P) == P ? NULL : "a square number of processors";
}

/* shapes.c: collectives along trees. */
struct lpi_tree_shape {
    /* Parent of virtual rank v > 0, and its k-th child in the order of sending, -1: no more. */
    int (*parent)(int P, int v, const void *shape);
    int (*child)(int P, int v, int k, const void *shape);
    const void *shape;
};

/* Fill c->plan from a shape in virtual ranks; to_rank relabels them. 0; -ENOMEM */
int lpi_plan_tree(int P, int v, const struct lpi_tree_shape *shape,
                  int (*to_rank)(int v, int root, int P), struct logp_coll *c);
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
int lpi_plan_optimal(const struct logp_tree *tree, int rank, struct logp_coll *c);

/* broadcast.c */
struct logp_prediction lpi_broadcast_flat_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_broadcast_chain_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_broadcast_binary_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_broadcast_binomial_predict(int64_t P, const struct logp_coll *c);
int lpi_broadcast_optimal_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_broadcast_optimal_predict(int64_t P, const struct logp_coll *c);
int lpi_broadcast_run(struct logp_vp *vp, const struct logp_coll *c);
void lpi_broadcast_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf);
void lpi_broadcast_fill(int P, int rank, uint64_t seed, const struct logp_coll *c);
bool lpi_broadcast_check(int P, int rank, uint64_t seed, const struct logp_coll *c);

/* torus.c, torus_pipelined.c: broadcast on a torus */
int64_t lpi_torus_side(int64_t P); /* floor(sqrt(P)) */
const char *lpi_torus_needs(int64_t P, const struct logp_coll *c);
int lpi_plan_torus(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_broadcast_torus_predict(int64_t P, const struct logp_coll *c);
int64_t lpi_broadcast_torus_pipelined_block(int64_t P, const struct logp_coll *c);
int lpi_broadcast_torus_pipelined_plan(int P, int rank, struct logp_coll *c);
int lpi_broadcast_torus_pipelined_run(struct logp_vp *vp, const struct logp_coll *c);
struct logp_prediction lpi_broadcast_torus_pipelined_predict(int64_t P, const struct logp_coll *c);

/* minimise.c */
/* The x in low .. high where a function is least; among equals low, else any. bound(a, b) is at
 * most its value anywhere in a .. b, and bound(x, x) is its value. */
int64_t lpi_minimise(__int128 (*bound)(int64_t low, int64_t high, const void *arg), const void *arg,
                     int64_t low, int64_t high);
/* floor(sqrt(x)), x < 2^126 */
int64_t lpi_square_root(unsigned __int128 x);

/* barrier.c */
int lpi_barrier_dissemination_run(struct logp_vp *vp, const struct logp_coll *c);
struct logp_prediction lpi_barrier_dissemination_predict(int64_t P, const struct logp_coll *c);
void lpi_barrier_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf);
void lpi_barrier_fill(int P, int rank, uint64_t seed, const struct logp_coll *c);
bool lpi_barrier_check(int P, int rank, uint64_t seed, const struct logp_coll *c);

/* alltoall.c */
int lpi_alltoall_linear_run(struct logp_vp *vp, const struct logp_coll *c);
struct logp_prediction lpi_alltoall_linear_predict(int64_t P, const struct logp_coll *c);
void lpi_alltoall_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf);
void lpi_alltoall_fill(int P, int rank, uint64_t seed, const struct logp_coll *c);
bool lpi_alltoall_check(int P, int rank, uint64_t seed, const struct logp_coll *c);

/*
 * transpose.c: who has which part of the matrix, and what travels.
 *
 * A parcel is what a processor sends to another at a time: columns of blocks, in at most two trains
 * of messages of one size each. Its bytes lie one after another in memory.
 */
struct lpi_train {
    int64_t n; /* messages, >= 1 */
    size_t n_bytes;
};

struct lpi_parcel {
    int64_t pack_ns;
    int n_trains; /* 0: nothing to send */
    struct lpi_train trains[2];
};

/* Block i of n >= 1 of `total` columns or rows, balanced: its size, and where it begins. */
int64_t lpi_transpose_size(int64_t total, int64_t n, int64_t i);
int64_t lpi_transpose_begin(int64_t total, int64_t n, int64_t i);
/* `columns` columns for each of n destinations from rank `first`. */
struct lpi_parcel lpi_transpose_parcel(int64_t P, const struct logp_coll *c, int64_t first,
                                       int64_t n, int64_t columns);
int lpi_transpose_send(struct logp_vp *vp, const struct logp_coll *c, int to,
                       const struct lpi_parcel *parcel, const char *data);
int lpi_transpose_receive(struct logp_vp *vp, const struct logp_coll *c, int from,
                          const struct lpi_parcel *parcel, char *data);
/* The block for rank `to` out of this rank's columns, column after column. @return its end */
char *lpi_transpose_gather(int P, int rank, const struct logp_coll *c, int to, char *block);
/* Columns [first, first + n), each of this rank's part of its rows, into the result. */
void lpi_transpose_scatter(int P, int rank, const struct logp_coll *c, int64_t first, int64_t n,
                           const char *columns);
const char *lpi_transpose_needs(int64_t P, const struct logp_coll *c);
void lpi_transpose_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf);
void lpi_transpose_fill(int P, int rank, uint64_t seed, const struct logp_coll *c);
bool lpi_transpose_check(int P, int rank, uint64_t seed, const struct logp_coll *c);

/* transpose_time.c: the times of parcels, for predictions. */
struct lpi_train_time {
    int64_t n, send_gap, recv_gap; /* from the start of one message to that of the next */
    int64_t wire;                  /* from the end of a send to the arrival */
};

struct lpi_parcel_time {
    int64_t pack_ns;
    int n_trains;
    struct lpi_train_time trains[2];
};

/* When a processor is free, its gap after a send is over, and its last receive started. */
struct lpi_moment {
    __int128 free, send_next, recv_start;
};

static inline __int128 lpi_later(__int128 a, __int128 b)
{
    return a > b ? a : b;
}

extern const struct lpi_moment lpi_transpose_start;
struct lpi_parcel_time lpi_transpose_time(const struct logp_params *p,
                                          const struct lpi_parcel *parcel);
/* @return the start of the first message */
__int128 lpi_transpose_sent(const struct logp_params *p, struct lpi_moment *m,
                            const struct lpi_parcel_time *t);
/* start: of the first message, at its sender. */
void lpi_transpose_received(const struct logp_params *p, struct lpi_moment *m,
                            const struct lpi_parcel_time *t, __int128 start);
/* Do all parcels take as long as the largest one? */
bool lpi_transpose_alike(int64_t P, const struct logp_coll *c);
/* Beyond this many processors unequal parcels have only a bound. */
enum { LPI_TRANSPOSE_EXACT = 256 };
struct logp_prediction lpi_transpose_bound(__int128 ns);

/* transpose_ring.c */
int64_t lpi_transpose_window(int64_t P, const struct logp_coll *c);
int lpi_transpose_ring_plan(int P, int rank, struct logp_coll *c);
int lpi_transpose_eager_plan(int P, int rank, struct logp_coll *c);
int lpi_transpose_window_plan(int P, int rank, struct logp_coll *c);
int lpi_transpose_ring_run(struct logp_vp *vp, const struct logp_coll *c);
struct logp_prediction lpi_transpose_ring_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_transpose_eager_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_transpose_window_predict(int64_t P, const struct logp_coll *c);

/* transpose_butterfly.c */
const char *lpi_transpose_butterfly_needs(int64_t P, const struct logp_coll *c);
int lpi_transpose_butterfly_plan(int P, int rank, struct logp_coll *c);
int lpi_transpose_butterfly_run(struct logp_vp *vp, const struct logp_coll *c);
struct logp_prediction lpi_transpose_butterfly_predict(int64_t P, const struct logp_coll *c);
/* reduce.c */
/* From a child's send until its vector is part of its parent's; the least time between two such. */
struct lpi_reduce_times {
    int64_t a, B;
};

struct lpi_reduce_times lpi_reduce_times(const struct logp_coll *c);
/* Of the vector of each processor. */
size_t lpi_vector_bytes(const struct logp_coll *c);
/* Give a tree's plan what lpi_reduce_run() works with; rc: of making the tree. 0; rc, -EINVAL,
 * -ENOMEM */
int lpi_reduce_finish_plan(int rc, struct logp_coll *c);
/* T where P > 1 and there is a formula. */
struct logp_prediction lpi_reduce_ends_at(int64_t P, __int128 T, const struct logp_coll *c);
int lpi_reduce_run(struct logp_vp *vp, const struct logp_coll *c);
void lpi_reduce_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf);
void lpi_reduce_fill(int P, int rank, uint64_t seed, const struct logp_coll *c);
bool lpi_reduce_check(int P, int rank, uint64_t seed, const struct logp_coll *c);
const char *lpi_reduce_needs_commutative(int64_t P, const struct logp_coll *c);
const char *lpi_reduce_needs_order(int64_t P, const struct logp_coll *c);

/* reduce_tree.c: reductions along trees. */
const char *lpi_reduce_optimal_needs(int64_t P, const struct logp_coll *c);
int lpi_reduce_flat_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_flat_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_chain_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_chain_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_binary_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_binary_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_binomial_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_binomial_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_optimal_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_optimal_predict(int64_t P, const struct logp_coll *c);

/* kchain.c: reductions along k chains. */
const char *lpi_reduce_kchain_needs(int64_t P, const struct logp_coll *c);
int64_t lpi_reduce_kchain_k(int64_t P, const struct logp_coll *c);
int64_t lpi_reduce_kchain_opt_k(int64_t P, const struct logp_coll *c);
int64_t lpi_reduce_kchain_adaptive_k(int64_t P, const struct logp_coll *c);
int lpi_reduce_kchain_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_kchain_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_kchain_opt_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_kchain_opt_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_kchain_short_first_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_kchain_short_first_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_kchain_adaptive_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_kchain_adaptive_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_kchain_adaptive_sorted_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_kchain_adaptive_sorted_predict(int64_t P,
                                                                 const struct logp_coll *c);
/* optimal_tree.c: f(0) + ... + f(n) for d, e > 0, as long as f(n) < LOGP_TREE_MAX; else less. */
__int128 lpi_tree_sum(int64_t n, int64_t d, int64_t e);
/* Sum of the effective times of a tree whose ends are 0; d, e > 0. */
__int128 lpi_tree_total(const struct logp_tree *tree);

/* summation.c */
const char *lpi_summation_needs(int64_t P, const struct logp_coll *c);
int lpi_summation_flat_plan(int P, int rank, struct logp_coll *c);
int lpi_summation_binomial_plan(int P, int rank, struct logp_coll *c);
int lpi_summation_optimal_paper_plan(int P, int rank, struct logp_coll *c);
int lpi_summation_optimal_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_summation_flat_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_summation_binomial_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_summation_optimal_paper_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_summation_optimal_predict(int64_t P, const struct logp_coll *c);
int lpi_summation_run(struct logp_vp *vp, const struct logp_coll *c);

/* summation_operands.c: how they are spread over ids, which are relative to the root. */
struct lpi_spread {
    int64_t processors;         /* ids below take part */
    int64_t N;                  /* evenly, the first ones with one more; */
    bool along_tree;            /* or */
    struct logp_summation tree; /* as it says */
};

/* How many this one has. */
int64_t lpi_operands_of(const struct lpi_spread *spread, int64_t id);
/* These take a planned c, whose plan.scratch begins with the spread. */
void lpi_summation_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf);
void lpi_summation_fill(int P, int rank, uint64_t seed, const struct logp_coll *c);
bool lpi_summation_check(int P, int rank, uint64_t seed, const struct logp_coll *c);

/* buffers.c: buf and recv_buf of all ranks of an experiment. */
struct lpi_buffers {
    int P;
    char *memory;
    size_t stride, buf_bytes;
    size_t *offsets; /* NULL; or by rank: where its buf begins */
};

/* n zeroed pieces of size bytes, in huge pages where there are many: a fault costs a microsecond.
 * NULL: no memory. */
void *lpi_zeroed(size_t n, size_t size);
/* 0; -ENOMEM, or as logp_coll_plan(). To be destroyed in any case. */
int lpi_buffers_create(struct lpi_buffers *b, const struct logp_collective *collective,
                       const struct logp_experiment *x, int P);
/* Set buf and recv_buf of a planned c. */
void lpi_buffers_place(const struct lpi_buffers *b, const struct logp_collective *collective,
                       int rank, struct logp_coll *c);
void lpi_buffers_destroy(struct lpi_buffers *b);

/* doubling.c: broadcasts by recursive doubling, D for a message and E between sends; with a and B
 * the reductions. The farthest first: t(1) = 0, t(2) = D, t(P) = max(D + t(P-h), E + t(h)),
 * h = 2^(lg P - 1); P = 2^x: D + (x-1) max(D, E). */
__int128 lpi_doubling_time(int64_t P, int64_t D, int64_t E);
/* When all P could make another send: as t(P), but for P = 2 max(D, E); t(P) where E <= D. */
__int128 lpi_doubling_sent(int64_t P, int64_t D, int64_t E);
__int128 lpi_nearest_time(int64_t P, int64_t D, int64_t E);
__int128 lpi_mesh_time(int64_t P, int64_t D, int64_t E); /* P a square */
int lpi_most_ones(uint64_t x, int top);
int lpi_plan_nearest(int P, int rank, struct logp_coll *c);
int lpi_plan_mesh(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_broadcast_nearest_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_broadcast_mesh_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_nearest_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_nearest_predict(int64_t P, const struct logp_coll *c);
const char *lpi_reduce_mesh_needs(int64_t P, const struct logp_coll *c);
int lpi_reduce_mesh_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_mesh_predict(int64_t P, const struct logp_coll *c);

/* matvec.c */
const char *lpi_matvec_needs(int64_t P, const struct logp_coll *c);
int lpi_matvec_plan(int P, int rank, struct logp_coll *c);
int lpi_matvec_run(struct logp_vp *vp, const struct logp_coll *c);
struct logp_prediction lpi_matvec_predict(int64_t P, const struct logp_coll *c);
void lpi_matvec_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf);
void lpi_matvec_fill(int P, int rank, uint64_t seed, const struct logp_coll *c);
bool lpi_matvec_check(int P, int rank, uint64_t seed, const struct logp_coll *c);

/* topology_predict.c */
struct logp_prediction lpi_topology_predict(const struct logp_algorithm *algorithm, int64_t P,
                                            const struct logp_coll *c);

/* The whole tree of an algorithm: whole_tree.c. Level by level from the root, children of a node
 * side by side in their order. */
struct lpi_tree_place {
    int rank;
    int parent; /* index; the root: -1 */
    int k;      /* it is its parent's k-th child */
    int first_child, n_children;
};

enum lpi_direction {
    LPI_NO_TREE,
    LPI_FROM_ROOT, /* children in the order of sending */
    LPI_TO_ROOT,   /* children in the order of receiving */
};

enum lpi_direction lpi_direction_of(const struct logp_algorithm *algorithm);
/* P places, to be freed. 0; -ENOMEM, -ENOTSUP (the plans make no tree) */
int lpi_whole_tree(const struct logp_algorithm *algorithm, int P, const struct logp_coll *c,
                   struct lpi_tree_place **out);

/* op.c: n operands of an experiment. */
void lpi_op_fill(const struct logp_op *op, void *buf, size_t n, uint64_t seed);

/* pattern.c: bytes that differ with their seed, as operands. */
uint64_t lpi_pattern_word(uint64_t seed, size_t i);
void lpi_pattern_fill(void *buf, size_t n_bytes, uint64_t seed);
bool lpi_pattern_check(const void *buf, size_t n_bytes, uint64_t seed);

#endif
