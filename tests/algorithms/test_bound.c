/* SPDX-License-Identifier: MIT */
/*
 * Lower bounds: no algorithm is ever predicted to be faster, under any model that has one. That
 * nothing else is faster either is shown for few processors in test_optimum.c.
 */
#include "drawn_links.h"
#include <logp/paper.h>

enum { CASES = 12000, LARGE = 2000, LINKED = 6000, NETWORKS = 4000 };

/* By collective: cases with a prediction, and of them those where the bound is met. */
struct count {
    int seen, met;
};

static int64_t bound_of(const char *collective, int64_t P, const struct logp_invocation *c)
{
    return logp_collective_lower_bound(collective, P, &c->args, &c->model);
}

/* No row of the collective is predicted to be below the bound. */
static void check_rows(const struct drawn *d, enum logp_basis by, struct count *count)
{
    const int64_t least = bound_of(d->collective->name, d->P, &d->call);
    const struct logp_algorithm *a;
    int seen = 0, met = 0;

    for (size_t i = 0; (a = logp_algorithm_at(d->collective->name, i)) != NULL; i++) {
        const struct logp_prediction p = test_predict_by(a, d->P, &d->call, by);

        if (p.certainty == LOGP_PREDICTION_NONE)
            continue;
        if (p.certainty != LOGP_PREDICTION_LOWER_BOUND && p.ns < least)
            describe(d, a->name);
        cr_assert(p.certainty == LOGP_PREDICTION_LOWER_BOUND || p.ns >= least,
                  "%s %s: %ld, and nothing is below %ld", a->collective, a->name, (long)p.ns,
                  (long)least);
        seen = 1;
        met |= p.certainty == LOGP_PREDICTION_EXACT && p.ns == least && least > 0;
    }
    count->seen += seen && least > 0;
    count->met += met;
}

static size_t index_of(const struct logp_collective *collective)
{
    size_t i = 0;

    while (logp_collective_at(i) != collective)
        i++;
    return i;
}

static void report(const struct count counts[64])
{
    const struct logp_collective *what;

    for (size_t i = 0; (what = logp_collective_at(i)) != NULL; i++) {
        cr_log_info("%-14s met in %5d of %5d", what->name, counts[i].met, counts[i].seen);
        cr_assert(counts[i].seen >= 20 / TEST_SCALE, "%s: %d cases", what->name, counts[i].seen);
    }
}

/* Now and then more processors than a drawn case has, the sends of some messages waiting, the gap
 * shared, and any k. */
static void vary(struct drawn *d, uint64_t *random)
{
    if (d->call.args.blocks == NULL && one_in(random, 8))
        d->P += (int)below(random, 65 - d->P);
    if (d->call.args.blocks == NULL && one_in(random, 2))
        d->call.args.root = (int)below(random, d->P);
    if (one_in(random, 6))
        d->call.model.rendezvous_from = 1 + below(random, 40);
    if (one_in(random, 4))
        d->call.model.params.gap_shared = true;
    if (one_in(random, 4))
        d->call.args.k = 1 + below(random, 9);
}

/* With cheaper links, or without a network, the bound is not higher; mostly it is lower. */
static bool is_higher(const struct drawn *d)
{
    struct logp_invocation plain = d->call;
    int64_t least, cheapest;

    if (plain.model.links != NULL)
        logp_links_least(plain.model.links, &plain.model.params, &plain.model.params);
    plain.model.links = NULL;
    plain.model.topology = NULL;
    least = bound_of(d->collective->name, d->P, &d->call);
    cheapest = bound_of(d->collective->name, d->P, &plain);
    cr_assert(least >= cheapest || least < 0);
    return least > cheapest;
}

/* Change a drawn case. @return it is a case of this kind */
typedef bool (*change)(struct drawn *d, uint64_t *random);

static bool as_drawn(struct drawn *d, uint64_t *random)
{
    if (d->topology == NULL && d->seed % 4 == 0)
        d->P += 24; /* up to 64 */
    return true;
}

static bool put_on_links(struct drawn *d, uint64_t *random)
{
    logp_topology_destroy(d->topology);
    d->call.model.topology = d->topology = NULL;
    vary(d, random);
    d->call.model.links = draw_links(d->P, random);
    d->call.model.params.capacity = 0;
    return true;
}

static bool put_on_a_network(struct drawn *d, uint64_t *random)
{
    if (d->call.model.params.latency_varies)
        return false;
    if (d->topology == NULL) {
        vary(d, random);
        d->topology = some_topology(random, d->P);
    }
    d->call.model.topology = d->topology;
    return true;
}

