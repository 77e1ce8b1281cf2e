/* SPDX-License-Identifier: MIT */
/* What is made of the times of an experiment: order statistics and ratio, by hand. */
#include "support.h"

/* 1 .. n in an order that is not theirs: the value at a rank is the rank. */
static struct logp_summary of_ranks(int n)
{
    int64_t values[1001];
    struct logp_summary s;

    for (int i = 0; i < n; i++)
        values[i] = (int64_t)i * 7 % n + 1; /* 7 divides none of the n below */
    s = logp_summarize(values, (size_t)n);
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
    const struct logp_summary s = logp_summarize(values, 6);

    cr_expect_eq(s.min_ns, INT64_MIN);
    cr_expect_eq(s.median_ns, 0);
    cr_expect_eq(s.p90_ns, INT64_MAX);
    cr_expect_eq(s.max_ns, INT64_MAX);
    for (int i = 1; i < 6; i++)
        cr_expect_leq(values[i - 1], values[i]);
}

/* Every statistic another multiple of the prediction. */
static struct logp_record record(bool measured, bool emulated)
{
    return (struct logp_record){
        .reps = 5,
        .prediction = {LOGP_PREDICTION_EXACT, 1000},
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
