/* SPDX-License-Identifier: MIT */
/* The test kit: networks that reorder messages, and the places where faults strike. */
#include "kit.h"

/* ---- messages that overtake others ---- */

enum { MOST_ORDERS = 64, MOST_LETTERS = 8 };

/* The orders in which messages have come, over all runs of a check. */
struct orders {
    int n_sent, n_received; /* letters; fewer are received if others may come twice or never */
    bool same_tag, waits;   /* all have tag 0; each is sent after an answer of rank 2 */
    int src, tag;           /* of the receives */
    char all[MOST_ORDERS][MOST_LETTERS + 1];
    int n;
};

static void add_order(struct orders *o, const char *order)
{
    int i = 0;

    while (i < o->n && strcmp(o->all[i], order) != 0)
        i++;
    cr_assert_lt(i, MOST_ORDERS);
    o->n += i == o->n;
    strcpy(o->all[i], order);
}

static bool has_order(const struct orders *o, const char *order)
{
    int i = 0;

    while (i < o->n && strcmp(o->all[i], order) != 0)
        i++;
    return i < o->n;
}

/* Rank 1 sends A, B, C, ... to rank 0. */
static int letters(struct logp_vp *vp, void *arg)
{
    struct orders *o = arg;
    char order[MOST_LETTERS + 1] = "", letter;
    int rc = 0;

    if (logp_vp_rank(vp) == 2 && o->waits)
        return logp_send(vp, 1, 9, NULL, 0);
    for (int i = 0; logp_vp_rank(vp) == 1 && rc == 0 && i < o->n_sent; i++) {
        letter = (char)('A' + i);
        rc = logp_send(vp, 0, o->same_tag ? 0 : i, &letter, 1);
        if (rc == 0 && i == 0 && o->waits)
            rc = logp_recv(vp, 2, 9, NULL, 0, NULL);
    }
    for (int i = 0; logp_vp_rank(vp) == 0 && rc == 0 && i < o->n_received; i++) {
        rc = logp_recv_until(vp, o->src, o->tag, &letter, 1, logp_now(vp) + 1000, NULL);
        if (rc == 0)
            order[i] = letter;
    }
    if (logp_vp_rank(vp) == 0 && rc == 0)
        add_order(o, order);
    return rc == -ETIME ? 0 : rc;
}

/* The same with receives that wait. */
static int awaited(struct logp_vp *vp, void *arg)
{
    struct orders *o = arg;
    char order[MOST_LETTERS + 1] = "";
    int rc = 0;

    if (logp_vp_rank(vp) > 0)
        return letters(vp, arg);
    for (int i = 0; rc == 0 && i < o->n_received; i++)
        rc = logp_recv(vp, o->src, o->tag, &order[i], 1, NULL);
    if (rc == 0)
        add_order(o, order);
    return rc;
}

/* In an order of three letters, the letters that a later one passes: none in ABC, one in ACB, BAC
 * and BCA, two in CAB and CBA. */
Test(check_network, exhaustive_tries_all_orders_with_so_many_overtaken_messages)
{
    const struct {
        int most, src, tag;
        bool same_tag, waits;
        uint64_t orders;
    } cases[] = {
        {0, LOGP_ANY_SOURCE, LOGP_ANY_TAG, false, false, 1},
        {1, LOGP_ANY_SOURCE, LOGP_ANY_TAG, false, false, 4},
        {2, LOGP_ANY_SOURCE, LOGP_ANY_TAG, false, false, 6},
        {3, LOGP_ANY_SOURCE, LOGP_ANY_TAG, true, false, 6},
        {1, 1, 0, true, false, 4},
        {2, 1, LOGP_ANY_TAG, false, false, 6},
        {1, LOGP_ANY_SOURCE, LOGP_ANY_TAG, false, true, 4},
        {2, 1, 0, true, true, 6},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct orders o = {.n_sent = 3,
                           .n_received = 3,
                           .same_tag = cases[i].same_tag,
                           .waits = cases[i].waits,
                           .src = cases[i].src,
                           .tag = cases[i].tag};
        struct logp_check check = check_of(cases[i].waits ? 3 : 2, LOGP_STRATEGY_EXHAUSTIVE, 0);

        check.most_overtaken = cases[i].most;
        passes(awaited, &o, &check);
        cr_assert(check.checked.complete);
        cr_assert_eq(o.n, (int)cases[i].orders, "%zu: %d", i, o.n);
        cr_assert_eq(check.checked.executions, cases[i].orders, "%zu: %llu", i,
                     (unsigned long long)check.checked.executions);
        cr_assert_eq(check.checked.by_size[0].outcomes, cases[i].orders);
    }
}

