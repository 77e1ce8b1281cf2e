/* SPDX-License-Identifier: MIT */
/*
 * Transposing on a ring: in phase k = 1 .. P-1 send a block to i + k and receive one from i - k
 * (mod P). How far the sends are ahead of the receives is the window W: before receive r, sends
 * 1 .. r+W-1 have been made. `ring` alternates (W = 1), `ring-eager` sends all first (W = P-1),
 * `ring-window` takes the W that is given, or the best.
 *
 * plan.scratch holds W and room for a block.
 * Source: Sun, Zhang & Song 2002; the window is ours.
 */
#include "transpose.h"

#include <logp/vp.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a processor does ---- */

struct ring {
    int64_t window;
    char block[];
};

static int plan_window(int P, struct logp_coll *c, int64_t window)
{
    const size_t rows = (size_t)lpi_transpose_size(c->rows, P, 0);
    const size_t cols = (size_t)lpi_transpose_size(c->cols, P, 0);
    const size_t bytes = lpi_bytes(lpi_bytes(rows, cols), c->n_bytes);
    struct ring *ring = bytes < SIZE_MAX / 2 ? malloc(sizeof(*ring) + bytes) : NULL;

    if (ring == NULL)
        return -ENOMEM;
    ring->window = window;
    c->plan.scratch = ring;
    return 0;
}

int lpi_transpose_ring_plan(int P, int rank, struct logp_coll *c)
{
    (void)rank;
    return plan_window(P, c, 1);
}

int lpi_transpose_eager_plan(int P, int rank, struct logp_coll *c)
{
    (void)rank;
    return plan_window(P, c, P > 1 ? P - 1 : 1);
}

int lpi_transpose_window_plan(int P, int rank, struct logp_coll *c)
{
    (void)rank;
    return plan_window(P, c, lpi_transpose_window(P, c));
}

struct packing {
    int P, rank, to;
    const struct logp_coll *c;
    char *block;
};

static void pack(void *arg)
{
    const struct packing *p = arg;

    lpi_transpose_gather(p->P, p->rank, p->c, p->to, p->block);
}

static int send_block(struct logp_vp *vp, const struct logp_coll *c, int to, char *block)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const int64_t cols = lpi_transpose_size(c->cols, P, me);
    const struct lpi_parcel parcel = lpi_transpose_parcel(P, c, to, 1, cols);
    struct packing packing = {P, me, to, c, block};
    int rc;

    if (parcel.n_trains == 0)
        return 0;
    rc = logp_compute(vp, parcel.pack_ns, pack, &packing);
    return rc == 0 ? lpi_transpose_send(vp, c, to, &parcel, block) : rc;
}

static int receive_block(struct logp_vp *vp, const struct logp_coll *c, int from, char *block)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const int64_t cols = lpi_transpose_size(c->cols, P, from);
    const struct lpi_parcel parcel = lpi_transpose_parcel(P, c, me, 1, cols);
    const int rc = lpi_transpose_receive(vp, c, from, &parcel, block);

    if (rc == 0)
        lpi_transpose_scatter(P, me, c, lpi_transpose_begin(c->cols, P, from), cols, block);
    return rc;
}

int lpi_transpose_ring_run(struct logp_vp *vp, const struct logp_coll *c)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    struct ring *ring = c->plan.scratch;
    const int lead = (int)ring->window - 1;
    int rc = 0;

    lpi_transpose_gather(P, me, c, me, ring->block);
    lpi_transpose_scatter(P, me, c, lpi_transpose_begin(c->cols, P, me),
                          lpi_transpose_size(c->cols, P, me), ring->block);
    for (int k = 1; rc == 0 && k < P + lead; k++) {
        const int r = k - lead;

        if (k < P)
            rc = send_block(vp, c, me < P - k ? me + k : me + k - P, ring->block);
        if (rc == 0 && r > 0)
            rc = receive_block(vp, c, me >= r ? me - r : me - r + P, ring->block);
    }
    return rc;
}

/* ---- what it takes ---- */

