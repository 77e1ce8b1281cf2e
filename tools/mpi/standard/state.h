/* SPDX-License-Identifier: MIT */
/*
 * What MPI keeps for each rank. A handle is a constant below 0x400 or a pointer to one of these
 * structs, which belongs to the rank that made it. A rank is a virtual processor; whatever it does
 * is done by its own calls, so nothing here is shared and nothing is locked.
 */
#ifndef LOGP_MPI_STATE_H
#define LOGP_MPI_STATE_H

#include "checks.h"

#include <mpi.h>

#include <logp/logp.h>

#include <limits.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Fortran's types of 16 bytes, where C has them ---- */

#ifdef __SIZEOF_INT128__
#define HAS_INTEGER16 1
typedef __int128 integer16;
#endif
#ifdef __SIZEOF_FLOAT128__
#define HAS_REAL16 1
typedef __float128 real16;
typedef float _Complex complex32 __attribute__((mode(TC)));
#endif

/* ---- what handles point to: handles.c ---- */

/* A communicator, datatype, group, info, operation or window begins with this. When it is freed its
 * memory stays for a while, so that its handle is known to be gone. */
struct object {
    bool is_gone;
    struct object *next, **link; /* of those that the program has made; link is NULL: not in it */
    const char *what, *call;     /* "datatype", and the call that has made it */
    void *caller;                /* of that call; NULL: see place */
    uintptr_t place;
};

/* What a handle points to; NULL: a constant, or it is gone. */
static inline void *object_of(const void *handle)
{
    const struct object *o = handle;

    return (uintptr_t)handle >= 0x400 && !o->is_gone ? (void *)o : NULL;
}

/* The program has no handle to it any more. */
void forget_object(struct object *object);
/* In place of free(). */
void bury_object(struct object *object, size_t bytes);
/* A call of the program has made what this handle points to. caller: its return address */
void note_object(const char *what, const char *call, void *handle, void *caller);

/* ---- datatypes: trees. type.c ---- */

/* A hash of the basic types of a datatype, and BASE to the power of their number: signature.c */
struct signature {
    uint64_t sum, power;
};

enum type_kind { TYPE_BASIC, TYPE_VECTOR, TYPE_BLOCKS };

struct type {
    struct object object;
    enum type_kind kind;
    int references; /* 0: a constant */
    size_t size;    /* bytes of data */
    ptrdiff_t lb, extent, true_lb, true_ub;
    size_t alignment;    /* of its basic types; 1: its extent is given */
    bool dense;          /* its data are its bytes 0 .. size - 1, in this order */
    bool committed;      /* or `references` is 0 */
    char arithmetic;     /* of a basic type: what op.c calls it; 0: other */
    MPI_Datatype handle; /* of a basic type */
    struct type *old;    /* VECTOR; BLOCKS, where all are of one type */
    size_t count, block; /* VECTOR: count times `block` olds, `stride` bytes apart; BLOCKS: count */
    ptrdiff_t stride;    /* VECTOR */
    size_t *blocks;      /* BLOCKS: how many olds each has */
    ptrdiff_t *displs;   /* BLOCKS: where it begins */
    struct type **olds;  /* BLOCKS; NULL: all are of `old` */
    struct signature signature; /* power 0: not known yet */
    struct recipe *recipe;      /* contents.c; NULL: a constant */
    char name[MPI_MAX_OBJECT_NAME];
};

/* The type of a handle; NULL: it is none. */
struct type *type_of(MPI_Datatype handle);
void keep_type(struct type *type);
void drop_type(struct type *type);
/* Whether the data of n elements are contiguous. */
static inline bool in_a_row(const struct type *t, size_t n)
{
    return t->dense && (n <= 1 || t->extent == (ptrdiff_t)t->size);
}
/* Whether n and m elements of two buffers certainly have a byte in common. */
bool share_bytes(const void *a, const struct type *a_type, size_t n, const void *b,
                 const struct type *b_type, size_t m);
/* Copy n elements to bytes in a row, and back: `bytes` of them at most. */
void pack(const struct type *type, size_t n, const void *buf, void *out);
void unpack(const struct type *type, size_t n, const void *in, size_t bytes, void *buf);

/* ---- sizes of what may not be there ---- */

