/* SPDX-License-Identifier: MIT */
/*
 * A machine over the processes of an MPI program, which all run this: tests/mpi/processes.sh starts it
 * with 2 and 3 of them. One process alone is a machine too. What is by rank is written and read
 * where the rank lives.
 */
#include "drawn.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum { CASES = 400, LONG = 100000 };

/* network: NULL: without delays */
static struct logp_machine *machine_on(const struct logp_network *network, int P,
                                       size_t queue_limit)
{
    const struct logp_network none = {.undelayed = true};
    const struct logp_config config = {.size = sizeof(config),
                                       .n_processors = P,
                                       .network = network != NULL ? network : &none,
                                       .executor = test_executor(),
                                       .queue_limit = queue_limit,
                                       .transport = getenv("LOGP_TEST_TRANSPORT")};
    struct logp_machine *m = NULL;
    const int rc = logp_machine_create(&config, &m);

    if (rc == -ELIBACC)
        fprintf(stderr, "%s\n", logp_transport_error());
    cr_assert_eq(rc, 0);
    return m;
}

static struct logp_machine *machine(int P, size_t queue_limit)
{
    return machine_on(NULL, P, queue_limit);
}

/* @return what the run says; it is the same in all processes, or least and most differ */
static int run(struct logp_machine *m, logp_program program, void *arg, int64_t timeout_ns)
{
    const int rc = logp_machine_run(m, program, arg, timeout_ns);
    int64_t least = rc, most = rc;

    cr_assert(rc == -ENOTSUP || logp_machine_report(m)->error == rc);
    cr_assert_eq(logp_machine_agree(m, &least, 1, LOGP_AGREE_MIN), 0);
    cr_assert_eq(logp_machine_agree(m, &most, 1, LOGP_AGREE_MAX), 0);
    cr_assert_eq(least, most);
    return rc;
}

/* ---- which ranks are where ---- */

Test(processes, have_blocks_of_ranks)
{
    TEST_MACHINE m = machine(11, 0);
    int next = 0, first, n;
    int64_t values[2] = {1, logp_machine_process(m)};

    cr_assert_eq(logp_machine_processes(m), test_processes());
    for (int i = 0; i < logp_machine_processes(m); i++) {
        cr_assert_eq(logp_machine_ranks(m, i, &first, &n), 0);
        cr_assert_eq(first, next);
        cr_assert(n == 11 / test_processes() || n == 11 / test_processes() + 1);
        next += n;
    }
    cr_assert_eq(next, 11);
    cr_assert_eq(logp_machine_ranks(m, test_processes(), &first, &n), -EINVAL);
    cr_assert_eq(logp_machine_ranks(m, -1, &first, &n), -EINVAL);
    cr_assert_eq(logp_machine_agree(m, values, 2, LOGP_AGREE_SUM), 0);
    cr_assert_eq(values[0], test_processes());
    cr_assert_eq(values[1], test_processes() * (test_processes() - 1) / 2);
}

/* ---- which sends wait ---- */

/* Rank 0 tries a long send to each other rank. */
static int try_long(struct logp_vp *vp, void *arg)
{
    static const char out[LONG];
    char in[LONG];
    const int P = logp_vp_size(vp);
    int first, n, rc = 0;

    if (logp_vp_rank(vp) > 0)
        return logp_recv(vp, 0, 1, in, LONG, NULL);
    cr_assert_eq(logp_machine_ranks(arg, 0, &first, &n), 0);
    for (int i = 1; rc == 0 && i < P; i++) {
        rc = logp_try_send(vp, i, 1, out, LONG);
        cr_assert_eq(rc, i >= n);
        if (rc == 1)
            rc = logp_send(vp, i, 1, out, LONG);
    }
    return rc;
}

Test(processes, say_which_sends_wait)
{
    const struct logp_network delayed = {.params = test_params(6000, 500, 1000), .unit_ns = 1};

    for (int i = 0; i < 2; i++) {
        TEST_MACHINE m = machine_on(i == 0 ? NULL : &delayed, 2 * test_processes(), 0);

        cr_assert_eq(run(m, try_long, m, 0), 0);
    }
}

/* ---- what cannot be ---- */

static int refused_to_a_vp(struct logp_vp *vp, void *arg)
{
    void *memory;

    cr_assert(!logp_shared_possible(vp));
    cr_assert_eq(logp_shared(vp, &memory, 8, &memory), -ENOTSUP);
    return 0;
}

static int only_wait(struct logp_vp *vp, void *arg)
{
    return logp_recv(vp, LOGP_ANY_SOURCE, 1, NULL, 0, NULL);
}

