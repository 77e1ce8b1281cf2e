/* SPDX-License-Identifier: MIT */
/*
 * Memory that a group shares, waits for its words, and the collectives that are made of them: right
 * for every size, in every order, and ended by whatever ends a run.
 */
#include "calls.h"

enum { MOST_P = 33, MOST_N = 3000, N_SHARED = CALL_TRANSPOSE /* calls through shared memory */ };

static const char key, other_key;

/* ---- memory and words ---- */

struct memory {
    uint64_t word[64];
};

/* The group of the even ranks, or of the odd ones. */
static int split(struct logp_vp *vp, struct logp_vp **group)
{
    return logp_group_split(vp, logp_vp_rank(vp) % 2, 0, group);
}

/* Each adds its mark to what the one before has shown; so they go on one after the other. */
static int pass_on(struct logp_vp *group, struct memory *m, uint64_t round)
{
    const int P = logp_vp_size(group), me = logp_vp_rank(group);
    uint64_t *before = &m->word[(me + P - 1) % P];

    if (me > 0 || round > 1)
        OK(logp_shared_wait(group, before, me > 0 ? round : round - 1, (me + P - 1) % P));
    cr_assert_eq(logp_shared_get(&m->word[me]), round - 1);
    logp_shared_set(&m->word[me], round);

    return 0;
}

TestProgram(shared, a_group_has_memory_of_its_own,
            for (int P = 1; P <= MOST_P; P += 4)
                test_run(test_machine(P, LOGP_CLOCK_WALL, NULL), program, NULL))
{
    struct logp_vp *group;
    void *whole, *again, *part, *other;

    OK(split(vp, &group));
    cr_assert(logp_shared_possible(vp));
    cr_assert_eq(logp_shared(vp, &key, sizeof(struct memory), &whole), 0);
    cr_assert_eq(logp_shared(vp, &key, sizeof(struct memory), &again), 0);
    cr_assert_eq(logp_shared(vp, &other_key, sizeof(struct memory), &other), 0);
    cr_assert_eq(logp_shared(group, &key, sizeof(struct memory), &part), 0);
    cr_assert_eq(whole, again);
    cr_assert(whole != part && whole != other && part != other);
    cr_assert_eq((uintptr_t)whole % 128, 0);
    for (uint64_t round = 1; round < 40; round++) {
        OK(pass_on(vp, whole, round));
        OK(pass_on(group, part, round));
    }
    logp_group_destroy(group);
    return 0;
}

/* Groups alike, again and again: each has new memory, though others may not have left the last. */
TestProgram(shared, each_group_has_new_memory,
            for (int P = 1; P <= 9; P++)
                test_run(test_machine(P, LOGP_CLOCK_WALL, NULL), program, NULL))
{
    const int P = logp_vp_size(vp);

    for (int i = 0; i < 20; i++) {
        struct logp_vp *group;
        void *memory;

        OK(logp_group_create(vp, 7, NULL, 0, &group));
        cr_assert_eq(logp_shared(group, &key, sizeof(struct memory), &memory), 0);
        if (logp_vp_rank(vp) == i % P) {
            cr_assert_eq(((struct memory *)memory)->word[0], 0);
            logp_shared_set(memory, 1 + (uint64_t)i);
        } else {
            OK(logp_shared_wait(vp, memory, 1 + (uint64_t)i, i % P));
            cr_assert_eq(*(uint64_t *)memory, 1 + (uint64_t)i);
        }
        logp_group_destroy(group);
    }
    return 0;
}

/* Another size than that of the first. */
static int two_sizes(struct logp_vp *vp, void *arg)
{
    void *memory;
    const int rc = logp_shared(vp, &key, logp_vp_rank(vp) == 0 ? 64 : 128, &memory);

    __atomic_fetch_add((int *)arg, rc == -EINVAL, __ATOMIC_RELAXED);
    return rc == -EINVAL ? 0 : rc;
}

Test(shared, all_name_one_size)
{
    int refused = 0;

    test_run(test_machine(2, LOGP_CLOCK_WALL, NULL), two_sizes, &refused);
    cr_assert_eq(refused, 1);
}

static int refused(struct logp_vp *vp, void *arg)
{
    void *memory;

    cr_assert(!logp_shared_possible(vp));
    cr_assert_eq(logp_shared(vp, &key, 64, &memory), -ENOTSUP);
    return 0;
}

