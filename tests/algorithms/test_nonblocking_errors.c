/* SPDX-License-Identifier: MIT */
/*
 * Collectives that are started, where something goes wrong: misuse, errors, what a program leaves
 * behind, more than can be told apart. And what libraries keep with a vp.
 */
#include <malloc.h>

#include "support.h"

TestProgram(nonblocking_errors, misuse_is_said,
            cr_assert_eq(test_report(test_machine(2, LOGP_CLOCK_VIRTUAL, &test_600ns), program,
                                     NULL, 0)
                             .unreceived,
                         0))
{
    static const struct logp_step far = {.kind = LOGP_STEP_SEND, .tag = LOGP_PENDING_TAGS};
    static const struct logp_step *const steps[] = {&far, &far};
    static const int64_t n[] = {1, 1};
    static const struct logp_step_list list = {.P = 2, .steps = steps, .n = n};
    const struct logp_op *sum = logp_op_find("sum", "int64");
    const int me = logp_vp_rank(vp);
    struct logp_args args = {.n_bytes = 8, .rows = 2, .cols = 2};
    const struct logp_algorithm *a = logp_algorithm_find("broadcast", "chain");
    struct logp_request *p = NULL, *none = NULL;
    struct logp_plan *plan;
    int64_t x[2] = {0};
    bool done;
    int index;

    cr_assert_eq(logp_plan_create(a, 2, 1 - me, &args, NULL, &plan), 0);
    cr_assert_eq(logp_plan_start(vp, plan, x, NULL, &p), -EINVAL);
    logp_plan_destroy(plan);
    cr_assert_eq(logp_plan_create(a, 3, me, &args, NULL, &plan), 0);
    cr_assert_eq(logp_plan_start(vp, plan, x, NULL, &p), -EINVAL);
    logp_plan_destroy(plan);
    cr_assert_eq(logp_plan_create(a, 2, me, &args, NULL, &plan), 0);
    cr_assert_eq(logp_plan_start(vp, plan, x, NULL, NULL), -EINVAL);
    logp_plan_destroy(plan);
    args.tag = LOGP_PENDING_TAGS;
    cr_assert_eq(logp_plan_create(a, 2, me, &args, NULL, &plan), 0);
    cr_assert_eq(logp_plan_start(vp, plan, x, NULL, &p), -EINVAL);
    logp_plan_destroy(plan);
    args.tag = 0;
    args.list = &list;
    a = logp_algorithm_find("schedule", "listed");
    cr_assert_eq(logp_plan_create(a, 2, me, &args, NULL, &plan), 0);
    cr_assert_eq(logp_plan_start(vp, plan, NULL, x, &p), -EINVAL);
    logp_plan_destroy(plan);
    cr_assert_eq(logp_ibroadcast(vp, x, 8, 2, &p), -EINVAL);
    cr_assert_eq(logp_ibroadcast(vp, NULL, 8, 0, &p), -EINVAL);
    cr_assert_eq(logp_ibroadcast(vp, x, 8, 0, NULL), -EINVAL);
    cr_assert_eq(logp_ibarrier(vp, NULL), -EINVAL);
    cr_assert_eq(logp_ialltoall(vp, x, NULL, 8, &p), -EINVAL);
    cr_assert_eq(logp_itranspose(vp, x, x, 0, 1, 8, &p), -EINVAL);
    cr_assert_eq(logp_ireduce(vp, x, x, 1, NULL, 0, &p), -EINVAL);
    cr_assert_eq(logp_iallreduce(vp, x, x, -1, sum, &p), -EINVAL);
    cr_assert_eq(logp_ireduce_scatter(vp, NULL, x, 1, sum, &p), -EINVAL);
    cr_assert_eq(logp_iscan(vp, x, NULL, 1, sum, &p), -EINVAL);
    cr_assert_eq(logp_iexscan(vp, x, NULL, 1, sum, &p), -EINVAL);
    cr_assert_eq(logp_iscatter(vp, x, NULL, 8, 0, &p), -EINVAL);
    cr_assert_eq(logp_igather(vp, NULL, x, 8, 0, &p), -EINVAL);
    cr_assert_eq(logp_iallgather(vp, NULL, x, 8, &p), -EINVAL);
    cr_assert(p == NULL); /* nothing was started, nor counted */
    cr_assert_eq(logp_wait(vp, NULL, NULL), 0);
    cr_assert_eq(logp_test(vp, NULL, &done, NULL), 0);
    cr_assert(done);
    cr_assert_eq(logp_waitany(vp, &none, -1, &index, NULL), -EINVAL);
    cr_assert_eq(logp_waitall(vp, &none, -1, NULL), -EINVAL);
    cr_assert_eq(logp_waitall(vp, NULL, 1, NULL), -EINVAL);
    cr_assert_eq(logp_ibroadcast(vp, x, 8, 0, &p), 0);
    return logp_wait(vp, p, NULL);
}

