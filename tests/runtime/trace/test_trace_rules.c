/* SPDX-License-Identifier: MIT */
/* Traces: what is recorded of programs of the test's own is what the rules say. */
#include "traces.h"

/* ---- programs of the test's own ---- */

/* What is expected of an event. */
struct expected {
    enum logp_event_kind kind;
    int64_t start, end;
    int peer;
};

static void expect_events(const struct logp_trace *t, int rank, const struct expected *all,
                          size_t n)
{
    size_t found;
    const struct logp_event *e = logp_trace_events(t, rank, &found);

    cr_expect_eq(found, n, "rank %d has %zu events instead of %zu", rank, found, n);
    for (size_t i = 0; i < found && i < n; i++)
        if (e[i].kind != (uint32_t)all[i].kind || e[i].start_ns != all[i].start ||
            e[i].end_ns != all[i].end || e[i].peer != all[i].peer) {
            show("found", rank, i, &e[i]);
            cr_expect(false, "rank %d, event %zu is not %s %ld..%ld with %d", rank, i,
                      logp_event_kind_name(all[i].kind), (long)all[i].start, (long)all[i].end,
                      all[i].peer);
        }
}

#define EXPECT(trace_, rank_, ...)                                                                 \
    do {                                                                                           \
        const struct expected all_[] = {__VA_ARGS__};                                              \
                                                                                                   \
        expect_events(trace_, rank_, all_, sizeof(all_) / sizeof(all_[0]));                        \
    } while (0)

/* Run a program once on the virtual clock. */
static struct logp_trace *trace_of(int P, const struct logp_params *params, logp_program program,
                                   int64_t most)
{
    TEST_MACHINE m = test_machine(P, LOGP_CLOCK_VIRTUAL, params);
    struct logp_trace *t;

    trace_on(m, most);
    cr_assert_eq(logp_machine_run(m, program, NULL, test_timeout_ns), 0);
    t = taken(m);
    return t;
}

/* Rank 0 sends twice, computes, waits; rank 1 receives late, marks, and looks in vain. */
static int little_of_all(struct logp_vp *vp, void *arg)
{
    bool found;

    if (logp_vp_rank(vp) == 0) {
        TRY(logp_send(vp, 1, 5, "ab", 2));
        TRY(logp_send(vp, 1, 6, NULL, 0));
        TRY(logp_compute(vp, 7, NULL, NULL));
        TRY(logp_compute(vp, 0, NULL, NULL));
        TRY(logp_sleep_until(vp, 60));
        return logp_mark(vp, "the end");
    }
    TRY(logp_probe(vp, 0, 5, &found, NULL));
    cr_assert(!found);
    logp_label(vp, logp_label_of(vp, "my", "part"));
    TRY(logp_recv(vp, 0, 5, (char[2]){0}, 2, NULL));
    TRY(logp_recv(vp, 0, 6, NULL, 0, NULL));
    logp_label(vp, 0);
    return logp_mark(vp, "the end");
}

/* poll_ns is 100: rank 1 comes to its receives at 100, when both messages are there. */
Test(trace_rules, what_is_recorded_is_what_the_rules_say)
{
    const struct logp_params params = test_params(30, 10, 25);
    struct logp_trace *t = trace_of(2, &params, little_of_all, 0);
    const struct logp_trace_info *info = logp_trace_info(t);
    size_t n;
    const struct logp_event *e = logp_trace_events(t, 1, &n);

    EXPECT(t, 0, {LOGP_EVENT_SEND, 0, 10, 1}, {LOGP_EVENT_GAP, 10, 25, 1},
           {LOGP_EVENT_SEND, 25, 35, 1}, {LOGP_EVENT_COMPUTE, 35, 42, -1},
           {LOGP_EVENT_IDLE, 42, 60, -1}, {LOGP_EVENT_MARK, 60, 60, -1});
    EXPECT(t, 1, {LOGP_EVENT_IDLE, 0, 100, -1}, {LOGP_EVENT_RECEIVE, 100, 110, 0},
           {LOGP_EVENT_GAP, 110, 125, 0}, {LOGP_EVENT_RECEIVE, 125, 135, 0},
           {LOGP_EVENT_MARK, 135, 135, -1});
    cr_expect_eq(info->size, sizeof(*info));
    cr_expect_eq(info->source, LOGP_TRACE_VIRTUAL);
    cr_expect(info->P == 2 && info->end_ns == 135 && info->wall_ns == 135 && info->n_events == 11 &&
              info->n_messages == 2 && info->dropped == 0 && info->n_labels == 2);
    cr_expect(e[1].arrival_ns == 40 && e[1].bytes == 2 && e[1].tag == 5 && e[1].message == 0);
    cr_expect(e[3].arrival_ns == 65 && e[3].bytes == 0 && e[3].tag == 6 && e[3].message == 1);
    cr_expect_str_eq(logp_trace_label(t, e[0].label), "");
    for (int i = 1; i < 4; i++)
        cr_expect_str_eq(logp_trace_label(t, e[i].label), "my/part", "event %d", i);
    cr_expect_str_eq(logp_trace_label(t, e[4].label), "the end");
    cr_expect_str_eq(logp_trace_label(t, 99), "");
    cr_expect_null(logp_trace_events(t, 2, &n));
    cr_expect_eq(n, 0);
    cr_expect(is_whole(t));
    logp_trace_free(t);
    logp_trace_free(NULL);
}

