/* SPDX-License-Identifier: MIT */
/* The cores of a machine and their order: see cores.c. */
#ifndef LPI_CORES_H
#define LPI_CORES_H

#include <logp/machine.h>

int lpi_cores_choose(const struct logp_config *config, int **cores, int *n, int *taken);

#endif
