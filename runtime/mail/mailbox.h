/* SPDX-License-Identifier: MIT */
/* Messages from core to core: see mailbox.c. */
#ifndef LPI_MAILBOX_H
#define LPI_MAILBOX_H

#include "state/state.h"

int lpi_lanes_create(struct logp_machine *m, int slots);
void lpi_lanes_destroy(struct logp_machine *m);
bool lpi_poll(struct lpi_core *c);
bool lpi_lanes_quiet(const struct logp_machine *m);
/* By any thread. m is its receiver's from now on. */
void lpi_mail_append(struct lpi_proc *to, struct lpi_message *m);
int lpi_find_room(struct lpi_proc *from, struct lpi_proc *to, const struct lpi_envelope *e);
int lpi_post(struct lpi_proc *from, struct lpi_proc *to, const struct lpi_envelope *e);

#endif
