/* SPDX-License-Identifier: MIT */
/*
 * Items sent to ranks that lack them, over expanded time: see search.h.
 *
 * The ranks are followed in the order in which their next acts start. A rank receives messages that
 * have come before its next send could start; otherwise it sends, if it has an item that another
 * lacks. A rank lacks an item that it does not have and that is not on its way to it. The receiver
 * is the one with the largest weight, of the number of items that it lacks, how soon it would have
 * them, and chance.
 *
 * Times are those of the model, except that messages do not wait for links of a topology: only hops
 * count. The fold of the schedule that results has the true time.
 */
#include "collective/collective.h"
#include "operand/operand.h"
#include "search/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const int64_t never = INT64_MAX;

/* A message on its way. */
struct flight {
    int move, act; /* of its send */
    int next;      /* in the order of arrival; -1: the last */
    int64_t arrival;
};

struct member {
    int64_t free, send_next, recv_start;
    int last_act, first_flight;
    int64_t next_at; /* start of its next act; never: none until a message comes */
    bool next_sends;
    int script, n_scripted; /* its planned moves: script[script .. n_scripted) are yet to come */
};

struct run {
    const struct lpi_matching *x;
    const struct lpi_rule *rule;
    const struct lpi_moves *plan;
    struct lpi_moves *out;
    int words;              /* of a set of items */
    uint64_t *has, *coming; /* by rank: items; coming: it has, or they are on their way */
    uint64_t *promised;     /* by rank: or planned */
    uint64_t *wanted; /* items that some rank lacks and that no move of the plan sends to it */
    int *lacking, *holders; /* by item: ranks that are to get it; that have it, or will */
    int left;               /* of all lacking */
    struct member *members;
    int *script; /* moves of the plan, by rank */
    struct flight *flights;
    size_t n_flights, flight_space;
    int64_t *last_arrival; /* by pair: no message overtakes another */
    uint64_t random;
    const int *chosen; /* the items of the message that is next */
    int n_chosen, to;
    bool is_planned;
    int *items; /* space for all */
    int rc;
};

static uint64_t *set_of(const struct run *r, uint64_t *sets, int rank)
{
    return &sets[(size_t)rank * (size_t)r->words];
}

static bool holds(const uint64_t *set, int item)
{
    return (set[item / 64] >> item % 64 & 1) != 0;
}

static void insert(uint64_t *set, int item)
{
    set[item / 64] |= UINT64_C(1) << item % 64;
}

static void erase(uint64_t *set, int item)
{
    set[item / 64] &= ~(UINT64_C(1) << item % 64);
}

/* ---- costs ---- */

static size_t bytes_of(const struct run *r, int n)
{
    return lpi_bytes((size_t)n, r->x->item_bytes);
}

/* Of a message from src to dst, in the direction in which it is sent in the end. */
static struct logp_params cost(const struct run *r, int src, int dst)
{
    const struct logp_network *net = &r->x->c->model;
    struct logp_params p = net->params;
    const int from = r->x->backwards ? dst : src, to = r->x->backwards ? src : dst;

    if (net->links != NULL)
        logp_links_of(net->links, from, to, &p, &p);
    if (net->topology != NULL)
        p.L_ns *= logp_topology_hops(net->topology, from, to);
    if (r->x->backwards) {
        const int64_t o_send = p.o_send_ns;

        p.o_send_ns = p.o_recv_ns;
        p.o_recv_ns = o_send;
    }
    return p;
}

static int64_t combining(const struct run *r, int n)
{
    return r->x->combine_ns * n;
}

/* ---- the start ---- */

static int draw(struct run *r, int n)
{
    return lpi_draw_below(&r->random, n);
}

static bool needs(const struct run *r, int rank, int item)
{
    return r->x->to_all || r->x->goal[item] == rank;
}

