/* SPDX-License-Identifier: MIT */
/* The forms of a schedule: text, JSON, GOAL, and a C program for MPI. */
#ifndef LOGP_VIEW_SCHEDULE_FORMS_H
#define LOGP_VIEW_SCHEDULE_FORMS_H

#include "answer/answer.h"
#include "text/problem.h"

#include <stdio.h>

/* A schedule to be shown. */
struct schedule_shown {
    struct logp_schedule steps;
    const struct logp_algorithm *algorithm;
    const struct logp_collective *collective;
    bool has_data; /* its steps have the places of their data */
};

/* A schedule that is being written. */
struct schedule_writer {
    FILE *f;
    const struct schedule_shown *shown;
    size_t n_steps;     /* mpi.c: written so far; */
    size_t *first_step; /* by rank, those before it */
    struct logp_graph *graph; /* goal_binary.c: the operations so far */
};

/* Form of a schedule, a rank, and a step; NULL: nothing is shown of it. */
struct step_form {
    bool with_data; /* it is given all steps; otherwise sends, receives and computations */
    struct problem *(*begin)(struct schedule_writer *w); /* refuses what the form cannot show */
    void (*begin_rank)(struct schedule_writer *w, int64_t rank);
    void (*step)(struct schedule_writer *w, const struct logp_step *s, int64_t index);
    void (*end_rank)(struct schedule_writer *w, int64_t n);
    void (*end)(struct schedule_writer *w);
    bool whole; /* also operations in order are shown by `graph` */
    /* Show operations that are concurrent; NULL: it cannot. */
    struct problem *(*graph)(FILE *f, const struct logp_graph *graph);
};

/* Show all steps in this form. */
CHECKED struct problem *show_schedule(FILE *f, const struct step_form *form,
                                      const struct schedule_shown *shown);
/* Begin a rank's part of the schedule, for logp_schedule_end(). */
struct logp_invocation begin_shown_rank(const struct schedule_shown *shown, int64_t rank);

extern const struct step_form steps_as_text, steps_as_json, steps_as_goal, steps_as_goal_binary,
    steps_as_mpi;

#endif