/* Rank 1 has stopped at 20000 when its wait ends. */
static int waits_and_stops(struct logp_vp *vp, void *arg)
{
    const int64_t *first_ns = arg;

    if (logp_vp_rank(vp) == 0)
        return logp_compute(vp, 40000, NULL, NULL);
    TRY(logp_compute(vp, *first_ns, NULL, NULL));
    TRY(logp_sleep_until(vp, 30000));
    return logp_compute(vp, 1000, NULL, NULL);
}

static struct logp_trace *trace_of_stop(int64_t first_ns)
{
    const struct logp_network network = {
        .params = test_params(30, 10, 25), .faults = "stop@1:20", .unit_ns = 1000};
    char why[LOGP_NETWORK_WHY];
    struct logp_delay delay;
    TEST_MACHINE m = NULL;

    cr_assert_eq(logp_network_delay(&network, 2, NULL, &delay, why), 0, "%s", why);
    m = test_machine_of(2, LOGP_CLOCK_VIRTUAL, delay);
    trace_on(m, 0);
    cr_assert_eq(logp_machine_run(m, waits_and_stops, &first_ns, test_timeout_ns), 0);
    return taken(m);
}

/* It waits for some time before it stops, and not at all. */
Test(trace_rules, a_processor_that_has_stopped_waits_no_more)
{
    struct logp_trace *t = trace_of_stop(12000);

    EXPECT(t, 1, {LOGP_EVENT_COMPUTE, 0, 12000, -1}, {LOGP_EVENT_IDLE, 12000, 20000, -1},
           {LOGP_EVENT_HALTED, 20000, 40000, -1});
    logp_trace_free(t);
    t = trace_of_stop(20000);
    EXPECT(t, 1, {LOGP_EVENT_COMPUTE, 0, 20000, -1}, {LOGP_EVENT_HALTED, 20000, 40000, -1});
    logp_trace_free(t);
}

/* Rank 0 sends three at once to each other. */
static int burst(struct logp_vp *vp, void *arg)
{
    for (int i = 0; i < 3; i++)
        TRY(logp_vp_rank(vp) == 0 ? logp_send(vp, 1, 0, NULL, 0)
                                  : logp_recv(vp, 0, 0, NULL, 0, NULL));
    return 0;
}

/* One message on the wire at a time: [1, 11), then a place at 11, so a start at 10; a gap of 3. */
Test(trace_rules, a_gap_and_the_stall_behind_it)
{
    struct logp_params params = test_params(10, 1, 3);
    struct logp_trace *t;

    params.capacity = 1;
    if (test_parallel())
        return; /* has no capacity */
    t = trace_of(2, &params, burst, 0);
    EXPECT(t, 0, {LOGP_EVENT_SEND, 0, 1, 1}, {LOGP_EVENT_GAP, 1, 3, 1},
           {LOGP_EVENT_STALL, 3, 10, 1}, {LOGP_EVENT_SEND, 10, 11, 1}, {LOGP_EVENT_GAP, 11, 13, 1},
           {LOGP_EVENT_STALL, 13, 20, 1}, {LOGP_EVENT_SEND, 20, 21, 1});
    EXPECT(t, 1, {LOGP_EVENT_IDLE, 0, 11, 0}, {LOGP_EVENT_RECEIVE, 11, 12, 0},
           {LOGP_EVENT_IDLE, 12, 21, 0}, {LOGP_EVENT_RECEIVE, 21, 22, 0},
           {LOGP_EVENT_IDLE, 22, 31, 0}, {LOGP_EVENT_RECEIVE, 31, 32, 0});
    logp_trace_free(t);
}

