/* SPDX-License-Identifier: MIT */
/* Operations on windows: each gets the old values, if they are wanted, and combines new ones. */
#include "op.h"
#include "request.h"
#include "window.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int check_part(struct win *w, struct operand *p)
{
    p->type = mpi_type_of(p->handle);
    CHECK(w->comm, p->type != NULL, MPI_ERR_TYPE, "the datatype is null or has been freed");
    CHECK_COMMITTED(w->comm, p->type);
    CHECK_COUNT(w->comm, p->count);
    CHECK_SIZE(w->comm, p->type, (size_t)p->count);
    if (p->is_origin)
        CHECK_AT(w->comm, p->buf, p->type, (size_t)p->count, " of the origin");
    return MPI_SUCCESS;
}

static size_t bytes_of(const struct operand *p)
{
    return (size_t)p->count * p->type->size;
}

/* Whether all bytes of [first, end) are attached. */
bool mpi_is_attached(struct target *t, const char *first, const char *end)
{
    const struct region *r;

    pthread_mutex_lock(&t->mutex);
    do { /* regions may touch or overlap */
        for (r = t->regions; r != NULL && (first < r->base || first >= r->base + r->size);)
            r = r->next;
        first = r != NULL ? r->base + r->size : first;
    } while (r != NULL && first < end);
    pthread_mutex_unlock(&t->mutex);
    return first >= end;
}

/* Where the target's part is, if it is all within the window. */
static int locate(struct win *w, struct operation_at *a)
{
    bool fits = true;
    const struct type *type = a->there.type;
    struct target *t = w->targets[a->rank];
    const struct remote_target *remote = t == NULL ? &w->remote[a->rank] : NULL;
    char *base = t != NULL ? t->base : remote->base;
    const MPI_Aint size = t != NULL ? t->size : remote->size,
                   first = product(a->displ, t != NULL ? t->unit : remote->unit, &fits),
                   last = a->there.count > 0 ? product(a->there.count - 1, type->extent, &fits) : 0,
                   low = plus(plus(first, type->true_lb, &fits), last < 0 ? last : 0, &fits),
                   high = plus(plus(first, type->true_ub, &fits), last > 0 ? last : 0, &fits);

    a->there.buf = (char *)((uintptr_t)base + (uintptr_t)first);
    if (bytes_of(&a->there) == 0)
        return MPI_SUCCESS;
    CHECK(w->comm, fits, MPI_ERR_DISP, "the displacement %lld is beyond all memory",
          (long long)a->displ);
    if (w->flavor == MPI_WIN_FLAVOR_DYNAMIC) {
        CHECK(w->comm,
              t == NULL || mpi_is_attached(t, (char *)(uintptr_t)low, (char *)(uintptr_t)high),
              MPI_ERR_RMA_RANGE, "the memory at %p is not attached at rank %d", a->there.buf,
              a->rank);
        return MPI_SUCCESS;
    }
    CHECK(w->comm, a->displ >= 0, MPI_ERR_DISP, "the displacement is %lld, but must be at least 0",
          (long long)a->displ);
    CHECK(w->comm, low >= 0 && high <= size, MPI_ERR_RMA_RANGE,
          "bytes %lld to %lld are not within the %lld bytes of rank %d", (long long)low,
          (long long)high, (long long)size, a->rank);
    return MPI_SUCCESS;
}

/* ---- in memory ---- */

static bool is_in_a_row(const struct operand *p)
{
    return in_a_row(p->type, (size_t)p->count);
}

static int move(struct win *w, const struct operand *from, const struct operand *to)
{
    const size_t bytes = bytes_of(from);
    void *data;

    if (bytes == 0)
        return MPI_SUCCESS;
    if (is_in_a_row(from) && is_in_a_row(to)) {
        memmove((char *)to->buf + to->type->true_lb, (char *)from->buf + from->type->true_lb,
                bytes);
        return MPI_SUCCESS;
    }
    data = malloc(bytes);
    CHECK_MEMORY(w->comm, data);
    mpi_pack(from->type, (size_t)from->count, from->buf, data);
    mpi_unpack(to->type, (size_t)to->count, data, bytes, to->buf);
    free(data);
    return MPI_SUCCESS;
}

