/* SPDX-License-Identifier: MIT */
/* Runs of a program. They follow each other on the thread that carries the vps
 * (logp_machine_repeat()). Between two runs another_run() evaluates the last one. */
#include "kit.h"

#include <logp/trace.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- machines ---- */

/* If rc is -EINVAL, note what in the check is wrong. @return rc */
static int because(struct lpi_job *job, int rc, const char *why)
{
    if (rc == -EINVAL && *job->why == '\0')
        snprintf(job->why, sizeof(job->why), "%s", why);
    return rc;
}

static int create(struct lpi_job *job, struct lpi_machine *m)
{
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = job->plan.P,
                                 .clock = LOGP_CLOCK_VIRTUAL,
                                 .executor = job->check.executor,
                                 .stacks = LOGP_STACKS_OWN,
                                 .stack_bytes = job->check.stack_bytes};
    struct logp_network network = job->plan.network;
    int rc;

    if (config.executor == NULL)
        config.executor = "fiber";
    network.latency = &job->plan.latency;
    rc = logp_network_delay(&network, job->plan.P, NULL, &config.delay, job->why);
    if (rc != 0)
        return rc;
    rc = because(job, logp_machine_create(&config, &m->machine),
                 "stack_bytes: too small, or too many");
    if (rc == -ENOENT)
        snprintf(job->why, sizeof(job->why), "executor: thread or fiber, not %.64s",
                 config.executor);
    if (rc != 0)
        logp_delay_destroy(&config.delay);
    return rc;
}

/* The explorer of job->plan, from the next run on. */
static int set_explorer(struct lpi_job *job)
{
    const struct lpi_plan *plan = &job->plan;
    const struct logp_explorer explorer = {.size = sizeof(explorer),
                                           .choose = lpi_observer_choose,
                                           .note = job->story != NULL || job->check.event != NULL
                                                       ? lpi_observer_note
                                                   : job->observer->ops != NULL ? lpi_observer_view
                                                                                : NULL,
                                           .arg = job->observer,
                                           .order = plan->order,
                                           .messages = plan->messages,
                                           .untimed = plan->untimed,
                                           .late = plan->late,
                                           .misses = plan->misses,
                                           .most_steps = plan->most_steps,
                                           .most_faults = plan->most_faults,
                                           .checks_requests = true,
                                           .all_completed = !job->check.leaves_requests,
                                           .poison = job->check.poison};

    return logp_machine_explore(job->now->machine, &explorer);
}

/* Set job->now to the machine of job->plan, with the plan's settings. */
static int take_machine(struct lpi_job *job)
{
    const struct lpi_plan *plan = &job->plan;
    int rc = 0;

    if (plan->P >= job->n_machines) {
        const int n = plan->P + 1;
        struct lpi_machine *machines = realloc(job->machines, (size_t)n * sizeof(*machines));

        if (machines == NULL)
            return -ENOMEM;
        memset(machines + job->n_machines, 0, (size_t)(n - job->n_machines) * sizeof(*machines));
        job->machines = machines;
        job->n_machines = n;
    }
    job->now = &job->machines[plan->P];
    if (job->now->machine == NULL)
        rc = create(job, job->now);
    if (rc == 0)
        rc = set_explorer(job);
    if (rc == 0 && logp_machine_faults(job->now->machine) != NULL)
        logp_fault_ask(logp_machine_faults(job->now->machine), lpi_observer_takes_place,
                       job->observer);
    if (rc == 0 && plan->latency.kind != LOGP_LATENCY_AS_IS) {
        job->observer->drawn = plan->drawn;
        logp_machine_ask_latencies(job->now->machine,
                                   plan->drawn != NULL || job->story != NULL ? lpi_observer_is_drawn
                                                                             : NULL,
                                   job->observer);
    }
    job->observer->machine = job->now->machine;
    return rc;
}

