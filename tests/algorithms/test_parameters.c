/* SPDX-License-Identifier: MIT */
/*
 * Parameters measured from outside: under the virtual clock random ones are recovered to the
 * nanosecond, where they can be seen; and from times with noise, outliers and changes of protocol
 * that this test makes up, what it made them of.
 */
#include "support.h"

/* ---- emulated machines ---- */

struct look {
    struct logp_observe how;
    struct logp_found found;
    struct logp_size_seen sizes[64];
    size_t n_sizes;
};

static int look(struct logp_vp *vp, void *arg)
{
    struct look *l = arg;
    struct logp_observed *seen;
    int rc;

    if (logp_vp_rank(vp) == 1)
        return logp_observe_serve(vp, 0);
    rc = logp_observe(vp, 1, &l->how, &seen);
    if (rc != 0)
        return rc;
    l->n_sizes = seen->n_sizes;
    rc = logp_observed_estimate(seen, 1, &l->found, l->sizes);
    logp_observed_free(seen);
    return rc;
}

static void look_at(const char *delay, const struct logp_params *p, size_t most, int64_t combine,
                    struct look *l)
{
    struct logp_delay model;

    *l = (struct look){
        .how = {.size = sizeof(l->how), .bytes_high = most, .reps = 3, .combine_high = combine}};
    cr_assert_eq(logp_delay_create(delay, p, &model), 0);
    test_run(test_machine_of(2, LOGP_CLOCK_VIRTUAL, model), look, l);
}

static int64_t some(uint64_t *random)
{
    static const int64_t most[] = {1, 50, 5000, 100000};

    return test_below(random, most[test_below(random, 4)]);
}

Test(parameters, random_ones_are_recovered_to_the_nanosecond)
{
    static const char *const delays[] = {"loggp", "loggp", "logp", "store-forward"};
    const size_t most = 65536;
    uint64_t random = UINT64_C(20261122);
    int hidden = 0, shared = 0;

    for (int i = 0; i < 200 / TEST_SCALE; i++) {
        const char *delay = delays[test_below(&random, 4)];
        struct logp_params p = {.L_ns = some(&random),
                                .o_send_ns = some(&random),
                                .o_recv_ns = some(&random),
                                .g_ns = some(&random),
                                .G_ps = some(&random),
                                .gamma_ps = some(&random),
                                .gap_shared = test_below(&random, 2) == 1};
        const int64_t o = p.o_send_ns < p.o_recv_ns ? p.o_send_ns : p.o_recv_ns;
        const struct logp_params *f;
        struct look l;

        look_at(delay, &p, most, 4000, &l);
        f = &l.found.params;
        logp_delay_params(delay, &p, &p);
        cr_log_info("%d: %s L %lld o %lld %lld g %lld G %lld ps", i, delay, (long long)p.L_ns,
                    (long long)p.o_send_ns, (long long)p.o_recv_ns, (long long)p.g_ns,
                    (long long)p.G_ps);
        cr_assert(l.found.exact);
        cr_assert_eq(l.found.n_protocols, 1);
        cr_assert_eq(f->o_send_ns, p.o_send_ns);
        cr_assert_eq(f->o_recv_ns, p.o_recv_ns);
        cr_assert_eq(f->gamma_ps, p.gamma_ps);
        /* that a gap does not grow with the size is seen of a gap that is seen, and a G that is */
        if (p.store_forward && (p.g_ns <= o || p.G_ps * (int64_t)most < 1000000))
            continue;
        cr_assert_eq(f->G_ps, p.G_ps, "G %lld", (long long)f->G_ps);
        cr_assert_eq(f->L_ns, p.L_ns, "L %lld", (long long)f->L_ns);
        cr_assert_eq(f->store_forward, p.store_forward && p.G_ps > 0);
        hidden += l.found.g_hidden;
        if (l.found.g_hidden) {
            cr_assert_leq(p.g_ns, o);
            cr_assert_eq(f->g_ns, o);
        } else {
            cr_assert_eq(f->g_ns, p.g_ns, "g %lld", (long long)f->g_ns);
        }
        /* where overheads do not hide it, it is not said to be hidden */
        cr_assert(!l.found.g_hidden || p.g_ns <= o);
        cr_assert(p.g_ns <= o || !l.found.g_hidden);
        shared += l.found.gap == LOGP_GAP_SHARED;
        if (l.found.gap != LOGP_GAP_UNSEEN)
            cr_assert_eq(l.found.gap == LOGP_GAP_SHARED, p.gap_shared);
    }
    cr_assert(TEST_SCALE > 1 || (hidden > 10 && shared > 30), "%d %d", hidden, shared);
}

