/* SPDX-License-Identifier: MIT */
/*
 * Shou & Chen's theorems: how many processors can hold an item by a time and how long the broadcast
 * takes (2), how many operands its tree sums in that time (lemma 1, 5) and how long more of them
 * take (6), and whether that is the most there can be (5). The paper's numbers are computed here
 * from its recurrence with g, for which section 0 assumes g >= o; ours has max(g, o).
 */
#include "papers/paper.h"

#include <string.h>
#include <logp/paper.h>

enum { MANY = 1 << 20 }; /* operands; f stops there */

/* ---- the tree by the paper's recurrence ---- */

static void count(struct own_tree *tree)
{
    for (int n = 0; n <= LATEST; n++) {
        int f;

        if (n < tree->d)
            f = 1;
        else if (n < tree->g)
            f = 1 + n / tree->d;
        else
            f = tree->f[n - tree->g] + tree->f[n - tree->d];
        tree->f[n] = f < MANY ? f : MANY;
    }
}

/* Node (id, t): child k is (id + 1 + f(t) - f(t - k g), t - d - k g). */
static void place_children(struct own_tree *tree, int id, int t)
{
    tree->time[id] = t;
    for (int k = 0; t - tree->d - k * tree->g >= 0; k++) {
        const int child = id + 1 + tree->f[t] - tree->f[t - k * tree->g];

        if (child < tree->P) {
            tree->children[id]++;
            tree->parent[child] = id;
            place_children(tree, child, t - tree->d - k * tree->g);
        }
    }
}

struct own_tree shou_chen_tree(int P, int d, int g)
{
    struct own_tree tree = {.P = P, .d = d, .g = g};

    count(&tree);
    while (tree.T < LATEST && tree.f[tree.T] < P)
        tree.T++;
    tree.parent[0] = -1;
    place_children(&tree, 0, tree.T);
    return tree;
}

struct paper_case shou_chen_case(const struct paper *p, const char *collective,
                                 const char *algorithm, int P, const struct shou_chen_model *model)
{
    const int64_t unit = paper_unit(p, p->q->model.unit_ns);
    const bool sums = logp_collective_find(collective)->operands == LOGP_OPERANDS_TOTAL;
    struct logp_params params = paper_params(unit, model->L, model->o, model->g);

    params.gamma_ps = sums ? unit * 1000 : 0;
    return (struct paper_case){.collective = collective,
                               .algorithm = algorithm,
                               .P = P,
                               .unit_ns = unit,
                               .c = {.args.count = sums ? P : 0,
                                     .args.op = sums ? logp_op_find("sum", "double") : NULL,
                                     .model.params = params}};
}

/* ---- theorem 2 ---- */

static const struct shou_chen_model models[] = {
    {"6,2,4", 6, 2, 4}, {"1,0,9", 1, 0, 9}, {"6,5,2", 6, 5, 2}, {"3,0,1", 3, 0, 1}};

enum { N_COUNTED = 3, MOST_TIMES = 9, LARGEST = 100 };

#define OUTSIDE "g < o, which section 0 excludes: a processor cannot send so often"

/* f_n of one model, at these times in ascending order; on the virtual clock, the number of
 * processors that hold the item in the tree that is full at the last of them. */
static void count_holders(struct paper *p, struct paper_table *t,
                          const struct shou_chen_model *model, const int *times)
{
    const int d = 2 * model->o + model->L, e = model->g > model->o ? model->g : model->o;
    const struct own_tree own = shou_chen_tree(1, d, model->g);
    double when[MOST_NODES];
    int n = MOST_TIMES;
    struct paper_case x;

    while (n > 1 && times[n - 1] == 0)
        n--;
    x = shou_chen_case(p, "broadcast", "optimal", (int)logp_tree_count(times[n - 1], d, e), model);
    paper_tour(p, &x, when);
    for (int i = 0; i < n && !p->stopped; i++) {
        struct paper_row *row = paper_row(t, "%s|%d", model->label, times[i]);
        int holders = 0;

        for (int rank = 0; rank < x.P; rank++)
            holders += when[rank] <= times[i];
        row->value[FORMULA] = own.f[times[i]];
        row->value[PREDICTED] = (double)logp_tree_count(times[i], d, e);
        row->value[EMULATED] = holders;
        paper_compare(p, "f_n", row->value[PREDICTED], holders);
        if (row->value[FORMULA] != row->value[PREDICTED])
            paper_remark(row, OUTSIDE);
    }
}

