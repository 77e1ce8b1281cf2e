/* SPDX-License-Identifier: MIT */
/**
 * @file machine.h
 * A machine: P virtual processors (vps) on the cores of this box.
 *
 * Each core that carries vps has one scheduler, and exactly one of its vps holds the core at
 * any time. A vp that must wait publishes a deadline; the holder keeps the core if its own is
 * the earliest and otherwise hands it over at once, so that the hand-over hides in the wait.
 * Nobody sleeps to keep time: during a run every core that carries vps is busy.
 *
 * Several machines may live in one process.
 *
 * What a program may rely on, besides its own memory:
 * - Place: a vp stays on its core, and on one thread, in all runs: threads, a pinned one of its own
 *   (SCHED_BATCH); fibers, the one of its core. Vps change only inside calls of vp.h, so between
 *   two calls nobody else of its core runs, but who is in logp_blocking_begin().
 * - Thread-local variables: threads, each vp's own, from run to run. Fibers, one set for all vps of
 *   a core; only errno and the C++ exceptions being handled are kept for each.
 * - Exceptions of C++ may be thrown and caught within a program, with calls of the library in
 *   between. They must not leave it; nor may a vp be cancelled or end by pthread_exit().
 * - Locks: one that no vp holds during a call of the library is as usual. One that is held then:
 *   threads, wait for it between logp_blocking_begin() and logp_blocking_end(), or the core waits
 *   with the vp, and for ever if the owner is on the same core (the timeout of the run names who
 *   waits). Fibers, never: the C library takes all vps of a core for one owner.
 * - Signals: no mask is changed: threads have that of who called logp_machine_create(), and a
 *   handler may run on any of them, on the stack of the vp that holds the core. It may call
 *   logp_machine_stop(). While there are machines of fibers the library has a handler for SIGSEGV,
 *   on a stack of its own, which names the vp that has run off its stack and passes every fault on
 *   to whoever had the signal before.
 * - Forks: in a child that was forked while there were machines there are none: runs, injections
 *   and new machines are refused (-ENOTSUP), what the parent made stays as it was. A vp may fork;
 *   its child calls nothing of vp.h, and ends by exec() or _exit(). A child that was forked before,
 *   or whose parent had destroyed its machines, makes its own.
 *
 * Functions without a word on threads may be called from any one thread at a time, which is not a
 * vp of the machine.
 */
#ifndef LOGP_MACHINE_H
#define LOGP_MACHINE_H

#include <logp/defs.h>
#include <logp/delay.h>

#include <stdio.h>

LOGP_BEGIN_DECLS

/** Who waits: real time passes, or the clock jumps. */
enum logp_clock {
    LOGP_CLOCK_WALL,    /**< every wait is real */
    LOGP_CLOCK_VIRTUAL, /**< one vp at a time, earliest (time, rank) first; deterministic, also
                             where it is parallel */
};

/** Where vps of the fiber executor have their stacks. */
enum logp_stacks {
    LOGP_STACKS_AUTO,   /**< own; under the virtual clock beyond 16384 vps shared */
    LOGP_STACKS_OWN,    /**< one each, with a guard of a MiB below it up to 16384 vps */
    LOGP_STACKS_SHARED, /**< virtual clock: one for all, of which a vp that waits has its part set
                             aside: a few hundred bytes instead of pages. A program must not hand
                             pointers into its stack to other vps. Wall clock, threads: own */
};

/** The most processors of a machine. */
#define LOGP_MAX_PROCESSORS (1 << 24)

/** Zero is a good default for every field but the first two and one of network and delay, of which
 *  at least one must be set. */