Test(processes, refuse_what_is_of_one_box)
{
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = 6,
                                 .delay = logp_delay_none(),
                                 .transport = "mpi",
                                 .clock = LOGP_CLOCK_VIRTUAL};
    const struct logp_trace_config trace = {.size = sizeof(trace)};
    struct logp_params params = test_params(1000, 100, 200);
    struct logp_machine *m, *other;
    struct logp_topology *ring;
    int other_rank;

    cr_assert_eq(logp_machine_create(&config, &m), -ENOTSUP);
    config.clock = LOGP_CLOCK_WALL;
    config.wait_for_space = true;
    cr_assert_eq(logp_machine_create(&config, &m), -ENOTSUP);
    config.wait_for_space = false;
    config.transport = "pigeon";
    cr_assert_eq(logp_machine_create(&config, &m), -ENOENT);
    config.transport = "mpi:pigeon";
    cr_assert_eq(logp_machine_create(&config, &m), -ENOENT);
    config.transport = "mpi";
    config.n_processors = test_processes() - 1;
    if (test_processes() > 1)
        cr_assert_eq(logp_machine_create(&config, &m), -EINVAL);
    config.n_processors = 6;

    m = machine(6, 0);
    cr_assert_eq(logp_machine_create(&config, &other), -EBUSY);
    cr_assert_eq(logp_machine_trace(m, &trace), -ENOTSUP);
    cr_assert_eq(logp_machine_repeat(m, only_wait, NULL, 0, NULL, NULL), -ENOTSUP);
    cr_assert_eq(run(m, refused_to_a_vp, NULL, test_timeout_ns), 0);
    other_rank = logp_machine_process(m) == 0 ? 5 : 0;
    if (test_processes() > 1)
        cr_assert_eq(logp_machine_inject(m, other_rank, 1, NULL, 0), -ENOTSUP);
    cr_assert_eq(logp_topology_create("ring", 6, &ring), 0);
    cr_assert_eq(logp_machine_set_delay(m, test_on_links(ring, &params), 0), 0);
    cr_assert_eq(run(m, only_wait, NULL, test_timeout_ns), -ENOTSUP);
    params.capacity = -1;
    test_set_params(m, &params);
    cr_assert_eq(run(m, only_wait, NULL, test_timeout_ns), -ENOTSUP);
    cr_assert_eq(logp_machine_destroy(m), 0);
    logp_topology_destroy(ring);
}

static int all_to_all(struct logp_vp *vp, void *arg);

/* What all must ask for alike; and a model that only some can run with ends the run of all. */
Test(processes, refuse_what_is_unlike)
{
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = 6,
                                 .delay = logp_delay_none(),
                                 .transport = getenv("LOGP_TEST_TRANSPORT"),
                                 .executor = test_executor()};
    struct logp_params params = test_params(1000, 100, 200);
    struct logp_machine *m = machine(6, 0);
    const bool is_last = logp_machine_process(m) == test_processes() - 1;

    cr_assert_eq(logp_machine_destroy(m), 0);
    if (test_processes() == 1)
        return;
    config.n_processors += is_last;
    cr_assert_eq(logp_machine_create(&config, &m), -EINVAL);
    config.n_processors = 6;
    for (int unlike = 0; unlike < 4; unlike++) {
        params.L_ns = 1000 + (is_last && unlike == 0);
        params.g_ns = 200 + (is_last && unlike == 1);
        params.gap_shared = is_last && unlike == 2;
        config.delay = logp_delay_none();
        if (!is_last || unlike < 3)
            cr_assert_eq(logp_delay_create("loggp", &params, &config.delay), 0);
        cr_assert_eq(logp_machine_create(&config, &m), -EINVAL);
        logp_delay_destroy(&config.delay);
    }
    m = machine(6, 0);
    if (is_last) /* delays in one alone are its own business */
        test_set_params(m, &params);
    cr_assert_eq(run(m, all_to_all, NULL, test_timeout_ns), 0);
    cr_assert_gt(logp_machine_report(m)->lag.n, 0);
    params.capacity = -1;
    if (is_last)
        test_set_params(m, &params);
    cr_assert_eq(run(m, only_wait, NULL, test_timeout_ns), -ENOTSUP);
    test_set_params(m, &params);
    cr_assert_eq(run(m, only_wait, NULL, test_timeout_ns), -ENOTSUP);
    cr_assert_eq(logp_machine_destroy(m), 0);
}

/* ---- messages ---- */

/* Byte i of what src sends dst as its k-th. */
static char byte_of(int src, int dst, int k, size_t i)
{
    return (char)((size_t)(src * 31 + dst * 7 + k * 3) + i % 251);
}

