/* SPDX-License-Identifier: MIT */
/*
 * Collectives made of messages that are waited for together, directly from each rank to each that it
 * concerns: those with counts of each rank's own, and all between two groups.
 */
#include "collective.h"
#include "world.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 1 << 29 }; /* of the messages of inner communicators: above all of the runtime's */

struct request *mpi_begin_collective(struct comm *c)
{
    struct request *r = mpi_new_request(REQUEST_COLLECTIVE, c);

    if (r != NULL) {
        r->active = true;
        set_status(&r->status, MPI_UNDEFINED, MPI_UNDEFINED, 0);
    }
    return r;
}

int mpi_end_collective(struct request *r, int rc, MPI_Request *request)
{
    if (rc == MPI_SUCCESS && request != NULL) {
        mpi_give_request(r, NULL, request);
        return rc;
    }
    if (rc == MPI_SUCCESS)
        rc = mpi_wait_for(r);
    mpi_free_request(r);
    return rc;
}

/* ---- one message ---- */

static struct comm *inner_of(struct comm *c)
{
    if (c->inner == NULL) {
        c->inner = mpi_new_comm(logp_vp_collective(c->vp), mpi_n_first_of(c), c);
        if (c->inner != NULL)
            c->inner->references = 1 << 30; /* it goes with its communicator */
    }
    return c->inner;
}

/* Add a message of checked arguments to r, and start it. */
static int add_part(struct request *r, enum request_kind kind, const void *buf, int count,
                    struct type *type, int peer, int tag)
{
    struct comm *inner = inner_of(r->comm);
    struct request *part = inner != NULL ? mpi_new_request(kind, inner) : NULL, **parts;

    parts = realloc(r->parts, (size_t)(r->n_parts + 1) * sizeof(struct request *));
    CHECK(r->comm, part != NULL && parts != NULL, MPI_ERR_NO_MEM, "no memory");
    r->parts = parts;
    parts[r->n_parts++] = part;
    part->type = type;
    mpi_keep_type(part->type);
    part->buf = (void *)buf;
    part->count = (size_t)count;
    part->peer = peer;
    part->tag = TAG + tag;
    part->mode = LOGP_SEND_STANDARD;
    part->is_part = true;
    part->call = r->comm->owner->call;
    part->caller = r->comm->owner->caller;
    return kind == REQUEST_SEND ? mpi_start_send(part) : mpi_start_recv(part);
}

/* ---- items ---- */

static int item_count(const struct items *x, int i)
{
    return x->counts != NULL ? x->counts[i] : x->count;
}

/* NULL: there is none. Where each item has a type of its own, that of no elements may be null. */
static struct type *item_type(const struct items *x, int i)
{
    if (x->types == NULL)
        return mpi_type_of(x->type);
    return mpi_type_of(x->types[i] == MPI_DATATYPE_NULL && item_count(x, i) == 0 ? MPI_BYTE
                                                                                 : x->types[i]);
}

/* Bytes from the buffer to item i */
static ptrdiff_t offset_of(const struct items *x, int i, bool *fits)
{
    const struct type *t = mpi_type_of(x->type);

    if (x->bytes != NULL)
        return x->bytes[i];
    if (x->types != NULL)
        return x->displs[i];
    if (t == NULL)
        return 0;
    return product(x->displs != NULL ? x->displs[i] : (ptrdiff_t)i * x->stride, t->extent, fits);
}

static char *item(const struct items *x, int i)
{
    bool fits = true;

    return (char *)((uintptr_t)x->buf + (uintptr_t)offset_of(x, i, &fits)); /* of MPI_BOTTOM, too */
}

int mpi_check_item(struct comm *c, enum request_kind kind, const struct items *x, int i, int peer)
{
    const struct type *t = item_type(x, i);
    const int count = item_count(x, i);
    bool fits = true;

    CHECK(c, t != NULL, MPI_ERR_TYPE, "a datatype is null or has been freed");
    CHECK_COMMITTED(c, t);
    CHECK_COUNT(c, count);
    offset_of(x, i, &fits);
    CHECK(c, fits, MPI_ERR_ARG, "the displacement of item %d is 2^63 bytes or more", i);
    if (peer != MPI_PROC_NULL)
        CHECK_AT(c, item(x, i), t, (size_t)count,
                 kind == REQUEST_SEND ? " to send" : " to receive");
    return MPI_SUCCESS;
}

