/* SPDX-License-Identifier: MIT */
/* What the collectives share: lists of algorithms, trees, blocks, vectors, halving, circulants. */
#ifndef LPI_COLLECTIVE_H
#define LPI_COLLECTIVE_H

#include <logp/algorithm.h>
#include <logp/delay.h>
#include <logp/paper.h>

#include "operand/operand.h"
#include "predict/predict.h"

/* The algorithms of one file. logp_collective.rows is a list of them, which ends with NULL; of
 * those with equal predictions the first is taken. */
struct lpi_rows {
    const struct logp_algorithm *row;
    size_t n;
};

#define LPI_ROWS(rows)                                                                             \
    {                                                                                              \
        rows, sizeof(rows) / sizeof((rows)[0])                                                     \
    }
/* Rows of a collective with one file. */
#define LPI_ONLY_ROWS(rows)                                                                        \
    (const struct lpi_rows *const[])                                                               \
    {                                                                                              \
        &(const struct lpi_rows)LPI_ROWS(rows), NULL                                               \
    }

/* Rows of one file, and those of another. */
#define LPI_ROWS_AND(rows, others)                                                                 \
    (const struct lpi_rows *const[])                                                               \
    {                                                                                              \
        &(const struct lpi_rows)LPI_ROWS(rows), &(others), NULL                                    \
    }

/* collective/shared: the algorithm `shared` of each. */
extern const struct lpi_rows lpi_shared_broadcast, lpi_shared_reduce, lpi_shared_allreduce,
    lpi_shared_reduce_scatter, lpi_shared_scan, lpi_shared_exscan, lpi_shared_scatter,
    lpi_shared_gather, lpi_shared_allgather, lpi_shared_alltoall, lpi_shared_barrier;

/* collective/census_rows.c */
extern const struct lpi_rows lpi_census_allgather, lpi_census_scan, lpi_census_exscan,
    lpi_census_allreduce, lpi_census_reduce_scatter;

/* collective/two_level.c */
extern const struct lpi_rows lpi_two_level_barrier, lpi_two_level_allreduce;

/* collective/two_level_items.c, two_level_scan.c */
extern const struct lpi_rows lpi_two_level_allgather, lpi_two_level_reduce_scatter,
    lpi_two_level_alltoall, lpi_two_level_scan, lpi_two_level_exscan;

/* collective/scatter_earliest.c */
extern const struct lpi_rows lpi_scatter_earliest, lpi_gather_earliest;

/* collective/scan_earliest.c */
extern const struct lpi_rows lpi_scan_earliest, lpi_exscan_earliest;

/* choice/contained.c: rows that use a collective which contains theirs. */
extern const struct lpi_rows lpi_contained_barrier, lpi_contained_reduce, lpi_contained_broadcast,
    lpi_contained_gather, lpi_contained_scatter, lpi_contained_allgather,
    lpi_contained_reduce_scatter, lpi_contained_exscan, lpi_contained_scan;

/* torus_rings.c */
extern const struct lpi_rows lpi_torus_rings_allreduce, lpi_torus_rings_reduce_scatter,
    lpi_torus_rings_allgather;

/* neighbours.c: rows whose messages go to neighbours of a topology alone. */
extern const struct lpi_rows lpi_neighbours_barrier, lpi_neighbours_allreduce,
    lpi_neighbours_reduce_scatter, lpi_neighbours_allgather, lpi_neighbours_alltoall;

/* choice/lanes.c: rows made of rows of other collectives, inside nodes and between them. */
extern const struct lpi_rows lpi_lanes_broadcast, lpi_lanes_reduce, lpi_lanes_allreduce,
    lpi_lanes_reduce_scatter, lpi_lanes_scan, lpi_lanes_exscan, lpi_lanes_allgather,
    lpi_lanes_barrier;

/* The table: in the order in which they are listed. */
#define LPI_COLLECTIVES(X)                                                                         \
    X(broadcast)                                                                                   \
    X(reduce)                                                                                      \
    X(summation)                                                                                   \
    X(allreduce)                                                                                   \
    X(reduce_scatter)                                                                              \
    X(scan)                                                                                        \
    X(exscan)                                                                                      \
    X(scatter)                                                                                     \
    X(gather)                                                                                      \
    X(allgather)                                                                                   \
    X(alltoall)                                                                                    \
    X(barrier)                                                                                     \
    X(transpose)                                                                                   \
    X(matvec)

