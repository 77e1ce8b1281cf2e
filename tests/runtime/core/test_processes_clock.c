/* SPDX-License-Identifier: MIT */
/*
 * The clock that the processes of a machine have in common, where each has one of its own: here the
 * host's, ahead by seconds and too fast or too slow. What the host's clock says is the truth, by
 * which what the machine has fitted is judged: bounds are far above what a busy host does to it,
 * and far below what there is without a fit. Started as tests/runtime/core/test_processes.c is.
 */
#include "support.h"

#include <time.h>

enum { TRIALS = 20, FLIGHT_NS = 5000000 };

static const int64_t close_ns = 300000, second_ns = 1000000000;

static int64_t host_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * second_ns + t.tv_nsec;
}

/* Process i is (2 i + 1) seconds ahead at time 0, and fast by so much, or as much slow. */
struct skew {
    int64_t began, ahead;
    double rate;
};

static int64_t skewed(void *skew)
{
    const struct skew *s = skew;
    const int64_t now = host_ns();

    return now + s->ahead + (int64_t)(s->rate * (double)(now - s->began));
}

static struct logp_machine *machine(struct skew *s, int64_t ppm, const struct logp_params *params)
{
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = 6,
                                 .executor = test_executor(),
                                 .time_ns = skewed,
                                 .time_arg = s,
                                 .transport = getenv("LOGP_TEST_TRANSPORT")};
    const char *openmpi = getenv("OMPI_COMM_WORLD_RANK"), *mpich = getenv("PMI_RANK");
    const int process = openmpi != NULL ? atoi(openmpi) : mpich != NULL ? atoi(mpich) : 0;
    struct logp_machine *m = NULL;

    *s = (struct skew){host_ns(), (2 * process + 1) * second_ns,
                       (process % 2 == 0 ? 1e-6 : -1e-6) * (double)ppm};
    cr_assert_eq(logp_delay_create("loggp", params, &config.delay), 0);
    cr_assert_eq(logp_machine_create(&config, &m), 0);
    return m;
}

/* Of this process: the machine's time less what process 0's clock makes of the host's, where both
 * were read within the least time; at the start of a run, and some time later. */
struct seen {
    int rank;    /* of the vp that looks */
    double rate; /* of process 0, whose time it is */
    int64_t first, last;
};

static int64_t difference(struct logp_vp *vp, double rate)
{
    int64_t least = INT64_MAX, at_least = 0;

    for (int i = 0; i < 1000; i++) {
        const int64_t before = host_ns(), wall = logp_wall_now(vp), took = host_ns() - before;

        if (took < least) {
            least = took;
            at_least = wall - before - took / 2 - (int64_t)(rate * (double)before);
        }
    }
    return at_least;
}

static int compare_with_host(struct logp_vp *vp, void *arg)
{
    struct seen *seen = arg;
    int64_t start;
    int rc = logp_sync(vp, &start);

    if (rc != 0 || logp_vp_rank(vp) != seen->rank) /* one of each process */
        return rc;
    seen->first = difference(vp, seen->rate);
    rc = logp_recv_until(vp, LOGP_ANY_SOURCE, 1, NULL, 0, logp_now(vp) + second_ns / 2, NULL);
    rc = rc == -ETIME ? 0 : rc;
    seen->last = difference(vp, seen->rate);
    return rc;
}

/* Greatest less least of all processes. */
static int64_t range(struct logp_machine *m, int64_t value)
{
    int64_t least = value, most = value;

    cr_assert_eq(logp_machine_agree(m, &least, 1, LOGP_AGREE_MIN), 0);
    cr_assert_eq(logp_machine_agree(m, &most, 1, LOGP_AGREE_MAX), 0);
    return most - least;
}

Test(processes_clock, is_fitted)
{
    static const int64_t ppm[] = {50, 2000};
    const struct logp_params params = test_params(1000, 100, 200);

    for (int i = 0; i < 2; i++) {
        struct skew s;
        struct seen seen = {.rate = 1e-6 * (double)ppm[i]};
        TEST_MACHINE m = machine(&s, ppm[i], &params);
        int n_ranks;
        const bool alone = logp_machine_processes(m) == 1;

        cr_assert_eq(logp_machine_clock_error(m), alone ? 0 : -1);
        logp_machine_ranks(m, logp_machine_process(m), &seen.rank, &n_ranks);
        for (int run = 0; run < 2; run++) {
            int64_t error;

            cr_assert_eq(logp_machine_run(m, compare_with_host, &seen, test_timeout_ns), 0);
            error = logp_machine_clock_error(m);
            fprintf(stderr, "%ld ppm: apart %ld, %ld ns; error stated %ld ns\n", (long)ppm[i],
                    (long)range(m, seen.first), (long)range(m, seen.last), (long)error);
            cr_assert_lt(range(m, seen.first), close_ns);
            cr_assert_lt(range(m, seen.last), close_ns);
            cr_assert(alone ? error == 0 : error > 0);
            cr_assert_eq(range(m, error), 0);
        }
    }
}

/* Rank 0 sends to the last, which is in another process: when, by the host's clock? */
struct flight {
    int64_t sent[TRIALS], received[TRIALS], started[TRIALS];
};

static int fly(struct logp_vp *vp, void *arg)
{
    struct flight *f = arg;
    const int me = logp_vp_rank(vp), last = logp_vp_size(vp) - 1;
    int64_t start;

    for (int i = 0; i < TRIALS; i++) {
        OK(logp_sync(vp, &start));
        if ((me != 0 && me != last))
            continue;
        if (me == 0) {
            f->sent[i] = host_ns();
            OK(logp_send(vp, last, 1, NULL, 0));
            continue;
        }
        f->started[i] = host_ns();
        OK(logp_recv(vp, 0, 1, NULL, 0, NULL));
        f->received[i] = host_ns();
        cr_assert_geq(logp_now(vp), start + FLIGHT_NS + 200);
    }
    return 0;
}

Test(processes_clock, times_starts_and_arrivals)
{
    static struct flight f; /* what is not of this process stays 0 */
    const struct logp_params params = test_params(FLIGHT_NS, 100, 200);
    struct skew s;
    TEST_MACHINE m = machine(&s, 50, &params);

    cr_assert_eq(logp_machine_run(m, fly, &f, test_timeout_ns), 0);
    cr_assert_eq(logp_machine_agree(m, f.sent, TRIALS, LOGP_AGREE_MAX), 0);
    cr_assert_eq(logp_machine_agree(m, f.received, TRIALS, LOGP_AGREE_MAX), 0);
    cr_assert_eq(logp_machine_agree(m, f.started, TRIALS, LOGP_AGREE_MAX), 0);
    for (int i = 0; i < TRIALS; i++) {
        f.received[i] -= f.sent[i];
        f.started[i] -= f.sent[i];
    }
    qsort(f.received, TRIALS, sizeof(int64_t), test_compare);
    qsort(f.started, TRIALS, sizeof(int64_t), test_compare);
    /* a host that is away makes them late or early; most of the time it is there */
    cr_assert_lt(llabs(f.received[TRIALS / 2] - FLIGHT_NS), 20 * FLIGHT_NS);
    cr_assert_lt(llabs(f.started[TRIALS / 2]), 20 * FLIGHT_NS);
}
