/* SPDX-License-Identifier: MIT */
/* A broadcast that does wrong or fails in a chosen repetition on a chosen rank. */
#ifndef LOGP_TESTS_PLOTTED_H
#define LOGP_TESTS_PLOTTED_H

#include "support.h"

enum { P = 5, MOST_CALLS = 64 };

/* What the row under test does and has seen; each rank writes its own part. */
static struct {
    int calls[P];
    int bad_call, bad_rank; /* where, from 0; -1: nowhere */
    int error;              /* what it returns there; 0: a wrong result */
    uint64_t first[MOST_CALLS];
} plot;

static inline void no_plot(void)
{
    memset(&plot, 0, sizeof(plot));
    plot.bad_call = plot.bad_rank = -1;
}

static const struct logp_params params = {
    .L_ns = 600, .o_send_ns = 200, .o_recv_ns = 200, .g_ns = 400};

/* A broadcast that goes wrong as plotted. */
static inline int plotted(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                          void *recv_buf)
{
    const int me = logp_vp_rank(vp), call = plot.calls[me]++;
    const bool bad = call == plot.bad_call && me == plot.bad_rank;
    int rc = bad ? plot.error : 0;

    if (me == c->args.root && call < MOST_CALLS)
        memcpy(&plot.first[call], buf, sizeof(plot.first[call]));
    if (rc == 0)
        rc = logp_algorithm_find("broadcast", "flat")->run(vp, c, buf, recv_buf);
    if (bad)
        ((char *)buf)[c->args.n_bytes - 1] ^= 1;
    return rc;
}

static inline int plan_flat(int n, int rank, struct logp_invocation *c)
{
    return logp_algorithm_find("broadcast", "flat")->plan(n, rank, c);
}

static inline struct logp_prediction predict_flat(int64_t n, const struct logp_invocation *c)
{
    return logp_algorithm_find("broadcast", "flat")->predict(n, c);
}

static const struct logp_algorithm broadcast = {
    LOGP_ALGORITHM("broadcast", "plotted", "for a test", "this file"), .plan = plan_flat,
    .run = plotted, .predict = predict_flat};

static inline struct logp_experiment experiment(const struct logp_algorithm *a, int warmup,
                                                int reps)
{
    return (struct logp_experiment){.size = sizeof(struct logp_experiment),
                                    .algorithm = a,
                                    .args = {.n_bytes = 24, .root = 1},
                                    .reps = reps,
                                    .warmup = warmup,
                                    .timeout_ns = test_timeout_ns};
}

/* The machines of a test: the virtual clock, the wall clock, and both without delays. */
enum { VIRTUAL, WALL, WALL_PLAIN, VIRTUAL_PLAIN, MACHINES };

static inline struct logp_machine *machine(int i)
{
    return test_machine(P,
                        i == VIRTUAL || i == VIRTUAL_PLAIN ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL,
                        i == VIRTUAL || i == WALL ? &params : NULL);
}

#endif
