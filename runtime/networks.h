/* SPDX-License-Identifier: MIT */
/* A network of links, as topology.c and networks.c share it. */
#ifndef LPI_NETWORKS_H
#define LPI_NETWORKS_H

#include <logp/topology.h>

enum { LPI_SPEC_MAX = 64 };

struct logp_topology {
    const struct lpi_network *network;
    char spec[LPI_SPEC_MAX];
    int P;
    int rows, cols; /* line to torus */
    int dimensions; /* hypercube */
    int n_links;
};

struct lpi_network {
    bool round; /* there is a way round: ring, torus */
    /* Settle the sizes from what follows the name ("" or ":4x8"). NULL, or what is needed. */
    const char *(*fit)(struct logp_topology *t, const char *sizes);
    int (*next)(const struct logp_topology *t, int *node, int dst);
    int (*hops)(const struct logp_topology *t, int src, int dst);
    void (*ends)(const struct logp_topology *t, int link, int *from, int *to);
};

extern const struct lpi_network lpi_network_line, lpi_network_ring, lpi_network_mesh,
    lpi_network_torus, lpi_network_cube, lpi_network_tree;

#endif
