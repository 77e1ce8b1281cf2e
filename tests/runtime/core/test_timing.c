/* SPDX-License-Identifier: MIT */
/* The timing rules, each by a small program under the virtual clock and its golden number. */
#include "random_program.h"
#include "support.h"

enum { MOST = 40 };

/* What the programs below leave behind: the clock of each vp at its end. */
static int64_t finish[MOST];

static void run_virtual(int P, const struct logp_params *params, logp_program program, void *arg)
{
    test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, params), program, arg);
}

static int ended(struct logp_vp *vp, int rc)
{
    finish[logp_vp_rank(vp)] = logp_now(vp);
    return rc;
}

/* ---- golden ones ---- */

/* What each rank does: s1 sends to 1, r0 receives from 0, r* from any. */
static const struct golden {
    const char *ranks[4];
    int64_t L, o, g, G_ps, capacity;
    bool shared;
    size_t n_bytes;
    int64_t ends[4];
} goldens[] = {
    /* two messages: the second starts a gap, or an overhead, after the first */
    {{"s1 s1", "r0 r0"}, 6, 2, 4, 0, 0, false, 1, {6, 14}},
    {{"s1 s1", "r0 r0"}, 6, 5, 2, 0, 0, false, 1, {10, 21}},
    {{"s1 s1", "r0 r0"}, 6, 2, 4, 3000, 0, false, 5, {18, 38}},
    /* there and back, gaps apart or shared */
    {{"s1 r1", "r0 s0"}, 6, 2, 4, 0, 0, false, 1, {20, 12}},
    {{"s1 r1", "r0 s0"}, 6, 2, 4, 0, 0, true, 1, {22, 14}},
    /* three to one: a place on the wire is free when a message arrives; by the rule there are two */
    {{"r* r* r*", "s0", "s0", "s0"}, 6, 0, 3, 0, 1, false, 1, {18, 0, 6, 12}},
    {{"r* r* r*", "s0", "s0", "s0"}, 6, 0, 3, 0, 2, false, 1, {12, 0, 0, 6}},
    {{"r* r* r*", "s0", "s0", "s0"}, 6, 0, 3, 0, 0, false, 1, {12, 0, 0, 0}},
    /* the wire is taken from the end of the overhead: [2, 8), so the next start is 6 */
    {{"s1 s1", "r0 r0"}, 6, 2, 1, 0, 1, false, 1, {8, 16}},
};

static struct random_program program_of(const struct golden *golden)
{
    struct random_program g = {.params = test_params(golden->L, golden->o, golden->g)};

    g.params.G_ps = golden->G_ps;
    g.params.capacity = golden->capacity;
    g.params.gap_shared = golden->shared;
    for (; g.P < 4 && golden->ranks[g.P] != NULL; g.P++)
        for (const char *op = golden->ranks[g.P]; *op != '\0'; op += op[2] == ' ' ? 3 : 2)
            g.ops[g.P][g.n_ops[g.P]++] =
                (struct sim_op){.kind = *op == 's' ? SEND : RECV,
                                .peer = op[1] == '*' ? LOGP_ANY_SOURCE : op[1] - '0',
                                .n_bytes = golden->n_bytes};
    return g;
}

Test(timing, programs_have_the_golden_times)
{
    static struct random_program g;
    static struct random_outcome simulated;
    static struct random_run run = {.g = &g};
    struct logp_params rule = test_params(6, 0, 3);

    for (size_t i = 0; i < sizeof(goldens) / sizeof(goldens[0]); i++) {
        g = program_of(&goldens[i]);
        run_virtual(g.P, &g.params, random_run, &run);
        cr_assert_eq(random_simulate(&g, &simulated), 0);
        for (int rank = 0; rank < g.P; rank++) {
            cr_expect_eq(run.out.end[rank], goldens[i].ends[rank], "%zu: rank %d ends at %ld", i,
                         rank, (long)run.out.end[rank]);
            cr_expect_eq(simulated.end[rank], goldens[i].ends[rank], "%zu: rank %d", i, rank);
        }
    }
    rule.capacity = LOGP_CAPACITY_RULE;
    cr_expect_eq(logp_params_capacity(&rule), 2);
}

/* Rank 0 sends one to each of the others: those on the wire are all its own. */
static int one_to_each(struct logp_vp *vp, void *arg)
{
    char c = 0;

    if (logp_vp_rank(vp) > 0)
        return ended(vp, logp_recv(vp, 0, 0, &c, 1, NULL));
    for (int to = 1; to < logp_vp_size(vp); to++)
        OK(logp_send(vp, to, 0, &c, 1));
    return ended(vp, 0);
}