/* Ranks 0 and 2 each receive two messages. The limit is that of the run, not of a link. */
static int two_links(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);
    char letter;
    int rc = 0;

    (void)arg;
    for (int i = 0; rc == 0 && i < 2; i++)
        rc = me % 2 == 0 ? logp_recv(vp, me + 1, LOGP_ANY_TAG, &letter, 1, NULL)
                         : logp_send(vp, me - 1, i, "x", 1);
    return rc;
}

Test(check_network, the_limit_of_overtaken_messages_is_that_of_a_run)
{
    const uint64_t executions[] = {1, 3, 4, 4};

    for (int most = 0; most < 4; most++) {
        struct logp_check check = check_of(4, LOGP_STRATEGY_EXHAUSTIVE, 0);

        check.most_overtaken = most;
        passes(two_links, NULL, &check);
        cr_assert_eq(check.checked.executions, executions[most]);
    }
}

static int in_order(struct logp_vp *vp, void *arg)
{
    int x = 0, y = 0, rc = 0;

    (void)arg;
    if (logp_vp_rank(vp) == 1) {
        for (x = 1; rc == 0 && x <= 2; x++)
            rc = logp_send(vp, 0, x, &x, sizeof(x));
        return rc;
    }
    rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &x, sizeof(x), NULL);
    if (rc == 0)
        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &y, sizeof(y), NULL);
    return rc != 0 ? rc : LOGP_CHECK_LT(vp, x, y);
}

Test(check_network, each_strategy_lets_a_message_overtake)
{
    for (int i = 0; i < N_STRATEGIES; i++) {
        struct logp_check check = check_of(2, strategies[i], 1000);

        passes(in_order, NULL, &check);
        check.most_overtaken = 1;
        finds(in_order, NULL, &check, -EPROTO, LOGP_FAILURE_ASSERTED,
              "message 1 of rank 1 comes to rank 0 after message 2 (tag 2) (default: ");
    }
}

/* A probe finds B before A, and a receive of what it has found takes B. */
static int probes(struct logp_vp *vp, void *arg)
{
    struct logp_status status;
    bool found = false;
    char letter = 'A';
    int rc = 0;

    if (logp_vp_rank(vp) == 1) {
        rc = logp_send(vp, 0, 1, &letter, 1);
        letter = 'B';
        return rc != 0 ? rc : logp_send(vp, 0, 2, &letter, 1);
    }
    while (rc == 0 && !found)
        rc = logp_probe(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &found, &status);
    if (rc == 0)
        rc = logp_recv(vp, status.source, status.tag, &letter, 1, NULL);
    if (rc == 0)
        LOGP_CHECK_EQ(vp, letter, status.tag == 1 ? 'A' : 'B');
    *(bool *)arg |= letter == 'B';
    return rc != 0 ? rc : logp_recv(vp, 1, LOGP_ANY_TAG, &letter, 1, NULL);
}

Test(check_network, a_probe_finds_a_message_that_overtakes)
{
    for (int i = 0; i < N_STRATEGIES; i++) {
        struct logp_check check = check_of(2, strategies[i], i < 2 ? 1000 : 0);
        bool overtaken = false;

        passes(probes, &overtaken, &check);
        cr_assert(!overtaken);
        check.most_overtaken = 1;
        passes(probes, &overtaken, &check);
        cr_assert(overtaken);
    }
}

