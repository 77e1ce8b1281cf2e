/* SPDX-License-Identifier: MIT */
/*
 * Cost of a message for the host: an all-to-all of 8 bytes, its wall time x cores / messages, with
 * nothing emulated and under models that are faster than the host. The model's own share is the
 * cost on an infinitely fast host. Each round measures all delays one after another; the output has
 * the medians of the times, and of the ratios to delay none. Each round also measures a bare ring
 * between two threads and half a round trip of a cache line: the floor under the same load.
 *
 *     bench_message            all delays
 *     bench_message --pieces   the parts of the cost of a message between fibers
 */
#include "bench.h"
#include "pair.h"
#include "raw.h"

enum { ROUNDS = 15, N_DELAYS = 5, RING_MESSAGES = 400000, TRIPS = 20000, SWITCHES = 200000 };

/* L = o = g, in ns; the first: delay none. */
static const int64_t delays_ns[N_DELAYS] = {-1, 0, 1, 10, 100};

static struct logp_params equal_params(int64_t ns)
{
    return (struct logp_params){.L_ns = ns, .o_send_ns = ns, .o_recv_ns = ns, .g_ns = ns};
}

/* n_cores: 0: all */
static struct logp_machine *make_machine(const char *executor, int P, int64_t ns, int n_cores)
{
    const struct logp_params params = equal_params(ns);
    const struct logp_config config = {.n_processors = P, .n_cores = n_cores, .executor = executor};

    return bench_machine(config, ns >= 0 ? "logp" : NULL, &params);
}

/* ---- the floor: two threads, and nothing else ---- */

struct floor {
    double trip[ROUNDS], two[ROUNDS], lone[ROUNDS];
};

static void measure_floor(struct floor *f, int round)
{
    f->trip[round] = pair_trip_ns(8, TRIPS);
    f->two[round] = pair_ring_ns(2, RING_MESSAGES);
    f->lone[round] = pair_ring_ns(1, RING_MESSAGES);
}

static void print_floor(struct floor *f)
{
    printf("bare: half a round trip %.1f ns; a message through a ring, two in a line %.1f ns, "
           "one %.1f ns\n",
           bench_median(f->trip, ROUNDS), bench_median(f->two, ROUNDS),
           bench_median(f->lone, ROUNDS));
}

static bool has_two_cores(void)
{
    struct logp_host host;

    bench_check(logp_host_info(&host), "host");
    return host.n_cores >= 2;
}

/* ---- all-to-all ---- */

static struct logp_experiment all_to_all(int reps)
{
    return (struct logp_experiment){.size = sizeof(struct logp_experiment),
                                    .algorithm = logp_algorithm_find("alltoall", "linear"),
                                    .args = {.n_bytes = 8},
                                    .reps = reps,
                                    .warmup = 10};
}

static double cost_ns(struct logp_machine *m, const struct logp_experiment *x)
{
    struct logp_record r;

    bench_check(logp_experiment_run(m, x, &r), "run");
    bench_check(r.verified ? 0 : -EIO, "a wrong result");
    return (double)r.measured.median_ns * logp_machine_cores(m) / (double)r.messages;
}

/* @return the model's share of cost_ns() */
static double own_ns(const struct logp_experiment *x, int P, int n_cores, int64_t ns)
{
    const struct logp_network model = {.params = equal_params(ns)};

    if (ns < 0)
        return 0;
    return (double)logp_algorithm_predict(x->algorithm, P, &x->args, &model).ns * n_cores /
           ((double)P * (P - 1));
}

static void measure(const char *executor, int P, int reps)
{
    const struct logp_experiment x = all_to_all(reps);
    const bool has_floor = has_two_cores();
    struct logp_machine *machines[N_DELAYS];
    double ns[N_DELAYS][ROUNDS], ratio[N_DELAYS][ROUNDS];
    struct floor bare;

    for (int k = 0; k < N_DELAYS; k++)
        machines[k] = make_machine(executor, P, delays_ns[k], 0);
    for (int i = 0; i < ROUNDS; i++) {
        if (has_floor)
            measure_floor(&bare, i);
        for (int k = 0; k < N_DELAYS; k++) {
            ns[k][i] = cost_ns(machines[k], &x);
            ratio[k][i] = ns[k][i] / ns[0][i];
        }
    }
    for (int k = 0; k < N_DELAYS; k++) {
        char delay[32] = "none";

        if (delays_ns[k] >= 0)
            snprintf(delay, sizeof(delay), "L = o = g = %lld", (long long)delays_ns[k]);
        printf("%-7s %5d  %-15s %10.1f %10.1f %8.2f\n", executor, P, delay,
               own_ns(&x, P, logp_machine_cores(machines[k]), delays_ns[k]),
               bench_median(ns[k], ROUNDS), bench_median(ratio[k], ROUNDS));
        logp_machine_destroy(machines[k]);
    }
    if (has_floor)
        print_floor(&bare);
    fflush(stdout);
}

