/* SPDX-License-Identifier: MIT */
/*
 * An item from each processor to each, passed on along a word of sends and receives: see
 * collective.h.
 *
 * With the windows of a census (census.c), the j-th message goes s(j) ranks on, s(j) being the
 * window at the j-th receive, and reaches the next n(j) distances, n(j) being the window at the
 * j-th send. So each distance 1 .. P-1 has one way: the last message j with s(j) <= distance, and
 * before it the way of the rest, which is below n(j) and uses messages that are there when the j-th
 * is sent. A message has the items of all distances whose way includes it. Where each send waits
 * for the receive before it, the s(j) are the powers of two, and this is Bruck's algorithm; where
 * it need only wait for the one before that, they are the Fibonacci numbers.
 *
 * How many items a message has depends on all later ones. So the search for a word assumes that all
 * messages have one size. It is made for some sizes; of its words and some regular ones, the one
 * with the least time for its real messages is chosen.
 */
#include "collective/collective.h"
#include "memory/thread_memory.h"
#include "predict/predict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- ways ---- */

/* The messages of a word, in order. */
struct route {
    int n;
    int64_t distance[LPI_CENSUS_MOST], items[LPI_CENSUS_MOST];
};

/* The last message on the way to a distance >= 1. */
static int last_on_way(const struct route *r, int64_t distance)
{
    int j = r->n - 1;

    while (r->distance[j] > distance)
        j--;
    return j;
}

/*
 * over[m][j] is how many of the distances below the window after m messages lead over message j. That
 * window is the one after m - 1 messages, and the distances that lead over message m - 1: their rests are
 * the window at the time when that is sent. The distances below P are counted window by window, the
 * highest first.
 */
static void make_route(struct route *r, int64_t P, const struct lpi_census *word)
{
    int64_t over[LPI_CENSUS_MOST + 1][LPI_CENSUS_MOST];
    int received = 0;

    memset(over[0], 0, sizeof(over[0]));

    r->n = 0;
    for (int i = 0; i < word->n; i++) {
        const int m = r->n;

        if (!word->ops[i].sends) {
            received++;
            continue;
        }
        for (int j = 0; j < m; j++)
            over[m + 1][j] = over[m][j] + over[received][j];
        memset(&over[m + 1][m], 0, (size_t)(LPI_CENSUS_MOST - m) * sizeof(over[0][0]));
        over[m + 1][m] = word->ops[i].carries;
        r->items[m] = 0;
        r->distance[r->n++] = word->ops[i].reach;
    }
    for (int64_t end = P; end > 1;) {
        const int m = last_on_way(r, end - 1);

        for (int j = 0; j < m; j++)
            r->items[j] += over[m][j];
        end -= r->distance[m];
        r->items[m] += end;
    }
}

/* ---- the word ---- */

static __int128 time_of(const struct lpi_census *word, const struct route *route,
                        const struct logp_params *p, size_t item_bytes, int64_t pack_ns)
{
    struct lpi_rounds r = LPI_ROUNDS;
    __int128 arrival[LPI_CENSUS_MOST];
    int sent = 0, received = 0;

    for (int i = 0; i < word->n; i++) {
        const int64_t items = route->items[word->ops[i].sends ? sent : received];
        const size_t bytes = lpi_bytes((size_t)items, item_bytes);
        const int64_t gap = logp_params_gap_ns(p, bytes);

        if (word->ops[i].sends) {
            const __int128 start = lpi_later(r.free + lpi_bound_times(items, pack_ns), r.send_next);

            r.free = start + p->o_send_ns;
            r.send_next = start + lpi_max(p->o_send_ns, gap);
            arrival[sent++] = r.free + logp_params_stream_ns(p, bytes) + p->L_ns;
        } else {
            const __int128 gap_over = r.recv_start + lpi_max(p->o_recv_ns, gap);

            r.recv_start = lpi_later(lpi_later(r.free, gap_over), arrival[received++]);
            r.free = r.recv_start + p->o_recv_ns;
        }
    }
    return r.free;
}

/* A choice: its input, and the best word so far. */
struct choice {
    int64_t P;
    const struct logp_params *p;
    size_t item_bytes;
    int64_t pack_ns;
    struct lpi_census word; /* found: whether there is one */
    struct route route;
    __int128 ns;
};

static void consider(struct choice *x, const struct lpi_census *word)
{
    struct route route;
    __int128 ns;

    if (!word->found)
        return;
    make_route(&route, x->P, word);
    ns = time_of(word, &route, x->p, x->item_bytes, x->pack_ns);
    if (!x->word.found || ns < x->ns) {
        x->word = *word;
        x->route = route;
        x->ns = ns;
    }
}

/* The word in which all but the last `ahead` - 1 of the sends before a send have been received when it is
 * made. */
