/* SPDX-License-Identifier: MIT */
/* The test kit: points at which others may go on, choices of the program, runs that do not end. */
#include "kit.h"

/* ---- memory that vps share ---- */

struct shared {
    int inside, order[8], n, flag;
    int (*pass)(struct logp_vp *vp);
};

static int reset(int P, void *arg)
{
    struct shared *s = arg;

    s->inside = s->n = s->flag = 0;
    return 0;
}

static int sleeps(struct logp_vp *vp)
{
    return logp_sleep_until(vp, logp_now(vp) + 1000);
}

static int computes(struct logp_vp *vp)
{
    return logp_compute(vp, 1000, NULL, NULL);
}

static int touches(struct logp_vp *vp)
{
    return logp_shared_touch(vp, 7);
}

/* A critical section without a lock. */
static int two_inside(struct logp_vp *vp, void *arg)
{
    struct shared *s = arg;
    int rc;

    TRY(logp_shared_touch(vp, 7));
    s->inside++;
    LOGP_CHECK(vp, s->inside == 1);
    rc = s->pass(vp);
    if (rc == 0)
        rc = logp_shared_touch(vp, 7);
    s->inside--; /* whatever ends the run */
    return rc;
}

Test(check_points, two_vps_meet_in_a_critical_section)
{
    int (*const passes[])(struct logp_vp *) = {sleeps, computes, logp_yield, touches};
    const struct logp_network timed = {.params = {.L_ns = 100, .o_send_ns = 10, .o_recv_ns = 10}};

    for (int i = 0; i < 4; i++)
        for (int s = 0; s < N_STRATEGIES; s++)
            for (int is_timed = 0; is_timed < (s == LOGP_STRATEGY_EXHAUSTIVE ? 1 : 2); is_timed++) {
                struct shared shared = {.pass = passes[i]};
                struct logp_check check = check_of(2, strategies[s], 100);

                check.before = reset;
                check.network = is_timed ? &timed : NULL;
                finds(two_inside, &shared, &check, -EPROTO, LOGP_FAILURE_ASSERTED, "");
            }
}

struct touching {
    int n;
    bool own; /* each vp's own key; else the same */
};

static int touches_keys(struct logp_vp *vp, void *arg)
{
    const struct touching *t = arg;

    for (int i = 0; i < t->n; i++)
        TRY(logp_shared_touch(vp, t->own ? logp_vp_rank(vp) : 1));
    return 0;
}

Test(check_points, touches_of_a_key_come_in_all_orders)
{
    expect_executions(touches_keys, &(struct touching){1, false}, 4, 24); /* 4! */
    expect_executions(touches_keys, &(struct touching){1, true}, 4, 1);
    expect_executions(touches_keys, &(struct touching){4, false}, 2, 70); /* 8 over 4 */
}

/* Rank 0 takes messages of any source; each sender touches before it sends. */
static int touches_and_messages(struct logp_vp *vp, void *arg)
{
    int x = 0, rc = 0;

    if (logp_vp_rank(vp) > 0) {
        rc = logp_shared_touch(vp, 1);
        return rc != 0 ? rc : logp_send(vp, 0, 0, &x, sizeof(x));
    }
    for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++)
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, &x, sizeof(x), NULL);
    return rc;
}

Test(check_points, touches_and_messages_vary_independently)
{
    /* 3! orders of touches, 3! of messages */
    expect_executions(touches_and_messages, NULL, 4, 36);
}

/* Rank 0 waits for the flag that the last rank sets. */
static int waits_for_flag(struct logp_vp *vp, void *arg)
{
    struct shared *s = arg;

    TRY(logp_shared_touch(vp, 1));
    if (logp_vp_rank(vp) == logp_vp_size(vp) - 1)
        s->flag = 1;
    while (!s->flag) {
        TRY(logp_yield(vp));
        TRY(logp_shared_touch(vp, 1));
    }
    return 0;
}

Test(check_points, a_loop_that_yields_ends)
{
    for (int s = 0; s < N_STRATEGIES; s++) {
        struct shared shared = {0};
        struct logp_check check = check_of(2, strategies[s], 2000);

        check.before = reset;
        check.must_end = true;
        cr_assert_eq(logp_check(waits_for_flag, &shared, &check, NULL), 0, "strategy %d", s);
        cr_assert_eq(check.checked.cut, 0);
    }
}