/* An algorithm that is no schedule, and says that it is the best. */
static int flat_run(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf)
{
    if (logp_vp_rank(vp) != c->args.root)
        return logp_recv(vp, c->args.root, c->args.tag, buf, c->args.n_bytes, NULL);
    for (int i = 0; i < logp_vp_size(vp); i++)
        if (i != c->args.root)
            OK(logp_send(vp, i, c->args.tag, buf, c->args.n_bytes));
    return 0;
}

static const struct logp_algorithm no_schedule = {
    LOGP_ALGORITHM("broadcast", "own", "no schedule", "me"), .run = flat_run,
    .predict = test_at_once};

static int without_steps(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);
    const struct logp_args args = {.n_bytes = 8};
    struct logp_plan *plan;
    struct logp_request *p;
    int64_t item = me == 0 ? 5 : 0;

    OK(logp_plan_create(&no_schedule, logp_vp_size(vp), me, &args, NULL, &plan));
    cr_assert_eq(logp_plan_start(vp, plan, &item, NULL, &p), -ENOTSUP);
    OK(logp_plan_run(vp, plan, &item, NULL));
    cr_assert_eq(logp_now(vp), 600 + 400 * me); /* 0 sends at 0 and 400 */
    logp_plan_destroy(plan);
    item = me == 1 ? 6 : 0;
    OK(logp_ibroadcast(vp, &item, sizeof(item), 1, &p));
    OK(logp_wait(vp, p, NULL));
    cr_assert_eq(item, 6);
    return 0;
}

Test(nonblocking_errors, what_has_no_steps_is_not_started)
{
    const struct logp_invocation c = {.args.n_bytes = 8, .model.params = test_600ns};

    cr_assert_eq(logp_algorithm_add(&no_schedule), 0);
    cr_assert_eq(test_best("broadcast", 3, &c), &no_schedule);
    test_run(test_machine(3, LOGP_CLOCK_VIRTUAL, &test_600ns), without_steps, NULL);
}

/* Start two broadcasts. Of the first one, rank 0 sends 16 bytes, and rank 1 takes 8. */
static int start_two(struct logp_vp *vp, int64_t *a, int64_t *b, struct logp_plan **plan,
                     struct logp_request *requests[2])
{
    const int me = logp_vp_rank(vp);
    const struct logp_args args = {.n_bytes = me == 0 ? 16 : 8};

    OK(logp_plan_create(logp_algorithm_find("broadcast", "flat"), 2, me, &args, NULL, plan));
    OK(logp_plan_start(vp, *plan, a, NULL, &requests[0]));
    return logp_ibroadcast(vp, b, 8, 0, &requests[1]);
}

/* What is too large fails alone. A plan's calls are not compared. */
TestProgram(nonblocking_errors, one_that_fails_leaves_the_others_alone,
            cr_assert_eq(test_report(test_machine(2, LOGP_CLOCK_VIRTUAL, &test_600ns), program,
                                     NULL, 0)
                             .unreceived,
                         1))
{
    const int me = logp_vp_rank(vp);
    int64_t a[2] = {1, 2}, b = me == 0 ? 3 : 0;
    struct logp_request *p[2];
    struct logp_plan *plan;

    OK(start_two(vp, a, &b, &plan, p));
    cr_assert_eq(logp_waitall(vp, p, 2, NULL), me == 0 ? 0 : -EMSGSIZE);
    cr_assert(p[0] == NULL && p[1] == NULL);
    cr_assert_eq(b, 3);
    logp_plan_destroy(plan);
    return 0;
}

