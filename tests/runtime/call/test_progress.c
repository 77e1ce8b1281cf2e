/* SPDX-License-Identifier: MIT */
/*
 * Every call that waits makes progress on all that the vp has under way: started collectives, and
 * sends that wait for their receivers. Each program here deadlocks where one of its waits does not.
 */
#include "support.h"

#include <inttypes.h>

enum { MOST_P = 8, LONG = 5000 };

static const struct logp_params params = {
    .L_ns = 600, .o_send_ns = 200, .o_recv_ns = 200, .g_ns = 400, .G_ps = 100};

/* What a vp waits in while it has started a collective, or a send. */
enum wait {
    RECV,
    RECV_ANY,
    RECV_UNTIL,
    SENDRECV,
    WAIT,
    WAITALL,
    WAITANY,
    TEST,
    PROBE,
    PROBE_UNTIL,
    SYNC,
    SYNC_OF_GROUP,
    BARRIER,
    ALLREDUCE,
    ALLTOALL_LONG,
    N_WAITS
};

static const char *const names[] = {
    "recv",    "recv any",      "recv until", "sendrecv",  "wait",
    "waitall", "waitany",       "test",       "probe",     "probe until",
    "sync",    "sync of group", "barrier",    "allreduce", "alltoall of long blocks"};

/* Wait for a message with tag 1 from `src`, or for all. */
static int wait_so(struct logp_vp *vp, enum wait wait, int src, struct logp_vp *all)
{
    const struct logp_op *sum = logp_op_find("sum", "int64");
    struct logp_request *r[2] = {NULL, NULL};
    static char in[MOST_P][MOST_P * LONG], out[MOST_P][MOST_P * LONG];
    const int me = logp_vp_rank(vp);
    struct logp_status status = {.source = -1};
    int64_t x = -1, y = -1, mine = me;
    bool done = false;
    int index = 0;

    switch (wait) {
    case RECV:
        OK(logp_recv(vp, src, 1, &x, sizeof(x), &status));
        break;
    case RECV_ANY:
        OK(logp_recv(vp, LOGP_ANY_SOURCE, 1, &x, sizeof(x), &status));
        break;
    case RECV_UNTIL:
        OK(logp_recv_until(vp, src, 1, &x, sizeof(x), INT64_C(1) << 50, &status));
        break;
    case SENDRECV:
        OK(logp_irecv(vp, me, 2, &y, sizeof(y), &r[0]));
        OK(logp_sendrecv(vp, me, 2, &mine, sizeof(mine), src, 1, &x, sizeof(x), &status));
        OK(logp_wait(vp, r[0], NULL));
        cr_assert_eq(y, me);
        break;
    case PROBE_UNTIL:
        OK(logp_probe_until(vp, src, 1, INT64_C(1) << 50, &status));
        cr_assert(status.source == src && status.n_bytes == sizeof(x));
        OK(logp_recv(vp, src, 1, &x, sizeof(x), NULL));
        break;
    case PROBE:
        while (!done)
            OK(logp_probe(vp, src, 1, &done, &status));
        OK(logp_recv(vp, src, 1, &x, sizeof(x), NULL));
        break;
    case SYNC:
        return logp_sync(vp, NULL);
    case SYNC_OF_GROUP:
        return logp_sync(all, NULL);
    case BARRIER:
        return logp_barrier(vp);
    case ALLREDUCE:
        OK(logp_allreduce(vp, &mine, &x, 1, sum));
        cr_assert_eq(x, logp_vp_size(vp) * (logp_vp_size(vp) - 1) / 2);
        return 0;
    case ALLTOALL_LONG:
        return logp_alltoall(vp, in[me], out[me], LONG);
    default:
        OK(logp_irecv(vp, src, 1, &x, sizeof(x), &r[1]));
        if (wait == WAITALL)
            OK(logp_waitall(vp, r, 2, NULL));
        else if (wait == WAITANY)
            OK(logp_waitany(vp, r, 2, &index, &status));
        else if (wait == WAIT)
            OK(logp_wait(vp, r[1], &status));
        while (wait == TEST && !done)
            OK(logp_test(vp, r[1], &done, &status));
    }
    cr_assert_eq(x, src);
    if (wait != WAITALL)
        cr_assert_eq(status.source, src);
    return 0;
}

