/* SPDX-License-Identifier: MIT */
/*
 * The delay model of several ports: a processor has n ports, each with the rules of the inner model,
 * which has one. A message takes the port on which it can start earliest, of several the lowest.
 * Networks of one port do not have this model.
 *
 * The ports of a processor belong to the model; the caller's struct logp_port has the last send and the
 * last receive. That struct counts: a new model begins with it, and a model around this one may have
 * moved the last receive (noise).
 *
 * A processor's ports are touched by its own sends and receives alone, so by one thread at a time.
 */
#include "delay/delay.h"

#include <errno.h>
#include <stdlib.h>

struct ports {
    unsigned run; /* in which they were used last: those of an earlier run are free */
    int last_send, last_recv;
    struct logp_port port[];
};

struct model {
    struct lpi_inner in;
    int64_t P;
    int n;
    unsigned run;
    size_t stride;
    char *ports; /* [P], each `stride` bytes; 0: not used yet */
};

/* The ports of a rank; NULL: it is beyond those that the model was made for, and has one. */
static struct ports *ports_of(const struct model *m, int rank, const struct logp_port *port)
{
    struct ports *k;

    if (rank < 0 || rank >= m->P)
        return NULL;
    k = (struct ports *)(void *)(m->ports + (size_t)rank * m->stride);
    if (k->run != m->run) {
        k->run = m->run;
        k->last_send = k->last_recv = 0;
        for (int i = 0; i < m->n; i++)
            k->port[i] = (struct logp_port){LOGP_NEVER, LOGP_NEVER, LOGP_NEVER};
    }
    k->port[k->last_send].send_start = port->send_start;
    k->port[k->last_send].send_next = port->send_next;
    k->port[k->last_recv].recv_start = port->recv_start;
    return k;
}

/* Set t as the inner model does on the best port. @return that port */
static int find_start(const struct model *m, const struct ports *k, struct logp_transfer *t)
{
    struct logp_transfer best = *t;
    int at = 0;

    m->in.ops.start(m->in.delay.model, &k->port[0], &best);
    for (int i = 1; i < m->n && best.start > t->ready; i++) {
        struct logp_transfer other = *t;

        m->in.ops.start(m->in.delay.model, &k->port[i], &other);
        if (other.start < best.start) {
            best = other;
            at = i;
        }
    }
    *t = best;
    return at;
}

static void start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    const struct model *m = model;
    const struct ports *k = ports_of(m, t->src, port);

    if (k == NULL)
        m->in.ops.start(m->in.delay.model, port, t);
    else
        find_start(m, k, t);
}

/* It starts at t->start, perhaps later than it could: it takes the first port that is free then. */
static void send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    const struct model *m = model;
    struct ports *k = ports_of(m, t->src, port);
    struct logp_transfer then = *t;

    if (k == NULL) {
        m->in.ops.send(m->in.delay.model, port, t);
        return;
    }
    then.ready = t->start;
    k->last_send = find_start(m, k, &then);
    m->in.ops.send(m->in.delay.model, &k->port[k->last_send], t);
    port->send_start = k->port[k->last_send].send_start;
    port->send_next = k->port[k->last_send].send_next;
}

static void recv(void *model, struct logp_port *port, struct logp_transfer *t)
{
    const struct model *m = model;
    struct ports *k = ports_of(m, t->dst, port);
    const int64_t ready = t->ready > t->arrival ? t->ready : t->arrival;
    struct logp_transfer best = *t;
    struct logp_port used;
    int at = 0;

    if (k == NULL) {
        m->in.ops.recv(m->in.delay.model, port, t);
        return;
    }
    used = k->port[0];
    m->in.ops.recv(m->in.delay.model, &used, &best);
    for (int i = 1; i < m->n && best.start > ready; i++) {
        struct logp_port other_port = k->port[i];
        struct logp_transfer other = *t;

        m->in.ops.recv(m->in.delay.model, &other_port, &other);
        if (other.start < best.start) {
            best = other;
            used = other_port;
            at = i;
        }
    }
    if (t->number == 0) { /* else the caller only asks */
        k->port[at] = used;
        k->last_recv = at;
        port->recv_start = used.recv_start;
    }
    *t = best;
}

static void restart(void *model, bool new_run)
{
    struct model *m = model;

    lpi_inner_restart(model, new_run);
    m->run++;
}

static void network(void *model, struct logp_network *out)
{
    const struct model *m = model;

    lpi_inner_network(model, out);
    out->ports = m->n;
}

static void destroy(void *model)
{
    struct model *m = model;

    logp_delay_destroy(&m->in.delay);
    free(m->ports);
    free(m);
}

#define PORTS                                                                                      \
    .size = sizeof(struct logp_delay_ops), .name = "ports", .start = start, .send = send,          \
    .recv = recv, .params = lpi_inner_params, .capacity = lpi_inner_capacity, .destroy = destroy,  \
    .restart = restart, .lookahead = lpi_inner_lookahead, .network = network

static const struct logp_delay_ops alike = {PORTS}, on_links = {PORTS, .link = lpi_inner_link};

int lpi_ports_delay(struct logp_delay *delay, int64_t P, int64_t n)
{
    struct logp_delay_ops functions;
    int rc = logp_delay_functions(delay, &functions);
    struct model *m;

    if (rc != 0)
        return rc;
    m = calloc(1, sizeof(*m));
    if (m == NULL)
        return -ENOMEM;
    *m = (struct model){
        .in = {*delay, functions},
        .P = P,
        .n = (int)n,
        .run = 1,
        .stride = sizeof(struct ports) + (size_t)n * sizeof(struct logp_port),
    };
    m->ports = calloc((size_t)P, m->stride);
    if (m->ports == NULL) {
        free(m);
        return -ENOMEM;
    }
    *delay = (struct logp_delay){functions.link != NULL ? &on_links : &alike, m};
    return 0;
}
