/* SPDX-License-Identifier: MIT */
/* The test kit beside what it finds: bounds, wrong input, busy loops, locks, time, latencies. */
#include "support.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* ---- what can be asked for ---- */

static int senders(struct logp_vp *vp, void *arg)
{
    int x = 0, rc = 0;

    (void)arg;
    if (logp_vp_rank(vp) > 0)
        return logp_send(vp, 0, 0, &x, sizeof(x));
    for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++)
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, &x, sizeof(x), NULL);
    return rc;
}

static struct logp_checked exhaust(struct logp_check check)
{
    check.sizes = (int[]){5};
    check.n_sizes = 1;
    check.strategy = LOGP_STRATEGY_EXHAUSTIVE;
    cr_assert_eq(logp_check(senders, NULL, &check, NULL), 0);
    return check.checked;
}

Test(check_more, bounds_are_said)
{
    struct logp_checked c = exhaust((struct logp_check){0});

    cr_assert_str_eq(c.text, "24 of 24 executions explored"); /* 4! */
    cr_assert(c.complete);
    c = exhaust((struct logp_check){.runs = 10});
    cr_assert_eq(c.executions, 10);
    cr_assert(!c.complete);
    cr_assert(strstr(c.text, "bounded by the number of runs") != NULL, "%s", c.text);
    c = exhaust((struct logp_check){.depth = 1});
    cr_assert_eq(c.executions, 4);
    cr_assert(!c.complete);
    cr_assert(strstr(c.text, "depth") != NULL, "%s", c.text);
}

Test(check_more, pct_says_its_bound)
{
    struct logp_check check = {
        .sizes = (int[]){4}, .n_sizes = 1, .runs = 100, .depth = 1, .strategy = LOGP_STRATEGY_PCT};

    cr_assert_eq(logp_check(senders, NULL, &check, NULL), 0);
    cr_assert_eq(check.checked.chance, 0.25); /* 1 / P */
    check.depth = 2;
    cr_assert_eq(logp_check(senders, NULL, &check, NULL), 0);
    cr_assert_lt(check.checked.chance, 0.25 / 4);
}

Test(check_more, what_does_not_go_together_is_refused)
{
    static const struct logp_params params = {.L_ns = 1000};
    static const struct logp_params negative = {.L_ns = -1};
    const struct {
        struct logp_check check;
        const char *says;
        int error;
    } wrong[] = {
        {{.sizes = (int[]){0}, .n_sizes = 1}, "sizes", -EINVAL},
        {{.sizes = (int[]){2}, .n_sizes = -1}, "n_sizes", -EINVAL},
        {{.strategy = (enum logp_strategy)7}, "strategy", -EINVAL},
        {{.depth = -1}, "depth", -EINVAL},
        {{.misses = -1}, "misses", -EINVAL},
        {{.time_ns = -1}, "time_ns", -EINVAL},
        {{.timeout_ns = -1}, "timeout_ns", -EINVAL},
        {{.smallest = -1}, "smallest", -EINVAL},
        {{.sends = (enum logp_sends)9}, "sends", -EINVAL},
        {{.sends = LOGP_SENDS_LIMITED, .rendezvous_bytes = SIZE_MAX}, "rendezvous_bytes", -EINVAL},
        {{.strategy = LOGP_STRATEGY_EXHAUSTIVE, .params = &params}, "EXHAUSTIVE", -EINVAL},
        {{.strategy = LOGP_STRATEGY_EXHAUSTIVE, .sends = LOGP_SENDS_VARIED}, "sends", -EINVAL},
        {{.latency = {.kind = LOGP_LATENCY_UNIFORM}}, "latency: only with params", -EINVAL},
        {{.faults = "drop:0.1"}, "faults: only with params", -EINVAL},
        {{.noise = "fixed:1"}, "noise: only with params", -EINVAL},
        {{.params = &params, .faults = "drop:2"}, "drop:2: a probability", -EINVAL},
        {{.params = &params, .latency = {.kind = LOGP_LATENCY_SAMPLES}}, "latency: ", -EINVAL},
        {{.params = &negative}, "params", -EINVAL},
        {{.name = "two\nlines"}, "name", -EINVAL},
        {{.size = 3}, "size", -EINVAL},
        {{.size = SIZE_MAX}, "size", -E2BIG},
        {{.executor = "none"}, "executor: thread or fiber, not none", -ENOENT},
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct logp_check check = wrong[i].check;
        struct logp_failure f;

        cr_expect_eq(logp_check(senders, NULL, &check, &f), wrong[i].error, "%zu", i);
        cr_expect(strstr(check.checked.text, wrong[i].says) != NULL, "%zu: %s", i,
                  check.checked.text);
        cr_expect(strstr(f.text, wrong[i].says) != NULL, "%zu: %s", i, f.text);
        cr_expect_eq(f.kind, LOGP_FAILURE_NONE);
        cr_expect_eq(f.text[strlen(f.text) - 1], '\n');
        logp_failure_free(&f);
        cr_expect_eq(logp_check(senders, NULL, &check, NULL), wrong[i].error, "%zu", i);
    }
    cr_expect_eq(logp_check(NULL, NULL, NULL, NULL), -EINVAL);
}

