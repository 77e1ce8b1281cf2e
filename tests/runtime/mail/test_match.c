/* SPDX-License-Identifier: MIT */
/* Matching: order, wildcards, contexts, small buffers, cancelled receives; without delays, on the
 * wall clock and on the virtual one. */
#include "support.h"

static void run_both(int P, logp_program program, void *arg)
{
    test_run(test_machine(P, LOGP_CLOCK_WALL, NULL), program, arg);
    test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, NULL), program, arg);
}

/* Rank 0 sends i with tag i % 3; rank 1 takes all of tag 2, then of tag 1, then of tag 0. */
static int by_tag(struct logp_vp *vp, void *arg)
{
    enum { N = 300 };

    if (logp_vp_rank(vp) == 0) {
        for (int i = 0; i < N; i++)
            OK(logp_send(vp, 1, i % 3, &i, sizeof(i)));
        return 0;
    }
    for (int tag = 2; tag >= 0; tag--)
        for (int i = tag; i < N; i += 3) {
            int got = -1;

            OK(logp_recv(vp, 0, tag, &got, sizeof(got), NULL));
            cr_assert_eq(got, i);
        }
    return 0;
}

Test(match, tags_are_taken_out_of_order_and_each_in_order)
{
    run_both(2, by_tag, NULL);
}

TestProgram(match, any_tag_takes_them_in_the_order_sent, run_both(2, program, NULL))
{
    for (int i = 0; i < 100; i++) {
        struct logp_status s;
        int got = -1;

        if (logp_vp_rank(vp) == 0) {
            OK(logp_send(vp, 1, 100 - i, &i, sizeof(i)));
        } else {
            OK(logp_recv(vp, 0, LOGP_ANY_TAG, &got, sizeof(got), &s));
            cr_assert_eq(got, i);
            cr_assert_eq(s.tag, 100 - i);
            cr_assert_eq(s.source, 0);
            cr_assert_eq(s.n_bytes, sizeof(int));
        }
    }
    return 0;
}

/* Receives of any source and of a named one, posted in turn. */
TestProgram(match, posted_receives_are_served_in_the_order_of_posting, run_both(2, program, NULL))
{
    struct logp_request *r[4];
    int got[4] = {-1, -1, -1, -1};

    if (logp_vp_rank(vp) == 1) {
        for (int i = 0; i < 4; i++)
            OK(logp_send(vp, 0, 7, &i, sizeof(i)));
        return 0;
    }
    for (int i = 0; i < 4; i++)
        OK(logp_irecv(vp, i % 2 == 0 ? LOGP_ANY_SOURCE : 1, 7, &got[i], sizeof(int), &r[i]));
    for (int i = 3; i >= 0; i--)
        OK(logp_wait(vp, r[i], NULL));
    for (int i = 0; i < 4; i++)
        cr_assert_eq(got[i], i);
    return 0;
}

TestProgram(match, too_small_a_buffer_loses_nothing, run_both(2, program, NULL))
{
    char big[3000], small[10];
    struct logp_status s = {0};
    int rc;

    if (logp_vp_rank(vp) == 0) {
        memset(big, 'x', sizeof(big));
        rc = logp_send(vp, 1, 5, big, sizeof(big));
        return rc != 0 ? rc : logp_send(vp, 1, 5, "after", 6);
    }
    memset(small, 'y', sizeof(small));
    rc = logp_recv(vp, 0, 5, small, sizeof(small), &s);
    cr_assert_eq(rc, -EMSGSIZE);
    cr_assert_eq(s.n_bytes, sizeof(big));
    cr_assert_eq(small[0], 'y');
    rc = logp_recv(vp, 0, 5, NULL, 0, &s);
    cr_assert_eq(rc, -EMSGSIZE);
    rc = logp_recv(vp, 0, 5, big, s.n_bytes, NULL);
    cr_assert_eq(rc, 0);
    for (size_t i = 0; i < sizeof(big); i++)
        cr_assert_eq(big[i], 'x');
    rc = logp_recv(vp, 0, 5, small, sizeof(small), NULL);
    cr_assert_str_eq(small, "after");
    return rc;
}

