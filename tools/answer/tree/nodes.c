/* SPDX-License-Identifier: MIT */
/* The nodes of the optimal trees, with times in units. */
#include "answer/tree/tree.h"

#include "question/choice/choice.h"

#include <stdlib.h>
#include <logp/paper.h>

double units(const struct question *q, int64_t ns)
{
    return (double)ns / (double)q->model.unit_ns;
}

const char *unit_word(const struct question *q)
{
    return q->model.unit_ns == 1000 ? "us" : "units";
}

struct problem *make_nodes(const struct question *q, struct tree *tree)
{
    tree->n = q->model.P;
    tree->nodes = calloc((size_t)q->model.P, sizeof(*tree->nodes));
    if (tree->nodes == NULL)
        return usage_problem("no memory for a tree of %lld processors", (long long)q->model.P);
    for (int64_t id = 0; id < q->model.P; id++)
        tree->nodes[id] = (struct tree_node){.rank = (id + q->what.root) % q->model.P,
                                             .parent = -1,
                                             .first_child = -1,
                                             .next_sibling = -1,
                                             .time = -1,
                                             .label = -1};
    return NULL;
}

/* Link from the last node to the first, so that each comes before its later siblings. */
void link_children(struct tree *tree)
{
    for (int64_t id = tree->used - 1; id > 0; id--) {
        struct tree_node *node = &tree->nodes[id], *parent = &tree->nodes[node->parent];

        node->next_sibling = parent->first_child;
        parent->first_child = id;
    }
}

/* The problem of a tree for which the formula of `logp predict` does not hold: both have the same
 * limits. */
static struct problem *check_prediction(const struct question *q, const struct logp_invocation *c,
                                        const struct tree *tree)
{
    const struct logp_algorithm *a = logp_algorithm_find(tree->name, tree->algorithm);

    if (predict_by(a, q->model.P, c, LOGP_BY_FORMULA).certainty != LOGP_PREDICTION_NONE)
        return NULL;
    if (tree->sums && c->model.params.gap_shared)
        return must_be("--gap", "shared",
                       "separate: the plan of a summation does not support shared gaps");
    return usage_problem("tree %s: it takes longer than the clock counts", tree->name);
}

struct problem *make_broadcast_tree(struct question *q, struct tree *out)
{
    struct logp_invocation c;
    const struct logp_params *p = &c.model.params;
    struct tree tree = {.name = "broadcast", .algorithm = "optimal", .exact = true};
    struct logp_tree shape;

    TRY(make_invocation(q, "broadcast", &c));
    TRY(check_prediction(q, &c, &tree));
    say_free_bytes(q, "broadcast", &c);
    logp_tree_broadcast(&shape, q->model.P, p, c.args.n_bytes);
    TRY(make_nodes(q, &tree));
    tree.used = q->model.P;
    tree.time = units(q, logp_tree_time(&shape) + c.args.work_ns);
    for (int64_t id = 0; id < q->model.P; id++) {
        const struct logp_tree_node at = logp_tree_find(&shape, id);
        const int64_t label = logp_tree_label(&shape, &at);
        struct tree_node *node = &tree.nodes[id];

        node->parent = at.parent;
        node->time = units(q, at.time);
        node->label = units(q, label);
    }
    link_children(&tree);
    *out = tree;
    return NULL;
}

/* The summations that have a tree. */
static const struct planner {
    const char *name;
    int (*plan)(struct logp_summation *plan, int64_t P, int64_t count,
                const struct logp_params *params, size_t n_bytes);
} planners[] = {{"optimal-paper", logp_summation_paper}, {"optimal", logp_summation_optimal}};

/* The planner that --algo names; without a name the paper's, unless the other is faster. */
static const struct planner *choose_planner(const struct question *q,
                                            const struct logp_invocation *c)
{
    const struct names names = {{planners[0].name, planners[1].name}, 2};
    const int named = find_name(&names, q->what.algorithm_list);
    struct logp_prediction of[2];

    if (named >= 0)
        return &planners[named];
    for (int i = 0; i < 2; i++)
        of[i] = predict_by(logp_algorithm_find("summation", names.name[i]), q->model.P, c,
                           LOGP_BY_FORMULA);
    return &planners[of[1].ns < of[0].ns];
}

static struct problem *plan_summation(const struct question *q, const struct logp_invocation *c,
                                      struct tree *tree, struct logp_summation *plan)
{
    const struct planner *planner = choose_planner(q, c);

    tree->algorithm = planner->name;
    TRY(check_prediction(q, c, tree));
    planner->plan(plan, q->model.P, c->args.count, &c->model.params, c->args.op->element_bytes);
    return NULL;
}

struct problem *make_summation_tree(struct question *q, struct tree *out)
{
    struct tree tree = {.name = "summation", .sums = true};
    struct logp_summation plan;
    struct logp_invocation c;
    double unit; /* gamma */

    TRY(make_invocation(q, "summation", &c));
    unit = (double)c.model.params.gamma_ps / 1000 / (double)q->model.unit_ns;
    tree.count = c.args.count;
    tree.gamma = unit;
    TRY(plan_summation(q, &c, &tree, &plan));
    TRY(make_nodes(q, &tree));
    tree.used = plan.tree.P;
    tree.exact = plan.exact;
    tree.time = (double)plan.time * unit;
    for (int64_t id = 0; id < tree.used; id++) {
        const struct logp_summation_node at = logp_summation_node(&plan, id);
        struct tree_node *node = &tree.nodes[id];

        node->parent = at.place.parent;
        node->time = (double)at.place.time * unit;
        node->label = (double)at.ready * unit;
        node->own = at.own;
        node->shared = at.shared;
    }
    link_children(&tree);
    *out = tree;
    return NULL;
}

void free_tree(struct tree *tree)
{
    free(tree->nodes);
}
