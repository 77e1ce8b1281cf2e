/* SPDX-License-Identifier: MIT */
/*
 * A vp that is away when its run is over, and goes on later: what it still calls, what the owner of
 * the machine calls meanwhile, and what the next run sees of it.
 */
#include "late.h"

#include <logp/check.h>
#include <logp/explore.h>

#include <pthread.h>

enum { P = 3 };

/* ---- what a late vp calls ---- */

static void nothing(void *arg)
{
    (void)arg;
}

/* Everything that a vp may call. The run is over, and says so. */
static void call_all(struct logp_vp *vp)
{
    const int members[] = {0};
    struct logp_request *r = NULL;
    struct logp_vp *group = NULL;
    struct logp_params params;
    struct logp_status status;
    bool found = false;
    char buf[64] = "";
    int index;

    cr_assert_eq(logp_send(vp, 1, 7, buf, 8), -ETIMEDOUT);
    cr_assert_eq(logp_try_send(vp, 1, 7, buf, 8), -ETIMEDOUT);
    cr_assert_eq(logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, buf, sizeof(buf), &status),
                 -ETIMEDOUT);
    cr_assert_eq(logp_recv_until(vp, 1, 3, buf, sizeof(buf), 1, &status), -ETIMEDOUT);
    cr_assert_eq(logp_sendrecv(vp, 1, 7, buf, 8, 2, 7, buf + 8, 8, NULL), -ETIMEDOUT);
    cr_assert_eq(logp_probe(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &found, NULL), -ETIMEDOUT);
    cr_assert_eq(logp_probe_until(vp, 1, 3, 1, NULL), -ETIMEDOUT);
    cr_assert_eq(logp_compute(vp, 10, nothing, NULL), -ETIMEDOUT);
    cr_assert_eq(logp_sleep_until(vp, INT64_C(1) << 40), -ETIMEDOUT);
    cr_assert_eq(logp_sync(vp, NULL), -ETIMEDOUT);
    cr_assert_neq(logp_isend(vp, 1, 7, buf, 8, &r), 0);
    if (logp_irecv(vp, 1, 9, buf, 8, &r) == 0)
        cr_assert_neq(logp_wait(vp, r, NULL), 0);
    if (logp_irecv(vp, 1, 9, buf, 8, &r) == 0)
        cr_assert_eq(logp_cancel(vp, r), 0);
    if (logp_irecv(vp, 1, 9, buf, 8, &r) == 0)
        cr_assert_neq(logp_waitany(vp, &r, 1, &index, NULL), 0);
    if (logp_group_create(vp, 4, members, 1, &group) == 0) {
        cr_assert_neq(logp_send(group, 0, 7, buf, 8), 0);
        cr_assert_neq(logp_sync(group, NULL), 0);
        logp_group_destroy(group);
    }
    cr_assert_neq(logp_group_dup(vp, &group), 0);
    cr_assert_neq(logp_barrier(vp), 0);
    logp_mark(vp, "late");
    logp_vp_params(vp, &params);
    logp_now(vp);
    logp_wall_now(vp);
    logp_machine_delayed(logp_vp_machine(vp));
}

/* Rank 0 leaves messages behind, and is late; ranks of its core wait in different ways. */
static int late_rank_0(struct logp_vp *vp, void *arg)
{
    char buf[4096] = "";
    struct logp_request *r;
    int rc;

    (void)arg;
    if (logp_vp_rank(vp) == 1) {
        rc = logp_irecv(vp, 0, 2, buf, sizeof(buf), &r);
        return rc == 0 ? logp_wait(vp, r, NULL) : rc;
    }
    if (logp_vp_rank(vp) != 0)
        return logp_recv(vp, LOGP_ANY_SOURCE, 1, NULL, 0, NULL);
    for (int i = 0; i < P; i++) {
        rc = logp_send(vp, i, 3, buf, 1000 * (size_t)i);
        if (rc != 0)
            return rc;
    }
    rc = logp_isend(vp, 1, 3, buf, 3000, &r); /* may wait for its receiver */
    if (rc == 0)
        rc = logp_compute(vp, 50, NULL, NULL); /* others begin, under the virtual clock */
    if (rc == 0)
        rc = logp_probe(vp, 1, 8, &(bool){false}, NULL);
    if (rc != 0)
        return rc;
    be_late();
    do
        call_all(vp);
    while (!atomic_load(&lateness.may_end));
    return 0;
}

/* ---- what the owner calls ---- */

