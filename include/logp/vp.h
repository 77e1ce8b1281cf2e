/* SPDX-License-Identifier: MIT */
/**
 * @file vp.h
 * What the program of a virtual processor calls.
 *
 * Threads: each function only on the thread of its own vp, from the program given to
 * logp_machine_run().
 *
 * Time: each vp has a clock. Under the virtual clock it is exact; under the wall clock it is
 * the wall clock less what the host made the vp late, which the next wait makes up for. The
 * program's own computing between two calls counts in full on the wall clock, and not at all
 * on the virtual one (declare it with logp_compute()). Under the wall clock no call returns
 * before its time. Under the virtual clock a vp may run ahead until it next touches the
 * network; everything that happens there happens in the order of (time, rank).
 *
 * Errors of every function that may wait, besides its own: -EDEADLK (every vp waits, or has polled
 * a million times in a row for nothing without a look at its clock, and nothing is on its way),
 * -ECANCELED (another vp returned an error), -ETIMEDOUT, -EOVERFLOW (beyond 36 years, and it does
 * not wait for them), or what logp_machine_stop() was given. Return it: the run is over. And
 * -EHOSTDOWN: the delay model has stopped this processor (delay.h). Return it: the run goes on.
 */
#ifndef LOGP_VP_H
#define LOGP_VP_H

#include <logp/defs.h>
#include <logp/delay.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

LOGP_BEGIN_DECLS

/** What has been received, or could be. */
struct logp_status {
    int source;
    int tag;
    size_t n_bytes;     /**< size of the message, also where the buffer was too small */
    int64_t arrival_ns; /**< when it came off the wire, on the machine's clock */
};

/** @return this processor's rank, 0 .. P-1. */
LOGP_API int logp_vp_rank(const struct logp_vp *vp);

/** @return P, the number of processors. */
LOGP_API int logp_vp_size(const struct logp_vp *vp);

/** @return the machine that this vp belongs to. */
LOGP_API struct logp_machine *logp_vp_machine(const struct logp_vp *vp);

/**
 * The parameters of the delay model in force.
 * @return 0; -ENOTSUP (the model has none)
 */
LOGP_API int logp_vp_params(const struct logp_vp *vp, struct logp_params *out);

/**
 * Join a group: the processor as its member, with a context of the group's own. Messages sent
 * through it match only receives through a group of the same context. Leave it with
 * logp_group_destroy().
 * @param context  1 .. 2^30; every member names the same. 0 is the program's own, and the
 *                 collectives use one that cannot be named. Those above are for groups that
 *                 agree on one: vp.h
 * @param members  n_members ranks, this processor's among them, copied: ranks of the group are
 *                 the indices of this list. NULL: all, with the same ranks
 * @return 0; -EINVAL (context, a rank out of range or twice, or this one missing), -ENOMEM
 */
LOGP_API int logp_group_create(struct logp_vp *vp, uint32_t context, const int *members,
                               int n_members, struct logp_vp **out);

/** Leave a group. Requests made through it must be complete. */
LOGP_API void logp_group_destroy(struct logp_vp *group);

/** @return the group in which the library's collectives talk; owned by vp, same ranks. */
LOGP_API struct logp_vp *logp_vp_collective(struct logp_vp *vp);

/**
 * As logp_vp_collective(), for collectives that are started: their messages meet those of no other.
 * @param n_started  out: where who starts them counts them, from 0 when the program or the group
 *                   begins
 * @return the group; NULL: no memory
 */
LOGP_API struct logp_vp *logp_vp_started(struct logp_vp *vp, uint32_t **n_started);

/** What a library that is built on vps keeps with one of them, at the head of what is its own. */
struct logp_attached {
    const void *key;            /**< the library's own: the address of something in it */
    struct logp_attached *next; /**< the runtime's */
    /** The vp's program has ended: free it. Nothing of the vp may be called any more. */
    void (*end)(struct logp_attached *attached);
};

/** Attach something to a vp until its program ends; it is the same through all groups.
 *  @return 0; -ENOMEM */
LOGP_API int logp_vp_attach(struct logp_vp *vp, struct logp_attached *attached);

/** @return what is attached under this key; NULL: nothing. */
LOGP_API struct logp_attached *logp_vp_attached(const struct logp_vp *vp, const void *key);