/* Receives are posted before the messages come, and waited for in any order. */
static int posted(struct logp_vp *vp, void *arg)
{
    struct orders *o = arg;
    struct logp_request *r[2] = {NULL, NULL};
    char order[3] = "";
    int rc = 0;

    if (logp_vp_rank(vp) > 0)
        return letters(vp, arg);
    for (int i = 0; rc == 0 && i < 2; i++)
        rc = logp_irecv(vp, 1, o->tag, &order[i], 1, &r[i]);
    for (int i = 0; rc == 0 && i < 2; i++)
        rc = logp_wait(vp, r[i], NULL);
    if (rc == 0)
        add_order(o, order);
    return rc;
}

Test(check_network, posted_receives_get_messages_that_overtake)
{
    for (int i = 0; i < N_STRATEGIES; i++) {
        struct orders o = {.n_sent = 2, .tag = LOGP_ANY_TAG};
        struct logp_check check = check_of(2, strategies[i], i < 2 ? 1000 : 0);

        check.most_overtaken = 1;
        passes(posted, &o, &check);
        cr_assert_eq(o.n, 2, "%d: %d", i, o.n);
    }
}

static int collective(struct logp_vp *vp, void *arg)
{
    int64_t sum = logp_vp_rank(vp), all = 0;

    (void)arg;
    for (int i = 0; i < 3; i++) {
        const int rc = logp_allreduce(vp, &sum, &all, 1, logp_op_find("sum", "int64"));

        if (rc != 0)
            return rc;
        LOGP_CHECK_EQ(vp, all, (int64_t)3);
    }
    return 0;
}

Test(check_network, messages_of_collectives_are_not_overtaken)
{
    for (int i = 0; i < N_STRATEGIES; i++) {
        struct logp_check check = check_of(3, strategies[i], 1000);

        check.most_overtaken = 3;
        passes(collective, NULL, &check);
    }
}