static int never(struct logp_vp *vp, void *arg)
{
    (void)vp, (void)arg;
    cr_assert_fail("it has begun");
    return 0;
}

static bool never_again(void *arg, const struct logp_report *report)
{
    (void)arg, (void)report;
    cr_assert_fail("it was asked");
    return false;
}

static int choose_first(void *arg, const struct logp_alternative *alternatives, int n)
{
    (void)arg, (void)alternatives, (void)n;
    return 0;
}

static void refuse_runs(struct logp_machine *m)
{
    const struct logp_experiment x = {
        .size = sizeof(x), .algorithm = logp_algorithm_find("barrier", "dissemination"), .reps = 1};
    struct logp_record record;
    int64_t value = 1;

    cr_assert_eq(logp_machine_run(m, never, NULL, 0), -EBUSY);
    cr_assert_eq(logp_machine_repeat(m, never, NULL, 0, never_again, NULL), -EBUSY);
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
    cr_assert_eq(logp_machine_set_rendezvous(m, 0),
                 test_parallel() && is_virtual && logp_machine_cores(m) > 1 ? -ENOTSUP : -EBUSY);
    cr_assert_eq(logp_inject(m, 0, 1, NULL, 0), is_virtual ? -ENOTSUP : -ESRCH);
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
        named |= r->waits[i].rank == 0 && r->waits[i].kind == LOGP_WAIT_AWAY;
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
    const struct logp_params params = test_params(6, 2, 4);
    const struct logp_trace_config config = {.size = sizeof(config)};
    const struct logp_explorer explorer = {
        .size = sizeof(explorer), .choose = choose_first, .order = true, .messages = true};
    struct logp_machine *m = test_machine(P, how == VIRTUAL ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL,
                                          how == BARE ? NULL : &params);
    int64_t end;

    if (traced)
        cr_assert_eq(logp_machine_trace(m, &config), 0);
    if (explored)
        cr_assert_eq(logp_machine_explore(m, &explorer), 0);
    if (synchronous)
        cr_assert_eq(logp_machine_set_rendezvous(m, 2500), 0);
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
        cr_assert_eq(logp_inject(m, 0, 1, NULL, 0), -ESRCH);
    replace_model(m, 200);
    if (explored)
        cr_assert_eq(logp_machine_explore(m, NULL), 0);
    end = run_clean(m);
    if (how == VIRTUAL && !test_parallel())
        cr_assert_eq(end, 100 + 2 + 200 + 2, "a probe, o, L, o; not %lld", (long long)end);
    if (traced)
        look_at_trace(m);
    run_clean(m);
    cr_assert_eq(logp_machine_destroy(m), 0);
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

/* ---- what a run that is over leaves ---- */

static atomic_int n_begun;

static int counted_late(struct logp_vp *vp, void *arg)
{
    (void)arg;
    atomic_fetch_add(&n_begun, 1);
    if (logp_vp_rank(vp) == 0)
        be_late();
    return 0;
}

static bool once(void *arg, const struct logp_report *report)
{
    atomic_int *const asked = arg;

    (void)report;
    atomic_fetch_add(asked, 1);
    return false;
}

/* The late one comes home while the owner asks for runs that are repeated. */
Test(late, a_run_that_is_over_is_not_repeated)
{
    const struct logp_params params = test_params(6, 2, 4);
    struct logp_machine *m = test_machine(P, LOGP_CLOCK_VIRTUAL, &params);
    atomic_int asked = 0;
    int rc;

    atomic_store(&n_begun, 0);
    run_late(m, counted_late, NULL);
    cr_assert_eq(atomic_load(&n_begun) % P, test_parallel() ? atomic_load(&n_begun) % P : 1);
    atomic_store(&n_begun, 0);
    atomic_store(&lateness.may_go_on, true);
    do
        rc = logp_machine_repeat(m, begin_clean, NULL, test_timeout_ns, once, &asked);
    while (rc == -EBUSY);
    cr_assert_eq(rc, 0);
    cr_assert_eq(atomic_load(&asked), 1);
    cr_assert_eq(atomic_load(&n_begun), 0, "a vp began what is over");
    run_clean(m);
    cr_assert_eq(logp_machine_destroy(m), 0);
}

/* Where the vps of one core are repeated by their carrier it is who is asked that is late. */
static bool late_to_answer(void *arg, const struct logp_report *report)
{
    struct logp_machine *const m = arg;
    const struct logp_explorer explorer = {.size = sizeof(explorer), .choose = choose_first};

    (void)report;
    be_late();
    cr_assert_eq(logp_machine_explore(m, &explorer), 0);
    cr_assert_eq(logp_machine_set_rendezvous(m, 1 << 20), 0);
    cr_assert_eq(logp_machine_explore(m, NULL), 0);
    cr_assert_eq(logp_machine_set_rendezvous(m, -1), 0);
    return true;
}

/* So little that it is home within the second that it is given. */
static bool slow_to_answer(void *arg, const struct logp_report *report)
{
    (void)arg, (void)report;
    atomic_store(&lateness.is_there, true);
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    return false;
}

static struct logp_machine *of_one_core(enum logp_clock clock, const char *executor)
{
    const struct logp_config config = {.size = sizeof(config),
                                       .n_processors = P,
                                       .clock = clock,
                                       .executor = executor,
                                       .n_cores = 1};
    struct logp_machine *m;

    cr_assert_eq(logp_machine_create(&config, &m), 0);
    return m;
}

Test(late, who_is_asked_for_another_run_may_be_late)
{
    struct logp_machine *m = of_one_core(LOGP_CLOCK_VIRTUAL, "fiber");
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
    cr_assert_eq(logp_machine_destroy(m), 0);
}

/* One fails, or finds something wrong, and another of the same core is late: what is said of the
 * run is written by the one, and read by who waits for the other. */
static int failing(struct logp_vp *vp, void *arg)
{
    const bool *const asserts = arg;
    int rc;

    if (logp_vp_rank(vp) == 2) {
        rc = logp_recv(vp, 1, 0, NULL, 0, NULL);
        if (rc != 0)
            return rc;
        return *asserts ? logp_check_holds(vp, false, "true", "file", 77) : -EIO;
    }
    if (logp_vp_rank(vp) == 1) {
        rc = logp_send(vp, 2, 0, NULL, 0);
        rc = rc == 0 ? logp_recv(vp, 2, 0, NULL, 0, NULL) : rc;
        be_late();
        return rc;
    }
    return logp_recv(vp, 1, 0, NULL, 0, NULL);
}

Test(late, a_report_says_what_is_known)
{
    static const char *const executors[] = {"thread", "fiber"};

    for (int i = 0; i < 4; i++) {
        struct logp_machine *m =
            of_one_core(i < 2 ? LOGP_CLOCK_WALL : LOGP_CLOCK_VIRTUAL, executors[i % 2]);
        const struct logp_report *r = logp_machine_report(m);
        bool asserts = i % 3 == 0;

        run_late(m, failing, &asserts);
        cr_assert_eq(r->error, -ETIMEDOUT);
        cr_assert_eq(r->asserted.file != NULL, asserts);
        if (asserts)
            cr_assert_eq(r->asserted.line, 77);
        await_late(m);
        cr_assert_eq(r->error, -ETIMEDOUT);
        cr_assert_eq(r->asserted.file != NULL, asserts);
        run_clean(m);
        cr_assert_eq(logp_machine_destroy(m), 0);
    }
}

/* A stop when the run is given up is for the next, whether the late one has come home or not. */
Test(late, no_stop_is_lost)
{
    const struct logp_params params = test_params(6, 2, 4);
    struct logp_machine *m = test_machine(P, LOGP_CLOCK_VIRTUAL, &params);

    for (int home = 0; home < 2; home++) {
        run_late(m, counted_late, NULL);
        if (home)
            await_late(m);
        logp_machine_stop(m, -EINTR);
        logp_machine_stop(m, -EIO);
        await_late(m);
        cr_assert_eq(logp_machine_run(m, never, NULL, test_timeout_ns), -EINTR);
        run_clean(m);
    }
    cr_assert_eq(logp_machine_destroy(m), 0);
}

/* ---- who is not asked any more ---- */

static atomic_int n_asked; /* a model */

static int64_t work(void *model, int rank, int64_t from, int64_t ns)
{
    (void)model, (void)rank;
    atomic_fetch_add(&n_asked, 1);
    return from + ns;
}

static void start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    (void)model, (void)port;
    atomic_fetch_add(&n_asked, 1);
    t->start = t->ready;
    t->done = t->ready + 1;
}

