/* SPDX-License-Identifier: MIT */
/**
 * @file plugin.h
 * Plug-ins: a delay model, algorithms, or both, in a shared object that the command loads.
 *
 *     logp run broadcast --plugin ./jitter.so:25
 *
 * What stands behind the colon is the plug-in's own, one string. The name of the file ends at the
 * first ':' behind its first ".so", or where it has no ".so" at the first of all: a name with a ':'
 * behind ".so" takes a link. A name without '/' is looked for where the loader looks (dlopen()).
 *
 * A shared object is a plug-in if it defines `logp_plugin`:
 *
 *     #include <logp/plugin.h>
 *
 *     const struct logp_plugin logp_plugin = {
 *         .size = sizeof(logp_plugin),
 *         .version = LOGP_PLUGIN_VERSION,
 *         .name = "jitter",
 *         .create_delay = create,
 *     };
 *
 * built with `cc -shared -fPIC`. It need not be linked with the library: what it calls is in the
 * program that loads it. tests/plugins/jitter.c is a whole one, a random latency, and
 * tests/plugins/two_ways.c one that brings an algorithm.
 */
#ifndef LOGP_PLUGIN_H
#define LOGP_PLUGIN_H

#include <logp/collective.h>
#include <logp/defs.h>
#include <logp/delay.h>

LOGP_BEGIN_DECLS

/** It changes when plug-ins built before would be misunderstood: they are refused then. What may
 *  be ignored only makes the structs grow. */
#define LOGP_PLUGIN_VERSION 1

/** Bytes of the sentence that says why a plug-in refuses. */
#define LOGP_PLUGIN_WHY 256

/** What the command tells a plug-in; all is the command's, and valid during the call alone. */
struct logp_plugin_call {
    size_t size;                      /**< of this struct in the command: it may have grown */
    const char *arguments;            /**< what stands behind the colon; "" where nothing does */
    int64_t P;                        /**< processors, 1 .. LOGP_MAX_PROCESSORS */
    uint64_t seed;                    /**< of all that is random: --seed */
    const struct logp_params *params; /**< -L, -o, ...: as given; params->seed is the seed, too */
};

/** What a plug-in brings. */
struct logp_plugin {
    size_t size;      /**< sizeof(struct logp_plugin); see logp_take_struct() */
    int version;      /**< LOGP_PLUGIN_VERSION */
    const char *name; /**< as messages call it: one word */
    /**
     * Make the delay model. It is called for each machine that is made, and to learn the parameters
     * to predict with, so the same call must make the same model.
     * NULL: it brings none, and takes no arguments.
     * @param out  out: the model, as logp_delay_create()
     * @param why  out: "" at first; where it refuses, a sentence that says what it takes instead
     * @return 0; a negative errno: it refuses the arguments, P or the parameters
     */
    int (*create_delay)(const struct logp_plugin_call *call, struct logp_delay *out,
                        char why[LOGP_PLUGIN_WHY]);
    /** Algorithms, each as good as one of the table; NULL behind the last. NULL: it brings none. */
    const struct logp_algorithm *const *algorithms;
};

/** The plug-in's own: the one symbol that is looked for. The library has none. */
extern LOGP_API const struct logp_plugin logp_plugin;

LOGP_END_DECLS

#endif
