/* SPDX-License-Identifier: MIT */
/*
 * Broadcast and reduce of vectors in pieces by greedy matching. The rank that is free first sends
 * next: it sends the piece that the fewest ranks have to the rank that has the fewest pieces and can
 * receive one then. The root first sends each piece once. So pieces travel on trees that are optimal
 * while few ranks have them, and share the ports in turn. A reduction is such a broadcast backwards,
 * with sends and receives exchanged. One of several ranks that are equally good is drawn; several
 * draws are tried, and the one that ends first is kept.
 *
 * All is planned with times of whole pieces, in which no two messages meet at a port or a processor.
 * Half of the draws are planned as if a message took a whole number of thirds or quarters of the
 * least time between two: then fewer ports idle for less than that time, which no message can use.
 * With L, o, g = 6, 2, 4 it ends within three slots of (k-1) E + T(P), which nothing beats with as
 * many pieces (tests/algorithms/test_pipelined.c).
 */
#include "broadcast/broadcast.h"
#include "collective/collective.h"
#include "reduce/reduce.h"

#include <logp/paper.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_P = 256, MOST_PIECES = 128, MOST_MESSAGES = 1 << 14, MOST_TRIES = 16 };

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    (void)c;
    return P <= MOST_P ? NULL : "at most 256 processors";
}

static const char *reduce_needs(int64_t P, const struct logp_invocation *c)
{
    const char *order = lpi_needs_commutative(P, c);

    return order != NULL ? order : needs(P, c);
}

/* ---- the problem ---- */

/* What a piece costs: at its sender, at its receiver, and between the two. */
struct costs {
    int64_t send, receive, wire;
    int64_t send_apart, receive_apart; /* the least time between two starts */
};

/* All that a matching depends on; compared as bytes. */
struct problem {
    int64_t P, pieces;
    struct costs costs;
};

struct message {
    int64_t at, there; /* its send starts, and its receive */
    int16_t from, to, piece;
};

static struct costs costs_of(const struct logp_params *p, size_t n_bytes, int64_t combine_ns,
                             bool up)
{
    const int64_t gap = logp_params_gap_ns(p, n_bytes);
    const int64_t send = up ? p->o_recv_ns + combine_ns : p->o_send_ns;
    const int64_t receive = up ? p->o_send_ns : p->o_recv_ns;

    return (struct costs){.send = send,
                          .receive = receive,
                          .wire = logp_params_stream_ns(p, n_bytes) + p->L_ns,
                          .send_apart = lpi_max(send, gap),
                          .receive_apart = lpi_max(receive, gap)};
}

/* As if a message took a whole number of parts of the least time between two: of thirds or
 * quarters, whichever of the two is the less longer. */
static struct costs on_grid(struct costs c)
{
    const int64_t D = c.send + c.wire + c.receive;
    struct costs best = c;

    for (int parts = 3; parts <= 4; parts++) {
        const int64_t part = lpi_ceil_div(c.send_apart, parts), rest = part > 0 ? D % part : 0;
        struct costs grid = c;

        grid.wire += rest > 0 ? part - rest : 0;
        grid.send_apart = grid.receive_apart = part * parts;
        if (parts == 3 || grid.wire < best.wire)
            best = grid;
    }
    return c.send_apart == c.receive_apart ? best : c;
}

/* ---- matching ---- */

static const int64_t never = INT64_MAX;

struct work {
    const struct problem *p;
    struct costs costs; /* that it plans with: on_grid(), or as they are */
    bool is_on_grid;
    int64_t *has;            /* by piece and rank: from when on; -1: it is not to come */
    int64_t *arrivals;       /* by rank: starts of receives, in order */
    int64_t port_at[MOST_P]; /* when the gap of a rank's last send is over */
    int64_t free_at[MOST_P]; /* when it looks what to send; never: there is nothing */
    int64_t active[MOST_P];  /* a rank has pieces that are still spread up to then */
    int n_arrivals[MOST_P], copies[MOST_PIECES];
    uint64_t random;
    struct message *out;
};

static int64_t *has(const struct work *w, int rank, int piece)
{
    return &w->has[piece * w->p->P + rank];
}

