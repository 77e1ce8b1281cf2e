/* SPDX-License-Identifier: MIT */
/* The optimal trees as they are shown. */
#ifndef LOGP_TOOL_TREE_H
#define LOGP_TOOL_TREE_H

#include "options/options.h"

/* Nodes are in depth-first order, the root first, and then those that take no part; times are in
 * units, -1 standing for none. The message is the one between a node and its parent. */
struct tree_node {
    int64_t rank;
    int64_t parent, first_child, next_sibling; /* indices; -1: none */
    double time, label;
    double sent, received; /* starts of the message's overheads */
    int64_t own, shared;   /* summation: operands */
};

struct tree {
    const char *name, *algorithm;
    bool sums;     /* summation: messages go up, and processors add all the time until they send */
    bool exact;    /* time is not only a bound */
    int64_t count; /* summation: operands in all */
    int64_t n, used; /* nodes; those that take part */
    struct tree_node *nodes;
    double time, o_send, o_recv, gamma;
};

/* ---- nodes.c ---- */

/* These end the process on bad usage, or without memory. Free with free_tree(). */
struct tree make_broadcast_tree(struct options *o);
struct tree make_summation_tree(struct options *o);
void free_tree(struct tree *tree);

/* ---- print.c, picture.c ---- */

/* How a format shows a tree. */
struct tree_form {
    void (*show)(const struct options *o, const struct tree *tree);
    int64_t most;                  /* nodes that take part; 0: any number */
    const char *limit, *otherwise; /* what has this limit, and what has not: for who exceeds it */
};

extern const struct tree_form tree_as_text, tree_as_json, tree_as_csv;
extern const struct tree_form tree_as_svg; /* a space-time diagram */

#endif
