/* SPDX-License-Identifier: MIT */
/* Messages between processes: see remote.c. */
#ifndef LPI_MAIL_REMOTE_H
#define LPI_MAIL_REMOTE_H

#include "state/remote.h"

/* As lpi_post(), to a vp of another process. The payload of a long message may be read until
 * lpi_remote_is_sent(). arrival: or LOGP_NEVER */
int lpi_remote_send(struct lpi_proc *from, const struct lpi_label *l, int dst, const void *data,
                    size_t n_bytes, int64_t arrival);
/* Is what p has sent its own again? */
bool lpi_remote_is_sent(struct lpi_proc *p);
/* Take what other processes have sent. By the holder of the first core. @return true: there was
 * something */
bool lpi_remote_poll(struct lpi_core *c);
/* For a short while the core does nothing but that. */
bool lpi_remote_await(struct lpi_core *c);
/* p, the caller, waits for none of its receives any more: nothing comes into their buffers
 * afterwards. */
void lpi_remote_drop_receives(struct lpi_proc *p);
/* Say something to a process, which may be this one: then it is heard at once. By the holder of c,
 * whatever core that is, if it is another process. */
void lpi_remote_tell(struct lpi_core *c, int process, struct lpi_wire w, const void *more,
                     size_t n);
void lpi_remote_tell_all(struct lpi_core *c, struct lpi_wire w, const void *more, size_t n);

#endif
