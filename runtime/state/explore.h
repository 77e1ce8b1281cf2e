/* SPDX-License-Identifier: MIT */
/*
 * What a machine that is explored keeps: who is asked, and what its vps look for. The choices are
 * made in core/explore.c.
 */
#ifndef LPI_EXPLORE_H
#define LPI_EXPLORE_H

#include "state/query.h"

struct lpi_explored_vp {
    struct lpi_query *query; /* while LOOKING */
    int misses;              /* chosen ones, in a row */
    int vain;          /* looks and waits in a row that came to nothing, for whatever reason */
    uint32_t requests; /* made so far */
    bool posts;        /* see lpi_explore_posts() */
    /* what a probe has found is what a receive with its label takes */
    bool has_probed;
    struct lpi_label probed;
    int promised; /* source */
};

struct lpi_explore {
    struct logp_explorer by;
    struct lpi_explored_vp *vps; /* by rank */
    int64_t *due; /* by rank: the deadline of each that is TIMED; of others that, or INT64_MAX */
    struct logp_alternative *list;
    int64_t *arrivals; /* of the list's, while it is made */
    int capacity;      /* entries of both */
};

#endif
