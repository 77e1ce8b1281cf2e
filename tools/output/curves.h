/* SPDX-License-Identifier: MIT */
/* Records of a sweep as curves: predicted as lines, measured as points with their intervals. */
#ifndef LOGP_CURVES_H
#define LOGP_CURVES_H

#include "output/output.h"

/* End the process where no picture can be made in this file, or "": on stdout. option: what asks
 * for it */
void check_picture(const char *option, const char *path);
/* Draw the records of a sweep there. @return an exit code; what is wrong is said */
int draw_records(const struct output *out, const char *path);
/* The same of those in a file, CSV or JSON; ends the process where it holds none. */
int draw_record_file(const char *file, const char *path);

#endif
