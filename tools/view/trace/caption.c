/* SPDX-License-Identifier: MIT */
/* The descriptions of a trace in words. */
#include "view/trace/trace.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *in_units(const struct question *q, int64_t ns, char buf[32])
{
    snprintf(buf, 32, "%.6g", (double)ns / (double)q->model.unit_ns);
    return buf;
}

/* Append to the text in buf. */
__attribute__((format(printf, 2, 3))) static void add(char buf[MAX_CAPTION], const char *format,
                                                      ...)
{
    const size_t n = strlen(buf);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(buf + n, MAX_CAPTION - n, format, arguments);
    va_end(arguments);
}

/* Append a label, which may have any characters: it is the program's text. */
static void add_shown(char buf[MAX_CAPTION], const char *text)
{
    char *shown = shown_text(text);

    add(buf, "%s", shown);
    free(shown);
}

const char *unit_words(const struct shown *s)
{
    return s->steps ? "steps" : "units";
}

int64_t finalize_ns(const struct logp_trace *t, int64_t rank)
{
    size_t n;
    const struct logp_event *e = logp_trace_events(t, rank, &n);

    while (n > 0 && (e[n - 1].kind != LOGP_EVENT_MARK ||
                     strcmp(logp_trace_label(t, e[n - 1].label), "MPI_Finalize") != 0))
        n--;
    return n > 0 ? e[n - 1].start_ns : -1;
}

int64_t program_ns(const struct logp_trace *t)
{
    int64_t last = -1;

    for (int64_t r = 0; r < logp_trace_info(t)->P; r++) {
        const int64_t ns = finalize_ns(t, r);

        if (ns < 0)
            return -1;
        last = ns > last ? ns : last;
    }
    return last;
}

/* The end of the program's own work, where MPI_Finalize takes more time. */
static void add_program(char buf[MAX_CAPTION], const struct shown *s)
{
    const int64_t ns = program_ns(s->trace);
    char time[32];

    if (ns < logp_trace_info(s->trace)->wall_ns)
        add(buf, ", MPI_Finalize from %s on",
            logp_trace_info(s->trace)->source == LOGP_TRACE_HOST ? show_ns(ns, time, sizeof(time))
                                                                 : in_units(s->q, ns, time));
}

const char *title_of(const struct shown *s, char buf[MAX_CAPTION])
{
    static const char *const sources[] = {
        [LOGP_TRACE_PREDICTED] = "predicted",
        [LOGP_TRACE_VIRTUAL] = "virtual clock",
        [LOGP_TRACE_WALL] = "wall clock",
        [LOGP_TRACE_HOST] = "real time, nothing emulated",
    };
    const struct logp_trace_info *info = logp_trace_info(s->trace);
    char time[32];

    buf[0] = '\0';
    if (s->title != NULL)
        return s->title;
    if (s->algorithm != NULL)
        add(buf, "%s/%s", s->algorithm->collective, s->algorithm->name);
    else
        add(buf, "%.*s", MAX_CAPTION / 2, s->program);
    add(buf, ", P = %lld: ", (long long)info->P);
    if (info->source == LOGP_TRACE_HOST)
        add(buf, "%s", show_ns(info->wall_ns, time, sizeof(time)));
    else
        add(buf, "%s %.*s", in_units(s->q, info->wall_ns, time),
            (int)strlen(unit_words(s)) - (info->wall_ns == s->q->model.unit_ns), unit_words(s));
    if (program_ns(s->trace) >= 0)
        add_program(buf, s);
    add(buf, ", %s", s->steps ? "in the order in which they were taken" : sources[info->source]);
    return buf;
}

static void add_links(char buf[MAX_CAPTION], const struct question *q)
{
    char *text = NULL;
    size_t size;
    FILE *f = q->model.network.links != NULL ? open_memstream(&text, &size) : NULL;

    if (f == NULL)
        return;
    show_links(f, q);
    add(buf, "; %s", close_text(f, &text));
    free(text);
}

