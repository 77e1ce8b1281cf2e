/* SPDX-License-Identifier: MIT */
/*
 * Scatter: the root has an item for each processor, in the order of ranks. Gather: the other way
 * round. Along a k-nomial tree (knomial.h) a processor has the items of all that are below it, one
 * after the other in the order of virtual ranks; who has none below it needs no memory for that,
 * nor does root 0, whose ranks are virtual ones.
 */
#include "collective.h"
#include "knomial.h"
#include "schedule/reader.h"

#include <string.h>

static size_t item_bytes(const struct logp_coll *c)
{
    return c->args.n_bytes;
}

static uint64_t item_seed(int P, int rank, uint64_t seed)
{
    return seed * (uint64_t)P + (uint64_t)rank;
}

/* ---- operands and results ---- */

static void scatter_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf)
{
    *buf = rank == c->args.root ? lpi_bytes((size_t)P, item_bytes(c)) : 0;
    *recv_buf = item_bytes(c);
}

static void scatter_fill(int P, int rank, uint64_t seed, const struct logp_coll *c, void *buf,
                         void *recv_buf)
{
    for (int i = 0; rank == c->args.root && i < P; i++)
        lpi_pattern_fill((char *)buf + (size_t)i * item_bytes(c), item_bytes(c),
                         item_seed(P, i, seed));
    if (item_bytes(c) > 0)
        memset(recv_buf, 0xa5, item_bytes(c));
}

static int scatter_check(int P, int rank, uint64_t seed, const struct logp_coll *c, const void *buf,
                         const void *recv_buf)
{
    (void)buf;
    return lpi_pattern_check(recv_buf, item_bytes(c), item_seed(P, rank, seed));
}

static bool scatter_promise(int64_t P, int64_t rank, const struct logp_coll *c, int64_t j,
                            struct logp_promise *out)
{
    (void)P;
    out->at.buffer = LOGP_RECV_BUF;
    out->n_bytes = item_bytes(c);
    out->from = c->args.root;
    out->offset = (size_t)rank * item_bytes(c);
    return j == 0;
}

static void gather_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf)
{
    scatter_sizes(P, rank, c, recv_buf, buf);
}

static void gather_fill(int P, int rank, uint64_t seed, const struct logp_coll *c, void *buf,
                        void *recv_buf)
{
    lpi_pattern_fill(buf, item_bytes(c), item_seed(P, rank, seed));
    if (rank == c->args.root && item_bytes(c) > 0)
        memset(recv_buf, 0xa5, (size_t)P * item_bytes(c));
}

static int gather_check(int P, int rank, uint64_t seed, const struct logp_coll *c, const void *buf,
                        const void *recv_buf)
{
    (void)buf;
    for (int i = 0; rank == c->args.root && i < P; i++)
        if (!lpi_pattern_check((const char *)recv_buf + (size_t)i * item_bytes(c), item_bytes(c),
                               item_seed(P, i, seed)))
            return false;
    return true;
}

static bool gather_promise(int64_t P, int64_t rank, const struct logp_coll *c, int64_t j,
                           struct logp_promise *out)
{
    out->at = (struct logp_spot){LOGP_RECV_BUF, (size_t)j * item_bytes(c)};
    out->n_bytes = item_bytes(c);
    out->from = j;
    return rank == c->args.root && j < P;
}

/* The root's own item: in the operands of a scatter, in the result of a gather. */
static bool scatter_in_place(int64_t P, int64_t rank, const struct logp_coll *c,
                             struct logp_spot *at)
{
    (void)P;
    *at = (struct logp_spot){LOGP_BUF, (size_t)rank * item_bytes(c)};
    return rank == c->args.root;
}

static bool gather_in_place(int64_t P, int64_t rank, const struct logp_coll *c,
                            struct logp_spot *at)
{
    (void)P;
    at->offset = (size_t)rank * item_bytes(c);
    return rank == c->args.root;
}