/*
 * All blocks alike: all processors do the same at the same time. A block is w messages, sent E_s
 * and received E_r apart, each st + L on the wire, packed before in p. With s(j) and r(j) the
 * starts of block j's first send and last receive:
 *
 *     s(j+1) >= s(j) + E         E = w E_s, and among the first W at least p + o_send
 *     r(j+1) >= r(j) + R         R = w E_r
 *     r(j)   >= s(j) + A         A = o_send + st + L + (w-1) max(E_s, E_r): it has arrived
 *     r(j)   >= s(j+W-1) + B     B = o_send + (w-1)(E_s + E_r): the sends before it are made
 *     s(j+W) >= r(j) + o_recv + p
 *
 * and the time is the longest path from s(1) to r(P-1). A step forward along one of the rows is
 * worth at most M = max(E, R, B + o_recv + p), the last being a round from s(j) to s(j+1) by way of
 * a receive. A round by way of an arrival goes W steps forward and is worth A + o_recv + p. What a
 * path is worth is linear in how many of these it has, so none, one, or as many as there is room
 * for is the best; and at its end it goes over to the receives by A, or W-1 steps backwards by B.
 *
 * One message a block and W = 1: (P-2) max(D, E) + D; W = P-1: max(L + st, (P-2)E) + (P-2)E + 2o.
 */
static __int128 alike_time(int64_t P, const struct logp_params *p, const struct lpi_parcel_time *t,
                           int64_t W)
{
    const struct lpi_train_time *x = &t->trains[0];
    const __int128 E = (__int128)x->n * x->send_gap, R = (__int128)x->n * x->recv_gap;
    const __int128 A =
        (__int128)(x->n - 1) * lpi_max(x->send_gap, x->recv_gap) + p->o_send_ns + x->wire;
    const __int128 B = (__int128)(x->n - 1) * (x->send_gap + x->recv_gap) + p->o_send_ns;
    const __int128 first =
        lpi_later(E, (__int128)p->o_send_ns + t->pack_ns); /* a step before s(W) */
    const __int128 M = lpi_later(lpi_later(E, R), B + p->o_recv_ns + t->pack_ns);
    const __int128 round = A + p->o_recv_ns + t->pack_ns;
    const __int128 last = lpi_later(A, B + (W - 1) * R);
    const int64_t rounds = (P - 2) / W;
    __int128 time = A + (P - 2) * R;

    time = lpi_later(time, (W - 1) * first + (P - 1 - W) * M + last);
    if (rounds > 0) {
        time = lpi_later(time, round + (P - 2 - W) * M + last);
        time = lpi_later(time, rounds * round + (P - 2 - rounds * W) * M + last);
    }
    return t->pack_ns + time + p->o_recv_ns;
}

/* Every block as large as the largest, which the first processor sends to itself. */
static struct lpi_parcel_time largest_block(int64_t P, const struct logp_coll *c)
{
    const struct lpi_parcel parcel =
        lpi_transpose_parcel(P, c, 0, 1, lpi_transpose_size(c->cols, P, 0));

    return lpi_transpose_time(&c->params, &parcel);
}

/*
 * The times of blocks of unequal size: time[0] of those for processors with a row more, time[1] for
 * the others; and of each, [0] from processors with a column more, [1] from the others.
 */
struct blocks {
    struct lpi_parcel_time time[2][2];
    int64_t longer_rows, longer_cols; /* processors that have one more */
};

static const struct lpi_parcel_time *block(const struct blocks *b, int64_t to, int64_t from)
{
    return &b->time[to >= b->longer_rows][from >= b->longer_cols];
}

static struct blocks all_blocks(int64_t P, const struct logp_coll *c)
{
    struct blocks b = {.longer_rows = c->rows % P, .longer_cols = c->cols % P};

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const struct lpi_parcel parcel = lpi_transpose_parcel(
                P, c, i == 0 ? 0 : P - 1, 1, lpi_transpose_size(c->cols, P, j == 0 ? 0 : P - 1));

            b.time[i][j] = lpi_transpose_time(&c->params, &parcel);
        }
    return b;
}

/* The recurrence for all processors, phase by phase: an equation for each send and each receive.
 * starts: W for each processor, of those of its sends that have not been received. */
