/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing: the calls with explicit offsets, with the individual and with the shared pointer, blocking,
 * nonblocking and in two parts. The data are moved in the call that begins the operation; an operation that the storage
 * takes time for is complete at the end of that time.
 */
#include "file.h"
#include "mpi/standard/world.h"

#include <stdlib.h>

enum where { AT, INDIVIDUAL, SHARED, ORDERED };

struct access {
    const char *call;
    void *caller; /* where it returns to */
    MPI_File file;
    enum where where;
    MPI_Offset offset; /* AT */
    bool writes, is_collective;
    void *buf;
    MPI_Count count;
    MPI_Datatype type;
    MPI_Status *status;
    MPI_Request *request; /* of a nonblocking call; or NULL */
    const char
        *split_end; /* of a call that begins a split collective: the one that ends it; or NULL */
};

/* The result of an operation. */
struct outcome {
    int code;
    size_t bytes; /* in memory */
    int64_t until_ns;
};

/* ---- checks ---- */

static int check_mode(const struct file *f, const struct access *a)
{
    if (a->writes)
        CHECK_WRITABLE(f);
    CHECK(f->comm, a->writes || (f->amode & MPI_MODE_WRONLY) == 0, MPI_ERR_ACCESS,
          "the file is open with MPI_MODE_WRONLY");
    if (a->where == AT || a->where == INDIVIDUAL)
        CHECK_RANDOM(f);
    CHECK(f->comm, a->where != AT || a->offset >= 0, MPI_ERR_ARG,
          "the offset is %lld, but must be at least 0", (long long)a->offset);
    CHECK(f->comm, f->split == MPI_REQUEST_NULL || !a->is_collective, MPI_ERR_IO,
          "%s has begun and not ended", f->split_begin);
    return MPI_SUCCESS;
}

static void tell_checks(const struct access *a, struct rank *me, const struct data *d)
{
    if (HAS_USES(me)) {
        TELL(blocking, me, d->buf, d->type, d->n, !a->writes);
        TELL(windows, me, NULL, d->buf, d->type, d->n, !a->writes, a->caller);
    }
    tell_block(d->buf, d->type, d->n);
}

/* ---- the operation ---- */

/* Where it begins, in etypes; a pointer moves on. @return MPI_SUCCESS or a class */
static int take_place(struct file *f, const struct access *a, MPI_Offset n_etypes, MPI_Offset *at)
{
    int error = 0, rc = MPI_SUCCESS;

    if (a->where == AT)
        *at = a->offset;
    else if (a->where == INDIVIDUAL)
        *at = f->position;
    else if (a->where == ORDERED)
        rc = mpi_take_ordered(f, n_etypes, at);
    else
        error = mpi_take_shared(f, n_etypes, at);
    CHECK(f->comm, error == 0, mpi_code_of_host(error), "the shared pointer");
    return rc;
}

/* @return MPI_SUCCESS or a class: then nothing has been done */
static int perform(struct file *f, const struct access *a, const struct data *d, struct outcome *o)
{
    const MPI_Offset each = f->view.etype_bytes, bytes = mpi_bytes_in_file(f, d);
    MPI_Offset at = 0, moved;
    int rc;

    CHECK(f->comm, bytes >= 0, MPI_ERR_CONVERSION,
          "the data representation has no form of the datatype");
    CHECK(f->comm, bytes % each == 0, MPI_ERR_IO,
          "%lld bytes are not a number of etypes of %lld bytes", (long long)bytes, (long long)each);
    rc = mpi_begin_storage(f);
    if (rc == MPI_SUCCESS)
        rc = take_place(f, a, bytes / each, &at);
    if (rc != MPI_SUCCESS)
        return rc;
    o->code = mpi_transfer(f, at * each, d, a->writes, &moved, &o->bytes, &o->until_ns);
    if (a->where == INDIVIDUAL)
        f->position += (moved + each - 1) / each;
    return MPI_SUCCESS;
}

