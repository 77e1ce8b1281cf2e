/* SPDX-License-Identifier: MIT */
/* The ranks. */
#ifndef LOGP_MPI_RANK_H
#define LOGP_MPI_RANK_H

#include "comm.h"

struct attribute;
struct calls;
struct host_rank;
struct keyval;
struct own_error;
struct request;
struct type;
struct type_name;
struct win;

enum {
    N_GONE = 64,
    N_USES = 16
}; /* requests and buffers that are remembered: handles.c, check.c */

struct rank {
    struct logp_vp *vp;
    struct comm world, self;
    struct comm
        no_file; /* MPI_FILE_NULL: it has the error handler of files that are not open yet */
    bool initialized, finalized;
    struct type_name *type_names;
    int n_type_names;
    int thread_level;    /* that MPI_Init_thread() has given */
    int n_sessions;      /* that are not finalized */
    int n_tools;         /* calls of MPI_T_init_thread() without MPI_T_finalize() */
    const char *call;    /* that it is in, or was in last */
    int answer;          /* of the last call that failed: the error handler may have changed it */
    const char *started; /* the call that made the persistent collective that starts; or NULL */
    void *caller;        /* CALLED(): where it goes back to, if it gives a request; or NULL */
    void *timed_caller;  /* of the function of timed.c that it was in last; NULL: none */
    struct keyval *keyvals; /* attributes.c */
    int n_keyvals;
    struct attribute *attributes;
    struct request **left; /* freed before they were complete */
    int n_left;
    struct request *given; /* that the program has handles to */
    struct request *spare; /* a list: those that can be used again at once */
    int n_spare;
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
    struct own_error *errors; /* error.c */
    int n_errors, last_code;
    void **numbered; /* fortran.c: handles that have numbers */
    int *numbers;
    int n_numbered, room_numbered;
    uintptr_t wrappers, wrappers_bytes; /* its subroutines of Fortran; 0: it has none */
    void *const *wrapper_caller;        /* where the last of them was called */
    struct {
        const struct type *type; /* a constant; NULL: none yet */
        size_t n;
        uint32_t hash;
    } signed_last;          /* signature.c: the last hash */
    MPI_Info environment;   /* MPI_INFO_ENV: info.c; NULL: not made yet */
    int n_ports;            /* of MPI_Open_port() */
    struct calls *calls;    /* --report: calls.c */
    struct host_rank *host; /* its image, output and the C library's state: image.c, libc.c */
};

/* Whether this address is that of a local variable of the program. */
static inline bool is_on_stack(const struct rank *r, uintptr_t at)
{
    return r->stack_top - at < r->stack_bytes;
}
/* The rank that this thread runs; NULL: none. */
struct rank *mpi_rank_here(void);
/* The same, or the rank for which this thread calls. */
struct rank *mpi_rank_that_calls(void);
/* A call of a thread begins and ends, of a rank whose threads may all call: another thread is not in a call. */
void mpi_begin_alone(const struct rank *r, const char *call);
void mpi_end_alone(const struct rank *r);
/* MPI_Init_thread() has given r its level. @return MPI_SUCCESS or a class */
int mpi_let_threads_call(struct rank *r);
/* The same for calls that do not wait. */
void mpi_let_act(struct rank *r, int level);
/* The most that MPI_Init_thread() grants in this run. */
int mpi_most_threads(void);
/* ", thread 2" of a thread that the rank has made; "": it is the rank's own */
const char *mpi_thread_name(char text[static 32]);
/* The rank that calls; ends the process where none does. call: for the report then */
struct rank *mpi_rank_of_call(const char *call);
#define mpi_this_rank() mpi_rank_of_call(__func__)
/* The same of the few calls that any thread may make: it may also be the rank that made this thread. */
struct rank *mpi_rank_of_thread(const char *call);
struct rank *mpi_enter(const char *call);
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
/* The number of a handle in Fortran */
MPI_Fint mpi_number_of(struct rank *r, void *handle);
/* Where the program calls: not in a subroutine of Fortran that is made from functions.txt, but where that was called. */
static inline void *mpi_caller(const struct rank *r, void *address)
{
    return (uintptr_t)address - r->wrappers < r->wrappers_bytes ? *r->wrapper_caller : address;
}
static inline void mpi_note_caller(struct rank *r, void *address)
{
    r->caller = mpi_caller(r, address);
}
/* First in a function of MPI that gives a request by others: its return address is where it is called. */
#define CALLED() mpi_note_caller(mpi_this_rank(), __builtin_return_address(0))
struct rank *mpi_enter_any(const char *call); /* also before MPI_Init() and after MPI_Finalize() */
extern const char *const mpi_missing_functions[]; /* their names, and NULL */
int mpi_end_for_missing(const char *call);        /* a missing function: name it and end the run */
/* Called when a rank begins and ends. */
int mpi_begin_rank(struct rank *r, struct logp_vp *vp);
void mpi_end_rank(struct rank *r);

/* The start of a call of a communicator: its rank is looked up once, here or, by HERE(), before. */
#define HERE(c, rank, handle)                                                                      \
    struct comm *c = comm_in(rank, handle);                                                        \
    CHECK(NULL, c != NULL, MPI_ERR_COMM, "the communicator is null or has been freed")
#define ENTER_AS(c, call, handle) HERE(c, mpi_enter(call), handle)
#define ENTER(c, handle) ENTER_AS(c, __func__, handle)
#define CHECK_INTRA(c) CHECK(c, !c->inter, MPI_ERR_COMM, "the communicator is between two groups")
#define ENTER_INTRA(c, handle)                                                                     \
    ENTER(c, handle);                                                                              \
    CHECK_INTRA(c)

#endif