/* Whether a receive at this time starts so that neither the port nor the processor is at another
 * message. */
static bool can_receive(const struct work *w, int rank, int64_t at)
{
    const int64_t *arrivals = &w->arrivals[rank * w->p->pieces];

    for (int i = w->n_arrivals[rank] - 1; i >= 0; i--) {
        const int64_t apart = at > arrivals[i] ? at - arrivals[i] : arrivals[i] - at;

        if (apart < w->costs.receive_apart)
            return false;
        if (at > arrivals[i])
            return true;
    }
    return true;
}

/* When a rank that is to send at `at` is at no receive; the first such time. */
static int64_t beside_receives(const struct work *w, int rank, int64_t at)
{
    const int64_t *arrivals = &w->arrivals[rank * w->p->pieces];

    for (int i = 0; i < w->n_arrivals[rank]; i++)
        if (arrivals[i] < at + w->costs.send && at < arrivals[i] + w->costs.receive)
            at = arrivals[i] + w->costs.receive;
    return at;
}

static uint64_t draw(struct work *w)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return w->random >> 58;
}

/* The less, the sooner a rank should receive: it has few pieces, and those that it has are spread soon. */
static uint64_t score_of(struct work *w, int rank)
{
    const uint64_t n = (uint64_t)w->n_arrivals[rank], active = (uint64_t)w->active[rank];
    const uint64_t apart = (uint64_t)w->costs.receive_apart;

    if (w->is_on_grid)
        return (((n * apart + 5 * active) & (UINT64_MAX >> 6)) << 6) + draw(w);
    return (n << 52) + ((active & (UINT64_MAX >> 18)) << 6) + draw(w);
}

/* @return the rank that receives this piece at `arrival`; -1: no rank can */
static int receiver_of(struct work *w, int piece, int64_t arrival)
{
    uint64_t least = UINT64_MAX;
    int best = -1;

    for (int rank = 1; rank < w->p->P; rank++) {
        uint64_t score;

        if (*has(w, rank, piece) >= 0 || !can_receive(w, rank, arrival))
            continue;
        score = score_of(w, rank);
        if (score < least) {
            least = score;
            best = rank;
        }
    }
    return best;
}

/* Pieces that a rank may send at `at`, the rarest first, of those the last. *later: when it has
 * another one. @return how many */
static int candidates(const struct work *w, int rank, int64_t at, int *pieces, int64_t *later)
{
    int n = 0;

    *later = never;
    for (int piece = 0; piece < w->p->pieces; piece++) {
        const int64_t since = *has(w, rank, piece);
        int i = n;

        if (since < 0 || w->copies[piece] == w->p->P)
            continue;
        if (since > at) {
            *later = since < *later ? since : *later;
            continue;
        }
        for (; i > 0 && w->copies[pieces[i - 1]] >= w->copies[piece]; i--)
            pieces[i] = pieces[i - 1];
        pieces[i] = piece;
        n++;
    }
    return n;
}

static int first_free(const struct work *w)
{
    int first = 0;

    for (int rank = 1; rank < w->p->P; rank++)
        if (w->free_at[rank] < w->free_at[first])
            first = rank;
    return first;
}

/* A rank sends a piece. @return when it is there */
static int64_t send(struct work *w, int n, int from, int to, int piece, int64_t at)
{
    const struct costs *costs = &w->costs;
    const int64_t arrival = at + costs->send + costs->wire, there = arrival + costs->receive;
    int64_t *arrivals = &w->arrivals[to * w->p->pieces], spread = there, free_at;
    int i = w->n_arrivals[to]++;

    for (; i > 0 && arrivals[i - 1] > arrival; i--)
        arrivals[i] = arrivals[i - 1];
    arrivals[i] = arrival;
    w->out[n] = (struct message){at, arrival, (int16_t)from, (int16_t)to, (int16_t)piece};
    *has(w, to, piece) = there;
    w->copies[piece]++;
    for (int64_t copies = w->copies[piece]; copies < w->p->P; copies *= 2)
        spread += costs->send_apart;
    w->active[to] = lpi_max(w->active[to], spread);
    w->port_at[from] = w->free_at[from] = at + costs->send_apart;
    free_at = lpi_max(there, w->port_at[to]);
    w->free_at[to] = w->free_at[to] < free_at ? w->free_at[to] : free_at;
    return there;
}

