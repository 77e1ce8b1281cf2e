/* SPDX-License-Identifier: MIT */
/**
 * @file check.h
 * A test kit: a program of P processors is run under the virtual clock over and over, each time as
 * something else could have happened, until it fails; then what happened is said in words, made
 * small, and kept so that it can be seen again.
 *
 *     static int program(struct logp_vp *vp, void *arg);
 *
 *     struct logp_check check = {.sizes = (int[]){2, 3, 8}, .n_sizes = 3, .runs = 1000, .seed = 1};
 *     struct logp_failure failure;
 *     int rc = logp_check(program, arg, &check, &failure);   // 0, or what went wrong first
 *
 *     if (rc != 0)
 *         fputs(failure.text, stderr);
 *     logp_failure_free(&failure);
 *
 * (In C++ it is `struct logp_check check`, too: the name alone is the function.)
 *
 * A run fails when
 *   - a vp's program returns an error, or LOGP_CHECK() says that something does not hold,
 *   - every vp waits and nothing is on its way (deadlock), or a vp does not come back (timeout),
 *   - the function `after` says so, or a message is left over where that is not wanted.
 *
 * What can come out differently, besides who goes next, where nothing is said of time (network):
 *
 * - A receive takes any message that it fits, of each source and tag the first; which of several
 *   receives takes it is as they were posted. When it does is open: a receive that stays posted
 *   (logp_irecv()) takes what it fits at any time from then on, whatever its vp does
 *   meanwhile.
 * - A probe finds any message that no posted receive takes.
 * - A test of a request, a wait with an end, or a probe misses what is there, `misses` times in a
 *   row and more often if nobody else can go on. Not so where there is nothing to wait for: a send
 *   that is buffered is done, as this library promises.
 * - logp_isend() of a send that waits for its receiver (sends) is done when a receive has taken its
 *   message. A test finds it done from then on, or misses that. Its payload goes along: that a
 *   receive gets it does not depend on what the sender does afterwards.
 * - logp_waitany() and logp_testany() take any request that could be complete: also a receive where
 *   a send is done, and of two receives of one source the one posted later.
 * - logp_cancel() comes before any message, or a message before it, and then it says -EINPROGRESS.
 *
 * Under a clock (network) a send of logp_isend() that waits is done when its answer is there, L
 * after it was taken; which of several requests, and whether a cancel of a receive from any source
 * is too late, is a choice where both are so by the clock. There a receive of a named source is
 * matched when its message is sent, and a cancel comes too late from then on.
 *
 * What a program may do, and may not:
 *
 * - Its memory: runs follow each other in one process, and what they leave in memory of their own
 *   is there for the next. `before` is the place to begin anew.
 *
 * - Time: only what is declared takes time (logp_compute(), sleeps, the delay model). A loop of
 *   looks (probe, test) pays for each; one that only reads logp_now() pays for each reading after
 *   the first 1000 in a row: time passes, and others go on.
 *
 * - Busy loops: one that neither calls the library nor ends holds everything up. The run's timeout
 *   names its rank, logp_check() returns -ETIMEDOUT, and its machine stays behind, as the loop
 *   still runs on it.
 *
 * - Locks: vps change only inside calls of vp.h. A mutex that is locked and unlocked between two of
 *   them is as usual (and always free). One that is held across a call: another vp that locks it
 *   waits for a vp that cannot run, for ever with a plain mutex (the timeout names it); try
 *   pthread_mutex_trylock() in a loop with a look or a sleep. A PTHREAD_MUTEX_ERRORCHECK one says
 *   EDEADLK, a recursive one lets all vps in, since fibers are one thread.
 *
 * - Threads: a program's own may compute for it, and be joined, as always. They must not call
 *   anything of vp.h, and what they do when is not under the kit's control.
 *
 * - Its stack: fibers, of stack_bytes. An error is returned, from function to function, as
 *   everywhere in this library: nothing jumps over a frame, destructors run.
 */
#ifndef LOGP_CHECK_H
#define LOGP_CHECK_H

#include <logp/delay.h>
#include <logp/machine.h>
#include <logp/vp.h>

LOGP_BEGIN_DECLS

