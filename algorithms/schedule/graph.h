/* SPDX-License-Identifier: MIT */
/*
 * graph.c: one rank of a list with edges: which of its steps are free to go, which receives are
 * posted, which messages have come, and what is done first. It knows no delay model: when something
 * could start it is told, by the fold (graph_fold.c) and by a vp (graph_run.c), which so do the
 * same.
 *
 * The rank does one act at a time. Whatever can start first is done first. Of several at the same
 * time: a step that became free to go earlier before a later one; of those that become free
 * together sends before computations, and then in the order in which they were freed. A message
 * goes before a step if it was sent before the step became free. (So LogGOPSim orders its events.)
 */
#ifndef LPI_SCHEDULE_GRAPH_H
#define LPI_SCHEDULE_GRAPH_H

#include "pairs.h"

#include <logp/algorithm.h>

/* A message that has come. */
struct lpi_parcel {
    int64_t arrival;
    int64_t sent; /* as far as arrival and parameters tell */
    size_t n_bytes;
    int32_t src, tag;
    int64_t step; /* the receive that it has met; LPI_NONE */
    bool received;
    struct logp_request *request; /* of a vp: it is to be completed */
};

enum lpi_act { LPI_SEND, LPI_COMPUTE, LPI_RECEIVE, LPI_ACTS, LPI_NOTHING = LPI_ACTS };

/* Steps, or parcels, in a row. */
struct lpi_row {
    uint32_t *items;
    uint32_t next, n, capacity;
};

struct lpi_graph {
    const struct logp_step *steps;
    uint32_t n, n_done;
    bool on_arrival;    /* messages are received when they arrive */
    uint32_t *first;    /* by step: its successors are to[first[i]] .. to[first[i + 1] - 1]: */
    uint32_t *to;       /* a step, times 2; + 1: it waits only for the beginning */
    uint32_t *waits;    /* by step: for how many */
    int64_t *free_from; /* by step: since when it is free to go; -1: from the beginning on */
    uint32_t
        *freed; /* those that have been freed, in this order; the last have not been taken up */
    uint32_t n_freed, n_taken;
    uint32_t *number;              /* by step: of those that are free to go */
    struct lpi_row rows[LPI_ACTS]; /* what could start next */
    struct lpi_pairs pairs;
    struct lpi_parcel *parcels;
    uint32_t n_parcels, parcel_capacity, n_met;
    enum lpi_act doing;
    uint32_t item; /* of what it does */
    int64_t since; /* when that began */
    int64_t wrong; /* -EMSGSIZE: the receive */
};

/* 0; -ENOMEM, -EINVAL (an edge, a step). To be ended in any case. */
int lpi_graph_init(struct lpi_graph *g, const struct logp_step_list *list, int64_t rank,
                   bool on_arrival);
void lpi_graph_fini(struct lpi_graph *g);

/* A message is there. 0; -ENOMEM, -EMSGSIZE */
int lpi_graph_accept(struct lpi_graph *g, const struct lpi_parcel *parcel);

/* The next send or computation that could start; NULL: none. */
const struct logp_step *lpi_graph_step(const struct lpi_graph *g, enum lpi_act act);
/* The next message that could be received; NULL: none. */
const struct lpi_parcel *lpi_graph_parcel(const struct lpi_graph *g);
/* Which of the three goes first, where they could start at these times; INT64_MAX: there is none */
enum lpi_act lpi_graph_choose(const struct lpi_graph *g, const int64_t at[LPI_ACTS]);

/* It begins with that, at its time now. */
void lpi_graph_begin(struct lpi_graph *g, enum lpi_act act, int64_t now);
/* That is done, at its time now. 0; -ENOMEM, -EMSGSIZE */
int lpi_graph_end(struct lpi_graph *g, int64_t now);

static inline bool lpi_graph_is_through(const struct lpi_graph *g)
{
    return g->n_done == g->n;
}

/* A receive that has met no message; NULL: none. */
const struct logp_step *lpi_graph_waits_for(const struct lpi_graph *g);

/* When a message that arrives then was sent, by the parameters. */
int64_t lpi_graph_sent(const struct logp_params *params, int64_t arrival, size_t n_bytes);

/* graph_fold.c: as logp_schedule_fold(), of a list with edges. The model is there, and restarted.
 */
struct lpi_traced;
int lpi_graph_fold(const struct logp_schedule *schedule, const struct logp_delay_ops *ops,
                   void *model, uint64_t most, const struct lpi_traced *traced,
                   struct logp_fold *out);

/* graph_run.c: as logp_schedule_run(). -ENOTSUP: sends wait for their receivers */
int lpi_graph_run(struct logp_vp *vp, const struct logp_invocation *c, void *recv_buf);

#endif