void lpi_job_forget(struct lpi_job *job)
{
    for (int i = 0; i < job->n_machines; i++)
        logp_machine_destroy(job->machines[i].machine); /* a busy machine is left behind */
    free(job->machines);
    job->machines = NULL;
    job->n_machines = 0;
}

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
    job->outcome = (struct lpi_outcome){.rank = -1};
    logp_machine_set_rendezvous_from(job->now->machine, plan->network.rendezvous_from);
    logp_machine_set_seed(job->now->machine, plan->seed);
    if (job->observer->ops != NULL)
        job->observer->ops->begin(job->observer->strategy, plan->seed);
}

/* @return as check.before */
static int call_before(const struct lpi_job *job, int P)
{
    return job->check.before != NULL ? job->check.before(P, job->arg) : 0;
}

static struct lpi_outcome failed(enum logp_failure_kind kind, int error, int rank)
{
    return (struct lpi_outcome){.kind = kind, .error = error, .rank = rank};
}

/* Faults lose and double messages, and end those that would receive them. */
static bool may_leave_messages(const struct lpi_job *job)
{
    const char *faults = job->plan.network.faults;

    return job->check.leaves_messages ||
           (!job->check.all_received &&
            ((faults != NULL && *faults != '\0') || lpi_has_limits(&job->plan.most_faults)));
}

/* The outcome of a run that the observer has seen. ended: the answer that ended it, or 0. If the run
 * comes back late, the job may have left the observer behind. */
static struct lpi_outcome look_at(const struct lpi_job *job, const struct lpi_observer *observer,
                                  int ended, const struct logp_report *r)
{
    struct lpi_outcome o = failed(LOGP_FAILURE_NONE, 0, -1);
    int rc;

    if (ended != 0) {
        o.error = ended == LPI_STALE ? -ESTALE : ended == LPI_NO_MEMORY ? -ENOMEM : 0;
    } else if (r->asserted.file != NULL) {
        o = failed(LOGP_FAILURE_ASSERTED, -EPROTO, r->asserted.rank);
        o.asserted = r->asserted;
        if (r->asserted.detail != NULL) /* it is the machine's */
            snprintf(o.detail, sizeof(o.detail), "%s", r->asserted.detail);
        o.asserted.detail = NULL;
        o.time_ns = r->asserted.time_ns;
    } else if (observer->event != 0) {
        o = failed(LOGP_FAILURE_AFTER, observer->event, -1);
    } else if (r->error_rank >= 0) {
        o = failed(LOGP_FAILURE_ERROR, r->error, r->error_rank);
    } else if (r->error == -EDEADLK) {
        o = failed(LOGP_FAILURE_DEADLOCK, r->error, -1);
    } else if (r->error == -ETIMEDOUT) {
        o = failed(LOGP_FAILURE_TIMEOUT, r->error, r->n_waits > 0 ? r->waits[0].rank : -1);
    } else if (r->error == -ELOOP) {
        o = failed(LOGP_FAILURE_LIVELOCK, r->error, -1);
    } else if (r->error != 0) {
        o.error = r->error;
    } else if (job->check.after != NULL && (rc = job->check.after(r, job->arg)) != 0) {
        o = failed(LOGP_FAILURE_AFTER, rc, -1);
    } else if (r->unreceived > 0 && !may_leave_messages(job)) {
        o = failed(LOGP_FAILURE_LEFT_OVER, -EBADMSG, -1);
        o.n_left_over = r->unreceived;
    }
    return o;
}

bool lpi_job_same(const struct lpi_outcome *a, const struct lpi_outcome *b)
{
    return a->kind == b->kind && a->error == b->error && a->asserted.line == b->asserted.line &&
           (a->asserted.file == b->asserted.file ||
            (a->asserted.file != NULL && b->asserted.file != NULL &&
             strcmp(a->asserted.file, b->asserted.file) == 0));
}

/* Three of four runs take messages as late as possible: each vp goes on until it needs one. Such runs
 * have few choices, find more bugs of protocols, and become small. The others find bugs of memory that
 * vps share. */
static void draw_late(struct lpi_job *job)
{
    if (lpi_may_be_late(&job->check)) {
        job->plan.late = job->plan.run % LPI_LATE_OF != LPI_LATE_OF - 1;
        job->plan.order = !job->plan.late;
    }
}

