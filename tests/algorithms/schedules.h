/* SPDX-License-Identifier: MIT */
/*
 * All schedules of a few processors, searched: can these get what they need by time T?
 *
 * A schedule is taken as early as it can be: what a processor does starts at the earliest time
 * after what it did before. So it is enough to try, in the order of their starts, each next send,
 * receive and combination of each processor at its earliest time, from the last start on. A state
 * is looked at once; it is given up where something needed could not come in time even if every
 * processor could send to all at once. Nothing of the bounds that are tested is used.
 *
 * What is known are bits. A message carries any of those that its sender knows, a byte each (or all
 * of them in one: `summed`, as where they are combined, or where bytes cost nothing). With gamma
 * values are combined two by two, each of which is a set of operands; a message carries all values
 * of its sender. Of several ports an act takes the one on which it can start earliest. That no operand counts twice is not asked for: a schedule more is no harm here.
 */
#ifndef LOGP_TESTS_SCHEDULES_H
#define LOGP_TESTS_SCHEDULES_H

#include "support.h"

#include <limits.h>

enum { SEARCH_P = 5, SEARCH_PORTS = 3, SEARCH_MAIL = 48 };

struct search {
    struct logp_params params;
    bool links_differ; /* if so, link says what a message costs from each to each; no ranks are
                          alike */
    struct logp_params link[SEARCH_P][SEARCH_P];
    int d[SEARCH_P][SEARCH_P]; /* of a message of one byte, */
    int shortest[SEARCH_P];    /* the least to any other, */
    int gap;                   /* and the longest gap of any: all from link */
    int P, T;
    int ports;                               /* of each rank; 0: one */
    unsigned has[SEARCH_P], needs[SEARCH_P]; /* bits */
    bool summed;
    bool as_one; /* what is needed must be one value: with gamma */
    int alike;   /* ranks from here on are: with their bits, where bit r is rank r's own */
    bool own_bits;
    struct search_print *seen; /* states; with room for so many */
    size_t n_seen, capacity;
};

/* Of a state, 127 bits of it: no two that are looked at are alike in them. */
struct search_print {
    uint64_t a, b;
};

struct search_values {
    int n;
    unsigned v[SEARCH_P];
};

struct search_state {
    int clock, n_mail;
    struct search_rank {
        int free, send_next[SEARCH_PORTS], recv_start[SEARCH_PORTS];
        struct search_values has;
    } rank[SEARCH_P];
    struct search_mail {
        int from, to, arrival, bytes;
        struct search_values has;
    } mail[SEARCH_MAIL];
};

static inline int search_later(int a, int b)
{
    return a > b ? a : b;
}

static inline int search_ports(const struct search *x)
{
    return x->ports > 1 ? x->ports : 1;
}

static inline int search_gap(const struct logp_params *p, int bytes)
{
    return (int)logp_params_gap_ns(p, (size_t)bytes);
}

static inline int search_message(const struct logp_params *p, int bytes)
{
    return (int)(p->o_send_ns + logp_params_stream_ns(p, (size_t)bytes) + p->L_ns + p->o_recv_ns);
}

static inline unsigned search_known(const struct search_values *has)
{
    unsigned all = 0;

    for (int i = 0; i < has->n; i++)
        all |= has->v[i];
    return all;
}

static inline bool search_holds(const struct search_values *has, unsigned v)
{
    for (int i = 0; i < has->n; i++)
        if ((v & ~has->v[i]) == 0)
            return true;
    return false;
}

/* Where combining costs nothing, all are one. */
static inline void search_add(const struct search *x, struct search_values *has, unsigned v)
{
    int n = 0;

    if (search_holds(has, v))
        return;
    if (x->params.gamma_ps == 0)
        v |= search_known(has);
    for (int i = 0; i < has->n; i++)
        if ((has->v[i] & ~v) != 0)
            has->v[n++] = has->v[i];
    has->v[n++] = v;
    has->n = n;
}

static inline bool search_is_new(const struct search_values *values, const struct search_values *to)
{
    for (int i = 0; i < values->n; i++)
        if (!search_holds(to, values->v[i]))
            return true;
    return false;
}

/* ---- states that have been seen ---- */

static inline uint64_t search_mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ (h >> 29);
}

