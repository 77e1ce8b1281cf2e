/* SPDX-License-Identifier: MIT */
/* What `run`, `predict` and `list` answer, as a table, JSON and CSV, and what is said beside it. */
#ifndef LOGP_OUTPUT_H
#define LOGP_OUTPUT_H

#include "options/options.h"
#include "run/run.h"

/* All rows, and what was asked for. */
struct output {
    const struct options *o;
    const char *collective;
    const struct logp_coll *c;
    const struct row *rows;
    size_t n;
    int n_cores; /* 0: nothing was run */
};

/* ---- table.c, json.c ---- */

void print_table(const struct output *out);
void print_json(const struct output *out);
void print_csv(const struct output *out);

/* ---- links.c ---- */

/* On a topology: what each algorithm did to its links; for people only. */
void print_links(const struct output *out);

/* ---- advice.c ---- */

/* What a run on the wall clock was like. */
struct advice {
    int n_cores;
    int late, judged, restarts; /* rows beyond what is bearable, of how many; runs repeated */
    const struct row *worst;    /* the latest of them; NULL: the host kept up */
    double fiber_ratio;         /* of the worst with fibers, as tried; 0: not tried */
};

struct advice judge_rows(const struct output *out);
/* In words: who could not keep up, and what to change; for people only. */
void print_advice(const struct options *o, const struct advice *a);

/* ---- entries.c: what there is ---- */

struct entry {
    const char *name, *of, *summary, *source; /* of, source: NULL, where there is none */
};

void print_entries_table(const struct entry *all, size_t n);
void print_entries_json(const struct entry *all, size_t n);
void print_entries_csv(const struct entry *all, size_t n);

#endif
