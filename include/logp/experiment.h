/* SPDX-License-Identifier: MIT */
/**
 * @file experiment.h
 * Run an algorithm many times on a machine, check every result, and compare the times with the
 * prediction. `logp run`, the benchmarks and the tests use this function.
 * Unstable: this header may change in any version.
 *
 * Algorithms are planned and predicted for the network of the machine (logp_machine_network()).
 *
 * On a machine with faults or noise each repetition is a run with its own draws (the seed is
 * made of the experiment's seed and the number of the repetition). Repetitions that end with the
 * right result on all ranks are timed; the others are counted as failed, which is not an error.
 * There is no prediction, and barriers are not checked.
 *
 * A repetition starts at one time on all processors (logp_sync()), which is fixed in advance, and
 * ends when the last processor is done. It is repeated only if a core's scheduler missed the start
 * by more than LOGP_START_TOLERANCE_NS, at most reps/10 times in total.
 *
 * On a shared host a core may be away in a repetition. Such repetitions count as all others, and are
 * marked as disturbed. The record has the times of all, and those of the undisturbed ones.
 *
 * A barrier has no result to check, and processors that start at one time do not hold each other
 * back. So separate runs come first, in each of which one processor stays away: then no processor
 * may leave. With up to 8 processors each of them stays away once, with more a few drawn ones.
 */
#ifndef LOGP_EXPERIMENT_H
#define LOGP_EXPERIMENT_H

#include <logp/algorithm.h>
#include <logp/defs.h>
#include <logp/delay.h>
#include <logp/machine.h>

LOGP_BEGIN_DECLS

/** A repetition that starts later than this (a preempted core) is repeated. */
#define LOGP_START_TOLERANCE_NS 1000

/** A failed repetition of an experiment with faults (delay.h). */
struct logp_failed {
    int repetition; /**< among the counted ones, from 0 */
    int error;      /**< the result of logp_machine_run(); 0: the run ended, but with a wrong result
                         or with stopped processors */
    const struct logp_report *report;
    const int *wrong; /**< ranks without the right result, in ascending order */
    int n_wrong;
};

/** A repetition is disturbed only if a core was away for longer than this, and for longer than 1 % of the
 *  predicted time; without a prediction, of the median. */
#define LOGP_DISTURBED_BY_NS 2000

/** What became of a repetition. */
enum logp_run_state {
    LOGP_RUN_UNDISTURBED, /**< it was timed */
    LOGP_RUN_DISTURBED,   /**< it was timed, and a core was away for too long */
    LOGP_RUN_REPEATED,    /**< it started too late, and its time does not count */
};

/** A repetition of an experiment on the wall clock. Times in ns. */
struct logp_run_time {
    int64_t measured_ns, emulated_ns; /**< as in struct logp_record */
    int64_t absence_ns;               /**< logp_absence() */
    enum logp_run_state state;
};

/** An algorithm and the number of its runs. */
struct logp_experiment {
    size_t size;                            /**< of this struct */
    const struct logp_algorithm *algorithm; /**< of the table, or your own */
    int reps;                               /**< counted runs, >= 1 */
    int warmup;                             /**< uncounted runs before the counted runs, >= 0 */
    int64_t timeout_ns;                     /**< for all runs; 0: none */
    uint64_t seed;                          /**< of the operands */
    enum logp_basis by;                     /**< the basis of the prediction */
    /** Wall clock: stop before reps, when both ends of the median's interval are within this many
     *  millionths of the median; 0: never. */
    int64_t precision_ppm;
    int64_t limit_ns; /**< wall clock: no counted run begins later than this after the first; 0:
                           none */
    /** Called from time to time by a vp, between repetitions; NULL: not wanted. The record then
     *  holds the prediction and the times of the runs counted so far, except perhaps the last few.
     */
    void (*progress)(void *arg, int done, int total);
    void *progress_arg;
    /** Called after each failed repetition, between runs; `failed` is valid until it returns. NULL:
     *  not wanted. */
    void (*failed)(void *arg, const struct logp_failed *failed);
    void *failed_arg;
    struct logp_args args;
    /** Out: P times, NULL: not wanted. Of each rank the mean over the counted runs of the time from
     *  the common start to its own end, in ns (wall clock: on the wall clock), as the OSU
     *  benchmarks have it; -1: no run was counted, or there are faults. */
    int64_t *rank_ns;
    int64_t
        disturbed_by_ns; /**< wall clock: a repetition is disturbed if a core was away for longer;
                                  0: LOGP_DISTURBED_BY_NS */
    /** Out: reps + reps/10 entries, NULL: not wanted. Wall clock, process of rank 0: record->reps +
     *  record->restarts repetitions, in the order in which they ran. */
    struct logp_run_time *runs;
    /** When each rank begins, as logp_network.arrivals: in each repetition it waits until then. NULL:
     *  all begin at the common start */
    const int64_t *arrivals;
};

