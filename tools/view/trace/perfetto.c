/* SPDX-License-Identifier: MIT */
/*
 * A trace for Perfetto: TrackEvents, with the numbers of their public fields. Each processor has a
 * track for its activities (sends, receives, computing, marks), one for the gaps and stalls of its
 * port, one for the streams of long messages, if there are any, and as many for its messages in
 * flight as there are at a time. A message is a flow from its send through its flight to its
 * receive, or to both of them; a lost message ends with its flight, halfway.
 *
 * Each track is a sequence of packets of its own, so that an event names neither its track nor the
 * time: the track is the sequence's default, and times count from the event before. Names are
 * written once in a sequence, and then referred to by number.
 *
 * Source: perfetto.dev, Writing TrackEvent Protos Synthetically; protos/perfetto/trace.
 */
#include "text/problem.h"
#include "view/trace/trace.h"

#include <stdlib.h>

enum { /* TracePacket */
       CLOCK_SNAPSHOT = 6,
       TIMESTAMP = 8,
       SEQUENCE_ID = 10,
       TRACK_EVENT = 11, /* of the defaults: TrackEventDefaults */
       INTERNED_DATA = 12,
       SEQUENCE_FLAGS = 13,
       TIMESTAMP_CLOCK_ID = 58,
       TRACE_PACKET_DEFAULTS = 59,
       TRACK_DESCRIPTOR = 60,
};
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };                           /* sequence_flags */
enum { CLOCKS = 1, CLOCK_ID = 1, CLOCK_TIME = 2, IS_INCREMENTAL = 3 }; /* ClockSnapshot */
enum { BOOTTIME = 6, OUR_CLOCK = 64 };
enum { UUID = 1, NAME = 2, PARENT_UUID = 5, CHILD_ORDERING = 11, ORDER_RANK = 12, EXPLICIT = 3 };
enum { /* TrackEvent */
       CATEGORY_IIDS = 3,
       DEBUG_ANNOTATIONS = 4,
       TYPE = 9,
       NAME_IID = 10,
       TRACK_UUID = 11,
       FLOW_IDS = 47,
       TERMINATING_FLOW_IDS = 48,
};
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3 };
enum { CATEGORIES = 1, NAMES = 2, ANNOTATION_NAMES = 3, IID = 1, INTERNED_NAME = 2 };
enum { ANNOTATION_NAME_IID = 1, UINT_VALUE = 3 };
enum { BYTES = 1, TAG, LATE, N_ANNOTATIONS = LATE };

/* Names by number: the kinds, the labels, the roles of each peer, a wait forever, and STREAM by
 * peer. */
enum role { TO, FROM, FLIGHT, LOST, LEFT_OVER, ROLES, STREAM = ROLES };

struct file {
    struct proto out;
    const struct question *q;
    const struct logp_trace *trace;
    uint64_t uuid;      /* the last one used */
    uint64_t sequence;  /* the track being written */
    int64_t now;        /* the time of its last packet */
    uint32_t n_names;   /* without those of STREAM */
    uint32_t *named;    /* by number of a name: the sequence in which it was written last; */
    uint32_t *labelled; /* the same for labels as categories */
};

/* ---- tracks ---- */

/* Describe a track. parent: the track above it, 0: none; order: its place among that one's tracks.
 * @return its uuid */
static uint64_t describe(struct file *f, uint64_t parent, int64_t order, const char *name)
{
    const uint64_t uuid = ++f->uuid;
    const size_t packet = packet_begin(&f->out);
    size_t track;

    proto_number(&f->out, SEQUENCE_ID, 1);
    track = proto_begin(&f->out, TRACK_DESCRIPTOR);
    proto_number(&f->out, UUID, uuid);
    proto_text(&f->out, NAME, name);
    if (parent > 0) {
        proto_number(&f->out, PARENT_UUID, parent);
        proto_number(&f->out, ORDER_RANK, (uint64_t)order);
    }
    proto_number(&f->out, CHILD_ORDERING, EXPLICIT);
    proto_end(&f->out, track);
    packet_end(&f->out, packet);
    return uuid;
}

static void intern(struct file *f, unsigned field, uint64_t iid, const char *name)
{
    const size_t entry = proto_begin(&f->out, field);

    proto_number(&f->out, IID, iid);
    proto_text(&f->out, INTERNED_NAME, name);
    proto_end(&f->out, entry);
}

