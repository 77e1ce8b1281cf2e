/* SPDX-License-Identifier: MIT */
/* logp measure: L, o, g and G of the machine in the options, measured with messages. */
#ifndef LOGP_TOOL_MEASURE_H
#define LOGP_TOOL_MEASURE_H

#include "question/question.h"

enum { MAX_SIZES = 64 };

/* The results for two ranks. */
struct pair {
    int client, server;
    struct logp_found found;
    size_t n_sizes;
    struct logp_size_seen sizes[MAX_SIZES];
};

/* The time of combining two operands on this host, per element. */
struct combining {
    int64_t count, ps;
};

/* All results. */
struct measured {
    const struct question *q;
    struct logp_core_use cores;
    int n_processes, process; /* of the machine; index of this one */
    const struct pair *pairs;
    size_t n_pairs;
    struct combining combining[16];
    size_t n_combining; /* 0: gamma is that of the emulated machine: found.gamma */
};

/* ---- pairs.c ---- */

/* Measure n pairs and fill them, on a machine that is not running. */
CHECKED struct problem *measure_pairs(const struct question *q, struct logp_machine *m,
                                      struct pair *pairs, size_t n);

/* ---- levels.c ---- */

/* Nodes of several ranks each, and the typical pair inside a node and between two. */
struct levels {
    int node_size;
    const struct pair *inside, *between;
};

/* @return whether there are nodes */
bool find_levels(const struct measured *m, struct levels *out);

#endif