/* All messages, in the order in which they are sent. @return when the last is there */
static int64_t match(struct work *w)
{
    const struct problem *p = w->p;
    const int messages = (int)((p->P - 1) * p->pieces);
    const int64_t moment = lpi_max(lpi_max(w->costs.send_apart, w->costs.receive_apart) / 8, 1);
    int pieces[MOST_PIECES], root_sent = 0;
    int64_t end = 0;

    memset(w->has, -1, (size_t)(p->P * p->pieces) * sizeof(*w->has));
    for (int rank = 0; rank < p->P; rank++) {
        w->n_arrivals[rank] = 0;
        w->active[rank] = w->port_at[rank] = 0;
        w->free_at[rank] = rank == 0 ? 0 : never;
    }
    for (int piece = 0; piece < p->pieces; piece++) {
        *has(w, 0, piece) = 0;
        w->copies[piece] = 1;
    }
    for (int n = 0; n < messages;) {
        const int from = first_free(w);
        const int64_t at = beside_receives(w, from, w->free_at[from]);
        int64_t later;
        int k, to = -1, n_pieces;

        if (at > w->free_at[from]) {
            w->free_at[from] = at;
            continue;
        }
        n_pieces = candidates(w, from, at, pieces, &later);
        if (from == 0 && root_sent < p->pieces) {
            pieces[0] = root_sent;
            n_pieces = 1;
        }
        for (k = 0; k < n_pieces && to < 0; k++)
            to = receiver_of(w, pieces[k], at + w->costs.send + w->costs.wire);
        if (to < 0) { /* no receiver is free: a moment later; or nothing is left to send */
            w->free_at[from] = n_pieces > 0 && at + moment < later ? at + moment : later;
            continue;
        }
        root_sent += from == 0 && root_sent < p->pieces;
        end = lpi_max(end, send(w, n++, from, to, pieces[k - 1], at));
    }
    return end;
}

/* The best of some draws, in out. 0; -ENOMEM */
static int find(const struct problem *p, struct message *out)
{
    const size_t cells = (size_t)(p->P * p->pieces), n = (size_t)((p->P - 1) * p->pieces);
    const int64_t tries = (1 << 14) / (int64_t)cells;
    struct work *w = malloc(sizeof(*w) + 2 * cells * sizeof(int64_t) + n * sizeof(*out));
    int64_t best = never;

    if (w == NULL)
        return -ENOMEM;
    w->p = p;
    w->has = (int64_t *)(w + 1);
    w->arrivals = w->has + cells;
    w->out = (struct message *)(w->arrivals + cells);
    for (int64_t i = 0; i < 2 || (i < tries && i < MOST_TRIES); i++) {
        int64_t end;

        w->random = (uint64_t)i / 2 + 1;
        w->is_on_grid = i % 2 == 0;
        w->costs = w->is_on_grid ? on_grid(p->costs) : p->costs;
        end = match(w);
        if (end < best)
            memcpy(out, w->out, n * sizeof(*out));
        best = end < best ? end : best;
    }
    free(w);
    return 0;
}

/* The matching that was found last: all ranks ask for the same one. A rank that finds it in use makes
 * its own. */
static struct {
    atomic_flag in_use;
    struct problem problem;
    struct message messages[MOST_MESSAGES];
} kept = {.in_use = ATOMIC_FLAG_INIT};

/* As find(), or as it was kept. */
static int recall(const struct problem *p, struct message *out)
{
    const size_t bytes = (size_t)((p->P - 1) * p->pieces) * sizeof(*out);
    int rc = 0;

    /* acquire pairs with the release below */
    if (atomic_flag_test_and_set_explicit(&kept.in_use, memory_order_acquire))
        return find(p, out);
    if (memcmp(&kept.problem, p, sizeof(*p)) != 0) {
        rc = find(p, kept.messages);
        kept.problem = rc == 0 ? *p : (struct problem){.P = 0};
    }
    memcpy(out, kept.messages, bytes);
    /* release pairs with the acquire above */
    atomic_flag_clear_explicit(&kept.in_use, memory_order_release);
    return rc;
}

