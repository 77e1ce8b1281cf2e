/* SPDX-License-Identifier: MIT */
/*
 * Windows. All ranks are in one process, so an operation reads and writes the target's memory itself:
 * when it starts, or, with delays, when it arrives. Until then it is in the target's list, in the order
 * of arrival, and whoever could see its effect first performs all that have arrived by then. What it
 * costs is charged to its origin: the target takes no part in it.
 */
#ifndef LOGP_MPI_WINDOW_H
#define LOGP_MPI_WINDOW_H

#include "state.h"

#include <pthread.h>

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
};

/* --check: an operation on a target whose epoch at its origin has not ended. */
struct access {
    uintptr_t from, to; /* of its bytes; the first, if they do not lie in a row; equal: none */
    int origin;
    int64_t fences; /* of the origin; -1: it ends with the epoch of its origin */
    char kind;      /* 'r', 'w', or 'u': an atomic operation, */
    MPI_Op op;      /* with this; MPI_NO_OP: beside any other */
    bool in_a_row;
    bool is_shared;  /* an operation of another origin in the same epoch may use its bytes */
    size_t n_summed; /* of its first bytes after it; 0: they are not compared */
    uint64_t sum;
    const char *call;
    void *caller;
    const struct rank *rank; /* of the origin */
};

enum { N_ACCESSES = 32, N_OWN_ACCESSES = 16 };

/* What a rank offers. The others have its address; the mutex is held for what may change. */
struct target {
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

/* What a rank may do at a target now. */
enum { STARTED = 1, LOCKED = 2, EXCLUSIVE = 4, UNCHECKED = 8 };

struct win {
    struct object object;
    struct win *next_of_rank;
    struct comm *comm; /* of its own: its messages are those below */
    struct target *own, **targets;
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

enum { TAG_POST, TAG_COMPLETE, TAG_GRANT, TAG_NONE };

struct win *win_of(MPI_Win handle);
/* conflict.c: an operation of this kind begins; say so if another one conflicts with it. */
void check_access(struct win *w, int rank, const struct access *access);
/* The last operation, at this rank, has been performed; out: its result in a row; NULL: none. */
void note_performed(struct win *w, int rank, const void *out, size_t n_out);
/* This rank itself is about to read or write n bytes, by this call or "a load" or "a store": say so if
 * they are in its memory of the window and in conflict with an operation. lasts: until the epoch ends */
void check_own_access(struct win *w, uintptr_t from, size_t n, bool writes, const char *call,
                      void *caller, bool lasts);
/* The epoch ends in which others have operated on this rank's memory by MPI_Win_start. */
void end_own_accesses(struct win *w);
/* A fence begins: say so if this rank has written what an operation uses. */
void check_own_memory(struct win *w);
/* All operations before this rank's last fence have been performed, or others than these come now. */
void note_fence(struct win *w);
/* An operation of this rank reads n elements of its own and writes m. A type that is NULL: none */
void check_origin(struct win *w, int rank, const char *call, const void *in,
                  const struct type *in_type, size_t n, const void *out,
                  const struct type *out_type, size_t m);
void forget_origins(struct win *w);
/* The operations of this rank at the target are complete. */
void end_accesses(struct win *w, int rank);
/* Start an operation that sends and gets back so many bytes. arrival_ns: out, with delays: when it is at
 * its target. @return MPI_SUCCESS or a class */
int start_operation(struct win *w, int rank, size_t bytes, size_t bytes_back, int64_t *arrival_ns);
/* Perform what has arrived at this target by now. @return MPI_SUCCESS or a class */
int perform_arrived(struct win *w, int rank);
/* epoch.c: no operation waits for a fence. @return MPI_SUCCESS or a class */
int check_fenced(struct win *w);
/* A call of this frame uses the window: say so if its memory is a local variable of a function that has
 * returned. */
void check_returned(const struct win *w, uintptr_t frame);
/* The window is freed. */
void drop_operations(struct target *target);
/* Let all other ranks do first what they do before this time. */
int take_turn(struct win *w);

#define WIN(w, handle)                                                                             \
    struct win *w = win_of(handle);                                                                \
    CHECK(NULL, w != NULL, MPI_ERR_WIN, "the window is null or has been freed")
#define CHECK_WIN_RANK(w, rank)                                                                    \
    CHECK((w)->comm, (unsigned)(rank) < (unsigned)(w)->comm->size, MPI_ERR_RANK,                   \
          "%d is not a rank of a window of %d", rank, (w)->comm->size)
#define ENTER_WIN(w, call, handle)                                                                 \
    enter(call);                                                                                   \
    WIN(w, handle)

#endif