static const size_t sizes[] = {0, 1, 8, 500, 4000, 4096, 4200, 30000, LONG};

enum { N_SIZES = sizeof(sizes) / sizeof(sizes[0]) };

/* All send to all, of all sizes, before anyone receives; from the last to the first, by name. */
static int all_to_all(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    char *buf = malloc(LONG);
    struct logp_status status;

    for (int k = 0; k < N_SIZES; k++)
        for (int dst = 0; dst < P; dst++) {
            for (size_t i = 0; i < sizes[k]; i++)
                buf[i] = byte_of(me, dst, k, i);
            OK(logp_send(vp, dst, k % 2, buf, sizes[k]));
        }
    for (int odd = 1; odd >= 0; odd--) /* in the order sent, for each tag */
        for (int src = P - 1; src >= 0; src--)
            for (int k = odd; k < N_SIZES; k += 2) {
                OK(logp_recv(vp, src, odd, buf, LONG, &status));
                cr_assert(status.source == src && status.tag == odd && status.n_bytes == sizes[k]);
                for (size_t i = 0; i < sizes[k]; i++)
                    cr_assert_eq(buf[i], byte_of(src, me, k, i));
            }
    free(buf);
    return 0;
}

/* A long one first, a short one after it with the same tag: posted ahead, by whatever name. */
static int keep_order(struct logp_vp *vp, void *any)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp), from = (me + P - 1) % P;
    const int src = *(bool *)any ? LOGP_ANY_SOURCE : from;
    const int tag = *(bool *)any ? LOGP_ANY_TAG : 3;
    char *out = calloc(1, LONG), *in[2] = {calloc(1, LONG), calloc(1, LONG)};
    struct logp_request *requests[2];
    struct logp_status status[2];

    for (int round = 0; round < 50; round++) {
        const bool early = (round + me) % 2 == 0;

        memset(out, me + round, LONG);
        for (int i = 0; early && i < 2; i++)
            OK(logp_irecv(vp, src, tag, in[i], LONG, &requests[i]));
        OK(logp_send(vp, (me + 1) % P, 3, out, LONG));
        OK(logp_send(vp, (me + 1) % P, 3, out, 5));
        for (int i = 0; !early && i < 2; i++)
            OK(logp_irecv(vp, src, tag, in[i], LONG, &requests[i]));
        OK(logp_waitall(vp, requests, 2, status));
        cr_assert(status[0].n_bytes == LONG && status[1].n_bytes == 5);
        cr_assert(in[0][0] == (char)(from + round) && in[0][LONG - 1] == in[0][0]);
        cr_assert(in[1][4] == (char)(from + round));
    }
    free(out);
    free(in[0]);
    free(in[1]);
    return 0;
}

/* Too small a buffer loses nothing; a probe finds what is there; a wait ends. */
static int meet_late(struct logp_vp *vp, void *size)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp), from = (me + P - 1) % P;
    const size_t n = *(size_t *)size;
    char *buf = calloc(1, n);
    struct logp_status status;
    bool found = false;

    cr_assert_eq(logp_recv_until(vp, from, 4, buf, n, logp_now(vp) + 100000, NULL), -ETIME);
    OK(logp_sync(vp, NULL));
    memset(buf, me, n);
    OK(logp_send(vp, (me + 1) % P, 4, buf, n));
    while (!found)
        OK(logp_probe(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &found, &status));
    cr_assert(status.source == from && status.tag == 4 && status.n_bytes == n);
    cr_assert_eq(logp_recv(vp, from, 4, buf, n - 1, &status), -EMSGSIZE);
    cr_assert_eq(status.n_bytes, n);
    cr_assert_eq(logp_recv(vp, LOGP_ANY_SOURCE, 4, buf, 0, &status), -EMSGSIZE);
    OK(logp_recv(vp, from, 4, buf, n, NULL));
    cr_assert(buf[0] == (char)from && buf[n - 1] == (char)from);

    free(buf);
    return 0;
}

Test(processes, messages_are_as_on_one_box)
{
    static bool any[] = {false, true};
    static size_t truncated[] = {8, 4000, LONG};

    for (int P = test_processes(); P <= 9; P += 3) {
        TEST_MACHINE m = machine(P, 0);

        cr_assert_eq(run(m, all_to_all, NULL, test_timeout_ns), 0);
        cr_assert_eq(logp_machine_report(m)->messages, (uint64_t)(P * P * N_SIZES));
        cr_assert_eq(logp_machine_report(m)->unreceived, 0);
        for (int i = 0; i < 2; i++)
            cr_assert_eq(run(m, keep_order, &any[i], test_timeout_ns), 0);
        for (int i = 0; i < 3; i++)
            cr_assert_eq(run(m, meet_late, &truncated[i], test_timeout_ns), 0);
        cr_assert_eq(logp_machine_report(m)->unreceived, 0);
    }
}

