/* SPDX-License-Identifier: MIT */
/* What the files on Liu, Li & Cui share: runs of a broadcast on a 16 x 16 torus. */
#ifndef LOGP_LIU_H
#define LOGP_LIU_H

#include "paper.h"
#include <logp/paper.h>

enum { LIU_SIDE = 16 };

/* ---- liu_formulas.c ---- */

struct logp_torus liu_torus(const char *machine, int64_t bits, int64_t work);
/* A broadcast in blocks of so many bytes; whole: 0. */
struct paper_case liu_case(const struct paper *p, const struct logp_torus *t, const char *algorithm,
                           int64_t block_bytes);
/* What is gained, in percent; liu_gain(): of all numbers that both rows have. */
double liu_percent(double plain, double pipelined);
void liu_gain(struct paper_row *row, const struct paper_row *plain,
              const struct paper_row *pipelined);
/* In one piece: the paper's formula, and a run. */
void liu_plain(struct paper *p, const struct logp_torus *t, struct paper_row *row);
/* In blocks of m bits by the formula, and of so many bytes in the run. */
void liu_pipelined(struct paper *p, const struct logp_torus *t, int64_t m, int64_t bytes,
                   struct paper_row *row);
extern const struct paper_row liu_no_row;

/* ---- liu_examples.c ---- */

/* When it is worth while, in what blocks, and its examples. */
void liu_examples(struct paper *p);

/* Formulas (2), (3) and (5). */
void liu_formulas(struct paper *p);

#endif
