/* SPDX-License-Identifier: MIT */
/* The steps of all ranks, from a file in JSON or GOAL. */
#ifndef LOGP_TOOL_SCHEDULE_H
#define LOGP_TOOL_SCHEDULE_H

#include <logp/logp.h>

#include <stdbool.h>
#include <stdint.h>

/* ---- file.c: --schedule ---- */

/* The steps of all ranks in a file, kept until the process ends; ends the process if the
 * file is not a schedule. */
const struct logp_step_list *read_schedule(const char *option, const char *file);
/* The delay model whose rules the steps of that file have, unless --delay is given; NULL: as
 * without a file. */
const char *delay_of_schedule(const struct logp_step_list *list);
/* The algorithm that does them, if they fit together. */
const struct logp_algorithm *listed_algorithm(int64_t P, const struct logp_invocation *c);
/* The same steps, which compute a collective and have the places of their data; ends the
 * process where they do not.
 * @param c     of that collective
 * @param runs  they are to be run, too */
const struct logp_algorithm *listed_collective(int64_t P, const struct logp_invocation *c,
                                               const struct logp_collective *as, bool runs);
/* The steps of another file in JSON, which are kept until the process ends; ends it where
 * that is not a schedule. */
const struct logp_step_list *read_found(const char *option, const char *file);
/* The steps of that file with their data; the file must have the places of all of them. */
const struct logp_step_list *list_with_data(const char *option, const char *value);

/* ---- data.c ---- */

/* A copy of the list for this collective, with the times of its combinations computed from c's
 * gamma; NULL: its steps do not compute it with these arguments. Free it with list_free() */
const struct logp_step_list *list_for(const struct logp_step_list *list,
                                      const struct logp_invocation *c,
                                      const struct logp_collective *as);
void list_free(const struct logp_step_list *list); /* NULL is allowed */
/* Whether it has a computation that takes time and makes no data: packing, or
 * the work of a broadcast. */
bool list_has_work(const struct logp_step_list *list);
/* Whether it has a computation that makes data. The list does not define that
 * operation, so it cannot be run. */
bool list_makes_data(const struct logp_step_list *list);

/* The word for each buffer in a schedule in JSON: enum logp_buffer. */
extern const char *const buffer_names[];

/* In a GOAL file that the command has written: liblogp's rules hold for it, as for the schedule
 * it was written from, unless --delay is given. For LogGOPSim it is a comment. */
#define GOAL_MARK "// written by logp: costed by liblogp's rules unless --delay is given"

#endif