/* The bytes from which on the sends of a run wait for their receivers; 0: none waits. */
static int64_t draw_sends(const struct logp_check *c, uint64_t *random)
{
    const int64_t limit = c->network != NULL ? c->network->rendezvous_from : 0;

    switch (c->sends) {
    case LOGP_SENDS_BUFFERED:
        return 0;
    case LOGP_SENDS_VARIED:
        if (lpi_kit_below(random, 3) == 0)
            return 0;
        return lpi_kit_below(random, 2) == 0 || limit == 0 ? 1 : limit;
    case LOGP_SENDS_LIMITED:
        return limit > 0 ? limit : 1;
    case LOGP_SENDS_SYNCHRONOUS:
        return 1;
    }
    return 0;
}

void lpi_job_draw(struct lpi_job *job)
{
    struct lpi_plan *plan = &job->plan;
    uint64_t random;

    draw_late(job);
    plan->seed = lpi_kit_mix(lpi_kit_mix(job->check.seed ^ (uint64_t)plan->P) + plan->run);
    random = ~plan->seed;
    plan->network.rendezvous_from = draw_sends(&job->check, &random);
}

/* Is the search over before run number `run`? */
static bool is_enough(struct lpi_job *job, uint64_t run)
{
    const bool is_last = run >= job->most,
               is_late = !is_last && job->end_ns != 0 && lpi_kit_now() >= job->end_ns;

    job->out_of_runs = job->out_of_runs || is_last;
    job->out_of_time = job->out_of_time || is_late;
    return is_last || is_late || lpi_cores_is_over(job, run);
}

/* Has the program chosen anything in this run? */
static bool has_chosen(const struct lpi_observer *e)
{
    int n = lpi_observer_count(e);

    while (n > 0 && e->points[n - 1].kind != LOGP_PICK)
        n--;
    return n > 0;
}

/* The run was cut. That is a failure where it must end, or if no run of this size has ended. But an
 * exhaustive check begins with the first alternatives of a program, and a program may go on for ever
 * with those. */
static void allow_cut(struct lpi_job *job)
{
    const bool may_end =
        job->check.strategy == LOGP_STRATEGY_EXHAUSTIVE && has_chosen(job->observer);

    job->checked.cut++;
    if (!job->check.must_end && (job->whole > 0 || may_end || job->plan.run + 1 != LPI_FIRST_RUNS))
        job->outcome = failed(LOGP_FAILURE_NONE, 0, -1);
}

/* Take over the outcome of a run. @return shall there be another? It is set up then, except for
 * check.before. */
static bool conclude(struct lpi_job *job, const struct lpi_outcome *o, const struct logp_report *r)
{
    const struct lpi_observer *observer = job->observer;
    const bool redundant = lpi_observer_ended(observer) == LPI_REDUNDANT || o->error == -ELOOP;
    const bool was_late = job->plan.late, again = job->twice.ops != NULL;
    bool cut, has_outcome;
    uint64_t next_run;

    job->outcome = *o;
    if (job->story != NULL && !lpi_story_waits(job->story, r))
        job->outcome = failed(LOGP_FAILURE_NONE, -ENOMEM, -1);
    lpi_progress_show(job);
    if (again)
        lpi_twice_end(job);
    else if (observer->ops == NULL)
        return false;
    /* a vp that does not come back may still note what it sees */
    has_outcome = !redundant && job->outcome.kind != LOGP_FAILURE_TIMEOUT;
    if (!again && has_outcome && job->explorer == NULL)
        lpi_progress_add_outcome(job, lpi_views_hash(&observer->views), job->plan.run);
    if (!again && lpi_twice_begin(job)) {
        prepare(job);
        return true;
    }
    lpi_progress_add_run(job, lpi_observer_count(observer));
    cut = job->outcome.kind == LOGP_FAILURE_LIVELOCK;
    if (cut)
        allow_cut(job);
    else
        job->whole++;
    if (job->explorer != NULL)
        lpi_explorer_add_run(job, has_outcome, cut);
    next_run = lpi_cores_next(job);
    if (job->outcome.kind != LOGP_FAILURE_NONE || job->outcome.error != 0 ||
        !observer->ops->next(observer->strategy, redundant, &job->checked) ||
        is_enough(job, next_run))
        return false;
    job->plan.run = next_run;
    lpi_job_draw(job);
    if (job->plan.late != was_late && set_explorer(job) != 0)
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
    o = look_at(job, observer, lpi_observer_ended(observer), r);
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
        const struct lpi_outcome o = look_at(job, observer, by, logp_machine_report(m));

        conclude(job, &o, logp_machine_report(m));
    }
    if (!lpi_observer_taken(observer, &job->taken))
        job->outcome = failed(LOGP_FAILURE_NONE, -ENOMEM, -1);
    if (observer->detached)
        job->observer = NULL;
    if (job->outcome.kind != LOGP_FAILURE_NONE)
        return 0;
    /* -ELOOP: the last run was cut */
    return job->outcome.error != 0 || ended != 0 || rc == -ELOOP ? job->outcome.error : rc;
}

