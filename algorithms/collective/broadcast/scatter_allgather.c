/* SPDX-License-Identifier: MIT */
/*
 * Broadcast of a long item: it is cut into a part for each processor, which the binomial tree hands
 * out and an allgather brings together again. All of it in the item's own place; processor v after
 * the root has part v.
 * Source: Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005 (van de Geijn).
 */
#include "broadcast.h"
#include "collective/collective.h"
#include "predict/predict.h"
#include "schedule/reader.h"

struct parts {
    size_t begin, n_bytes;
};

/* Those from `first` on, n of them. */
static struct parts parts_of(int64_t P, const struct logp_invocation *c, int64_t first, int64_t n)
{
    const int64_t bytes = c->args.n_bytes < INT64_MAX ? (int64_t)c->args.n_bytes : INT64_MAX;
    const int64_t begin = lpi_part_begin(bytes, P, first);

    return (struct parts){(size_t)begin, (size_t)(lpi_part_begin(bytes, P, first + n) - begin)};
}

static bool send(const struct logp_invocation *c, int64_t P, int64_t to, struct parts p,
                 struct logp_step *out)
{
    return logp_step_send(out, lpi_mod(to + c->args.root, P), c->args.tag, LOGP_BUF, p.begin,
                          p.n_bytes);
}

static bool receive(const struct logp_invocation *c, int64_t P, int64_t from, struct parts p,
                    struct logp_step *out)
{
    return logp_step_receive(out, lpi_mod(from + c->args.root, P), c->args.tag, LOGP_BUF, p.begin,
                             p.n_bytes);
}

/* @return steps that it takes; or -1: *out is step i */
static int64_t scatter(int64_t P, int64_t v, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    const int64_t received = v > 0, child = lpi_knomial_child(P, v, 2, i - received);

    if (i < received)
        receive(c, P, lpi_knomial_parent(P, v, 2), parts_of(P, c, v, lpi_knomial_size(P, v, 2)),
                out);
    else if (child >= 0)
        send(c, P, child, parts_of(P, c, child, lpi_knomial_size(P, child, 2)), out);
    else
        return received + lpi_knomial_children(P, v, 2);
    return -1;
}

/* The time to process it follows. */
static bool process(const struct logp_invocation *c, int64_t i, struct logp_step *out)
{
    return i == 0 && c->args.work_ns > 0 && logp_step_compute(out, c->args.work_ns, 0);
}

/* In phase r pass part v - r on to the right. */
static bool ring_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    const int64_t v = lpi_mod(rank - c->args.root, P), scattered = scatter(P, v, c, i, out);
    const int64_t r = (i - scattered) / 2;

    if (scattered < 0)
        return true;
    if (r >= P - 1)
        return process(c, i - scattered - 2 * (P - 1), out);
    if ((i - scattered) % 2 == 0)
        return send(c, P, lpi_mod(v + 1, P), parts_of(P, c, lpi_mod(v - r, P), 1), out);
    return receive(c, P, lpi_mod(v - 1, P), parts_of(P, c, lpi_mod(v - r - 1, P), 1), out);
}

LPI_READER(ring_run, ring_steps)

static const char *doubling_needs(int64_t P, const struct logp_invocation *c)
{
    (void)c;
    return (P & (P - 1)) == 0 ? NULL : "a power of two as the number of processors";
}

/* With v xor 1, 2, 4, ... all parts that are there. */
static bool doubling_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                           struct logp_step *out)
{
    const int64_t v = lpi_mod(rank - c->args.root, P), scattered = scatter(P, v, c, i, out);
    int64_t d = 1;

    if (scattered < 0)
        return true;
    for (i -= scattered; i >= 2 && d < P; d *= 2)
        i -= 2;
    if (d >= P)
        return process(c, i, out);
    return i == 0 ? send(c, P, v ^ d, parts_of(P, c, v & -d, d), out)
                  : receive(c, P, v ^ d, parts_of(P, c, (v ^ d) & -d, d), out);
}

LPI_READER(doubling_run, doubling_steps)

/* A message for `nodes` parts, each as large as the largest. */
static struct lpi_times times(const struct logp_invocation *c, int64_t nodes)
{
    return lpi_times(&c->model.params, lpi_bytes((size_t)nodes, (size_t)c->plan.block));
}

/* When all have their part and may send on; c->plan.block: bytes of the largest. */
static __int128 scattered_at_most(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const int64_t gap = p->g_ns - p->o_send_ns - p->L_ns - p->o_recv_ns;

    return lpi_knomial_time(P, 2, c, times) + lpi_max(gap, 0);
}

/* Upper bounds: with all parts as large as the largest, which they go round with when all are
 * there. */
static struct logp_invocation largest(int64_t P, const struct logp_invocation *c)
{
    struct logp_invocation all = *c;

    all.plan.block = (int64_t)parts_of(P, c, 0, 1).n_bytes;
    return all;
}

static struct logp_prediction ring_predict(int64_t P, const struct logp_invocation *c)
{
    const struct logp_invocation all = largest(P, c);
    const int64_t most = lpi_round_at_most(&c->model.params, (size_t)all.plan.block);

    if (P == 1)
        return lpi_exact(c->args.work_ns);
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_bound(scattered_at_most(P, &all) + (P - 2) * (__int128)most + times(&all, 1).D +
                     c->args.work_ns);
}

static struct logp_prediction doubling_predict(int64_t P, const struct logp_invocation *c)
{
    const struct logp_invocation all = largest(P, c);
    __int128 T = scattered_at_most(P, &all);

    if (P == 1)
        return lpi_exact(c->args.work_ns);
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    for (int64_t d = 1; d < P / 2; d *= 2)
        T += lpi_round_at_most(&c->model.params, lpi_bytes((size_t)d, (size_t)all.plan.block));
    return lpi_bound(T + times(&all, P / 2).D + c->args.work_ns);
}

static const char thakur[] = "Thakur et al. 2005";

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("broadcast", "scatter-allgather", "scatter, then allgather along a ring",
                    thakur),
     .steps = ring_steps, .run = ring_run, .predict = ring_predict, .rough = true,
     .knobs = {LOGP_KNOB(work_ns, NULL)}},
    {LOGP_ALGORITHM("broadcast", "scatter-doubling", "scatter, then allgather by doubling", thakur),
     .needs = doubling_needs, .steps = doubling_steps, .run = doubling_run,
     .predict = doubling_predict, .rough = true, .knobs = {LOGP_KNOB(work_ns, NULL)}},
};

const struct lpi_rows lpi_broadcast_parts = LPI_ROWS(algorithms);
