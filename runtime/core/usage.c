/* SPDX-License-Identifier: MIT */
/*
 * Errors in the use of requests, on an explored machine that reports them (logp_explorer): a request
 * that is completed twice, a buffer of two posted receives, a request that is never completed, a
 * buffer that changes before its send is complete. A vp's requests from logp_isend() and logp_irecv()
 * are in a list, in the order of their numbers, until a call completes them. Then they are SPENT:
 * their memory is not used again before the run ends, so that a second completion is seen.
 */
#include "core/core.h"
#include "mail/mail.h"
#include "state/explore.h"
#include "state/message.h"
#include "state/stop.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct lpi_owned {
    struct logp_request *r; /* NULL: complete */
    uint32_t id;
    bool is_send;
    const unsigned char *buf;
    size_t n_bytes;
    bool has_sum; /* a send, with `poison` */
    uint64_t sum; /* of its buffer */
};

struct lpi_usage {
    struct lpi_owned *all;
    int n, capacity;
};

static uint64_t sum_of(const unsigned char *buf, size_t n)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325); /* Fowler, Noll, Vo */

    for (size_t i = 0; i < n; i++)
        sum = (sum ^ buf[i]) * UINT64_C(0x100000001b3);
    return sum;
}

static struct lpi_usage *usage_of(const struct lpi_proc *p)
{
    const struct lpi_explore *x = p->core->machine->explore;

    return x->usage != NULL ? &x->usage[p->rank] : NULL;
}

/* The number of p's requests that are not complete. */
static int *n_live(const struct lpi_proc *p)
{
    return &p->core->machine->explore->vps[p->rank].n_owned;
}

/* ---- reports ---- */

/* "logp_irecv() from rank 2, tag 5" */
static void describe(char *text, size_t size, bool is_send, int peer, int tag)
{
    char from[24] = "any rank", with[24] = "any tag";

    if (peer != LOGP_ANY_SOURCE)
        snprintf(from, sizeof(from), "rank %d", peer);
    if (tag != LOGP_ANY_TAG)
        snprintf(with, sizeof(with), "tag %d", tag);
    snprintf(text, size, "%s %s, %s", is_send ? "logp_isend() to" : "logp_irecv() from", from,
             with);
}

static void describe_owned(char *text, size_t size, const struct lpi_owned *o)
{
    describe(text, size, o->is_send, o->r->src, o->r->tag);
}

/* End the run as LOGP_CHECK() does. @return -EPROTO */
static __attribute__((format(printf, 2, 3))) int wrong(struct lpi_proc *p, const char *format, ...)
{
    struct logp_machine *m = p->core->machine;
    char detail[sizeof(m->detail)];
    va_list args;

    va_start(args, format);
    vsnprintf(detail, sizeof(detail), format, args);
    va_end(args);
    pthread_mutex_lock(&m->lock);
    lpi_assert_fails(p, "", 0, "", detail);
    pthread_mutex_unlock(&m->lock);
    return -EPROTO;
}

/* ---- requests ---- */

/* Whether the buffers of two requests overlap. At least one of them is a receive. */
static bool overlap(const struct lpi_owned *a, const struct lpi_owned *b)
{
    return a->n_bytes > 0 && b->n_bytes > 0 && a->buf < b->buf + b->n_bytes &&
           b->buf < a->buf + a->n_bytes;
}

/* Check that the buffer of o, which is about to be posted, is not that of another receive. */
static void compare_buffers(struct lpi_proc *p, const struct lpi_usage *u,
                            const struct lpi_owned *o, bool stays)
{
    char mine[80], other[80];

    for (int i = 0; i < u->n; i++) {
        const struct lpi_owned *before = &u->all[i];

        if (before->r == NULL || before->is_send || !overlap(o, before))
            continue;
        describe_owned(mine, sizeof(mine), o);
        describe_owned(other, sizeof(other), before);
        wrong(p, "rank %d posts %s into the buffer of %s, which is not complete", p->rank,
              stays ? mine : "logp_recv()", other);
        return;
    }
}

