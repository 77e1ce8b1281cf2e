/* SPDX-License-Identifier: MIT */
/*
 * Transposing on a ring: in phase k = 1 .. P-1 send a block to i + k and receive one from i - k
 * (mod P). The window W is how far the sends are ahead of the receives: sends 1 .. r+W-1 precede
 * receive r. `ring` alternates (W = 1), `ring-eager` sends all first (W = P-1), `ring-window` takes
 * the given W, or the best.
 *
 * Source: Sun, Zhang & Song 2002; the window is ours.
 */
#include "schedule/reader.h"
#include "transpose.h"

#include <errno.h>
#include <stdlib.h>

/* ---- what a processor does ---- */

/* Rows or columns over the processors, balanced: the first `longer` have one more than `each`. */
struct spread {
    int64_t each, longer;
};

/* plan.state; plan.scratch holds a block. */
struct ring {
    int64_t lead; /* W - 1 */
    struct spread rows, cols;
    int64_t most_cols, messages; /* columns of the largest block; messages that it may take */
    int64_t pack_ns;             /* of a column; 0: there is no step for it */
    bool gathers, scatters;      /* messages are not in one piece in the matrix, or in the result */
    int64_t sends, all;          /* steps of a phase: up to the receive; all */
};

static int64_t size_of(const struct spread *s, int64_t i)
{
    return s->each + (i < s->longer);
}

static int64_t begin_of(const struct spread *s, int64_t i)
{
    return i * s->each + (i < s->longer ? i : s->longer);
}

static int plan_window(int P, struct logp_invocation *c, int64_t window)
{
    struct ring *ring = malloc(sizeof(*ring));

    if (ring == NULL)
        return -ENOMEM;
    *ring = (struct ring){.lead = window - 1,
                          .rows = {c->args.rows / P, c->args.rows % P},
                          .cols = {c->args.cols / P, c->args.cols % P}};
    ring->most_cols = size_of(&ring->cols, 0);
    ring->messages = c->args.packing == LOGP_PACKING_NONE ? ring->most_cols : 1;
    ring->pack_ns = c->args.packing == LOGP_PACKING_NONE ? 0 : c->args.pack_ns;
    ring->gathers = ring->messages < ring->most_cols;
    ring->scatters = size_of(&ring->rows, 0) > 1;
    ring->sends = (ring->pack_ns > 0) + ring->gathers + ring->messages;
    ring->all = ring->sends + ring->messages + (ring->scatters ? ring->most_cols : 0);
    c->plan.state = ring;
    c->plan.early = window > 1;
    c->plan.scratch_bytes = lpi_bytes(
        lpi_bytes((size_t)size_of(&ring->rows, 0), (size_t)ring->most_cols), c->args.n_bytes);
    return 0;
}

static int plan_ring(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    return plan_window(P, c, 1);
}

static int plan_eager(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    return plan_window(P, c, P > 1 ? P - 1 : 1);
}

static bool nothing(struct logp_step *out)
{
    return logp_step_compute(out, 0, 0);
}

/* Whether there is a message m of a block of rows x cols elements. *n_bytes: its size */
static bool message(const struct logp_invocation *c, int64_t rows, int64_t cols, int64_t m,
                    size_t *n_bytes)
{
    const bool whole = c->args.packing != LOGP_PACKING_NONE;

    *n_bytes = lpi_bytes((size_t)(whole ? rows * cols : rows), c->args.n_bytes);
    return rows > 0 && m < (whole && cols > 0 ? 1 : cols);
}

/* A column of `rows` elements, to where it is a part of each row of the result. */
static bool scatter(const struct logp_invocation *c, struct logp_buffer_ref from, int64_t rows,
                    int64_t col, struct logp_step *out)
{
    logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, (size_t)col * c->args.n_bytes},
                   from, c->args.n_bytes);
    out->n = rows;
    out->at_stride = (size_t)c->args.cols * c->args.n_bytes;
    return true;
}

/* The block for rank `to`: pack it, which is to gather the pieces of its columns, and send it. */
static bool send_step(const struct ring *ring, int64_t cols, const struct logp_invocation *c,
                      int64_t to, int64_t i, struct logp_step *out)
{
    const int64_t rows = size_of(&ring->rows, to), first = begin_of(&ring->rows, to);
    size_t n_bytes;

    if (rows == 0 || cols == 0)
        return nothing(out);
    if (ring->pack_ns > 0 && i-- == 0)
        return logp_step_compute(out, lpi_bound_times(cols, ring->pack_ns), ring->gathers);
    if (ring->gathers && i-- == 0) {
        logp_step_copy(out, (struct logp_buffer_ref){LOGP_SCRATCH, 0},
                       (struct logp_buffer_ref){LOGP_BUF, (size_t)first * c->args.n_bytes},
                       (size_t)rows * c->args.n_bytes);
        out->n = cols;
        out->right_stride = (size_t)c->args.rows * c->args.n_bytes;
        return true;
    }
    if (!message(c, rows, cols, i, &n_bytes))
        return nothing(out);
    return ring->gathers
               ? logp_step_send(out, to, c->args.tag, LOGP_SCRATCH, 0, n_bytes)
               : logp_step_send(out, to, c->args.tag, LOGP_BUF,
                                (size_t)(i * c->args.rows + first) * c->args.n_bytes, n_bytes);
}

