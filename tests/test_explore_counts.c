/* SPDX-License-Identifier: MIT */
/*
 * How many runs an exhaustive check makes: as many as there are outcomes, of programs whose outcomes
 * can be counted by hand. Each processor of these programs sees its own messages in any order,
 * whatever the others see.
 */
#include "support.h"

enum { MOST_P = 8 };

static int others(struct logp_vp *vp, int i)
{
    return (logp_vp_rank(vp) + i) % logp_vp_size(vp);
}

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
        rc = logp_send(vp, others(vp, i), 0, &x, sizeof(x));
    return rc == 0 ? receive_all(vp, logp_vp_size(vp) - 1, 0) : rc;
}

/* The same with sends that may wait for their receivers meanwhile. */
static int all_to_all_at_once(struct logp_vp *vp, void *arg)
{
    const int n = logp_vp_size(vp) - 1;
    struct logp_request *requests[MOST_P];
    int x = 0, rc = 0;

    for (int i = 0; rc == 0 && i < n; i++)
        rc = logp_isend(vp, others(vp, i + 1), 0, &x, sizeof(x), &requests[i]);
    if (rc == 0)
        rc = receive_all(vp, n, 0);
    for (int i = 0; rc == 0 && i < n; i++)
        rc = logp_wait(vp, requests[i], NULL);
    return rc;
}

/* Three rounds with a tag each: (P-1)! orders in each round. The messages of a later round come
 * while receivers still choose in the one before. */
static int rounds(struct logp_vp *vp, void *arg)
{
    int x = 0, rc = 0;

    for (int tag = 0; rc == 0 && tag < 3; tag++) {
        for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++)
            rc = logp_send(vp, others(vp, i), tag, &x, sizeof(x));
        if (rc == 0)
            rc = receive_all(vp, logp_vp_size(vp) - 1, tag);
    }
    return rc;
}

/* A receive from any source of messages that have one source: one outcome. */
static int ring(struct logp_vp *vp, void *arg)
{
    int x = 0, rc = 0;

    for (int i = 0; rc == 0 && i < 3; i++) {
        rc = logp_send(vp, others(vp, 1), 0, &x, sizeof(x));
        if (rc == 0)
            rc = receive_all(vp, 1, 0);
    }
    return rc;
}

/* Each processor asks all others, answers, and receives requests and answers as they come. A plain
 * enumeration of all orders of these events finds 214 outcomes with three processors. */
static int ask_all(struct logp_vp *vp, void *arg)
{
    const int n = logp_vp_size(vp) - 1;
    struct logp_status status;
    int x = 0, rc = 0;

    for (int i = 1; rc == 0 && i <= n; i++)
        rc = logp_send(vp, others(vp, i), 0, &x, sizeof(x));
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
    int rc = logp_shared_touch(vp, 1);

    return rc == 0 ? all_to_all(vp, arg) : rc;
}

static void expect(logp_program program, int P, enum logp_sends sends, uint64_t n)
{
    struct logp_check check = {.sizes = &P,
                               .n_sizes = 1,
                               .strategy = LOGP_STRATEGY_EXHAUSTIVE,
                               .sends = sends,
                               .runs = 100000};

    check.size = sizeof(check);
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
