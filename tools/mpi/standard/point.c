/* SPDX-License-Identifier: MIT */
/* Point to point: sends in all modes, receives, probes and matched probes. */
#include "collective.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static size_t bytes_of(const MPI_Status *status)
{
    return (size_t)status->MPI_internal[0] | (size_t)(uint32_t)status->MPI_internal[1] << 31;
}

static int nobody(MPI_Status *status)
{
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
}

static int source_of(const struct comm *c, int source)
{
    return source == MPI_ANY_SOURCE ? LOGP_ANY_SOURCE : source + c->first_peer;
}

static int tag_of(int tag)
{
    return tag == MPI_ANY_TAG ? LOGP_ANY_TAG : tag;
}

#define CHECK_DEST(c, dest)                                                                        \
    CHECK(c, (unsigned)(dest) < (unsigned)(c)->n_peers || (dest) == MPI_PROC_NULL, MPI_ERR_RANK,   \
          "the destination %d is not a rank of a communicator of %d", dest, (c)->n_peers)
#define CHECK_SOURCE(c, source)                                                                    \
    CHECK(c,                                                                                       \
          (unsigned)(source) < (unsigned)(c)->n_peers || (source) == MPI_PROC_NULL ||              \
              (source) == MPI_ANY_SOURCE,                                                          \
          MPI_ERR_RANK, "the source %d is not a rank of a communicator of %d", source,             \
          (c)->n_peers)
#define CHECK_SEND_TAG(c, tag)                                                                     \
    CHECK(c, (tag) >= 0, MPI_ERR_TAG, "the tag is %d, but must be at least 0", tag)
#define CHECK_RECV_TAG(c, tag)                                                                     \
    CHECK(c, (tag) >= 0 || (tag) == MPI_ANY_TAG, MPI_ERR_TAG,                                      \
          "the tag is %d, but must be at least 0 or MPI_ANY_TAG", tag)

/* ---- sends ---- */

/* The options of a send of n elements. Those that do not lie in a row are `elements`. */
static struct logp_send_options options_of(const struct type *t, const void *buf, size_t n,
                                           enum logp_send_mode mode, struct elements *elements)
{
    struct logp_send_options o = {.size = sizeof(o), .n_bytes = n * t->size, .mode = mode};

    if (in_a_row(t, n)) {
        o.buf = (const char *)buf + t->true_lb;
        return o;
    }
    *elements = (struct elements){t, n, (void *)buf};
    o.fill = mpi_fill_payload;
    o.arg = elements;
    return o;
}

/* Messages under way may fill it, too, but they leave it when they arrive: only one that never fits is
 * refused. */
static bool fits_attached(const struct rank *r, const struct type *t, size_t n)
{
    return n * t->size <= (size_t)r->buffer_size;
}

/* A message for which the queues have no space waits for its receiver, if it may wait. */
static bool waits_instead(struct logp_send_options *o, int rc)
{
    if ((rc != -EMSGSIZE && rc != -ENOBUFS) || o->mode != LOGP_SEND_STANDARD)
        return false;
    o->mode = LOGP_SEND_SYNCHRONOUS;
    return true;
}

