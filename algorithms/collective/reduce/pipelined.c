/* SPDX-License-Identifier: MIT */
/*
 * Reductions in segments of --block bytes, whole elements, each sent up while the next is on its
 * way: along the trees of shapes.c, and along an in-order binary tree.
 *
 * With a and B (steps.c) of a segment and c the time to combine one, a processor with k children
 * is through with a segment at least a period after the one before it:
 *
 *      Y(k) = max(k B, (k-1) B + o_recv + c + o_send), Y(0) = max(o_send, gap), root = k B
 *
 * This is a broadcast in blocks backwards, the root sending with o_recv + c and the others
 * receiving with o_send. So where all segments are of one size the last is through (segments - 1)
 * periods after the first, the longest ones on the longest way; exact, else a bound, as if they
 * were. The chain is exact: chain.c.
 */
#include "predict/predict.h"
#include "reduce.h"

/* ---- segments ---- */

/* What one takes. */
struct segment {
    int64_t n; /* how many there are */
    int64_t a, B;
    int64_t through, leaf; /* o_recv + c + o_send; Y(0) */
};

typedef __int128 tree_time(int64_t P, const struct logp_invocation *c, const struct segment *s);

static struct segment segment_of(const struct logp_invocation *c, int64_t n, int64_t elements)
{
    const struct logp_params *p = &c->model.params;
    const size_t bytes = lpi_bytes((size_t)elements, lpi_element_bytes(c));
    const int64_t busy = p->o_recv_ns + lpi_combine_ns(p, elements);

    return (struct segment){.n = n,
                            .a = p->o_send_ns + logp_params_stream_ns(p, bytes) + p->L_ns + busy,
                            .B = lpi_max(busy, logp_params_gap_ns(p, bytes)),
                            .through = busy + p->o_send_ns,
                            .leaf = lpi_max(p->o_send_ns, logp_params_gap_ns(p, bytes))};
}

static __int128 period(int children, bool root, const void *arg)
{
    const struct segment *s = arg;
    const __int128 receives = children * (__int128)s->B;

    if (root)
        return receives;
    return children == 0 ? s->leaf : lpi_later(receives, receives - s->B + s->through);
}

/* A subtree of the root whose own root has that many children, the most in it; its first segment is
 * part of the root's result at `first`. */
static __int128 last_at(const struct segment *s, __int128 first, int children, int of_root)
{
    return first + (s->n - 1) * lpi_later(period(children, false, s), period(of_root, true, s));
}

struct choice {
    const struct logp_invocation *c;
    int64_t P;
    tree_time *time;
};

static __int128 time_of(int64_t n, int64_t size, int64_t last, const void *arg)
{
    const struct choice *choice = arg;
    const struct segment s = segment_of(choice->c, n, size);

    (void)last;
    return choice->time(choice->P, choice->c, &s);
}

/* Return the elements of a segment: as requested, but at most all; by default the number with the
 * least time. */
static int64_t elements(int64_t P, const struct logp_invocation *c, tree_time *time)
{
    const int64_t count = lpi_max(c->args.count, 0), asked = lpi_elements_asked(c);

    if (asked > 0 || count == 0 || P == 1)
        return asked > 0 && asked < count ? asked : count;
    return lpi_best_part(count, time_of, &(struct choice){c, P, time});
}

/* rc: of making the tree, whose children are in the order of receiving */
static int plan(int rc, int P, int rank, struct logp_invocation *c, tree_time *time)
{
    if (rc == 0)
        c->plan.block = elements(P, c, time);
    return lpi_reduce_finish_plan(rc, rank, c);
}

static struct logp_prediction predict(int64_t P, const struct logp_invocation *c, tree_time *time)
{
    const int64_t size = elements(P, c, time), n = size > 0 ? lpi_ceil_div(c->args.count, size) : 1;
    const struct segment s = segment_of(c, n, size);
    struct logp_prediction p;

    p = lpi_reduce_ends_at(P, P > 1 ? time(P, c, &s) : 0, c);
    if (p.certainty == LOGP_PREDICTION_EXACT && P > 1 && n > 1 && c->args.count % size != 0)
        p.certainty = LOGP_PREDICTION_BOUND;
    return p;
}

