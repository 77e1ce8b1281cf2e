/* SPDX-License-Identifier: MIT */
/* The structure of a trace, for code that makes one from recorded events: see trace.c. */
#ifndef LPI_TRACE_H
#define LPI_TRACE_H

#include "trace/labels.h"

#include <logp/trace.h>

struct lpi_rank_events {
    struct logp_event *events;
    size_t n, capacity;
};

/* Until is_matched, `message` of a send or receive is the context of its message. */
struct logp_trace {
    struct logp_trace_info info;
    struct lpi_rank_events *ranks;
    struct lpi_labels labels;
    struct logp_trace_message *messages;
    bool is_matched;
};

/* Make space for n events of a rank. @return 0; -ENOMEM */
int lpi_trace_reserve(struct logp_trace *t, int64_t rank, size_t n);

#endif
