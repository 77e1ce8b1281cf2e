/* SPDX-License-Identifier: MIT */
/*
 * The summation trees: see summation.h.
 *
 * With labels x = T - effective time, n nodes sum up to
 *     sum of (T - x + 1) - (n - 1)(o + 1) = (T + 1) + sum over those below the root of (T - x - o)
 * operands: a node adds T - x + 1 and takes o + 1 from its parent. So only labels below T - o are
 * worth a message, and of them the smallest. As f(m) of them are at most m,
 *     N_max(T, P) = T + 1 + sum over m = 0 .. T-o-1 of (min(f(m), P) - 1).
 */
#include "predict/predict.h"

#include <logp/paper.h>

#include <errno.h>

/* Limit of times in units, beyond LOGP_SUMMATION_MAX: to wait so long never pays. */
static const int64_t most_units = 3 * LOGP_PARAM_MAX_NS;

static int64_t units(__int128 ns, int64_t unit_ps)
{
    const __int128 n = (ns * 1000 + unit_ps - 1) / unit_ps;

    return n < most_units ? (int64_t)n : most_units - 1; /* an addition may follow */
}

/*
 * Times in units, rounded up: an event of the run is then never later than its unit, because each
 * step of a processor starts at the latest of the events that it waits for. Additions are charged
 * in whole nanoseconds; where gamma is none, those before a receive or a send end up to one later,
 * for which both are planned with one more.
 *
 * No processor waits in a plan, and rounding up only brings messages earlier: the time is exact as
 * soon as a processor's own times, of receiving and adding, are whole.
 */
static void measure(struct logp_summation *s, const struct logp_params *p, size_t n_bytes,
                    int64_t *d, int64_t *e)
{
    const int64_t stream = logp_params_stream_ns(p, n_bytes), gamma = p->gamma_ps;
    const int64_t late = gamma % 1000 != 0;
    const int64_t gap = units(logp_params_gap_ns(p, n_bytes), gamma);

    s->o_recv = units(p->o_recv_ns + late, gamma);
    *d = units((__int128)p->o_send_ns + stream + p->L_ns + p->o_recv_ns + late, gamma) + 1;
    *e = lpi_max(gap, s->o_recv + 1);
    s->exact = !late && (__int128)p->o_recv_ns * 1000 % gamma == 0;
}

/* Share out N operands over a tree whose nodes have `total` effective time together. */
static void share_out(struct logp_summation *s, int64_t N, __int128 total)
{
    const int64_t P = s->tree.P;
    const int64_t rest = N - (int64_t)(total + P - (__int128)(P - 1) * (s->o_recv + 1));

    s->each = rest / P;
    s->more = rest % P;
    s->time = s->tree.T + s->each + (s->more > 0);
    if (P == 1)
        s->exact = true;
}

/* Return the number of processors that take part: all labels below T - o for the least T with
 * N_max(T, P) >= N. */
static int64_t worth_sending(const struct logp_summation *s, int64_t N, int64_t d, int64_t e)
{
    int64_t low = 1, high = s->tree.T; /* T - o */

    if (s->tree.P == 1 || s->o_recv + 1 + lpi_tree_sum(high - 1, d, e) < N)
        return s->tree.P;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (s->o_recv + 1 + lpi_tree_sum(middle - 1, d, e) >= N)
            high = middle;
        else
            low = middle + 1;
    }
    return logp_tree_count(low - 1, d, e);
}

/* Check the arguments; of the processors, no more than there are operands can take part. */
static int begin(struct logp_summation *s, int64_t *P, int64_t N, const struct logp_params *p)
{
    if (*P < 1 || *P > LOGP_TREE_MAX || N < 1 || N > LOGP_SUMMATION_MAX)
        return -EINVAL;
    *s = (struct logp_summation){.unit_ps = p->gamma_ps};
    *P = p->gamma_ps == 0 ? 1 : *P < N ? *P : N;
    return 0;
}

int logp_summation_optimal(struct logp_summation *s, int64_t P, int64_t N,
                           const struct logp_params *params, size_t n_bytes)
{
    int64_t d = 1, e = 1, n;
    int rc = begin(s, &P, N, params);

    if (rc != 0)
        return rc;
    if (P > 1)
        measure(s, params, n_bytes, &d, &e);
    rc = logp_tree_init_earliest(&s->tree, P, d, e);
    if (rc == 0 && (n = worth_sending(s, N, d, e)) < P)
        rc = logp_tree_init_earliest(&s->tree, n, d, e);
    if (rc == 0)
        share_out(s, N, lpi_tree_sum(s->tree.T - 1, d, e));
    return rc;
}

int logp_summation_paper(struct logp_summation *s, int64_t P, int64_t N,
                         const struct logp_params *params, size_t n_bytes)
{
    const int64_t everyone = P;
    int64_t d = 1, e = 1;
    __int128 total;
    int rc = begin(s, &P, N, params);

    if (rc != 0)
        return rc;
    if (P > 1)
        measure(s, params, n_bytes, &d, &e);
    if (P < everyone || lpi_max(d, e) >= most_units - 1)
        return logp_summation_optimal(s, everyone, N, params, n_bytes);
    rc = logp_tree_init(&s->tree, P, d, e);
    if (rc != 0)
        return rc;
    total = lpi_tree_total(&s->tree);
    if (total + P - (__int128)(P - 1) * (s->o_recv + 1) > N)
        return logp_summation_optimal(s, everyone, N, params, n_bytes);
    share_out(s, N, total);
    return 0;
}

struct logp_summation_node logp_summation_node(const struct logp_summation *s, int64_t id)
{
    struct logp_summation_node node = {.place = logp_tree_find(&s->tree, id)};

    node.children = logp_tree_children(&s->tree, &node.place);
    node.own = node.place.time - node.children * (s->o_recv + 1) + 1;
    node.shared = s->each + (id < s->more);
    if (node.children > 1)
        node.between = s->tree.e * s->tree.scale - s->o_recv - 1;
    node.first = node.own + node.shared - 1;
    if (node.children > 1)
        node.first -= (node.children - 1) * node.between;
    node.ready = node.place.time + s->each + (id < s->more);
    return node;
}
