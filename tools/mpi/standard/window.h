/* SPDX-License-Identifier: MIT */
/*
 * Windows. An operation reads and writes the memory of a target of its process itself:
 * when it starts, or, with delays, when it arrives. Until then it is in the target's list, in the order
 * of arrival, and a rank that could see its effect first performs all that have arrived by then.
 * Its cost is charged to its origin: the target takes no part in it. To a target of another process
 * it goes as active messages, which that process handles: remote.c.
 */
#ifndef LOGP_MPI_WINDOW_H
#define LOGP_MPI_WINDOW_H

#include "checks.h"
#include "rank.h"
#include "type.h"

#include <pthread.h>
#include <stdatomic.h>

struct reduction;

/* Memory attached to a dynamic window. */
struct region {
    struct region *next;
    char *base;
    MPI_Aint size;
};

/* A rank that waits for the lock of a target. */
struct waiter {
    struct waiter *next;
    int rank;
    bool exclusive;
    bool is_remote; /* it is in another process: this is freed when it gets the lock */
};

/* Elements of the origin or of the target. */
struct operand {
    void *buf; /* NULL, where the type is null: there is none */
    int count;
    MPI_Datatype handle;
    struct type *type;
    bool is_origin; /* its buffer is the caller's */
};

struct operation_at {
    struct operand in, out; /* of the origin: data to combine, and buffer of the old values */
    bool has_in, has_out, is_atomic;
    int rank;
    MPI_Aint displ;
    struct operand there;
    MPI_Op op;           /* MPI_REPLACE, MPI_NO_OP or one of a reduction */
    const void *compare; /* only if the old value is this; NULL: always */
};

/* --check: an operation on a target whose epoch at its origin has not ended. */
struct access {
    uintptr_t from, to; /* of its bytes; the first, if they do not lie in a row; equal: none */
    int origin;
    int64_t fences; /* of the origin; -1: it ends with the epoch of its origin */
    char kind;      /* 'r', 'w', or 'u': an atomic operation, */
    MPI_Op op;      /* with this; MPI_NO_OP: compatible with any other one */
    bool in_a_row;
    bool is_shared;  /* an operation of another origin in the same epoch may use its bytes */
    size_t n_summed; /* of its first bytes after it; 0: they are not compared */
    uint64_t sum;
    const char *call;
    void *caller;
    const struct rank *rank; /* of the origin; NULL: it is in another process, and */
    uintptr_t place;         /* called there */
};

enum { N_ACCESSES = 32, N_OWN_ACCESSES = 16 };

/* What a rank offers. The others have its address; the mutex is held for what may change. */
struct target {
    struct win *win; /* of this rank */
    char *base;
    MPI_Aint size;
    int unit;
    pthread_mutex_t
        mutex; /* also makes accumulating atomic. Nothing that waits is called with it */
    struct region *regions;
    struct deferred *arriving, *last_arriving; /* operations, in the order of arrival */
    struct deferred *performed;                /* those that this rank has started, to be freed */
    int holders;                               /* of its lock; -1: one, exclusively */
    int64_t free_ns;                           /* when the last holder's message has arrived */
    struct waiter *first, **last;
    struct access accesses[N_ACCESSES]; /* the last ones */
    unsigned next_access;
    struct access own_accesses[N_OWN_ACCESSES]; /* loads and stores of the target itself */
    unsigned next_own_access;
    int n_unfinished; /* operations that have been noted, but not performed */
    struct {
        int64_t fences; /* after so many of them; -1: it cannot be compared any more */
        size_t n;
        unsigned char bytes[64]; /* the first of base */
    } at_fence;
};

/* A target in another process, as its origin sees it. */
struct remote_target {
    struct win *win; /* the origin's */
    int process;
    uint64_t target; /* its address there */
    char *base;
    MPI_Aint size;
    int unit;
    bool pending;           /* there were operations since the last flush */
    int64_t arrival_ns;     /* of the last one, with delays */
    struct result *results; /* of these operations, until the next flush */
    atomic_int awaited;     /* answers to this rank */
    atomic_bool waits;      /* the last of them sends it TAG_ANSWER */
    bool granted;           /* the lock, by the last of them */
    int64_t free_ns;        /* when it was, or will be, free */
    uint64_t outside; /* an operation was for this address, where no memory is attached; or 0 */
};

/* What a rank may do at a target now. */
enum { STARTED = 1, LOCKED = 2, EXCLUSIVE = 4, UNCHECKED = 8 };