/* The same of one item for each of the peers, or, not being that, of the one for this rank's peer. */
static int check_items(struct comm *c, enum request_kind kind, const struct items *x, bool all)
{
    int rc = MPI_SUCCESS;

    for (int i = 0; i < (all ? c->n_peers : 1) && rc == MPI_SUCCESS; i++)
        rc = mpi_check_item(c, kind, x, i, i);
    return rc;
}

int mpi_move_item(struct request *r, enum request_kind kind, const struct items *x, int i, int peer,
                  int tag)
{
    return add_part(r, kind, item(x, i), item_count(x, i), item_type(x, i), peer, tag);
}

/* Copy this rank's item for itself, number i of `in`. */
static int copy_own(struct request *r, const struct items *in, int i, const struct items *out,
                    int own)
{
    struct type *from = item_type(in, i), *to = item_type(out, own);
    const size_t n = (size_t)item_count(in, i), m = (size_t)item_count(out, own),
                 bytes = n * from->size;
    void *memory;

    if (item(in, i) == item(out, own) &&
        from == to) /* already in place; with MPI_BOTTOM only equal types show it */
        return MPI_SUCCESS;
    TELL(alike, r->comm, from, n, "the data sent to itself", to, m, "the data received");
    memory = malloc(bytes + 1);
    CHECK_MEMORY(r->comm, memory);
    mpi_pack(from, n, item(in, i), memory);
    mpi_unpack(to, m, memory, bytes, item(out, own));
    free(memory);
    return MPI_SUCCESS;
}

/* ---- to one, and from one ---- */

static bool is_root(const struct comm *c, int root)
{
    return c->inter ? root == MPI_ROOT : root == c->rank;
}

/* The data of one call, to the root or from it, as an item */
#define ONE(data, n, of)                                                                           \
    (struct items)                                                                                 \
    {                                                                                              \
        .buf = (char *)(data), .type = (of), .count = (n)                                          \
    }

/* One item of a rank's own, and items of all at the root. */
static int check_rooted(struct comm *c, enum request_kind own_kind, const struct items *own,
                        enum request_kind kind, const struct items *all, int root)
{
    const bool in_place = own->buf == MPI_IN_PLACE;
    int rc = MPI_SUCCESS;

    CHECK(c, !c->inter || !in_place, MPI_ERR_BUFFER, "MPI_IN_PLACE is not for two groups");
    if (root == MPI_PROC_NULL)
        return rc;
    if (!is_root(c, root) || (!c->inter && !in_place))
        rc = check_items(c, own_kind, own, false);
    return rc == MPI_SUCCESS && is_root(c, root) ? check_items(c, kind, all, true) : rc;
}

int mpi_check_gather(struct comm *c, const struct items *in, const struct items *out, int root)
{
    return check_rooted(c, REQUEST_SEND, in, REQUEST_RECV, out, root);
}

int mpi_start_gather(struct request *r, const struct items *in, const struct items *out, int root)
{
    const struct comm *c = r->comm;
    int rc = MPI_SUCCESS;

    if (!is_root(c, root))
        return root == MPI_PROC_NULL ? MPI_SUCCESS : mpi_move_item(r, REQUEST_SEND, in, 0, root, 0);
    for (int i = 0; i < c->n_peers && rc == MPI_SUCCESS; i++)
        if (c->inter || i != root)
            rc = mpi_move_item(r, REQUEST_RECV, out, i, i, 0);
        else if (in->buf != MPI_IN_PLACE)
            rc = copy_own(r, in, 0, out, i);
    return rc;
}

/* The others call the same: with the runtime's collectives it sees to that itself. */
static int note_call(struct comm *c, int root, const MPI_Request *request)
{
    const struct logp_call call = {.name = mpi_this_rank()->call, .root = root};

    return c->inter ? MPI_SUCCESS : mpi_class_of(logp_vp_note_call(c->vp, request != NULL, &call));
}

int mpi_synchronize(struct comm *c, int root, const MPI_Request *request)
{
    int rc = MPI_SUCCESS;

    if (!the_run.synchronizes || request != NULL || c->inter)
        return rc;
    rc = note_call(c, root, request);
    return rc == MPI_SUCCESS ? mpi_class_of(logp_barrier(c->vp)) : rc;
}

/* A call of messages begins. */
static int begin_messages(struct comm *c, int root, const MPI_Request *request)
{
    const int rc = note_call(c, root, request);

    TELL(order, c, request != NULL);
    return rc == MPI_SUCCESS && root >= 0 ? mpi_synchronize(c, root, request) : rc;
}

