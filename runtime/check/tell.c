/* SPDX-License-Identifier: MIT */
/* The description of a failed run in words. */
#include "kit.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { MOST_RANKS = 32, MOST_CHOICES = 24 }; /* in a text */
enum { MOST_UNDER_WAY = 4096 };              /* messages to a rank whose sends are known */

/* ---- the story of a run ---- */

/* A message has been sent: the report of its receive says in which step. */
static void send_told(struct lpi_story *s, const struct logp_note *n)
{
    struct lpi_told *from = &s->told[n->rank], *to = &s->told[n->peer];

    if (to->n_under_way < MOST_UNDER_WAY &&
        LPI_GROW(to->under_way, to->capacity, to->n_under_way + 1))
        to->under_way[to->n_under_way++] = (struct lpi_under_way){.source = n->rank,
                                                                  .tag = n->tag,
                                                                  .context = n->context,
                                                                  .copies = from->doubles ? 2 : 1,
                                                                  .step = s->n_steps};
    else
        to->forgets = true;
    from->doubles = false;
}

/* The step of the send of a message that is received; 0: unknown. Requests may complete in another
 * order than that of their messages, and messages may be lost. So it is known only if no other message
 * of this source and tag could be the one. */
static uint64_t step_of_send(struct lpi_told *to, const struct logp_note *n)
{
    int first = -1, matches = 0;
    uint64_t step;

    for (int i = 0; i < to->n_under_way; i++) {
        struct lpi_under_way *m = &to->under_way[i];

        if (m->source != n->peer || m->tag != n->tag || m->context != n->context)
            continue;
        if (matches++ == 0)
            first = i;
        else
            m->step = to->under_way[first].step = 0;
    }
    if (first < 0 || to->forgets)
        return 0;
    step = to->under_way[first].step;
    if (--to->under_way[first].copies == 0)
        memmove(&to->under_way[first], &to->under_way[first + 1],
                (size_t)(--to->n_under_way - first) * sizeof(*to->under_way));
    return step;
}

void lpi_story_note(struct lpi_story *s, const struct logp_note *n)
{
    struct lpi_told *t = &s->told[n->rank];
    struct lpi_told_note told = {.note = *n};

    if (n->kind != LOGP_NOTE_ENDED && n->kind != LOGP_NOTE_WAITED)
        told.step = ++s->n_steps;
    if (n->kind == LOGP_NOTE_FAULT)
        t->doubles = n->value == LOGP_FAULT_DOUBLED;
    else if (n->kind == LOGP_NOTE_SEND)
        send_told(s, n);
    else if (n->kind == LOGP_NOTE_RECEIVE)
        told.sent_at = step_of_send(t, n);
    if (n->kind != LOGP_NOTE_COMPUTED && n->kind != LOGP_NOTE_WAITED)
        t->last[t->n++ % LPI_STORY_NOTES] = told;
    s->keeps_notes = s->keeps_notes && LPI_GROW(s->notes, s->notes_capacity, s->n_notes + 1);
    if (s->keeps_notes)
        s->notes[s->n_notes++] = *n;
}

static bool deviate(struct lpi_story *s, const struct lpi_deviation *deviation)
{
    if (!LPI_GROW(s->deviations, s->capacity, s->n_deviations + 1))
        return false;
    s->deviations[s->n_deviations++] = *deviation;
    return true;
}

bool lpi_story_choice(struct lpi_story *s, int number, const struct logp_alternative *a, int i)
{
    return i == 0 ||
           deviate(s, &(struct lpi_deviation){.number = number, .usual = a[0], .taken = a[i]});
}

bool lpi_story_fault(struct lpi_story *s, int number, const struct logp_fault_event *event)
{
    return deviate(s, &(struct lpi_deviation){.number = number, .event = *event});
}

bool lpi_story_waits(struct lpi_story *s, const struct logp_report *r)
{
    s->n_waits = 0;
    if (r->n_waits == 0)
        return true;
    s->waits = malloc((size_t)r->n_waits * sizeof(*s->waits));
    if (s->waits == NULL)
        return false;
    memcpy(s->waits, r->waits, (size_t)r->n_waits * sizeof(*s->waits));
    s->n_waits = r->n_waits;
    return true;
}

