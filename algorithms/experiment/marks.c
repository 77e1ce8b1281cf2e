/* SPDX-License-Identifier: MIT */
/* Which repetitions were disturbed: a core was away for too long. No repetition is dropped for that. */
#include "predict/predict.h"
#include "experiment.h"

#include <string.h>

void lpi_keep_times(struct state *s, const struct logp_run_time *t)
{
    const struct logp_record *r = s->record;

    if (s->own.runs != NULL)
        s->own.runs[r->reps + r->restarts] = *t;
    if (t->state == LOGP_RUN_REPEATED)
        return;
    s->wall[r->reps] = t->measured_ns;
    s->emulated[r->reps] = t->emulated_ns;
    s->absence[r->reps] = t->absence_ns;
}

/* The longest absence that disturbs nothing. */
static int64_t threshold(const struct state *s)
{
    const struct logp_record *r = s->record;
    const size_t n = (size_t)r->reps;
    int64_t ns = r->prediction.ns;

    if (s->own.disturbed_by_ns > 0)
        return s->own.disturbed_by_ns;
    if (r->prediction.certainty == LOGP_PREDICTION_NONE) {
        memcpy(s->sorted, s->wall, n * sizeof(*s->wall));
        ns = logp_summary_of(s->sorted, n).median_ns;
    }
    return lpi_max(ns / 100, LOGP_DISTURBED_BY_NS);
}

/* The states of the runs that the caller has wanted to see. */
static void mark_runs(struct state *s)
{
    const struct logp_record *r = s->record;

    for (int i = 0; s->own.runs != NULL && s->leaders.first == 0 && i < r->reps + r->restarts; i++)
        if (s->own.runs[i].state != LOGP_RUN_REPEATED)
            s->own.runs[i].state = s->own.runs[i].absence_ns > r->disturbed_by_ns
                                       ? LOGP_RUN_DISTURBED
                                       : LOGP_RUN_UNDISTURBED;
}

void lpi_mark_disturbed(struct state *s)
{
    struct logp_record *r = s->record;
    size_t n = 0;

    r->disturbed_by_ns = threshold(s);
    for (int i = 0; i < r->reps; i++)
        if (s->absence[i] <= r->disturbed_by_ns)
            s->sorted[n++] = s->wall[i];
    r->disturbed = r->reps - (int)n;
    if (n > 0)
        r->undisturbed = logp_summary_of(s->sorted, n);
    memcpy(s->sorted, s->absence, (size_t)r->reps * sizeof(*s->absence));
    r->absence_median_ns = logp_summary_of(s->sorted, (size_t)r->reps).median_ns;
    mark_runs(s);
}

bool logp_record_too_busy(const struct logp_record *r)
{
    return r->reps > 0 && (r->reps - r->disturbed) * INT64_C(3) < r->reps;
}
