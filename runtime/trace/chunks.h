/* SPDX-License-Identifier: MIT */
/* Memory for recorded events, and traces made of them between runs: see chunks.c. */
#ifndef LPI_CHUNKS_H
#define LPI_CHUNKS_H

#include "state/state.h"
#include "trace/trace.h"

struct lpi_chunk_of_events;

/* The recorder of a vp, on cache lines of its own. */
struct lpi_recorder {
    _Alignas(LPI_LINE) struct logp_event *at, *end; /* free; if equal, lpi_recorder_grow() */
    struct logp_event *last_event;                  /* of the current call; NULL: none */
    int64_t since;                                  /* the vp's time is accounted for until then */
    int64_t begun, matched; /* without a clock: when its query began, and was resolved last */
    uint32_t label;
    uint16_t fate;        /* of the message that is being sent: enum logp_event_fate */
    bool is_off, is_full; /* full: an event was dropped, so all later ones are too */
    struct lpi_chunk_of_events *first, *last;
    int64_t origin; /* time 0 of the trace, by the vp's clock */
    int64_t halted; /* when the delay model stopped it for good; LOGP_NEVER: not, or unknown */
    int64_t left;   /* events that may be recorded beyond the chunks it has */
    uint64_t dropped;
};

/* Make space for another event. @return false: it is not recorded */
bool lpi_recorder_grow(struct lpi_core *c, struct lpi_recorder *r);
void lpi_recorder_forget(struct lpi_core *c, struct lpi_recorder *r);
struct lpi_labels *lpi_labels_of(const struct lpi_core *c);

#endif
