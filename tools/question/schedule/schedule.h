/* SPDX-License-Identifier: MIT */
/* The steps of all ranks, from a file in JSON or GOAL. */
#ifndef LOGP_TOOL_SCHEDULE_H
#define LOGP_TOOL_SCHEDULE_H

#include "text/problem.h"

#include <logp/logp.h>

#include <stdbool.h>
#include <stdint.h>

struct question;

/* ---- file.c: --schedule ---- */

/* The steps of all ranks in a file, which is read once and kept by the question. */
CHECKED struct problem *read_schedule(const struct question *q, const char *option,
                                      const char *file, const struct logp_step_list **list);
/* The delay model whose rules the steps of that file have, unless --delay is given; NULL: as
 * without a file. */
const char *delay_of_schedule(const struct question *q);
/* Whether the file holds a graph: it is GOAL. */
bool has_graph(const struct question *q);
/* Whether the graph is costed by LogGOPSim's rules. */
bool by_graph(const struct question *q);
/* Whether operations of the file are concurrent, also those of a graph by LogGOPSim's rules. After
 * list_of_schedule() */
bool is_concurrent(const struct question *q);
/* Whether logp wrote the file: GOAL_MARK. */
bool is_ours(const struct question *q);
const struct logp_graph *graph_of_schedule(const struct question *q);
/* The steps of the file under the delay model of the options. Those of a graph by LogGOPSim's rules
 * are in the order of its acts; where no command runs or shows them, the list has none. */
CHECKED struct problem *list_of_schedule(const struct question *q,
                                         const struct logp_step_list **list);
/* The time of the graph by list_of_schedule(); *ends: by rank. */
const struct logp_graph_time *time_of_graph(const struct question *q, const int64_t **ends);
/* A copy of the ends of n ranks, which the question keeps. */
const int64_t *keep_ends(const struct question *q, const int64_t *ends, int64_t n);

/* One of the files of --schedule A,B,...: a job that shares the machine with the others. */
struct schedule_job {
    const struct logp_algorithm *row; /* with its name; kept by the question */
    int64_t first, P;                 /* its ranks among those of all */
    int64_t alone_ns, together_ns;
};

/* The number of files of --schedule; 0 without it. */
size_t jobs_of_schedule(const struct question *q);
/* Job i, after list_of_schedule(). listed: the row of all. */
CHECKED struct problem *find_job(const struct question *q, size_t i,
                                 const struct logp_algorithm *listed, struct schedule_job *out);
/* The algorithm that does them, if they fit together. */
CHECKED struct problem *listed_algorithm(const struct question *q, const struct logp_invocation *c,
                                         struct logp_algorithm *row);
/* The same steps, which must compute the collective of --as and have the places of their data.
 * @param c  of that collective */
CHECKED struct problem *listed_collective(const struct question *q, const struct logp_invocation *c,
                                          struct logp_algorithm *row);
/* The steps of another file in JSON, which the question keeps. */
CHECKED struct problem *read_found(const struct question *q, const char *option, const char *file,
                                   const struct logp_step_list **list);
/* The steps of the file of --schedule with their data; it must have the places of all of them. */
CHECKED struct problem *list_with_data(const struct question *q, const char *option,
                                       const char *value, const struct logp_step_list **list);

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
