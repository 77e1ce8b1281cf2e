/* SPDX-License-Identifier: MIT */
/**
 * @file machine.h
 * A machine: P virtual processors (vps) on the cores of this box. Stable from 1.0 on.
 *
 * Each core with vps has one scheduler, and exactly one of its vps, the holder, runs at any time. A
 * vp that must wait publishes a deadline. The holder keeps the core if its own deadline is the
 * earliest, and otherwise hands the core over at once, so that the hand-over is hidden in the wait.
 * No thread sleeps to keep time: during a run every core with vps is busy.
 *
 * Several machines may live in one process.
 *
 * Guarantees and rules for a program:
 * - Place: a vp stays on its core and on one thread in all runs. With threads that is a pinned
 *   thread of its own (SCHED_BATCH), with fibers the one thread of the core. Vps change only inside
 *   calls of vp.h, so between two calls no other vp of the core runs, except vps in a blocking
 *   section (logp_blocking_begin()).
 * - Thread-local variables: threads, each vp has its own, from run to run. Fibers, the vps of a
 *   core share one set; only errno and the C++ exceptions being handled are kept per vp.
 * - C++ exceptions may be thrown and caught within a program, with calls of the library in between.
 *   They must not leave it; nor may a vp be cancelled or end by pthread_exit().
 * - Locks: a lock that no vp holds during a call of the library works as usual. For a lock that is
 *   held during a call: with threads, wait for it in a blocking section; otherwise the core waits
 *   with the vp, and for ever if the owner is on the same core (the timeout of the run names the
 *   waiting vp). With fibers, do not do it: the C library takes all vps of a core for one owner.
 * - Signals: the library changes no signal mask. Threads have the mask of the thread that called
 *   logp_machine_create(), and a handler may run on any of them, on the stack of the vp that holds
 *   the core. It may call logp_machine_stop(). While machines of fibers exist, the library has a
 *   handler for SIGSEGV on a stack of its own: it names the vp that has overflowed its stack, and
 *   passes every fault on to the previous handler.
 * - Forks: a child that was forked while there were machines has none: runs, injections and new
 *   machines are refused (-ENOTSUP), and objects of the parent stay as they were. A vp may fork;
 *   its child calls nothing of vp.h and ends by exec() or _exit(). A child that was forked before,
 *   or after its parent had destroyed its machines, makes its own.
 *
 * Functions without a word on threads may be called from any one thread at a time that is not a vp
 * of the machine.
 */
#ifndef LOGP_MACHINE_H
#define LOGP_MACHINE_H

#include <logp/defs.h>
#include <logp/delay.h>

#include <stdio.h>

LOGP_BEGIN_DECLS

/** The clock of a machine. */
enum logp_clock {
    LOGP_CLOCK_WALL,    /**< every wait takes real time */
    LOGP_CLOCK_VIRTUAL, /**< time jumps to the next event; one vp at a time, earliest (time, rank)
                             first; deterministic, also if parallel */
};

/** The places of the stacks of vps, with the fiber executor. */
enum logp_stacks {
    LOGP_STACKS_AUTO,   /**< own; under the virtual clock shared beyond 16384 vps */
    LOGP_STACKS_OWN,    /**< one per vp, with a guard of 1 MiB below it up to 16384 vps */
    LOGP_STACKS_SHARED, /**< virtual clock: one stack for all vps; the used part of a waiting vp's
                             stack is copied away, a few hundred bytes instead of pages. A program
                             must not hand pointers into its stack to other vps. Wall clock and
                             threads: as own */
};

/** The placement of vps on cores. Each core has the same number of vps, or one more. */
enum logp_placement {
    LOGP_PLACE_BLOCK,       /**< consecutive ranks share a core */
    LOGP_PLACE_ROUND_ROBIN, /**< each rank is on the core after that of the rank before it */
};

/** The largest P of a machine. */
#define LOGP_MAX_PROCESSORS (1 << 24)

/** Zero is a good default for every field except the first two, and network or delay, of which at
 *  least one must be set. */
