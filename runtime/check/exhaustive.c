/* SPDX-License-Identifier: MIT */
/*
 * All outcomes, each once: a depth-first search over late choices, with sleep sets.
 *
 * A choice is between transitions. In one kind, a vp's query takes a message, finds a send done,
 * misses, or cancels its receive, and the vp goes on until its next choice. In the other kind, a
 * receive that the vp has posted takes a message aside, and the vp's query goes on. The path of
 * choices of the current run is a stack of nodes. The next run gives the same answers up to the
 * last node that has an alternative left, takes that one, and then always the first.
 *
 * Transitions of different vps commute: neither disables the other nor changes its result. Only two
 * touches of one key do not. So what
 * has been explored from a node need not be explored again after another vp's transition: it sleeps
 * there, and further on, until its own vp has moved. A match aside sleeps on even then, whether it
 * is listed meanwhile or not, because a query may as well resolve before as after the match. (The
 * converse need not hold, as the vp may never query again. Therefore matches aside come first in a
 * list.) It wakes after a transition of the same receive, or, if receives of any tag may make a
 * difference, of a message of the same source.
 *
 * If all alternatives sleep, the run leads to no new outcome and is ended. Every set of runs that
 * differ only in the order of commuting transitions is then run to its end once. Two runs are in
 * one such set exactly if every vp sees the same.
 *
 * Source: Godefroid, Partial-Order Methods for the Verification of Concurrent Systems, LNCS 1032,
 * 1996.
 */
#include "kit.h"

struct transition {
    struct logp_alternative a;
    bool sleeps; /* or has been explored */
};

struct node {
    int first, n, n_all; /* in `pool`; those from n on are not listed here, and sleep */
    int now;             /* the one taken, from 0 */
};

struct search {
    struct node *nodes;
    int n_nodes, nodes_capacity;
    struct transition *pool;
    int n_pool, pool_capacity;
    int at;              /* depth of the current run */
    int most, branching; /* nodes that may branch; choices in this run so far */
    int most_misses;     /* in a row */
    bool cut;            /* a bound has left something out */
};

static void destroy(void *strategy)
{
    struct search *s = strategy;

    free(s->nodes);
    free(s->pool);
    free(s);
}

static void *create(int P, const struct logp_check *check)
{
    struct search *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    (void)P;
    s->most = check->depth;
    s->most_misses = check->misses > 0 ? check->misses : 3;
    return s;
}

static void begin(void *strategy, uint64_t seed)
{
    struct search *s = strategy;

    (void)seed;
    s->at = s->branching = 0;
}

static bool same(const struct logp_alternative *a, const struct logp_alternative *b)
{
    return a->rank == b->rank && a->kind == b->kind && a->source == b->source && a->tag == b->tag &&
           a->index == b->index && a->context == b->context && a->request == b->request;
}

/* Is this a match aside, which is not the result of the vp's query? */
static bool is_aside(const struct logp_alternative *a)
{
    return a->kind == LOGP_TAKE && a->index < 0 && a->request != 0;
}

/* Does it make no difference whether b, which is_aside(), comes before or after a? */
static bool commutes(const struct logp_alternative *a, const struct logp_alternative *b)
{
    if (a->rank != b->rank || a->kind == LOGP_MISS)
        return true;
    return (a->kind == LOGP_TAKE && a->request == 0) || /* found by a probe */
           (a->request != 0 && a->request != b->request &&
            (a->kind != LOGP_TAKE || a->source != b->source || (a->polls == 0 && b->polls == 0)));
}

/* Is `a` the same match as b, which is_aside(), whatever it means for the current query? */
static bool is_match(const struct logp_alternative *a, const struct logp_alternative *b)
{
    return a->kind == LOGP_TAKE && a->rank == b->rank && a->request == b->request &&
           a->source == b->source && a->tag == b->tag && a->context == b->context;
}

/* Do both touch one key? */
static bool touch(const struct logp_alternative *a, const struct logp_alternative *b)
{
    return a->kind == LOGP_TOUCH && b->kind == LOGP_TOUCH && a->tag == b->tag;
}

/* Does t, which sleeps, still sleep after `taken`? */
static bool survives(const struct transition *t, const struct transition *taken)
{
    return t != taken && t->sleeps &&
           (is_aside(&t->a)       ? commutes(&taken->a, &t->a)
            : is_aside(&taken->a) ? commutes(&t->a, &taken->a)
                                  : taken->a.rank != t->a.rank && !touch(&taken->a, &t->a));
}

