/* SPDX-License-Identifier: MIT */
/* Structs that say their size: older and newer ones are taken, as far as they can be understood. */
#include "support.h"

#include <stdio.h>

/* What might be behind a struct of a time to come. */
struct grown {
    size_t size;
    int first, second;
    int more[4];
};

enum { LEAST = LOGP_UP_TO(struct grown, first), KNOWN = LOGP_UP_TO(struct grown, second) };

/* The library knows KNOWN bytes of it. */
static int take(const struct grown *given, struct grown *out)
{
    memset(out, 0x55, sizeof(*out));
    return logp_struct_take(out, KNOWN, LEAST, given);
}

Test(sizes, what_is_missing_is_0_and_what_is_unknown_must_be)
{
    struct grown given = {.first = 1, .second = 2}, out;

    cr_expect_eq(logp_struct_take(&out, KNOWN, LEAST, NULL), -EINVAL);
    for (size_t size = 0; size <= sizeof(given); size++) {
        int second = 0; /* as much of it as there is */

        given.size = size;
        cr_assert_eq(take(&given, &out), size < LEAST ? -EINVAL : 0, "%zu", size);
        if (size < LEAST)
            continue;
        cr_expect_eq(out.size, KNOWN);
        cr_expect_eq(out.first, 1);
        memcpy(&second, &given.second, size < KNOWN ? size - LEAST : sizeof(second));
        cr_expect_eq(out.second, second, "%zu", size);
        cr_expect_eq(out.more[0], 0x55555555);
    }
    for (size_t at = KNOWN; at < sizeof(given); at++) {
        ((char *)&given)[at] = 1;
        for (size_t size = KNOWN; size <= sizeof(given); size++) {
            given.size = size;
            cr_expect_eq(take(&given, &out), size > at ? -E2BIG : 0);
        }
        ((char *)&given)[at] = 0;
    }
    given.size = SIZE_MAX; /* nothing of it is looked at */
    cr_expect_eq(take(&given, &out), -E2BIG);
}

static int create(const struct logp_config *config)
{
    struct logp_machine *m = NULL;
    const int rc = logp_machine_create(config, &m);

    cr_assert_eq(rc == 0, m != NULL);
    logp_machine_destroy(m);
    return rc;
}

Test(sizes, a_machine_is_made_of_a_configuration_of_any_version)
{
    struct {
        struct logp_config config;
        char more[8];
    } grown = {.config = {.n_processors = 2, .delay = logp_delay_none(), .n_cores = 1}};
    struct logp_config *config = &grown.config;

    cr_expect_eq(create(config), -EINVAL);
    config->size = LOGP_UP_TO(struct logp_config, time_arg) - 1;
    cr_expect_eq(create(config), -EINVAL);
    config->size = sizeof(*config);
    cr_expect_eq(create(config), 0);
    config->size = sizeof(grown);
    cr_expect_eq(create(config), 0);
    grown.more[7] = 1;
    cr_expect_eq(create(config), -E2BIG);
    config->size = sizeof(*config);
    cr_expect_eq(create(config), 0);
}

static int send_one(struct logp_vp *vp, void *arg)
{
    char c = 0;

    if (logp_vp_rank(vp) == 0)
        return logp_send(vp, 1, 0, &c, 1);
    return logp_recv(vp, 0, 0, &c, 1, NULL);
}

/* A model whose functions are gone, and of another version, when the machine runs: it has copied
 * what it knows. */
Test(sizes, a_machine_copies_the_functions_of_its_model)
{
    struct logp_machine *m = test_machine(2, LOGP_CLOCK_VIRTUAL, NULL);
    struct logp_config config = {
        .size = sizeof(config), .n_processors = 2, .delay = logp_delay_none()};
    struct logp_delay_ops ops;
    struct logp_delay delay;

    cr_assert_eq(logp_delay_create("loggp", &test_6ns, &delay), 0);
    ops = *delay.ops;
    delay.ops = config.delay.ops = &ops;
    config.delay.model = delay.model;
    ops.size = 0;
    cr_expect_eq(logp_machine_set_delay(m, delay, 0), -EINVAL);
    cr_expect_eq(logp_machine_set_delay(m, delay, 10), -EINVAL);
    cr_expect_eq(create(&config), -EINVAL);
    ops.size = SIZE_MAX;
    cr_expect_eq(logp_machine_set_delay(m, delay, 0), -E2BIG);
    cr_expect_eq(create(&config), -E2BIG);
    ops.size = sizeof(ops);
    cr_assert_eq(logp_machine_set_delay(m, delay, 0), 0);
    memset(&ops, 0, sizeof(ops));
    cr_assert_eq(logp_machine_run(m, send_one, NULL, test_timeout_ns), 0);
    cr_expect_eq(logp_machine_report(m)->messages, 1);
    cr_assert_eq(logp_machine_destroy(m), 0);

    cr_assert_eq(logp_delay_create("loggp", &test_6ns, &delay), 0);
    ops = *delay.ops;
    delay.ops = &ops;
    m = test_machine(2, LOGP_CLOCK_VIRTUAL, NULL);
    cr_assert_eq(logp_machine_set_delay(m, delay, 1), 0); /* from a time on */
    memset(&ops, 0, sizeof(ops));
    cr_assert_eq(logp_machine_run(m, send_one, NULL, test_timeout_ns), 0);
    cr_assert_eq(logp_machine_destroy(m), 0);
}

/* The same of the ends of a network, and of what is folded. */
Test(sizes, networks_and_folds_look_at_the_size)
{
    TEST_TOPOLOGY t = test_topology("ring", 4);
    const struct logp_algorithm *chain = logp_algorithm_find("broadcast", "chain");
    const struct logp_params params = test_params(6, 2, 4);
    const struct logp_args args = {.n_bytes = 8};
    const struct logp_network model = {.params = params};
    const struct logp_schedule s = logp_schedule_of(chain, 4, &args, &model);
    struct logp_delay ends, delay;
    struct logp_delay_ops ops;
    struct logp_fold fold;

    cr_assert_eq(logp_delay_create("loggp", &params, &ends), 0);
    ops = *ends.ops;
    ends.ops = &ops;
    ops.size = 0;
    cr_expect_eq(logp_topology_delay(t, ends, &delay), -EINVAL);
    cr_expect_eq(logp_schedule_fold(&s, &ends, 0, &fold), -EINVAL);
    ops.size = sizeof(ops);
    cr_assert_eq(logp_topology_delay(t, ends, &delay), 0);
    memset(&ops, 0, sizeof(ops));
    cr_assert_eq(logp_schedule_fold(&s, &delay, 0, &fold), 0);
    cr_expect_eq(fold.ns, 30);
    logp_delay_destroy(&delay);
}

Test(sizes, the_version_of_the_headers_is_that_of_the_library)
{
    int major, minor, patch;

    cr_expect_str_eq(logp_version(), LOGP_VERSION_TEXT);
    cr_assert_eq(sscanf(logp_version(), "%d.%d.%d", &major, &minor, &patch), 3);
    cr_expect_eq(major * 1000000 + minor * 1000 + patch, LOGP_VERSION);
    cr_expect(major == LOGP_VERSION_MAJOR && minor == LOGP_VERSION_MINOR &&
              patch == LOGP_VERSION_PATCH);
}
