/* SPDX-License-Identifier: MIT */
/*
 * An index of a vp's pending messages and posted receives, for those that have many.
 *
 * There is a bucket for each label that something has, where a label may leave source and tag open.
 * A receive is in the bucket of its own label, in the order of posting. A message is in the
 * stream of (context, source, tag), and where somebody asks for any tag also in that of
 * (context, source), each in the order of the pending list. A label of any source has a heap of
 * the firsts of its streams, by arrival. So each search is that of a bucket or four.
 *
 * Where a bucket holds both, the two could meet: the index keeps these buckets in a heap, too, by
 * (arrival, source, order of posting).
 *
 * It is made when a search has looked at LPI_FEW in vain and kept up until nothing is pending and
 * nothing posted. Without memory there is none, and searches are linear: slower, not wrong.
 */
#ifndef LPI_INDEX_H
#define LPI_INDEX_H

#include "state/message.h"

enum { LPI_FEW = 24 };

/* Where a link-time optimizer must not put all of this into the ways of the few. */
#define LPI_APART __attribute__((noinline))

struct lpi_index;

/* Index all that is pending and posted: in->indexed, if there is memory. */
LPI_APART void lpi_index_make(struct lpi_inbox *in);
LPI_APART void lpi_index_free(struct lpi_inbox *in);

/* The rest only while in->indexed. Any of them may find no memory, and clear it. */

/* m has become pending: after all others, or before. */
LPI_APART void lpi_index_pend(struct lpi_inbox *in, struct lpi_message *m, bool before_all);
/* m is the first of its stream. */
LPI_APART void lpi_index_unpend(struct lpi_inbox *in, struct lpi_message *m);
LPI_APART void lpi_index_post(struct lpi_inbox *in, struct logp_request *r);
LPI_APART void lpi_index_unpost(struct lpi_inbox *in, struct logp_request *r);

/* The message that a receive takes, whenever it arrives; NULL: none. */
LPI_APART struct lpi_message *lpi_index_find(struct lpi_inbox *in, const struct lpi_label *l);
/* The first posted receive of a named source for such a message, with so much room; NULL: none. */
LPI_APART struct logp_request *lpi_index_taker(struct lpi_inbox *in, const struct lpi_label *l,
                                               size_t capacity);
/* The two that could meet first: by (arrival, source, order of posting), or by the order of posting
 * alone. NULL: none can. */
LPI_APART struct logp_request *lpi_index_ready(struct lpi_inbox *in, bool by_arrival,
                                               struct lpi_message **m);

#endif
