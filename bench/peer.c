/* SPDX-License-Identifier: MIT */
/*
 * One measurement of two peers that bench/peers compares: this library, with nothing emulated, and,
 * compiled with PEER_IS_MPI, an MPI alone. Rank 0 prints a line for each operation: its name and
 * its time in ns, the median of samples of at least 0.5 ms, or 20 ms if there are more processors
 * than cores. Without an OPERATION, all operations that exist for P are measured.
 *
 * usage: bench_peer EXECUTOR P [OPERATION ...]
 *        mpirun -n P bench_mpi_peer [OPERATION ...]
 */
#ifdef PEER_IS_MPI
#include <mpi.h>
/* MPI ends the program at an error, by default. */
#define OF_EITHER(logp, mpi) (mpi)
typedef MPI_Request request;
#else
#include "bench.h"
#define OF_EITHER(logp, mpi) (logp)
typedef struct logp_request *request;
#endif
#include "sample.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { SAMPLES = 21, BLOCK = 8192, LARGEST = 1 << 20 };

/* A processor. */
struct peer {
    int P, rank;
    struct logp_vp *vp; /* NULL: of an MPI */
    char *out, *in;     /* of a collective: sent, and received */
};

#ifndef PEER_IS_MPI
static const struct logp_op *sum; /* of int64 */
#endif

struct operation {
    const char *name;
    int (*once)(struct peer *p, int i, size_t n_bytes); /* @return 0 or an error */
    size_t n_bytes;                                     /* of a block, where there are several */
    bool pair;                                          /* for two processors */
};

static int barrier(struct peer *p, int i, size_t n_bytes)
{
    (void)p, (void)i, (void)n_bytes;
    return OF_EITHER(logp_barrier(p->vp), MPI_Barrier(MPI_COMM_WORLD));
}

static int broadcast_from(struct peer *p, void *buf, size_t n_bytes, int root)
{
    (void)p;
    return OF_EITHER(logp_broadcast(p->vp, buf, n_bytes, root),
                     MPI_Bcast(buf, (int)n_bytes, MPI_BYTE, root, MPI_COMM_WORLD));
}

static int broadcast(struct peer *p, int i, size_t n_bytes)
{
    const int root = i % p->P;
    int64_t item = -1;
    int rc;

    if (p->rank == root)
        memcpy(p->out, &(int64_t){i}, sizeof(item));
    rc = broadcast_from(p, p->out, n_bytes, root);
    memcpy(&item, p->out, sizeof(item));
    return rc == 0 && item != i ? EIO : rc;
}

static int reduce(struct peer *p, int i, size_t n_bytes)
{
    const int n = (int)(n_bytes / sizeof(int64_t));

    return OF_EITHER(logp_reduce(p->vp, p->out, p->in, n, sum, i % p->P),
                     MPI_Reduce(p->out, p->in, n, MPI_INT64_T, MPI_SUM, i % p->P, MPI_COMM_WORLD));
}

/* A collective that combines vectors, with the same call on all processors. */
#define COMBINES(name, logp, mpi)                                                                  \
    static int name(struct peer *p, int i, size_t n_bytes)                                         \
    {                                                                                              \
        const int n = (int)(n_bytes / sizeof(int64_t));                                            \
                                                                                                   \
        (void)i;                                                                                   \
        return OF_EITHER(logp(p->vp, p->out, p->in, n, sum),                                       \
                         mpi(p->out, p->in, n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));             \
    }
COMBINES(allreduce, logp_allreduce, MPI_Allreduce)
COMBINES(scan, logp_scan, MPI_Scan)
COMBINES(reduce_scatter, logp_reduce_scatter, MPI_Reduce_scatter_block)

/* A collective that moves blocks; the last argument of the macro is a root, or none. */
#define MOVES(name, logp, mpi, ...)                                                                \
    static int name(struct peer *p, int i, size_t n_bytes)                                         \
    {                                                                                              \
        const int n = (int)n_bytes;                                                                \
                                                                                                   \
        (void)i, (void)n;                                                                          \
        return OF_EITHER(                                                                          \
            logp(p->vp, p->out, p->in, n_bytes __VA_ARGS__),                                       \
            mpi(p->out, n, MPI_BYTE, p->in, n, MPI_BYTE __VA_ARGS__, MPI_COMM_WORLD));             \
    }