static void make_ahead(struct lpi_census *word, int64_t P, int ahead)
{
    int64_t window[LPI_CENSUS_MOST + 1] = {1}; /* after so many receives */
    int sent = 0, received = 0;

    word->n = 0;
    while (sent < LPI_CENSUS_MOST && window[sent] < P) {
        const int64_t carries = window[received];

        word->ops[word->n++] = (struct lpi_census_op){
            .sends = true, .carries = INT32_MAX & (unsigned)carries, .reach = (int)window[sent]};
        window[sent + 1] = window[sent] + carries;
        if (++sent >= ahead)
            word->ops[word->n++] = (struct lpi_census_op){.reach = (int)window[received++]};
    }
    while (received < sent)
        word->ops[word->n++] = (struct lpi_census_op){.reach = (int)window[received++]};
    word->found = window[sent] >= P;
}

/* Search with messages of half of all items, and of fewer and fewer, down to one; and try the words that
 * send 1, 2, ... messages ahead. 0; -ENOMEM; -EINVAL: there is none */
static int search(struct choice *x)
{
    enum { MOST_AHEAD = 16 };
    struct lpi_census word;

    x->word.found = false;
    if (x->P > INT32_MAX)
        return -EINVAL;
    for (int64_t items = lpi_ceil_div(x->P, 2); items > 0; items = items * 3 / 4) {
        const struct lpi_census_cost cost = {.fixed_bytes =
                                                 lpi_bytes((size_t)items, x->item_bytes)};

        if (lpi_census_find(&word, x->P, x->p, &cost) != 0)
            return -ENOMEM;
        consider(x, &word);
    }
    for (int ahead = 1; ahead <= MOST_AHEAD && ahead < x->P; ahead++) {
        make_ahead(&word, x->P, ahead);
        consider(x, &word);
    }
    return x->word.found ? 0 : -EINVAL;
}

/* The last choice of a thread. */
struct last {
    struct choice choice;
    struct logp_params p;
};

/* As search(). A thread keeps its last choice, since each call of each rank asks anew. */
static int choose(struct choice *x)
{
    static _Thread_local void *memory;
    struct last *last = lpi_thread_memory(&memory, sizeof(*last));
    int rc;

    if (last != NULL && last->choice.word.found && last->choice.P == x->P &&
        last->choice.item_bytes == x->item_bytes && last->choice.pack_ns == x->pack_ns &&
        lpi_same_params(&last->p, x->p)) {
        last->choice.p = x->p;
        *x = last->choice;
        return 0;
    }
    rc = search(x);
    if (last != NULL) {
        last->choice = *x;
        last->p = *x->p;
        last->choice.word.found = rc == 0;
    }
    return rc;
}

struct logp_prediction lpi_relay_predict(int64_t P, const struct logp_params *p, size_t item_bytes,
                                         int64_t pack_ns)
{
    struct choice x = {.P = P, .p = p, .item_bytes = item_bytes, .pack_ns = pack_ns};

    if (P == 1)
        return lpi_exact(0);
    if (p->gap_shared)
        return lpi_no_prediction();
    switch (choose(&x)) {
    case 0:
        return lpi_exact(x.ns);
    case -ENOMEM:
        return lpi_no_memory();
    default:
        return lpi_no_prediction();
    }
}

/* ---- the plan ---- */

/* Items of distances that follow one another, in a message; and where they are packed, in items of
 * scratch. */
struct run {
    int32_t first, n;
    int64_t place;
};

struct message {
    int64_t distance, items, place; /* where it is packed, in items of scratch */
    int first_run, n_runs;
};

/* plan.state */
struct relay {
    size_t item_bytes;
    int64_t pack_ns;
    int n_ops, n_messages;
    struct message message[LPI_CENSUS_MOST];
    signed char op[2 * LPI_CENSUS_MOST];    /* j: send message j; -1 - j: receive it */
    int64_t first[2 * LPI_CENSUS_MOST + 1]; /* step of each, and how many steps there are */
    struct run runs[];
};

/* Call note() for each message on the way of each distance. */
static void follow(const struct route *route, int64_t P, struct relay *r,
                   void (*note)(struct relay *r, int j, int64_t distance, int32_t *last),
                   int32_t *last)
{
    for (int j = 0; j < route->n; j++)
        last[j] = -1;
    for (int64_t d = 1; d < P; d++)
        for (int64_t rest = d; rest > 0;) {
            const int j = last_on_way(route, rest);

            note(r, j, d, last);
            rest -= route->distance[j];
        }
}

static void count_run(struct relay *r, int j, int64_t distance, int32_t *last)
{
    r->message[j].n_runs += last[j] != distance - 1 || last[j] < 0;
    last[j] = (int32_t)distance;
}

