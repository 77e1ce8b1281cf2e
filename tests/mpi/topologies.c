/* SPDX-License-Identifier: MIT */
/* Graphs, distributed graphs, and the collectives among neighbours in them and in grids. */
#include "check.h"

/* A star: rank 0 is next to all others. */
static MPI_Comm star(void)
{
    int *index = malloc((size_t)P * sizeof(int)), *edges = malloc((size_t)(2 * P) * sizeof(int));
    MPI_Comm graph;

    for (int i = 0; i < P; i++)
        index[i] = P - 1 + i;
    for (int i = 0; i < P - 1; i++) {
        edges[i] = i + 1;
        edges[P - 1 + i] = 0;
    }
    MPI_Graph_create(MPI_COMM_WORLD, P, index, edges, 0, &graph);
    free(index);
    free(edges);
    return graph;
}

/* The most balanced grid; what is given stays. */
static void dimensions(void)
{
    static const int expected[][4] = {{432, 9, 8, 6},
                                      {19152, 38, 24, 21},
                                      {7, 7, 1, 1},
                                      {2095133040, 1292, 1287, 1260},
                                      {2147483647, 2147483647, 1, 1}}; /* a prime */
    int given[3] = {0, 4, 0};

    for (int i = 0; i < 5 && is_logp(); i++) {
        int dims[3] = {0, 0, 0};

        MPI_Dims_create(expected[i][0], 3, dims);
        CHECK(memcmp(dims, &expected[i][1], sizeof(dims)) == 0);
    }
    MPI_Dims_create(48, 3, given);
    CHECK(given[0] == 4 && given[1] == 4 && given[2] == 3);
}

static void graphs(void)
{
    int n, n_edges, status, neighbors[64], index[64], edges[64], in[64], one = 1;
    MPI_Comm graph = star(), copy;

    MPI_Comm_dup(graph, &copy);
    MPI_Comm_free(&graph);
    MPI_Topo_test(copy, &status);
    CHECK(status == MPI_GRAPH);
    MPI_Graphdims_get(copy, &n, &n_edges);
    CHECK(n == P && n_edges == 2 * (P - 1));
    MPI_Graph_get(copy, P, 2 * P - 2, index, edges);
    CHECK(index[0] == P - 1 && index[P - 1] == 2 * P - 2);
    CHECK(P == 1 || (edges[0] == 1 && edges[P - 1] == 0));
    MPI_Graph_neighbors_count(copy, 0, &n);
    CHECK(n == P - 1);
    MPI_Graph_neighbors(copy, 0, P, neighbors);
    CHECK(P == 1 || neighbors[P - 2] == P - 1);
    MPI_Neighbor_allgather(&me, 1, MPI_INT, in, 1, MPI_INT, copy);
    for (int i = 0; me == 0 && i < P - 1; i++)
        CHECK(in[i] == i + 1);
    CHECK(me == 0 || in[0] == 0);
    MPI_Comm_free(&copy);
    n = 0;
    MPI_Graph_create(MPI_COMM_WORLD, 1, &one, &n, 0, &graph); /* one node with an edge to itself */
    CHECK((graph == MPI_COMM_NULL) == (me > 0));
    if (graph != MPI_COMM_NULL) {
        MPI_Neighbor_alltoall(&one, 1, MPI_INT, &n, 1, MPI_INT, graph);
        CHECK(n == 1);
        MPI_Comm_free(&graph);
    }
    MPI_Graph_map(MPI_COMM_WORLD, 1, &one, &(int){0}, &n);
    CHECK(n == (me == 0 ? 0 : MPI_UNDEFINED) || !is_logp());
}

