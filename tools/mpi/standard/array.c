/* SPDX-License-Identifier: MIT */
/*
 * Parts of arrays as datatypes: a subarray, and the part of one process in a distributed array.
 */
#include "datatype.h"
#include "rank.h"

#include <stdlib.h>

/* Make the type of an array of `extent` bytes in which *part begins at byte `offset`, if they fit.
 * Free *part. */
static int place_in(MPI_Datatype *part, MPI_Aint offset, MPI_Aint extent, bool fits,
                    MPI_Datatype *type)
{
    const int rc = fits ? MPI_Type_create_hindexed_block(1, 1, &offset, *part, type) : MPI_ERR_ARG;

    MPI_Type_free(part);
    CHECK(NULL, fits, MPI_ERR_ARG, "the array has 2^63 bytes or more");
    if (rc == MPI_SUCCESS) {
        ((struct type *)*type)->lb = 0;
        ((struct type *)*type)->extent = extent;
    }
    return rc;
}

/* From the dimension that changes fastest to the slowest, make a vector of the type made so far. */
int MPI_Type_create_subarray(int n_dims, const int sizes[], const int subsizes[],
                             const int starts[], int order, MPI_Datatype old, MPI_Datatype *type)
{
    const size_t n = (size_t)n_dims;
    MPI_Datatype inner = old, outer;
    MPI_Aint offset = 0, stride;
    bool fits = true;
    int *all, rc;

    ENTER_TYPE(from, old);
    CHECK(NULL, n_dims > 0, MPI_ERR_ARG, "%d dimensions, but there must be at least 1", n_dims);
    CHECK(NULL, order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN, MPI_ERR_ARG,
          "%d is not an order of dimensions", order);
    for (int i = 0; i < n_dims; i++)
        CHECK(NULL,
              subsizes[i] >= 1 && starts[i] >= 0 && starts[i] + (int64_t)subsizes[i] <= sizes[i],
              MPI_ERR_ARG, "dimension %d: %d elements from %d on are not within %d", i, subsizes[i],
              starts[i], sizes[i]);
    stride = from->extent;
    for (int k = 0; k < n_dims; k++) {
        const int i = order == MPI_ORDER_C ? n_dims - 1 - k : k;

        rc = mpi_make_vector(__func__, subsizes[i], 1, stride, fits, inner, &outer);
        if (inner != old)
            MPI_Type_free(&inner);
        if (rc != MPI_SUCCESS)
            return rc;
        inner = outer;
        offset = plus(offset, product(starts[i], stride, &fits), &fits);
        stride = product(stride, sizes[i], &fits);
    }
    rc = place_in(&inner, offset, stride, fits, type);
    /* its integers are the number of dimensions, three arrays and the order */
    all = rc == MPI_SUCCESS ? malloc(3 * n * sizeof(int)) : NULL;
    if (rc == MPI_SUCCESS && all == NULL) {
        MPI_Type_free(type);
        return mpi_failed(NULL, MPI_ERR_NO_MEM, "no memory");
    }
    for (size_t i = 0; i < n && all != NULL; i++) {
        all[i] = sizes[i];
        all[n + i] = subsizes[i];
        all[2 * n + i] = starts[i];
    }
    rc = mpi_describe(rc, type, MPI_COMBINER_SUBARRAY, INTS(&n_dims, 1), INTS(all, 3 * n),
                      INTS(&order, 1), BYTES(NULL, 0), &old, 1);
    free(all);
    return rc;
}

/* How one dimension is distributed, and this process's place in it. */
struct dimension {
    int size, distribution, argument, processes, place;
};

static int check_dimension(struct dimension *d, int i)
{
    CHECK(NULL, d->size >= 1 && d->processes >= 1, MPI_ERR_ARG,
          "dimension %d: %d elements on %d processes", i, d->size, d->processes);
    switch (d->distribution) {
    case MPI_DISTRIBUTE_NONE:
        CHECK(NULL, d->processes == 1, MPI_ERR_ARG,
              "dimension %d is not distributed, but has %d processes", i, d->processes);
        d->argument = d->size;
        break;
    case MPI_DISTRIBUTE_BLOCK:
        if (d->argument == MPI_DISTRIBUTE_DFLT_DARG)
            d->argument = (d->size - 1) / d->processes + 1;
        CHECK(NULL, d->argument > 0 && (int64_t)d->argument * d->processes >= d->size, MPI_ERR_ARG,
              "dimension %d: %d blocks of %d are less than %d elements", i, d->processes,
              d->argument, d->size);
        break;
    case MPI_DISTRIBUTE_CYCLIC:
        if (d->argument == MPI_DISTRIBUTE_DFLT_DARG)
            d->argument = 1;
        CHECK(NULL, d->argument > 0, MPI_ERR_ARG, "dimension %d: blocks of %d", i, d->argument);
        break;
    default:
        return mpi_failed(NULL, MPI_ERR_ARG, "dimension %d: %d is not a distribution", i,
                          d->distribution);
    }
    return MPI_SUCCESS;
}

