/* SPDX-License-Identifier: MIT */
/* Delay models: one of the user's own, and models replaced under traffic. */
#include "support.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* ---- a model of one's own: every hop between ranks costs, nothing else ---- */

struct per_hop {
    int64_t hop_ns;
    atomic_int uses;
};

static void hop_start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    t->start = t->ready;
}

static void hop_send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    struct per_hop *h = model;

    atomic_fetch_add(&h->uses, 1);
    t->done = t->start;
    t->arrival = t->done + h->hop_ns * llabs((long long)t->dst - t->src);
    port->send_start = t->start;
    port->send_next = t->done;
}

static void hop_recv(void *model, struct logp_port *port, struct logp_transfer *t)
{
    t->start = t->done = t->ready > t->arrival ? t->ready : t->arrival;
    port->recv_start = t->start;
}

static atomic_int freed;

static void hop_destroy(void *model)
{
    atomic_fetch_add(&freed, 1);
    free(model);
}

static const struct logp_delay_ops hop_ops = {
    .size = sizeof(hop_ops),
    .name = "per-hop",
    .start = hop_start,
    .send = hop_send,
    .recv = hop_recv,
    .destroy = hop_destroy,
};

static struct logp_delay per_hop(int64_t hop_ns)
{
    struct per_hop *h = calloc(1, sizeof(*h));

    h->hop_ns = hop_ns;
    return (struct logp_delay){&hop_ops, h};
}

static int far_and_near(struct logp_vp *vp, void *arg)
{
    int64_t *finish = arg;
    const int me = logp_vp_rank(vp);
    char c = 0;

    for (int to = 1; me == 0 && to < logp_vp_size(vp); to++)
        OK(logp_send(vp, to, 0, &c, 1));
    if (me > 0)
        OK(logp_recv(vp, 0, 0, &c, 1, NULL));
    finish[me] = logp_now(vp);
    return 0;
}

Test(delay, a_model_of_the_users_own)
{
    int64_t finish[4];

    atomic_store(&freed, 0);
    test_run(test_machine_of(4, LOGP_CLOCK_VIRTUAL, per_hop(1000)), far_and_near, finish);
    for (int i = 0; i < 4; i++)
        cr_expect_eq(finish[i], i * 1000);
    cr_expect_eq(atomic_load(&freed), 1);
}

static atomic_int capacity_asked;

static int64_t one_at_a_time(void *model)
{
    atomic_fetch_add(&capacity_asked, 1);
    return 1;
}

/* The capacity is in force from the machine's first question on: of two messages that rank 0 sends
 * at 0, the second waits for the first, which takes 1000 ns. */
Test(delay, a_model_is_asked_for_its_capacity_once)
{
    struct logp_delay_ops ops = hop_ops;
    struct logp_delay delay = per_hop(1000);
    int64_t finish[3];

    ops.capacity = one_at_a_time;
    delay.ops = &ops;
    test_run(test_machine_of(3, LOGP_CLOCK_VIRTUAL, delay), far_and_near, finish);
    cr_expect_eq(finish[1], 1000);
    cr_expect_eq(finish[2], 1000 + 2000);
    cr_expect_eq(atomic_load(&capacity_asked), 1);
}

Test(delay, an_incomplete_model_is_refused)
{
    struct logp_delay_ops incomplete[] = {hop_ops, hop_ops, hop_ops};
    int64_t finish[2];

    incomplete[0].start = NULL;
    incomplete[1].send = NULL;
    incomplete[2].recv = NULL;
    for (int i = 0; i < 3; i++) {
        const struct logp_delay delay = {&incomplete[i], NULL};
        const struct logp_config config = {
            .size = sizeof(config), .n_processors = 2, .delay = delay};
        struct logp_machine *m;

        cr_expect_eq(logp_machine_create(&config, &m), -EINVAL);
        m = test_machine_of(2, LOGP_CLOCK_VIRTUAL, per_hop(1000));
        cr_expect_eq(logp_machine_set_delay(m, delay, 0), -EINVAL);
        cr_expect_eq(logp_machine_set_delay(m, delay, 10), -EINVAL);
        test_run(m, far_and_near, finish); /* with the model that it has */
        cr_expect_eq(finish[1], 1000);
    }
}

/* ---- replaced under the virtual clock: at a virtual time ---- */

/* Ten messages; the sender replaces the model before the last five, or never. */
static int send_ten(struct logp_vp *vp, int64_t *arrival, bool replaces)
{
    struct logp_status s;
    char c = 0;

    for (int i = 0; i < 10; i++) {
        if (logp_vp_rank(vp) == 1) {
            OK(logp_recv(vp, 0, 0, &c, 1, &s));
            arrival[i] = s.arrival_ns;
            continue;
        }
        if (i == 5 && replaces)
            OK(logp_machine_set_delay(logp_vp_machine(vp), per_hop(50), 0));
        OK(logp_send(vp, 1, 0, &c, 1));
        OK(logp_compute(vp, 100, NULL, NULL));
    }
    return 0;
}

static int send_each_100(struct logp_vp *vp, void *arg)
{
    return send_ten(vp, arg, false);
}