/**
 * Note that a call of this vp returns an error, for logp_report.error_call: for a library built on
 * vps, whose calls have names of their own. The last note before the program returns the same error
 * is reported.
 * @param call   its name, static storage
 * @param error  what it returns; nothing is noted where this is not negative
 * @return error
 */
LOGP_API int logp_vp_note_error(struct logp_vp *vp, const char *call, int error);

/**
 * Send n_bytes bytes to processor dst. They are copied before it returns; it never waits for
 * the receiver, whatever the size.
 * @param dst      rank; a processor may send to itself
 * @param tag      >= 0; messages of one (context, source, tag) arrive in the order sent
 * @param buf      n_bytes readable bytes; NULL only where n_bytes == 0
 * @param n_bytes  size of the payload
 * Cost:    o_send of the vp's clock; starts at least g after its last send.
 * Blocks:  while the network is full, if the model has a capacity; while there is no room, if the
 *          machine was told so (logp_config.wait_for_space): it starts when there is.
 * Memory:  what was written before is visible after the matching receive.
 * @return  0; -EINVAL (rank, tag, buf), -ENOBUFS (queue_limit of the machine), -EMSGSIZE (larger
 *          than that limit: it could never be sent), -ENOMEM. What is refused costs nothing, but
 *          with -ENOBUFS as much as a test that finds nothing, and others run: who sends again
 * until there is room does not keep them from making it Source:  Culler et al., LogP, PPoPP 1993.
 */
LOGP_API int logp_send(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes);

/**
 * As logp_send(), but where that would wait for its receiver (logp_network.rendezvous_from), or with
 * 32 KiB and more for another process to take them (transport.h): who posts receives first has what
 * comes meanwhile where it belongs.
 * @return as logp_send(); 1: it would, and nothing has been done
 */
LOGP_API int logp_try_send(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes);

/**
 * Receive a message from src with tag.
 * @param src     rank or LOGP_ANY_SOURCE: the earliest arrival among the messages sent by then,
 *                ties by rank
 * @param tag     >= 0 or LOGP_ANY_TAG: of one source the message sent first
 * @param buf     capacity writable bytes; NULL only where capacity == 0
 * @param status  NULL: not wanted
 * Cost:   waits for the arrival, then o_recv; starts at least g after the last receive.
 * @return 0; -EINVAL (rank, tag, buf); -EMSGSIZE: the message is larger than capacity, its size
 *         is in status; it is not lost and can be received with a larger buffer; -ENOMEM
 */
LOGP_API int logp_recv(struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
                       struct logp_status *status);

/**
 * Send one message and receive another, as irecv, send, wait. The two buffers must not overlap.
 * @return as logp_send() and logp_recv(). A send that fails leaves the message to be received;
 *         after -EMSGSIZE the send has taken place
 */
LOGP_API int logp_sendrecv(struct logp_vp *vp, int dst, int send_tag, const void *send_buf,
                           size_t send_bytes, int src, int recv_tag, void *recv_buf,
                           size_t capacity, struct logp_status *status);

/**
 * As logp_send(), with a request to be waited for. It is charged here, like a send; L and the
 * streaming of a long message overlap with what follows. buf may be reused at once.
 * @param request  out: complete it with logp_wait() or logp_test()
 */
LOGP_API int logp_isend(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes,
                        struct logp_request **request);

/**
 * Post a receive. Messages match posted receives in the order of posting. Costs nothing; o_recv
 * is charged by the wait, or by the test that succeeds. buf belongs to the runtime until then,
 * whatever other call fails meanwhile, or until a call returns the error that stops the run.
 * @param request  out: complete it with logp_wait(), logp_test() or logp_cancel()
 * @return 0; -EINVAL (rank, tag, buf), -ENOMEM
 */
LOGP_API int logp_irecv(struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
                        struct logp_request **request);

/**
 * Wait for a request, which is freed whatever the result. NULL is complete.
 * @return as logp_recv() for a receive
 */
LOGP_API int logp_wait(struct logp_vp *vp, struct logp_request *request,
                       struct logp_status *status);

/**
 * Has a request completed? If so it is charged and freed, otherwise this costs poll_ns and lets
 * other vps run.
 * @param done  out
 * @return as logp_wait()
 */
LOGP_API int logp_test(struct logp_vp *vp, struct logp_request *request, bool *done,
                       struct logp_status *status);

