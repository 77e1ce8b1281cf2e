/* SPDX-License-Identifier: MIT */
/*
 * All outcomes, each once: a depth-first search over late choices, with sleep sets, and with few
 * alternatives at each choice.
 *
 * A choice is between transitions. In one kind, a vp's query takes a message, finds a send done,
 * misses, or cancels its receive, and the vp runs until its next choice. In the other kind, a
 * receive that the vp has posted takes a message aside, and the vp's query continues. The path of
 * choices of the current run is a stack of nodes. The next run gives the same answers up to the
 * last node that has an alternative left, takes that one, and then always the first.
 *
 * Transitions of different vps commute: neither disables the other nor changes its result. Only two
 * touches of one key do not. A match aside also commutes with the queries of its own vp and with
 * matches of its other receives; it excludes other matches and the cancel of the same receive, and
 * the end of its vp's program. A transition that has been explored from a node need not be explored
 * again after a transition that commutes with it: it sleeps there, and further on. A match aside
 * sleeps on whether it is listed meanwhile or not, because a query may as well resolve before as
 * after the match. (The converse need not hold, as the vp may never query again. Therefore matches
 * aside come first in a list.)
 *
 * If all alternatives sleep, the run leads to no new outcome and is ended. Every set of runs that
 * differ only in the order of commuting transitions is then run to its end once. Two runs are in
 * one such set exactly if every vp sees the same.
 *
 * At each node, one transition is explored together with those that it excludes: of a query, those of
 * its vp; of a match aside, those of its receive. Another is wanted there only if another order makes
 * one more possible that the explored one excludes. That is seen later in the run, in an event that
 * does not depend on the explored transition: a message is sent to the vp, a send of the vp that waits
 * is answered, its key is touched by another vp, or the vp itself does what the match aside excludes
 * (follow_...()). Then the first of the transitions that the event depends on is explored from the
 * node as well, or all, if it is not listed there.
 * This is a source set, or larger. Proof that no outcome is lost: let w be transitions from a node
 * of which none sleeps there, t one that is explored from the node, and x the first of w that t
 * excludes. If there is no x, t commutes to the front of w. If x exists at the node, it is explored
 * there and commutes to the front. If it does not, some event of w before x makes it possible. The
 * runs from the node that begin with t contain all transitions of w before x (by induction), so one
 * of them has the event, where it does not depend on t. So the first transition that the event
 * depends on, which is in w and commutes to its front, is explored as well.
 *
 * Sources: Godefroid, Partial-Order Methods for the Verification of Concurrent Systems, LNCS 1032,
 * 1996. Abdulla, Aronis, Jonsson, Sagonas, Optimal Dynamic Partial Order Reduction, POPL 2014.
 */
#include "exhaustive.h"

struct search {
    struct lpi_path path; /* of the current run; or of the next one */
    struct lpi_part part;
    int at;              /* depth of the current run */
    int same_until;      /* up to this depth, it is like the run before */
    int most, branching; /* nodes that may branch; choices in this run so far */
    int most_misses;     /* in a row */
    bool cut;            /* a bound has left something out */
    bool no_memory;
    bool is_over;            /* the current run has been ended: what follows is not part of it */
    struct lpi_order *order; /* of the current run */
    int *n_aside;            /* by vp: matches aside in the current run */
    uint64_t runs;
    int depth;   /* parts that begin there have been large enough; -1: unknown */
    int *unless; /* of the next wish */
    int n_unless, unless_capacity;
    int P;
    bool reorders; /* messages may overtake others */
};

