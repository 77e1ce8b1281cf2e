/* SPDX-License-Identifier: MIT */
/*
 * Transposing on a butterfly of P = 2^x processors, the most significant bit first. Before the
 * stage of bit 2^k a processor holds the blocks for all destinations that agree with it above that
 * bit, from all sources that agree with it in that bit and below: by destination, then by source.
 * It keeps those for its own half of the destinations, swaps the others for its partner's, and
 * interleaves: the blocks of the partner whose bit is 0 take the even places. At the end it holds
 * all columns of its rows.
 *
 * Blocks are contiguous, column after column, so a half is one piece of memory. The blocks held
 * before a stage, and after it, are in one of two thirds of scratch alternately; received ones are
 * in the other third.
 * Source: Sun, Zhang & Song 2002; their listing sends the wrong half where the bit is 1.
 */
#include "schedule/reader.h"
#include "transpose.h"

#include <errno.h>
#include <stdlib.h>

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    return (P & (P - 1)) != 0 ? "a power of two as the number of processors"
                              : lpi_transpose_needs(P, c);
}

/* Columns, or rows, over n ranks that are alike below a bit, or over all: the first `longer` have
 * one more than `each`. */
struct spread {
    int64_t n, each, longer;
};

static struct spread spread_of(int64_t P, int64_t total, int64_t rank, int64_t stride)
{
    const int64_t first = rank % stride, longer = total % P;

    return (struct spread){.n = P / stride,
                           .each = total / P,
                           .longer = longer > first ? (longer - first - 1) / stride + 1 : 0};
}

/* Of the first n of them. */
static int64_t sum_of(const struct spread *s, int64_t n)
{
    return n * s->each + (n < s->longer ? n : s->longer);
}

/* Columns of all sources that are `rank` mod `stride`, which divides P. */
static int64_t columns_of(int64_t P, const struct logp_invocation *c, int64_t rank, int64_t stride)
{
    const struct spread s = spread_of(P, c->args.cols, rank, stride);

    return sum_of(&s, s.n);
}

/* What `rank` sends in the stage of `bit`: all it has for the half of its partner. */
static struct lpi_block stage_block(int64_t P, const struct logp_invocation *c, int64_t rank,
                                    int64_t bit)
{
    return lpi_transpose_block(P, c, (rank ^ bit) & -bit, bit, columns_of(P, c, rank, 2 * bit));
}

/* ---- what a processor does ---- */

/* One of lg P. */
struct stage {
    int64_t bit;
    struct spread sources[2], all; /* of the blocks held before it, by their bit; after it */
    struct lpi_block out, in;
    int64_t n_out, n_in; /* messages */
    size_t kept, sent;   /* offsets of these in the blocks held before it */
};

/* plan.state */
struct butterfly {
    struct spread rows, cols; /* of all ranks */
    size_t capacity;          /* bytes of each of the three */
    int n;
    struct stage stages[];
};

/* Bytes of the part of destinations first .. to - 1 of so many columns. */
static size_t bytes_for(const struct butterfly *b, const struct logp_invocation *c, int64_t first,
                        int64_t to, int64_t columns)
{
    const int64_t rows = sum_of(&b->rows, to) - sum_of(&b->rows, first);

    return lpi_bytes(lpi_bytes((size_t)rows, (size_t)columns), c->args.n_bytes);
}

static int64_t n_messages(const struct lpi_block *block)
{
    int64_t n = 0;

    for (int i = 0; i < block->n_groups; i++)
        n += block->groups[i].n;
    return n;
}

static struct stage stage_of(const struct butterfly *b, int64_t P, int64_t rank,
                             const struct logp_invocation *c, int64_t bit)
{
    const int64_t first = rank & -2 * bit, cols = c->args.cols;
    const size_t half = bytes_for(b, c, first, first + bit, columns_of(P, c, rank, 2 * bit));
    const bool upper = (rank & bit) != 0;
    struct stage s = {.bit = bit,
                      .sources = {spread_of(P, cols, rank & ~bit, 2 * bit),
                                  spread_of(P, cols, rank | bit, 2 * bit)},
                      .all = spread_of(P, cols, rank, bit),
                      .out = stage_block(P, c, rank, bit),
                      .in = stage_block(P, c, rank ^ bit, bit),
                      .kept = upper ? half : 0,
                      .sent = upper ? 0 : half};

    s.n_out = n_messages(&s.out);
    s.n_in = n_messages(&s.in);
    return s;
}

