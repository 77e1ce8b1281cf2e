/* SPDX-License-Identifier: MIT */
/*
 * Broadcast down a tree in blocks, each sent on while the next is on its way. A processor also
 * processes the item, in time work_ns: block by block, each its share of it, rounded up.
 *
 * How long it takes: a processor with c children starts to send a block at least a period after the
 * one before it, since it has received it, sent it c times E apart, and processed it; the root does
 * not receive:
 *
 *      Y(c) = max(c E, o_recv + (c-1) E + o_send + left)
 *      Y(0) = max(o_recv, gap, o_recv + work)
 *      root = max(c E, (c-1) E + o_send + left)
 *
 * where left is what the sends have left of the work: all of it without overlap, with it
 * max(0, work - (c-1)(E - o_send)). Along a path from the root every processor adds to the latency,
 * and the largest period so far counts: it sends block b at latency + b max(Y). The last block may
 * be shorter, and so catch up with the one before: at each processor it is the later of its own way
 * there and of a period after that one.
 */
#include "broadcast.h"
#include "schedule/reader.h"

/* Time to process n of the item's bytes. */
static int64_t work_of(const struct logp_invocation *c, int64_t n_bytes)
{
    const __int128 M = c->args.n_bytes;

    return M > 0 ? (int64_t)(((__int128)c->args.work_ns * n_bytes + M - 1) / M) : c->args.work_ns;
}

/*
 * Receive a block, send it to the children, process it; and so on. With overlap the sends start as
 * early as they may, E apart, and pieces of the processing fill the time between them; the rest
 * follows the last send. So a block is a receive and, for each child, a send and a piece, which may
 * be empty; the piece after the last child is all the rest.
 */
bool lpi_pipeline_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                        struct logp_step *out)
{
    const bool root = c->plan.parent < 0;
    const int64_t a_block = !root + 2 * c->plan.n_children + (c->plan.n_children == 0);
    const int64_t b = i < a_block ? 0 : i / a_block, size = c->plan.block;
    const int64_t done = b * size, rest = (int64_t)c->args.n_bytes - done;
    const int64_t n = rest < size ? rest : size;
    const int64_t k = i - b * a_block - !root; /* -1: the receive */
    int64_t between, left;

    (void)P, (void)rank;
    if (b > 0 && rest <= 0)
        return false;
    if (k < 0)
        return logp_step_receive(out, c->plan.parent, c->args.tag, LOGP_BUF, (size_t)done,
                                 (size_t)n);
    if (k % 2 == 0 && k / 2 < c->plan.n_children)
        return logp_step_send(out, c->plan.children[k / 2], c->args.tag, LOGP_BUF, (size_t)done,
                              (size_t)n);
    if (c->args.work_ns == 0)
        return logp_step_compute(out, 0, 0);
    between = c->args.no_overlap
                  ? 0
                  : lpi_times(&c->model.params, (size_t)n).E - c->model.params.o_send_ns;
    left = lpi_max(0, work_of(c, n) - k / 2 * between);
    return logp_step_compute(out, k / 2 + 1 < c->plan.n_children && left > between ? between : left,
                             0);
}

int lpi_pipeline_run(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf)
{
    return lpi_read(vp, lpi_pipeline_steps, c, buf, recv_buf);
}

/* ---- periods ---- */

/* From the start of a processor's last send of a block to the end of processing it. */
static __int128 send_and_process(const struct lpi_pipeline *p, int children)
{
    const int64_t o = p->c->model.params.o_send_ns;
    const __int128 meanwhile =
        p->c->args.no_overlap ? 0 : (__int128)(children - 1) * (p->one.t.E - o);

    return o + (p->one.work > meanwhile ? p->one.work - meanwhile : 0);
}

/* With the shared gap, the gap also applies from the receive to the first send, which t.early
 * accounts for, and from the last send to the receive. */
