/* SPDX-License-Identifier: MIT */
/*
 * Networks of nodes, for collectives of items: what the ranks of a node have is sent to other nodes
 * together, and each rank takes part with those that have its place there. See two_level.c for
 * allgather, and reduce-scatter, which is it backwards; an alltoall first brings all items for a
 * place of any node to that place of its own. Time is folded.
 */
#include "alltoall/alltoall.h"
#include "allgather/allgather.h"
#include "collective/collective.h"
#include "predict/predict.h"

static const char source[] = "Karp et al. 1993, on each level";

/*
 * ---- where items are in scratch ----
 * The own item is the last. Before it are those of the ranks of the node before it, then the same
 * of the nodes before this one: so a window of either word is the end of scratch, and received
 * items extend it to the front.
 */

/* A stretch of items that lie side by side there and in the buffer with all. */
struct stretch {
    int64_t scratch, all, n;
};

/* Stretch j = 0 .. 2 N - 1, with N nodes: two of each, the second of which may be empty. */
static struct stretch stretch_at(int64_t P, int64_t rank, int64_t per_node, int64_t j)
{
    const int64_t nodes = P / per_node, local = rank % per_node;
    const int64_t node = lpi_mod(rank / per_node - j / 2, nodes);
    const int64_t begin = (nodes - 1 - j / 2) * per_node;

    if (j % 2 == 0)
        return (struct stretch){begin + per_node - 1 - local, node * per_node, local + 1};
    return (struct stretch){begin, node * per_node + local + 1, per_node - 1 - local};
}

/* Items of an operation: their number, and where they begin. */
struct carried {
    int64_t n, sent, received;
};

static struct carried carried_by(int64_t P, const struct lpi_words *w, int64_t k)
{
    const struct lpi_census_op *op = &w->ops[k];
    const int64_t all = k < w->n_inside ? w->per_node : P / w->per_node;
    const int64_t each = k < w->n_inside ? 1 : w->per_node;
    const int64_t n = op->carries < all - op->reach ? op->carries : all - op->reach;

    return (struct carried){n * each, P - n * each, P - (op->reach + n) * each};
}

/* ---- allgather ---- */

static int allgather_plan(int P, int rank, struct logp_invocation *c)
{
    const int64_t per_node = lpi_nodes_size(P, c);
    const struct lpi_census_cost inside = {.rank_bytes = c->args.n_bytes};
    const struct lpi_census_cost between = {.rank_bytes =
                                                lpi_bytes((size_t)per_node, c->args.n_bytes)};

    (void)rank;
    c->plan.scratch_bytes = lpi_bytes((size_t)P, c->args.n_bytes);
    return lpi_words_plan(P, c, &inside, &between);
}

static bool allgather_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                            struct logp_step *out)
{
    const struct lpi_words *w = c->plan.state;
    const struct lpi_census_op *op;
    struct stretch s;
    int64_t peer;

    if (i-- == 0)
        return lpi_copy_items(out, c, lpi_item(c, LOGP_SCRATCH, P - 1), lpi_item(c, LOGP_BUF, 0),
                              1);
    op = lpi_words_at(P, rank, w, i, &peer);
    if (op != NULL) {
        const struct carried items = carried_by(P, w, i);

        return op->sends
                   ? lpi_send_items(out, c, peer, lpi_item(c, LOGP_SCRATCH, items.sent), items.n)
                   : lpi_receive_items(out, c, peer, lpi_item(c, LOGP_SCRATCH, items.received),
                                       items.n);
    }
    i -= w->n;
    if (i >= 2 * (P / w->per_node))
        return false;
    s = stretch_at(P, rank, w->per_node, i);
    return lpi_copy_items(out, c, lpi_item(c, LOGP_RECV_BUF, s.all),
                          lpi_item(c, LOGP_SCRATCH, s.scratch), s.n);
}

static const struct logp_algorithm allgathers[] = {
    {LOGP_ALGORITHM("allgather", "two-level", "census inside nodes, then between them", source),
     .needs = lpi_nodes_needs, .plan = allgather_plan, .steps = allgather_steps},
};

