/* SPDX-License-Identifier: MIT */
/*
 * The delay model of a topology: store and forward over its links. See logp/delay.h.
 *
 * Another model (LogGP) handles the two ends of a message. A send claims all links of its route
 * when it takes place. A link only stores the time from which it is free. Under the virtual clock
 * sends take place in the order of (start, rank), so links pass messages in that order. On the wall
 * clock they pass them in the order in which senders on different cores claim the link.
 *
 * All memory orders are relaxed: a link's time and its counts publish nothing else. They are read
 * or cleared when the run has ended or its vps are at a common start, which orders that.
 */
#include "delay/delay.h"
#include "state/state.h"

#include <logp/delay.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

struct link {
    _Atomic int64_t next_free; /* 0: free from the start, since times of a run are >= 0 */
    _Atomic uint64_t messages;
    _Atomic int64_t busy, waited;
};

struct model {
    struct lpi_inner in;              /* the model of the two ends */
    const struct logp_params *params; /* its parameters */
    struct logp_topology *topology;
    struct link *links;
    int n_links;
};

/* The times of a message on each link of its route, in ns. */
struct crossing {
    int64_t takes; /* to the other end of the link */
    int64_t holds; /* until the next message may enter */
};

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t get(_Atomic int64_t *x)
{
    return atomic_load_explicit(x, memory_order_relaxed);
}

static void set(_Atomic int64_t *x, int64_t value)
{
    atomic_store_explicit(x, value, memory_order_relaxed);
}

static void count(struct link *l, int64_t busy, int64_t waited)
{
    atomic_fetch_add_explicit(&l->messages, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&l->busy, busy, memory_order_relaxed);
    atomic_fetch_add_explicit(&l->waited, waited, memory_order_relaxed);
}

static struct crossing crossing_of(const struct model *m, const struct logp_transfer *t)
{
    const int64_t stream = logp_params_stream_ns(m->params, t->n_bytes);

    return (struct crossing){m->params->L_ns + stream, max2(m->params->g_ns, stream)};
}

/* Whether both ranks are in the topology. Otherwise the message uses no link. */
static bool inside(const struct model *m, const struct logp_transfer *t)
{
    const int P = logp_topology_size(m->topology);

    return t->src < P && t->dst < P;
}

/* A message reaches a link at time `at`. @return when it enters the link */
static int64_t enter(struct link *l, int64_t at, const struct crossing *c)
{
    int64_t next_free = get(&l->next_free), entry;

    do
        entry = max2(at, next_free);
    while (!atomic_compare_exchange_weak_explicit(&l->next_free, &next_free, entry + c->holds,
                                                  memory_order_relaxed, memory_order_relaxed));
    count(l, c->holds, entry - at);
    return entry;
}

static void send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    const struct model *m = model;
    const struct crossing c = crossing_of(m, t);
    int node = t->src, link;
    int64_t at;

    m->in.ops.send(m->in.delay.model, port, t);
    at = t->done;
    if (!inside(m, t))
        return;
    while ((link = logp_topology_next(m->topology, &node, t->dst)) >= 0)
        at = enter(&m->links[link], at, &c) + c.takes;
    t->arrival = at;
}

static void destroy(void *model)
{
    struct model *m = model;

    if (m->in.ops.destroy != NULL)
        m->in.ops.destroy(m->in.delay.model);
    logp_topology_destroy(m->topology);
    free(m->links);
    free(m);
}

/* Time restarts: links are free. Counts are cleared only for a new run, not at a common start. */
static void restart(void *model, bool new_run)
{
    const struct model *m = model;

    lpi_inner_restart(model, new_run);
    for (int i = 0; i < m->n_links; i++) {
        struct link *l = &m->links[i];

        set(&l->next_free, 0);
        if (!new_run)
            continue;
        atomic_store_explicit(&l->messages, 0, memory_order_relaxed);
        set(&l->busy, 0);
        set(&l->waited, 0);
    }
}

static void network(void *model, struct logp_network *out)
{
    const struct model *m = model;

    lpi_inner_network(model, out);
    out->topology = m->topology;
}

static const struct logp_delay_ops ops = {
    .size = sizeof(ops),
    .name = "topology",
    .start = lpi_inner_start,
    .send = send,
    .recv = lpi_inner_recv,
    .params = lpi_inner_params,
    .capacity = lpi_inner_capacity,
    .destroy = destroy,
    .restart = restart,
    .network = network,
};

int logp_topology_delay(const struct logp_topology *topology, struct logp_delay ends,
                        struct logp_delay *out)
{
    const struct logp_params *params;
    struct logp_delay_ops functions;
    struct model *m;
    int rc = logp_delay_functions(&ends, &functions);

    *out = (struct logp_delay){0};
    if (rc != 0 || topology == NULL)
        return rc != 0 ? rc : -EINVAL;
    params = functions.params != NULL ? functions.params(ends.model) : NULL;
    if (params == NULL || params->latency_varies || params->recv_streams)
        return -EINVAL;
    m = calloc(1, sizeof(*m));
    if (m == NULL)
        return -ENOMEM;
    m->n_links = logp_topology_links(topology);
    m->links = calloc((size_t)m->n_links + 1, sizeof(*m->links)); /* never 0 of them */
    if (m->links == NULL || logp_topology_create(logp_topology_spec(topology),
                                                 logp_topology_size(topology), &m->topology) != 0) {
        free(m->links);
        free(m);
        return -ENOMEM;
    }
    m->in = (struct lpi_inner){ends, functions};
    m->params = params;
    *out = (struct logp_delay){&ops, m};
    return 0;
}

static void add_use(const struct model *m, int link, struct logp_link_use *use)
{
    struct link *l = &m->links[link];

    use->messages += atomic_load_explicit(&l->messages, memory_order_relaxed);
    use->busy_ns += get(&l->busy);
    use->waited_ns += get(&l->waited);
}

/* The model of a machine that does not run. NULL: it has no topology */
static const struct model *model_of(const struct logp_machine *machine)
{
    /* relaxed: the end of the run, or the caller's replacement, has ordered it */
    const struct lpi_delay *d = atomic_load_explicit(&machine->delay, memory_order_relaxed);
    struct logp_delay delay;

    if (d == NULL)
        return NULL;
    delay = (struct logp_delay){&d->ops, d->model};
    while (lpi_fault_within(&delay))
        ;
    return delay.ops->send == send ? delay.model : NULL;
}

int logp_link_use(const struct logp_machine *machine, int link, struct logp_link_use *out)
{
    const struct model *m = model_of(machine);

    if (m == NULL || link < -1 || link >= m->n_links)
        return -EINVAL;
    *out = (struct logp_link_use){.link = link};
    for (int i = link < 0 ? 0 : link; i < (link < 0 ? m->n_links : link + 1); i++)
        add_use(m, i, out);
    return 0;
}

int logp_link_busiest(const struct logp_machine *machine, struct logp_link_use *out)
{
    const struct model *m = model_of(machine);

    if (m == NULL)
        return -EINVAL;
    *out = (struct logp_link_use){.link = -1};
    for (int i = 0; i < m->n_links; i++)
        if (atomic_load_explicit(&m->links[i].messages, memory_order_relaxed) > out->messages) {
            *out = (struct logp_link_use){.link = i};
            add_use(m, i, out);
        }
    return 0;
}