/** How runs differ from each other. */
enum logp_strategy {
    LOGP_STRATEGY_RANDOM, /**< each choice by chance */
    LOGP_STRATEGY_PCT,    /**< processors have priorities, drawn anew for each run, which change at
                               d - 1 moments, drawn too. A bug that takes d events in one order is
                               found by a run with a probability of at least 1 / (P k^(d-1)), k the
                               number of steps. Burckhardt et al., ASPLOS 2010. Events are steps of
                               processors; which of several messages one takes is by chance */
    LOGP_STRATEGY_EXHAUSTIVE, /**< all outcomes of receives, looks, waits and cancels that can
                                 differ, each once: for vps that know of each other by messages
                                 alone. Two runs in which every vp sees the same, in the same order,
                                 count as one (sleep sets: Godefroid, 1996) */
};

/** Which sends wait for their receiver (logp_network.rendezvous_from). */
enum logp_sends {
    LOGP_SENDS_BUFFERED,    /**< none, as this library promises */
    LOGP_SENDS_LIMITED,     /**< those of network->rendezvous_from bytes or more; all, if
                                 that is 0 */
    LOGP_SENDS_SYNCHRONOUS, /**< all: a program must not rely on buffers */
    LOGP_SENDS_VARIED,      /**< in each run one of these three, by chance. Not with exhaustive */
};

/** What has been done, whether it failed or not. */
struct logp_checked {
    uint64_t runs;       /**< programs run, those to make a failure smaller not counted */
    uint64_t executions; /**< exhaustive: outcomes that differ */
    bool complete;       /**< exhaustive: these are all of them, and no bound was hit */
    uint64_t choices;    /**< the most of a run */
    double chance;       /**< PCT: 1 / (P k^(d-1)) for the largest P and k that were seen */
    char text[160];      /**< the same as a line: "12 of 12 executions explored"; where the check is
                              refused, what of it: "faults: only with params" */
};

/** Zero is a good default for every field. A size of 0 stands for the fields up to `checked`. */
struct logp_check {
    size_t size;
    const int *sizes; /**< numbers of processors to run with, smallest first is best; NULL: 2, 3 */
    int n_sizes;
    uint64_t runs; /**< for each size; 0: 1000. Exhaustive: at most so many, 0: 10^6 */
    uint64_t seed; /**< of all that is by chance */
    enum logp_strategy strategy;
    int depth;       /**< PCT: d, 0: 3, at most 1000. Exhaustive: only the first so many choices of
                          a run are varied; 0: all */
    int64_t time_ns; /**< of the host: then it ends, as far as it is; 0: no bound */
    int misses;      /**< so many looks of a vp in a row may miss what is there; 0: 3 */

    /** What runs take place on. NULL, or one that is undelayed: nothing is said of time. Any processor
     * that can continue could go next, and any message that has been sent could come, or be too late
     * for a query or for a wait with an end. Otherwise the clock orders, and choices are between
     * what could happen at one time; not with exhaustive. Each run draws latencies, faults and noise
     * anew; a failure keeps those that it needs, and each fault of a message counts as a choice. */
    const struct logp_network *network;
    enum logp_sends sends;
    bool fixed_order;   /**< do not vary which processor goes next */
    bool fixed_matches; /**< do not vary which message is taken */

    bool all_received;               /**< a message left over is a failure */
    int (*before)(int P, void *arg); /**< before each run; not 0 ends it all and is returned */
    /** After each run that has gone well so far; not 0 (negative errno by custom): it fails. Like
     *  `before` it may be called on another thread than the caller's, one at a time: no assertion
     * of a test framework in it, if that leaves by a jump. */
    int (*after)(const struct logp_report *report, void *arg);

    int64_t timeout_ns;   /**< of a run, on the host's clock; 0: 10 s */
    size_t stack_bytes;   /**< of each vp; 0: 256 KiB */
    const char *executor; /**< NULL: "fiber". "thread": for debuggers; far slower */
    int smallest;         /**< P that the program is made for, for smaller failures; 0: of sizes */
    bool as_found;        /**< do not make the failure smaller */
    const char *name;     /**< of the program, for texts and replay files; NULL: "program" */
    const char *replay_file;     /**< NULL, or where the replay of a failure is written to; else
                                      LOGP_REPLAY_DIR of the environment says: see logp_check() */
    struct logp_checked checked; /**< out */
};

