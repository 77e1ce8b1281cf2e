/* SPDX-License-Identifier: MIT */
/*
 * The tree of an exhaustive search, which several processes may share: exhaustive.c explores it or a
 * part of it, node.c says what is explored from a node, tree.c puts together what the parts bring,
 * and branches.c has the processes.
 */
#ifndef LPI_EXHAUSTIVE_H
#define LPI_EXHAUSTIVE_H

#include "kit.h"

struct lpi_transition {
    struct logp_alternative a;
    int turn;    /* those of a node are explored in this order, from 1; 0: it is not wanted */
    bool sleeps; /* or has been explored */
};

struct lpi_node {
    int first, n, n_all; /* in the pool; those from n on are not listed here, and sleep */
    int now;             /* the one taken, from 0 */
    int n_wanted;        /* the last turn */
    bool is_deep;        /* beyond the bound: the first alternative alone */
};

/* Nodes in a row, the first one at the root or further down. */
struct lpi_path {
    struct lpi_node *nodes;
    int n_nodes, nodes_capacity;
    struct lpi_transition *pool; /* of all nodes, without gaps */
    int n_pool, pool_capacity;
};

/* Alternatives to be explored from a node, too, unless one of some others is wanted there. */
struct lpi_wish {
    int node;     /* its depth */
    int which;    /* the alternative; -1: see rank */
    int rank;     /* all alternatives of this vp; -1: of all vps */
    int n_unless; /* the others, which follow */
};

/* ---- node.c ---- */

void lpi_path_free(struct lpi_path *p);
/* Append nodes at..end-1 of `from`. @return false: no memory */
bool lpi_path_append(struct lpi_path *to, const struct lpi_path *from, int at, int end);
static inline struct lpi_transition *lpi_path_at(const struct lpi_path *p, int i)
{
    return &p->pool[p->nodes[i].first];
}

bool lpi_is_same(const struct logp_alternative *a, const struct logp_alternative *b);
/* Is this a match aside, which is not the result of the vp's query? */
bool lpi_is_aside(const struct logp_alternative *a);
/* Does it make no difference whether b, which lpi_is_aside(), comes before or after a? */
bool lpi_commutes(const struct logp_alternative *a, const struct logp_alternative *b);

/* t are the node's transitions. Each @return whether the bound has left something out */
bool lpi_node_want(struct lpi_node *node, struct lpi_transition *t, int i);
/* -1: of all vps */
bool lpi_node_want_rank(struct lpi_node *node, struct lpi_transition *t, int rank);
bool lpi_node_grant(struct lpi_node *node, struct lpi_transition *t, const struct lpi_wish *w,
                    const int *unless);

/* The next alternative to explore; n: none. */
int lpi_node_next(const struct lpi_node *node, const struct lpi_transition *t);
/* How many wanted ones come after the one that is taken now. */
int lpi_node_left(const struct lpi_node *node, const struct lpi_transition *t);

/* ---- exhaustive.c: a part of the search ---- */

/* The nodes before `base` are fixed: what is to be explored from them is told, not done. */
struct lpi_part {
    int base;
    void (*wish)(void *arg, const struct lpi_wish *w, const int *unless);
    void *arg;
};

/* The path of the current run or the next one. It is valid until then. */
const struct lpi_path *lpi_exhaustive_path(const void *strategy);
/* Explore this part next, whose first run takes the path. @return false: no memory */
bool lpi_exhaustive_take(void *strategy, const struct lpi_path *path, const struct lpi_part *part);
/* A run has ended: fix the nodes up to the first from which something else is to be explored, which
 * others will do. @return the new base; as before: there is not enough to explore */
int lpi_exhaustive_give(void *strategy);
/* Has a bound left something out? */
bool lpi_exhaustive_is_cut(const void *strategy);

#endif