Test(parameters, what_no_rate_depends_on_is_said_to_be_hidden)
{
    const struct logp_params p = {.L_ns = 100, .o_send_ns = 30, .o_recv_ns = 20, .g_ns = 20};
    struct look l;

    look_at("logp", &p, 64, 0, &l);
    cr_assert(l.found.g_hidden);
    cr_assert_eq(l.found.params.g_ns, 20);
    cr_assert_eq(l.found.gap, LOGP_GAP_UNSEEN);
    cr_assert(!l.found.has_gamma);
}

Test(parameters, latencies_that_vary_leave_the_rest_as_it_is)
{
    const struct logp_params p = {
        .L_ns = 6000, .o_send_ns = 200, .o_recv_ns = 300, .g_ns = 400, .seed = 7};
    struct look l;

    look_at("varying", &p, 64, 0, &l);
    cr_assert_eq(l.found.params.o_send_ns, 200);
    cr_assert_eq(l.found.params.o_recv_ns, 300);
    cr_assert(l.found.params.L_ns > 0 && l.found.params.L_ns < 6000);
    cr_assert(l.found.L.low_ns < l.found.L.high_ns);
    cr_assert(!l.found.exact);
}

/* 3 sizes and 2 reductions, in turn */
static void count_up(void *arg, int done, int total)
{
    int *next = arg;

    cr_expect_eq(done, *next);
    cr_expect_eq(total, 5);
    ++*next;
}

Test(parameters, each_size_and_reduction_is_reported_before_it_is_timed)
{
    int next = 0;
    struct look l = {.how = {.size = sizeof(l.how),
                             .bytes_high = 32,
                             .reps = 3,
                             .combine_high = 1000,
                             .progress = count_up,
                             .progress_arg = &next}};
    struct logp_delay model;

    cr_assert_eq(logp_delay_create("logp", &test_6us, &model), 0);
    test_run(test_machine_of(2, LOGP_CLOCK_VIRTUAL, model), look, &l);
    cr_assert_eq(next, 5);
    cr_assert_eq(l.n_sizes, 3);
}

static int refuse_all(struct logp_vp *vp, void *arg)
{
    struct logp_observe how = {.size = sizeof(how)};
    struct logp_observed *seen;

    if (logp_vp_rank(vp) != 0)
        return 0;
    cr_expect_eq(logp_observe(vp, 0, &how, &seen), -EINVAL);
    how.reps = 2;
    cr_expect_eq(logp_observe(vp, 1, &how, &seen), -EINVAL);
    how.reps = -1;
    cr_expect_eq(logp_observe(vp, 1, &how, &seen), -EINVAL);
    how = (struct logp_observe){.size = sizeof(how), .bytes_low = 9, .bytes_high = 8};
    cr_expect_eq(logp_observe(vp, 1, &how, &seen), -EINVAL);
    how = (struct logp_observe){.size = sizeof(how), .limit_ns = -1};
    cr_expect_eq(logp_observe(vp, 1, &how, &seen), -EINVAL);
    how = (struct logp_observe){0};
    cr_expect_eq(logp_observe(vp, 1, &how, &seen), -EINVAL);
    cr_expect_null(seen);
    return 0;
}

Test(parameters, what_is_wrong_is_refused)
{
    const struct logp_params p = {.L_ns = 1};
    struct logp_observed none = {.size = sizeof(none), .n_spaced = 4, .n_burst = 8};
    struct logp_observation size = {.n_bytes = 1};
    struct logp_found found;

    test_run(test_machine(2, LOGP_CLOCK_VIRTUAL, &p), refuse_all, NULL);
    cr_expect_eq(logp_observed_estimate(&none, 1, &found, NULL), -EINVAL);
    none.sizes = &size;
    none.n_sizes = 1;
    cr_expect_eq(logp_observed_estimate(&none, 1, &found, NULL), -EINVAL);
}