/* a + b, a - b and a * b. *fits becomes false, and stays, if one is not within 64 bits. */
#define CALCULATE(name, calculate)                                                                 \
    static inline ptrdiff_t name(ptrdiff_t a, ptrdiff_t b, bool *fits)                             \
    {                                                                                              \
        ptrdiff_t result;                                                                          \
                                                                                                   \
        *fits = !calculate(a, b, &result) && *fits;                                                \
        return result;                                                                             \
    }
CALCULATE(plus, __builtin_add_overflow)
CALCULATE(minus, __builtin_sub_overflow)
CALCULATE(product, __builtin_mul_overflow)

/* Whether the size and the extent of n elements are less than 2^63 bytes. */
static inline bool can_be_counted(const struct type *t, size_t n)
{
    ptrdiff_t bytes;

    return !__builtin_mul_overflow(n, t->size, &bytes) &&
           !__builtin_mul_overflow(n, t->extent, &bytes);
}
/* Whether n bytes from `position` on are within a buffer of `size` bytes. */
static inline bool fits_in(MPI_Aint position, size_t n, MPI_Aint size)
{
    return position >= 0 && position <= size && n <= (size_t)(size - position);
}
/* Return n as an int, or MPI_UNDEFINED if it does not fit. Source: MPI 3.1, 3.2.5, 4.1.5 */
static inline int int_or_undefined(uint64_t n)
{
    return n <= INT_MAX ? (int)n : MPI_UNDEFINED;
}

/* What a message is made of, or goes to, where that does not lie in a row. */
struct elements {
    const struct type *type;
    size_t n;
    void *buf;
};

/* For logp_send_options and logp_recv_options; arg: the elements. */
void fill_payload(void *elements, size_t at, void *out, size_t n);
void drain_payload(void *elements, size_t at, const void *bytes, size_t n);

/* ---- communicators and groups: comm.c, group.c, cart.c, graph.c ---- */

struct group {
    struct object object;
    int n;
    int ranks[]; /* in MPI_COMM_WORLD */
};

struct errhandler {
    struct object object;
    int references; /* handles of the program; communicators may still use it without any */
    MPI_Comm_errhandler_function *function;
};

struct cart {
    int n_dims;
    int *dims, *periods; /* in one allocation with the struct */
};

/* A graph, as one rank sees it. */
struct graph {
    int references;
    int n_nodes, *index, *edges; /* as MPI_Graph_create() gets them; NULL: of a distributed graph */
    int n_in, n_out, *in, *out;  /* its neighbours, then the weights of these edges */
    bool weighted;
};

void drop_graph(struct graph *graph);

struct comm {
    struct object object;
    struct rank *owner;
    struct logp_vp *vp; /* the rank as a member */
    int rank, size;
    int references; /* its handle, and requests */
    /* Destinations of messages: n_peers ranks of vp from first_peer on. They are the communicator
     * itself, or, between two groups, the other group: then vp has both groups. */
    int n_peers, first_peer;
    bool inter;  /* it is between two groups */
    uint64_t id; /* the same at all members; 0: their collectives are not compared */
    uint64_t n_checked, n_ordered; /* collectives: signature.c */
    struct comm *inner; /* the same ranks, for messages of collectives; NULL: not needed yet */
    MPI_Errhandler errors;
    struct cart *cart;
    struct graph *graph;
    MPI_Info info; /* its own; NULL: none */
    MPI_Win
        window; /* whose communicator it is, and whose error handler has its handle; NULL: none */
    char name[MPI_MAX_OBJECT_NAME];
};

/* The communicator of a handle; NULL: it is none. */
struct comm *comm_of(MPI_Comm handle);
void drop_comm(struct comm *comm);
/* Set *comm to the ranks of vp. n_first > 0: it is between its first n_first ranks and the others */
void set_comm(struct comm *comm, struct logp_vp *vp, int n_first);
int n_first_of(const struct comm *comm); /* that n_first */
struct comm *new_comm(struct logp_vp *vp, int n_first, const struct comm *like);
/* Its id in a group of the runtime. Those that have a first member in common have different contexts, also later on. */
uint64_t id_of(const struct logp_vp *vp, uint32_t context);
/* The runtime has made a group, with rc; vp is NULL: this rank is in none. @return a class */
int give_comm(const struct comm *like, int rc, struct logp_vp *vp, int n_first, MPI_Comm *out);
/* The ranks of one group, or of the other. NULL: no memory */
struct group *ranks_of(const struct comm *comm, bool peers);
/* inter.c: as MPI_Comm_split(), between two groups; color may be LOGP_NO_COLOUR */
int split_inter(struct comm *comm, int color, int key, MPI_Comm *out);
/* The group of a handle; NULL: it is none. */
const struct group *group_of(MPI_Group handle);
struct group *new_group(int n);

