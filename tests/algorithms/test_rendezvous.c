/* SPDX-License-Identifier: MIT */
/*
 * Sends that wait for their receivers: algorithms, whose predictions are the virtual clock's,
 * isend, waits that end in between, and what relies on buffers.
 */
#include "blocks.h"
#include "rendezvous.h"

/* ---- algorithms ---- */

static struct logp_args args_of(const struct logp_collective *what, int P)
{
    return (struct logp_args){.n_bytes = what->operands == LOGP_OPERANDS_MATRIX ? 8 : 48,
                              .rows = P,
                              .cols = P,
                              .count = what->operands == LOGP_OPERANDS_TOTAL ? 10 * P : 7,
                              .op = logp_op_find("sum", "int64")};
}

static bool applies(const struct logp_algorithm *a, int P, const struct logp_args *args,
                    const struct logp_network *model)
{
    return a->steps != NULL && logp_algorithm_needs(a, P, args, model) == NULL;
}

/* Run it; @return what it took, on the vps' clocks. */
static struct logp_record run_one(const struct logp_algorithm *a, int P, enum logp_clock clock,
                                  const struct logp_args *args, const struct logp_network *model,
                                  bool delayed)
{
    TEST_MACHINE m = machine_of(P, clock, delayed ? &model->params : NULL, model->rendezvous_from);
    const struct logp_experiment x = test_experiment(a, args, 1, 1);
    struct logp_record r;
    const int rc = logp_experiment_run(m, &x, &r);

    cr_expect(rc == 0 && r.verified, "%s %s, P = %d, from %lld: %d", a->collective, a->name, P,
              (long long)model->rendezvous_from, rc);
    return r;
}

static void try_algorithm(const struct logp_collective *what, const struct logp_algorithm *a, int P,
                          int64_t from)
{
    const struct logp_args args = args_of(what, P);

    for (int k = 0; k < N_PARAMS; k++) {
        const struct logp_network model = {.params = all_params[k], .rendezvous_from = from};
        struct logp_record r;

        if (!applies(a, P, &args, &model))
            continue;
        r = run_one(a, P, LOGP_CLOCK_VIRTUAL, &args, &model, true);
        cr_expect_eq(r.prediction.certainty, LOGP_PREDICTION_EXACT);
        cr_expect_eq(r.prediction.by, LOGP_BY_SCHEDULE);
        cr_expect_eq(r.prediction.ns, r.emulated.median_ns,
                     "%s %s, P = %d, from %lld, parameters %d: %lld, on the virtual clock %lld",
                     a->collective, a->name, P, (long long)from, k, (long long)r.prediction.ns,
                     (long long)r.emulated.median_ns);
    }
}

static void each_algorithm(void (*try)(const struct logp_collective *what,
                                       const struct logp_algorithm *a, int P, int64_t from))
{
    static const int64_t all_from[] = {1, 9, 100};
    static const int all_P[] = {2, 5, 8, 13};
    const struct logp_collective *what;
    const struct logp_algorithm *a;

    for (size_t i = 0; (what = logp_collective_at(i)) != NULL; i++)
        for (size_t k = 0; (a = logp_algorithm_at(what->name, k)) != NULL; k++)
            for (size_t j = (i + k) % TEST_SCALE % 4; j<4; j += TEST_SCALE> 1 ? 4 : 1)
                for (int f = 0; f < (TEST_SCALE > 1 ? 1 : 3); f++)
                    try(what, a, all_P[j], all_from[f]);
}

Test(rendezvous, every_algorithm_gets_through_and_takes_what_is_predicted)
{
    each_algorithm(try_algorithm);
}

static void try_check(const struct logp_collective *what, const struct logp_algorithm *a, int P,
                      int64_t from)
{
    const struct logp_args args = args_of(what, P);
    const struct logp_network model = {.params = all_params[0], .rendezvous_from = from};
    const struct logp_schedule s = logp_schedule_of(a, P, &args, &model);
    struct logp_schedule_error error;

    if (applies(a, P, &args, &model))
        cr_expect_eq(logp_schedule_check(&s, what, &error), 0, "%s %s, P = %d: rank %lld: %s",
                     what->name, a->name, P, (long long)error.rank, error.what);
}

Test(rendezvous, every_schedule_is_sound)
{
    each_algorithm(try_check);
}

