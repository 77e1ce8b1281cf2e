/* SPDX-License-Identifier: MIT */
/*
 * Scatter: the root has an item for each processor, in the order of ranks. Gather: the other way
 * round. Along a k-nomial tree (collective.h) a processor has the items of all ranks below it, one
 * after the other in the order of virtual ranks; a leaf needs no memory for that, nor does root 0,
 * where ranks and virtual ranks are the same.
 */
#include "collective/collective.h"
#include "predict/predict.h"
#include "schedule/reader.h"

#include <errno.h>
#include <stdlib.h>

/* ---- operands and results ---- */

static void scatter_sizes(int P, int rank, const struct logp_invocation *c, size_t *buf,
                          size_t *recv_buf)
{
    *buf = rank == c->args.root ? lpi_items_extent(P, c) : 0;
    *recv_buf = lpi_items(c, rank, 1);
}

static bool scatter_postcondition(int64_t P, int64_t rank, const struct logp_invocation *c,
                                  int64_t j, struct logp_postcondition *out)
{
    (void)P;
    out->at.buffer = LOGP_RECV_BUF;
    out->n_bytes = lpi_items(c, rank, 1);
    out->from = c->args.root;
    out->offset = lpi_item_at(c, rank);
    return j == 0;
}

static int64_t scatter_bound(int64_t P, const struct logp_invocation *c)
{
    const int64_t bytes = lpi_bound_bytes(c->args.n_bytes);
    const struct lpi_need need = {.from = lpi_ranks_one(c->args.root),
                                  .to = lpi_ranks_all(P),
                                  .bytes = bytes,
                                  .each_to = true};

    return lpi_max(lpi_bound_scatter(&c->model.params, P, bytes), lpi_bound_ways(P, c, &need));
}

static void gather_sizes(int P, int rank, const struct logp_invocation *c, size_t *buf,
                         size_t *recv_buf)
{
    scatter_sizes(P, rank, c, recv_buf, buf);
}

static bool gather_postcondition(int64_t P, int64_t rank, const struct logp_invocation *c,
                                 int64_t j, struct logp_postcondition *out)
{
    if (rank != c->args.root || j >= P)
        return false;
    out->at = (struct logp_buffer_ref){LOGP_RECV_BUF, lpi_item_at(c, j)};
    out->n_bytes = lpi_items(c, j, 1);
    out->from = j;
    return true;
}

/* The root's own item: in the operands of a scatter, in the result of a gather. */
static bool scatter_in_place(int64_t P, int64_t rank, const struct logp_invocation *c,
                             struct logp_buffer_ref *at)
{
    (void)P;
    *at = (struct logp_buffer_ref){LOGP_BUF, lpi_item_at(c, rank)};
    return rank == c->args.root;
}

static bool gather_in_place(int64_t P, int64_t rank, const struct logp_invocation *c,
                            struct logp_buffer_ref *at)
{
    (void)P;
    at->offset = lpi_item_at(c, rank);
    return rank == c->args.root;
}

static int64_t gather_bound(int64_t P, const struct logp_invocation *c)
{
    const int64_t bytes = lpi_bound_bytes(c->args.n_bytes);
    const struct lpi_need need = {.from = lpi_ranks_all(P),
                                  .to = lpi_ranks_one(c->args.root),
                                  .bytes = bytes,
                                  .each_from = true};

    return lpi_max(lpi_bound_gather(&c->model.params, P, bytes), lpi_bound_ways(P, c, &need));
}

/* ---- flat: the root with each rank, from root + 1 on ---- */

static bool flat_scatter_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                               struct logp_step *out)
{
    const int64_t root = c->args.root, to = lpi_mod(root + 1 + i, P);

    if (rank != root)
        return i == 0 &&
               logp_step_receive(out, root, c->args.tag, LOGP_RECV_BUF, 0, lpi_items(c, rank, 1));
    if (i < P - 1)
        return logp_step_send(out, to, c->args.tag, LOGP_BUF, lpi_item_at(c, to),
                              lpi_items(c, to, 1));
    return i == P - 1 && logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, 0},
                                        (struct logp_buffer_ref){LOGP_BUF, lpi_item_at(c, root)},
                                        lpi_items(c, root, 1));
}

LPI_READER(flat_scatter_run, flat_scatter_steps)

static bool flat_gather_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                              struct logp_step *out)
{
    const int64_t root = c->args.root, from = lpi_mod(root + i, P);

    if (rank != root)
        return i == 0 && logp_step_send(out, root, c->args.tag, LOGP_BUF, 0, lpi_items(c, rank, 1));
    if (i == 0)
        return logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, lpi_item_at(c, root)},
                              (struct logp_buffer_ref){LOGP_BUF, 0}, lpi_items(c, root, 1));
    return i < P && logp_step_receive(out, from, c->args.tag, LOGP_RECV_BUF, lpi_item_at(c, from),
                                      lpi_items(c, from, 1));
}