/* The basic type that a type is made of; NULL: it is empty. */
struct type *mpi_basic_of(struct type *t)
{
    while (t != NULL && t->kind != TYPE_BASIC)
        t = t->olds != NULL ? (t->count > 0 ? t->olds[0] : NULL) : t->old;
    return t;
}

/* Where the elements of p are, if they are elements of `basic` in a row; or NULL */
static void *elements_of(const struct operand *p, const struct type *basic)
{
    char *first = p->buf != NULL ? (char *)p->buf + p->type->true_lb : NULL;

    return is_in_a_row(p) && basic->dense && basic->extent == (ptrdiff_t)basic->size &&
                   (uintptr_t)first % basic->alignment == 0
               ? first
               : NULL;
}

/* Elements i .. i + n - 1 of p between its own memory and a row of them. data: space for their bytes */
static void carry(const struct operand *p, const struct type *basic, size_t i, size_t n, void *row,
                  void *data, bool in)
{
    struct elements all = {p->type, (size_t)p->count, p->buf};
    const size_t at = i * basic->size, bytes = n * basic->size;

    if (in) {
        mpi_pack(basic, n, row, data);
        mpi_drain_payload(&all, at, data, bytes);
    } else {
        mpi_fill_payload(&all, at, data, bytes);
        mpi_unpack(basic, n, data, bytes, row);
    }
}

/* Both as elements of their basic type in a row, which are combined: copies, where they are not. Copies
 * are of a few elements at a time, since new memory costs more than they do. */
static int combine(struct win *w, const struct operation_at *a, const struct reduction *r)
{
    enum { LEAST_BYTES = 64 << 10, MOST_STEPS = 16 }; /* a step may look at all blocks of a type */
    const struct type *basic = r->type;
    const size_t n = bytes_of(&a->there) / basic->size, extent = (size_t)basic->extent;
    char *new = elements_of(&a->in, basic), *old = elements_of(&a->there, basic), *copies;
    size_t most = n / MOST_STEPS + 1;

    if (new != NULL && old != NULL) {
        r->combine(old, new, n);
        return MPI_SUCCESS;
    }
    most = most * extent < LEAST_BYTES ? LEAST_BYTES / extent : most;
    most = most < n ? most : n;
    copies = malloc(2 * most * extent + most * basic->size);
    CHECK_MEMORY(w->comm, copies);
    for (size_t i = 0; i < n; i += most) {
        const size_t k = n - i < most ? n - i : most;
        char *acc = old != NULL ? old + i * extent : copies + most * extent,
             *data = copies + 2 * most * extent;

        if (new == NULL)
            carry(&a->in, basic, i, k, copies, data, false);
        if (old == NULL)
            carry(&a->there, basic, i, k, acc, data, false);
        r->combine(acc, new != NULL ? new + i *extent : copies, k);
        if (old == NULL)
            carry(&a->there, basic, i, k, acc, data, true);
    }
    free(copies);
    return MPI_SUCCESS;
}

/* The mutex of the target is held, if it is to be. */
static int perform_held(struct win *w, struct operation_at *a, const struct reduction *r)
{
    int rc = MPI_SUCCESS;

    if (a->has_out)
        rc = move(w, &a->there, &a->out);
    if (a->compare != NULL && memcmp(a->compare, a->there.buf, bytes_of(&a->there)) != 0)
        a->op = MPI_NO_OP;
    if (rc == MPI_SUCCESS && a->op == MPI_REPLACE)
        rc = move(w, &a->in, &a->there);
    else if (rc == MPI_SUCCESS && a->op != MPI_NO_OP && bytes_of(&a->there) > 0)
        rc = combine(w, a, r);
    return rc;
}

int mpi_perform(struct win *w, struct operation_at *a, const struct reduction *r)
{
    pthread_mutex_t *mutex = a->is_atomic ? &w->targets[a->rank]->mutex : NULL;
    int rc;

    if (mutex != NULL)
        pthread_mutex_lock(mutex);
    rc = perform_held(w, a, r);
    if (mutex != NULL)
        pthread_mutex_unlock(mutex);
    return rc;
}

