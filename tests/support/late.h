/* SPDX-License-Identifier: MIT */
/* A vp that is away when its run is over and goes on later: what the suites of it share. */
#ifndef LOGP_TESTS_LATE_H
#define LOGP_TESTS_LATE_H

#include "support.h"

#include <stdatomic.h>
#include <time.h>

enum { P = 3 };

static struct {
    atomic_bool is_there, may_go_on, may_end;
} lateness;

static inline void late_pause(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* By the vp, or what is called on its core. */
static inline void be_late(void)
{
    atomic_store(&lateness.is_there, true);
    while (!atomic_load(&lateness.may_go_on))
        late_pause();
}

static inline void late_prepare(void)
{
    atomic_store(&lateness.is_there, false);
    atomic_store(&lateness.may_go_on, false);
    atomic_store(&lateness.may_end, false);
}

/* All of the machine's have come home. */
static inline void await_late(struct logp_machine *m)
{
    atomic_store(&lateness.may_go_on, true);
    atomic_store(&lateness.may_end, true);
    while (logp_machine_busy(m))
        late_pause();
}

/* What the library was to be asked to do ended without the late one: it had not come so far, and
 * shall have more time. */
static inline bool late_once_more(struct logp_machine *m, int64_t *timeout_ns)
{
    if (atomic_load(&lateness.is_there))
        return false;
    await_late(m);
    late_prepare();
    *timeout_ns *= 2;
    return true;
}

/* Run it until it is given up as somebody is late. */
static inline void run_late(struct logp_machine *m, logp_program program, void *arg)
{
    int64_t timeout_ns = 20000000;

    late_prepare();
    do
        cr_assert_eq(logp_machine_run(m, program, arg, timeout_ns), -ETIMEDOUT);
    while (late_once_more(m, &timeout_ns));
    cr_assert(logp_machine_busy(m));
}

/* Nothing has come before, and the clocks begin at 0: each sends one message to the next. */
static inline int begin_clean(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);
    int64_t *const end = arg, sent = 1000 + me, got = -1;
    struct logp_status status;
    bool found = true;

    if (logp_machine_clock(logp_vp_machine(vp)) == LOGP_CLOCK_VIRTUAL && logp_now(vp) != 0)
        return -EDOM;
    TRY(logp_probe(vp, LOGP_OUTSIDE, LOGP_ANY_TAG, &found, NULL));
    TRY(found ? -EEXIST : logp_sync(vp, NULL));
    TRY(logp_send(vp, (me + 1) % P, 5, &sent, sizeof(sent)));
    TRY(logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &got, sizeof(got), &status));
    TRY(got == 1000 + (me + P - 1) % P && status.tag == 5 ? 0 : -EBADMSG);
    if (me == 0 && end != NULL)
        *end = logp_now(vp);
    return 0;
}

/* @return when rank 0 has its message */
static inline int64_t run_clean(struct logp_machine *m)
{
    const struct logp_report *r = logp_machine_report(m);
    int64_t end = 0;

    cr_assert_eq(logp_machine_run(m, begin_clean, &end, test_timeout_ns), 0);
    cr_assert_eq(r->error, 0);
    cr_assert_eq(r->error_rank, -1);
    cr_assert_eq(r->messages, (uint64_t)logp_machine_size(m));
    cr_assert_eq(r->unreceived, 0);
    cr_assert_eq(r->n_waits, 0);
    cr_assert(r->asserted.file == NULL);
    return end;
}

/* P of them on one core, without delays. */
static inline struct logp_machine *late_on_one_core(enum logp_clock clock, const char *executor)
{
    return test_machine_with((struct logp_config){.n_processors = P,
                                                  .delay = logp_delay_none(),
                                                  .clock = clock,
                                                  .executor = executor,
                                                  .n_cores = 1},
                             NULL);
}

static inline int late_never(struct logp_vp *vp, void *arg)
{
    cr_assert_fail("it has begun");
    return 0;
}

static inline void late_nothing(void *arg)
{
}

/* Everything that a vp may call. The run is over, and says so. */
static inline void late_calls(struct logp_vp *vp)
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
    cr_assert_eq(logp_compute(vp, 10, late_nothing, NULL), -ETIMEDOUT);
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
static inline int late_rank_0(struct logp_vp *vp, void *arg)
{
    char buf[4096] = "";
    struct logp_request *r;
    int rc;

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
        late_calls(vp);
    while (!atomic_load(&lateness.may_end));
    return 0;
}

#endif
