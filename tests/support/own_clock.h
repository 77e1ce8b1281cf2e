/* SPDX-License-Identifier: MIT */
/*
 * A wall clock that the test controls: each reading takes a step, and at times given in advance it
 * jumps, as if the host had been away. On one core with fibers every run is the same.
 */
#ifndef LOGP_TESTS_OWN_CLOCK_H
#define LOGP_TESTS_OWN_CLOCK_H

#include "support.h"

struct own_clock {
    int64_t now, step;
    int64_t jump_at, jump_ns; /* once; jump_at < 0: never */
    int64_t away_ns;          /* the sum of the jumps */
};

static int64_t own_clock_read(void *arg)
{
    struct own_clock *c = arg;

    c->now += c->step;
    if (c->jump_at >= 0 && c->now >= c->jump_at) {
        c->jump_at = -1;
        c->now += c->jump_ns;
        c->away_ns += c->jump_ns;
    }
    return c->now;
}

/* Any time; a reading takes a nanosecond. */
static inline struct own_clock own_clock(void)
{
    return (struct own_clock){.now = 123456789, .step = 1, .jump_at = -1};
}

/* P fibers on one core, by this clock. */
static inline struct logp_machine *own_clock_machine(int P, struct own_clock *c,
                                                     const struct logp_params *params)
{
    return test_machine_with((struct logp_config){.n_processors = P,
                                                  .delay = logp_delay_none(),
                                                  .executor = "fiber",
                                                  .n_cores = 1,
                                                  .time_ns = own_clock_read,
                                                  .time_arg = c},
                             params);
}

#endif
