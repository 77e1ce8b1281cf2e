/* SPDX-License-Identifier: MIT */
/* What the readers share. */
#ifndef LPI_SCHEDULE_H
#define LPI_SCHEDULE_H

#include <logp/schedule.h>

/* schedule.c: what a plan function has made, or what is all 0 but for the parent, and more than
 * once. */
void lpi_free_part(struct logp_part *part);

/* zeroed.c: room for n pieces of size bytes, in huge pages where there are many: a fault costs a
 * microsecond; and the same, zeroed. NULL: no memory. */
void *lpi_room(size_t n, size_t size);
void *lpi_zeroed(size_t n, size_t size);

#endif
