/* SPDX-License-Identifier: MIT */
/*
 * The terms of the lower bounds of algorithms/predict/bound*.c: held against searched schedules, worked
 * out by hand, and the transfers of a scan by trying all.
 */
#include "support.h"

static int64_t bound_of(const char *collective, int64_t P, const struct logp_invocation *c)
{
    return logp_collective_lower_bound(collective, P, &c->args, &c->model);
}

/* ---- what a search finds ---- */

enum { SEARCHED = 140, LONGEST_SEARCHED = 3000 };

/* Broadcasts and what contains them, in pieces of any size, of messages that cost by their size. */
static void search_one(uint64_t seed, double *closest)
{
    static const char *const names[] = {"broadcast", "reduce",         "allreduce", "scan",
                                        "exscan",    "reduce-scatter", "allgather", "alltoall",
                                        "gather",    "scatter"};
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    const struct logp_args args = {
        .op = logp_op_find("sum", "double"),
        .count = 1 + test_below(&random, 1 + test_below(&random, LONGEST_SEARCHED / 8)),
        .n_bytes = (size_t)(1 + test_below(&random, 1 + test_below(&random, LONGEST_SEARCHED)))};
    const int64_t o = test_below(&random, 5000);
    const struct logp_network network = {
        .params = {.L_ns = test_below(&random, 20000),
                   .o_send_ns = o,
                   .o_recv_ns = test_below(&random, 2) == 0 ? o : test_below(&random, 5000),
                   .g_ns = test_below(&random, 8000),
                   .G_ps = test_below(&random, 1 + test_below(&random, 40000)),
                   .gamma_ps = test_below(&random, 2000)}};
    const char *name = names[test_below(&random, sizeof(names) / sizeof(names[0]))];
    struct logp_search search = LOGP_SEARCH(name, 2 + test_below(&random, 30), &args, &network);
    struct logp_search_result *r;
    int rc;

    search.rounds = 6;
    search.seed = seed;
    rc = logp_search_run(&search, &r);
    cr_assert(rc == 0 || rc == -ENOTSUP, "seed %lu, %s: %d", (unsigned long)seed, name, rc);
    if (rc != 0)
        return;
    cr_assert_geq(
        r->state.ns, r->state.bound_ns, "seed %lu, %s, P %ld, L %ld o %ld %ld g %ld G %ld",
        (unsigned long)seed, name, (long)search.P, (long)network.params.L_ns, (long)o,
        (long)network.params.o_recv_ns, (long)network.params.g_ns, (long)network.params.G_ps);
    *closest = fmin(*closest, (double)r->state.ns / (double)r->state.bound_ns);
    logp_search_free(r);
}

Test(bound_terms, no_schedule_of_a_search_is_below)
{
    double closest = 9;

    cr_log_info("seeds 1 to %d", SEARCHED / TEST_SCALE);
    for (uint64_t seed = 1; seed <= SEARCHED / TEST_SCALE; seed++)
        search_one(seed, &closest);
    cr_assert_leq(closest, 1.2);
}

/* ---- growth ---- */

/*
 * L = 6, o = 2, g = 4 us, G = 10 ns, P = 64: a search found a schedule of 90.05 us for 1 KiB. A message
 * to each takes 46 + 10.23 us at least, and that is no limit for growth.
 */
Test(bound_terms, growth_is_above_trees_and_ports)
{
    struct logp_invocation c = {
        .args = {.n_bytes = 1024, .count = 128, .op = logp_op_find("sum", "double")},
        .model.params = {
            .L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000, .G_ps = 10000}};
    const int64_t ns = bound_of("broadcast", 64, &c);

    cr_expect(ns >= 70000 && ns <= 90050, "%ld", (long)ns);
    cr_expect_eq(bound_of("reduce", 64, &c), ns, "%ld", (long)bound_of("reduce", 64, &c));
    c.args.n_bytes = 65536; /* all but some leave the root before these grow */
    cr_expect_geq(bound_of("broadcast", 64, &c), 716000);
    c.args.n_bytes = 1024;
    c.model.params.G_ps = 0; /* a message costs the same whatever its size */
    cr_expect_eq(bound_of("broadcast", 64, &c), 46000);
    c.model.params.G_ps = 10000;
    c.model.params.gap_shared = true; /* only longer */
    cr_expect_geq(bound_of("broadcast", 64, &c), ns);
    /* two messages of half each to one other processor are slower than one of all */
    c.model.params.gap_shared = false;
    cr_expect_eq(bound_of("broadcast", 2, &c), 10000 + 10230);
}

