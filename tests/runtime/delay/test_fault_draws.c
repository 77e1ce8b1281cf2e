/* SPDX-License-Identifier: MIT */
/*
 * What is drawn of faults and noise: each distribution is the documented one, by the distance of
 * Kolmogorov and Smirnov, or by chi-square of what can be counted; all is a function of the seed,
 * the text and the message; and texts say what they say. The draws are the library's own: its model
 * is called as a machine calls it.
 */
#include "support.h"

#include <stdio.h>
#include <unistd.h>

enum { SAMPLE = 20000, P = 16 };

static const int64_t unit_ns = 1000;

static struct logp_delay make(const char *faults, const char *noise, uint64_t seed)
{
    const struct logp_params params = test_params(1000000, 0, 0);
    const struct logp_fault_config config = {.size = sizeof(config),
                                             .faults = faults,
                                             .noise = noise,
                                             .P = P,
                                             .unit_ns = unit_ns,
                                             .seed = seed};
    struct logp_delay inner, delay;
    char why[LOGP_FAULT_WHY];

    cr_assert_eq(logp_delay_create("loggp", &params, &inner), 0);
    cr_assert_eq(logp_fault_create(&inner, &config, &delay, why), 0, "%s", why);
    cr_assert_eq(strcmp(why, ""), 0);
    return delay;
}

static struct logp_transfer transfer(int src, int dst, unsigned number, int64_t at)
{
    return (struct logp_transfer){
        .src = src, .dst = dst, .n_bytes = 8, .number = number, .ready = at, .start = at};
}

/* What becomes of the message. */
static struct logp_fate fate_at(const struct logp_delay *d, int src, int dst, unsigned number,
                                int64_t at)
{
    const struct logp_transfer t = transfer(src, dst, number, at);
    struct logp_fate fate = {1, -1};

    d->ops->fate(d->model, &t, &fate);
    return fate;
}

/* How long the overhead of a send is: by itself it is 0. */
static int64_t overhead(const struct logp_delay *d, int src, int64_t at)
{
    struct logp_port port = {LOGP_NEVER, LOGP_NEVER, LOGP_NEVER};
    struct logp_transfer t = transfer(src, 0, 0, at);

    d->ops->send(d->model, &port, &t);
    return t.done - t.start;
}

/* The same of a receive. */
static int64_t overhead_of_receive(const struct logp_delay *d, int dst)
{
    struct logp_port port = {LOGP_NEVER, LOGP_NEVER, LOGP_NEVER};
    struct logp_transfer t = transfer(0, dst, 0, 0);

    d->ops->recv(d->model, &port, &t);
    return t.done - t.start;
}

/* Kolmogorov-Smirnov: the distance that one sample in 10000 exceeds is 2.23 / sqrt(n). */
static void check_distribution(int64_t *sample, double (*cdf)(double x), const char *what)
{
    const double distance = test_distance(sample, SAMPLE, cdf);

    (void)what; /* not in plain.h */
    cr_assert_lt(distance, 2.23 / sqrt(SAMPLE), "%s: %f", what, distance);
}

static double uniform_million(double x)
{
    return x < 0 ? 0 : x < 1e6 ? x / 1e6 : 1;
}

static double exponential_million(double x)
{
    return x < 0 ? 0 : 1 - exp(-x / 1e6);
}

/* Is it as it should be over numbers of one rank's operations, over ranks, and over seeds? */
static void check_noise(const char *noise, double (*cdf)(double x))
{
    static int64_t sample[SAMPLE];
    TEST_DELAY d = make(NULL, noise, 5);

    for (int i = 0; i < SAMPLE; i++)
        sample[i] = overhead(&d, 3, 0);
    check_distribution(sample, cdf, "sends");
    for (int i = 0; i < SAMPLE; i++)
        sample[i] = overhead_of_receive(&d, 4);
    check_distribution(sample, cdf, "receives");
    for (int i = 0; i < SAMPLE; i++)
        sample[i] = overhead(&d, i % P, 0);
    check_distribution(sample, cdf, "ranks");
    for (int i = 0; i < SAMPLE; i++) {
        logp_fault_seed(d.model, (uint64_t)i);
        d.ops->restart(d.model, true);
        sample[i] = overhead(&d, 3, 0);
    }
    check_distribution(sample, cdf, "seeds");
}

