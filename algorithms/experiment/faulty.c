/* SPDX-License-Identifier: MIT */
/*
 * The experiment where messages may be lost and processors stop. Each repetition is a run of its
 * own, so that none is spoilt by messages of an earlier one, and the next one starts whatever
 * becomes of it. Results are checked when the run has ended, also those of ranks that never came to
 * their own check.
 */
#include "operand/operand.h"
#include "predict/predict.h"
#include "schedule/schedule.h"
#include "experiment.h"

#include <errno.h>
#include <string.h>

/* The last repetition, whose run has ended with rc: the ranks without the right result are marked,
 * also those that never came so far as to look. @return how many did not finish, all after an
 * error; or an error */
static int look_at(struct state *s, int rc, uint64_t seed)
{
    int missing = rc != 0 ? s->P : 0;

    for (int i = 0; rc == 0 && s->is_virtual && i < s->P; i++)
        missing += s->finished[i] == 0;
    for (int i = 0; missing > 0 && i < s->P; i++) {
        struct task t = {.c = s->c};

        rc = lpi_task_of(s, i, &t);
        if (rc == 0)
            rc = lpi_verify(s, i, seed, &t);
        lpi_free_plan(&t.c.plan);
        if (rc != 0)
            return rc;
    }
    return missing;
}

/* Whether the algorithm survived that processors stopped: all others are through. */
static bool has_survived(const struct state *s, const struct logp_report *report)
{
    bool through = s->own.algorithm->survives && report->n_waits > 0;

    for (int i = 0; i < report->n_waits; i++)
        through = through && (report->waits[i].kind == LOGP_WAIT_HALTED ||
                              report->waits[i].kind == LOGP_WAIT_SYNC);
    return through;
}

/* Record the times of a repetition that counts. If a processor has stopped, rank 0 has not judged
 * it, so on the wall clock the times come from the ranks that have ended. */
static void keep_times(struct state *s, bool is_judged, const struct logp_report *report)
{
    struct logp_record *r = s->record;
    int64_t wall = 0, emulated = 0;

    if (s->is_virtual)
        s->emulated[r->reps++] = s->latest[0];
    if (s->is_virtual || is_judged)
        return;
    for (int i = 0; i < s->P; i++) {
        wall = lpi_max(wall, s->endings[i].wall);
        emulated = lpi_max(emulated, s->endings[i].emulated);
    }
    lpi_keep_times(s, &(struct logp_run_time){.measured_ns = wall - s->start_ns,
                                              .emulated_ns = emulated - s->start_ns,
                                              .absence_ns = report->absence_ns});
    r->reps++;
}

/* A counted repetition has ended. 0; or an error */
static int count_faulty(struct state *s, int rc, const struct logp_report *report, uint64_t seed)
{
    struct logp_record *r = s->record;
    struct logp_failed failed = {.repetition = s->done, .error = rc, .report = report};
    struct logp_fault_counts struck;
    const bool survived = has_survived(s, report);
    int missing = look_at(s, rc, seed), *wrong = s->wrong_ranks;

    if (missing < 0)
        return missing;
    logp_fault_counts(s->faults, &struck);
    r->struck.dropped += struck.dropped;
    r->struck.duplicated += struck.duplicated;
    r->struck.flipped += struck.flipped;
    r->struck.delayed += struck.delayed;
    for (int i = 0; i < report->n_waits; i++) /* a stopped rank does not have a result */
        if (report->waits[i].kind == LOGP_WAIT_HALTED)
            s->wrong[report->waits[i].rank] = !survived;
    for (int i = 0; i < s->P; i++)
        if (s->wrong[i])
            wrong[failed.n_wrong++] = i;
    if ((missing == 0 || survived) && failed.n_wrong == 0) {
        keep_times(s, missing == 0, report);
        return 0;
    }
    r->reps -= missing == 0 && !s->is_virtual; /* judge() knows nothing of results */
    if (r->failed++ == 0 && failed.n_wrong > 0)
        r->wrong_rank = wrong[0];
    failed.wrong = wrong;
    if (s->own.failed != NULL)
        s->own.failed(s->own.failed_arg, &failed);
    return 0;
}

/* Whether a run with this error shows nothing about the algorithm. */
static bool is_over(int rc)
{
    return rc == -EINTR || rc == -ETIMEDOUT || rc == -ENOMEM || rc == -EBUSY || rc == -ENOTSUP ||
           rc == -EAGAIN;
}

/* Add the report of one run: the largest lags, and its messages if it ended without an error. */
static void add_report(struct logp_report *all, const struct logp_report *one)
{
    all->messages += one->error == 0 ? one->messages : 0;
    all->lag.median_ns = lpi_max(all->lag.median_ns, one->lag.median_ns);
    all->lag.p99_ns = lpi_max(all->lag.p99_ns, one->lag.p99_ns);
    all->lag.max_ns = lpi_max(all->lag.max_ns, one->lag.max_ns);
}

/* Each repetition is a run of its own. */
int lpi_run_faulty(struct logp_machine *machine, struct state *s)
{
    const struct logp_experiment x = s->own;
    const int64_t start = lpi_host_ns();
    struct logp_report all = {.error = 0};
    int rc = 0;

    for (int i = -x.warmup; rc == 0 && i < x.reps; i++) {
        if (i == 0)
            s->first_start_ns = lpi_host_ns();
        s->counted = i >= 0;
        s->own.seed = x.seed + (uint64_t)(i + x.warmup);
        s->done = 0;
        s->total = 1;
        memset(s->finished, 0, (size_t)s->P * sizeof(*s->finished));
        memset(s->wrong, 0, (size_t)s->P * sizeof(*s->wrong));
        if (!s->is_virtual)
            memset(s->endings, 0, (size_t)s->P * sizeof(*s->endings));
        s->latest[0] = 0;
        logp_fault_seed(s->faults, x.seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)(int64_t)i);
        rc = lpi_run_program(machine, s, lpi_time_left(&x, start));
        if (is_over(rc))
            break;
        if (rc == 0 && s->total == 0) {
            i--;
            continue;
        }
        s->done = i;
        s->total = x.reps;
        if (i >= 0) {
            add_report(&all, logp_machine_report(machine));
            rc = count_faulty(s, rc, logp_machine_report(machine), s->own.seed + 1);
            s->done++;
            lpi_report_progress(s);
        } else {
            rc = 0;
        }
        if (rc == 0 && !s->is_virtual && i >= 0 && s->record->reps > 0 && lpi_enough(s))
            break;
    }
    lpi_finish(s, machine, &all);
    s->record->verified = s->record->reps > 0 && s->record->failed == 0;
    return rc;
}
