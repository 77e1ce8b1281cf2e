/* SPDX-License-Identifier: MIT */
/*
 * Random cases over the whole table: processors, parameters, operands, delay models, topologies and
 * links are drawn for a collective, and every algorithm of it is run that applies. Results are right;
 * the virtual clock, the fold of the schedule, the formula and a simulation of our own agree to the
 * nanosecond; nothing is below the lower bound; and a prediction is missing only where that is
 * documented. That `auto` takes the best: test_best.c.
 *
 * A case is its seed: LOGP_TEST_SEED runs a single one, and says what it is. LOGP_TEST_POINTS runs so many,
 * from that seed on if it is given. In one of three ranks arrive late.
 */
#include "drawn_links.h"
#include "simulator.h"

enum { CASES = 6000, LARGE = 300, LEAST_EXACT = 20, LEAST_ON_NETWORK = 3, CERTAINTIES = 4 };

/* By row of the table. */
struct count {
    int certainty[CERTAINTIES], linked, refused;
};

/* A claim about times that are these. */
static void claim(bool holds, const char *what, const struct drawn *d,
                  const struct logp_algorithm *a, int64_t ns, int64_t expected)
{
    if (!holds)
        fprintf(stderr, "%ld ns, expected %ld ns: %s\n", (long)ns, (long)expected, what);
    must(holds, what, d, a->name);
}

/* Several cores at once need a time ahead of which nothing can happen: test_parallel.c. */
static bool cannot_run(struct logp_machine *m, const struct drawn *d)
{
    TEST_DELAY delay = drawn_delay(d);

    return logp_machine_cores(m) > 1 &&
           (delay.ops->lookahead == NULL || delay.ops->lookahead(delay.model) == 0 ||
            (delay.ops->capacity != NULL && delay.ops->capacity(delay.model) > 0));
}

/* Do its messages follow a tree from the root or to it? */
static bool follows_a_tree(const struct drawn *d, const struct logp_algorithm *a)
{
    struct logp_invocation c = d->call;
    TEST_TOPOLOGY line = test_topology("line", d->P);
    struct logp_link_load load;
    int rc;

    c.model.topology = line;
    rc = logp_link_load_init(&load, a, &c.args, &c.model);
    if (rc == 0)
        logp_link_load_fini(&load);
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
    if (d->call.model.ports > 1 && d->call.model.params.latency_varies)
        return true;
    if (d->call.model.links != NULL || d->call.model.arrivals != NULL || d->call.model.ports > 1)
        return a->steps == NULL;
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

    must(logp_experiment_run(m, x, &r) == -ENOTSUP, "an experiment is refused", d, a->name);
    must(test_plan(a, d->P, 0, &c) == -ENOTSUP, "a plan is refused", d, a->name);
    must(test_predict(a, d->P, &c).certainty == LOGP_PREDICTION_NONE, "there is no prediction", d,
         a->name);
}

/* Does the time of a run agree with this prediction? */
static void check_prediction(const struct drawn *d, const struct logp_algorithm *a,
                             const struct logp_prediction *p, int64_t ns)
{
    if (p->certainty == LOGP_PREDICTION_EXACT)
        claim(ns == p->ns, "exact", d, a, ns, p->ns);
    if (p->certainty == LOGP_PREDICTION_BOUND)
        claim(ns <= p->ns, "an upper bound", d, a, ns, p->ns);
    if (p->certainty == LOGP_PREDICTION_LOWER_BOUND)
        claim(d->topology != NULL && ns >= p->ns, "a lower bound, on a topology", d, a, ns, p->ns);
}

/* Whether it is torus-pipelined, or uses it: its formula has no check of the links. */
static bool is_pipelined(const struct drawn *d, const struct logp_algorithm *a)
{
    const struct logp_schedule s = logp_schedule_of(a, d->P, &d->call.args, &d->call.model);

    return strcmp(a->name, "torus-pipelined") == 0 ||
           (s.args.within != NULL && strcmp(s.args.within->name, "torus-pipelined") == 0);
}

