/* SPDX-License-Identifier: MIT */
/*
 * Recording of what a vp does: see recorder.c. The machine has one of two tables, which is changed
 * between runs. The holder of its core owns a vp's recorder.
 */
#ifndef LPI_RECORD_H
#define LPI_RECORD_H

#include "state/state.h"

#include <logp/trace.h>

struct lpi_record {
    /* The time for events without a vp's clock. */
    int64_t (*now)(const struct logp_machine *m);
    /* Wall clock: a call begins. The clock of p, which was at `before` (LOGP_NEVER: it had none), has
     * gone on by the time that the program used itself. */
    void (*enter)(struct lpi_proc *p, int64_t before);
    void (*own)(struct lpi_proc *p);   /* until now the program used the time itself */
    void (*leave)(struct lpi_proc *p); /* wall clock: p->left is now */
    void (*idle)(struct lpi_proc *p);  /* until now the vp waited */
    void (*compute)(struct lpi_proc *p, int64_t start,
                    int64_t end); /* LOGP_STOPPED: it never ends */
    void (*stall)(struct lpi_proc *p, const struct lpi_envelope *e); /* until now */
    /* A send is charged as t. It was called at begun; without capacity it would start at free_at. */
    void (*send)(struct lpi_proc *p, const struct lpi_envelope *e, const struct logp_transfer *t,
                 int64_t begun, int64_t free_at);
    /* The fate of the message of the next send. */
    void (*fate)(struct lpi_proc *p, const struct logp_fate *fate);
    /* The delay model has stopped p for good at t. */
    void (*halt)(struct lpi_proc *p, int64_t t);
    /* r has its message; the receive takes from start to r->done. */
    void (*receive)(struct lpi_proc *p, const struct logp_request *r, int64_t start);
    /* Without a delay: a send from begun until now, a wait from begun until now. */
    void (*undelayed_send)(struct lpi_proc *p, const struct lpi_envelope *e, int64_t begun);
    void (*undelayed_wait)(struct lpi_proc *p, int64_t begun);
    /* The label of the next events. @return the one before */
    uint32_t (*label)(struct lpi_proc *p, uint32_t label);
    void (*begin)(struct lpi_proc *p, int64_t start); /* forget the recorded events */
    void (*end)(struct lpi_proc *p);                  /* record nothing more */
    /* Between runs: take the recorded events. @return 0; -EINVAL: none are recorded; -ENOMEM */
    int (*take)(struct logp_machine *m, enum logp_trace_source source, struct logp_trace **out);
};

extern const struct lpi_record lpi_record_none, lpi_record_events;

/* The rest is called only if events are recorded. */

/* Without a delay, on the wall clock: a query begins, has been resolved again, has received r. */
void lpi_record_query_begins(struct lpi_proc *p);
void lpi_record_query_resolved(struct lpi_proc *p);
void lpi_record_query_received(struct lpi_proc *p, const struct logp_request *r);
void lpi_record_mark(struct lpi_proc *p, const char *name);
uint32_t lpi_record_current_label(const struct lpi_proc *p);
uint32_t lpi_record_label_of(struct lpi_proc *p, const char *first, const char *second);

/* The machine, between runs. */
int lpi_tracing_create(struct logp_machine *m, const struct logp_trace_config *config);
void lpi_tracing_destroy(struct logp_machine *m);
void lpi_tracing_prepare(struct logp_machine *m); /* a run begins: drop the recorded events */
int lpi_tracing_take(struct logp_machine *m, enum logp_trace_source source,
                     struct logp_trace **out);

#endif
