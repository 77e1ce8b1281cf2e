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
#include "memory/thread_memory.h"
#include "predict/predict.h"

#include <logp/paper.h>

#include <errno.h>
#include <string.h>

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

static int64_t count(int64_t n, int64_t d, int64_t e)
{
    int64_t f = 0;

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

/* The last node that was found and those above it. Only the end of a long path is stored. */
enum { KNOWN = 64 };

struct path {
    struct logp_tree tree;
    int64_t first, n; /* nodes first .. n - 1 of the path are known: node i at i % KNOWN */
    struct {
        struct logp_tree_node node;
        int64_t k; /* which child it is */
    } at[KNOWN];
};

enum { KEPT = 128 };

/* Of each thread. */
struct cache {
    struct {
        int64_t n, d, e, f;
    } counts[KEPT]; /* a walk along a tree asks for the same few values repeatedly */
    struct {
        int64_t d, e; /* as they were asked for */
        struct logp_tree tree;
    } asked;          /* all processors of a machine ask for the same tree, one after the other */
    struct path path; /* most callers ask for a node and then for the next one */
};

/* NULL: no memory */
static inline struct cache *cache_of_thread(void)
{
    static _Thread_local void *cache __attribute__((tls_model("initial-exec")));

    return lpi_thread_memory(&cache, sizeof(struct cache));
}

int64_t logp_tree_count(int64_t n, int64_t d, int64_t e)
{
    const size_t slot = (size_t)n % KEPT;
    struct cache *cache;

    if (n < 0)
        return 0;
    if (d == 0 || (e == 0 && n >= d))
        return LOGP_TREE_MAX; /* no time, or all at once */
    if (n < d)
        return 1;
    cache = cache_of_thread();
    if (cache == NULL)
        return count(n, d, e);
    if (cache->counts[slot].n != n || cache->counts[slot].d != d || cache->counts[slot].e != e) {
        cache->counts[slot].n = n;
        cache->counts[slot].d = d;
        cache->counts[slot].e = e;
        cache->counts[slot].f = count(n, d, e);
    }
    return cache->counts[slot].f;
}

/*
 * Sum of f(0) .. f(n), term by term: a binomial occurs e (d < e: d) times for each value of its
 * floor, the last one r + 1 times. C(j + q, j + 1) = C(j + q, j) q / (j + 1) keeps the products
 * below 2^124.
 */
__int128 lpi_tree_sum(int64_t n, int64_t d, int64_t e)
{
    const bool often = d >= e; /* than a message takes, it can be sent */
    const int64_t long_step = often ? d : e, step = often ? e : d;
    __int128 sum = often ? 0 : (__int128)n + 1;

    for (int64_t j = 0; n >= 0 && j <= n / long_step; j++) {
        const int64_t q = (n - j * long_step) / step, r = (n - j * long_step) % step;
        const int64_t k = often ? j : j + 1; /* terms C(j + i, k) for i = 0 .. q */
        const __int128 last = binomial(j + q, k);

        sum += last * (j + q - k) / (k + 1) * step + last * (r + 1);
        if (last >= LOGP_TREE_MAX)
            break;
    }
    return sum;
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
    struct cache *cache = cache_of_thread();
    int64_t low = 0, high;

    if (P < 1 || P > LOGP_TREE_MAX || d < 0 || e < 0 || d > 3 * LOGP_PARAM_MAX_NS ||
        e > 3 * LOGP_PARAM_MAX_NS)
        return -EINVAL;
    if (cache != NULL && P == cache->asked.tree.P && d == cache->asked.d && e == cache->asked.e) {
        *tree = cache->asked.tree;
        return 0;
    }
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
    if (cache != NULL) {
        cache->asked.d = d;
        cache->asked.e = e;
        cache->asked.tree = *tree;
    }
    return 0;
}

int logp_tree_init_earliest(struct logp_tree *tree, int64_t P, int64_t d, int64_t e)
{
    const int rc = logp_tree_init(tree, P, d, e);

    if (rc == 0 && tree->T > 0 && e > 0)
        tree->ends = P - logp_tree_count(tree->T / tree->scale - 1, tree->d, tree->e);
    return rc;
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

/* A subtree before anything is left out: nodes, and apart from them those of effective time 0 where
 * only some of these are in the tree. */
struct size {
    int64_t nodes, ends;
};

static struct size size_of(const struct logp_tree *tree, int64_t t)
{
    struct size size = {.nodes = logp_tree_count(t, tree->d, tree->e)};

    if (tree->ends > 0) {
        const int64_t all = size.nodes;

        size.nodes = logp_tree_count(t - 1, tree->d, tree->e);
        size.ends = all - size.nodes;
    }
    return size;
}

/* Of the first `ends` nodes of effective time 0, how many are in the tree. */
static int64_t kept(const struct logp_tree *tree, int64_t ends)
{
    return ends < tree->ends ? ends : tree->ends;
}

/* Id and ends of the first node after the first k subtrees of a node: of child k, if there is one.
 * A node without its first k children is one with k e less time. */
static void skip_children(const struct logp_tree *tree, const struct logp_tree_node *node,
                          const struct size *size, int64_t k, struct logp_tree_node *child)
{
    struct size rest;

    child->ends = node->ends;
    child->id = node->id + 1 + k;
    if (tree->d == 0 || tree->e == 0 || k == 0)
        return;
    rest = size_of(tree, node->time / tree->scale - k * tree->e);
    child->ends += size->ends - rest.ends;
    child->id =
        node->id + 1 + size->nodes - rest.nodes + kept(tree, child->ends) - kept(tree, node->ends);
}

bool logp_tree_child(const struct logp_tree *tree, const struct logp_tree_node *node, int64_t k,
                     struct logp_tree_node *child)
{
    struct size size = {0};
    int64_t t;

    if (k < 0 || node->time < tree->d * tree->scale) /* most have none: no division */
        return false;
    t = node->time / tree->scale;
    if (k > 0 && (tree->d == 0 || (tree->e > 0 && k > (t - tree->d) / tree->e)))
        return false;
    if (k > 0)
        size = size_of(tree, t);
    skip_children(tree, node, &size, k, child);
    child->time = (t - tree->d - k * tree->e) * tree->scale;
    child->parent = node->id;
    if (tree->ends > 0)
        return child->time > 0 || child->ends < tree->ends;
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

        const struct size size = size_of(tree, t - middle * tree->d);

        if (id - (node->id + middle) <
            size.nodes + kept(tree, node->ends + size.ends) - kept(tree, node->ends))
            low = middle;
        else
            high = middle - 1;
    }
    return (struct logp_tree_node){.id = node->id + low,
                                   .time = (t - low * tree->d) * tree->scale,
                                   .parent = low > 0 ? node->id + low - 1 : node->parent,
                                   .ends = node->ends};
}

/* The last child of node whose id is not beyond: its subtree holds id. @return which it is */
static int64_t follow_last(const struct logp_tree *tree, const struct logp_tree_node *node,
                           int64_t id, struct logp_tree_node *child)
{
    const int64_t t = node->time / tree->scale;
    const struct size size = size_of(tree, t);
    int64_t low = 0, high = tree->e > 0 ? (t - tree->d) / tree->e : tree->P - 2;

    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;

        skip_children(tree, node, &size, middle, child);
        if (child->id <= id)
            low = middle;
        else
            high = middle - 1;
    }
    logp_tree_child(tree, node, low, child);
    return low;
}

