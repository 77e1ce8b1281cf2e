/* SPDX-License-Identifier: MIT */
/* Sends that wait for room instead of being refused. */
#include "own_clock.h"
#include "limited.h"

enum { LONG = 30000 }; /* two have room, three have not */

static struct logp_machine *waiting_machine(int P, enum logp_clock clock, bool delayed, int n_cores)
{
    return test_machine_with((struct logp_config){.n_processors = P,
                                                  .delay = logp_delay_none(),
                                                  .clock = clock,
                                                  .n_cores = n_cores,
                                                  .queue_limit = LIMIT,
                                                  .wait_for_space = true},
                             delayed ? &test_600ns : NULL);
}

/* Both clocks, with delays and without, on one core and on all. */
static struct logp_machine *variant(int P, int i)
{
    return waiting_machine(P, i % 2 == 0 ? LOGP_CLOCK_WALL : LOGP_CLOCK_VIRTUAL, i / 2 % 2 == 1,
                           i / 4);
}
enum { VARIANTS = 8 };

static void run_variants(int P, logp_program program)
{
    for (int i = 0; i < VARIANTS; i++)
        test_run(variant(P, i), program, NULL);
}

/* All send to rank 0 ten times what there is room for, of many sizes; it takes what comes. */
TestProgram(backpressure, who_sends_more_than_there_is_room_for_waits, run_variants(5, program))
{
    const int P = logp_vp_size(vp), each = 400 / TEST_SCALE + 20;
    static const size_t sizes[] = {4, 40, 1000, 5000, LONG};
    int buf[LONG / sizeof(int)] = {0}, next[8] = {0};

    for (int i = 0; logp_vp_rank(vp) > 0 && i < each; i++) {
        buf[0] = i;
        OK(logp_send(vp, 0, 0, buf, sizes[(i + logp_vp_rank(vp)) % 5]));
    }
    for (int i = 0; logp_vp_rank(vp) == 0 && i < each * (P - 1); i++) {
        struct logp_status s;

        OK(logp_recv(vp, LOGP_ANY_SOURCE, 0, buf, sizeof(buf), &s));
        cr_assert(buf[0] == next[s.source]++);
    }
    return 0;
}

/* Nobody waits but for memory: all that is sent comes, through isend and sendrecv too. */
static int neighbours(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    char out[20000] = {0}, in[20000];

    for (int i = 0; i < 100 / TEST_SCALE + 3; i++) {
        struct logp_request *r;

        OK(logp_isend(vp, (me + 1) % P, 1, out, 8000, &r));
        OK(logp_wait(vp, r, NULL));
        OK(logp_sendrecv(vp, (me + 1) % P, 0, out, 1000, (me + P - 1) % P, 0, in, sizeof(in),
                         NULL));
        OK(logp_recv(vp, (me + P - 1) % P, 1, in, sizeof(in), NULL));
    }
    return 0;
}

Test(backpressure, every_way_to_send_waits)
{
    run_variants(7, neighbours);
}

/* ---- when ---- */

enum { TAKEN_AT = 1000000 };

/* Two messages fill the queue; a third, for another, has room when rank 1 takes the first. */
static int when_there_is_space(struct logp_vp *vp, void *arg)
{
    static char out[LONG];
    char in[LONG];
    const bool exact = arg != NULL;

    if (logp_vp_rank(vp) == 0) {
        for (int i = 0; i < 3; i++)
            OK(logp_send(vp, i < 2 ? 1 : 2, i, out, sizeof(out)));
        cr_assert(logp_now(vp) >= TAKEN_AT + 200);
        cr_assert(!exact || logp_now(vp) == TAKEN_AT + 200);
        return 0;
    }
    if (logp_vp_rank(vp) == 2)
        return logp_recv(vp, LOGP_ANY_SOURCE, 2, in, sizeof(in), NULL);
    OK(logp_sleep_until(vp, TAKEN_AT));
    /* from anyone: not before all others have come to this time */
    OK(logp_recv(vp, LOGP_ANY_SOURCE, 0, in, sizeof(in), NULL));
    OK(logp_compute(vp, 500000, NULL, NULL)); /* ahead of the machine's time */
    return logp_recv(vp, 0, 1, in, sizeof(in), NULL);
}

