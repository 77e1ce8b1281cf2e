/* SPDX-License-Identifier: MIT */
/*
 * A tree for links that differ, in the order of a broadcast: the one that ends earliest of those that
 * earliest_rule.c and earliest_ahead.c make. Where all links are equal it is the optimal tree, and not
 * made here.
 */
#include "collective/collective.h"
#include "collective/earliest.h"
#include "predict/predict.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROOTS = 8 };

/* ---- classes ---- */

/* 0: on one socket, or on one node without sockets; 1: on two sockets of a node; 2: on two nodes */
static int apart(const struct logp_links *links, int a, int b)
{
    const int64_t node = logp_links_per_node(links), socket = logp_links_per_socket(links);

    if (node > 0 && a / node != b / node)
        return 2;
    return socket > 0 && a / socket != b / socket;
}

static bool are_alike(const struct logp_links *links, int a, int b)
{
    return logp_links_kind(links, a) == logp_links_kind(links, b) && apart(links, a, b) == 0;
}

/* @return how many there are; 0: too many */
static int classes_of(int64_t P, const struct logp_links *links, int class_of[LPI_UNLIKE_RANKS])
{
    int first[LPI_UNLIKE_CLASSES], n = 0;

    for (int rank = 0; rank < P; rank++) {
        int i = rank > 0 && are_alike(links, rank - 1, rank) ? class_of[rank - 1] : 0;

        while (i < n && !are_alike(links, first[i], rank))
            i++;
        if (i == LPI_UNLIKE_CLASSES)
            return 0;
        if (i == n)
            first[n++] = rank;
        class_of[rank] = i;
    }
    return n;
}

const char *lpi_earliest_needs(int64_t P, const struct logp_invocation *c)
{
    int class_of[LPI_UNLIKE_RANKS];

    if (c->model.links == NULL)
        return NULL;
    if (logp_links_size(c->model.links) != P || P > LPI_UNLIKE_RANKS ||
        classes_of(P, c->model.links, class_of) == 0)
        return "at most 256 ranks, in at most 64 groups with equal links";
    return NULL;
}

/* Two members of each class, or twice the only one, and the first class of the same kind. */
static void find_members(const struct lpi_unlike *p, const struct logp_links *links,
                         int member[LPI_UNLIKE_CLASSES][2], int kind[LPI_UNLIKE_CLASSES])
{
    for (int i = 0; i < p->n_classes; i++)
        member[i][0] = member[i][1] = -1;
    for (int rank = 0; rank < p->P; rank++) {
        int *two = member[p->class_of[rank]];

        two[1] = rank;
        two[0] = two[0] < 0 ? rank : two[0];
    }
    for (int i = 0; i < p->n_classes; i++) {
        kind[i] = 0;
        while (logp_links_kind(links, member[kind[i]][0]) != logp_links_kind(links, member[i][0]))
            kind[i]++;
    }
}

/* Of a message with so many items over one link. */
static struct lpi_times one_way(const struct logp_invocation *c, const struct lpi_earliest *ask,
                                int from, int to, int items)
{
    struct logp_invocation link = *c;

    link.args.n_bytes = lpi_bytes((size_t)items, c->args.n_bytes);
    if (c->model.links != NULL)
        logp_links_of(c->model.links, from, to, &c->model.params, &link.model.params);
    return ask->times(&link);
}

/* The same down the tree, or up, or of one message down and one up. */
static struct lpi_times link_times(const struct logp_invocation *c, const struct lpi_earliest *ask,
                                   int from, int to, int items)
{
    struct lpi_times t =
        ask->up ? one_way(c, ask, to, from, items) : one_way(c, ask, from, to, items);

    if (ask->both_ways) {
        const struct lpi_times back = one_way(c, ask, to, from, items);

        t.D += back.D;
        t.E += back.E;
    }
    return t;
}

/* Compute the costs between the classes, of messages between them, one item and all. They depend on
 * the two kinds, and on whether the ranks share a socket or a node: each such case is computed once. 0; -ENOMEM */
