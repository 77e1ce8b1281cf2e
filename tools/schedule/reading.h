/* SPDX-License-Identifier: MIT */
/* A schedule that is read from a file: what its two formats share. */
#ifndef LOGP_READING_H
#define LOGP_READING_H

#include <logp/logp.h>

#include <stdint.h>

/* What is being read; where is its option and file, for what is said of it. */
struct reading {
    const char *option, *file;
    struct logp_step_list list;
    struct logp_step **steps; /* by rank */
    int64_t *n, *room;
};

/* ---- steps.c ---- */

/* It has P ranks, none of which has steps yet. */
void begin_reading(struct reading *r, int64_t P);
/* One more step of a rank. place: "line 7" or "rank 3, step 5". */
void read_message(struct reading *r, int64_t rank, enum logp_step_kind kind, int64_t peer,
                  int64_t n_bytes, int64_t tag, const char *place);
void read_compute(struct reading *r, int64_t rank, int64_t ns, const char *place);

/* ---- goal.c, json.c ---- */

/* Fill r from the text of the file; end the process where it is wrong. */
void read_goal(struct reading *r, char *text);
void read_json(struct reading *r, const char *text);

#endif
