/* SPDX-License-Identifier: MIT */
/**
 * @file links.h
 * Parameters that differ from pair to pair: each processor has a link to each, with L, o, g and G
 * of its own. The way from A to B is one link, that from B to A another; a message to oneself has
 * one, too.
 *
 *     struct logp_links *links;
 *     const struct logp_link_costs between = {50000, 5000, 5000, 10000, LOGP_AS_BEFORE};
 *     struct logp_delay delay;
 *
 *     logp_links_create(32, &links);                  32 processors,
 *     logp_links_nodes(links, 8, &between);           4 nodes of 8
 *     logp_links_delay(links, &params, &delay);       inside them it costs what params say
 *
 * Of each parameter of a link the last call counts that says something of it; where none does, the
 * parameters that the delay model is made with.
 *
 * The rules are those of delay.h, with the parameters of the link that a message takes, source and
 * destination, at both its ends. A processor still has one port: its next send, whatever link that
 * takes, does not start before max(o_send, g + (k-1)G) of the link of the send before it; a receive
 * does not start before max(o_recv, g + (k-1)G) of the link of the message received after the start
 * of the receive before it. With the shared gap a send waits for max(o_recv, g) of its own link
 * after the start of the receive before it, and a receive for the gap of the send before it and the
 * streaming of its own message.
 *
 * No chance is involved, so the fold of a schedule is exact (logp_network.links).
 *
 * Threads: links are constant once they are made; any thread may read them.
 * Source: none; LogP and LogGP (delay.h), taken link by link.
 */
#ifndef LOGP_LINKS_H
#define LOGP_LINKS_H

#include <logp/defs.h>
#include <logp/delay.h>

LOGP_BEGIN_DECLS

/** In a field of struct logp_link_costs: it stays as it is. */
#define LOGP_AS_BEFORE (-1)

/** What a message costs on a link, in the units of struct logp_params. */
struct logp_link_costs {
    int64_t L_ns, o_send_ns, o_recv_ns, g_ns, G_ps;
};

/** Nothing is said of any. */
#define LOGP_ALL_AS_BEFORE                                                                         \
    {                                                                                              \
        LOGP_AS_BEFORE, LOGP_AS_BEFORE, LOGP_AS_BEFORE, LOGP_AS_BEFORE, LOGP_AS_BEFORE             \
    }

/** Ranks first .. last. */
struct logp_rank_range {
    int first, last;
};

/** Those of n ranges, in any order, that may overlap; n = 0: all. */
struct logp_ranks {
    const struct logp_rank_range *ranges;
    int n;
};

/** Ranks of which no two have the same links may be at most so many. */
#define LOGP_MOST_KINDS 1024

/**
 * All links alike, as the parameters say.
 * @param P    1 .. LOGP_MAX_PROCESSORS
 * @param out  out: free it with logp_links_destroy()
 * @return 0; -EINVAL (P), -ENOMEM
 */
LOGP_API int logp_links_create(int64_t P, struct logp_links **out);

/** Free them. NULL is allowed; models that were made of them do not need them. */
LOGP_API void logp_links_destroy(struct logp_links *links);

/** @return P. */
LOGP_API int64_t logp_links_size(const struct logp_links *links);

/**
 * Two levels: ranks 0 .. per_node - 1 are a node, the next per_node another, and so on; the last
 * may have fewer. What links between two nodes cost; those inside stay.
 * @param per_node  >= 1; another number than in an earlier call is refused
 * @return 0; -EINVAL (per_node, or a cost beyond LOGP_PARAM_MAX_NS or below LOGP_AS_BEFORE),
 *         -ENOMEM
 */
LOGP_API int logp_links_nodes(struct logp_links *links, int64_t per_node,
                              const struct logp_link_costs *between);

/**
 * What the links from each of `src` to each of `dst` cost, and not those back.
 * @return 0; -EINVAL (a range that is empty or not within 0 .. P-1; a cost, as above), -E2BIG
 *         (more than LOGP_MOST_KINDS), -ENOMEM; then nothing has changed
 * Cost: P times the ranges, and the square of the kinds of ranks where it makes new ones.
 */
LOGP_API int logp_links_set(struct logp_links *links, const struct logp_ranks *src,
                            const struct logp_ranks *dst, const struct logp_link_costs *costs);

/** @return the kind of a rank, 0 .. LOGP_MOST_KINDS - 1: two ranks of one kind have the same
 *          links to and from any third rank, apart from the nodes that they are on. */
LOGP_API int logp_links_kind(const struct logp_links *links, int rank);

/** @return the processors of a node; 0: there are no nodes. */
LOGP_API int64_t logp_links_per_node(const struct logp_links *links);

/**
 * The parameters of a message.
 * @param base  of what the links say nothing of
 * @param out   out: base but for what the link says; may be base
 */
LOGP_API void logp_links_of(const struct logp_links *links, int src, int dst,
                            const struct logp_params *base, struct logp_params *out);

/**
 * What no link goes below: of each parameter the least that any link has, each by itself. What no
 * algorithm is faster than with these, none is with the links; logp_lower_bound() says more.
 * @param out  out; may be base
 */
LOGP_API void logp_links_least(const struct logp_links *links, const struct logp_params *base,
                               struct logp_params *out);

/**
 * Make a delay model of them.
 * @param links  copied; NULL is refused
 * @param base   what the links say nothing of, and what is no link's: gamma, the gap's kind, a
 *               capacity that is a number, whether latencies vary. Algorithms plan with these
 *               (logp_delay_ops.params)
 * @param out    out: for a machine of as many processors; messages of others cost what base says.
 *               After an error: no model
 * @return 0; -EINVAL (no links; as logp_delay_create(), or LOGP_CAPACITY_RULE: of which link?),
 *         -ENOMEM
 */
LOGP_API int logp_links_delay(const struct logp_links *links, const struct logp_params *base,
                              struct logp_delay *out);

LOGP_END_DECLS

#endif