struct logp_config {
    size_t size;           /**< sizeof(struct logp_config); see logp_struct_take() */
    int n_processors;      /**< P, 1 .. LOGP_MAX_PROCESSORS */
    enum logp_clock clock; /**< wall */
    bool parallel;         /**< virtual clock: several cores simulate at once, with the same
                                outcome. It needs a delay model with a lookahead and no capacity,
                                otherwise runs are refused; the model cannot be replaced during a
                                run */
    const char *executor;  /**< name of the executor; NULL: "thread" */
    /** The network between the processors. It is copied; if delay is set too, the data that it
     *  points to must stay as long as the machine. NULL: the network of delay. */
    const struct logp_network *network;
    /** All zero: the model of the network. Otherwise a model that replaces it, your own or one of
     *  logp_network_delay(); the machine owns it once create has succeeded. logp_delay_none():
     *  nothing is emulated. */
    struct logp_delay delay;
    const int *cores;    /**< operating system numbers of the cores to use; NULL: all that this
                              process may use, one hardware thread of each first */
    int n_cores;         /**< length of cores; with cores == NULL the largest number of cores to use
                              (0: all) */
    int64_t poll_ns;     /**< cost of a failed test or probe, up to LOGP_PARAM_MAX_NS; 0: 100 */
    size_t queue_limit;  /**< limit of the bytes of queued messages, with some 150 bytes of overhead
                              for each; 0: 1 GiB. Beyond it sends return -ENOBUFS */
    bool wait_for_space; /**< instead of -ENOBUFS a send waits for queue space; if all vps wait, it
                              is a deadlock. Not on a parallel machine, where the outcome would
                              depend on its cores */
    size_t stack_bytes;  /**< of each vp; 0: 256 KiB. A stack overflow ends the process; with fibers
                              a message on stderr names the rank */
    enum logp_stacks stacks;
    int lane_slots;      /**< cache lines of the fast path between two cores, 2 at least. A line has
                              one message, or two of up to 8 bytes. 0: 1024, fewer with many
                              cores; < 0: none, all messages take the queue */
    uint64_t yield_seed; /**< not 0: with delay `none`, sends hand the core over at random, drawn
                              from this seed, to expose dependence on timing */
    /** Wall clock: the function that reads the time in ns; NULL: the host's monotonic clock. The
     *  time must never go back, and must advance now and then between readings, since waits spin on
     *  it. On one core with fibers a run is as reproducible as this clock; so programs that must
     *  cope with a late host can be tested. Timeouts of runs use the host's clock. Threads: called
     *  on all cores with vps, and on the thread of logp_machine_run(). */
    int64_t (*time_ns)(void *arg);
    void *time_arg; /**< passed to time_ns */
    /** NULL or "mailbox": all vps are in this process. "mpi": they are spread over the processes of
     *  an MPI program, with the MPI of the launcher that has started it; "mpi:openmpi" or
     *  "mpi:mpich": with that MPI. Differences: transport.h. */
    const char *transport;
    bool compare_calls; /**< on every clock, compare the collectives that the members of a group
                             call, in each call: logp_vp_note_call(). Each call then writes to memory
                             that the members share. Nothing is compared where vps are in several processes */
    enum logp_placement placement; /**< without core_of; several processes: of the vps of each */
    /** NULL, or the core of each of the P ranks, 0 .. n - 1: as an index into cores, or of those
     *  that the machine takes itself. It is copied. Each of the n cores needs a rank. If the
     *  machine takes fewer by itself, neighbours among the n are one core. A machine on
     *  one core (virtual clock, not parallel) ignores it. logp_place_schedules() fills it so that
     *  ranks that exchange most share a core. */
    const int *core_of;
    bool trust_calls; /**< never compare collectives: logp_vp_note_call() does nothing */
};