/* The links of a topology. A formula of a tree there is exact if and only if nobody waits for one. */
static void check_links(struct logp_machine *m, const struct drawn *d,
                        const struct logp_algorithm *a, const struct logp_link_use *simulated)
{
    const struct logp_prediction p = test_predict_by(a, d->P, &d->call, LOGP_BY_FORMULA);
    struct logp_link_use use;

    cr_assert_eq(logp_link_use(m, -1, &use), 0);
    claim(use.waited_ns == simulated->waited_ns, "so long was waited for links", d, a,
          use.waited_ns, simulated->waited_ns);
    claim(use.busy_ns == simulated->busy_ns, "so long links were busy", d, a, use.busy_ns,
          simulated->busy_ns);
    must(use.messages == simulated->messages, "so many passed links", d, a->name);
    if (p.certainty != LOGP_PREDICTION_NONE && logp_params_capacity(&d->call.model.params) == 0 &&
        !is_pipelined(d, a))
        must((p.certainty == LOGP_PREDICTION_EXACT) == (use.waited_ns == 0 || d->P == 1),
             "exact where nobody waits for a link", d, a->name);
}

/* The rules: what every rank does, step by step, in a simulation of our own. */
static void simulate(const struct drawn *d, const struct logp_schedule *schedule, struct sim *s)
{
    *s = (struct sim){
        .P = d->P, .ranks = calloc((size_t)d->P, sizeof(*s->ranks)), .model = d->call.model};
    for (int r = 0; r < d->P; r++) {
        struct sim_op *ops = NULL;
        struct logp_invocation c;
        struct logp_step step;
        int n = 0, space = 0;

        cr_assert_eq(logp_schedule_begin(schedule, r, &c), 0);
        for (int64_t i = 0; schedule->steps(d->P, r, &c, i, &step);
             i += 1 + (step.kind == LOGP_STEP_COMPUTE ? step.parts : 0)) {
            if (n == space)
                ops = realloc(ops, (size_t)(space = 2 * space + 16) * sizeof(*ops));
            ops[n++] = (struct sim_op){.kind = step.kind == LOGP_STEP_SEND      ? SEND
                                               : step.kind == LOGP_STEP_RECEIVE ? RECV
                                                                                : COMPUTE,
                                       .peer = (int)step.peer,
                                       .tag = step.tag,
                                       .n_bytes = step.n_bytes,
                                       .time = step.kind == LOGP_STEP_COPY ? 0 : step.ns};
        }
        logp_schedule_end(&c);
        s->ranks[r] = (struct sim_rank){.ops = ops, .n = n};
    }
    must(sim_run(s) == 0, "the simulation gets through", d, "schedule");
    for (int r = 0; r < d->P; r++)
        free((struct sim_op *)s->ranks[r].ops);
    free(s->ranks);
}

/* The fold and the simulation of a schedule, which was run. Latencies that vary are simulated as the
 * longest, and are those of the first repetition in the fold. */
static void check_schedule(struct logp_machine *m, const struct drawn *d,
                           const struct logp_algorithm *a, const struct logp_record *r)
{
    const struct logp_schedule s = logp_schedule_of(a, d->P, &d->call.args, &d->call.model);
    const bool varies = d->call.model.params.latency_varies;
    const struct logp_prediction p = test_predict_by(a, d->P, &d->call, LOGP_BY_SCHEDULE);
    TEST_DELAY delay = drawn_delay(d);
    struct logp_fold fold;
    struct sim sim;

    must(logp_schedule_fold(&s, &delay, 0, &fold) == 0, "it is folded", d, a->name);
    const bool enters_in_order = d->call.model.links == NULL || d->call.model.ports <= 1 ||
                                 d->call.model.params.capacity == 0;

    claim(fold.ns == r->emulated.median_ns || (varies && d->reps > 1) || !enters_in_order,
          "the fold is the virtual clock", d, a, fold.ns, r->emulated.median_ns);
    must(fold.messages == r->messages, "it has all messages", d, a->name);
    must(fold.unreceived == 0, "all are received", d, a->name);
    if (d->call.model.links != NULL && d->call.model.params.capacity > 0)
        return; /* overheads differ: messages enter the wire in another order than they start */
    simulate(d, &s, &sim);
    /* with several ports less latency may take longer: a message may find another port free */
    claim(varies ? d->call.model.ports > 1 || fold.ns <= sim.end : fold.ns == sim.end,
          "the fold is what the rules say", d, a, fold.ns, sim.end);
    claim(p.certainty == LOGP_PREDICTION_NONE || p.ns == sim.end,
          "so is the prediction by schedule", d, a, p.ns, sim.end);
    if (d->topology != NULL && d->reps == 1)
        check_links(m, d, a, &sim.use);
}

