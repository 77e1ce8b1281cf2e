/* SPDX-License-Identifier: MIT */
/* Kurnosov: its formulas, as they are printed, and its processors one by one. */
#ifndef LOGP_PAPER_KURNOSOV_H
#define LOGP_PAPER_KURNOSOV_H

#include "papers/paper.h"

/* Long chains first; short ones first (section 6); t(k); at the best k, which is the next; chains of
 * 1, 2, ... processors; the binomial tree. */
double kurnosov_long_first(const struct paper_case *x);
double kurnosov_short_first(const struct paper_case *x);
double kurnosov_t(const struct paper_case *x);
double kurnosov_best(const struct paper_case *x);
double kurnosov_best_k(const struct paper_case *x);
double kurnosov_adaptive(const struct paper_case *x);
double kurnosov_binomial(const struct paper_case *x);
/* The ends of two processors; when the root begins to receive in figure 6; four chains of 1, 2, 3,
 * 4. */
double kurnosov_figure_1(const struct paper_case *x);
double kurnosov_begins(const struct paper_case *x);
double kurnosov_figure_8(const struct paper_case *x);
/* Other forms of section 6. */
double kurnosov_example(const struct paper_case *x);
double kurnosov_closed(const struct paper_case *x);
double kurnosov_longs(const struct paper_case *x);
/* a/b by inequalities (2) and (3), and ours. */
double kurnosov_ratio_printed(const struct paper_case *x);
double kurnosov_ratio(const struct paper_case *x);
void kurnosov_try_ratio(struct paper *p, struct paper_table *t, struct paper_row *row,
                        const struct paper_case *x);

/* ---- kurnosov_chains.c ---- */

bool kurnosov_three_messages(struct paper_case *x);
/* The end of a processor; when the root begins to receive; the emulated time of the row above. */
void kurnosov_end(struct paper *p, struct paper_table *t, struct paper_row *row,
                  const struct paper_case *x);
void kurnosov_begin(struct paper *p, struct paper_table *t, struct paper_row *row,
                    const struct paper_case *x);
void kurnosov_as_above(struct paper *p, struct paper_table *t, struct paper_row *row,
                       const struct paper_case *x);
/* A row for each processor: its chain, its children, the time of its sum. */
void kurnosov_nodes(struct paper *p, struct paper_table *t, const struct paper_case *x);
/* d, h or z of a rank by the listing, as printed and as meant. */
double kurnosov_place_printed(const struct paper_case *x);
double kurnosov_place_meant(const struct paper_case *x);
void kurnosov_count_places(struct paper *p, struct paper_table *t);
void kurnosov_listing(struct paper *p, const char *what);

#endif
