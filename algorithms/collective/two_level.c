/* SPDX-License-Identifier: MIT */
/*
 * Networks of nodes, for collectives after which all know of all: the best word (census.c) over the
 * ranks of a node, then the best one over the nodes. In the second all ranks take part, each with
 * those that have its place in other nodes, so that no data is sent within the node once more. With
 * sockets there are three words: in a socket, between the sockets of a node, and between nodes.
 *
 * The last node, and its last socket, may have fewer ranks: before a level all ranks of a block know
 * the same, so a rank receives from any rank of another block. Of a block of r ranks, rank l sends to
 * the ranks l, l + r, l + 2r ... of the other one, as far as there are any.
 *
 * Needs ranks of one kind; a network without nodes is one node. Each word is found for the links that
 * it uses; time is folded.
 */
#include "collective/collective.h"
#include "predict/predict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "Karp et al. 1993, on each level";

int64_t lpi_nodes_size(int64_t P, const struct logp_invocation *c)
{
    const int64_t n = c->model.links != NULL ? logp_links_per_node(c->model.links) : 0;

    return n > 0 && n < P ? n : P;
}

struct logp_params lpi_nodes_params(int64_t P, const struct logp_invocation *c, bool between)
{
    const int64_t per_node = lpi_nodes_size(P, c);
    struct logp_params params = c->model.params;

    if (c->model.links != NULL && (between ? P / per_node : per_node) > 1)
        logp_links_of(c->model.links, 0, between ? (int)per_node : 1, &params, &params);
    return params;
}

/* ---- levels ---- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Over the blocks of the level before, in blocks of so many ranks. */
static void add_level(struct lpi_words *w, int64_t block)
{
    w->each[++w->n_levels] = block;
}

/* Set the sizes of the levels, from the innermost on, and how far apart their ranks are: those of a
 * rank, or those of whole blocks if rank < 0. A level of sockets is left out where they do not fill a
 * node. */
static void find_levels(int64_t P, int64_t rank, const struct logp_invocation *c, bool sockets,
                        struct lpi_words *w)
{
    const struct logp_links *links = c->model.links;
    const int64_t socket = sockets && links != NULL ? logp_links_per_socket(links) : 0;
    const int64_t node = lpi_nodes_size(P, c);

    w->per_node = node;
    w->n_levels = 0;
    w->each[0] = 1;
    if (socket > 1 && socket < node && node % socket == 0)
        add_level(w, socket);
    add_level(w, node);
    if (node < P)
        add_level(w, P);
    for (int i = 0; i < w->n_levels; i++) {
        const int64_t first = rank < 0 ? 0 : rank - rank % w->each[i + 1];

        w->size[i] = lpi_ceil_div(least(w->each[i + 1], P - first), w->each[i]);
    }
}

/* Of a message between two ranks of a level. */
static struct logp_params level_params(const struct logp_invocation *c, const struct lpi_words *w,
                                       int level)
{
    struct logp_params params = c->model.params;

    if (c->model.links != NULL && w->size[level] > 1)
        logp_links_of(c->model.links, 0, (int)w->each[level], &params, &params);
    return params;
}

/* Find the words of all levels. 0; -ENOMEM; -EINVAL: there is none */
static int find_words(const struct lpi_words *w, struct lpi_census word[LPI_LEVELS],
                      const struct logp_invocation *c, lpi_words_cost cost)
{
    bool found = true;
    int rc = 0;

    for (int i = 0; rc == 0 && i < w->n_levels; i++) {
        const struct logp_params params = level_params(c, w, i);
        const struct lpi_census_cost costs = cost(c, w->each[i]);

        rc = lpi_census_find(&word[i], w->size[i], &params, &costs);
        found &= rc == 0 && word[i].found;
    }
    return rc != 0 || found ? rc : -EINVAL;
}

const char *lpi_any_nodes_needs(int64_t P, const struct logp_invocation *c)
{
    return c->model.links == NULL || logp_links_size(c->model.links) == P ? NULL
                                                                          : "nodes (--nodes)";
}

const char *lpi_nodes_needs(int64_t P, const struct logp_invocation *c)
{
    static const char needs[] = "nodes whose links are alike (--nodes)";
    const struct logp_links *links = c->model.links;

    if (links == NULL)
        return NULL;
    if (logp_links_size(links) != P)
        return needs;
    for (int rank = 1; rank < P; rank++)
        if (logp_links_kind(links, rank) != logp_links_kind(links, 0))
            return needs;
    return NULL;
}

/* Ranks of a block of a level: the last of all may have fewer. */
static int64_t block_size(int64_t P, const struct lpi_words *w, int level, int64_t first)
{
    return least(w->each[level], P - first);
}

int64_t lpi_words_place(int64_t rank, const struct lpi_words *w, int level)
{
    return rank % w->each[level + 1] / w->each[level];
}

/* Add an operation as the rank does it: once, or as many times as it sends. @return the number of
 * operations so far; out NULL: they are only counted */
static int add_op(int64_t P, int64_t rank, const struct lpi_words *w, int level,
                  const struct lpi_census_op *op, struct lpi_word_op *out, int n)
{
    const int64_t each = w->each[level], size = w->size[level];
    const int64_t place = lpi_words_place(rank, w, level);
    const int64_t first = rank - rank % each, local = rank - first;
    const int64_t to = lpi_mod(place + (op->sends ? op->reach : -op->reach), size);
    const int64_t other = first + (to - place) * each;
    const int64_t ranks = block_size(P, w, level, first), others = block_size(P, w, level, other);

    for (int64_t at = op->sends ? local : local % others; at < others; at += ranks, n++) {
        if (out != NULL)
            out[n] = (struct lpi_word_op){.op = *op, .level = level, .peer = other + at};
        if (!op->sends)
            return n + 1;
    }
    return n;
}