static bool is_for_all(enum wait wait)
{
    return wait >= SYNC;
}

struct job {
    enum wait wait;
};

static int group_of_all(struct logp_vp *vp, struct logp_vp **group)
{
    int members[MOST_P];

    for (int i = 0; i < logp_vp_size(vp); i++)
        members[i] = i;
    return logp_group_create(vp, 1, members, logp_vp_size(vp), group);
}

/* Rank 0 sends only when the barrier is over, which the others have started and do not wait for. */
static int started(struct logp_vp *vp, void *arg)
{
    const struct job *job = arg;
    const int P = logp_vp_size(vp);
    struct logp_request *barrier;
    struct logp_vp *all;
    int64_t x = 0;

    OK(group_of_all(vp, &all));
    OK(logp_ibarrier(vp, &barrier));
    if (logp_vp_rank(vp) > 0) {
        OK(wait_so(vp, job->wait, 0, all));
        OK(logp_wait(vp, barrier, NULL));
    } else {
        OK(logp_wait(vp, barrier, NULL));
        for (int i = 1; i < P && !is_for_all(job->wait); i++)
            OK(logp_send(vp, i, 1, &x, sizeof(x)));
        if (is_for_all(job->wait))
            OK(wait_so(vp, job->wait, 0, all));
    }
    logp_group_destroy(all);
    return 0;
}

/* Each rank sends to its right, and waits in something else before it waits for that send; what
 * rank 0 waits for is sent when its own send has been received. */
static int sending(struct logp_vp *vp, void *arg)
{
    const struct job *job = arg;
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp), right = (me + 1) % P,
              left = (me + P - 1) % P;
    struct logp_request *send;
    struct logp_vp *all;
    int64_t x = me, y = -1;

    OK(group_of_all(vp, &all));
    OK(logp_isend(vp, right, 0, &x, sizeof(x), &send));
    if (is_for_all(job->wait)) {
        struct logp_request *receive;

        OK(logp_irecv(vp, me % 2 ? left : LOGP_ANY_SOURCE, 0, &y, sizeof(y), &receive));
        OK(wait_so(vp, job->wait, 0, all));
        OK(logp_wait(vp, receive, NULL));
    } else if (me == 0) {
        OK(wait_so(vp, job->wait, 1, all));
        OK(logp_recv(vp, left, 0, &y, sizeof(y), NULL));
    } else {
        OK(logp_recv(vp, left, 0, &y, sizeof(y), NULL));
        if (me == 1)
            OK(logp_send(vp, 0, 1, &x, sizeof(x)));
    }
    cr_assert_eq(y, left);
    OK(logp_wait(vp, send, NULL));
    logp_group_destroy(all);
    return 0;
}

static struct logp_machine *machine(int P, bool is_virtual, bool has_delay, int64_t rendezvous_from)
{
    struct logp_machine *m = test_machine(P, is_virtual ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL,
                                          has_delay ? &params : NULL);

    cr_assert_eq(logp_machine_set_rendezvous_from(m, rendezvous_from), 0);
    return m;
}

static void run_all(logp_program program, int64_t rendezvous_from)
{
    static const int sizes[] = {2, 5, 7, 8};

    for (int i = 0; i < 4; i++)
        for (int kind = test_parallel() ? 3 : 0; kind < 4; kind++) {
            TEST_MACHINE m = machine(sizes[i], kind >= 2, kind % 2 == 1, rendezvous_from);

            for (int wait = 0; wait < N_WAITS; wait++) {
                struct job job = {.wait = (enum wait)wait};
                const int rc = logp_machine_run(m, program, &job, test_timeout_ns);

                cr_assert(rc == 0 && logp_machine_report(m)->unreceived == 0,
                          "%s: %d, P %d, %s clock, delay %s, rendezvous from %" PRId64, names[wait],
                          rc, sizes[i], kind >= 2 ? "virtual" : "wall",
                          kind % 2 == 1 ? "loggp" : "none", rendezvous_from);
            }
        }
}

Test(progress, a_started_collective_goes_on_in_every_wait)
{
    run_all(started, 0);
}

Test(progress, a_started_collective_of_rendezvous_sends_goes_on_in_every_wait)
{
    run_all(started, 1);
}

Test(progress, a_rendezvous_send_goes_on_in_every_wait)
{
    run_all(sending, 1);
}
