/* SPDX-License-Identifier: MIT */
/*
 * The ring of an allreduce with parts in segments: each segment is sent as soon as it has been
 * combined, so that combining one and sending the next overlap. Segments of a part are as even as
 * can be, and all parts have the same number.
 */
#include "allreduce.h"
#include "schedule/reader.h"

static int64_t segments_of(int64_t elements, int64_t block, const struct logp_invocation *c)
{
    const int64_t size = c->args.op != NULL ? (int64_t)c->args.op->element_bytes : 8;
    const int64_t a_segment = lpi_max(block / size, 1);

    return elements > 0 ? lpi_ceil_div(elements, a_segment) : 1;
}

/* Segment s of part i. */
static struct lpi_range segment_of(const struct logp_invocation *c, int64_t P, int64_t i, int64_t n,
                                   int64_t s)
{
    const struct lpi_range part = lpi_range_of(c, P, i, 1);
    const int64_t begin = lpi_part_begin(part.n, n, s);

    return (struct lpi_range){part.begin + begin, lpi_part_begin(part.n, n, s + 1) - begin};
}

/* Message t = k n + s takes segment s of part rank - k on to the right: in rows k < P - 1 to be
 * combined there, in the P - 1 after them as it is to stay. It can go when t - n has come. */
static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const int64_t n = c->plan.own, combined = (P - 1) * n, all = 2 * combined;
    int64_t t = (i - n) / 3, what = (i - n) % 3; /* 0: receive; 1: combine; 2: send */

    if (P == 1)
        return lpi_allreduce_alone(c, i, out);
    if (i < n)
        return lpi_send_range(out, c, lpi_mod(rank + 1, P), LOGP_BUF, segment_of(c, P, rank, n, i));
    if (t >= combined) {
        i -= n + 3 * combined;
        t = combined + (i < 2 * (combined - n) ? i / 2 : i - (combined - n));
        what = i < 2 * (combined - n) && i % 2 == 1 ? 2 : 0;
    }
    if (t >= all)
        return false;
    /* a received segment is sent as the message a row later */
    const struct lpi_range r = segment_of(c, P, lpi_mod(rank - (t / n + 1) % P, P), n, t % n);

    if (what == 0)
        return lpi_receive_range(out, c, lpi_mod(rank - 1, P), LOGP_RECV_BUF, r);
    return what == 1 ? lpi_combine_range(out, c, LOGP_BUF, r)
                     : lpi_send_range(out, c, lpi_mod(rank + 1, P), LOGP_RECV_BUF, r);
}

LPI_READER(run, steps)

/* ---- time ---- */

/*
 * An upper bound, with n segments of up to `elements`. Let M be the least time between two messages
 * of a rank, max(o_recv + c + o_send, E, E_r), and N that of a row, max(n M, D + c): then message
 * k n + s can be sent at k N + s M, by induction on its predecessors: the message n before,
 * received and combined, and the send and receive before it. In the rows without combinations the
 * same holds with c = 0, from (n - 1) (M - M') later.
 */
static __int128 time_of(int64_t P, const struct logp_invocation *c, int64_t n, int64_t elements)
{
    const struct logp_params *p = &c->model.params;
    const size_t bytes = lpi_vector_ref(c, LOGP_BUF, elements).offset;
    const struct lpi_times t = lpi_times(p, bytes);
    const int64_t combine = lpi_combine_ns(p, elements);
    const int64_t apart = lpi_max(t.E, lpi_max(p->o_recv_ns, logp_params_gap_ns(p, bytes)));
    const int64_t M = lpi_max(p->o_recv_ns + combine + p->o_send_ns, apart);
    const int64_t M_after = lpi_max(p->o_recv_ns + p->o_send_ns, apart);

    return (P - 1) *
               (lpi_later((__int128)n * M, t.D + combine) + lpi_later((__int128)n * M_after, t.D)) +
           (n - 1) * (__int128)M;
}

struct choice {
    int64_t P, elements; /* of the largest part */
    const struct logp_invocation *c;
};

/* Of low .. high segments: as few as the largest, each as short as the smallest. */
static __int128 least_time(int64_t low, int64_t high, const void *arg)
{
    const struct choice *x = arg;

    return time_of(x->P, x->c, low, lpi_ceil_div(x->elements, high));
}

/* Return the bytes of a segment: as requested, but at most a part; by default those of the number
 * of segments with the best prediction. */
static int64_t block_bytes(int64_t P, const struct logp_invocation *c)
{
    const struct choice x = {P, lpi_range_of(c, P, 0, 1).n, c};
    const int64_t bytes = (int64_t)lpi_vector_ref(c, LOGP_BUF, x.elements).offset;

    if (c->args.block_bytes > 0 || x.elements == 0)
        return c->args.block_bytes < bytes ? c->args.block_bytes : bytes;
    return bytes / x.elements *
           lpi_ceil_div(x.elements, lpi_minimise(least_time, &x, 1, x.elements));
}

/* The segments of a part are among those of the vector. Parts of one element have one. */
static int64_t tried_block(int64_t P, const struct logp_invocation *c)
{
    return lpi_tries_blocks(P, c, c->args.count) && lpi_range_of(c, P, 0, 1).n > 1
               ? 0
               : block_bytes(P, c);
}

/* plan.own: segments of a part. */
static int plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    c->plan.early = true; /* sends are a segment ahead */
    c->plan.own = segments_of(lpi_range_of(c, P, 0, 1).n, block_bytes(P, c), c);
    return lpi_vector_valid(c);
}

static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    const int64_t elements = lpi_range_of(c, P, 0, 1).n;
    const int64_t n = segments_of(elements, block_bytes(P, c), c);

    if (P == 1)
        return lpi_exact(0);
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_bound(time_of(P, c, n, lpi_ceil_div(elements, n)));
}

/* ---- the rows ---- */

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("allreduce", "ring-segmented", "the ring, with parts in segments (--block)",
                    "Open MPI"),
     .needs = lpi_needs_commutative, .plan = plan, .steps = steps, .run = run, .predict = predict,
     .rough = true, .same_results = true, .knobs = {LOGP_KNOB(block_bytes, tried_block)}},
};

const struct lpi_rows lpi_allreduce_segmented = LPI_ROWS(algorithms);
