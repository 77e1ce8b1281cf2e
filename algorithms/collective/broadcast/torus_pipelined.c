/* SPDX-License-Identifier: MIT */
/*
 * Broadcast on a torus (torus.c) in blocks (pipeline.c).
 *
 * The prediction is the largest end over the paths from the root. Paths differ in their kinds of
 * processors and in how many there are of each in a row; of those that differ in the latter alone,
 * the longest is the latest.
 *
 * Exact for any rows, columns >= 2, block, parameters. On n x n where n is even, the block divides
 * the item and o_send = o_recv <= g, it is (n-3) D + 3 max(D, g) + (blocks - 1) X + work of a
 * block, with X = max(4g, 4 o_send + work), without overlap max(4g, 3g + o_send + work).
 *
 * Source: Liu, Li & Cui 1996.
 */
#include "broadcast.h"

struct shape {
    const struct lpi_pipeline *p;
    int64_t rows, cols;
    int row_ways, col_ways; /* along the root's row, along each column: 1 where that has two */
};

/* The last block at the end of all ways along a column, whose first processors are children
 * `index` and after. */
static __int128 end_of_columns(const struct shape *s, struct lpi_path top, int index)
{
    __int128 end = 0;

    for (int way = 0; way < s->col_ways; way++) {
        const int64_t far = lpi_torus_steps(s->rows, way);
        struct lpi_path f = lpi_pipeline_pass(s->p, top, index + way, far - 1, 1);

        f = lpi_pipeline_pass(s->p, f, far > 1 ? 0 : index + way, 1, 0);
        end = lpi_later(end, f.end);
    }
    return end;
}

static __int128 end_of(const struct lpi_pipeline *p)
{
    const struct lpi_grid grid = lpi_grid_of(p->P, p->c);
    const struct shape s = {.p = p,
                            .rows = grid.size[0],
                            .cols = grid.size[1],
                            .row_ways = grid.size[1] > 2 ? 2 : 1,
                            .col_ways = grid.size[0] > 2 ? 2 : 1};
    const struct lpi_path root = lpi_pipeline_root(p, s.row_ways + s.col_ways);
    __int128 end = end_of_columns(&s, root, s.row_ways);

    for (int way = 0; way < s.row_ways; way++) {
        const int64_t far = lpi_torus_steps(s.cols, way);
        struct lpi_path f = lpi_pipeline_pass(p, root, way, far - 1, 1 + s.col_ways);

        if (far > 1)
            end = lpi_later(end, end_of_columns(&s, f, 1));
        f = lpi_pipeline_pass(p, f, far > 1 ? 0 : way, 1, s.col_ways);
        end = lpi_later(end, end_of_columns(&s, f, 0));
    }
    return end;
}

static int64_t block_bytes(int64_t P, const struct logp_invocation *c)
{
    return lpi_pipeline_block(P, c, end_of);
}

static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_pipeline p = lpi_pipeline_of(P, c, block_bytes(P, c));

    return lpi_exact(lpi_pipeline_time(&p, end_of));
}

/* Blocks wait for links if their sender may send the next before a link has passed one. */
static bool outruns_links(const struct logp_invocation *c, int64_t block)
{
    const int64_t holds =
        lpi_max(c->model.params.g_ns, logp_params_stream_ns(&c->model.params, (size_t)block));

    return (size_t)block < c->args.n_bytes && holds > lpi_times(&c->model.params, (size_t)block).E;
}

/* On its own torus a link passes the blocks of one processor only. Where these wait for it, which
 * takes store-forward, nothing is faster than predicted. */
static struct logp_prediction predict_linked(int64_t P, const struct logp_invocation *c)
{
    struct logp_prediction p = predict(P, c);

    if (!lpi_torus_on_own_links(P, c))
        return lpi_no_prediction();
    if (p.certainty == LOGP_PREDICTION_EXACT && outruns_links(c, block_bytes(P, c)))
        p.certainty = LOGP_PREDICTION_LOWER_BOUND;
    return p;
}

static int plan(int P, int rank, struct logp_invocation *c)
{
    const int rc = lpi_plan_torus(P, rank, c);

    c->plan.block = block_bytes(P, c);
    return rc;
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("broadcast", "torus-pipelined", "the torus algorithm in blocks (--block)",
                    "Liu, Li & Cui 1996"),
     .needs = lpi_torus_needs, .plan = plan, .predict = predict, .predict_linked = predict_linked,
     LPI_PIPELINED(block_bytes)},
};

const struct lpi_rows lpi_torus_pipelined = LPI_ROWS(algorithms);
