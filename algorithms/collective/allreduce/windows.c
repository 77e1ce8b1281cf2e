/* SPDX-License-Identifier: MIT */
/*
 * Allreduces that follow the best word of sends and receives (census.c), for any number of ranks.
 *
 * windows: each rank knows the combination of a window of ranks that ends with its own. The windows of
 * a word grow beyond P, and no contribution may come twice. So some messages leave out the sender's own
 * vector, and with it one rank: with two ways for each message the last windows have any size, as each
 * number up to 2^q is made of q halvings that are rounded up or down. A rank keeps the received vectors
 * apart from its own vector until the last such message is sent, and combines the two when it needs
 * both. Sources: Bruck & Ho, Efficient Global Combine Operations in Multi-Port Message-Passing Systems,
 * Parallel Processing Letters 3(4), 1993; Bar-Noy, Kipnis, Schieber, Parallel Processing Letters 3(1),
 * 1993.
 *
 * allgather-combine: the word is that of an allgather of the vectors, which each rank then combines in
 * the order of ranks: P - 1 combinations at the end, the same on all ranks.
 */
#include "allreduce.h"
#include "collective/collective.h"
#include "predict/predict.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

/* ---- windows: which messages leave out the own vector ---- */

struct op {
    bool sends, leaves_out;
    int distance; /* to rank + distance, or from rank - distance */
};

/* plan.state */
struct windows {
    int n, last; /* operations; the last send that leaves out the own vector, -1: none */
    struct op ops[2 * LPI_CENSUS_MOST];
};

/* A choice for each message of a word. */
struct cut {
    const struct lpi_census *word;
    int64_t P;
    bool leaves_out[LPI_CENSUS_MOST];
    int n_messages, nodes;
};

/* Return the window at the end, at most 2 P, or 0 if a message would be empty. out: if not NULL, the
 * operations */
static int64_t follow_word(const struct cut *x, struct windows *out)
{
    int64_t carries[LPI_CENSUS_MOST], window = 1;
    int sent = 0, received = 0, send_at[LPI_CENSUS_MOST];

    for (int i = 0; i < x->word->n; i++) {
        if (x->word->ops[i].sends) {
            carries[sent] = window - x->leaves_out[sent];
            send_at[sent] = i;
            if (carries[sent++] == 0)
                return 0;
        } else {
            const bool leaves_out = x->leaves_out[received];

            if (out != NULL)
                out->ops[i] = out->ops[send_at[received]] =
                    (struct op){.leaves_out = leaves_out, .distance = (int)(window - leaves_out)};
            window += carries[received++];
            window = window < 2 * x->P ? window : 2 * x->P;
        }
    }
    return window;
}

/* Decide for message j and those after it, the others being whole so far. @return they make up P */
static bool decide(struct cut *x, int j)
{
    const int64_t window = follow_word(x, NULL);

    if (window == x->P)
        return true;
    if (window < x->P || j == x->n_messages || x->nodes-- <= 0)
        return false;
    x->leaves_out[j] = true;
    if (decide(x, j + 1))
        return true;
    x->leaves_out[j] = false;
    return decide(x, j + 1);
}

/* 0; -ENOMEM; -EINVAL: there are no such windows */
static int find(struct windows *out, int64_t P, const struct logp_invocation *c)
{
    enum { MOST_NODES = 4096 };
    const struct lpi_census_cost cost = lpi_census_cost_of("scan", c);
    struct lpi_census word;
    struct cut x = {.word = &word, .P = P, .nodes = MOST_NODES};
    const int rc = lpi_census_find(&word, P, &c->model.params, &cost);

    if (rc != 0 || !word.found)
        return rc != 0 ? rc : -EINVAL;
    for (int i = 0; i < word.n; i++)
        x.n_messages += word.ops[i].sends;
    if (!decide(&x, 0))
        return -EINVAL;
    follow_word(&x, out);
    out->n = word.n;
    out->last = -1;
    for (int i = 0; i < word.n; i++) {
        out->ops[i].sends = word.ops[i].sends;
        if (word.ops[i].sends && out->ops[i].leaves_out)
            out->last = i;
    }
    return 0;
}

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    const char *order = lpi_needs_commutative(P, c);
    struct windows w;

    if (order != NULL)
        return order;
    return find(&w, P, c) == -EINVAL ? "windows whose sizes make up P" : NULL;
}

/* Scratch has a received vector, and that with the own one. */
static int plan(int P, int rank, struct logp_invocation *c)
{
    struct windows *w = malloc(sizeof(*w)), *shorter;
    int rc = w != NULL ? lpi_vector_valid(c) : -ENOMEM;

    (void)rank;
    if (rc == 0)
        rc = find(w, P, c);
    if (rc != 0) {
        free(w);
        return rc;
    }
    shorter = realloc(w, offsetof(struct windows, ops) + (size_t)(w->n + 1) * sizeof(w->ops[0]));
    c->plan.state = shorter != NULL ? shorter : w;
    c->plan.scratch_bytes = lpi_bytes(2, lpi_vector_bytes(c));
    c->plan.early = true; /* sends come before the receives of those before them */
    return 0;
}

/* ---- windows: steps ---- */

