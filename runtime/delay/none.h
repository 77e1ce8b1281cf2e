/* SPDX-License-Identifier: MIT */
/* The result of a create that has failed. */
#ifndef LPI_NONE_H
#define LPI_NONE_H

#include <logp/delay.h>

/* Set *out to no model, which no machine accepts. If out is inner, the inner model is freed first:
 * otherwise a machine would run with it alone, unnoticed. */
void lpi_delay_fail(struct logp_delay *inner, struct logp_delay *out);

#endif
