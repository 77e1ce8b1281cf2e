/* SPDX-License-Identifier: MIT */
/* A vp that is away when its run is over and goes on later: what tests/test_late*.c share. */
#ifndef LOGP_TESTS_LATE_H
#define LOGP_TESTS_LATE_H

#include "support.h"

#include <stdatomic.h>
#include <time.h>

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
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    int64_t *const end = arg, sent = 1000 + me, got = -1;
    struct logp_status status;
    bool found = true;
    int rc = 0;

    if (logp_machine_clock(logp_vp_machine(vp)) == LOGP_CLOCK_VIRTUAL && logp_now(vp) != 0)
        return -EDOM;
    rc = logp_probe(vp, LOGP_OUTSIDE, LOGP_ANY_TAG, &found, NULL);
    if (rc == 0)
        rc = found ? -EEXIST : logp_sync(vp, NULL);
    if (rc == 0)
        rc = logp_send(vp, (me + 1) % P, 5, &sent, sizeof(sent));
    if (rc == 0)
        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &got, sizeof(got), &status);
    if (rc == 0)
        rc = got == 1000 + (me + P - 1) % P && status.tag == 5 ? 0 : -EBADMSG;
    if (rc == 0 && me == 0 && end != NULL)
        *end = logp_now(vp);
    return rc;
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

#endif
