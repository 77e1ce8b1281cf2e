/* SPDX-License-Identifier: MIT */
/* leaders.c: the first rank of each process of a machine, and what they tell each other. */
#ifndef LPI_LEADERS_H
#define LPI_LEADERS_H

#include <logp/machine.h>
#include <logp/vp.h>

struct lpi_leaders {
    const struct logp_machine *machine;
    int n;              /* processes */
    int first, n_local; /* the ranks of this one */
};

void lpi_leaders_of(struct lpi_leaders *l, const struct logp_machine *machine);
/* By all leaders, outside what is timed: rank 0 has the greatest of all values afterwards, ... */
int lpi_leaders_gather(struct logp_vp *vp, const struct lpi_leaders *l, int64_t *values, int n);
/* ... and all have those of rank 0. Each as logp_send() and logp_recv() */
int lpi_leaders_tell(struct logp_vp *vp, const struct lpi_leaders *l, int64_t *values, int n);
/* How many messages one of each takes. */
uint64_t lpi_leaders_messages(const struct lpi_leaders *l);

#endif
