/* SPDX-License-Identifier: MIT */
/*
 * Random programs of all calls that look at what has come, explored in each way that there is, with
 * sends that wait for their receivers and without: each run comes to its end, and the same answers
 * give the same run again. And one program whose receives wait beside others: it has no deadlock.
 */
#include "kit.h"

enum { CALLS = 25, WAYS = 5, MODELS = 3, PROGRAMS = 300, POSTED = 4 };

static const int64_t hang_ns = INT64_C(20000000000);

struct explored {
    uint64_t seed;
    uint64_t random; /* for answers */
    uint64_t hash;   /* of all that was asked and noted */
    int late;        /* waits that have missed a payload on its way */
};

static void add(struct explored *e, uint64_t x)
{
    e->hash = (e->hash ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    e->hash ^= e->hash >> 29;
}

static int choose(void *arg, const struct logp_alternative *a, int n)
{
    struct explored *e = arg;

    for (int i = 0; i < n; i++) {
        add(e, (uint64_t)a[i].kind << 32 | (uint32_t)a[i].rank);
        add(e, (uint64_t)a[i].polls << 32 | (uint32_t)a[i].source);
    }
    return (int)test_below(&e->random, n);
}

static void note(void *arg, const struct logp_note *n)
{
    add(arg, (uint64_t)n->kind << 32 | (uint32_t)n->rank);
    add(arg, (uint64_t)n->peer << 32 | (uint32_t)n->tag);
    add(arg, (uint64_t)(n->value + n->time_ns));
}

/* One call, drawn. posted: receives that are under way, *n of them */
static int call(struct logp_vp *vp, uint64_t *random, struct logp_request **posted, int *n,
                char *buf, struct logp_status *status)
{
    const int peer = (int)test_below(random, logp_vp_size(vp)), tag = (int)test_below(random, 2);
    const int64_t end = logp_now(vp) + test_below(random, 9000);
    const int any = test_below(random, 2) == 0 ? LOGP_ANY_TAG : tag;
    bool done;
    int rc;

    switch (test_below(random, 13)) {
    case 0:
        return logp_recv_until(vp, LOGP_ANY_SOURCE, any, buf, 64, end, status);
    case 1:
        return logp_recv_until(vp, peer, tag, buf, 64, end, status);
    case 2:
        return logp_probe(vp, LOGP_ANY_SOURCE, any, &done, status);
    case 3:
        return logp_probe_until(vp, LOGP_ANY_SOURCE, any, end, status);
    case 4:
        if (*n == POSTED)
            return 0;
        rc = logp_irecv(vp, any == tag ? LOGP_ANY_SOURCE : peer, tag, buf, 64, &posted[*n]);
        *n += rc == 0;
        return rc;
    case 5:
        if (*n == 0)
            return 0;
        rc = logp_test(vp, posted[*n - 1], &done, status);
        *n -= rc == 0 && done;
        return rc;
    case 6:
        return logp_compute(vp, test_below(random, 3000), NULL, NULL);
    case 7:
        return test_below(random, 8) > 0
                   ? 0
                   : logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, buf, 64, status);
    case 8:
        if (*n == 0 || test_below(random, 4) > 0)
            return 0;
        return logp_wait(vp, posted[--*n], status);
    default:
        return logp_send(vp, peer, tag, buf, (size_t)test_below(random, 40));
    }
}

static int program(struct logp_vp *vp, void *arg)
{
    struct explored *e = arg;
    uint64_t random = e->seed * 64 + (uint64_t)logp_vp_rank(vp) + 1;
    struct logp_request *posted[POSTED];
    char buf[64] = "";
    int n = 0, rc = 0;

    test_random(&random);
    for (int i = 0; i < CALLS && (rc == 0 || rc == -ETIME); i++) {
        struct logp_status status = {.source = -1};

        rc = call(vp, &random, posted, &n, buf, &status);
        add(e, (uint64_t)rc << 32 | (uint32_t)status.source);
        add(e, (uint64_t)logp_now(vp) << 8 | (uint64_t)status.tag);
    }
    return rc == -ETIME ? 0 : rc;
}