#define ROOT , i % p->P
MOVES(scatter, logp_scatter, MPI_Scatter, ROOT)
MOVES(gather, logp_gather, MPI_Gather, ROOT)
MOVES(allgather, logp_allgather, MPI_Allgather, )
MOVES(alltoall, logp_alltoall, MPI_Alltoall, )

/* Half of a round trip. */
static int trip(struct peer *p, int i, size_t n_bytes)
{
    const int other = 1 - p->rank;

    if (i % 2 == p->rank)
        return OF_EITHER(logp_send(p->vp, other, 0, p->out, n_bytes),
                         MPI_Send(p->out, (int)n_bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD));
    return OF_EITHER(
        logp_recv(p->vp, other, 0, p->in, n_bytes, NULL),
        MPI_Recv(p->in, (int)n_bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* Send a window of messages from each processor of the first half to its partner in the other half,
 * which answers when it has received all of them. */
static int window(struct peer *p, int i, size_t n_bytes)
{
    enum { WINDOW = 64 };
    const int half = p->P / 2, n = (int)n_bytes;
    const bool sends = p->rank < half;
    const int other = sends ? p->rank + half : p->rank - half;
    request requests[WINDOW];
    int rc = 0;

    (void)i, (void)n;
    if (p->rank >= 2 * half)
        return 0;
    for (int k = 0; rc == 0 && k < WINDOW; k++) {
        if (sends)
            rc = OF_EITHER(logp_isend(p->vp, other, 0, p->out, n_bytes, &requests[k]),
                           MPI_Isend(p->out, n, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[k]));
        else
            rc = OF_EITHER(
                logp_irecv(p->vp, other, 0, p->in + (size_t)k * n_bytes, n_bytes, &requests[k]),
                MPI_Irecv(p->in + (size_t)k * n_bytes, n, MPI_BYTE, other, 0, MPI_COMM_WORLD,
                          &requests[k]));
    }
    if (rc == 0)
        rc = OF_EITHER(logp_waitall(p->vp, requests, WINDOW, NULL),
                       MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE));
    if (rc != 0)
        return rc;
    if (sends)
        return OF_EITHER(logp_recv(p->vp, other, 1, p->in, n_bytes, NULL),
                         MPI_Recv(p->in, n, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return OF_EITHER(logp_send(p->vp, other, 1, p->out, n_bytes),
                     MPI_Send(p->out, n, MPI_BYTE, other, 1, MPI_COMM_WORLD));
}

static const struct operation operations[] = {
    {"barrier", barrier, 0, false},
    {"broadcast-8", broadcast, 8, false},
    {"broadcast-65536", broadcast, 65536, false},
    {"broadcast-1048576", broadcast, LARGEST, false},
    {"reduce-8", reduce, 8, false},
    {"reduce-65536", reduce, 65536, false},
    {"reduce-1048576", reduce, LARGEST, false},
    {"allreduce-8", allreduce, 8, false},
    {"allreduce-65536", allreduce, 65536, false},
    {"allreduce-1048576", allreduce, LARGEST, false},
    {"scan-8", scan, 8, false},
    {"scan-65536", scan, 65536, false},
    {"scan-1048576", scan, LARGEST, false},
    {"reduce-scatter-8", reduce_scatter, 8, false},
    {"reduce-scatter-8192", reduce_scatter, BLOCK, false},
    {"scatter-8", scatter, 8, false},
    {"scatter-8192", scatter, BLOCK, false},
    {"gather-8", gather, 8, false},
    {"gather-8192", gather, BLOCK, false},
    {"allgather-8", allgather, 8, false},
    {"allgather-8192", allgather, BLOCK, false},
    {"alltoall-8", alltoall, 8, false},
    {"alltoall-8192", alltoall, BLOCK, false},
    {"window-8", window, 8, false},
    {"pingpong-8", trip, 8, true},
    {"pingpong-65536", trip, 65536, true},
    {"pingpong-1048576", trip, LARGEST, true},
};

/* @return whether the word is the name, or the name without its size */
static bool is_meant(const char *word, const char *name)
{
    const size_t n = strlen(word);

    return strncmp(word, name, n) == 0 &&
           (name[n] == '\0' || (name[n] == '-' && name[n + 1] >= '0' && name[n + 1] <= '9'));
}

static bool is_selected(int n_words, char **words, const char *name)
{
    for (int i = 0; i < n_words; i++)
        if (is_meant(words[i], name))
            return true;
    return n_words == 0;
}

enum { N_OPERATIONS = sizeof(operations) / sizeof(operations[0]) };

/* Time n operations on rank 0, up to a barrier, because rank 0 of a chain is done long before the
 * other ranks. *took_ns is the same on all ranks. */
static int sample(struct peer *p, const struct operation *o, int n, int64_t *took_ns)
{
    int rc = barrier(p, 0, 0);
    const int64_t start = bench_now_ns();

    for (int i = 0; rc == 0 && i < n; i++)
        rc = o->once(p, i, o->n_bytes);
    if (rc == 0)
        rc = barrier(p, 0, 0);
    *took_ns = bench_now_ns() - start;
    return rc == 0 ? broadcast_from(p, took_ns, sizeof(*took_ns), 0) : rc;
}

/* Take SAMPLES samples of at least least_ns. A shorter one discards all so far and doubles n. */
static int measure(struct peer *p, const struct operation *o, int64_t least_ns)
{
    double ns[SAMPLES];
    int taken = 0, rc = 0;

    for (int n = 2; rc == 0 && taken < SAMPLES;) {
        int64_t took;

        rc = sample(p, o, n, &took);
        ns[taken++] = (double)took / n;
        if (rc == 0 && took < least_ns) {
            n *= 2;
            taken = 0;
        }
    }
    if (rc == 0 && p->rank == 0) {
        printf("%s %.1f\n", o->name, bench_median(ns, SAMPLES));
        fflush(stdout);
    }
    return rc;
}

/* Measure the operations that the words name; all processors call it. @return 0 or an error */
static int measure_all(struct peer *p, int n_words, char **words)
{
    const int64_t least_ns = p->P > sysconf(_SC_NPROCESSORS_ONLN) ? 20000000 : 500000;
    const size_t blocks = (size_t)p->P * BLOCK, capacity = blocks > LARGEST ? blocks : LARGEST;
    int rc = 0;

    p->out = calloc(2, capacity);
    if (p->out == NULL)
        return ENOMEM;
    memset(p->out, 1, 2 * capacity); /* touch all pages before the first measurement */
    p->in = p->out + capacity;
    for (int i = 0; rc == 0 && i < N_OPERATIONS; i++)
        if (is_selected(n_words, words, operations[i].name) && (p->P == 2 || !operations[i].pair))
            rc = measure(p, &operations[i], least_ns);
    free(p->out);
    return rc;
}

static bool is_operation(const char *word)
{
    for (int i = 0; i < N_OPERATIONS; i++)
        if (is_meant(word, operations[i].name))
            return true;
    return false;
}

/* @return whether every word names an operation; if not, an error on stderr names the program */
static bool are_known(const char *program, int n_words, char **words)
{
    for (int k = 0; k < n_words; k++) {
        if (is_operation(words[k]))
            continue;
        fprintf(stderr, "%s: OPERATION %s: must be one of", program, words[k]);
        for (int i = 0; i < N_OPERATIONS; i++)
            fprintf(stderr, " %s", operations[i].name);
        fputs("\n", stderr);
        return false;
    }
    return true;
}

#ifdef PEER_IS_MPI

int main(int argc, char **argv)
{
    struct peer p = {0};

    if (!are_known("bench_mpi_peer", argc - 1, argv + 1))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p.P);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    if (measure_all(&p, argc - 1, argv + 1) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return MPI_Finalize();
}

#else

struct words {
    int n;
    char **words;
};

static int program(struct logp_vp *vp, void *arg)
{
    const struct words *w = arg;
    struct peer p = {.P = logp_vp_size(vp), .rank = logp_vp_rank(vp), .vp = vp};
    const int rc = measure_all(&p, w->n, w->words);

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
    if (!are_known("bench_peer", w.n, w.words))
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

#endif
