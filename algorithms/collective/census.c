/* SPDX-License-Identifier: MIT */
/*
 * The best word of sends and receives: see collective.h.
 *
 * A depth-first search over the words by the time line of one processor, which is that of all. A
 * word is given up when
 * - it cannot reach P before the best one so far. Each rank in the window, and in each message that
 *   is under way, becomes at most grown[t] ranks in t: messages come back to back, and nothing else
 *   takes time;
 * - an earlier word has led to the same times and messages under way, with as large a window and as
 *   large messages.
 * Time counts in steps that divide all parameters, or in short ones that are rounded down, so that
 * the first rule gives up too little and never too much. The search ends after so many nodes with
 * the best word found. It begins with the word of dissemination, send and receive in turn.
 *
 * Results are kept for all processors of the process, because all of them search for the same word.
 */
#include "collective/collective.h"
#include "memory/thread_memory.h"
#include "predict/predict.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_NODES = 2000,
    MOST_TIMES = 2048,    /* of grown[] */
    SEEN = 1 << 10,       /* places for states ... */
    SEEN_DEEP = 1 << 16,  /* ... of a search with an effort of its own ... */
    ASKED_EVERY = 1 << 8, /* nodes */
    UNDER_WAY = 12,       /* ... with so many messages under way, at most */
    KEPT = 512,           /* words */
    PROBES = 8,
    LAST = 16 /* words of a thread */
};

struct state {
    struct lpi_rounds at;
    __int128 arrival[LPI_CENSUS_MOST]; /* by message */
    int64_t carries[LPI_CENSUS_MOST];
    int n_sent, n_received;
    int64_t window;
};

/* Unless the hash of its times is 0. These are apart, so that only they need be cleared. */
struct seen {
    int n;
    int64_t window, carries[UNDER_WAY];
};

struct search {
    int64_t P;
    const struct logp_params *p;
    const struct lpi_census_cost *cost;
    struct lpi_census *best, word;
    int64_t *grown, n_grown, unit_ns;
    struct seen *seen;
    uint64_t *seen_times; /* hashes of the times; 0: none */
    size_t n_seen;
    struct state *states; /* after each operation of the word; vps have small stacks */
    int64_t nodes, most_nodes;
    const struct lpi_census_effort *effort; /* NULL: the usual */
};

/* ---- the time line ---- */

static unsigned ranks(const struct search *s, int64_t window)
{
    return (unsigned)(window < s->P ? window : s->P);
}

static size_t bytes_of(const struct search *s, int64_t carries)
{
    return s->cost->fixed_bytes + lpi_bytes((size_t)carries, s->cost->rank_bytes);
}

static int64_t send_every(const struct logp_params *p, size_t bytes)
{
    return lpi_max(p->o_send_ns, logp_params_gap_ns(p, bytes));
}

static int64_t combine_after(const struct search *s)
{
    return s->cost->backwards ? 0 : s->cost->combine_ns;
}

static void send(const struct search *s, struct state *x)
{
    const size_t bytes = bytes_of(s, x->window);
    const int64_t stream = logp_params_stream_ns(s->p, bytes);
    __int128 start;

    /* backwards: combined after it is received, so that is before it is sent */
    x->at.free += s->cost->backwards ? x->window * s->cost->combine_ns : 0;
    start = lpi_rounds_start(&x->at, s->p);
    x->arrival[x->n_sent] = start + s->p->o_send_ns + stream + s->p->L_ns;
    x->carries[x->n_sent++] = x->window;
    x->at.send_next = start + send_every(s->p, bytes);
    x->at.free = lpi_later(start + s->p->o_send_ns,
                           lpi_rounds_turn(s->p, start, send_every(s->p, bytes), stream));
}

static void receive(const struct search *s, struct state *x)
{
    const int64_t carries = x->carries[x->n_received];
    const int64_t needed = carries < s->P - x->window ? carries : s->P - x->window;
    const int64_t every = lpi_max(s->p->o_recv_ns, logp_params_gap_ns(s->p, bytes_of(s, needed)));
    __int128 start = lpi_later(x->at.free, x->at.recv_start + every);

    /* the last message has only the ranks needed, and arrives that much sooner */
    start = lpi_later(start, x->arrival[x->n_received] -
                                 logp_params_stream_ns(s->p, bytes_of(s, carries)) +
                                 logp_params_stream_ns(s->p, bytes_of(s, needed)));
    x->n_received++;
    x->window += carries;
    x->at.recv_start = start;
    x->at.free = start + s->p->o_recv_ns + combine_after(s);
}

