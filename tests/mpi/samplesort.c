/* SPDX-License-Identifier: MIT */
/*
 * Sample sort: keys are sorted on each rank, samples of all choose the splitters, each rank sends
 * its keys to the ranks of their ranges, and merges the runs that it receives. A key carries a text
 * of its own length, which travels behind it: keys have an order, texts show that they belong to them.
 * Ranks begin with unequal parts of one sequence, so what is printed does not depend on their number.
 * usage: samplesort [KEYS [KINDS OF KEYS]]
 */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 16, TAG_EDGE = 4 };

struct record {
    uint64_t key;
    uint32_t number; /* in the sequence: records of one key are in this order */
    uint32_t length; /* of its text */
};

struct part {
    struct record *records;
    char *texts; /* of the records, in their order */
    int n, bytes;
};

static int me, P;

static void *allocate(size_t n)
{
    void *p = malloc(n > 0 ? n : 1);

    if (p == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return p;
}

static uint64_t random_of(uint64_t n)
{
    n = (n + 1) * UINT64_C(0x9e3779b97f4a7c15);
    n = (n ^ (n >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    n = (n ^ (n >> 27)) * UINT64_C(0x94d049bb133111eb);
    return n ^ (n >> 31);
}

static int compare(const void *a, const void *b)
{
    const struct record *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* ---- the start ---- */

/* Of a rank's place: its share of the keys grows with its square. */
static uint32_t begin_of(int rank, int64_t n)
{
    return (uint32_t)(n * rank * (rank + P) / (2 * (int64_t)P * P));
}

static void write_text(char *text, const struct record *r)
{
    for (uint32_t i = 0; i < r->length; i++)
        text[i] = (char)('a' + (r->key + r->number + i) % 26);
}

/* The texts of records that have been put in order. */
static void write_texts(struct part *p)
{
    p->bytes = 0;
    for (int i = 0; i < p->n; i++)
        p->bytes += (int)p->records[i].length;
    p->texts = allocate((size_t)p->bytes);
    for (int i = 0, place = 0; i < p->n; place += (int)p->records[i++].length)
        write_text(p->texts + place, &p->records[i]);
}

static struct part make_part(int64_t n, uint64_t kinds)
{
    const uint32_t first = begin_of(me, n), end = begin_of(me + 1, n);
    struct part p = {allocate((end - first) * sizeof(struct record)), NULL, (int)(end - first), 0};

    for (uint32_t i = first; i < end; i++)
        p.records[i - first] = (struct record){random_of(i) % kinds, i,
                                               (uint32_t)(random_of(i + (UINT64_C(1) << 40)) % 9)};
    qsort(p.records, (size_t)p.n, sizeof(struct record), compare);
    write_texts(&p);
    return p;
}

/* ---- splitters ---- */

static MPI_Datatype make_type(void)
{
    const int lengths[] = {1, 2};
    const MPI_Aint places[] = {0, 8};
    const MPI_Datatype types[] = {MPI_UINT64_T, MPI_UINT32_T};
    MPI_Datatype type;

    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    return type;
}

/* P - 1 records at which the ranges of the ranks begin. Ranks with few records have few samples. */
static struct record *choose_splitters(const struct part *p, MPI_Datatype type)
{
    const int own = p->n < SAMPLES ? p->n : SAMPLES;
    struct record samples[SAMPLES], *all = NULL,
                                    *splitters = allocate((size_t)P * sizeof(*splitters));
    int *counts = allocate((size_t)P * sizeof(int)), *places = allocate((size_t)P * sizeof(int)),
        n = 0;

    for (int i = 0; i < own; i++)
        samples[i] = p->records[(int64_t)p->n * i / own];
    MPI_Gather(&own, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < P && me == 0; i++) {
        places[i] = n;
        n += counts[i];
    }
    all = allocate((size_t)n * sizeof(*all));
    MPI_Gatherv(samples, own, type, all, counts, places, type, 0, MPI_COMM_WORLD);
    if (me == 0) {
        qsort(all, (size_t)n, sizeof(*all), compare);
        memset(splitters, 255, (size_t)P * sizeof(*splitters));
        for (int i = 1; i < P && n > 0; i++)
            splitters[i - 1] = all[(int64_t)n * i / P];
    }
    MPI_Bcast(splitters, P - 1, type, 0, MPI_COMM_WORLD);
    free(all);
    free(counts);
    free(places);
    return splitters;
}

/* ---- the exchange ---- */

/* Where the parts of each rank begin. @return the sum of all counts */
static int places_of(const int *counts, int *places)
{
    int n = 0;

    for (int i = 0; i < P; i++) {
        places[i] = n;
        n += counts[i];
    }
    return n;
}

/* counts[0 .. P - 1]: records for each rank; from P on: bytes of their texts */
static void count(const struct part *p, const struct record *splitters, int *counts)
{
    int to = 0;

    memset(counts, 0, 2 * (size_t)P * sizeof(int));
    for (int i = 0; i < p->n; i++) {
        while (to < P - 1 && compare(&p->records[i], &splitters[to]) >= 0)
            to++;
        counts[to]++;
        counts[P + to] += (int)p->records[i].length;
    }
}

/* The runs of all ranks become one: a heap would do for many, but there are few. */
static void merge(struct part *p, const int *counts, const int *places)
{
    struct record *out = allocate((size_t)p->n * sizeof(*out));
    char *texts = allocate((size_t)p->bytes), *to = texts;
    int *next = allocate(2 * (size_t)P * sizeof(int)), *text = next + P, bytes = 0;

    for (int i = 0; i < P; i++) {
        next[i] = places[i];
        text[i] = bytes;
        for (int k = 0; k < counts[i]; k++)
            bytes += (int)p->records[places[i] + k].length;
    }
    for (int k = 0; k < p->n; k++) {
        int least = -1;

        for (int i = 0; i < P; i++)
            if (next[i] < places[i] + counts[i] &&
                (least < 0 || compare(&p->records[next[i]], &p->records[next[least]]) < 0))
                least = i;
        out[k] = p->records[next[least]++];
        memcpy(to, p->texts + text[least], out[k].length);
        to += out[k].length;
        text[least] += (int)out[k].length;
    }
    free(next);
    free(p->records);
    free(p->texts);
    p->records = out;
    p->texts = texts;
}

static struct part exchange(const struct part *p, const struct record *splitters, MPI_Datatype type)
{
    int *counts = allocate(8 * (size_t)P * sizeof(int)), *got = counts + 2 * P,
        *from = counts + 4 * P, *to = counts + 6 * P;
    struct part in;
    MPI_Request request;

    count(p, splitters, counts);
    MPI_Alltoall(counts, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(counts + P, 1, MPI_INT, got + P, 1, MPI_INT, MPI_COMM_WORLD);
    places_of(counts, from);
    places_of(counts + P, from + P);
    in.n = places_of(got, to);
    in.bytes = places_of(got + P, to + P);
    in.records = allocate((size_t)in.n * sizeof(struct record));
    in.texts = allocate((size_t)in.bytes);
    MPI_Ialltoallv(p->texts, counts + P, from + P, MPI_CHAR, in.texts, got + P, to + P, MPI_CHAR,
                   MPI_COMM_WORLD, &request);
    MPI_Alltoallv(p->records, counts, from, type, in.records, got, to, type, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    merge(&in, got, to);
    free(counts);
    return in;
}

/* ---- what has come of it ---- */

/* Is it sorted, here and to the next rank that has any? */
static int is_sorted(const struct part *p, MPI_Datatype type)
{
    struct record edge = {0, 0, 0};
    const int below = me > 0 ? me - 1 : MPI_PROC_NULL, above = me < P - 1 ? me + 1 : MPI_PROC_NULL;
    int sorted = 1, all, place = 0;

    MPI_Recv(&edge, 1, type, below, TAG_EDGE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < p->n; i++) {
        char text[16];

        sorted = sorted && (compare(i > 0 ? &p->records[i - 1] : &edge, &p->records[i]) <= 0);
        write_text(text, &p->records[i]);
        sorted = sorted && memcmp(text, p->texts + place, p->records[i].length) == 0;
        place += (int)p->records[i].length;
    }
    MPI_Send(p->n > 0 ? &p->records[p->n - 1] : &edge, 1, type, above, TAG_EDGE, MPI_COMM_WORLD);
    MPI_Allreduce(&sorted, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all && place == p->bytes;
}

/* Of the keys, the texts and their places among all. */
static uint64_t checksum(const struct part *p)
{
    uint64_t sum = 0, all;
    int64_t n[2] = {p->n, p->bytes}, before[2] = {0, 0};

    MPI_Exscan(n, before, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0)
        before[0] = before[1] = 0;
    for (int i = 0; i < p->n; i++)
        sum += random_of((uint64_t)(before[0] + i)) * (p->records[i].key + p->records[i].number);
    for (int i = 0; i < p->bytes; i++)
        sum += random_of((uint64_t)(before[1] + i)) * (uint64_t)p->texts[i];
    MPI_Reduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoll(argv[1]) : 20000;
    const uint64_t kinds = argc > 2 ? (uint64_t)atoll(argv[2]) : UINT64_C(1) << 50;
    MPI_Datatype type;
    struct record *splitters;
    struct part p, sorted;
    uint64_t sum;
    int good;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &P);
    type = make_type();
    p = make_part(n, kinds);
    splitters = choose_splitters(&p, type);
    sorted = exchange(&p, splitters, type);
    good = is_sorted(&sorted, type);
    sum = checksum(&sorted);
    if (me == 0)
        printf("samplesort: %lld keys, %s, checksum %016llx\n", (long long)n,
               good ? "sorted" : "not sorted", (unsigned long long)sum);
    free(splitters);
    free(p.records);
    free(p.texts);
    free(sorted.records);
    free(sorted.texts);
    MPI_Type_free(&type);
    MPI_Finalize();
    return good ? 0 : 1;
}