static int send(const char *call, const void *buf, int count, MPI_Datatype type, int dest, int tag,
                MPI_Comm comm, enum logp_send_mode mode, void *caller)
{
    struct elements elements;
    struct logp_send_options o;
    int rc;

    ENTER_AS(c, call, comm);
    DATA_TYPE(t, type, c);
    CHECK_COUNT(c, count);
    CHECK_DEST(c, dest);
    CHECK_SEND_TAG(c, tag);
    if (dest == MPI_PROC_NULL)
        return MPI_SUCCESS;
    CHECK_AT(c, buf, t, (size_t)count, "");
    CHECK(c, mode != LOGP_SEND_BUFFERED || fits_attached(c->owner, t, (size_t)count),
          MPI_ERR_BUFFER, "%zu bytes do not fit in the %d of MPI_Buffer_attach()",
          (size_t)count * t->size, c->owner->buffer_size);
    if (HAS_USES(c->owner)) {
        TELL(blocking, c->owner, buf, t, (size_t)count, false);
        TELL(windows, c->owner, NULL, buf, t, (size_t)count, false, caller);
    }
    tell_block(buf, t, (size_t)count);
    o = options_of(t, buf, (size_t)count, mode, &elements);
    if (the_checks.signature_of != NULL)
        o.bits = the_checks.signature_of(c, t, (size_t)count, caller);
    do
        rc = o.mode == LOGP_SEND_STANDARD && o.fill == NULL && o.bits == 0
                 ? logp_send(c->vp, dest + c->first_peer, tag, o.buf, o.n_bytes)
                 : logp_send_with(c->vp, dest + c->first_peer, tag, &o);
    while (waits_instead(&o, rc));
    return mpi_class_of(rc);
}

#define SEND(name, mode)                                                                           \
    int MPI_##name(const void *buf, int count, MPI_Datatype type, int dest, int tag,               \
                   MPI_Comm comm)                                                                  \
    {                                                                                              \
        return send(__func__, buf, count, type, dest, tag, comm, mode,                             \
                    __builtin_return_address(0));                                                  \
    }
SEND(Send, LOGP_SEND_STANDARD)
SEND(Bsend, LOGP_SEND_BUFFERED)
SEND(Ssend, LOGP_SEND_SYNCHRONOUS)
SEND(Rsend, LOGP_SEND_STANDARD)

int mpi_start_send(struct request *r)
{
    struct elements elements;
    struct logp_send_options o;
    int rc;

    r->active = true;
    r->cancelled = false;
    set_status(&r->status, MPI_UNDEFINED, MPI_UNDEFINED, 0);
    if (r->peer == MPI_PROC_NULL)
        return MPI_SUCCESS;
    CHECK(r->comm,
          r->mode != LOGP_SEND_BUFFERED || fits_attached(r->comm->owner, r->type, r->count),
          MPI_ERR_BUFFER, "%zu bytes do not fit in the %d of MPI_Buffer_attach()",
          r->count * r->type->size, r->comm->owner->buffer_size);
    o = options_of(r->type, r->buf, r->count, r->mode, &elements);
    if (r->caller != NULL && the_checks.signature_of != NULL)
        o.bits = the_checks.signature_of(r->comm, r->type, r->count, r->caller);
    do
        rc = logp_isend_with(r->comm->vp, r->peer + r->comm->first_peer, r->tag, &o, &r->under_way);
    while (waits_instead(&o, rc));
    return mpi_class_of(rc);
}

/* ---- receives ---- */

/* The options of a receive of these elements. Data that do not fit are dropped and reported. */
static struct logp_recv_options places_of(struct elements *e)
{
    struct logp_recv_options o = {
        .size = sizeof(o), .capacity = e->n * e->type->size, .truncates = true};

    if (in_a_row(e->type, e->n)) {
        o.buf = (char *)e->buf + e->type->true_lb;
        return o;
    }
    o.drain = mpi_drain_payload;
    o.arg = e;
    return o;
}

