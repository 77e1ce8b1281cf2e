/* SPDX-License-Identifier: MIT */
/* Graphs of ranks: those that each rank knows as a whole, and those whose ranks know their own edges. */
#include "rank.h"

#include <stdlib.h>
#include <string.h>

static struct graph *new_graph(int n_nodes, int n_in, int n_out)
{
    struct graph *g = calloc(1, sizeof(*g));

    if (g == NULL)
        return NULL;
    *g = (struct graph){.references = 1, .n_nodes = n_nodes, .n_in = n_in, .n_out = n_out};
    g->in = calloc((size_t)(2 * n_in + 1), sizeof(int));
    g->out = calloc((size_t)(2 * n_out + 1), sizeof(int));
    if (g->in == NULL || g->out == NULL) {
        mpi_drop_graph(g);
        return NULL;
    }
    return g;
}

/* A graph has been made for the ranks of *out. */
static int give(struct comm *c, struct graph *g, MPI_Comm *out)
{
    CHECK_MEMORY(c, g);
    ((struct comm *)*out)->graph = g;
    return MPI_SUCCESS;
}

/* ---- known as a whole ---- */

/* index[i]: the edges of nodes 0 .. i */
static int check_graph(struct comm *c, int n_nodes, const int index[], const int edges[])
{
    CHECK(c, n_nodes >= 0 && n_nodes <= c->size, MPI_ERR_ARG,
          "%d nodes, but the communicator has %d ranks", n_nodes, c->size);
    for (int i = 0; i < n_nodes; i++)
        CHECK(c, index[i] >= (i > 0 ? index[i - 1] : 0), MPI_ERR_ARG,
              "node %d: the count of edges decreases", i);
    for (int i = 0; n_nodes > 0 && i < index[n_nodes - 1]; i++)
        CHECK(c, (unsigned)edges[i] < (unsigned)n_nodes, MPI_ERR_ARG,
              "edge %d leads to %d, which is not one of %d nodes", i, edges[i], n_nodes);
    return MPI_SUCCESS;
}

int MPI_Graph_create(MPI_Comm comm, int n_nodes, const int index[], const int edges[], int reorder,
                     MPI_Comm *out)
{
    struct graph *g;
    int rc, first, n;

    (void)reorder;
    ENTER_INTRA(c, comm);
    rc = check_graph(c, n_nodes, index, edges);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_split(comm, c->rank < n_nodes ? 0 : MPI_UNDEFINED, c->rank, out);
    if (rc != MPI_SUCCESS || *out == MPI_COMM_NULL)
        return rc;
    first = c->rank > 0 ? index[c->rank - 1] : 0;
    n = index[c->rank] - first;
    g = new_graph(n_nodes, n, n);
    if (g != NULL) {
        const size_t index_bytes = (size_t)n_nodes * sizeof(int),
                     edges_bytes = (size_t)index[n_nodes - 1] * sizeof(int);

        g->index = malloc(index_bytes);
        g->edges = malloc(edges_bytes + 1);
        CHECK(c, g->index != NULL && g->edges != NULL, MPI_ERR_NO_MEM, "no memory");
        memcpy(g->index, index, index_bytes);
        if (edges_bytes > 0)
            memcpy(g->edges, edges, edges_bytes);
        for (int i = 0; i < n; i++)
            g->in[i] = g->out[i] = edges[first + i];
    }
    return give(c, g, out);
}

int MPI_Graph_map(MPI_Comm comm, int n_nodes, const int index[], const int edges[], int *rank)
{
    int rc;

    ENTER_INTRA(c, comm);
    rc = check_graph(c, n_nodes, index, edges);
    *rank = c->rank < n_nodes ? c->rank : MPI_UNDEFINED;
    return rc;
}

#define ENTER_GRAPH(c, g, call, comm)                                                              \
    ENTER(c, comm);                                                                                \
    const struct graph *g = c->graph;                                                              \
    CHECK(c, g != NULL && g->index != NULL, MPI_ERR_TOPOLOGY, "the communicator is not a graph")

