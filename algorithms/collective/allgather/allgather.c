/* SPDX-License-Identifier: MIT */
/*
 * Allgather: an item from each processor to all, in the order of ranks.
 *
 * Where all processors act alike, in rounds of one send and one receive of equal size, a round
 * takes D. The next one starts D after it, or later if a gap requires that: so each round but the
 * last takes max(D, E, E_r), where E_r is max(o_recv, gap).
 */
#include "allgather.h"
#include "collective/exchange.h"
#include "predict/predict.h"
#include "schedule/reader.h"

/* ---- operands and results ---- */

static void sizes(int P, int rank, const struct logp_invocation *c, size_t *buf, size_t *recv_buf)
{
    *buf = lpi_items(c, rank, 1);
    *recv_buf = lpi_items_extent(P, c);
}

static bool postcondition(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t j,
                          struct logp_postcondition *out)
{
    (void)rank;
    if (j >= P)
        return false;
    out->at = (struct logp_buffer_ref){LOGP_RECV_BUF, lpi_item_at(c, j)};
    out->n_bytes = lpi_items(c, j, 1);
    out->from = j;
    return true;
}

static bool in_place(int64_t P, int64_t rank, const struct logp_invocation *c,
                     struct logp_buffer_ref *at)
{
    (void)P;
    at->offset = lpi_item_at(c, rank);
    return true;
}

/* Each item goes to all, all items come to each; and P - 1 leave a processor on the average. */
static int64_t bound(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const int64_t bytes = lpi_bound_bytes(c->args.n_bytes);
    const struct lpi_need need = {
        .from = lpi_ranks_all(P), .to = lpi_ranks_all(P), .bytes = bytes, .each_from = true};

    return lpi_max(lpi_max(lpi_bound_broadcast(p, P, bytes), lpi_bound_ways(P, c, &need)),
                   lpi_max(lpi_bound_gather(p, P, bytes), lpi_bound_scatter(p, P, bytes)));
}

/* ---- rounds ---- */

/* Steps with one item in its place: these may differ in size. */

static bool copy_own(struct logp_step *out, const struct logp_invocation *c, int64_t rank)
{
    return logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, lpi_item_at(c, rank)},
                          (struct logp_buffer_ref){LOGP_BUF, 0}, lpi_items(c, rank, 1));
}

static bool send_item(struct logp_step *out, const struct logp_invocation *c, int64_t to,
                      int64_t which)
{
    return logp_step_send(out, to, c->args.tag, LOGP_RECV_BUF, lpi_item_at(c, which),
                          lpi_items(c, which, 1));
}

static bool receive_item(struct logp_step *out, const struct logp_invocation *c, int64_t from,
                         int64_t which)
{
    return logp_step_receive(out, from, c->args.tag, LOGP_RECV_BUF, lpi_item_at(c, which),
                             lpi_items(c, which, 1));
}

/* Of a round in which each sends and receives n items: the times of the round and to the next. */
static void round_times(const struct logp_invocation *c, int64_t n, __int128 *last, __int128 *other)
{
    const struct lpi_times t = lpi_times(&c->model.params, lpi_bytes((size_t)n, c->args.n_bytes));

    *last = t.D;
    *other = lpi_later(lpi_max(t.D, t.E), c->model.params.o_recv_ns);
}

/* ---- ring: pass on the item received last, to the right ---- */

static bool ring_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    const int64_t r = (i - 1) / 2;

    if (i == 0)
        return copy_own(out, c, rank);
    if (r >= P - 1)
        return false;
    return i % 2 == 1 ? send_item(out, c, lpi_mod(rank + 1, P), lpi_mod(rank - r, P))
                      : receive_item(out, c, lpi_mod(rank - 1, P), lpi_mod(rank - r - 1, P));
}

LPI_READER(ring_run, ring_steps)

/* (P-2) max(D, E, E_r) + D */
static struct logp_prediction ring_predict(int64_t P, const struct logp_invocation *c)
{
    __int128 last, other;

    round_times(c, 1, &last, &other);
    if (P == 1)
        return lpi_exact(0);
    return c->model.params.gap_shared ? lpi_no_prediction() : lpi_exact((P - 2) * other + last);
}

/* ---- neighbour: swap with the two neighbours alternately, two items at a time ---- */

