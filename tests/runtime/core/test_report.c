/* SPDX-License-Identifier: MIT */
/* What went wrong in a run, in words: its error names the rank and the call. */
#include "support.h"

#include <stdio.h>

static const struct logp_params some_model = {
    .L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000};

/* ---- the call that returned the error ---- */

static char long_message[64];
static struct logp_request *request;
static struct logp_request *pending;
static struct logp_vp *group;
static struct logp_status status;
static bool done;
static int one = 1, twice[] = {2, 2};
static size_t counts[4];
static void *memory;

enum { BAD = 99, RANK = 2, TAG = 7 };

/* Its message is longer than the buffer: *r is the request for it. */
static int send_to_itself(struct logp_vp *vp, struct logp_request **r)
{
    TRY(logp_send(vp, RANK, TAG, long_message, sizeof(long_message)));
    if (r != NULL)
        TRY(logp_irecv(vp, RANK, TAG, &one, sizeof(one), r));
    return 0;
}

#define CALL(name, error, ...)                                                                     \
    static int call_##name(struct logp_vp *vp)                                                     \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }
#define CALLS                                                                                      \
    CALL(send, -EINVAL, logp_send(vp, BAD, 0, "x", 1))                                             \
    CALL(try_send, -EINVAL, logp_try_send(vp, 0, -1, "x", 1))                                      \
    CALL(isend, -EINVAL, logp_isend(vp, BAD, 0, "x", 1, &request))                                 \
    CALL(irecv, -EINVAL, logp_irecv(vp, BAD, 0, &one, sizeof(one), &request))                      \
    CALL(recv, -EMSGSIZE,                                                                          \
         send_to_itself(vp, NULL) || logp_recv(vp, RANK, TAG, &one, sizeof(one), NULL))            \
    CALL(recv_until, -EINVAL, logp_recv_until(vp, BAD, 0, &one, sizeof(one), 0, NULL))             \
    CALL(sendrecv, -EINVAL, logp_sendrecv(vp, BAD, 0, "x", 1, 0, 0, &one, sizeof(one), NULL))      \
    CALL(wait, -EMSGSIZE, send_to_itself(vp, &request) || logp_wait(vp, request, &status))         \
    CALL(waitall, -EMSGSIZE, send_to_itself(vp, &request) || logp_waitall(vp, &request, 1, NULL))  \
    CALL(waitany, -EMSGSIZE,                                                                       \
         send_to_itself(vp, &request) || logp_waitany(vp, &request, 1, &one, NULL))                \
    CALL(cancel, -EINVAL, logp_cancel(vp, NULL))                                                   \
    CALL(probe, -EINVAL, logp_probe(vp, BAD, 0, &done, NULL))                                      \
    CALL(probe_until, -EINVAL, logp_probe_until(vp, 0, -2, 0, NULL))                               \
    CALL(testany, -EINVAL, logp_testany(vp, NULL, 0, &one, NULL, NULL))                            \
    CALL(compute, -EINVAL, logp_compute(vp, -1, NULL, NULL))                                       \
    CALL(blocking_end, -EINVAL, logp_blocking_end(vp))                                             \
    CALL(group_create, -EINVAL, logp_group_create(vp, 0, NULL, 0, &group))                         \
    CALL(group_from, -EINVAL, logp_group_from(vp, twice, 2, &group))                               \
    CALL(group_split, -EINVAL, logp_group_split(vp, -2, 0, &group))                                \
    CALL(shared, -EINVAL, logp_shared(vp, &one, SIZE_MAX, &memory))                                \
    CALL(broadcast, -EINVAL, logp_broadcast(vp, NULL, 8, 0))                                       \
    CALL(allreduce, -EINVAL, logp_allreduce(vp, &one, &one, 1, NULL))                              \
    CALL(ibroadcast, -EINVAL, logp_ibroadcast(vp, NULL, 8, 0, &pending))                           \
    CALL(allgatherv, -EINVAL, logp_allgatherv(vp, "x", 1, &one, counts, NULL))                     \
    CALL(scatterv, -EINVAL, logp_scatterv(vp, NULL, NULL, NULL, &one, 1, RANK))