static void send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    (void)model, (void)port;
    atomic_fetch_add(&n_asked, 1);
    t->done = t->start + 1;
    t->arrival = t->done + 1;
}

static void recv(void *model, struct logp_port *port, struct logp_transfer *t)
{
    (void)model, (void)port;
    atomic_fetch_add(&n_asked, 1);
    t->start = t->ready;
    t->done = t->start + 1;
}

static void restart(void *model, bool new_run)
{
    (void)model, (void)new_run;
    atomic_fetch_add(&n_asked, 1);
}

static int64_t lookahead(void *model)
{
    (void)model;
    return 2;
}

static void late_inside(void *arg)
{
    (void)arg;
    be_late();
}

/* Late within a call: in what logp_compute() computes. */
static int late_in_compute(struct logp_vp *vp, void *arg)
{
    (void)arg;
    if (logp_vp_rank(vp) != 0)
        return logp_sync(vp, NULL);
    cr_assert_eq(logp_compute(vp, 10, late_inside, NULL), -ETIMEDOUT);
    call_all(vp);
    return 0;
}

Test(late, a_model_is_asked_nothing_after_the_run)
{
    static const struct logp_delay_ops ops = {.size = sizeof(ops),
                                              .name = "counting",
                                              .start = start,
                                              .send = send,
                                              .recv = recv,
                                              .restart = restart,
                                              .lookahead = lookahead,
                                              .work = work};

    for (int clock = 0; clock < 2; clock++) {
        struct logp_machine *m = test_machine_of(P, clock ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL,
                                                 (struct logp_delay){&ops, NULL});
        int asked;

        run_late(m, late_in_compute, NULL);
        asked = atomic_load(&n_asked);
        await_late(m);
        cr_assert_eq(atomic_load(&n_asked), asked);
        run_clean(m);
        cr_assert_eq(logp_machine_destroy(m), 0);
    }
}

