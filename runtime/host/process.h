/* SPDX-License-Identifier: MIT */
/* What the machines of one process share: see process.c. */
#ifndef LPI_PROCESS_H
#define LPI_PROCESS_H

#include <stdbool.h>

/* A machine is made. @return false: here none can live, see process.c */
bool lpi_process_enter(void);
void lpi_process_leave(void);
/* Were this process's machines left behind in its parent? Those that it sees are of no use. */
bool lpi_process_is_orphan(void);

/* The core, among those that this process may use, that the fewest machines have taken; the one
 * that the caller runs on where it is one of them. To be given back. -1: none is known. */
int lpi_process_take_core(void);
void lpi_process_give_core(int cpu);

#endif
