/* SPDX-License-Identifier: MIT */
/**
 * @file logp.h
 * All of liblogp: a shared-memory runtime that emulates distributed processors under the
 * LogP model (Culler et al., PPoPP 1993).
 *
 *   machine.h     create P processors, run a program on each, read the report
 *   vp.h          what a program calls: send, receive, compute, now
 *   network.h     the network between the processors, in one struct
 *   delay.h       what a message costs: LogP, LogGP, or a model of your own
 *   collective.h  the collective algorithms and their predictions
 *   group.h       some of the processors by themselves
 *   nonblocking.h the collectives, started: they go on while the program computes
 *   shared.h      memory of a group, and waiting for a word of it
 *   schedule.h    an algorithm as steps: run them, work out what they cost, check them
 *   explain.h     the critical path of a schedule, and its time as a function of each parameter
 *   measure.h     what a measuring loop of your own needs
 *   parameters.h  L, o, g, G of anything, measured from outside
 *   plugin.h      a delay model or algorithms of your own, for the command
 *   algorithm.h   what an algorithm is made of, for who writes one
 *   experiment.h  run an algorithm many times, measured against its prediction
 *   tree.h        the optimal broadcast tree itself
 *   summation.h   the optimal summation: its tree, and how many operands each processor has
 *   check.h       a test kit: programs run as they could also have gone, failures again
 *   explore.h     what it is built with: choice points of the virtual clock
 *   latency.h     latencies by chance
 *   fault.h       faults and noise
 *   topology.h    networks of links: routes, delays, loads
 *   links.h       parameters that differ from pair to pair; nodes
 *   machine_file.h  a machine in a file, and the named ones
 *   preset.h      parameters of real machines, in cycles
 *   quantity.h    numbers and times as people write them
 *   torus.h       the pipelined torus broadcast in its paper's units
 *   trace.h       what each processor did, and when
 *   transport.h   machines over the processes of an MPI program
 */
#ifndef LOGP_LOGP_H
#define LOGP_LOGP_H

#include <logp/algorithm.h>
#include <logp/check.h>
#include <logp/collective.h>
#include <logp/defs.h>
#include <logp/delay.h>
#include <logp/experiment.h>
#include <logp/explain.h>
#include <logp/explore.h>
#include <logp/fault.h>
#include <logp/group.h>
#include <logp/latency.h>
#include <logp/links.h>
#include <logp/machine.h>
#include <logp/machine_file.h>
#include <logp/measure.h>
#include <logp/network.h>
#include <logp/nonblocking.h>
#include <logp/op.h>
#include <logp/parameters.h>
#include <logp/plugin.h>
#include <logp/preset.h>
#include <logp/quantity.h>
#include <logp/schedule.h>
#include <logp/shared.h>
#include <logp/summation.h>
#include <logp/topology.h>
#include <logp/torus.h>
#include <logp/trace.h>
#include <logp/transport.h>
#include <logp/tree.h>
#include <logp/vp.h>

#endif