int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    struct elements elements;
    struct logp_recv_options o;
    struct logp_status from;
    size_t bytes;
    int rc;

    ENTER(c, comm);
    DATA_TYPE(t, type, c);
    CHECK_COUNT(c, count);
    CHECK_SOURCE(c, source);
    CHECK_RECV_TAG(c, tag);
    if (source == MPI_PROC_NULL)
        return nobody(status);
    bytes = (size_t)count * t->size;
    CHECK_AT(c, buf, t, (size_t)count, "");
    if (HAS_USES(c->owner))
        TELL(blocking, c->owner, buf, t, (size_t)count, true);
    tell_block(buf, t, (size_t)count);
    elements = (struct elements){t, (size_t)count, buf};
    o = places_of(&elements);
    from = (struct logp_status){.source = source_of(c, source), .tag = tag_of(tag)};
    rc = o.drain == NULL ? logp_recv(c->vp, from.source, from.tag, o.buf, bytes, &from) : -EMSGSIZE;
    if (rc == -EMSGSIZE) /* then it is this message that is to be taken */
        rc = logp_recv_with(c->vp, from.source, from.tag, &o, &from);
    if (rc != 0)
        return mpi_class_of(rc);
    from.source -= c->first_peer;
    set_status(status, from.source, from.tag, from.n_bytes < bytes ? from.n_bytes : bytes);
    if (from.n_bytes > bytes)
        return mpi_truncated(c, &from, bytes);
    if (c->owner->windows != NULL && t->size > 0)
        TELL(windows, c->owner, NULL, buf, t, from.n_bytes / t->size, true,
             __builtin_return_address(0));
    TELL(signature, c, NULL, t, from.bits, from.n_bytes, from.source, from.tag);
    return MPI_SUCCESS;
}

int mpi_start_recv(struct request *r)
{
    struct logp_recv_options o;

    r->active = true;
    r->cancelled = false;
    if (r->peer == MPI_PROC_NULL) {
        nobody(&r->status);
        return MPI_SUCCESS;
    }
    r->elements = (struct elements){r->type, r->count, r->buf};
    o = places_of(&r->elements);
    return mpi_class_of(logp_irecv_with(r->comm->vp, source_of(r->comm, r->peer), tag_of(r->tag),
                                        &o, &r->under_way));
}

/* ---- requests of both ---- */

/* A request of a message, not started. @return MPI_SUCCESS, or the class of an error */
static int make(const char *call, enum request_kind kind, enum logp_send_mode mode, const void *buf,
                int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                struct request **out)
{
    struct request *r;

    ENTER_AS(c, call, comm);
    DATA_TYPE(t, type, c);
    CHECK_COUNT(c, count);
    if (kind == REQUEST_SEND) {
        CHECK_DEST(c, peer);
        CHECK_SEND_TAG(c, tag);
    } else {
        CHECK_SOURCE(c, peer);
        CHECK_RECV_TAG(c, tag);
    }
    if (peer != MPI_PROC_NULL)
        CHECK_AT(c, buf, t, (size_t)count, "");
    r = mpi_new_request(kind, c);
    CHECK_MEMORY(c, r);
    mpi_keep_type(t);
    r->type = t;
    r->buf = (void *)buf;
    r->count = (size_t)count;
    r->peer = peer;
    r->tag = tag;
    r->mode = mode;
    *out = r;
    return MPI_SUCCESS;
}

int mpi_make_message(const char *call, enum request_kind kind, const void *buf, int count,
                     MPI_Datatype type, int peer, int tag, MPI_Comm comm, struct request **out)
{
    return make(call, kind, LOGP_SEND_STANDARD, buf, count, type, peer, tag, comm, out);
}

#define CALLER __builtin_return_address(0)

int mpi_start_message(struct request *r)
{
    TELL(buffer, r);
    if (r->peer != MPI_PROC_NULL)
        tell_block(r->buf, r->type, r->count);
    return r->kind == REQUEST_SEND ? mpi_start_send(r) : mpi_start_recv(r);
}

static int begin(struct request *r, int rc, MPI_Request *request, void *caller)
{
    if (rc != MPI_SUCCESS) {
        if (r != NULL)
            mpi_free_request(r);
        return rc;
    }
    mpi_give_request(r, caller, request);
    return rc;
}

static int started(struct request *r, int rc, MPI_Request *request, void *caller)
{
    if (rc == MPI_SUCCESS && r->kind == REQUEST_SEND)
        r->caller = caller;
    return begin(r, rc == MPI_SUCCESS ? mpi_start_message(r) : rc, request, caller);
}

