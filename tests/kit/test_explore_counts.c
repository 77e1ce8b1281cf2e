/* SPDX-License-Identifier: MIT */
/*
 * How many runs an exhaustive check makes: as many as there are outcomes, of programs whose outcomes
 * can be counted by hand. Each processor of these programs sees its own messages in any order,
 * whatever the others see.
 */
#include "kit.h"

enum { MOST_P = 8 };

static int receive_all(struct logp_vp *vp, int n, int tag)
{
    int x, rc = 0;

    for (int i = 0; rc == 0 && i < n; i++)
        rc = logp_recv(vp, LOGP_ANY_SOURCE, tag, &x, sizeof(x), NULL);
    return rc;
}

/* Each processor receives a message of each other one: (P-1)! orders each. */
static int all_to_all(struct logp_vp *vp, void *arg)
{
    int x = 0, rc = 0;

    for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++)
        rc = logp_send(vp, test_right(vp, i), 0, &x, sizeof(x));
    return rc == 0 ? receive_all(vp, logp_vp_size(vp) - 1, 0) : rc;
}

/* The same with sends that may wait for their receivers meanwhile. */
static int all_to_all_at_once(struct logp_vp *vp, void *arg)
{
    const int n = logp_vp_size(vp) - 1;
    struct logp_request *requests[MOST_P];
    int x = 0;

    for (int i = 0; i < n; i++)
        TRY(logp_isend(vp, test_right(vp, i + 1), 0, &x, sizeof(x), &requests[i]));
    TRY(receive_all(vp, n, 0));
    for (int i = 0; i < n; i++)
        TRY(logp_wait(vp, requests[i], NULL));
    return 0;
}

/* Three rounds with a tag each: (P-1)! orders in each round. The messages of a later round come
 * while receivers still choose in the one before. */
static int rounds(struct logp_vp *vp, void *arg)
{
    int x = 0;

    for (int tag = 0; tag < 3; tag++) {
        for (int i = 1; i < logp_vp_size(vp); i++)
            TRY(logp_send(vp, test_right(vp, i), tag, &x, sizeof(x)));
        TRY(receive_all(vp, logp_vp_size(vp) - 1, tag));
    }
    return 0;
}

/* A receive from any source of messages that have one source: one outcome. */
static int ring(struct logp_vp *vp, void *arg)
{
    int x = 0;

    for (int i = 0; i < 3; i++) {
        TRY(logp_send(vp, test_right(vp, 1), 0, &x, sizeof(x)));
        TRY(receive_all(vp, 1, 0));
    }
    return 0;
}

/* Each processor asks all others, answers, and receives requests and answers as they come. A plain
 * enumeration of all orders of these events finds 214 outcomes with three processors. */
static int ask_all(struct logp_vp *vp, void *arg)
{
    const int n = logp_vp_size(vp) - 1;
    struct logp_status status;
    int x = 0, rc = 0;

    for (int i = 1; rc == 0 && i <= n; i++)
        rc = logp_send(vp, test_right(vp, i), 0, &x, sizeof(x));
    for (int i = 0; rc == 0 && i < 2 * n; i++) {
        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &x, sizeof(x), &status);
        if (rc == 0 && status.tag == 0)
            rc = logp_send(vp, status.source, 1, &x, sizeof(x));
    }
    return rc;
}

/* Touches of one key, between messages. */
static int touches(struct logp_vp *vp, void *arg)
{
    TRY(logp_shared_touch(vp, 1));
    return all_to_all(vp, arg);
}

static void expect(logp_program program, int P, enum logp_sends sends, uint64_t n)
{
    struct logp_check check = check_of(P, LOGP_STRATEGY_EXHAUSTIVE, 100000);

    check.sends = sends;
    cr_assert_eq(logp_check(program, NULL, &check, NULL), 0);
    cr_assert(check.checked.complete);
    cr_assert_eq(check.checked.executions, n, "%llu executions, %llu by hand",
                 (unsigned long long)check.checked.executions, (unsigned long long)n);
    cr_assert_eq(check.checked.runs, n, "%llu runs for %llu executions",
                 (unsigned long long)check.checked.runs, (unsigned long long)n);
}

