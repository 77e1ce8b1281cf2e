/* SPDX-License-Identifier: MIT */
/*
 * The host has no memory: whatever the library asks it for is refused once, each request in its
 * turn. It says so, or does without; nothing is lost, and afterwards all goes well. Here
 * plans and experiments.
 */
#define _GNU_SOURCE
#include "memory_jobs.h"

/* Small arguments that every algorithm of the table takes, of 4 processors. */
static struct logp_invocation small(void)
{
    return (struct logp_invocation){.args.root = 1,
                                    .args.n_bytes = 8,
                                    .args.count = 9,
                                    .args.op = logp_op_find("sum", "double"),
                                    .args.rows = 8,
                                    .args.cols = 12,
                                    .args.k = 0,
                                    .model.params = params};
}

static struct logp_links *links, *nodes;
static struct logp_topology *ring;

static bool applies(const struct logp_algorithm *a)
{
    const struct logp_invocation c = small();

    return test_needs(a, 4, &c) == NULL;
}

/* On links that differ, to the last rank, on nodes, on a ring, with two ports or with unlike blocks, where the row needs that. */
static int one_plan(void *arg)
{
    static const size_t before[] = {0, 8, 24, 32, 40};
    static const struct logp_blocks unlike = {4, before, NULL};
    int rc = 0;

    for (int rank = 0; rc == 0 && rank < 4; rank++) {
        struct logp_invocation c = small();

        if (!applies(arg)) {
            c.model.links = links;
            c.args.root = 3;
            c.args.work_ns = 0;
        }
        if (test_needs(arg, 4, &c) != NULL) {
            c.model.links = nodes;
            c.args.k = 1; /* or each plan tries all */
        }
        if (test_needs(arg, 4, &c) != NULL) {
            c.model.links = NULL;
            c.model.topology = ring;
        }
        if (test_needs(arg, 4, &c) != NULL) {
            c.model.topology = NULL;
            c.model.ports = 2;
        }
        if (test_needs(arg, 4, &c) != NULL) {
            c = small();
            c.args.blocks = &unlike;
        }
        cr_assert_null(test_needs(arg, 4, &c));
        rc = test_plan(arg, 4, rank, &c);
        test_unplan(&c);
        test_unplan(&c); /* where it failed there is nothing to undo, and here nothing left */
    }
    return rc;
}

Test(memory_algorithms, every_plan)
{
    const struct logp_link_costs slow = {100, 2, 3, 4, 2000};
    const struct logp_rank_range first = {0, 0};
    TEST_LINKS unlike = test_links(4);
    TEST_LINKS of_nodes = test_links(4);

    cr_assert_eq(logp_links_nodes(of_nodes, 2, &slow), 0);
    nodes = of_nodes;
    cr_assert_eq(logp_topology_create("ring", 4, &ring), 0);
    cr_assert_eq(logp_links_set(unlike, &(struct logp_ranks){&first, 1},
                                &(struct logp_ranks){NULL, 0}, &slow),
                 0);
    links = unlike;
    for (const struct logp_algorithm *const *a = test_rows(NULL); *a != NULL; a++)
        if ((*a)->plan != NULL)
            without_each((*a)->name, one_plan, (void *)*a);
    logp_topology_destroy(ring);
}

static void experiment(const struct logp_algorithm *a, enum logp_clock clock)
{
    const struct logp_experiment x = {.size = sizeof(x),
                                      .algorithm = a,
                                      .args = small().args,
                                      .reps = 2,
                                      .warmup = 1,
                                      .timeout_ns = run_timeout_ns};
    struct job j = {.name = a->name, .P = 4, .clock = clock, .model = "loggp", .experiment = &x};
    char what[128];

    snprintf(what, sizeof(what), "%s %s, clock %d", a->collective, a->name, (int)clock);
    without_each(what, live, &j);
}

/* Whether this is the last row of its collective that applies. */
static bool is_last(const struct logp_algorithm *const *a, size_t n, size_t i)
{
    size_t next = i + 1;

    while (next < n && !applies(a[next]))
        next++;
    return applies(a[i]) && (next == n || strcmp(a[i]->collective, a[next]->collective) != 0);
}

