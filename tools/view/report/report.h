/* SPDX-License-Identifier: MIT */
/*
 * The page of `logp report`: HTML, CSS and JavaScript are files of this folder, which page.cmake
 * puts together and embeds; their data are JSON, and columns of events in base64.
 */
#ifndef LOGP_REPORT_H
#define LOGP_REPORT_H

#include "view/records/records.h"

#include <jansson.h>

/* ---- page.c ---- */

/* The parts that were missing when the command was built, and how to get them; NULL: none. */
const char *page_lacks(void);
/* The style of pages that need no library: colours, texts, tables, figures. */
void write_plain_styles(FILE *f);
/* The scripts of these pages: a timeline, tables that sort, and figures that are saved. */
void write_plain_scripts(FILE *f);
/* The page before and after its data. */
void begin_page(FILE *f);
void end_page(FILE *f);
/* Write a script element with JSON in it; the value is freed. */
void write_data(FILE *f, json_t *data);
/* Write a script element with n bytes in base64. */
void write_bytes(FILE *f, const char *id, const void *bytes, size_t n);
/* Whether the command was built with the fold for the sliders. */
bool page_has_sliders(void);
/* Write the fold, a gzipped WebAssembly, if the command has it. */
void write_fold(FILE *f);
/* [["Processor", "..."], ...]: the host and the program of the runs. */
json_t *host_facts(const struct output *out);

/* ---- columns.c: the events of a trace ---- */

/* Write n numbers >= 0, and overwrite them. f NULL: the page has them already, and nothing is written.
 * @return their description for the page */
json_t *write_column(FILE *f, const char *id, int64_t *value, size_t n);
/* Write the columns of a trace. other: a trace that the page has by other_number already, or NULL; a
 * column that both have in common is not written again. @return the facts about the trace, as JSON */
json_t *write_trace(FILE *f, const struct question *q, const struct logp_trace *trace, int number,
                    const struct logp_trace *other, int other_number);

/* ---- diagrams.c: traces and critical paths of the algorithms that were run ---- */

/* Write the columns of the diagrams of one point: that with the most processors that are easy to
 * look at. @return an array of the diagrams */
json_t *write_diagrams(FILE *f, const struct output *out);

/* ---- stored.c ---- */

/* Write the page of the records in a file, which is read by read_records(). made: as on all
 * pages; it is freed */
CHECKED struct problem *write_stored_page(FILE *f, const struct question *q, const char *path,
                                          json_t *made);

/* ---- sliders.c ---- */

/* [{"records": 3, "values": {"P": 8, ...}}, ...]: for each point of the sweep the number of its
 * records, and the values for what_if(); null: it has no sliders */
json_t *slider_values(const struct output *out);

/* ---- winners.c: the crossover map ---- */

/* The algorithms predicted to be the best around the points that were run; null: there are no
 * predictions. */
json_t *predicted_winners(const struct output *out);

#endif