static bool reserve(struct lpi_usage *u, int n_owned)
{
    const int capacity = u->capacity > 0 ? 2 * u->capacity : 16;
    struct lpi_owned *all;
    int n = 0;

    if (u->n < u->capacity)
        return true;
    if (2 * n_owned <= u->n) { /* remove complete requests */
        for (int i = 0; i < u->n; i++)
            if (u->all[i].r != NULL)
                u->all[n++] = u->all[i];
        u->n = n;
        if (n < u->capacity)
            return true;
    }
    all = realloc(u->all, (size_t)capacity * sizeof(*all));
    if (all == NULL)
        return false;
    u->all = all;
    u->capacity = capacity;
    return true;
}

void lpi_usage_posts(struct lpi_proc *p, struct logp_request *r, enum lpi_posting posting)
{
    const struct logp_explorer *by = &p->core->machine->explore->by;
    const struct lpi_owned o = {.r = r,
                                .id = r->id,
                                .is_send = posting == LPI_POSTS_SEND,
                                .buf = r->buf,
                                .n_bytes = r->capacity};
    struct lpi_usage *u = usage_of(p);

    if (u == NULL)
        return;
    if (!o.is_send)
        compare_buffers(p, u, &o, posting == LPI_POSTS_RECEIVE);
    if (posting == LPI_POSTS_FOR_CALL)
        return;
    if (!reserve(u, *n_live(p))) {
        lpi_stop(p->core->machine, -ENOMEM);
        return;
    }
    u->all[u->n] = o;
    if (o.is_send && by->poison) {
        u->all[u->n].has_sum = true;
        u->all[u->n].sum = sum_of(o.buf, o.n_bytes);
    }
    u->n++;
    ++*n_live(p);
}

/* The place of the request in the list; NULL: it is not there */
static struct lpi_owned *find(const struct lpi_usage *u, const struct logp_request *r)
{
    int from = 0, to = u->n;

    while (from < to) {
        const int middle = from + (to - from) / 2;

        if (u->all[middle].id < r->id)
            from = middle + 1;
        else
            to = middle;
    }
    return from < u->n && u->all[from].r == r ? &u->all[from] : NULL;
}

bool lpi_usage_keeps(struct lpi_proc *p, struct logp_request *r)
{
    struct lpi_usage *u = usage_of(p);
    struct lpi_owned *o = u != NULL && *n_live(p) > 0 ? find(u, r) : NULL;
    char what[80];

    if (o == NULL)
        return false;
    if (o->has_sum && !p->halted && lpi_stopped(p) == 0 && sum_of(o->buf, o->n_bytes) != o->sum) {
        describe_owned(what, sizeof(what), o);
        wrong(p, "rank %d changes the buffer of %s before this is complete", p->rank, what);
    }
    o->r = NULL;
    --*n_live(p);
    r->was_send = o->is_send;
    r->state = LPI_REQ_SPENT;
    return true;
}

int lpi_usage_twice(struct lpi_proc *p, const struct logp_request *r)
{
    char what[80];

    describe(what, sizeof(what), r->was_send, r->src, r->tag);
    return wrong(p, "rank %d completes %s twice", p->rank, what);
}

void lpi_usage_ends(struct lpi_proc *p)
{
    const struct lpi_usage *u = usage_of(p);
    char what[80];

    if (u == NULL || !p->core->machine->explore->by.all_completed || p->halted ||
        lpi_stopped(p) != 0)
        return;
    for (int i = 0; i < u->n; i++)
        if (u->all[i].r != NULL) {
            describe_owned(what, sizeof(what), &u->all[i]);
            wrong(p, "rank %d ends without completing %s", p->rank, what);
            return;
        }
}

void lpi_usage_forget(struct lpi_proc *p)
{
    struct lpi_usage *u = usage_of(p);

    if (u != NULL)
        u->n = *n_live(p) = 0;
}

/* ---- of a machine ---- */

struct lpi_usage *lpi_usage_new(int P)
{
    return calloc((size_t)P, sizeof(struct lpi_usage));
}

void lpi_usage_free(struct lpi_usage *usage, int P)
{
    for (int i = 0; usage != NULL && i < P; i++)
        free(usage[i].all);
    free(usage);
}