struct logp_config {
    size_t size;           /**< sizeof(struct logp_config); see logp_struct_take() */
    int n_processors;      /**< P, 1 .. LOGP_MAX_PROCESSORS */
    enum logp_clock clock; /**< wall */
    bool parallel;         /**< virtual clock: several cores simulate at once. The outcome is the
                                  same. It takes a delay model with a lookahead and no capacity, or
                                  runs are refused, and the model cannot be replaced in a run */
    const char *executor;  /**< what carries a vp; NULL: "thread" */
    /** The network between them. It is copied; what it points to must stay while the machine has
     *  delay beside it. NULL: that of delay */
    const struct logp_network *network;
    /** All zero: the model of the network. Else a model that emulates it in its place, of one's own
     *  or of logp_network_delay(); owned by the machine once create has succeeded. Nothing to be
     *  emulated: logp_delay_none() */
    struct logp_delay delay;
    const int *cores;    /**< operating system numbers of the cores to use; NULL: all that
                                  this process may use, one hardware thread of each first */
    int n_cores;         /**< entries of cores; with cores == NULL at most so many (0: all) */
    int64_t poll_ns;     /**< cost of a test or probe that finds nothing, up to
                                  LOGP_PARAM_MAX_NS; 0: 100 */
    size_t queue_limit;  /**< bytes of messages held, with some 150 for each message's own
                                  needs; 0: 1 GiB. Beyond: -ENOBUFS */
    bool wait_for_space; /**< instead: a send waits until there is room, or until all wait and
                                  it is a deadlock. Not on a parallel machine, whose outcome would
                                  depend on its cores */
    size_t stack_bytes;  /**< of each vp; 0: 256 KiB. Who runs off it ends the process; fibers
                                  say on stderr which rank it was */
    enum logp_stacks stacks;
    int lane_slots;      /**< slots of the fast path between two cores; 0: 1024, fewer with many
                              cores; < 0: none, every message takes the queue */
    uint64_t yield_seed; /**< not 0: with delay none, sends hand the core over at random,
                              from this seed, to shake out dependence on timing */
    /** Wall clock: where it reads the time, in ns, instead of from the host; NULL: the host's
     *  monotonic clock. It must never go back, and advance between readings now and then, since
     *  waits spin on it. On one core with fibers a run is then as reproducible as this clock is:
     *  so are programs tested that must cope with a late host. Timeouts of runs stay the host's.
     *  Threads: called on all cores that carry vps, and by whoever calls logp_machine_run(). */
    int64_t (*time_ns)(void *arg);
    void *time_arg; /**< passed to it */
    /** NULL, "mailbox": all vps are in this process. "mpi": they are spread over the processes of
     * an MPI program, of the MPI whose launcher has started it; "mpi:openmpi", "mpi:mpich": of that
     * one. What is different then: transport.h. */
    const char *transport;
};

/**
 * Make a machine. Its threads are created here, once, and pinned.
 * @param out  the machine; free it with logp_machine_destroy()
 * @return 0; -EINVAL (no size, P, no delay model, a core that this process may not use, an unknown
 *         clock, a negative size, wait_for_space or rendezvous_from of a parallel machine,
 *         logp_delay_functions()), -E2BIG (a field that is not known here, or
 *         logp_delay_functions()), -ENOENT (executor, transport), -ENOMEM, -EAGAIN (no more
 *         threads), -ENOTSUP (a forked child). With a transport the same in all its processes, and:
 *         -ELIBACC (it cannot be loaded: logp_transport_error()), -EPERM (the program has begun MPI
 *         with less than MPI_THREAD_SERIALIZED), -EIO (MPI refuses to begin), -EINVAL (P below the
 *         number of processes; P, a delay model or its parameters not the same in all), -ENOTSUP
 * (the virtual clock, wait_for_space, rendezvous_from), -EBUSY (there is such a machine)
 */
LOGP_API int logp_machine_create(const struct logp_config *config, struct logp_machine **out);

/** What every vp executes. Not 0 (a negative errno by custom) stops the whole run. */
typedef int (*logp_program)(struct logp_vp *vp, void *arg);

/**
 * Run program on every vp and wait for all of them. May be called again and again; threads,
 * message memory and the delay model stay. Clocks start at 0 and gaps are forgotten.
 * @param arg         passed to every vp
 * @param timeout_ns  the run is stopped after this time; 0: never
 * @return 0; the first error that a program returned; -EDEADLK (every vp waits and nothing is
 *         on its way); -ETIMEDOUT; what logp_machine_stop() was given; -EBUSY (a vp of an
 *         earlier run has not come home, or a process does not answer any more); -ENOTSUP
 *         (parallel, and the model has no lookahead; the same over several processes, or it has a
 *         capacity; a forked child). Over several processes the same in all of them.
 * Details: logp_machine_report()
 */
LOGP_API int logp_machine_run(struct logp_machine *machine, logp_program program, void *arg,
                              int64_t timeout_ns);

/**
 * Stop the run under way: waits of all vps return error. Between runs, and after one that has timed
 * out with a vp that has not come home: the next one ends with error before its program begins, so
 * that no stop is lost, whenever it comes.
 * Threads: any thread or signal handler, at any time before destroy.
 * @param error  a negative errno, e.g. -EINTR
 */
LOGP_API void logp_machine_stop(struct logp_machine *machine, int error);

/**
 * Replace the delay model. Sends that start afterwards use the new one; gaps in force and
 * messages on their way stay; no message overtakes an earlier one of its (context, source,
 * tag). Readers never block. A collective call that chooses its algorithm (collective.h) chooses
 * for the model in force when a member calls it: no such call may be under way meanwhile, or its
 * members could choose different ones; logp_sync() keeps them apart. Threads: any thread, vps of
 * the machine included, at any time before destroy. Called by a vp under the virtual clock it takes
 * place at that vp's time; from outside, at at_ns. Blocks:  until no vp uses the old model (an RCU
 * grace period).
 * @param delay   owned by the machine if 0 is returned; logp_delay_none(): nothing is emulated
 * @param at_ns   virtual clock and called from outside: sends that start at or after this
 *                virtual time use the new model; otherwise ignored
 * @return 0; -EINVAL, -E2BIG (logp_delay_functions()), -ENOTSUP (a parallel machine that runs; a
 *         forked child), -ENOMEM; by a vp whose run has been stopped: an error, as of any wait
 */