/* Was `a` asleep or explored at the previous node, and is it still? */
static bool sleeps(const struct search *s, const struct logp_alternative *a)
{
    const struct node *before;
    const struct transition *t, *taken;

    if (s->n_nodes == 0)
        return false;
    before = &s->nodes[s->n_nodes - 1];
    t = &s->pool[before->first];
    taken = &t[before->now];
    for (int i = 0; i < before->n_all; i++)
        if (survives(&t[i], taken) && (is_aside(&t[i].a) ? is_match(a, &t[i].a) : same(a, &t[i].a)))
            return true;
    return false;
}

/* Does the node have it already, asleep? */
static bool has(const struct search *s, const struct node *node, const struct logp_alternative *a)
{
    const struct transition *t = &s->pool[node->first];

    for (int i = 0; i < node->n_all; i++)
        if (t[i].sleeps && same(&t[i].a, a))
            return true;
    return false;
}

/* Add to the node what still sleeps after the previous node's transition. The pool has the
 * capacity. */
static void carry(struct search *s, struct node *node)
{
    const struct node *before = &s->nodes[s->n_nodes - 1];
    const struct transition *taken = &s->pool[before->first + before->now];

    for (int i = 0; i < before->n_all; i++) {
        const struct transition *t = &s->pool[before->first + i];

        if (survives(t, taken) && !has(s, node, &t->a))
            s->pool[node->first + node->n_all++] = *t;
    }
}

/* The next alternative that is awake, from i on; n: none. */
static int awake(const struct search *s, const struct node *node, int i)
{
    while (i < node->n && s->pool[node->first + i].sleeps)
        i++;
    return i;
}

/* @return the alternative taken there; or as choose() */
static int add_node(struct search *s, const struct logp_alternative *a, int n)
{
    struct node node = {.first = s->n_pool, .n = n, .n_all = n};
    const int most = n + (s->n_nodes > 0 ? s->nodes[s->n_nodes - 1].n_all : 0);

    if (!LPI_GROW(s->nodes, s->nodes_capacity, s->n_nodes + 1) ||
        !LPI_GROW(s->pool, s->pool_capacity, s->n_pool + most))
        return LPI_NO_MEMORY;
    for (int i = 0; i < n; i++)
        s->pool[s->n_pool + i] = (struct transition){a[i], sleeps(s, &a[i])};
    node.now = awake(s, &node, 0);
    if (node.now == n)
        return LPI_REDUNDANT;
    if (s->most > 0 && s->branching > s->most) /* too deep: only the first */
        for (int i = node.now + 1; i < n; i++) {
            s->cut = s->cut || !s->pool[s->n_pool + i].sleeps;
            s->pool[s->n_pool + i].sleeps = true;
        }
    if (s->n_nodes > 0)
        carry(s, &node);
    s->n_pool += node.n_all;
    s->nodes[s->n_nodes++] = node;
    return node.now;
}

static int choose(void *strategy, const struct logp_alternative *a, int n)
{
    struct search *s = strategy;
    int i;

    s->branching += n > 1;
    if (s->at < s->n_nodes) {
        const struct node *node = &s->nodes[s->at];

        i = node->now;
        if (node->n != n || !same(&s->pool[node->first + i].a, &a[i]))
            return LPI_STALE;
    } else {
        i = add_node(s, a, n);
        if (i < 0)
            return i;
    }
    s->at++;
    s->cut = s->cut || (a[i].kind == LOGP_MISS && a[i].polls >= s->most_misses);
    return i;
}

static bool next(void *strategy, bool redundant, struct logp_checked *checked)
{
    struct search *s = strategy;

    checked->executions += !redundant;
    while (s->n_nodes > 0) {
        struct node *node = &s->nodes[s->n_nodes - 1];

        s->pool[node->first + node->now].sleeps = true;
        node->now = awake(s, node, node->now + 1);
        if (node->now < node->n)
            return true;
        s->n_pool = node->first;
        s->n_nodes--;
    }
    checked->complete = !s->cut;
    return false;
}

const struct lpi_strategy_ops lpi_strategy_exhaustive = {
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .choose = choose,
    .next = next,
};
