/* SPDX-License-Identifier: MIT */
/* What the owner of a machine calls while one of its vps is away, and what the next run sees. */
#include "late.h"

/* ---- what the owner calls ---- */
static bool never_again(void *arg, const struct logp_report *report)
{
    cr_assert_fail("it was asked");
    return false;
}

static int choose_first(void *arg, const struct logp_alternative *alternatives, int n)
{
    return 0;
}

static void refuse_runs(struct logp_machine *m)
{
    const struct logp_experiment x = {
        .size = sizeof(x), .algorithm = logp_algorithm_find("barrier", "dissemination"), .reps = 1};
    struct logp_record record;
    int64_t value = 1;

    cr_assert_eq(logp_machine_run(m, late_never, NULL, 0), -EBUSY);
    cr_assert_eq(logp_machine_repeat(m, late_never, NULL, 0, never_again, NULL), -EBUSY);
    cr_assert_eq(logp_experiment_run(m, &x, &record), -EBUSY);
    cr_assert_eq(record.reps, 0);
    cr_assert_eq(logp_machine_agree(m, &value, 1, LOGP_AGREE_MAX), -EBUSY);
    cr_assert_eq(logp_machine_destroy(m), -EBUSY);
}

static void refuse_changes(struct logp_machine *m)
{
    const struct logp_trace_config config = {.size = sizeof(config)};
    const struct logp_explorer explorer = {.size = sizeof(explorer), .choose = choose_first};
    const bool is_virtual = logp_machine_clock(m) == LOGP_CLOCK_VIRTUAL;
    struct logp_trace *trace;

    cr_assert_eq(logp_machine_trace(m, &config), -EBUSY);
    cr_assert_eq(logp_machine_trace(m, NULL), -EBUSY);
    cr_assert_eq(logp_machine_take_trace(m, &trace), -EBUSY);
    cr_assert_eq(logp_machine_explore(m, NULL), -EBUSY);
    cr_assert_eq(logp_machine_explore(m, &explorer),
                 is_virtual && !test_shares_stack() ? -EBUSY : -ENOTSUP);
    cr_assert_eq(logp_machine_set_rendezvous_from(m, 1),
                 test_parallel() && is_virtual && logp_machine_cores(m) > 1 ? -ENOTSUP : -EBUSY);
    cr_assert_eq(logp_machine_inject(m, 0, 1, NULL, 0), is_virtual ? -ENOTSUP : -ESRCH);
    logp_machine_expect(m, true);
    logp_machine_expect(m, false);
}

static void look_at_it(struct logp_machine *m)
{
    const struct logp_report *r = logp_machine_report(m);
    bool named = false;

    cr_assert_eq(r->error, -ETIMEDOUT);
    cr_assert_eq(r->error_rank, -1);
    for (int i = 0; i < r->n_waits; i++)
        named |= r->waits[i].rank == 0 && r->waits[i].kind == LOGP_WAIT_RUNNING;
    cr_assert(named);
    cr_assert_eq(logp_machine_size(m), P);
    logp_machine_delayed(m);
}

/* The model is replaced all the time; the last one stays. */
static void replace_model(struct logp_machine *m, int64_t L)
{
    const struct logp_params params = test_params(L, 2, 4);
    struct logp_delay delay;
    int rc;

    cr_assert_eq(logp_delay_create("loggp", &params, &delay), 0);
    rc = logp_machine_set_delay(m, delay, 0);
    cr_assert(rc == 0 || (rc == -ENOTSUP && test_parallel()));
    if (rc != 0)
        logp_delay_destroy(&delay);
}

/* What has been recorded is of the clean run alone. */
static void look_at_trace(struct logp_machine *m)
{
    struct logp_trace *t;
    size_t n, sends = 0;

    cr_assert_eq(logp_machine_take_trace(m, &t), 0);
    for (int64_t rank = 0; rank < P; rank++) {
        const struct logp_event *e = logp_trace_events(t, rank, &n);

        for (size_t i = 0; i < n; i++) {
            sends += e[i].kind == LOGP_EVENT_SEND;
            cr_assert_neq(e[i].kind, LOGP_EVENT_MARK);
        }
    }
    cr_assert_eq(sends, (size_t)P);
    logp_trace_free(t);
}

enum how { WALL, VIRTUAL, BARE };

