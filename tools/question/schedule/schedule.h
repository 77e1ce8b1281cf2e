/* SPDX-License-Identifier: MIT */
/* The steps of all ranks, from a file and to the screen: as text, JSON and GOAL. */
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

/* ---- steps.c, json.c, goal.c, mpi.c ---- */

/* A schedule to be shown. */
struct schedule_shown {
    struct logp_schedule steps;
    const struct logp_algorithm *algorithm;
    const struct logp_collective *collective;
    bool has_data; /* its steps have the places of their data */
};

/* Form of a schedule, a rank, and a step; NULL: nothing is shown of it. */
struct step_form {
    bool with_data; /* it is given all steps; otherwise sends, receives and computations */
    void (*begin)(const struct schedule_shown *s);
    void (*begin_rank)(int64_t rank);
    void (*step)(const struct logp_step *s, int64_t index);
    void (*end_rank)(int64_t n);
    void (*end)(const struct schedule_shown *s);
};

/* Show all steps in this form, on stdout. */
void show_schedule(const struct step_form *form, const struct schedule_shown *shown);

extern const struct step_form steps_as_text, steps_as_json, steps_as_goal, steps_as_mpi;

#endif