int mpi_gather_items(struct comm *c, const void *in, int in_count, MPI_Datatype in_type,
                     const struct items *out, int root, MPI_Request *request)
{
    const struct items one = ONE(in, in_count, in_type);
    int rc = mpi_check_gather(c, &one, out, root);

    if (rc == MPI_SUCCESS)
        rc = begin_messages(c, root, request);
    if (rc != MPI_SUCCESS)
        return rc;
    BEGIN(r, c);
    return mpi_end_collective(r, mpi_start_gather(r, &one, out, root), request);
}

static int start_scatter(struct request *r, const struct items *in, const struct items *out,
                         int root)
{
    const struct comm *c = r->comm;
    int rc = MPI_SUCCESS;

    if (!is_root(c, root))
        return root == MPI_PROC_NULL ? MPI_SUCCESS
                                     : mpi_move_item(r, REQUEST_RECV, out, 0, root, 0);
    for (int i = 0; i < c->n_peers && rc == MPI_SUCCESS; i++)
        if (c->inter || i != root)
            rc = mpi_move_item(r, REQUEST_SEND, in, i, i, 0);
        else if (out->buf != MPI_IN_PLACE)
            rc = copy_own(r, in, i, out, 0);
    return rc;
}

int mpi_scatter_items(struct comm *c, const struct items *in, void *out, int out_count,
                      MPI_Datatype out_type, int root, MPI_Request *request)
{
    const struct items one = ONE(out, out_count, out_type);
    int rc = check_rooted(c, REQUEST_RECV, &one, REQUEST_SEND, in, root);

    if (rc == MPI_SUCCESS)
        rc = begin_messages(c, root, request);
    if (rc != MPI_SUCCESS)
        return rc;
    BEGIN(r, c);
    return mpi_end_collective(r, start_scatter(r, in, &one, root), request);
}

/* ---- from each to each ---- */

int mpi_check_exchange(struct comm *c, const struct items *in, const struct items *out)
{
    int rc;

    CHECK(c, !c->inter || in->buf != MPI_IN_PLACE, MPI_ERR_BUFFER,
          "MPI_IN_PLACE is not for two groups");
    rc = check_items(c, REQUEST_RECV, out, true);
    if (rc == MPI_SUCCESS && in->buf != MPI_IN_PLACE)
        return check_items(c, REQUEST_SEND, in, true);
    for (int i = 0; i < c->size && rc == MPI_SUCCESS; i++) {
        const size_t bytes = (size_t)item_count(out, i) * item_type(out, i)->size;

        CHECK(c, bytes <= INT_MAX, MPI_ERR_COUNT, "an item of %zu bytes, but at most %d in place",
              bytes, INT_MAX);
    }
    return rc;
}

/* In place: copy the items to be sent, to `in`, first. @return MPI_SUCCESS or a class */
static int copy_items(struct request *r, const struct items *x, struct items *in, MPI_Aint at[],
                      int counts[])
{
    size_t bytes = 0;

    for (int i = 0; i < r->comm->size; i++) {
        counts[i] = (int)((size_t)item_count(x, i) * item_type(x, i)->size);
        at[i] = (MPI_Aint)bytes;
        bytes += (size_t)counts[i];
    }
    r->memory = malloc(bytes + 1);
    CHECK_MEMORY(r->comm, r->memory);
    for (int i = 0; i < r->comm->size; i++)
        mpi_pack(item_type(x, i), (size_t)item_count(x, i), item(x, i), (char *)r->memory + at[i]);
    *in = (struct items){.buf = r->memory, .counts = counts, .bytes = at, .type = MPI_PACKED};
    return MPI_SUCCESS;
}

/* Receives, the own item, then sends, each rank beginning with another one. */
int mpi_start_exchange(struct request *r, const struct items *in, const struct items *out)
{
    const struct comm *c = r->comm;
    const int n = c->n_peers, me = c->rank % n, first = c->inter ? 0 : 1;
    int rc = MPI_SUCCESS;

    for (int k = first; k < n && rc == MPI_SUCCESS; k++) {
        const int from = (me + n - k) % n;

        rc = mpi_move_item(r, REQUEST_RECV, out, from, from, 0);
    }
    if (!c->inter && rc == MPI_SUCCESS && (in->buf == NULL || in->buf != r->memory))
        rc = copy_own(r, in, me, out, me);
    for (int k = first; k < n && rc == MPI_SUCCESS; k++)
        rc = mpi_move_item(r, REQUEST_SEND, in, (me + k) % n, (me + k) % n, 0);
    return rc;
}