/* So many at once; a place is free when the first of them arrives, whatever came and went before.
 */
Test(timing, places_are_free_in_the_order_of_arrival)
{
    struct logp_params params = test_params(100, 1, 2);

    for (params.capacity = 1; params.capacity <= 12; params.capacity++) {
        run_virtual(MOST, &params, one_to_each, NULL);
        for (int to = 1; to < MOST; to++) {
            const int64_t start = (to - 1) / params.capacity * 100 + (to - 1) % params.capacity * 2;

            cr_expect_eq(finish[to], start + 102, "capacity %ld, rank %d", (long)params.capacity,
                         to);
        }
    }
}

static int overlap(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);
    struct logp_request *r;
    char c = 0;

    if (me == 0)
        return ended(vp, logp_send(vp, 1, 0, &c, 1)); /* arrives at 8 */
    OK(logp_irecv(vp, 0, 0, &c, 1, &r));
    OK(logp_compute(vp, 7, NULL, NULL));
    OK(logp_wait(vp, r, NULL));
    return ended(vp, 0);
}

Test(timing, irecv_overlaps_with_computing)
{
    run_virtual(2, &test_6ns, overlap, NULL);
    cr_expect_eq(finish[0], 2);
    cr_expect_eq(finish[1], 10);
}

static int isend_costs_like_send(struct logp_vp *vp, void *arg)
{
    struct logp_request *r[2];
    char c[2] = {0};

    for (int i = 0; i < 2; i++)
        OK(logp_vp_rank(vp) == 0 ? logp_isend(vp, 1, i, &c[i], 1, &r[i])
                                 : logp_irecv(vp, 0, i, &c[i], 1, &r[i]));
    for (int i = 0; i < 2; i++)
        OK(logp_wait(vp, r[i], NULL));
    return ended(vp, 0);
}

Test(timing, isend_is_charged_like_send)
{
    run_virtual(2, &test_6ns, isend_costs_like_send, NULL);
    cr_expect_eq(finish[0], 6);
    cr_expect_eq(finish[1], 14);
}

static int poll(struct logp_vp *vp, void *arg)
{
    struct logp_request *r;
    bool done = false;
    char c = 0;
    int rc, *polls = arg;

    if (logp_vp_rank(vp) == 0)
        return ended(vp, logp_send(vp, 1, 3, &c, 1)); /* arrives at 808 */
    rc = logp_irecv(vp, 0, 3, &c, 1, &r);
    while (rc == 0 && !done) {
        rc = logp_test(vp, r, &done, NULL);
        *polls += !done;
    }
    return ended(vp, rc);
}

Test(timing, a_test_that_finds_nothing_costs_poll_ns)
{
    const struct logp_params params = test_params(800, 8, 4);
    int polls = 0;

    run_virtual(2, &params, poll, &polls);
    cr_expect_eq(polls, 9); /* at 0, 100, ..., 800; found at 900 */
    cr_expect_eq(finish[1], 908);
}

static int probe(struct logp_vp *vp, void *arg)
{
    struct logp_status status = {0};
    bool found = false;
    char c[3] = {0};

    if (logp_vp_rank(vp) == 0)
        return ended(vp, logp_send(vp, 1, 3, c, 3));
    while (!found)
        OK(logp_probe(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &found, &status));
    cr_assert_eq(status.source, 0);
    cr_assert_eq(status.tag, 3);
    cr_assert_eq(status.n_bytes, 3);
    OK(logp_recv(vp, status.source, status.tag, c, status.n_bytes, NULL));
    return ended(vp, 0);
}

Test(timing, probe_tells_size_and_takes_nothing)
{
    const struct logp_params params = test_params(800, 8, 4);

    run_virtual(2, &params, probe, NULL);
    cr_expect_eq(finish[1], 908);
}

static int any_source(struct logp_vp *vp, void *arg)
{
    static const size_t size[] = {0, 40, 1, 1}; /* rank 1's is sent first and arrives last */
    char buf[64] = {0};
    struct logp_status s;
    int *order = arg;

    if (logp_vp_rank(vp) > 0) {
        OK(logp_compute(vp, logp_vp_rank(vp) == 1 ? 0 : 5, NULL, NULL));
        OK(logp_send(vp, 0, 0, buf, size[logp_vp_rank(vp)]));
        return ended(vp, 0);
    }
    for (int i = 0; i < 3; i++) {
        OK(logp_recv(vp, LOGP_ANY_SOURCE, 0, buf, sizeof(buf), &s));
        order[i] = s.source;
    }
    return ended(vp, 0);
}