/* Each rank to the two behind it. */
static void check_ring(MPI_Comm ring, int weighted)
{
    int n_in, n_out, has, in[2], out[2], in_weights[2], out_weights[2], status;

    MPI_Topo_test(ring, &status);
    CHECK(status == MPI_DIST_GRAPH);
    MPI_Dist_graph_neighbors_count(ring, &n_in, &n_out, &has);
    CHECK(n_in == 2 && n_out == 2 && has == weighted);
    MPI_Dist_graph_neighbors(ring, 2, in, weighted ? in_weights : MPI_UNWEIGHTED, 2, out,
                             weighted ? out_weights : MPI_UNWEIGHTED);
    /* MPI leaves the order of a distributed graph open where the edges came from several ranks */
    for (int i = 0; i < 2; i++) {
        CHECK(in[i] == (me + P - 1) % P || in[i] == (me + 2 * P - 2) % P);
        CHECK(out[i] == (me + 1) % P || out[i] == (me + 2) % P);
        CHECK(!weighted || P < 3 || out_weights[i] == (out[i] == (me + 1) % P ? 10 : 20));
        CHECK(!weighted || P < 3 || in_weights[i] == (in[i] == (me + P - 1) % P ? 10 : 20));
    }
}

static void distributed(void)
{
    int sources[2] = {(me + P - 1) % P, (me + 2 * P - 2) % P},
        dests[2] = {(me + 1) % P, (me + 2) % P}, weights[2] = {10, 20}, degree = 2, in[6],
        first = 0;
    int *from = malloc((size_t)P * sizeof(int)), *degrees = malloc((size_t)P * sizeof(int)),
        *to = malloc((size_t)(2 * P) * sizeof(int));
    MPI_Comm ring, none;
    MPI_Request r;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, weights, 2, dests, weights,
                                   MPI_INFO_NULL, 0, &ring);
    check_ring(ring, 1);
    MPI_Neighbor_allgather(&me, 1, MPI_INT, in, 1, MPI_INT, ring);
    CHECK(in[0] == sources[0] && in[1] == sources[1]);
    in[0] = in[1] = -1;
    MPI_Ineighbor_allgather(&me, 1, MPI_INT, in, 1, MPI_INT, ring, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(in[0] == sources[0] && in[1] == sources[1]);
    MPI_Comm_free(&ring);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &degree, dests, weights, MPI_INFO_NULL, 0, &ring);
    check_ring(ring, 1);
    MPI_Comm_free(&ring);
    /* rank 0 gives all edges, and the others none */
    for (int i = 0; i < P; i++) {
        from[i] = i;
        degrees[i] = 2;
        to[2 * i] = (i + 1) % P;
        to[2 * i + 1] = (i + 2) % P;
    }
    MPI_Dist_graph_create(MPI_COMM_WORLD, me == 0 ? P : 0, from, degrees, to, MPI_UNWEIGHTED,
                          MPI_INFO_NULL, 0, &ring);
    check_ring(ring, 0);
    MPI_Comm_free(&ring);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL,
                                   MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &none);
    MPI_Neighbor_alltoall(NULL, 1, MPI_INT, &first, 1, MPI_INT, none);
    CHECK(first == 0);
    MPI_Comm_free(&none);
    free(from);
    free(degrees);
    free(to);
}

