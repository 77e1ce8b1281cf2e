/* SPDX-License-Identifier: MIT */
/*
 * The run that passes and is nearest to a failure: it has as many choices in common with it as can be,
 * then another one, and then the usual ones. So the last choices are changed first.
 */
#include "kit.h"

#include <logp/trace.h>

enum { MOST_TRIES = 2000 };

struct nearest {
    struct lpi_job *job;
    struct lpi_answers failed; /* the choices of the failure; */
    struct lpi_point *points;  /* their descriptions */
    struct lpi_answers trial;
    int tries;
};

/* A run with the first `at` choices of the failure, then `answer`. @return whether it passes */
static bool passes(struct nearest *near, const struct lpi_plan *plan, int at, int answer)
{
    struct lpi_job *job = near->job;

    if (++near->tries > MOST_TRIES || job->left_behind ||
        !lpi_answers_copy(&near->trial, &near->failed))
        return false;
    near->trial.index[at] = answer;
    near->trial.n = at + 1;
    return lpi_job_again(job, plan, &near->trial, NULL) == 0 &&
           job->outcome.kind == LOGP_FAILURE_NONE;
}

/* @return the number of the choice that differs, and near->trial has the choices; -1: none is found */
static int find(struct nearest *near, const struct lpi_plan *plan)
{
    for (int at = near->failed.n - 1; at >= 0; at--) {
        const int n = near->points[at].kind < 0 ? 2 : near->points[at].n;

        for (int answer = 0; answer < n; answer++)
            if (answer != near->failed.index[at] && passes(near, plan, at, answer))
                return at;
    }
    return -1;
}

/* The run in near->trial once more, with a trace, as an answer to the command. */
static void tell(struct nearest *near, const struct lpi_plan *plan, int at, struct lpi_text *t)
{
    struct lpi_job *job = near->job;
    struct lpi_story *story = lpi_story_new(plan->P);
    struct logp_trace *trace = NULL;
    struct lpi_text words = {0};

    if (story == NULL)
        return;
    job->trace = &trace;
    story->keeps_notes = lpi_trace_needs_notes(job, plan);
    if (lpi_job_again(job, plan, &near->trial, story) == 0 && trace != NULL &&
        at < lpi_observer_count(job->observer)) {
        lpi_text_add(&words, "choice %d: ", at + 1);
        lpi_tell_point(&words, &near->points[at]);
        if (near->points[at].kind < 0) {
            lpi_text_add(&words, near->failed.index[at] != 0
                                     ? ", which the run that passes has not"
                                     : ", which only the run that passes has");
        } else {
            lpi_text_add(&words, "; in the run that passes, ");
            lpi_tell_point(&words, &job->observer->points[at]);
        }
        lpi_text_add(t, "logp-replayed 1\noutcome nearest 0\ntext %zu\n%s\n", words.n,
                     words.s != NULL ? words.s : "");
        lpi_trace_write(t, job, story, trace);
        lpi_text_add(t, "end\n");
    }
    job->trace = NULL;
    job->story = NULL;
    free(words.s);
    logp_trace_free(trace);
    if (!job->left_behind)
        lpi_story_free(story);
}

void lpi_nearest(struct lpi_job *job, struct lpi_text *t)
{
    const struct lpi_plan plan = job->plan;
    const struct lpi_outcome outcome = job->outcome;
    struct nearest near = {.job = job};
    int capacity = 0, at = -1;

    if (job->observer == NULL || outcome.kind == LOGP_FAILURE_NONE ||
        outcome.kind == LOGP_FAILURE_TIMEOUT || outcome.kind == LOGP_FAILURE_UNCONTROLLED)
        return;
    job->trace = NULL;
    job->story = NULL;
    if (lpi_answers_copy(&near.failed, &job->taken) &&
        LPI_GROW(near.points, capacity, near.failed.n)) {
        if (near.failed.n > 0)
            memcpy(near.points, job->observer->points,
                   (size_t)near.failed.n * sizeof(*near.points));
        at = find(&near, &plan);
    }
    if (at >= 0)
        tell(&near, &plan, at, t);
    job->outcome = outcome;
    job->plan = plan;
    lpi_answers_free(&near.failed);
    lpi_answers_free(&near.trial);
    free(near.points);
}
