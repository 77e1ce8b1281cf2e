/* SPDX-License-Identifier: MIT */
/* The progress of a check: on the terminal while it runs, and in words at its end. */
#include "kit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- in numbers ---- */

/* NULL: there are too many */
static struct logp_checked_size *this_size(struct lpi_job *job)
{
    struct logp_checked *c = &job->checked;
    struct logp_checked_size *last = &c->by_size[c->n_by_size > 0 ? c->n_by_size - 1 : 0];

    return c->n_by_size > 0 && last->P == job->plan.P ? last : NULL;
}

void lpi_progress_begin_size(struct lpi_job *job)
{
    struct logp_checked *c = &job->checked;

    lpi_outcomes_free(&job->outcomes);
    if (c->n_by_size < LOGP_CHECKED_SIZES)
        c->by_size[c->n_by_size++] = (struct logp_checked_size){.P = job->plan.P};
}

void lpi_progress_add_outcome(struct lpi_job *job, uint64_t hash, uint64_t run)
{
    struct logp_checked_size *size = this_size(job);

    if (lpi_outcomes_add(&job->outcomes, hash, run) && size != NULL) {
        size->outcomes++;
        size->last_new = run;
    }
}

void lpi_progress_add_run(struct lpi_job *job, int choices)
{
    struct logp_checked_size *size = this_size(job);

    job->checked.runs++;
    if (size != NULL)
        size->runs++;
    if ((uint64_t)choices > job->checked.choices)
        job->checked.choices = (uint64_t)choices;
}

void lpi_progress_add_all(struct lpi_job *job, uint64_t runs, uint64_t last)
{
    const struct lpi_outcomes *o = &job->outcomes;
    struct logp_checked_size *size = this_size(job);

    job->checked.runs += runs;
    if (size == NULL)
        return;
    size->runs = runs;
    for (uint64_t i = 0; i < o->capacity; i++)
        if (o->slots[i].hash != 0 && o->slots[i].run <= last) {
            size->outcomes++;
            size->last_new = o->slots[i].run > size->last_new ? o->slots[i].run : size->last_new;
        }
}

/* ---- on the terminal ---- */

static const int64_t second = 1000000000;
static const int64_t pause_ns = 200000000; /* between two lines */

