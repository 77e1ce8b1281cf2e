/* SPDX-License-Identifier: MIT */
/*
 * Nobody leaves a barrier before all have come: an experiment finds barriers that do not hold, each
 * broken in its own way, with any clock; and all of the table hold, by their clocks too.
 */
#include "support.h"

static int left_of(const struct logp_vp *vp, int d)
{
    return (logp_vp_rank(vp) + logp_vp_size(vp) - d) % logp_vp_size(vp);
}

/* Dissemination in rounds of distance 1, 2, 4, ... < end. */
static int disseminate(struct logp_vp *vp, const struct logp_invocation *c, int end, int sends)
{
    for (int d = 1; d < end; d *= 2) {
        for (int i = 0; i < sends; i++)
            TRY(logp_send(vp, test_right(vp, d), c->args.tag, NULL, 0));
        TRY(logp_recv(vp, left_of(vp, d), c->args.tag, NULL, 0, NULL));
    }
    return 0;
}

/* All tell rank 0, which tells all when it has heard of all but so many. */
static int central(struct logp_vp *vp, const struct logp_invocation *c, int missing)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);

    for (int i = 1 + missing; me == 0 && i < P; i++)
        TRY(logp_recv(vp, LOGP_ANY_SOURCE, c->args.tag, NULL, 0, NULL));
    for (int i = 1; me == 0 && i < P; i++)
        TRY(logp_send(vp, i, c->args.tag, NULL, 0));
    if (me != 0)
        TRY(logp_send(vp, 0, c->args.tag, NULL, 0));
    if (me != 0)
        TRY(logp_recv(vp, 0, c->args.tag, NULL, 0, NULL));
    return 0;
}

static int away; /* of few processors each once */

/* Holds everyone back, but for one: without it, it lets all through. */
static int all_but_one(struct logp_vp *vp, const struct logp_invocation *c)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp), centre = away == 0 ? 1 : 0;

    if (me == away)
        return 0;
    if (me != centre) {
        TRY(logp_send(vp, centre, c->args.tag, NULL, 0));
        return logp_recv(vp, centre, c->args.tag, NULL, 0, NULL);
    }
    for (int i = 0; i < P; i++)
        if (i != me && i != away)
            TRY(logp_recv(vp, i, c->args.tag, NULL, 0, NULL));
    for (int i = 0; i < P; i++)
        if (i != me && i != away)
            TRY(logp_send(vp, i, c->args.tag, NULL, 0));
    return 0;
}

/* How the barrier works. */
static enum way {
    WHOLE,
    CENTRE,
    NOTHING,
    WITHOUT_THE_LAST_ROUND,
    A_MESSAGE_TOO_MANY, /* right the first time: what it leaves behind lets all through the second */
    THE_LAST_DOES_NOT_WAIT, /* for the answer */
    CENTRE_WITHOUT_ONE,
    ALL_BUT_ONE,
    FAILS,
    FAILS_AT_FIRST, /* with the first call of rank 1: before there is anything to be timed */
    DEADLOCKS
} way;
static int calls[4];

static int work(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);

    switch (way) {
    case CENTRE:
    case CENTRE_WITHOUT_ONE:
        return central(vp, c, way == CENTRE_WITHOUT_ONE);
    case NOTHING:
        return 0;
    case WITHOUT_THE_LAST_ROUND:
        return disseminate(vp, c, (P + 1) / 2, 1);
    case A_MESSAGE_TOO_MANY:
        return disseminate(vp, c, P, 2);
    case THE_LAST_DOES_NOT_WAIT:
        return me == P - 1 ? logp_send(vp, 0, c->args.tag, NULL, 0) : central(vp, c, 0);
    case ALL_BUT_ONE:
        return all_but_one(vp, c);
    case FAILS:
        return me == 1 ? -EPROTO : 0;
    case DEADLOCKS:
        return logp_recv(vp, test_right(vp, 1), c->args.tag, NULL, 0, NULL);
    case FAILS_AT_FIRST:
        if (calls[me]++ == 0 && me == 1)
            return -EPROTO;
        break;
    case WHOLE:
        break;
    }
    return disseminate(vp, c, P, 1);
}

static const struct logp_algorithm row = {
    LOGP_ALGORITHM("barrier", "own", "for a test", "this file"), .run = work,
    .predict = test_unpredicted};

static struct logp_record measure(struct logp_machine *m, enum way how, int reps, uint64_t seed)
{
    const struct logp_experiment x =
        test_experiment(&row, &(struct logp_args){.tag = 5}, reps, seed);
    struct logp_record r;

    way = how;
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_assert_eq(r.reps, reps);
    return r;
}

/* The virtual clock, the wall clock, the wall clock without delays. */
static struct logp_machine *machine(int i, int P)
{
    return test_machine(P, i == 0 ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL,
                        i < 2 ? &test_600ns : NULL);
}

static void expect_held(struct logp_machine *m, int reps)
{
    struct logp_record r = measure(m, WHOLE, reps, 0);

    cr_expect(r.verified && r.wrong_rank == -1);
    r = measure(m, CENTRE, reps, 0);
    cr_expect(r.verified && r.wrong_rank == -1);
}

