/* SPDX-License-Identifier: MIT */
/**
 * @file check.h
 * A test kit. It runs a program of P processors under the virtual clock many times, each time in
 * another order of events, until a run fails. It then reports the failure in words, makes it
 * smaller, and keeps it as a text that replays it.
 *
 *     static int program(struct logp_vp *vp, void *arg);
 *
 *     struct logp_check check = {.sizes = (int[]){2, 3, 8}, .n_sizes = 3, .runs = 1000, .seed = 1};
 *     struct logp_failure failure;
 *     int rc = logp_check(program, arg, &check, &failure);   // 0, or the error of the failure
 *
 *     if (rc != 0)
 *         fputs(failure.text, stderr);
 *     logp_failure_free(&failure);
 *
 * (C++ also needs `struct` in `struct logp_check check`: the name alone is the function.)
 *
 * A run fails if
 *   - the program of a vp returns an error, or a condition of LOGP_CHECK() does not hold,
 *   - vps call different collectives, or one with another root, size or operation,
 *   - a request is completed twice, a receive is posted into the buffer of another one that is not
 *     complete, or a request is never completed (but see leaves_requests),
 *   - every vp waits and no message is under way (deadlock), or a vp does not return (timeout),
 *   - the function `after` returns an error, or a message is left over (but see leaves_messages),
 *   - it ends the process (see below).
 *
 * An untimed check (no network) varies which vp runs next, and the following:
 *
 * - A receive takes the first message of a source and tag that it fits. Receives take messages in
 *   the order of posting. The time of the match is open: a posted receive (logp_irecv()) may take
 *   a message at any time, whatever its vp does meanwhile.
 * - A probe finds any message that no posted receive takes. A receive may then take another one.
 * - A test, a probe, or a wait with an end may miss a message that is there: `misses` times in a
 *   row, and more often if no other vp can run. It does not miss a buffered send, which is
 *   complete at once.
 * - A send of logp_isend() that waits for its receiver (sends) is complete when a receive has taken
 *   its message. From then on a test finds it complete or misses it. The receive gets the payload
 *   whatever the sender does afterwards.
 * - logp_waitany() and logp_testany() take any request that could be complete: a receive even if a
 *   send is complete, and of two receives of one source also the one posted later.
 * - logp_cancel() comes before any message, or after a message, and then returns -EINPROGRESS.
 *
 * In a timed check (network) a send of logp_isend() that waits is complete L after its message was
 * taken. If the clock allows several requests, or both outcomes of a cancel of a receive from any
 * source, the outcome is a choice. A receive from a named source is matched when its message is
 * sent, and from then on a cancel comes too late.
 *
 * Rules for the program:
 *
 * - Memory: all runs share one process. Memory of the program keeps its contents from run to run.
 *   `before` can reset it.
 *
 * - Time: only logp_compute(), sleeps and the delay model take time. Each poll (probe, test) of a
 *   loop is charged. A loop that only reads logp_now() is charged for each reading after the first
 *   1000 in a row, and lets other vps run.
 *
 * - Busy loops: a loop that neither calls the library nor ends stops everything. The timeout of
 *   the run names its rank, and logp_check() returns -ETIMEDOUT. Its machine is abandoned, since
 *   the loop still runs on it.
 *
 * - Shared memory: name objects that vps share other than by messages (logp_shared_touch()), or
 *   exhaustive leaves out orders. A loop that waits for shared memory to change must call
 *   logp_yield().
 *
 * - Locks: another vp can run only inside a call of vp.h. So a mutex that is locked and unlocked
 *   between two calls is always free. If a vp holds a plain mutex across a call, another vp that
 *   locks it waits for ever, and the timeout names it; use pthread_mutex_trylock() in a loop with
 *   a poll or a sleep. A PTHREAD_MUTEX_ERRORCHECK mutex returns EDEADLK. A recursive mutex lets all
 *   vps in, since fibers are one thread.
 *
 * - Threads: threads of the program may compute and be joined. They must not call functions of
 *   vp.h, and the kit does not control their order.
 *
 * - Crashes: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and SIGABRT (assert(), an exception that
 *   nothing catches), on vps, in functions of the check and, if there is one check at a time, on
 *   any thread. A handler writes the replay file, and rank, run and seed on stderr. With glibc 2.34
 *   or later, child processes then repeat the run, make the failure smaller for at most 20 s and
 *   print it, unless as_found is set; functions of the check are called there, too. Then the
 *   previous handler of the signal is called, or the process ends by the signal. Ignored signals
 *   stay ignored. A call of exit() or quick_exit() during a run is also written, and the process
 *   ends with EXIT_FAILURE without the functions of atexit(). _exit() is not noticed.
 *
 * - Stack: fibers have stack_bytes each. Errors are return values: no call jumps over a frame, and
 *   destructors run.
 */
#ifndef LOGP_CHECK_H
#define LOGP_CHECK_H

#include <logp/delay.h>
#include <logp/machine.h>
#include <logp/vp.h>

LOGP_BEGIN_DECLS

/** The ways in which runs differ from each other. */
enum logp_strategy {
    LOGP_STRATEGY_RANDOM, /**< each choice is random */
    LOGP_STRATEGY_PCT,    /**< each run draws priorities of the processors and d - 1 steps at which
                               they change. A run finds a bug that needs d events in one order with
                               a probability of at least 1 / (P k^(d-1)), with k steps in the run.
                               Burckhardt et al., ASPLOS 2010. Events are steps of processors; the
                               choice between messages is random. In three of four runs of an
                               untimed check that varies both, messages and touches have the
                               priorities, and the number of changes is drawn */
    LOGP_STRATEGY_EXHAUSTIVE, /**< each different outcome of receives, polls, waits, cancels,
                                 logp_shared_touch() and logp_choose() once. Vps must share nothing
                                 but messages and the objects that they touch. Runs in which each vp
                                 sees the same events in the same order count as one (source sets:
                                 Abdulla et al., POPL 2014) */
    LOGP_STRATEGY_DELAYS, /**< runs without a deviation from the usual order, then all with one, then
                               some with two, three, ... So the first failure that is found is
                               nearly the smallest. Emmi, Qadeer, Rakamaric, POPL 2011 */
};