/** How a run fails. */
enum logp_failure_kind {
    LOGP_FAILURE_NONE,
    LOGP_FAILURE_ERROR,     /**< the program of `rank` has returned `error` */
    LOGP_FAILURE_ASSERTED,  /**< LOGP_CHECK(): file, line, expression, rank, time_ns; -EPROTO */
    LOGP_FAILURE_DEADLOCK,  /**< -EDEADLK; waits */
    LOGP_FAILURE_TIMEOUT,   /**< -ETIMEDOUT; rank holds the processor, -1: unknown */
    LOGP_FAILURE_AFTER,     /**< `after` has returned `error` */
    LOGP_FAILURE_LEFT_OVER, /**< -EBADMSG: n_left_over messages were never received */
};

/** What went wrong, and how to see it again. Free it with logp_failure_free(). */
struct logp_failure {
    enum logp_failure_kind kind;
    int error;        /**< what logp_check() returns */
    int P;            /**< with so many processors, the fewest that fail */
    int rank;         /**< -1: no single one */
    int64_t time_ns;  /**< of its clock */
    const char *file; /**< of LOGP_CHECK(), as long as the program is loaded */
    int line;
    const char *expression;
    uint64_t n_left_over;
    uint64_t run;           /**< the failing run was the run-th of its size, from 0 */
    int n_choices;          /**< in the run */
    int n_deviations;       /**< of which so many are not the usual order */
    bool needs_synchronous; /**< it fails only if sends wait for their receivers: the program relies
                                 on buffers */
    char *text;   /**< all of that in words: who waits for whom, the choices that matter, the last
                       events of each rank; runs, choices and the messages of a rank count from 1.
                       Where the check is refused, why. Never NULL after logp_check(), "" without
                       either */
    char *replay; /**< what a replay file holds, the command line of this process included; NULL
                       without a failure */
};

/**
 * Run a program over sizes, orders and latencies, until it fails or has been run often enough.
 *
 * The environment has a say, so that a failure in a test run far away can be seen again at a desk:
 *   LOGP_REPLAY_DIR=DIR  a failure leaves its replay in this folder, which is made where it is
 *                        missing: NAME-pP-SEED.replay. One more line of failure.text names it, or
 *                        says why it could not be written
 *   LOGP_REPLAY=FILE     instead of all runs the one of this replay is shown, by every logp_check()
 *                        of a program with its name and with its P among the sizes, or between the
 *                        smallest and the largest; all others return 0 at once, having run
 *                        nothing. Give names where there are several. There is no timeout under a
 *                        debugger, unless that is the failure. `logp replay FILE` starts the
 *                        process of the failure so, and says what came of it
 *   LOGP_REPLAY_EXECUTOR=NAME  with it: "thread", whatever the check says
 *
 * @param arg      passed to it, to before and to after
 * @param check    checked is written, also where -EINVAL is returned
 * @param failure  out; NULL: not wanted
 * @return 0; what went wrong first (logp_failure.error); what `before` returned; -EINVAL (sizes, or
 *         fields that do not go together: both texts say which), -E2BIG, -ENOENT (executor),
 * -ENOMEM, -EAGAIN (no more threads); the errno of writing replay_file, with the failure filled in.
 * With LOGP_REPLAY as logp_check_replay(), or the errno of reading it Threads: any; several at
 * once, each with a program of its own
 */
LOGP_API int logp_check(logp_program program, void *arg, struct logp_check *check,
                        struct logp_failure *failure);

/**
 * The run of a failure again: byte for byte, with any executor.
 * @param check   as it was given to logp_check(); what a replay says itself (P, seed, strategy,
 *                latencies, sends) is not looked at. NULL: defaults
 * @param replay  logp_failure.replay, or what a replay file holds
 * @return as logp_check(); 0: it does not fail any more; -EINVAL: this is no replay;
 *         -EPROTONOSUPPORT: it is one of another version; -ESTALE: the program does not come to the
 *         same choices any more
 */
LOGP_API int logp_check_replay(logp_program program, void *arg, const struct logp_check *check,
                               const char *replay, struct logp_failure *failure);

/**
 * What a replay says of itself. The library makes it; it may grow.
 */