/* ---- flat: the root with everyone, from root + 1 on ---- */

static bool flat_scatter_steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,
                               struct logp_step *out)
{
    const int64_t root = c->args.root, to = lpi_mod(root + 1 + i, P);
    const size_t n = item_bytes(c);

    if (rank != root)
        return i == 0 && logp_step_receive(out, root, c->args.tag, LOGP_RECV_BUF, 0, n);
    if (i < P - 1)
        return logp_step_send(out, to, c->args.tag, LOGP_BUF, (size_t)to * n, n);
    return i == P - 1 && logp_step_copy(out, (struct logp_spot){LOGP_RECV_BUF, 0},
                                        (struct logp_spot){LOGP_BUF, (size_t)root * n}, n);
}

LPI_READER(flat_scatter_run, flat_scatter_steps)

static bool flat_gather_steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,
                              struct logp_step *out)
{
    const int64_t root = c->args.root, from = lpi_mod(root + i, P);
    const size_t n = item_bytes(c);

    if (rank != root)
        return i == 0 && logp_step_send(out, root, c->args.tag, LOGP_BUF, 0, n);
    if (i == 0)
        return logp_step_copy(out, (struct logp_spot){LOGP_RECV_BUF, (size_t)root * n},
                              (struct logp_spot){LOGP_BUF, 0}, n);
    return i < P && logp_step_receive(out, from, c->args.tag, LOGP_RECV_BUF, (size_t)from * n, n);
}

LPI_READER(flat_gather_run, flat_gather_steps)

/* As the broadcast: (P-2) E + D; the receives of a gather: D + (P-2) max(o_recv, gap) */
static struct logp_prediction flat_scatter_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, item_bytes(c));

    return lpi_exact(P > 1 ? (__int128)(P - 2) * t.E + t.D - t.early : 0);
}

static struct logp_prediction flat_gather_predict(int64_t P, const struct logp_coll *c)
{
    const struct logp_params *p = &c->model.params;
    const struct lpi_times t = lpi_times(p, item_bytes(c));
    const int64_t apart = lpi_max(p->o_recv_ns, logp_gap_ns(p, item_bytes(c)));

    return lpi_exact(P > 1 ? t.D - t.early + (__int128)(P - 2) * apart : 0);
}

/* ---- along the k-nomial tree ---- */

/* Room for the items of those below, where they are not in a buffer of the caller. */
static int plan(int P, int rank, int64_t k, struct logp_coll *c)
{
    const int64_t n = lpi_knomial_size(P, lpi_mod(rank - c->args.root, P), k);

    if (rank == c->args.root ? rank > 0 : n > 1)
        c->part.scratch_bytes = lpi_bytes((size_t)n, item_bytes(c));
    return 0;
}

/* Where the item of virtual rank v + at is, of those below v; `own` is the caller's buffer. */
static struct logp_spot item_at(int64_t P, int64_t rank, int64_t k, const struct logp_coll *c,
                                enum logp_buffer own, int64_t at)
{
    const bool inner = lpi_knomial_size(P, lpi_mod(rank - c->args.root, P), k) > 1;
    const bool mine = rank == c->args.root ? rank == 0 : !inner;

    return (struct logp_spot){mine ? own : LOGP_SCRATCH, (size_t)at * item_bytes(c)};
}

/* Of root > 0, between the order of ranks in its buffer and that of virtual ranks: step 0 the items
 * from its own on, step 1 those before. */
static bool rotate(int64_t P, const struct logp_coll *c, int64_t i, enum logp_buffer ranks,
                   bool to_ranks, struct logp_step *out)
{
    const size_t n = item_bytes(c), root = (size_t)c->args.root, before = (size_t)P - root;
    const struct logp_spot in_ranks = {ranks, i == 0 ? root * n : 0};
    const struct logp_spot rotated = {LOGP_SCRATCH, i == 0 ? 0 : before * n};

    return logp_step_copy(out, to_ranks ? in_ranks : rotated, to_ranks ? rotated : in_ranks,
                          (i == 0 ? before : root) * n);
}

