/* SPDX-License-Identifier: MIT */
/*
 * Random cases over the whole table: processors, parameters, operands, delay models and topologies
 * are drawn for a collective, and every algorithm of it is run that applies. Results are right, the
 * virtual clock agrees with the prediction and is never below the lower bound, a prediction is
 * missing only where that is documented, and `auto` takes the best.
 *
 * A case is its seed: LOGP_TEST_SEED runs a single one, and says what it is.
 */
#include "drawn.h"

enum { CASES = 4000, LEAST_EXACT = 20, CERTAINTIES = 4 };

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

/* ---- running it ---- */

static void use_delay(struct logp_machine *m, const struct drawn *d)
{
    struct logp_delay ends, delay;

    cr_assert_eq(logp_delay_create(d->delay, &d->call.model.params, &ends), 0);
    delay = ends;
    if (d->topology != NULL)
        cr_assert_eq(logp_topology_delay(d->topology, ends, &delay), 0);
    cr_assert_eq(logp_machine_set_delay(m, delay, 0), 0);
}

static bool has_lookahead(const struct drawn *d)
{
    const struct logp_params *p = &d->call.model.params;

    return d->topology == NULL && logp_params_capacity(p) == 0 &&
           (p->latency_varies ? 0 : p->L_ns) + p->o_send_ns > 0;
}

/* Do its messages follow a tree from the root or to it? */
static bool follows_a_tree(const struct drawn *d, const struct logp_algorithm *a)
{
    struct logp_invocation c = d->call;
    struct logp_topology *line;
    struct logp_link_load load;
    int rc;

    cr_assert_eq(logp_topology_create("line", d->P, &line), 0);
    c.model.topology = line;
    rc = logp_link_load_init(&load, a, &c.args, &c.model);
    if (rc == 0)
        logp_link_load_fini(&load);
    logp_topology_destroy(line);
    return rc == 0;
}

/* The conditions under which an algorithm that applies may have no prediction. */
static bool may_have_none(const struct drawn *d, const struct logp_algorithm *a)
{
    const bool broadcast = strcmp(a->collective, "broadcast") == 0;

    if (logp_params_capacity(&d->call.model.params) > 0)
        return true;
    if (d->P == 1)
        return false;
    if (d->topology != NULL)
        return !follows_a_tree(d, a) || (d->call.model.params.gap_shared && !broadcast);
    if (d->call.model.params.gap_shared)
        return !broadcast || (!follows_a_tree(d, a) && strcmp(a->name, "torus-pipelined") != 0);
    return false;
}

