/* SPDX-License-Identifier: MIT */
/* Sends that wait for space in the queue limit: see backpressure.c. */
#ifndef LPI_BACKPRESSURE_H
#define LPI_BACKPRESSURE_H

#include "state/state.h"

/* p begins to wait for `needs` bytes, to send a message to dst. */
void lpi_space_join(struct lpi_proc *p, int64_t needs, int dst, int tag);
/* p holds its core again, and waits no longer. */
void lpi_space_leave(struct lpi_proc *p);
/* A message of this core was taken at time t: wake the procs for which there is space now. */
void lpi_space_freed(struct lpi_core *c, int64_t t);
/* Wake procs if another core has freed space, or if a woken proc has not used its space. */
void lpi_space_poll(struct lpi_core *c);
/* `to` has posted a receive: wake those that send to it, since a posted message needs no space. */
void lpi_space_posted(struct lpi_proc *to);
/* Is there space for a waiting proc of any core? Meaningful only while all cores are idle. */
bool lpi_space_for_one(const struct logp_machine *m);

#endif
