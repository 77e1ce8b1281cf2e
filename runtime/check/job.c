/* SPDX-License-Identifier: MIT */
/*
 * Runs of a program. They follow each other on the thread that carries the vps
 * (logp_machine_repeat()): between two of them another_run() looks at what the last one came to.
 */
#include "kit.h"

#include <logp/trace.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t host_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- answers ---- */

bool lpi_answers_copy(struct lpi_answers *to, const struct lpi_answers *from)
{
    if (to->room < from->n) {
        int *index = realloc(to->index, (size_t)from->n * sizeof(*index));

        if (index == NULL)
            return false;
        to->index = index;
        to->room = from->n;
    }
    if (from->n > 0)
        memcpy(to->index, from->index, (size_t)from->n * sizeof(*to->index));
    to->n = from->n;
    return true;
}

int lpi_answers_deviations(const struct lpi_answers *a)
{
    int n = 0;

    for (int i = 0; i < a->n; i++)
        n += a->index[i] != 0;
    return n;
}

static bool append(struct lpi_answers *a, int answer)
{
    if (a->n == a->room) {
        const int room = 2 * a->room + 256;
        int *index = realloc(a->index, (size_t)room * sizeof(*index));

        if (index == NULL)
            return false;
        a->index = index;
        a->room = room;
    }
    a->index[a->n++] = answer;
    return true;
}

/* ---- what the explorer asks ---- */

/* The answer that was given last time. One that there is no more stands for the usual one. */
static int given(const struct lpi_job *job, int n)
{
    const struct lpi_answers *g = job->given;
    const int answer = g != NULL && job->taken.n < g->n ? g->index[job->taken.n] : 0;

    return answer < n ? answer : LPI_STALE;
}

static int choose(void *arg, const struct logp_alternative *a, int n)
{
    struct lpi_job *job = arg;
    int answer = 0;

    if (job->ended != 0)
        return 0;
    if (job->ops != NULL)
        answer = job->ops->choose(job->strategy, a, n);
    else if (n > 1)
        answer = given(job, n);
    if (answer >= 0 && n > 1 && job->story != NULL &&
        !lpi_story_choice(job->story, job->taken.n, a, answer))
        answer = LPI_NO_MEMORY;
    if (answer >= 0 && n > 1 && !append(&job->taken, answer))
        answer = LPI_NO_MEMORY;
    if (answer >= 0)
        return answer;
    job->ended = answer;
    logp_machine_stop(job->now->machine, -ECANCELED);
    return 0;
}

/* A fault that is drawn strikes, unless it is left out: then it has not been given as an answer. */
static bool takes_place(void *arg, const struct logp_strike *strike)
{
    struct lpi_job *job = arg;
    int answer = 1;

    if (job->ended != 0)
        return false;
    if (job->ops == NULL)
        answer = given(job, 2);
    if ((answer == 1 && job->story != NULL &&
         !lpi_story_strike(job->story, job->taken.n, strike)) ||
        (answer >= 0 && !append(&job->taken, answer)))
        answer = LPI_NO_MEMORY;
    if (answer < 0)
        job->ended = answer;
    return answer == 1;
}

static void note(void *arg, const struct logp_note *n)
{
    const struct lpi_job *job = arg;

    lpi_story_note(job->story, n);
}

/* ---- machines ---- */

static bool is_text(const char *text)
{
    return text != NULL && *text != '\0';
}

/* What of the check rc is about. */
static int because(struct lpi_job *job, int rc, const char *why)
{
    if (rc == -EINVAL && *job->why == '\0')
        snprintf(job->why, sizeof(job->why), "%s", why);
    return rc;
}

/* Around the model that is there. */
static int add_faults(struct lpi_job *job, struct logp_delay *delay, void **fault)
{
    const struct logp_fault_config config = {.size = sizeof(config),
                                             .faults = job->plan.faults,
                                             .noise = job->plan.noise,
                                             .P = job->plan.P,
                                             .unit_ns = 1};
    struct logp_delay inner = *delay;
    int rc;

    *fault = NULL;
    if (!is_text(config.faults) && !is_text(config.noise))
        return 0;
    rc = logp_fault_create(&inner, &config, delay, job->why);
    if (rc != 0) {
        logp_delay_destroy(&inner);
        return rc;
    }
    *fault = delay->model;
    logp_fault_ask(*fault, takes_place, job);
    return 0;
}