/* ---- a host that is busy ---- */

/* A wall clock on which the server's core is busy at first: so many of its readings take 80 ms. All
 * others take 2 us. */
struct busy_clock {
    int64_t now, n_busy, away_ns; /* away_ns: the sum of those that take long */
    uintptr_t server;             /* on its stack; 0: it has not begun */
};

static int64_t busy_clock_read(void *arg)
{
    struct busy_clock *c = arg;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    const bool is_server = here <= c->server && c->server - here < 1 << 16;
    const int64_t long_ns = is_server && c->n_busy > 0 ? 80000000 : 0;

    c->n_busy -= long_ns > 0;
    c->away_ns += long_ns;
    return c->now += 2000 + long_ns;
}

struct busy_look {
    struct look look;
    struct busy_clock clock;
};

static int look_by_clock(struct logp_vp *vp, void *arg)
{
    struct busy_look *l = arg;

    if (logp_vp_rank(vp) == 1)
        l->clock.server = (uintptr_t)__builtin_frame_address(0);
    return look(vp, &l->look);
}

/* Sizes 1 to 64 as logp measure looks at them. @return ns that pass, but for *away_ns */
static int64_t look_while_busy(int64_t n_busy, const struct logp_params *params, int64_t *away_ns)
{
    struct busy_look l = {.look.how = {.size = sizeof(l.look.how),
                                       .bytes_high = 64,
                                       .reps = 3,
                                       .limit_ns = 20000000,
                                       .size_limit_ns = 2000000},
                          .clock = {.now = 1000, .n_busy = n_busy}};
    const struct logp_config config = {.n_processors = 2,
                                       .delay = logp_delay_none(),
                                       .executor = "fiber",
                                       .n_cores = 1,
                                       .time_ns = busy_clock_read,
                                       .time_arg = &l.clock};

    test_run(test_machine_with(config, params), look_by_clock, &l);
    cr_expect_eq(l.look.n_sizes, 4);
    *away_ns = l.clock.away_ns;
    return l.clock.now - *away_ns;
}

/* Pauses are made anew as soon as a round trip is shorter: in all they are no longer than the host
 * was away. */
Test(parameters, a_busy_start_does_not_make_all_pauses_long)
{
    static const struct logp_params slow = {
        .L_ns = 100000, .o_send_ns = 20000, .o_recv_ns = 20000, .g_ns = 60000};
    int64_t away_ns;
    const int64_t idle_ns = look_while_busy(0, &slow, &away_ns);

    for (int64_t n_busy = 20; n_busy <= 320; n_busy *= 4) {
        const int64_t ns = look_while_busy(n_busy, &slow, &away_ns);

        cr_expect_lt(ns, idle_ns + away_ns, "%lld readings: %lld ns, idle %lld ns",
                     (long long)n_busy, (long long)ns, (long long)idle_ns);
    }
}

/* Where nothing is emulated no pause is longer than a tenth of what a timing may take, 2 ms. The
 * six timings of a size have 34 pauses in a repetition, and 5 repetitions. */
Test(parameters, a_host_that_is_always_busy_makes_no_pause_long)
{
    const int64_t pauses = INT64_C(4) * 50 * 5;
    int64_t away_ns, ns = look_while_busy(INT64_MAX, NULL, &away_ns);

    cr_expect_lt(ns, pauses * 2000000, "%lld ns", (long long)ns);
}

/* ---- times made up ---- */

enum { REPS = 60, SPACED = 4, BURST = 8, SIZES = 16 };

/* What they are made of: from `from` bytes on. */
struct truth {
    size_t from;
    double L, o_send, o_recv, g, G;
};

struct made {
    struct logp_observed seen;
    struct logp_observation sizes[SIZES];
    int64_t times[SIZES][LOGP_TIMINGS][REPS];
};