static void try_blocks(const struct logp_collective *what, const struct logp_algorithm *a, int P,
                       uint64_t *random)
{
    struct logp_invocation c = {.args = args_of(what, P), .model = {.rendezvous_from = 9}};
    struct test_blocks out, in;
    struct logp_schedule s;
    struct logp_schedule_error error;

    test_blocks_make(&out, &in, P, random, 16, &c, what);
    s = logp_schedule_of(a, P, &c.args, &c.model);
    cr_expect_eq(logp_schedule_check(&s, what, &error), 0, "%s %s, P = %d: rank %lld: %s",
                 what->name, a->name, P, (long long)error.rank, error.what);
    test_blocks_free(&out);
    test_blocks_free(&in);
}

/* Some of them are empty: there nothing is sent. */
Test(rendezvous, blocks_that_differ_get_through)
{
    const struct logp_collective *what;
    const struct logp_algorithm *a;
    uint64_t random = 1;

    for (size_t i = 0; (what = logp_collective_at(i)) != NULL; i++)
        for (size_t k = 0; (a = logp_algorithm_at(what->name, k)) != NULL; k++)
            for (int n = 0; a->any_blocks && n < 60; n++)
                try_blocks(what, a, 2 + n % 7, &random);
}

/* One of each collective, with and without delays. */
static void try_wall(const struct logp_collective *what, const struct logp_algorithm *a, int P,
                     int64_t from)
{
    const struct logp_args args = args_of(what, P);
    const struct logp_network model = {.params = test_6us, .rendezvous_from = from};
    struct logp_record r;

    if (from != 1 || P > 5 || !applies(a, P, &args, &model))
        return;
    run_one(a, P, LOGP_CLOCK_WALL, &args, &model, false);
    r = run_one(a, P, LOGP_CLOCK_WALL, &args, &model, true);
    cr_expect_geq(r.measured.min_ns, r.prediction.ns, "%s %s: early", what->name, a->name);
}

Test(rendezvous, every_algorithm_gets_through_on_the_wall_clock)
{
    each_algorithm(try_wall);
}

/* ---- isend ---- */

static int64_t isend_end[2];

/* Both send first, and receive before they wait: the payloads go out within the receives. */
static int isend_first(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);
    int out = me, in = -1;
    struct logp_request *q;

    OK(logp_isend(vp, 1 - me, 0, &out, sizeof(out), &q));
    out = -2; /* it was copied */
    OK(logp_recv(vp, 1 - me, 0, &in, sizeof(in), NULL));
    OK(logp_wait(vp, q, NULL));
    isend_end[me] = logp_now(vp);
    return in == 1 - me ? 0 : -EIO;
}

Test(rendezvous, both_may_isend_first)
{
    const struct logp_params *p = &all_params[0];
    /* request, answer, payload, receive */
    const int64_t end = 3 * p->L_ns + 2 * p->o_send_ns + p->o_recv_ns;

    test_run(machine_of(2, LOGP_CLOCK_VIRTUAL, p, 1), isend_first, NULL);
    cr_expect_eq(isend_end[0], end);
    cr_expect_eq(isend_end[1], end);
    for (int i = 0; i < 20; i++) { /* on the wall clock, with delays and without */
        test_run(machine_of(2, LOGP_CLOCK_WALL, i % 2 == 0 ? p : NULL, 1), isend_first, NULL);
        if (i % 2 == 0)
            cr_expect_geq(isend_end[0], end);
    }
}

enum { MANY = 40 };

/* Many at once, to all, taken by whatever comes, tested and waited for. */
static int isend_many(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    struct logp_request *q[2 * MANY] = {NULL};
    static const char bytes[2500];
    char in[MANY][2500];
    int index = 0;

    for (int i = 0; i < MANY; i++)
        OK(logp_isend(vp, (me + i) % P, i, bytes, (size_t)(i * 60), &q[i]));
    for (int i = 0; i < MANY; i++)
        OK(logp_irecv(vp, i % 2 == 0 ? (me + MANY * P - i) % P : LOGP_ANY_SOURCE, i, in[i],
                      sizeof(in[i]), &q[MANY + i]));
    for (bool done = false; !done;)
        OK(logp_test(vp, q[MANY], &done, NULL));
    q[MANY] = NULL;
    while (index >= 0)
        OK(logp_waitany(vp, q, 2 * MANY, &index, NULL));
    return 0;
}

