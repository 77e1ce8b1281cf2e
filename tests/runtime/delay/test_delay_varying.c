/* SPDX-License-Identifier: MIT */
/*
 * Latencies that vary up to L: they are uniform, a function of seed, ranks and number alone, leave
 * the order of messages as it is, and predictions are upper bounds.
 */
#include "support.h"

enum { SAMPLE = 20000 };

static struct logp_delay varying(const struct logp_params *params)
{
    struct logp_delay delay;

    cr_assert_eq(logp_delay_create("varying", params, &delay), 0);
    return delay;
}

/* Of the message with this number from src to dst. */
static int64_t latency(const struct logp_delay *delay, int src, int dst, uint64_t number)
{
    struct logp_port port = {LOGP_NEVER, LOGP_NEVER, LOGP_NEVER};
    struct logp_transfer t = {
        .src = src, .dst = dst, .n_bytes = 1, .number = (unsigned)number, .start = 1000};

    delay->ops->send(delay->model, &port, &t);
    return t.arrival - t.done;
}

/* ---- the distribution ---- */

static double uniform_billion(double x)
{
    return x < 0 ? 0 : x < 1e9 ? x / 1e9 : 1;
}

/* Mean, neighbours' product and Kolmogorov-Smirnov's distance of a sample from 0 .. 1e9: all within four standard deviations, and the distance within that of one sample
 * in 10000. */
static void check_uniform(int64_t *sample, const char *what)
{
    const double root = 141.4, n = SAMPLE; /* root of n */
    double mean = 0, product = 0, distance;

    (void)what; /* not in plain.h */
    for (int i = 0; i < SAMPLE; i++) {
        const double x = (double)sample[i] / 1e9;

        cr_assert(sample[i] >= 0 && sample[i] <= 1000000000);
        mean += x / n;
        if (i > 0)
            product += x * (double)sample[i - 1] / 1e9 / (n - 1);
    }
    distance = test_distance(sample, SAMPLE, uniform_billion);
    cr_assert(mean > 0.5 - 4 * 0.2887 / root && mean < 0.5 + 4 * 0.2887 / root, "%s: mean %f", what,
              mean);
    cr_assert(product > 0.25 - 4 * 0.22 / root && product < 0.25 + 4 * 0.22 / root,
              "%s: product %f", what, product);
    cr_assert(distance < 2.23 / root, "%s: distance %f", what, distance);
}

Test(delay_varying, latencies_are_uniform_over_numbers_ranks_and_seeds)
{
    struct logp_params params = test_params(1000000000, 2, 4);
    int64_t *sample = malloc(SAMPLE * sizeof(*sample));
    struct logp_delay delay;

    for (params.seed = 0; params.seed < 5; params.seed++) {
        delay = varying(&params);
        for (int i = 0; i < SAMPLE; i++)
            sample[i] = latency(&delay, 3, 7, (uint64_t)i);
        check_uniform(sample, "numbers");
        for (int i = 0; i < SAMPLE; i++)
            sample[i] = latency(&delay, 3, i, 0);
        check_uniform(sample, "receivers");
        for (int i = 0; i < SAMPLE; i++)
            sample[i] = latency(&delay, i, 0, 1);
        check_uniform(sample, "senders");
        for (int i = 0; i < SAMPLE; i++)
            sample[i] = latency(&delay, i % 141, i / 141, 2);
        check_uniform(sample, "pairs");
        logp_delay_destroy(&delay);
    }
    for (int i = 0; i < SAMPLE; i++) {
        params.seed = (uint64_t)i;
        delay = varying(&params);
        sample[i] = latency(&delay, 0, 1, 0);
        logp_delay_destroy(&delay);
    }
    check_uniform(sample, "seeds");
    free(sample);
}

/* Each whole number up to L, both ends included, as often as the others. */
Test(delay_varying, small_latencies_are_all_there)
{
    const int64_t most[] = {0, 1, 3};

    for (int k = 0; k < 3; k++) {
        const struct logp_params params = test_params(most[k], 2, 4);
        TEST_DELAY delay = varying(&params);
        int count[4] = {0};

        for (int i = 0; i < SAMPLE; i++) {
            const int64_t L = latency(&delay, 0, 1, (uint64_t)i);

            cr_assert(L >= 0 && L <= most[k]);
            count[L]++;
        }
        for (int64_t i = 0; i <= most[k]; i++)
            cr_assert(llabs(count[i] - SAMPLE / (most[k] + 1)) < 300, "%d", count[i]);
    }
}

