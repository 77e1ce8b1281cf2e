/* SPDX-License-Identifier: MIT */
/*
 * What the files of the options share: functions that make a field of an option's text, or end the
 * process where it is not what is allowed. option: with its dashes, wherever the text comes from;
 * bad_option() knows.
 */
#ifndef LOGP_OPTIONS_H
#define LOGP_OPTIONS_H

#include "command.h"

/* options_model.c: what a prediction depends on */
/* Is the text the second of two words? It must be one of them. */
bool either(const char *option, const char *text, const char *first, const char *second);
void apply_P(struct options *o, const char *option, const char *text);
void apply_unit(struct options *o, const char *option, const char *text);
void apply_machine(struct options *o, const char *option, const char *text);
void apply_L(struct options *o, const char *option, const char *text);
void apply_o(struct options *o, const char *option, const char *text);
void apply_o_send(struct options *o, const char *option, const char *text);
void apply_o_recv(struct options *o, const char *option, const char *text);
void apply_g(struct options *o, const char *option, const char *text);
void apply_G(struct options *o, const char *option, const char *text);
void apply_gap(struct options *o, const char *option, const char *text);
void apply_capacity(struct options *o, const char *option, const char *text);
void apply_algo(struct options *o, const char *option, const char *text);
void apply_bytes(struct options *o, const char *option, const char *text);
void apply_root(struct options *o, const char *option, const char *text);
void apply_gamma(struct options *o, const char *option, const char *text);
void apply_count(struct options *o, const char *option, const char *text);
void apply_type(struct options *o, const char *option, const char *text);
void apply_op(struct options *o, const char *option, const char *text);
void apply_rows(struct options *o, const char *option, const char *text);
void apply_cols(struct options *o, const char *option, const char *text);
void apply_packing(struct options *o, const char *option, const char *text);
void apply_pack(struct options *o, const char *option, const char *text);
void apply_window(struct options *o, const char *option, const char *text);
void apply_k(struct options *o, const char *option, const char *text);
void apply_block(struct options *o, const char *option, const char *text);
void apply_work(struct options *o, const char *option, const char *text);
void apply_overlap(struct options *o, const char *option, const char *text);
void apply_by(struct options *o, const char *option, const char *text);
void apply_schedule(struct options *o, const char *option, const char *text);
void apply_delay(struct options *o, const char *option, const char *text);
void apply_topology(struct options *o, const char *option, const char *text);

/* options_run.c: what a run depends on, and output */
void apply_clock(struct options *o, const char *option, const char *text);
void apply_executor(struct options *o, const char *option, const char *text);
void apply_reps(struct options *o, const char *option, const char *text);
void apply_warmup(struct options *o, const char *option, const char *text);
void apply_cores(struct options *o, const char *option, const char *text);
void apply_plugin(struct options *o, const char *option, const char *text);
void apply_queue_limit(struct options *o, const char *option, const char *text);
void apply_timeout(struct options *o, const char *option, const char *text);
void apply_seed(struct options *o, const char *option, const char *text);
void apply_progress(struct options *o, const char *option, const char *text);
void apply_format(struct options *o, const char *option, const char *text);
/* Is this a --format; of commands that draw, svg too? */
bool is_format(const char *text, bool svg);

/* unused.c: can what the words name have a use for this option, named without dashes? */
bool option_matters(const char *name, const struct options *o);

#endif
