/* SPDX-License-Identifier: MIT */
/*
 * Topologies: routes, the delay model against a simulation of its events, and what it counts.
 */
#include "random_program.h"
#include "support.h"

/* ---- specifications and routes ---- */

static const struct fitting {
    const char *spec;
    int P, links;
} fitting[] = {
    {"line", 1, 0},
    {"line", 2, 2},
    {"line", 9, 16},
    {"ring", 1, 0},
    {"ring", 2, 2},
    {"ring", 3, 6},
    {"ring", 8, 16},
    {"ring", 9, 18},
    {"mesh", 1, 0},
    {"mesh", 16, 48},
    {"mesh:2x3", 6, 14},
    {"mesh:1x5", 5, 8},
    {"mesh:5x1", 5, 8},
    {"torus", 9, 36},
    {"torus:4x4", 16, 64},
    {"torus:2x5", 10, 30},
    {"torus:2x2", 4, 8},
    {"torus:1x6", 6, 12},
    {"torus:5x3", 15, 60},
    {"hypercube", 1, 0},
    {"hypercube", 2, 2},
    {"hypercube", 16, 64},
    {"tree", 1, 0},
    {"tree", 2, 4},
    {"tree", 8, 28},
    {"mesh:3x7", 21, 64},
    {"torus:6x4", 24, 96},
    {"hypercube", 32, 160},
    {"mesh:7", 7, 12},
    {"torus:7", 7, 14},
    {"mesh:1", 1, 0},
    {"torus:1x1x1", 1, 0},
    {"mesh:2x2x2", 8, 24},
    {"torus:2x2x2", 8, 24},
    {"mesh:2x3x4", 24, 92},
    {"torus:2x3x4", 24, 120},
    {"torus:4x2x2", 16, 64},
    {"mesh:3x1x4", 12, 34},
    {"torus:1x5x1x3", 15, 60},
    {"mesh:2x2x2x2", 16, 64},
    {"torus:3x3x3", 27, 162},
    {"mesh:2x1x3x1x2", 12, 40},
    {"torus:5x3x2", 30, 150},
    {"mesh:4x3x2", 24, 92},
    {"fat-tree", 9, 36},
    {"fat-tree:4x4", 16, 64},
    {"fat-tree:3x4", 12, 48},
    {"fat-tree:8", 8, 16},
    {"fat-tree:2x2x2", 8, 48},
    {"fat-tree:3x2x1x2", 12, 96},
    {"dragonfly:3x2x2", 12, 36},
    {"dragonfly:5x4x2", 40, 160},
    {"dragonfly:1x3x2", 6, 18},
    {"dragonfly:2x1x3", 6, 14},
    {"dragonfly:4x3x1", 12, 60},
};

enum { N_FITTING = sizeof(fitting) / sizeof(fitting[0]) };

static struct logp_topology *make(const char *spec, int P)
{
    struct logp_topology *t = NULL;

    cr_assert_eq(logp_topology_create(spec, P, &t), 0);
    cr_assert_str_eq(logp_topology_spec(t), spec);
    cr_assert_eq(logp_topology_size(t), P);
    return t;
}

