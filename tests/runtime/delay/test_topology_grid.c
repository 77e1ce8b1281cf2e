/* SPDX-License-Identifier: MIT */
/*
 * Grids of any number of dimensions: the routes of a mesh or torus, one coordinate after the other,
 * and the trees that follow their sizes (`mesh`, `torus`).
 */
#include "support.h"

#include <stdio.h>

enum { MOST_DIMENSIONS = 5, MOST_NODES = 200 };

static const uint64_t first_seed = UINT64_C(20030704);

/* ---- routes ---- */

struct grid {
    int n, size[MOST_DIMENSIONS], P;
    bool round;
    struct logp_topology *t;
};

static struct grid random_grid(uint64_t *random)
{
    struct grid g = {.n = 1 + (int)test_below(random, MOST_DIMENSIONS),
                     .round = test_below(random, 2) == 0};
    char spec[64];

    do {
        snprintf(spec, sizeof(spec), "%s", g.round ? "torus" : "mesh");
        g.P = 1;
        for (int i = 0; i < g.n; i++) {
            g.size[i] = 1 + (int)test_below(random, g.n < 3 ? 12 : 5);
            g.P *= g.size[i];
            snprintf(spec + strlen(spec), sizeof(spec) - strlen(spec), "%c%d", i == 0 ? ':' : 'x',
                     g.size[i]);
        }
    } while (g.P > MOST_NODES);
    cr_assert_eq(logp_topology_create(spec, g.P, &g.t), 0, "%s", spec);
    return g;
}

static void place_of(const struct grid *g, int rank, int *place)
{
    for (int i = g->n - 1; i >= 0; rank /= g->size[i--])
        place[i] = rank % g->size[i];
}

static int rank_at(const struct grid *g, const int *place)
{
    int rank = 0;

    for (int i = 0; i < g->n; i++)
        rank = rank * g->size[i] + place[i];
    return rank;
}

/* One hop: the last coordinate that differs changes by one, a tie upwards. */
static int hop(const struct grid *g, int at, int dst)
{
    int from[MOST_DIMENSIONS], to[MOST_DIMENSIONS], i = g->n - 1, up;

    place_of(g, at, from);
    place_of(g, dst, to);
    while (from[i] == to[i])
        i--;
    up = (to[i] - from[i] + g->size[i]) % g->size[i];
    if (g->round ? up <= g->size[i] - up : to[i] > from[i])
        from[i] = (from[i] + 1) % g->size[i];
    else
        from[i] = (from[i] + g->size[i] - 1) % g->size[i];
    return rank_at(g, from);
}

static void check_route(const struct grid *g, int src, int dst)
{
    int at = src, expected = src, link, hops = 0;

    while (expected != dst) {
        int from, to;

        expected = hop(g, expected, dst);
        link = logp_topology_next(g->t, &at, dst);
        cr_assert_eq(at, expected, "%s: %d to %d", logp_topology_spec(g->t), src, dst);
        cr_assert(link >= 0 && link < logp_topology_links(g->t));
        logp_topology_ends(g->t, link, &from, &to);
        cr_assert_eq(to, at);
        hops++;
    }
    cr_assert_eq(logp_topology_next(g->t, &at, dst), -1);
    cr_assert_eq(logp_topology_hops(g->t, src, dst), hops);
}

/* Neighbours, counted one by one: up and down in each dimension, each once. */
static int links_of(const struct grid *g)
{
    int links = 0;

    for (int i = 0; i < g->n; i++)
        if (g->size[i] > 1)
            links += 2 * (g->round && g->size[i] > 2 ? g->P : g->P / g->size[i] * (g->size[i] - 1));
    return links;
}

Test(topology_grid, routes_go_dimension_by_dimension_the_last_first)
{
    uint64_t random = first_seed;

    cr_log_info("seed %llu", (unsigned long long)random);
    for (int i = 0; i < 200 / TEST_SCALE; i++) {
        struct grid g = random_grid(&random);
        int sizes[LOGP_TOPOLOGY_SIZES];

        cr_assert_eq(logp_topology_sizes(g.t, sizes), g.n);
        cr_assert(memcmp(sizes, g.size, (size_t)g.n * sizeof(int)) == 0);
        cr_assert_eq(logp_topology_links(g.t), links_of(&g), "%s", logp_topology_spec(g.t));
        for (int src = 0; src < g.P; src++)
            for (int dst = 0; dst < g.P; dst += 1 + g.P / 40)
                check_route(&g, src, dst);
        logp_topology_destroy(g.t);
    }
}

