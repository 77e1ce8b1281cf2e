/* SPDX-License-Identifier: MIT */
/* Requests: operations under way, and the calls that wait for them or test them. */
#include "op.h"
#include "rank.h"
#include "request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The part that all requests use is cleared by stores of vectors: of a memset() of this size compilers make an
 * instruction that takes long to start. */
static void clear(struct request *r)
{
    typedef uint64_t vector __attribute__((vector_size(64), aligned(8), may_alias));
    vector *head = (vector *)r;

    _Static_assert(offsetof(struct request, elements) <= 3 * sizeof(vector) &&
                       offsetof(struct request, has_more) >= 3 * sizeof(vector),
                   "three vectors");
    head[0] = head[1] = head[2] = (vector){0};
    if (r->has_more)
        memset(&r->parts, 0, sizeof(*r) - offsetof(struct request, parts));
}

struct request *mpi_new_request(enum request_kind kind, struct comm *comm)
{
    struct request *r = mpi_reuse_request(comm->owner);

    if (r == NULL && (r = malloc(sizeof(*r))) != NULL)
        r->has_more = true;
    if (r == NULL)
        return NULL;
    clear(r);
    r->kind = kind;
    r->comm = comm;
    r->has_more = !is_message(r);
    comm->references++;
    return r;
}

static void free_again(struct again *again)
{
    if (again == NULL)
        return;
    if (again->op != NULL)
        free(*again->op);
    for (int i = 0; i < 2; i++)
        mpi_drop_type(again->types[i]);
    if (again->own != NULL) {
        again->own->cart = NULL; /* it is that of the communicator */
        mpi_drop_comm(again->own);
    }
    free(again);
}

/* What a request of a single message does not have. */
static void free_parts(struct request *r)
{
    for (int i = 0; i < r->n_parts; i++)
        mpi_free_request(r->parts[i]);
    free(r->parts);
    free(r->memory);
    free(r->own_block);
    mpi_drop_reduction(r->reduction);
    free_again(r->again);
    if (r->general != NULL)
        r->general->drop(r->general->state);
    free(r->general);
    if (r->progress != NULL)
        r->progress->drop(r);
    for (size_t i = 0; i < sizeof(r->kept) / sizeof(r->kept[0]); i++)
        free(r->kept[i]);
}

void mpi_free_request(struct request *r)
{
    struct rank *owner = r->comm->owner;

    if (!is_message(r))
        free_parts(r);
    mpi_drop_type(r->type);
    mpi_drop_comm(r->comm);
    TELL(forget_buffers, owner, r);
    if (r->link == NULL) {
        mpi_spare_request(owner, r);
        return;
    }
    mpi_forget_request(r);
    mpi_bury_request(owner, r);
}

/* ---- one ---- */

int mpi_truncated(struct comm *c, const struct logp_status *from, size_t bytes)
{
    return mpi_failed(c, MPI_ERR_TRUNCATE,
                      "a message of %zu bytes from rank %d with tag %d, for %zu", from->n_bytes,
                      from->source, from->tag, bytes);
}

/* The runtime has completed r, a receive or send, with rc. @return MPI_SUCCESS or a class */
static int completed(struct request *r, int rc, struct logp_status *from)
{
    const int global = from->source;
    const size_t bytes = r->type != NULL ? r->count * r->type->size : 0;

    r->under_way = NULL;
    if (r->kind != REQUEST_RECV || rc != 0)
        return mpi_class_of(rc);
    if (r->comm->vp != r->comm->owner->vp)
        logp_group_translate(r->comm->owner->vp, 1, &global, r->comm->vp, &from->source);
    from->source -= r->comm->first_peer;
    set_status(&r->status, from->source, from->tag, from->n_bytes < bytes ? from->n_bytes : bytes);
    if (from->n_bytes > bytes && r->is_part)
        return mpi_failed(r->comm, MPI_ERR_TRUNCATE,
                          "rank %d sends %zu bytes where %zu are expected", from->source,
                          from->n_bytes, bytes);
    if (from->n_bytes > bytes)
        return mpi_truncated(r->comm, from, bytes);
    TELL(signature, r->comm, r, r->type, from->bits, from->n_bytes, from->source, from->tag);
    return MPI_SUCCESS;
}

