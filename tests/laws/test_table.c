/* SPDX-License-Identifier: MIT */
/*
 * The table of collectives, algorithms and knobs as a whole, and what is added to it; plans, which
 * know what they are for.
 */
#include "support.h"

#include <stdio.h>

enum { P = 4 };

static const struct logp_params params = {
    .L_ns = 600, .o_send_ns = 200, .o_recv_ns = 200, .g_ns = 400, .gamma_ps = 1000};

static struct logp_invocation arguments(int64_t n)
{
    return (struct logp_invocation){.args = {.n_bytes = 8,
                                             .count = 8,
                                             .op = logp_op_find("sum", "double"),
                                             .rows = n,
                                             .cols = n},
                                    .model.params = params};
}

/* ---- rows of one's own ---- */

/* One after the other: as `chain`, but all in the order of ranks. */
static bool line_steps(int64_t n, int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    const int64_t v = (rank - c->args.root + n) % n;

    if (v > 0 && i-- == 0)
        return logp_step_receive(out, (rank - 1 + n) % n, c->args.tag, LOGP_BUF, 0,
                                 c->args.n_bytes);
    return i == 0 && v < n - 1 &&
           logp_step_send(out, (rank + 1) % n, c->args.tag, LOGP_BUF, 0, c->args.n_bytes);
}

static const struct logp_algorithm line = {
    LOGP_ALGORITHM("broadcast", "line", "one after the other", "this test"), .steps = line_steps};
static const struct logp_algorithm magic = {
    LOGP_ALGORITHM("broadcast", "magic", "in no time", "this test"), .steps = line_steps,
    .predict = test_at_once};

static void runs_without_being_added(void)
{
    const struct logp_experiment x =
        test_experiment(&line, &(struct logp_args){.root = 3, .n_bytes = 9}, 2, 0);
    TEST_MACHINE m = test_machine(P, LOGP_CLOCK_VIRTUAL, &params);
    struct logp_record r;

    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_expect(r.verified);
    cr_expect_eq(r.prediction.certainty, LOGP_PREDICTION_EXACT);
    cr_expect_eq(r.prediction.by, LOGP_BY_SCHEDULE);
    cr_expect(r.prediction.ns == 3000 && r.emulated.median_ns == 3000);
    cr_expect_null(logp_algorithm_find("broadcast", "line"));
}

static int call_broadcast(struct logp_vp *vp, void *arg)
{
    const int rc = logp_broadcast(vp, arg, 0, 0);
    int64_t *last = arg;

    if (logp_vp_rank(vp) == P - 1)
        *last = logp_now(vp);
    return rc;
}

/* @return when the last rank is through */
static int64_t broadcast_time(void)
{
    int64_t last = 0;

    test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, &params), call_broadcast, &last);
    return last;
}

static void is_as_good_as_any(void)
{
    const struct logp_invocation c = arguments(P);
    const int64_t before = broadcast_time(); /* what was taken is kept, until rows are added */
    size_t n, more;

    test_rows(&n);
    cr_assert_eq(logp_algorithm_add(&line), 0);
    cr_expect(logp_algorithm_find("broadcast", "line") == &line);
    cr_expect(test_rows(&more)[n] == &line);
    cr_expect_eq(more, n + 1);
    cr_expect(test_best("broadcast", P, &c) != &line);
    cr_assert_eq(logp_algorithm_add(&magic), 0);
    cr_expect(test_best("broadcast", P, &c) == &magic);
    cr_expect_lt(before, 3000);
    cr_expect_eq(broadcast_time(), 3000); /* that of its steps */
    cr_expect_eq(logp_algorithm_add(&line), -EEXIST);
}

