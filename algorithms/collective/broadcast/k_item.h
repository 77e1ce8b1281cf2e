/* SPDX-License-Identifier: MIT */
/* k_item.c: the block-cyclic schedule of a broadcast in pieces, for the rows that follow it. */
#ifndef LPI_K_ITEM_H
#define LPI_K_ITEM_H

#include "collective/collective.h"

enum { LPI_TURNS_MOST_P = 4096 };

/* An item or a vector that is sent in pieces. */
struct lpi_pieces {
    int64_t total,
        size;        /* units of all, and of a piece but the last; 0: there is one empty piece */
    size_t n_bytes;  /* of a piece */
    int64_t work_ns; /* of a processor for each piece that it receives, besides o_recv */
    bool few;        /* for a few pieces: most processors of a tree only send */
};

/* How many pieces there are. */
int64_t lpi_pieces_number(const struct lpi_pieces *p);

/* Return the size of a piece: as asked (> 0), but at most the total; by default that of the number of
 * pieces, among up to 12 and some more, that is about the fastest. of: pieces of a size, all few or none */
int64_t lpi_turns_size(int64_t P, const struct logp_invocation *c, int64_t total, int64_t asked,
                       struct lpi_pieces (*of)(const struct logp_invocation *c, int64_t size));

/* The part of a processor, whose number from the root on is v; to be freed. NULL: no memory */
struct lpi_turns;
struct lpi_turns *lpi_turns_create(int P, int64_t v, const struct logp_params *p,
                                   const struct lpi_pieces *pieces);

/* What a processor does in a turn, if anything: it has a piece before it sends it on. */
struct lpi_turn {
    bool acts, sends;
    int64_t piece, peer; /* the peer's number from the root on */
};

/* The number of turns, and turn i. */
int64_t lpi_turns_number(const struct lpi_turns *t);
struct lpi_turn lpi_turns_at(const struct lpi_turns *t, int64_t i);

#endif
