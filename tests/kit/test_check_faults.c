/* SPDX-License-Identifier: MIT */
/* The test kit: faults that it chooses, and what survives a crash. */
#include "kit.h"

static struct logp_check faulty(int P, enum logp_strategy strategy, struct logp_fault_limits most)
{
    struct logp_check check =
        check_of(P, strategy, strategy == LOGP_STRATEGY_EXHAUSTIVE ? 0 : 1000);

    check.most_faults = most;
    return check;
}

/* ---- crashes ---- */

/* A register of three replicas. Rank 0 writes 7 to a majority, then reads from one. */
struct answer {
    int value, stamp;
};

enum { WRITE, READ, STOP };

static int replica(struct logp_vp *vp, bool is_durable)
{
    struct answer kept = {0}, got;
    struct logp_status status;
    int rc = logp_recover(vp, 1, &kept, sizeof(kept), NULL);

    while (rc == 0 || rc == -ENOENT) {
        rc = logp_recv(vp, 0, LOGP_ANY_TAG, &got, sizeof(got), &status);
        if (rc != 0 || status.tag == STOP)
            return rc;
        if (status.tag == WRITE && got.stamp > kept.stamp) {
            kept = got;
            rc = is_durable ? logp_durable(vp, 1, &kept, sizeof(kept)) : 0;
        }
        if (rc == 0)
            rc = logp_send(vp, 0, status.tag, &kept, sizeof(kept));
    }
    return rc;
}

/* Ask all replicas. @return 0: a majority has answered; 1: some may be down */
static int ask(struct logp_vp *vp, int tag, struct answer *best)
{
    const struct answer asked = *best;
    int rc = 0, answers = 0, misses = 0;

    for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++)
        rc = logp_send(vp, i, tag, &asked, sizeof(asked));
    while (rc == 0 && answers < logp_vp_size(vp) / 2) {
        struct answer got;

        rc =
            logp_recv_until(vp, LOGP_ANY_SOURCE, tag, &got, sizeof(got), logp_now(vp) + 1000, NULL);
        answers += rc == 0;
        if (rc == 0 && got.stamp > best->stamp)
            *best = got;
        if (rc == -ETIME)
            rc = ++misses == 3;
    }
    return rc;
}

static int client(struct logp_vp *vp)
{
    struct answer x = {7, 1};
    const int written = ask(vp, WRITE, &x);
    int rc = written;

    x = (struct answer){0};
    if (rc >= 0)
        rc = ask(vp, READ, &x);
    if (rc == 0 && written == 0)
        LOGP_CHECK_EQ(vp, x.value, 7);
    for (int i = 1; rc >= 0 && i < logp_vp_size(vp); i++)
        rc = logp_send(vp, i, STOP, NULL, 0);
    return rc;
}

static int replicated(struct logp_vp *vp, void *is_durable)
{
    return logp_vp_rank(vp) == 0 ? client(vp) : replica(vp, *(bool *)is_durable);
}

/* Rank 1 crashes while it waits for a part of a message, and wants all of it after its restart. */
static int cut_off(struct logp_vp *vp, void *is_cut)
{
    const struct logp_recv_options part = {
        .size = sizeof(part), .buf = (char[]){"xxxxxxx"}, .capacity = 4, .truncates = true};
    struct logp_status status = {.n_bytes = 0};
    char got[16] = {0};
    int rc = 0;

    if (logp_vp_rank(vp) == 0)
        return logp_send(vp, 1, 0, "restart", 8);
    if (logp_recover(vp, 1, got, 1, NULL) == -ENOENT) {
        rc = logp_durable(vp, 1, "", 1);
        return rc == 0 ? logp_recv_with(vp, 0, 0, &part, NULL) : rc;
    }
    rc = logp_recv(vp, 0, 0, got, sizeof(got), &status);
    if (rc == 0) {
        LOGP_CHECK_EQ(vp, status.n_bytes, (size_t)8);
        LOGP_CHECK(vp, memcmp(got, "rest", 4) == 0);
        if (strcmp(got, "restart") != 0)
            LOGP_CHECK(vp, memcmp(got + 4, "\0\0\0", 4) == 0);
        *(bool *)is_cut |= strcmp(got, "rest") == 0;
    }
    return rc;
}

Test(check_faults, a_message_of_which_a_crash_has_left_a_part_has_its_length)
{
    struct logp_check check =
        faulty(2, LOGP_STRATEGY_EXHAUSTIVE, (struct logp_fault_limits){.restarts = 1});
    bool is_cut = false;

    cr_assert_eq(logp_check(cut_off, &is_cut, &check, NULL), 0);
    cr_assert(is_cut);
}