/**
 * Make a machine. Its threads are created here, once, and pinned.
 * @param config  copied; its fields describe the data that must stay
 * @param out     out: the machine; free it with logp_machine_destroy()
 * @return 0; -EINVAL (size not set, P, no delay model, a core that this process may not use, an
 *         unknown clock, poll_ns, stacks that no address space has, a negative n_cores or
 *         rendezvous_from, an unknown placement, both placement and core_of, a core_of that names
 *         more than `cores` has or leaves one without a rank, wait_for_space or rendezvous_from
 *         on a parallel machine), -E2BIG (an unknown field is set), -EINVAL and -E2BIG also as
 *         logp_delay_functions() or logp_network_delay(), -ENOENT (executor, transport), -ENOMEM,
 *         -EAGAIN (no more threads), -ENOTSUP (a forked child).
 *
 * With a transport the result is the same in all processes. Further errors: -ELIBACC (it cannot be
 * loaded: logp_transport_error()), -EPERM (the program has begun MPI with less than
 * MPI_THREAD_SERIALIZED), -EIO (MPI refuses to begin), -EINVAL (P is below the number of processes,
 * or P, the delay model or its parameters differ between processes), -ENOTSUP (the virtual clock,
 * wait_for_space, core_of), -EBUSY (there is such a machine already).
 */
LOGP_API int logp_machine_create(const struct logp_config *config, struct logp_machine **out);

/** The program of every vp. A result that is not 0 (by custom a negative errno) stops the whole
 *  run. vp is the program's own: nothing else uses it, and it is gone when the program returns. */
typedef int (*logp_program)(struct logp_vp *vp, void *arg);

/**
 * Run program on every vp and wait for all of them. It may be called repeatedly; threads,
 * message memory and the delay model stay. Clocks start at 0 and gaps are forgotten.
 * @param arg         passed to every vp
 * @param timeout_ns  the run is stopped after this time; 0: never
 * @return 0; the first error that a program returned; -EDEADLK (every vp waits and no message is on
 *         its way); -ETIMEDOUT; the error given to logp_machine_stop(), or another one that has
 *         stopped the run (vp.h); -EINVAL (no program, a negative timeout); -EBUSY (a vp of an
 *         earlier run is still running, or another process no longer answers); -ENOTSUP (parallel,
 *         and the model has no lookahead or has a capacity; several processes, and the model has no
 *         lookahead, a capacity or fates; a forked child). Several processes: the same result in
 *         all of them. Details: logp_machine_report()
 */
LOGP_API int logp_machine_run(struct logp_machine *machine, logp_program program, void *arg,
                              int64_t timeout_ns);

/**
 * Expect the next run of a parallel machine to do this. It uses as many of the machine's cores as are
 * worth it: each needs events (sends and receives) in the time that a message takes, or the run takes
 * longer than on one core. Later runs expect what the run before them did. Without this call the first
 * run uses all cores. Runs with `cores`, `core_of` or a placement set, or with threads, use all, and so
 * does the wall clock.
 * @param messages  at least so many
 * @param time_ns   from its start to its end, on the virtual clock
 * @return 0; -EINVAL (a negative time), -EBUSY (it runs)
 */
LOGP_API int logp_machine_plan_cores(struct logp_machine *machine, uint64_t messages,
                                     int64_t time_ns);

/**
 * Stop the current run: waits of all vps return error. Between runs, or after a timed-out run with
 * a vp that is still running, the next run ends with error before its program begins, so that no
 * stop is lost.
 * Threads: any thread or signal handler, at any time before destroy.
 * @param error  a negative errno, e.g. -EINTR
 */
LOGP_API void logp_machine_stop(struct logp_machine *machine, int error);

/**
 * Replace the delay model. Sends that start afterwards use the new model; gaps in force and
 * messages on their way stay. No message overtakes an earlier one of its (context, source, tag).
 * Readers never block.
 *
 * A collective call chooses its algorithm (collective.h) for the model in force when a member calls
 * it. So no such call may be under way, or its members could choose different algorithms;
 * logp_sync() separates them.
 * Threads: any thread, vps of the machine included, at any time before destroy. A call by a vp
 *          under the virtual clock takes effect at that vp's time, a call from outside at at_ns.
 * Blocks:  until no vp uses the old model (an RCU grace period).
 * @param delay   owned by the machine if 0 is returned; logp_delay_none(): nothing is emulated
 * @param at_ns   virtual clock, called from outside: sends that start at or after this virtual time
 *                use the new model; otherwise ignored
 * @return 0; -EINVAL, -E2BIG (logp_delay_functions()), -ENOTSUP (a parallel machine that runs; a
 *         forked child), -ENOMEM; to a vp whose run has been stopped: the error of any wait
 */