static void broadcast_times(struct paper *p, struct paper_table *t,
                            const struct shou_chen_model *model, int low, int high)
{
    for (int P = low; P <= high; P++) {
        const struct own_tree own = shou_chen_tree(P, 2 * model->o + model->L, model->g);
        const struct paper_case x = shou_chen_case(p, "broadcast", "optimal", P, model);
        struct paper_row *row = paper_row(t, "%s|%d", model->label, P);

        row->value[FORMULA] = own.T;
        paper_run(p, &x, row);
        if (!p->stopped && row->value[FORMULA] != row->value[PREDICTED])
            paper_remark(row, OUTSIDE);
    }
}

static void judge_theorem_2(struct paper *p, const struct paper_table *f,
                            const struct paper_table *T)
{
    bool usual = paper_same_of(T, 0, models[3].label, FORMULA, EMULATED);

    for (int i = 0; i < 2; i++)
        usual = usual && paper_same_of(f, 0, models[i].label, FORMULA, EMULATED) &&
                paper_same_of(T, 0, models[i].label, FORMULA, EMULATED);
    paper_judge(p, "Theorem 2, f_n and the broadcast's time, g >= o", usual,
                "for L,o,g = 6,2,4 and 1,0,9, and the time for 3,0,1");
    paper_judge_none(
        p, "Theorem 2, g < o",
        "section 0 assumes g >= o. For L,o,g = 6,5,2 its f_n and its time are %s: a sending "
        "processor is busy for o, so that max(g, o) must replace g",
        paper_same_of(f, 0, models[2].label, FORMULA, EMULATED) &&
                paper_same_of(T, 0, models[2].label, FORMULA, EMULATED)
            ? "right"
            : "not those of the virtual clock");
}

static void theorem_2(struct paper *p)
{
    static const struct paper_chart times_of = {
        .x_axis = "P", .y_axis = "time, units", .x = 1, .log_x = true};
    static const struct paper_chart holders = {
        .x_axis = "n, units of time", .y_axis = "processors", .x = 1, .log_y = true};
    static const int times[N_COUNTED][MOST_TIMES] = {{9, 10, 13, 14, 18, 20, 22, 23, 24},
                                                     {0, 1, 5, 8, 9, 10, 18, 19},
                                                     {15, 16, 18, 20, 21, 26, 32, 37}};
    static const int sizes[] = {16, LARGEST};
    struct paper_table *f = paper_table(p, "Theorem 2", "L,o,g|n", "processors",
                                        "f_n: how many can hold the item at time n");
    struct paper_table *T = paper_table(p, "Theorem 2", "L,o,g|P", "units",
                                        "the time of the optimal broadcast, the least n with "
                                        "f_n >= P");

    T->chart = &times_of;
    f->chart = &holders;
    for (int i = 0; i < N_COUNTED; i++)
        count_holders(p, f, &models[i], times[i]);
    paper_note(f, "f_n = 1 for n < d, 1 + floor(n/d) for d <= n < e, f(n-e) + f(n-d) beyond, with "
                  "d = 2o + L; the paper assumes g >= o (section 0) and has g where ours has e = "
                  "max(g, o).");
    broadcast_times(p, T, &models[0], 1, 9);
    for (int i = 0; i < 2; i++)
        broadcast_times(p, T, &models[0], sizes[i], sizes[i]);
    broadcast_times(p, T, &models[1], 10, 10);
    broadcast_times(p, T, &models[2], 8, 8);
    broadcast_times(p, T, &models[3], 64, 64);
    judge_theorem_2(p, f, T);
}

/* ---- lemma 1, theorems 5 and 6 ---- */

const struct shou_chen_model shou_chen_summed = {"5,2,4", 5, 2, 4};

