/* SPDX-License-Identifier: MIT */
/*
 * The built-in delay models: none, logp, loggp, store-forward, varying. The rules are in delay.h;
 * `logp` is `loggp` with G = 0, `store-forward` is `loggp` with another reading of the size, and
 * `varying` is `loggp` with a latency drawn for each message.
 *
 * With the shared gap, g also holds between a send and a receive. A receive after a send waits for
 * both streamings, out through the port and in; a send after a receive for neither, since the
 * message was in before its receive began.
 */
#include <logp/delay.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t logp_stream_ns(const struct logp_params *params, size_t n_bytes)
{
    const size_t k = n_bytes > 0 ? n_bytes : 1;
    const size_t counted = params->store_forward ? k : k - 1;
    unsigned __int128 ns;

    if (params->G_ps == 0 || counted == 0)
        return 0;
    ns = ((unsigned __int128)counted * (uint64_t)params->G_ps + 999) / 1000;
    return ns < INT64_MAX / 8 ? (int64_t)ns : INT64_MAX / 8;
}

int64_t logp_gap_ns(const struct logp_params *params, size_t n_bytes)
{
    return params->store_forward ? params->g_ns : params->g_ns + logp_stream_ns(params, n_bytes);
}

int64_t logp_capacity(const struct logp_params *params)
{
    if (params->capacity != LOGP_CAPACITY_RULE)
        return params->capacity;
    if (params->g_ns == 0)
        return 0;
    return max2(1, (params->L_ns + params->g_ns - 1) / params->g_ns);
}

/* splitmix64: Steele et al., 2014 */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* 0 .. L, from who sends to whom, and how many it has sent before. No state: senders on different
 * cores need not meet, and the order in which they run does not matter. */
static int64_t draw_latency(const struct logp_params *p, const struct logp_transfer *t)
{
    const uint64_t pair = (uint64_t)(uint32_t)t->src << 32 | (uint32_t)t->dst;
    const uint64_t random = mix(mix(mix(p->seed) ^ pair) ^ t->number);

    return (int64_t)((unsigned __int128)random * (uint64_t)(p->L_ns + 1) >> 64);
}

static void start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    const struct logp_params *p = model;

    t->start = max2(t->ready, port->send_next);
    if (p->gap_shared)
        t->start = max2(t->start, port->recv_start + max2(p->o_recv_ns, p->g_ns));
    t->done = t->start + p->o_send_ns;
}

static void send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    const struct logp_params *p = model;

    t->done = t->start + p->o_send_ns;
    t->arrival = t->done + logp_stream_ns(p, t->n_bytes) +
                 (p->latency_varies ? draw_latency(p, t) : p->L_ns);
    port->send_start = t->start;
    port->send_next = t->start + max2(p->o_send_ns, logp_gap_ns(p, t->n_bytes));
}

static void recv(void *model, struct logp_port *port, struct logp_transfer *t)
{
    const struct logp_params *p = model;
    const int64_t gap = logp_gap_ns(p, t->n_bytes);

    t->start = max2(max2(t->ready, t->arrival), port->recv_start + max2(p->o_recv_ns, gap));
    if (p->gap_shared)
        t->start = max2(t->start, port->send_next + gap - p->g_ns);
    t->done = t->start + p->o_recv_ns;
    port->recv_start = t->start;
}

static const struct logp_params *params_of(void *model)
{
    return model;
}

static int64_t capacity(void *model)
{
    return logp_capacity(model);
}

static int64_t lookahead(void *model)
{
    const struct logp_params *p = model;

    return p->o_send_ns + (p->latency_varies ? 0 : p->L_ns);
}

static const struct logp_delay_ops ops = {
    .name = "loggp",
    .start = start,
    .send = send,
    .recv = recv,
    .params = params_of,
    .capacity = capacity,
    .lookahead = lookahead,
    .destroy = free,
};

static bool in_range(int64_t t)
{
    return t >= 0 && t <= LOGP_PARAM_MAX_NS;
}

/* A model of these parameters, with what the kind of model is. */
static int create(struct logp_params params, bool store_forward, bool latency_varies,
                  struct logp_delay *out)
{
    struct logp_params *copy;

    if (!in_range(params.L_ns) || !in_range(params.o_send_ns) || !in_range(params.o_recv_ns) ||
        !in_range(params.g_ns) || !in_range(params.G_ps) || !in_range(params.gamma_ps) ||
        params.capacity < LOGP_CAPACITY_RULE)
        return -EINVAL;
    copy = malloc(sizeof(*copy));
    if (copy == NULL)
        return -ENOMEM;
    *copy = params;
    copy->store_forward = store_forward;
    copy->latency_varies = latency_varies;
    *out = (struct logp_delay){&ops, copy};
    return 0;
}

static int create_logp(const struct logp_params *params, struct logp_delay *out)
{
    struct logp_params plain = *params;

    plain.G_ps = 0;
    return create(plain, false, false, out);
}

static int create_loggp(const struct logp_params *params, struct logp_delay *out)
{
    return create(*params, false, false, out);
}

static int create_store_forward(const struct logp_params *params, struct logp_delay *out)
{
    return create(*params, true, false, out);
}

static int create_varying(const struct logp_params *params, struct logp_delay *out)
{
    return create(*params, false, true, out);
}

static int create_none(const struct logp_params *params, struct logp_delay *out)
{
    (void)params;
    *out = (struct logp_delay){0};
    return 0;
}

static const struct logp_delay_model models[] = {
    {"none", "nothing is emulated: the host's own speed", create_none},
    {"logp", "L, o, g; every message counts as one, whatever its size", create_logp},
    {"loggp", "as logp, and G for each byte of a long message", create_loggp},
    {"store-forward", "as loggp, but each hop keeps the whole message: kG, and the gap is g",
     create_store_forward},
    {"varying", "as loggp, but each message's latency is drawn from 0 .. L (--seed)",
     create_varying},
};

const struct logp_delay_model *logp_delay_models(size_t *n)
{
    *n = sizeof(models) / sizeof(models[0]);
    return models;
}

int logp_delay_create(const char *name, const struct logp_params *params, struct logp_delay *out)
{
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        if (strcmp(name, models[i].name) == 0)
            return models[i].create(params, out);
    return -ENOENT;
}
