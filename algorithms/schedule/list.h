/* SPDX-License-Identifier: MIT */
/* list.c: a schedule that is a list, outside the table. */
#ifndef LPI_SCHEDULE_LIST_H
#define LPI_SCHEDULE_LIST_H

#include <logp/collective.h>

extern const struct logp_collective lpi_listed_collective;
extern const struct logp_algorithm lpi_listed;

#endif
