/* SPDX-License-Identifier: MIT */
/*
 * Cost of the runtime when nothing is emulated: half a round trip between two vps on two cores, as
 * a ratio to two pinned threads that pass a bare flag (8 bytes) or memcpy into each other's buffer
 * (64 KiB and more), measured alternately in the same run. A host that is a virtual machine moves
 * between states in which a cache line takes 25 or 150 ns, so only the ratio is meaningful.
 */
#include "bench.h"
#include "pair.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 25, FEW_ROUNDS = 5 };

static char *buffer(size_t n_bytes)
{
    char *b = aligned_alloc(4096, (n_bytes + 4095) / 4096 * 4096);

    memset(b, 1, n_bytes);
    return b;
}

struct ours {
    size_t n_bytes;
    int trips;
    double half_ns;
};

static int program(struct logp_vp *vp, void *arg)
{
    struct ours *x = arg;
    char *out = buffer(x->n_bytes), *in = buffer(x->n_bytes);
    const int me = logp_vp_rank(vp), warm = x->trips / 10;
    int64_t start = 0;
    int rc = 0;

    for (int i = 1; rc == 0 && i <= x->trips; i++) {
        if (i == warm)
            start = bench_now_ns();
        if (me == 0)
            rc = logp_send(vp, 1, 0, out, x->n_bytes);
        if (rc == 0)
            rc = logp_recv(vp, 1 - me, 0, in, x->n_bytes, NULL);
        if (rc == 0 && me == 1)
            rc = logp_send(vp, 0, 0, out, x->n_bytes);
    }
    if (me == 0)
        x->half_ns = (double)(bench_now_ns() - start) / 2 / (x->trips - warm + 1);
    free(out);
    free(in);
    return rc;
}

static double our_trip(struct logp_machine *m, size_t n_bytes, int trips)
{
    struct ours x = {.n_bytes = n_bytes, .trips = trips};

    bench_check(logp_machine_run(m, program, &x, 0), "run");
    return x.half_ns;
}

/* Measure both alternately, so that they see the same states of the host; print the median of each,
 * and of the ratios. */
static void compare(const char *what, size_t n_bytes, int trips, int lane_slots, int rounds)
{
    const struct logp_config config = {.n_processors = 2, .lane_slots = lane_slots};
    struct logp_machine *m = bench_machine(config, NULL, NULL);
    double raw[ROUNDS], ours[ROUNDS], ratio[ROUNDS];

    for (int i = 0; i < rounds; i++) {
        raw[i] = pair_trip_ns(n_bytes, trips);
        ours[i] = our_trip(m, n_bytes, trips);
        ratio[i] = ours[i] / raw[i];
    }
    logp_machine_destroy(m);
    printf("%-28s %10.1f %10.1f %10.1f %8.2f\n", what, bench_median(raw, (size_t)rounds),
           bench_median(ours, (size_t)rounds), ours[0], bench_median(ratio, (size_t)rounds));
}

int main(void)
{
    struct logp_host host;

    bench_check(logp_host_info(&host), "host");
    if (host.n_cores < 2) {
        puts("needs two cores");
        return 0;
    }
    printf("%-28s %10s %10s %10s %8s\n", "half round trip, ns", "bare", "ours", "ours best",
           "ratio");
    compare("8 bytes", 8, 20000, 0, ROUNDS);
    compare("8 bytes, queue alone", 8, 20000, -1, ROUNDS);
    compare("64 KiB", 65536, 2000, 0, ROUNDS);
    compare("1 MiB", 1 << 20, 100, 0, ROUNDS);
    compare("16 MiB", 16 << 20, 10, 0, FEW_ROUNDS);
    compare("17 MB", 17000000, 10, 0, FEW_ROUNDS);
    compare("256 MiB", 256 << 20, 10, 0, FEW_ROUNDS);
    return 0;
}
