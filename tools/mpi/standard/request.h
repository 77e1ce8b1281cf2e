/* SPDX-License-Identifier: MIT */
/* Requests. */
#ifndef LOGP_MPI_REQUEST_H
#define LOGP_MPI_REQUEST_H

#include "checks.h"
#include "comm.h"
#include "type.h"

#include <forms.h>

#include <string.h>

struct reduction;

enum request_kind {
    REQUEST_SEND,
    REQUEST_RECV,
    REQUEST_COLLECTIVE,
    REQUEST_OPERATION, /* on a window; it has buffers, and no handle: conflict.c */
    REQUEST_PAIR,      /* of two messages: sendrecv.c */
    REQUEST_PARTS,     /* partitioned.c */
    REQUEST_DONE,
    REQUEST_GONE
};

/* A collective that is started again and again: a struct of its own begins with this. The program may
 * free its communicator, datatypes and operation meanwhile. Its messages have a context of their own, since the
 * ranks may start several of them in different orders. Source: MPI 4.0, 6.13 */
struct again {
    int (*start)(const struct again *again, MPI_Request *request);
    MPI_Comm *comm;        /* in that struct */
    struct comm *own;      /* a duplicate, which *comm is the handle of */
    struct type *types[2]; /* NULL: none */
    MPI_Op *op;            /* in that struct; NULL: none */
};

/* A request that the program completes. */
struct general {
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *drop;
    MPI_Grequest_cancel_function *cancel;
    void *state;
    bool complete;
};

/* How a request continues that is neither a message nor made of parts. */
struct progress {
    int (*start)(struct request *r); /* persistent */
    int (*advance)(struct request *r, bool waits, bool *done);
    void (*drop)(struct request *r); /* its memory */
};

struct request {
    enum request_kind kind;
    bool persistent, active, cancelled, freed;
    bool is_part; /* a message of a collective */
    int peer, tag;
    enum logp_send_mode mode;
    struct logp_request *under_way; /* NULL: it is complete, or has parts */
    struct comm *comm;
    struct type *type; /* of buf */
    void *buf;
    size_t count;
    /* handles.c: the list of those that the program has; link is NULL: it is not in it */
    struct request *next, **link;
    const char *call; /* that has made it */
    void *caller;     /* of that call; NULL: see place */
    uintptr_t place;
    const unsigned char *summed; /* the bytes it reads; NULL: the data of its type */
    size_t n_summed;             /* 0: nothing is compared */
    uint64_t sum;                /* of these bytes when it started */
    struct use *reads, *writes;  /* where its buffers are noted; NULL: nowhere */
    uintptr_t on_stack; /* the lowest of its buffers that are local variables; 0: none is */
    MPI_Status status;
    struct elements elements; /* type, count and buf, of a receive */
    bool has_more;            /* what follows may not be zero */

    /* ---- all zero in a request of a message: mpi_new_request() ---- */

    struct request **parts; /* a collective made of n_parts messages */
    int n_parts;
    void *memory;    /* packed data, until it is complete; NULL: none */
    void *packed;    /* the part of memory that is unpacked into buf at the end, or NULL */
    void *own_block; /* of MPI_Scatter() in place */
    const struct reduction *reduction;
    /* The result of a reduction: the bytes from `skip` on of n_blocks blocks, each of n elements,
     * that are in `memory` and are still to be combined; 0: none */
    int n_blocks;
    int64_t n;
    size_t skip, bytes;
    void *result;
    struct comm *made; /* of MPI_Comm_idup(): it gets its context when this is complete */
    uint32_t made_context;
    int64_t until_ns; /* of an operation on a window or file: when it is complete */
    int outcome;      /* of one on a file: MPI_SUCCESS or a code */
    int (*at_end)(
        struct request *request);    /* of these: called on completion. @return as mpi_wait_for() */
    struct again *again;             /* a persistent collective: the call to repeat; NULL: none */
    struct general *general;         /* the program completes it; NULL: not of this kind */
    const struct progress *progress; /* NULL: not of this kind */
    struct partitioned *partitioned; /* NULL: not of this kind */
    int *kept[4];                    /* large counts, as integers */
};

static inline bool is_message(const struct request *r)
{
    return r->kind == REQUEST_SEND || r->kind == REQUEST_RECV;
}
static inline struct request *request_of(MPI_Request request)
{
    return request != MPI_REQUEST_NULL ? (struct request *)request : NULL;
}
struct request *mpi_new_request(enum request_kind kind, struct comm *comm);
void mpi_free_request(struct request *request);
/* An inactive request that starts `again`, which it owns; NULL: there was no memory. @return MPI_SUCCESS
 * or a class */
