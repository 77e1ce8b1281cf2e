/* SPDX-License-Identifier: MIT */
/*
 * Predictions: the abbreviations of their formulas, arithmetic, counted trees, doubling, rounds,
 * lower bounds, and the shortest times between two processors.
 */
#ifndef LPI_PREDICT_H
#define LPI_PREDICT_H

#include <logp/algorithm.h>
#include <logp/delay.h>
#include <logp/paper.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lpi_ways;

/* ---- predictions ---- */

/*
 * The abbreviations of all predictions. A message of m bytes takes D from the start of its sending
 * to the end of its receipt; sends of one processor start E apart. With the shared gap a processor
 * that has received may start to send only max(o_recv, g) after the start of its receive: D grows
 * to that, and the end of the last receive comes `early` before it. (`early` is 0 otherwise.)
 */
struct lpi_times {
    int64_t D, E, early;
};

/* Field by field: the bytes between fields have no value. */
static inline bool lpi_same_params(const struct logp_params *a, const struct logp_params *b)
{
    return a->L_ns == b->L_ns && a->o_send_ns == b->o_send_ns && a->o_recv_ns == b->o_recv_ns &&
           a->g_ns == b->g_ns && a->G_ps == b->G_ps && a->gamma_ps == b->gamma_ps &&
           a->gap_shared == b->gap_shared && a->capacity == b->capacity &&
           a->store_forward == b->store_forward && a->latency_varies == b->latency_varies &&
           a->recv_streams == b->recv_streams && a->seed == b->seed && a->O_ps == b->O_ps;
}

static inline int64_t lpi_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline void lpi_at_most(int64_t *at, int64_t to)
{
    *at = to < *at ? to : *at;
}

static inline __int128 lpi_later(__int128 a, __int128 b)
{
    return a > b ? a : b;
}

static inline struct lpi_times lpi_times(const struct logp_params *p, size_t n_bytes)
{
    const int64_t stream = logp_params_stream_ns(p, n_bytes);
    struct lpi_times t = {.D = p->o_send_ns + stream + p->L_ns + p->o_recv_ns,
                          .E = lpi_max(p->o_send_ns, logp_params_gap_ns(p, n_bytes))};

    if (p->gap_shared) {
        t.early = lpi_max(p->o_recv_ns, p->g_ns) - p->o_recv_ns;
        t.D += t.early;
    }
    return t;
}

static inline bool lpi_has_ports(const struct logp_network *n)
{
    return n->ports > 1;
}

/* Whether formulas hold, but for the shared gap and topologies, which some know. */
static inline bool lpi_is_plain(const struct logp_invocation *c)
{
    return c->args.blocks == NULL && c->model.links == NULL && c->model.rendezvous_from == 0 &&
           c->model.arrivals == NULL && logp_params_capacity(&c->model.params) == 0 &&
           !c->model.params.recv_streams && !lpi_has_ports(&c->model);
}

/* Time to combine `elements` elements, rounded up to whole nanoseconds once. */
static inline int64_t lpi_combine_ns(const struct logp_params *p, int64_t elements)
{
    int64_t ps;
    __int128 ns;

    /* each step asks, and a division of 128 bits is slow */
    if (p->gamma_ps == 0)
        return 0;
    if (!__builtin_mul_overflow(elements, p->gamma_ps, &ps) && ps <= INT64_MAX - 999)
        ns = (ps + 999) / 1000;
    else
        ns = ((__int128)elements * p->gamma_ps + 999) / 1000;
    return ns < INT64_MAX / 8 ? (int64_t)ns : INT64_MAX / 8; /* as logp_params_stream_ns() */
}

static inline struct logp_prediction lpi_no_prediction(void)
{
    return (struct logp_prediction){.certainty = LOGP_PREDICTION_NONE};
}