/* The block from rank `from`, and then its columns. */
static bool receive_step(const struct ring *ring, int64_t rows, const struct logp_invocation *c,
                         int64_t from, int64_t i, struct logp_step *out)
{
    const int64_t cols = size_of(&ring->cols, from), first = begin_of(&ring->cols, from);
    const int64_t col = i - ring->messages;
    size_t n_bytes;

    if (i < ring->messages) {
        if (!message(c, rows, cols, i, &n_bytes))
            return nothing(out);
        return ring->scatters ? logp_step_receive(out, from, c->args.tag, LOGP_SCRATCH,
                                                  (size_t)i * n_bytes, n_bytes)
                              : logp_step_receive(out, from, c->args.tag, LOGP_RECV_BUF,
                                                  (size_t)(first + i) * c->args.n_bytes, n_bytes);
    }
    if (col >= cols)
        return nothing(out);
    return scatter(c,
                   (struct logp_buffer_ref){LOGP_SCRATCH, (size_t)(col * rows) * c->args.n_bytes},
                   rows, first + col, out);
}

/*
 * The columns of its own block; then phase by phase a send and a receive, each with as many steps
 * as the largest block takes: those that a smaller one has no use for are nothing.
 */
static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct ring *ring = c->plan.state;
    const int64_t rows = size_of(&ring->rows, rank), cols = size_of(&ring->cols, rank);
    const size_t own = (size_t)(i * c->args.rows + begin_of(&ring->rows, rank));
    int64_t k, r;

    if (i < cols)
        return scatter(c, (struct logp_buffer_ref){LOGP_BUF, own * c->args.n_bytes}, rows,
                       begin_of(&ring->cols, rank) + i, out);
    i -= cols;
    k = i / ring->all + 1;
    i %= ring->all;
    r = k - ring->lead;
    if (k >= P + ring->lead)
        return false;
    if (i < ring->sends)
        return k >= P ? nothing(out)
                      : send_step(ring, cols, c, rank < P - k ? rank + k : rank + k - P, i, out);
    return r <= 0 ? nothing(out)
                  : receive_step(ring, rows, c, rank >= r ? rank - r : rank - r + P,
                                 i - ring->sends, out);
}

LPI_READER(run, steps)

/* ---- time ---- */

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
 * a receive. A round by way of an arrival goes W steps forward and is worth A + o_recv + p. The
 * worth of a path is linear in its number of these, so none, one, or as many as fit is the best;
 * and at its end it goes over to the receives by A, or W-1 steps backwards by B.
 *
 * One message a block and W = 1: (P-2) max(D, E) + D; W = P-1: max(L + st, (P-2)E) + (P-2)E + 2o.
 */
__int128 lpi_window_time(int64_t P, const struct logp_params *p, const struct lpi_block_time *t,
                         int64_t W)
{
    const struct lpi_messages_time *x = &t->groups[0];
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
static struct lpi_block_time largest_block(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_block block =
        lpi_transpose_block(P, c, 0, 1, lpi_transpose_size(c->args.cols, P, 0));

    return lpi_transpose_time(&c->model.params, &block);
}

/*
 * The times of blocks of unequal size: time[0] of those for processors with a row more, time[1] for
 * the others; and of each, [0] from processors with a column more, [1] from the others.
 */
struct blocks {
    struct lpi_block_time time[2][2];
    int64_t longer_rows, longer_cols; /* processors that have one more */
};

static const struct lpi_block_time *block(const struct blocks *b, int64_t to, int64_t from)
{
    return &b->time[to >= b->longer_rows][from >= b->longer_cols];
}

static struct blocks all_blocks(int64_t P, const struct logp_invocation *c)
{
    struct blocks b = {.longer_rows = c->args.rows % P, .longer_cols = c->args.cols % P};

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const struct lpi_block block =
                lpi_transpose_block(P, c, i == 0 ? 0 : P - 1, 1,
                                    lpi_transpose_size(c->args.cols, P, j == 0 ? 0 : P - 1));

            b.time[i][j] = lpi_transpose_time(&c->model.params, &block);
        }
    return b;
}