/* ---- sends that wait for their receivers ---- */

/* A synchronous send to the next rank, with its receive not yet posted, is not complete. */
static int wait_for_receivers(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp), from = (me + P - 1) % P;
    char *out[N_SIZES], *in = calloc(1, LONG);
    struct logp_request *sends[N_SIZES];
    struct logp_status status;

    for (int k = 0; k < N_SIZES; k++) {
        out[k] = calloc(1, LONG);
        for (size_t i = 0; i < sizes[k]; i++)
            out[k][i] = byte_of(me, (me + 1) % P, k, i);
        OK(logp_isend_as(vp, LOGP_SEND_SYNCHRONOUS, (me + 1) % P, k % 2, out[k], sizes[k],
                         &sends[k]));
        memset(out[k], 0, LONG); /* it is the program's own again */
    }
    OK(logp_sync(vp, NULL));
    for (int k = 0; k < N_SIZES; k++) {
        bool done = true;

        OK(logp_test(vp, sends[k], &done, NULL));
        cr_assert(!done);
    }
    OK(logp_sync(vp, NULL));
    for (int odd = 1; odd >= 0; odd--)
        for (int k = odd; k < N_SIZES; k += 2) {
            if (sizes[k] > 0)
                cr_assert_eq(logp_recv(vp, from, odd, in, sizes[k] - 1, NULL), -EMSGSIZE);
            OK(logp_recv(vp, from, odd, in, LONG, &status));
            cr_assert(status.source == from && status.tag == odd && status.n_bytes == sizes[k]);
            for (size_t i = 0; i < sizes[k]; i++)
                cr_assert_eq(in[i], byte_of(from, me, k, i));
        }
    OK(logp_waitall(vp, sends, N_SIZES, NULL));
    for (int k = 0; k < N_SIZES; k++)
        free(out[k]);
    free(in);
    return 0;
}

/* All ranks send synchronously before they receive. */
static int send_round(struct logp_vp *vp, void *size)
{
    const int P = logp_vp_size(vp);
    char *buf = calloc(1, LONG);
    const int rc = logp_send_as(vp, LOGP_SEND_SYNCHRONOUS, (logp_vp_rank(vp) + 1) % P, 7, buf,
                                *(size_t *)size);

    free(buf);
    return rc != 0 ? rc : logp_recv(vp, LOGP_ANY_SOURCE, 7, NULL, 0, NULL);
}

/* It takes o + L to the receiver and L back, then o + L + o for the payload. */
static int take_their_time(struct logp_vp *vp, void *arg)
{
    const struct logp_params *x = arg;
    const int me = logp_vp_rank(vp), last = logp_vp_size(vp) - 1;
    const int64_t begun = logp_now(vp);

    if (me == 0) {
        OK(logp_send_as(vp, LOGP_SEND_SYNCHRONOUS, last, 1, &begun, sizeof(begun)));
        cr_assert(logp_now(vp) - begun >= 2 * x->o_send_ns + 2 * x->L_ns);
    } else if (me == last) {
        int64_t theirs;

        OK(logp_recv(vp, 0, 1, &theirs, sizeof(theirs), NULL));
        cr_assert(logp_now(vp) - theirs >= 2 * x->o_send_ns + 3 * x->L_ns + x->o_recv_ns);
    }
    return 0;
}

/* A receiver ends without its receive, so the sender waits in vain. */
static int leave_a_sender(struct logp_vp *vp, void *arg)
{
    const int last = logp_vp_size(vp) - 1;
    char *buf = calloc(1, LONG);
    const int rc =
        logp_vp_rank(vp) == 0 ? logp_send_as(vp, LOGP_SEND_SYNCHRONOUS, last, 1, buf, LONG) : 0;

    free(buf);
    return rc;
}