static int replace_own(struct logp_vp *vp, void *arg)
{
    return send_ten(vp, arg, true);
}

Test(delay, replacement_takes_place_at_its_virtual_time)
{
    struct logp_machine *m;
    int64_t arrival[10];

    atomic_store(&freed, 0);
    m = test_machine_of(2, LOGP_CLOCK_VIRTUAL, per_hop(7));
    cr_assert_eq(logp_machine_set_delay(m, per_hop(30), 800), 0); /* given out of order */
    cr_assert_eq(logp_machine_set_delay(m, per_hop(20), 400), 0);
    cr_assert_eq(logp_machine_set_delay(m, logp_delay_none(), 100000), 0);
    test_run(m, send_each_100, arrival);
    for (int i = 0; i < 10; i++)
        cr_expect_eq(arrival[i], 100 * i + (i < 4 ? 7 : i < 8 ? 20 : 30));
    cr_expect_eq(atomic_load(&freed), 3);
}

/* From the very nanosecond on. */
Test(delay, what_starts_before_a_replacement_has_the_model_before)
{
    static const int64_t times[] = {1, 99, 100, 101, 500};

    for (size_t k = 0; k < sizeof(times) / sizeof(times[0]); k++) {
        struct logp_machine *m = test_machine_of(2, LOGP_CLOCK_VIRTUAL, per_hop(7));
        int64_t arrival[10];

        cr_assert_eq(logp_machine_set_delay(m, per_hop(30), times[k]), 0);
        test_run(m, send_each_100, arrival);
        for (int i = 0; i < 10; i++)
            cr_expect_eq(arrival[i], 100 * i + (100 * i < times[k] ? 7 : 30));
    }
}

/* Of those due at once the last holds, of those for one time the one given last; all are freed,
 * also what was for a time that never came. */
Test(delay, of_several_replacements_the_last_holds)
{
    struct logp_machine *m;
    int64_t arrival[10];

    atomic_store(&freed, 0);
    m = test_machine_of(2, LOGP_CLOCK_VIRTUAL, per_hop(7));
    cr_assert_eq(logp_machine_set_delay(m, per_hop(9), -1), 0); /* now */
    cr_expect_eq(atomic_load(&freed), 1);
    cr_assert_eq(logp_machine_set_delay(m, per_hop(20), 401), 0);
    cr_assert_eq(logp_machine_set_delay(m, per_hop(30), 500), 0);
    cr_assert_eq(logp_machine_set_delay(m, per_hop(40), 500), 0);
    cr_assert_eq(logp_machine_set_delay(m, per_hop(50), 450), 0);
    cr_assert_eq(logp_machine_set_delay(m, per_hop(60), 901), 0);
    cr_assert_eq(logp_machine_run(m, send_each_100, arrival, test_timeout_ns), 0);
    for (int i = 0; i < 10; i++)
        cr_expect_eq(arrival[i], 100 * i + (i < 5 ? 9 : 40));
    cr_expect_eq(atomic_load(&freed), 5);
    cr_assert_eq(logp_machine_destroy(m), 0);
    cr_expect_eq(atomic_load(&freed), 7);
}

Test(delay, a_vp_may_replace_the_model)
{
    int64_t arrival[10];

    test_run(test_machine_of(2, LOGP_CLOCK_VIRTUAL, per_hop(7)), replace_own, arrival);
    for (int i = 0; i < 10; i++)
        cr_expect_eq(arrival[i], 100 * i + (i < 5 ? 7 : 50));
}

/* ---- replaced on the wall clock, under traffic ---- */

struct traffic {
    struct logp_machine *machine;
    atomic_bool over;
    int swaps;
};

static void *swap_models(void *arg)
{
    struct traffic *t = arg;
    const struct logp_params a = test_params(2000, 300, 500), b = test_params(500, 100, 0);

    for (int i = 0; !atomic_load(&t->over); i++) {
        struct logp_delay d = logp_delay_none();

        if (i % 4 == 0)
            cr_assert_eq(logp_delay_create("logp", &a, &d), 0);
        else if (i % 4 == 1)
            cr_assert_eq(logp_delay_create("loggp", &b, &d), 0);
        else if (i % 4 == 2)
            d = per_hop(100);
        cr_assert_eq(logp_machine_set_delay(t->machine, d, 0), 0);
        t->swaps++;
    }
    return NULL;
}

static int ring(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp), P = logp_vp_size(vp), rounds = *(int *)arg;

    for (int i = 0; i < rounds; i++) {
        int got = -1;

        OK(logp_send(vp, (me + 1) % P, 0, &i, sizeof(i)));
        OK(logp_recv(vp, i % 2 == 0 ? (me + P - 1) % P : LOGP_ANY_SOURCE, 0, &got, sizeof(got),
                     NULL));
        cr_assert_eq(got, i);
    }
    return 0;
}

