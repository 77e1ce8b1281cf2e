/* SPDX-License-Identifier: MIT */
/*
 * What carries bytes between the processes of a machine: a shared object that defines
 *
 *     const struct lpi_transport lpi_transport;
 *
 * and knows nothing of vps, tags or delays. It is loaded when a machine asks for it: core/load.c.
 *
 * Messages of one process to another are found in the order sent. All functions but open(),
 * reduce() and gather() return at once. They are called by one thread at a time.
 */
#ifndef LPI_TRANSPORT_H
#define LPI_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lpi_transfer; /* a piece of memory on its way */

/* A message that has been found. */
struct lpi_found {
    int process;
    const char *bytes; /* the transport's own, until the next look; message_bytes may be read */
};

enum lpi_reduction { LPI_SUM, LPI_MIN, LPI_MAX };

struct lpi_transport {
    size_t size;          /* of this struct */
    size_t message_bytes; /* the longest message */

    /* Once in a process. @return 0; -EPERM: the program has begun to use it by itself, in a way
     * that lets no other thread do so; -EIO; -ENOMEM, in all alike */
    int (*open)(int *process, int *n_processes);
    /* Among the processes of this host that say the same, in up to 8192 bytes: which is this, and
     * how many? Collective. */
    void (*alike)(const void *what, size_t n_bytes, int *index, int *n);
    /* Collective, blocking. all: n_bytes of each process in turn, n_all[process] of them. */
    void (*reduce)(int64_t *values, size_t n, enum lpi_reduction how);
    void (*gather)(const void *mine, int n_bytes, void *all, const int *n_all);

    /* A message of two parts, which are copied. @return 0; -EAGAIN: try again after a look */
    int (*send)(int process, const void *first, size_t n_first, const void *second,
                size_t n_second);
    /* The next message of any process. @return false: there is none */
    bool (*poll)(struct lpi_found *out);

    /* Memory goes from one process to another beside the messages: what one process has given is
     * what the other takes, in this order. NULL: no memory */
    struct lpi_transfer *(*give)(int process, const void *bytes, size_t n_bytes);
    struct lpi_transfer *(*take)(int process, void *bytes, size_t n_bytes);
    /* Is it over? true: it has been freed. cancel: of one that takes, give it up first if it has
     * not begun. */
    bool (*is_over)(struct lpi_transfer *t, bool cancel);

    /* Others do not answer any more: when this process ends, it ends them. */
    void (*abandon)(void);
};

#endif
