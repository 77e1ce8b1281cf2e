/* SPDX-License-Identifier: MIT */
/*
 * Predictions on a topology, for collectives along a tree: a fold over the tree with the hops of
 * each message in place of one latency.
 *
 * Broadcasts: a node that receives at r sends to its k-th child at r + o_recv + k E, and processes
 * the item afterwards; the last to receive it is the last to be done. Reductions: a node that is
 * ready at t sends then, and receives at least B apart (struct lpi_reduce_times).
 *
 * A message over h links, sent at s, arrives at s + o_send + h (L + st) unless it waits for a link.
 * With all messages at these times, the links of each are checked: if every one enters each of its
 * links at least max(g, st) after the one sent before it, in the order of sending (start, rank),
 * then no message waits and the fold is exact. Otherwise it is a lower bound: every step of a
 * processor begins as early as the steps before it allow, and a link only delays.
 *
 * An algorithm's own formula (predict_linked) goes first.
 */
#include "choice/choice.h"
#include "collective/reduce/reduce.h"
#include "schedule/schedule.h"

#include <logp/delay.h>

#include <errno.h>
#include <stdlib.h>

enum {
    MOST_PROCESSORS = 1 << 16,
    MOST_HOPS = 1 << 22, /* of all messages; beyond, the links are not checked */
};

struct message {
    int64_t start;
    int src, dst;
    int k; /* of those of its sender, in order */
};

struct fold {
    const struct logp_topology *topology;
    const struct logp_params *params;
    struct lpi_tree_member *members;
    struct message *messages; /* by member; that of the root is not used */
    int64_t *ready;           /* by member: when it can begin to send; the root at 0 */
    int P;
    int64_t stream, E;
    int64_t last;   /* the end of the last receive, or of what follows on it */
    bool too_large; /* for the clock */
};

/* ---- the whole tree, put together from the plans of all ranks ---- */

/* Append the children of member i. 0; or an error */
static int add_children(const struct logp_algorithm *algorithm, int P, struct logp_invocation *c,
                        struct lpi_tree_member *members, int i, int *n)
{
    int rc = algorithm->plan(P, members[i].rank, c);

    if (rc == 0 && c->plan.n_children > P - *n)
        rc = -ENOTSUP;
    if (rc == 0) {
        members[i].first_child = *n;
        members[i].n_children = c->plan.n_children;
        for (int k = 0; k < c->plan.n_children; k++)
            members[(*n)++] =
                (struct lpi_tree_member){.rank = c->plan.children[k], .parent = i, .k = k};
    }
    lpi_free_plan(&c->plan);
    return rc;
}

int lpi_whole_tree(const struct logp_algorithm *algorithm, int P, const struct logp_invocation *c,
                   struct lpi_tree_member **out)
{
    struct lpi_tree_member *members = malloc((size_t)P * sizeof(*members));
    struct logp_invocation mine = *c;
    int n = 1, rc = 0;

    if (members == NULL)
        return -ENOMEM;
    members[0] = (struct lpi_tree_member){.rank = c->args.root, .parent = -1};
    for (int i = 0; rc == 0 && i < n; i++)
        rc = add_children(algorithm, P, &mine, members, i, &n);
    if (rc == 0 && n != P)
        rc = -ENOTSUP;
    if (rc == 0)
        *out = members;
    else
        free(members);
    return rc;
}

/* ---- the fold over it ---- */

/* Return t; or 0, with too_large set, if the clock cannot count it and the times added to it. */
static int64_t within_clock(struct fold *f, __int128 t)
{
    f->too_large |= t > INT64_MAX / 4;
    return f->too_large ? 0 : (int64_t)t;
}

/* Return the arrival of a message that does not wait for a link. */
static int64_t arrival(struct fold *f, int64_t start, int src, int dst)
{
    const int hops = logp_topology_hops(f->topology, src, dst);

    return within_clock(f, (__int128)start + f->params->o_send_ns +
                               (__int128)hops * (f->params->L_ns + f->stream));
}

/* A node that receives at r sends from r + o_recv on (shared gap: max(o_recv, g)), E apart. */
static void fold_broadcast(struct fold *f)
{
    const struct logp_params *p = f->params;
    const int64_t turn = p->gap_shared ? lpi_max(p->o_recv_ns, p->g_ns) : p->o_recv_ns;

    for (int i = 1; i < f->P && !f->too_large; i++) {
        const struct lpi_tree_member *member = &f->members[i];
        const int src = f->members[member->parent].rank, dst = member->rank;
        const int64_t start =
            within_clock(f, f->ready[member->parent] + (__int128)member->k * f->E);
        const int64_t received = arrival(f, start, src, dst);

        f->messages[i] = (struct message){start, src, dst, member->k};
        f->ready[i] = received + turn;
        f->last = lpi_max(f->last, received + p->o_recv_ns);
    }
}