Test(delay, models_are_replaced_under_traffic)
{
    struct traffic t = {.swaps = 0};
    int rounds = 1500 / TEST_SCALE;
    pthread_t thread;

    atomic_store(&freed, 0);
    t.machine = test_machine(4, LOGP_CLOCK_WALL, NULL);
    cr_assert_eq(pthread_create(&thread, NULL, swap_models, &t), 0);
    for (int run = 0; run < 3; run++)
        cr_assert_eq(logp_machine_run(t.machine, ring, &rounds, test_timeout_ns), 0);
    atomic_store(&t.over, true);
    pthread_join(thread, NULL);
    cr_assert_eq(logp_machine_destroy(t.machine), 0);
    cr_expect_gt(t.swaps, 2);
    cr_expect_eq(atomic_load(&freed), (t.swaps + 1) / 4);
}

static int emulate_from_then_on(struct logp_vp *vp, void *arg)
{
    int64_t *took = arg, before;

    OK(ring(vp, &(int){20}));
    before = logp_now(vp);
    if (logp_vp_rank(vp) == 0)
        OK(logp_machine_set_delay(logp_vp_machine(vp), per_hop(300000), 0));
    OK(logp_sync(vp, NULL));
    OK(ring(vp, &(int){1})); /* whose messages are sent when all know of rank 0 */
    took[logp_vp_rank(vp)] = logp_now(vp) - before;
    return 0;
}

/* Nobody is left in a model that is none. */
Test(delay, where_there_was_none_there_is_one)
{
    int64_t took[4];

    test_run(test_machine(4, LOGP_CLOCK_WALL, NULL), emulate_from_then_on, took);
    cr_expect_geq(took[0], 300000);
}

static int two_messages(struct logp_vp *vp, void *arg)
{
    int64_t *done = arg;
    char buf[1000] = {0};

    for (int i = 0; i < 2; i++)
        OK(logp_vp_rank(vp) == 0 ? logp_send(vp, 1, 0, buf, sizeof(buf))
                                 : logp_recv(vp, 0, 0, buf, sizeof(buf), NULL));
    done[logp_vp_rank(vp)] = logp_now(vp);
    return 0;
}

Test(delay, store_and_forward_counts_every_byte_and_keeps_the_gap)
{
    struct logp_params params = test_params(60, 20, 40);
    struct logp_machine *m = test_machine(2, LOGP_CLOCK_VIRTUAL, NULL);
    struct logp_delay delay;
    int64_t done[2];

    params.G_ps = 1001;
    cr_assert_eq(logp_delay_create("store-forward", &params, &delay), 0);
    cr_assert_eq(logp_machine_set_delay(m, delay, 0), 0);
    test_run(m, two_messages, done);
    cr_expect_eq(done[0], 40 + 20);
    cr_expect_eq(done[1], 40 + 20 + 1001 + 60 + 20);
    params.G_ps = -1;
    cr_expect_eq(logp_delay_create("store-forward", &params, &delay), -EINVAL);
}

/* ---- a model in use is not taken away ---- */

static struct slow_model {
    atomic_bool inside, leave;
    atomic_bool destroyed, destroyed_inside;
} slow;

/* The sender is in the model until the test has tried to replace it, and a while longer. */
static void slow_send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    atomic_store(&slow.inside, true);
    while (!atomic_load(&slow.leave))
        sched_yield();
    for (int i = 0; i < 2000 && !atomic_load(&slow.destroyed); i++)
        sched_yield();
    if (atomic_load(&slow.destroyed))
        atomic_store(&slow.destroyed_inside, true);
    t->done = t->arrival = t->start;
    port->send_start = port->send_next = t->start;
}

static void slow_destroy(void *model)
{
    atomic_store(&slow.destroyed, true);
}

static const struct logp_delay_ops slow_ops = {.size = sizeof(slow_ops),
                                               .name = "slow",
                                               .start = hop_start,
                                               .send = slow_send,
                                               .recv = hop_recv,
                                               .destroy = slow_destroy};

static void *replace_it(void *arg)
{
    struct logp_delay delay;

    cr_assert_eq(logp_delay_create("logp", &test_6ns, &delay), 0);
    while (!atomic_load(&slow.inside))
        sched_yield();
    atomic_store(&slow.leave, true);
    cr_assert_eq(logp_machine_set_delay(arg, delay, 0), 0);
    cr_assert(atomic_load(&slow.destroyed));
    return NULL;
}

static int send_to_oneself(struct logp_vp *vp, void *arg)
{
    char c = 0;

    OK(logp_send(vp, logp_vp_rank(vp), 0, &c, 1));
    return logp_recv(vp, logp_vp_rank(vp), 0, &c, 1, NULL);
}

Test(delay, a_model_is_destroyed_when_nobody_is_in_it)
{
    TEST_MACHINE m = test_machine_of(1, LOGP_CLOCK_WALL, (struct logp_delay){&slow_ops, NULL});
    pthread_t thread;

    memset(&slow, 0, sizeof(slow));
    cr_assert_eq(pthread_create(&thread, NULL, replace_it, m), 0);
    cr_assert_eq(logp_machine_run(m, send_to_oneself, NULL, test_timeout_ns), 0);
    pthread_join(thread, NULL);
    cr_expect(atomic_load(&slow.destroyed));
    cr_expect(!atomic_load(&slow.destroyed_inside));
}
