/* SPDX-License-Identifier: MIT */
/*
 * Absences of a core: a helper takes the cores away for 3 ms, in a wait and in computing, and exactly
 * those rounds are marked.
 *
 * The helper notes when it did so. Only a round that contains all of that counts as disturbed by it. The host may take
 * a core away, too, for as long. So the rounds are tried again until the host has left those alone that the helper did not
 * disturb.
 */
#define _GNU_SOURCE
#include "support.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

enum {
    P = 2,
    ROUNDS = 4, /* the helper disturbs those with odd numbers */
    ENOUGH = 4, /* attempts in which the host left the other rounds alone, out of these: */
    ATTEMPTS = 200,
    LONG_NS = 10000000,
    SHORT_NS = 500000, /* left alone on most hosts */
    AWAY_NS = 3000000,
    MARK_NS = 2500000,
};

/* What the helper and the program share. */
struct helper {
    atomic_int wanted, done;     /* how often */
    _Atomic int64_t from, until; /* the last time, by the host's clock */
    pthread_t carrier;           /* of the last rank */
    atomic_int threads[P];       /* those of all ranks, by their numbers */
    void (*disturb)(struct helper *h);
    pid_t process;
    pthread_t thread;
};

static struct helper *helper;

static int64_t host_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool has_stopped(int thread)
{
    char path[64], line[512] = "";
    const char *end;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)getppid(), thread);
    f = fopen(path, "r");
    if (f == NULL || fgets(line, sizeof(line), f) == NULL)
        _exit(1);
    fclose(f);
    end = strrchr(line, ')'); /* the name of the thread may have blanks */
    return end != NULL && end[2] == 'T';
}

static void stop_process(struct helper *h)
{
    h->from = host_ns();
    kill(getppid(), SIGSTOP);
    for (int i = 0; i < P; i++)
        while (!has_stopped(h->threads[i]))
            usleep(100);
    usleep(AWAY_NS / 1000);
    kill(getppid(), SIGCONT);
    h->until = host_ns();
    h->done++;
}

static void spin_in_handler(int signal)
{
    helper->from = host_ns();
    do
        helper->until = host_ns();
    while (helper->until < helper->from + AWAY_NS);
    helper->done++;
}

static void spin_in_carrier(struct helper *h)
{
    const int done = h->done;

    pthread_kill(h->carrier, SIGUSR1);
    while (h->done == done)
        usleep(100);
}

static void *help(void *arg)
{
    struct helper *h = arg;
    int wanted;

    while ((wanted = h->wanted) >= 0) {
        usleep(100);
        if (wanted > h->done) {
            usleep(500);
            h->disturb(h);
        }
    }
    return NULL;
}