Test(shared, there_is_none_where_time_is_emulated)
{
    test_run(test_machine(3, LOGP_CLOCK_VIRTUAL, NULL), refused, NULL);
    test_run(test_machine(3, LOGP_CLOCK_VIRTUAL, &test_600ns), refused, NULL);
    test_run(test_machine(3, LOGP_CLOCK_WALL, &test_600ns), refused, NULL);
}

/* ---- what ends a wait ---- */

/* All but the last wait for a word that the last does not set; it ends, with *arg. */
static int wait_in_vain(struct logp_vp *vp, void *arg)
{
    struct memory *m;
    void *memory;
    int rc;

    rc = logp_shared(vp, &key, sizeof(*m), &memory);
    m = memory;
    if (rc != 0 || logp_vp_rank(vp) == logp_vp_size(vp) - 1)
        return rc != 0 ? rc : *(int *)arg;
    rc = logp_shared_wait(vp, &m->word[0], 5, -1);
    cr_assert_lt(rc, 0);
    cr_assert_eq(logp_shared_wait(vp, &m->word[0], 5, -1), rc); /* it is over */
    return rc;
}

Test(shared, a_wait_in_vain_is_a_deadlock)
{
    int last = 0;

    for (int P = 2; P <= 9; P++) {
        TEST_MACHINE m = test_machine(P, LOGP_CLOCK_WALL, NULL);
        const struct logp_report *r = logp_machine_report(m);

        for (int i = 0; i < 3; i++) {
            cr_assert_eq(logp_machine_run(m, wait_in_vain, &last, test_timeout_ns), -EDEADLK);
            cr_assert_eq(r->n_waits, P - 1);
            for (int k = 0; k < P - 1; k++) {
                cr_assert_eq(r->waits[k].rank, k);
                cr_assert_eq(r->waits[k].kind, LOGP_WAIT_SYNC);
            }
        }
    }
}

Test(shared, an_error_ends_a_wait)
{
    for (int P = 2; P <= 9; P++)
        test_run_fails(test_machine(P, LOGP_CLOCK_WALL, NULL), wait_in_vain, &(int){-EDOM}, -EDOM);
}

/* The last computes, and looks at its clock, until the run is over. */
static int wait_long(struct logp_vp *vp, void *arg)
{
    int rc = 0;

    if (logp_vp_rank(vp) < logp_vp_size(vp) - 1)
        return wait_in_vain(vp, arg);
    while (rc == 0) {
        logp_now(vp);
        rc = logp_compute(vp, 1000, NULL, NULL);
    }
    return rc;
}

Test(shared, a_timeout_ends_a_wait)
{
    for (int P = 2; P <= 5; P++) {
        TEST_MACHINE m = test_machine(P, LOGP_CLOCK_WALL, NULL);

        cr_assert_eq(logp_machine_run(m, wait_long, NULL, 20000000), -ETIMEDOUT);
    }
}

/* ---- the algorithms ---- */

static void run_row(struct logp_machine *m, const struct logp_algorithm *a, int P, int64_t count,
                    uint64_t seed)
{
    const bool has_place = logp_collective_find(a->collective)->in_place != NULL;
    const struct logp_args args = {.root = (int)(seed * 7 % (uint64_t)P),
                                   .n_bytes = (size_t)count * 7,
                                   .count = count,
                                   .op = seed % 2 == 0 ? logp_op_find("sum", "int32") : &maps,
                                   .in_place = has_place && seed % 3 == 0};
    const struct logp_experiment x = test_experiment(a, &args, 3, seed);
    struct logp_record r;

    cr_assert_eq(logp_experiment_run(m, &x, &r), 0, "%s, P %d", a->collective, P);
    cr_assert(r.verified, "%s, P %d, count %d, seed %d: rank %d", a->collective, P, (int)count,
              (int)seed, r.wrong_rank);
    cr_assert_eq(r.messages, 0);
    cr_assert_eq(r.prediction.certainty, LOGP_PREDICTION_NONE);
}

/* Those that go through shared memory. */
static size_t shared_rows(const struct logp_algorithm **rows)
{
    const struct logp_algorithm *a;
    size_t n = 0;

    for (size_t i = 0; (a = logp_algorithm_at(NULL, i)) != NULL; i++)
        if (strcmp(a->name, "shared") == 0)
            rows[n++] = a;
    return n;
}

