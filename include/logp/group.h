/* SPDX-License-Identifier: MIT */
/**
 * @file group.h
 * Groups: some of the processors, with ranks of their own, among whom messages and collectives are
 * apart from all others. A group is a struct logp_vp: whatever takes one works in it.
 *
 *     struct logp_vp *row;
 *     int rc = logp_group_split(vp, logp_vp_rank(vp) / width, 0, &row);
 *     ...
 *     rc = logp_allreduce(row, in, out, 1, sum);
 *     ...
 *     logp_group_destroy(row);
 *
 * The functions here choose the context, with all members: one that no other group of any of them
 * has or has had, and that no program can have named. Groups of a group are made in the same way.
 * With logp_group_create() (vp.h) the program chooses, and nobody need talk.
 *
 * Threads: as vp.h. Errors of all that may wait: also as vp.h.
 */
#ifndef LOGP_GROUP_H
#define LOGP_GROUP_H

#include <logp/defs.h>

LOGP_BEGIN_DECLS

/** logp_group_split(): to be in none of the groups. */
#define LOGP_NO_COLOUR (-1)

/** Largest context of a group. */
#define LOGP_CONTEXT_MAX (UINT32_MAX / 3 - 1)

/**
 * Split a group into one for each colour. All its members call it.
 * @param vp      the group; or the processor, which is the group of all
 * @param colour  >= 0: those with the same colour are in one group; LOGP_NO_COLOUR
 * @param key     ranks in it are in the order of (key, rank in vp)
 * @param out     out: to be left with logp_group_destroy(); NULL for LOGP_NO_COLOUR
 * Cost:    an allgather of 12 bytes from each.
 * @return 0; -EINVAL (colour), -ENOSPC (there is no context left, after 3 10^8 groups), -ENOMEM
 */
LOGP_API int logp_group_split(struct logp_vp *vp, int colour, int key, struct logp_vp **out);

/**
 * Make a group of some members of another. All of those call it, with the same list, and nobody
 * else; who is in several such lists calls for them in the same order as the others of each.
 * @param members  n_members ranks in vp, its own among them: the group's ranks are the indices of
 *                 this list. NULL: all of vp, with the same ranks
 * @param out      out: as logp_group_split()
 * Cost:    ceil(lg n) messages of 4 bytes from each, one after the other.
 * @return 0; -EINVAL (a rank out of range or twice, or its own missing), -ENOSPC, -ENOMEM
 */
LOGP_API int logp_group_from(struct logp_vp *vp, const int *members, int n_members,
                             struct logp_vp **out);

/** The same members with the same ranks, apart from those of vp. @return as logp_group_from() */
LOGP_API int logp_group_dup(struct logp_vp *vp, struct logp_vp **out);

/**
 * Say which ranks of one group are which of another. Nobody talks.
 * @param from   ranks are those in this group
 * @param n      how many
 * @param to     the other group; NULL: all processors of the machine
 * @param out    out: n ranks, -1 where one is none of `to`; may be `ranks`
 * @return 0; -EINVAL (a rank is out of range, n < 0)
 */
LOGP_API int logp_group_translate(const struct logp_vp *from, int n, const int *ranks,
                                  const struct logp_vp *to, int *out);

/**
 * For who makes groups in another way: members that take the largest of what this returns on each
 * of them agree on a context, for logp_group_create(), that none of them has had.
 * @return a context above 2^30, up to LOGP_CONTEXT_MAX; one more: there are no more
 */
LOGP_API uint32_t logp_group_context(const struct logp_vp *vp);

LOGP_END_DECLS

#endif