/** The sends that wait for their receiver (logp_network.rendezvous_from). */
enum logp_sends {
    LOGP_SENDS_BUFFERED,    /**< none */
    LOGP_SENDS_LIMITED,     /**< sends of network->rendezvous_from bytes or more; 0: all sends */
    LOGP_SENDS_SYNCHRONOUS, /**< all: a program must not rely on buffers */
    LOGP_SENDS_VARIED,      /**< a random one of these three in each run. Not with exhaustive */
};

struct logp_note;

/**
 * The largest number of faults of each kind in a run. Each fault is a choice: it is drawn or tried
 * like all others, it is in replays, and a smaller failure has fewer of them.
 *
 * A vp crashes at the beginning of a call that sends, receives, waits, probes, computes, sleeps,
 * yields, touches an object, or makes something durable. This call and all later ones of these
 * kinds return -EHOSTDOWN. The program must return then; its result and its checks do not count.
 * Messages that it has sent still come.
 *
 * If it restarts, the program is called once more on the same rank, and logp_recover() gets the
 * bytes that logp_durable() has kept. Messages that no receive has taken are still there, and so is
 * that of a blocking receive: the bytes that logp_recv_with() cut off or gave to a drain are
 * zeroes. A receive of logp_irecv() may have taken its message, which is lost then. Counters of
 * collectives are not reset. A vp does not restart while one of its sends waits for the receiver,
 * or a nonblocking collective is under way.
 */
struct logp_fault_limits {
    int crashes;  /**< vps that end */
    int restarts; /**< vps that crash and start again */
    /** Messages that never come. Untimed checks only. Messages of collectives, also of those that
     *  create groups, are neither lost nor doubled. */
    int lost;
    int doubled;    /**< messages that come twice; the copy comes at once, or after any later
                         messages of its source (see keeps_order). Untimed checks only */
    int partitions; /**< times at which one vp is cut off: messages that are sent from it or to it
                         are lost until the partition heals, which is a choice, too; not those of
                         collectives. Untimed checks only, not with exhaustive */
};

/**
 * The places of faults. In a mask, bit i is that of rank or tag i, and bit 63 also that of all
 * larger ones. 0: everywhere.
 */
struct logp_fault_places {
    uint64_t ranks;     /**< the vps that crash and restart */
    uint64_t senders;   /**< messages from one of these ... */
    uint64_t receivers; /**< ... to one of these ... */
    uint64_t tags;      /**< ... with one of these tags are lost, doubled and overtaken */
    uint64_t half; /**< a partition cuts these vps off from all others, but not from each other;
                             0: it cuts off one vp, any */
    bool one_way;  /**< a partition loses only the messages that the half, or the vp, sends */
};

/** The result of a check for one number of processors. */
struct logp_checked_size {
    int P;
    uint64_t runs; /**< as logp_checked.runs */
    uint64_t
        outcomes; /**< different outcomes of these: runs in which a vp saw, found, missed, chose
                            or returned something else, or vps touched an object in another order.
                            2^20 at most are counted, by hashes of 64 bits */
    uint64_t last_new; /**< the number, from 0, of the run with the last new one */
};

enum { LOGP_CHECKED_SIZES = 16 };

/** The result of a check, whether it failed or not. */
struct logp_checked {
    uint64_t runs;       /**< without the runs that make a failure smaller */
    uint64_t executions; /**< exhaustive: orders of dependent events, faults among them. Those that
                               differ only in a fault that no vp notices have one outcome
                               (by_size) */
    bool complete;       /**< exhaustive: these are all outcomes, and no bound was reached */
    uint64_t choices;    /**< the largest number in a run */
    double chance;       /**< PCT: 1 / (P k^(d-1)) for the largest P and k of all runs, or a quarter
                              of it if processors have the priorities in one of four runs; 0: no
                              bound holds, since a vp polls, or runs are so long that they end with
                              random choices (so that no vp starves) */
    char text[320];      /**< a line: "12 of 12 executions explored"; or the reason for the refusal:
                              "faults: only with params" */
    uint64_t cut;        /**< runs that were longer than most_steps */
    uint64_t regressions; /**< replay files that were run */
    uint64_t fixed; /**< of these, the ones that do not fail any more, with the same choices */
    struct logp_checked_size by_size[LOGP_CHECKED_SIZES]; /**< of the first 16 sizes */
    int n_by_size;
};

/** The settings of a check: logp_check(). Zero is a good default for every field. A size of 0 means the fields up to `checked`. */
struct logp_check {
    size_t size;
    const int *sizes; /**< the values of P, best in increasing order; NULL: 2, 3 */
    int n_sizes;
    uint64_t runs; /**< for each size; 0: 1000. Exhaustive: the limit; 0: 10^6 */
    uint64_t seed; /**< of all random draws */
    enum logp_strategy strategy;
    int depth;       /**< PCT: d, at most 1000; 0: 3. Exhaustive: how many choices of a run are
                          varied, the first ones; 0: all */
    int64_t time_ns; /**< the check ends after this time of the host; 0: no limit. The remaining
                          time is divided equally among the remaining sizes */
    int misses;      /**< how many polls of a vp in a row may miss a message; 0: 3 */

    /** The network of the runs. NULL or undelayed: the check is untimed. Any vp that can continue
     *  may run next, and any message that has been sent may come, or come too late for a poll or
     *  a wait with an end. Otherwise the clock orders events, and choices are between events at one
     *  time; not with exhaustive. Each run draws latencies, faults and noise anew. A failure keeps
     *  the ones that it needs, and each fault of a message counts as a choice. */
    const struct logp_network *network;
    enum logp_sends sends;
    bool fixed_order;   /**< do not vary which vp runs next */
    bool fixed_matches; /**< do not vary which message a receive takes */

    bool all_received; /**< a message that is left over is a failure with faults, too */
    int (*before)(int P, void *arg); /**< before each run; not 0: the check ends and returns it */
    /** After each run that has not failed; not 0 (usually a negative errno): the run fails.
     *  `before` and `after` are called on any thread, one at a time. They must not contain an
     *  assertion of a test framework that jumps. */
    int (*after)(const struct logp_report *report, void *arg);