/* ---- with delays: when it arrives ---- */

/* An operation on its way. Those of a target are in the order of (arrival, origin), and those of an
 * origin in the order in which it has started them. */
struct deferred {
    struct deferred *prev, *next; /* prev: only while it has not arrived */
    int64_t arrival_ns;
    int origin;
    struct operation_at a;
    struct reduction r;
    void *answer; /* to another process, of n_answer bytes; NULL: none */
    size_t n_answer;
    bool is_message; /* `data` is an active message, and `a` nothing */
    /* a copy of the data to combine, then of the value to compare with */
    _Alignas(max_align_t) char data[];
};

/* By their origin: only a rank itself counts references to its types. */
static void drop_deferred(struct deferred *first)
{
    while (first != NULL) {
        struct deferred *next = first->next;

        if (!first->is_message) {
            mpi_drop_type(first->a.there.type);
            mpi_drop_type(first->a.out.type);
        }
        free(first->answer);
        free(first);
        first = next;
    }
}

/* Give them back to their origins: answer those of other processes. by_handler: in a handler */
static void give_back(struct win *w, struct deferred *first, bool by_handler)
{
    struct logp_vp *vp = w->comm->vp;

    while (first != NULL) {
        struct target *origin = w->targets[first->origin];
        struct deferred *next = first->next;

        first->next = NULL;
        if (origin != NULL) {
            pthread_mutex_lock(&origin->mutex);
            first->next = origin->performed;
            origin->performed = first;
            pthread_mutex_unlock(&origin->mutex);
        } else {
            const int process = w->remote[first->origin].process;

            if (first->answer != NULL && by_handler)
                logp_active_reply(logp_vp_machine(vp), process, first->answer, first->n_answer);
            else if (first->answer != NULL)
                logp_active_send(vp, process, first->answer, first->n_answer);
            drop_deferred(first);
        }
        first = next;
    }
}

/* Drop those of this rank. */
static void drop_own(struct win *w)
{
    struct deferred *first;

    pthread_mutex_lock(&w->own->mutex);
    first = w->own->performed;
    w->own->performed = NULL;
    pthread_mutex_unlock(&w->own->mutex);
    drop_deferred(first);
}

void mpi_drop_operations(struct target *t)
{
    drop_deferred(t->arriving);
    drop_deferred(t->performed);
}

/* Put d into the list, the mutex being held: it is most often the last to arrive. */
static void enlist(struct target *t, struct deferred *d)
{
    struct deferred *before = t->last_arriving;

    while (before != NULL && (before->arrival_ns > d->arrival_ns ||
                              (before->arrival_ns == d->arrival_ns && before->origin > d->origin)))
        before = before->prev;
    d->prev = before;
    d->next = before != NULL ? before->next : t->arriving;
    if (before != NULL)
        before->next = d;
    else
        t->arriving = d;
    if (d->next != NULL)
        d->next->prev = d;
    else
        t->last_arriving = d;
}

/* Copy the origin's data, so that the origin may overwrite them at once. */
static int defer(struct win *w, const struct operation_at *a, const struct reduction *r,
                 int64_t arrival_ns)
{
    const size_t n_in = a->has_in && a->op != MPI_NO_OP ? bytes_of(&a->in) : 0,
                 at_compared = (n_in + 15) / 16 * 16,
                 n_compared = a->compare != NULL ? bytes_of(&a->there) : 0;
    struct target *t = w->targets[a->rank];
    struct deferred *d;

    CHECK(w->comm, n_in <= INT_MAX, MPI_ERR_COUNT, "an operation on more than %d bytes", INT_MAX);
    d = malloc(sizeof(*d) + at_compared + n_compared);
    CHECK_MEMORY(w->comm, d);
    *d = (struct deferred){.arrival_ns = arrival_ns, .origin = w->comm->rank, .a = *a};
    if (a->op != MPI_REPLACE && a->op != MPI_NO_OP)
        d->r = *r;
    if (n_in > 0) {
        mpi_pack(a->in.type, (size_t)a->in.count, a->in.buf, d->data);
        d->a.in = (struct operand){d->data, (int)n_in, MPI_BYTE, mpi_type_of(MPI_BYTE), false};
    }
    if (n_compared > 0) {
        memcpy(d->data + at_compared, a->compare, n_compared);
        d->a.compare = d->data + at_compared;
    }
    mpi_keep_type(d->a.there.type);
    mpi_keep_type(d->a.out.type);
    pthread_mutex_lock(&t->mutex);
    enlist(t, d);
    pthread_mutex_unlock(&t->mutex);
    return MPI_SUCCESS;
}

