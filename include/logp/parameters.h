/* SPDX-License-Identifier: MIT */
/**
 * @file parameters.h
 * L, o_send, o_recv, g, G and gamma of anything that carries messages, measured from outside: by a
 * program of two processors that knows nothing of the model behind it, nor of what carries it.
 *
 *     if (logp_vp_rank(vp) == 0)
 *         rc = logp_observe(vp, 1, &how, &seen);     what messages take, over sizes
 *     else if (logp_vp_rank(vp) == 1)
 *         rc = logp_observe_serve(vp, 0);
 *     ...
 *     rc = logp_estimate(seen, &found);              found.params, and how sure they are
 *     logp_observed_free(seen);
 *
 * The method is that of Hoefler et al.: parametrised round trips of n messages of s bytes with a
 * wait of d between them, all on the clock of one processor, so that no two clocks are compared.
 *
 *     round trip of one message, n = 1      2 (L + o_send + o_recv + (s-1)G)
 *     n at once, less that of one           (n-1) max(o_send, o_recv, g + (s-1)G)
 *     n sent, waits d longer than a gap     n o_send
 *     n received, which are there           n o_recv
 *
 * Of the times of each kind the median counts, of the last two, in which nobody else has a part,
 * the lower octile: whatever happens to a processor by itself makes it later, never sooner.
 *
 * Lines are fitted to the first two over s, by least squares; where one line does not do, there is
 * a change of protocol (struct logp_protocol).
 *
 * What cannot be seen from outside: a gap that no rate depends on. g is had from a rate at which a
 * gap, not an overhead, holds messages up, at one end at least, or, where G > 0, from long
 * messages, back to size 1. Else all that is known is that g <= the smaller overhead: then nothing
 * that two processors do depends on it (g_hidden). Of a latency that varies, L is the median.
 *
 * Sources: Culler, Liu, Martin, Yoshikawa, IEEE Micro 16(1), 1996; Hoefler, Lichei, Rehm, IPDPS
 * 2007 (netgauge).
 */
#ifndef LOGP_PARAMETERS_H
#define LOGP_PARAMETERS_H

#include <logp/defs.h>
#include <logp/delay.h>

LOGP_BEGIN_DECLS

/** What is timed, on the clock of one of the two, all messages of one size; what is waited on
 *  purpose is taken off. */
enum logp_timing {
    LOGP_TIMING_ROUND,  /**< a message there, and one back */
    LOGP_TIMING_SPACED, /**< the sends of n_spaced messages, each after the gap of the one before */
    LOGP_TIMING_SENT,   /**< the sends of n_burst messages, one right after the other */
    LOGP_TIMING_BURST,  /**< the same, and an answer to the last, received */
    LOGP_TIMING_TAKEN,  /**< the receives of n_spaced messages that are there, each after the gap
                             of the one before */
    LOGP_TIMING_RECEIVED, /**< the receives of n_burst messages that are there, one right after the
                               other */
    LOGP_TIMING_TURN,     /**< a send, and the receive of a message that is there */
    LOGP_TIMINGS,         /**< how many there are */
};

/** What has been seen of one size. */
struct logp_observation {
    size_t n_bytes;
    size_t n[LOGP_TIMINGS];          /**< how many times */
    int64_t *times_ns[LOGP_TIMINGS]; /**< in the order in which they were taken */
};

/** The root's reduction of two operands, the other of which is there. */
struct logp_combined {
    int64_t count;     /**< doubles */
    size_t n;          /**< how many times */
    int64_t *times_ns; /**< in the order in which they were taken */
};

/** What has been seen of a machine. */
struct logp_observed {
    size_t size; /**< of this struct in the library: it may have grown */
    int n_spaced, n_burst;
    struct logp_observation *sizes; /**< ascending */
    size_t n_sizes;
    struct logp_combined *combined;
    size_t n_combined;
};

/** How it is looked at. Zero is a good default of every field but the first. */
struct logp_observe {
    size_t size;           /**< of this struct */
    size_t bytes_low;      /**< the smallest message; 0: 1 */
    size_t bytes_high;     /**< the largest; 0: 1 MiB */
    int reps;              /**< of each timing, at least 3; 0: 100 */
    int64_t limit_ns;      /**< of each timing, then ten are enough; 0: none */
    int64_t size_limit_ns; /**< beyond 4 KiB, no larger messages than those that take this long
                                there and back; 0: none */
    int64_t combine_high;  /**< gamma, by reductions of up to so many doubles; 0: it is not looked
                                for */
};

