/* SPDX-License-Identifier: MIT */
/*
 * The smallest failure. One failing run, made smaller, keeps the deviations of its own cause, of which
 * there may be many: those of another run may be far fewer. So all runs with one deviation from the
 * usual order are made. Then the search continues with the same failure as its target: near it, from
 * places in it, and with other seeds. Runs with late choices have fewer choices than others, so runs with
 * late choices are made near each failure. Each failure is made smaller, and the one with the fewest
 * deviations is kept. A number of runs bounds this, so that one seed gives one failure; a time bounds it
 * only for long runs.
 */
#include "kit.h"

enum {
    LEAST_RUNS = 8000,
    MOST_IN_VAIN =
        4, /* failures in a row that are not smaller; each takes many runs, which are not counted */
    WORTH =
        2 /* a failure with so many deviations more than the best is made in other orders, too */
};

struct smallest {
    struct lpi_job *job;
    struct lpi_plan plan; /* of the best failure */
    struct lpi_answers best;
    struct lpi_outcome outcome;
    uint64_t left; /* runs */
    int64_t end_ns;
};

static int n_deviations(const struct smallest *s)
{
    return lpi_answers_deviations(&s->best);
}

static bool is_over(const struct smallest *s)
{
    return s->left == 0 || lpi_kit_now() >= s->end_ns || n_deviations(s) < 2;
}

/* The job's last run fails. If it is the same failure with fewer deviations, it is the best. */
static void keep(struct smallest *s)
{
    const struct lpi_job *job = s->job;

    if (!lpi_same_outcome(&job->outcome, &s->outcome) ||
        lpi_answers_deviations(&job->taken) >= n_deviations(s) ||
        !lpi_answers_copy(&s->best, &job->taken))
        return;
    s->plan = job->plan;
    s->outcome = job->outcome;
}

/* The number of alternatives of each choice in the run without deviations. NULL: unknown */
static int *usual_run(struct smallest *s, const struct lpi_plan *plan, int *n)
{
    static const struct lpi_answers none;
    struct lpi_job *job = s->job;
    int *of = NULL;

    s->left--;
    if (lpi_job_again(job, plan, &none, NULL) != 0 || job->observer == NULL)
        return NULL;
    *n = lpi_observer_count(job->observer);
    of = malloc(((size_t)*n + 1) * sizeof(*of));
    for (int i = 0; of != NULL && i < *n; i++)
        of[i] = job->observer->points[i].n;
    return of;
}

/* The plan of the best failure, but with late choices, of which there are fewer. */
static struct lpi_plan late_plan(const struct smallest *s)
{
    struct lpi_plan plan = s->plan;

    plan.late = true;
    plan.order = false;
    return plan;
}

/* All runs with one deviation. */
static void deviate_once(struct smallest *s, const struct lpi_plan *plan)
{
    struct lpi_answers one = {0};
    int n = 0, *of = usual_run(s, plan, &n);

    if (of != NULL && LPI_GROW(one.index, one.capacity, n + 1)) {
        memset(one.index, 0, (size_t)(n + 1) * sizeof(*one.index));
        for (int i = 0; i < n; i++)
            for (int k = 1; k < of[i] && !is_over(s); k++, s->left--) {
                one.index[i] = k;
                one.n = i + 1;
                if (lpi_job_again(s->job, plan, &one, NULL) == 0)
                    keep(s);
                one.index[i] = 0;
            }
    }
    free(of);
    lpi_answers_free(&one);
}

/* Search until a run fails, or `most` are done. near: near the best failure, in runs of about so many choices;
 * 0: with other seeds. @return false: no run fails */
static bool search(struct smallest *s, const struct lpi_plan *plan, int near, uint64_t most)
{
    struct lpi_job *job = s->job;
    int rc;

    job->check.seed = lpi_kit_mix(job->check.seed + 1);
    job->most = most < s->left ? most : s->left;
    job->end_ns = s->end_ns;
    job->plan = *plan;
    job->outcome.kind = LOGP_FAILURE_NONE;
    rc = near > 0 ? lpi_search_with(job, plan->P, &lpi_strategy_near, lpi_near_new(&s->best, near))
                  : lpi_search(job, plan->P);
    job->from.n = 0; /* a shrink searches, too */
    if (rc != 0 || job->outcome.kind == LOGP_FAILURE_NONE) {
        s->left -= job->most;
        return false;
    }
    s->left -= job->plan.run + 1 < s->left ? job->plan.run + 1 : s->left;
    if (lpi_same_outcome(&job->outcome, &s->outcome)) {
        job->worth = n_deviations(s) + WORTH;
        lpi_shrink(job);
        job->worth = 0;
        keep(s);
    }
    return true;
}

