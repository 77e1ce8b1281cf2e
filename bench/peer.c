/* SPDX-License-Identifier: MIT */
/*
 * The measurement of peer.h on this library, with nothing emulated.
 * usage: bench_peer EXECUTOR P [OPERATION ...]
 */
#include "peer.h"
#include "bench.h"

struct words {
    int n;
    char **words;
};

static int barrier(void *vp)
{
    return logp_barrier(vp);
}

static int broadcast(void *vp, void *buf, size_t n_bytes, int root)
{
    return logp_broadcast(vp, buf, n_bytes, root);
}

static const struct logp_op *sum; /* of int64 */

static int reduce(void *vp, const void *out, void *in, int n, int root)
{
    return logp_reduce(vp, out, in, n, sum, root);
}

static int allreduce(void *vp, const void *out, void *in, int n)
{
    return logp_allreduce(vp, out, in, n, sum);
}

static int scan(void *vp, const void *out, void *in, int n)
{
    return logp_scan(vp, out, in, n, sum);
}

static int reduce_scatter(void *vp, const void *out, void *in, int n)
{
    return logp_reduce_scatter(vp, out, in, n, sum);
}

static int scatter(void *vp, const void *out, void *in, size_t n_bytes, int root)
{
    return logp_scatter(vp, out, in, n_bytes, root);
}

static int gather(void *vp, const void *out, void *in, size_t n_bytes, int root)
{
    return logp_gather(vp, out, in, n_bytes, root);
}

static int allgather(void *vp, const void *out, void *in, size_t n_bytes)
{
    return logp_allgather(vp, out, in, n_bytes);
}

static int alltoall(void *vp, const void *out, void *in, size_t n_bytes)
{
    return logp_alltoall(vp, out, in, n_bytes);
}

static int send(void *vp, int to, const void *buf, size_t n_bytes)
{
    return logp_send(vp, to, 0, buf, n_bytes);
}

static int receive(void *vp, int from, void *buf, size_t n_bytes)
{
    return logp_recv(vp, from, 0, buf, n_bytes, NULL);
}

static int program(struct logp_vp *vp, void *arg)
{
    const struct words *w = arg;
    struct peer p = {.P = logp_vp_size(vp),
                     .rank = logp_vp_rank(vp),
                     .self = vp,
                     .barrier = barrier,
                     .broadcast = broadcast,
                     .reduce = reduce,
                     .allreduce = allreduce,
                     .scan = scan,
                     .reduce_scatter = reduce_scatter,
                     .scatter = scatter,
                     .gather = gather,
                     .allgather = allgather,
                     .alltoall = alltoall,
                     .send = send,
                     .recv = receive};
    const int rc = peer_measure(&p, w->n, w->words);

    return rc > 0 ? -rc : rc;
}

int main(int argc, char **argv)
{
    struct words w = {argc - 3, argv + 3};
    struct logp_config config = {.size = sizeof(config), .delay = logp_delay_none()};
    struct logp_machine *m;
    char after;
    int rc;

    if (argc < 3) {
        fputs("usage: bench_peer EXECUTOR P [OPERATION ...]\n", stderr);
        return 2;
    }
    if (!peer_known("bench_peer", w.n, w.words))
        return 2;
    config.executor = argv[1];
    if (sscanf(argv[2], "%9d%c", &config.n_processors, &after) != 1 || config.n_processors < 2 ||
        config.n_processors > LOGP_MAX_PROCESSORS) {
        fprintf(stderr, "bench_peer: P %s: must be 2 to %d\n", argv[2], LOGP_MAX_PROCESSORS);
        return 2;
    }
    sum = logp_op_find("sum", "int64");
    rc = logp_machine_create(&config, &m);
    if (rc == -ENOENT) {
        fprintf(stderr, "bench_peer: EXECUTOR %s: must be thread or fiber\n", argv[1]);
        return 2;
    }
    bench_check(rc, "create");
    bench_check(logp_machine_run(m, program, &w, 0), "run");
    logp_machine_destroy(m);
    return 0;
}