static const char *neighbour_needs(int64_t P, const struct logp_invocation *c)
{
    (void)c;
    return P % 2 == 0 ? NULL : "an even number of processors";
}

/*
 * Pairs (0,1), (2,3), ... swap their items; then each pair swaps the last two items with the
 * neighbours, on alternating sides. In round r >= 1 rank i sends the two items that it received in
 * round r - 1 (r = 1: the items of its own pair) and receives those of the pair that is ceil(r/2)
 * pairs away, on the side of the round's partner.
 */
static bool neighbour_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                            struct logp_step *out)
{
    const int64_t r = (i - 1) / 2;
    /* even ranks first pair to the right, then to the left, ... */
    const int64_t side = (rank % 2 == 0) == (r % 2 == 0) ? 1 : -1;
    const int64_t partner = lpi_mod(rank + side, P), pairs = P / 2, pair = rank / 2;
    /* of the pair that came in round r - 1 and of that which comes in round r, relative to mine */
    const int64_t had = r < 2 ? 0 : -side * (r / 2), comes = side * ((r + 1) / 2);
    int64_t at;

    if (i == 0)
        return lpi_copy_items(out, c, lpi_item(c, LOGP_RECV_BUF, rank), lpi_item(c, LOGP_BUF, 0),
                              1);
    if (r >= pairs)
        return false;
    if (r == 0)
        return i == 1 ? lpi_send_items(out, c, partner, lpi_item(c, LOGP_RECV_BUF, rank), 1)
                      : lpi_receive_items(out, c, partner, lpi_item(c, LOGP_RECV_BUF, partner), 1);
    at = 2 * ((pair + (i % 2 == 1 ? had : comes) + 2 * pairs) % pairs);
    return i % 2 == 1 ? lpi_send_items(out, c, partner, lpi_item(c, LOGP_RECV_BUF, at), 2)
                      : lpi_receive_items(out, c, partner, lpi_item(c, LOGP_RECV_BUF, at), 2);
}

LPI_READER(neighbour_run, neighbour_steps)

/* A round of one item, P/2 - 1 of two; a gap before a receive is over when one before its send is.
 */
static struct logp_prediction neighbour_predict(int64_t P, const struct logp_invocation *c)
{
    __int128 one, first, last, other;

    round_times(c, 1, &one, &first);
    round_times(c, 2, &last, &other);
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_exact(P > 2 ? first + (P / 2 - 2) * other + last : one);
}

/* ---- bruck: each phase multiplies the items present, from the own one on, by k ---- */

/*
 * In scratch item j is that of rank + j. In the phase in which `have` are there, items for the
 * ranks `have`, 2 have, ... (k-1) have below are sent to them, all first; then as many received. At
 * the end two copies bring them into the order of ranks, or one for each item to where that is.
 */
static struct logp_buffer_ref rotated(const struct logp_invocation *c, int64_t rank, int64_t j)
{
    return (struct logp_buffer_ref){LOGP_SCRATCH, lpi_items(c, rank, j)};
}

static bool into_order(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    const bool apart = lpi_items_apart(c);
    const int64_t j = apart ? i : i * (P - rank), which = lpi_mod(rank + j, P);
    const int64_t n = apart ? 1 : i == 0 ? P - rank : rank, copies = apart ? P : 1 + (rank > 0);

    return i < copies &&
           logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, lpi_item_at(c, which)},
                          rotated(c, rank, j), lpi_items(c, which, n));
}

static bool bruck_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t k,
                        int64_t i, struct logp_step *out)
{
    if (i-- == 0)
        return logp_step_copy(out, rotated(c, rank, 0), (struct logp_buffer_ref){LOGP_BUF, 0},
                              lpi_items(c, rank, 1));
    for (int64_t have = 1; have<P; have = have> P / k ? P : have * k) {
        const int64_t there = (P - 1) / have, messages = there < k - 1 ? there : k - 1;
        const int64_t distance = (i % messages + 1) * have;
        const int64_t n = have < P - distance ? have : P - distance;

        if (i < messages)
            return logp_step_send(out, lpi_mod(rank - distance, P), c->args.tag, LOGP_SCRATCH, 0,
                                  lpi_items(c, rank, n));
        if (i < 2 * messages)
            return logp_step_receive(out, lpi_mod(rank + distance, P), c->args.tag, LOGP_SCRATCH,
                                     lpi_items(c, rank, distance),
                                     lpi_items(c, lpi_mod(rank + distance, P), n));
        i -= 2 * messages;
    }
    return into_order(P, rank, c, i, out);
}