__int128 lpi_pipeline_period(const struct lpi_pipeline *p, int children, int64_t gap)
{
    const struct logp_params *params = &p->c->model.params;
    const __int128 E = p->one.t.E;
    __int128 after;

    if (children == 0)
        return lpi_later(gap, (__int128)params->o_recv_ns + p->one.work);
    after = send_and_process(p, children);
    if (params->gap_shared)
        after = lpi_later(after, E + gap - params->g_ns);
    return lpi_later(children * E, params->o_recv_ns + p->one.t.early + (children - 1) * E + after);
}

__int128 lpi_pipeline_root_period(const struct lpi_pipeline *p, int children)
{
    const __int128 E = p->one.t.E;

    return lpi_later(children * E, (children - 1) * E + send_and_process(p, children));
}

/* ---- paths ---- */

struct lpi_path lpi_pipeline_root(const struct lpi_pipeline *p, int children)
{
    const __int128 period = lpi_pipeline_root_period(p, children);

    return (struct lpi_path){.steady = p->blocks > 1 ? (p->blocks - 2) * period : 0,
                             .end = (p->blocks - 1) * period};
}

struct lpi_path lpi_pipeline_pass(const struct lpi_pipeline *p, struct lpi_path f, int index,
                                  int64_t count, int children)
{
    __int128 before_end = 0;

    if (count == 0)
        return f;
    if (p->blocks > 1) {
        f.steady =
            lpi_later(f.steady, (p->blocks - 2) * lpi_pipeline_period(p, children, p->one.gap));
        before_end = lpi_pipeline_period(p, children, p->end.gap);
    }
    f.latency += (__int128)index * p->one.t.E + (__int128)count * p->one.t.D;
    f.end += (__int128)index * p->end.t.E + (__int128)count * p->end.t.D;
    f.end = lpi_later(f.end, f.latency + f.steady + before_end);
    return f;
}

/* ---- blocks ---- */

static struct lpi_pipeline_block block_of(const struct logp_invocation *c, int64_t n_bytes)
{
    return (struct lpi_pipeline_block){.t = lpi_times(&c->model.params, (size_t)n_bytes),
                                       .gap = logp_params_gap_ns(&c->model.params, (size_t)n_bytes),
                                       .work = work_of(c, n_bytes)};
}

struct lpi_pipeline lpi_pipeline_of(int64_t P, const struct logp_invocation *c, int64_t block)
{
    const int64_t M = lpi_item_bytes(c), blocks = M > 0 ? lpi_ceil_div(M, block) : 1;

    return (struct lpi_pipeline){.c = c,
                                 .P = P,
                                 .blocks = blocks,
                                 .one = block_of(c, block),
                                 .end = block_of(c, M - (blocks - 1) * block),
                                 .even = M - (blocks - 1) * block == block};
}

/* One processor alone does no more than process it. */
__int128 lpi_pipeline_time(const struct lpi_pipeline *p, lpi_pipeline_end *end)
{
    if (p->P == 1)
        return (p->blocks - 1) * (__int128)p->one.work + p->end.work;
    return end(p) - p->one.t.early + p->end.work;
}

struct choice {
    const struct logp_invocation *c;
    int64_t P;
    lpi_pipeline_end *end;
};

static __int128 time_of(int64_t blocks, int64_t size, int64_t last, const void *arg)
{
    const struct choice *choice = arg;
    const struct lpi_pipeline p = {.c = choice->c,
                                   .P = choice->P,
                                   .blocks = blocks,
                                   .one = block_of(choice->c, size),
                                   .end = block_of(choice->c, last)};

    return lpi_pipeline_time(&p, choice->end);
}

int64_t lpi_pipeline_block(int64_t P, const struct logp_invocation *c, lpi_pipeline_end *end)
{
    const int64_t M = lpi_item_bytes(c);

    if (c->args.block_bytes > 0 || M == 0)
        return c->args.block_bytes < M ? c->args.block_bytes : M;
    return lpi_best_part(M, time_of, &(struct choice){c, P, end});
}