/* Has rank 1's look at what rank 0 has sent found it, or missed it? */
static int look_once(struct logp_vp *vp, void *arg)
{
    int *seen = arg;
    bool found;

    if (logp_vp_rank(vp) == 0)
        return logp_send(vp, 1, 0, NULL, 0);
    OK(logp_peek(vp, 0, 0, &found, NULL));
    seen[found]++;
    return logp_recv(vp, 0, 0, NULL, 0, NULL);
}

Test(check_points, a_look_finds_or_misses)
{
    for (int s = 0; s < N_STRATEGIES; s++) {
        int seen[2] = {0, 0};
        struct logp_check check = check_of(2, strategies[s], 100);

        cr_assert_eq(logp_check(look_once, seen, &check, NULL), 0, "strategy %d", s);
        cr_expect(seen[false] > 0 && seen[true] > 0, "strategy %d", s);
    }
}

/* A comparison while a barrier is under way, and a message: each run can be repeated. */
static int compare_beside(struct logp_vp *vp, void *arg)
{
    struct logp_request *barrier;
    int first;

    (void)arg;
    OK(logp_ibarrier(vp, &barrier));
    OK(logp_send_as(vp, LOGP_SEND_BUFFERED, 1 - logp_vp_rank(vp), 0, NULL, 0));
    OK(logp_compare(vp, 1, &first));
    OK(logp_recv(vp, LOGP_ANY_SOURCE, 0, NULL, 0, NULL));
    return logp_wait(vp, barrier, NULL);
}

Test(check_points, a_comparison_beside_a_collective_is_repeated)
{
    struct logp_check check = check_of(2, LOGP_STRATEGY_EXHAUSTIVE, 0);

    cr_assert_eq(logp_check(compare_beside, NULL, &check, NULL), 0);
    cr_assert(check.checked.complete);
    cr_expect_gt(check.checked.runs, 1);
}

Test(check_points, a_yield_is_no_event_without_an_explorer)
{
    const struct logp_params params = {.L_ns = 100};
    struct shared shared = {0};

    test_run(test_machine(3, LOGP_CLOCK_VIRTUAL, &params), waits_for_flag, &shared);
}

/* ---- runs that do not end ---- */

/* Ranks 1 and 2 pass a token until rank 0 has told both to stop. */
static int token(struct logp_vp *vp, void *arg)
{
    const int rank = logp_vp_rank(vp), other = 3 - rank;
    struct logp_status status;
    int x = 0, rc = 0;

    if (rank == 0) {
        rc = logp_send(vp, 1, 1, &x, sizeof(x));
        return rc != 0 ? rc : logp_send(vp, 2, 1, &x, sizeof(x));
    }
    if (rank == 1)
        rc = logp_send(vp, 2, 0, &x, sizeof(x));
    for (;;) {
        if (rc == 0)
            rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &x, sizeof(x), &status);
        if (rc != 0 || status.tag != 0)
            return rc;
        rc = logp_send(vp, other, 0, &x, sizeof(x));
    }
}

/* Rank 0 sends again until an answer has come; its answers may be late. */
static int retries(struct logp_vp *vp, void *arg)
{
    int x = 0, rc = 0;

    if (logp_vp_rank(vp) > 0) {
        rc = logp_recv(vp, 0, 0, &x, sizeof(x), NULL);
        return rc != 0 ? rc : logp_send(vp, 0, 1, &x, sizeof(x));
    }
    do {
        rc = logp_send(vp, 1, 0, &x, sizeof(x));
        if (rc == 0)
            rc = logp_recv_until(vp, 1, 1, &x, sizeof(x), logp_now(vp) + 100, NULL);
    } while (rc == -ETIME);
    return rc;
}

Test(check_points, a_program_that_ends_under_fair_schedules_passes)
{
    for (int s = 0; s < N_STRATEGIES; s++) {
        struct logp_check check = check_of(3, strategies[s], 200);

        check.most_steps = 20000;
        check.leaves_messages = true; /* the token */
        cr_assert_eq(logp_check(token, NULL, &check, NULL), 0, "strategy %d: %s", s,
                     check.checked.text);
        if (s != LOGP_STRATEGY_EXHAUSTIVE)
            cr_assert_eq(check.checked.cut, 0, "strategy %d: %s", s, check.checked.text);
        else
            cr_assert(!check.checked.complete);
        check = check_of(2, strategies[s], 200);
        check.must_end = true;
        check.leaves_messages = true; /* late answers */
        cr_assert_eq(logp_check(retries, NULL, &check, NULL), 0, "strategy %d", s);
    }
}