Test(check_more, what_is_no_replay_is_refused)
{
    const char *const wrong[] = {
        "",
        "logp-replay\n",
        "logp-replay 1\r",
        "logp-replay 1\n",
        "logp-replay 1\nprocessors 2\n",
        "logp-replay 1\nprocessors -1\nchoices 0\n",
        "logp-replay 1\nprocessors 2\nchoices 2 5=1\n",
        "logp-replay 1\nprocessors 2\nchoices 1 0=x\n",
        "logp-replay 1\nprocessors 2\nfruit 3\nchoices 0\n",
        "logp-replay 1\nprocessors 2\nvary everything\nchoices 0\n",
        "logp-replay 1\nprocessors 2\nparams 1 2\nchoices 0\n",
        "logp-replay 1\nprocessors 2\nlatency 4 1\nchoices 0\n",
    };

    struct logp_failure f;

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        cr_assert_eq(logp_check_replay(senders, NULL, NULL, wrong[i], NULL), -EINVAL, "%s",
                     wrong[i]);
    cr_assert_eq(logp_check_replay(senders, NULL, NULL, NULL, NULL), -EINVAL);
    cr_assert_eq(logp_check_replay(senders, NULL, NULL, wrong[8], &f), -EINVAL);
    cr_expect_str_eq(f.text, "line 3 is not that of a replay\n");
    logp_failure_free(&f);
    cr_assert_eq(logp_check_replay(senders, NULL, NULL, "logp-replay 2\n", &f), -EPROTONOSUPPORT);
    cr_expect_str_eq(f.text, "a replay of version 2; this library knows 1\n");
    logp_failure_free(&f);
    cr_assert_eq(logp_check_replay(senders, NULL, NULL, "logp-replay 2\n", NULL), -EPROTONOSUPPORT);
    cr_assert_eq(logp_check_replay(senders, NULL, NULL,
                                   "logp-replay 1\nprocessors 3\nvary untimed order\nmisses 3\n"
                                   "choices 1 0=7\n",
                                   NULL),
                 -ESTALE);
    cr_assert_eq(logp_check_replay(senders, NULL, NULL,
                                   "logp-replay 1\nprocessors 3\nvary untimed order\nchoices 0\n",
                                   NULL),
                 0);
}

static int fails_at_once(struct logp_vp *vp, void *arg)
{
    (void)arg;
    LOGP_CHECK(vp, logp_vp_rank(vp) != 1);
    return logp_vp_rank(vp) == 1 ? 0 : logp_recv(vp, 1, 0, NULL, 0, NULL);
}

Test(check_more, an_assertion_ends_the_run_whatever_the_program_returns)
{
    struct logp_check check = {.replay_file = "/tmp/logp-test-replay", .name = "at once"};
    struct logp_failure f;
    char path[64], *text;

    snprintf(path, sizeof(path), "/tmp/logp-test-replay.%d", (int)getpid());
    check.replay_file = path;
    cr_assert_eq(logp_check(fails_at_once, NULL, &check, &f), -EPROTO);
    cr_assert_eq(f.kind, LOGP_FAILURE_ASSERTED);
    cr_assert_eq(f.rank, 1);
    cr_assert_str_eq(f.expression, "logp_vp_rank(vp) != 1");
    cr_assert(strstr(f.file, "test_check_more.c") != NULL);
    cr_assert_eq(logp_replay_read(path, &text), 0);
    cr_assert_str_eq(text, f.replay);
    free(text);
    unlink(path);
    logp_failure_free(&f);
    cr_assert_eq(logp_replay_read("/no/such/file", &text), -ENOENT);
}