#define LPI_DECLARE(name) extern const struct logp_collective lpi_##name;

LPI_COLLECTIVES(LPI_DECLARE)
LPI_DECLARE(schedule) /* is found by name alone */

/* plan.state, or its beginning, where a plan makes all steps of its rank. */
struct lpi_planned {
    int64_t n;
    struct logp_step *steps;
};

static inline bool lpi_planned_steps(int64_t P, int64_t rank, const struct logp_invocation *c,
                                     int64_t i, struct logp_step *out)
{
    const struct lpi_planned *all = c->plan.state;

    (void)P, (void)rank;
    if (i >= all->n)
        return false;
    *out = all->steps[i];
    return true;
}

/* planned.c: add a step to a list, which is NULL at first; step NULL: only make an empty list. 0; -ENOMEM,
 * and the list is as before */
int lpi_planned_add(struct lpi_planned **list, const struct logp_step *step);

/* Define logp_algorithm.needs: what `first` needs or, if that is met, what `second` needs. */
#define LPI_NEEDS_BOTH(name, first, second)                                                        \
    static const char *name(int64_t P, const struct logp_invocation *c)                            \
    {                                                                                              \
        const char *needs = first(P, c);                                                           \
                                                                                                   \
        return needs != NULL ? needs : second(P, c);                                               \
    }

/* ---- trees and grids, as the rank plan of one rank ---- */

static inline const char *lpi_needs_square(int64_t P, const struct logp_invocation *c)
{
    (void)c;
    return lpi_side(P) * lpi_side(P) == P ? NULL : "a square number of processors";
}

/* Processors as a grid, ranks along the last dimension first. */
struct lpi_grid {
    int dimensions; /* 0: no grid has P processors */
    int64_t size[LOGP_TOPOLOGY_SIZES];
};

/* shapes.c */
/* Return the grid of the topology where that is a mesh or torus; else a square. */
struct lpi_grid lpi_grid_of(int64_t P, const struct logp_invocation *c);
const char *lpi_needs_grid(int64_t P, const struct logp_invocation *c);
/* neighbours.c: the dimensions of a topology whose neighbours are linked; dimensions = 0: it has none. */
struct lpi_grid lpi_linked_grid(int64_t P, const struct logp_invocation *c);

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
                  int (*to_rank)(int v, int root, int P, const void *shape),
                  struct logp_invocation *c);
/* The usual relabelling, v = (rank - root) mod P, and its inverse. */
int lpi_rotate(int v, int root, int P);
int lpi_virtual_rank(int rank, int root, int P);
/* A reduction receives from its children in the order opposite to the broadcast's. */
void lpi_reverse_children(struct logp_rank_plan *plan);
/* Children are in the order in which a broadcast sends to them. 0; -ENOMEM */
int lpi_plan_flat(int P, int rank, struct logp_invocation *c);
int lpi_plan_chain(int P, int rank, struct logp_invocation *c);
int lpi_plan_binary(int P, int rank, struct logp_invocation *c);
int lpi_plan_binomial(int P, int rank, struct logp_invocation *c);
int lpi_plan_nearest(int P, int rank, struct logp_invocation *c); /* binomial, the nearest first */
/* As binomial, with other labels. */
int lpi_plan_bine(int P, int rank, struct logp_invocation *c);
int lpi_plan_mesh(int P, int rank, struct logp_invocation *c);
const char *lpi_needs_power(int64_t P, const struct logp_invocation *c);
int lpi_plan_optimal(const struct logp_tree *tree, int rank, struct logp_invocation *c);

/*
 * ---- earliest.c ----
 * A tree for links that differ. times: of a message whose link has c->model.params; up: messages
 * go to the root, and D and E are those of the broadcast that is this backwards.
 */
struct lpi_times;
const char *lpi_earliest_needs(int64_t P, const struct logp_invocation *c);
/* Children are in the order in which a broadcast sends to them. 0; -ENOMEM, -EOVERFLOW */
int lpi_plan_earliest(int P, int rank, struct logp_invocation *c,
                      struct lpi_times (*times)(const struct logp_invocation *c), bool up);

/* ports.c: the optimal tree for processors with several ports, in the order of a broadcast. 0;
 * -ENOMEM */
struct lpi_ports_tree;
const char *lpi_ports_needs(int64_t P, const struct logp_invocation *c);
int lpi_plan_ports(int P, int rank, struct logp_invocation *c, const struct lpi_ports_tree *tree);