static int plan(int P, int rank, struct logp_invocation *c)
{
    const int n = __builtin_ctz((unsigned)P);
    struct butterfly *b = malloc(sizeof(*b) + (size_t)n * sizeof(b->stages[0]));

    if (b == NULL)
        return -ENOMEM;
    *b = (struct butterfly){
        .rows = spread_of(P, c->args.rows, 0, 1), .cols = spread_of(P, c->args.cols, 0, 1), .n = n};
    for (int i = 0; i < n; i++)
        b->stages[i] = stage_of(b, P, rank, c, P / 2 >> i);
    for (int64_t k = P; k > 0; k /= 2) { /* held for k destinations, and received for fewer */
        const int64_t first = rank & -k;
        const size_t bytes = bytes_for(b, c, first, first + k, columns_of(P, c, rank, k));

        b->capacity = bytes > b->capacity ? bytes : b->capacity;
    }
    c->plan.state = b;
    c->plan.scratch_bytes = lpi_bytes(3, b->capacity);
    return 0;
}

/* Columns, or rows, of a rank. */
static int64_t size_of(const struct spread *all, int64_t rank)
{
    return all->each + (rank < all->longer);
}

/* Return where the blocks before stage s are, or those at the end. */
static size_t held(const struct butterfly *b, int s)
{
    return s % 2 == 0 ? 0 : b->capacity;
}

static bool copy(struct logp_step *out, size_t at, enum logp_buffer buffer, size_t from,
                 size_t n_bytes)
{
    if (n_bytes == 0) /* there may be no buffer */
        return logp_step_copy(out, (struct logp_buffer_ref){LOGP_SCRATCH, 0},
                              (struct logp_buffer_ref){LOGP_SCRATCH, 0}, 0);
    return logp_step_copy(out, (struct logp_buffer_ref){LOGP_SCRATCH, at},
                          (struct logp_buffer_ref){buffer, from}, n_bytes);
}

/* Before the first stage: the columns for rank `to`, into one block. */
static bool gather(const struct butterfly *b, int64_t rank, const struct logp_invocation *c,
                   int64_t to, struct logp_step *out)
{
    const int64_t cols = size_of(&b->cols, rank);

    copy(out, bytes_for(b, c, 0, to, cols), LOGP_BUF, bytes_for(b, c, 0, to, 1),
         cols > 0 ? bytes_for(b, c, to, to + 1, 1) : 0);
    out->n = cols;
    out->right_stride = (size_t)c->args.rows * c->args.n_bytes;
    return true;
}

/* Interleave the kept and the received blocks after stage s: piece j, which is of one destination
 * and one source. */
static bool interleave(const struct butterfly *b, int64_t rank, const struct logp_invocation *c,
                       int s, int64_t j, struct logp_step *out)
{
    const struct stage *stage = &b->stages[s];
    const int64_t first = rank & -stage->bit, dest = first + (j >> (s + 1));
    const int64_t nth = j & (stage->all.n - 1), turn = nth % 2;
    const struct spread *half = &stage->sources[turn];
    const bool is_kept = turn == ((rank & stage->bit) != 0);
    const size_t at = bytes_for(b, c, first, dest, sum_of(&stage->all, stage->all.n)) +
                      bytes_for(b, c, dest, dest + 1, sum_of(&stage->all, nth));
    const size_t from = bytes_for(b, c, first, dest, sum_of(half, half->n)) +
                        bytes_for(b, c, dest, dest + 1, sum_of(half, nth / 2));

    return copy(out, held(b, s + 1) + at, LOGP_SCRATCH,
                from + (is_kept ? held(b, s) + stage->kept : 2 * b->capacity),
                bytes_for(b, c, dest, dest + 1, size_of(half, nth / 2)));
}

/* As gather(), where all blocks are alike: column j, a piece of it into each block. */
static bool deal(const struct butterfly *b, const struct logp_invocation *c, int64_t j,
                 struct logp_step *out)
{
    const size_t piece = bytes_for(b, c, 0, 1, 1);

    copy(out, (size_t)j * piece, LOGP_BUF, (size_t)(j * b->rows.n) * piece, piece);
    out->n = b->rows.n;
    out->at_stride = (size_t)b->cols.each * piece;
    return true;
}

/* As interleave(), where all blocks are alike: all pieces of the partner whose bit is `turn`. */
static bool merge(const struct butterfly *b, int64_t rank, const struct logp_invocation *c, int s,
                  int64_t turn, struct logp_step *out)
{
    const struct stage *stage = &b->stages[s];
    const bool is_kept = turn == ((rank & stage->bit) != 0);
    const size_t piece = bytes_for(b, c, 0, 1, b->cols.each);

    copy(out, held(b, s + 1) + (size_t)turn * piece, LOGP_SCRATCH,
         is_kept ? held(b, s) + stage->kept : 2 * b->capacity, piece);
    out->n = stage->bit * stage->sources[turn].n;
    out->at_stride = 2 * piece;
    return true;
}

