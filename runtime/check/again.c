/* SPDX-License-Identifier: MIT */
/*
 * The run of a replay: once more, and just once, so that a debugger stops the first time that the
 * failing line is reached.
 *
 * If LOGP_REPLAY in the environment names a replay, logp_check() runs it. If LOGP_REPLAY_OUT names
 * a file, each logp_check() that runs the replay appends its result to it, in one piece:
 *
 *     logp-replayed 1
 *     outcome again -71      or otherwise, passed, stale, not-run; result of logp_check()
 *     text 312               number of bytes that follow, before a newline
 *     ...
 *     trace 3 steps          with LOGP_REPLAY_TRACE=1: processors, unit of times: trace_lines.c
 *     ...
 *     end
 *
 * With LOGP_REPLAY_DIFF=1 there follows, for a failure, the nearest run that passes, if one is found: an
 * answer of this form with "outcome nearest 0", whose text is the choice that differs.
 */
#include "kit.h"

#include <logp/trace.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *lpi_again_file(void)
{
    return lpi_variable("LOGP_REPLAY");
}

/* Set the outcome to uncontrolled if runs with these choices differ: a repetition of this one, or
 * (-ESTALE) this one itself. */
static int again_twice(struct lpi_job *job, int rc)
{
    struct lpi_story *story = job->story;

    if ((rc == 0 && job->outcome.kind == LOGP_FAILURE_NONE && !lpi_job_confirm(job)) ||
        rc == -ESTALE) {
        job->outcome = lpi_outcome_with(LOGP_FAILURE_UNCONTROLLED, -ESTALE, -1);
        rc = 0;
    }
    job->story = story;
    return rc;
}

/* The one run of r, by a job that has a program. After a timeout the story is not used, as the vp
 * may still write to it. @return as logp_check_replay(); a failure is described in found */
static int run(struct lpi_job *job, struct lpi_replay *r, struct lpi_story *story,
               struct logp_failure *found)
{
    int rc;

    job->origin = &r->facts;
    job->check.name = r->facts.name;
    job->ready.keeps = true;
    story->keeps_places = r->facts.kind == LOGP_FAILURE_LEFT_OVER && lpi_fresh_is_wanted();
    lpi_signals_watch(lpi_crash);
    rc = lpi_job_again(job, &r->plan, &r->answers, story);
    if (r->facts.kind == LOGP_FAILURE_UNCONTROLLED)
        rc = again_twice(job, rc);
    lpi_signals_unwatch();
    if (rc == 0 && job->outcome.kind == LOGP_FAILURE_NONE && r->answers.what != NULL &&
        job->observer != NULL && !lpi_observer_was_same(job->observer))
        rc = -ESTALE;
    if (job->outcome.kind == LOGP_FAILURE_TIMEOUT)
        job->story = NULL;
    if (rc == 0 && job->outcome.kind != LOGP_FAILURE_NONE) {
        rc = lpi_tell(job, found);
        rc = rc != 0 ? rc : found->error;
    }
    if (rc != 0 && found->text == NULL && *job->why != '\0')
        lpi_refuse(job, found);
    return rc;
}

/* ---- from the environment ---- */

bool lpi_is_meant(const struct logp_check *c, const struct logp_replay *r)
{
    int least = c->smallest > 0 ? c->smallest : INT32_MAX, most = 0;

    for (int i = 0; i < c->n_sizes; i++) {
        least = c->sizes[i] < least ? c->sizes[i] : least;
        most = c->sizes[i] > most ? c->sizes[i] : most;
    }
    return strcmp(c->name, r->name) == 0 && r->P >= least && r->P <= most;
}

/* Whether a debugger traces this process. */
static bool is_debugged(void)
{
    FILE *f = fopen("/proc/self/status", "re");
    char line[128];
    int tracer = 0;

    while (f != NULL && fgets(line, sizeof(line), f) != NULL)
        if (sscanf(line, "TracerPid: %d", &tracer) == 1)
            break;
    if (f != NULL)
        fclose(f);
    return tracer > 0;
}

