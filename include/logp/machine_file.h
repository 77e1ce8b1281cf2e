/* SPDX-License-Identifier: MIT */
/**
 * @file machine_file.h
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
#ifndef LOGP_MACHINE_FILE_H
#define LOGP_MACHINE_FILE_H

#include <logp/defs.h>
#include <logp/delay.h>

LOGP_BEGIN_DECLS

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
