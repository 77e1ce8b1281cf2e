/* SPDX-License-Identifier: MIT */
/**
 * @file vp.h
 * The calls of a virtual processor's program: messages, time, groups, and memory that the members
 * of a group share. Stable from 1.0 on.
 *
 * Threads: call each function only on the thread of its own vp, from the program given to
 *          logp_machine_run().
 *
 * Time: each vp has a clock. Under the virtual clock it is exact. Under the wall clock it is the
 *       wall clock minus the vp's lag, which the next wait makes up for. The program's own
 *       computing between two calls counts in full on the wall clock and not at all on the virtual
 *       clock (declare it with logp_compute()). Under the wall clock no call returns before its
 *       time. Under the virtual clock a vp may run ahead until its next use of the network; all
 *       uses of the network happen in the order of (time, rank).
 *
 * Errors of every function that may wait, besides its own:
 * - -EDEADLK: every vp waits, or has polled a million times in a row without success and without
 *   reading its clock, and no message is on its way
 * - -ECANCELED: another vp returned an error
 * - -ETIMEDOUT: the timeout of the run has passed
 * - -EOVERFLOW: the wait would end beyond 36 years; it returns at once
 * - -EPROTO: a check has failed: LOGP_CHECK(), logp_vp_note_call(), or the use of requests
 *   (logp_explorer.checks_requests)
 * - -ELOOP: the run has more events than logp_explorer.most_steps
 * - -ENOMEM, -ENOBUFS: a message on its way has found no memory, or no space in the queue limit
 * - the error that logp_machine_stop() was given
 *
 * After these the run is over: return the error. -EHOSTDOWN: a fault has stopped this processor
 * (delay.h, check.h). Return it; the run continues.
 */
#ifndef LOGP_VP_H
#define LOGP_VP_H

#include <logp/defs.h>
#include <logp/delay.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

LOGP_BEGIN_DECLS

/** A message that has been received or found. */
struct logp_status {
    int source;
    int tag;
    size_t n_bytes;     /**< size of the message, also if the buffer was too small */
    int64_t arrival_ns; /**< when it came off the wire, on the machine's clock */
    uint64_t bits;      /**< sent with the payload: logp_send_options.bits */
};

/** @return this processor's rank, 0 .. P-1. */
LOGP_API int logp_vp_rank(const struct logp_vp *vp);

/** @return P, the number of processors. */
LOGP_API int logp_vp_size(const struct logp_vp *vp);

/** @return the processor whose program calls this, as itself; NULL: the thread runs none. Do not
 *          call it in a blocking section. Threads: any */
LOGP_API struct logp_vp *logp_vp_current(void);

/**
 * The calling thread, which runs no vp, calls for this vp from now on, as if it were the vp's own thread; NULL: no
 * more, which is needed before it ends. Of the vp's own thread and of those that act for it only one at
 * a time calls something of the vp.
 * @return 0; -ENOTSUP (vps are fibers)
 */
LOGP_API int logp_vp_act(struct logp_vp *vp);

/**
 * Let other threads call for a vp while a call of it waits.
 * @param arg       that of logp_vp_share()
 * @param may_rest  no other vp of the core can run and nothing is emulated, so it may sleep for some 50 us
 * @return false: no other thread may call now; the call waits as usual, and a deadlock is found
 */
typedef bool logp_pause(void *arg, bool may_rest);

/**
 * Several threads call for this vp in this run, its own and those that act for it (logp_vp_act()). The program has a lock
 * for it: each of them holds it in a call, and pause() releases it and takes it again. A call that would block
 * calls pause() again and again, and waits by polling then; a call that polls in vain calls it once. Contexts
 * of groups that members agree on (logp_group_context()) are unique in the machine from then on, so that the threads of
 * a vp may make groups at the same time: call it before a logp_sync() that comes before any of these.
 * @return 0; -ENOTSUP (vps are fibers, the virtual clock, several processes), -ENOMEM
 */
LOGP_API int logp_vp_share(struct logp_vp *vp, logp_pause *pause, void *arg);

/** @return the machine that this vp belongs to. */
LOGP_API struct logp_machine *logp_vp_machine(const struct logp_vp *vp);

/**
 * The parameters of the delay model in force.
 * @param out  out
 * @return 0; -ENOTSUP (nothing is emulated, or the model has no parameters)
 */
LOGP_API int logp_vp_params(const struct logp_vp *vp, struct logp_params *out);

