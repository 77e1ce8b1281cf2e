/* SPDX-License-Identifier: MIT */
/* L, o, g, G of what the options ask for, measured from outside: logp measure. */
#ifndef LOGP_TOOL_MEASURE_H
#define LOGP_TOOL_MEASURE_H

#include "options/options.h"

enum { MAX_SIZES = 64 };

/* What was found between two ranks. */
struct pair {
    int client, server;
    struct logp_found found;
    size_t n_sizes;
    struct logp_size_seen sizes[MAX_SIZES];
};

/* What combining two operands takes on this host, per element. */
struct combining {
    int64_t count, ps;
};

/* All that was found. */
struct measured {
    const struct options *o;
    int n_cores;
    int n_processes, process; /* over so many, and which this is */
    const struct pair *pairs;
    size_t n_pairs;
    struct combining combining[16];
    size_t n_combining; /* 0: it is the emulated machine's: found.gamma */
};

/* ---- pairs.c ---- */

/* Measure n pairs, which are filled, on a machine that is not running. What goes wrong is said.
 * @return an exit code */
int measure_pairs(const struct options *o, struct logp_machine *m, struct pair *pairs, size_t n);

/* ---- machine.c: levels ---- */

/* Nodes of several ranks each, and a pair inside one and between two, in the middle of its kind. */
struct levels {
    int node_size;
    const struct pair *inside, *between;
};

/* @return are there nodes? */
bool find_levels(const struct measured *m, struct levels *out);

/* ---- print.c, machine.c: output ---- */

/* In a form of records; without one, as a file for --machine. */
void print_measured(enum record_form form, const struct measured *m);
/* As a file of a machine (logp/machine.h). */
void print_measured_machine(const struct measured *m);

#endif
