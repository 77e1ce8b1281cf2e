/* SPDX-License-Identifier: MIT */
/* State that the machines of one process share: see process.c. */
#ifndef LPI_PROCESS_H
#define LPI_PROCESS_H

#include <stdbool.h>

/* A machine is created. @return false: this process cannot have machines, see process.c */
bool lpi_process_enter(void);
void lpi_process_leave(void);
/* Is this the child of a process that had machines at the fork? Then no machine works here. */
bool lpi_process_is_orphan(void);

/* Take the core that the fewest machines have taken, of those that this process may use. In a tie,
 * the caller's core is preferred. The caller gives it back. -1: no core is known. */
int lpi_process_take_core(void);
void lpi_process_give_core(int cpu);

#endif
