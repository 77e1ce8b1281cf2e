/* SPDX-License-Identifier: MIT */
/*
 * Messages with more than a payload in a buffer: bits beside it, payloads that are made and taken
 * piece by piece, and receives that truncate, in every way of sending and receiving.
 */
#include "support.h"

#include <stdio.h>

enum { P = 5, ROUNDS = 60, MOST = 300000, TAGS = 3 };

/* The byte at `at` of message k from a rank. */
static unsigned char byte_of(int from, int k, size_t at)
{
    return (unsigned char)(31 * (size_t)from + 7 * (size_t)k + at + (at >> 8));
}

/* A payload that is made and taken: every second byte of twice as much memory. None of it is on a
 * stack, since vps may share one. */
struct strided {
    unsigned char *memory;
    size_t next; /* where the next piece begins */
    bool in_order;
};

static void go_on(struct strided *s, size_t at, size_t n)
{
    s->in_order = s->in_order && (at == s->next || at == 0) && n > 0;
    s->next = at + n;
}

static void fill(void *arg, size_t at, void *out, size_t n)
{
    struct strided *s = arg;

    go_on(s, at, n);
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)out)[i] = s->memory[2 * (at + i)];
}

static void drain(void *arg, size_t at, const void *bytes, size_t n)
{
    struct strided *s = arg;

    go_on(s, at, n);
    for (size_t i = 0; i < n; i++)
        s->memory[2 * (at + i)] = ((const unsigned char *)bytes)[i];
}

/* What message k of a rank is like: the same at both ends. */
struct message {
    size_t n_bytes, space;
    uint64_t bits;
    enum logp_send_mode mode;
    bool made, taken, truncates, any, early, probed, blocking;
};

static struct message message_of(uint64_t seed, int k, bool modes)
{
    static const size_t sizes[] = {0, 1, 8, 24, 25, 32, 33, 48, 49, 500, 4096, 40000, MOST};
    uint64_t r = (seed + (uint64_t)k) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    struct message m = {.n_bytes = sizes[test_below(&r, k % 10 == 0 ? 13 : 11)]};

    m.bits = test_below(&r, 3) == 0 ? 0 : (uint64_t)test_below(&r, 1 << 30) << 33 | (unsigned)k;
    m.mode = (enum logp_send_mode)test_below(&r, 3);
    if (m.mode == LOGP_SEND_SYNCHRONOUS && !modes)
        m.mode = LOGP_SEND_STANDARD;
    m.made = test_below(&r, 2) == 0;
    m.taken = test_below(&r, 2) == 0;
    m.truncates = test_below(&r, 3) == 0;
    m.space = m.truncates ? m.n_bytes / (1 + (size_t)test_below(&r, 3)) : m.n_bytes;
    m.any = test_below(&r, 4) == 0;
    m.early = test_below(&r, 2) == 0;
    m.probed = test_below(&r, 4) == 0;
    m.blocking = test_below(&r, 2) == 0;
    return m;
}

struct draw {
    uint64_t seed;
    bool modes; /* there are synchronous sends */
};

struct ends {
    struct strided out, in; /* of MOST bytes */
    unsigned char *plain_out, *plain_in;
};

static int send_one(struct logp_vp *vp, const struct message *m, int k, struct ends *e,
                    struct logp_request **request)
{
    const int me = logp_vp_rank(vp), to = (me + 1) % P;
    struct logp_send_options o = {
        .size = sizeof(o), .n_bytes = m->n_bytes, .bits = m->bits, .mode = m->mode};

    for (size_t i = 0; i < m->n_bytes; i++)
        e->plain_out[i] = e->out.memory[2 * i] = byte_of(me, k, i);
    if (m->made) {
        o.fill = fill;
        o.arg = &e->out;
        e->out.next = 0;
    } else {
        o.buf = e->plain_out;
    }
    /* a blocking send that waits for its receiver needs one that is posted */
    if (m->blocking && m->early)
        return logp_send_with(vp, to, k % TAGS, &o);
    return logp_isend_with(vp, to, k % TAGS, &o, request);
}

