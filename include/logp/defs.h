/* SPDX-License-Identifier: MIT */
/**
 * @file defs.h
 * Words shared by all headers: the export macro, opaque types, wildcards, units.
 *
 * Times are integer nanoseconds (suffix _ns) unless a name says picoseconds (_ps).
 * Ranks are 0 <= rank < P. Every function that can fail returns 0 or a negative errno;
 * none aborts, none prints.
 */
#ifndef LOGP_DEFS_H
#define LOGP_DEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define LOGP_BEGIN_DECLS extern "C" {
#define LOGP_END_DECLS }
#else
#define LOGP_BEGIN_DECLS
#define LOGP_END_DECLS
#endif

#define LOGP_API __attribute__((visibility("default")))

#define LOGP_ANY_SOURCE (-1)       /**< a receive or probe takes messages of every rank */
#define LOGP_OUTSIDE (-2)          /**< the source of what logp_inject() sends */
#define LOGP_ANY_TAG (-1)          /**< a receive or probe takes messages of every tag */
#define LOGP_NEVER (INT64_MIN / 4) /**< a time before all others: it never happened */

struct logp_machine;  /**< P processors, their cores and the network between them */
struct logp_vp;       /**< one virtual processor, as its program sees it */
struct logp_topology; /**< a network of links: topology.h */
struct logp_request;  /**< an isend or irecv under way */

LOGP_BEGIN_DECLS

/** @return the version of the library, "major.minor.patch"; static storage. */
LOGP_API const char *logp_version(void);

LOGP_END_DECLS

#endif
