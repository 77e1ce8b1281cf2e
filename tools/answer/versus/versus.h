/* SPDX-License-Identifier: MIT */
/* Why one algorithm takes less time than another: the differences between two explanations. */
#ifndef LOGP_TOOL_VERSUS_H
#define LOGP_TOOL_VERSUS_H

#include "answer/answer.h"
#include "text/problem.h"

#include <stdio.h>

/* The processors whose diagrams are drawn as lines of text. */
enum { VERSUS_LINES = 64 };

/* Two algorithms, 0 and 1, in the order of the command line. */
struct versus {
    struct output out;            /* the rows of both, with their explanations */
    struct logp_trace *traces[2]; /* NULL: there are too many processors to draw */
    struct {
        bool found;
        size_t segment; /* of both: the critical paths take the same time before it */
        int64_t at_ns;
    } path;
    struct {
        bool found;
        int64_t at_ns, rank;
        const struct logp_task *task[2]; /* the rank's task in each; NULL: it has ended */
    } timeline;                          /* the first task that only one of them has */
};

/* Set path and timeline. */
void compare_explanations(struct versus *v);

/* A part of a time: a parameter times its count, or (count -1) a fixed time. */
struct part {
    const char *name; /* NULL: there are no more parts */
    int64_t count, ps;
};

/* Part i of the time of an explanation. */
struct part part_of_time(const struct logp_explanation *e, int i);

#endif
