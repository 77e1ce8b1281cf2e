/* SPDX-License-Identifier: MIT */
/*
 * Broadcast of a long item down a binary tree, a half of it down each subtree, in segments of
 * --block bytes; then each processor swaps its half for the other. With virtual ranks, where the
 * root is 0, odd ones are the left subtree, even ones the right one; 2 j + 1 and 2 j + 2 have the
 * same place, in heap order, and swap. If the left subtree has one more, the root sends that one
 * the other half.
 * Source: Open MPI.
 */
#include "broadcast.h"
#include "collective/collective.h"
#include "schedule/reader.h"

/* Of n processors the j-th is in the subtree of a half; -1: it is not there. */
static int64_t rank_of(int64_t P, int64_t j, int half, const struct logp_invocation *c)
{
    const int64_t v = 2 * j + 1 + half;

    return v < P ? lpi_mod(v + c->args.root, P) : -1;
}

/* Segments `first` to `end` - 1 of a half. */
static bool move(bool sends, int64_t peer, const struct lpi_halves *h, int half, int64_t first,
                 int64_t end, const struct logp_invocation *c, struct logp_step *out)
{
    const int64_t begin = lpi_segment_begin(h, half, first);

    return (sends ? logp_step_send
                  : logp_step_receive)(out, peer, c->args.tag, LOGP_BUF, (size_t)begin,
                                       (size_t)(lpi_segment_begin(h, half, end) - begin));
}

/* The root: segments of the halves in turn, then the half for which the last has no partner. */
static bool root_steps(int64_t P, const struct lpi_halves *h, const struct logp_invocation *c,
                       int64_t i, struct logp_step *out)
{
    const int64_t subtrees = P > 2 ? 2 : P - 1;

    if (i < subtrees * h->n) {
        const int half = subtrees == 2 && i % 2 == 1;
        const int64_t segment = subtrees == 2 ? i / 2 : i;

        return move(true, rank_of(P, 0, half, c), h, half, segment, segment + 1, c, out);
    }
    i -= subtrees * h->n;
    if (P % 2 == 0 && i-- == 0)
        return move(true, lpi_mod(P - 1 + c->args.root, P), h, 1, 0, h->n, c, out);
    return i == 0 && c->args.work_ns > 0 && logp_step_compute(out, c->args.work_ns, 0);
}

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct lpi_halves h = lpi_halves_of(lpi_item_bytes(c), c->plan.block);
    const int64_t v = lpi_mod(rank - c->args.root, P), j = (v - 1) / 2;
    const int half = v % 2 == 0;
    int64_t children, of_segment, partner;

    if (v == 0)
        return root_steps(P, &h, c, i, out);
    children = (rank_of(P, 2 * j + 1, half, c) >= 0) + (rank_of(P, 2 * j + 2, half, c) >= 0);
    of_segment = 1 + children;
    if (i < of_segment * h.n) {
        const int64_t segment = i / of_segment, k = i % of_segment;
        const int64_t above = j > 0 ? rank_of(P, (j - 1) / 2, half, c) : c->args.root;

        return move(k > 0, k > 0 ? rank_of(P, 2 * j + k, half, c) : above, &h, half, segment,
                    segment + 1, c, out);
    }
    i -= of_segment * h.n;
    partner = rank_of(P, j, !half, c);
    if (partner >= 0 && i-- == 0)
        return move(true, partner, &h, half, 0, h.n, c, out);
    if (i-- == 0)
        return move(false, partner >= 0 ? partner : c->args.root, &h, !half, 0, h.n, c, out);
    return i == 0 && c->args.work_ns > 0 && logp_step_compute(out, c->args.work_ns, 0);
}

LPI_READER(run, steps)

/*
 * At most: the last segment is everywhere when the root has sent 2 (n-1) of them and one more to
 * the left, and it has gone down; on the way it may wait for n-1 others, which a processor receives
 * and sends twice. Then halves are swapped, which are larger messages: the gap before their receipt
 * may be what counts.
 */
static __int128 at_most(int64_t P, const struct logp_invocation *c, int64_t n, int64_t size)
{
    const struct logp_params *p = &c->model.params;
    const struct lpi_times t = lpi_times(p, (size_t)size);
    const size_t half = (size_t)(lpi_item_bytes(c) - lpi_item_bytes(c) / 2);
    const int depth = 63 - __builtin_clzll((uint64_t)(P / 2)); /* of a subtree of P / 2 */
    const __int128 period =
        lpi_later(2 * (__int128)t.E, (__int128)p->o_recv_ns + t.E + p->o_send_ns);
    const __int128 there =
        (P > 2 ? t.E : 0) + t.D + depth * ((__int128)t.D + t.E) + (n - 1) * period;

    return there + lpi_max(t.E - t.D, 0) +
           lpi_max(lpi_times(p, half).D, logp_params_gap_ns(p, half));
}

struct choice {
    const struct logp_invocation *c;
    int64_t P;
};

static __int128 time_of(int64_t n, int64_t size, int64_t last, const void *arg)
{
    const struct choice *choice = arg;

    (void)last;
    return at_most(choice->P, choice->c, n, size);
}

static int64_t block(int64_t P, const struct logp_invocation *c)
{
    const int64_t M = lpi_item_bytes(c), half = M - M / 2, asked = c->args.block_bytes;

    if (asked > 0 || half == 0 || P == 1)
        return asked > 0 && asked < half ? asked : half;
    return lpi_best_part(half, time_of, &(struct choice){c, P});
}

LPI_ITEM_BLOCK(tried_block, block)

static int plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    c->plan.block = block(P, c);
    return 0;
}

static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    const int64_t size = block(P, c);

    if (P == 1)
        return lpi_exact(c->args.work_ns);
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_bound(at_most(P, c, lpi_halves_of(lpi_item_bytes(c), size).n, size) +
                     c->args.work_ns);
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("broadcast", "split-binary",
                    "a half down each subtree (--block), then exchange", "Open MPI"),
     .plan = plan, .steps = steps, .run = run, .predict = predict, .rough = true,
     .knobs = {LOGP_KNOB(block_bytes, tried_block), LOGP_KNOB(work_ns, NULL)}},
};

const struct lpi_rows lpi_broadcast_split = LPI_ROWS(algorithms);