CALLS
#undef CALL

#define CALL(name, error, ...) {"logp_" #name, error, call_##name},
static const struct call {
    const char *name;
    int error;
    int (*make)(struct logp_vp *vp);
} calls[] = {CALLS};
#undef CALL

/* The others wait for a message that never comes. */
static int make_call(struct logp_vp *vp, void *arg)
{
    const struct call *call = arg;
    char c;
    int rc;

    if (logp_vp_rank(vp) != RANK)
        return logp_recv(vp, RANK, 0, &c, 1, NULL);
    rc = call->make(vp);
    return rc > 0 ? call->error : rc; /* 1: send_to_itself() || the call that fails */
}

static void check_call(struct logp_machine *m, const struct call *call)
{
    const int rc = logp_machine_run(m, make_call, (void *)call, test_timeout_ns);
    const struct logp_report *r = logp_machine_report(m);

    cr_assert_eq(r->error_rank, RANK, "%s", call->name);
    cr_assert(r->error_call != NULL, "%s: %d", call->name, rc);
    cr_assert_str_eq(r->error_call, call->name);
    if (strcmp(call->name, "logp_shared") != 0) /* where delays are emulated: -ENOTSUP */
        cr_assert_eq(rc, call->error, "%s: %d", call->name, rc);
}

Test(report, an_error_names_the_call_and_the_rank)
{
    for (int i = 0; i < 4; i++) {
        TEST_MACHINE m = test_machine(4, i % 2 ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL,
                                      i / 2 ? &some_model : NULL);

        for (size_t k = 0; k < sizeof(calls) / sizeof(calls[0]); k++)
            check_call(m, &calls[k]);
    }
}

/* A call has failed before, with another error or of another vp; or with a name of a library. */
static int fail(struct logp_vp *vp, void *arg)
{
    const int rc = logp_send(vp, BAD, 0, "x", 1), how = *(int *)arg;

    if (rc != -EINVAL || logp_vp_rank(vp) != RANK)
        return logp_recv(vp, RANK, 0, NULL, 0, NULL);
    return how == 0 ? -ENOENT : logp_vp_note_error(vp, "my_exchange", -EIO);
}

Test(report, an_error_of_the_program_has_no_call_but_what_it_notes)
{
    TEST_MACHINE m = test_machine(4, LOGP_CLOCK_VIRTUAL, NULL);
    const struct logp_report *r;
    int how = 0;

    cr_assert_eq(logp_machine_run(m, fail, &how, test_timeout_ns), -ENOENT);
    r = logp_machine_report(m);
    cr_assert_eq(r->error_rank, RANK);
    cr_assert_null(r->error_call);
    how = 1;
    cr_assert_eq(logp_machine_run(m, fail, &how, test_timeout_ns), -EIO);
    cr_assert_str_eq(r->error_call, "my_exchange");
}

/* ---- in words ---- */

static void check_printed(const struct logp_machine *m, const char *expected)
{
    char text[2048];
    FILE *out = fmemopen(text, sizeof(text), "w");

    cr_assert_eq(logp_report_print(m, out), 0);
    fclose(out);
    cr_assert_str_eq(text, expected);
}

enum { RING, WANTS, SYNCS, HOLDS, FAILS };

static int go_wrong(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp), how = *(int *)arg;
    char c = 0;

    if (how == HOLDS && me == 1)
        return LOGP_CHECK(vp, c == 1);
    if (how == FAILS && me == 1)
        return LOGP_FAIL(vp, "no more tea");
    if (how == HOLDS || how == FAILS)
        return logp_sync(vp, NULL);
    if (me == 0)
        return how == RING ? logp_send(vp, 1, 0, &c, 1) : 0;
    if (how == SYNCS)
        return logp_recv(vp, 0, me, &c, 1, NULL);
    return logp_recv(vp, me == 2 && how == WANTS ? LOGP_ANY_SOURCE : 0,
                     how == RING ? 0 : LOGP_ANY_TAG, &c, 1, NULL);
}