static void half_a_row_is_refused(void)
{
    const struct logp_invocation c = arguments(P);
    struct logp_algorithm row = line;
    struct logp_plan *plan;

    row.collective = "gossip";
    cr_expect_eq(logp_algorithm_add(&row), -EINVAL);
    for (int i = 0; i < 3; i++) {
        row = line;
        *(const char **[]){&row.name, &row.summary, &row.source}[i] = NULL;
        cr_expect_eq(logp_algorithm_add(&row), -EINVAL);
    }
    row = line;
    row.steps = NULL;
    cr_expect_eq(logp_algorithm_add(&row), -EINVAL);
    cr_expect_eq(logp_plan_create(&row, P, 0, &c.args, NULL, &plan), -EINVAL);
    row = line;
    row.plan_at += 8; /* compiled with a larger struct logp_args */
    cr_expect_eq(logp_algorithm_add(&row), -EPROTONOSUPPORT);
    row.plan_at -= 8;
    row.size = 8;
    cr_expect_eq(logp_algorithm_add(&row), -EPROTONOSUPPORT);
    cr_expect_eq(logp_plan_create(&row, P, 0, &c.args, NULL, &plan), -EINVAL);
    row = line;
    row.name = "flat";
    cr_expect_eq(logp_algorithm_add(&row), -EEXIST);
}

/* Two are there. */
static void there_is_room_for_64(void)
{
    static struct logp_algorithm rows[63];
    static char names[63][8];

    for (int i = 0; i < 63; i++) {
        snprintf(names[i], sizeof(names[i]), "own-%d", i);
        rows[i] = line;
        rows[i].name = names[i];
        cr_assert_eq(logp_algorithm_add(&rows[i]), i < 62 ? 0 : -ENOSPC);
    }
    cr_expect(logp_algorithm_find("broadcast", "own-61") == &rows[61]);
}

/* In this order: what is added stays. First in this file, where others look at the table alone. */
Test(table, rows_of_ones_own)
{
    runs_without_being_added();
    half_a_row_is_refused();
    is_as_good_as_any();
    there_is_room_for_64();
}

/* ---- the rows ---- */

Test(table, every_row_says_what_it_is)
{
    size_t n;
    const struct logp_algorithm *const *a = test_rows(&n);

    for (size_t i = 0; i < n; i++) {
        cr_expect_eq(a[i]->size, sizeof(*a[i]));
        cr_expect(a[i]->summary[0] != '\0' && a[i]->source[0] != '\0', "%s", a[i]->name);
        cr_expect(a[i]->steps != NULL || a[i]->run != NULL, "%s", a[i]->name);
        cr_expect_eq(strspn(a[i]->name, "abcdefghijklmnopqrstuvwxyz-"), strlen(a[i]->name), "%s",
                     a[i]->name);
        for (size_t k = 0; k < i; k++)
            cr_expect(strcmp(a[i]->name, a[k]->name) != 0 ||
                          strcmp(a[i]->collective, a[k]->collective) != 0,
                      "%s %s stands twice", a[i]->collective, a[i]->name);
    }
}

/* Whether the formula is a lower bound, which only drops candidates once their blocks are set. */
static bool only_bounds(const struct logp_algorithm *a, int64_t size, struct logp_invocation c)
{
    c.args.block_bytes = 8;
    return a->predict != NULL && test_needs(a, size, &c) == NULL &&
           a->predict(size, &c).certainty == LOGP_PREDICTION_LOWER_BOUND;
}

static bool has_blocks(const struct logp_algorithm *a)
{
    for (int i = 0; i < LOGP_MAX_KNOBS && a->knobs[i].field != 0; i++)
        if (a->knobs[i].field == offsetof(struct logp_args, block_bytes))
            return true;
    return false;
}

/* Of 16 processors, as many elements, blocks and columns, and neither gap nor links shared. */
Test(table, who_has_a_formula_says_something)
{
    const struct logp_invocation c = {.args = {.n_bytes = 16,
                                               .count = 16,
                                               .op = logp_op_find("sum", "double"),
                                               .rows = 16,
                                               .cols = 16},
                                      .model.params = test_params(600, 200, 400)};

    for (const struct logp_algorithm *const *a = test_rows(NULL); *a != NULL; a++) {
        const struct logp_prediction p = test_predict_by(*a, 16, &c, LOGP_BY_FORMULA);

        cr_expect((*a)->predict == NULL || test_needs(*a, 16, &c) != NULL ||
                      p.certainty != LOGP_PREDICTION_NONE || only_bounds(*a, 16, c),
                  "%s %s", (*a)->collective, (*a)->name);
        if (test_needs(*a, 1, &c) == NULL) {
            struct logp_invocation shared = c;

            shared.model.params.gap_shared = true; /* by nobody */
            cr_expect_eq(test_predict_by(*a, 1, &shared, LOGP_BY_FORMULA).certainty,
                         test_predict_by(*a, 1, &c, LOGP_BY_FORMULA).certainty, "%s %s",
                         (*a)->collective, (*a)->name);
        }
        /* all do the same: only what is one estimate for all sizes need not be exact */
        if (strcmp((*a)->collective, "allreduce") == 0 && strcmp((*a)->name, "rabenseifner") == 0)
            cr_expect_eq(p.certainty, LOGP_PREDICTION_EXACT);
    }
}

