/* SPDX-License-Identifier: MIT */
/*
 * Hooks that find mistakes in a program: the functions of MPI call them, and know nothing else of
 * the checks. A hook that is NULL is not called.
 */
#ifndef LOGP_MPI_CHECKS_H
#define LOGP_MPI_CHECKS_H

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct access;
struct comm;
struct rank;
struct request;
struct target;
struct type;
struct win;

struct checks {
    /* ---- requests and buffers. caller: the return address of the call ---- */

    /* Check that each request is null or can be used. frame: of the call. @return MPI_SUCCESS or a
     * class */
    int (*requests)(int n, const MPI_Request requests[], uintptr_t frame);
    /* A message is about to start. */
    void (*buffer)(struct request *request);
    /* A collective or an operation is about to start; it reads n elements and writes m. type NULL:
     * no buffer */
    void (*buffers)(struct request *request, const void *in, const struct type *in_type, size_t n,
                    const void *out, const struct type *out_type, size_t m);
    /* MPI_Sendrecv() uses these two. */
    void (*apart)(const void *sent, const struct type *sent_type, int n_sent, const void *received,
                  const struct type *received_type, int n_received);
    /* A blocking call is about to read a buffer, or to write it. */
    void (*blocking)(struct rank *rank, const void *buf, const struct type *type, size_t n,
                     bool writes);
    /* The data of a call are so many bytes from this address on, and may be longer than their block of malloc(). */
    void (*block)(uintptr_t at, size_t bytes);
    void (*forget_buffers)(struct rank *owner, struct request *request);
    /* A request is complete that has a sum of the bytes it reads. */
    void (*sum)(struct request *request);

    /* ---- types ---- */

    /* The bits sent with a message of n elements, for `signature`; 0: none, as without this hook.
     * caller: of the send */
    uint64_t (*signature_of)(const struct comm *comm, struct type *type, size_t n, void *caller);
    /* A message of so many bytes is received as this type. r: NULL: by the call that is running */
    void (*signature)(const struct comm *comm, const struct request *r, struct type *type,
                      uint64_t bits, size_t bytes, int source, int tag);
    /* Data of n elements become m elements of another type within one call. */
    void (*alike)(const struct comm *comm, struct type *a, size_t n, const char *a_is,
                  struct type *b, size_t m, const char *b_is);
    /* A collective begins. starts: it does not block. `members`: all members give n elements of
     * this type to it, or of types that are alike. */
    void (*order)(struct comm *comm, bool starts);
    void (*members)(struct comm *comm, struct type *type, size_t n, bool starts);

    /* ---- windows ---- */

    /* The running call of this rank reads or writes a buffer, which may be in a window. of: the
     * window of the operation; NULL: the call is not an operation on a window */
    void (*windows)(struct rank *rank, const struct win *of, const void *buf,
                    const struct type *type, size_t n, bool writes, void *caller);
    /* An operation of this rank reads n elements of its own and writes m. type NULL: no buffer */
    void (*origin)(struct win *w, int rank, const char *call, const void *in,
                   const struct type *in_type, size_t n, const void *out,
                   const struct type *out_type, size_t m);
    void (*forget_origins)(struct win *w);
    /* An operation begins, at its origin; begin_access: at its target, if it comes from another
     * process. */
    void (*access)(struct win *w, int rank, struct access *access);
    void (*begin_access)(struct target *t, const struct access *access);
    /* An operation has been performed: the last one of this rank (out: its contiguous result; NULL:
     * none); and one of another process. */
    void (*performed)(struct win *w, int rank, const void *out, size_t n_out);
    void (*end_performed)(struct target *t, int origin);
    /* The operations of this rank at a target are complete; and those of another process. */
    void (*end_accesses)(struct win *w, int rank);
    void (*end_accesses_of)(struct target *t, int origin, const char *call);
    /* The epoch ends in which other ranks used this rank's memory after MPI_Win_start. */
    void (*end_own_accesses)(struct win *w);
    /* A fence begins; and it ends: this rank's operations before it have been performed, and those
     * of other ranks may still come. */
    void (*begin_fence)(struct win *w);
    void (*end_fence)(struct win *w);
    /* A call of this frame uses the window, whose memory may be gone. */
    void (*returned)(const struct win *w, uintptr_t frame);

    /* ---- at MPI_Finalize: when a rank calls it, and when all have ---- */

    void (*left)(const struct rank *rank);
    void (*messages)(const struct rank *rank);

    /* ---- files ---- */

    /* A file is closed; its requests have this communicator. */
    void (*closed)(const struct comm *comm);
};

extern struct checks the_checks; /* a copy of one of the tables: a hook is one load away */

#define TELL(hook, ...)                                                                            \
    do {                                                                                           \
        if (the_checks.hook != NULL)                                                               \
            the_checks.hook(__VA_ARGS__);                                                          \
    } while (0)

#endif
