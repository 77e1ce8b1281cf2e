/* SPDX-License-Identifier: MIT */
/*
 * All schedules of a few ranks in which all come to know of all. A message of any size costs the
 * same, so it has all items that its sender knows.
 *
 * An act of a rank starts as early as the acts before it allow. So it is enough to try, in the
 * order of their starts, each next send and receive of each rank at its earliest time, from the
 * last start on. A state is visited once. It is given up if an item that a rank lacks could not
 * come in time, even if all that know of it sent it there at once. A message with nothing new to
 * its receiver is not sent: one that was sent before comes before it. Ranks that have neither sent
 * nor been sent anything are alike, so only the first of them is tried.
 */
#include "collective/collective.h"
#include "operand/operand.h"
#include "predict/predict.h"
#include "search/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    P_MOST = LPI_EXHAUSTIVE_P,
    MAIL = P_MOST * P_MOST * 2,
    SEEN = 1 << 20,
    PROBES = 16,
    ASKED_EVERY = 1 << 12,
    MOST_NODES = 1 << 22 /* some seconds */
};

struct letter {
    int src, dst, move;
    int64_t arrival;
    unsigned carries;
};

struct state {
    int64_t clock;
    unsigned touched; /* ranks that have sent or been sent something */
    int n_mail;
    struct rank {
        int64_t free, send_next, recv_next;
        unsigned knows;
    } rank[P_MOST];
    struct letter mail[MAIL];
};

struct print {
    uint64_t a, b;
};

struct all {
    int P;
    const struct logp_params *p;
    int64_t until, every_send, every_receive;
    struct print *seen;
    uint64_t nodes;
    bool (*stop)(void *arg);
    void *arg;
    struct lpi_moves *out;
};

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 31;
}

static uint64_t print_of(const struct all *x, const struct state *s, uint64_t seed)
{
    uint64_t h = mix(mix(seed, (uint64_t)s->clock), s->touched), mail = 0;

    for (int r = 0; r < x->P; r++) {
        const struct rank *rank = &s->rank[r];

        h = mix(mix(mix(mix(h, (uint64_t)rank->free), (uint64_t)rank->send_next),
                    (uint64_t)rank->recv_next),
                rank->knows);
    }
    for (int i = 0; i < s->n_mail; i++)
        mail += mix(mix(mix(seed, (uint64_t)s->mail[i].arrival),
                        (uint64_t)(s->mail[i].src * P_MOST + s->mail[i].dst)),
                    s->mail[i].carries);
    return mix(h, mail);
}

/* Whether the state is not in the table of visited states, to which it is then added. */
static bool is_new(struct all *x, const struct state *s)
{
    const struct print p = {print_of(x, s, 1) | 1, print_of(x, s, 2)};

    for (uint64_t i = 0; i < PROBES; i++) {
        struct print *at = &x->seen[(p.a / 2 + i) % SEEN];

        if (at->a == p.a && at->b == p.b)
            return false;
        if (at->a == 0) {
            *at = p;
            return true;
        }
    }
    x->seen[p.a / 2 % SEEN] = p;
    return true;
}

static bool is_done(const struct all *x, const struct state *s)
{
    for (int r = 0; r < x->P; r++)
        if (s->rank[r].knows != (1u << x->P) - 1)
            return false;
    return true;
}

/* Return the earliest time at which rank dst could know the item of this mask. */
static int64_t soonest(const struct all *x, const struct state *s, int dst, unsigned who)
{
    const struct logp_params *p = x->p;
    const int64_t way = p->o_send_ns + p->L_ns + p->o_recv_ns;
    int64_t best = INT64_MAX;

    for (int r = 0; r < x->P; r++) {
        const struct rank *rank = &s->rank[r];

        if (r != dst && (rank->knows & who) != 0)
            best = earlier(best, lpi_max(lpi_max(rank->free, rank->send_next), s->clock) + way);
    }
    for (int i = 0; i < s->n_mail; i++) {
        const struct letter *l = &s->mail[i];
        const int64_t known = lpi_max(l->arrival, s->rank[l->dst].free) + p->o_recv_ns;

        if ((l->carries & who) != 0)
            best = earlier(best, l->dst == dst ? known : known + way);
    }
    return best;
}

static bool may_win(const struct all *x, const struct state *s)
{
    for (int r = 0; r < x->P; r++)
        for (int who = 0; who < x->P; who++)
            if ((s->rank[r].knows >> who & 1) == 0 && soonest(x, s, r, 1u << who) > x->until)
                return false;
    return true;
}

static int follow(struct all *x, struct state *s);

/* Add the act, search from the next state, and remove the act if that finds nothing. */
static int with_act(struct all *x, struct state *next, int rank, int move, bool sends)
{
    struct lpi_moves *out = x->out;
    int rc;

    if (!lpi_grow(&out->acts, out->n_acts, &out->act_space, sizeof(*out->acts), 64))
        return -ENOMEM;
    out->acts[out->n_acts++] =
        (struct lpi_action){.rank = rank, .move = move, .sends = sends, .cause = -1};
    rc = follow(x, next);
    if (rc == 0)
        out->n_acts--;
    return rc;
}

/* Return the items of a message that its receiver does not know, and will not know from messages on
 * their way. */
