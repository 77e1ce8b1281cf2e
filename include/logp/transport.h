/* SPDX-License-Identifier: MIT */
/**
 * @file transport.h
 * Transports deliver the messages: within this process (`mailbox`), or between the processes of an
 * MPI program (`mpi`), on one host or many. Unstable: this header may change in any version.
 *
 * With `mpi` the P virtual processors of a machine are spread over the processes that mpirun has
 * started, in blocks of consecutive ranks. Each process runs the same program and makes the same
 * calls of logp_machine_create(), logp_machine_run() and logp_machine_destroy(). Ranks, groups and
 * reports are those of the whole machine. Messages between vps of one process go as without MPI,
 * messages between processes go by MPI; matching, errors and their effect on a run are the same.
 *
 * The transport is a shared object that is loaded when a machine asks for it: from
 * LOGP_TRANSPORT_PATH, or from the folder of the library itself, or from where that was to be
 * installed. The first such machine begins MPI, unless the program has begun it with
 * MPI_THREAD_SERIALIZED or more. MPI that was begun here is ended at the exit of the process. One
 * such machine may exist at a time. MPI_Init() waits for all processes that the launcher has
 * started, however long one takes to call it. A program that cannot rely on them sets a timer, as
 * the command does (--timeout).
 *
 * Differences between several processes and one:
 * - clock: the wall clock only; logp_machine_create() refuses the virtual clock (-ENOTSUP)
 * - delay models: those whose times depend on the message alone, with a lookahead (delay.h), no
 *   capacity and no fate. Runs with others, so on all topologies, are refused (-ENOTSUP).
 *   logp_machine_set_delay() replaces the model in the calling process only: call it in each
 * - queue_limit: limits the messages queued in one process; a message from another process that
 *   finds no space ends the run with -ENOBUFS. wait_for_space: -ENOTSUP
 * - a send of some KiB or more to another process returns when that process has taken the message.
 *   It does so while one of the vps of its first core waits or is in a call, whether or not a
 *   receive is posted
 * - cores: the processes of a host share its cores
 * - logp_machine_inject(): only to vps of the process itself, else -ENOTSUP
 * - logp_shared(), and the functions and algorithms that use it: -ENOTSUP
 * - logp_machine_trace(), logp_machine_explore(), logp_machine_repeat(): -ENOTSUP
 * - loops that only poll, in more than one process, are not detected as a deadlock: they end with
 *   the run's timeout
 * - report.asserted, logp_link_use(), logp_start_late(): of the process itself
 * - when a process dies, mpirun ends the others. If it does not, their runs end with their timeout,
 *   and they end each other when they exit
 *
 * Clocks: the processes of one host read one clock. Processes on different hosts, or with clocks of
 * their own (logp_config.time_ns), use the clock of process 0: each other process fits the offset
 * and the drift of its clock to it. The fit uses the shortest of batches of round trips, in rounds;
 * each process that has a fit serves one more per round (HCA3: Hunold, Carpen-Amarie, Hierarchical
 * clock synchronization in MPI, CLUSTER 2018, 325-336). It takes about 0.1 s per doubling of the
 * processes, before the first run and before a run that begins more than 2 s after the last fit;
 * the run's timeout starts afterwards. The error of the fit: logp_machine_clock_error().
 */
#ifndef LOGP_TRANSPORT_H
#define LOGP_TRANSPORT_H

#include <logp/defs.h>

#include <stddef.h>
#include <stdint.h>

LOGP_BEGIN_DECLS

/** @return the name of transport i = 0, 1, ...; static storage; NULL: there are no more. */
LOGP_API const char *logp_transport_at(size_t i);

/** @return the reason, in one line, for which the last transport that the calling thread requested
 *          could not be loaded; "" if it could. */
LOGP_API const char *logp_transport_error(void);

/** @return the number of processes of the machine; mailbox: 1. */
LOGP_API int logp_machine_processes(const struct logp_machine *machine);

/** @return the number of this process, 0 .. processes - 1. */
LOGP_API int logp_machine_process(const struct logp_machine *machine);

/**
 * The largest error of the processes' clocks in the last run, in ns. Each process measures its
 * offset to process 0 by further round trips, after the fit and again after the run, and adds half
 * of the shortest of these. The result is the largest of these sums, and the same in all processes.
 * @return 0: they are on one host and read the same clock; -1: mailbox, or there was no run yet
 */
LOGP_API int64_t logp_machine_clock_error(const struct logp_machine *machine);

/** The ranks of a process: n ranks from *first on. @return 0; -EINVAL (no such process) */
LOGP_API int logp_machine_ranks(const struct logp_machine *machine, int process, int *first,
                                int *n);

/** The ways to combine the values of several processes. */
enum logp_agreement { LOGP_AGREE_SUM, LOGP_AGREE_MIN, LOGP_AGREE_MAX };

/**
 * Combine values of all processes of the machine, which all call it between runs: each value
 * becomes the sum, the minimum or the maximum over the processes. With one process nothing changes.
 * @return 0; -EBUSY (a vp of a timed-out run is still running, or a process no longer answers)
 */
LOGP_API int logp_machine_agree(struct logp_machine *machine, int64_t *values, size_t n,
                                enum logp_agreement how);

enum { LOGP_ACTIVE_BYTES = 4096 }; /**< of the longest active message */

/**
 * Handle an active message. The handler runs in the process that the message is for, while that
 * polls for messages of other processes, whatever its vps do. It must not wait, and of the library
 * it calls only logp_active_reply() and logp_active_post(). The messages from one process to
 * another are handled in the order sent, before the messages of vps that were sent after them.
 * Source: von Eicken, Culler, Goldstein, Schauser, Active messages, ISCA 1992, 256-266
 * @param process  sender of the message
 * @param bytes    aligned for any type; valid until it returns
 */
typedef void logp_active_handler(struct logp_machine *machine, int process, const void *bytes,
                                 size_t n_bytes);

/** Set the handler, between runs. With one process nothing calls it. */
LOGP_API void logp_machine_handle(struct logp_machine *machine, logp_active_handler *handler);

/**
 * Send an active message to another process. It costs no emulated time, and the bytes are copied.
 * Threads: the vp.
 * @return 0; -EINVAL (process; n_bytes > LOGP_ACTIVE_BYTES); the error of a run that was stopped
 */
LOGP_API int logp_active_send(struct logp_vp *vp, int process, const void *bytes, size_t n_bytes);

/**
 * Send an active message to another process, from a handler.
 * @return 0; -EINVAL (process; n_bytes > LOGP_ACTIVE_BYTES); -ENOMEM, which also ends the run
 */
LOGP_API int logp_active_reply(struct logp_machine *machine, int process, const void *bytes,
                               size_t n_bytes);

/**
 * Send an empty message as vp, which is of this process, to a rank of its group, from a handler.
 * The sender is charged nothing.
 * @param arrival_ns  when it arrives, by the emulated clock; < 0: at once, on a machine without
 *                    delays
 * @return 0; -EINVAL (dst, a time beyond 36 years, or there is one process); -ENOMEM, which also
 *         ends the run
 */
LOGP_API int logp_active_post(struct logp_vp *vp, int dst, int tag, int64_t arrival_ns);

LOGP_END_DECLS

#endif
