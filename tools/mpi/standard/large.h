/* SPDX-License-Identifier: MIT */
/* What the functions with large counts, which large.awk makes, use: large.c. */
#ifndef LOGP_MPI_LARGE_H
#define LOGP_MPI_LARGE_H

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>

struct type;

/* A call of NAME_c, with the integers and types that NAME gets. */
struct large {
    const char *name;
    bool failed; /* a number is too large, or there is no memory: that has been reported */
    int class;
    int *ints[4];
    struct type *types[2];
    int n_ints, n_types;
};

/* A count and its type: of more than INT_MAX elements one of a type that is made of them. */
struct large_pair {
    int count;
    MPI_Datatype type;
};

void mpi_large_begins(struct large *x, void *caller);
struct large_pair mpi_large_pair(struct large *x, MPI_Count count, MPI_Datatype type);
int mpi_large_int(struct large *x, MPI_Count n);
/* n numbers of 8 bytes, as integers; NULL if n is 0 */
int *mpi_large_ints(struct large *x, const void *numbers, int n);
enum { NO_ROOT = -100 };
/* How many counts a collective has: 0 where they are not used, as away from the root or in place. */
int mpi_large_n(MPI_Comm comm, int root, bool sends, bool of_neighbors, const void *send_buf);
/* The call has returned rc. request: that it has made, which may use the integers; NULL: none. @return rc, or why it has failed */
int mpi_large_ends(struct large *x, int rc, MPI_Request *request);

#endif
