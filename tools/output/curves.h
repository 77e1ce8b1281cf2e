/* SPDX-License-Identifier: MIT */
/* Records of a sweep as curves: predicted as lines, measured as points with their intervals. */
#ifndef LOGP_CURVES_H
#define LOGP_CURVES_H

#include "output/output.h"

/* In all of them, to: a file whose name ends in .svg, .png or .pdf; or svg, png or pdf, on stdout.
 * check_picture() ends the process where there can be none. option: what asks for it */
void check_picture(const char *option, const char *to);
/* Draw the records of a sweep there. @return an exit code; what is wrong is said */
int draw_records(const struct output *out, const char *to);
/* The same of those in a file, CSV or JSON; ends the process where it holds none. */
int draw_record_file(const char *file, const char *to);

#endif