LPI_READER(flat_gather_run, flat_gather_steps)

/* As the broadcast: (P-2) E + D; the receives of a gather: D + (P-2) max(o_recv, gap) */
static struct logp_prediction flat_scatter_predict(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, c->args.n_bytes);

    return lpi_exact(P > 1 ? (__int128)(P - 2) * t.E + t.D - t.early : 0);
}

static struct logp_prediction flat_gather_predict(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const struct lpi_times t = lpi_times(p, c->args.n_bytes);
    const int64_t apart = lpi_max(p->o_recv_ns, logp_params_gap_ns(p, c->args.n_bytes));

    return lpi_exact(P > 1 ? t.D - t.early + (__int128)(P - 2) * apart : 0);
}

/* ---- along a tree ---- */

/*
 * The k-nomial tree, or, with k = 0, the one that c->plan has: its parts are ranges of virtual
 * ranks, too, and the child that is farthest comes first.
 */

static int64_t size_of(int64_t P, int64_t v, int64_t k, const struct logp_invocation *c)
{
    return k > 0 ? lpi_knomial_size(P, v, k) : c->plan.own;
}

static int64_t parent_of(int64_t P, int64_t v, int64_t k, const struct logp_invocation *c)
{
    return k > 0 ? lpi_knomial_parent(P, v, k) : c->plan.parent;
}

static int64_t children_of(int64_t P, int64_t v, int64_t k, const struct logp_invocation *c)
{
    return k > 0 ? lpi_knomial_children(P, v, k) : c->plan.n_children;
}

/* -1: there is none. */
static int64_t child_of(int64_t P, int64_t v, int64_t k, const struct logp_invocation *c, int64_t i)
{
    if (k > 0)
        return lpi_knomial_child(P, v, k, i);
    return i < c->plan.n_children ? c->plan.children[i] : -1;
}

/* Of child i of v. */
static int64_t size_of_child(int64_t P, int64_t v, int64_t k, const struct logp_invocation *c,
                             int64_t i)
{
    const int *children = c->plan.children;

    if (k > 0)
        return lpi_knomial_size(P, lpi_knomial_child(P, v, k, i), k);
    return (i == 0 ? v + c->plan.own : children[i - 1]) - children[i];
}

/* The root's items are not in the order of virtual ranks, one after the other. */
static bool out_of_order(const struct logp_invocation *c)
{
    return c->args.root > 0 || lpi_items_apart(c);
}

/* Plan scratch for the items of the ranks below, where they are not in a buffer of the caller. */
static int plan(int P, int rank, int64_t k, struct logp_invocation *c)
{
    const int64_t n = size_of(P, lpi_mod(rank - c->args.root, P), k, c);

    if (rank == c->args.root ? out_of_order(c) : n > 1)
        c->plan.scratch_bytes = lpi_items(c, rank, n);
    return 0;
}

/* Where the item of virtual rank v + at is, of those below v; `own` is the caller's buffer. */
static struct logp_buffer_ref item_at(int64_t P, int64_t rank, int64_t k,
                                      const struct logp_invocation *c, enum logp_buffer own,
                                      int64_t at)
{
    const bool inner = size_of(P, lpi_mod(rank - c->args.root, P), k, c) > 1;
    const bool mine = rank == c->args.root ? !out_of_order(c) : !inner;

    return (struct logp_buffer_ref){mine ? own : LOGP_SCRATCH, lpi_items(c, rank, at)};
}

/* Of the root, between its buffer and the order of virtual ranks: step 0 the items from its own on,
 * step 1 those before; or one after the other, where they are apart. */
static bool rotate(int64_t P, const struct logp_invocation *c, int64_t i, enum logp_buffer ranks,
                   bool to_ranks, struct logp_step *out)
{
    const int64_t root = c->args.root, v = lpi_items_apart(c) ? i : i * (P - root);
    const int64_t n = lpi_items_apart(c) ? 1 : i == 0 ? P - root : root;
    const struct logp_buffer_ref in_ranks = {ranks, lpi_item_at(c, lpi_mod(root + v, P))};
    const struct logp_buffer_ref rotated = {LOGP_SCRATCH, lpi_items(c, root, v)};

    return logp_step_copy(out, to_ranks ? in_ranks : rotated, to_ranks ? rotated : in_ranks,
                          lpi_items(c, lpi_mod(root + v, P), n));
}

