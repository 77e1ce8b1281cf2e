/* SPDX-License-Identifier: MIT */
/*
 * An exhaustive check by several processes counts what one counts, and finds the same failure. The
 * numbers of executions are counted by hand; where they are 0 here, one process has counted them.
 */
#include "support.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- programs ---- */

static int receive(struct logp_vp *vp, int n)
{
    int x, rc = 0;

    for (int i = 0; rc == 0 && i < n; i++)
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, &x, sizeof(x), NULL);
    return rc;
}

/* Ten bits. */
static int draw(struct logp_vp *vp, int *bits)
{
    *bits = 0;
    for (int i = 0; i < 10; i++) {
        const int bit = logp_choose(vp, 2);

        if (bit < 0)
            return bit;
        *bits = 2 * *bits + bit;
    }
    return 0;
}

static int choices(struct logp_vp *vp, void *arg)
{
    int bits;

    return draw(vp, &bits);
}

static int odd_ones_are_long(struct logp_vp *vp, void *arg)
{
    int bits, rc = draw(vp, &bits);

    for (int i = 0; rc == 0 && bits % 2 == 1 && i < 50; i++)
        rc = logp_yield(vp);
    return rc;
}

/* P! orders, of which the first run wants one more at each step. */
static int touches(struct logp_vp *vp, void *arg)
{
    return logp_shared_touch(vp, 1);
}

/* (P-1)! orders at each of P. */
static int all_to_all(struct logp_vp *vp, void *arg)
{
    int x = 0, rc = 0;

    for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++)
        rc = logp_send(vp, test_right(vp, i), 0, &x, sizeof(x));
    return rc == 0 ? receive(vp, logp_vp_size(vp) - 1) : rc;
}

/* The receives of rank 0 are posted: its P-1 senders, of two messages each, in any order. */
static int posted(struct logp_vp *vp, void *arg)
{
    enum { MOST = 8 };
    struct logp_request *r[MOST];
    const int n = 2 * (logp_vp_size(vp) - 1);
    int x[MOST] = {0}, rc = 0;

    if (logp_vp_rank(vp) > 0) {
        for (int i = 0; rc == 0 && i < 2; i++)
            rc = logp_send(vp, 0, 0, x, sizeof(*x));
        return rc;
    }
    for (int i = 0; rc == 0 && i < n; i++)
        rc = logp_irecv(vp, LOGP_ANY_SOURCE, 0, &x[i], sizeof(*x), &r[i]);
    for (int i = 0; rc == 0 && i < n; i++)
        rc = logp_wait(vp, r[i], NULL);
    return rc;
}

/* Tests of a request, which a receive follows and perhaps a cancel precedes. */
static int requests(struct logp_vp *vp, void *arg)
{
    struct logp_request *r, *sent[2];
    const int n = logp_vp_size(vp) - 1;
    bool done = false;
    int x = 0, y = 0, rc = 0;

    for (int i = 0; rc == 0 && i < n; i++)
        rc = logp_isend(vp, test_right(vp, i + 1), 0, &x, sizeof(x), &sent[i]);
    if (rc == 0)
        rc = logp_irecv(vp, LOGP_ANY_SOURCE, 0, &y, sizeof(y), &r);
    for (int i = 0; rc == 0 && !done && i < 2; i++)
        rc = logp_test(vp, r, &done, NULL);
    if (rc == 0 && !done) {
        rc = logp_cancel(vp, r);
        done = rc == -EINPROGRESS;
        rc = done ? logp_wait(vp, r, NULL) : rc;
    }
    if (rc == 0)
        rc = receive(vp, done ? n - 1 : n);
    for (int i = 0; rc == 0 && i < n; i++)
        rc = logp_wait(vp, sent[i], NULL);
    return rc;
}

/* Rank 0 asks again what may be lost, until it has an answer. */
static int asks_again(struct logp_vp *vp, void *arg)
{
    int x = 0, rc = 0;

    if (logp_vp_rank(vp) > 0) {
        do
            rc = logp_recv_until(vp, 0, LOGP_ANY_TAG, &x, sizeof(x), logp_now(vp) + 1000, NULL);
        while (rc == 0 && logp_send(vp, 0, 0, &x, sizeof(x)) == 0);
        return rc == -ETIME ? 0 : rc;
    }
    for (int i = 0; rc == 0 && i < 2; i++) {
        for (int k = 1; rc == 0 && k < logp_vp_size(vp); k++)
            rc = logp_send(vp, k, i, &x, sizeof(x));
        if (rc == 0)
            rc = logp_recv_until(vp, LOGP_ANY_SOURCE, 0, &x, sizeof(x), logp_now(vp) + 1000, NULL);
        rc = rc == -ETIME ? 0 : rc;
    }
    return rc;
}

/* ---- comparing ---- */

