/* SPDX-License-Identifier: MIT */
/**
 * @file defs.h
 * Words shared by all headers: the version, the export macro, opaque types, wildcards, units, and
 * structs that may grow.
 *
 * Times are integer nanoseconds (suffix _ns) unless a name says picoseconds (_ps).
 * Ranks are 0 <= rank < P. Types:
 * - P, ranks and numbers of requests or members are int where a machine runs (machine.h, vp.h), and
 *   int64_t where nothing does: in predictions, schedules, explanations and traces, whose P may be
 *   larger than that of any machine.
 * - Elements, operands and steps are counted in int64_t; bytes, and what a table or an array has,
 *   in size_t. Messages of a run are counted in uint64_t.
 * Tables are gone through with logp_X_at(i), i = 0, 1, ..., until it returns NULL, and searched with
 * logp_X_find(name). Names are logp_NOUN_verb; what a vp does in its own program is a verb alone
 * (logp_send(), logp_wait(), logp_broadcast()), as in MPI. Every function that can fail returns 0 or a negative errno;
 * none aborts, none prints.
 */
#ifndef LOGP_DEFS_H
#define LOGP_DEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** @{ */
/** The version of these headers: the build reads it here. Before 1.0 a minor version may change
 * anything, a patch nothing that a program sees. */
#define LOGP_VERSION_MAJOR 0
#define LOGP_VERSION_MINOR 2
#define LOGP_VERSION_PATCH 0
/** @} */
/** As a number that grows with it: `#if LOGP_VERSION >= 1002000`. */
#define LOGP_VERSION (LOGP_VERSION_MAJOR * 1000000 + LOGP_VERSION_MINOR * 1000 + LOGP_VERSION_PATCH)
/** "major.minor.patch" */
#define LOGP_VERSION_TEXT                                                                          \
    LOGP_QUOTED(LOGP_VERSION_MAJOR)                                                                \
    "." LOGP_QUOTED(LOGP_VERSION_MINOR) "." LOGP_QUOTED(LOGP_VERSION_PATCH)
#define LOGP_QUOTED(macro) LOGP_QUOTED_AS_IS(macro)
#define LOGP_QUOTED_AS_IS(text) #text

#ifdef __cplusplus
#define LOGP_BEGIN_DECLS extern "C" {
#define LOGP_END_DECLS }
#else
#define LOGP_BEGIN_DECLS
#define LOGP_END_DECLS
#endif

#define LOGP_API __attribute__((visibility("default")))

#define LOGP_ANY_SOURCE (-1)       /**< a receive or probe takes messages of every rank */
#define LOGP_OUTSIDE (-2)          /**< the source of what logp_machine_inject() sends */
#define LOGP_ANY_TAG (-1)          /**< a receive or probe takes messages of every tag */
#define LOGP_NEVER (INT64_MIN / 4) /**< a time before all others: it never happened */

struct logp_machine;  /**< P processors, their cores and the network between them */
struct logp_vp;       /**< one virtual processor, as its program sees it */
struct logp_topology; /**< a network of links: delay.h */
struct logp_links;    /**< what differs from pair to pair: delay.h */
struct logp_request;  /**< an isend or irecv under way */

LOGP_BEGIN_DECLS

/** @return the version of the library that runs, as LOGP_VERSION_TEXT says that of the headers. */
LOGP_API const char *logp_version(void);

/**
 * Say what an error is.
 * @param error  what a function has returned: a negative errno
 * @return one line, static storage: "invalid argument"; of an error that no function of the library
 *         returns, what strerror() says
 */
LOGP_API const char *logp_error_text(int error);

/**
 * Structs that may grow begin with their size, which whoever fills one sets to its sizeof: so
 * programs built with older headers, and with newer ones, go on working. New fields come last, not
 * into padding, and mean nothing while they are 0. What takes such a struct copies it with this
 * function.
 * @param out      out: what the caller has given; fields that it does not have are 0, the size is
 *                 n_bytes
 * @param n_bytes  sizeof(*out)
 * @param least    LOGP_UP_TO() the last field of the first version
 * @param given    begins with its size, a size_t
 * @return 0; -EINVAL (it is NULL, or smaller than `least`: its size was not set), -E2BIG (it is
 *         larger than *out, and says something in fields that are not known here; or its size is
 *         none, beyond 4096)
 */
LOGP_API int logp_struct_take(void *out, size_t n_bytes, size_t least, const void *given);

/** The size of a struct up to this field, which counts. */
#define LOGP_UP_TO(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

LOGP_END_DECLS

#endif