static int post_one(struct logp_vp *vp, const struct message *m, int k, struct ends *e,
                    struct logp_request **request, struct logp_status *status)
{
    const int from = (logp_vp_rank(vp) + P - 1) % P;
    struct logp_recv_options o = {
        .size = sizeof(o), .capacity = m->space, .truncates = m->truncates};

    memset(e->plain_in, 0xee, m->n_bytes + 1);
    memset(e->in.memory, 0xee, 2 * m->n_bytes + 2);
    if (m->taken) {
        o.drain = drain;
        o.arg = &e->in;
        e->in.next = 0;
    } else {
        o.buf = e->plain_in;
    }
    if (request != NULL)
        return logp_irecv_with(vp, m->any ? LOGP_ANY_SOURCE : from, k % TAGS, &o, request);
    return logp_recv_with(vp, m->any ? LOGP_ANY_SOURCE : from, k % TAGS, &o, status);
}

static void look(const struct message *m, int from, int k, const struct ends *e,
                 const struct logp_status *status)
{
    cr_assert_eq(status->source, from, "message %d", k);
    cr_assert_eq(status->tag, k % TAGS);
    cr_assert_eq(status->n_bytes, m->n_bytes, "message %d: %zu of %zu", k, status->n_bytes,
                 m->n_bytes);
    cr_assert_eq(status->bits, m->bits, "message %d of %zu bytes: %llx, not %llx", k, m->n_bytes,
                 (unsigned long long)status->bits, (unsigned long long)m->bits);
    for (size_t i = 0; i <= m->n_bytes; i++) {
        const unsigned char got = m->taken ? e->in.memory[2 * i] : e->plain_in[i];

        cr_assert_eq(got, i < m->space ? byte_of(from, k, i) : 0xee,
                     "message %d of %zu bytes, for %zu: byte %zu", k, m->n_bytes, m->space, i);
        cr_assert(!m->taken || e->in.memory[2 * i + 1] == 0xee);
    }
    cr_assert(e->out.in_order && e->in.in_order);
}

static int exchange(struct logp_vp *vp, const struct draw *c, int k, struct ends *e)
{
    const int me = logp_vp_rank(vp), from = (me + P - 1) % P;
    const struct message out = message_of(c->seed, k, c->modes);
    struct message in = out;
    struct logp_request *sent = NULL, *got = NULL;
    struct logp_status status = {0}, found = {0};
    int rc = 0;

    if (in.early)
        rc = post_one(vp, &in, k, e, &got, NULL);
    if (rc == 0)
        rc = send_one(vp, &out, k, e, &sent);
    if (rc == 0 && in.probed && !in.early) {
        rc = logp_probe_until(vp, from, k % TAGS, LOGP_FOREVER, &found);
        if (rc == 0)
            cr_assert(found.bits == in.bits && found.n_bytes == in.n_bytes);
    }
    if (rc == 0)
        rc = in.early ? logp_wait(vp, got, &status) : post_one(vp, &in, k, e, NULL, &status);
    if (rc == 0)
        rc = logp_wait(vp, sent, NULL);
    if (rc == 0)
        look(&in, from, k, e, &status);
    return rc;
}

static int exchanges(struct logp_vp *vp, void *arg)
{
    const struct draw *c = arg;
    struct ends *e = calloc(1, sizeof(*e));
    int rc = 0;

    cr_assert(e != NULL);
    e->out.memory = malloc(2 * MOST + 2);
    e->in.memory = malloc(2 * MOST + 2);
    e->plain_out = malloc(MOST + 1);
    e->plain_in = malloc(MOST + 1);
    e->out.in_order = e->in.in_order = true;
    for (int k = 0; rc == 0 && k < ROUNDS / (TEST_SCALE > 4 ? 4 : TEST_SCALE); k++)
        rc = exchange(vp, c, k, e);
    free(e->out.memory);
    free(e->in.memory);
    free(e->plain_out);
    free(e->plain_in);
    free(e);
    return rc;
}