static void owner_goes_on(enum how how, bool traced, bool explored, bool synchronous)
{
    const struct logp_trace_config config = {.size = sizeof(config)};
    const struct logp_explorer explorer = {
        .size = sizeof(explorer), .choose = choose_first, .order = true, .messages = true};
    TEST_MACHINE m = test_machine(P, how == VIRTUAL ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL,
                                  how == BARE ? NULL : &test_6ns);
    int64_t end;

    if (traced)
        cr_assert_eq(logp_machine_trace(m, &config), 0);
    if (explored)
        cr_assert_eq(logp_machine_explore(m, &explorer), 0);
    if (synchronous)
        cr_assert_eq(logp_machine_set_rendezvous_from(m, 2501), 0);
    run_late(m, late_rank_0, NULL);
    look_at_it(m);
    refuse_runs(m);
    refuse_changes(m);
    atomic_store(&lateness.may_go_on, true);
    for (int i = 0; i < 20; i++) {
        refuse_runs(m);
        refuse_changes(m);
        look_at_it(m);
        replace_model(m, 100 + i);
        late_pause();
    }
    await_late(m);
    look_at_it(m);
    if (how != VIRTUAL)
        cr_assert_eq(logp_machine_inject(m, 0, 1, NULL, 0), -ESRCH);
    replace_model(m, 200);
    if (explored)
        cr_assert_eq(logp_machine_explore(m, NULL), 0);
    end = run_clean(m);
    if (how == VIRTUAL && !test_parallel())
        cr_assert_eq(end, 100 + 2 + 200 + 2, "a probe, o, L, o; not %lld", (long long)end);
    if (traced)
        look_at_trace(m);
    run_clean(m);
}

Test(late, an_owner_goes_on_while_a_vp_is_away_on_the_wall_clock)
{
    owner_goes_on(WALL, false, false, false);
    owner_goes_on(WALL, true, false, !test_parallel());
}

Test(late, an_owner_goes_on_while_a_vp_is_away_under_the_virtual_clock)
{
    owner_goes_on(VIRTUAL, false, false, false);
    owner_goes_on(VIRTUAL, true, false, !test_parallel());
}

Test(late, an_owner_goes_on_while_a_vp_is_away_without_delays)
{
    owner_goes_on(BARE, false, false, false);
}

Test(late, an_owner_goes_on_while_choices_are_explored)
{
    if (!test_shares_stack())
        owner_goes_on(VIRTUAL, true, true, false);
}
/* Where the vps of one core are repeated by their carrier it is who is asked that is late. */
static bool late_to_answer(void *arg, const struct logp_report *report)
{
    struct logp_machine *const m = arg;
    const struct logp_explorer explorer = {.size = sizeof(explorer), .choose = choose_first};

    be_late();
    do {
        cr_assert_eq(logp_machine_explore(m, &explorer), 0);
        cr_assert_eq(logp_machine_set_rendezvous_from(m, (1 << 20) + 1), 0);
        cr_assert_eq(logp_machine_explore(m, NULL), 0);
        cr_assert_eq(logp_machine_set_rendezvous_from(m, 0), 0);
    } while (!atomic_load(&lateness.may_end));
    return true;
}

/* So little that it is home within the second that it is given. */
static bool slow_to_answer(void *arg, const struct logp_report *report)
{
    atomic_store(&lateness.is_there, true);
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    return false;
}
Test(late, who_is_asked_for_another_run_may_be_late)
{
    TEST_MACHINE m = late_on_one_core(LOGP_CLOCK_VIRTUAL, "fiber");
    int64_t timeout_ns = 20000000;

    late_prepare();
    do
        cr_assert_eq(logp_machine_repeat(m, begin_clean, NULL, timeout_ns, late_to_answer, m),
                     -ETIMEDOUT);
    while (late_once_more(m, &timeout_ns));
    refuse_runs(m);
    cr_assert_eq(logp_machine_explore(m, NULL), -EBUSY);
    atomic_store(&lateness.may_go_on, true);
    for (int i = 0; i < 20; i++)
        refuse_runs(m);
    await_late(m);
    run_clean(m);
    timeout_ns = 20000000;
    late_prepare();
    do
        cr_assert_eq(logp_machine_repeat(m, begin_clean, NULL, timeout_ns, slow_to_answer, NULL),
                     -ETIMEDOUT);
    while (late_once_more(m, &timeout_ns));
    if (!logp_machine_busy(m)) /* it was no slower than that */
        cr_assert_eq(logp_machine_report(m)->messages, (uint64_t)P, "each counts once");
    await_late(m);
}
