/* SPDX-License-Identifier: MIT */
/*
 * What the C and C++ runtimes keep for each thread, and each fiber wants for itself: errno, and the
 * exceptions that are being handled (Itanium C++ ABI, 2.2.2: two words), where there is a C++
 * runtime. Other thread-local variables belong to the core's carrier, as they say.
 */
#ifndef LPI_THREAD_STATE_H
#define LPI_THREAD_STATE_H

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* The C++ runtime's, if the process has one from its start. */
void *__cxa_get_globals(void) __attribute__((weak));

struct lpi_thread_state {
    int error;
    char exceptions[2 * sizeof(void *)];
};

/* The carrier's exceptions; NULL: there is no C++. Constant for a thread. */
static inline void *lpi_thread_exceptions(void)
{
    return __cxa_get_globals != NULL ? __cxa_get_globals() : NULL;
}

static inline void lpi_thread_state_save(struct lpi_thread_state *s, const void *exceptions)
{
    s->error = errno;
    if (exceptions != NULL)
        memcpy(s->exceptions, exceptions, sizeof(s->exceptions));
}

static inline void lpi_thread_state_restore(const struct lpi_thread_state *s, void *exceptions)
{
    errno = s->error;
    if (exceptions != NULL)
        memcpy(exceptions, s->exceptions, sizeof(s->exceptions));
}

/* A fiber begins. */
static inline void lpi_thread_state_clear(void *exceptions)
{
    static const struct lpi_thread_state none;

    lpi_thread_state_restore(&none, exceptions);
}

#endif
