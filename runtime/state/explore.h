/* SPDX-License-Identifier: MIT */
/*
 * The state of an explored machine: its explorer, and the query of each vp. The choices are made in
 * core/explore.c.
 */
#ifndef LPI_EXPLORE_H
#define LPI_EXPLORE_H

#include "state/query.h"

struct lpi_durable;

struct lpi_explored_vp {
    struct lpi_query *query; /* while POLLING */
    int misses;              /* chosen by the explorer, in a row */
    int vain;                /* misses in a row, chosen or not: LOGP_NOTE_MISSED */
    uint32_t requests;       /* made in this run */
    bool posts; /* it has posted a receive that outlives its call: posts() in core/explore.c */
    /* the last probe found a message: the next query with its label takes that message */
    bool has_probed;
    struct lpi_label probed;
    int promised;                        /* source of that message */
    const struct logp_request *receives; /* of its blocking receive, if that was posted last */
    bool restarts;                       /* it has crashed, and its program is to begin again */
    struct lpi_durable *durable;
};

struct lpi_explore {
    struct logp_explorer by;
    struct lpi_explored_vp *vps; /* by rank */
    int64_t *due;                /* by rank: the deadline while TIMED; else stale, or INT64_MAX */
    struct logp_alternative *list;
    int64_t *arrivals; /* of the entries of list, while it is gathered */
    int capacity;      /* of list and arrivals */
    int last;          /* rank of the vp that went last */
    uint64_t steps;    /* events of this run */
    bool has_faults;   /* the explorer chooses some */
    struct logp_fault_limits left;
    bool is_cut; /* the vp cut_off, from all others */
    int cut_off;
};

/* Is a message between these two lost in a partition? */
static inline bool lpi_is_cut(const struct lpi_explore *x, int src, int dst)
{
    return x->is_cut && (src == x->cut_off) != (dst == x->cut_off);
}

#endif
