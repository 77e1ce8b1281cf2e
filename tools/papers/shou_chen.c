/* SPDX-License-Identifier: MIT */
/*
 * Shou & Chen: the optimal broadcast trees of figure 1 and the summation tree of figure 2, node by
 * node. The paper draws them; of their numbers it is known that the second tree of figure 1 is the
 * first without its node (7, 2), and that 82 operands are summed on 7 processors. Its theorems: how
 * many processors can hold an item by a time and how long the broadcast takes (2, 4), how many
 * operands its tree sums in that time (lemma 1, 5) and how long more of them take (6), and whether
 * that is the most there can be (5). The paper's numbers are computed from its recurrence with g,
 * for which section 0 assumes g >= o; ours has max(g, o).
 */
#include "papers/shou_chen.h"
#include <shou_chen.inc>

#include "answer/tree/tree.h"
#include "text/problem.h"

#include <stdlib.h>
#include <string.h>

enum { ENOUGH = 10000 }; /* operands that fill any of these trees */

/* ---- figures 1 and 2 ---- */

/* "3|0|5 6": rank, parent and children; -: there is none. */
static void name_node(const struct tree *tree, const struct tree_node *node, char buf[64])
{
    size_t n = (size_t)snprintf(buf, 64, "%lld|", (long long)node->rank);
    const int64_t parent = node->parent;

    n += (size_t)snprintf(buf + n, 64 - n, parent < 0 ? "-|" : "%lld|",
                          (long long)(parent < 0 ? 0 : tree->nodes[parent].rank));
    snprintf(buf + n, 64 - n, node->first_child < 0 ? "-" : "");
    for (int64_t i = node->first_child; i >= 0; i = tree->nodes[i].next_sibling)
        n += (size_t)snprintf(buf + n, 64 - n, i != node->first_child ? " %lld" : "%lld",
                              (long long)tree->nodes[i].rank);
}

static struct tree tree_of(struct paper *p, const struct paper_case *x)
{
    struct tree tree = {0};
    struct question q = paper_options(p, x, LOGP_CLOCK_VIRTUAL);

    q.what.n_bytes = x->c.args.n_bytes;
    q.what.count = x->c.args.count;
    q.what.op = x->c.args.op;
    q.model.gamma_given = x->c.args.op != NULL;
    paper_goes_on(p, x->c.args.op != NULL ? make_summation_tree(&q, &tree)
                                          : make_broadcast_tree(&q, &tree));
    return tree;
}

static void broadcast_nodes(struct paper *p, struct paper_table *t, const struct paper_case *x)
{
    struct own_tree *own = shou_chen_tree(x);
    struct tree tree = tree_of(p, x);
    double when[MOST_NODES];

    paper_tour(p, x, when);
    for (int id = 0; id < tree.n; id++) { /* none, if there is no tree */
        char labels[64];
        struct paper_row *row;

        name_node(&tree, &tree.nodes[id], labels);
        row = paper_row(t, "%s", labels);
        row->value[FORMULA] = own->time[id];
        paper_compare(p, "a node", row, tree.nodes[id].time, tree.time - when[id]);
        if (x->P == 8 && id == 7) {
            row->value[PRINTED] = 2;
            paper_remark(row, "the node (7, 2) that T*(7) does not have");
        }
    }
    free_tree(&tree);
    free(own);
}

static void summation_nodes(struct paper *p, struct paper_table *t, const struct paper_case *x)
{
    struct tree tree = tree_of(p, x);
    double when[MOST_NODES];

    paper_tour(p, x, when);
    for (int id = 0; id < tree.n; id++) {
        const struct tree_node *node = &tree.nodes[id];
        char labels[64];

        name_node(&tree, node, labels);
        paper_compare(p, "a node",
                      paper_row(t, "%s|%lld + %lld|%.0f", labels, (long long)node->own,
                                (long long)node->shared, node->time),
                      node->label, when[id]);
    }
    free_tree(&tree);
}

/* The operands of all nodes, or the nodes that take part. */
static void count_nodes(const struct paper_at *at)
{
    struct tree tree = tree_of(at->p, at->x);
    double operands = 0;

    for (int64_t id = 0; id < tree.n; id++)
        operands += (double)(tree.nodes[id].own + tree.nodes[id].shared);
    at->row->value[PREDICTED] = at->t->n_rows == 1 ? operands : (double)tree.used;
    free_tree(&tree);
    if (at->p->stopped || at->row->value[PREDICTED] == at->row->value[PRINTED])
        return;
    say("paper %s, Figure 2, %s: predicted %g, here %.10g", at->p->name, at->row->labels,
        at->row->value[PRINTED], at->row->value[PREDICTED]);
    at->p->wrong = true;
}