void lpi_progress_begin(struct lpi_progress *p)
{
    const char *terminal = getenv("TERM");

    *p = (struct lpi_progress){.begin_ns = lpi_kit_now()};
    if (isatty(STDERR_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0)
        p->next_ns = p->begin_ns + 2 * second;
}

/* ", 12 s left" at the speed so far; if the time limit comes first, "at most" */
static void show_left(const struct lpi_job *job, double passed, char text[48])
{
    const struct logp_check *c = &job->check;
    const double done = (double)job->checked.runs, all = (double)job->most * c->n_sizes;
    const bool has_limit = c->time_ns > 0 && c->time_ns < INT64_MAX;
    const double limit = (double)c->time_ns - passed;
    const double runs = job->most < UINT64_MAX && done > 0 ? passed / done * (all - done) : -1;
    const bool is_limit = has_limit && (runs < 0 || runs > limit);
    const double left = is_limit ? limit : runs;

    if (left >= 0)
        snprintf(text, 48, ", %s%.0f s left", is_limit ? "at most " : "", left * 1e-9);
}

/* The cursor stays at the start of the line: whatever is printed next replaces it. */
void lpi_progress_show(struct lpi_job *job)
{
    struct lpi_progress *p = &job->progress;
    const int64_t now = p->next_ns != 0 ? lpi_kit_now() : 0;
    char most[32] = "", left[48] = "";

    if (now == 0 || now < p->next_ns)
        return;
    p->next_ns = now + pause_ns;
    p->is_shown = true;
    if (job->most != UINT64_MAX)
        snprintf(most, sizeof(most), " of %" PRIu64, job->most);
    if (!p->makes_smaller)
        show_left(job, (double)(now - p->begin_ns), left);
    dprintf(STDERR_FILENO, "%s: P = %d, ", job->check.name, job->plan.P);
    if (p->makes_smaller)
        dprintf(STDERR_FILENO, "the failure is made smaller");
    else
        dprintf(STDERR_FILENO, "run %" PRIu64 "%s, outcomes: %" PRIu64, job->plan.run + 1, most,
                job->outcomes.n);
    dprintf(STDERR_FILENO, ", %.0f s%s\033[K\r", (double)(now - p->begin_ns) * 1e-9, left);
}

void lpi_progress_end(struct lpi_progress *p)
{
    if (p->is_shown)
        dprintf(STDERR_FILENO, "\033[K");
    p->next_ns = 0;
}

/* ---- in words ---- */

/* Append to the text if all of it fits. */
static void append(struct logp_checked *d, const char *more)
{
    const size_t n = strlen(d->text);

    if (n + strlen(more) < sizeof(d->text))
        strcpy(d->text + n, more);
}

/* The limit that has ended an exhaustive search before it was complete. */
static const char *limit_of(const struct lpi_job *job)
{
    return job->out_of_time       ? "time_ns"
           : job->out_of_runs     ? "runs"
           : job->checked.cut     ? "most_steps"
           : job->check.depth > 0 ? "depth, or misses"
                                  : "misses";
}

/* The numbers of a search that has found no failure. */
static void describe_search(struct lpi_job *job)
{
    struct logp_checked *d = &job->checked;
    const struct logp_check *c = &job->check;
    const size_t room = sizeof(d->text);

    if (c->strategy == LOGP_STRATEGY_EXHAUSTIVE && d->complete)
        snprintf(d->text, room,
                 "%" PRIu64 " of %" PRIu64 " executions explored, if processors share only "
                 "messages and touched objects",
                 d->executions, d->executions);
    else if (c->strategy == LOGP_STRATEGY_EXHAUSTIVE)
        snprintf(d->text, room, "%" PRIu64 " executions explored; there are more: limited by %s",
                 d->executions, limit_of(job));
    else if (c->strategy == LOGP_STRATEGY_PCT && d->chance > 0)
        snprintf(d->text, room,
                 "%" PRIu64 " runs; one finds a bug of depth %d with p >= %.3g, and %.3g "
                 "find it with 99 %%",
                 d->runs, c->depth > 0 ? c->depth : 3, d->chance, 4.605170186 / d->chance);
    else
        snprintf(d->text, room, "%" PRIu64 " runs", d->runs);
}

void lpi_progress_describe(struct lpi_job *job, bool failed, int rc)
{
    struct logp_checked *d = &job->checked;
    const struct logp_check *c = &job->check;
    char more[sizeof(d->text)], labels[160];

    if (failed && !d->complete)
        snprintf(d->text, sizeof(d->text), "failed in run %" PRIu64, d->runs);
    else if (!failed && rc != 0)
        snprintf(d->text, sizeof(d->text), "%" PRIu64 " runs; the last one ended with: %s", d->runs,
                 rc == -ESTALE ? "the program does not repeat an earlier run"
                               : logp_error_text(rc));
    else
        describe_search(job);
    if (d->cut > 0 && !failed) {
        snprintf(more, sizeof(more), "; %" PRIu64 " cut after %" PRIu64 " events", d->cut,
                 c->most_steps);
        append(d, more);
    }
    if (d->fixed > 0) {
        snprintf(more, sizeof(more), "; %" PRIu64 " of %" PRIu64 " regressions fixed", d->fixed,
                 d->regressions);
        append(d, more);
    }
    if (!failed && lpi_reached_missing(&job->labels, labels, sizeof(labels))) {
        snprintf(more, sizeof(more), "; never reached: %s", labels);
        append(d, more);
    }
    for (int i = 0; i < d->n_by_size && c->strategy != LOGP_STRATEGY_EXHAUSTIVE && !failed; i++) {
        const struct logp_checked_size *s = &d->by_size[i];

        if (s->outcomes == 1)
            snprintf(more, sizeof(more), "; P = %d: 1 outcome", s->P);
        else
            snprintf(more, sizeof(more),
                     "; P = %d: %" PRIu64 " outcomes, the last new in run %" PRIu64, s->P,
                     s->outcomes, s->last_new + 1);
        append(d, more);
        if (s->outcomes > 1 && s->runs > 100 && s->last_new + 1 > s->runs - s->runs / 100)
            append(d, "; new outcomes still come: more runs, or exhaustive with depth");
    }
}
