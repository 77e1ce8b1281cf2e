/* SPDX-License-Identifier: MIT */
/* Broadcast along the k-nomial tree; k = 2 is `binomial`. */
#include "collective/knomial.h"
#include "broadcast.h"

static struct lpi_times times(const struct logp_invocation *c, int64_t nodes)
{
    (void)nodes;
    return lpi_times(&c->model.params, c->args.n_bytes);
}

static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    const __int128 last = lpi_knomial_time(P, lpi_knomial_radix(P, c), c, times);

    return lpi_exact((P > 1 ? last - times(c, 1).early : 0) + c->args.work_ns);
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("broadcast", "knomial", "a k-nomial tree, the farthest first", "Open MPI, UCC"),
     .needs = lpi_knomial_needs, .plan = lpi_plan_knomial, .predict = predict,
     .steps = lpi_broadcast_steps, .run = lpi_broadcast_run, .along = LOGP_FROM_ROOT,
     .knobs = {LOGP_KNOB(k, lpi_knomial_k), LOGP_KNOB(work_ns, NULL)}},
};

const struct lpi_rows lpi_broadcast_knomial = LPI_ROWS(algorithms);
