/* SPDX-License-Identifier: MIT */
/* The networks of links, shared by topology.c and networks.c. */
#ifndef LPI_NETWORKS_H
#define LPI_NETWORKS_H

#include <logp/delay.h>

enum {
    LPI_MOST_SIZES = LOGP_TOPOLOGY_SIZES,
    LPI_SPEC_MAX = 16 + 9 * LPI_MOST_SIZES, /* a name, and sizes of eight digits */
};

/* A dimension of a grid: lines of `size` nodes, `stride` ranks apart. */
struct lpi_dimension {
    int size, stride;
    int first_link; /* of the first line; the links of the next lines follow */
};

struct logp_topology {
    const struct lpi_network *network;
    char spec[LPI_SPEC_MAX];
    int P;
    struct lpi_dimension grid[LPI_MOST_SIZES]; /* line to torus; the last is along the rows */
    int dimensions;                            /* of the grid or hypercube */
    int n_links;
};

struct lpi_network {
    bool round; /* the ends of a line are linked: ring, torus */
    bool sized; /* its dimensions have sizes: mesh, torus */
    /* Set the sizes from the text behind the name ("" or ":4x8x2"). @return NULL; or what the
     * network needs */
    const char *(*fit)(struct logp_topology *t, const char *sizes);
    int (*next)(const struct logp_topology *t, int *node, int dst);
    int (*hops)(const struct logp_topology *t, int src, int dst);
    void (*ends)(const struct logp_topology *t, int link, int *from, int *to);
};

extern const struct lpi_network lpi_network_line, lpi_network_ring, lpi_network_mesh,
    lpi_network_torus, lpi_network_cube, lpi_network_tree;

#endif