static void run_case(struct logp_machine *m, bool modes)
{
    static uint64_t seed = 20260101;
    struct draw c = {.seed = seed += 1000, .modes = modes};

    printf("options: seed %llu\n", (unsigned long long)c.seed);
    OK(logp_machine_run(m, exchanges, &c, test_timeout_ns));
    OK(logp_machine_destroy(m));
}

Test(options, every_way_of_sending_meets_every_way_of_receiving)
{
#ifdef LOGP_TESTS_OVER_PROCESSES
    const bool modes = false;
#else
    const bool modes = !test_parallel();
#endif

    run_case(test_machine(P, LOGP_CLOCK_WALL, NULL), modes);
    run_case(test_machine(P, LOGP_CLOCK_WALL, &test_600ns), modes);
    if (!test_parallel()) /* it needs a lookahead */
        run_case(test_machine(P, LOGP_CLOCK_VIRTUAL, NULL), modes);
    run_case(test_machine(P, LOGP_CLOCK_VIRTUAL, &test_6us), modes);
}

#ifndef LOGP_TESTS_OVER_PROCESSES
Test(options, and_so_they_do_where_sends_wait_and_space_is_short)
{
    static const int64_t from[] = {1, 100, 50000};

    for (int i = 0; i < 3; i++) {
        const struct logp_network network = {.params = test_600ns, .rendezvous_from = from[i]};
        const struct logp_network undelayed = {.undelayed = true, .rendezvous_from = from[i]};

        for (int clock = 0; clock < 2; clock++) {
            run_case(test_machine_with((struct logp_config){.n_processors = P,
                                                            .clock = (enum logp_clock)clock,
                                                            .network = &network},
                                       NULL),
                     true);
            run_case(test_machine_with((struct logp_config){.n_processors = P,
                                                            .clock = (enum logp_clock)clock,
                                                            .network = &undelayed,
                                                            .queue_limit = 2000000,
                                                            .wait_for_space = true},
                                       NULL),
                     true);
        }
    }
    run_case(
        test_machine_with(
            (struct logp_config){.n_processors = P, .delay = logp_delay_none(), .lane_slots = -1},
            NULL),
        true);
}

/* ---- times ---- */

/* The same messages, with nothing beside them and with all that can be. */
static int timed(struct logp_vp *vp, void *arg)
{
    const bool *all = arg;
    const int me = logp_vp_rank(vp);
    static char buf[P][1000];

    for (int k = 0; k < 20; k++) {
        const struct logp_send_options o = {
            .size = sizeof(o), .buf = buf[me], .n_bytes = (size_t)(40 * k), .bits = *all ? 77 : 0};
        const struct logp_recv_options in = {
            .size = sizeof(in), .buf = buf[me], .capacity = *all ? 5 : 1000, .truncates = *all};
        struct logp_status status;

        OK(*all ? logp_send_with(vp, (me + 1) % P, k, &o)
                : logp_send(vp, (me + 1) % P, k, buf[me], o.n_bytes));
        OK(*all ? logp_recv_with(vp, (me + P - 1) % P, k, &in, &status)
                : logp_recv(vp, (me + P - 1) % P, k, buf[me], 1000, &status));
        cr_assert_eq(status.bits, o.bits);
        cr_assert_eq(status.n_bytes, o.n_bytes);
    }
    return 0;
}

Test(options, none_of_it_is_charged)
{
    const struct logp_params p = {
        .L_ns = 600, .o_send_ns = 20, .o_recv_ns = 30, .g_ns = 40, .G_ps = 1500};
    int64_t took[2];

    for (int all = 0; all < 2; all++) {
        struct logp_machine *m = test_machine(P, LOGP_CLOCK_VIRTUAL, &p);
        bool with = all > 0;

        OK(logp_machine_run(m, timed, &with, test_timeout_ns));
        took[all] = logp_machine_report(m)->time_ns;
        OK(logp_machine_destroy(m));
    }
    cr_assert_eq(took[0], took[1], "%lld, %lld", (long long)took[0], (long long)took[1]);
}