Test(check_network, only_named_messages_are_overtaken)
{
    const struct {
        struct logp_fault_places at;
        int orders;
    } cases[] = {
        {{0}, 4},
        {{.senders = 1 << 1, .receivers = 1 << 0}, 4},
        {{.senders = 1 << 0}, 1},
        {{.receivers = 1 << 1}, 1},
        {{.tags = 1 << 0}, 3}, /* BAC, BCA: A alone is passed */
        {{.tags = 1 << 1}, 2}, /* ACB */
        {{.tags = UINT64_C(1) << 63}, 1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct orders o = {.n_sent = 3, .n_received = 3, .src = 1, .tag = LOGP_ANY_TAG};
        struct logp_check check = check_of(2, LOGP_STRATEGY_EXHAUSTIVE, 0);

        check.most_overtaken = 1;
        check.fault_places = cases[i].at;
        passes(awaited, &o, &check);
        cr_assert_eq(o.n, cases[i].orders, "%zu: %d", i, o.n);
    }
}

/* ---- messages that come twice ---- */

Test(check_network, a_copy_comes_at_any_later_time)
{
    for (int i = 0; i < N_STRATEGIES; i++) {
        struct orders o = {.n_sent = 3, .n_received = 4, .src = 1, .tag = LOGP_ANY_TAG};
        struct logp_check check = check_of(2, strategies[i], i < 2 ? 2000 : 0);

        check.most_faults.doubled = 1;
        check.leaves_messages = true;
        passes(letters, &o, &check);
        for (const char *order = "AABC\0ABAC\0ABCA\0ABBC\0ABCB\0ABCC\0"; *order != '\0'; order += 5)
            cr_assert(has_order(&o, order), "%d: %s", i, order);
        cr_assert_eq(o.n, 6);
        o.n = 0;
        check.keeps_order = true;
        passes(letters, &o, &check);
        for (const char *order = "AABC\0ABBC\0ABCC\0"; *order != '\0'; order += 5)
            cr_assert(has_order(&o, order), "%d: %s", i, order);
        cr_assert_eq(o.n, 3);
    }
}

/* Rank 0 adds each letter that is not that of the message before, as one that removes copies might. */
static int removes_copies(struct logp_vp *vp, void *arg)
{
    char last = '\0', letter = 'A';
    int rc = 0, n = 0;

    (void)arg;
    if (logp_vp_rank(vp) == 1) {
        for (; rc == 0 && letter <= 'B'; letter++)
            rc = logp_send(vp, 0, 0, &letter, 1);
        return rc;
    }
    for (int misses = 0; rc == 0 && misses < 2;) {
        rc = logp_recv_until(vp, 1, 0, &letter, 1, logp_now(vp) + 1000, NULL);
        n += rc == 0 && letter != last;
        last = rc == 0 ? letter : last;
        misses += rc == -ETIME;
        rc = rc == -ETIME ? 0 : rc;
    }
    return rc != 0 ? rc : LOGP_CHECK_LE(vp, n, 2);
}

Test(check_network, a_late_copy_is_named)
{
    for (int i = 0; i < N_STRATEGIES; i++) {
        struct logp_check check = check_of(2, strategies[i], 2000);

        check.most_faults.doubled = 1;
        check.keeps_order = true;
        passes(removes_copies, NULL, &check);
        check.keeps_order = false;
        finds(removes_copies, NULL, &check, -EPROTO, LOGP_FAILURE_ASSERTED,
              "the copy of message 1 of rank 1 comes to rank 0 after message 2 (tag 0)");
    }
}

/* ---- places of faults ---- */

/* Rank 0 is the server, and rank 1 its client, which asks once. */
static int asks_once(struct logp_vp *vp, void *arg)
{
    int x = 0, rc;

    (void)arg;
    if (logp_vp_rank(vp) == 0) {
        rc = logp_recv(vp, 1, 0, &x, sizeof(x), NULL);
        return rc != 0 ? rc : logp_send(vp, 1, 1, &x, sizeof(x));
    }
    rc = logp_send(vp, 0, 0, &x, sizeof(x));
    return rc != 0 ? rc : logp_recv(vp, 0, 1, &x, sizeof(x), NULL);
}

Test(check_network, only_named_ranks_restart)
{
    for (int i = 0; i < N_STRATEGIES; i++) {
        struct logp_check check = check_of(2, strategies[i], 1000);

        check.most_faults.restarts = 1;
        check.fault_places.ranks = 1 << 1; /* it asks again, and the first answer is there */
        passes(asks_once, NULL, &check);
        check.fault_places.ranks = 1 << 0;
        finds(asks_once, NULL, &check, -EDEADLK, LOGP_FAILURE_DEADLOCK,
              ": rank 0 crashes and starts again before");
    }
}

/* Ranks send their number to all others, with their number as the tag, and count what comes. */
struct links {
    int P, came[4][4], fewest[4][4]; /* by sender and receiver: in this run, in all */
};

static int to_all(struct logp_vp *vp, void *arg)
{
    struct links *l = arg;
    const int me = logp_vp_rank(vp), P = logp_vp_size(vp);
    int rc = 0, from;

    for (int i = 0; rc == 0 && i < P; i++)
        rc = i != me ? logp_send(vp, i, me, &me, sizeof(me)) : 0;
    while (rc == 0) {
        rc = logp_recv_until(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &from, sizeof(from),
                             logp_now(vp) + 1000, NULL);
        if (rc == 0)
            l->came[from][me]++;
    }
    return rc == -ETIME ? 0 : rc;
}

static int forget_links(int P, void *arg)
{
    struct links *l = arg;

    l->P = P;
    memset(l->came, 0, sizeof(l->came));
    return 0;
}

/* A wait that ends before a message came has no part in this: most_steps and misses allow it, so count
 * the messages that never come as sends of faults. */
static int count_lost(const struct logp_note *n, void *arg)
{
    struct links *l = arg;

    if (n->kind == LOGP_NOTE_FAULT && n->value == LOGP_FAULT_LOST)
        l->fewest[n->rank][n->peer]++;
    return 0;
}

Test(check_network, only_named_links_and_tags_lose_messages)
{
    const struct {
        struct logp_fault_places at;
        int links; /* that lose messages */
    } cases[] = {
        {{0}, 12},
        {{.senders = 1 << 2}, 3},
        {{.receivers = 1 << 0 | 1 << 1}, 6},
        {{.senders = 1 << 2 | 1 << 3, .receivers = 1 << 0}, 2},
        {{.tags = 1 << 1}, 3},
        {{.tags = 1 << 1, .senders = 1 << 0}, 0},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int k = 0; k < 2; k++) {
            struct links l = {.P = 0};
            struct logp_check check = check_of(4, strategies[k], 2000);
            int links = 0;

            check.before = forget_links;
            check.event = count_lost;
            check.most_faults.lost = 2;
            check.fault_places = cases[i].at;
            passes(to_all, &l, &check);
            for (int from = 0; from < 4; from++)
                for (int to = 0; to < 4; to++) {
                    links += l.fewest[from][to] > 0;
                    if (l.fewest[from][to] > 0)
                        cr_assert((cases[i].at.senders == 0 || cases[i].at.senders >> from & 1) &&
                                  (cases[i].at.receivers == 0 || cases[i].at.receivers >> to & 1));
                }
            cr_assert_eq(links, cases[i].links, "%zu: %d", i, links);
        }
}

/* Each rank sends a letter to each other one, and receives without an end from those that a partition
 * does not cut off. */
struct cuts {
    bool crosses; /* it also awaits messages across the halves {0, 1} and {2, 3} */
    int from;     /* only those from this half; 2: both */
};

static int across(struct logp_vp *vp, void *arg)
{
    const struct cuts *c = arg;
    const int me = logp_vp_rank(vp);
    int rc = 0, x;

    for (int i = 0; rc == 0 && i < 4; i++)
        rc = i != me ? logp_send(vp, i, 0, &me, sizeof(me)) : 0;
    for (int i = 0; rc == 0 && i < 4; i++)
        if (i != me && (i / 2 == me / 2 || (c->crosses && (c->from == 2 || c->from == i / 2))))
            rc = logp_recv(vp, i, 0, &x, sizeof(x), NULL);
    return rc;
}

Test(check_network, a_partition_cuts_off_a_half)
{
    for (int k = 0; k < 2; k++) {
        struct logp_check check = check_of(4, strategies[k], 2000);
        struct cuts c = {.crosses = false};

        check.leaves_messages = true;
        check.most_faults.partitions = 1;
        check.fault_places.half = 1 << 0 | 1 << 1;
        passes(across, &c, &check);
        c = (struct cuts){.crosses = true, .from = 1};
        finds(across, &c, &check, -EDEADLK, LOGP_FAILURE_DEADLOCK, "a partition begins");
        check.fault_places.one_way = true; /* what the other half sends comes */
        passes(across, &c, &check);
        c.from = 0;
        finds(across, &c, &check, -EDEADLK, LOGP_FAILURE_DEADLOCK, "a partition begins");
    }
}

/* Rank 0 cuts the link from 1 to 2 between two of rank 1's messages, and heals it after the next. */
static int cuts_links(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);
    int rc = 0, x = 0;

    for (int i = 0; rc == 0 && i < 3; i++) {
        if (me == 0 && i == 1)
            rc = logp_fault_cut(vp, 1 << 1, 1 << 2);
        if (me == 0 && i == 2)
            rc = logp_fault_heal(vp, 0, 1 << 2);
        if (rc == 0 && me == 0)
            rc = logp_send(vp, 1, 0, &i, sizeof(i));
        if (rc == 0 && me == 1)
            rc = logp_recv(vp, 0, 0, &x, sizeof(x), NULL);
        for (int k = 0; rc == 0 && me == 1 && k <= 2; k += 2)
            rc = logp_send(vp, k, 1, &i, sizeof(i));
        if (rc == 0 && me == 0)
            rc = logp_recv(vp, 1, 1, &x, sizeof(x), NULL);
        if (rc == 0 && me == 2 && (arg != NULL || i != 1)) {
            rc = logp_recv(vp, 1, 1, &x, sizeof(x), NULL);
            LOGP_CHECK_EQ(vp, x, i);
        }
    }
    return rc;
}

