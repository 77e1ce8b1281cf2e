/* SPDX-License-Identifier: MIT */
/**
 * @file search.h
 * Synthesis of schedules: a search for the steps of a collective that end soonest on a network.
 * Unstable: this header may change in any version.
 *
 *     struct logp_search search = LOGP_SEARCH("barrier", 64, &args, &network);
 *     struct logp_search_result *r;
 *     int rc;
 *
 *     search.rounds = 1000;
 *     rc = logp_search_run(&search, &r);
 *     ...                        r->list: the steps, with their data; r->state.ns: their time
 *     logp_search_free(r);
 *
 * It begins with the best algorithm of the table. Then it looks for
 * - words: all processors do the same sequence of sends and receives (barrier, allgather,
 *   allreduce, reduce-scatter, scan, exscan); depth-first searches find shorter and shorter ones;
 * - trees, for broadcast, reduce, scatter and gather;
 * - matchings: the data are items, and whenever a processor is free it sends some that another
 *   lacks, by rules that are drawn anew in each round (broadcast, allgather, alltoall, barrier;
 *   backwards reduce, reduce-scatter and gather; both for allreduce). Some of the messages of the
 *   best schedule are removed, most of them on its critical path, and sent anew by such a rule;
 * - orders: neighbouring steps of a processor change places where their data allow it (all
 *   collectives).
 * The cost of each is its fold, so it is exact on any network whose schedules can be folded.
 *
 * Sources: Karp, Sahay, Santos, Schauser, SPAA 1993 (words); Won et al., TACOS, MICRO 2024
 * (matching over expanded time); Shaw, CP 1998 (removing and inserting again).
 */
#ifndef LOGP_SEARCH_H
#define LOGP_SEARCH_H

#include <logp/algorithm.h>
#include <logp/defs.h>

LOGP_BEGIN_DECLS

/** The most processors of a search. */
#define LOGP_SEARCH_P 256

/** The proof that no schedule is faster. */
enum logp_search_proof {
    LOGP_SEARCH_NO_PROOF,
    LOGP_SEARCH_EQUALS_BOUND, /**< the time is the lower bound of the collective */
    LOGP_SEARCH_EXHAUSTIVE,   /**< all schedules were tried */
};

/** The state of a search. */
struct logp_search_state {
    int64_t ns;           /**< of the best so far */
    int64_t bound_ns;     /**< logp_collective_lower_bound(); -1: none is known */
    int64_t table_ns;     /**< of the best algorithm of the table; `ns` is never more */
    uint64_t tried;       /**< schedules whose time was computed */
    int64_t rounds;       /**< that are over */
    const char *found_by; /**< "table", "word", "tree", "matching", "order", "exhaustive" */
};

/** The subject of a search. Set it with LOGP_SEARCH(). */
struct logp_search {
    size_t size; /**< sizeof(struct logp_search) */
    const char *collective;
    int64_t P;                          /**< 1 .. LOGP_SEARCH_P */
    const struct logp_args *args;       /**< without blocks and list */
    const struct logp_network *network; /**< NULL: as logp_plan_create() */
    uint64_t seed;                      /**< of all draws; it and `rounds` determine the result */
    int64_t rounds;                     /**< after which it ends; 0: until `stop` returns true */
    /** Called now and then, also within a round. @return true: end the search. NULL: never */
    bool (*stop)(void *arg, const struct logp_search_state *state);
    void *arg;
};

/** The first members. */
#define LOGP_SEARCH(collective_, P_, args_, network_)                                              \
    {                                                                                              \
        .size = sizeof(struct logp_search), .collective = (collective_), .P = (P_),                \
        .args = (args_), .network = (network_), .seed = 1                                          \
    }

/** The result of a search. Read only. */
struct logp_search_result {
    size_t size; /**< of this struct in the library: it may have grown */
    struct logp_search_state state;
    enum logp_search_proof proof;
    bool words_done;                   /**< no word takes less time than the best one, word_ns */
    int64_t word_ns;                   /**< -1: there is none */
    const struct logp_step_list *list; /**< the steps, each with its data, as those of a file */
};

/**
 * Search. It ends when the lower bound is met, when all schedules have been tried, after `rounds`,
 * or when `stop` returns true.
 * Threads: any; it uses none of its own.
 * @param out  out: free it with logp_search_free()
 * @return 0; -EINVAL (P, the arguments, neither rounds nor stop), -ENOTSUP (no algorithm of the
 *         table applies, or none can be folded on this network; summation, whose optimum has a
 *         formula), -ENOMEM
 */
LOGP_API int logp_search_run(const struct logp_search *search, struct logp_search_result **out);

/** NULL is allowed. */
LOGP_API void logp_search_free(struct logp_search_result *result);

LOGP_END_DECLS

#endif
