/* SPDX-License-Identifier: MIT */
/*
 * A token that moves where it is requested (Suzuki & Kasami 1985). Each request has a number, and goes to
 * all. The token has the number of the last request of each processor that was served, and a queue. Only
 * the processor with the token may use the resource, and each that requests the token gets it.
 *
 * usage: suzuki [BUG]    1: an idle holder gives the token for a request that has been served before
 *                        2: a holder that is done gives the token away but does not look for new requests
 */
#include <errno.h>
#include "protocol.h"
#include <string.h>

enum { MOST = 4, TIMES = 2, USE_NS = 10, RESOURCE = 0 /* key */ };
enum { REQUEST, TOKEN, DONE }; /* tags */
enum { SERVES_TWICE = 1, NO_QUEUE };

struct token {
    int served[MOST]; /* the number of the last request that was served */
    int queue[MOST], n;
};

struct state {
    int requested[MOST]; /* the highest number that has come */
    int done;            /* processors that make no more requests */
    bool holds;
    struct token token;
};

union message {
    int number; /* of a request */
    struct token token;
};

static bool is_used; /* the resource */

static int give(struct logp_vp *vp, struct state *s, int to)
{
    s->holds = false;
    return logp_send(vp, to, TOKEN, &s->token, sizeof(s->token));
}

static bool waits(const struct state *s, int rank)
{
    return s->requested[rank] == s->token.served[rank] + 1;
}

static void take_request(struct state *s, int source, int number)
{
    if (number > s->requested[source])
        s->requested[source] = number;
}

/* Take one message. */
static int serve(struct logp_vp *vp, struct state *s)
{
    union message message;
    struct logp_status from;
    int rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &message, sizeof(message), &from);

    if (rc != 0)
        return rc;
    if (from.tag == DONE) {
        s->done++;
    } else if (from.tag == TOKEN) {
        s->token = message.token;
        s->holds = true;
    } else {
        take_request(s, from.source, message.number);
        if (s->holds && (waits(s, from.source) || bug == SERVES_TWICE))
            rc = give(vp, s, from.source);
    }
    return rc;
}

static int request(struct logp_vp *vp, struct state *s)
{
    const int me = logp_vp_rank(vp);
    int rc = 0;

    s->requested[me]++;
    if (s->holds)
        return 0;
    for (int i = 0; rc == 0 && i < logp_vp_size(vp); i++)
        if (i != me)
            rc = logp_send(vp, i, REQUEST, &s->requested[me], sizeof(int));
    while (rc == 0 && !s->holds)
        rc = serve(vp, s);
    return rc;
}

/* Requests may come meanwhile. */
static int use(struct logp_vp *vp, struct state *s)
{
    struct logp_status from;
    int number, rc = logp_shared_touch(vp, RESOURCE);

    if (rc == 0)
        rc = LOGP_CHECK(vp, !is_used);
    is_used = true;
    while (rc == 0) {
        rc = logp_recv_until(vp, LOGP_ANY_SOURCE, REQUEST, &number, sizeof(number),
                             logp_now(vp) + USE_NS, &from);
        if (rc == 0)
            take_request(s, from.source, number);
    }
    if (rc == -ETIME)
        rc = logp_shared_touch(vp, RESOURCE);
    is_used = false;
    return rc;
}

static bool is_queued(const struct token *t, int rank)
{
    for (int i = 0; i < t->n; i++)
        if (t->queue[i] == rank)
            return true;
    return false;
}

static int release(struct logp_vp *vp, struct state *s)
{
    struct token *t = &s->token;
    const int me = logp_vp_rank(vp);
    int next;

    t->served[me] = s->requested[me];
    for (int i = 0; i < logp_vp_size(vp) && bug != NO_QUEUE; i++)
        if (waits(s, i) && !is_queued(t, i))
            t->queue[t->n++] = i;
    if (t->n == 0)
        return 0;
    next = t->queue[0];
    memmove(t->queue, t->queue + 1, (size_t)--t->n * sizeof(t->queue[0]));
    return give(vp, s, next);
}

static int program(struct logp_vp *vp, void *arg)
{
    struct state s = {.holds = logp_vp_rank(vp) == 0};
    int rc = 0;

    (void)arg;
    for (int i = 0; rc == 0 && i < TIMES; i++) {
        rc = request(vp, &s);
        if (rc == 0)
            rc = use(vp, &s);
        if (rc == 0)
            rc = release(vp, &s);
    }
    for (int i = 0; rc == 0 && i < logp_vp_size(vp); i++)
        if (i != logp_vp_rank(vp))
            rc = logp_send(vp, i, DONE, NULL, 0);
    while (rc == 0 && s.done < logp_vp_size(vp) - 1)
        rc = serve(vp, &s);
    return rc;
}

static int forget(int P, void *arg)
{
    (void)P;
    (void)arg;
    is_used = false;
    return 0;
}

int main(int argc, char **argv)
{
    const struct logp_check check = {
        .name = "suzuki", .sizes = (int[]){MOST}, .before = forget, .leaves_messages = true};

    return check_protocol(program, check, argc, argv);
}