Test(fault_draws, uniform_noise_is_uniform)
{
    check_noise("uniform:1ms", uniform_million);
}

Test(fault_draws, exponential_noise_is_exponential)
{
    check_noise("exp:1ms", exponential_million);
}

/* A tick that comes every 2 ms and takes 1 ms, from a shift by chance on: a moment is half of the
 * time within one, and then what is left of it is uniform. */
Test(fault_draws, the_shift_of_a_tick_is_uniform)
{
    static int64_t sample[SAMPLE];
    TEST_DELAY d = make(NULL, "tick:2ms:1ms", 1);
    int n = 0, tries = 0;

    for (; n < SAMPLE; tries++) {
        int64_t done;

        logp_fault_seed(d.model, (uint64_t)tries);
        done = d.ops->work(d.model, 7, 0, 1) - 1;
        if (done > 0)
            sample[n++] = done;
    }
    cr_assert_lt(fabs((double)n / tries - 0.5), 4 * 0.5 / sqrt(tries));
    check_distribution(sample, uniform_million, "shifts");
}

/* Chi-square of a count with one degree of freedom: one in 10000 is beyond 15.14. */
static void check_count(int count, int n, double p, const char *what)
{
    const double expected = n * p, difference = count - expected;

    cr_assert_lt(difference * difference / expected + difference * difference / (n - expected),
                 15.14, "%s: %d of %d at %g", what, count, n, p);
}

static int events(const struct logp_fate *f)
{
    return f->copies != 1 || f->flip >= 0;
}

/* Over numbers, receivers and seeds; and whether one message says nothing of the next. */
static void check_chance(const char *faults, double p)
{
    TEST_DELAY d = make(faults, NULL, 9);
    int numbers = 0, pairs = 0, ranks = 0, seeds = 0, last = 0;

    for (int i = 0; i < SAMPLE; i++) {
        const struct logp_fate of_number = fate_at(&d, 1, 2, (unsigned)i, 0),
                               of_ranks = fate_at(&d, i % 141, i / 141, 3, 0);

        pairs += last && events(&of_number);
        last = events(&of_number);
        numbers += last;
        ranks += events(&of_ranks);
    }
    for (int i = 0; i < SAMPLE; i++) {
        struct logp_fate f;

        logp_fault_seed(d.model, (uint64_t)i);
        f = fate_at(&d, 1, 2, 0, 0);
        seeds += events(&f);
    }
    check_count(numbers, SAMPLE, p, faults);
    check_count(ranks, SAMPLE, p, faults);
    check_count(seeds, SAMPLE, p, faults);
    check_count(pairs, SAMPLE - 1, p * p, faults);
}

Test(fault_draws, messages_are_struck_with_the_probability_that_is_asked_for)
{
    check_chance("drop:0.3", 0.3);
    check_chance("dup:5%", 0.05);
    check_chance("flip:1e-1", 0.1);
    check_chance("drop:0.1,drop:0.1", 0.19); /* the same text twice is two of them */
}

Test(fault_draws, probabilities_0_and_1_are_never_and_always)
{
    TEST_DELAY never = make("drop:0,dup:0,flip:0%", NULL, 1), always = make("cut@1", NULL, 1);

    for (unsigned i = 0; i < SAMPLE; i++) {
        const struct logp_fate f = fate_at(&never, 1, 2, i, 0);

        cr_assert(f.copies == 1 && f.flip == -1);
        cr_assert_eq(fate_at(&always, 1, 2, i, 0).copies, 0);
    }
}

Test(fault_draws, each_bit_is_flipped_as_often)
{
    TEST_DELAY d = make("flip:1", NULL, 3);
    int count[64] = {0};
    double chi = 0;

    for (unsigned i = 0; i < SAMPLE; i++) {
        const int64_t bit = fate_at(&d, 1, 2, i, 0).flip;

        cr_assert(bit >= 0 && bit < 64);
        count[bit]++;
    }
    for (int i = 0; i < 64; i++)
        chi += (count[i] - SAMPLE / 64.0) * (count[i] - SAMPLE / 64.0) / (SAMPLE / 64.0);
    cr_assert_lt(chi, 112.3, "%f", chi); /* 63 degrees of freedom: one in 10000 */
}

