/* SPDX-License-Identifier: MIT */
/*
 * Leaders and a replicated log (Ongaro & Ousterhout 2014), with the whole log in each message. A server
 * whose wait ends without a message stands for election. A leader appends an entry, its term, and it is
 * committed when a majority has it. No term has two leaders, and a committed entry never changes. A
 * server may crash and start again with what is durable.
 *
 * usage: raft [BUG]    1: a vote is not durable, so a server that starts again may vote twice
 *                      2: a server votes for a candidate whose log is older than its own
 */
#include <errno.h>
#include "protocol.h"
#include <string.h>

enum { ELECTIONS = 5, ENTRIES = 8, TERMS = 32, TIMEOUT_NS = 1000, NOBODY = -1 };
enum { VOTE, GRANTED, APPEND, STORED }; /* tags */
enum { STATE, LEADERS, COMMITTED };     /* keys */
enum { FORGETFUL = 1, ANY_LOG };

struct state { /* what a server must not forget */
    int term, voted_for;
    int n, log[ENTRIES];
};

static int leader_of[TERMS], committed[ENTRIES]; /* what all servers have seen: a monitor */

static int last_term(const struct state *s)
{
    return s->n > 0 ? s->log[s->n - 1] : 0;
}

static bool is_as_new(const struct state *theirs, const struct state *mine)
{
    return last_term(theirs) > last_term(mine) ||
           (last_term(theirs) == last_term(mine) && theirs->n >= mine->n);
}

static int to_all(struct logp_vp *vp, int tag, const struct state *s)
{
    int rc = 0;

    for (int i = 0; rc == 0 && i < logp_vp_size(vp); i++)
        if (i != logp_vp_rank(vp))
            rc = logp_send(vp, i, tag, s, sizeof(*s));
    return rc;
}

static int keep(struct logp_vp *vp, const struct state *s)
{
    return logp_durable(vp, STATE, s, sizeof(*s));
}

static int stand(struct logp_vp *vp, struct state *s)
{
    int rc;

    s->term++;
    s->voted_for = logp_vp_rank(vp);
    rc = keep(vp, s);
    return rc != 0 ? rc : to_all(vp, VOTE, s);
}

static int lead(struct logp_vp *vp, struct state *s)
{
    int rc = logp_shared_touch(vp, LEADERS);

    if (rc == 0)
        rc = LOGP_CHECK_EQ(vp, leader_of[s->term], NOBODY);
    leader_of[s->term] = logp_vp_rank(vp);
    if (rc == 0 && s->n < ENTRIES)
        s->log[s->n++] = s->term;
    if (rc == 0)
        rc = keep(vp, s);
    return rc != 0 ? rc : to_all(vp, APPEND, s);
}

static int commit(struct logp_vp *vp, const struct state *s)
{
    int rc = logp_shared_touch(vp, COMMITTED);

    for (int i = 0; rc == 0 && i < s->n; i++) {
        if (committed[i] != 0)
            rc = LOGP_CHECK_EQ(vp, s->log[i], committed[i]);
        committed[i] = s->log[i];
    }
    return rc;
}

/* Answer a candidate or a leader. A newer term ends one's own candidacy. */
static int follow(struct logp_vp *vp, struct state *s, const struct logp_status *from,
                  const struct state *theirs)
{
    int rc = 0;

    if (from->tag == VOTE && theirs->term == s->term &&
        (s->voted_for == NOBODY || s->voted_for == from->source) &&
        (bug == ANY_LOG || is_as_new(theirs, s))) {
        s->voted_for = from->source;
        if (bug != FORGETFUL)
            rc = keep(vp, s);
        return rc != 0 ? rc : logp_send(vp, from->source, GRANTED, s, sizeof(*s));
    }
    if (from->tag != APPEND || theirs->term != s->term)
        return 0;
    s->n = theirs->n;
    memcpy(s->log, theirs->log, sizeof(s->log));
    rc = keep(vp, s);
    return rc != 0 ? rc : logp_send(vp, from->source, STORED, s, sizeof(*s));
}

static int program(struct logp_vp *vp, void *arg)
{
    const int majority = logp_vp_size(vp) / 2 + 1;
    struct state s = {.voted_for = NOBODY}, theirs;
    int elections = 0, votes = 0, stored = 0;
    int rc = logp_recover(vp, STATE, &s, sizeof(s), NULL);

    (void)arg;
    if (rc == -ENOENT) /* the first start */
        rc = 0;
    while (rc == 0) {
        struct logp_status from;

        rc = logp_recv_until(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &theirs, sizeof(theirs),
                             logp_now(vp) + TIMEOUT_NS, &from);
        if (rc == -ETIME) {
            if (elections++ == ELECTIONS)
                return 0;
            rc = stand(vp, &s);
            votes = 1;
            stored = 0;
            continue;
        }
        if (rc == 0 && theirs.term > s.term) {
            s.term = theirs.term;
            s.voted_for = NOBODY;
            votes = stored = 0;
        }
        if (rc == 0 && from.tag == GRANTED && theirs.term == s.term && votes > 0 &&
            ++votes == majority) {
            rc = lead(vp, &s);
            stored = 1;
        } else if (rc == 0 && from.tag == STORED && theirs.term == s.term && ++stored == majority)
            rc = commit(vp, &s);
        else if (rc == 0 && (from.tag == VOTE || from.tag == APPEND))
            rc = follow(vp, &s, &from, &theirs);
    }
    return rc;
}

static int forget(int P, void *arg)
{
    (void)P;
    (void)arg;
    memset(committed, 0, sizeof(committed));
    for (int i = 0; i < TERMS; i++)
        leader_of[i] = NOBODY;
    return 0;
}

int main(int argc, char **argv)
{
    const struct logp_check check = {.name = "raft",
                                     .sizes = (int[]){3},
                                     .before = forget,
                                     .most_faults = {.restarts = 1},
                                     .leaves_messages = true};

    return check_protocol(program, check, argc, argv);
}
