/* SPDX-License-Identifier: MIT */
/*
 * Lists with edges, whose steps are concurrent where no edge orders them: at random, under every
 * model. The virtual clock is the fold; and where edges leave no choice, both are those of the list
 * in that order.
 */
#include "support.h"

enum { CASES = 600, GRAPH_P = 8, GRAPH_STEPS = 400 };

struct graph {
    int P;
    struct logp_step steps[GRAPH_P][GRAPH_STEPS];
    struct logp_edge edges[GRAPH_P][4 * GRAPH_STEPS];
    const struct logp_step *all_steps[GRAPH_P];
    const struct logp_edge *all_edges[GRAPH_P];
    int64_t n[GRAPH_P], n_edges[GRAPH_P];
    struct logp_step_list list;
};

/* The next step of a rank. It may wait for some of the last ones: never for one to come. */
static struct logp_step *next_step(struct graph *g, uint64_t *random, int rank, int64_t density)
{
    const int64_t i = g->n[rank]++;

    for (int64_t before = i > 3 ? i - 3 : 0; before < i; before++)
        if (test_below(random, 8) < density)
            g->edges[rank][g->n_edges[rank]++] = (struct logp_edge){before, i, one_in(random, 4)};
    return &g->steps[rank][i];
}

static void make(struct graph *g, uint64_t *random)
{
    const int messages = 1 + (int)test_below(random, 60);
    const int64_t density = test_below(random, 7), most = 1 + test_below(random, 900);
    const bool wild = one_in(random, 3), tags = one_in(random, 2);

    g->P = 2 + (int)test_below(random, GRAPH_P - 1);
    for (int k = 0; k < messages; k++) {
        const int src = (int)test_below(random, g->P), dst = (int)test_below(random, g->P);
        const int tag = tags ? k : 0;

        if (src == dst)
            continue;
        logp_step_send(next_step(g, random, src, density), dst, tag, LOGP_RECV_BUF, 0,
                       (size_t)test_below(random, most + 1));
        logp_step_receive(next_step(g, random, dst, density), wild ? LOGP_ANY_SOURCE : src,
                          wild && tags ? LOGP_ANY_TAG : tag, LOGP_RECV_BUF, 0, (size_t)most);
        if (one_in(random, 3))
            logp_step_compute(next_step(g, random, dst, density), test_below(random, 90), 0);
    }
    for (int r = 0; r < g->P; r++) {
        g->all_steps[r] = g->steps[r];
        g->all_edges[r] = g->edges[r];
    }
    g->list = (struct logp_step_list){.P = g->P,
                                      .steps = g->all_steps,
                                      .n = g->n,
                                      .most_bytes = (size_t)most,
                                      .edges = g->all_edges,
                                      .n_edges = g->n_edges};
}

static struct logp_params some_params(uint64_t *random)
{
    static const int64_t units[] = {0, 1, 10, 60};

    return (struct logp_params){.L_ns = test_below(random, 9) * units[test_below(random, 4)],
                                .o_send_ns = test_below(random, 9) * units[test_below(random, 4)],
                                .o_recv_ns = test_below(random, 9) * units[test_below(random, 4)],
                                .g_ns = test_below(random, 9) * units[test_below(random, 4)],
                                .G_ps = one_in(random, 2) ? test_below(random, 3000) : 0,
                                .gap_shared = one_in(random, 3)};
}

/* What the virtual clock says. */
static int64_t run(struct logp_machine *m, const struct graph *g, const struct logp_network *model,
                   const char *delay, uint64_t seed)
{
    const struct logp_experiment x = test_experiment(
        logp_algorithm_find("schedule", "listed"), &(struct logp_args){.list = &g->list}, 2, seed);
    struct logp_delay d;
    struct logp_record r;
    int rc;

    cr_assert_eq(logp_delay_create(delay, &model->params, &d), 0);
    cr_assert_eq(logp_machine_set_delay(m, d, 0), 0);
    rc = logp_experiment_run(m, &x, &r);
    cr_assert(rc == 0 && r.verified, "seed %lu: %d", (unsigned long)seed, rc);
    cr_assert_eq(r.emulated.min_ns, r.emulated.max_ns);
    return r.emulated.median_ns;
}