static void compare(const char *what, int cores, const struct logp_checked *a,
                    const struct logp_checked *b)
{
    cr_assert_str_eq(a->text, b->text, "%s, %d cores: %s\n%s", what, cores, a->text, b->text);
    cr_assert(a->runs == b->runs && a->executions == b->executions && a->complete == b->complete &&
                  a->choices == b->choices && a->cut == b->cut && a->n_by_size == b->n_by_size,
              "%s: %llu runs, of %d cores %llu", what, (unsigned long long)a->runs, cores,
              (unsigned long long)b->runs);
    for (int i = 0; i < a->n_by_size; i++) {
        const struct logp_checked_size *x = &a->by_size[i], *y = &b->by_size[i];

        cr_assert(x->P == y->P && x->runs == y->runs && x->outcomes == y->outcomes &&
                      x->last_new == y->last_new,
                  "%s, P = %d: %llu outcomes, of %d cores %llu", what, x->P,
                  (unsigned long long)x->outcomes, cores, (unsigned long long)y->outcomes);
    }
}

/* One process, two and three. @return what one has done */
static struct logp_checked check_all(const char *what, logp_program program, void *arg,
                                     struct logp_check check, int rc)
{
    struct logp_check one;
    TEST_FAILURE f = {.text = NULL};

    check.size = sizeof(check);
    check.strategy = LOGP_STRATEGY_EXHAUSTIVE;
    one = check;
    cr_assert_eq(logp_check(program, arg, &one, &f), rc, "%s: %s", what, f.text);
    for (check.cores = 2; check.cores <= 3; check.cores++) {
        TEST_FAILURE g = {.text = NULL};

        cr_assert_eq(logp_check(program, arg, &check, &g), rc, "%s: %s", what, g.text);
        compare(what, check.cores, &one.checked, &check.checked);
        cr_assert_str_eq(f.text, g.text);
        cr_assert(f.n_deviations == g.n_deviations);
        if (rc != 0)
            cr_assert_str_eq(f.replay, g.replay);
    }
    return one.checked;
}

/* ---- what is right ---- */

static const struct row {
    const char *what;
    logp_program program;
    int P;
    uint64_t executions; /* 0: by one process alone */
    struct logp_check check;
} rows[] = {
    {"choices", choices, 1, 1 << 10, {0}},
    {"touches", touches, 7, 5040, {0}},
    {"all_to_all", all_to_all, 4, 6 * 6 * 6 * 6, {0}},
    {"posted", posted, 5, 2520, {0}},
    {"posted, synchronous", posted, 4, 90, {.sends = LOGP_SENDS_SYNCHRONOUS}},
    {"requests", requests, 3, 0, {0}},
    {"requests, synchronous", requests, 3, 0, {.sends = LOGP_SENDS_SYNCHRONOUS}},
    {"lost", asks_again, 2, 0, {.most_faults = {.lost = 2}, .leaves_messages = true}},
    {"doubled", asks_again, 2, 0, {.most_faults = {.doubled = 1}, .leaves_messages = true}},
    {"crashes", asks_again, 3, 0, {.most_faults = {.crashes = 1}, .leaves_messages = true}},
    {"restarts", asks_again, 2, 0, {.most_faults = {.restarts = 1}, .leaves_messages = true}},
    {"of the first choices", all_to_all, 4, 0, {.depth = 5}},
    {"some are cut", odd_ones_are_long, 1, 0, {.most_steps = 30}},
};

Test(explore_cores, count_the_same)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i];
        struct logp_check check = row->check;
        struct logp_checked all;

        check.sizes = &row->P;
        check.n_sizes = 1;
        all = check_all(row->what, row->program, NULL, check, 0);
        if (row->executions > 0)
            cr_assert(all.complete && all.executions == row->executions, "%s: %s", row->what,
                      all.text);
        else
            cr_assert_gt(all.runs, 16, "%s: %s, all by the first process", row->what, all.text);
    }
}

Test(explore_cores, count_the_same_of_each_size)
{
    const struct logp_checked all = check_all(
        "sizes", all_to_all, NULL, (struct logp_check){.sizes = (int[]){2, 4, 3}, .n_sizes = 3}, 0);

    cr_assert(all.complete);
    cr_assert_eq(all.executions, 1 + 1296 + 8);
}

/* The runs that one process makes first. */
Test(explore_cores, end_at_the_same_run)
{
    for (uint64_t runs = 1; runs <= 1024; runs += runs < 20 ? 1 : 251) {
        const struct logp_checked all =
            check_all("limit", choices, NULL,
                      (struct logp_check){.sizes = (int[]){1}, .n_sizes = 1, .runs = runs}, 0);

        cr_assert_eq(all.executions, runs);
        cr_assert_eq(all.complete, runs == 1024, "%s", all.text);
    }
}

/* Which runs these are is open. */
Test(explore_cores, end_in_time)
{
    struct logp_check check = {.size = sizeof(check),
                               .sizes = (int[]){1, 12},
                               .n_sizes = 2,
                               .strategy = LOGP_STRATEGY_EXHAUSTIVE,
                               .time_ns = 200000000,
                               .runs = UINT64_MAX,
                               .cores = 2};

    cr_assert_eq(logp_check(touches, NULL, &check, NULL), 0);
    cr_assert(!check.checked.complete);
    cr_assert_gt(check.checked.by_size[1].runs, 16);
    cr_assert_eq(check.checked.by_size[1].runs, check.checked.by_size[1].outcomes);
    cr_assert_eq(check.checked.executions, check.checked.runs);
}