/* What a tree is for. */
struct lpi_earliest {
    struct lpi_times (*times)(const struct logp_invocation *c); /* as above */
    bool up, both_ways; /* to the root; or from there and to it: then the sums of both count */
    bool grows;         /* a message has items of n_bytes for all ranks below */
    bool any_root;      /* the best of some; else c->args.root */
};

/* Find the whole tree. parent: by rank, that of the root -1; order: the ranks, the root first, the
 * children of each in the order in which a broadcast sends to them. 0; -ENOMEM, -EOVERFLOW */
int lpi_earliest_tree(int P, const struct logp_invocation *c, const struct lpi_earliest *ask,
                      int *parent, int *order);

/*
 * ---- knomial.c ----
 * The k-nomial tree over virtual ranks 0 .. P-1, 0 being the root. The parent of v is v
 * with the lowest digit, in base k, that is not 0 cleared; so the nodes below v are the
 * consecutive ones from v on. k = 2: the binomial tree. 2 <= k <= P, or k = 2.
 */

/* Return the k requested, where more than P is as good as P; 0: k is free. */
int64_t lpi_knomial_k(int64_t P, const struct logp_invocation *c);
/* Return k after it has been chosen. */
int64_t lpi_knomial_radix(int64_t P, const struct logp_invocation *c);
const char *lpi_knomial_needs(int64_t P, const struct logp_invocation *c);

/* Return the most items or blocks in a message of `pat`: k, by default all. */
static inline int64_t lpi_pat_most(int64_t P, const struct logp_invocation *c)
{
    return c->args.k > 0 && c->args.k < P ? c->args.k : P;
}

static inline const char *lpi_pat_needs(int64_t P, const struct logp_invocation *c)
{
    (void)P;
    return c->args.k >= 0 ? NULL : "a positive number of items in a message (--k)";
}

/* How many nodes there are from v on, in its part of the tree. */
int64_t lpi_knomial_size(int64_t P, int64_t v, int64_t k);
int64_t lpi_knomial_parent(int64_t P, int64_t v, int64_t k);
/* Child i = 0, 1, ..., the farthest parts first, of each the nearest. -1: there are no more */
int64_t lpi_knomial_child(int64_t P, int64_t v, int64_t k, int64_t i);
int64_t lpi_knomial_children(int64_t P, int64_t v, int64_t k);
/* Plan the tree of k = lpi_knomial_radix(), with the root's rank rotated, as the plans above.
 * 0; -ENOMEM */
int lpi_plan_knomial(int P, int rank, struct logp_invocation *c);

/* Return when the last node has its data, if a message for a part of `nodes` takes D, and keeps its
 * sender from the next for E. (Or the other way round, up the tree.) */
__int128 lpi_knomial_time(int64_t P, int64_t k, const struct logp_invocation *c,
                          struct lpi_times (*times)(const struct logp_invocation *c,
                                                    int64_t nodes));

/*
 * ---- buffer_contents.c ----
 * Blocks of n_bytes each, or of the sizes in logp_args.blocks; of P of them block P + i is block i
 * again, so a range may wrap around.
 */

/* All blocks below i. */
static inline size_t lpi_before(const struct logp_blocks *b, int64_t i)
{
    return i <= b->n ? b->before[i] : (size_t)(i / b->n) * b->before[b->n] + b->before[i % b->n];
}

/* n blocks from `first` on. */
static inline size_t lpi_blocks_size(const struct logp_blocks *b, int64_t first, int64_t n)
{
    return lpi_before(b, first + n) - lpi_before(b, first);
}

/* Items for or from n ranks, from `first` on, in bytes. */
static inline size_t lpi_items(const struct logp_invocation *c, int64_t first, int64_t n)
{
    return c->args.blocks != NULL ? lpi_blocks_size(c->args.blocks, first, n)
                                  : lpi_bytes((size_t)n, c->args.n_bytes);
}

/* Whether the buffer with all items has them at displacements, not one after the other. */
static inline bool lpi_items_apart(const struct logp_invocation *c)
{
    return c->args.blocks != NULL && c->args.blocks->displs != NULL;
}

/* Where item i, 0 .. P-1, is there. */
static inline size_t lpi_item_at(const struct logp_invocation *c, int64_t i)
{
    return lpi_items_apart(c) ? c->args.blocks->displs[i] : lpi_items(c, 0, i);
}

