/* SPDX-License-Identifier: MIT */
/* Errors in the use of requests: each is reported with its rank and call, and what is right is not. */
#include "support.h"

enum use {
    RIGHT,
    TWICE,            /* rank 1 waits for a receive twice */
    TWICE_SENT,       /* rank 0 waits for a send twice */
    TWICE_OF_SEVERAL, /* the second time, it is among others */
    CANCELLED,        /* rank 1 waits for a receive that it has cancelled */
    OVERLAP,          /* two receives share a word */
    OVERLAP_BLOCKING, /* a posted receive, and logp_recv() */
    NEVER_RECEIVED,
    NEVER_SENT,
    CHANGES, /* rank 0 changes the buffer of a send */
};

struct wrong {
    enum use use;
    bool only_poison, leaves;
    const char *text; /* NULL: it passes */
};

static int send_both(struct logp_vp *vp, enum use use)
{
    struct logp_request *requests[3] = {NULL};
    int x[2] = {1, 2}, index, rc = 0;

    for (int i = 0; rc == 0 && i < 2; i++)
        rc = logp_isend(vp, 1, i, &x[i], sizeof(x[i]), &requests[i]);
    requests[2] = requests[1];
    if (use == CHANGES)
        x[1] = 3;
    if (use == NEVER_SENT)
        requests[0] = NULL;
    for (int i = 0; rc == 0 && i < 2; i++)
        rc = logp_wait(vp, requests[i], NULL);
    if (rc == 0 && use == TWICE_SENT)
        rc = logp_wait(vp, requests[0], NULL);
    if (rc == 0 && use == TWICE_OF_SEVERAL)
        rc = logp_waitany(vp, requests + 1, 2, &index, NULL);
    return rc;
}

static int receive_both(struct logp_vp *vp, enum use use)
{
    struct logp_request *requests[2] = {NULL}, *third;
    const bool shares = use == OVERLAP || use == OVERLAP_BLOCKING;
    int x[2] = {0};

    TRY(logp_irecv(vp, 0, 0, &x[0], sizeof(x[0]), &requests[0]));
    if (use == OVERLAP_BLOCKING)
        TRY(logp_recv(vp, 0, 1, &x[0], sizeof(x[0]), NULL));
    else
        TRY(logp_irecv(vp, LOGP_ANY_SOURCE, 1, &x[shares ? 0 : 1], sizeof(x[0]), &requests[1]));
    if (use == CANCELLED) {
        TRY(logp_irecv(vp, 0, 7, NULL, 0, &third));
        TRY(logp_cancel(vp, third));
        TRY(logp_wait(vp, third, NULL));
    }
    for (int i = 0; i < (use == NEVER_RECEIVED ? 1 : 2); i++)
        TRY(logp_wait(vp, requests[i], NULL));
    if (use == TWICE)
        TRY(logp_wait(vp, requests[1], NULL));
    return 0;
}

static int both(struct logp_vp *vp, void *arg)
{
    const struct wrong *wrong = arg;

    return logp_vp_rank(vp) == 0 ? send_both(vp, wrong->use) : receive_both(vp, wrong->use);
}

static const struct wrong all[] = {
    {RIGHT, false, false, NULL},
    {RIGHT, true, false, NULL},
    {TWICE, false, false, "rank 1 completes logp_irecv() from any rank, tag 1 twice"},
    {TWICE_SENT, false, false, "rank 0 completes logp_isend() to rank 1, tag 0 twice"},
    {TWICE_OF_SEVERAL, false, false, "rank 0 completes logp_isend() to rank 1, tag 1 twice"},
    {CANCELLED, false, false, "rank 1 completes logp_irecv() from rank 0, tag 7 twice"},
    {OVERLAP, false, false,
     "rank 1 posts logp_irecv() from any rank, tag 1 into the buffer of logp_irecv() from rank 0, "
     "tag 0, which is not complete"},
    {OVERLAP_BLOCKING, false, false,
     "rank 1 posts logp_recv() into the buffer of logp_irecv() from rank 0, tag 0, which is not "
     "complete"},
    {NEVER_RECEIVED, false, false,
     "rank 1 ends without completing logp_irecv() from any rank, tag 1"},
    {NEVER_SENT, false, false, "rank 0 ends without completing logp_isend() to rank 1, tag 0"},
    {NEVER_RECEIVED, false, true, NULL},
    {NEVER_SENT, false, true, NULL},
    {CHANGES, false, false, NULL},
    {CHANGES, true, false,
     "rank 0 changes the buffer of logp_isend() to rank 1, tag 1 before this is complete"},
};