/* Not that nothing is known, but that there was no memory to work it out. */
static inline struct logp_prediction lpi_no_memory(void)
{
    return (struct logp_prediction){.certainty = LOGP_PREDICTION_NONE,
                                    .ns = LOGP_PREDICTION_NO_MEMORY};
}

static inline bool lpi_lacks_memory(const struct logp_prediction *p)
{
    return p->certainty == LOGP_PREDICTION_NONE && p->ns == LOGP_PREDICTION_NO_MEMORY;
}

/* Times beyond 36 years have no prediction: sums of times saturate there, and no clock counts
 * further. An exact time that is beyond is marked: a fold would find no other. */
#define LPI_TOO_LONG INT64_MAX

static inline struct logp_prediction lpi_exact(__int128 ns)
{
    if (ns >= INT64_MAX / 8)
        return (struct logp_prediction){.certainty = LOGP_PREDICTION_NONE, .ns = LPI_TOO_LONG};
    return (struct logp_prediction){.certainty = LOGP_PREDICTION_EXACT, .ns = (int64_t)ns};
}

static inline struct logp_prediction lpi_bound(__int128 ns)
{
    struct logp_prediction prediction = lpi_exact(ns);

    if (prediction.certainty == LOGP_PREDICTION_NONE)
        return lpi_no_prediction();
    prediction.certainty = LOGP_PREDICTION_BOUND;
    return prediction;
}

static inline struct logp_prediction lpi_at_least_ns(__int128 ns)
{
    struct logp_prediction prediction = lpi_bound(ns);

    if (prediction.certainty == LOGP_PREDICTION_BOUND)
        prediction.certainty = LOGP_PREDICTION_LOWER_BOUND;
    return prediction;
}

/* ---- whole numbers ---- */

/* The largest power of two below n >= 2. */
static inline int64_t lpi_half(int64_t n)
{
    return INT64_C(1) << (63 - __builtin_clzll((uint64_t)(n - 1)));
}

/* n / k, rounded up; n >= 0, k >= 1 */
static inline int64_t lpi_ceil_div(int64_t n, int64_t k)
{
    return n / k + (n % k != 0);
}

/* x mod P, which is 0 .. P-1; -P <= x < 2 P */
static inline int64_t lpi_mod(int64_t x, int64_t P)
{
    return x < 0 ? x + P : x >= P ? x - P : x;
}

/* The largest common divisor; a, b >= 0 */
static inline int64_t lpi_gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* The x of 0 .. n-1 with x a = 1 mod n, of numbers without a common divisor; 0 where n = 1. */
static inline int64_t lpi_inverse(int64_t a, int64_t n)
{
    int64_t b = n, x = 1, y = 0;

    while (b != 0) {
        const int64_t q = a / b, rest = a % b, next = x - q * y;

        a = b;
        b = rest;
        x = y;
        y = next;
    }
    return (x % n + n) % n;
}

/* minimise.c */
/* Return the x >= 1 in low .. high where a function is least, or, if finding it takes too many
 * steps, one next to it; among equals low, else any. bound(a, b) is at most its value anywhere in
 * a .. b, and bound(x, x) is its value. */
int64_t lpi_minimise(__int128 (*bound)(int64_t low, int64_t high, const void *arg), const void *arg,
                     int64_t low, int64_t high);
/* Return the best size of the parts of a whole of M >= 1: all but the last are of one size, the
 * smallest with which their number holds the whole. time: that of n parts of a size and a last one,
 * which is not less for more or larger ones. */
int64_t lpi_best_part(int64_t M,
                      __int128 (*time)(int64_t n, int64_t size, int64_t last, const void *arg),
                      const void *arg);
/* floor(sqrt(x)), x < 2^126 */
int64_t lpi_isqrt(unsigned __int128 x);

/* Processors as a square: its side, floor(sqrt(P)); P >= 1. */
static inline int64_t lpi_side(int64_t P)
{
    return lpi_isqrt((unsigned __int128)P);
}

/* ---- optimal_tree.c ---- */