/* @return of all that was asked and noted */
static uint64_t run(struct logp_machine *m, struct explored *e)
{
    int rc;

    e->random = e->seed;
    e->hash = 1;
    rc = logp_machine_run(m, program, e, hang_ns);
    cr_assert_neq(rc, -ETIMEDOUT, "seed %llu does not end", (unsigned long long)e->seed);
    add(e, (uint64_t)rc);
    return e->hash;
}

static struct logp_delay model(int which, uint64_t seed)
{
    const struct logp_latency latency = {.kind = LOGP_LATENCY_EXPONENTIAL, .seed = seed};
    struct logp_delay inner = logp_delay_none(), outer;

    if (which > 0)
        cr_assert_eq(logp_delay_create("logp", &test_6us, &inner), 0);
    if (which < 2)
        return inner;
    cr_assert_eq(logp_latency_create(&inner, &latency, &outer), 0);
    return outer;
}

static void explore(int way, int which, uint64_t seed)
{
    static const struct logp_explorer ways[WAYS] = {
        {.order = true, .messages = true},
        {.messages = true},
        {.order = true, .messages = true, .untimed = true},
        {.messages = true, .untimed = true},
        {.messages = true, .untimed = true, .late = true},
    };
    const struct logp_network network = {.rendezvous_from = seed % 3 == 0 ? 20 : 0};
    const struct logp_config config = {.size = sizeof(config),
                                       .n_processors = 2 + (int)(seed % 8),
                                       .clock = LOGP_CLOCK_VIRTUAL,
                                       .executor = "fiber",
                                       .delay = model(which, seed),
                                       .network = &network};
    struct explored e = {.seed = seed};
    struct logp_explorer explorer = ways[way];
    TEST_MACHINE m = NULL;
    uint64_t first;

    explorer.size = sizeof(explorer);
    explorer.choose = choose;
    explorer.note = note;
    explorer.arg = &e;
    cr_assert_eq(logp_machine_create(&config, &m), 0);
    cr_assert_eq(logp_machine_explore(m, &explorer), 0);
    first = run(m, &e);
    cr_assert_eq(run(m, &e), first, "seed %llu, way %d, model %d", (unsigned long long)seed, way,
                 which);
}

Test(explore_calls, every_run_ends_and_comes_again)
{
    for (int way = 0; way < WAYS; way++)
        for (int which = 0; which < MODELS; which++)
            for (uint64_t seed = 1; seed <= PROGRAMS / TEST_SCALE; seed++)
                explore(way, which, seed);
}

/* Rank 0 sends two messages; rank 1 has posted a receive from any source, and one from rank 0. */
static int beside(struct logp_vp *vp, void *arg)
{
    struct logp_request *any, *named;
    int x = 0, y = 0;

    if (logp_vp_rank(vp) == 0) {
        TRY(logp_send(vp, 1, 0, &x, sizeof(x)));
        return logp_send(vp, 1, 0, &x, sizeof(x));
    }
    TRY(logp_irecv(vp, LOGP_ANY_SOURCE, 0, &x, sizeof(x), &any));
    TRY(logp_irecv(vp, 0, 0, &y, sizeof(y), &named));
    TRY(logp_wait(vp, any, NULL));
    return logp_wait(vp, named, NULL);
}

Test(explore_calls, a_named_receive_posted_beside_one_from_any_source_is_served)
{
    for (int i = 0; i < N_STRATEGIES; i++) {
        struct logp_check check = check_of(2, strategies[i], 100);

        passes(beside, NULL, &check);
    }
}

/* The others send to rank 0, which finds a message and receives one. */
struct found {
    bool names;   /* it receives the message found, by its source and tag */
    int n_others; /* receives of other messages than the one found, in all runs */
};