/* A fast network with o > g. All leaves the root in 5.2 us, and a byte reaches 1000 in 8.6 us; the
 * linear program of which this is the dual, cut into steps of 100 ns, has 16.2 us. */
Test(bound_terms, growth_is_above_trees_and_ports_for_long_vectors)
{
    struct logp_invocation c = {
        .args = {.n_bytes = 65536},
        .model.params = {
            .L_ns = 1000, .o_send_ns = 300, .o_recv_ns = 300, .g_ns = 200, .G_ps = 80}};

    cr_expect_geq(bound_of("broadcast", 1000, &c), 15300);
    cr_expect_leq(bound_of("broadcast", 1000, &c), 16300);
    cr_expect_geq(bound_of("broadcast", 64, &c), 12100);
    c.args.n_bytes = 1048576; /* all but some leave the root before these grow */
    cr_expect_geq(bound_of("broadcast", 1000, &c), 93500);
}

/* ---- the transfers of a scan ---- */

/* What each rank knows, and how many transfers one after the other led to the last part of it. */
struct knowledge {
    unsigned of[5];
    int depth[5];
};

static bool all_know(int P, const struct knowledge *k)
{
    for (int v = 1; v < P; v++)
        if ((~k->of[v] & ((1u << v) - 1)) != 0)
            return false;
    return true;
}

/* Can so many more transfers, of at most `deep` one after the other, end it? */
static bool can_end(int P, const struct knowledge *k, int transfers, int deep)
{
    int open = 0;

    for (int v = 1; v < P; v++)
        open += (~k->of[v] & ((1u << v) - 1)) != 0;
    if (open == 0 || open > transfers)
        return open == 0;
    for (int u = 0; u < P; u++)
        for (int v = 0; v < P; v++) {
            struct knowledge next = *k;

            if (u == v || (k->of[u] & ~k->of[v]) == 0 || k->depth[u] == deep)
                continue;
            next.of[v] |= k->of[u];
            if (next.depth[v] <= k->depth[u])
                next.depth[v] = k->depth[u] + 1;
            if (can_end(P, &next, transfers - 1, deep))
                return true;
        }
    return false;
}

/* Transfers and the longest row of them one after the other: together 2 (P-1) at least. */
Test(bound_terms, a_scan_takes_many_transfers_or_long_rows)
{
    for (int P = 2; P <= 5; P++)
        for (int deep = 1; deep < P; deep++) {
            struct knowledge k = {.depth = {0}};

            for (int v = 0; v < P; v++)
                k.of[v] = 1u << v;
            cr_assert(!all_know(P, &k));
            cr_assert(!can_end(P, &k, 2 * (P - 1) - deep - 1, deep), "P %d, %d deep", P, deep);
        }
}

/* ---- by hand ---- */

/* L = 6, o = 2, g = 4, G = 1 and so d = 10; P = 8. */
Test(bound_terms, an_exchange_goes_straight_or_over_others)
{
    struct logp_invocation c = {
        .model.params = {.L_ns = 6, .o_send_ns = 2, .o_recv_ns = 2, .g_ns = 4, .G_ps = 1000}};

    c.args.n_bytes = 8; /* straight: 7 messages of 4 + 7 each, and 6 more for the last */
    cr_expect_eq(bound_of("alltoall", 8, &c), 7 * 11 + 6);
    /* Items of 2. Straight in 7 messages of 3 + 2 each, 35 + 6. With 3 messages sent and 3 received,
     * 2 x 2 pairs can relay 4 of 4: 3 x 3 + 2 (7 + 4) + 6. With 5 in all 2 pairs relay 2 of 7: half of
     * 5 x 3 + 2 (14 + 14) + 12. */
    c.args.n_bytes = 2;
    cr_expect_eq(bound_of("alltoall", 8, &c), 31 + 6);
    c.args.rows = c.args.cols = 16; /* blocks of 2 x 2 */
    cr_expect_eq(bound_of("transpose", 8, &c), 7 * 11 + 6);
    c.args.cols = 7; /* the last has none */
    cr_expect_lt(bound_of("transpose", 8, &c), 7 * 11 + 6);
    /* A fast network, 128 B from each of 1000 to each: 1.4 us, 64 messages of 0.2 us in two
     * directions, and 999 + 973 items of 10.24 ns, of which 961 are relayed once. */
    c.args.n_bytes = 128;
    c.model.params = (struct logp_params){
        .L_ns = 1000, .o_send_ns = 300, .o_recv_ns = 300, .g_ns = 200, .G_ps = 80};
    cr_expect_eq(bound_of("alltoall", 1000, &c), 27990);
}

