/* SPDX-License-Identifier: MIT */
/*
 * The events of a trace as columns, rank after rank, each of the smallest whole numbers that hold
 * it, in little endian, as on all machines that have a browser. A constant column is stored once, and
 * so is one that a prediction and its run have in common.
 * Peers, tags, labels and mates are stored plus one; 0: there is none.
 */
#include "view/report/report.h"
#include "view/trace/trace.h"

#include <stdlib.h>
#include <string.h>

struct columns {
    const struct question *q;
    const struct logp_trace *trace;
    const struct logp_trace_message *messages;
    size_t *first; /* by rank: the number of events before its own; P + 1 entries */
    int64_t *value;
    size_t n;
    int64_t rank; /* the rank being filled */
    FILE *f;
    int number; /* of the trace in the page */
};

static int64_t start_of(const struct columns *t, const struct logp_event *e)
{
    (void)t;
    return e->start_ns;
}

static int64_t length_of(const struct columns *t, const struct logp_event *e)
{
    (void)t;
    return e->end_ns - e->start_ns;
}

/* How long the message of a send is on the wire. */
static int64_t flight_of(const struct columns *t, const struct logp_event *e)
{
    (void)t;
    return e->kind == LOGP_EVENT_SEND && e->arrival_ns > e->end_ns ? e->arrival_ns - e->end_ns : 0;
}

static int64_t stream_of(const struct columns *t, const struct logp_event *e)
{
    return stream_ns(t->q, t->rank, e);
}

static int64_t late_of(const struct columns *t, const struct logp_event *e)
{
    (void)t;
    return e->late_ns;
}

static int64_t kind_of(const struct columns *t, const struct logp_event *e)
{
    (void)t;
    return e->kind != LOGP_EVENT_HALTED ? e->kind : LOGP_EVENT_IDLE; /* a verified run has none */
}

static int64_t peer_of(const struct columns *t, const struct logp_event *e)
{
    (void)t;
    return e->peer >= 0 ? e->peer + 1 : 0;
}

static int64_t tag_of(const struct columns *t, const struct logp_event *e)
{
    (void)t;
    return e->tag >= 0 ? (int64_t)e->tag + 1 : 0;
}

static int64_t bytes_of(const struct columns *t, const struct logp_event *e)
{
    (void)t;
    return e->bytes;
}

static int64_t label_of(const struct columns *t, const struct logp_event *e)
{
    (void)t;
    return e->label;
}

static int64_t mate_of(const struct columns *t, const struct logp_event *e)
{
    const struct logp_trace_message *m;

    if (e->message < 0 || e->kind > LOGP_EVENT_RECEIVE)
        return 0;
    m = &t->messages[e->message];
    if (e->kind == LOGP_EVENT_RECEIVE)
        return (int64_t)t->first[m->from] + m->send + 1;
    return m->receive >= 0 ? (int64_t)t->first[m->to] + m->receive + 1 : 0;
}

static const struct {
    const char *name;
    int64_t (*of)(const struct columns *t, const struct logp_event *e);
} all[] = {
    {"start", start_of}, {"length", length_of}, {"flight", flight_of}, {"stream", stream_of},
    {"late", late_of},   {"kind", kind_of},     {"peer", peer_of},     {"tag", tag_of},
    {"bytes", bytes_of}, {"label", label_of},   {"mate", mate_of},
};

/* n values, in place, as numbers of 1, 2 or 4 bytes, or doubles. @return the type's name */
static const char *narrow(int64_t *value, size_t n, int64_t most, size_t *size)
{
    unsigned char *u8 = (unsigned char *)value;
    void *to = value;

    *size = most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : most <= UINT32_MAX ? 4 : 8;
    for (size_t i = 0; i < n; i++) {
        const int64_t x = value[i];
        const double wide = (double)x;

        switch (*size) {
        case 1:
            u8[i] = (unsigned char)x;
            break;
        case 2:
            __builtin_memcpy((char *)to + 2 * i, &(uint16_t){(uint16_t)x}, 2);
            break;
        case 4:
            __builtin_memcpy((char *)to + 4 * i, &(uint32_t){(uint32_t)x}, 4);
            break;
        default:
            __builtin_memcpy((char *)to + 8 * i, &wide, 8);
            break;
        }
    }
    return *size == 1 ? "u8" : *size == 2 ? "u16" : *size == 4 ? "u32" : "f64";
}

