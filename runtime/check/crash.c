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

/* ---- text, in a signal handler ---- */

struct line {
    int fd; /* < 0: none, and text that s has no space for is lost */
    bool failed;
    size_t n;
    char s[4096];
};

static void put_bytes(struct line *l, const char *s, size_t n)
{
    while (n > 0) {
        const size_t room = sizeof(l->s) - l->n, k = n < room ? n : room;

        memcpy(l->s + l->n, s, k);
        l->n += k;
        s += k;
        n -= k;
        if (n == 0)
            return;
        if (l->fd < 0 || write(l->fd, l->s, l->n) != (ssize_t)l->n)
            l->failed = true;
        if (l->fd < 0)
            return;
        l->n = 0;
    }
}

static void put(struct line *l, const char *s)
{
    put_bytes(l, s, strlen(s));
}

static void put_number(struct line *l, const char *name, uint64_t n)
{
    char digits[24], *at = digits + sizeof(digits);

    do
        *--at = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    put(l, name);
    put_bytes(l, at, (size_t)(digits + sizeof(digits) - at));
}

/* @return 0; EIO */
static int end_line(const struct line *l)
{
    return l->failed || write(l->fd, l->s, l->n) != (ssize_t)l->n ? EIO : 0;
}

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
static void put_replay(struct line *l, const struct lpi_observer *e, enum logp_failure_kind kind,
                       int error)
{
    const struct lpi_plan *p = &e->job->plan;
    const int n = lpi_observer_count(e);

    for (const char *at = e->job->ready.replay, *end; *at != '\0'; at = end) {
        end = at + strcspn(at, "\n");
        end += *end == '\n';
        if (!varies(at))
            put_bytes(l, at, (size_t)(end - at));
    }
    put_number(l, "processors ", (uint64_t)p->P);
    put_number(l, "\nrun ", p->run);
    put_number(l, "\nseed ", p->seed);
    put(l, "\nfailed ");
    put(l, lpi_failure_names[kind]);
    put_number(l, " ", (uint64_t)error);
    put(l, "\nvary");
    put(l, p->untimed ? " untimed" : "");
    put(l, p->late ? " late" : "");
    put(l, p->order ? " order" : "");
    put(l, p->messages ? " messages" : "");
    if (p->network.rendezvous_from > 0)
        put_number(l, "\nsends ", (uint64_t)p->network.rendezvous_from - 1);
    put_number(l, "\nchoices ", (uint64_t)n);
    for (int i = 0; i < n; i++)
        if (e->taken[i] != 0) {
            put_number(l, " ", (uint64_t)i);
            put_number(l, "=", (uint64_t)e->taken[i]);
        }
    put(l, "\nend\n");
}

/* The name of the file; without one, the empty text. @return 0; errno */
static int name_file(const struct lpi_job *job, struct line *path)
{
    const struct lpi_ready *ready = &job->ready;

    put(path, ready->path);
    if (ready->folder != NULL) {
        if (mkdir(ready->folder, 0777) != 0 && errno != EEXIST)
            return errno;
        put_number(path, "-p", (uint64_t)job->plan.P);
        put_number(path, "-", job->plan.seed);
        put(path, "-crash.replay");
    }
    put_bytes(path, "", 1);
    path->n--;
    return path->failed ? ENAMETOOLONG : 0;
}

