/* SPDX-License-Identifier: MIT */
/*
 * Trees for links that differ, by looking ahead. Of all messages from a rank with the item to one
 * without it, the next is the one with the least sum of when it is there, and how soon its receiver
 * can serve others: the least D, or the mean D, to those that lack the item. (Bhat, Raghavendra,
 * Prasanna, Efficient Collective Communication in Distributed Heterogeneous Systems, ICDCS 1999.)
 *
 * Then an exact search, within a number of nodes that is enough for all trees of some seven ranks.
 * The rank that is free first sends next, to a rank of one of the classes, or never again; no
 * broadcast is faster for a rank that waits before it sends. A branch is cut if a rank that lacks the
 * item cannot have it sooner than in the best tree, even if no message waited for another.
 */
#include "collective/earliest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEW_CLASSES = 16,     /* with more of them only one way of looking ahead is tried */
    MOST_NODES = 1 << 13, /* of the exact search */
    MOST_EXACT = 12,      /* ranks; the tree of more is not searched */
};

static const int64_t never = INT64_MAX;

struct search {
    const struct lpi_unlike *p;
    int lacking[LPI_UNLIKE_CLASSES];
    int first_of[LPI_UNLIKE_CLASSES], next_of[LPI_UNLIKE_RANKS]; /* ranks of a class; -1: the end */
    int next[LPI_UNLIKE_CLASSES]; /* the rank of a class that gets the item next */
    int n;
    struct lpi_unlike_tree tree, best;
    int64_t free_at[LPI_UNLIKE_RANKS]; /* of ranks with the item */
    int64_t end;                       /* of the best tree */
    /* exact search */
    int64_t way[LPI_UNLIKE_CLASSES][LPI_UNLIKE_CLASSES]; /* the shortest, over other classes */
    int nodes;
};

/* ---- the time of a tree ---- */

/* Of a message with items for n ranks. */
static int64_t grown(const struct lpi_unlike *p, int64_t one, int64_t all, int n)
{
    if (!p->grows || p->P == 1)
        return one;
    return one + (int64_t)(((__int128)(all - one) * (n - 1) + p->P - 2) / (p->P - 1));
}

int64_t lpi_unlike_end(const struct lpi_unlike *p, const struct lpi_unlike_tree *tree)
{
    int64_t free_at[LPI_UNLIKE_RANKS], end = 0;
    int size[LPI_UNLIKE_RANKS];

    for (int rank = 0; rank < p->P; rank++)
        size[rank] = 1;
    for (int i = p->P - 1; i > 0; i--)
        size[tree->parent[tree->order[i]]] += size[tree->order[i]];
    free_at[p->root] = 0;
    for (int i = 1; i < p->P; i++) {
        const int to = tree->order[i], from = tree->parent[to];
        const int a = p->class_of[from], b = p->class_of[to];
        const int64_t D = grown(p, p->from[a].D[b], p->from[a].D_all[b], size[to]);
        const int64_t whole = p->grows ? p->from[a].E_all[b] - (p->from[a].D_all[b] - D) : 0;

        free_at[to] = free_at[from] + D;
        free_at[from] += whole > p->from[a].E[b] ? whole : p->from[a].E[b];
        end = free_at[to] > end ? free_at[to] : end;
    }
    return end;
}

/* ---- one tree, a message after the other ---- */

static void begin(struct search *s)
{
    const struct lpi_unlike *p = s->p;

    memset(s->lacking, 0, sizeof(s->lacking));
    for (int rank = 0; rank < p->P; rank++)
        s->lacking[p->class_of[rank]]++;
    s->lacking[p->class_of[p->root]]--;
    memcpy(s->next, s->first_of, sizeof(s->next));
    s->tree.parent[p->root] = s->tree.order[0] = p->root;
    s->free_at[p->root] = 0;
    s->n = 1;
}

static void send(struct search *s, int from, int class)
{
    const struct lpi_unlike *p = s->p;
    const int own = p->class_of[from], to = s->next[class];

    s->next[class] = s->next_of[to];
    s->lacking[class]--;
    s->tree.parent[to] = from;
    s->tree.order[s->n++] = to;
    s->free_at[to] = s->free_at[from] + p->from[own].D[class];
    s->free_at[from] += p->from[own].E[class];
}

static void take_back(struct search *s, int from, int class, int64_t free_at)
{
    const int to = s->tree.order[--s->n];

    s->next[class] = to;
    s->lacking[class]++;
    s->free_at[from] = free_at;
}

/* Keep the tree if it ends sooner. */
static void consider(struct search *s)
{
    const int64_t end = lpi_unlike_end(s->p, &s->tree);

    if (end < s->end) {
        s->end = end;
        s->best = s->tree;
    }
}

/* ---- looking ahead ---- */

enum ahead { NOT_AHEAD, LEAST, MEAN };