/* ---- infos of objects: info.c. NULL: none ---- */

int set_info(MPI_Info *kept, MPI_Info info);
int get_info(MPI_Info kept, MPI_Info *info);
/* Return the value of a key of these hints; NULL: they have no such key. */
const char *info_value(MPI_Info kept, const char *key);
void drop_info(MPI_Info *kept);

/* ---- attributes: attributes.c ---- */

enum object_kind { OBJECT_COMM, OBJECT_TYPE, OBJECT_WIN };

/* Objects are handles. The functions of a key value have lost their types. @return a class, or what
 * a function of the program returns */
int create_keyval(enum object_kind kind, void (*copy)(void), void (*drop)(void), int *keyval,
                  void *state);
int free_keyval(enum object_kind kind, int *keyval);
/* As note_object(), of a key value. */
void note_keyval(int keyval, const char *call, void *caller);
int set_attribute(enum object_kind kind, void *object, int keyval, void *value);
bool find_attribute(const void *object, int keyval, void **value);
int delete_attribute(void *object, int keyval);
/* All of an object, up to the first whose function fails. */
int delete_attributes(void *object);
/* What MPI has for each kind of object; entered: ENTER(), or that of the kind. */
#define ATTRIBUTES(name, type, kind, entered)                                                      \
    int MPI_##name##_create_keyval(MPI_##name##_copy_attr_function *copy,                          \
                                   MPI_##name##_delete_attr_function *deleted, int *keyval,        \
                                   void *state)                                                    \
    {                                                                                              \
        enter("MPI_" #name "_create_keyval");                                                      \
        return create_keyval(kind, (void (*)(void))copy, (void (*)(void))deleted, keyval, state);  \
    }                                                                                              \
    int MPI_##name##_free_keyval(int *keyval)                                                      \
    {                                                                                              \
        enter("MPI_" #name "_free_keyval");                                                        \
        return free_keyval(kind, keyval);                                                          \
    }                                                                                              \
    int MPI_##name##_set_attr(type handle, int keyval, void *value)                                \
    {                                                                                              \
        entered(object, "MPI_" #name "_set_attr", handle);                                         \
        (void)object;                                                                              \
        return set_attribute(kind, handle, keyval, value);                                         \
    }                                                                                              \
    int MPI_##name##_delete_attr(type handle, int keyval)                                          \
    {                                                                                              \
        entered(object, "MPI_" #name "_delete_attr", handle);                                      \
        (void)object;                                                                              \
        return delete_attribute(handle, keyval);                                                   \
    }
int copy_attributes(void *from, void *to);

/* ---- operations: op.c ---- */

struct operation {
    struct object object;
    MPI_User_function *function;
    bool commutes;
};

/* What one reduction combines with: `op` is for the runtime, and stays with it. */
struct reduction {
    struct logp_op op;
    const struct type *type;
    MPI_Datatype handle;
    struct operation
        user; /* a copy: the program may free its own meanwhile; function NULL: built in */
    void (*combine)(void *acc, const void *in, size_t n);
    bool exact; /* any order of combining gives the same bits */
};

/* Of a reduction: may its algorithm be any? logp_exact_op */
bool is_exact_op(const struct logp_op *op, void *arg);
/* Set *r for this operation and type. @return MPI_SUCCESS or the class of an error */
int make_reduction(struct reduction *r, MPI_Op op, MPI_Datatype type);

/* ---- requests: request.c ---- */

enum request_kind {
    REQUEST_SEND,
    REQUEST_RECV,
    REQUEST_COLLECTIVE,
    REQUEST_OPERATION, /* on a window; it has buffers, and no handle: conflict.c */
    REQUEST_DONE,
    REQUEST_GONE
};

/* A collective that is started again and again: a struct of its own begins with this. The program may
 * free its datatypes and its operation meanwhile. */
struct again {
    int (*start)(const struct again *again, MPI_Request *request);
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

struct request {
    enum request_kind kind;
    bool persistent, active, cancelled, freed;
    bool is_part;                   /* a message of a collective */
    struct logp_request *under_way; /* NULL: it is complete, or has parts */
    struct request **parts;         /* a collective made of n_parts messages */
    int n_parts;
    struct comm *comm;
    struct type *type; /* of buf */
    void *buf;
    size_t count;
    struct elements elements; /* the three above, of a receive */
    int peer, tag;
    enum logp_send_mode mode;
    void *memory; /* packed data, until it is complete; NULL: none */
    void *packed; /* a collective: within memory, what goes to buf when it is complete; or NULL */
    void *own_block; /* of MPI_Scatter() in place */
    struct reduction *reduction;
    /* The result of a reduction: the bytes from `skip` on of n_blocks blocks, each of n elements,
     * that are in `memory` and are still to be combined; 0: none */
    int n_blocks;
    int64_t n;
    size_t skip, bytes;
    void *result;
    struct comm *made; /* of MPI_Comm_idup(): it gets its context when this is complete */
    uint32_t made_context;
    int64_t until_ns; /* of an operation on a window: when it is complete */
    int (*at_end)(
        struct request *request); /* of these two: called on completion. @return as wait_for() */
    struct again *again;          /* a persistent collective: the call to repeat; NULL: none */
    struct general *general;      /* the program completes it; NULL: not of this kind */
    MPI_Status status;
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
};

static inline struct request *request_of(MPI_Request request)
{
    return request != MPI_REQUEST_NULL ? (struct request *)request : NULL;
}
struct request *new_request(enum request_kind kind, struct comm *comm);
void free_request(struct request *request);
/* An inactive request that starts `again`, which it owns; NULL: there was no memory. @return MPI_SUCCESS
 * or a class */
int make_persistent(const char *call, struct again *again, MPI_Comm comm, MPI_Request *request);

/* handles.c: give the program a handle. caller: the return address of the call; NULL: see CALLED() */
void give_request(struct request *request, void *caller, MPI_Request *handle);
void forget_request(struct request *request);
void bury_request(struct rank *owner, struct request *request); /* in place of free() */
struct request *reuse_request(struct rank *owner);              /* one of them; NULL: none yet */
#define REQUESTS(n, all, frame)                                                                    \
    do {                                                                                           \
        int class;                                                                                 \
        CHECK(NULL, (n) >= 0, MPI_ERR_COUNT, "count is %d, but must be at least 0", n);            \
        class = the_checks.requests != NULL ? the_checks.requests(n, all, frame) : MPI_SUCCESS;    \
        if (class != MPI_SUCCESS)                                                                  \
            return class;                                                                          \
    } while (0)
#define ENTER_REQUESTS(call, n, all)                                                               \
    enter(call);                                                                                   \
    REQUESTS(n, all, FRAME)
/* In a function that the program calls: its caller's local variables are not below this address, where the
 * return address and the caller's frame pointer end. */
#define FRAME ((uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *))
/* Whether an incomplete request or operation of this rank uses a buffer, or it has windows. */
#define HAS_USES(rank)                                                                             \
    ((((rank)->sends.taken | (rank)->receives.taken) != 0) || (rank)->windows != NULL)

/* Complete it. @return MPI_SUCCESS or the class of its error */
int wait_for(struct request *request);
/* Fill *status, if it is wanted, from a request that is complete. */
void give_status(const struct request *request, MPI_Status *status);
/* A message has come that is longer than the buffer of `bytes` bytes. @return MPI_ERR_TRUNCATE */
int truncated(struct comm *comm, const struct logp_status *from, size_t bytes);
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

/* point.c: receive, whatever the size. @return MPI_SUCCESS, MPI_ERR_TRUNCATE */
int start_send(struct request *request);
int start_recv(struct request *request);
int start_message(struct request *request); /* that the program has a handle to, or will have */

/* ---- ranks: current.c, rank.c ---- */

enum {
    N_GONE = 64,
    N_USES = 16
}; /* requests and buffers that are remembered: handles.c, check.c */

/* The name that a rank has given to a constant, which all ranks share. */
struct type_name {
    const struct type *type;
    char name[MPI_MAX_OBJECT_NAME];
};

struct rank {
    struct logp_vp *vp;
    struct comm world, self;
    bool initialized, finalized;
    struct type_name *type_names;
    int n_type_names;
    int thread_level;    /* that MPI_Init_thread() has given */
    int n_tools;         /* calls of MPI_T_init_thread() without MPI_T_finalize() */
    const char *call;    /* that it is in, or was in last */
    const char *started; /* the call that made the persistent collective that starts; or NULL */
    void *caller;        /* CALLED(): where it goes back to, if it gives a request; or NULL */
    void *timed_caller;  /* of the function of timed.c that it was in last; NULL: none */
    struct keyval {
        enum object_kind kind;
        MPI_Comm_copy_attr_function *copy;
        MPI_Comm_delete_attr_function *drop;
        void *state;
        struct object *object; /* note_keyval() */
    } * keyvals;
    int n_keyvals;
    struct attribute *attributes;
    struct request **left; /* freed before they were complete */
    int n_left;
    struct request *given; /* that the program has handles to */
    struct request *gone[N_GONE];
    unsigned n_gone, n_reused; /* gone[n_reused .. n_gone - 1], modulo N_GONE */
    struct object *objects;    /* that the program has made and not freed */
    struct object *buried[N_GONE];
    unsigned n_buried;
    struct uses {
        struct use {
            uintptr_t from, to; /* of a buffer; its first byte, if its data do not lie in a row */
            struct request *by; /* NULL: free */
        } last[N_USES];
        uintptr_t from, to; /* around all of them */
        unsigned next;
        uint32_t taken; /* a bit for each that is not free */
    } sends, receives;
    struct win *windows; /* with memory of this rank */
    uintptr_t stack_top; /* local variables of the program are in the stack_bytes below it */
    size_t stack_bytes;
    bool combines; /* in a function of MPI_Op_create() */
    void *buffer;  /* of MPI_Buffer_attach() */
    int buffer_size;
    struct own_error { /* MPI_ERR_LASTCODE + 1 + its index is its code */
        int class;
        char *text;
    } * errors;
    int n_errors, last_code;
    void **numbered; /* fortran.c: handles that have numbers */
    int n_numbered;
    struct {
        const struct type *type; /* a constant; NULL: none yet */
        size_t n;
        uint32_t hash;
    } signed_last;          /* signature.c: the last hash */
    struct calls *calls;    /* --report: calls.c */
    struct host_rank *host; /* its image, output and the C library's state: image.c, libc.c */
};

/* A request or operation that is not complete, other than r, and uses some of these bytes; NULL: none */
static inline struct request *user_of(const struct uses *uses, uintptr_t from, uintptr_t to,
                                      const struct request *r)
{
    if (uses->from >= to || from >= uses->to)
        return NULL;
    for (uint32_t left = uses->taken; left != 0; left &= left - 1) {
        const struct use *u = &uses->last[__builtin_ctz(left)];

        if (u->from < to && from < u->to && u->by != r && u->by->active)
            return u->by;
    }
    return NULL;
}

/* Whether this address is that of a local variable of the program. */
static inline bool is_on_stack(const struct rank *r, uintptr_t at)
{
    return r->stack_top - at < r->stack_bytes;
}
void free_attributes(struct rank *r);
/* The rank that this thread runs; NULL: none. */
struct rank *rank_here(void);
/* The rank that calls; ends the process where none does. */
struct rank *this_rank(void);
struct rank *enter(const char *call);
static inline struct comm *comm_in(struct rank *r, MPI_Comm handle)
{
    return handle == MPI_COMM_WORLD  ? &r->world
           : handle == MPI_COMM_SELF ? &r->self
                                     : object_of(handle);
}
static inline MPI_Comm comm_handle(struct comm *comm)
{
    const struct rank *r = comm->owner;

    return comm == &r->world ? MPI_COMM_WORLD : comm == &r->self ? MPI_COMM_SELF : (MPI_Comm)comm;
}
/* First in a function of MPI that gives a request by others: its return address is where it is called. */
#define CALLED() (this_rank()->caller = __builtin_return_address(0))
/* A function of these parameters, and the one that gives a request: both return `value`, an
 * expression of `call`, their name, and `request`, NULL in the first. */
#define BOTH(name, iname, value, ...)                                                              \
    int MPI_##name(__VA_ARGS__)                                                                    \
    {                                                                                              \
        static const char call[] = "MPI_" #name;                                                   \
        MPI_Request *const request = NULL;                                                         \
                                                                                                   \
        CALLED();                                                                                  \
        return value;                                                                              \
    }                                                                                              \
    int MPI_##iname(__VA_ARGS__, MPI_Request *request)                                             \
    {                                                                                              \
        static const char call[] = "MPI_" #iname;                                                  \
                                                                                                   \
        CALLED();                                                                                  \
        return value;                                                                              \
    }

struct rank *enter_any(const char *call); /* also before MPI_Init() and after MPI_Finalize() */
/* Called when a rank begins and ends. */
int begin_rank(struct rank *r, struct logp_vp *vp);
void end_rank(struct rank *r);

/* ---- errors: error.c ---- */

/* This call of comm has failed: call its error handler. @return the class, if that returns */
int failed(struct comm *comm, int class, const char *why, ...)
    __attribute__((format(printf, 3, 4)));
/* What the runtime has returned. A run that is over ends the rank. @return MPI_SUCCESS or a class */
int class_of(int rc);

/* ---- checks ---- */

#define CHECK(comm, holds, class, ...)                                                             \
    do {                                                                                           \
        if (!(holds))                                                                              \
            return failed(comm, class, __VA_ARGS__);                                               \
    } while (0)

#define COMM(c, handle)                                                                            \
    struct comm *c = comm_of(handle);                                                              \
    CHECK(NULL, c != NULL, MPI_ERR_COMM, "the communicator is null or has been freed")

/* The start of a call of a communicator: its rank is looked up once. */
#define ENTER(c, call, handle)                                                                     \
    struct comm *c = comm_in(enter(call), handle);                                                 \
    CHECK(NULL, c != NULL, MPI_ERR_COMM, "the communicator is null or has been freed")

/* One more handle to it. */
MPI_Errhandler keep_errhandler(MPI_Errhandler handler);
/* What MPI has for the error handlers of a kind of object; entered: ENTER(), or that of the kind. */
#define ERROR_HANDLERS(name, type, entered, comm)                                                  \
    int MPI_##name##_set_errhandler(type handle, MPI_Errhandler handler)                           \
    {                                                                                              \
        entered(object, "MPI_" #name "_set_errhandler", handle);                                   \
        CHECK(comm, handler != MPI_ERRHANDLER_NULL, MPI_ERR_ARG, "the error handler is null");     \
        (comm)->errors = handler;                                                                  \
        return MPI_SUCCESS;                                                                        \
    }                                                                                              \
    int MPI_##name##_get_errhandler(type handle, MPI_Errhandler *handler)                          \
    {                                                                                              \
        entered(object, "MPI_" #name "_get_errhandler", handle);                                   \
        *handler = keep_errhandler((comm)->errors);                                                \
        return MPI_SUCCESS;                                                                        \
    }                                                                                              \
    int MPI_##name##_call_errhandler(type handle, int error)                                       \
    {                                                                                              \
        entered(object, "MPI_" #name "_call_errhandler", handle);                                  \
        failed(comm, error, "called by the program");                                              \
        return MPI_SUCCESS;                                                                        \
    }
#define ENTER_INTRA(c, call, handle)                                                               \
    ENTER(c, call, handle);                                                                        \
    CHECK(c, !c->inter, MPI_ERR_COMM, "the communicator is between two groups")

#define TYPE(t, handle, comm)                                                                      \
    struct type *t = type_of(handle);                                                              \
    CHECK(comm, t != NULL, MPI_ERR_TYPE, "the datatype is null or has been freed")
#define ENTER_TYPE(t, call, handle)                                                                \
    enter(call);                                                                                   \
    TYPE(t, handle, NULL)

/* A type of data that are moved. */
#define CHECK_COMMITTED(comm, t)                                                                   \
    CHECK(comm, (t)->references == 0 || (t)->committed, MPI_ERR_TYPE,                              \
          "the datatype has not been committed; call MPI_Type_commit()")
/* Can n elements be there? MPI_BOTTOM is null, too; only data that are not copied may be in place. */
static inline bool can_be_at(const void *buf, const struct type *t, size_t n)
{
    return (uintptr_t)buf > (uintptr_t)MPI_IN_PLACE || n == 0 || t->size == 0 ||
           (buf == NULL && t->kind != TYPE_BASIC);
}
#define CHECK_SIZE(comm, t, n)                                                                     \
    CHECK(comm, can_be_counted(t, n), MPI_ERR_COUNT,                                               \
          "%zu elements of %zu bytes, %lld apart, are 2^63 bytes or more", n, (t)->size,           \
          (long long)(t)->extent)
#define CHECK_AT(comm, buf, t, n, what)                                                            \
    do {                                                                                           \
        CHECK_SIZE(comm, t, n);                                                                    \
        CHECK(comm, can_be_at(buf, t, n), MPI_ERR_BUFFER, "the buffer%s is %s", what,              \
              (buf) == NULL ? "null" : "MPI_IN_PLACE");                                            \
    } while (0)
#define DATA_TYPE(t, handle, comm)                                                                 \
    TYPE(t, handle, comm);                                                                         \
    CHECK_COMMITTED(comm, t)

#endif