/* ---- plans ---- */

enum kind { SEND, RECEIVE, COMBINE };

/* A step of a rank. */
struct act {
    int16_t peer, piece; /* peer: after the root */
    int8_t kind;
    bool first; /* reduce: nothing of the piece has come before; sends: ever */
};

/* plan.state */
struct acts {
    int64_t pieces, whole; /* bytes, or elements */
    int64_t n;
    struct act act[];
};

/* A message of a rank, and when the rank begins to send or receive it. */
struct event {
    int64_t at;
    int64_t message;
    bool sends;
};

static int in_order(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->message > y->message) - (x->message < y->message);
}

static int events_of(const struct problem *p, const struct message *messages, int v,
                     struct event *events)
{
    const int64_t n = (p->P - 1) * p->pieces;
    int n_events = 0;

    for (int64_t i = 0; i < n; i++) {
        const struct message *m = &messages[i];

        if (m->from == v)
            events[n_events++] = (struct event){m->at, i, true};
        else if (m->to == v)
            events[n_events++] = (struct event){m->there, i, false};
    }
    qsort(events, (size_t)n_events, sizeof(*events), in_order);
    return n_events;
}

/* Backwards, where something has come of a piece it is marked in `some`. */
static void add_acts(struct acts *acts, const struct message *messages, const struct event *e,
                     bool up, bool *some)
{
    const struct message *m = &messages[e->message];
    const bool sends = e->sends != up;
    struct act act = {.peer = e->sends ? m->to : m->from,
                      .piece = m->piece,
                      .kind = sends ? SEND : RECEIVE,
                      .first = !some[m->piece]};

    acts->act[acts->n++] = act;
    if (!up || sends)
        return;
    act.kind = COMBINE;
    acts->act[acts->n++] = act;
    some[m->piece] = true;
}

static int plan(int P, int v, struct logp_invocation *c, const struct problem *p, int64_t whole,
                bool up)
{
    const size_t n = (size_t)((P - 1) * p->pieces);
    struct message *messages = malloc((n + 1) * sizeof(*messages));
    struct event *events = malloc((n + 1) * sizeof(*events));
    struct acts *acts = malloc(sizeof(*acts) + 2 * n * sizeof(acts->act[0]));
    bool some[MOST_PIECES] = {false};
    int rc = messages != NULL && events != NULL && acts != NULL ? 0 : -ENOMEM, n_events;

    if (rc == 0 && P > 1)
        rc = recall(p, messages);
    if (rc == 0) {
        *acts = (struct acts){.pieces = p->pieces, .whole = whole};
        n_events = P > 1 ? events_of(p, messages, v, events) : 0;
        for (int i = 0; i < n_events; i++)
            add_acts(acts, messages, &events[up ? n_events - 1 - i : i], up, some);
        c->plan.state = acts;
        c->plan.early = true; /* pieces cross */
    } else {
        free(acts);
    }
    free(messages);
    free(events);
    return rc;
}

/* Where a piece begins: as even as can be. */
static int64_t piece_begin(const struct acts *a, int64_t piece)
{
    return lpi_part_begin(a->whole, a->pieces, piece);
}

/* ---- how many pieces ---- */

struct choice {
    int64_t P;
    struct costs (*costs)(const struct logp_invocation *c, int64_t size);
    const struct logp_invocation *c;
};

/* Estimate the time if no piece waits: (n-1) E, or a send and a receive if that is more, a message,
 * and the tree of the other P - 1. */
static __int128 about(int64_t n, int64_t size, int64_t last, const void *arg)
{
    const struct choice *choice = arg;
    const struct costs costs = choice->costs(choice->c, size);
    const int64_t D = costs.send + costs.wire + costs.receive;
    const int64_t apart = lpi_max(costs.send_apart, costs.send + costs.receive);
    struct logp_tree tree;
    __int128 T = 0;

    (void)last;
    if (logp_tree_init(&tree, choice->P - 1, D, costs.send_apart) == 0)
        T = logp_tree_time(&tree);
    return (n - 1) * (__int128)apart + D + T;
}