/* All messages of a phase are of `have` items, but the last one of all. */
static struct logp_prediction bruck_k_predict(int64_t P, const struct logp_invocation *c)
{
    const int64_t k = lpi_knomial_radix(P, c);
    struct lpi_rounds r = LPI_ROUNDS;

    for (int64_t have = 1; have<P; have = have> P / k ? P : have * k) {
        const int64_t there = (P - 1) / have, n = there < k - 1 ? there : k - 1;
        const int64_t last = have < P - n * have ? have : P - n * have;

        lpi_uneven_round(&r, &c->model.params, n, lpi_bytes((size_t)have, c->args.n_bytes),
                         lpi_bytes((size_t)last, c->args.n_bytes));
    }
    return lpi_exact(r.free);
}

static int bruck_plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    c->plan.scratch_bytes = lpi_items(c, 0, P);
    return 0;
}

LPI_STEPS_WITH(bruck_2_steps, bruck_steps, 2)
LPI_STEPS_WITH(bruck_k_steps, bruck_steps, lpi_knomial_radix(P, c))
LPI_READER(bruck_2_run, bruck_2_steps)

static struct logp_prediction bruck_2_predict(int64_t P, const struct logp_invocation *c)
{
    struct lpi_rounds r = LPI_ROUNDS;

    for (int64_t have = 1; have < P; have *= 2)
        lpi_round(&r, &c->model.params, 1,
                  lpi_bytes((size_t)(have < P - have ? have : P - have), c->args.n_bytes));
    return lpi_exact(r.free);
}

/* ---- doubling: swap all that is there with rank xor 1, 2, 4, ... ---- */

/*
 * Any P: with X = 2^x <= P < 2 X, each rank from X on hands its item to the rank X below, and
 * receives all items from there at the end. In between rank j has its own item and, where
 * j < P - X, also that of j + X, one after the other: in scratch, those of j are at
 * j + min(j, P - X). P = X: items are received at their places in recv_buf.
 */
static int64_t half_of(int64_t P)
{
    int64_t X = 1;

    while (X <= P / 2)
        X *= 2;
    return X;
}

/* Items of the ranks below j. */
static int64_t doubled(int64_t P, int64_t X, int64_t j)
{
    return j + (j < P - X ? j : P - X);
}

static struct logp_buffer_ref doubled_item(int64_t P, int64_t X, const struct logp_invocation *c,
                                           int64_t j)
{
    return lpi_item(c, P == X ? LOGP_RECV_BUF : LOGP_SCRATCH, doubled(P, X, j));
}

/* Copy from scratch into the order of ranks: the first items of all pairs, the second ones, which
 * come after those of all X, and the items of single ranks. */
static bool unfold(int64_t P, int64_t X, const struct logp_invocation *c, int64_t i,
                   struct logp_step *out)
{
    const int64_t pairs = P - X;

    if (pairs == 0 || i > 2)
        return false;
    if (i == 2)
        return lpi_copy_items(out, c, lpi_item(c, LOGP_RECV_BUF, pairs),
                              lpi_item(c, LOGP_SCRATCH, 2 * pairs), X - pairs);
    lpi_copy_items(out, c, lpi_item(c, LOGP_RECV_BUF, i * X), lpi_item(c, LOGP_SCRATCH, i), 1);
    out->n = pairs;
    out->right_stride = 2 * c->args.n_bytes;
    return true;
}