Test(bound_terms, a_scan_of_a_long_vector_needs_its_ports)
{
    const struct logp_op *op = logp_op_find("sum", "double");
    struct logp_invocation c = {
        .args = {.op = op, .count = 8192},
        .model.params = {
            .L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000, .G_ps = 10000}};

    /* In us, P = 64: (g - G) 3.99, G k^2 = 3.99 (2 k + 999): k = 1146. With n S = n T^2 / (4 n G):
     * n (125 G - 3.99 ((2 k - 1) 2 / k^2 + S / (G k^2))) <= 64 (T - 6): T = 1122. */
    cr_expect(fabs((double)bound_of("scan", 64, &c) / 1000 - 1122) <= 1);
    cr_expect(fabs((double)bound_of("exscan", 64, &c) / 1000 - 1122) <= 1);
}

/*
 * d = 10, e = 4, side = 8; out(5) = in(5) = 20. A block of one element takes 5 ns, and 8 bytes 70 ns more
 * than one, at either end. A block of 64 x 64 takes 20.48 us, and a piece of x 512 bytes: in one message
 * 5.11 us more. In two, the columns of 142 bytes fill all but 2 us of the wait for the other 370, since
 * 4 + 3.69 - 142 x .04 = 2.01; with the 142 bytes themselves, 1.41 us, that is 3.42 us.
 */
Test(bound_terms, a_product_is_made_between_two_trees)
{
    struct logp_invocation c = {.args = {.op = logp_op_find("sum", "double"), .count = 1},
                                .model.params = {.L_ns = 6000,
                                                 .o_send_ns = 2000,
                                                 .o_recv_ns = 2000,
                                                 .g_ns = 4000,
                                                 .G_ps = 10000,
                                                 .gamma_ps = 5000}};
    int64_t ns;

    cr_expect_eq(bound_of("matvec", 64, &c), 40005 + 2 * 70);
    c.args.count = 64;
    ns = bound_of("matvec", 64, &c);
    cr_expect(labs((long)ns - (60480 + 2 * 3420)) <= 20, "%ld", (long)ns);
    c.model.params.o_send_ns = c.model.params.o_recv_ns = 0; /* pieces cost the processor nothing */
    c.model.params.g_ns = 0;
    cr_expect_eq(bound_of("matvec", 64, &c), 2 * 6000 + 20480);
}

/*
 * Items of one byte, in ns: d = 10, and k of them keep the root for 3 + k. The processors served in t are
 * R(10) = 2, R(14) = 3, R(18) = 4; R(21) = min(2, R(10)) + R(16) = 5; R(22) = min(2, R(11)) + R(17) = 5;
 * R(26) = min(3, R(14)) + R(20) = 7; R(27) = min(3, R(15)) + R(21) = 8.
 */
Test(bound_terms, items_leave_with_those_for_others)
{
    struct logp_invocation c = {
        .args.n_bytes = 1,
        .model.params = {.L_ns = 6, .o_send_ns = 2, .o_recv_ns = 2, .g_ns = 4, .G_ps = 1000}};

    cr_expect_eq(bound_of("scatter", 3, &c), 14);
    cr_expect_eq(bound_of("scatter", 4, &c), 18);
    cr_expect_eq(bound_of("scatter", 5, &c), 21);
    cr_expect_eq(bound_of("gather", 7, &c), 26);
    cr_expect_eq(bound_of("scatter", 8, &c), 27);
    cr_expect_eq(bound_of("alltoall", 8, &c), 27);
    cr_expect_eq(bound_of("allgather", 8, &c), 27);
    /* the tree of three parts, in which 8 bytes for each are passed on together, is as fast as any */
    c.args.n_bytes = 8;
    cr_expect_eq(bound_of("scatter", 8, &c), 74);
    c.model.params.G_ps = 0;
    cr_expect_eq(bound_of("scatter", 8, &c), 24);
}
