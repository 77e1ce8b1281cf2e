/* SPDX-License-Identifier: MIT */
/*
 * Broadcast on a torus (torus.c) in blocks, each sent on while the next is on its way. A processor
 * also processes the item, in time work_ns: block by block, each its share of it, rounded up.
 *
 * Source: Liu, Li & Cui 1996.
 */
#include "broadcast.h"
#include "schedule/reader.h"

/* Time to process n of the item's bytes. */
static int64_t work_of(const struct logp_coll *c, int64_t n_bytes)
{
    const __int128 M = c->args.n_bytes;

    return M > 0 ? (int64_t)(((__int128)c->args.work_ns * n_bytes + M - 1) / M) : c->args.work_ns;
}

/*
 * Receive a block, send it to the children, process it; and so on. With overlap the sends go out as
 * early as they may, E apart, and pieces of the processing fill the time between them; what is left
 * follows the last send. So a block is a receive, for each child a send and a piece, which may be
 * nothing; after the last child all that is left.
 */
static bool steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,
                  struct logp_step *out)
{
    const bool root = c->part.parent < 0;
    const int64_t a_block = !root + 2 * c->part.n_children + (c->part.n_children == 0);
    const int64_t b = i < a_block ? 0 : i / a_block, size = c->part.block;
    const int64_t done = b * size, rest = (int64_t)c->args.n_bytes - done;
    const int64_t n = rest < size ? rest : size;
    const int64_t k = i - b * a_block - !root; /* -1: the receive */
    int64_t between, left;

    (void)P, (void)rank;
    if (b > 0 && rest <= 0)
        return false;
    if (k < 0)
        return logp_step_receive(out, c->part.parent, c->args.tag, LOGP_BUF, (size_t)done,
                                 (size_t)n);
    if (k % 2 == 0 && k / 2 < c->part.n_children)
        return logp_step_send(out, c->part.children[k / 2], c->args.tag, LOGP_BUF, (size_t)done,
                              (size_t)n);
    if (c->args.work_ns == 0)
        return logp_step_compute(out, 0, 0);
    between = c->args.no_overlap
                  ? 0
                  : lpi_times(&c->model.params, (size_t)n).E - c->model.params.o_send_ns;
    left = lpi_max(0, work_of(c, n) - k / 2 * between);
    return logp_step_compute(out, k / 2 + 1 < c->part.n_children && left > between ? between : left,
                             0);
}

LPI_READER(run, steps)

/*
 * The prediction. All blocks but the last are of one size. A processor with c children starts to
 * send a block at least a period after the one before it, since it has received it, sent it c times
 * E apart, and processed it; the root does not receive:
 *
 *      Y(c) = max(c E, o_recv + (c-1) E + o_send + left)
 *      Y(0) = max(o_recv, gap, o_recv + work)
 *      root = max(4 E, 3 E + o_send + left)
 *
 * where left is what the sends have left of the work: all of it without overlap, with it
 * max(0, work - (c-1)(E - o_send)). Along a path from the root every processor adds to the latency,
 * and the largest period so far counts: it sends block b at latency + b max(Y). The last block may
 * be shorter, and so catch up with the one before: at each processor it is the later of its own way
 * there and of a period after that one. The result is the largest end over the paths. Paths differ
 * in their kinds of processors and in how many there are of each in a row; of those that differ in
 * the latter alone, the longest is the latest.
 *
 * Exact for any rows, columns >= 2, block, parameters. On n x n where n is even, the block divides
 * the item and o_send = o_recv <= g, it is (n-3) D + 3 max(D, g) + (blocks - 1) X + work of a
 * block, with X = max(4g, 4 o_send + work), without overlap max(4g, 3g + o_send + work).
 */

/* What a block of one size takes. */
struct block {
    struct lpi_times t;
    int64_t gap, work;
};

/* Kinds of processors: by their children, and the root. */
enum { MOST_CHILDREN = 3, ROOT, KINDS };

struct pipeline {
    const struct logp_coll *c;
    int64_t rows, cols;
    int row_ways, col_ways; /* along the root's row, along each column: 1 where that has two */
    struct block one, end;  /* a whole block; the last, which is not larger */
    /* of each kind: all periods but the one before the last block; that one */
    __int128 steady[KINDS], before_end[KINDS];
};