/* The elements of one process along a dimension, `stride` bytes apart. */
static int distribute(const struct dimension *d, MPI_Aint stride, MPI_Datatype old, bool *fits,
                      MPI_Datatype *type)
{
    const int64_t round = (int64_t)d->argument * d->processes;
    MPI_Aint *displs = malloc((size_t)d->size * sizeof(*displs));
    int n = 0, rc;

    CHECK_MEMORY(NULL, displs);
    for (int64_t first = (int64_t)d->place * d->argument; first < d->size; first += round)
        for (int64_t i = first; i < first + d->argument && i < d->size; i++)
            displs[n++] = product((MPI_Aint)i, stride, fits);
    rc = MPI_Type_create_hindexed_block(n, 1, displs, old, type);
    free(displs);
    return rc;
}

int MPI_Type_create_darray(int n_processes, int rank, int n_dims, const int sizes[],
                           const int distributions[], const int arguments[], const int processes[],
                           int order, MPI_Datatype old, MPI_Datatype *type)
{
    const int head[3] = {n_processes, rank, n_dims};
    const size_t n_ints = (size_t)n_dims;
    MPI_Datatype inner = old, outer;
    struct dimension *all;
    int *ints, left = rank, rc = MPI_SUCCESS;
    int64_t n = 1;
    MPI_Aint stride;
    bool fits = true;

    ENTER_TYPE(from, old);
    CHECK(NULL, n_dims > 0, MPI_ERR_ARG, "%d dimensions, but there must be at least 1", n_dims);
    CHECK(NULL, rank >= 0 && rank < n_processes, MPI_ERR_ARG, "process %d of %d", rank,
          n_processes);
    CHECK(NULL, order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN, MPI_ERR_ARG,
          "%d is not an order of dimensions", order);
    all = malloc((size_t)n_dims * sizeof(*all));
    ints = malloc(4 * n_ints * sizeof(int));
    CHECK(NULL, all != NULL && ints != NULL, MPI_ERR_NO_MEM, "no memory");
    for (int i = n_dims - 1; i >= 0 && rc == MPI_SUCCESS;
         i--) { /* the last process index is fastest */
        ints[i] = sizes[i];
        ints[n_ints + (size_t)i] = distributions[i];
        ints[2 * n_ints + (size_t)i] = arguments[i];
        ints[3 * n_ints + (size_t)i] = processes[i];
        all[i] = (struct dimension){sizes[i], distributions[i], arguments[i], processes[i], 0};
        rc = check_dimension(&all[i], i);
        if (rc == MPI_SUCCESS) {
            all[i].place = left % processes[i];
            left /= processes[i];
            n = n <= n_processes ? n * processes[i] : n;
        }
    }
    if (rc == MPI_SUCCESS && n != n_processes)
        rc = mpi_failed(NULL, MPI_ERR_ARG, "the grid has %lld processes, not %d", (long long)n,
                        n_processes);
    stride = from->extent;
    for (int k = 0; k < n_dims && rc == MPI_SUCCESS; k++) {
        const struct dimension *d = &all[order == MPI_ORDER_C ? n_dims - 1 - k : k];

        rc = distribute(d, stride, inner, &fits, &outer);
        if (inner != old)
            MPI_Type_free(&inner);
        inner = outer;
        stride = product(stride, d->size, &fits);
    }
    if (rc == MPI_SUCCESS)
        rc = place_in(&inner, 0, stride, fits, type);
    rc = mpi_describe(rc, type, MPI_COMBINER_DARRAY, INTS(head, 3), INTS(ints, 4 * n_ints),
                      INTS(&order, 1), BYTES(NULL, 0), &old, 1);
    free(all);
    free(ints);
    return rc;
}
