/* SPDX-License-Identifier: MIT */
/* The functions of check.h: search for a failure, shrink it, describe it; and replay it. */
#include "kit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const int default_sizes[] = {2, 3};
enum {
    DEFAULT_RUNS = 1000,
    MOST_EXECUTIONS = 1000000,
    DEFAULT_MISSES = 3,
    MOST_CHANGES = 1000,
    MOST_STEPS = 200000,
    TWICE_EVERY = 64,
    MOST_CORES = 256
};

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

int lpi_take_check(const struct logp_check *given, struct logp_check *check, const char **wrong)
{
    const size_t first = LOGP_UP_TO(struct logp_check, checked);
    int rc = 0;

    *check = (struct logp_check){0};
    if (given != NULL && given->size == 0)
        memcpy(check, given, first);
    else if (given != NULL)
        rc = logp_struct_take(check, sizeof(*check), first, given);
    check->checked = (struct logp_checked){0};
    if (wrong != NULL)
        *wrong = lpi_environment(check);
    if (check->sizes == NULL) {
        check->sizes = default_sizes;
        check->n_sizes = 2;
    }
    if (check->runs == 0)
        check->runs = check->strategy == LOGP_STRATEGY_EXHAUSTIVE ? MOST_EXECUTIONS : DEFAULT_RUNS;
    if (check->misses == 0)
        check->misses = DEFAULT_MISSES;
    if (check->most_steps == 0)
        check->most_steps = MOST_STEPS;
    if (check->twice_every == 0)
        check->twice_every = TWICE_EVERY;
    if (check->timeout_ns == 0)
        check->timeout_ns = INT64_C(10000000000);
    if (check->name == NULL)
        check->name = "program";
    return rc;
}

/* What is wrong with the check; NULL: nothing. */
static const char *wrong_with(const struct logp_check *c)
{
    const bool exhaustive = c->strategy == LOGP_STRATEGY_EXHAUSTIVE, timed = !lpi_is_untimed(c);
    const struct logp_network none = {.undelayed = true};
    const struct logp_network *n = c->network != NULL ? c->network : &none;
    const bool drawn = n->latency != NULL && n->latency->kind != LOGP_LATENCY_AS_IS;
    const struct logp_fault_limits *f = &c->most_faults;
    const struct {
        bool wrong;
        const char *why;
    } all[] = {
        {c->n_sizes < 1, "n_sizes: at least one size"},
        {c->cores < 0 || c->cores > MOST_CORES, "cores: 0 .. 256"},
        {c->strategy < LOGP_STRATEGY_RANDOM || c->strategy > LOGP_STRATEGY_EXHAUSTIVE,
         "strategy: random, PCT or exhaustive"},
        {c->depth < 0, "depth: negative"},
        {c->strategy == LOGP_STRATEGY_PCT && c->depth > MOST_CHANGES, "depth: 1000 at most"},
        {c->misses < 0, "misses: negative"},
        {c->time_ns < 0, "time_ns: negative"},
        {c->timeout_ns < 0, "timeout_ns: negative"},
        {c->smallest < 0, "smallest: negative"},
        {c->sends < LOGP_SENDS_BUFFERED || c->sends > LOGP_SENDS_VARIED,
         "sends: buffered, limited, synchronous or varied"},
        {n->rendezvous_from < 0, "network: rendezvous_from is negative"},
        {n->rendezvous_from > 0 && c->sends != LOGP_SENDS_LIMITED && c->sends != LOGP_SENDS_VARIED,
         "network: rendezvous_from only with LOGP_SENDS_LIMITED or LOGP_SENDS_VARIED"},
        {n->unit_ns > 1, "network: unit_ns is 1 ns; give times a suffix"},
        {n->topology != NULL || n->links != NULL, "network: neither topology nor links"},
        {strchr(c->name, '\n') != NULL, "name: one line"},
        {c->all_received && c->leaves_messages, "leaves_messages: not with all_received"},
        {f->crashes < 0 || f->restarts < 0 || f->lost < 0 || f->doubled < 0 || f->partitions < 0,
         "most_faults: negative"},
        {timed && (f->lost > 0 || f->doubled > 0 || f->partitions > 0),
         "most_faults: with network parameters only crashes and restarts; see network.faults"},
        {exhaustive && f->partitions > 0,
         "most_faults: LOGP_STRATEGY_EXHAUSTIVE does not support partitions"},
        {exhaustive && timed, "network: without parameters with LOGP_STRATEGY_EXHAUSTIVE"},
        {exhaustive && c->sends == LOGP_SENDS_VARIED,
         "sends: LOGP_STRATEGY_EXHAUSTIVE does not support LOGP_SENDS_VARIED"},
        {!timed && drawn, "latency: only with network parameters"},
        {timed && n->params.latency_varies && drawn,
         "latency: only with params that have one latency"},
        {timed && n->params.recv_streams, "params: loggops is not supported"},
        {!timed && n->faults != NULL, "faults: only with network parameters"},
        {!timed && n->noise != NULL, "noise: only with network parameters"},
    };

    for (int i = 0; i < c->n_sizes; i++)
        if (c->sizes[i] < 1 || c->sizes[i] > LOGP_MAX_PROCESSORS)
            return "sizes: 1 .. LOGP_MAX_PROCESSORS processors each";
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].wrong)
            return all[i].why;
    return NULL;
}