const char *model_of(const struct shown *s, char buf[MAX_CAPTION])
{
    const struct logp_params *p = &s->q->model.network.params;
    const struct {
        const char *name;
        double units;
        bool shown;
    } all[] = {
        {"L", (double)p->L_ns, true},
        {"o", (double)p->o_send_ns, p->o_send_ns == p->o_recv_ns},
        {"o_send", (double)p->o_send_ns, p->o_send_ns != p->o_recv_ns},
        {"o_recv", (double)p->o_recv_ns, p->o_send_ns != p->o_recv_ns},
        {"g", (double)p->g_ns, true},
        {"gamma", (double)p->gamma_ps / 1000, p->gamma_ps > 0},
    };
    char unit[32], G[64];

    buf[0] = '\0';
    if (!s->q->model.emulated)
        return buf;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].shown)
            add(buf, "%s%s %.6g", *buf != '\0' ? ", " : "", all[i].name,
                all[i].units / (double)s->q->model.unit_ns);
    if (p->G_ps > 0 && !s->q->model.ignores_G)
        add(buf, ", G %s", show_byte_time(p->G_ps, G));
    if (p->O_ps > 0)
        add(buf, ", O %s", show_byte_time(p->O_ps, G));
    if (p->gap_shared)
        add(buf, ", shared gap");
    if (logp_params_capacity(p) > 0)
        add(buf, ", capacity %lld", (long long)logp_params_capacity(p));
    if (s->q->model.network.rendezvous_from > 0)
        add(buf, ", rendezvous %lld", (long long)s->q->model.network.rendezvous_from - 1);
    if (s->q->model.network.ports > 1)
        add(buf, ", %lld ports", (long long)s->q->model.network.ports);
    if (s->q->model.network.topology != NULL)
        add(buf, ", %s", logp_topology_spec(s->q->model.network.topology));
    add_links(buf, s->q);
    if (s->q->model.network.faults != NULL)
        add(buf, ", faults %s", s->q->model.network.faults);
    if (s->q->model.network.noise != NULL)
        add(buf, ", noise %s", s->q->model.network.noise);
    add(buf, "; a unit is %s", show_ns(s->q->model.unit_ns, unit, sizeof(unit)));
    return buf;
}

const char *event_words(const struct logp_trace *t, const struct logp_event *e, bool with_bytes,
                        char buf[MAX_CAPTION])
{
    buf[0] = '\0';
    if (e->kind == LOGP_EVENT_MARK)
        add_shown(buf, logp_trace_label(t, e->label));
    else if ((e->fate & LOGP_FATE_ENDLESS) != 0)
        add(buf, e->peer >= 0 ? "waits for ever for %d" : "waits for ever", e->peer);
    else
        add(buf, "%s", logp_event_kind_name(e->kind));
    if (e->kind == LOGP_EVENT_SEND)
        add(buf, " to %d", e->peer);
    else if (e->kind == LOGP_EVENT_RECEIVE && e->peer >= 0)
        add(buf, " from %d", e->peer);
    if (with_bytes && (e->kind == LOGP_EVENT_SEND || e->kind == LOGP_EVENT_RECEIVE))
        add(buf, ", %lld bytes", (long long)e->bytes);
    if (e->kind == LOGP_EVENT_SEND && fate_words(e) != NULL)
        add(buf, ", %s", fate_words(e));
    if (is_left_over(t, e))
        add(buf, ", never received");
    return buf;
}

const char *fate_words(const struct logp_event *e)
{
    static const char *const words[] = {
        [LOGP_FATE_DROPPED] = "dropped",
        [LOGP_FATE_DUPLICATED] = "duplicated",
        [LOGP_FATE_FLIPPED] = "flipped",
        [LOGP_FATE_DUPLICATED | LOGP_FATE_FLIPPED] = "duplicated, flipped",
        [LOGP_FATE_ENDLESS] = "endless",
    };

    return e->fate < sizeof(words) / sizeof(words[0]) ? words[e->fate] : NULL;
}