Test(backpressure, a_send_starts_when_there_is_room)
{
    struct own_clock host = own_clock();
    struct logp_config config = {.n_processors = 3,
                                 .executor = "fiber",
                                 .n_cores = 1,
                                 .time_ns = own_clock_read,
                                 .time_arg = &host,
                                 .queue_limit = LIMIT,
                                 .wait_for_space = true};
    int exact = 1;

    test_run(waiting_machine(3, LOGP_CLOCK_VIRTUAL, true, 0), when_there_is_space, &exact);
    test_run(test_machine_with(config, &test_600ns), when_there_is_space, NULL);
}

/* The queue is full of what rank 1 does not want; what it does want needs no room. */
TestProgram(backpressure, a_receive_that_is_posted_needs_none_on_one_core,
            for (int i = 0; i < 4; i++)
                test_run(waiting_machine(2, (enum logp_clock)(i % 2), i >= 2, 1), program, NULL))
{
    static char out[LONG], in[LONG];

    for (int i = 0; logp_vp_rank(vp) == 0 && i < 3; i++)
        OK(logp_send(vp, 1, i, out, sizeof(out)));
    if (logp_vp_rank(vp) == 1)
        OK(logp_sleep_until(vp, TAKEN_AT));
    for (int i = 2; logp_vp_rank(vp) == 1 && i >= 0; i--)
        OK(logp_recv(vp, 0, i, in, sizeof(in), NULL));
    return 0;
}

/* A short message finds room where a long one waits. */
TestProgram(backpressure, a_short_message_does_not_wait_behind_a_long_one, run_variants(3, program))
{
    static char out[LONG], in[LONG];
    const int me = logp_vp_rank(vp);

    if (me == 2)
        OK(logp_recv(vp, 1, 9, in, 100, NULL));
    for (int i = 0; me == 0 && i < 4; i++)
        OK(logp_send(vp, 2, 0, out, LONG - 5000));
    if (me == 1) {
        OK(logp_sleep_until(vp, TAKEN_AT));
        OK(logp_send(vp, 2, 8, out, 100)); /* nobody waits for this one yet */
        OK(logp_send(vp, 2, 9, out, 100));
    }
    for (int i = 0; me == 2 && i < 4; i++)
        OK(logp_recv(vp, 0, 0, in, LONG, NULL));
    return me != 2 ? 0 : logp_recv(vp, 1, 8, in, LONG, NULL);
}

/* Rank 0 waits for more than rank 1, which came later; rank 2 frees as much as rank 1 needs. */
TestProgram(backpressure, who_needs_less_than_is_free_does_not_wait_for_who_needs_more,
            run_variants(4, program))
{
    static char out[LONG], in[LONG];
    const int me = logp_vp_rank(vp);

    OK(me > 1 ? 0 : logp_sleep_until(vp, me * TAKEN_AT));
    if (me == 0) {
        OK(logp_send(vp, 2, 0, out, 5000));
        OK(logp_send(vp, 2, 1, out, LONG));
        OK(logp_send(vp, 2, 1, out, LONG - 5000));
        return logp_send(vp, 2, 1, out, LONG);
    }
    if (me == 1)
        return logp_send(vp, 3, 2, out, 7000);
    if (me == 3) { /* from anyone: it takes room even on one core */
        char buf[7000];

        OK(logp_recv(vp, LOGP_ANY_SOURCE, 2, buf, sizeof(buf), NULL));
        return logp_send(vp, 2, 3, buf, 1);
    }
    OK(logp_sleep_until(vp, 2 * TAKEN_AT));
    OK(logp_recv(vp, LOGP_ANY_SOURCE, 0, in, sizeof(in), NULL));
    OK(logp_recv(vp, 3, 3, in, sizeof(in), NULL));
    for (int i = 0; i < 3; i++)
        OK(logp_recv(vp, 0, 1, in, sizeof(in), NULL));
    return 0;
}

/*
 * Rank 3 frees room for one of two that wait, and then waits for just what that one sends, which so
 * needs none: it is for the other.
 */
