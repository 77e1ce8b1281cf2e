/* SPDX-License-Identifier: MIT */
/* What explanations are written with, in words and as JSON. */
#ifndef LOGP_OUTPUT_EXPLAIN_H
#define LOGP_OUTPUT_EXPLAIN_H

#include "output/output.h"

#include <jansson.h>

/* explain_json.c: an object; of NULL, null */
json_t *explanation_json(const struct logp_explanation *e);

/* "send", "wire", "receive", "compute", "gap". */
const char *segment_name(enum logp_segment_kind kind);

/* The curve of a parameter; false: there is none. Ends the process without memory. */
bool curve_of(const struct logp_explanation *e, enum logp_parameter parameter,
              struct logp_curve *curve);

#endif
