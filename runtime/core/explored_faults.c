/* SPDX-License-Identifier: MIT */
/*
 * Faults that an explorer chooses, and the data that a vp keeps for its next start: see
 * logp/check.h.
 *
 * A call that may be observed (it sends, waits, touches, or makes data durable) asks before it
 * begins whether a fault comes first. The alternatives are of this vp alone, as those of
 * logp_choose(); the first is that all goes well.
 */
#include "carrier/carrier.h"
#include "core/core.h"
#include "core/sched.h"
#include "mail/mail.h"
#include "trace/recorder.h"

#include <errno.h>
#include <logp/check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- durable data ---- */

struct lpi_durable {
    struct lpi_durable *next;
    int key;
    size_t n_bytes;
    unsigned char bytes[];
};

void lpi_durable_free(struct lpi_durable *all)
{
    while (all != NULL) {
        struct lpi_durable *next = all->next;

        free(all);
        all = next;
    }
}

static struct lpi_durable **find(struct lpi_explored_vp *v, int key)
{
    struct lpi_durable **at = &v->durable;

    while (*at != NULL && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

int lpi_durable_keep(struct lpi_proc *p, int key, const void *data, size_t n_bytes)
{
    struct lpi_durable **at = find(&p->core->machine->explore->vps[p->rank], key);
    struct lpi_durable *old = *at, *kept = malloc(sizeof(*kept) + n_bytes);

    if (kept == NULL)
        return -ENOMEM;
    kept->next = old != NULL ? old->next : NULL;
    kept->key = key;
    kept->n_bytes = n_bytes;
    if (n_bytes > 0)
        memcpy(kept->bytes, data, n_bytes);
    free(old);
    *at = kept;
    return 0;
}

int lpi_durable_take(struct lpi_proc *p, int key, void *data, size_t capacity, size_t *n_bytes)
{
    const struct lpi_durable *kept;

    if (!lpi_calls_itself(p))
        return lpi_explored_end_for_other(p);
    kept = *find(&p->core->machine->explore->vps[p->rank], key);
    *n_bytes = kept != NULL ? kept->n_bytes : 0;
    if (kept == NULL || kept->n_bytes > capacity)
        return kept == NULL ? -ENOENT : -EMSGSIZE;
    if (kept->n_bytes > 0)
        memcpy(data, kept->bytes, kept->n_bytes);
    return 0;
}

/* ---- faults ---- */

struct asking {
    struct lpi_proc *p;
    enum logp_note_kind call;
    int dst, tag; /* of the message; -1: none */
    int n;
};

static void may(struct asking *a, int left, enum logp_fault_choice what)
{
    struct lpi_explore *x = a->p->core->machine->explore;

    if (left > 0 && lpi_outcomes_reserve(a->p->core->machine, a->n)) {
        x->list[a->n] = (struct logp_alternative){.kind = LOGP_FAULT,
                                                  .rank = a->p->rank,
                                                  .source = a->dst,
                                                  .polls = a->dst >= 0 ? a->tag : (int)a->call,
                                                  .tag = what,
                                                  .index = a->n};
        a->n++;
    }
}

/* @return the fault before the call, or none */
static enum logp_fault_choice ask(struct lpi_proc *p, enum logp_note_kind call, int dst, int tag)
{
    struct lpi_explore *x = p->core->machine->explore;
    const struct logp_fault_limits *left = &x->left;
    const struct logp_fault_places *at = &x->by.fault_places;
    struct asking a = {.p = p, .call = call, .dst = dst, .tag = tag};

    may(&a, 1, LOGP_FAULT_NONE);
    if (dst >= 0 && (left->lost | left->doubled) > 0 && !lpi_is_cut(x, p->rank, dst) &&
        lpi_may_strike(at, p->rank, dst, tag)) {
        may(&a, left->lost, LOGP_FAULT_LOST);
        may(&a, left->doubled, LOGP_FAULT_DOUBLED);
    }
    if ((left->crashes | left->restarts) > 0 && lpi_mask_allows(at->ranks, p->rank)) {
        may(&a, left->crashes, LOGP_FAULT_CRASH);
        may(&a, left->restarts, LOGP_FAULT_RESTART);
    }
    if (x->is_cut)
        may(&a, 1, LOGP_FAULT_HEAL);
    else
        may(&a, left->partitions, at->half != 0 ? LOGP_FAULT_SPLIT : LOGP_FAULT_CUT);
    return a.n > 1 ? (enum logp_fault_choice)x->list[lpi_outcomes_ask(x, a.n)].tag
                   : LOGP_FAULT_NONE;
}

/* The fault takes place. @return 0; -EHOSTDOWN: p has crashed */
static int apply(struct lpi_proc *p, enum logp_fault_choice what)
{
    struct lpi_explore *x = p->core->machine->explore;
    struct logp_fault_limits *left = &x->left;

    switch (what) {
    case LOGP_FAULT_NONE:
        break;
    case LOGP_FAULT_LOST:
        left->lost--;
        break;
    case LOGP_FAULT_DOUBLED:
        left->doubled--;
        break;
    case LOGP_FAULT_CRASH:
        left->crashes--;
        break;
    case LOGP_FAULT_RESTART:
        left->restarts--;
        break;
    case LOGP_FAULT_CUT:
    case LOGP_FAULT_SPLIT:
        left->partitions--;
        x->is_cut = true;
        x->cut_off = p->rank;
        break;
    case LOGP_FAULT_HEAL:
        x->is_cut = false;
        break;
    case LOGP_FAULT_CUT_LINKS: /* chosen by the program */
    case LOGP_FAULT_HEAL_LINKS:
        break;
    }
    if (what != LOGP_FAULT_CRASH && what != LOGP_FAULT_RESTART)
        return 0;
    x->vps[p->rank].restarts = what == LOGP_FAULT_RESTART;
    if (what == LOGP_FAULT_CRASH)
        p->core->machine->record->halt(p, p->emulated);
    p->halted = true;
    return -EHOSTDOWN;
}

/* Whether this is a message of the program to another vp. Messages of collectives are spared: a
 * collective cannot ask for one again. */
static bool may_get_lost(const struct lpi_proc *p, const struct lpi_envelope *e)
{
    return e->dst != p->rank && e->context < LPI_CONTEXT_COLLECTIVE &&
           (e->kind == LPI_EAGER || e->kind == LPI_SYNC_SEND || e->kind == LPI_RTS);
}

/* A message to p comes twice: its copy may come after later ones of its source. From now on p's
 * receives are matched as late as those from any source. */
static void receive_late(struct lpi_proc *p)
{
    struct lpi_explore *x = p->core->machine->explore;

    if (!x->by.untimed || !x->by.messages || x->by.keeps_order)
        return;
    if (!x->vps[p->rank].raised)
        lpi_explored_raise(p);
    x->vps[p->rank].reorders = true;
}

__attribute__((noinline, cold)) int lpi_explored_end_for_other(struct lpi_proc *p)
{
    struct logp_machine *m = p->core->machine;
    const int holder = atomic_load_explicit(&p->core->holder, memory_order_relaxed);
    char words[128];

    if (lpi_this_core == p->core && holder >= 0)
        snprintf(words, sizeof(words), "rank %d calls a function of vp.h with the vp of rank %d",
                 holder, p->rank);
    else
        snprintf(words, sizeof(words),
                 "rank %d: a thread that is not the processor's own calls a function of vp.h",
                 p->rank);
    pthread_mutex_lock(&m->lock);
    lpi_assert_fails(p, "", 0, "", words);
    pthread_mutex_unlock(&m->lock);
    return -EPROTO;
}

int lpi_explored_fate(struct lpi_proc *p, enum logp_note_kind call, const struct lpi_envelope *e)
{
    struct lpi_explore *x = p->core->machine->explore;
    const bool is_message = e != NULL && may_get_lost(p, e);
    enum logp_fault_choice what;
    int rc;

    if (__builtin_expect(!lpi_calls_itself(p), false))
        return lpi_explored_end_for_other(p);
    if (p->halted)
        return -EHOSTDOWN;
    if (!x->meets_fault)
        return 1;
    what = ask(p, call, is_message ? e->dst : -1, is_message ? e->tag : -1);
    rc = apply(p, what);
    if (what != LOGP_FAULT_NONE)
        p->core->machine->resolver.note(p,
                                        &(struct logp_note){.kind = LOGP_NOTE_FAULT,
                                                            .rank = p->rank,
                                                            .peer = is_message ? e->dst : -1,
                                                            .tag = is_message ? e->tag : (int)call,
                                                            .value = what,
                                                            .time_ns = p->emulated});
    if (rc != 0 || lpi_stopped(p) != 0)
        return rc != 0 ? rc : lpi_stopped(p);
    if (what == LOGP_FAULT_LOST || (is_message && lpi_is_cut(x, p->rank, e->dst)))
        return 0;
    if (__builtin_expect(what != LOGP_FAULT_DOUBLED, true))
        return 1;
    receive_late(&p->core->machine->procs[e->dst]);
    return 2;
}

int lpi_explored_cut(struct lpi_proc *p, uint64_t from, uint64_t to, bool heals)
{
    struct lpi_explore *x = p->core->machine->explore;

    if (!lpi_calls_itself(p))
        return lpi_explored_end_for_other(p);
    if (p->halted)
        return -EHOSTDOWN;
    if (!x->has_cuts)
        memset(x->cuts, 0, sizeof(x->cuts));
    x->has_cuts = x->meets_fault = true;
    for (int i = 0; i < 64; i++)
        if (lpi_mask_allows(from, i))
            x->cuts[i] =
                heals ? x->cuts[i] & (to == 0 ? 0 : ~to) : x->cuts[i] | (to == 0 ? UINT64_MAX : to);
    p->core->machine->resolver.note(
        p, &(struct logp_note){.kind = LOGP_NOTE_FAULT,
                               .rank = p->rank,
                               .peer = -1,
                               .tag = LOGP_NOTE_FAULT,
                               .value = heals ? LOGP_FAULT_HEAL_LINKS : LOGP_FAULT_CUT_LINKS,
                               .time_ns = p->emulated});
    return lpi_stopped(p);
}

/* p is not restarted while a send waits for its receiver, or a started collective runs: both refer
 * to memory of the program. */
bool lpi_explored_restarts(struct lpi_proc *p)
{
    struct lpi_explored_vp *v = &p->core->machine->explore->vps[p->rank];

    if (!v->restarts || lpi_stopped(p) != 0)
        return false;
    v->restarts = false;
    if (lpi_has_background(p))
        return false;
    lpi_direct_close(p);
    lpi_usage_forget(p);
    while (p->inbox.posted_first != NULL) {
        struct logp_request *r = p->inbox.posted_first;

        lpi_match_unpost(p, r);
        lpi_request_free(p->core, r);
    }
    p->halted = false;
    v->misses = v->vain = 0;
    v->found = LOGP_ANY_SOURCE;
    return lpi_reach(p, p->emulated) == 0;
}