Test(delay_varying, the_largest_latency_stays_within_its_range)
{
    const struct logp_params params = test_params(LOGP_PARAM_MAX_NS, 2, 4);
    TEST_DELAY delay = varying(&params);
    int64_t most = 0;

    for (uint64_t i = 0; i < 1000; i++) {
        const int64_t L = latency(&delay, 0, 1, i);

        cr_assert(L >= 0 && L <= LOGP_PARAM_MAX_NS);
        most = L > most ? L : most;
    }
    cr_expect_gt(most, LOGP_PARAM_MAX_NS / 100 * 98);
}

Test(delay_varying, the_same_seed_gives_the_same_latencies_and_no_other_does)
{
    struct logp_params params = test_params(1000000, 2, 4);
    struct logp_delay a, b, other;
    int differ = 0, back = 0;

    params.seed = 17;
    a = varying(&params);
    b = varying(&params);
    params.seed = 18;
    other = varying(&params);
    for (uint64_t i = 0; i < 100; i++) {
        cr_assert_eq(latency(&a, 1, 2, i), latency(&b, 1, 2, i));
        differ += latency(&a, 1, 2, i) != latency(&other, 1, 2, i);
        back += latency(&a, 1, 2, i) != latency(&a, 2, 1, i);
    }
    cr_expect_gt(differ, 95);
    cr_expect_gt(back, 95);
    logp_delay_destroy(&a);
    logp_delay_destroy(&b);
    logp_delay_destroy(&other);
}

/* ---- on a machine ---- */

enum { P = 6, MESSAGES = 7, ROUNDS = 2 };

struct arrivals {
    int64_t at[ROUNDS][P][P][MESSAGES]; /* less the common start; by receiver, sender */
};

/* In each round everyone sends to all others in turn, and then receives by source. */
static int exchange(struct logp_vp *vp, void *arg)
{
    struct arrivals *a = arg;
    const int me = logp_vp_rank(vp);

    for (int round = 0; round < ROUNDS; round++) {
        int64_t start = 0;

        OK(round > 0 ? logp_sync(vp, &start) : 0);
        for (int i = 0; i < MESSAGES; i++)
            for (int d = 1; d < P; d++)
                OK(logp_send(vp, (me + d) % P, 0, NULL, 0));
        for (int src = 0; src < P; src++)
            for (int i = 0; src != me && i < MESSAGES; i++) {
                struct logp_status s;

                OK(logp_recv(vp, src, 0, NULL, 0, &s));
                a->at[round][me][src][i] = s.arrival_ns - start;
            }
    }
    return 0;
}

/* Whatever carries it: each message arrives when the model says so of its number, which goes on
 * over a common start and begins anew with a run. */
Test(delay_varying, arrivals_are_those_of_the_numbers)
{
    static struct arrivals a;
    struct logp_params params = test_params(500, 3, 5);
    TEST_MACHINE m = NULL;
    TEST_DELAY delay = {NULL, NULL};

    params.seed = 5;
    delay = varying(&params);
    m = test_machine_of(P, LOGP_CLOCK_VIRTUAL, varying(&params));
    for (int run = 0; run < 2; run++) {
        memset(&a, 0, sizeof(a));
        cr_assert_eq(logp_machine_run(m, exchange, &a, test_timeout_ns), 0);
        for (int round = 0; round < ROUNDS; round++)
            for (int src = 0; src < P; src++)
                for (int n = 0; n < MESSAGES * (P - 1); n++) {
                    const int dst = (src + 1 + n % (P - 1)) % P;
                    const uint64_t number = (uint64_t)(round * MESSAGES * (P - 1) + n);

                    cr_assert_eq(a.at[round][dst][src][n / (P - 1)],
                                 n * 5 + 3 + latency(&delay, src, dst, number));
                }
    }
}

/* A send that finds no room on the wire, and is tried again, is the same message. */
Test(delay_varying, a_send_that_is_tried_again_keeps_its_latency)
{
    static struct arrivals a;
    struct logp_params params = test_params(500, 3, 5);
    TEST_DELAY delay = varying(&params);
    int64_t enter = 3;

    if (test_parallel()) /* does not run with a capacity */
        return;
    params.capacity = 1;
    test_run(test_machine_of(P, LOGP_CLOCK_VIRTUAL, varying(&params)), exchange, &a);
    for (int n = 0; n < P - 1;
         n++) { /* sender 0: the wire takes a message when it has delivered one */
        const int64_t at = a.at[0][1 + n][0][0], sent = at - latency(&delay, 0, 1 + n, (uint64_t)n);

        cr_assert_geq(sent, enter);
        enter = at > sent + 5 ? at : sent + 5;
    }
}

