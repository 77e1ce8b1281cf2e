/* SPDX-License-Identifier: MIT */
/* Runs of a program. They follow each other on the thread that runs the vps
 * (logp_machine_repeat()). Between two runs another_run() evaluates the last one. */
#include "kit.h"

#include <logp/trace.h>

#include <errno.h>

void lpi_job_free(struct lpi_job *job)
{
    if (job == NULL || job->left_behind)
        return;
    lpi_job_forget(job);
    for (int i = 0; i < job->n_texts; i++)
        free(job->texts[i]);
    free(job->texts);
    free(job->fixed.s);
    lpi_outcomes_free(&job->outcomes);
    lpi_answers_free(&job->taken);
    lpi_drawn_free(&job->drawn);
    lpi_reached_free(&job->labels);
    free(job->twice.points);
    lpi_ready_free(job);
    lpi_observer_free(job->observer);
    free(job);
}

/* ---- a run ---- */

/* Set up the next run. */
static void prepare(struct lpi_job *job)
{
    const struct lpi_plan *plan = &job->plan;

    lpi_observer_begin(job->observer);
    lpi_reached_begin_run(&job->labels);
    job->outcome = (struct lpi_outcome){.rank = -1};
    logp_machine_set_rendezvous_from(job->now->machine, plan->network.rendezvous_from);
    logp_machine_set_seed(job->now->machine, plan->seed);
    if (job->observer->ops != NULL)
        job->observer->ops->begin(job->observer->strategy, plan->seed);
}

/* @return as check.before */
static int call_before(struct lpi_job *job, int P)
{
    const int rc = job->check.before != NULL ? job->check.before(P, job->arg) : 0;

    if (rc != 0 && *job->why == '\0')
        snprintf(job->why, sizeof(job->why), "before returned %d", rc);
    return rc;
}

/* Whether the search is over before run number `run`. */
static bool is_enough(struct lpi_job *job, uint64_t run)
{
    const struct lpi_sharing *s = job->sharing;
    const bool is_last = run >= job->most,
               is_late = !is_last && job->end_ns != 0 && lpi_kit_now() >= job->end_ns;

    job->out_of_runs = job->out_of_runs || is_last;
    job->out_of_time = job->out_of_time || is_late;
    return is_last || is_late || (s != NULL && s->is_over != NULL && s->is_over(job, run));
}

/* Whether the program has chosen anything in this run. */
static bool has_chosen(const struct lpi_observer *e)
{
    int n = lpi_observer_count(e);

    while (n > 0 && e->points[n - 1].kind != LOGP_PICK)
        n--;
    return n > 0;
}

/* Decide whether a cut run is a failure: it is where each run must end, or if no run of this size
 * has ended. But an exhaustive check begins with the first alternatives of a program, and a program
 * may run for ever with those. */
static void allow_cut(struct lpi_job *job)
{
    const bool may_end =
        job->check.strategy == LOGP_STRATEGY_EXHAUSTIVE && has_chosen(job->observer);

    job->checked.cut++;
    if (!job->check.must_end && (job->whole > 0 || may_end || job->plan.run + 1 != LPI_FIRST_RUNS))
        job->outcome = lpi_outcome_with(LOGP_FAILURE_NONE, 0, -1);
}

/* Take over the outcome of a run. @return whether another run follows, which is set up except for
 * check.before. */