int mpi_defer_message(struct win *w, int origin, int64_t arrival_ns, const void *bytes,
                      size_t n_bytes)
{
    struct deferred *d = malloc(sizeof(*d) + n_bytes);

    if (d == NULL)
        return MPI_ERR_NO_MEM;
    *d = (struct deferred){.arrival_ns = arrival_ns, .origin = origin, .is_message = true};
    memcpy(d->data, bytes, n_bytes);
    pthread_mutex_lock(&w->own->mutex);
    enlist(w->own, d);
    pthread_mutex_unlock(&w->own->mutex);
    return MPI_SUCCESS;
}

/* @return those that have been performed */
static struct deferred *perform_list(struct win *w, struct target *t, int64_t until_ns, int *rc)
{
    struct deferred *d, *performed = NULL, **last = &performed;

    pthread_mutex_lock(&t->mutex);
    while ((d = t->arriving) != NULL && d->arrival_ns <= until_ns && *rc == MPI_SUCCESS) {
        t->arriving = d->next;
        if (d->next != NULL)
            d->next->prev = NULL;
        else
            t->last_arriving = NULL;
        if (d->is_message)
            d->answer = mpi_perform_message(t->win, d->data, &d->n_answer);
        else
            *rc = perform_held(w, &d->a, &d->r);
        d->next = NULL;
        *last = d;
        last = &d->next;
    }
    pthread_mutex_unlock(&t->mutex);
    return performed;
}

int mpi_perform_arrived(struct win *w, int rank)
{
    int rc;

    if (w->targets[rank] == NULL)
        return mpi_flush_remote(w, rank, 1);
    rc = mpi_take_turn(w); /* whoever starts an operation before now has done so */
    if (!w->timed || rc != MPI_SUCCESS)
        return rc;
    give_back(w, perform_list(w, w->targets[rank], logp_now(w->comm->vp), &rc), false);
    drop_own(w);
    return rc;
}

void mpi_perform_until(struct win *w, int64_t until_ns)
{
    int rc = MPI_SUCCESS;

    give_back(w, perform_list(w, w->own, until_ns, &rc), true);
}

/* ---- a call ---- */

/* A reduction with this operation and these types. */
static int check_reduction(struct win *w, const struct operation_at *a, struct reduction *r)
{
    const struct type *basic = mpi_basic_of(a->there.type);
    int rc;

    CHECK(w->comm, basic != NULL && basic == mpi_basic_of(a->in.type), MPI_ERR_TYPE,
          "the elements of the two datatypes differ");
    CHECK(w->comm, (uintptr_t)a->op < 0x400, MPI_ERR_OP, "the operation is one of the program");
    rc = mpi_make_reduction(r, a->op, basic->handle);
    CHECK(w->comm, rc == MPI_SUCCESS, rc, "the operation is null, or does not apply to %s",
          basic->name);
    return rc;
}

static void check_types(struct win *w, const struct operation_at *a)
{
    const struct operand *parts[] = {a->has_in ? &a->in : NULL, a->has_out ? &a->out : NULL};

    for (int i = 0; i < 2; i++)
        if (parts[i] != NULL)
            TELL(alike, w->comm, parts[i]->type, (size_t)parts[i]->count, "the origin",
                 a->there.type, (size_t)a->there.count, "the target");
}