/* rank < 0: each operation once, without a peer. */
static int add_ops(int64_t P, int64_t rank, const struct lpi_words *w,
                   const struct lpi_census word[LPI_LEVELS], struct lpi_word_op *out)
{
    int n = 0;

    for (int i = 0; i < w->n_levels; i++)
        for (int k = 0; k < word[i].n; k++) {
            if (rank >= 0)
                n = add_op(P, rank, w, i, &word[i].ops[k], out, n);
            else if (out != NULL)
                out[n++] = (struct lpi_word_op){.op = word[i].ops[k], .level = i};
            else
                n++;
        }
    return n;
}

static int plan_words(int64_t P, int64_t rank, struct logp_invocation *c, bool sockets,
                      lpi_words_cost cost)
{
    struct lpi_words levels, *w;
    struct lpi_census word[LPI_LEVELS];
    int rc;

    find_levels(P, rank, c, sockets, &levels);
    rc = find_words(&levels, word, c, cost);
    if (rc != 0)
        return rc;
    levels.n = add_ops(P, rank, &levels, word, NULL);
    w = malloc(sizeof(*w) + (size_t)levels.n * sizeof(w->ops[0]));
    if (w == NULL)
        return -ENOMEM;
    *w = levels;
    add_ops(P, rank, w, word, w->ops);
    c->plan.state = w;
    c->plan.early = true; /* as lpi_census_plan() */
    return 0;
}

int lpi_words_plan(int64_t P, int64_t rank, struct logp_invocation *c, lpi_words_cost cost)
{
    return plan_words(P, rank, c, true, cost);
}

int lpi_words_plan_whole(int64_t P, struct logp_invocation *c, lpi_words_cost cost)
{
    return plan_words(P, -1, c, false, cost);
}

static struct lpi_census_cost vector_cost(const struct logp_invocation *c, int64_t each)
{
    (void)each;
    return lpi_census_cost_of("allreduce", c);
}

/* ---- barrier ---- */

static struct lpi_census_cost barrier_cost(const struct logp_invocation *c, int64_t each)
{
    (void)each;
    return lpi_census_cost_of("barrier", c);
}

static int barrier_plan(int P, int rank, struct logp_invocation *c)
{
    return lpi_words_plan(P, rank, c, barrier_cost);
}

static bool barrier_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                          struct logp_step *out)
{
    const struct lpi_words *w = c->plan.state;

    (void)P, (void)rank;
    if (i >= w->n)
        return false;
    return w->ops[i].op.sends ? logp_step_send(out, w->ops[i].peer, c->args.tag, LOGP_BUF, 0, 0)
                              : logp_step_receive(out, w->ops[i].peer, c->args.tag, LOGP_BUF, 0, 0);
}

static const struct logp_algorithm barriers[] = {
    {LOGP_ALGORITHM("barrier", "two-level", "census inside nodes, then between them", source),
     .needs = lpi_nodes_needs, .plan = barrier_plan, .steps = barrier_steps},
};

const struct lpi_rows lpi_two_level_barrier = LPI_ROWS(barriers);

/* ---- allreduce ---- */

static const char *allreduce_needs(int64_t P, const struct logp_invocation *c)
{
    const char *needs = lpi_needs_commutative(P, c);
    struct lpi_census word[LPI_LEVELS];
    struct lpi_words w;

    needs = needs != NULL ? needs : lpi_nodes_needs(P, c);
    if (needs != NULL)
        return needs;
    /* the last node may be smaller; out of memory: the plan returns the error */
    for (int64_t rank = 0; rank<P; rank += P> 1 ? P - 1 : 1) {
        find_levels(P, rank, c, true, &w);
        if (find_words(&w, word, c, vector_cost) == -EINVAL)
            return "windows whose sizes make up the nodes, and a node";
    }
    return NULL;
}

static int allreduce_plan(int P, int rank, struct logp_invocation *c)
{
    const int rc = lpi_vector_plan(P, rank, c);

    return rc != 0 ? rc : lpi_words_plan(P, rank, c, vector_cost);
}

static bool allreduce_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                            struct logp_step *out)
{
    enum logp_buffer have = LOGP_BUF, in = LOGP_RECV_BUF;
    const struct lpi_words *w = c->plan.state;

    (void)P, (void)rank;
    for (int k = 0; k < w->n; k++) {
        const int64_t peer = w->ops[k].peer;

        if (w->ops[k].op.sends) {
            if (i-- == 0)
                return lpi_send_vector(out, c, peer, have);
            continue;
        }
        if (i == 0)
            return lpi_receive_vector(out, c, peer, in);
        if (i == 1)
            return lpi_combine_vector(out, c, in, in, have);
        i -= 2;
        have = in;
        in = in == LOGP_RECV_BUF ? LOGP_SCRATCH : LOGP_RECV_BUF;
    }
    return i == 0 && have != LOGP_RECV_BUF &&
           logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, 0},
                          (struct logp_buffer_ref){have, 0}, lpi_vector_bytes(c));
}

static const struct logp_algorithm allreduces[] = {
    {LOGP_ALGORITHM("allreduce", "two-level", "census inside nodes, then between them", source),
     .needs = allreduce_needs, .plan = allreduce_plan, .steps = allreduce_steps},
};

const struct lpi_rows lpi_two_level_allreduce = LPI_ROWS(allreduces);