/* Each asks the other for ever. */
static int asks_for_ever(struct logp_vp *vp, void *arg)
{
    int x = 0, rc = 0;

    while (rc == 0)
        rc = logp_sendrecv(vp, 1 - logp_vp_rank(vp), 0, &x, sizeof(x), 1 - logp_vp_rank(vp), 0, &x,
                           sizeof(x), NULL);
    return rc;
}

/* Each sends to itself for ever. */
static int answers_itself(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);
    int rc = 0;

    while (rc == 0) {
        rc = logp_send(vp, me, 0, NULL, 0);
        rc = rc == 0 ? logp_recv(vp, me, 0, NULL, 0, NULL) : rc;
    }
    return rc;
}

/* Rank 1 sends for ever, and nothing receives. */
static int fills_the_network(struct logp_vp *vp, void *arg)
{
    int rc = 0;

    while (rc == 0 && logp_vp_rank(vp) == 1)
        rc = logp_send(vp, 0, 0, NULL, 0);
    return rc;
}

Test(check_points, a_livelock_is_a_failure)
{
    static const logp_program programs[] = {asks_for_ever, answers_itself, fills_the_network};

    for (int s = 0; s < 3 * N_STRATEGIES; s++) {
        const enum logp_strategy strategy = strategies[s % N_STRATEGIES];
        struct logp_check check = check_of(2, strategy, 100);

        check.most_steps = 1000;
        check.sends = LOGP_SENDS_BUFFERED;
        finds(programs[s / N_STRATEGIES], NULL, &check, -ELOOP, LOGP_FAILURE_LIVELOCK,
              "livelock: it has not ended after 1000 events");
    }
}

/* Each answer leads to a loop without end. */
static int chooses_a_loop(struct logp_vp *vp, void *arg)
{
    const int x = logp_vp_rank(vp) == 0 ? logp_choose(vp, 3) : 0;

    return x < 0 ? x : asks_for_ever(vp, arg);
}

Test(check_points, an_exhaustive_check_that_cuts_all_fails)
{
    for (int cores = 1; cores <= 2; cores++) {
        struct logp_check check = check_of(2, LOGP_STRATEGY_EXHAUSTIVE, 0);

        check.most_steps = 1000;
        check.cores = cores;
        finds(chooses_a_loop, NULL, &check, -ELOOP, LOGP_FAILURE_LIVELOCK,
              "livelock: it has not ended after 1000 events");
    }
}

/* It reads its clock for ever, and returns the error of a reading. */
static int reads_for_ever(struct logp_vp *vp, void *arg)
{
    int64_t ns = 0;

    while (logp_vp_rank(vp) == 1 && ns >= 0)
        ns = logp_now(vp);
    return (int)ns;
}

Test(check_points, a_loop_that_only_reads_the_clock_is_a_livelock)
{
    const struct logp_network timed = {.params = {.L_ns = 5}};

    for (int s = 0; s < 2 * N_STRATEGIES; s++) {
        struct logp_check check = check_of(2, strategies[s % N_STRATEGIES], 100);

        if (s >= N_STRATEGIES && strategies[s % N_STRATEGIES] == LOGP_STRATEGY_EXHAUSTIVE)
            continue; /* it is untimed */
        check.network = s < N_STRATEGIES ? NULL : &timed;
        check.must_end = true;
        check.most_steps = 1000;
        finds(reads_for_ever, NULL, &check, -ELOOP, LOGP_FAILURE_LIVELOCK,
              "livelock: it has not ended after 1000 events");
    }
}

/* It ends only in runs in which rank 0 is first. */
static int ends_if_first(struct logp_vp *vp, void *arg)
{
    struct shared *s = arg;
    int rc = logp_shared_touch(vp, 1);

    if (s->n == 0)
        s->order[s->n++] = logp_vp_rank(vp);
    while (rc == 0 && s->order[0] != 0)
        rc = logp_yield(vp);
    return rc;
}

Test(check_points, runs_that_are_cut_are_counted)
{
    struct shared shared = {0};
    struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 100);

    check.before = reset;
    check.most_steps = 500;
    cr_assert_eq(logp_check(ends_if_first, &shared, &check, NULL), 0);
    cr_assert_gt(check.checked.cut, 10);
    cr_assert_lt(check.checked.cut, 90);
    SAYS(check.checked.text, "cut after 500 events");
    check.must_end = true;
    cr_assert_eq(logp_check(ends_if_first, &shared, &check, NULL), -ELOOP);
}

/* ---- choices of the program ---- */

