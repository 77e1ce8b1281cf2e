/* SPDX-License-Identifier: MIT */
/*
 * The built-in delay models: none (none.c), logp, loggp, store-forward, varying, loggops. Their
 * rules are in logp/delay.h. The models other than `none` are `loggp` with changes, which the table
 * below copies into their parameters: `logp` has G = 0, `store-forward` counts the size
 * differently, `varying` draws a latency for each message, and the receiver of `loggops` is busy
 * while a message streams in.
 *
 * With the shared gap, g also holds between a send and a receive. A receive after a send waits for
 * both messages to stream through the port, out and in. A send after a receive waits for neither,
 * since the message was in before its receive began.
 */
#include "delay/delay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* (k-1) times a price per byte, rounded up. */
static int64_t bytes_ns(int64_t ps, size_t counted)
{
    const unsigned __int128 ns = ((unsigned __int128)counted * (uint64_t)ps + 999) / 1000;

    return ns < INT64_MAX / 8 ? (int64_t)ns : INT64_MAX / 8;
}

int64_t logp_params_stream_ns(const struct logp_params *params, size_t n_bytes)
{
    const size_t k = n_bytes > 0 ? n_bytes : 1;
    const size_t counted = params->store_forward ? k : k - 1;

    return params->G_ps == 0 || counted == 0 ? 0 : bytes_ns(params->G_ps, counted);
}

/* The gap of a message that streams for this time. */
static int64_t gap_of(const struct logp_params *p, int64_t streams)
{
    return p->store_forward ? p->g_ns : p->g_ns + streams;
}

int64_t logp_params_gap_ns(const struct logp_params *params, size_t n_bytes)
{
    return params->store_forward ? params->g_ns
                                 : lpi_after(params->g_ns, logp_params_stream_ns(params, n_bytes));
}

int64_t logp_params_capacity(const struct logp_params *params)
{
    if (params->capacity != LOGP_CAPACITY_RULE)
        return params->capacity;
    if (params->g_ns == 0)
        return 0;
    return max2(1, params->L_ns / params->g_ns + (params->L_ns % params->g_ns > 0));
}

/* A latency in 0 .. L, a function of the two ranks and the message's number. It has no state, so
 * senders on different cores share nothing, and their order does not matter. */
static int64_t draw_latency(const struct logp_params *p, const struct logp_transfer *t)
{
    return below(draw_of(p->seed, t->src, t->dst, t->number), p->L_ns + 1);
}

/* The time that a processor spends on the bytes of a message: O is 0 but under loggops. */
static inline int64_t own_ns(const struct logp_params *p, size_t n_bytes)
{
    return p->O_ps == 0 || n_bytes <= 1 ? 0 : bytes_ns(p->O_ps, n_bytes - 1);
}

static void start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    const struct logp_params *p = model;

    t->start = max2(t->ready, port->send_next);
    if (p->gap_shared)
        t->start = max2(t->start, port->recv_start + max2(p->o_recv_ns, p->g_ns));
    t->done = t->start + p->o_send_ns;
}

static inline void charge_send(const struct logp_params *p, struct logp_port *port,
                               struct logp_transfer *t, int64_t latency, int64_t streams)
{
    t->done = t->start + p->o_send_ns + own_ns(p, t->n_bytes);
    t->arrival = t->start + p->o_send_ns + latency + (p->recv_streams ? 0 : streams);
    port->send_start = t->start;
    port->send_next = t->start + max2(p->o_send_ns, gap_of(p, streams));
}

static inline void charge_recv(const struct logp_params *p, struct logp_port *port,
                               struct logp_transfer *t, int64_t wire)
{
    const int64_t streams = p->recv_streams ? wire : 0;
    const int64_t gap = gap_of(p, wire) - streams;

    t->start = max2(max2(t->ready, t->arrival), port->recv_start + max2(p->o_recv_ns, gap));
    if (p->gap_shared)
        t->start = max2(t->start, port->send_next + gap - p->g_ns);
    t->done = t->start + p->o_recv_ns + max2(streams, own_ns(p, t->n_bytes));
    port->recv_start = t->start + streams; /* the gap to the next receive begins at the last byte */
}

/* Not inlined: without prices per byte, which is usual, a send and a receive call nothing. */
static __attribute__((noinline)) void send_long(const struct logp_params *p, struct logp_port *port,
                                                struct logp_transfer *t)
{
    charge_send(p, port, t, p->latency_varies ? draw_latency(p, t) : p->L_ns,
                logp_params_stream_ns(p, t->n_bytes));
}