/* Whether T*(7) is T*(8) without its node (7, 2): all others have the same place and time. */
static bool is_part(const struct paper *p, const struct paper_table *seven)
{
    const struct paper_table *eight = seven - 1;
    bool part = p->stopped || eight->rows[7].value[PREDICTED] == 2;

    for (int id = 0; id < 7 && !p->stopped; id++) {
        const struct paper_row *a = &eight->rows[id], *b = &seven->rows[id];
        char of_a[64], of_b[64];

        part &= a->value[PREDICTED] == b->value[PREDICTED] &&
                strcmp(paper_label(a->labels, 1, of_a), paper_label(b->labels, 1, of_b)) == 0;
    }
    return part;
}

static void compare_trees(struct paper *p, struct paper_table *t)
{
    const bool part = is_part(p, t);

    paper_note(t, "This tree is%s the first without its node (7, 2), as printed.",
               part ? "" : " NOT");
    if (!part)
        say("paper %s, Figure 1: the trees are not those printed", p->name);
    p->wrong |= !part;
}

/* ---- theorem 2 ---- */

#define OUTSIDE "g < o, which section 0 excludes: a processor cannot send so often"

static void say_outside(const struct paper_at *at)
{
    if (!at->p->stopped && at->row->value[FORMULA] != at->row->value[PREDICTED])
        paper_remark(at->row, OUTSIDE);
}

/* f_n at times in ascending order, the second word: "9,10,13"; on the virtual clock, the number of
 * processors that hold the item in the tree that is full at the last of them. */
static void count_holders(struct paper *p, struct paper_table *t, const struct paper_case *model)
{
    const struct shou_chen_units u = shou_chen_units(model);
    struct own_tree *own = shou_chen_tree(model);
    struct paper_case x = *model;
    char times[64], parameters[64], *end = times;
    double when[MOST_NODES];

    paper_label(x.words, 0, parameters);
    paper_label(x.words, 1, times);
    x.P = logp_tree_count(atol(strrchr(times, ',') + 1), u.d, u.e);
    paper_tour(p, &x, when);
    for (const char *s = times; *s != '\0' && !p->stopped; s = end + (*end == ',')) {
        const long n = strtol(s, &end, 10);
        struct paper_row *row = paper_row(t, "%s|%ld", parameters, n);
        int holders = 0;

        for (int rank = 0; rank < x.P; rank++)
            holders += when[rank] <= (double)n;
        row->value[FORMULA] = own->f[n];
        paper_compare(p, "f_n", row, (double)logp_tree_count(n, u.d, u.e), holders);
        say_outside(&(struct paper_at){p, t, row, &x});
    }
    free(own);
}

static double own_time(const struct paper_case *x)
{
    struct own_tree *own = shou_chen_tree(x);
    const double T = own->T;

    free(own);
    return T;
}

/* ---- lemma 1, theorems 5 and 6 ---- */

/* N_S: what the places of all nodes have time for; *T: that time. */
static int64_t filled(const struct paper_case *x, int64_t *T)
{
    struct logp_summation plan;
    int64_t sum = 0;

    logp_summation_paper(&plan, x->P, ENOUGH, &x->c.model.params, sizeof(double));
    for (int64_t id = 0; id < plan.tree.P; id++)
        sum += logp_summation_node(&plan, id).own;
    *T = plan.tree.T;
    return sum;
}

/* The same of the paper's tree: the sum of T_i - K_i (o + 1) + 1. */
static int own_filled(const struct paper_case *x, int *T)
{
    struct own_tree *own = shou_chen_tree(x);
    int sum = 0;

    for (int id = 0; id < x->P; id++)
        sum += own->time[id] - own->children[id] * (shou_chen_units(x).o + 1) + 1;
    *T = own->T;
    free(own);
    return sum;
}

static double own_operands(const struct paper_case *x)
{
    int T;

    return own_filled(x, &T);
}

/* The most operands that the algorithm sums within T on the virtual clock, near a guess. */
static double most_in_time(struct paper *p, struct paper_case x, int64_t guess, int64_t T)
{
    int64_t N = guess;

    for (x.c.args.count = N; N > 1 && paper_emulated(p, &x) > (double)T; x.c.args.count = N)
        N--;
    for (x.c.args.count = N + 1; paper_emulated(p, &x) <= (double)T; x.c.args.count = N + 1)
        N++;
    return p->stopped ? NAN : (double)N;
}

