/* SPDX-License-Identifier: MIT */
/* A schedule that is read from a file: the parts that both formats share. */
#ifndef LOGP_READING_H
#define LOGP_READING_H

#include "text/problem.h"

#include <logp/logp.h>

#include <stdint.h>
#include <stdio.h>

/* The state of reading, with the option and the file for errors. */
struct reading {
    const char *option, *file;
    void (*watch)(void *arg, double part); /* of a file in GOAL which part has been read; or NULL */
    void *watch_arg;
    struct logp_step_list list;
    struct logp_step_list with_data; /* of a JSON file; P = 0: the file has another format */
    struct logp_step **steps;        /* by rank */
    int64_t *n, *capacity;
    struct logp_graph *graph;          /* of a GOAL file, whose list has no steps */
    struct logp_step_list *with_edges; /* the graph as a list; NULL: it was not needed yet */
    struct logp_step_list *in_order;   /* the graph in the order of its acts; NULL: as above */
    struct reading **parts; /* of several files, of which the graph is joined; NULL: one file */
    size_t n_parts;
    int64_t *host_of;      /* by rank, with --place shared; NULL: not known yet */
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

/* ---- order.c ---- */

/* Put the steps of ranks with only one possible order into that order: list->in_order where all
 * ranks have one. The list has edges, and no circle of them. */
void order_steps(struct logp_step_list *list);

/* ---- goal.c, goal_binary.c, json.c ---- */

/* Fill r from the file, which is read from its beginning on; `line` has the number of its place. */
CHECKED struct problem *read_goal(struct reading *r, FILE *f, int line);
CHECKED struct problem *read_goal_binary(struct reading *r, FILE *f);
/* Whether a file with this first byte has the binary form. */
bool is_goal_binary(int first);
/* This many bytes of the file have been read; all 0: it is not known how many it has. */
void tell_read(const struct reading *r, uint64_t done, uint64_t all);
/* Fill r from the text of the file. */
CHECKED struct problem *read_json(struct reading *r, const char *text);
/* Begin the graph of a GOAL file, with P ranks. */
CHECKED struct problem *begin_graph(struct reading *r, int64_t P);
/* What logp_graph_add() and its like have returned, as a problem; 0: none.
 * @param place  "line 7" or "rank 3"; wrong: of logp_graph_end_rank() */
CHECKED struct problem *graph_problem(const struct reading *r, int rc, const char *place,
                                      int64_t rank, int64_t wrong);

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

/* ---- labels.c: the labels of one rank of a GOAL file, and their operations ---- */

/* A name in a text. */
struct name {
    const char *at;
    size_t n;
};

/* A name that is kept. */
struct label {
    size_t at; /* in names */
    uint32_t n, step;
};

struct labels {
    char word[16]; /* of those in the array */
    size_t n_word; /* 0: none yet */
    uint32_t first;
    uint32_t *by_number; /* step + 1, by number - first; 0: none */
    size_t n_numbered, n_places, by_number_capacity;
    struct label *all; /* a hash table of 2^x; n 0: a free place */
    size_t n, capacity;
    char *names;
    size_t n_names, names_capacity;
};

/* @return false: there is one of this name */
bool add_label(struct labels *l, struct name name, int64_t step);
/* @return its step; -1: there is none */
int64_t find_label(const struct labels *l, struct name name);
/* Keep a copy of a name until forget_labels(). @return where it is */
size_t keep_name(struct labels *l, struct name name);
struct name kept_name(const struct labels *l, size_t at, size_t n);
/* Of a rank that has ended. */
void forget_labels(struct labels *l);
void free_labels(struct labels *l);

#endif
