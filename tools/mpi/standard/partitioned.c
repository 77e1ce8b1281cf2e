/* SPDX-License-Identifier: MIT */
/*
 * Partitioned messages. Each part that the sender declares ready is a message, and costs as much as one. The place of its
 * first byte is in its bits, so the two sides may divide the data in different ways: the receiver takes parts until it
 * has all bytes. Their context is that of collectives, with tags above those. The tag of a part is made of the tag of the
 * call and of the number of requests with this tag and peer that the communicator has had before, which both sides
 * count. Source: MPI 4.0, 4
 */
#include "collective.h"

#include <limits.h>
#include <stdlib.h>

enum { FIRST_TAG = 3 << 28, N_TAGS = INT_MAX - FIRST_TAG };
enum { N_NUMBERED = 64 }; /* requests of one tag and peer whose parts never meet */

struct partitioned {
    int n, n_ready;    /* parts; those that are ready */
    size_t part_bytes; /* of each */
    size_t n_come;     /* bytes that have been received */
    size_t *come;      /* of each part of a receive */
    bool *ready;       /* of a send */
    struct logp_request **sent;
    size_t part_count;
    int tag;
};

static unsigned next_number(struct comm *c, int peer, int tag, bool sends, bool *fits)
{
    struct parted *p = c->parted;

    while (p != NULL && (p->peer != peer || p->tag != tag))
        p = p->next;
    *fits = true;
    if (p == NULL && (p = calloc(1, sizeof(*p))) != NULL) {
        *p = (struct parted){.next = c->parted, .peer = peer, .tag = tag};
        c->parted = p;
    }
    *fits = p != NULL;
    return p == NULL ? 0 : sends ? p->n_sends++ : p->n_receives++;
}

static void drop(struct request *r)
{
    if (r->partitioned == NULL)
        return;
    free(r->partitioned->come);
    free(r->partitioned->ready);
    free(r->partitioned->sent);
    free(r->partitioned);
}

static bool sends(const struct request *r)
{
    return r->partitioned->sent != NULL;
}

static bool is_flat(const struct request *r)
{
    return in_a_row(r->type, r->count);
}

/* ---- one part ---- */

static void *part_of(const struct request *r, size_t i)
{
    return (char *)r->buf + (ptrdiff_t)(i * r->partitioned->part_count) * r->type->extent;
}

static int send_part(struct request *r, int i)
{
    const struct partitioned *p = r->partitioned;
    struct elements elements = {r->type, p->part_count, part_of(r, (size_t)i)};
    struct logp_send_options o = {
        .size = sizeof(o), .n_bytes = p->part_bytes, .bits = (uint64_t)i * p->part_bytes};

    if (is_flat(r)) {
        o.buf = (const char *)elements.buf + r->type->true_lb;
    } else {
        o.fill = mpi_fill_payload;
        o.arg = &elements;
    }
    return mpi_class_of(logp_isend_with(logp_vp_collective(r->comm->vp),
                                        r->peer + r->comm->first_peer, p->tag, &o, &p->sent[i]));
}

/* The bytes from `at` on have come: note them in the parts that they belong to, and unpack those that are complete. */
static void note_come(struct request *r, size_t at, size_t bytes)
{
    struct partitioned *p = r->partitioned;

    p->n_come += bytes;
    while (bytes > 0) {
        const size_t i = at / p->part_bytes, left = p->part_bytes - at % p->part_bytes,
                     n = bytes < left ? bytes : left;

        p->come[i] += n;
        if (p->come[i] == p->part_bytes && !is_flat(r))
            mpi_unpack(r->type, p->part_count, (char *)r->memory + i * p->part_bytes, p->part_bytes,
                       part_of(r, i));
        at += n;
        bytes -= n;
    }
}

/* Receive the part that a probe has found. */
static int receive_part(struct request *r, const struct logp_status *found)
{
    struct partitioned *p = r->partitioned;
    const size_t all = (size_t)p->n * p->part_bytes;
    char *to = is_flat(r) ? (char *)r->buf + r->type->true_lb : r->memory;
    int rc;

    CHECK(r->comm, found->bits <= all && found->n_bytes <= all - found->bits, MPI_ERR_TRUNCATE,
          "rank %d sends bytes %llu to %llu of a partitioned message of %zu bytes", r->peer,
          (unsigned long long)found->bits, (unsigned long long)(found->bits + found->n_bytes), all);
    rc = mpi_class_of(logp_recv(logp_vp_collective(r->comm->vp), found->source, p->tag,
                                to + found->bits, found->n_bytes, NULL));
    if (rc == MPI_SUCCESS)
        note_come(r, found->bits, found->n_bytes);
    return rc;
}

