/* SPDX-License-Identifier: MIT */
/* What the files on Sun, Zhang & Song share. */
#ifndef LOGP_SUN_H
#define LOGP_SUN_H

#include "paper.h"

/* A transpose of size x size elements, by default in units of 5 us, with L, o, g = 6, 2, 4;
 * streams: a byte takes 0.01. */
struct paper_case sun_case(const struct paper *p, const char *algorithm, int P, int64_t size,
                           size_t element_bytes, bool streams);

/* Section 3. */
void sun_packing(struct paper *p);
/* What its listings do as they are printed. */
void sun_listings(struct paper *p);

#endif
