/* SPDX-License-Identifier: MIT */
/* A delay model in a shared object of its own, for `logp run --plugin`: 5 ns to anyone. */
#include <logp/delay.h>

#include <errno.h>

extern LOGP_API const struct logp_delay_model logp_delay_plugin;

static void start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    (void)model, (void)port;
    t->start = t->ready;
}

static void send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    (void)model, (void)port;
    t->done = t->start;
    t->arrival = t->done + 5;
}

static void recv(void *model, struct logp_port *port, struct logp_transfer *t)
{
    (void)model, (void)port;
    t->start = t->done = t->ready > t->arrival ? t->ready : t->arrival;
}

static const struct logp_delay_ops ops = {
    .name = "five-ns", .start = start, .send = send, .recv = recv};

static int create(const struct logp_params *params, struct logp_delay *out)
{
    if (params->gap_shared)
        return -ENOTSUP;
    *out = (struct logp_delay){&ops, NULL};
    return 0;
}

const struct logp_delay_model logp_delay_plugin = {"five-ns", "5 ns to anyone", create};