Test(check_faults, a_restart_forgets_what_is_not_durable)
{
    const struct logp_network timed = {.params = {.L_ns = 100, .o_send_ns = 10, .o_recv_ns = 10}};

    for (int i = 0; i < 3; i++) {
        struct logp_check check =
            faulty(4, strategies[i % 2], (struct logp_fault_limits){.restarts = 2});
        bool is_durable = true;

        check.runs = 20000;
        check.network = i == 2 ? &timed : NULL;
        passes(replicated, &is_durable, &check);
        is_durable = false;
        finds(replicated, &is_durable, &check, -EPROTO, LOGP_FAILURE_ASSERTED,
              "crashes and starts again before it ");
    }
}

/* Each vp makes n numbers durable, one after the other. */
struct starts {
    int n;
    uint64_t started; /* how often the program was called, in all runs of the check */
};

static int lives(struct logp_vp *vp, void *arg)
{
    struct starts *s = arg;
    int n = 0, rc;
    size_t size;

    s->started++;
    rc = logp_recover(vp, 3, &n, sizeof(n), &size);
    LOGP_CHECK(vp, rc == 0 ? size == sizeof(n) : rc == -ENOENT && size == 0);
    LOGP_CHECK(vp, n >= 0 && n <= s->n);
    for (rc = 0; rc == 0 && n < s->n;) {
        n++;
        rc = logp_durable(vp, 3, &n, sizeof(n));
    }
    return rc == 0 ? 0 : -EIO; /* of a crashed vp: it does not count */
}

/* There is one execution for each set of places of faults. Each restart is one more start. */
Test(check_faults, exhaustive_tries_each_place)
{
    const struct {
        int P, n;
        struct logp_fault_limits most;
        uint64_t executions, restarts;
    } cases[] = {
        {1, 3, {0}, 1, 0},
        {1, 3, {.crashes = 1}, 1 + 3, 0},
        {1, 3, {.restarts = 1}, 1 + 3, 3},
        /* a second one may come before each call that is left, the one that failed included */
        {1, 3, {.restarts = 2}, 1 + 3 + (3 + 2 + 1), 3 + 2 * (3 + 2 + 1)},
        {2, 3, {.crashes = 1}, 1 + 3 + 3, 0},
        {2, 3, {.crashes = 2}, 4 * 4, 0},
        /* a crash alone, a restart alone, one on each vp, both on one vp */
        {2,
         2,
         {.crashes = 1, .restarts = 1},
         1 + 2 * 2 + 2 * 2 + 2 * 2 * 2 + 2 * (2 + 1),
         2 * 2 + 2 * 2 * 2 + 2 * (2 + 1)},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct starts s = {.n = cases[i].n};
        struct logp_check check = faulty(cases[i].P, LOGP_STRATEGY_EXHAUSTIVE, cases[i].most);

        check.twice_every = -1;
        passes(lives, &s, &check);
        cr_assert(check.checked.complete);
        cr_assert_eq(check.checked.executions, cases[i].executions, "%zu: %llu", i,
                     (unsigned long long)check.checked.executions);
        cr_assert_eq(s.started, cases[i].executions * (uint64_t)cases[i].P + cases[i].restarts,
                     "%zu: %llu", i, (unsigned long long)s.started);
    }
}

/* ---- messages ---- */

/* Rank 0 sends 1 .. 3 to rank 1; each is sent until it is acknowledged. */
struct link {
    bool sends_again, knows_copies;
};

static int sender(struct logp_vp *vp, const struct link *l)
{
    int rc = 0;

    for (int i = 1; rc == 0 && i <= 3; i++) {
        int acknowledged = 0;

        rc = logp_send(vp, 1, 0, &i, sizeof(i));
        while (rc == 0 && acknowledged < i) {
            const int64_t end = l->sends_again ? logp_now(vp) + 1000 : INT64_MAX;

            rc = logp_recv_until(vp, 1, 1, &acknowledged, sizeof(acknowledged), end, NULL);
            if (rc == -ETIME)
                rc = logp_send(vp, 1, 0, &i, sizeof(i));
        }
    }
    return rc != 0 ? rc : logp_send(vp, 1, 2, NULL, 0);
}

static int receiver(struct logp_vp *vp, const struct link *l)
{
    int last = 0, rc;

    for (;;) {
        struct logp_status status;
        int i;

        rc = logp_recv_until(vp, 0, LOGP_ANY_TAG, &i, sizeof(i), logp_now(vp) + 1000, &status);
        if (rc == -ETIME && last == 3)
            return 0; /* the end may be lost */
        if (rc == -ETIME)
            continue;
        if (rc != 0 || status.tag == 2)
            return rc;
        if (!l->knows_copies || i > last) {
            LOGP_CHECK_EQ(vp, i, last + 1);
            last = i;
        }
        rc = logp_send(vp, 0, 1, &i, sizeof(i));
        if (rc != 0)
            return rc;
    }
}

