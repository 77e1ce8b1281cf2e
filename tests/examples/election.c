/* SPDX-License-Identifier: MIT */
/*
 * A test of message-passing code: processors in a ring elect the one with the largest number (Chang
 * & Roberts, 1979). Whatever the delays are, all must agree; and who forgets something is found.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <logp/logp.h>

enum { P = 8, CANDIDATE = 0, ELECTED = 1 };

struct election {
    int numbers[P], leader[P];
    bool forgetful; /* nobody says who has been elected */
};

/* The code under test: pass on larger numbers than one's own; who sees its own again is it. */
static int elect(struct logp_vp *vp, void *arg)
{
    struct election *e = arg;
    const int me = logp_vp_rank(vp), next = (me + 1) % P, before = (me + P - 1) % P;
    const int mine = e->numbers[me];
    struct logp_status status = {.tag = CANDIDATE};
    int number = mine, rc = logp_send(vp, next, CANDIDATE, &mine, sizeof(mine));

    while (rc == 0 && status.tag != ELECTED) {
        rc = logp_recv(vp, before, LOGP_ANY_TAG, &number, sizeof(number), &status);
        if (rc == 0 && status.tag == CANDIDATE && number > mine)
            rc = logp_send(vp, next, CANDIDATE, &number, sizeof(number));
        if (rc == 0 && status.tag == CANDIDATE && number == mine && !e->forgetful)
            rc = logp_send(vp, next, ELECTED, &mine, sizeof(mine));
        if (rc == 0 && status.tag == ELECTED && number != mine)
            rc = logp_send(vp, next, ELECTED, &number, sizeof(number));
    }
    e->leader[me] = number;
    return rc;
}

/* delay: a name of `logp list delays`; seed: of its latencies */
static struct logp_machine *machine_with(const char *delay, uint64_t seed, enum logp_clock clock)
{
    const struct logp_params params = {
        .L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000, .seed = seed};
    struct logp_config config = {.size = sizeof(config), .n_processors = P, .clock = clock};
    struct logp_machine *machine;

    cr_assert_eq(logp_delay_create(delay, &params, &config.delay), 0);
    cr_assert_eq(logp_machine_create(&config, &machine), 0);
    return machine;
}

Test(election, all_agree_whatever_the_delays)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct logp_machine *machine = machine_with("varying", seed, LOGP_CLOCK_VIRTUAL);
        struct election e = {.numbers = {3, 1, 4, 15, 9, 2, 6, 5}};

        cr_assert_eq(logp_machine_run(machine, elect, &e, 0), 0);
        for (int i = 0; i < P; i++)
            cr_expect_eq(e.leader[i], 15, "seed %d, rank %d: %d", (int)seed, i, e.leader[i]);
        logp_machine_destroy(machine);
    }
}

Test(election, all_agree_in_real_time)
{
    struct logp_machine *machine = machine_with("logp", 1, LOGP_CLOCK_WALL);
    struct election e = {.numbers = {3, 1, 4, 15, 9, 2, 6, 5}};

    cr_assert_eq(logp_machine_run(machine, elect, &e, 10000000000), 0);
    for (int i = 0; i < P; i++)
        cr_expect_eq(e.leader[i], 15);
    logp_machine_destroy(machine);
}

Test(election, sorted_the_wrong_way_takes_most_messages)
{
    struct logp_machine *machine = machine_with("logp", 1, LOGP_CLOCK_VIRTUAL);
    struct election e = {.numbers = {8, 7, 6, 5, 4, 3, 2, 1}};

    cr_assert_eq(logp_machine_run(machine, elect, &e, 0), 0);
    cr_expect_eq(logp_machine_report(machine)->messages, P * (P + 1) / 2 + P);
    logp_machine_destroy(machine);
}

Test(election, who_waits_for_ever_is_named)
{
    struct logp_machine *machine = machine_with("logp", 1, LOGP_CLOCK_VIRTUAL);
    struct election e = {.numbers = {3, 1, 4, 15, 9, 2, 6, 5}, .forgetful = true};

    cr_assert_eq(logp_machine_run(machine, elect, &e, 0), -EDEADLK);
    cr_expect_eq(logp_machine_report(machine)->n_waits, P);
    cr_expect_eq(logp_machine_report(machine)->waits[1].source, 0);
    logp_machine_destroy(machine);
}