LOGP_API int logp_machine_set_delay(struct logp_machine *machine, struct logp_delay delay,
                                    int64_t at_ns);

/**
 * Send a message to a vp from outside the machine while its programs run. It is like logp_send()
 * with the source LOGP_OUTSIDE, in the program's own context, and it arrives as soon as the
 * receiver's core takes it. Only the receive is charged, like that of a message that the vp had
 * sent to itself. Messages from one thread to one vp with one tag are received in the order sent.
 * Threads: any number at the same time, while the machine lives.
 * Memory:  earlier writes are visible after the matching receive.
 * @param dst  rank
 * @param tag  >= 0
 * @return 0; -EINVAL (rank, tag, buf); -ESRCH: no programs run, so try again or give up; -ENOBUFS,
 *         -EMSGSIZE (queue_limit), -ENOMEM; -ENOTSUP: a forked child, or the virtual clock, where
 *         the outcome would depend on the caller's speed
 */
LOGP_API int logp_machine_inject(struct logp_machine *machine, int dst, int tag, const void *buf,
                                 size_t n_bytes);

/**
 * Set whether messages may still come from outside. While they may, the machine is not deadlocked,
 * even if all of its vps wait. The default is false: then only messages that have been sent can end
 * a wait. Wall clock; it holds for later runs as well.
 * Threads: any, at any time before destroy.
 */
LOGP_API void logp_machine_expect(struct logp_machine *machine, bool expects);

/** The kinds of waits of a vp. */
enum logp_wait_kind {
    LOGP_WAIT_NONE,    /**< it has ended, or could run */
    LOGP_WAIT_RECV,    /**< a message from source with tag */
    LOGP_WAIT_SYNC,    /**< all other vps, or members of a group: logp_sync(), logp_shared_wait() */
    LOGP_WAIT_POLL,    /**< it polls: a million failed tests or probes in a row, without reading its
                         clock in between */
    LOGP_WAIT_RUNNING, /**< it runs its own code, with its core or in a blocking section */
    LOGP_WAIT_SPACE,   /**< queue space; source: the receiver of its message */
    LOGP_WAIT_SEND,    /**< its rendezvous send waits; source: the receiver */
    LOGP_WAIT_HALTED,  /**< the delay model has stopped it for good (delay.h) */
};

/** The wait of a vp. */
struct logp_wait_info {
    int rank;
    enum logp_wait_kind kind;
    int source; /**< or LOGP_ANY_SOURCE, LOGP_OUTSIDE */
    int tag;    /**< or LOGP_ANY_TAG */
};

/** The report of a run. Lag is how late the host returned from waits; n == 0: there were no
 *  waits. */
struct logp_report {
    int error;           /**< the result of logp_machine_run() */
    int error_rank;      /**< the vp that returned the first error; -1: none */
    uint64_t messages;   /**< sent */
    uint64_t unreceived; /**< sent and never received */
    struct {
        uint64_t n;
        int64_t median_ns, p99_ns, max_ns; /**< median and p99 are at most 1/32 too large */
    } lag;
    const struct logp_wait_info *waits; /**< deadlock, timeout: the waits of all vps; otherwise
                                             the vps that the delay model has stopped for good. By
                                             rank, but of more than 16 vps in a deadlock those come
                                             first that wait for each other in a cycle */
    int n_waits;
    /** The first LOGP_CHECK() (check.h) that did not hold. Line 0: two processors call different
     *  collectives (logp_vp_note_call()). */
    struct logp_asserted {
        const char *file; /**< NULL: all held */
        int line;
        const char *expression; /**< "": none, the reason is in `detail` */
        int rank;
        int64_t time_ns; /**< of its clock */
        /** LOGP_CHECK_EQ() and its variants: the two values, "5 and 3"; LOGP_FAIL(): the words;
         *  calls of collectives that differ: these; else NULL */
        const char *detail;
    } asserted;
    const char *error_call; /**< the call of error_rank that returned the error, e.g. "logp_send";
                                 NULL: none did, or the vp is in another process */
    int64_t time_ns;        /**< the latest clock of this process's vps, after their last calls */
    int late_starts; /**< common starts, of all or of a group, that had passed when a core of this
                                 process noticed them; counted for each such core */
    int64_t
        absence_ns; /**< wall clock: the longest absence of a core of this process after the first
                             common start: logp_absence() */
};

