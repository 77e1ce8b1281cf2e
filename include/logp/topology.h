/* SPDX-License-Identifier: MIT */
/**
 * @file topology.h
 * Networks of links: which way a message takes, what that does to its time, and how many messages
 * use each link.
 *
 * Processors are the nodes 0 .. P-1; the switches of a tree are numbered from P on. Links are
 * directed. A message takes the shortest route: a tie on a ring goes up; in a mesh or torus
 * dimension by dimension, the last first, which is along the row, then along the column, and so on;
 * in a hypercube the lowest bit first.
 *
 * As a delay model (logp_topology_delay()) the network stores and forwards: each link delays a
 * message of k bytes by L + (k-1)G, and passes messages at least max(g, (k-1)G) apart, in the order
 * in which they were sent: by the start of the send, then by rank. At its two ends a message costs
 * what LogGP says, so a message to a neighbour that nothing delays arrives as under plain LogGP. A
 * message to oneself uses no link and arrives when its send is done.
 *
 * Threads: a topology is constant; any thread may read it.
 * Source: Grama, Gupta, Karypis, Kumar, Introduction to Parallel Computing, 2003, ch. 2.4, 4.1.
 */
#ifndef LOGP_TOPOLOGY_H
#define LOGP_TOPOLOGY_H

#include <logp/collective.h>
#include <logp/defs.h>
#include <logp/delay.h>

LOGP_BEGIN_DECLS

/** One row of the table of topologies. */
struct logp_topology_kind {
    const char *name;
    const char *form; /**< how it is written: "mesh[:AxBx...]" */
    const char *summary;
};

/** @return the topologies i = 0, 1, ... in the order in which they are listed, static storage;
 *          NULL: there are no more */
LOGP_API const struct logp_topology_kind *logp_topology_kind_at(size_t i);

/**
 * Does a specification fit P processors?
 * @param spec  "line", "ring", "mesh:AxBxC", "torus:AxBxC" (any number of dimensions, up to
 *              LOGP_TOPOLOGY_SIZES; without sizes: square), "hypercube", "tree" (a binary tree of
 *              switches, with the processors at its leaves)
 * @return NULL: it does; else what it needs, in a few words; static storage
 */
LOGP_API const char *logp_topology_needs(const char *spec, int64_t P);

/**
 * @param out  out: free it with logp_topology_destroy()
 * @return 0; -EINVAL (logp_topology_needs()), -ENOMEM
 */
LOGP_API int logp_topology_create(const char *spec, int64_t P, struct logp_topology **out);

/** Free a topology. NULL is allowed. */
LOGP_API void logp_topology_destroy(struct logp_topology *topology);

/** @return the specification that it was made from. */
LOGP_API const char *logp_topology_spec(const struct logp_topology *topology);

/** @return P. */
LOGP_API int logp_topology_size(const struct logp_topology *topology);

/** Most dimensions of a mesh or torus: with more, one of them would be of a single processor. */
#define LOGP_TOPOLOGY_SIZES 24

/**
 * The sizes of a mesh or torus. Rank r is at place (r / (product of the sizes after d)) mod size d
 * of dimension d: ranks count along the last dimension first, a row.
 * @param sizes  out: of each dimension, in the order of the specification
 * @return the number of dimensions; 0: no mesh or torus
 */
LOGP_API int logp_topology_sizes(const struct logp_topology *topology,
                                 int sizes[LOGP_TOPOLOGY_SIZES]);

/** @return how many directed links there are; they are numbered from 0. */
LOGP_API int logp_topology_links(const struct logp_topology *topology);

/** The nodes that a link leads from and to; those from P on are switches. */
LOGP_API void logp_topology_ends(const struct logp_topology *topology, int link, int *from,
                                 int *to);

/**
 * One step of the route to dst.
 * @param node  in: where the message is, a processor, or a switch on its way; out: where the link
 *              leads
 * @return the link; -1: it is there
 */
LOGP_API int logp_topology_next(const struct logp_topology *topology, int *node, int dst);

/** @return the number of links on the route from src to dst. */
LOGP_API int logp_topology_hops(const struct logp_topology *topology, int src, int dst);

/**
 * The whole route from src to dst.
 * @param links  out: its links in order, at most room of them
 * @return how many there are, also where room is less
 */
LOGP_API int logp_topology_route(const struct logp_topology *topology, int src, int dst, int *links,
                                 int capacity);

/* ---- as a delay model ---- */

/**
 * Make a delay model of a topology.
 * @param topology  copied; NULL is refused
 * @param ends      what a message costs at its two ends: a model with parameters, such as `logp`
 *                  or `loggp`; the new model owns it if 0 is returned
 * @param out       out: for a machine of as many processors (messages of others use no link).
 *                  After an error: no model; ends is still the caller's
 * @return 0; -EINVAL (no topology; ends has no parameters, or its latency varies: each link has L),
 *         -ENOMEM, or as logp_delay_functions()
 */
LOGP_API int logp_topology_delay(const struct logp_topology *topology, struct logp_delay ends,
                                 struct logp_delay *out);

/** What a link, or all together, had to do in the last run of the machine. */
struct logp_link_use {
    int link;          /**< of which it is; -1: of all together */
    uint64_t messages; /**< that it passed */
    int64_t busy_ns;   /**< how long it could take no other */
    int64_t waited_ns; /**< how long messages waited for it */
};

/**
 * What a link of the network had to do that is a machine's delay model.
 * @param link  a link; -1: all together
 * @return 0; -EINVAL (the model in force is no topology, no such link)
 * Threads: any one that is not a vp of the machine, while it does not run and its model is not
 *          replaced.
 */
LOGP_API int logp_link_use(const struct logp_machine *machine, int link, struct logp_link_use *out);

/** The same of the link that passed most messages; ties: the lowest; link -1: there is none.
 *  Threads: as logp_link_use(). */
LOGP_API int logp_link_busiest(const struct logp_machine *machine, struct logp_link_use *out);

/* ---- the load of an algorithm, worked out without running it ---- */

/**
 * The load that a collective along a tree puts on the links when all take part in rounds: in a
 * round, every processor that holds the item sends to its next child. Child k of a processor that
 * got the item in round r gets it in round r + k + 1, the root has it in round 0. A reduction is
 * the same with directions and order reversed.
 */
struct logp_link_load {
    int n_steps;
    int *step_most; /**< [step]: the most messages on one link, the first round first */
    int n_links;
    int *messages; /**< [link]: in all steps together */
};

/**
 * @param network  its topology is set and has P processors
 * @param load  out: free it with logp_link_load_fini()
 * @return 0; -EINVAL (no topology, root), -ENOTSUP (the algorithm is no tree, or does not apply),
 *         -ENOMEM
 */
LOGP_API int logp_link_load_init(struct logp_link_load *load,
                                 const struct logp_algorithm *algorithm,
                                 const struct logp_args *args, const struct logp_network *network);

/** Free what logp_link_load_init() has made. */
LOGP_API void logp_link_load_fini(struct logp_link_load *load);

LOGP_END_DECLS

#endif