    int64_t timeout_ns;      /**< of one run, on the host's clock; 0: 10 s */
    size_t stack_bytes;      /**< of each vp; 0: 256 KiB */
    const char *executor;    /**< NULL: "fiber". "thread" is much slower, for debuggers */
    int smallest;            /**< the smallest P of a smaller failure; 0: the smallest of sizes */
    bool as_found;           /**< do not make the failure smaller */
    const char *name;        /**< of the program, for texts and replay files; NULL: "program" */
    const char *replay_file; /**< the file for the replay of a failure; NULL: see the variable
                                      LOGP_REPLAY_DIR at logp_check() */
    /** Events of one run, at most; 0: 200 000. A longer run is cut: it has no result, `checked.cut`
     *  counts it, and the check is not complete. If the first 4 runs of a size are all cut, the
     *  check fails with LOGP_FAILURE_LIVELOCK; an exhaustive one only if the program has not called
     *  logp_choose() in the last of them, or if it cuts all that it explores of a size. */
    uint64_t most_steps;
    bool must_end; /**< a run that is cut is a failure (LOGP_FAILURE_LIVELOCK) */
    /** Called at each event of each run, in order, by the vp that holds the processor; for monitors
     *  of a whole run. It must not call functions of the library. Not 0: the run fails, as with
     *  `after`. */
    int (*event)(const struct logp_note *note, void *arg);
    int twice_every; /**< one in this number of runs is made twice, and the two must be the same;
                          0: 64; negative: no run. checked.runs counts these once. Each failure is
                          made twice in any case */
    /** A folder of replay files. Those of this program, with a P from the least of `sizes` (or
     *  smallest) to the largest, are run first, in the order of their names (*.replay). One that
     *  fails is the failure of the check. failure.text has a line for each that does not fail any
     *  more, also if the check passes. NULL: none. LOGP_CHECK_REGRESSIONS replaces this folder */
    const char *regressions;
    bool leaves_messages; /**< the program may end before all messages are received: heartbeats, the
                               votes after a majority */
    struct logp_checked checked; /**< out */
    /** The number of processes that share the runs, at most 256; 0, 1: only this one. A random
     *  check finds the same failure and the same outcomes as with one process. So does an
     *  exhaustive one, also with a limit of runs, and all numbers are the same; if it ends early,
     *  it makes some more runs than it counts. With time_ns it is open which runs it counts. The
     *  functions of the check, and the program, run in child processes, and their changes to memory
     *  are lost, except in the first 16 runs of each size of an exhaustive check. The failure that
     *  is found is repeated in this process. A run of more than 65 536 choices that fails in a
     *  child is -ECHILD */
    int cores;
    /** Faults that the check chooses. With them, a message that is left over is not a failure, but
     *  see all_received. Exhaustive: a vp that restarts must not have left receives posted */
    struct logp_fault_limits most_faults;
    bool leaves_requests; /**< a program may end before all its requests are completed */
    bool poison; /**< the buffer of logp_isend() must not change before a call has found the send
                      complete, as MPI demands; logp_isend() itself copies it */
    struct logp_fault_places fault_places;
    /** The largest number of messages in a run that later ones of the same source pass, as on a
     *  network that reorders (UDP, several connections). A receive, wait or probe may then take a
     *  message although an earlier one of its source is there that it fits, too; it is a choice, and
     *  the first of all is that no message is passed. Not those of collectives. Checks that vary
     *  matches only; 0: none. In a timed check a wait for one receive may also take a message that is
     *  under way, when the earlier one arrives, and sends that wait for their receivers pass none */
    int most_overtaken;
    bool keeps_order; /**< the copy of a message that is doubled comes at once: messages of one
                           source never overtake each other, as MPI demands. Not with
                           most_overtaken */
    /** Further runs that are made after a failure of an untimed check, to find the same failure with
     *  fewer deviations: all with one deviation, and then runs near the failure, which have other
     *  deviations in place of some of its own, and runs with other seeds, for at most 5 s.
     *  0: as many as were made until the failure, at least 8000; negative: none */
    int64_t smallest_runs;
    /** Labels that runs are expected to reach: LOGP_REACHED(). checked.text names one that no run
     *  has reached, since the check may check nothing; failure.text has the number of runs of each, also if the
     *  check passes. NULL: those that are reached */
    const char *const *labels;
    int n_labels;
    /** Labels that each run must reach before it ends: liveness. A run that ends without one is a
     *  failure (LOGP_FAILURE_LIVELOCK), and so is one that is cut after most_steps events, where
     *  orders are fair: with LOGP_STRATEGY_RANDOM and LOGP_STRATEGY_DELAYS */
    const char *const *must_reach;
    int n_must_reach;
    /** The names of tags 0, 1, ..., for texts, traces and pictures; NULL: a tag has no name */
    const char *const *tag_names;
    int n_tag_names;
    /** Describe the payload of a message, for texts, traces and pictures: "vote, term 2". Called
     *  by the sender in runs that are reported, in its send. It must not call functions of the
     *  library.
     *  @param text  out: a text with its 0, of at most `size` bytes; "" at first. NULL: payloads
     *               have no description */
    void (*describe)(void *arg, int tag, const void *data, size_t n_bytes, char *text, size_t size);
    /** A call that would return -EHOSTDOWN, since the vp has crashed, ends the program instead, by a
     *  longjmp() out of all its frames: callbacks of a library need not hand the error on. All
     *  frames must be C, and their memory, files and locks are leaked */
    bool leaves_frames;
};

#ifndef __cplusplus
/**
 * The network of a timed check, with these fields of struct logp_params:
 *
 *     struct logp_check check = {.network = LOGP_NETWORK(.L_ns = 6000, .o_send_ns = 2000,
 *                                                        .o_recv_ns = 2000, .g_ns = 4000)};
 *
 * It lives as long as the block around it.
 */
#define LOGP_NETWORK(...) (&(struct logp_network){.params = {__VA_ARGS__}})
#endif