const struct lpi_rows lpi_two_level_allgather = LPI_ROWS(allgathers);

/* ---- reduce-scatter: the allgather backwards ---- */

LPI_NEEDS_BOTH(reduce_scatter_needs, lpi_needs_commutative, lpi_nodes_needs)

static int reduce_scatter_plan(int P, int rank, struct logp_invocation *c)
{
    const int64_t per_node = lpi_nodes_size(P, c);
    const struct lpi_census_cost inside = lpi_census_cost_of("reduce-scatter", c);
    struct lpi_census_cost between = inside;
    const int rc = lpi_vector_plan(P, rank, c);

    between.rank_bytes = lpi_vectors_bytes(c, per_node);
    between.combine_ns = lpi_combine_ns(&c->model.params, lpi_bound_times(per_node, c->args.count));
    c->plan.scratch_bytes = lpi_bytes(2 * (size_t)P, lpi_vector_bytes(c));
    return rc != 0 ? rc : lpi_words_plan(P, c, &inside, &between);
}

static bool reduce_scatter_steps(int64_t P, int64_t rank, const struct logp_invocation *c,
                                 int64_t i, struct logp_step *out)
{
    const struct lpi_words *w = c->plan.state;
    const int64_t stretches = 2 * (P / w->per_node);
    const struct logp_buffer_ref in = lpi_vector_at(c, LOGP_SCRATCH, P);

    if (i < stretches) {
        const struct stretch s = stretch_at(P, rank, w->per_node, i);

        return logp_step_copy(out, lpi_vector_at(c, LOGP_SCRATCH, s.scratch),
                              lpi_vector_at(c, LOGP_BUF, s.all), lpi_vectors_bytes(c, s.n));
    }
    i -= stretches;
    for (int k = w->n - 1; k >= 0; k--) {
        int64_t peer; /* forwards: where it sends to, or receives from */
        const struct lpi_census_op *op = lpi_words_at(P, rank, w, k, &peer);
        const struct carried items = carried_by(P, w, k);

        if (!op->sends && i-- == 0)
            return logp_step_send(out, peer, c->args.tag, LOGP_SCRATCH,
                                  lpi_vector_at(c, LOGP_SCRATCH, items.received).offset,
                                  lpi_vectors_bytes(c, items.n));
        if (op->sends && i-- == 0)
            return logp_step_receive(out, peer, c->args.tag, in.buffer, in.offset,
                                     lpi_vectors_bytes(c, items.n));
        if (op->sends && i-- == 0) {
            const struct logp_buffer_ref at = lpi_vector_at(c, LOGP_SCRATCH, items.sent);
            const int64_t elements = lpi_bound_times(items.n, c->args.count);

            return logp_step_combine(out, at, at, in, elements,
                                     lpi_combine_ns(&c->model.params, elements));
        }
    }
    return i == 0 && logp_step_copy(out, lpi_vector_at(c, LOGP_RECV_BUF, 0),
                                    lpi_vector_at(c, LOGP_SCRATCH, P - 1), lpi_vectors_bytes(c, 1));
}

static const struct logp_algorithm reduce_scatters[] = {
    {LOGP_ALGORITHM("reduce-scatter", "two-level", "census between nodes, then inside, backwards",
                    source),
     .needs = reduce_scatter_needs, .plan = reduce_scatter_plan, .steps = reduce_scatter_steps,
     .in_place = true},
};

const struct lpi_rows lpi_two_level_reduce_scatter = LPI_ROWS(reduce_scatters);

/* ---- alltoall ---- */

/*
 * With m ranks on each of N nodes: the items of a rank for place l of all nodes go to place l of
 * its own node, together; then what place l has for another node goes to place l there, together,
 * m items. In the first half of scratch they are by place in the own node, N each, by node; in the
 * second half by node, m each, by place. Messages go out as in `linear`: all are sent, then all are
 * received.
 */

struct level {
    int64_t m, N, node, local;
};