int mpi_make_persistent(const char *call, struct again *again, MPI_Comm comm, MPI_Request *request);

/* handles.c: give the program a handle. caller: the return address of the call; NULL: see CALLED() */
void mpi_give_request(struct request *request, void *caller, MPI_Request *handle);
void mpi_forget_request(struct request *request);
/* In place of free(): the program has had a handle, or it has not. */
void mpi_bury_request(struct rank *owner, struct request *request);
void mpi_spare_request(struct rank *owner, struct request *request);
struct request *mpi_reuse_request(struct rank *owner); /* one of them; NULL: none yet */
#define REQUESTS(n, all, frame)                                                                    \
    do {                                                                                           \
        int class;                                                                                 \
        CHECK_COUNT(NULL, n);                                                                      \
        class = the_checks.requests != NULL ? the_checks.requests(n, all, frame) : MPI_SUCCESS;    \
        if (class != MPI_SUCCESS)                                                                  \
            return class;                                                                          \
    } while (0)
#define ENTER_REQUESTS(n, all)                                                                     \
    mpi_enter(__func__);                                                                           \
    REQUESTS(n, all, FRAME)
/* In a function that the program calls: its caller's local variables are not below this address, where the
 * return address and the caller's frame pointer end. */
#define FRAME ((uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *))
/* Call the check of blocks where the word before the data looks like the size of a block that is shorter than they
 * are. At the start of a page that word may not be there. */
static inline void tell_block(const void *buf, const struct type *t, size_t n)
{
    const uintptr_t at = (uintptr_t)buf + (uintptr_t)t->true_lb;
    size_t bytes, head;

    if (the_checks.block == NULL || at % (2 * sizeof(head)) != 0 || at % 4096 == 0 || n == 0 ||
        t->size == 0 || t->extent < 0)
        return;
    bytes = (n - 1) * (size_t)t->extent + (size_t)(t->true_ub - t->true_lb);
    memcpy(&head, (const void *)(at - sizeof(head)), sizeof(head));
    if (head >= 4 * sizeof(head) && head - sizeof(head) < bytes && (head & 8) == 0)
        the_checks.block(at, bytes);
}
/* Whether an incomplete request or operation of this rank uses a buffer, or it has windows. */
#define HAS_USES(rank)                                                                             \
    ((((rank)->sends.taken | (rank)->receives.taken) != 0) || (rank)->windows != NULL)

/* A function of MPI and its form that gives a request: both return `value`, an expression of `call`, their
 * name, or of `me`, the rank that has entered it, of their parameters, and of `request`, NULL in the first. */
#define BOTH(name, value)                                                                          \
    int MPI_##name(PARAMETERS_##name)                                                              \
    {                                                                                              \
        const char *const call = __func__;                                                         \
        struct rank *const me = mpi_enter(call);                                                   \
        MPI_Request *const request = NULL;                                                         \
                                                                                                   \
        mpi_note_caller(me, __builtin_return_address(0));                                          \
        return value;                                                                              \
    }                                                                                              \
    int STARTED_##name(PARAMETERS_##name, MPI_Request *request)                                    \
    {                                                                                              \
        const char *const call = __func__;                                                         \
        struct rank *const me = mpi_enter(call);                                                   \
                                                                                                   \
        mpi_note_caller(me, __builtin_return_address(0));                                          \
        return value;                                                                              \
    }

/* Complete it. @return MPI_SUCCESS or the class of its error */
int mpi_wait_for(struct request *request);
/* Fill *status, if it is wanted, from a request that is complete. */
void mpi_give_status(const struct request *request, MPI_Status *status);
/* A message has come that is longer than the buffer of `bytes` bytes. @return MPI_ERR_TRUNCATE */
int mpi_truncated(struct comm *comm, const struct logp_status *from, size_t bytes);
static inline void set_status(MPI_Status *status, int source, int tag, size_t bytes)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    status->MPI_internal[0] = (int)(bytes & 0x7fffffff);
    status->MPI_internal[1] = (int)(bytes >> 31);
    status->MPI_internal[2] = 0; /* not cancelled */
}

/* A request of a message, not started. @return MPI_SUCCESS, or the class of an error */
int mpi_make_message(const char *call, enum request_kind kind, const void *buf, int count,
                     MPI_Datatype type, int peer, int tag, MPI_Comm comm, struct request **out);
/* point.c: receive, whatever the size. @return MPI_SUCCESS, MPI_ERR_TRUNCATE */
int mpi_start_send(struct request *request);
int mpi_start_recv(struct request *request);
int mpi_start_message(struct request *request); /* that the program has a handle to, or will have */

#endif
