/* SPDX-License-Identifier: MIT */
/*
 * The mailbox under stress: many senders, seeded random yields, all sizes, with lanes large, tiny
 * and absent. Every receiver checks each message's number and payload: none lost, none twice, none
 * out of order per sender.
 */
#include "stress.h"
#include "support.h"

/* Lanes of no slots are absent: the queue alone; of 0: as many as usual. */
static const struct traffic {
    int P;
    uint64_t messages;
    size_t largest;
    int lane_slots;
    bool yields;
} traffics[] = {
    /* numbers alone: over lanes, where lanes overflow into the queue, in the queue alone */
    {2, 2000000, 0, 0, false},
    {8, 500000, 0, 0, true},
    {2, 500000, 0, 1, false},
    {5, 300000, 0, 2, true},
    {8, 300000, 0, 4, true},
    {2, 500000, 0, -1, false},
    {8, 300000, 0, -1, true},
    /* all sizes */
    {2, 100000, 100000, 0, false},
    {2, 100000, 100000, 1, false},
    {6, 60000, 60000, 4, true},
    {6, 60000, 60000, -1, true},
    /* most have 8 bytes, and two of them share a line; some have a line to themselves, or none */
    {2, 500000, 40, 0, false},
    {2, 300000, 40, 1, false},
    {5, 300000, 200, 4, true},
    {8, 300000, 40, 0, true},
};

Test(mailbox, keeps_order_per_sender_and_content)
{
    for (size_t i = 0; i < sizeof(traffics) / sizeof(traffics[0]); i++) {
        const struct traffic *t = &traffics[i];
        const uint64_t pairs = (uint64_t)(t->P * (t->P - 1));
        struct stress s = {.P = t->P,
                           .per_pair = t->messages / TEST_SCALE / pairs + 1,
                           .seed = 1 + i,
                           .largest = t->largest,
                           .ends = t->yields};
        TEST_MACHINE m =
            test_machine_with((struct logp_config){.n_processors = t->P,
                                                   .delay = logp_delay_none(),
                                                   .lane_slots = t->lane_slots,
                                                   .yield_seed = t->yields ? s.seed : 0},
                              NULL);

        cr_log_info("P %d messages %lu largest %zu slots %d seed %lu", t->P,
                    (unsigned long)(s.per_pair * pairs), t->largest, t->lane_slots,
                    (unsigned long)s.seed);
        cr_assert_eq(logp_machine_run(m, stress_program, &s, 5 * test_timeout_ns), 0, "%s",
                     s.wrong);
        cr_assert_eq(logp_machine_report(m)->messages, s.per_pair * pairs);
        cr_assert_eq(logp_machine_report(m)->unreceived, 0);
    }
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
