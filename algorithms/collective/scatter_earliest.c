/* SPDX-License-Identifier: MIT */
/*
 * Scatter and gather along the tree of a broadcast on links that differ (earliest.c): each message
 * has the items of all ranks below. The root has them in the order of a walk through the tree, a
 * rank before those below it, so the items of a subtree are contiguous. It is the best tree where
 * bytes cost nothing; time is folded.
 */
#include "collective/collective.h"
#include "predict/predict.h"

#include <logp/paper.h>

#include <errno.h>
#include <stdlib.h>

enum { MOST_RANKS = 256 };

/* plan.state of a rank: its part of the walk. */
struct part {
    int n;        /* ranks of it, with itself */
    int begins[]; /* by child: where its part begins, of this one's; then n; root: then all ranks */
};

static struct lpi_times scatter_times(const struct logp_invocation *c)
{
    return lpi_times(&c->model.params, c->args.n_bytes);
}

/* A gather is a scatter backwards. */
static struct lpi_times gather_times(const struct logp_invocation *c)
{
    struct logp_params turned = c->model.params;

    turned.o_send_ns = c->model.params.o_recv_ns;
    turned.o_recv_ns = c->model.params.o_send_ns;
    return lpi_times(&turned, c->args.n_bytes);
}

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    return P > MOST_RANKS ? "at most 256 ranks" : lpi_earliest_needs(P, c);
}

/* ---- the tree ---- */

struct tree {
    int parent[MOST_RANKS], order[MOST_RANKS];
    int size[MOST_RANKS];  /* of the part from a rank on */
    int place[MOST_RANKS]; /* in the walk */
};

/* 0; -ENOMEM, -EOVERFLOW */
static int find(struct tree *t, int P, const struct logp_invocation *c, bool up)
{
    const struct lpi_earliest ask = {
        .times = up ? gather_times : scatter_times, .up = up, .grows = true};
    const int rc = lpi_earliest_tree(P, c, &ask, t->parent, t->order);
    int next[MOST_RANKS];

    for (int rank = 0; rank < P; rank++)
        t->size[rank] = 1;
    for (int i = P - 1; rc == 0 && i > 0; i--) /* a rank comes after its parent */
        t->size[t->parent[t->order[i]]] += t->size[t->order[i]];
    for (int i = 0; rc == 0 && i < P; i++) {
        const int rank = t->order[i], parent = t->parent[rank];

        t->place[rank] = parent < 0 ? 0 : next[parent];
        next[rank] = t->place[rank] + 1;
        if (parent >= 0)
            next[parent] += t->size[rank];
    }
    return rc;
}

/* ---- plans ---- */

static int plan_part(const struct tree *t, int P, int rank, struct logp_invocation *c)
{
    struct part *part;
    int n = 0;

    for (int i = 0; i < P; i++)
        n += t->parent[i] == rank;
    part = malloc(sizeof(*part) + ((size_t)n + 1 + (size_t)P) * sizeof(part->begins[0]));
    c->plan.children = malloc(((size_t)n + 1) * sizeof(int));
    if (part == NULL || c->plan.children == NULL) {
        free(part);
        free(c->plan.children);
        c->plan.children = NULL;
        return -ENOMEM;
    }
    part->n = t->size[rank];
    for (int i = 0; i < P; i++)
        if (t->parent[t->order[i]] == rank) {
            part->begins[c->plan.n_children] = t->place[t->order[i]] - t->place[rank];
            c->plan.children[c->plan.n_children++] = t->order[i];
        }
    part->begins[n] = part->n;
    for (int i = 0; i < P; i++)
        part->begins[n + 1 + t->place[i]] = i;
    c->plan.parent = t->parent[rank];
    c->plan.state = part;
    c->plan.scratch_bytes = lpi_bytes((size_t)part->n, c->args.n_bytes);
    return 0;
}

static int plan(int P, int rank, struct logp_invocation *c, bool up)
{
    struct tree *t = malloc(sizeof(*t));
    int rc = t != NULL ? find(t, P, c, up) : -ENOMEM;

    if (rc == 0)
        rc = plan_part(t, P, rank, c);
    if (rc == 0 && up)
        lpi_reverse_children(&c->plan);
    free(t);
    return rc;
}

