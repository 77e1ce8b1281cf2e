/* SPDX-License-Identifier: MIT */
/*
 * The virtual clock on several cores: what ends a run, what is refused, and that many messages
 * between the cores arrive. That the outcome is that of one core is shown by the suites `cases` and
 * `random`, which run on such machines too. On a host of one core these are ordinary machines.
 */
#include "support.h"

static struct logp_machine *with_lanes(int P, const struct logp_params *p, int lane_slots)
{
    return test_machine_with((struct logp_config){.n_processors = P,
                                                  .clock = LOGP_CLOCK_VIRTUAL,
                                                  .executor = "fiber",
                                                  .stacks = LOGP_STACKS_SHARED,
                                                  .parallel = true,
                                                  .lane_slots = lane_slots},
                             p);
}

/* Everyone sends to everyone, again and again, and receives from anyone; then all start anew. */
static int crowd(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    int64_t *ends = arg;

    for (int round = 0; round < 5; round++) {
        int64_t start;
        long sum = 0;

        for (int d = 1; d < P; d++)
            OK(logp_send(vp, (me + d) % P, 0, &me, sizeof(me)));
        for (int d = 1; d < P; d++) {
            int from = -1;

            OK(logp_recv(vp, LOGP_ANY_SOURCE, 0, &from, sizeof(from), NULL));
            sum += from;
        }
        cr_assert_eq(sum, (long)P * (P - 1) / 2 - me);
        ends[me] += logp_now(vp);
        OK(logp_sync(vp, &start));
        cr_assert_leq(ends[me] / (round + 1), start);
    }
    return 0;
}

Test(parallel, crowds_take_the_same_time_as_on_one_core)
{
    const struct logp_params other = test_params(7, 2, 3);

    for (int P = 2; P <= 130; P += 32) {
        int64_t *alone = calloc((size_t)P, sizeof(int64_t));

        test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, &other), crowd, alone);
        for (int lane_slots = -1; lane_slots <= 1; lane_slots++) { /* none, the default, one */
            int64_t *together = calloc((size_t)P, sizeof(int64_t));

            test_run(with_lanes(P, &other, lane_slots), crowd, together);
            cr_assert_eq(memcmp(together, alone, (size_t)P * sizeof(int64_t)), 0);
            free(together);
        }
        free(alone);
    }
}

/* A sync, while receives from any source and collectives are under way. */
enum { MOST_AT_SYNC = 8, SYNC_ROUNDS = 4, SYNC_STEP_NS = 1000 };

enum how { ALL, HALVES, COMPARED, N_HOWS };
enum when { FIRST, AT_LAST, AFTER, N_WHENS }; /* of the sync */

/* What the vps do in a round; all draw the same. */
struct at_sync {
    enum how how;
    bool reduces, from_any;
    int dst[MOST_AT_SYNC];
    enum when sends[MOST_AT_SYNC];
    int64_t before_ns[MOST_AT_SYNC], between_ns[MOST_AT_SYNC];
};

/* times[round]: of each vp, its start (COMPARED: what was found) and when it goes on. arrived: when
 * it came, of the round. */
struct sync_run {
    uint64_t seed;
    int64_t times[SYNC_ROUNDS][MOST_AT_SYNC][2], arrived[SYNC_ROUNDS][MOST_AT_SYNC];
};

static struct at_sync draw_at_sync(uint64_t *random, int P)
{
    struct at_sync x = {.how = (enum how)test_below(random, N_HOWS),
                        .reduces = one_in(random, 2),
                        .from_any = one_in(random, 2)};

    for (int i = 0; i < P; i++) {
        x.dst[i] = (int)test_below(random, P);
        x.sends[i] = (enum when)test_below(random, N_WHENS);
        x.before_ns[i] = SYNC_STEP_NS * test_below(random, 20);
        x.between_ns[i] = SYNC_STEP_NS * test_below(random, 30);
    }
    return x;
}

static int64_t sync_as(struct logp_vp *vp, enum how how, int round)
{
    const int me = logp_vp_rank(vp);
    struct logp_vp *half = vp;
    int members[MOST_AT_SYNC], n = 0, first;
    int64_t start = 0;

    if (how == COMPARED) {
        OK(logp_compare(vp, me == 1, &first));
        return first;
    }
    for (int i = me % 2; i < logp_vp_size(vp); i += 2)
        members[n++] = i;
    if (how == HALVES)
        OK(logp_group_create(vp, (uint32_t)round + 1, members, n, &half));
    OK(logp_sync(half, &start));
    if (how == HALVES)
        logp_group_destroy(half);
    return start;
}

static void send_if(struct logp_vp *vp, const struct at_sync *x, int round, enum when when)
{
    const int64_t me = logp_vp_rank(vp);

    if (x->sends[me] == when)
        OK(logp_send(vp, x->dst[me], round, &me, sizeof(me)));
}