/**
 * The network that the collectives of this vp plan with: the parameters of the delay model in
 * force, and for a vp whose ranks are those of the machine its topology, links and ports.
 * @param out  out; what it points to is valid until the model is replaced
 * @return as logp_vp_params()
 */
LOGP_API int logp_vp_network(const struct logp_vp *vp, struct logp_network *out);

/**
 * Let other vps run first. Each call in a loop that waits for something other than a message is
 * charged as a poll that finds nothing (logp_config.poll_ns).
 * @return 0, or the error that stops the run
 */
LOGP_API int logp_yield(struct logp_vp *vp);

/**
 * Join a group with a context of its own. Messages sent through the group match only receives
 * through a group of the same context. Leave it with logp_group_destroy().
 * @param context    1 .. 2^30; every member passes the same. Context 0 is the program's own, and
 *                   the collectives use a reserved one. Larger contexts are for groups that agree
 *                   on one: logp_group_context()
 * @param members    n_members ranks, this processor's among them, copied; a rank in the group is an
 *                   index of this list. NULL: all processors, with the same ranks
 * @param n_members  length of members
 * @param out        out: the processor as a member of the group
 * @return 0; -EINVAL (context; a rank out of range or twice, or this processor's missing), -ENOMEM
 */
LOGP_API int logp_group_create(struct logp_vp *vp, uint32_t context, const int *members,
                               int n_members, struct logp_vp **out);

/** Leave a group. Requests made through it must be complete. */
LOGP_API void logp_group_destroy(struct logp_vp *group);

/** @return the group for the messages of the library's collectives, with the same ranks; owned by
 *          vp. */
LOGP_API struct logp_vp *logp_vp_collective(struct logp_vp *vp);

/**
 * As logp_vp_collective(), for nonblocking collectives: their messages match no others.
 * @param n_started  out: the caller's count of the collectives that it has started; 0 when the
 *                   program begins or the group is made
 * @return the group; NULL: no memory
 */
LOGP_API struct logp_vp *logp_vp_started(struct logp_vp *vp, uint32_t **n_started);

/** Per-vp data of a library built on vps: the first member of the library's own struct. */
struct logp_attached {
    const void *key;            /**< identifies the library: the address of an object in it */
    struct logp_attached *next; /**< used by the runtime */
    /** Called when the vp's program has ended: free the data, and call nothing of the vp. */
    void (*end)(struct logp_attached *attached);
};

/** Attach data to a vp until its program ends; all groups of the vp share it.
 *  @return 0; -ENOMEM */
LOGP_API int logp_vp_attach(struct logp_vp *vp, struct logp_attached *attached);

/** @return the data attached under this key; NULL: none. */
LOGP_API struct logp_attached *logp_vp_attached(const struct logp_vp *vp, const void *key);

/** Bytes of a thread that are a vp's own: logp_vp_keep(). */
struct logp_kept {
    void *at;               /**< in the thread's memory, such as its thread-local variables */
    void *aside;            /**< as many bytes, in which they are set aside */
    size_t n_bytes;         /**< of each */
    struct logp_kept *next; /**< used by the runtime */
};

/**
 * Where vps share a thread, set these bytes aside while another vp runs, until the program of this vp
 * ends. They begin as they are. Where each vp has a thread of its own, nothing is to be done.
 * @param kept  with its bytes aside the caller's, until then
 */
LOGP_API void logp_vp_keep(struct logp_vp *vp, struct logp_kept *kept);

/**
 * An operation of several messages that proceeds while the program runs: the first member of a
 * library's own struct. Its steps are done within calls of its vp. A call that waits, tests or
 * probes also completes the requests that the operations of the vp await, the earliest arrival
 * first, and then does their next steps. A step may send, and post receives. It must not wait for
 * another vp.
 */
struct logp_operation {
    struct logp_request *awaits; /**< needed by its next step; NULL: it has ended */
    /**
     * Do the steps up to the next message that has to be awaited, and set `awaits`.
     * @param rc  result of the last request: as logp_wait(). It is freed, and `awaits` is NULL
     * @return 0; or the error with which the operation ends: `awaits` is NULL
     */
    int (*go_on)(struct logp_operation *operation, int rc);
    /** Free the operation: its request is complete, or the vp's program has ended (ended: then call
     *  nothing of the vp). A request that it still awaits has been cancelled. */
    void (*end)(struct logp_operation *operation, bool ended);
    struct logp_request *request; /**< used by the runtime, as all below */
    struct logp_operation *next;
    int error;
};

