/* SPDX-License-Identifier: MIT */
/* The virtual clock on several cores: see window.c. */
#ifndef LPI_WINDOW_H
#define LPI_WINDOW_H

#include "state/state.h"

void lpi_next_window(struct lpi_core *c);

#endif
