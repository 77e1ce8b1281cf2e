/* SPDX-License-Identifier: MIT */
/*
 * What is held for a receiver: however a message is taken its bytes are given back to the queue
 * limit, what is refused changes nothing, and nothing is seen before it has arrived.
 */
#include "limited.h"

enum { LONGEST = 5000 };

static void run_limited(int P, logp_program program, void *arg)
{
    for (int i = 0; i < 4; i++)
        test_run(limited_machine(P, i % 2 == 0 ? LOGP_CLOCK_WALL : LOGP_CLOCK_VIRTUAL, i >= 2),
                 program, arg);
}

/* ---- how a message can be taken; each takes the next one of rank 0 ---- */

static int take_fast(struct logp_vp *vp, void *buf, size_t n)
{
    return logp_recv(vp, 0, 1, buf, n, NULL);
}

static int take_from_any(struct logp_vp *vp, void *buf, size_t n)
{
    return logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, buf, n, NULL);
}

static int take_posted(struct logp_vp *vp, void *buf, size_t n)
{
    struct logp_request *r;

    OK(logp_irecv(vp, 0, 1, buf, n, &r));
    return logp_wait(vp, r, NULL);
}

static int take_tested(struct logp_vp *vp, void *buf, size_t n)
{
    struct logp_request *r;
    bool done = false;

    OK(logp_irecv(vp, LOGP_ANY_SOURCE, 1, buf, n, &r));
    while (!done)
        OK(logp_test(vp, r, &done, NULL));
    return 0;
}

static int take_probed(struct logp_vp *vp, void *buf, size_t n)
{
    struct logp_status s;
    bool found = false;

    while (!found)
        OK(logp_probe(vp, 0, LOGP_ANY_TAG, &found, &s));
    cr_assert(s.n_bytes == n);
    return logp_recv(vp, s.source, s.tag, buf, s.n_bytes, NULL);
}

/* First with too small a buffer, which takes nothing. */
static int take_twice(struct logp_vp *vp, void *buf, size_t n)
{
    if (n > 0)
        cr_assert_eq(logp_recv(vp, 0, 1, buf, n - 1, NULL), -EMSGSIZE);
    return logp_recv(vp, 0, 1, buf, n, NULL);
}

/* First in a sendrecv whose send is refused, which gives it back. */
static int take_again(struct logp_vp *vp, void *buf, size_t n)
{
    cr_assert_eq(logp_sendrecv(vp, logp_vp_size(vp), 0, buf, 1, 0, 1, buf, n, NULL), -EINVAL);
    return logp_recv(vp, 0, 1, buf, n, NULL);
}

static int (*const takers[])(struct logp_vp *vp, void *buf, size_t n) = {
    take_fast, take_from_any, take_posted, take_tested, take_probed, take_twice, take_again};
enum { N_TAKERS = sizeof(takers) / sizeof(takers[0]) };

struct traffic {
    int taker;
    size_t n;
    bool waits_first; /* the receiver is there before the message */
};

/* Rank 0 sends until it is refused. @return bytes that found room; < 0: an error */
static int64_t fill_up(struct logp_vp *vp, const char *buf, size_t n)
{
    int64_t capacity = 0;
    int rc = 0;

    while (capacity <= LIMIT && (rc = logp_send(vp, 1, 2, buf, n)) == 0)
        capacity += (int64_t)n;
    return rc == -ENOBUFS || rc == 0 ? capacity : rc;
}

/* After all that traffic there is as much room as at the beginning. */
static void check_space(struct logp_vp *vp, const struct traffic *t, const char *buf)
{
    const bool is_short = t->n > 0 && t->n < 100;
    const int64_t capacity = fill_up(vp, buf, is_short ? t->n : LONGEST);

    cr_assert_leq(capacity, LIMIT);
    /* a short message counts with its header, of less than 256 bytes */
    cr_assert_geq(capacity, is_short ? LIMIT / 256 * (int64_t)t->n : LIMIT - LIMIT / 8,
                  "taker %d, %zu bytes: room for %ld of %d", t->taker, t->n, (long)capacity, LIMIT);
}

/* Many times the limit in all, a few at a time; then as much room as at the beginning. */
static int pass_many(struct logp_vp *vp, void *arg)
{
    const struct traffic *t = arg;
    const int rounds = 3 * LIMIT / (int)(t->n + 100) / 8 + 1, me = logp_vp_rank(vp);
    char buf[LONGEST + 1] = {0};

    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < 8; k++) {
            memset(buf, i + k, t->n);
            if (me == 0)
                OK(logp_send(vp, 1, 1, buf, t->n));
            if (!t->waits_first && k == 7)
                OK(logp_sync(vp, NULL));
            if (me == 1 && t->waits_first)
                OK(takers[t->taker](vp, buf, t->n));
        }
        for (int k = 0; me == 1 && !t->waits_first && k < 8; k++) {
            OK(takers[t->taker](vp, buf, t->n));
            cr_assert(t->n == 0 || (buf[0] == (char)(i + k) && buf[t->n - 1] == buf[0]));
        }
        OK(logp_sync(vp, NULL));
    }
    if (me == 0)
        check_space(vp, t, buf);
    OK(logp_sync(vp, NULL));
    for (bool found = true; me == 1 && found;) {
        OK(logp_probe(vp, 0, 2, &found, NULL));
        if (found)
            OK(logp_recv(vp, 0, 2, buf, LONGEST, NULL));
    }
    return 0;
}