Test(topology, wrong_specifications_say_what_is_needed)
{
    static const struct {
        const char *spec;
        int64_t P;
        const char *says;
    } wrong[] = {
        {"", 8, "one of"},
        {"rin", 8, "one of"},
        {"rings", 8, "one of"},
        {"ring ", 8, "one of"},
        {":4x2", 8, "one of"},
        {"ring:8", 8, "no sizes"},
        {"line:", 8, "no sizes"},
        {"mesh", 8, "square"},
        {"mesh:", 8, "sizes"},
        {"mesh", 3, "square"},
        {"torus", 15, "square"},
        {"mesh:4", 8, "product"},
        {"mesh:4x", 8, "1 to 24"},
        {"mesh:x2", 8, "1 to 24"},
        {"mesh:2xx4", 8, "1 to 24"},
        {"mesh:4x2x", 8, "1 to 24"},
        {"mesh:4x2x2", 8, "product"},
        {"mesh:2x2", 8, "product"},
        {"mesh:4x2x1:", 8, "1 to 24"},
        {"mesh:4X2", 8, "1 to 24"},
        {"mesh:4x-2", 8, "1 to 24"},
        {"mesh:0x8", 8, "1 to 24"},
        {"mesh:8x0", 8, "1 to 24"},
        {"torus:2x2x2x0", 8, "1 to 24"},
        {"mesh:123456789x1", 123456789, "1 .. 16777216"},
        {"mesh:000000004x2", 8, "sizes"},
        {"mesh:4x3", 8, "product"},
        {"mesh:65536x65536", 8, "product"},
        {"torus:99999999x99999999x99999999", 8, "product"},
        {"mesh:65536x65536x1x1", 1, "product"}, /* 2^32 */
        {"mesh:4294967296", 1, "1 to 24"},
        {"mesh:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", 1, "1 to 24"}, /* 25 */
        {"torus:3x3", 8, "product"},
        {"hypercube", 6, "power of two"},
        {"tree", 7, "power of two"},
        {"tree:2", 8, "no sizes"},
        {"fat-tree", 8, "square"},
        {"fat-tree:2x3", 8, "product"},
        {"fat-tree:2y4", 8, "1 to 24"},
        {"dragonfly", 8, "groups, routers"},
        {"dragonfly:2x4", 8, "groups, routers"},
        {"dragonfly:2x2x2x1", 8, "groups, routers"},
        {"dragonfly:3x2x2", 8, "product"},
        {"dragonfly:16777216x1x1", 16777216, "links"},
        {"line", 0, "1 .. 16777216"},
        {"line", -1, "1 .. 16777216"},
        {"line", LOGP_MAX_PROCESSORS + 1, "1 .. 16777216"},
        {"line", INT64_C(1) << 40, "1 .. 16777216"},
    };
    struct logp_topology *t;

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const char *needs = logp_topology_needs(wrong[i].spec, wrong[i].P);

        cr_assert(needs != NULL && strstr(needs, wrong[i].says) != NULL, "%s", wrong[i].spec);
        cr_assert_eq(logp_topology_create(wrong[i].spec, wrong[i].P, &t), -EINVAL);
    }
    cr_expect_str_eq(logp_topology_kind_at(0)->name, "line");
    cr_expect_str_eq(logp_topology_kind_at(5)->name, "tree");
    cr_expect_str_eq(logp_topology_kind_at(7)->name, "dragonfly");
    cr_expect_null(logp_topology_kind_at(8));
    cr_expect_null(logp_topology_kind_at(SIZE_MAX));
    logp_topology_destroy(NULL);
}

/* Hops from src to all nodes, by breadth-first search over the links alone. */
static void search(const struct logp_topology *t, int src, int *far, int n_nodes)
{
    int changed = 1;

    for (int i = 0; i < n_nodes; i++)
        far[i] = i == src ? 0 : 1000000;
    for (int round = 0; changed; round++) {
        changed = 0;
        for (int l = 0; l < logp_topology_links(t); l++) {
            int from, to;

            logp_topology_ends(t, l, &from, &to);
            cr_assert(from >= 0 && from < n_nodes && to >= 0 && to < n_nodes && from != to);
            if (far[from] == round && far[to] > round + 1) {
                far[to] = round + 1;
                changed = 1;
            }
        }
    }
}

static void check_routes(const struct fitting *f)
{
    TEST_TOPOLOGY t = make(f->spec, f->P);
    int links[64], far[64];

    cr_assert_eq(logp_topology_links(t), f->links, "%s %d: %d", f->spec, f->P,
                 logp_topology_links(t));
    for (int src = 0; src < f->P; src++) {
        search(t, src, far, 64);
        for (int dst = 0; dst < f->P; dst++) {
            const int n = logp_topology_route(t, src, dst, links, 64);
            int at = src;

            cr_assert_eq(n, far[dst], "%s: %d to %d in %d", f->spec, src, dst, n);
            cr_assert_eq(logp_topology_hops(t, src, dst), n);
            cr_assert_eq(logp_topology_route(t, src, dst, NULL, 0), n);
            for (int i = 0; i < n; i++) {
                int from, to;

                logp_topology_ends(t, links[i], &from, &to);
                cr_assert_eq(from, at);
                at = to;
            }
            cr_assert_eq(at, dst);
        }
    }
    /* no two links lead the same way */
    for (int a = 0; a < f->links; a++)
        for (int b = 0; b < a; b++) {
            int from_a, to_a, from_b, to_b;

            logp_topology_ends(t, a, &from_a, &to_a);
            logp_topology_ends(t, b, &from_b, &to_b);
            cr_assert(from_a != from_b || to_a != to_b, "%s: %d %d", f->spec, a, b);
        }
}

