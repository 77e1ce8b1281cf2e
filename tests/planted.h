/* SPDX-License-Identifier: MIT */
/*
 * Small programs with one known fault each, and the same programs without it (planted.right). Each
 * row says with how few processors the fault shows, and as what.
 */
#ifndef LOGP_TESTS_PLANTED_H
#define LOGP_TESTS_PLANTED_H

#include <logp/logp.h>

#include <errno.h>
#include <stddef.h>

enum { PLANTED_MOST = 16 };

/* What a run works with: made anew before each. */
struct planted {
    bool right; /* without the fault */
    int value, sum, P;
    int seen[PLANTED_MOST];
};

static inline int planted_before(int P, void *arg)
{
    struct planted *s = arg;

    *s = (struct planted){.right = s->right, .P = P};
    return 0;
}

/* ---- in short ---- */

static inline int put(struct logp_vp *vp, int dst, int tag, int value)
{
    return logp_send(vp, dst, tag, &value, sizeof(value));
}

/* @return the source; or an error */
static inline int get(struct logp_vp *vp, int src, int tag, int *value)
{
    struct logp_status status;
    const int rc = logp_recv(vp, src, tag, value, sizeof(*value), &status);

    return rc != 0 ? rc : status.source;
}

#define ME logp_vp_rank(vp)
#define OTHERS (logp_vp_size(vp) - 1)

/* ---- who comes first ---- */

/* The first message is taken for that of rank 1. */
static int first_is_rank_1(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    int from, x, rc = 0;

    if (ME > 0)
        return put(vp, 0, 1, ME);
    for (int i = 1; rc >= 0 && i <= OTHERS; i++) {
        from = rc = get(vp, s->right ? i : LOGP_ANY_SOURCE, 1, &x);
        if (rc >= 0)
            rc = LOGP_CHECK(vp, from == i);
    }
    return rc < 0 ? rc : 0;
}

/* Messages of any tag are taken for sorted by tag. */
static int tags_come_in_order(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    struct logp_status status;
    int x, last = 0, rc = 0;

    if (ME > 0)
        return put(vp, 0, ME, ME);
    for (int i = 1; rc == 0 && i <= OTHERS; i++) {
        rc = logp_recv(vp, LOGP_ANY_SOURCE, s->right ? i : LOGP_ANY_TAG, &x, sizeof(x), &status);
        if (rc == 0)
            rc = LOGP_CHECK(vp, status.tag > last);
        last = status.tag;
    }
    return rc;
}

/* Two rounds with one tag: a message of the second is taken in the first. */
static int tag_reused(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    int round, rc = 0;

    for (int r = 0; rc >= 0 && r < 2; r++) {
        const int tag = s->right ? r : 0;

        if (ME > 0)
            rc = put(vp, 0, tag, r);
        for (int i = 0; ME == 0 && rc >= 0 && i < OTHERS; i++) {
            rc = get(vp, LOGP_ANY_SOURCE, tag, &round);
            if (rc >= 0)
                rc = LOGP_CHECK(vp, round == r);
        }
    }
    return rc < 0 ? rc : 0;
}

/* A server answers in the order of ranks what was asked in another. */
static int answers_the_wrong_one(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    int x, rc = 0;

    if (ME > 0) {
        rc = put(vp, 0, 1, 10 * ME);
        if (rc == 0)
            rc = get(vp, 0, 2, &x) < 0 ? -ECANCELED : LOGP_CHECK(vp, x == 10 * ME + 1);
        return rc;
    }
    for (int i = 1; rc == 0 && i <= OTHERS; i++) {
        const int from = get(vp, LOGP_ANY_SOURCE, 1, &x);

        rc = from < 0 ? from : put(vp, s->right ? from : i, 2, x + 1);
    }
    return rc;
}

/* The first of several requests is taken for the one that was posted first. */
static int first_request_is_first(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    struct logp_request *r[PLANTED_MOST];
    int x[PLANTED_MOST], index, rc = 0;

    if (ME > 0)
        return put(vp, 0, 1, ME);
    for (int i = 0; rc == 0 && i < OTHERS; i++)
        rc = logp_irecv(vp, i + 1, 1, &x[i], sizeof(x[i]), &r[i]);
    for (int i = 0; rc == 0 && i < OTHERS; i++) {
        rc = logp_waitany(vp, r, OTHERS, &index, NULL);
        if (rc == 0)
            rc = LOGP_CHECK(vp, x[s->right ? index : i] == (s->right ? index : i) + 1 &&
                                    (s->right || index == i));
    }
    return rc;
}