struct logp_replay {
    size_t size;
    int version; /**< of what the text claims to be; 0: no replay at all */
    int line;    /**< the first that is not understood, from 1; 0: all are */
    char *name;  /**< of the program; "" where it says none */
    int P;
    uint64_t run, seed;
    int n_choices, n_deviations;
    bool has_params; /**< otherwise nothing was said of time, and clocks order nothing */
    struct logp_params params;
    enum logp_failure_kind kind; /**< how it failed; NONE: it does not say */
    int error;
    char *expression; /**< LOGP_FAILURE_ASSERTED; else NULL */
    char **command;   /**< what started the process that found it: a path, arguments, and NULL at
                           the end; NULL: nobody knows */
    char *directory;  /**< where; NULL: nobody knows */
    char *faults, *noise; /**< what strikes, as in logp_check; NULL: nothing */
};

/**
 * Read a replay.
 * @param out  to be freed with logp_replay_free(); also where an error is returned, but NULL where
 *             that is -ENOMEM
 * @return 0; -EINVAL (out->line says where), -EPROTONOSUPPORT (a replay of another version),
 *         -ENOMEM
 */
LOGP_API int logp_replay_parse(const char *text, struct logp_replay **out);

/** NULL is allowed. */
LOGP_API void logp_replay_free(struct logp_replay *replay);

/** A file, whole, as a string to be freed with free(). @return 0; -ENOMEM, -EFBIG (beyond 64 MiB),
 *  -EINVAL (it holds a zero byte), or the errno of opening and reading it */
LOGP_API int logp_replay_read(const char *path, char **text);

/** Free what a failure holds. */
LOGP_API void logp_failure_free(struct logp_failure *failure);

/**
 * Does the condition hold? Otherwise it is noted with its place, the rank and the time, the run
 * ends (every call of vp.h returns -EPROTO from now on), and so should the program:
 *
 *     LOGP_CHECK(vp, n == 3);                    // the next call that can fail ends the program
 *     if (LOGP_CHECK(vp, p != NULL) != 0)        // nothing more can be done here
 *         return -EPROTO;
 *
 * It works in every run, with every clock and executor, in C and in C++, in functions of any type:
 * nothing jumps and nothing is returned from behind its caller's back. logp_report.asserted has it.
 * @return 0; -EPROTO
 */