static double uniform(uint64_t *random)
{
    return (double)(test_random(random) >> 11) / 9007199254740992.0;
}

/* A time with noise, of which `below` make it shorter, and one in `outliers` ten times as long. */
static int64_t noisy(double ns, double noise, double below, int outliers, uint64_t *random, int *n)
{
    if (outliers > 0 && test_below(random, outliers) == 0) {
        ++*n;
        return (int64_t)(10 * ns + 1000);
    }
    return (int64_t)(ns * (1 + noise * (uniform(random) - below)) + 0.5);
}

/* @return how many outliers there are */
static int make(struct made *m, const struct truth *t, size_t n_truths, double noise, int outliers,
                uint64_t *random)
{
    int planted = 0;

    m->seen = (struct logp_observed){.size = sizeof(m->seen),
                                     .n_spaced = SPACED,
                                     .n_burst = BURST,
                                     .sizes = m->sizes,
                                     .n_sizes = SIZES};
    for (int i = 0; i < SIZES; i++) {
        const size_t bytes = i == 0 ? 1 : (size_t)16 << (i - 1);
        const struct truth *of = t;
        double stream, apart, round, times[LOGP_TIMINGS];

        for (size_t k = 1; k < n_truths; k++)
            of = bytes >= t[k].from ? &t[k] : of;
        stream = (double)(bytes - 1) * of->G;
        apart = fmax(fmax(of->o_send, of->o_recv), of->g + stream);
        round = 2 * (of->L + of->o_send + of->o_recv + stream);
        times[LOGP_TIMING_ROUND] = round;
        times[LOGP_TIMING_SPACED] = SPACED * of->o_send;
        times[LOGP_TIMING_SENT] = (BURST - 1) * fmax(of->o_send, of->g + stream) + of->o_send;
        times[LOGP_TIMING_BURST] = round + (BURST - 1) * apart;
        times[LOGP_TIMING_TAKEN] = SPACED * of->o_recv;
        times[LOGP_TIMING_RECEIVED] = (BURST - 1) * fmax(of->o_recv, of->g + stream) + of->o_recv;
        times[LOGP_TIMING_TURN] = of->o_send + of->o_recv;
        m->sizes[i].n_bytes = bytes;
        for (int k = 0; k < LOGP_TIMINGS; k++) {
            /* overheads are octiles, all others medians */
            const bool low = k == LOGP_TIMING_SPACED || k == LOGP_TIMING_TAKEN;

            m->sizes[i].n[k] = REPS;
            m->sizes[i].times_ns[k] = m->times[i][k];
            for (int r = 0; r < REPS; r++)
                m->times[i][k][r] =
                    noisy(times[k], noise, low ? 0.125 : 0.5, outliers, random, &planted);
        }
    }
    return planted;
}

static void near(const char *what, double found, double is, double part)
{
    cr_expect(fabs(found - is) <= part * is, "%s: %g, not %g", what, found, is);
}

static struct made made;

Test(parameters, noise_and_outliers_do_not_count)
{
    const struct truth t = {0, 6000, 1500, 2500, 4000, 0.4};
    uint64_t random = 5;
    const int planted = make(&made, &t, 1, 0.1, 12, &random);
    struct logp_found f;

    cr_assert_eq(logp_observed_estimate(&made.seen, 3, &f, NULL), 0);
    cr_assert_eq(f.n_times, (size_t)SIZES * LOGP_TIMINGS * REPS);
    cr_assert(planted > 400);
    cr_assert_eq(f.n_left_out, (size_t)planted);
    near("L", f.L.ns, 6000, 0.02);
    near("o_send", f.o_send.ns, 1500, 0.02);
    near("o_recv", f.o_recv.ns, 2500, 0.02);
    near("g", f.g.ns, 4000, 0.02);
    near("G", f.G.ns, 0.4, 0.02);
    cr_assert_eq(f.n_protocols, 1);
    cr_assert_eq(f.gap, LOGP_GAP_SEPARATE);
    cr_assert(!f.exact && !f.g_hidden && !f.L_hidden);
}