static __int128 phases(int64_t P, const struct logp_coll *c, int64_t W, struct lpi_moment *moments,
                       __int128 *starts)
{
    const struct logp_params *p = &c->params;
    const struct blocks blocks = all_blocks(P, c);
    __int128 time = 0;

    for (int64_t i = 0; i < P; i++)
        moments[i] = lpi_transpose_start;
    for (int64_t k = 1; k < P + W - 1; k++) {
        const int64_t r = k - (W - 1);

        for (int64_t i = 0; k < P && i < P; i++)
            starts[i * W + k % W] = lpi_transpose_sent(
                p, &moments[i], block(&blocks, i < P - k ? i + k : i + k - P, i));
        for (int64_t i = 0; r > 0 && i < P; i++) {
            const int64_t from = i >= r ? i - r : i - r + P;

            lpi_transpose_received(p, &moments[i], block(&blocks, i, from),
                                   starts[from * W + r % W]);
        }
    }
    for (int64_t i = 0; i < P; i++)
        time = lpi_later(time, moments[i].free);
    return time;
}

/*
 * Exact where all blocks take the same time, and up to LPI_TRANSPOSE_EXACT processors. Beyond, the
 * time with all blocks as large as the largest is a bound: nothing in the rules makes a processor
 * earlier because a message is longer, or one more is sent.
 */
static struct logp_prediction predict_window(int64_t P, const struct logp_coll *c, int64_t W)
{
    const struct lpi_parcel_time largest = largest_block(P, c);
    struct logp_prediction prediction;
    struct lpi_moment *moments;
    __int128 *starts;

    if (P == 1)
        return lpi_exact(0);
    if (c->params.gap_shared)
        return lpi_no_prediction();
    if (lpi_transpose_alike(P, c))
        return lpi_exact(alike_time(P, &c->params, &largest, W));
    prediction = lpi_bound(alike_time(P, &c->params, &largest, W));
    if (P > LPI_TRANSPOSE_EXACT)
        return prediction;
    moments = malloc((size_t)P * sizeof(*moments));
    starts = malloc((size_t)(P * W) * sizeof(*starts));
    if (moments != NULL && starts != NULL)
        prediction = lpi_exact(phases(P, c, W, moments, starts));
    free(moments);
    free(starts);
    return prediction;
}

struct logp_prediction lpi_transpose_ring_predict(int64_t P, const struct logp_coll *c)
{
    return predict_window(P, c, 1);
}

struct logp_prediction lpi_transpose_eager_predict(int64_t P, const struct logp_coll *c)
{
    return predict_window(P, c, P > 1 ? P - 1 : 1);
}

struct logp_prediction lpi_transpose_window_predict(int64_t P, const struct logp_coll *c)
{
    return predict_window(P, c, lpi_transpose_window(P, c));
}

/* ---- the best window ---- */

/*
 * The smallest W with the least alike_time(). Over W, the terms with rounds never grow: each loses
 * M or more a step, gains at most R <= M by `last`, and there is room for fewer rounds. The term
 * without falls until B + (W-1)R is more than A, and has one slope from there. So the time never
 * grows up to some W and, if at all, grows with every step from there on: bisect for that W, then
 * for the first one as good.
 *
 * Where blocks differ, all processors choose for the largest.
 */
static int64_t best_window(int64_t P, const struct logp_coll *c)
{
    const struct lpi_parcel_time t = largest_block(P, c);
    int64_t low = 1, high = P - 1;
    __int128 best;

    while (low < high) {
        const int64_t mid = low + (high - low) / 2;

        if (alike_time(P, &c->params, &t, mid + 1) > alike_time(P, &c->params, &t, mid))
            high = mid;
        else
            low = mid + 1;
    }
    best = alike_time(P, &c->params, &t, high);
    low = 1;
    while (low < high) {
        const int64_t mid = low + (high - low) / 2;

        if (alike_time(P, &c->params, &t, mid) == best)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

int64_t lpi_transpose_window(int64_t P, const struct logp_coll *c)
{
    if (P <= 2)
        return 1;
    if (c->window > 0)
        return c->window < P ? c->window : P - 1;
    return best_window(P, c);
}