int times_received(const struct logp_trace *t, const struct logp_event *send)
{
    size_t n;
    const struct logp_trace_message *m = &logp_trace_messages(t, &n)[send->message];

    return (m->receive >= 0) + (m->again >= 0);
}

bool is_left_over(const struct logp_trace *t, const struct logp_event *e)
{
    const int copies = (e->fate & LOGP_FATE_DUPLICATED) != 0 ? 2 : 1;

    return e->kind == LOGP_EVENT_SEND && (e->fate & LOGP_FATE_DROPPED) == 0 && e->message >= 0 &&
           logp_trace_info(t)->dropped == 0 && times_received(t, e) < copies;
}

int64_t edge_of(const struct shown *s, int64_t end_ns)
{
    for (int64_t r = 0; r < logp_trace_info(s->trace)->P; r++) {
        size_t n;
        const struct logp_event *e = logp_trace_events(s->trace, r, &n);

        if (n > 0 && is_endless(&e[n - 1]))
            return end_ns > 0 ? end_ns + end_ns / 16 + 1 : s->q->model.unit_ns;
    }
    return end_ns;
}

/* Append the ranks that wait forever, or that have stopped. */
static void add_ranks(char buf[MAX_CAPTION], const struct logp_trace *t, bool halted)
{
    enum { NAMED = 8 };
    int64_t found = 0;

    for (int64_t r = 0; r < logp_trace_info(t)->P; r++) {
        size_t n;
        const struct logp_event *e = logp_trace_events(t, r, &n);

        if (n == 0 || !is_endless(&e[n - 1]) || (e[n - 1].kind == LOGP_EVENT_HALTED) != halted)
            continue;
        if (found++ < NAMED)
            add(buf, "%sP%lld", found > 1 ? ", " : *buf != '\0' ? "; " : "", (long long)r);
    }
    if (found > NAMED)
        add(buf, " and %lld more", (long long)(found - NAMED));
    if (found > 0)
        add(buf, "%s",
            halted      ? found > 1 ? " have stopped" : " has stopped"
            : found > 1 ? " wait for ever"
                        : " waits for ever");
}

const char *toll_of(const struct shown *s, char buf[MAX_CAPTION])
{
    enum { LOST, TWICE, FLIPPED, LEFT, N };
    static const char *const words[N] = {"lost", "twice", "flipped", "never received"};
    const char *between = "messages: ";
    uint64_t count[N] = {0};

    buf[0] = '\0';
    for (int64_t r = 0; r < logp_trace_info(s->trace)->P; r++) {
        size_t n;
        const struct logp_event *e = logp_trace_events(s->trace, r, &n);

        for (size_t i = 0; i < n; i++) {
            count[LOST] += (e[i].fate & LOGP_FATE_DROPPED) != 0;
            count[TWICE] += (e[i].fate & LOGP_FATE_DUPLICATED) != 0;
            count[FLIPPED] += (e[i].fate & LOGP_FATE_FLIPPED) != 0;
            count[LEFT] += is_left_over(s->trace, &e[i]);
        }
    }
    for (int i = 0; i < N; i++)
        if (count[i] > 0) {
            add(buf, "%s%llu %s", between, (unsigned long long)count[i], words[i]);
            between = ", ";
        }
    if (s->algorithm != NULL) { /* the failure of a replay includes it */
        add_ranks(buf, s->trace, false);
        add_ranks(buf, s->trace, true);
    }
    return buf;
}