static const char *outcome_of(const struct lpi_job *job, const struct lpi_replay *replay, int rc)
{
    const struct logp_replay *r = &replay->facts;
    const struct lpi_outcome *o = &job->outcome;
    const char *expression = o->asserted.expression;

    if (o->kind == LOGP_FAILURE_NONE)
        return rc == -ESTALE                  ? "stale"
               : rc != 0                      ? "not-run"
               : replay->answers.what != NULL ? "fixed"
                                              : "passed";
    if (r->kind == LOGP_FAILURE_NONE)
        return "again";
    if (o->kind != r->kind || o->error != r->error ||
        (r->expression != NULL && (expression == NULL || strcmp(expression, r->expression) != 0)))
        return "otherwise";
    return "again";
}

/* Append the report to LOGP_REPLAY_OUT. */
static void report(const struct lpi_text *t)
{
    const char *path = lpi_variable("LOGP_REPLAY_OUT");
    const int out = path != NULL && !t->failed ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    ssize_t n;

    if (out < 0)
        return;
    do
        n = write(out, t->s, t->n);
    while (n < 0 && errno == EINTR);
    close(out);
}

static void add_outcome(struct lpi_text *t, const char *outcome, int rc, const char *words)
{
    lpi_text_add(t, "logp-replayed 1\noutcome %s %d\ntext %zu\n%s\n", outcome, rc, strlen(words),
                 words);
}

/* Write why a replay cannot be read. r: as far as it was read */
static void explain(struct lpi_text *wrong, int rc, const struct lpi_replay *r)
{
    if (rc == -EINVAL && r != NULL && r->answers.index != NULL && !r->has_end)
        lpi_text_add(wrong,
                     "line %d of the replay is wrong, or missing: its last line is \"end\"\n",
                     r->facts.line);
    else if (rc == -EINVAL)
        lpi_text_add(wrong, "line %d is not a line of a replay\n", r != NULL ? r->facts.line : 1);
    else if (rc == -EPROTONOSUPPORT)
        lpi_text_add(wrong, "a replay of version %d; this library knows %d\n", r->facts.version,
                     LOGP_REPLAY_VERSION);
    else
        lpi_text_add(wrong, "%s\n", strerror(-rc));
}

int lpi_again_read(const char *what, const char *path, struct lpi_replay **r,
                   struct lpi_text *wrong)
{
    char *text = NULL;
    int rc = logp_replay_read(path, &text);

    if (rc == 0)
        rc = lpi_replay_parse(text, r);
    free(text);
    if (rc == 0)
        return 0;
    lpi_text_add(wrong, "%s %s: ", what, path);
    explain(wrong, rc, *r);
    return rc;
}

static int read_given(const char *text, struct lpi_replay **r, struct lpi_text *wrong)
{
    const int rc = text != NULL ? lpi_replay_parse(text, r) : -EINVAL;

    if (text == NULL)
        lpi_text_add(wrong, "no text of a replay\n");

    if (*r != NULL && (rc == -EINVAL || rc == -EPROTONOSUPPORT))
        explain(wrong, rc, *r);
    return rc;
}

/* This check has been reached: see fresh.c. */
static void reach(void)
{
    const char *path = lpi_variable("LOGP_REPLAY_REACHED");
    FILE *f = path != NULL ? fopen(path, "we") : NULL;

    if (f != NULL) {
        fputs("reached\n", f);
        fclose(f);
    }
}

/* Make the failure of r, which ends the process, smaller, and end. */
static _Noreturn void show_smaller(struct lpi_job *job, struct lpi_replay *r)
{
    struct lpi_text t = {0};
    const char *text;

    job->origin = &r->facts;
    job->check.name = r->facts.name;
    job->most = job->check.runs;
    job->plan = r->plan;
    job->outcome = lpi_outcome_with(r->facts.kind, r->facts.error, -1);
    lpi_signals_watch(lpi_crash);
    text = lpi_answers_copy(&job->taken, &r->answers) ? lpi_crash_smaller(job, lpi_again_file())
                                                      : NULL;
    if (text != NULL || job->isolated != NULL) { /* else there was no memory for its runs */
        add_outcome(&t, text != NULL ? "again" : "passed", text != NULL ? r->facts.error : 0,
                    text != NULL ? text : "");
        lpi_text_add(&t, "end\n");
        report(&t);
    }
    _exit(EXIT_SUCCESS);
}

/* Run the replay and report it. */
static int show(struct lpi_job *job, struct lpi_replay *r, struct lpi_story *story,
                struct logp_failure *found)
{
    const bool traced = lpi_variable("LOGP_REPLAY_TRACE") != NULL;
    struct logp_trace *trace = NULL;
    struct lpi_text t = {0}, differences = {0};
    int rc;

