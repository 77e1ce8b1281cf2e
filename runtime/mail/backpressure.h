/* SPDX-License-Identifier: MIT */
/* Sends that wait for room in the queue limit: see backpressure.c. */
#ifndef LPI_BACKPRESSURE_H
#define LPI_BACKPRESSURE_H

#include "state/state.h"

/* p begins to wait for so many bytes, for a message to dst; and has got the core again. */
void lpi_space_join(struct lpi_proc *p, int64_t needs, int dst, int tag);
void lpi_space_leave(struct lpi_proc *p);
/* A message of this core has been taken, at time t: those for whom there is room may try again. */
void lpi_space_freed(struct lpi_core *c, int64_t t);
/* Has another core freed something? Under the virtual clock there is none. */
void lpi_space_poll(struct lpi_core *c);
/* A vp has posted a receive: what it waits for needs no room. */
void lpi_space_posted(struct lpi_proc *to);
/* Is there room for one that waits, on whatever core? Meaningful only while all cores are idle. */
bool lpi_space_for_one(const struct logp_machine *m);

#endif