static bool doubling_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                           struct logp_step *out)
{
    const int64_t X = half_of(P), below = rank - X;
    const bool has_pair = rank < P - X;
    int64_t d = 1, other;

    if (below >= 0) { /* one of those beyond X */
        if (i == 0)
            return lpi_send_items(out, c, below, lpi_item(c, LOGP_BUF, 0), 1);
        if (i == 1)
            return lpi_receive_items(out, c, below, lpi_item(c, LOGP_SCRATCH, 0), P);
        return unfold(P, X, c, i - 2, out);
    }
    if (i-- == 0)
        return lpi_copy_items(out, c, doubled_item(P, X, c, rank), lpi_item(c, LOGP_BUF, 0), 1);
    if (has_pair && i-- == 0)
        return lpi_receive_items(out, c, rank + X,
                                 lpi_item(c, LOGP_SCRATCH, doubled(P, X, rank) + 1), 1);
    for (; d < X && i >= 2; d *= 2)
        i -= 2;
    if (d < X) {
        other = i == 0 ? rank & -d : (rank ^ d) & -d; /* the first of mine, or of theirs */
        return (i == 0 ? lpi_send_items
                       : lpi_receive_items)(out, c, rank ^ d, doubled_item(P, X, c, other),
                                            doubled(P, X, other + d) - doubled(P, X, other));
    }
    if (has_pair && i-- == 0)
        return lpi_send_items(out, c, rank + X, lpi_item(c, LOGP_SCRATCH, 0), P);
    return unfold(P, X, c, i, out);
}

static int doubling_plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    if (half_of(P) != P)
        c->plan.scratch_bytes = lpi_bytes((size_t)P, c->args.n_bytes);
    return 0;
}

LPI_READER(doubling_run, doubling_steps)

/* P = 2^x; else not all do the same, and this is how long it takes at most. */
static struct logp_prediction doubling_predict(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    struct lpi_rounds r = LPI_ROUNDS;
    __int128 T = lpi_round_at_most(p, c->args.n_bytes);

    if (P > 1 && p->gap_shared)
        return lpi_no_prediction();
    for (int64_t d = 1; half_of(P) != P && d < half_of(P); d *= 2)
        T += lpi_round_at_most(p, lpi_bytes(2 * (size_t)d, c->args.n_bytes));
    if (half_of(P) != P)
        return lpi_bound(T + lpi_times(p, lpi_bytes((size_t)P, c->args.n_bytes)).D);
    for (int64_t d = 1; d < P; d *= 2)
        lpi_round(&r, &c->model.params, 1, lpi_bytes((size_t)d, c->args.n_bytes));
    return lpi_exact(r.free);
}

/* ---- sparbit: each item down a binomial tree of its own, the farthest first ---- */

/*
 * Before the round of distance d a rank has the items of the ranks 2 d, 4 d, ... before it, and its
 * own; it sends each to rank + d, if that is still before the item's rank, P round.
 */
static int64_t stripes(int64_t P, int64_t d)
{
    return (P - d - 1) / (2 * d) + 1;
}

static bool sparbit_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                          struct logp_step *out)
{
    if (i-- == 0)
        return copy_own(out, c, rank);
    for (int64_t d = P > 1 ? lpi_half(P) : 0; d > 0; d /= 2) {
        const int64_t n = stripes(P, d);

        if (i < n)
            return send_item(out, c, lpi_mod(rank + d, P), lpi_mod(rank - 2 * d * i, P));
        i -= n;
        if (i < n)
            return receive_item(out, c, lpi_mod(rank - d, P), lpi_mod(rank - d - 2 * d * i, P));
        i -= n;
    }
    return false;
}

LPI_READER(sparbit_run, sparbit_steps)

static struct logp_prediction sparbit_predict(int64_t P, const struct logp_invocation *c)
{
    struct lpi_rounds r = LPI_ROUNDS;

    for (int64_t d = P > 1 ? lpi_half(P) : 0; d > 0; d /= 2)
        lpi_round(&r, &c->model.params, stripes(P, d), c->args.n_bytes);
    return lpi_exact(r.free);
}

/* ---- pat: the same the other way round, with up to k items in a message ---- */

/* In scratch item j is that of rank + j; behind them are the items of a message. */

static bool pack(struct logp_step *out, const struct logp_invocation *c, int64_t P, int64_t first,
                 int64_t apart, int64_t n, bool unpack)
{
    const struct logp_buffer_ref items = lpi_item(c, LOGP_SCRATCH, first);
    const struct logp_buffer_ref message = lpi_item(c, LOGP_SCRATCH, P);

    logp_step_copy(out, unpack ? items : message, unpack ? message : items, c->args.n_bytes);
    out->n = n;
    *(unpack ? &out->at_stride : &out->right_stride) = (size_t)apart * c->args.n_bytes;
    return true;
}