Test(processes, synchronous_sends_wait_for_their_receivers)
{
    struct logp_params params = test_params(2000000, 100000, 200000);
    static bool any[] = {false, true};

    for (int P = test_processes() > 1 ? test_processes() : 2; P <= 9; P += 3) {
        TEST_MACHINE m = machine(P, 0);
        const struct logp_report *report = logp_machine_report(m);

        for (int i = 0; i < 20; i++)
            cr_assert_eq(run(m, wait_for_receivers, NULL, test_timeout_ns), 0);
        cr_assert_eq(report->messages, (uint64_t)(P * N_SIZES));
        cr_assert_eq(report->unreceived, 0);
        for (int k = 0; k < N_SIZES; k++) {
            size_t size = sizes[k];

            cr_assert_eq(run(m, send_round, &size, test_timeout_ns), -EDEADLK);
            cr_assert_eq(report->n_waits, P);
            cr_assert_eq(report->waits[P - 1].kind, LOGP_WAIT_SEND);
            cr_assert_eq(report->waits[P - 1].source, 0);
        }
        cr_assert_eq(run(m, leave_a_sender, NULL, test_timeout_ns), -EDEADLK);
        cr_assert_eq(logp_machine_set_rendezvous_from(m, 100), 0);
        for (int i = 0; i < 2; i++)
            cr_assert_eq(run(m, keep_order, &any[i], test_timeout_ns), 0);
        cr_assert_eq(logp_machine_set_rendezvous_from(m, 0), 0);
        cr_assert_eq(run(m, all_to_all, NULL, test_timeout_ns), 0);
        test_set_params(m, &params);
        cr_assert_eq(run(m, take_their_time, &params, test_timeout_ns), 0);
        cr_assert_eq(run(m, wait_for_receivers, NULL, test_timeout_ns), 0);
    }
}

/* ---- groups ---- */

/* Those of even rank, from the last to the first; and all, again and again. */
static int sync_groups(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    int members[64], n = 0;
    struct logp_vp *group = NULL;
    int64_t start, before = -1;
    int first;

    for (int i = P - 1; i >= 0; i--)
        if (i % 2 == me % 2)
            members[n++] = i;
    OK(logp_group_create(vp, 5, members, n, &group));
    for (int i = 0; i < 20; i++) {
        OK(logp_sync(group, &start));
        cr_assert(start > before);
        before = start;
        OK(logp_compare(group, logp_vp_rank(group) >= i % n ? UINT64_MAX : 1, &first));
        cr_assert_eq(first, i % n == 0 ? -1 : i % n);
        if (i % 5 == 0)
            OK(logp_sync(vp, &start));
        OK(logp_compare(vp, (uint64_t)(me / (i + 1)), &first));
        cr_assert_eq(first, i + 1 < P ? i + 1 : -1);
    }
    logp_group_destroy(group);
    return 0;
}

/* The first two ranks disagree about how many they are. */
static int disagree(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp), P = logp_vp_size(vp), members[] = {0, P - 1, 1};
    struct logp_vp *group;
    int rc;

    if (me != 0 && me != P - 1)
        return 0;
    rc = logp_group_create(vp, 5, members, me == 0 ? 3 : 2, &group);
    if (me == P - 1 && rc == 0)
        rc = logp_recv(vp, 0, 1, NULL, 0, NULL); /* when rank 0 waits, or soon will */
    if (me == 0 && rc == 0)
        rc = logp_send(vp, P - 1, 1, NULL, 0);
    if (rc == 0)
        rc = logp_sync(group, NULL);
    logp_group_destroy(group);
    return rc;
}

Test(processes, groups_meet)
{
    TEST_MACHINE m = machine(8, 0);

    cr_assert_eq(run(m, sync_groups, NULL, test_timeout_ns), 0);
    cr_assert_eq(run(m, disagree, NULL, test_timeout_ns), -EINVAL);
    cr_assert_eq(run(m, sync_groups, NULL, test_timeout_ns), 0);
}

/* ---- how runs end ---- */

static int fail_last(struct logp_vp *vp, void *arg)
{
    return logp_vp_rank(vp) == logp_vp_size(vp) - 1 ? -EDOM : only_wait(vp, NULL);
}

/* Long messages are on their way to receives that are given up. */
static int fail_amid(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    char *out = calloc(1, LONG), *in = calloc(1, LONG);
    struct logp_request *r;
    int rc = logp_irecv(vp, (me + P - 1) % P, 1, in, LONG, &r);

    for (int i = 0; rc == 0 && i < 3; i++)
        rc = logp_send(vp, (me + 1) % P, 1 + i, out, LONG);
    if (rc == 0)
        rc = me == P - 1 ? -EDOM : only_wait(vp, NULL);
    free(in);
    free(out);
    return rc;
}

static int wait_round(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);

    return me == 2 ? 0 : logp_recv(vp, (me + 1) % P, 10 + me, NULL, 0, NULL);
}

static int never_meet(struct logp_vp *vp, void *arg)
{
    return logp_vp_rank(vp) == 0 ? only_wait(vp, NULL) : logp_sync(vp, NULL);
}

static int poll_for_ever(struct logp_vp *vp, void *arg)
{
    bool found = false;

    while (!found)
        TRY(logp_probe(vp, LOGP_ANY_SOURCE, 1, &found, NULL));
    return 0;
}