Test(fault_draws, samples_of_a_file_are_drawn_as_often)
{
    char path[] = "/tmp/logp-samples-XXXXXX", noise[64];
    const int file = mkstemp(path);
    TEST_DELAY d = {NULL, NULL};
    int count[4] = {0};
    double chi = 0;

    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, "0\n10\n20 # late\n30\n", 18), 18);
    close(file);
    snprintf(noise, sizeof(noise), "file:%s", path);
    d = make(NULL, noise, 1);
    unlink(path);
    for (int i = 0; i < SAMPLE; i++) {
        const int64_t ns = overhead(&d, 2, 0);

        cr_assert(ns % 10 == 0 && ns >= 0 && ns <= 30);
        count[ns / 10]++;
    }
    for (int i = 0; i < 4; i++)
        chi += (count[i] - SAMPLE / 4.0) * (count[i] - SAMPLE / 4.0) / (SAMPLE / 4.0);
    cr_assert_lt(chi, 21.1, "%f", chi); /* 3 degrees of freedom: one in 10000 */
}

/* ---- what a draw depends on ---- */

Test(fault_draws, a_seed_draws_the_same_again_and_no_other_does)
{
    TEST_DELAY a = make("drop:0.5", "exp:1ms", 1), b = make("drop:0.5", "exp:1ms", 1);
    int differ = 0;

    for (unsigned i = 0; i < 100; i++) {
        cr_assert_eq(fate_at(&a, 1, 2, i, 0).copies, fate_at(&b, 1, 2, i, 0).copies);
        cr_assert_eq(overhead(&a, 1, 0), overhead(&b, 1, 0));
    }
    a.ops->restart(a.model, true); /* a run again */
    b.ops->restart(b.model, true);
    logp_fault_seed(b.model, 2);
    for (unsigned i = 0; i < 100; i++)
        differ += fate_at(&a, 1, 2, i, 0).copies != fate_at(&b, 1, 2, i, 0).copies;
    cr_assert(differ > 20 && differ < 80);
    cr_assert_neq(overhead(&a, 1, 0), overhead(&b, 1, 0));
}

/* The order in which messages are asked about, and what else there is, change nothing. */
Test(fault_draws, to_leave_a_fault_out_changes_no_other)
{
    TEST_DELAY all = make("dup:0.2,drop:0.3@1-2,slow:2", "uniform:5", 4);
    TEST_DELAY one = make("drop:0.3@1-2", NULL, 4);

    for (unsigned i = 100; i-- > 0;)
        cr_assert_eq(fate_at(&all, 1, 2, i, 0).copies == 0, fate_at(&one, 1, 2, i, 7).copies == 0);
}

/* ---- where and when ---- */

static bool lost(const struct logp_delay *d, int src, int dst, int64_t at)
{
    return fate_at(d, src, dst, 0, at).copies == 0;
}

Test(fault_draws, a_fault_is_where_and_when_it_is_said)
{
    TEST_DELAY one_way = make("cut@0..3+9-4..7:2..5us", NULL, 1);
    TEST_DELAY both = make("cut@1=2", NULL, 1), any = make("drop:1@5", NULL, 1);
    TEST_DELAY to = make("drop:100%@-3", NULL, 1), from = make("drop:1@3-", NULL, 1);
    TEST_DELAY until = make("drop:1@:..3us", NULL, 1);

    cr_assert(lost(&one_way, 0, 4, 2000) && lost(&one_way, 9, 7, 4999));
    cr_assert(!lost(&one_way, 4, 0, 2000) && !lost(&one_way, 8, 4, 2000));
    cr_assert(!lost(&one_way, 0, 4, 1999) && !lost(&one_way, 0, 4, 5000));
    cr_assert(lost(&both, 1, 2, 0) && lost(&both, 2, 1, 0) && !lost(&both, 1, 1, 0));
    cr_assert(lost(&any, 5, 0, 0) && lost(&any, 0, 5, 0) && !lost(&any, 0, 1, 0));
    cr_assert(lost(&to, 9, 3, 0) && !lost(&to, 3, 9, 0));
    cr_assert(!lost(&from, 9, 3, 0) && lost(&from, 3, 9, 0));
    cr_assert(lost(&until, 0, 1, 2999) && !lost(&until, 0, 1, 3000));
    /* times count from where time begins anew */
    one_way.ops->restart(one_way.model, false);
    one_way.ops->begin(one_way.model, 1000000);
    cr_assert(lost(&one_way, 0, 4, 1002000) && !lost(&one_way, 0, 4, 2000));
}