static int persistent(struct request *r, int rc, MPI_Request *request, void *caller)
{
    if (r != NULL)
        r->persistent = true;
    return begin(r, rc, request, caller);
}

/* A call that gives a request of this kind, which is started or persistent; peer: dest or source. */
#define REQUEST(name, start, kind, mode, type_of_buf, peer)                                        \
    int MPI_##name(type_of_buf buf, int count, MPI_Datatype type, int peer, int tag,               \
                   MPI_Comm comm, MPI_Request *request)                                            \
    {                                                                                              \
        struct request *r = NULL;                                                                  \
        const int rc = make(__func__, kind, mode, buf, count, type, peer, tag, comm, &r);          \
                                                                                                   \
        return start(r, rc, request, CALLER);                                                      \
    }
#define SEND_REQUEST(name, start, mode) REQUEST(name, start, REQUEST_SEND, mode, const void *, dest)
#define RECV_REQUEST(name, start)                                                                  \
    REQUEST(name, start, REQUEST_RECV, LOGP_SEND_STANDARD, void *, source)
SEND_REQUEST(Isend, started, LOGP_SEND_STANDARD)
SEND_REQUEST(Ibsend, started, LOGP_SEND_BUFFERED)
SEND_REQUEST(Issend, started, LOGP_SEND_SYNCHRONOUS)
SEND_REQUEST(Irsend, started, LOGP_SEND_STANDARD)
RECV_REQUEST(Irecv, started)
SEND_REQUEST(Send_init, persistent, LOGP_SEND_STANDARD)
SEND_REQUEST(Bsend_init, persistent, LOGP_SEND_BUFFERED)
SEND_REQUEST(Ssend_init, persistent, LOGP_SEND_SYNCHRONOUS)
SEND_REQUEST(Rsend_init, persistent, LOGP_SEND_STANDARD)
RECV_REQUEST(Recv_init, persistent)

/* ---- both at once ---- */

int MPI_Sendrecv(const void *send_buf, int send_count, MPI_Datatype send_type, int dest,
                 int send_tag, void *recv_buf, int recv_count, MPI_Datatype recv_type, int source,
                 int recv_tag, MPI_Comm comm, MPI_Status *status)
{
    struct request *r = NULL;
    int rc, sent;

    mpi_enter(__func__); /* all is checked before the receive, which would wait for ever, begins */
    COMM(c, comm);
    DATA_TYPE(t, send_type, c);
    CHECK_COUNT(c, send_count);
    CHECK_DEST(c, dest);
    CHECK_SEND_TAG(c, send_tag);
    if (dest != MPI_PROC_NULL)
        CHECK_AT(c, send_buf, t, (size_t)send_count, "");
    rc = make(__func__, REQUEST_RECV, LOGP_SEND_STANDARD, recv_buf, recv_count, recv_type, source,
              recv_tag, comm, &r);
    if (rc == MPI_SUCCESS && source != MPI_PROC_NULL && dest != MPI_PROC_NULL)
        TELL(apart, send_buf, t, send_count, recv_buf, r->type, recv_count);
    if (rc == MPI_SUCCESS)
        rc = mpi_start_recv(r);
    if (rc != MPI_SUCCESS) {
        if (r != NULL)
            mpi_free_request(r);
        return rc;
    }
    sent = send(__func__, send_buf, send_count, send_type, dest, send_tag, comm, LOGP_SEND_STANDARD,
                CALLER);
    rc = mpi_wait_for(r);
    mpi_give_status(r, status);
    mpi_free_request(r);
    return sent != MPI_SUCCESS ? sent : rc;
}

