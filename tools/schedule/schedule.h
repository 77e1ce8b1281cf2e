/* SPDX-License-Identifier: MIT */
/* The steps of all ranks, from a file and to the screen: as text, JSON and GOAL. */
#ifndef LOGP_TOOL_SCHEDULE_H
#define LOGP_TOOL_SCHEDULE_H

#include <logp/logp.h>

#include <stdint.h>

/* ---- file.c: --schedule ---- */

/* The steps of all ranks in a file, kept until the process ends; ends it where the file is not what
 * it should be. */
const struct logp_step_list *read_schedule(const char *option, const char *file);
/* The delay model whose rules the steps of that file have, unless --delay is given; NULL: as
 * without a file. */
const char *delay_of_schedule(const struct logp_step_list *list);
/* The algorithm that does them, if they fit together. */
const struct logp_algorithm *listed_algorithm(int64_t P, const struct logp_invocation *c);

/* ---- steps.c, json.c, goal.c ---- */

/* How a format shows a schedule, a rank, and a step; NULL: with nothing. */
struct step_form {
    void (*begin)(int64_t P);
    void (*begin_rank)(int64_t rank);
    void (*step)(const struct logp_step *s, int64_t index); /* send, receive, compute */
    void (*end_rank)(int64_t n);
    void (*end)(void);
};

extern const struct step_form steps_as_text, steps_as_json, steps_as_goal;

#endif
