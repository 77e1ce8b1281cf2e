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

/*
 * ---- in short ----
 *
 * Programs look at no error but the planted one: after the first the run is over, every call returns
 * at once, and no check counts any more.
 */

static inline int put(struct logp_vp *vp, int dst, int tag, int value)
{
    return logp_send(vp, dst, tag, &value, sizeof(value));
}

/* A value, and what is said of its message. */
static inline int get_with(struct logp_vp *vp, int src, int tag, struct logp_status *status)
{
    int value = 0;

    *status = (struct logp_status){.source = -1};
    logp_recv(vp, src, tag, &value, sizeof(value), status);
    return value;
}

static inline int get(struct logp_vp *vp, int src, int tag)
{
    return get_with(vp, src, tag, &(struct logp_status){0});
}

/* A program: vp, and s, the struct planted of its run. */
#define FAULTY(name)                                                                               \
    static int name##_with(struct logp_vp *vp, struct planted *s);                                 \
    static int name(struct logp_vp *vp, void *arg)                                                 \
    {                                                                                              \
        return name##_with(vp, arg);                                                               \
    }                                                                                              \
    static int name##_with(struct logp_vp *vp, struct planted *s)

#define ME logp_vp_rank(vp)
#define OTHERS (logp_vp_size(vp) - 1)

/* ---- who comes first ---- */

/* The first message is taken for that of rank 1. */
FAULTY(first_is_rank_1)
{
    if (ME > 0)
        return put(vp, 0, 1, ME);
    for (int i = 1; i <= OTHERS; i++)
        LOGP_CHECK(vp, get(vp, s->right ? i : LOGP_ANY_SOURCE, 1) == i);
    return 0;
}

/* Messages of any tag are taken for sorted by tag. */
FAULTY(tags_come_in_order)
{
    int tag = 0;

    if (ME > 0)
        return put(vp, 0, ME, ME);
    for (int i = 1, last = 0; i <= OTHERS; i++, last = tag) {
        tag = get(vp, LOGP_ANY_SOURCE, s->right ? i : LOGP_ANY_TAG);
        LOGP_CHECK(vp, tag > last);
    }
    return 0;
}

/* Two rounds with one tag: a message of the second is taken in the first. */
FAULTY(tag_reused)
{
    for (int r = 0; r < 2; r++) {
        const int tag = s->right ? r : 0;

        if (ME > 0)
            put(vp, 0, tag, r);
        for (int i = 0; ME == 0 && i < OTHERS; i++)
            LOGP_CHECK(vp, get(vp, LOGP_ANY_SOURCE, tag) == r);
    }
    return 0;
}

/* A server answers in the order of ranks what was asked in another. */
FAULTY(answers_the_wrong_one)
{
    struct logp_status status;

    if (ME > 0) {
        put(vp, 0, 1, 10 * ME);
        return LOGP_CHECK(vp, get(vp, 0, 2) == 10 * ME + 1);
    }
    for (int i = 1; i <= OTHERS; i++) {
        const int x = get_with(vp, LOGP_ANY_SOURCE, 1, &status);

        put(vp, s->right ? status.source : i, 2, x + 1);
    }
    return 0;
}

/* The first of several requests is taken for the one that was posted first. */
FAULTY(first_request_is_first)
{
    struct logp_request *r[PLANTED_MOST];
    int x[PLANTED_MOST], index = 0;

    if (ME > 0)
        return put(vp, 0, 1, ME);
    for (int i = 0; i < OTHERS; i++)
        logp_irecv(vp, i + 1, 1, &x[i], sizeof(x[i]), &r[i]);
    for (int i = 0; i < OTHERS && logp_waitany(vp, r, OTHERS, &index, NULL) == 0; i++)
        LOGP_CHECK(vp, s->right ? x[index] == index + 1 : index == i && x[i] == i + 1);
    return 0;
}

/* Rank 1 tells rank 0, and then rank 2, which tells rank 0. */
static void tell(struct logp_vp *vp)
{
    if (ME == 2)
        get(vp, 1, 1);
    if (ME == 1 || ME == 2)
        put(vp, 0, 1, ME);
    if (ME == 1)
        put(vp, 2, 1, 1);
}