/* What rank 1 sent before it told rank 2, who told us, is taken for here. */
static int told_by_another(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    struct logp_request *r;
    bool done = false;
    int x = 0, y, rc = 0;

    if (OTHERS < 2)
        return 0;
    if (ME == 0) {
        rc = logp_irecv(vp, 1, 1, &x, sizeof(x), &r);
        if (rc == 0)
            rc = get(vp, 2, 1, &y) < 0 ? -ECANCELED : 0;
        while (rc == 0 && !done) {
            rc = logp_test(vp, r, &done, NULL);
            if (rc == 0 && !s->right)
                rc = LOGP_CHECK(vp, done);
        }
    } else if (ME == 1) {
        rc = put(vp, 0, 1, 1);
        if (rc == 0)
            rc = put(vp, 2, 1, 1);
    } else if (ME == 2) {
        rc = get(vp, 1, 1, &y) < 0 ? -ECANCELED : put(vp, 0, 1, 2);
    }
    return rc;
}

/* The same with a receive from any source. */
static int cause_before_effect(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    int x, rc = 0;

    if (OTHERS < 2)
        return 0;
    if (ME == 0) {
        for (int i = 1; rc >= 0 && i <= 2; i++) {
            rc = get(vp, s->right ? i : LOGP_ANY_SOURCE, 1, &x);
            if (rc >= 0)
                rc = LOGP_CHECK(vp, x == i);
        }
        return rc < 0 ? rc : 0;
    }
    if (ME == 1) {
        rc = put(vp, 0, 1, 1);
        return rc != 0 ? rc : put(vp, 2, 1, 1);
    }
    if (ME == 2)
        return get(vp, 1, 1, &x) < 0 ? -ECANCELED : put(vp, 0, 1, 2);
    return 0;
}

/* An operation whose order matters, in the order of arrival. */
static int reduces_as_it_comes(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    int x, all = 0, expected = 0;

    if (ME > 0)
        return put(vp, 0, 1, ME);
    for (int i = 1; i <= OTHERS; i++) {
        const int from = get(vp, s->right ? i : LOGP_ANY_SOURCE, 1, &x);

        if (from < 0)
            return from;
        all = 2 * all + x;
        expected = 2 * expected + i;
    }
    return LOGP_CHECK(vp, all == expected);
}

/* A value around a ring, received of any source beside others' greetings. */
static int ring_of_anybody(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    const int P = logp_vp_size(vp), left = (ME + P - 1) % P;
    int x, rc = put(vp, (ME + 1) % P, 1, ME);

    if (rc == 0 && ME == 0 && P > 2) /* a greeting, of the same tag */
        rc = put(vp, 2, 1, 0);
    for (int i = 0; rc >= 0 && i < 1 + (ME == 2); i++) {
        rc = get(vp, s->right ? (i == 0 ? left : 0) : LOGP_ANY_SOURCE, 1, &x);
        if (rc >= 0)
            rc = LOGP_CHECK(vp, x == (i == 0 ? left : 0));
    }
    return rc < 0 ? rc : 0;
}

/* ---- how much there is ---- */

/* A probe asks for one tag, the receive behind it for any. */
static int probe_then_another(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    char large[64] = {0};
    int x, n = 0, rc = 0;

    if (ME > 0)
        return ME == 1 ? put(vp, 0, 1, 1) : logp_send(vp, 0, 2, large, sizeof(large));
    while (rc == 0 && n == 0) {
        bool found = false;

        rc = logp_probe(vp, LOGP_ANY_SOURCE, 1, &found, NULL);
        if (rc == 0 && found) {
            rc = logp_recv(vp, LOGP_ANY_SOURCE, s->right ? 1 : LOGP_ANY_TAG, &x, sizeof(x), NULL);
            n++;
        }
    }
    for (int i = 1; rc == 0 && i < OTHERS; i++)
        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, large, sizeof(large), NULL);
    return rc;
}