/* f(0) + ... + f(n) for d, e > 0, as long as f(n) < LOGP_TREE_MAX; else less. */
__int128 lpi_tree_sum(int64_t n, int64_t d, int64_t e);
/* Sum of the effective times of a tree whose ends are 0; d, e > 0. */
__int128 lpi_tree_total(const struct logp_tree *tree);

/*
 * ---- doubling.c ----
 * The times of recursive doubling: for broadcasts with D for a message and E between sends, for
 * reductions with a for D and B for E.
 */

/* The farthest first: t(1) = 0, t(2) = D, t(P) = max(D + t(P-h), E + t(h)), h = 2^(lg P - 1);
 * P = 2^x: D + (x-1) max(D, E). */
__int128 lpi_doubling_time(int64_t P, int64_t D, int64_t E);
/* The farthest first, with `more` items after the first one. A rank with c children passes items on
 * at least period(c, is it the root, arg) apart, which does not fall with c. P >= 2 */
__int128 lpi_doubling_pipelined(int64_t P, int64_t D, int64_t E, int64_t more,
                                __int128 (*period)(int c, bool root, const void *arg),
                                const void *arg);
/* The time when all P could make another send: as t(P), but for P = 2 max(D, E); t(P) where
 * E <= D. */
__int128 lpi_doubling_sent(int64_t P, int64_t D, int64_t E);
/* The nearest first. */
__int128 lpi_nearest_time(int64_t P, int64_t D, int64_t E);
/* P = n x n: along a row of n, then along all columns, the farthest first. */
__int128 lpi_mesh_time(int64_t P, int64_t D, int64_t E);
/* The most ones in the binary of any of 2^top .. x, where x >= 2^top. */
int lpi_most_ones(uint64_t x, int top);

/*
 * ---- rounds ----
 * In a round all processors do the same at the same time. In a round each sends n messages, and
 * then receives as many of the same size, in the order in which they were sent. With the shared gap
 * the first send also waits for the last receive before it, and the first receive for the last
 * send.
 */

/* The times when a processor is free, when its next send may start, and when its last receive
 * started. */
struct lpi_rounds {
    __int128 free, send_next, recv_start;
};

/* Before the first. */
#define LPI_ROUNDS                                                                                 \
    {                                                                                              \
        .recv_start = LOGP_NEVER                                                                   \
    }

/* The time when the next send may start. */
static inline __int128 lpi_rounds_start(const struct lpi_rounds *r, const struct logp_params *p)
{
    const __int128 start = lpi_later(r->free, r->send_next);

    return p->gap_shared ? lpi_later(start, r->recv_start + lpi_max(p->o_recv_ns, p->g_ns)) : start;
}

/* The time when the first message can be received, if the last send starts at `last`, E before
 * another. */
static inline __int128 lpi_rounds_turn(const struct logp_params *p, __int128 last, __int128 E,
                                       int64_t stream)
{
    return p->gap_shared ? last + E + (p->store_forward ? 0 : stream) : last + p->o_send_ns;
}

/*
 * Message k arrives at a(0) + k E, and is received at r(k) = max(r(k-1) + B, a(k)), B = max(o_recv
 * + c, gap), where each is combined in c when it has come: so the last one at max(r(0) + (n-1) B,
 * a(0) + (n-1) E). n >= 1
 */
static inline void lpi_combining_round(struct lpi_rounds *r, const struct logp_params *p, int64_t n,
                                       size_t n_bytes, int64_t c)
{
    const int64_t stream = logp_params_stream_ns(p, n_bytes), gap = logp_params_gap_ns(p, n_bytes);
    const __int128 E = lpi_max(p->o_send_ns, gap), E_r = lpi_max(p->o_recv_ns, gap);
    const __int128 B = lpi_max(p->o_recv_ns + c, gap);
    const __int128 start = lpi_rounds_start(r, p);
    const __int128 sent = lpi_rounds_turn(p, start + (n - 1) * E, E, stream);
    const __int128 arrival = start + p->o_send_ns + stream + p->L_ns;
    const __int128 first = lpi_later(lpi_later(sent, arrival), r->recv_start + E_r);

    r->send_next = start + n * E;
    r->recv_start = lpi_later(first + (n - 1) * B, arrival + (n - 1) * E);
    r->free = r->recv_start + p->o_recv_ns + c;
}