static bool begin_sets(struct run *r)
{
    const size_t P = (size_t)r->x->P, n = (size_t)r->x->n_items;
    const size_t all = P * (size_t)r->words;

    r->has = calloc(3 * all + (size_t)r->words, sizeof(*r->has));
    r->lacking = calloc(3 * n, sizeof(*r->lacking));
    r->members = calloc(P, sizeof(*r->members));
    r->last_arrival = calloc(P * P, sizeof(*r->last_arrival));
    r->script =
        calloc(r->plan != NULL && r->plan->n_moves > 0 ? r->plan->n_moves : 1, sizeof(*r->script));
    if (r->has == NULL || r->lacking == NULL || r->members == NULL || r->last_arrival == NULL ||
        r->script == NULL)
        return false;
    r->coming = r->has + all;
    r->promised = r->coming + all;
    r->wanted = r->promised + all;
    r->holders = r->lacking + n;
    r->items = r->holders + n;
    return true;
}

/* Items that a rank does not need count as if it had been promised them. */
static void place_items(struct run *r)
{
    for (int rank = 0; rank < r->x->P; rank++)
        for (int i = 0; i < r->x->n_items; i++)
            if (r->x->home[i] == rank) {
                insert(set_of(r, r->has, rank), i);
                insert(set_of(r, r->coming, rank), i);
                insert(set_of(r, r->promised, rank), i);
                r->holders[i]++;
            } else if (needs(r, rank, i)) {
                r->lacking[i]++;
                r->left++;
                insert(r->wanted, i);
            } else {
                insert(set_of(r, r->coming, rank), i);
                insert(set_of(r, r->promised, rank), i);
            }
}

/* The scripts: planned moves by rank, in the order of their acts. */
static void place_plan(struct run *r)
{
    const struct lpi_moves *plan = r->plan;
    int n = 0;

    if (plan == NULL)
        return;
    for (int rank = 0; rank < r->x->P; rank++) {
        r->members[rank].script = n;
        for (size_t k = 0; k < plan->n_acts; k++) {
            const struct lpi_move *m = &plan->moves[plan->acts[k].move];

            if (!plan->acts[k].sends || plan->acts[k].rank != rank || !m->planned)
                continue;
            r->script[n++] = plan->acts[k].move;
            for (int i = 0; i < m->n; i++)
                insert(set_of(r, r->promised, m->dst), plan->pool[m->first + i]);
        }
        r->members[rank].n_scripted = n;
    }
}

/* Drop the rest of the plan: no rank can act and items are lacking, so planned moves wait for each
 * other. */
static void forget_plan(struct run *r)
{
    for (int rank = 0; rank < r->x->P; rank++) {
        memcpy(set_of(r, r->promised, rank), set_of(r, r->coming, rank),
               (size_t)r->words * sizeof(*r->promised));
        r->members[rank].script = r->members[rank].n_scripted;
    }
}

/* ---- what a rank could send ---- */

/* Whether the rank has all items of its next planned message. */
static bool has_planned(struct run *r, int rank)
{
    struct member *m = &r->members[rank];
    const struct lpi_move *move;

    if (m->script == m->n_scripted)
        return false;
    move = &r->plan->moves[r->script[m->script]];
    for (int i = 0; i < move->n; i++)
        if (!holds(set_of(r, r->has, rank), r->plan->pool[move->first + i]))
            return false;
    return true;
}

/* Count the items of src that dst lacks and that no move of the plan sends to dst. */
static int count_lacking(struct run *r, int src, int dst)
{
    const uint64_t *has = set_of(r, r->has, src), *promised = set_of(r, r->promised, dst);
    int n = 0;

    for (int w = 0; w < r->words; w++)
        n += __builtin_popcountll(has[w] & ~promised[w]);
    return n;
}

static bool has_any(struct run *r, int rank)
{
    const uint64_t *has = set_of(r, r->has, rank);
    bool maybe = false;

    for (int w = 0; w < r->words; w++)
        maybe |= (has[w] & r->wanted[w]) != 0;
    for (int dst = 0; maybe && dst < r->x->P; dst++)
        if (dst != rank && count_lacking(r, rank, dst) > 0)
            return true;
    return false;
}

