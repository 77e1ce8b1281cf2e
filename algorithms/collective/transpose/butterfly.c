/* SPDX-License-Identifier: MIT */
/*
 * Transposing on a butterfly of P = 2^x processors, the most significant bit first. Before the
 * stage of bit 2^k a processor holds the blocks for all destinations that agree with it above that
 * bit, from all sources that agree with it in that bit and below: by destination, then by source.
 * It keeps those for its own half of the destinations, swaps the others for its partner's, and
 * interleaves: the blocks of the partner whose bit is 0 take the even places. At the end it holds
 * all columns of its rows.
 *
 * Blocks are contiguous, column after column, so a half is one piece of memory.
 * Source: Sun, Zhang & Song 2002; their listing sends the wrong half where the bit is 1.
 */
#include "transpose.h"

#include <logp/vp.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *needs(int64_t P, const struct logp_coll *c)
{
    return (P & (P - 1)) != 0 ? "a power of two of processors" : lpi_transpose_needs(P, c);
}

/* Columns of all sources that are `rank` mod `stride`, which divides P. */
static int64_t columns_of(int64_t P, const struct logp_coll *c, int64_t rank, int64_t stride)
{
    const int64_t first = rank % stride, longer = c->args.cols % P;

    return P / stride * (c->args.cols / P) +
           (longer > first ? (longer - first - 1) / stride + 1 : 0);
}

/* What `rank` sends in the stage of `bit`: all it has for the half of its partner. */
static struct lpi_block stage_block(int64_t P, const struct logp_coll *c, int64_t rank, int64_t bit)
{
    return lpi_transpose_block(P, c, (rank ^ bit) & -bit, bit, columns_of(P, c, rank, 2 * bit));
}

/* ---- what a processor does ---- */

/* plan.scratch */
struct butterfly {
    int P, rank;
    const struct logp_coll *c;
    const void *buf;
    int bit;        /* of the last stage; P: none yet */
    size_t room;    /* bytes of each of the three */
    char *held;     /* all blocks before a stage */
    char *other;    /* those after it */
    char *received; /* those of the partner */
    size_t kept;    /* where in `held` those begin that it keeps */
};

/* Bytes of what is held for `n` destinations from rank `first`, by sources as columns_of(). */
static size_t held_bytes(int P, const struct logp_coll *c, int first, int n, int rank, int stride)
{
    const int64_t rows = lpi_transpose_begin(c->args.rows, P, first + n) -
                         lpi_transpose_begin(c->args.rows, P, first);

    return lpi_bytes(lpi_bytes((size_t)rows, (size_t)columns_of(P, c, rank, stride)),
                     c->args.n_bytes);
}

static int plan(int P, int rank, struct logp_coll *c)
{
    struct butterfly *b;
    size_t room = 0;

    for (int n = P; n > 0; n /= 2) {
        const size_t bytes = held_bytes(P, c, rank & -n, n, rank, n);

        room = bytes > room ? bytes : room;
    }
    b = room < SIZE_MAX / 8 ? malloc(sizeof(*b) + 3 * room) : NULL;
    if (b == NULL)
        return -ENOMEM;
    *b = (struct butterfly){.P = P, .rank = rank, .room = room};
    c->part.scratch = b;
    return 0;
}

/* What is kept and what has come, of the stage of b->bit, into one. */
static void interleave(struct butterfly *b)
{
    const struct logp_coll *c = b->c;
    const int first = b->rank & -b->bit, mine = (b->rank & b->bit) != 0;
    const char *from[2]; /* of the two partners, by bit */
    char *to = b->other;

    from[mine] = b->held + b->kept;
    from[!mine] = b->received;
    for (int dest = first; dest < first + b->bit; dest++) {
        const size_t column =
            (size_t)lpi_transpose_size(c->args.rows, b->P, dest) * c->args.n_bytes;
        int turn = 0;

        for (int source = b->rank % b->bit; source < b->P; source += b->bit) {
            const size_t bytes = (size_t)lpi_transpose_size(c->args.cols, b->P, source) * column;

            memcpy(to, from[turn], bytes);
            from[turn] += bytes;
            to += bytes;
            turn = !turn;
        }
    }
    to = b->held;
    b->held = b->other;
    b->other = to;
}

/* Bring what is held into order: this is what packing is. */
static void arrange(void *arg)
{
    struct butterfly *b = arg;
    char *block = b->held;

    if (b->bit < b->P)
        interleave(b);
    else
        for (int to = 0; to < b->P; to++)
            block = lpi_transpose_gather(b->P, b->rank, b->c, b->buf, to, block);
}