Test(topology, routes_are_the_shortest)
{
    for (int i = 0; i < N_FITTING; i++)
        check_routes(&fitting[i]);
}

/* The nodes on the way from src to dst are these. */
static void passes(const char *spec, int P, int src, int dst, const int *nodes, int n)
{
    TEST_TOPOLOGY t = make(spec, P);
    int at = src;

    for (int i = 0; i < n; i++) {
        cr_assert_geq(logp_topology_next(t, &at, dst), 0);
        cr_assert_eq(at, nodes[i], "%s: %d instead of %d", spec, at, nodes[i]);
    }
    cr_assert_eq(logp_topology_next(t, &at, dst), -1);
}

#define PASSES(spec, P, src, dst, ...)                                                             \
    passes(spec, P, src, dst, (const int[]){__VA_ARGS__},                                          \
           sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

/* Of meshes and toruses: test_topology_grid.c. */
Test(topology, ties_go_up_and_the_lowest_bit_comes_first)
{
    PASSES("ring", 8, 6, 2, 7, 0, 1, 2);
    PASSES("ring", 8, 6, 3, 5, 4, 3);
    PASSES("ring", 2, 1, 0, 0);
    PASSES("hypercube", 8, 1, 6, 0, 2, 6);
    PASSES("fat-tree:2x2", 4, 0, 3, 4, 7, 5, 3); /* over the switch of the last digit */
    PASSES("fat-tree:2x2", 4, 1, 2, 4, 6, 5, 2);
    PASSES("dragonfly:5x2x2", 20, 0, 19, 20, 21, 28, 29, 19); /* the links 0-4 and 4-0 */
    PASSES("dragonfly:5x2x2", 20, 18, 13, 29, 27, 26, 13);
    PASSES("tree", 8, 0, 4, 8 + 3, 8 + 1, 8 + 0, 8 + 2, 8 + 5, 4);
    PASSES("tree", 8, 5, 4, 8 + 5, 4);
}

/* ---- the model against it ---- */

static struct logp_params random_params(uint64_t *state)
{
    static const int64_t few[] = {0, 0, 1, 2, 3, 5, 7, 11, 20, 100};
    struct logp_params p = {0};

    p.L_ns = few[test_random(state) % 10];
    p.o_send_ns = few[test_random(state) % 9];
    p.o_recv_ns = few[test_random(state) % 9];
    p.g_ns = few[test_random(state) % 10];
    p.G_ps = test_random(state) % 2 == 0 ? 0 : (int64_t)(test_random(state) % 5000);
    p.gap_shared = test_random(state) % 4 == 0;
    return p;
}

/* Those of the table that a machine of ours can have. */
static const struct fitting *random_fitting(uint64_t *state)
{
    const struct fitting *f;

    do
        f = &fitting[test_random(state) % N_FITTING];
    while (f->P > MOST_RANKS || f->P < 2);
    return f;
}

/* One program, twice on one machine and once in the simulation. @return how long messages waited */
static int64_t run_and_simulate(const struct random_program *g)
{
    static struct random_run run;
    static struct random_outcome expected;
    const struct logp_network network = {
        .params = g->params, .topology = g->topology, .ports = g->ports};
    struct logp_delay delay;
    TEST_MACHINE m = NULL;
    struct logp_link_use use;

    cr_assert_eq(logp_network_delay(&network, g->P, NULL, &delay, NULL), 0);
    m = test_machine_of(g->P, LOGP_CLOCK_VIRTUAL, delay);
    cr_assert_eq(random_simulate(g, &expected), 0);
    run.g = g;
    for (int again = 0; again < 2; again++) {
        cr_assert_eq(logp_machine_run(m, random_run, &run, test_timeout_ns), 0);
        cr_assert_eq(random_differ(g, &run.out, &expected), NONE, "%s: rank %d",
                     logp_topology_spec(g->topology), random_differ(g, &run.out, &expected));
        cr_assert_eq(logp_link_use(m, -1, &use), 0);
        cr_assert_eq(use.messages, expected.use.messages);
        cr_assert_eq(use.busy_ns, expected.use.busy_ns);
        cr_assert_eq(use.waited_ns, expected.use.waited_ns);
    }
    return expected.use.waited_ns;
}

static struct random_program program;

Test(topology, the_model_is_the_simulation_of_its_events)
{
    uint64_t state = 20031;
    int contended = 0;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 3000 / test_divisor(); i++) {
        const struct fitting *f = random_fitting(&state);
        TEST_TOPOLOGY t = make(f->spec, f->P);
        const struct logp_params params = random_params(&state);

        random_generate_rounds(&program, &state, t, false);
        program.params = params;
        program.ports = i % 3 == 0 ? 1 + i % 4 : 0;
        contended += run_and_simulate(&program) > 0;
    }
    cr_log_info("%d contended", contended);
    cr_expect_gt(contended, 1000 / test_divisor());
}

