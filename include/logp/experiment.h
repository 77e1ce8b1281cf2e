/* SPDX-License-Identifier: MIT */
/**
 * @file experiment.h
 * Run one algorithm many times on a machine, check every result, and hold the times against the
 * prediction. `logp run`, the benchmarks and the tests are this function.
 *
 * Algorithms are planned and predicted for the network of the machine (logp_machine_network()).
 *
 * On a machine with faults or noise each repetition is a run of its own, with draws of its own (a
 * seed that is made of the experiment's and its number). Those that end with the right result
 * everywhere are timed, the others counted; that they have failed is no error. There is no
 * prediction, and no processor stays away from a barrier.
 *
 * Each repetition starts at one time for all processors, fixed in advance (logp_sync()), and ends
 * when the last one is done. It is repeated only if a core's scheduler missed that start by more
 * than LOGP_START_TOLERANCE_NS, at most reps/10 times in all.
 *
 * A barrier has no result that could be looked at, and what starts at one time holds nobody back.
 * So runs of their own go before, in each of which one processor stays away: then nobody may get
 * through. With up to 8 processors each stays away once; of more, a few, as the seed says.
 */
#ifndef LOGP_EXPERIMENT_H
#define LOGP_EXPERIMENT_H

#include <logp/algorithm.h>
#include <logp/defs.h>
#include <logp/delay.h>
#include <logp/machine.h>

LOGP_BEGIN_DECLS

/** A start later than this (a preempted core) is not counted. */
#define LOGP_START_TOLERANCE_NS 1000

/** A repetition that has failed: of a run with faults (delay.h). */
struct logp_failed {
    int repetition; /**< which of the counted ones, from 0 */
    int error;      /**< what logp_machine_run() has returned; 0: it ended, with a wrong result, or
                         with processors that had stopped */
    const struct logp_report *report;
    const int *wrong; /**< ranks without the right result, ascending */
    int n_wrong;
};

/** What to run, and how often. */
struct logp_experiment {
    size_t size;                            /**< of this struct */
    const struct logp_algorithm *algorithm; /**< of the table, or one's own */
    int reps;                               /**< counted runs, >= 1 */
    int warmup;                             /**< uncounted runs before, >= 0 */
    int64_t timeout_ns;                     /**< for all of them; 0: none */
    uint64_t seed;                          /**< of the operands */
    enum logp_basis by;                     /**< what the prediction is worked out from */
    /** Wall clock: fewer than reps, as soon as both ends of the median's interval are within this
     *  many millionths of the median; 0: never. */
    int64_t precision_ppm;
    int64_t limit_ns; /**< wall clock: no counted run begins this long after the first; 0: none */
    /** Called now and then by one of the vps, between repetitions; NULL: not wanted. The record
     * then holds the prediction, and of the runs counted so far (the last few may be missing) how
     * long they took. */
    void (*progress)(void *arg, int done, int total);
    void *progress_arg;
    /** Called after each that has failed, between runs; what it is told is valid until it returns.
     *  NULL: not wanted. */
    void (*failed)(void *arg, const struct logp_failed *failed);
    void *failed_arg;
    struct logp_args args; /**< last, since it may grow */
};

/** Order statistics of a sample; percentiles by the nearest rank. */
struct logp_summary {
    int64_t min_ns, median_ns, p90_ns, p99_ns, max_ns;
};

/** The ends of an interval. */
struct logp_interval {
    int64_t low_ns, high_ns;
};

/** What came of it; times in ns. */
struct logp_record {
    int P;
    int reps; /**< counted, and what all times are of; less than asked for if the run was stopped,
                 or precise enough, and those that have failed are not among them */
    int restarts; /**< repetitions that were repeated */
    struct logp_prediction prediction;
    bool has_measured;            /**< wall clock: measured is valid */
    bool has_emulated;            /**< virtual clock, or a delay model: emulated is valid */
    bool has_lag;                 /**< wall clock and a delay model: lag is valid */
    struct logp_summary measured; /**< wall clock, from the common start to the last one done */
    struct logp_summary emulated; /**< the same on the vps' own clocks */
    /** The 95 % interval of the median, measured or under the virtual clock emulated:
     *  logp_median_interval(). There, where the prediction is exact, the median itself. */
    struct logp_interval interval;
    bool has_interval; /**< it is valid: there were enough runs */
    struct {
        int64_t median_ns, p99_ns, max_ns;
    } lag;             /**< how late the host returned from waits: struct logp_report */
    uint64_t messages; /**< of one repetition */
    bool verified;     /**< every result of every repetition was right, nobody left a barrier before
                            all had come, and reps > 0. Of a list of steps, which has no result, that
                            all have got to their end */
    int wrong_rank;    /**< a rank with a wrong result, or that left too early; -1: none */
    int failed; /**< with faults: repetitions that did not end everywhere with the right result */
    struct logp_fault_counts struck; /**< with faults: in all counted repetitions */
    int64_t clock_error_ns;          /**< logp_machine_clock_error(); -1: it is of one process */
    /** Of wrong_rank: the first element of its result that was wrong, "element 3 of 8 (from 0) is
     *  0, expected 12"; bytes are hexadecimal. "": no element was wrong, or faults are on */
    char wrong[128];
};