static int64_t rotations(int64_t P, const struct logp_invocation *c)
{
    return !out_of_order(c) ? 0 : lpi_items_apart(c) ? P : 2;
}

/* Receive all items for the ranks below from the parent; send each child those of its subtree. */
static bool scatter_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t k,
                          int64_t i, struct logp_step *out)
{
    const int64_t root = c->args.root, v = lpi_mod(rank - root, P);
    const enum logp_buffer own = rank == root ? LOGP_BUF : LOGP_RECV_BUF;
    const int64_t rotated = v == 0 ? rotations(P, c) : 0;
    struct logp_buffer_ref at = item_at(P, rank, k, c, own, 0);
    int64_t child;

    if (v > 0 && i-- == 0)
        return logp_step_receive(out, lpi_mod(parent_of(P, v, k, c) + root, P), c->args.tag,
                                 at.buffer, 0, lpi_items(c, rank, size_of(P, v, k, c)));
    if (i < rotated)
        return rotate(P, c, i, LOGP_BUF, false, out);
    i -= rotated;
    child = child_of(P, v, k, c, i);
    if (child >= 0) {
        const int64_t to = lpi_mod(child + root, P);

        at = item_at(P, rank, k, c, own, child - v);
        return logp_step_send(out, to, c->args.tag, at.buffer, at.offset,
                              lpi_items(c, to, size_of_child(P, v, k, c, i)));
    }
    return at.buffer != LOGP_RECV_BUF && i == children_of(P, v, k, c) &&
           logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, 0}, at,
                          lpi_items(c, rank, 1));
}

/* The same backwards. */
static bool gather_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t k,
                         int64_t i, struct logp_step *out)
{
    const int64_t root = c->args.root, v = lpi_mod(rank - root, P);
    const int64_t children = children_of(P, v, k, c);
    const enum logp_buffer own = rank == root ? LOGP_RECV_BUF : LOGP_BUF;
    struct logp_buffer_ref at = item_at(P, rank, k, c, own, 0);

    if (at.buffer != LOGP_BUF && i-- == 0)
        return logp_step_copy(out, at, (struct logp_buffer_ref){LOGP_BUF, 0},
                              lpi_items(c, rank, 1));
    if (i < children) {
        const int64_t child = child_of(P, v, k, c, children - 1 - i);
        const int64_t from = lpi_mod(child + root, P);

        at = item_at(P, rank, k, c, own, child - v);
        return logp_step_receive(out, from, c->args.tag, at.buffer, at.offset,
                                 lpi_items(c, from, size_of_child(P, v, k, c, children - 1 - i)));
    }
    i -= children;
    if (v > 0)
        return i == 0 && logp_step_send(out, lpi_mod(parent_of(P, v, k, c) + root, P), c->args.tag,
                                        at.buffer, 0, lpi_items(c, rank, size_of(P, v, k, c)));
    return i < rotations(P, c) && rotate(P, c, i, LOGP_RECV_BUF, true, out);
}

static struct lpi_times scatter_times(const struct logp_invocation *c, int64_t nodes)
{
    return lpi_times(&c->model.params, lpi_bytes((size_t)nodes, c->args.n_bytes));
}

/* What keeps a sender from the next message keeps a receiver. */
static struct lpi_times gather_times(const struct logp_invocation *c, int64_t nodes)
{
    struct lpi_times t = scatter_times(c, nodes);

    t.E = lpi_max(c->model.params.o_recv_ns,
                  logp_params_gap_ns(&c->model.params, lpi_bytes((size_t)nodes, c->args.n_bytes)));
    return t;
}

static struct logp_prediction scatter_time(int64_t P, int64_t k, const struct logp_invocation *c)
{
    return lpi_exact(P > 1 ? lpi_knomial_time(P, k, c, scatter_times) - scatter_times(c, 1).early
                           : 0);
}