/* Finish r, which is complete with all its parts. @return MPI_SUCCESS or a class */
static int finish(struct request *r)
{
    if (r->n_summed > 0)
        TELL(sum, r);
    if (r->packed != NULL)
        mpi_unpack(r->type, r->count, r->packed, r->count * r->type->size, r->buf);
    r->packed = NULL;
    for (int i = 1; i < r->n_blocks; i++)
        r->reduction->op.combine(r->memory,
                                 (char *)r->memory + i * r->n * r->reduction->type->extent,
                                 (size_t)r->n, r->reduction->op.arg);
    if (r->n_blocks > 0 && r->bytes > 0)
        memcpy(r->result, (char *)r->memory + r->skip, r->bytes);
    r->n_blocks = 0;
    free(r->memory);
    r->memory = NULL;
    if (r->general != NULL)
        return r->general->query(r->general->state, &r->status);
    return r->at_end != NULL ? r->at_end(r) : MPI_SUCCESS;
}

/* Finish a message, which the runtime has completed with rc. @return rc */
static int finish_message(struct request *r, int rc)
{
    if (r->n_summed > 0)
        TELL(sum, r);
    return rc;
}

int mpi_wait_for(struct request *r)
{
    struct logp_status from = {0};
    int rc = MPI_SUCCESS, end;
    bool done;

    if (r->under_way != NULL)
        rc = completed(r, logp_wait(r->comm->owner->vp, r->under_way, &from), &from);
    if (is_message(r))
        return finish_message(r, rc);
    while (r->general != NULL && !r->general->complete && rc == MPI_SUCCESS)
        rc =
            mpi_class_of(logp_yield(r->comm->owner->vp)); /* a thread of the program completes it */
    if (r->progress != NULL)
        rc = r->progress->advance(r, true, &done);
    if (r->until_ns > 0)
        rc = mpi_class_of(logp_sleep_until(r->comm->owner->vp, r->until_ns));
    for (int i = 0; i < r->n_parts; i++) {
        const int part = mpi_wait_for(r->parts[i]);

        rc = rc != MPI_SUCCESS ? rc : part;
    }
    end = finish(r);
    return rc != MPI_SUCCESS ? rc : end;
}

/* @return MPI_SUCCESS or a class; *done */
static int test(struct request *r, bool *done)
{
    struct logp_status from = {0};
    int rc = MPI_SUCCESS;

    *done = true;
    if (r->under_way != NULL) {
        rc = logp_test(r->comm->owner->vp, r->under_way, done, &from);
        if (*done)
            rc = completed(r, rc, &from);
    }
    if (is_message(r))
        return *done ? finish_message(r, rc) : rc;
    if ((r->until_ns > 0 && r->until_ns > logp_now(r->comm->owner->vp)) ||
        (r->general != NULL && !r->general->complete)) {
        *done = false;
        rc = mpi_class_of(logp_yield(r->comm->owner->vp));
    }
    if (r->progress != NULL && *done)
        rc = r->progress->advance(r, false, done);
    for (int i = 0; i < r->n_parts && *done; i++)
        rc = test(r->parts[i], done);
    if (*done) {
        const int end = finish(r);

        rc = rc != MPI_SUCCESS ? rc : end;
    }
    return rc;
}

void mpi_give_status(const struct request *r, MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    if (r == NULL || !r->active) { /* an empty one */
        set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
        status->MPI_ERROR = MPI_SUCCESS;
        return;
    }
    status->MPI_SOURCE = r->status.MPI_SOURCE;
    status->MPI_TAG = r->status.MPI_TAG;
    for (int i = 0; i < 5; i++)
        status->MPI_internal[i] = r->status.MPI_internal[i];
    if (r->general == NULL) /* its program sets it */
        status->MPI_internal[2] = r->cancelled;
}

