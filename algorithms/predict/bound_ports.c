/* SPDX-License-Identifier: MIT */
/*
 * Lower bounds where processors have K ports. d, w(k) and W(k) are those of bound.c.
 *
 * Bytes. Of k bytes that leave a processor some port sends k/K or more. This port alone takes
 * d + W(ceil(k/K)) - e, as the only one would (bound.c, "Any single port"). The same holds for those
 * that come.
 *
 * Trees. The greedy tree of ports_tree.c informs most by any time. Backwards in time, with o_recv, it
 * holds where all must be heard of.
 */
#include "predict/predict.h"

enum { MOST_INFORMED = 1 << 12 }; /* beyond, the time of so many */

/* The time until P processors are informed; o: of the ends that many messages share. */
static int64_t tree_time(const struct lpi_ways *w, int64_t o)
{
    const struct logp_params *p = &w->port;
    const struct lpi_ports_tree tree = {.d = p->o_send_ns + logp_params_stream_ns(p, 1) + p->L_ns +
                                             p->o_recv_ns,
                                        .busy = o,
                                        .e = lpi_max(o, p->g_ns),
                                        .ports = w->ports};

    return lpi_ports_tree(&tree, w->P < MOST_INFORMED ? (int)w->P : MOST_INFORMED, NULL);
}

static int64_t size_of(const struct lpi_ranks *r)
{
    return (r->end - r->first + r->step - 1) / r->step;
}

/* The bytes that one processor needs of others, or others of it: each: of each of them its own. */
static int64_t bytes_of(const struct lpi_need *need, const struct lpi_ranks *others, bool each)
{
    const int64_t n = size_of(others) - 1; /* it may be one of them */

    return each && !need->up && n > 1 ? lpi_bound_times(need->bytes, n) : need->bytes;
}

int64_t lpi_bound_ports(const struct lpi_ways *w, const struct lpi_need *need)
{
    const int64_t out = lpi_ceil_div(bytes_of(need, &need->to, need->each_to), w->ports);
    const int64_t in = lpi_ceil_div(bytes_of(need, &need->from, need->each_from), w->ports);
    int64_t T;

    if (w->P < 2 || (size_of(&need->from) == 1 && size_of(&need->to) == 1 &&
                     need->from.first == need->to.first))
        return 0;
    T = lpi_max(lpi_bound_sent(&w->port, out), lpi_bound_received(&w->port, in));
    if (lpi_ranks_are_all(&need->to, w->P) && (!need->up || lpi_ranks_have(&need->from, 0)))
        T = lpi_max(T, tree_time(w, w->port.o_send_ns));
    if (lpi_ranks_are_all(&need->from, w->P) && (!need->up || lpi_ranks_have(&need->to, w->P - 1)))
        T = lpi_max(T, tree_time(w, w->port.o_recv_ns));
    return T;
}
