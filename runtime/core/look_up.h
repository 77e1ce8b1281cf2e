/* SPDX-License-Identifier: MIT */
/* What a core must look up for. */
#ifndef LPI_LOOK_UP_H
#define LPI_LOOK_UP_H

#include "state/state.h"

/* Everything that others may have changed. By the holder. */
void lpi_look_up(struct lpi_core *c);

#endif
