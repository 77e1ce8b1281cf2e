/* SPDX-License-Identifier: MIT */
/*
 * A register that a majority of three replicas keeps (Attiya, Bar-Noy, Dolev 1995). Ranks 0 to 2 are
 * replicas, rank 3 writes, and the other ranks read. The history of the clients must be linearizable.
 *
 * usage: abd [BUG]    1: a reader does not write back what it returns
 *                     2: a replica takes each value that comes, also an older one
 */
#include <logp/history.h>
#include "protocol.h"

enum { REPLICAS = 3, MAJORITY = 2, WRITER = REPLICAS, OPERATIONS = 2 };
enum { QUERY, UPDATE, ANSWER, DONE }; /* tags */
enum { NO_WRITE_BACK = 1, NO_COMPARISON };

struct value {
    int stamp, value;
    int phase; /* of the client: an answer to an earlier phase comes too late */
};

static struct logp_history *history;

/* Answer each query and each update until all clients are done. */
static int keep(struct logp_vp *vp)
{
    struct value mine = {0}, theirs;
    struct logp_status from;
    int clients = logp_vp_size(vp) - REPLICAS, rc = 0;

    while (rc == 0 && clients > 0) {
        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &theirs, sizeof(theirs), &from);
        if (rc == 0 && from.tag == DONE) {
            clients--;
            continue;
        }
        if (rc == 0 && from.tag == UPDATE && (theirs.stamp > mine.stamp || bug == NO_COMPARISON))
            mine = theirs;
        mine.phase = theirs.phase;
        if (rc == 0)
            rc = logp_send(vp, from.source, ANSWER, &mine, sizeof(mine));
    }
    return rc;
}

/* Send to all replicas. newest: the newest value of a majority's answers. */
static int ask(struct logp_vp *vp, int tag, struct value value, struct value *newest)
{
    int rc = 0;

    for (int i = 0; rc == 0 && i < REPLICAS; i++)
        rc = logp_send(vp, i, tag, &value, sizeof(value));
    *newest = value;
    for (int n = 0; rc == 0 && n < MAJORITY;) {
        struct value answer;

        rc = logp_recv(vp, LOGP_ANY_SOURCE, ANSWER, &answer, sizeof(answer), NULL);
        if (rc != 0 || answer.phase != value.phase)
            continue;
        n++;
        if (answer.stamp > newest->stamp)
            *newest = answer;
    }
    return rc;
}

static int write_value(struct logp_vp *vp, int value)
{
    const int id = logp_history_invoke(history, vp, WRITER, LOGP_HISTORY_WRITE, 0, value);
    struct value newest;
    int rc = id < 0 ? id : 0;

    if (rc == 0)
        rc = ask(vp, UPDATE, (struct value){.stamp = value, .value = value, .phase = value},
                 &newest);
    return rc != 0 ? rc : logp_history_return(history, vp, id, 0);
}

static int read_value(struct logp_vp *vp, int *phase)
{
    const int id = logp_history_invoke(history, vp, logp_vp_rank(vp), LOGP_HISTORY_READ, 0, 0);
    struct value newest, newer; /* newer values need not be at a majority: they are not returned */
    int rc = id < 0 ? id : 0;

    if (rc == 0)
        rc = ask(vp, QUERY, (struct value){.stamp = -1, .phase = ++*phase}, &newest);
    if (rc == 0 && bug != NO_WRITE_BACK) {
        newest.phase = ++*phase;
        rc = ask(vp, UPDATE, newest, &newer);
    }
    return rc != 0 ? rc : logp_history_return(history, vp, id, newest.value);
}

static int program(struct logp_vp *vp, void *arg)
{
    int phase = 0, rc = 0;

    (void)arg;
    if (logp_vp_rank(vp) < REPLICAS)
        return keep(vp);
    for (int i = 1; rc == 0 && i <= OPERATIONS; i++)
        rc = logp_vp_rank(vp) == WRITER ? write_value(vp, i) : read_value(vp, &phase);
    if (rc == 0)
        rc = LOGP_CHECK_LINEARIZABLE(vp, history, logp_model_find("register"));
    for (int i = 0; rc == 0 && i < REPLICAS; i++)
        rc = logp_send(vp, i, DONE, NULL, 0);
    return rc;
}

static int forget(int P, void *arg)
{
    (void)P;
    (void)arg;
    logp_history_reset(history);
    return 0;
}

int main(int argc, char **argv)
{
    const struct logp_check check = {.size = sizeof(check),
                                     .name = "abd",
                                     .sizes = (int[]){6},
                                     .before = forget,
                                     .leaves_messages = true};
    int code;

    if (logp_history_create(&history) != 0)
        return 2;
    code = check_protocol(program, check, argc, argv);
    logp_history_destroy(history);
    return code;
}