static inline bool search_enter(struct search *x, struct search_print s)
{
    if (2 * x->n_seen >= x->capacity) {
        const size_t had = x->capacity;
        struct search_print *old = x->seen;

        x->capacity = had > 0 ? 2 * had : 1 << 12;
        x->seen = calloc(x->capacity, sizeof(*x->seen));
        cr_assert(x->seen != NULL);
        x->n_seen = 0;
        for (size_t i = 0; i < had; i++)
            if (old[i].a != 0)
                search_enter(x, old[i]);
        free(old);
    }
    for (size_t i = s.a % x->capacity;; i = (i + 1) % x->capacity) {
        if (x->seen[i].a == s.a && x->seen[i].b == s.b)
            return false;
        if (x->seen[i].a == 0) {
            x->seen[i] = s;
            x->n_seen++;
            return true;
        }
    }
}

/* Ranks in another order, and so their bits: order[i] becomes i. */
static inline unsigned search_renamed(const struct search *x, const int *order, unsigned v)
{
    unsigned w = 0;

    if (!x->own_bits)
        return v;
    for (int i = 0; i < x->P; i++)
        w |= (v >> order[i] & 1) << i;
    return w;
}

static inline uint64_t search_values_print(const struct search *x, const int *order, uint64_t h,
                                           const struct search_values *has)
{
    uint64_t sum = h;

    for (int i = 0; i < has->n; i++)
        sum += search_mix(h, search_renamed(x, order, has->v[i]));
    return sum;
}

/* What of a time matters: those that are over are all alike. */
static inline uint64_t search_time(const struct search_state *s, int time, int over_for)
{
    return (uint64_t)(search_later(time, s->clock - 1 - over_for) + 1000);
}

/* With the ranks in this order, mail in any. */
static inline uint64_t search_hash(const struct search *x, const struct search_state *s,
                                   const int *order, const uint64_t *times, uint64_t h)
{
    uint64_t mail = 0;

    h = search_mix(h, (uint64_t)s->clock);
    for (int i = 0; i < x->P; i++) {
        h = search_mix(h, times[order[i]]);
        h = search_mix(h, search_values_print(x, order, 77, &s->rank[order[i]].has));
    }
    for (int k = 0; k < s->n_mail; k++) {
        const struct search_mail *m = &s->mail[k];
        uint64_t one = h;

        for (int i = 0; i < x->P; i++)
            one = order[i] == m->to ? search_mix(one, (uint64_t)i) : one;
        one = search_mix(one, search_time(s, m->arrival, 0) << 8 | (uint64_t)m->bytes);
        if (x->links_differ)
            one = search_mix(one, (uint64_t)m->from);
        mail += search_mix(search_values_print(x, order, one, &m->has), 5);
    }
    return search_mix(h, mail);
}

/* Of all orders of the ranks that are alike, in which their times grow, the least. */
static inline void search_orders(const struct search *x, const struct search_state *s, int *order,
                                 int n, const uint64_t *times, struct search_print *least)
{
    if (n == x->P) {
        const uint64_t a = search_hash(x, s, order, times, 1) | 1;

        if (a <= least->a)
            *least = (struct search_print){a, search_hash(x, s, order, times, 2)};
        return;
    }
    for (int i = n; i < x->P; i++) {
        const int rank = order[i];
        bool first = n < x->alike ? i == n : true;

        for (int k = n; n >= x->alike && k < x->P; k++)
            first &= times[rank] <= times[order[k]];
        if (!first)
            continue;
        order[i] = order[n];
        order[n] = rank;
        search_orders(x, s, order, n + 1, times, least);
        order[n] = order[i];
        order[i] = rank;
    }
}

static inline struct search_print search_print_of(const struct search *x,
                                                  const struct search_state *s)
{
    struct search_print least = {UINT64_MAX, 0};
    uint64_t times[SEARCH_P];
    int order[SEARCH_P];

    for (int r = 0; r < x->P; r++) {
        const struct search_rank *q = &s->rank[r];

        order[r] = r;
        times[r] = search_time(s, q->free, 0) << 40 |
                   search_time(s, q->send_next[0], x->gap) << 20 |
                   search_time(s, q->recv_start[0], x->gap);
        for (int k = 1; k < search_ports(x); k++)
            times[r] = search_mix(search_mix(times[r], search_time(s, q->send_next[k], x->gap)),
                                  search_time(s, q->recv_start[k], x->gap));
    }
    search_orders(x, s, order, 0, times, &least);
    return least;
}

/* ---- what is left to do ---- */

