/* SPDX-License-Identifier: MIT */
/* Machines that hold few bytes. */
#ifndef LOGP_TESTS_LIMITED_H
#define LOGP_TESTS_LIMITED_H

#include "support.h"

enum { LIMIT = 1 << 16 };

/* Delays, clock, executor: the limit is the same. */
static inline struct logp_machine *limited_machine(int P, enum logp_clock clock, bool delayed)
{
    return test_machine_with(
        (struct logp_config){
            .n_processors = P, .delay = logp_delay_none(), .clock = clock, .queue_limit = LIMIT},
        delayed ? &test_600ns : NULL);
}

#endif
