/* SPDX-License-Identifier: MIT */
/* What is made of the times of an experiment: order statistics and ratio, by hand. And the table of
 * algorithms: who is found, planned, predicted, chosen, and who is not. */
#include "support.h"

/* 1 .. n in an order that is not theirs: the value at a rank is the rank. */
static struct logp_summary of_ranks(int n)
{
    int64_t values[1001];
    struct logp_summary s;

    for (int i = 0; i < n; i++)
        values[i] = (int64_t)i * 7 % n + 1; /* 7 divides none of the n below */
    s = logp_summary_of(values, (size_t)n);
    for (int i = 0; i < n; i++)
        cr_assert_eq(values[i], i + 1);
    return s;
}

/* The nearest rank: ceil(n q). */
Test(record, percentiles_are_by_the_nearest_rank)
{
    static const struct {
        int n;
        int64_t median, p90, p99;
    } cases[] = {
        {1, 1, 1, 1},          {2, 1, 2, 2},         {3, 2, 3, 3},         {4, 2, 4, 4},
        {10, 5, 9, 10},        {11, 6, 10, 11},      {99, 50, 90, 99},     {100, 50, 90, 99},
        {101, 51, 91, 100},    {199, 100, 180, 198}, {200, 100, 180, 198}, {201, 101, 181, 199},
        {1000, 500, 900, 990},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct logp_summary s = of_ranks(cases[i].n);

        cr_expect_eq(s.min_ns, 1);
        cr_expect_eq(s.median_ns, cases[i].median, "median of %d", cases[i].n);
        cr_expect_eq(s.p90_ns, cases[i].p90, "p90 of %d", cases[i].n);
        cr_expect_eq(s.p99_ns, cases[i].p99, "p99 of %d", cases[i].n);
        cr_expect_eq(s.max_ns, cases[i].n);
    }
}

Test(record, values_of_any_size_are_put_in_order)
{
    int64_t values[] = {INT64_MAX, -5, INT64_MIN, 5, INT64_MAX, 0};
    const struct logp_summary s = logp_summary_of(values, 6);

    cr_expect_eq(s.min_ns, INT64_MIN);
    cr_expect_eq(s.median_ns, 0);
    cr_expect_eq(s.p90_ns, INT64_MAX);
    cr_expect_eq(s.max_ns, INT64_MAX);
    for (int i = 1; i < 6; i++)
        cr_expect_leq(values[i - 1], values[i]);
}

/* By hand from the binomial distribution. */
Test(record, the_median_lies_between_two_of_the_values)
{
    static const struct {
        size_t n;
        int64_t low; /* 0: too few */
    } cases[] = {{1, 0},    {5, 0},    {6, 1},      {7, 1},     {8, 1},   {9, 2},
                 {10, 2},   {11, 2},   {20, 6},     {25, 8},    {50, 18}, {99, 40},
                 {100, 40}, {101, 41}, {1000, 469}, {1001, 470}};
    int64_t sorted[1001];

    for (size_t i = 0; i < sizeof(sorted) / sizeof(sorted[0]); i++)
        sorted[i] = (int64_t)i + 1;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct logp_interval interval = {0, 0};
        const bool is = logp_median_interval(sorted, cases[i].n, &interval);

        cr_expect_eq(is, cases[i].low > 0);
        cr_expect_eq(interval.low_ns, cases[i].low, "of %zu", cases[i].n);
        cr_expect_eq(interval.high_ns, is ? (int64_t)cases[i].n + 1 - cases[i].low : 0);
    }
}

/* Every statistic another multiple of the prediction. */
static struct logp_record record(bool measured, bool emulated)
{
    return (struct logp_record){
        .reps = 5,
        .prediction = {.certainty = LOGP_PREDICTION_EXACT, .ns = 1000},
        .has_measured = measured,
        .has_emulated = emulated,
        .measured = {2000, 3000, 4000, 5000, 6000},
        .emulated = {7000, 8000, 9000, 10000, 11000},
    };
}

Test(record, the_ratio_is_that_of_the_median)
{
    struct logp_record r = record(true, true);

    cr_expect_eq(logp_record_ratio(&r), 3.0); /* on the wall clock what was measured counts */
    r.prediction.certainty = LOGP_PREDICTION_BOUND;
    cr_expect_eq(logp_record_ratio(&r), 3.0);
    r.prediction.certainty = LOGP_PREDICTION_LOWER_BOUND;
    r.measured.median_ns = 1250;
    cr_expect_eq(logp_record_ratio(&r), 1.25);
    r = record(false, true);
    cr_expect_eq(logp_record_ratio(&r), 8.0);
}

