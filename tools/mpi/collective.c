/* SPDX-License-Identifier: MIT */
/*
 * Collectives. Those whose ranks give the same count are the runtime's: their data are packed unless
 * they lie in a row, and an algorithm is chosen by what all ranks know (the bytes, never a rank's
 * datatype). Those with counts of their own are sends and receives that are waited for together.
 */
#include "state.h"

#include <string.h>

enum { TAG = 1 << 29 }; /* of the messages of inner communicators: above all of the runtime's */

/* ---- a call: a request that is waited for at once, or given to the caller ---- */

static struct request *begin(struct comm *c)
{
    struct request *r = new_request(REQUEST_COLLECTIVE, c);

    if (r != NULL) {
        r->active = true;
        set_status(&r->status, MPI_UNDEFINED, MPI_UNDEFINED, 0);
    }
    return r;
}

/* r has been started, with rc. */
static int end(struct request *r, int rc, MPI_Request *request)
{
    if (rc == MPI_SUCCESS && request != NULL) {
        *request = (MPI_Request)r;
        return rc;
    }
    if (rc == MPI_SUCCESS)
        rc = wait_for(r);
    free_request(r);
    return rc;
}

#define BEGIN(r, c)                                                                                \
    struct request *r = begin(c);                                                                  \
    CHECK(c, r != NULL, MPI_ERR_NO_MEM, "no memory")
#define CHECK_COUNT(c, count)                                                                      \
    CHECK(c, (count) >= 0, MPI_ERR_COUNT, "count is %d, but must be at least 0", count)
#define CHECK_ROOT(c, root)                                                                        \
    CHECK(c, (unsigned)(root) < (unsigned)(c)->size, MPI_ERR_ROOT,                                 \
          "the root %d is not a rank of a communicator of %d", root, (c)->size)

/* The runtime's call, blocking or not. */
#define CALL(r, request, name, ...)                                                                \
    class_of((request) != NULL ? logp_i##name((r)->comm->vp, __VA_ARGS__, &(r)->under_way)         \
                               : logp_##name((r)->comm->vp, __VA_ARGS__))

static bool in_a_row(const struct type *t, size_t n)
{
    return t->dense && (n <= 1 || t->extent == (ptrdiff_t)t->size);
}

/* What the runtime reads and writes. */
struct buffers {
    const void *in;
    void *out;
};

/* n elements are read; they are copied if they are packed, or `copies`. m elements are written to
 * out, from packed ones when r is complete. Either may be NULL: none. @return MPI_SUCCESS or a class
 */
static int prepare(struct request *r, struct buffers *b, const void *in, struct type *in_type,
                   size_t n, bool copies, void *out, struct type *out_type, size_t m)
{
    const bool packs_in = in != NULL && (copies || !in_a_row(in_type, n)),
               packs_out = out != NULL && !in_a_row(out_type, m);
    const size_t in_bytes = packs_in ? n * in_type->size : 0,
                 out_bytes = packs_out ? m * out_type->size : 0;

    if (packs_in || packs_out) {
        r->memory = malloc(in_bytes + out_bytes + 1);
        CHECK(r->comm, r->memory != NULL, MPI_ERR_NO_MEM, "no memory");
    }
    b->in = packs_in ? r->memory : in != NULL ? (const char *)in + in_type->true_lb : NULL;
    b->out = packs_out     ? (char *)r->memory + in_bytes
             : out != NULL ? (char *)out + out_type->true_lb
                           : NULL;
    if (packs_in)
        pack(in_type, n, in, r->memory);
    if (packs_out) {
        keep_type(out_type);
        r->packed = b->out;
        r->type = out_type;
        r->buf = out;
        r->count = m;
    }
    return MPI_SUCCESS;
}

/* ---- barrier and broadcast ---- */

static int barrier(const char *call, MPI_Comm comm, MPI_Request *request)
{
    enter(call);
    COMM(c, comm);
    if (request == NULL)
        return class_of(logp_barrier(c->vp));
    BEGIN(r, c);
    return end(r, class_of(logp_ibarrier(c->vp, &r->under_way)), request);
}

int MPI_Barrier(MPI_Comm comm)
{
    return barrier("MPI_Barrier", comm, NULL);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    return barrier("MPI_Ibarrier", comm, request);
}

static int bcast(const char *call, void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
                 MPI_Request *request)
{
    struct buffers b;
    size_t bytes;
    int rc;

    enter(call);
    COMM(c, comm);
    TYPE(t, type, c);
    CHECK_COUNT(c, count);
    CHECK_ROOT(c, root);
    bytes = (size_t)count * t->size;
    if (request == NULL && in_a_row(t, (size_t)count))
        return class_of(logp_broadcast(c->vp, (char *)buf + t->true_lb, bytes, root));
    BEGIN(r, c);
    rc = prepare(r, &b, NULL, NULL, 0, false, buf, t, (size_t)count);
    if (rc == MPI_SUCCESS && r->packed != NULL && c->rank == root) {
        pack(t, (size_t)count, buf, b.out);
        r->packed = NULL; /* nothing is to be unpacked */
    }
    if (rc == MPI_SUCCESS)
        rc = CALL(r, request, broadcast, b.out, bytes, root);
    return end(r, rc, request);
}

int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast("MPI_Bcast", buf, count, type, root, comm, NULL);
}

