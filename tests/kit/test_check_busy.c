/* SPDX-License-Identifier: MIT */
/* The test kit and what a program does by itself: loops, sleeps, locks. */
#include "kit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/* ---- busy loops ---- */

static int waits_for_a_time(struct logp_vp *vp, void *arg)
{
    int *flag = arg, rc = 0;
    bool found = false;

    if (logp_vp_rank(vp) == 0) { /* time passes */
        while (logp_now(vp) < 1000000)
            ;
        *flag = 1;
        return logp_send(vp, 1, 0, NULL, 0);
    }
    while (*flag == 0) /* others get on */
        logp_now(vp);
    while (rc == 0 && !found)
        rc = logp_probe(vp, 0, 0, &found, NULL);
    return rc != 0 ? rc : logp_recv(vp, 0, 0, NULL, 0, NULL);
}

static int lower(int P, void *arg)
{
    *(int *)arg = 0;
    return 0;
}

Test(check_busy, loops_that_read_the_clock_or_poll_come_to_an_end)
{
    for (enum logp_strategy s = LOGP_STRATEGY_RANDOM; s <= LOGP_STRATEGY_PCT; s++) {
        int flag = 0;
        struct logp_check check = {
            .sizes = (int[]){2}, .n_sizes = 1, .runs = 20, .strategy = s, .before = lower};

        cr_assert_eq(logp_check(waits_for_a_time, &flag, &check, NULL), 0);
    }
}

static int polls_for_ever(struct logp_vp *vp, void *arg)
{
    bool found = false;
    int rc = 0;

    while (rc == 0 && !found)
        rc = logp_probe(vp, LOGP_ANY_SOURCE, 0, &found, NULL);
    return rc;
}

Test(check_busy, polls_in_vain_are_a_deadlock)
{
    for (enum logp_strategy s = LOGP_STRATEGY_RANDOM; s <= LOGP_STRATEGY_EXHAUSTIVE; s++) {
        struct logp_check check = {.strategy = s, .runs = 3};
        TEST_FAILURE f = {.text = NULL};

        cr_assert_eq(logp_check(polls_for_ever, NULL, &check, &f), -EDEADLK);
        cr_assert_eq(f.kind, LOGP_FAILURE_DEADLOCK);
    }
}

static int never_comes_back_elsewhere(struct logp_vp *vp, void *arg)
{
    while (logp_vp_rank(vp) == 1 && getpid() != *(const pid_t *)arg)
        ;
    return 0;
}

Test(check_busy, one_of_another_process_that_does_not_come_back_is_named)
{
    pid_t first = getpid();

    for (enum logp_strategy s = LOGP_STRATEGY_RANDOM; s <= LOGP_STRATEGY_PCT; s++) {
        struct logp_check check = {
            .size = sizeof(check), .strategy = s, .timeout_ns = 20000000, .cores = 2};
        TEST_FAILURE f = {.text = NULL};

        cr_assert_eq(logp_check(never_comes_back_elsewhere, &first, &check, &f), -ETIMEDOUT);
        cr_assert_eq(f.kind, LOGP_FAILURE_TIMEOUT);
        cr_assert_eq(f.rank, 1, "%s", f.text);
        cr_assert_eq(f.run, 0);
    }
}

#if !defined(__SANITIZE_ADDRESS__) /* its memory stays behind */
static atomic_bool let_go;

static int never_comes_back(struct logp_vp *vp, void *arg)
{
    while (logp_vp_rank(vp) == 1 && !let_go)
        ;
    return 0;
}

Test(check_busy, one_that_does_not_come_back_is_named)
{
    struct logp_check check = {.timeout_ns = 20000000};
    TEST_FAILURE f = {.text = NULL};

    let_go = false;
    cr_assert_eq(logp_check(never_comes_back, NULL, &check, &f), -ETIMEDOUT);
    cr_assert_eq(f.kind, LOGP_FAILURE_TIMEOUT);
    cr_assert_eq(f.rank, 1, "%s", f.text);
    SAYS(f.text, "longer than 0.02 s; rank 1 holds the processor\n");
    let_go = true; /* and the process lives */
    cr_assert_eq(logp_check(never_comes_back, NULL, &(struct logp_check){0}, NULL), 0);
}

/* Rank 0 chooses among what the others have sent, on and on, and comes back late in between. */
static struct lateness {
    atomic_bool is_there, may_go_on, has_gone_on;
} lateness;

