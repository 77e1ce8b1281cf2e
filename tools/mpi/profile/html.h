/* SPDX-License-Identifier: MIT */
/* The figures of the page: drawings in SVG. */
#ifndef LOGP_PROFILE_HTML_H
#define LOGP_PROFILE_HTML_H

#include "profile.h"

#include <jansson.h>

/* Draw the own time, the time in MPI and that of waits for each rank; with many ranks, for groups
 * of neighbours that are wide enough to be distinguished. */
void draw_ranks(FILE *f, const struct profile *p);
/* Draw the time of the first n of these sites on each rank. */
void draw_calls(FILE *f, const struct profile *p, const int *sites, int n);

/* timeline.c: the section of the timeline, with its data */
void write_timeline(FILE *f, const struct profile *p);

/* ---- table.c: tables ---- */

/* heads: NULL at the end; '|' at the beginning of one aligns it to the left, like its column, and '~'
 * is a column of times, which files have in ns. */
void profile_begin_table(FILE *f, const char *title, const char *const heads[]);
void profile_end_table(FILE *f);
/* A time, which scripts sort and save by its number; before: a text before it. */
void profile_time_cell(FILE *f, int64_t ns, const char *before);
/* The same for a time that may be missing: ns < 0. */
void profile_time_or_none(FILE *f, int64_t ns, const char *before);
void profile_share_cell(FILE *f, double percent);

/* against.c: the changes since a run, which profile_read() has read from a file */
void write_against(FILE *f, const struct profile *p, const char *path, const json_t *before);

enum matrix { MATRIX_BYTES, MATRIX_WAITS };

/* Draw the matrix: from the rank of the line to that of the column. */
void draw_matrix(FILE *f, const struct profile *p, enum matrix what);
/* Draw T as a function of one parameter, from 0 to twice its value. */
void draw_curve(FILE *f, const struct profile *p, const struct logp_curve *curve);

#endif
