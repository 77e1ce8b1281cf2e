/* SPDX-License-Identifier: MIT */
/* barrier_check.c: runs of an experiment in which one processor stays away. */
#ifndef LPI_BARRIER_CHECK_H
#define LPI_BARRIER_CHECK_H

#include "buffers.h"

#include <logp/experiment.h>

#include <stdatomic.h>

/* How many of them; 0 where nobody is to be held back. */
int lpi_absences(const struct logp_collective *collective, int P);
/* Run i of them. c: not planned. got_through: by rank, set where one went on although another had
 * not come; the rest stays. 0; or an error: the run says nothing. */
int lpi_run_without(struct logp_machine *machine, const struct logp_experiment *x, int i,
                    const struct logp_invocation *c, const struct lpi_buffers *buffers,
                    int64_t timeout_ns, atomic_bool *got_through);

#endif
