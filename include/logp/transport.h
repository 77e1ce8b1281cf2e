/* SPDX-License-Identifier: MIT */
/**
 * @file transport.h
 * Where the bytes go: within this process (`mailbox`), or between the processes of an MPI program
 * (`mpi`), on one host or many.
 *
 * With `mpi` the P virtual processors of a machine are spread in blocks of consecutive ranks over
 * the processes that mpirun has started. Each process runs the same program and calls
 * logp_machine_create(), logp_machine_run() and logp_machine_destroy() alike; ranks, groups and
 * what is reported are those of the whole machine. Between vps of one process messages go as ever,
 * between processes by MPI; how they match, what is an error and what a run does with it are the
 * same.
 *
 * The transport is a shared object, which is loaded when a machine asks for it, from where
 * LOGP_TRANSPORT_PATH says, or from where the library itself lies, or was to be installed.
 * MPI is begun by the first such machine, unless the program has, with MPI_THREAD_SERIALIZED or
 * more; it is ended, if it was begun here, at the exit of the process. One such machine at a time.
 * MPI_Init() waits for all processes that the launcher has started, however long one takes to call
 * it: a program that cannot rely on them sets itself a timer, as the command does (--timeout).
 *
 * What there is of other calls between processes:
 * - clock: the wall clock alone; logp_machine_create() refuses the virtual one (-ENOTSUP)
 * - delay models: those that are functions of the message, with a lookahead (delay.h), no
 *   capacity and no fate; runs with others, so on all topologies, are refused (-ENOTSUP). A model
 *   is replaced (logp_machine_set_delay()) in the process of the call: call it in each
 * - queue_limit: of what the vps of one process hold; a message of another process for which there
 *   is no room ends the run with -ENOBUFS. wait_for_space: -ENOTSUP
 * - a send of some KiB or more to another process returns when that has taken it, which it does
 *   while one of the vps of its first core waits or is in a call, whether or not a receive is
 * posted
 * - cores: those of a host are divided among its processes
 * - logp_machine_inject(): to vps of the process itself, else -ENOTSUP
 * - logp_shared(), and all that uses it: -ENOTSUP
 * - logp_machine_trace(), logp_machine_explore(), logp_machine_repeat(): -ENOTSUP
 * - loops that only poll, in more than one process, are no deadlock: they end with the run's
 * timeout
 * - report.asserted, logp_link_use(), logp_start_late(): of the process itself
 * - a process that has died: mpirun ends the others. Where it does not, their runs end with their
 *   timeout, and they end each other when they exit
 * All else is as on one box.
 *
 * The clock. The processes of one host read one clock. Between hosts, and wherever a process has a
 * clock of its own (logp_config.time_ns), they have that of process 0 in common: the others fit how
 * far theirs is ahead and how fast that grows, by the shortest of batches of round trips, in rounds
 * in which each that has a fit already answers one more (HCA3: Hunold, Carpen-Amarie, Hierarchical
 * clock synchronization in MPI, CLUSTER 2018, 325-336). That takes about 0.1 s for each doubling of
 * the processes, before the first run and before one that begins more than 2 s after the last fit;
 * the run's timeout counts from then on. What it is off: logp_machine_clock_error().
 */
#ifndef LOGP_TRANSPORT_H
#define LOGP_TRANSPORT_H

#include <logp/defs.h>

#include <stddef.h>
#include <stdint.h>

LOGP_BEGIN_DECLS

/** @return the name of transport i = 0, 1, ...; static storage; NULL: there are no more. */
LOGP_API const char *logp_transport_at(size_t i);

/** @return why the last transport that the calling thread has asked for could not be had, in a
 *  line; "" if it could. */
LOGP_API const char *logp_transport_error(void);

/** @return over how many processes the machine goes; mailbox: 1. */
LOGP_API int logp_machine_processes(const struct logp_machine *machine);

/** @return which of them this is, 0 .. processes - 1. */
LOGP_API int logp_machine_process(const struct logp_machine *machine);

/**
 * How far the clocks of its processes were apart in the last run, at most, in ns: what each has
 * found itself off process 0 by further round trips, plus half of the shortest of these, the
 * greatest of all, after the fit and again after the run. The same in all processes.
 * @return 0: they are on one host, and read the same clock; -1: mailbox, or there was no run yet
 */
LOGP_API int64_t logp_machine_clock_error(const struct logp_machine *machine);

/** The ranks of one of them: n from *first on. @return 0; -EINVAL (no such process) */
LOGP_API int logp_machine_ranks(const struct logp_machine *machine, int process, int *first,
                                int *n);

/** How values of several processes become one. */
enum logp_agreement { LOGP_AGREE_SUM, LOGP_AGREE_MIN, LOGP_AGREE_MAX };

/**
 * Between runs, by all processes of the machine alike: each value becomes the sum, the least or the
 * greatest of what they have there. With one process nothing changes.
 * @return 0; -EBUSY (a vp has not come home, or a process does not answer any more)
 */
LOGP_API int logp_machine_agree(struct logp_machine *machine, int64_t *values, size_t n,
                                enum logp_agreement how);

LOGP_END_DECLS

#endif