static bool conclude(struct lpi_job *job, const struct lpi_outcome *o, const struct logp_report *r)
{
    const struct lpi_observer *observer = job->observer;
    const struct lpi_sharing *s = job->sharing;
    const bool tells = s != NULL && s->add_run != NULL;
    const bool redundant = lpi_observer_ended(observer) == LPI_REDUNDANT || o->error == -ELOOP;
    const bool was_late = job->plan.late, again = job->twice.ops != NULL;
    bool cut, has_outcome;
    uint64_t next_run;

    job->outcome = *o;
    if (job->story != NULL && !lpi_story_waits(job->story, r))
        job->outcome = lpi_outcome_with(LOGP_FAILURE_NONE, -ENOMEM, -1);
    lpi_progress_show(job);
    if (again)
        lpi_twice_end(job);
    else if (observer->ops == NULL)
        return false;
    /* a vp that does not come back may still note events */
    has_outcome = !redundant && job->outcome.kind != LOGP_FAILURE_TIMEOUT;
    if (!again && has_outcome && !tells)
        lpi_progress_add_outcome(job, lpi_views_hash(&observer->views), job->plan.run);
    if (!again && lpi_twice_begin(job)) {
        prepare(job);
        return true;
    }
    lpi_progress_add_run(job, lpi_observer_count(observer));
    lpi_reached_add_run(job);
    cut = job->outcome.kind == LOGP_FAILURE_LIVELOCK && *job->outcome.detail == '\0';
    if (cut)
        allow_cut(job);
    else
        job->whole++;
    if (tells)
        s->add_run(job, has_outcome, cut);
    next_run = s != NULL && s->next != NULL ? s->next(job) : job->plan.run + 1;
    if (job->outcome.kind != LOGP_FAILURE_NONE || job->outcome.error != 0 ||
        (observer->ops->next != NULL &&
         !observer->ops->next(observer->strategy, redundant, &job->checked)) ||
        is_enough(job, next_run))
        return false;
    job->plan.run = next_run;
    lpi_job_draw(job);
    if (job->plan.late != was_late && lpi_machine_explore(job) != 0)
        return false;
    prepare(job);
    return true;
}

/* A run has ended. The check's functions may not return in time, as a vp may not. */
static bool another_run(void *arg, const struct logp_report *r)
{
    struct lpi_observer *observer = arg;
    struct lpi_job *job = observer->job;
    struct lpi_outcome o;
    bool more;
    int P, rc;

    observer->between = true;
    o = lpi_outcome_of(job, observer, lpi_observer_ended(observer), r);
    if (!lpi_observer_enter(observer))
        return false;
    more = conclude(job, &o, r);
    P = job->plan.P;
    lpi_observer_leave(observer);
    rc = more ? call_before(job, P) : 0;
    if (rc != 0 && lpi_observer_enter(observer)) {
        job->outcome.error = rc;
        lpi_observer_leave(observer);
    }
    observer->between = !more || rc != 0;
    return more && rc == 0;
}

/* A vp, or a function of the check, has not returned: leave the observer behind with it. */
static void leave_behind(struct lpi_job *job)
{
    lpi_observer_detach(job->observer);
    job->left_behind = true;
    job->story = NULL;
}

static int run(struct lpi_job *job)
{
    struct logp_machine *m = job->now->machine;
    struct lpi_observer *observer = job->observer;
    int ended, rc;

    rc = logp_machine_repeat(m, lpi_signals_program, observer, job->check.timeout_ns, another_run,
                             observer);
    if (rc == -ETIMEDOUT && logp_machine_busy(m))
        leave_behind(job);
    ended = lpi_observer_ended(observer);
    if (rc == -ETIMEDOUT && job->outcome.kind == LOGP_FAILURE_NONE) {
        /* a redundant run that was to end, and did not in time */
        const int by = ended == LPI_REDUNDANT ? 0 : ended;
        const struct lpi_outcome o = lpi_outcome_of(job, observer, by, logp_machine_report(m));

        conclude(job, &o, logp_machine_report(m));
    }
    if (!lpi_observer_taken(observer, &job->taken))
        job->outcome = lpi_outcome_with(LOGP_FAILURE_NONE, -ENOMEM, -1);
    if (observer->detached)
        job->observer = NULL;
    if (job->outcome.kind != LOGP_FAILURE_NONE)
        return 0;
    /* -ELOOP: the last run was cut */
    return job->outcome.error != 0 || ended != 0 || rc == -ELOOP ? job->outcome.error : rc;
}