static void fill_run(struct relay *r, int j, int64_t distance, int32_t *last)
{
    struct message *m = &r->message[j];

    if (last[j] != distance - 1 || last[j] < 0)
        r->runs[m->first_run + m->n_runs++] =
            (struct run){(int32_t)distance, 0, m->place + m->items};
    r->runs[m->first_run + m->n_runs - 1].n++;
    m->items++;
    last[j] = (int32_t)distance;
}

/* How many items each has is counted when its runs are made. */
static void set_messages(struct relay *r, int64_t P, const struct route *route)
{
    int64_t place = P;

    *r = (struct relay){.n_messages = route->n};
    for (int j = 0; j < route->n; j++) {
        r->message[j] = (struct message){.distance = route->distance[j], .place = place};
        place += route->items[j];
    }
}

static void set_ops(struct relay *r, const struct lpi_census *word, int64_t pack_ns)
{
    int sent = 0, received = 0;
    int64_t steps = 0;

    r->pack_ns = pack_ns;
    r->n_ops = word->n;
    for (int i = 0; i < word->n; i++) {
        const bool sends = word->ops[i].sends;

        r->first[i] = steps;
        steps += 1 + (sends && pack_ns > 0) + r->message[sends ? sent : received].n_runs;
        r->op[i] = (signed char)(sends ? sent++ : -1 - received++);
    }
    r->first[word->n] = steps;
}

static struct relay *make(int64_t P, const struct lpi_census *word, const struct route *route,
                          int64_t pack_ns)
{
    int32_t last[LPI_CENSUS_MOST];
    struct relay counted, *r;
    int n_runs = 0;

    set_messages(&counted, P, route);
    follow(route, P, &counted, count_run, last);
    for (int j = 0; j < route->n; j++)
        n_runs += counted.message[j].n_runs;
    r = malloc(sizeof(*r) + (size_t)n_runs * sizeof(r->runs[0]));
    if (r == NULL)
        return NULL;
    set_messages(r, P, route);
    n_runs = 0;
    for (int j = 0; j < route->n; j++) {
        r->message[j].first_run = n_runs;
        n_runs += counted.message[j].n_runs;
    }
    follow(route, P, r, fill_run, last);
    set_ops(r, word, pack_ns);
    return r;
}

int lpi_relay_plan(int64_t P, size_t item_bytes, int64_t pack_ns, struct logp_invocation *c)
{
    struct choice x = {.P = P, .p = &c->model.params, .item_bytes = item_bytes, .pack_ns = pack_ns};
    const int rc = P > 1 ? choose(&x) : 0;
    struct relay *r;
    int64_t items = P;

    if (rc != 0)
        return rc;
    r = make(P, &x.word, &x.route, pack_ns);
    if (r == NULL)
        return -ENOMEM;
    r->item_bytes = item_bytes;
    for (int j = 0; j < r->n_messages; j++)
        items += r->message[j].items;
    c->plan.state = r;
    c->plan.scratch_bytes = lpi_bytes((size_t)items, item_bytes);
    c->plan.early = true;
    return 0;
}

/* ---- its steps ---- */

/* A run of a message, from where its items lie to where they are packed; or back. */
static void pack(const struct relay *r, const struct run *run, bool back, struct logp_step *out)
{
    const struct logp_buffer_ref lies = {LOGP_SCRATCH, (size_t)run->first * r->item_bytes};
    const struct logp_buffer_ref packed = {LOGP_SCRATCH, (size_t)run->place * r->item_bytes};

    logp_step_copy(out, back ? lies : packed, back ? packed : lies, (size_t)run->n * r->item_bytes);
}

/* Step i of operation k. */
static void step_of(int64_t P, int64_t rank, const struct logp_invocation *c, int k, int64_t i,
                    struct logp_step *out)
{
    const struct relay *r = c->plan.state;
    const bool sends = r->op[k] >= 0;
    const struct message *m = &r->message[sends ? r->op[k] : -1 - r->op[k]];
    const int64_t before = sends ? r->pack_ns > 0 : 1; /* steps before the copies */
    const size_t at = (size_t)m->place * r->item_bytes, bytes = (size_t)m->items * r->item_bytes;

    if (i >= before && i < before + m->n_runs)
        pack(r, &r->runs[m->first_run + i - before], !sends, out);
    else if (!sends)
        logp_step_receive(out, lpi_mod(rank - m->distance, P), c->args.tag, LOGP_SCRATCH, at,
                          bytes);
    else if (i == before + m->n_runs)
        logp_step_send(out, lpi_mod(rank + m->distance, P), c->args.tag, LOGP_SCRATCH, at, bytes);
    else
        logp_step_compute(out, lpi_bound_times(m->items, r->pack_ns), m->n_runs);
}

int64_t lpi_relay_step(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    const struct relay *r = c->plan.state;
    int k = 0;

    if (i >= r->first[r->n_ops])
        return i - r->first[r->n_ops];
    while (i >= r->first[k + 1])
        k++;
    step_of(P, rank, c, k, i - r->first[k], out);
    return -1;
}
