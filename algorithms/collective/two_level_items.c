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
 * Each level uses a half of scratch, alternately. Its blocks are at the end of the half: the own is the
 * last, before it is the one before, and so on around, each in the order of ranks. So a window of any
 * word is at the end, and received items extend it to the front. After the level its blocks are copied
 * into the order of ranks: to the end of the other half, or into the result.
 */

/* Items of the n blocks of a level that end with the block `place` of the rank's line. */
static int64_t items_of(int64_t P, int64_t rank, const struct lpi_words *w, int level,
                        int64_t place, int64_t n)
{
    const int64_t first = rank - rank % w->each[level + 1], size = w->size[level];
    const bool has_last = lpi_mod(place - (size - 1), size) < n; /* it alone may be smaller */

    return n * w->each[level] - (has_last ? lpi_max(size * w->each[level] - (P - first), 0) : 0);
}

/* Items of an operation: their number, and where they begin in the half of its level. */
struct carried {
    int64_t n, begin;
};
/* ---- allgather ---- */

static struct carried carried_by(int64_t P, int64_t rank, const struct lpi_words *w, int k)
{
    const int level = w->ops[k].level;
    const int64_t size = w->size[level], place = lpi_words_place(rank, w, level);
    const int64_t reach = w->ops[k].op.reach, most = size - reach;
    const int64_t n = w->ops[k].op.carries < most ? w->ops[k].op.carries : most;

    if (w->ops[k].op.sends) {
        const int64_t items = items_of(P, rank, w, level, place, n);

        return (struct carried){items, P - items};
    }
    return (struct carried){items_of(P, rank, w, level, lpi_mod(place - reach, size), n),
                            P - items_of(P, rank, w, level, place, reach + n)};
}

/* Where a level's items begin in scratch. */
static int64_t half_of(int64_t P, int level)
{
    return level % 2 * P;
}

/* A stretch of items that lie side by side around a line and in the order of ranks. */
struct stretch {
    int64_t scratch, in_order, n; /* scratch: in the level's half */
};

/* Two of a level: the blocks up to the own one, and those after it, which may be none. in_order: in the
 * half of the next level, or of all items. */
static struct stretch stretch_at(int64_t P, int64_t rank, const struct lpi_words *w, int level,
                                 int64_t j)
{
    const int64_t place = lpi_words_place(rank, w, level);
    const int64_t all = items_of(P, rank, w, level, place, w->size[level]);
    const int64_t up_to_own = items_of(P, rank, w, level, place, place + 1);

    return j == 0 ? (struct stretch){P - up_to_own, P - all, up_to_own}
                  : (struct stretch){P - all, P - all + up_to_own, all - up_to_own};
}

static bool is_outermost(const struct lpi_words *w, int level)
{
    return level == w->n_levels - 1;
}

/* Step i of those after the first: an operation, or a stretch after a level. */
struct part {
    int level, op;   /* op < 0: a stretch */
    int64_t stretch; /* 0, 1 */
};

/* @return false: there is none */
static bool part_at(const struct lpi_words *w, int64_t i, struct part *out)
{
    int k = 0;

    for (int level = 0; level < w->n_levels; level++) {
        for (; k < w->n && w->ops[k].level == level; k++)
            if (i-- == 0) {
                *out = (struct part){level, k, 0};
                return true;
            }
        if (i < 2) {
            *out = (struct part){level, -1, i};
            return true;
        }
        i -= 2;
    }
    return false;
}

static struct lpi_census_cost allgather_cost(const struct logp_invocation *c, int64_t each)
{
    return (struct lpi_census_cost){.rank_bytes = lpi_bytes((size_t)each, c->args.n_bytes)};
}

static int allgather_plan(int P, int rank, struct logp_invocation *c)
{
    c->plan.scratch_bytes = lpi_bytes(2 * (size_t)P, c->args.n_bytes);
    return lpi_words_plan(P, rank, c, allgather_cost);
}

