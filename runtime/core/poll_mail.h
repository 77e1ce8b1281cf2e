/* SPDX-License-Identifier: MIT */
/* What a core must look up for. */
#ifndef LPI_POLL_MAIL_H
#define LPI_POLL_MAIL_H

#include "state/state.h"

/* Everything that others may have changed. By the holder. */
void lpi_poll_mail(struct lpi_core *c);

#endif
