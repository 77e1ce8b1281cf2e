/* SPDX-License-Identifier: MIT */
/* Whatever a program calls when its run is over says why it ended. */
#include "support.h"

/* A call of each function that may wait; none of them has what it waits for. */
static int call(struct logp_vp *vp, int which)
{
    struct logp_vp *all = logp_vp_collective(vp);
    struct logp_request *r = NULL;
    bool done;
    char c = 0;
    int i;

    switch (which) {
    case 0:
        return logp_send(vp, 0, 0, &c, 1);
    case 1:
        return logp_recv(vp, 1, 0, &c, 1, NULL);
    case 2:
        return logp_recv(vp, LOGP_ANY_SOURCE, 0, &c, 1, NULL);
    case 3:
        return logp_sendrecv(vp, 0, 0, &c, 1, 1, 0, &c, 1, NULL);
    case 4:
        return logp_isend(vp, 0, 0, &c, 1, &r);
    case 5:
        return logp_irecv(vp, 1, 0, &c, 1, &r);
    case 6:
        return logp_irecv(vp, LOGP_ANY_SOURCE, 0, &c, 1, &r);
    case 7:
        return logp_wait(vp, NULL, NULL);
    case 8:
        return logp_test(vp, NULL, &done, NULL);
    case 9:
        return logp_probe(vp, 1, 0, &done, NULL);
    case 10:
        return logp_sleep_until(vp, 5);
    case 11:
        return logp_recv_until(vp, 1, 0, &c, 1, 5, NULL);
    case 12:
        return logp_wait_until(vp, NULL, 5, NULL);
    case 13:
        return logp_probe_until(vp, 1, 0, 5, NULL);
    case 14:
        return logp_waitall(vp, &r, 1, NULL);
    case 15:
        return logp_waitany(vp, &r, 1, &i, NULL);
    case 16:
        return logp_waitany_until(vp, &r, 1, 5, &i, NULL);
    case 17:
        return logp_testany(vp, &r, 1, &i, &done, NULL);
    case 18:
        return logp_compute(vp, 5, NULL, NULL);
    case 19:
        return logp_sync(vp, NULL);
    case 20:
        return logp_barrier(all);
    default:
        return logp_broadcast(all, &c, 1, 0);
    }
}

enum { CALLS = 22 };

TestProgram(ended, every_call_after_the_end_of_a_run_says_why_it_ended,
            for (int i = 0; i < 8; i++)
                test_run_fails(test_machine(2, (enum logp_clock)(i & 1), i & 2 ? &test_6us : NULL),
                               program, &(bool){(i & 4) != 0}, -EDOM))
{
    const bool open = *(const bool *)arg; /* something has been posted before */
    struct logp_request *r[3] = {NULL};
    char c[3];
    int i;
    bool done;

    if (logp_vp_rank(vp) > 0)
        return 0;
    for (i = 0; open && i < 3; i++)
        OK(logp_irecv(vp, 1, 7, &c[i], 1, &r[i]));
    logp_machine_stop(logp_vp_machine(vp), -EDOM);
    for (i = 0; i < CALLS; i++)
        cr_expect_eq(call(vp, i), -EDOM, "call %d", i);
    if (!open)
        return 0;
    cr_expect_eq(logp_wait(vp, r[0], NULL), -EDOM);
    cr_expect_eq(logp_test(vp, r[1], &done, NULL), -EDOM);
    cr_expect_eq(logp_wait_until(vp, r[2], 5, NULL), -EDOM);
    return 0;
}

/* Two runs, so that what the first one has kept is forgotten. */
TestProgram(
    ended, bytes_of_a_thread_that_are_kept_are_each_vps_own,
    for (int clock = 0; clock < 2; clock++) {
        TEST_MACHINE m = test_machine(5, (enum logp_clock)clock, NULL);

        for (int i = 0; i < 2; i++)
            cr_assert_eq(logp_machine_run(m, program, NULL, test_timeout_ns), 0);
    })
{
    static _Thread_local int local[2];
    int aside[2][1];
    struct logp_kept kept[2];

    (void)arg;
    for (int i = 0; i < 2; i++) {
        local[i] = 10 * i + logp_vp_rank(vp);
        kept[i] = (struct logp_kept){&local[i], aside[i], sizeof(aside[i]), NULL};
        logp_vp_keep(vp, &kept[i]);
    }
    for (int round = 0; round < 3; round++) {
        OK(logp_barrier(vp));
        for (int i = 0; i < 2; i++)
            cr_assert_eq(local[i], 10 * i + logp_vp_rank(vp) + round);
        local[0]++, local[1]++;
        OK(logp_yield(vp));
    }
    return 0;
}
