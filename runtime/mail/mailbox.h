/* SPDX-License-Identifier: MIT */
/* Messages from core to core: see mailbox.c. */
#ifndef LPI_MAILBOX_H
#define LPI_MAILBOX_H

#include "state/state.h"

bool lpi_poll(struct lpi_core *c);
int lpi_find_space(struct lpi_proc *from, struct lpi_proc *to, const struct lpi_envelope *e);
/* As lpi_post(), to a vp of another core of this process. If it returns 0, it has taken over
 * e->message. */
int lpi_post_to_core(struct lpi_core *c, struct lpi_proc *to, const struct lpi_envelope *e);
int lpi_post(struct lpi_proc *from, struct lpi_proc *to, const struct lpi_envelope *e);

#endif