static int swap_halves(struct logp_vp *vp, struct butterfly *b, int bit)
{
    const struct logp_coll *c = b->c;
    const int partner = b->rank ^ bit, upper = (b->rank & bit) != 0;
    const struct lpi_block out = stage_block(b->P, c, b->rank, bit);
    const struct lpi_block in = stage_block(b->P, c, partner, bit);
    const size_t lower_half = held_bytes(b->P, c, b->rank & -2 * bit, bit, b->rank, 2 * bit);
    int rc = logp_compute(vp, out.pack_ns, arrange, b);

    b->bit = bit;
    b->kept = upper ? lower_half : 0;
    if (rc == 0)
        rc = lpi_transpose_send(vp, c, partner, &out, b->held + (upper ? 0 : lower_half));
    return rc == 0 ? lpi_transpose_receive(vp, c, partner, &in, b->received) : rc;
}

static int run(struct logp_vp *vp, const struct logp_coll *c, void *buf, void *recv_buf)
{
    struct butterfly *b = c->part.scratch;
    int rc = 0;

    b->c = c;
    b->buf = buf;
    b->bit = b->P;
    b->held = (char *)(b + 1);
    b->other = b->held + b->room;
    b->received = b->other + b->room;
    for (int bit = b->P / 2; rc == 0 && bit > 0; bit /= 2)
        rc = swap_halves(vp, b, bit);
    if (rc != 0)
        return rc;
    arrange(b);
    lpi_transpose_scatter(b->P, b->rank, c, 0, c->args.cols, b->held, recv_buf);
    return 0;
}

/* ---- what it takes ---- */

/*
 * All blocks alike: each stage carries P/2 of them, in w messages, and takes F; the next one starts
 * F later, or where a gap is longer: (lg P - 1) max(F, w E_s, w E_r) + F, with
 *
 *     F = p + o_send + o_recv + max(st + L + (w-1) max(E_s, E_r), (w-1)(E_s + E_r)).
 *
 * One message: F = D. For w >= 2 the gaps are within F, and with o_send = o_recv and messages of a
 * word F = (w-1)e + max(L, (w-1)e) + 2o.
 */
static __int128 alike_time(int64_t P, const struct logp_coll *c)
{
    const struct logp_params *p = &c->model.params;
    const struct lpi_block block =
        lpi_transpose_block(P, c, 0, 1, P / 2 * lpi_transpose_size(c->args.cols, P, 0));
    const struct lpi_block_time t = lpi_transpose_time(p, &block);
    const struct lpi_messages_time *x = &t.groups[0];
    const int64_t more = x->n - 1, gap = lpi_max(x->send_gap, x->recv_gap);
    const __int128 wait =
        lpi_later((__int128)more * gap + x->wire, (__int128)more * (x->send_gap + x->recv_gap));
    const __int128 F = wait + t.pack_ns + p->o_send_ns + p->o_recv_ns;
    const int stages = __builtin_ctzll((uint64_t)P);

    return (stages - 1) * lpi_later(F, (__int128)x->n * gap) + F;
}

/* Blocks of unequal size: a recurrence for all processors, stage by stage. */
static __int128 stages_time(int64_t P, const struct logp_coll *c)
{
    const struct logp_params *p = &c->model.params;
    struct lpi_moment moments[LPI_TRANSPOSE_EXACT];
    struct lpi_block_time times[LPI_TRANSPOSE_EXACT];
    __int128 starts[LPI_TRANSPOSE_EXACT] = {0}, time = 0;

    for (int64_t i = 0; i < P; i++)
        moments[i] = lpi_transpose_start;
    for (int64_t bit = P / 2; bit > 0; bit /= 2) {
        for (int64_t i = 0; i < P; i++) {
            const struct lpi_block block = stage_block(P, c, i, bit);

            times[i] = lpi_transpose_time(p, &block);
            starts[i] = lpi_transpose_sent(p, &moments[i], &times[i]);
        }
        for (int64_t i = 0; i < P; i++)
            lpi_transpose_received(p, &moments[i], &times[i ^ bit], starts[i ^ bit]);
    }
    for (int64_t i = 0; i < P; i++)
        time = lpi_later(time, moments[i].free);
    return time;
}

/* Exact, or a bound, as for the rings: there all blocks are as large as the largest. */
static struct logp_prediction predict(int64_t P, const struct logp_coll *c)
{
    if (P == 1)
        return lpi_exact(0);
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    if (lpi_transpose_alike(P, c))
        return lpi_exact(alike_time(P, c));
    return P <= LPI_TRANSPOSE_EXACT ? lpi_exact(stages_time(P, c)) : lpi_bound(alike_time(P, c));
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("transpose", "butterfly", "in stage k swap half of all with i xor 2^k",
                    "Sun, Zhang & Song 2002"),
     .needs = needs, .plan = plan, .run = run, .predict = predict, LPI_TRANSPOSE_KNOBS()},
};

const struct lpi_rows lpi_transpose_butterflies = LPI_ROWS(algorithms);
