/* SPDX-License-Identifier: MIT */
/*
 * A register with several writers that a majority of three replicas keeps (Lynch & Shvartsman 1997).
 * Ranks 0 to 2 are replicas, ranks 3 and 4 write, and the other ranks read. A writer first asks for the
 * newest stamp and takes the next one; two writers may take the same number, and the rank decides. The
 * history of the clients must be linearizable.
 *
 * usage: mwabd [BUG]    1: a reader does not write back what it returns
 *                       2: of two values with the same number, the one that comes first stays
 */
#include <logp/history.h>
#include "protocol.h"

enum { REPLICAS = 3, MAJORITY = 2, WRITERS = 2, OPERATIONS = 2 };
enum { QUERY, UPDATE, ANSWER, DONE }; /* tags */
enum { NO_WRITE_BACK = 1, NO_RANKS };

struct value {
    int number, writer; /* the stamp */
    int value;
    int phase; /* of the client: an answer to an earlier phase comes too late */
};

static struct logp_history *history;

static bool is_newer(const struct value *a, const struct value *b)
{
    if (a->number == b->number && bug != NO_RANKS)
        return a->writer > b->writer;
    return a->number > b->number;
}

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
        if (rc == 0 && from.tag == UPDATE && is_newer(&theirs, &mine))
            mine = theirs;
        mine.phase = theirs.phase;
        if (rc == 0)
            rc = logp_send(vp, from.source, ANSWER, &mine, sizeof(mine));
    }
    return rc;
}

/* Send to all replicas. newest: the newest value of a majority's answers; NULL: not wanted */
static int ask(struct logp_vp *vp, int tag, struct value value, struct value *newest)
{
    int rc = 0;

    for (int i = 0; rc == 0 && i < REPLICAS; i++)
        rc = logp_send(vp, i, tag, &value, sizeof(value));
    for (int n = 0; rc == 0 && n < MAJORITY;) {
        struct value answer;

        rc = logp_recv(vp, LOGP_ANY_SOURCE, ANSWER, &answer, sizeof(answer), NULL);
        if (rc != 0 || answer.phase != value.phase)
            continue;
        if (newest != NULL && (n == 0 || is_newer(&answer, newest)))
            *newest = answer;
        n++;
    }
    return rc;
}

static int write_value(struct logp_vp *vp, int value, int *phase)
{
    const int me = logp_vp_rank(vp);
    const int id = logp_history_invoke(history, vp, me, LOGP_HISTORY_WRITE, 0, value);
    struct value newest = {0};
    int rc = id < 0 ? id : ask(vp, QUERY, (struct value){.phase = ++*phase}, &newest);

    if (rc == 0)
        rc = ask(vp, UPDATE, (struct value){newest.number + 1, me, value, ++*phase}, NULL);
    return rc != 0 ? rc : logp_history_return(history, vp, id, 0);
}

static int read_value(struct logp_vp *vp, int *phase)
{
    const int id = logp_history_invoke(history, vp, logp_vp_rank(vp), LOGP_HISTORY_READ, 0, 0);
    struct value newest = {0};
    int rc = id < 0 ? id : ask(vp, QUERY, (struct value){.phase = ++*phase}, &newest);

    if (rc == 0 && bug != NO_WRITE_BACK) {
        newest.phase = ++*phase;
        rc = ask(vp, UPDATE, newest, NULL);
    }
    return rc != 0 ? rc : logp_history_return(history, vp, id, newest.value);
}

static int program(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);
    int phase = 0, rc = 0;

    (void)arg;
    if (me < REPLICAS)
        return keep(vp);
    for (int i = 1; rc == 0 && i <= OPERATIONS; i++)
        rc =
            me < REPLICAS + WRITERS ? write_value(vp, 10 * me + i, &phase) : read_value(vp, &phase);
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
    const struct logp_check check = {
        .name = "mwabd", .sizes = (int[]){6}, .before = forget, .leaves_messages = true};
    int code;

    if (logp_history_create(&history) != 0)
        return 2;
    code = check_protocol(program, check, argc, argv);
    logp_history_destroy(history);
    return code;
}
