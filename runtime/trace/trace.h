/* SPDX-License-Identifier: MIT */
/* A trace, for who makes one from what has been recorded: see trace.c. */
#ifndef LPI_TRACE_H
#define LPI_TRACE_H

#include "trace/labels.h"

#include <logp/trace.h>

struct lpi_rank_events {
    struct logp_event *events;
    size_t n, capacity;
};

/* Until it is settled `message` of a send and a receive is the context of their message. */
struct logp_trace {
    struct logp_trace_info info;
    struct lpi_rank_events *ranks;
    struct lpi_labels labels;
    struct logp_trace_message *messages;
    bool is_matched;
};

/* Memory for n events of a rank that has none. 0; -ENOMEM */
int lpi_trace_reserve(struct logp_trace *t, int64_t rank, size_t n);

#endif
