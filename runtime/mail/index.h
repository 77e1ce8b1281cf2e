/* SPDX-License-Identifier: MIT */
/*
 * An index of a vp's pending messages by hash of (context, source, tag), for those that have many.
 * Each chain is in the order of delivery; different labels may share one.
 */
#ifndef LPI_INDEX_H
#define LPI_INDEX_H

#include "state/message.h"

struct lpi_index;

/* Make in->index anew from all that is pending. Without memory there is none, and searches are
 * linear: slower, not wrong. Freed with free(). */
void lpi_index_rebuild(struct lpi_inbox *in);
bool lpi_index_has_room(const struct lpi_index *x, int n_pending);
void lpi_index_append(struct lpi_index *x, struct lpi_message *m);
void lpi_index_remove(struct lpi_index *x, struct lpi_message *m);
/* The first of the chain that holds messages with this label; follow next_in_chain. */
struct lpi_message *lpi_index_first(const struct lpi_index *x, uint32_t context, int src, int tag);

#endif
