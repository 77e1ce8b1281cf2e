/* SPDX-License-Identifier: MIT */
/*
 * The tree of an exhaustive search, which several processes may share: exhaustive.c explores it or
 * a part of it, node.c selects the transitions that are explored from a node, branch_tree.c puts
 * the records of the parts together, and branches.c has the processes.
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
    uint64_t since;      /* the run, of this process, that began with the one taken */
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
/* Whether this is a match aside, which is not the result of the vp's query. */
bool lpi_is_aside(const struct logp_alternative *a);
/* Whether b, which lpi_is_aside(), may come before or after a without a difference. */
bool lpi_commutes(const struct logp_alternative *a, const struct logp_alternative *b);

/* t are the node's transitions. Each @return whether the bound has left something out */
bool lpi_node_want(struct lpi_node *node, struct lpi_transition *t, int i);
/* -1: of all vps */
bool lpi_node_want_rank(struct lpi_node *node, struct lpi_transition *t, int rank);
bool lpi_node_grant(struct lpi_node *node, struct lpi_transition *t, const struct lpi_wish *w,
                    const int *unless);

/* The next alternative to explore; n: none. */
int lpi_node_next(const struct lpi_node *node, const struct lpi_transition *t);
/* The number of wanted alternatives after the one that is taken now. */
int lpi_node_left(const struct lpi_node *node, const struct lpi_transition *t);

/* ---- exhaustive.c: a part of the search ---- */

/* Another process explores the alternatives of the nodes before `base`. This one only reports wishes for
 * them. */
struct lpi_part {
    int base;
    void (*wish)(void *arg, const struct lpi_wish *w, const int *unless);
    void *arg;
};

/* The path of the current run or the next one. It is valid until then. */
const struct lpi_path *lpi_exhaustive_path(const void *strategy);
/* Explore this part next, whose first run takes the path. @return false: no memory */
bool lpi_exhaustive_take(void *strategy, const struct lpi_path *path, const struct lpi_part *part);
/* Fix the nodes *base .. end-1, after a run. Others will explore the alternatives left at these, if
 * possible in parts of at least this many runs. @return end; *base: not enough is left */
int lpi_exhaustive_give(void *strategy, uint64_t runs, int *base);
/* Whether a bound has left something out. */
bool lpi_exhaustive_is_cut(const void *strategy);

/* ---- branch_tree.c: the parts in the order of one process ---- */

/* A record of a part, in order: a header, and `size` bytes, a multiple of 8. */
struct lpi_record {
    enum lpi_record_kind {
        LPI_RUN,    /* struct lpi_ran */
        LPI_WISH,   /* struct lpi_wish, and others as indices */
        LPI_FAILED, /* struct lpi_failed: the last record of a process */
        /* the end of the part: */
        LPI_SPLIT, /* struct lpi_sent, nodes and transitions, from which others explore the rest */
        LPI_END,   /* struct lpi_ended: it is over */
        LPI_LATE   /* no data: it is not over, but the time is. The last record of a process */
    } kind;
    unsigned size;
};

struct lpi_ran {
    uint64_t hash;   /* of its outcome; 0: it has none */
    uint64_t labels; /* that it has reached, as those of the result are numbered */
    int choices, result;
    bool cut, failed;
};

struct lpi_failed {
    int result;   /* its number */
    bool crashed; /* there is no record of the run */
};

struct lpi_ended {
    bool cut; /* a bound has left something out */
};

/* A path, in a record or for a process that is to explore a part. */
struct lpi_sent {
    int n_nodes, n_pool;
    int first; /* of the first node in the pool that it comes from */
    int base;  /* of the part */
};

struct lpi_branch;
/* A part of the search: the subtree of an alternative of a branch's node. */
struct lpi_place {
    struct lpi_branch *branch; /* NULL: none */
    int slot;
};

struct lpi_tree {
    struct lpi_branch *top; /* above the root, with one alternative; NULL: all parts are over */
    /* Records other than wishes come here, in the order of one process. */
    void (*take)(void *arg, const struct lpi_record *r, const void *body);
    void *arg;
    bool no_memory, cut;
};

/* The whole search is the one part. */
bool lpi_tree_begin(struct lpi_tree *t);
void lpi_tree_free(struct lpi_tree *t);
/* The part has brought this. */
void lpi_tree_add(struct lpi_tree *t, const struct lpi_place *from, const struct lpi_record *r,
                  const void *body);
/* The part now begins below these nodes, which are its first. Their other alternatives are parts. */
void lpi_tree_split(struct lpi_tree *t, struct lpi_place *part, const struct lpi_path *nodes);
/* The part is over. */
void lpi_tree_end(struct lpi_tree *t, const struct lpi_place *part);
/* The first part that has not begun, without those after a failure: it begins. @return false: none */
bool lpi_tree_next(struct lpi_tree *t, struct lpi_place *part);
/* The nodes from the root to the part. @return false: no memory */
bool lpi_tree_path(const struct lpi_place *part, struct lpi_path *path);
/* Whether part a comes after b in the order of one process. */
bool lpi_tree_is_after(const struct lpi_place *a, const struct lpi_place *b);
/* Take all records now, whatever is missing between them. */
void lpi_tree_take_all(struct lpi_tree *t);

/* ---- explore_part.c: a process that explores parts ---- */

/* @return false: the other end of the socket is closed */
bool lpi_send_all(int fd, const void *from, size_t n);

enum { LPI_HELD = 1 << 16, LPI_SEEN = 1 << 14 };
struct lpi_explorer {
    int fd;     /* a socket: parts come in, records go out */
    int result; /* the number of its result */
    void *strategy;
    _Atomic bool *asked;     /* to give parts away */
    int64_t next_ns;         /* of the host's clock: when the held records are sent */
    int64_t begin_ns;        /* of this part */
    int64_t due_ns;          /* then it is large enough to give some of it away */
    int64_t spent_ns;        /* in the parts before it */
    uint64_t runs;           /* in all parts */
    uint64_t seen[LPI_SEEN]; /* hashes of wishes of this part that have been sent */
    char held[LPI_HELD];
    size_t n;
};
/* Explore the parts that come through the socket. job->isolated is for the result. */
_Noreturn void lpi_explore(struct lpi_job *job, struct lpi_explorer *x);

#endif