static void check_run(int P, int how, int error, const char *expected)
{
    TEST_MACHINE m = test_machine(P, LOGP_CLOCK_VIRTUAL, &some_model);

    cr_assert_eq(logp_machine_run(m, go_wrong, &how, test_timeout_ns), error);
    check_printed(m, expected);
}

Test(report, it_says_how_a_run_went)
{
    check_run(2, RING, 0, "2 processors: 10000 ns, 1 messages\n");
    check_run(3, WANTS, -EDEADLK,
              "deadlock: every processor waits and nothing is on its way\n"
              "  rank 1 waits for a message from rank 0, any tag\n"
              "  rank 2 waits for a message from any rank, any tag\n");
}

Test(report, it_says_which_check_does_not_hold)
{
    char expected[512];

    snprintf(expected, sizeof(expected),
             "a check does not hold, calls of a collective differ, or a schedule is not sound\n"
             "  %s:%d: c == 1 does not hold on rank 1 at 0 ns\n",
             __FILE__, 159);
    check_run(2, HOLDS, -EPROTO, expected);
    snprintf(expected, sizeof(expected),
             "a check does not hold, calls of a collective differ, or a schedule is not sound\n"
             "  %s:%d: no more tea on rank 1 at 0 ns\n",
             __FILE__, 161);
    check_run(2, FAILS, -EPROTO, expected);
}

Test(report, of_many_waits_it_says_how_many)
{
    char expected[2048] = "deadlock: every processor waits and nothing is on its way\n";
    size_t n = strlen(expected);

    for (int i = 1; i <= 16; i++)
        n += (size_t)snprintf(expected + n, sizeof(expected) - n,
                              "  rank %d waits for a message from rank 0, tag %d\n", i, i);
    snprintf(expected + n, sizeof(expected) - n, "  ... and 2 more\n");
    check_run(19, SYNCS, -EDEADLK, expected);
}

Test(report, it_says_which_call_failed)
{
    TEST_MACHINE m = test_machine(4, LOGP_CLOCK_VIRTUAL, NULL);

    cr_assert_eq(logp_machine_run(m, make_call, (void *)&calls[0], test_timeout_ns), -EINVAL);
    check_printed(m, "logp_send of rank 2 returned -22: invalid argument\n");
}

/* Those that the headers name. */
Test(report, every_error_has_a_text_of_its_own)
{
    static const int errors[] = {0,          -E2BIG,       -EAGAIN,   -EBADMSG,         -EBUSY,
                                 -ECANCELED, -ECHILD,      -EDEADLK,  -EEXIST,          -EFBIG,
                                 -EHOSTDOWN, -EINPROGRESS, -EINTR,    -EINVAL,          -EIO,
                                 -ELIBACC,   -ELOOP,       -EMSGSIZE, -ENAMETOOLONG,    -ENOBUFS,
                                 -ENODATA,   -ENOENT,      -ENOMEM,   -ENOSPC,          -ENOTSUP,
                                 -EOVERFLOW, -EPERM,       -EPROTO,   -EPROTONOSUPPORT, -ESRCH,
                                 -ESTALE,    -ETIME,       -ETIMEDOUT};

    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        const char *text = logp_error_text(errors[i]);

        cr_expect(strcmp(text, strerror(-errors[i])) != 0, "%d", errors[i]);
        for (size_t k = 0; k < i; k++)
            cr_expect(strcmp(text, logp_error_text(errors[k])) != 0, "%d", errors[i]);
    }
    cr_expect_str_eq(logp_error_text(-EDOM), strerror(EDOM));
    cr_expect_str_eq(logp_error_text(5), "an error code of the program");
    cr_expect_str_eq(logp_error_text(INT32_MIN), "an error code of the program");
}