/* The operation and its types fit each other. */
static int check_operation(struct win *w, struct operation_at *a, struct reduction *r)
{
    int rc = check_part(w, &a->there);

    if (rc == MPI_SUCCESS && a->has_in)
        rc = check_part(w, &a->in);
    if (rc == MPI_SUCCESS && a->has_out)
        rc = check_part(w, &a->out);
    if (rc != MPI_SUCCESS)
        return rc;
    CHECK(w->comm, !a->has_in || bytes_of(&a->in) == bytes_of(&a->there), MPI_ERR_TYPE,
          "%zu bytes for %zu at the target", bytes_of(&a->in), bytes_of(&a->there));
    CHECK(w->comm, !a->has_out || bytes_of(&a->out) == bytes_of(&a->there), MPI_ERR_TYPE,
          "%zu bytes of the target for %zu", bytes_of(&a->there), bytes_of(&a->out));
    if (a->op != MPI_REPLACE && a->op != MPI_NO_OP && bytes_of(&a->there) > 0)
        rc = check_reduction(w, a, r);
    if (rc == MPI_SUCCESS)
        check_types(w, a);
    return rc;
}

/* Complete an operation on a window: perform it if it is due, so that its result is there. All
 * operations of a freed window have been performed. */
static int perform_due(struct request *r)
{
    struct win *w = mpi_win_of((MPI_Win)r->comm->of);

    return w != NULL ? mpi_perform_arrived(w, r->peer) : MPI_SUCCESS;
}

static int request_for(struct win *w, const struct operation_at *a, MPI_Request *request)
{
    struct request *r;

    if (request == NULL)
        return MPI_SUCCESS;
    r = mpi_new_request(REQUEST_DONE, w->comm);
    CHECK_MEMORY(w->comm, r);
    r->active = true;
    set_status(&r->status, MPI_UNDEFINED, MPI_UNDEFINED, 0);
    r->peer = a->rank;
    if (a->has_out && a->rank != MPI_PROC_NULL) { /* a buffer that is read is free at once */
        r->at_end = perform_due;
        r->until_ns = w->done_ns[a->rank];
        if (w->targets[a->rank] == NULL && r->until_ns == 0)
            r->until_ns = 1; /* its wait flushes the target */
    }
    mpi_give_request(r, NULL, request);
    return MPI_SUCCESS;
}

/* Operations with a request may be complete before their epoch ends: they are not noted. */
static void note_access(struct win *w, const struct operation_at *a, const char *call,
                        struct access *access)
{
    const uintptr_t from = (uintptr_t)a->there.buf + (uintptr_t)a->there.type->true_lb;

    TELL(origin, w, a->rank, call, a->in.buf, a->has_in ? a->in.type : NULL, (size_t)a->in.count,
         a->out.buf, a->has_out ? a->out.type : NULL, (size_t)a->out.count);
    if (bytes_of(&a->there) == 0)
        return;
    *access = (struct access){.from = from,
                              .to = from + (is_in_a_row(&a->there) ? bytes_of(&a->there) : 1),
                              .kind = a->is_atomic ? 'u'
                                      : a->has_in  ? 'w'
                                                   : 'r',
                              .in_a_row = is_in_a_row(&a->there),
                              .op = a->compare != NULL ? MPI_NO_OP : a->op,
                              .call = call};
    TELL(access, w, a->rank, access);
}

/* The address of the operation's result; NULL: it has no result, or one that is not contiguous */
static const void *result_in_a_row(const struct operation_at *a)
{
    return a->has_out && is_in_a_row(&a->out) ? (const char *)a->out.buf + a->out.type->true_lb
                                              : NULL;
}

