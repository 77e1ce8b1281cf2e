/* SPDX-License-Identifier: MIT */
/* The measurement: see peer.h. */
#include "peer.h"
#include "sample.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { SAMPLES = 21, BLOCK = 8192, LARGEST = 1 << 20 };

struct operation {
    const char *name;
    int (*once)(struct peer *p, int i, size_t n_bytes);
    size_t n_bytes;
    bool pair; /* for two processors */
};

static int barrier(struct peer *p, int i, size_t n_bytes)
{
    (void)i, (void)n_bytes;
    return p->barrier(p->self);
}

static int broadcast(struct peer *p, int i, size_t n_bytes)
{
    const int root = i % p->P;
    int64_t item = -1;
    int rc;

    if (p->rank == root)
        memcpy(p->out, &(int64_t){i}, sizeof(item));
    rc = p->broadcast(p->self, p->out, n_bytes, root);
    memcpy(&item, p->out, sizeof(item));
    return rc == 0 && item != i ? EIO : rc;
}

static int reduce(struct peer *p, int i, size_t n_bytes)
{
    return p->reduce(p->self, p->out, p->in, (int)(n_bytes / sizeof(int64_t)), i % p->P);
}

static int allreduce(struct peer *p, int i, size_t n_bytes)
{
    (void)i;
    return p->allreduce(p->self, p->out, p->in, (int)(n_bytes / sizeof(int64_t)));
}

static int scan(struct peer *p, int i, size_t n_bytes)
{
    (void)i;
    return p->scan(p->self, p->out, p->in, (int)(n_bytes / sizeof(int64_t)));
}

static int reduce_scatter(struct peer *p, int i, size_t n_bytes)
{
    (void)i;
    return p->reduce_scatter(p->self, p->out, p->in, (int)(n_bytes / sizeof(int64_t)));
}

static int scatter(struct peer *p, int i, size_t n_bytes)
{
    return p->scatter(p->self, p->out, p->in, n_bytes, i % p->P);
}

static int gather(struct peer *p, int i, size_t n_bytes)
{
    return p->gather(p->self, p->out, p->in, n_bytes, i % p->P);
}

static int allgather(struct peer *p, int i, size_t n_bytes)
{
    (void)i;
    return p->allgather(p->self, p->out, p->in, n_bytes);
}

static int alltoall(struct peer *p, int i, size_t n_bytes)
{
    (void)i;
    return p->alltoall(p->self, p->out, p->in, n_bytes);
}

/* Half of a round trip. */
static int trip(struct peer *p, int i, size_t n_bytes)
{
    if (i % 2 == p->rank)
        return p->send(p->self, 1 - p->rank, p->out, n_bytes);
    return p->recv(p->self, 1 - p->rank, p->in, n_bytes);
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
    {"pingpong-8", trip, 8, true},
    {"pingpong-65536", trip, 65536, true},
    {"pingpong-1048576", trip, LARGEST, true},
};

/* Is it this one, or of all sizes this operation? */
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

/* n of them, until all are through, as rank 0 sees it, which in a chain is through long before the
 * others; everyone learns what they took. */
static int sample(struct peer *p, const struct operation *o, int n, int64_t *took_ns)
{
    int rc = p->barrier(p->self);
    const int64_t start = bench_now_ns();

    for (int i = 0; rc == 0 && i < n; i++)
        rc = o->once(p, i, o->n_bytes);
    if (rc == 0)
        rc = p->barrier(p->self);
    *took_ns = bench_now_ns() - start;
    return rc == 0 ? p->broadcast(p->self, took_ns, sizeof(*took_ns), 0) : rc;
}

/* A sample that is too short does not count, nor do those before it: the next ones are longer. */
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

int peer_measure(struct peer *p, int n_words, char **words)
{
    const int64_t least_ns = p->P > sysconf(_SC_NPROCESSORS_ONLN) ? 20000000 : 500000;
    const size_t blocks = (size_t)p->P * BLOCK, capacity = blocks > LARGEST ? blocks : LARGEST;
    int rc = 0;

    p->out = calloc(2, capacity);
    if (p->out == NULL)
        return ENOMEM;
    memset(p->out, 1, 2 * capacity); /* no page is new in a measurement */
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

bool peer_known(const char *program, int n_words, char **words)
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