static int chooses(struct logp_vp *vp, void *arg)
{
    const int i = logp_choose(vp, 3), j = i < 0 ? i : logp_choose(vp, 2);

    return j < 0 ? j : 0;
}

Test(check_points, exhaustive_makes_all_choices)
{
    expect_executions(chooses, NULL, 2, 36); /* 6 of each vp */
}

/* It notes which numbers it has chosen. */
static int notes_a_number(struct logp_vp *vp, void *arg)
{
    bool *chosen = arg;
    int64_t x;

    TRY(logp_choose_int(vp, 0, 300, &x));
    LOGP_CHECK(vp, x >= 0 && x <= 300);
    chosen[x] = true;
    return 0;
}

Test(check_points, exhaustive_chooses_each_number)
{
    struct logp_check check = check_of(1, LOGP_STRATEGY_EXHAUSTIVE, 100000);
    bool chosen[301] = {false};

    passes(notes_a_number, chosen, &check);
    cr_assert(check.checked.complete, "%s", check.checked.text);
    for (int i = 0; i <= 300; i++)
        cr_assert(chosen[i], "%d", i);
}

/* It fails if rank 1 chooses 5 and then a number above 1000. */
static int fails_at_5(struct logp_vp *vp, void *arg)
{
    unsigned char bytes[3];
    int64_t x = 0;
    int i;

    i = logp_choose(vp, 6);
    TRY(i < 0 ? i : logp_choose_int(vp, -7, INT64_C(1) << 40, &x));
    TRY(logp_choose_bytes(vp, bytes, sizeof(bytes)));
    LOGP_CHECK(vp, x >= -7 && x <= INT64_C(1) << 40);
    LOGP_CHECK(vp, logp_vp_rank(vp) != 1 || i != 5 || x <= 1000);
    return 0;
}

Test(check_points, a_choice_is_drawn_and_shrunk_and_replayed)
{
    for (int s = 0; s < 2; s++) {
        struct logp_check check = check_of(2, strategies[s], 1000);
        TEST_FAILURE failure = {.text = NULL};

        cr_assert_eq(logp_check(fails_at_5, NULL, &check, &failure), -EPROTO);
        cr_assert_eq(failure.n_deviations, 2, "%s", failure.text); /* 5, and 1024 */
        SAYS(failure.text, "rank 1 chooses 11 (default");
        SAYS(failure.text, "rank 1 chooses 5 (default: rank 1 chooses 0)");
        cr_assert_eq(logp_check_replay(fails_at_5, NULL, &check, failure.replay, NULL), -EPROTO);
    }
}

/* It ends when it chooses 1. */
static int polls_until_it_chooses(struct logp_vp *vp, void *arg)
{
    bool found = false;
    int rc = 0;

    while (rc == 0 && !found) {
        rc = logp_probe(vp, LOGP_ANY_SOURCE, 0, &found, NULL);
        if (rc == 0 && !found && (rc = logp_choose(vp, 2)) == 1)
            return 0;
    }
    return rc;
}

Test(check_points, polls_in_vain_that_a_choice_can_end_are_no_deadlock)
{
    for (enum logp_strategy s = LOGP_STRATEGY_RANDOM; s <= LOGP_STRATEGY_EXHAUSTIVE; s++) {
        struct logp_check check = {
            .size = sizeof(check), .strategy = s, .runs = 20, .most_steps = 5000};

        cr_expect_eq(logp_check(polls_until_it_chooses, NULL, &check, NULL), 0, "strategy %d", s);
    }
}

static int chooses_wrongly(struct logp_vp *vp, void *arg)
{
    int64_t x = 5;

    LOGP_CHECK(vp, logp_choose(vp, 0) == -EINVAL);
    LOGP_CHECK(vp, logp_choose(vp, 65537) == -EINVAL);
    LOGP_CHECK(vp, logp_choose(vp, 1) == 0);
    LOGP_CHECK(vp, logp_choose_int(vp, 2, 1, &x) == -EINVAL && x == 5);
    LOGP_CHECK(vp, logp_choose_int(vp, 9, 9, &x) == 0 && x == 9);
    LOGP_CHECK(vp, logp_choose_int(vp, INT64_MIN, INT64_MAX, &x) == 0);
    return 0;
}

Test(check_points, wrong_choices_are_refused)
{
    struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 1000);

    passes(chooses_wrongly, NULL, &check);
    test_run(test_machine(2, LOGP_CLOCK_WALL, NULL), chooses_wrongly, NULL);
    test_run(test_machine(2, LOGP_CLOCK_WALL, NULL), fails_at_5, NULL); /* all are 0 */
}

