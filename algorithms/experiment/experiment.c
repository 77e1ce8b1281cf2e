/* SPDX-License-Identifier: MIT */
/* The experiment: see logp/experiment.h. All repetitions are one run of the machine, so that its
 * cores stay busy. */
#include "choice/choice.h"
#include "operand/operand.h"
#include "schedule/schedule.h"
#include "experiment.h"

#include <logp/experiment.h>
#include <logp/transport.h>
#include <logp/vp.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Virtual clock: the repetitions that all ranks have finished. */
static void count_finished(struct state *s)
{
    struct logp_record *r = s->record;

    r->reps = s->total;
    for (int i = 0; i < s->P; i++)
        r->reps = s->finished[i] < r->reps ? s->finished[i] : r->reps;
    for (int i = 0; i < r->reps; i++)
        s->emulated[i] = s->latest[i];
}

enum { ENOUGH_MESSAGES = 1 << 19 }; /* reading them takes some ms */

/* Let a parallel machine use the cores that a run of so many repetitions is worth, if its time is
 * predicted. Steps are read until there are enough. */
static void plan_cores(struct logp_machine *machine, const struct state *s, int reps)
{
    const struct logp_experiment *x = s->experiment;
    const struct logp_prediction *p = &s->record->prediction;
    const struct logp_schedule schedule =
        logp_schedule_of(x->algorithm, s->P, &x->args, &s->c.model);
    uint64_t messages = 0;

    if (!s->is_virtual || p->certainty == LOGP_PREDICTION_NONE || schedule.steps == NULL)
        return;
    for (int rank = 0; rank < s->P && messages < ENOUGH_MESSAGES; rank++) {
        struct logp_invocation c;
        struct logp_step step;

        if (logp_schedule_begin(&schedule, rank, &c) != 0)
            return;
        for (int64_t i = 0; schedule.steps(s->P, rank, &c, i, &step); i++)
            messages += step.kind == LOGP_STEP_SEND;
        logp_schedule_end(&c);
    }
    logp_machine_plan_cores(machine, messages * (uint64_t)reps, p->ns * reps);
}

/* The warm-up and the counted repetitions are a run each: so the report is of the latter alone. */
static int run_all(struct logp_machine *machine, struct state *s)
{
    const struct logp_experiment *x = s->experiment;
    const int64_t start = lpi_host_ns();
    const int absences = lpi_absences(s->collective, s->P);
    int rc = 0;

    for (int i = 0; rc == 0 && i < absences; i++)
        rc = lpi_run_without(machine, x, i, &s->c, &s->buffers, lpi_time_left(x, start), s->wrong);
    for (int counted = x->warmup == 0; rc == 0 && counted < 2; counted++) {
        s->counted = counted;
        s->total = counted ? x->reps : x->warmup;
        s->done = 0;
        s->first_start_ns = lpi_host_ns();
        memset(s->finished, 0, (size_t)s->P * sizeof(*s->finished));
        memset(s->latest, 0, (size_t)s->total * sizeof(*s->latest));
        if (x->warmup == 0 || !counted) /* else it goes by the warm-up */
            plan_cores(machine, s, s->total);
        rc = lpi_run_program(machine, s, lpi_time_left(x, start));
    }
    if (s->counted && s->is_virtual)
        count_finished(s);
    if (s->counted)
        lpi_finish(s, machine, logp_machine_report(machine));
    return rc;
}

/* Allocate the arrays of the repetitions' times; free_state() frees them in any case. 0; an
 * error */
static int make_state(struct state *s, const struct logp_experiment *x, int P)
{
    const size_t reps = (size_t)(x->reps > x->warmup ? x->reps : x->warmup);

    s->endings = lpi_zeroed(s->is_virtual ? 1 : (size_t)P, sizeof(*s->endings));
    s->wrong = calloc((size_t)P, sizeof(*s->wrong));
    s->wrong_ranks = malloc((s->faults != NULL ? (size_t)P : 1) * sizeof(*s->wrong_ranks));
    s->wall = malloc(reps * sizeof(*s->wall));
    s->emulated = malloc(reps * sizeof(*s->emulated));
    s->absence = malloc(reps * sizeof(*s->absence));
    s->sorted = malloc(reps * sizeof(*s->sorted));
    s->finished = calloc((size_t)P, sizeof(*s->finished));
    s->latest = malloc(reps * sizeof(*s->latest));
    s->rank_ns = x->rank_ns != NULL ? calloc((size_t)P, sizeof(*s->rank_ns)) : NULL;
    if (s->endings == NULL || s->wrong == NULL || s->wrong_ranks == NULL || s->wall == NULL ||
        s->emulated == NULL || s->absence == NULL || s->sorted == NULL || s->finished == NULL ||
        s->latest == NULL || (x->rank_ns != NULL && s->rank_ns == NULL))
        return -ENOMEM;
    return lpi_buffers_create(&s->buffers, s->collective, x->algorithm, &s->c, P, s->leaders.first,
                              s->leaders.n_local);
}