/* A time is found up to itself, with the parameters of the prediction, and not below. */
static void check_until(const struct drawn *d, const struct logp_algorithm *a,
                        const struct logp_prediction *p)
{
    struct logp_invocation c = d->call;
    struct logp_prediction found, before;

    if (p->certainty != LOGP_PREDICTION_EXACT && p->certainty != LOGP_PREDICTION_BOUND)
        return;
    found = logp_algorithm_predict_until(a, d->P, &c.args, &c.model, p->ns);
    claim(found.certainty == p->certainty && found.ns == p->ns, "it is the time up to itself", d, a,
          found.ns, p->ns);
    found = test_predict_by(a, d->P, &c, LOGP_BY_EITHER);
    claim(found.ns == p->ns, "with the parameters that were found", d, a, found.ns, p->ns);
    if (p->ns == 0)
        return;
    before = logp_algorithm_predict_until(a, d->P, &c.args, &c.model, p->ns - 1);
    claim(before.certainty == LOGP_PREDICTION_LOWER_BOUND && before.ns == p->ns,
          "a later time has a lower bound", d, a, before.ns, p->ns);
}

/* @return it applies, and was run */
static bool run(struct logp_machine *m, const struct drawn *d, const struct logp_algorithm *a,
                struct count *count)
{
    struct logp_experiment x = test_experiment(a, &d->call.args, d->reps, d->seed);
    const bool linked = d->call.model.links != NULL || d->call.model.ports > 1;
    struct logp_prediction formula;
    struct logp_record r;
    int64_t ns;

    x.arrivals = d->call.model.arrivals;
    if (test_needs(a, d->P, &d->call) != NULL) {
        check_refusal(m, d, a, &x);
        count->refused++;
        return false;
    }
    must(logp_experiment_run(m, &x, &r) == 0, "it runs", d, a->name);
    must(r.verified, "its result is right", d, a->name);
    if (!r.has_emulated) /* over processes */
        return true;
    ns = r.emulated.max_ns;
    claim(r.emulated.min_ns == ns || d->call.model.params.latency_varies,
          "all runs take the same time", d, a, r.emulated.min_ns, ns);
    claim(r.emulated.min_ns >=
              logp_collective_lower_bound(a->collective, d->P, &d->call.args, &d->call.model),
          "nothing is below the lower bound", d, a, r.emulated.min_ns, ns);
    must(r.prediction.certainty != LOGP_PREDICTION_NONE || may_have_none(d, a),
         "there is a prediction", d, a->name);
    check_prediction(d, a, &r.prediction, ns);
    check_until(d, a, &r.prediction);
    formula = test_predict_by(a, d->P, &d->call, LOGP_BY_FORMULA);
    must(!linked || formula.certainty == LOGP_PREDICTION_NONE,
         "links and several ports have no formula", d, a->name);
    check_prediction(d, a, &formula, ns);
    if (a->steps != NULL)
        check_schedule(m, d, a, &r);
    count->certainty[r.prediction.certainty]++;
    count->linked += linked;
    return true;
}

/* ---- all of it ---- */

/* Over processes there are no delays, and so neither links nor a topology; one machine is kept. */
#ifdef LOGP_TESTS_OVER_PROCESSES
static struct drawn draw_case(uint64_t seed)
{
    struct drawn d = draw_collective(seed);

    logp_topology_destroy(d.topology);
    d.call.model.topology = d.topology = NULL;
    return d;
}

