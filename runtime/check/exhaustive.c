/* SPDX-License-Identifier: MIT */
/*
 * All outcomes, each once: a depth-first search over late choices, with sleep sets, and with the
 * alternatives of few vps at each choice.
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
 * At each node, the alternatives of one vp are enough, unless another order gives that vp one more.
 * That is seen later in the run: a message is sent to the vp, a send of the vp that waits is
 * answered, or its key is touched by another vp, and the event does not depend on the vp's transition
 * at the node. Then the first of the transitions that the event depends on are taken from the node
 * as well: its vp is wanted there.
 * This is a source set, or larger. Proof that no outcome is lost: let w be transitions from a node
 * of which none sleeps there, and U the first wanted vp that moves in w. If U's move exists at the
 * node, it commutes to the front of w. If it does not, some message m of w before U's move makes it
 * possible, without U. The runs from the node that begin with another move of U contain all that w
 * does before (by induction), so m in one of them, where it does not depend on that move. So a vp
 * that moves in w before U is wanted, which contradicts the choice of U.
 *
 * Sources: Godefroid, Partial-Order Methods for the Verification of Concurrent Systems, LNCS 1032,
 * 1996. Abdulla, Aronis, Jonsson, Sagonas, Optimal Dynamic Partial Order Reduction, POPL 2014.
 */
#include "kit.h"

struct transition {
    struct logp_alternative a;
    bool sleeps; /* or has been explored */
    bool wanted; /* its vp is */
};

struct node {
    int first, n, n_all; /* in `pool`; those from n on are not listed here, and sleep */
    int now;             /* the one taken, from 0 */
    bool is_deep;        /* beyond the bound: the first alternative alone */
};

struct search {
    struct node *nodes;
    int n_nodes, nodes_capacity;
    struct transition *pool;
    int n_pool, pool_capacity;
    int at;              /* depth of the current run */
    int same_until;      /* up to this depth, it is like the run before */
    int most, branching; /* nodes that may branch; choices in this run so far */
    int most_misses;     /* in a row */
    bool cut;            /* a bound has left something out */
    bool no_memory;
    struct lpi_order *order; /* of the current run */
    int P;
};

static void destroy(void *strategy)
{
    struct search *s = strategy;

    lpi_order_free(s->order);
    free(s->nodes);
    free(s->pool);
    free(s);
}

static void *create(int P, const struct logp_check *check)
{
    struct search *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->P = P;
    s->most = check->depth;
    s->most_misses = check->misses > 0 ? check->misses : 3;
    s->order = lpi_order_new(P, check->most_faults.lost > 0 || check->most_faults.doubled > 0);
    if (s->order == NULL) {
        destroy(s);
        return NULL;
    }
    return s;
}

static void begin(void *strategy, uint64_t seed)
{
    struct search *s = strategy;

    (void)seed;
    s->at = s->branching = 0;
    s->same_until = s->n_nodes;
    lpi_order_begin(s->order);
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
            (a->kind != LOGP_TAKE || a->source != b->source ||
             ((a->polls | b->polls) & LOGP_TAKE_ANY_TAG) == 0));
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

/* The next alternative to explore; n: none. */
static int awake(const struct search *s, const struct node *node)
{
    const struct transition *t = &s->pool[node->first];
    int i = 0;

    while (i < node->n && (t[i].sleeps || !t[i].wanted))
        i++;
    return i;
}

/* Has the vp matches aside alone? It may be in a call that any event can end. */
static bool has_asides_alone(const struct search *s, const struct node *node, int rank)
{
    const struct transition *t = &s->pool[node->first];

    for (int i = 0; i < node->n; i++)
        if (t[i].a.rank == rank && !is_aside(&t[i].a))
            return false;
    return true;
}

/* Explore the alternatives of this vp there, too; -1: of all vps */
static void want(struct search *s, const struct node *node, int rank)
{
    struct transition *t = &s->pool[node->first];
    const bool all = rank < 0 || has_asides_alone(s, node, rank);

    for (int i = 0; i < node->n; i++) {
        const bool is_new = !t[i].sleeps && !t[i].wanted && (all || t[i].a.rank == rank);

        s->cut = s->cut || (is_new && node->is_deep);
        t[i].wanted = t[i].wanted || (is_new && !node->is_deep);
    }
}

/* @return the alternative taken there; or as choose() */
static int add_node(struct search *s, const struct logp_alternative *a, int n)
{
    struct node node = {.first = s->n_pool, .n = n, .n_all = n};
    const int most = n + (s->n_nodes > 0 ? s->nodes[s->n_nodes - 1].n_all : 0);
    struct transition *t;
    int i = 0;

    if (!LPI_GROW(s->nodes, s->nodes_capacity, s->n_nodes + 1) ||
        !LPI_GROW(s->pool, s->pool_capacity, s->n_pool + most))
        return LPI_NO_MEMORY;
    t = &s->pool[s->n_pool];
    for (int j = 0; j < n; j++)
        t[j] = (struct transition){a[j], sleeps(s, &a[j]), false};
    while (i < n && t[i].sleeps)
        i++;
    if (i == n)
        return LPI_REDUNDANT;
    node.now = i;
    t[i].wanted = true;
    node.is_deep = s->most > 0 && s->branching > s->most;
    want(s, &node, t[i].a.rank);
    if (s->n_nodes > 0)
        carry(s, &node);
    s->n_pool += node.n_all;
    s->nodes[s->n_nodes++] = node;
    return node.now;
}

/* ---- what another order makes possible ---- */