/**
 * Start an operation, and do its first steps.
 * @param operation  `go_on` and `end` are set; it stays where it is until `end` is called
 * @param request    out: it is complete when the operation has ended; logp_wait() returns its error
 * @return 0; the error of its first steps, or -ENOMEM: it has not been started, and `end` is not
 *         called
 */
LOGP_API int logp_operation_start(struct logp_vp *vp, struct logp_operation *operation,
                                  struct logp_request **request);

/** @return the operation of this vp that was started after this one (NULL: the first one) and whose
 *          request is not complete; NULL: there is none. */
LOGP_API struct logp_operation *logp_operation_next(const struct logp_vp *vp,
                                                    const struct logp_operation *operation);

/** A call of a collective: the values that must be the same on all members of the group. */
struct logp_call {
    const char *name; /**< "logp_broadcast" */
    int root;         /**< -1: it has none */
    int64_t sizes[2]; /**< bytes, elements, rows or columns that must be the same; else 0 */
    const void *op;   /**< the operation on operands; NULL: none */
};

/**
 * Note that this vp calls a collective, and compare the call with those of the other members: the
 * n-th calls of all must be the same. This is done on the virtual clock on one core, and with
 * logp_config.compare_calls. If two calls differ, the run ends as by LOGP_CHECK(), and
 * logp_report.asserted names both. Elsewhere the calls that all vps make together are compared when
 * the run is over; if two differ, it returns -EPROTO instead of 0, -EDEADLK or -EMSGSIZE. Nothing
 * is compared over several processes, or with logp_config.trust_calls.
 * @param vp       a group, or the vp itself
 * @param started  a nonblocking collective: these are counted by themselves
 * @param call     copied, but for its name, which must stay until the run is over
 * @return 0; -EPROTO: they differ; -ENOMEM
 */
LOGP_API int logp_vp_note_call(struct logp_vp *vp, bool started, const struct logp_call *call);

/**
 * Note that a call of this vp returns an error, for logp_report.error_call. A library built on vps
 * names its own calls with it. The report has the last note made before the program returns the
 * same error.
 * @param call   name of the call, static storage
 * @param error  the value that it returns; nothing is noted unless it is negative
 * @return error
 */
LOGP_API int logp_vp_note_error(struct logp_vp *vp, const char *call, int error);

/**
 * Send n_bytes bytes to processor dst. They are copied before it returns. Whatever the size, it
 * does not wait for the receiver, except from logp_network.rendezvous_from bytes on, or for a long
 * message to another process (transport.h).
 * @param dst      rank; a processor may send to itself
 * @param tag      >= 0; messages of one (context, source, tag) arrive in the order sent
 * @param buf      n_bytes readable bytes; NULL only if n_bytes == 0
 * @param n_bytes  size of the payload
 * Cost:    o_send of the vp's clock; starts at least g after its last send.
 * Blocks:  while the network is full, if the model has a capacity; while the receive queue has no
 *          space, if logp_config.wait_for_space is set.
 * Memory:  earlier writes are visible after the matching receive.
 * @return  0; -EINVAL (rank, tag, buf), -ENOBUFS (the machine's queue_limit is reached), -EMSGSIZE
 *          (the message alone exceeds that limit), -ENOMEM. A refused send costs nothing, except
 *          that -ENOBUFS costs as much as a failed test and lets other vps run, so that a retry
 *          loop lets receivers free space
 * Source:  Culler et al., LogP, PPoPP 1993.
 */
LOGP_API int logp_send(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes);

/** The conditions for a send to return, or for its request to be complete. */
enum logp_send_mode {
    LOGP_SEND_STANDARD,    /**< as logp_send(): it waits from rendezvous_from bytes on */
    LOGP_SEND_SYNCHRONOUS, /**< it waits for its receiver, whatever its size */
    LOGP_SEND_BUFFERED     /**< it does not wait, whatever its size */
};

/**
 * As logp_send(), in this mode. Cost: see logp_network.rendezvous_from if it waits for its
 * receiver.
 * @return as logp_send(); -EINVAL (mode); -ENOTSUP (synchronous on a parallel machine)
 */
LOGP_API int logp_send_as(struct logp_vp *vp, enum logp_send_mode mode, int dst, int tag,
                          const void *buf, size_t n_bytes);