/* The functions of a row from its tree's: plan it, and time. */
#define ALONG(tree, make)                                                                          \
    static int64_t tree##_block(int64_t P, const struct logp_invocation *c)                        \
    {                                                                                              \
        return lpi_elements_bytes(c, elements(P, c, tree##_time));                                 \
    }                                                                                              \
    static int tree##_plan(int P, int rank, struct logp_invocation *c)                             \
    {                                                                                              \
        return plan(make(P, rank, c), P, rank, c, tree##_time);                                    \
    }
#define PREDICT(tree)                                                                              \
    static struct logp_prediction tree##_predict(int64_t P, const struct logp_invocation *c)       \
    {                                                                                              \
        return predict(P, c, tree##_time);                                                         \
    }

/* ---- the trees; P >= 2 ---- */

static int64_t chain_block(int64_t P, const struct logp_invocation *c)
{
    return lpi_elements_bytes(c, lpi_chain_elements(P, c, true));
}

static int chain_plan(int P, int rank, struct logp_invocation *c)
{
    const int rc = lpi_plan_chain(P, rank, c);

    if (rc == 0)
        c->plan.block = lpi_chain_elements(P, c, true);
    return lpi_reduce_finish_plan(rc, rank, c);
}

static struct logp_prediction chain_predict(int64_t P, const struct logp_invocation *c)
{
    return lpi_chain_predict(P, c, true);
}

static int children_of(int64_t size)
{
    return size > 2 ? 2 : (int)size - 1;
}

/* The root receives from its left child first, if it has two. */
static __int128 binary_time(int64_t P, const struct logp_invocation *c, const struct segment *s)
{
    const struct lpi_reduce_times t = {s->a, s->B};
    const int64_t left = lpi_reduce_binary_left(P), right = P - 1 - left;
    const __int128 first = lpi_reduce_binary_time(left, &t) + s->a;

    (void)c;
    if (right == 0)
        return last_at(s, first, children_of(left), 1);
    return lpi_later(last_at(s, first + s->B, children_of(left), 2),
                     last_at(s, lpi_reduce_binary_time(right, &t) + s->a, children_of(right), 2));
}

ALONG(binary, lpi_plan_binary)
PREDICT(binary)

static __int128 binomial_time(int64_t P, const struct logp_invocation *c, const struct segment *s)
{
    (void)c;
    return lpi_doubling_pipelined(P, s->a, s->B, s->n - 1, period, s);
}

static int plan_binomial(int P, int rank, struct logp_invocation *c)
{
    const int rc = lpi_plan_binomial(P, rank, c);

    if (rc == 0)
        lpi_reverse_children(&c->plan);
    return rc;
}

ALONG(binomial, plan_binomial)
PREDICT(binomial)

/* ---- in-order binary: all ranks below a processor's own are in its left subtree, all above in its
 * right one. The root has all below and all above it; of n others, the one in the middle has n / 2
 * below it. ---- */

struct in_order {
    int parent, left, right; /* ranks; -1: none */
};

static struct in_order in_order_of(int P, int root, int rank)
{
    int low = rank < root ? 0 : root + 1, n = rank < root ? root : P - 1 - root;
    struct in_order x = {.parent = -1, .left = -1, .right = -1};

    if (rank == root) {
        x.left = root > 0 ? root / 2 : -1;
        x.right = n > 0 ? low + n / 2 : -1;
        return x;
    }
    for (x.parent = root; rank != low + n / 2;) {
        x.parent = low + n / 2;
        if (rank < x.parent) {
            n /= 2;
        } else {
            low = x.parent + 1;
            n = (n - 1) / 2;
        }
    }
    x.left = n > 1 ? low + n / 2 / 2 : -1;
    x.right = n > 2 ? rank + 1 + (n - 1) / 2 / 2 : -1;
    return x;
}

static int in_order_parent(int P, int v, const void *shape)
{
    const int root = *(const int *)shape;

    return lpi_virtual_rank(in_order_of(P, root, lpi_rotate(v, root, P)).parent, root, P);
}

/* The left one first. */
static int in_order_child(int P, int v, int k, const void *shape)
{
    const int root = *(const int *)shape;
    const struct in_order x = in_order_of(P, root, lpi_rotate(v, root, P));
    const int child = k == 0 && x.left >= 0 ? x.left : k == (x.left >= 0) ? x.right : -1;

    return child >= 0 ? lpi_virtual_rank(child, root, P) : -1;
}

static int plan_in_order(int P, int rank, struct logp_invocation *c)
{
    const int root = c->args.root;

    return lpi_plan_tree(P, lpi_virtual_rank(rank, root, P),
                         &(struct lpi_tree_shape){in_order_parent, in_order_child, &root}, NULL, c);
}

/* t(1) = 0, t(2) = a, t(n) = t(n / 2) + a + B: the subtree received first is not the smaller
 * one. */
static __int128 in_order_subtree(int64_t n, const struct segment *s)
{
    __int128 t = 0;

    for (; n > 2; n /= 2)
        t += (__int128)s->a + s->B;
    return n == 2 ? t + s->a : t;
}

static __int128 in_order_time(int64_t P, const struct logp_invocation *c, const struct segment *s)
{
    const int64_t left = c->args.root, right = P - 1 - left;
    const int of_root = left > 0 && right > 0 ? 2 : 1;
    __int128 T = 0;

    if (left > 0)
        T = last_at(s, in_order_subtree(left, s) + s->a + (of_root - 1) * s->B, children_of(left),
                    of_root);
    if (right > 0)
        T = lpi_later(T,
                      last_at(s, in_order_subtree(right, s) + s->a, children_of(right), of_root));
    return T;
}

ALONG(in_order, plan_in_order)
PREDICT(in_order)

/* ---- the rows ---- */

LPI_VECTOR_BLOCK(chain_tried, chain_block)
LPI_VECTOR_BLOCK(binary_tried, binary_block)
LPI_VECTOR_BLOCK(binomial_tried, binomial_block)
LPI_VECTOR_BLOCK(in_order_tried, in_order_block)

#define IN_SEGMENTS(tree)                                                                          \
    .plan = tree##_plan, .predict = tree##_predict, .rough = true, .steps = lpi_reduce_steps,      \
    .run = lpi_reduce_run, .knobs = {LOGP_KNOB(block_bytes, tree##_tried)}

static const char mpi[] = "Open MPI";

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("reduce", "chain-pipelined", "along the chain in segments (--block)", mpi),
     .needs = lpi_reduce_needs_order, IN_SEGMENTS(chain)},
    {LOGP_ALGORITHM("reduce", "binary-pipelined", "a binary tree in segments (--block)", mpi),
     .needs = lpi_needs_commutative, IN_SEGMENTS(binary)},
    {LOGP_ALGORITHM("reduce", "binomial-pipelined", "the binomial tree in segments (--block)", mpi),
     .needs = lpi_reduce_needs_order, IN_SEGMENTS(binomial)},
    {LOGP_ALGORITHM("reduce", "in-order-binary",
                    "a binary tree in the order of ranks, in segments (--block)", mpi),
     IN_SEGMENTS(in_order)},
};

const struct lpi_rows lpi_reduce_pipelined = LPI_ROWS(algorithms);