/* @return in how many of these cases the bound is higher than without links */
static int check_cases(int cases, change make)
{
    struct count counts[64] = {0};
    int higher = 0;

    cr_log_info("cases 1 to %d, each its own seed", cases);
    for (int seed = 1; seed <= cases; seed++) {
        struct drawn d = draw((uint64_t)seed);
        uint64_t random = (uint64_t)seed * UINT64_C(0xd1342543de82ef95) | 1;

        if (make(&d, &random)) {
            check_rows(&d, LOGP_BY_EITHER, &counts[index_of(d.collective)]);
            higher += is_higher(&d);
        }
        drawn_free(&d);
    }
    report(counts);
    cr_log_info("%d higher than that of the cheapest link", higher);
    return higher;
}

Test(bound, no_prediction_is_below_it)
{
    check_cases(CASES / TEST_SCALE, as_drawn);
}

Test(bound, nor_over_links)
{
    cr_assert_geq(check_cases(LINKED / TEST_SCALE, put_on_links), LINKED / TEST_SCALE / 4);
}

Test(bound, nor_on_a_network)
{
    cr_assert_geq(check_cases(NETWORKS / TEST_SCALE, put_on_a_network), NETWORKS / TEST_SCALE / 6);
}

/* Formulas hold up to 2^61; d.P of a drawn case is an int. */
Test(bound, nor_at_any_size)
{
    uint64_t random = 77;
    int seen = 0;

    cr_log_info("seed %llu", (unsigned long long)random);
    for (int i = 0; i < LARGE; i++) {
        struct drawn d = draw(1 + (uint64_t)test_below(&random, 100000));
        const int64_t root = 1 + test_below(&random, INT64_C(1) << (1 + test_below(&random, 30)));
        const int64_t P = i % 3 == 0   ? INT64_C(1) << test_below(&random, 61)
                          : i % 3 == 1 ? root * root
                                       : test_below(&random, INT64_C(1000000000000000000)) + 1;
        const struct logp_algorithm *a;
        int64_t least;

        if (d.collective->operands == LOGP_OPERANDS_TOTAL)
            d.call.args.count = 1 + test_below(&random, INT64_C(1) << test_below(&random, 50));
        d.call.args.root = 0;
        d.call.model.topology = NULL;
        least = bound_of(d.collective->name, P, &d.call);
        for (size_t k = 0; (a = logp_algorithm_at(d.collective->name, k)) != NULL; k++) {
            const struct logp_prediction p = test_predict_by(a, P, &d.call, LOGP_BY_FORMULA);

            if (p.certainty == LOGP_PREDICTION_NONE)
                continue;
            seen += least > 0;
            if (p.ns < least)
                describe(&d, a->name);
            cr_assert_geq(p.ns, least, "P %ld, %s %s: %ld, and nothing is below %ld", (long)P,
                          a->collective, a->name, (long)p.ns, (long)least);
        }
        logp_topology_destroy(d.topology);
    }
    cr_assert_geq(seen, LARGE / 2);
}

Test(bound, is_none_where_latencies_vary)
{
    struct logp_invocation c = {.args.n_bytes = 8, .model.params = test_params(6, 2, 4)};

    cr_expect_eq(bound_of("broadcast", 8, &c), 24);
    c.model.params.latency_varies = true;
    cr_expect_eq(bound_of("broadcast", 8, &c), -1);
    cr_expect_eq(bound_of("broadcast", 1, &c), 0);
    c.model.params.L_ns = 0;
    cr_expect_eq(bound_of("broadcast", 8, &c), 12);
    c.model.params = test_params(6, 2, 4);
    cr_expect_eq(bound_of("schedule", 8, &c), -1);
    cr_expect_eq(bound_of("nonsense", 8, &c), -1);
    cr_expect_eq(bound_of("broadcast", 0, &c), -1);
    cr_expect_eq(bound_of("broadcast", LOGP_TREE_MAX + 1, &c), -1);
    cr_expect_eq(logp_collective_lower_bound("broadcast", 8, &c.args, NULL), 0);
    c.args.count = -1;
    cr_expect_eq(bound_of("reduce", 8, &c), -1);
    c.args.count = INT64_MAX;
    c.args.op = logp_op_find("sum", "double");
    cr_expect_eq(bound_of("matvec", 9, &c), 10 + 14);
    c.model.params.G_ps = 100; /* 8 bytes to each of 10^18 */
    cr_expect_eq(bound_of("scatter", 1000000000000000000, &c), 10 + 800000000000000000);
    c.model.params = test_params(LOGP_PARAM_MAX_NS, LOGP_PARAM_MAX_NS, LOGP_PARAM_MAX_NS);
    cr_expect_eq(bound_of("broadcast", 1000, &c), 20 * LOGP_PARAM_MAX_NS);
    c.model.params.G_ps = LOGP_PARAM_MAX_NS;
    c.args.n_bytes = SIZE_MAX;
    cr_expect_eq(bound_of("broadcast", 8, &c), -1);
}