/* From the leaves up: a node is ready when the last of its children's vectors is combined. */
static void fold_reduction(struct fold *f, const struct lpi_reduce_times *t, int64_t combine_ns)
{
    const int64_t busy = f->params->o_recv_ns + combine_ns;

    for (int i = f->P - 1; i >= 0 && !f->too_large; i--) {
        const struct lpi_tree_member *member = &f->members[i];
        int64_t next = LOGP_NEVER; /* receive */

        for (int k = 0; k < member->n_children; k++) {
            const int child = member->first_child + k, src = f->members[child].rank;
            const int64_t start = f->ready[child];
            const int64_t received = lpi_max(next, arrival(f, start, src, member->rank));

            f->messages[child] = (struct message){start, src, member->rank, 0};
            next = within_clock(f, (__int128)received + t->B);
            f->ready[i] = within_clock(f, (__int128)received + busy);
        }
    }
    f->last = f->ready[0];
}

static int in_order(const void *a, const void *b)
{
    const struct message *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    return (x->k > y->k) - (x->k < y->k);
}

static bool few_hops(const struct fold *f)
{
    int64_t hops = 0;

    for (int i = 1; i < f->P; i++)
        hops += logp_topology_hops(f->topology, f->messages[i].src, f->messages[i].dst);
    return hops <= MOST_HOPS;
}

/* Whether no message waits for a link. next_free: of each link, all 0. */
static bool nobody_waits(const struct fold *f, int64_t *next_free)
{
    const int64_t apart = lpi_max(f->params->g_ns, f->stream);

    qsort(f->messages + 1, (size_t)f->P - 1, sizeof(*f->messages), in_order);
    for (int i = 1; i < f->P; i++) {
        const struct message *m = &f->messages[i];
        int64_t at = m->start + f->params->o_send_ns;
        int node = m->src, link;

        while ((link = logp_topology_next(f->topology, &node, m->dst)) >= 0) {
            if (at < next_free[link])
                return false;
            next_free[link] = at + apart;
            at += f->params->L_ns + f->stream;
        }
    }
    return true;
}

/* 0; -ENOMEM */
static int conclude(const struct fold *f, struct logp_prediction *out)
{
    int64_t *next_free;

    *out = f->too_large ? lpi_no_prediction() : lpi_exact(f->last);
    if (out->certainty == LOGP_PREDICTION_NONE)
        return 0;
    if (!few_hops(f)) {
        out->certainty = LOGP_PREDICTION_LOWER_BOUND;
        return 0;
    }
    next_free = calloc((size_t)logp_topology_links(f->topology) + 1, sizeof(*next_free));
    if (next_free == NULL)
        return -ENOMEM;
    if (!nobody_waits(f, next_free))
        out->certainty = LOGP_PREDICTION_LOWER_BOUND;
    free(next_free);
    return 0;
}

static void fold_tree(struct fold *f, enum logp_along along, const struct logp_invocation *c)
{
    if (along == LOGP_FROM_ROOT) {
        f->stream = logp_params_stream_ns(&c->model.params, c->args.n_bytes);
        f->E = lpi_times(&c->model.params, c->args.n_bytes).E;
        fold_broadcast(f);
        f->last = within_clock(f, (__int128)f->last + c->args.work_ns);
    } else {
        const struct lpi_reduce_times t = lpi_reduce_times(c);

        f->stream = logp_params_stream_ns(&c->model.params, lpi_vector_bytes(c));
        fold_reduction(f, &t, lpi_combine_ns(&c->model.params, c->args.count));
    }
}

int lpi_predict_linked(const struct logp_algorithm *algorithm, int64_t P,
                       const struct logp_invocation *c, struct logp_prediction *out)
{
    const enum logp_along along = algorithm->along;
    struct fold f = {.topology = c->model.topology, .params = &c->model.params, .P = (int)P};
    int rc;

    *out = lpi_no_prediction();
    if (P != logp_topology_size(c->model.topology) || c->args.root < 0 || c->args.root >= P)
        return 0;
    if (algorithm->predict_linked != NULL)
        *out = algorithm->predict_linked(P, c);
    if (out->certainty != LOGP_PREDICTION_NONE || P > MOST_PROCESSORS ||
        along == LOGP_ALONG_NO_TREE || (along == LOGP_TO_ROOT && c->model.params.gap_shared))
        return 0;
    rc = lpi_whole_tree(algorithm, f.P, c, &f.members);
    if (rc != 0)
        return rc == -ENOMEM ? rc : 0;
    f.messages = calloc((size_t)P, sizeof(*f.messages));
    f.ready = calloc((size_t)P, sizeof(*f.ready));
    rc = f.messages != NULL && f.ready != NULL ? 0 : -ENOMEM;
    if (rc == 0) {
        fold_tree(&f, along, c);
        rc = conclude(&f, out);
    }
    free(f.messages);
    free(f.ready);
    free(f.members);
    return rc;
}