static int sync_beside(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    struct sync_run *run = arg;
    uint64_t random = run->seed;

    for (int round = 0; round < SYNC_ROUNDS; round++) {
        const struct at_sync x = draw_at_sync(&random, P);
        struct logp_request *requests[MOST_AT_SYNC + 1];
        int64_t one = 1, sum = 0, from[MOST_AT_SYNC];
        size_t n = 0;

        OK(logp_compute(vp, x.before_ns[me], NULL, NULL));
        for (int i = 0; i < P; i++)
            if (x.dst[i] == me) {
                OK(logp_irecv(vp, x.from_any ? LOGP_ANY_SOURCE : i, round, &from[n],
                              sizeof(from[n]), &requests[n]));
                n++;
            }
        if (x.reduces)
            OK(logp_iallreduce(vp, &one, &sum, 1, logp_op_find("sum", "int64"), &requests[n++]));
        send_if(vp, &x, round, FIRST);
        OK(logp_compute(vp, x.between_ns[me], NULL, NULL));
        send_if(vp, &x, round, AT_LAST);
        run->arrived[round][me] = logp_now(vp);
        run->times[round][me][0] = sync_as(vp, x.how, round);
        run->times[round][me][1] = logp_now(vp);
        send_if(vp, &x, round, AFTER);
        OK(logp_waitall(vp, requests, (int)n, NULL));
        cr_assert_eq(sum, x.reduces ? P : 0);
    }
    return 0;
}

/* The last to come sets the start, whatever the others do meanwhile. */
static void check_starts(const struct sync_run *run, int P)
{
    uint64_t random = run->seed;

    for (int round = 0; round < SYNC_ROUNDS; round++) {
        const struct at_sync x = draw_at_sync(&random, P);

        for (int me = 0; me < P; me++) {
            int64_t last = 0;

            for (int i = x.how == HALVES ? me % 2 : 0; i < P; i += x.how == HALVES ? 2 : 1)
                last = run->arrived[round][i] > last ? run->arrived[round][i] : last;
            cr_assert_eq(run->times[round][me][0], x.how == COMPARED ? 1 : last);
            cr_assert_geq(run->times[round][me][1], last);
        }
    }
}

Test(parallel, a_sync_beside_other_work_takes_the_same_time_as_on_one_core)
{
    static struct sync_run alone, together;

    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t random = seed;
        const int P = 2 + (int)test_below(&random, MOST_AT_SYNC - 1);
        struct logp_params p = test_params(SYNC_STEP_NS * (1 + test_below(&random, 8)),
                                           SYNC_STEP_NS * test_below(&random, 3),
                                           SYNC_STEP_NS * test_below(&random, 4));

        p.o_recv_ns = SYNC_STEP_NS * test_below(&random, 3);
        alone = together = (struct sync_run){.seed = seed};
        test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, &p), sync_beside, &alone);
        check_starts(&alone, P);
        test_run(with_lanes(P, &p, 0), sync_beside, &together);
        cr_assert_eq(memcmp(&alone, &together, sizeof(alone)), 0, "seed %d", (int)seed);
    }
}

/* Rank 0 broadcasts at 0, and waits at the sync. The item reaches rank 1 at the time at which that
 * comes to the sync as the last. */
static int arrive_with_the_item(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);
    struct logp_request *request;
    int64_t item = 7 - 7 * me, start;

    OK(logp_ibroadcast(vp, &item, sizeof(item), 0, &request));
    if (me == 1) {
        OK(logp_compute(vp, 6000, NULL, NULL));
        OK(logp_send(vp, 1, 0, NULL, 0)); /* others go on until 6000 */
    }
    OK(logp_sync(vp, &start));
    cr_assert_eq(start, 6000);
    cr_assert_eq(logp_now(vp), 6000);
    OK(logp_wait(vp, request, NULL));
    cr_assert_eq(item, 7);
    cr_assert_eq(logp_now(vp), me == 1 ? 8000 : 6000);
    return me == 1 ? logp_recv(vp, 1, 0, NULL, 0, arg) : 0;
}

Test(parallel, the_last_to_come_starts_before_it_serves_an_operation)
{
    const struct logp_params p = {.L_ns = 6000, .o_recv_ns = 2000};

    test_run(test_machine(2, LOGP_CLOCK_VIRTUAL, &p), arrive_with_the_item, NULL);
    test_run(with_lanes(2, &p, 0), arrive_with_the_item, NULL);
}

enum { FAR_L_NS = 1000, FAR_O_NS = 10, FAR_MESSAGES = 12 };

/* The ranks of the first half send to the last, each at its own times, up to minutes apart. A
 * message is the time at which it must arrive. */
