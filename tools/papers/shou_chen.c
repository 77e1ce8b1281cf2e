/* SPDX-License-Identifier: MIT */
/*
 * Shou & Chen: the optimal broadcast trees of figure 1 and the summation tree of figure 2, node by
 * node. The paper draws them; of their numbers it is known that the second tree of figure 1 is the
 * first without its node (7, 2), and that 82 operands are summed on 7 processors.
 */
#include "paper.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 8, LATEST = 64 };

/* ---- the paper's own tree ---- */

/* Its counting function, which has g where e = max(g, o) belongs. */
struct paper_tree {
    int P, d, g, T;
    int f[LATEST + 1];
    int time[MOST]; /* effective times, by id */
};

/* Node (id, t): child k is (id + 1 + f(t) - f(t - k g), t - d - k g). */
static void place_children(struct paper_tree *tree, int id, int t)
{
    tree->time[id] = t;
    for (int k = 0; t - tree->d - k * tree->g >= 0; k++) {
        const int child = id + 1 + tree->f[t] - tree->f[t - k * tree->g];

        if (child < tree->P)
            place_children(tree, child, t - tree->d - k * tree->g);
    }
}

static struct paper_tree make_paper_tree(int P, int L, int o, int g)
{
    struct paper_tree tree = {.P = P, .d = 2 * o + L, .g = g};

    for (int n = 0; n <= LATEST; n++)
        tree.f[n] = n < tree.d ? 1 : tree.f[n - g] + tree.f[n - tree.d];
    while (tree.f[tree.T] < P)
        tree.T++;
    place_children(&tree, 0, tree.T);
    return tree;
}

/* ---- when a processor gets there ---- */

struct tour {
    const struct logp_algorithm *algorithm;
    const struct logp_coll *c;
    int64_t when[MOST];
};

/* A broadcast along the plan of an algorithm: when does this processor hold the item? */
static int broadcast_node(struct logp_vp *vp, void *arg)
{
    struct tour *tour = arg;
    const int rank = logp_vp_rank(vp);
    struct logp_coll c = *tour->c;
    int rc = logp_coll_plan(tour->algorithm, logp_vp_size(vp), rank, &c);

    if (rc != 0)
        return rc;
    if (c.plan.parent >= 0)
        rc = logp_recv(vp, c.plan.parent, 0, NULL, 0, NULL);
    tour->when[rank] = logp_now(vp);
    for (int k = 0; rc == 0 && k < c.plan.n_children; k++)
        rc = logp_send(vp, c.plan.children[k], 0, NULL, 0);
    logp_coll_unplan(&c);
    return rc;
}

/* A summation: when is the sum of this processor and of all below it complete? */
static int summation_node(struct logp_vp *vp, void *arg)
{
    struct tour *tour = arg;
    const int rank = logp_vp_rank(vp);
    struct logp_coll c = *tour->c;
    double sum = 0, *operands = NULL;
    int rc = logp_coll_plan(tour->algorithm, logp_vp_size(vp), rank, &c);

    if (rc != 0)
        return rc;
    operands = calloc((size_t)c.plan.own + 1, sizeof(*operands));
    rc = operands != NULL ? 0 : -1;
    c.buf = operands;
    c.recv_buf = &sum;
    if (rc == 0)
        rc = logp_coll_run(vp, tour->algorithm, &c);
    tour->when[rank] = logp_now(vp) - (c.plan.parent >= 0 ? c.params.o_send_ns : 0);
    free(operands);
    logp_coll_unplan(&c);
    return rc;
}

/* On the virtual clock; tour->when is filled. */
static void make_tour(struct paper *p, const struct paper_case *x, logp_program program,
                      struct tour *tour)
{
    struct logp_config config = {.n_processors = (int)x->P,
                                 .clock = LOGP_CLOCK_VIRTUAL,
                                 .executor = paper_options(p, x, LOGP_CLOCK_VIRTUAL).executor};
    struct logp_machine *m = NULL;
    int rc = logp_delay_create("logp", &x->c.params, &config.delay);

    *tour = (struct tour){.algorithm = paper_algorithm(x), .c = &x->c};
    if (rc == 0)
        rc = logp_machine_create(&config, &m);
    if (rc == 0)
        rc = logp_machine_run(m, program, tour, p->o->timeout_ns);
    if (rc != 0) {
        fprintf(stderr, "logp: paper %s, node by node: %s\n", p->name, strerror(-rc));
        p->stopped = p->wrong = true;
    }
    logp_machine_destroy(m);
}

/* ---- the figures ---- */

/* "1 4 6 7", or a dash. */
static const char *children_of(const struct tree *tree, const struct tree_node *node, char buf[32])
{
    buf[0] = '\0';
    for (int64_t i = node->first_child; i >= 0; i = tree->nodes[i].next_sibling)
        snprintf(buf + strlen(buf), 32 - strlen(buf), "%s%lld", buf[0] != '\0' ? " " : "",
                 (long long)tree->nodes[i].rank);
    return buf[0] != '\0' ? buf : "-";
}

/* Its rank, "-" where there is none. */
static const char *parent_of(const struct tree *tree, const struct tree_node *node, char buf[24])
{
    snprintf(buf, 24, "-");
    if (node->parent >= 0)
        snprintf(buf, 24, "%lld", (long long)tree->nodes[node->parent].rank);
    return buf;
}

static struct paper_case make_case(const struct paper *p, const char *collective,
                                   const char *algorithm, int P, int L)
{
    const int64_t unit = paper_unit(p, p->o->unit_ns);

    return (struct paper_case){
        .collective = collective,
        .algorithm = algorithm,
        .P = P,
        .unit_ns = unit,
        .c.params = {
            .L_ns = L * unit, .o_send_ns = 2 * unit, .o_recv_ns = 2 * unit, .g_ns = 4 * unit}};
}