/* One look, and what is not there is taken for never sent. */
static int looks_once(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    bool found = false;
    int x, rc = 0;

    if (ME > 0)
        return ME == 1 ? put(vp, 0, 1, 1) : 0;
    do
        rc = logp_probe(vp, 1, 1, &found, NULL);
    while (rc == 0 && s->right && !found);
    return rc == 0 && found ? logp_recv(vp, 1, 1, &x, sizeof(x), NULL) : rc;
}

/* Three looks, then it gives up. */
static int abandons(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    bool found = false;
    int x, rc = 0;

    if (ME > 0)
        return ME == 1 ? put(vp, 0, 1, 1) : 0;
    for (int i = 0; rc == 0 && !found && (s->right || i < 3); i++)
        rc = logp_probe(vp, 1, 1, &found, NULL);
    if (rc == 0)
        rc = LOGP_CHECK(vp, found);
    return rc == 0 ? logp_recv(vp, 1, 1, &x, sizeof(x), NULL) : rc;
}

/* It stops at the first end that it hears of, not at the last. */
static int stops_at_the_first_end(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    struct logp_status status;
    int x, ends = 0, rc = 0;

    if (ME > 0) {
        rc = put(vp, 0, 1, ME);
        return rc != 0 ? rc : put(vp, 0, 2, ME);
    }
    while (rc == 0 && ends < (s->right ? OTHERS : 1)) {
        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &x, sizeof(x), &status);
        ends += rc == 0 && status.tag == 2;
    }
    return rc;
}

/* Everybody says that it is idle, but one has been given work meanwhile. */
static int ends_too_early(struct logp_vp *vp, void *arg)
{
    enum { IDLE = 1, WORK = 2, STOP = 3, DONE = 4 };
    const struct planted *s = arg;
    struct logp_status status = {.tag = 0};
    bool worked = false;
    int x, rc = 0;

    if (OTHERS < 2)
        return 0;
    if (ME == 0) {
        for (int i = 1; rc >= 0 && i <= 2; i++)
            rc = get(vp, LOGP_ANY_SOURCE, IDLE, &x);
        return rc < 0 ? rc : put(vp, 1, STOP, 0);
    }
    if (ME == 2) {
        rc = put(vp, 1, WORK, 0);
        if (rc == 0 && s->right)
            rc = get(vp, 1, DONE, &x) < 0 ? -ECANCELED : 0;
        return rc != 0 ? rc : put(vp, 0, IDLE, 2);
    }
    if (ME > 2)
        return 0;
    rc = put(vp, 0, IDLE, 1);
    while (rc == 0 && status.tag != STOP) {
        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &x, sizeof(x), &status);
        if (rc == 0 && status.tag == WORK) {
            worked = true;
            if (s->right)
                rc = put(vp, 2, DONE, 0);
        }
    }
    return rc != 0 ? rc : LOGP_CHECK(vp, worked);
}

/* One message more than anybody receives. */
static int one_too_many(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    int x, rc = put(vp, (ME + 1) % logp_vp_size(vp), 1, ME);

    if (rc == 0 && !s->right && ME == 2)
        rc = put(vp, 0, 1, ME);
    return rc != 0 ? rc : logp_recv(vp, (ME + OTHERS) % logp_vp_size(vp), 1, &x, sizeof(x), NULL);
}

/* What does not divide is forgotten. */
static int forgets_the_rest(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    const int P = logp_vp_size(vp), n = 4, each = n / P;
    int x, sum = 0, mine = each + (s->right && ME < n % P), rc = 0;

    if (ME > 0)
        return put(vp, 0, 1, mine);
    sum = mine;
    for (int i = 1; rc >= 0 && i < P; i++) {
        rc = get(vp, i, 1, &x);
        sum += x;
    }
    return rc < 0 ? rc : LOGP_CHECK(vp, sum == n);
}