static inline bool search_done(const struct search *x, const struct search_state *s)
{
    for (int r = 0; r < x->P; r++)
        if (x->as_one ? x->needs[r] != 0 && !search_holds(&s->rank[r].has, x->needs[r])
                      : (x->needs[r] & ~search_known(&s->rank[r].has)) != 0)
            return false;
    return true;
}

/* Could all that is needed come in time, if everybody could send to all at once? */
static inline bool search_in_time(const struct search *x, const struct search_state *s)
{
    unsigned all = 0;

    for (int r = 0; r < x->P; r++)
        all |= x->needs[r];
    for (unsigned bit = 1; bit != 0 && bit <= all; bit *= 2) {
        int known[SEARCH_P];

        for (int r = 0; r < x->P; r++)
            known[r] = (search_known(&s->rank[r].has) & bit) != 0 ? 0 : 10000;
        for (int i = 0; i < s->n_mail; i++) {
            const struct search_mail *m = &s->mail[i];
            const int at = search_later(m->arrival, search_later(s->clock, s->rank[m->to].free));

            const int o = (int)x->link[m->from][m->to].o_recv_ns;

            if ((search_known(&m->has) & bit) != 0 && at + o < known[m->to])
                known[m->to] = at + o;
        }
        for (int round = 1; round < x->P; round++)
            for (int q = 0; q < x->P; q++) {
                const struct search_rank *rank = &s->rank[q];
                int next = rank->send_next[0], from;

                for (int k = 1; k < search_ports(x); k++)
                    next = rank->send_next[k] < next ? rank->send_next[k] : next;
                from =
                    search_later(known[q], search_later(s->clock, search_later(rank->free, next)));
                for (int r = 0; r < x->P; r++)
                    known[r] = from + x->d[q][r] < known[r] ? from + x->d[q][r] : known[r];
            }
        for (int r = 0; r < x->P; r++)
            if ((x->needs[r] & bit) != 0 && known[r] > x->T)
                return false;
    }
    return true;
}

/* ---- steps ---- */

static bool search_on(struct search *x, const struct search_state *s);

/* Is it worth while that this rank gets it, and is through at this time? It needs something of it,
 * or can still tell somebody. */
static inline bool search_matters(const struct search *x, int rank, unsigned bits, int end)
{
    return end <= x->T && ((x->needs[rank] & bits) != 0 || end + x->shortest[rank] <= x->T);
}

static inline void search_forget(struct search_state *s, int i)
{
    s->mail[i] = s->mail[--s->n_mail];
}

/* The port on which a rank can receive a message first, or send one; of several the lowest. */
static inline int search_port(const struct search *x, const struct search_rank *q,
                              const struct logp_params *p, const struct search_mail *received,
                              int *start)
{
    const int gap = received != NULL ? search_gap(p, received->bytes) : 0;
    const int ready = received != NULL ? search_later(q->free, received->arrival) : q->free;
    int best = 0;

    *start = INT_MAX;
    for (int k = 0; k < search_ports(x) && *start > ready; k++) {
        int from = search_later(ready, received != NULL
                                           ? q->recv_start[k] + search_later((int)p->o_recv_ns, gap)
                                           : q->send_next[k]);

        if (p->gap_shared)
            from = search_later(from, received != NULL
                                          ? q->send_next[k] + gap - (int)p->g_ns
                                          : q->recv_start[k] +
                                                search_later((int)p->o_recv_ns, (int)p->g_ns));
        if (from < *start) {
            best = k;
            *start = from;
        }
    }
    return best;
}

static inline bool search_receives(struct search *x, const struct search_state *s, int r)
{
    for (int i = 0; i < s->n_mail; i++) {
        const struct search_mail *m = &s->mail[i];
        const struct search_rank *q = &s->rank[r];
        const struct logp_params *p = &x->link[m->from][r];
        int start, port;
        struct search_state next;

        port = search_port(x, q, p, m, &start);
        if (m->to != r || start < s->clock ||
            !search_matters(x, r, search_known(&m->has), start + (int)p->o_recv_ns))
            continue;
        next = *s;
        next.clock = next.rank[r].recv_start[port] = start;
        next.rank[r].free = start + (int)p->o_recv_ns;
        for (int k = 0; k < m->has.n; k++)
            search_add(x, &next.rank[r].has, m->has.v[k]);
        search_forget(&next, i);
        if (search_on(x, &next))
            return true;
    }
    return false;
}

