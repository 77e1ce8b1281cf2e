/* SPDX-License-Identifier: MIT */
/* Poll for all that a core must notice. */
#ifndef LPI_POLL_MAIL_H
#define LPI_POLL_MAIL_H

#include "state/state.h"

/* Handle everything that others may have changed. By the holder. */
void lpi_poll_mail(struct lpi_core *c);

#endif