static int far_apart(struct logp_vp *vp, void *arg)
{
    static const int64_t waits_ns[] = {0, 0, 1, INT32_MAX, 0, 60000000000, 3};
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    int64_t item[2];

    for (int k = 0; me < P / 2 && k < FAR_MESSAGES; k++) {
        OK(logp_compute(vp, waits_ns[(k + 3 * me) % 7], NULL, NULL));
        item[0] = item[1] = logp_now(vp) + FAR_O_NS + FAR_L_NS;
        OK(logp_send(vp, P - 1, me, item, k % 5 == 4 ? sizeof(item) : sizeof(item[0])));
    }
    for (int k = 0; me == P - 1 && k < FAR_MESSAGES; k++) {
        for (int from = 0; from < P / 2; from++) {
            struct logp_status status;

            OK(logp_recv(vp, from, from, item, sizeof(item), &status));
            cr_assert_eq(status.arrival_ns, item[0], "message %d of %d", k, from);
        }
    }
    return 0;
}

Test(parallel, messages_tell_arrivals_that_are_far_apart)
{
    const struct logp_params p = test_params(FAR_L_NS, FAR_O_NS, FAR_O_NS);

    for (int P = 2; P <= 8; P += 2) {
        test_run(with_lanes(P, &p, 0), far_apart, NULL);
        test_run(with_lanes(P, &p, 1), far_apart, NULL);
    }
}

/* Each waits for the next, and nobody sends. */
static int circle(struct logp_vp *vp, void *arg)
{
    return logp_recv(vp, (logp_vp_rank(vp) + 1) % logp_vp_size(vp), 3, NULL, 0, NULL);
}

Test(parallel, a_deadlock_ends_and_says_who_waits_for_whom)
{
    TEST_MACHINE m = with_lanes(9, &test_6ns, 0);

    for (int i = 0; i < 20; i++) {
        const struct logp_report *report;

        cr_assert_eq(logp_machine_run(m, circle, NULL, test_timeout_ns), -EDEADLK);
        report = logp_machine_report(m);
        cr_assert_eq(report->n_waits, 9);
        for (int k = 0; k < 9; k++) {
            cr_assert_eq(report->waits[k].kind, LOGP_WAIT_RECV);
            cr_assert_eq(report->waits[k].source, (report->waits[k].rank + 1) % 9);
            cr_assert_eq(report->waits[k].tag, 3);
        }
    }
}

/* The last rank fails, while the others wait, or have ended. */
static int failing(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);

    if (me == P - 1) {
        TRY(logp_compute(vp, 1000, NULL, NULL));
        return -EIO;
    }
    return me % 2 == 0 ? 0 : logp_recv(vp, P - 1, 0, NULL, 0, NULL);
}

Test(parallel, an_error_stops_all)
{
    TEST_MACHINE m = with_lanes(8, &test_6ns, 0);

    for (int i = 0; i < 20; i++) {
        cr_assert_eq(logp_machine_run(m, failing, NULL, test_timeout_ns), -EIO);
        cr_assert_eq(logp_machine_report(m)->error_rank, 7);
    }
}

static int replace(struct logp_vp *vp, void *arg)
{
    struct logp_delay none = logp_delay_none();

    return logp_machine_set_delay(logp_vp_machine(vp), none, 0);
}

Test(parallel, a_model_without_a_lookahead_is_refused)
{
    struct logp_params limited = test_6ns;
    TEST_MACHINE m = with_lanes(8, &test_6ns, 0);
    struct logp_delay delay;

    if (logp_machine_cores(m) > 1) {
        cr_assert_eq(logp_machine_run(m, replace, NULL, test_timeout_ns), -ENOTSUP);
        cr_assert_eq(logp_machine_set_delay(m, logp_delay_none(), 0), 0);
        cr_assert_eq(logp_machine_run(m, circle, NULL, test_timeout_ns), -ENOTSUP);
        limited.capacity = 2;
        cr_assert_eq(logp_delay_create("logp", &limited, &delay), 0);
        cr_assert_eq(logp_machine_set_delay(m, delay, 0), 0);
        cr_assert_eq(logp_machine_run(m, circle, NULL, test_timeout_ns), -ENOTSUP);
    }
}

/* Rank 0 waits for rank 2, of another core, with a buffer on the stack that rank 1 uses meanwhile.
 */