/* Short items, long ones, and what stays where it is. */
Test(shared, every_size_is_right, .timeout = 300)
{
    static const int64_t counts[] = {0, 1, 2, 5, 14, 17, 63, 126, 145, 1000, 9001, 70001};
    const struct logp_algorithm *rows[TEST_MOST_ROWS];
    const size_t n = shared_rows(rows);

    for (int P = 1; P <= MOST_P; P += TEST_SCALE > 1 ? 5 : 1) {
        TEST_MACHINE m = test_machine(P, LOGP_CLOCK_WALL, NULL);
        uint64_t seed = (uint64_t)P;

        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < 12; k++)
                if (counts[k] * P < 200000 && (k % 3 == (size_t)P % 3 || P < 5))
                    run_row(m, rows[i], P, counts[k], seed++);
    }
}

Test(shared, there_is_one_for_each_that_a_program_calls)
{
    const struct logp_invocation none = {.model.undelayed = true}, emulated = {.args.n_bytes = 8};
    const struct logp_algorithm *rows[TEST_MOST_ROWS];
    const size_t n = shared_rows(rows);

    for (size_t i = 0; i < n; i++) {
        cr_assert_null(test_needs(rows[i], 1024, &none));
        cr_assert(test_needs(rows[i], 1025, &none) != NULL);
        cr_assert(test_needs(rows[i], 4, &emulated) != NULL);
    }
    cr_assert_eq(n, N_SHARED);
}

/* ---- one after the other, as a program calls them ---- */

/* Call `which` with n elements, checked. in and out have room for P n + 1 elements. */
static int call(struct logp_vp *vp, int which, int64_t n, int root, int64_t salt, int64_t *in,
                int64_t *out)
{
    test_call_fill(vp, (enum test_call)which, n, root, salt, in, out);
    TRY(test_call_numbers(vp, (enum test_call)which, n, root, in, out, NULL));
    test_call_check(vp, (enum test_call)which, n, root, salt, in, out);
    return 0;
}

struct load {
    int n;        /* operations */
    int who, at;  /* this rank returns an error before operation `at`; -1: nobody */
    bool grouped; /* half of them in one's half */
};

/* The buffers are freed at once: nobody may be at them any more. */
static int work(struct logp_vp *vp, void *arg)
{
    static const int64_t counts[] = {1, 0, 3, 40, 130, MOST_N, 1, 14};
    const struct load *l = arg;
    const size_t capacity = ((size_t)logp_vp_size(vp) * MOST_N + 1) * sizeof(int64_t);
    struct logp_vp *group = NULL;
    int64_t *in = malloc(capacity), *out = malloc(capacity);
    uint64_t random = 88172645463325252u; /* the same for all */
    int rc = l->grouped ? split(vp, &group) : 0;

    for (int i = 0; rc == 0 && i < l->n; i++) {
        const int which = (int)test_below(&random, N_SHARED);
        const int64_t n = counts[test_below(&random, 8)], root = test_below(&random, 1 << 20);
        struct logp_vp *in_which = l->grouped && i % 2 == 1 ? group : vp;

        if (i == l->at && logp_vp_rank(vp) == l->who)
            rc = -EDOM;
        else
            rc = call(in_which, which, n, (int)(root % logp_vp_size(in_which)), i, in, out);
    }
    free(in);
    free(out);
    logp_group_destroy(group);
    return rc;
}

Test(shared, what_a_program_calls_in_any_order, .timeout = 300)
{
    struct load l = {.n = 500 / test_divisor() + 40, .who = -1, .at = -1};

    for (int P = 1; P <= 20; P += 1 + P / 6)
        for (int grouped = 0; grouped < 2; grouped++) {
            l.grouped = grouped;
            test_run(test_machine(P, LOGP_CLOCK_WALL, NULL), work, &l);
        }
}

/* Nothing of it is a message. */
TestProgram(
    shared, a_program_sends_no_messages,
    cr_assert_eq(test_report(test_machine(8, LOGP_CLOCK_WALL, NULL), program, NULL, 0).messages, 0))
{
    int64_t in[64], out[64];

    for (int which = 0; which < N_SHARED; which++)
        OK(call(vp, which, 2, 0, which, in, out));
    return 0;
}

