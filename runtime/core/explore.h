/* SPDX-License-Identifier: MIT */
/* Choices: see explore.c. All by the holder of the machine's one core. */
#ifndef LPI_CORE_EXPLORE_H
#define LPI_CORE_EXPLORE_H

#include "state/explore.h"

/* Which of n > 0 alternatives, those of explore->list? */
int lpi_explore_ask(const struct lpi_explore *x, int n);
/* Who is to go next, RUNNING; NULL: nobody can. */
struct lpi_proc *lpi_explore_next(struct lpi_core *c);
/* Could another than p, which is at t, go now? */
bool lpi_explore_others(struct lpi_proc *p, int64_t t);
/* Late looks: hand the core over until p->look has been settled. Early ones: settle it now. */
int lpi_explore_resolve(struct lpi_proc *p, struct lpi_query *query);
void lpi_explore_note(const struct lpi_proc *p, const struct logp_note *note);
/* A request of p is made. It gets a number. */
void lpi_explore_request(struct lpi_proc *p, struct logp_request *r);
/* p posts a receive that stays posted. */
void lpi_explore_posts(struct lpi_proc *p);
/* p's program has ended. What it has left posted may take a message whose sender waits for that. */
void lpi_explore_end(struct lpi_proc *p);
void lpi_explore_begin(struct logp_machine *m);
void lpi_explore_free(struct logp_machine *m);

/* Something has happened to p. */
static inline void lpi_note(const struct lpi_proc *p, enum logp_note_kind kind, int peer, int tag,
                            int64_t value)
{
    if (lpi_is_instrumented(p->core->machine) && p->core->machine->explore != NULL)
        lpi_explore_note(p, &(struct logp_note){kind, p->rank, peer, tag, value, p->emulated});
}

#endif
