/* SPDX-License-Identifier: MIT */
/*
 * The trace of a replay, as lines for the program that draws it:
 *
 *     trace 3 steps          number of processors, unit of times
 *     label 9                number of bytes that follow, before a newline; the first is label 1
 *     broadcast
 *     event RANK KIND START END ARRIVAL BYTES PEER TAG LABEL FATE
 *
 * In an untimed run everything may happen at time 0, and only the order counts. Then times are
 * steps of 1000 ns. Each send, receive, computing, mark and query takes the next step of all. A
 * message arrives at the step that receives it, and at the end if it is never received. In other
 * runs times are those of the run.
 *
 * A failure of a rank is a mark at its end, and an endless wait lasts until the end.
 */
#include "kit.h"

#include <logp/trace.h>

#include <inttypes.h>
#include <string.h>

enum { STEP = 1000 };

struct writing {
    struct lpi_text *t; /* NULL: only count steps */
    const struct logp_trace *trace;
    uint32_t n_labels;
    int64_t now;         /* when the next step begins */
    int64_t **steps;     /* by rank and event; NULL: times */
    const char *payload; /* of the next send, which has been noted: its description; NULL: none */
    struct at {
        size_t next;     /* event */
        int next_note;   /* times: it is later than those of all sends so far */
        int64_t last_ns; /* where the last one ended */
    } * ranks;
};

static struct logp_event event(enum logp_event_kind kind, int64_t start, int64_t end, int peer,
                               int tag)
{
    return (struct logp_event){.kind = kind,
                               .start_ns = start,
                               .end_ns = end,
                               .arrival_ns = -1,
                               .peer = peer < 0 ? -1 : peer,
                               .tag = tag < 0 ? -1 : tag};
}

static void write_event(struct writing *w, int64_t rank, const struct logp_event *e)
{
    lpi_text_add(
        w->t, "event %" PRId64 " %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d %d %u %d\n",
        rank, (int)e->kind, e->start_ns, e->end_ns, e->arrival_ns, e->bytes, e->peer, e->tag,
        (unsigned)e->label, (int)e->fate);
    w->ranks[rank].last_ns = e->end_ns;
}

static void write_label(struct writing *w, const char *text)
{
    lpi_text_add(w->t, "label %zu\n%s\n", strlen(text), text);
    w->n_labels++;
}

static void write_mark(struct writing *w, int64_t rank, int64_t at, const char *text)
{
    struct logp_event e = event(LOGP_EVENT_MARK, at, at, -1, -1);

    write_label(w, text);
    e.label = w->n_labels;
    write_event(w, rank, &e);
}

/* The wait of a rank until a time, if it is not empty. */
static void write_idle(struct writing *w, int64_t rank, int64_t until, int peer, int tag)
{
    const struct logp_event e = event(LOGP_EVENT_IDLE, w->ranks[rank].last_ns, until, peer, tag);

    if (until > e.start_ns)
        write_event(w, rank, &e);
}

/* ---- steps ---- */

/* The step at which a message is received, or the end. */
static int64_t received(const struct writing *w, const struct logp_event *e, int64_t end)
{
    size_t n;
    const struct logp_trace_message *m = logp_trace_messages(w->trace, &n);

    if (e->message < 0 || m[e->message].receive < 0)
        return end;
    return w->steps[m[e->message].to][m[e->message].receive];
}

/* The next event of a rank takes the next step. */
static void take_step(struct writing *w, int64_t rank, const struct logp_event *event, size_t i,
                      int64_t end)
{
    struct logp_event e = *event;
    const int64_t now = w->now;

    w->now += STEP;
    w->steps[rank][i] = now;
    if (w->t == NULL)
        return;
    if (e.kind == LOGP_EVENT_SEND && w->payload != NULL)
        write_mark(w, rank, now, w->payload);
    if (e.kind == LOGP_EVENT_RECEIVE)
        write_idle(w, rank, now, e.peer, e.tag);
    e.start_ns = now;
    e.end_ns = e.kind != LOGP_EVENT_MARK ? now + STEP : now;
    e.arrival_ns = e.kind == LOGP_EVENT_RECEIVE ? now
                   : e.kind == LOGP_EVENT_SEND  ? received(w, event, end)
                                                : -1;
    write_event(w, rank, &e);
}