static int find_and_take(struct logp_vp *vp, void *arg)
{
    struct found *f = arg;
    struct logp_status found, taken;
    int x = 0;

    if (logp_vp_rank(vp) > 0)
        return logp_send(vp, 0, 0, &x, sizeof(x));
    for (int i = 1; i < logp_vp_size(vp); i++) {
        TRY(logp_probe_until(vp, LOGP_ANY_SOURCE, 0, INT64_MAX, &found));
        TRY(logp_recv(vp, f->names ? found.source : LOGP_ANY_SOURCE, 0, &x, sizeof(x), &taken));
        f->n_others += taken.source != found.source;
    }
    return 0;
}

/* Source: MPI 3.1, examples 3.18 and 3.19 */
Test(explore_calls, a_receive_from_any_source_may_take_another_message_than_a_probe_has_found)
{
    for (int i = 0; i < N_STRATEGIES; i++)
        for (int names = 0; names < 2; names++) {
            struct logp_check check = check_of(4, strategies[i], 100);
            struct found f = {names != 0, 0};

            passes(find_and_take, &f, &check);
            cr_expect_eq(f.n_others > 0, names == 0, "%d", f.n_others);
            /* what is found times what is taken, of 3, 2 and 1 messages */
            cr_expect(strategies[i] != LOGP_STRATEGY_EXHAUSTIVE ||
                          check.checked.executions == (names ? 6 : 36),
                      "%d", (int)check.checked.executions);
        }
}

/* A message that a probe has found cannot be missed by the next probe, unless a receive has taken it. */
static int find_again(struct logp_vp *vp, void *arg)
{
    struct logp_status status;
    bool found = false;

    if (logp_vp_rank(vp) > 0)
        return logp_send(vp, 0, 0, NULL, 0);
    for (int i = 1; i < logp_vp_size(vp); i++) {
        TRY(logp_probe_until(vp, LOGP_ANY_SOURCE, 0, INT64_MAX, NULL));
        TRY(logp_probe(vp, LOGP_ANY_SOURCE, 0, &found, &status));
        cr_expect(found);
        TRY(logp_recv(vp, LOGP_ANY_SOURCE, 0, NULL, 0, NULL));
    }
    return 0;
}

Test(explore_calls, what_a_probe_has_found_is_not_missed)
{
    for (int i = 0; i < N_STRATEGIES; i++) {
        struct logp_check check = check_of(4, strategies[i], 100);

        passes(find_again, NULL, &check);
    }
}

/* A probe finds a message for no request. *arg: how often */
static int choose_found(void *arg, const struct logp_alternative *a, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i].kind == LOGP_TAKE && a[i].request == 0) {
            cr_expect_eq(a[i].index, -1, "%d", a[i].index);
            ++*(int *)arg;
        }
    return n - 1;
}

Test(explore_calls, what_a_probe_finds_has_no_request)
{
    int n_found = 0;
    const struct logp_explorer explorer = {.size = sizeof(explorer),
                                           .choose = choose_found,
                                           .arg = &n_found,
                                           .messages = true,
                                           .untimed = true,
                                           .late = true};
    TEST_MACHINE m = test_machine(4, LOGP_CLOCK_VIRTUAL, NULL);

    cr_assert_eq(logp_machine_explore(m, &explorer), 0);
    cr_assert_eq(logp_machine_run(m, find_and_take, &(struct found){true, 0}, hang_ns), 0);
    cr_expect_gt(n_found, 0);
}

/* Ranks 2 and 3 send to rank 0, which receives from any source, and to rank 1, which has posted such a
 * receive, too, but waits for one that names its source. */
static int any_and_named(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);
    struct logp_request *any;

    if (me > 1) {
        TRY(logp_send(vp, 0, 0, NULL, 0));
        return logp_send(vp, 1, me, NULL, 0);
    }
    if (me == 1) {
        TRY(logp_irecv(vp, LOGP_ANY_SOURCE, 2, NULL, 0, &any));
        TRY(logp_recv(vp, 3, 3, NULL, 0, NULL));
        return logp_wait(vp, any, NULL);
    }
    TRY(logp_recv(vp, LOGP_ANY_SOURCE, 0, NULL, 0, NULL));
    return logp_recv(vp, LOGP_ANY_SOURCE, 0, NULL, 0, NULL);
}