json_t *write_column(FILE *f, const char *id, int64_t *value, size_t n)
{
    bool same = true;
    int64_t most = 0;
    const char *type;
    size_t size;

    for (size_t i = 0; i < n; i++) {
        same &= value[i] == value[0];
        most = value[i] > most ? value[i] : most;
    }
    if (same)
        return json_pack("{sssIsI}", "type", "same", "n", (json_int_t)n, "value",
                         (json_int_t)(n > 0 ? value[0] : 0));
    type = narrow(value, n, most, &size);
    if (f != NULL)
        write_bytes(f, id, value, n * size);
    return json_pack("{sssIss}", "type", type, "n", (json_int_t)n, "id", id);
}

static void fill(struct columns *t, int64_t P,
                 int64_t (*of)(const struct columns *t, const struct logp_event *e))
{
    for (int64_t rank = 0; rank < P; rank++) {
        size_t n;
        const struct logp_event *events = logp_trace_events(t->trace, rank, &n);

        t->rank = rank;
        for (size_t i = 0; i < n; i++)
            t->value[t->first[rank] + i] = of(t, &events[i]);
    }
}

/* A column that is filled, and the same of another trace, which is written already; NULL: there is none */
static json_t *write_named(const struct columns *t, const struct columns *other, const char *name,
                           size_t n)
{
    const bool shared = other != NULL && memcmp(t->value, other->value, n * sizeof(*t->value)) == 0;
    char id[64];

    snprintf(id, sizeof(id), "trace-%d-%s", shared ? other->number : t->number, name);
    return write_column(shared ? NULL : t->f, id, t->value, n);
}

/* other: of as many events of as many ranks; or NULL */
static json_t *write_columns(struct columns *t, struct columns *other, int64_t P)
{
    json_t *columns = json_object();

    for (int64_t rank = 0; rank <= P; rank++) {
        t->value[rank] = (int64_t)t->first[rank];
        if (other != NULL)
            other->value[rank] = (int64_t)other->first[rank];
    }
    json_object_set_new(columns, "first", write_named(t, other, "first", (size_t)P + 1));
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        fill(t, P, all[i].of);
        if (other != NULL)
            fill(other, P, all[i].of);
        json_object_set_new(columns, all[i].name, write_named(t, other, all[i].name, t->n));
    }
    return columns;
}

static struct columns columns_of(const struct question *q, const struct logp_trace *trace, FILE *f,
                                 int number)
{
    const struct logp_trace_info *info = logp_trace_info(trace);
    struct columns t = {.q = q, .trace = trace, .n = info->n_events, .f = f, .number = number};
    const size_t most = t.n > (size_t)info->P ? t.n : (size_t)info->P + 1;
    size_t n;

    t.messages = logp_trace_messages(trace, &n);
    t.first = need(calloc((size_t)info->P + 1, sizeof(*t.first)));
    t.value = need(calloc(most, sizeof(*t.value)));
    for (int64_t rank = 0; rank < info->P; rank++) {
        logp_trace_events(trace, rank, &n);
        t.first[rank + 1] = t.first[rank] + n;
    }
    return t;
}

json_t *write_trace(FILE *f, const struct question *q, const struct logp_trace *trace, int number,
                    const struct logp_trace *other, int other_number)
{
    const struct logp_trace_info *info = logp_trace_info(trace);
    struct columns t = columns_of(q, trace, f, number), o = {0};
    const struct costs costs = costs_of(q, trace, NULL);
    json_t *labels = json_array(), *columns, *words;

    if (other != NULL && logp_trace_info(other)->n_events == t.n &&
        logp_trace_info(other)->P == info->P)
        o = columns_of(q, other, f, other_number);
    columns = write_columns(&t, o.trace != NULL ? &o : NULL, info->P);
    for (uint32_t i = 1; i <= info->n_labels; i++)
        json_array_append_new(labels, json_string(logp_trace_label(trace, i)));
    free(t.first);
    free(t.value);
    free(o.first);
    free(o.value);
    words = json_pack("{sssssssn}", "receive", costs.receive, "gap", costs.gap, "message",
                      costs.message, "port");
    if (costs.port != NULL)
        json_object_set_new(words, "port", json_string(costs.port));
    return json_pack("{sssIsIsIsIsIsososo}", "source", source_name(info->source), "P",
                     (json_int_t)info->P, "n", (json_int_t)info->n_events, "end_ns",
                     (json_int_t)info->end_ns, "wall_ns", (json_int_t)info->wall_ns, "dropped",
                     (json_int_t)info->dropped, "labels", labels, "costs", words, "columns",
                     columns);
}
