/* SPDX-License-Identifier: MIT */
/* What a processor does in a broadcast along a tree, whatever the tree. */
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
