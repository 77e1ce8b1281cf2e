/* SPDX-License-Identifier: MIT */
/* The figures of the page: drawings in SVG. */
#ifndef LOGP_PROFILE_HTML_H
#define LOGP_PROFILE_HTML_H

#include "profile.h"

/* Draw the own time, the time in MPI and that of waits for each rank; with many ranks, for groups
 * of neighbours that are wide enough to be distinguished. */
void draw_ranks(FILE *f, const struct profile *p);
/* Draw the time of the first n of these sites on each rank. */
void draw_calls(FILE *f, const struct profile *p, const int *sites, int n);

enum matrix { MATRIX_BYTES, MATRIX_WAITS };

/* Draw the matrix: from the rank of the line to that of the column. */
void draw_matrix(FILE *f, const struct profile *p, enum matrix what);
/* Draw T as a function of one parameter, from 0 to twice its value. */
void draw_curve(FILE *f, const struct profile *p, const struct logp_curve *curve);

#endif
