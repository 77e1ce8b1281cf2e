/* SPDX-License-Identifier: MIT */
/*
 * Compare the transport `mpi` with the MPI below it in one run of one program: ping-pongs, and
 * collectives with the same schedules in plain MPI calls. The two are measured alternately, with
 * one vp in each process, on the same thread; the output has the medians of the times and of the
 * ratios.
 *
 * flood: messages of random sizes between all vps, with random pauses. None may be lost, doubled or
 * out of order.
 *
 * usage: mpirun -n N bench_transport_KIND [ROUNDS | flood MESSAGES [P]]
 */
#include "../bench.h"

#include <mpi.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20, MOST_ROUNDS = 99 };

static char *out, *in;
static int me, P;

/* ---- the same operations with plain MPI calls and with the library ---- */

static int mpi_pingpong(size_t n)
{
    const int other = 1 - me;

    if (me == 0)
        MPI_Send(out, (int)n, MPI_BYTE, other, 1, MPI_COMM_WORLD);
    MPI_Recv(in, (int)n, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me == 1)
        MPI_Send(out, (int)n, MPI_BYTE, other, 1, MPI_COMM_WORLD);
    return 0;
}

static int own_pingpong(struct logp_vp *vp, size_t n)
{
    const int other = 1 - me;
    int rc = me == 0 ? logp_send(vp, other, 1, out, n) : 0;

    if (rc == 0)
        rc = logp_recv(vp, other, 1, in, n, NULL);
    return rc == 0 && me == 1 ? logp_send(vp, other, 1, out, n) : rc;
}

