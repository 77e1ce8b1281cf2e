/* SPDX-License-Identifier: MIT */
/*
 * Topologies: the table of their kinds, the topology of a specification, and its routes. See
 * logp/delay.h. To add one, write a network in networks.c and a row here.
 */
#include "delay/delay.h"

#include <logp/machine.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    struct logp_topology_kind kind;
    const struct lpi_network *network;
} rows[] = {
    {{"line", "line", "each processor is linked to the next"}, &lpi_network_line},
    {{"ring", "ring", "a line whose ends are linked"}, &lpi_network_ring},
    {{"mesh", "mesh[:AxBx...]", "A rows of B processors, linked along rows and columns; AxBxC ..."},
     &lpi_network_mesh},
    {{"torus", "torus[:AxBx...]", "a mesh whose rows, columns and so on are rings"},
     &lpi_network_torus},
    {{"hypercube", "hypercube", "2^x processors, linked where one bit of the rank differs"},
     &lpi_network_cube},
    {{"tree", "tree", "a binary tree of switches, 2^x processors at its leaves"},
     &lpi_network_tree},
    {{"fat-tree", "fat-tree[:AxBx...]",
      "A switches over B processors each, joined by B switches above; AxBxC ..."},
     &lpi_network_fat_tree},
    {{"dragonfly", "dragonfly:GxRxN", "G groups of R routers with N processors each"},
     &lpi_network_dragonfly},
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

const struct logp_topology_kind *logp_topology_kind_at(size_t i)
{
    return i < N_ROWS ? &rows[i].kind : NULL;
}

static const char *parse_spec(struct logp_topology *t, const char *spec, int64_t P)
{
    const size_t name = strcspn(spec, ":");

    for (int i = 0; i < N_ROWS; i++) {
        if (strlen(rows[i].kind.name) != name || strncmp(rows[i].kind.name, spec, name) != 0)
            continue;
        if (P < 1 || P > LOGP_MAX_PROCESSORS)
            return "1 .. 16777216 processors";
        *t = (struct logp_topology){.network = rows[i].network, .P = (int)P};
        snprintf(t->spec, sizeof(t->spec), "%s", spec); /* fit() refuses a longer one */
        return t->network->fit(t, spec + name);
    }
    return "to be one of: line, ring, mesh[:AxBx...], torus[:AxBx...], hypercube, tree, "
           "fat-tree[:AxBx...], dragonfly:GxRxN";
}

const char *logp_topology_needs(const char *spec, int64_t P)
{
    struct logp_topology t;

    return parse_spec(&t, spec, P);
}

int logp_topology_create(const char *spec, int64_t P, struct logp_topology **out)
{
    struct logp_topology t;

    *out = NULL;
    if (parse_spec(&t, spec, P) != NULL)
        return -EINVAL;
    *out = malloc(sizeof(**out));
    if (*out == NULL)
        return -ENOMEM;
    **out = t;
    return 0;
}

void logp_topology_destroy(struct logp_topology *t)
{
    free(t);
}

const char *logp_topology_spec(const struct logp_topology *t)
{
    return t->spec;
}

int logp_topology_size(const struct logp_topology *t)
{
    return t->P;
}

int logp_topology_sizes(const struct logp_topology *t, int sizes[LOGP_TOPOLOGY_SIZES])
{
    if (!t->network->sized)
        return 0;
    for (int i = 0; i < t->dimensions; i++)
        sizes[i] = t->grid[i].size;
    return t->dimensions;
}

int logp_topology_links(const struct logp_topology *t)
{
    return t->n_links;
}

void logp_topology_ends(const struct logp_topology *t, int link, int *from, int *to)
{
    t->network->ends(t, link, from, to);
}

int logp_topology_next(const struct logp_topology *t, int *node, int dst)
{
    return t->network->next(t, node, dst);
}

int logp_topology_hops(const struct logp_topology *t, int src, int dst)
{
    return t->network->hops(t, src, dst);
}

int logp_topology_route(const struct logp_topology *t, int src, int dst, int *links, int capacity)
{
    int n = 0, node = src, link;

    while ((link = logp_topology_next(t, &node, dst)) >= 0) {
        if (n < capacity)
            links[n] = link;
        n++;
    }
    return n;
}
