/* SPDX-License-Identifier: MIT */
/*
 * Scan and exscan up and down the tree of a broadcast on links that differ (earliest.c), whose ranks
 * may be in any order. The ranks below a node, and its own, form runs of consecutive ranks. It sends
 * up one vector for each run, the combination of all in it, and gets one for each run from above: the
 * combination of all ranks before the run. So a run is combined in the order of ranks, and a slow link between
 * two ranks is not used although their numbers are next to each other. Time is folded.
 *
 * A node has pieces: its own vector, and the runs of its children. A run of its own is made of pieces
 * that follow each other, and Q is the combination of the pieces of a run up to one of them.
 */
#include "collective/collective.h"
#include "predict/predict.h"

#include <errno.h>
#include <stdlib.h>

enum { MOST_RANKS = 256, OWN = -1, OUTSIDE = -2 };

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    return P > MOST_RANKS ? "at most 256 ranks" : lpi_earliest_needs(P, c);
}

static struct lpi_times vector_times(const struct logp_invocation *c)
{
    struct lpi_times t = lpi_times(&c->model.params, lpi_vector_bytes(c));

    t.D += lpi_combine_ns(&c->model.params, c->args.count);
    return t;
}

/* ---- the pieces of a node ---- */

struct piece {
    int owner;         /* OWN; or a child */
    bool begins_run;   /* it is the first of a run of this node */
    bool begins_ranks; /* it begins with rank 0: nothing is before it */
    bool is_there;
    bool is_combined;            /* Q is known */
    struct logp_buffer_ref data; /* of the piece */
    struct logp_buffer_ref Q;
};

struct node {
    int parent, n_children, n_pieces, n_runs;
    int child[MOST_RANKS], n_runs_of[MOST_RANKS]; /* in the order of a broadcast */
    struct piece piece[MOST_RANKS];
    /* making the steps */
    const struct logp_invocation *c;
    struct lpi_planned *list;
    int64_t n_vectors; /* in scratch */
};

/* The ranks of each child's part, and the own one. */
static void find_owners(struct node *n, int P, int rank, const int *parent, const int *order,
                        int owner[MOST_RANKS])
{
    n->parent = parent[rank];
    for (int i = 0; i < P; i++) {
        const int at = order[i];

        if (at == rank)
            owner[at] = OWN;
        else if (parent[at] == rank) {
            owner[at] = n->n_children;
            n->child[n->n_children++] = at;
        } else
            owner[at] = parent[at] < 0 || owner[parent[at]] == OWN ? OUTSIDE : owner[parent[at]];
    }
}

static void find_pieces(struct node *n, int P, const int owner[MOST_RANKS])
{
    for (int rank = 0; rank < P; rank++) {
        const int before = rank > 0 ? owner[rank - 1] : OUTSIDE;

        if (owner[rank] == OUTSIDE || (owner[rank] == before && before != OWN))
            continue;
        n->piece[n->n_pieces++] = (struct piece){
            .owner = owner[rank], .begins_run = before == OUTSIDE, .begins_ranks = rank == 0};
        n->n_runs += before == OUTSIDE;
        if (owner[rank] != OWN)
            n->n_runs_of[owner[rank]]++;
    }
}

/* ---- its steps ---- */

static struct logp_step *add(struct node *n)
{
    return &n->list->steps[n->list->n++];
}

/* Space for so many vectors. */
static struct logp_buffer_ref space(struct node *n, int64_t vectors)
{
    const struct logp_buffer_ref at = {LOGP_SCRATCH, lpi_vectors_bytes(n->c, n->n_vectors)};

    n->n_vectors += vectors;
    return at;
}

static struct logp_buffer_ref vector_of(const struct node *n, struct logp_buffer_ref at, int64_t i)
{
    at.offset += lpi_vectors_bytes(n->c, i);
    return at;
}

/* @return where left op right is */
static struct logp_buffer_ref combine(struct node *n, struct logp_buffer_ref at,
                                      struct logp_buffer_ref left, struct logp_buffer_ref right)
{
    lpi_combine_at(add(n), n->c, at, left, right);
    return at;
}

static void copy(struct node *n, struct logp_buffer_ref at, struct logp_buffer_ref from)
{
    logp_step_copy(add(n), at, from, lpi_vector_bytes(n->c));
}

/* Send vectors that are anywhere in one message. */
static void send(struct node *n, int to, const struct logp_buffer_ref *from, int vectors)
{
    struct logp_buffer_ref at = from[0];

    if (vectors > 1) {
        at = space(n, vectors);
        for (int i = 0; i < vectors; i++)
            copy(n, vector_of(n, at, i), from[i]);
    }
    logp_step_send(add(n), to, n->c->args.tag, at.buffer, at.offset,
                   lpi_vectors_bytes(n->c, vectors));
}

static struct logp_buffer_ref receive(struct node *n, int from, int vectors)
{
    const struct logp_buffer_ref at = space(n, vectors);

    logp_step_receive(add(n), from, n->c->args.tag, at.buffer, at.offset,
                      lpi_vectors_bytes(n->c, vectors));
    return at;
}

/* Combine each piece that is there with those before it in its run, if these are combined. */
static void combine_on(struct node *n)
{
    for (int i = 0; i < n->n_pieces; i++) {
        struct piece *p = &n->piece[i];

        if (p->is_combined || !p->is_there || (!p->begins_run && !p[-1].is_combined))
            continue;
        p->is_combined = true;
        p->Q = p->begins_run ? p->data : combine(n, space(n, 1), p[-1].Q, p->data);
    }
}

