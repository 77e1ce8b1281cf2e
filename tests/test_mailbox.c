/* SPDX-License-Identifier: MIT */
/*
 * The mailbox under stress: many senders, seeded random yields, all sizes, with lanes large, tiny
 * and absent. Every receiver checks each message's number and payload: none lost, none twice, none
 * out of order per sender.
 */
#include "support.h"

struct stress {
    int P;
    uint64_t per_pair; /* messages from each to each other */
    uint64_t seed;
    size_t largest;
};

struct header {
    uint64_t number;
    int from;
};

/* Message k of a pair: its size and a byte of its payload are known to both. */
static size_t size_of(const struct stress *s, uint64_t k, int from, int to)
{
    uint64_t x = s->seed + k * 7919 + (uint64_t)from * 104729 + (uint64_t)to * 1299709;

    if (s->largest <= sizeof(struct header))
        return sizeof(struct header);
    x = test_random(&x);
    /* mostly small, some long */
    return sizeof(struct header) +
           (size_t)(x % ((x >> 32) % 16 == 0 ? s->largest : s->largest / 64 + 1));
}

static void make(const struct stress *s, unsigned char *buf, uint64_t k, int from, int to)
{
    const struct header h = {k, from};
    const size_t n = size_of(s, k, from, to);

    memset(buf, (int)(k + (uint64_t)from), n);
    memcpy(buf, &h, sizeof(h));
}

static void check(const struct stress *s, const unsigned char *buf, size_t n, uint64_t k, int from,
                  int to)
{
    struct header h;

    memcpy(&h, buf, sizeof(h));
    cr_assert_eq(h.number, k, "from %d to %d: %lu instead of %lu", from, to,
                 (unsigned long)h.number, (unsigned long)k);
    cr_assert_eq(h.from, from);
    cr_assert_eq(n, size_of(s, k, from, to));
    for (size_t i = sizeof(h); i < n; i += 61)
        cr_assert_eq(buf[i], (unsigned char)(k + (uint64_t)from));
}

/* Everyone sends to everyone in turns of random length, and receives in between. */
static int program(struct logp_vp *vp, void *arg)
{
    const struct stress *s = arg;
    const int me = logp_vp_rank(vp), P = s->P;
    uint64_t random = s->seed * 31 + (uint64_t)me + 1;
    const uint64_t all = s->per_pair * (uint64_t)(P - 1);
    uint64_t sent = 0, received = 0, *next = calloc((size_t)P, sizeof(*next));
    const size_t room = s->largest + sizeof(struct header) + 1;
    unsigned char *buf = malloc(room);
    int rc = 0;

    while (rc == 0 && (sent < all || received < all)) {
        for (uint64_t n = test_random(&random) % 100; rc == 0 && n > 0 && sent < all; n--) {
            const int to = (me + 1 + (int)(sent % (uint64_t)(P - 1))) % P;
            const uint64_t k = sent / (uint64_t)(P - 1);

            make(s, buf, k, me, to);
            rc = logp_send(vp, to, 0, buf, size_of(s, k, me, to));
            sent += rc == 0;
        }
        for (uint64_t n = test_random(&random) % 100; rc == 0 && received < all && n > 0; n--) {
            struct logp_status status;
            int from = LOGP_ANY_SOURCE;

            if (n % 4 == 0) { /* now and then a named source, waiting: a buffer on offer */
                from = (me + 1 + (int)(test_random(&random) % (uint64_t)(P - 1))) % P;
                if (next[from] >= s->per_pair || next[from] >= sent / (uint64_t)(P - 1))
                    continue; /* it may not send before we do */
            } else if (sent < all) {
                bool found;

                rc = logp_probe(vp, LOGP_ANY_SOURCE, 0, &found, NULL);
                if (rc != 0 || !found)
                    continue;
            }
            rc = logp_recv(vp, from, 0, buf, room, &status);
            if (rc == 0) {
                check(s, buf, status.n_bytes, next[status.source]++, status.source, me);
                received++;
            }
        }
    }
    free(buf);
    free(next);
    return rc;
}

static void stress(int P, uint64_t messages, size_t largest, int lane_slots, uint64_t seed,
                   bool yields)
{
    struct logp_config config = {.size = sizeof(config),
                                 .executor = test_executor(),
                                 .stacks = test_stacks(),
                                 .n_processors = P,
                                 .lane_slots = lane_slots,
                                 .yield_seed = yields ? seed : 0};
    struct stress s = {P, messages / TEST_SCALE / (uint64_t)(P * (P - 1)) + 1, seed, largest};
    struct logp_machine *m;

    cr_log_info("P %d messages %lu largest %zu slots %d seed %lu", P,
                (unsigned long)(s.per_pair * (uint64_t)(P * (P - 1))), largest, lane_slots,
                (unsigned long)seed);
    cr_assert_eq(logp_machine_create(&config, &m), 0);
    cr_assert_eq(logp_machine_run(m, program, &s, 5 * test_timeout_ns), 0);
    cr_assert_eq(logp_machine_report(m)->messages, s.per_pair * (uint64_t)(P * (P - 1)));
    cr_assert_eq(logp_machine_report(m)->unreceived, 0);
    cr_assert_eq(logp_machine_destroy(m), 0);
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

/* One receiver, many senders: 10^7 messages without a loss or a reordering. */
static int to_one(struct logp_vp *vp, void *arg)
{
    const uint64_t each = *(const uint64_t *)arg;
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

Test(mailbox, loses_none_of_ten_million)
{
    struct logp_config config = {.size = sizeof(config),
                                 .executor = test_executor(),
                                 .stacks = test_stacks(),
                                 .n_processors = 9,
                                 .yield_seed = 12,
                                 .queue_limit = 64 << 20};
    uint64_t each = 10000000 / TEST_SCALE / 8;
    struct logp_machine *m;

    cr_assert_eq(logp_machine_create(&config, &m), 0);
    test_run(m, to_one, &each);
}