static int scatter_plan(int P, int rank, struct logp_invocation *c)
{
    return plan(P, rank, c, false);
}

static int gather_plan(int P, int rank, struct logp_invocation *c)
{
    return plan(P, rank, c, true);
}

/* ---- steps ---- */

static struct logp_buffer_ref place(const struct logp_invocation *c, enum logp_buffer buffer,
                                    int64_t item)
{
    return (struct logp_buffer_ref){buffer, (size_t)item * c->args.n_bytes};
}

/* Items of the part of child i, and where they begin. */
static int64_t items_of(const struct part *part, int64_t i, int64_t *begin)
{
    *begin = part->begins[i];
    return part->begins[i + 1] - *begin;
}

/* Step i of an order: the root's items go into its walk, or come from there. */
static bool walk(int64_t P, const struct logp_invocation *c, int64_t i, bool out_of,
                 struct logp_step *out)
{
    const struct part *part = c->plan.state;
    const int64_t rank = part->begins[c->plan.n_children + 1 + i];
    const struct logp_buffer_ref there = place(c, LOGP_SCRATCH, i);

    (void)P;
    return out_of ? logp_step_copy(out, place(c, LOGP_RECV_BUF, rank), there, c->args.n_bytes)
                  : logp_step_copy(out, there, place(c, LOGP_BUF, rank), c->args.n_bytes);
}

static bool scatter_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                          struct logp_step *out)
{
    const struct part *part = c->plan.state;
    const int64_t before = rank == c->args.root ? P : 1;
    int64_t begin, n;

    if (i < before)
        return rank == c->args.root
                   ? walk(P, c, i, false, out)
                   : logp_step_receive(out, c->plan.parent, c->args.tag, LOGP_SCRATCH, 0,
                                       (size_t)part->n * c->args.n_bytes);
    i -= before;
    if (i < c->plan.n_children) {
        n = items_of(part, i, &begin);
        return logp_step_send(out, c->plan.children[i], c->args.tag, LOGP_SCRATCH,
                              place(c, LOGP_SCRATCH, begin).offset, (size_t)n * c->args.n_bytes);
    }
    return i == c->plan.n_children && logp_step_copy(out, place(c, LOGP_RECV_BUF, 0),
                                                     place(c, LOGP_SCRATCH, 0), c->args.n_bytes);
}

static bool gather_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                         struct logp_step *out)
{
    const struct part *part = c->plan.state;
    const int64_t children = c->plan.n_children;
    int64_t begin, n;

    if (i == 0)
        return logp_step_copy(out, place(c, LOGP_SCRATCH, 0), place(c, LOGP_BUF, 0),
                              c->args.n_bytes);
    i--;
    if (i < children) { /* plan.children are turned round, begins are not */
        n = items_of(part, children - 1 - i, &begin);
        return logp_step_receive(out, c->plan.children[i], c->args.tag, LOGP_SCRATCH,
                                 place(c, LOGP_SCRATCH, begin).offset, (size_t)n * c->args.n_bytes);
    }
    i -= children;
    if (rank == c->args.root)
        return i < P && walk(P, c, i, true, out);
    return i == 0 && logp_step_send(out, c->plan.parent, c->args.tag, LOGP_SCRATCH, 0,
                                    (size_t)part->n * c->args.n_bytes);
}

static const char source[] = "Bhat, Raghavendra & Prasanna 1999";

static const struct logp_algorithm scatters[] = {
    {LOGP_ALGORITHM("scatter", "earliest",
                    "the tree of a broadcast that ends earliest on any links", source),
     .needs = needs, .plan = scatter_plan, .steps = scatter_steps},
};

const struct lpi_rows lpi_scatter_earliest = LPI_ROWS(scatters);

static const struct logp_algorithm gathers[] = {
    {LOGP_ALGORITHM("gather", "earliest", "the tree of a reduce that ends earliest on any links",
                    source),
     .needs = needs, .plan = gather_plan, .steps = gather_steps},
};

const struct lpi_rows lpi_gather_earliest = LPI_ROWS(gathers);