static int fold(const struct graph *g, const struct logp_network *model, const char *delay,
                struct logp_fold *out)
{
    const struct logp_args args = {.list = &g->list};
    const struct logp_schedule s =
        logp_schedule_of(logp_algorithm_find("schedule", "listed"), g->P, &args, model);
    struct logp_delay d;
    int rc;

    cr_assert_eq(logp_delay_create(delay, &model->params, &d), 0);
    rc = logp_schedule_fold(&s, &d, 0, out);
    logp_delay_destroy(&d);
    return rc;
}

static const char *const delays[] = {"logp", "loggp", "store-forward", "loggops"};

Test(graph, the_fold_is_the_virtual_clock)
{
    struct logp_machine *machines[GRAPH_P + 1] = {NULL};
    const char *single = getenv("LOGP_TEST_SEED");
    const uint64_t first = single != NULL ? strtoull(single, NULL, 10) : 1;
    const uint64_t last = single != NULL ? first : CASES / (uint64_t)test_divisor();
    int through = 0;

    for (uint64_t seed = first; seed <= last; seed++) {
        uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
        struct graph *g = calloc(1, sizeof(*g));
        const char *delay = delays[test_below(&random, 4)];
        struct logp_network model = {.params = some_params(&random)};
        struct logp_fold f;
        int rc;

        model.params.L_ns +=
            test_parallel(); /* several cores need a time between send and arrival */
        cr_assert_eq(logp_delay_params(delay, &model.params, &model.params), 0);
        make(g, &random);
        rc = fold(g, &model, delay, &f);
        cr_assert(rc == 0 || rc == -EDEADLK, "seed %lu: %d", (unsigned long)seed, rc);
        if (machines[g->P] == NULL)
            machines[g->P] = test_machine(g->P, LOGP_CLOCK_VIRTUAL, NULL);
        if (rc == 0) {
            const int64_t ns = run(machines[g->P], g, &model, delay, seed);

            cr_assert_eq(ns, f.ns, "seed %lu, %s: folded %ld ns, virtual clock %ld ns",
                         (unsigned long)seed, delay, (long)f.ns, (long)ns);
            cr_assert_eq(f.unreceived, 0);
            through++;
        }
        free(g);
    }
    cr_assert(single != NULL || through > (int)(last / 2));
    for (int P = 0; P <= GRAPH_P; P++)
        cr_assert_eq(logp_machine_destroy(machines[P]), 0);
}

/* Each step waits for the one before it: in_order or not, or without edges, it takes the same, but
 * for what loggops receives as it comes. */
Test(graph, edges_that_leave_no_choice_are_an_order)
{
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
        struct graph *g = calloc(1, sizeof(*g));
        const char *delay = delays[test_below(&random, 3)];
        struct logp_network model = {.params = some_params(&random)};
        struct logp_fold chosen, ordered, plain;
        int rc;

        cr_assert_eq(logp_delay_params(delay, &model.params, &model.params), 0);
        do {
            memset(g, 0, sizeof(*g));
            make(g, &random);
        } while (g->n[0] > 0 && g->steps[0][0].kind == LOGP_STEP_RECEIVE &&
                 g->steps[0][0].peer == LOGP_ANY_SOURCE);
        for (int r = 0; r < g->P; r++) {
            g->n_edges[r] = 0;
            for (int64_t i = 0; i < g->n[r]; i++) {
                struct logp_step *s = &g->steps[r][i];

                if (s->kind == LOGP_STEP_RECEIVE && s->peer == LOGP_ANY_SOURCE)
                    logp_step_compute(s, 3, 0); /* by name only: what was sent is left */
                if (i > 0)
                    g->edges[r][g->n_edges[r]++] = (struct logp_edge){i - 1, i, false};
            }
        }
        rc = fold(g, &model, delay, &chosen);
        g->list.in_order = true;
        cr_assert_eq(fold(g, &model, delay, &ordered), rc);
        g->list.edges = NULL;
        cr_assert_eq(fold(g, &model, delay, &plain), rc);
        cr_assert_eq(rc, 0);
        cr_assert(chosen.ns == ordered.ns && plain.ns == ordered.ns, "seed %lu: %ld, %ld, %ld ns",
                  (unsigned long)seed, (long)chosen.ns, (long)ordered.ns, (long)plain.ns);
        cr_assert_eq(chosen.unreceived, ordered.unreceived);
        free(g);
    }
}