/* P is a power of two. */
static int mpi_allreduce(size_t n)
{
    double *sum = (double *)(void *)in, *theirs = (double *)(void *)(in + MOST_BYTES);

    memcpy(sum, out, n);
    for (int d = 1; d < P; d *= 2) {
        MPI_Sendrecv(sum, (int)n, MPI_BYTE, me ^ d, 2, theirs, (int)n, MPI_BYTE, me ^ d, 2,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (size_t i = 0; i < n / sizeof(double); i++)
            sum[i] += theirs[i];
    }
    return 0;
}

static int mpi_broadcast(size_t n)
{
    int d = 1;

    if (me != 0) {
        while (2 * d <= me)
            d *= 2;
        MPI_Recv(out, (int)n, MPI_BYTE, me - d, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        d *= 2;
    }
    for (; me + d < P; d *= 2)
        MPI_Send(out, (int)n, MPI_BYTE, me + d, 3, MPI_COMM_WORLD);
    return 0;
}

static int mpi_allgather(size_t n)
{
    memcpy(in + (size_t)me * n, out, n);
    for (int k = 0; k < P - 1; k++)
        MPI_Sendrecv(in + (size_t)((me + P - k) % P) * n, (int)n, MPI_BYTE, (me + 1) % P, 4,
                     in + (size_t)((me + P - k - 1) % P) * n, (int)n, MPI_BYTE, (me + P - 1) % P, 4,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 0;
}

static const struct operation {
    const char *name, *algorithm; /* NULL: a ping-pong */
    size_t n_bytes;
    int times;
    int (*plain)(size_t n);
} operations[] = {
    {"pingpong", NULL, 8, 20000, mpi_pingpong},
    {"pingpong", NULL, 65536, 1000, mpi_pingpong},
    {"pingpong", NULL, 1048576, 100, mpi_pingpong},
    {"allreduce", "recursive-doubling", 8, 20000, mpi_allreduce},
    {"allreduce", "recursive-doubling", 65536, 500, mpi_allreduce},
    {"broadcast", "binomial", 65536, 1000, mpi_broadcast},
    {"allgather", "ring", 65536, 500, mpi_allgather},
};

enum { N_OPERATIONS = sizeof(operations) / sizeof(operations[0]) };

static double mpi_ns(const struct operation *x)
{
    int64_t begun;

    MPI_Barrier(MPI_COMM_WORLD);
    begun = bench_now_ns();
    for (int i = 0; i < x->times; i++)
        x->plain(x->n_bytes);
    return (double)(bench_now_ns() - begun) / x->times;
}

static int own_ns(struct logp_vp *vp, const struct operation *x, const struct logp_plan *plan,
                  double *ns)
{
    int64_t begun;
    int rc = logp_sync(vp, NULL);

    begun = bench_now_ns();
    for (int i = 0; rc == 0 && i < x->times; i++)
        rc = plan == NULL ? own_pingpong(vp, x->n_bytes) : logp_plan_run(vp, plan, out, in);
    *ns = (double)(bench_now_ns() - begun) / x->times;
    return rc;
}

static int compare(struct logp_vp *vp, const struct operation *x, int rounds)
{
    const struct logp_args args = {.count = (int64_t)(x->n_bytes / sizeof(double)),
                                   .n_bytes = x->n_bytes,
                                   .op = logp_op_find("sum", "double")};
    const struct logp_network model = {0};
    double plain[MOST_ROUNDS], own[MOST_ROUNDS], ratio[MOST_ROUNDS];
    struct logp_plan *plan = NULL;
    int rc = 0;

    if (x->algorithm == NULL && P != 2)
        return 0;
    if (x->algorithm != NULL)
        rc = logp_plan_create(logp_algorithm_find(x->name, x->algorithm), P, me, &args, &model,
                              &plan);
    for (int i = -1; rc == 0 && i < rounds; i++) { /* one to warm up */
        const int k = i < 0 ? 0 : i;

        plain[k] = mpi_ns(x);
        rc = own_ns(vp, x, plan, &own[k]);
        ratio[k] = own[k] / plain[k];
    }
    logp_plan_destroy(plan);
    if (rc == 0 && me == 0)
        printf("%-10s %8zu %12.0f %12.0f %8.3f\n", x->name, x->n_bytes,
               bench_median(plain, (size_t)rounds), bench_median(own, (size_t)rounds),
               bench_median(ratio, (size_t)rounds));
    return rc;
}

static int compare_all(struct logp_vp *vp, void *rounds)
{
    int rc = 0;

    me = logp_vp_rank(vp);
    P = logp_vp_size(vp);
    if (me == 0)
        puts("operation     bytes       MPI ns   through ns    ratio");
    for (int i = 0; rc == 0 && i < N_OPERATIONS; i++)
        rc = compare(vp, &operations[i], *(int *)rounds);
    return rc;
}

/* ---- the flood ---- */

struct flood {
    int64_t messages; /* of each vp */
};

static uint64_t draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* Pause at random, in a system call or busy. */
static void rest(uint64_t *state)
{
    const uint64_t r = draw(state);
    const int64_t end = bench_now_ns() + (int64_t)(r >> 8) % 50000;

    if (r % 20000 == 0)
        usleep((unsigned)(r >> 32) % 5000);
    else if (r % 2000 == 1)
        while (bench_now_ns() < end)
            ;
}

enum { FLOOD_BYTES = 1024, FLOOD_LONG = 20000, DATA = 7, LAST = 8 };

/* Receive a message. Its first 8 bytes are its number among the messages from its source to this
 * rank; all further bytes are the low byte of that number. */
static int take_one(struct logp_vp *vp, int64_t *next, char *buf, int *n_last)
{
    struct logp_status status;
    int64_t number;
    int rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, buf, FLOOD_LONG, &status);

    if (rc != 0)
        return rc;
    memcpy(&number, buf, sizeof(number));
    if (number != next[status.source] ||
        (status.n_bytes > 8 && buf[status.n_bytes - 1] != (char)number)) {
        fprintf(stderr, "rank %d: from %d comes %lld, not %lld\n", logp_vp_rank(vp), status.source,
                (long long)number, (long long)next[status.source]);
        return -EBADMSG;
    }
    next[status.source]++;
    *n_last += status.tag == LAST;
    return 0;
}

static int flood(struct logp_vp *vp, void *arg)
{
    const int n = logp_vp_size(vp), rank = logp_vp_rank(vp);
    const struct flood *f = arg;
    int64_t *sent = calloc((size_t)n, sizeof(*sent)), *next = calloc((size_t)n, sizeof(*next));
    char *buf = malloc(FLOOD_LONG), *to_send = malloc(FLOOD_LONG);
    uint64_t state = 88172645463325252u + (uint64_t)rank;
    int n_last = 0,
        rc = sent == NULL || next == NULL || buf == NULL || to_send == NULL ? -ENOMEM : 0;

    for (int64_t i = 0; rc == 0 && i < f->messages + n; i++) {
        const bool last = i >= f->messages;
        const int dst = last ? (int)(i - f->messages) : (int)(draw(&state) % (uint64_t)n);
        const size_t n_bytes = 8 + draw(&state) % (draw(&state) % 1000 == 0 ? FLOOD_LONG - 8 : 64);
        bool found = true;

        memset(to_send + 8, (char)sent[dst], n_bytes - 8);
        memcpy(to_send, &sent[dst], sizeof(*sent));
        sent[dst]++;
        rc = logp_send(vp, dst, last ? LAST : DATA, to_send, n_bytes);
        rest(&state);
        while (rc == 0 && found && draw(&state) % 4 != 0) {
            rc = logp_probe(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &found, NULL);
            if (rc == 0 && found)
                rc = take_one(vp, next, buf, &n_last);
        }
    }
    while (rc == 0 && n_last < n)
        rc = take_one(vp, next, buf, &n_last);
    free(sent);
    free(next);
    free(buf);
    free(to_send);
    return rc;
}

/* ---- */

static struct logp_machine *machine_of(int processors)
{
    const struct logp_config config = {.size = sizeof(config),
                                       .n_processors = processors,
                                       .delay = logp_delay_none(),
                                       .executor = "fiber",
                                       .transport = "mpi:" KIND};
    struct logp_machine *m = NULL;
    const int rc = logp_machine_create(&config, &m);

    if (rc == -ELIBACC)
        fprintf(stderr, "%s\n", logp_transport_error());
    bench_check(rc, "logp_machine_create");
    return m;
}

int main(int argc, char **argv)
{
    const bool floods = argc > 1 && strcmp(argv[1], "flood") == 0;
    int rounds = argc > 1 && !floods ? atoi(argv[1]) : 11, n, level;
    struct logp_machine *m;

    if (rounds < 1 || rounds > MOST_ROUNDS || (floods && argc < 3)) {
        fprintf(stderr, "usage: mpirun -n N %s [ROUNDS, 1 .. %d | flood MESSAGES [P]]\n", argv[0],
                MOST_ROUNDS);
        return 2;
    }
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (floods) {
        const int processors = argc > 3 ? atoi(argv[3]) : 2 * n;
        struct flood f = {.messages = (int64_t)strtod(argv[2], NULL) / processors};
        const int64_t begun = bench_now_ns();

        m = machine_of(processors);
        bench_check(logp_machine_run(m, flood, &f, 0), "flood");
        if (logp_machine_process(m) == 0)
            printf(
                "%llu messages, %d vps, %d processes, %.1f s: none lost, doubled or out of order; "
                "%llu left over\n",
                (unsigned long long)logp_machine_report(m)->messages, processors, n,
                (double)(bench_now_ns() - begun) / 1e9,
                (unsigned long long)logp_machine_report(m)->unreceived);
    } else {
        out = calloc(1, MOST_BYTES);
        in = calloc(2, MOST_BYTES);
        if (out == NULL || in == NULL)
            bench_check(-ENOMEM, "calloc");
        m = machine_of(n);
        bench_check(logp_machine_run(m, compare_all, &rounds, 0), "run");
        free(out);
        free(in);
    }
    logp_machine_destroy(m);
    return MPI_Finalize() != MPI_SUCCESS;
}