/* ---- failures ---- */

/* Run 503 is the first of many that fail. */
static int fails(struct logp_vp *vp, void *arg)
{
    int bits, rc = draw(vp, &bits);

    if (rc == 0)
        LOGP_CHECK(vp, bits % 8 != 7 || bits < 500);
    return rc;
}

static int ends_with_an_order(struct logp_vp *vp, void *arg)
{
    int x = 0, first = 0, rc = 0;

    if (logp_vp_rank(vp) > 0)
        return logp_send(vp, 0, 0, (x = logp_vp_rank(vp), &x), sizeof(x));
    for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++) {
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, &x, sizeof(x), NULL);
        first = i == 1 ? x : first;
    }
    return rc == 0 && first == 3 && x == 1 ? -EDOM : rc;
}

Test(explore_cores, find_the_same_failure)
{
    const struct logp_check check = {.sizes = (int[]){1}, .n_sizes = 1};
    struct logp_check found = check, end = check, order = check;

    found.as_found = true;
    end.must_end = true;
    end.most_steps = 30;
    order.sizes = (int[]){3, 6};
    order.n_sizes = 2;
    check_all("fails", fails, NULL, check, -EPROTO);
    cr_assert_eq(check_all("fails, as found", fails, NULL, found, -EPROTO).runs, 504);
    check_all("cut", odd_ones_are_long, NULL, end, -ELOOP);
    check_all("order", ends_with_an_order, NULL, order, -EDOM);
}

/* What a run does that the first process does not make: number 700. */
enum { ABORTS, IS_KILLED, LEAVES_A_PROCESS, HANGS };
struct deed {
    int what;
    pid_t first;
    atomic_bool *is_over; /* the check; all processes have this */
};

static int does_it_late(struct logp_vp *vp, void *arg)
{
    const struct deed *d = arg;
    int bits, rc = draw(vp, &bits);

    if (rc != 0 || bits != 700)
        return rc;
    if (d->what == ABORTS)
        abort();
    if (d->what == LEAVES_A_PROCESS && getpid() != d->first && fork() == 0) {
        while (!atomic_load(d->is_over))
            sched_yield();
        _exit(EXIT_SUCCESS);
    }
    while (getpid() != d->first)
        if (d->what != HANGS)
            kill(getpid(), SIGKILL);
    return 0;
}

static int check_deed(int what, int cores, struct logp_failure *f)
{
    struct deed d = {.what = what, .first = getpid()};
    int rc;
    struct logp_check check = {.size = sizeof(check),
                               .sizes = (int[]){1},
                               .n_sizes = 1,
                               .strategy = LOGP_STRATEGY_EXHAUSTIVE,
                               .timeout_ns = what == HANGS ? 500000000 : 0,
                               .as_found = true,
                               .cores = cores};

    d.is_over =
        mmap(NULL, sizeof(*d.is_over), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(d.is_over != MAP_FAILED);
    rc = logp_check(does_it_late, &d, &check, f);
    atomic_store(d.is_over, true);
    munmap(d.is_over, sizeof(*d.is_over));
    return rc;
}

/* @return what it has printed */
static char *crash(int cores, char *text, size_t size)
{
    int fds[2], status, n = 0;
    pid_t child;

    cr_assert_eq(pipe(fds), 0);
    child = fork();
    if (child == 0) {
        dup2(fds[1], STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        check_deed(ABORTS, cores, NULL);
        _exit(EXIT_SUCCESS);
    }
    close(fds[1]);
    for (ssize_t k = 1; k > 0; n += (int)k)
        k = read(fds[0], text + n, size - 1 - (size_t)n);
    text[n] = '\0';
    close(fds[0]);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "%d", status);
    return text;
}

Test(explore_cores, end_by_the_same_crash)
{
    char one[4096], many[4096];

    crash(1, one, sizeof(one));
    cr_assert(strstr(one, "rank 0 crashed (SIGABRT)\n") != NULL &&
                  strstr(one, "\nrun 701, ") != NULL,
              "%s", one);
    for (int cores = 2; cores <= 3; cores++)
        cr_assert_str_eq(crash(cores, many, sizeof(many)), one);
}

Test(explore_cores, notice_that_one_is_killed)
{
    for (int what = IS_KILLED; what <= LEAVES_A_PROCESS; what++) {
        TEST_FAILURE f = {.text = NULL};

        cr_assert_eq(check_deed(what, 2, &f), -ECHILD);
        cr_assert(strstr(f.text, "a process of the check was killed") != NULL, "%s", f.text);
    }
}

Test(explore_cores, name_a_run_that_hangs)
{
    TEST_FAILURE f = {.text = NULL};

    cr_assert_eq(check_deed(HANGS, 2, &f), -ETIMEDOUT);
    cr_assert_eq(f.kind, LOGP_FAILURE_TIMEOUT);
    cr_assert_eq(f.run, 700);
    cr_assert_eq(f.n_choices, 10);
}