/* Begin a track: the events that follow belong to it. */
static void begin_track(struct file *f, uint64_t uuid)
{
    static const char *const annotations[] = {"", "bytes", "tag", "late_ns"};
    const size_t packet = packet_begin(&f->out);
    size_t outer, inner;

    f->sequence = uuid;
    f->now = 0;
    proto_number(&f->out, TIMESTAMP, 0);
    proto_number(&f->out, TIMESTAMP_CLOCK_ID, BOOTTIME);
    proto_number(&f->out, SEQUENCE_ID, uuid);
    proto_number(&f->out, SEQUENCE_FLAGS, STATE_CLEARED);
    outer = proto_begin(&f->out, CLOCK_SNAPSHOT);
    for (int clock = BOOTTIME; clock != 0; clock = clock == BOOTTIME ? OUR_CLOCK : 0) {
        inner = proto_begin(&f->out, CLOCKS);
        proto_number(&f->out, CLOCK_ID, (uint64_t)clock);
        proto_number(&f->out, CLOCK_TIME, 0);
        if (clock == OUR_CLOCK)
            proto_number(&f->out, IS_INCREMENTAL, 1);
        proto_end(&f->out, inner);
    }
    proto_end(&f->out, outer);
    outer = proto_begin(&f->out, TRACE_PACKET_DEFAULTS);
    proto_number(&f->out, TIMESTAMP_CLOCK_ID, OUR_CLOCK);
    inner = proto_begin(&f->out, TRACK_EVENT);
    proto_number(&f->out, TRACK_UUID, uuid);
    proto_end(&f->out, inner);
    proto_end(&f->out, outer);
    outer = proto_begin(&f->out, INTERNED_DATA);
    for (unsigned k = 0; k < LOGP_EVENT_KINDS; k++)
        intern(f, NAMES, k + 1, logp_event_kind_name((enum logp_event_kind)k));
    for (uint64_t k = 1; k <= N_ANNOTATIONS; k++)
        intern(f, ANNOTATION_NAMES, k, annotations[k]);
    proto_end(&f->out, outer);
    packet_end(&f->out, packet);
}

/* ---- events ---- */

static uint32_t name_of(const struct file *f, const struct logp_event *e, enum role role)
{
    const uint32_t first = LOGP_EVENT_KINDS + 1, n_labels = logp_trace_info(f->trace)->n_labels;

    if (e->kind == LOGP_EVENT_MARK)
        return first + e->label;
    if ((e->fate & LOGP_FATE_ENDLESS) != 0)
        return f->n_names - 1;
    if ((e->kind != LOGP_EVENT_SEND && e->kind != LOGP_EVENT_RECEIVE) || e->peer < 0)
        return e->kind + 1;
    if (role == STREAM)
        return f->n_names + (uint32_t)e->peer;
    return first + n_labels + 1 + ROLES * (uint32_t)e->peer + role;
}

/* Write the names of an event that are not yet in this sequence. */
static void intern_names(struct file *f, const struct logp_event *e, enum role role, uint32_t name)
{
    static const char *const words[ROLES + 1] = {"send to",  "receive from",       "to",
                                                 "lost: to", "never received: to", "stream to"};
    const uint32_t sequence = (uint32_t)f->sequence;
    const bool new_name = name > LOGP_EVENT_KINDS && f->named[name] != sequence;
    const bool new_label = e->label > 0 && f->labelled[e->label] != sequence;
    size_t data;

    if (!new_name && !new_label)
        return;
    data = proto_begin(&f->out, INTERNED_DATA);
    if (new_label)
        intern(f, CATEGORIES, e->label, logp_trace_label(f->trace, e->label));
    if (new_name && e->kind == LOGP_EVENT_MARK) {
        intern(f, NAMES, name, logp_trace_label(f->trace, e->label));
    } else if (name == f->n_names - 1) {
        if (new_name)
            intern(f, NAMES, name, "waits for ever");
    } else if (new_name) {
        char text[48];

        snprintf(text, sizeof(text), "%s %d", words[role], e->peer);
        intern(f, NAMES, name, text);
    }
    proto_end(&f->out, data);
    f->named[name] = sequence;
    f->labelled[e->label] = sequence;
}

