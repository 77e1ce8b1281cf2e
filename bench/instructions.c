/* SPDX-License-Identifier: MIT */
/*
 * Messages between two vps on one core, for bench/instructions, which counts the instructions of
 * two numbers of rounds. The machine reads a clock of this program, and each reading is later than
 * the end of every wait. So the count is the same in each run, whatever the load of the host.
 *
 *     bench_instructions thread|fiber wall|virtual none|loggp ROUNDS
 *
 * A round is a ping-pong of 8 bytes and a burst of BURST messages of 8 to 256 bytes each way, whose
 * receives are all posted before the first wait.
 */
#include "bench.h"

#include <stdatomic.h>

enum { BURST = 8, MOST_BYTES = 256 };

static int64_t next_second(void *arg)
{
    _Atomic int64_t *now = arg;

    /* relaxed: threads of one core take turns */
    return atomic_fetch_add_explicit(now, 1000000000, memory_order_relaxed);
}

static int ping_pong(struct logp_vp *vp)
{
    const int peer = 1 - logp_vp_rank(vp);
    int64_t data = 0;
    int rc = 0;

    if (peer == 1)
        rc = logp_send(vp, peer, 0, &data, sizeof(data));
    if (rc == 0)
        rc = logp_recv(vp, peer, 0, &data, sizeof(data), NULL);
    return rc == 0 && peer == 0 ? logp_send(vp, peer, 0, &data, sizeof(data)) : rc;
}

static int burst(struct logp_vp *vp)
{
    static const char out[MOST_BYTES];
    const int peer = 1 - logp_vp_rank(vp);
    struct logp_request *requests[BURST];
    char in[BURST][MOST_BYTES];
    int rc = 0;

    for (int i = 0; rc == 0 && i < BURST; i++)
        rc = logp_irecv(vp, peer, i, in[i], MOST_BYTES, &requests[i]);
    for (int i = 0; rc == 0 && i < BURST; i++)
        rc = logp_send(vp, peer, i, out, (size_t)8 << i % 6);
    return rc == 0 ? logp_waitall(vp, requests, BURST, NULL) : rc;
}

static int exchange(struct logp_vp *vp, void *arg)
{
    const long rounds = *(const long *)arg;
    int rc = 0;

    for (long i = 0; rc == 0 && i < rounds; i++) {
        rc = ping_pong(vp);
        if (rc == 0)
            rc = burst(vp);
    }
    return rc;
}

int main(int argc, char **argv)
{
    const struct logp_params params = {
        .L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000, .G_ps = 1000};
    _Atomic int64_t now = 0;
    struct logp_config config = {
        .n_processors = 2, .n_cores = 1, .time_ns = next_second, .time_arg = &now};
    struct logp_machine *m;
    long rounds;

    if (argc != 5) {
        fprintf(stderr, "usage: bench_instructions thread|fiber wall|virtual none|loggp ROUNDS\n");
        return 2;
    }
    config.executor = argv[1];
    config.clock = strcmp(argv[2], "wall") == 0 ? LOGP_CLOCK_WALL : LOGP_CLOCK_VIRTUAL;
    rounds = strtol(argv[4], NULL, 10);
    m = bench_machine(config, strcmp(argv[3], "none") == 0 ? NULL : argv[3], &params);
    bench_check(logp_machine_run(m, exchange, &rounds, 0), "run");
    printf("%llu\n", (unsigned long long)logp_machine_report(m)->messages);
    return -logp_machine_destroy(m);
}