/** Order statistics of a sample. Percentiles are nearest ranks. */
struct logp_summary {
    int64_t min_ns, median_ns, p90_ns, p99_ns, max_ns;
};

/** The ends of an interval. */
struct logp_interval {
    int64_t low_ns, high_ns;
};

/** The result of an experiment; times in ns. */
struct logp_record {
    int P;
    int reps;     /**< timed repetitions; fewer than asked for if the run was stopped, was precise
                 enough, or some have failed */
    int restarts; /**< repetitions that were repeated */
    struct logp_prediction prediction;
    bool has_measured;            /**< wall clock: measured is valid */
    bool has_emulated;            /**< virtual clock, or a delay model: emulated is valid */
    bool has_lag;                 /**< wall clock and a delay model: lag is valid */
    struct logp_summary measured; /**< wall clock, from the common start to the end of the last vp
                                       */
    struct logp_summary emulated; /**< the same on the vps' clocks */
    /** The 95 % interval of the median, of `measured` or, under the virtual clock, of `emulated`:
     *  logp_median_interval(). With an exact prediction under the virtual clock: the median. */
    struct logp_interval interval;
    bool has_interval; /**< interval is valid: there were enough runs */
    struct {
        int64_t median_ns, p99_ns, max_ns;
    } lag;             /**< by how much the host returned too late from waits: struct logp_report */
    uint64_t messages; /**< of one repetition */
    bool verified;     /**< reps > 0, all results of all repetitions were right, and no vp left a
                            barrier too early. A list of steps has no result: all vps have reached
                            its end */
    int wrong_rank;    /**< a rank with a wrong result, or that left a barrier too early; -1: none
                            */
    int failed;        /**< with faults: repetitions without the right result on all ranks */
    struct logp_fault_counts struck; /**< with faults: sums over all counted repetitions */
    int64_t clock_error_ns;          /**< logp_machine_clock_error(); -1: there is one process */
    /** The first wrong element of wrong_rank: "element 3 of 8 (from 0) is 0, expected 12"; bytes
     *  are hexadecimal. "": no element was wrong, or there are faults */
    char wrong[128];
    int late_starts; /**< counted repetitions that a core began too late: no more could be repeated */
    /** Wall clock: timed repetitions in which a core was away for longer than disturbed_by_ns, and the
     *  times of the other ones (zeroes where there are none). */
    int disturbed;
    int64_t disturbed_by_ns;
    struct logp_summary undisturbed;
    int64_t absence_median_ns; /**< wall clock: the median of the longest absence in each */
};

/**
 * Run an experiment on a machine that is not running, and predict its time, unless the delay model
 * is `none`. A machine that records (trace.h) keeps the last repetition, from its common start.
 * @param experiment  copied; the data that it points to must stay until the function returns and
 *                    logp_machine_busy() is false
 * @param record      out: filled as far as possible after an error, too. After -ETIMEDOUT, while
 *                    logp_machine_busy(), some memory of the experiment stays allocated
 * @return 0 (check record->verified); -EINVAL (size, reps, warmup, a negative time or precision,
 *         root, a row that is too small, an unknown collective), -E2BIG (a larger struct with
 *         members that this library does not know), -ENOTSUP (logp_algorithm_needs()), -ENOMEM; or
 *         as logp_machine_run(), whose report has the details
 */