/** The kinds of failures. */
enum logp_failure_kind {
    LOGP_FAILURE_NONE,
    LOGP_FAILURE_ERROR,    /**< the program of `rank` returned `error` */
    LOGP_FAILURE_ASSERTED, /**< -EPROTO: LOGP_CHECK() sets file, line, expression, rank, time_ns; or
                                 calls of collectives differ, or a request or its buffer is used
                                 wrongly: file is NULL, and the text names the calls */
    LOGP_FAILURE_DEADLOCK, /**< -EDEADLK: all vps wait */
    LOGP_FAILURE_TIMEOUT,  /**< -ETIMEDOUT: `rank` does not return; -1: unknown */
    LOGP_FAILURE_AFTER,    /**< `after` returned `error` */
    LOGP_FAILURE_LEFT_OVER,    /**< -EBADMSG: n_left_over messages were never received */
    LOGP_FAILURE_LIVELOCK,     /**< -ELOOP: a run has not ended within most_steps; the check forbids
                                 that, or no run of this size has ended; or it has not reached a
                                 label of must_reach */
    LOGP_FAILURE_CRASHED,      /**< `error` is the signal that ended the process, or 0: a sanitizer
                                    has; only in replays */
    LOGP_FAILURE_EXITED,       /**< 0: the process has called exit(); only in replays */
    LOGP_FAILURE_UNCONTROLLED, /**< -ESTALE: two runs with the same choices differed, and no other
                                    failure was found; or a failure does not recur in a fresh
                                    process, so it depends on earlier runs */
};

/** A failure and its replay. Free it with logp_failure_free(). */
struct logp_failure {
    enum logp_failure_kind kind;
    int error;        /**< the result of logp_check() */
    int P;            /**< the smallest P that fails */
    int rank;         /**< -1: no single rank */
    int64_t time_ns;  /**< the clock of that rank */
    const char *file; /**< of LOGP_CHECK(); valid while the program is loaded */
    int line;
    const char *expression;
    uint64_t n_left_over;
    uint64_t run;           /**< the number of the failing run, from 0 for each size */
    int n_choices;          /**< choices in the run */
    int n_deviations;       /**< choices that differ from the default order */
    bool needs_synchronous; /**< the program relies on buffers: it fails only if sends wait for
                                 their receivers */
    bool uncontrolled;      /**< the same choices gave another run: the program depends on something
                                 else. `text` has the first choice that differs; the failure was not
                                 made smaller */
    char *text;   /**< the report: the waits, the choices that matter, the last events of each rank.
                       Runs, choices and messages count from 1. If the check was refused: the
                       reason. Never NULL after logp_check(); "" if there is nothing to report */
    char *replay; /**< the contents of a replay file, with the command line of this process; NULL
                       without a failure */
};

/**
 * Run a program with all sizes and many orders, until a run fails or all runs are done.
 *
 * Environment variables replace these fields of all checks, and failure.text names the variables:
 *   LOGP_CHECK_RUNS=N      runs
 *   LOGP_CHECK_SECONDS=X   time_ns
 *   LOGP_CHECK_SEED=N      seed
 *   LOGP_CHECK_STRATEGY=S  random, pct, exhaustive or delays
 *   LOGP_CHECK_SMALLEST=N  smallest_runs, and 0 for none; failure.text does not name it
 *   LOGP_CHECK_CORES=N     cores, which failure.text does not name
 *   LOGP_CHECK_REGRESSIONS=DIR  regressions
 * A wrong value, and another name that begins with LOGP_CHECK_, are -EINVAL, with the reason in failure.text.
 *
 * Further variables keep and repeat failures, for example of a test on another host:
 *   LOGP_REPLAY_DIR=DIR  write the replay of a failure to DIR/NAME-pP-SEED.replay. DIR is made if
 *                        it is missing. A line of failure.text names the file, or the reason for
 *                        which it was not written. A crash leaves DIR/NAME-pP-SEED-crash.replay
 *   LOGP_REPLAY=FILE     replay this failure and run nothing else. It concerns each logp_check()
 *                        of a program with this name whose sizes include or enclose its P; other
 *                        checks return 0. Name the programs if there are several. Under a debugger
 *                        there is no timeout, unless the failure is one. `logp replay FILE` starts
 *                        the process of the failure in this way and reports the result
 *   LOGP_REPLAY_EXECUTOR=NAME  the executor of the replay, for example "thread"
 *   LOGP_CHECK_JUNIT=FILE  the results of all checks of the process as JUnit XML; FILE is written anew
 *                          after each check. -EINVAL, before any run, if it cannot be written
 *   LOGP_CHECK_CONFIRM=0  do not repeat failures in a fresh process. With 1, or without it, the program is started
 *                         again for each failure, with stdin from /dev/null and LOGP_REPLAY. A
 *                         failure that does not recur there is LOGP_FAILURE_UNCONTROLLED, and leaves no replay
 *
 * If stderr is a terminal, a line shows how far the check is, after its first second. It is erased
 * at the end.
 *
 * Threads: any; several at once, each with its own program.
 * @param arg      passed to the program, to before and to after
 * @param check    `checked` is written, also if -EINVAL is returned
 * @param failure  out; NULL: not wanted
 * @return 0; the error of the failure (logp_failure.error); the result of `before`; -EINVAL (sizes
 *         or labels without a list, more than 64 labels, fault_places where no fault is possible, a
 *         variable, JUnit's file, a regression
 *         that is not a replay, or fields that exclude each other; the reason is in failure.text
 *         and checked.text), -EPROTONOSUPPORT (a regression of another
 *         version), -E2BIG, -ENOENT (executor), the errno of reading regressions, -ENAMETOOLONG
 *         (their path), -ENOMEM, -EAGAIN (no more threads or processes), -ECHILD (a process of
 *         several was killed); the errno of writing replay_file, with the failure filled in. With
 *         LOGP_REPLAY: as logp_check_replay(), or the errno of reading the file
 */
LOGP_API int logp_check(logp_program program, void *arg, struct logp_check *check,
                        struct logp_failure *failure);

/**
 * Repeat the run of a failure, byte for byte, with any executor.
 * @param check   as for logp_check(). The replay replaces P, seed, strategy, latencies, faults and
 *                sends. NULL: defaults
 * @param replay  logp_failure.replay, or the contents of a replay file
 * @return as logp_check(); 0: the run does not fail any more; -EINVAL: `replay` is not a replay;
 *         -EPROTONOSUPPORT: a replay of another version; -ESTALE: the program does not come to
 *         the same choices any more, so the run proves nothing
 */