/* Room for three. */
static int space_for_three(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    char all[PLANTED_MOST] = {0};

    if (ME > 0)
        return logp_recv(vp, ME - 1, 1, all, s->right ? sizeof(all) : 3, NULL) ||
                       (ME < OTHERS && logp_send(vp, ME + 1, 1, all, (size_t)logp_vp_size(vp)))
                   ? -EMSGSIZE
                   : 0;
    return logp_send(vp, 1, 1, all, (size_t)logp_vp_size(vp));
}

/* One buffer for two receives. */
static int one_buffer_for_two(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    struct logp_request *r[2];
    int x[2], rc = 0;

    if (ME == 1) {
        rc = put(vp, 0, 1, 1);
        return rc != 0 ? rc : put(vp, 0, 1, 2);
    }
    if (ME > 1)
        return 0;
    for (int i = 0; rc == 0 && i < 2; i++)
        rc = logp_irecv(vp, 1, 1, &x[s->right ? i : 0], sizeof(x[0]), &r[i]);
    for (int i = 0; rc == 0 && i < 2; i++)
        rc = logp_wait(vp, r[i], NULL);
    return rc != 0 ? rc : LOGP_CHECK(vp, x[0] == 1);
}

/* ---- who waits for whom ---- */

/* The neighbour on the right of the last. */
static int beyond_the_last(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    const int P = logp_vp_size(vp);
    int x, rc = put(vp, s->right ? (ME + 1) % P : ME + 1, 1, ME);

    return rc != 0 ? rc : logp_recv(vp, (ME + P - 1) % P, 1, &x, sizeof(x), NULL);
}

/* All but the last are told. */
static int not_the_last(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    int x, rc = 0;

    if (ME > 0)
        return logp_recv(vp, 0, 1, &x, sizeof(x), NULL);
    for (int i = 1; rc == 0 && i < OTHERS + s->right; i++)
        rc = put(vp, i, 1, 0);
    return rc;
}

/* Pairs: with an odd number the last has no partner, and waits. */
static int odd_one_out(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    const int partner = ME ^ 1;
    int x, rc = partner <= OTHERS ? put(vp, partner, 1, ME) : 0;

    if (rc == 0 && (partner <= OTHERS || !s->right))
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 1, &x, sizeof(x), NULL);
    return rc;
}

/* One that is not needed leaves before the common start. */
static int leaves_before_the_start(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;

    return ME == 2 && !s->right ? 0 : logp_sync(vp, NULL);
}

/* Collectives in another order. */
static int collectives_crossed(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    const bool crossed = ME % 2 == 1 && !s->right;
    int x = 0, rc = 0;

    for (int i = 0; rc == 0 && i < 2; i++) {
        const int root = (i == 0) == !crossed ? 0 : OTHERS;

        if (ME == root)
            x = 1 + root;
        rc = logp_broadcast(vp, &x, sizeof(x), root);
    }
    return rc != 0 ? rc : LOGP_CHECK(vp, x == 1 + OTHERS);
}

/* Two locks, kept by ranks 0 and 1; the others take both, not all in one order. */
static int locks_crossed(struct logp_vp *vp, void *arg)
{
    enum { ASK = 1, GIVE = 2, BACK = 3 };
    const struct planted *s = arg;
    const int first = s->right || ME % 2 == 0 ? 0 : 1;
    int x, rc = 0;

    if (ME < 2) {
        for (int i = 0; rc == 0 && i < OTHERS - 1; i++) {
            const int who = get(vp, LOGP_ANY_SOURCE, ASK, &x);

            rc = who < 0 ? who : put(vp, who, GIVE, 0);
            if (rc == 0)
                rc = get(vp, who, BACK, &x) < 0 ? -ECANCELED : 0;
        }
        return rc;
    }
    for (int i = 0; rc == 0 && i < 2; i++) {
        rc = put(vp, i == 0 ? first : 1 - first, ASK, 0);
        if (rc == 0)
            rc = get(vp, i == 0 ? first : 1 - first, GIVE, &x) < 0 ? -EDEADLK : 0;
    }
    for (int i = 0; rc == 0 && i < 2; i++)
        rc = put(vp, i, BACK, 0);
    return rc == -EDEADLK ? 0 : rc;
}

/* ---- memory that is shared ---- */

