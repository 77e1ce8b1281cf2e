/* SPDX-License-Identifier: MIT */
/* logp validate: collectives measured on a machine, and predicted from the parameters of a file. */
#ifndef LOGP_VALIDATE_H
#define LOGP_VALIDATE_H

#include "answer/runs.h"

/* An algorithm at a point. */
struct validated_row {
    const struct logp_algorithm *algorithm;
    int64_t predicted_ns, measured_ns; /* measured: the median */
    int64_t undisturbed_ns;            /* the median of the undisturbed runs; -1: there are none */
    int runs, disturbed;               /* on the wall clock; else disturbed is 0 */
    bool verified;
    bool
        doubtful; /* the median is far above the shortest run, or too few runs were undisturbed: the
                      host was busy */
    struct logp_terms terms; /* of its critical path; all 0: it cannot be explained */
};

/* A collective, P and a size, and its algorithms that have a prediction. */
struct validated_point {
    const char *collective;
    int64_t P;
    int64_t bytes;                      /* of a message or an operand; 0: it has none */
    struct validated_row *rows;         /* n */
    const struct validated_row *chosen; /* by auto: the best predicted */
    const struct validated_row *best;   /* measured */
    size_t n;
    bool doubtful; /* chosen or best is doubtful: the point counts in no mean */
};

/* The value of a parameter for which the predictions fit the measured times best. */
struct fitted_parameter {
    const char *name;
    double is_ns, alone_ns, together_ns; /* in the file; fitted alone; fitted with all others */
    double alone_error;                  /* the error with alone_ns; see validated.error */
    bool counts;                         /* some time depends on the parameter */
};

enum { FITTED = 6 };

struct validated {
    const struct question *q;
    const char *on; /* the emulated machine, by name or file; NULL: this host */
    struct logp_core_use cores;
    int n_processes;
    struct validated_point *points;
    size_t n;
    struct steps steps;              /* the points of all collectives */
    size_t n_planned, n_done;        /* points */
    size_t rows_of_point, rows_done; /* of the point that runs */
    bool has_fit;
    double error, fitted_error; /* root mean square of (measured - predicted) / measured */
    struct fitted_parameter fit[FITTED];
};

/* ---- points.c ---- */

/* Add the points of a collective to those that are planned. */
void plan_collective(struct validated *v, const char *collective);
/* Run all points of a collective on machines with the options `on`, and predict them with v->q. */
CHECKED struct problem *validate_collective(struct validated *v, const struct question *on,
                                            const char *collective);
/* The number of doubtful points. */
size_t doubtful_points(const struct validated *v);
void forget_points(struct validated *v);

/* ---- fit.c ---- */

void fit_parameters(struct validated *v);

#endif
