/* SPDX-License-Identifier: MIT */
/*
 * Collectives. Those whose ranks give the same count are the runtime's: their data are packed
 * unless they are contiguous, and the choice of an algorithm depends only on values that all ranks
 * know (the bytes, never a rank's datatype). The others are in messages.c.
 */
#include "collective.h"
#include "op.h"
#include "world.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The runtime's call. started: NULL: it is blocking */
#define CALL(vp, started, name, ...)                                                               \
    mpi_class_of((started) != NULL ? logp_i##name(vp, __VA_ARGS__, started)                        \
                                   : logp_##name(vp, __VA_ARGS__))
/* Where the runtime's request of a nonblocking call r is kept; NULL: it is blocking */
#define STARTED(r, request) ((request) != NULL ? &(r)->under_way : NULL)

/* A blocking call needs no request of its own if the runtime can read and write its buffers as they are, and
 * nothing is under way that they could be in conflict with. in_type, out_type: NULL: no such buffer */
static bool is_direct(const struct comm *c, const MPI_Request *request, const struct type *in_type,
                      size_t n, const struct type *out_type, size_t m)
{
    return request == NULL && !HAS_USES(c->owner) && (in_type == NULL || in_a_row(in_type, n)) &&
           (out_type == NULL || in_a_row(out_type, m));
}

/* Where the data of a buffer begin; type: NULL: there is none */
static void *data_at(const void *buf, const struct type *type)
{
    return type != NULL ? (char *)buf + type->true_lb : NULL;
}

/* What the runtime reads and writes. */
struct buffers {
    const void *in;
    void *out;
};

/* A type that is NULL: none */
static void tell_blocks(const void *in, const struct type *in_type, size_t n, const void *out,
                        const struct type *out_type, size_t m)
{
    if (in_type != NULL)
        tell_block(in, in_type, n);
    if (out_type != NULL)
        tell_block(out, out_type, m);
}

/* A buffer that is longer than its block is named first: it may be why they overlap. in_type: NULL: in place */
#define CHECK_APART(c, in, in_type, n, out, out_type, m)                                           \
    do {                                                                                           \
        tell_blocks(in, in_type, n, out, out_type, m);                                             \
        CHECK(c,                                                                                   \
              !the_run.checks || (in_type) == NULL ||                                              \
                  !mpi_share_bytes(in, in_type, n, out, out_type, m),                              \
              MPI_ERR_BUFFER, "the buffers to send and to receive overlap; pass MPI_IN_PLACE");    \
    } while (0)
#define CHECK_BUFFER(c, buf, n, type, what) CHECK_AT(c, buf, type, (size_t)(n), " to " what)

/* n elements are read; they are copied if they are packed, or `copies`. m elements are written to
 * out, from packed ones when r is complete. A type that is NULL: none; a buffer may be MPI_BOTTOM, which
 * is null, too. @return MPI_SUCCESS or a class */
static int place(struct request *r, struct buffers *b, const void *in, struct type *in_type,
                 size_t n, bool copies, void *out, struct type *out_type, size_t m)
{
    const bool packs_in = in_type != NULL && (copies || !in_a_row(in_type, n)),
               packs_out = out_type != NULL && !in_a_row(out_type, m);
    const size_t in_bytes = packs_in ? n * in_type->size : 0,
                 out_bytes = packs_out ? m * out_type->size : 0;

    if (packs_in || packs_out) {
        r->memory = malloc(in_bytes + out_bytes + 1);
        CHECK_MEMORY(r->comm, r->memory);
    }
    b->in = packs_in ? r->memory : data_at(in, in_type);
    b->out = packs_out ? (char *)r->memory + in_bytes : data_at(out, out_type);
    if (packs_in)
        mpi_pack(in_type, n, in, r->memory);
    if (packs_out) {
        mpi_keep_type(out_type);
        r->packed = b->out;
        r->type = out_type;
        r->buf = out;
        r->count = m;
    }
    return MPI_SUCCESS;
}

/* Note the buffers, and place() them. In place, the operands are a part of the result. */
static int prepare(struct request *r, struct buffers *b, const void *in, struct type *in_type,
                   size_t n, bool in_place, void *out, struct type *out_type, size_t m)
{
    TELL(buffers, r, in, in_place ? NULL : in_type, n, out, out_type, m);
    tell_blocks(in, in_place ? NULL : in_type, n, out, out_type, m);
    return place(r, b, in, in_type, n, in_place, out, out_type, m);
}

/* ---- barrier and broadcast ---- */

static int barrier(struct rank *me, MPI_Comm comm, MPI_Request *request)
{
    HERE(c, me, comm);
    TELL(order, c, request != NULL);
    if (request == NULL)
        return mpi_class_of(logp_barrier(c->vp));
    BEGIN(r, c);
    return mpi_end_collective(r, mpi_class_of(logp_ibarrier(c->vp, &r->under_way)), request);
}

BOTH(Barrier, barrier(me, comm, request))

static int bcast(struct rank *me, PARAMETERS_Bcast, MPI_Request *request)
{
    struct buffers b = {NULL, NULL};
    size_t bytes;
    int rc;

    HERE(c, me, comm);
    DATA_TYPE(t, type, c);
    CHECK_COUNT(c, count);
    CHECK_ROOT(c, root);
    CHECK_BUFFER(c, buf, count, t, "send or receive");
    if (c->inter)
        return mpi_scatter_items(c, &(struct items){.buf = buf, .count = count, .type = type}, buf,
                                 count, type, root, request);
    TELL(members, c, t, (size_t)count, request != NULL);
    tell_block(buf, t, (size_t)count);
    rc = mpi_synchronize(c, root, request);
    if (rc != MPI_SUCCESS)
        return rc;
    bytes = (size_t)count * t->size;
    if (is_direct(c, request, t, (size_t)count, NULL, 0))
        return mpi_class_of(logp_broadcast(c->vp, data_at(buf, t), bytes, root));
    BEGIN(r, c);
    if (c->rank == root)
        TELL(buffers, r, buf, t, (size_t)count, NULL, NULL, 0);
    else
        TELL(buffers, r, NULL, NULL, 0, buf, t, (size_t)count);
    rc = place(r, &b, NULL, NULL, 0, false, buf, t, (size_t)count);
    if (rc == MPI_SUCCESS && r->packed != NULL && c->rank == root) {
        mpi_pack(t, (size_t)count, buf, b.out);
        r->packed = NULL; /* nothing is to be unpacked */
    }
    if (rc == MPI_SUCCESS)
        rc = CALL(c->vp, STARTED(r, request), broadcast, b.out, bytes, root);
    return mpi_end_collective(r, rc, request);
}

BOTH(Bcast, bcast(me, ARGUMENTS_Bcast, request))

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

/* The blocks to send, `apart` elements apart, and those to receive. */
#define SENT(b, apart)                                                                             \
    (struct items)                                                                                 \
    {                                                                                              \
        .buf = (char *)(b).in, .type = (b).in_type, .count = (b).in_count, .stride = (apart)       \
    }
#define RECEIVED(b)                                                                                \
    (struct items)                                                                                 \
    {                                                                                              \
        .buf = (b).out, .type = (b).out_type, .count = (b).out_count, .stride = (b).out_count      \
    }

/* Both types of b, which has n_in and n_out blocks; those of a buffer that is not significant may be null. */
#define BLOCKS(x, c, b, reads, n_in, writes, n_out)                                                \
    struct blocks x = b;                                                                           \
    struct type *in_type = (reads) ? mpi_type_of(x.in_type) : NULL;                                \
    struct type *out_type = (writes) ? mpi_type_of(x.out_type) : NULL;                             \
    CHECK(c, !(reads) || in_type != NULL, MPI_ERR_TYPE, "the datatype to send is null");           \
    CHECK(c, !(writes) || out_type != NULL, MPI_ERR_TYPE, "the datatype to receive is null");      \
    if (reads)                                                                                     \
        CHECK_COMMITTED(c, in_type);                                                               \
    if (writes)                                                                                    \
        CHECK_COMMITTED(c, out_type);                                                              \
    CHECK_COUNT(c, (reads) ? x.in_count : 0);                                                      \
    CHECK_COUNT(c, (writes) ? x.out_count : 0);                                                    \
    if (reads)                                                                                     \
        CHECK_BUFFER(c, x.in, (size_t)x.in_count *(n_in), in_type, "send");                        \
    if (writes)                                                                                    \
    CHECK_BUFFER(c, x.out, (size_t)x.out_count *(n_out), out_type, "receive")

/* What a rank sends to itself has the type signature that it receives. */
#define CHECK_OWN(c, in_type, n, out_type, m)                                                      \
    CHECK(c, (size_t)(n) * (in_type)->size == (size_t)(m) * (out_type)->size, MPI_ERR_TRUNCATE,    \
          "%zu bytes are sent to each rank and %zu received", (size_t)(n) * (in_type)->size,       \
          (size_t)(m) * (out_type)->size);                                                         \
    TELL(alike, c, in_type, (size_t)(n), "the data sent to itself", out_type, (size_t)(m),         \
         "the data received")

/* In place the blocks to send are those to receive, from block number `at` on. */
static int take_in_place(struct comm *c, struct blocks *given, int at)
{
    const struct type *t = mpi_type_of(given->out_type);
    bool fits = true;
    ptrdiff_t offset;

    CHECK(c, t != NULL, MPI_ERR_TYPE, "the datatype to receive is null");
    offset = product((ptrdiff_t)at * given->out_count, t->extent, &fits);
    CHECK(c, fits, MPI_ERR_COUNT, "the blocks have 2^63 bytes or more");
    given->in = (char *)given->out + offset;
    given->in_count = given->out_count;
    given->in_type = given->out_type;
    return MPI_SUCCESS;
}

static int gather(struct rank *me, struct blocks given, int root, MPI_Comm comm,
                  MPI_Request *request)
{
    struct buffers b;
    bool is_root, in_place;
    size_t bytes;
    int rc;

    HERE(c, me, comm);
    CHECK_ROOT(c, root);
    if (c->inter)
        return mpi_gather_items(c, given.in, given.in_count, given.in_type, &RECEIVED(given), root,
                                request);
    is_root = c->rank == root;
    in_place = given.in == MPI_IN_PLACE;
    CHECK(c, !in_place || is_root, MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root alone");
    rc = in_place ? take_in_place(c, &given, root) : MPI_SUCCESS;
    if (rc != MPI_SUCCESS)
        return rc;
    BLOCKS(x, c, given, true, 1, is_root, (size_t)c->size);
    bytes = (size_t)x.in_count * in_type->size;
    if (is_root) {
        CHECK_OWN(c, in_type, x.in_count, out_type, x.out_count);
        CHECK_APART(c, x.in, in_place ? NULL : in_type, (size_t)x.in_count, x.out, out_type,
                    (size_t)x.out_count * (size_t)c->size);
    }
    TELL(members, c, is_root ? out_type : in_type, (size_t)(is_root ? x.out_count : x.in_count),
         request != NULL);
    rc = mpi_synchronize(c, root, request);
    if (rc != MPI_SUCCESS)
        return rc;
    if (!in_place && is_direct(c, request, in_type, (size_t)x.in_count, out_type,
                               (size_t)x.out_count * (size_t)c->size)) {
        tell_blocks(x.in, in_type, (size_t)x.in_count, x.out, out_type,
                    (size_t)x.out_count * (size_t)c->size);
        return mpi_class_of(
            logp_gather(c->vp, data_at(x.in, in_type), data_at(x.out, out_type), bytes, root));
    }
    BEGIN(r, c);
    rc = prepare(r, &b, x.in, in_type, (size_t)x.in_count, in_place, is_root ? x.out : NULL,
                 out_type, is_root ? (size_t)x.out_count * (size_t)c->size : 0);
    if (rc == MPI_SUCCESS)
        rc = CALL(c->vp, STARTED(r, request), gather, b.in, b.out, bytes, root);
    return mpi_end_collective(r, rc, request);
}

static int scatter(struct rank *me, struct blocks given, int root, MPI_Comm comm,
                   MPI_Request *request)
{
    struct buffers b;
    bool is_root, in_place;
    size_t bytes;
    int rc;

    HERE(c, me, comm);
    CHECK_ROOT(c, root);
    if (c->inter)
        return mpi_scatter_items(c, &SENT(given, given.in_count), given.out, given.out_count,
                                 given.out_type, root, request);
    is_root = c->rank == root;
    in_place = given.out == MPI_IN_PLACE;
    CHECK(c, !in_place || is_root, MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root alone");
    BLOCKS(x, c, given, is_root, (size_t)c->size, !in_place, 1);
    bytes = in_place ? (size_t)x.in_count * in_type->size : (size_t)x.out_count * out_type->size;
    if (is_root && !in_place) {
        CHECK_OWN(c, in_type, x.in_count, out_type, x.out_count);
        CHECK_APART(c, x.in, in_type, (size_t)x.in_count * (size_t)c->size, x.out, out_type,
                    (size_t)x.out_count);
    }
    TELL(members, c, is_root ? in_type : out_type, (size_t)(is_root ? x.in_count : x.out_count),
         request != NULL);
    rc = mpi_synchronize(c, root, request);
    if (rc != MPI_SUCCESS)
        return rc;
    if (!in_place && is_direct(c, request, in_type, (size_t)x.in_count * (size_t)c->size, out_type,
                               (size_t)x.out_count)) {
        tell_blocks(x.in, in_type, (size_t)x.in_count * (size_t)c->size, x.out, out_type,
                    (size_t)x.out_count);
        return mpi_class_of(
            logp_scatter(c->vp, data_at(x.in, in_type), data_at(x.out, out_type), bytes, root));
    }
    BEGIN(r, c);
    if (in_place) { /* the root's own block goes here, and is not used */
        r->own_block = malloc(bytes + 1);
        CHECK_MEMORY(c, r->own_block);
    }
    rc = prepare(r, &b, is_root ? x.in : NULL, in_type,
                 is_root ? (size_t)x.in_count * (size_t)c->size : 0, false,
                 in_place ? r->own_block : x.out, in_place ? mpi_type_of(MPI_BYTE) : out_type,
                 in_place ? bytes : (size_t)x.out_count);
    if (rc == MPI_SUCCESS)
        rc = CALL(c->vp, STARTED(r, request), scatter, b.in, b.out, bytes, root);
    return mpi_end_collective(r, rc, request);
}

/* all: each rank has an item for each (alltoall), else one for all (allgather). */
static int exchange(struct rank *me, struct blocks given, bool all, MPI_Comm comm,
                    MPI_Request *request)
{
    struct buffers b;
    bool in_place;
    size_t bytes, n;
    int rc;

    HERE(c, me, comm);
    n = (size_t)c->size;
    if (c->inter)
        return mpi_exchange_items(c, &SENT(given, all ? given.in_count : 0), &RECEIVED(given),
                                  request);
    in_place = given.in == MPI_IN_PLACE;
    rc = in_place ? take_in_place(c, &given, all ? 0 : c->rank) : MPI_SUCCESS;
    if (rc != MPI_SUCCESS)
        return rc;
    BLOCKS(x, c, given, true, all ? n : 1, true, n);
    bytes = (size_t)x.in_count * in_type->size;
    CHECK_OWN(c, in_type, x.in_count, out_type, x.out_count);
    CHECK_APART(c, x.in, in_place ? NULL : in_type, (size_t)x.in_count * (all ? n : 1), x.out,
                out_type, (size_t)x.out_count * n);
    TELL(members, c, in_type, (size_t)x.in_count, request != NULL);
    if (!in_place && is_direct(c, request, in_type, (size_t)x.in_count * (all ? n : 1), out_type,
                               (size_t)x.out_count * n)) {
        tell_blocks(x.in, in_type, (size_t)x.in_count * (all ? n : 1), x.out, out_type,
                    (size_t)x.out_count * n);
        return mpi_class_of((all ? logp_alltoall : logp_allgather)(
            c->vp, data_at(x.in, in_type), data_at(x.out, out_type), bytes));
    }
    BEGIN(r, c);
    rc = prepare(r, &b, x.in, in_type, (size_t)x.in_count * (all ? n : 1), in_place, x.out,
                 out_type, (size_t)x.out_count * n);
    if (rc == MPI_SUCCESS)
        rc = all ? CALL(c->vp, STARTED(r, request), alltoall, b.in, b.out, bytes)
                 : CALL(c->vp, STARTED(r, request), allgather, b.in, b.out, bytes);
    return mpi_end_collective(r, rc, request);
}

#define GIVEN                                                                                      \
    (struct blocks)                                                                                \
    {                                                                                              \
        send_buf, send_count, send_type, recv_buf, recv_count, recv_type                           \
    }

BOTH(Gather, gather(me, GIVEN, root, comm, request))
BOTH(Scatter, scatter(me, GIVEN, root, comm, request))
BOTH(Allgather, exchange(me, GIVEN, false, comm, request))
BOTH(Alltoall, exchange(me, GIVEN, true, comm, request))

/* ---- reductions ---- */

enum reduction_kind { REDUCE, ALLREDUCE, REDUCE_SCATTER, SCAN, EXSCAN, REDUCE_PARTS };

/* started: NULL: it is blocking */
static int run_reduction(struct logp_vp *vp, enum reduction_kind kind, const void *in, void *out,
                         int64_t n, const struct logp_op *op, int root,
                         struct logp_request **started)
{
    switch (kind) {
    case REDUCE:
        return CALL(vp, started, reduce, in, out, n, op, root);
    case REDUCE_SCATTER:
        return CALL(vp, started, reduce_scatter, in, out, n, op);
    case SCAN:
        return CALL(vp, started, scan, in, out, n, op);
    case EXSCAN:
        return CALL(vp, started, exscan, in, out, n, op);
    default:
        return CALL(vp, started, allreduce, in, out, n, op);
    }
}

/* What a reduction is given. */
struct operands {
    enum reduction_kind kind;
    const void *in;
    void *out;
    int64_t n;            /* elements of the result; of REDUCE_SCATTER: of each rank's */
    int64_t first, n_own; /* those of the result that are for this rank */
    MPI_Datatype type;
    MPI_Op op;
    int root;
};

static struct items operands_of(const struct operands *x)
{
    return (struct items){
        .buf = (char *)x->in, .type = x->type, .count = (int)x->n, .stride = (int)x->n};
}

/* Elements that a rank gives, and gets */
static size_t n_given(const struct comm *c, const struct operands *x)
{
    return (size_t)x->n * (x->kind == REDUCE_SCATTER ? (size_t)c->size : 1);
}

static size_t n_gotten(const struct comm *c, const struct operands *x)
{
    return x->kind == REDUCE && c->rank != x->root ? 0 : (size_t)x->n_own;
}

/* Check a collective between two groups. Its data are received into memory of the library. */
static int check_inter(struct comm *c, const struct operands *x)
{
    const struct items in = operands_of(x), none = {.type = MPI_BYTE};

    CHECK(c, x->kind != SCAN && x->kind != EXSCAN, MPI_ERR_COMM,
          "the communicator is between two groups");
    CHECK(c, x->in != MPI_IN_PLACE, MPI_ERR_BUFFER, "MPI_IN_PLACE is not for two groups");
    CHECK(c, x->n <= INT_MAX, MPI_ERR_COUNT, "%lld elements, but at most %d between two groups",
          (long long)x->n, INT_MAX);
    if (x->kind == REDUCE)
        return mpi_check_gather(c, &in, &none, x->root);
    return mpi_check_item(c, REQUEST_SEND, &in, 0, 0);
}

static int check_intra(struct comm *c, const struct operands *x, const struct type *t)
{
    const bool in_place = x->in == MPI_IN_PLACE;
    const size_t n_in = n_given(c, x), n_out = n_gotten(c, x);

    CHECK(c, !in_place || x->kind != REDUCE || c->rank == x->root, MPI_ERR_BUFFER,
          "MPI_IN_PLACE is for the root alone");
    CHECK_BUFFER(c, in_place ? x->out : x->in, n_in, t, "send");
    CHECK_BUFFER(c, x->out, n_out, t, "receive");
    CHECK_APART(c, x->in, in_place ? NULL : t, n_in, x->out, t, n_out);
    return MPI_SUCCESS;
}

/* Between two groups: each rank that has a result gets the operands of the other group. */
static int reduce_inter(struct request *r, const struct operands *x, const struct type *t)
{
    struct comm *c = r->comm;
    const bool all = x->kind != REDUCE;
    const size_t n = all || x->root == MPI_ROOT ? (size_t)c->n_peers : 0;
    const struct items in = {.buf = (char *)x->in, .type = x->type, .count = (int)x->n};
    struct items received = operands_of(x);

    r->memory = malloc(n * (size_t)r->n * (size_t)t->extent + 1);
    CHECK_MEMORY(c, r->memory);
    r->n_blocks = (int)n;
    received.buf = (char *)r->memory - t->lb;
    return all ? mpi_start_exchange(r, &in, &received)
               : mpi_start_gather(r, &in, &received, x->root);
}

/* In one group. In place the operands are in out, and are copied. */
static int reduce_intra(struct request *r, const struct operands *x, const struct type *t,
                        MPI_Request *request)
{
    const size_t n_in = n_given(r->comm, x), n_out = n_gotten(r->comm, x),
                 bytes = n_in * (size_t)t->extent;
    const bool in_place = x->in == MPI_IN_PLACE, parts = x->kind == REDUCE_PARTS;
    const void *in = in_place ? x->out : x->in;
    void *out = x->out;

    TELL(buffers, r, in, in_place ? NULL : t, n_in, out, t, n_out);
    tell_blocks(in, in_place ? NULL : t, n_in, out, t, n_out);
    in = n_in > 0 ? (const char *)in + t->lb : NULL;
    out = n_out > 0 || (in_place && n_in > 0) ? (char *)out + t->lb : NULL;
    if (in_place || parts) {
        r->memory = malloc((parts && in_place ? 2 : 1) * bytes + 1);
        CHECK_MEMORY(r->comm, r->memory);
    }
    if (in_place && bytes > 0)
        in = memcpy((char *)r->memory + (parts ? bytes : 0), in, bytes);
    if (parts) {
        out = r->memory;
        r->n_blocks = 1;
    }
    return x->n > 0 ? run_reduction(r->comm->vp, x->kind, in, out, x->n, &r->reduction->op, x->root,
                                    STARTED(r, request))
                    : MPI_SUCCESS;
}

/* The same without a request. */
static int reduce_direct(const struct comm *c, const struct operands *x, const struct type *t,
                         const struct reduction *reduction)
{
    const size_t n_in = n_given(c, x), n_out = n_gotten(c, x);
    int rc = MPI_SUCCESS;

    tell_blocks(x->in, t, n_in, x->out, t, n_out);
    if (x->n > 0)
        rc = run_reduction(c->vp, x->kind, (const char *)x->in + t->lb,
                           n_out > 0 ? (char *)x->out + t->lb : NULL, x->n, &reduction->op, x->root,
                           NULL);
    mpi_drop_reduction(reduction);
    return rc;
}

static int reduce(struct rank *me, const struct operands *x, MPI_Comm comm, MPI_Request *request)
{
    const struct reduction *reduction;
    int rc;

    HERE(c, me, comm);
    DATA_TYPE(t, x->type, c);
    CHECK(c, x->n >= 0, MPI_ERR_COUNT, "count is %lld, but must be at least 0", (long long)x->n);
    CHECK_ROOT(c, x->root);
    CHECK(c, t->extent >= 0, MPI_ERR_TYPE, "the extent of %s is negative", t->name);
    CHECK_SIZE(c, t, (size_t)x->n * (size_t)c->n_peers);
    rc = c->inter ? check_inter(c, x) : check_intra(c, x, t);
    if (rc != MPI_SUCCESS)
        return rc;
    rc = mpi_take_reduction(x->op, x->type, &reduction);
    CHECK(c, rc != MPI_ERR_NO_MEM, rc, "no memory");
    if (rc != MPI_SUCCESS)
        return mpi_failed(c, rc, "the operation is null, or does not apply to %s", t->name);
    if (!c->inter)
        TELL(members, c, t, (size_t)x->n, request != NULL);
    if (x->kind == REDUCE || x->kind == SCAN || x->kind == EXSCAN)
        rc = mpi_synchronize(c, x->kind == REDUCE ? x->root : -1, request);
    if (rc == MPI_SUCCESS && !c->inter && x->kind != REDUCE_PARTS && x->in != MPI_IN_PLACE &&
        is_direct(c, request, NULL, 0, NULL, 0))
        return reduce_direct(c, x, t, reduction);
    BEGIN(r, c);
    r->reduction = reduction;
    mpi_keep_type(t);
    r->type = t;
    r->n = x->n;
    r->skip = (size_t)x->first * (size_t)t->extent;
    r->bytes = (size_t)x->n_own * (size_t)t->extent;
    r->result = (char *)x->out + t->lb;
    if (rc == MPI_SUCCESS)
        rc = c->inter ? reduce_inter(r, x, t) : reduce_intra(r, x, t, request);
    return mpi_end_collective(r, rc, request);
}

/* counts: NULL: each has `count`. Between two groups each rank's part is of the other group's. */
static int reduce_scatter(struct rank *me, const void *in, void *out, const int counts[], int count,
                          MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    struct operands x = {REDUCE_PARTS, in, out, 0, 0, count, type, op, 0};

    HERE(c, me, comm);
    if (counts == NULL && !c->inter) {
        x.kind = REDUCE_SCATTER;
        x.n = count;
        return reduce(me, &x, comm, request);
    }
    for (int i = 0; i < c->size; i++) {
        const int n = counts != NULL ? counts[i] : count;

        CHECK_COUNT(c, n);
        x.first += i < c->rank ? n : 0;
        x.n += n;
    }
    x.n_own = counts != NULL ? counts[c->rank] : count;
    return reduce(me, &x, comm, request);
}

#define REDUCTION(kind, root)                                                                      \
    reduce(me, &(struct operands){kind, send_buf, recv_buf, count, 0, count, type, op, root},      \
           comm, request)
BOTH(Allreduce, REDUCTION(ALLREDUCE, 0))
BOTH(Scan, REDUCTION(SCAN, 0))
BOTH(Exscan, REDUCTION(EXSCAN, 0))
BOTH(Reduce, REDUCTION(REDUCE, root))

#define SCATTERED(counts, count)                                                                   \
    reduce_scatter(me, send_buf, recv_buf, counts, count, type, op, comm, request)
BOTH(Reduce_scatter, SCATTERED(recv_counts, 0))
BOTH(Reduce_scatter_block, SCATTERED(NULL, recv_count))
