/* SPDX-License-Identifier: MIT */
/*
 * A tree for links that differ, in the order of a broadcast: the tree that ends earliest of those that
 * one rule makes. Where all links are equal it is the optimal tree, and not made here.
 *
 * Ranks between which all links are alike form a class. A rank that is free at t and has all to
 * itself informs F(T - t) others of its class up to T, F being that of the optimal tree over the
 * links of that class. For a given end T the rank that is free first sends next: to the class
 * that lacks most (ranks without the item, less what its own ranks can inform up to T), if its
 * own class can spare the time; else to its own class. Bisection finds the least T that this
 * rule meets.
 *
 * The root of 4 nodes of 8, for example, sends to one rank of each of two nodes and to three ranks of the
 * last, which has no time left for more.
 */
#include "collective/collective.h"
#include "predict/predict.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 256, MOST_CLASSES = 64, MOST_FIRST = 8 };

/* All that the tree depends on. */
struct problem {
    int P, root, n_classes;
    int class_of[MOST_RANKS];
    int64_t D[MOST_CLASSES][MOST_CLASSES], E[MOST_CLASSES][MOST_CLASSES]; /* from, to */
};

struct search {
    const struct problem *p;
    /* between kinds, on two nodes or on one; D is 0 before it is known */
    struct lpi_times known[2][MOST_CLASSES][MOST_CLASSES];
    int64_t *grown[MOST_CLASSES]; /* when the i-th rank of a class has the item, after its first */
    int size[MOST_CLASSES], lacking[MOST_CLASSES], supply[MOST_CLASSES];
    int64_t free_at[MOST_RANKS]; /* of ranks with the item */
    int parent[MOST_RANKS], order[MOST_RANKS];
    int n;                /* ranks with the item, in `order` */
    int heap[MOST_RANKS]; /* places in `order` of the ranks that may send, the first free on top */
    int n_heap;
    int unseen[MOST_CLASSES]; /* no rank of the class before this one lacks the item */
    int first;                /* ranks of a class that have the item before it sends to others */
};

static const int64_t never = INT64_MAX;

/* ---- classes ---- */

static bool share_node(const struct logp_links *links, int a, int b)
{
    const int64_t per_node = logp_links_per_node(links);

    return per_node == 0 || a / per_node == b / per_node;
}

static bool are_alike(const struct logp_links *links, int a, int b)
{
    return logp_links_kind(links, a) == logp_links_kind(links, b) && share_node(links, a, b);
}

/* @return how many there are; 0: too many */
static int classes_of(int64_t P, const struct logp_links *links, int class_of[MOST_RANKS])
{
    int first[MOST_CLASSES], n = 0;

    for (int rank = 0; rank < P; rank++) {
        int i = rank > 0 && are_alike(links, rank - 1, rank) ? class_of[rank - 1] : 0;

        while (i < n && !are_alike(links, first[i], rank))
            i++;
        if (i == MOST_CLASSES)
            return 0;
        if (i == n)
            first[n++] = rank;
        class_of[rank] = i;
    }
    return n;
}

const char *lpi_earliest_needs(int64_t P, const struct logp_invocation *c)
{
    int class_of[MOST_RANKS];

    if (c->model.links == NULL)
        return NULL;
    if (logp_links_size(c->model.links) != P || P > MOST_RANKS ||
        classes_of(P, c->model.links, class_of) == 0)
        return "at most 256 ranks, in at most 64 groups with equal links";
    return NULL;
}

/* Two members of each class, or twice the only one, and the first class of the same kind. */
static void find_members(const struct problem *p, const struct logp_links *links,
                         int member[MOST_CLASSES][2], int kind[MOST_CLASSES])
{
    for (int i = 0; i < p->n_classes; i++)
        member[i][0] = member[i][1] = -1;
    for (int rank = 0; rank < p->P; rank++) {
        int *two = member[p->class_of[rank]];

        two[1] = rank;
        two[0] = two[0] < 0 ? rank : two[0];
    }
    for (int i = 0; i < p->n_classes; i++) {
        kind[i] = 0;
        while (logp_links_kind(links, member[kind[i]][0]) != logp_links_kind(links, member[i][0]))
            kind[i]++;
    }
}

/* Compute the costs between the classes, of messages that go down the tree, or up. They depend on
 * the two kinds, and on whether the ranks share a node: each such case is computed once. */
static void fill(struct problem *p, struct lpi_times known[2][MOST_CLASSES][MOST_CLASSES],
                 const struct logp_invocation *c,
                 struct lpi_times (*times)(const struct logp_invocation *c), bool up)
{
    const struct logp_links *links = c->model.links;
    int member[MOST_CLASSES][2], kind[MOST_CLASSES];

    p->n_classes = classes_of(p->P, links, p->class_of);
    find_members(p, links, member, kind);
    for (int i = 0; i < p->n_classes; i++)
        for (int j = 0; j < p->n_classes; j++) {
            const int from = member[i][0], to = member[j][i == j];
            struct lpi_times *t = &known[share_node(links, from, to)][kind[i]][kind[j]];

            if (t->D == 0) {
                struct logp_invocation link = *c;

                logp_links_of(links, up ? to : from, up ? from : to, &c->model.params,
                              &link.model.params);
                *t = times(&link);
            }
            p->D[i][j] = t->D;
            p->E[i][j] = t->E;
        }
}

