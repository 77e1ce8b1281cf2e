/* SPDX-License-Identifier: MIT */
/**
 * @file logp.h
 * All of liblogp: a shared-memory runtime that emulates distributed processors under the
 * LogP model (Culler et al., PPoPP 1993).
 *
 * Stable, from 1.0 on:
 *   machine.h     create P processors, run a program on each, read the report; machines in files
 *   vp.h          what a program calls: send, receive, compute, now; groups and their memory
 *   delay.h       the network: LogP, LogGP, topologies, links, faults, or a model of your own
 *   collective.h  the collectives, also nonblocking, their operations and predictions
 *   experiment.h  run an algorithm many times against its prediction; measure L, o, g, G
 *   trace.h       what each processor did, and when
 *   transport.h   machines over the processes of an MPI program
 *   check.h       a test kit: a program runs as it could also have gone, failures again
 *   quantity.h    numbers and times as people write them
 *
 * May still change with a minor version, for those who write or take apart algorithms:
 *   algorithm.h   an algorithm as steps: run them, work out what they cost, check them; plug-ins
 *   explain.h     the critical path of a schedule, and its time as a function of each parameter
 *
 * Not included here, and unstable:
 *   paper.h       the formulas of the papers in their own units: trees, summation, the torus
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
#include <logp/vp.h>
#include <logp/machine.h>
#include <logp/quantity.h>
#include <logp/trace.h>
#include <logp/transport.h>

#endif
