/* SPDX-License-Identifier: MIT */
/*
 * Memory in which a thread caches its last answers. Thread-local variables only point to it, since
 * dlopen() has little thread-local memory for a library.
 */
#ifndef LPI_THREAD_MEMORY_H
#define LPI_THREAD_MEMORY_H

#include <stddef.h>

void *lpi_thread_allocate(void **at, size_t n_bytes);

/* The n_bytes at *at, a thread-local variable that is NULL at first. The first call allocates them,
 * zeroed; when the thread ends, they are freed and *at is NULL again. NULL: no memory. */
static inline void *lpi_thread_memory(void **at, size_t n_bytes)
{
    return *at != NULL ? *at : lpi_thread_allocate(at, n_bytes);
}

#endif