int MPI_Graphdims_get(MPI_Comm comm, int *n_nodes, int *n_edges)
{
    ENTER_GRAPH(c, g, __func__, comm);
    *n_nodes = g->n_nodes;
    *n_edges = g->index[g->n_nodes - 1];
    return MPI_SUCCESS;
}

int MPI_Graph_get(MPI_Comm comm, int max_index, int max_edges, int index[], int edges[])
{
    ENTER_GRAPH(c, g, __func__, comm);
    for (int i = 0; i < g->n_nodes && i < max_index; i++)
        index[i] = g->index[i];
    for (int i = 0; i < g->index[g->n_nodes - 1] && i < max_edges; i++)
        edges[i] = g->edges[i];
    return MPI_SUCCESS;
}

int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *n)
{
    ENTER_GRAPH(c, g, __func__, comm);
    CHECK(c, (unsigned)rank < (unsigned)c->size, MPI_ERR_RANK,
          "%d is not a rank of a communicator of %d", rank, c->size);
    *n = g->index[rank] - (rank > 0 ? g->index[rank - 1] : 0);
    return MPI_SUCCESS;
}

int MPI_Graph_neighbors(MPI_Comm comm, int rank, int max, int neighbors[])
{
    int first;

    ENTER_GRAPH(c, g, __func__, comm);
    CHECK(c, (unsigned)rank < (unsigned)c->size, MPI_ERR_RANK,
          "%d is not a rank of a communicator of %d", rank, c->size);
    first = rank > 0 ? g->index[rank - 1] : 0;
    for (int i = 0; i < max && first + i < g->index[rank]; i++)
        neighbors[i] = g->edges[first + i];
    return MPI_SUCCESS;
}

/* ---- of which each rank knows its own edges ---- */

static int check_neighbors(struct comm *c, int n, const int ranks[], const int *weights)
{
    CHECK(c, n >= 0, MPI_ERR_ARG, "%d edges", n);
    for (int i = 0; i < n; i++) {
        CHECK(c, (unsigned)ranks[i] < (unsigned)c->size, MPI_ERR_ARG,
              "edge %d: %d is not a rank of a communicator of %d", i, ranks[i], c->size);
        CHECK(c, weights == MPI_UNWEIGHTED || (weights != MPI_WEIGHTS_EMPTY && weights[i] >= 0),
              MPI_ERR_ARG, "edge %d: its weight is missing or negative", i);
    }
    return MPI_SUCCESS;
}

static void set_neighbors(int list[], int n, const int ranks[], const int *weights)
{
    for (int i = 0; i < n; i++) {
        list[i] = ranks[i];
        list[n + i] = weights != MPI_UNWEIGHTED ? weights[i] : 1;
    }
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int n_in, const int sources[],
                                   const int *in_weights, int n_out, const int dests[],
                                   const int *out_weights, MPI_Info info, int reorder,
                                   MPI_Comm *out)
{
    struct graph *g;
    int rc;

    (void)info, (void)reorder;
    ENTER_INTRA(c, comm);
    CHECK(c, (in_weights == MPI_UNWEIGHTED) == (out_weights == MPI_UNWEIGHTED), MPI_ERR_ARG,
          "edges of one direction have weights, and those of the other have none");
    rc = check_neighbors(c, n_in, sources, in_weights);
    if (rc == MPI_SUCCESS)
        rc = check_neighbors(c, n_out, dests, out_weights);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_split(comm, 0, c->rank, out);
    if (rc != MPI_SUCCESS)
        return rc;
    g = new_graph(0, n_in, n_out);
    if (g != NULL) {
        g->weighted = in_weights != MPI_UNWEIGHTED;
        set_neighbors(g->in, n_in, sources, in_weights);
        set_neighbors(g->out, n_out, dests, out_weights);
    }
    return give(c, g, out);
}

struct edge {
    int from, to, weight;
};

/* All ranks get all edges, in the order of the ranks that have given them. NULL: no memory */
static struct edge *share_edges(struct comm *c, const struct edge *own, int n_own, int *n)
{
    const int count = 3 * n_own;
    int *counts = malloc(2 * (size_t)c->size * sizeof(int)), *displs = counts + c->size;
    MPI_Comm comm = comm_handle(c);
    struct edge *all = NULL;

