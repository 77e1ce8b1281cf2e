/* SPDX-License-Identifier: MIT */
/*
 * When an entry of a replicated log may be committed (Ongaro & Ousterhout 2014, figure 8), with the
 * whole log in each message. A new leader first sends its log as it is. When a wait of a leader ends, a
 * client may come: the leader appends its term. An entry is committed when a majority has the log and
 * the last entry is of the leader's own term: a majority may have an entry of an earlier term and still
 * lose it to a later leader. A committed entry never changes. A server may crash and start again.
 *
 * usage: figure8 [BUG]    1: entries of an earlier term are committed as soon as a majority has them
 *                         2: a server votes for a log that is as long as its own, whatever its terms
 */
#include <errno.h>
#include "protocol.h"
#include <string.h>

enum { WAITS = 6, ENTRIES = 8, TIMEOUT_NS = 1000, NOBODY = -1 };
enum { VOTE, GRANTED, APPEND, STORED }; /* tags */
enum { STATE, COMMITTED };              /* keys */
enum { ANY_TERM = 1, LENGTH_ONLY };

struct state { /* what a server must not forget */
    int term, voted_for;
    int n, log[ENTRIES];
};

struct server {
    struct state state;
    bool stands, leads; /* in the state's term */
    int votes, stored;  /* of other servers and its own */
};

static int committed[ENTRIES]; /* what all servers have seen: a monitor */

static int last_term(const struct state *s)
{
    return s->n > 0 ? s->log[s->n - 1] : 0;
}

static bool is_as_new(const struct state *theirs, const struct state *mine)
{
    if (bug == LENGTH_ONLY || last_term(theirs) == last_term(mine))
        return theirs->n >= mine->n;
    return last_term(theirs) > last_term(mine);
}

static bool is_majority(const struct logp_vp *vp, int n)
{
    return n == logp_vp_size(vp) / 2 + 1;
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

static int stand(struct logp_vp *vp, struct server *s)
{
    int rc;

    s->state.term++;
    s->state.voted_for = logp_vp_rank(vp);
    s->stands = true;
    s->leads = false;
    s->votes = 1;
    rc = keep(vp, &s->state);
    return rc != 0 ? rc : to_all(vp, VOTE, &s->state);
}

/* The log goes to all, with the entry of a client if there is one. */
static int replicate(struct logp_vp *vp, struct server *s, bool has_entry)
{
    int rc = 0;

    s->stored = 1;
    if (has_entry) {
        s->state.log[s->state.n++] = s->state.term;
        rc = keep(vp, &s->state);
    }
    return rc != 0 ? rc : to_all(vp, APPEND, &s->state);
}

static int commit(struct logp_vp *vp, const struct state *s)
{
    int rc;

    if (last_term(s) != s->term && bug != ANY_TERM)
        return 0;
    rc = logp_shared_touch(vp, COMMITTED);
    for (int i = 0; rc == 0 && i < s->n; i++) {
        if (committed[i] != 0)
            rc = LOGP_CHECK_EQ(vp, s->log[i], committed[i]);
        committed[i] = s->log[i];
    }
    return rc;
}

static int follow(struct logp_vp *vp, struct state *s, const struct logp_status *from,
                  const struct state *theirs)
{
    const bool is_vote = from->tag == VOTE;
    int rc;

    if (is_vote) {
        if ((s->voted_for != NOBODY && s->voted_for != from->source) || !is_as_new(theirs, s))
            return 0;
        s->voted_for = from->source;
    } else {
        s->n = theirs->n;
        memcpy(s->log, theirs->log, sizeof(s->log));
    }
    rc = keep(vp, s);
    return rc != 0 ? rc : logp_send(vp, from->source, is_vote ? GRANTED : STORED, s, sizeof(*s));
}

/* A message of the server's own term. */
static int take(struct logp_vp *vp, struct server *s, const struct logp_status *from,
                const struct state *theirs)
{
    if (from->tag == VOTE || from->tag == APPEND)
        return follow(vp, &s->state, from, theirs);
    if (from->tag == GRANTED && s->stands && !s->leads && is_majority(vp, ++s->votes)) {
        s->leads = true;
        return replicate(vp, s, false);
    }
    if (from->tag == STORED && s->leads && theirs->n == s->state.n && is_majority(vp, ++s->stored))
        return commit(vp, &s->state);
    return 0;
}

static int program(struct logp_vp *vp, void *arg)
{
    struct server s = {.state.voted_for = NOBODY};
    struct state theirs;
    int waits = 0, rc = logp_recover(vp, STATE, &s.state, sizeof(s.state), NULL);

    (void)arg;
    if (rc == -ENOENT) /* the first start */
        rc = 0;
    while (rc == 0) {
        struct logp_status from;

        rc = logp_recv_until(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &theirs, sizeof(theirs),
                             logp_now(vp) + TIMEOUT_NS, &from);
        if (rc == -ETIME) {
            if (waits++ == WAITS)
                return 0;
            rc = s.leads && s.state.n < ENTRIES && logp_choose(vp, 2) == 0 ? replicate(vp, &s, true)
                                                                           : stand(vp, &s);
            continue;
        }
        if (rc == 0 && theirs.term > s.state.term) {
            s.state.term = theirs.term;
            s.state.voted_for = NOBODY;
            s.stands = s.leads = false;
        }
        if (rc == 0 && theirs.term == s.state.term)
            rc = take(vp, &s, &from, &theirs);
    }
    return rc;
}

static int forget(int P, void *arg)
{
    (void)P;
    (void)arg;
    memset(committed, 0, sizeof(committed));
    return 0;
}

int main(int argc, char **argv)
{
    const struct logp_check check = {.name = "figure8",
                                     .sizes = (int[]){3},
                                     .before = forget,
                                     .most_faults = {.restarts = 1},
                                     .leaves_messages = true};

    return check_protocol(program, check, argc, argv);
}