/* buffer_contents.c */
/* Bytes of the buffer that has all P items; saturating. */
size_t lpi_items_extent(int64_t P, const struct logp_invocation *c);
/* Bytes up to the end of the last of n blocks from `first` on. */
size_t lpi_blocks_extent(const struct logp_blocks *b, int64_t first, int64_t n);

/* Whether a whole of so many bytes or elements has so few sizes of blocks that each is tried, and no
 * estimate is needed: then the value of the row's parameter is 0. */
static inline bool lpi_tries_blocks(int64_t P, const struct logp_invocation *c, int64_t whole)
{
    enum { FEW = 64 };

    return c->args.block_bytes == 0 && whole > 1 && whole <= FEW && P > 1 && P <= FEW &&
           !c->model.undelayed;
}

/* Define logp_knob_use.value of the block of an item, or of a vector, that is otherwise `estimate`. */
#define LPI_ITEM_BLOCK(name, estimate)                                                             \
    static int64_t name(int64_t P, const struct logp_invocation *c)                                \
    {                                                                                              \
        return c->args.n_bytes <= INT32_MAX && lpi_tries_blocks(P, c, (int64_t)c->args.n_bytes)    \
                   ? 0                                                                             \
                   : estimate(P, c);                                                               \
    }
#define LPI_VECTOR_BLOCK(name, estimate)                                                           \
    static int64_t name(int64_t P, const struct logp_invocation *c)                                \
    {                                                                                              \
        return lpi_tries_blocks(P, c, c->args.count) ? 0 : estimate(P, c);                         \
    }

/* ---- vector.c: a vector of count elements on each processor ---- */

/* Of an element: 8 without an operation. */
static inline size_t lpi_element_bytes(const struct logp_invocation *c)
{
    return c->args.op != NULL ? c->args.op->element_bytes : 8;
}

/* Whole elements in blocks of args.block_bytes, at least one; 0: nothing is asked for. */
int64_t lpi_elements_asked(const struct logp_invocation *c);
/* Of so many elements. */
int64_t lpi_elements_bytes(const struct logp_invocation *c, int64_t elements);
/* Of the vector of each processor. */
size_t lpi_vector_bytes(const struct logp_invocation *c);
/* logp_collective.sizes of what leaves each processor a vector in recv_buf, too. */
void lpi_vectors_sizes(int P, int rank, const struct logp_invocation *c, size_t *buf,
                       size_t *recv_buf);
const char *lpi_needs_commutative(int64_t P, const struct logp_invocation *c);
/* Whether operands must be combined in one order: that of ranks, or one that is the same on all
 * ranks (logp_algorithm.same_results). */
static inline bool lpi_in_order(const struct logp_invocation *c)
{
    return c->args.op != NULL && (!c->args.op->commutative || lpi_must_be_same(&c->args));
}

/* Check the operation and the count. 0; -EINVAL (no operation, a negative count) */
int lpi_vector_valid(const struct logp_invocation *c);
/* logp_collective.in_place: the operands are where the result will be, from its beginning. */
bool lpi_vector_in_place(int64_t P, int64_t rank, const struct logp_invocation *c,
                         struct logp_buffer_ref *at);
/* logp_collective.postcondition: the vectors of so many ranks combined; 0: nothing. */
bool lpi_vector_promise(int64_t ranks, const struct logp_invocation *c, int64_t j,
                        struct logp_postcondition *out);
/* reduce/steps.c: of a vector that starts on a cache line of its own. */
size_t lpi_slot_bytes(size_t n_bytes);
/* logp_algorithm.plan: scratch for another vector. 0; as lpi_vector_valid() */
int lpi_vector_plan(int P, int rank, struct logp_invocation *c);

/* Steps with the whole vector; combine: at = left op right. */

static inline bool lpi_send_vector(struct logp_step *out, const struct logp_invocation *c,
                                   int64_t to, enum logp_buffer from)
{
    return logp_step_send(out, to, c->args.tag, from, 0, lpi_vector_bytes(c));
}

static inline bool lpi_receive_vector(struct logp_step *out, const struct logp_invocation *c,
                                      int64_t from, enum logp_buffer into)
{
    return logp_step_receive(out, from, c->args.tag, into, 0, lpi_vector_bytes(c));
}