/* What rank 1 sent before it told rank 2, who told us, is taken for here. */
FAULTY(told_by_another)
{
    struct logp_request *r;
    bool done = false;
    int x = 0;

    if (OTHERS < 2)
        return 0;
    if (ME == 0) {
        logp_irecv(vp, 1, 1, &x, sizeof(x), &r);
        get(vp, 2, 1);
        while (!done && logp_test(vp, r, &done, NULL) == 0)
            LOGP_CHECK(vp, done || s->right);
    } else {
        tell(vp);
    }
    return 0;
}

/* The same with a receive from any source. */
FAULTY(cause_before_effect)
{
    if (OTHERS < 2)
        return 0;
    if (ME == 0) {
        for (int i = 1; i <= 2; i++)
            LOGP_CHECK(vp, get(vp, s->right ? i : LOGP_ANY_SOURCE, 1) == i);
    } else {
        tell(vp);
    }
    return 0;
}

/* An operation whose order matters, in the order of arrival. */
FAULTY(reduces_as_it_comes)
{
    int all = 0, expected = 0;

    if (ME > 0)
        return put(vp, 0, 1, ME);
    for (int i = 1; i <= OTHERS; i++) {
        all = 2 * all + get(vp, s->right ? i : LOGP_ANY_SOURCE, 1);
        expected = 2 * expected + i;
    }
    return LOGP_CHECK(vp, all == expected);
}

/* A value around a ring, received of any source beside others' greetings. */
FAULTY(ring_of_anybody)
{
    const int P = logp_vp_size(vp), left = (ME + P - 1) % P;

    put(vp, (ME + 1) % P, 1, ME);
    if (ME == 0 && P > 2) /* a greeting, of the same tag */
        put(vp, 2, 1, 0);
    for (int i = 0; i < 1 + (ME == 2); i++) {
        const int from = i == 0 ? left : 0;

        LOGP_CHECK(vp, get(vp, s->right ? from : LOGP_ANY_SOURCE, 1) == from);
    }
    return 0;
}

/* ---- how much there is ---- */

/* A probe asks for one tag, the receive behind it for any. */
FAULTY(probe_then_another)
{
    char large[64] = {0};
    bool found = false;
    int x, rc = 0;

    if (ME > 0)
        return ME == 1 ? put(vp, 0, 1, 1) : logp_send(vp, 0, 2, large, sizeof(large));
    while (rc == 0 && !found)
        rc = logp_probe(vp, LOGP_ANY_SOURCE, 1, &found, NULL);
    if (rc == 0)
        rc = logp_recv(vp, LOGP_ANY_SOURCE, s->right ? 1 : LOGP_ANY_TAG, &x, sizeof(x), NULL);
    for (int i = 1; rc == 0 && i < OTHERS; i++)
        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, large, sizeof(large), NULL);
    return rc;
}

/* One look, and what is not there is taken for never sent. */
FAULTY(looks_once)
{
    bool found = false;

    if (ME > 0)
        return ME == 1 ? put(vp, 0, 1, 1) : 0;
    while (logp_probe(vp, 1, 1, &found, NULL) == 0 && s->right && !found)
        ;
    if (found)
        get(vp, 1, 1);
    return 0;
}

/* Three looks, then it gives up. */
FAULTY(abandons)
{
    bool found = false;

    if (ME > 0)
        return ME == 1 ? put(vp, 0, 1, 1) : 0;
    for (int i = 0; !found && (s->right || i < 3); i++)
        if (logp_probe(vp, 1, 1, &found, NULL) != 0)
            break;
    LOGP_CHECK(vp, found);
    get(vp, 1, 1);
    return 0;
}

/* It stops at the first end that it hears of, not at the last. */
FAULTY(stops_at_the_first_end)
{
    struct logp_status status = {.source = 0};

    if (ME > 0) {
        put(vp, 0, 1, ME);
        return put(vp, 0, 2, ME);
    }
    for (int ends = 0; status.source >= 0 && ends < (s->right ? OTHERS : 1);) {
        get_with(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &status);
        ends += status.tag == 2;
    }
    return 0;
}