/* Take the events of a rank that begin before this time, up to the next of this kind. */
static void go_to(struct writing *w, int64_t rank, int kind, int64_t before_ns, int64_t end)
{
    size_t n;
    const struct logp_event *e = logp_trace_events(w->trace, rank, &n);
    struct at *at = &w->ranks[rank];

    while (at->next < n && e[at->next].start_ns < before_ns) {
        const size_t i = at->next++;
        const bool is_time = e[i].kind == LOGP_EVENT_GAP || e[i].kind == LOGP_EVENT_STALL ||
                             e[i].kind == LOGP_EVENT_IDLE;

        if (!is_time)
            take_step(w, rank, &e[i], i, end);
        if ((int)e[i].kind == kind)
            return;
    }
}

/* Write a query, which is not in the trace. A miss takes time, so events that begin at the same
 * time came before it. A probe that found a message takes no time, so they came after it. */
static void look(struct writing *w, const struct logp_note *note, int64_t end)
{
    struct at *at = &w->ranks[note->rank];
    struct lpi_text words = {0};

    go_to(w, note->rank, -1, note->time_ns + (note->kind == LOGP_NOTE_MISSED), end);
    at->last_ns = at->last_ns > w->now ? at->last_ns : w->now;
    w->now += STEP;
    if (w->t == NULL)
        return;
    lpi_tell_note(&words, note, NULL);
    write_mark(w, note->rank, at->last_ns, words.s != NULL ? words.s : "");
    free(words.s);
}

/* Take all steps in the order of the notes; end: of the last one, if known. */
static void go(struct writing *w, const struct lpi_story *s, int64_t P, int64_t end)
{
    w->now = 0;
    memset(w->ranks, 0, (size_t)P * sizeof(*w->ranks));
    for (int i = 0; i < s->n_notes; i++) {
        const struct logp_note *note = &s->notes[i];

        if (note->kind == LOGP_NOTE_SEND) {
            w->payload = s->payloads[i];
            go_to(w, note->rank, LOGP_EVENT_SEND, INT64_MAX, end);
            w->payload = NULL;
        } else if (note->kind == LOGP_NOTE_RECEIVE)
            go_to(w, note->rank, LOGP_EVENT_RECEIVE, INT64_MAX, end);
        else if (note->kind == LOGP_NOTE_ENDED)
            go_to(w, note->rank, -1, INT64_MAX, end);
        else if (note->kind == LOGP_NOTE_COMPUTED || note->kind == LOGP_NOTE_WAITED)
            go_to(w, note->rank, -1, note->time_ns, end);
        else
            look(w, note, end);
    }
    for (int64_t r = 0; r < P; r++)
        go_to(w, r, -1, INT64_MAX, end);
}

static bool make_steps(struct writing *w, int64_t P)
{
    w->steps = calloc((size_t)P, sizeof(*w->steps));
    for (int64_t r = 0; w->steps != NULL && r < P; r++) {
        size_t n;

        logp_trace_events(w->trace, r, &n);
        w->steps[r] = calloc(n + 1, sizeof(**w->steps));
        if (w->steps[r] == NULL)
            return false;
    }
    return w->steps != NULL;
}

/* ---- the whole trace ---- */

/* Write the fault events of a message, and the description of its payload, where its send begins. Sends
 * that begin at one time are noted in their order. */
static void write_events(struct writing *w, const struct lpi_story *s, int64_t rank,
                         const struct logp_event *send)
{
    for (int i = 0; i < s->n_deviations; i++) {
        const struct logp_fault_event *fault = &s->deviations[i].event;

        if (fault->kind != NULL && fault->src == rank && fault->time_ns == send->start_ns)
            write_mark(w, rank, send->start_ns, fault->kind);
    }
    for (int i = w->ranks[rank].next_note; i < s->n_notes; i++)
        if (s->notes[i].kind == LOGP_NOTE_SEND && s->notes[i].rank == rank &&
            s->notes[i].time_ns == send->start_ns) {
            if (s->payloads[i] != NULL)
                write_mark(w, rank, send->start_ns, s->payloads[i]);
            w->ranks[rank].next_note = i + 1;
            break;
        }
}

