/* SPDX-License-Identifier: MIT */
/*
 * Ranks that exchange most share a core: see logp/algorithm.h. The ranks are the vertices of a
 * graph whose edges have the traffic of two ranks as weight. Cores have equally many ranks, within
 * one; their sizes are fixed, and ranks are exchanged in pairs.
 */
#include "schedule/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A neighbour of a rank. */
struct half_edge {
    int to;
    int64_t weight;
};

struct graph {
    int P, n_cores;
    size_t *first;           /* by rank, and the end: into half */
    struct half_edge *half;  /* each edge from both of its ends */
    int64_t *gain;           /* by rank: what a move to the other core would save */
    int *core_of;            /* the placement that is worked on */
    int *members, *exchange; /* of two cores; the ranks that a pass has exchanged, in pairs */
    bool *locked;
};

/* ---- the graph ---- */

static int64_t weight_of(const struct logp_traffic *t)
{
    const int64_t most = INT64_MAX / LOGP_PLACE_MAX / LOGP_PLACE_MAX / 4; /* sums stay below 2^63 */
    const int64_t lines = t->bytes / 64;

    return lines > most || t->messages > most - lines ? most : lines + t->messages;
}

static bool counts(const struct logp_traffic *t)
{
    return t->from != t->to && weight_of(t) > 0;
}

static int by_end(const void *a, const void *b)
{
    const struct half_edge *x = a, *y = b;

    return (x->to > y->to) - (x->to < y->to);
}

/* Make one edge of the edges to the same rank. */
static void merge(struct graph *g)
{
    size_t n = 0;

    for (int r = 0; r < g->P; r++) {
        const size_t begin = g->first[r], end = g->first[r + 1], kept = n;

        qsort(&g->half[begin], end - begin, sizeof(g->half[0]), by_end);
        for (size_t i = begin; i < end; i++) {
            if (n > kept && g->half[n - 1].to == g->half[i].to)
                g->half[n - 1].weight += g->half[i].weight;
            else
                g->half[n++] = g->half[i];
        }
        g->first[r] = kept;
    }
    g->first[g->P] = n;
}

static void add_half(struct graph *g, int from, int to, int64_t weight)
{
    g->half[g->first[from]++] = (struct half_edge){to, weight};
}