/* Add child k of the last node to the path. It always has a free place. */
static void go_down(struct path *path, int64_t k)
{
    path->at[path->n++ % KNOWN].k = k;
    if (path->n - path->first == KNOWN)
        path->first++;
}

/* The same of this node. path == NULL: it is not kept */
static void go_down_to(struct path *path, const struct logp_tree_node *node, int64_t k)
{
    if (path == NULL)
        return;
    path->at[path->n % KNOWN].node = *node;
    go_down(path, k);
}

/* On to the next node. @return true; false: too little of the path is known */
static bool step(struct path *path, const struct logp_tree *tree)
{
    int64_t k = 0;

    while (path->n > path->first) {
        if (logp_tree_child(tree, &path->at[(path->n - 1) % KNOWN].node, k,
                            &path->at[path->n % KNOWN].node)) {
            go_down(path, k);
            return true;
        }
        k = path->at[--path->n % KNOWN].k + 1;
    }
    return false;
}

/* From the root to a node. path: as above */
static struct logp_tree_node walk(struct path *path, const struct logp_tree *tree, int64_t id)
{
    struct logp_tree_node node = logp_tree_root(tree), next;
    int64_t k = 0;

    if (path != NULL) {
        path->tree = *tree;
        path->first = path->n = 0;
    }
    for (;;) {
        go_down_to(path, &node, k);
        next = tree->e > 0 ? follow_first(tree, &node, id) : node;
        for (int64_t i = next.id - node.id < KNOWN ? next.id - node.id : KNOWN; i-- > 0;)
            go_down_to(path,
                       &(struct logp_tree_node){next.id - i, next.time + i * tree->d * tree->scale,
                                                next.id - i - 1, next.ends},
                       0);
        if (next.id == id)
            return next;
        k = follow_last(tree, &next, id, &node);
    }
}

struct logp_tree_node logp_tree_find(const struct logp_tree *tree, int64_t id)
{
    struct cache *cache = cache_of_thread();
    struct path *path = cache != NULL ? &cache->path : NULL;

    if (tree->d == 0)
        return (struct logp_tree_node){.id = id, .time = 0, .parent = id - 1};
    if (path == NULL || path->n == path->first ||
        path->at[(path->n - 1) % KNOWN].node.id + 1 != id ||
        memcmp(&path->tree, tree, sizeof(*tree)) != 0 || !step(path, tree))
        return walk(path, tree, id);
    return path->at[(path->n - 1) % KNOWN].node;
}

/* Of a whole subtree with time t: sum of f(0) .. f(t-1), since so many hold the item by then. */
static __int128 total_time(const struct logp_tree *tree, int64_t t)
{
    return lpi_tree_sum(t - 1, tree->d, tree->e);
}

/* Return the sum along the path to the last id: subtrees to its left are whole, those to its right
 * are cut off. */
__int128 lpi_tree_total(const struct logp_tree *tree)
{
    struct logp_tree_node node = logp_tree_root(tree);
    const int64_t last = tree->P - 1;
    __int128 total = 0;

    while (node.id != last) {
        const struct logp_tree_node next = follow_first(tree, &node, last);
        const int64_t passed = next.id - node.id, t = next.time / tree->scale;
        int64_t waited; /* for the sends before that to the next node */

        total += (__int128)passed * (node.time / tree->scale + t + tree->d) / 2;
        node = next;
        if (next.id == last)
            break;
        follow_last(tree, &next, last, &node);
        waited = t - tree->d - node.time / tree->scale;
        total += t + total_time(tree, t) - total_time(tree, t - waited) - waited;
    }
    return (total + node.time / tree->scale) * tree->scale;
}