Test(rendezvous, many_isends_at_once)
{
    static const struct logp_params p = {.L_ns = 600, .o_send_ns = 20, .o_recv_ns = 20, .g_ns = 40};

    for (int i = 0; i < 3; i++) {
        const struct logp_report r = test_report(
            machine_of(4, i == 0 ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL, i < 2 ? &p : NULL, 1000),
            isend_many, NULL, 0);

        cr_expect_eq(r.unreceived, 0);
        cr_expect_eq(r.messages, 4 * MANY);
    }
}

/* ---- a send to itself, which a receive from anyone takes while the vp waits for the send ---- */

TestProgram(rendezvous, a_wait_for_a_send_matches_what_arrives_meanwhile,
            test_run(machine_of(1, LOGP_CLOCK_VIRTUAL, &all_params[0], 1), program, NULL))
{
    struct logp_request *receive, *send;
    char in[8], out[8] = "payload";

    cr_assert_eq(logp_irecv(vp, LOGP_ANY_SOURCE, 1, in, sizeof(in), &receive), 0);
    cr_assert_eq(logp_isend(vp, 0, 1, out, sizeof(out), &send), 0);
    cr_expect_eq(logp_now(vp), 20); /* o_send of the request */
    cr_expect_eq(logp_wait_until(vp, send, 10, NULL), -ETIME);
    cr_expect_eq(logp_now(vp), 120, "a look costs poll_ns: %ld", (long)logp_now(vp));
    cr_expect_eq(logp_wait_until(vp, send, 9000, NULL), 0);
    cr_expect_eq(logp_now(vp), 1240, "%ld", (long)logp_now(vp)); /* 20 + 2 L + o_send */
    cr_expect_eq(logp_wait(vp, receive, NULL), 0);
    cr_expect_str_eq(in, out);
    return 0;
}

/* What has come is matched first: it may answer this very send. */
static int test_own(struct logp_vp *vp, void *arg)
{
    struct logp_request *receive, *send;
    bool done = false;
    char in[8];

    cr_assert_eq(logp_irecv(vp, LOGP_ANY_SOURCE, 1, in, sizeof(in), &receive), 0);
    cr_assert_eq(logp_isend(vp, 0, 1, "payload", sizeof(in), &send), 0);
    cr_assert_eq(logp_compute(vp, 5000, NULL, NULL), 0);
    cr_expect_eq(logp_test(vp, send, &done, NULL), 0);
    cr_expect(done, "the answer is there since 1220");
    cr_expect_eq(logp_now(vp), 5040, "%ld", (long)logp_now(vp)); /* o_send of the payload */
    return logp_wait(vp, receive, NULL);
}

/* While one send waits for rank 0, the answer to another comes earlier. */
static int send_both(struct logp_vp *vp, void *arg)
{
    struct logp_status status = {.source = -1};
    struct logp_request *receive, *send;
    char in[8];

    if (logp_vp_rank(vp) == 0)
        return logp_recv(vp, 1, 2, in, sizeof(in), NULL);
    cr_assert_eq(logp_irecv(vp, LOGP_ANY_SOURCE, 1, in, sizeof(in), &receive), 0);
    cr_assert_eq(logp_isend(vp, 1, 1, "payload", sizeof(in), &send), 0);
    cr_assert_eq(logp_send(vp, 0, 2, "payload", sizeof(in)), 0);
    cr_expect_eq(logp_now(vp), 1280, "%ld", (long)logp_now(vp)); /* 40 + o + 2 L + o */
    cr_assert_eq(logp_wait(vp, receive, &status), 0);
    cr_expect_eq(status.arrival_ns, 1840); /* 3 L + 2 o: its payload was sent at 1220 */
    return logp_wait(vp, send, NULL);
}

Test(rendezvous, a_payload_is_sent_by_the_first_call_after_its_answer)
{
    test_run(machine_of(1, LOGP_CLOCK_VIRTUAL, &all_params[0], 1), test_own, NULL);
    test_run(machine_of(2, LOGP_CLOCK_VIRTUAL, &all_params[0], 1), send_both, NULL);
}

/* ---- waits that end between the request and its payload ---- */