static int64_t work(const struct logp_delay *d, int rank, int64_t from, int64_t ns)
{
    return d->ops->work(d->model, rank, from, ns);
}

/* By hand, step by step: a nanosecond of work gets done in each in which no tick is. */
static int64_t slowly(int64_t from, int64_t ns, int64_t T, int64_t D, int64_t S)
{
    int64_t t = from;

    while ((t - S + 10 * T) % T < D)
        t++;
    for (; ns > 0; t++)
        ns -= (t - S + 10 * T) % T >= D;
    return t;
}

Test(fault_draws, a_tick_takes_what_it_takes)
{
    TEST_DELAY d = make(NULL, "tick:10ns:3ns:4ns", 1);

    for (int64_t from = 0; from < 40; from++)
        for (int64_t ns = 1; ns < 60; ns++)
            cr_assert_eq(work(&d, 1, from, ns), slowly(from, ns, 10, 3, 4), "%d %d", (int)from,
                         (int)ns);
    cr_assert_eq(work(&d, 1, 5, 0), 5); /* no work takes no time */
}

Test(fault_draws, a_processor_is_slow_or_stops_for_a_while_or_for_good)
{
    TEST_DELAY slow = make("slow:2.5@1:10us..20us", NULL, 1);
    TEST_DELAY pause = make("stop@1:10us..20us", NULL, 1);
    TEST_DELAY stop = make("stop@1+3:10us", NULL, 1);

    cr_assert_eq(work(&slow, 1, 9999, 1000), 10999);
    cr_assert_eq(work(&slow, 1, 10000, 1000), 12500);
    cr_assert_eq(work(&slow, 1, 20000, 1000), 21000);
    cr_assert_eq(work(&slow, 2, 10000, 1000), 11000);
    cr_assert_eq(work(&pause, 1, 9000, 1000), 10000);
    cr_assert_eq(work(&pause, 1, 9000, 1001), 20001);
    cr_assert_eq(work(&pause, 1, 15000, 1), 20001);
    cr_assert_eq(work(&stop, 3, 9000, 1000), 10000);
    cr_assert_eq(work(&stop, 3, 9000, 1001), LOGP_STOPPED);
    cr_assert_eq(work(&stop, 3, 10000, 0), LOGP_STOPPED);
    cr_assert_eq(work(&stop, 2, 10000, 1), 10001);
    cr_assert_eq(stop.ops->stops(stop.model, 1), 10000);
    cr_assert_eq(stop.ops->stops(stop.model, 2), INT64_MAX);
}

Test(fault_draws, a_message_is_delayed_by_the_factor)
{
    TEST_DELAY d = make("delay:3.5@1-2,delay:2@1-2:9us..", NULL, 1);
    const int64_t at[] = {0, 9000}, arrival[] = {3500000, 9000 + 7000000};

    for (int i = 0; i < 2; i++) {
        struct logp_port port = {LOGP_NEVER, LOGP_NEVER, LOGP_NEVER};
        struct logp_transfer t = transfer(1, 2, 0, at[i]);
        struct logp_fault_counts counts;

        d.ops->send(d.model, &port, &t);
        cr_assert_eq(t.arrival, arrival[i]);
        logp_fault_counts(d.model, &counts);
        cr_assert_eq(counts.delayed, (uint64_t)i + 1);
    }
    cr_assert(logp_fault_predictable(d.model));
}

