/* SPDX-License-Identifier: MIT */
/*
 * A tree for links that differ, by one rule. A rank that is free at t and has all to itself informs
 * F(T - t) others of its class up to T, F being that of the optimal tree over the links of that class.
 * For a given end T the rank that is free first sends next: to the class that lacks most (ranks without
 * the item, less what its own ranks can inform up to T), if its own class can spare the time; else to
 * its own class. Bisection finds the least T that this rule meets.
 *
 * The root of 4 nodes of 8, for example, sends to one rank of each of two nodes and to three ranks of the
 * last, which has no time left for more.
 */
#include "collective/earliest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIRST = 8 };

struct search {
    const struct lpi_unlike *p;
    int64_t *
        grown[LPI_UNLIKE_CLASSES]; /* when the i-th rank of a class has the item, after its first */
    int size[LPI_UNLIKE_CLASSES], lacking[LPI_UNLIKE_CLASSES], supply[LPI_UNLIKE_CLASSES];
    int64_t free_at[LPI_UNLIKE_RANKS]; /* of ranks with the item */
    int parent[LPI_UNLIKE_RANKS], order[LPI_UNLIKE_RANKS];
    int n; /* ranks with the item, in `order` */
    int heap
        [LPI_UNLIKE_RANKS]; /* places in `order` of the ranks that may send, the first free on top */
    int n_heap;
    int unseen[LPI_UNLIKE_CLASSES]; /* no rank of the class before this one lacks the item */
    int first; /* ranks of a class that have the item before it sends to others */
};

static const int64_t never = INT64_MAX;

/* ---- how fast a class informs itself ---- */

static int grow(struct search *s, int class)
{
    const int64_t D = s->p->from[class].D[class], E = s->p->from[class].E[class];
    const int n = s->size[class];
    int64_t *grown = malloc(((size_t)n + 1) * sizeof(*grown)), *next;

    next = malloc(((size_t)n + 1) * sizeof(*next));
    s->grown[class] = grown;
    if (grown == NULL || next == NULL) {
        free(next);
        return -ENOMEM;
    }
    next[0] = D;
    for (int i = 0; i + 1 < n; i++) {
        int first = 0;

        for (int j = 1; j <= i; j++)
            if (next[j] < next[first])
                first = j;
        grown[i] = next[first];
        next[first] += E;
        next[i + 1] = grown[i] + D;
    }
    free(next);
    return 0;
}