static void expect_broken(struct logp_machine *m, int reps)
{
    const int P = logp_machine_size(m);
    const struct logp_record one = measure(m, THE_LAST_DOES_NOT_WAIT, reps, 0);

    cr_expect(!one.verified);
    cr_expect_eq(one.wrong_rank, P - 1);
    cr_expect(!measure(m, NOTHING, reps, 0).verified, "nothing, P %d", P);
    cr_expect(!measure(m, WITHOUT_THE_LAST_ROUND, reps, 0).verified, "a round less, P %d", P);
    cr_expect(!measure(m, CENTRE_WITHOUT_ONE, reps, 0).verified, "one less, P %d", P);
    if (reps > 1)
        cr_expect(!measure(m, A_MESSAGE_TOO_MANY, reps, 0).verified, "one more, P %d", P);
}

Test(barrier, one_that_does_not_hold_is_found)
{
    static const int sizes[] = {2, 3, 5, 8, 9, 17, 34};

    for (int i = 0; i < 3; i++)
        for (size_t k = 0; k < (i == 0 ? 7 : 3); k++) {
            TEST_MACHINE m = machine(i, sizes[k]);

            expect_held(m, 1);
            expect_broken(m, 1);
            expect_broken(m, 2);
            expect_held(m, 2); /* on the same machine, after all of these */
        }
}

Test(barrier, with_few_processors_each_is_waited_for)
{
    for (int P = 2; P <= 8; P++) {
        TEST_MACHINE m = machine(0, P);

        for (away = 0; away < P; away++)
            cr_expect(!measure(m, ALL_BUT_ONE, 1, 0).verified, "rank %d of %d", away, P);
    }
}

Test(barrier, with_one_processor_there_is_nobody_to_wait_for)
{
    for (int i = 0; i < 3; i++) {
        TEST_MACHINE m = machine(i, 1);

        expect_held(m, 3);
        cr_expect(measure(m, NOTHING, 1, 0).verified);
    }
}

/* ---- as the experiment runs it ---- */

static struct logp_record expect_error(int i, enum way how, int64_t timeout_ns, int error)
{
    const struct logp_experiment x = {
        .size = sizeof(x), .algorithm = &row, .reps = 1000000, .timeout_ns = timeout_ns};
    TEST_MACHINE m = machine(i, 4);
    struct logp_record r;

    way = how;
    cr_expect_eq(logp_experiment_run(m, &x, &r), error);
    return r;
}

Test(barrier, errors_are_what_they_are_without_a_check)
{
    for (int i = 0; i < 3; i++) {
        struct logp_record r = expect_error(i, FAILS, test_timeout_ns, -EPROTO);

        cr_expect(r.reps == 0 && !r.verified);
        r = expect_error(i, DEADLOCKS, test_timeout_ns, -EDEADLK);
        cr_expect(r.reps == 0 && !r.verified);
        memset(calls, 0, sizeof(calls));
        r = expect_error(i, FAILS_AT_FIRST, test_timeout_ns, -EPROTO);
        cr_expect(r.reps == 0 && !r.verified && r.wrong_rank == -1);
        expect_error(i, WHOLE, 10000000, -ETIMEDOUT);
    }
}

/* The report is of the counted repetitions, not of those in which one stayed away. */
Test(barrier, the_check_leaves_no_trace_in_the_record)
{
    for (int i = 0; i < 3; i++) {
        TEST_MACHINE m = machine(i, 8);
        const struct logp_record r = measure(m, WHOLE, 5, 3);

        cr_expect_eq(r.messages, 24);
        cr_expect_eq(logp_machine_report(m)->error, 0);
        cr_expect_eq(logp_machine_report(m)->n_waits, 0);
        cr_expect_eq(logp_machine_report(m)->unreceived, 0);
        cr_expect(i > 0 || r.emulated.max_ns == 2 * 1000 + 1000);
    }
}

/* ---- by the clocks ---- */

struct coming {
    const struct logp_algorithm *row;
    int64_t came[40];
};

/* Everyone comes at another time, by its own clock; what is written before is seen after. */
static int come_and_go(struct logp_vp *vp, void *arg)
{
    struct coming *x = arg;
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const struct logp_args args = {.root = 0};
    const struct logp_network model = {.params = test_600ns};
    struct logp_plan *plan = NULL;

    OK(logp_plan_create(x->row, P, me, &args, &model, &plan));
    OK(logp_compute(vp, (me * 7919 + 104729) % 5000, NULL, NULL));
    x->came[me] = logp_now(vp);
    OK(logp_plan_run(vp, plan, NULL, NULL));
    for (int i = 0; i < P; i++)
        cr_assert(x->came[i] > 0 && x->came[i] <= logp_now(vp), "%s, P %d: %d leaves before %d",
                  x->row->name, P, me, i);
    logp_plan_destroy(plan);
    return 0;
}

Test(barrier, all_of_the_table_hold_by_the_clocks)
{
    int held = 0;

    for (const struct logp_algorithm *const *a = test_rows(NULL); *a != NULL; a++)
        for (int P = 1; P <= 33 && logp_collective_find((*a)->collective)->holds_back; P += 4) {
            struct coming x = {.row = *a};

            if (test_needs(*a, P, &(struct logp_invocation){.model.params = test_600ns}) != NULL)
                continue;
            held++;
            test_run(machine(0, P), come_and_go, &x);
            memset(x.came, 0, sizeof(x.came));
            if (P < 10)
                test_run(machine(1, P), come_and_go, &x);
        }
    cr_expect_geq(held, 9);
}