LOGP_API int logp_machine_set_delay(struct logp_machine *machine, struct logp_delay delay,
                                    int64_t at_ns);

/**
 * Send a message to a vp from outside the machine, while its programs run: as logp_send(), from no
 * rank. It is in the program's own context, its source is LOGP_OUTSIDE, and it arrives at once:
 * when the receiver's core takes it. The receive is charged as the delay model says, as one of a
 * message that the vp had sent to itself; nothing else is. What one thread sends to one vp with one
 * tag is received in that order. Threads: any, as many as like at once, while the machine lives.
 * Memory:  what was written before is visible after the matching receive.
 * @param dst  rank
 * @param tag  >= 0
 * @return 0; -EINVAL (rank, tag, buf); -ESRCH: no programs run, so try again or give up; -ENOBUFS,
 *         -EMSGSIZE (queue_limit), -ENOMEM; -ENOTSUP: the virtual clock, where the outcome would
 *         depend on the caller's speed, and a forked child
 */
LOGP_API int logp_machine_inject(struct logp_machine *machine, int dst, int tag, const void *buf,
                                 size_t n_bytes);

/**
 * May messages still come from outside? While they may, the machine is not deadlocked, even if all
 * of its vps wait; false, as it is at first: no vp waits for any but those that have been sent.
 * Wall clock; it holds for later runs as well. Threads: any, at any time before destroy.
 */
LOGP_API void logp_machine_expect(struct logp_machine *machine, bool expects);

/** What a vp waits for. */
enum logp_wait_kind {
    LOGP_WAIT_NONE, /**< it has finished, or it could go on */
    LOGP_WAIT_RECV, /**< a message from source with tag */
    LOGP_WAIT_SYNC, /**< all other vps, or members of a group: in logp_sync() or logp_shared_wait()
                     */
    LOGP_WAIT_POLL, /**< it polls: a million tests or probes in a row found nothing, and it has
                          not looked at its clock in between */
    LOGP_WAIT_RUNNING, /**< it is outside the runtime, and holds its core or has given it up */
    LOGP_WAIT_SPACE,   /**< room for a message; source: to whom */
    LOGP_WAIT_SEND,    /**< its send waits for its receiver; source: who that is */
    LOGP_WAIT_HALTED,  /**< nothing: the delay model has stopped it for good (delay.h) */
};

/** What a vp waits for. */
struct logp_wait_info {
    int rank;
    enum logp_wait_kind kind;
    int source; /**< or LOGP_ANY_SOURCE, LOGP_OUTSIDE */
    int tag;    /**< or LOGP_ANY_TAG */
};

/** Of the last run. Lag: how late the host returned from waits, in ns; n == 0: no waits. */
struct logp_report {
    int error;           /**< what logp_machine_run() returned */
    int error_rank;      /**< the vp that returned the first error; -1: none did */
    uint64_t messages;   /**< sent */
    uint64_t unreceived; /**< sent and never received */
    struct {
        uint64_t n;
        int64_t median_ns, p99_ns, max_ns; /**< median, p99: at most 1/32 too large */
    } lag;
    const struct logp_wait_info *waits; /**< deadlock, timeout: who waits for whom; otherwise those
                                             that the delay model has stopped for good */
    int n_waits;
    /** The first LOGP_CHECK() of check.h that has not held. */
    struct logp_asserted {
        const char *file; /**< NULL: all have */
        int line;
        const char *expression;
        int rank;
        int64_t time_ns; /**< of its clock */
    } asserted;
    const char *error_call; /**< the call of error_rank that returned the error, "logp_send"; NULL:
                                 none did, or the vp is in another process */
    int64_t time_ns;        /**< the latest clock of a vp of this process, after its last call */
};

/** @return the report of the last run, valid until the next run or destroy. One that has timed out
 *  and left a vp behind has no messages and no lag. */
LOGP_API const struct logp_report *logp_machine_report(const struct logp_machine *machine);

/**
 * Print how the last run went: its time and its messages; or the error with its rank and its call,
 * the check that does not hold, and what each vp waits for (of more than 16 the number).
 * @param out  written to, and not closed
 * @return 0; -EIO: it cannot be written to
 */
LOGP_API int logp_report_print(const struct logp_machine *machine, FILE *out);