/**
 * Withdraw a posted receive that has taken no message yet, and free it.
 * @return 0; -EINPROGRESS: a message has been matched (on a parallel machine perhaps one that would
 *         be matched only later on one core), or is being copied into its buffer; the request lives
 *         on, complete it with logp_wait(). NULL and sends: -EINVAL
 */
LOGP_API int logp_cancel(struct logp_vp *vp, struct logp_request *request);

/**
 * Is there a message that a receive with these arguments would take, arrived by now? If not,
 * this costs poll_ns and lets other vps run. The next receive with the same arguments takes the one
 * that is found: an MPI promises that only of one that names the source and tag found.
 * @param found   out
 * @param status  out where found; NULL: not wanted
 * @return 0; -EINVAL
 */
LOGP_API int logp_probe(struct logp_vp *vp, int src, int tag, bool *found,
                        struct logp_status *status);

/* ---- waits that end ----
 * until_ns is a time of the vp's own clock, as logp_now() says it. A wait that finds nothing and
 * has no time left at its beginning is a look, and costs poll_ns. */

/** For ever: as long as the run lasts. */
#define LOGP_FOREVER INT64_MAX

/** Wait until the vp's clock shows t_ns; not at all if it does. With delay `none` it is the wall
 *  clock. @return 0 */
LOGP_API int logp_sleep_until(struct logp_vp *vp, int64_t t_ns);

/**
 * As logp_recv() of a message that arrives by until_ns; o_recv may end later.
 * @return as logp_recv(); -ETIME: none did, and the clock shows until_ns. What arrives afterwards
 * can still be received, in the order sent; what is in buf is undefined
 */
LOGP_API int logp_recv_until(struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
                             int64_t until_ns, struct logp_status *status);

/** As logp_wait(). @return -ETIME as logp_recv_until(): the request lives on, wait for it again */
LOGP_API int logp_wait_until(struct logp_vp *vp, struct logp_request *request, int64_t until_ns,
                             struct logp_status *status);

/**
 * Wait for a message that a receive with these arguments would take, and take nothing.
 * @return 0: it has arrived, and is in status; -ETIME as logp_recv_until(); -EINVAL
 */
LOGP_API int logp_probe_until(struct logp_vp *vp, int src, int tag, int64_t until_ns,
                              struct logp_status *status);

/* ---- what could begin, and when ----
 * For a program that does whatever can be done first: none of these costs anything. A loop of
 * nothing but these calls never ends. */

/** As logp_probe(), but what finds nothing costs nothing, and lets nobody else run. */
LOGP_API int logp_peek(struct logp_vp *vp, int src, int tag, bool *found,
                       struct logp_status *status);

/**
 * The earliest time at which a send of this vp could start: by its clock, and by the delay model in
 * force with what it has sent and received. What the network does is not looked at.
 * @param dst  rank, 0 .. P-1
 * @return a time of the vp's clock; now, or before it, where nothing is in the way
 */
LOGP_API int64_t logp_send_ready(struct logp_vp *vp, int dst, size_t n_bytes);

/** The same of a receive of a message from src that arrives, or arrived, at arrival_ns. */
LOGP_API int64_t logp_recv_ready(struct logp_vp *vp, int src, size_t n_bytes, int64_t arrival_ns);

/**
 * Wait for n requests, in their order; all of them are freed, and set to NULL.
 * @param statuses  n of them, or NULL
 * @return the first error; 0; -EINVAL (n < 0)
 */
LOGP_API int logp_waitall(struct logp_vp *vp, struct logp_request **requests, int n,
                          struct logp_status *statuses);

/**
 * Wait for that of n requests whose message arrives first, or the first of those; it is freed, and
 * set to NULL. Only it is charged. NULL requests are passed over.
 * @param index  out: which; -1: all are NULL, or an error that is none of a request's
 * @return as logp_wait(); -EINVAL
 */
LOGP_API int logp_waitany(struct logp_vp *vp, struct logp_request **requests, int n, int *index,
                          struct logp_status *status);

/** As logp_waitany(). @return -ETIME as logp_recv_until(), with index -1: all live on */
LOGP_API int logp_waitany_until(struct logp_vp *vp, struct logp_request **requests, int n,
                                int64_t until_ns, int *index, struct logp_status *status);

/** As logp_waitany() if one has completed; otherwise this costs poll_ns and lets other vps run.
 *  @param done  out: one has, or all are NULL */
