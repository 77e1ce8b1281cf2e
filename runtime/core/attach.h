/* SPDX-License-Identifier: MIT */
/* What is kept beside the vps, where anything is: see attach.c. */
#ifndef LPI_ATTACH_H
#define LPI_ATTACH_H

#include "state/state.h"

/* The program of p has ended: so does what was attached to it. */
void lpi_attached_end(struct lpi_proc *p);
void lpi_attached_destroy(struct logp_machine *m);

#endif