/* ---- progress ---- */

static bool is_all_here(const struct request *r)
{
    return r->partitioned->n_come == (size_t)r->partitioned->n * r->partitioned->part_bytes;
}

/* Several threads may receive parts of r: then none of them waits for a part that another one takes. */
static int receive_parts(struct request *r, bool waits, bool *done)
{
    struct logp_vp *vp = logp_vp_collective(r->comm->vp);
    const int peer = r->peer + r->comm->first_peer;
    const bool alone = r->comm->owner->thread_level < MPI_THREAD_MULTIPLE;
    int rc = MPI_SUCCESS;
    bool found = true;

    while (rc == MPI_SUCCESS && !is_all_here(r) && (found || waits)) {
        struct logp_status status;

        rc = mpi_class_of(waits && alone
                              ? logp_probe_until(vp, peer, r->partitioned->tag, INT64_MAX, &status)
                              : logp_probe(vp, peer, r->partitioned->tag, &found, &status));
        if (rc == MPI_SUCCESS && found)
            rc = receive_part(r, &status);
    }
    *done = is_all_here(r);
    return rc;
}

/* Parts that are not ready yet are so by other threads. */
static int complete_sends(struct request *r, bool waits, bool *done)
{
    struct partitioned *p = r->partitioned;
    struct logp_vp *vp = r->comm->owner->vp;
    int rc = MPI_SUCCESS;

    *done = false;
    while (rc == MPI_SUCCESS && p->n_ready < p->n) {
        rc = mpi_class_of(logp_yield(vp));
        if (!waits)
            return rc;
    }
    for (int i = 0; rc == MPI_SUCCESS && i < p->n; i++) {
        bool sent = true;

        if (p->sent[i] == NULL)
            continue;
        rc = mpi_class_of(waits ? logp_wait(vp, p->sent[i], NULL)
                                : logp_test(vp, p->sent[i], &sent, NULL));
        if (!sent)
            return rc;
        p->sent[i] = NULL;
    }
    *done = true;
    return rc;
}

static int advance(struct request *r, bool waits, bool *done)
{
    *done = true;
    if (r->peer == MPI_PROC_NULL || !r->active)
        return MPI_SUCCESS;
    return sends(r) ? complete_sends(r, waits, done) : receive_parts(r, waits, done);
}

static int start(struct request *r)
{
    struct partitioned *p = r->partitioned;

    p->n_ready = 0;
    p->n_come = 0;
    for (int i = 0; i < p->n; i++)
        if (sends(r))
            p->ready[i] = false;
        else
            p->come[i] = 0;
    if (!sends(r) && !is_flat(r)) {
        r->memory = malloc((size_t)p->n * p->part_bytes + 1);
        CHECK_MEMORY(r->comm, r->memory);
    }
    r->active = true;
    set_status(&r->status, r->peer, sends(r) ? MPI_UNDEFINED : r->tag,
               sends(r) || r->peer == MPI_PROC_NULL ? 0 : (size_t)p->n * p->part_bytes);
    return MPI_SUCCESS;
}

/* ---- calls ---- */

static const struct progress progress = {.start = start, .advance = advance, .drop = drop};

static bool add_partitions(struct request *r, int n, bool is_send)
{
    struct partitioned *p = calloc(1, sizeof(*p));

    r->progress = &progress;
    r->partitioned = p;
    if (p == NULL)
        return false;
    if (is_send) {
        p->sent = calloc((size_t)n + 1, sizeof(struct logp_request *));
        p->ready = calloc((size_t)n + 1, sizeof(bool));
        return p->sent != NULL && p->ready != NULL;
    }
    p->come = calloc((size_t)n + 1, sizeof(size_t));
    return p->come != NULL;
}