Test(queue, however_a_message_is_taken_its_bytes_are_given_back)
{
    static const size_t sizes[] = {0, 8, 40, 1000, LONGEST};

    for (int taker = 0; taker < N_TAKERS; taker++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
            for (int first = 0; first < 2; first++) {
                struct traffic t = {taker, sizes[i], first};

                if (sizes[i] >= 1000 || (taker + (int)i) % 3 == 0) /* short ones take long */
                    run_limited(i % 2 == 0 ? 2 : 4, pass_many, &t);
            }
}

/* ---- order ---- */

/* The first of three is taken by an exchange that is refused: it is still the first. */
TestProgram(queue, a_refused_exchange_leaves_the_order_as_it_was,
            run_limited(2, program, &(int){1});
            run_limited(2, program, &(int){LOGP_ANY_SOURCE}))
{
    const int src = *(const int *)arg;
    int got = -1;

    for (int i = 0; logp_vp_rank(vp) == 1 && i < 3; i++)
        OK(logp_send(vp, 0, 4, &i, sizeof(i)));
    OK(logp_sync(vp, NULL));
    if (logp_vp_rank(vp) == 1)
        return 0;
    OK(logp_compute(vp, 100000, NULL, NULL)); /* all have arrived */
    cr_assert_eq(logp_sendrecv(vp, 7, 4, &got, sizeof(got), src, 4, &got, sizeof(got), NULL),
                 -EINVAL);
    for (int i = 0; i < 3; i++) {
        OK(logp_recv(vp, src, 4, &got, sizeof(got), NULL));
        cr_assert_eq(got, i);
    }
    return 0;
}

TestProgram(queue, a_receive_that_has_its_message_is_not_cancelled,
            run_limited(2, program, &(int){1});
            run_limited(2, program, &(int){LOGP_ANY_SOURCE}))
{
    const int src = *(const int *)arg;
    struct logp_request *r;
    int got = -1;

    for (int i = 0; logp_vp_rank(vp) == 1 && i < 2; i++)
        OK(logp_send(vp, 0, 4, &i, sizeof(i)));
    OK(logp_sync(vp, NULL));
    if (logp_vp_rank(vp) == 1)
        return 0;
    for (bool found = false; !found;) /* the first is here, and perhaps the second */
        OK(logp_probe(vp, src, 4, &found, NULL));
    OK(logp_irecv(vp, src, 4, &got, sizeof(got), &r));
    cr_assert_eq(logp_cancel(vp, r), -EINPROGRESS);
    OK(logp_wait(vp, r, NULL));
    cr_assert_eq(got, 0);
    OK(logp_recv(vp, src, 4, &got, sizeof(got), NULL));
    cr_assert_eq(got, 1);
    return 0;
}

/* ---- nothing is seen before it has arrived ---- */

struct look {
    int src, tag;
};

TestProgram(queue, a_probe_sees_what_has_arrived,
            for (int i = 0; i < 4; i++)
                test_run(test_machine(2, LOGP_CLOCK_VIRTUAL, &test_6us), program,
                         &(struct look){i < 2 ? 0 : LOGP_ANY_SOURCE,
                                        i % 2 == 0 ? 3 : LOGP_ANY_TAG}))
{
    const struct look *l = arg;
    struct logp_status s = {.arrival_ns = -1};
    int64_t before = 0, now;
    bool found = false;
    char c = 'x';

    if (logp_vp_rank(vp) == 0) /* it is sent at once, and arrives at 8000 */
        OK(logp_send(vp, 1, 3, &c, 1));
    OK(logp_compute(vp, 10, NULL, NULL));
    for (now = 0; logp_vp_rank(vp) == 1 && !found;) {
        before = now;
        OK(logp_probe(vp, l->src, l->tag, &found, &s));
        now = logp_now(vp);
    }
    if (logp_vp_rank(vp) == 0)
        return 0;
    cr_assert_eq(s.arrival_ns, 8000);
    cr_assert_geq(now, s.arrival_ns);
    cr_assert_geq(before + 100, s.arrival_ns - 10, "it looked in vain until then");
    OK(logp_recv(vp, l->src, l->tag, &c, 1, &s));
    cr_assert_geq(logp_now(vp), 8000 + 2000);
    return 0;
}

/* A limit of a byte is one, and no other. */
TestProgram(queue, the_least_limit_is_a_byte,
            test_run(test_machine_with((struct logp_config){.n_processors = 1,
                                                            .delay = logp_delay_none(),
                                                            .queue_limit = 1},
                                       NULL),
                     program, NULL))
{
    char c[LONGEST] = {0};

    cr_expect_eq(logp_send(vp, 0, 0, c, sizeof(c)), -EMSGSIZE); /* ever */
    return 0;
}

/* A request that is tested is complete when its message has arrived, not when it was sent. */
TestProgram(queue, a_test_sees_what_has_arrived,
            test_run(test_machine(2, LOGP_CLOCK_VIRTUAL, &test_6us), program, &(int){0});
            test_run(test_machine(2, LOGP_CLOCK_VIRTUAL, &test_6us), program,
                     &(int){LOGP_ANY_SOURCE}))
{
    struct logp_request *r;
    bool done = false;
    char c = 0;
    int polls = 0;

    if (logp_vp_rank(vp) == 0)
        return logp_send(vp, 1, 3, "x", 1);
    OK(logp_compute(vp, 50, NULL, NULL));
    OK(logp_irecv(vp, *(const int *)arg, 3, &c, 1, &r));
    for (; !done; polls++)
        OK(logp_test(vp, r, &done, NULL));
    cr_assert_eq(polls, 81); /* at 50, 150, ..., 7950, and at 8050 it is there */
    cr_assert_eq(logp_now(vp), 8050 + 2000);
    cr_assert_eq(c, 'x');
    return 0;
}
