/* SPDX-License-Identifier: MIT */
/*
 * A transport moves bytes between the processes of a machine. It is a shared object that defines
 *
 *     const struct lpi_transport lpi_transport;
 *
 * and knows nothing of vps, tags or delays. It is loaded when a machine asks for it: core/load.c.
 *
 * poll() finds the messages from one process to another in the order sent. All functions except
 * open(), alike(), reduce() and gather() return at once. One thread at a time calls them.
 */
#ifndef LPI_TRANSPORT_H
#define LPI_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lpi_transfer; /* the transfer of a piece of memory */

/* A message that poll() has found. */
struct lpi_found {
    int process;
    const char *bytes; /* the transport's, until the next poll(); message_bytes are readable */
};

enum lpi_reduction { LPI_SUM, LPI_MIN, LPI_MAX };

struct lpi_transport {
    size_t size;          /* of this struct */
    size_t message_bytes; /* the longest message */

    /* Called once in a process. @return 0; -EPERM: the program has initialised the transport's
     * library itself, for one thread only; -EIO; -ENOMEM, in all processes alike */
    int (*open)(int *process, int *n_processes);
    /* Collective. Count the processes of this host that pass the same bytes, at most 8192. *index:
     * of this process among them. */
    void (*alike)(const void *what, size_t n_bytes, int *index, int *n);
    /* Collective, blocking. all: the bytes of each process in turn, n_all[process] of them. */
    void (*reduce)(int64_t *values, size_t n, enum lpi_reduction how);
    void (*gather)(const void *mine, int n_bytes, void *all, const int *n_all);

    /* Send a message of two parts, which are copied. @return 0; -EAGAIN: try again after poll() */
    int (*send)(int process, const void *first, size_t n_first, const void *second,
                size_t n_second);
    /* The next message of any process. @return false: there is none */
    bool (*poll)(struct lpi_found *out);

    /* Transfer memory from one process to another, separately from messages. The other process
     * takes the pieces in the order in which they were given. NULL: no memory */
    struct lpi_transfer *(*give)(int process, const void *bytes, size_t n_bytes);
    struct lpi_transfer *(*take)(int process, void *bytes, size_t n_bytes);
    /* Whether the transfer is over. true: it has been freed. cancel: first abandon a take that has
     * not begun. */
    bool (*is_over)(struct lpi_transfer *t, bool cancel);

    /* Other processes no longer answer. When this process ends, it ends them too. */
    void (*abandon)(void);
};

#endif
