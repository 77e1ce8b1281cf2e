/* SPDX-License-Identifier: MIT */
/*
 * The model that emulates nothing. A machine that takes it keeps no model at all, so that no clock
 * is read per message. It has functions of its own all the same: a struct logp_delay of zeros, as a
 * failed create leaves it, is not this model.
 */
#include "delay/none.h"

static void start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    (void)model, (void)port;
    t->start = t->done = t->ready;
}

static void send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    (void)model, (void)port;
    t->done = t->arrival = t->start;
}

static void recv(void *model, struct logp_port *port, struct logp_transfer *t)
{
    (void)model, (void)port;
    t->start = t->done = t->ready > t->arrival ? t->ready : t->arrival;
}

static const struct logp_delay_ops ops = {
    .size = sizeof(ops), .name = "none", .start = start, .send = send, .recv = recv};

struct logp_delay logp_delay_none(void)
{
    return (struct logp_delay){&ops, NULL};
}

bool logp_delay_is_none(const struct logp_delay *delay)
{
    return delay->ops == &ops;
}

void lpi_delay_fail(struct logp_delay *inner, struct logp_delay *out)
{
    if (out == inner)
        logp_delay_destroy(out);
    *out = (struct logp_delay){0};
}