/* A process that stops this one, or a thread that interrupts one of its carriers. */
static void begin_help(void (*disturb)(struct helper *h))
{
    helper = mmap(NULL, sizeof(*helper), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(helper != MAP_FAILED);
    helper->disturb = disturb;
    if (disturb == spin_in_carrier) {
        signal(SIGUSR1, spin_in_handler);
        cr_assert_eq(pthread_create(&helper->thread, NULL, help, helper), 0);
        return;
    }
    helper->process = fork();
    cr_assert(helper->process >= 0);
    if (helper->process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        help(helper);
        _exit(0);
    }
}

static void end_help(void)
{
    helper->wanted = -1;
    if (helper->process > 0)
        waitpid(helper->process, NULL, 0);
    else
        pthread_join(helper->thread, NULL);
    munmap(helper, sizeof(*helper));
}

/* ---- what the processors do in a round ---- */

static int wait_for_time(struct logp_vp *vp, int64_t ns)
{
    return logp_compute(vp, ns, NULL, NULL);
}

static int compute(struct logp_vp *vp, int64_t ns)
{
    const int64_t begun = host_ns();

    while (host_ns() - begun < ns)
        ;
    return 0;
}

static int wait_for_message(struct logp_vp *vp, int64_t ns)
{
    if (logp_vp_rank(vp) == P - 1)
        return logp_recv(vp, 0, 0, NULL, 0, NULL);
    OK(logp_compute(vp, ns, NULL, NULL));
    return logp_send(vp, P - 1, 0, NULL, 0);
}

/* ---- rounds ---- */

struct rounds {
    int (*work)(struct logp_vp *vp, int64_t ns);
    bool is_disturbed[ROUNDS]; /* by the helper, from its beginning to its end */
    int64_t absence_ns[ROUNDS];
};

/* Rank 0, when all have ended round i, which lasted from `begun`. */
static void judge(struct rounds *r, int i, int64_t begun, int64_t absence_ns)
{
    const int64_t ended = host_ns();

    r->absence_ns[i] = absence_ns;
    while (helper->done < helper->wanted)
        usleep(100);
    r->is_disturbed[i] = i % 2 == 1 && helper->from > begun && helper->until < ended;
}

static int do_rounds(struct logp_vp *vp, void *arg)
{
    struct rounds *r = arg;
    const int me = logp_vp_rank(vp);

    helper->threads[me] = (int)syscall(SYS_gettid);
    if (me == P - 1)
        helper->carrier = pthread_self();
    for (int i = 0; i < ROUNDS; i++) {
        int64_t begun;

        OK(logp_sync(vp, NULL));
        begun = host_ns();
        if (me == 0 && i % 2 == 1)
            helper->wanted++;
        OK(r->work(vp, i % 2 == 1 ? LONG_NS : SHORT_NS));
        OK(logp_sync(vp, NULL));
        if (me == 0)
            judge(r, i, begun, logp_absence(vp));
        OK(logp_sync(vp, NULL));
    }
    return 0;
}

/* Whether the helper has disturbed all rounds that it should have, and the host no other. *missed: one was not
 * marked */
static bool is_told_apart(const struct rounds *r, int *missed)
{
    bool all = true;

    for (int i = 0; i < ROUNDS; i++) {
        const bool is_marked = r->absence_ns[i] >= MARK_NS;

        *missed += r->is_disturbed[i] && !is_marked;
        all &= r->is_disturbed[i] == (i % 2 == 1) && is_marked == r->is_disturbed[i];
    }
    return all;
}

static void tell_apart(int (*work)(struct logp_vp *vp, int64_t ns),
                       void (*disturb)(struct helper *h), bool is_delayed)
{
    struct logp_machine *m;
    int n = 0, missed = 0;

    begin_help(disturb);
    m = test_machine_with((struct logp_config){.n_processors = P, .delay = logp_delay_none()},
                          is_delayed ? &test_6us : NULL);
    for (int i = 0; i < ATTEMPTS && n < ENOUGH; i++) {
        struct rounds r = {.work = work};

        cr_assert_eq(logp_machine_run(m, do_rounds, &r, test_timeout_ns), 0);
        n += is_told_apart(&r, &missed);
        for (int k = 0; k < ROUNDS; k++)
            cr_expect(logp_machine_report(m)->absence_ns >= r.absence_ns[k]);
    }
    cr_expect_eq(n, ENOUGH, "%d of %d attempts", n, ATTEMPTS);
    /* a handler may come between the end of a wait and the next one, in which no clock is read */
    cr_expect(missed <= (disturb == spin_in_carrier), "%d not marked", missed);
    cr_assert_eq(logp_machine_destroy(m), 0);
    end_help();
}

Test(absence, a_stop_in_a_wait_is_seen)
{
    tell_apart(wait_for_time, stop_process, true);
}

Test(absence, a_stop_in_a_wait_for_a_message_is_seen)
{
    tell_apart(wait_for_message, stop_process, true);
}

Test(absence, a_stop_in_computing_is_seen)
{
    tell_apart(compute, stop_process, true);
}

Test(absence, a_stop_in_computing_is_seen_without_delays)
{
    tell_apart(compute, stop_process, false);
}

Test(absence, a_signal_handler_in_a_wait_is_seen)
{
    tell_apart(wait_for_time, spin_in_carrier, true);
}

Test(absence, a_signal_handler_in_a_wait_for_a_message_is_seen)
{
    tell_apart(wait_for_message, spin_in_carrier, true);
}