static int operate(const char *call, struct operation_at *a, MPI_Win win, MPI_Request *request)
{
    struct reduction r;
    struct access access = {.to = 0};
    int64_t arrival_ns = 0;
    int rc;

    mpi_enter(call);
    WIN(w, win);
    if (a->rank != MPI_PROC_NULL)
        CHECK_WIN_RANK(w, a->rank);
    if (a->rank == MPI_PROC_NULL)
        a->in.is_origin = a->out.is_origin = false; /* nothing is moved */
    rc = check_operation(w, a, &r);
    if (rc != MPI_SUCCESS)
        return rc;
    if (a->rank == MPI_PROC_NULL)
        return request_for(w, a, request);
    CHECK(w->comm, w->fenced || w->access[a->rank] != 0, MPI_ERR_RMA_SYNC,
          "no epoch at rank %d has been opened", a->rank);
    CHECK(w->comm, request == NULL || (w->access[a->rank] & LOCKED) != 0, MPI_ERR_RMA_SYNC,
          "rank %d is not locked, as requests need it", a->rank);
    rc = locate(w, a);
    w->unfenced = w->unfenced || (rc == MPI_SUCCESS && w->access[a->rank] == 0);
    if (rc == MPI_SUCCESS && request == NULL)
        note_access(w, a, call, &access);
    if (rc == MPI_SUCCESS)
        rc = mpi_start_operation(w, a->rank, a->has_in ? bytes_of(&a->in) : 1,
                                 a->has_out ? bytes_of(&a->out) : 1, &arrival_ns);
    if (rc == MPI_SUCCESS)
        rc = w->targets[a->rank] == NULL ? mpi_start_remote(w, a, arrival_ns, &access)
             : w->timed                  ? defer(w, a, &r, arrival_ns)
                                         : mpi_perform(w, a, &r);
    if (rc == MPI_SUCCESS && request == NULL && bytes_of(&a->there) > 0)
        TELL(performed, w, a->rank, result_in_a_row(a), bytes_of(&a->there));
    return rc == MPI_SUCCESS ? request_for(w, a, request) : rc;
}

/* ---- MPI's names ---- */

#define IN .in = {(void *)origin, origin_count, origin_type, NULL, true}, .has_in = true
#define OUT .out = {result, result_count, result_type, NULL, true}, .has_out = true
#define AT .rank = rank, .displ = displ, .there = {NULL, target_count, target_type, NULL, false}

#define OPERATE(...) operate(call, &(struct operation_at){__VA_ARGS__}, win, request)
BOTH(Put, OPERATE(IN, AT, .op = MPI_REPLACE))
BOTH(Get, OPERATE(OUT, AT, .op = MPI_NO_OP))
BOTH(Accumulate, OPERATE(IN, AT, .op = op, .is_atomic = true))

/* With MPI_NO_OP the origin's buffer is not looked at. */
static int get_accumulate(const char *call, PARAMETERS_Get_accumulate, MPI_Request *request)
{
    struct operation_at a = {IN, OUT, AT, .op = op, .is_atomic = true};

    a.has_in = op != MPI_NO_OP;
    return operate(call, &a, win, request);
}

BOTH(Get_accumulate, get_accumulate(call, ARGUMENTS_Get_accumulate, request))

int MPI_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int rank, MPI_Aint displ,
                     MPI_Op op, MPI_Win win)
{
    CALLED();
    return get_accumulate(__func__, origin, 1, type, result, 1, type, rank, displ, 1, type, op, win,
                          NULL);
}

int MPI_Compare_and_swap(const void *origin, const void *compare, void *result, MPI_Datatype type,
                         int rank, MPI_Aint displ, MPI_Win win)
{
    struct operation_at a = {.in = {(void *)origin, 1, type, NULL, true},
                             .out = {result, 1, type, NULL, true},
                             .has_in = true,
                             .has_out = true,
                             .rank = rank,
                             .displ = displ,
                             .there = {NULL, 1, type, NULL, false},
                             .op = MPI_REPLACE,
                             .is_atomic = true,
                             .compare = compare};

    const struct type *t = mpi_type_of(type);

    CALLED();
    if (t != NULL && (t->kind != TYPE_BASIC || strchr("bBhHiIlLotq", t->arithmetic) == NULL ||
                      t->arithmetic == 0)) {
        mpi_enter(__func__);
        return mpi_failed(mpi_win_of(win) != NULL ? mpi_win_of(win)->comm : NULL, MPI_ERR_TYPE,
                          "%s is not an integer, a logical or a byte", t->name);
    }
    if (compare == NULL) {
        mpi_enter(__func__);
        return mpi_failed(mpi_win_of(win) != NULL ? mpi_win_of(win)->comm : NULL, MPI_ERR_BUFFER,
                          "the value to compare with is null");
    }
    return operate(__func__, &a, win, NULL);
}
