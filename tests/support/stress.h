/* SPDX-License-Identifier: MIT */
/*
 * Mail under stress: everyone sends to everyone in turns of random length, and receives in between,
 * from any source and from named ones, whatever has been waited for long enough or comes in time.
 * A message's size and payload follow from its number, so that its receiver knows both: none may be
 * lost, come twice or out of the order sent, or be changed.
 */
#ifndef LOGP_TESTS_STRESS_H
#define LOGP_TESTS_STRESS_H

#include "random.h"

#include <logp/logp.h>

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRESS_TAG, STRESS_OUTSIDE_TAG };

struct stress {
    int P;
    uint64_t per_pair; /* messages from each to each other */
    uint64_t outside;  /* to each from outside: see stress_inject() */
    uint64_t seed;
    size_t largest;  /* payload of long ones; 0: headers alone */
    bool ends;       /* some receives end before their message comes */
    bool limited;    /* there is not room for everything: who finds none receives first, and
                        from any source, so that whoever waits takes what fills the room */
    char wrong[160]; /* what was; "": nothing. Of several ranks one, in parts perhaps */
};

/* Alone, it is a short message: two of them share a line of a lane. */
struct stress_header {
    uint32_t number;
    int from;
};

static inline size_t stress_space(const struct stress *s)
{
    return sizeof(struct stress_header) + s->largest + 1;
}

static inline size_t stress_size(const struct stress *s, uint64_t k, int from, int to)
{
    uint64_t x = s->seed + k * 7919 + (uint64_t)from * 104729 + (uint64_t)to * 1299709;

    if (s->largest == 0)
        return sizeof(struct stress_header);
    x = test_random(&x);
    /* mostly small, some long */
    return sizeof(struct stress_header) +
           (size_t)(x % ((x >> 32) % 16 == 0 ? s->largest : s->largest / 64 + 1));
}

static inline int stress_byte(uint64_t k, int from)
{
    return (int)(unsigned char)(k * 167 + (uint64_t)from);
}

static inline size_t stress_make(const struct stress *s, unsigned char *buf, uint64_t k, int from,
                                 int to)
{
    const struct stress_header h = {(uint32_t)k, from};
    const size_t n = stress_size(s, k, from, to);

    memcpy(buf, &h, sizeof(h));
    memset(buf + sizeof(h), stress_byte(k, from), n - sizeof(h));
    return n;
}

/* Is it message k of that source? @return 0; -EPROTO, said in `wrong` */
static inline int stress_check(struct stress *s, const unsigned char *buf, size_t n, uint64_t k,
                               int from, int to)
{
    const unsigned char *payload = buf + sizeof(struct stress_header);
    const size_t length = n - sizeof(struct stress_header);
    struct stress_header h;

    memcpy(&h, buf, sizeof(h));
    if (h.number == (uint32_t)k && h.from == from && n == stress_size(s, k, from, to) &&
        (length == 0 ||
         (payload[0] == stress_byte(k, from) && memcmp(payload, payload + 1, length - 1) == 0)))
        return 0;
    snprintf(s->wrong, sizeof(s->wrong),
             "from %d to %d: number %llu of %d with %zu bytes, where %llu with %zu was due", from,
             to, (unsigned long long)h.number, h.from, n, (unsigned long long)k,
             stress_size(s, k, from, to));
    return -EPROTO;
}

/* What a rank has done. */
struct stress_rank {
    struct stress *s;
    struct logp_vp *vp;
    uint64_t random, sent, received, all;
    uint64_t *next; /* by source, the number that is due; the last: from outside */
    unsigned char *buf;
};

static inline int stress_send(struct stress_rank *r)
{
    const int P = r->s->P, me = logp_vp_rank(r->vp);
    const int to = (me + 1 + (int)(r->sent % (uint64_t)(P - 1))) % P;
    const size_t n = stress_make(r->s, r->buf, r->sent / (uint64_t)(P - 1), me, to);
    const int rc = logp_send(r->vp, to, STRESS_TAG, r->buf, n);

    r->sent += rc == 0;
    return rc == -ENOBUFS && r->s->limited ? 0 : rc;
}

