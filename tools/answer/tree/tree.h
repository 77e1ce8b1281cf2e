/* SPDX-License-Identifier: MIT */
/* The trees that are shown: the optimal ones, and those of the messages of an algorithm. */
#ifndef LOGP_TOOL_TREE_H
#define LOGP_TOOL_TREE_H

#include "question/question.h"
#include "text/problem.h"

#include <stdio.h>

/* Nodes are in depth-first order, the root first, and then those that take no part; times are in
 * units; -1: none. */
struct tree_node {
    int64_t rank;
    int64_t parent, first_child, next_sibling; /* indices; -1: none */
    double time, label;
    int64_t own, shared; /* summation: operands */
};

struct tree {
    const char *name, *algorithm;
    bool found;    /* made from the messages of a schedule, of any algorithm */
    bool to_root;  /* the first messages go to the root; also of a summation */
    bool returns;  /* further messages go the other way */
    bool sums;     /* summation: messages go up, and processors add all the time until they send */
    bool exact;    /* time is not only a bound */
    int64_t count; /* summation: operands in all */
    int64_t n, used; /* nodes; those that take part */
    struct tree_node *nodes;
    double time, gamma;
};

/* ---- found.c ---- */

/* The tree of the messages of an algorithm; a problem if they do not form a tree. */
CHECKED struct problem *make_found_tree(struct question *q, const char *collective,
                                        struct tree *out);

/* ---- nodes.c ---- */

double units(const struct question *q, int64_t ns);
/* The name of a unit: "us" where it is one, else "units". */
const char *unit_word(const struct question *q);

/* P nodes, none of which takes part yet; siblings in the order of their ids. */
CHECKED struct problem *make_nodes(const struct question *q, struct tree *tree);
void link_children(struct tree *tree);

/* Without a problem, free with free_tree(). */
CHECKED struct problem *make_broadcast_tree(struct question *q, struct tree *out);
CHECKED struct problem *make_summation_tree(struct question *q, struct tree *out);
void free_tree(struct tree *tree);

#endif