/* The caller has its status: a persistent one can start again, others are gone. */
static void put_away(MPI_Request *request)
{
    struct request *r = (struct request *)*request;

    if (*request == MPI_REQUEST_NULL)
        return;
    r->active = false;
    if (!is_message(r))
        for (int i = 0; i < r->n_parts; i++)
            r->parts[i]->active = false;
    if (r->persistent)
        return;
    mpi_free_request(r);
    *request = MPI_REQUEST_NULL;
}

static bool is_active(MPI_Request request)
{
    const struct request *r = request_of(request);

    return r != NULL && r->active;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    int rc = MPI_SUCCESS;

    ENTER_REQUESTS(1, request);
    if (is_active(*request))
        rc = mpi_wait_for((struct request *)*request);
    mpi_give_status(request_of(*request), status);
    put_away(request);
    return rc;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    bool done = true;
    int rc = MPI_SUCCESS;

    ENTER_REQUESTS(1, request);
    if (is_active(*request))
        rc = test((struct request *)*request, &done);
    *flag = done;
    if (done) {
        mpi_give_status(request_of(*request), status);
        put_away(request);
    }
    return rc;
}

/* ---- all ---- */

static MPI_Status *status_at(MPI_Status *statuses, int i)
{
    return statuses != MPI_STATUSES_IGNORE ? &statuses[i] : MPI_STATUS_IGNORE;
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status *statuses)
{
    int all = MPI_SUCCESS;

    ENTER_REQUESTS(n, requests);
    for (int i = 0; i < n; i++) {
        const int rc =
            is_active(requests[i]) ? mpi_wait_for((struct request *)requests[i]) : MPI_SUCCESS;

        mpi_give_status(request_of(requests[i]), status_at(statuses, i));
        if (statuses != MPI_STATUSES_IGNORE)
            statuses[i].MPI_ERROR = rc;
        all = rc != MPI_SUCCESS ? MPI_ERR_IN_STATUS : all;
        put_away(&requests[i]);
    }
    return all;
}

/* Request `failed` is complete with the error `class`, and those before it are complete. Those after it
 * that are not complete stay. Source: MPI 3.1, 3.7.5 */
static int take_all_after(int n, MPI_Request requests[], int failed, int class,
                          MPI_Status *statuses)
{
    for (int i = 0; i < n; i++) {
        int rc = i == failed ? class : MPI_SUCCESS;
        bool done = true;

        if (i > failed && is_active(requests[i]))
            rc = test((struct request *)requests[i], &done);
        if (done)
            mpi_give_status(request_of(requests[i]), status_at(statuses, i));
        if (statuses != MPI_STATUSES_IGNORE)
            statuses[i].MPI_ERROR = done ? rc : MPI_ERR_PENDING;
        if (done)
            put_away(&requests[i]);
    }
    return MPI_ERR_IN_STATUS;
}

int MPI_Testall(int n, MPI_Request requests[], int *flag, MPI_Status *statuses)
{
    bool done = true;

    ENTER_REQUESTS(n, requests);
    for (int i = 0; i < n && done; i++) {
        const int rc =
            is_active(requests[i]) ? test((struct request *)requests[i], &done) : MPI_SUCCESS;

        if (done && rc != MPI_SUCCESS) {
            *flag = 1;
            return take_all_after(n, requests, i, rc, statuses);
        }
        if (rc != MPI_SUCCESS) /* the run ends */
            return rc;
    }
    *flag = done;
    for (int i = 0; i < n && done; i++) {
        mpi_give_status(request_of(requests[i]), status_at(statuses, i));
        if (statuses != MPI_STATUSES_IGNORE)
            statuses[i].MPI_ERROR = MPI_SUCCESS;
        put_away(&requests[i]);
    }
    return MPI_SUCCESS;
}

/* ---- the first, or some ---- */

