/* SPDX-License-Identifier: MIT */
/*
 * Nodes of the exhaustive search, and the transitions to be explored from them. A node's
 * alternatives are explored in the order in which they were wanted. So an alternative that is
 * wanted later does not change which transitions sleep in the branches of the earlier ones, and
 * each branch can be explored by another process.
 */
#include "exhaustive.h"

void lpi_path_free(struct lpi_path *p)
{
    free(p->nodes);
    free(p->pool);
    *p = (struct lpi_path){0};
}

bool lpi_path_append(struct lpi_path *to, const struct lpi_path *from, int at, int end)
{
    for (int i = at; i < end; i++) {
        const struct lpi_node *node = &from->nodes[i];

        if (!LPI_GROW(to->nodes, to->nodes_capacity, to->n_nodes + 1) ||
            !LPI_GROW(to->pool, to->pool_capacity, to->n_pool + node->n_all))
            return false;
        memcpy(&to->pool[to->n_pool], lpi_path_at(from, i),
               (size_t)node->n_all * sizeof(*to->pool));
        to->nodes[to->n_nodes] = *node;
        to->nodes[to->n_nodes++].first = to->n_pool;
        to->n_pool += node->n_all;
    }
    return true;
}

bool lpi_is_same(const struct logp_alternative *a, const struct logp_alternative *b)
{
    return a->rank == b->rank && a->kind == b->kind && a->source == b->source && a->tag == b->tag &&
           a->index == b->index && a->context == b->context && a->request == b->request &&
           lpi_kit_passed(a) == lpi_kit_passed(b);
}

bool lpi_is_aside(const struct logp_alternative *a)
{
    return lpi_kit_takes(a) && a->index < 0 && a->request != 0;
}

bool lpi_commutes(const struct logp_alternative *a, const struct logp_alternative *b)
{
    if (a->rank != b->rank || a->kind == LOGP_MISS)
        return true;
    if (a->kind == LOGP_OVERTAKE ||
        b->kind == LOGP_OVERTAKE) /* one takes a message that the other passes */
        return a->source != b->source;
    return (a->kind == LOGP_TAKE && a->request == 0) || /* found by a probe */
           (a->request != 0 && a->request != b->request);
}

/* ---- the transitions to be explored ---- */

bool lpi_node_want(struct lpi_node *node, struct lpi_transition *t, int i)
{
    if (t[i].sleeps || t[i].turn > 0)
        return false;
    if (!node->is_deep)
        t[i].turn = ++node->n_wanted;
    return node->is_deep;
}

/* Whether the vp has only matches aside. It may be in a call that any event can end. */
static bool has_asides_alone(const struct lpi_node *node, const struct lpi_transition *t, int rank)
{
    for (int i = 0; i < node->n; i++)
        if (t[i].a.rank == rank && !lpi_is_aside(&t[i].a))
            return false;
    return true;
}

bool lpi_node_want_rank(struct lpi_node *node, struct lpi_transition *t, int rank)
{
    const bool all = rank < 0 || has_asides_alone(node, t, rank);
    bool cut = false;

    for (int i = 0; i < node->n; i++)
        if (all || t[i].a.rank == rank)
            cut = lpi_node_want(node, t, i) || cut;
    return cut;
}

bool lpi_node_grant(struct lpi_node *node, struct lpi_transition *t, const struct lpi_wish *w,
                    const int *unless)
{
    for (int i = 0; i < w->n_unless; i++)
        if (t[unless[i]].turn > 0)
            return false;
    return w->which >= 0 ? lpi_node_want(node, t, w->which) : lpi_node_want_rank(node, t, w->rank);
}

int lpi_node_next(const struct lpi_node *node, const struct lpi_transition *t)
{
    int next = node->n;

    for (int i = 0; i < node->n; i++)
        if (!t[i].sleeps && t[i].turn > 0 && (next == node->n || t[i].turn < t[next].turn))
            next = i;
    return next;
}

int lpi_node_left(const struct lpi_node *node, const struct lpi_transition *t)
{
    return node->n_wanted - t[node->now].turn;
}
