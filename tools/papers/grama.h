/* SPDX-License-Identifier: MIT */
/* What the files on Grama et al. share. */
#ifndef LOGP_GRAMA_H
#define LOGP_GRAMA_H

#include "paper.h"

/* What the listings of recursive doubling do as they are printed. */
void grama_listings(struct paper *p);

#endif