Test(check_network, a_test_cuts_and_heals_links)
{
    for (int i = 0; i < N_STRATEGIES; i++) {
        struct logp_check check = check_of(3, strategies[i], 1000);

        passes(cuts_links, NULL, &check);
        if (strategies[i] == LOGP_STRATEGY_EXHAUSTIVE)
            cr_assert(!check.checked.complete);
        finds(cuts_links, &check, &check, -EPROTO, LOGP_FAILURE_ASSERTED, "rank 0 heals links");
    }
}

Test(check_network, without_an_explorer_nothing_is_cut)
{
    struct logp_machine *m = test_machine_of(3, LOGP_CLOCK_VIRTUAL, logp_delay_none());
    bool all = true;

    cr_assert_eq(logp_machine_run(m, cuts_links, &all, test_timeout_ns), 0);
    cr_assert_eq(logp_machine_destroy(m), 0);
}

/* ---- networks with times ---- */

enum { BOTH = 2, A_FIRST_NS = 14000, B_FIRST_NS = 18000, LATE_NS = 50000 };

struct timed {
    int src, tag;
    bool is_late; /* both messages are there when rank 0 receives */
    int n_a_first, n_b_first, n_others;
};

/* Rank 1 sends A and B. With L = 6, o = 2 and g = 4 us they arrive at 8 and 12 us, and a receive follows
 * the other after 4 us. */