/* One by one through the collectives are the same as all in a row. */
Test(table, the_rows_of_a_collective_stand_together)
{
    const struct logp_collective *c;
    const struct logp_algorithm *a;
    size_t at = 0;

    for (size_t i = 0; (c = logp_collective_at(i)) != NULL; i++) {
        cr_expect(logp_collective_find(c->name) == c);
        for (size_t k = 0; (a = logp_algorithm_at(c->name, k)) != NULL; k++) {
            cr_expect_str_eq(a->collective, c->name);
            cr_expect(a == logp_algorithm_at(NULL, at++));
            cr_expect(a == logp_algorithm_find(c->name, a->name));
        }
    }
    cr_expect_null(logp_collective_find("gossip"));
    cr_expect_null(logp_algorithm_find("gossip", "flat"));
    cr_expect_null(logp_algorithm_find("broadcast", "gossip"));
    cr_expect_null(logp_algorithm_at("gossip", 0));
    cr_expect_null(test_best("gossip", 2, &(struct logp_invocation){0}));
    cr_expect_null(logp_algorithm_at(NULL, at));
}

/* What is predicted by a formula is so for any number of processors: these end, in time. */
Test(table, formulas_and_auto_answer_for_very_many, .timeout = 60)
{
    static const int64_t many[] = {INT64_C(1000000000000000000), INT64_C(999999999999999999),
                                   INT64_C(1) << 60, (INT64_C(1) << 60) - 1};
    const struct logp_collective *c;
    const struct logp_algorithm *a;
    int answered = 0;

    for (size_t k = 0; k < sizeof(many) / sizeof(many[0]); k++)
        for (size_t i = 0; (c = logp_collective_at(i)) != NULL; i++) {
            const struct logp_invocation x = arguments(many[k]);

            for (size_t j = 0; (a = logp_algorithm_at(c->name, j)) != NULL; j++)
                answered += test_predict(a, many[k], &x).certainty != LOGP_PREDICTION_NONE;
            test_best(c->name, many[k], &x);
        }
    cr_expect_gt(answered, 0);
}

/* Nor do those that choose a block look at each that there could be; what they choose is good, as
 * good as their formula can tell. */
Test(table, the_best_block_of_very_much_is_found_in_time, .timeout = 300)
{
    static const struct logp_params sets[] = {
        {.L_ns = 87927,
         .o_send_ns = 191,
         .o_recv_ns = 191,
         .g_ns = 1,
         .G_ps = 989973,
         .gamma_ps = 1396000},
        {.L_ns = 7, .o_send_ns = 3524009, .o_recv_ns = 3524009, .g_ns = 7, .G_ps = 93},
        {.L_ns = 11745744, .o_send_ns = 2, .o_recv_ns = 2, .g_ns = 1, .G_ps = 3612},
        {.L_ns = 2, .o_send_ns = 740, .o_recv_ns = 740, .g_ns = 367, .G_ps = 169}};
    static const int64_t many[] = {64, 1 << 22, INT64_C(1) << 40, INT64_C(1000000000000000000)};
    const struct logp_algorithm *a;
    int chosen = 0;

    /* each parameter set with each size */
    for (size_t i = 0; (a = logp_algorithm_at(NULL, i)) != NULL; i++)
        for (size_t k = 0; k < 4 * 4; k++) {
            const int64_t size = many[k / 4], M = INT64_C(1) << (20 + 20 * ((k + k / 4) % 3));
            struct logp_invocation x = {.args = {.n_bytes = (size_t)M,
                                                 .count = M / 8,
                                                 .op = logp_op_find("sum", "double"),
                                                 .rows = size,
                                                 .cols = size},
                                        .model.params = sets[k % 4]};
            struct logp_prediction best;

            if (!has_blocks(a) || only_bounds(a, size, x))
                continue;
            best = test_predict_by(a, size, &x, LOGP_BY_FORMULA);
            if (best.certainty == LOGP_PREDICTION_NONE)
                continue;
            for (int e = 0; e < 40; e++) {
                struct logp_prediction p;

                x.args.block_bytes = INT64_C(8) << e;
                p = test_predict_by(a, size, &x, LOGP_BY_FORMULA);
                if (p.certainty != best.certainty)
                    continue;
                cr_expect_leq(best.ns, p.ns + p.ns / (a->rough ? 16 : 1000000),
                              "%s %s P=%lld M=%lld 8 << %d: %lld %lld", a->collective, a->name,
                              (long long)size, (long long)M, e, (long long)best.ns,
                              (long long)p.ns);
                chosen++;
            }
        }
    cr_expect_gt(chosen, 0);
}