/* From the parent all that is for those below; to each child what is for those below it. */
static bool scatter_steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t k, int64_t i,
                          struct logp_step *out)
{
    const int64_t root = c->args.root, v = lpi_mod(rank - root, P);
    const enum logp_buffer own = rank == root ? LOGP_BUF : LOGP_RECV_BUF;
    const size_t n = item_bytes(c);
    struct logp_spot at = item_at(P, rank, k, c, own, 0);
    int64_t child;

    if (v > 0 && i-- == 0)
        return logp_step_receive(out, lpi_mod(lpi_knomial_parent(P, v, k) + root, P), c->args.tag,
                                 at.buffer, 0, (size_t)lpi_knomial_size(P, v, k) * n);
    if (v == 0 && root > 0 && i < 2)
        return rotate(P, c, i, LOGP_BUF, false, out);
    i -= v == 0 && root > 0 ? 2 : 0;
    child = lpi_knomial_child(P, v, k, i);
    if (child >= 0) {
        at = item_at(P, rank, k, c, own, child - v);
        return logp_step_send(out, lpi_mod(child + root, P), c->args.tag, at.buffer, at.offset,
                              (size_t)lpi_knomial_size(P, child, k) * n);
    }
    return at.buffer != LOGP_RECV_BUF && i == lpi_knomial_children(P, v, k) &&
           logp_step_copy(out, (struct logp_spot){LOGP_RECV_BUF, 0}, at, n);
}

/* The same backwards. */
static bool gather_steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t k, int64_t i,
                         struct logp_step *out)
{
    const int64_t root = c->args.root, v = lpi_mod(rank - root, P);
    const int64_t children = lpi_knomial_children(P, v, k);
    const enum logp_buffer own = rank == root ? LOGP_RECV_BUF : LOGP_BUF;
    const size_t n = item_bytes(c);
    struct logp_spot at = item_at(P, rank, k, c, own, 0);

    if (at.buffer != LOGP_BUF && i-- == 0)
        return logp_step_copy(out, at, (struct logp_spot){LOGP_BUF, 0}, n);
    if (i < children) {
        const int64_t child = lpi_knomial_child(P, v, k, children - 1 - i);

        at = item_at(P, rank, k, c, own, child - v);
        return logp_step_receive(out, lpi_mod(child + root, P), c->args.tag, at.buffer, at.offset,
                                 (size_t)lpi_knomial_size(P, child, k) * n);
    }
    i -= children;
    if (v > 0)
        return i == 0 &&
               logp_step_send(out, lpi_mod(lpi_knomial_parent(P, v, k) + root, P), c->args.tag,
                              at.buffer, 0, (size_t)lpi_knomial_size(P, v, k) * n);
    return root > 0 && i < 2 && rotate(P, c, i, LOGP_RECV_BUF, true, out);
}

static struct lpi_times scatter_times(const struct logp_coll *c, int64_t nodes)
{
    return lpi_times(&c->model.params, lpi_bytes((size_t)nodes, item_bytes(c)));
}

/* What keeps a sender from the next message keeps a receiver. */
static struct lpi_times gather_times(const struct logp_coll *c, int64_t nodes)
{
    struct lpi_times t = scatter_times(c, nodes);

    t.E = lpi_max(c->model.params.o_recv_ns,
                  logp_gap_ns(&c->model.params, lpi_bytes((size_t)nodes, item_bytes(c))));
    return t;
}

static struct logp_prediction scatter_time(int64_t P, int64_t k, const struct logp_coll *c)
{
    return lpi_exact(P > 1 ? lpi_knomial_time(P, k, c, scatter_times) - scatter_times(c, 1).early
                           : 0);
}