/* Where the blocks are on a path: when its last processor so far can send them on. */
struct path_time {
    __int128 latency; /* the first block */
    __int128 steady;  /* the largest */
    __int128 end;     /* the last block */
};

static struct block block_of(const struct logp_coll *c, int64_t n_bytes)
{
    return (struct block){.t = lpi_times(&c->model.params, (size_t)n_bytes),
                          .gap = logp_gap_ns(&c->model.params, (size_t)n_bytes),
                          .work = work_of(c, n_bytes)};
}

/* From the start of a processor's last send of a block to the end of processing it. */
static __int128 send_and_process(const struct logp_coll *c, const struct block *b, int children)
{
    const int64_t o = c->model.params.o_send_ns;
    const __int128 meanwhile = c->args.no_overlap ? 0 : (__int128)(children - 1) * (b->t.E - o);

    return o + (b->work > meanwhile ? b->work - meanwhile : 0);
}

/* Y after block b, when the next one's gap is `gap`. With the shared gap it also holds from the
 * receive to the first send, which t.early stands for, and from the last send to the receive. */
static __int128 period(const struct pipeline *p, int kind, const struct block *b, int64_t gap)
{
    const struct logp_params *params = &p->c->model.params;
    const int children = kind == ROOT ? p->row_ways + p->col_ways : kind;
    const __int128 E = b->t.E, sends = (children - 1) * E;
    __int128 after;

    if (children == 0)
        return lpi_later(gap, (__int128)params->o_recv_ns + b->work);
    after = send_and_process(p->c, b, children);
    if (kind == ROOT)
        return lpi_later(children * E, sends + after);
    if (params->gap_shared)
        after = lpi_later(after, E + gap - params->g_ns);
    return lpi_later(children * E, params->o_recv_ns + b->t.early + sends + after);
}

/* The pipeline for whole blocks of `size` bytes and a last one of `end`. */
static struct pipeline make_pipeline(const struct logp_coll *c, const struct lpi_grid *grid,
                                     int64_t blocks, int64_t size, int64_t end)
{
    struct pipeline p = {.c = c,
                         .rows = grid->size[0],
                         .cols = grid->size[1],
                         .row_ways = grid->size[1] > 2 ? 2 : 1,
                         .col_ways = grid->size[0] > 2 ? 2 : 1,
                         .one = block_of(c, size),
                         .end = block_of(c, end)};

    for (int kind = 0; blocks > 1 && kind < KINDS; kind++) {
        p.steady[kind] = (blocks - 2) * period(&p, kind, &p.one, p.one.gap);
        p.before_end[kind] = period(&p, kind, &p.one, p.end.gap);
    }
    return p;
}

/* On along `count` processors of a kind; the first is child `index` of the one before, each other
 * one the first child. */
static struct path_time pass(const struct pipeline *p, struct path_time f, int index, int64_t count,
                             int kind)
{
    if (count == 0)
        return f;
    f.latency += (__int128)index * p->one.t.E + (__int128)count * p->one.t.D;
    f.steady = lpi_later(f.steady, p->steady[kind]);
    f.end += (__int128)index * p->end.t.E + (__int128)count * p->end.t.D;
    f.end = lpi_later(f.end, f.latency + f.steady + p->before_end[kind]);
    return f;
}

/* The last block at the end of all ways along a column, whose first processors are children
 * `index` and after. */
static __int128 end_of_columns(const struct pipeline *p, struct path_time top, int index)
{
    __int128 end = 0;

    for (int way = 0; way < p->col_ways; way++) {
        const int64_t far = lpi_torus_steps(p->rows, way);
        struct path_time f = pass(p, top, index + way, far - 1, 1);

        f = pass(p, f, far > 1 ? 0 : index + way, 1, 0);
        end = lpi_later(end, f.end);
    }
    return end;
}