Test(table, no_formula_knows_a_capacity_and_there_is_no_prediction_beyond_the_clock)
{
    struct logp_invocation c = {.args.n_bytes = 1, .model.params = test_params(6, 2, 4)};
    const struct logp_algorithm *flat = logp_algorithm_find("broadcast", "flat");

    c.model.params.capacity = 1;
    cr_expect_eq(test_predict_by(flat, 8, &c, LOGP_BY_FORMULA).certainty, LOGP_PREDICTION_NONE);
    cr_expect_eq(test_predict(flat, 8, &c).by, LOGP_BY_SCHEDULE);
    cr_expect_eq(test_predict(flat, 8, &c).ns, 6 * 6 + 10); /* L apart: the wire holds one */
    cr_expect_eq(test_predict(flat, 1 << 17, &c).certainty, LOGP_PREDICTION_NONE);
    c.model.params.capacity = 0;
    c.model.params.g_ns = 1000000;
    cr_expect_eq(test_predict(flat, INT64_C(1) << 60, &c).certainty, LOGP_PREDICTION_NONE);
}

/* Backwards they are the same, where combining takes no time. */
Test(table, a_census_is_the_same_backwards)
{
    struct logp_invocation c = {
        .args = {.n_bytes = 8, .count = 1, .op = logp_op_find("sum", "double")},
        .model.params = {
            .L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000, .G_ps = 10000}};

    for (int64_t n = 2; n < 40; n++)
        cr_expect_eq(test_predict(logp_algorithm_find("reduce-scatter", "census"), n, &c).ns,
                     test_predict(logp_algorithm_find("allgather", "census"), n, &c).ns);
}

/* No other number of blocks is predicted to be better, one by one; and what is chosen is what may be
 * asked for. */
Test(table, the_number_of_blocks_is_the_best_of_all)
{
    uint64_t random = 20240615;
    int chosen = 0;

    cr_log_info("seed %llu", (unsigned long long)random);
    for (int i = 0; i < 60 / TEST_SCALE + 1; i++)
        for (const struct logp_algorithm *const *a = test_rows(NULL); *a != NULL; a++) {
            const int64_t side = 2 + test_below(&random, i % 2 == 0 ? 5 : 30), size = side * side;
            struct logp_invocation c = {
                .args = {.n_bytes = 720,
                         .count = 360,
                         .root = (int)test_below(&random, size),
                         .op = logp_op_find("sum", "float"),
                         .work_ns = test_below(&random, 2) * test_below(&random, 2000),
                         .no_overlap = test_below(&random, 2) == 0},
                .model.params = {.L_ns = test_below(&random, 2000),
                                 .o_send_ns = test_below(&random, 300),
                                 .o_recv_ns = test_below(&random, 300),
                                 .g_ns = test_below(&random, 500),
                                 .G_ps = test_below(&random, 40000),
                                 .gamma_ps = test_below(&random, 90000)}};
            const struct logp_prediction best = test_predict_by(*a, size, &c, LOGP_BY_FORMULA);
            int64_t block;

            if (!test_has_knob(*a, "block") || best.certainty == LOGP_PREDICTION_NONE)
                continue;
            block = test_knob(*a, "block", size, &c);
            for (int64_t n = 1; n <= 180 && !(*a)->rough; n++) {
                struct logp_prediction p;

                if (180 % n != 0) /* blocks all alike, of whole elements: others are rounded */
                    continue;
                c.args.block_bytes = 720 / n;
                p = test_predict_by(*a, size, &c, LOGP_BY_FORMULA);
                cr_assert(p.certainty == LOGP_PREDICTION_NONE || p.ns >= best.ns,
                          "%s %s P %ld: block %ld, chosen %ld", (*a)->collective, (*a)->name,
                          (long)size, (long)c.args.block_bytes, (long)block);
                chosen++;
            }
            c.args.block_bytes = block;
            cr_assert_eq(test_predict_by(*a, size, &c, LOGP_BY_FORMULA).ns, best.ns);
            cr_assert_eq(test_knob(*a, "block", size, &c), block);
        }
    cr_assert_gt(chosen, 1000 / TEST_SCALE);
}