void lpi_story_free(struct lpi_story *s)
{
    if (s == NULL)
        return;
    for (int i = 0; i < s->P; i++)
        free(s->told[i].under_way);
    free(s->told);
    free(s->deviations);
    free(s->drawn);
    free(s->waits);
    free(s->notes);
    free(s);
}

struct lpi_story *lpi_story_new(int P)
{
    struct lpi_story *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->told = calloc((size_t)P, sizeof(*s->told));
    s->P = s->told != NULL ? P : 0;
    if (s->told == NULL) {
        free(s);
        s = NULL;
    }
    return s;
}

/* ---- words ---- */

static void rank_or_any(struct lpi_text *t, int source)
{
    if (source == LOGP_ANY_SOURCE)
        lpi_text_add(t, "any rank");
    else
        lpi_text_add(t, "rank %d", source);
}

static void with_tag(struct lpi_text *t, int tag)
{
    if (tag == LOGP_ANY_TAG)
        lpi_text_add(t, ", any tag");
    else
        lpi_text_add(t, ", tag %d", tag);
}

void lpi_tell_wait(struct lpi_text *t, const struct logp_wait_info *w)
{
    char words[128];

    logp_wait_text(w, words, sizeof(words));
    lpi_text_add(t, "%s", words);
}

/* The call before which a fault comes; to: -1: no message is concerned, and tag is the kind of call */
static void tell_call(struct lpi_text *t, int to, int tag)
{
    const char *const words[] = {[LOGP_NOTE_RECEIVE] = "it waits",
                                 [LOGP_NOTE_FOUND] = "it looks for a message",
                                 [LOGP_NOTE_COMPUTED] = "it computes",
                                 [LOGP_NOTE_WAITED] = "it sleeps or yields",
                                 [LOGP_NOTE_TOUCHED] = "it touches an object",
                                 [LOGP_NOTE_KEPT] = "it makes something durable"};

    if (to >= 0)
        lpi_text_add(t, " before it sends to rank %d, tag %d", to, tag);
    else if (tag >= 0 && tag < (int)(sizeof(words) / sizeof(words[0])) && words[tag] != NULL)
        lpi_text_add(t, " before %s", words[tag]);
}

/* to, tag: as tell_call() */
static void tell_fault(struct lpi_text *t, enum logp_fault_choice what, int rank, int to, int tag)
{
    switch (what) {
    case LOGP_FAULT_NONE:
        lpi_text_add(t, "rank %d continues", rank);
        return;
    case LOGP_FAULT_LOST:
    case LOGP_FAULT_DOUBLED:
        lpi_text_add(t, "the message of rank %d to rank %d, tag %d, %s", rank, to, tag,
                     what == LOGP_FAULT_LOST ? "is lost" : "comes twice");
        return;
    case LOGP_FAULT_CRASH:
        lpi_text_add(t, "rank %d crashes", rank);
        break;
    case LOGP_FAULT_RESTART:
        lpi_text_add(t, "rank %d crashes and starts again", rank);
        break;
    case LOGP_FAULT_CUT:
        lpi_text_add(t, "rank %d is cut off", rank);
        break;
    case LOGP_FAULT_HEAL:
        lpi_text_add(t, "the partition heals");
        return;
    }
    tell_call(t, to, tag);
}

/* named: give the tag, too, as it is what differs from the usual alternative */
void lpi_tell_alternative(struct lpi_text *t, const struct logp_alternative *a, bool named)
{
    switch (a->kind) {
    case LOGP_GO_ON:
        lpi_text_add(t, "rank %d runs", a->rank);
        break;
    case LOGP_TAKE:
        lpi_text_add(t, "rank %d takes the message of rank %d", a->rank, a->source);
        if (named)
            lpi_text_add(t, ", tag %d", a->tag);
        break;
    case LOGP_MISS:
        lpi_text_add(t, "rank %d polls too early", a->rank);
        break;
    case LOGP_DONE:
        lpi_text_add(t, "the send of rank %d to rank %d is complete", a->rank, a->source);
        if (named)
            lpi_text_add(t, ", tag %d", a->tag);
        break;
    case LOGP_TOUCH:
        lpi_text_add(t, "rank %d touches object %d", a->rank, a->tag);
        break;
    case LOGP_PICK:
        lpi_text_add(t, "rank %d chooses %d", a->rank, a->index);
        break;
    case LOGP_FAULT:
        tell_fault(t, (enum logp_fault_choice)a->tag, a->rank, a->source, a->polls);
        break;
    case LOGP_CANCEL:
        lpi_text_add(t,
                     a->request != 0 ? "rank %d cancels a receive in time"
                                     : "rank %d ends, which cancels its posted receives",
                     a->rank);
        break;
    }
}