/* A late vp does not change what the owner has set meanwhile. */
static int sets_delay(struct logp_vp *vp, void *arg)
{
    const struct logp_params params = test_params(6, 2, 4);
    struct logp_delay delay;

    (void)arg;
    if (logp_vp_rank(vp) != 0)
        return logp_recv(vp, 0, 0, NULL, 0, NULL);
    be_late();
    cr_assert_eq(logp_delay_create("loggp", &params, &delay), 0);
    cr_assert_neq(logp_machine_set_delay(logp_vp_machine(vp), delay, 0), 0);
    logp_delay_destroy(&delay);
    return 0;
}

Test(late, a_model_is_not_replaced_after_the_run)
{
    for (int clock = 0; clock < 2; clock++) {
        struct logp_machine *m =
            test_machine(P, clock ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL, NULL);

        if (test_parallel() && clock) { /* which does not run without a model */
            cr_assert_eq(logp_machine_destroy(m), 0);
            continue;
        }
        run_late(m, sets_delay, NULL);
        await_late(m);
        cr_assert(!logp_machine_delayed(m));
        run_clean(m);
        cr_assert_eq(logp_machine_destroy(m), 0);
    }
}

/* ---- messages from outside ---- */

/* The first start of a run is late, as the clock is: it is read by the vps, and by the owner. */
static struct {
    pthread_t owner;
    atomic_bool stands_still;
} clock_of;

static int64_t read_clock(void *arg)
{
    static _Atomic int64_t now;

    (void)arg;
    if (atomic_load(&clock_of.stands_still) && !pthread_equal(pthread_self(), clock_of.owner))
        be_late();
    return atomic_fetch_add(&now, 100);
}

static int ends(struct logp_vp *vp, void *arg)
{
    (void)vp, (void)arg;
    return 0;
}

Test(late, nothing_comes_from_outside_before_the_next_run)
{
    const struct logp_config config = {.size = sizeof(config),
                                       .n_processors = P,
                                       .executor = test_executor(),
                                       .time_ns = read_clock};
    struct logp_machine *m;

    clock_of.owner = pthread_self();
    cr_assert_eq(logp_machine_create(&config, &m), 0);
    atomic_store(&clock_of.stands_still, true);
    run_late(m, ends, NULL);
    cr_assert_eq(logp_inject(m, 0, 1, NULL, 0), -ESRCH);
    atomic_store(&clock_of.stands_still, false);
    atomic_store(&lateness.may_go_on, true);
    while (logp_machine_busy(m))
        cr_assert_eq(logp_inject(m, 0, 1, NULL, 0), -ESRCH);
    cr_assert_eq(logp_inject(m, 0, 1, NULL, 0), -ESRCH);
    run_clean(m);
    cr_assert_eq(logp_machine_destroy(m), 0);
}
