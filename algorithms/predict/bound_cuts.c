/* SPDX-License-Identifier: MIT */
/*
 * Lower bounds through the links of a network. Its nodes are put in a row and cut in two between
 * any two of them; the K bytes that the processors of one side need from the other cross the cut,
 * whatever way they take and however often they are relayed. Of c links that cross one passes
 * ceil(K/c) of them at least, k now.
 *
 * A link passes its next message max(g, st(k_i)) after the one before, which is the gap of links
 * that logp/delay.h states. So the last enters sum max(g, st(k_i)) after the first, without its
 * own, and then takes L + st. As max(g, st) - st <= max(g - st(1), 0):
 *
 *     T >= o_send + V(k) + L + o_recv - max(g - st(1), 0),
 *
 * with V(k) the least of the sum. n messages take at least n g and, st(k_i) = (k_i - 1)G, at least
 * (k - n) G: V(k) is the least over n >= 1 of the larger of the two, which is next to where they
 * are equal, n = k G / (g + G). store-forward: st(k_i) = k_i G, so n g and k G, and n = 1.
 *
 * Combining changes nothing, as in bound_ways.c. The rows: by rank; in a mesh or torus by the place
 * in each of its dimensions. A row may have no more than MOST_CUTS cuts: where it is longer, ranks
 * or places next to each other share one place of the row.
 */
#include "predict/predict.h"

enum { MOST_CUTS = 256, MOST_LINKS = 1 << 18, MOST_SWITCHES = 2048 };

/* The place of each node in the row. */
struct row {
    const struct logp_topology *topology;
    int64_t P;
    int stride, size;  /* of the dimension */
    int n;             /* cuts + 1 */
    int16_t *switches; /* their places; of a tree only */
};

static int stands(const struct row *r, int node)
{
    if (node >= r->P)
        return r->switches[node - r->P];
    return (int)((int64_t)(node / r->stride % r->size) * r->n / r->size);
}

/* Put each switch at the place of the lowest rank whose route to rank 0 leads over it and whose
 * place is not that of rank 0; all others at that of rank 0. */
static bool place_switches(struct row *r, int16_t *switches)
{
    const int links = logp_topology_links(r->topology);
    int from, to, n = 0, first = 0;

    logp_topology_next(r->topology, &first, (int)r->P - 1);
    for (int i = 0; first >= r->P && i < links; i++) { /* elsewhere no rank has one */
        logp_topology_ends(r->topology, i, &from, &to);
        n = from >= r->P + n ? from - (int)r->P + 1 : n;
    }
    if (n > MOST_SWITCHES)
        return false;
    r->switches = switches;
    for (int i = 0; i < n; i++)
        switches[i] = 0;
    for (int rank = 1; n > 0 && rank < r->P; rank++) {
        int node = rank;

        while (logp_topology_next(r->topology, &node, 0) >= 0)
            if (node >= r->P && switches[node - r->P] == 0)
                switches[node - r->P] = (int16_t)stands(r, rank);
    }
    return true;
}

/* V(k) */
static int64_t least_on_a_link(const struct logp_params *p, int64_t k)
{
    const __int128 G = p->G_ps, g = (__int128)p->g_ns * 1000;
    __int128 n, least;

    if (p->store_forward) {
        least = lpi_later(g, k * G);
    } else {
        n = G + g > 0 ? k * G / (g + G) : 0;
        least = lpi_later((n + 1) * g, (k - n - 1) * G);
        if (n >= 1 && lpi_later(n * g, (k - n) * G) < least)
            least = lpi_later(n * g, (k - n) * G);
    }
    least = (least + 999) / 1000;
    return least < INT64_MAX / 8 ? (int64_t)least : INT64_MAX / 8;
}

static int64_t across(const struct logp_params *p, int64_t bytes, int64_t links)
{
    const int64_t last = lpi_max(p->g_ns - logp_params_stream_ns(p, 1), 0);

    if (bytes == 0 || links == 0)
        return 0;
    return p->o_send_ns + least_on_a_link(p, lpi_ceil_div(bytes, links)) + p->L_ns + p->o_recv_ns -
           last;
}

/* Return the bytes that cross, from this number of senders to this number of receivers. */
static int64_t bytes_of(const struct lpi_need *need, int64_t from, int64_t to)
{
    if (from == 0 || to == 0)
        return 0;
    return lpi_bound_times(lpi_bound_times(need->bytes, need->each_from ? from : 1),
                           need->each_to ? to : 1);
}

/* For each place of the row the number of processors there, and, at its upper end, how many more
 * links cross the cut below it, each way, than the one before. */
struct counts {
    int64_t from[MOST_CUTS], to[MOST_CUTS], up[MOST_CUTS], down[MOST_CUTS];
};

static void count(const struct row *r, const struct lpi_need *need, struct counts *c)
{
    const int links = logp_topology_links(r->topology);
    int a, b;

    for (int64_t rank = need->from.first; rank < need->from.end; rank += need->from.step)
        c->from[stands(r, (int)rank)]++;
    for (int64_t rank = need->to.first; rank < need->to.end; rank += need->to.step)
        c->to[stands(r, (int)rank)]++;
    for (int i = 0; i < links; i++) {
        int64_t *cross = c->up;

        logp_topology_ends(r->topology, i, &a, &b);
        a = stands(r, a);
        b = stands(r, b);
        if (a > b)
            cross = c->down;
        cross[a < b ? a : b]++;
        cross[a < b ? b : a]--;
    }
}

static int64_t best_cut(const struct row *r, const struct logp_params *p,
                        const struct lpi_need *need)
{
    struct counts c = {.from = {0}};
    int64_t from_below = 0, to_below = 0, from = 0, to = 0, up = 0, down = 0, T = 0;

    count(r, need, &c);
    for (int i = 0; i < r->n; i++) {
        from += c.from[i];
        to += c.to[i];
    }
    for (int i = 0; i + 1 < r->n; i++) {
        from_below += c.from[i];
        to_below += c.to[i];
        up += c.up[i];
        down += c.down[i];
        T = lpi_max(T, across(p, bytes_of(need, from_below, to - to_below), up));
        if (!need->up)
            T = lpi_max(T, across(p, bytes_of(need, from - from_below, to_below), down));
    }
    return T;
}

int64_t lpi_bound_cuts(const struct lpi_ways *w, const struct lpi_need *need)
{
    int sizes[LOGP_TOPOLOGY_SIZES], dimensions = logp_topology_sizes(w->topology, sizes);
    int16_t switches[MOST_SWITCHES];
    struct row r = {.topology = w->topology, .P = w->P};
    int64_t T = 0;

    if (logp_topology_links(w->topology) > MOST_LINKS)
        return 0;
    if (dimensions == 0) {
        sizes[0] = (int)w->P;
        dimensions = 1;
    }
    r.stride = 1;
    for (int i = dimensions - 1; i >= 0; i--) {
        r.size = sizes[i];
        r.n = r.size < MOST_CUTS ? r.size : MOST_CUTS;
        if (r.n > 1 && place_switches(&r, switches))
            T = lpi_max(T, best_cut(&r, &w->params, need));
        r.stride *= sizes[i];
    }
    return T;
}
