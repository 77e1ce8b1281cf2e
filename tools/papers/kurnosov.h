/* SPDX-License-Identifier: MIT */
/* Kurnosov: its processors one by one; functions that its text names. */
#ifndef LOGP_PAPER_KURNOSOV_H
#define LOGP_PAPER_KURNOSOV_H

#include "papers/paper.h"

bool kurnosov_three_messages(struct paper_case *x);
/* The end of a processor; when the root begins to receive; the emulated time of the row above. */
void kurnosov_end(const struct paper_at *at);
void kurnosov_begin(const struct paper_at *at);
void kurnosov_as_above(const struct paper_at *at);
/* A row for each processor: its chain, its children, the time of its sum. */
void kurnosov_nodes(struct paper *p, struct paper_table *t, const struct paper_case *x);
/* d, h or z of a rank by the listing, as printed and as meant. */
double kurnosov_place_printed(const struct paper_case *x);
double kurnosov_place_meant(const struct paper_case *x);
void kurnosov_count_places(struct paper *p, struct paper_table *t);
void kurnosov_listing(struct paper *p, const struct paper_table *t, const char *what);

#endif