static int give_outcome(struct request *r)
{
    return r->outcome == MPI_SUCCESS
               ? MPI_SUCCESS
               : mpi_failed(r->comm, r->outcome, "the file operation has failed");
}

static void note_buffer(const struct access *a, struct request *r, const struct data *d)
{
    if (a->writes)
        TELL(buffers, r, d->buf, d->type, d->n, NULL, NULL, 0);
    else
        TELL(buffers, r, NULL, NULL, 0, d->buf, d->type, d->n);
}

/* A call that does not wait: its request is complete when the storage is done. */
static int start(struct file *f, const struct access *a, const struct data *d)
{
    struct outcome o = {0};
    struct request *r =
        mpi_new_request(a->is_collective ? REQUEST_COLLECTIVE : REQUEST_DONE, f->comm);
    int rc;

    CHECK_MEMORY(f->comm, r);
    r->active = true;
    tell_block(d->buf, d->type, d->n);
    rc = perform(f, a, d, &o);
    if (rc != MPI_SUCCESS) {
        mpi_free_request(r);
        return rc;
    }
    note_buffer(a, r, d);
    r->at_end = give_outcome;
    r->outcome = o.code;
    r->until_ns = o.until_ns;
    set_status(&r->status, MPI_UNDEFINED, MPI_UNDEFINED, o.bytes);
    mpi_give_request(r, a->caller, a->request != NULL ? a->request : &f->split);
    if (a->request != NULL)
        return MPI_SUCCESS;
    f->split_begin = a->call;
    f->split_end = a->split_end;
    f->split_buf = a->buf;
    return MPI_SUCCESS;
}

static int do_access(struct rank *me, const struct access *a)
{
    struct outcome o = {0};
    int rc = MPI_SUCCESS;

    HERE_FILE(f, a->file);
    if (a->is_collective)
        rc = mpi_note_collective(f->comm, a->call);
    if (rc != MPI_SUCCESS)
        return rc;
    DATA_TYPE(t, a->type, f->comm);
    CHECK(f->comm, a->count >= 0, MPI_ERR_COUNT, "count is %lld, but must be at least 0",
          (long long)a->count);
    CHECK_AT(f->comm, a->buf, t, (size_t)a->count, "");
    rc = check_mode(f, a);
    if (rc != MPI_SUCCESS)
        return rc;
    const struct data d = {a->buf, t, a->type, (size_t)a->count};

    if (a->request != NULL || a->split_end != NULL)
        return start(f, a, &d);
    tell_checks(a, me, &d);
    rc = perform(f, a, &d, &o);
    if (rc != MPI_SUCCESS)
        return rc;
    set_status(a->status, MPI_UNDEFINED, MPI_UNDEFINED, o.bytes);
    rc = mpi_await_storage(f->comm, o.until_ns);
    CHECK(f->comm, o.code == MPI_SUCCESS, o.code, "the file operation has failed");
    return rc;
}

static int access_file(const struct access *a)
{
    struct rank *me = mpi_enter(a->call);

    return mpi_answer(me, do_access(me, a));
}

static int end_split(const char *call, MPI_File file, const void *buf, MPI_Status *status)
{
    struct request *r;
    int rc;

    mpi_enter(call);
    HERE_FILE(f, file);
    CHECK(f->comm, f->split != MPI_REQUEST_NULL, MPI_ERR_IO, "no split collective has begun");
    CHECK(f->comm, strcmp(f->split_end, call) == 0, MPI_ERR_IO, "%s has begun, which %s ends",
          f->split_begin, f->split_end);
    CHECK(f->comm, f->split_buf == buf, MPI_ERR_BUFFER, "the buffer is not that of %s",
          f->split_begin);
    r = request_of(f->split);
    f->split = MPI_REQUEST_NULL;
    rc = mpi_wait_for(r);
    mpi_give_status(r, status);
    mpi_free_request(r);
    return rc;
}

/* ---- the calls. A call with explicit offset has one more parameter ---- */