LOGP_API int logp_testany(struct logp_vp *vp, struct logp_request **requests, int n, int *index,
                          bool *done, struct logp_status *status);

/**
 * Compute for t_ns; the gaps are not touched.
 * @param t_ns  >= 0
 * @param fn    NULL, or what is computed: it runs within t_ns, and only what it takes beyond
 *              that is extra (wall clock)
 * @return 0; -EINVAL
 */
LOGP_API int logp_compute(struct logp_vp *vp, int64_t t_ns, void (*fn)(void *), void *arg);

/**
 * Give the core up, around what may block outside the runtime: a mutex, a condition variable,
 * input. Other vps of the core go on meanwhile. Until logp_blocking_end() the program may do what it
 * likes but call nothing of its vp. What it does counts as the program's own time; the thread still
 * runs on the processor of its core, next to the vp that holds it. A machine with a vp outside is
 * never deadlocked: what never comes back is for the timeout of the run.
 * @return 0; -ENOTSUP: fibers, which cannot leave the one thread of their core, and the virtual
 *         clock, whose order would depend on when the vp came back. Nothing has changed then, and
 *         what the program does holds up all vps of its core. -EINVAL: it is outside
 */
LOGP_API int logp_blocking_begin(struct logp_vp *vp);

/**
 * Ask for the core again, and wait for it. Whatever is returned, the vp has it.
 * @return 0; -EINVAL: it is not outside
 */
LOGP_API int logp_blocking_end(struct logp_vp *vp);

/** @return this vp's clock in ns since the run began; with delay `none` the wall clock. Virtual
 * clock: after 1000 readings in a row, with no other call between, each costs poll_ns and lets
 * others run, so that a loop that waits for a time comes to an end. */
LOGP_API int64_t logp_now(struct logp_vp *vp);

/** @return the wall clock in ns since the run began, lag included; virtual: logp_now(). Both with
 *  one reading: logp_clocks() of experiment.h. */
LOGP_API int64_t logp_wall_now(struct logp_vp *vp);

/**
 * Wait for all vps of the machine, then start all of them at one time, fixed in advance, as if
 * a new run began: clocks are set to it and gaps are forgotten. Costs no emulated time.
 * Through a group with a list of members: the same for these members alone, whatever others do, and
 * with what is in the network left as it is. It starts at the latest member's time under the
 * virtual clock, and a little ahead of now on the wall clock. All members must call it; different
 * groups may do so at the same time, with one context too where they have no member in common.
 * @param start_ns  out: the common start; NULL: not wanted
 * @return 0; of a group: -EINVAL (members with this context and this first member sync already, and
 *         theirs is a list of another length), -ENOMEM
 */
LOGP_API int logp_sync(struct logp_vp *vp, int64_t *start_ns);

/* ---- group ---- */

/*
 * Groups: some of the processors, with ranks of their own, among whom messages and collectives are
 * apart from all others. A group is a struct logp_vp, and no struct of its own: it is one
 * processor as a member, so it differs from the processor only in its rank, its size and the context
 * of its messages. So all calls work in a group, and there is no second set of them.
 *
 *     struct logp_vp *row;
 *     int rc = logp_group_split(vp, logp_vp_rank(vp) / width, 0, &row);
 *     ...
 *     rc = logp_allreduce(row, in, out, 1, sum);
 *     ...
 *     logp_group_destroy(row);
 *
 * The functions here choose the context, with all members: one that no other group of any of them
 * has or has had, and that no program can have named. Groups of a group are made in the same way.
 * With logp_group_create() (vp.h) the program chooses, and nobody need talk.
 *
 * Threads: as vp.h. Errors of all that may wait: also as vp.h.
 */

/** logp_group_split(): to be in none of the groups. */
#define LOGP_NO_COLOUR (-1)

/** Largest context of a group. */
#define LOGP_CONTEXT_MAX (UINT32_MAX / 3 - 1)

/**
 * Split a group into one for each colour. All its members call it.
 * @param vp      the group; or the processor, which is the group of all
 * @param colour  >= 0: those with the same colour are in one group; LOGP_NO_COLOUR
 * @param key     ranks in it are in the order of (key, rank in vp)
 * @param out     out: to be left with logp_group_destroy(); NULL for LOGP_NO_COLOUR
 * Cost:    an allgather of 12 bytes from each.
 * @return 0; -EINVAL (colour), -ENOSPC (there is no context left, after 3 10^8 groups), -ENOMEM
 */
