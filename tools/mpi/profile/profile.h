/* SPDX-License-Identifier: MIT */
/*
 * logp mpirun --report: where the time of an MPI program goes, computed from the calls that the MPI
 * library has recorded and from the trace of the run.
 */
#ifndef LOGP_PROFILE_H
#define LOGP_PROFILE_H

#include "calls.h"
#include "question/question.h"

#include <logp/explain.h>
#include <logp/trace.h>

#include <jansson.h>
#include <stdio.h>

static inline double percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* The messages from one rank to another, and the time for which the receiver waited for them. */
struct profile_pair {
    int from, to;
    int64_t messages, bytes, waits, wait_ns;
};

/* Messages whose receiver waited because the sender called late. */
struct profile_late {
    int from, to;
    uint32_t sent, received; /* labels of the two events */
    int64_t messages, late_ns;
};

struct profile_rank {
    int64_t call_ns;    /* within MPI */
    int64_t wait_ns;    /* of that: for messages */
    int64_t compute_ns; /* of the trace: logp_compute(), and combining */
    int64_t sent, sent_bytes;
};

/* The time of the program as a function of L, o, g and G. */
enum { PROFILE_CURVES = 4 };

struct profile {
    const struct question *q;
    const char *program;
    const struct mpi_report *calls;
    const struct logp_trace *trace;
    const json_t *before; /* another run, of the file --against; NULL: none */
    int64_t P, end_ns, messages, bytes, wait_ns, late_ns;
    bool is_cut; /* a rank waited forever */
    int *sites;  /* by label of the trace: of mpi_report.sites; -1: none */
    struct profile_rank *ranks;
    struct profile_pair *pairs; /* in the order of (from, to) */
    size_t n_pairs;
    struct profile_late *late; /* the largest first */
    size_t n_late;
    struct logp_explanation *explained; /* NULL: why_not is the reason */
    const char *why_not;
    struct logp_curve curves[PROFILE_CURVES];
    int n_curves;
};

/* gather.c: fill all of it. Freed by profile_fini() */
void profile_init(struct profile *p, const struct question *q, const char *program,
                  const struct mpi_report *calls, const struct logp_trace *trace);
void profile_fini(struct profile *p);
/* what_if.c: fill `explained`, or why_not. */
void profile_explain(struct profile *p);
/* Which parameters the curves leave as they are, a sentence; "": none */
const char *profile_unchanged(const struct profile *p);

/* A time, to at most six digits. @return buf */
const char *profile_time(int64_t ns, char buf[32]);
/* The parameter of a curve, as the run had it. @return buf */
const char *profile_value(const struct logp_curve *c, char buf[64]);
/* By how much it may grow until the time is `percent` longer: "5 us", or "any". @return buf */
const char *profile_growth(const struct logp_curve *c, int percent, char buf[64]);
/* Sites in the order of their time, the largest first; to be freed. *n: how many */
int *profile_sites(const struct profile *p, int *n);
/* The calls of a site by all ranks together. */
struct mpi_call profile_sum(const struct profile *p, int site);
/* "MPI_Recv (prog.c:12)". @return buf */
const char *profile_site_name(const struct profile *p, int site, char buf[256]);
/* The same for an event's label, or "barrier/dissemination" for a collective. @return buf */
const char *profile_label_name(const struct profile *p, uint32_t label, char buf[256]);
/* The prediction of a collective; < 0: none. *exact: it is not a bound */
int64_t profile_predicted(const struct profile *p, const struct mpi_collective *c, bool *exact);
/* Its data: bytes of an item or a vector. */
int64_t profile_bytes(const struct mpi_collective *c);
/* Pairs or late messages that a page lists: the largest of them. */
enum { PROFILE_LISTED = 20 };
/* The pairs with the longest waits, at most n, largest first; an array to be freed. @return how many */
size_t profile_waits(const struct profile *p, size_t n, const struct profile_pair ***out);

/* facts.c: the program, its command, parameters, host and date, as names and values in their order. Freed by profile_free_facts() */
struct profile_facts {
    struct {
        const char *name;
        char *value;
    } fact[6];
    size_t n;
};
struct profile_facts profile_facts(const struct profile *p);
void profile_free_facts(struct profile_facts *facts);

/* against.c: read a report in JSON, to compare with; *out: to be freed by json_decref() */
CHECKED struct problem *profile_read(const char *path, json_t **out);

/* Write it to stdout. */
void profile_as_text(FILE *f, const struct profile *p);
void profile_as_json(FILE *f, const struct profile *p);
void profile_as_html(FILE *f, const struct profile *p);

#endif