/* Over one link, what is sent by one processor is never held up: this is LogGP. */
Test(topology, messages_to_neighbours_cost_what_loggp_says)
{
    static struct random_run plain, linked;
    uint64_t state = 7043;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 1000 / test_divisor(); i++) {
        const struct fitting *f = random_fitting(&state);
        struct logp_topology *t = make(f->spec, f->P);
        const struct logp_params params = random_params(&state);
        int node = 0;

        logp_topology_next(t, &node, 1);
        if (node >= f->P) { /* a switch: no two processors are neighbours */
            logp_topology_destroy(t);
            continue;
        }
        random_generate_rounds(&program, &state, t, true);
        plain.g = linked.g = &program;
        test_run(test_machine(f->P, LOGP_CLOCK_VIRTUAL, &params), random_run, &plain);
        test_run(test_machine_of(f->P, LOGP_CLOCK_VIRTUAL, test_on_links(t, &params)), random_run,
                 &linked);
        cr_assert_eq(random_differ(&program, &linked.out, &plain.out), NONE, "%s", f->spec);
        logp_topology_destroy(t);
    }
}

/* ---- by hand ---- */

static int all_to_the_last(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp), last = logp_vp_size(vp) - 1;
    int64_t *arrival = arg;

    if (me < last)
        return logp_send(vp, last, 0, NULL, 0);
    for (int i = 0; i < last; i++) {
        struct logp_status s;

        TRY(logp_recv(vp, i, 0, NULL, 0, &s));
        arrival[i] = s.arrival_ns;
    }
    return 0;
}

/* 0, 1, 2 send to 3 at once: all on link 2 -> 3, which they enter at 12, 16, 20; on 1 -> 2 the
 * message of 1 waits from 0 for that of 0, which enters at 6. */
Test(topology, sends_contend_for_a_link_in_their_order)
{
    const struct logp_params params = test_params(6, 0, 4);
    TEST_TOPOLOGY t = make("line", 4);
    TEST_MACHINE m = test_machine_of(4, LOGP_CLOCK_VIRTUAL, test_on_links(t, &params));
    struct logp_link_use use;
    int64_t arrival[3];

    cr_assert_eq(logp_machine_run(m, all_to_the_last, arrival, test_timeout_ns), 0);
    cr_expect_eq(arrival[0], 18);
    cr_expect_eq(arrival[1], 22);
    cr_expect_eq(arrival[2], 26);
    cr_assert_eq(logp_link_busiest(m, &use), 0);
    cr_expect_eq(use.link, 2);
    cr_expect_eq(use.messages, 3);
    cr_expect_eq(use.busy_ns, 12);
    cr_expect_eq(use.waited_ns, 20); /* 0, 0 and 20 */
    cr_assert_eq(logp_link_use(m, 1, &use), 0);
    cr_expect_eq(use.waited_ns, 10);
    cr_expect_eq(logp_link_use(m, 6, &use), -EINVAL);
    cr_expect_eq(logp_link_use(m, -2, &use), -EINVAL);
}

