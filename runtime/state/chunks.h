/* SPDX-License-Identifier: MIT */
/* chunks.c: memory for what is recorded, and what is done with it between runs. */
#ifndef LPI_CHUNKS_H
#define LPI_CHUNKS_H

#include "state/state.h"
#include "trace/labels.h"

struct lpi_chunk_of_events;

/* Of a vp; a line or two of its own. */
struct lpi_recorder {
    _Alignas(LPI_LINE) struct logp_event *at, *end; /* free ones; equal: ask lpi_recorder_grow() */
    struct logp_event *last_event;                  /* of the call under way; NULL: none */
    int64_t since;                                  /* the vp's time is accounted for until then */
    uint32_t label;
    uint16_t fate;        /* of the message that is being sent: enum logp_event_fate */
    bool is_off, is_full; /* full: an event has been dropped, and so are all that follow */
    struct lpi_chunk_of_events *first, *last;
    int64_t origin; /* what is time 0 in the trace */
    int64_t halted; /* when it was stopped for good; LOGP_NEVER: it goes on, or nobody knows */
    int64_t left;   /* so many events more than there is room for may be kept */
    uint64_t dropped;
};

/* Room for another event. @return false: it is not recorded */
bool lpi_recorder_grow(struct lpi_core *c, struct lpi_recorder *r);
void lpi_recorder_forget(struct lpi_core *c, struct lpi_recorder *r);
struct lpi_labels *lpi_labels_of(const struct lpi_core *c);

#endif