LOGP_API int logp_experiment_run(struct logp_machine *machine,
                                 const struct logp_experiment *experiment,
                                 struct logp_record *record);

/** Measured median (virtual clock: emulated) divided by the prediction; 0: there is none. */
LOGP_API double logp_record_ratio(const struct logp_record *record);

/** Whether the host was too busy to measure: fewer than a third of the timed repetitions are
 *  undisturbed. */
LOGP_API bool logp_record_too_busy(const struct logp_record *record);

/** The median of the undisturbed repetitions, divided by the prediction.
 *  @return 0 if all repetitions were disturbed, or without a prediction */
LOGP_API double logp_record_undisturbed_ratio(const struct logp_record *record);

/** Order statistics of n >= 1 values. The values are sorted in place. */
LOGP_API struct logp_summary logp_summary_of(int64_t *values, size_t n);

/**
 * An interval that contains the median of the distribution of n values with a probability of at
 * least 95 %, whatever the distribution. Its ends are two of the values.
 * @param sorted  n values in ascending order
 * @return false: there are too few values, n < 6
 * Source: David & Nagaraja, Order Statistics, 2003, 7.1.
 */
LOGP_API bool logp_median_interval(const int64_t *sorted, size_t n, struct logp_interval *out);

/* ---- measure ---- */

/*
 * Functions for a measuring loop of your own, in which all vps start at one time and rank 0 decides
 * whether a repetition counts. logp_experiment_run() uses them too.
 *
 *     logp_sync(vp, &start);
 *     ...the measured code...
 *     end[rank] = logp_clocks(vp, &wall_end[rank]);
 *     logp_sync(vp, NULL);      all have ended
 *     if (rank == 0)            no vp is timed now
 *         counts = logp_start_late(vp) <= 1000;
 *     logp_sync(vp, NULL);      all see the decision
 *
 * Threads: as in vp.h, each function on the thread of its vp only.
 */

/** logp_now() and logp_wall_now() with one reading of the clock.
 *  @param wall_ns  out: the wall clock
 *  @return this vp's clock */
LOGP_API int64_t logp_clocks(struct logp_vp *vp, int64_t *wall_ns);

/**
 * Return by how much the schedulers missed the start before this one: the maximum over the cores,
 * in ns. A core that waited for the start in time counts 0 to a few hundred. Call it between two
 * logp_sync(), after the one that follows the start in question.
 */
LOGP_API int64_t logp_start_late(const struct logp_vp *vp);

/**
 * Return the longest absence of a core between the start before this one and the arrival of its last
 * vp at the next logp_sync(): the maximum over the cores of this process, in ns. Call it when
 * logp_start_late() may be called.
 *
 * A core is absent while the host runs something else on it. In a wait, and where the core is handed
 * over to another vp meanwhile, an absence is the longest time between two readings of the clock. For the
 * time between two calls of the library it is the time since the start, less the processor time of the
 * core's threads: the sum of all absences, and the time that a program sleeps by itself. Without a delay
 * model the clock is read in waits for messages of other cores only. What a hypervisor takes is seen in
 * waits only, and so is all with a clock of your own (logp_config.time_ns). Where a vp is in a blocking section
 * between the two calls, nothing is subtracted. Under the virtual clock: 0.
 */
LOGP_API int64_t logp_absence(const struct logp_vp *vp);

/* ---- parameters ---- */