/* The elements or bytes of a piece, where the vector has `whole` of them. */
static int64_t size_of(int64_t P, const struct logp_invocation *c, int64_t whole, int64_t asked,
                       struct costs (*costs)(const struct logp_invocation *c, int64_t size))
{
    const int64_t most = P > 1 ? MOST_MESSAGES / P : 1;
    const int64_t least = lpi_ceil_div(whole, most < MOST_PIECES ? most : MOST_PIECES);
    const struct choice choice = {P, costs, c};
    int64_t size = whole;

    if (asked > 0)
        size = asked < whole ? asked : whole;
    else if (whole > 0 && P > 1)
        size = lpi_best_part(whole, about, &choice);
    return lpi_max(size, least);
}

static int64_t pieces_of(int64_t whole, int64_t size)
{
    return size > 0 ? lpi_ceil_div(whole, size) : 1;
}

/* At least: all pieces leave the root one after the other, and the last goes to all others; or the same
 * backwards. */
static struct logp_prediction
at_least(int64_t P, const struct logp_invocation *c, int64_t whole, int64_t size,
         struct costs (*costs)(const struct logp_invocation *c, int64_t size))
{
    const int64_t n = pieces_of(whole, size);
    struct logp_invocation separate = *c;
    struct costs least;
    struct logp_tree tree;

    separate.model.params.gap_shared = false;
    least = costs(&separate, whole / n);
    if (P == 1 ||
        logp_tree_init(&tree, P, least.send + least.wire + least.receive, least.send_apart) != 0)
        return lpi_no_prediction();
    return lpi_at_least_ns((n - 1) * (__int128)least.send_apart + logp_tree_time(&tree));
}

/* ---- broadcast ---- */

static struct costs broadcast_costs(const struct logp_invocation *c, int64_t size)
{
    return costs_of(&c->model.params, (size_t)size, 0, false);
}

static int64_t broadcast_block(int64_t P, const struct logp_invocation *c)
{
    return size_of(P, c, lpi_item_bytes(c), c->args.block_bytes, broadcast_costs);
}

LPI_ITEM_BLOCK(broadcast_tried, broadcast_block)

static int broadcast_plan(int P, int rank, struct logp_invocation *c)
{
    const int64_t size = broadcast_block(P, c);
    const struct problem p = {P, pieces_of(lpi_item_bytes(c), size), broadcast_costs(c, size)};

    return plan(P, lpi_virtual_rank(rank, c->args.root, P), c, &p, lpi_item_bytes(c), false);
}

static bool broadcast_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                            struct logp_step *out)
{
    const struct acts *acts = c->plan.state;
    const struct act *act = &acts->act[i < acts->n ? i : 0];
    int64_t begin, n;

    (void)rank;
    if (i >= acts->n)
        return i == acts->n && c->args.work_ns > 0 && logp_step_compute(out, c->args.work_ns, 0);
    begin = piece_begin(acts, act->piece);
    n = piece_begin(acts, act->piece + 1) - begin;
    return (act->kind == SEND ? logp_step_send : logp_step_receive)(
        out, lpi_mod(act->peer + c->args.root, P), c->args.tag, LOGP_BUF, (size_t)begin, (size_t)n);
}

static const char source[] = "this library";

static struct logp_prediction broadcast_predict(int64_t P, const struct logp_invocation *c)
{
    return c->args.block_bytes == 0
               ? lpi_no_prediction() /* the block is only an estimate */
               : at_least(P, c, lpi_item_bytes(c), broadcast_block(P, c), broadcast_costs);
}

static const struct logp_algorithm broadcasts[] = {
    {LOGP_ALGORITHM("broadcast", "matched", "pieces by greedy matching, the rarest first (--block)",
                    source),
     .needs = needs, .plan = broadcast_plan, .predict = broadcast_predict, .steps = broadcast_steps,
     .knobs = {LOGP_KNOB(block_bytes, broadcast_tried), LOGP_KNOB(work_ns, NULL)}},
};