/* How soon a rank of the class serves others that lack the item, after it has the item itself. */
static int64_t serves(const struct search *s, int class, enum ahead ahead)
{
    const struct lpi_unlike *p = s->p;
    int64_t least = never, sum = 0;
    int n = 0;

    for (int i = 0; ahead != NOT_AHEAD && i < p->n_classes; i++) {
        const int lacking = s->lacking[i] - (i == class);

        if (lacking <= 0)
            continue;
        least = p->from[class].D[i] < least ? p->from[class].D[i] : least;
        sum += lacking * p->from[class].D[i];
        n += lacking;
    }
    return n == 0 ? 0 : ahead == LEAST ? least : sum / n;
}

/* Make the tree with the least sums. */
static void look_ahead(struct search *s, enum ahead ahead)
{
    const struct lpi_unlike *p = s->p;

    for (begin(s); s->n < p->P;) {
        int first[LPI_UNLIKE_CLASSES]; /* to be free; -1: none of the class has the item */
        int from = -1, to = -1;
        int64_t least = never;

        memset(first, -1, sizeof(first));
        for (int i = 0; i < s->n; i++) {
            const int rank = s->tree.order[i], class = p->class_of[rank];

            if (first[class] < 0 || s->free_at[rank] < s->free_at[first[class]])
                first[class] = rank;
        }
        for (int j = 0; j < p->n_classes; j++) {
            const int64_t then = s->lacking[j] > 0 ? serves(s, j, ahead) : 0;

            for (int i = 0; s->lacking[j] > 0 && i < p->n_classes; i++)
                if (first[i] >= 0 && s->free_at[first[i]] + p->from[i].D[j] + then < least) {
                    least = s->free_at[first[i]] + p->from[i].D[j] + then;
                    from = first[i];
                    to = j;
                }
        }
        send(s, from, to);
    }
    consider(s);
}

/* ---- exact search ---- */

static void find_ways(struct search *s)
{
    const int n = s->p->n_classes;

    for (int i = 0; i < n; i++)
        memcpy(s->way[i], s->p->from[i].D, sizeof(s->way[i]));
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (s->way[i][k] + s->way[k][j] < s->way[i][j])
                    s->way[i][j] = s->way[i][k] + s->way[k][j];
}

/* Whether each class that lacks the item may have it before the best tree ends. */
static bool is_hopeful(const struct search *s)
{
    for (int class = 0; class < s->p->n_classes; class ++) {
        bool reaches = s->lacking[class] == 0;

        for (int i = 0; i < s->n && !reaches; i++) {
            const int rank = s->tree.order[i];

            reaches = s->free_at[rank] != never &&
                      s->free_at[rank] + s->way[s->p->class_of[rank]][class] < s->end;
        }
        if (!reaches)
            return false;
    }
    return true;
}

/* Try all that the rank that is free first may do next. */
static void branch(struct search *s)
{
    const struct lpi_unlike *p = s->p;
    int from = -1, own;
    int64_t at;

    if (s->n == p->P) {
        consider(s);
        return;
    }
    if (s->nodes-- <= 0 || !is_hopeful(s))
        return;
    for (int i = 0; i < s->n; i++)
        if (s->free_at[s->tree.order[i]] != never &&
            (from < 0 || s->free_at[s->tree.order[i]] < s->free_at[from]))
            from = s->tree.order[i];
    own = p->class_of[from];
    at = s->free_at[from];
    for (int class = 0; class < p->n_classes; class ++)
        if (s->lacking[class] > 0 && at + p->from[own].D[class] < s->end) {
            send(s, from, class);
            branch(s);
            take_back(s, from, class, at);
        }
    s->free_at[from] = never;
    branch(s);
    s->free_at[from] = at;
}

/* ---- all of it ---- */

/* The ranks of each class, in order, without the root. */
static void list_ranks(struct search *s)
{
    const struct lpi_unlike *p = s->p;

    memset(s->first_of, -1, sizeof(s->first_of));
    for (int rank = p->P - 1; rank >= 0; rank--)
        if (rank != p->root) {
            s->next_of[rank] = s->first_of[p->class_of[rank]];
            s->first_of[p->class_of[rank]] = rank;
        }
}

int lpi_earliest_ahead(const struct lpi_unlike *p, struct lpi_unlike_tree *tree)
{
    struct search *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return -ENOMEM;
    s->p = p;
    s->best = *tree;
    s->end = lpi_unlike_end(p, tree);
    list_ranks(s);
    look_ahead(s, LEAST);
    if (p->n_classes <= FEW_CLASSES) {
        look_ahead(s, NOT_AHEAD);
        look_ahead(s, MEAN);
    }
    if (p->P <= MOST_EXACT && !p->grows) {
        find_ways(s);
        s->nodes = MOST_NODES;
        begin(s);
        branch(s);
    }
    *tree = s->best;
    free(s);
    return 0;
}
