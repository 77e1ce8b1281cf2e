/* SPDX-License-Identifier: MIT */
/* A schedule that is read from a file: the parts that both formats share. */
#ifndef LOGP_READING_H
#define LOGP_READING_H

#include "text/problem.h"

#include <logp/logp.h>

#include <stdint.h>

/* The state of reading, with the option and the file for errors. */
struct reading {
    const char *option, *file;
    struct logp_step_list list;
    struct logp_step_list with_data; /* of a JSON file; P = 0: the file has another format */
    struct logp_step **steps;        /* by rank */
    int64_t *n, *capacity;
    struct logp_edge **edges; /* by rank; NULL: there are none */
    int64_t *n_edges, *edge_capacity;
    bool is_ours;          /* GOAL_MARK */
    char without_data[64]; /* place of a step without the place of its data; "": none */
};

/* ---- steps.c ---- */

/* Begin with P ranks, 1 or more, none of which has steps yet. */
CHECKED struct problem *begin_reading(struct reading *r, int64_t P);
/* Add a step to a rank. place: "line 7" or "rank 3, step 5". */
CHECKED struct problem *read_message(struct reading *r, int64_t rank, enum logp_step_kind kind,
                                     int64_t peer, int64_t n_bytes, int64_t tag, const char *place);
CHECKED struct problem *read_compute(struct reading *r, int64_t rank, int64_t ns,
                                     const char *place);
/* The step that was read last. */
struct logp_step *last_step(const struct reading *r, int64_t rank);
void note_without_data(struct reading *r, const char *place);

/* Free a reading with all its lists. */
void drop_reading(void *reading);

/* From here on, edges alone order the steps of each rank. */
void begin_edges(struct reading *r);
void read_edge(struct reading *r, int64_t rank, int64_t before, int64_t after, bool started);

/* ---- order.c ---- */

/* Check, after all steps, that no steps wait for each other in a cycle; put the steps of ranks with only one possible order into that order. */
CHECKED struct problem *order_steps(struct reading *r);

/* ---- goal.c, json.c ---- */

/* Fill r from the text of the file. */
CHECKED struct problem *read_goal(struct reading *r, const char *text);
CHECKED struct problem *read_json(struct reading *r, const char *text);

/* ---- data.c ---- */

/* After all of a JSON file: r->list gets the steps without their data, r->with_data all of them. */
void part_data(struct reading *r);
/* Check that the steps of a list with data compute a collective, and set what depends on c.
 * @param timed  the times of combinations are those of c
 * @param runs   they are to be run, too
 * @param row    out: the algorithm that does them */
CHECKED struct problem *check_data(const char *file, const struct logp_step_list *list,
                                   const struct logp_invocation *c,
                                   const struct logp_collective *as, bool timed, bool runs,
                                   struct logp_algorithm *row);

/* ---- labels.c: the labels of one rank of a GOAL file, and their steps ---- */

/* A name in a text that stays. */
struct name {
    const char *at;
    size_t n;
};

struct label {
    struct name name; /* at NULL: there is none here */
    int64_t step;
};

struct labels {
    struct label *all; /* a hash table of 2^x */
    size_t n, capacity;
};

/* @return false: there is one of this name */
bool add_label(struct labels *l, struct name name, int64_t step);
/* @return its step; -1: there is none */
int64_t find_label(const struct labels *l, struct name name);
void forget_labels(struct labels *l);

#endif