static __attribute__((noinline)) void recv_long(const struct logp_params *p, struct logp_port *port,
                                                struct logp_transfer *t)
{
    charge_recv(p, port, t, logp_params_stream_ns(p, t->n_bytes));
}

static void send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    const struct logp_params *p = model;

    if ((p->G_ps | p->O_ps) == 0 && !p->latency_varies)
        charge_send(p, port, t, p->L_ns, 0);
    else
        send_long(p, port, t);
}

static void recv(void *model, struct logp_port *port, struct logp_transfer *t)
{
    const struct logp_params *p = model;

    if ((p->G_ps | p->O_ps) == 0)
        charge_recv(p, port, t, 0);
    else
        recv_long(p, port, t);
}

static const struct logp_params *params_of(void *model)
{
    return model;
}

static int64_t capacity(void *model)
{
    return logp_params_capacity(model);
}

static int64_t lookahead(void *model)
{
    const struct logp_params *p = model;

    return p->o_send_ns + (p->latency_varies ? 0 : p->L_ns);
}

static const struct logp_delay_ops ops = {
    .size = sizeof(ops),
    .name = "loggp",
    .start = start,
    .send = send,
    .recv = recv,
    .params = params_of,
    .capacity = capacity,
    .lookahead = lookahead,
    .destroy = free,
};

/* ---- the models ---- */

enum { SIZE = sizeof(struct logp_delay_model) };

static const struct row {
    struct logp_delay_model model;
    bool is_plain; /* every message counts as one byte */
    bool store_forward, latency_varies, recv_streams;
} rows[] = {
    {.model = {SIZE, "none", "nothing is emulated: the host's own speed"}},
    {.model = {SIZE, "logp", "L, o, g; every message counts as one, whatever its size"},
     .is_plain = true},
    {.model = {SIZE, "loggp", "as logp, and G for each byte of a long message"}},
    {.model = {SIZE, "store-forward",
               "as loggp, but each hop stores the whole message: k bytes take kG; the gap is g"},
     .store_forward = true},
    {.model = {SIZE, "varying",
               "as loggp, but each message's latency is drawn from 0 .. L (--seed)"},
     .latency_varies = true},
    {.model = {SIZE, "loggops",
               "LogGOPSim's rules: as loggp, but the receiver is busy while a message arrives"},
     .recv_streams = true},
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

const struct logp_delay_model *logp_delay_model_at(size_t i)
{
    return i < N_ROWS ? &rows[i].model : NULL;
}

/* NULL: there is no model with this name. */
static const struct row *find(const char *name)
{
    for (int i = 0; name != NULL && i < N_ROWS; i++)
        if (strcmp(name, rows[i].model.name) == 0)
            return &rows[i];
    return NULL;
}

int logp_delay_params(const char *name, const struct logp_params *given, struct logp_params *out)
{
    const struct row *row = find(name);

    if (row == NULL)
        return -ENOENT;
    *out = *given;
    out->G_ps = row->is_plain ? 0 : given->G_ps;
    out->store_forward = row->store_forward;
    out->latency_varies = row->latency_varies;
    out->recv_streams = row->recv_streams;
    out->O_ps = row->recv_streams ? given->O_ps : 0;
    return 0;
}

const char *logp_delay_name(const struct logp_params *p)
{
    for (int i = 1; i < N_ROWS; i++) /* the first, none, has no parameters */
        if ((p->G_ps == 0 || !rows[i].is_plain) && p->store_forward == rows[i].store_forward &&
            p->latency_varies == rows[i].latency_varies && p->recv_streams == rows[i].recv_streams)
            return rows[i].model.name;
    return NULL;
}

static bool in_range(int64_t t)
{
    return t >= 0 && t <= LOGP_PARAM_MAX_NS;
}

static bool valid(const struct logp_params *p)
{
    return in_range(p->L_ns) && in_range(p->o_send_ns) && in_range(p->o_recv_ns) &&
           in_range(p->g_ns) && in_range(p->G_ps) && in_range(p->gamma_ps) && in_range(p->O_ps) &&
           p->capacity >= LOGP_CAPACITY_RULE;
}

int logp_delay_create(const char *name, const struct logp_params *given, struct logp_delay *out)
{
    const struct row *row = find(name);
    struct logp_params params, *copy;

    *out = row == &rows[0] ? logp_delay_none() : (struct logp_delay){0};
    if (row == NULL)
        return -ENOENT;
    if (row == &rows[0])
        return 0;
    logp_delay_params(name, given, &params);
    if (!valid(&params))
        return -EINVAL;
    copy = malloc(sizeof(*copy));
    if (copy == NULL)
        return -ENOMEM;
    *copy = params;
    *out = (struct logp_delay){&ops, copy};
    return 0;
}