static struct logp_prediction gather_time(int64_t P, int64_t k, const struct logp_coll *c)
{
    if (P > 1 && c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_exact(lpi_knomial_time(P, k, c, gather_times));
}

/* Both directions with this k. */
#define TREE(name, k)                                                                              \
    static int plan_##name(int P, int rank, struct logp_coll *c)                                   \
    {                                                                                              \
        return plan(P, rank, k, c);                                                                \
    }                                                                                              \
    static bool scatter_##name(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,      \
                               struct logp_step *out)                                              \
    {                                                                                              \
        return scatter_steps(P, rank, c, k, i, out);                                               \
    }                                                                                              \
    static bool gather_##name(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,       \
                              struct logp_step *out)                                               \
    {                                                                                              \
        return gather_steps(P, rank, c, k, i, out);                                                \
    }                                                                                              \
    static struct logp_prediction predict_scatter_##name(int64_t P, const struct logp_coll *c)     \
    {                                                                                              \
        return scatter_time(P, k, c);                                                              \
    }                                                                                              \
    static struct logp_prediction predict_gather_##name(int64_t P, const struct logp_coll *c)      \
    {                                                                                              \
        return gather_time(P, k, c);                                                               \
    }

TREE(binomial, 2)
TREE(knomial, lpi_knomial_radix(P, c))

/* ---- the rows ---- */

static const char grama[] = "Grama et al., ch. 4.4", ucc[] = "UCC";

static const struct logp_algorithm scatters[] = {
    {LOGP_ALGORITHM("scatter", "flat", "the root sends to everyone", grama),
     .steps = flat_scatter_steps, .run = flat_scatter_run, .predict = flat_scatter_predict,
     .in_place = true},
    {LOGP_ALGORITHM("scatter", "binomial", "halves of what is left, the farthest first", grama),
     .plan = plan_binomial, .steps = scatter_binomial, .predict = predict_scatter_binomial,
     .in_place = true},
    {LOGP_ALGORITHM("scatter", "knomial", "k-ths of what is left, the farthest first", ucc),
     .needs = lpi_knomial_needs, .plan = plan_knomial, .steps = scatter_knomial,
     .predict = predict_scatter_knomial, .in_place = true,
     .knobs = {LOGP_KNOB(k, lpi_knomial_radix)}},
};

static const struct logp_algorithm gathers[] = {
    {LOGP_ALGORITHM("gather", "flat", "everyone sends to the root", grama),
     .steps = flat_gather_steps, .run = flat_gather_run, .predict = flat_gather_predict,
     .in_place = true},
    {LOGP_ALGORITHM("gather", "binomial", "what has come is doubled, the nearest first", grama),
     .plan = plan_binomial, .steps = gather_binomial, .predict = predict_gather_binomial,
     .in_place = true},
    {LOGP_ALGORITHM("gather", "knomial", "what has come k times, the nearest first", ucc),
     .needs = lpi_knomial_needs, .plan = plan_knomial, .steps = gather_knomial,
     .predict = predict_gather_knomial, .in_place = true,
     .knobs = {LOGP_KNOB(k, lpi_knomial_radix)}},
};

const struct logp_collective lpi_scatter = {
    .name = "scatter",
    .summary = "an item from the root to each",
    .rooted = true,
    .operands = LOGP_OPERANDS_BYTES,
    .sizes = scatter_sizes,
    .fill = scatter_fill,
    .check = scatter_check,
    .promise = scatter_promise,
    .in_place = scatter_in_place,
    .rows = LPI_ONLY_ROWS(scatters),
};

const struct logp_collective lpi_gather = {
    .name = "gather",
    .summary = "an item from each to the root",
    .rooted = true,
    .operands = LOGP_OPERANDS_BYTES,
    .sizes = gather_sizes,
    .fill = gather_fill,
    .check = gather_check,
    .promise = gather_promise,
    .in_place = gather_in_place,
    .rows = LPI_ONLY_ROWS(gathers),
};