TestProgram(backpressure, what_one_does_not_need_after_all_is_for_the_next,
            run_variants(5, program))
{
    static char out[LONG], in[LONG];
    const int me = logp_vp_rank(vp);
    char buf[20000];

    for (int i = 0; me == 0 && i < 2; i++)
        OK(logp_send(vp, 3, i, out, LONG));
    if (me == 1 || me == 2) {
        OK(logp_sleep_until(vp, me * TAKEN_AT));
        OK(logp_send(vp, me + 2, me + 4, out, sizeof(buf)));
    }
    if (me == 4) {
        OK(logp_recv(vp, LOGP_ANY_SOURCE, 6, buf, sizeof(buf), NULL));
        OK(logp_send(vp, 3, 7, NULL, 0));
    }
    if (me != 3)
        return 0;
    OK(logp_sleep_until(vp, 3 * TAKEN_AT));
    OK(logp_recv(vp, LOGP_ANY_SOURCE, 0, in, LONG, NULL));
    OK(logp_recv(vp, 1, 5, buf, sizeof(buf), NULL));
    OK(logp_recv(vp, 4, 7, NULL, 0, NULL));
    return logp_recv(vp, 0, 1, in, LONG, NULL);
}

/* What was taken elsewhere is free everywhere: the last message needs nearly all there is. */
TestProgram(backpressure, there_is_all_the_room_that_was_promised, run_variants(4, program))
{
    static char out[LIMIT], in[LIMIT];
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);

    for (int i = 0; i < 20; i++) {
        char c = 0;

        OK(logp_send(vp, P - 1 - me, 0, &c, 1));
        OK(logp_recv(vp, P - 1 - me, 0, &c, 1, NULL));
    }
    OK(me > 0 ? 0 : logp_send(vp, P - 1, 1, out, LIMIT - 200));
    return me < P - 1 ? 0 : logp_recv(vp, 0, 1, in, LIMIT, NULL);
}

/* ---- when there never is ---- */

static int fill_each_other(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), to = (logp_vp_rank(vp) + 1) % P;
    char buf[1000] = {0};

    for (int i = 0; i < LIMIT / 1000; i++)
        TRY(logp_send(vp, to, 5, buf, sizeof(buf)));
    return logp_recv(vp, (to + P - 2) % P, 5, buf, sizeof(buf), NULL);
}

Test(backpressure, if_all_wait_for_room_it_is_a_deadlock)
{
    for (int i = 0; i < VARIANTS; i++)
        for (int P = 1; P <= 4; P++) {
            struct logp_machine *m = variant(P, i);
            const struct logp_report *r = logp_machine_report(m);

            cr_assert_eq(logp_machine_run(m, fill_each_other, NULL, test_timeout_ns), -EDEADLK);
            cr_assert_eq(r->n_waits, P);
            for (int k = 0; k < P; k++) {
                cr_assert_eq(r->waits[k].kind, LOGP_WAIT_SPACE);
                cr_assert_eq(r->waits[k].source, (k + 1) % P);
                cr_assert_eq(r->waits[k].tag, 5);
            }
            test_run(m, neighbours, NULL);
        }
}

/* Rank 1 fails while rank 0 waits for room. */
static int fails_meanwhile(struct logp_vp *vp, void *arg)
{
    static char buf[LONG];
    int rc = 0;

    if (logp_vp_rank(vp) == 1) {
        rc = logp_sleep_until(vp, TAKEN_AT);
        return rc != 0 ? rc : -EIO;
    }
    while (rc == 0)
        rc = logp_send(vp, 1, 0, buf, sizeof(buf));
    cr_assert_eq(rc, -ECANCELED);
    return rc;
}

Test(backpressure, a_stop_ends_the_wait)
{
    for (int i = 0; i < VARIANTS; i++) {
        struct logp_machine *m = variant(2, i);

        cr_assert_eq(logp_machine_run(m, fails_meanwhile, NULL, test_timeout_ns), -EIO);
        test_run(m, neighbours, NULL);
    }
}

static int too_long(struct logp_vp *vp, void *arg)
{
    static char buf[LIMIT + 1];

    cr_expect_eq(logp_send(vp, 0, 0, buf, sizeof(buf)), -EMSGSIZE);
    return 0;
}

Test(backpressure, what_never_fits_is_refused_at_once)
{
    const struct logp_config parallel = {.size = sizeof(parallel),
                                         .n_processors = 2,
                                         .delay = logp_delay_none(),
                                         .clock = LOGP_CLOCK_VIRTUAL,
                                         .parallel = true,
                                         .wait_for_space = true};
    struct logp_machine *m;

    run_variants(2, too_long);
    cr_assert_eq(logp_machine_create(&parallel, &m), -EINVAL);
}
