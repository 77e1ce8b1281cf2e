/* SPDX-License-Identifier: MIT */
/**
 * @file preset.h
 * Real machines as presets: what their builders and users measured, in cycles, and the parameters
 * that this makes. Messages are stored and forwarded: each hop is a software send.
 * All functions are pure and may be called from any thread.
 * Source: Liu, Li & Cui 1996, table 1.
 */
#ifndef LOGP_PRESET_H
#define LOGP_PRESET_H

#include <logp/defs.h>
#include <logp/delay.h>

LOGP_BEGIN_DECLS

/** A machine; times in cycles. */
struct logp_preset {
    const char *name;  /**< "dash" */
    const char *title; /**< "Stanford DASH" */
    int64_t cycle_ns;
    int64_t width;    /**< bits that a link carries in a cycle */
    int64_t overhead; /**< of a send and a receive together, half each */
    int64_t gap;      /**< between two sends of a processor */
    int64_t delay;    /**< of a router: a message's time to the next processor but its bits */
};

/** The presets. @param n out: their number. @return static storage. */
LOGP_API const struct logp_preset *logp_presets(size_t *n);

/** @return the preset; NULL: none. */
LOGP_API const struct logp_preset *logp_preset_find(const char *name);

/**
 * The parameters, for the delay model `store-forward`: L is the router's delay, G a byte's time on
 * the link (the built-in presets are whole picoseconds; others are rounded up), and an odd overhead
 * costs the receiver the cycle more.
 */
LOGP_API struct logp_params logp_preset_params(const struct logp_preset *preset);

LOGP_END_DECLS

#endif
