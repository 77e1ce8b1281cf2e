/* SPDX-License-Identifier: MIT */
/*
 * Philosophers who share forks (Dijkstra, EWD 310; Chandy & Misra, 1984, with messages). The first half of
 * the ranks are philosophers, and the other half are forks. Nobody may starve, and neighbours must not eat
 * at the same time.
 *
 * usage: philosophers [BUG]    1: all take the left fork first
 *                              2: a fork is given to everyone who asks
 */
#include "protocol.h"
#include <string.h>

enum { MEALS = 3, MOST = 16, NOBODY = -1 };
enum { TAKE, TAKEN, PUT_BACK }; /* tags */
enum { LEFT_FIRST = 1, FOR_EVERYONE };

static bool eats[MOST]; /* a monitor */

static int take(struct logp_vp *vp, int fork)
{
    const int rc = logp_send(vp, fork, TAKE, NULL, 0);

    return rc != 0 ? rc : logp_recv(vp, fork, TAKEN, NULL, 0, NULL);
}

static int eat(struct logp_vp *vp, int n)
{
    const int me = logp_vp_rank(vp);
    int rc = logp_shared_touch(vp, 0);

    if (rc == 0)
        rc = LOGP_CHECK(vp, !eats[(me + 1) % n] && !eats[(me + n - 1) % n]);
    eats[me] = true;
    if (rc == 0)
        rc = logp_shared_touch(vp, 0); /* others may go on meanwhile */
    eats[me] = false;
    return rc;
}

static int dine(struct logp_vp *vp, int n)
{
    const int me = logp_vp_rank(vp), left = n + me, right = n + (me + 1) % n;
    const bool left_first = left < right || bug == LEFT_FIRST;
    int rc = 0;

    for (int i = 0; rc == 0 && i < MEALS; i++) {
        rc = take(vp, left_first ? left : right);
        if (rc == 0)
            rc = take(vp, left_first ? right : left);
        if (rc == 0)
            rc = eat(vp, n);
        if (rc == 0)
            rc = logp_send(vp, left, PUT_BACK, NULL, 0);
        if (rc == 0)
            rc = logp_send(vp, right, PUT_BACK, NULL, 0);
    }
    return rc;
}

/* Two philosophers share a fork. While one has it, the other waits. */
static int lie(struct logp_vp *vp)
{
    int rc = 0, holder = NOBODY, waits = NOBODY;

    for (int put_back = 0; rc == 0 && put_back < 2 * MEALS;) {
        struct logp_status from;

        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, NULL, 0, &from);
        if (rc != 0)
            break;
        if (from.tag == PUT_BACK) {
            put_back++;
            holder = waits;
            waits = NOBODY;
        } else if (holder == NOBODY || bug == FOR_EVERYONE)
            holder = from.source;
        else {
            waits = from.source;
            continue;
        }
        if (holder != NOBODY)
            rc = logp_send(vp, holder, TAKEN, NULL, 0);
    }
    return rc;
}

static int program(struct logp_vp *vp, void *arg)
{
    const int n = logp_vp_size(vp) / 2;

    (void)arg;
    return logp_vp_rank(vp) < n ? dine(vp, n) : lie(vp);
}

static int forget(int P, void *arg)
{
    (void)P;
    (void)arg;
    memset(eats, 0, sizeof(eats));
    return 0;
}

int main(int argc, char **argv)
{
    const struct logp_check check = {
        .name = "philosophers", .sizes = (int[]){10}, .before = forget};

    return check_protocol(program, check, argc, argv);
}