/* at = left op right, of vectors that are there. */
static inline bool lpi_combine_at(struct logp_step *out, const struct logp_invocation *c,
                                  struct logp_buffer_ref at, struct logp_buffer_ref left,
                                  struct logp_buffer_ref right)
{
    return logp_step_combine(out, at, left, right, c->args.count,
                             lpi_combine_ns(&c->model.params, c->args.count));
}

static inline bool lpi_combine_vector(struct logp_step *out, const struct logp_invocation *c,
                                      enum logp_buffer at, enum logp_buffer left,
                                      enum logp_buffer right)
{
    return lpi_combine_at(out, c, (struct logp_buffer_ref){at, 0},
                          (struct logp_buffer_ref){left, 0}, (struct logp_buffer_ref){right, 0});
}

/* Vectors one after the other: n of them, and where number `at` is. */
static inline size_t lpi_vectors_bytes(const struct logp_invocation *c, int64_t n)
{
    return lpi_bytes((size_t)n, lpi_vector_bytes(c));
}

static inline struct logp_buffer_ref lpi_vector_at(const struct logp_invocation *c,
                                                   enum logp_buffer buffer, int64_t at)
{
    return (struct logp_buffer_ref){buffer, lpi_vectors_bytes(c, at)};
}

/* Return the k of rows that work in groups of k ranks: as requested; by default the k that divides
 * P and takes the least time. */
int64_t lpi_group_size(int64_t P, const struct logp_invocation *c,
                       __int128 (*time)(int64_t P, const struct logp_invocation *c, int64_t k));

/* Whether a row in groups of k leaves k free: each k that divides P is then tried. (Up to 128 these are
 * P and some up to 64, which best.c tries.) */
static inline bool lpi_tries_groups(int64_t P, const struct logp_invocation *c)
{
    enum { MOST_RANKS = 128 };

    return c->args.k == 0 && P <= MOST_RANKS && !c->model.undelayed;
}

/* Elements of a vector in n parts as even as can be: where part i begins. */
static inline int64_t lpi_part_begin(int64_t count, int64_t n, int64_t i)
{
    const int64_t longer = count % n;

    return i * (count / n) + (i < longer ? i : longer);
}

/* Processors in pairs, so that a power of two is left: with X = 2^x <= P < 2 X and r = P - X, ranks
 * 0 and 1, 2 and 3, ..., 2 r - 2 and 2 r - 1 are pairs, of which the second acts for both. */
struct lpi_fold {
    int64_t X, pairs;
    int64_t j; /* which of the X this rank is; -1: the first of a pair */
};

struct lpi_fold lpi_fold_of(int64_t P, int64_t rank);

/* The rank that is the j-th of the X, of a pair the second. */
static inline int64_t lpi_unfold(const struct lpi_fold *f, int64_t j)
{
    return j < f->pairs ? 2 * j + 1 : j + f->pairs;
}

/*
 * ---- halving.c ----
 * Vectors are combined by recursive halving, so that of X = 2^x <= P processors
 * (lpi_fold) the j-th ends with the result's part j of X; the others have handed theirs over.
 */

/* The place of a processor, and its buffers: v + shift, mod P, is its rank; acc is a vector with
 * its parts, and in is one for received parts. */
struct lpi_halving {
    int64_t P, v, shift;
    struct logp_buffer_ref acc, in;
};

/* Of X parts of a vector n from `first` on, sent to virtual rank peer or received from there. */
bool lpi_move_parts(bool sends, const struct lpi_halving *h, int64_t peer,
                    struct logp_buffer_ref vector, int64_t X, int64_t first, int64_t n,
                    const struct logp_invocation *c, struct logp_step *out);
/* Find step i of a rank that acts for itself or for a pair. @return its number of steps; or -1:
 * *out is step i */
int64_t lpi_halve(const struct lpi_halving *h, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out);
/* Add the rounds of such a halving, where P = 2^x divides the vector. */
void lpi_halving_rounds(struct lpi_rounds *r, int64_t P, const struct logp_invocation *c);
/* Return upper bounds: of the time until all ranks can continue; and of that of a message for d
 * parts. */
__int128 lpi_halving_at_most(int64_t P, const struct logp_invocation *c);
int64_t lpi_parts_at_most(int64_t X, int64_t d, const struct logp_invocation *c);

/* ceil(log2 P); P >= 1 */
static inline int lpi_ceil_log2(int64_t P)
{
    return P > 1 ? 64 - __builtin_clzll((uint64_t)P - 1) : 0;
}

