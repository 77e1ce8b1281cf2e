/* SPDX-License-Identifier: MIT */
/*
 * The tree of a broadcast where processors have several ports and all links are alike: the greedy
 * one (predict.h, ports_tree.c), which is optimal for one item.
 */
#include "collective/collective.h"
#include "predict/predict.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 4096 };

const char *lpi_ports_needs(int64_t P, const struct logp_invocation *c)
{
    return lpi_has_ports(&c->model) && c->model.links == NULL && P > MOST_RANKS
               ? "at most 4096 ranks with several ports"
               : NULL;
}

/* The tree that was made last: all ranks ask for the same one. A caller that finds it in use makes its
 * own. */
static struct {
    atomic_flag in_use;
    int P;
    struct lpi_ports_tree tree;
    int parent[MOST_RANKS];
} kept = {.in_use = ATOMIC_FLAG_INIT};

static bool enter(void)
{
    return !atomic_flag_test_and_set_explicit(&kept.in_use, memory_order_acquire); /* of leave() */
}

static void leave(void)
{
    atomic_flag_clear_explicit(&kept.in_use, memory_order_release); /* pairs with enter() */
}

/* 0; -ENOMEM */
static int find(const struct lpi_ports_tree *tree, int P, int *parent)
{
    const size_t bytes = (size_t)P * sizeof(*parent);
    bool same = false;

    if (enter()) {
        same = kept.P == P && memcmp(&kept.tree, tree, sizeof(*tree)) == 0;
        if (same)
            memcpy(parent, kept.parent, bytes);
        leave();
    }
    if (same)
        return 0;
    if (lpi_ports_tree(tree, P, parent) < 0)
        return -ENOMEM;
    if (enter()) {
        kept.P = P;
        kept.tree = *tree;
        memcpy(kept.parent, parent, bytes);
        leave();
    }
    return 0;
}

/* Processors are numbered in the order in which they have the item, and so are children. */
static int take(const int *parent, int P, int id, int root, struct logp_rank_plan *plan)
{
    int n = 0;

    *plan = (struct logp_rank_plan){.parent = id == 0 ? -1 : (int)lpi_mod(parent[id] + root, P)};
    for (int i = id + 1; i < P; i++)
        plan->n_children += parent[i] == id;
    if (plan->n_children == 0)
        return 0;
    plan->children = malloc((size_t)plan->n_children * sizeof(int));
    if (plan->children == NULL)
        return -ENOMEM;
    for (int i = id + 1; i < P; i++)
        if (parent[i] == id)
            plan->children[n++] = (int)lpi_mod(i + root, P);
    return 0;
}

int lpi_plan_ports(int P, int rank, struct logp_invocation *c, const struct lpi_ports_tree *tree)
{
    int *parent = malloc((size_t)P * sizeof(*parent));
    int rc = parent != NULL ? find(tree, P, parent) : -ENOMEM;

    if (rc == 0)
        rc = take(parent, P, (int)lpi_mod(rank - c->args.root, P), c->args.root, &c->plan);
    free(parent);
    return rc;
}
