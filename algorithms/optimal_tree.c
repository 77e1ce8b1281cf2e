/* SPDX-License-Identifier: MIT */
/*
 * The optimal broadcast tree from its counting function f: see tree.h.
 *
 * f counts paths from the root: one with j messages and i waits of e before them takes j d + i e.
 * For d >= e, n is long enough for floor((n - j d)/e) waits, spread over the j + 1 places, so that
 * f(n) = sum over j of C(j + floor((n - j d)/e), j). For d < e the roles change:
 * f(n) = 1 + sum over K of C(K + floor((n - K e)/d), K + 1). f doubles at least every max(d, e), so
 * some 60 terms saturate 64 bits, whatever the units.
 */
#include "algorithms.h"

#include <logp/tree.h>

#include <errno.h>

/* C(n, k), saturating. Every partial product is itself a binomial, hence whole and growing. */
static int64_t binomial(int64_t n, int64_t k)
{
    uint64_t c = 1;

    if (k < 0 || k > n)
        return 0;
    if (k > n - k)
        k = n - k;
    for (int64_t i = 1; i <= k; i++) {
        const uint64_t factor = (uint64_t)(n - k + i);

        if (c <= UINT32_MAX && factor <= UINT32_MAX)
            c = c * factor / (uint64_t)i; /* a 128-bit division costs ten times as much */
        else if ((unsigned __int128)c * factor / (uint64_t)i >= (uint64_t)LOGP_TREE_MAX)
            return LOGP_TREE_MAX;
        else
            c = (uint64_t)((unsigned __int128)c * factor / (uint64_t)i);
    }
    return (int64_t)c;
}

int64_t logp_tree_count(int64_t n, int64_t d, int64_t e)
{
    int64_t f = 0;

    if (n < 0)
        return 0;
    if (d == 0 || (e == 0 && n >= d))
        return LOGP_TREE_MAX; /* no time, or all at once */
    if (n < d)
        return 1;
    if (d >= e) {
        for (int64_t j = 0; j <= n / d && f < LOGP_TREE_MAX; j++)
            f += binomial(j + (n - j * d) / e, j);
    } else {
        f = 1;
        for (int64_t k = 0; k <= n / e && f < LOGP_TREE_MAX; k++)
            f += binomial(k + (n - k * e) / d, k + 1);
    }
    return f < LOGP_TREE_MAX ? f : LOGP_TREE_MAX;
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t r = a % b;

        a = b;
        b = r;
    }
    return a;
}

int logp_tree_init(struct logp_tree *tree, int64_t P, int64_t d, int64_t e)
{
    int64_t low = 0, high;

    if (P < 1 || P > LOGP_TREE_MAX || d < 0 || e < 0 || d > 3 * LOGP_PARAM_MAX_NS ||
        e > 3 * LOGP_PARAM_MAX_NS)
        return -EINVAL;
    *tree = (struct logp_tree){.P = P, .scale = d + e > 0 ? gcd(d, e) : 1};
    tree->d = d / tree->scale;
    tree->e = e / tree->scale;
    if (P == 1 || d == 0)
        return 0;
    high = 62 * (tree->d > tree->e ? tree->d : tree->e); /* f(high) >= 2^61 */
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (logp_tree_count(middle, tree->d, tree->e) >= P)
            high = middle;
        else
            low = middle + 1;
    }
    tree->T = low * tree->scale;
    return 0;
}

int logp_tree_broadcast(struct logp_tree *tree, int64_t P, const struct logp_params *params,
                        size_t n_bytes)
{
    const struct lpi_times t = lpi_times(params, n_bytes);
    const int rc = logp_tree_init(tree, P, t.D, t.E);

    if (rc == 0)
        tree->early = t.early;
    return rc;
}

int64_t logp_tree_time(const struct logp_tree *tree)
{
    return tree->P > 1 ? tree->T - tree->early : 0;
}

int64_t logp_tree_label(const struct logp_tree *tree, const struct logp_tree_node *node)
{
    return node->id > 0 ? tree->T - node->time - tree->early : 0;
}

struct logp_tree_node logp_tree_root(const struct logp_tree *tree)
{
    return (struct logp_tree_node){.id = 0, .time = tree->T, .parent = -1};
}

/* Id of the first node after the first k subtrees of a node: of child k, if there is one. */
static int64_t first_id(const struct logp_tree *tree, const struct logp_tree_node *node, int64_t k)
{
    const int64_t t = node->time / tree->scale;

    if (tree->d == 0 || tree->e == 0)
        return node->id + 1 + k;
    return node->id + 1 + logp_tree_count(t, tree->d, tree->e) -
           logp_tree_count(t - k * tree->e, tree->d, tree->e);
}

bool logp_tree_child(const struct logp_tree *tree, const struct logp_tree_node *node, int64_t k,
                     struct logp_tree_node *child)
{
    const int64_t t = node->time / tree->scale;

    if (k < 0 || (tree->d == 0 && k > 0) || (tree->e > 0 && k > (t - tree->d) / tree->e) ||
        t < tree->d)
        return false;
    child->id = first_id(tree, node, k);
    child->time = (t - tree->d - k * tree->e) * tree->scale;
    child->parent = node->id;
    return child->id < tree->P;
}

/* Children exist up to some k and not beyond: find it by halving. */
int64_t logp_tree_children(const struct logp_tree *tree, const struct logp_tree_node *node)
{
    const int64_t t = node->time / tree->scale;
    struct logp_tree_node child;
    int64_t low = 0, high;

    if (t < tree->d || tree->P == 1)
        return 0;
    high = tree->e > 0 && tree->d > 0 ? (t - tree->d) / tree->e + 1 : tree->P - 1;
    if (high > tree->P - 1)
        high = tree->P - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (logp_tree_child(tree, node, middle, &child))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * Follow first children, whose ids are consecutive, as long as the subtree holds id. Where e is far
 * larger than d these runs are long, so the end is found by halving.
 */
static struct logp_tree_node follow_first(const struct logp_tree *tree,
                                          const struct logp_tree_node *node, int64_t id)
{
    const int64_t t = node->time / tree->scale;
    int64_t low = 0, high = t / tree->d;

    if (high > id - node->id)
        high = id - node->id;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;

        if (id - (node->id + middle) < logp_tree_count(t - middle * tree->d, tree->d, tree->e))
            low = middle;
        else
            high = middle - 1;
    }
    return (struct logp_tree_node){.id = node->id + low,
                                   .time = (t - low * tree->d) * tree->scale,
                                   .parent = low > 0 ? node->id + low - 1 : node->parent};
}

/* The last child of node whose id is not beyond: its subtree holds id. */
static struct logp_tree_node follow_last(const struct logp_tree *tree,
                                         const struct logp_tree_node *node, int64_t id)
{
    int64_t low = 0, high = logp_tree_children(tree, node) - 1;
    struct logp_tree_node child = *node;

    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;

        if (first_id(tree, node, middle) <= id)
            low = middle;
        else
            high = middle - 1;
    }
    logp_tree_child(tree, node, low, &child);
    return child;
}

struct logp_tree_node logp_tree_find(const struct logp_tree *tree, int64_t id)
{
    struct logp_tree_node node = logp_tree_root(tree);

    if (tree->d == 0)
        return (struct logp_tree_node){.id = id, .time = 0, .parent = id - 1};
    while (node.id != id) {
        node = tree->e > 0 ? follow_first(tree, &node, id) : node;
        if (node.id != id)
            node = follow_last(tree, &node, id);
    }
    return node;
}
