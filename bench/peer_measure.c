/* SPDX-License-Identifier: MIT */
/* The measurement: see peer.h. */
#include "peer.h"
#include "sample.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { SAMPLES = 21, ITEM = 8, LARGEST = 1 << 20 };

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
    int64_t item = p->rank == root ? i : -1;
    const int rc = p->broadcast(p->self, &item, n_bytes, root);

    return rc == 0 && item != i ? EIO : rc;
}

static int alltoall(struct peer *p, int i, size_t n_bytes)
{
    (void)i;
    return p->alltoall(p->self, p->out, n_bytes, p->in);
}

/* Half of a round trip. */
static int trip(struct peer *p, int i, size_t n_bytes)
{
    if (i % 2 == p->rank)
        return p->send(p->self, 1 - p->rank, p->out, n_bytes);
    return p->recv(p->self, 1 - p->rank, p->in, n_bytes);
}

static const struct operation operations[] = {
    {"barrier", barrier, 0, false},        {"broadcast", broadcast, ITEM, false},
    {"alltoall", alltoall, ITEM, false},   {"pingpong-8", trip, 8, true},
    {"pingpong-65536", trip, 65536, true}, {"pingpong-1048576", trip, LARGEST, true},
};

enum { N_OPERATIONS = sizeof(operations) / sizeof(operations[0]) };

/* n of them, as rank 0 sees it; everyone learns what they took. */
static int sample(struct peer *p, const struct operation *o, int n, int64_t *took_ns)
{
    int rc = p->barrier(p->self);
    const int64_t start = bench_now_ns();

    for (int i = 0; rc == 0 && i < n; i++)
        rc = o->once(p, i, o->n_bytes);
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
    const size_t room = p->P == 2 ? LARGEST : (size_t)p->P * ITEM;
    int rc = 0;

    p->out = calloc(2, room);
    if (p->out == NULL)
        return ENOMEM;
    memset(p->out, 1, 2 * room); /* no page is new in a measurement */
    p->in = p->out + room;
    for (int i = 0; rc == 0 && i < N_OPERATIONS; i++)
        if (bench_selected(n_words, words, operations[i].name) &&
            (p->P == 2 || !operations[i].pair))
            rc = measure(p, &operations[i], least_ns);
    free(p->out);
    return rc;
}

static bool is_operation(const char *word)
{
    for (int i = 0; i < N_OPERATIONS; i++)
        if (strcmp(word, operations[i].name) == 0)
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