static unsigned news(const struct state *s, int src, int dst)
{
    unsigned known = s->rank[dst].knows;

    for (int i = 0; i < s->n_mail; i++)
        if (s->mail[i].dst == dst)
            known |= s->mail[i].carries;
    return s->rank[src].knows & ~known;
}

static int add_move(struct all *x, int src, int dst, unsigned items)
{
    struct lpi_moves *out = x->out;
    const size_t first = out->n_pool;

    for (int i = 0; i < x->P; i++) {
        if ((items >> i & 1) == 0)
            continue;
        if (!lpi_grow(&out->pool, out->n_pool, &out->pool_space, sizeof(*out->pool), 64))
            return -ENOMEM;
        out->pool[out->n_pool++] = i;
    }
    if (!lpi_grow(&out->moves, out->n_moves, &out->move_space, sizeof(*out->moves), 64))
        return -ENOMEM;
    out->moves[out->n_moves++] = (struct lpi_move){.src = src,
                                                   .dst = dst,
                                                   .first = (int)first,
                                                   .n = (int)(out->n_pool - first),
                                                   .planned = true};
    return 0;
}

/* Whether a rank before it, except `but`, is equal to it. */
static bool has_twin(const struct state *s, int rank, int but)
{
    if ((s->touched >> rank & 1) != 0)
        return false;
    for (int r = 0; r < rank; r++)
        if ((s->touched >> r & 1) == 0 && r != but)
            return true;
    return false;
}

static int try_send(struct all *x, const struct state *s, int src, int dst)
{
    const struct rank *from = &s->rank[src];
    const int64_t start = lpi_max(from->free, from->send_next);
    struct state next;
    int rc;

    if (src == dst || news(s, src, dst) == 0 || start < s->clock || s->n_mail == MAIL ||
        has_twin(s, src, -1) || has_twin(s, dst, src))
        return 0;
    next = *s;
    next.clock = start;
    next.touched |= 1u << src | 1u << dst;
    next.rank[src].free = start + x->p->o_send_ns;
    next.rank[src].send_next = start + x->every_send;
    next.mail[next.n_mail++] = (struct letter){src, dst, (int)x->out->n_moves,
                                               start + x->p->o_send_ns + x->p->L_ns, from->knows};
    rc = add_move(x, src, dst, from->knows);
    if (rc == 0)
        rc = with_act(x, &next, src, (int)x->out->n_moves - 1, true);
    if (rc == 0) {
        x->out->n_pool = (size_t)x->out->moves[x->out->n_moves - 1].first;
        x->out->n_moves--;
    }
    return rc;
}

static int try_receive(struct all *x, const struct state *s, int letter)
{
    const struct letter l = s->mail[letter];
    const struct rank *to = &s->rank[l.dst];
    const int64_t start = lpi_max(lpi_max(to->free, to->recv_next), l.arrival);
    struct state next;

    if (start < s->clock)
        return 0;
    for (int i = 0; i < letter; i++) /* those of one sender keep their order */
        if (s->mail[i].src == l.src && s->mail[i].dst == l.dst)
            return 0;
    next = *s;
    next.clock = start;
    next.rank[l.dst].free = start + x->p->o_recv_ns;
    next.rank[l.dst].recv_next = start + x->every_receive;
    next.rank[l.dst].knows |= l.carries;
    memmove(&next.mail[letter], &next.mail[letter + 1],
            (size_t)(next.n_mail - letter - 1) * sizeof(l));
    next.n_mail--;
    return next.rank[l.dst].free > x->until ? 0 : with_act(x, &next, l.dst, l.move, false);
}

/* 1: it leads to the end in time; 0: it does not */
static int follow(struct all *x, struct state *s)
{
    int rc = 0;

    if (++x->nodes % ASKED_EVERY == 0 && (x->nodes > MOST_NODES || x->stop(x->arg)))
        return -EINTR;
    if (is_done(x, s) && s->n_mail == 0)
        return 1;
    if (!may_win(x, s) || !is_new(x, s))
        return 0;
    for (int i = 0; rc == 0 && i < s->n_mail; i++)
        rc = try_receive(x, s, i);
    for (int src = 0; rc == 0 && src < x->P; src++)
        for (int dst = 0; rc == 0 && dst < x->P; dst++)
            rc = try_send(x, s, src, dst);
    return rc;
}

int lpi_exhaustive(int P, const struct logp_params *p, int64_t until, bool (*stop)(void *arg),
                   void *arg, struct lpi_moves *out)
{
    struct all x = {.P = P,
                    .p = p,
                    .until = until,
                    .every_send = lpi_max(p->o_send_ns, p->g_ns),
                    .every_receive = lpi_max(p->o_recv_ns, p->g_ns),
                    .stop = stop,
                    .arg = arg,
                    .out = out};
    struct state first = {.n_mail = 0};
    int rc;

    out->n_moves = out->n_pool = out->n_acts = 0;
    for (int r = 0; r < P; r++)
        first.rank[r].knows = 1u << r;
    x.seen = calloc(SEEN, sizeof(*x.seen));
    rc = x.seen != NULL ? follow(&x, &first) : -ENOMEM;
    free(x.seen);
    return rc;
}