Test(timing, any_source_takes_the_earliest_arrival_then_the_lowest_rank)
{
    struct logp_params params = test_params(6, 2, 4);
    int order[3];

    params.G_ps = 1000;
    run_virtual(4, &params, any_source, order);
    cr_expect_eq(order[0], 2);
    cr_expect_eq(order[1], 3);
    cr_expect_eq(order[2], 1);
}

/* One source: a long message, then a short one that arrives before it. They keep their order. */
static int no_overtaking(struct logp_vp *vp, void *arg)
{
    const int source = *(int *)arg;
    char buf[128] = {0};
    struct logp_status s;

    if (logp_vp_rank(vp) == 0) {
        OK(logp_send(vp, 1, 0, buf, 100));
        return ended(vp, logp_send(vp, 1, 0, buf, 1));
    }
    for (size_t n = 100; n > 0; n = n == 100 ? 1 : 0) {
        OK(logp_recv(vp, source, 0, buf, sizeof(buf), &s));
        cr_assert_eq(s.n_bytes, n);
    }
    return ended(vp, 0);
}

Test(timing, messages_of_one_source_do_not_overtake)
{
    struct logp_params params = test_params(6, 2, 0);

    params.G_ps = 1000;
    run_virtual(2, &params, no_overtaking, &(int){0});
    run_virtual(2, &params, no_overtaking, &(int){LOGP_ANY_SOURCE});
}

static void count_up(void *arg)
{
    ++*(int *)arg;
}

static int compute(struct logp_vp *vp, void *arg)
{
    OK(logp_compute(vp, 123, count_up, arg));
    return ended(vp, 0);
}

Test(timing, compute_declares_its_time)
{
    int calls = 0;

    run_virtual(1, &test_6ns, compute, &calls);
    cr_expect_eq(calls, 1);
    cr_expect_eq(finish[0], 123);
}

static int synchronise(struct logp_vp *vp, void *arg)
{
    int64_t start = -1;
    char c = 0;

    OK(logp_compute(vp, 10 * (logp_vp_rank(vp) + 1), NULL, NULL));
    if (logp_vp_rank(vp) == 2)
        OK(logp_send(vp, 2, 0, &c, 1)); /* ends at 32; its gap would last until 34 */
    OK(logp_sync(vp, &start));
    cr_assert_eq(start, 32);
    cr_assert_eq(logp_now(vp), 32);
    if (logp_vp_rank(vp) == 2)
        OK(logp_send(vp, 2, 0, &c, 1));
    ended(vp, 0);
    for (int i = 0; logp_vp_rank(vp) == 2 && i < 2; i++)
        OK(logp_recv(vp, 2, 0, &c, 1, NULL));
    return 0;
}

Test(timing, sync_starts_all_at_one_time_and_forgets_gaps)
{
    run_virtual(3, &test_6ns, synchronise, NULL);
    cr_expect_eq(finish[2], 34);
}

static int there_and_back(struct logp_vp *vp)
{
    const int me = logp_vp_rank(vp);
    char c = 0;

    for (int i = 0; i < 2; i++)
        OK(i == me ? logp_send(vp, 1 - me, 0, &c, 1) : logp_recv(vp, 1 - me, 0, &c, 1, NULL));
    return ended(vp, 0);
}

/* The wall clock may be late, never early. */
static int not_early(struct logp_vp *vp, void *arg)
{
    int64_t emulated, wall;

    for (int i = 0; i < 20; i++) {
        TRY(i % 2 == 0 ? there_and_back(vp) : logp_compute(vp, 1000, NULL, NULL));
        emulated = logp_clocks(vp, &wall);
        cr_assert_leq(emulated, wall);
        TRY(logp_compute(vp, 500, NULL, NULL));
        cr_assert_geq(logp_wall_now(vp), finish[logp_vp_rank(vp)]);
    }
    return 0;
}

Test(timing, no_call_returns_before_its_time_on_the_wall_clock)
{
    test_run(test_machine(2, LOGP_CLOCK_WALL, &test_6us), not_early, NULL);
    cr_expect_geq(finish[0], 10 * 20000);
}
