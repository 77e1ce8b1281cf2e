/* SPDX-License-Identifier: MIT */
/*
 * The delay model of links. The model data of a built-in model is its parameters, so it is called
 * with the parameters of the link.
 */
#include "delay/delay.h"

#include <logp/delay.h>

#include <errno.h>
#include <stdlib.h>

struct model {
    struct logp_delay base;          /* a built-in model */
    const struct logp_params *plain; /* its parameters */
    struct logp_params *params;      /* of each entry of the table of links */
    struct logp_links *links;
};

/* Ranks beyond the table have the base parameters: the machine may have more processors. */
static inline const struct logp_params *params_of(const struct model *m, int src, int dst)
{
    if (src < 0 || src >= m->links->P || dst < 0 || dst >= m->links->P)
        return m->plain;
    return &m->params[lpi_links_entry_of(m->links, src, dst)];
}

static void start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    const struct model *m = model;

    m->base.ops->start((void *)params_of(m, t->src, t->dst), port, t);
}

static void send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    const struct model *m = model;

    m->base.ops->send((void *)params_of(m, t->src, t->dst), port, t);
}

static void recv(void *model, struct logp_port *port, struct logp_transfer *t)
{
    const struct model *m = model;

    m->base.ops->recv((void *)params_of(m, t->src, t->dst), port, t);
}

static const struct logp_params *plain(void *model)
{
    const struct model *m = model;

    return m->plain;
}

static const struct logp_params *link_of(void *model, int src, int dst)
{
    return params_of(model, src, dst);
}

static int64_t capacity(void *model)
{
    const struct model *m = model;

    return logp_params_capacity(m->plain);
}

/* The least lookahead of all links. */
static int64_t lookahead(void *model)
{
    const struct model *m = model;
    int64_t least = m->base.ops->lookahead((void *)m->plain);

    for (size_t i = 0; i < lpi_links_entries(m->links); i++) {
        const int64_t one = m->base.ops->lookahead(&m->params[i]);

        least = one < least ? one : least;
    }
    return least;
}

static void destroy(void *model)
{
    struct model *m = model;

    logp_delay_destroy(&m->base);
    logp_links_destroy(m->links);
    free(m->params);
    free(m);
}

static void network(void *model, struct logp_network *out)
{
    const struct model *m = model;

    out->links = m->links;
}

static const struct logp_delay_ops ops = {
    .size = sizeof(ops),
    .name = "links",
    .start = start,
    .send = send,
    .recv = recv,
    .params = plain,
    .capacity = capacity,
    .destroy = destroy,
    .lookahead = lookahead,
    .link = link_of,
    .network = network,
};

int logp_links_delay(const struct logp_links *links, const struct logp_params *base,
                     struct logp_delay *out)
{
    const char *name = logp_delay_name(base);
    struct logp_delay plain_delay;
    struct model *m;
    int rc;

    *out = (struct logp_delay){0};
    if (links == NULL || name == NULL || base->capacity == LOGP_CAPACITY_RULE)
        return -EINVAL;
    rc = logp_delay_create(name, base, &plain_delay);
    if (rc != 0)
        return rc;
    m = malloc(sizeof(*m));
    if (m == NULL) {
        logp_delay_destroy(&plain_delay);
        return -ENOMEM;
    }
    *m = (struct model){plain_delay, plain_delay.model,
                        malloc(lpi_links_entries(links) * sizeof(*m->params)),
                        lpi_links_copy(links)};
    if (m->params == NULL || m->links == NULL) {
        destroy(m);
        return -ENOMEM;
    }
    for (size_t i = 0; i < lpi_links_entries(links); i++)
        m->params[i] = lpi_links_params(base, &links->costs[i]);
    *out = (struct logp_delay){&ops, m};
    return 0;
}