    *n = 0;
    if (counts == NULL)
        return NULL;
    if (MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, comm) == MPI_SUCCESS) {
        for (int i = 0; i < c->size; i++) {
            displs[i] = *n;
            *n += counts[i];
        }
        all = malloc((size_t)*n * sizeof(int) + 1);
        if (all != NULL)
            MPI_Allgatherv(own, count, MPI_INT, all, counts, displs, MPI_INT, comm);
        *n /= 3;
    }
    free(counts);
    return all;
}

/* The edges of this rank, of all. */
static struct graph *pick(const struct comm *c, const struct edge *all, int n)
{
    struct graph *g;
    int n_in = 0, n_out = 0;

    for (int i = 0; i < n; i++) {
        n_in += all[i].to == c->rank;
        n_out += all[i].from == c->rank;
    }
    g = new_graph(0, n_in, n_out);
    n_in = n_out = 0;
    for (int i = 0; g != NULL && i < n; i++) {
        if (all[i].to == c->rank) {
            g->in[n_in] = all[i].from;
            g->in[g->n_in + n_in++] = all[i].weight;
        }
        if (all[i].from == c->rank) {
            g->out[n_out] = all[i].to;
            g->out[g->n_out + n_out++] = all[i].weight;
        }
    }
    return g;
}

int MPI_Dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[],
                          const int dests[], const int *weights, MPI_Info info, int reorder,
                          MPI_Comm *out)
{
    struct edge *own, *all;
    struct graph *g;
    int n_edges = 0, n_all, rc;

    (void)info, (void)reorder;
    ENTER_INTRA(c, comm);
    rc = check_neighbors(c, n, sources, MPI_UNWEIGHTED);
    for (int i = 0; i < n && rc == MPI_SUCCESS; i++) {
        CHECK(c, degrees[i] >= 0, MPI_ERR_ARG, "source %d has %d edges", i, degrees[i]);
        n_edges += degrees[i];
    }
    if (rc == MPI_SUCCESS)
        rc = check_neighbors(c, n_edges, dests, weights);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_split(comm, 0, c->rank, out);
    if (rc != MPI_SUCCESS)
        return rc;
    own = malloc((size_t)(n_edges + 1) * sizeof(*own));
    CHECK_MEMORY(c, own);
    for (int i = 0, k = 0; i < n; i++)
        for (const int end = k + degrees[i]; k < end; k++)
            own[k] =
                (struct edge){sources[i], dests[k], weights != MPI_UNWEIGHTED ? weights[k] : 1};
    all = share_edges((struct comm *)*out, own, n_edges, &n_all);
    free(own);
    g = all != NULL ? pick(c, all, n_all) : NULL;
    free(all);
    if (g != NULL)
        g->weighted = weights != MPI_UNWEIGHTED;
    return give(c, g, out);
}

#define ENTER_DIST_GRAPH(c, g, call, comm)                                                         \
    ENTER(c, comm);                                                                                \
    const struct graph *g = c->graph;                                                              \
    CHECK(c, g != NULL && g->index == NULL, MPI_ERR_TOPOLOGY,                                      \
          "the communicator is not a distributed graph")

int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int *n_in, int *n_out, int *weighted)
{
    ENTER_DIST_GRAPH(c, g, __func__, comm);
    *n_in = g->n_in;
    *n_out = g->n_out;
    *weighted = g->weighted;
    return MPI_SUCCESS;
}

static void get_neighbors(const int list[], int n, int max, int ranks[], int *weights)
{
    for (int i = 0; i < n && i < max; i++) {
        ranks[i] = list[i];
        if (weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY)
            weights[i] = list[n + i];
    }
}

int MPI_Dist_graph_neighbors(MPI_Comm comm, int max_in, int sources[], int *in_weights, int max_out,
                             int dests[], int *out_weights)
{
    ENTER_DIST_GRAPH(c, g, __func__, comm);
    get_neighbors(g->in, g->n_in, max_in, sources, g->weighted ? in_weights : MPI_UNWEIGHTED);
    get_neighbors(g->out, g->n_out, max_out, dests, g->weighted ? out_weights : MPI_UNWEIGHTED);
    return MPI_SUCCESS;
}