int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int send_tag,
                         int source, int recv_tag, MPI_Comm comm, MPI_Status *status)
{
    size_t bytes;
    char *copy;
    int rc;

    ENTER(c, comm);
    DATA_TYPE(t, type, c);
    CHECK_COUNT(c, count);
    CHECK_AT(c, buf, t, (size_t)count, "");
    bytes = (size_t)count * t->size;
    CHECK(c, bytes <= INT_MAX || in_a_row(t, (size_t)count), MPI_ERR_COUNT,
          "%zu bytes that do not lie in a row, but at most %d can be replaced", bytes, INT_MAX);
    copy = malloc(bytes + 1);
    CHECK_MEMORY(c, copy);
    mpi_pack(t, (size_t)count, buf, copy);
    rc = bytes <= INT_MAX ? MPI_Sendrecv(copy, (int)bytes, MPI_PACKED, dest, send_tag, buf, count,
                                         type, source, recv_tag, comm, status)
                          : MPI_Sendrecv(copy - t->true_lb, count, type, dest, send_tag, buf, count,
                                         type, source, recv_tag, comm, status);
    free(copy);
    return rc;
}

/* ---- probes ---- */

/* found: NULL: wait for it */
static int probe(const char *call, int source, int tag, MPI_Comm comm, bool *found,
                 struct logp_status *from)
{
    int rc;

    ENTER_AS(c, call, comm);
    CHECK_SOURCE(c, source);
    CHECK_RECV_TAG(c, tag);
    *from = (struct logp_status){.source = MPI_PROC_NULL, .tag = MPI_ANY_TAG};
    if (found != NULL)
        *found = true;
    if (source == MPI_PROC_NULL)
        return MPI_SUCCESS;
    rc = mpi_class_of(
        found != NULL
            ? logp_probe(c->vp, source_of(c, source), tag_of(tag), found, from)
            : logp_probe_until(c->vp, source_of(c, source), tag_of(tag), INT64_MAX, from));
    from->source -= c->first_peer;
    return rc;
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct logp_status from;
    const int rc = probe(__func__, source, tag, comm, NULL, &from);

    if (rc == MPI_SUCCESS)
        set_status(status, from.source, from.tag, from.n_bytes);
    return rc;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    struct logp_status from;
    bool found = false;
    const int rc = probe(__func__, source, tag, comm, &found, &from);

    *flag = found;
    if (rc == MPI_SUCCESS && found)
        set_status(status, from.source, from.tag, from.n_bytes);
    return rc;
}

/* A message that has been matched is received at once, so that nothing else can take it. */
struct message {
    MPI_Status status;
    size_t n_bytes;
    uint64_t bits;
    char data[];
};

static int take(MPI_Comm comm, const struct logp_status *from, MPI_Message *message,
                MPI_Status *status)
{
    struct comm *c = mpi_comm_of(comm);
    struct message *m;
    int rc;

    set_status(status, from->source, from->tag, from->n_bytes);
    if (from->source == MPI_PROC_NULL) {
        *message = MPI_MESSAGE_NO_PROC;
        return MPI_SUCCESS;
    }
    m = malloc(sizeof(*m) + from->n_bytes);
    CHECK_MEMORY(c, m);
    m->n_bytes = from->n_bytes;
    m->bits = from->bits;
    set_status(&m->status, from->source, from->tag, from->n_bytes);
    rc = logp_recv(c->vp, from->source + c->first_peer, from->tag, m->data, m->n_bytes, NULL);
    *message = (MPI_Message)m;
    return mpi_class_of(rc);
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    struct logp_status from;
    const int rc = probe(__func__, source, tag, comm, NULL, &from);

    return rc == MPI_SUCCESS ? take(comm, &from, message, status) : rc;
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status)
{
    struct logp_status from;
    bool found = false;
    const int rc = probe(__func__, source, tag, comm, &found, &from);

    *flag = found;
    return rc == MPI_SUCCESS && found ? take(comm, &from, message, status) : rc;
}