/* Rank 1 computes before it receives: until then there is room for one message. It looks what the
 * time is, or it would run ahead. */
static int for_space(struct logp_vp *vp, void *arg)
{
    bool found;
    int rc = logp_vp_rank(vp) == 1 ? logp_compute(vp, 500, NULL, NULL) : 0;

    if (rc == 0 && logp_vp_rank(vp) == 1)
        rc = logp_probe(vp, 0, 0, &found, NULL);
    return rc != 0 ? rc : burst(vp, arg);
}

Test(trace_rules, a_send_that_waits_for_room_stalls)
{
    const struct logp_params params = test_params(10, 1, 1);
    const struct logp_config config = {
        .n_processors = 2, .clock = LOGP_CLOCK_VIRTUAL, .queue_limit = 250, .wait_for_space = true};
    TEST_MACHINE m = test_machine_with(config, &params);
    struct logp_trace *t;
    size_t n;
    const struct logp_event *e;

    trace_on(m, 0);
    cr_assert_eq(logp_machine_run(m, for_space, NULL, test_timeout_ns), 0);
    t = taken(m);
    e = logp_trace_events(t, 0, &n);
    cr_assert_geq(n, (size_t)3);
    cr_expect(e[0].kind == LOGP_EVENT_SEND && e[1].kind == LOGP_EVENT_STALL && e[1].start_ns == 1 &&
              e[1].end_ns >= 500 && e[1].peer == 1 && e[2].kind == LOGP_EVENT_SEND &&
              e[2].start_ns == e[1].end_ns);
    cr_expect(is_whole(t));
    logp_trace_free(t);
}

/* Receives are posted in one order and waited for in the other. */
static int crosswise(struct logp_vp *vp, void *arg)
{
    struct logp_request *first, *second;
    char a, b;

    if (logp_vp_rank(vp) == 0) {
        TRY(logp_send(vp, 1, 0, "a", 1));
        return logp_send(vp, 1, 0, "b", 1);
    }
    TRY(logp_irecv(vp, 0, 0, &a, 1, &first));
    TRY(logp_irecv(vp, 0, 0, &b, 1, &second));
    TRY(logp_wait(vp, second, NULL));
    return logp_wait(vp, first, NULL);
}

Test(trace_rules, the_ends_of_a_message_belong_together_in_whatever_order_it_is_waited_for)
{
    const struct logp_params params = test_params(10, 1, 3);
    struct logp_trace *t = trace_of(2, &params, crosswise, 0);
    size_t n;
    const struct logp_trace_message *m = logp_trace_messages(t, &n);
    const struct logp_event *e = logp_trace_events(t, 1, &n);

    EXPECT(t, 1, {LOGP_EVENT_IDLE, 0, 14, 0}, {LOGP_EVENT_RECEIVE, 14, 15, 0},
           {LOGP_EVENT_GAP, 15, 17, 0}, {LOGP_EVENT_RECEIVE, 17, 18, 0});
    cr_expect(m[0].receive == 3 && m[1].receive == 1);
    cr_expect(e[1].message == 1 && e[3].message == 0);
    logp_trace_free(t);
}

/* ---- beginnings, ends, limits ---- */

/* Three rounds, of which each begins the trace anew; what is after the last is not recorded. */
static int rounds(struct logp_vp *vp, void *arg)
{
    int rc = 0;

    for (int i = 0; rc == 0 && i < 3; i++) {
        int64_t start;

        rc = logp_sync(vp, &start);
        logp_trace_begin(vp, start);
        rc = rc != 0 ? rc : logp_compute(vp, 10 + i, NULL, NULL);
        rc = rc != 0 ? rc : burst(vp, NULL);
        logp_trace_end(vp);
    }
    return rc != 0 ? rc : burst(vp, NULL);
}

Test(trace_rules, it_begins_where_the_program_says)
{
    const struct logp_params params = test_params(10, 1, 3);
    struct logp_trace *t = trace_of(2, &params, rounds, 0);

    EXPECT(t, 0, {LOGP_EVENT_COMPUTE, 0, 12, -1}, {LOGP_EVENT_SEND, 12, 13, 1},
           {LOGP_EVENT_GAP, 13, 15, 1}, {LOGP_EVENT_SEND, 15, 16, 1}, {LOGP_EVENT_GAP, 16, 18, 1},
           {LOGP_EVENT_SEND, 18, 19, 1});
    cr_expect_eq(logp_trace_info(t)->n_messages, 3);
    cr_expect(is_whole(t));
    logp_trace_free(t);
}