/**
 * Look at the messages between the calling processor and another, which calls logp_observe_serve().
 * Sizes: bytes_low, the powers of two from 16 on, and bytes_high.
 * @param out  out: to be freed with logp_observed_free()
 * @return 0; -EINVAL (size, the sizes, reps, a negative number, peer), -E2BIG, -ENOMEM, or as
 *         logp_send() and logp_recv()
 * Threads: as vp.h.
 */
LOGP_API int logp_observe(struct logp_vp *vp, int peer, const struct logp_observe *how,
                          struct logp_observed **out);

/** Do what the other, who calls logp_observe(), asks for, until it is through. @return as that */
LOGP_API int logp_observe_serve(struct logp_vp *vp, int peer);

/** NULL is allowed. */
LOGP_API void logp_observed_free(struct logp_observed *observed);

/* ---- what follows from it ---- */

/** A number of ns, and where it lies with a probability of 95 %: by resampling what was seen, 200
 *  times, and where times are off from the line by more than they vary, what follows from
 *  what the line leaves of them (Birge, Phys. Rev. 40, 1932). */
struct logp_estimated {
    double ns, low_ns, high_ns;
};

/** A range of sizes that one set of parameters holds for. */
struct logp_protocol {
    size_t from, to;   /**< sizes that were seen */
    double L_ns;       /**< of a message of one byte, as those of this range say */
    double wire_G_ns;  /**< of a byte, from end to end */
    double g_ns, G_ns; /**< of messages one after the other; < 0: overheads hide it */
    double error;      /**< the largest relative difference between a time and its line */
};

/** Does the gap hold between sends and receives too? */
enum logp_gap_seen { LOGP_GAP_UNSEEN, LOGP_GAP_SEPARATE, LOGP_GAP_SHARED };

/** Room for why a figure is doubtful. */
#define LOGP_DOUBT 128

/** A protocol whose error is more is doubtful: caches and copies make curves of times that are off
 *  from lines by up to a third on idle hosts. */
#define LOGP_UNEXPLAINED 0.5

/** What has been found. */
struct logp_found {
    size_t size;               /**< of this struct in the library: it may have grown */
    struct logp_params params; /**< in whole ns and ps; for delay */
    const char *delay; /**< the built-in model that they are of: loggp, or store-forward, if a
                            gap is seen that does not grow with the size while L does */
    struct logp_estimated L, o_send, o_recv, g, G, gamma;
    bool L_hidden; /**< the overheads are longer than half a round trip: L is taken for 0 */
    bool g_hidden; /**< g <= this value, no more is seen */
    bool has_gamma;
    enum logp_gap_seen gap;
    struct logp_protocol protocols[8]; /**< ascending; L, g are of the first, G of the last */
    int n_protocols;
    size_t n_times, n_left_out; /**< how many times there were, and outliers among them: farther
                                   from the quartiles than three times their distance, and a
                                   hundredth of the median, and 20 ns */
    bool exact; /**< no two times of one kind differed: the values are exact, if the model holds */
    double error; /**< of the protocols the largest */
    /** "": nothing is wrong; or why the figures must not be relied on: a time is below 0, or half
     * of it or more is off from its line. A host with other work makes such times: measure again.
     */
    char doubtful[LOGP_DOUBT];
};

/** The medians (octiles) that it follows from, of one size, per message, in ns. */
struct logp_size_seen {
    size_t n_bytes;
    /* a time that is below 0 by no more than it is known to is 0; others: found.doubtful */
    double one_way; /**< half a round trip */
    double o_send, o_recv;
    double apart; /**< from one message to the next, at the slower end */
    double sent_apart, received_apart;
};

/**
 * Pure: what has been seen may come from anywhere.
 * @param seed  of resampling
 * @param found  out
 * @param by_size  out: observed->n_sizes; NULL: not wanted
 * @return 0; -EINVAL (no sizes; one of which a timing is missing), -ENOMEM
 */
LOGP_API int logp_estimate(const struct logp_observed *observed, uint64_t seed,
                           struct logp_found *found, struct logp_size_seen *by_size);

LOGP_END_DECLS

#endif
