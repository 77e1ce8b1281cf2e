/* SPDX-License-Identifier: MIT */
/* Traces. */
#ifndef LPI_TRACE_H
#define LPI_TRACE_H

#include <logp/trace.h>

#include <stdbool.h>
#include <stdint.h>

/* ---- label_numbers.c: a set of texts, numbered from 1 ---- */

struct lpi_labels {
    char **texts;
    uint32_t *slots; /* hash table of numbers; 0: free. 2^x slots, more than 2 n; or NULL */
    uint32_t n, n_slots;
    uint32_t last; /* number of the last call */
    bool lacks;    /* memory ran out for a text: reported once */
};

/* The number of the text "first/second", or of first if second is NULL. 0: no memory */
uint32_t lpi_label_number(struct lpi_labels *l, const char *first, const char *second);
/* The text of a number; "": there is none. */
const char *lpi_label_text(const struct lpi_labels *l, uint32_t number);
void lpi_labels_free(struct lpi_labels *l);

/* ---- events.c: the structure of a trace, for code that makes one from recorded events ---- */

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
