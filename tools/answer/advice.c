/* SPDX-License-Identifier: MIT */
/*
 * Whether the host could keep up and, if not, why and what helps. Advice is tried, or follows from
 * the time that the host adds to a run.
 */
#include "answer/advice.h"
#include "answer/runs.h"
#include "question/choice/choice.h"

#include <stdlib.h>
#include <string.h>

/* The next of 1, 2, 5, 10, 20, 50, ... */
static int64_t round_up_125(double x)
{
    int64_t step = 1;

    while ((double)step * 10 <= x)
        step *= 10;
    if ((double)step >= x)
        return step;
    if ((double)step * 2 >= x)
        return step * 2;
    return (double)step * 5 >= x ? step * 5 : step * 10;
}

double judged_ratio(const struct logp_record *r)
{
    return r->disturbed > 0 && !logp_record_too_busy(r) ? logp_record_undisturbed_ratio(r)
                                                        : logp_record_ratio(r);
}

static int undisturbed(const struct row *row)
{
    return row->record.reps - row->record.disturbed;
}

/* Note what the disturbed runs of a row have done to it. exact: its prediction is */
static void judge_disturbed(struct advice *a, const struct row *row, bool exact)
{
    const struct logp_record *r = &row->record;
    const double all = exact ? logp_record_ratio(r) : 0;

    if (r->has_measured && logp_record_too_busy(r) &&
        (a->busy == NULL || undisturbed(row) < undisturbed(a->busy)))
        a->busy = row;
    if (all > 1 + BEARABLE && judged_ratio(r) <= 1 + BEARABLE &&
        (a->spoilt == NULL || all > logp_record_ratio(&a->spoilt->record)))
        a->spoilt = row;
}

struct advice judge_rows(const struct output *out)
{
    struct advice a = {.n_cores = out->cores.n_cores, .clock_error_ns = -1};
    double most = 1 + BEARABLE;

    for (size_t i = 0; i < out->n; i++) {
        const struct logp_record *r = &out->rows[i].record;
        const bool exact = r->prediction.certainty == LOGP_PREDICTION_EXACT;
        const double ratio = exact ? judged_ratio(r) : 0;

        judge_disturbed(&a, &out->rows[i], exact);
        if (r->clock_error_ns > a.clock_error_ns)
            a.clock_error_ns = r->clock_error_ns;
        a.clock_is_off |=
            ratio > 0 && ((double)r->clock_error_ns > BEARABLE * (double)out->q->model.unit_ns ||
                          (double)r->clock_error_ns > BEARABLE * (double)r->prediction.ns);
        a.judged += ratio > 0;
        a.restarts += r->restarts;
        a.late_starts += r->late_starts;
        a.late += ratio > 1 + BEARABLE;
        if (ratio > 0 && ratio < 1 - BEARABLE && a.early == NULL)
            a.early = &out->rows[i];
        if (ratio > most) {
            most = ratio;
            a.worst = &out->rows[i];
        }
    }
    return a;
}

/* ---- why the host could not keep up ---- */

double worst_over(const struct advice *a)
{
    return a->worst != NULL ? judged_ratio(&a->worst->record) - 1 : a->program_over;
}

double excess_ns(const struct advice *a)
{
    return worst_over(a) *
           (double)(a->worst != NULL ? a->worst->record.prediction.ns : a->program_ns);
}

/* Each core does its part of the copying of all processors. */
double copying_ns(const struct question *q, const struct advice *a)
{
    const double at_once = (double)(q->model.P < a->n_cores ? q->model.P : a->n_cores);

    return a->copied_bytes * a->copy_ps_per_byte / 1000 / (at_once < 1 ? 1 : at_once);
}

bool is_copying(const struct question *q, const struct advice *a)
{
    const double ns = copying_ns(q, a);

    if (a->worst == NULL || ns < (double)a->steps_ns / 2)
        return false;
    return ns > excess_ns(a) / 2 || ns > (double)a->worst->record.prediction.ns / 10;
}

bool are_steps_long(const struct advice *a)
{
    return a->worst != NULL && (double)a->steps_ns > excess_ns(a) / 2;
}

/* A G that covers the cost of copying on this host. */
static int64_t copying_G_ps(const struct question *q, const struct advice *a)
{
    /* a message is copied twice, while the messages of all other processors are copied, too */
    const double turns = (double)q->model.P / (double)(a->n_cores > 0 ? a->n_cores : 1);
    const double ps = 2 * a->copy_ps_per_byte * (turns > 1 ? turns : 1);

    return round_up_125(ps / 100) * 100;
}

int64_t bearable_unit_ns(const struct question *q, double over)
{
    return round_up_125((double)q->model.unit_ns * over / BEARABLE);
}

/* ---- what copying costs ---- */

/* Bytes copied by a run, and the cost of copying on this host. Under every model, payloads are
 * copied into a mailbox and out of it. */

enum { MOST_STEPS = 1 << 22, LARGEST = 16 << 20, MOST_NS = 50000000, SHORT_NS = 1000000 };

/* The bytes of all messages and of the largest, from the steps; false: there are none, or too
 * many to count. */
