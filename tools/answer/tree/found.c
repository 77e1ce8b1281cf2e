/* SPDX-License-Identifier: MIT */
/* The tree of the messages of any algorithm, found from its schedule. */
#include "answer/answer.h"
#include "answer/tree/tree.h"

#include <errno.h>
#include <stdlib.h>

static struct problem *explain(const struct question *q, const struct logp_invocation *c,
                               const struct logp_algorithm *a, struct logp_explanation **out)
{
    const char *why;

    *out = explain_algorithm(q, c, a, &why);
    if (*out != NULL)
        return NULL;
    TRY(check_steps(q, c, a));
    return usage_problem("tree %s: %s cannot be shown here: %s", a->collective, a->name, why);
}

/* The problem of a named algorithm that is not a tree; it lists those that are trees here. parent:
 * memory for P */
static struct problem *no_tree(const struct question *q, const struct logp_invocation *c,
                               const struct logp_algorithm *named, int64_t *parent)
{
    const struct logp_algorithm *a;
    struct names trees = {0};
    char list[MAX_LIST], other[MAX_LIST + 16] = "no algorithm here is";

    for (size_t i = 0; (a = logp_algorithm_at(named->collective, i)) != NULL; i++) {
        struct logp_explanation *e;
        enum logp_along along;

        if (need_memory(logp_explanation_of(a, q->model.P, &c->args, &c->model, &e)) != 0)
            continue;
        if (logp_explanation_tree(e, c->args.root, parent, &along) >= 0)
            add_name(&trees, a->name);
        logp_explanation_free(e);
    }
    if (trees.n > 0)
        snprintf(other, sizeof(other), "--algo %s is", list_names(&trees, " or ", list));
    if (q->what.algorithms != ALGORITHMS_NAMED)
        return usage_problem("tree %s: the best algorithm (%s) is not a tree; %s",
                             named->collective, named->name, other);
    return option_problem("--algo", named->name, "its messages are not a tree; %s", other);
}

/* The edge between a rank and its parent. */
struct place {
    int64_t rank, parent;
    int64_t order; /* when the first message between them starts, at the parent */
    int64_t label; /* ns */
    bool known;    /* order is set */
};

/* Whether this task belongs to the edge above its rank. */
static bool is_above(const struct place *p, const struct logp_task *t)
{
    return p[t->rank].parent >= 0 && p[t->rank].parent == t->peer;
}

static void look_at(const struct logp_task *t, bool to_root, struct place *p, struct tree *tree)
{
    const bool up = t->kind == LOGP_STEP_SEND && is_above(p, t);
    const bool down = t->kind == LOGP_STEP_RECEIVE && is_above(p, t);
    const enum logp_step_kind first = to_root ? LOGP_STEP_RECEIVE : LOGP_STEP_SEND;
    struct place *below = t->peer >= 0 && p[t->peer].parent == t->rank ? &p[t->peer] : NULL;

    if (below != NULL && t->kind == first && !below->known) {
        below->order = t->start_ns;
        below->known = true;
    }
    tree->returns |= to_root ? down : up;
    if (to_root ? up : down)
        p[t->rank].label = to_root ? t->start_ns : t->end_ns;
    else if (to_root && p[t->rank].parent < 0 && t->kind != LOGP_STEP_SEND && !tree->returns)
        p[t->rank].label = t->end_ns; /* the root has all */
}

