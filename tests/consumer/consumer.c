/* SPDX-License-Identifier: MIT */
/* Message-passing code under test, with controlled delays. */
#include <criterion/criterion.h>
#include <logp/logp.h>

static int sum_around_a_ring(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp), P = logp_vp_size(vp);
    int token = me, next = 0, sum = me, rc = 0;

    for (int i = 1; rc == 0 && i < P; i++) {
        rc = logp_sendrecv(vp, (me + 1) % P, 0, &token, sizeof(token), (me + P - 1) % P, 0, &next,
                           sizeof(next), NULL);
        token = next;
        sum += token;
    }
    ((int *)arg)[me] = sum;
    return rc;
}

static void run(enum logp_clock clock)
{
    const struct logp_params params = {
        .L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000};
    struct logp_config config = {.size = sizeof(config), .n_processors = 8, .clock = clock};
    struct logp_machine *machine;
    int sums[8] = {0};

    cr_assert_eq(logp_delay_create("logp", &params, &config.delay), 0);
    cr_assert_eq(logp_machine_create(&config, &machine), 0);
    cr_assert_eq(logp_machine_run(machine, sum_around_a_ring, sums, 10000000000), 0);
    for (int i = 0; i < 8; i++)
        cr_expect_eq(sums[i], 28);
    cr_assert_eq(logp_machine_destroy(machine), 0);
}

Test(consumer, eight_processors_on_the_wall_clock)
{
    run(LOGP_CLOCK_WALL);
}

Test(consumer, eight_processors_on_the_virtual_clock)
{
    run(LOGP_CLOCK_VIRTUAL);
}