static bool pat_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                      struct logp_step *out)
{
    const int64_t k = lpi_pat_most(P, c);

    if (i-- == 0)
        return lpi_copy_items(out, c, lpi_item(c, LOGP_SCRATCH, 0), lpi_item(c, LOGP_BUF, 0), 1);
    for (int64_t d = P > 1 ? lpi_half(P) : 0; d > 0; d /= 2) {
        const int64_t n = stripes(P, d), messages = lpi_ceil_div(n, k);
        const int64_t m = i / 2 % messages * k, items = k < n - m ? k : n - m;
        const struct logp_buffer_ref message = lpi_item(c, LOGP_SCRATCH, P);

        if (i < 2 * messages)
            return i % 2 == 0 ? pack(out, c, P, 2 * d * m, 2 * d, items, false)
                              : lpi_send_items(out, c, lpi_mod(rank - d, P), message, items);
        if (i < 4 * messages)
            return i % 2 == 0 ? lpi_receive_items(out, c, lpi_mod(rank + d, P), message, items)
                              : pack(out, c, P, 2 * d * m + d, 2 * d, items, true);
        i -= 4 * messages;
    }
    if (i == 0)
        return lpi_copy_items(out, c, lpi_item(c, LOGP_RECV_BUF, rank),
                              lpi_item(c, LOGP_SCRATCH, 0), P - rank);
    return i == 1 && lpi_copy_items(out, c, lpi_item(c, LOGP_RECV_BUF, 0),
                                    lpi_item(c, LOGP_SCRATCH, P - rank), rank);
}

static int pat_plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    c->plan.scratch_bytes = lpi_bytes((size_t)(P + lpi_pat_most(P, c)), c->args.n_bytes);
    return 0;
}

static struct logp_prediction pat_predict(int64_t P, const struct logp_invocation *c)
{
    const int64_t k = lpi_pat_most(P, c);
    struct lpi_rounds r = LPI_ROUNDS;

    for (int64_t d = P > 1 ? lpi_half(P) : 0; d > 0; d /= 2) {
        const int64_t n = stripes(P, d), messages = lpi_ceil_div(n, k);
        const int64_t last = n - (messages - 1) * k;

        lpi_uneven_round(&r, &c->model.params, messages,
                         lpi_bytes((size_t)(messages > 1 ? k : last), c->args.n_bytes),
                         lpi_bytes((size_t)last, c->args.n_bytes));
    }
    return lpi_exact(r.free);
}

/* ---- recursive-exchange: all that is there goes to k - 1 ranks a round, distance x k ---- */

/* Of n groups from `first` on: items in the order of ranks, which lie side by side. */
static bool move_groups(bool sends, int64_t P, const struct lpi_exchange *g, int64_t peer,
                        int64_t first, int64_t n, const struct logp_invocation *c,
                        struct logp_step *out)
{
    const int64_t begin = lpi_part_begin(P, g->X, first);
    const int64_t end = lpi_part_begin(P, g->X, first + n);

    return (sends ? lpi_send_items : lpi_receive_items)(
        out, c, peer, lpi_item(c, LOGP_RECV_BUF, begin), end - begin);
}

static bool exchange_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                           struct logp_step *out)
{
    const struct lpi_exchange g = lpi_exchange_of(P, rank, lpi_knomial_radix(P, c));
    const int64_t n = g.k - 1;

    if (rank != g.first)
        return i == 0 ? lpi_send_items(out, c, g.first, lpi_item(c, LOGP_BUF, 0), 1)
                      : i == 1 && move_groups(false, P, &g, g.first, 0, g.X, c, out);
    if (i-- == 0)
        return lpi_copy_items(out, c, lpi_item(c, LOGP_RECV_BUF, rank), lpi_item(c, LOGP_BUF, 0),
                              1);
    if (i < g.others)
        return lpi_receive_items(out, c, rank + 1 + i, lpi_item(c, LOGP_RECV_BUF, rank + 1 + i), 1);
    i -= g.others;
    for (int64_t d = 1; d < g.X; d *= g.k, i -= 2 * n) {
        const int64_t to = lpi_exchange_peer(&g, d, 1 + i % n);
        const int64_t from = lpi_exchange_peer(&g, d, g.k - 1 - i % n);

        if (i < n)
            return move_groups(true, P, &g, lpi_part_begin(P, g.X, to), g.j - g.j % d, d, c, out);
        if (i < 2 * n)
            return move_groups(false, P, &g, lpi_part_begin(P, g.X, from), from - from % d, d, c,
                               out);
    }
    return i < g.others && move_groups(true, P, &g, rank + 1 + i, 0, g.X, c, out);
}