/* ---- truncation ---- */

/* A message that is too long is its receive's, and not the next one's. */
static int too_long(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);
    static int in[2][2];
    struct logp_request *r[2];
    struct logp_status status[2];

    (void)arg;
    if (me == 1) {
        OK(logp_send(vp, 0, 0, (int[]){1, 2}, 8));
        return logp_send(vp, 0, 0, (int[]){3}, 4);
    }
    if (me > 1)
        return 0;
    for (int i = 0; i < 2; i++) {
        const struct logp_recv_options o = {
            .size = sizeof(o), .buf = in[i], .capacity = 4, .truncates = i == 0};

        in[i][0] = in[i][1] = 9;
        OK(logp_irecv_with(vp, 1, 0, &o, &r[i]));
    }
    OK(logp_waitall(vp, r, 2, status));
    cr_assert(status[0].n_bytes == 8 && in[0][0] == 1 && in[0][1] == 9);
    cr_assert(status[1].n_bytes == 4 && in[1][0] == 3 && in[1][1] == 9);
    return 0;
}

Test(options, a_truncated_message_is_not_the_next_receives)
{
    for (int clock = 0; clock < 2; clock++) {
        struct logp_machine *m = test_machine(P, (enum logp_clock)clock, &test_6us);

        OK(logp_machine_run(m, too_long, NULL, test_timeout_ns));
        OK(logp_machine_destroy(m));
    }
}

/* ---- more than the queues can hold ---- */

enum { LONG = 100000 };

static int long_ones(struct logp_vp *vp, void *arg)
{
    static char out[LONG], in[LONG];
    struct logp_request *r;

    (void)arg;
    if (logp_vp_rank(vp) > 1)
        return 0;
    if (logp_vp_rank(vp) == 1) {
        for (int i = 0; i < 2; i++)
            OK(logp_recv(vp, 0, i, in, LONG, NULL));
        return 0;
    }
    cr_assert_eq(logp_send(vp, 1, 0, out, LONG), -EMSGSIZE);
    OK(logp_isend_as(vp, LOGP_SEND_SYNCHRONOUS, 1, 0, out, LONG, &r));
    OK(logp_send_as(vp, LOGP_SEND_SYNCHRONOUS, 1, 1, out, LONG));
    return logp_wait(vp, r, NULL);
}

Test(options, what_waits_for_its_receiver_is_not_queued)
{
    for (int clock = 0; clock < 2; clock++)
        for (int cores = 1; cores < 3; cores++) {
            struct logp_machine *m =
                test_machine_with((struct logp_config){.n_processors = P,
                                                       .clock = (enum logp_clock)clock,
                                                       .delay = logp_delay_none(),
                                                       .queue_limit = 4096,
                                                       .n_cores = cores},
                                  NULL);

            OK(logp_machine_run(m, long_ones, NULL, test_timeout_ns));
            OK(logp_machine_destroy(m));
        }
}

/* ---- exploration ---- */

static int from_any(struct logp_vp *vp, void *arg)
{
    const uint64_t me = (uint64_t)logp_vp_rank(vp);

    (void)arg;
    if (me > 0) {
        const struct logp_send_options o = {.size = sizeof(o),
                                            .buf = "abcdefgh",
                                            .n_bytes = 8,
                                            .bits = me << 40,
                                            .mode = me == 2 ? LOGP_SEND_SYNCHRONOUS
                                                            : LOGP_SEND_STANDARD};

        return logp_send_with(vp, 0, 0, &o);
    }
    for (int i = 1; i < logp_vp_size(vp); i++) {
        char got[4] = "";
        const struct logp_recv_options o = {
            .size = sizeof(o), .buf = got, .capacity = 3, .truncates = true};
        struct logp_status status;
        const int rc = logp_recv_with(vp, LOGP_ANY_SOURCE, 0, &o, &status);

        if (rc != 0)
            return rc;
        LOGP_CHECK(vp, status.bits == (uint64_t)status.source << 40);
        LOGP_CHECK(vp, strcmp(got, "abc") == 0 && status.n_bytes == 8);
    }
    return 0;
}

