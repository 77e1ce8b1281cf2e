/* SPDX-License-Identifier: MIT */
/*
 * Shou & Chen: the summation's listing on the tree of figure 2, run as it is printed and as it is
 * run here. Its test for the root decides which processors send their sum; its loop makes additions
 * between two receives; its number of children decides how many operands a processor has.
 */
#include "papers/shou_chen.h"

#include "text/problem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { P = 7, OPERANDS = 82 };
enum { MANY = 1 << 20 }; /* processors; f stops there */

/* ---- the tree by the paper's recurrence ---- */

static void count_holders(struct own_tree *tree)
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

struct shou_chen_units shou_chen_units(const struct paper_case *x)
{
    const struct logp_params *q = &x->c.model.params;
    const int sums = x->c.args.op != NULL, o = (int)paper_units(x, q->o_send_ns),
              g = (int)paper_units(x, q->g_ns);

    return (struct shou_chen_units){.o = o,
                                    .d = (int)paper_units(x, q->L_ns) + 2 * o + sums,
                                    .g = sums && g <= o ? o + 1 : g,
                                    .e = g > o ? g : o};
}

struct own_tree *shou_chen_tree(const struct paper_case *x)
{
    const struct shou_chen_units u = shou_chen_units(x);
    struct own_tree *tree = need(calloc(1, sizeof(*tree)));

    tree->P = (int)x->P;
    tree->d = u.d;
    tree->g = u.g;
    count_holders(tree);
    while (tree->T < LATEST && tree->f[tree->T] < tree->P)
        tree->T++;
    tree->parent[0] = -1;
    place_children(tree, 0, tree->T);
    return tree;
}
/* ---- the test for the root ---- */

struct listing_run {
    const struct paper_place *places;
    struct logp_summation plan;
    bool inverted; /* the test for the root */
    int extra;     /* further additions between two receives */
    int64_t gamma_ns;
    bool sent[P], ended[P];
    int64_t sum[P]; /* operands that each has added up */
    int64_t end_ns; /* the root has its sum */
};

/* Add n of the processor's operands. */
static int add(struct logp_vp *vp, struct listing_run *run, int64_t n)
{
    run->sum[logp_vp_rank(vp)] += n;
    return logp_compute(vp, n * run->gamma_ns, NULL, NULL);
}

/* Receive the children's sums, add, and send to the parent, if the test is true. Additions take
 * time: of its own operands first, of each sum received, and between two receives. */
static int listing_node(struct logp_vp *vp, void *arg)
{
    struct listing_run *run = arg;
    const int me = logp_vp_rank(vp);
    const struct paper_place *at = &run->places[me];
    const bool is_root = at->parent < 0;
    const struct logp_summation_node node = logp_summation_node(&run->plan, me);
    int rc;

    run->sum[me] = 1; /* its first operand, to which it adds the others */
    rc = add(vp, run, node.first);
    for (int k = 0; rc == 0 && k < at->n_children; k++) {
        int64_t below = 0;

        if (k > 0)
            rc = add(vp, run, node.between + run->extra);
        if (rc == 0)
            rc = logp_recv(vp, at->children[k], 0, &below, sizeof(below), NULL);
        if (rc == 0)
            rc = logp_compute(vp, run->gamma_ns, NULL, NULL);
        run->sum[me] += below;
    }
    if (is_root)
        run->end_ns = logp_now(vp);
    if (rc == 0 && is_root == run->inverted) {
        rc = logp_send(vp, at->parent, 0, &run->sum[me], sizeof(run->sum[me]));
        run->sent[me] = rc == 0;
    }
    run->ended[me] = rc == 0;
    return rc;
}

static int count(const bool *list)
{
    int n = 0;

    for (int i = 0; i < P; i++)
        n += list[i];
    return n;
}

/* Run the listing on the virtual clock, where a wait that nothing can end is an error. */
static void run_listing(struct paper *p, const struct paper_case *x, struct listing_run *run)
{
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = P,
                                 .clock = LOGP_CLOCK_VIRTUAL,
                                 .executor = paper_options(p, x, LOGP_CLOCK_VIRTUAL).how.executor};
    struct logp_machine *m = NULL;
    int rc = logp_delay_create("logp", &x->c.model.params, &config.delay);

    if (rc == 0)
        rc = logp_machine_create(&config, &m);
    if (rc == 0)
        rc = logp_machine_run(m, listing_node, run, p->q->how.timeout_ns);
    if (rc != 0 && !(rc == -EDEADLK && run->inverted)) {
        say("paper %s, its listing: %s", p->name, strerror(-rc));
        p->stopped = p->wrong = true;
    }
    end_machine(p->q, m);
}

