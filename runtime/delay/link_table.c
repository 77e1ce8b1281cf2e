/* SPDX-License-Identifier: MIT */
/*
 * Links with their own parameters: see logp/delay.h.
 *
 * Ranks with the same links are of one kind. The table has a row and a column for each kind, not
 * for each rank. With nodes there are two tables, for links inside a node and between two nodes; with
 * sockets, a third. A set of ranks splits each kind of which it contains some ranks but not all.
 */
#include "delay/delay.h"

#include <logp/machine.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void set_if_said(int64_t *to, int64_t value)
{
    if (value != LOGP_AS_BEFORE)
        *to = value;
}

static void add_costs(struct logp_link_costs *to, const struct logp_link_costs *c)
{
    set_if_said(&to->L_ns, c->L_ns);
    set_if_said(&to->o_send_ns, c->o_send_ns);
    set_if_said(&to->o_recv_ns, c->o_recv_ns);
    set_if_said(&to->g_ns, c->g_ns);
    set_if_said(&to->G_ps, c->G_ps);
}

struct logp_params lpi_links_params(const struct logp_params *base, const struct logp_link_costs *c)
{
    struct logp_params p = *base;

    set_if_said(&p.L_ns, c->L_ns);
    set_if_said(&p.o_send_ns, c->o_send_ns);
    set_if_said(&p.o_recv_ns, c->o_recv_ns);
    set_if_said(&p.g_ns, c->g_ns);
    set_if_said(&p.G_ps, c->G_ps);
    return p;
}

static bool in_range(int64_t cost)
{
    return cost >= LOGP_AS_BEFORE && cost <= LOGP_PARAM_MAX_NS;
}

static bool valid(const struct logp_link_costs *c)
{
    return in_range(c->L_ns) && in_range(c->o_send_ns) && in_range(c->o_recv_ns) &&
           in_range(c->g_ns) && in_range(c->G_ps);
}

/* ---- the table ---- */

int logp_links_create(int64_t P, struct logp_links **out)
{
    static const struct logp_link_costs nothing = LOGP_ALL_AS_BEFORE;
    struct logp_links *l;

    *out = NULL;
    if (P < 1 || P > LOGP_MAX_PROCESSORS)
        return -EINVAL;
    l = calloc(1, sizeof(*l));
    if (l == NULL)
        return -ENOMEM;
    l->P = P;
    l->n_kinds = 1;
    l->kind = calloc((size_t)P, sizeof(*l->kind));
    l->costs = malloc(sizeof(*l->costs));
    if (l->kind == NULL || l->costs == NULL) {
        logp_links_destroy(l);
        return -ENOMEM;
    }
    *l->costs = nothing;
    *out = l;
    return 0;
}

void logp_links_destroy(struct logp_links *l)
{
    if (l == NULL)
        return;
    free(l->kind);
    free(l->costs);
    free(l);
}

int64_t logp_links_size(const struct logp_links *l)
{
    return l->P;
}

struct logp_links *lpi_links_copy(const struct logp_links *l)
{
    struct logp_links *copy;

    if (logp_links_create(l->P, &copy) != 0)
        return NULL;
    free(copy->costs);
    memcpy(copy->size, l->size, sizeof(l->size));
    copy->n_sizes = l->n_sizes;
    copy->n_kinds = l->n_kinds;
    copy->costs = malloc(lpi_links_entries(l) * sizeof(*l->costs));
    if (copy->costs == NULL) {
        logp_links_destroy(copy);
        return NULL;
    }
    memcpy(copy->kind, l->kind, (size_t)l->P * sizeof(*l->kind));
    memcpy(copy->costs, l->costs, lpi_links_entries(l) * sizeof(*l->costs));
    return copy;
}

int logp_links_nodes(struct logp_links *l, int64_t per_node, const struct logp_link_costs *between)
{
    const size_t each = (size_t)l->n_kinds * (size_t)l->n_kinds;
    const int n = l->n_sizes;
    const bool is_new = n == 0 || l->size[n - 1] != per_node;

    if (per_node < 1 || !valid(between) ||
        (is_new && n > 0 && (n == LPI_MOST_LEVELS || per_node % l->size[n - 1] != 0)))
        return -EINVAL;
    if (is_new) {
        struct logp_link_costs *more = realloc(l->costs, ((size_t)n + 2) * each * sizeof(*more));

        if (more == NULL)
            return -ENOMEM;
        memcpy(more + ((size_t)n + 1) * each, more + (size_t)n * each, each * sizeof(*more));
        l->costs = more;
        l->size[l->n_sizes++] = per_node;
    }
    for (size_t i = 0; i < each; i++)
        add_costs(&l->costs[(size_t)l->n_sizes * each + i], between);
    return 0;
}

/* ---- sets of ranks ---- */

static bool valid_ranks(const struct logp_links *l, const struct logp_ranks *set)
{
    if (set->n < 0 || (set->n > 0 && set->ranges == NULL))
        return false;
    for (int i = 0; i < set->n; i++)
        if (set->ranges[i].first < 0 || set->ranges[i].first > set->ranges[i].last ||
            set->ranges[i].last >= l->P)
            return false;
    return true;
}

/* The ranks of the set, as a flag for each rank. The caller frees them. NULL: no memory */
static bool *members_of(const struct logp_links *l, const struct logp_ranks *set)
{
    bool *in = calloc((size_t)l->P, sizeof(*in));

    if (in != NULL && set->n == 0)
        memset(in, true, (size_t)l->P);
    for (int i = 0; in != NULL && i < set->n; i++)
        memset(in + set->ranges[i].first, true,
               (size_t)(set->ranges[i].last - set->ranges[i].first) + 1);
    return in;
}