/** @return the report of the last run, valid until the next run or destroy. After a timed-out run
 *          that left a vp running it has no messages and no lag. */
LOGP_API const struct logp_report *logp_machine_report(const struct logp_machine *machine);

/**
 * Print the result of the last run: its time and its messages; or the error with its rank and its
 * call, the LOGP_CHECK() that did not hold, and the waits of all vps (of more than 16 only the
 * number).
 * @param out  written to, and not closed
 * @return 0; -EIO: writing failed
 */
LOGP_API int logp_report_print(const struct logp_machine *machine, FILE *out);

/**
 * Describe the wait of a vp as text: "waits for a message from rank 0, tag 5".
 * @param text     out: n_bytes including the terminating zero; longer text is cut off
 * @param n_bytes  size of text
 * @return the full length, as snprintf()
 */
LOGP_API int logp_wait_text(const struct logp_wait_info *wait, char *text, size_t n_bytes);

/** @return P. */
LOGP_API int logp_machine_size(const struct logp_machine *machine);

/** @return the number of cores with vps, in this run or the last: logp_machine_plan_cores(). */
LOGP_API int logp_machine_cores(const struct logp_machine *machine);

/** The cores of a machine, in this process. */
struct logp_core_use {
    int n_cores;    /**< cores; under the virtual clock a run may use fewer: logp_machine_cores() */
    int n_threads;  /**< their hardware threads that this process may use: more than n_cores where a
                         core has several, of which the machine uses one */
    bool is_mixed;  /**< they are of several kinds of processors, fast and slow ones */
    bool is_shared; /**< another machine of this user, in any process, held one of them when this
                         machine was created */
};

/** Set *out. Threads: any. */
LOGP_API void logp_machine_core_use(const struct logp_machine *machine, struct logp_core_use *out);

/** @return the core of a rank: 0 .. logp_machine_cores() - 1, an index into logp_config.cores if
 *          that was given; -1: no such rank, or another process has it. Threads: any. */
LOGP_API int logp_machine_core_of(const struct logp_machine *machine, int rank);

/**
 * Find the hardware threads for threads that the program of a rank itself makes, such as those of OpenMP:
 * the rank's own core first, and with at least two cores for each rank an equal part of the others.
 * Ranks on one core have them in common. A machine on the virtual clock that is not pinned has
 * one rank running at a time, which may then use all of them.
 * @param cpus  out: at most n of them, by the operating system's numbers; NULL only where n == 0
 * @return how many there are, also where that is more than n; 0: the thread of the rank shows where
 *         it may run; or no such rank, or another process has it
 * Threads: any.
 */
LOGP_API int logp_machine_share(const struct logp_machine *machine, int rank, int *cpus, int n);

/** @return the machine's clock. */
LOGP_API enum logp_clock logp_machine_clock(const struct logp_machine *machine);

/** @return whether it emulates delays (the model in force is not `none`). Threads: any. */
LOGP_API bool logp_machine_delayed(const struct logp_machine *machine);

/**
 * @return whether a vp of a timed-out run is still running. Its memory must stay: that of its
 *         program, and of the functions that its core calls (explorers, the function of
 *         logp_machine_repeat(), time_ns, your own delay model). When it calls the library again,
 *         the call returns that the run is over, and the next run sees nothing of it.
 * Threads: any.
 */
LOGP_API bool logp_machine_busy(struct logp_machine *machine);