int MPI_Mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    struct message *m = (struct message *)*message;
    size_t bytes;

    mpi_enter(__func__);
    DATA_TYPE(t, type, NULL);
    CHECK_COUNT(NULL, count);
    CHECK(NULL, *message != MPI_MESSAGE_NULL, MPI_ERR_REQUEST, "the message is null");
    if (*message == MPI_MESSAGE_NO_PROC) {
        *message = MPI_MESSAGE_NULL;
        return nobody(status);
    }
    bytes = (size_t)count * t->size;
    CHECK_AT(NULL, buf, t, (size_t)count, "");
    mpi_unpack(t, (size_t)count, m->data, m->n_bytes < bytes ? m->n_bytes : bytes, buf);
    set_status(status, m->status.MPI_SOURCE, m->status.MPI_TAG, m->n_bytes);
    *message = MPI_MESSAGE_NULL;
    if (m->n_bytes <= bytes) {
        TELL(signature, &mpi_this_rank()->world, NULL, t, m->bits, m->n_bytes, m->status.MPI_SOURCE,
             m->status.MPI_TAG);
        free(m);
        return MPI_SUCCESS;
    }
    free(m);
    return mpi_failed(NULL, MPI_ERR_TRUNCATE, "the message is longer than %zu bytes", bytes);
}

int MPI_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    struct request *r = mpi_new_request(REQUEST_DONE, &mpi_this_rank()->world);
    int rc;

    mpi_enter(__func__);
    CHECK_MEMORY(NULL, r);
    r->active = true;
    rc = MPI_Mrecv(buf, count, type, message, &r->status);
    return begin(r, rc, request, CALLER);
}

/* ---- statuses and buffers ---- */

int MPI_Get_count_c(const MPI_Status *status, MPI_Datatype type, MPI_Count *count)
{
    size_t bytes = bytes_of(status);

    mpi_enter("MPI_Get_count");
    TYPE(t, type, NULL);
    if (t->size == 0)
        *count = bytes == 0 ? 0 : MPI_UNDEFINED;
    else
        *count = bytes % t->size == 0 ? (MPI_Count)(bytes / t->size) : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
    MPI_Count n = 0;
    const int rc = MPI_Get_count_c(status, type, &n);

    *count = n < 0 ? MPI_UNDEFINED : int_or_undefined((uint64_t)n);
    return rc;
}

static const struct type *old_of(const struct type *blocks, size_t i)
{
    return blocks->olds != NULL ? blocks->olds[i] : blocks->old;
}

/* Basic elements of one element of t. */
static size_t all_elements(const struct type *t)
{
    size_t n = 0;

    if (t->kind == TYPE_BASIC)
        return t->arithmetic != 0 && strchr("FDPTSG", t->arithmetic) != NULL ? 2 : 1;
    if (t->kind == TYPE_VECTOR)
        return t->count * t->block * all_elements(t->old);
    for (size_t i = 0; i < t->count; i++)
        n += t->blocks[i] * all_elements(old_of(t, i));
    return n;
}

/* Basic elements in the first `bytes` of n elements of t, one after the other. */
static size_t elements_in(const struct type *t, size_t n, size_t bytes)
{
    const size_t whole = t->size == 0 || bytes / t->size > n ? n : bytes / t->size;
    size_t found = whole * all_elements(t), left = bytes - whole * t->size;

    if (whole == n || left == 0)
        return found;
    if (t->kind == TYPE_BASIC) /* of a pair the value */
        return found + (all_elements(t) == 2 && left + sizeof(int) >= t->size);
    if (t->kind == TYPE_VECTOR)
        return found + elements_in(t->old, t->count * t->block, left);
    for (size_t i = 0; i < t->count; i++) {
        const size_t block = t->blocks[i] * old_of(t, i)->size;

        found += elements_in(old_of(t, i), t->blocks[i], left);
        left -= left < block ? left : block;
    }
    return found;
}