/* until: 0: for ever */
static inline int stress_receive(struct stress_rank *r, int from, int tag, int64_t until)
{
    const size_t capacity = stress_space(r->s);
    struct logp_status status;
    int rc, i;

    if (until > 0)
        rc = logp_recv_until(r->vp, from, tag, r->buf, capacity, until, &status);
    else
        rc = logp_recv(r->vp, from, tag, r->buf, capacity, &status);
    if (rc == -ETIME)
        return 0;
    if (rc != 0)
        return rc;
    i = status.source == LOGP_OUTSIDE ? r->s->P : status.source;
    r->received += status.source != LOGP_OUTSIDE;
    return stress_check(r->s, r->buf, status.n_bytes, r->next[i]++, i, logp_vp_rank(r->vp));
}

/* One receive, if there is or will be something that does not wait for what is sent later. */
static inline int stress_receive_some(struct stress_rank *r)
{
    const int P = r->s->P, me = logp_vp_rank(r->vp);
    const uint64_t x = test_random(&r->random);
    int64_t until = 0;
    int from = LOGP_ANY_SOURCE;
    bool found;
    int rc;

    if (r->next[P] < r->s->outside && x % 32 == 1) {
        rc = logp_probe(r->vp, LOGP_OUTSIDE, STRESS_OUTSIDE_TAG, &found, NULL);
        return rc != 0 || !found ? rc : stress_receive(r, LOGP_OUTSIDE, STRESS_OUTSIDE_TAG, 0);
    }
    if (x % 4 == 0 && !r->s->limited) { /* a named source, waiting: a buffer on offer */
        from = (me + 1 + (int)((x >> 8) % (uint64_t)(P - 1))) % P;
        if (r->next[from] >= r->s->per_pair || r->next[from] >= r->sent / (uint64_t)(P - 1))
            return 0; /* it may not send before we do */
        if (r->s->ends && x % 32 == 0)
            until = logp_now(r->vp) + 1 + (int64_t)((x >> 32) % 20000);
    } else if (r->sent < r->all) {
        rc = logp_probe(r->vp, LOGP_ANY_SOURCE, STRESS_TAG, &found, NULL);
        if (rc != 0 || !found)
            return rc;
    }
    return stress_receive(r, from, STRESS_TAG, until);
}

/* What every rank executes; arg: the struct stress. */
static inline int stress_program(struct logp_vp *vp, void *arg)
{
    struct stress *s = arg;
    struct stress_rank r = {.s = s,
                            .vp = vp,
                            .random = s->seed * 31 + (uint64_t)logp_vp_rank(vp) + 1,
                            .all = s->per_pair * (uint64_t)(s->P - 1),
                            .next = calloc((size_t)s->P + 1, sizeof(*r.next)),
                            .buf = malloc(stress_space(s))};
    int rc = r.next != NULL && r.buf != NULL ? 0 : -ENOMEM;

    while (rc == 0 && (r.sent < r.all || r.received < r.all)) {
        for (uint64_t n = test_random(&r.random) % 100; rc == 0 && n > 0 && r.sent < r.all; n--)
            rc = stress_send(&r);
        for (uint64_t n = test_random(&r.random) % 100; rc == 0 && n > 0 && r.received < r.all; n--)
            rc = stress_receive_some(&r);
    }
    while (rc == 0 && r.next[s->P] < s->outside)
        rc = stress_receive(&r, LOGP_OUTSIDE, STRESS_OUTSIDE_TAG, 0);
    free(r.buf);
    free(r.next);
    return rc;
}

/* What comes from outside, by a thread of its own. @return 0; what logp_machine_inject() says */
static inline int stress_inject(struct logp_machine *m, const struct stress *s)
{
    unsigned char *buf = malloc(stress_space(s));
    int rc = buf != NULL ? 0 : -ENOMEM;

    for (uint64_t i = 0; rc == 0 && i < s->outside * (uint64_t)s->P; i++) {
        const int to = (int)(i % (uint64_t)s->P);
        const size_t n = stress_make(s, buf, i / (uint64_t)s->P, s->P, to);

        while ((rc = logp_machine_inject(m, to, STRESS_OUTSIDE_TAG, buf, n)) == -ENOBUFS)
            sched_yield();
    }
    free(buf);
    return rc;
}

#endif