Test(explore_counts, no_run_is_redundant)
{
    expect(all_to_all, 3, LOGP_SENDS_BUFFERED, 2 * 2 * 2);
    expect(all_to_all, 4, LOGP_SENDS_BUFFERED, 6 * 6 * 6 * 6);
    expect(rounds, 3, LOGP_SENDS_BUFFERED, 512);
    expect(ring, 8, LOGP_SENDS_BUFFERED, 1);
    expect(touches, 3, LOGP_SENDS_BUFFERED, 6 * 8);
}

Test(explore_counts, nor_where_sends_wait_for_their_receivers)
{
    expect(all_to_all_at_once, 3, LOGP_SENDS_SYNCHRONOUS, 2 * 2 * 2);
    expect(all_to_all_at_once, 4, LOGP_SENDS_SYNCHRONOUS, 6 * 6 * 6 * 6);
}

Test(explore_counts, nor_with_receives_of_any_tag)
{
    expect(ask_all, 3, LOGP_SENDS_BUFFERED, 214);
}

/* Of two requests, either may be the first to complete: a send that waits, or a receive. */
struct first {
    bool seen[2], too_late;
};

static int first_of_two(struct logp_vp *vp, void *arg)
{
    struct first *f = arg;
    struct logp_request *requests[2] = {NULL, NULL};
    int sent = 0, x = 0, first = 0;

    TRY(logp_isend(vp, test_right(vp, 1), 0, &sent, sizeof(sent), &requests[1]));
    if (logp_vp_rank(vp) == 0)
        TRY(receive_all(vp, 1, 0));
    else
        TRY(logp_irecv(vp, LOGP_ANY_SOURCE, 0, &x, sizeof(x), &requests[0]));
    if (logp_vp_rank(vp) != 0) {
        TRY(logp_waitany(vp, requests, 2, &first, NULL));
        f->seen[first] = true;
        requests[first] = NULL;
    }
    for (int i = 0; i < 2; i++)
        TRY(requests[i] != NULL ? logp_wait(vp, requests[i], NULL) : 0);
    return 0;
}

Test(explore_counts, an_answer_counts_where_messages_may_come_twice)
{
    struct first f = {.too_late = false};
    struct logp_check check = check_of(2, LOGP_STRATEGY_EXHAUSTIVE, 0);

    check.sends = LOGP_SENDS_SYNCHRONOUS;
    check.most_faults.doubled = 1;
    cr_assert_eq(logp_check(first_of_two, &f, &check, NULL), 0);
    cr_assert(check.checked.complete);
    cr_assert(f.seen[0]);
    cr_assert(f.seen[1]);
}

/* Processor 1 has posted a receive, and waits for something else, which comes after processor 2 has
 * been answered. If the receive takes the message of processor 0 instead, all wait for ever. */
static int mixed(struct logp_vp *vp, void *arg)
{
    struct logp_request *r;
    int x = 0, y = 0;

    switch (logp_vp_rank(vp)) {
    case 0:
        TRY(logp_send(vp, 1, 0, &x, sizeof(x)));
        TRY(logp_recv(vp, 2, 3, &x, sizeof(x), NULL));
        return logp_send(vp, 1, 1, &x, sizeof(x));
    case 1:
        TRY(logp_irecv(vp, LOGP_ANY_SOURCE, 0, &x, sizeof(x), &r));
        TRY(logp_recv(vp, 0, 1, &y, sizeof(y), NULL));
        TRY(logp_wait(vp, r, NULL));
        return receive_all(vp, 1, 0);
    default:
        TRY(logp_send_as(vp, LOGP_SEND_SYNCHRONOUS, 1, 0, &x, sizeof(x)));
        return logp_send(vp, 0, 3, &x, sizeof(x));
    }
}

