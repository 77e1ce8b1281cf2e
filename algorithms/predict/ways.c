/* SPDX-License-Identifier: MIT */
/* Ways from one processor to another: see predict.h. */
#include "predict/predict.h"

static const int64_t most = INT64_MAX / 8; /* as lpi_exact() */

enum { MOST_LOOKED_AT = 1 << 16 }; /* ranks of a network, for the farthest */

/* ---- places ---- */

/* @return its place; -1: there are too many */
static int add(struct lpi_ways *w, int64_t rank)
{
    if (w->n == LPI_PLACES)
        return -1;
    w->rank[w->n] = (int)rank;
    w->stands_for[w->n] = 1;
    w->is_end[w->n] = true;
    return w->n++;
}

static bool add_all(struct lpi_ways *w)
{
    for (int64_t r = 0; r < w->P; r++)
        add(w, r);
    return true;
}

/* Of the ranks looked at. */
static int64_t farthest(const struct lpi_ways *w, int from)
{
    const int64_t step = (w->P + MOST_LOOKED_AT - 1) / MOST_LOOKED_AT;
    int64_t at = from;
    int far = 0;

    for (int64_t r = w->P - 1; r >= 0; r -= step) {
        const int hops = logp_topology_hops(w->topology, from, (int)r);

        if (hops > far) {
            far = hops;
            at = r;
        }
    }
    return at;
}

static bool has(const struct lpi_ways *w, int64_t rank)
{
    for (int i = 0; i < w->n; i++)
        if (w->rank[i] == rank)
            return true;
    return false;
}

/* Take the root, rank 0 and the last, the ranks farthest from the root and from rank 0, and ranks
 * in between. */
static bool sample_network(struct lpi_ways *w, int root)
{
    const int64_t first[] = {root, farthest(w, root), 0, farthest(w, 0), w->P - 1};

    for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
        if (!has(w, first[i]))
            add(w, first[i]);
    for (int i = 1; w->n < LPI_PLACES && i < LPI_ALL_PLACES; i++)
        if (!has(w, w->P / LPI_ALL_PLACES * i))
            add(w, w->P / LPI_ALL_PLACES * i);
    return true;
}

/* The state by which the places of links are chosen. */
struct choice {
    int64_t node[LOGP_MOST_KINDS]; /* the last that had a place of this kind, */
    int places[LOGP_MOST_KINDS];   /* how many it has there, */
    int place[LOGP_MOST_KINDS];    /* and the last of them */
    int alike[LOGP_MOST_KINDS];    /* whole nodes of only this kind that have places, */
    int alike_at[LOGP_MOST_KINDS]; /* and a place on one of them, which is not the root's */
};

/* Add ranks first .. end - 1 of one node: two of each kind have places, and the root, rank 0 and
 * the last. */
static bool add_node(struct lpi_ways *w, struct choice *x, int64_t node, int64_t first, int64_t end,
                     int root)
{
    for (int64_t r = first; r < end; r++) {
        const int kind = logp_links_kind(w->links, (int)r);

        if (x->node[kind] != node + 1) {
            x->node[kind] = node + 1;
            x->places[kind] = 0;
        }
        if (r == root || r == 0 || r == w->P - 1) {
            if (add(w, r) < 0)
                return false;
        } else if (x->places[kind] == 2) {
            w->stands_for[x->place[kind]]++;
            w->is_end[x->place[kind]] = false;
        } else {
            x->places[kind]++;
            x->place[kind] = add(w, r);
            if (x->place[kind] < 0)
                return false;
        }
    }
    return true;
}

static bool of_one_kind(const struct lpi_ways *w, int64_t first, int64_t end)
{
    const int kind = logp_links_kind(w->links, (int)first);

    for (int64_t r = first + 1; r < end; r++)
        if (logp_links_kind(w->links, (int)r) != kind)
            return false;
    return true;
}

/* Whole nodes of one kind of ranks are alike, unless they have the root, rank 0 or the last
 * rank. */
static bool sample_links(struct lpi_ways *w, int root)
{
    const int64_t per_node =
        logp_links_per_node(w->links) > 0 ? logp_links_per_node(w->links) : w->P;
    struct choice x = {.node = {0}};

    if (logp_links_per_socket(w->links) > 0) /* ranks of a node may be on different sockets */
        return w->P <= LPI_PLACES && add_all(w);
    for (int64_t first = 0, node = 0; first < w->P; first += per_node, node++) {
        const int64_t end = w->P - first < per_node ? w->P : first + per_node;
        const bool stands_out = first == 0 || end == w->P || (first <= root && root < end);
        const int kind = logp_links_kind(w->links, (int)first), before = w->n;

        if (!stands_out && of_one_kind(w, first, end)) {
            if (x.alike[kind] == 3) {
                w->stands_for[x.alike_at[kind]] += per_node;
                continue;
            }
            x.alike[kind]++;
            x.alike_at[kind] = w->n;
        }
        if (!add_node(w, &x, node, first, end, root))
            return false;
        for (int i = before; !stands_out && x.alike[kind] == 3 && i < w->n; i++)
            w->is_end[i] = false; /* of those left out none is on its node */
    }
    return true;
}

