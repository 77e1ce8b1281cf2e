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

/* The list in the order of its acts by LogGOPSim's rules; to be freed. */
static struct logp_step_list *ordered(const struct graph *g, const struct logp_network *model)
{
    struct logp_graph_time time;
    struct logp_step_list *list;
    struct logp_graph *graph;

    cr_assert_eq(logp_graph_of_list(&g->list, &graph), 0);
    cr_assert_eq(logp_graph_order(graph, model, &list, &time), 0);
    logp_graph_destroy(graph);
    return list;
}

/* What the virtual clock says. */
static int64_t run(struct logp_machine *m, const struct graph *g, const struct logp_network *model,
                   const char *delay, uint64_t seed)
{
    struct logp_step_list *list = model->params.recv_streams ? ordered(g, model) : NULL;
    const struct logp_experiment x =
        test_experiment(logp_algorithm_find("schedule", "listed"),
                        &(struct logp_args){.list = list != NULL ? list : &g->list}, 2, seed);
    struct logp_delay d;
    struct logp_record r;
    int rc;

    cr_assert_eq(logp_delay_create(delay, &model->params, &d), 0);
    cr_assert_eq(logp_machine_set_delay(m, d, 0), 0);
    rc = logp_experiment_run(m, &x, &r);
    cr_assert(rc == 0 && r.verified, "seed %lu: %d", (unsigned long)seed, rc);
    cr_assert_eq(r.emulated.min_ns, r.emulated.max_ns);
    logp_graph_list_destroy(list);
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

/* Fill a rank of a graph with operations, each of which waits for the one before it. */
static void fill(struct logp_graph *graph, int64_t rank, const struct logp_graph_op *all, int64_t n)
{
    cr_assert_eq(logp_graph_begin_rank(graph, rank), 0);
    for (int64_t i = 0; i < n; i++) {
        cr_assert_eq(logp_graph_add(graph, &all[i]), 0);
        if (i > 0)
            cr_assert_eq(logp_graph_add_edge(graph, &(struct logp_edge){i - 1, i, false}), 0);
    }
    cr_assert_eq(logp_graph_end_rank(graph, NULL), 0);
}

/* The operations of a rank on several processors overlap; ranks of one host share them. */
Test(graph, processors_and_hosts)
{
    const struct logp_network model = {.params = test_params(6, 2, 4)};
    const struct logp_graph_op work = {.kind = LOGP_STEP_COMPUTE, .amount = 100};
    const struct logp_graph_op other = {.kind = LOGP_STEP_COMPUTE, .amount = 70, .processor = 1};
    const int64_t shared[] = {0, 0};
    struct logp_graph *graph;
    struct logp_graph_time time;
    int64_t ends[2];

    cr_assert_eq(logp_graph_create(2, &graph), 0);
    fill(graph, 0, &work, 1);
    cr_assert_eq(logp_graph_begin_rank(graph, 1), 0);
    cr_assert_eq(logp_graph_add(graph, &work), 0);
    cr_assert_eq(logp_graph_add(graph, &other), 0);
    cr_assert_eq(logp_graph_end(graph), 0);
    cr_assert_eq(logp_graph_evaluate(graph, &model, NULL, NULL, ends, &time), 0);
    cr_expect(time.ns == 100 && ends[0] == 100 && ends[1] == 100);
    cr_assert_eq(logp_graph_evaluate(graph, &model, shared, NULL, ends, &time), 0);
    cr_expect(time.ns == 200 && ends[0] == 100 && ends[1] == 200);
    cr_expect_eq(logp_graph_evaluate(graph, &model, (int64_t[]){0, 2}, NULL, ends, &time), -EINVAL);
    cr_expect_eq(logp_graph_size(graph).processors, 2);
    logp_graph_destroy(graph);
}

Test(graph, operations_that_are_not_possible_are_refused)
{
    const struct logp_graph_op wrong[] = {
        {.kind = LOGP_STEP_COPY},
        {.kind = LOGP_STEP_SEND, .peer = 2},
        {.kind = LOGP_STEP_SEND, .peer = LOGP_ANY_SOURCE},
        {.kind = LOGP_STEP_RECEIVE, .peer = -2},
        {.kind = LOGP_STEP_COMPUTE, .amount = -1},
        {.kind = LOGP_STEP_COMPUTE, .amount = LOGP_GRAPH_MOST_AMOUNT + 1},
        {.kind = LOGP_STEP_COMPUTE, .processor = LOGP_GRAPH_MOST_PLACES},
        {.kind = LOGP_STEP_COMPUTE, .interface = -1},
    };
    const struct logp_graph_op work = {.kind = LOGP_STEP_COMPUTE, .amount = 1};
    struct logp_graph *graph;
    int64_t which;

    cr_expect_eq(logp_graph_create(0, &graph), -EINVAL);
    cr_assert_eq(logp_graph_create(2, &graph), 0);
    cr_expect_eq(logp_graph_add(graph, &work), -EINVAL);
    cr_expect_eq(logp_graph_begin_rank(graph, 2), -EINVAL);
    cr_assert_eq(logp_graph_begin_rank(graph, 1), 0);
    cr_expect_eq(logp_graph_begin_rank(graph, 1), -EINVAL);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        cr_expect_eq(logp_graph_add(graph, &wrong[i]), -EINVAL, "%zu", i);
    cr_assert_eq(logp_graph_add(graph, &work), 0);
    cr_assert_eq(logp_graph_add(graph, &work), 0);
    cr_expect_eq(logp_graph_add_edge(graph, &(struct logp_edge){-1, 0, false}), -EINVAL);
    cr_assert_eq(logp_graph_add_edge(graph, &(struct logp_edge){1, 0, false}), 0);
    cr_assert_eq(logp_graph_add_edge(graph, &(struct logp_edge){0, 1, true}), 0);
    cr_expect_eq(logp_graph_end_rank(graph, &which), -ELOOP);
    cr_expect_eq(which, 0);
    cr_assert_eq(logp_graph_begin_rank(graph, 0), 0);
    cr_assert_eq(logp_graph_add_edge(graph, &(struct logp_edge){0, 3, false}), 0);
    cr_expect_eq(logp_graph_end_rank(graph, &which), -EINVAL);
    logp_graph_destroy(graph);
}

/* Operations are read as they were added, with amounts and tags of any size; and edges in the order of
 * the operations before them, whatever the order in which they were added. */
Test(graph, it_is_read_as_it_was_filled)
{
    const struct logp_graph_op all[] = {
        {.kind = LOGP_STEP_COMPUTE, .amount = LOGP_GRAPH_MOST_AMOUNT},
        {.kind = LOGP_STEP_SEND, .peer = 1, .amount = UINT32_MAX, .tag = UINT32_MAX},
        {.kind = LOGP_STEP_SEND, .amount = INT64_C(1) << 32, .tag = UINT64_C(1) << 60},
        {.kind = LOGP_STEP_RECEIVE, .peer = LOGP_ANY_SOURCE, .tag = LOGP_GRAPH_ANY_TAG}};
    const struct logp_edge edges[] = {
        {0, 1, false}, {0, 3, true}, {2, 3, false}, {1, 3, false}, {0, 2, false}};
    const int64_t in_order[] = {0, 1, 4, 3, 2};
    struct logp_graph *graph;
    struct logp_edge e;
    int n = 0;

    cr_assert_eq(logp_graph_create(2, &graph), 0);
    cr_assert_eq(logp_graph_begin_rank(graph, 1), 0);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(logp_graph_add(graph, &all[i]), 0);
    for (int i = 0; i < 5; i++)
        cr_assert_eq(logp_graph_add_edge(graph, &edges[i]), 0);
    cr_assert_eq(logp_graph_end(graph), 0);
    for (int i = 0; i < 4; i++) {
        struct logp_graph_op o;

        logp_graph_at(graph, 1, i, &o);
        cr_expect(o.kind == all[i].kind && o.amount == all[i].amount && o.tag == all[i].tag &&
                      o.peer == all[i].peer,
                  "%d", i);
        for (int64_t j = 0; j < logp_graph_next(graph, 1, i, j, &e); j++, n++) {
            const struct logp_edge *wanted = &edges[in_order[n]];

            cr_expect(e.before == wanted->before && e.after == wanted->after &&
                          e.started == wanted->started,
                      "%d", n);
        }
    }
    cr_expect_eq(n, 5);
    logp_graph_destroy(graph);
}

/* Ranks of several graphs beside each other take the time that each takes alone. */
Test(graph, joined_graphs_do_not_meet)
{
    const struct logp_network model = {.params = test_params(6, 2, 4)};
    const struct logp_graph_op send[] = {{.kind = LOGP_STEP_SEND, .peer = 1, .amount = 1},
                                         {.kind = LOGP_STEP_SEND, .peer = 1, .amount = 1}};
    const struct logp_graph_op take[] = {
        {.kind = LOGP_STEP_RECEIVE, .peer = 0, .amount = 1},
        {.kind = LOGP_STEP_RECEIVE, .peer = LOGP_ANY_SOURCE, .amount = 1}};
    struct logp_graph *one, *both;
    struct logp_graph_time time;
    int64_t ends[4];

    cr_assert_eq(logp_graph_create(2, &one), 0);
    fill(one, 0, send, 2);
    fill(one, 1, take, 2);
    cr_assert_eq(logp_graph_end(one), 0);
    cr_assert_eq(logp_graph_join((const struct logp_graph *const[]){one, one}, 2, &both), 0);
    cr_assert_eq(logp_graph_evaluate(both, &model, NULL, NULL, ends, &time), 0);
    cr_expect(time.ns == 14 && ends[1] == 14 && ends[3] == 14 && ends[0] == ends[2]);
    cr_assert_eq(logp_graph_evaluate(both, &model, (int64_t[]){0, 1, 0, 1}, NULL, ends, &time), 0);
    cr_expect(time.ns == 22 && time.messages == 4, "%ld ns", (long)time.ns);
    logp_graph_destroy(one);
    logp_graph_destroy(both);
}

/* ---- explanations ---- */

/* A graph with the steps and edges of a list, on several processors and interfaces. */
static struct logp_graph *spread(const struct graph *g, uint64_t *random)
{
    const int processors = 1 + (int)test_below(random, 3),
              interfaces = 1 + (int)test_below(random, 2);
    struct logp_graph *graph;

    cr_assert_eq(logp_graph_create(g->P, &graph), 0);
    for (int r = 0; r < g->P; r++) {
        cr_assert_eq(logp_graph_begin_rank(graph, r), 0);
        for (int64_t i = 0; i < g->n[r]; i++) {
            const struct logp_step *s = &g->steps[r][i];
            const bool computes = s->kind == LOGP_STEP_COMPUTE;
            const struct logp_graph_op o = {
                .kind = s->kind,
                .peer = computes ? 0 : s->peer,
                .amount = computes ? s->ns : (int64_t)s->n_bytes,
                .tag = s->tag == LOGP_ANY_TAG ? LOGP_GRAPH_ANY_TAG : (uint64_t)s->tag,
                .processor = (int)test_below(random, processors),
                .interface = computes ? 0 : (int)test_below(random, interfaces)};

            cr_assert_eq(logp_graph_add(graph, &o), 0);
        }
        for (int64_t i = 0; i < g->n_edges[r]; i++)
            cr_assert_eq(logp_graph_add_edge(graph, &g->edges[r][i]), 0);
    }
    cr_assert_eq(logp_graph_end(graph), 0);
    return graph;
}

/* What happens at each rank, one after the other, as a number. */
static void mix(uint64_t *orders, int64_t rank, uint64_t what)
{
    orders[rank] = (orders[rank] ^ what) * UINT64_C(0xd1342543de82ef95) + 1;
}

static void mix_act(void *arg, const struct logp_graph_act *act)
{
    mix(arg, act->rank, (uint64_t)(act->operation * 64 + act->peer * 4) + (uint64_t)act->kind);
}

static int64_t evaluated(const struct logp_graph *graph, const struct logp_network *model,
                         uint64_t orders[GRAPH_P])
{
    const struct logp_graph_observer observer = {
        .size = sizeof(observer), .arg = orders, .act = mix_act};
    struct logp_graph_time time;

    memset(orders, 0, GRAPH_P * sizeof(*orders));
    return logp_graph_evaluate(graph, model, NULL, &observer, NULL, &time) == 0 ? time.ns : -1;
}

static struct logp_params changed(struct logp_params p, enum logp_parameter parameter,
                                  int64_t by_ns)
{
    if (parameter == LOGP_PARAMETER_L)
        p.L_ns += by_ns;
    if (parameter == LOGP_PARAMETER_O_SEND)
        p.o_send_ns += by_ns;
    if (parameter == LOGP_PARAMETER_O_RECV)
        p.o_recv_ns += by_ns;
    if (parameter == LOGP_PARAMETER_GAP)
        p.g_ns += by_ns;
    if (parameter == LOGP_PARAMETER_BYTE)
        p.G_ps += by_ns;
    return p;
}

/* Compare with predictions in which nothing happens in another order. @return how many */
static int compare_changes(const struct logp_graph *graph, const struct logp_network *model,
                           const struct logp_explanation *e, uint64_t seed)
{
    uint64_t before[GRAPH_P], after[GRAPH_P];
    int compared = 0;

    cr_assert_eq(evaluated(graph, model, before), e->ns, "seed %lu: %ld, evaluated %ld",
                 (unsigned long)seed, (long)e->ns, (long)evaluated(graph, model, before));
    for (enum logp_parameter p = 0; p <= LOGP_PARAMETER_BYTE; p++)
        for (int64_t by = 1; by <= 1000; by = by * 7 + 2) {
            struct logp_network other = {.params = changed(model->params, p, by)};
            int64_t ns, model_ns;

            if (p == LOGP_PARAMETER_O)
                continue;
            ns = evaluated(graph, &other, after);
            if (memcmp(before, after, sizeof(before)) != 0)
                continue;
            cr_assert_eq(logp_explanation_at(e, p, logp_parameter_ps(p, &other.params), &model_ns),
                         0);
            cr_assert_eq(model_ns, ns, "seed %lu, %s by %ld: %ld, evaluated %ld",
                         (unsigned long)seed, logp_parameter_name(p), (long)by, (long)model_ns,
                         (long)ns);
            compared++;
        }
    return compared;
}

static void check_sum(const struct logp_explanation *e, uint64_t seed)
{
    const struct logp_terms *t = &e->terms;
    const struct logp_params *p = &e->params;

    cr_assert_eq(1000 * (t->L * p->L_ns + t->o_send * p->o_send_ns + t->o_recv * p->o_recv_ns +
                         t->g * p->g_ns + t->compute_ns) +
                     t->bytes * p->G_ps + t->bytes_O * p->O_ps + t->rounding_ps,
                 1000 * e->ns, "seed %lu", (unsigned long)seed);
    for (size_t i = 0; i < e->n_path; i++)
        cr_assert_eq(e->path[i].from_ns, i > 0 ? e->path[i - 1].to_ns : 0, "seed %lu",
                     (unsigned long)seed);
}

/* The explanation of a graph is its evaluation, on several processors and with O, too. */
Test(graph, an_explanation_is_the_evaluation)
{
    int explained = 0, compared = 0;

    for (uint64_t seed = 1; seed <= CASES; seed++) {
        uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
        struct graph *g = calloc(1, sizeof(*g));
        struct logp_network model = {0};
        struct logp_explanation *e;
        struct logp_graph *graph;

        make(g, &random);
        graph = spread(g, &random);
        model.params = some_params(&random);
        model.params.gap_shared = false;
        model.params.recv_streams = true;
        model.params.O_ps = one_in(&random, 2) ? test_below(&random, 3000) : 0;
        if (logp_explanation_of_graph(graph, &model, &e) == 0) {
            check_sum(e, seed);
            compared += compare_changes(graph, &model, e, seed);
            explained++;
            logp_explanation_free(e);
        }
        logp_graph_destroy(graph);
        free(g);
    }
    cr_expect(explained > CASES / 2 && compared > CASES, "%d, %d", explained, compared);
}