/* An algorithm that needs what is not there is refused everywhere. */
static void check_refusal(struct logp_machine *m, const struct drawn *d,
                          const struct logp_algorithm *a, const struct logp_experiment *x)
{
    struct logp_invocation c = d->call;
    struct logp_record r;

    claim(logp_experiment_run(m, x, &r) == -ENOTSUP, "an experiment is refused", d, a->name, NULL);
    claim(test_plan(a, d->P, 0, &c) == -ENOTSUP, "a plan is refused", d, a->name, NULL);
    claim(test_predict(a, d->P, &c).certainty == LOGP_PREDICTION_NONE, "there is no prediction", d,
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
    const struct logp_experiment x = test_experiment(a, &d->call.args, d->reps, d->seed);
    struct outcome o = {.ran = test_needs(a, d->P, &d->call) == NULL};
    struct logp_record r;

    if (!o.ran) {
        check_refusal(m, d, a, &x);
        count->refused++;
        return o;
    }
    claim(logp_experiment_run(m, &x, &r) == 0, "it runs", d, a->name, NULL);
    o.prediction = r.prediction;
    o.ns = r.emulated.max_ns;
    claim(r.verified, "its result is right", d, a->name, &o);
    claim(r.emulated.min_ns == r.emulated.max_ns || d->call.model.params.latency_varies,
          "all runs take the same time", d, a->name, &o);
    claim(o.ns >= logp_collective_lower_bound(a->collective, d->P, &d->call.args, &d->call.model),
          "nothing is below the lower bound", d, a->name, &o);
    check_time(d, a, &o);
    count->certainty[o.prediction.certainty]++;
    return o;
}

/* ---- auto ---- */

/* Predictions of times are compared, lower bounds only with each other. */
static int certainty_of(enum logp_certainty certainty)
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
    const struct logp_algorithm *const *rows = test_rows(&n), *best = NULL, *fastest = NULL;
    const struct logp_algorithm *taken = test_best(d->collective->name, d->P, &d->call);
    struct logp_prediction least = {.certainty = LOGP_PREDICTION_NONE};
    int64_t least_ns = 0;
    bool all_exact = true;

    for (size_t i = 0; i < n; i++) {
        struct logp_prediction p;
        int more;

        if (strcmp(rows[i]->collective, d->collective->name) != 0 || !outcomes[i].ran)
            continue;
        p = test_predict(rows[i], d->P, &d->call);
        more = certainty_of(p.certainty) - certainty_of(least.certainty);
        if (best == NULL || more > 0 ||
            (more == 0 && certainty_of(p.certainty) > 0 && p.ns < least.ns)) {
            best = rows[i];
            least = p;
        }
        if (fastest == NULL || outcomes[i].ns < least_ns) {
            fastest = rows[i];
            least_ns = outcomes[i].ns;
        }
        all_exact &= p.certainty == LOGP_PREDICTION_EXACT;
    }
    claim(taken == best || certainty_of(least.certainty) == 0,
          "auto takes the first of those with the best prediction", d,
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
    const struct logp_algorithm *const *rows = test_rows(&n);
    struct outcome *outcomes = calloc(n, sizeof(*outcomes));
    int ran = 0;

    if (machines[d.P] == NULL)
        machines[d.P] = test_machine(d.P, LOGP_CLOCK_VIRTUAL, NULL);
    if (logp_machine_cores(machines[d.P]) > 1 && !has_lookahead(&d)) {
        free(outcomes);
        logp_topology_destroy(d.topology);
        return 0; /* a parallel machine does not run it: test_parallel.c */
    }
    use_delay(machines[d.P], &d);
    for (size_t i = 0; i < n; i++)
        if (strcmp(rows[i]->collective, d.collective->name) == 0) {
            outcomes[i] = run(machines[d.P], &d, rows[i], &counts[i]);
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
    const struct logp_algorithm *const *rows = test_rows(&n);

    cr_log_info("%d runs; of each algorithm exact, bound, lower bound, no prediction, refused:",
                ran);
    for (size_t i = 0; i < n; i++) {
        const int *certainty = counts[i].certainty;

        cr_log_info("%-14s %-22s %4d %4d %4d %4d %4d", rows[i]->collective, rows[i]->name,
                    certainty[LOGP_PREDICTION_EXACT], certainty[LOGP_PREDICTION_BOUND],
                    certainty[LOGP_PREDICTION_LOWER_BOUND], certainty[LOGP_PREDICTION_NONE],
                    counts[i].refused);
        if (test_divisor() == 1)
            cr_assert_geq(certainty[LOGP_PREDICTION_EXACT], LEAST_EXACT,
                          "%s %s: %d cases with an exact prediction", rows[i]->collective,
                          rows[i]->name, certainty[LOGP_PREDICTION_EXACT]);
    }
}

Test(cases, every_algorithm_is_right_on_time_and_chosen_when_best)
{
    struct logp_machine *machines[MOST_P + 1] = {NULL};
    const char *single = getenv("LOGP_TEST_SEED");
    size_t n;
    struct count *counts = NULL;
    int ran = 0;

    test_rows(&n);
    counts = calloc(n, sizeof(*counts));
    if (single != NULL) {
        const uint64_t seed = strtoull(single, NULL, 10);
        const struct drawn d = draw(seed);

        describe(&d, "of every kind");
        logp_topology_destroy(d.topology);
        check_case(machines, seed, counts);
    } else {
        cr_log_info("cases 1 to %d, each its own seed", CASES / test_divisor());
        for (uint64_t seed = 1; seed <= (uint64_t)(CASES / test_divisor()); seed++)
            ran += check_case(machines, seed, counts);
        report(counts, ran);
    }
    for (int P = 0; P <= MOST_P; P++)
        cr_assert_eq(logp_machine_destroy(machines[P]), 0);
    free(counts);
}

/* Does it take the k that is given? */
static bool takes_k(const struct logp_algorithm *a, int64_t P, struct logp_invocation c)
{
    c.args.k = 2;
    return test_has_knob(a, "k") && test_needs(a, P, &c) == NULL && test_knob(a, "k", P, &c) == 2;
}

Test(cases, a_k_out_of_range_is_refused)
{
    struct logp_invocation c = {.args.count = 1,
                                .args.n_bytes = 8,
                                .args.op = logp_op_find("sum", "double"),
                                .model.params = test_params(6, 2, 4)};
    size_t n;
    const struct logp_algorithm *const *rows = test_rows(&n);
    int taking = 0;

    for (size_t i = 0; i < n; i++) {
        const bool chains = strncmp(rows[i]->name, "kchain", 6) == 0;

        if (!takes_k(rows[i], 16, c))
            continue;
        taking++;
        for (int64_t k = -3; k <= (chains ? 20 : 0); k++) {
            const bool good = k == 0 || k == LOGP_K_SQRT || (k >= 1 && k <= 15);

            c.args.k = k;
            if (good)
                continue;
            cr_assert(test_needs(rows[i], 16, &c) != NULL, "%s k %ld", rows[i]->name, (long)k);
            cr_assert_eq(test_plan(rows[i], 16, 0, &c), -ENOTSUP);
        }
    }
    cr_assert_geq(taking, 2);
}
