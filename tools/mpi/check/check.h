/* SPDX-License-Identifier: MIT */
/* The functions of the hooks of checks.h, which find mistakes of a program, and those that report
 * them. */
#ifndef LOGP_MPI_CHECK_H
#define LOGP_MPI_CHECK_H

#include "mpi/standard/request.h"
#include "mpi/standard/window.h"
#include "mpi/standard/world.h"

/* What the first member has given to a collective, in a cache line: signature.c */
struct member_call {
    _Alignas(64) _Atomic uint64_t word; /* the collective, the member, and how it is called */
    _Atomic uint64_t given;             /* the hash of its data, and the place of the call */
};

enum { N_MEMBER_CALLS = 256 }; /* some of the last ones: the others are not compared */

/* The reports of the checks in this run: most are printed once, or by few ranks. */
struct said {
    atomic_flag conflict, use, types, returned, order, block;
    _Atomic bool any;                            /* the checks have named something */
    _Atomic int requests, messages, sums, looks; /* ranks, ranks, lines; block.c */
    pthread_mutex_t mutex; /* of what follows, up to members: places whose objects are left */
    struct {
        const char *call;
        uintptr_t place;
    } left[16];
    int n_left;
    struct persistent { /* requests that are left, of all ranks that have called MPI_Finalize() */
        const char *call;
        uintptr_t place;
        int n, n_ranks, last_rank;
    } persistent[16];
    int n_persistent;       /* places; 17: there are more */
    uintptr_t accesses[16]; /* accesses.c: places */
    int n_accesses;
    struct member_call members[N_MEMBER_CALLS];
};

extern struct said the_said;

/* checks.c: --check, or --checksum alone, or neither */
void check_choose(bool checks, bool checksums);
/* A run begins, in which nothing has been reported. */
void check_begin(void);

/* The hooks, in the parts of their table: each is check_NAME(), of the type that the table gives it. */
#define BUFFER_HOOKS(X)                                                                            \
    X(requests) X(buffer) X(buffers) X(block) X(apart) X(blocking) X(forget_buffers) X(sum)
#define TYPE_HOOKS(X) X(signature_of) X(signature) X(alike) X(order) X(members)
#define ACCESS_HOOKS(X)                                                                            \
    X(windows) X(origin) X(forget_origins) X(access) X(begin_access) X(performed)
#define EPOCH_HOOKS(X) X(end_performed) X(end_accesses) X(end_accesses_of) X(end_own_accesses)
#define FENCE_HOOKS(X) X(begin_fence) X(end_fence) X(returned)
#define END_HOOKS(X) X(left) X(messages) X(closed)
#define HOOKS(X)                                                                                   \
    BUFFER_HOOKS(X) TYPE_HOOKS(X) ACCESS_HOOKS(X) EPOCH_HOOKS(X) FENCE_HOOKS(X) END_HOOKS(X)
#define HOOK(name) __typeof__(*((struct checks *)NULL)->name) check_##name;
HOOKS(HOOK)

/* check.c: name in a line on stderr what the checks have found */
void check_name_finding(const char *text, ...) __attribute__((format(printf, 1, 2)));
/* What the call at this place uses is a local variable of a function that has returned. what: "buffer" */
void check_name_returned(const char *what, const char *call, uintptr_t place);
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
enum { FIRST_SUMMED = 64 }; /* bytes: without --checksum the others are not compared */
uint64_t check_sum_bytes(const unsigned char *data, size_t n);
/* r needs these bytes as they are, n > 0, until it is complete. */
void check_note_bytes(struct request *request, const void *bytes, size_t n);

/* conflict.c */
/* This rank itself is about to read or write n bytes, by this call or "a load" or "a store": report
 * it if they are in its memory of the window and in conflict with an operation. lasts: until the
 * epoch ends */
void check_own_access(struct win *w, uintptr_t from, size_t n, bool writes, const char *call,
                      void *caller, bool lasts);

#endif