/* Rank 1 gives up then: what comes too late is there for the next receive. */
TestProgram(rendezvous, a_receive_may_give_up_between_request_and_payload,
            for (int64_t until = 0; until < 4 * all_params[0].L_ns; until += 100)
                test_run(machine_of(2, LOGP_CLOCK_VIRTUAL, &all_params[0], 1), program, &until))
{
    const int64_t until = *(const int64_t *)arg;
    int x = 7, rc;

    if (logp_vp_rank(vp) == 0)
        return logp_send(vp, 1, 0, &x, sizeof(x));
    x = 0;
    rc = logp_recv_until(vp, 0, 0, &x, sizeof(x), until, NULL);
    OK(rc == -ETIME ? logp_recv(vp, 0, 0, &x, sizeof(x), NULL) : rc);
    return x == 7 ? 0 : -EIO;
}

/* The receive's time is over, so it is a poll, during which the request comes. The payload comes after
 * the poll, and is for the next receive. */
static int give_up_in_a_poll(struct logp_vp *vp, void *arg)
{
    struct logp_request *r;
    int x = 7;

    (void)arg;
    if (logp_vp_rank(vp) == 0) {
        OK(logp_recv(vp, 1, 1, NULL, 0, NULL));
        OK(logp_isend(vp, 1, 0, &x, sizeof(x), &r));
        OK(logp_yield(vp));
        return logp_wait(vp, r, NULL);
    }
    x = 0;
    OK(logp_send_as(vp, LOGP_SEND_BUFFERED, 0, 1, NULL, 0));
    cr_assert_eq(logp_recv_until(vp, 0, 0, &x, sizeof(x), -1, NULL), -ETIME);
    OK(logp_recv(vp, 0, 0, &x, sizeof(x), NULL));
    return x == 7 ? 0 : -EIO;
}

Test(rendezvous, a_receive_may_give_up_while_its_request_comes)
{
    const struct logp_network network = {.undelayed = true, .rendezvous_from = 1};

    test_run(test_machine_with(
                 (struct logp_config){.n_processors = 2, .network = &network, .n_cores = 1}, NULL),
             give_up_in_a_poll, NULL);
}

/* Both isend, and wait for the other's message for a while first. */
TestProgram(rendezvous, who_waits_for_a_while_still_sends,
            for (int64_t until = 0; until < 4 * all_params[0].L_ns; until += 100)
                test_run(machine_of(2, LOGP_CLOCK_VIRTUAL, &all_params[0], 1), program, &until))
{
    const int64_t until = *(const int64_t *)arg;
    const int me = logp_vp_rank(vp);
    struct logp_request *out, *in;
    int x = -1, rc;

    OK(logp_isend(vp, 1 - me, 0, &me, sizeof(me), &out));
    OK(logp_irecv(vp, 1 - me, 0, &x, sizeof(x), &in));
    rc = logp_wait_until(vp, in, until, NULL);
    OK(rc == -ETIME ? logp_wait(vp, in, NULL) : rc);
    OK(logp_wait(vp, out, NULL));
    return x == 1 - me ? 0 : -EIO;
}

/* Rank 1 is met by a long one; then what rank 2 sends takes all the room there is. */
static int crowd(struct logp_vp *vp, void *arg)
{
    static const char bytes[4096];
    const int me = logp_vp_rank(vp);
    char in[4096];
    int rc = 0;

    if (me == 0)
        return logp_send(vp, 1, 0, bytes, sizeof(bytes));
    if (me == 1)
        rc = logp_recv(vp, 0, 0, in, sizeof(in), NULL);
    if (me == 2) {
        rc = logp_sleep_until(vp, 60100);
        while (rc == 0)
            rc = logp_send(vp, 1, 1, bytes, 1000);
        rc = rc == -ENOBUFS ? 0 : rc;
    }
    return rc;
}

Test(rendezvous, a_payload_has_room)
{
    const struct logp_network network = {
        .params = {.L_ns = 60000, .o_send_ns = 20, .o_recv_ns = 30, .g_ns = 40},
        .rendezvous_from = 2000};
    const struct logp_config c = {.size = sizeof(c),
                                  .n_processors = 3,
                                  .clock = LOGP_CLOCK_VIRTUAL,
                                  .executor = test_executor(),
                                  .queue_limit = 12000,
                                  .network = &network};
    TEST_MACHINE m = NULL;

    cr_assert_eq(logp_machine_create(&c, &m), 0);
    cr_expect_eq(logp_machine_run(m, crowd, NULL, test_timeout_ns), 0);
}