const char *parting_of(const struct shown *s, char buf[MAX_CAPTION])
{
    const struct parting *p = &s->parting;
    char words[MAX_CAPTION], time[32];
    size_t n;

    buf[0] = '\0';
    if (s->algorithm == NULL)
        add(buf, "%s", s->failure);
    if (s->predicted == NULL || s->names[0] != NULL)
        return buf;
    if (!p->alike) {
        add(buf, "the run has other events than the schedule");
    } else if (!p->found) {
        add(buf, p->threshold_ns == 0 ? "as predicted, event by event"
                                      : "as predicted, each event within 1 %% of the whole");
    } else {
        const struct logp_event *e = &logp_trace_events(s->trace, p->rank, &n)[p->index];

        add(buf, "differs from the prediction first at processor %lld, %s, which ends %s ",
            (long long)p->rank, event_words(s->trace, e, false, words),
            show_ns(p->by_ns > 0 ? p->by_ns : -p->by_ns, time, sizeof(time)));
        add(buf, p->by_ns > 0 ? "late" : "early");
    }
    if (p->late_rank >= 0) {
        const struct logp_event *e = &logp_trace_events(s->trace, p->late_rank, &n)[p->late_index];

        add(buf, "; the host's largest lag: %s, processor %lld, %s",
            show_ns(p->late_ns, time, sizeof(time)), (long long)p->late_rank,
            event_words(s->trace, e, false, words));
    }
    return buf;
}

const char *source_name(enum logp_trace_source source)
{
    static const char *const names[] = {[LOGP_TRACE_PREDICTED] = "predicted",
                                        [LOGP_TRACE_VIRTUAL] = "virtual",
                                        [LOGP_TRACE_WALL] = "wall",
                                        [LOGP_TRACE_HOST] = "host"};

    return names[source];
}

/* ---- a run and its prediction: where the two differ ---- */

static bool is_work(const struct logp_event *e)
{
    return e->kind == LOGP_EVENT_SEND || e->kind == LOGP_EVENT_RECEIVE ||
           e->kind == LOGP_EVENT_COMPUTE;
}

/* The next event that is work, from i on; n: none. */
static size_t next_work(const struct logp_event *e, size_t n, size_t i)
{
    while (i < n && !is_work(&e[i]))
        i++;
    return i;
}

static bool same_work(const struct logp_event *a, const struct logp_event *b)
{
    return a->kind == b->kind && a->peer == b->peer && a->tag == b->tag && a->bytes == b->bytes;
}

/* Compare the times of an event of both. first_ns: the predicted end of the first that differs */
static void look_at(struct parting *p, int64_t rank, size_t index, const struct logp_event *run,
                    const struct logp_event *predicted, int64_t *first_ns)
{
    const int64_t by = event_end(run) - predicted->end_ns;

    if ((by <= p->threshold_ns && by >= -p->threshold_ns) || predicted->end_ns >= *first_ns)
        return;
    *first_ns = predicted->end_ns;
    p->found = true;
    p->rank = rank;
    p->index = (int64_t)index;
    p->by_ns = by;
}

static void look_for_lateness(struct parting *p, int64_t rank, const struct logp_event *e, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (e[i].late_ns > p->late_ns) {
            p->late_ns = e[i].late_ns;
            p->late_rank = rank;
            p->late_index = (int64_t)i;
        }
}

struct parting compare_traces(const struct logp_trace *run, const struct logp_trace *predicted)
{
    const int64_t threshold = logp_trace_info(predicted)->end_ns / 100;
    struct parting p = {.alike = true, .threshold_ns = threshold, .late_rank = -1};
    int64_t first_ns = INT64_MAX;

    if (logp_trace_info(run)->source == LOGP_TRACE_VIRTUAL)
        p.threshold_ns = 0;
    for (int64_t r = 0; r < logp_trace_info(run)->P; r++) {
        size_t n, m, i = 0, k = 0;
        const struct logp_event *a = logp_trace_events(run, r, &n);
        const struct logp_event *b = logp_trace_events(predicted, r, &m);

        look_for_lateness(&p, r, a, n);
        for (;; i++, k++) {
            i = next_work(a, n, i);
            k = next_work(b, m, k);
            if (i == n || k == m || !same_work(&a[i], &b[k]))
                break;
            look_at(&p, r, i, &a[i], &b[k], &first_ns);
        }
        p.alike &= i == n && k == m;
    }
    return p;
}