struct win {
    struct object object;
    struct win *next_of_rank;
    struct comm *comm;             /* of its own: its messages are those below */
    struct target *own, **targets; /* NULL: that rank is in another process */
    struct remote_target *remote;  /* by rank; NULL: all are in this process */
    int flavor, model;
    void *memory; /* that it has allocated */
    MPI_Info info;
    char name[MPI_MAX_OBJECT_NAME];
    struct logp_params params;
    bool timed, fenced, all_locked, started, posted;
    bool unfenced;             /* an operation since the last fence waits for the next one */
    unsigned char *access;     /* of each target */
    int64_t fences;            /* how many it has called */
    int64_t next_ns, *done_ns; /* when the next operation may start; when those of a target end */
    int n_started, n_posted, *start_ranks, *post_ranks;
    struct origins *origins; /* conflict.c; NULL: none yet */
    uintptr_t on_stack;      /* its memory is a local variable: where; 0: it is not */
};

enum { TAG_POST, TAG_COMPLETE, TAG_GRANT, TAG_ANSWER, TAG_NONE };

struct win *mpi_win_of(MPI_Win handle);
/* Start an operation that sends and gets back so many bytes. arrival_ns: out, with delays: when it is at
 * its target. @return MPI_SUCCESS or a class */
int mpi_start_operation(struct win *w, int rank, size_t bytes, size_t bytes_back,
                        int64_t *arrival_ns);
/* Perform the operations that have arrived at this target by now. @return MPI_SUCCESS or a class */
int mpi_perform_arrived(struct win *w, int rank);
/* epoch.c: no operation waits for a fence. @return MPI_SUCCESS or a class */
int mpi_check_fenced(struct win *w);
/* rma.c: the same by a handler, of the operations that arrive until then. */
void mpi_perform_until(struct win *w, int64_t until_ns);
/* w: the target's. Perform an operation on its memory now. @return MPI_SUCCESS or a class */
int mpi_perform(struct win *w, struct operation_at *a, const struct reduction *r);
bool mpi_is_attached(struct target *t, const char *first, const char *end);
struct type *mpi_basic_of(struct type *type);
/* An active message is to be performed when it arrives. */
int mpi_defer_message(struct win *w, int origin, int64_t arrival_ns, const void *bytes,
                      size_t n_bytes);
/* epoch.c. Take the lock, or join the queue. @return whether it is taken; *at: when it is free */
bool mpi_take_lock(struct target *t, struct waiter *waiter, int64_t *at);
/* Give it up. @return the new holders: an exclusive one, or all before the next exclusive one */
struct waiter *mpi_give_up_lock(struct target *t, int64_t free_ns);
/* remote.c: whether a rank is in another process. */
bool mpi_has_others(const struct comm *comm);
/* Exchange the addresses of all targets: set w->targets and w->remote. */
int mpi_find_targets(struct win *w);
void mpi_drop_remote(struct win *w);
/* Start an operation at a target of another process; access: for --check; from == to: none */
int mpi_start_remote(struct win *w, const struct operation_at *a, int64_t arrival_ns,
                     const struct access *access);
/* Wait until the operations at those of these targets that are in other processes are complete. */
int mpi_flush_remote(struct win *w, int first, int n);
int mpi_await_remote(struct win *w, int first, int n);
int mpi_acquire_remote(struct win *w, int rank, bool exclusive, bool *taken, int64_t *at);
int mpi_release_remote(struct win *w, int rank, int64_t free_ns);
/* Perform an active message at its target, whose mutex is held. @return what answers it, of *n_bytes, to
 * be freed; NULL: nothing does */
void *mpi_perform_message(struct win *w, const void *bytes, size_t *n_bytes);
logp_active_handler mpi_handle_active;
/* Drop the operations of a target whose window is freed. */
void mpi_drop_operations(struct target *target);
/* Let all other ranks run first up to this rank's time. */
int mpi_take_turn(struct win *w);

#define WIN(w, handle)                                                                             \
    struct win *w = mpi_win_of(handle);                                                            \
    CHECK(NULL, w != NULL, MPI_ERR_WIN, "the window is null or has been freed")
#define CHECK_WIN_RANK(w, rank)                                                                    \
    CHECK((w)->comm, (unsigned)(rank) < (unsigned)(w)->comm->size, MPI_ERR_RANK,                   \
          "%d is not a rank of a window of %d", rank, (w)->comm->size)
#define ENTER_WIN(w, handle)                                                                       \
    mpi_enter(__func__);                                                                           \
    WIN(w, handle)

#endif
