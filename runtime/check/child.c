/* SPDX-License-Identifier: MIT */
/*
 * A run that has ended the process is made smaller in child processes. The process that is about to
 * end makes one (_Fork() is async-signal-safe), which has its memory, and so its program. On a
 * thread of its own this child does what lpi_shrink() does, but makes each run, or search, in
 * another child, which may crash. If it does not come to an end, because the crash has left a lock
 * behind, it is killed, and the replay stays as it was found.
 */
#define _GNU_SOURCE
#include "kit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 34)
#define HAS_FORK_ALONE
#endif
#endif

enum { MOST_CHOICES = LPI_CHILD_CHOICES, MOST_TEXT = 1 << 15 };
static const int64_t second = 1000000000;
static const int64_t pause_ns = 200000;         /* between two looks at a child */
static const int64_t start_ns = 3000000000;     /* in which the child must begin */
static const int64_t shrink_ns = 8000000000;    /* of its work */
static const int64_t patience_ns = 20000000000; /* with all of it */

/* What a child tells its parent. */
struct lpi_isolated {
    _Atomic bool alive; /* the first child works */
    int64_t end_ns;     /* of the host's clock: no more runs after it; 0: none */
    bool is_done;       /* all below is of the last run, or search */
    bool has_what;
    int rc, n;
    struct lpi_outcome outcome;
    struct lpi_plan plan;
    struct lpi_twice twice; /* without its points */
    char text[MOST_TEXT];   /* of a crash with a story */
    int index[MOST_CHOICES];
    uint64_t what[MOST_CHOICES];
};

/* Without the functions of pthread_atfork(): they take locks that a crash may have left taken. Since
 * the stacks of the parent's threads are kept, what is registered there (liburcu) stays valid, so
 * machines can be made in the child. @return as fork(); -1, too, if the C library has no _Fork() */
static pid_t fork_alone(void)
{
#ifdef HAS_FORK_ALONE
    return _Fork();
#else
    errno = ENOSYS;
    return -1;
#endif
}

/* @return has the child ended? If not, it is killed */
static bool await(pid_t child, int64_t end_ns, const _Atomic bool *alive, int64_t alive_ns)
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

/* ---- a run, or a search, in a child ---- */

/* The answers of the run, which are the child's last. If the observer is left behind, the job has
 * them. */
void lpi_child_give(struct lpi_isolated *to, const struct lpi_job *job, int rc)
{
    const struct lpi_observer *e = job->observer;
    const int n = e != NULL ? lpi_observer_count(e) : job->taken.n;

    if (n > MOST_CHOICES)
        return;
    to->n = n;
    if (n > 0)
        memcpy(to->index, e != NULL ? e->taken : job->taken.index, (size_t)n * sizeof(*to->index));
    to->has_what = e != NULL && e->names;
    if (n > 0 && to->has_what)
        memcpy(to->what, e->what, (size_t)n * sizeof(*to->what));
    to->outcome = job->outcome;
    to->plan = job->plan;
    to->twice = job->twice;
    to->rc = rc;
    to->is_done = true;
}

/* In a handler; but this process has nothing to lose. */
void lpi_child_crashed(struct lpi_observer *e, const struct lpi_outcome *outcome)
{
    struct lpi_job *job = e->job;
    struct lpi_isolated *to = job->isolated;
    struct logp_failure failure;

    job->outcome = *outcome;
    lpi_cores_crashed(job);
    lpi_child_give(to, job, 0);
    lpi_explorer_crashed(job);
    if (job->story != NULL && lpi_observer_taken(e, &job->taken) && lpi_tell(job, &failure) == 0)
        snprintf(to->text, sizeof(to->text), "%s", failure.text);
    syscall(SYS_exit_group, EXIT_SUCCESS); /* _exit() on a vp may be the program's own function */
    __builtin_unreachable();
}

/* What the program prints in a child is of no use. */
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
    child = fork_alone();
    if (child < 0)
        return -errno;
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        lpi_signals_in_child();
        be_quiet();
        lpi_child_give(with, job, go(job));
        _exit(EXIT_SUCCESS);
    }
    await(child, now + job->check.timeout_ns + shrink_ns, NULL, 0);
    return with->is_done ? lpi_child_take(with, job) : -ECANCELED;
}

/* ---- the first child ---- */

