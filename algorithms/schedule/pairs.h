/* SPDX-License-Identifier: MIT */
/*
 * pairs.c: which receive, of those that are posted, a message meets, and which message, of those
 * that have come, a receive: the first that fits. It takes the same time however many there are.
 */
#ifndef LPI_SCHEDULE_PAIRS_H
#define LPI_SCHEDULE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lpi_fifo_entry {
    uint32_t item, number;
    uint32_t next; /* from 1; 0: none */
};

struct lpi_fifo {
    uint64_t key;
    uint32_t first, last; /* entries, from 1; 0: none */
    bool used;
};

/* Queues, each of a source and a tag, or of any. */
struct lpi_fifos {
    struct lpi_fifo_entry *entries;
    uint32_t n, capacity, free;
    struct lpi_fifo *queues; /* a hash table of 2^x */
    uint32_t n_queues, queue_space;
};

struct lpi_pairs {
    struct lpi_fifos posted, come;
    bool any; /* receives may be from any source, or with any tag */
    uint32_t n_posted;
    bool *met; /* by message: it may still stand in queues */
    uint32_t met_capacity;
};

enum { LPI_NONE = -1 };

void lpi_pairs_fini(struct lpi_pairs *p);
/* Post a receive; src and tag -1: any. *message: the one that it meets, or LPI_NONE: it is posted.
 * 0; -ENOMEM */
int lpi_pairs_post(struct lpi_pairs *p, int32_t src, int32_t tag, uint32_t receive,
                   int64_t *message);
/* A message has come: each has a number of its own, larger than those before. *receive: the one
 * that it meets, or LPI_NONE: it is kept. 0; -ENOMEM */
int lpi_pairs_come(struct lpi_pairs *p, int32_t src, int32_t tag, uint32_t message,
                   int64_t *receive);

#endif
