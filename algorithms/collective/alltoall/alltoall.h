/* SPDX-License-Identifier: MIT */
/* All-to-alls: what their files share. */
#ifndef LPI_ALLTOALL_H
#define LPI_ALLTOALL_H

#include "collective/collective.h"

/* window.c: their rows */
extern const struct lpi_rows lpi_alltoall_windows;

#endif
