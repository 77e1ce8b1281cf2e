/* SPDX-License-Identifier: MIT */
/*
 * Shou & Chen: the summation's listing on the tree of figure 2, run as it is printed and as it is
 * run here. Its test for the root decides which processors send their sum; its loop makes additions
 * between two receives; its number of children decides how many operands a processor has.
 */
#include "papers/paper.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <logp/paper.h>

enum { P = 7, OPERANDS = 82 };

/* ---- the test for the root ---- */

struct listing_run {
    const struct paper_place *places;
    const struct logp_summation *plan;
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
    const struct logp_summation_node node = logp_summation_node(run->plan, me);
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
        fprintf(stderr, "logp: paper %s, its listing: %s\n", p->name, strerror(-rc));
        p->stopped = p->wrong = true;
    }
    end_machine(p->q, m);
}

/* Run the listing with the test inverted, with `extra` further additions, or as it is here. */
static const struct listing_run *run_as(struct paper *p, const struct paper_case *x,
                                        const struct paper_place *places, bool inverted, int extra)
{
    static struct listing_run runs[3]; /* a processor may come back late */
    static struct logp_summation plan;
    struct listing_run *run = &runs[inverted ? 0 : 1 + extra];

    logp_summation_paper(&plan, P, OPERANDS, &x->c.model.params, sizeof(double));
    *run = (struct listing_run){.places = places,
                                .plan = &plan,
                                .inverted = inverted,
                                .extra = extra,
                                .gamma_ns = x->unit_ns};
    run_listing(p, x, run);
    return run;
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

static void number_of_children(struct paper *p, const struct paper_place *places)
{
    const struct shou_chen_model *m = &shou_chen_summed;
    const int G = m->g > m->o ? m->g : m->o + 1, d = 2 * m->o + m->L + 1;
    const struct own_tree own = shou_chen_tree(P, d, G);
    int wrong = 0, below = 0, printed = 0, here = 0;

    for (int id = 0; id < P; id++) {
        const int K = children_in_c(own.time[id], d, G);

        wrong += K != places[id].n_children;
        below += K < 0;
        printed += own.time[id] - K * (m->o + 1) + 1;
        here += own.time[id] - places[id].n_children * (m->o + 1) + 1;
    }
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
    enum { MANY = 84 };
    struct logp_summation plan;
    int64_t own = 0, here = 0, printed;

    logp_summation_paper(&plan, P, MANY, &x->c.model.params, sizeof(double));
    for (int64_t id = 0; id < P; id++) {
        const struct logp_summation_node node = logp_summation_node(&plan, id);

        own += node.own;
        here += node.own + node.shared;
    }
    printed = own + (MANY - own) / P * P;
    paper_listing(
        p, "Listing of the summation, algorithm 2, step 6", printed == MANY,
        "Summation, algorithm 2, step 6, N = %d|"
        "each processor has floor((N - N_S)/P) operands more|%lld of %d operands are summed|"
        "the first (N - N_S) mod P processors have one more: %lld of %d|"
        "its floor drops the remainder of (N - N_S)/P: %lld of %d operands are summed",
        MANY, (long long)printed, MANY, (long long)here, MANY, (long long)printed, MANY);
}

/* ---- ComputeParent ---- */

/* The number of ranks whose parent by the labels of theorem 3 is also their parent in the tree that
 * is run here. */
static int right_parents(const struct paper *p, int n, int root)
{
    const struct shou_chen_model model = {"6,2,4", 6, 2, 4};
    const struct own_tree own = shou_chen_tree(n, 2 * model.o + model.L, model.g);
    struct paper_case x = shou_chen_case(p, "broadcast", "optimal", n, &model);
    static struct paper_place places[MOST_NODES];
    int right = 0;

    x.c.args.root = root;
    paper_places(&x, places);
    for (int rank = 0; rank < n; rank++) {
        const int parent = own.parent[(rank - root + n) % n];

        right += places[rank].parent == (parent < 0 ? -1 : (parent + root) % n);
    }
    return right;
}

static void compute_parent(struct paper *p)
{
    static const int sizes[] = {7, 8, 20, 100}, roots[] = {0, 3};
    struct paper_table *t = paper_table(p, "ComputeParent", "P|root", "processors",
                                        "whose parent is that of the tree, L,o,g = 6,2,4");

    for (int i = 0; i < 8; i++) {
        struct paper_row *row = paper_row(t, "%d|%d", sizes[i / 2], roots[i % 2]);

        row->value[FORMULA] = right_parents(p, sizes[i / 2], roots[i % 2]);
        row->value[PREDICTED] = sizes[i / 2];
    }
    paper_note(t, "Its formula: how many parents are right, with child k of (id, t) at id + 1 + "
                  "f(t) - f(t - k g), and ranks counted from the root; predicted: P.");
    paper_judge(p, "ComputeParent, by the labels of theorem 3", paper_same(t, FORMULA, PREDICTED),
                "it finds the parent of each processor, for P = 7, 8, 20, 100 and roots 0 and 3");
}

void shou_chen_listings(struct paper *p)
{
    struct paper_case x = shou_chen_case(p, "summation", "optimal-paper", P, &shou_chen_summed);
    static struct paper_place places[MOST_NODES];
    const struct listing_run *here;

    x.c.args.count = OPERANDS;
    paper_places(&x, places);
    here = run_as(p, &x, places, false, 0);
    root_test(p, run_as(p, &x, places, true, 0), here);
    loop(p, &x, run_as(p, &x, places, false, 1), here);
    number_of_children(p, places);
    shared_out(p, &x);
    compute_parent(p);
}
