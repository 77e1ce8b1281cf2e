/* SPDX-License-Identifier: MIT */
/* The test kit and time: latencies as they are drawn, and sends that wait for their receivers. */
#include "kit.h"

#include <stdio.h>
#include <unistd.h>

/* ---- latencies ---- */

enum { DRAWS = 4000 };
static const struct logp_params sharp = {.L_ns = 100000};

struct drawn {
    int64_t at[DRAWS];
};

static int draws(struct logp_vp *vp, void *arg)
{
    struct drawn *d = arg;

    for (int i = 0; i < DRAWS; i++) {
        struct logp_status status;

        if (logp_vp_rank(vp) == 1) {
            OK(logp_send(vp, 0, i, NULL, 0));
            continue;
        }
        OK(logp_recv(vp, 1, i, NULL, 0, &status));
        d->at[i] = status.arrival_ns;
    }
    return 0;
}

static double uniform(double t)
{
    return t < 0 ? 0 : t / 1e5;
}

static double exponential(double t)
{
    return t < 0 ? 0 : 1 - exp(-t / 1e5);
}

static double lognormal(double t)
{
    return t <= 0 ? 0 : 0.5 * erfc(-log(t / 1e5) / 0.5 / sqrt(2)); /* sigma 0.5 */
}

static double of_two(double t)
{
    return t < 10 ? 0 : t < 300 ? 0.5 : 1;
}

/* Kolmogorov & Smirnov: the largest distance, at the 0.1 % level. */
static void distributed(struct logp_latency latency, double (*cdf)(double))
{
    struct logp_delay inner, delay;
    struct logp_machine *m;
    struct drawn d = {{0}};
    double most;

    cr_assert_eq(logp_delay_create("logp", &sharp, &inner), 0);
    latency.seed = 1;
    cr_assert_eq(logp_latency_create(&inner, &latency, &delay), 0);
    m = test_machine_of(2, LOGP_CLOCK_VIRTUAL, delay);
    test_run(m, draws, &d);
    most = test_distance(d.at, DRAWS, cdf);
    cr_assert_lt(most, 1.95 / sqrt(DRAWS), "kind %d: %g", (int)latency.kind, most);
}

Test(check_times, latencies_are_distributed_as_documented)
{
    distributed((struct logp_latency){.kind = LOGP_LATENCY_UNIFORM}, uniform);
    distributed((struct logp_latency){.kind = LOGP_LATENCY_EXPONENTIAL}, exponential);
    distributed((struct logp_latency){.kind = LOGP_LATENCY_LOGNORMAL, .sigma = 0.5}, lognormal);
}

Test(check_times, samples_are_read_and_drawn)
{
    char path[64];
    int64_t *samples;
    int n;
    FILE *file;

    snprintf(path, sizeof(path), "/tmp/logp-test-samples.%d", (int)getpid());
    file = fopen(path, "w");
    fputs("# ns\n10\n\n 300 # slow\n", file);
    fclose(file);
    cr_assert_eq(logp_latency_read(path, &samples, &n), 0);
    cr_assert_eq(n, 2);
    distributed(
        (struct logp_latency){.kind = LOGP_LATENCY_SAMPLES, .samples = samples, .n_samples = n},
        of_two);
    free(samples);
    file = fopen(path, "w");
    fputs("10\nten\n", file);
    fclose(file);
    cr_assert_eq(logp_latency_read(path, &samples, &n), -EINVAL);
    unlink(path);
    cr_assert_eq(logp_latency_read(path, &samples, &n), -ENOENT);
}

/* ---- sends that wait ---- */

static int64_t ended[2];

static int late_receiver(struct logp_vp *vp, void *arg)
{
    const int64_t late = *(int64_t *)arg;

    if (logp_vp_rank(vp) == 0) {
        OK(logp_send(vp, 1, 0, NULL, 0));
    } else {
        OK(logp_compute(vp, late, NULL, NULL));
        OK(logp_recv(vp, 0, 0, NULL, 0, NULL));
    }
    ended[logp_vp_rank(vp)] = logp_now(vp);
    return 0;
}