const struct lpi_rows lpi_broadcast_matched = LPI_ROWS(broadcasts);

/* ---- reduce ---- */

static struct costs reduce_costs(const struct logp_invocation *c, int64_t size)
{
    return costs_of(&c->model.params, (size_t)lpi_elements_bytes(c, size),
                    lpi_combine_ns(&c->model.params, size), true);
}

static int64_t reduce_elements(int64_t P, const struct logp_invocation *c)
{
    return size_of(P, c, lpi_max(c->args.count, 0), lpi_elements_asked(c), reduce_costs);
}

static int64_t reduce_block(int64_t P, const struct logp_invocation *c)
{
    return lpi_elements_bytes(c, reduce_elements(P, c));
}

LPI_VECTOR_BLOCK(reduce_tried, reduce_block)

/* Return the bytes of scratch for a received piece. The combined pieces follow it. */
static size_t in_bytes(const struct acts *acts, const struct logp_invocation *c)
{
    return lpi_slot_bytes((size_t)piece_begin(acts, 1) * lpi_element_bytes(c));
}

static int reduce_plan(int P, int rank, struct logp_invocation *c)
{
    const int64_t size = reduce_elements(P, c);
    const struct problem p = {P, pieces_of(lpi_max(c->args.count, 0), size), reduce_costs(c, size)};
    int rc = lpi_vector_valid(c);

    if (rc == 0)
        rc = plan(P, lpi_virtual_rank(rank, c->args.root, P), c, &p, c->args.count, true);
    if (rc == 0 && P > 1)
        c->plan.scratch_bytes = in_bytes(c->plan.state, c) + lpi_vector_bytes(c);
    return rc;
}

static bool reduce_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                         struct logp_step *out)
{
    const struct acts *acts = c->plan.state;
    const struct act *act = &acts->act[i < acts->n ? i : 0];
    struct logp_buffer_ref in = {LOGP_SCRATCH, 0}, own = {LOGP_BUF, 0}, all;
    int64_t begin, n, peer;
    size_t bytes;

    if (i >= acts->n)
        return P == 1 && i == 0 &&
               logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, 0}, own,
                              lpi_vector_bytes(c));
    begin = piece_begin(acts, act->piece);
    n = piece_begin(acts, act->piece + 1) - begin;
    bytes = (size_t)n * lpi_element_bytes(c);
    peer = lpi_mod(act->peer + c->args.root, P);
    own.offset = (size_t)begin * lpi_element_bytes(c);
    all = rank == c->args.root
              ? (struct logp_buffer_ref){LOGP_RECV_BUF, own.offset}
              : (struct logp_buffer_ref){LOGP_SCRATCH, in_bytes(acts, c) + own.offset};
    if (act->kind == SEND) {
        const struct logp_buffer_ref from = act->first ? own : all;

        return logp_step_send(out, peer, c->args.tag, from.buffer, from.offset, bytes);
    }
    in = act->first ? all : in;
    if (act->kind == RECEIVE)
        return logp_step_receive(out, peer, c->args.tag, in.buffer, in.offset, bytes);
    return logp_step_combine(out, all, all, act->first ? own : in, n,
                             lpi_combine_ns(&c->model.params, n));
}

static struct logp_prediction reduce_predict(int64_t P, const struct logp_invocation *c)
{
    return c->args.block_bytes == 0
               ? lpi_no_prediction() /* the block is only an estimate */
               : at_least(P, c, lpi_max(c->args.count, 0), reduce_elements(P, c), reduce_costs);
}

static const struct logp_algorithm reductions[] = {
    {LOGP_ALGORITHM("reduce", "matched", "the broadcast backwards, in pieces (--block)", source),
     .needs = reduce_needs, .plan = reduce_plan, .predict = reduce_predict, .steps = reduce_steps,
     .knobs = {LOGP_KNOB(block_bytes, reduce_tried)}},
};

const struct lpi_rows lpi_reduce_matched = LPI_ROWS(reductions);