static int make_graph(struct graph *g, const struct logp_traffic *traffic, size_t n)
{
    const size_t P = (size_t)g->P;

    g->first = calloc(P + 2, sizeof(*g->first));
    g->half = malloc((2 * n + 1) * sizeof(*g->half));
    g->gain = calloc(P, sizeof(*g->gain));
    g->core_of = calloc(P, sizeof(int));
    g->members = calloc(P, sizeof(int));
    g->exchange = calloc(P + 1, sizeof(int));
    g->locked = calloc(P, sizeof(bool));
    if (g->first == NULL || g->half == NULL || g->gain == NULL || g->core_of == NULL ||
        g->members == NULL || g->exchange == NULL || g->locked == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (counts(&traffic[i])) {
            g->first[traffic[i].from + 1]++;
            g->first[traffic[i].to + 1]++;
        }
    for (size_t r = 0; r < P; r++)
        g->first[r + 1] += g->first[r];
    for (size_t i = 0; i < n; i++)
        if (counts(&traffic[i])) {
            add_half(g, traffic[i].from, traffic[i].to, weight_of(&traffic[i]));
            add_half(g, traffic[i].to, traffic[i].from, weight_of(&traffic[i]));
        }
    memmove(g->first + 1, g->first, P * sizeof(*g->first)); /* each was moved to its end */
    g->first[0] = 0;
    merge(g);
    return 0;
}

static void free_graph(struct graph *g)
{
    free(g->first);
    free(g->half);
    free(g->gain);
    free(g->core_of);
    free(g->members);
    free(g->exchange);
    free(g->locked);
}

/* The weight between cores. */
static int64_t cut(const struct graph *g)
{
    int64_t sum = 0;

    for (int r = 0; r < g->P; r++)
        for (size_t i = g->first[r]; i < g->first[r + 1]; i++)
            if (r < g->half[i].to && g->core_of[r] != g->core_of[g->half[i].to])
                sum += g->half[i].weight;
    return sum;
}

/* ---- beginnings ---- */

static int size_of_core(const struct graph *g, int core)
{
    return g->P / g->n_cores + (core < g->P % g->n_cores);
}

/* Consecutive ranks. */
static void begin_block(struct graph *g)
{
    for (int core = 0, r = 0; core < g->n_cores; core++)
        for (int i = 0; i < size_of_core(g, core); i++)
            g->core_of[r++] = core;
}

static void begin_round_robin(struct graph *g)
{
    for (int r = 0; r < g->P; r++)
        g->core_of[r] = r % g->n_cores;
}

/* Each core takes the rank that exchanges most with the ranks that it has; ties go to the first. */
static void begin_greedy(struct graph *g)
{
    for (int r = 0; r < g->P; r++)
        g->core_of[r] = -1;
    for (int core = 0; core < g->n_cores; core++) {
        memset(g->gain, 0, (size_t)g->P * sizeof(*g->gain));
        for (int i = 0; i < size_of_core(g, core); i++) {
            int next = -1;

            for (int r = 0; r < g->P; r++)
                if (g->core_of[r] < 0 && (next < 0 || g->gain[r] > g->gain[next]))
                    next = r;
            g->core_of[next] = core;
            for (size_t k = g->first[next]; k < g->first[next + 1]; k++)
                g->gain[g->half[k].to] += g->half[k].weight;
        }
    }
}

/* ---- refinement ---- */

/* Return the traffic that a move of r to the other core would save. */
static int64_t gain_of(const struct graph *g, int r, int other)
{
    int64_t gain = 0;

    for (size_t i = g->first[r]; i < g->first[r + 1]; i++) {
        const int core = g->core_of[g->half[i].to];

        gain += core == other ? g->half[i].weight : core == g->core_of[r] ? -g->half[i].weight : 0;
    }
    return gain;
}

/* Move r to the other of two cores. @return what that has saved */
static int64_t move(struct graph *g, int r, int to)
{
    const int64_t saved = g->gain[r];

    for (size_t i = g->first[r]; i < g->first[r + 1]; i++) {
        const int q = g->half[i].to;

        if (g->core_of[q] == to)
            g->gain[q] -= 2 * g->half[i].weight;
        else
            g->gain[q] += 2 * g->half[i].weight;
    }
    g->core_of[r] = to;
    g->gain[r] = -saved;
    return saved;
}

/* The rank of a core whose move saves most, that has not been moved; -1: none. */
static int best_of(const struct graph *g, int n, int core)
{
    int best = -1;

    for (int i = 0; i < n; i++) {
        const int r = g->members[i];

        if (g->core_of[r] == core && !g->locked[r] && (best < 0 || g->gain[r] > g->gain[best]))
            best = r;
    }
    return best;
}

/* The ranks of two cores. @return how many, with their gains */
static int gather(struct graph *g, int a, int b)
{
    int n = 0;

    for (int r = 0; r < g->P; r++) {
        if (g->core_of[r] != a && g->core_of[r] != b)
            continue;
        g->members[n++] = r;
        g->locked[r] = false;
        g->gain[r] = gain_of(g, r, g->core_of[r] == a ? b : a);
    }
    return n;
}

/* One pass over two cores: exchange the pairs that save most, also where that is less than nothing,
 * and keep the exchanges up to the best sum. The gains of ranks of other cores change too, and are
 * not used. @return the traffic saved */
static int64_t pass(struct graph *g, int a, int b)
{
    enum { PATIENCE = 64 }; /* pairs in a row without a new best */
    const int n = gather(g, a, b);
    int64_t sum = 0, most = 0;
    int done = 0, kept = 0;

    while (done < kept + PATIENCE) {
        const int x = best_of(g, n, a);
        int y;

        if (x < 0 || best_of(g, n, b) < 0)
            break;
        g->locked[x] = true;
        sum += move(g, x, b);
        y = best_of(g, n, b);
        g->locked[y] = true;
        sum += move(g, y, a);
        g->exchange[2 * done] = x;
        g->exchange[2 * done + 1] = y;
        done++;
        if (sum > most) {
            most = sum;
            kept = done;
        }
    }
    for (int i = kept; i < done; i++) {
        g->core_of[g->exchange[2 * i]] = a;
        g->core_of[g->exchange[2 * i + 1]] = b;
    }
    return most;
}

/* Passes over all pairs of cores, until none saves anything. */
static void refine(struct graph *g)
{
    enum { MOST_ROUNDS = 8 };
    int64_t saved = 1;

    for (int round = 0; saved > 0 && round < MOST_ROUNDS; round++) {
        saved = 0;
        for (int a = 0; a < g->n_cores; a++)
            for (int b = a + 1; b < g->n_cores; b++)
                saved += pass(g, a, b);
    }
}

/* ---- which cores are neighbours ---- */

enum { MOST_ARRANGED = 512 }; /* cores; the order of more is left as it is */

/* The cores of a placement, the traffic of each with each, and memory for one step. */
struct cores {
    int n;
    int *order, *half, *moved;
    int64_t *weight; /* of a and b, a < b: [a * n + b] */
    struct logp_traffic *traffic;
};

static int make_cores(struct cores *c, const struct graph *g, const int *core_of)
{
    const size_t n = (size_t)c->n;

    c->order = calloc(3 * n, sizeof(int));
    c->weight = calloc(n * n, sizeof(*c->weight));
    c->traffic = calloc(n * n, sizeof(*c->traffic));
    if (c->order == NULL || c->weight == NULL || c->traffic == NULL)
        return -ENOMEM;
    c->half = c->order + n;
    c->moved = c->half + n;
    for (int i = 0; i < c->n; i++)
        c->order[i] = i;
    for (int r = 0; r < g->P; r++)
        for (size_t i = g->first[r]; i < g->first[r + 1]; i++) {
            const int a = core_of[r], b = core_of[g->half[i].to];

            if (a < b)
                c->weight[(size_t)a * n + (size_t)b] += g->half[i].weight;
        }
    return 0;
}

static void free_cores(struct cores *c)
{
    free(c->order);
    free(c->weight);
    free(c->traffic);
}

/* Order these n cores so that each half, each quarter and so on exchanges least with the rest. */
static int halve(struct cores *c, int *order, int n)
{
    size_t n_traffic = 0;
    int k = 0, rc;

    if (n <= 2)
        return 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (order[i] < order[j])
                c->traffic[n_traffic++] = (struct logp_traffic){
                    .from = i,
                    .to = j,
                    .messages = c->weight[(size_t)order[i] * (size_t)c->n + (size_t)order[j]]};
    rc = logp_place_traffic(n, c->traffic, n_traffic, 2, c->half);
    for (int half = 0; rc == 0 && half < 2; half++)
        for (int i = 0; i < n; i++)
            if (c->half[i] == half)
                c->moved[k++] = order[i];
    if (rc != 0)
        return rc;
    memcpy(order, c->moved, (size_t)n * sizeof(*order));
    rc = halve(c, order, (n + 1) / 2);
    return rc != 0 ? rc : halve(c, order + (n + 1) / 2, n / 2);
}

/* Number the cores so that those that exchange most are neighbours: a machine takes the cores of a
 * cache, then of a node, then of a package. */
static int arrange(const struct graph *g, int *core_of)
{
    struct cores c = {.n = g->n_cores};
    int rc = make_cores(&c, g, core_of);

    if (rc == 0)
        rc = halve(&c, c.order, c.n);
    for (int i = 0; rc == 0 && i < c.n; i++)
        c.half[c.order[i]] = i;
    for (int r = 0; rc == 0 && r < g->P; r++)
        core_of[r] = c.half[core_of[r]];
    free_cores(&c);
    return rc;
}

/* ---- public functions ---- */

static bool valid(int64_t P, const struct logp_traffic *traffic, size_t n, int n_cores)
{
    bool is = P >= 1 && P <= LOGP_PLACE_MAX && n_cores >= 1;

    for (size_t i = 0; is && i < n; i++)
        is = traffic[i].from >= 0 && traffic[i].from < P && traffic[i].to >= 0 &&
             traffic[i].to < P && traffic[i].messages >= 0 && traffic[i].bytes >= 0;
    return is;
}

int logp_place_traffic(int64_t P, const struct logp_traffic *traffic, size_t n, int n_cores,
                       int *core_of)
{
    static void (*const beginnings[])(struct graph *) = {begin_block, begin_round_robin,
                                                         begin_greedy};
    struct graph g = {.P = (int)P, .n_cores = n_cores < P ? n_cores : (int)P};
    int64_t least = INT64_MAX;
    int rc;

    if (!valid(P, traffic, n, n_cores))
        return -EINVAL;
    rc = make_graph(&g, traffic, n);
    for (size_t i = 0; rc == 0 && i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
        int64_t weight;

        beginnings[i](&g);
        refine(&g);
        weight = cut(&g);
        if (weight < least)
            memcpy(core_of, g.core_of, (size_t)P * sizeof(*core_of));
        least = weight < least ? weight : least;
    }
    if (rc == 0 && g.n_cores > 2 && g.n_cores <= MOST_ARRANGED)
        rc = arrange(&g, core_of);
    free_graph(&g);
    return rc;
}

/* The messages of a fold. */
struct listed {
    struct logp_traffic *traffic;
    size_t n, capacity;
    bool lacks; /* memory */
};

static void note_send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    struct listed *l = model;

    (void)port;
    t->done = t->arrival = t->ready;
    if (l->lacks || !lpi_grow(&l->traffic, l->n, &l->capacity, sizeof(*l->traffic), 64)) {
        l->lacks = true;
        return;
    }
    l->traffic[l->n++] = (struct logp_traffic){t->src, t->dst, 1, (int64_t)t->n_bytes};
}

static void note_receive(void *model, struct logp_port *port, struct logp_transfer *t)
{
    (void)model, (void)port;
    t->start = t->done = t->ready;
}

int logp_place_schedules(const struct logp_schedule *schedules, size_t n, uint64_t most,
                         int n_cores, int *core_of)
{
    const struct logp_delay_ops ops = lpi_timeless(note_send, note_receive);
    struct listed all = {.traffic = NULL};
    const struct logp_delay delay = {&ops, &all};
    int rc = n > 0 && schedules[0].P <= LOGP_PLACE_MAX ? 0 : -EINVAL;

    for (size_t i = 0; rc == 0 && i < n; i++) {
        struct logp_fold fold;

        if (schedules[i].P != schedules[0].P)
            rc = -EINVAL;
        else if (most > 0 && all.n >= most)
            rc = -E2BIG;
        else
            rc = logp_schedule_fold(&schedules[i], &delay, most > 0 ? most - all.n : 0, &fold);
    }
    if (rc == 0)
        rc = all.lacks ? -ENOMEM
                       : logp_place_traffic(schedules[0].P, all.traffic, all.n, n_cores, core_of);
    free(all.traffic);
    return rc;
}