/** A message for logp_send_with(). A field that is zero has the meaning of logp_send(). */
struct logp_send_options {
    size_t size;     /**< sizeof(struct logp_send_options); see logp_struct_take() */
    const void *buf; /**< n_bytes readable bytes, or NULL */
    size_t n_bytes;  /**< size of the payload */
    /** Sent with the payload, to the logp_status.bits of a receive or probe of the message. No
     *  model charges it, and no limit counts it. */
    uint64_t bits;
    /**
     * NULL, or instead of buf: write n bytes of the payload, those from `at` on, to out. So the
     * payload is made where it is needed, without a copy that the program would have to allocate.
     * It is called within the send, once or for one piece after the other. A call with at == 0
     * begins anew. For a receive that truncates, it may be called for the received part only. It
     * must call no function of a vp.
     */
    void (*fill)(void *arg, size_t at, void *out, size_t n);
    void *arg;                /**< passed to fill */
    enum logp_send_mode mode; /**< as logp_send_as() */
};

/** As logp_send_as(), with these options, which are read before it returns. @return as
 *  logp_send_as(); also -EINVAL (no options; their size; not just one of buf and fill), -E2BIG (an
 *  option that this library does not know is not zero) */
LOGP_API int logp_send_with(struct logp_vp *vp, int dst, int tag,
                            const struct logp_send_options *options);

/**
 * As logp_send(), but return 1 instead of waiting for the receiver. A send would wait from
 * logp_network.rendezvous_from bytes on, and from 32 KiB on to another process until that has taken
 * the message (transport.h). A caller that then posts its receives first lets messages that arrive
 * meanwhile go straight into their buffers.
 * @return as logp_send(); 1: the send would wait, and nothing has been done
 */
LOGP_API int logp_try_send(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes);

/**
 * Receive a message from src with tag.
 * @param src       rank or LOGP_ANY_SOURCE: the earliest arrival among the messages sent by then,
 *                  ties by rank
 * @param tag       >= 0 or LOGP_ANY_TAG: of one source, the message sent first
 * @param buf       capacity writable bytes; NULL only if capacity == 0
 * @param capacity  size of buf in bytes
 * @param status    out; NULL: not wanted
 * Cost:   waits for the arrival, then o_recv; starts at least g after the last receive.
 * @return 0; -EINVAL (rank, tag, buf), -ENOMEM; -EMSGSIZE: the message is larger than capacity, and
 *         status has its size; it is not lost and can be received with a larger buffer
 */
LOGP_API int logp_recv(struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
                       struct logp_status *status);

/** A receive for logp_recv_with(). A field that is zero has the meaning of logp_recv(). */
struct logp_recv_options {
    size_t size;     /**< sizeof(struct logp_recv_options); see logp_struct_take() */
    void *buf;       /**< capacity writable bytes, or NULL */
    size_t capacity; /**< bytes that are wanted */
    /**
     * NULL, or instead of buf: take n bytes of the payload, those from `at` on, which are at
     * `bytes`. It is called once or for one piece after the other, from at == 0 on, when the
     * message is matched: within a call of this vp or of its sender, on the thread of either. So it
     * must call no function of a vp; and if vps share stacks, neither arg nor the memory that it
     * writes to may be on this vp's stack. It is not called for a message without bytes.
     */
    void (*drain)(void *arg, size_t at, const void *bytes, size_t n);
    void *arg; /**< passed to drain */
    /** Also receive a message that is larger than capacity, and drop the rest of it. The cost is
     *  that of the whole message; logp_status.n_bytes > capacity shows that there was more. */
    bool truncates;
};

/** As logp_recv(), with these options. @return as logp_recv(), but 0 for a message that has been
 *  truncated; also -EINVAL (no options; their size; not just one of buf and drain), -E2BIG (an
 *  option that this library does not know is not zero) */
LOGP_API int logp_recv_with(struct logp_vp *vp, int src, int tag,
                            const struct logp_recv_options *options, struct logp_status *status);

/**
 * Send one message and receive another, like irecv, send, wait. The two buffers must not overlap.
 * @return as logp_send() and logp_recv(). If the send fails, the other message is still to be
 *         received. If the receive fails with -EMSGSIZE, the send has taken place
 */
LOGP_API int logp_sendrecv(struct logp_vp *vp, int dst, int send_tag, const void *send_buf,
                           size_t send_bytes, int src, int recv_tag, void *recv_buf,
                           size_t capacity, struct logp_status *status);

/**
 * As logp_send(), with a request to wait for. The send is charged here; L and the streaming of a
 * long message overlap with later calls. buf may be reused at once.
 * @param request  out: complete it with logp_wait() or logp_test()
 * @return as logp_send(); also -EINVAL (no request)
 */
LOGP_API int logp_isend(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes,
                        struct logp_request **request);