/* On a ring, and a line: to the rank below 10 me, and to the one above 10 me + 1. */
static void grid(int periodic)
{
    const int out[2] = {10 * me, 10 * me + 1}, counts[2] = {1, 1}, displs[2] = {1, 0};
    const MPI_Aint bytes[2] = {0, sizeof(int)};
    const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    int in[2] = {-1, -1}, below, above;
    MPI_Comm line;
    MPI_Request r;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &P, &periodic, 0, &line);
    MPI_Cart_shift(line, 0, 1, &below, &above);
    below = below == MPI_PROC_NULL ? -1 : 10 * below + 1;
    above = above == MPI_PROC_NULL ? -1 : 10 * above;
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, line);
    CHECK(in[0] == below && in[1] == above);
    in[0] = in[1] = -1;
    MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, line, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(in[0] == below && in[1] == above);
    in[0] = in[1] = -1;
    MPI_Neighbor_alltoallv(out, counts, (const int[]){0, 1}, MPI_INT, in, counts, displs, MPI_INT,
                           line);
    CHECK(in[1] == below && in[0] == above);
    in[0] = in[1] = -1;
    MPI_Ineighbor_alltoallv(out, counts, (const int[]){0, 1}, MPI_INT, in, counts, displs, MPI_INT,
                            line, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(in[1] == below && in[0] == above);
    in[0] = in[1] = -1;
    MPI_Neighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, line);
    CHECK(in[0] == below && in[1] == above);
    in[0] = in[1] = -1;
    MPI_Ineighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, line, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(in[0] == below && in[1] == above);
    in[0] = in[1] = -1;
    MPI_Neighbor_allgatherv(out, 1, MPI_INT, in, counts, displs, MPI_INT, line);
    CHECK(in[1] == (below < 0 ? below : below - 1) && in[0] == above);
    in[0] = in[1] = -1;
    MPI_Ineighbor_allgatherv(out, 1, MPI_INT, in, counts, displs, MPI_INT, line, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(in[1] == (below < 0 ? below : below - 1) && in[0] == above);
    MPI_Comm_free(&line);
}

static void wrong(void)
{
    int n, index[1] = {1}, far[1] = {P}, falls[2] = {1, 0}, minus = -1, weight = 1;
    MPI_Comm made, line;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    FAILS(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, P + 1, index, far, 0, &made));
    FAILS(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, 1, index, far, 0, &made));
    FAILS(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, 1, &minus, far, 0, &made));
    if (P > 1)
        FAILS(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, 2, falls, far, 0, &made));
    FAILS(MPI_ERR_ARG, MPI_Graph_map(MPI_COMM_WORLD, P + 1, index, far, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Graphdims_get(MPI_COMM_WORLD, &n, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Graph_get(MPI_COMM_WORLD, 0, 0, &n, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Graph_neighbors_count(MPI_COMM_WORLD, 0, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Graph_neighbors(MPI_COMM_WORLD, 0, 1, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, &n, &n, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Dist_graph_neighbors(MPI_COMM_WORLD, 0, &n, &n, 0, &n, &n));
    FAILS(MPI_ERR_TOPOLOGY,
          MPI_Neighbor_allgather(&n, 1, MPI_INT, &weight, 1, MPI_INT, MPI_COMM_WORLD));
    FAILS(MPI_ERR_ARG,
          MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, far, MPI_UNWEIGHTED, 0, far,
                                         MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
    FAILS(MPI_ERR_ARG, MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &me, MPI_UNWEIGHTED, 1,
                                                      &me, &weight, MPI_INFO_NULL, 0, &made));
    FAILS(MPI_ERR_ARG, MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &minus, &me, MPI_UNWEIGHTED,
                                             MPI_INFO_NULL, 0, &made));
    FAILS(MPI_ERR_ARG, MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, index, &me, &minus,
                                             MPI_INFO_NULL, 0, &made));
    n = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &P, &n, 0, &line);
    FAILS(MPI_ERR_BUFFER, MPI_Neighbor_alltoall(MPI_IN_PLACE, 1, MPI_INT, &n, 1, MPI_INT, line));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Graphdims_get(line, &n, &n));
    MPI_Comm_free(&line);
    made = star();
    FAILS(MPI_ERR_RANK, MPI_Graph_neighbors_count(made, P, &n));
    FAILS(MPI_ERR_RANK, MPI_Graph_neighbors(made, -1, 1, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Cartdim_get(made, &n));
    MPI_Comm_free(&made);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    dimensions();
    graphs();
    distributed();
    grid(0);
    if (P > 2 || is_logp()) /* of one or two ranks, MPI 3.1 leaves open which item is which */
        grid(1);
    if (is_logp())
        wrong();
    return all_hold("topologies");
}
