/* SPDX-License-Identifier: MIT */
/* Names of services and ports. */
#ifndef LOGP_MPI_NAMES_H
#define LOGP_MPI_NAMES_H

/* No rank runs: forget all that have been published or opened. */
void mpi_forget_names(void);

#endif