static int two_letters(struct logp_vp *vp, void *arg)
{
    struct timed *t = arg;
    char got[BOTH + 1] = "";
    const int64_t late = t->is_late ? LATE_NS : 0;
    int rc = 0;

    for (int i = 0; logp_vp_rank(vp) == 1 && rc == 0 && i < BOTH; i++)
        rc = logp_send(vp, 0, i, &"AB"[i], 1);
    if (logp_vp_rank(vp) > 0)
        return rc;
    rc = logp_compute(vp, late, NULL, NULL);
    for (int i = 0; rc == 0 && i < BOTH; i++)
        rc = logp_recv(vp, t->src, t->tag, &got[i], 1, NULL);
    if (rc != 0)
        return rc;
    if (strcmp(got, "AB") == 0 && logp_now(vp) == (t->is_late ? LATE_NS + 6000 : A_FIRST_NS))
        t->n_a_first++;
    else if (strcmp(got, "BA") == 0 && logp_now(vp) == (t->is_late ? LATE_NS + 6000 : B_FIRST_NS))
        t->n_b_first++;
    else
        t->n_others++;
    return 0;
}

Test(check_network, messages_are_overtaken_in_timed_runs_too)
{
    for (int i = 0; i < 16; i++) {
        struct timed t = {
            .src = i % 2 ? LOGP_ANY_SOURCE : 1, .tag = LOGP_ANY_TAG, .is_late = i / 2 % 2 != 0};
        struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 200);

        check.strategy = i / 4 % 2 ? LOGP_STRATEGY_PCT : LOGP_STRATEGY_RANDOM;
        check.network =
            LOGP_NETWORK(.L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000);
        check.most_overtaken = i / 8;
        cr_assert_eq(logp_check(two_letters, &t, &check, NULL), 0);
        cr_assert_eq(t.n_others, 0, "case %d", i);
        cr_assert_gt(t.n_a_first, 0, "case %d", i);
        cr_assert_eq(t.n_b_first > 0, check.most_overtaken > 0, "case %d: %d", i, t.n_b_first);
    }
}