static void root_test(struct paper *p, const struct listing_run *printed,
                      const struct listing_run *here)
{
    paper_listing(
        p, "Listing of the summation, the test for the root",
        count(printed->sent) == P - 1 && count(printed->ended) == P,
        "Summation, the test for the root, P = %d|"
        "a processor sends its sum to its parent if it is the root|"
        "%d of %d sums are sent; %d of %d processors wait for ever%s|"
        "if it is not the root: %d of %d sums are sent, %d processors wait for ever, the root has "
        "the sum of %lld of %d operands|"
        "it is inverted: %d of %d sums are sent; as run here %d",
        P, count(printed->sent), P - 1, P - count(printed->ended), P,
        printed->ended[0] ? "" : ", the root among them", count(here->sent), P - 1,
        P - count(here->ended), (long long)here->sum[0], OPERANDS, count(printed->sent), P - 1,
        count(here->sent));
}

static void loop(struct paper *p, const struct paper_case *x, const struct listing_run *printed,
                 const struct listing_run *here)
{
    const double unit = (double)x->unit_ns, late = (double)printed->end_ns / unit,
                 end = (double)here->end_ns / unit;
    const long long sum = (long long)printed->sum[0];

    paper_listing(
        p, "Listing of the summation, additions between receives", sum == OPERANDS,
        "Summation, additions between receives, P = %d|g - o additions between two receives|"
        "the root adds up %lld operands, of which there are %d; it takes %g units|"
        "g - o - 1 additions: %lld operands, %g units|"
        "its loop makes one addition too many: %lld operands in place of %d, and %g units in place "
        "of %g",
        P, sum, OPERANDS, late, (long long)here->sum[0], end, sum, OPERANDS, late, end);
}

/* ---- the number of children ---- */

/* The number of children by a division in C, which rounds towards zero: a leaf (T_i < d) may get 1,
 * or a negative number. */
static int children_in_c(int T, int d, int g)
{
    return (T - d) / g + 1;
}

static void number_of_children(struct paper *p, const struct paper_case *x,
                               const struct paper_place *places)
{
    const struct shou_chen_units u = shou_chen_units(x);
    struct own_tree *own = shou_chen_tree(x);
    int wrong = 0, below = 0, printed = 0, here = 0;

    for (int id = 0; id < P; id++) {
        const int K = children_in_c(own->time[id], u.d, u.g);

        wrong += K != places[id].n_children;
        below += K < 0;
        printed += own->time[id] - K * (u.o + 1) + 1;
        here += own->time[id] - places[id].n_children * (u.o + 1) + 1;
    }
    free(own);
    paper_listing(
        p, "Listing of the summation, K_i", wrong == 0,
        "Summation, the number K_i of children, P = %d|"
        "K_i = (T_i - (L + 2o + 1)) / g + 1, in C, its parenthesis put right|"
        "%d of %d processors have another K_i than children, %d of them a negative one; "
        "N_S is %d|"
        "K_i is the number of children that there are: N_S is %d|"
        "C divides towards zero, and nodes are left out: %d of %d processors have another "
        "K_i than children; N_S would be %d, and is %d",
        P, wrong, P, below, printed, here, wrong, P, printed, here);
}

/* ---- algorithm 2, step 6: operands beyond those that the tree has time for ---- */

static void shared_out(struct paper *p, const struct paper_case *x)
{
    enum { SHARED = 84 };
    struct logp_summation plan;
    int64_t own = 0, here = 0, printed;

    logp_summation_paper(&plan, P, SHARED, &x->c.model.params, sizeof(double));
    for (int64_t id = 0; id < P; id++) {
        const struct logp_summation_node node = logp_summation_node(&plan, id);

        own += node.own;
        here += node.own + node.shared;
    }
    printed = own + (SHARED - own) / P * P;
    paper_listing(
        p, "Listing of the summation, algorithm 2, step 6", printed == SHARED,
        "Summation, algorithm 2, step 6, N = %d|"
        "each processor has floor((N - N_S)/P) operands more|%lld of %d operands are summed|"
        "the first (N - N_S) mod P processors have one more: %lld of %d|"
        "its floor drops the remainder of (N - N_S)/P: %lld of %d operands are summed",
        SHARED, (long long)printed, SHARED, (long long)here, SHARED, (long long)printed, SHARED);
}

void shou_chen_listings(struct paper *p, const struct paper_table *t, const char *what)
{
    const struct paper_case x = paper_case(p, SHOU_CHEN_SUM "P=7 count=82", "");
    /* As it is run here, with the test inverted, and with a further addition. */
    struct listing_run *runs = need(calloc(3, sizeof(*runs)));
    struct paper_place *places = need(calloc(P, sizeof(*places)));

    (void)t;
    (void)what;
    paper_places(&x, places);
    runs[1].inverted = true;
    runs[2].extra = 1;
    for (int i = 0; i < 3; i++) {
        runs[i].places = places;
        runs[i].gamma_ns = x.unit_ns;
        logp_summation_paper(&runs[i].plan, P, OPERANDS, &x.c.model.params, sizeof(double));
        run_listing(p, &x, &runs[i]);
    }
    root_test(p, &runs[1], &runs[0]);
    loop(p, &x, &runs[2], &runs[0]);
    number_of_children(p, &x, places);
    shared_out(p, &x);
    if (p->stopped) /* a processor may come back late, and use them */
        return;
    free(places);
    free(runs);
}