static int stop_and_wait(struct logp_vp *vp, void *arg)
{
    return logp_vp_rank(vp) == 0 ? sender(vp, arg) : receiver(vp, arg);
}

Test(check_faults, lost_and_doubled_messages)
{
    for (int i = 0; i < 2; i++) {
        struct link right = {.sends_again = true, .knows_copies = true};
        struct link hopes = {.sends_again = false, .knows_copies = true};
        struct link counts = {.sends_again = true, .knows_copies = false};
        struct logp_check check = faulty(2, strategies[i], (struct logp_fault_limits){0});
        TEST_FAILURE f = {.text = NULL};

        check.most_faults.lost = 1;
        check.most_steps = 2000;
        check.leaves_messages = true;
        cr_assert_neq(logp_check(stop_and_wait, &hopes, &check, &f), 0);
        cr_assert(f.kind == LOGP_FAILURE_DEADLOCK || f.kind == LOGP_FAILURE_LIVELOCK, "%s", f.text);
        SAYS(f.text, "the message of rank ");
        cr_assert(strstr(f.text, ", tag 0, is lost") != NULL ||
                      strstr(f.text, ", tag 1, is lost") != NULL ||
                      strstr(f.text, ", tag 2, is lost") != NULL,
                  "%s", f.text);
        passes(stop_and_wait, &right, &check);
        check.most_faults = (struct logp_fault_limits){.doubled = 1};
        passes(stop_and_wait, &right, &check);
        cr_assert_eq(logp_check(stop_and_wait, &counts, &check, NULL), -EPROTO);
    }
}

/* Rank 0 sends `arg` messages, and returns without a word. Rank 1 takes what has come. */
static int one_way(struct logp_vp *vp, void *arg)
{
    for (int i = 0; i < *(int *)arg && logp_vp_rank(vp) == 0; i++)
        TRY(logp_send(vp, 1, 0, &i, sizeof(i)));
    return 0;
}

Test(check_faults, exhaustive_loses_and_doubles_each_message)
{
    int n = 3;
    const struct {
        struct logp_fault_limits most;
        uint64_t executions;
    } cases[] = {{{.lost = 1}, 1 + 3},
                 {{.lost = 3}, 8},
                 {{.doubled = 1}, 1 + 3},
                 {{.lost = 1, .doubled = 1}, 1 + 3 + 3 + 6},
                 {{.lost = 3, .doubled = 3}, 27}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct logp_check check = faulty(2, LOGP_STRATEGY_EXHAUSTIVE, cases[i].most);

        check.twice_every = -1;
        cr_assert_eq(logp_check(one_way, &n, &check, NULL), 0);
        cr_assert(check.checked.complete);
        cr_assert_eq(check.checked.executions, cases[i].executions, "%zu: %llu", i,
                     (unsigned long long)check.checked.executions);
        check.all_received = true;
        cr_assert_eq(logp_check(one_way, &n, &check, NULL), -EBADMSG);
    }
}

/* All vps tell all others that they are there. In a run without faults everyone hears everyone. */
static int hears_all(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp);

    for (int i = 0; i < P; i++)
        if (i != logp_vp_rank(vp))
            TRY(logp_send(vp, i, 0, NULL, 0));
    for (int i = 1; i < P; i++)
        TRY(logp_recv(vp, LOGP_ANY_SOURCE, 0, NULL, 0, NULL));
    return 0;
}

Test(check_faults, a_partition_loses_what_crosses_it)
{
    for (int i = 0; i < 2; i++) {
        struct logp_check check = faulty(4, strategies[i], (struct logp_fault_limits){0});
        TEST_FAILURE f = {.text = NULL};

        passes(hears_all, NULL, &check);
        check.most_faults.partitions = 1;
        cr_assert_eq(logp_check(hears_all, NULL, &check, &f), -EDEADLK);
        SAYS(f.text, "is cut off");
        cr_assert_eq(f.n_deviations, 1, "%s", f.text);
        cr_assert_eq(logp_check_replay(hears_all, NULL, &check, f.replay, NULL), -EDEADLK);
    }
}

/* A collective has no way to ask for a message again. */
static int agrees(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp);
    int mine = 1, sum = 0, all[8] = {0};
    struct logp_vp *group = NULL;
    struct logp_request *r = NULL;
    int rc = logp_group_dup(vp, &group);

    if (rc == 0)
        rc = logp_barrier(group);
    if (rc == 0)
        rc = logp_allreduce(group, &mine, &sum, 1, logp_op_find("sum", "int32"));
    if (rc == 0)
        rc = logp_iallgather(group, &sum, all, sizeof(sum), &r);
    if (rc == 0)
        rc = logp_wait(vp, r, NULL);
    logp_group_destroy(group);
    for (int i = 0; rc == 0 && i < P; i++)
        rc = LOGP_CHECK_EQ(vp, all[i], P);
    return rc;
}