static void destroy(void *strategy)
{
    struct search *s = strategy;

    lpi_order_free(s->order);
    lpi_path_free(&s->path);
    free(s->n_aside);
    free(s->unless);
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
    s->depth = -1;
    s->reorders = lpi_kit_reorders(check);
    s->order = lpi_order_new(P);
    s->n_aside = malloc((size_t)P * sizeof(*s->n_aside));
    if (s->order == NULL || s->n_aside == NULL) {
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
    s->same_until = s->path.n_nodes;
    s->is_over = false;
    memset(s->n_aside, 0, (size_t)s->P * sizeof(*s->n_aside));
    lpi_order_begin(s->order);
}

/* Whether `a` is the same match as b, which lpi_is_aside(), independent of the current query. */
static bool is_match(const struct logp_alternative *a, const struct logp_alternative *b)
{
    return a->kind == b->kind && a->rank == b->rank && a->request == b->request &&
           a->source == b->source && a->tag == b->tag && a->context == b->context &&
           lpi_kit_passed(a) == lpi_kit_passed(b);
}

/* Whether both touch one key. */
static bool touch(const struct logp_alternative *a, const struct logp_alternative *b)
{
    return a->kind == LOGP_TOUCH && b->kind == LOGP_TOUCH && a->tag == b->tag;
}

/* Whether t, which sleeps, still sleeps after `taken`. */
static bool survives(const struct lpi_transition *t, const struct lpi_transition *taken)
{
    return t != taken && t->sleeps &&
           (lpi_is_aside(&t->a)       ? lpi_commutes(&taken->a, &t->a)
            : lpi_is_aside(&taken->a) ? lpi_commutes(&t->a, &taken->a)
                                      : taken->a.rank != t->a.rank && !touch(&taken->a, &t->a));
}

/* Whether `a` was asleep or explored at the previous node and still is. */
static bool sleeps(const struct search *s, const struct logp_alternative *a)
{
    const struct lpi_node *before;
    const struct lpi_transition *t, *taken;

    if (s->path.n_nodes == 0)
        return false;
    before = &s->path.nodes[s->path.n_nodes - 1];
    t = &s->path.pool[before->first];
    taken = &t[before->now];
    for (int i = 0; i < before->n_all; i++)
        if (survives(&t[i], taken) &&
            (lpi_is_aside(&t[i].a) ? is_match(a, &t[i].a) : lpi_is_same(a, &t[i].a)))
            return true;
    return false;
}

/* Whether the node already has it, asleep. */
static bool has(const struct search *s, const struct lpi_node *node,
                const struct logp_alternative *a)
{
    const struct lpi_transition *t = &s->path.pool[node->first];

    for (int i = 0; i < node->n_all; i++)
        if (t[i].sleeps && lpi_is_same(&t[i].a, a))
            return true;
    return false;
}

/* Add to the node the transitions that still sleep after the previous node's transition. The pool
 * has the capacity. */
static void carry(struct search *s, struct lpi_node *node)
{
    const struct lpi_node *before = &s->path.nodes[s->path.n_nodes - 1];
    const struct lpi_transition *taken = &s->path.pool[before->first + before->now];

    for (int i = 0; i < before->n_all; i++) {
        const struct lpi_transition *t = &s->path.pool[before->first + i];

        if (survives(t, taken) && !has(s, node, &t->a))
            s->path.pool[node->first + node->n_all++] = *t;
    }
}

/* Explore the alternatives that alternative i, the first taken there, excludes. @return whether the
 * bound has left something out */
static bool want_with(struct lpi_node *node, struct lpi_transition *t, int i)
{
    bool cut = false;

    if (t[i].a.kind == LOGP_OVERTAKE) /* it may be the last that does so */
        return lpi_node_want_rank(node, t, -1);
    if (!lpi_is_aside(&t[i].a))
        return lpi_node_want_rank(node, t, t[i].a.rank);
    for (int j = 0; j < node->n; j++)
        if (j != i && t[j].a.rank == t[i].a.rank && !lpi_commutes(&t[j].a, &t[i].a))
            cut = lpi_node_want(node, t, j) || cut;
    return cut;
}

/* The alternative to begin with; n: all sleep. Of matches aside, it is that of the receive posted
 * first: messages that this one does not take may go to those posted later. */
static int first_awake(const struct lpi_transition *t, int n)
{
    int first = 0;

    while (first < n && t[first].sleeps)
        first++;
    for (int i = first + 1; first < n && i < n && lpi_is_aside(&t[first].a); i++)
        if (!t[i].sleeps && lpi_is_aside(&t[i].a) && t[i].a.rank == t[first].a.rank &&
            t[i].a.request < t[first].a.request)
            first = i;
    return first;
}

/* @return the alternative taken there; or as choose() */
static int add_node(struct search *s, const struct logp_alternative *a, int n)
{
    struct lpi_node node = {.first = s->path.n_pool, .n = n, .n_all = n, .since = s->runs};
    const int most = n + (s->path.n_nodes > 0 ? s->path.nodes[s->path.n_nodes - 1].n_all : 0);
    struct lpi_transition *t;
    int i;

    if (!LPI_GROW(s->path.nodes, s->path.nodes_capacity, s->path.n_nodes + 1) ||
        !LPI_GROW(s->path.pool, s->path.pool_capacity, s->path.n_pool + most))
        return LPI_NO_MEMORY;
    t = &s->path.pool[s->path.n_pool];
    for (int j = 0; j < n; j++)
        t[j] = (struct lpi_transition){.a = a[j], .sleeps = sleeps(s, &a[j])};
    i = first_awake(t, n);
    if (i == n)
        return LPI_REDUNDANT;
    node.now = i;
    lpi_node_want(&node, t, i);
    node.is_deep = s->most > 0 && s->branching > s->most;
    s->cut = want_with(&node, t, i) || s->cut;
    if (s->path.n_nodes > 0)
        carry(s, &node);
    s->path.n_pool += node.n_all;
    s->path.nodes[s->path.n_nodes++] = node;
    return node.now;
}

/* ---- what another order makes possible ---- */

/* The alternative of step i. */
static const struct logp_alternative *taken(const struct search *s, int i)
{
    return &s->path.pool[s->path.nodes[i].first + s->path.nodes[i].now].a;
}

/* The alternative of the node that step j takes; n: it is not there */
static int taken_by(const struct search *s, const struct lpi_node *node, int j)
{
    const struct lpi_node *later = &s->path.nodes[j];
    int i = 0;

    while (i < node->n && !lpi_is_same(&s->path.pool[node->first + i].a,
                                       &s->path.pool[later->first + later->now].a))
        i++;
    return i;
}

/* Whether step j is the first of its vp after step i, matches aside included. */
static bool is_very_first(const struct search *s, int j, int i)
{
    return lpi_order_step(s->order, j)->previous < i;
}

/* Explore alternative `which` from the node of step i as well, or (-1) those of a vp; -1: of all. But
 * not if one of s->unless is wanted there. */
static void want(struct search *s, int i, int which, int rank)
{
    const struct lpi_wish w = {.node = i, .which = which, .rank = rank, .n_unless = s->n_unless};
    struct lpi_node *node = &s->path.nodes[i];
    struct lpi_transition *t = lpi_path_at(&s->path, i);

    if (i >= s->part.base)
        s->cut = lpi_node_grant(node, t, &w, s->unless) || s->cut;
    else if (which < 0 || (!t[which].sleeps && t[which].turn == 0))
        s->part.wish(s->part.arg, &w, s->unless);
}

static void want_one(struct search *s, int i, int which)
{
    s->n_unless = 0;
    want(s, i, which, -1);
}

/* Find the alternative of step j, on which the event depends, at the node of step i. @return the
 * alternative; n: it is not listed, or sleeps; -1: nothing more is wanted there, since the runs
 * that begin with it are explored */
static int may_begin(struct search *s, int i, int j)
{
    const struct lpi_node *node = &s->path.nodes[i];
    const int at = taken_by(s, node, j);
    const struct lpi_transition *t = &s->path.pool[node->first + at];

    if (at < node->n &&
        (t->turn > 0 || (t->sleeps && (lpi_is_aside(&t->a) || is_very_first(s, j, i)))))
        return -1;
    if (at == node->n || t->sleeps)
        return node->n;
    if (!LPI_GROW(s->unless, s->unless_capacity, s->n_unless + 1))
        s->no_memory = true;
    else
        s->unless[s->n_unless++] = at;
    return at;
}

/* An event depends on `clock`, but not on step i, and may give that step one more alternative. */
static void reverse(struct search *s, int i, const int *clock)
{
    const int none = s->path.nodes[i].n;
    int first = none;

    s->n_unless = 0;
    for (int rank = 0; rank < s->P; rank++) {
        const int j = lpi_order_first_after(s->order, clock, rank, i);

        if (j < 0 || !lpi_order_is_first(s->order, j, i))
            continue;
        first = may_begin(s, i, j);
        if (first < 0)
            return;
        if (first == none)
            break;
    }
    for (int j = -1; (j = lpi_order_aside_after(s->order, clock, i, j)) >= 0;) {
        const int at = lpi_order_is_first(s->order, j, i) ? may_begin(s, i, j) : none;

        if (at < 0)
            return;
        first = at < none ? at : first;
    }
    want(s, i, first < none ? first : -1, -1);
}

/* Whether such a message adds no alternative to those of its receiver at the node. */
static bool is_listed(const struct search *s, const struct lpi_node *node,
                      const struct logp_note *n)
{
    const struct lpi_transition *t = &s->path.pool[node->first];

    for (int i = 0; i < node->n; i++) {
        const struct logp_alternative *a = &t[i].a;
        const bool alike = a->tag == n->tag && a->context == n->context,
                   same_source = a->source == n->rank;

        if (a->rank != n->peer || a->kind != LOGP_TAKE || (a->polls & LOGP_TAKE_MATCHED) != 0)
            continue;
        if (s->reorders) /* the message may overtake those that are there */
            return (a->polls & LOGP_TAKE_ALONE) != 0 && !alike &&
                   (a->context != n->context || (a->polls & LOGP_TAKE_ANY_TAG) == 0);
        if (same_source && alike) /* one entry for all of them */
            return true;
        if ((a->polls & LOGP_TAKE_ALONE) != 0 &&
            ((a->polls & LOGP_TAKE_ANY_TAG) == 0 ? !alike
                                                 : same_source || a->context != n->context))
            return true; /* only messages that this receive takes make a difference */
    }
    return false;
}

/* Whether the receive that has taken a message aside might take that one instead. Of one source, it
 * takes the message that was sent first, unless messages may be overtaken. */
static bool may_take(const struct search *s, const struct logp_alternative *a,
                     const struct logp_note *n)
{
    const bool is_another = a->source != n->rank;

    return ((a->polls & LOGP_TAKE_FROM_ANY) != 0 || !is_another) && (is_another || s->reorders) &&
           a->context == n->context && ((a->polls & LOGP_TAKE_OF_ANY) != 0 || a->tag == n->tag);
}

/* Reverse the choices of a message's receiver that might have come after its send. */
static void follow_message(struct search *s, const struct logp_note *n)
{
    const int *clock = lpi_order_now(s->order, n->rank);
    int i = lpi_order_last(s->order, n->peer), left = s->n_aside[n->peer];

    for (; i >= 0; i = lpi_order_step(s->order, i)->previous) {
        const bool is_aside = lpi_order_step(s->order, i)->is_aside,
                   depends = lpi_order_has(s->order, clock, i);

        if (depends && left == 0)
            return; /* so it does on all steps before this one */
        left -= is_aside;
        if (!depends &&
            (is_aside ? may_take(s, taken(s, i), n) : !is_listed(s, &s->path.nodes[i], n)))
            reverse(s, i, clock);
    }
}

/* Whether the answer cannot change the alternatives of the vp at the node. */
static bool waits_for_no_send(const struct search *s, const struct lpi_node *node, int rank)
{
    const struct lpi_transition *t = &s->path.pool[node->first];

    for (int i = 0; i < node->n; i++)
        if (t[i].a.rank == rank && t[i].a.kind == LOGP_TAKE &&
            (t[i].a.polls & LOGP_TAKE_NO_SEND) != 0)
            return true;
    return false;
}

/* Explore that match from the node of step i, too. */
static void want_answer(struct search *s, int i, const struct logp_note *n)
{
    const struct lpi_node *node = &s->path.nodes[i];
    const struct lpi_transition *t = &s->path.pool[node->first];
    bool is_there = false;

    for (int k = 0; k < node->n; k++) {
        const struct logp_alternative *a = &t[k].a;
        const bool answers = !t[k].sleeps && a->rank == n->rank && a->kind == LOGP_TAKE &&
                             a->source == n->peer && a->tag == n->tag;

        if (answers && lpi_is_aside(a) && a->request == n->request) {
            want_one(s, i, k);
            return;
        }
        is_there = is_there || answers;
    }
    s->n_unless = 0;
    want(s, i, -1, is_there ? n->rank : -1);
}

/* Explore an answer, the match of a receive of n->rank with a send of n->peer that waits for it,
 * before the choices of the sender that might have come later. The match need not depend on what
 * n->rank has done since the receive was posted, so if it is not listed, any vp may come before
 * it. */
static void follow_answer(struct search *s, const struct logp_note *n)
{
    const int since = lpi_order_sent(s->order, n);
    const struct lpi_step *step;

    for (int i = lpi_order_last(s->order, n->peer); i >= since; i = step->previous) {
        step = lpi_order_step(s->order, i);
        if (!step->is_aside && !waits_for_no_send(s, &s->path.nodes[i], n->peer))
            want_answer(s, i, n);
    }
}

/* An action of a vp that some of its matches aside exclude or replace. */
struct deed {
    enum { ENDS, COMES_TOO_LATE, FINDS, MATCHES } what;
    uint32_t request;
    const struct logp_alternative *a; /* FINDS */
};

/* Whether the vp might do it, or more, if its match aside of step i came later. */
static bool is_excluded(const struct search *s, int i, const struct deed *d, const int *clock)
{
    const struct logp_alternative *a = taken(s, i);

    switch (d->what) {
    case ENDS: /* and its receives with it; but this one has completed if the end depends on it */
        return !lpi_order_has(s->order, clock, i);
    case COMES_TOO_LATE: /* a cancel */
        return a->request == d->request;
    case FINDS: /* the receive has taken what the probe would have passed over */
        return a->source == d->a->source && a->tag == d->a->tag && a->context == d->a->context;
    case MATCHES: /* a receive posted earlier, which leaves its other messages to later ones */
        return a->request > d->request;
    }
    return true;
}

/* Reverse the matches aside of the vp that might have come after this deed. */
static void follow_own(struct search *s, int rank, struct deed d)
{
    const int *clock = lpi_order_now(s->order, rank);
    int i = lpi_order_last(s->order, rank);

    for (int left = s->n_aside[rank]; left > 0; i = lpi_order_step(s->order, i)->previous) {
        const bool is_aside = lpi_order_step(s->order, i)->is_aside;

        left -= is_aside;
        if (is_aside && is_excluded(s, i, &d, clock))
            reverse(s, i, clock);
    }
}

/* The vp of this alternative takes or finds a message. */
static void follow_take(struct search *s, const struct logp_alternative *a)
{
    if (a->request == 0)
        follow_own(s, a->rank, (struct deed){.what = FINDS, .a = a});
    else if ((a->polls & LOGP_TAKE_MATCHED) == 0)
        follow_own(s, a->rank, (struct deed){.what = MATCHES, .request = a->request});
}

/* Whether the last step has matched the receive with the send, aside. A match that is the result of
 * a query might as well have come aside, before, so the sender does not depend on that step. */
static bool has_answered(const struct search *s, const struct logp_note *n)
{
    const struct logp_alternative *a = s->at > 0 ? taken(s, s->at - 1) : NULL;

    return a != NULL && lpi_is_aside(a) && a->rank == n->rank && a->request == n->request &&
           a->source == n->peer;
}

static void note(void *strategy, const struct logp_note *n)
{
    struct search *s = strategy;
    const bool is_new = s->at >= s->same_until;

    if (s->is_over)
        return;
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
        if (has_answered(s, n))
            lpi_order_answer(s->order, n);
        break;
    case LOGP_NOTE_RECEIVE:
        lpi_order_receive(s->order, n);
        break;
    case LOGP_NOTE_TOO_LATE:
        if (is_new)
            follow_own(s, n->rank, (struct deed){.what = COMES_TOO_LATE, .request = n->request});
        break;
    case LOGP_NOTE_FAULT:
        s->cut = s->cut || n->value == LOGP_FAULT_CUT_LINKS || n->value == LOGP_FAULT_HEAL_LINKS;
        break;
    case LOGP_NOTE_ENDED:
        if (is_new)
            follow_own(s, n->rank, (struct deed){.what = ENDS});
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

    if (lpi_kit_takes(a) && s->at + 1 >= s->same_until)
        follow_take(s, a);
    if (lpi_is_aside(a) ? !lpi_order_add_aside(s->order, a)
                        : !lpi_order_add_step(s->order, a->rank, touches ? &a->tag : NULL))
        return false;
    s->n_aside[a->rank] += lpi_is_aside(a);
    if (is_race)
        reverse(s, before, clock);
    return true;
}

static int choose(void *strategy, const struct logp_alternative *a, int n)
{
    struct search *s = strategy;
    int i;

    s->branching += n > 1;
    if (s->at < s->path.n_nodes) {
        const struct lpi_node *node = &s->path.nodes[s->at];

        i = node->now;
        if (node->n != n || !lpi_is_same(&s->path.pool[node->first + i].a, &a[i]))
            return LPI_STALE;
    } else {
        i = add_node(s, a, n);
        s->is_over = i < 0;
        if (i < 0)
            return i;
    }
    if (s->no_memory || !add_step(s, &a[i]))
        return LPI_NO_MEMORY;
    s->at++;
    s->cut = s->cut || (a[i].kind == LOGP_MISS && a[i].polls >= s->most_misses);
    return i;
}

static int expected(const void *strategy, struct logp_alternative *taken_then, int *answer)
{
    const struct search *s = strategy;
    const struct lpi_node *node = &s->path.nodes[s->at];

    *taken_then = s->path.pool[node->first + node->now].a;
    *answer = node->now;
    return node->n;
}

static bool next(void *strategy, bool redundant, struct logp_checked *checked)
{
    struct search *s = strategy;

    checked->executions += !redundant;
    s->runs++;
    while (s->path.n_nodes > s->part.base) {
        struct lpi_node *node = &s->path.nodes[s->path.n_nodes - 1];

        s->path.pool[node->first + node->now].sleeps = true;
        node->now = lpi_node_next(node, &s->path.pool[node->first]);
        node->since = s->runs;
        if (node->now < node->n)
            return true;
        s->path.n_pool = node->first;
        s->path.n_nodes--;
    }
    checked->complete = !s->cut;
    return false;
}

/* ---- a part of the search ---- */

const struct lpi_path *lpi_exhaustive_path(const void *strategy)
{
    const struct search *s = strategy;

    return &s->path;
}

bool lpi_exhaustive_take(void *strategy, const struct lpi_path *path, const struct lpi_part *part)
{
    struct search *s = strategy;

    s->path.n_nodes = s->path.n_pool = 0;
    s->part = *part;
    if (!lpi_path_append(&s->path, path, 0, path->n_nodes))
        return false;
    for (int i = 0; i < path->n_nodes; i++)
        s->path.nodes[i].since = s->runs;
    return true;
}

/* Estimate: the alternatives that are left at a node need as many runs as the one that is being explored
 * there has taken. The deepest node with enough runs is best, because its alternatives come next. */
int lpi_exhaustive_give(void *strategy, uint64_t runs, int *base)
{
    struct search *s = strategy;
    int best = -1, left = 0;

    *base = s->part.base;
    for (int i = *base; i < s->path.n_nodes; i++)
        if (s->runs - s->path.nodes[i].since >= runs)
            s->depth = i;
    for (int i = *base; i < s->path.n_nodes; i++) {
        const int n = lpi_node_left(&s->path.nodes[i], lpi_path_at(&s->path, i));

        left += n;
        if (n > 0 && (best < 0 || s->depth < 0 || i <= s->depth))
            best = i;
    }
    if (left >= 2)
        s->part.base = best + 1;
    return s->part.base;
}

bool lpi_exhaustive_is_cut(const void *strategy)
{
    const struct search *s = strategy;

    return s->cut;
}

const struct lpi_strategy_ops lpi_strategy_exhaustive = {
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .choose = choose,
    .note = note,
    .expected = expected,
    .next = next,
};