int MPI_Ibcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request)
{
    return bcast("MPI_Ibcast", buf, count, type, root, comm, request);
}

/* ---- blocks of equal size ---- */

/* Two buffers of blocks, as a call has them. */
struct blocks {
    const void *in;
    int in_count;
    MPI_Datatype in_type;
    void *out;
    int out_count;
    MPI_Datatype out_type;
};

/* Both types of b; those of a buffer that is not significant may be null. */
#define BLOCKS(x, c, b, reads, writes)                                                             \
    struct blocks x = b;                                                                           \
    struct type *in_type = (reads) ? type_of(x.in_type) : NULL;                                    \
    struct type *out_type = (writes) ? type_of(x.out_type) : NULL;                                 \
    CHECK(c, !(reads) || in_type != NULL, MPI_ERR_TYPE, "the datatype to send is null");           \
    CHECK(c, !(writes) || out_type != NULL, MPI_ERR_TYPE, "the datatype to receive is null");      \
    CHECK_COUNT(c, (reads) ? x.in_count : 0);                                                      \
    CHECK_COUNT(c, (writes) ? x.out_count : 0)

static int gather(const char *call, struct blocks given, int root, MPI_Comm comm,
                  MPI_Request *request)
{
    struct buffers b;
    bool is_root, in_place;
    size_t bytes;
    int rc;

    enter(call);
    COMM(c, comm);
    CHECK_ROOT(c, root);
    is_root = c->rank == root;
    in_place = given.in == MPI_IN_PLACE;
    if (in_place) {
        struct type *t = type_of(given.out_type);

        CHECK(c, is_root, MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root alone");
        CHECK(c, t != NULL, MPI_ERR_TYPE, "the datatype to receive is null");
        given.in = (char *)given.out + (ptrdiff_t)root * given.out_count * t->extent;
        given.in_count = given.out_count;
        given.in_type = given.out_type;
    }
    BLOCKS(x, c, given, true, is_root);
    bytes = (size_t)x.in_count * in_type->size;
    BEGIN(r, c);
    rc = prepare(r, &b, x.in, in_type, (size_t)x.in_count, in_place, is_root ? x.out : NULL,
                 out_type, is_root ? (size_t)x.out_count * (size_t)c->size : 0);
    if (rc == MPI_SUCCESS)
        rc = CALL(r, request, gather, b.in, b.out, bytes, root);
    return end(r, rc, request);
}

static int scatter(const char *call, struct blocks given, int root, MPI_Comm comm,
                   MPI_Request *request)
{
    struct buffers b;
    bool is_root, in_place;
    size_t bytes;
    int rc;

    enter(call);
    COMM(c, comm);
    CHECK_ROOT(c, root);
    is_root = c->rank == root;
    in_place = given.out == MPI_IN_PLACE;
    CHECK(c, !in_place || is_root, MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root alone");
    BLOCKS(x, c, given, is_root, !in_place);
    bytes = in_place ? (size_t)x.in_count * in_type->size : (size_t)x.out_count * out_type->size;
    BEGIN(r, c);
    if (in_place) { /* the root's own block goes here, and is not used */
        r->own_block = malloc(bytes + 1);
        CHECK(c, r->own_block != NULL, MPI_ERR_NO_MEM, "no memory");
    }
    rc = prepare(r, &b, is_root ? x.in : NULL, in_type,
                 is_root ? (size_t)x.in_count * (size_t)c->size : 0, false,
                 in_place ? r->own_block : x.out, in_place ? type_of(MPI_BYTE) : out_type,
                 in_place ? bytes : (size_t)x.out_count);
    if (rc == MPI_SUCCESS)
        rc = CALL(r, request, scatter, b.in, b.out, bytes, root);
    return end(r, rc, request);
}

/* all: each rank has an item for each (alltoall), else one for all (allgather). */
static int exchange(const char *call, struct blocks given, bool all, MPI_Comm comm,
                    MPI_Request *request)
{
    struct buffers b;
    bool in_place;
    size_t bytes, n;
    int rc;

    enter(call);
    COMM(c, comm);
    in_place = given.in == MPI_IN_PLACE;
    if (in_place) {
        struct type *t = type_of(given.out_type);

        CHECK(c, t != NULL, MPI_ERR_TYPE, "the datatype to receive is null");
        given.in = (char *)given.out + (all ? 0 : (ptrdiff_t)c->rank * given.out_count * t->extent);
        given.in_count = given.out_count;
        given.in_type = given.out_type;
    }
    BLOCKS(x, c, given, true, true);
    bytes = (size_t)x.in_count * in_type->size;
    n = (size_t)c->size;
    BEGIN(r, c);
    rc = prepare(r, &b, x.in, in_type, (size_t)x.in_count * (all ? n : 1), in_place, x.out,
                 out_type, (size_t)x.out_count * n);
    if (rc == MPI_SUCCESS)
        rc = all ? CALL(r, request, alltoall, b.in, b.out, bytes)
                 : CALL(r, request, allgather, b.in, b.out, bytes);
    return end(r, rc, request);
}

#define SIX                                                                                        \
    const void *send_buf, int send_count, MPI_Datatype send_type, void *recv_buf, int recv_count,  \
        MPI_Datatype recv_type
#define GIVEN                                                                                      \
    (struct blocks)                                                                                \
    {                                                                                              \
        send_buf, send_count, send_type, recv_buf, recv_count, recv_type                           \
    }

int MPI_Gather(SIX, int root, MPI_Comm comm)
{
    return gather("MPI_Gather", GIVEN, root, comm, NULL);
}

int MPI_Igather(SIX, int root, MPI_Comm comm, MPI_Request *request)
{
    return gather("MPI_Igather", GIVEN, root, comm, request);
}

int MPI_Scatter(SIX, int root, MPI_Comm comm)
{
    return scatter("MPI_Scatter", GIVEN, root, comm, NULL);
}

int MPI_Iscatter(SIX, int root, MPI_Comm comm, MPI_Request *request)
{
    return scatter("MPI_Iscatter", GIVEN, root, comm, request);
}

int MPI_Allgather(SIX, MPI_Comm comm)
{
    return exchange("MPI_Allgather", GIVEN, false, comm, NULL);
}

int MPI_Iallgather(SIX, MPI_Comm comm, MPI_Request *request)
{
    return exchange("MPI_Iallgather", GIVEN, false, comm, request);
}

int MPI_Alltoall(SIX, MPI_Comm comm)
{
    return exchange("MPI_Alltoall", GIVEN, true, comm, NULL);
}

int MPI_Ialltoall(SIX, MPI_Comm comm, MPI_Request *request)
{
    return exchange("MPI_Ialltoall", GIVEN, true, comm, request);
}

/* ---- reductions ---- */

enum reduction_kind { REDUCE, ALLREDUCE, REDUCE_SCATTER, SCAN, EXSCAN };

static int run_reduction(struct request *r, enum reduction_kind kind, const void *in, void *out,
                         int64_t n, int root, MPI_Request *request)
{
    const struct logp_op *op = &r->reduction->op;

    switch (kind) {
    case REDUCE:
        return CALL(r, request, reduce, in, out, n, op, root);
    case ALLREDUCE:
        return CALL(r, request, allreduce, in, out, n, op);
    case REDUCE_SCATTER:
        return CALL(r, request, reduce_scatter, in, out, n, op);
    case SCAN:
        return CALL(r, request, scan, in, out, n, op);
    default:
        return CALL(r, request, exscan, in, out, n, op);
    }
}

/* n: elements of the result. In place the operands are in out, and are copied. */
static int reduction(const char *call, enum reduction_kind kind, const void *in, void *out, int n,
                     MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request)
{
    size_t bytes;
    int rc;

    enter(call);
    COMM(c, comm);
    TYPE(t, type, c);
    CHECK_COUNT(c, n);
    CHECK_ROOT(c, root);
    BEGIN(r, c);
    r->reduction = malloc(sizeof(*r->reduction));
    CHECK(c, r->reduction != NULL, MPI_ERR_NO_MEM, "no memory");
    rc = make_reduction(r->reduction, op, type);
    if (rc != MPI_SUCCESS) {
        free_request(r);
        return failed(c, rc, "the operation is null, or does not apply to %s", t->name);
    }
    bytes = (size_t)n * (size_t)t->extent * (kind == REDUCE_SCATTER ? (size_t)c->size : 1);
    if (in == MPI_IN_PLACE) {
        r->memory = malloc(bytes + 1);
        CHECK(c, r->memory != NULL, MPI_ERR_NO_MEM, "no memory");
        if (bytes > 0)
            memcpy(r->memory, (char *)out + t->lb, bytes);
        in = (char *)r->memory - t->lb;
    }
    if (n > 0)
        rc = run_reduction(r, kind, (const char *)in + t->lb,
                           out != NULL ? (char *)out + t->lb : NULL, n, root, request);
    return end(r, rc, request);
}

#define OPERANDS const void *send_buf, void *recv_buf, int count, MPI_Datatype type, MPI_Op op
#define REDUCTION(name, kind)                                                                      \
    int MPI_##name(OPERANDS, MPI_Comm comm)                                                        \
    {                                                                                              \
        return reduction("MPI_" #name, kind, send_buf, recv_buf, count, type, op, 0, comm, NULL);  \
    }
#define IREDUCTION(name, kind)                                                                     \
    int MPI_##name(OPERANDS, MPI_Comm comm, MPI_Request *request)                                  \
    {                                                                                              \
        return reduction("MPI_" #name, kind, send_buf, recv_buf, count, type, op, 0, comm,         \
                         request);                                                                 \
    }
REDUCTION(Allreduce, ALLREDUCE)
REDUCTION(Reduce_scatter_block, REDUCE_SCATTER)
REDUCTION(Scan, SCAN)
REDUCTION(Exscan, EXSCAN)
IREDUCTION(Iallreduce, ALLREDUCE)
IREDUCTION(Ireduce_scatter_block, REDUCE_SCATTER)
IREDUCTION(Iscan, SCAN)
IREDUCTION(Iexscan, EXSCAN)

int MPI_Reduce(OPERANDS, int root, MPI_Comm comm)
{
    return reduction("MPI_Reduce", REDUCE, send_buf, recv_buf, count, type, op, root, comm, NULL);
}

int MPI_Ireduce(OPERANDS, int root, MPI_Comm comm, MPI_Request *request)
{
    return reduction("MPI_Ireduce", REDUCE, send_buf, recv_buf, count, type, op, root, comm,
                     request);
}

/* All blocks on all ranks, of which each keeps its own. */
int MPI_Reduce_scatter(const void *send_buf, void *recv_buf, const int recv_counts[],
                       MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int total = 0, before = 0, rc;
    char *all;

    enter("MPI_Reduce_scatter");
    COMM(c, comm);
    TYPE(t, type, c);
    for (int i = 0; i < c->size; i++) {
        CHECK_COUNT(c, recv_counts[i]);
        before += i < c->rank ? recv_counts[i] : 0;
        total += recv_counts[i];
    }
    all = malloc((size_t)total * (size_t)t->extent + 1);
    CHECK(c, all != NULL, MPI_ERR_NO_MEM, "no memory");
    rc = reduction("MPI_Reduce_scatter", ALLREDUCE, send_buf == MPI_IN_PLACE ? recv_buf : send_buf,
                   all - t->lb, total, type, op, 0, comm, NULL);
    if (rc == MPI_SUCCESS && recv_counts[c->rank] > 0)
        memcpy((char *)recv_buf + t->lb, all + (ptrdiff_t)before * t->extent,
               (size_t)recv_counts[c->rank] * (size_t)t->extent);
    free(all);
    return rc;
}

/* ---- counts of each rank's own: messages ---- */

static struct comm *inner_of(struct comm *c)
{
    if (c->inner == NULL) {
        c->inner = new_comm(logp_vp_collective(c->vp), c);
        if (c->inner != NULL)
            c->inner->references = 1 << 30; /* it goes with its communicator */
    }
    return c->inner;
}

/* Add a message to r, and start it. */
static int add_part(struct request *r, enum request_kind kind, const void *buf, int count,
                    MPI_Datatype type, int peer)
{
    struct comm *inner = inner_of(r->comm);
    struct request *part = inner != NULL ? new_request(kind, inner) : NULL, **parts;

    CHECK(r->comm, type_of(type) != NULL, MPI_ERR_TYPE, "a datatype is null or has been freed");
    CHECK_COUNT(r->comm, count);
    parts = realloc(r->parts, (size_t)(r->n_parts + 1) * sizeof(struct request *));
    CHECK(r->comm, part != NULL && parts != NULL, MPI_ERR_NO_MEM, "no memory");
    r->parts = parts;
    parts[r->n_parts++] = part;
    part->type = type_of(type);
    keep_type(part->type);
    part->buf = (void *)buf;
    part->count = (size_t)count;
    part->peer = peer;
    part->tag = TAG;
    part->mode = LOGP_SEND_STANDARD;
    return kind == REQUEST_SEND ? start_send(part) : start_recv(part);
}

static char *place(const void *buf, MPI_Datatype type, int displ)
{
    const struct type *t = type_of(type);

    return (char *)buf + (t != NULL ? displ * t->extent : 0);
}

/* Copy the own block. */
static int copy_own(struct request *r, const void *in, int in_count, MPI_Datatype in_type,
                    void *out, int out_count, MPI_Datatype out_type)
{
    const struct type *from = type_of(in_type), *to = type_of(out_type);
    const size_t bytes = (size_t)in_count * from->size;
    void *memory = malloc(bytes + 1);

    CHECK(r->comm, memory != NULL, MPI_ERR_NO_MEM, "no memory");
    pack(from, (size_t)in_count, in, memory);
    unpack(to, (size_t)out_count, memory, bytes, out);
    free(memory);
    return MPI_SUCCESS;
}

static int gatherv(const char *call, const void *in, int in_count, MPI_Datatype in_type, void *out,
                   const int counts[], const int displs[], MPI_Datatype out_type, int root,
                   MPI_Comm comm, MPI_Request *request)
{
    int rc = MPI_SUCCESS;

    enter(call);
    COMM(c, comm);
    CHECK_ROOT(c, root);
    BEGIN(r, c);
    for (int i = 0; c->rank == root && i < c->size && rc == MPI_SUCCESS; i++) {
        char *to = place(out, out_type, displs[i]);

        if (i != root)
            rc = add_part(r, REQUEST_RECV, to, counts[i], out_type, i);
        else if (in != MPI_IN_PLACE)
            rc = copy_own(r, in, in_count, in_type, to, counts[i], out_type);
    }
    if (c->rank != root)
        rc = add_part(r, REQUEST_SEND, in, in_count, in_type, root);
    return end(r, rc, request);
}

static int scatterv(const char *call, const void *in, const int counts[], const int displs[],
                    MPI_Datatype in_type, void *out, int out_count, MPI_Datatype out_type, int root,
                    MPI_Comm comm, MPI_Request *request)
{
    int rc = MPI_SUCCESS;

    enter(call);
    COMM(c, comm);
    CHECK_ROOT(c, root);
    BEGIN(r, c);
    for (int i = 0; c->rank == root && i < c->size && rc == MPI_SUCCESS; i++) {
        const char *from = place(in, in_type, displs[i]);

        if (i != root)
            rc = add_part(r, REQUEST_SEND, from, counts[i], in_type, i);
        else if (out != MPI_IN_PLACE)
            rc = copy_own(r, from, counts[i], in_type, out, out_count, out_type);
    }
    if (c->rank != root)
        rc = add_part(r, REQUEST_RECV, out, out_count, out_type, root);
    return end(r, rc, request);
}

static int allgatherv(const char *call, const void *in, int in_count, MPI_Datatype in_type,
                      void *out, const int counts[], const int displs[], MPI_Datatype out_type,
                      MPI_Comm comm, MPI_Request *request)
{
    int rc = MPI_SUCCESS;
    char *own;

    enter(call);
    COMM(c, comm);
    BEGIN(r, c);
    own = place(out, out_type, displs[c->rank]);
    for (int k = 1; k < c->size && rc == MPI_SUCCESS; k++) {
        const int from = (c->rank + c->size - k) % c->size;

        rc = add_part(r, REQUEST_RECV, place(out, out_type, displs[from]), counts[from], out_type,
                      from);
    }
    if (in == MPI_IN_PLACE) {
        in = own;
        in_count = counts[c->rank];
        in_type = out_type;
    } else if (rc == MPI_SUCCESS) {
        rc = copy_own(r, in, in_count, in_type, own, counts[c->rank], out_type);
    }
    for (int k = 1; k < c->size && rc == MPI_SUCCESS; k++)
        rc = add_part(r, REQUEST_SEND, in, in_count, in_type, (c->rank + k) % c->size);
    return end(r, rc, request);
}

/* The items for and from each rank, with types of their own or one. */
struct items {
    char *buf;
    const int *counts, *displs;
    MPI_Datatype type;
    const MPI_Datatype *types; /* NULL: all are of `type`, and displs counts those */
};

static MPI_Datatype item_type(const struct items *x, int i)
{
    return x->types != NULL ? x->types[i] : x->type;
}

static char *item(const struct items *x, int i)
{
    return x->types != NULL ? x->buf + x->displs[i] : place(x->buf, x->type, x->displs[i]);
}

/* In place: what is sent is copied first. @return the copies, one after the other; NULL: no memory */
static char *copy_items(const struct items *x, int n, size_t at[])
{
    size_t bytes = 0;
    char *copy;

    for (int i = 0; i < n; i++) {
        at[i] = bytes;
        bytes += (size_t)x->counts[i] * type_of(item_type(x, i))->size;
    }
    copy = malloc(bytes + 1);
    for (int i = 0; copy != NULL && i < n; i++)
        pack(type_of(item_type(x, i)), (size_t)x->counts[i], item(x, i), copy + at[i]);
    return copy;
}

static int alltoallv_in_place(struct request *r, const struct items *x)
{
    const struct comm *c = r->comm;
    size_t *at = malloc((size_t)c->size * sizeof(*at));
    int rc = MPI_SUCCESS;

    r->memory = at != NULL ? copy_items(x, c->size, at) : NULL;
    if (r->memory == NULL)
        rc = failed(r->comm, MPI_ERR_NO_MEM, "no memory");
    for (int k = 1; k < c->size && rc == MPI_SUCCESS; k++) {
        const int from = (c->rank + c->size - k) % c->size;

        rc = add_part(r, REQUEST_RECV, item(x, from), x->counts[from], item_type(x, from), from);
    }
    for (int k = 1; k < c->size && rc == MPI_SUCCESS; k++) {
        const int to = (c->rank + k) % c->size;
        const size_t bytes = (size_t)x->counts[to] * type_of(item_type(x, to))->size;

        rc = add_part(r, REQUEST_SEND, (char *)r->memory + at[to], (int)bytes, MPI_BYTE, to);
    }
    free(at);
    return rc;
}

static int alltoallv(const char *call, const struct items *in, const struct items *out,
                     MPI_Comm comm, MPI_Request *request)
{
    int rc = MPI_SUCCESS;

    enter(call);
    COMM(c, comm);
    BEGIN(r, c);
    if (in->buf == MPI_IN_PLACE)
        return end(r, alltoallv_in_place(r, out), request);
    for (int k = 1; k < c->size && rc == MPI_SUCCESS; k++) {
        const int from = (c->rank + c->size - k) % c->size;

        rc = add_part(r, REQUEST_RECV, item(out, from), out->counts[from], item_type(out, from),
                      from);
    }
    if (rc == MPI_SUCCESS && in->counts[c->rank] > 0)
        rc = copy_own(r, item(in, c->rank), in->counts[c->rank], item_type(in, c->rank),
                      item(out, c->rank), out->counts[c->rank], item_type(out, c->rank));
    for (int k = 1; k < c->size && rc == MPI_SUCCESS; k++) {
        const int to = (c->rank + k) % c->size;

        rc = add_part(r, REQUEST_SEND, item(in, to), in->counts[to], item_type(in, to), to);
    }
    return end(r, rc, request);
}

#define GATHERV                                                                                    \
    const void *send_buf, int send_count, MPI_Datatype send_type, void *recv_buf,                  \
        const int recv_counts[], const int displs[], MPI_Datatype recv_type
#define SCATTERV                                                                                   \
    const void *send_buf, const int send_counts[], const int displs[], MPI_Datatype send_type,     \
        void *recv_buf, int recv_count, MPI_Datatype recv_type

int MPI_Gatherv(GATHERV, int root, MPI_Comm comm)
{
    return gatherv("MPI_Gatherv", send_buf, send_count, send_type, recv_buf, recv_counts, displs,
                   recv_type, root, comm, NULL);
}

int MPI_Igatherv(GATHERV, int root, MPI_Comm comm, MPI_Request *request)
{
    return gatherv("MPI_Igatherv", send_buf, send_count, send_type, recv_buf, recv_counts, displs,
                   recv_type, root, comm, request);
}

int MPI_Scatterv(SCATTERV, int root, MPI_Comm comm)
{
    return scatterv("MPI_Scatterv", send_buf, send_counts, displs, send_type, recv_buf, recv_count,
                    recv_type, root, comm, NULL);
}

int MPI_Iscatterv(SCATTERV, int root, MPI_Comm comm, MPI_Request *request)
{
    return scatterv("MPI_Iscatterv", send_buf, send_counts, displs, send_type, recv_buf, recv_count,
                    recv_type, root, comm, request);
}

int MPI_Allgatherv(GATHERV, MPI_Comm comm)
{
    return allgatherv("MPI_Allgatherv", send_buf, send_count, send_type, recv_buf, recv_counts,
                      displs, recv_type, comm, NULL);
}

int MPI_Iallgatherv(GATHERV, MPI_Comm comm, MPI_Request *request)
{
    return allgatherv("MPI_Iallgatherv", send_buf, send_count, send_type, recv_buf, recv_counts,
                      displs, recv_type, comm, request);
}

#define ITEMS(type, types)                                                                         \
    const void *send_buf, const int send_counts[], const int send_displs[], type send_##types,     \
        void *recv_buf, const int recv_counts[], const int recv_displs[], type recv_##types
#define IN(type, types)                                                                            \
    &(const struct items)                                                                          \
    {                                                                                              \
        (char *)send_buf, send_counts, send_displs, type, types                                    \
    }
#define OUT(type, types)                                                                           \
    &(const struct items)                                                                          \
    {                                                                                              \
        recv_buf, recv_counts, recv_displs, type, types                                            \
    }

int MPI_Alltoallv(ITEMS(MPI_Datatype, type), MPI_Comm comm)
{
    return alltoallv("MPI_Alltoallv", IN(send_type, NULL), OUT(recv_type, NULL), comm, NULL);
}

int MPI_Ialltoallv(ITEMS(MPI_Datatype, type), MPI_Comm comm, MPI_Request *request)
{
    return alltoallv("MPI_Ialltoallv", IN(send_type, NULL), OUT(recv_type, NULL), comm, request);
}

int MPI_Alltoallw(ITEMS(const MPI_Datatype *, types), MPI_Comm comm)
{
    return alltoallv("MPI_Alltoallw", IN(NULL, send_types), OUT(NULL, recv_types), comm, NULL);
}

int MPI_Ialltoallw(ITEMS(const MPI_Datatype *, types), MPI_Comm comm, MPI_Request *request)
{
    return alltoallv("MPI_Ialltoallw", IN(NULL, send_types), OUT(NULL, recv_types), comm, request);
}
