/* SPDX-License-Identifier: MIT */
/* Links at random: what they cost, between which ranks, and all of a machine's. */
#ifndef LOGP_TESTS_DRAWN_LINKS_H
#define LOGP_TESTS_DRAWN_LINKS_H

#include "drawn.h"

static struct logp_link_costs some_costs(uint64_t *random)
{
    const struct logp_params p = some_params(random);
    struct logp_link_costs c = {p.L_ns, p.o_send_ns, p.o_recv_ns, p.g_ns, p.G_ps};

    if (one_in(random, 2))
        c.L_ns = LOGP_AS_BEFORE;
    if (one_in(random, 2))
        c.o_send_ns = LOGP_AS_BEFORE;
    if (one_in(random, 2))
        c.o_recv_ns = c.g_ns = LOGP_AS_BEFORE;
    if (one_in(random, 2))
        c.G_ps = LOGP_AS_BEFORE;
    return c;
}

static struct logp_ranks some_ranks(uint64_t *random, int P, struct logp_rank_range capacity[3])
{
    struct logp_ranks set = {capacity, (int)below(random, 4)};

    for (int i = 0; i < set.n; i++) {
        capacity[i].first = (int)below(random, P);
        capacity[i].last = one_in(random, 2)
                               ? capacity[i].first
                               : capacity[i].first + (int)below(random, P - capacity[i].first);
    }
    return set;
}

/* What is told of each thing said: between these ranks, or between nodes (per_node > 0). */
typedef void (*links_told)(void *arg, const struct logp_ranks *src, const struct logp_ranks *dst,
                           int64_t per_node, const struct logp_link_costs *c);

/* Nodes, single links, or both, in any order; to be destroyed. */
static inline struct logp_links *draw_links_told(int P, uint64_t *random, links_told told,
                                                 void *arg)
{
    const int n = one_in(random, 2) ? (int)below(random, 4) : (int)below(random, 24);
    const int64_t socket = 1 + below(random, one_in(random, 2) ? P + 2 : 8);
    int64_t per_node = socket; /* of the next call for nodes: once it may grow */
    struct logp_links *links;

    cr_assert_eq(logp_links_create(P, &links), 0);
    for (int i = 0; i <= n; i++) {
        struct logp_rank_range capacity[2][3];
        const struct logp_ranks src = some_ranks(random, P, capacity[0]),
                                dst = some_ranks(random, P, capacity[1]);
        const struct logp_link_costs c = some_costs(random);

        const bool nodes = one_in(random, i == 0 ? 2 : 6);

        if (nodes && per_node == socket && logp_links_per_node(links) > 0 && one_in(random, 2))
            per_node *= 1 + below(random, 3);
        if (nodes)
            cr_assert_eq(logp_links_nodes(links, per_node, &c), 0);
        else if (i > 0)
            cr_assert_eq(logp_links_set(links, &src, &dst, &c), 0);
        if (told != NULL && (nodes || i > 0))
            told(arg, &src, &dst, nodes ? per_node : 0, &c);
    }
    return links;
}

static inline struct logp_links *draw_links(int P, uint64_t *random)
{
    return draw_links_told(P, random, NULL, NULL);
}

/* A case of any collective, one in four on links that differ. */
static inline struct drawn draw_linked(uint64_t seed)
{
    uint64_t random = seed * UINT64_C(0x2545f4914f6cdd1d) | 1;
    struct drawn d = draw_collective(seed);

    if (d.topology == NULL && one_in(&random, 4)) {
        d.call.model.links = draw_links(d.P, &random);
        if (d.call.model.params.capacity < 0) /* by the rule: links have none */
            d.call.model.params.capacity = 0;
    }
    return d;
}

static inline void drawn_free(struct drawn *d)
{
    logp_links_destroy((struct logp_links *)d->call.model.links);
    free((void *)(uintptr_t)d->call.model.arrivals);
    logp_topology_destroy(d->topology);
}

#endif