static int contexts(struct logp_vp *vp, void *arg)
{
    struct logp_vp *groups[3] = {vp, logp_vp_collective(vp), NULL};
    const int me = logp_vp_rank(vp);

    cr_assert_eq(logp_group_create(vp, 9, NULL, 0, &groups[2]), 0);
    ;
    for (int i = 0; i < 3; i++)
        if (me == 0)
            OK(logp_send(groups[i], 1, 0, &i, sizeof(i)));
    for (int i = 2; i >= 0; i--) {
        int got = -1;

        if (me == 1) {
            OK(logp_recv(groups[i], LOGP_ANY_SOURCE, LOGP_ANY_TAG, &got, sizeof(got), NULL));
            cr_assert_eq(got, i);
        }
    }
    logp_group_destroy(groups[2]);
    return 0;
}

Test(match, contexts_are_kept_apart)
{
    run_both(2, contexts, NULL);
}

/* The odd ranks, in reverse, broadcast among themselves. */
TestProgram(match, a_group_has_its_own_ranks, run_both(6, program, NULL))
{
    static const int members[] = {5, 3, 1};
    struct logp_vp *odd;
    struct logp_status s;
    int item = logp_vp_rank(vp);

    if (logp_vp_rank(vp) % 2 == 0) {
        cr_assert_eq(logp_group_create(vp, 1, members, 3, &odd), -EINVAL);
        return 0;
    }
    cr_assert_eq(logp_group_create(vp, 1, members, 3, &odd), 0);
    cr_assert_eq(logp_vp_size(odd), 3);
    cr_assert_eq(members[logp_vp_rank(odd)], logp_vp_rank(vp));
    OK(logp_broadcast(odd, &item, sizeof(item), 2));
    cr_assert_eq(item, 1);
    OK(logp_send(odd, (logp_vp_rank(odd) + 1) % 3, 0, &item, sizeof(item)));
    OK(logp_recv(odd, LOGP_ANY_SOURCE, 0, &item, sizeof(item), &s));
    cr_assert_eq(s.source, (logp_vp_rank(odd) + 2) % 3);
    logp_group_destroy(odd);
    return 0;
}

TestProgram(match, a_cancelled_receive_takes_nothing, run_both(2, program, NULL))
{
    struct logp_request *any, *named;
    int a = -1, b = -1;

    if (logp_vp_rank(vp) == 0) {
        OK(logp_sync(vp, NULL));
        return logp_send(vp, 1, 0, &(int){42}, sizeof(int));
    }
    cr_assert_eq(logp_irecv(vp, LOGP_ANY_SOURCE, 0, &a, sizeof(a), &any), 0);
    cr_assert_eq(logp_irecv(vp, 0, 0, &b, sizeof(b), &named), 0);
    cr_assert_eq(logp_cancel(vp, any), 0);
    cr_assert_eq(logp_cancel(vp, NULL), -EINVAL);
    OK(logp_sync(vp, NULL));
    OK(logp_wait(vp, named, NULL));
    cr_assert_eq(a, -1);
    cr_assert_eq(b, 42);
    return 0;
}

/* All send first, whatever the size; then all receive. */
static int send_first(struct logp_vp *vp, void *arg)
{
    const size_t n = *(const size_t *)arg;
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    unsigned char *out = malloc(n + 1), *in = malloc(n + 1);

    memset(out, me + 1, n);
    for (int i = 1; i < P; i++)
        OK(logp_send(vp, (me + i) % P, 0, out, n));
    for (int i = 1; i < P; i++) {
        const int from = (me + i) % P;

        OK(logp_recv(vp, from, 0, in, n, NULL));
        for (size_t k = 0; k < n; k += 97)
            cr_assert_eq(in[k], from + 1);
    }
    free(out);
    free(in);
    return 0;
}

Test(match, a_send_never_waits_for_its_receiver)
{
    static size_t sizes[] = {0, 1, 32, 33, 48, 49, 2047, 2048, 65536, 1 << 20, (1 << 25) + 1};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        run_both(2, send_first, &sizes[i]);
        if (sizes[i] <= 1 << 20)
            run_both(5, send_first, &sizes[i]);
    }
}

/* A ring of exchanges; long messages may come straight into the posted buffer. */
TestProgram(match, sendrecv_shifts_around_a_ring,
            for (int i = 0; i < 8; i++) run_both(i % 2 == 0 ? 2 : 7, program,
                                                 &(size_t){(size_t[]){4, 40, 4096, 100000}[i / 2]}))
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const size_t n = *(const size_t *)arg;
    int *out = malloc(n), *in = malloc(n);

    for (int round = 0; round < 50; round++) {
        for (size_t k = 0; k < n / sizeof(int); k++)
            out[k] = me * 1000 + round + (int)k;
        OK(logp_sendrecv(vp, (me + 1) % P, round % 2, out, n, (me + P - 1) % P, round % 2, in, n,
                         NULL));
        for (size_t k = 0; k < n / sizeof(int); k++)
            cr_assert_eq(in[k], (me + P - 1) % P * 1000 + round + (int)k);
    }
    free(out);
    free(in);
    return 0;
}