/** As logp_isend(), in this mode. @return as logp_send_as() */
LOGP_API int logp_isend_as(struct logp_vp *vp, enum logp_send_mode mode, int dst, int tag,
                           const void *buf, size_t n_bytes, struct logp_request **request);

/** As logp_send_with(), with a request as of logp_isend(). @return as logp_send_with() */
LOGP_API int logp_isend_with(struct logp_vp *vp, int dst, int tag,
                             const struct logp_send_options *options,
                             struct logp_request **request);

/**
 * Post a receive. Messages match posted receives in the order of posting. Posting costs nothing;
 * o_recv is charged by the wait, or by the test that succeeds. buf belongs to the runtime until
 * then, even if other calls fail meanwhile, or until a call returns the error that stops the run.
 * @param request  out: complete it with logp_wait(), logp_test() or logp_cancel()
 * @return 0; -EINVAL (rank, tag, buf, no request), -ENOMEM
 */
LOGP_API int logp_irecv(struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
                        struct logp_request **request);

/** As logp_irecv(), with the options of logp_recv_with(), which are copied. `arg`, and the memory
 *  that drain writes to, belong to the runtime as buf does. @return as logp_irecv(); also -EINVAL
 *  and -E2BIG as logp_recv_with() */
LOGP_API int logp_irecv_with(struct logp_vp *vp, int src, int tag,
                             const struct logp_recv_options *options,
                             struct logp_request **request);

/**
 * Wait for a request and free it, whatever the result. NULL counts as complete.
 * @param status  out; NULL: not wanted. Only a receive sets it
 * @return 0; a receive: also -EMSGSIZE as logp_recv(); an operation: also its error; -ENOMEM
 */
LOGP_API int logp_wait(struct logp_vp *vp, struct logp_request *request,
                       struct logp_status *status);

/**
 * Test whether a request has completed. If so, charge and free it; otherwise this costs poll_ns and
 * lets other vps run.
 * @param done  out
 * @return as logp_wait()
 */
LOGP_API int logp_test(struct logp_vp *vp, struct logp_request *request, bool *done,
                       struct logp_status *status);

/**
 * Cancel a posted receive that has not matched a message, or a send that waits for its receiver
 * and has not matched one, and free the request. The receiver's core answers the cancel of a send.
 * @return 0; -EINPROGRESS: the send needs no receiver, or a message has been matched or is being
 *         copied into the buffer; -EINVAL (NULL, or neither a send nor a receive); -ENOTSUP: a send that waits
 *         for its receiver, in an explored run; -ENOMEM; the error that stops the run. After an
 *         error the request lives on: complete it with logp_wait()
 */
LOGP_API int logp_cancel(struct logp_vp *vp, struct logp_request *request);

/**
 * Find a message that has arrived and that a receive with these arguments would take. If there is
 * none, this costs poll_ns and lets other vps run. Only a receive that names the source and the tag
 * found is sure to take this message, as in MPI (3.1, 3.8.1); in explored runs others may take
 * another one.
 * @param found   out
 * @param status  out if found; NULL: not wanted
 * @return 0; -EINVAL (rank, tag, no `found`), -ENOMEM
 */
LOGP_API int logp_probe(struct logp_vp *vp, int src, int tag, bool *found,
                        struct logp_status *status);

/* ---- waits with an end ---- until_ns is a time of the vp's own clock, as of logp_now(). A wait
 *  whose end has passed when it begins, and that finds nothing, is a poll and costs poll_ns. An end
 *  beyond 36 years is none. */

/** No end: wait as long as the run lasts. */
#define LOGP_FOREVER INT64_MAX

/** Wait until the vp's clock is at least t_ns. With delay `none` it is the wall clock. @return 0 */
LOGP_API int logp_sleep_until(struct logp_vp *vp, int64_t t_ns);

/**
 * As logp_recv() of a message that arrives by until_ns; o_recv may end later.
 * @return as logp_recv(); -ETIME: no message arrived, and the clock is at until_ns. Later messages
 *         can still be received, in the order sent; the content of buf is undefined
 */
LOGP_API int logp_recv_until(struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
                             int64_t until_ns, struct logp_status *status);

/** As logp_wait(). @return also -ETIME as logp_recv_until(): the request lives on, wait for it
 *  again */
LOGP_API int logp_wait_until(struct logp_vp *vp, struct logp_request *request, int64_t until_ns,
                             struct logp_status *status);

/**
 * Wait for a message that a receive with these arguments would take, and take nothing.
 * @return 0: it has arrived, and is in status; -ETIME as logp_recv_until(); -EINVAL (rank, tag),
 *         -ENOMEM
 */