static inline void lpi_round(struct lpi_rounds *r, const struct logp_params *p, int64_t n,
                             size_t n_bytes)
{
    lpi_combining_round(r, p, n, n_bytes, 0);
}

/* A round of n messages, the last of which is of another size. */
static inline void lpi_uneven_round(struct lpi_rounds *r, const struct logp_params *p, int64_t n,
                                    size_t n_bytes, size_t last_bytes)
{
    const int64_t gap = logp_params_gap_ns(p, n_bytes),
                  last_gap = logp_params_gap_ns(p, last_bytes);
    const __int128 E = lpi_max(p->o_send_ns, gap), E_r = lpi_max(p->o_recv_ns, gap);
    const int64_t stream = logp_params_stream_ns(p, n_bytes),
                  last_stream = logp_params_stream_ns(p, last_bytes);
    const __int128 start = lpi_rounds_start(r, p), last = start + (n - 1) * E;
    const __int128 wire = p->o_send_ns + p->L_ns, arrival = start + wire + stream;
    const __int128 last_E = lpi_max(p->o_send_ns, last_gap);
    __int128 received = r->recv_start;

    if (n > 1) {
        received = lpi_later(received + E_r, lpi_rounds_turn(p, last, last_E, stream));
        received = lpi_later(received, arrival);
        received = lpi_later(received + (n - 2) * E_r, arrival + (n - 2) * E);
    }
    received = lpi_later(received + lpi_max(p->o_recv_ns, last_gap), last + wire + last_stream);
    r->send_next = last + last_E;
    r->recv_start = lpi_later(received, lpi_rounds_turn(p, last, last_E, last_stream));
    r->free = r->recv_start + p->o_recv_ns;
}

/*
 * Let all processors come to `at` with their gaps still before them: the times from there on are
 * bounds, since no processor is earlier in any act.
 */
static inline void lpi_rounds_from(struct lpi_rounds *r, const struct logp_params *p, __int128 at)
{
    *r = (struct lpi_rounds){at, at, at - p->o_recv_ns};
}

/*
 * The most that a round of up to n_bytes takes, however the processors differ: a processor that
 * begins it when all could begin has received by then, and may start the next round, gaps included.
 * (Where a longer message has no longer gap, a shorter one after it may come that much sooner.) The
 * last round takes D.
 */
static inline int64_t lpi_round_at_most(const struct logp_params *p, size_t n_bytes)
{
    const struct lpi_times t = lpi_times(p, n_bytes);

    return lpi_max(t.D, t.E) + (p->store_forward ? logp_params_stream_ns(p, n_bytes) : 0);
}

/*
 * ---- bound.c ----
 * Lower bounds of any algorithm, whatever its messages, their order and their sizes. Each
 * collective makes its own of these; bound.c has the proofs. In ns; bytes and elements >= 0,
 * P >= 1. A capacity only makes it longer. Where links differ, each parameter of p is the least of
 * any link; a network only makes the time longer than p alone does. lpi_bound_ways() adds the ways
 * of both.
 */

/* Until data of one have reached all of P; and until data of all have reached one, over any
 * relays. */
int64_t lpi_bound_out(const struct logp_params *p, int64_t P);
int64_t lpi_bound_in(const struct logp_params *p, int64_t P);

/* The time to add to a bound if no processor is done before this number of bytes has left the one
 * processor (in: each of the others), or has come to each of the others (in: the one). */
int64_t lpi_bound_more_sent(const struct logp_params *p, int64_t bytes);
int64_t lpi_bound_more_received(const struct logp_params *p, int64_t bytes);