static bool alike(const struct butterfly *b)
{
    return b->rows.longer == 0 && b->cols.longer == 0;
}

/* How many copies arrange() takes. */
static int64_t n_copies(const struct butterfly *b, int s)
{
    return !alike(b) ? b->rows.n : s == 0 ? b->cols.each : 2;
}

/* Bring the blocks held before stage s into order, by copy j: this is the packing. */
static bool arrange(const struct butterfly *b, int64_t rank, const struct logp_invocation *c, int s,
                    int64_t j, struct logp_step *out)
{
    if (alike(b))
        return s == 0 ? deal(b, c, j, out) : merge(b, rank, c, s - 1, j, out);
    return s == 0 ? gather(b, rank, c, j, out) : interleave(b, rank, c, s - 1, j, out);
}

/* A row of the result, out of columns. */
static bool scatter(const struct butterfly *b, int64_t rank, const struct logp_invocation *c,
                    int64_t row, struct logp_step *out)
{
    const size_t element = c->args.n_bytes;

    logp_step_copy(
        out, (struct logp_buffer_ref){LOGP_RECV_BUF, (size_t)(row * c->args.cols) * element},
        (struct logp_buffer_ref){LOGP_SCRATCH, held(b, b->n) + (size_t)row * element}, element);
    out->n = c->args.cols;
    out->right_stride = (size_t)size_of(&b->rows, rank) * element;
    return true;
}

/* Message m of a block, from `at` on. */
static size_t message(const struct lpi_block *block, int64_t m, size_t *at)
{
    const struct lpi_messages *g = block->groups;

    for (; m >= g->n; g++) {
        *at += (size_t)g->n * g->n_bytes;
        m -= g->n;
    }
    *at += (size_t)m * g->n_bytes;
    return g->n_bytes;
}

static bool packs(const struct stage *stage)
{
    return stage->out.pack_ns > 0;
}

/* Stage by stage: bring in order, send, receive; and in order once more, into the result. */
static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct butterfly *b = c->plan.state;
    const struct stage *stage = b->stages;
    const int64_t rows = size_of(&b->rows, rank);
    int64_t n, copies;
    size_t at, n_bytes;
    int s = 0;

    (void)P;
    for (; s < b->n && i >= (n = packs(stage) + n_copies(b, s) + stage->n_out + stage->n_in);
         s++, stage++)
        i -= n;
    copies = n_copies(b, s);
    if (s < b->n && packs(stage) && i-- == 0)
        return logp_step_compute(out, stage->out.pack_ns, copies);
    if (i < copies)
        return arrange(b, rank, c, s, i, out);
    i -= copies;
    if (s == b->n)
        return i < rows && scatter(b, rank, c, i, out);
    at = i < stage->n_out ? held(b, s) + stage->sent : 2 * b->capacity;
    if (i < stage->n_out) {
        n_bytes = message(&stage->out, i, &at);
        return logp_step_send(out, rank ^ stage->bit, c->args.tag, LOGP_SCRATCH, at, n_bytes);
    }
    n_bytes = message(&stage->in, i - stage->n_out, &at);
    return logp_step_receive(out, rank ^ stage->bit, c->args.tag, LOGP_SCRATCH, at, n_bytes);
}

LPI_READER(run, steps)

/* ---- time ---- */

/*
 * All blocks alike: each stage sends P/2 of them, in w messages, and takes F; the next one starts F
 * later, or when a longer gap is over: (lg P - 1) max(F, w E_s, w E_r) + F, with
 *
 *     F = p + o_send + o_recv + max(st + L + (w-1) max(E_s, E_r), (w-1)(E_s + E_r)).
 *
 * One message: F = D. For w >= 2 the gaps are within F, and with o_send = o_recv and messages of a
 * word F = (w-1)e + max(L, (w-1)e) + 2o.
 */
static __int128 alike_time(int64_t P, const struct logp_invocation *c)
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
static __int128 stages_time(int64_t P, const struct logp_invocation *c)
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
static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
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
    {LOGP_ALGORITHM("transpose", "butterfly", "in stage k exchange half with i xor 2^k",
                    "Sun, Zhang & Song 2002"),
     .needs = needs, .plan = plan, .steps = steps, .run = run, .predict = predict,
     LPI_TRANSPOSE_KNOBS()},
};

const struct lpi_rows lpi_transpose_butterflies = LPI_ROWS(algorithms);
