/* SPDX-License-Identifier: MIT */
/*
 * Shou & Chen: the optimal broadcast trees of figure 1 and the summation tree of figure 2, node by
 * node. The paper draws them; of their numbers it is known that the second tree of figure 1 is the
 * first without its node (7, 2), and that 82 operands are summed on 7 processors.
 */
#include "papers/paper.h"
#include "answer/tree/tree.h"

#include <stdio.h>
#include <string.h>
#include <logp/paper.h>

static const struct shou_chen_model figure_1 = {"6,2,4", 6, 2, 4}, figure_2 = {"5,2,4", 5, 2, 4};

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

/* ---- bounds ---- */

/*
 * Shou & Chen, theorem 4: min{g, L+2o} log P <= T_B < max{g, L+2o} log 4P, where T_B is the time of
 * the optimal broadcast and the logarithm is of base 2.
 */

static double lower(int L, int q, int g, int64_t P)
{
    return fmin(g, L + 2 * q) * log2((double)P);
}

static double upper(int L, int q, int g, int64_t P)
{
    return fmax(g, L + 2 * q) * log2(4 * (double)P);
}

/* T_B by the library, in units. */
static int64_t time_of(int L, int q, int g, int64_t P)
{
    struct logp_tree tree;

    return logp_tree_init(&tree, P, L + 2 * q, g > q ? g : q) == 0 ? logp_tree_time(&tree) : -1;
}

/* Count the cases of a grid with g >= o in which both bounds hold. @return the number of cases */
static int try_all(int *holds)
{
    static const int64_t sizes[] = {2, 3, 4, 5, 7, 8, 9, 16, 31, 64, 100, 1000, 65536};
    int n = 0;

    *holds = 0;
    for (int L = 0; L <= 12; L++)
        for (int q = 0; q <= 4; q++)
            for (int g = q > 0 ? q : 1; g <= 12; g++)
                for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && L + q > 0; i++) {
                    const double T = (double)time_of(L, q, g, sizes[i]);

                    *holds += lower(L, q, g, sizes[i]) <= T && T < upper(L, q, g, sizes[i]);
                    n++;
                }
    return n;
}

static void shou_chen_bounds(struct paper *p)
{
    static const struct shou_chen_model models[] = {
        {"6,2,4", 6, 2, 4}, {"1,0,9", 1, 0, 9}, {"3,0,1", 3, 0, 1}};
    static const int sizes[] = {2, 8, 16, 100};
    static const struct paper_chart chart = {
        .x_axis = "P", .y_axis = "time, units", .x = 2, .series = EACH_OTHER, .log_x = true};
    struct paper_table *t = paper_table(p, "Theorem 4", "L,o,g|side|P", "units",
                                        "min{g, L+2o} log P <= T_B < max{g, L+2o} log 4P");
    bool agrees = true;
    int n, holds;

    t->chart = &chart;
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        for (int side = 0; side < 2; side++)
            for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
                const struct shou_chen_model *m = &models[i];
                const struct paper_case x = shou_chen_case(p, "broadcast", "optimal", sizes[k], m);
                struct paper_row *row =
                    paper_row(t, "%s|%s|%d", m->label, side == 0 ? "least" : "less than", sizes[k]);

                row->value[FORMULA] = (side == 0 ? lower : upper)(m->L, m->o, m->g, sizes[k]);
                paper_run(p, &x, row);
                agrees = agrees && (side == 0 ? row->value[FORMULA] <= row->value[EMULATED]
                                              : row->value[FORMULA] > row->value[EMULATED]);
            }
    n = try_all(&holds);
    paper_note(t,
               "Its formula: the two sides, log of base 2; predicted and virtual: T_B. Both hold "
               "in %d of %d cases with L <= 12, o <= 4, o <= g <= 12, P <= 65536.",
               holds, n);
    paper_judge(p, "Theorem 4, min{g, L+2o} log P <= T_B < max{g, L+2o} log 4P",
                agrees && holds == n, "it holds in %d of %d cases", holds, n);
}

/* ---- the paper ---- */

static void fill_node(struct paper *p, struct paper_row *row, double predicted, double emulated)
{
    if (p->stopped)
        return;
    row->value[PREDICTED] = predicted;
    row->value[EMULATED] = emulated;
    paper_compare(p, "a node", predicted, emulated);
}

