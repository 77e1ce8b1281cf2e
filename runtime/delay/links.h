/* SPDX-License-Identifier: MIT */
/* The table of links, shared by links.c and linked.c. */
#ifndef LPI_LINKS_H
#define LPI_LINKS_H

#include <logp/delay.h>

#include <stddef.h>

struct logp_links {
    int64_t P;
    int64_t per_node; /* 0: there are no nodes */
    int n_kinds;
    uint16_t *kind;                /* by rank */
    struct logp_link_costs *costs; /* [level][kind of the source][kind of the destination] */
};

enum { LPI_INSIDE, LPI_BETWEEN };

static inline int lpi_links_levels(const struct logp_links *l)
{
    return l->per_node > 0 ? 2 : 1;
}

static inline size_t lpi_links_entries(const struct logp_links *l)
{
    return (size_t)lpi_links_levels(l) * (size_t)l->n_kinds * (size_t)l->n_kinds;
}

static inline size_t lpi_links_entry(const struct logp_links *l, int level, int src_kind,
                                     int dst_kind)
{
    const size_t n = (size_t)l->n_kinds;

    return ((size_t)level * n + (size_t)src_kind) * n + (size_t)dst_kind;
}

/* The entry of the link between two valid ranks. */
static inline size_t lpi_links_entry_of(const struct logp_links *l, int src, int dst)
{
    const bool apart = l->per_node > 0 && src / l->per_node != dst / l->per_node;

    return lpi_links_entry(l, apart ? LPI_BETWEEN : LPI_INSIDE, l->kind[src], l->kind[dst]);
}

/* links.c: base, with the costs that are set here replaced. */
struct logp_params lpi_links_params(const struct logp_params *base,
                                    const struct logp_link_costs *costs);
/* NULL: no memory. */
struct logp_links *lpi_links_copy(const struct logp_links *l);

#endif
