/* SPDX-License-Identifier: MIT */
/* The story of a run: its last events, its unusual choices and its waits, for a description. */
#include "kit.h"

#include <string.h>

enum { MOST_UNDER_WAY = 4096 }; /* messages to a rank whose sends are known */

/* Note the step of a send, for the report of its receive. */
static void send_told(struct lpi_story *s, const struct logp_note *n)
{
    struct lpi_told *from = &s->told[n->rank], *to = &s->told[n->peer];
    const bool is_copy = from->repeats && from->last_peer == n->peer && from->last_tag == n->tag;

    from->repeats = from->doubles;
    from->last_peer = n->peer;
    from->last_tag = n->tag;
    if (is_copy) /* counted with the message */
        return;
    from->n_sent++;
    if (to->n_under_way < MOST_UNDER_WAY &&
        LPI_GROW(to->under_way, to->capacity, to->n_under_way + 1))
        to->under_way[to->n_under_way++] =
            (struct lpi_under_way){.source = n->rank,
                                   .tag = n->tag,
                                   .context = n->context,
                                   .copies = from->doubles ? 2 : 1,
                                   .step = s->n_steps,
                                   .n_bytes = n->value,
                                   .number = from->n_sent,
                                   .place = s->keeps_places ? lpi_place_of_call() : 0,
                                   .payload = from->payload};
    else
        to->forgets = true;
    from->doubles = false;
}

/* The step of the send of a message that is received; 0: unknown. Requests may complete in another
 * order than that of their messages, and messages may be lost. So it is known only if no other message
 * of this source and tag could be the one. */
static uint64_t step_of_send(struct lpi_told *to, const struct logp_note *n, const char **payload)
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
    *payload = step != 0 ? to->under_way[first].payload : NULL;
    to->under_way[first].is_copy = true;
    if (--to->under_way[first].copies == 0)
        memmove(&to->under_way[first], &to->under_way[first + 1],
                (size_t)(--to->n_under_way - first) * sizeof(*to->under_way));
    return step;
}

/* A copy of the text that lives as long as the story. NULL: no memory */
static const char *keep_text(struct lpi_story *s, const char *text)
{
    char *copy;

    if (!LPI_GROW(s->texts, s->texts_capacity, s->n_texts + 1))
        return NULL;
    copy = strdup(text);
    if (copy != NULL)
        s->texts[s->n_texts++] = copy;
    return copy;
}

void lpi_story_payload(struct lpi_story *s, int rank, const char *text)
{
    s->told[rank].payload = *text != '\0' ? keep_text(s, text) : NULL;
}

void lpi_story_note(struct lpi_story *s, const struct logp_note *n, struct lpi_named named)
{
    struct lpi_told *t = &s->told[n->rank];
    struct lpi_told_note told = {.note = *n, .named = named, .mark = t->mark};

    if (n->kind == LOGP_NOTE_MARKED) { /* not an event */
        t->mark = keep_text(s, (const char *)(uintptr_t)n->value);
        return;
    }
    if (n->kind != LOGP_NOTE_ENDED && n->kind != LOGP_NOTE_WAITED)
        told.step = ++s->n_steps;
    if (n->kind == LOGP_NOTE_FAULT)
        t->doubles = n->value == LOGP_FAULT_DOUBLED;
    if (n->kind == LOGP_NOTE_SEND) {
        told.payload = t->payload;
        send_told(s, n);
    } else if (n->kind == LOGP_NOTE_RECEIVE) {
        told.sent_at = step_of_send(t, n, &told.payload);
    }
    if (n->kind != LOGP_NOTE_COMPUTED && n->kind != LOGP_NOTE_WAITED)
        t->last[t->n++ % LPI_STORY_NOTES] = told;
    s->keeps_notes = s->keeps_notes && LPI_GROW(s->notes, s->notes_capacity, s->n_notes + 1) &&
                     LPI_GROW(s->payloads, s->payloads_capacity, s->n_notes + 1);
    if (!s->keeps_notes)
        return;
    s->payloads[s->n_notes] = told.payload;
    s->notes[s->n_notes++] = *n;
}

static bool deviate(struct lpi_story *s, const struct lpi_deviation *deviation)
{
    if (!LPI_GROW(s->deviations, s->capacity, s->n_deviations + 1))
        return false;
    s->deviations[s->n_deviations++] = *deviation;
    return true;
}

/* The message that overtakes others, and the first of these. Messages whose receive is not complete
 * make both unknown. */
static void number_overtaking(const struct lpi_story *s, struct lpi_deviation *d)
{
    const struct lpi_told *to = &s->told[d->taken.rank];
    int passed = lpi_kit_passed(&d->taken);

    for (int i = 0; i < to->n_under_way && d->later == 0 && !to->forgets; i++) {
        const struct lpi_under_way *m = &to->under_way[i];

        if (m->source != d->taken.source)
            continue;
        passed -= m->copies;
        if (passed < 0) {
            d->later = m->tag == d->taken.tag ? m->number : 0;
        } else if (d->passed == 0 && m->context == d->taken.context &&
                   ((d->taken.polls & LOGP_TAKE_OF_ANY) != 0 || m->tag == d->taken.tag)) {
            d->passed = m->number;
            d->passes_copy = m->is_copy;
        }
    }
}

static const char *mark_of(const struct lpi_story *s, int rank)
{
    return rank >= 0 && rank < s->P ? s->told[rank].mark : NULL;
}

bool lpi_story_choice(struct lpi_story *s, int number, const struct logp_alternative *a, int i,
                      struct lpi_named named)
{
    struct lpi_deviation d = {.number = number,
                              .usual = a[0],
                              .taken = a[i],
                              .named = named,
                              .usual_mark = mark_of(s, a[0].rank),
                              .taken_mark = mark_of(s, a[i].rank)};

    if (i == 0)
        return true;
    if (a[i].kind == LOGP_OVERTAKE)
        number_overtaking(s, &d);
    return deviate(s, &d);
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
    free(s->payloads);
    for (int i = 0; i < s->n_texts; i++)
        free(s->texts[i]);
    free(s->texts);
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