static int64_t weight(struct run *r, int src, int dst, int lacks, int64_t longest)
{
    const struct logp_params p = cost(r, src, dst);
    const int64_t way = p.o_send_ns + p.L_ns + p.o_recv_ns;

    return (int64_t)r->rule->lacks * 256 * lacks / r->x->n_items -
           (longest > 0 ? (int64_t)r->rule->near * 256 * way / longest : 0) +
           (r->rule->noise > 0 ? draw(r, r->rule->noise) : 0);
}

static int choose_receiver(struct run *r, int src)
{
    const struct logp_params p = r->x->c->model.params;
    const int64_t longest = 1 + p.o_send_ns + p.L_ns + p.o_recv_ns;
    const int from = r->rule->rotates ? src + 1 : draw(r, r->x->P);
    int64_t most = INT64_MIN;
    int best = -1;

    for (int i = 0; i < r->x->P; i++) {
        const int dst = (from + i) % r->x->P;
        const int lacks = dst != src ? count_lacking(r, src, dst) : 0;
        const int64_t w = lacks > 0 ? weight(r, src, dst, lacks, longest) : 0;

        if (lacks > 0 && w > most) {
            most = w;
            best = dst;
        }
    }
    return best;
}

/* Move the items that few have to the front. */
static void sort_rarest(const struct run *r, int *items, int n, int most)
{
    for (int i = 0; i < n && i < most; i++) {
        int least = i;

        for (int k = i + 1; k < n; k++)
            if (r->holders[items[k]] < r->holders[items[least]])
                least = k;
        if (least != i) {
            const int item = items[i];

            items[i] = items[least];
            items[least] = item;
        }
    }
}

