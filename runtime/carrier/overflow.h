/* SPDX-License-Identifier: MIT */
/* A fiber that runs off its stack is named: see overflow.c. */
#ifndef LPI_OVERFLOW_H
#define LPI_OVERFLOW_H

#include <stddef.h>

/* Below each stack: more than the largest frame that a compiler makes without touching its pages.
 */
enum { LPI_GUARD_BYTES = 1 << 20 };

/* A carrier thread, before its first fiber: faults of it are looked at, on a stack of their own, if
 * there is memory for it. */
void lpi_overflow_guard(void **memory);
/* At its end. */
void lpi_overflow_unguard(void *memory);

#endif
