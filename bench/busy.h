/* SPDX-License-Identifier: MIT */
/*
 * A process that has nothing to do with this one and is busy on one of its cores, now and then. The
 * kernel kills it when this one ends, however it ends.
 */
#ifndef LOGP_BENCH_BUSY_H
#define LOGP_BENCH_BUSY_H

#include <stdbool.h>
#include <sys/types.h>

/* Fork it, pinned to the last core that this process may use, at rest. To be called before there
 * are machines, by the thread that lives longest. */
pid_t busy_create(void);

/* Let it compute, or rest: then it does when this returns. */
void busy_set(pid_t busy, bool computes);

void busy_destroy(pid_t busy);

#endif
