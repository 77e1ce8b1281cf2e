/* SPDX-License-Identifier: MIT */
/*
 * A case at random: a collective, processors, parameters, operands, a delay model and perhaps a
 * topology. It is its seed, and the table of algorithms, and nothing else.
 */
#ifndef LOGP_TESTS_DRAWN_H
#define LOGP_TESTS_DRAWN_H

#include "blocks.h"
#include "support.h"

#include <stdio.h>

#ifndef LOGP_TESTS_MOST_P
#define LOGP_TESTS_MOST_P 40
#endif

enum { MOST_P = LOGP_TESTS_MOST_P };

struct drawn {
    uint64_t seed;
    int P, reps;
    const struct logp_collective *collective;
    const char *delay;
    struct logp_topology *topology; /* or NULL */
    struct logp_invocation call;
};

static int64_t below(uint64_t *random, int64_t n)
{
    return (int64_t)(test_random(random) % (uint64_t)n);
}

/* Any, and more often those that some algorithms need. */
static int some_P(uint64_t *random)
{
    const int side = 1 + (int)below(random, 6);

    switch (below(random, 4)) {
    case 0:
        return 1 << below(random, 6);
    case 1:
        return side * side;
    case 2:
        return 1 + (int)below(random, 9);
    default:
        return 1 + (int)below(random, MOST_P);
    }
}

static int64_t some_time(uint64_t *random, int64_t unit)
{
    static const int64_t below_units[] = {1, 12, 12, 600};

    return unit * below(random, below_units[below(random, 4)]);
}

static struct logp_params some_params(uint64_t *random)
{
    static const int64_t units[] = {1, 1, 7, 10000};
    const int64_t unit = units[below(random, 4)], o = some_time(random, unit);

    return (struct logp_params){
        .L_ns = some_time(random, unit),
        .o_send_ns = o,
        .o_recv_ns = one_in(random, 3) ? some_time(random, unit) : o,
        .g_ns = some_time(random, unit),
        .G_ps = one_in(random, 2) ? 0 : below(random, one_in(random, 2) ? 3000 : 300 * unit),
        /* often a whole number of ns that divides o: summations are exact */
        .gamma_ps = one_in(random, 3) ? below(random, 5000)
                                      : 1000 * (one_in(random, 2) ? 1 : below(random, 4) * unit),
        .gap_shared = one_in(random, 12),
        .capacity = one_in(random, 16) ? below(random, 5) - 1 : 0,
    };
}

static const struct logp_op *some_op(uint64_t *random)
{
    const int64_t n = (int64_t)test_n_ops();

    return one_in(random, 12) ? &maps : logp_op_at((size_t)below(random, n));
}

/* Ranks that arrive at any time, or one that is late. */
static inline void draw_arrivals(struct drawn *d, uint64_t *random)
{
    const bool one = one_in(random, 2);
    const int late = (int)below(random, d->P);
    int64_t *ns = calloc((size_t)d->P, sizeof(*ns));

    for (int r = 0; r < d->P; r++)
        if (!one || r == late)
            ns[r] = below(random, one_in(random, 2) ? 40 : 100000);
    d->call.model.arrivals = ns;
}

/* Nothing, one, few, many. */
static int64_t some_size(uint64_t *random, int64_t most)
{
    switch (below(random, 6)) {
    case 0:
        return below(random, 2);
    case 1:
        return 8;
    case 2:
        return below(random, most);
    default:
        return below(random, 48);
    }
}

static int64_t some_count(uint64_t *random, enum logp_operands operands, int P)
{
    if (operands == LOGP_OPERANDS_TOTAL)
        return one_in(random, 16) ? 0 : 1 + below(random, one_in(random, 2) ? P : 40 * P);
    return one_in(random, 2) ? below(random, 4) : some_size(random, 60);
}

/* An algorithm's own; sqrt; of any size, out of range too. */
static int64_t some_k(uint64_t *random, int P)
{
    switch (below(random, 6)) {
    case 0:
        return LOGP_K_SQRT;
    case 1:
        return below(random, P + 4) - 2;
    case 2:
        return 1 + below(random, 8);
    default:
        return 0;
    }
}

/* Sizes of a grid of P processors, in any number of dimensions, ones among them now and then. */
static void some_sizes(uint64_t *random, int P, char *spec, size_t space)
{
    for (const char *before = ":"; before != NULL;
         before = P > 1 || one_in(random, 6) ? "x" : NULL) {
        int size = one_in(random, 3) ? P : 1 + (int)below(random, P);

        while (P % size != 0)
            size--;
        snprintf(spec + strlen(spec), space - strlen(spec), "%s%d", before, size);
        P /= size;
    }
}