/* Many pending messages, taken in the worst order: they are found all the same. */
TestProgram(match, many_pending_messages_are_found_by_tag, run_both(2, program, NULL))
{
    enum { N = 2000 };

    if (logp_vp_rank(vp) == 0) {
        for (int i = 0; i < N; i++)
            OK(logp_send(vp, 1, i, &i, sizeof(i)));
        return logp_sync(vp, NULL);
    }
    OK(logp_sync(vp, NULL));
    for (int i = N - 1; i >= 0; i--) {
        int got = -1;

        OK(logp_recv(vp, 0, i, &got, sizeof(got), NULL));
        cr_assert_eq(got, i);
    }
    return 0;
}

/* Rank 1 receives nothing of what rank 0 sends. arg: how many; it looks for what was left before. */
static int leave_some(struct logp_vp *vp, void *arg)
{
    char c[100] = {0};
    bool found = false;

    OK(logp_probe(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &found, NULL));
    cr_assert(!found || *(const int *)arg > 0);
    for (int i = 0; logp_vp_rank(vp) == 0 && i < *(const int *)arg; i++)
        OK(logp_send(vp, 1, i % 5, c, sizeof(c)));
    return 0;
}

Test(match, what_is_never_received_is_counted_and_gone)
{
    for (int clock = 0; clock < 2; clock++) {
        struct logp_machine *m = test_machine(2, (enum logp_clock)clock, NULL);

        for (int run = 0; run < 20; run++) {
            const int n = run % 2 == 1 ? 0 : run < 6 ? 5 : 1000; /* the second looks for them */

            cr_assert_eq(logp_machine_run(m, leave_some, (void *)&n, test_timeout_ns), 0);
            cr_assert_eq(logp_machine_report(m)->unreceived, (uint64_t)n);
            cr_assert_eq(logp_machine_report(m)->messages, (uint64_t)n);
        }
        test_run(m, by_tag, NULL);
    }
}

/* Rank 1 waits for a long message; one of another context with the same tag, or of another tag,
 * comes first and is not for it. */
TestProgram(match, a_long_message_goes_to_the_receive_that_it_is_for,
            run_both(2, program, &(bool){false});
            run_both(2, program, &(bool){true}))
{
    enum { N = 20000, ROUNDS = 60 };
    unsigned char *buf = malloc(N);
    const bool by_tag = *(const bool *)arg;
    struct logp_vp *group = NULL, *other;
    int rc = logp_group_create(vp, 7, NULL, 0, &group);

    other = by_tag ? vp : group;
    for (int i = 0; rc == 0 && i < ROUNDS; i++) {
        rc = logp_sync(vp, NULL);
        if (logp_vp_rank(vp) == 0) {
            for (int k = 0; k < 1000 * (i % 3); k++) /* the other is waiting, or not yet */
                rc |= logp_vp_rank(vp);
            memset(buf, 200 - i, N);
            rc = rc != 0 ? rc : logp_send(vp, 1, by_tag ? 0 : 5 + i, buf, N);
            memset(buf, i + 1, N);
            rc = rc != 0 ? rc : logp_send(other, 1, 5 + i, buf, N);
            continue;
        }
        rc = rc != 0 ? rc : logp_recv(other, 0, 5 + i, buf, N, NULL);
        cr_assert(rc != 0 || (buf[0] == i + 1 && buf[N - 1] == i + 1));
        rc = rc != 0 ? rc : logp_recv(vp, 0, by_tag ? 0 : 5 + i, buf, N, NULL);
        cr_assert(rc != 0 || (buf[0] == 200 - i && buf[N - 1] == 200 - i));
    }
    logp_group_destroy(group);
    free(buf);
    return rc;
}

/* ---- receives that are posted when a long message comes: it may be copied straight into them ----
 */

enum { LONG = 100000 };

static bool is_all(const unsigned char *buf, int value)
{
    return buf[0] == (unsigned char)value && memcmp(buf, buf + 1, LONG - 1) == 0;
}

/* Busy-wait for a random time. */
static void dawdle(uint64_t *random)
{
    for (volatile int64_t k = test_below(random, 4) * 5000; k > 0; k--)
        ;
}