LOGP_API int logp_probe_until(struct logp_vp *vp, int src, int tag, int64_t until_ns,
                              struct logp_status *status);

/* ---- earliest starts ----
 * For a program that chooses the action that can start first. These calls cost nothing, so a loop
 * of these calls alone never ends. */

/** As logp_probe(), but a miss costs nothing and lets no other vp run. @return as logp_probe() */
LOGP_API int logp_peek(struct logp_vp *vp, int src, int tag, bool *found,
                       struct logp_status *status);

/**
 * The earliest time at which a send of this vp could start, by its clock, the delay model in force
 * and its earlier sends and receives. The state of the network does not count.
 * @param dst  rank, 0 .. P-1
 * @return a time of the vp's clock; not later than now if the send could start now; LOGP_NEVER if
 *         nothing is emulated
 */
LOGP_API int64_t logp_send_ready(struct logp_vp *vp, int dst, size_t n_bytes);

/** The same for a receive of a message from src whose arrival time is arrival_ns. @return also
 *  arrival_ns if nothing is emulated */
LOGP_API int64_t logp_recv_ready(struct logp_vp *vp, int src, size_t n_bytes, int64_t arrival_ns);

/**
 * Wait for n requests in their order; all of them are freed and set to NULL.
 * @param statuses  out: n of them; NULL: not wanted
 * @return the first error, as logp_wait(); 0; -EINVAL (n < 0, or no list of n > 0)
 */
LOGP_API int logp_waitall(struct logp_vp *vp, struct logp_request **requests, int n,
                          struct logp_status *statuses);

/**
 * Wait for the request whose message arrives first, ties by index; it is freed and set to NULL.
 * Only this request is charged. NULL requests are skipped.
 * @param index  out: which; -1: all are NULL, or the error belongs to no request
 * @return as logp_wait(); also -EINVAL (n < 0, no list of n > 0, no index)
 */
LOGP_API int logp_waitany(struct logp_vp *vp, struct logp_request **requests, int n, int *index,
                          struct logp_status *status);

/** As logp_waitany(). @return also -ETIME as logp_recv_until(), with index -1: all requests live
 *  on */
LOGP_API int logp_waitany_until(struct logp_vp *vp, struct logp_request **requests, int n,
                                int64_t until_ns, int *index, struct logp_status *status);

/** As logp_waitany() if a request has completed; otherwise this costs poll_ns and lets other vps
 *  run.
 *  @param done  out: one has completed, or all are NULL
 *  @return as logp_waitany(); also -EINVAL (no `done`) */
LOGP_API int logp_testany(struct logp_vp *vp, struct logp_request **requests, int n, int *index,
                          bool *done, struct logp_status *status);

/**
 * Compute for t_ns; gaps do not change.
 * @param t_ns  >= 0
 * @param fn    NULL, or the computation: it runs within t_ns, and on the wall clock only the time
 *              beyond t_ns is added
 * @param arg   passed to fn
 * @return 0; -EINVAL (t_ns)
 */
LOGP_API int logp_compute(struct logp_vp *vp, int64_t t_ns, void (*fn)(void *), void *arg);

/**
 * Set whether the time between two calls of the program counts as its computing. A run begins with
 * true. An interpreter, which only determines the next action of its processor, sets false before
 * its first call and true after its last one: its own work then belongs to the host, like that of
 * the library, and its calls read the clock less often. Computing of the processor itself must then
 * be in logp_compute(), or between two calls while this is true. Without effect under the virtual
 * clock, with delay `none`, and while the machine records.
 * @return the previous setting
 */
LOGP_API bool logp_own_time(struct logp_vp *vp, bool counts);

/**
 * Begin a blocking section: release the core around code that may block outside the runtime, such
 * as a mutex, a condition variable or input. Other vps of the core run meanwhile. Until
 * logp_blocking_end() the program must not call any function of its vp. The section counts as the
 * program's own time; its thread still runs on the processor of its core, concurrently with the vp
 * that holds the core. A machine with a vp in a blocking section is never deadlocked: only the
 * timeout of the run finds a section that does not end.
 * @return 0; -EINVAL: the vp is in a blocking section; -ENOTSUP: fibers, which cannot leave the one
 *         thread of their core, and the virtual clock, whose order would depend on when the vp came
 *         back. Then nothing has changed, and the program's blocking code delays all vps of its
 *         core
 */
LOGP_API int logp_blocking_begin(struct logp_vp *vp);

