/* SPDX-License-Identifier: MIT */
/* A delay model in a shared object of its own, for `logp run --plugin`: 5 ns to anyone. With the
 * argument "more" each message takes a ns more than the one before, whoever asks. */
#include <logp/algorithm.h>

#include <errno.h>

static int64_t step, more;

static void start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    (void)model, (void)port;
    t->start = t->ready;
}

static void send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    (void)model, (void)port;
    t->done = t->start;
    t->arrival = t->done + 5 + (more += step);
}

static void recv(void *model, struct logp_port *port, struct logp_transfer *t)
{
    (void)model, (void)port;
    t->start = t->done = t->ready > t->arrival ? t->ready : t->arrival;
}

static const struct logp_delay_ops ops = {
    .size = sizeof(ops), .name = "five-ns", .start = start, .send = send, .recv = recv};

/* Shared gaps are refused without a word. */
static int create(const struct logp_plugin_call *call, struct logp_delay *out,
                  char why[LOGP_PLUGIN_WHY])
{
    (void)why;
    if (call->params->gap_shared)
        return -ENOTSUP;
    step = call->arguments[0] == 'm';
    *out = (struct logp_delay){&ops, NULL};
    return 0;
}

const struct logp_plugin logp_plugin = {.size = sizeof(logp_plugin),
                                        .version = LOGP_PLUGIN_VERSION,
                                        .name = "five-ns",
                                        .create_delay = create};
