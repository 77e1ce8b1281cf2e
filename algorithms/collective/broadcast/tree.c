/* SPDX-License-Identifier: MIT */
/* What a processor does in a broadcast along a tree, whatever the tree; and the k-nomial tree, of
 * which `binomial` is that with k = 2. */
#include "collective/collective.h"
#include "broadcast.h"
#include "schedule/reader.h"

/* Receive from the parent, send to the children in their order, process the item. */
bool lpi_broadcast_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                         struct logp_step *out)
{
    const struct logp_rank_plan *plan = &c->plan;

    (void)P, (void)rank;
    if (plan->parent >= 0 && i-- == 0)
        return logp_step_receive(out, plan->parent, c->args.tag, LOGP_BUF, 0, c->args.n_bytes);
    if (i < plan->n_children)
        return logp_step_send(out, plan->children[i], c->args.tag, LOGP_BUF, 0, c->args.n_bytes);
    return i == plan->n_children && c->args.work_ns > 0 &&
           logp_step_compute(out, c->args.work_ns, 0);
}

int lpi_broadcast_run(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                      void *recv_buf)
{
    return lpi_read(vp, lpi_broadcast_steps, c, buf, recv_buf);
}

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