/* ---- monitors ---- */

struct monitor {
    int sent, received, touched, most;
};

static int counts(const struct logp_note *note, void *arg)
{
    struct monitor *m = arg;

    m->sent += note->kind == LOGP_NOTE_SEND;
    m->received += note->kind == LOGP_NOTE_RECEIVE;
    m->touched += note->kind == LOGP_NOTE_TOUCHED;
    return m->sent - m->received > m->most ? -EDOM : 0;
}

static int counts_anew(int P, void *arg)
{
    struct monitor *m = arg;

    m->sent = m->received = m->touched = 0;
    return 0;
}

Test(check_points, a_monitor_sees_all_events)
{
    for (int s = 0; s < N_STRATEGIES; s++) {
        struct monitor monitor = {.most = 3};
        struct logp_check check = check_of(4, strategies[s], 500);

        check.before = counts_anew;
        check.event = counts;
        cr_assert_eq(logp_check(touches_and_messages, &monitor, &check, NULL), 0);
        cr_assert_eq(monitor.sent, 3);
        cr_assert_eq(monitor.received, 3);
        cr_assert_eq(monitor.touched, 3);
        monitor.most = 2; /* all three may be on their way */
        finds(touches_and_messages, &monitor, &check, -EDOM, LOGP_FAILURE_AFTER, "");
    }
}

Test(check_points, pct_states_no_bound_for_a_program_that_polls)
{
    struct shared shared = {0};
    struct logp_check check = check_of(2, LOGP_STRATEGY_PCT, 100);

    check.before = reset;
    cr_assert_eq(logp_check(waits_for_flag, &shared, &check, NULL), 0);
    cr_assert_eq(check.checked.chance, 0);
    cr_assert(strncmp(check.checked.text, "100 runs; P = 2: ", 17) == 0, "%s", check.checked.text);
}

/* ---- comparisons ---- */

struct comparison {
    struct logp_value a, b;
    int order; /* of a and b; 2: neither */
    const char *says;
};

static int compares(struct logp_vp *vp, void *arg)
{
    const struct comparison *c = arg;
    const bool expected[] = {
        [LOGP_EQ] = c->order == 0,  [LOGP_NE] = c->order != 0,
        [LOGP_LT] = c->order == -1, [LOGP_LE] = c->order == -1 || c->order == 0,
        [LOGP_GT] = c->order == 1,  [LOGP_GE] = c->order == 1 || c->order == 0};

    for (int how = LOGP_EQ; how <= LOGP_GE; how++)
        if (expected[how])
            LOGP_CHECK(vp, logp_check_compares(vp, c->a, c->b, (enum logp_comparison)how, "a", "b",
                                               1) == 0);
    for (int how = LOGP_EQ; how <= LOGP_GE; how++)
        if (!expected[how])
            return logp_check_compares(vp, c->a, c->b, (enum logp_comparison)how, "a ? b", "file",
                                       how + 1);
    return 0;
}

Test(check_points, values_are_compared_by_what_they_are)
{
    const double nan = strtod("nan", NULL);
    const struct comparison all[] = {
        {LOGP_VALUE(3), LOGP_VALUE(5), -1, ": 3 and 5\n"},
        {LOGP_VALUE(-1), LOGP_VALUE(1U), -1, ": -1 and 1\n"},
        {LOGP_VALUE(UINT64_MAX), LOGP_VALUE(-1), 1, ": 18446744073709551615 and -1\n"},
        {LOGP_VALUE((size_t)7), LOGP_VALUE(7), 0, ": 7 and 7\n"},
        {LOGP_VALUE(true), LOGP_VALUE('a'), -1, ": 1 and 97\n"},
        {LOGP_VALUE(0.5), LOGP_VALUE(1), -1, ": 0.5 and 1\n"},
        {LOGP_VALUE(nan), LOGP_VALUE(1.0), 2, "nan and 1\n"},
        {LOGP_VALUE("ab"), LOGP_VALUE((char[]){"ab"}), 0, ": \"ab\" and \"ab\"\n"},
        {LOGP_VALUE("ab"), LOGP_VALUE((char *)NULL), 1, ": \"ab\" and NULL\n"},
        {LOGP_VALUE(NULL), LOGP_VALUE((int *)NULL), 0, ": NULL and NULL\n"},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct comparison c = all[i];
        struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 2);
        TEST_FAILURE f = {.text = NULL};

        cr_assert_eq(logp_check(compares, &c, &check, &f), -EPROTO, "%zu", i);
        cr_assert_str_eq(f.expression, "a ? b", "%zu: %s", i, f.text);
        SAYS(f.text, c.says);
    }
}