/* ---- what relies on buffers ---- */

/* Rank 1 wants the second message first. */
static bool crossed(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                    struct logp_step *out)
{
    const int tag = (int)(rank == 0 ? i : 1 - i);

    if (i >= 2)
        return false;
    return rank == 0 ? logp_step_send(out, 1, tag, LOGP_RECV_BUF, 0, 4)
                     : logp_step_receive(out, 0, tag, LOGP_RECV_BUF, 0, 4);
}

static int run_crossed(struct logp_vp *vp, void *arg)
{
    struct logp_invocation c = {.plan.parent = -1};
    int buf = 0;

    return logp_schedule_run(vp, crossed, &c, &buf, &buf);
}

static void fill_sizes(int P, int rank, const struct logp_invocation *c, size_t *buf,
                       size_t *recv_buf)
{
    *buf = 0;
    *recv_buf = 4;
}

/* Both ranks wait for ever: rank 0 in a send to rank 1, and rank 1 as it is. */
static void expect_deadlock(struct logp_machine *m, logp_program program, int tag)
{
    const struct logp_report *report;

    cr_expect_eq(logp_machine_run(m, program, NULL, test_timeout_ns), -EDEADLK);
    report = logp_machine_report(m);
    cr_assert_eq(report->n_waits, 2);
    cr_expect_eq(report->waits[0].kind, LOGP_WAIT_SEND);
    cr_expect_eq(report->waits[0].source, 1);
    cr_expect_eq(report->waits[0].tag, tag);
}

Test(rendezvous, what_relies_on_buffers_waits_for_ever)
{
    struct logp_schedule s = {.P = 2, .steps = crossed};
    struct logp_delay delay;
    struct logp_fold fold;

    cr_assert_eq(logp_delay_create("logp", &all_params[0], &delay), 0);
    cr_expect_eq(logp_schedule_fold(&s, &delay, 0, &fold), 0);
    s.model.rendezvous_from = 5; /* longer ones alone */
    cr_expect_eq(logp_schedule_fold(&s, &delay, 0, &fold), 0);
    s.model.rendezvous_from = 4;
    cr_expect_eq(logp_schedule_fold(&s, &delay, 0, &fold), -EDEADLK);
    cr_expect_eq(fold.rank, 0);
    cr_expect_eq(fold.source, 1);
    cr_expect_eq(fold.tag, 0);
    logp_delay_destroy(&delay);
    for (int i = 0; i < 4; i++) {
        TEST_MACHINE m = machine_of(2, i < 2 ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL,
                                    i % 2 == 0 ? &all_params[0] : NULL, 4);

        expect_deadlock(m, run_crossed, 0);
        cr_expect_eq(logp_machine_report(m)->waits[1].kind, LOGP_WAIT_RECV);
        cr_assert_eq(logp_machine_set_rendezvous_from(m, 0), 0);
        cr_expect_eq(logp_machine_run(m, run_crossed, NULL, test_timeout_ns), 0);
    }
}

/* Rank 0 waits for the first of a send and a receive, and rank 1 never takes the one nor sends the
 * other. */
static int run_any(struct logp_vp *vp, void *arg)
{
    struct logp_request *requests[2] = {NULL, NULL};
    int i, buf = 0;

    if (logp_vp_rank(vp) == 1)
        return logp_recv(vp, 0, 9, &buf, sizeof(buf), NULL);
    TRY(logp_isend(vp, 1, 3, &buf, sizeof(buf), &requests[0]));
    TRY(logp_irecv(vp, 1, 4, &buf, sizeof(buf), &requests[1]));
    return logp_waitany(vp, requests, 2, &i, NULL);
}

Test(rendezvous, a_wait_for_the_first_of_several_is_reported_with_its_send)
{
    for (int i = 0; i < 4; i++) {
        TEST_MACHINE m = machine_of(2, i < 2 ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL,
                                    i % 2 == 0 ? &all_params[0] : NULL, 4);

        expect_deadlock(m, run_any, 3);
    }
}