/* Set what answers and records the next runs. */
static int listen(struct lpi_job *job, const struct lpi_strategy_ops *ops, void *strategy,
                  const struct lpi_answers *given, struct lpi_story *story)
{
    static const struct lpi_answers none;

    if (job->observer == NULL)
        job->observer = lpi_observer_new(job);
    if (job->observer == NULL ||
        !lpi_answers_copy(&job->observer->given, given != NULL ? given : &none) ||
        (ops != NULL && !lpi_views_begin(&job->observer->views, job->plan.P)))
        return -ENOMEM;
    job->observer->given.by_what =
        given != NULL && given->by_what && job->observer->given.what != NULL;
    job->twice.ops = NULL;
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
    int rc = take_machine(job);

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

/* The first of the runs that one process among several makes. */
static int begin(struct lpi_job *job)
{
    lpi_job_draw(job);
    return go_here(job);
}

static int go(struct lpi_job *job)
{
    return job->isolated != NULL ? lpi_child_go(job, go_here) : go_here(job);
}

int lpi_job_again(struct lpi_job *job, const struct lpi_plan *plan,
                  const struct lpi_answers *answers, struct lpi_story *story)
{
    const int rc = listen(job, NULL, NULL, answers, story);

    job->plan = *plan;
    return rc != 0 ? rc : go(job);
}

int lpi_job_guided(struct lpi_job *job, const struct lpi_plan *plan, struct lpi_guide *guide)
{
    int rc;

    job->plan = *plan;
    rc = listen(job, &lpi_strategy_guide, guide, NULL, NULL);
    return rc != 0 ? rc : go(job);
}

int lpi_job_search(struct lpi_job *job, int P)
{
    const struct lpi_strategy_ops *const all[] = {
        [LOGP_STRATEGY_RANDOM] = &lpi_strategy_random,
        [LOGP_STRATEGY_PCT] = &lpi_strategy_pct,
        [LOGP_STRATEGY_EXHAUSTIVE] = &lpi_strategy_exhaustive,
    };
    const struct lpi_strategy_ops *ops = all[job->check.strategy];
    void *strategy = ops->create(P, &job->check);
    int rc;

    if (strategy == NULL)
        return -ENOMEM;
    job->plan.P = P;
    job->plan.run = job->whole = 0;
    lpi_progress_begin_size(job);
    lpi_job_draw(job);
    rc = listen(job, ops, strategy, NULL, NULL);
    if (rc != 0) {
        ops->destroy(strategy);
        return rc;
    }
    if (job->check.cores <= 1)
        rc = go(job);
    else if (ops == &lpi_strategy_exhaustive)
        rc = lpi_branches_go(job, job->check.cores, strategy, begin);
    else
        rc = lpi_cores_go(job, job->check.cores, begin);
    if (job->observer != NULL) /* else it is left behind, too */
        ops->destroy(strategy);
    return rc;
}
