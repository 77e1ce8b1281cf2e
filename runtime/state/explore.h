/* SPDX-License-Identifier: MIT */
/*
 * The state of an explored machine: its explorer, and the query of each vp. The choices are made in
 * core/explore.c.
 */
#ifndef LPI_EXPLORE_H
#define LPI_EXPLORE_H

#include "state/query.h"

struct lpi_durable;
struct lpi_usage;

struct lpi_explored_vp {
    struct lpi_query *query; /* while POLLING */
    int misses;              /* chosen by the explorer, in a row */
    int vain;                /* misses in a row, chosen or not: LOGP_NOTE_MISSED */
    uint32_t requests;       /* made in this run */
    int n_owned;             /* requests that no call has completed yet: usage.c */
    bool only_misses;        /* while alternatives are gathered: its query can only miss */
    bool posts; /* it has posted a receive that outlives its call: posts() in core/explore.c */
    /* the next query with the label of the last probe takes the message that this has found */
    struct lpi_label probed;
    int promised; /* source of that message; LOGP_ANY_SOURCE: none is promised */
    const struct logp_request *receives; /* of its blocking receive, if that was posted last */
    bool restarts;                       /* it has crashed, and its program is to begin again */
    struct lpi_durable *durable;
};

/* What the flags of struct logp_explorer decide: core/explore.c has one for timed runs, one for
 * untimed ones, and one for those whose messages are taken late. */
struct lpi_way {
    /* No vp has a deadline: the vp that goes on; NULL: none can. */
    struct lpi_proc *(*next_stuck)(struct lpi_core *c);
    /* Choose what a query of p takes. @return as lpi_hold() */
    int (*choose)(struct lpi_proc *p, struct lpi_query *query);
    /* p has computed, slept or, if it is not 0, yielded. */
    int (*pass)(struct lpi_proc *p, int yields);
    /* p waits for its turn with what `key` stands for. */
    int (*touch)(struct lpi_proc *p, int key);
    /* p's program has ended: its posted receives may still take messages. */
    void (*ends)(struct lpi_proc *p);
    /* p has posted a receive that outlives its call. */
    void (*stays)(struct lpi_proc *p);
    /* Messages that arrive later cannot be taken yet; INT64_MAX: no time brings more. */
    int64_t (*horizon)(const struct lpi_proc *p);
    /* r, which was chosen, waits for its payload. */
    int (*await_data)(struct lpi_proc *p, struct logp_request *r);
    /* Is nothing left to choose for p, whose rendezvous send has been matched? */
    bool (*ends_send)(const struct lpi_rendezvous *z);
    bool misses; /* a query may miss a message that is there; else by.misses is 0 */
    /* m is pending, and r could take it: note that, as an alternative of a gathering (outcomes.c).
     * @return r takes m: there is no choice */
    bool (*takes)(void *arg, const struct lpi_message *m, const struct logp_request *r);
};

struct lpi_explore {
    struct logp_explorer by;
    const struct lpi_way *way;
    bool (*others_first)(struct lpi_proc *p, int64_t t); /* see struct lpi_resolver */
    /* The vp that goes on. first: the one with the earliest deadline; shared: others may have it */
    struct lpi_proc *(*order)(struct lpi_core *c, struct lpi_proc *first, bool shared);
    int (*ask_outcome)(const struct lpi_explore *x, int n); /* as lpi_explore_ask() */
    struct lpi_explored_vp *vps;                            /* by rank */
    struct lpi_usage *usage; /* by rank: usage.c; NULL: the explorer does not want it */
    int64_t *due;            /* by rank: the deadline while TIMED; else stale, or INT64_MAX */
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

/* May this query miss a message that is there? */
static inline bool lpi_explored_may_miss(const struct lpi_explore *x, const struct lpi_query *query)
{
    return x->by.misses > 0 && lpi_may_miss(query);
}

/* Is a message between these two lost in a partition? */
static inline bool lpi_is_cut(const struct lpi_explore *x, int src, int dst)
{
    return x->is_cut && (src == x->cut_off) != (dst == x->cut_off);
}

#endif