static int set_delay(struct lpi_job *job, struct logp_delay *out, void **latency)
{
    static const char wrong_params[] = "params: as logp_delay_params() says them, none negative";
    const struct lpi_plan *plan = &job->plan;
    struct logp_delay inner = {0};
    int rc;

    *latency = NULL;
    if (!plan->has_params)
        return 0;
    if (logp_delay_name(&plan->params) == NULL)
        return because(job, -EINVAL, wrong_params);
    rc = because(job, logp_delay_create(logp_delay_name(&plan->params), &plan->params, &inner),
                 wrong_params);
    if (rc != 0 || plan->latency.kind == LOGP_LATENCY_AS_IS) {
        *out = inner;
        return rc;
    }
    rc = because(job, logp_latency_create(&inner, &plan->latency, out),
                 "latency: a kind, with its sigma or samples");
    if (rc == 0)
        *latency = out->model;
    else
        logp_delay_destroy(&inner);
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
    int rc;

    if (config.executor == NULL)
        config.executor = "fiber";
    rc = set_delay(job, &config.delay, &m->latency);
    if (rc == 0)
        rc = add_faults(job, &config.delay, &m->fault);
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

/* The machine of job->plan, with what the plan says: job->now. */
static int take_machine(struct lpi_job *job)
{
    const struct lpi_plan *plan = &job->plan;
    const struct logp_explorer explorer = {.size = sizeof(explorer),
                                           .choose = choose,
                                           .note = job->story != NULL ? note : NULL,
                                           .arg = job,
                                           .order = plan->order,
                                           .messages = plan->messages,
                                           .untimed = plan->untimed,
                                           .late = plan->late,
                                           .misses = plan->misses};
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
    return rc != 0 ? rc : logp_machine_explore(job->now->machine, &explorer);
}

void lpi_job_forget(struct lpi_job *job)
{
    for (int i = 0; i < job->n_machines; i++)
        logp_machine_destroy(job->machines[i].machine); /* one that is busy stays behind */
    free(job->machines);
    job->machines = NULL;
    job->n_machines = 0;
}

void lpi_job_fini(struct lpi_job *job)
{
    lpi_job_forget(job);
    for (int i = 0; i < job->n_texts; i++)
        free(job->texts[i]);
    free(job->texts);
    free(job->taken.index);
}

/* ---- a run ---- */

/* What a run is to be like, before it begins. @return as check.before */
static int begin(struct lpi_job *job)
{
    const struct lpi_plan *plan = &job->plan;

    job->taken.n = 0;
    job->ended = 0;
    job->outcome = (struct lpi_outcome){.rank = -1};
    logp_machine_set_rendezvous(job->now->machine, plan->rendezvous);
    if (job->now->latency != NULL)
        logp_latency_seed(job->now->latency, plan->seed);
    if (job->now->fault != NULL)
        logp_fault_seed(job->now->fault, plan->seed);
    if (job->ops != NULL)
        job->ops->begin(job->strategy, plan->seed);
    return job->check.before != NULL ? job->check.before(plan->P, job->arg) : 0;
}

static struct lpi_outcome failed(enum logp_failure_kind kind, int error, int rank)
{
    return (struct lpi_outcome){.kind = kind, .error = error, .rank = rank};
}

/* What the run has come to. */
static struct lpi_outcome look_at(const struct lpi_job *job, const struct logp_report *r)
{
    struct lpi_outcome o = failed(LOGP_FAILURE_NONE, 0, -1);
    int rc;

    if (job->ended != 0) {
        o.error = job->ended == LPI_STALE ? -ESTALE : job->ended == LPI_NO_MEMORY ? -ENOMEM : 0;
    } else if (r->asserted.file != NULL) {
        o = failed(LOGP_FAILURE_ASSERTED, -EPROTO, r->asserted.rank);
        o.asserted = r->asserted;
        o.time_ns = r->asserted.time_ns;
    } else if (r->error_rank >= 0) {
        o = failed(LOGP_FAILURE_ERROR, r->error, r->error_rank);
    } else if (r->error == -EDEADLK) {
        o = failed(LOGP_FAILURE_DEADLOCK, r->error, -1);
    } else if (r->error == -ETIMEDOUT) {
        o = failed(LOGP_FAILURE_TIMEOUT, r->error, r->n_waits > 0 ? r->waits[0].rank : -1);
    } else if (r->error != 0) {
        o.error = r->error;
    } else if (job->check.after != NULL && (rc = job->check.after(r, job->arg)) != 0) {
        o = failed(LOGP_FAILURE_AFTER, rc, -1);
    } else if (job->check.all_received && r->unreceived > 0) {
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

static void end(struct lpi_job *job, const struct logp_report *r)
{
    job->outcome = look_at(job, r);
    if (job->story != NULL && !lpi_story_waits(job->story, r))
        job->outcome = failed(LOGP_FAILURE_NONE, -ENOMEM, -1);
}

static bool no_more(void *arg, const struct logp_report *r)
{
    end(arg, r);
    return false;
}

static void draw_seed(struct lpi_job *job)
{
    struct lpi_plan *plan = &job->plan;
    uint64_t random;

    plan->seed = lpi_kit_mix(lpi_kit_mix(job->check.seed ^ (uint64_t)plan->P) + plan->run);
    random = ~plan->seed;
    plan->rendezvous = -1;
    switch (job->check.sends) {
    case LOGP_SENDS_BUFFERED:
        break;
    case LOGP_SENDS_VARIED:
        if (lpi_kit_below(&random, 3) == 0)
            break;
        if (lpi_kit_below(&random, 2) == 0) {
            plan->rendezvous = 0;
            break;
        } /* fall through */
    case LOGP_SENDS_LIMITED:
        plan->rendezvous = (int64_t)job->check.rendezvous_bytes;
        break;
    case LOGP_SENDS_SYNCHRONOUS:
        plan->rendezvous = 0;
        break;
    }
}

/* Has all been done that was asked for, when the next would be run number `run`? */
static bool is_enough(const struct lpi_job *job, uint64_t run)
{
    return run >= job->most || (job->end_ns != 0 && host_ns() >= job->end_ns);
}

/* A run has ended: shall there be another? It is prepared then. */
static bool another_run(void *arg, const struct logp_report *r)
{
    struct lpi_job *job = arg;
    bool more;

    end(job, r);
    job->checked.runs++;
    if ((uint64_t)job->taken.n > job->checked.choices)
        job->checked.choices = (uint64_t)job->taken.n;
    if (job->outcome.kind != LOGP_FAILURE_NONE || job->outcome.error != 0)
        return false;
    more = job->ops->next(job->strategy, job->ended == LPI_REDUNDANT, &job->checked);
    if (!more || is_enough(job, job->plan.run + 1))
        return false;
    job->plan.run++;
    draw_seed(job);
    job->outcome.error = begin(job);
    return job->outcome.error == 0;
}

static int run(struct lpi_job *job, bool (*again)(void *, const struct logp_report *))
{
    struct logp_machine *m = job->now->machine;
    const int rc =
        logp_machine_repeat(m, job->program, job->arg, job->check.timeout_ns, again, job);

    if (rc == -ETIMEDOUT && job->outcome.kind == LOGP_FAILURE_NONE) {
        job->left_behind = logp_machine_busy(m);
        end(job, logp_machine_report(m));
    }
    if (job->outcome.kind != LOGP_FAILURE_NONE)
        return 0;
    return job->outcome.error != 0 || job->ended != 0 ? job->outcome.error : rc;
}

/* Record the run that is to come, or take what was recorded: what cannot be had is none. */
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

int lpi_job_again(struct lpi_job *job, const struct lpi_plan *plan,
                  const struct lpi_answers *answers, struct lpi_story *story)
{
    int rc;

    job->plan = *plan;
    job->ops = NULL;
    job->given = answers;
    job->story = story;
    rc = take_machine(job);
    if (rc == 0)
        rc = begin(job);
    if (rc == 0) {
        trace(job, true);
        rc = run(job, no_more);
        trace(job, false);
    }
    job->given = NULL;
    return rc;
}

int lpi_job_search(struct lpi_job *job, int P)
{
    const struct lpi_strategy_ops *const all[] = {
        [LOGP_STRATEGY_RANDOM] = &lpi_strategy_random,
        [LOGP_STRATEGY_PCT] = &lpi_strategy_pct,
        [LOGP_STRATEGY_EXHAUSTIVE] = &lpi_strategy_exhaustive,
    };
    int rc;

    job->plan.P = P;
    job->plan.run = 0;
    job->story = NULL;
    job->ops = all[job->check.strategy];
    job->strategy = job->ops->create(P, &job->check);
    if (job->strategy == NULL)
        return -ENOMEM;
    draw_seed(job);
    rc = take_machine(job);
    if (rc == 0)
        rc = begin(job);
    if (rc == 0)
        rc = run(job, another_run);
    if (!job->left_behind)
        job->ops->destroy(job->strategy);
    return rc;
}
