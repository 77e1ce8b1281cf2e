/* SPDX-License-Identifier: MIT */
/*
 * Pairs of ranks, measured one after the other: rank 0 starts each pair and receives its results.
 * Everything is sent as messages, because the ranks may be in different processes.
 */
#include "answer/measure/measure.h"
#include "answer/runs.h"

#include <errno.h>
#include <stdio.h>

enum { TURN = 1, FOUND = 2 };

struct job {
    struct logp_observe how;
    uint64_t seed;
    struct pair *pairs; /* used by rank 0 only */
    size_t n, done;
    struct steps *steps;
};

/* Of the pair of rank 0 that is measured */
static void show_sizes(void *arg, int done, int total)
{
    struct job *job = arg;

    show_steps(job->steps, (double)job->done + (double)done / total, job->n, "");
}

static int measure_pair(struct logp_vp *vp, struct job *job, struct pair *pair)
{
    struct logp_observe how = job->how;
    struct logp_observed *seen;
    int rc;

    if (logp_vp_rank(vp) == 0) {
        how.progress = show_sizes;
        how.progress_arg = job;
    }
    rc = logp_observe(vp, pair->server, &how, &seen);

    if (rc != 0)
        return rc;
    pair->n_sizes = seen->n_sizes;
    rc = logp_observed_estimate(seen, job->seed, &pair->found, pair->sizes);
    logp_observed_free(seen);
    return rc;
}

/* The program of all ranks but the first; it ends at a turn of two equal ranks. */
static int follow(struct logp_vp *vp, struct job *job)
{
    const int me = logp_vp_rank(vp);
    struct pair pair;
    int rc = 0;

    while (rc == 0) {
        int turn[2];

        rc = logp_recv(vp, 0, TURN, turn, sizeof(turn), NULL);
        if (rc != 0 || turn[0] == turn[1])
            break;
        if (turn[1] == me) {
            rc = logp_observe_serve(vp, turn[0]);
            continue;
        }
        pair = (struct pair){.client = turn[0], .server = turn[1]};
        rc = measure_pair(vp, job, &pair);
        if (rc == 0)
            rc = logp_send(vp, 0, FOUND, &pair, sizeof(pair));
    }
    return rc;
}

static int lead(struct logp_vp *vp, struct job *job)
{
    const int end[2] = {0, 0};
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < job->n; i++) {
        struct pair *p = &job->pairs[i];
        const int turn[2] = {p->client, p->server};

        job->done = i;
        show_steps(job->steps, (double)i, job->n, "");
        rc = logp_send(vp, p->server, TURN, turn, sizeof(turn));
        if (rc == 0 && p->client == 0) {
            rc = measure_pair(vp, job, p);
        } else if (rc == 0) {
            rc = logp_send(vp, p->client, TURN, turn, sizeof(turn));
            if (rc == 0)
                rc = logp_recv(vp, p->client, FOUND, p, sizeof(*p), NULL);
            /* a name in this process: the pointer received may be that of another process */
            p->found.delay = logp_delay_name(&p->found.params);
        }
    }
    for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++)
        rc = logp_send(vp, i, TURN, end, sizeof(end));
    return rc;
}

static int program(struct logp_vp *vp, void *arg)
{
    return logp_vp_rank(vp) == 0 ? lead(vp, arg) : follow(vp, arg);
}

/* The limits: on the wall clock some milliseconds suffice for each timing; the virtual clock needs
 * none. */
static struct logp_observe how_to(const struct question *q, size_t n_pairs)
{
    const bool wall = q->how.clock == LOGP_CLOCK_WALL;
    /* Timing a reduction needs operands that have arrived: with rendezvous they have not. */
    const bool combines =
        (q->model.emulated || q->model.plugin != NULL) && q->model.network.rendezvous_from == 0;
    const int64_t ms = 1000000;

    return (struct logp_observe){.size = sizeof(struct logp_observe),
                                 .bytes_low = (size_t)q->span.bytes_low,
                                 .bytes_high = (size_t)q->span.bytes_high,
                                 .reps = q->how.reps < 3 ? 3 : q->how.reps,
                                 .limit_ns = !wall         ? 0
                                             : n_pairs > 1 ? 2 * ms
                                                           : 20 * ms,
                                 .size_limit_ns = !wall                      ? 0
                                                  : option_given(q, "bytes") ? 1000 * ms
                                                                             : 2 * ms,
                                 .combine_high = combines ? 64000 : 0};
}

struct problem *measure_pairs(const struct question *q, struct logp_machine *m, struct pair *pairs,
                              size_t n)
{
    struct steps steps = begin_steps(q, "measure", n == 1 ? "pair" : "pairs");
    struct job job = {how_to(q, n), q->how.seed, pairs, n, 0, &steps};
    const int rc = run_program(q, m, program, &job, q->how.timeout_ns);
    char option[32];

    end_steps(&steps);
    if (rc == 0)
        return NULL;
    /* Only the first process prints an error that all of them know. */
    if (logp_machine_process(m) > 0 && (rc != -ETIMEDOUT || logp_machine_report(m)->n_waits == 0))
        return told(EXIT_WRONG);
    if (rc == -EINTR)
        say_here("measure: interrupted");
    else if (rc == -ETIMEDOUT)
        say_here("measure: not finished within %s", option_shown(q, "--timeout", option));
    else
        say_here("measure: %s", logp_error_text(rc));
    explain_waits(logp_machine_report(m), true);
    return told(EXIT_WRONG);
}