/* It is a choice, which a failure names. */
static int a_before_b(struct logp_vp *vp, void *arg)
{
    char first = 'A';
    int rc = 0;

    (void)arg;
    for (int i = 0; logp_vp_rank(vp) == 1 && rc == 0 && i < BOTH; i++)
        rc = logp_send(vp, 0, i, &"AB"[i], 1);
    for (int i = 0; logp_vp_rank(vp) == 0 && rc == 0 && i < BOTH; i++) {
        char letter;

        rc = logp_recv(vp, 1, LOGP_ANY_TAG, &letter, 1, NULL);
        first = i == 0 ? letter : first;
    }
    return rc != 0 ? rc : LOGP_CHECK_EQ(vp, first, 'A');
}

Test(check_network, a_message_that_is_overtaken_in_a_timed_run_is_named)
{
    struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 1000);

    check.network = LOGP_NETWORK(.L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000);
    check.most_overtaken = 1;
    finds(a_before_b, NULL, &check, -EPROTO, LOGP_FAILURE_ASSERTED,
          "message 1 of rank 1 comes to rank 0 after message 2");
}

/* Its receives name source and tag. */
static int one_before_two(struct logp_vp *vp, void *arg)
{
    int got[] = {0, 0}, rc = 0;

    (void)arg;
    for (int i = 1; logp_vp_rank(vp) == 1 && rc == 0 && i <= 2; i++)
        rc = logp_send(vp, 0, 1, &i, sizeof(i));
    for (int i = 0; logp_vp_rank(vp) == 0 && rc == 0 && i < 2; i++)
        rc = logp_recv(vp, 1, 1, &got[i], sizeof(got[i]), NULL);
    return rc != 0 || logp_vp_rank(vp) != 0 ? rc : LOGP_CHECK_LT(vp, got[0], got[1]);
}

Test(check_network, a_receive_of_one_source_and_tag_takes_a_later_message_in_a_timed_run_too)
{
    for (int s = LOGP_STRATEGY_RANDOM; s <= LOGP_STRATEGY_PCT; s++) {
        struct logp_check check = check_of(2, (enum logp_strategy)s, 1000);

        check.network =
            LOGP_NETWORK(.L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000);
        passes(one_before_two, NULL, &check);
        check.most_overtaken = 1;
        finds(one_before_two, NULL, &check, -EPROTO, LOGP_FAILURE_ASSERTED,
              "message 1 of rank 1 comes to rank 0 after message 2 (tag 1)");
    }
}

/* ---- settings ---- */

static int no_memory(int P, void *arg)
{
    (void)P;
    (void)arg;
    return -ENOMEM;
}

static int ends_at_once(struct logp_vp *vp, void *arg)
{
    (void)vp;
    (void)arg;
    return 0;
}

/* Each kind of place with the faults that may come there. */
Test(check_network, places_where_faults_may_strike_are_accepted)
{
    static const struct {
        struct logp_fault_limits faults;
        struct logp_fault_places at;
    } cases[] = {
        {{.crashes = 1}, {.ranks = 1}},
        {{.restarts = 1, .partitions = 1}, {.ranks = 1, .half = 1}},
        {{.partitions = 1}, {.half = 3}}, /* all of P = 2, but not of P = 3 */
        {{.partitions = 1}, {.one_way = true}},
        {{.lost = 1}, {.senders = 1, .receivers = 2}},
        {{.doubled = 1}, {.tags = 1}},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct logp_check check = {.size = sizeof(check),
                                   .runs = 1,
                                   .most_faults = cases[i].faults,
                                   .fault_places = cases[i].at};

        cr_assert_eq(logp_check(ends_at_once, NULL, &check, NULL), 0, "%zu: %s", i,
                     check.checked.text);
    }
}

