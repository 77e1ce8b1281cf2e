/* SPDX-License-Identifier: MIT */
/* The functions of the hooks of checks.h, which find mistakes of a program, and those that report
 * them. */
#ifndef LOGP_MPI_CHECK_H
#define LOGP_MPI_CHECK_H

#include "mpi/standard/request.h"
#include "mpi/standard/window.h"
#include "mpi/standard/world.h"

/* What the first member has given to a collective: signature.c */
struct member_call {
    uint64_t key; /* of the communicator and the number of the collective */
    uint32_t hash, place;
    int rank;
};

enum { N_MEMBER_CALLS = 256 }; /* some of the last ones: the others are not compared */

/* The reports of the checks in this run: most are printed once, or by few ranks. */
struct said {
    atomic_flag conflict, use, types, returned, order;
    _Atomic bool any;                     /* the checks have named something */
    _Atomic int requests, messages, sums; /* ranks, ranks, lines */
    pthread_mutex_t mutex; /* of what follows: places whose objects are left; and members */
    struct {
        const char *call;
        uintptr_t place;
    } left[16];
    int n_left;
    uintptr_t accesses[16]; /* accesses.c: places */
    int n_accesses;
    struct member_call members[N_MEMBER_CALLS];
    struct order { /* signature.c */
        _Atomic uint64_t word;
        _Atomic uint32_t place; /* of the call; stored before the word */
    } orders[N_MEMBER_CALLS];
};

extern struct said the_said;

/* checks.c: --check, or --checksum alone, or neither */
void check_choose(bool checks, bool checksums);
/* A run begins, in which nothing has been reported. */
void check_begin(void);

/* check.c: name in a line on stderr what the checks have found */
void check_name_finding(const char *text, ...) __attribute__((format(printf, 1, 2)));
/* What the call at this place uses is a local variable of a function that has returned. what: "buffer" */
void check_name_returned(const char *what, const char *call, uintptr_t place);
int check_requests(int n, const MPI_Request requests[], uintptr_t frame);
void check_buffer(struct request *request);
void check_buffers(struct request *request, const void *in, const struct type *in_type, size_t n,
                   const void *out, const struct type *out_type, size_t m);
void check_apart(const void *sent, const struct type *sent_type, int n_sent, const void *received,
                 const struct type *received_type, int n_received);
void check_blocking(struct rank *rank, const void *buf, const struct type *type, size_t n,
                    bool writes);
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
void check_forget_buffers(struct rank *owner, struct request *request);
enum { FIRST_SUMMED = 64 }; /* bytes: without --checksum the others are not compared */
uint64_t check_sum_bytes(const unsigned char *data, size_t n);
/* r needs these bytes as they are, n > 0, until it is complete. */
void check_note_bytes(struct request *request, const void *bytes, size_t n);
void check_sum(struct request *request);
void check_report_left(const struct rank *r);
void check_report_messages(const struct rank *r);

/* signature.c */
uint64_t check_signature_of(const struct comm *comm, struct type *type, size_t n, void *caller);
void check_signature(const struct comm *comm, const struct request *r, struct type *type,
                     uint64_t bits, size_t bytes, int source, int tag);
void check_alike(const struct comm *comm, struct type *a, size_t n, const char *a_is,
                 struct type *b, size_t m, const char *b_is);
void check_members(struct comm *comm, struct type *type, size_t n, bool starts);
void check_order(struct comm *comm, bool starts);

/* conflict.c */
void check_windows(struct rank *rank, const struct win *of, const void *buf,
                   const struct type *type, size_t n, bool writes, void *caller);
/* This rank itself is about to read or write n bytes, by this call or "a load" or "a store": report
 * it if they are in its memory of the window and in conflict with an operation. lasts: until the
 * epoch ends */
void check_own_access(struct win *w, uintptr_t from, size_t n, bool writes, const char *call,
                      void *caller, bool lasts);
void check_origin(struct win *w, int rank, const char *call, const void *in,
                  const struct type *in_type, size_t n, const void *out,
                  const struct type *out_type, size_t m);
void check_forget_origins(struct win *w);
void check_access(struct win *w, int rank, struct access *access);
void check_begin_access(struct target *t, const struct access *a);
void check_note_performed(struct win *w, int rank, const void *out, size_t n_out);
void check_end_performed(struct target *t, int origin);
void check_end_accesses(struct win *w, int rank);
void check_end_accesses_of(struct target *t, int origin, const char *call);
void check_end_own_accesses(struct win *w);
void check_own_memory(struct win *w);
void check_note_fence(struct win *w);
void check_returned(const struct win *w, uintptr_t frame);

#endif
