/* SPDX-License-Identifier: MIT */
/*
 * Idle ranks steal half of the tasks of another rank, and a token finds that all tasks are done (Safra; Dijkstra,
 * EWD 998). The token counts the messages with tasks that are under way, and a rank that has received one
 * makes it black. Each task must be done once, and none may be left when rank 0 ends the program.
 *
 * usage: stealing [BUG]    1: the token stays white, whatever a rank has received
 *                          2: a rank that waits for tasks does not answer others that ask
 */
#include "protocol.h"

enum { TASKS = 8, TRIES = 2 };
enum { ASK, TASK, NO_TASK, TOKEN, END }; /* tags */
enum { WHITE = 1, DEAF };

struct token {
    int sum; /* messages with tasks that were sent, less those received */
    bool black;
};

struct worker {
    int tasks, done, sum, tries, victim;
    bool black, waits, has_token, ends;
    struct token token;
};

static int answer(struct logp_vp *vp, struct worker *w, int thief)
{
    const int half = w->tasks / 2;

    if (half == 0)
        return logp_send(vp, thief, NO_TASK, NULL, 0);
    w->tasks -= half;
    w->sum++;
    return logp_send(vp, thief, TASK, &half, sizeof(half));
}

static int pass_token(struct logp_vp *vp, struct worker *w)
{
    const int me = logp_vp_rank(vp), P = logp_vp_size(vp);
    struct token token = w->token;
    int rc = 0;

    w->has_token = false;
    if (me == 0 && !token.black && !w->black && token.sum + w->sum == 0) { /* all is done */
        for (int i = 1; rc == 0 && i < P; i++)
            rc = logp_send(vp, i, END, NULL, 0);
        w->ends = true;
        return rc;
    }
    token.sum = me == 0 ? 0 : token.sum + w->sum;
    token.black = me != 0 && (token.black || w->black);
    w->black = false;
    w->tries = 0;
    return logp_send(vp, (me + 1) % P, TOKEN, &token, sizeof(token));
}

static int serve(struct logp_vp *vp, struct worker *w)
{
    struct logp_status from;
    union {
        struct token token;
        int tasks;
    } got;
    int rc;

    if (w->waits && bug == DEAF) /* for the victim's answer alone */
        rc = logp_recv(vp, w->victim, LOGP_ANY_TAG, &got, sizeof(got), &from);
    else
        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &got, sizeof(got), &from);
    if (rc != 0)
        return rc;
    switch (from.tag) {
    case ASK:
        return answer(vp, w, from.source);
    case TASK:
        w->tasks += got.tasks;
        w->sum--;
        w->black = bug != WHITE;
        w->waits = false;
        w->tries = 0;
        return 0;
    case NO_TASK:
        w->waits = false;
        return 0;
    case TOKEN:
        w->has_token = true;
        w->token = got.token;
        return 0;
    default:
        w->ends = true;
        return 0;
    }
}

static int ask(struct logp_vp *vp, struct worker *w)
{
    const int P = logp_vp_size(vp);
    const int step = logp_choose(vp, P - 1);

    if (step < 0)
        return step;
    w->victim = (logp_vp_rank(vp) + 1 + step) % P;
    w->tries++;
    w->waits = true;
    return logp_send(vp, w->victim, ASK, NULL, 0);
}

/* Do one thing: a task, an answer to one that asks, or, without a task, ask another rank. */
static int work(struct logp_vp *vp, struct worker *w)
{
    bool found = false;
    int rc;

    if (w->tasks > 0) {
        rc = logp_probe(vp, LOGP_ANY_SOURCE, ASK, &found, NULL);
        if (rc == 0 && found)
            return serve(vp, w);
        w->tasks--;
        w->done++;
        return rc;
    }
    if (!w->waits && w->tries < TRIES)
        return ask(vp, w);
    return w->has_token && !w->waits ? pass_token(vp, w) : serve(vp, w);
}

static int program(struct logp_vp *vp, void *arg)
{
    struct worker w = {.tasks = logp_vp_rank(vp) == 0 ? TASKS : 0,
                       .has_token = logp_vp_rank(vp) == 0,
                       .black = true};
    int rc = 0, sum = 0;

    (void)arg;
    while (rc == 0 && !w.ends)
        rc = work(vp, &w);
    if (rc == 0)
        rc = LOGP_CHECK_EQ(vp, w.tasks, 0);
    if (rc == 0)
        rc = logp_reduce(vp, &w.done, &sum, 1, logp_op_find("sum", "int32"), 0);
    return rc == 0 && logp_vp_rank(vp) == 0 ? LOGP_CHECK_EQ(vp, sum, TASKS) : rc;
}

int main(int argc, char **argv)
{
    const struct logp_check check = {
        .name = "stealing", .sizes = (int[]){4}, .leaves_messages = true};

    return check_protocol(program, check, argc, argv);
}
