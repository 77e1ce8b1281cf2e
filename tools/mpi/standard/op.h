/* SPDX-License-Identifier: MIT */
/* Operations. */
#ifndef LOGP_MPI_OP_H
#define LOGP_MPI_OP_H

#include "type.h"

#include <logp/logp.h>

struct operation {
    struct object object;
    MPI_User_function *function;
    bool commutes;
    bool is_fortran; /* its last argument is the number of the datatype */
    bool is_large;   /* it is an MPI_User_function_c */
};

/* What one reduction combines with: `op` is for the runtime, and stays with it. */
struct reduction {
    struct logp_op op;
    const struct type *type;
    MPI_Datatype handle;
    struct operation
        user; /* a copy: the program may free its own meanwhile; function NULL: built in */
    void (*combine)(void *acc, const void *in, size_t n);
    bool exact; /* any order of combining gives the same bits */
};

/* Of a reduction: may its algorithm be any? logp_exact_op */
bool mpi_is_exact_op(const struct logp_op *op, void *arg);
/* Set *r for this operation and type. @return MPI_SUCCESS or the class of an error */
int mpi_make_reduction(struct reduction *r, MPI_Op op, MPI_Datatype type);
/* The same for *out, which all ranks share if the operation is built in. It must be dropped. NULL: an error */
int mpi_take_reduction(MPI_Op op, MPI_Datatype type, const struct reduction **out);
void mpi_drop_reduction(const struct reduction *r);
/* The subroutines of Fortran call it: the function of this operation is of Fortran. */
void logp_mpi_op_of_fortran(MPI_Op op);

#endif