/* How many others of its class a rank can inform that is free for so long. */
static int reach(const struct search *s, int class, int64_t time)
{
    int low = 0, high = s->size[class] - 1;

    while (low < high) {
        const int middle = (low + high) / 2;

        if (s->grown[class][middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return time >= 0 ? low : 0;
}

/* ---- one tree ---- */

static void set_free(struct search *s, int rank, int64_t at, int64_t T)
{
    const int class = s->p->class_of[rank];

    if (s->free_at[rank] != never)
        s->supply[class] -= reach(s, class, T - s->free_at[rank]);
    s->free_at[rank] = at;
    if (at != never)
        s->supply[class] += reach(s, class, T - at);
}

static int next_of(struct search *s, int class)
{
    int *rank = &s->unseen[class];

    while (s->p->class_of[*rank] != class || s->parent[*rank] >= 0)
        ++*rank;
    return *rank;
}

/* Of ranks that are free at the same time, the one that had the item first goes first. */
static bool goes_before(const struct search *s, int a, int b)
{
    const int64_t free_a = s->free_at[s->order[a]], free_b = s->free_at[s->order[b]];

    return free_a < free_b || (free_a == free_b && a < b);
}

/* A new sender, which is the last in `order`. */
static void push(struct search *s)
{
    const int place = s->n - 1;
    int i = s->n_heap++;

    for (; i > 0 && goes_before(s, place, s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = place;
}

/* Move the sender on top to where it belongs, or remove it if it sends no more. */
static void settle(struct search *s)
{
    const bool is_out = s->free_at[s->order[s->heap[0]]] == never;
    const int place = is_out ? s->heap[--s->n_heap] : s->heap[0];
    int i = 0;

    for (int child = 1; child < s->n_heap; child = 2 * i + 1) {
        if (child + 1 < s->n_heap && goes_before(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (!goes_before(s, s->heap[child], place))
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = place;
}

/* The class that rank `from` sends to next; -1: none that it reaches within T. */
static int choose(const struct search *s, int from, int64_t T)
{
    const struct lpi_unlike *p = s->p;
    const int own = p->class_of[from];
    const int64_t at = s->free_at[from];
    const bool can_go_on = s->lacking[own] > 0 && at + p->from[own].D[own] <= T;
    int best = -1, most = 0;

    if (can_go_on && s->size[own] - s->lacking[own] < s->first)
        return own;
    for (int i = 0; i < p->n_classes; i++) {
        const int lacks = s->lacking[i] - s->supply[i];

        if (i == own || lacks <= 0 || at + p->from[own].D[i] > T)
            continue;
        if (lacks > most || (lacks == most && p->from[own].D[i] < p->from[own].D[best])) {
            best = i;
            most = lacks;
        }
    }
    if (best >= 0 && can_go_on) {
        const int left =
            s->supply[own] - reach(s, own, T - at) + reach(s, own, T - at - p->from[own].E[best]);

        if (left < s->lacking[own])
            return own;
    }
    return best >= 0 ? best : can_go_on ? own : -1;
}

/* Build the tree. @return whether it ends within T */
static bool build(struct search *s, int64_t T)
{
    const struct lpi_unlike *p = s->p;

    memset(s->lacking, 0, sizeof(s->lacking));
    memset(s->supply, 0, sizeof(s->supply));
    memset(s->unseen, 0, sizeof(s->unseen));
    for (int rank = 0; rank < p->P; rank++) {
        s->lacking[p->class_of[rank]]++;
        s->free_at[rank] = never;
        s->parent[rank] = -1;
    }
    s->lacking[p->class_of[p->root]]--;
    s->parent[p->root] = p->root;
    s->order[0] = p->root;
    s->n = 1;
    set_free(s, p->root, 0, T);
    s->n_heap = 0;
    push(s);
    while (s->n < p->P && s->n_heap > 0) {
        const int from = s->order[s->heap[0]], class = choose(s, from, T);
        const int own = p->class_of[from];
        const int64_t at = s->free_at[from];

        if (class >= 0) {
            const int to = next_of(s, class);

            s->parent[to] = from;
            s->order[s->n++] = to;
            s->lacking[class]--;
            set_free(s, to, at + p->from[own].D[class], T);
            set_free(s, from, at + p->from[own].E[class], T);
            settle(s);
            push(s);
        } else {
            set_free(s, from, never, T);
            settle(s);
        }
    }
    return s->n == p->P;
}

/* The least T that can be met with s->first, to a part in 2^12, if it is less than *T. */
static void bisect(struct search *s, int64_t *T)
{
    int64_t low = *T / 8; /* `find` came to *T in steps of 4 */

    if (!build(s, *T - 1))
        return;
    for (*T -= 1; low < *T - (*T >> 12);) {
        const int64_t middle = low + (*T - low) / 2;

        if (build(s, middle))
            *T = middle;
        else
            low = middle + 1;
    }
}

/* The best tree of those for each s->first. 0; -EOVERFLOW, -ENOMEM */
static int find(struct search *s)
{
    int64_t T = 1000;
    int rc = 0, best = 1;

    for (int rank = 0; rank < s->p->P; rank++)
        s->size[s->p->class_of[rank]]++;
    for (int i = 0; rc == 0 && i < s->p->n_classes; i++)
        rc = grow(s, i);
    for (s->first = 1; rc == 0 && !build(s, T); T *= 4)
        if (T > INT64_MAX / 8)
            rc = -EOVERFLOW;
    for (; rc == 0 && s->first <= MOST_FIRST; s->first++) {
        const int64_t before = T;

        bisect(s, &T);
        if (T < before)
            best = s->first;
    }
    s->first = best;
    if (rc == 0)
        build(s, T);
    for (int i = 0; i < s->p->n_classes; i++)
        free(s->grown[i]);
    return rc;
}

int lpi_earliest_by_rule(const struct lpi_unlike *p, struct lpi_unlike_tree *out)
{
    struct search *s = calloc(1, sizeof(*s));
    int rc = s != NULL ? 0 : -ENOMEM;

    if (rc == 0) {
        s->p = p;
        rc = find(s);
    }
    if (rc == 0) {
        memcpy(out->parent, s->parent, sizeof(out->parent));
        memcpy(out->order, s->order, sizeof(out->order));
    }
    free(s);
    return rc;
}