/**
 * Run an experiment on a machine that is not running, and predict its time, unless the delay model
 * is `none`.
 * @param experiment  copied; what it points to must stay until it returns, and while
 *                    logp_machine_busy()
 * A machine that records (trace.h) keeps the last repetition, from its common start.
 * @param record      out: filled also where an error is returned, with what there is, and not
 *                    touched afterwards. After -ETIMEDOUT and while logp_machine_busy() some memory
 *                    of the experiment's own stays behind
 * @return 0 (look at record->verified); -EINVAL (size, reps, warmup, a negative time or precision,
 *         root, a row that is too small, an unknown collective), -E2BIG (a larger struct with what
 * this library does not know), -ENOTSUP (logp_algorithm_needs()), -ENOMEM; or as
 * logp_machine_run(), whose report has the details
 */
LOGP_API int logp_experiment_run(struct logp_machine *machine,
                                 const struct logp_experiment *experiment,
                                 struct logp_record *record);

/** Median measured (virtual clock: emulated) over predicted; 0 where that means nothing. */
LOGP_API double logp_record_ratio(const struct logp_record *record);

/** Order statistics of n >= 1 values, which are sorted in place. */
LOGP_API struct logp_summary logp_summary_of(int64_t *values, size_t n);

/**
 * Where the median of what n values were drawn from lies, with a probability of 95 % or more,
 * whatever its distribution: two of the values, as far from both ends of their order.
 * @param sorted  n values in ascending order
 * @return false: there are too few, n < 6
 * Source: David & Nagaraja, Order Statistics, 2003, 7.1.
 */
LOGP_API bool logp_median_interval(const int64_t *sorted, size_t n, struct logp_interval *out);

/* ---- measure ---- */

/*
 * What a loop that measures needs besides vp.h: logp_experiment_run() stands on it, and so can one
 * of your own, in which every vp starts at one time and rank 0 judges what has been measured:
 *
 *     logp_sync(vp, &start);
 *     ...what is measured...
 *     end[rank] = logp_clocks(vp, &wall_end[rank]);
 *     logp_sync(vp, NULL);      all have ended
 *     if (rank == 0)            nobody is timed meanwhile
 *         counts = logp_start_late(vp) <= 1000;
 *     logp_sync(vp, NULL);      all see whether it counts
 *
 * Threads: as in vp.h, each function only on the thread of its own vp.
 */

/** logp_now() and logp_wall_now() with one reading of the clock.
 *  @param wall_ns  out: the wall clock. @return this vp's clock */
LOGP_API int64_t logp_clocks(struct logp_vp *vp, int64_t *wall_ns);

/**
 * How late the schedulers were for the machine's last start but this: the largest over the cores,
 * in ns; a core that still waited for the start when it came counts 0 to a few hundred. Call it
 * between two logp_sync(): after the one that follows the start in question.
 */
LOGP_API int64_t logp_start_late(const struct logp_vp *vp);

/* ---- parameters ---- */

/*
 * L, o_send, o_recv, g, G and gamma of anything that carries messages, measured from outside: by a
 * program of two processors that knows nothing of the model behind it, nor of what carries it.
 *
 *     if (logp_vp_rank(vp) == 0)
 *         rc = logp_observe(vp, 1, &how, &seen);     what messages take, over sizes
 *     else if (logp_vp_rank(vp) == 1)
 *         rc = logp_observe_serve(vp, 0);
 *     ...
 *     rc = logp_observed_estimate(seen, &found);              found.params, and how sure they are
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
LOGP_API int logp_observed_estimate(const struct logp_observed *observed, uint64_t seed,
                                    struct logp_found *found, struct logp_size_seen *by_size);

LOGP_END_DECLS

#endif
