/* SPDX-License-Identifier: MIT */
/* logp_check(): search for a failure, shrink it, describe it. */
#include "kit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* The end of the time limit on the host's clock; 0: none. */
static int64_t end_of(int64_t time_ns)
{
    const int64_t now = lpi_kit_now();

    return time_ns == 0 || time_ns > INT64_MAX - now ? 0 : now + time_ns;
}

/* The end of the time for one of n searches that are left. @return 0: none */
static int64_t share_of(int64_t end_ns, int n)
{
    const int64_t now = lpi_kit_now();

    return end_ns == 0 || now >= end_ns ? end_ns : now + (end_ns - now) / n;
}

static void make_plan(struct lpi_plan *plan, const struct logp_check *c)
{
    const bool exhaustive = c->strategy == LOGP_STRATEGY_EXHAUSTIVE;
    const bool late = exhaustive || (c->strategy == LOGP_STRATEGY_DELAYS && lpi_is_untimed(c) &&
                                     !c->fixed_order && !c->fixed_matches);

    *plan = (struct lpi_plan){.order = !late && !c->fixed_order,
                              .messages = exhaustive || !c->fixed_matches,
                              .untimed = lpi_is_untimed(c),
                              .late = late,
                              .misses = c->misses,
                              .most_steps = c->most_steps,
                              .most_faults = c->most_faults,
                              .fault_places = c->fault_places,
                              .most_overtaken = c->most_overtaken,
                              .keeps_order = c->keeps_order,
                              .network = {.undelayed = true}};
    if (c->network != NULL)
        plan->network = *c->network;
    if (plan->network.latency != NULL)
        plan->latency = *plan->network.latency;
    plan->network.rendezvous_from = 0; /* drawn, or set by c->sends: draw.c */
    plan->network.unit_ns = 1;
}

/* Run the failure once more with a story, and describe it. */
static int tell(struct lpi_job *job, struct logp_failure *failure)
{
    const struct lpi_plan plan = job->plan;
    const struct lpi_outcome outcome = job->outcome;
    struct lpi_answers answers = {0};
    struct lpi_story *story = lpi_story_new(plan.P);
    struct logp_replay *origin = lpi_origin();
    int rc = story == NULL || !lpi_answers_copy(&answers, &job->taken) ? -ENOMEM : 0;

    job->origin = origin;
    if (rc == 0)
        story->keeps_places = outcome.kind == LOGP_FAILURE_LEFT_OVER && lpi_fresh_is_wanted();
    if (rc == 0 && outcome.kind != LOGP_FAILURE_TIMEOUT)
        rc = lpi_job_again(job, &plan, &answers, story);
    if (rc != -ENOMEM && (rc != 0 || !lpi_same_outcome(&job->outcome, &outcome))) {
        job->story = NULL;
        job->outcome = outcome;
        rc = lpi_answers_copy(&job->taken, &answers) ? 0 : -ENOMEM;
    }
    if (rc == 0)
        rc = lpi_tell(job, failure);
    job->story = NULL;
    lpi_answers_free(&answers);
    if (!job->left_behind)
        lpi_story_free(story);
    job->origin = NULL;
    logp_replay_free(origin);
    return rc;
}

/* Repeat the failure in a fresh process. One that passes there depends on earlier runs. */
static void confirm(struct lpi_job *job, struct logp_failure *failure)
{
    struct logp_replay *origin;
    enum lpi_fresh what;
    char why[160] = "";

    if (!lpi_fresh_is_wanted() || failure->replay == NULL || failure->uncontrolled ||
        failure->kind == LOGP_FAILURE_TIMEOUT || failure->kind == LOGP_FAILURE_UNCONTROLLED)
        return;
    origin = lpi_origin();
    what = lpi_fresh_confirm(job, origin, failure->replay, why, sizeof(why));
    logp_replay_free(origin);
    if (what == LPI_FRESH_UNKNOWN)
        lpi_add_line(failure, "not confirmed: ", why, 0);
    if (what != LPI_FRESH_PASSES)
        return;
    failure->kind = LOGP_FAILURE_UNCONTROLLED;
    failure->error = -ESTALE;
    failure->uncontrolled = true;
    job->depends = true;
    lpi_add_line(failure, lpi_fresh_depends, "", 0);
}

/* Append the lines to the text of the failure, and free them. */
static void add_labels(struct logp_failure *failure, struct lpi_text *labels)
{
    if (labels->n > 0 && !labels->failed) {
        labels->s[labels->n - 1] = '\0'; /* its last newline follows */
        lpi_add_line(failure, labels->s, "", 0);
    }
    free(labels->s);
}

/* An exhaustive search of this size has come to its end, and has cut all that it explored: no run is known
 * to end. Make its first run once more, which fails. before: the search */
static int fail_without_end(struct lpi_job *job, const struct logp_checked *before)
{
    static const struct lpi_answers none;
    const struct lpi_plan plan = job->plan;

    if (job->check.strategy != LOGP_STRATEGY_EXHAUSTIVE || job->outcome.kind != LOGP_FAILURE_NONE ||
        job->out_of_runs || job->out_of_time || job->checked.cut == before->cut ||
        job->checked.executions > before->executions)
        return 0;
    return lpi_job_again(job, &plan, &none, NULL);
}