/* Everybody says that it is idle, but one has been given work meanwhile. */
FAULTY(ends_too_early)
{
    enum { IDLE = 1, WORK = 2, STOP = 3, DONE = 4 };
    struct logp_status status = {.source = 0};
    bool worked = false;

    if (OTHERS < 2 || ME > 2)
        return 0;
    if (ME == 0) {
        get(vp, LOGP_ANY_SOURCE, IDLE);
        get(vp, LOGP_ANY_SOURCE, IDLE);
        return put(vp, 1, STOP, 0);
    }
    if (ME == 2) {
        put(vp, 1, WORK, 0);
        if (s->right)
            get(vp, 1, DONE);
        return put(vp, 0, IDLE, 2);
    }
    put(vp, 0, IDLE, 1);
    while (status.source >= 0 && status.tag != STOP) {
        get_with(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &status);
        worked |= status.tag == WORK;
        if (status.tag == WORK && s->right)
            put(vp, 2, DONE, 0);
    }
    return LOGP_CHECK(vp, worked);
}

/* One message more than anybody receives. */
FAULTY(one_too_many)
{
    put(vp, (ME + 1) % logp_vp_size(vp), 1, ME);
    if (!s->right && ME == 2)
        put(vp, 0, 1, ME);
    get(vp, (ME + OTHERS) % logp_vp_size(vp), 1);
    return 0;
}

/* What does not divide is forgotten. */
FAULTY(forgets_the_rest)
{
    const int P = logp_vp_size(vp), n = 4, mine = n / P + (s->right && ME < n % P);
    int sum = mine;

    if (ME > 0)
        return put(vp, 0, 1, mine);
    for (int i = 1; i < P; i++)
        sum += get(vp, i, 1);
    return LOGP_CHECK(vp, sum == n);
}

/* Room for three. */
FAULTY(space_for_three)
{
    char all[PLANTED_MOST] = {0};

    if (ME > 0)
        return logp_recv(vp, ME - 1, 1, all, s->right ? sizeof(all) : 3, NULL) ||
                       (ME < OTHERS && logp_send(vp, ME + 1, 1, all, (size_t)logp_vp_size(vp)))
                   ? -EMSGSIZE
                   : 0;
    return logp_send(vp, 1, 1, all, (size_t)logp_vp_size(vp));
}

/* One buffer for two receives. */
FAULTY(one_buffer_for_two)
{
    struct logp_request *r[2];
    int x[2] = {0};

    if (ME == 1) {
        put(vp, 0, 1, 1);
        return put(vp, 0, 1, 2);
    }
    if (ME > 1)
        return 0;
    for (int i = 0; i < 2; i++)
        logp_irecv(vp, 1, 1, &x[s->right ? i : 0], sizeof(x[0]), &r[i]);
    logp_waitall(vp, r, 2, NULL);
    return LOGP_CHECK(vp, x[0] == 1);
}

/* ---- who waits for whom ---- */

/* The neighbour on the right of the last. */
FAULTY(beyond_the_last)
{
    const int P = logp_vp_size(vp), rc = put(vp, s->right ? (ME + 1) % P : ME + 1, 1, ME);

    if (rc == 0)
        get(vp, (ME + P - 1) % P, 1);
    return rc;
}

/* All but the last are told. */
FAULTY(not_the_last)
{
    if (ME > 0)
        get(vp, 0, 1);
    for (int i = 1; ME == 0 && i < OTHERS + s->right; i++)
        put(vp, i, 1, 0);
    return 0;
}

/* Pairs: with an odd number the last has no partner, and waits. */
FAULTY(odd_one_out)
{
    const int partner = ME ^ 1;

    if (partner <= OTHERS)
        put(vp, partner, 1, ME);
    if (partner <= OTHERS || !s->right)
        get(vp, LOGP_ANY_SOURCE, 1);
    return 0;
}

/* One that is not needed leaves before the common start. */
FAULTY(leaves_before_the_start)
{
    return ME == 2 && !s->right ? 0 : logp_sync(vp, NULL);
}

/* Collectives in another order. */
FAULTY(collectives_crossed)
{
    const bool crossed = ME % 2 == 1 && !s->right;
    int x = 0;

    for (int i = 0; i < 2; i++) {
        const int root = (i == 0) == !crossed ? 0 : OTHERS;

        if (ME == root)
            x = 1 + root;
        logp_broadcast(vp, &x, sizeof(x), root);
    }
    return LOGP_CHECK(vp, x == 1 + OTHERS);
}

