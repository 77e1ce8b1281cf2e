/* SPDX-License-Identifier: MIT */
/*
 * A run that ends the process leaves its replay file and a report on stderr. Both are written by a
 * signal handler, so by async-signal-safe calls alone. The data that they need is prepared before
 * the run (ready.c).
 */
#define _GNU_SOURCE
#include "kit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the replay ---- */

/* The items that differ from run to run. */
static const char *const varying[] = {"processors", "run",   "seed",    "failed",
                                      "vary",       "sends", "choices", "end"};

static bool varies(const char *item)
{
    const size_t n = strcspn(item, " \n");

    for (size_t i = 0; i < sizeof(varying) / sizeof(varying[0]); i++)
        if (strlen(varying[i]) == n && strncmp(varying[i], item, n) == 0)
            return true;
    return false;
}

/* As lpi_replay_write(). */
static void put_replay(struct lpi_line *l, const struct lpi_observer *e,
                       enum logp_failure_kind kind, int error)
{
    const struct lpi_plan *p = &e->job->plan;
    const int n = lpi_observer_count(e);

    for (const char *at = e->job->ready.replay, *end; *at != '\0'; at = end) {
        end = at + strcspn(at, "\n");
        end += *end == '\n';
        if (!varies(at))
            lpi_put_bytes(l, at, (size_t)(end - at));
    }
    lpi_put_number(l, "processors ", (uint64_t)p->P);
    lpi_put_number(l, "\nrun ", p->run);
    lpi_put_number(l, "\nseed ", p->seed);
    lpi_put(l, "\nfailed ");
    lpi_put(l, lpi_failure_names[kind]);
    lpi_put_number(l, " ", (uint64_t)error);
    lpi_put(l, "\nvary");
    lpi_put(l, p->untimed ? " untimed" : "");
    lpi_put(l, p->late ? " late" : "");
    lpi_put(l, p->order ? " order" : "");
    lpi_put(l, p->messages ? " messages" : "");
    if (p->network.rendezvous_from > 0)
        lpi_put_number(l, "\nsends ", (uint64_t)p->network.rendezvous_from - 1);
    lpi_put_number(l, "\nchoices ", (uint64_t)n);
    for (int i = 0; i < n; i++)
        if (e->taken[i] != 0) {
            lpi_put_number(l, " ", (uint64_t)i);
            lpi_put_number(l, "=", (uint64_t)e->taken[i]);
        }
    lpi_put(l, "\nend\n");
}

/* The name of the file; without one, the empty text. @return 0; errno */
static int name_file(const struct lpi_job *job, struct lpi_line *path)
{
    const struct lpi_ready *ready = &job->ready;

    lpi_put(path, ready->path);
    if (ready->folder != NULL) {
        if (mkdir(ready->folder, 0777) != 0 && errno != EEXIST)
            return errno;
        lpi_put_number(path, "-p", (uint64_t)job->plan.P);
        lpi_put_number(path, "-", job->plan.seed);
        lpi_put(path, "-crash.replay");
    }
    lpi_put_bytes(path, "", 1);
    path->n--;
    return path->failed ? ENAMETOOLONG : 0;
}