static bool count_bytes(const struct question *q, const struct logp_invocation *c,
                        const struct logp_algorithm *a, double *all, size_t *largest)
{
    const struct logp_schedule s = logp_schedule_of(a, q->model.P, &c->args, &c->model);
    int64_t n_steps = 0;

    *all = 0;
    *largest = 0;
    if (a->steps == NULL || q->model.P > LOGP_FOLD_P)
        return false;
    for (int64_t rank = 0; rank < q->model.P && n_steps <= MOST_STEPS; rank++) {
        struct logp_invocation planned;
        struct logp_step step;

        if (logp_schedule_begin(&s, (int)rank, &planned) != 0)
            return false;
        for (int64_t i = 0; n_steps <= MOST_STEPS && a->steps(q->model.P, rank, &planned, i, &step);
             i++, n_steps++) {
            if (step.kind != LOGP_STEP_SEND)
                continue;
            *all += (double)step.n_bytes;
            *largest = step.n_bytes > *largest ? step.n_bytes : *largest;
        }
        logp_schedule_end(&planned);
    }
    return n_steps <= MOST_STEPS;
}

/* Copy as a mailbox does: into fresh memory, and out of it; at most as much as a run copies, so
 * that other programs on the cores take their share here, too. @return ps a byte; 0: no memory */
static double copy_ps(size_t n, double all)
{
    char *from = calloc(n, 1);
    const int64_t begun_ns = host_ns();
    double copied = 0;

    while (from != NULL && copied < all && host_ns() - begun_ns < MOST_NS) {
        char *to = malloc(n);

        if (to == NULL)
            break;
        memcpy(to, from, n);
        __asm__ volatile("" : : "r"(to) : "memory"); /* it is read */
        memcpy(from, to, n);
        free(to);
        copied += 2 * (double)n;
    }
    free(from);
    return copied > 0 ? (double)(host_ns() - begun_ns) * 1000 / copied : 0;
}

void judge_copies(const struct output *out, struct advice *a)
{
    const int64_t begun_ns = host_ns();
    size_t largest;
    double all, ps;

    if (a->worst == NULL || !out->q->form.format->for_people ||
        out->q->how.clock != LOGP_CLOCK_WALL ||
        !count_bytes(out->q, out->c, a->worst->algorithm, &all, &largest) || largest == 0)
        return;
    a->copied_bytes = 2 * all; /* in and out */
    largest = largest < LARGEST ? largest : LARGEST;
    a->copy_ps_per_byte = copy_ps(largest, a->copied_bytes);
    /* an interrupt takes longer than the copy of a few bytes: the minimum counts */
    for (int i = 0; i < 10 && host_ns() - begun_ns < SHORT_NS; i++) {
        ps = copy_ps(largest, a->copied_bytes);
        a->copy_ps_per_byte = ps < a->copy_ps_per_byte ? ps : a->copy_ps_per_byte;
    }
}

/* ---- what helps ---- */

/* Try the worst row with other options in a few runs, so that only tried advice is given.
 * *tried: its record; all 0: it could not be run */
static struct problem *try_worst(struct question *q, const char *collective, const struct advice *a,
                                 struct logp_record *tried)
{
    const int64_t most_ns = 1000000000;
    const int64_t reps = most_ns / (a->worst->record.measured.median_ns + 1);
    struct row row = {.algorithm = a->worst->algorithm};
    struct logp_invocation c;

    *tried = (struct logp_record){0};
    if (runs_are_over(q))
        return NULL;
    q->form.progress = false;
    q->how.warmup = 1;
    q->how.reps = (int)(reps < 3 ? 3 : reps > 20 ? 20 : reps);
    TRY(make_invocation(q, collective, &c));
    if (tell_problem(q, run_alone(q, &c, &row)) == EXIT_OK)
        *tried = row.record;
    return NULL;
}

/* Whether a delay model alone makes messages late: without it the same run is possible. */
static bool delays_alone(const struct question *q)
{
    return q->what.list == NULL && q->model.machine == NULL && q->model.plugin == NULL &&
           q->model.network.topology == NULL && q->model.network.links == NULL && !is_faulty(q);
}

struct problem *try_others(const struct question *q, const char *collective, struct advice *a)
{
    struct question fibers = *q, charged = *q, bare = *q;
    struct logp_record tried;

    if (a->worst == NULL || q->form.quiet || q->how.clock != LOGP_CLOCK_WALL ||
        !q->form.format->for_people)
        return NULL;
    if (!q->how.fibers) {
        use_executor(&fibers, "fiber");
        TRY(try_worst(&fibers, collective, a, &tried));
        a->fiber_ratio = logp_record_ratio(&tried);
    }
    if (!delays_alone(q))
        return NULL;
    use_executor(&bare, "fiber");
    use_delay(&bare, "none");
    TRY(try_worst(&bare, collective, a, &tried));
    a->steps_ns =
        tried.measured.min_ns; /* in the others, other programs may take part of the time */
    a->G_ps = copying_G_ps(q, a);
    if (!is_copying(q, a) || a->G_ps <= q->model.network.params.G_ps)
        return NULL;
    charged.model.network.params.G_ps = a->G_ps;
    use_delay(&charged, "loggp");
    TRY(try_worst(&charged, collective, a, &tried));
    a->G_ratio = logp_record_ratio(&tried);
    return NULL;
}
