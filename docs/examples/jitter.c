/* SPDX-License-Identifier: MIT */
/*
 * A plug-in: loggp on a network that is never quite as fast as it says.
 *
 *     logp run broadcast --plugin ./jitter.so:PERCENT
 *
 * The latency of a message is drawn from L .. L + PERCENT % of L (10 where nothing is said), all
 * alike. Which it is follows from the seed, the two ranks and the number of the message among all
 * of its sender's, and from nothing else: runs with one seed are the same, on however many cores
 * and whatever carries processors, and as no call touches what another writes, they may come from
 * all cores at once.
 */
#include <logp/algorithm.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct jitter {
    struct logp_delay loggp; /* all but the latency is as it says */
    struct logp_params params;
    int64_t L, most; /* a message takes L .. L + most */
};

/* splitmix64: Steele et al., 2014 */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static int64_t draw(const struct jitter *j, const struct logp_transfer *t)
{
    const uint64_t pair = (uint64_t)(uint32_t)t->src << 32 | (uint32_t)t->dst;

    return (int64_t)(mix(mix(mix(j->params.seed) ^ pair) ^ t->number) % (uint64_t)(j->most + 1));
}

static void start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    const struct jitter *j = model;

    j->loggp.ops->start(j->loggp.model, port, t);
}

static void send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    const struct jitter *j = model;

    j->loggp.ops->send(j->loggp.model, port, t);
    t->arrival += draw(j, t);
}

static void recv(void *model, struct logp_port *port, struct logp_transfer *t)
{
    const struct jitter *j = model;

    j->loggp.ops->recv(j->loggp.model, port, t);
}

/* What algorithms plan with: L as the upper bound that it is. So predictions are bounds. */
static const struct logp_params *params_of(void *model)
{
    const struct jitter *j = model;

    return &j->params;
}

static int64_t capacity(void *model)
{
    const struct jitter *j = model;

    return j->loggp.ops->capacity(j->loggp.model);
}

/* No message is faster than L. */
static int64_t lookahead(void *model)
{
    const struct jitter *j = model;

    return j->params.o_send_ns + j->L;
}

static void destroy(void *model)
{
    struct jitter *j = model;

    logp_delay_destroy(&j->loggp);
    free(j);
}

static const struct logp_delay_ops ops = {
    .size = sizeof(ops),
    .name = "jitter",
    .start = start,
    .send = send,
    .recv = recv,
    .params = params_of,
    .capacity = capacity,
    .lookahead = lookahead,
    .destroy = destroy,
};

/* "", or up to four digits and nothing else. -1: neither */
static int percent_of(const char *text)
{
    int n = 0, digits = 0;

    if (*text == '\0')
        return 10;
    for (; text[digits] >= '0' && text[digits] <= '9' && digits < 4; digits++)
        n = 10 * n + text[digits] - '0';
    return text[digits] == '\0' && n <= 1000 ? n : -1;
}

static int create(const struct logp_plugin_call *call, struct logp_delay *out,
                  char why[LOGP_PLUGIN_WHY])
{
    const int percent = percent_of(call->arguments);
    struct jitter *j;
    int rc;

    if (percent < 0) {
        snprintf(why, LOGP_PLUGIN_WHY, "'%s': by how many per cent L may grow, 0 .. 1000",
                 call->arguments);
        return -EINVAL;
    }
    j = calloc(1, sizeof(*j));
    if (j == NULL)
        return -ENOMEM;
    rc = logp_delay_create("loggp", call->params, &j->loggp);
    if (rc == 0)
        rc = logp_delay_params(percent > 0 ? "varying" : "loggp", call->params, &j->params);
    if (rc != 0) {
        free(j);
        return rc;
    }
    j->L = call->params->L_ns;
    j->most = j->L * percent / 100;
    j->params.L_ns += j->most;
    *out = (struct logp_delay){&ops, j};
    return 0;
}

const struct logp_plugin logp_plugin = {.size = sizeof(logp_plugin),
                                        .version = LOGP_PLUGIN_VERSION,
                                        .name = "jitter",
                                        .create_delay = create};