/* ---- pieces: fibers, nothing emulated and L = o = g = 0 ---- */

enum { IN_A_ROW = 20, LAPS = 2000, N_PIECES = 4 };

struct exchange {
    int in_a_row;
    double ns; /* a message */
};

/* Send in_a_row messages to a vp of the same core, which receives them later, and one back. */
static int exchange_program(struct logp_vp *vp, void *arg)
{
    struct exchange *x = arg;
    const int me = logp_vp_rank(vp);
    const int64_t start = bench_now_ns();
    int64_t item = 0;
    int rc = 0;

    for (int lap = 0; rc == 0 && lap < LAPS; lap++) {
        for (int i = 0; rc == 0 && i < x->in_a_row; i++)
            rc = me == 0 ? logp_send(vp, 1, 0, &item, sizeof(item))
                         : logp_recv(vp, 0, 0, &item, sizeof(item), NULL);
        if (rc == 0)
            rc = me == 1 ? logp_send(vp, 0, 0, &item, sizeof(item))
                         : logp_recv(vp, 1, 0, &item, sizeof(item), NULL);
    }
    if (me == 0)
        x->ns = (double)(bench_now_ns() - start) / LAPS / (x->in_a_row + 1);
    return rc;
}

static double exchange_ns(struct logp_machine *m, int in_a_row)
{
    struct exchange x = {.in_a_row = in_a_row};

    bench_check(logp_machine_run(m, exchange_program, &x, 0), "run");
    return x.ns;
}

/* The parts of the cost of a message, in ns. */
struct pieces {
    double calls, hand_over, many, lane;
};

/* The machines of one delay: two vps of one core, 64 of one core, 64 of all cores. */
static struct pieces pieces_of(struct logp_machine *const machines[3])
{
    const struct logp_experiment x = all_to_all(30);
    const double row = exchange_ns(machines[0], IN_A_ROW), one = exchange_ns(machines[0], 1);
    const double here = cost_ns(machines[1], &x), apart = cost_ns(machines[2], &x);
    /* a row of n costs n + 1 messages and two hand-overs, a row of one two of each */
    const double hand_over = (one - row) / (1 - 2.0 / (IN_A_ROW + 1));
    const double calls = one - hand_over;

    return (struct pieces){calls, hand_over, here - calls, apart - here};
}

static void measure_pieces(void)
{
    static const char *const names[N_PIECES] = {
        "calls, matching, charging", "a hand-over: run queue, timers, switch",
        "many messages wait: index, memory", "between cores: lane"};
    const bool has_floor = has_two_cores();
    double ns[2][N_PIECES][ROUNDS], bare_switch[ROUNDS];
    struct logp_machine *machines[2][3];
    struct floor bare;

    for (int k = 0; k < 2; k++) {
        machines[k][0] = make_machine("fiber", 2, k - 1, 1);
        machines[k][1] = make_machine("fiber", 64, k - 1, 1);
        machines[k][2] = make_machine("fiber", 64, k - 1, 0);
    }
    for (int i = 0; i < ROUNDS; i++) {
        if (has_floor)
            measure_floor(&bare, i);
        bare_switch[i] = raw_switch_ns(SWITCHES);
        for (int k = 0; k < 2; k++) {
            const struct pieces p = pieces_of(machines[k]);

            ns[k][0][i] = p.calls;
            ns[k][1][i] = p.hand_over;
            ns[k][2][i] = p.many;
            ns[k][3][i] = p.lane;
        }
    }
    printf("%-40s %8s %10s\n", "ns a message", "none", "emulated");
    for (int j = 0; j < N_PIECES; j++)
        printf("%-40s %8.1f %10.1f\n", names[j], bench_median(ns[0][j], ROUNDS),
               bench_median(ns[1][j], ROUNDS));
    printf("bare: a switch of fibers %.1f ns\n", bench_median(bare_switch, ROUNDS));
    if (has_floor)
        print_floor(&bare);
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 3; j++)
            logp_machine_destroy(machines[k][j]);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--pieces") == 0) {
        measure_pieces();
        return 0;
    }
    if (argc > 1) {
        fputs("usage: bench_message [--pieces]\n", stderr);
        return 2;
    }
    printf("%-7s %5s  %-15s %10s %10s %8s\n", "carrier", "P", "delay, ns", "model's", "ns/message",
           "ratio");
    measure("fiber", 64, 50);
    measure("thread", 8, 500);
    return 0;
}