/* P = k^x: all do the same. */
static struct logp_prediction exchange_predict(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_exchange g = lpi_exchange_of(P, 0, lpi_knomial_radix(P, c));
    struct lpi_rounds r = LPI_ROUNDS;

    if (P > 1 && (g.X != P || c->model.params.gap_shared))
        return lpi_no_prediction();
    for (int64_t d = 1; d < g.X; d *= g.k)
        lpi_round(&r, &c->model.params, g.k - 1, lpi_bytes((size_t)d, c->args.n_bytes));
    return lpi_exact(r.free);
}

/* ---- the rows ---- */

static const char bruck_source[] = "Bruck et al. 1997", thakur[] = "Thakur et al. 2005";

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("allgather", "ring", "pass the last block to the right",
                    "Grama et al., ch. 4.2"),
     .steps = ring_steps, .run = ring_run, .predict = ring_predict, .in_place = true,
     .any_blocks = true},
    {LOGP_ALGORITHM("allgather", "recursive-doubling", "exchange all with rank xor 1, 2, 4, ...",
                    thakur),
     .plan = doubling_plan, .steps = doubling_steps, .run = doubling_run,
     .predict = doubling_predict, .rough = true, .in_place = true},
    {LOGP_ALGORITHM("allgather", "bruck", "receive all from rank + 1, 2, 4, ...", bruck_source),
     .plan = bruck_plan, .steps = bruck_2_steps, .run = bruck_2_run, .predict = bruck_2_predict,
     .in_place = true, .any_blocks = true},
    {LOGP_ALGORITHM("allgather", "bruck-k", "receive from k - 1 ranks a round, distance x k",
                    bruck_source),
     .needs = lpi_knomial_needs, .plan = bruck_plan, .steps = bruck_k_steps,
     .predict = bruck_k_predict, .rough = true, .in_place = true, .any_blocks = true,
     .knobs = {LOGP_KNOB(k, lpi_knomial_k)}},
    {LOGP_ALGORITHM("allgather", "neighbour", "exchange two with left and right, alternately",
                    "Chen et al. 2005"),
     .needs = neighbour_needs, .steps = neighbour_steps, .run = neighbour_run,
     .predict = neighbour_predict, .in_place = true},
    {LOGP_ALGORITHM("allgather", "sparbit", "each item down a tree of its own, the farthest first",
                    "Loch & Koslovski 2021"),
     .steps = sparbit_steps, .run = sparbit_run, .predict = sparbit_predict, .in_place = true,
     .any_blocks = true},
    {LOGP_ALGORITHM("allgather", "pat", "the same with up to k items in a message", "NCCL 2.23"),
     .needs = lpi_pat_needs, .plan = pat_plan, .steps = pat_steps, .predict = pat_predict,
     .in_place = true, .knobs = {LOGP_KNOB(k, lpi_pat_most)}},
    {LOGP_ALGORITHM("allgather", "recursive-exchange", "all to k - 1 ranks a round, distance x k",
                    "MPICH"),
     .needs = lpi_knomial_needs, .steps = exchange_steps, .predict = exchange_predict,
     .in_place = true, .knobs = {LOGP_KNOB(k, lpi_knomial_k)}},
};

static const struct lpi_rows rows = LPI_ROWS(algorithms);

const struct logp_collective lpi_allgather = {
    .name = "allgather",
    .summary = "every rank sends its item to all ranks",
    .operands = LOGP_OPERANDS_BYTES,
    .sizes = sizes,
    .postcondition = postcondition,
    .in_place = in_place,
    .bound = bound,
    .rows = (const struct lpi_rows *const[]){&rows, &lpi_allgather_trees, &lpi_allgather_circulant,
                                             &lpi_census_allgather, &lpi_two_level_allgather,
                                             &lpi_shared_allgather, &lpi_neighbours_allgather,
                                             &lpi_lanes_allgather, &lpi_contained_allgather,
                                             &lpi_torus_rings_allgather, NULL},
};
