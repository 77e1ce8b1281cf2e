/* SPDX-License-Identifier: MIT */
/*
 * The mailbox of a vp is a liburcu wait-free queue. Any thread may append to it (inject.c), but
 * only the holder of the vp's core empties it. An append puts the vp on the bell list of its core,
 * so that the core need not poll every vp.
 */
#ifndef LPI_QUEUE_H
#define LPI_QUEUE_H

#include "state/state.h"

/* Append m and ring. Called by any thread; the receiver owns m afterwards. */
void lpi_queue_push(struct lpi_proc *to, struct lpi_message *m);
/* Take the oldest message; NULL: there is none. Called by the holder. */
struct lpi_message *lpi_queue_pop(const struct lpi_proc *p);
/* Call empty(p) for each proc on the bell list. Called by the holder. @return false: none */
bool lpi_queue_take_bell(struct lpi_core *c, void (*empty)(const struct lpi_proc *p));

#endif
