/* SPDX-License-Identifier: MIT */
/* The infos of objects. NULL: none */
#ifndef LOGP_MPI_INFO_H
#define LOGP_MPI_INFO_H

#include "object.h"

int mpi_set_info(MPI_Info *kept, MPI_Info info);
int mpi_get_info(MPI_Info kept, MPI_Info *info);
/* Return the value of a key of these hints; NULL: they have no such key. */
const char *mpi_info_value(MPI_Info kept, const char *key);
void mpi_drop_info(MPI_Info *kept);

#endif