void lpi_refuse(struct lpi_job *job, struct logp_failure *found)
{
    struct lpi_text text = {0};

    snprintf(job->checked.text, sizeof(job->checked.text), "%.150s", job->why);
    lpi_text_add(&text, "%s cannot be checked: %s\n", job->check.name, job->why);
    found->text = text.s;
}

static void make_plan(struct lpi_plan *plan, const struct logp_check *c)
{
    const bool exhaustive = c->strategy == LOGP_STRATEGY_EXHAUSTIVE;

    *plan = (struct lpi_plan){.order = !exhaustive && !c->fixed_order,
                              .messages = exhaustive || !c->fixed_matches,
                              .untimed = lpi_is_untimed(c),
                              .late = exhaustive,
                              .misses = c->misses,
                              .most_steps = c->most_steps,
                              .most_faults = c->most_faults,
                              .network = {.undelayed = true}};
    if (c->network != NULL)
        plan->network = *c->network;
    if (plan->network.latency != NULL)
        plan->latency = *plan->network.latency;
    plan->network.rendezvous_from = 0; /* drawn, or as c->sends says: job.c */
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
    if (rc == 0 && outcome.kind != LOGP_FAILURE_TIMEOUT)
        rc = lpi_job_again(job, &plan, &answers, story);
    if (rc != -ENOMEM && (rc != 0 || !lpi_job_same(&job->outcome, &outcome))) {
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

/* Search all sizes. @return 0: no failure; or as logp_check() */
static int search(struct lpi_job *job, struct logp_failure *failure)
{
    const struct logp_check *c = &job->check;
    struct logp_checked done;
    const int64_t end_ns = job->end_ns;
    bool complete = true;
    int rc = 0, n = 0;

    for (; rc == 0 && job->outcome.kind == LOGP_FAILURE_NONE && n < c->n_sizes; n++) {
        job->checked.complete = false;
        job->end_ns = share_of(end_ns, c->n_sizes - n);
        rc = lpi_job_search(job, c->sizes[n]);
        complete = complete && job->checked.complete;
    }
    job->checked.complete = complete && job->checked.cut == 0;
    if (rc != 0 || job->outcome.kind == LOGP_FAILURE_NONE)
        return rc;
    done = job->checked;
    done.complete = false;
    job->end_ns = 0;
    job->progress.makes_smaller = true;
    job->check.twice_every = -1;
    job->check.cores = 1;
    if (job->outcome.kind != LOGP_FAILURE_TIMEOUT &&
        job->outcome.kind != LOGP_FAILURE_UNCONTROLLED && lpi_twice_confirm(job))
        lpi_shrink(job);
    rc = tell(job, failure);
    job->checked = done;
    if (rc == 0)
        rc = lpi_leave_replay(job, failure);
    return rc != 0 ? rc : failure->error;
}

static int search_watched(struct lpi_job *job, struct logp_failure *failure)
{
    int rc;

    lpi_signals_watch();
    lpi_progress_begin(&job->progress);
    rc = search(job, failure);
    lpi_progress_end(&job->progress);
    lpi_signals_unwatch();
    if (job->checked.chance < 0) /* pct.c: no bound holds */
        job->checked.chance = 0;
    lpi_progress_describe(job, failure->kind != LOGP_FAILURE_NONE, rc);
    return rc;
}

void lpi_job_free(struct lpi_job *job)
{
    if (job == NULL || job->left_behind)
        return;
    lpi_job_fini(job);
    free(job);
}

/* An empty failure. */
static int nothing(struct logp_failure *failure)
{
    *failure = (struct logp_failure){.rank = -1, .text = strdup("")};
    return failure->text == NULL ? -ENOMEM : 0;
}

int lpi_hand_over(struct logp_failure *found, struct logp_failure *failure, int rc)
{
    if (found->text == NULL && nothing(found) != 0)
        rc = -ENOMEM;
    if (failure != NULL)
        *failure = *found;
    else
        logp_failure_free(found);
    return rc;
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
        wrong = wrong_with(&job->check);
    if (rc == 0 && wrong != NULL)
        rc = -EINVAL;
    if (wrong != NULL)
        snprintf(job->why, sizeof(job->why), "%s", wrong);
    if (rc == 0) {
        job->program = program;
        job->arg = arg;
        job->is_search = true;
        job->most = job->check.runs;
        job->end_ns = end_of(job->check.time_ns);
        make_plan(&job->plan, &job->check);
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
    rc = lpi_hand_over(&found, failure, rc);
    lpi_job_free(job);
    return rc;
}

void logp_failure_free(struct logp_failure *failure)
{
    if (failure == NULL)
        return;
    free(failure->text);
    free(failure->replay);
    *failure = (struct logp_failure){.rank = -1};
}