/* A topology that fits P processors; the sizes of a grid are any that make P. */
static struct logp_topology *some_topology(uint64_t *random, int P)
{
    struct logp_topology *topology = NULL;
    size_t n = 0;

    while (logp_topology_kind_at(n) != NULL)
        n++;
    while (topology == NULL) {
        const struct logp_topology_kind *kind =
            logp_topology_kind_at((size_t)below(random, (int64_t)n));
        char spec[128];

        snprintf(spec, sizeof(spec), "%s", kind->name);
        if (strstr(kind->form, "AxB") != NULL)
            some_sizes(random, P, spec, sizeof(spec));
        if (logp_topology_needs(spec, P) == NULL)
            cr_assert_eq(logp_topology_create(spec, P, &topology), 0);
    }
    return topology;
}

static void draw_delay(struct drawn *d, uint64_t *random)
{
    struct logp_params *p = &d->call.model.params;
    const bool tree =
        strcmp(d->collective->name, "broadcast") == 0 || strcmp(d->collective->name, "reduce") == 0;

    d->delay = one_in(random, 4)    ? "store-forward"
               : one_in(random, 3)  ? "logp"
               : one_in(random, 10) ? "varying"
                                    : "loggp";
    p->seed = d->seed;
    cr_assert_eq(logp_delay_params(d->delay, p, p), 0);
    if (!p->latency_varies && one_in(random, tree ? 4 : 24))
        d->topology = some_topology(random, d->P);
    d->call.model.topology = d->topology;
}

static void draw_arguments(struct drawn *d, uint64_t *random)
{
    const bool matrix = d->collective->operands == LOGP_OPERANDS_MATRIX;
    const struct logp_params params = some_params(random);
    const int P = some_P(random);
    const size_t n_bytes = (size_t)some_size(random, matrix ? 16 : P > 16 ? 300 : 2000);

    d->P = P;
    d->reps = one_in(random, 8) ? 2 : 1;
    d->call = (struct logp_invocation){
        .args.root = (int)(one_in(random, 2) ? P - 1 : below(random, P)),
        .args.tag = (int)below(random, 3),
        .args.n_bytes = n_bytes,
        .args.count = some_count(random, d->collective->operands, P),
        .args.op = some_op(random),
        .args.rows = 1 + below(random, 3 * P),
        .args.cols = 1 + below(random, 3 * P),
        .args.packing = one_in(random, 2) ? LOGP_PACKING_NONE : LOGP_PACKING_STRUCTURED,
        .args.pack_ns = one_in(random, 2) ? 0 : below(random, 40),
        .args.window = one_in(random, 2) ? 0 : 1 + below(random, P + 2),
        .args.k = some_k(random, P),
        .args.block_bytes = one_in(random, 2) ? 0 : 1 + below(random, (int64_t)n_bytes + 4),
        .args.work_ns = one_in(random, 2) ? 0 : some_time(random, 3),
        .args.in_place = d->collective->in_place != NULL && one_in(random, 3),
        .args.no_overlap = one_in(random, 2),
        .model.params = params,
    };
    if (matrix && one_in(random, 2)) { /* blocks all alike */
        d->call.args.rows = P * (1 + below(random, 3));
        d->call.args.cols = P * (1 + below(random, 3));
    }
}

/* Now and then, until the next case: blocks of different sizes. */
static void draw_blocks(struct drawn *d, uint64_t *random)
{
    static struct test_blocks out, in;

    if (!test_takes_blocks(d->collective) || !one_in(random, 3))
        return;
    test_blocks_free(&out);
    test_blocks_free(&in);
    test_blocks_make(&out, &in, d->P, random, some_size(random, 99), &d->call, d->collective);
}

/* A case for this row of the table, and so for its collective; the arguments are drawn until that
 * algorithm applies, but for one case in eight. */
static struct drawn draw_row(uint64_t seed, const struct logp_algorithm *row)
{
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    struct drawn d = {.seed = seed, .collective = logp_collective_find(row->collective)};
    const int tries = one_in(&random, 8) ? 1 : 30;

    for (int i = 0; i < tries; i++) {
        draw_arguments(&d, &random);
        draw_blocks(&d, &random);
        if (test_needs(row, d.P, &d.call) == NULL)
            break;
    }
    draw_delay(&d, &random);
    return d;
}

/* The seed decides for a row: each as often. */
static inline struct drawn draw(uint64_t seed)
{
    size_t n;
    const struct logp_algorithm *const *rows = test_rows(&n);

    return draw_row(seed, rows[seed % n]);
}