static void broadcast_tree(struct paper *p, int P, struct tree *tree)
{
    struct paper_case x = shou_chen_case(p, "broadcast", "optimal", P, &figure_1);
    struct question q = paper_options(p, &x, LOGP_CLOCK_VIRTUAL);
    const struct own_tree own = shou_chen_tree(P, 10, 4);
    struct paper_table *t = paper_table(p, "Figure 1", "rank|parent|children", "units",
                                        "T*(%d; 6,2,4): the effective times of its nodes", P);
    struct paper_row *row;
    double when[MOST_NODES];

    q.what.n_bytes = x.c.args.n_bytes = 1;
    end_with(make_broadcast_tree(&q, tree));
    paper_tour(p, &x, when);
    for (int id = 0; id < P; id++) {
        const struct tree_node *node = &tree->nodes[id];
        char parent[24], children[32];

        row = paper_row(t, "%d|%s|%s", id, parent_of(tree, node, parent),
                        children_of(tree, node, children));
        row->value[FORMULA] = own.time[id];
        fill_node(p, row, node->time, tree->time - when[id]);
        if (P == 8 && id == 7) {
            row->value[PRINTED] = 2;
            paper_remark(row, "the node (7, 2) that T*(7) does not have");
        }
    }
    row = paper_row(t, "all||");
    row->value[FORMULA] = own.T;
    paper_run(p, &x, row);
    paper_remark(row, "the broadcast's time");
    paper_draw(t, PAPER_TREE, &x);
    paper_note(t, "A node of effective time T holds the item T before the end; it sends to its "
                  "children in their order.");
    paper_note(t, "The paper assumes g >= o (section 0) and counts with g; ours has max(g, o).");
}

/* Whether all nodes of `less` are also nodes of `more`, with the same place and time. */
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
    double when[MOST_NODES];

    paper_tour(p, x, when);
    for (int id = 0; id < tree->n; id++) {
        const struct tree_node *node = &tree->nodes[id];
        char parent[24], children[32];
        struct paper_row *row =
            paper_row(t, "%d|%s|%s|%lld + %lld|%.0f", id, parent_of(tree, node, parent),
                      children_of(tree, node, children), (long long)node->own,
                      (long long)node->shared, node->time);

        fill_node(p, row, node->label, when[id]);
    }
}

static void summation_tree(struct paper *p)
{
    struct paper_case x = shou_chen_case(p, "summation", "optimal-paper", 7, &figure_2);
    struct question q = paper_options(p, &x, LOGP_CLOCK_VIRTUAL);
    struct paper_table *t =
        paper_table(p, "Figure 2", "rank|parent|children|operands|T_i", "units",
                    "S*(7; 5,2,4), 82 operands: when each node's sum is complete");
    struct paper_row *row;
    struct tree tree;
    double operands = 0;

    q.what.count = x.c.args.count = 82;
    q.what.op = x.c.args.op;
    q.model.gamma_given = true;
    end_with(make_summation_tree(&q, &tree));
    summation_nodes(p, t, &x, &tree);
    row = paper_row(t, "all||||");
    paper_run(p, &x, row);
    paper_remark(row, "the summation's time");
    paper_draw(t, PAPER_TREE, &x);
    paper_note(t, "operands: the number for which a node's place in the tree has time, and its "
                  "share of the others.");
    paper_note(t, "The tree is that of the broadcast for L + 1 and max(g, o + 1), reversed in "
                  "time; an addition takes a unit.");
    paper_note(t, "The paper's number of children, and with it the operands of leaves, needs its "
                  "parenthesis elsewhere, and it drops the remainder when operands are shared out; "
                  "here it is 0.");
    t = paper_table(p, "Figure 2", "what", "number", "S*(7; 5,2,4): operands");
    for (int64_t id = 0; id < tree.n; id++)
        operands += (double)(tree.nodes[id].own + tree.nodes[id].shared);
    row = paper_row(t, "operands");
    row->value[PRINTED] = 82;
    row->value[PREDICTED] = operands;
    paper_compare(p, "Figure 2, operands", 82, operands);
    row = paper_row(t, "processors");
    row->value[PRINTED] = 7;
    row->value[PREDICTED] = (double)tree.used;
    free_tree(&tree);
}

static void fill(struct paper *p)
{
    struct tree eight, seven;
    const struct paper_table *t;
    bool part;

    broadcast_tree(p, 8, &eight);
    broadcast_tree(p, 7, &seven);
    part = is_part(&seven, &eight) && eight.nodes[7].time == 2;
    paper_note(&p->tables[1], "This tree is%s the first without its node (7, 2), as printed.",
               part ? "" : " NOT");
    if (!part)
        fprintf(stderr, "logp: paper %s, Figure 1: the trees are not those printed\n", p->name);
    p->wrong |= !part;
    free_tree(&eight);
    free_tree(&seven);
    summation_tree(p);
    paper_judge(p, "Figure 1, by theorems 1 and 3",
                part && paper_same(&p->tables[0], FORMULA, EMULATED),
                "all nodes of T*(8; 6,2,4), and T*(7; 6,2,4) is it without (7, 2); the labels "
                "(P_i, T_i) are those of theorem 3");
    t = &p->tables[3];
    paper_judge(p, "Figure 2", paper_same(t, PRINTED, PREDICTED),
                "%g operands on %g processors; they take %g units", t->rows[0].value[PREDICTED],
                t->rows[1].value[PREDICTED], p->tables[2].rows[7].value[EMULATED]);
    shou_chen_theorems(p);
    shou_chen_bounds(p);
    shou_chen_listings(p);
}

const struct paper_kind paper_shou_chen = {
    .name = "shou-chen",
    .title = "Shou & Chen 1996: optimal broadcast and summation in the LogP model",
    .fill = fill,
};