/* Rank 0 sends round + 1; what rank 1 does with its receive meanwhile is drawn. */
TestProgram(match, a_long_message_finds_its_posted_receive_whatever_becomes_of_it,
            for (uint64_t seed = 1; seed <= 3; seed++) run_both(2, program, &seed))
{
    enum { ROUNDS = 300 / TEST_SCALE };
    const int me = logp_vp_rank(vp);
    uint64_t random = *(const uint64_t *)arg + (uint64_t)me;
    unsigned char *buf = malloc(LONG), *other = malloc(LONG);

    for (int round = 0; round < ROUNDS; round++) {
        const int value = round % 200 + 1;
        struct logp_request *r, *any = NULL;

        dawdle(&random);
        if (me == 0) {
            memset(buf, value, LONG);
            OK(logp_send(vp, 1, 0, buf, LONG));
            OK(logp_recv(vp, 1, 0, NULL, 0, NULL));
            continue;
        }
        OK(logp_irecv(vp, 0, 0, buf, LONG, &r));
        dawdle(&random);
        switch (test_below(&random, 4)) {
        case 0: /* a receive that is cancelled is never written to again */
            if (logp_cancel(vp, r) == 0) {
                memset(buf, 0, LONG);
                OK(logp_recv(vp, 0, 0, other, LONG, NULL));
                cr_assert(is_all(other, value) && is_all(buf, 0));
                r = NULL;
            }
            break;
        case 1: /* from any source, behind it */
            OK(logp_irecv(vp, LOGP_ANY_SOURCE, 0, other, LONG, &any));
            break;
        case 2: /* named, behind it */
            OK(logp_irecv(vp, 0, LOGP_ANY_TAG, other, LONG, &any));
            break;
        default:
            break;
        }
        if (r != NULL) {
            OK(logp_wait(vp, r, NULL));
            cr_assert(is_all(buf, value), "round %d", round);
        }
        if (any != NULL)
            cr_assert(logp_cancel(vp, any) == 0);
        OK(logp_send(vp, 0, 0, NULL, 0));
    }
    free(buf);
    free(other);
    return 0;
}

/* Rank 1 posts a receive and ends; rank 0 sends before or after, who knows. */
struct forgotten {
    unsigned char *buf, *out;
    uint64_t random;
};

static int forget(struct logp_vp *vp, void *arg)
{
    struct forgotten *f = arg;
    struct logp_request *r;

    if (logp_vp_rank(vp) == 1)
        return logp_irecv(vp, 0, 0, f->buf, LONG, &r);
    dawdle(&f->random);
    OK(logp_send(vp, 1, 0, f->out, LONG));
    memset(f->out, 2, LONG);
    return logp_send(vp, 1, 0, f->out, LONG);
}

/* The receiver waits for the second of two messages, and then takes the first. */
TestProgram(match, a_posted_receive_gets_no_other_tag, run_both(2, program, NULL))
{
    static unsigned char out[2][3000], in[2][3000];

    for (int i = 0; i < 1000; i++)
        for (int k = 0; k < 2; k++) {
            const int tag = logp_vp_rank(vp) == 0 ? k : 1 - k;

            if (logp_vp_rank(vp) == 0) {
                memset(out[tag], 2 * i + tag, sizeof(out[tag]));
                OK(logp_send(vp, 1, tag, out[tag], sizeof(out[tag])));
                continue;
            }
            OK(logp_recv(vp, 0, tag, in[tag], sizeof(in[tag]), NULL));
            cr_assert_eq(in[tag][0], (unsigned char)(2 * i + tag));
            cr_assert_eq(in[tag][2999], (unsigned char)(2 * i + tag));
        }
    return 0;
}

Test(match, a_vp_that_has_ended_is_not_written_to)
{
    struct forgotten f = {malloc(LONG), malloc(LONG), 1};
    struct logp_machine *m = test_machine(2, LOGP_CLOCK_WALL, NULL);

    for (int i = 0; i < 100 / TEST_SCALE + 10; i++) {
        memset(f.buf, 0, LONG);
        memset(f.out, 1, LONG);
        cr_assert_eq(logp_machine_run(m, forget, &f, test_timeout_ns), 0);
        cr_assert(is_all(f.buf, 2 - (int)logp_machine_report(m)->unreceived));
    }
    cr_assert_eq(logp_machine_destroy(m), 0);
    free(f.buf);
    free(f.out);
}
