/* SPDX-License-Identifier: MIT */
/* Messages between processes: see remote.c. */
#ifndef LPI_MAIL_REMOTE_H
#define LPI_MAIL_REMOTE_H

#include "state/remote.h"

/* As lpi_post(), to a vp of another process. The payload of a long message is read until
 * lpi_remote_is_sent() returns true. arrival: LOGP_NEVER without a delay */
int lpi_remote_send(struct lpi_proc *from, const struct lpi_label *l, int dst, const void *data,
                    size_t n_bytes, int64_t arrival);
/* May p change the payload of its last send? */
bool lpi_remote_is_sent(struct lpi_proc *p);
/* Take messages of other processes. Called by the holder of the first core. @return true: took
 * some */
bool lpi_remote_poll(struct lpi_core *c);
/* Poll for a short while, until a message comes. @return true: took some */
bool lpi_remote_await(struct lpi_core *c);
/* p, the caller, drops its receives: no payload is written to their buffers afterwards. */
void lpi_remote_drop_receives(struct lpi_proc *p);
/* Send a control message to a process. This process handles its own at once. To another process it
 * is called by the holder of c, which may be any core. */
void lpi_remote_tell(struct lpi_core *c, int process, struct lpi_wire w, const void *more,
                     size_t n);
void lpi_remote_tell_all(struct lpi_core *c, struct lpi_wire w, const void *more, size_t n);

#endif