/* Whether r has parts or nothing under way: then it is tested by itself. */
static bool is_composite(const struct request *r)
{
    return r->n_parts > 0 || r->under_way == NULL;
}

/* The first of the active requests that is complete; n: none is yet; -1: none is active. */
static int first_done(int n, MPI_Request requests[], int *rc)
{
    int first = -1;
    bool done;

    *rc = MPI_SUCCESS;
    for (int i = 0; i < n; i++) {
        if (!is_active(requests[i]))
            continue;
        first = n;
        *rc = test((struct request *)requests[i], &done);
        if (done)
            return i;
    }
    return first;
}

/* Wait for the first of several single messages. @return its index */
static int await_first(int n, MPI_Request requests[], struct logp_request **under_way, int *rc)
{
    struct logp_status from = {0};
    int i = -1, end;

    for (int k = 0; k < n; k++)
        under_way[k] = is_active(requests[k]) ? ((struct request *)requests[k])->under_way : NULL;
    *rc = logp_waitany(mpi_this_rank()->vp, under_way, n, &i, &from);
    if (i < 0) {
        *rc = mpi_class_of(*rc);
        return i;
    }
    *rc = completed((struct request *)requests[i], *rc, &from);
    end = finish((struct request *)requests[i]);
    *rc = *rc != MPI_SUCCESS ? *rc : end;
    return i;
}

static int wait_first(int n, MPI_Request requests[], int *rc)
{
    struct logp_request **under_way;
    bool composite = false;
    int first = -1;

    for (int i = 0; i < n; i++)
        if (is_active(requests[i])) {
            first = n;
            composite = composite || is_composite((struct request *)requests[i]);
        }
    *rc = MPI_SUCCESS;
    if (first < 0)
        return first;
    if (composite) { /* tests make progress, and their cost advances the time */
        while ((first = first_done(n, requests, rc)) == n && *rc == MPI_SUCCESS)
            ;
        return first;
    }
    under_way = malloc((size_t)n * sizeof(struct logp_request *));
    if (under_way == NULL) {
        *rc = mpi_failed(NULL, MPI_ERR_NO_MEM, "no memory");
        return -1;
    }
    first = await_first(n, requests, under_way, rc);
    free(under_way);
    return first;
}

/* Request `first` is complete; < 0 or n: none is. */
static void take_one(int n, MPI_Request requests[], int first, int *index, MPI_Status *status)
{
    *index = first >= 0 && first < n ? first : MPI_UNDEFINED;
    mpi_give_status(*index >= 0 ? request_of(requests[*index]) : NULL, status);
    if (*index >= 0)
        put_away(&requests[*index]);
}

int MPI_Waitany(int n, MPI_Request requests[], int *index, MPI_Status *status)
{
    int rc, first;

    ENTER_REQUESTS(n, requests);
    first = wait_first(n, requests, &rc);
    take_one(n, requests, first, index, status);
    return rc;
}

int MPI_Testany(int n, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    int rc, first;

    ENTER_REQUESTS(n, requests);
    first = first_done(n, requests, &rc);
    *flag = first < n;
    *index = MPI_UNDEFINED;
    if (*flag)
        take_one(n, requests, first, index, status);
    return rc;
}

/* From request `first` on, take all that are complete. */
static int take_some(int n, MPI_Request requests[], int first, int rc, int *n_done, int *indices,
                     MPI_Status *statuses)
{
    bool done = true;

    *n_done = 0;
    for (int i = first; i < n; i++) {
        int error = i == first ? rc : MPI_SUCCESS;

        if (!is_active(requests[i]))
            continue;
        if (i > first)
            error = test((struct request *)requests[i], &done);
        if (!done)
            continue;
        indices[*n_done] = i;
        mpi_give_status(request_of(requests[i]), status_at(statuses, *n_done));
        if (statuses != MPI_STATUSES_IGNORE)
            statuses[*n_done].MPI_ERROR = error;
        rc = error != MPI_SUCCESS ? MPI_ERR_IN_STATUS : rc;
        ++*n_done;
        put_away(&requests[i]);
    }
    return rc;
}