static void annotate(struct file *f, uint64_t which, int64_t value)
{
    size_t note;

    if (value <= 0)
        return;
    note = proto_begin(&f->out, DEBUG_ANNOTATIONS);
    proto_number(&f->out, ANNOTATION_NAME_IID, which);
    proto_number(&f->out, UINT_VALUE, (uint64_t)value);
    proto_end(&f->out, note);
}

/* Begin a packet at this time, which is not before the last. @return for packet_end() */
static size_t packet_at(struct file *f, int64_t t)
{
    const size_t packet = packet_begin(&f->out);

    proto_number(&f->out, TIMESTAMP, (uint64_t)(t - f->now));
    proto_number(&f->out, SEQUENCE_ID, f->sequence);
    proto_number(&f->out, SEQUENCE_FLAGS, NEEDS_STATE);
    f->now = t;
    return packet;
}

static bool flies(const struct logp_event *e)
{
    return e->kind == LOGP_EVENT_SEND && e->arrival_ns > e->end_ns;
}

/* Add the flows of a message, one for each copy: from its send through its flight to its receive;
 * without a receive the flow ends with the flight. index: of e at its rank, if it is a receive */
static void add_flows(struct file *f, const struct logp_event *e, enum role role, size_t index)
{
    size_t n;
    const struct logp_trace_message *m = logp_trace_messages(f->trace, &n);
    const bool in_flight = role != TO && role != FROM;

    if (e->message < 0 || role == STREAM)
        return;
    m += e->message;
    for (int copy = 0; copy < 2; copy++) {
        const int64_t receive = copy == 0 ? m->receive : m->again;
        const uint64_t id = (uint64_t)e->message + 1 + (copy == 0 ? 0 : n);
        const bool ends = role == FROM || (in_flight && receive < 0);

        if (role == FROM ? receive == (int64_t)index : receive >= 0 || (copy == 0 && flies(e)))
            proto_fixed64(&f->out, ends ? TERMINATING_FLOW_IDS : FLOW_IDS, id);
    }
}

static void slice(struct file *f, const struct logp_event *e, enum role role, size_t index,
                  int64_t start, int64_t end)
{
    const bool is_mark = e->kind == LOGP_EVENT_MARK;
    const uint32_t name = name_of(f, e, role);
    size_t packet = packet_at(f, start), event;

    intern_names(f, e, role, name);
    event = proto_begin(&f->out, TRACK_EVENT);
    proto_number(&f->out, TYPE, is_mark ? INSTANT : SLICE_BEGIN);
    proto_number(&f->out, NAME_IID, name);
    if (e->label > 0)
        proto_number(&f->out, CATEGORY_IIDS, e->label);
    add_flows(f, e, role, index);
    if (role == STREAM)
        annotate(f, BYTES, e->bytes);
    if (role == TO || role == FROM) {
        annotate(f, BYTES, e->bytes);
        annotate(f, TAG, e->tag);
        annotate(f, LATE, e->late_ns);
    }
    proto_end(&f->out, event);
    packet_end(&f->out, packet);
    if (is_mark)
        return;
    packet = packet_at(f, end);
    event = proto_begin(&f->out, TRACK_EVENT);
    proto_number(&f->out, TYPE, SLICE_END);
    proto_end(&f->out, event);
    packet_end(&f->out, packet);
}

/* ---- a processor ---- */

static bool holds_up(const struct logp_event *e)
{
    return e->kind == LOGP_EVENT_GAP || e->kind == LOGP_EVENT_STALL;
}

/* Write the processor's activities, or, for its port, the gaps and stalls. */
static void write_events(struct file *f, uint64_t uuid, const struct logp_event *e, size_t n,
                         bool port)
{
    begin_track(f, uuid);
    for (size_t i = 0; i < n; i++)
        if ((e[i].kind != LOGP_EVENT_IDLE || is_endless(&e[i])) && holds_up(&e[i]) == port)
            slice(f, &e[i], e[i].kind == LOGP_EVENT_RECEIVE ? FROM : TO, i, e[i].start_ns,
                  e[i].end_ns);
}

static bool has_streams(const struct file *f, int64_t rank, const struct logp_event *e, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (stream_ns(f->q, rank, &e[i]) > 0)
            return true;
    return false;
}

/* Write the streams of a rank. Noise may delay the end of one send and not that of the next: then
 * the second stream begins later, because slices of a track must not overlap. */
