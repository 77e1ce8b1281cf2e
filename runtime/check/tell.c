/* SPDX-License-Identifier: MIT */
/* The description of a failed run in words. */
#include "kit.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { MOST_RANKS = 32, MOST_CHOICES = 24 }; /* in a text */

/* rank -1: of no vp */
static void tell_who(struct lpi_text *t, int rank)
{
    if (rank >= 0)
        lpi_text_add(t, "rank %d", rank);
    else
        lpi_text_add(t, "the program");
}

static void tell_what(struct lpi_text *t, const struct lpi_job *job)
{
    const struct lpi_outcome *o = &job->outcome;

    lpi_text_add(t, "%s failed with P = %d: ", job->check.name, job->plan.P);
    switch (o->kind) {
    case LOGP_FAILURE_ERROR:
        lpi_text_add(t, "rank %d returned %d (%s)", o->rank, o->error,
                     o->error > 0 ? logp_error_text(o->error) : strerror(-o->error));
        lpi_text_add(t, *o->detail != '\0' ? ", from %s()\n" : "\n", o->detail);
        break;
    case LOGP_FAILURE_ASSERTED:
        if (*o->asserted.expression == '\0')
            lpi_text_add(t, "%s\n", o->detail);
        else
            lpi_text_add(t, "%s does not hold%s%s\n", o->asserted.expression,
                         *o->detail != '\0' ? ": " : "", o->detail);
        if (o->asserted.line > 0)
            lpi_text_add(t, "  %s:%d, rank %d", o->asserted.file, o->asserted.line, o->rank);
        if (o->asserted.line > 0 && !job->plan.untimed)
            lpi_text_add(t, ", at %" PRId64 " ns", o->time_ns);
        if (o->asserted.line > 0)
            lpi_text_add(t, "\n");
        break;
    case LOGP_FAILURE_DEADLOCK:
        lpi_text_add(t, "deadlock\n");
        break;
    case LOGP_FAILURE_TIMEOUT:
        lpi_text_add(t, "a run took longer than %g s", (double)job->check.timeout_ns * 1e-9);
        if (o->rank >= 0)
            lpi_text_add(t, "; rank %d holds the processor", o->rank);
        lpi_text_add(t, "\n");
        break;
    case LOGP_FAILURE_AFTER:
        lpi_text_add(t, "the check after the run returned %d\n", o->error);
        break;
    case LOGP_FAILURE_LEFT_OVER:
        lpi_text_add(t, "%" PRIu64 " message%s never received\n", o->n_left_over,
                     o->n_left_over == 1 ? " was" : "s were");
        break;
    case LOGP_FAILURE_LIVELOCK:
        if (*o->detail != '\0') {
            lpi_text_add(t, "%s\n", o->detail);
            break;
        }
        lpi_text_add(t, "livelock: it has not ended after %" PRIu64 " events (most_steps)\n",
                     job->plan.most_steps);
        break;
    case LOGP_FAILURE_UNCONTROLLED:
        lpi_text_add(t, "two runs with the same choices differ\n");
        break;
    case LOGP_FAILURE_CRASHED:
        tell_who(t, o->rank);
        lpi_text_add(t, " crashed (%s)\n", lpi_signal_name(o->error));
        if (*o->detail != '\0')
            lpi_text_add(t, "  %s\n", o->detail);
        break;
    case LOGP_FAILURE_EXITED:
        tell_who(t, o->rank);
        lpi_text_add(t, " called exit()\n");
        break;
    case LOGP_FAILURE_NONE:
        break;
    }
}

/* The places of the sends of the first messages that were never received. @return their number */
static int name_sends(const struct lpi_story *s, int P, struct lpi_named_place *all)
{
    int n = 0;

    for (int i = 0; s->told != NULL && i < P; i++)
        for (int k = 0; k < s->told[i].n_under_way && n < LPI_PLACES; k++)
            all[n++].at = s->told[i].under_way[k].place;
    lpi_place_name(all, n);
    return n;
}

