/* SPDX-License-Identifier: MIT */
/*
 * The mailbox of a vp, a liburcu wait-free queue that any thread may append to (inject.c) and only
 * the holder of the vp's core empties. A rung vp is put on its core's bell list, so a core finds
 * its mail without looking at every vp.
 */
#ifndef LPI_QUEUE_H
#define LPI_QUEUE_H

#include "state/state.h"

/* Append, and ring. By any thread; m is its receiver's from now on. */
void lpi_queue_push(struct lpi_proc *to, struct lpi_message *m);
/* The oldest message; NULL: there is none. Called by the holder, as the next. */
struct lpi_message *lpi_queue_pop(const struct lpi_proc *p);
/* empty(p) for each proc that has been rung. @return false: none */
bool lpi_queue_cts(struct lpi_core *c, void (*empty)(const struct lpi_proc *p));

#endif