enum { MANY = 300 };

static int many(struct logp_vp *vp, void *arg)
{
    for (int i = 0; i < MANY; i++)
        TRY(logp_vp_rank(vp) == 0 ? logp_send(vp, 1, i % 3, NULL, 0)
                                  : logp_recv(vp, 0, i % 3, NULL, 0, NULL));
    return 0;
}

/* Up to the limit it is as without; the messages whose receive was dropped have one end. */
Test(trace_rules, what_is_beyond_the_limit_is_counted)
{
    const struct logp_params params = test_params(10, 1, 0);
    struct logp_trace *all = trace_of(2, &params, many, 0);
    const size_t total = (size_t)logp_trace_info(all)->n_events;
    static const int64_t limits[] = {1, 2, 63, 64, 126, 299, 300, 301, 302};

    for (size_t k = 0; k < sizeof(limits) / sizeof(limits[0]); k++) {
        struct logp_trace *t = trace_of(2, &params, many, limits[k]);
        uint64_t kept = 0;

        for (int r = 0; r < 2; r++) {
            size_t n, m;
            const struct logp_event *e = logp_trace_events(t, r, &n);
            const struct logp_event *f = logp_trace_events(all, r, &m);

            kept += n;
            cr_expect_eq(n, m < (size_t)limits[k] ? m : (size_t)limits[k]);
            for (size_t i = 0; i < n; i++)
                cr_expect(e[i].kind == f[i].kind && e[i].start_ns == f[i].start_ns &&
                          (e[i].message == f[i].message || e[i].message < 0));
        }
        cr_expect_eq(logp_trace_info(t)->dropped, total - kept);
        logp_trace_free(t);
    }
    logp_trace_free(all);
}

Test(trace_rules, a_run_forgets_the_one_before_and_off_is_off)
{
    const struct logp_params params = test_params(10, 1, 3);
    TEST_MACHINE m = test_machine(2, LOGP_CLOCK_VIRTUAL, &params);
    struct logp_trace_config wrong = {.size = 0};
    struct logp_trace *t;

    cr_expect_eq(logp_machine_take_trace(m, &t), -EINVAL);
    cr_expect_eq(logp_machine_trace(m, &wrong), -EINVAL);
    wrong = (struct logp_trace_config){.size = sizeof(wrong), .events_ahead = -1};
    cr_expect_eq(logp_machine_trace(m, &wrong), -EINVAL);
    wrong = (struct logp_trace_config){.size = sizeof(wrong), .events_most = -1};
    cr_expect_eq(logp_machine_trace(m, &wrong), -EINVAL);
    wrong = (struct logp_trace_config){.size = sizeof(wrong), .events_ahead = INT64_MAX};
    cr_expect_eq(logp_machine_trace(m, &wrong), -ENOMEM);
    cr_expect_eq(logp_machine_take_trace(m, &t), -EINVAL);
    trace_on(m, 0);
    t = taken(m); /* of no run */
    cr_expect_eq(logp_trace_info(t)->n_events, 0);
    logp_trace_free(t);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(logp_machine_run(m, many, NULL, test_timeout_ns), 0);
        cr_assert_eq(logp_machine_run(m, burst, NULL, test_timeout_ns), 0);
        t = taken(m);
        cr_expect_eq(logp_trace_info(t)->n_messages, 3);
        logp_trace_free(t);
        t = taken(m);
        cr_expect_eq(logp_trace_info(t)->n_events, 0);
        logp_trace_free(t);
    }
    cr_assert_eq(logp_machine_trace(m, NULL), 0);
    cr_assert_eq(logp_machine_run(m, little_of_all, NULL, test_timeout_ns), 0);
    cr_expect_eq(logp_machine_take_trace(m, &t), -EINVAL);
}

/* ---- started collectives ---- */

