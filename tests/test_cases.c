/* SPDX-License-Identifier: MIT */
/*
 * Random cases over the whole table: processors, parameters, operands, delay models and topologies
 * are drawn for a collective, and every algorithm of it is run that applies. Results are right, the
 * virtual clock agrees with the prediction, a prediction is missing only where that is documented,
 * and `auto` takes the best.
 *
 * A case is its seed: LOGP_TEST_SEED runs a single one, and says what it is.
 */
#include "support.h"

#include <stdio.h>

enum { MOST_P = 40, CASES = 2600, LEAST_EXACT = 20, CERTAINTIES = 4 };

struct drawn {
    uint64_t seed;
    int P, reps;
    const struct logp_collective *collective;
    const char *delay;
    struct logp_topology *topology; /* or NULL */
    struct logp_coll coll;
};

/* What one algorithm did in a case. */
struct outcome {
    bool ran;
    struct logp_prediction prediction;
    int64_t ns;
};

/* By row of the table. */
struct count {
    int certainty[CERTAINTIES], refused;
};

/* ---- what goes wrong ---- */

static void describe(const struct drawn *d, const char *algorithm)
{
    const struct logp_coll *c = &d->coll;
    const struct logp_params *p = &c->params;

    fprintf(stderr,
            "LOGP_TEST_SEED=%lu: %s %s, P %d root %d, %s%s%s, L %ld o %ld %ld g %ld G %ld ps gamma "
            "%ld ps, %s gap, capacity %ld, %zu bytes, %ld %s of %s, k %ld, %ld x %ld packing %d "
            "pack %ld window %ld, block %ld work %ld overlap %d, %d runs\n",
            (unsigned long)d->seed, d->collective->name, algorithm, d->P, c->root, d->delay,
            d->topology != NULL ? " on " : "",
            d->topology != NULL ? logp_topology_spec(d->topology) : "", (long)p->L_ns,
            (long)p->o_send_ns, (long)p->o_recv_ns, (long)p->g_ns, (long)p->G_ps, (long)p->gamma_ps,
            p->gap_shared ? "shared" : "separate", (long)p->capacity, c->n_bytes, (long)c->count,
            c->op->type, c->op->name, (long)c->k, (long)c->rows, (long)c->cols, (int)c->packing,
            (long)c->pack_ns, (long)c->window, (long)c->block_bytes, (long)c->work_ns,
            !c->no_overlap, d->reps);
}

/* o: NULL, or what there is to compare. */
static void claim(bool holds, const char *what, const struct drawn *d, const char *algorithm,
                  const struct outcome *o)
{
    if (holds)
        return;
    describe(d, algorithm);
    if (o != NULL)
        fprintf(stderr, "virtual clock %ld ns, predicted %ld ns (%s)\n", (long)o->ns,
                (long)o->prediction.ns, logp_certainty_name(o->prediction.certainty));
    fprintf(stderr, "this does not hold: %s\n", what);
    cr_assert(holds, "case %lu, %s %s: %s", (unsigned long)d->seed, d->collective->name, algorithm,
              what);
}

/* ---- drawing a case ---- */

static int64_t below(uint64_t *random, int64_t n)
{
    return (int64_t)(test_random(random) % (uint64_t)n);
}