LOGP_API int logp_check_replay(logp_program program, void *arg, const struct logp_check *check,
                               const char *replay, struct logp_failure *failure);

/** The version of the replays that this library writes. It also reads version 5, which has no last line to
 *  show that the file is whole. */
#define LOGP_REPLAY_VERSION 6

/**
 * The contents of a replay. The library allocates it; later versions may append members.
 */
struct logp_replay {
    size_t size;
    int version; /**< 0: the text is not a replay */
    int line;    /**< the first line with an error, from 1; 0: none */
    char *name;  /**< of the program; "": none */
    int P;
    uint64_t run, seed;
    int n_choices, n_deviations;
    bool has_params; /**< false: the check was untimed */
    struct logp_params params;
    enum logp_failure_kind kind; /**< NONE: unknown */
    int error;
    char *expression;     /**< LOGP_FAILURE_ASSERTED; else NULL */
    char **command;       /**< the command line of the process that found it, NULL at the end; NULL:
                           unknown */
    char *directory;      /**< of that process; NULL: unknown */
    char *faults, *noise; /**< as in logp_network; NULL: none */
    char *environment; /**< variables of that process, each NAME=HASH, with a hash of 16 bits of its
                               value, separated by blanks; NULL: unknown */
};

/**
 * Parse a replay.
 * @param out  free it with logp_replay_free(), also after an error; -ENOMEM sets it to NULL
 * @return 0; -EINVAL (out->line), -EPROTONOSUPPORT (a replay of another version),
 *         -ENOMEM
 */
LOGP_API int logp_replay_parse(const char *text, struct logp_replay **out);

/** NULL is allowed. */
LOGP_API void logp_replay_free(struct logp_replay *replay);

/** Read a whole file into a string; free it with free(). @return 0; -ENOMEM, -EFBIG (more than
 *  64 MiB), -EINVAL (the file has a zero byte), or the errno of opening and reading it */
LOGP_API int logp_replay_read(const char *path, char **text);

/** Free the texts of a failure. */
LOGP_API void logp_failure_free(struct logp_failure *failure);

/**
 * Check a condition. If it does not hold, the report keeps its place, the rank and the time, and
 * the run ends: every call of vp.h returns -EPROTO from then on, and the program should return:
 *
 *     LOGP_CHECK(vp, n == 3);                    // the next call that can fail ends the program
 *     if (LOGP_CHECK(vp, p != NULL) != 0)        // the program cannot continue
 *         return -EPROTO;
 *
 * It works with every clock and executor, in C and C++, in functions of any type. It neither jumps
 * nor returns from its caller. logp_report.asserted has the place.
 * @return 0; -EPROTO; -EHOSTDOWN: as LOGP_FAIL()
 */