static int two_at_once(struct logp_vp *vp, void *arg)
{
    struct logp_request *pending[2];
    double one = 1, sum;
    char byte = 0;
    int rc = logp_ibroadcast(vp, &byte, 1, 0, &pending[0]);

    rc = rc != 0 ? rc
                 : logp_iallreduce(vp, &one, &sum, 1, logp_op_find("sum", "double"), &pending[1]);
    rc = rc != 0 ? rc : logp_compute(vp, 5, NULL, NULL);
    return rc != 0 ? rc : logp_waitall(vp, pending, 2, NULL);
}

Test(trace_rules, what_is_started_has_its_own_label)
{
    const struct logp_params params = test_params(10, 1, 3);
    struct logp_trace *t = trace_of(4, &params, two_at_once, 0);
    int of_broadcast = 0, of_allreduce = 0;

    for (int r = 0; r < 4; r++) {
        size_t n;
        const struct logp_event *e = logp_trace_events(t, r, &n);

        for (size_t i = 0; i < n; i++) {
            const char *label = logp_trace_label(t, e[i].label);

            of_broadcast += e[i].message >= 0 && strncmp(label, "broadcast/", 10) == 0;
            of_allreduce += e[i].message >= 0 && strncmp(label, "allreduce/", 10) == 0;
            cr_expect(e[i].kind != LOGP_EVENT_COMPUTE || e[i].end_ns - e[i].start_ns != 5 ||
                      *label == '\0');
        }
    }
    cr_expect_eq(of_broadcast, 2 * 3);
    cr_expect_eq(of_broadcast + of_allreduce, 2 * (int)logp_trace_info(t)->n_messages);
    cr_expect(is_whole(t));
    logp_trace_free(t);
}

/* ---- runs that are ended ---- */

/* 0 tells 1, which waits for another; 2 computes, and waits for 3, which has returned. */
static int in_vain(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);

    if (me == 0)
        TRY(logp_send(vp, 1, 7, &me, sizeof(me)));
    if (me == 2)
        TRY(logp_compute(vp, 5, NULL, NULL));
    if (me < 3)
        TRY(logp_recv(vp, me == 0 ? 1 : 3, 9, NULL, 0, NULL));
    return 0;
}

Test(trace_rules, who_waits_when_a_run_is_ended_waits_up_to_the_end)
{
    static const int peers[] = {1, 3, 3};
    static const int64_t since[] = {1, 0, 5};
    const struct logp_params params = test_params(10, 1, 3);
    struct logp_machine *m = test_machine(4, LOGP_CLOCK_VIRTUAL, &params);
    struct logp_trace *t;
    size_t n;

    trace_on(m, 0);
    cr_assert_eq(logp_machine_run(m, in_vain, NULL, test_timeout_ns), -EDEADLK);
    t = taken(m);
    for (int r = 0; r < 3; r++) {
        const struct logp_event *e = logp_trace_events(t, r, &n);

        cr_assert_gt(n, 0);
        e += n - 1;
        cr_expect_eq(e->kind, LOGP_EVENT_IDLE);
        cr_expect_eq(e->fate, LOGP_FATE_ENDLESS);
        cr_expect_eq(e->peer, peers[r]);
        cr_expect_eq(e->tag, 9);
        cr_expect_eq(e->start_ns, since[r]);
        cr_expect_eq(e->end_ns, 11, "the message that nobody receives is there at 11");
    }
    logp_trace_events(t, 3, &n);
    cr_expect_eq(n, 0);
    cr_expect_eq(logp_trace_info(t)->end_ns, 11);
    logp_trace_free(t);
    t = taken(m); /* once */
    cr_expect_eq(logp_trace_info(t)->n_events, 0);
    logp_trace_free(t);
    logp_machine_destroy(m);
}

/* ---- event by event ---- */

/* Two sends to 1 that arrive at one time, and so many receives. */
static const struct logp_trace_message *two_sends(uint16_t first, uint16_t second, int receives,
                                                  struct logp_trace **t)
{
    struct logp_event e = {.arrival_ns = 9, .peer = 1, .kind = LOGP_EVENT_SEND, .fate = first};
    size_t n;

    cr_assert_eq(logp_trace_create(2, LOGP_TRACE_VIRTUAL, t), 0);
    cr_assert_eq(logp_trace_add(*t, 0, &e), 0);
    e.fate = second;
    cr_assert_eq(logp_trace_add(*t, 0, &e), 0);
    e = (struct logp_event){
        .start_ns = 9, .end_ns = 9, .arrival_ns = 9, .kind = LOGP_EVENT_RECEIVE};
    for (int i = 0; i < receives; i++)
        cr_assert_eq(logp_trace_add(*t, 1, &e), 0);
    cr_assert_eq(logp_trace_match(*t), 0);
    return logp_trace_messages(*t, &n);
}