/* It is read without waiting for who writes it. */
static int missing_barrier(struct logp_vp *vp, void *arg)
{
    struct planted *s = arg;
    bool found;
    int rc = logp_probe(vp, LOGP_ANY_SOURCE, 9, &found, NULL); /* nothing: others go on */

    if (ME == 0)
        s->value = 7;
    if (rc == 0 && s->right)
        rc = logp_sync(vp, NULL);
    return rc != 0 || ME == 0 ? rc : LOGP_CHECK(vp, s->value == 7);
}

/* Read, others go on, write. */
static int lost_update(struct logp_vp *vp, void *arg)
{
    struct planted *s = arg;
    const int before = s->sum;
    bool found;
    int rc;

    if (s->right)
        s->sum++;
    rc = logp_probe(vp, LOGP_ANY_SOURCE, 9, &found, NULL);
    if (!s->right)
        s->sum = before + 1;
    return rc;
}

static int all_updates(const struct logp_report *report, void *arg)
{
    const struct planted *s = arg;

    (void)report;
    return s->sum == s->P ? 0 : -ERANGE;
}

/* ---- time ---- */

/* A wait as long as a message takes, where some take longer. */
static int waits_too_short(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    int x, rc;

    if (ME > 0)
        return ME == 1 ? put(vp, 0, 1, 1) : 0;
    rc = logp_recv_until(vp, 1, 1, &x, sizeof(x), s->right ? LOGP_FOREVER : 10000, NULL);
    return rc != -ETIME ? rc : LOGP_CHECK(vp, rc == 0);
}

/* Who has waited too long asks again, and is counted twice. */
static int asks_twice(struct logp_vp *vp, void *arg)
{
    enum { ASK = 1, ANSWER = 2, END = 3 };
    const struct planted *s = arg;
    struct logp_status status = {.tag = 0};
    int x, n = 0, asked = 0, last = -1, rc;

    if (ME == 1) {
        do {
            rc = put(vp, 0, ASK, 1);
            asked++;
            if (rc == 0)
                rc = logp_recv_until(vp, 0, ANSWER, &x, sizeof(x), logp_now(vp) + 1000, NULL);
        } while (rc == -ETIME);
        for (; rc == 0 && asked > 1; asked--)
            rc = logp_recv(vp, 0, ANSWER, &x, sizeof(x), NULL);
        return rc != 0 ? rc : put(vp, 0, END, 0);
    }
    if (ME > 1)
        return 0;
    for (rc = 0; rc == 0 && status.tag != END;) {
        rc = logp_recv(vp, 1, LOGP_ANY_TAG, &x, sizeof(x), &status);
        if (rc == 0 && status.tag == ASK) {
            if (!s->right || x != last) /* of one question the first alone counts */
                n++;
            last = x;
            rc = put(vp, 1, ANSWER, 0);
        }
    }
    return rc != 0 ? rc : LOGP_CHECK(vp, n == 1);
}

/* ---- buffers ---- */

/* Both send before they receive. */
static int sends_first(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    int x, rc;

    if (ME > 1)
        return 0;
    if (s->right && ME == 1) {
        rc = logp_recv(vp, 0, 1, &x, sizeof(x), NULL);
        return rc != 0 ? rc : put(vp, 0, 1, ME);
    }
    rc = put(vp, 1 - ME, 1, ME);
    return rc != 0 ? rc : logp_recv(vp, 1 - ME, 1, &x, sizeof(x), NULL);
}

/* The same, where only long messages are not buffered. */
static int sends_long_ones_first(struct logp_vp *vp, void *arg)
{
    const struct planted *s = arg;
    const int P = logp_vp_size(vp), right = (ME + 1) % P, left = (ME + P - 1) % P;
    char out[2000] = {0}, in[2000];
    int rc = put(vp, right, 1, ME); /* short ones are */

    if (rc == 0)
        rc = logp_recv(vp, left, 1, in, sizeof(in), NULL);
    if (rc == 0 && s->right)
        return logp_sendrecv(vp, right, 2, out, sizeof(out), left, 2, in, sizeof(in), NULL);
    if (rc == 0)
        rc = logp_send(vp, right, 2, out, sizeof(out));
    return rc != 0 ? rc : logp_recv(vp, left, 2, in, sizeof(in), NULL);
}

/* ---- the table ---- */