/* bound_growth.c: until all of P have this number of bytes of one, o being o_send; backwards
 * o_recv. 0: no bound. */
int64_t lpi_bound_growth(const struct logp_params *p, int64_t o, int64_t P, int64_t bytes);

/* bound_items.c: until each of P - 1 others has this number of bytes of its own from one, o being
 * o_send; backwards o_recv. at_least: a known lower bound. 0: no bound. */
int64_t lpi_bound_items(const struct logp_params *p, int64_t o, int64_t P, int64_t bytes,
                        int64_t at_least);

/* bound_relays.c: until each of P has this number of bytes of its own from each other. 0: no bound. */
int64_t lpi_bound_relays(const struct logp_params *p, int64_t P, int64_t bytes);

/* bound_prefix.c: until each has something of this number of bytes of each below it, which may be
 * combined. 0: no bound. */
int64_t lpi_bound_prefix(const struct logp_params *p, int64_t P, int64_t bytes);

/* Until this number of bytes have left a processor, or come to it, and have arrived. */
int64_t lpi_bound_sent(const struct logp_params *p, int64_t bytes);
int64_t lpi_bound_received(const struct logp_params *p, int64_t bytes);

/* n elements of each of `operands` processors out of P are combined. */
int64_t lpi_bound_combined(const struct logp_params *p, int64_t P, int64_t n, int64_t operands);

/* n x m, or the largest count if that is too large. */
int64_t lpi_bound_times(int64_t n, int64_t m);

static inline int64_t lpi_bound_bytes(size_t n_bytes)
{
    return n_bytes < INT64_MAX / 8 ? (int64_t)n_bytes : INT64_MAX / 8;
}

/* Collectives that others contain; nothing is done where there are no bytes. One item to all: */
int64_t lpi_bound_broadcast(const struct logp_params *p, int64_t P, int64_t bytes);
/* an item to, or from, each; */
int64_t lpi_bound_scatter(const struct logp_params *p, int64_t P, int64_t bytes);
int64_t lpi_bound_gather(const struct logp_params *p, int64_t P, int64_t bytes);
/* an item from each to each; */
int64_t lpi_bound_exchange(const struct logp_params *p, int64_t P, int64_t bytes);
/* n elements from each, combined on one; 0: as many bytes, whatever is done to them. */
int64_t lpi_bound_reduce(const struct logp_params *p, int64_t P, int64_t bytes, int64_t n);

/* Ranks first, first + step, ... below end. */
struct lpi_ranks {
    int64_t first, end, step;
};

static inline struct lpi_ranks lpi_ranks_all(int64_t P)
{
    return (struct lpi_ranks){0, P, 1};
}

static inline struct lpi_ranks lpi_ranks_one(int64_t rank)
{
    return (struct lpi_ranks){rank, rank + 1, 1};
}

static inline bool lpi_ranks_are_all(const struct lpi_ranks *r, int64_t P)
{
    return r->first == 0 && r->end == P && r->step == 1;
}

static inline bool lpi_ranks_have(const struct lpi_ranks *r, int64_t rank)
{
    return rank >= r->first && rank < r->end && (rank - r->first) % r->step == 0;
}

/* The data that a collective brings from each of some processors to each of some others: bytes that
 * leave the one and without which the other cannot end, sent as they are or combined with
 * others. */
struct lpi_need {
    struct lpi_ranks from, to;
    int64_t bytes;   /* 0: nothing */
    int64_t work_ns; /* on the way or at its end */
    bool up;         /* only to higher ranks */
    bool each_from;  /* a processor gets other bytes from each, and each of them arrives */
    bool each_to;    /* a processor sends other bytes to each */
};

/* bound_ways.c: over links that differ, a network, or several ports; 0 elsewhere. Only in
 * logp_collective.bound, for which c->plan.state is the struct lpi_ways. */
int64_t lpi_bound_ways(int64_t P, const struct logp_invocation *c, const struct lpi_need *need);