static const struct logp_buffer_ref own = {LOGP_BUF, 0}, result = {LOGP_RECV_BUF, 0},
                                    other = {LOGP_SCRATCH, 0};

static bool is_at(struct logp_buffer_ref a, struct logp_buffer_ref b)
{
    return a.buffer == b.buffer && a.offset == b.offset;
}

static bool send(struct logp_step *out, const struct logp_invocation *c, int64_t to,
                 struct logp_buffer_ref from)
{
    return logp_step_send(out, to, c->args.tag, from.buffer, from.offset, lpi_vector_bytes(c));
}

/* What a rank has of its window, and where the next vector comes. `apart`: without its own vector,
 * which `both` has as well unless is_stale. */
struct have {
    struct logp_buffer_ref window, in, both;
    bool apart, any, is_stale;
};

static void take(struct have *h)
{
    h->window = h->in;
    h->in = is_at(h->in, result) ? other : result;
    h->any = h->is_stale = true;
}

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct windows *w = c->plan.state;
    struct have h = {.window = own,
                     .in = result,
                     .both = {LOGP_SCRATCH, lpi_vector_bytes(c)},
                     .apart = w->last >= 0};

    if (P == 1)
        return lpi_allreduce_alone(c, i, out);
    for (int k = 0; k < w->n; k++) {
        const struct op *op = &w->ops[k];
        const int64_t peer = lpi_mod(op->sends ? rank + op->distance : rank - op->distance, P);

        if (!op->sends) {
            if (i-- == 0)
                return logp_step_receive(out, peer, c->args.tag, h.in.buffer, h.in.offset,
                                         lpi_vector_bytes(c));
            if ((!h.apart || h.any) && i-- == 0)
                return lpi_combine_at(out, c, h.in, h.in, h.window);
            take(&h);
            continue;
        }
        if (h.apart && h.any && h.is_stale && !op->leaves_out) {
            if (i-- == 0)
                return lpi_combine_at(out, c, h.both, h.window, own);
            h.is_stale = false;
        }
        if (i-- == 0)
            return send(out, c, peer, !h.apart || op->leaves_out ? h.window : h.any ? h.both : own);
        if (k == w->last) { /* from now on with the own vector */
            if (h.is_stale && i-- == 0)
                return lpi_combine_at(out, c, h.both, h.window, own);
            h.window = h.both;
            h.apart = false;
        }
    }
    return i == 0 && !is_at(h.window, result) &&
           logp_step_copy(out, result, h.window, lpi_vector_bytes(c));
}

/* ---- allgather-combine ---- */

enum { MOST_RANKS = 1024 }; /* each rank has all vectors */

static const char *combine_needs(int64_t P, const struct logp_invocation *c)
{
    (void)c;
    return P <= MOST_RANKS ? NULL : "at most 1024 ranks";
}

static int combine_plan(int P, int rank, struct logp_invocation *c)
{
    const struct lpi_census_cost cost = {.rank_bytes = lpi_vector_bytes(c)};
    const int rc = lpi_vector_valid(c);

    (void)rank;
    c->plan.scratch_bytes = lpi_vectors_bytes(c, P);
    return rc != 0 ? rc : lpi_census_plan(P, c, &cost);
}

/* The vector of rank - t is number P - 1 - t of scratch, as in an allgather. */
static bool combine_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                          struct logp_step *out)
{
    const struct lpi_census *word = c->plan.state;
    const struct lpi_census_op *op = &word->ops[i > 0 && i <= word->n ? i - 1 : 0];
    const int64_t n = op->carries < P - op->reach ? op->carries : P - op->reach;
    int64_t next;

    if (P == 1)
        return lpi_allreduce_alone(c, i, out);
    if (i == 0)
        return logp_step_copy(out, lpi_vector_at(c, LOGP_SCRATCH, P - 1), own, lpi_vector_bytes(c));
    if (i <= word->n) {
        const int64_t first = op->sends ? P - n : P - op->reach - n;
        const size_t at = lpi_vector_at(c, LOGP_SCRATCH, first).offset;

        return op->sends ? logp_step_send(out, lpi_mod(rank + op->reach, P), c->args.tag,
                                          LOGP_SCRATCH, at, lpi_vectors_bytes(c, n))
                         : logp_step_receive(out, lpi_mod(rank - op->reach, P), c->args.tag,
                                             LOGP_SCRATCH, at, lpi_vectors_bytes(c, n));
    }
    next = i - word->n;
    return next < P &&
           lpi_combine_at(out, c, result,
                          next == 1 ? lpi_vector_at(c, LOGP_SCRATCH, P - 1 - rank) : result,
                          lpi_vector_at(c, LOGP_SCRATCH, lpi_mod(P - 1 - rank + next, P)));
}

/* ---- the rows ---- */

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("allreduce", "windows",
                    "the best word for any P: some messages leave out the sender's vector",
                    "Bruck & Ho 1993"),
     .needs = needs, .plan = plan, .steps = steps},
    {LOGP_ALGORITHM("allreduce", "allgather-combine",
                    "the best word of an allgather, then all in the order of ranks",
                    "Karp et al. 1993"),
     .needs = combine_needs, .plan = combine_plan, .steps = combine_steps, .same_results = true},
};

const struct lpi_rows lpi_allreduce_windows = LPI_ROWS(algorithms);
