/* SPDX-License-Identifier: MIT */
/*
 * The calls that models pass on to the model that they wrap, and the model without delay. A machine
 * with it has no model at all, so that messages read no clock. It still has functions of its own,
 * so that it differs from a struct logp_delay of zeros, the result of a failed create.
 */
#include "delay/delay.h"

/* ---- passed on to the inner model ---- */

void lpi_inner_start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    const struct lpi_inner *in = model;

    in->ops.start(in->delay.model, port, t);
}

void lpi_inner_recv(void *model, struct logp_port *port, struct logp_transfer *t)
{
    const struct lpi_inner *in = model;

    in->ops.recv(in->delay.model, port, t);
}

const struct logp_params *lpi_inner_params(void *model)
{
    const struct lpi_inner *in = model;

    return in->ops.params(in->delay.model);
}

const struct logp_params *lpi_inner_link(void *model, int src, int dst)
{
    const struct lpi_inner *in = model;

    return in->ops.link != NULL ? in->ops.link(in->delay.model, src, dst) : lpi_inner_params(model);
}

int64_t lpi_inner_capacity(void *model)
{
    const struct lpi_inner *in = model;

    return in->ops.capacity != NULL ? in->ops.capacity(in->delay.model) : 0;
}

int64_t lpi_inner_lookahead(void *model)
{
    const struct lpi_inner *in = model;

    return in->ops.lookahead != NULL ? in->ops.lookahead(in->delay.model) : 0;
}

void lpi_inner_restart(void *model, bool new_run)
{
    const struct lpi_inner *in = model;

    if (in->ops.restart != NULL)
        in->ops.restart(in->delay.model, new_run);
}

void lpi_inner_network(void *model, struct logp_network *out)
{
    const struct lpi_inner *in = model;

    if (in->ops.network != NULL)
        in->ops.network(in->delay.model, out);
}

/* ---- no delay ---- */

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