static inline bool search_combines(struct search *x, const struct search_state *s, int r)
{
    const int gamma = (int)(x->params.gamma_ps / 1000);
    const struct search_rank *q = &s->rank[r];

    for (int i = 1; gamma > 0 && i < q->has.n; i++)
        for (int k = 0; k < i; k++) {
            struct search_state next = *s;

            if (q->free < s->clock || q->free + gamma > x->T)
                continue;
            next.clock = q->free;
            next.rank[r].free += gamma;
            search_add(x, &next.rank[r].has, q->has.v[i] | q->has.v[k]);
            if (search_on(x, &next))
                return true;
        }
    return false;
}

static inline bool search_send(struct search *x, const struct search_state *s, int r, int to,
                               int port, int start, const struct search_values *values)
{
    const int bytes = x->summed ? 1 : __builtin_popcount(search_known(values));
    const struct logp_params *p = &x->link[r][to];
    const int takes = search_message(p, bytes), gap = search_gap(p, bytes);
    struct search_state next;

    if (!search_matters(x, to, search_known(values), start + takes) ||
        !search_is_new(values, &s->rank[to].has))
        return false;
    for (int i = 0; i < s->n_mail; i++)
        if (s->mail[i].to == to && s->mail[i].bytes == bytes &&
            (!x->links_differ || s->mail[i].from == r) && !search_is_new(values, &s->mail[i].has))
            return false; /* that one is there sooner */
    cr_assert(s->n_mail < SEARCH_MAIL);
    next = *s;
    next.clock = start;
    next.rank[r].free = start + (int)p->o_send_ns;
    next.rank[r].send_next[port] = start + search_later((int)p->o_send_ns, gap);
    next.mail[next.n_mail++] =
        (struct search_mail){r, to, start + takes - (int)p->o_recv_ns, bytes, *values};
    return search_on(x, &next);
}

static inline bool search_sends(struct search *x, const struct search_state *s, int r)
{
    const struct search_rank *q = &s->rank[r];
    const unsigned known = search_known(&q->has);

    for (int to = 0; to < x->P; to++) {
        const unsigned wanted = known & ~search_known(&s->rank[to].has);
        const struct logp_params *p = &x->link[r][to];
        int start;
        const int port = search_port(x, q, p, NULL, &start);

        if (to == r || start < s->clock)
            continue;
        if (x->summed && search_send(x, s, r, to, port, start, &q->has))
            return true;
        for (unsigned some = wanted; !x->summed && some != 0; some = (some - 1) & wanted)
            if (search_send(x, s, r, to, port, start, &(struct search_values){1, {some}}))
                return true;
    }
    return false;
}

static bool search_on(struct search *x, const struct search_state *s)
{
    struct search_state now = *s;

    if (search_done(x, &now))
        return true;
    for (int i = now.n_mail - 1; i >= 0; i--)
        if (!search_is_new(&now.mail[i].has, &now.rank[now.mail[i].to].has))
            search_forget(&now, i);
    if (!search_in_time(x, &now) || !search_enter(x, search_print_of(x, &now)))
        return false;
    for (int r = 0; r < x->P; r++)
        if (search_combines(x, &now, r) || search_receives(x, &now, r) || search_sends(x, &now, r))
            return true;
    return false;
}

/* What is asked of the links again and again. */
static inline void search_prepare(struct search *x)
{
    for (int i = 0; i < x->P; i++)
        x->shortest[i] = 10000;
    for (int i = 0; i < x->P * x->P; i++) {
        const int a = i / x->P, b = i % x->P;
        struct logp_params *p = &x->link[a][b];

        if (!x->links_differ)
            *p = x->params;
        x->d[a][b] = search_message(p, 1);
        x->gap = search_later(x->gap, search_later((int)p->o_recv_ns, search_gap(p, 8)));
        if (a != b && x->d[a][b] < x->shortest[a])
            x->shortest[a] = x->d[a][b];
    }
    if (x->links_differ)
        x->alike = x->P;
}

/* By time T? *states: how many were looked at, is added to. */
static inline bool search_schedules(struct search x, int T, size_t *states)
{
    struct search_state s = {0};
    bool found;

    x.T = T;
    search_prepare(&x);
    for (int r = 0; r < x.P; r++) {
        for (int k = 0; k < SEARCH_PORTS; k++)
            s.rank[r].recv_start[k] = -1000;
        if (x.has[r] != 0)
            search_add(&x, &s.rank[r].has, x.has[r]);
    }
    found = search_on(&x, &s);
    *states += x.n_seen;
    free(x.seen);
    return found;
}

#endif