/* ---- knobs ---- */

Test(table, every_knob_is_one_of_an_algorithm)
{
    const struct logp_knob *knob;

    for (size_t i = 0; (knob = logp_knob_at(i)) != NULL; i++) {
        int users = 0;

        cr_expect(logp_knob_find(knob->name) == knob);
        cr_expect(knob->field > 0 && knob->field < sizeof(struct logp_args));
        cr_expect((*knob->default_text == '\0') != (*knob->auto_text == '\0'), "%s", knob->name);
        for (const struct logp_algorithm *const *a = test_rows(NULL); *a != NULL; a++)
            users += logp_algorithm_knob(*a, knob, 0, NULL, NULL, NULL);
        cr_expect_gt(users, 0, "%s", knob->name);
    }
    cr_expect_null(logp_knob_find("crank"));
}

/* Each knob of a row is one of the table, and stands once. */
Test(table, rows_have_knobs_of_the_table)
{
    for (const struct logp_algorithm *const *a = test_rows(NULL); *a != NULL; a++)
        for (int k = 0; k < LOGP_MAX_KNOBS && (*a)->knobs[k].field != 0; k++) {
            const struct logp_knob *knob;

            for (size_t j = 0; (knob = logp_knob_at(j)) != NULL;)
                if (knob->field == (*a)->knobs[k].field)
                    break;
                else
                    j++;
            cr_expect(knob != NULL, "%s %s", (*a)->collective, (*a)->name);
            for (int j = 0; j < k; j++)
                cr_expect_neq((*a)->knobs[j].field, (*a)->knobs[k].field, "%s", (*a)->name);
        }
}

Test(table, a_knob_is_what_is_given_or_chosen)
{
    struct logp_invocation c = arguments(P);
    const struct logp_algorithm *flat = logp_algorithm_find("broadcast", "flat");
    const struct logp_algorithm *chains = logp_algorithm_find("reduce", "kchain");
    int64_t value = -7;

    c.args.work_ns = 55;
    cr_expect_eq(test_knob(flat, "work", P, &c), 55);
    cr_expect(!logp_algorithm_knob(flat, logp_knob_find("k"), P, &c.args, NULL, &value));
    cr_expect_eq(value, -7);
    cr_expect_eq(test_knob(chains, "k", 9, &c), 4);
    c.args.k = 3;
    cr_expect_eq(test_knob(chains, "k", 9, &c), 3);
}

/* ---- plans ---- */

struct planned {
    struct logp_plan *plans[P];
    char item[P];
};

/* Who runs a plan of another, or of another machine, is told. */
static int run_plans(struct logp_vp *vp, void *arg)
{
    struct planned *x = arg;
    const int me = logp_vp_rank(vp);

    cr_assert_eq(logp_plan_run(vp, x->plans[(me + 1) % P], &x->item[me], NULL), -EINVAL);
    return logp_plan_run(vp, x->plans[me], &x->item[me], NULL);
}

