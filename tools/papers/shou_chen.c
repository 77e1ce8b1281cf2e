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

#include "answer/tree/tree.h"
#include "text/problem.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIGURE_1,
    FIGURE_1_OF_7,
    FIGURE_2,
    OPERANDS,
    HOLDERS,
    TIMES,
    LEMMA_1,
    THEOREM_6,
    THEOREM_5,
    THEOREM_4,
    PARENTS
};

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
    for (int id = 0; id < x->P; id++) {
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
static void count_nodes(struct paper *p, struct paper_table *t, struct paper_row *row,
                        const struct paper_case *x)
{
    struct tree tree = tree_of(p, x);
    double operands = 0;

    for (int64_t id = 0; id < tree.n; id++)
        operands += (double)(tree.nodes[id].own + tree.nodes[id].shared);
    row->value[PREDICTED] = t->n_rows == 1 ? operands : (double)tree.used;
    free_tree(&tree);
    if (p->stopped || row->value[PREDICTED] == row->value[PRINTED])
        return;
    say("paper %s, Figure 2, %s: predicted %g, here %.10g", p->name, row->labels,
        row->value[PRINTED], row->value[PREDICTED]);
    p->wrong = true;
}

/* Whether T*(7) is T*(8) without its node (7, 2): all others have the same place and time. */
static bool is_part(const struct paper *p)
{
    const struct paper_table *eight = &p->tables[FIGURE_1], *seven = &p->tables[FIGURE_1_OF_7];
    bool part = p->stopped || eight->rows[7].value[PREDICTED] == 2;

    for (int id = 0; id < 7; id++) {
        const struct paper_row *a = &eight->rows[id], *b = &seven->rows[id];
        char of_a[64], of_b[64];

        part &= (p->stopped || a->value[PREDICTED] == b->value[PREDICTED]) &&
                strcmp(paper_label(a->labels, 1, of_a), paper_label(b->labels, 1, of_b)) == 0;
    }
    return part;
}

static void compare_trees(struct paper *p, struct paper_table *t)
{
    const bool part = is_part(p);

    paper_note(t, "This tree is%s the first without its node (7, 2), as printed.",
               part ? "" : " NOT");
    if (!part)
        say("paper %s, Figure 1: the trees are not those printed", p->name);
    p->wrong |= !part;
}

/* ---- theorem 2 ---- */

#define OUTSIDE "g < o, which section 0 excludes: a processor cannot send so often"

static void say_outside(struct paper *p, struct paper_table *t, struct paper_row *row,
                        const struct paper_case *x)
{
    (void)t;
    (void)x;
    if (!p->stopped && row->value[FORMULA] != row->value[PREDICTED])
        paper_remark(row, OUTSIDE);
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
        say_outside(p, t, row, &x);
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

static void judge_small_gap(struct paper *p, const char *what)
{
    const bool right =
        paper_is_same(p, &(struct paper_same)SAME(HOLDERS, "6,5,2|*", FORMULA, EMULATED)) &&
        paper_is_same(p, &(struct paper_same)SAME(TIMES, "6,5,2|*", FORMULA, EMULATED));

    paper_judge_none(p, what,
                     "section 0 assumes g >= o. For L,o,g = 6,5,2 its f_n and its time are %s: a "
                     "sending processor is busy for o, so that max(g, o) must replace g",
                     right ? "right" : "not those of the virtual clock");
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

/* T + (N - N_S)/P */
static double time_of_more(const struct paper_case *x)
{
    int T;
    const int own = own_filled(x, &T);

    return T + (double)(x->c.args.count - own) / (double)x->P;
}

static void say_dropped(struct paper *p, struct paper_table *t, struct paper_row *row,
                        const struct paper_case *x)
{
    int T;
    const int dropped = (int)((x->c.args.count - own_filled(x, &T)) % x->P);

    (void)p;
    (void)t;
    if (dropped != 0)
        paper_remark(row, "algorithm 2, step 6, drops %d", dropped);
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

static double bound(const struct paper_case *x)
{
    const struct shou_chen_units u = shou_chen_units(x);
    char side[64];

    return (strcmp(paper_label(x->words, 1, side), "least") == 0 ? lower : upper)(u.d, u.g,
                                                                                  (double)x->P);
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

static void judge_bounds(struct paper *p, const char *what)
{
    const struct paper_table *t = &p->tables[THEOREM_4];
    int holds;
    const int n = try_all(&holds);
    bool agrees = holds == n;
    char side[64];

    for (size_t i = 0; i < t->n_rows; i++) {
        const double formula = t->rows[i].value[FORMULA], T = t->rows[i].value[EMULATED];

        agrees &= strcmp(paper_label(t->rows[i].labels, 1, side), "least") == 0 ? formula <= T
                                                                                : formula > T;
    }
    paper_judge(p, what, agrees, "it holds in %d of %d cases", holds, n);
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

static double all_of_them(const struct paper_case *x)
{
    return (double)x->P;
}

/* ---- the paper ---- */

#define TREE(P) "broadcast optimal bytes=1 L=6 o=2 g=4 P=" P
#define TREE_FIGURE(P_, complete_)                                                                 \
    {                                                                                              \
        .figure = "Figure 1", .title = "T*(" P_ "; 6,2,4): the effective times of its nodes",      \
        .columns = "rank|parent|children", .unit = "units",                                        \
        .rows = {{.run = TREE(P_), .make = broadcast_nodes},                                       \
                 {.labels = "all||",                                                               \
                  .run = TREE(P_),                                                                 \
                  .formula = own_time,                                                             \
                  .remark = "the broadcast's time"}},                                              \
        .notes = {"A node of effective time T holds the item T before the end; it sends to its "   \
                  "children in their order.",                                                      \
                  "The paper assumes g >= o (section 0) and counts with g; ours has max(g, o)."},  \
        .complete = complete_, .picture = PAPER_TREE                                               \
    }

static const struct paper_figure figures[] = {
    TREE_FIGURE("8", NULL),
    TREE_FIGURE("7", compare_trees),
    {.figure = "Figure 2",
     .title = "S*(7; 5,2,4), 82 operands: when each node's sum is complete",
     .columns = "rank|parent|children|operands|T_i",
     .unit = "units",
     .rows = {{.run = SHOU_CHEN_SUM "count=82 P=7", .make = summation_nodes},
              {.labels = "all||||",
               .run = SHOU_CHEN_SUM "count=82 P=7",
               .remark = "the summation's time"}},
     .notes = {"operands: the number for which a node's place in the tree has time, and its share "
               "of the others.",
               "The tree is that of the broadcast for L + 1 and max(g, o + 1), reversed in time; "
               "an addition takes a unit.",
               "The paper's number of children, and with it the operands of leaves, needs its "
               "parenthesis elsewhere, and it drops the remainder when operands are shared out; "
               "here it is 0."},
     .picture = PAPER_TREE},
    {.figure = "Figure 2",
     .title = "S*(7; 5,2,4): operands",
     .columns = "what",
     .unit = "number",
     .rows = {{.each = "operands;processors",
               .run = SHOU_CHEN_SUM "count=82 P=7",
               .idle = true,
               .printed = "82 7",
               .complete = count_nodes}}},
    {.figure = "Theorem 2",
     .title = "f_n: how many can hold the item at time n",
     .columns = "L,o,g|n",
     .unit = "processors",
     .rows = {{.each = "6,2,4|9,10,13,14,18,20,22,23,24;1,0,9|0,1,5,8,9,10,18,19;6,5,2|15,16,18,20,"
                       "21,26,32,37",
               .run = "broadcast optimal P=1 Log=$1",
               .make = count_holders}},
     .notes =
         {"f_n = 1 for n < d, 1 + floor(n/d) for d <= n < e, f(n-e) + f(n-d) beyond, with d = 2o + "
          "L; the paper assumes g >= o (section 0) and has g where ours has e = max(g, o)."},
     .chart = {"n, units of time", "processors", .x = 1, .log_y = true}},
    {.figure = "Theorem 2",
     .title = "the time of the optimal broadcast, the least n with f_n >= P",
     .columns = "L,o,g|P",
     .unit = "units",
     .rows = {{.each = "6,2,4 x 1..9",
               .run = "broadcast optimal P=$2 Log=$1",
               .formula = own_time,
               .complete = say_outside},
              {.each = "6,2,4|16;6,2,4|100;1,0,9|10;6,5,2|8;3,0,1|64",
               .run = "broadcast optimal P=$2 Log=$1",
               .formula = own_time,
               .complete = say_outside}},
     .chart = {"P", "time, units", .x = 1, .log_x = true}},
    {.figure = "Lemma 1, theorem 5",
     .title = "N_S for 5,2,4: what the tree sums in its time without waiting",
     .columns = "P|time",
     .unit = "operands",
     .rows = {{.each = "1;2;3;4;5;6;7;8;16", .run = SHOU_CHEN_SUM "P=$1", .make = count_operands}},
     .notes = {"N_S is the sum of A_i = T_i - K_i (o + 1) + 1 over the nodes of T*(P; L+1, o, "
               "max(g, o+1)), K_i being the number of children that there are."},
     .chart = {"P", "operands", .x = 0, .series = 0, .log_x = true, .log_y = true}},
    {.figure = "Theorem 6",
     .title = "more operands than N_S: the time for 5,2,4",
     .columns = "P|N|N_S",
     .unit = "units",
     .rows = {{.each = "7 x 47;48;53;54;55;61;68;82;84;100;200 x 47",
               .run = SHOU_CHEN_SUM "P=$1 count=$2",
               .formula = time_of_more,
               .complete = say_dropped}},
     .notes = {"Its formula: T + (N - N_S)/P. Ours: T + ceil((N - N_S)/P). Algorithm 2, step 6, "
               "gives each processor floor((N - N_S)/P) operands more, and so drops the others."},
     .chart = {"N, operands", "time, units", .x = 1, .series = EACH_OTHER}},
    {.figure = "Theorem 5",
     .title = "the most that can be summed in that time, 5,2,4",
     .columns = "P|time",
     .unit = "operands",
     .rows = {{.each = "1;2;3;4;5;6;7;8;16",
               .run = "summation optimal L=5 o=2 g=4 gamma=1 P=$1",
               .make = count_operands}},
     .notes = {"Its formula: N_S. On the tree of the earliest labels more fit: T + 1 and, for each "
               "other processor of label x, T - x - o."},
     .chart = {"P", "operands", .x = 0, .series = 0, .log_x = true, .log_y = true}},
    {.figure = "Theorem 4",
     .title = "min{g, L+2o} log P <= T_B < max{g, L+2o} log 4P",
     .columns = "L,o,g|side|P",
     .unit = "units",
     .rows = {{.each = "6,2,4;1,0,9;3,0,1 x least;less than x 2;8;16;100",
               .run = "broadcast optimal P=$3 Log=$1",
               .formula = bound}},
     .complete = try_bounds,
     .chart = {"P", "time, units", .x = 2, .series = EACH_OTHER, .log_x = true}},
    {.figure = "ComputeParent",
     .title = "whose parent is that of the tree, L,o,g = 6,2,4",
     .columns = "P|root",
     .unit = "processors",
     .rows = {{.each = "7;8;20;100 x 0;3",
               .run = "broadcast optimal P=$1 root=$2 L=6 o=2 g=4",
               .idle = true,
               .formula = right_parents,
               .predicted = all_of_them}},
     .notes = {"Its formula: how many parents are right, with child k of (id, t) at id + 1 + f(t) "
               "- f(t - k g), and ranks counted from the root; predicted: P."}},
    {0}};

static const struct paper_claim claims[] = {
    {.what = "Figure 1, by theorems 1 and 3",
     .why = "all nodes of T*(8; 6,2,4), and T*(7; 6,2,4) is it without (7, 2); the labels (P_i, "
            "T_i) are those of theorem 3",
     .same = {SAME(FIGURE_1, "*", FORMULA, EMULATED)},
     .agrees = is_part},
    {.what = "Figure 2",
     .why = "$(Figure 2:operands:predicted) operands on $(Figure 2:processors:predicted) "
            "processors; they take $(Figure 2:all||||:emulated) units",
     .same = {SAME(OPERANDS, "*", PRINTED, PREDICTED)}},
    {.what = "Theorem 2, f_n and the broadcast's time, g >= o",
     .why = "for L,o,g = 6,2,4 and 1,0,9, and the time for 3,0,1",
     .same = {SAME(HOLDERS, "6,2,4|*", FORMULA, EMULATED),
              SAME(HOLDERS, "1,0,9|*", FORMULA, EMULATED),
              SAME(TIMES, "6,2,4|*", FORMULA, EMULATED), SAME(TIMES, "1,0,9|*", FORMULA, EMULATED),
              SAME(TIMES, "3,0,1|*", FORMULA, EMULATED)}},
    {.what = "Theorem 2, g < o", .judge = judge_small_gap},
    {.what = "Lemma 1, theorem 5, N_S",
     .why =
         "with K_i the children that there are; as printed a parenthesis is misplaced, a leaf gets "
         "a negative K_i, and after leaving out nodes K_i is wrong; and it needs g >= o + 1",
     .same = {SAME(LEMMA_1, "*", FORMULA, EMULATED)}},
    {.what = "Theorem 6, the time T(N) of N operands",
     .why = "an addition takes a whole unit, so that (N - N_S)/P must be rounded up: T(48) = "
            "$(Theorem 6:7|48|47:paper_formula:.2), here $(Theorem 6:7|48|47:emulated)",
     .same = {SAME(THEOREM_6, "*", FORMULA, EMULATED)}},
    {.what = "Theorem 5, no more can be summed",
     .why = "N_S is not a maximum: the `optimal` plan sums more in the same time",
     .same = {SAME(THEOREM_5, "*", FORMULA, EMULATED)}},
    {.what = "Theorem 4, min{g, L+2o} log P <= T_B < max{g, L+2o} log 4P", .judge = judge_bounds},
    {.judge = shou_chen_listings},
    {.what = "ComputeParent, by the labels of theorem 3",
     .why = "it finds the parent of each processor, for P = 7, 8, 20, 100 and roots 0 and 3",
     .same = {SAME(PARENTS, "*", FORMULA, PREDICTED)}},
    {0}};

const struct paper_kind paper_shou_chen = {
    .name = "shou-chen",
    .title = "Shou & Chen 1996: optimal broadcast and summation in the LogP model",
    .figures = figures,
    .claims = claims};
