/* SPDX-License-Identifier: MIT */
/*
 * A network as a delay model, built from the inside out: costs of messages, links, random
 * latencies, faults. Also the network of a machine, which its model describes.
 */
#include "delay/delay.h"
#include "state/state.h"

#include <logp/delay.h>

#include <errno.h>
#include <stdio.h>

/* Create the model of the two ends of a message, each of which has one port. */
static int create_ends(const struct logp_network *n, struct logp_delay *out)
{
    if (n->links != NULL)
        return n->topology == NULL ? logp_links_delay(n->links, &n->params, out) : -EINVAL;
    if (logp_delay_name(&n->params) == NULL)
        return -EINVAL;
    return logp_delay_create(logp_delay_name(&n->params), &n->params, out);
}

/* Create the model without random latencies, faults and noise. After an error *out is not a
 * model. */
static int create_model(const struct logp_network *n, int64_t P, struct logp_delay *out)
{
    struct logp_delay ends;
    int rc;

    if (n->undelayed) {
        *out = logp_delay_none();
        return 0;
    }
    rc = create_ends(n, out);
    if (rc == 0 && n->ports > 1) {
        rc = lpi_ports_delay(out, P, n->ports);
        if (rc != 0)
            logp_delay_destroy(out);
    }
    if (rc != 0 || n->topology == NULL)
        return rc;
    ends = *out;
    rc = logp_topology_delay(n->topology, ends, out);
    if (rc != 0)
        logp_delay_destroy(&ends); /* *out does not own it, since it is not a model */
    return rc;
}

static int because(int rc, const char *what, char why[LOGP_NETWORK_WHY])
{
    if (rc == -EINVAL)
        snprintf(why, LOGP_NETWORK_WHY, "%s", what);
    return rc;
}

static bool is_text(const char *text)
{
    return text != NULL && *text != '\0';
}

static int add_faults(const struct logp_network *n, int64_t P, struct logp_delay *delay,
                      char why[LOGP_NETWORK_WHY])
{
    const struct logp_fault_config config = {.size = sizeof(config),
                                             .faults = n->faults,
                                             .noise = n->noise,
                                             .P = P,
                                             .unit_ns = n->unit_ns != 0 ? n->unit_ns : 1,
                                             .seed = n->params.seed};

    if (!is_text(n->faults) && !is_text(n->noise))
        return 0;
    return logp_fault_create(delay, &config, delay, why);
}

/* Wrap the model *delay. After an error it is not a model any more. */
static int add_latency(const struct logp_network *n, struct logp_delay *delay,
                       char why[LOGP_NETWORK_WHY])
{
    if (n->latency == NULL || n->latency->kind == LOGP_LATENCY_AS_IS)
        return 0;
    return because(logp_latency_create(delay, n->latency, delay),
                   "latency: a kind with its sigma or samples", why);
}

/* NULL; or why the network cannot have its ports. */
static const char *refused_ports(const struct logp_network *n, const struct logp_delay *own)
{
    if (n->ports < 0 || n->ports > LOGP_MOST_PORTS)
        return "ports: 1 .. 64, or 0 for one";
    if (n->ports > 1 && own != NULL)
        return "ports: one with a delay model of the caller";
    if (n->ports > 1 && n->params.recv_streams)
        return "ports: one where the receiver is busy while a message arrives (loggops)";
    return NULL;
}

static bool is_known(const struct logp_network *n)
{
    for (size_t i = 0; i < sizeof(n->reserved) / sizeof(n->reserved[0]); i++)
        if (n->reserved[i] != 0)
            return false;
    return true;
}

int logp_network_delay(const struct logp_network *network, int64_t P, const struct logp_delay *own,
                       struct logp_delay *out, char why[LOGP_NETWORK_WHY])
{
    char unwanted[LOGP_NETWORK_WHY];
    int rc = is_known(network) ? 0 : -E2BIG;

    if (why == NULL)
        why = unwanted;
    why[0] = '\0';
    *out = own != NULL ? *own : (struct logp_delay){0};
    if (rc == 0 && refused_ports(network, own) != NULL)
        rc = because(-EINVAL, refused_ports(network, own), why);
    if (rc == 0 && own == NULL)
        rc = because(create_model(network, P, out),
                     "params: as logp_delay_params() returns them, none negative; with links or a "
                     "topology see there",
                     why);
    if (rc == 0)
        rc = add_latency(network, out, why);
    if (rc == 0)
        rc = add_faults(network, P, out, why);
    if (rc != 0)
        logp_delay_destroy(out);
    return rc;
}

void logp_machine_network(const struct logp_machine *m, struct logp_network *out)
{
    /* relaxed: the end of the run, or the caller's replacement, has ordered it */
    const struct lpi_delay *d = atomic_load_explicit(&m->delay, memory_order_relaxed);

    *out = d != NULL ? d->network : m->planned;
    out->rendezvous_from = m->rendezvous_from;
}

void logp_machine_set_seed(struct logp_machine *m, uint64_t seed)
{
    /* relaxed: as above */
    const struct lpi_delay *d = atomic_load_explicit(&m->delay, memory_order_relaxed);
    struct logp_delay delay;

    if (d == NULL)
        return;
    delay = (struct logp_delay){&d->ops, d->model};
    if (logp_machine_faults(m) != NULL)
        logp_fault_seed(delay.model, seed);
    while (lpi_fault_within(&delay))
        ;
    lpi_latency_seed(&delay, seed);
}

void logp_machine_ask_latencies(struct logp_machine *m,
                                bool (*is_drawn)(void *arg, const struct logp_latency_draw *draw),
                                void *arg)
{
    /* relaxed: as above */
    const struct lpi_delay *d = atomic_load_explicit(&m->delay, memory_order_relaxed);
    struct logp_delay delay;

    if (d == NULL)
        return;
    delay = (struct logp_delay){&d->ops, d->model};
    while (lpi_fault_within(&delay))
        ;
    lpi_latency_ask(&delay, is_drawn, arg);
}