/**
 * Say what a vp waits for: "waits for a message from rank 0, tag 5".
 * @param text  out: n_bytes, with the zero at the end; what does not fit is cut off
 * @return the length of all of it, as snprintf()
 */
LOGP_API int logp_wait_text(const struct logp_wait_info *wait, char *text, size_t n_bytes);

/** @return P. */
LOGP_API int logp_machine_size(const struct logp_machine *machine);

/** @return how many cores carry vps. */
LOGP_API int logp_machine_cores(const struct logp_machine *machine);

/** @return its clock. */
LOGP_API enum logp_clock logp_machine_clock(const struct logp_machine *machine);

/** @return does it emulate delays (is the model in force not `none`)? Threads: any. */
LOGP_API bool logp_machine_delayed(const struct logp_machine *machine);

/**
 * @return has a vp of a timed-out run not come home yet? What it uses must stay: the memory of its
 *         program, and of whoever is asked on its core (explorers, the function of
 *         logp_machine_repeat(), time_ns, the delay model's own). Whenever it comes back, its calls
 *         say that the run is over, and the next run sees nothing of it. Threads: any.
 */
LOGP_API bool logp_machine_busy(struct logp_machine *machine);

/** What this process may use of the host. */
struct logp_host {
    int n_cores;          /**< hardware threads that this process may run on */
    double quota;         /**< processors' worth of time that a cgroup allows; 0: no quota */
    double clock_read_ns; /**< cost of one reading of the clock */
};

/** @return 0; -ENOMEM */
LOGP_API int logp_host_info(struct logp_host *out);

/** @return the name of executor i = 0, 1, ...; static storage; NULL: there are no more. */
LOGP_API const char *logp_executor_at(size_t i);

/**
 * End the machine and free all that it owns. NULL is allowed.
 * @return 0; -EBUSY: a vp of a timed-out run is still outside the runtime and uses the
 *         machine's memory; the machine lives on, call again later
 */
LOGP_API int logp_machine_destroy(struct logp_machine *machine);

/* ---- machine file ---- */

/*
 * A machine in a file: its parameters, and where they come from; a line each, "key = value", and
 * # begins a comment:
 *
 *     name     = my cluster   # left out: whoever reads it has one
 *     title    = our cluster  # for people; left out: the name
 *     source   = logp measure, 2 of 8 nodes
 *     delay    = loggp        # a built-in model (delay.h); left out: loggp
 *     unit     = 25ns         # what a plain number below counts, and on a command line; left out:
 *                             # times need a suffix, ps, ns, us, ms or s
 *     L        = 1300ns
 *     o        = 210ns        # or o_send and o_recv
 *     g        = 0.4us
 *     G        = 0.08ns       # of a byte; left out: 0
 *     gamma    = 0.5ns        # to combine two elements; left out: nobody has said
 *     gap      = separate     # or shared
 *     nodes    = *x8          # two levels: ranks r / 8 are a node; inside one cost as above
 *     inter    = L=12us,g=2us # between nodes: L, o, o_send, o_recv, g, G, some of them, with units
 *     capacity = off          # or on: at most ceil(L/g) messages on their way
 *
 * Each key at most once, in any order, but unit before what counts it. `logp measure --format
 * machine` writes such files, and the named machines are some of them, built in.
 *
 * Threads: any, at any time.
 */

/** What a file says. */
struct logp_machine_file {
    size_t size;               /**< of this struct in the library: it may have grown */
    char name[64];             /**< empty: it does not say */
    char title[64];            /**< the name, where it does not say */
    char source[160];          /**< empty: it does not say */
    char nodes[32];            /**< two levels: as option --nodes has it, "*x8"; empty: one */
    char inter[160];           /**< what messages between nodes cost, as option --inter has it */
    const char *delay;         /**< of logp_delay_model_at(), static storage */
    int64_t unit_ns;           /**< 1 where it does not say */
    bool has_gamma;            /**< it says how much gamma is */
    struct logp_params params; /**< as that model takes them */
};

/** What is wrong with a file. */
struct logp_machine_file_error {
    int line;          /**< from 1; the last, where something is missing */
    char what[80];     /**< as it is written there, or the key that is missing */
    char allowed[200]; /**< in words */
};

/**
 * Read the text of a file.
 * @param out    out: filled only where 0 is returned
 * @param error  out: filled only where -EINVAL is returned; NULL: not wanted
 * @return 0; -EINVAL
 */
LOGP_API int logp_machine_file_read(const char *text, struct logp_machine_file *out,
                                    struct logp_machine_file_error *error);

/** @return the named machines i = 0, 1, ...; static storage; NULL: there are no more */
LOGP_API const struct logp_machine_file *logp_machine_file_at(size_t i);

/** @return the machine of this name; NULL: none */
LOGP_API const struct logp_machine_file *logp_machine_file_find(const char *name);

LOGP_END_DECLS

#endif