/** The part of the host that this process may use. */
struct logp_host {
    int n_cores;          /**< hardware threads that this process may run on */
    double quota;         /**< processor time per time that a cgroup allows; 0: no quota */
    double clock_read_ns; /**< cost of reading the clock once */
};

/** @return 0; -ENOMEM; -EINVAL: the environment has a wrong LOGP_TEST_CORES, which is for tests */
LOGP_API int logp_host_info(struct logp_host *out);

/** @return the name of executor i = 0, 1, ...; static storage; NULL: there are no more. */
LOGP_API const char *logp_executor_at(size_t i);

/**
 * Destroy the machine and free all that it owns. NULL is allowed.
 * @return 0; -EBUSY: a vp of a timed-out run is still running and uses the machine's memory; the
 *         machine lives on, call again later
 */
LOGP_API int logp_machine_destroy(struct logp_machine *machine);

/* ---- machine file ---- */

/*
 * A machine file has the parameters of a machine and their source: one "key = value" per line; #
 * begins a comment:
 *
 *     name     = my cluster   # default: the program that reads the file has a name
 *     title    = our cluster  # for people; default: the name
 *     source   = logp measure, 2 of 8 nodes
 *     delay    = loggp        # a built-in model (delay.h); default: loggp
 *     unit     = 25ns         # unit of plain numbers below and on a command line; default: none,
 *                             # times need a suffix: ps, ns, us, ms or s
 *     L        = 1300ns
 *     o        = 210ns        # or o_send and o_recv
 *     g        = 0.4us
 *     G        = 0.08ns       # per byte; default: 0
 *     gamma    = 0.5ns        # to combine two elements; default: unknown
 *     gap      = separate     # or shared
 *     nodes    = *x8          # two levels: ranks r / 8 are a node; inside one cost as above
 *     inter    = L=12us,g=2us # between nodes: some of L, o, o_send, o_recv, g, G, with units
 *                             # three levels: nodes = *x2x4, and inter = L=12us,g=2us;L=3us, the
 *                             # second between the sockets of a node
 *     capacity = off          # or on: at most ceil(L/g) messages on their way
 *     ports    = 4            # of each processor, 1 to 64; default: 1
 *
 * Each key occurs at most once, in any order, except that unit comes before the values that it
 * counts. `logp measure --format machine` writes such files; the named machines are built-in ones.
 *
 * Threads: any, at any time.
 */

/** The content of a machine file. */
struct logp_machine_file {
    size_t size;               /**< of this struct in the library: it may have grown */
    char name[64];             /**< empty: not given */
    char title[64];            /**< default: the name */
    char source[160];          /**< empty: not given */
    char nodes[32];            /**< two or three levels: the value of option --nodes, "*x8" or
                                    "*x2x4"; empty: one level */
    char inter[160];           /**< cost of messages between nodes: the value of option --inter; of
                                    three levels both values, with ';' between them */
    const char *delay;         /**< a name of logp_delay_model_at(), static storage */
    int64_t unit_ns;           /**< default: 1 */
    bool has_gamma;            /**< gamma is given */
    struct logp_params params; /**< as the model uses them */
    int64_t ports;             /**< of each processor; 0: not given, one */
};

/** An error in a machine file. */
struct logp_machine_file_error {
    int line;          /**< from 1; the last line if a key is missing */
    char what[80];     /**< the wrong text, or the missing key */
    char allowed[200]; /**< the allowed values, in words */
};

/**
 * Parse the text of a machine file.
 * @param out    out: filled only if 0 is returned
 * @param error  out: filled only if -EINVAL is returned; NULL: not wanted
 * @return 0; -EINVAL
 */
LOGP_API int logp_machine_file_read(const char *text, struct logp_machine_file *out,
                                    struct logp_machine_file_error *error);

/** @return named machine i = 0, 1, ...; static storage; NULL: there are no more */
LOGP_API const struct logp_machine_file *logp_machine_file_at(size_t i);

/** @return the machine of this name; NULL: none */
LOGP_API const struct logp_machine_file *logp_machine_file_find(const char *name);

LOGP_END_DECLS

#endif