static int leave_behind(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    char *buf = calloc(1, LONG);

    OK(logp_send(vp, (me + 1) % P, 1, buf, 8));
    OK(logp_send(vp, (me + 1) % P, 1, buf, LONG));
    free(buf);
    return 0;
}

/* While something goes round, a process stops the run as a signal does. */
static int stop_amid(struct logp_vp *vp, void *m)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    int rc = me == 0 ? logp_send(vp, 1, 1, NULL, 0) : 0;

    while (rc == 0) {
        rc = logp_recv(vp, (me + P - 1) % P, 1, NULL, 0, NULL);
        if (rc == 0 && me == P - 1)
            logp_machine_stop(m, -EINTR);
        if (rc == 0)
            rc = logp_send(vp, (me + 1) % P, 1, NULL, 0);
    }
    return rc;
}

Test(processes, end_together)
{
    TEST_MACHINE m = machine(7, 0);
    const struct logp_report *report = logp_machine_report(m);

    for (int i = 0; i < 5; i++) {
        cr_assert_eq(run(m, fail_last, NULL, test_timeout_ns), -EDOM);
        cr_assert_eq(report->error_rank, 6);
        cr_assert_eq(run(m, fail_amid, NULL, test_timeout_ns), -EDOM);
        cr_assert_eq(report->error_rank, 6);
        cr_assert_eq(run(m, all_to_all, NULL, test_timeout_ns), 0);
        cr_assert_eq(run(m, leave_behind, NULL, test_timeout_ns), 0);
        cr_assert(report->messages == 14 && report->unreceived == 14);
    }
    cr_assert_eq(run(m, wait_round, NULL, test_timeout_ns), -EDEADLK);
    cr_assert_eq(report->n_waits, 6);
    for (int i = 0; i < 6; i++) {
        const struct logp_wait_info *w = &report->waits[i];

        cr_assert_eq(w->rank, i < 2 ? i : i + 1);
        cr_assert(w->kind == LOGP_WAIT_RECV && w->source == (w->rank + 1) % 7 &&
                  w->tag == 10 + w->rank);
    }
    cr_assert_eq(run(m, never_meet, NULL, test_timeout_ns), -EDEADLK);
    cr_assert_eq(report->n_waits, 7);
    cr_assert_eq(report->waits[6].kind, LOGP_WAIT_SYNC);
    if (test_processes() > 1)
        cr_assert_eq(run(m, poll_for_ever, NULL, 200000000), -ETIMEDOUT);
    if (logp_machine_process(m) == test_processes() - 1)
        logp_machine_stop(m, -EINTR);
    cr_assert_eq(run(m, only_wait, NULL, test_timeout_ns), -EINTR);
    for (int i = 0; i < 300; i++)
        cr_assert_eq(run(m, stop_amid, m, test_timeout_ns), -EINTR);
    cr_assert_eq(run(m, all_to_all, NULL, test_timeout_ns), 0);
}

/* The processes but one come late to a sync of all or of a group. That one has stopped the run, as a signal
 * does, and its vps have ended, when what the others say of the sync reaches it. */
struct late_sync {
    struct logp_machine *m;
    bool of_group;
    bool stops; /* this process */
    atomic_int n_there;
};

static int sync_late(struct logp_vp *vp, void *arg)
{
    static const struct timespec late = {.tv_nsec = 40000000};
    struct late_sync *x = arg;
    struct logp_vp *group = vp;
    int rc = x->of_group ? logp_group_split(vp, 0, 0, &group) : logp_sync(vp, NULL);

    if (!x->stops)
        nanosleep(&late, NULL);
    else
        atomic_fetch_add(&x->n_there, 1);
    while (rc == 0)
        rc = logp_sync(group, NULL);
    if (group != vp)
        logp_group_destroy(group);
    return rc;
}

static void *stop_at_sync(void *arg)
{
    static const struct timespec moment = {.tv_nsec = 4000000};
    struct late_sync *x = arg;

    while (atomic_load(&x->n_there) < 2)
        sched_yield();
    nanosleep(&moment, NULL);
    logp_machine_stop(x->m, -EINTR);
    return NULL;
}

Test(processes, what_comes_to_a_sync_after_the_end_is_dropped)
{
    const struct logp_network delayed = {.params = test_params(6000, 500, 1000), .unit_ns = 1};
    TEST_MACHINE m = machine_on(&delayed, 2 * test_processes(), 0);

    for (int i = 0; i < 2 * test_processes(); i++) {
        struct late_sync x = {
            .m = m, .of_group = i % 2 != 0, .stops = logp_machine_process(m) == i / 2};
        pthread_t thread;

        cr_assert(!x.stops || pthread_create(&thread, NULL, stop_at_sync, &x) == 0);
        cr_assert_eq(run(m, sync_late, &x, test_timeout_ns), -EINTR);
        cr_assert(!x.stops || pthread_join(thread, NULL) == 0);
    }
    cr_assert_eq(run(m, all_to_all, NULL, test_timeout_ns), 0);
}