static int five_is_three(struct logp_vp *vp, void *arg)
{
    int *evaluated = arg;

    LOGP_CHECK_EQ(vp, ++*evaluated, 3);
    return 0;
}

Test(check_points, a_comparison_shows_its_values)
{
    int evaluated = 4;
    struct logp_check check = check_of(1, LOGP_STRATEGY_RANDOM, 1);
    TEST_FAILURE f = {.text = NULL};

    check.as_found = true;
    cr_assert_eq(logp_check(five_is_three, &evaluated, &check, &f), -EPROTO);
    SAYS(f.text, "++*evaluated == 3 does not hold: ");
}

/* ---- the environment ---- */

Test(check_points, the_environment_replaces_what_a_check_asks_for)
{
    static const char *const wrong[][2] = {
        {"LOGP_CHECK_RUNS", "0"},       {"LOGP_CHECK_RUNS", "-1"},    {"LOGP_CHECK_RUNS", "3x"},
        {"LOGP_CHECK_SEED", "x"},       {"LOGP_CHECK_SECONDS", "0"},  {"LOGP_CHECK_SECONDS", "1s"},
        {"LOGP_CHECK_STRATEGY", "all"}, {"LOGP_CHECK_CORES", "0"},    {"LOGP_CHECK_CORES", "2x"},
        {"LOGP_CHECK_SMALLEST", "-1"},  {"LOGP_CHECK_CONFIRM", "no"}, {"LOGP_CHECK_CONFIRM", "00"}};
    struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 10);
    struct logp_failure f;
    char value[32];

    setenv("LOGP_CHECK_RUNS", "7", 1);
    cr_assert_eq(logp_check(chooses, NULL, &check, NULL), 0);
    cr_assert_eq(check.checked.runs, 7);
    unsetenv("LOGP_CHECK_RUNS");
    check.runs = 0; /* the default is that of the strategy */
    setenv("LOGP_CHECK_STRATEGY", "exhaustive", 1);
    cr_assert_eq(logp_check(chooses, NULL, &check, NULL), 0);
    cr_assert(check.checked.complete);
    unsetenv("LOGP_CHECK_STRATEGY");
    check.runs = UINT64_MAX;
    setenv("LOGP_CHECK_SECONDS", "0.01", 1);
    cr_assert_eq(logp_check(chooses, NULL, &check, NULL), 0);
    unsetenv("LOGP_CHECK_SECONDS");
    check.runs = 1000;
    setenv("LOGP_CHECK_SEED", "5", 1);
    setenv("LOGP_CHECK_RUNS", "999", 1);
    cr_assert_eq(logp_check(fails_at_5, NULL, &check, &f), -EPROTO);
    unsetenv("LOGP_CHECK_SEED");
    unsetenv("LOGP_CHECK_RUNS");
    SAYS(f.text, "\nset by the environment: LOGP_CHECK_RUNS=999, LOGP_CHECK_SEED=5\n");
    logp_failure_free(&f);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        setenv(wrong[i][0], wrong[i][1], 1);
        cr_assert_eq(logp_check(chooses, NULL, &check, &f), -EINVAL, "%s", wrong[i][1]);
        SAYS(f.text, wrong[i][0]);
        SAYS(f.text, " must be ");
        snprintf(value, sizeof(value), ", not '%s'", wrong[i][1]);
        SAYS(f.text, value);
        logp_failure_free(&f);
        unsetenv(wrong[i][0]);
        setenv("LOGP_CHECK_CONFIRM", "0", 1);
    }
}

Test(check_points, a_variable_that_is_none_of_a_check_is_refused)
{
    struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 10);
    struct logp_failure f;

    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "LOGP_CHECK_SEEDS" : "LOGP_CHECK_RUN";

        setenv(name, "1", 1);
        cr_assert_eq(logp_check(chooses, NULL, &check, &f), -EINVAL);
        SAYS(f.text, name);
        SAYS(f.text, " is not a variable of checks, which are LOGP_CHECK_CONFIRM, CORES, JUNIT, "
                     "REGRESSIONS, RUNS, SECONDS, SEED, SMALLEST, STRATEGY\n");
        logp_failure_free(&f);
        setenv(name, "", 1); /* as none */
        cr_assert_eq(logp_check(chooses, NULL, &check, NULL), 0);
        unsetenv(name);
    }
}