Test(check_network, what_is_refused_has_a_reason)
{
    struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 10);
    TEST_FAILURE replayed = {.text = NULL};
    TEST_FAILURE before = {.text = NULL};

    cr_assert_eq(logp_check_replay(in_order, NULL, &check, NULL, &replayed), -EINVAL);
    SAYS(replayed.text, "no text of a replay");
    check.before = no_memory;
    cr_assert_eq(logp_check(in_order, NULL, &check, &before), -ENOMEM);
    SAYS(before.text, "before returned -12");
}

Test(check_network, wrong_settings_are_refused)
{
    static const char *const none[] = {NULL};
    static const int one_size[] = {64};
    const struct {
        struct logp_check check;
        const char *why;
    } cases[] = {
        {{.most_overtaken = -1}, "most_overtaken: negative"},
        {{.most_overtaken = 1, .fixed_matches = true}, "most_overtaken: not with fixed_matches"},
        {{.most_overtaken = 1, .keeps_order = true}, "most_overtaken: not with keeps_order"},
        {{.n_sizes = 3}, "n_sizes: 0 where sizes is NULL"},
        {{.n_labels = 3}, "labels: n_labels of them, and none is NULL"},
        {{.labels = none, .n_labels = 1}, "labels: n_labels of them, and none is NULL"},
        {{.n_must_reach = 3}, "must_reach: n_must_reach of them, and none is NULL"},
        {{.must_reach = none, .n_must_reach = 1},
         "must_reach: n_must_reach of them, and none is NULL"},
        {{.fault_places = {.ranks = 1}},
         "fault_places: without most_faults and most_overtaken there are no faults"},
        {{.fault_places = {.ranks = 1 << 5}, .most_faults = {.crashes = 1}},
         "fault_places: ranks names no rank of any size, so none can crash"},
        {{.fault_places = {.senders = 1 << 3}, .most_faults = {.lost = 1}},
         "fault_places: senders or receivers names no rank of any size"},
        {{.fault_places = {.receivers = 1 << 3}, .most_overtaken = 1},
         "fault_places: senders or receivers names no rank of any size"},
        {{.fault_places = {.half = 1 << 3}, .most_faults = {.partitions = 1}},
         "fault_places: half names no rank of any size"},
        {{.fault_places = {.half = 7}, .most_faults = {.partitions = 1}},
         "fault_places: half names all ranks of each size, so nothing is cut off"},
        {{.fault_places = {.half = UINT64_MAX},
          .sizes = one_size,
          .n_sizes = 1,
          .most_faults = {.partitions = 1}},
         "fault_places: half names all ranks of each size, so nothing is cut off"},
        {{.fault_places = {.half = 1}, .most_faults = {.lost = 1}},
         "fault_places: half and one_way are of partitions; set partitions of most_faults"},
        {{.fault_places = {.one_way = true}, .most_overtaken = 1},
         "fault_places: half and one_way are of partitions; set partitions of most_faults"},
        {{.fault_places = {.ranks = 1}, .most_faults = {.partitions = 1}},
         "fault_places: ranks names the ranks that crash; set crashes or restarts of most_faults"},
        {{.fault_places = {.senders = 1}, .most_faults = {.crashes = 1}},
         "fault_places: senders, receivers and tags name messages; set lost, doubled or "
         "most_overtaken"},
        {{.fault_places = {.receivers = 1}, .most_faults = {.restarts = 1}},
         "fault_places: senders, receivers and tags name messages; set lost, doubled or "
         "most_overtaken"},
        {{.fault_places = {.tags = 1}, .most_faults = {.partitions = 1}},
         "fault_places: senders, receivers and tags name messages; set lost, doubled or "
         "most_overtaken"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct logp_check check = cases[i].check;

        check.size = sizeof(check);
        cr_assert_eq(logp_check(in_order, NULL, &check, NULL), -EINVAL);
        cr_assert_str_eq(check.checked.text, cases[i].why);
    }
}
