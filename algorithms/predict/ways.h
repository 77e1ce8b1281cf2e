/* SPDX-License-Identifier: MIT */
/*
 * How long it takes at least from one processor to another, where they are not all equally far
 * apart: over links that differ from pair to pair, or over a network. In ns; no memory is taken.
 *
 * The way from i to j is the least time from the start of a message of one byte that leaves i to
 * the end of the receipt of one at j, over any relays. A relay only begins to send when it has
 * received, so the way is a shortest path over the times of single messages, o_send + st(1) + L +
 * o_recv with the parameters of each link (Dijkstra). On a network a message over h links takes
 * o_send + h (L + st(1)) + o_recv; routes are shortest, so a relay only adds overheads.
 *
 * Places are the processors that are looked at. Ranks of one kind on one node have the same ways to
 * any third, so two of them are enough, and whole nodes of one kind of ranks are alike, so three
 * are enough. Of a network all are places up to LPI_ALL_PLACES; beyond that some are, among them
 * the farthest from the root, and bounds hold for these.
 */
#ifndef LPI_WAYS_H
#define LPI_WAYS_H

#include <logp/algorithm.h>
#include <logp/delay.h>

enum { LPI_PLACES = 256, LPI_ALL_PLACES = 128 };

struct lpi_ways {
    const struct logp_links *links;       /* NULL: a network */
    const struct logp_topology *topology; /* NULL: links */
    struct logp_params params;            /* what links say nothing of */
    int64_t P;
    int n;
    int rank[LPI_PLACES];
    int64_t stands_for[LPI_PLACES]; /* so many ranks, as far from any place that is an end */
    bool is_end[LPI_PLACES];        /* ways from and to it may be looked at */
};

/* @return is there anything to look at? Not where c has neither links nor a network, nor where they
 * are not for P processors, nor where there are too many places. */
bool lpi_ways_init(struct lpi_ways *w, int64_t P, const struct logp_invocation *c);

/* The time of one message of one byte between two places. */
int64_t lpi_ways_message(const struct lpi_ways *w, int from, int to);
/* The way from a place to each (back: from each to it); 0 to itself. */
void lpi_ways_of(const struct lpi_ways *w, int place, bool back, int64_t way[LPI_PLACES]);
/* Of each parameter the least on the links from a place to others (back: from others to it), and by
 * how much o_recv is larger on others of these at most. */
struct lpi_ways_port {
    struct logp_params least;
    int64_t o_recv_more;
};

struct lpi_ways_port lpi_ways_port(const struct lpi_ways *w, int place, bool back);
/* The parameters of a message between two places, but for the links of a network. */
struct logp_params lpi_ways_params(const struct lpi_ways *w, int from, int to);
/* to: of each parameter the lower one. */
void lpi_ways_lower(struct logp_params *to, const struct logp_params *p);

#endif
