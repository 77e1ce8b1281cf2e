/* SPDX-License-Identifier: MIT */
/* Waiting for a word of memory: see word_wait.c. */
#ifndef LPI_WORD_WAIT_H
#define LPI_WORD_WAIT_H

#include "state/state.h"

/* The word that a vp waits for; in its core's list while the vp is blocked. */
struct lpi_word_wait {
    _Atomic(const uint64_t *) word; /* NULL: none; read by the deadlock scan */
    _Atomic uint64_t value;
    struct lpi_word_wait *next;
    struct lpi_proc *proc;
};

/* Wait until the word is at least value. other_core: a vp of another core will set it. @return 0,
 * or the error that stops the run */
int lpi_word_wait(struct lpi_proc *p, const uint64_t *word, uint64_t value, bool other_core);
/* p, which polls, also waits for this word; NULL: not any more. */
void lpi_word_wait_note(struct lpi_proc *p, const uint64_t *word, uint64_t value);
/* Make ready the vps whose words have reached their values. By the holder. */
void lpi_word_wait_poll(struct lpi_core *c);
/* For the deadlock scan: has a word reached its value without its core having noticed? */
bool lpi_word_wait_pending(struct logp_machine *m);
/* For reports. */
bool lpi_waits_for_word(const struct lpi_proc *p);

#endif
