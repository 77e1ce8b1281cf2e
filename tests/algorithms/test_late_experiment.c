/* SPDX-License-Identifier: MIT */
/*
 * An experiment that is given up: who comes back late finds what it still uses, and what it was
 * told to write into is the caller's again.
 */
#include "late.h"

static int late_rank; /* which is late; -1: none */
static int late_from; /* in the calls of its that come then */
static int late_end;  /* what its calls return when it has come back */
static atomic_int n_calls;

/* Rank 0 says something to all others, who do not answer. */
static int tell_all(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf)
{
    const int me = logp_vp_rank(vp);
    int rc = 0;

    if (me == late_rank && atomic_fetch_add(&n_calls, 1) >= late_from) {
        be_late();
        /* what it has it may use */
        memset(buf, 1, c->args.n_bytes);
        return late_end;
    }
    for (int i = 1; rc == 0 && me == 0 && i < P; i++)
        rc = logp_send(vp, i, 0, buf, c->args.n_bytes);
    return rc == 0 && me > 0 ? logp_recv(vp, 0, 0, buf, c->args.n_bytes, NULL) : rc;
}

static const struct logp_algorithm row = {LOGP_ALGORITHM("broadcast", "tells", "all", "none"),
                                          .run = tell_all};

/* It reports of some repetitions, and is late itself at one. */
static void progress(void *arg, int done, int total)
{
    if (late_rank < 0 && done >= 2)
        be_late();
}

/* Give it so much time that it comes to be late, and is given up. *record is the caller's. */
static void experiment_late(struct logp_machine *m, struct logp_experiment x,
                            struct logp_record *record)
{
    x.timeout_ns = 20000000;
    late_prepare();
    do {
        atomic_store(&n_calls, 0);
        cr_assert_eq(logp_experiment_run(m, &x, record), -ETIMEDOUT);
    } while (late_once_more(m, &x.timeout_ns));
    cr_assert(logp_machine_busy(m));
}

/* The record is as it was when the experiment returned, and then it is gone. */
static void abandon(struct logp_machine *m, const struct logp_experiment *x)
{
    struct logp_record *record = malloc(sizeof(*record)), other;
    struct logp_record *copy = malloc(sizeof(*copy));

    experiment_late(m, *x, record);
    memcpy(copy, record, sizeof(*copy));
    cr_assert_eq(logp_experiment_run(m, x, &other), -EBUSY);
    atomic_store(&lateness.may_go_on, true);
    for (int i = 0; i < 20; i++) {
        cr_assert_eq(memcmp(copy, record, sizeof(*copy)), 0);
        late_pause();
    }
    free(record);
    free(copy);
    await_late(m);
    run_clean(m);
}

static void all_ways(struct logp_machine *m, struct logp_experiment *x)
{
    for (late_rank = 0; late_rank < P; late_rank += P - 1)
        for (late_end = 0; late_end >= -EIO; late_end -= EIO) {
            late_from = late_rank; /* at once, and after some repetitions */
            abandon(m, x);
        }
    late_rank = -1;
}

static struct logp_experiment experiment(void)
{
    return (struct logp_experiment){.size = sizeof(struct logp_experiment),
                                    .algorithm = &row,
                                    .reps = 1000000,
                                    .args.n_bytes = 64};
}

Test(late_experiment, a_record_is_the_callers_when_it_is_given_up)
{
    for (int clock = 0; clock < 2; clock++) {
        struct logp_experiment x = experiment();
        TEST_MACHINE m = test_machine(P, clock ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL, &test_6ns);

        x.reps = clock ? 1000 : x.reps;
        all_ways(m, &x);
    }
}

Test(late_experiment, whoever_is_told_of_progress_may_be_late)
{
    struct logp_experiment x = experiment();
    TEST_MACHINE m = test_machine(P, LOGP_CLOCK_WALL, &test_6ns);

    x.progress = progress;
    late_rank = -1;
    abandon(m, &x);
}

Test(late_experiment, one_with_faults_may_be_given_up)
{
    const struct logp_fault_config config = {
        .size = sizeof(config), .faults = "delay:2:0.5", .P = P, .unit_ns = 1};
    struct logp_experiment x = experiment();
    char why[LOGP_FAULT_WHY];
    struct logp_delay inner, delay;
    struct logp_machine *m;

    cr_assert_eq(logp_delay_create("loggp", &test_6ns, &inner), 0);
    cr_assert_eq(logp_fault_create(&inner, &config, &delay, why), 0, "%s", why);
    x.reps = 100;
    m = test_machine_of(P, LOGP_CLOCK_VIRTUAL, delay);
    all_ways(m, &x);
    cr_assert_eq(logp_machine_destroy(m), 0);
}

/* Nobody is to get through a barrier while one is away: that is run before. */
static int waits_late(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                      void *recv_buf)
{
    const int rc = logp_recv(vp, LOGP_ANY_SOURCE, 99, NULL, 0, NULL);

    return rc;
}

static int barrier_late(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                        void *recv_buf)
{
    if (logp_vp_rank(vp) != 1)
        return waits_late(vp, c, buf, recv_buf);
    be_late();
    return 0;
}

static const struct logp_algorithm barrier = {LOGP_ALGORITHM("barrier", "late", "late", "none"),
                                              .run = barrier_late};

Test(late_experiment, whether_anybody_gets_through_may_not_be_known)
{
    struct logp_experiment x = experiment();
    TEST_MACHINE m = test_machine(P, LOGP_CLOCK_VIRTUAL, &test_6ns);

    x.algorithm = &barrier;
    abandon(m, &x);
}
