/* SPDX-License-Identifier: MIT */
/*
 * The mailbox under stress: many senders, seeded random yields, all sizes, with lanes large, tiny
 * and absent. Every receiver checks each message's number and payload: none lost, none twice, none
 * out of order per sender.
 */
#include "stress.h"
#include "support.h"

#include <semaphore.h>
#include <time.h>

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

/*
 * ---- messages of cores that have sent nothing for long ----
 * A core with a vp, for each of many. Rank 0 has read messages of all others, and those of ranks 1 to
 * BUSY last. Then a quiet rank sends a message, and a busy one a later message, while rank 0 does not
 * look. All clocks may lag behind differently, so each of the three first waits for the clock of the
 * one before.
 */

enum { BUSY = 4, GREETING = 1, FROM_BUSY, ASKED, L_NS = 20000 };

static struct quiet {
    sem_t go[64], gone;
    int64_t now; /* the clock of the last sender when its message has arrived */
    bool probes;
} quiet;

/* Let `rank` send, and wait until its message has arrived. */
static void ask(struct logp_vp *vp, int rank)
{
    const struct timespec moment = {.tv_nsec = 100000};

    sem_post(&quiet.go[rank]);
    while (sem_wait(&quiet.gone) != 0)
        ;
    while (logp_now(vp) < quiet.now)
        nanosleep(&moment, NULL);
}

/* Send what rank 0 asks for, until it asks for nothing. */
static int answer(struct logp_vp *vp, int n)
{
    int rc = logp_send(vp, 0, GREETING, NULL, 0);

    for (int i = 0; rc == 0 && logp_vp_rank(vp) <= BUSY && i < 4; i++)
        rc = logp_send(vp, 0, FROM_BUSY, NULL, 0);
    for (int i = 0; rc == 0 && i < n; i++) {
        while (sem_wait(&quiet.go[logp_vp_rank(vp)]) != 0)
            ;
        rc = logp_sleep_until(vp, quiet.now + 1);
        if (rc == 0)
            rc = logp_send(vp, 0, ASKED, NULL, 0);
        quiet.now = logp_now(vp) + L_NS;
        sem_post(&quiet.gone);
    }
    return rc;
}

/* The two messages that rank 0 takes from any source, or finds. */
static int take_both(struct logp_vp *vp, int first, int second)
{
    const int from[] = {first, second};
    int rc = 0;

    for (int i = 0; rc == 0 && i < 2; i++) {
        struct logp_status s = {.source = from[i]};
        bool found = true;

        if (quiet.probes)
            rc = logp_probe(vp, from[i], ASKED, &found, NULL);
        cr_assert(found, "the message of rank %d", from[i]);
        if (rc == 0)
            rc = logp_recv(vp, quiet.probes ? from[i] : LOGP_ANY_SOURCE, ASKED, NULL, 0, &s);
        cr_assert_eq(s.source, from[i], "%d instead of %d", s.source, from[i]);
    }
    return rc;
}

static int hear(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp);
    int rc = 0;

    (void)arg;
    if (logp_vp_rank(vp) > 0) /* a busy rank answers once for each quiet one */
        return answer(vp, logp_vp_rank(vp) > BUSY ? 1 : logp_vp_rank(vp) == 1 ? P - 1 - BUSY : 0);
    for (int src = 1; rc == 0 && src < P; src++)
        rc = logp_recv(vp, src, GREETING, NULL, 0, NULL);
    for (int i = 0; rc == 0 && i < 4 * BUSY; i++)
        rc = logp_recv(vp, i % BUSY + 1, FROM_BUSY, NULL, 0, NULL);
    for (int rank = BUSY + 1; rc == 0 && rank < P; rank++) {
        ask(vp, rank);
        ask(vp, 1);
        rc = take_both(vp, rank, 1);
    }
    return rc;
}

static void hear_quiet_ranks(int n_cores, bool probes)
{
    const struct logp_params params = {.L_ns = L_NS};
    int cores[64]; /* a vp that waits for rank 0 holds its core */
    char text[16];

    for (int i = 0; i < n_cores; i++)
        cores[i] = i;
    snprintf(text, sizeof(text), "%d", n_cores);
    setenv("LOGP_TEST_CORES", text, 1);
    for (int i = 0; i < n_cores; i++)
        sem_init(&quiet.go[i], 0, 0);
    sem_init(&quiet.gone, 0, 0);
    quiet.now = 0;
    quiet.probes = probes;
    test_run(test_machine_with(
                 (struct logp_config){.n_processors = n_cores, .cores = cores, .n_cores = n_cores},
                 &params),
             hear, NULL);
}

Test(mailbox, the_earliest_message_is_taken_whichever_core_sent_it)
{
    hear_quiet_ranks(16, false);
    hear_quiet_ranks(64, false);
}

Test(mailbox, a_probe_finds_a_message_whichever_core_sent_it)
{
    hear_quiet_ranks(16, true);
    hear_quiet_ranks(64, true);
}