Test(rendezvous, the_check_finds_what_relies_on_buffers)
{
    const struct logp_collective what = {.name = "none", .sizes = fill_sizes};
    struct logp_schedule s = {.P = 2, .steps = crossed};
    struct logp_schedule_error error;

    cr_expect_eq(logp_schedule_check(&s, &what, &error), -EPROTO); /* sent before it is there */
    s.model.rendezvous_from = 1;
    cr_expect_eq(logp_schedule_check(&s, &what, &error), -EPROTO);
}

Test(rendezvous, a_parallel_machine_has_none)
{
    struct logp_network network = {.undelayed = true, .rendezvous_from = 1};
    struct logp_config c = {.size = sizeof(c),
                            .n_processors = 2,
                            .clock = LOGP_CLOCK_VIRTUAL,
                            .executor = "fiber",
                            .parallel = true,
                            .network = &network};
    struct logp_machine *m;

    cr_expect_eq(logp_machine_create(&c, &m), -EINVAL);
    c.parallel = false;
    network.rendezvous_from = -1;
    cr_expect_eq(logp_machine_create(&c, &m), -EINVAL);
}

/* 0 meets the others with a receive posted, of which 1 cannot know whether it has been waited for.
 */
struct meeting {
    int source;   /* of that receive */
    bool earlier; /* the send comes before the receive is posted, else after 0 waits for the others
                   */
    bool in_group;
    int64_t end;
};

static int meet_with_one_posted(struct logp_vp *vp, void *arg)
{
    struct meeting *a = arg;
    const int me = logp_vp_rank(vp), got = 7 + me;
    struct logp_request *request = NULL;
    struct logp_vp *group = NULL;
    int in = 0;

    if (a->in_group)
        OK(logp_group_dup(vp, &group));
    if (me == (a->earlier ? 0 : 1))
        OK(logp_compute(vp, 5000, NULL, NULL));
    if (me == 0)
        OK(logp_irecv(vp, a->source, 3, &in, sizeof(in), &request));
    if (me == 1)
        OK(logp_send(vp, 0, 3, &got, sizeof(got)));
    OK(logp_sync(a->in_group ? group : vp, NULL));
    if (me == 0)
        OK(logp_wait(vp, request, NULL));
    if (me == 0) {
        cr_expect_eq(in, 8);
        a->end = logp_now(vp);
    }
    logp_group_destroy(group);
    return 0;
}

Test(rendezvous, who_meets_others_answers_what_it_has_posted)
{
    for (int i = 0; i < 16; i++) {
        const bool is_virtual = i % 2 == 0;
        struct meeting any = {LOGP_ANY_SOURCE, i % 4 < 2, i % 8 < 4, 0}, named = any;
        TEST_MACHINE m = machine_of(3, is_virtual ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL,
                                    i < 8 ? &all_params[0] : NULL, 1);

        named.source = 1;
        cr_expect_eq(logp_machine_run(m, meet_with_one_posted, &any, test_timeout_ns), 0);
        cr_expect_eq(logp_machine_run(m, meet_with_one_posted, &named, test_timeout_ns), 0);
        if (is_virtual)
            cr_expect_eq(any.end, named.end);
    }
}

/* ---- modes of a send ---- */

struct modes {
    enum logp_send_mode mode;
    bool is_isend;
    int64_t sent, received; /* when rank 0 went on, and rank 1 had it */
};

/* Rank 1 posts its receive late. */
static int send_in_mode(struct logp_vp *vp, void *arg)
{
    struct modes *a = arg;
    char item[100] = {0};
    struct logp_request *request;

    if (logp_vp_rank(vp) == 1) {
        OK(logp_sleep_until(vp, 5000));
        OK(logp_recv(vp, 0, 3, item, sizeof(item), NULL));
        cr_assert_eq(item[99], 7);
        a->received = logp_now(vp);
        return 0;
    }
    item[99] = 7;
    if (a->is_isend) {
        OK(logp_isend_as(vp, a->mode, 1, 3, item, sizeof(item), &request));
        OK(logp_wait(vp, request, NULL));
    } else {
        OK(logp_send_as(vp, a->mode, 1, 3, item, sizeof(item)));
    }
    a->sent = logp_now(vp);
    return 0;
}