/* The same as planned by `optimal`. */
static int64_t most_planned(const struct paper_case *x, int64_t at_least, int64_t T)
{
    struct logp_summation plan;
    int64_t N = at_least;

    while (logp_summation_optimal(&plan, x->P, N + 1, &x->c.model.params, sizeof(double)) == 0 &&
           plan.time <= T)
        N++;
    return N;
}

/* A row of N_S, or of the most that can be summed in the same time. */
static void count_operands(struct paper *p, struct paper_table *t, const struct paper_case *x)
{
    int64_t T, N = filled(x, &T);
    struct paper_row *row = paper_row(t, "%lld|%lld", (long long)x->P, (long long)T);
    int own_T;

    row->value[FORMULA] = own_filled(x, &own_T);
    if (strcmp(x->algorithm, "optimal") == 0)
        N = most_planned(x, N, T);
    if (T != own_T) {
        say("paper %s, the tree's time: predicted %lld, here %d", p->name, (long long)T, own_T);
        p->wrong = true;
    }
    paper_compare(p, t->title, row, (double)N, most_in_time(p, *x, N, T));
}

static void say_dropped(const struct paper_at *at)
{
    int T;
    const int dropped = (int)((at->x->c.args.count - own_filled(at->x, &T)) % at->x->P);

    if (dropped != 0)
        paper_remark(at->row, "algorithm 2, step 6, drops %d", dropped);
}

/* ---- theorem 4: min{g, L+2o} log P <= T_B < max{g, L+2o} log 4P, log of base 2 ---- */

static double lower(double d, double g, double P)
{
    return fmin(g, d) * log2(P);
}

static double upper(double d, double g, double P)
{
    return fmax(g, d) * log2(4 * P);
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
                for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && L + q > 0; i++, n++) {
                    const int d = L + 2 * q;
                    const double P = (double)sizes[i];
                    struct logp_tree tree;
                    double T;

                    if (logp_tree_init(&tree, sizes[i], d, g) != 0)
                        continue;
                    T = (double)logp_tree_time(&tree);
                    *holds += lower(d, g, P) <= T && T < upper(d, g, P);
                }
    return n;
}

static void try_bounds(struct paper *p, struct paper_table *t)
{
    int holds;
    const int n = try_all(&holds);

    (void)p;
    paper_note(t,
               "Its formula: the two sides, log of base 2; predicted and virtual: T_B. Both hold "
               "in %d of %d cases with L <= 12, o <= 4, o <= g <= 12, P <= 65536.",
               holds, n);
}

/* Whether the rows, and all other cases, are within the bounds. */
static void judge_bounds(struct paper *p, const struct paper_table *t, const char *what)
{
    const struct paper_count least =
                                 paper_compare_rows(t, "*|least|*", "emulated", ">=", "formula", 0),
                             most = paper_compare_rows(t, "*|less than|*", "formula", ">",
                                                       "emulated", 0);
    int holds;
    const int n = try_all(&holds);

    paper_judge(p, what, holds == n && least.hold == least.rows && most.hold == most.rows,
                "it holds in %d of %d cases", holds, n);
}

/* ---- ComputeParent ---- */

/* The number of ranks whose parent by the labels of theorem 3, with ranks counted from the root, is
 * also their parent in the tree that is run here. */
static double right_parents(const struct paper_case *x)
{
    const int n = (int)x->P, root = x->c.args.root;
    struct own_tree *own = shou_chen_tree(x);
    struct paper_place places[MOST_NODES];
    int right = 0;

    paper_places(x, places);
    for (int rank = 0; rank < n; rank++) {
        const int parent = own->parent[(rank - root + n) % n];

        right += places[rank].parent == (parent < 0 ? -1 : (parent + root) % n);
    }
    free(own);
    return right;
}

/* ---- the paper ---- */

static const struct paper_function functions[] = {
    {"own_time", .number = own_time},
    {"own_operands", .number = own_operands},
    {"right_parents", .number = right_parents},
    {"broadcast_nodes", .make = broadcast_nodes},
    {"summation_nodes", .make = summation_nodes},
    {"count_holders", .make = count_holders},
    {"count_operands", .make = count_operands},
    {"count_nodes", .complete = count_nodes},
    {"say_outside", .complete = say_outside},
    {"say_dropped", .complete = say_dropped},
    {"compare_trees", .after = compare_trees},
    {"try_bounds", .after = try_bounds},
    {"is_part", .agrees = is_part},
    {"judge_bounds", .judge = judge_bounds},
    {"shou_chen_listings", .judge = shou_chen_listings},
    {0}};

const struct paper_kind paper_shou_chen = {
    .name = "shou-chen",
    .title = "Shou & Chen 1996: optimal broadcast and summation in the LogP model",
    .text = shou_chen_paper,
    .functions = functions};
