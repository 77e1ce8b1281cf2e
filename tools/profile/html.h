/* SPDX-License-Identifier: MIT */
/* The figures of the page: drawings in SVG, on stdout. */
#ifndef LOGP_PROFILE_HTML_H
#define LOGP_PROFILE_HTML_H

#include "profile/profile.h"

/* Of each rank, or of as many groups of neighbours as can be told apart: its own time, that in MPI,
 * and that of waits. */
void draw_ranks(const struct profile *p);
/* The time of the n first of these sites on each rank. */
void draw_calls(const struct profile *p, const int *sites, int n);

enum matrix { MATRIX_BYTES, MATRIX_WAITS };

/* From the rank of the line to that of the column. */
void draw_matrix(const struct profile *p, enum matrix what);
/* T as a function of one parameter, from 0 to twice its value. */
void draw_curve(const struct profile *p, const struct logp_curve *curve);

#endif