/* Two locks, kept by ranks 0 and 1; the others take both, not all in one order. */
FAULTY(locks_crossed)
{
    enum { ASK = 1, GIVE = 2, BACK = 3 };
    const int first = s->right || ME % 2 == 0 ? 0 : 1;
    struct logp_status status;

    for (int i = 0; ME < 2 && i < OTHERS - 1; i++) {
        get_with(vp, LOGP_ANY_SOURCE, ASK, &status);
        put(vp, status.source, GIVE, 0);
        get(vp, status.source, BACK);
    }
    for (int i = 0; ME >= 2 && i < 2; i++) {
        put(vp, i == 0 ? first : 1 - first, ASK, 0);
        get(vp, i == 0 ? first : 1 - first, GIVE);
    }
    for (int i = 0; ME >= 2 && i < 2; i++)
        put(vp, i, BACK, 0);
    return 0;
}

/* ---- memory that is shared ---- */

/* It is read without waiting for who writes it. */
FAULTY(missing_barrier)
{
    bool found;

    logp_probe(vp, LOGP_ANY_SOURCE, 9, &found, NULL); /* nothing: others go on */
    if (ME == 0)
        s->value = 7;
    if (s->right)
        logp_sync(vp, NULL);
    return ME == 0 ? 0 : LOGP_CHECK(vp, s->value == 7);
}

/* Read, others go on, write. */
FAULTY(lost_update)
{
    const int before = s->sum;
    bool found;

    if (s->right)
        s->sum++;
    logp_probe(vp, LOGP_ANY_SOURCE, 9, &found, NULL);
    if (!s->right)
        s->sum = before + 1;
    return 0;
}

static int all_updates(const struct logp_report *report, void *arg)
{
    const struct planted *s = arg;

    return s->sum == s->P ? 0 : -ERANGE;
}

/* ---- time ---- */

/* A wait as long as a message takes, where some take longer. */
FAULTY(waits_too_short)
{
    int x, rc;

    if (ME > 0)
        return ME == 1 ? put(vp, 0, 1, 1) : 0;
    rc = logp_recv_until(vp, 1, 1, &x, sizeof(x), s->right ? LOGP_FOREVER : 10000, NULL);
    return rc != -ETIME ? rc : LOGP_CHECK(vp, rc == 0);
}

/* Who has waited too long asks again, and is counted twice. */
FAULTY(asks_twice)
{
    enum { ASK = 1, ANSWER = 2, END = 3 };
    struct logp_status status = {.source = 0};
    int x, n = 0, asked = 0, last = -1, rc;

    if (ME == 1) {
        do {
            put(vp, 0, ASK, 1);
            asked++;
            rc = logp_recv_until(vp, 0, ANSWER, &x, sizeof(x), logp_now(vp) + 1000, NULL);
        } while (rc == -ETIME);
        for (; asked > 1; asked--)
            get(vp, 0, ANSWER);
        return put(vp, 0, END, 0);
    }
    while (ME == 0 && status.source >= 0 && status.tag != END) {
        x = get_with(vp, 1, LOGP_ANY_TAG, &status);
        if (status.tag == ASK) {
            n += !s->right || x != last; /* of one question the first alone counts */
            last = x;
            put(vp, 1, ANSWER, 0);
        }
    }
    return ME == 0 ? LOGP_CHECK(vp, n == 1) : 0;
}

/* ---- buffers ---- */

/* Both send before they receive. */
FAULTY(sends_first)
{
    if (s->right && ME == 1)
        get(vp, 0, 1);
    if (ME < 2)
        put(vp, 1 - ME, 1, ME);
    if (ME < 2 && !(s->right && ME == 1))
        get(vp, 1 - ME, 1);
    return 0;
}

/* The same, where only long messages are not buffered. */
FAULTY(sends_long_ones_first)
{
    const int P = logp_vp_size(vp), right = (ME + 1) % P, left = (ME + P - 1) % P;
    char out[2000] = {0}, in[2000];

    put(vp, right, 1, ME); /* short ones are */
    get(vp, left, 1);
    if (s->right)
        return logp_sendrecv(vp, right, 2, out, sizeof(out), left, 2, in, sizeof(in), NULL);
    logp_send(vp, right, 2, out, sizeof(out));
    return logp_recv(vp, left, 2, in, sizeof(in), NULL);
}

#endif
