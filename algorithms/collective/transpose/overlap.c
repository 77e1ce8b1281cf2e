/* SPDX-License-Identifier: MIT */
/*
 * Transposing by an all-to-all of blocks: the columns are dealt to the blocks for all processors, and
 * the blocks that come are put into rows. The all-to-all is bruck-overlap. Its messages are made of
 * whole blocks, so that packing must cost nothing.
 */
#include "schedule/reader.h"
#include "transpose.h"

#include <errno.h>
#include <stdlib.h>

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    const char *k = lpi_knomial_needs(P, c);

    if (c->args.packing != LOGP_PACKING_STRUCTURED || c->args.pack_ns != 0)
        return "structured packing without a time to pack";
    if (c->args.rows % P != 0 || c->args.cols % P != 0)
        return "numbers of rows and of columns that are multiples of that of processors";
    return k != NULL ? k : lpi_transpose_needs(P, c);
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

static const struct logp_algorithm *exchange(void)
{
    return logp_algorithm_find("alltoall", "bruck-overlap");
}

static struct logp_invocation exchange_of(int64_t P, const struct logp_invocation *c)
{
    return (struct logp_invocation){
        .args = {.tag = c->args.tag, .n_bytes = block_bytes(P, c), .k = c->args.k},
        .model = c->model,
        .plan.parent = -1};
}

/* plan.outer; the rest of the plan is that of the all-to-all. */
struct outer {
    const struct logp_algorithm *row;
    struct logp_invocation in;
    struct logp_buffer_ref from, to; /* its buffers, in scratch */
    int64_t n;                       /* its steps */
};

static int plan(int P, int rank, struct logp_invocation *c)
{
    struct outer *o = calloc(1, sizeof(*o));
    struct logp_step step;
    size_t all;
    int rc = 0;

    if (o == NULL)
        return -ENOMEM;
    o->row = exchange();
    o->in = exchange_of(P, c);
    if (o->row->plan != NULL)
        rc = o->row->plan(P, rank, &o->in);
    if (rc != 0) {
        free(o);
        return rc;
    }
    all = lpi_slot_bytes(lpi_bytes((size_t)P, o->in.args.n_bytes));
    o->from = (struct logp_buffer_ref){LOGP_SCRATCH, lpi_slot_bytes(o->in.plan.scratch_bytes)};
    o->to = (struct logp_buffer_ref){LOGP_SCRATCH, o->from.offset + all};
    while (o->row->steps(P, rank, &o->in, o->n, &step))
        o->n++;
    c->plan = o->in.plan;
    c->plan.scratch_bytes = all < SIZE_MAX / 4 ? o->to.offset + all : SIZE_MAX / 4;
    c->plan.outer = o;
    return 0;
}

/* The pieces of a column to the blocks for all ranks. */
static bool deal(int64_t P, const struct logp_invocation *c, int64_t column, struct logp_step *out)
{
    const struct outer *o = c->plan.outer;
    const size_t piece = piece_bytes(P, c);
    const struct logp_buffer_ref at = {LOGP_SCRATCH, o->from.offset + (size_t)column * piece};

    logp_step_copy(out, at, (struct logp_buffer_ref){LOGP_BUF, (size_t)(column * P) * piece},
                   piece);
    out->n = P;
    out->at_stride = o->in.args.n_bytes;
    out->right_stride = piece;
    return true;
}

/* A row of the block from a rank. */
static bool put(int64_t P, const struct logp_invocation *c, int64_t from, int64_t row,
                struct logp_step *out)
{
    const struct outer *o = c->plan.outer;
    const size_t element = c->args.n_bytes;
    const int64_t columns = c->args.cols / P, at = row * c->args.cols + from * columns;

    logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, (size_t)at * element},
                   (struct logp_buffer_ref){LOGP_SCRATCH, o->to.offset +
                                                              (size_t)from * o->in.args.n_bytes +
                                                              (size_t)row * element},
                   element);
    out->n = columns;
    out->right_stride = piece_bytes(P, c);
    return true;
}

static void move(const struct outer *o, struct logp_buffer_ref *at)
{
    if (at->buffer == LOGP_SCRATCH)
        return;
    at->offset += at->buffer == LOGP_BUF ? o->from.offset : o->to.offset;
    at->buffer = LOGP_SCRATCH;
}

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct outer *o = c->plan.outer;
    const int64_t columns = c->args.cols / P, rows = c->args.rows / P;

    if (i < columns)
        return deal(P, c, i, out);
    i -= columns;
    if (i >= o->n)
        return i - o->n < P * rows && put(P, c, (i - o->n) / rows, (i - o->n) % rows, out);
    o->row->steps(P, rank, &o->in, i, out);
    move(o, &out->at);
    if (out->kind == LOGP_STEP_COPY)
        move(o, &out->right);
    return true;
}

LPI_READER(run, steps)

static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    const struct logp_invocation in = exchange_of(P, c);

    return exchange()->predict(P, &in);
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("transpose", "bruck-overlap",
                    "the all-to-all of that name, between columns and rows", "this library"),
     .needs = needs, .plan = plan, .steps = steps, .run = run, .predict = predict,
     LPI_TRANSPOSE_KNOBS(LOGP_KNOB(k, lpi_knomial_k))},
};

const struct lpi_rows lpi_transpose_overlap = LPI_ROWS(algorithms);