/* Messages that were never received. */
static void tell_left_over(struct lpi_text *t, const struct lpi_story *s, int P)
{
    struct lpi_named_place places[LPI_PLACES];
    const int most = name_sends(s, P, places);
    int n = 0;

    for (int i = 0; s->told != NULL && i < P; i++)
        for (int k = 0; k < s->told[i].n_under_way; k++) {
            const struct lpi_under_way *m = &s->told[i].under_way[k];

            if (n++ >= most)
                continue;
            lpi_text_add(t, "  from rank %d to rank %d", m->source, i);
            lpi_tell_tag(t, m->tag);
            lpi_text_add(t, ", %" PRId64 " bytes", m->n_bytes);
            if (m->payload != NULL)
                lpi_text_add(t, " (%s)", m->payload);
            if (m->step > 0)
                lpi_text_add(t, ", sent in step %" PRIu64, m->step);
            if (*places[n - 1].text != '\0')
                lpi_text_add(t, " (%s)", places[n - 1].text);
            lpi_text_add(t, "\n");
        }
    if (n > most)
        lpi_text_add(t, "  and %d more\n", n - most);
}

/* Append the first difference of two runs with the same choices, if there is one. */
static void tell_twice(struct lpi_text *t, const struct lpi_job *job)
{
    const struct lpi_twice *w = &job->twice;

    if (!w->differs)
        return;
    lpi_text_add(t, "The same choices gave another run: the program depends on something else, as "
                    "time(),\nrand(), addresses, threads, or state kept from run to run.\n");
    if (w->at < 0) {
        lpi_text_add(t, "the choices are equal, the outcomes differ\n");
        return;
    }
    lpi_text_add(t, "the first choice that differs is %d: ", w->at + 1);
    lpi_tell_point(t, w->has_first ? &w->first : NULL);
    lpi_text_add(t, "; in the second run ");
    lpi_tell_point(t, w->has_second ? &w->second : NULL);
    lpi_text_add(t, "\n");
}

static void tell_picked(struct lpi_text *t, const struct logp_alternative *a,
                        struct lpi_named named)
{
    lpi_text_add(t, "rank %d chooses ", a->rank);
    lpi_tell_named(t, named, a->index);
}

/* The choice that differs from the usual one. */
static void tell_taken(struct lpi_text *t, const struct lpi_deviation *d, bool named)
{
    const struct logp_alternative *a = &d->taken;

    if (a->kind == LOGP_OVERTAKE && d->later > 0 && d->passed > 0)
        lpi_text_add(t, "%smessage %d of rank %d comes to rank %d after message %d (tag %d)",
                     d->passes_copy ? "the copy of " : "", d->passed, a->source, a->rank, d->later,
                     a->tag);
    else if (a->kind == LOGP_PICK && d->named.what != NULL)
        tell_picked(t, a, d->named);
    else
        lpi_tell_alternative(t, a, named, d->taken_mark);
}

static void tell_choices(struct lpi_text *t, const struct lpi_story *s, const struct lpi_job *job)
{
    const int n_deviations = lpi_answers_deviations(&job->taken);

    lpi_text_add(
        t, "run %" PRIu64 ", seed %" PRIu64 "; of %d choice%s %d differ%s from the default order\n",
        job->plan.run + 1, job->plan.seed, job->taken.n, job->taken.n == 1 ? "" : "s", n_deviations,
        n_deviations == 1 ? "s" : "");
    if (job->is_search)
        lpi_environment_tell(t);
    if (job->plan.network.faults != NULL && *job->plan.network.faults != '\0')
        lpi_text_add(t, "faults: %s\n", job->plan.network.faults);
    if (job->plan.network.noise != NULL && *job->plan.network.noise != '\0')
        lpi_text_add(t, "noise: %s\n", job->plan.network.noise);
    lpi_tell_latencies(t, job, s);
    tell_twice(t, job);
    if (job->story == NULL && job->outcome.kind != LOGP_FAILURE_TIMEOUT && !job->twice.differs)
        lpi_text_add(t, "The same choices did not fail again, because the program depends on "
                        "something else.\n");
    if (job->plan.relies)
        lpi_text_add(t, "It passes with buffered sends: the program relies on buffering.\n");
    if (s->n_deviations > 0)
        lpi_text_add(t, "the choices that matter:\n");
    for (int i = 0; i < s->n_deviations; i++) {
        const struct lpi_deviation *d = &s->deviations[i];
        const bool same_source = d->taken.source == d->usual.source;

        if (i == MOST_CHOICES) {
            lpi_text_add(t, "  and %d more\n", s->n_deviations - i);
            break;
        }
        lpi_text_add(t, "  %d: ", d->number + 1);
        if (d->event.kind != NULL) {
            lpi_text_add(t, "%s affects message %u of rank %d, to rank %d, at %" PRId64 " ns\n",
                         d->event.kind, d->event.number + 1, d->event.src, d->event.dst,
                         d->event.time_ns);
            continue;
        }
        tell_taken(t, d, same_source);
        lpi_text_add(t, " (default: ");
        if (d->usual.kind == LOGP_PICK && d->named.what != NULL)
            tell_picked(t, &d->usual, d->named);
        else
            lpi_tell_alternative(t, &d->usual, same_source, d->usual_mark);
        lpi_text_add(t, ")\n");
    }
}