static __int128 end_of_pipeline(const struct pipeline *p)
{
    const struct path_time root = {.steady = p->steady[ROOT],
                                   .end = p->steady[ROOT] + p->before_end[ROOT]};
    __int128 end = end_of_columns(p, root, p->row_ways);

    for (int way = 0; way < p->row_ways; way++) {
        const int64_t far = lpi_torus_steps(p->cols, way);
        struct path_time f = pass(p, root, way, far - 1, 1 + p->col_ways);

        if (far > 1)
            end = lpi_later(end, end_of_columns(p, f, 1));
        f = pass(p, f, far > 1 ? 0 : way, 1, p->col_ways);
        end = lpi_later(end, end_of_columns(p, f, 0));
    }
    return end - p->one.t.early + p->end.work;
}

static int64_t item_bytes(const struct logp_coll *c)
{
    return c->args.n_bytes < INT64_MAX ? (int64_t)c->args.n_bytes : INT64_MAX;
}

struct choice {
    const struct logp_coll *c;
    struct lpi_grid grid;
};

/* Blocks are equal, but for the last, and of the smallest size of which so many hold the item. No
 * pipeline of low .. high blocks takes less; exact where they are of one size. Otherwise all times
 * are those of the smallest block, and there are as many as of the largest. */
static __int128 least_time(int64_t low, int64_t high, const void *arg)
{
    const struct choice *choice = arg;
    const int64_t M = item_bytes(choice->c);
    const int64_t large = lpi_ceil_div(M, low), small = lpi_ceil_div(M, high);
    const int64_t blocks = lpi_ceil_div(M, large);
    const struct pipeline p = make_pipeline(choice->c, &choice->grid, blocks, small,
                                            small == large ? M - (blocks - 1) * large : 1);

    return end_of_pipeline(&p);
}

/* What is asked for, but not more than the item; else as many blocks as the prediction is least
 * for. */
static int64_t block_bytes(int64_t P, const struct logp_coll *c)
{
    const struct choice choice = {c, lpi_grid_of(P, c)};
    const int64_t M = item_bytes(c);

    if (c->args.block_bytes > 0 || M == 0)
        return c->args.block_bytes < M ? c->args.block_bytes : M;
    return lpi_ceil_div(M, lpi_minimise(least_time, &choice, 1, M));
}

static struct logp_prediction predict(int64_t P, const struct logp_coll *c)
{
    const int64_t M = item_bytes(c), size = block_bytes(P, c);
    const int64_t blocks = M > 0 ? lpi_ceil_div(M, size) : 1;
    const struct lpi_grid grid = lpi_grid_of(P, c);
    const struct pipeline p = make_pipeline(c, &grid, blocks, size, M - (blocks - 1) * size);

    return lpi_exact(end_of_pipeline(&p));
}

/* Blocks wait for links if their sender may send the next before a link has passed one. */
static bool outruns_links(const struct logp_coll *c, int64_t block)
{
    const int64_t holds =
        lpi_max(c->model.params.g_ns, logp_stream_ns(&c->model.params, (size_t)block));

    return block < item_bytes(c) && holds > lpi_times(&c->model.params, (size_t)block).E;
}

/* On its own torus a link passes the blocks of one processor only. Where these wait for it, which
 * takes store-forward, nothing is faster than predicted. */
static struct logp_prediction predict_linked(int64_t P, const struct logp_coll *c)
{
    struct logp_prediction p = predict(P, c);

    if (!lpi_torus_on_own_links(P, c))
        return lpi_no_prediction();
    if (p.certainty == LOGP_PREDICTION_EXACT && outruns_links(c, block_bytes(P, c)))
        p.certainty = LOGP_PREDICTION_LOWER_BOUND;
    return p;
}

static int plan(int P, int rank, struct logp_coll *c)
{
    const int rc = lpi_plan_torus(P, rank, c);

    c->part.block = block_bytes(P, c);
    return rc;
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("broadcast", "torus-pipelined", "the same in blocks (--block)",
                    "Liu, Li & Cui 1996"),
     .needs = lpi_torus_needs, .plan = plan, .steps = steps, .run = run, .predict = predict,
     .predict_linked = predict_linked,
     .knobs = {LOGP_KNOB(block_bytes, block_bytes), LOGP_KNOB(work_ns, NULL),
               LOGP_KNOB(no_overlap, NULL)}},
};

const struct lpi_rows lpi_torus_pipelined = LPI_ROWS(algorithms);
