/* SPDX-License-Identifier: MIT */
/*
 * What the C and C++ runtimes keep per thread, and each fiber needs for itself: errno, and the
 * exceptions that are being handled (Itanium C++ ABI, 2.2.2: two words), if there is a C++ runtime.
 * Other thread-local variables belong to the carrier thread.
 */
#ifndef LPI_THREAD_STATE_H
#define LPI_THREAD_STATE_H

#include "state/state.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* Of the C++ runtime; NULL if the process was started without one. */
void *__cxa_get_globals(void) __attribute__((weak));

struct lpi_thread_state {
    int error;
    void *exceptions[2];
};

static inline struct lpi_thread_place lpi_thread_place(void)
{
    return (struct lpi_thread_place){
        .error = &errno,
        .exceptions = __cxa_get_globals != NULL ? __cxa_get_globals() : NULL,
    };
}

static inline void lpi_thread_state_save(struct lpi_thread_state *s,
                                         const struct lpi_thread_place *at)
{
    s->error = *at->error;
    if (at->exceptions != NULL)
        memcpy(s->exceptions, at->exceptions, sizeof(s->exceptions));
}

static inline void lpi_thread_state_restore(const struct lpi_thread_state *s,
                                            const struct lpi_thread_place *at)
{
    *at->error = s->error;
    if (at->exceptions != NULL)
        memcpy(at->exceptions, s->exceptions, sizeof(s->exceptions));
}

#endif
