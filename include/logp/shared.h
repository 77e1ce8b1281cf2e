/* SPDX-License-Identifier: MIT */
/**
 * @file shared.h
 * Memory that the members of a group share, and waiting for a word of it: for algorithms that are
 * right on one box only, where nothing is emulated.
 *
 * Processors are threads or fibers of one process, so all could read each other's memory anyway;
 * what they cannot do by themselves is wait. Whoever waits here hands its core over, so that two of
 * one core never spin against each other, and the wait ends with the run: it is seen in a deadlock,
 * and stops, errors and timeouts end it like a receive.
 */
#ifndef LOGP_SHARED_H
#define LOGP_SHARED_H

#include <logp/defs.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

LOGP_BEGIN_DECLS

/**
 * The memory that the members of a group share under a key, for the rest of the run or until they
 * leave the group: zero when the first of them asks for it, and the same for all.
 * @param vp       the group: a processor as its member
 * @param key      the caller's own: the address of something in it
 * @param n_bytes  the same on all members, each time
 * @param memory   out: aligned to 128 bytes
 * Threads: only the vp's owner; afterwards it is the caller's business who writes what, when.
 * @return 0; -ENOTSUP: delays are emulated, or the clock is virtual; -ENOMEM, -EINVAL (another
 * size, seen at the first call); the error that stops the run
 */
LOGP_API int logp_shared(struct logp_vp *vp, const void *key, size_t n_bytes, void **memory);

/** @return is there such memory? If not, logp_shared() returns -ENOTSUP. */
LOGP_API bool logp_shared_possible(const struct logp_vp *vp);

/** Let a word show value. What was written before is visible to who then sees it. */
static inline void logp_shared_set(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE); /* pairs with logp_shared_get() */
}

/** @return what a word shows. */
static inline uint64_t logp_shared_get(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE); /* pairs with logp_shared_set() */
}

/**
 * Wait until a word of the group's memory shows at least value; such words only grow.
 * @param by  the member that will show it, so that this is worth a moment if that one has another
 *            core; -1: whoever
 * Blocks:  until then; other vps of the core go on meanwhile.
 * @return  0, also where it is both so and the run is stopping; else as any wait: vp.h
 */
LOGP_API int logp_shared_wait(struct logp_vp *vp, const uint64_t *word, uint64_t value, int by);

/**
 * Does it? For a loop that waits for something else as well, a logp_testany() perhaps: while it
 * polls, the vp is known to wait for this word, too, until it is told true here or
 * logp_shared_wait() returns.
 */
LOGP_API bool logp_shared_test(struct logp_vp *vp, const uint64_t *word, uint64_t value);

LOGP_END_DECLS

#endif