Test(check_requests, errors_of_use_are_reported_with_rank_and_call)
{
    const struct logp_network network = {.params = test_6us};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        for (int how = 0; how < 5; how++) {
            struct wrong wrong = all[i];
            struct logp_check check = {
                .size = sizeof(check),
                .sizes = (int[]){2},
                .n_sizes = 1,
                .runs = 20,
                .strategy = how < 3 ? (enum logp_strategy)how : LOGP_STRATEGY_RANDOM,
                .network = how == 3 ? &network : NULL,
                .sends = how == 4 ? LOGP_SENDS_SYNCHRONOUS : LOGP_SENDS_BUFFERED,
                .leaves_messages = true,
                .leaves_requests = wrong.leaves,
                .poison = wrong.only_poison};
            TEST_FAILURE f = {.text = NULL};
            int rc;

            if (wrong.use == NEVER_RECEIVED && check.sends == LOGP_SENDS_SYNCHRONOUS)
                continue; /* its sender waits for ever */
            rc = logp_check(both, &wrong, &check, &f);
            cr_assert_eq(rc, wrong.text != NULL ? -EPROTO : 0, "%zu, %d: %s", i, how, f.text);
            cr_assert(wrong.text == NULL || (strstr(f.text, wrong.text) != NULL && f.line == 0),
                      "%zu, %d: %s", i, how, f.text);
        }
}

/* ---- what is right ---- */

enum { MANY = 12 };

/* Many requests, completed in another order; buffers used again after completion; one vp that crashes
 * does not complete its own. */
static int many(struct logp_vp *vp, void *arg)
{
    struct logp_request *requests[2 * MANY];
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    int x[MANY], y[MANY], rc = 0;

    for (int round = 0; rc == 0 && round < 2; round++) {
        for (int i = 0; rc == 0 && i < MANY; i++) {
            x[i] = i;
            rc = logp_irecv(vp, (me + P - 1) % P, i, &y[i], sizeof(y[i]), &requests[2 * i]);
            if (rc == 0)
                rc = logp_isend(vp, (me + 1) % P, i, &x[i], sizeof(x[i]), &requests[2 * i + 1]);
        }
        for (int n = 0, index; rc == 0 && n < MANY; n++)
            rc = logp_waitany(vp, requests, 2 * MANY, &index, NULL);
        for (int i = 2 * MANY; rc == 0 && i-- > 0;)
            rc = logp_wait(vp, requests[i], NULL);
    }
    for (int i = 0; rc == 0 && i < MANY; i++)
        rc = LOGP_CHECK_EQ(vp, y[i], i);
    return rc == -EHOSTDOWN ? 0 : rc;
}

Test(check_requests, right_uses_are_not_reported)
{
    for (int crashes = 0; crashes < 2; crashes++) {
        struct logp_check check = {.size = sizeof(check),
                                   .runs = 100,
                                   .poison = true,
                                   .must_end = crashes == 0,
                                   .leaves_messages = crashes > 0,
                                   .most_faults = {.crashes = crashes}};
        TEST_FAILURE f = {.text = NULL};
        const int rc = logp_check(many, NULL, &check, &f);

        /* the others wait for one that has crashed */
        cr_assert(rc == 0 || (crashes > 0 && f.kind == LOGP_FAILURE_DEADLOCK), "%s", f.text);
    }
}