static bool allgather_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                            struct logp_step *out)
{
    const struct lpi_words *w = c->plan.state;
    struct carried items;
    struct stretch s;
    struct part part;

    if (i == 0)
        return lpi_copy_items(out, c, lpi_item(c, LOGP_SCRATCH, P - 1), lpi_item(c, LOGP_BUF, 0),
                              1);
    if (!part_at(w, i - 1, &part))
        return false;
    if (part.op < 0) {
        s = stretch_at(P, rank, w, part.level, part.stretch);
        return lpi_copy_items(
            out, c,
            is_outermost(w, part.level)
                ? lpi_item(c, LOGP_RECV_BUF, s.in_order)
                : lpi_item(c, LOGP_SCRATCH, half_of(P, part.level + 1) + s.in_order),
            lpi_item(c, LOGP_SCRATCH, half_of(P, part.level) + s.scratch), s.n);
    }
    items = carried_by(P, rank, w, part.op);
    return (w->ops[part.op].op.sends ? lpi_send_items : lpi_receive_items)(
        out, c, w->ops[part.op].peer,
        lpi_item(c, LOGP_SCRATCH, half_of(P, part.level) + items.begin), items.n);
}

static const struct logp_algorithm allgathers[] = {
    {LOGP_ALGORITHM("allgather", "two-level", "census inside nodes, then between them", source),
     .needs = lpi_nodes_needs, .plan = allgather_plan, .steps = allgather_steps},
};

const struct lpi_rows lpi_two_level_allgather = LPI_ROWS(allgathers);

/* ---- reduce-scatter: the allgather backwards ---- */

LPI_NEEDS_BOTH(reduce_scatter_needs, lpi_needs_commutative, lpi_nodes_needs)

static struct lpi_census_cost reduce_scatter_cost(const struct logp_invocation *c, int64_t each)
{
    struct lpi_census_cost cost = lpi_census_cost_of("reduce-scatter", c);

    cost.rank_bytes = lpi_vectors_bytes(c, each);
    cost.combine_ns = lpi_combine_ns(&c->model.params, lpi_bound_times(each, c->args.count));
    return cost;
}

static int reduce_scatter_plan(int P, int rank, struct logp_invocation *c)
{
    const int rc = lpi_vector_plan(P, rank, c);

    c->plan.scratch_bytes = lpi_bytes(3 * (size_t)P, lpi_vector_bytes(c));
    return rc != 0 ? rc : lpi_words_plan(P, rank, c, reduce_scatter_cost);
}

/* An operation backwards: a rank sends the items that it would receive; it receives those that it
 * would send, and combines them. @return false: *i is less by the steps of the operation */
static bool step_back(int64_t P, int64_t rank, const struct logp_invocation *c, int k, int64_t *i,
                      struct logp_step *out)
{
    const struct lpi_words *w = c->plan.state;
    const struct lpi_word_op *op = &w->ops[k];
    const struct carried items = carried_by(P, rank, w, k);
    const struct logp_buffer_ref in = lpi_vector_at(c, LOGP_SCRATCH, 2 * P),
                                 at = lpi_vector_at(c, LOGP_SCRATCH,
                                                    half_of(P, op->level) + items.begin);
    const int64_t elements = lpi_bound_times(items.n, c->args.count);

    if ((*i)-- == 0)
        return (op->op.sends ? logp_step_receive : logp_step_send)(
            out, op->peer, c->args.tag, LOGP_SCRATCH, op->op.sends ? in.offset : at.offset,
            lpi_vectors_bytes(c, items.n));
    return op->op.sends && (*i)-- == 0 &&
           logp_step_combine(out, at, at, in, elements, lpi_combine_ns(&c->model.params, elements));
}