#define LOGP_CHECK(vp, condition)                                                                  \
    logp_check_holds((vp), (condition) ? true : false, #condition, __FILE__, __LINE__)

/**
 * Make a choice of the program's own: an input, the next operation, the processor that fails. The
 * test kit draws it, explores it, keeps it in replays, and prefers 0 in a smaller failure. Without
 * an explorer it is 0.
 * @param n  1 .. 65 536
 * @return 0 .. n-1; -EINVAL (n), or the error that stops the run
 */
LOGP_API int logp_choose(struct logp_vp *vp, int n);

/**
 * The same, with words for the report: "rank 1 chooses timeout: long".
 * @param what   of the choice; both must live as long as the check
 * @param names  of its n answers; NULL: their numbers
 */
LOGP_API int logp_choose_named(struct logp_vp *vp, int n, const char *what,
                               const char *const *names);

/** Choose a number least .. most, by default the one nearest to 0. @return 0; -EINVAL (least >
 *  most, no value), or the error that stops the run: *value is unchanged */
LOGP_API int logp_choose_int(struct logp_vp *vp, int64_t least, int64_t most, int64_t *value);

/** Choose n bytes, by default zeroes. @return 0, or the error that stops the run */
LOGP_API int logp_choose_bytes(struct logp_vp *vp, void *buf, size_t n);

/**
 * Make bytes durable: they outlive a crash of this vp (logp_fault_limits.restarts) up to the end of
 * the run. They replace those of the same key. A crash comes before this or after it. Without an
 * explorer no vp restarts, and nothing is kept.
 * @param data  copied; NULL is allowed with n_bytes 0
 * @return 0; -EINVAL (no data), -ENOMEM, -EHOSTDOWN (this vp has crashed), or the error that stops
 *         the run
 */
LOGP_API int logp_durable(struct logp_vp *vp, int key, const void *data, size_t n_bytes);

/**
 * Get the bytes that logp_durable() has kept under this key for this vp.
 * @param n_bytes  out: how many bytes there are; NULL: not wanted
 * @return 0; -ENOENT (nothing, as in a first start), -EMSGSIZE (more than capacity bytes; data is
 *         unchanged), -EINVAL (no data), or the error that stops the run
 */
LOGP_API int logp_recover(struct logp_vp *vp, int key, void *data, size_t capacity,
                          size_t *n_bytes);

/**
 * Cut links: messages that these vps send to those are lost from now on. It is not a choice: a test
 * cuts where it wants to. Messages under way still come; those of collectives are spared. Vps other
 * than the senders must not depend on the moment: an exhaustive check does not vary it, and is not
 * complete then. Without an explorer nothing is cut.
 * @param senders    a mask as in struct logp_fault_places; 0: all
 * @param receivers  the same
 * @return 0; -EHOSTDOWN (this vp has crashed), or the error that stops the run
 */
LOGP_API int logp_fault_cut(struct logp_vp *vp, uint64_t senders, uint64_t receivers);

/** Heal links that logp_fault_cut() has cut. It does not end a partition that the check has chosen.
 *  Parameters and results are the same. */
LOGP_API int logp_fault_heal(struct logp_vp *vp, uint64_t senders, uint64_t receivers);

/**
 * Count the runs that come here, so that a report shows whether a situation, as "two leaders in one
 * run", was ever checked: logp_check.labels. Other vps do not run. Without a check it does nothing.
 * @param label  copied; at most 64 different labels count, and the report shows if there are more. A
 *               call by a thread that is not the vp's, or with the vp of another rank, fails the run
 */
LOGP_API void logp_reached(struct logp_vp *vp, const char *label);

/** The same, as a macro. */
#define LOGP_REACHED(vp, label) logp_reached((vp), (label))

/**
 * Announce that the program is about to read or write an object that it shares with other vps other
 * than by messages: a monitor, a counter of a test. Other vps may run first, and exhaustive tries
 * the touches of a key in all orders. All actions up to the next call of the library are one step.
 * @param key  the object; touches of different keys commute
 * @return 0, or the error that stops the run
 */
LOGP_API int logp_shared_touch(struct logp_vp *vp, int key);

/**
 * The same for an object by its name, which reports show: LOGP_TOUCH(vp, s->votes). Objects of one
 * name count as one, so exhaustive may make more runs than it must.
 */
#define LOGP_TOUCH(vp, object) logp_shared_touch_named((vp), sizeof(object) > 0 ? #object : "")

/** Called by LOGP_TOUCH(). name must live as long as the process. */
LOGP_API int logp_shared_touch_named(struct logp_vp *vp, const char *name);

/**
 * Compare two values: integers, characters, bool, floating-point numbers, pointers, or strings,
 * which are compared by their contents. It is as LOGP_CHECK(), and the report shows both values.
 * Each argument is evaluated once. Signed and unsigned integers are compared by their values.
 *
 *     LOGP_CHECK_EQ(vp, status.source, 3);    // status.source == 3 does not hold: 5 and 3
 *
 * @return as LOGP_CHECK()
 */
#define LOGP_CHECK_EQ(vp, a, b) LOGP_CHECK_COMPARE(vp, a, b, "==", LOGP_EQ)
/** a != b */
#define LOGP_CHECK_NE(vp, a, b) LOGP_CHECK_COMPARE(vp, a, b, "!=", LOGP_NE)
/** a < b */
#define LOGP_CHECK_LT(vp, a, b) LOGP_CHECK_COMPARE(vp, a, b, "<", LOGP_LT)
/** a <= b */
#define LOGP_CHECK_LE(vp, a, b) LOGP_CHECK_COMPARE(vp, a, b, "<=", LOGP_LE)
/** a > b */
#define LOGP_CHECK_GT(vp, a, b) LOGP_CHECK_COMPARE(vp, a, b, ">", LOGP_GT)
/** a >= b */
#define LOGP_CHECK_GE(vp, a, b) LOGP_CHECK_COMPARE(vp, a, b, ">=", LOGP_GE)

/** The comparisons of two values. */
enum logp_comparison { LOGP_EQ, LOGP_NE, LOGP_LT, LOGP_LE, LOGP_GT, LOGP_GE };

/** The kinds of values. */
enum logp_value_kind { LOGP_SIGNED, LOGP_UNSIGNED, LOGP_REAL, LOGP_POINTER, LOGP_STRING };

/** The content of a value; its kind selects the member. */
union logp_content {
    int64_t i;
    uint64_t u;
    double x;
    const void *p;
    const char *s; /**< NULL is allowed */
};

/** A value of an expression. */
struct logp_value {
    enum logp_value_kind kind;
    union logp_content is;
};

static inline struct logp_value logp_value_of_signed(int64_t i)
{
    struct logp_value v;

    v.kind = LOGP_SIGNED;
    v.is.i = i;
    return v;
}

static inline struct logp_value logp_value_of_unsigned(uint64_t u)
{
    struct logp_value v;

    v.kind = LOGP_UNSIGNED;
    v.is.u = u;
    return v;
}

static inline struct logp_value logp_value_of_real(double x)
{
    struct logp_value v;

    v.kind = LOGP_REAL;
    v.is.x = x;
    return v;
}

static inline struct logp_value logp_value_of_pointer(const void *p)
{
    struct logp_value v;

    v.kind = LOGP_POINTER;
    v.is.p = p;
    return v;
}

static inline struct logp_value logp_value_of_string(const char *s)
{
    struct logp_value v;

    v.kind = LOGP_STRING;
    v.is.s = s;
    return v;
}

/** Called by LOGP_CHECK_EQ() and its variants. The texts must live as long as the report. */
LOGP_API int logp_check_compares(struct logp_vp *vp, struct logp_value a, struct logp_value b,
                                 enum logp_comparison how, const char *expression, const char *file,
                                 int line);

/** The call of LOGP_CHECK_EQ() and its variants. */
#define LOGP_CHECK_COMPARE(vp, a, b, sign, how)                                                    \
    logp_check_compares((vp), LOGP_VALUE(a), LOGP_VALUE(b), (how), #a " " sign " " #b, __FILE__,   \
                        __LINE__)

#ifndef __cplusplus
/** The value of an expression, whatever its type is. */
#define LOGP_VALUE(x)                                                                              \
    _Generic((x),                                                                                  \
        float: logp_value_of_real,                                                                 \
        double: logp_value_of_real,                                                                \
        long double: logp_value_of_real,                                                           \
        bool: logp_value_of_unsigned,                                                              \
        unsigned char: logp_value_of_unsigned,                                                     \
        unsigned short: logp_value_of_unsigned,                                                    \
        unsigned: logp_value_of_unsigned,                                                          \
        unsigned long: logp_value_of_unsigned,                                                     \
        unsigned long long: logp_value_of_unsigned,                                                \
        char: logp_value_of_signed,                                                                \
        signed char: logp_value_of_signed,                                                         \
        short: logp_value_of_signed,                                                               \
        int: logp_value_of_signed,                                                                 \
        long: logp_value_of_signed,                                                                \
        long long: logp_value_of_signed,                                                           \
        char *: logp_value_of_string,                                                              \
        const char *: logp_value_of_string,                                                        \
        default: logp_value_of_pointer)(x)
#endif

/**
 * Fail for a reason that is not a condition, in words. It ends the run as LOGP_CHECK() does.
 * @param words  copied, up to 319 bytes
 * @return -EPROTO; -EHOSTDOWN: the model has stopped this vp, and the failure does not count
 */
#define LOGP_FAIL(vp, words) logp_check_fails((vp), (words), __FILE__, __LINE__)

/** Called by LOGP_FAIL(). file must live as long as the report. A line below 1 is not named, but
 *  two failures differ if their lines do. */
LOGP_API int logp_check_fails(struct logp_vp *vp, const char *words, const char *file, int line);

/** Called by LOGP_CHECK(). The two texts must live as long as the report. */
LOGP_API int logp_check_holds(struct logp_vp *vp, bool holds, const char *expression,
                              const char *file, int line);

/* ---- explore ---- */

/*
 * Choices of the virtual clock.
 *
 * A run under the virtual clock is deterministic. If several events could come next, a rule
 * decides: the vp with the earliest deadline runs next, a tie goes to the lowest rank (without a
 * clock, to the vp that ran last, unless it polls); a receive from any source takes the earliest
 * arrival, a tie goes to the lowest source. An explorer decides instead. The order of the
 * alternatives depends on the run so far only, and the first one is that of the rule. So an
 * explorer that always answers 0 gets the usual run, and the same answers give the same run, with
 * any executor.
 *
 * The test kit is built on explorers, and other strategies can be, too.
 */

/** The kinds of alternatives. */
enum logp_alternative_kind {
    LOGP_GO_ON, /**< this vp runs next */
    LOGP_TAKE,  /**< its receive, probe, test or wait takes the next message of this source that
                     the request fits */
    LOGP_MISS,  /**< its poll, or its wait with an end, comes before any message and before any send
                     is complete */
    LOGP_DONE,  /**< its wait or test finds a send complete */
    LOGP_TOUCH, /**< its logp_shared_touch() comes before those of others; `tag` is the key */
    LOGP_PICK,  /**< its logp_choose() returns `index`; all alternatives are of this call */
    LOGP_CANCEL, /**< its cancel comes before any message that the receive fits; request 0: its
                    program ends, and its posted receives with it */
    LOGP_FAULT,  /**< the fault `tag` comes before its call; all alternatives are of this call, and
                      the first is LOGP_FAULT_NONE. `source` is the receiver of its message, and
                      `polls` its tag; or -1, and the kind of note that the call would give */
    LOGP_OVERTAKE, /**< as LOGP_TAKE, but of a later message of the source, which overtakes one or
                        more that the request fits: most_overtaken */
};

/** Faults as alternatives and in notes. */
enum logp_fault_choice {
    LOGP_FAULT_NONE,
    LOGP_FAULT_LOST,       /**< the message is lost */
    LOGP_FAULT_DOUBLED,    /**< it comes twice */
    LOGP_FAULT_CRASH,      /**< the vp ends */
    LOGP_FAULT_RESTART,    /**< the vp crashes and starts again */
    LOGP_FAULT_CUT,        /**< the vp is cut off from all others */
    LOGP_FAULT_HEAL,       /**< no vp is cut off any more */
    LOGP_FAULT_SPLIT,      /**< logp_fault_places.half is cut off from all others */
    LOGP_FAULT_CUT_LINKS,  /**< in notes only: logp_fault_cut() has been called */
    LOGP_FAULT_HEAL_LINKS, /**< in notes only: logp_fault_heal() has been called */
};

/** Further properties of a match: bits of logp_alternative.polls with LOGP_TAKE and
 *  LOGP_OVERTAKE. */
enum logp_take {
    LOGP_TAKE_ANY_TAG = 1,   /**< a receive of any tag is posted: then other messages of the source
                                may change which receive takes one */
    LOGP_TAKE_MATCHED = 2,   /**< the request has its message already */
    LOGP_TAKE_NO_SEND = 4,   /**< the vp waits for receives only */
    LOGP_TAKE_ALONE = 8,     /**< the vp waits for this request, and no other receive is posted */
    LOGP_TAKE_FROM_ANY = 16, /**< the request is of any source */
    LOGP_TAKE_OF_ANY = 32,   /**< the request is of any tag */
    /** LOGP_OVERTAKE: polls / LOGP_TAKE_PASSED earlier messages of the source have not been taken
     *  yet, whatever their tags */
    LOGP_TAKE_PASSED = 256,
};

/** One event that could come next. */
struct logp_alternative {
    enum logp_alternative_kind kind;
    int rank; /**< of the vp */
    int source; /**< LOGP_TAKE, LOGP_OVERTAKE: of the message; LOGP_DONE: the receiver of the send; else -1 */
    int polls; /**< LOGP_GO_ON: how many polls and waits of the vp in a row found nothing. A
                     strategy that always prefers a vp that polls makes no progress. LOGP_MISS: how
                     many in a row have missed, with this one. LOGP_TAKE: bits of logp_take */
    int tag;   /**< LOGP_TAKE, LOGP_OVERTAKE, LOGP_DONE: of the message */
    int index; /**< LOGP_TAKE, LOGP_OVERTAKE, LOGP_DONE: of the request that completes, among those waited for;
                     -1: a request that the vp does not wait for, or a probe.
                     LOGP_MISS: 1, a wait with an end; 0, a poll */
    uint32_t context; /**< LOGP_TAKE, LOGP_OVERTAKE: of the message's group: logp_group_context() */
    uint32_t
        request; /**< LOGP_TAKE, LOGP_OVERTAKE, LOGP_DONE, LOGP_CANCEL: the number of the request among those
                           that this vp has made in this run, from 1; 0: none */
};

/** The kinds of events that are noted. */
enum logp_note_kind {
    LOGP_NOTE_SEND,     /**< a send has taken place */
    LOGP_NOTE_RECEIVE,  /**< a receive has been charged */
    LOGP_NOTE_FOUND,    /**< a probe has found a message */
    LOGP_NOTE_MISSED,   /**< a poll has found nothing, or a wait has ended before a message came */
    LOGP_NOTE_ENDED,    /**< the program has returned `value` */
    LOGP_NOTE_COMPUTED, /**< logp_compute() has ended */
    LOGP_NOTE_WAITED,   /**< logp_sleep_until() or logp_yield() has ended */
    LOGP_NOTE_TOUCHED,  /**< logp_shared_touch() of key `value` */
    LOGP_NOTE_CHOSEN,   /**< logp_choose() has returned `value` */
    LOGP_NOTE_ASKED,    /**< a send that waits for its receiver can be matched from now on;
                             LOGP_NOTE_SEND follows when its payload goes */
    LOGP_NOTE_ANSWERED, /**< a receive of `rank` has been matched with such a send of `peer` */
    LOGP_NOTE_FAULT, /**< the fault `value` (enum logp_fault_choice) has come before a call; `peer`
                          and `tag` are of its message; or `peer` is -1, and `tag` the kind of note
                          that the call would have given (a wait: LOGP_NOTE_RECEIVE; a probe or
                          test: LOGP_NOTE_FOUND) */
    LOGP_NOTE_TOO_LATE, /**< logp_cancel() has found the receive `request` matched */
    LOGP_NOTE_KEPT,     /**< logp_durable() has kept `value` bytes for the key `tag` */
    LOGP_NOTE_MARKED,   /**< logp_mark(); `value` is the address of its name */
};

/** An event of a run. */
struct logp_note {
    enum logp_note_kind kind;
    int rank;
    int peer, tag;    /**< of the message, or of the query; LOGP_ANY_SOURCE, LOGP_ANY_TAG */
    int64_t value;    /**< bytes of the message; other events: see the kind */
    int64_t time_ns;  /**< the vp's clock: the start of a send, the end of other events */
    uint32_t context; /**< of the group of the message sent or received; of other events, 0 */
    uint32_t
        request; /**< LOGP_NOTE_RECEIVE, LOGP_NOTE_ANSWERED, LOGP_NOTE_TOO_LATE: of the receive, as
                           in struct logp_alternative; of other events, 0 */
};

/** Zero is a good default for every field but the first two. */
struct logp_explorer {
    size_t size; /**< sizeof(struct logp_explorer); see logp_struct_take() */
    /**
     * Choose one of n alternatives. Called between two steps, on the thread that runs the vps.
     * Of the machine's functions it may call logp_machine_stop() only.
     * @param n  > 1; late: also 1
     * @return 0 .. n-1; any other value counts as 0
     */
    int (*choose)(void *arg, const struct logp_alternative *alternatives, int n);
    void (*note)(void *arg, const struct logp_note *note); /**< NULL: not wanted */
    void *arg;                                             /**< passed to both functions */
    bool order;    /**< ask which vp runs next, if several can at one time */
    bool messages; /**< ask which message a query takes */
    bool untimed;  /**< clocks do not order events: any vp that can run may be next, a message that
                        has been sent can be taken, or missed by a poll, and a wait with an end may
                        end at any time. The clock of each vp stays consistent: no message is
                        received before it was sent */
    bool late;     /**< with untimed and messages, without order: messages are taken when no vp can
                        run otherwise, and one choice is about all of them. This leaves out no
                        outcome if vps communicate by messages only */
    int misses;    /**< untimed: how many misses of a vp in a row are alternatives, if there are
                        others; 0: 3 */
    uint64_t most_steps; /**< a run of more events (as they are noted) stops: calls return -ELOOP,
                              and so does logp_machine_run(); 0: no limit */
    struct logp_fault_limits most_faults; /**< the explorer is asked for them, too */
    bool checks_requests; /**< end the run, as LOGP_CHECK() does, if a request of logp_isend() or
                               logp_irecv() is completed twice, or if a receive is posted into the
                               buffer of another one that is not complete */
    bool all_completed; /**< with checks_requests: also if a program returns 0 and has not completed
                               all its requests */
    bool poison; /**< with checks_requests: also if the buffer of logp_isend() changes before a call
                      has found the send complete */
    struct logp_fault_places fault_places; /**< of most_faults and most_overtaken */
    int most_overtaken;                    /**< as in struct logp_check; with messages only */
    bool keeps_order;                      /**< as in struct logp_check */
    /** Called before the note of a send, with its payload; not of collectives. NULL: not wanted */
    void (*payload)(void *arg, int rank, int tag, const void *data, size_t n_bytes);
    /** Called where a call of this vp is about to return -EHOSTDOWN; it may jump out of the program.
     *  NULL: not wanted */
    void (*leave)(void *arg, int rank);
};

/**
 * Let an explorer decide from the next run on. Virtual clock on one core.
 * Threads: as logp_machine_run(), not during a run; also from again() of logp_machine_repeat().
 * @param explorer  copied; NULL: remove it
 * @return 0; -EINVAL (no size, no choose, negative misses or most_overtaken, late or most_overtaken
 *         without the fields that it needs),
 *         -E2BIG, -ENOTSUP (wall clock, parallel, shared stacks), -EBUSY (as
 *         logp_machine_set_rendezvous_from()), -ENOMEM
 */
LOGP_API int logp_machine_explore(struct logp_machine *machine,
                                  const struct logp_explorer *explorer);

/**
 * Run a program repeatedly, each time as logp_machine_run(), until again() returns false. If the
 * vps of one core are fibers, no thread is woken between runs: a run of few messages takes
 * microseconds.
 * @param timeout_ns  of each run
 * @param again       called after each run with its report; true: run again. It is called on the
 *                    thread that runs the vps, or on the caller's. Of the machine's functions it
 *                    may call logp_machine_explore(), logp_machine_report() and
 *                    logp_machine_set_seed() only
 * @return as logp_machine_run() for the last run; -ENOTSUP (several processes). After -ETIMEDOUT
 *         again() is not called any more; it may itself not have returned: logp_machine_busy()
 */
LOGP_API int logp_machine_repeat(struct logp_machine *machine, logp_program program, void *arg,
                                 int64_t timeout_ns,
                                 bool (*again)(void *again_arg, const struct logp_report *report),
                                 void *again_arg);

LOGP_END_DECLS

#ifdef __cplusplus
#include <type_traits>

#define LOGP_VALUE(x) logp_value_of(x)

static inline struct logp_value logp_value_of(const char *s)
{
    return logp_value_of_string(s);
}

static inline struct logp_value logp_value_of(decltype(nullptr))
{
    return logp_value_of_pointer(nullptr);
}

static inline struct logp_value logp_value_of(const void *p)
{
    return logp_value_of_pointer(p);
}

template <typename T> struct logp_value logp_value_of(T x, decltype(static_cast<double>(x)) = 0)
{
    return std::is_floating_point<T>::value ? logp_value_of_real(static_cast<double>(x))
           : std::is_unsigned<T>::value     ? logp_value_of_unsigned(static_cast<uint64_t>(x))
                                            : logp_value_of_signed(static_cast<int64_t>(x));
}
#endif

#endif