/* *arg: how often a message with each tag could be taken, and something else could come first */
static int count_takes(void *arg, const struct logp_alternative *a, int n)
{
    int *takes = arg;

    for (int i = 0; i < n; i++)
        takes[a[i].tag] += a[i].kind == LOGP_TAKE && n > 1;
    return n - 1;
}

Test(explore_calls, a_wait_for_a_named_source_is_no_choice)
{
    int takes[4] = {0};
    const struct logp_explorer explorer = {.size = sizeof(explorer),
                                           .choose = count_takes,
                                           .arg = takes,
                                           .messages = true,
                                           .untimed = true,
                                           .late = true};
    TEST_MACHINE m = test_machine(4, LOGP_CLOCK_VIRTUAL, NULL);

    cr_assert_eq(logp_machine_explore(m, &explorer), 0);
    cr_assert_eq(logp_machine_run(m, any_and_named, NULL, hang_ns), 0);
    cr_expect(takes[0] > 0 && takes[3] == 0, "%d, %d", takes[0], takes[3]);
}

/* Rank 1 has matched a send that waits for it when its wait ends, so it awaits the payload, which is
 * late. Meanwhile a message comes for another receive from any source. */
static int await_payload(struct logp_vp *vp, void *arg)
{
    struct logp_request *r;
    char big[64] = "", other;

    if (logp_vp_rank(vp) == 0)
        return logp_send(vp, 1, 0, big, sizeof(big));
    if (logp_vp_rank(vp) == 2) {
        TRY(logp_compute(vp, 12000, NULL, NULL));
        return logp_send(vp, 1, 1, big, 1);
    }
    TRY(logp_irecv(vp, LOGP_ANY_SOURCE, 1, &other, 1, &r));
    cr_expect_eq(logp_recv_until(vp, LOGP_ANY_SOURCE, 0, big, sizeof(big), 10000, NULL), -ETIME);
    cr_expect_eq(logp_now(vp), 22000, "%ld", (long)logp_now(vp));
    TRY(logp_wait(vp, r, NULL));
    return logp_recv(vp, 0, 0, big, sizeof(big), NULL);
}

/* An explored run of P processors, whose longer sends wait for their receivers. */
static void explore_waiting(logp_program body, int P, bool untimed, struct explored *e)
{
    const struct logp_network network = {.rendezvous_from = 20};
    const struct logp_explorer explorer = {.size = sizeof(explorer),
                                           .choose = choose,
                                           .note = note,
                                           .arg = e,
                                           .messages = true,
                                           .untimed = untimed};
    const struct logp_config config = {.size = sizeof(config),
                                       .n_processors = P,
                                       .clock = LOGP_CLOCK_VIRTUAL,
                                       .executor = "fiber",
                                       .delay = model(1, 0),
                                       .network = &network};
    TEST_MACHINE m = NULL;

    cr_assert_eq(logp_machine_create(&config, &m), 0);
    cr_assert_eq(logp_machine_explore(m, &explorer), 0);
    cr_assert_eq(logp_machine_run(m, body, e, hang_ns), 0);
}

Test(explore_calls, a_late_payload_is_awaited_beside_another_message)
{
    struct explored e = {.seed = 1, .random = 1};

    explore_waiting(await_payload, 3, false, &e);
}

/* Rank 1's wait misses, as the payload of the send that it has matched arrives after its end. The
 * receive is complete then: whatever asks for it next finds it. */
static int ask_again(struct logp_vp *vp, void *arg)
{
    struct explored *e = arg;
    struct logp_request *r[2];
    char big[64] = "";
    int index = 0, rc;
    bool done = false;

    if (logp_vp_rank(vp) == 0)
        return logp_send(vp, 1, 0, big, sizeof(big));
    TRY(logp_irecv(vp, 0, 1, big, 1, &r[0]));
    TRY(logp_irecv(vp, LOGP_ANY_SOURCE, 0, big, sizeof(big), &r[1]));
    rc = logp_wait_until(vp, r[1], 10000, NULL);
    if (rc == -ETIME && logp_now(vp) > 20000) {
        e->late++;
        if (e->seed % 2 == 0)
            TRY(logp_test(vp, r[1], &done, NULL));
        else
            TRY(logp_waitany_until(vp, r, 2, logp_now(vp) + 1, &index, NULL));
        cr_expect(done || index == 1, "seed %d", (int)e->seed);
    } else if (rc == -ETIME) {
        TRY(logp_wait(vp, r[1], NULL));
    }
    return rc == -ETIME ? logp_cancel(vp, r[0]) : rc;
}