static struct level level_of(int64_t P, int64_t rank, const struct logp_invocation *c)
{
    const int64_t m = lpi_nodes_size(P, c);

    return (struct level){m, P / m, rank / m, rank % m};
}

static int alltoall_plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    c->plan.scratch_bytes = lpi_bytes(3 * (size_t)P, c->args.n_bytes);
    c->plan.early = true;
    return 0;
}

/* n items from `from` on, `apart` items from each other, side by side. */
static bool gather_items(struct logp_step *out, const struct logp_invocation *c,
                         struct logp_buffer_ref to, struct logp_buffer_ref from, int64_t n,
                         int64_t apart)
{
    logp_step_copy(out, to, from, c->args.n_bytes);
    out->n = n;
    out->at_stride = c->args.n_bytes;
    out->right_stride = (size_t)apart * c->args.n_bytes;
    return true;
}

/* In the own node: gather what goes to each place; send; receive. m + 2 (m - 1) steps */
static bool step_inside(const struct level *v, const struct logp_invocation *c, int64_t i,
                        struct logp_step *out)
{
    const int64_t m = v->m, N = v->N, P = m * N;
    int64_t d, place;

    if (i < m) /* the own is where it will be used */
        return gather_items(out, c, lpi_item(c, LOGP_SCRATCH, i == v->local ? i * N : P + i * N),
                            lpi_item(c, LOGP_BUF, i), N, m);
    i -= m;
    d = i < m - 1 ? i + 1 : i - (m - 1) + 1;
    place = lpi_mod(i < m - 1 ? v->local + d : v->local - d, m);
    if (i < m - 1)
        return lpi_send_items(out, c, v->node * m + place, lpi_item(c, LOGP_SCRATCH, P + place * N),
                              N);
    return lpi_receive_items(out, c, v->node * m + place, lpi_item(c, LOGP_SCRATCH, place * N), N);
}

/* Between nodes: gather what goes to each; send; receive into the result. N + 2 (N - 1) steps */
static bool step_between(const struct level *v, const struct logp_invocation *c, int64_t i,
                         struct logp_step *out)
{
    const int64_t m = v->m, N = v->N, P = m * N;
    int64_t d, node;

    if (i < N)
        return gather_items(out, c,
                            i == v->node ? lpi_item(c, LOGP_RECV_BUF, i * m)
                                         : lpi_item(c, LOGP_SCRATCH, 2 * P + i * m),
                            lpi_item(c, LOGP_SCRATCH, i), m, N);
    i -= N;
    d = i < N - 1 ? i + 1 : i - (N - 1) + 1;
    node = lpi_mod(i < N - 1 ? v->node + d : v->node - d, N);
    if (i < N - 1)
        return lpi_send_items(out, c, node * m + v->local,
                              lpi_item(c, LOGP_SCRATCH, 2 * P + node * m), m);
    return lpi_receive_items(out, c, node * m + v->local, lpi_item(c, LOGP_RECV_BUF, node * m), m);
}

static bool alltoall_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                           struct logp_step *out)
{
    const struct level v = level_of(P, rank, c);
    const int64_t inside = v.m + 2 * (v.m - 1), between = v.N + 2 * (v.N - 1);

    if (i < inside)
        return step_inside(&v, c, i, out);
    return i - inside < between && step_between(&v, c, i - inside, out);
}

/* Without nodes there is only the first part. */
static struct logp_prediction alltoall_predict(int64_t P, const struct logp_invocation *c)
{
    return c->model.links == NULL ? lpi_alltoall_linear(P, c) : lpi_no_prediction();
}

static const struct logp_algorithm alltoalls[] = {
    {LOGP_ALGORITHM("alltoall", "two-level", "to a place in the own node, then to that of others",
                    "this library"),
     .needs = lpi_nodes_needs, .plan = alltoall_plan, .steps = alltoall_steps,
     .predict = alltoall_predict, .in_place = true},
};

const struct lpi_rows lpi_two_level_alltoall = LPI_ROWS(alltoalls);
