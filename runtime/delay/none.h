/* SPDX-License-Identifier: MIT */
/* What a create leaves that has failed. */
#ifndef LPI_NONE_H
#define LPI_NONE_H

#include <logp/delay.h>

/* *out: no model, which no machine takes. Where it is the inner one, that is freed: a machine would
 * run with it alone, and nobody would know. */
void lpi_delay_fail(struct logp_delay *inner, struct logp_delay *out);

#endif