enum { MOST_SUMMERS = 16, ENOUGH = 10000 }; /* operands that fill any of these trees */

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
static int own_filled(int P, int *T)
{
    const int o = shou_chen_summed.o, G = shou_chen_summed.g > o ? shou_chen_summed.g : o + 1;
    const struct own_tree own = shou_chen_tree(P, 2 * o + shou_chen_summed.L + 1, G);
    int sum = 0;

    for (int id = 0; id < P; id++)
        sum += own.time[id] - own.children[id] * (o + 1) + 1;
    *T = own.T;
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

static void fill_most(struct paper *p, struct paper_table *t, const struct paper_case *x, int own,
                      int64_t predicted, int64_t T)
{
    struct paper_row *row = paper_row(t, "%lld|%lld", (long long)x->P, (long long)T);

    row->value[FORMULA] = own;
    row->value[PREDICTED] = (double)predicted;
    row->value[EMULATED] = most_in_time(p, *x, predicted, T);
    paper_compare(p, t->title, row->value[PREDICTED], row->value[EMULATED]);
}

static void theorems_5_6(struct paper *p)
{
    static const struct paper_chart beyond = {
        .x_axis = "N, operands", .y_axis = "time, units", .x = 1, .series = EACH_OTHER};
    static const struct paper_chart by_P = {
        .x_axis = "P", .y_axis = "operands", .x = 0, .series = 0, .log_x = true, .log_y = true};
    static const int counts[] = {47, 48, 53, 54, 55, 61, 68, 82, 84, 100, 200};
    struct paper_table *N = paper_table(p, "Lemma 1, theorem 5", "P|time", "operands",
                                        "N_S for 5,2,4: what the tree sums in its time "
                                        "without waiting");
    struct paper_table *more = paper_table(p, "Theorem 6", "P|N|N_S", "units",
                                           "more operands than N_S: the time for 5,2,4");
    struct paper_table *most = paper_table(p, "Theorem 5", "P|time", "operands",
                                           "the most that can be summed in that time, 5,2,4");
    int64_t N_S, T;
    int own_T;

    more->chart = &beyond;
    most->chart = &by_P;
    N->chart = &by_P;
    for (int P = 1; P <= MOST_SUMMERS; P += P < 8 ? 1 : 8) {
        struct paper_case x = shou_chen_case(p, "summation", "optimal-paper", P, &shou_chen_summed);
        const int own = own_filled(P, &own_T);

        N_S = filled(&x, &T);
        paper_compare(p, "the tree's time", (double)T, own_T);
        fill_most(p, N, &x, own, N_S, T);
        x.algorithm = "optimal";
        fill_most(p, most, &x, own, most_planned(&x, N_S, T), T);
    }
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct paper_case x = shou_chen_case(p, "summation", "optimal-paper", 7, &shou_chen_summed);
        const int own = own_filled(7, &own_T);
        struct paper_row *row = paper_row(more, "7|%d|%d", counts[i], own);

        x.c.args.count = counts[i];
        row->value[FORMULA] = own_T + (counts[i] - own) / 7.0;
        paper_run(p, &x, row);
        if ((counts[i] - own) % 7 != 0)
            paper_remark(row, "algorithm 2, step 6, drops %d", (counts[i] - own) % 7);
    }
    paper_note(N, "N_S is the sum of A_i = T_i - K_i (o + 1) + 1 over the nodes of T*(P; L+1, o, "
                  "max(g, o+1)), K_i being the number of children that there are.");
    paper_note(more, "Its formula: T + (N - N_S)/P. Ours: T + ceil((N - N_S)/P). Algorithm 2, step "
                     "6, gives each processor floor((N - N_S)/P) operands more, and so drops the "
                     "others.");
    paper_note(most,
               "Its formula: N_S. On the tree of the earliest labels more fit: T + 1 and, for "
               "each other processor of label x, T - x - o.");
    paper_judge(
        p, "Lemma 1, theorem 5, N_S", paper_same(N, FORMULA, EMULATED),
        "with K_i the children that there are; as printed a parenthesis is misplaced, a leaf "
        "gets a negative K_i, and after leaving out nodes K_i is wrong; and it needs g >= "
        "o + 1");
    paper_judge(p, "Theorem 6, the time T(N) of N operands", paper_same(more, FORMULA, EMULATED),
                "an addition takes a whole unit, so that (N - N_S)/P must be rounded up: T(48) = "
                "%.2f, here %g",
                more->rows[1].value[FORMULA], more->rows[1].value[EMULATED]);
    paper_judge(p, "Theorem 5, no more can be summed", paper_same(most, FORMULA, EMULATED),
                "N_S is not a maximum: the `optimal` plan sums more in the same time");
}

void shou_chen_theorems(struct paper *p)
{
    theorem_2(p);
    theorems_5_6(p);
}