struct work {
    const struct lpi_observer *e; /* of the crash; its job and its threads are not used */
    const struct lpi_outcome *outcome;
    const char *path; /* of the replay file; "": none; NULL: do not make it smaller */
    struct lpi_isolated *with;
};

static struct lpi_job *take_job(const struct work *w)
{
    struct lpi_job *job = calloc(1, sizeof(*job));
    const struct lpi_job *from = w->e->job;
    const struct lpi_answers taken = {.index = w->e->taken, .n = lpi_observer_count(w->e)};

    if (job == NULL || !lpi_answers_copy(&job->taken, &taken))
        return NULL;
    job->program = from->program;
    job->arg = from->arg;
    job->is_search = from->is_search;
    job->check = from->check;
    job->check.twice_every = -1;
    job->check.cores = 1;
    if (job->check.timeout_ns > second)
        job->check.timeout_ns = second;
    job->plan = from->plan;
    job->most = from->check.runs;
    job->outcome = *w->outcome;
    job->origin = from->ready.origin;
    job->ready.keeps = true;
    job->isolated = w->with;
    return job;
}

/* The failure once more, with its story. @return its text; NULL: it does not recur */
static const char *describe(struct lpi_job *job)
{
    const struct lpi_plan plan = job->plan;
    const struct lpi_outcome outcome = job->outcome;
    struct lpi_answers answers = {0};
    struct lpi_story *story = lpi_story_new(plan.P);
    bool same;

    job->isolated->end_ns = 0;
    same = story != NULL && lpi_answers_copy(&answers, &job->taken) &&
           lpi_job_again(job, &plan, &answers, story) == 0 && lpi_job_same(&job->outcome, &outcome);
    lpi_story_free(story);
    lpi_answers_free(&answers);
    job->story = NULL;
    return same ? job->isolated->text : NULL;
}

/* Replace the file: it is whole at any time. */
static void write_smaller(const struct lpi_job *job, const char *path)
{
    struct lpi_text t = {0}, beside = {0};
    FILE *f;

    lpi_replay_write(&t, job);
    lpi_text_add(&beside, "%s.smaller", path);
    f = t.failed || beside.failed ? NULL : fopen(beside.s, "we");
    if (f == NULL)
        return;
    fputs(t.s, f);
    if (fclose(f) != 0 || rename(beside.s, path) != 0)
        unlink(beside.s);
}

static _Noreturn void end(const char *heading, const char *text)
{
    const bool good = write(STDERR_FILENO, heading, strlen(heading)) > 0 &&
                      write(STDERR_FILENO, text, strlen(text)) >= 0;

    _exit(good ? EXIT_SUCCESS : EXIT_FAILURE);
}

static void *work(void *arg)
{
    const struct work *w = arg;
    struct lpi_job *job = take_job(w);
    const char *text;

    if (job == NULL)
        _exit(EXIT_FAILURE);
    lpi_signals_in_child();
    atomic_store_explicit(&w->with->alive, true, memory_order_relaxed); /* as in await() */
    if (describe(job) == NULL)
        end("The same choices did not end a child process: the program depends on something else, "
            "as time(),\nrand(), addresses, threads, or state kept from run to run.\n",
            "");
    if (w->path == NULL)
        _exit(EXIT_SUCCESS);
    w->with->end_ns = lpi_kit_now() + shrink_ns;
    lpi_shrink(job);
    text = describe(job);
    if (text == NULL)
        _exit(EXIT_FAILURE);
    if (*w->path != '\0')
        write_smaller(job, w->path);
    end("made smaller:\n", text);
}

const char *lpi_child_tell(const struct lpi_observer *e, const struct lpi_outcome *outcome,
                           const char *path)
{
    const int64_t now = lpi_kit_now();
    struct work w = {.e = e, .outcome = outcome, .path = path};
    pthread_t thread;
    pid_t child;

    if (lpi_observer_count(e) > MOST_CHOICES)
        return "";
    w.with = lpi_child_new();
    if (w.with == NULL)
        return "";
    child = fork_alone();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (pthread_create(&thread, NULL, work, &w) != 0)
            _exit(EXIT_FAILURE);
        for (;;)
            pause();
    }
    if (child > 0)
        await(child, now + patience_ns, &w.with->alive, now + start_ns);
    return w.with->text;
}
