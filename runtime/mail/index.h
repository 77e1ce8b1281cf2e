/* SPDX-License-Identifier: MIT */
/*
 * An index of a vp's pending messages and posted receives, for vps that have many of them.
 *
 * Each label in use has a bucket; a label may leave source and tag open. A receive is in the
 * bucket of its label, in the order of posting. A message is in the stream of its (context,
 * source, tag). Once a query has asked for any tag, a message is also in the stream of its
 * (context, source). Streams follow the order of the pending list. A label with any source has a
 * heap of the first messages of its streams, by arrival. So each search visits one to four
 * buckets.
 *
 * A bucket with both a message and a receive is ready: the two match. The index has a heap of the
 * ready buckets, by (arrival, source, order of posting).
 *
 * The index is made when a search has visited LPI_FEW items in vain. It is maintained until no
 * message is pending and no receive is posted. Without memory for it, searches are linear: slower,
 * but not wrong.
 */
#ifndef LPI_INDEX_H
#define LPI_INDEX_H

#include "state/message.h"

enum { LPI_FEW = 24 };

/* Keeps the link-time optimizer from inlining the index into the fast path. */
#define LPI_APART __attribute__((noinline))

struct lpi_index;

/* Index all pending messages and posted receives. in->indexed is set if there is memory. */
LPI_APART void lpi_index_make(struct lpi_inbox *in);
LPI_APART void lpi_index_free(struct lpi_inbox *in);

/* Call the rest only while in->indexed. Each may run out of memory, and then clears it. */

/* m has become pending, after all others or before all. */
LPI_APART void lpi_index_pend(struct lpi_inbox *in, struct lpi_message *m, bool before_all);
/* m is the first of its stream. */
LPI_APART void lpi_index_unpend(struct lpi_inbox *in, struct lpi_message *m);
LPI_APART void lpi_index_post(struct lpi_inbox *in, struct logp_request *r);
LPI_APART void lpi_index_unpost(struct lpi_inbox *in, struct logp_request *r);

/* The message that a receive with this label takes, whenever it arrives; NULL: none. */
LPI_APART struct lpi_message *lpi_index_find(struct lpi_inbox *in, const struct lpi_label *l);
/* The first posted receive of a named source for such a message that has this capacity; NULL:
 * none. */
LPI_APART struct logp_request *lpi_index_taker(struct lpi_inbox *in, const struct lpi_label *l,
                                               size_t capacity);
/* The receive and the message that match first: by (arrival, source, order of posting), or by the
 * order of posting alone. NULL: none match. */
LPI_APART struct logp_request *lpi_index_ready(struct lpi_inbox *in, bool by_arrival,
                                               struct lpi_message **m);

#endif