static struct logp_machine *machine_for(struct logp_machine **machines, const struct drawn *d)
{
    return test_machine(d->P, LOGP_CLOCK_VIRTUAL, NULL);
}
#else
/* A torus of as many rows as columns: its rings close, and few draws are one. */
static void draw_square(struct drawn *d)
{
    char spec[32];
    int side = 3;

    while (side * side < d->P)
        side++;
    if (side * side != d->P || d->topology != NULL || d->call.model.links != NULL ||
        d->call.model.params.latency_varies)
        return;
    snprintf(spec, sizeof(spec), "torus:%dx%d", side, side);
    cr_assert_eq(logp_topology_create(spec, d->P, &d->topology), 0);
    d->call.model.topology = d->topology;
}

static struct drawn draw_case(uint64_t seed)
{
    uint64_t random = seed * UINT64_C(0xd1342543de82ef95) | 1;
    struct drawn d = draw_linked(seed);

    if (one_in(&random, 3))
        draw_arrivals(&d, &random);
    if (one_in(&random, 4))
        d.call.model.ports = 1 + below(&random, 4);
    if (one_in(&random, 3))
        draw_square(&d);
    return d;
}

/* A machine of its processors, with its delays where it can have them. */
static struct logp_machine *machine_for(struct logp_machine **machines, const struct drawn *d)
{
    if (machines[d->P] == NULL)
        machines[d->P] = test_machine(d->P, LOGP_CLOCK_VIRTUAL, NULL);
    if (!cannot_run(machines[d->P], d))
        cr_assert_eq(logp_machine_set_delay(machines[d->P], drawn_delay(d), 0), 0);
    return machines[d->P];
}
#endif

/* Cases with ranks that arrive late, and the runs of these. */
struct arrived {
    int cases, runs;
};

/* @return how many algorithms were run */
static int check_case(struct logp_machine **machines, uint64_t seed, struct count *counts,
                      struct arrived *arrived)
{
    struct drawn d = draw_case(seed);
    size_t n;
    const struct logp_algorithm *const *rows = test_rows(&n);
    struct logp_machine *m;
    int ran = 0;

    m = machine_for(machines, &d);
    if (!cannot_run(m, &d)) {
        for (size_t i = 0; i < n; i++)
            if (strcmp(rows[i]->collective, d.collective->name) == 0)
                ran += run(m, &d, rows[i], &counts[i]);
    }
    if (d.call.model.arrivals != NULL && ran > 0) {
        arrived->cases++;
        arrived->runs += ran;
    }
    drawn_free(&d);
    return ran;
}

/* How many exact predictions a row has at least. Few draws have nodes or a topology, and parallel machines
 * have no topologies. */
static int least_exact(const struct logp_algorithm *a)
{
    if (strncmp(a->name, "neighbours", 10) == 0 || strcmp(a->name, "torus-rings") == 0)
        return test_parallel() ? 0 : LEAST_ON_NETWORK;
    return strcmp(a->name, "lanes") == 0 || strcmp(a->name, "rings") == 0 ? LEAST_ON_NETWORK
                                                                          : LEAST_EXACT;
}

/* all: as many cases as the test has by itself */
static void report(const struct count *counts, int ran, const struct arrived *arrived, bool all)
{
    size_t n;
    const struct logp_algorithm *const *rows = test_rows(&n);

    cr_log_info("ranks arrive late in %d cases, %d runs", arrived->cases, arrived->runs);
    cr_log_info("%d runs; of each algorithm exact, bound, lower bound, no prediction, on links, "
                "refused:",
                ran);
    for (size_t i = 0; i < n; i++) {
        const int *certainty = counts[i].certainty;

        cr_log_info("%-14s %-22s %4d %4d %4d %4d %4d %4d", rows[i]->collective, rows[i]->name,
                    certainty[LOGP_PREDICTION_EXACT], certainty[LOGP_PREDICTION_BOUND],
                    certainty[LOGP_PREDICTION_LOWER_BOUND], certainty[LOGP_PREDICTION_NONE],
                    counts[i].linked, counts[i].refused);
        if (all)
            cr_assert_geq(certainty[LOGP_PREDICTION_EXACT], least_exact(rows[i]),
                          "%s %s: %d cases with an exact prediction", rows[i]->collective,
                          rows[i]->name, certainty[LOGP_PREDICTION_EXACT]);
    }
}

