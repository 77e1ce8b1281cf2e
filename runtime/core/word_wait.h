/* SPDX-License-Identifier: MIT */
/* Waiting for a word of memory: see word_wait.c. */
#ifndef LPI_WORD_WAIT_H
#define LPI_WORD_WAIT_H

#include "state/state.h"

/* Of a vp: in its core's list while it is blocked. */
struct lpi_word_wait {
    _Atomic(const uint64_t *) word; /* NULL: it waits for none; read by the deadlock scan */
    _Atomic uint64_t value;
    struct lpi_word_wait *next;
    struct lpi_proc *proc;
};

/* Wait until the word shows at least value; far: another core will show it. @return 0, or the error
 * that stops the run */
int lpi_word_wait(struct lpi_proc *p, const uint64_t *word, uint64_t value, bool other_core);
/* p, which polls, waits for this as well; NULL: no more. */
void lpi_word_wait_note(struct lpi_proc *p, const uint64_t *word, uint64_t value);
/* The holder looks: whose word has come to its value is made ready. */
void lpi_word_wait_poll(struct lpi_core *c);
/* For the deadlock scan: has one done so that nobody has noticed? */
bool lpi_word_wait_pending(struct logp_machine *m);
/* For reports. */
bool lpi_waits_for_word(const struct lpi_proc *p);

#endif
