/* SPDX-License-Identifier: MIT */
/* How many cores of a parallel machine a run uses: by its windows and events, which are counted. */
#include "random_program.h"
#include "support.h"

#include "core/core.h"

#include <logp/experiment.h>

enum { CORES = 5, PROGRAMS = 400 };

/* A machine that has this number of cores, and may use fewer */
static struct logp_machine *machine_of(int P, bool shares_stack)
{
    const struct logp_config config = {.n_processors = P,
                                       .clock = LOGP_CLOCK_VIRTUAL,
                                       .executor = "fiber",
                                       .stacks =
                                           shares_stack ? LOGP_STACKS_SHARED : LOGP_STACKS_OWN,
                                       .parallel = true};
    struct logp_machine *m;
    char text[16];

    snprintf(text, sizeof(text), "%d", CORES);
    setenv("LOGP_TEST_CORES", text, 1);
    m = test_machine_as(config, &test_6us);
    unsetenv("LOGP_TEST_CORES");
    return m;
}

Test(worth, each_core_has_events_in_each_window)
{
    static const uint64_t numbers[] = {0, 1, 40, 1000, 50000, 1 << 22, UINT64_C(1) << 40};
    enum { N = sizeof(numbers) / sizeof(numbers[0]) };

    for (int i = 0; i < N * N; i++)
        for (int most = 1; most <= 300; most += 23) {
            const uint64_t events = numbers[i % N], windows = numbers[i / N];
            const int n = lpi_cores_worth(events, windows, most);

            cr_assert(n >= 1 && n <= most);
            cr_assert(n == 1 || events >= windows * (uint64_t)n * LPI_EVENTS_WORTH);
            cr_assert_geq(lpi_cores_worth(2 * events, windows, most), n);
            cr_assert_leq(lpi_cores_worth(events, 2 * windows, most), n);
        }
    cr_assert_eq(lpi_cores_worth(1 << 22, 100, 64), 64);
}

/* Run an algorithm as the command does. @return the cores */
static int run_algorithm(struct logp_machine *m, const char *collective, const char *algorithm)
{
    const struct logp_experiment x = {.size = sizeof(x),
                                      .algorithm = logp_algorithm_find(collective, algorithm),
                                      .args = {.n_bytes = 8, .count = 1},
                                      .reps = 1};
    struct logp_record r;

    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_assert(r.verified);
    cr_assert_eq(r.emulated.median_ns, r.prediction.ns);
    return logp_machine_cores(m);
}

Test(worth, programs_use_cores_that_have_events_in_each_window)
{
    static const struct {
        const char *collective, *algorithm;
        int P, n_cores;
    } programs[] = {{"broadcast", "flat", 1024, 1},     {"alltoall", "linear", 256, CORES},
                    {"broadcast", "chain", 1024, 1},    {"allgather", "ring", 256, CORES},
                    {"broadcast", "binomial", 1024, 2}, {"barrier", "dissemination", 256, CORES}};

    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        struct logp_machine *m = machine_of(programs[i].P, true);
        const int n = run_algorithm(m, programs[i].collective, programs[i].algorithm);

        cr_expect_eq(n, programs[i].n_cores, "%s: %d cores", programs[i].algorithm, n);
        cr_expect(n == 1 || 2 * m->report.messages >= m->windows * (uint64_t)n * LPI_EVENTS_WORTH,
                  "%s: %lu messages, %lu windows, %d cores", programs[i].algorithm,
                  (unsigned long)m->report.messages, (unsigned long)m->windows, n);
        logp_machine_destroy(m);
    }
}

/* Each of so many rounds: one message of rank 0, or one of each rank. */
struct rounds {
    int n;
    bool all;
};

static int in_rounds(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const struct rounds *r = arg;

    for (int i = 0; i < r->n; i++) {
        if (me == 0 || r->all)
            OK(logp_send(vp, (me + 1) % P, 0, NULL, 0));
        if (me == 1 || r->all)
            OK(logp_recv(vp, (me + P - 1) % P, 0, NULL, 0, NULL));
    }
    return 0;
}

Test(worth, a_run_uses_the_cores_that_the_run_before_it_was_worth)
{
    struct rounds few = {200, false}, many = {200, true};
    struct logp_machine *m = machine_of(100, false);
    uint64_t windows;

    cr_assert_eq(logp_machine_cores(m), CORES);
    cr_assert_eq(logp_machine_run(m, in_rounds, &few, test_timeout_ns), 0);
    cr_assert_eq(logp_machine_cores(m), CORES, "the first run uses all");
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(logp_machine_run(m, in_rounds, &few, test_timeout_ns), 0);
        cr_assert_eq(logp_machine_cores(m), 1);
    }
    cr_assert_eq(logp_machine_run(m, in_rounds, &many, test_timeout_ns), 0);
    cr_assert_eq(logp_machine_cores(m), 1);
    windows = m->windows;
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(logp_machine_run(m, in_rounds, &many, test_timeout_ns), 0);
        cr_assert_eq(logp_machine_cores(m), CORES);
        cr_assert_eq(m->windows, windows, "%lu, and %lu on one core", (unsigned long)m->windows,
                     (unsigned long)windows);
    }
    cr_assert_eq(logp_machine_plan_cores(m, 0, -1), -EINVAL);
    cr_assert_eq(logp_machine_plan_cores(m, 1, 0), 0);
    cr_assert_eq(logp_machine_run(m, in_rounds, &many, test_timeout_ns), 0);
    cr_assert_eq(logp_machine_cores(m), 1);
    logp_machine_destroy(m);
}

Test(worth, random_programs_agree_when_the_cores_change)
{
    struct random_program *g = malloc(sizeof(*g));
    struct logp_machine *m = machine_of(MOST_P, true);
    struct random_run run = {.g = g};
    struct random_outcome expected;
    uint64_t random = 1;

    for (int i = 0; i < PROGRAMS; i++) {
        const uint64_t n = 1 + test_random(&random) % CORES;
        struct logp_delay delay;

        random_generate(g, &random, MOST_P);
        cr_assert_eq(random_delay(g, &delay), 0);
        cr_assert_eq(logp_machine_set_delay(m, delay, 0), 0);
        if (!random_has_lookahead(g))
            continue;
        cr_assert_eq(logp_machine_plan_cores(m, n * LPI_WINDOWS_BESIDE * LPI_EVENTS_WORTH / 2, 0),
                     0);
        cr_assert_eq(logp_machine_run(m, random_run, &run, test_timeout_ns), 0);
        cr_assert_eq(logp_machine_cores(m), (int)n);
        cr_assert_eq(random_simulate(g, &expected), 0);
        cr_assert_eq(random_differ(g, &run.out, &expected), NONE, "program %d", i);
    }
    logp_machine_destroy(m);
    free(g);
}