static int from_the_last(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp), last = logp_vp_size(vp) - 1;
    int rc = 0;

    if (me == 0) {
        struct logp_status s;

        rc = logp_recv(vp, last, 0, NULL, 0, &s);
        *(int64_t *)arg = s.arrival_ns;
    }
    return me == last ? logp_send(vp, 0, 0, NULL, 0) : rc;
}

/* Of those that passed as many the lowest is the busiest; between neighbours nobody waits. */
Test(topology, the_busiest_link_is_the_first_of_equals)
{
    const struct logp_params params = test_params(6, 0, 4);
    TEST_TOPOLOGY t = make("line", 4);
    TEST_MACHINE m = test_machine_of(4, LOGP_CLOCK_VIRTUAL, test_on_links(t, &params));
    struct logp_link_use use;
    int64_t arrival;

    cr_assert_eq(logp_machine_run(m, from_the_last, &arrival, test_timeout_ns), 0);
    cr_expect_eq(arrival, 18);
    cr_assert_eq(logp_link_busiest(m, &use), 0);
    cr_expect_eq(use.link, 3); /* the first that leads down */
    cr_expect_eq(use.messages, 1);
    cr_expect_eq(use.busy_ns, 4);
    for (int link = 0; link < 6; link++) {
        cr_assert_eq(logp_link_use(m, link, &use), 0);
        cr_expect_eq(use.link, link);
        cr_expect_eq(use.messages, link < 3 ? 0 : 1);
        cr_expect_eq(use.waited_ns, 0);
    }
    cr_assert_eq(logp_link_use(m, -1, &use), 0);
    cr_expect_eq(use.link, -1);
    cr_expect_eq(use.busy_ns, 12);
    /* to a node of the topology from one beyond it: plain LogGP */
    test_run(test_machine_of(5, LOGP_CLOCK_VIRTUAL, test_on_links(t, &params)), from_the_last,
             &arrival);
    cr_expect_eq(arrival, 6);
}

/* With room for one message on the wire, 1 cannot send before that of 0 is there, at 12. What it
 * tried before has not taken the link: it enters at 106, when the link has been free for others. */
Test(topology, a_send_that_finds_no_room_leaves_its_links_free)
{
    struct logp_params params = test_params(6, 0, 100);
    struct logp_topology *t = make("line", 3);
    struct logp_delay delay;
    struct logp_machine *m;
    struct logp_link_use use;
    int64_t arrival[2];

    params.capacity = 1;
    delay = test_on_links(t, &params);
    m = test_machine_of(3, LOGP_CLOCK_VIRTUAL, delay);
    cr_assert_eq(logp_machine_run(m, all_to_the_last, arrival, test_timeout_ns), 0);
    cr_expect_eq(arrival[0], 12);
    cr_expect_eq(arrival[1], 112);
    cr_assert_eq(logp_link_use(m, -1, &use), 0);
    cr_expect_eq(use.messages, 3);
    cr_expect_eq(use.busy_ns, 300);
    cr_expect_eq(use.waited_ns, 94);
    cr_assert_eq(logp_machine_destroy(m), 0);
    logp_topology_destroy(t);
}

static int thrice(struct logp_vp *vp, void *arg)
{
    int64_t(*took)[3] = arg;

    for (int i = 0; i < 3; i++) {
        int64_t arrival[8], start;

        TRY(logp_sync(vp, &start));
        TRY(all_to_the_last(vp, arrival));
        took[logp_vp_rank(vp)][i] = logp_now(vp) - start;
    }
    return 0;
}

