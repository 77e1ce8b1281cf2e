/* SPDX-License-Identifier: MIT */
/*
 * Processors as a grid: what the algorithms on a mesh or torus take for its sizes. Where the
 * collective has a topology with sizes of its own they are these, so that messages go along its
 * links; elsewhere any two processors are neighbours, and the grid is a square.
 */
#include "collective/collective.h"

struct lpi_grid lpi_grid_of(int64_t P, const struct logp_invocation *c)
{
    struct lpi_grid grid = {0};
    int sizes[LOGP_TOPOLOGY_SIZES];

    if (c->model.topology != NULL && logp_topology_size(c->model.topology) == P)
        grid.dimensions = logp_topology_sizes(c->model.topology, sizes);
    for (int i = 0; i < grid.dimensions; i++)
        grid.size[i] = sizes[i];
    if (grid.dimensions == 0 && lpi_needs_square(P, c) == NULL) {
        grid.dimensions = 2;
        grid.size[0] = grid.size[1] = lpi_side(P);
    }
    return grid;
}

const char *lpi_needs_grid(int64_t P, const struct logp_invocation *c)
{
    return lpi_grid_of(P, c).dimensions > 0
               ? NULL
               : "a square number of processors, or a topology with sizes";
}