/* @return 0; errno */
static int leave(const struct lpi_observer *e, const char *path, enum logp_failure_kind kind,
                 int error)
{
    struct line l = {.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    int rc;

    if (l.fd < 0)
        return errno;
    put_replay(&l, e, kind, error);
    rc = end_line(&l);
    close(l.fd);
    return rc;
}

/* ---- the report ---- */

/* rank -1: of no vp */
static void put_what(struct line *l, const struct lpi_observer *e, const struct lpi_outcome *o)
{
    const struct lpi_plan *p = &e->job->plan;
    const int n = lpi_observer_count(e), rank = o->rank;
    int deviations = 0;

    put(l, e->job->check.name);
    put_number(l, " failed with P = ", (uint64_t)p->P);
    if (rank >= 0)
        put_number(l, ": rank ", (uint64_t)rank);
    else
        put(l, e->between ? ": a function of the check" : ": a thread of the program");
    if (o->kind == LOGP_FAILURE_EXITED) {
        put(l, " called exit()\n");
    } else {
        put(l, " crashed (");
        put(l, lpi_signal_name(o->error));
        put(l, ")\n");
    }
    if (*o->detail != '\0') {
        put(l, "  ");
        put(l, o->detail);
        put(l, "\n");
    }
    for (int i = 0; i < n; i++)
        deviations += e->taken[i] != 0;
    put_number(l, "run ", p->run + 1);
    put_number(l, ", seed ", p->seed);
    put_number(l, "; of ", (uint64_t)n);
    put_number(l, n == 1 ? " choice " : " choices ", (uint64_t)deviations);
    put(l,
        deviations == 1 ? " differs from the default order\n" : " differ from the default order\n");
}

/* The result of a replay: see again.c. */
static void answer(const struct lpi_job *job, const struct line *text, const char *story,
                   enum logp_failure_kind kind, int error)
{
    const struct logp_replay *r = job->origin;
    const bool same = r->kind == LOGP_FAILURE_NONE || (r->kind == kind && r->error == error);
    struct line l = {.fd = open(job->ready.answer, O_WRONLY | O_APPEND | O_CLOEXEC)};

    if (l.fd < 0)
        return;
    put(&l, same ? "logp-replayed 1\noutcome again " : "logp-replayed 1\noutcome otherwise ");
    put_number(&l, "", (uint64_t)error);
    put_number(&l, "\ntext ", text->n + strlen(story));
    put(&l, "\n");
    put_bytes(&l, text->s, text->n);
    put(&l, story);
    put(&l, "\nend\n");
    end_line(&l);
    close(l.fd);
}

/* A sanitizer holds locks while it ends the process: no child can be forked from it. */
static bool is_by_sanitizer(const struct lpi_outcome *o)
{
    return o->kind == LOGP_FAILURE_CRASHED && o->error == LPI_SANITIZER;
}

/* The run of a replay, whose file is there. */
static void show_again(const struct lpi_observer *e, const struct line *text,
                       const struct lpi_outcome *o)
{
    const char *story = is_by_sanitizer(o) ? "" : lpi_crash_again(e, o, NULL);

    for (int i = *o->detail != '\0' ? -1 : 0; i < 2 && *story != '\0'; i++)
        story += strcspn(story, "\n") + 1; /* its first lines are in text */
    if (e->job->ready.answer != NULL)
        answer(e->job, text, story, o->kind, o->error);
    if (write(STDERR_FILENO, text->s, text->n) < 0 ||
        write(STDERR_FILENO, story, strlen(story)) < 0)
        return; /* nothing else can be done */
}

/* In a fresh process. Without a file, the replay is in one that has no name. */
static void make_smaller(const struct lpi_observer *e, struct line *path,
                         const struct lpi_outcome *o)
{
    if (path->n == 0) {
        put_number(path, "/proc/self/fd/", (uint64_t)memfd_create("replay", MFD_CLOEXEC));
        put_bytes(path, "", 1);
        if (leave(e, path->s, o->kind, o->error) != 0)
            return;
    }
    lpi_fresh_smaller(e->job->ready.origin, path->s);
}

/* The run of a search. */
static void show_found(const struct lpi_observer *e, struct line *text, const struct lpi_outcome *o)
{
    struct line path = {.fd = -1};
    int rc = name_file(e->job, &path);

    if (rc == 0 && path.n > 0)
        rc = leave(e, path.s, o->kind, o->error);
    put(text, path.n == 0 ? "LOGP_REPLAY_DIR=DIR in the environment keeps its replay"
              : rc != 0   ? "its replay could not be written to "
                          : "to repeat it: logp replay ");
    put(text, path.s);
    put(text, "\n");
    if (write(STDERR_FILENO, text->s, text->n) < 0)
        return; /* nothing else can be done */
    if (is_by_sanitizer(o) && !e->job->check.as_found && rc == 0)
        make_smaller(e, &path, o);
    else if (!is_by_sanitizer(o) && !e->job->check.as_found)
        lpi_crash_again(e, o, rc == 0 ? path.s : "");
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
    struct line text = {.fd = -1};

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
        put(&text, "to repeat it: logp replay ");
        put(&text, job->ready.file);
        put(&text, "\n");
    }
    if (job->ready.keeps)
        show_again(e, &text, &outcome);
    else
        show_found(e, &text, &outcome);
}