/* ---- how fast a class informs itself ---- */

static int grow(struct search *s, int class)
{
    const int64_t D = s->p->D[class][class], E = s->p->E[class][class];
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
    const struct problem *p = s->p;
    const int own = p->class_of[from];
    const int64_t at = s->free_at[from];
    const bool can_go_on = s->lacking[own] > 0 && at + p->D[own][own] <= T;
    int best = -1, most = 0;

    if (can_go_on && s->size[own] - s->lacking[own] < s->first)
        return own;
    for (int i = 0; i < p->n_classes; i++) {
        const int lacks = s->lacking[i] - s->supply[i];

        if (i == own || lacks <= 0 || at + p->D[own][i] > T)
            continue;
        if (lacks > most || (lacks == most && p->D[own][i] < p->D[own][best])) {
            best = i;
            most = lacks;
        }
    }
    if (best >= 0 && can_go_on) {
        const int left =
            s->supply[own] - reach(s, own, T - at) + reach(s, own, T - at - p->E[own][best]);

        if (left < s->lacking[own])
            return own;
    }
    return best >= 0 ? best : can_go_on ? own : -1;
}

/* Build the tree. @return whether it ends within T */
static bool build(struct search *s, int64_t T)
{
    const struct problem *p = s->p;

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
            set_free(s, to, at + p->D[own][class], T);
            set_free(s, from, at + p->E[own][class], T);
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

/* ---- plans ---- */

/* The tree that was made last: all ranks ask for the same one. Whoever finds it in use makes its own. */
static struct {
    atomic_flag in_use;
    struct problem problem;
    int parent[MOST_RANKS], order[MOST_RANKS];
} kept = {.in_use = ATOMIC_FLAG_INIT};

static bool enter(void)
{
    return !atomic_flag_test_and_set_explicit(&kept.in_use, memory_order_acquire); /* of leave() */
}

static void leave(void)
{
    atomic_flag_clear_explicit(&kept.in_use, memory_order_release); /* pairs with enter() */
}

static bool recall(struct search *s)
{
    bool same;

    if (!enter())
        return false;
    same = memcmp(&kept.problem, s->p, sizeof(*s->p)) == 0;
    if (same) {
        memcpy(s->parent, kept.parent, sizeof(kept.parent));
        memcpy(s->order, kept.order, sizeof(kept.order));
    }
    leave();
    return same;
}

static void keep(const struct search *s)
{
    if (!enter())
        return;
    kept.problem = *s->p;
    memcpy(kept.parent, s->parent, sizeof(kept.parent));
    memcpy(kept.order, s->order, sizeof(kept.order));
    leave();
}

static int take(const struct search *s, int rank, struct logp_rank_plan *plan)
{
    int n = 0;

    *plan = (struct logp_rank_plan){.parent = rank == s->p->root ? -1 : s->parent[rank]};
    for (int i = 1; i < s->p->P; i++)
        plan->n_children += s->parent[s->order[i]] == rank;
    if (plan->n_children == 0)
        return 0;
    plan->children = malloc((size_t)plan->n_children * sizeof(int));
    if (plan->children == NULL)
        return -ENOMEM;
    for (int i = 1; i < s->p->P; i++)
        if (s->parent[s->order[i]] == rank)
            plan->children[n++] = s->order[i];
    return 0;
}

/* The tree, as it was kept or anew. 0; -ENOMEM, -EOVERFLOW: nothing is allocated */
static int make(int P, const struct logp_invocation *c,
                struct lpi_times (*times)(const struct logp_invocation *c), bool up,
                struct search **out)
{
    struct problem *p = calloc(1, sizeof(*p));
    struct search *s = calloc(1, sizeof(*s));
    int rc = p != NULL && s != NULL ? 0 : -ENOMEM;

    if (rc == 0) {
        p->P = P;
        p->root = c->args.root;
        fill(p, s->known, c, times, up);
        s->p = p;
        if (!recall(s)) {
            rc = find(s);
            if (rc == 0)
                keep(s);
        }
    }
    if (rc != 0) {
        free(s);
        free(p);
        return rc;
    }
    *out = s;
    return 0;
}

static void forget(struct search *s)
{
    free((struct problem *)s->p);
    free(s);
}

int lpi_plan_earliest(int P, int rank, struct logp_invocation *c,
                      struct lpi_times (*times)(const struct logp_invocation *c), bool up)
{
    struct search *s;
    int rc = make(P, c, times, up, &s);

    if (rc != 0)
        return rc;
    rc = take(s, rank, &c->plan);
    forget(s);
    return rc;
}

int lpi_earliest_tree(int P, const struct logp_invocation *c,
                      struct lpi_times (*times)(const struct logp_invocation *c), bool up,
                      int *parent, int *order)
{
    struct search *s;
    const int rc = make(P, c, times, up, &s);

    if (rc != 0)
        return rc;
    memcpy(parent, s->parent, (size_t)P * sizeof(*parent));
    memcpy(order, s->order, (size_t)P * sizeof(*order));
    parent[c->args.root] = -1;
    forget(s);
    return 0;
}