static struct logp_prediction gather_time(int64_t P, int64_t k, const struct logp_invocation *c)
{
    if (P > 1 && c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_exact(lpi_knomial_time(P, k, c, gather_times));
}

/* Both directions with this k. */
#define TREE(name, k)                                                                              \
    static int plan_##name(int P, int rank, struct logp_invocation *c)                             \
    {                                                                                              \
        return plan(P, rank, k, c);                                                                \
    }                                                                                              \
    LPI_STEPS_WITH(scatter_##name, scatter_steps, k)                                               \
    LPI_STEPS_WITH(gather_##name, gather_steps, k)                                                 \
    static struct logp_prediction predict_scatter_##name(int64_t P,                                \
                                                         const struct logp_invocation *c)          \
    {                                                                                              \
        return scatter_time(P, k, c);                                                              \
    }                                                                                              \
    static struct logp_prediction predict_gather_##name(int64_t P,                                 \
                                                        const struct logp_invocation *c)           \
    {                                                                                              \
        return gather_time(P, k, c);                                                               \
    }

TREE(binomial, 2)
TREE(knomial, lpi_knomial_radix(P, c))

/* ---- the best tree ---- */

/*
 * The root of n nodes sends the items for the n1 farthest, and then is the root of the others:
 *     T(n) = min over n1 of max(D(n1) + T(n1), E(n1) + T(n - n1)), T(1) = 0,
 * without the second for n - n1 = 1, after which nothing is sent. A gather is the same backwards.
 */
enum {
    MOST_NODES = 1024,
    ALL_PARTS = 128 /* up to so many nodes, all n1 are tried; beyond, those about the equality */
};

struct splits {
    __int128 T[MOST_NODES + 1];
    int64_t first[MOST_NODES + 1]; /* n1 */
};

typedef struct lpi_times (*times_of)(const struct logp_invocation *c, int64_t nodes);

static __int128 time_with(const struct splits *s, const struct logp_invocation *c, times_of times,
                          int64_t n, int64_t n1)
{
    const struct lpi_times t = times(c, n1);

    return lpi_later(t.D + s->T[n1], n - n1 > 1 ? t.E + s->T[n - n1] : 0);
}

/* The largest n1 with D(n1) + T(n1) <= E(n1) + T(n - n1), or 1. */
static int64_t about_equal(const struct splits *s, const struct logp_invocation *c, times_of times,
                           int64_t n)
{
    int64_t low = 1, high = n - 1;

    while (low < high) {
        const int64_t n1 = (low + high + 1) / 2;
        const struct lpi_times t = times(c, n1);

        if (t.D + s->T[n1] <= t.E + s->T[n - n1])
            low = n1;
        else
            high = n1 - 1;
    }
    return low;
}

static void split(struct splits *s, const struct logp_invocation *c, times_of times, int64_t P)
{
    s->T[1] = 0;
    for (int64_t n = 2; n <= P; n++) {
        const int64_t equal = P > ALL_PARTS ? about_equal(s, c, times, n) : 0;
        const int64_t from = P > ALL_PARTS && equal > 2 ? equal - 2 : 1;
        const int64_t to = P > ALL_PARTS && equal + 2 < n - 1 ? equal + 2 : n - 1;

        s->first[n] = from;
        s->T[n] = time_with(s, c, times, n, from);
        for (int64_t n1 = from + 1; n1 <= to; n1++) {
            const __int128 T = time_with(s, c, times, n, n1);

            if (T < s->T[n]) {
                s->T[n] = T;
                s->first[n] = n1;
            }
        }
    }
}

static const char *optimal_needs(int64_t P, const struct logp_invocation *c)
{
    (void)c;
    return P <= MOST_NODES ? NULL : "at most 1024 processors";
}

/* The parent, the size and the children of virtual rank v. */
static int take_part(const struct splits *s, int64_t P, int64_t v, struct logp_rank_plan *plan)
{
    int64_t root = 0, n = P;

    while (v != root) { /* it is among the farthest, or among the others */
        const int64_t n1 = s->first[n];

        if (v >= root + n - n1) {
            plan->parent = (int)root;
            root += n - n1;
            n = n1;
        } else {
            n -= n1;
        }
    }
    plan->own = n;
    for (int64_t left = n; left > 1; left -= s->first[left])
        plan->n_children++;
    plan->children = malloc(((size_t)plan->n_children + 1) * sizeof(int));
    if (plan->children == NULL)
        return -ENOMEM;
    for (int i = 0; n > 1; i++) {
        n -= s->first[n];
        plan->children[i] = (int)(v + n);
    }
    return 0;
}

static int plan_optimal(int P, int rank, struct logp_invocation *c, times_of times)
{
    struct splits *s = malloc(sizeof(*s));
    int rc;

    if (s == NULL)
        return -ENOMEM;
    split(s, c, times, P);
    rc = take_part(s, P, lpi_mod(rank - c->args.root, P), &c->plan);
    free(s);
    return rc != 0 ? rc : plan(P, rank, 0, c);
}

static int plan_scatter_optimal(int P, int rank, struct logp_invocation *c)
{
    return plan_optimal(P, rank, c, scatter_times);
}

static int plan_gather_optimal(int P, int rank, struct logp_invocation *c)
{
    return plan_optimal(P, rank, c, gather_times);
}

LPI_STEPS_WITH(scatter_optimal, scatter_steps, 0)
LPI_STEPS_WITH(gather_optimal, gather_steps, 0)

static struct logp_prediction optimal_time(int64_t P, const struct logp_invocation *c,
                                           times_of times)
{
    struct splits *s = P > 1 ? malloc(sizeof(*s)) : NULL;
    __int128 T = 0;

    if (P > 1 && (s == NULL || c->model.params.gap_shared)) {
        free(s);
        return lpi_no_prediction();
    }
    if (P > 1) {
        split(s, c, times, P);
        T = s->T[P];
    }
    free(s);
    return lpi_exact(T);
}

static struct logp_prediction predict_scatter_optimal(int64_t P, const struct logp_invocation *c)
{
    return optimal_time(P, c, scatter_times);
}

static struct logp_prediction predict_gather_optimal(int64_t P, const struct logp_invocation *c)
{
    return optimal_time(P, c, gather_times);
}

/* ---- the rows ---- */

static const char grama[] = "Grama et al., ch. 4.4", ucc[] = "UCC";

static const struct logp_algorithm scatters[] = {
    {LOGP_ALGORITHM("scatter", "flat", "the root sends to every rank", grama),
     .steps = flat_scatter_steps, .run = flat_scatter_run, .predict = flat_scatter_predict,
     .in_place = true, .any_blocks = true},
    {LOGP_ALGORITHM("scatter", "binomial", "send half of the rest, the farthest rank first", grama),
     .plan = plan_binomial, .steps = scatter_binomial, .predict = predict_scatter_binomial,
     .in_place = true, .any_blocks = true},
    {LOGP_ALGORITHM("scatter", "knomial", "send 1/k of the rest, the farthest rank first", ucc),
     .needs = lpi_knomial_needs, .plan = plan_knomial, .steps = scatter_knomial,
     .predict = predict_scatter_knomial, .in_place = true, .any_blocks = true,
     .knobs = {LOGP_KNOB(k, lpi_knomial_k)}},
    {LOGP_ALGORITHM("scatter", "optimal", "the tree that is soonest done, by dynamic programming",
                    "derived here"),
     .needs = optimal_needs, .plan = plan_scatter_optimal, .steps = scatter_optimal,
     .predict = predict_scatter_optimal, .in_place = true, .any_blocks = true},
};

static const struct logp_algorithm gathers[] = {
    {LOGP_ALGORITHM("gather", "flat", "every rank sends to the root", grama),
     .steps = flat_gather_steps, .run = flat_gather_run, .predict = flat_gather_predict,
     .in_place = true, .any_blocks = true},
    {LOGP_ALGORITHM("gather", "binomial", "double the received, the nearest rank first", grama),
     .plan = plan_binomial, .steps = gather_binomial, .predict = predict_gather_binomial,
     .in_place = true, .any_blocks = true},
    {LOGP_ALGORITHM("gather", "knomial", "receive from k - 1 ranks a round, nearest first", ucc),
     .needs = lpi_knomial_needs, .plan = plan_knomial, .steps = gather_knomial,
     .predict = predict_gather_knomial, .in_place = true, .any_blocks = true,
     .knobs = {LOGP_KNOB(k, lpi_knomial_k)}},
    {LOGP_ALGORITHM("gather", "optimal", "the tree that is soonest done, by dynamic programming",
                    "derived here"),
     .needs = optimal_needs, .plan = plan_gather_optimal, .steps = gather_optimal,
     .predict = predict_gather_optimal, .in_place = true, .any_blocks = true},
};

const struct logp_collective lpi_scatter = {
    .name = "scatter",
    .summary = "the root sends a different item to each rank",
    .rooted = true,
    .operands = LOGP_OPERANDS_BYTES,
    .sizes = scatter_sizes,
    .postcondition = scatter_postcondition,
    .in_place = scatter_in_place,
    .bound = scatter_bound,
    .rows = (const struct lpi_rows *const[]){&(const struct lpi_rows)LPI_ROWS(scatters),
                                             &lpi_scatter_earliest, &lpi_shared_scatter,
                                             &lpi_contained_scatter, NULL},
};

const struct logp_collective lpi_gather = {
    .name = "gather",
    .summary = "each rank sends an item to the root",
    .rooted = true,
    .operands = LOGP_OPERANDS_BYTES,
    .sizes = gather_sizes,
    .postcondition = gather_postcondition,
    .in_place = gather_in_place,
    .bound = gather_bound,
    .rows = (const struct lpi_rows *const[]){&(const struct lpi_rows)LPI_ROWS(gathers),
                                             &lpi_gather_earliest, &lpi_shared_gather,
                                             &lpi_contained_gather, NULL},
};
