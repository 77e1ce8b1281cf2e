/* SPDX-License-Identifier: MIT */
/* Random programs (random_program.h) under the virtual clock: every vp's clock and every payload
 * agree to the nanosecond with the plain event simulation. */
#include "random_program.h"
#include "support.h"

enum { PROGRAMS = 10000 };

Test(random, programs_agree_with_a_plain_event_simulation)
{
    struct logp_machine *machines[MOST_P + 1] = {NULL};
    struct random_program *g = malloc(sizeof(*g));
    struct random_run run;
    struct random_outcome expected;

    cr_log_info("programs 1 to %d, each its own seed", PROGRAMS / test_divisor());
    for (uint64_t seed = 1; seed <= (uint64_t)(PROGRAMS / test_divisor()); seed++) {
        uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
        const int P = 1 + (int)(test_random(&random) % MOST_P);
        struct logp_delay delay;
        int rc;

        random_generate(g, &random, P);
        g->ports = test_random(&random) % 3 == 0 ? 2 + (int64_t)(test_random(&random) % 3) : 0;
        if (machines[P] == NULL)
            machines[P] = test_machine(P, LOGP_CLOCK_VIRTUAL, NULL);
        cr_assert_eq(random_delay(g, &delay), 0);
        cr_assert_eq(logp_machine_set_delay(machines[P], delay, 0), 0);
        run.g = g;
        if (logp_machine_cores(machines[P]) > 1 && !random_has_lookahead(g)) {
            cr_assert_eq(logp_machine_run(machines[P], random_run, &run, 0), -ENOTSUP);
            continue;
        }
        rc = logp_machine_run(machines[P], random_run, &run, test_timeout_ns);
        cr_assert_eq(rc, 0, "program %lu: %d", (unsigned long)seed, rc);
        cr_assert_eq(random_simulate(g, &expected), 0);
        cr_assert_eq(random_differ(g, &run.out, &expected), NONE, "program %lu: rank %d",
                     (unsigned long)seed, random_differ(g, &run.out, &expected));
    }
    for (int P = 0; P <= MOST_P; P++)
        cr_assert_eq(logp_machine_destroy(machines[P]), 0);
    free(g);
}