Test(trace_rules, what_is_lost_has_no_receive_and_what_comes_twice_has_two)
{
    static const struct {
        uint16_t first, second;
        int receives;
        int64_t receive[4]; /* of the first, again; of the second, again */
    } rows[] = {
        {0, 0, 1, {0, -1, -1, -1}},
        {LOGP_FATE_DROPPED, 0, 1, {-1, -1, 0, -1}},
        {0, LOGP_FATE_DROPPED, 1, {0, -1, -1, -1}},
        {LOGP_FATE_DUPLICATED, 0, 3, {0, 1, 2, -1}},
        {LOGP_FATE_DUPLICATED, LOGP_FATE_DUPLICATED, 3, {0, 1, 2, -1}},
        {0, LOGP_FATE_DUPLICATED | LOGP_FATE_FLIPPED, 3, {0, -1, 1, 2}},
        {LOGP_FATE_FLIPPED, 0, 2, {0, -1, 1, -1}},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct logp_trace *t;
        const struct logp_trace_message *m =
            two_sends(rows[i].first, rows[i].second, rows[i].receives, &t);
        size_t n;

        for (int k = 0; k < 4; k++)
            cr_expect_eq(k % 2 == 0 ? m[k / 2].receive : m[k / 2].again, rows[i].receive[k],
                         "row %zu, %d", i, k);
        for (int k = 0; k < 4; k++)
            if (rows[i].receive[k] >= 0)
                cr_expect_eq(logp_trace_events(t, 1, &n)[rows[i].receive[k]].message, k / 2);
        logp_trace_free(t);
    }
}

Test(trace_rules, events_that_make_no_sense_are_refused)
{
    struct logp_event e = {.start_ns = 5, .end_ns = 7, .peer = 1, .kind = LOGP_EVENT_SEND};
    struct logp_trace *t;
    size_t n;

    cr_expect_eq(logp_trace_create(0, LOGP_TRACE_PREDICTED, &t), -EINVAL);
    cr_expect_eq(logp_trace_create(INT64_C(1) << 40, LOGP_TRACE_PREDICTED, &t), -EINVAL);
    cr_assert_eq(logp_trace_create(2, LOGP_TRACE_PREDICTED, &t), 0);
    cr_expect_eq(logp_trace_add_label(t, ""), 0);
    cr_expect_eq(logp_trace_add_label(t, "a"), 1);
    cr_expect_eq(logp_trace_add_label(t, "b"), 2);
    cr_expect_eq(logp_trace_add_label(t, "a"), 1);
    cr_expect_eq(logp_trace_add(t, 2, &e), -EINVAL);
    cr_expect_eq(logp_trace_add(t, -1, &e), -EINVAL);
    for (int i = 0; i < 7; i++) {
        struct logp_event bad = e;

        bad.kind = i == 0 ? LOGP_EVENT_KINDS : bad.kind;
        bad.end_ns = i == 1 ? 4 : bad.end_ns;
        bad.label = i == 2 ? 3 : 0;
        bad.fate = i == 6 ? 2 * LOGP_FATE_ENDLESS : 0;
        bad.peer = i == 3 ? 2 : i == 4 ? -1 : i == 5 ? -3 : 1;
        cr_expect_eq(logp_trace_add(t, 0, &bad), -EINVAL, "%d", i);
    }
    cr_assert_eq(logp_trace_add(t, 0, &e), 0);
    cr_expect_eq(logp_trace_add(t, 0, &e), -EINVAL); /* they overlap */
    e = (struct logp_event){.start_ns = 9, .end_ns = 9, .peer = 0, .kind = LOGP_EVENT_RECEIVE};
    cr_assert_eq(logp_trace_add(t, 1, &e), 0);
    cr_assert_eq(logp_trace_match(t), 0);
    cr_assert_eq(logp_trace_match(t), 0);
    cr_expect_eq(logp_trace_add(t, 1, &e), -EBUSY);
    cr_expect_eq(logp_trace_messages(t, &n)[0].receive, 0);
    cr_expect_eq(n, 1);
    cr_expect_eq(logp_trace_info(t)->end_ns, 9);
    cr_expect_null(logp_event_kind_name(LOGP_EVENT_KINDS));
    logp_trace_free(t);
}