/* Two ranks, rank 0 sends to rank 1. */
static struct logp_step send_step, receive_step;

static struct logp_step_list pair(const struct logp_edge *const *edges, const int64_t *n_edges)
{
    static const struct logp_step *const steps[] = {&send_step, &receive_step};
    static const int64_t n[] = {1, 1};

    logp_step_send(&send_step, 1, 0, LOGP_RECV_BUF, 0, 8);
    logp_step_receive(&receive_step, 0, 0, LOGP_RECV_BUF, 0, 8);
    return (struct logp_step_list){
        .P = 2, .steps = steps, .n = n, .most_bytes = 8, .edges = edges, .n_edges = n_edges};
}

Test(graph, what_is_no_graph_is_refused)
{
    static const struct logp_edge none[1], self[] = {{0, 0, false}}, beyond[] = {{0, 7, false}};
    const struct logp_edge *edges[] = {none, none};
    int64_t n_edges[] = {0, 0};
    struct graph g = {.P = 2, .list = pair(edges, n_edges)};
    struct logp_network model = {.params = test_params(6, 2, 4)};
    struct logp_fold f;

    cr_assert_eq(fold(&g, &model, "loggp", &f), 0);
    cr_expect_eq(f.ns, 10);
    receive_step.n_bytes = 7;
    cr_expect_eq(fold(&g, &model, "loggp", &f), -EMSGSIZE);
    cr_expect_eq(f.rank, 1);
    receive_step.n_bytes = 8;
    receive_step.tag = 5;
    cr_expect_eq(fold(&g, &model, "loggp", &f), -EDEADLK);
    cr_expect(f.rank == 1 && f.source == 0 && f.tag == 5);
    receive_step.tag = LOGP_ANY_TAG;
    cr_expect_eq(fold(&g, &model, "loggp", &f), 0);
    send_step.tag = LOGP_ANY_TAG;
    cr_expect_eq(fold(&g, &model, "loggp", &f), -EINVAL);
    send_step.tag = 0;
    n_edges[0] = 1;
    edges[0] = beyond;
    cr_expect_eq(fold(&g, &model, "loggp", &f), -EINVAL);
    edges[0] = self;
    cr_expect_eq(fold(&g, &model, "loggp", &f), -EDEADLK);
    cr_expect_eq(f.rank, 0);
    n_edges[0] = 0;
    model.rendezvous_from = 1;
    cr_expect_eq(fold(&g, &model, "loggp", &f), -ENOTSUP);
    model.rendezvous_from = 0;
    model.params.capacity = 1;
    cr_expect_eq(fold(&g, &model, "loggp", &f), -ENOTSUP);
}

/* Started, it would have to go on behind the program's back. */
static int start_graph(struct logp_vp *vp, void *arg)
{
    struct logp_request *pending;
    struct logp_plan *plan;
    char buf[8] = "";
    int rc = logp_plan_create(logp_algorithm_find("schedule", "listed"), 2, logp_vp_rank(vp), arg,
                              NULL, &plan);

    if (rc != 0)
        return rc;
    rc = logp_plan_start(vp, plan, NULL, buf, &pending) == -ENOTSUP ? 0 : -EPROTO;
    if (rc == 0)
        rc = logp_plan_run(vp, plan, NULL, buf);
    logp_plan_destroy(plan);
    return rc;
}

Test(graph, it_is_run_and_not_started)
{
    static const struct logp_edge none[1];
    const struct logp_edge *const edges[] = {none, none};
    const int64_t n_edges[] = {0, 0};
    const struct logp_step_list list = pair(edges, n_edges);
    struct logp_args args = {.list = &list};

    test_run(test_machine(2, LOGP_CLOCK_VIRTUAL, &test_6ns), start_graph, &args);
    test_run(test_machine(2, LOGP_CLOCK_WALL, &test_6ns), start_graph, &args);
    test_run(test_machine(2, LOGP_CLOCK_WALL, NULL), start_graph, &args);
}
