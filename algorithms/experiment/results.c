/* SPDX-License-Identifier: MIT */
/* The results of the repetitions of an experiment. */
#include "experiment.h"

#include <logp/transport.h>

#include <string.h>

double logp_record_ratio(const struct logp_record *r)
{
    const int64_t median = r->has_measured ? r->measured.median_ns : r->emulated.median_ns;

    if (r->reps == 0 || r->prediction.certainty == LOGP_PREDICTION_NONE || r->prediction.ns == 0 ||
        !r->has_emulated)
        return 0;
    return (double)median / (double)r->prediction.ns;
}

double logp_record_undisturbed_ratio(const struct logp_record *r)
{
    return r->disturbed < r->reps && r->has_measured && logp_record_ratio(r) > 0
               ? (double)r->undisturbed.median_ns / (double)r->prediction.ns
               : 0;
}

/* Requires the times of runs, wall and emulated, to be sorted. */
static void resolve_interval(struct state *s)
{
    struct logp_record *r = s->record;

    r->has_interval = s->is_virtual && r->prediction.certainty == LOGP_PREDICTION_EXACT;
    if (r->has_interval)
        r->interval = (struct logp_interval){r->emulated.median_ns, r->emulated.median_ns};
    else
        r->has_interval = logp_median_interval(s->is_virtual ? s->emulated : s->wall,
                                               (size_t)r->reps, &r->interval);
}

/* Share the text of the process that has the wrong rank; all others have zeroes, which are less. */
static void share_difference(struct state *s, struct logp_machine *machine)
{
    int64_t text[sizeof(s->difference) / sizeof(int64_t)] = {0};

    if (s->record->wrong_rank < 0)
        return;
    if (s->difference_rank == s->record->wrong_rank)
        memcpy(text, s->difference, sizeof(text));
    if (logp_machine_agree(machine, text, sizeof(text) / sizeof(text[0]), LOGP_AGREE_MAX) != 0)
        return;
    memcpy(s->difference, text, sizeof(text));
    s->difference_rank = s->record->wrong_rank;
}

/* Over several processes: what rank 0 knows of the repetitions, and which result is wrong. */
static void share(struct state *s, struct logp_machine *machine)
{
    struct logp_record *r = s->record;
    int64_t reps = r->reps, wrong = r->wrong_rank < 0 ? s->P : r->wrong_rank;
    const size_t capacity = (size_t)s->experiment->reps * sizeof(*s->wall);

    if (s->leaders.first != 0) {
        memset(s->wall, 0, capacity);
        memset(s->emulated, 0, capacity);
        memset(s->absence, 0, capacity);
    }
    if (logp_machine_agree(machine, &reps, 1, LOGP_AGREE_MIN) != 0 ||
        logp_machine_agree(machine, &wrong, 1, LOGP_AGREE_MIN) != 0)
        return;
    r->reps = (int)reps;
    r->wrong_rank = wrong < s->P ? (int)wrong : -1;
    logp_machine_agree(machine, s->wall, (size_t)reps, LOGP_AGREE_MAX);
    logp_machine_agree(machine, s->emulated, (size_t)reps, LOGP_AGREE_MAX);
    logp_machine_agree(machine, s->absence, (size_t)reps, LOGP_AGREE_MAX);
    share_difference(s, machine);
}

/* The caller's array: each rank's mean, in each process that of all ranks. */
static void finish_rank_times(struct state *s, struct logp_machine *machine)
{
    int64_t *out = s->own.rank_ns;

    if (s->rank_ns == NULL || s->faults != NULL || s->record->reps == 0)
        return;
    for (int i = 0; i < s->P; i++) {
        const int n = s->is_virtual ? s->finished[i] : s->record->reps;

        /* relaxed: the run has ended */
        out[i] = (atomic_load_explicit(&s->rank_ns[i], memory_order_relaxed) + n / 2) / n;
    }
    if (s->leaders.n > 1)
        logp_machine_agree(machine, out, (size_t)s->P, LOGP_AGREE_MAX);
}

void lpi_finish(struct state *s, struct logp_machine *machine, const struct logp_report *report)
{
    struct logp_record *r = s->record;

    for (int i = s->P - 1; i >= 0 && s->faults == NULL; i--)
        if (s->wrong[i])
            r->wrong_rank = i;
    if (s->leaders.n > 1)
        share(s, machine);
    if (r->wrong_rank >= 0 && s->collective->holds_back && s->faults == NULL)
        strcpy(r->wrong, "it left before all had entered");
    else if (r->wrong_rank >= 0 && r->wrong_rank == s->difference_rank)
        memcpy(r->wrong, s->difference, sizeof(r->wrong));
    r->verified = r->reps > 0 && r->wrong_rank < 0;
    r->clock_error_ns = logp_machine_clock_error(machine);
    r->lag.median_ns = report->lag.median_ns;
    r->lag.p99_ns = report->lag.p99_ns;
    r->lag.max_ns = report->lag.max_ns;
    if (r->reps == 0)
        return;
    if (s->is_virtual)
        memset(s->wall, 0, (size_t)r->reps * sizeof(*s->wall));
    else
        lpi_mark_disturbed(s);
    r->messages =
        report->messages / (uint64_t)(r->reps + r->restarts) - lpi_leaders_messages(&s->leaders);
    r->measured = logp_summary_of(s->wall, (size_t)r->reps);
    r->emulated = logp_summary_of(s->emulated, (size_t)r->reps);
    resolve_interval(s);
    finish_rank_times(s, machine);
}