/* A number of a node; where the clock disagrees with what is predicted, the paper is wrong. */
static void fill_node(struct paper *p, struct paper_row *row, double predicted, double emulated)
{
    if (p->stopped)
        return;
    row->value[PREDICTED] = predicted;
    row->value[EMULATED] = emulated;
    p->wrong |= predicted != emulated;
}

static void broadcast_tree(struct paper *p, int P, struct tree *tree)
{
    struct paper_case x = make_case(p, "broadcast", "optimal", P, 6);
    struct options o = paper_options(p, &x, LOGP_CLOCK_VIRTUAL);
    const struct paper_tree own = make_paper_tree(P, 6, 2, 4);
    struct paper_table *t = paper_table(p, "Figure 1", "rank|parent|children", "units",
                                        "T*(%d; 6,2,4): the effective times of its nodes", P);
    struct paper_row *row;
    struct tour tour;

    o.n_bytes = x.c.n_bytes = 1;
    *tree = make_broadcast_tree(&o);
    make_tour(p, &x, broadcast_node, &tour);
    for (int id = 0; id < P; id++) {
        const struct tree_node *node = &tree->nodes[id];
        char parent[24], children[32];

        row = paper_row(t, "%d|%s|%s", id, parent_of(tree, node, parent),
                        children_of(tree, node, children));
        row->value[FORMULA] = own.time[id];
        fill_node(p, row, node->time, tree->time - (double)tour.when[id] / (double)x.unit_ns);
        if (P == 8 && id == 7) {
            row->value[PRINTED] = 2;
            paper_remark(row, "the node (7, 2) that T*(7) does not have");
        }
    }
    row = paper_row(t, "all||");
    row->value[FORMULA] = own.T;
    paper_run(p, &x, row);
    paper_remark(row, "the broadcast's time");
    paper_note(t, "A node of effective time T holds the item T before the end; it sends to its "
                  "children in their order.");
    paper_note(t, "The paper counts with g where max(g, o) belongs, which agrees here, as g >= o.");
}

/* Are all nodes of `less` nodes of `more` too, with the same place and time? */
static bool is_part(const struct tree *less, const struct tree *more)
{
    for (int64_t id = 0; id < less->n; id++)
        if (less->nodes[id].time != more->nodes[id].time ||
            less->nodes[id].parent != more->nodes[id].parent)
            return false;
    return true;
}

static void summation_nodes(struct paper *p, struct paper_table *t, const struct paper_case *x,
                            const struct tree *tree)
{
    struct tour tour;

    make_tour(p, x, summation_node, &tour);
    for (int id = 0; id < tree->n; id++) {
        const struct tree_node *node = &tree->nodes[id];
        char parent[24], children[32];
        struct paper_row *row =
            paper_row(t, "%d|%s|%s|%lld + %lld|%.0f", id, parent_of(tree, node, parent),
                      children_of(tree, node, children), (long long)node->own,
                      (long long)node->shared, node->time);

        fill_node(p, row, node->label, (double)tour.when[id] / (double)x->unit_ns);
    }
}

static void summation_tree(struct paper *p)
{
    struct paper_case x = make_case(p, "summation", "optimal-paper", 7, 5);
    struct options o = paper_options(p, &x, LOGP_CLOCK_VIRTUAL);
    struct paper_table *t =
        paper_table(p, "Figure 2", "rank|parent|children|operands|T_i", "units",
                    "S*(7; 5,2,4), 82 operands: when each node's sum is complete");
    struct paper_row *row;
    struct tree tree;
    double operands = 0;

    o.count = x.c.count = 82;
    x.c.op = o.op = logp_op_find("sum", "double");
    x.c.params.gamma_ps = o.params.gamma_ps = x.unit_ns * 1000;
    o.gamma_given = true;
    tree = make_summation_tree(&o);
    summation_nodes(p, t, &x, &tree);
    row = paper_row(t, "all||||");
    paper_run(p, &x, row);
    paper_remark(row, "the summation's time");
    paper_note(t, "operands: those that a node's place in the tree has time for, and its share of "
                  "the others.");
    paper_note(t, "The tree is that of the broadcast for L + 1 and max(g, o + 1), reversed in "
                  "time; an addition takes a unit.");
    paper_note(t, "The paper's number of children, and with it the operands of leaves, needs its "
                  "parenthesis elsewhere, and it drops the remainder when operands are shared out; "
                  "here it is 0.");
    t = paper_table(p, "Figure 2", "what", "number", "S*(7; 5,2,4): what is summed");
    for (int64_t id = 0; id < tree.n; id++)
        operands += (double)(tree.nodes[id].own + tree.nodes[id].shared);
    row = paper_row(t, "operands");
    row->value[PRINTED] = 82;
    row->value[PREDICTED] = operands;
    p->wrong |= operands != 82;
    row = paper_row(t, "processors");
    row->value[PRINTED] = 7;
    row->value[PREDICTED] = (double)tree.used;
    free_tree(&tree);
}

void paper_shou_chen(struct paper *p)
{
    struct tree eight, seven;

    broadcast_tree(p, 8, &eight);
    broadcast_tree(p, 7, &seven);
    paper_note(&p->tables[1], "This tree is%s the first without its node (7, 2), as printed.",
               is_part(&seven, &eight) && eight.nodes[7].time == 2 ? "" : " NOT");
    p->wrong |= !is_part(&seven, &eight);
    free_tree(&eight);
    free_tree(&seven);
    summation_tree(p);
}