/* What one process holds is limited. */
static int flood_one(struct logp_vp *vp, void *arg)
{
    char *buf = calloc(1, LONG);
    int rc = 0;

    for (int i = 0; rc == 0 && i < 50 && logp_vp_rank(vp) != 0; i++)
        rc = logp_send(vp, 0, 1, buf, LONG);
    free(buf);
    return rc != 0 || logp_vp_rank(vp) != 0 ? rc : logp_recv(vp, 0, 2, NULL, 0, NULL);
}

static int send_too_long(struct logp_vp *vp, void *arg)
{
    for (int i = 0; i < logp_vp_size(vp); i++)
        cr_assert_eq(logp_send(vp, i, 1, vp, (size_t)2 << 20), -EMSGSIZE);
    return 0;
}

Test(processes, hold_no_more_than_they_may)
{
    TEST_MACHINE m = machine(test_processes(), 1 << 20);

    if (test_processes() > 1)
        cr_assert_eq(run(m, flood_one, NULL, test_timeout_ns), -ENOBUFS);
    cr_assert_eq(run(m, send_too_long, NULL, test_timeout_ns), 0);
}

/* ---- every algorithm ---- */

/* A process has one machine at a time. */
static void destroy_machines(struct logp_machine **machines)
{
    for (int P = 0; P <= MOST_P; P++) {
        logp_machine_destroy(machines[P]);
        machines[P] = NULL;
    }
}

static void run_case(struct logp_machine **machines, uint64_t seed, int64_t *ran)
{
    struct drawn d = draw(seed);
    size_t n;
    const struct logp_algorithm *const *rows = test_rows(&n);

    if (d.topology != NULL)
        destroy_machines(machines);
    for (size_t i = 0; d.P >= test_processes() && i < n; i++) {
        const struct logp_experiment x = test_experiment(rows[i], &d.call.args, d.reps, seed);
        struct logp_record r;

        if (strcmp(rows[i]->collective, d.collective->name) != 0 ||
            test_needs(rows[i], d.P, &d.call) != NULL)
            continue;
        if (machines[d.P] == NULL) {
            destroy_machines(machines);
            machines[d.P] = machine_on(
                &(struct logp_network){.undelayed = true, .topology = d.topology}, d.P, 0);
        }
        must(logp_experiment_run(machines[d.P], &x, &r) == 0, "it runs", &d, rows[i]->name);
        must(r.verified && r.reps == d.reps && r.wrong_rank < 0, "it is right", &d, rows[i]->name);
        ++*ran;
    }
    if (d.topology != NULL)
        destroy_machines(machines); /* the machine plans on the topology */
    logp_topology_destroy(d.topology);
}

Test(processes, run_every_algorithm)
{
    struct logp_machine *machines[MOST_P + 1] = {NULL};
    /* more processes than cores take turns, a time slice each */
    const uint64_t cases = test_processes() > 2 ? CASES / 5 : CASES;
    int64_t ran = 0;

    for (uint64_t seed = 1; seed <= cases; seed++)
        run_case(machines, seed, &ran);
    destroy_machines(machines);
    cr_log_info("%ld runs", (long)ran);
    cr_assert_gt(ran, (int64_t)cases);
}

/* Where sends wait for the receiver's process, what comes meanwhile is received first. */
Test(processes, run_every_algorithm_with_long_messages)
{
    const int P = 7;
    const struct logp_args args = {.n_bytes = LONG / 2,
                                   .count = LONG / 2,
                                   .op = logp_op_find("sum", "int64"),
                                   .rows = P,
                                   .cols = P};
    TEST_MACHINE m = machine(P, 0);

    for (const struct logp_algorithm *const *row = test_rows(NULL); *row != NULL; row++) {
        const struct logp_experiment x = test_experiment(*row, &args, 2, 0);
        struct logp_record r;

        if (logp_algorithm_needs(*row, P, &args, NULL) != NULL)
            continue;
        cr_assert_eq(logp_experiment_run(m, &x, &r), 0, "%s", (*row)->name);
        cr_assert(r.verified && r.wrong_rank < 0, "%s", (*row)->name);
    }
}