Test(explore_calls, a_receive_whose_payload_came_too_late_is_complete)
{
    int late = 0;

    for (int seed = 1; seed <= 40; seed++) {
        struct explored e = {.seed = (uint64_t)seed, .random = (uint64_t)seed};

        explore_waiting(ask_again, 2, seed > 20, &e);
        late += e.late;
    }
    cr_assert_geq(late, 20);
}

/* ---- waits that end, after they have waited ---- */

struct ended {
    bool by_request; /* a wait for any of several; else a probe */
    bool sends;      /* a message is under way when it ends, and the wait is told to miss it */
    int missed;      /* noted of rank 1 */
    int64_t at;
};

static int told_to_miss(void *arg, const struct logp_alternative *alternatives, int n)
{
    for (int i = 0; i < n; i++)
        if (alternatives[i].kind == LOGP_MISS)
            return i;
    return 0;
}

static void note_missed(void *arg, const struct logp_note *n)
{
    struct ended *e = arg;

    if (n->kind != LOGP_NOTE_MISSED || n->rank != 1)
        return;
    e->missed++;
    e->at = n->time_ns;
}

static int end_in_vain(struct logp_vp *vp, void *arg)
{
    const struct ended *e = arg;
    struct logp_request *r = NULL;
    int x = 0, index, rc;

    if (logp_vp_rank(vp) == 0) {
        rc = logp_compute(vp, 900, NULL, NULL);
        return rc == 0 && e->sends ? logp_send(vp, 1, 0, &x, sizeof(x)) : rc;
    }
    if (e->by_request)
        cr_assert_eq(logp_irecv(vp, 0, 0, &x, sizeof(x), &r), 0);
    rc = e->by_request ? logp_waitany_until(vp, &r, 1, 1000, &index, NULL)
                       : logp_probe_until(vp, LOGP_ANY_SOURCE, 0, 1000, NULL);
    cr_expect_eq(rc, -ETIME);
    cr_expect_eq(logp_now(vp), 1000, "it has waited, and is no look: %ld", (long)logp_now(vp));
    if (r != NULL && logp_cancel(vp, r) == -EINPROGRESS)
        return logp_wait(vp, r, NULL);
    return 0;
}

Test(explore_calls, a_wait_that_ends_is_noted_as_missed_and_costs_no_poll)
{
    for (int i = 0; i < 8; i++) {
        struct ended e = {.by_request = i % 2 != 0, .sends = i / 2 % 2 != 0, .at = -1};
        const struct logp_explorer explorer = {.size = sizeof(explorer),
                                               .choose = told_to_miss,
                                               .note = note_missed,
                                               .arg = &e,
                                               .messages = true,
                                               .untimed = i >= 4};
        const struct logp_config config = {.size = sizeof(config),
                                           .n_processors = 2,
                                           .clock = LOGP_CLOCK_VIRTUAL,
                                           .executor = "fiber",
                                           .delay = model(1, 0)};
        TEST_MACHINE m = NULL;

        cr_assert_eq(logp_machine_create(&config, &m), 0);
        cr_assert_eq(logp_machine_explore(m, &explorer), 0);
        cr_assert_eq(logp_machine_run(m, end_in_vain, &e, hang_ns), 0);
        cr_expect_geq(e.missed, 1, "case %d: %d", i, e.missed);
        cr_expect_leq(e.missed, 2, "case %d: %d", i, e.missed); /* a cancel is noted, too */
        cr_expect_eq(e.at, 1000, "case %d: at %ld", i, (long)e.at);
    }
}