/* Search on with other seeds. */
static void search_on(struct smallest *s, uint64_t most)
{
    const struct logp_check check = s->job->check;
    const struct lpi_plan first = s->plan;
    const uint64_t end = s->left - most;
    bool fails = true;

    for (int in_vain = 0; in_vain < 2 * MOST_IN_VAIN && fails && !is_over(s) && s->left > end;) {
        const int before = n_deviations(s);

        fails = search(s, &first, 0, s->left - end);
        in_vain = n_deviations(s) < before ? 0 : in_vain + 1;
    }
    s->job->check.seed = check.seed;
}

/* Search on with runs that begin as the best failure, up to a place that is drawn: they fail far more often than
 * others, and often with fewer deviations. */
static void search_from(struct smallest *s, uint64_t most)
{
    const uint64_t seed = s->job->check.seed;
    const struct lpi_plan first = s->plan;
    const uint64_t end = s->left - most;
    struct lpi_answers begin = {0};
    bool fails = true;

    for (int in_vain = 0; in_vain < MOST_IN_VAIN && fails && !is_over(s) && s->left > end;) {
        const int before = n_deviations(s);

        if (!lpi_answers_copy(&begin, &s->best))
            break;
        s->job->from = (struct lpi_way){.answers = begin.index,
                                        .n = begin.n,
                                        .late = s->plan.late,
                                        .rendezvous_from = s->plan.network.rendezvous_from};
        fails = search(s, &first, 0, s->left - end);
        in_vain = n_deviations(s) < before ? 0 : in_vain + 1;
    }
    s->job->check.seed = seed;
    lpi_answers_free(&begin);
}

/* Search near the best failure; late: in runs with late choices, whatever its own are. */
static void search_near(struct smallest *s, uint64_t most, bool late)
{
    const struct logp_check check = s->job->check;
    const uint64_t end = s->left > most ? s->left - most : 0;
    struct logp_check *c = &s->job->check;

    while (!is_over(s) && s->left > end) {
        const struct lpi_plan plan = late ? late_plan(s) : s->plan;
        int n = 0, *of = usual_run(s, &plan, &n);
        bool fails;

        free(of);
        c->strategy = LOGP_STRATEGY_DELAYS; /* draw.c: late as in the plan */
        c->sends = plan.network.rendezvous_from == 0   ? LOGP_SENDS_BUFFERED
                   : plan.network.rendezvous_from == 1 ? LOGP_SENDS_SYNCHRONOUS
                                                       : LOGP_SENDS_LIMITED;
        fails = search(s, &plan, n, s->left - end);
        c->strategy = check.strategy;
        if (!fails)
            break;
    }
    c->strategy = check.strategy;
    c->sends = check.sends;
    c->seed = check.seed;
}

void lpi_smallest(struct lpi_job *job, uint64_t runs)
{
    const uint64_t most = job->most;
    const int64_t wanted = job->check.smallest_runs;
    const struct logp_check check = job->check;
    const int P = job->plan.P;
    struct lpi_plan plan = job->plan;
    struct smallest s = {.job = job, .plan = job->plan, .outcome = job->outcome};

    if (wanted < 0 || !job->plan.untimed || job->check.as_found ||
        job->outcome.kind == LOGP_FAILURE_LIVELOCK || job->outcome.kind == LOGP_FAILURE_TIMEOUT ||
        !lpi_answers_copy(&s.best, &job->taken))
        return;
    s.left = wanted > 0 ? (uint64_t)wanted : runs > LEAST_RUNS ? runs : LEAST_RUNS;
    s.end_ns = lpi_kit_now() + LPI_SMALLEST_S * INT64_C(1000000000);
    job->check.sizes = &P;
    job->check.n_sizes = 1;
    job->check.smallest = 0;
    if (!is_over(&s))
        deviate_once(&s, &plan);
    if (!s.plan.late && lpi_may_be_late(&job->check) && !is_over(&s)) {
        plan = late_plan(&s);
        deviate_once(&s, &plan);
        if (!is_over(&s))
            search_near(&s, s.left / 2, true);
    }
    if (lpi_may_be_late(&job->check) && !is_over(&s))
        search_from(&s, s.left / 2);
    if (!is_over(&s))
        search_near(&s, s.left / 2, false);
    if (job->check.strategy != LOGP_STRATEGY_EXHAUSTIVE && !is_over(&s))
        search_on(&s, s.left / 2);
    if (!s.plan.late && lpi_may_be_late(&job->check) && !is_over(&s))
        search_near(&s, s.left / 2, true);
    if (!is_over(&s))
        search_near(&s, s.left, false);
    job->check = check;
    job->most = most;
    job->end_ns = 0;
    job->plan = s.plan;
    job->outcome = s.outcome;
    lpi_answers_copy(&job->taken, &s.best);
    lpi_answers_free(&s.best);
}
