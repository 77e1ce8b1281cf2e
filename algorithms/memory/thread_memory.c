/* SPDX-License-Identifier: MIT */
/*
 * Memory that a thread keeps until it ends: see thread_memory.h. A key of the process has each
 * thread's list of such pieces, and its destructor frees them.
 */
#include "memory/thread_memory.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct piece {
    struct piece *next;
    void **at; /* the thread-local variable that points to the memory */
    _Alignas(max_align_t) unsigned char memory[];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t pieces; /* of the thread: the first */
static bool has_key;         /* a process has a limited number of keys */

/* The thread ends. A destructor of another key that is called later finds its variables NULL. */
static void free_pieces(void *first)
{
    struct piece *p = first;

    while (p != NULL) {
        struct piece *const next = p->next;

        *p->at = NULL;
        free(p);
        p = next;
    }
}

static void init_once(void)
{
    has_key = pthread_key_create(&pieces, free_pieces) == 0;
}

void *lpi_thread_allocate(void **at, size_t n_bytes)
{
    struct piece *p;

    pthread_once(&once, init_once);
    p = has_key ? calloc(1, sizeof(*p) + n_bytes) : NULL;
    if (p == NULL)
        return NULL;
    p->next = pthread_getspecific(pieces);
    p->at = at;
    if (pthread_setspecific(pieces, p) != 0) {
        free(p);
        return NULL;
    }
    *at = p->memory;
    return p->memory;
}