/* The last rank takes no part in an exchange of the others: it fails, or waits for nobody. */
static int leave_exchange(struct logp_vp *vp, void *error)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const struct logp_args args = {.n_bytes = LONG};
    struct logp_plan *plan = NULL;
    char *buf = calloc((size_t)P + 1, LONG);
    int rc = me == P - 1 ? *(int *)error : 0;

    if (me < P - 1)
        rc = logp_plan_create(logp_algorithm_find("allgather", "ring"), P, me, &args, NULL, &plan);
    if (me < P - 1 && rc == 0)
        rc = logp_plan_run(vp, plan, buf, buf + LONG);
    logp_plan_destroy(plan);
    free(buf);
    return rc;
}

Test(processes, end_exchanges_together)
{
    TEST_MACHINE m = machine(5, 0);

    for (int i = 0; i < 20; i++) {
        int error = i % 2 == 0 ? -EDOM : 0;

        cr_assert_eq(run(m, leave_exchange, &error, test_timeout_ns),
                     i % 2 == 0 ? -EDOM : -EDEADLK);
        cr_assert_eq(run(m, all_to_all, NULL, test_timeout_ns), 0);
    }
}

/* A result that is wrong in one process is wrong in all. */
static int spoil(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf)
{
    memset(buf, logp_vp_rank(vp) == 4 ? 1 : 0, 1);
    return 0;
}

Test(processes, find_a_wrong_result)
{
    TEST_MACHINE m = machine(5, 0);
    struct logp_algorithm own = *logp_algorithm_find("broadcast", "binomial");
    const struct logp_experiment x = test_experiment(&own, &(struct logp_args){.n_bytes = 8}, 2, 3);
    struct logp_record r;

    own.steps = NULL;
    own.run = spoil;
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_assert(!r.verified);
    cr_assert_geq(r.wrong_rank, 0);
}

/* ---- active messages ---- */

enum { ASKED = 300, ANSWER = 7 };

/* One per process: a rank's question, which comes back as it went. */
struct question {
    int rank, number;
    struct logp_vp *vp; /* of the rank that asks */
    unsigned char bytes[LOGP_ACTIVE_BYTES - 16];
};

static int n_heard[11]; /* answers, by rank of this process */

/* A process answers the questions of others, and tells the rank that its own has come back. */
static void handle(struct logp_machine *m, int process, const void *bytes, size_t n_bytes)
{
    const struct question *q = bytes;
    int first, n;

    cr_assert_eq(n_bytes, sizeof(*q) - (size_t)q->number);
    cr_assert_eq(logp_machine_ranks(m, logp_machine_process(m), &first, &n), 0);
    if (q->rank < first || q->rank >= first + n) {
        cr_assert_eq(logp_active_reply(m, process, bytes, n_bytes), 0);
        return;
    }
    cr_assert_eq(q->number, n_heard[q->rank]++); /* in the order sent */
    cr_assert_eq(q->bytes[1000], (unsigned char)(q->rank + q->number));
    cr_assert_eq(logp_active_post(q->vp, logp_vp_rank(q->vp), ANSWER, -1), 0);
}

/* Each rank asks another process, which sends nothing itself; then all wait for their answers. */
static int ask(struct logp_vp *vp, void *arg)
{
    struct question *q = calloc(1, sizeof(*q));
    const int to = (logp_machine_process(arg) + 1) % logp_machine_processes(arg);
    int rc = 0;

    q->rank = logp_vp_rank(vp);
    q->vp = vp;
    n_heard[q->rank] = 0;
    if (to == logp_machine_process(arg)) {
        cr_assert_eq(logp_active_send(vp, to, q, sizeof(*q)), -EINVAL);
        free(q);
        return 0;
    }
    cr_assert_eq(logp_active_send(vp, to, q, LOGP_ACTIVE_BYTES + 1), -EINVAL);
    for (; q->number < ASKED && rc == 0; q->number++) {
        memset(q->bytes, q->rank + q->number, sizeof(q->bytes));
        rc = logp_active_send(vp, to, q, sizeof(*q) - (size_t)q->number);
    }
    for (int i = 0; i < ASKED && rc == 0; i++)
        rc = logp_recv(vp, q->rank, ANSWER, NULL, 0, NULL);
    cr_assert(rc != 0 || n_heard[q->rank] == ASKED);
    if (rc == 0) /* nothing is on its way: all wait in vain */
        rc = logp_recv(vp, q->rank, ANSWER, NULL, 0, NULL);
    free(q);
    return rc;
}

Test(processes, handle_active_messages)
{
    TEST_MACHINE m = machine(11, 0);

    logp_machine_handle(m, handle);
    for (int i = 0; i < 5; i++)
        cr_assert_eq(run(m, ask, m, test_timeout_ns), logp_machine_processes(m) > 1 ? -EDEADLK : 0);
}