/* @return 0; errno */
static int leave(const struct lpi_observer *e, const char *path, enum logp_failure_kind kind,
                 int error)
{
    struct lpi_line l = {.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    int rc;

    if (l.fd < 0)
        return errno;
    put_replay(&l, e, kind, error);
    rc = lpi_put_end(&l);
    close(l.fd);
    return rc;
}

/* ---- the report ---- */

/* rank -1: of no vp */
static void put_what(struct lpi_line *l, const struct lpi_observer *e, const struct lpi_outcome *o)
{
    const struct lpi_plan *p = &e->job->plan;
    const int n = lpi_observer_count(e), rank = o->rank;
    int deviations = 0;

    lpi_put(l, e->job->check.name);
    lpi_put_number(l, " failed with P = ", (uint64_t)p->P);
    if (rank >= 0)
        lpi_put_number(l, ": rank ", (uint64_t)rank);
    else
        lpi_put(l, e->between ? ": a function of the check" : ": a thread of the program");
    if (o->kind == LOGP_FAILURE_EXITED) {
        lpi_put(l, " called exit()\n");
    } else {
        lpi_put(l, " crashed (");
        lpi_put(l, lpi_signal_name(o->error));
        lpi_put(l, ")\n");
    }
    if (*o->detail != '\0') {
        lpi_put(l, "  ");
        lpi_put(l, o->detail);
        lpi_put(l, "\n");
    }
    for (int i = 0; i < n; i++)
        deviations += e->taken[i] != 0;
    lpi_put_number(l, "run ", p->run + 1);
    lpi_put_number(l, ", seed ", p->seed);
    lpi_put_number(l, "; of ", (uint64_t)n);
    lpi_put_number(l, n == 1 ? " choice " : " choices ", (uint64_t)deviations);
    lpi_put(l, deviations == 1 ? " differs from the default order\n"
                               : " differ from the default order\n");
}

/* The result of a replay: see again.c. */
static void answer(const struct lpi_job *job, const struct lpi_line *text, const char *story,
                   enum logp_failure_kind kind, int error)
{
    const struct logp_replay *r = job->origin;
    const bool same = r->kind == LOGP_FAILURE_NONE || (r->kind == kind && r->error == error);
    struct lpi_line l = {.fd = open(job->ready.answer, O_WRONLY | O_APPEND | O_CLOEXEC)};

    if (l.fd < 0)
        return;
    lpi_put(&l, same ? "logp-replayed 1\noutcome again " : "logp-replayed 1\noutcome otherwise ");
    lpi_put_number(&l, "", (uint64_t)error);
    lpi_put_number(&l, "\ntext ", text->n + strlen(story));
    lpi_put(&l, "\n");
    lpi_put_bytes(&l, text->s, text->n);
    lpi_put(&l, story);
    lpi_put(&l, "\nend\n");
    lpi_put_end(&l);
    close(l.fd);
}

/* A sanitizer holds locks while it ends the process: no child can be forked from it. */
static bool is_by_sanitizer(const struct lpi_outcome *o)
{
    return o->kind == LOGP_FAILURE_CRASHED && o->error == LPI_SANITIZER;
}

/* more: the description of the failure, made smaller */
static void add_result(const struct lpi_job *job, struct lpi_line *text, const char *more)
{
    lpi_put_bytes(text, "", 1); /* the end of the text, or its last byte if it is too long */
    text->s[--text->n] = '\0';
    lpi_junit_crash(job->ready.junit,
                    &(struct lpi_result){.name = job->check.name,
                                         .text = text->s,
                                         .more = more,
                                         .failed = true,
                                         .ns = lpi_kit_now() - job->ready.begin_ns});
}

/* The run of a replay, whose file is there. */
static void show_again(const struct lpi_observer *e, struct lpi_line *text,
                       const struct lpi_outcome *o)
{
    const char *story;

    add_result(e->job, text, "");
    story = is_by_sanitizer(o) ? "" : lpi_crash_again(e, o, NULL);
    for (int i = *o->detail != '\0' ? -1 : 0; i < 2 && *story != '\0'; i++)
        story += strcspn(story, "\n") + 1; /* its first lines are in text */
    add_result(e->job, text, story);
    if (e->job->ready.answer != NULL)
        answer(e->job, text, story, o->kind, o->error);
    if (write(STDERR_FILENO, text->s, text->n) < 0 ||
        write(STDERR_FILENO, story, strlen(story)) < 0)
        return; /* nothing else can be done */
}

/* Add to the text how to find the failure again without a replay. */
static void put_variables(struct lpi_line *text, const struct lpi_job *job)
{
    lpi_put(text, "to repeat it: ");
    if (*job->again != '\0') { /* the search was over: this is a run that makes a failure smaller */
        lpi_put(text, job->again);
        return;
    }
    lpi_put_number(text, "LOGP_CHECK_SEED=", job->check.seed);
    lpi_put_number(text, " LOGP_CHECK_RUNS=", job->plan.run + 1);
    lpi_put(text, " in the environment");
}

/* Make the failure smaller in a fresh process, in which nothing of this one is left. Without a file, the
 * replay is in one that has no name. Words are added to the text. */
static enum lpi_fresh make_smaller(const struct lpi_observer *e, const struct lpi_line *path,
                                   const struct lpi_outcome *o, struct lpi_line *text)
{
    enum lpi_fresh what;
    char why[160] = "", unnamed[32];

    if (path->n == 0) {
        snprintf(unnamed, sizeof(unnamed), "/proc/self/fd/%d", memfd_create("replay", MFD_CLOEXEC));
        if (leave(e, unnamed, o->kind, o->error) != 0)
            return LPI_FRESH_UNKNOWN;
    }
    what =
        lpi_fresh_smaller(e->job->ready.origin, path->n > 0 ? path->s : unnamed, why, sizeof(why));
    if (what == LPI_FRESH_UNKNOWN) {
        lpi_put(text, "not confirmed: ");
        lpi_put(text, why);
        lpi_put(text, "\n");
    }
    if (what == LPI_FRESH_PASSES) {
        lpi_put(text, lpi_fresh_depends);
        lpi_put(text, "\n");
    }
    return what;
}

/* How to repeat the failure. rc: of writing its replay to path */
static void put_repeat(struct lpi_line *text, const struct lpi_job *job,
                       const struct lpi_line *path, int rc)
{
    if (path->n > 0) {
        lpi_put(text,
                rc != 0 ? "its replay could not be written to " : "to repeat it: logp replay ");
        lpi_put(text, path->s);
    } else {
        put_variables(text, job);
        lpi_put(text, "; LOGP_REPLAY_DIR=DIR keeps a replay");
    }
    lpi_put(text, "\n");
}

/* The report of a sanitizer is out: the failure is confirmed first, as the way to repeat it depends on that. */
static void confirm(const struct lpi_observer *e, struct lpi_line *text,
                    const struct lpi_line *path, const struct lpi_outcome *o)
{
    const size_t n = text->n;
    enum lpi_fresh what;

    put_repeat(text, e->job, path, 0);
    add_result(e->job, text, ""); /* first, as the rest takes its time */
    text->n = n;
    if (write(STDERR_FILENO, text->s, n) < 0)
        return; /* nothing else can be done */
    what = make_smaller(e, path, o, text);
    if (what == LPI_FRESH_PASSES) {
        if (path->n > 0)
            unlink(path->s); /* it does not repeat the failure */
        put_variables(text, e->job);
        lpi_put(text, ", which makes the runs before it, too\n");
    } else {
        put_repeat(text, e->job, path, 0);
    }
    add_result(e->job, text, "");
    if (write(STDERR_FILENO, text->s + n, text->n - n) < 0)
        return; /* as above */
}

/* The run of a search. */
static void show_found(const struct lpi_observer *e, struct lpi_line *text,
                       const struct lpi_outcome *o)
{
    struct lpi_line path = {.fd = -1};
    const char *smaller = "";
    int rc = name_file(e->job, &path);

    if (rc == 0 && path.n > 0)
        rc = leave(e, path.s, o->kind, o->error);
    if (is_by_sanitizer(o) && !e->job->check.as_found && rc == 0) {
        confirm(e, text, &path, o);
        return;
    }
    put_repeat(text, e->job, &path, rc);
    if (write(STDERR_FILENO, text->s, text->n) < 0)
        return;                   /* nothing else can be done */
    add_result(e->job, text, ""); /* first, as the rest takes its time */
    if (!is_by_sanitizer(o) && !e->job->check.as_found)
        smaller = lpi_crash_again(e, o, rc == 0 ? path.s : "");
    if (*smaller == '\0')
        return;
    lpi_put(text, "made smaller:\n");
    add_result(e->job, text, smaller);
}

/* Report the crash of a run in a child to its parent, and end. Nothing in this process is needed
 * any more. */
static _Noreturn void crash_in_child(struct lpi_observer *e, const struct lpi_outcome *outcome)
{
    struct lpi_job *job = e->job;
    struct lpi_isolated *to = job->isolated;
    struct logp_failure failure;

    job->outcome = *outcome;
    lpi_child_give(to, job, 0);
    if (job->sharing != NULL)
        job->sharing->crashed(job);
    if (job->story != NULL && lpi_observer_taken(e, &job->taken) && lpi_tell(job, &failure) == 0)
        snprintf(to->text, sizeof(to->text), "%s", failure.text);
    syscall(SYS_exit_group, EXIT_SUCCESS); /* _exit() on a vp may be the program's own function */
    __builtin_unreachable();
}

void lpi_crash(struct lpi_observer *e, enum logp_failure_kind kind, int error, bool by_run)
{
    const struct logp_vp *vp = by_run && !e->between ? logp_vp_current() : NULL;
    const struct lpi_job *job = e->job;
    struct lpi_outcome outcome = {
        .kind = kind, .error = error, .rank = vp != NULL ? logp_vp_rank(vp) : -1};
    struct lpi_line text = {.fd = -1};

    if (kind == LOGP_FAILURE_CRASHED && error != LPI_SANITIZER && /* which names the line itself */
        (job->isolated == NULL || job->story != NULL))
        lpi_place_here(outcome.detail, sizeof(outcome.detail));
    if (job->isolated != NULL)
        crash_in_child(e, &outcome);
    if (e->crashed || job->ready.replay == NULL) /* a handler of the program continues it */
        return;
    e->crashed = true;
    put_what(&text, e, &outcome);
    if (job->ready.file != NULL) {
        lpi_put(&text, "to repeat it: logp replay ");
        lpi_put(&text, job->ready.file);
        lpi_put(&text, "\n");
    }
    if (job->ready.keeps)
        show_again(e, &text, &outcome);
    else
        show_found(e, &text, &outcome);
}
