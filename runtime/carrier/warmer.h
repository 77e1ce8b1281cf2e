/* SPDX-License-Identifier: MIT */
/*
 * Memory that will be needed soon, made present by a thread of its own.
 *
 * The kernel clears every page it gives out, which for a million vps takes as long as simulating
 * them. Where one core simulates and others are free, one of these can touch the memory
 * first. It is a wish only; whoever needs a page that is not there yet takes the fault.
 */
#ifndef LPI_WARMER_H
#define LPI_WARMER_H

#include <stddef.h>

struct lpi_warmer;

/* NULL: there will be none (one core only, or no memory), which is no error. */
struct lpi_warmer *lpi_warmer_start(void);
/* Soon bytes from `memory` on will be written. They must stay mapped until the warmer has been
 * stopped. w == NULL: nothing. */
void lpi_warmer_add(struct lpi_warmer *w, void *memory, size_t bytes);
/* Drop what is left to do and end the thread. NULL: nothing. */
void lpi_warmer_stop(struct lpi_warmer *w);

#endif
