/* SPDX-License-Identifier: MIT */
/*
 * A run that has ended the process is made smaller in child processes. The process that is about to
 * end makes one (_Fork() is async-signal-safe), which has its memory, and so its program. On a
 * thread of its own this child does what lpi_shrink() does, but makes each run, or search, in
 * another child (child.c), which may crash. If it does not come to an end, because the crash has left a
 * lock behind, it is killed, and the replay stays as it was found.
 */
#define _GNU_SOURCE
#include "kit.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const int64_t second = 1000000000;
static const int64_t start_ns = 3000000000;     /* in which the child must begin */
static const int64_t patience_ns = 20000000000; /* with all of it */

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
           lpi_job_again(job, &plan, &answers, story) == 0 &&
           lpi_same_outcome(&job->outcome, &outcome);
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

/* The file has no name: fresh.c. */
static void write_here(const struct lpi_job *job, const char *path)
{
    struct lpi_text t = {0};
    FILE *f = fopen(path, "we");

    lpi_replay_write(&t, job);
    if (f != NULL && !t.failed)
        fputs(t.s, f);
    if (f != NULL)
        fclose(f);
    free(t.s);
}

const char *lpi_crash_smaller(struct lpi_job *job, const char *path)
{
    const char *text;

    job->check.twice_every = -1;
    job->check.cores = 1;
    job->ready.keeps = true;
    job->isolated = lpi_child_new();
    if (job->isolated == NULL)
        return NULL;
    job->isolated->is_sound = true;
    if (describe(job) == NULL)
        return NULL;
    job->isolated->end_ns = lpi_kit_now() + LPI_SHRINK_S * second;
    lpi_shrink(job);
    job->isolated->end_ns = lpi_kit_now() + LPI_SMALLEST_S * second;
    lpi_smallest(job, job->plan.run + 1);
    text = describe(job);
    if (text != NULL)
        write_here(job, path);
    return text;
}

static _Noreturn void end(const char *heading, const char *text)
{
    const bool good = write(STDERR_FILENO, heading, strlen(heading)) > 0 &&
                      write(STDERR_FILENO, text, strlen(text)) >= 0;

    _exit(good ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* The same choices do not fail here. If that is of state kept from run to run, a replay does not fail either,
 * but the search does. */
static _Noreturn void end_otherwise(const struct work *w)
{
    const struct lpi_job *job = w->e->job;
    char search[160] = "";

    if (w->path != NULL && *job->again == '\0')
        snprintf(search, sizeof(search),
                 "LOGP_CHECK_SEED=%" PRIu64 " LOGP_CHECK_RUNS=%" PRIu64
                 " in the environment makes the runs before it, too.\n",
                 job->check.seed, job->plan.run + 1);
    end("The same choices did not end a child process: the program depends on something else, "
        "as time(),\nrand(), addresses, threads, or state kept from run to run.\n",
        search);
}

static void *work(void *arg)
{
    const struct work *w = arg;
    struct lpi_job *job = take_job(w);
    const char *text;

    if (job == NULL)
        _exit(EXIT_FAILURE);
    lpi_signals_in_child();
    atomic_store_explicit(&w->with->alive, true,
                          memory_order_relaxed); /* as in lpi_child_await() */
    if (describe(job) == NULL)
        end_otherwise(w);
    if (w->path == NULL)
        _exit(EXIT_SUCCESS);
    w->with->end_ns = lpi_kit_now() + LPI_SHRINK_S * second;
    lpi_shrink(job);
    job->isolated->end_ns = lpi_kit_now() + LPI_SMALLEST_S * second;
    lpi_smallest(job, job->plan.run + 1);
    text = describe(job);
    if (text == NULL)
        _exit(EXIT_FAILURE);
    if (*w->path != '\0')
        write_smaller(job, w->path);
    end("made smaller:\n", text);
}

const char *lpi_crash_again(const struct lpi_observer *e, const struct lpi_outcome *outcome,
                            const char *path)
{
    const int64_t now = lpi_kit_now();
    struct work w = {.e = e, .outcome = outcome, .path = path};
    pthread_t thread;
    pid_t child;

    if (lpi_observer_count(e) > LPI_CHILD_CHOICES)
        return "";
    w.with = lpi_child_new();
    if (w.with == NULL)
        return "";
    child = lpi_child_fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (pthread_create(&thread, NULL, work, &w) != 0)
            _exit(EXIT_FAILURE);
        for (;;)
            pause();
    }
    if (child > 0)
        lpi_child_await(child, now + patience_ns, &w.with->alive, now + start_ns);
    return w.with->text;
}