/* ---- faults ---- */

static int in_a_row(struct logp_vp *vp, void *arg)
{
    int rc = 0;

    (void)arg;
    for (int i = 0; rc == 0 && i < 4; i++)
        rc = logp_vp_rank(vp) == 1   ? logp_send(vp, 0, i, &i, sizeof(i))
             : logp_vp_rank(vp) == 0 ? logp_recv(vp, 1, i, &i, sizeof(i), NULL)
                                     : 0;
    return rc;
}

/* One message that is lost is enough, of all that happens. */
Test(check_more, a_failure_keeps_the_faults_that_it_takes)
{
    static const struct logp_params p = {.L_ns = 600, .o_send_ns = 20, .o_recv_ns = 30, .g_ns = 40};
    struct logp_check check = {.sizes = (int[]){5},
                               .n_sizes = 1,
                               .smallest = 2,
                               .params = &p,
                               .faults = "delay:3,drop:0.5;dup:0.3,slow:2@0..1",
                               .noise = "uniform:50"};
    struct logp_failure f, again;

    for (check.seed = 0; check.seed < 10; check.seed++) {
        cr_assert_eq(logp_check(in_a_row, NULL, &check, &f), -EDEADLK);
        cr_assert_eq(f.P, 2);
        cr_assert_eq(f.n_deviations, 1, "%s", f.text);
        cr_assert(strstr(f.text, "\nfaults: drop:0.5\n") != NULL, "%s", f.text);
        cr_assert(strstr(f.text, "noise") == NULL, "%s", f.text);
        cr_assert(strstr(f.text, ": drop strikes message ") != NULL, "%s", f.text);
        for (int i = 0; i < 10; i++) {
            const struct logp_check how = {.executor = i < 8 ? "fiber" : "thread"};

            cr_assert_eq(logp_check_replay(in_a_row, NULL, &how, f.replay, &again), -EDEADLK);
            cr_assert_str_eq(f.text, again.text);
            cr_assert_str_eq(f.replay, again.replay);
            logp_failure_free(&again);
        }
        logp_failure_free(&f);
    }
    check.faults = "drop:2";
    cr_assert_eq(logp_check(in_a_row, NULL, &check, NULL), -EINVAL);
    cr_assert(strstr(check.checked.text, "drop") != NULL, "%s", check.checked.text);
    check.params = NULL;
    check.faults = "drop:0.5";
    cr_assert_eq(logp_check(in_a_row, NULL, &check, NULL), -EINVAL);
}

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
    (void)P;
    *(int *)arg = 0;
    return 0;
}

Test(check_more, loops_that_read_the_clock_or_poll_come_to_an_end)
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

    (void)arg;
    while (rc == 0 && !found)
        rc = logp_probe(vp, LOGP_ANY_SOURCE, 0, &found, NULL);
    return rc;
}

Test(check_more, polls_in_vain_are_a_deadlock)
{
    for (enum logp_strategy s = LOGP_STRATEGY_RANDOM; s <= LOGP_STRATEGY_EXHAUSTIVE; s++) {
        struct logp_check check = {.strategy = s, .runs = 3};
        struct logp_failure f;

        cr_assert_eq(logp_check(polls_for_ever, NULL, &check, &f), -EDEADLK);
        cr_assert_eq(f.kind, LOGP_FAILURE_DEADLOCK);
        logp_failure_free(&f);
    }
}

#if !defined(__SANITIZE_ADDRESS__) /* its memory stays behind */
static atomic_bool let_go;

static int never_comes_back(struct logp_vp *vp, void *arg)
{
    (void)arg;
    while (logp_vp_rank(vp) == 1 && !let_go)
        ;
    return 0;
}