Test(table, a_plan_knows_what_it_is_for)
{
    const struct logp_algorithm *binary = logp_algorithm_find("broadcast", "binary");
    const struct logp_args args = {.root = 2, .n_bytes = 1};
    struct planned x = {.item = {1, 2, 3, 4}};
    TEST_MACHINE m = test_machine(P, LOGP_CLOCK_VIRTUAL, &params);
    struct logp_plan *larger;
    size_t buf, recv_buf;
    int parent, n;

    for (int i = 0; i < P; i++)
        cr_assert_eq(logp_plan_create(binary, P, i, &args, NULL, &x.plans[i]), 0);
    cr_assert_eq(logp_machine_run(m, run_plans, &x, test_timeout_ns), 0);
    cr_expect_arr_eq(x.item, "\3\3\3\3", P);
    logp_plan_sizes(x.plans[0], &buf, &recv_buf);
    cr_expect(buf == 1 && recv_buf == 0);
    cr_expect_eq(logp_plan_tree(x.plans[2], &parent, &n)[1], 0);
    cr_expect(parent == -1 && n == 2);
    for (int i = 0; i < P; i++)
        logp_plan_destroy(x.plans[i]);

    cr_assert_eq(logp_plan_create(binary, P + 1, 0, &args, NULL, &larger), 0);
    for (int i = 0; i < P; i++)
        x.plans[i] = larger;
    cr_expect_eq(logp_machine_run(m, run_plans, &x, test_timeout_ns), -EINVAL);
    logp_plan_destroy(larger);
    logp_plan_destroy(NULL);
}

static int64_t n_idle; /* steps before the others */
static int n_asked;    /* steps, of all ranks */

/* One after the other. */
static bool counted_steps(int64_t size, int64_t rank, const struct logp_invocation *c, int64_t i,
                          struct logp_step *out)
{
    n_asked++;
    if (i < n_idle)
        return logp_step_compute(out, 0, 0);
    i += (rank == 0) - n_idle;
    if (i == 0)
        return logp_step_receive(out, rank - 1, c->args.tag, LOGP_BUF, 0, c->args.n_bytes);
    return i == 1 && rank < size - 1 &&
           logp_step_send(out, rank + 1, c->args.tag, LOGP_BUF, 0, c->args.n_bytes);
}

/* Of a short schedule the steps are asked for when it is planned, and never again. */
Test(table, a_plan_keeps_few_steps)
{
    const struct logp_algorithm counted = {
        LOGP_ALGORITHM("broadcast", "counted", "one after the other", "nobody"),
        .steps = counted_steps};
    const struct logp_args args = {.n_bytes = 1};
    TEST_MACHINE m = test_machine(P, LOGP_CLOCK_VIRTUAL, &params);

    for (n_idle = 0; n_idle <= 60; n_idle += 20) {
        struct planned x;
        int before;

        for (int i = 0; i < P; i++)
            cr_assert_eq(logp_plan_create(&counted, P, i, &args, NULL, &x.plans[i]), 0);
        before = n_asked;
        for (char run = 1; run <= 3; run++) {
            memset(x.item, 0, sizeof(x.item));
            x.item[0] = run;
            cr_assert_eq(logp_machine_run(m, run_plans, &x, test_timeout_ns), 0);
            for (int i = 0; i < P; i++)
                cr_expect_eq(x.item[i], run, "%d idle steps, rank %d", (int)n_idle, i);
        }
        cr_expect_eq(n_asked == before, n_idle <= 20, "%d idle steps", (int)n_idle);
        for (int i = 0; i < P; i++)
            logp_plan_destroy(x.plans[i]);
    }
}

/* ---- an experiment of another size ---- */

Test(table, an_experiment_says_how_large_it_is)
{
    struct {
        struct logp_experiment known;
        char later[16];
    } x = {.known = {.size = sizeof(x),
                     .algorithm = &line,
                     .args = {.n_bytes = 1},
                     .reps = 1,
                     .timeout_ns = test_timeout_ns}};
    TEST_MACHINE m = test_machine(P, LOGP_CLOCK_VIRTUAL, &params);
    struct logp_record r;

    cr_expect_eq(logp_experiment_run(m, &x.known, &r), 0);
    x.later[15] = 1;
    cr_expect_eq(logp_experiment_run(m, &x.known, &r), -E2BIG);
    x.known.size = 0;
    cr_expect_eq(logp_experiment_run(m, &x.known, &r), -EINVAL);
}