/* ---- ranks that a state can reach ---- */

/* Fill grown[t] for all t up to the best time; none, if nothing takes time, or far too much.
 * @return false: no memory */
static bool grow(struct search *s)
{
    const int64_t stream = logp_params_stream_ns(s->p, bytes_of(s, 1));
    const int64_t o_recv = s->p->o_recv_ns + combine_after(s);
    const int64_t way = s->p->o_send_ns + s->p->L_ns + stream + o_recv;
    const int64_t every = lpi_max(o_recv, logp_params_gap_ns(s->p, bytes_of(s, 1)));
    const int64_t all = (int64_t)s->best->time;

    s->unit_ns = lpi_gcd(lpi_gcd(way, every), lpi_gcd(s->p->o_send_ns, o_recv));
    if (s->unit_ns < 1 || all / s->unit_ns >= MOST_TIMES)
        s->unit_ns = lpi_max(1, all / (MOST_TIMES - 1));
    if (s->best->time > INT64_MAX || way / s->unit_ns < 1 || every / s->unit_ns < 1)
        return true;
    s->n_grown = all / s->unit_ns + 2;
    s->grown = malloc((size_t)s->n_grown * sizeof(*s->grown));
    if (s->grown == NULL)
        return false;
    for (int64_t t = 0; t < s->n_grown; t++) {
        s->grown[t] = 1;
        for (int64_t from = t - way / s->unit_ns; from >= 0; from -= every / s->unit_ns)
            if (s->grown[t] < s->P)
                s->grown[t] += s->grown[from];
    }
    return true;
}

static int64_t grown_in(const struct search *s, __int128 ns)
{
    const __int128 t = ns < 0 ? -1 : ns / s->unit_ns + 1;

    return t < 0 ? 0 : s->grown[t < s->n_grown ? t : s->n_grown - 1];
}

/* Whether x may reach P before the best time. */
static bool may_win(const struct search *s, const struct state *x)
{
    const __int128 end = s->best->time - 1;
    __int128 reached = (__int128)x->window * grown_in(s, end - x->at.free);

    for (int i = x->n_received; i < x->n_sent && reached < s->P; i++) {
        const __int128 comes =
            lpi_later(x->arrival[i], x->at.free) + s->p->o_recv_ns + combine_after(s);

        reached += (__int128)x->carries[i] * grown_in(s, end - comes);
    }
    return reached >= s->P && x->at.free <= end;
}

/* ---- states seen before ---- */