enum { IN_ROW = 200 };

/* Two send to rank 0, one number after the other. arg: how rank 0 receives. */
static int in_row(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp), how = *(int *)arg;
    int next[3] = {0};

    for (int i = 0; me > 0 && i < IN_ROW; i++)
        OK(logp_send(vp, 0, 4, &i, sizeof(i)));
    for (int i = 0; me == 0 && i < 2 * IN_ROW; i++) {
        int got = -1, src = how > 0 ? LOGP_ANY_SOURCE : 1 + i % 2;
        struct logp_status s;

        for (bool found = false; how == 3 && !found;)
            OK(logp_probe(vp, src, LOGP_ANY_TAG, &found, &s));
        OK(logp_recv(vp, how == 3 ? s.source : src, how > 1 ? LOGP_ANY_TAG : 4, &got, sizeof(got),
                     &s));
        cr_assert_eq(got, next[s.source]++, "%d: %d of %d", how, got, s.source);
    }
    return 0;
}

Test(delay_varying, messages_that_arrive_early_do_not_overtake)
{
    const struct logp_params params = test_params(100000, 1, 1);
    struct logp_delay delay = varying(&params);
    int early = 0;

    for (uint64_t i = 1; i < IN_ROW; i++)
        early += latency(&delay, 1, 0, i) + 1 < latency(&delay, 1, 0, i - 1);
    cr_assert_gt(early, IN_ROW / 4);
    logp_delay_destroy(&delay);
    for (int how = 0; how < 4; how++)
        for (int clock = 0; clock < 2; clock++)
            test_run(test_machine_of(3, clock == 0 ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL,
                                     varying(&params)),
                     in_row, &how);
}

Test(delay_varying, a_message_may_take_no_longer_than_its_overhead)
{
    const struct logp_params params = test_params(700, 20, 4), no_overhead = test_params(700, 0, 4);
    TEST_DELAY v = varying(&params), zero = varying(&no_overhead), fixed;

    cr_expect_eq(v.ops->lookahead(v.model), 20);
    cr_expect_eq(zero.ops->lookahead(zero.model), 0);
    cr_assert_eq(logp_delay_create("loggp", &params, &fixed), 0);
    cr_expect_eq(fixed.ops->lookahead(fixed.model), 720);
}

Test(delay_varying, it_is_not_for_links_and_refuses_what_loggp_does)
{
    TEST_TOPOLOGY t = test_topology("ring", 8);
    struct logp_params params = test_params(6, 2, 4);
    struct logp_delay ends = varying(&params), out;
    struct logp_invocation c = {.args.n_bytes = 8};
    const struct logp_algorithm *chain = logp_algorithm_find("broadcast", "chain");

    cr_expect_eq(logp_topology_delay(t, ends, &out), -EINVAL);
    c.model.params = *ends.ops->params(ends.model);
    cr_expect(c.model.params.latency_varies && !c.model.params.store_forward);
    c.model.topology = t;
    cr_expect_eq(test_predict(chain, 8, &c).certainty, LOGP_PREDICTION_NONE);
    c.model.topology = NULL;
    cr_expect_eq(test_predict(chain, 8, &c).certainty, LOGP_PREDICTION_BOUND);
    cr_expect_eq(test_predict(chain, 8, &c).ns, 70);
    cr_expect_eq(test_predict(chain, 1, &c).certainty, LOGP_PREDICTION_EXACT);
    c.model.params.capacity = 1;
    cr_expect_eq(test_predict(chain, 8, &c).certainty, LOGP_PREDICTION_NONE);
    c.model.params.capacity = 0;
    c.model.params.L_ns = 0;
    cr_expect_eq(test_predict(chain, 8, &c).certainty, LOGP_PREDICTION_EXACT);
    logp_delay_destroy(&ends);
    params.L_ns = -1;
    cr_expect_eq(logp_delay_create("varying", &params, &out), -EINVAL);
    params.L_ns = 1;
    params.latency_varies = params.store_forward = true; /* what a model is, it sets itself */
    cr_assert_eq(logp_delay_create("logp", &params, &out), 0);
    cr_expect(!out.ops->params(out.model)->latency_varies);
    cr_expect(!out.ops->params(out.model)->store_forward);
    logp_delay_destroy(&out);
}

/* ---- predictions ---- */