/* By hand, in ns: inside a node L = 6, o = 2, g = 4 and so d = 10, between nodes d = 5 + 60 + 5. */
Test(bound, follows_its_derivation_between_nodes)
{
    const struct logp_link_costs between = {60, 5, 5, 10, LOGP_AS_BEFORE},
                                 far = {600, 5, 5, 10, LOGP_AS_BEFORE};
    struct logp_invocation c = {
        .args = {.n_bytes = 8, .count = 1, .op = logp_op_find("sum", "double")},
        .model.params = test_params(6, 2, 4)};
    struct logp_links *two, *four;

    cr_assert_eq(logp_links_create(2, &two), 0);
    cr_assert_eq(logp_links_nodes(two, 1, &between), 0);
    c.model.links = two;
    cr_expect_eq(bound_of("broadcast", 2, &c), 70);
    cr_assert_eq(logp_links_create(32, &four), 0);
    cr_assert_eq(logp_links_nodes(four, 8, &between), 0);
    c.model.links = four;
    /* The eight of the root's node hear at 0, 10, 14, 18, 20, 22, 24, 24, each tells others from
     * then on, 10 apart, and these tell others, 4 apart: 1 at 70, 3 at 80, 2 at 84, 2 at 88, 6 at
     * 90, 2 at 92, 8 at 94. */
    cr_expect_eq(bound_of("broadcast", 32, &c), 94);
    cr_expect_eq(bound_of("reduce", 32, &c), 94);
    cr_expect_eq(bound_of("barrier", 32, &c), 94);
    cr_expect_eq(bound_of("scan", 32, &c), 94);
    c.model.params.G_ps = 1000;
    cr_assert_eq(logp_links_nodes(four, 8, &far), 0);
    cr_expect_eq(bound_of("scatter", 32, &c), 610 + 191);    /* 24 x 8 bytes, all after the first */
    cr_expect_eq(bound_of("gather", 32, &c), 610 + 191 - 3); /* the last may end 3 sooner, inside */
    logp_links_destroy(two);
    logp_links_destroy(four);
}

/* A rank that only the way over another brings near: 0 to 2 takes 104, 0 to 1 to 2 takes 10 + 10.
 */
Test(bound, counts_relays)
{
    TEST_LINKS links = test_links(3);
    const struct logp_rank_range zero = {0, 0}, other = {2, 2};
    const struct logp_link_costs slow = {100, -1, -1, -1, -1};
    struct logp_invocation c = {.args.n_bytes = 8, .model.params = test_params(6, 2, 4)};

    cr_assert_eq(logp_links_set(links, &(struct logp_ranks){&zero, 1},
                                &(struct logp_ranks){&other, 1}, &slow),
                 0);
    c.model.links = links;
    cr_expect_eq(bound_of("broadcast", 3, &c), 20);
    c.args.root = 2;
    cr_expect_eq(bound_of("broadcast", 3, &c), 14); /* not back */
}

/* Receipts start a gap apart, but where o_recv differs they may end closer: 0 sends a byte to 1,
 * received from 3 to 5, and one to 2, which sends it on; with 0 to receive it, that ends when it
 * starts, at 5 or later. */
Test(bound, receipts_may_end_closer_than_they_start)
{
    TEST_LINKS links = test_links(3);
    const struct logp_link_costs costs[3][3] = {
        {{1, 1, 2, 2, 3000}, {1, 2, 2, 2, 2000}, {2, 1, 1, 1, 3000}},
        {{2, 2, 2, 0, 0}, {3, 2, 1, 3, 3000}, {2, 2, 2, 0, 0}},
        {{4, 2, 2, 2, 1000}, {1, 0, 0, 2, 3000}, {1, 2, 2, 2, 0}},
    };
    struct logp_invocation c = {.args.n_bytes = 3, .model.params = test_params(1, 1, 2)};

    for (int i = 0; i < 9; i++) {
        const struct logp_rank_range src = {i / 3, i / 3}, dst = {i % 3, i % 3};

        cr_assert_eq(logp_links_set(links, &(struct logp_ranks){&src, 1},
                                    &(struct logp_ranks){&dst, 1}, &costs[i / 3][i % 3]),
                     0);
    }
    c.model.links = links;
    cr_expect_leq(bound_of("broadcast", 3, &c), 8); /* a schedule of 8 was found by search */
}

