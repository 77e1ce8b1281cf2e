/* SPDX-License-Identifier: MIT */
/* Waiting for a word of memory: see watch.c. */
#ifndef LPI_WATCH_H
#define LPI_WATCH_H

#include "state/state.h"

/* Of a vp: in its core's list while it is blocked. */
struct lpi_watch {
    _Atomic(const uint64_t *) word; /* NULL: it waits for none; read by the deadlock scan */
    _Atomic uint64_t value;
    struct lpi_watch *next;
    struct lpi_proc *proc;
};

/* Wait until the word shows at least value; far: another core will show it. @return 0, or the error
 * that stops the run */
int lpi_watch(struct lpi_proc *p, const uint64_t *word, uint64_t value, bool other_core);
/* p, which polls, waits for this as well; NULL: no more. */
void lpi_watch_note(struct lpi_proc *p, const uint64_t *word, uint64_t value);
/* The holder looks: whose word has come to its value is made ready. */
void lpi_watch_look(struct lpi_core *c);
/* For the deadlock scan: has one done so that nobody has noticed? */
bool lpi_watch_pending(struct logp_machine *m);
/* For reports. */
bool lpi_watches(const struct lpi_proc *p);

#endif