static void write_streams(struct file *f, uint64_t uuid, int64_t rank, const struct logp_event *e,
                          size_t n)
{
    int64_t free_at = 0;

    begin_track(f, uuid);
    for (size_t i = 0; i < n; i++) {
        const int64_t end = e[i].end_ns + stream_ns(f->q, rank, &e[i]);
        const int64_t start = e[i].end_ns > free_at ? e[i].end_ns : free_at;

        if (end <= start || end == e[i].end_ns)
            continue;
        slice(f, &e[i], STREAM, i, start, end);
        free_at = end;
    }
}

static enum role flight_of(const struct file *f, const struct logp_event *e)
{
    return (e->fate & LOGP_FATE_DROPPED) != 0 ? LOST
           : is_left_over(f->trace, e)        ? LEFT_OVER
                                              : FLIGHT;
}

/* The end of a message's flight; a lost message reaches half of it. */
static int64_t landing(const struct logp_event *e)
{
    const bool lost = (e->fate & LOGP_FATE_DROPPED) != 0;

    return lost ? e->end_ns + (e->arrival_ns - e->end_ns) / 2 : e->arrival_ns;
}

/*
 * Choose different tracks for messages that are in flight at the same time: each takes the track
 * that was taken longest ago, if it is free, or a new one. lanes: of n events. @return the number
 * of tracks
 */
static size_t choose_lanes(const struct logp_event *e, size_t n, size_t *lanes, int64_t *free_at)
{
    size_t n_lanes = 0, next = 0;

    for (size_t i = 0; i < n; i++) {
        if (!flies(&e[i]))
            continue;
        next = n_lanes > 0 ? next % n_lanes : 0;
        if (n_lanes == 0 || free_at[next] > e[i].end_ns)
            next = n_lanes++;
        free_at[next] = e[i].arrival_ns;
        lanes[i] = next++;
    }
    return n_lanes;
}

/* Write the messages in flight. order: the place of the first of their tracks */
static void write_flights(struct file *f, uint64_t parent, int64_t order,
                          const struct logp_event *e, size_t n)
{
    size_t *lanes = need(malloc((n + 1) * sizeof(*lanes)));
    int64_t *free_at = need(malloc((n + 1) * sizeof(*free_at)));
    const size_t n_lanes = choose_lanes(e, n, lanes, free_at);

    for (size_t lane = 0; lane < n_lanes; lane++) {
        begin_track(f, describe(f, parent, order + (int64_t)lane, "in flight"));
        for (size_t i = 0; i < n; i++)
            if (flies(&e[i]) && lanes[i] == lane)
                slice(f, &e[i], flight_of(f, &e[i]), i, e[i].end_ns, landing(&e[i]));
    }
    free(lanes);
    free(free_at);
}

static void write_rank(struct file *f, uint64_t root, int64_t rank)
{
    size_t n;
    const struct logp_event *e = logp_trace_events(f->trace, rank, &n);
    const bool streams = has_streams(f, rank, e, n);
    uint64_t own, processor, port;
    char name[32];

    snprintf(name, sizeof(name), "P%lld", (long long)rank);
    own = describe(f, root, rank, name);
    processor = describe(f, own, 0, "processor");
    port = describe(f, own, 1, "port");
    write_events(f, processor, e, n, false);
    write_events(f, port, e, n, true);
    if (streams)
        write_streams(f, describe(f, own, 2, "port streams (k-1)G"), rank, e, n);
    write_flights(f, own, 2 + streams, e, n);
}

static void show_perfetto(FILE *out, const struct shown *s)
{
    const struct logp_trace_info *info = logp_trace_info(s->trace);
    const size_t n_names = LOGP_EVENT_KINDS + info->n_labels + 3 + ROLES * (size_t)info->P;
    struct file f = {.out.f = out,
                     .q = s->q,
                     .trace = s->trace,
                     .uuid = 1,
                     .n_names = (uint32_t)n_names,
                     .named = need(calloc(n_names + (size_t)info->P, sizeof(*f.named))),
                     .labelled = need(calloc((size_t)info->n_labels + 1, sizeof(*f.labelled)))};
    char title[MAX_CAPTION];
    uint64_t root = describe(&f, 0, 0, title_of(s, title));

    for (int64_t r = 0; r < info->P; r++)
        write_rank(&f, root, r);
    packets_finish(&f.out);
    free(f.named);
    free(f.labelled);
}

const struct trace_form trace_as_perfetto = {show_perfetto, 0};
