/* SPDX-License-Identifier: MIT */
/* A machine over several processes, from creation to destruction: see processes.c. */
#ifndef LPI_PROCESSES_H
#define LPI_PROCESSES_H

#include "state/remote.h"

/* load.c: the transport of this name, loaded; NULL: the mailbox. 0; -ENOENT; -ELIBACC: it cannot be
 * loaded, logp_transport_error() */
int lpi_transport_find(const char *name, const struct lpi_transport **out);

/* Join the others: m->far and the ranks of this process are set. -ENOTSUP, -EINVAL: what the
 * configuration asks for cannot be; -EBUSY; as lpi_transport.open() */
int lpi_remote_create(struct logp_machine *m, const struct logp_config *config,
                      const struct lpi_transport *ops);
/* This process alone has no machine, for this reason: those who make one with it hear of it. */
void lpi_remote_refuse(const struct logp_config *config, const struct lpi_transport *ops, int rc);
void lpi_remote_destroy(struct logp_machine *m);
/* The cores of this host are divided among its processes: of n, keep this one's. */
void lpi_remote_divide(struct logp_machine *m, int *cores, int *n);
/* What the creation of the machine came to: the worst of all. */
int lpi_remote_agree_on(struct logp_machine *m, int rc);

/* Before a run, by all alike: can the model in force be used, and what is the time? Others are
 * waited for until `end` of the host's clock (0: for ever). 0; -ENOTSUP; -EBUSY: a process is lost;
 * -ETIMEDOUT: now one is */
int lpi_remote_barrier(struct logp_machine *m, int64_t end);
void lpi_remote_prepare(struct logp_machine *m);
/* The vps of this process have ended: until those of all have, at most until `end` of the host's
 * clock (0: for ever), and not much longer than that, or than the run has been stopped. */
void lpi_remote_conclude(struct logp_machine *m, int64_t end);
/* After collect(): the report becomes that of the whole machine. */
void lpi_remote_collect(struct logp_machine *m);

#endif