static int fill(struct lpi_unlike *p, const struct logp_invocation *c,
                const struct lpi_earliest *ask)
{
    const struct logp_links *links = c->model.links;
    const int n = p->n_classes;
    struct lpi_times(*known)[2] = calloc(3 * (size_t)n * (size_t)n, sizeof(*known));
    int member[LPI_UNLIKE_CLASSES][2], kind[LPI_UNLIKE_CLASSES];

    if (known == NULL)
        return -ENOMEM;
    find_members(p, links, member, kind);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const int from = member[i][0], to = member[j][i == j];
            struct lpi_times *t = known[(apart(links, from, to) * n + kind[i]) * n + kind[j]];

            if (t[0].D == 0) { /* it is not known */
                t[0] = link_times(c, ask, from, to, 1);
                t[1] = ask->grows ? link_times(c, ask, from, to, p->P) : t[0];
            }
            p->from[i].D[j] = t[0].D;
            p->from[i].E[j] = t[0].E;
            p->from[i].D_all[j] = t[1].D;
            p->from[i].E_all[j] = t[1].E;
        }
    free(known);
    return 0;
}

/* Each rank asks for its tree, so only as much of *out is allocated and set as there are classes. 0;
 * -ENOMEM */
static int create(int P, const struct logp_invocation *c, const struct lpi_earliest *ask,
                  struct lpi_unlike **out)
{
    int class_of[LPI_UNLIKE_RANKS];
    const int n = classes_of(P, c->model.links, class_of);
    struct lpi_unlike *p =
        malloc(sizeof(*p) - (size_t)(LPI_UNLIKE_CLASSES - n) * sizeof(p->from[0]));
    int rc;

    if (p == NULL)
        return -ENOMEM;
    p->P = P;
    p->root = ask->any_root ? -1 : c->args.root;
    p->grows = ask->grows;
    p->n_classes = n;
    memcpy(p->class_of, class_of, (size_t)P * sizeof(class_of[0]));
    rc = fill(p, c, ask);
    if (rc != 0)
        free(p);
    else
        *out = p;
    return rc;
}

/* ---- plans ---- */

/* The tree that was made last: all ranks ask for the same one. A caller that finds it in use makes its
 * own. */
static struct {
    atomic_flag in_use;
    struct lpi_unlike problem;
    struct lpi_unlike_tree tree;
} kept = {.in_use = ATOMIC_FLAG_INIT};

static bool enter(void)
{
    return !atomic_flag_test_and_set_explicit(&kept.in_use, memory_order_acquire); /* of leave() */
}

static void leave(void)
{
    atomic_flag_clear_explicit(&kept.in_use, memory_order_release); /* pairs with enter() */
}

static bool are_equal(const struct lpi_unlike *a, const struct lpi_unlike *b)
{
    const size_t row = (size_t)a->n_classes * sizeof(a->from[0].D[0]);
    bool same = a->P == b->P && a->root == b->root && a->n_classes == b->n_classes &&
                a->grows == b->grows &&
                memcmp(a->class_of, b->class_of, (size_t)a->P * sizeof(a->class_of[0])) == 0;

    for (int i = 0; same && i < a->n_classes; i++) {
        const struct lpi_unlike_costs *x = &a->from[i], *y = &b->from[i];

        same = memcmp(x->D, y->D, row) == 0 && memcmp(x->E, y->E, row) == 0 &&
               memcmp(x->D_all, y->D_all, row) == 0 && memcmp(x->E_all, y->E_all, row) == 0;
    }
    return same;
}

static bool recall(const struct lpi_unlike *p, struct lpi_unlike_tree *tree)
{
    bool same;

    if (!enter())
        return false;
    same = are_equal(&kept.problem, p);
    if (same)
        *tree = kept.tree;
    leave();
    return same;
}

static void keep(const struct lpi_unlike *p, const struct lpi_unlike_tree *tree)
{
    if (!enter())
        return;
    memcpy(&kept.problem, p,
           offsetof(struct lpi_unlike, from) + (size_t)p->n_classes * sizeof(p->from[0]));
    kept.tree = *tree;
    leave();
}

/* The tree of a root. 0; -ENOMEM, -EOVERFLOW */
static int from_root(const struct lpi_unlike *p, struct lpi_unlike_tree *tree)
{
    const int rc = lpi_earliest_by_rule(p, tree);

    return rc == 0 ? lpi_earliest_ahead(p, tree) : rc;
}

/* How far a rank of the class is from all others, in sum. */
static __int128 distance(const struct lpi_unlike *p, int class)
{
    __int128 sum = 0;

    for (int rank = 0; rank < p->P; rank++)
        sum += p->from[class].D[p->class_of[rank]];
    return sum;
}

/* The best tree of the first rank of each class, of the classes that are nearest to all others. 0;
 * -ENOMEM, -EOVERFLOW */