static void free_state(struct state *s)
{
    pthread_mutex_destroy(&s->lock);
    free(s->arrivals);
    free(s->endings);
    free(s->wrong);
    free(s->wrong_ranks);
    lpi_buffers_destroy(&s->buffers);
    free(s->wall);
    free(s->emulated);
    free(s->absence);
    free(s->sorted);
    free(s->finished);
    free(s->latest);
    free(s->rank_ns);
    free(s);
}

/* Check an experiment on P processors. 0; -EINVAL, -ENOTSUP (the algorithm does not apply) */
static int refuse(const struct logp_experiment *x, const struct logp_invocation *c, int P)
{
    if (x->reps < 1 || x->warmup < 0 || x->timeout_ns < 0 || x->precision_ppm < 0 ||
        x->limit_ns < 0 || x->disturbed_by_ns < 0 || !lpi_is_row(x->algorithm) ||
        logp_collective_find(x->algorithm->collective) == NULL || x->args.root < 0 ||
        x->args.root >= P)
        return -EINVAL;
    return lpi_needs(x->algorithm, P, c) != NULL ? -ENOTSUP : 0;
}

static int run(struct logp_machine *machine, struct state *s)
{
    const struct logp_prediction *p = &s->record->prediction;
    int64_t worst = p->certainty == LOGP_PREDICTION_NONE && p->ns == LOGP_PREDICTION_NO_MEMORY
                        ? -ENOMEM
                        : make_state(s, s->experiment, s->P);
    int rc = logp_machine_agree(machine, &worst, 1, LOGP_AGREE_MIN);

    rc = rc != 0 ? rc : (int)worst;
    if (rc == 0 && s->faults != NULL)
        rc = s->leaders.n > 1 ? -ENOTSUP : lpi_run_faulty(machine, s);
    else if (rc == 0)
        rc = run_all(machine, s);
    return rc;
}

/* 0; -ENOMEM, -EINVAL (a time) */
static int copy_arrivals(struct state *s, int P)
{
    s->arrivals = malloc((size_t)P * sizeof(*s->arrivals));
    if (s->arrivals == NULL)
        return -ENOMEM;
    for (int r = 0; r < P; r++) {
        s->arrivals[r] = s->own.arrivals[r];
        if (s->arrivals[r] < 0 || s->arrivals[r] > LOGP_PARAM_MAX_NS)
            return -EINVAL;
    }
    return 0;
}

int logp_experiment_run(struct logp_machine *machine, const struct logp_experiment *given,
                        struct logp_record *record)
{
    const int P = logp_machine_size(machine);
    const bool wall = logp_machine_clock(machine) == LOGP_CLOCK_WALL;
    const bool delayed = logp_machine_delayed(machine);
    struct state *s = calloc(1, sizeof(*s));
    struct logp_network network;
    int rc = -ENOMEM;

    *record = (struct logp_record){.P = P, .wrong_rank = -1, .clock_error_ns = -1};
    if (s == NULL)
        return rc;
    *s = (struct state){.record = record, .P = P, .is_virtual = !wall, .difference_rank = -1};
    pthread_mutex_init(&s->lock, NULL);
    lpi_leaders_of(&s->leaders, machine);
    rc = logp_struct_take(&s->own, sizeof(s->own), LOGP_UP_TO(struct logp_experiment, args), given);
    s->experiment = &s->own;
    logp_machine_network(machine, &network);
    if (rc == 0 && s->own.arrivals != NULL)
        rc = copy_arrivals(s, P);
    network.arrivals = s->arrivals;
    s->faults = logp_machine_faults(machine);
    s->c = lpi_invocation(&s->own.args, &network);
    for (int i = 0; rc == 0 && s->own.rank_ns != NULL && i < P; i++)
        s->own.rank_ns[i] = -1;
    if (rc == 0)
        rc = refuse(&s->own, &s->c, P);
    if (rc == 0) {
        s->collective = logp_collective_find(s->own.algorithm->collective);
        if (delayed)
            record->prediction =
                logp_algorithm_predict_by(s->own.algorithm, P, &s->own.args, &network, s->own.by);
        record->has_measured = wall;
        record->has_emulated = !wall || delayed;
        record->has_lag = wall && delayed;
        rc = lpi_resolve(s->own.algorithm, P, &s->c);
        if (rc == 0)
            rc = run(machine, s);
    }
    if (rc != -ETIMEDOUT || !logp_machine_busy(machine)) /* else a vp may come back and use it */
        free_state(s);
    return rc;
}