/* ---- texts ---- */

Test(fault_draws, what_is_wrong_is_refused_and_said)
{
    static const struct {
        const char *faults, *noise, *says;
    } bad[] = {
        {"lose:0.1", NULL, "drop:P"},
        {"drop", NULL, "probability"},
        {"drop:", NULL, "probability"},
        {"drop:2", NULL, "probability"},
        {"drop:-1", NULL, "probability"},
        {"drop:nan", NULL, "probability"},
        {"drop:101%", NULL, "probability"},
        {"drop:0.1:0.1", NULL, "probability"},
        {"drop:0.1:1:1:1", NULL, "fewer"},
        {"drop:0.1,", NULL, "one of"},
        {"dup:0.1,flop:1", NULL, "flop:1: must be one of"},
        {"delay:0.5", NULL, "factor"},
        {"delay:2:3", NULL, "probability"},
        {"slow:2@16", NULL, "ranks"},
        {"slow:2@1-2", NULL, "@A"},
        {"slow:2@5..3", NULL, "ranks"},
        {"cut", NULL, "cut@A-B"},
        {"cut:1@1-2", NULL, "no value"},
        {"cut@-", NULL, "cut@A-B"},
        {"cut@1-x", NULL, "@A-B"},
        {"stop", NULL, "stop@A"},
        {"stop@:3", NULL, "stop@A"},
        {"stop@1:5..3", NULL, "before"},
        {"stop@1:soon", NULL, "times"},
        {"stop@1:", NULL, "times"},
        {"stop@1:12d", NULL, "times"},
        {"exp:1us", NULL, "drop:P"},
        {NULL, "drop:0.1", "fixed:T"},
        {NULL, "fixed:-1", "time"},
        {NULL, "fixed:12e20s", "time"},
        {NULL, "uniform:1:2", "time"},
        {NULL, "tick:1us", "time"},
        {NULL, "tick:1us:2us", "D < T"},
        {NULL, "tick:1us:0:1us", "S < T"},
        {NULL, "file:/nowhere/at/all", "file"},
    };
    const struct logp_params params = test_params(1, 1, 1);
    struct logp_delay inner, delay;
    char why[LOGP_FAULT_WHY];

    cr_assert_eq(logp_delay_create("logp", &params, &inner), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const struct logp_fault_config config = {.size = sizeof(config),
                                                 .faults = bad[i].faults,
                                                 .noise = bad[i].noise,
                                                 .P = P,
                                                 .unit_ns = 1};

        cr_assert_eq(logp_fault_create(&inner, &config, &delay, why), -EINVAL, "%zu", i);
        cr_assert(strstr(why, bad[i].says) != NULL, "%zu: %s", i, why);
        cr_assert(strchr(why, '\n') == NULL);
    }
    cr_assert_eq(logp_fault_create(&inner, &(struct logp_fault_config){.size = 1}, &delay, why),
                 -EINVAL);
    logp_delay_destroy(&inner);
}

Test(fault_draws, a_model_without_parameters_is_refused)
{
    const struct logp_fault_config config = {.size = sizeof(config), .P = 2, .unit_ns = 1};
    struct logp_delay none = logp_delay_none(), delay;
    char why[LOGP_FAULT_WHY];

    cr_assert_eq(logp_fault_create(&none, &config, &delay, why), -EINVAL);
}

Test(fault_draws, what_is_left_to_chance_says_so)
{
    static const struct {
        const char *faults, *noise;
        bool predictable;
    } cases[] = {
        {NULL, NULL, true},        {"slow:2", "fixed:1,tick:9:1:0", true},
        {"delay:2", NULL, true},   {"delay:2:0.5", NULL, false},
        {"drop:0.1", NULL, false}, {"stop@1:5..9", NULL, true},
        {"stop@1:5", NULL, false}, {NULL, "tick:9:1", false},
        {NULL, "exp:1", false},    {NULL, "uniform:1", false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        TEST_DELAY d = make(cases[i].faults, cases[i].noise, 1);

        cr_assert_eq(logp_fault_predictable(d.model), cases[i].predictable, "%zu", i);
    }
}