int MPI_Waitsome(int n, MPI_Request requests[], int *n_done, int *indices, MPI_Status *statuses)
{
    int rc, first;

    ENTER_REQUESTS(n, requests);
    first = wait_first(n, requests, &rc);
    *n_done = MPI_UNDEFINED;
    return first < 0 ? rc : take_some(n, requests, first, rc, n_done, indices, statuses);
}

int MPI_Testsome(int n, MPI_Request requests[], int *n_done, int *indices, MPI_Status *statuses)
{
    int rc, first;

    ENTER_REQUESTS(n, requests);
    first = first_done(n, requests, &rc);
    *n_done = first < 0 ? MPI_UNDEFINED : 0;
    return first < 0 || first == n ? rc
                                   : take_some(n, requests, first, rc, n_done, indices, statuses);
}

/* ---- the rest ---- */

/* The program knows, or may know from another message, that r is complete: its buffers are not compared. */
static void forget_uses(struct rank *rank, struct request *r)
{
    r->n_summed = 0;
    r->on_stack = 0;
    TELL(forget_buffers, rank, r);
    for (int i = 0; i < r->n_parts; i++)
        forget_uses(rank, r->parts[i]);
}

/* Free the handle. An operation under way continues and is completed before the rank ends. */
int MPI_Request_free(MPI_Request *request)
{
    struct rank *rank = mpi_enter(__func__);
    struct request *r = request_of(*request), **left;

    CHECK(NULL, r != NULL, MPI_ERR_REQUEST, "the request is null");
    REQUESTS(1, request, 0);
    CHECK(r->comm, r->kind != REQUEST_COLLECTIVE || r->again != NULL, MPI_ERR_REQUEST,
          "the request of a collective may not be freed; wait for it");
    *request = MPI_REQUEST_NULL;
    if (r->general != NULL && !r->general->complete) {
        mpi_forget_request(r);
        r->freed = true;
        return MPI_SUCCESS;
    }
    if (!r->active || r->general != NULL) {
        mpi_free_request(r);
        return MPI_SUCCESS;
    }
    forget_uses(rank, r);
    left = realloc(rank->left, (size_t)(rank->n_left + 1) * sizeof(struct request *));
    CHECK_MEMORY(NULL, left);
    rank->left = left;
    left[rank->n_left++] = r;
    mpi_forget_request(r);
    r->freed = true;
    return MPI_SUCCESS;
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    bool done = true;
    int rc = MPI_SUCCESS;

    ENTER_REQUESTS(1, &request);
    if (is_active(request))
        rc = test((struct request *)request, &done);
    *flag = done;
    if (done)
        mpi_give_status(request_of(request), status);
    if (done && request != MPI_REQUEST_NULL)
        forget_uses(mpi_this_rank(), (struct request *)request);
    return rc;
}

int MPI_Cancel(MPI_Request *request)
{
    struct request *r = request_of(*request);
    int rc;

    ENTER_REQUESTS(1, request);
    CHECK(NULL, r != NULL && r->active, MPI_ERR_REQUEST, "the request is null or not active");
    if (r->general != NULL)
        return r->general->cancel(r->general->state, r->general->complete);
    CHECK(r->comm, is_message(r), MPI_ERR_REQUEST,
          "only a send, a receive or a generalized request can be cancelled");
    if (r->under_way == NULL)
        return MPI_SUCCESS;
    rc = logp_cancel(mpi_this_rank()->vp, r->under_way);
    CHECK(r->comm, rc != -ENOTSUP, MPI_ERR_UNSUPPORTED_OPERATION,
          "a send that waits for its receiver cannot be cancelled with --explore");
    if (rc == 0) {
        r->under_way = NULL;
        r->cancelled = true;
        set_status(&r->status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    }
    return rc == -EINPROGRESS ? MPI_SUCCESS : mpi_class_of(rc);
}
