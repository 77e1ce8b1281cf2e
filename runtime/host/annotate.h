/* SPDX-License-Identifier: MIT */
/*
 * ThreadSanitizer sees C11 atomics, but not the assembly inside liburcu. These macros describe it:
 * LPI_RELEASE(x) precedes the operation that publishes x, LPI_ACQUIRE(x) follows the one that
 * receives it. Outside tsan builds they do nothing.
 */
#ifndef LPI_ANNOTATE_H
#define LPI_ANNOTATE_H

#if defined(__SANITIZE_THREAD__)
#define LPI_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LPI_TSAN 1
#endif
#endif

#ifdef LPI_TSAN
#include <sanitizer/tsan_interface.h>
#define LPI_RELEASE(x) __tsan_release((void *)(x))
#define LPI_ACQUIRE(x) __tsan_acquire((void *)(x))
#else
#define LPI_RELEASE(x) ((void)(x))
#define LPI_ACQUIRE(x) ((void)(x))
#endif

#endif
