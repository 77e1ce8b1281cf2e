/* SPDX-License-Identifier: MIT */
/**
 * @file defs.h
 * Definitions for all headers: the version, the export macro, opaque types, wildcards, units, and
 * structs that may grow. Stable from 1.0 on.
 *
 * Times are integer nanoseconds (suffix _ns) unless a name has _ps (picoseconds). Ranks are 0 <=
 * rank < P. Types:
 * - P, ranks and numbers of requests or members are int where a machine runs (machine.h, vp.h).
 *   They are int64_t in predictions, schedules, explanations and traces, whose P may be larger than
 *   that of any machine.
 * - Elements, operands and steps are counted in int64_t; bytes and entries of tables and arrays in
 *   size_t; messages of a run in uint64_t.
 *
 * Tables are enumerated with logp_X_at(i), i = 0, 1, ..., until it returns NULL, and searched with
 * logp_X_find(name). Names have the form logp_NOUN_verb; the calls of a vp's program are a verb
 * alone (logp_send(), logp_wait(), logp_broadcast()), as in MPI. Every function that can fail
 * returns 0 or a negative errno; no function aborts, and only logp_report_print() prints.
 */
#ifndef LOGP_DEFS_H
#define LOGP_DEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** @{ */
/** The version of these headers; the build reads it here. Before 1.0 a minor version may change
 *  anything, a patch version changes nothing that a program sees. */
#define LOGP_VERSION_MAJOR 0
#define LOGP_VERSION_MINOR 2
#define LOGP_VERSION_PATCH 0
/** @} */
/** The version as an increasing number: `#if LOGP_VERSION >= 1002000`. */
#define LOGP_VERSION (LOGP_VERSION_MAJOR * 1000000 + LOGP_VERSION_MINOR * 1000 + LOGP_VERSION_PATCH)
/** "major.minor.patch" */
#define LOGP_VERSION_TEXT                                                                          \
    LOGP_QUOTED(LOGP_VERSION_MAJOR)                                                                \
    "." LOGP_QUOTED(LOGP_VERSION_MINOR) "." LOGP_QUOTED(LOGP_VERSION_PATCH)
#define LOGP_QUOTED(macro) LOGP_QUOTED_AS_IS(macro)
#define LOGP_QUOTED_AS_IS(text) #text

#ifdef __cplusplus
/* Some structs have the names of functions, which g++ -Wshadow takes for hidden constructors. */
#define LOGP_BEGIN_DECLS                                                                           \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") extern "C"       \
    {
#define LOGP_END_DECLS                                                                             \
    }                                                                                              \
    _Pragma("GCC diagnostic pop")
#else
#define LOGP_BEGIN_DECLS
#define LOGP_END_DECLS
#endif

#define LOGP_API __attribute__((visibility("default")))

#define LOGP_ANY_SOURCE (-1)       /**< a receive or probe takes messages of every rank */
#define LOGP_OUTSIDE (-2)          /**< source of messages of logp_machine_inject() */
#define LOGP_ANY_TAG (-1)          /**< a receive or probe takes messages of every tag */
#define LOGP_NEVER (INT64_MIN / 4) /**< a time before all others: it never happened */

struct logp_machine;  /**< P processors, their cores and the network between them */
struct logp_vp;       /**< one virtual processor, as its program sees it */
struct logp_topology; /**< a network of links: delay.h */
struct logp_links;    /**< link parameters for each pair of processors: delay.h */
struct logp_request;  /**< an isend or irecv that is not complete */

LOGP_BEGIN_DECLS

/** @return the version of the loaded library, in the form of LOGP_VERSION_TEXT. */
LOGP_API const char *logp_version(void);

/**
 * The text of an error.
 * @param error  a negative errno that a function has returned
 * @return one line, static storage: "invalid argument"; the text of strerror() for an errno that no
 *         function of the library returns
 */
LOGP_API const char *logp_error_text(int error);

/**
 * Copy a struct that may grow. Such a struct begins with its size, which the caller sets to sizeof;
 * so programs built with older or newer headers continue to work. New fields are added at the end,
 * not into padding, and have no effect while they are 0. Functions that take such a struct copy it
 * with this function.
 * @param out      out: the copy; fields that the caller's struct does not have are 0, the size is
 *                 n_bytes
 * @param n_bytes  sizeof(*out)
 * @param least    LOGP_UP_TO() of the last field of the first version
 * @param given    the caller's struct; begins with its size, a size_t
 * @return 0; -EINVAL (given is NULL, or its size is below `least`, so it was not set); -E2BIG
 *         (given is larger than *out and has unknown fields that are not 0, or its size is above
 *         4096, which no struct has)
 */
LOGP_API int logp_struct_take(void *out, size_t n_bytes, size_t least, const void *given);

/** The size of a struct up to and including this field. */
#define LOGP_UP_TO(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

LOGP_END_DECLS

#endif