Test(topology_grid, only_mesh_and_torus_have_sizes)
{
    const struct logp_topology_kind *kind;

    for (size_t i = 0; (kind = logp_topology_kind_at(i)) != NULL; i++) {
        const bool sized = strcmp(kind->name, "mesh") == 0 || strcmp(kind->name, "torus") == 0;
        struct logp_topology *t;
        int sizes[LOGP_TOPOLOGY_SIZES] = {0};

        cr_assert_eq(logp_topology_create(strcmp(kind->name, "dragonfly") == 0 ? "dragonfly:4x2x2"
                                                                               : kind->name,
                                          16, &t),
                     0);
        cr_expect_eq(logp_topology_sizes(t, sizes), sized ? 2 : 0);
        cr_expect(!sized || (sizes[0] == 4 && sizes[1] == 4));
        logp_topology_destroy(t);
    }
}

/* Every size of two, and a spec of the longest form. */
Test(topology_grid, there_may_be_24_dimensions)
{
    static const char two[] = "torus:2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2";
    char longest[256] = "torus:00000002";
    struct logp_topology *t;
    int sizes[LOGP_TOPOLOGY_SIZES];

    cr_assert_eq(logp_topology_create(two, 1 << 24, &t), 0);
    cr_expect_eq(logp_topology_sizes(t, sizes), 24);
    cr_expect_eq(logp_topology_links(t), 24 << 24);
    cr_expect_eq(logp_topology_hops(t, 0, (1 << 24) - 1), 24);
    logp_topology_destroy(t);
    for (int i = 1; i < 24; i++)
        strcat(longest, "x00000001");
    cr_assert_eq(logp_topology_create(longest, 2, &t), 0);
    cr_expect_str_eq(logp_topology_spec(t), longest);
    logp_topology_destroy(t);
}

/* ---- trees ---- */

static const struct logp_algorithm *broadcast(const char *name)
{
    return logp_algorithm_find("broadcast", name);
}

static void children_are(const char *name, const char *spec, int P, int root, int rank,
                         const int *expected, int n)
{
    TEST_TOPOLOGY t = test_topology(spec, P);
    struct logp_invocation c = {.args.root = root, .args.n_bytes = 8, .model.topology = t};

    cr_assert_eq(test_plan(broadcast(name), P, rank, &c), 0);
    cr_assert_eq(c.plan.n_children, n, "%s: %d", spec, c.plan.n_children);
    for (int i = 0; i < n; i++)
        cr_assert_eq(c.plan.children[i], expected[i], "%s: %d", spec, c.plan.children[i]);
    test_unplan(&c);
}

