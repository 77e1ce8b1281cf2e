/* SPDX-License-Identifier: MIT */
/* Running algorithms one after the other: progress, the end of all runs, and the report of a failed
 * run. */
#include "answer/runs.h"
#include "question/schedule/schedule.h"

#include <errno.h>
#include <stdio.h>

static void tell_running(const struct question *q, struct logp_machine *m)
{
    const struct watcher *w = &q->work->watcher;

    if (w->running != NULL)
        w->running(w->of, m);
}

static void explain_error(const struct question *q, const struct row *row,
                          const struct logp_machine *m, int error)
{
    const struct logp_report *report = logp_machine_report(m);
    char option[32], what[512];

    /* Only the first process prints an error that all of them know. */
    if (logp_machine_process(m) > 0 && (error != -ETIMEDOUT || report->n_waits == 0))
        return;
    if (error == -EINTR)
        snprintf(what, sizeof(what), "interrupted after %d runs", runs_of_record(&row->record));
    else if (error == -ETIMEDOUT)
        snprintf(what, sizeof(what), "not finished within %s; %d runs were finished",
                 option_shown(q, "--timeout", option), runs_of_record(&row->record));
    else if (report->error_rank >= 0)
        snprintf(what, sizeof(what), "%s of rank %d: %s",
                 report->error_call != NULL ? report->error_call : "the program",
                 report->error_rank, logp_error_text(error));
    else
        snprintf(what, sizeof(what), "%s", logp_error_text(error));
    say_here("%s %s: %s", row->algorithm->collective, row->algorithm->name, what);
    if (error != -ENOMEM) /* then all waits follow from the missing memory */
        explain_waits(report, true);
}

/* Read the use of the links by the last run, if the delay model has links. */
static void read_links(const struct logp_machine *m, struct row *row)
{
    const struct logp_record *r = &row->record;
    /* with faults each repetition is a run, and the last counts */
    const int runs = logp_machine_faults(m) != NULL ? r->reps > 0 : r->reps + r->restarts;

    if (runs == 0 || logp_link_use(m, -1, &row->links) != 0 ||
        logp_link_busiest(m, &row->busiest) != 0)
        return;
    row->has_links = true;
    row->busiest.messages /= (uint64_t)runs;
    row->links.waited_ns /= runs;
}

/* Whether the times agree with the prediction. Under the virtual clock they do so to the
 * nanosecond, or the prediction or the run is wrong. */
static bool kept(const struct row *row)
{
    const struct logp_record *r = &row->record;
    const struct logp_prediction *p = &r->prediction;
    bool least = r->emulated.min_ns >= p->ns, most = r->emulated.max_ns <= p->ns;

    least |= p->certainty == LOGP_PREDICTION_BOUND;
    most |= p->certainty == LOGP_PREDICTION_LOWER_BOUND;
    if (p->certainty == LOGP_PREDICTION_NONE || r->reps == 0 || (least && most))
        return true;
    say_here("%s %s: takes %lld to %lld ns on the virtual clock; predicted: %s%lld ns",
             row->algorithm->collective, row->algorithm->name, (long long)r->emulated.min_ns,
             (long long)r->emulated.max_ns,
             p->certainty == LOGP_PREDICTION_EXACT   ? "exactly "
             : p->certainty == LOGP_PREDICTION_BOUND ? "at most "
                                                     : "at least ",
             (long long)p->ns);
    return false;
}

/* The argument of tell_progress() and tell_failed(). */
struct telling {
    const struct question *q;
    struct row *row;
    void *faults;
};

static void tell_progress(void *arg, int done, int total)
{
    const struct telling *t = arg;
    const struct watcher *w = &t->q->work->watcher;

    if (w->progress != NULL)
        w->progress(w->of, t->row, done, total);
}

static void tell_failed(void *arg, const struct logp_failed *failed)
{
    const struct telling *t = arg;

    explain_failed(t->q, t->row, t->faults, failed);
}

/* Take the least, mean and greatest of the ranks' mean times; all of them are known, or none. */
static void take_rank_times(const struct question *q, struct row *row, const int64_t *rank_ns)
{
    const int64_t P = q->model.P;
    double sum = 0;

    row->has_ranks = rank_ns != NULL && rank_ns[0] >= 0;
    if (!row->has_ranks)
        return;
    row->ranks.min_ns = row->ranks.max_ns = rank_ns[0];
    for (int64_t i = 0; i < P; i++) {
        row->ranks.min_ns = rank_ns[i] < row->ranks.min_ns ? rank_ns[i] : row->ranks.min_ns;
        row->ranks.max_ns = rank_ns[i] > row->ranks.max_ns ? rank_ns[i] : row->ranks.max_ns;
        sum += (double)rank_ns[i];
    }
    row->ranks.mean_ns = (int64_t)(sum / (double)P + 0.5);
    if (by_graph(q))
        row->rank_ends = keep_ends(q, rank_ns, P);
    row->n_rank_ends = P;
}

/* Report unreceived messages: the next collective would take them for its own. */
static void say_unreceived(const struct row *row, const struct logp_machine *m, uint64_t n)
{
    if (logp_machine_process(m) == 0)
        say_here("%s %s: %llu message%s never received", row->algorithm->collective,
                 row->algorithm->name, (unsigned long long)n, n == 1 ? " is" : "s are");
}

