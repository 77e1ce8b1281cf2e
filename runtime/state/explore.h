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
    bool raised; /* inbox.n_any is one too high, or (timed) never is: posts() in core/explore.c */
    /* the next query with the label of the last probe does not miss what this has found */
    struct lpi_label probed;
    int found;     /* source of that message; LOGP_ANY_SOURCE: there is none */
    bool reorders; /* its queries may take a message before earlier ones of its source */
    bool restarts; /* it has crashed, and its program is to begin again */
    struct lpi_durable *durable;
};

/* A way to explore: timed, untimed or late ("Ways" in docs/exploration.md). */
struct lpi_way {
    /* Choose the message that query takes, in query->choice. @return 0; or the error that stops the
     * run */
    int (*choose)(struct lpi_proc *p, struct lpi_query *query);
    /* Choose when p has its turn. @return the same */
    int (*turn)(struct lpi_proc *p, struct lpi_query *turn);
    /* As lpi_resolver.pass(), without a fault. */
    int (*pass)(struct lpi_proc *p, bool yields);
    /* For lpi_match_candidates(). gathering: of outcomes.c */
    bool (*takes)(void *gathering, const struct lpi_message *m, const struct logp_request *r);
    /* As lpi_resolver.next_proc(), where no vp has a deadline. */
    struct lpi_proc *(*none_due)(struct lpi_core *c);
    /* When time brings p a message. INT64_MAX: never */
    int64_t (*next_arrival)(struct lpi_proc *p);
    int64_t horizon;   /* messages that arrive by then can be taken, whatever the time */
    bool serves_ended; /* receives of a program that has ended take messages */
};

struct lpi_explore {
    const struct lpi_way *way;
    struct logp_explorer by;                             /* misses: 0 unless untimed */
    bool (*others_first)(struct lpi_proc *p, int64_t t); /* see struct lpi_resolver */
    /* The vp that runs next. first: the one with the earliest deadline; shared: others may have
     * it */
    struct lpi_proc *(*order)(struct lpi_core *c, struct lpi_proc *first, bool shared);
    int (*ask_outcome)(const struct lpi_explore *x, int n); /* as lpi_outcomes_ask() */
    struct lpi_explored_vp *vps;                            /* by rank */
    struct lpi_usage *usage; /* by rank: usage.c; NULL: the explorer does not want it */
    int64_t *due;            /* by rank: the deadline while TIMED; else stale, or INT64_MAX */
    struct logp_alternative *list;
    int64_t *arrivals; /* of the entries of list, while it is gathered */
    int capacity;      /* of list and arrivals */
    int last;          /* rank of the vp that went last */
    uint64_t steps;    /* events of this run */
    bool has_faults;   /* the explorer chooses some */
    bool reorders;     /* messages may overtake others of their source */
    struct logp_fault_limits left;
    int left_overtaken;
    bool is_cut;      /* by by.fault_places.half, or else the vp cut_off, from all others */
    bool has_cuts;    /* logp_fault_cut() has been called in this run */
    bool meets_fault; /* has_faults or has_cuts */
    int cut_off;
    uint64_t cuts[64]; /* by sender: the receivers that its messages do not reach; has_cuts */
};

/* Whether a mask of ranks or tags has this one: its last bit is that of all larger ones, too. */
static inline bool lpi_mask_has(uint64_t mask, int i)
{
    return (mask >> (i < 63 ? i : 63) & 1) != 0;
}

/* The same where 0 is the mask of all. */
static inline bool lpi_mask_allows(uint64_t mask, int i)
{
    return mask == 0 || lpi_mask_has(mask, i);
}

/* Whether messages between these two may be lost, doubled or overtaken. */
static inline bool lpi_may_strike(const struct logp_fault_places *at, int src, int dst, int tag)
{
    return lpi_mask_allows(at->senders, src) && lpi_mask_allows(at->receivers, dst) &&
           lpi_mask_allows(at->tags, tag);
}

/* Whether a message between these two is lost in a partition. */
static inline bool lpi_is_cut(const struct lpi_explore *x, int src, int dst)
{
    const uint64_t half = x->by.fault_places.half;
    bool from, to;

    if (!x->is_cut && !x->has_cuts)
        return false;
    from = half != 0 ? lpi_mask_has(half, src) : src == x->cut_off;
    to = half != 0 ? lpi_mask_has(half, dst) : dst == x->cut_off;
    return (x->is_cut && from != to && (from || !x->by.fault_places.one_way)) ||
           (x->has_cuts && lpi_mask_has(x->cuts[src < 63 ? src : 63], dst));
}

#endif