/*
 * ---- circulant_blocks.c ----
 * Circulant graphs: in round k rank r meets r + skip(k) and r - skip(k) (mod P), where skip(q) =
 * P, q = ceil(log2 P), and skip(k) is half of skip(k + 1), rounded up. So skip(0) = 1, and q
 * rounds reach all, for any P. Sources: Traeff, Optimal, Non-pipelined Reduce-scatter and
 * Allreduce Algorithms, 2024; Optimal Broadcast Schedules in Logarithmic Time, 2024.
 */

/* ceil(P / 2^(q-k)); 0 <= k <= q */
static inline int64_t lpi_circulant_skip(int64_t P, int64_t k)
{
    return ((P - 1) >> (lpi_ceil_log2(P) - k)) + 1;
}

/*
 * circulant_blocks.c: n blocks from rank 0 to all in n - 1 + q rounds, in each of which a rank sends one
 * to rank + skip and gets one from rank - skip. What block it is repeats every q rounds, q more
 * each time; below 0: none.
 */
enum { LPI_CIRCULANT_ROUNDS = 62 };

struct lpi_circulant {
    int64_t n;      /* blocks */
    int64_t rounds; /* n - 1 + q; P = 1: 0 */
    int64_t first;  /* the number of the first round, mod q */
    signed char sends[LPI_CIRCULANT_ROUNDS], receives[LPI_CIRCULANT_ROUNDS];
};

/* A rank's send or receive of a round. */
struct lpi_circulant_block {
    int64_t block; /* -1: none */
    int64_t peer;
};

/* P >= 1, n >= 1 */
void lpi_circulant_plan(struct lpi_circulant *s, int64_t P, int64_t rank, int64_t n);
struct lpi_circulant_block lpi_circulant_send(const struct lpi_circulant *s, int64_t P,
                                              int64_t rank, int64_t round);
struct lpi_circulant_block lpi_circulant_receive(const struct lpi_circulant *s, int64_t P,
                                                 int64_t rank, int64_t round);

/*
 * Return an upper bound of the time with n blocks of up to n_bytes, each combined in c_ns where it
 * arrives: a round takes no longer than its message, and the last one ends with its receipt.
 */
__int128 lpi_circulant_at_most(int64_t P, const struct logp_params *p, int64_t n, size_t n_bytes,
                               int64_t c_ns);

/* Return the number of blocks of `units` units of unit_bytes with the least such bound: a
 * combination takes `gamma`, 0 or 1, times lpi_combine_ns(). */
int64_t lpi_circulant_blocks(int64_t P, const struct logp_params *p, int64_t units,
                             size_t unit_bytes, int gamma);

/*
 * ---- census.c ----
 * All processors do the same word of sends and receives at the same times. A rank knows the
 * contributions of its window [rank - w + 1, rank], mod P; at first w = 1. The j-th message has the
 * window at the j-th send, and goes to rank + (the window at the j-th receive), where it
 * continues that window. The word is the one whose windows reach P soonest. For o = 0 and g = 1 the
 * windows grow as the number of ranks that a broadcast reaches. Sources: Karp, Sahay, Santos,
 * Schauser, SPAA 1993; Bar-Noy, Kipnis, Schieber, Parallel Processing Letters 3(1), 1993; here for
 * any L, o, g, G.
 */
enum { LPI_CENSUS_MOST = 64 }; /* messages */

struct lpi_census_op { /* compact: each vp has its own word */
    unsigned sends : 1;
    unsigned
        carries : 31; /* ranks in the message, P at most; beyond P - reach they are not needed */
    int reach;        /* to rank + reach, or from rank - reach */
};

struct lpi_census {
    int n;
    bool found; /* if `exact`: false: there is none */
    __int128 time;
    struct lpi_census_op ops[2 * LPI_CENSUS_MOST];
};

struct lpi_census_cost {
    size_t fixed_bytes, rank_bytes; /* of a message, and for each rank in it */
    int64_t combine_ns;             /* after each receive; backwards: for each rank in a message */
    bool exact;                     /* no contribution may come twice */
    bool backwards; /* the word is run from its end, with sends and receives exchanged */
};

/* Find the best word, by a search or among those found before. 0; -ENOMEM. Threads: any. */
int lpi_census_find(struct lpi_census *out, int64_t P, const struct logp_params *p,
                    const struct lpi_census_cost *cost);