/* The links are still taken when the last is received: o_recv = 0 < g. */
Test(topology, links_are_free_at_a_common_start_and_counts_go_on)
{
    const struct logp_params params = test_params(6, 0, 400);
    TEST_TOPOLOGY t = make("ring", 5);
    TEST_MACHINE m = test_machine_of(5, LOGP_CLOCK_VIRTUAL, test_on_links(t, &params));
    struct logp_link_use use;
    int64_t took[5][3];

    for (int again = 0; again < 2; again++) {
        cr_assert_eq(logp_machine_run(m, thrice, took, test_timeout_ns), 0);
        for (int i = 1; i < 3; i++)
            cr_expect_eq(took[4][i], took[4][0]);
        cr_assert_eq(logp_link_use(m, -1, &use), 0);
        cr_expect_eq(use.messages, 3 * (1 + 2 + 2 + 1));
    }
}

static int to_oneself(struct logp_vp *vp, void *arg)
{
    struct logp_status s;
    char c;

    TRY(logp_send(vp, logp_vp_rank(vp), 0, "x", 1));
    TRY(logp_recv(vp, logp_vp_rank(vp), 0, &c, 1, &s));
    *(int64_t *)arg = s.arrival_ns;
    return 0;
}

Test(topology, a_message_to_oneself_or_beyond_uses_no_link)
{
    TEST_TOPOLOGY t = make("hypercube", 1);
    TEST_MACHINE m = test_machine_of(1, LOGP_CLOCK_VIRTUAL, test_on_links(t, &test_6ns));
    struct logp_link_use use;
    int64_t arrival[8];

    cr_assert_eq(logp_machine_run(m, to_oneself, arrival, test_timeout_ns), 0);
    cr_expect_eq(arrival[0], 2);
    cr_assert_eq(logp_link_busiest(m, &use), 0);
    cr_expect_eq(use.link, -1);
    /* a machine larger than the topology: plain LogGP */
    test_run(test_machine_of(4, LOGP_CLOCK_VIRTUAL, test_on_links(t, &test_6ns)), all_to_the_last,
             arrival);
    cr_expect_eq(arrival[0], 8);
}

Test(topology, a_model_without_parameters_has_no_links)
{
    TEST_TOPOLOGY t = make("ring", 4);
    struct logp_delay none = logp_delay_none(), out;
    const struct logp_params params = test_params(1, 1, 1);
    struct logp_link_use use;

    cr_expect_eq(logp_topology_delay(t, none, &out), -EINVAL);
    for (int delayed = 0; delayed < 2; delayed++) {
        TEST_MACHINE m = test_machine(4, LOGP_CLOCK_VIRTUAL, delayed ? &params : NULL);

        cr_expect_eq(logp_link_use(m, -1, &use), -EINVAL);
        cr_expect_eq(logp_link_busiest(m, &use), -EINVAL);
        cr_assert_eq(logp_machine_set_delay(m, test_on_links(t, &params), 0), 0);
        cr_expect_eq(logp_link_use(m, -1, &use), 0);
        cr_expect_eq(logp_link_busiest(m, &use), 0);
    }
}

/* Real time: all arrives, and every message is counted on every link. */
Test(topology, it_runs_on_the_wall_clock)
{
    const struct logp_params params = test_params(2000, 500, 1000);
    TEST_TOPOLOGY t = make("torus:2x3", 6);
    TEST_MACHINE m = test_machine_of(6, LOGP_CLOCK_WALL, test_on_links(t, &params));
    struct logp_link_use use;
    static struct random_run run = {.g = &program};
    uint64_t state = 99, hops = 0;

    random_generate_rounds(&program, &state, t, false);
    for (int v = 0; v < program.P; v++)
        for (int i = 0; i < program.n_ops[v]; i++)
            if (program.ops[v][i].kind == SEND)
                hops += (uint64_t)logp_topology_hops(t, v, program.ops[v][i].peer);
    for (int again = 0; again < 5; again++) {
        cr_assert_eq(logp_machine_run(m, random_run, &run, test_timeout_ns), 0);
        cr_assert_eq(logp_link_use(m, -1, &use), 0);
        cr_assert_eq(use.messages, hops);
    }
}