static bool find_places(struct lpi_ways *w, int64_t P, const struct logp_invocation *c)
{
    const int root = c->args.root >= 0 && c->args.root < P ? c->args.root : 0;

    w->P = P;
    w->n = 0;
    w->links = c->model.links;
    w->topology = c->model.links == NULL ? c->model.topology : NULL;
    w->params = c->model.params;
    if (P < 2 || (w->links != NULL ? logp_links_size(w->links) != P
                                   : w->topology == NULL || logp_topology_size(w->topology) != P))
        return false;
    if (w->links != NULL)
        return sample_links(w, root);
    return P <= LPI_ALL_PLACES ? add_all(w) : sample_network(w, root);
}

bool lpi_ways_init(struct lpi_ways *w, int64_t P, const struct logp_invocation *c)
{
    const bool found = find_places(w, P, c);

    w->ports = lpi_has_ports(&c->model) ? c->model.ports : 1;
    w->port = c->model.params;
    if (w->links != NULL)
        logp_links_least(w->links, &w->port, &w->port);
    if (!found)
        w->n = 0;
    return found || w->ports > 1;
}

/* ---- times ---- */

struct logp_params lpi_ways_params(const struct lpi_ways *w, int from, int to)
{
    struct logp_params p = w->params;

    if (w->links != NULL)
        logp_links_of(w->links, w->rank[from], w->rank[to], &w->params, &p);
    if (w->ports > 1)
        p.g_ns = p.G_ps = 0;
    return p;
}

/* The time of one message of one byte between two places; back: from the second to the first. */
static int64_t message(const struct lpi_ways *w, int first, int second, bool back)
{
    const int from = back ? second : first, to = back ? first : second;
    const struct logp_params p = lpi_ways_params(w, from, to);
    const int64_t hops =
        w->links != NULL ? 1 : logp_topology_hops(w->topology, w->rank[from], w->rank[to]);

    const __int128 wire = (__int128)hops * (p.L_ns + logp_params_stream_ns(&p, 1));

    return p.o_send_ns + (wire < most ? (int64_t)wire : most) + p.o_recv_ns;
}

void lpi_ways_of(const struct lpi_ways *w, int place, bool back, int64_t way[LPI_PLACES])
{
    bool done[LPI_PLACES] = {false};

    for (int i = 0; i < w->n; i++)
        way[i] = i == place ? 0 : message(w, place, i, back);
    done[place] = true;
    for (int round = 2; w->links != NULL && round < w->n; round++) {
        int next = -1;

        for (int i = 0; i < w->n; i++)
            if (!done[i] && (next < 0 || way[i] < way[next]))
                next = i;
        done[next] = true;
        for (int i = 0; i < w->n; i++)
            if (!done[i]) {
                const int64_t over = way[next] + message(w, next, i, back);

                way[i] = over < way[i] ? over : way[i];
            }
    }
}

void lpi_ways_lower(struct logp_params *to, const struct logp_params *p)
{
    lpi_at_most(&to->L_ns, p->L_ns);
    lpi_at_most(&to->o_send_ns, p->o_send_ns);
    lpi_at_most(&to->o_recv_ns, p->o_recv_ns);
    lpi_at_most(&to->g_ns, p->g_ns);
    lpi_at_most(&to->G_ps, p->G_ps);
}

struct lpi_ways_port lpi_ways_port(const struct lpi_ways *w, int place, bool back)
{
    const int any = place == 0;
    struct lpi_ways_port port = {lpi_ways_params(w, back ? any : place, back ? place : any), 0};
    int64_t o_recv_most = port.least.o_recv_ns;

    for (int i = 0; w->links != NULL && i < w->n; i++)
        if (i != place) {
            const struct logp_params p = lpi_ways_params(w, back ? i : place, back ? place : i);

            lpi_ways_lower(&port.least, &p);
            o_recv_most = lpi_max(o_recv_most, p.o_recv_ns);
        }
    port.o_recv_more = o_recv_most - port.least.o_recv_ns;
    return port;
}