/* A mode takes what the network's threshold would, if that said the same of the send. */
Test(rendezvous, a_send_states_its_mode)
{
    for (int k = 0; k < 4 * N_PARAMS; k++) {
        const struct logp_params *p = &all_params[k / 4];
        const bool is_isend = k % 2 == 1;
        TEST_MACHINE plain = machine_of(2, LOGP_CLOCK_VIRTUAL, p, 0);
        TEST_MACHINE limited = machine_of(2, LOGP_CLOCK_VIRTUAL, p, k % 4 < 2 ? 1 : 100);
        struct modes standard[] = {{.is_isend = is_isend}, {.is_isend = is_isend}},
                     synchronous = {LOGP_SEND_SYNCHRONOUS, is_isend, 0, 0},
                     buffered = {LOGP_SEND_BUFFERED, is_isend, 0, 0};

        OK(logp_machine_run(plain, send_in_mode, &standard[0], test_timeout_ns));
        OK(logp_machine_run(limited, send_in_mode, &standard[1], test_timeout_ns));
        OK(logp_machine_run(plain, send_in_mode, &synchronous, test_timeout_ns));
        OK(logp_machine_run(limited, send_in_mode, &buffered, test_timeout_ns));
        cr_assert(standard[0].sent < 5000 && standard[1].sent >= 5000);
        cr_assert_eq(buffered.sent, standard[0].sent);
        cr_assert_eq(buffered.received, standard[0].received);
        cr_assert_eq(synchronous.sent, standard[1].sent);
        cr_assert_eq(synchronous.received, standard[1].received);
    }
}

static int send_synchronously(struct logp_vp *vp, void *arg)
{
    const int *expected = arg;
    const int rc =
        logp_vp_rank(vp) == 0 ? logp_send_as(vp, LOGP_SEND_SYNCHRONOUS, 1, 0, NULL, 0) : 0;

    cr_assert(logp_send_as(vp, (enum logp_send_mode)3, 0, 0, NULL, 0) == -EINVAL || rc == -EDEADLK);
    cr_assert(logp_vp_rank(vp) > 0 || rc == *expected);
    return rc;
}

Test(rendezvous, a_synchronous_send_waits_for_ever_and_is_refused_where_none_can)
{
    int expected = -EDEADLK;

    for (int clock = 0; clock < 2; clock++) {
        TEST_MACHINE m = machine_of(2, clock ? LOGP_CLOCK_WALL : LOGP_CLOCK_VIRTUAL, NULL, 0);

        cr_assert_eq(logp_machine_run(m, send_synchronously, &expected, test_timeout_ns), expected);
        cr_assert_eq(logp_machine_report(m)->waits[0].kind, LOGP_WAIT_SEND);
    }
    expected = -ENOTSUP;
    {
        TEST_MACHINE m = test_machine_with((struct logp_config){.n_processors = 4,
                                                                .clock = LOGP_CLOCK_VIRTUAL,
                                                                .parallel = true,
                                                                .executor = "fiber"},
                                           &all_params[0]);

        cr_assert_eq(logp_machine_run(m, send_synchronously, &expected, test_timeout_ns), expected);
    }
}

/* ---- cancelled ---- */

/* Rank 1 receives the second of two sends, since the first is taken back; then the third, which it
 * has posted when it is to be taken back. */
static int cancel_sends(struct logp_vp *vp, void *arg)
{
    struct logp_request *r[3];
    int item[] = {1, 2, 3}, got = 0;

    (void)arg;
    if (logp_vp_rank(vp) == 1) {
        OK(logp_recv(vp, 0, 1, &got, sizeof(got), NULL));
        OK(logp_recv(vp, 0, 0, &got, sizeof(got), NULL));
        cr_assert_eq(got, 2);
        OK(logp_irecv(vp, 0, 0, &got, sizeof(got), &r[0]));
        OK(logp_send(vp, 0, 2, NULL, 0));
        OK(logp_wait(vp, r[0], NULL));
        cr_assert_eq(got, 3);
        return 0;
    }
    for (int i = 0; i < 2; i++)
        OK(logp_isend_as(vp, LOGP_SEND_SYNCHRONOUS, 1, 0, &item[i], sizeof(int), &r[i]));
    OK(logp_cancel(vp, r[0]));
    OK(logp_send_as(vp, LOGP_SEND_BUFFERED, 1, 1, &got, sizeof(got)));
    OK(logp_recv(vp, 1, 2, NULL, 0, NULL));
    OK(logp_isend_as(vp, LOGP_SEND_SYNCHRONOUS, 1, 0, &item[2], sizeof(int), &r[2]));
    OK(logp_wait(vp, r[1], NULL));
    OK(logp_isend_as(vp, LOGP_SEND_BUFFERED, 0, 9, &got, sizeof(got), &r[0]));
    cr_assert_eq(logp_cancel(vp, r[0]), -EINPROGRESS);
    OK(logp_wait(vp, r[0], NULL));
    OK(logp_recv(vp, 0, 9, &got, sizeof(got), NULL));
    cr_assert_eq(logp_cancel(vp, r[2]), -EINPROGRESS);
    return logp_wait(vp, r[2], NULL);
}

