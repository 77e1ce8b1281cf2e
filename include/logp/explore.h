/* SPDX-License-Identifier: MIT */
/**
 * @file explore.h
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
#ifndef LOGP_EXPLORE_H
#define LOGP_EXPLORE_H

#include <logp/machine.h>

LOGP_BEGIN_DECLS

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
    size_t size; /**< sizeof(struct logp_explorer); see logp_take_struct() */
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
 *                    logp_machine_report() and logp_latency_seed(), nothing else of the machine
 * @return as logp_machine_run(): of the last run. After -ETIMEDOUT again() is not called any more,
 *         but it may be it that has not come back: logp_machine_busy()
 */
LOGP_API int logp_machine_repeat(struct logp_machine *machine, logp_program program, void *arg,
                                 int64_t timeout_ns,
                                 bool (*again)(void *again_arg, const struct logp_report *report),
                                 void *again_arg);

LOGP_END_DECLS

#endif