enum planted_under { UNTIMED, NOISY, SYNCHRONOUS, LIMITED };

struct planted_row {
    const char *name;
    logp_program program;
    int P; /* the fewest with which it fails */
    enum logp_failure_kind kind;
    enum planted_under under;
    bool messages_alone; /* vps know of each other by them: exhaustive finds it, too */
    int (*after)(const struct logp_report *report, void *arg);
};

#define PLANTED(program, ...)                                                                      \
    {                                                                                              \
#program, program, __VA_ARGS__                                                             \
    }
static const struct planted_row planted_rows[] = {
    PLANTED(first_is_rank_1, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(tags_come_in_order, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(tag_reused, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(answers_the_wrong_one, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(first_request_is_first, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(told_by_another, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(cause_before_effect, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(reduces_as_it_comes, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(ring_of_anybody, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(probe_then_another, 3, LOGP_FAILURE_ERROR, UNTIMED, true, NULL),
    PLANTED(looks_once, 2, LOGP_FAILURE_LEFT_OVER, UNTIMED, true, NULL),
    PLANTED(abandons, 2, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(stops_at_the_first_end, 3, LOGP_FAILURE_LEFT_OVER, UNTIMED, true, NULL),
    PLANTED(ends_too_early, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(one_too_many, 3, LOGP_FAILURE_LEFT_OVER, UNTIMED, true, NULL),
    PLANTED(forgets_the_rest, 3, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(space_for_three, 4, LOGP_FAILURE_ERROR, UNTIMED, true, NULL),
    PLANTED(one_buffer_for_two, 2, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(beyond_the_last, 2, LOGP_FAILURE_ERROR, UNTIMED, true, NULL),
    PLANTED(not_the_last, 2, LOGP_FAILURE_DEADLOCK, UNTIMED, true, NULL),
    PLANTED(odd_one_out, 3, LOGP_FAILURE_DEADLOCK, UNTIMED, true, NULL),
    PLANTED(leaves_before_the_start, 3, LOGP_FAILURE_DEADLOCK, UNTIMED, true, NULL),
    PLANTED(collectives_crossed, 2, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(locks_crossed, 4, LOGP_FAILURE_DEADLOCK, UNTIMED, true, NULL),
    PLANTED(missing_barrier, 2, LOGP_FAILURE_ASSERTED, UNTIMED, false, NULL),
    PLANTED(lost_update, 2, LOGP_FAILURE_AFTER, UNTIMED, false, all_updates),
    PLANTED(waits_too_short, 2, LOGP_FAILURE_ASSERTED, NOISY, false, NULL),
    PLANTED(asks_twice, 2, LOGP_FAILURE_ASSERTED, UNTIMED, true, NULL),
    PLANTED(sends_first, 2, LOGP_FAILURE_DEADLOCK, SYNCHRONOUS, true, NULL),
    PLANTED(sends_long_ones_first, 2, LOGP_FAILURE_DEADLOCK, LIMITED, true, NULL),
};
enum { N_PLANTED = sizeof(planted_rows) / sizeof(planted_rows[0]) };

static const struct logp_latency planted_latency = {.kind = LOGP_LATENCY_EXPONENTIAL};
static const struct logp_network planted_noisy = {
    .params = {.L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000},
    .latency = &planted_latency};
static const struct logp_network planted_limited = {.undelayed = true, .rendezvous_from = 1025};

/* How the row is checked. */
static inline struct logp_check planted_check(const struct planted_row *row, bool right)
{
    static const int sizes[] = {2, 3, 4, 5};
    struct logp_check check = {.size = sizeof(check),
                               .sizes = sizes,
                               .n_sizes = 4,
                               .runs = 1000,
                               .seed = 1,
                               .all_received = true,
                               .before = planted_before,
                               .after = row->after,
                               .name = row->name};

    (void)right;
    if (row->under == NOISY) {
        check.network = &planted_noisy;
    }
    if (row->under == SYNCHRONOUS)
        check.sends = LOGP_SENDS_SYNCHRONOUS;
    if (row->under == LIMITED) {
        check.sends = LOGP_SENDS_LIMITED;
        check.network = &planted_limited;
    }
    return check;
}

#endif