static int from_any_root(struct lpi_unlike *p, struct lpi_unlike_tree *tree)
{
    struct lpi_unlike_tree *next = malloc(sizeof(*next));
    bool tried[LPI_UNLIKE_CLASSES] = {false};
    int64_t least = INT64_MAX;
    int rc = next != NULL ? 0 : -ENOMEM;

    for (int n = 0; rc == 0 && n < p->n_classes && n < MOST_ROOTS; n++) {
        int nearest = -1;

        for (int i = 0; i < p->n_classes; i++)
            if (!tried[i] && (nearest < 0 || distance(p, i) < distance(p, nearest)))
                nearest = i;
        tried[nearest] = true;
        p->root = 0;
        while (p->class_of[p->root] != nearest)
            p->root++;
        rc = from_root(p, next);
        if (rc == 0 && lpi_unlike_end(p, next) < least) {
            least = lpi_unlike_end(p, next);
            *tree = *next;
        }
    }
    free(next);
    p->root = -1;
    return rc;
}

/* Find the tree, as it was kept or anew. 0; -ENOMEM, -EOVERFLOW */
static int find(struct lpi_unlike *p, struct lpi_unlike_tree *tree)
{
    int rc = 0;

    if (recall(p, tree))
        return 0;
    rc = p->root < 0 ? from_any_root(p, tree) : from_root(p, tree);
    if (rc == 0)
        keep(p, tree);
    return rc;
}

/* Where all links are alike: the optimal tree, whose ids ascend with the order of sending. */
static int find_alike(int P, int root, struct lpi_times one, struct lpi_unlike_tree *out)
{
    struct logp_tree tree;
    const int rc = logp_tree_init(&tree, P, one.D, one.E);

    for (int id = 0; rc == 0 && id < P; id++) {
        const int64_t parent = logp_tree_find(&tree, id).parent;
        const int rank = (int)lpi_mod(id + root, P);

        out->order[id] = rank;
        out->parent[rank] = parent < 0 ? rank : (int)lpi_mod(parent + root, P);
    }
    return rc;
}

/* 0; -ENOMEM, -EOVERFLOW */
static int make(int P, const struct logp_invocation *c, const struct lpi_earliest *ask,
                struct lpi_unlike_tree *tree)
{
    const int root = ask->any_root ? 0 : c->args.root;
    struct lpi_unlike *p;
    int rc;

    if (c->model.links == NULL)
        return find_alike(P, root, link_times(c, ask, 0, P - 1, 1), tree);
    rc = create(P, c, ask, &p);
    if (rc != 0)
        return rc;
    rc = p->n_classes > 1
             ? find(p, tree)
             : find_alike(P, root, (struct lpi_times){p->from[0].D[0], p->from[0].E[0], 0}, tree);
    free(p);
    return rc;
}

static int take(const struct lpi_unlike_tree *tree, int P, int rank, int root,
                struct logp_rank_plan *plan)
{
    int n = 0;

    *plan = (struct logp_rank_plan){.parent = rank == root ? -1 : tree->parent[rank]};
    for (int i = 1; i < P; i++)
        plan->n_children += tree->parent[tree->order[i]] == rank;
    if (plan->n_children == 0)
        return 0;
    plan->children = malloc((size_t)plan->n_children * sizeof(int));
    if (plan->children == NULL)
        return -ENOMEM;
    for (int i = 1; i < P; i++)
        if (tree->parent[tree->order[i]] == rank)
            plan->children[n++] = tree->order[i];
    return 0;
}

int lpi_plan_earliest(int P, int rank, struct logp_invocation *c,
                      struct lpi_times (*times)(const struct logp_invocation *c), bool up)
{
    const struct lpi_earliest ask = {.times = times, .up = up};
    struct lpi_unlike_tree tree;
    const int rc = make(P, c, &ask, &tree);

    return rc != 0 ? rc : take(&tree, P, rank, c->args.root, &c->plan);
}

int lpi_earliest_tree(int P, const struct logp_invocation *c, const struct lpi_earliest *ask,
                      int *parent, int *order)
{
    struct lpi_unlike_tree tree;
    const int rc = make(P, c, ask, &tree);

    if (rc != 0)
        return rc;
    memcpy(parent, tree.parent, (size_t)P * sizeof(*parent));
    memcpy(order, tree.order, (size_t)P * sizeof(*order));
    parent[order[0]] = -1;
    return 0;
}