    if (lpi_variable("LOGP_REPLAY_EXECUTOR") != NULL)
        job->check.executor = lpi_variable("LOGP_REPLAY_EXECUTOR");
    if (r->facts.kind != LOGP_FAILURE_TIMEOUT && is_debugged())
        job->check.timeout_ns = 0;
    if (traced)
        job->trace = &trace;
    story->keeps_notes = traced && lpi_trace_needs_notes(job, &r->plan);
    job->ready.answer = lpi_variable("LOGP_REPLAY_OUT");
    reach();
    if (lpi_variable("LOGP_REPLAY_SMALLER") != NULL)
        show_smaller(job, r);
    rc = run(job, r, story, found);
    if (r->facts.environment != NULL && strcmp(outcome_of(job, r, rc), "again") != 0)
        lpi_environment_differences(&differences, r->facts.environment);
    lpi_text_add(&differences, "%s", found->text != NULL ? found->text : "");
    add_outcome(&t, outcome_of(job, r, rc), rc, differences.s != NULL ? differences.s : "");
    free(differences.s);
    if (trace != NULL && !job->left_behind)
        lpi_trace_write(&t, job, story, trace);
    lpi_text_add(&t, "end\n");
    report(&t);
    free(t.s);
    t = (struct lpi_text){0};
    if (lpi_variable("LOGP_REPLAY_DIFF") != NULL && !job->left_behind)
        lpi_nearest(job, &t);
    if (t.n > 0)
        report(&t);
    free(t.s);
    logp_trace_free(trace);
    return rc;
}

int lpi_again_run(struct lpi_job *job, struct lpi_replay *r, bool shows, struct logp_failure *found)
{
    struct lpi_story *story = lpi_story_new(r->plan.P);
    const int rc = story == NULL ? -ENOMEM
                   : shows       ? show(job, r, story, found)
                                 : run(job, r, story, found);

    if (!job->left_behind)
        lpi_story_free(story);
    return rc;
}

/* logp_check_replay(), or, if checked is not NULL, a logp_check() that runs the replay file of the
 * environment if that is of this program. */
static int replay(logp_program program, void *arg, const struct logp_check *given, const char *text,
                  struct logp_checked *checked, struct logp_failure *failure)
{
    struct logp_failure found = {.rank = -1};
    struct lpi_job *job = calloc(1, sizeof(*job));
    struct lpi_replay *r = NULL;
    struct lpi_text wrong = {0};
    int rc = job == NULL ? -ENOMEM : lpi_take_check(given, &job->check, NULL);

    if (rc != 0 || program == NULL)
        lpi_text_add(&wrong, "%s cannot be replayed: %s\n",
                     given != NULL && given->name != NULL ? given->name : "program",
                     rc == 0         ? "no program"
                     : rc == -EINVAL ? "size: smaller than the struct"
                     : rc == -E2BIG  ? "size: larger than this library knows"
                                     : strerror(-rc));
    if (rc == 0)
        rc = program == NULL   ? -EINVAL
             : checked != NULL ? lpi_again_read("LOGP_REPLAY", lpi_again_file(), &r, &wrong)
                               : read_given(text, &r, &wrong);
    if (rc == 0 && (checked == NULL || lpi_is_meant(&job->check, &r->facts))) {
        job->program = program;
        job->arg = arg;
        rc = lpi_again_run(job, r, checked != NULL, &found);
        if (checked != NULL)
            *checked = (struct logp_checked){.runs = 1, .text = "1 run, of a replay"};
    }
    found.text = found.text != NULL ? found.text : wrong.s;
    rc = lpi_hand_over(&found, failure, rc);
    lpi_job_free(job);
    if (r != NULL)
        logp_replay_free(&r->facts);
    return rc;
}

int logp_check_replay(logp_program program, void *arg, const struct logp_check *given,
                      const char *text, struct logp_failure *failure)
{
    return replay(program, arg, given, text, NULL, failure);
}

int lpi_again(logp_program program, void *arg, struct logp_check *given,
              struct logp_failure *failure)
{
    struct logp_checked checked = {.text = "another program is replayed"};
    const int rc = replay(program, arg, given, NULL, &checked, failure);

    if (given != NULL)
        given->checked = checked;
    return rc;
}