static bool one_in(uint64_t *random, int64_t n)
{
    return below(random, n) == 0;
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

/* maps x -> m x + t modulo 2^32, one after the other: not commutative */
struct map {
    uint32_t m, t;
};

static void follow(void *acc, const void *in, size_t n, void *arg)
{
    struct map *x = acc;
    const struct map *y = in;

    (void)arg;
    for (size_t i = 0; i < n; i++)
        x[i] = (struct map){y[i].m * x[i].m, y[i].m * x[i].t + y[i].t};
}

static const struct logp_op maps = {
    .name = "follow", .type = "map", .element_bytes = sizeof(struct map), .combine = follow};

static const struct logp_op *some_op(uint64_t *random)
{
    size_t n;
    const struct logp_op *ops = logp_ops(&n);

    return one_in(random, 12) ? &maps : &ops[below(random, (int64_t)n)];
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

/* A topology that fits P processors; the sizes of a grid are any that make P. */
static struct logp_topology *some_topology(uint64_t *random, int P)
{
    size_t n;
    const struct logp_topology_kind *kinds = logp_topologies(&n);
    struct logp_topology *topology = NULL;

    while (topology == NULL) {
        const struct logp_topology_kind *kind = &kinds[below(random, (int64_t)n)];
        int rows = 1 + (int)below(random, P);
        char spec[32];

        while (P % rows != 0)
            rows--;
        snprintf(spec, sizeof(spec), "%s", kind->name);
        if (strstr(kind->form, "RxC") != NULL)
            snprintf(spec, sizeof(spec), "%s:%dx%d", kind->name, rows, P / rows);
        if (logp_topology_needs(spec, P) == NULL)
            cr_assert_eq(logp_topology_create(spec, P, &topology), 0);
    }
    return topology;
}

static void draw_delay(struct drawn *d, uint64_t *random)
{
    struct logp_params *p = &d->coll.params;
    const bool tree =
        strcmp(d->collective->name, "broadcast") == 0 || strcmp(d->collective->name, "reduce") == 0;

    d->delay = one_in(random, 4) ? "store-forward" : one_in(random, 3) ? "logp" : "loggp";
    p->store_forward = strcmp(d->delay, "store-forward") == 0;
    if (strcmp(d->delay, "logp") == 0) /* every message counts as one */
        p->G_ps = 0;
    if (one_in(random, tree ? 4 : 24))
        d->topology = some_topology(random, d->P);
    d->coll.topology = d->topology;
}

static void draw_arguments(struct drawn *d, uint64_t *random)
{
    const bool matrix = d->collective->operands == LOGP_OPERANDS_MATRIX;
    const struct logp_params params = some_params(random);
    const int P = some_P(random);
    const size_t n_bytes = (size_t)some_size(random, matrix ? 16 : P > 16 ? 300 : 2000);

    d->P = P;
    d->reps = one_in(random, 8) ? 2 : 1;
    d->coll = (struct logp_coll){
        .root = (int)below(random, P),
        .tag = (int)below(random, 3),
        .n_bytes = n_bytes,
        .count = some_count(random, d->collective->operands, P),
        .op = some_op(random),
        .rows = 1 + below(random, 3 * P),
        .cols = 1 + below(random, 3 * P),
        .packing = one_in(random, 2) ? LOGP_PACKING_NONE : LOGP_PACKING_STRUCTURED,
        .pack_ns = one_in(random, 2) ? 0 : below(random, 40),
        .window = one_in(random, 2) ? 0 : 1 + below(random, P + 2),
        .k = some_k(random, P),
        .block_bytes = one_in(random, 2) ? 0 : 1 + below(random, (int64_t)n_bytes + 4),
        .work_ns = one_in(random, 2) ? 0 : some_time(random, 3),
        .no_overlap = one_in(random, 2),
        .params = params,
    };
    if (matrix && one_in(random, 2)) { /* blocks all alike */
        d->coll.rows = P * (1 + below(random, 3));
        d->coll.cols = P * (1 + below(random, 3));
    }
}

/* The seed decides for a row of the table, and so for its collective; the arguments are drawn until
 * that algorithm applies, but for one case in eight. */
static struct drawn draw(uint64_t seed)
{
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    size_t n;
    const struct logp_algorithm *rows = logp_algorithms(&n), *row = &rows[seed % n];
    struct drawn d = {.seed = seed, .collective = logp_collective_find(row->collective)};
    const int tries = one_in(&random, 8) ? 1 : 30;

    for (int i = 0; i < tries; i++) {
        draw_arguments(&d, &random);
        if (logp_algorithm_needs(row, d.P, &d.coll) == NULL)
            break;
    }
    draw_delay(&d, &random);
    return d;
}

/* ---- running it ---- */

static void use_delay(struct logp_machine *m, const struct drawn *d)
{
    struct logp_delay ends, delay;

    cr_assert_eq(logp_delay_create(d->delay, &d->coll.params, &ends), 0);
    delay = ends;
    if (d->topology != NULL)
        cr_assert_eq(logp_topology_delay(d->topology, ends, &delay), 0);
    cr_assert_eq(logp_machine_set_delay(m, delay, 0), 0);
}

/* Do its messages follow a tree from the root or to it? */
static bool follows_a_tree(const struct drawn *d, const struct logp_algorithm *a)
{
    struct logp_coll c = d->coll;
    struct logp_topology *line;
    struct logp_link_load load;
    int rc;

    cr_assert_eq(logp_topology_create("line", d->P, &line), 0);
    c.topology = line;
    rc = logp_link_load_init(&load, a, &c);
    if (rc == 0)
        logp_link_load_fini(&load);
    logp_topology_destroy(line);
    return rc == 0;
}

/* The conditions under which an algorithm that applies may have no prediction. */
static bool may_have_none(const struct drawn *d, const struct logp_algorithm *a)
{
    const bool broadcast = strcmp(a->collective, "broadcast") == 0;

    if (logp_capacity(&d->coll.params) > 0)
        return true;
    if (d->P == 1)
        return false;
    if (d->topology != NULL)
        return !follows_a_tree(d, a) || (d->coll.params.gap_shared && !broadcast);
    if (d->coll.params.gap_shared)
        return !broadcast || (!follows_a_tree(d, a) && strcmp(a->name, "torus-pipelined") != 0);
    return false;
}

/* An algorithm that needs what is not there is refused everywhere. */
static void check_refusal(struct logp_machine *m, const struct drawn *d,
                          const struct logp_algorithm *a, const struct logp_experiment *x)
{
    struct logp_coll c = d->coll;
    struct logp_record r;

    claim(logp_experiment_run(m, x, &r) == -ENOTSUP, "an experiment is refused", d, a->name, NULL);
    claim(logp_coll_plan(a, d->P, 0, &c) == -ENOTSUP, "a plan is refused", d, a->name, NULL);
    claim(logp_predict(a, d->P, &c).certainty == LOGP_PREDICTION_NONE, "there is no prediction", d,
          a->name, NULL);
}

static void check_time(const struct drawn *d, const struct logp_algorithm *a,
                       const struct outcome *o)
{
    switch (o->prediction.certainty) {
    case LOGP_PREDICTION_EXACT:
        claim(o->ns == o->prediction.ns, "exact", d, a->name, o);
        break;
    case LOGP_PREDICTION_BOUND:
        claim(o->ns <= o->prediction.ns, "an upper bound", d, a->name, o);
        break;
    case LOGP_PREDICTION_LOWER_BOUND:
        claim(d->topology != NULL && o->ns >= o->prediction.ns, "a lower bound, on a topology", d,
              a->name, o);
        break;
    case LOGP_PREDICTION_NONE:
        claim(may_have_none(d, a), "there is a prediction", d, a->name, o);
        break;
    }
}

static struct outcome run(struct logp_machine *m, const struct drawn *d,
                          const struct logp_algorithm *a, struct count *count)
{
    const struct logp_experiment x = {.algorithm = a,
                                      .coll = d->coll,
                                      .reps = d->reps,
                                      .seed = d->seed,
                                      .timeout_ns = test_timeout_ns};
    struct outcome o = {.ran = logp_algorithm_needs(a, d->P, &d->coll) == NULL};
    struct logp_record r;

    if (!o.ran) {
        check_refusal(m, d, a, &x);
        count->refused++;
        return o;
    }
    claim(logp_experiment_run(m, &x, &r) == 0, "it runs", d, a->name, NULL);
    o.prediction = r.prediction;
    o.ns = r.emulated.median_ns;
    claim(r.verified, "its result is right", d, a->name, &o);
    claim(r.emulated.min_ns == r.emulated.max_ns, "all runs take the same time", d, a->name, &o);
    check_time(d, a, &o);
    count->certainty[o.prediction.certainty]++;
    return o;
}

/* ---- auto ---- */

/* Predictions of times are compared, lower bounds only with each other. */
static int promise(enum logp_certainty certainty)
{
    static const int promises[CERTAINTIES] = {[LOGP_PREDICTION_NONE] = 0,
                                              [LOGP_PREDICTION_LOWER_BOUND] = 1,
                                              [LOGP_PREDICTION_BOUND] = 2,
                                              [LOGP_PREDICTION_EXACT] = 2};

    return promises[certainty];
}

/* outcomes: by row of the table. */
static void check_auto(const struct drawn *d, const struct outcome *outcomes)
{
    size_t n;
    const struct logp_algorithm *rows = logp_algorithms(&n), *best = NULL, *fastest = NULL;
    const struct logp_algorithm *taken = logp_algorithm_best(d->collective->name, d->P, &d->coll);
    struct logp_coll c = d->coll;
    struct logp_prediction least = {LOGP_PREDICTION_NONE, 0};
    int64_t least_ns = 0;
    bool all_exact = true;

    c.params.capacity = 0;
    for (size_t i = 0; i < n; i++) {
        const struct logp_prediction p = logp_predict(&rows[i], d->P, &c);
        const int more = promise(p.certainty) - promise(least.certainty);

        if (strcmp(rows[i].collective, d->collective->name) != 0 || !outcomes[i].ran)
            continue;
        if (best == NULL || more > 0 ||
            (more == 0 && promise(p.certainty) > 0 && p.ns < least.ns)) {
            best = &rows[i];
            least = p;
        }
        if (fastest == NULL || outcomes[i].ns < least_ns) {
            fastest = &rows[i];
            least_ns = outcomes[i].ns;
        }
        all_exact &= outcomes[i].prediction.certainty == LOGP_PREDICTION_EXACT;
    }
    claim(taken == best, "auto takes the first of those with the best prediction", d,
          taken != NULL ? taken->name : "auto", NULL);
    claim(!all_exact || taken == fastest, "auto takes the first of the fastest", d,
          taken != NULL ? taken->name : "auto", NULL);
}

/* ---- all of it ---- */

/* @return how many algorithms were run */
static int check_case(struct logp_machine **machines, uint64_t seed, struct count *counts)
{
    struct drawn d = draw(seed);
    size_t n;
    const struct logp_algorithm *rows = logp_algorithms(&n);
    struct outcome *outcomes = calloc(n, sizeof(*outcomes));
    int ran = 0;

    if (machines[d.P] == NULL)
        machines[d.P] = test_machine(d.P, LOGP_CLOCK_VIRTUAL, NULL);
    use_delay(machines[d.P], &d);
    for (size_t i = 0; i < n; i++)
        if (strcmp(rows[i].collective, d.collective->name) == 0) {
            outcomes[i] = run(machines[d.P], &d, &rows[i], &counts[i]);
            ran += outcomes[i].ran;
        }
    check_auto(&d, outcomes);
    free(outcomes);
    logp_topology_destroy(d.topology);
    return ran;
}

static void report(const struct count *counts, int ran)
{
    size_t n;
    const struct logp_algorithm *rows = logp_algorithms(&n);

    cr_log_info("%d runs; of each algorithm exact, bound, lower bound, no prediction, refused:",
                ran);
    for (size_t i = 0; i < n; i++) {
        const int *certainty = counts[i].certainty;

        cr_log_info("%-14s %-22s %4d %4d %4d %4d %4d", rows[i].collective, rows[i].name,
                    certainty[LOGP_PREDICTION_EXACT], certainty[LOGP_PREDICTION_BOUND],
                    certainty[LOGP_PREDICTION_LOWER_BOUND], certainty[LOGP_PREDICTION_NONE],
                    counts[i].refused);
        if (TEST_SCALE == 1)
            cr_assert_geq(certainty[LOGP_PREDICTION_EXACT], LEAST_EXACT,
                          "%s %s: %d cases with an exact prediction", rows[i].collective,
                          rows[i].name, certainty[LOGP_PREDICTION_EXACT]);
    }
}

Test(cases, every_algorithm_is_right_on_time_and_chosen_when_best)
{
    struct logp_machine *machines[MOST_P + 1] = {NULL};
    const char *single = getenv("LOGP_TEST_SEED");
    size_t n;
    struct count *counts = NULL;
    int ran = 0;

    logp_algorithms(&n);
    counts = calloc(n, sizeof(*counts));
    if (single != NULL) {
        const uint64_t seed = strtoull(single, NULL, 10);
        const struct drawn d = draw(seed);

        describe(&d, "of every kind");
        logp_topology_destroy(d.topology);
        check_case(machines, seed, counts);
    } else {
        cr_log_info("cases 1 to %d, each its own seed", CASES / TEST_SCALE);
        for (uint64_t seed = 1; seed <= CASES / TEST_SCALE; seed++)
            ran += check_case(machines, seed, counts);
        report(counts, ran);
    }
    for (int P = 0; P <= MOST_P; P++)
        cr_assert_eq(logp_machine_destroy(machines[P]), 0);
    free(counts);
}