static int in_order(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void choose_items(struct run *r, int src)
{
    const uint64_t *has = set_of(r, r->has, src), *promised = set_of(r, r->promised, r->to);
    int n = 0;

    for (int w = 0; w < r->words; w++)
        for (uint64_t rest = has[w] & ~promised[w]; rest != 0; rest &= rest - 1)
            r->items[n++] = 64 * w + __builtin_ctzll(rest);
    if (n > r->rule->most_items) {
        if (r->rule->rarest)
            sort_rarest(r, r->items, n, r->rule->most_items);
        n = r->rule->most_items;
        qsort(r->items, (size_t)n, sizeof(*r->items), in_order);
    }
    r->chosen = r->items;
    r->n_chosen = n;
}

/* Choose the items that src sends: as planned, or by the rule. */
static void choose(struct run *r, int src)
{
    struct member *m = &r->members[src];

    r->is_planned = has_planned(r, src) && !(r->rule->greedy_first && has_any(r, src));
    if (r->is_planned) {
        const struct lpi_move *move = &r->plan->moves[r->script[m->script++]];

        r->to = move->dst;
        r->chosen = &r->plan->pool[move->first];
        r->n_chosen = move->n;
        return;
    }
    r->to = choose_receiver(r, src);
    choose_items(r, src);
}

/* ---- acts ---- */

static bool add_act(struct run *r, int rank, int move, bool sends, int cause)
{
    struct lpi_moves *out = r->out;

    if (!lpi_grow(&out->acts, out->n_acts, &out->act_space, sizeof(*out->acts), 64))
        return false;
    out->acts[out->n_acts] =
        (struct lpi_action){.rank = rank, .move = move, .sends = sends, .cause = cause};
    r->members[rank].last_act = (int)out->n_acts++;
    return true;
}

static bool add_move(struct run *r, int src)
{
    struct lpi_moves *out = r->out;

    for (int i = 0; i < r->n_chosen; i++) {
        if (!lpi_grow(&out->pool, out->n_pool, &out->pool_space, sizeof(*out->pool), 64))
            return false;
        out->pool[out->n_pool++] = r->chosen[i];
    }
    if (!lpi_grow(&out->moves, out->n_moves, &out->move_space, sizeof(*out->moves), 64))
        return false;
    out->moves[out->n_moves++] = (struct lpi_move){.src = src,
                                                   .dst = r->to,
                                                   .first = (int)out->n_pool - r->n_chosen,
                                                   .n = r->n_chosen,
                                                   .planned = true};
    return true;
}

/* Insert a flight in the order of arrival, after those that arrive at the same time. */
static bool post(struct run *r, int dst, int move, int64_t arrival)
{
    int *at = &r->members[dst].first_flight;

    if (!lpi_grow(&r->flights, r->n_flights, &r->flight_space, sizeof(*r->flights), 64))
        return false;
    while (*at >= 0 && r->flights[*at].arrival <= arrival)
        at = &r->flights[*at].next;
    r->flights[r->n_flights] =
        (struct flight){move, r->members[r->out->moves[move].src].last_act, *at, arrival};
    *at = (int)r->n_flights++;
    return true;
}

static void settle(struct run *r, int item)
{
    r->left--;
    r->holders[item]++;
    if (--r->lacking[item] == 0)
        erase(r->wanted, item);
}

static void note_end(struct run *r, int rank, int64_t end)
{
    if (end >= r->out->ns) {
        r->out->ns = end;
        r->out->last = r->members[rank].last_act;
    }
}

static void send(struct run *r, int src)
{
    struct member *m = &r->members[src];
    const int64_t start = m->next_at;
    struct logp_params p;
    int64_t arrival, *last;
    size_t bytes;

    choose(r, src);
    p = cost(r, src, r->to);
    bytes = bytes_of(r, r->n_chosen);
    arrival = start + p.o_send_ns + logp_params_stream_ns(&p, bytes) + p.L_ns;
    last = &r->last_arrival[src * r->x->P + r->to];
    *last = arrival = lpi_max(arrival, *last);
    for (int i = 0; i < r->n_chosen; i++) {
        insert(set_of(r, r->coming, r->to), r->chosen[i]);
        insert(set_of(r, r->promised, r->to), r->chosen[i]);
        settle(r, r->chosen[i]);
    }
    if (!add_move(r, src) || !add_act(r, src, (int)r->out->n_moves - 1, true, m->last_act) ||
        !post(r, r->to, (int)r->out->n_moves - 1, arrival)) {
        r->rc = -ENOMEM;
        return;
    }
    m->free = start + p.o_send_ns + (r->x->backwards ? combining(r, r->n_chosen) : 0);
    m->send_next = start + lpi_max(p.o_send_ns, logp_params_gap_ns(&p, bytes));
    note_end(r, src, m->free);
}

static int64_t receive_at(const struct run *r, int dst)
{
    const struct member *m = &r->members[dst];
    const struct flight *l = &r->flights[m->first_flight];
    const struct lpi_move *move = &r->out->moves[l->move];
    const struct logp_params p = cost(r, move->src, dst);
    const int64_t every = lpi_max(p.o_recv_ns, logp_params_gap_ns(&p, bytes_of(r, move->n)));

    return lpi_max(lpi_max(m->free, l->arrival), m->recv_start >= 0 ? m->recv_start + every : 0);
}

static void receive(struct run *r, int dst)
{
    struct member *m = &r->members[dst];
    const struct flight l = r->flights[m->first_flight];
    const struct lpi_move *move = &r->out->moves[l.move];
    const struct logp_params p = cost(r, move->src, dst);
    const int cause = l.arrival == m->next_at ? l.act : m->last_act;

    m->first_flight = l.next;
    for (int i = 0; i < move->n; i++)
        insert(set_of(r, r->has, dst), r->out->pool[move->first + i]);
    m->recv_start = m->next_at;
    m->free = m->next_at + p.o_recv_ns + (r->x->backwards ? 0 : combining(r, move->n));
    if (!add_act(r, dst, l.move, false, cause))
        r->rc = -ENOMEM;
    note_end(r, dst, m->free);
}

/* Find the next act of a rank from the messages known so far. */
static void look_ahead(struct run *r, int rank)
{
    struct member *m = &r->members[rank];
    const int64_t send_at = r->left > 0 && (has_planned(r, rank) || has_any(r, rank))
                                ? lpi_max(m->free, m->send_next)
                                : never;
    const int64_t recv_at = m->first_flight >= 0 ? receive_at(r, rank) : never;
    const int64_t patience = r->rule->waits ? r->x->c->model.params.g_ns : 0;

    m->next_sends = send_at < never && (recv_at == never || send_at + patience < recv_at);
    m->next_at = m->next_sends ? send_at : recv_at;
}

static int first_of(const struct run *r)
{
    int first = 0;

    for (int rank = 1; rank < r->x->P; rank++)
        if (r->members[rank].next_at < r->members[first].next_at)
            first = rank;
    return r->members[first].next_at < never ? first : -1;
}

static void follow(struct run *r)
{
    bool has_forgotten = r->plan == NULL;

    for (int rank = 0; rank < r->x->P; rank++)
        look_ahead(r, rank);
    while (r->rc == 0) {
        const int rank = first_of(r);

        if (rank >= 0 && r->members[rank].next_sends) {
            look_ahead(r, rank); /* its items may be on their way to all by now */
            if (r->members[rank].next_sends) {
                send(r, rank);
                look_ahead(r, r->to);
                look_ahead(r, rank);
            }
        } else if (rank >= 0) {
            receive(r, rank);
            look_ahead(r, rank);
        } else if (r->left > 0 && !has_forgotten) {
            forget_plan(r);
            has_forgotten = true;
            for (int other = 0; other < r->x->P; other++)
                look_ahead(r, other);
        } else {
            break;
        }
    }
}

int lpi_matching_run(const struct lpi_matching *x, const struct lpi_moves *plan,
                     const struct lpi_rule *rule, struct lpi_moves *out)
{
    struct run r = {.x = x,
                    .rule = rule,
                    .plan = plan,
                    .out = out,
                    .words = (x->n_items + 63) / 64,
                    .random = rule->seed};

    out->n_moves = out->n_pool = out->n_acts = 0;
    out->ns = 0;
    out->last = -1;
    r.rc = begin_sets(&r) ? 0 : -ENOMEM;
    for (int rank = 0; r.rc == 0 && rank < x->P; rank++) {
        r.members[rank].last_act = r.members[rank].first_flight = -1;
        r.members[rank].recv_start = -1;
    }
    if (r.rc == 0) {
        place_items(&r);
        place_plan(&r);
        follow(&r);
    }
    free(r.has);
    free(r.lacking);
    free(r.members);
    free(r.last_arrival);
    free(r.script);
    free(r.flights);
    return r.rc;
}

void lpi_moves_fini(struct lpi_moves *m)
{
    free(m->moves);
    free(m->pool);
    free(m->acts);
    *m = (struct lpi_moves){0};
}

static int copy_array(void *to, size_t *space, const void *from, size_t n, size_t size)
{
    void *memory;

    memcpy(&memory, to, sizeof(memory));
    if (n > *space) {
        memory = realloc(memory, n * size);
        if (memory == NULL)
            return -ENOMEM;
        memcpy(to, &memory, sizeof(memory));
        *space = n;
    }
    if (n > 0)
        memcpy(memory, from, n * size);
    return 0;
}

int lpi_moves_copy(struct lpi_moves *m, const struct lpi_moves *from)
{
    if (copy_array(&m->moves, &m->move_space, from->moves, from->n_moves, sizeof(*m->moves)) != 0 ||
        copy_array(&m->pool, &m->pool_space, from->pool, from->n_pool, sizeof(*m->pool)) != 0 ||
        copy_array(&m->acts, &m->act_space, from->acts, from->n_acts, sizeof(*m->acts)) != 0)
        return -ENOMEM;
    m->n_moves = from->n_moves;
    m->n_pool = from->n_pool;
    m->n_acts = from->n_acts;
    m->ns = from->ns;
    m->last = from->last;
    return 0;
}