#define LOGP_CHECK(vp, condition)                                                                  \
    logp_check_holds((vp), (condition) ? true : false, #condition, __FILE__, __LINE__)

/** What LOGP_CHECK() calls. The two texts must live as long as the report. */
LOGP_API int logp_check_holds(struct logp_vp *vp, bool holds, const char *expression,
                              const char *file, int line);

/* ---- explore ---- */

/*
 * Choice points of the virtual clock: what could also have happened.
 *
 * A run under the virtual clock is deterministic, because wherever several things could come next
 * a rule says which does: the earliest deadline, then the lowest rank, goes on; of the messages
 * that a receive from any source could take it takes the earliest arrival, then the lowest source.
 * An explorer is asked instead. The alternatives of a choice are listed in an order that depends on
 * nothing but the run so far, the rule's own choice first: who answers 0 each time gets the usual
 * run, and who gives the same answers again gets the same run again, with any executor.
 *
 * This is what check.h is built with, and what a strategy of one's own is.
 */

/** What could come next. */
enum logp_alternative_kind {
    LOGP_GO_ON, /**< the processor goes on */
    LOGP_TAKE,  /**< its receive, probe, test or wait takes this source's next message of those
                     that this request could take */
    LOGP_MISS,  /**< its look, or its wait with an end, is too early for any message, and for a send
                     to be done */
    LOGP_DONE,  /**< its wait or test finds a send done */
    LOGP_CANCEL, /**< its cancel comes before any message that the receive could take; request 0:
                    its program ends, and with it the receives that it has left posted */
};

/** One of the things that could come next. */
struct logp_alternative {
    enum logp_alternative_kind kind;
    int rank;   /**< of the processor */
    int source; /**< LOGP_TAKE: of the message; LOGP_DONE: to whom it was sent; else -1 */
    int polls;  /**< LOGP_GO_ON: so many looks and waits of it in a row came to nothing: who prefers
                     one that does nothing but look, always, does not get on. LOGP_MISS: with this
                     one so many in a row have missed. LOGP_TAKE: not 0 if a receive of any tag
                     is posted: which one takes a message may then depend on others of its source */
    int tag;    /**< LOGP_TAKE, LOGP_DONE: of the message */
    int index;  /**< LOGP_TAKE: of the request that takes it, LOGP_DONE: that is done, among those
                     waited for; -1: another one, which takes it behind the back of the processor;
                     or none, as it is a probe */
    uint32_t context; /**< LOGP_TAKE: of the message's group: logp_group_context() */
    uint32_t request; /**< LOGP_TAKE, LOGP_DONE, LOGP_CANCEL: which one it is of those that this
                           processor has made in this run; the first is 1; 0: none */
};

/** What has happened. */
enum logp_note_kind {
    LOGP_NOTE_SEND,    /**< a send has taken place */
    LOGP_NOTE_RECEIVE, /**< a receive has been charged */
    LOGP_NOTE_FOUND,   /**< a probe has found a message */
    LOGP_NOTE_MISSED,  /**< a look has found nothing, or a wait has ended before a message came */
    LOGP_NOTE_ENDED,   /**< the program has returned; value: what */
};

/** Something that has happened, for records of a run. */
struct logp_note {
    enum logp_note_kind kind;
    int rank;
    int peer, tag;   /**< of the message, or what was looked for; LOGP_ANY_SOURCE, LOGP_ANY_TAG */
    int64_t value;   /**< bytes of the message */
    int64_t time_ns; /**< the processor's clock: the start of a send, the end of all others */
};

/** Zero is a good default for every field but the first two. */
struct logp_explorer {
    size_t size; /**< sizeof(struct logp_explorer); see logp_struct_take() */
    /**
     * Which of n alternatives comes next? Called on the thread that carries the vps, between two
     * steps of theirs; it may call nothing of the machine but logp_machine_stop().
     * @param n  > 1; late: also 1
     * @return 0 .. n-1; what is none of them counts as 0
     */
    int (*choose)(void *arg, const struct logp_alternative *alternatives, int n);
    void (*note)(void *arg, const struct logp_note *note); /**< NULL: not wanted */
    void *arg;                                             /**< passed to both */
    bool order;    /**< ask which processor goes next, where several could at one time */
    bool messages; /**< ask which message is taken */
    bool untimed; /**< clocks order nothing: whoever can go on could go next, and what has been sent
                       can be taken, or missed by a look. A wait with an end may end at any time.
                       What each vp's own clock says stays consistent: a message is not received
                       before it was sent */
    bool late;    /**< with untimed and messages, and without order: messages are taken when nobody
                       can go on otherwise, and then all are asked about at once. For vps that know
                       of each other by messages alone this leaves out no outcome */
    int misses;   /**< untimed: so many misses of a vp in a row are alternatives, while there is
                       anything else; 0: 3 */
};

/**
 * From the next run on, ask. Virtual clock on one core.
 * @param explorer  copied; NULL: no more
 * Threads: as logp_machine_run(), not during a run; also by the function of logp_machine_repeat()
 * @return 0; -EINVAL (no size, no choose, late without what it takes), -E2BIG, -ENOTSUP (wall
 * clock, parallel, shared stacks), -EBUSY (as logp_machine_set_rendezvous_from()), -ENOMEM
 */
LOGP_API int logp_machine_explore(struct logp_machine *machine,
                                  const struct logp_explorer *explorer);

/**
 * Run a program again and again, each time as logp_machine_run(), as long as again() wants. Where
 * fibers carry the vps of one core no thread is woken in between: a run of few messages takes
 * microseconds.
 * @param timeout_ns  of each run
 * @param again       called after each run, with its report; true: once more. On the thread that
 *                    carries the vps, or the caller's; it may call logp_machine_explore(),
 *                    logp_machine_report() and logp_machine_set_seed(), nothing else of the machine
 * @return as logp_machine_run(): of the last run. After -ETIMEDOUT again() is not called any more,
 *         but it may be it that has not come back: logp_machine_busy()
 */
LOGP_API int logp_machine_repeat(struct logp_machine *machine, logp_program program, void *arg,
                                 int64_t timeout_ns,
                                 bool (*again)(void *again_arg, const struct logp_report *report),
                                 void *again_arg);

LOGP_END_DECLS

#endif