TestProgram(parallel, a_long_message_reaches_a_stack_that_is_set_aside,
            test_run(with_lanes(4, (struct logp_params[]){test_params(1000, 10, 10)}, 0), program,
                     NULL))
{
    const int me = logp_vp_rank(vp);
    unsigned char buf[4096];

    memset(buf, me + 1, sizeof(buf));
    if (me == 0)
        OK(logp_recv(vp, 2, 1, buf, sizeof(buf), NULL));
    for (int i = 0; me > 0 && i < 50; i++) {
        bool found;

        OK(logp_compute(vp, 100, NULL, NULL));
        OK(logp_probe(vp, 3, 99, &found, NULL));
        for (size_t k = 0; k < sizeof(buf); k++)
            cr_assert_eq(buf[k], me + 1);
    }
    if (me == 2)
        OK(logp_send(vp, 0, 1, buf, sizeof(buf)));
    for (size_t k = 0; me == 0 && k < sizeof(buf); k++)
        cr_assert_eq(buf[k], 3);
    return 0;
}

/* Rank 0 polls for ever, the others wait. */
TestProgram(parallel, a_polling_loop_does_not_hide_a_deadlock,
            test_run_fails(with_lanes(4, &test_6ns, 0), program, NULL, -EDEADLK))
{
    int rc = 0;
    bool found;

    if (logp_vp_rank(vp) > 0)
        return logp_recv(vp, 0, 0, NULL, 0, NULL);
    while (rc == 0)
        rc = logp_probe(vp, 1, 5, &found, NULL);
    return rc;
}

/* Rank 0 polls for as long as counts as waiting, and then finds it; the last rank waits for what it
 * has to say after that. */
TestProgram(parallel, who_has_polled_for_long_goes_on,
            test_run(with_lanes(4, &test_6ns, 0), program, NULL))
{
    const int me = logp_vp_rank(vp), last = logp_vp_size(vp) - 1;
    bool found = false;

    if (me == last) {
        OK(logp_compute(vp, INT64_C(200000000), NULL, NULL));
        OK(logp_send(vp, 0, 5, NULL, 0));
        return logp_recv(vp, 0, 6, NULL, 0, NULL);
    }
    if (me > 0)
        return 0;
    while (!found)
        OK(logp_probe(vp, last, 5, &found, NULL));
    OK(logp_recv(vp, last, 5, NULL, 0, NULL));
    for (int i = 0; i < 1000; i++)
        OK(logp_compute(vp, 1000, NULL, NULL));
    return logp_send(vp, last, 6, NULL, 0);
}

/* Some vps poll for ever, after a while, and the others do something until a time, and
 * then wait for ever. Which, and until when, is drawn. */
enum { POLLERS = 8 };

static int poll_and_wait(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp), next = (me + 1) % POLLERS;
    uint64_t random = *(const uint64_t *)arg * POLLERS + (uint64_t)me;
    const bool polls = one_in(&random, 2);
    const int64_t until = test_below(&random, 250) * 1000000 / (polls ? 100 : 1);
    int rc = 0;
    bool found;

    for (int i = 0; rc == 0 && i < 5; i++) {
        rc = logp_compute(vp, until / 5, NULL, NULL);
        if (rc == 0)
            rc = logp_send(vp, next, 1, NULL, 0);
        if (rc == 0 && polls && i % 2 == 0)
            rc = logp_recv(vp, (me + POLLERS - 1) % POLLERS, 1, NULL, 0, NULL);
    }
    while (rc == 0 && polls)
        rc = logp_probe(vp, next, 5, &found, NULL);
    return rc != 0 ? rc : logp_recv(vp, next, 5, NULL, 0, NULL);
}

Test(parallel, polls_in_vain_end_at_the_time_and_with_the_waits_of_one_core)
{
    const struct logp_params p = test_params(1000000, 100, 100);

    for (uint64_t seed = 1; seed <= 2; seed++) {
        TEST_MACHINE alone = test_machine_with((struct logp_config){.n_processors = POLLERS,
                                                                    .clock = LOGP_CLOCK_VIRTUAL,
                                                                    .executor = "fiber"},
                                               &p);
        TEST_MACHINE together = with_lanes(POLLERS, &p, 0);
        const struct logp_report *a = logp_machine_report(alone),
                                 *t = logp_machine_report(together);

        cr_assert_eq(logp_machine_run(alone, poll_and_wait, &seed, test_timeout_ns), -EDEADLK);
        cr_assert_eq(logp_machine_run(together, poll_and_wait, &seed, test_timeout_ns), -EDEADLK);
        cr_assert_eq(a->time_ns, t->time_ns, "seed %d: %lld ns, on one core %lld ns", (int)seed,
                     (long long)t->time_ns, (long long)a->time_ns);
        cr_assert_eq(a->n_waits, t->n_waits);
        cr_assert_eq(a->messages, t->messages);
        for (int i = 0; i < a->n_waits; i++) {
            cr_assert_eq(a->waits[i].rank, t->waits[i].rank);
            cr_assert_eq(a->waits[i].kind, t->waits[i].kind);
            cr_assert_eq(a->waits[i].source, t->waits[i].source);
            cr_assert_eq(a->waits[i].tag, t->waits[i].tag);
        }
    }
}
