/* SPDX-License-Identifier: MIT */
/* A machine over several processes, from creation to destruction: see processes.c. */
#ifndef LPI_PROCESSES_H
#define LPI_PROCESSES_H

#include "state/remote.h"

/* load.c: load the transport of this name; NULL: the mailbox. 0; -ENOENT; -ELIBACC: it cannot be
 * loaded, see logp_transport_error() */
int lpi_transport_find(const char *name, const struct lpi_transport **out);

/* Join the other processes: set m->remote and the ranks of this process. -ENOTSUP, -EINVAL: the
 * configuration is not possible; -EBUSY; errors of lpi_transport.open() */
int lpi_remote_create(struct logp_machine *m, const struct logp_config *config,
                      const struct lpi_transport *ops);
/* This process cannot create its machine, for reason rc: tell the processes that wait for it. */
void lpi_remote_refuse(const struct logp_config *config, const struct lpi_transport *ops, int rc);
void lpi_remote_destroy(struct logp_machine *m);
/* Divide the cores of this host among its processes: of n cores, keep this process's. */
void lpi_remote_divide(struct logp_machine *m, int *cores, int *n);
/* Agree on the result of the creation: the worst of all processes. */
int lpi_remote_agree_on(struct logp_machine *m, int rc);

/* Before a run, by all processes: check the delay model, and agree on the clock. Wait for the
 * others until `end` of the host's clock (0: for ever). 0; -ENOTSUP; -EBUSY: a process was lost
 * before; -ETIMEDOUT: one is lost now */
int lpi_remote_barrier(struct logp_machine *m, int64_t end);
void lpi_remote_prepare(struct logp_machine *m);
/* The vps of this process have ended: wait for those of the others, until `end` of the host's clock
 * (0: for ever). The wait ends a few seconds after `end`, or after a stop of the run. */
void lpi_remote_conclude(struct logp_machine *m, int64_t end);
/* After lpi_reclaim()'s own counts: turn the report into that of the whole machine. */
void lpi_remote_collect(struct logp_machine *m);

#endif
