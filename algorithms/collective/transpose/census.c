/* SPDX-License-Identifier: MIT */
/*
 * Transposing with blocks that are passed on along the best word of sends and receives (relay.c): a
 * message has the blocks for many processors, and is packed each time.
 */
#include "schedule/reader.h"
#include "transpose.h"

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    if (c->args.packing != LOGP_PACKING_STRUCTURED)
        return "structured packing";
    if (c->args.rows % P != 0 || c->args.cols % P != 0)
        return "numbers of rows and of columns that are multiples of that of processors";
    return lpi_transpose_needs(P, c);
}

/* Of a column, what goes to one processor. */
static size_t piece_bytes(int64_t P, const struct logp_invocation *c)
{
    return lpi_bytes((size_t)(c->args.rows / P), c->args.n_bytes);
}

static size_t block_bytes(int64_t P, const struct logp_invocation *c)
{
    return lpi_bytes((size_t)(c->args.cols / P), piece_bytes(P, c));
}

static int64_t pack_ns(int64_t P, const struct logp_invocation *c)
{
    return lpi_bound_times(c->args.cols / P, c->args.pack_ns);
}

static int plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    return lpi_relay_plan(P, block_bytes(P, c), pack_ns(P, c), c);
}

/* A column to the blocks for rank, rank + 1, ..., P - 1, or for those from 0 on. */
static bool deal(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t column,
                 bool from_0, struct logp_step *out)
{
    const size_t piece = piece_bytes(P, c), block = block_bytes(P, c), at = (size_t)column * piece;
    const int64_t first = from_0 ? 0 : rank, distance = from_0 ? P - rank : 0;
    const int64_t n = from_0 ? rank : P - rank;

    if (n == 0)
        return logp_step_copy(out, (struct logp_buffer_ref){LOGP_SCRATCH, 0},
                              (struct logp_buffer_ref){LOGP_SCRATCH, 0}, 0);
    logp_step_copy(out, (struct logp_buffer_ref){LOGP_SCRATCH, (size_t)distance * block + at},
                   (struct logp_buffer_ref){LOGP_BUF, (size_t)(column * P + first) * piece}, piece);
    out->n = n;
    out->at_stride = block;
    out->right_stride = piece;
    return true;
}

/* A row of the block from rank - distance, where it belongs. */
static bool put(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t distance,
                int64_t row, struct logp_step *out)
{
    const size_t element = c->args.n_bytes;
    const int64_t columns = c->args.cols / P;
    const int64_t at = row * c->args.cols + lpi_mod(rank - distance, P) * columns;

    logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, (size_t)at * element},
                   (struct logp_buffer_ref){LOGP_SCRATCH, (size_t)distance * block_bytes(P, c) +
                                                              (size_t)row * element},
                   element);
    out->n = columns;
    out->right_stride = piece_bytes(P, c);
    return true;
}

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const int64_t columns = c->args.cols / P, rows = c->args.rows / P;

    if (i < 2 * columns)
        return deal(P, rank, c, i / 2, i % 2 == 1, out);
    i = lpi_relay_step(P, rank, c, i - 2 * columns, out);
    return i < 0 || (i < P * rows && put(P, rank, c, i / rows, i % rows, out));
}

LPI_READER(run, steps)

static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    return lpi_relay_predict(P, &c->model.params, block_bytes(P, c), pack_ns(P, c));
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("transpose", "census",
                    "pass blocks on along the best word of sends and receives, the same on all",
                    "this library"),
     .needs = needs, .plan = plan, .steps = steps, .run = run, .predict = predict,
     LPI_TRANSPOSE_KNOBS()},
};

const struct lpi_rows lpi_transpose_census = LPI_ROWS(algorithms);