/* Widen the table to n kinds. Kind k gets the costs of kind from[k]. @return 0; -ENOMEM */
static int widen(struct logp_links *l, int n, const int *from)
{
    const struct logp_links old = *l;

    l->n_kinds = n;
    l->costs = malloc(lpi_links_entries(l) * sizeof(*l->costs));
    if (l->costs == NULL) {
        *l = old;
        return -ENOMEM;
    }
    for (int level = 0; level < lpi_links_levels(l); level++)
        for (int s = 0; s < n; s++)
            for (int d = 0; d < n; d++)
                l->costs[lpi_links_entry(l, level, s, d)] =
                    old.costs[lpi_links_entry(&old, level, from[s], from[d])];
    free(old.costs);
    return 0;
}

/* Split kinds so that ranks in the set and other ranks share no kind. @return 0; -E2BIG, -ENOMEM */
static int split(struct logp_links *l, const bool *in)
{
    bool has[LOGP_MOST_KINDS][2] = {{false}};
    int from[LOGP_MOST_KINDS], fresh[LOGP_MOST_KINDS], n = l->n_kinds, rc;

    for (int64_t r = 0; r < l->P; r++)
        has[l->kind[r]][in[r]] = true;
    for (int k = 0; k < l->n_kinds; k++) {
        from[k] = fresh[k] = k;
        if (!has[k][false] || !has[k][true])
            continue;
        if (n == LOGP_MOST_KINDS)
            return -E2BIG;
        from[n] = k;
        fresh[k] = n++;
    }
    if (n == l->n_kinds)
        return 0;
    rc = widen(l, n, from);
    for (int64_t r = 0; rc == 0 && r < l->P; r++)
        if (in[r])
            l->kind[r] = (uint16_t)fresh[l->kind[r]];
    return rc;
}

/* The kinds of the ranks in the set, each once. @return their number */
static int kinds_of(const struct logp_links *l, const bool *in, int kinds[LOGP_MOST_KINDS])
{
    bool seen[LOGP_MOST_KINDS] = {false};
    int n = 0;

    for (int64_t r = 0; r < l->P; r++)
        if (in[r] && !seen[l->kind[r]]) {
            seen[l->kind[r]] = true;
            kinds[n++] = l->kind[r];
        }
    return n;
}

static int set_members(struct logp_links *l, const bool *src, const bool *dst,
                       const struct logp_link_costs *costs)
{
    int from[LOGP_MOST_KINDS], to[LOGP_MOST_KINDS], n_from, n_to, rc = split(l, src);

    if (rc == 0)
        rc = split(l, dst);
    if (rc != 0)
        return rc;
    n_from = kinds_of(l, src, from);
    n_to = kinds_of(l, dst, to);
    for (int level = 0; level < lpi_links_levels(l); level++)
        for (int s = 0; s < n_from; s++)
            for (int d = 0; d < n_to; d++)
                add_costs(&l->costs[lpi_links_entry(l, level, from[s], to[d])], costs);
    return 0;
}

int logp_links_set(struct logp_links *l, const struct logp_ranks *src, const struct logp_ranks *dst,
                   const struct logp_link_costs *costs)
{
    bool *from, *to;
    int rc = -ENOMEM;

    if (!valid_ranks(l, src) || !valid_ranks(l, dst) || !valid(costs))
        return -EINVAL;
    from = members_of(l, src);
    to = members_of(l, dst);
    if (from != NULL && to != NULL)
        rc = set_members(l, from, to, costs);
    free(from);
    free(to);
    return rc;
}

int logp_links_kind(const struct logp_links *l, int rank)
{
    return l->kind[rank];
}

int64_t logp_links_per_node(const struct logp_links *l)
{
    return l->n_sizes > 0 ? l->size[l->n_sizes - 1] : 0;
}

int64_t logp_links_per_socket(const struct logp_links *l)
{
    return l->n_sizes > 1 ? l->size[0] : 0;
}

void logp_links_of(const struct logp_links *l, int src, int dst, const struct logp_params *base,
                   struct logp_params *out)
{
    *out = lpi_links_params(base, &l->costs[lpi_links_entry_of(l, src, dst)]);
}

static void lower(int64_t *at, int64_t to)
{
    *at = to < *at ? to : *at;
}

/* Whether a message may be of this level: between blocks of which there are two. */
static bool is_used(const struct logp_links *l, int level)
{
    const int64_t inner = level > 0 ? l->size[level - 1] : 1;

    return inner < (level < l->n_sizes && l->size[level] < l->P ? l->size[level] : l->P);
}

/* Skip entries that only messages of a rank to itself would use. */
void logp_links_least(const struct logp_links *l, const struct logp_params *base,
                      struct logp_params *out)
{
    int64_t ranks[LOGP_MOST_KINDS] = {0};
    struct logp_params least = *base;
    bool any = false;

    for (int64_t r = 0; r < l->P; r++)
        ranks[l->kind[r]]++;
    for (int level = 0; level < lpi_links_levels(l); level++)
        for (int s = 0; is_used(l, level) && s < l->n_kinds; s++)
            for (int d = 0; d < l->n_kinds; d++) {
                struct logp_params p;

                if (s == d && ranks[s] == 1)
                    continue;
                p = lpi_links_params(base, &l->costs[lpi_links_entry(l, level, s, d)]);
                if (!any)
                    least = p;
                any = true;
                lower(&least.L_ns, p.L_ns);
                lower(&least.o_send_ns, p.o_send_ns);
                lower(&least.o_recv_ns, p.o_recv_ns);
                lower(&least.g_ns, p.g_ns);
                lower(&least.G_ps, p.G_ps);
            }
    *out = least;
}