int lpi_job_listen(struct lpi_job *job, const struct lpi_strategy_ops *ops, void *strategy,
                   const struct lpi_answers *given, struct lpi_story *story)
{
    static const struct lpi_answers none;

    if (job->observer == NULL)
        job->observer = lpi_observer_new(job);
    if (job->observer == NULL ||
        !lpi_answers_copy(&job->observer->given, given != NULL ? given : &none) ||
        (ops != NULL && !lpi_views_begin(&job->observer->views, job->plan.P)))
        return -ENOMEM;
    if (job->check.leaves_frames) {
        free(job->observer->frames);
        job->observer->frames = calloc((size_t)job->plan.P, sizeof(*job->observer->frames));
        if (job->observer->frames == NULL)
            return -ENOMEM;
    }
    job->observer->given.by_what =
        given != NULL && given->by_what && job->observer->given.what != NULL;
    job->twice.ops = NULL;
    job->labels.way.n = 0;
    job->observer->ops = ops;
    job->observer->names = ops == NULL;
    job->observer->strategy = strategy;
    job->story = job->observer->story = story;
    return 0;
}

/* Record the next run, or take its record; without memory there is none. */
static void trace(struct lpi_job *job, bool begins)
{
    const struct logp_trace_config config = {.size = sizeof(config)};
    struct logp_machine *m = job->now->machine;

    if (job->trace == NULL || job->story == NULL)
        return;
    if (begins)
        logp_machine_trace(m, &config);
    else if (logp_machine_take_trace(m, job->trace) == 0)
        logp_machine_trace(m, NULL);
    else
        *job->trace = NULL;
}

/* A run of job->plan, or all that another_run() asks for. @return as lpi_job_again() */
static int go_here(struct lpi_job *job)
{
    struct lpi_observer *outer;
    int rc = lpi_machine_take(job);

    if (rc != 0)
        return rc;
    lpi_ready_make(job);
    prepare(job);
    job->observer->between = true;
    outer = lpi_signals_enter(job->observer);
    rc = call_before(job, job->plan.P);
    if (rc == 0) {
        trace(job, true);
        job->observer->between = false;
        rc = run(job);
        trace(job, false);
    }
    lpi_signals_enter(outer);
    return rc;
}

int lpi_job_begin(struct lpi_job *job)
{
    lpi_job_draw(job);
    return go_here(job);
}

int lpi_job_go(struct lpi_job *job)
{
    return job->isolated != NULL ? lpi_child_go(job, go_here) : go_here(job);
}

int lpi_job_again(struct lpi_job *job, const struct lpi_plan *plan,
                  const struct lpi_answers *answers, struct lpi_story *story)
{
    const int rc = lpi_job_listen(job, NULL, NULL, answers, story);

    job->plan = *plan;
    return rc != 0 ? rc : lpi_job_go(job);
}

bool lpi_job_confirm(struct lpi_job *job)
{
    const struct lpi_plan plan = job->plan;
    const struct lpi_outcome outcome = job->outcome;
    struct lpi_answers taken = {0};
    bool same = true;
    int rc;

    if (job->observer == NULL || !lpi_twice_keep(&job->twice, job->observer, &outcome) ||
        !lpi_answers_copy(&taken, &job->taken))
        return true;
    rc = lpi_job_again(job, &plan, &taken, NULL);
    if (job->observer != NULL && (rc == 0 || rc == -ESTALE))
        same = lpi_twice_is_equal(&job->twice, job->observer, &job->outcome);
    job->plan = plan;
    job->outcome = outcome;
    lpi_answers_copy(&job->taken, &taken);
    lpi_answers_free(&taken);
    return same;
}

int lpi_job_guided(struct lpi_job *job, const struct lpi_plan *plan, struct lpi_guide *guide)
{
    int rc;

    job->plan = *plan;
    rc = lpi_job_listen(job, &lpi_strategy_guide, guide, NULL, NULL);
    return rc != 0 ? rc : lpi_job_go(job);
}