/* Without a clock only the order of events has a meaning. */
static void tell_event(struct lpi_text *t, const struct lpi_told_note *told, bool untimed)
{
    if (!untimed)
        lpi_text_add(t, "    %" PRId64 " ns ", told->note.time_ns);
    else if (told->step > 0)
        lpi_text_add(t, "    step %" PRIu64 ": ", told->step);
    else
        lpi_text_add(t, "    ");
    if (told->note.kind == LOGP_NOTE_CHOSEN && told->named.what != NULL) {
        lpi_text_add(t, "chose ");
        lpi_tell_named(t, told->named, told->note.value);
    } else {
        lpi_tell_note(t, &told->note, told->mark);
    }
    if (told->payload != NULL)
        lpi_text_add(t, " (%s)", told->payload);
    if (untimed && told->sent_at > 0)
        lpi_text_add(t, ", sent in step %" PRIu64, told->sent_at);
    lpi_text_add(t, "\n");
}

static void tell_events(struct lpi_text *t, const struct lpi_story *s, int P, bool untimed)
{
    if (s->told == NULL)
        return;
    lpi_text_add(t, "last events of each rank:\n");
    for (int i = 0; i < P; i++) {
        const struct lpi_told *told = &s->told[i];
        const unsigned from = told->n > LPI_STORY_NOTES ? told->n - LPI_STORY_NOTES : 0;

        if (i == MOST_RANKS) {
            lpi_text_add(t, "  and %d more ranks\n", P - i);
            break;
        }
        lpi_text_add(t, "  rank %d:%s\n", i, told->n == 0 ? " none" : from > 0 ? " ..." : "");
        for (unsigned k = from; k < told->n; k++)
            tell_event(t, &told->last[k % LPI_STORY_NOTES], untimed);
    }
}

static void fill(struct logp_failure *f, const struct lpi_job *job, int n_deviations)
{
    const struct lpi_outcome *o = &job->outcome;

    *f = (struct logp_failure){.kind = o->kind,
                               .error = o->error,
                               .P = job->plan.P,
                               .rank = o->rank,
                               .time_ns = o->time_ns,
                               .file = o->asserted.line > 0 ? o->asserted.file : NULL,
                               .line = o->asserted.line,
                               .expression = o->asserted.line > 0 && *o->asserted.expression != '\0'
                                                 ? o->asserted.expression
                                                 : NULL,
                               .n_left_over = o->n_left_over,
                               .run = job->plan.run,
                               .n_choices = job->taken.n,
                               .n_deviations = n_deviations,
                               .needs_synchronous = job->plan.relies,
                               .uncontrolled = job->twice.differs};
}

int lpi_tell(const struct lpi_job *job, struct logp_failure *failure)
{
    const struct lpi_story nothing = {0}, *s = job->story != NULL ? job->story : &nothing;
    struct lpi_text text = {0}, replay = {0};

    lpi_words_use(&job->check);
    tell_what(&text, job);
    if (job->story != NULL && job->observer != NULL && job->observer->remark != NULL)
        lpi_text_add(&text, "%s", job->observer->remark);
    if (job->outcome.kind == LOGP_FAILURE_LEFT_OVER)
        tell_left_over(&text, s, job->plan.P);
    tell_choices(&text, s, job);
    if (s->n_waits > 0)
        lpi_text_add(&text, "waits:\n");
    for (int i = 0; i < s->n_waits; i++) {
        lpi_text_add(&text, "  rank %d ", s->waits[i].rank);
        lpi_tell_wait(&text, &s->waits[i]);
        lpi_text_add(&text, "\n");
    }
    tell_events(&text, s, job->plan.P, job->plan.untimed);
    lpi_words_use(NULL);
    lpi_replay_write(&replay, job);
    if (text.failed || replay.failed) {
        free(text.s);
        free(replay.s);
        return -ENOMEM;
    }
    fill(failure, job, lpi_answers_deviations(&job->taken));
    failure->text = text.s;
    failure->replay = replay.s;
    return 0;
}
