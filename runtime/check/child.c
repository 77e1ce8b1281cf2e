/* SPDX-License-Identifier: MIT */
/* Runs in child processes, which may crash. A child has a copy of its parent's memory, and so its
 * program, and reports its last run in memory that both share. */
#define _GNU_SOURCE
#include "kit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 34)
#define HAS_FORK_ALONE
#endif
#endif

static const int64_t second = 1000000000;
static const int64_t pause_ns = 200000; /* between two looks at a child */

/* Without the functions of pthread_atfork(): they take locks that a crash may have left taken.
 * Since the stacks of the parent's threads are kept, the data registered there (liburcu) stays
 * valid, so machines can be made in the child. */
pid_t lpi_child_fork(void)
{
#ifdef HAS_FORK_ALONE
    return _Fork();
#else
    errno = ENOSYS;
    return -1;
#endif
}

bool lpi_child_await(pid_t child, int64_t end_ns, const _Atomic bool *alive, int64_t alive_ns)
{
    const struct timespec pause = {.tv_nsec = pause_ns};

    for (;;) {
        const pid_t ended = waitpid(child, NULL, WNOHANG);
        const int64_t now = lpi_kit_now();

        if (ended == child || (ended < 0 && errno != EINTR))
            return true;
        /* relaxed: no other data depends on it */
        if (now >= end_ns || (alive != NULL && now >= alive_ns &&
                              !atomic_load_explicit(alive, memory_order_relaxed)))
            break;
        nanosleep(&pause, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return false;
}

/* Async-signal-safe. text: NULL is possible */
static void copy(char to[LPI_CHILD_ASSERTED], const char *text)
{
    const size_t n = text != NULL ? strnlen(text, LPI_CHILD_ASSERTED - 1) : 0;

    if (n > 0)
        memcpy(to, text, n);
    to[n] = '\0';
}

/* The answers of the run, which are the child's last. If the observer is left behind, the job has
 * them. */
void lpi_child_give(struct lpi_isolated *to, const struct lpi_job *job, int rc)
{
    const struct lpi_observer *e = job->observer;
    const int n = e != NULL ? lpi_observer_count(e) : job->taken.n;

    if (n > LPI_CHILD_CHOICES)
        return;
    to->n = n;
    if (n > 0)
        memcpy(to->index, e != NULL ? e->taken : job->taken.index, (size_t)n * sizeof(*to->index));
    to->has_what = e != NULL && e->names;
    if (n > 0 && to->has_what)
        memcpy(to->what, e->what, (size_t)n * sizeof(*to->what));
    to->outcome = job->outcome;
    copy(to->file, job->outcome.asserted.file);
    copy(to->expression, job->outcome.asserted.expression);
    to->plan = job->plan;
    to->twice = job->twice;
    to->rc = rc;
    to->is_done = true;
}

/* Discard the program's output in a child. */
static void be_quiet(void)
{
    const int null = open("/dev/null", O_RDWR);

    if (null < 0)
        return;
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
}

struct lpi_isolated *lpi_child_new(void)
{
    void *at = mmap(NULL, sizeof(struct lpi_isolated), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

void lpi_child_free(struct lpi_isolated *shared)
{
    if (shared != NULL)
        munmap(shared, sizeof(*shared));
}

bool lpi_child_is_done(const struct lpi_isolated *from)
{
    return from->is_done;
}

uint64_t lpi_child_run(const struct lpi_isolated *from)
{
    return from->plan.run;
}

int lpi_child_take(struct lpi_isolated *from, struct lpi_job *job)
{
    const struct lpi_answers all = {
        .index = from->index, .n = from->n, .what = from->has_what ? from->what : NULL};
    struct lpi_twice *w = &job->twice;

    job->outcome = from->outcome;
    if (job->outcome.asserted.file != NULL)
        job->outcome.asserted.file = from->file;
    if (job->outcome.asserted.expression != NULL)
        job->outcome.asserted.expression = from->expression;
    job->plan = from->plan;
    w->differs = from->twice.differs;
    w->at = from->twice.at;
    w->first = from->twice.first;
    w->second = from->twice.second;
    w->has_first = from->twice.has_first;
    w->has_second = from->twice.has_second;
    return lpi_answers_copy(&job->taken, &all) ? from->rc : -ENOMEM;
}

int lpi_child_go(struct lpi_job *job, int (*go)(struct lpi_job *job))
{
    struct lpi_isolated *with = job->isolated;
    const int64_t now = lpi_kit_now();
    pid_t child;

    with->is_done = false;
    if (with->end_ns != 0 && now >= with->end_ns)
        return -ECANCELED;
    child = with->is_sound ? fork() : lpi_child_fork();
    if (child < 0)
        return -errno;
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        lpi_signals_in_child();
        be_quiet();
        lpi_child_give(with, job, go(job));
        _exit(EXIT_SUCCESS);
    }
    lpi_child_await(child, now + job->check.timeout_ns + LPI_SHRINK_S * second, NULL, 0);
    return with->is_done ? lpi_child_take(with, job) : -ECANCELED;
}