Test(cases, every_algorithm_is_right_and_on_time)
{
    struct logp_machine *machines[MOST_P + 1] = {NULL};
    const char *single = getenv("LOGP_TEST_SEED"), *points = getenv("LOGP_TEST_POINTS");
    const int own = CASES / test_divisor();
    const uint64_t n_cases = points != NULL ? (uint64_t)strtoull(points, NULL, 10) : (uint64_t)own;
    const uint64_t first = single != NULL ? strtoull(single, NULL, 10) : 1;
    struct arrived arrived = {0};
    struct count *counts = NULL;
    size_t n;
    int ran = 0;

    test_rows(&n);
    counts = calloc(n, sizeof(*counts));
    if (single != NULL && points == NULL) {
        struct drawn d = draw_case(first);

        describe(&d, "of every kind");
        drawn_free(&d);
        check_case(machines, first, counts, &arrived);
    } else {
        cr_log_info("cases %lu to %lu, each its own seed", (unsigned long)first,
                    (unsigned long)(first + n_cases - 1));
        for (uint64_t seed = first; seed < first + n_cases; seed++)
            ran += check_case(machines, seed, counts, &arrived);
        report(counts, ran, &arrived, points == NULL && test_divisor() == 1);
    }
    for (int P = 0; P <= MOST_P; P++)
        cr_assert(machines[P] == NULL || logp_machine_destroy(machines[P]) == 0);
    free(counts);
}

/* Found by more points: a capacity over links with unlike overheads; a rank of several ports that is busy for longer
 * if its messages come at once. */
Test(cases, found_by_more_points)
{
    static const uint64_t seeds[] = {107850, 112140};
    struct logp_machine *machines[MOST_P + 1] = {NULL};
    struct arrived arrived = {0};
    struct count *counts;
    size_t n;

    test_rows(&n);
    counts = calloc(n, sizeof(*counts));
    for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
        check_case(machines, seeds[i], counts, &arrived);
    for (int P = 0; P <= MOST_P; P++)
        cr_assert(machines[P] == NULL || logp_machine_destroy(machines[P]) == 0);
    free(counts);
}

/* ---- more processors than are run ---- */

static int64_t many_P(uint64_t *random, bool rooted)
{
    const int side = 2 + (int)below(random, rooted ? 40 : 9);

    if (one_in(random, 3))
        return INT64_C(1) << (1 + below(random, rooted ? 11 : 7));
    return one_in(random, 2) ? side * side : 2 + below(random, rooted ? 1500 : 100);
}

Test(cases, formulas_are_those_of_the_schedules_of_thousands)
{
    int exact = 0;

    for (uint64_t seed = 1; seed <= LARGE / (uint64_t)test_divisor(); seed++) {
        uint64_t random = seed * UINT64_C(0xd1342543de82ef95) | 1;
        struct drawn d = draw_collective(seed);
        const int64_t P = many_P(&random, d.collective->rooted);
        const struct logp_algorithm *a;

        logp_topology_destroy(d.topology);
        d.call.model.topology = d.topology = NULL;
        d.call.args.root %= (int)P;
        d.call.args.n_bytes %= 100; /* in few blocks */
        d.call.args.block_bytes += d.call.args.block_bytes > 0 ? 8 : 0;
        for (size_t i = 0;
             d.call.args.blocks == NULL && (a = logp_algorithm_at(d.collective->name, i)) != NULL;
             i++) {
            const struct logp_prediction formula = test_predict_by(a, P, &d.call, LOGP_BY_FORMULA),
                                         s = test_predict_by(a, P, &d.call, LOGP_BY_SCHEDULE);

            if (formula.certainty == LOGP_PREDICTION_NONE || s.certainty == LOGP_PREDICTION_NONE)
                continue;
            if (formula.certainty != LOGP_PREDICTION_BOUND)
                claim(formula.ns == s.ns, "the formula is the schedule", &d, a, formula.ns, s.ns);
            claim(formula.ns >= s.ns, "the bound is one", &d, a, formula.ns, s.ns);
            exact += formula.certainty == LOGP_PREDICTION_EXACT;
        }
    }
    cr_log_info("%d exact", exact);
    cr_assert_gt(exact, LARGE / test_divisor());
}