static bool reduce_scatter_steps(int64_t P, int64_t rank, const struct logp_invocation *c,
                                 int64_t i, struct logp_step *out)
{
    const struct lpi_words *w = c->plan.state;

    for (int level = w->n_levels - 1, k = w->n - 1; level >= 0; level--) {
        if (i < 2) {
            const struct stretch s = stretch_at(P, rank, w, level, i);

            return logp_step_copy(
                out, lpi_vector_at(c, LOGP_SCRATCH, half_of(P, level) + s.scratch),
                is_outermost(w, level)
                    ? lpi_vector_at(c, LOGP_BUF, s.in_order)
                    : lpi_vector_at(c, LOGP_SCRATCH, half_of(P, level + 1) + s.in_order),
                lpi_vectors_bytes(c, s.n));
        }
        i -= 2;
        for (; k >= 0 && w->ops[k].level == level; k--)
            if (step_back(P, rank, c, k, &i, out))
                return true;
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
 * Of two nodes, as many places have a partner in the other one as the smaller of them has: place l is
 * there for the places l, l + k, l + 2k ... of the other node, with k partners. The items of a rank for
 * all that place l is there for go to place l of its own node, together; then what place l has for
 * another node goes to place l there, together. Only the last node may be smaller, with r ranks: the
 * items from it are then passed on from place l < r to the places l + r, l + 2r ... Messages go out as
 * in `linear`: all are sent, then all are received.
 *
 * Scratch: items from all ranks of the node, by rank; items for them, by place; items for other nodes,
 * by node; and items from the last node, by the place that gets them.
 */

struct level {
    int64_t m, N, r; /* ranks of a node, but r of the last one; nodes */
    int64_t full;    /* nodes of m ranks: N, or one less */
    int64_t node, local, size;
    int64_t turns; /* places of another node that this one is there for, at most */
    int64_t each;  /* items of each rank of the node that this place gets */
    int64_t to_place, to_node, from_last; /* in scratch: where parts begin */
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Places l, l + k ... below n. */
static int64_t places_of(int64_t n, int64_t k, int64_t l)
{
    return l < n ? (n - l - 1) / k + 1 : 0;
}

/* The items of a rank that go to this place of its node: for the other node of each pair, by turn; the
 * last node is behind the others. */
static int64_t items_for(const struct level *v, int64_t place)
{
    if (v->size == v->m)
        return v->full + (v->r < v->m && place < v->r);
    return v->full * places_of(v->m, v->r, place) + 1;
}

static struct level level_of(int64_t P, int64_t rank, const struct logp_invocation *c)
{
    const int64_t m = lpi_nodes_size(P, c), N = lpi_ceil_div(P, m);
    struct level v = {.m = m, .N = N, .r = P - (N - 1) * m, .full = P / m};

    v.node = rank / m;
    v.local = rank % m;
    v.size = v.node < N - 1 ? m : v.r;
    v.turns = v.size < m ? places_of(m, v.r, v.local) : 1;
    v.each = items_for(&v, v.local);
    v.to_place = v.size * v.each;
    v.to_node = v.to_place + P;
    v.from_last = v.to_node + N * v.turns * v.size;
    return v;
}

static int alltoall_plan(int P, int rank, struct logp_invocation *c)
{
    const struct level v = level_of(P, rank, c);

    const int64_t passed_on = v.r < v.m ? places_of(v.m, v.r, v.local) * v.r : 0;

    c->plan.scratch_bytes = lpi_bytes((size_t)(v.from_last + passed_on), c->args.n_bytes);
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

/* Where the items for a place of the own node begin, of those by place. */
static int64_t begin_of(const struct level *v, int64_t place)
{
    if (v->size == v->m)
        return place * v->full + (v->r < v->m ? least(place, v->r) : 0);
    return v->full * (v->m / v->r * place + least(place, v->m % v->r)) + place;
}

/* Gather the items for all places; the own are where they will be used. A full node has one copy for
 * each place; the last one has a copy for each place of a full node, and for each of its own. */
static bool gather_for_places(const struct level *v, const struct logp_invocation *c, int64_t i,
                              struct logp_step *out)
{
    const bool is_full = v->size == v->m;
    const int64_t place = is_full ? i : i < v->m ? i % v->r : i - v->m;
    int64_t to = place == v->local ? v->local * v->each : v->to_place + begin_of(v, place);

    if (is_full)
        return gather_items(out, c, lpi_item(c, LOGP_SCRATCH, to), lpi_item(c, LOGP_BUF, place),
                            items_for(v, place), v->m);
    to += i < v->m ? i / v->r * v->full : items_for(v, place) - 1;
    return gather_items(out, c, lpi_item(c, LOGP_SCRATCH, to),
                        lpi_item(c, LOGP_BUF, i < v->m ? i : v->full * v->m + place),
                        i < v->m ? v->full : 1, v->m);
}

/* In the own node. */
static bool step_inside(const struct level *v, const struct logp_invocation *c, int64_t *i,
                        struct logp_step *out)
{
    const int64_t copies = v->size == v->m ? v->m : v->m + v->r, others = v->size - 1;
    const int64_t first = v->node * v->m;
    int64_t place;

    if (*i < copies)
        return gather_for_places(v, c, *i, out);
    *i -= copies;
    if (*i < others) {
        place = lpi_mod(v->local + *i + 1, v->size);
        return lpi_send_items(out, c, first + place,
                              lpi_item(c, LOGP_SCRATCH, v->to_place + begin_of(v, place)),
                              items_for(v, place));
    }
    *i -= others;
    if (*i < others) {
        place = lpi_mod(v->local - *i - 1, v->size);
        return lpi_receive_items(out, c, first + place, lpi_item(c, LOGP_SCRATCH, place * v->each),
                                 v->each);
    }
    *i -= others;
    return false;
}

/* Whether this place has a partner in another node. */
static bool has_partner(const struct level *v, int64_t node)
{
    return v->local < v->r || (node < v->full && v->node < v->full);
}

/* Between nodes: gather what goes to each; send; receive into the result, or items that are also for others. */
static bool step_between(const struct level *v, const struct logp_invocation *c, int64_t *i,
                         struct logp_step *out)
{
    for (int64_t node = 0; node < v->N; node++) {
        const int64_t turns = node == v->node || node >= v->full ? 1 : v->turns;

        if (!has_partner(v, node))
            continue;
        if (*i < turns) {
            const int64_t item =
                node < v->full ? *i * v->full + node : v->each - 1; /* of each rank of the node */
            const int64_t to = v->to_node + (node * v->turns + *i) * v->size;

            return gather_items(out, c,
                                node == v->node ? lpi_item(c, LOGP_RECV_BUF, node * v->m)
                                                : lpi_item(c, LOGP_SCRATCH, to),
                                lpi_item(c, LOGP_SCRATCH, item), v->size, v->each);
        }
        *i -= turns;
    }
    for (int64_t d = 1; d < v->N; d++) {
        const int64_t node = lpi_mod(v->node + d, v->N);
        const int64_t turns = node < v->full ? v->turns : 1;

        if (has_partner(v, node) && (*i)-- == 0)
            return lpi_send_items(out, c, node * v->m + v->local,
                                  lpi_item(c, LOGP_SCRATCH, v->to_node + node * v->turns * v->size),
                                  turns * v->size);
    }
    for (int64_t d = 1; d < v->N; d++) {
        const int64_t node = lpi_mod(v->node - d, v->N);

        if (!has_partner(v, node) || (*i)-- != 0)
            continue;
        if (node < v->full)
            return lpi_receive_items(out, c, node * v->m + v->local,
                                     lpi_item(c, LOGP_RECV_BUF, node * v->m), v->m);
        return lpi_receive_items(out, c, node * v->m + v->local,
                                 lpi_item(c, LOGP_SCRATCH, v->from_last),
                                 places_of(v->m, v->r, v->local) * v->r);
    }
    return false;
}

/* In a full node: pass on the items from a smaller one. */
static bool step_from_last(const struct level *v, const struct logp_invocation *c, int64_t i,
                           struct logp_step *out)
{
    const struct logp_buffer_ref result = lpi_item(c, LOGP_RECV_BUF, v->full * v->m);

    if (v->r == v->m || v->node == v->full)
        return false;
    if (v->local >= v->r)
        return i == 0 && lpi_receive_items(out, c, v->node * v->m + v->local % v->r, result, v->r);
    if (i >= places_of(v->m, v->r, v->local))
        return false;
    if (i == places_of(v->m, v->r, v->local) - 1) /* the own comes last */
        return lpi_copy_items(out, c, result, lpi_item(c, LOGP_SCRATCH, v->from_last), v->r);
    return lpi_send_items(out, c, v->node * v->m + v->local + (i + 1) * v->r,
                          lpi_item(c, LOGP_SCRATCH, v->from_last + (i + 1) * v->r), v->r);
}

static bool alltoall_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                           struct logp_step *out)
{
    const struct level v = level_of(P, rank, c);

    return step_inside(&v, c, &i, out) || step_between(&v, c, &i, out) ||
           step_from_last(&v, c, i, out);
}

/* Without nodes there is only the first part. */
static struct logp_prediction alltoall_predict(int64_t P, const struct logp_invocation *c)
{
    return c->model.links == NULL ? lpi_alltoall_linear(P, c) : lpi_no_prediction();
}

static const struct logp_algorithm alltoalls[] = {
    {LOGP_ALGORITHM("alltoall", "two-level", "to a place in the own node, then to that of others",
                    "this library"),
     .needs = lpi_any_nodes_needs, .plan = alltoall_plan, .steps = alltoall_steps,
     .predict = alltoall_predict, .in_place = true},
};

const struct lpi_rows lpi_two_level_alltoall = LPI_ROWS(alltoalls);
