/* SPDX-License-Identifier: MIT */
/*
 * Allreduce on a circulant graph: a reduce-scatter of P parts, then an allgather. Scratch has the
 * parts in the order from the rank's own on, and after them the received ones. A round of the
 * reduce-scatter sends the parts from skip(k) up to skip(k + 1) to rank + skip(k), where they are
 * the first; the allgather returns them.
 */
#include "allreduce.h"
#include "collective/collective.h"
#include "predict/predict.h"
#include "schedule/reader.h"

/* Of a rank, the parts from its own plus `begin` on, up to its own plus `end`. */
static struct lpi_range parts_of(int64_t P, int64_t rank, const struct logp_invocation *c,
                                 int64_t begin, int64_t end)
{
    const int64_t first = lpi_part_begin(c->args.count, P, rank);
    int64_t at[2] = {rank + begin, rank + end};

    for (int i = 0; i < 2; i++)
        at[i] = (at[i] < P ? 0 : c->args.count) - first +
                lpi_part_begin(c->args.count, P, at[i] < P ? at[i] : at[i] - P);
    return (struct lpi_range){at[0], at[1] - at[0]};
}

/* Copy between the order of ranks, in a buffer, and the order from the own part on: step 0 the
 * parts from the own one on, step 1 those before it. */
static bool rotate(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                   enum logp_buffer buffer, bool back, struct logp_step *out)
{
    const int64_t own = lpi_part_begin(c->args.count, P, rank), count = c->args.count;
    const struct logp_buffer_ref in_order = lpi_vector_ref(c, buffer, i == 0 ? own : 0);
    const struct logp_buffer_ref rotated =
        lpi_vector_ref(c, LOGP_SCRATCH, i == 0 ? 0 : count - own);

    return logp_step_copy(out, back ? in_order : rotated, back ? rotated : in_order,
                          lpi_vector_ref(c, buffer, i == 0 ? count - own : own).offset);
}

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const int q = lpi_ceil_log2(P);
    const int64_t k = i < 2 + 3 * q ? q - 1 - (i - 2) / 3 : (i - 2 - 3 * q) / 2;
    const int64_t what = i < 2 + 3 * q ? (i - 2) % 3 : 3 + (i - 2 - 3 * q) % 2;
    struct lpi_range near, far;
    int64_t skip;

    if (i < 2)
        return rotate(P, rank, c, i, LOGP_BUF, false, out);
    if (k >= q)
        return i - 2 - 5 * q < 2 && rotate(P, rank, c, i - 2 - 5 * q, LOGP_RECV_BUF, true, out);
    skip = lpi_circulant_skip(P, k);
    near = parts_of(P, rank, c, 0, lpi_circulant_skip(P, k + 1) - skip);
    far = parts_of(P, rank, c, skip, lpi_circulant_skip(P, k + 1));
    switch (what) {
    case 0:
        return lpi_send_range(out, c, lpi_mod(rank + skip, P), LOGP_SCRATCH, far);
    case 1:
        near.begin = c->args.count;
        return lpi_receive_range(out, c, lpi_mod(rank - skip, P), LOGP_SCRATCH, near);
    case 2:
        return logp_step_combine(out, (struct logp_buffer_ref){LOGP_SCRATCH, 0},
                                 (struct logp_buffer_ref){LOGP_SCRATCH, 0},
                                 lpi_vector_ref(c, LOGP_SCRATCH, c->args.count), near.n,
                                 lpi_combine_ns(&c->model.params, near.n));
    case 3:
        return lpi_send_range(out, c, lpi_mod(rank - skip, P), LOGP_SCRATCH, near);
    default:
        return lpi_receive_range(out, c, lpi_mod(rank + skip, P), LOGP_SCRATCH, far);
    }
}

LPI_READER(run, steps)

static int plan(int P, int rank, struct logp_invocation *c)
{
    (void)P, (void)rank;
    c->plan.scratch_bytes = lpi_bytes(2, lpi_vector_bytes(c));
    return lpi_vector_valid(c);
}

/* Exact where all parts are alike; else with the longest in all messages: a bound. */
static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const int q = lpi_ceil_log2(P);
    struct lpi_rounds r = LPI_ROUNDS;

    if (P > 1 && p->gap_shared)
        return lpi_no_prediction();
    for (int i = 0; i < 2 * q; i++) {
        const int64_t k = i < q ? q - 1 - i : i - q;
        const struct lpi_range parts =
            lpi_range_of(c, P, 0, lpi_circulant_skip(P, k + 1) - lpi_circulant_skip(P, k));

        lpi_combining_round(&r, p, 1, lpi_vector_ref(c, LOGP_BUF, parts.n).offset,
                            i < q ? lpi_combine_ns(p, parts.n) : 0);
    }
    return c->args.count % P == 0 ? lpi_exact(r.free) : lpi_bound(r.free);
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("allreduce", "circulant", "circulant reduce-scatter, then allgather",
                    "Traeff 2024"),
     .needs = lpi_needs_commutative, .plan = plan, .steps = steps, .run = run, .predict = predict,
     .rough = true, .same_results = true},
};

const struct lpi_rows lpi_allreduce_circulant = LPI_ROWS(algorithms);
