/* SPDX-License-Identifier: MIT */
#ifndef LOGP_FORMATS_H
#define LOGP_FORMATS_H

#include "options/format.h"

/* All there are; the last has no name. */
extern const struct output_format output_formats[];

#endif