/**
 * End a blocking section: reacquire the core. The vp has it whatever is returned.
 * @return 0; -EINVAL: the vp is not in a blocking section
 */
LOGP_API int logp_blocking_end(struct logp_vp *vp);

/** @return this vp's clock in ns since the run began; with delay `none` the wall clock. Virtual
 *          clock: after 1000 readings in a row without another call, each costs poll_ns and lets
 *          other vps run, so that a loop that waits for a time ends. Such a reading is an event
 *          (logp_check.most_steps), and returns an error of functions that may wait, which is
 *          negative, if the run is over or the processor has stopped. */
LOGP_API int64_t logp_now(struct logp_vp *vp);

/** @return the wall clock in ns since the run began, lag included; virtual clock: logp_now().
 *          logp_clocks() (experiment.h) reads both at once. */
LOGP_API int64_t logp_wall_now(struct logp_vp *vp);

/**
 * Wait for all vps of the machine, then start all of them at one time that is fixed in advance, as
 * if a new run began: clocks are set to it and gaps are forgotten. It costs no emulated time. Under
 * the virtual clock the start is the time of the last to arrive. A vp that is then doing a step of
 * one of its operations continues when that step is done.
 *
 * Through a group with a list of members it does the same for these members alone, and leaves the
 * messages in the network as they are. The start is the latest member's time under the virtual
 * clock, and a little ahead of now on the wall clock. All members must call it. Different groups
 * may do so at the same time, even with the same context if they have no member in common.
 * @param start_ns  out: the common start; NULL: not wanted
 * @return 0; -ENOMEM; of a group: -EINVAL (a sync with this context and this first member is under
 *         way, with a list of another length, or a logp_compare())
 */
LOGP_API int logp_sync(struct logp_vp *vp, int64_t *start_ns);

/**
 * Compare a word of all members of a group, outside the model: no message is sent, and it costs no
 * emulated time. It serves checks of values that all members must have in common, such as a hash of
 * arguments. Each member waits for all, and continues at the latest member's time; unlike
 * logp_sync(), gaps are in force as before. All members must call it. Groups may do so at the same
 * time, as in logp_sync().
 * @param vp     the group; or the processor, which is the group of all
 * @param first  out, the same on all: the first member whose word is not that of member 0, as a
 *               rank in the group; -1: all words are the same
 * @return 0; -EINVAL (a call with this context and this first member is under way that is a
 *         logp_sync(), or has a list of another length), -ENOMEM
 */
LOGP_API int logp_compare(struct logp_vp *vp, uint64_t word, int *first);

/* ---- group ---- */

/*
 * A group is a set of processors with ranks of their own; its messages and collectives are separate
 * from all others. It is a struct logp_vp: one processor as a member. It differs from the processor
 * only in its rank, its size and the context of its messages, so all calls work in a group, and
 * there is no second set of them.
 *
 *     struct logp_vp *row;
 *     int rc = logp_group_split(vp, logp_vp_rank(vp) / width, 0, &row);
 *     ...
 *     rc = logp_allreduce(row, in, out, 1, sum);
 *     ...
 *     logp_group_destroy(row);
 *
 * The functions of this section agree with all members on a context: one that no other group of any
 * member has or has had, and that no program can have chosen. Groups of a group are made in the
 * same way. With logp_group_create() the program chooses the context, and no messages are sent.
 */

/** logp_group_split(): join none of the groups. */
#define LOGP_NO_COLOUR (-1)

/** Largest context of a group. */
#define LOGP_CONTEXT_MAX (UINT32_MAX / 3 - 1)

/**
 * Split a group into one group per colour. All its members call it.
 * @param vp      the group; or the processor, which is the group of all
 * @param colour  >= 0: members with the same colour form a group; LOGP_NO_COLOUR
 * @param key     ranks in the new group are in the order of (key, rank in vp)
 * @param out     out: leave it with logp_group_destroy(); NULL for LOGP_NO_COLOUR
 * Cost:    an allgather of 12 bytes from each member.
 * @return 0; -EINVAL (colour), -ENOSPC (no context is left, after 3 10^8 groups), -ENOMEM
 */
LOGP_API int logp_group_split(struct logp_vp *vp, int colour, int key, struct logp_vp **out);