/* Whoever is in the middle of something gets out of it, and others are not at its buffers then. */
Test(shared, an_error_in_the_middle_ends_all, .timeout = 300)
{
    struct logp_machine *machines[10];
    const int n = 60 / (TEST_SCALE > 6 ? 6 : TEST_SCALE);

    for (int P = 2; P < 10; P++)
        machines[P] = test_machine(P, LOGP_CLOCK_WALL, NULL);
    for (int i = 0; i < n; i++)
        for (int P = 2; P < 10; P++) {
            struct load l = {.n = 200, .who = i % P, .at = i + 3, .grouped = i % 5 == 1};

            cr_assert_eq(logp_machine_run(machines[P], work, &l, test_timeout_ns), -EDOM);
            l.at = -1;
            l.n = 20;
            cr_assert_eq(logp_machine_run(machines[P], work, &l, test_timeout_ns), 0);
        }
    for (int P = 2; P < 10; P++)
        cr_assert_eq(logp_machine_destroy(machines[P]), 0);
}

Test(shared, a_timeout_in_the_middle_ends_all, .timeout = 300)
{
    struct load l = {.n = 1 << 30, .who = -1, .at = -1};

    for (int i = 0; i < 12; i++) {
        TEST_MACHINE m = test_machine(2 + i % 7, LOGP_CLOCK_WALL, NULL);

        cr_assert_eq(logp_machine_run(m, work, &l, 3000000 + i * 100000), -ETIMEDOUT);
    }
}

/* They do not agree how much: the calls differ. */
TestProgram(shared, too_much_is_refused,
            for (int i = 0; i < 3; i++)
                test_run_fails(test_machine(2, LOGP_CLOCK_WALL, NULL), program,
                               &(size_t){i == 0   ? 4
                                         : i == 1 ? 300
                                                  : 5000},
                               -EPROTO))
{
    const size_t n = *(const size_t *)arg;
    char *buf = calloc(1, 2 * n);
    const int rc = logp_broadcast(vp, buf, logp_vp_rank(vp) == 0 ? 2 * n : n, 0);

    free(buf);
    return rc;
}

/* ---- beside what is under way ---- */

/* The even ranks wait for the broadcast first, the odd ones come to the barrier first: there they
 * pass the broadcast on. */
static int beside(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);

    for (int i = 0; i < 100; i++) {
        struct logp_request *pending;
        int64_t item = me == i % P ? i + 5 : -1, sum = 0;
        const int64_t one = 1;

        OK(logp_ibroadcast(vp, &item, sizeof(item), i % P, &pending));
        if (me % 2 == 0)
            OK(logp_wait(vp, pending, NULL));
        OK(logp_barrier(vp));
        OK(logp_allreduce(vp, &one, &sum, 1, logp_op_find("sum", "int64")));
        if (me % 2 == 1)
            OK(logp_wait(vp, pending, NULL));
        cr_assert(item == i + 5 && sum == P);
    }
    return 0;
}

Test(shared, what_is_under_way_goes_on)
{
    for (int P = 1; P <= 18; P += 1 + P / 4)
        test_run(test_machine(P, LOGP_CLOCK_WALL, NULL), beside, NULL);
}

/* The same where the last never comes: it is noticed, though others poll. Several cores that poll are
 * left to the timeout. */
TestProgram(shared, who_polls_beside_is_noticed,
            test_run_fails(test_machine(2, LOGP_CLOCK_WALL, NULL), program, NULL, -EDEADLK))
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    struct logp_request *pending;
    int64_t item = 3;

    if (me == P - 1)
        return 0;
    TRY(logp_ibroadcast(vp, &item, sizeof(item), P - 1, &pending));
    return logp_barrier(vp);
}

static int hundred_barriers(struct logp_vp *vp, void *arg)
{
    for (int i = 0; i < 100; i++)
        OK(logp_barrier(vp));
    return 0;
}

/* Who is traced takes the same way: there are no messages, but waits. */
Test(shared, a_trace_shows_who_waits)
{
    TEST_MACHINE m = test_machine(4, LOGP_CLOCK_WALL, NULL);
    const struct logp_trace_config config = {.size = sizeof(config)};
    struct logp_trace *trace;
    size_t n, waits = 0;

    cr_assert_eq(logp_machine_trace(m, &config), 0);
    cr_assert_eq(logp_machine_run(m, hundred_barriers, NULL, test_timeout_ns), 0);
    cr_assert_eq(logp_machine_take_trace(m, &trace), 0);
    for (int r = 0; r < 4; r++) {
        const struct logp_event *e = logp_trace_events(trace, r, &n);

        for (size_t i = 0; i < n; i++) {
            cr_assert_eq(e[i].kind, LOGP_EVENT_IDLE);
            cr_assert_geq(e[i].start_ns, i > 0 ? e[i - 1].end_ns : 0);
            waits++;
        }
    }
    cr_expect_gt(waits, 0);
    logp_trace_free(trace);
}