LOGP_API int logp_group_split(struct logp_vp *vp, int colour, int key, struct logp_vp **out);

/**
 * Make a group of some members of another. All of those call it, with the same list, and nobody
 * else; who is in several such lists calls for them in the same order as the others of each.
 * @param members  n_members ranks in vp, its own among them: the group's ranks are the indices of
 *                 this list. NULL: all of vp, with the same ranks
 * @param out      out: as logp_group_split()
 * Cost:    ceil(lg n) messages of 4 bytes from each, one after the other.
 * @return 0; -EINVAL (a rank out of range or twice, or its own missing), -ENOSPC, -ENOMEM
 */
LOGP_API int logp_group_from(struct logp_vp *vp, const int *members, int n_members,
                             struct logp_vp **out);

/** The same members with the same ranks, apart from those of vp. @return as logp_group_from() */
LOGP_API int logp_group_dup(struct logp_vp *vp, struct logp_vp **out);

/**
 * Say which ranks of one group are which of another. Nobody talks.
 * @param from   ranks are those in this group
 * @param n      how many
 * @param to     the other group; NULL: all processors of the machine
 * @param out    out: n ranks, -1 where one is none of `to`; may be `ranks`
 * @return 0; -EINVAL (a rank is out of range, n < 0)
 */
LOGP_API int logp_group_translate(const struct logp_vp *from, int n, const int *ranks,
                                  const struct logp_vp *to, int *out);

/**
 * For who makes groups in another way: members that take the largest of what this returns on each
 * of them agree on a context, for logp_group_create(), that none of them has had.
 * @return a context above 2^30, up to LOGP_CONTEXT_MAX; one more: there are no more
 */
LOGP_API uint32_t logp_group_context(const struct logp_vp *vp);

/* ---- shared ---- */

/*
 * Memory that the members of a group share, and waiting for a word of it: for algorithms that are
 * right on one box only, where nothing is emulated.
 *
 * Processors are threads or fibers of one process, so all could read each other's memory anyway;
 * what they cannot do by themselves is wait. Whoever waits here hands its core over, so that two of
 * one core never spin against each other, and the wait ends with the run: it is seen in a deadlock,
 * and stops, errors and timeouts end it like a receive.
 */

/**
 * The memory that the members of a group share under a key, for the rest of the run or until they
 * leave the group: zero when the first of them asks for it, and the same for all.
 * @param vp       the group: a processor as its member
 * @param key      the caller's own: the address of something in it
 * @param n_bytes  the same on all members, each time
 * @param memory   out: aligned to 128 bytes
 * Threads: only the vp's owner; afterwards it is the caller's business who writes what, when.
 * @return 0; -ENOTSUP: delays are emulated, or the clock is virtual; -ENOMEM, -EINVAL (another
 * size, seen at the first call); the error that stops the run
 */
LOGP_API int logp_shared(struct logp_vp *vp, const void *key, size_t n_bytes, void **memory);

/** @return is there such memory? If not, logp_shared() returns -ENOTSUP. */
LOGP_API bool logp_shared_possible(const struct logp_vp *vp);

/** Let a word show value. What was written before is visible to who then sees it. */
static inline void logp_shared_set(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE); /* pairs with logp_shared_get() */
}

/** @return what a word shows. */
static inline uint64_t logp_shared_get(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE); /* pairs with logp_shared_set() */
}

/**
 * Wait until a word of the group's memory shows at least value; such words only grow.
 * @param by  the member that will show it, so that this is worth a moment if that one has another
 *            core; -1: whoever
 * Blocks:  until then; other vps of the core go on meanwhile.
 * @return  0, also where it is both so and the run is stopping; else as any wait: vp.h
 */
LOGP_API int logp_shared_wait(struct logp_vp *vp, const uint64_t *word, uint64_t value, int by);

/**
 * Does it? For a loop that waits for something else as well, a logp_testany() perhaps: while it
 * polls, the vp is known to wait for this word, too, until it is told true here or
 * logp_shared_wait() returns.
 */
LOGP_API bool logp_shared_test(struct logp_vp *vp, const uint64_t *word, uint64_t value);

LOGP_END_DECLS

#endif
