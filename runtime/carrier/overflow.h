/* SPDX-License-Identifier: MIT */
/* Name the fiber that overflows its stack: see overflow.c. */
#ifndef LPI_OVERFLOW_H
#define LPI_OVERFLOW_H

#include <stddef.h>

/* Below each stack: more than the largest frame that compiled code makes without touching its
 * pages. */
enum { LPI_GUARD_BYTES = 1 << 20 };

/* By a carrier thread, before its first fiber: check its faults, on a stack of their own if there
 * is memory for it. */
void lpi_overflow_guard(void **memory);
/* At its end. */
void lpi_overflow_unguard(void *memory);

#endif