static int compare(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static void add_node(const struct question *q, const struct logp_explanation *e,
                     const struct place *p, int64_t parent, struct tree *tree)
{
    struct tree_node *node = &tree->nodes[tree->used++];

    node->rank = p->rank;
    node->parent = parent;
    node->label = units(q, p->label);
    node->time = units(q, tree->to_root ? p->label : e->ns - p->label);
}

/* Add the nodes depth first: children[first[r] ...] are those of rank r, in their order. */
static void add_all(const struct question *q, const struct logp_explanation *e,
                    const struct place *by_rank, const struct place *children, const int64_t *first,
                    int64_t root, struct tree *tree)
{
    int64_t *next = need(malloc((size_t)e->P * sizeof(*next)));
    int64_t at = 0; /* node */

    for (int64_t r = 0; r < e->P; r++)
        next[r] = first[r];
    add_node(q, e, &by_rank[root], -1, tree);
    while (at >= 0) {
        const int64_t rank = tree->nodes[at].rank;

        if (next[rank] < first[rank + 1]) {
            const struct place *child = &children[next[rank]++];

            add_node(q, e, child, at, tree);
            at = tree->used - 1;
        } else {
            at = tree->nodes[at].parent;
        }
    }
    free(next);
}

/* Add the ranks that take no part, as the last nodes. */
static void add_others(const struct tree *tree)
{
    bool *there = need(calloc((size_t)tree->n, 1));
    int64_t id = tree->used;

    for (int64_t i = 0; i < tree->used; i++)
        there[tree->nodes[i].rank] = true;
    for (int64_t rank = 0; rank < tree->n; rank++)
        if (!there[rank])
            tree->nodes[id++].rank = rank;
    free(there);
}

static struct problem *place_all(const struct question *q, const struct logp_explanation *e,
                                 struct place *by_rank, int64_t root, struct tree *tree)
{
    const size_t P = (size_t)e->P;
    struct place *children = need(malloc(P * sizeof(*children)));
    int64_t *first = need(calloc(P + 1, sizeof(*first)));
    struct problem *problem;
    int64_t n = 0;

    for (size_t i = 0; i < e->n_tasks; i++)
        look_at(&e->tasks[i], tree->to_root, by_rank, tree);
    for (size_t r = 0; r < P; r++)
        if (by_rank[r].parent >= 0)
            children[n++] = by_rank[r];
    qsort(children, (size_t)n, sizeof(*children), compare);
    for (int64_t i = 0; i < n; i++)
        first[children[i].parent + 1] = i + 1;
    for (size_t r = 0; r < P; r++)
        first[r + 1] = first[r + 1] > first[r] ? first[r + 1] : first[r];
    problem = make_nodes(q, tree);
    if (problem == NULL) {
        add_all(q, e, by_rank, children, first, root, tree);
        add_others(tree);
        link_children(tree);
    }
    free(children);
    free(first);
    return problem;
}

/* The tree of an explained algorithm; parent: memory for P. */
static struct problem *tree_of(const struct question *q, const struct logp_invocation *c,
                               const struct logp_algorithm *a, const struct logp_explanation *e,
                               int64_t *parent, struct tree *tree)
{
    enum logp_along along;
    const int64_t root = logp_explanation_tree(e, c->args.root, parent, &along);
    struct problem *problem;
    struct place *by_rank;

    if (root == -ENOMEM)
        need(NULL);
    if (root < 0)
        return no_tree(q, c, a, parent);
    say_free_bytes(q, tree->name, c);
    tree->to_root = along == LOGP_TO_ROOT;
    tree->time = units(q, e->ns);
    by_rank = need(calloc((size_t)q->model.P, sizeof(*by_rank)));
    for (int64_t r = 0; r < q->model.P; r++)
        by_rank[r] = (struct place){.rank = r, .parent = parent[r]};
    problem = place_all(q, e, by_rank, root, tree);
    free(by_rank);
    return problem;
}

struct problem *make_found_tree(struct question *q, const char *collective, struct tree *out)
{
    struct asked a = {.collective = collective};
    struct logp_explanation *e;
    struct problem *problem;
    int64_t *parent;

    TRY(make_invocation(q, collective, &a.c));
    if (q->model.plugin != NULL)
        return must_be("--plugin", q->model.plugin, "a built-in delay model: the tree shows times");
    TRY(choose_algorithms(q, collective, &a.c, a.chosen, &a.n));
    TRY(only_one(q, a.chosen, a.n));
    TRY(explain(q, &a.c, a.chosen[0], &e));
    *out = (struct tree){
        .name = collective, .algorithm = a.chosen[0]->name, .found = true, .exact = true};
    parent = need(malloc((size_t)q->model.P * sizeof(*parent)));
    problem = tree_of(q, &a.c, a.chosen[0], e, parent, out);
    free(parent);
    logp_explanation_free(e);
    return problem;
}
