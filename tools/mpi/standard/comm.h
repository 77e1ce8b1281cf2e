/* SPDX-License-Identifier: MIT */
/* Communicators, groups and topologies. */
#ifndef LOGP_MPI_COMM_H
#define LOGP_MPI_COMM_H

#include "error.h"

#include <logp/logp.h>

struct rank;

struct group {
    struct object object;
    int n;
    int ranks[]; /* in MPI_COMM_WORLD */
};

struct cart {
    int n_dims;
    int *dims, *periods; /* in one allocation with the struct */
};

/* A graph, as one rank sees it. */
struct graph {
    int references;
    int n_nodes, *index, *edges; /* as MPI_Graph_create() gets them; NULL: of a distributed graph */
    int n_in, n_out, *in, *out;  /* its neighbours, then the weights of these edges */
    bool weighted;
};

void mpi_drop_graph(struct graph *graph);

/* How many partitioned requests of a communicator have this peer and tag. */
struct parted {
    struct parted *next;
    int peer, tag;
    unsigned n_sends, n_receives;
};

void mpi_drop_parted(struct parted *parted);

struct comm {
    struct object object;
    struct rank *owner;
    struct logp_vp *vp; /* the rank as a member */
    int rank, size;
    int references; /* its handle, and requests */
    /* Destinations of messages: n_peers ranks of vp from first_peer on. They are the communicator
     * itself, or, between two groups, the other group: then vp has both groups. */
    int n_peers, first_peer;
    bool inter;            /* it is between two groups */
    uint64_t id;           /* the same at all members; 0: their collectives are not compared */
    uint64_t n_compared;   /* collectives: signature.c */
    struct parted *parted; /* partitioned messages that have been made: partitioned.c */
    struct comm *inner;    /* the same ranks, for messages of collectives; NULL: not needed yet */
    MPI_Errhandler errors;
    struct cart *cart;
    struct graph *graph;
    MPI_Info info; /* its own; NULL: none */
    void *of; /* the handle of the window or file that has it, for the error handler; NULL: none */
    char name[MPI_MAX_OBJECT_NAME];
};

/* The communicator of a handle; NULL: it is none. */
struct comm *mpi_comm_of(MPI_Comm handle);
void mpi_drop_comm(struct comm *comm);
/* Set *comm to the ranks of vp. n_first > 0: it is between its first n_first ranks and the others */
void mpi_set_comm(struct comm *comm, struct logp_vp *vp, int n_first);
int mpi_n_first_of(const struct comm *comm); /* that n_first */
struct comm *mpi_new_comm(struct logp_vp *vp, int n_first, const struct comm *like);
/* Its id in a group of the runtime. Those that have a first member in common have different contexts, also later on. */
uint64_t mpi_id_of(const struct logp_vp *vp, uint32_t context);
/* The runtime has made a group, with rc; vp is NULL: this rank is in none. @return a class */
int mpi_give_comm(const struct comm *like, int rc, struct logp_vp *vp, int n_first, MPI_Comm *out);
/* Enter the group of these n ranks of vp, of which this rank is one; calls with other tags may run at the same time. */
int mpi_join_group(struct logp_vp *vp, const int *members, int n, int tag, struct logp_vp **out);
/* The ranks of one group, or of the other. NULL: no memory */
struct group *mpi_ranks_of(const struct comm *comm, bool peers);
/* inter.c: as MPI_Comm_split(), between two groups; color may be LOGP_NO_COLOUR */
int mpi_split_inter(struct comm *comm, int color, int key, MPI_Comm *out);
/* The group of a handle; NULL: it is none. */
const struct group *mpi_group_of(MPI_Group handle);
struct group *mpi_new_group(int n);

#define COMM(c, handle)                                                                            \
    struct comm *c = mpi_comm_of(handle);                                                          \
    CHECK(NULL, c != NULL, MPI_ERR_COMM, "the communicator is null or has been freed")

#endif