static int exchange_in_place(struct request *r, const struct items *x)
{
    const size_t n = (size_t)r->comm->size;
    MPI_Aint *at = malloc(n * (sizeof(MPI_Aint) + sizeof(int)));
    struct items in;
    int rc;

    CHECK_MEMORY(r->comm, at);
    rc = copy_items(r, x, &in, at, (int *)(at + n));
    if (rc == MPI_SUCCESS)
        rc = mpi_start_exchange(r, &in, x);
    free(at);
    return rc;
}

int mpi_exchange_items(struct comm *c, const struct items *in, const struct items *out,
                       MPI_Request *request)
{
    int rc = mpi_check_exchange(c, in, out);

    if (rc == MPI_SUCCESS)
        rc = begin_messages(c, -1, request);
    if (rc != MPI_SUCCESS)
        return rc;
    BEGIN(r, c);
    return mpi_end_collective(
        r, in->buf == MPI_IN_PLACE ? exchange_in_place(r, out) : mpi_start_exchange(r, in, out),
        request);
}

/* ---- MPI's names ---- */

static int gatherv(struct rank *me, PARAMETERS_Gatherv, MPI_Request *request)
{
    HERE(c, me, comm);
    CHECK_ROOT(c, root);
    CHECK(c,
          (recv_counts != NULL && displs != NULL) ||
              (c->inter ? root != MPI_ROOT : c->rank != root),
          MPI_ERR_ARG, "the counts or displacements are null at the root");
    return mpi_gather_items(
        c, send_buf, send_count, send_type,
        &(struct items){
            .buf = recv_buf, .counts = recv_counts, .displs = displs, .type = recv_type},
        root, request);
}

BOTH(Gatherv, gatherv(me, ARGUMENTS_Gatherv, request))

static int scatterv(struct rank *me, PARAMETERS_Scatterv, MPI_Request *request)
{
    HERE(c, me, comm);
    CHECK_ROOT(c, root);
    CHECK_COUNT(c, recv_buf != MPI_IN_PLACE && (!c->inter || root >= 0) ? recv_count : 0);
    CHECK(c,
          (send_counts != NULL && displs != NULL) ||
              (c->inter ? root != MPI_ROOT : c->rank != root),
          MPI_ERR_ARG, "the counts or displacements are null at the root");
    return mpi_scatter_items(
        c,
        &(struct items){
            .buf = (char *)send_buf, .counts = send_counts, .displs = displs, .type = send_type},
        recv_buf, recv_count, recv_type, root, request);
}

BOTH(Scatterv, scatterv(me, ARGUMENTS_Scatterv, request))

static int allgatherv(struct rank *me, PARAMETERS_Allgatherv, MPI_Request *request)
{
    const struct items out = {
        .buf = recv_buf, .counts = recv_counts, .displs = displs, .type = recv_type};
    struct items in = {.buf = (char *)send_buf, .type = send_type, .count = send_count};

    HERE(c, me, comm);
    if (send_buf == MPI_IN_PLACE && !c->inter)
        in = (struct items){
            .buf = item(&out, c->rank), .type = recv_type, .count = recv_counts[c->rank]};
    return mpi_exchange_items(c, &in, &out, request);
}

BOTH(Allgatherv, allgatherv(me, ARGUMENTS_Allgatherv, request))

/* has_one: each side has one type, and not one for each rank. */
static int alltoall(struct rank *me, bool has_one, const struct items *in, const struct items *out,
                    MPI_Comm comm, MPI_Request *request)
{
    HERE(c, me, comm);
    CHECK(c,
          in->buf == MPI_IN_PLACE ||
              (in->counts != NULL && in->displs != NULL && (has_one || in->types != NULL)),
          MPI_ERR_ARG, "the counts, displacements or types to send are null");
    CHECK(c, in->buf == MPI_IN_PLACE || !has_one || mpi_type_of(in->type) != NULL, MPI_ERR_TYPE,
          "the datatype to send is null or has been freed");
    return mpi_exchange_items(c, in, out, request);
}

#define IN(member)                                                                                 \
    &(const struct items)                                                                          \
    {                                                                                              \
        .buf = (char *)send_buf, .counts = send_counts, .displs = send_displs,                     \
        .member = send_##member                                                                    \
    }
#define OUT(member)                                                                                \
    &(const struct items)                                                                          \
    {                                                                                              \
        .buf = recv_buf, .counts = recv_counts, .displs = recv_displs, .member = recv_##member     \
    }

BOTH(Alltoallv, alltoall(me, true, IN(type), OUT(type), comm, request))
BOTH(Alltoallw, alltoall(me, false, IN(types), OUT(types), comm, request))
