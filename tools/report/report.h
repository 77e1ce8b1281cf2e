/* SPDX-License-Identifier: MIT */
/*
 * The page of `logp report`: HTML, CSS and JavaScript are files of this folder, which page.cmake
 * puts together and embeds; what they show is JSON, and columns of events in base64.
 */
#ifndef LOGP_REPORT_H
#define LOGP_REPORT_H

#include "output/output.h"

#include <jansson.h>

/* ---- page.c ---- */

/* What was missing when the command was built, and how to have it, in words; NULL: nothing was. */
const char *page_lacks(void);
/* The style of pages that need no library: colours, texts, tables, figures. */
void write_plain_styles(FILE *f);
/* All of the page but the data, which stand between. */
void begin_page(FILE *f);
void end_page(FILE *f);
/* A script element with JSON in it; the value is freed. */
void write_data(FILE *f, json_t *data);
/* A script element with n bytes in base64. */
void write_bytes(FILE *f, const char *id, const void *bytes, size_t n);
/* Was it built with the fold for the sliders? */
bool page_has_sliders(void);
/* The fold, a gzipped WebAssembly; or nothing. */
void write_fold(FILE *f);
/* [["Processor", "..."], ...]: where this was run, and by what. */
json_t *host_facts(const struct output *out);

/* ---- columns.c: the events of a trace ---- */

/* Write its columns. @return what there is to know about the trace, as JSON */
json_t *write_trace(FILE *f, const struct options *o, const struct logp_trace *trace, int number);

/* ---- diagrams.c: traces and critical paths of the algorithms that were run ---- */

/* Of the point with the most processors that are easy to look at. @return an array of them, of
 * which the columns are written */
json_t *write_diagrams(FILE *f, const struct output *out);

/* ---- sliders.c ---- */

/* [{"records": 3, "values": {"P": 8, ...}}, ...]: of each point of the sweep the number of its
 * records, and what what_if() needs; null: it has no sliders */
json_t *slider_values(const struct output *out);

/* ---- winners.c: the crossover map ---- */

/* Who is predicted to be the best around the points that were run; null where that is nobody. */
json_t *predicted_winners(const struct output *out);

#endif