#define OFFSET_AT MPI_Offset offset,
#define OFFSET_INDIVIDUAL
#define OFFSET_SHARED
#define OFFSET_ORDERED
#define VALUE_AT offset
#define VALUE_INDIVIDUAL 0
#define VALUE_SHARED 0
#define VALUE_ORDERED 0
#define CONST_read
#define CONST_write const

#define ACCESS(way, place, collective, ...)                                                        \
    access_file(&(const struct access){.call = __func__,                                           \
                                       .caller = __builtin_return_address(0),                      \
                                       .file = file,                                               \
                                       .where = place,                                             \
                                       .offset = VALUE_##place,                                    \
                                       .writes = IS_##way,                                         \
                                       .is_collective = collective,                                \
                                       .buf = (void *)buf,                                         \
                                       .count = count,                                             \
                                       .type = type,                                               \
                                       __VA_ARGS__})
#define IS_read false
#define IS_write true

#define BLOCKING_AS(name, counted, way, place, collective)                                         \
    int MPI_File_##name(MPI_File file, OFFSET_##place CONST_##way void *buf, counted count,        \
                        MPI_Datatype type, MPI_Status *status)                                     \
    {                                                                                              \
        return ACCESS(way, place, collective, .status = status);                                   \
    }
#define NONBLOCKING_AS(name, counted, way, place, collective)                                      \
    int MPI_File_##name(MPI_File file, OFFSET_##place CONST_##way void *buf, counted count,        \
                        MPI_Datatype type, MPI_Request *request)                                   \
    {                                                                                              \
        return ACCESS(way, place, collective, .request = request);                                 \
    }
#define BEGIN_AS(name, counted, way, place, end)                                                   \
    int MPI_File_##name(MPI_File file, OFFSET_##place CONST_##way void *buf, counted count,        \
                        MPI_Datatype type)                                                         \
    {                                                                                              \
        return ACCESS(way, place, true, .split_end = "MPI_File_" #end);                            \
    }
/* With a count that is an int, and with a large one. */
#define BLOCKING(name, way, place, collective)                                                     \
    BLOCKING_AS(name, int, way, place, collective)                                                 \
    BLOCKING_AS(name##_c, MPI_Count, way, place, collective)
#define NONBLOCKING(name, way, place, collective)                                                  \
    NONBLOCKING_AS(name, int, way, place, collective)                                              \
    NONBLOCKING_AS(name##_c, MPI_Count, way, place, collective)
#define SPLIT(name, way, place)                                                                    \
    BEGIN_AS(name##_begin, int, way, place, name##_end)                                            \
    BEGIN_AS(name##_begin_c, MPI_Count, way, place, name##_end)                                    \
    int MPI_File_##name##_end(MPI_File file, CONST_##way void *buf, MPI_Status *status)            \
    {                                                                                              \
        return end_split(__func__, file, buf, status);                                             \
    }

/* Each of a way, read or write. */
#define CALLS(way)                                                                                 \
    BLOCKING(way##_at, way, AT, false)                                                             \
    BLOCKING(way##_at_all, way, AT, true)                                                          \
    BLOCKING(way, way, INDIVIDUAL, false)                                                          \
    BLOCKING(way##_all, way, INDIVIDUAL, true)                                                     \
    BLOCKING(way##_shared, way, SHARED, false)                                                     \
    BLOCKING(way##_ordered, way, ORDERED, true)                                                    \
    NONBLOCKING(i##way##_at, way, AT, false)                                                       \
    NONBLOCKING(i##way##_at_all, way, AT, true)                                                    \
    NONBLOCKING(i##way, way, INDIVIDUAL, false)                                                    \
    NONBLOCKING(i##way##_all, way, INDIVIDUAL, true)                                               \
    NONBLOCKING(i##way##_shared, way, SHARED, false)                                               \
    SPLIT(way##_at_all, way, AT)                                                                   \
    SPLIT(way##_all, way, INDIVIDUAL)                                                              \
    SPLIT(way##_ordered, way, ORDERED)

CALLS(read)
CALLS(write)
