/* SPDX-License-Identifier: MIT */
/*
 * --watch: a live table of what runs, on stderr: a line for each algorithm, with its ratio and lag
 * as they settle, and the time left. It is drawn between runs, never during one. Where stderr is no
 * terminal, or a dumb one, each point that is done is a line.
 */
#ifndef LOGP_LIVE_TABLE_H
#define LOGP_LIVE_TABLE_H

#include "options/options.h"

/* So many more points of this algorithm are to be run, and take about so long; fewer, where that is
 * negative. */
void live_table_expect(const struct logp_algorithm *algorithm, int points, double ns);
/* From now on, what runs is shown, if that is asked for. */
void live_table_begin(const struct options *o);
/* No more: the terminal is as it was before. */
void live_table_end(void);

#endif