static uint64_t mix(uint64_t h, __int128 x)
{
    h = (h ^ (uint64_t)x) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* Whether an earlier word reached this state with as much; if not, record x. */
static bool is_dominated(struct search *s, const struct state *x)
{
    const int n = x->n_sent - x->n_received;
    uint64_t h = mix(mix(mix((uint64_t)n + 1, x->at.free), x->at.send_next), x->at.recv_start);
    struct seen *seen;
    size_t at;
    bool is_less;

    if (n > UNDER_WAY)
        return false;
    for (int i = x->n_received; i < x->n_sent; i++)
        h = mix(h, x->arrival[i]);
    h |= 1;
    at = h >> 40 & (s->n_seen - 1);
    seen = &s->seen[at];
    is_less = s->seen_times[at] == h && seen->n == n && x->window <= seen->window;
    for (int i = 0; is_less && i < n; i++)
        is_less = x->carries[x->n_received + i] <= seen->carries[i];
    if (is_less)
        return !s->cost->exact || x->window == seen->window;
    s->seen_times[at] = h;
    seen->n = n;
    seen->window = x->window;
    memcpy(seen->carries, &x->carries[x->n_received], (size_t)n * sizeof(x->carries[0]));
    return false;
}

/* ---- the search ---- */

static void note(struct search *s, const struct state *x)
{
    s->word.time = x->at.free;
    s->word.found = true;
    *s->best = s->word;
}

static void try_send(struct search *s);
static void try_receive(struct search *s);

/* Count one more node. @return whether the search may continue there */
static bool enter_node(struct search *s)
{
    if (++s->nodes % ASKED_EVERY == 0 && s->effort != NULL && s->effort->stop(s->effort->arg))
        s->most_nodes = 0;
    return s->nodes <= s->most_nodes;
}

static void go_on(struct search *s)
{
    const struct state *x = &s->states[s->word.n];
    bool receives_first;

    if (!enter_node(s) || (s->best->found && !may_win(s, x)) || is_dominated(s, x))
        return;
    receives_first =
        x->n_received < x->n_sent && x->arrival[x->n_received] <= lpi_rounds_start(&x->at, s->p);
    if (receives_first)
        try_receive(s);
    try_send(s);
    if (!receives_first)
        try_receive(s);
}

/* Whether the messages under way complete the window, so that no more are sent. */
static bool is_enough(const struct search *s, const struct state *x)
{
    int64_t window = x->window;

    for (int i = x->n_received; i < x->n_sent; i++)
        window += x->carries[i];
    return window >= s->P;
}

/* Copy *x to the state after it, without the received messages, which do not matter any more. */
static void copy(struct state *x)
{
    struct state *to = x + 1;

    to->at = x->at;
    to->n_sent = x->n_sent;
    to->n_received = x->n_received;
    to->window = x->window;
    for (int i = x->n_received; i < x->n_sent; i++) {
        to->arrival[i] = x->arrival[i];
        to->carries[i] = x->carries[i];
    }
}

static void try_send(struct search *s)
{
    struct state *x = &s->states[s->word.n];

    if (x->n_sent == LPI_CENSUS_MOST || is_enough(s, x))
        return;
    copy(x);
    send(s, &x[1]);
    s->word.ops[s->word.n++] =
        (struct lpi_census_op){.sends = true, .carries = INT32_MAX & ranks(s, x->window)};
    go_on(s);
    s->word.n--;
}

static void try_receive(struct search *s)
{
    struct state *x = &s->states[s->word.n], *next = x + 1;

    if (x->n_received == x->n_sent ||
        (s->cost->exact && x->window + x->carries[x->n_received] > s->P))
        return;
    copy(x);
    receive(s, next);
    s->word.ops[s->word.n++] = (struct lpi_census_op){
        .carries = INT32_MAX & ranks(s, x->carries[x->n_received]), .reach = (int)x->window};
    if (next->window < s->P)
        go_on(s);
    else if (next->n_received == next->n_sent && (!s->best->found || next->at.free < s->best->time))
        note(s, next);
    s->word.n--;
}

/* In each round send k - 1 times, and receive as often. */
static void disseminate(struct search *s, int64_t k)
{
    struct state *x = s->states;
    int64_t n;

    *x = (struct state){.at = LPI_ROUNDS, .window = 1};
    for (s->word.n = 0; x->window < s->P; x->n_received = x->n_sent) {
        const int64_t window = x->window;

        n = lpi_ceil_div(s->P - window, window);
        n = n < k - 1 ? n : k - 1;
        if (x->n_sent + n > LPI_CENSUS_MOST)
            break;
        for (int64_t i = 0; i < n; i++) {
            s->word.ops[s->word.n++] =
                (struct lpi_census_op){.sends = true, .carries = INT32_MAX & ranks(s, window)};
            send(s, x);
        }
        for (int64_t i = 0; i < n; i++) {
            s->word.ops[s->word.n++] = (struct lpi_census_op){
                .carries = INT32_MAX & ranks(s, window), .reach = (int)x->window};
            receive(s, x);
        }
    }
    if (x->window >= s->P && (!s->cost->exact || x->window == s->P) &&
        (!s->best->found || x->at.free < s->best->time))
        note(s, x);
    if (!s->best->found && s->best->time < x->at.free)
        s->best->time = x->at.free;
    s->word.n = 0;
}

/* The j-th send goes as far as the j-th receive reaches. */
static void finish(struct lpi_census *word)
{
    int sent = 0;

    for (int i = 0; i < word->n; i++)
        if (!word->ops[i].sends) {
            while (!word->ops[sent].sends)
                sent++;
            word->ops[sent++].reach = word->ops[i].reach;
        }
}

/* Memory of the usual searches, of which a choice needs hundreds; a thread that finds it in use allocates
 * its own. */
static struct {
    atomic_flag in_use;
    struct state states[2 * LPI_CENSUS_MOST + 1];
    struct seen seen[SEEN];
    uint64_t seen_times[SEEN];
} usual = {.in_use = ATOMIC_FLAG_INIT};

/* @return there is memory */
static bool take_memory(struct search *s, bool *is_usual)
{
    /* acquire: pairs with the release in give_memory() */
    *is_usual = s->n_seen == SEEN &&
                !atomic_flag_test_and_set_explicit(&usual.in_use, memory_order_acquire);
    if (*is_usual) {
        s->states = usual.states;
        s->seen = usual.seen;
        s->seen_times = memset(usual.seen_times, 0, sizeof(usual.seen_times));
        return true;
    }
    s->states = malloc(sizeof(usual.states));
    s->seen = malloc(s->n_seen * sizeof(*s->seen));
    s->seen_times = calloc(s->n_seen, sizeof(*s->seen_times));
    return s->states != NULL && s->seen != NULL && s->seen_times != NULL;
}

static void give_memory(struct search *s, bool is_usual)
{
    free(s->grown);
    if (is_usual) {
        /* release: pairs with the acquire in take_memory() */
        atomic_flag_clear_explicit(&usual.in_use, memory_order_release);
        return;
    }
    free(s->states);
    free(s->seen);
    free(s->seen_times);
}

/* Take a word of a search for other parameters if it is shorter with these. */
static void take_word(struct search *s, const struct lpi_census *word)
{
    struct state *x = s->states;

    *x = (struct state){.at = LPI_ROUNDS, .window = 1};
    for (int i = 0; i < word->n; i++)
        if (word->ops[i].sends)
            send(s, x);
        else
            receive(s, x);
    if (word->found && (!s->best->found || x->at.free < s->best->time)) {
        s->word = *word;
        note(s, x);
    }
}

/* Search all words from the best so far. @return false: no memory */
static bool search_all(struct search *s)
{
    bool has_memory;

    s->states[0] = (struct state){.at = LPI_ROUNDS, .window = 1};
    s->nodes = 0;
    s->word.n = 0;
    has_memory = grow(s);
    if (s->grown != NULL)
        go_on(s);
    return has_memory;
}

/* A search that ends early may have missed the shortest word. With the gap as long as a send or a receive, it often finds
 * a shorter one. @return false: no memory */
static bool search_with_gap(struct search *s)
{
    const struct logp_params *const p = s->p;
    struct lpi_census *const best = s->best;
    struct logp_params wide = *p;
    struct lpi_census word = {0};
    bool has_memory;

    wide.g_ns = lpi_max(p->o_send_ns, p->o_recv_ns);
    if (wide.g_ns <= p->g_ns)
        return true;
    free(s->grown);
    s->grown = NULL;
    memset(s->seen_times, 0, s->n_seen * sizeof(*s->seen_times));
    s->p = &wide;
    s->best = &word;
    for (int64_t k = 2; k <= LPI_CENSUS_MOST && (k == 2 || k <= s->P); k++)
        disseminate(s, k);
    has_memory = search_all(s);
    s->p = p;
    s->best = best;
    take_word(s, &word);
    return has_memory;
}

/* effort: NULL: the usual. *is_complete: no word is shorter. @return false: no memory */
static bool find(struct lpi_census *best, int64_t P, const struct logp_params *p,
                 const struct lpi_census_cost *cost, const struct lpi_census_effort *effort,
                 bool *is_complete)
{
    struct logp_params params = *p;
    struct search s = {.P = P,
                       .p = &params,
                       .cost = cost,
                       .best = best,
                       .n_seen = effort != NULL ? SEEN_DEEP : SEEN,
                       .most_nodes = effort != NULL ? effort->nodes : MOST_NODES,
                       .effort = effort};
    bool has_memory, is_usual;

    if (cost->backwards) {
        params.o_send_ns = p->o_recv_ns;
        params.o_recv_ns = p->o_send_ns;
    }

    *best = (struct lpi_census){.found = P == 1};
    has_memory = take_memory(&s, &is_usual);
    if (P > 1 && has_memory) {
        for (int64_t k = 2; k <= LPI_CENSUS_MOST && (k == 2 || k <= P); k++)
            disseminate(&s, k);
        has_memory = search_all(&s);
        *is_complete = s.grown != NULL && s.nodes <= s.most_nodes;
        if (has_memory && !*is_complete && effort == NULL)
            has_memory = search_with_gap(&s);
        finish(best);
    }
    give_memory(&s, is_usual);
    return has_memory;
}

/* ---- results that are kept ---- */

enum { EMPTY, CLAIMED, READY };

/* As in choice_cache.c: a place is claimed by the one thread that fills it, and then ready for
 * ever. */
static struct kept {
    _Atomic int state;
    int64_t P;
    struct logp_params p;
    struct lpi_census_cost cost;
    struct lpi_census word;
} kept[KEPT];

static bool is_for(const struct kept *k, int64_t P, const struct logp_params *p,
                   const struct lpi_census_cost *cost)
{
    return k->P == P && k->p.L_ns == p->L_ns && k->p.o_send_ns == p->o_send_ns &&
           k->p.o_recv_ns == p->o_recv_ns && k->p.g_ns == p->g_ns && k->p.G_ps == p->G_ps &&
           k->p.gap_shared == p->gap_shared && k->p.store_forward == p->store_forward &&
           k->cost.rank_bytes == cost->rank_bytes && k->cost.fixed_bytes == cost->fixed_bytes &&
           k->cost.combine_ns == cost->combine_ns && k->cost.exact == cost->exact &&
           k->cost.backwards == cost->backwards;
}

static uint64_t hash_of(int64_t P, const struct logp_params *p, const struct lpi_census_cost *cost)
{
    uint64_t h = mix(mix(mix((uint64_t)P, p->L_ns), p->o_send_ns), p->o_recv_ns);

    h = mix(mix(mix(h, p->g_ns), p->G_ps), (int64_t)cost->rank_bytes);
    return mix(mix(mix(h, (int64_t)cost->fixed_bytes), cost->combine_ns),
               cost->exact + 2 * cost->backwards) >>
           32;
}

/* Keep it, if the place is empty. @return it is kept */
static bool keep(struct kept *k, int64_t P, const struct logp_params *p,
                 const struct lpi_census_cost *cost, const struct lpi_census *word)
{
    int state = EMPTY;

    /* relaxed: nothing is read from a place that this thread claims */
    if (!atomic_compare_exchange_strong_explicit(&k->state, &state, CLAIMED, memory_order_relaxed,
                                                 memory_order_relaxed))
        return false;
    k->P = P;
    k->p = *p;
    k->cost = *cost;
    k->word = *word;
    /* release pairs with the acquire in lpi_census_find() */
    atomic_store_explicit(&k->state, READY, memory_order_release);
    return true;
}

/* The last words of this thread, for which no place was empty: all ranks of a schedule ask for the
 * same few. An empty place has P = 0. */
struct last {
    struct kept words[LAST];
    unsigned next; /* to be replaced */
};

static struct last *last_words(void)
{
    static _Thread_local void *memory;

    return lpi_thread_memory(&memory, sizeof(struct last));
}

static const struct lpi_census *find_last(const struct last *last, int64_t P,
                                          const struct logp_params *p,
                                          const struct lpi_census_cost *cost)
{
    for (int i = 0; last != NULL && i < LAST; i++)
        if (is_for(&last->words[i], P, p, cost))
            return &last->words[i].word;
    return NULL;
}

int lpi_census_find(struct lpi_census *out, int64_t P, const struct logp_params *p,
                    const struct lpi_census_cost *cost)
{
    const uint64_t h = hash_of(P, p, cost);
    struct kept *k = &kept[h % KEPT];
    const struct lpi_census *word;
    struct last *last;
    bool is_complete = false;

    for (int i = 0; i < PROBES; i++) {
        /* acquire pairs with the release in keep() */
        const int state = atomic_load_explicit(&k->state, memory_order_acquire);

        if (state == READY && is_for(k, P, p, cost)) {
            *out = k->word;
            return 0;
        }
        if (state == EMPTY)
            break;
        k = &kept[(h + (uint64_t)i + 1) % KEPT];
    }
    last = last_words();
    word = find_last(last, P, p, cost);
    if (word != NULL) {
        *out = *word;
        return 0;
    }
    if (!find(out, P, p, cost, NULL, &is_complete))
        return -ENOMEM;
    if (!keep(k, P, p, cost, out) && last != NULL) {
        last->words[last->next] = (struct kept){.P = P, .p = *p, .cost = *cost, .word = *out};
        last->next = (last->next + 1) % LAST;
    }
    return 0;
}

int lpi_census_deepen(struct lpi_census *out, int64_t P, const struct logp_params *p,
                      const struct lpi_census_cost *cost, const struct lpi_census_effort *effort,
                      bool *is_complete)
{
    *is_complete = P == 1;
    return find(out, P, p, cost, effort, is_complete) ? 0 : -ENOMEM;
}

int lpi_census_plan(int64_t P, struct logp_invocation *c, const struct lpi_census_cost *cost)
{
    struct lpi_census *word = malloc(sizeof(*word)), *shorter;
    int rc = word != NULL ? lpi_census_find(word, P, &c->model.params, cost) : -ENOMEM;

    if (rc == 0 && !word->found)
        rc = -EINVAL;
    if (rc != 0) {
        free(word);
        return rc;
    }
    /* each vp has one, and most words are short */
    shorter = realloc(word, offsetof(struct lpi_census, ops) +
                                (size_t)(word->n + 1) * sizeof(word->ops[0]));
    c->plan.state = shorter != NULL ? shorter : word;
    c->plan.early = true; /* sends come before the receives of those before them */
    return 0;
}