Test(check_faults, messages_of_collectives_arrive_once)
{
    for (int i = 0; i < N_STRATEGIES; i++) {
        const bool exhaustive = strategies[i] == LOGP_STRATEGY_EXHAUSTIVE;
        struct logp_check check = faulty(
            3, strategies[i],
            (struct logp_fault_limits){.lost = 2, .doubled = 2, .partitions = exhaustive ? 0 : 1});

        passes(agrees, NULL, &check);
        cr_assert_eq(check.checked.complete, exhaustive);
    }
}

/* ---- a smaller failure; what is refused ---- */

Test(check_faults, a_failure_keeps_only_the_faults_that_it_needs)
{
    const struct logp_fault_limits all = {
        .crashes = 1, .restarts = 1, .lost = 3, .doubled = 3, .partitions = 1};
    struct logp_check check = faulty(2, LOGP_STRATEGY_RANDOM, all);
    TEST_FAILURE f = {.text = NULL};

    cr_assert_eq(logp_check(hears_all, NULL, &check, &f), -EDEADLK);
    cr_assert_eq(f.n_deviations, 1, "%s", f.text);
}

Test(check_faults, wrong_limits_are_refused)
{
    const struct logp_network timed = {.params = {.L_ns = 100}};
    struct logp_check check = faulty(2, LOGP_STRATEGY_RANDOM, (struct logp_fault_limits){0});

    check.most_faults.lost = -1;
    cr_assert_eq(logp_check(hears_all, NULL, &check, NULL), -EINVAL);
    cr_assert_str_eq(check.checked.text, "most_faults: negative");
    check.most_faults.lost = 1;
    check.network = &timed;
    cr_assert_eq(logp_check(hears_all, NULL, &check, NULL), -EINVAL);
    cr_assert_neq(strstr(check.checked.text, "only crashes and restarts"), NULL);
    check.network = NULL;
    check.strategy = LOGP_STRATEGY_EXHAUSTIVE;
    check.most_faults.partitions = 1;
    cr_assert_eq(logp_check(hears_all, NULL, &check, NULL), -EINVAL);
    cr_assert_neq(strstr(check.checked.text, "partitions"), NULL);
}

/* Without an explorer the library keeps nothing, since no vp starts again. */
static int keeps(struct logp_vp *vp, void *arg)
{
    int x = 1;

    LOGP_CHECK_EQ(vp, logp_durable(vp, 0, &x, sizeof(x)), 0);
    LOGP_CHECK_EQ(vp, logp_durable(vp, 0, NULL, 1), -EINVAL);
    LOGP_CHECK_EQ(vp, logp_recover(vp, 0, &x, sizeof(x), NULL), -ENOENT);
    LOGP_CHECK_EQ(vp, logp_recover(vp, 0, NULL, 1, NULL), -EINVAL);
    return 0;
}

/* With an explorer, a vp can read at once what it has kept under a key. */
static int keeps_more(struct logp_vp *vp, void *arg)
{
    const int rank = logp_vp_rank(vp);
    int x = 0;
    size_t n;

    for (int key = -1; key < 3; key++)
        for (int i = 0; i < 2; i++) {
            x = 100 * rank + 10 * key + i;
            LOGP_CHECK_EQ(vp, logp_durable(vp, key, &x, sizeof(x)), 0);
        }
    for (int key = -1; key < 3; key++) {
        LOGP_CHECK_EQ(vp, logp_recover(vp, key, &x, sizeof(x), &n), 0);
        LOGP_CHECK_EQ(vp, x, 100 * rank + 10 * key + 1);
        LOGP_CHECK_EQ(vp, n, sizeof(x));
    }
    LOGP_CHECK_EQ(vp, logp_recover(vp, 0, &x, 1, &n), -EMSGSIZE);
    LOGP_CHECK_EQ(vp, n, sizeof(x));
    LOGP_CHECK_EQ(vp, logp_durable(vp, 0, NULL, 0), 0);
    LOGP_CHECK_EQ(vp, logp_recover(vp, 0, NULL, 0, &n), 0);
    LOGP_CHECK_EQ(vp, n, 0);
    return 0;
}

Test(check_faults, durable_bytes_have_a_key_and_a_rank)
{
    struct logp_check check = faulty(2, LOGP_STRATEGY_RANDOM, (struct logp_fault_limits){0});

    passes(keeps_more, NULL, &check);
    test_run(test_machine(2, LOGP_CLOCK_WALL, NULL), keeps, NULL);
}