/* bound_ports.c: the same through the ports of one processor. */
int64_t lpi_bound_ports(const struct lpi_ways *w, const struct lpi_need *need);

/* bound_cuts.c: the same through the links of a network. */
int64_t lpi_bound_cuts(const struct lpi_ways *w, const struct lpi_need *need);

/* bound_levels.c: the same, if those far from a place (back: from which it is far) are a level of
 * their own. longer: the time to add until all have its bytes. */
int64_t lpi_bound_levels(const struct lpi_ways *w, const struct lpi_need *need, int place,
                         bool back, const int64_t *way, int64_t longer);

/* ports_tree.c: the tree of a broadcast where processors have several ports. d: of a message, from
 * the start of its send to the end of its receipt; busy: the processor's part of it; e: from one
 * start of a port to its next. */
struct lpi_ports_tree {
    int64_t d, busy, e, ports;
};

/* @param parent  out: of each of P processors, in the order in which they have the item; that of
 *                the first -1; or NULL
 * @return when the last has it; -1: there is no memory */
int64_t lpi_ports_tree(const struct lpi_ports_tree *t, int P, int *parent);

/* N operands in all, on as many of P as it pays to have some. */
int64_t lpi_bound_summation(const struct logp_params *p, int64_t P, int64_t N);

/*
 * ---- ways.c ----
 * How long it takes at least from one processor to another, where they are not all equally far
 * apart: over links that differ from pair to pair, or over a network. In ns; no memory is taken.
 * The way from i to j is the least time from the start of a message of one byte that leaves i to
 * the end of the receipt of one at j, over any relays. A relay only begins to send when it has
 * received, so the way is a shortest path over the times of single messages, o_send + st(1) + L +
 * o_recv with the parameters of each link (Dijkstra). On a network a message over h links takes
 * o_send + h (L + st(1)) + o_recv; routes are shortest, so a relay only adds overheads. Places are
 * the processors that are looked at. Ranks of one kind on one node have the same ways to any
 * third, so two of them are enough, and whole nodes of one kind of ranks are alike, so three are
 * enough. Of a network all are places up to LPI_ALL_PLACES; beyond that some are, among them the
 * farthest from the root, and bounds hold for these.
 */

enum { LPI_PLACES = 256, LPI_ALL_PLACES = 128 };

struct lpi_ways {
    const struct logp_links *links;       /* NULL: a network */
    const struct logp_topology *topology; /* NULL: links */
    struct logp_params params;            /* parameters that links do not give */
    int64_t ports;                        /* more than one: ways are those without g and G, */
    struct logp_params port;              /* and these are the least parameters of a port */
    int64_t P;
    int n; /* 0: all are equally far apart */
    int rank[LPI_PLACES];
    int64_t stands_for[LPI_PLACES]; /* number of ranks as far from any place that is an end */
    bool is_end[LPI_PLACES];        /* ways from and to it may be looked at */
};

/* @return false if c has neither links nor a network, if they are not for P processors, or if there
 * are too many places; and its processors have one port. */
bool lpi_ways_init(struct lpi_ways *w, int64_t P, const struct logp_invocation *c);

/* The way from a place to each (back: from each to it); 0 to itself. */
void lpi_ways_of(const struct lpi_ways *w, int place, bool back, int64_t way[LPI_PLACES]);
/* Of each parameter the least on the links from a place to others (back: from others to it), and by
 * how much o_recv is larger on others of these at most. */
struct lpi_ways_port {
    struct logp_params least;
    int64_t o_recv_more;
};

struct lpi_ways_port lpi_ways_port(const struct lpi_ways *w, int place, bool back);
/* The parameters of a message between two places, but for the links of a network. */
struct logp_params lpi_ways_params(const struct lpi_ways *w, int from, int to);
/* to: of each parameter the lower one. */
void lpi_ways_lower(struct logp_params *to, const struct logp_params *p);

#endif