/* Mark the pieces of a child, or the own one. */
static void have(struct node *n, int owner, struct logp_buffer_ref at)
{
    for (int i = 0, vectors = 0; i < n->n_pieces; i++)
        if (n->piece[i].owner == owner) {
            n->piece[i].is_there = true;
            n->piece[i].data = vector_of(n, at, vectors++);
        }
    combine_on(n);
}

static void go_up(struct node *n)
{
    struct logp_buffer_ref runs[MOST_RANKS];
    int n_runs = 0;

    have(n, OWN, (struct logp_buffer_ref){LOGP_BUF, 0});
    for (int i = n->n_children - 1; i >= 0; i--)
        have(n, i, receive(n, n->child[i], n->n_runs_of[i]));
    for (int i = 0; i < n->n_pieces; i++)
        if (i + 1 == n->n_pieces || n->piece[i + 1].begins_run)
            runs[n_runs++] = n->piece[i].Q;
    if (n->parent >= 0)
        send(n, n->parent, runs, n_runs);
}

/* The combination of all ranks before a piece, of which there are some. above: that of the ranks before
 * its run; NULL: there are none */
static struct logp_buffer_ref before(struct node *n, const struct piece *p,
                                     const struct logp_buffer_ref *above)
{
    if (p->begins_run)
        return *above;
    return above == NULL ? p[-1].Q : combine(n, space(n, 1), *above, p[-1].Q);
}

static void finish(struct node *n, const struct piece *p, const struct logp_buffer_ref *above,
                   bool inclusive)
{
    const struct logp_buffer_ref result = {LOGP_RECV_BUF, 0};

    if (inclusive && above != NULL)
        combine(n, result, *above, p->Q);
    else if (inclusive)
        copy(n, result, p->Q);
    else if (p->begins_run && above != NULL)
        copy(n, result, *above);
    else if (!p->begins_run && above != NULL)
        combine(n, result, *above, p[-1].Q);
    else if (!p->begins_run)
        copy(n, result, p[-1].Q);
}

static void go_down(struct node *n, bool inclusive)
{
    struct logp_buffer_ref above[MOST_RANKS], runs[MOST_RANKS]; /* by run; those of a child */
    const bool first = n->piece[0].begins_ranks; /* nothing is before the first run */
    const int n_above = n->n_runs - first;

    if (n->parent >= 0 && n_above > 0) {
        const struct logp_buffer_ref at = receive(n, n->parent, n_above);

        for (int i = 0; i < n_above; i++)
            above[i + first] = vector_of(n, at, i);
    }
    for (int child = 0; child < n->n_children; child++) {
        int n_runs = 0;

        for (int i = 0, run = -1; i < n->n_pieces; i++) {
            const struct piece *p = &n->piece[i];

            run += p->begins_run;
            if (p->owner == child && !p->begins_ranks)
                runs[n_runs++] = before(n, p, run == 0 && first ? NULL : &above[run]);
        }
        if (n_runs > 0)
            send(n, n->child[child], runs, n_runs);
    }
    for (int i = 0, run = -1; i < n->n_pieces; i++) {
        run += n->piece[i].begins_run;
        if (n->piece[i].owner == OWN)
            finish(n, &n->piece[i], run == 0 && first ? NULL : &above[run], inclusive);
    }
}

/* ---- plans ---- */

/* 0; -ENOMEM */
static int make_steps(struct node *n, struct logp_invocation *c, bool inclusive)
{
    const size_t most = 6 * (size_t)n->n_pieces + 2 * (size_t)n->n_children + 4;
    struct lpi_planned *list = calloc(1, sizeof(*list) + most * sizeof(list->steps[0]));

    if (list == NULL)
        return -ENOMEM;
    list->steps = (struct logp_step *)(list + 1);
    n->list = list;
    n->c = c;
    go_up(n);
    go_down(n, inclusive);
    c->plan.state = list;
    c->plan.scratch_bytes = lpi_vectors_bytes(c, n->n_vectors);
    return 0;
}

static int plan(int P, int rank, struct logp_invocation *c, bool inclusive)
{
    const struct lpi_earliest ask = {.times = vector_times, .both_ways = true, .any_root = true};
    int parent[MOST_RANKS], order[MOST_RANKS], owner[MOST_RANKS];
    struct node *n = calloc(1, sizeof(*n));
    int rc = n != NULL ? lpi_vector_valid(c) : -ENOMEM;

    if (rc == 0)
        rc = lpi_earliest_tree(P, c, &ask, parent, order);
    if (rc == 0) {
        find_owners(n, P, rank, parent, order, owner);
        find_pieces(n, P, owner);
        rc = make_steps(n, c, inclusive);
    }
    free(n);
    return rc;
}

static int scan_plan(int P, int rank, struct logp_invocation *c)
{
    return plan(P, rank, c, true);
}

static int exscan_plan(int P, int rank, struct logp_invocation *c)
{
    return plan(P, rank, c, false);
}

static const char source[] = "Bhat, Raghavendra & Prasanna 1999";

static const struct logp_algorithm scans[] = {
    {LOGP_ALGORITHM("scan", "earliest", "up and down a tree that ends early on any links", source),
     .needs = needs, .plan = scan_plan, .steps = lpi_planned_steps},
};

static const struct logp_algorithm exscans[] = {
    {LOGP_ALGORITHM("exscan", "earliest", "as the scan, but for the own vector", source),
     .needs = needs, .plan = exscan_plan, .steps = lpi_planned_steps},
};

const struct lpi_rows lpi_scan_earliest = LPI_ROWS(scans), lpi_exscan_earliest = LPI_ROWS(exscans);