static void wait_for(const atomic_bool *flag)
{
    while (!atomic_load(flag))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void be_late(void)
{
    atomic_store(&lateness.is_there, true);
    wait_for(&lateness.may_go_on);
    atomic_store(&lateness.has_gone_on, true);
}

static int comes_back_late(struct logp_vp *vp, void *arg)
{
    enum { MANY = 400 }; /* answers, so that their memory has to grow */
    int item = 0, rc = 0;

    if (logp_vp_rank(vp) > 0) {
        for (int i = 0; i < MANY; i++)
            logp_send(vp, 0, 0, &item, sizeof(item));
        return 0;
    }
    for (int i = 0; i < 2 * MANY; i++) {
        if (i == MANY && rc == 0 &&
            arg == NULL) /* or else it is the check's after() that is late */
            be_late();
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, &item, sizeof(item), NULL);
    }
    return 0;
}

static int is_late(const struct logp_report *report, void *arg)
{
    be_late();
    return -EIO;
}

/* Check it, or replay that; once more with more time where it has not come to be late. */
static int check_late(void *arg, struct logp_check check, const char *replay,
                      struct logp_failure *f)
{
    int rc;

    atomic_store(&lateness.is_there, false);
    atomic_store(&lateness.may_go_on, false);
    atomic_store(&lateness.has_gone_on, false);
    rc = replay == NULL ? logp_check(comes_back_late, arg, &check, f)
                        : logp_check_replay(comes_back_late, arg, &check, replay, f);
    if (atomic_load(&lateness.is_there))
        return rc;
    logp_failure_free(f);
    check.timeout_ns *= 2;
    return check_late(arg, check, replay, f);
}

/* It goes on, and those that it belongs to have long gone on without. */
static void let_it_go_on(void)
{
    atomic_store(&lateness.may_go_on, true);
    wait_for(&lateness.has_gone_on);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
}

Test(check_busy, one_that_comes_back_late_does_no_harm)
{
    for (int executor = 0; executor < 2; executor++) {
        struct logp_check check = {.sizes = (int[]){3},
                                   .n_sizes = 1,
                                   .executor = executor == 0 ? "fiber" : "thread",
                                   .timeout_ns = 20000000};
        struct logp_failure f, again;

        cr_assert_eq(check_late(NULL, check, NULL, &f), -ETIMEDOUT);
        cr_assert_eq(f.kind, LOGP_FAILURE_TIMEOUT);
        cr_assert_eq(f.rank, 0, "%s", f.text);
        cr_assert_gt(f.n_choices, 300, "%d", f.n_choices);
        let_it_go_on();

        cr_assert_eq(check_late(NULL, check, f.replay, &again), -ETIMEDOUT);
        cr_assert_str_eq(again.replay, f.replay);
        cr_assert_eq(again.n_choices, f.n_choices);
        logp_failure_free(&again);
        logp_failure_free(&f);
        let_it_go_on();
    }
}

Test(check_busy, an_after_that_comes_back_late_does_no_harm)
{
    int none = 0;
    struct logp_check check = {
        .sizes = (int[]){3}, .n_sizes = 1, .after = is_late, .timeout_ns = 20000000};
    TEST_FAILURE f = {.text = NULL};

    cr_assert_eq(check_late(&none, check, NULL, &f), -ETIMEDOUT);
    cr_assert_eq(f.kind, LOGP_FAILURE_TIMEOUT);
    cr_assert_eq(f.rank, -1);
    let_it_go_on();
    cr_assert_eq(f.error, -ETIMEDOUT);
}
#endif

/* ---- locks ---- */

struct locked {
    pthread_mutex_t brief, held; /* held: across a call */
    int n, m, P;
};

static int counts(struct logp_vp *vp, void *arg)
{
    struct locked *l = arg;
    int before, rc = 0;

    pthread_mutex_lock(&l->brief); /* always free */
    l->m++;
    pthread_mutex_unlock(&l->brief);
    while (rc == 0 && pthread_mutex_trylock(&l->held) != 0)
        rc = logp_probe(vp, 0, 9, &(bool){false}, NULL);
    if (rc != 0)
        return rc;
    before = l->n;
    rc = logp_probe(vp, 0, 9, &(bool){false}, NULL);
    l->n = before + 1;
    pthread_mutex_unlock(&l->held);
    return rc;
}

static int none_counted(int P, void *arg)
{
    struct locked *l = arg;

    l->n = l->m = 0;
    l->P = P;
    return 0;
}

static int all_counted(const struct logp_report *report, void *arg)
{
    const struct locked *l = arg;

    return l->n == l->P && l->m == l->P ? 0 : -ERANGE;
}

Test(check_busy, locks_that_are_tried)
{
    struct locked l = {.brief = PTHREAD_MUTEX_INITIALIZER, .held = PTHREAD_MUTEX_INITIALIZER};
    struct logp_check check = {.sizes = (int[]){2, 4},
                               .n_sizes = 2,
                               .runs = 200,
                               .before = none_counted,
                               .after = all_counted};
    TEST_FAILURE f = {.text = NULL};

    cr_assert_eq(logp_check(counts, &l, &check, &f), 0, "%s", f.text);
}