Test(explore_counts, a_receive_has_a_choice_between_sends_that_wait_and_others)
{
    for (int i = 0; i < N_STRATEGIES; i++) {
        struct logp_check check = check_of(3, strategies[i], 0);

        cr_assert_eq(logp_check(mixed, NULL, &check, NULL), -EDEADLK, "strategy %d", i);
    }
}

/* A program that ends drops its receive: nothing is written into it any more, whoever waits. */
static int ends_early(struct logp_vp *vp, void *arg)
{
    struct logp_request *r;
    int x = 0;

    if (logp_vp_rank(vp) == 0)
        return logp_irecv(vp, LOGP_ANY_SOURCE, 0, &x, sizeof(x), &r);
    return logp_send_as(vp, logp_vp_rank(vp) == 1 ? LOGP_SEND_STANDARD : LOGP_SEND_SYNCHRONOUS, 0,
                        0, &x, sizeof(x));
}

Test(explore_counts, a_receive_whose_program_has_ended_writes_nothing)
{
    struct logp_check check = {.size = sizeof(check),
                               .sizes = (int[]){2, 3},
                               .n_sizes = 2,
                               .leaves_requests = true,
                               .leaves_messages = true,
                               .strategy = LOGP_STRATEGY_EXHAUSTIVE};

    cr_assert_eq(logp_check(ends_early, NULL, &check, NULL), -EDEADLK);
}

/* A cancel comes before the message, or too late. */
static int cancels(struct logp_vp *vp, void *arg)
{
    struct logp_request *r;
    int x = 0, rc;

    if (logp_vp_rank(vp) != 0)
        return logp_send(vp, 0, logp_vp_rank(vp), &x, sizeof(x));
    rc = logp_irecv(vp, LOGP_ANY_SOURCE, 1, &x, sizeof(x), &r);
    if (rc == 0)
        rc = receive_all(vp, 1, 2);
    rc = rc == 0 ? logp_cancel(vp, r) : rc;
    return rc == 0 ? receive_all(vp, 1, 1) : rc == -EINPROGRESS ? logp_wait(vp, r, NULL) : rc;
}

static int sees_too_late(const struct logp_note *note, void *arg)
{
    struct first *f = arg;

    if (note->kind == LOGP_NOTE_TOO_LATE)
        f->too_late = note->rank == 0 && note->request == 1 && note->tag == 1;
    if (note->kind == LOGP_NOTE_MISSED)
        f->seen[0] = true;
    return 0;
}

Test(explore_counts, a_cancel_comes_before_a_match_or_too_late)
{
    struct first f = {.too_late = false};
    struct logp_check check = check_of(3, LOGP_STRATEGY_EXHAUSTIVE, 0);

    check.event = sees_too_late;
    cr_assert_eq(logp_check(cancels, &f, &check, NULL), 0);
    cr_assert_eq(check.checked.executions, 2);
    cr_assert_eq(check.checked.by_size[0].outcomes, 2);
    cr_assert(f.seen[0]);
    cr_assert(f.too_late);
}

/* Ranks above 0 send to rank 0 in a group that each run creates anew: (P-1)! orders. */
static int in_a_group(struct logp_vp *vp, void *arg)
{
    struct logp_vp *group = NULL;
    int x = 0, rc = logp_group_dup(vp, &group);

    if (rc == 0 && logp_vp_rank(vp) > 0)
        rc = logp_send(group, 0, 0, &x, sizeof(x));
    else if (rc == 0)
        rc = receive_all(group, logp_vp_size(vp) - 1, 0);
    logp_group_destroy(group);
    return rc;
}

Test(explore_counts, messages_of_a_group_are_the_same_in_each_run)
{
    expect_executions(in_a_group, NULL, 4, 6);
}