Test(options, they_hold_in_every_execution)
{
    struct logp_check check = {.size = sizeof(check),
                               .sizes = (int[]){4},
                               .n_sizes = 1,
                               .strategy = LOGP_STRATEGY_EXHAUSTIVE};

    cr_assert_eq(logp_check(from_any, NULL, &check, NULL), 0);
    cr_assert_eq(check.checked.executions, 6);
}

/* ---- wrong options ---- */

static int wrong(struct logp_vp *vp, void *arg)
{
    struct {
        struct logp_send_options known;
        uint64_t later;
    } out = {.known = {.size = sizeof(out), .buf = "x", .n_bytes = 1}};
    struct {
        struct logp_recv_options known;
        uint64_t later;
    } in = {.known = {.size = sizeof(in), .buf = &in, .capacity = 1}};
    struct logp_request *r;
    char c;

    (void)arg;
    in.known.buf = &c;
    cr_assert_eq(logp_send_with(vp, 0, 0, &out.known), 0); /* of a newer header */
    cr_assert_eq(logp_recv_with(vp, 0, 0, &in.known, NULL), 0);
    out.later = in.later = 1;
    cr_assert_eq(logp_send_with(vp, 0, 0, &out.known), -E2BIG);
    cr_assert_eq(logp_irecv_with(vp, 0, 0, &in.known, &r), -E2BIG);
    out.known.size = in.known.size = 8;
    cr_assert_eq(logp_isend_with(vp, 0, 0, &out.known, &r), -EINVAL);
    cr_assert_eq(logp_recv_with(vp, 0, 0, &in.known, NULL), -EINVAL);
    cr_assert_eq(logp_send_with(vp, 0, 0, NULL), -EINVAL);
    cr_assert_eq(logp_recv_with(vp, 0, 0, NULL, NULL), -EINVAL);
    out.known.size = sizeof(out.known);
    in.known.size = sizeof(in.known);
    cr_assert_eq(logp_send_with(vp, 1, 0, &out.known), -EINVAL);
    cr_assert_eq(logp_send_with(vp, 0, -1, &out.known), -EINVAL);
    cr_assert_eq(logp_isend_with(vp, 0, 0, &out.known, NULL), -EINVAL);
    cr_assert_eq(logp_irecv_with(vp, 0, 0, &in.known, NULL), -EINVAL);
    cr_assert_eq(logp_recv_with(vp, 1, 0, &in.known, NULL), -EINVAL);
    cr_assert_eq(logp_recv_with(vp, 0, -2, &in.known, NULL), -EINVAL);
    out.known.fill = fill; /* and a buffer */
    in.known.drain = drain;
    cr_assert_eq(logp_send_with(vp, 0, 0, &out.known), -EINVAL);
    cr_assert_eq(logp_recv_with(vp, 0, 0, &in.known, NULL), -EINVAL);
    out.known.fill = NULL;
    out.known.buf = NULL;
    cr_assert_eq(logp_send_with(vp, 0, 0, &out.known), -EINVAL);
    out.known.buf = &c;
    out.known.mode = (enum logp_send_mode)7;
    cr_assert_eq(logp_send_with(vp, 0, 0, &out.known), -EINVAL);
    return 0;
}

Test(options, wrong_ones_are_refused)
{
    struct logp_machine *m = test_machine(1, LOGP_CLOCK_WALL, NULL);

    OK(logp_machine_run(m, wrong, NULL, test_timeout_ns));
    OK(logp_machine_destroy(m));
}
#endif