void lpi_tell_note(struct lpi_text *t, const struct logp_note *n)
{
    switch (n->kind) {
    case LOGP_NOTE_SEND:
        lpi_text_add(t, "send to rank %d", n->peer);
        break;
    case LOGP_NOTE_RECEIVE:
        lpi_text_add(t, "receive of rank %d", n->peer);
        break;
    case LOGP_NOTE_FOUND:
        lpi_text_add(t, "found, a message of rank %d", n->peer);
        break;
    case LOGP_NOTE_MISSED:
        lpi_text_add(t, "found nothing of ");
        rank_or_any(t, n->peer);
        break;
    case LOGP_NOTE_ENDED:
        lpi_text_add(t, n->value != 0 ? "returned %" PRId64 : "returned", n->value);
        return;
    case LOGP_NOTE_COMPUTED:
    case LOGP_NOTE_WAITED:
        lpi_text_add(t, n->kind == LOGP_NOTE_COMPUTED ? "computed" : "waited");
        return;
    case LOGP_NOTE_TOUCHED:
        lpi_text_add(t, "touched object %" PRId64, n->value);
        return;
    case LOGP_NOTE_CHOSEN:
        lpi_text_add(t, "chose %" PRId64, n->value);
        return;
    case LOGP_NOTE_FAULT:
        tell_fault(t, (enum logp_fault_choice)n->value, n->rank, n->peer, n->tag);
        return;
    case LOGP_NOTE_TOO_LATE:
        lpi_text_add(t, "cancelled too late: a receive of ");
        rank_or_any(t, n->peer);
        with_tag(t, n->tag);
        return;
    case LOGP_NOTE_KEPT:
        lpi_text_add(t, "made key %d durable, %" PRId64 " bytes", n->tag, n->value);
        return;
    case LOGP_NOTE_ASKED:
        lpi_text_add(t, "send to rank %d that waits for it", n->peer);
        break;
    case LOGP_NOTE_ANSWERED:
        lpi_text_add(t, "answer to rank %d", n->peer);
        break;
    }
    with_tag(t, n->tag);
    if (n->kind != LOGP_NOTE_MISSED)
        lpi_text_add(t, ", %" PRId64 " bytes", n->value);
}

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
        lpi_text_add(t, "rank %d returned %d (%s)\n", o->rank, o->error, strerror(abs(o->error)));
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
        lpi_text_add(t, "livelock: it has not ended after %" PRIu64 " events (most_steps)\n",
                     job->plan.most_steps);
        break;
    case LOGP_FAILURE_UNCONTROLLED:
        lpi_text_add(t, "two runs with the same choices differ\n");
        break;
    case LOGP_FAILURE_CRASHED:
        tell_who(t, o->rank);
        lpi_text_add(t, " crashed (%s)\n", lpi_crash_name(o->error));
        break;
    case LOGP_FAILURE_EXITED:
        tell_who(t, o->rank);
        lpi_text_add(t, " called exit()\n");
        break;
    case LOGP_FAILURE_NONE:
        break;
    }
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
    lpi_twice_tell(t, job);
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
        lpi_tell_alternative(t, &d->taken, same_source);
        lpi_text_add(t, " (default: ");
        lpi_tell_alternative(t, &d->usual, same_source);
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
    lpi_tell_note(t, &told->note);
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

    tell_what(&text, job);
    tell_choices(&text, s, job);
    if (s->n_waits > 0)
        lpi_text_add(&text, "waits:\n");
    for (int i = 0; i < s->n_waits; i++) {
        lpi_text_add(&text, "  rank %d ", s->waits[i].rank);
        lpi_tell_wait(&text, &s->waits[i]);
        lpi_text_add(&text, "\n");
    }
    tell_events(&text, s, job->plan.P, job->plan.untimed);
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