/* Request at o + L, answer L later, then gap and o, and L and o again. */
Test(check_times, a_send_that_waits_takes_as_long_as_documented)
{
    static const struct logp_params p = {.L_ns = 600, .o_send_ns = 20, .o_recv_ns = 30, .g_ns = 40};

    for (int64_t late = 0; late <= 2000; late += 100) {
        const int64_t posted = late > p.o_send_ns + p.L_ns ? late : p.o_send_ns + p.L_ns;
        const int64_t answered = posted + p.L_ns;
        struct logp_machine *m = test_machine(2, LOGP_CLOCK_VIRTUAL, &p);

        cr_assert_eq(logp_machine_set_rendezvous_from(m, 1), 0);
        test_run(m, late_receiver, &late);
        cr_assert_eq(ended[0], answered + p.o_send_ns);
        cr_assert_eq(ended[1], answered + p.o_send_ns + p.L_ns + p.o_recv_ns);
    }
}

/* What is recorded is the message alone, where it is sent, and the wait for its receiver. */
Test(check_times, a_trace_shows_a_send_that_waits_once)
{
    static const struct logp_params p = {.L_ns = 600, .o_send_ns = 20, .o_recv_ns = 30, .g_ns = 40};
    TEST_MACHINE m = test_machine(2, LOGP_CLOCK_VIRTUAL, &p);
    const struct logp_trace_config config = {.size = sizeof(config)};
    struct logp_trace *trace;
    const struct logp_event *e;
    size_t n;

    cr_assert_eq(logp_machine_trace(m, &config), 0);
    cr_assert_eq(logp_machine_set_rendezvous_from(m, 1), 0);
    cr_assert_eq(logp_machine_run(m, late_receiver, &(int64_t){1000}, 0), 0);
    cr_assert_eq(logp_machine_take_trace(m, &trace), 0);
    cr_expect_eq(logp_trace_info(trace)->n_messages, 1);
    e = logp_trace_events(trace, 0, &n);
    cr_assert_eq(n, 2);
    cr_expect_eq(e[0].kind, LOGP_EVENT_IDLE);
    cr_expect_eq(e[0].end_ns, 1000 + p.L_ns);
    cr_expect_eq(e[1].kind, LOGP_EVENT_SEND);
    cr_expect_eq(e[1].start_ns, 1000 + p.L_ns);
    logp_trace_free(trace);
}

/* ---- the latencies of a failure ---- */

enum { SENT = 8 };
static const int64_t too_late_ns = 60000;

/* Each message says when it was sent, and must not be under way for ten times L. */
static int is_in_time(struct logp_vp *vp, void *arg)
{
    struct logp_status status;
    int64_t sent = 0;

    (void)arg;
    for (int i = 0; i < SENT && logp_vp_rank(vp) == 1; i++) {
        sent = logp_now(vp);
        TRY(logp_send(vp, 0, i, &sent, sizeof(sent)));
    }
    for (int i = 0; i < SENT && logp_vp_rank(vp) == 0; i++) {
        TRY(logp_recv(vp, 1, i, &sent, sizeof(sent), &status));
        TRY(LOGP_CHECK(vp, status.arrival_ns - sent < too_late_ns));
    }
    return 0;
}

Test(check_times, a_failure_keeps_only_the_latencies_that_it_needs)
{
    const enum logp_latency_kind kinds[] = {LOGP_LATENCY_EXPONENTIAL, LOGP_LATENCY_LOGNORMAL};

    for (int i = 0; i < 2; i++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            const struct logp_latency latency = {.kind = kinds[i]};
            const struct logp_network network = {.params = test_params(6000, 200, 400),
                                                 .latency = &latency};
            struct logp_check check = {.size = sizeof(check),
                                       .sizes = (int[]){2},
                                       .n_sizes = 1,
                                       .runs = 100000,
                                       .seed = seed,
                                       .network = &network,
                                       .leaves_messages = true};
            struct logp_failure f, again;
            const char *line;
            long long taken;

            cr_assert_eq(logp_check(is_in_time, NULL, &check, &f), -EPROTO);
            line = strstr(f.text, "the latencies that matter (other messages take L):\n");
            cr_assert(line != NULL, "seed %llu: %s", (unsigned long long)seed, f.text);
            line = strchr(line, '\n') + 1;
            cr_assert_eq(sscanf(line,
                                "  message %*u of rank 1, to rank 0, at %*d ns: %lld ns instead of "
                                "6000 ns\n",
                                &taken),
                         1, "%s", f.text);
            cr_assert(taken > too_late_ns - 1000, "%s", f.text);
            cr_assert(strncmp(strchr(line, '\n') + 1, "  message", 9) != 0, "not one: %s", f.text);
            cr_assert_eq(logp_check_replay(is_in_time, NULL, &check, f.replay, &again), -EPROTO);
            ALIKE(again.text, f.text);
            logp_failure_free(&again);
            logp_failure_free(&f);
        }
}
