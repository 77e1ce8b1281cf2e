/* SPDX-License-Identifier: MIT */
/*
 * Recording of what a vp does: see record.c. The holder of its core owns a vp's recorder. Call
 * these functions only if the machine has recorders.
 */
#ifndef LPI_RECORD_H
#define LPI_RECORD_H

#include "state/state.h"

/* The calls of one vp. */
void lpi_record_enter(struct lpi_proc *p); /* wall clock: p->emulated is what the last call left */
void lpi_record_own(struct lpi_proc *p);   /* until now the program used the time itself */
void lpi_record_leave(struct lpi_proc *p); /* wall clock: p->left is now */
void lpi_record_idle(struct lpi_proc *p);  /* until now the vp waited */
void lpi_record_compute(struct lpi_proc *p, int64_t start, int64_t end);
void lpi_record_stall(struct lpi_proc *p, const struct lpi_envelope *e); /* until now */
/* A send is charged as t. It was called at begun; without capacity it would start at free_at. */
void lpi_record_send(struct lpi_proc *p, const struct lpi_envelope *e,
                     const struct logp_transfer *t, int64_t begun, int64_t free_at);
/* The fate of the message of the next send that is recorded. */
void lpi_record_fate(struct lpi_proc *p, const struct logp_fate *fate);
bool lpi_record_is_lost(const struct lpi_proc *p);
/* The delay model has stopped p for good at t. */
void lpi_record_halt(struct lpi_proc *p, int64_t t);
/* r has its message; the receive takes from start to r->done. */
void lpi_record_receive(struct lpi_proc *p, const struct logp_request *r, int64_t start);
/* Without a delay: a send from begun until now. On the wall clock: a receive that waited from begun
 * until `matched`. */
void lpi_record_undelayed_send(struct lpi_proc *p, const struct lpi_envelope *e, int64_t begun);
void lpi_record_undelayed_receive(struct lpi_proc *p, const struct logp_request *r, int64_t begun,
                                  int64_t matched);
void lpi_record_undelayed_wait(struct lpi_proc *p, int64_t begun); /* a wait until now */
void lpi_record_mark(struct lpi_proc *p, const char *name);
uint32_t lpi_record_current_label(const struct lpi_proc *p);
uint32_t lpi_record_label(struct lpi_proc *p, uint32_t label);
uint32_t lpi_record_label_of(struct lpi_proc *p, const char *first, const char *second);
void lpi_record_begin(struct lpi_proc *p, int64_t start);
void lpi_record_end(struct lpi_proc *p);

/* The machine, between runs. */
int lpi_tracing_create(struct logp_machine *m, const struct logp_trace_config *config);
void lpi_tracing_destroy(struct logp_machine *m);
void lpi_tracing_prepare(struct logp_machine *m); /* a run begins: drop the recorded events */
int lpi_tracing_take(struct logp_machine *m, struct logp_trace **out);

#endif