/* It has failed by the time it is waited for, as a wait for another one has served it. */
TestProgram(nonblocking_errors, one_that_has_failed_says_so_when_it_is_waited_for,
            cr_assert_eq(test_report(test_machine(2, LOGP_CLOCK_VIRTUAL, &test_600ns), program,
                                     NULL, 0)
                             .unreceived,
                         1))
{
    const int me = logp_vp_rank(vp);
    int64_t a[2] = {1, 2}, b = me == 0 ? 3 : 0;
    struct logp_request *p[2];
    struct logp_plan *plan;

    OK(start_two(vp, a, &b, &plan, p));
    OK(logp_wait(vp, p[1], NULL));
    cr_assert_eq(b, 3);
    cr_assert_eq(logp_wait(vp, p[0], NULL), me == 0 ? 0 : -EMSGSIZE);
    logp_plan_destroy(plan);
    return 0;
}

/* How a program leaves its collectives. */
enum leaving { WITHOUT_WAITING, WITH_AN_ERROR, WITHOUT_STARTING };

/* The last rank leaves; with a start, and a message that comes all the same. */
static int leave(struct logp_vp *vp, void *arg)
{
    const enum leaving leaving = *(const enum leaving *)arg;
    const struct logp_op *sum = logp_op_find("sum", "int64");
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    static int64_t in[600], results[5][3][600]; /* stay when the program is gone */
    const int expected = leaving == WITH_AN_ERROR ? -ECANCELED : -EDEADLK;
    struct logp_request *p[3] = {NULL};
    int index, left, rc = 0;

    if (me < P - 1 || leaving != WITHOUT_STARTING)
        for (int i = 0; rc == 0 && i < 3; i++)
            rc = logp_iallreduce(vp, in, results[me][i], 300 * i, sum, &p[i]);
    if (me == P - 1) {
        rc = leaving == WITH_AN_ERROR ? -EIO : 0;
    } else if (rc == 0) { /* the run may end before they are started */
        rc = logp_waitany(vp, &p[1], 2, &index, NULL);
        cr_assert(rc == expected || (rc == 0 && index >= 0)); /* some are completed */
        rc = logp_barrier(vp);                                /* but here none returns */
        cr_assert_eq(rc, expected);
        left = logp_waitall(vp, &p[1], 2, NULL);
        cr_assert(left == 0 || left == expected);
    }
    return rc; /* p[0] is left */
}

static void leave_all(struct logp_machine *m, enum leaving leaving)
{
    const int rc = logp_machine_run(m, leave, &leaving, test_timeout_ns);

    cr_assert_eq(rc, leaving == WITH_AN_ERROR ? -EIO : -EDEADLK);
    cr_assert(logp_machine_report(m)->unreceived > 0 || leaving != WITHOUT_WAITING);
}

/* Two at once, as they should be. */
static int orderly(struct logp_vp *vp, void *arg)
{
    const struct logp_op *sum = logp_op_find("sum", "int64");
    int64_t in = logp_vp_rank(vp), out[2] = {0};
    struct logp_request *p[2];

    OK(logp_iallreduce(vp, &in, &out[0], 1, sum, &p[0]));
    OK(logp_iallreduce(vp, &in, &out[1], 1, sum, &p[1]));
    OK(logp_waitall(vp, p, 2, NULL));
    cr_assert(out[0] == 10 && out[1] == 10);
    return 0;
}

/* And the next run of the machine knows nothing of it. */
Test(nonblocking_errors, what_a_program_leaves_behind_ends_with_it)
{
    const enum leaving all[] = {WITHOUT_WAITING, WITH_AN_ERROR, WITHOUT_STARTING};
    struct logp_machine *m[] = {test_machine(5, LOGP_CLOCK_VIRTUAL, &test_600ns),
                                test_machine(5, LOGP_CLOCK_WALL, NULL)};

    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            leave_all(m[i], all[k]);
            cr_assert_eq(logp_machine_run(m[i], orderly, NULL, test_timeout_ns), 0);
        }
        cr_assert_eq(logp_machine_destroy(m[i]), 0);
    }
}