Test(parameters, intervals_hold_what_is_true_as_often_as_they_say)
{
    const struct truth t = {0, 6000, 1500, 2500, 4000, 0.4};
    const int runs = 60;
    uint64_t random = 99;
    int o = 0, L = 0, g = 0;

    for (int i = 0; i < runs; i++) {
        struct logp_found f;

        make(&made, &t, 1, 0.2, 0, &random);
        cr_assert_eq(logp_observed_estimate(&made.seen, (uint64_t)i, &f, NULL), 0);
        o += f.o_send.low_ns <= 1500.5 && f.o_send.high_ns >= 1499.5;
        L += f.L.low_ns <= 6000.5 && f.L.high_ns >= 5999.5;
        g += f.g.low_ns <= 4000.5 && f.g.high_ns >= 3999.5;
    }
    /* of 60, fewer than 50 have a probability of less than 1 in 1000, were it 95 % */
    cr_assert(o >= 50 && L >= 50 && g >= 50, "%d %d %d", o, L, g);
    cr_assert(o + L + g < 3 * runs, "too wide: each of them");
}

Test(parameters, changes_of_protocol_are_found_where_they_are)
{
    const struct truth t[] = {{0, 6000, 1500, 2000, 4000, 0.8},
                              {4096, 20000, 1500, 2000, 6000, 0.3}};
    uint64_t random = 17;
    struct logp_found f;

    make(&made, t, 2, 0.05, 20, &random);
    cr_assert_eq(logp_observed_estimate(&made.seen, 3, &f, NULL), 0);
    cr_assert_eq(f.n_protocols, 2);
    cr_assert_eq(f.protocols[0].to, 2048);
    cr_assert_eq(f.protocols[1].from, 4096);
    near("L", f.protocols[0].L_ns, 6000, 0.03);
    near("L of long ones", f.protocols[1].L_ns, 20000, 0.03);
    near("G of short ones", f.protocols[0].G_ns, 0.8, 0.03);
    near("G of long ones", f.protocols[1].G_ns, 0.3, 0.03);
    near("L, g are of short ones", f.L.ns, 6000, 0.03);
    near("L, g are of short ones", f.g.ns, 4000, 0.03);
    near("G is of long ones", f.G.ns, 0.3, 0.03);
}

Test(parameters, long_messages_show_a_gap_that_overheads_hide)
{
    const struct truth t = {0, 6000, 3000, 2500, 1000, 0.4};
    uint64_t random = 23;
    struct logp_found f;

    make(&made, &t, 1, 0.02, 0, &random);
    cr_assert_eq(logp_observed_estimate(&made.seen, 3, &f, NULL), 0);
    cr_assert(!f.g_hidden);
    near("g", f.g.ns, 1000, 0.1);
    near("G", f.G.ns, 0.4, 0.02);
}

Test(parameters, overheads_beyond_the_round_trip_leave_no_latency)
{
    const struct truth t = {0, -2000, 3000, 2500, 4000, 0.4};
    uint64_t random = 29;
    struct logp_found f;

    make(&made, &t, 1, 0.02, 0, &random);
    cr_assert_eq(logp_observed_estimate(&made.seen, 3, &f, NULL), 0);
    cr_assert(f.L_hidden);
    cr_assert_eq(f.params.L_ns, 0);
}

/* ---- a host that had something else to do ---- */

static void all_times(int size, enum logp_timing timing, double times)
{
    for (int r = 0; r < REPS; r++)
        made.times[size][timing][r] = (int64_t)((double)made.times[size][timing][r] * times);
}

/* One size at which a kind of times is so many times as long. @return what is doubtful */
static const char *doubt(int size, enum logp_timing timing, double times, struct logp_found *f,
                         struct logp_size_seen *by_size)
{
    const struct truth t = {0, 6000, 1500, 2500, 4000, 0.4};
    uint64_t random = 41;

    make(&made, &t, 1, 0.1, 0, &random);
    all_times(size, timing, times);
    cr_assert_eq(logp_observed_estimate(&made.seen, 3, f, by_size), 0);
    return f->doubtful;
}

