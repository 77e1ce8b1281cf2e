/* SPDX-License-Identifier: MIT */
/* The outcome of a run, from what the machine reports and what the observer has seen. */
#include "kit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct lpi_outcome lpi_outcome_with(enum logp_failure_kind kind, int error, int rank)
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

/* A run has ended without a label of must_reach. */
static struct lpi_outcome not_reached(const struct lpi_job *job, struct lpi_outcome o, bool cut)
{
    const struct logp_check *c = &job->check;
    const char *label = lpi_reached_not(&job->labels, c->must_reach, c->n_must_reach);
    char shown[201];

    if (label == NULL ||
        (cut && c->strategy != LOGP_STRATEGY_RANDOM && c->strategy != LOGP_STRATEGY_DELAYS))
        return o;
    o = lpi_outcome_with(LOGP_FAILURE_LIVELOCK, -ELOOP, -1);
    lpi_kit_show(shown, sizeof(shown), label);
    snprintf(o.detail, sizeof(o.detail), "%s: not reached%s", shown,
             cut ? " within most_steps events" : ", though the run has ended");
    return o;
}

struct lpi_outcome lpi_outcome_of(const struct lpi_job *job, const struct lpi_observer *observer,
                                  int ended, const struct logp_report *r)
{
    struct lpi_outcome o = lpi_outcome_with(LOGP_FAILURE_NONE, 0, -1);
    int rc;

    if (ended == LPI_STALE && observer->ops != NULL && job->twice.differs) {
        o = lpi_outcome_with(LOGP_FAILURE_UNCONTROLLED, -ESTALE, -1);
    } else if (ended != 0) {
        o.error = ended == LPI_STALE ? -ESTALE : ended == LPI_NO_MEMORY ? -ENOMEM : 0;
    } else if (r->asserted.file != NULL) {
        o = lpi_outcome_with(LOGP_FAILURE_ASSERTED, -EPROTO, r->asserted.rank);
        o.asserted = r->asserted;
        if (r->asserted.detail != NULL) /* it is the machine's */
            snprintf(o.detail, sizeof(o.detail), "%s", r->asserted.detail);
        o.asserted.detail = NULL;
        o.time_ns = r->asserted.time_ns;
    } else if (observer->event != 0) {
        o = lpi_outcome_with(LOGP_FAILURE_AFTER, observer->event, -1);
    } else if (r->error_rank >= 0) {
        o = lpi_outcome_with(LOGP_FAILURE_ERROR, r->error, r->error_rank);
        if (r->error_call != NULL)
            snprintf(o.detail, sizeof(o.detail), "%.100s", r->error_call);
    } else if (r->error == -EDEADLK) {
        o = lpi_outcome_with(LOGP_FAILURE_DEADLOCK, r->error, -1);
    } else if (r->error == -ETIMEDOUT) {
        o = lpi_outcome_with(LOGP_FAILURE_TIMEOUT, r->error,
                             r->n_waits > 0 ? r->waits[0].rank : -1);
    } else if (r->error == -ELOOP) {
        o = not_reached(job, lpi_outcome_with(LOGP_FAILURE_LIVELOCK, r->error, -1), true);
    } else if (r->error != 0) {
        o.error = r->error;
    } else if (job->check.after != NULL && (rc = job->check.after(r, job->arg)) != 0) {
        o = lpi_outcome_with(LOGP_FAILURE_AFTER, rc, -1);
    } else if (r->unreceived > 0 && !may_leave_messages(job)) {
        o = lpi_outcome_with(LOGP_FAILURE_LEFT_OVER, -EBADMSG, -1);
        o.n_left_over = r->unreceived;
    } else {
        o = not_reached(job, o, false);
    }
    return o;
}

bool lpi_same_outcome(const struct lpi_outcome *a, const struct lpi_outcome *b)
{
    return a->kind == b->kind && a->error == b->error && a->asserted.line == b->asserted.line &&
           (a->asserted.file == b->asserted.file ||
            (a->asserted.file != NULL && b->asserted.file != NULL &&
             strcmp(a->asserted.file, b->asserted.file) == 0));
}