/* The recurrence for all processors, phase by phase: an equation for each send and each receive.
 * starts: W for each processor, of those of its sends that have not been received. */
static __int128 phases(int64_t P, const struct logp_invocation *c, int64_t W,
                       struct lpi_moment *moments, __int128 *starts)
{
    const struct logp_params *p = &c->model.params;
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
static struct logp_prediction predict_window(int64_t P, const struct logp_invocation *c, int64_t W)
{
    const struct lpi_block_time largest = largest_block(P, c);
    struct logp_prediction prediction;
    struct lpi_moment *moments;
    __int128 *starts;

    if (P == 1)
        return lpi_exact(0);
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    if (lpi_transpose_alike(P, c))
        return lpi_exact(lpi_window_time(P, &c->model.params, &largest, W));
    prediction = lpi_bound(lpi_window_time(P, &c->model.params, &largest, W));
    if (P > LPI_TRANSPOSE_EXACT)
        return prediction;
    moments = malloc((size_t)P * sizeof(*moments));
    starts = malloc((size_t)(P * W) * sizeof(*starts));
    prediction = moments != NULL && starts != NULL ? lpi_exact(phases(P, c, W, moments, starts))
                                                   : lpi_no_memory();
    free(moments);
    free(starts);
    return prediction;
}

static struct logp_prediction predict_ring(int64_t P, const struct logp_invocation *c)
{
    return predict_window(P, c, 1);
}

static struct logp_prediction predict_eager(int64_t P, const struct logp_invocation *c)
{
    return predict_window(P, c, P > 1 ? P - 1 : 1);
}

/* ---- the best window ---- */

/*
 * The smallest W with the least lpi_window_time(). Over W, the terms with rounds never grow: each
 * loses M or more a step, gains at most R <= M by `last`, and fewer rounds fit. The term without
 * falls until B + (W-1)R is more than A, and has one slope from there. So the time never grows up
 * to some W and, if at all, grows with every step from there on: bisect for that W, then for the
 * first one as good.
 */
static int64_t best_window(int64_t P, const struct logp_params *p, const struct lpi_block_time *t)
{
    int64_t low = 1, high = P - 1;
    __int128 best;

    while (low < high) {
        const int64_t mid = low + (high - low) / 2;

        if (lpi_window_time(P, p, t, mid + 1) > lpi_window_time(P, p, t, mid))
            high = mid;
        else
            low = mid + 1;
    }
    best = lpi_window_time(P, p, t, high);
    low = 1;
    while (low < high) {
        const int64_t mid = low + (high - low) / 2;

        if (lpi_window_time(P, p, t, mid) == best)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

int64_t lpi_window(int64_t P, const struct logp_invocation *c, const struct lpi_block_time *t)
{
    if (P <= 2)
        return 1;
    if (c->args.window > 0)
        return c->args.window < P ? c->args.window : P - 1;
    return best_window(P, &c->model.params, t);
}

/* Where blocks differ, all processors choose for the largest. */
static int64_t window_of(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_block_time t = largest_block(P, c);

    return lpi_window(P, c, &t);
}

/* Where blocks differ, the window that is best for the largest need not be the best, nor that
 * of links that are alike and of one port on other networks: of few, all are tried (0). */
static int64_t tried_window(int64_t P, const struct logp_invocation *c)
{
    enum { FEW = 65 };

    return c->args.window == 0 && P > 2 && P <= FEW && !c->model.undelayed &&
                   (!lpi_transpose_alike(P, c) || c->model.links != NULL ||
                    lpi_has_ports(&c->model))
               ? 0
               : window_of(P, c);
}

static int plan_best(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    return plan_window(P, c, window_of(P, c));
}

static struct logp_prediction predict_best(int64_t P, const struct logp_invocation *c)
{
    return predict_window(P, c, window_of(P, c));
}

/* ---- the rows ---- */

static const char sun[] = "Sun, Zhang & Song 2002";

#define RING .needs = lpi_transpose_needs, .steps = steps, .run = run

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("transpose", "ring", "in phase k send to i + k, receive from i - k", sun), RING,
     .plan = plan_ring, .predict = predict_ring, LPI_TRANSPOSE_KNOBS()},
    {LOGP_ALGORITHM("transpose", "ring-eager", "the ring, all sends first", sun), RING,
     .plan = plan_eager, .predict = predict_eager, LPI_TRANSPOSE_KNOBS()},
    {LOGP_ALGORITHM("transpose", "ring-window", "the ring, with a window of sends in flight", sun),
     RING, .plan = plan_best, .predict = predict_best,
     LPI_TRANSPOSE_KNOBS(LOGP_KNOB(window, tried_window))},
};

const struct lpi_rows lpi_transpose_rings = LPI_ROWS(algorithms);
