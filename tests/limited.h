/* SPDX-License-Identifier: MIT */
/* Machines that hold few bytes. */
#ifndef LOGP_TESTS_LIMITED_H
#define LOGP_TESTS_LIMITED_H

#include "support.h"

enum { LIMIT = 1 << 16 };

/* Delays, clock, executor: the limit is the same. */
static inline struct logp_machine *limited_machine(int P, enum logp_clock clock, bool delayed)
{
    const struct logp_params params = test_params(600, 200, 400);
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = P,
                                 .delay = logp_delay_none(),
                                 .clock = clock,
                                 .executor = test_executor(),
                                 .stacks = test_stacks(),
                                 .queue_limit = LIMIT};
    struct logp_machine *m;

    if (delayed)
        cr_assert_eq(logp_delay_create("loggp", &params, &config.delay), 0);
    cr_assert_eq(logp_machine_create(&config, &m), 0);
    return m;
}

#endif
