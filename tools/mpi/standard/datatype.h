/* SPDX-License-Identifier: MIT */
/* How a datatype was made: for the functions that make one, and those that return its contents. */
#ifndef LOGP_MPI_DATATYPE_H
#define LOGP_MPI_DATATYPE_H

#include "type.h"

/* count blocks of `block` olds, `stride` bytes apart. fits: false: its caller could not calculate them */
int mpi_make_vector(const char *call, int count, int block, ptrdiff_t stride, bool fits,
                    MPI_Datatype old, MPI_Datatype *out);

/* Some of the arguments of a constructor. */
struct ints {
    const int *first;
    size_t n;
};
struct bytes {
    const MPI_Aint *first;
    size_t n;
};
#define INTS(...) ((struct ints){__VA_ARGS__})
#define BYTES(...) ((struct bytes){__VA_ARGS__})
#define NONE INTS(NULL, 0)

/* *type was made, with rc, by this combiner: keep its arguments, as MPI_Type_get_contents() gives them.
 * @return rc, or the class of an error: then there is no type */
int mpi_describe(int rc, MPI_Datatype *type, int combiner, struct ints a, struct ints b,
                 struct ints c, struct bytes bytes, const MPI_Datatype *olds, size_t n_olds);
void mpi_drop_recipe(struct recipe *recipe);

#endif
