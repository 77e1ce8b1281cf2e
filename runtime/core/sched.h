/* SPDX-License-Identifier: MIT */
/* Which vp holds a core, and until when: see sched.c. */
#ifndef LPI_SCHED_H
#define LPI_SCHED_H

#include "state/state.h"

int lpi_wait_until(struct lpi_proc *p, int64_t deadline);
int lpi_wait_message(struct lpi_proc *p, int64_t deadline);
int lpi_wait_ready(struct lpi_proc *p);
bool lpi_poll_before_wait(struct lpi_core *c);
int lpi_reach(struct lpi_proc *p, int64_t t);
int lpi_yield(struct lpi_proc *p);
int lpi_hold(struct lpi_proc *p);
/* Of lpi_resolver_usual. */
struct lpi_proc *lpi_usual_next(struct lpi_core *c);
bool lpi_usual_others_first(struct lpi_proc *p, int64_t t);
void lpi_record_lag(struct lpi_core *c);
/* A vp that can hold the core instead of its holder: the next one, or any that waits. NULL: all
 * others have ended or are in blocking sections. */
struct lpi_proc *lpi_stand_in(struct lpi_core *c);
/* The vp that gets the core of a vp that has ended; NULL: all vps of the machine have ended. */
struct lpi_proc *lpi_successor(struct lpi_core *c);

#endif