/* Report the errors of a row that was run. @return whether there are any */
static bool is_wrong(const struct question *q, const struct logp_machine *m, const struct row *row,
                     int rc)
{
    const struct logp_record *r = &row->record;
    const uint64_t unreceived = rc == 0 && !is_faulty(q) ? logp_machine_report(m)->unreceived : 0;

    if (rc != 0)
        explain_error(q, row, m, rc);
    if (unreceived > 0)
        say_unreceived(row, m, unreceived);
    if (is_faulty(q))
        sum_up_faults(q, row);
    else if (rc == 0 && !r->verified && logp_machine_process(m) == 0)
        say_here("%s %s: WRONG RESULT on rank %d%s%s", row->algorithm->collective,
                 row->algorithm->name, r->wrong_rank, r->wrong[0] != '\0' ? ": " : "", r->wrong);
    return rc != 0 || !r->verified || unreceived > 0;
}

static struct problem *run_one(const struct question *q, struct logp_machine *m,
                               const struct logp_invocation *c, struct row *row)
{
    const struct watcher *w = &q->work->watcher;
    struct telling telling = {q, row, logp_machine_faults(m)};
    int64_t *rank_ns =
        q->form.skips_ranks ? NULL : need(calloc((size_t)q->model.P, sizeof(*rank_ns)));
    const size_t most_runs = (size_t)q->how.reps + (size_t)q->how.reps / 10;
    const bool tells = (q->form.progress || q->form.watch) && logp_machine_process(m) == 0;
    struct logp_experiment x = {.size = sizeof(x),
                                .algorithm = row->algorithm,
                                .args = c->args,
                                .reps = q->how.reps,
                                .warmup = q->how.warmup,
                                .timeout_ns = q->how.timeout_ns,
                                .seed = q->how.seed,
                                .by = q->what.by,
                                .precision_ppm = q->how.precision_ppm,
                                .limit_ns = q->how.limit_ns,
                                .progress = tells ? tell_progress : NULL,
                                .progress_arg = &telling,
                                .disturbed_by_ns = q->how.disturbed_by_ns,
                                .failed = tell_failed,
                                .failed_arg = &telling,
                                .rank_ns = rank_ns,
                                .arrivals = c->model.arrivals};
    int rc;

    if (is_of_plugin(q, row->algorithm) && !is_faulty(q))
        TRY(check_steps(q, c, row->algorithm));
    if (row->keeps_runs && q->how.clock == LOGP_CLOCK_WALL)
        x.runs = row->runs = need(calloc(most_runs, sizeof(*row->runs)));
    if (tells && q->form.watch)
        tell_progress(&telling, 0, q->how.reps);
    rc = logp_experiment_run(m, &x, &row->record);
    row->ran = true;
    take_rank_times(q, row, rank_ns);
    free(rank_ns);
    row->processes = logp_machine_processes(m);
    q->work->is_over |= rc == -EINTR; /* perhaps by a signal to another process */
    if (q->model.plugin != NULL || is_faulty(q))
        TRY(predict(q, c, row->algorithm, &row->record.prediction));
    if (tells && w->finished != NULL)
        w->finished(w->of, q, c, row);
    if (rc == 0)
        read_links(m, row);
    return is_wrong(q, m, row, rc) ? told(EXIT_WRONG) : NULL;
}

/* Whether the watcher has ended all runs, in any process. */
static bool all_over(const struct question *q, struct logp_machine *m)
{
    int64_t over = runs_are_over(q);

    if (logp_machine_agree(m, &over, 1, LOGP_AGREE_MAX) != 0 || over != 0)
        q->work->is_over = true;
    return q->work->is_over;
}

/* Run the rows until one fails or, if `promised`, differs from its prediction. */
static struct problem *run_each(const struct question *q, struct logp_machine *m,
                                const struct logp_invocation *c, struct row *rows, size_t n,
                                size_t *done, bool promised)
{
    struct problem *problem = NULL;

    tell_running(q, m);
    for (*done = 0; *done < n && problem == NULL && !all_over(q, m); ++*done) {
        problem = run_one(q, m, c, &rows[*done]);
        if (problem == NULL && promised && !kept(&rows[*done]))
            problem = told(EXIT_WRONG);
    }
    tell_running(q, NULL);
    return problem;
}

int run_program(const struct question *q, struct logp_machine *m, logp_program program, void *arg,
                int64_t timeout_ns)
{
    int rc;

    tell_running(q, m);
    rc = runs_are_over(q) ? -EINTR : logp_machine_run(m, program, arg, timeout_ns);
    tell_running(q, NULL);
    return rc;
}

struct problem *run_rows(const struct question *q, struct logp_machine *m,
                         const struct logp_invocation *c, struct row *rows, size_t n, size_t *done)
{
    return run_each(q, m, c, rows, n, done, q->how.clock == LOGP_CLOCK_VIRTUAL);
}

struct problem *run_unpromised(const struct question *q, struct logp_machine *m,
                               const struct logp_invocation *c, struct row *rows, size_t n,
                               size_t *done)
{
    return run_each(q, m, c, rows, n, done, false);
}

struct problem *run_alone(const struct question *q, const struct logp_invocation *c,
                          struct row *row)
{
    struct problem *problem;
    struct logp_machine *m;
    size_t done;

    TRY(create_machine(q, &m));
    problem = run_unpromised(q, m, c, row, 1, &done);
    end_machine(q, m);
    return problem == NULL && done == 0 ? told(EXIT_WRONG) : problem;
}
