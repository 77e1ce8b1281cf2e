/* SPDX-License-Identifier: MIT */
/*
 * Allgather on a circulant graph: in scratch item j is that of rank + j; in round k those of
 * skip(k) ranks are there, and as many as it takes to make them skip(k + 1) come from rank +
 * skip(k). Any P, and all do the same.
 */
#include "allgather.h"
#include "collective/collective.h"
#include "predict/predict.h"
#include "schedule/reader.h"

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const int q = lpi_ceil_log2(P);
    const int64_t k = (i - 1) / 2;
    int64_t skip, n;

    if (i == 0)
        return lpi_copy_items(out, c, lpi_item(c, LOGP_SCRATCH, 0), lpi_item(c, LOGP_BUF, 0), 1);
    if (k >= q && i == 1 + 2 * q)
        return lpi_copy_items(out, c, lpi_item(c, LOGP_RECV_BUF, rank),
                              lpi_item(c, LOGP_SCRATCH, 0), P - rank);
    if (k >= q)
        return i == 2 + 2 * q && lpi_copy_items(out, c, lpi_item(c, LOGP_RECV_BUF, 0),
                                                lpi_item(c, LOGP_SCRATCH, P - rank), rank);
    skip = lpi_circulant_skip(P, k);
    n = lpi_circulant_skip(P, k + 1) - skip;
    return i % 2 == 1
               ? lpi_send_items(out, c, lpi_mod(rank - skip, P), lpi_item(c, LOGP_SCRATCH, 0), n)
               : lpi_receive_items(out, c, lpi_mod(rank + skip, P), lpi_item(c, LOGP_SCRATCH, skip),
                                   n);
}

LPI_READER(run, steps)

static int plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    c->plan.scratch_bytes = lpi_bytes((size_t)P, c->args.n_bytes);
    return 0;
}

static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    struct lpi_rounds r = LPI_ROUNDS;

    if (P > 1 && c->model.params.gap_shared)
        return lpi_no_prediction();
    for (int k = 0; k < lpi_ceil_log2(P); k++) {
        const int64_t n = lpi_circulant_skip(P, k + 1) - lpi_circulant_skip(P, k);

        lpi_round(&r, &c->model.params, 1, lpi_bytes((size_t)n, c->args.n_bytes));
    }
    return lpi_exact(r.free);
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("allgather", "circulant", "receive from rank + ceil(P/2^q), ..., ceil(P/2)",
                    "Traeff 2024"),
     .plan = plan, .steps = steps, .run = run, .predict = predict},
};

const struct lpi_rows lpi_allgather_circulant = LPI_ROWS(algorithms);
