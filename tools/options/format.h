/* SPDX-License-Identifier: MIT */
/*
 * An output format: which of the command's answers it can show, and how. The rows are in formats.c
 * at the top of the house, and are handed down to the options, which know no more of them than
 * their names and what the command at hand has a use for.
 */
#ifndef LOGP_FORMAT_H
#define LOGP_FORMAT_H

#include "text/text.h"

#include <stdbool.h>
#include <stddef.h>

struct output;     /* output/output.h */
struct step_form;  /* schedule/schedule.h */
struct tree_form;  /* tree/tree.h */
struct trace_form; /* trace/trace.h */

/* What is NULL it cannot show. */
struct output_format {
    const char *name;
    const char *suffix; /* of a file in it, without the point */
    bool for_people;    /* words may stand beside it, and several tables below each other */
    bool draws;         /* it shows only what there is a picture of */
    bool curves;        /* it can show records as curves, which gnuplot draws */
    bool machine;       /* it is a file for --machine */
    bool page;          /* it is the page of logp report */
    bool is_binary;     /* not for a terminal */
    void (*records)(const struct output *out); /* run, predict, bench */
    enum record_form form;                     /* bench crossover, list, paper, measure, validate */
    const struct step_form *steps;             /* schedule */
    const struct tree_form *tree;
    const struct trace_form *trace;
};

/* All there are, in formats.c; the last has no name. */
extern const struct output_format output_formats[];

/* What a command answers. */
enum answer {
    ANSWER_ANY, /* whatever the format */
    ANSWER_WORDS,
    ANSWER_RECORDS,
    ANSWER_CURVES,
    ANSWER_SWEEP, /* records or curves */
    ANSWER_FORM,  /* whatever has a form of records */
    ANSWER_STEPS,
    ANSWER_TREE,
    ANSWER_TRACE,
    ANSWER_PAPER,
    ANSWER_MEASURED,
    ANSWER_PAGE,
};

#endif
