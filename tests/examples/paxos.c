/* SPDX-License-Identifier: MIT */
/*
 * Agreement on one value (Lamport, The part-time parliament, 1998). Ranks 0 to 2 accept, and the other
 * ranks propose their own rank. All proposers that learn a value must learn the same.
 *
 * usage: paxos [BUG]    1: a proposer passes over the values that acceptors have accepted
 *                       2: an acceptor forgets its promise when it is asked to accept
 */
#include "protocol.h"

enum { ACCEPTORS = 3, MAJORITY = 2, ROUNDS = 3, NOTHING = -1 };
enum { PREPARE, ACCEPT, ANSWER, DONE, LEARNT }; /* tags */
enum { OWN_VALUE = 1, NO_PROMISE };

struct ballot {
    int ballot;          /* that is asked or answered */
    int accepted, value; /* the ballot in which the value was accepted; NOTHING: none */
    int phase;           /* PREPARE or ACCEPT */
    bool agrees;
};

/* Promise and accept until all proposers are done. */
static int vote(struct logp_vp *vp)
{
    struct ballot mine = {.ballot = 0, .accepted = NOTHING, .value = NOTHING}, theirs, answer;
    struct logp_status from;
    int proposers = logp_vp_size(vp) - ACCEPTORS, rc = 0;

    while (rc == 0 && proposers > 0) {
        bool agrees = false;

        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &theirs, sizeof(theirs), &from);
        if (rc == 0 && from.tag == DONE) {
            proposers--;
            continue;
        }
        if (rc == 0 && from.tag == PREPARE && theirs.ballot > mine.ballot) {
            mine.ballot = theirs.ballot;
            agrees = true;
        }
        if (rc == 0 && from.tag == ACCEPT && (theirs.ballot >= mine.ballot || bug == NO_PROMISE)) {
            mine.ballot = mine.accepted = theirs.ballot;
            mine.value = theirs.value;
            agrees = true;
        }
        answer = mine;
        answer.ballot = theirs.ballot;
        answer.phase = from.tag;
        answer.agrees = agrees;
        if (rc == 0)
            rc = logp_send(vp, from.source, ANSWER, &answer, sizeof(answer));
    }
    return rc;
}

/* Ask all acceptors. *agreed: a majority says yes, and `newest` is what it accepted last. */
static int ask(struct logp_vp *vp, int tag, struct ballot asked, bool *agreed,
               struct ballot *newest)
{
    int rc = 0, n_yes = 0, n_no = 0;

    *newest = (struct ballot){.accepted = NOTHING, .value = NOTHING};
    for (int i = 0; rc == 0 && i < ACCEPTORS; i++)
        rc = logp_send(vp, i, tag, &asked, sizeof(asked));
    while (rc == 0 && n_yes < MAJORITY && n_no <= ACCEPTORS - MAJORITY) {
        struct ballot answer;

        rc = logp_recv(vp, LOGP_ANY_SOURCE, ANSWER, &answer, sizeof(answer), NULL);
        if (rc != 0 || answer.ballot != asked.ballot || answer.phase != tag)
            continue; /* an answer that comes too late */
        n_yes += answer.agrees;
        n_no += !answer.agrees;
        if (answer.agrees && answer.accepted > newest->accepted)
            *newest = answer;
    }
    *agreed = n_yes >= MAJORITY;
    return rc;
}

/* Propose until a ballot wins. learnt: the value, or NOTHING */
static int propose(struct logp_vp *vp, int *learnt)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    int rc = 0;

    *learnt = NOTHING;
    for (int round = 1; rc == 0 && round <= ROUNDS && *learnt == NOTHING; round++) {
        struct ballot mine = {.ballot = round * P + me, .accepted = NOTHING, .value = me}, newest;
        bool agreed;

        rc = ask(vp, PREPARE, mine, &agreed, &newest);
        if (rc != 0 || !agreed)
            continue;
        if (newest.accepted != NOTHING && bug != OWN_VALUE)
            mine.value = newest.value;
        rc = ask(vp, ACCEPT, mine, &agreed, &newest);
        if (rc == 0 && agreed)
            *learnt = mine.value;
    }
    return rc;
}

/* Tell the last rank what was learnt, which compares. */
static int compare(struct logp_vp *vp, int learnt)
{
    const int last = logp_vp_size(vp) - 1;
    int rc = 0;

    if (logp_vp_rank(vp) != last)
        return logp_send(vp, last, LEARNT, &learnt, sizeof(learnt));
    for (int i = ACCEPTORS; rc == 0 && i < last; i++) {
        int other = NOTHING;

        rc = logp_recv(vp, i, LEARNT, &other, sizeof(other), NULL);
        if (rc == 0 && other != NOTHING && learnt != NOTHING)
            rc = LOGP_CHECK_EQ(vp, learnt, other);
        if (learnt == NOTHING)
            learnt = other;
    }
    return rc;
}

static int program(struct logp_vp *vp, void *arg)
{
    int learnt, rc;

    (void)arg;
    if (logp_vp_rank(vp) < ACCEPTORS)
        return vote(vp);
    rc = propose(vp, &learnt);
    for (int i = 0; rc == 0 && i < ACCEPTORS; i++)
        rc = logp_send(vp, i, DONE, NULL, 0);
    return rc != 0 ? rc : compare(vp, learnt);
}

int main(int argc, char **argv)
{
    const struct logp_check check = {.name = "paxos", .sizes = (int[]){6}, .leaves_messages = true};

    return check_protocol(program, check, argc, argv);
}