static int init(const char *call, bool is_send, const void *buf, int n, MPI_Count count,
                MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request,
                void *caller)
{
    struct request *r;
    unsigned number;
    bool fits;

    ENTER_AS(c, call, comm);
    DATA_TYPE(t, type, c);
    CHECK(c, n >= 0, MPI_ERR_ARG, "%d partitions, but there must be at least 0", n);
    CHECK(c, count >= 0, MPI_ERR_COUNT, "count is %lld, but must be at least 0", (long long)count);
    CHECK(c, (unsigned)peer < (unsigned)c->n_peers || peer == MPI_PROC_NULL, MPI_ERR_RANK,
          "%d is not a rank of a communicator of %d", peer, c->n_peers);
    CHECK(c, tag >= 0, MPI_ERR_TAG, "the tag is %d, but must be at least 0", tag);
    CHECK(c, can_be_counted(t, (size_t)count) && (n == 0 || (size_t)count <= SIZE_MAX / (size_t)n),
          MPI_ERR_COUNT, "%d partitions of %lld elements are 2^63 bytes or more", n,
          (long long)count);
    if (peer != MPI_PROC_NULL)
        CHECK_AT(c, buf, t, (size_t)count * (size_t)n, "");
    number = next_number(c, peer, tag, is_send, &fits);
    CHECK(c, fits, MPI_ERR_NO_MEM, "no memory");
    r = mpi_new_request(REQUEST_PARTS, c);
    CHECK_MEMORY(c, r);
    if (!add_partitions(r, n, is_send)) {
        mpi_free_request(r);
        return mpi_failed(c, MPI_ERR_NO_MEM, "no memory");
    }
    mpi_keep_type(t);
    r->type = t;
    r->buf = (void *)buf;
    r->count = (size_t)count * (size_t)n;
    r->peer = peer;
    r->tag = tag;
    r->persistent = true;
    r->partitioned->n = n;
    r->partitioned->part_count = (size_t)count;
    r->partitioned->part_bytes = (size_t)count * t->size;
    r->partitioned->tag =
        FIRST_TAG + (int)(((uint64_t)tag * N_NUMBERED + number % N_NUMBERED) % N_TAGS);
    mpi_give_request(r, caller, request);
    return MPI_SUCCESS;
}

int MPI_Psend_init(const void *buf, int partitions, MPI_Count count, MPI_Datatype type, int dest,
                   int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    (void)info;
    return init(__func__, true, buf, partitions, count, type, dest, tag, comm, request,
                __builtin_return_address(0));
}

int MPI_Precv_init(void *buf, int partitions, MPI_Count count, MPI_Datatype type, int source,
                   int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    (void)info;
    return init(__func__, false, buf, partitions, count, type, source, tag, comm, request,
                __builtin_return_address(0));
}

/* The request of a call for a part i of it, whose data go out or have come. */
#define ENTER_PART(r, request, is_send, does)                                                      \
    struct request *r = request_of(request);                                                       \
    mpi_enter(__func__);                                                                           \
    CHECK(NULL, r != NULL && r->partitioned != NULL && sends(r) == (is_send), MPI_ERR_REQUEST,     \
          "the request is not a partitioned " does)
#define CHECK_PART(r, i)                                                                           \
    CHECK((r)->comm, (i) >= 0 && (i) < (r)->partitioned->n, MPI_ERR_ARG, "partition %d of %d", i,  \
          (r)->partitioned->n)

static int ready(struct request *r, int i)
{
    struct partitioned *p = r->partitioned;

    CHECK_PART(r, i);
    CHECK(r->comm, r->active, MPI_ERR_REQUEST, "the request has not been started");
    CHECK(r->comm, !p->ready[i], MPI_ERR_ARG, "partition %d is ready already", i);
    p->ready[i] = true;
    p->n_ready++;
    return r->peer == MPI_PROC_NULL || p->part_bytes == 0 ? MPI_SUCCESS : send_part(r, i);
}

int MPI_Pready(int partition, MPI_Request request)
{
    ENTER_PART(r, request, true, "send");
    return ready(r, partition);
}

int MPI_Pready_range(int low, int high, MPI_Request request)
{
    int rc = MPI_SUCCESS;

    ENTER_PART(r, request, true, "send");
    for (int i = low; i <= high && rc == MPI_SUCCESS; i++)
        rc = ready(r, i);
    return rc;
}

int MPI_Pready_list(int n, const int partitions[], MPI_Request request)
{
    int rc = MPI_SUCCESS;

    ENTER_PART(r, request, true, "send");
    for (int i = 0; i < n && rc == MPI_SUCCESS; i++)
        rc = ready(r, partitions[i]);
    return rc;
}

int MPI_Parrived(MPI_Request request, int partition, int *flag)
{
    bool done = true;
    int rc = MPI_SUCCESS;

    ENTER_PART(r, request, false, "receive");
    CHECK_PART(r, partition);
    if (r->active)
        rc = advance(r, false, &done);
    *flag = done || r->peer == MPI_PROC_NULL ||
            r->partitioned->come[partition] == r->partitioned->part_bytes;
    return rc;
}
