/* SPDX-License-Identifier: MIT */
/* The forms of a schedule: text, JSON, GOAL, and a C program for MPI. */
#ifndef LOGP_VIEW_SCHEDULE_FORMS_H
#define LOGP_VIEW_SCHEDULE_FORMS_H

#include "answer/answer.h"

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