/* It leaves the messages before it, of the same source and tag, where they are: among few messages
 * and among many. */
static int cancel_behind_others(struct logp_vp *vp, void *arg)
{
    const int n_others = *(const int *)arg;
    struct logp_request *r;
    int got = 0;

    if (logp_vp_rank(vp) == 1) {
        OK(logp_recv(vp, 0, 3, NULL, 0, NULL)); /* this looks at all messages */
        OK(logp_send(vp, 0, 4, NULL, 0));
        OK(logp_recv(vp, 0, 5, NULL, 0, NULL));
        for (int i = 1; i <= 3; i++) {
            OK(logp_recv(vp, 0, 2, &got, sizeof(got), NULL));
            cr_assert_eq(got, i);
        }
        for (int i = 0; i < n_others; i++)
            OK(logp_recv(vp, 0, 1, NULL, 0, NULL));
        return 0;
    }
    for (int i = 0; i < n_others; i++)
        OK(logp_send(vp, 1, 1, NULL, 0));
    for (int i = 1; i <= 2; i++)
        OK(logp_send(vp, 1, 2, &i, sizeof(i)));
    OK(logp_isend_as(vp, LOGP_SEND_SYNCHRONOUS, 1, 2, &got, sizeof(got), &r));
    OK(logp_send(vp, 1, 3, NULL, 0));
    OK(logp_recv(vp, 1, 4, NULL, 0, NULL));
    OK(logp_cancel(vp, r));
    OK(logp_send(vp, 1, 2, &(int){3}, sizeof(int)));
    return logp_send(vp, 1, 5, NULL, 0);
}

Test(rendezvous, a_cancelled_send_leaves_earlier_messages)
{
    for (int n = 0; n <= 100; n += 100) {
        const struct logp_config c = {
            .n_processors = 2, .delay = logp_delay_none(), .clock = LOGP_CLOCK_VIRTUAL};

        test_run(test_machine_with(c, NULL), cancel_behind_others, &n);
    }
}

/* The same between the cores of a machine. On the core of the rank that cancels another rank polls. A
 * poll is charged 1 ns and takes the host longer, so that core is always late; it still hands itself
 * over to the rank that cancels. */
static int cancel_beside_a_poll(struct logp_vp *vp, void *arg)
{
    struct logp_request *r;
    bool done = false;

    (void)arg;
    switch (logp_vp_rank(vp)) {
    case 0:
        for (int i = 0; i < 100; i++) {
            OK(logp_isend_as(vp, LOGP_SEND_SYNCHRONOUS, 2, 0, NULL, 0, &r));
            OK(logp_cancel(vp, r));
        }
        for (int to = 1; to < 4; to++)
            OK(logp_send(vp, to, 1, NULL, 0));
        return 0;
    case 1:
        OK(logp_irecv(vp, 0, 1, NULL, 0, &r));
        while (!done)
            OK(logp_test(vp, r, &done, NULL));
        return 0;
    default:
        return logp_recv(vp, 0, 1, NULL, 0, NULL);
    }
}

Test(rendezvous, a_send_that_waits_is_cancelled_until_it_matches)
{
    for (int k = 0; k < 8; k++) {
        const struct logp_config c = {.n_processors = 2,
                                      .delay = logp_delay_none(),
                                      .clock = k % 2 ? LOGP_CLOCK_WALL : LOGP_CLOCK_VIRTUAL,
                                      .n_cores = k / 4 ? 1 : 0};

        test_run(test_machine_with(c, k / 2 % 2 ? &all_params[1] : NULL), cancel_sends, NULL);
    }
    test_run(
        test_machine_with((struct logp_config){.n_processors = 4, .poll_ns = 1}, &all_params[0]),
        cancel_beside_a_poll, NULL);
}
