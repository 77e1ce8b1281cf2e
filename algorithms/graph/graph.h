/* SPDX-License-Identifier: MIT */
/* Graphs of operations in little memory: include/logp/graph.h. */
#ifndef LPI_GRAPH_H
#define LPI_GRAPH_H

#include <logp/graph.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 20 bytes. An amount or a tag beyond 32 bits is in `wide` of its graph, at that place. */
struct lpi_operation {
    uint32_t amount, tag;
    uint32_t peer;  /* LPI_ANY: any */
    uint32_t first; /* its edges are to[first] .. to[first of the next - 1] */
    uint16_t lane;  /* a pair of processor and interface */
    uint8_t kind;   /* enum logp_step_kind */
    bool wide_amount : 1, wide_tag : 1;
};

#define LPI_ANY UINT32_MAX

struct lpi_lane {
    uint8_t processor, interface;
};

/* The operations of a rank follow one another; ranks are in the order in which they were begun. */
struct logp_graph {
    int64_t P;
    struct lpi_operation *operations; /* and one more, for `first` */
    size_t n, capacity;
    uint64_t *wide; /* amounts and tags beyond 32 bits */
    size_t n_wide, wide_capacity;
    uint32_t *to; /* an operation of the graph, times 2; + 1: it waits only for the beginning */
    size_t n_to, to_capacity;
    uint32_t *base, *count; /* by rank: its first operation, and how many it has */
    bool *begun, *wild;     /* by rank; wild: some receive, or message to it, fits any */
    uint16_t *lane_of;      /* by processor and interface, from 1; 0: none. While it is filled */
    struct lpi_lane *lanes;
    size_t n_lanes, lane_capacity;
    int processors, interfaces;
    int64_t most_bytes, n_sends;
    uint64_t most_tag;
    int64_t rank; /* that is being filled; -1: none */
    struct lpi_filling {
        size_t first;    /* in `to`: its first edge */
        uint32_t linked; /* of its operations the first ones, whose `first` is known */
        uint32_t most;   /* the largest number of an operation in an edge */
        bool sorted;     /* edges have come in the order of the operations before them */
        bool forward;    /* each edge goes to a later operation */
    } filling;
    uint32_t *from; /* by edge of it, where they are not sorted: the operation before */
    size_t from_capacity;
};

static inline uint64_t lpi_operation_amount(const struct logp_graph *g,
                                            const struct lpi_operation *o)
{
    return o->wide_amount ? g->wide[o->amount] : o->amount;
}

static inline uint64_t lpi_operation_tag(const struct logp_graph *g, const struct lpi_operation *o)
{
    return o->wide_tag ? g->wide[o->tag] : o->tag;
}

static inline int64_t lpi_operation_peer(const struct lpi_operation *o)
{
    return o->peer == LPI_ANY ? (int64_t)LOGP_ANY_SOURCE : (int64_t)o->peer;
}

/*
 * ---- memory.c: arrays of a graph, which may be large ----
 */

/* As lpi_grow(), from 64 elements on. */
bool lpi_pages_grow(void *array, size_t n, size_t *capacity, size_t size);
/* n elements of 0; NULL: no memory */
void *lpi_pages_zeroed(size_t n, size_t size);
/* @param n  the capacity */
void lpi_pages_free(void *array, size_t n, size_t size);

/*
 * ---- meet.c ----
 * Items of receivers that wait for their match: posted receives, and messages without a receive. An
 * item is 16 bytes; those of a queue are linked. A rank without wildcards has a queue for each pair
 * of source and tag, in a hash table of all ranks; a rank with wildcards has one list for receives
 * and one for messages.
 */

enum lpi_item_state {
    LPI_ITEM_FREE,    /* to go: an operation in a queue, or in the heap */
    LPI_ITEM_COMING,  /* a message that has not arrived */
    LPI_ITEM_WAITING, /* a message that has arrived and waits for its processor */
    LPI_ITEM_MEETING, /* it waits for its match */
};

enum { LPI_MOST_ITEMS = (1 << 30) - 1 };

struct lpi_item {
    uint32_t operation;
    uint32_t rank; /* of the operation */
    uint32_t stamp;
    uint32_t next : 30, state : 2; /* next: from 1; 0: none */
};

struct lpi_queue {
    uint32_t first, last; /* items, from 1; 0: none */
};

/* The queue of a source and a tag at a rank. */
struct lpi_meeting {
    uint32_t rank, source;
    struct lpi_queue items; /* first 0: this place is free */
};

struct lpi_meetings {
    const struct logp_graph *graph;
    struct lpi_item *items;    /* from 1 */
    struct lpi_meeting *table; /* a hash table of 2^x */
    size_t n, space;
    struct lpi_queue *receives,
        *messages; /* by rank, of ranks with wildcards; NULL: there are none */
};

/* 0; -ENOMEM. To be ended in any case. */
int lpi_meetings_init(struct lpi_meetings *m, const struct logp_graph *graph);
void lpi_meetings_fini(struct lpi_meetings *m);
/* Find the first message for a receive of `rank`, or the first receive for a message to it, and
 * take it out. @param tag of it; source LPI_ANY: any @return the item; 0: none */
uint32_t lpi_meetings_take(struct lpi_meetings *m, uint32_t rank, uint32_t source, uint64_t tag,
                           bool message);
/* An item waits at `rank` for its match. 0; -ENOMEM */
int lpi_meetings_put(struct lpi_meetings *m, uint32_t rank, uint32_t source, uint32_t item,
                     bool message);
/* Call with each item that waits, and the rank at which it waits. */
void lpi_meetings_each(const struct lpi_meetings *m,
                       void (*call)(void *arg, uint32_t rank, uint32_t item), void *arg);

static inline void lpi_queue_add(struct lpi_queue *q, struct lpi_item *items, uint32_t item)
{
    items[item].next = 0;
    if (q->first == 0)
        q->first = item;
    else
        items[q->last].next = item & LPI_MOST_ITEMS;
    q->last = item;
}

static inline uint32_t lpi_queue_take(struct lpi_queue *q, const struct lpi_item *items)
{
    const uint32_t item = q->first;

    q->first = items[item].next;
    return item;
}

#endif
