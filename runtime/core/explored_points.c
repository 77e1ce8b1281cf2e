/* SPDX-License-Identifier: MIT */
/*
 * Choice points of an explored machine at which no message is awaited: a vp passes time, touches
 * shared data, picks a number, cancels a receive, ends. explore.c has those that await one.
 */
#include "core/core.h"
#include "core/resolver.h"
#include "core/sched.h"
#include "mail/mail.h"

#include <errno.h>
#include <logp/check.h>

enum { PATIENCE = 100 };

/* ---- the vp that runs next ---- */

int lpi_pass_now(struct lpi_proc *p, bool yields)
{
    (void)yields;
    return lpi_reach(p, p->emulated);
}

/* Late, the time at which p continues makes no difference, unless it waits for data that others
 * write. Then the others must run: first those whose clock is not later, and after a while all of
 * them. */
int lpi_pass_late(struct lpi_proc *p, bool yields)
{
    struct lpi_explore *x = p->core->machine->explore;
    struct lpi_query query = {.until = LPI_AT_ONCE};
    const struct lpi_proc *first;
    bool shared;

    if (x->vps[p->rank].vain > (yields ? x->by.misses : PATIENCE))
        return lpi_choose_late(p, &query);
    first = lpi_explored_first(p->core, &shared);
    if (first == NULL || first->deadline > p->emulated)
        return lpi_stopped(p);
    lpi_set_deadline(p, p->emulated);
    return lpi_hold(p);
}

int lpi_explored_pass(struct lpi_proc *p, enum logp_note_kind kind, bool yields)
{
    const int rc = lpi_explored_fate(p, kind, NULL);

    if (rc < 0)
        return rc;
    lpi_note(p, kind, -1, -1, 0);
    return p->core->machine->explore->way->pass(p, yields);
}

int lpi_turn_now(struct lpi_proc *p, struct lpi_query *turn)
{
    (void)turn;
    return lpi_reach(p, p->emulated);
}

int lpi_explored_touch(struct lpi_proc *p, int key)
{
    struct lpi_query turn = {.kind = LPI_QUERY_TURN, .key = key, .until = INT64_MAX};
    int rc = lpi_explored_fate(p, LOGP_NOTE_TOUCHED, NULL);

    if (rc < 0)
        return rc;
    rc = p->core->machine->explore->way->turn(p, &turn);
    if (rc == 0)
        lpi_note(p, LOGP_NOTE_TOUCHED, -1, -1, key);
    return rc;
}

/* ---- a choice of the program ---- */

int lpi_explored_pick(struct lpi_proc *p, int n)
{
    struct lpi_explore *x = p->core->machine->explore;
    int i;

    if (!lpi_calls_itself(p))
        return lpi_explored_end_for_other(p);
    if (p->halted)
        return -EHOSTDOWN;
    if (!lpi_outcomes_reserve(p->core->machine, n))
        return lpi_stopped(p);
    for (i = 0; i < n; i++)
        x->list[i] =
            (struct logp_alternative){.kind = LOGP_PICK, .rank = p->rank, .source = -1, .index = i};
    i = lpi_outcomes_ask(x, n);
    lpi_note(p, LOGP_NOTE_CHOSEN, -1, -1, i);
    return lpi_stopped(p) != 0 ? lpi_stopped(p) : i;
}

/* ---- the end of a receive, and of a program ---- */

/* If the run is over, no message is taken. */
void lpi_explored_cancels(struct lpi_proc *p, struct logp_request *r)
{
    struct lpi_query query = {
        .kind = LPI_QUERY_CANCEL, .requests = &r, .n = 1, .until = LPI_AT_ONCE};
    int rc = 1;

    while (rc > 0 && r->state == LPI_REQ_POSTED)
        rc = lpi_explored_choose(p, &query);
    if (rc >= 0 && r->state != LPI_REQ_POSTED)
        p->core->machine->resolver.note(p, &(struct logp_note){LOGP_NOTE_TOO_LATE, p->rank, r->src,
                                                               r->tag, 0, p->emulated, 0, r->id});
}

void lpi_explored_ends(struct lpi_proc *p)
{
    struct lpi_query query = {.kind = LPI_QUERY_CANCEL, .until = LPI_AT_ONCE};

    lpi_usage_ends(p);
    for (struct logp_request *r = p->inbox.posted_first; r != NULL; r = r->next) {
        if (!r->special) { /* or its buffer would be written */
            r->special = true;
            r->truncates = false;
            r->space = r->capacity;
        }
        r->buf = NULL; /* the program has ended */
        r->drain = NULL;
    }
    while (p->core->machine->explore->way->serves_ended && p->inbox.posted_first != NULL &&
           lpi_explored_choose(p, &query) > 0)
        ; /* they take messages */
}
