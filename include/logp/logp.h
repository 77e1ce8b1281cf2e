/* SPDX-License-Identifier: MIT */
/**
 * @file logp.h
 * All of liblogp: a shared-memory runtime that emulates distributed processors under the LogP model
 * (Culler et al., PPoPP 1993).
 *
 * Stable from 1.0 on:
 *   machine.h     create P processors, run a program on each, read the report; machine files
 *   vp.h          calls of a program: send, receive, compute, now; groups and shared memory
 *   delay.h       the network: LogP, LogGP, topologies, links, faults, or a model of your own
 *   collective.h  the collectives, blocking and nonblocking, their operations and predictions
 *   trace.h       the actions of each processor, with their times
 *   check.h       a test kit: explores the possible runs of a program, replays failures
 *   quantity.h    numbers and times in text
 *   defs.h        definitions for all headers
 *
 * May still change with a minor version; for programs that define algorithms:
 *   algorithm.h   an algorithm as steps: run it, predict its time, check it; plug-ins
 *
 * Unstable, may change in any version:
 *   experiment.h  run an algorithm many times against its prediction; measure L, o, g, G
 *   transport.h   machines over the processes of an MPI program
 *   history.h     histories of clients, and a check that they are linearizable
 *   explain.h     the critical path of a schedule, and its time as a function of each parameter
 *   graph.h       graphs of operations (GOAL), and their times by the rules of LogGOPSim
 *   search.h      a search for the schedule that ends soonest
 *
 * Not included here, unstable:
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
#include <logp/graph.h>
#include <logp/history.h>
#include <logp/vp.h>
#include <logp/machine.h>
#include <logp/quantity.h>
#include <logp/search.h>
#include <logp/trace.h>
#include <logp/transport.h>

#endif