static void write_times(struct writing *w, const struct lpi_story *s, int64_t P)
{
    for (int64_t r = 0; r < P; r++) {
        size_t n;
        const struct logp_event *e = logp_trace_events(w->trace, r, &n);

        for (size_t i = 0; i < n; i++) {
            if (e[i].kind == LOGP_EVENT_SEND)
                write_events(w, s, r, &e[i]);
            if (e[i].kind != LOGP_EVENT_HALTED && (e[i].fate & LOGP_FATE_ENDLESS) == 0)
                write_event(w, r, &e[i]);
        }
    }
}

/* Write an endless wait, with a mark that describes it. */
static void write_wait(struct writing *w, const struct logp_wait_info *wait, int64_t end)
{
    const int64_t from = w->ranks[wait->rank].last_ns;
    const bool halted = wait->kind == LOGP_WAIT_HALTED;
    struct logp_event e = event(halted                          ? LOGP_EVENT_HALTED
                                : wait->kind == LOGP_WAIT_SPACE ? LOGP_EVENT_STALL
                                                                : LOGP_EVENT_IDLE,
                                from, end > from ? end : from, wait->source, wait->tag);
    struct lpi_text words = {0};

    lpi_tell_wait(&words, wait);
    write_mark(w, wait->rank, from, words.s != NULL ? words.s : "");
    free(words.s);
    e.fate = halted ? 0 : LOGP_FATE_ENDLESS;
    write_event(w, wait->rank, &e);
}

static void write_ends(struct writing *w, const struct lpi_job *job, const struct lpi_story *s,
                       int64_t end)
{
    const struct lpi_outcome *o = &job->outcome;
    struct lpi_text words = {0};

    if (o->kind == LOGP_FAILURE_ASSERTED)
        lpi_text_add(&words, *o->asserted.expression != '\0' ? "%s does not hold" : "%s",
                     *o->asserted.expression != '\0' ? o->asserted.expression : o->detail);
    else if (o->kind == LOGP_FAILURE_ERROR)
        lpi_text_add(&words, "returned %d", o->error);
    if (words.s != NULL)
        words.s[strcspn(words.s, "\n")] = '\0'; /* a mark is one line */
    if (words.s != NULL && o->rank >= 0)
        write_mark(w, o->rank, w->ranks[o->rank].last_ns, words.s);
    free(words.s);
    for (int i = 0; i < s->n_waits; i++)
        write_wait(w, &s->waits[i], end);
}

bool lpi_trace_needs_notes(const struct lpi_job *job, const struct lpi_plan *plan)
{
    return plan->untimed || job->check.describe != NULL;
}

void lpi_trace_write(struct lpi_text *t, const struct lpi_job *job, const struct lpi_story *s,
                     const struct logp_trace *trace)
{
    const struct logp_trace_info *info = logp_trace_info(trace);
    struct writing w = {.trace = trace, .ranks = calloc((size_t)info->P, sizeof(*w.ranks))};
    int64_t end = info->end_ns;

    lpi_words_use(&job->check);
    if (w.ranks == NULL || (job->plan.untimed && !make_steps(&w, info->P))) {
        t->failed = true;
    } else {
        if (job->plan.untimed) {
            go(&w, s, info->P, 0);
            end = w.now;
        }
        w.t = t;
        lpi_text_add(t, "trace %" PRId64 " %s\n", info->P, w.steps != NULL ? "steps" : "ns");
        for (uint32_t i = 1; i <= info->n_labels; i++)
            write_label(&w, logp_trace_label(trace, i));
        if (w.steps != NULL)
            go(&w, s, info->P, end);
        else
            write_times(&w, s, info->P);
        write_ends(&w, job, s, end);
    }
    lpi_words_use(NULL);
    for (int64_t r = 0; w.steps != NULL && r < info->P; r++)
        free(w.steps[r]);
    free(w.steps);
    free(w.ranks);
}
