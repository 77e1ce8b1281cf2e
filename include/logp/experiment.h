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
#include <logp/fault.h>
#include <logp/machine.h>

LOGP_BEGIN_DECLS

/** A start later than this (a preempted core) is not counted. */
#define LOGP_START_TOLERANCE_NS 1000

/** A repetition that has failed: of a run with faults (fault.h). */
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
LOGP_API struct logp_summary logp_summarize(int64_t *values, size_t n);

/**
 * Where the median of what n values were drawn from lies, with a probability of 95 % or more,
 * whatever its distribution: two of the values, as far from both ends of their order.
 * @param sorted  n values in ascending order
 * @return false: there are too few, n < 6
 * Source: David & Nagaraja, Order Statistics, 2003, 7.1.
 */
LOGP_API bool logp_median_interval(const int64_t *sorted, size_t n, struct logp_interval *out);

LOGP_END_DECLS

#endif