/* ---- much mail ---- */

enum { STEPS = 8000, PEERS = 40, TAGS = 3 };

struct mail {
    struct logp_step *steps[PEERS];
    int64_t n[PEERS];
    int waiting[PEERS][PEERS][TAGS], total; /* by receiver, source, tag: what has been sent */
};

/* The next of a random rank's waiting messages, by random source and tag. */
static void receive_one(struct mail *m, uint64_t *random, int rank)
{
    const int64_t first = below(random, PEERS * TAGS);

    for (int64_t i = first; i < first + PEERS * TAGS; i++) {
        const int source = (int)(i / TAGS % PEERS), tag = (int)(i % TAGS);

        if (m->waiting[rank][source][tag] == 0)
            continue;
        m->waiting[rank][source][tag]--;
        m->total--;
        logp_step_receive(&m->steps[rank][m->n[rank]++], source, tag, LOGP_RECV_BUF, 0, 64);
        return;
    }
}

/* Sends and receives in one order that is possible: waves, and most of them to rank 0. */
static void make_steps(struct mail *m, uint64_t seed)
{
    uint64_t random = seed;

    for (int i = 0; i < STEPS || m->total > 0; i++) {
        const bool sends = i < STEPS && below(&random, 10) < (i / 400 % 2 == 0 ? 9 : 3);
        const int rank = one_in(&random, 4) ? (int)below(&random, PEERS) : 0;
        const int source = (int)below(&random, PEERS), tag = (int)below(&random, TAGS);

        if (!sends) {
            receive_one(m, &random, i < STEPS ? rank : i % PEERS);
        } else if (source != rank) {
            logp_step_send(&m->steps[source][m->n[source]++], rank, tag, LOGP_RECV_BUF, 0,
                           (size_t)below(&random, 65));
            m->waiting[rank][source][tag]++;
            m->total++;
        }
    }
}

Test(cases, a_rank_may_have_much_mail)
{
    TEST_MACHINE machine = test_machine(PEERS, LOGP_CLOCK_VIRTUAL, NULL);
    const struct logp_algorithm *listed = logp_algorithm_find("schedule", "listed");
    uint64_t random = 1;

    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct mail m = {.n = {0}};
        const struct logp_step_list list = {.P = PEERS,
                                            .steps = (const struct logp_step *const *)m.steps,
                                            .n = m.n,
                                            .most_bytes = 64};
        struct drawn d = {.seed = seed,
                          .P = PEERS,
                          .reps = 1,
                          .delay = "loggp",
                          .collective = logp_collective_find("schedule"),
                          .call = {.args.list = &list, .model.params = some_params(&random)}};

        if (logp_machine_cores(machine) > 1) /* which cannot keep to a capacity */
            d.call.model.params.capacity = 0;
        else if (seed % 2 == 0)
            d.call.model.params.capacity = 1 + (int64_t)seed;
        for (int r = 0; r < PEERS; r++)
            m.steps[r] = calloc(2 * STEPS, sizeof(*m.steps[r]));
        make_steps(&m, seed);
        if (!cannot_run(machine, &d)) {
            cr_assert_eq(logp_machine_set_delay(machine, drawn_delay(&d), 0), 0);
            run(machine, &d, listed, &(struct count){0});
        }
        for (int r = 0; r < PEERS; r++)
            free(m.steps[r]);
    }
}

/* ---- knobs ---- */

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
    int taking = 0;

    for (const struct logp_algorithm *const *row = test_rows(NULL); *row != NULL; row++) {
        const bool chains = strncmp((*row)->name, "kchain", 6) == 0;

        if (!takes_k(*row, 16, c))
            continue;
        taking++;
        for (int64_t k = -3; k <= (chains ? 20 : 0); k++) {
            const bool good = k == 0 || k == LOGP_K_SQRT || (k >= 1 && k <= 15);

            c.args.k = k;
            if (good)
                continue;
            cr_assert(test_needs(*row, 16, &c) != NULL, "%s k %ld", (*row)->name, (long)k);
            cr_assert_eq(test_plan(*row, 16, 0, &c), -ENOTSUP);
        }
    }
    cr_assert_geq(taking, 2);
}