/* Limits of a search whose result is not kept. */
struct lpi_census_effort {
    int64_t nodes; /* of its tree; 2000 are usual */
    bool (*stop)(void *arg);
    void *arg;
};
/* Search anew, within these limits. *is_complete: no shorter word exists. 0; -ENOMEM */
int lpi_census_deepen(struct lpi_census *out, int64_t P, const struct logp_params *p,
                      const struct lpi_census_cost *cost, const struct lpi_census_effort *effort,
                      bool *is_complete);
/* Return the costs with which the row `census` of a collective searches. */
struct lpi_census_cost lpi_census_cost_of(const char *collective, const struct logp_invocation *c);
/* Find the best word for c->plan.state. 0; -ENOMEM; -EINVAL: there is none */
int lpi_census_plan(int64_t P, struct logp_invocation *c, const struct lpi_census_cost *cost);

/*
 * ---- relay.c ----
 * An item of item_bytes from each rank to each, passed on along such a word. In scratch item d is at
 * first what this rank has for rank + d, and at the end what rank - d had for this one, mod P. To pack
 * an item takes pack_ns.
 */
struct logp_prediction lpi_relay_predict(int64_t P, const struct logp_params *p, size_t item_bytes,
                                         int64_t pack_ns);
/* c->plan.state, and scratch. 0; -ENOMEM; -EINVAL: there is no word */
int lpi_relay_plan(int64_t P, size_t item_bytes, int64_t pack_ns, struct logp_invocation *c);
/* @return -1: *out is step i; else i less the number of steps */
int64_t lpi_relay_step(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out);

/*
 * ---- two_level.c ----
 * Nodes whose ranks are all of one kind, of which the last may be smaller; without nodes there is one.
 * A word for each level: one over the ranks of a node, or of a socket and then over the sockets of a
 * node, and one over the nodes, in which each rank takes part with those that have its place in other
 * nodes. Each is found for the links that it uses.
 */
enum { LPI_LEVELS = 3 };

/* An operation of a rank with another one; each rank of a smaller block sends to several. */
struct lpi_word_op {
    struct lpi_census_op op;
    int level;
    int64_t peer;
};

struct lpi_words {
    int64_t per_node;
    int n_levels;
    int64_t size[LPI_LEVELS];     /* blocks that a word is over: the innermost level is the first */
    int64_t each[LPI_LEVELS + 1]; /* ranks of such a block, apart from the last; at the end P */
    int n;
    struct lpi_word_op ops[]; /* level by level */
};

/* What a word costs over blocks of so many ranks. */
typedef struct lpi_census_cost (*lpi_words_cost)(const struct logp_invocation *c, int64_t each);

const char *lpi_nodes_needs(int64_t P, const struct logp_invocation *c);
/* Links may differ: only the number of ranks is checked. */
const char *lpi_any_nodes_needs(int64_t P, const struct logp_invocation *c);
/* Ranks of a node. */
int64_t lpi_nodes_size(int64_t P, const struct logp_invocation *c);
/* Of a message in a node, or between two. */
struct logp_params lpi_nodes_params(int64_t P, const struct logp_invocation *c, bool between);
/* The place of a rank's block among those of its line. */
int64_t lpi_words_place(int64_t rank, const struct lpi_words *w, int level);
/* c->plan.state: struct lpi_words of a rank. 0; -ENOMEM; -EINVAL: there are none */
int lpi_words_plan(int64_t P, int64_t rank, struct logp_invocation *c, lpi_words_cost cost);
/* The same for whole nodes without sockets, each operation once and without a peer. */
int lpi_words_plan_whole(int64_t P, struct logp_invocation *c, lpi_words_cost cost);

/*
 * ---- chain.c ----
 * Vectors along a chain of processors in segments, each combined where it comes; last_combines: on
 * the last one, too.
 */

/* Return the elements of a segment: as requested, but at most all; by default the best number. */
int64_t lpi_chain_elements(int64_t P, const struct logp_invocation *c, bool last_combines);
struct logp_prediction lpi_chain_predict(int64_t P, const struct logp_invocation *c,
                                         bool last_combines);
/* Rows of scan and exscan. */
extern const struct lpi_rows lpi_scan_chain, lpi_exscan_chain;

/*
 * ---- two_tree_shape.c ----
 * Two binary trees over all processors but the root, each for half of the data, in segments. An
 * inner node of one tree is a leaf of the other.
 */

