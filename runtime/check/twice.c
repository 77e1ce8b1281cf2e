/* SPDX-License-Identifier: MIT */
/*
 * The same run twice. A run is a function of the answers alone, unless the program depends on
 * something else: the time, random numbers, addresses, threads, data left by an earlier run. Then
 * its failures cannot be repeated, and no result of the kit for other runs holds. So some runs are
 * repeated with the same answers, and so is each failure; the descriptions of the choices, and the
 * outcomes, must be equal.
 */
#include "kit.h"

#include <errno.h>
#include <string.h>

static bool is_same_point(const struct lpi_point *a, const struct lpi_point *b)
{
    return a->kind == b->kind && a->n == b->n && a->rank == b->rank && a->source == b->source &&
           a->tag == b->tag && a->polls == b->polls;
}

bool lpi_twice_keep(struct lpi_twice *w, const struct lpi_observer *e, const struct lpi_outcome *o)
{
    w->n = lpi_observer_count(e);
    w->outcome = *o;
    w->differs = false;
    if (!LPI_GROW(w->points, w->capacity, w->n))
        return false;
    if (w->n > 0)
        memcpy(w->points, e->points, (size_t)w->n * sizeof(*w->points));
    return true;
}

bool lpi_twice_is_equal(struct lpi_twice *w, const struct lpi_observer *e,
                        const struct lpi_outcome *o)
{
    const int n = lpi_observer_count(e);
    int i = 0;

    while (i < n && i < w->n && is_same_point(&e->points[i], &w->points[i]))
        i++;
    w->differs = i < n || i < w->n || !lpi_same_outcome(o, &w->outcome);
    w->at = i < n || i < w->n ? i : -1;
    w->has_first = i < w->n;
    if (w->has_first)
        w->first = w->points[i];
    w->has_second = i < n;
    if (w->has_second)
        w->second = e->points[i];
    return !w->differs;
}

bool lpi_twice_begin(struct lpi_job *job)
{
    struct lpi_observer *e = job->observer;
    const struct lpi_answers taken = {.index = e->taken, .n = lpi_observer_count(e)};
    const int every = job->check.twice_every;

    if (every <= 0 || (job->plan.run + 1) % (uint64_t)every != 0 ||
        job->outcome.kind != LOGP_FAILURE_NONE || job->outcome.error != 0 ||
        lpi_observer_ended(e) != 0 || !lpi_twice_keep(&job->twice, e, &job->outcome) ||
        !lpi_answers_copy(&e->given, &taken))
        return false;
    job->twice.ops = e->ops;
    e->ops = NULL;
    return true;
}

void lpi_twice_end(struct lpi_job *job)
{
    struct lpi_twice *w = &job->twice;

    job->observer->ops = w->ops;
    w->ops = NULL;
    if (job->outcome.kind == LOGP_FAILURE_TIMEOUT)
        return;
    if (lpi_twice_is_equal(w, job->observer, &job->outcome))
        job->outcome = w->outcome;
    else
        job->outcome = lpi_outcome_with(LOGP_FAILURE_UNCONTROLLED, -ESTALE, -1);
}