Test(parameters, times_below_0_are_doubtful)
{
    static const struct {
        enum logp_timing timing;
        double times;
        const char *why;
    } cases[] = {
        {LOGP_TIMING_ROUND, -1, "half a round trip of 1024 bytes is -"},
        {LOGP_TIMING_SPACED, -0.5, "o_send of 1024 bytes is -"},
        {LOGP_TIMING_TAKEN, -0.5, "o_recv of 1024 bytes is -"},
        {LOGP_TIMING_ROUND, 8, "the time from one message to the next of 1024 bytes is -"},
        {LOGP_TIMING_SENT, -0.5, "the time from one send to the next of 1024 bytes is -"},
        {LOGP_TIMING_RECEIVED, -0.5, "the time from one receive to the next of 1024 bytes is -"},
    };
    struct logp_size_seen by_size[SIZES];
    struct logp_found f;

    cr_expect_str_empty(doubt(7, LOGP_TIMING_SENT, 1, &f, by_size));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *why = doubt(7, cases[i].timing, cases[i].times, &f, by_size);

        cr_expect(strncmp(why, cases[i].why, strlen(cases[i].why)) == 0 &&
                      strstr(why, ", below 0") != NULL,
                  "%zu: '%s'", i, why);
        cr_expect_geq(by_size[6].apart, 0);
    }
}

/* As often below as above, and then it is 0, not an impossible time. */
Test(parameters, what_is_0_as_far_as_anybody_knows_is_0)
{
    struct logp_size_seen by_size[SIZES];
    struct logp_found f;

    cr_expect_str_empty(doubt(7, LOGP_TIMING_TAKEN, -0.001, &f, by_size));
    cr_expect_eq(by_size[7].o_recv, 0);
}

Test(parameters, times_that_no_line_explains_are_doubtful)
{
    struct logp_found f;

    cr_expect_str_empty(doubt(12, LOGP_TIMING_ROUND, 1.2, &f, NULL));
    all_times(12, LOGP_TIMING_BURST, 30);
    all_times(12, LOGP_TIMING_SENT, 30);
    cr_assert_eq(logp_observed_estimate(&made.seen, 3, &f, NULL), 0);
    cr_expect(strstr(f.doubtful, "times differ from the fitted line by up to ") != NULL, "%s",
              f.doubtful);
    cr_expect_gt(f.error, LOGP_UNEXPLAINED);
}

/* Each size is off by a factor of its own, which all of its times share: they say they are sure. */
Test(parameters, intervals_hold_what_lines_leave_unexplained)
{
    const struct truth t = {0, 6000, 1500, 2500, 4000, 0.4};
    const int runs = 40;
    uint64_t random = 7;
    int G = 0;

    for (int i = 0; i < runs; i++) {
        struct logp_found f;

        make(&made, &t, 1, 0.02, 0, &random);
        for (int size = 0; size < SIZES; size++) {
            const double off = 1 + 0.3 * (uniform(&random) - 0.5);

            all_times(size, LOGP_TIMING_ROUND, off);
            all_times(size, LOGP_TIMING_BURST, off);
            all_times(size, LOGP_TIMING_SENT, off);
        }
        cr_assert_eq(logp_observed_estimate(&made.seen, (uint64_t)i, &f, NULL), 0);
        G += f.G.low_ns <= 0.4 && f.G.high_ns >= 0.4;
    }
    cr_expect_geq(G, 28, "%d", G);
}

Test(parameters, the_same_times_have_the_same_intervals)
{
    const struct truth t = {0, 6000, 1500, 2500, 4000, 0.4};
    uint64_t random = 31;
    struct logp_found a, b, c;

    make(&made, &t, 1, 0.1, 0, &random);
    cr_assert_eq(logp_observed_estimate(&made.seen, 3, &a, NULL), 0);
    cr_assert_eq(logp_observed_estimate(&made.seen, 3, &b, NULL), 0);
    cr_assert_eq(logp_observed_estimate(&made.seen, 4, &c, NULL), 0);
    cr_assert(a.L.low_ns == b.L.low_ns && a.L.high_ns == b.L.high_ns);
    cr_assert(a.L.low_ns != c.L.low_ns || a.L.high_ns != c.L.high_ns);
    cr_assert(a.L.ns == c.L.ns);
}