/* Of a segment: how long a processor is busy that sends one and receives one, and combines it; the
 * least time between two sends, or receives, and for both; its way through the network. */
struct lpi_hop {
    int64_t busy, step, flight;
};

struct lpi_hop lpi_hop_of(const struct logp_params *p, size_t n_bytes, int64_t combine_ns);

/* Of a segment of so many elements. */
static inline struct lpi_hop lpi_vector_hop(const struct logp_invocation *c, int64_t elements)
{
    return lpi_hop_of(&c->model.params, lpi_bytes((size_t)elements, lpi_element_bytes(c)),
                      lpi_combine_ns(&c->model.params, elements));
}

/* What a whole of bytes or elements is cut into: two halves of n segments, as even as can be. */
struct lpi_halves {
    int64_t whole, n;
};

/* Where segment i of a half begins; i <= n */
int64_t lpi_segment_begin(const struct lpi_halves *h, int half, int64_t i);
/* Segments of that size, of which the last may be smaller; 0: one, of nothing. */
struct lpi_halves lpi_halves_of(int64_t whole, int64_t size);

/* The segments of one half that go from or to one processor. */
struct lpi_stream {
    int64_t start; /* the step of the first; the others follow two steps apart */
    int peer;      /* rank */
    int steps;     /* of the schedule, for each segment: the message, and what belongs to it */
    bool sends;
    bool first; /* up, receives: nothing of that half has come before it */
    bool leaf;  /* sends: this processor does not receive that half */
    int half;
    int kind; /* scan: two_tree_scan.c */
};

enum { LPI_STREAMS = 8 };

/* Steps of a processor, in plan.state. */
struct lpi_two_tree {
    struct lpi_halves halves;
    int n_streams;
    struct lpi_stream streams[LPI_STREAMS]; /* in the order of a pair of steps */
    /* From a pair of steps on, `before` steps of the schedule are done, and so many are in each. */
    struct lpi_pace {
        int64_t pair, before, each;
    } paces[2 * LPI_STREAMS];
};

/* How large segments of such a whole are at most: as asked for, but not more than a half; 0: as for
 * as many as the time is least for. hop_of: of a size in the whole's unit. */
int64_t
lpi_two_tree_segment(int64_t P, const struct logp_invocation *c, int64_t whole, int64_t asked,
                     struct lpi_hop (*hop_of)(const struct logp_invocation *c, int64_t size));
/* down: from the root; else to it. 0; -ENOMEM */
int lpi_two_tree_plan(int P, int rank, struct logp_invocation *c, const struct lpi_halves *halves,
                      const struct lpi_hop *hop, bool down);
/* Step i of the schedule: of which stream, which segment, and which of the steps that it makes.
 * NULL: it is through, *segment steps before. */
const struct lpi_stream *lpi_two_tree_at(const struct lpi_two_tree *t, int64_t i, int64_t *segment,
                                         int64_t *part);
/* At most. P >= 2 */
__int128 lpi_two_tree_time(int64_t P, int64_t n, const struct lpi_hop *hop);

/* A node of one of the two trees, and the steps in which it has the first segment of that half and
 * sends it to its children: below[0] comes before it in the order of the tree, below[1] after it. */
struct lpi_two_tree_node {
    int above, below[2]; /* nodes 1 .. p; 0: none */
    int64_t has, sends[2];
    bool begins, ends; /* its part of the tree has the first node of the order, or the last */
};

/* 1 <= v <= p; lag: of lpi_two_tree_lag() */
struct lpi_two_tree_node lpi_two_tree_node(int p, int v, int half, int64_t lag);
int64_t lpi_two_tree_lag(int64_t P, int64_t n, const struct lpi_hop *hop);
/* The step in which the last node of p has the first segment. */
int64_t lpi_two_tree_last(int p, int64_t lag);
/* Streams, in any order; then the end of them. */
void lpi_two_tree_add(struct lpi_two_tree *t, struct lpi_stream s);
void lpi_two_tree_end(struct lpi_two_tree *t);

/* grouped_scan.c: rows of scan and exscan. */
extern const struct lpi_rows lpi_scan_grouped, lpi_exscan_grouped;

/* two_tree_scan.c: rows of scan and exscan. */
extern const struct lpi_rows lpi_scan_two_tree, lpi_exscan_two_tree;

#endif