/* Search all sizes. @return 0: no failure; or as logp_check() */
static int search(struct lpi_job *job, struct logp_failure *failure)
{
    const struct logp_check *c = &job->check;
    struct logp_checked done, before;
    const int64_t end_ns = job->end_ns;
    struct lpi_text labels = {0};
    bool complete = true;
    int rc = 0, n = 0;

    for (; rc == 0 && job->outcome.kind == LOGP_FAILURE_NONE && n < c->n_sizes; n++) {
        job->checked.complete = false;
        job->end_ns = share_of(end_ns, c->n_sizes - n);
        before = job->checked;
        rc = lpi_search(job, c->sizes[n]);
        if (rc == 0)
            rc = fail_without_end(job, &before);
        complete = complete && job->checked.complete;
    }
    job->checked.complete = complete && job->checked.cut == 0;
    if (rc != 0 || job->outcome.kind == LOGP_FAILURE_NONE) {
        lpi_reached_tell(&labels, job, false);
        add_labels(failure, &labels);
        return rc;
    }
    done = job->checked;
    done.complete = false;
    lpi_reached_tell(&labels, job, true);
    snprintf(job->again, sizeof(job->again),
             "LOGP_CHECK_SEED=%" PRIu64 " LOGP_CHECK_RUNS=%" PRIu64 " in the environment", c->seed,
             job->plan.run + 1);
    job->end_ns = 0;
    job->progress.makes_smaller = true;
    job->check.twice_every = -1;
    job->check.cores = 1;
    if (job->outcome.kind != LOGP_FAILURE_TIMEOUT &&
        job->outcome.kind != LOGP_FAILURE_UNCONTROLLED && lpi_job_confirm(job)) {
        lpi_shrink(job);
        lpi_smallest(job, done.runs);
    }
    rc = tell(job, failure);
    job->checked = done;
    add_labels(failure, &labels);
    if (rc == 0)
        confirm(job, failure);
    if (rc == 0)
        rc = lpi_leave_replay(job, failure);
    return rc != 0 ? rc : failure->error;
}

static int search_watched(struct lpi_job *job, struct logp_failure *failure)
{
    int rc;

    lpi_signals_watch(lpi_crash);
    lpi_progress_begin(&job->progress);
    rc = search(job, failure);
    lpi_progress_end(&job->progress);
    lpi_signals_unwatch();
    if (job->checked.chance < 0) /* pct.c: no bound holds */
        job->checked.chance = 0;
    lpi_progress_describe(job, failure->kind != LOGP_FAILURE_NONE, rc);
    return rc;
}

/* text: of a failure; NULL: none */
static void add_result(const struct lpi_job *job, int rc, const char *text)
{
    const struct lpi_result result = {.name = job->check.name != NULL ? job->check.name : "program",
                                      .text = rc != 0 && text != NULL ? text : job->checked.text,
                                      .more = "",
                                      .failed = rc != 0,
                                      .ns = lpi_kit_now() - job->ready.begin_ns};

    lpi_junit_add(job->ready.junit, &result);
}

int logp_check(logp_program program, void *arg, struct logp_check *given,
               struct logp_failure *failure)
{
    struct logp_failure found = {.rank = -1};
    const char *wrong = NULL;
    struct lpi_job *job;
    int rc;

    if (lpi_again_file() != NULL)
        return lpi_again(program, arg, given, failure);
    job = calloc(1, sizeof(*job));
    rc = job == NULL ? -ENOMEM : lpi_take_check(given, &job->check, &wrong);
    if (rc == -EINVAL || rc == -E2BIG)
        wrong = rc == -EINVAL ? "size: smaller than the struct"
                              : "size: larger than this library knows";
    else if (rc == 0 && program == NULL)
        wrong = "no program";
    else if (rc == 0 && wrong == NULL)
        wrong = lpi_wrong_with(&job->check);
    if (rc == 0 && wrong != NULL)
        rc = -EINVAL;
    if (wrong != NULL)
        snprintf(job->why, sizeof(job->why), "%s", wrong);
    if (job != NULL) {
        job->ready.junit = lpi_variable("LOGP_CHECK_JUNIT");
        job->ready.begin_ns = lpi_kit_now();
    }
    if (rc == 0) {
        job->program = program;
        job->arg = arg;
        job->is_search = true;
        job->most = job->check.runs;
        job->end_ns = end_of(job->check.time_ns);
        make_plan(&job->plan, &job->check);
        if (!lpi_reached_begin(&job->labels, &job->check)) {
            snprintf(job->why, sizeof(job->why),
                     "labels, must_reach: %d different ones at most, in both together", LPI_LABELS);
            rc = -EINVAL;
        }
        if (rc == 0)
            rc = lpi_regressions(job, given, &found);
        if (rc == 0)
            rc = search_watched(job, &found);
        if (job->fixed.n > 0)
            lpi_add_line(&found, "", job->fixed.s, 0);
    }
    if (rc != 0 && found.text == NULL && job != NULL && *job->why != '\0')
        lpi_refuse(job, &found);
    if (given != NULL && job != NULL)
        given->checked = job->checked;
    if (job != NULL)
        add_result(job, rc, found.text);
    rc = lpi_hand_over(&found, failure, rc);
    lpi_job_free(job);
    return rc;
}