/* The bytes of the first n basic elements of elements of t, one after the other. Source: MPI 3.1, 8.3 */
static size_t bytes_of_elements(const struct type *t, size_t n)
{
    const size_t each = all_elements(t), whole = each > 0 ? n / each : 0;
    size_t bytes = whole * t->size, left = each > 0 ? n % each : 0;

    if (left == 0)
        return bytes;
    if (t->kind == TYPE_BASIC) /* the value of a pair */
        return bytes + t->size - sizeof(int);
    if (t->kind == TYPE_VECTOR)
        return bytes + bytes_of_elements(t->old, left);
    for (size_t i = 0; left > 0; i++) {
        const size_t block = t->blocks[i] * all_elements(old_of(t, i));

        bytes += left < block ? bytes_of_elements(old_of(t, i), left)
                              : t->blocks[i] * old_of(t, i)->size;
        left -= left < block ? left : block;
    }
    return bytes;
}

int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *count)
{
    const size_t bytes = bytes_of(status);

    mpi_enter("MPI_Get_elements");
    TYPE(t, type, NULL);
    *count = t->size > 0 ? (MPI_Count)elements_in(t, bytes / t->size + 1, bytes) : 0;
    return MPI_SUCCESS;
}

int MPI_Get_elements(const MPI_Status *status, MPI_Datatype type, int *count)
{
    MPI_Count n = 0;
    const int rc = MPI_Get_elements_x(status, type, &n);

    *count = int_or_undefined((uint64_t)n);
    return rc;
}

int MPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype type, MPI_Count count)
{
    mpi_enter("MPI_Status_set_elements");
    TYPE(t, type, NULL);
    CHECK(NULL, count >= 0, MPI_ERR_COUNT, "count is %lld, but must be at least 0",
          (long long)count);
    CHECK_SIZE(NULL, t, (size_t)count);
    set_status(status, status->MPI_SOURCE, status->MPI_TAG, bytes_of_elements(t, (size_t)count));
    return MPI_SUCCESS;
}

int MPI_Status_set_elements(MPI_Status *status, MPI_Datatype type, int count)
{
    return MPI_Status_set_elements_x(status, type, count);
}

#define STATUS_PART(part, field)                                                                   \
    int MPI_Status_get_##part(const MPI_Status *status, int *part)                                 \
    {                                                                                              \
        *part = status->field;                                                                     \
        return MPI_SUCCESS;                                                                        \
    }                                                                                              \
                                                                                                   \
    int MPI_Status_set_##part(MPI_Status *status, int part)                                        \
    {                                                                                              \
        status->field = part;                                                                      \
        return MPI_SUCCESS;                                                                        \
    }

STATUS_PART(source, MPI_SOURCE)
STATUS_PART(tag, MPI_TAG)
STATUS_PART(error, MPI_ERROR)

int MPI_Status_set_cancelled(MPI_Status *status, int flag)
{
    status->MPI_internal[2] = flag;
    return MPI_SUCCESS;
}

int MPI_Test_cancelled(const MPI_Status *status, int *flag)
{
    *flag = status->MPI_internal[2] != 0;
    return MPI_SUCCESS;
}

/* Keep the buffer for MPI_Buffer_detach() only: the runtime itself copies buffered sends. */
int MPI_Buffer_attach(void *buf, int size)
{
    struct rank *r = mpi_enter(__func__);

    CHECK(NULL, size >= 0, MPI_ERR_ARG, "the size is %d, but must be at least 0", size);
    CHECK(NULL, buf != NULL || size == 0, MPI_ERR_BUFFER, "the buffer is null");
    CHECK(NULL, r->buffer == NULL, MPI_ERR_BUFFER,
          "a buffer is attached; call MPI_Buffer_detach() first");
    r->buffer = buf;
    r->buffer_size = size;
    return MPI_SUCCESS;
}

int MPI_Buffer_detach(void *buf, int *size)
{
    struct rank *r = mpi_enter(__func__);

    memcpy(buf, &r->buffer, sizeof(void *));
    *size = r->buffer_size;
    r->buffer = NULL;
    r->buffer_size = 0;
    return MPI_SUCCESS;
}