Test(check_more, one_that_does_not_come_back_is_named)
{
    struct logp_check check = {.timeout_ns = 20000000};
    struct logp_failure f;

    let_go = false;
    cr_assert_eq(logp_check(never_comes_back, NULL, &check, &f), -ETIMEDOUT);
    cr_assert_eq(f.kind, LOGP_FAILURE_TIMEOUT);
    cr_assert_eq(f.rank, 1, "%s", f.text);
    logp_failure_free(&f);
    let_go = true; /* and the process lives */
    cr_assert_eq(logp_check(senders, NULL, &(struct logp_check){0}, NULL), 0);
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
        if (i == MANY && rc == 0 && arg == NULL) /* or else it is the check's after() that is late */
            be_late();
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, &item, sizeof(item), NULL);
    }
    return 0;
}

static int is_late(const struct logp_report *report, void *arg)
{
    (void)report, (void)arg;
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

Test(check_more, one_that_comes_back_late_does_no_harm)
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

Test(check_more, an_after_that_comes_back_late_does_no_harm)
{
    int none = 0;
    struct logp_check check = {
        .sizes = (int[]){3}, .n_sizes = 1, .after = is_late, .timeout_ns = 20000000};
    struct logp_failure f;

    cr_assert_eq(check_late(&none, check, NULL, &f), -ETIMEDOUT);
    cr_assert_eq(f.kind, LOGP_FAILURE_TIMEOUT);
    let_it_go_on();
    cr_assert_eq(f.error, -ETIMEDOUT);
    logp_failure_free(&f);
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

    (void)report;
    return l->n == l->P && l->m == l->P ? 0 : -ERANGE;
}

Test(check_more, locks_that_are_tried)
{
    struct locked l = {.brief = PTHREAD_MUTEX_INITIALIZER, .held = PTHREAD_MUTEX_INITIALIZER};
    struct logp_check check = {.sizes = (int[]){2, 4},
                               .n_sizes = 2,
                               .runs = 200,
                               .before = none_counted,
                               .after = all_counted};
    struct logp_failure f;

    cr_assert_eq(logp_check(counts, &l, &check, &f), 0, "%s", f.text);
    logp_failure_free(&f);
}

/* ---- latencies ---- */

enum { DRAWS = 4000 };
static const struct logp_params sharp = {.L_ns = 100000};

struct drawn {
    int64_t at[DRAWS];
};

static int draws(struct logp_vp *vp, void *arg)
{
    struct drawn *d = arg;
    int rc = 0;

    for (int i = 0; rc == 0 && i < DRAWS; i++) {
        struct logp_status status;

        if (logp_vp_rank(vp) == 1) {
            rc = logp_send(vp, 0, i, NULL, 0);
            continue;
        }
        rc = logp_recv(vp, 1, i, NULL, 0, &status);
        d->at[i] = status.arrival_ns;
    }
    return rc;
}

static int by_time(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static double uniform(double t)
{
    return t / 1e5;
}

static double exponential(double t)
{
    return 1 - exp(-t / 1e5);
}

static double lognormal(double t)
{
    return t <= 0 ? 0 : 0.5 * erfc(-log(t / 1e5) / 0.5 / sqrt(2)); /* sigma 0.5 */
}

static double of_two(double t)
{
    return t < 10 ? 0 : t < 300 ? 0.5 : 1;
}

/* Kolmogorov & Smirnov: the largest distance, at the 0.1 % level. */
static void distributed(struct logp_latency latency, double (*cdf)(double))
{
    struct logp_delay inner, delay;
    struct logp_machine *m;
    struct drawn d = {{0}};
    double most = 0;

    cr_assert_eq(logp_delay_create("logp", &sharp, &inner), 0);
    latency.seed = 1;
    cr_assert_eq(logp_latency_create(&inner, &latency, &delay), 0);
    m = test_machine_of(2, LOGP_CLOCK_VIRTUAL, delay);
    test_run(m, draws, &d);
    qsort(d.at, DRAWS, sizeof(d.at[0]), by_time);
    for (int i = 0; i < DRAWS; i++)
        if (i + 1 == DRAWS || d.at[i] != d.at[i + 1])
            most = fmax(most, fabs((double)(i + 1) / DRAWS - cdf((double)d.at[i])));
    cr_assert_lt(most, 1.95 / sqrt(DRAWS), "kind %d: %g", (int)latency.kind, most);
}

Test(check_more, latencies_are_distributed_as_documented)
{
    distributed((struct logp_latency){.kind = LOGP_LATENCY_UNIFORM}, uniform);
    distributed((struct logp_latency){.kind = LOGP_LATENCY_EXPONENTIAL}, exponential);
    distributed((struct logp_latency){.kind = LOGP_LATENCY_LOGNORMAL, .sigma = 0.5}, lognormal);
}

Test(check_more, samples_are_read_and_drawn)
{
    char path[64];
    int64_t *samples;
    int n;
    FILE *file;

    snprintf(path, sizeof(path), "/tmp/logp-test-samples.%d", (int)getpid());
    file = fopen(path, "w");
    fputs("# ns\n10\n\n 300 # slow\n", file);
    fclose(file);
    cr_assert_eq(logp_latency_read(path, &samples, &n), 0);
    cr_assert_eq(n, 2);
    distributed(
        (struct logp_latency){.kind = LOGP_LATENCY_SAMPLES, .samples = samples, .n_samples = n},
        of_two);
    free(samples);
    file = fopen(path, "w");
    fputs("10\nten\n", file);
    fclose(file);
    cr_assert_eq(logp_latency_read(path, &samples, &n), -EINVAL);
    unlink(path);
    cr_assert_eq(logp_latency_read(path, &samples, &n), -ENOENT);
}

/* ---- sends that wait ---- */

static int64_t ended[2];

static int late_receiver(struct logp_vp *vp, void *arg)
{
    const int64_t late = *(int64_t *)arg;
    int rc;

    if (logp_vp_rank(vp) == 0) {
        rc = logp_send(vp, 1, 0, NULL, 0);
    } else {
        rc = logp_compute(vp, late, NULL, NULL);
        if (rc == 0)
            rc = logp_recv(vp, 0, 0, NULL, 0, NULL);
    }
    ended[logp_vp_rank(vp)] = logp_now(vp);
    return rc;
}

/* Request at o + L, answer L later, then gap and o, and L and o again. */
Test(check_more, a_send_that_waits_takes_as_long_as_documented)
{
    static const struct logp_params p = {.L_ns = 600, .o_send_ns = 20, .o_recv_ns = 30, .g_ns = 40};

    for (int64_t late = 0; late <= 2000; late += 100) {
        const int64_t posted = late > p.o_send_ns + p.L_ns ? late : p.o_send_ns + p.L_ns;
        const int64_t answered = posted + p.L_ns;
        struct logp_machine *m = test_machine(2, LOGP_CLOCK_VIRTUAL, &p);

        cr_assert_eq(logp_machine_set_rendezvous(m, 0), 0);
        test_run(m, late_receiver, &late);
        cr_assert_eq(ended[0], answered + p.o_send_ns);
        cr_assert_eq(ended[1], answered + p.o_send_ns + p.L_ns + p.o_recv_ns);
    }
}

/* What is recorded is the message alone, where it is sent, and the wait for its receiver. */
Test(check_more, a_trace_shows_a_send_that_waits_once)
{
    static const struct logp_params p = {.L_ns = 600, .o_send_ns = 20, .o_recv_ns = 30, .g_ns = 40};
    struct logp_machine *m = test_machine(2, LOGP_CLOCK_VIRTUAL, &p);
    const struct logp_trace_config config = {.size = sizeof(config)};
    struct logp_trace *trace;
    const struct logp_event *e;
    size_t n;

    cr_assert_eq(logp_machine_trace(m, &config), 0);
    cr_assert_eq(logp_machine_set_rendezvous(m, 0), 0);
    cr_assert_eq(logp_machine_run(m, late_receiver, &(int64_t){1000}, 0), 0);
    cr_assert_eq(logp_machine_take_trace(m, &trace), 0);
    cr_expect_eq(logp_trace_info(trace)->n_messages, 1);
    e = logp_trace_events(trace, 0, &n);
    cr_assert_eq(n, 2);
    cr_expect_eq(e[0].kind, LOGP_EVENT_IDLE);
    cr_expect_eq(e[0].end_ns, 1000 + p.L_ns);
    cr_expect_eq(e[1].kind, LOGP_EVENT_SEND);
    cr_expect_eq(e[1].start_ns, 1000 + p.L_ns);
    logp_trace_free(trace);
    cr_assert_eq(logp_machine_destroy(m), 0);
}