/**
 * Make a group of some members of another. Exactly these members call it, with the same list. A
 * member of several such lists calls for them in the same order as the other members of each.
 * @param members    n_members ranks in vp, the caller's among them; a rank in the group is an index
 *                   of this list. NULL: all of vp, with the same ranks
 * @param n_members  length of members
 * @param out        out: as logp_group_split()
 * Cost:    ceil(lg n) messages of 4 bytes from each member, one after the other.
 * @return 0; -EINVAL (a rank out of range or twice, or the caller's missing), -ENOSPC, -ENOMEM
 */
LOGP_API int logp_group_from(struct logp_vp *vp, const int *members, int n_members,
                             struct logp_vp **out);

/** A group of the same members with the same ranks and a context of its own. @return as
 *  logp_group_from() */
LOGP_API int logp_group_dup(struct logp_vp *vp, struct logp_vp **out);

/**
 * Translate ranks of one group into ranks of another. No messages are sent.
 * @param from   the group that the ranks are of
 * @param n      number of ranks
 * @param ranks  ranks in from
 * @param to     the other group; NULL: all processors of the machine
 * @param out    out: n ranks, -1 for a rank that is not in `to`; may be `ranks`
 * @return 0; -EINVAL (a rank is out of range, n < 0)
 */
LOGP_API int logp_group_translate(const struct logp_vp *from, int n, const int *ranks,
                                  const struct logp_vp *to, int *out);

/**
 * A context for groups that agree on one in another way: the largest value that this function
 * returns on any member is a context for logp_group_create() that no member has used. With logp_vp_share() no two
 * calls return the same.
 * @return a context above 2^30, up to LOGP_CONTEXT_MAX; LOGP_CONTEXT_MAX + 1: none is left
 */
LOGP_API uint32_t logp_group_context(const struct logp_vp *vp);

/** @return the context of this group: that of logp_group_create(); 0: all processors */
LOGP_API uint32_t logp_vp_context(const struct logp_vp *vp);

/* ---- shared ---- */

/*
 * Memory that the members of a group share, and waits for a word of it. It serves algorithms that
 * are correct on one box only, where nothing is emulated.
 *
 * Processors are threads or fibers of one process, so they can read each other's memory anyway, but
 * they cannot wait for it by themselves. A wait of this section hands the core over, so two vps of
 * one core never spin against each other. The wait ends with the run: deadlock detection sees it,
 * and a stop, an error or a timeout ends it like a receive.
 */

/**
 * Get the memory that the members of a group share under a key, until the run ends or they leave
 * the group. It is zero when the first member asks for it, and the same for all.
 * @param vp       the group: a processor as its member
 * @param key      identifies the caller: the address of an object in it
 * @param n_bytes  the same on all members, each time
 * @param memory   out: aligned to 128 bytes
 * Threads: only the vp's owner; the caller orders the accesses to the memory itself.
 * @return 0; -ENOTSUP (delays are emulated, or the clock is virtual), -ENOMEM, -EINVAL (another
 *         size, detected at the first call); the error that stops the run
 */
LOGP_API int logp_shared(struct logp_vp *vp, const void *key, size_t n_bytes, void **memory);

/** @return whether logp_shared() is supported; if not, it returns -ENOTSUP. */
LOGP_API bool logp_shared_possible(const struct logp_vp *vp);

/**
 * Wake the processors that wait for a word and whose core sleeps, after the word was written in another
 * way than by logp_shared_set(). If none sleeps, this takes a few instructions.
 * Threads: those of processors of the machine.
 */
LOGP_API void logp_shared_wake(const uint64_t *word);

/** Set a word. Earlier writes are visible to a vp that then reads the value. Threads: as
 * logp_shared_wake(). */
static inline void logp_shared_set(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE); /* pairs with logp_shared_get() */
    logp_shared_wake(word);
}

/** @return the value of a word. */
static inline uint64_t logp_shared_get(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE); /* pairs with logp_shared_set() */
}

/**
 * Wait until a word of the group's memory is at least value. Such words must only grow.
 * @param by  the member that will set it; the wait spins for a moment if that member runs on
 *            another core. -1: any member
 * Blocks:  until then; other vps of the core run meanwhile.
 * @return  0, also if the word is large enough and the run is stopping; -ENOMEM; else the errors of
 *          any wait
 */
LOGP_API int logp_shared_wait(struct logp_vp *vp, const uint64_t *word, uint64_t value, int by);

/**
 * Test whether a word is at least value, in a loop that also waits for something else, such as
 * logp_testany(). While the loop polls, the vp counts as waiting for this word too, until this
 * returns true or logp_shared_wait() returns.
 */
LOGP_API bool logp_shared_test(struct logp_vp *vp, const uint64_t *word, uint64_t value);

LOGP_END_DECLS

#endif
