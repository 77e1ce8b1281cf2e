/* SPDX-License-Identifier: MIT */
/*
 * The mailbox under stress: many senders, seeded random yields, all sizes, with lanes large, tiny
 * and absent. Every receiver checks each message's number and payload: none lost, none twice, none
 * out of order per sender.
 */
#include "stress.h"
#include "support.h"

static void stress(int P, uint64_t messages, size_t largest, int lane_slots, uint64_t seed,
                   bool yields)
{
    struct logp_config config = {.n_processors = P,
                                 .delay = logp_delay_none(),
                                 .lane_slots = lane_slots,
                                 .yield_seed = yields ? seed : 0};
    struct stress s = {.P = P,
                       .per_pair = messages / TEST_SCALE / (uint64_t)(P * (P - 1)) + 1,
                       .seed = seed,
                       .largest = largest,
                       .ends = yields};
    TEST_MACHINE m = NULL;

    cr_log_info("P %d messages %lu largest %zu slots %d seed %lu", P,
                (unsigned long)(s.per_pair * (uint64_t)(P * (P - 1))), largest, lane_slots,
                (unsigned long)seed);
    m = test_machine_with(config, NULL);
    cr_assert_eq(logp_machine_run(m, stress_program, &s, 5 * test_timeout_ns), 0, "%s", s.wrong);
    cr_assert_eq(logp_machine_report(m)->messages, s.per_pair * (uint64_t)(P * (P - 1)));
    cr_assert_eq(logp_machine_report(m)->unreceived, 0);
}

Test(mailbox, keeps_order_per_sender_over_lanes)
{
    stress(2, 2000000, 0, 0, 1, false);
    stress(8, 500000, 0, 0, 2, true);
}

Test(mailbox, keeps_order_where_lanes_overflow_into_the_queue)
{
    stress(2, 500000, 0, 1, 3, false);
    stress(5, 300000, 0, 2, 4, true);
    stress(8, 300000, 0, 4, 5, true);
}

Test(mailbox, keeps_order_in_the_queue_alone)
{
    stress(2, 500000, 0, -1, 6, false);
    stress(8, 300000, 0, -1, 7, true);
}

Test(mailbox, carries_all_sizes)
{
    stress(2, 100000, 100000, 0, 8, false);
    stress(2, 100000, 100000, 1, 9, false);
    stress(6, 60000, 60000, 4, 10, true);
    stress(6, 60000, 60000, -1, 11, true);
}

/* Most have 8 bytes, and two of them share a line; some have a line to themselves, or none. */
Test(mailbox, carries_short_and_long_messages_in_turn)
{
    stress(2, 500000, 40, 0, 13, false);
    stress(2, 300000, 40, 1, 14, false);
    stress(5, 300000, 200, 4, 15, true);
    stress(8, 300000, 40, 0, 16, true);
}

/* One receiver, many senders: 10^7 messages without a loss or a reordering. */
TestProgram(mailbox, loses_none_of_ten_million,
            test_run(test_machine_with((struct logp_config){.n_processors = 9,
                                                            .delay = logp_delay_none(),
                                                            .yield_seed = 12,
                                                            .queue_limit = 64 << 20},
                                       NULL),
                     program, NULL))
{
    const uint64_t each = 10000000 / TEST_SCALE / 8;
    const int me = logp_vp_rank(vp), P = logp_vp_size(vp);
    uint64_t *next = calloc((size_t)P, sizeof(*next));
    int rc = 0;

    for (uint64_t k = 0; rc == 0 && me > 0 && k < each; k++) {
        rc = logp_send(vp, 0, 0, &k, sizeof(k));
        if (rc == -ENOBUFS) { /* the receiver is behind: let it run */
            bool found;

            rc = logp_probe(vp, 0, 1, &found, NULL);
            k--;
        }
    }
    for (uint64_t i = 0; rc == 0 && me == 0 && i < each * (uint64_t)(P - 1); i++) {
        struct logp_status s;
        uint64_t k = UINT64_MAX;

        rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, &k, sizeof(k), &s);
        if (rc == 0)
            cr_assert_eq(k, next[s.source]++);
    }
    free(next);
    return rc;
}
