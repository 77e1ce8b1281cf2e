/* SPDX-License-Identifier: MIT */
/* A schedule that is read from a file: the parts that both formats share. */
#ifndef LOGP_READING_H
#define LOGP_READING_H

#include <logp/logp.h>

#include <stdint.h>

/* The state of reading, with the option and the file for errors. */
struct reading {
    const char *option, *file;
    struct logp_step_list list;
    struct logp_step **steps; /* by rank */
    int64_t *n, *capacity;
    struct logp_edge **edges; /* by rank; NULL: there are none */
    int64_t *n_edges, *edge_capacity;
    bool is_ours;          /* GOAL_MARK */
    char without_data[64]; /* place of a step without the place of its data; "": none */
};

/* ---- steps.c ---- */

/* Begin with P ranks, none of which has steps yet. */
void begin_reading(struct reading *r, int64_t P);
/* Add a step to a rank. place: "line 7" or "rank 3, step 5". */
void read_message(struct reading *r, int64_t rank, enum logp_step_kind kind, int64_t peer,
                  int64_t n_bytes, int64_t tag, const char *place);
void read_compute(struct reading *r, int64_t rank, int64_t ns, const char *place);
/* The step that was read last. */
struct logp_step *last_step(const struct reading *r, int64_t rank);
void note_without_data(struct reading *r, const char *place);

/* From here on, edges alone order the steps of each rank. */
void begin_edges(struct reading *r);
void read_edge(struct reading *r, int64_t rank, int64_t before, int64_t after, bool started);

/* ---- order.c ---- */

/* Check, after all steps, that no steps wait for each other in a cycle, or end the process; put
 * the steps of ranks with only one possible order into that order. */
void order_steps(struct reading *r);

/* ---- goal.c, json.c ---- */

/* Fill r from the text of the file; end the process where it is wrong. */
void read_goal(struct reading *r, const char *text);
void read_json(struct reading *r, const char *text);

/* ---- data.c ---- */

/* After all of a JSON file: r->list gets the steps without their data, *with_data all of them. */
void part_data(struct reading *r, struct logp_step_list *with_data);
/* The algorithm of a collective that does the steps of a list with data, if they compute it.
 * @param runs  they are to be run, too */
const struct logp_algorithm *algorithm_with_data(const char *file,
                                                 const struct logp_step_list *list,
                                                 const struct logp_invocation *c,
                                                 const struct logp_collective *as, bool runs);

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