Test(record, there_is_no_ratio_where_it_means_nothing)
{
    struct logp_record r = record(true, true);

    r.reps = 0;
    cr_expect_eq(logp_record_ratio(&r), 0.0);
    r = record(true, true);
    r.prediction.ns = 0;
    cr_expect_eq(logp_record_ratio(&r), 0.0);
    r = record(true, true);
    r.prediction.certainty = LOGP_PREDICTION_NONE;
    cr_expect_eq(logp_record_ratio(&r), 0.0);
    r = record(true, false); /* no delay model: there is nothing to hold it against */
    cr_expect_eq(logp_record_ratio(&r), 0.0);
}

/* ---- the table ---- */

static struct logp_invocation arguments(void)
{
    return (struct logp_invocation){.args.n_bytes = 8,
                                    .args.count = 40,
                                    .args.rows = 9,
                                    .args.cols = 9,
                                    .args.op = logp_op_find("sum", "double"),
                                    .model.params = test_params(60, 20, 40)};
}

static void expect_no_plan(const struct logp_algorithm *a, int rank, int root, int error)
{
    struct logp_invocation c = arguments();

    memset(&c.plan, 0x5a, sizeof(c.plan));
    c.args.root = root;
    cr_expect_eq(test_plan(a, 4, rank, &c), error, "%s %s: rank %d, root %d", a->collective,
                 a->name, rank, root);
    cr_expect(c.plan.parent == -1 && c.plan.children == NULL && c.plan.scratch == NULL);
    test_unplan(&c);
    test_unplan(&c);
}

static const char *needs_more(int64_t P, const struct logp_invocation *c)
{
    return "more";
}

Test(record, a_plan_needs_a_rank_a_root_and_what_the_algorithm_needs)
{
    for (const struct logp_algorithm *const *a = test_rows(NULL); *a != NULL; a++) {
        struct logp_algorithm wants = **a;
        struct logp_invocation c = arguments();

        expect_no_plan(*a, -1, 0, -EINVAL);
        expect_no_plan(*a, 4, 0, -EINVAL);
        expect_no_plan(*a, 0, -1, -EINVAL);
        expect_no_plan(*a, 0, 4, -EINVAL);
        wants.needs = needs_more;
        expect_no_plan(&wants, 0, 0, -ENOTSUP);
        if (test_needs(*a, 4, &c) == NULL)
            cr_expect_eq(test_plan(*a, 4, 3, &c), 0);
        test_unplan(&c);
    }
}

Test(record, there_is_no_prediction_without_processors_or_with_too_many)
{
    const struct logp_invocation c = arguments();
    struct logp_algorithm flat = *logp_algorithm_find("barrier", "dissemination");

    cr_expect_eq(test_predict(&flat, 1, &c).certainty, LOGP_PREDICTION_EXACT);
    cr_expect_eq(test_predict(&flat, LOGP_TREE_MAX, &c).certainty, LOGP_PREDICTION_EXACT);
    cr_expect_eq(test_predict(&flat, 0, &c).certainty, LOGP_PREDICTION_NONE);
    cr_expect_eq(test_predict(&flat, -1, &c).certainty, LOGP_PREDICTION_NONE);
    cr_expect_eq(test_predict(&flat, LOGP_TREE_MAX + 1, &c).certainty, LOGP_PREDICTION_NONE);
    flat.needs = needs_more;
    cr_expect_eq(test_predict(&flat, 4, &c).certainty, LOGP_PREDICTION_NONE);
}

/* What a capacity costs no formula says: the choice is made without. */
Test(record, a_capacity_does_not_change_the_choice)
{
    struct logp_invocation c = arguments();
    const struct logp_algorithm *best = test_best("broadcast", 30, &c);

    cr_expect_str_eq(best->name, "optimal");
    c.model.params.capacity = -1;
    cr_expect(test_best("broadcast", 30, &c) == best);
    c.model.params.capacity = 1;
    cr_expect(test_best("broadcast", 30, &c) == best);
    c.model.params.capacity = 0;
    cr_expect_str_eq(test_best("broadcast", 2, &c)->name, "flat"); /* all are alike */
}

Test(record, certainties_have_names)
{
    cr_expect_str_eq(logp_certainty_name(LOGP_PREDICTION_NONE), "none");
    cr_expect_str_eq(logp_certainty_name(LOGP_PREDICTION_EXACT), "exact");
    cr_expect_str_eq(logp_certainty_name(LOGP_PREDICTION_BOUND), "bound");
    cr_expect_str_eq(logp_certainty_name(LOGP_PREDICTION_LOWER_BOUND), "lower-bound");
}

Test(record, rows_are_found_by_both_names)
{
    for (const struct logp_algorithm *const *a = test_rows(NULL); *a != NULL; a++) {
        cr_expect(logp_algorithm_find((*a)->collective, (*a)->name) == *a);
        cr_expect(logp_collective_find((*a)->collective) != NULL);
    }
    cr_expect_null(logp_algorithm_find("broadcast", "linear"));
    cr_expect_null(logp_algorithm_find("alltoall", "flat"));
    cr_expect_null(logp_collective_find("gossip"));
}
