/* SPDX-License-Identifier: MIT */
/* The outcome of a replay, in words. */
#ifndef LOGP_OUTCOME_H
#define LOGP_OUTCOME_H

#include "answer/replay/replay.h"

/* Write the outcome; a problem if it failed again, or could not be repeated. */
CHECKED struct problem *show_replayed(FILE *f, const char *path, const struct logp_replay *r,
                                      const struct replayed *what);
/* Print a note if it passes or fails in another way. */
void note_changed(const char *path, const struct logp_replay *r, const struct replayed *what);

#endif