/*
 * Measure L, o_send, o_recv, g, G and gamma of any message-passing system. A program of two
 * processors does this without any knowledge of the model or the transport.
 *
 *     if (logp_vp_rank(vp) == 0)
 *         rc = logp_observe(vp, 1, &how, &seen);     times of messages by size
 *     else if (logp_vp_rank(vp) == 1)
 *         rc = logp_observe_serve(vp, 0);
 *     ...
 *     rc = logp_observed_estimate(seen, seed, &found, NULL);   found.params and their intervals
 *     logp_observed_free(seen);
 *
 * The method is that of Hoefler et al.: parametrised round trips of n messages of s bytes with a
 * wait of d between them, on the clock of one processor, so that no two clocks are compared.
 *
 *     round trip of one message, n = 1      2 (L + o_send + o_recv + (s-1)G)
 *     n at once, less that of one           (n-1) max(o_send, o_recv, g + (s-1)G)
 *     n sent, waits d longer than a gap     n o_send
 *     n received, which are there           n o_recv
 *
 * The median of each kind of time counts. For the last two it is the lower octile: they concern one
 * processor only, and disturbances can only delay it.
 *
 * Lines are fitted to the first two over s by least squares. If one line does not fit, the protocol
 * changes with the size (struct logp_protocol).
 *
 * A gap that no rate depends on cannot be measured. g follows from a rate that the gap limits,
 * not an overhead, at one end at least, or, if G > 0, from long messages extrapolated to size 1.
 * Otherwise only g <= the smaller overhead is known, and nothing that two processors do depends
 * on g (g_hidden). If the latency varies, L is its median.
 *
 * Sources: Culler, Liu, Martin, Yoshikawa, IEEE Micro 16(1), 1996; Hoefler, Lichei, Rehm, IPDPS
 * 2007 (netgauge).
 */

/** The kinds of timings, on the clock of one processor, with messages of one size. Deliberate waits
 *  are subtracted. */
enum logp_timing {
    LOGP_TIMING_ROUND,    /**< a message and its answer */
    LOGP_TIMING_SPACED,   /**< the sends of n_spaced messages, each after the gap of the send before
                             */
    LOGP_TIMING_SENT,     /**< the sends of n_burst messages without waits */
    LOGP_TIMING_BURST,    /**< the same, and the receive of an answer to the last one */
    LOGP_TIMING_TAKEN,    /**< the receives of n_spaced messages that have arrived, each after the
                             gap of the receive before */
    LOGP_TIMING_RECEIVED, /**< the receives of n_burst messages that have arrived, without waits */
    LOGP_TIMING_TURN,     /**< a send, and the receive of a message that has arrived */
    LOGP_TIMINGS,         /**< how many there are */
};

/** The timings of one size. */
struct logp_observation {
    size_t n_bytes;
    size_t n[LOGP_TIMINGS];          /**< number of times */
    int64_t *times_ns[LOGP_TIMINGS]; /**< in the order of measuring */
};

/** The time of the root of a reduction of two operands, when the other operand has arrived. */
struct logp_combined {
    int64_t count;     /**< doubles */
    size_t n;          /**< number of times */
    int64_t *times_ns; /**< in the order of measuring */
};

/** All timings of a machine. */
struct logp_observed {
    size_t size; /**< of this struct in the library: it may have grown */
    int n_spaced, n_burst;
    struct logp_observation *sizes; /**< ascending */
    size_t n_sizes;
    struct logp_combined *combined;
    size_t n_combined;
};

/** The settings of a measurement. Zero is a good default of each field but the first. */
struct logp_observe {
    size_t size;           /**< of this struct */
    size_t bytes_low;      /**< the smallest message; 0: 1 */
    size_t bytes_high;     /**< the largest; 0: 1 MiB */
    int reps;              /**< of each timing, at least 3; 0: 100 */
    int64_t limit_ns;      /**< of each timing; after it ten are enough; 0: none */
    int64_t size_limit_ns; /**< above 4 KiB, the size at which a round trip takes this long is the
                                last one; 0: no limit */
    int64_t combine_high;  /**< measure gamma with reductions of up to this many doubles; 0: do not
                                measure it */
    /** Called between timings, with the sizes and reductions that have been timed, out of so many; NULL:
     *  not called. Its time is in none of them. Thread: that of logp_observe(). */
    void (*progress)(void *arg, int done, int total);
    void *progress_arg; /**< passed to progress */
};