/* One of each collective, and on the wall clock a few; what all of them plan is above. */
Test(memory_algorithms, every_collective_in_an_experiment, .timeout = 100)
{
    size_t n;
    const struct logp_algorithm *const *a = test_rows(&n);

    for (size_t i = 0; i < n; i++)
        if (is_last(a, n, i))
            experiment(a[i], LOGP_CLOCK_VIRTUAL);
    experiment(logp_algorithm_find("reduce", "flat"), LOGP_CLOCK_WALL);
    experiment(logp_algorithm_find("barrier", "dissemination"), LOGP_CLOCK_WALL);
}

/* A barrier that does not wait for rank 0. */
static int without_first(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                         void *recv_buf)
{
    return logp_vp_rank(vp) == 1 ? logp_send(vp, 0, c->args.tag, NULL, 0)
                                 : logp_recv(vp, 1, c->args.tag, NULL, 0, NULL);
}

static int does_nothing(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                        void *recv_buf)
{
    return 0;
}

/* It is found out, whatever is refused, or nothing is said. */
static int wrong(void *arg)
{
    const struct job *j = arg;
    struct logp_machine *m;
    struct logp_record r;
    int rc = create(arg, &m);

    if (rc != 0)
        return rc;
    rc = logp_experiment_run(m, j->experiment, &r);
    cr_assert_eq(logp_machine_destroy(m), 0);
    return rc == 0 && r.verified ? -EPROTO : rc;
}

static void without_each_wrong(const struct logp_algorithm *row, int P)
{
    const struct logp_experiment x = {.size = sizeof(x),
                                      .algorithm = row,
                                      .args = small().args,
                                      .reps = 1,
                                      .timeout_ns = run_timeout_ns};
    struct job j = {.P = P, .clock = LOGP_CLOCK_VIRTUAL, .model = "loggp", .experiment = &x};

    without_each(row->collective, wrong, &j);
}

Test(memory_algorithms, a_wrong_barrier_is_found_out_or_nothing_said)
{
    const struct logp_algorithm row = {
        LOGP_ALGORITHM("barrier", "wrong", "for a test", "this file"), .run = without_first,
        .predict = test_unpredicted};

    without_each_wrong(&row, 2);
}

/* One of each collective. */
Test(memory_algorithms, doing_nothing_is_found_out_or_nothing_said, .timeout = 100)
{
    size_t n;
    const struct logp_algorithm *const *a = test_rows(&n);

    for (size_t i = 0; i < n; i++) {
        struct logp_algorithm row = *a[i];

        row.run = does_nothing;
        if (is_last(a, n, i))
            without_each_wrong(&row, 4);
    }
}

/* ---- requests of a fold ---- */

enum { ROUNDS = 40 };

/* Rank 0 answers each message of the others, and each answer is followed by another message. */
static bool answered(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                     struct logp_step *s)
{
    const int64_t n = rank == 0 ? P - 1 : 1;

    if (i >= 2 * n * ROUNDS)
        return false;
    if (i % 2 == (rank == 0))
        return logp_step_send(s, rank == 0 ? 1 + i / 2 % n : 0, c->args.tag, LOGP_BUF, 0, 0);
    return logp_step_receive(s, rank == 0 ? 1 + i / 2 % n : 0, c->args.tag, LOGP_RECV_BUF, 0, 0);
}

/* As many messages are under way to rank 0 as there are others, give or take one. The space for them
 * is not asked for again and again, whatever their number. */
Test(memory_algorithms, a_fold_has_space_for_the_next_message)
{
    enum { MANY = 1 << 30, FEW = 40 };
    const struct logp_network network = {.params = {.g_ns = 4, .capacity = 1000}};

    for (int P = 20; P <= 140; P++) {
        const struct logp_schedule s = {.P = P, .steps = answered, .model = network};
        struct logp_delay delay;
        struct logp_fold out;

        cr_assert_eq(logp_network_delay(&network, P, NULL, &delay, NULL), 0);
        refuse(MANY);
        cr_assert_eq(logp_schedule_fold(&s, &delay, 0, &out), 0);
        cr_expect_lt(MANY - atomic_load(&until_refusal), FEW + 2 * P, "%d: %d requests", P,
                     MANY - atomic_load(&until_refusal));
        refuse(0);
        cr_expect_eq(out.messages, 2 * (uint64_t)(P - 1) * ROUNDS);
        logp_delay_destroy(&delay);
    }
}