#define CHILDREN(name, spec, P, root, rank, ...)                                                   \
    children_are(name, spec, P, root, rank, (const int[]){__VA_ARGS__},                            \
                 sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

Test(topology_grid, trees_follow_the_sizes_of_the_topology)
{
    CHILDREN("mesh", "mesh:4x4x4", 64, 0, 0, 2, 1, 8, 4, 32, 16);
    CHILDREN("mesh", "mesh:4x4x4", 64, 0, 2, 3, 10, 6, 34, 18);
    CHILDREN("mesh", "mesh:4x4x4", 64, 0, 9, 13, 41, 25);
    CHILDREN("mesh", "mesh:4x4x4", 64, 0, 33, 49);
    CHILDREN("mesh", "mesh:2x8", 16, 9, 9, 13, 11, 8, 1);
    CHILDREN("mesh", "torus:3x2", 6, 3, 3, 2, 1, 5);
    CHILDREN("mesh", "ring", 16, 0, 0, 2, 1, 8, 4); /* no sizes of its own: 4 x 4 */
    CHILDREN("torus", "torus:3x4", 12, 5, 5, 6, 4, 9, 1);
    CHILDREN("torus", "torus:2x5", 10, 0, 0, 1, 4, 5);
    CHILDREN("torus", "torus:5x2", 10, 0, 0, 1, 2, 8);
    CHILDREN("torus", "torus:5x2", 10, 0, 1, 3, 9);
    CHILDREN("torus", "hypercube", 16, 0, 0, 1, 3, 4, 12);
}

static const char *torus_needs(const char *spec, int P)
{
    TEST_TOPOLOGY t = test_topology(spec, P);
    struct logp_invocation c = {.args.n_bytes = 8, .model.topology = t};
    const char *needs;

    needs = test_needs(broadcast("torus"), P, &c);
    cr_expect_eq(test_needs(broadcast("torus-pipelined"), P, &c), needs);
    return needs;
}

Test(topology_grid, a_torus_has_two_dimensions_of_two_or_more)
{
    cr_expect_null(torus_needs("torus:2x8", 16));
    cr_expect_null(torus_needs("torus:7x2", 14));
    cr_expect_null(torus_needs("line", 16));
    cr_expect(torus_needs("torus:1x16", 16) != NULL);
    cr_expect(torus_needs("torus:16x1", 16) != NULL);
    cr_expect(torus_needs("torus:4x2x2", 16) != NULL);
    cr_expect(torus_needs("torus:16", 16) != NULL);
    cr_expect(torus_needs("line", 14) != NULL);
    cr_expect(torus_needs("line", 1) != NULL);
}

/* ---- times ---- */

/* Powers of two, all messages neighbours' or hops that cost nothing: the textbook's log2 of P. */
Test(topology_grid, a_mesh_in_three_dimensions_takes_what_the_textbook_says)
{
    static const struct {
        const char *spec;
        int P;
        int64_t L;
    } cases[] = {{"mesh:2x2x2", 8, 6},   {"mesh:2x2x2x2", 16, 6}, {"mesh:4x4x4", 64, 0},
                 {"mesh:8x8x8", 512, 0}, {"mesh:2x4x8", 64, 0},   {"torus:4x4x4", 64, 0}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct logp_invocation c = {.args.root = cases[i].P / 3,
                                    .args.n_bytes = 8,
                                    .args.count = 1,
                                    .args.op = logp_op_find("sum", "double"),
                                    .model.params = test_params(cases[i].L, 4, 3)};
        TEST_TOPOLOGY t = test_topology(cases[i].spec, cases[i].P);

        c.model.topology = t;
        for (int k = 0; k < 2; k++) {
            const struct logp_prediction p = test_predict(
                logp_algorithm_find(k == 0 ? "broadcast" : "reduce", "mesh"), cases[i].P, &c);

            cr_expect_eq(p.certainty, LOGP_PREDICTION_EXACT);
            cr_expect_eq(p.ns, logp_textbook_cost(cases[i].P, &c.model.params, 8), "%s: %ld",
                         cases[i].spec, (long)p.ns);
        }
    }
}

static struct logp_topology *torus_of(int M, int N)
{
    struct logp_topology *t;
    char spec[32];

    snprintf(spec, sizeof(spec), "torus:%dx%d", M, N);
    cr_assert_eq(logp_topology_create(spec, M * N, &t), 0);
    return t;
}

/* A mesh has no way round: messages there take many hops, and blocks have no prediction. */
Test(topology_grid, the_formula_is_for_a_torus)
{
    static const char *const meshes[] = {"mesh:3x5", "mesh:5x3", "mesh:2x5", "mesh:5x2"};
    struct logp_invocation c = {.args.n_bytes = 8, .model.params = test_params(6, 2, 4)};
    struct logp_topology *t;

    for (int i = 0; i < 4; i++) {
        const int P = i < 2 ? 15 : 10;
        struct logp_prediction on_torus;

        c.model.topology = t = torus_of(meshes[i][5] - '0', meshes[i][7] - '0');
        on_torus = test_predict(broadcast("torus"), P, &c);
        cr_expect_eq(on_torus.certainty, LOGP_PREDICTION_EXACT);
        cr_expect_eq(test_predict(broadcast("torus-pipelined"), P, &c).certainty,
                     LOGP_PREDICTION_EXACT);
        logp_topology_destroy(t);
        cr_assert_eq(logp_topology_create(meshes[i], P, &t), 0);
        c.model.topology = t;
        cr_expect_gt(test_predict(broadcast("torus"), P, &c).ns, on_torus.ns, "%s", meshes[i]);
        cr_expect_eq(test_predict(broadcast("torus-pipelined"), P, &c).by, LOGP_BY_SCHEDULE, "%s",
                     meshes[i]);
        logp_topology_destroy(t);
    }
}

/* From rank 0 of a ring to all others it is P^2 / 4 hops: whether a message waits for a link is
 * looked at for 2^22 of them, and beyond that the time is not said to be exact. */
Test(topology_grid, links_are_looked_at_for_so_many_hops)
{
    for (int P = 4096; P <= 4098; P += 2) {
        TEST_TOPOLOGY t = test_topology("ring", P);
        struct logp_invocation c = {
            .args.n_bytes = 1, .model.params = test_params(6, 2, 4), .model.topology = t};
        struct logp_prediction p;

        p = test_predict_by(broadcast("flat"), P, &c, LOGP_BY_FORMULA);
        cr_expect_eq(p.certainty, P == 4096 ? LOGP_PREDICTION_EXACT : LOGP_PREDICTION_LOWER_BOUND,
                     "P = %d", P);
    }
}

/* Sizes are for as many processors as the topology has; others stand in a square. */
Test(topology_grid, other_numbers_of_processors_are_no_part_of_the_topology)
{
    TEST_TOPOLOGY t = torus_of(3, 5);
    const struct logp_invocation c = {
        .args.n_bytes = 8, .model.topology = t, .model.params = test_params(6, 2, 4)};
    static const char *const names[] = {"mesh", "torus", "torus-pipelined"};

    for (int i = 0; i < 3; i++) {
        cr_expect_null(test_needs(broadcast(names[i]), 15, &c));
        cr_expect_null(test_needs(broadcast(names[i]), 16, &c));
        cr_expect(test_needs(broadcast(names[i]), 14, &c) != NULL);
        cr_expect_eq(test_predict(broadcast(names[i]), 16, &c).certainty, LOGP_PREDICTION_NONE);
        cr_expect_eq(test_predict(broadcast(names[i]), 14, &c).certainty, LOGP_PREDICTION_NONE);
    }
}
