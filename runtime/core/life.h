/* SPDX-License-Identifier: MIT */
/* The life of a vp in one run. */
#ifndef LPI_LIFE_H
#define LPI_LIFE_H

#include "state/state.h"

/* Called by its carrier when a vp first gets the core in a run. */
void lpi_proc_main(struct lpi_proc *p);

#endif