/**
 * Time messages between this processor and a peer, which calls logp_observe_serve(). Sizes:
 * bytes_low, the powers of two from 16 on, and bytes_high.
 * Threads: as vp.h.
 * @param out  out: free it with logp_observed_free()
 * @return 0; -EINVAL (size, the sizes, reps, a negative number, peer), -E2BIG, -ENOMEM, or as
 *         logp_send() and logp_recv()
 */
LOGP_API int logp_observe(struct logp_vp *vp, int peer, const struct logp_observe *how,
                          struct logp_observed **out);

/** Serve the peer, which calls logp_observe(), until it is done. @return as logp_observe() */
LOGP_API int logp_observe_serve(struct logp_vp *vp, int peer);

/** NULL is allowed. */
LOGP_API void logp_observed_free(struct logp_observed *observed);

/* ---- estimates ---- */

/** A number of ns and its 95 % interval: from 200 resamplings of the timings, and, if the times are
 *  farther from the line than they vary, from the residuals (Birge, Phys. Rev. 40, 1932). */
struct logp_estimated {
    double ns, low_ns, high_ns;
};

/** A range of sizes with one set of parameters. */
struct logp_protocol {
    size_t from, to;   /**< measured sizes */
    double L_ns;       /**< of one byte, extrapolated from this range */
    double wire_G_ns;  /**< of a byte, from end to end */
    double g_ns, G_ns; /**< of consecutive messages; < 0: overheads hide it */
    double error;      /**< the largest relative difference between a time and its line */
};

/** Whether sends and receives share the gap. */
enum logp_gap_seen { LOGP_GAP_UNSEEN, LOGP_GAP_SEPARATE, LOGP_GAP_SHARED };

/** Bytes of logp_found.doubtful. */
#define LOGP_DOUBT 128

/** A protocol with a larger error is doubtful. On idle hosts caches and copies make times differ
 *  from lines by up to a third. */
#define LOGP_UNEXPLAINED 0.5

/** The estimated parameters. */
struct logp_found {
    size_t size;               /**< of this struct in the library: it may have grown */
    struct logp_params params; /**< in whole ns and ps; for the model `delay` */
    const char *delay; /**< the built-in model: loggp, or store-forward if L grows with the size
                            and the gap does not */
    struct logp_estimated L, o_send, o_recv, g, G, gamma;
    bool L_hidden; /**< the overheads are longer than half a round trip: L is taken as 0 */
    bool g_hidden; /**< only g <= this value is known */
    bool has_gamma;
    enum logp_gap_seen gap;
    struct logp_protocol protocols[8]; /**< ascending; L and g are of the first, G is of the last */
    int n_protocols;
    size_t n_times, n_left_out; /**< times, and outliers among them: farther from the quartiles
                                   than three times their distance, a hundredth of the median and
                                   20 ns */
    bool exact;   /**< all times of a kind were equal: the values are exact if the model holds */
    double error; /**< the largest of the protocols */
    /** The reason why the figures are not reliable: a time is below 0, or differs from its line by
     *  half of it or more. Other work on the host causes this: measure again. "": they are
     *  reliable. */
    char doubtful[LOGP_DOUBT];
};

/** The medians (octiles) of one size that the estimate is made from: per message, in ns. */
struct logp_size_seen {
    size_t n_bytes;
    /* a time below 0 counts as 0 if its uncertainty includes 0; otherwise: found.doubtful */
    double one_way; /**< half a round trip */
    double o_send, o_recv;
    double apart; /**< from one message to the next, at the slower end */
    double sent_apart, received_apart;
};

/**
 * Estimate the parameters from timings. Pure: the timings may come from anywhere.
 * @param seed     of resampling
 * @param found    out
 * @param by_size  out: observed->n_sizes; NULL: not wanted
 * @return 0; -EINVAL (no sizes; a size without a timing), -ENOMEM
 */
LOGP_API int logp_observed_estimate(const struct logp_observed *observed, uint64_t seed,
                                    struct logp_found *found, struct logp_size_seen *by_size);

LOGP_END_DECLS

#endif
