/* SPDX-License-Identifier: MIT */
/*
 * What a machine that is explored keeps: who is asked, and what its vps look for. The choices are
 * made in core/explore.c.
 */
#ifndef LPI_EXPLORE_H
#define LPI_EXPLORE_H

#include "state/state.h"

#include <logp/explore.h>

/* What a look has come to, if it is no source. */
enum { LPI_MISSED = -3, LPI_NOTHING = -4 };

/* One look of a vp at what could come. It lives on the vp's stack. */
struct lpi_query {
    const struct lpi_label *label;        /* a probe; NULL: for what is posted */
    struct logp_request *const *requests; /* those of them that are bound can be taken, too */
    int n;
    bool may_miss;
    bool cancels; /* the one request, if nothing is taken; without one: all, as the program ends */
    bool sends;   /* it waits for the receiver of a send: src and tag are that one's */
    int src, tag; /* for reports */
    int chosen;   /* a source, or one of the two above */
    int index;    /* of the request that it goes to, 0: a probe; -1: another one, and no more */
};

struct lpi_explored_vp {
    struct lpi_query *query; /* while CHOOSING */
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
