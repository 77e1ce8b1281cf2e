/* SPDX-License-Identifier: MIT */
/*
 * The model without delay. A machine with it has no model at all, so that messages read no clock.
 * It still has functions of its own, so that it differs from a struct logp_delay of zeros, the
 * result of a failed create.
 */
#include "delay/delay.h"

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