/* L = 6, o = 2, g = 4, on a line of 8. */
Test(bound, follows_its_derivation_on_a_network)
{
    TEST_TOPOLOGY line = test_topology("line", 8);
    struct logp_invocation c = {
        .args.n_bytes = 8, .model.params = test_params(6, 2, 4), .model.topology = line};

    cr_expect_eq(bound_of("broadcast", 8, &c), 2 + 7 * 6 + 2);
    c.args.root = 4;
    cr_expect_eq(bound_of("broadcast", 8, &c), 2 + 4 * 6 + 2);
    cr_expect_eq(bound_of("barrier", 8, &c), 2 + 7 * 6 + 2);
    c.model.params.G_ps = 1000; /* 7 more bytes leave the root */
    cr_expect_geq(bound_of("broadcast", 8, &c), 2 + 4 * 6 + 2 + 7);
    /* 4 x 4 x 8 bytes cross the link in the middle: 25 messages take 128 - 25 at least, 26 take
     * 26 x 4, and nothing is held up by the last. */
    cr_expect_eq(bound_of("alltoall", 8, &c), 2 + 103 + 6 + 2 - 4);
    c.model.params.store_forward = true; /* 128 bytes, one after the other */
    cr_expect_eq(bound_of("alltoall", 8, &c), 2 + 128 + 6 + 2 - 3);
}

/* Each by hand, in ns: L = 6, o = 2, g = 4 and so d = 10. */
Test(bound, follows_its_derivation)
{
    struct logp_invocation c = {
        .args = {.n_bytes = 8, .count = 1, .op = logp_op_find("sum", "double")},
        .model.params = test_params(6, 2, 4)};
    struct logp_params *p = &c.model.params;

    p->G_ps = 1000;                                      /* w(8) = 4 + 7 */
    cr_expect_geq(bound_of("broadcast", 8, &c), 24 + 7); /* growth is more: bound_terms */
    cr_expect_geq(bound_of("scatter", 8, &c), 10 + 55);  /* as are items */
    cr_expect_geq(bound_of("gather", 8, &c), 10 + 55);
    cr_expect_eq(bound_of("alltoall", 8, &c), 6 + 7 * 11);
    cr_expect_geq(bound_of("allgather", 8, &c), 10 + 55);
    cr_expect_eq(bound_of("barrier", 8, &c), 24);
    p->gamma_ps = 15000;
    cr_expect_eq(bound_of("reduce", 8, &c), 10 + 3 * 15); /* 24 + 15 is less */
    cr_expect_eq(bound_of("reduce-scatter", 8, &c), 10 + 7 * 15);
    p->gamma_ps = 1000;
    cr_expect_geq(bound_of("reduce", 8, &c), 24 + 7);
    cr_expect_geq(bound_of("allreduce", 8, &c), 24 + 7); /* 14 bytes through a port: 10 + 13 */
    p->G_ps = 0;
    cr_expect_eq(bound_of("reduce", 8, &c), 24 + 1);
    cr_expect_eq(bound_of("exscan", 8, &c), 24 + 1); /* 24 for seven, too */
    p->G_ps = 5000;                                  /* pieces of a byte each 4 apart */
    cr_expect_eq(bound_of("broadcast", 8, &c), 24 + 7 * 4);
    p->o_send_ns = p->o_recv_ns = 5; /* e = 5: 8 x 5 x 5 / (5 + 1) = 33; d = 16, B(8) = 37 */
    cr_expect_eq(bound_of("broadcast", 8, &c), 37 + 33 - 5);
    *p = test_params(6, 2, 4);
    p->store_forward = true;
    p->G_ps = 3000; /* d = 13, B(8) = 30; X = 20: 20 + 16 + 12 + ... + 4 are 60, no less than 24 */
    cr_expect_eq(bound_of("broadcast", 8, &c), 30);
    c.args.n_bytes = 100; /* X = 47: 47 + 43 + ... + 3 = 300 */
    cr_expect_eq(bound_of("broadcast", 8, &c), 10 + 47);
}