/* The seed decides for a collective, each as often, and for a row of it. */
static inline struct drawn draw_collective(uint64_t seed)
{
    size_t n, n_collectives = 0, first = 0, own = 0;
    const struct logp_algorithm *const *rows = test_rows(&n);
    const char *name;

    while (logp_collective_at(n_collectives) != NULL)
        n_collectives++;
    name = logp_collective_at(seed % n_collectives)->name;
    while (strcmp(rows[first]->collective, name) != 0)
        first++;
    while (first + own < n && strcmp(rows[first + own]->collective, name) == 0)
        own++;
    return draw_row(seed, rows[first + seed / n_collectives % own]);
}

static void describe(const struct drawn *d, const char *algorithm)
{
    const struct logp_invocation *c = &d->call;
    const struct logp_params *p = &c->model.params;

    fprintf(stderr,
            "LOGP_TEST_SEED=%lu: %s %s, P %d root %d, %s%s%s, L %ld o %ld %ld g %ld G %ld ps gamma "
            "%ld ps, %s gap, capacity %ld, %ld ports, %zu bytes, %ld %s of %s, k %ld, %ld x %ld "
            "packing %d "
            "pack %ld window %ld, block %ld work %ld overlap %d, %s%s%d runs\n",
            (unsigned long)d->seed, d->collective->name, algorithm, d->P, c->args.root, d->delay,
            d->call.model.links != NULL ? " on links"
            : d->topology != NULL       ? " on "
                                        : "",
            d->topology != NULL ? logp_topology_spec(d->topology) : "", (long)p->L_ns,
            (long)p->o_send_ns, (long)p->o_recv_ns, (long)p->g_ns, (long)p->G_ps, (long)p->gamma_ps,
            p->gap_shared ? "shared" : "separate", (long)p->capacity, (long)c->model.ports,
            c->args.n_bytes, (long)c->args.count, c->args.op != NULL ? c->args.op->type : "-",
            c->args.op != NULL ? c->args.op->name : "-", (long)c->args.k, (long)c->args.rows,
            (long)c->args.cols, (int)c->args.packing, (long)c->args.pack_ns, (long)c->args.window,
            (long)c->args.block_bytes, (long)c->args.work_ns, !c->args.no_overlap,
            c->args.in_place ? "in place, " : "", c->args.blocks != NULL ? "unlike blocks, " : "",
            d->reps);
}

/* Its delay model, to be owned by a machine or freed. */
static inline struct logp_delay drawn_delay(const struct drawn *d)
{
    struct logp_delay delay;

    cr_assert_eq(logp_network_delay(&d->call.model, d->P, NULL, &delay, NULL), 0);
    return delay;
}

/* What must hold of a case, and which it is where it does not. */
static inline void must(bool holds, const char *what, const struct drawn *d, const char *algorithm)
{
    (void)what; /* where the tests are plain programs, assertions say no more */
    if (!holds)
        describe(d, algorithm);
    cr_assert(holds, "case %lu, %s: %s", (unsigned long)d->seed, algorithm, what);
}

/* All algorithms of steps that apply, over so many cases, on machines with the virtual clock: or
 * over the one case that LOGP_TEST_SEED is. Machines with several cores take those that they can. */
static inline void over_drawn(uint64_t cases,
                              void (*check)(struct logp_machine *m, const struct drawn *d,
                                            const struct logp_algorithm *a))
{
    struct logp_machine *machines[MOST_P + 1] = {NULL};
    size_t n;
    const struct logp_algorithm *const *rows = test_rows(&n);
    const char *single = getenv("LOGP_TEST_SEED");
    const uint64_t first = single != NULL ? strtoull(single, NULL, 10) : 1;
    const uint64_t last = single != NULL ? first : cases / (uint64_t)test_divisor();

    for (uint64_t seed = first; seed <= last; seed++) {
        struct drawn d = draw(seed);
        struct logp_delay delay = drawn_delay(&d);
        struct logp_delay_ops ops;
        bool parallel;

        cr_assert_eq(logp_delay_functions(&delay, &ops), 0);
        parallel = ops.lookahead != NULL && ops.lookahead(delay.model) > 0 &&
                   logp_params_capacity(&d.call.model.params) == 0;
        logp_delay_destroy(&delay);
        if (machines[d.P] == NULL)
            machines[d.P] = test_machine(d.P, LOGP_CLOCK_VIRTUAL, NULL);
        for (size_t i = 0; i < n && (parallel || !test_parallel()); i++)
            if (rows[i]->steps != NULL && strcmp(rows[i]->collective, d.collective->name) == 0 &&
                test_needs(rows[i], d.P, &d.call) == NULL)
                check(machines[d.P], &d, rows[i]);
        logp_topology_destroy(d.topology);
    }
    for (int P = 0; P <= MOST_P; P++)
        cr_assert_eq(logp_machine_destroy(machines[P]), 0);
}

#endif