/* The alternative of the node that step j takes; n: it is not there */
static int taken_by(const struct search *s, const struct node *node, int j)
{
    const struct node *later = &s->nodes[j];
    int i = 0;

    while (i < node->n && !same(&s->pool[node->first + i].a, &s->pool[later->first + later->now].a))
        i++;
    return i;
}

/* Is step j the first of its vp after step i, matches aside included? */
static bool is_very_first(const struct search *s, int j, int i)
{
    return lpi_order_step(s->order, j)->previous < i;
}

/* An event depends on `clock`, but not on step i, and may give that step one more alternative. */
static void reverse(struct search *s, int i, const int *clock)
{
    const struct node *node = &s->nodes[i];
    int first = -1;

    for (int rank = 0; rank < s->P; rank++) {
        const int j = lpi_order_first_after(s->order, clock, rank, i);
        const struct transition *t;
        int at;

        if (j < 0 || !lpi_order_is_first(s->order, j, i))
            continue;
        at = taken_by(s, node, j);
        t = &s->pool[node->first + at];
        if (at < node->n && (t->wanted || (t->sleeps && is_very_first(s, j, i))))
            return;
        first = at < node->n && !t->sleeps ? rank : -1;
        if (first < 0)
            break;
    }
    want(s, node, first);
}

/* Does such a message add nothing to what its receiver could do there? */
static bool is_listed(const struct search *s, const struct node *node, const struct logp_note *n)
{
    const struct transition *t = &s->pool[node->first];

    for (int i = 0; i < node->n; i++) {
        const struct logp_alternative *a = &t[i].a;
        const bool alike = a->tag == n->tag && a->context == n->context,
                   same_source = a->source == n->rank;

        if (a->rank != n->peer || a->kind != LOGP_TAKE || (a->polls & LOGP_TAKE_MATCHED) != 0)
            continue;
        if (same_source && alike) /* one entry for all of them */
            return true;
        if ((a->polls & LOGP_TAKE_ALONE) != 0 &&
            ((a->polls & LOGP_TAKE_ANY_TAG) == 0 ? !alike
                                                 : same_source || a->context != n->context))
            return true; /* only messages that this receive takes make a difference */
    }
    return false;
}

/* A message has been sent. Which choices of its receiver might have come later? */
static void follow_message(struct search *s, const struct logp_note *n)
{
    const int *clock = lpi_order_now(s->order, n->rank);
    const struct lpi_step *step;

    for (int i = lpi_order_last(s->order, n->peer); i >= 0; i = step->previous) {
        step = lpi_order_step(s->order, i);
        if (!step->is_aside && i < clock[n->peer])
            return; /* the message depends on this step, and on those before it */
        if (!is_listed(s, &s->nodes[i], n))
            reverse(s, i, clock);
    }
}

/* Can the answer make no difference to what the vp could do there? */
static bool waits_for_no_send(const struct search *s, const struct node *node, int rank)
{
    const struct transition *t = &s->pool[node->first];

    for (int i = 0; i < node->n; i++)
        if (t[i].a.rank == rank && t[i].a.kind == LOGP_TAKE &&
            (t[i].a.polls & LOGP_TAKE_NO_SEND) != 0)
            return true;
    return false;
}

/* A receive of n->rank has been matched with a send of n->peer, which waits for that. Which choices
 * of the sender might have come later? The match need not depend on what n->rank has done since the
 * receive was posted, so if it is not listed, any vp may come before it. */
static void follow_answer(struct search *s, const struct logp_note *n)
{
    const int since = lpi_order_sent(s->order, n);
    const struct lpi_step *step;

    for (int i = lpi_order_last(s->order, n->peer); i >= since; i = step->previous) {
        const struct node *node = &s->nodes[i];
        bool is_there = false;

        step = lpi_order_step(s->order, i);
        if (waits_for_no_send(s, node, n->peer))
            continue;
        for (int j = 0; j < node->n; j++) {
            const struct transition *t = &s->pool[node->first + j];

            is_there = is_there || (t->a.rank == n->rank && t->a.kind == LOGP_TAKE &&
                                    t->a.source == n->peer && t->a.tag == n->tag && !t->sleeps);
        }
        want(s, node, is_there ? n->rank : -1);
    }
}

static void note(void *strategy, const struct logp_note *n)
{
    struct search *s = strategy;
    const bool is_new = s->at >= s->same_until;

    switch (n->kind) {
    case LOGP_NOTE_ASKED:
        if (is_new)
            follow_message(s, n);
        break;
    case LOGP_NOTE_SEND:
        if (is_new)
            follow_message(s, n);
        s->no_memory = s->no_memory || !lpi_order_send(s->order, n);
        break;
    case LOGP_NOTE_ANSWERED:
        if (is_new)
            follow_answer(s, n);
        break;
    case LOGP_NOTE_RECEIVE:
        lpi_order_receive(s->order, n);
        break;
    default:
        break;
    }
}

/* `a` has been chosen at node s->at. @return false: no memory */
static bool add_step(struct search *s, const struct logp_alternative *a)
{
    const bool touches = a->kind == LOGP_TOUCH;
    const int before = touches ? lpi_order_touched(s->order, a->tag) : -1;
    const int *clock = lpi_order_now(s->order, a->rank);
    const bool is_race = before >= 0 && clock[lpi_order_step(s->order, before)->rank] <= before;

    if (!lpi_order_add_step(s->order, a->rank, is_aside(a), touches ? &a->tag : NULL))
        return false;
    if (is_race)
        reverse(s, before, clock);
    return true;
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
    if (s->no_memory || !add_step(s, &a[i]))
        return LPI_NO_MEMORY;
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
        node->now = awake(s, node);
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
    .note = note,
    .next = next,
};