/* Sends that wait for their receivers: a started alltoall has posted its receives ahead. */
static int leave_receives(struct logp_vp *vp, void *arg)
{
    static int64_t in[4], out[4][4]; /* stay when the program is gone */
    struct logp_request *r;

    (void)arg;
    OK(logp_ialltoall(vp, in, out[logp_vp_rank(vp)], sizeof(in[0]), &r));
    return -EIO;
}

/* After a few runs, further ones leave no memory behind. */
Test(nonblocking_errors, what_is_posted_ahead_ends_with_the_program)
{
    const struct logp_network network = {.params = test_600ns, .rendezvous_from = 1};
    struct logp_machine *m = test_machine_with(
        (struct logp_config){.n_processors = 4, .clock = LOGP_CLOCK_VIRTUAL, .network = &network},
        NULL);
    size_t before = 0;

    for (int i = 0; i < 100; i++) {
        before = i == 50 ? mallinfo2().uordblks : before;
        cr_assert_eq(logp_machine_run(m, leave_receives, NULL, test_timeout_ns), -EIO);
    }
    cr_expect_lt(mallinfo2().uordblks, before + 50 * sizeof(void *));
    cr_assert_eq(logp_machine_destroy(m), 0);
}

/* One is kept until all numbers are given; then they begin anew. */
TestProgram(nonblocking_errors, numbers_come_round_and_are_never_two_at_once,
            test_run(test_machine(2, LOGP_CLOCK_VIRTUAL, &test_600ns), program, NULL))
{
    const int me = logp_vp_rank(vp);
    struct logp_request *oldest, *p;
    int64_t first = me == 1 ? 77 : 0, item = 0;

    OK(logp_ibroadcast(vp, &first, sizeof(first), 1, &oldest));
    for (int64_t i = 1; i < LOGP_MOST_PENDING; i++) {
        item = me == 0 ? i : 0;
        OK(logp_ibroadcast(vp, &item, sizeof(item), 0, &p));
        OK(logp_wait(vp, p, NULL));
        cr_assert(item == i);
    }
    cr_assert(logp_ibroadcast(vp, &item, sizeof(item), 0, &p) == -EAGAIN);
    OK(logp_wait(vp, oldest, NULL));
    cr_assert(first == 77);
    item = me == 0 ? -5 : 0;
    OK(logp_ibroadcast(vp, &item, sizeof(item), 0, &p));
    OK(logp_wait(vp, p, NULL));
    cr_assert(item == -5);
    return 0;
}

/* ---- what others keep with a vp ---- */

static const char keys[2];
static _Atomic int ended[2];

static void count_end(struct logp_attached *attached)
{
    ended[attached->key == &keys[1]]++;
    free(attached);
}

static int attach(struct logp_vp *vp, void *arg)
{
    struct logp_vp *group;

    OK(logp_group_create(vp, 1, NULL, 0, &group));
    cr_assert_null(logp_vp_attached(vp, &keys[0]));
    for (int i = 0; i < 2; i++) {
        struct logp_attached *a = malloc(sizeof(*a));

        *a = (struct logp_attached){.key = &keys[i], .end = count_end};
        OK(logp_vp_attach(i == 0 ? vp : group, a));
        cr_assert(logp_vp_attached(group, &keys[i]) == a);
        cr_assert(logp_vp_attached(logp_vp_collective(vp), &keys[i]) == a);
        cr_assert(i > 0 || logp_vp_attached(vp, &keys[1]) == NULL);
    }
    logp_group_destroy(group);
    return 0;
}

Test(nonblocking_errors, what_is_attached_ends_with_the_program)
{
    TEST_MACHINE m = test_machine(5, LOGP_CLOCK_WALL, NULL);

    for (int i = 1; i <= 2; i++) {
        cr_assert_eq(logp_machine_run(m, attach, NULL, test_timeout_ns), 0);
        cr_assert_eq(ended[0], 5 * i);
        cr_assert_eq(ended[1], 5 * i);
    }
}
