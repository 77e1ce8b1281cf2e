/* SPDX-License-Identifier: MIT */
/**
 * @file latency.h
 * Latencies by chance: a delay model around another one.
 *
 * The inner model says when a send starts, how long it keeps its sender busy and when its message
 * would arrive if it took L on the wire, that of its link where they differ (links.h); here that L
 * is replaced by what is drawn. A draw is a function of the seed, the two ranks and the number of
 * the message among all that its sender has sent in this run, and of nothing else.
 */
#ifndef LOGP_LATENCY_H
#define LOGP_LATENCY_H

#include <logp/delay.h>

LOGP_BEGIN_DECLS

/** Where latencies come from. */
enum logp_latency_kind {
    LOGP_LATENCY_AS_IS,       /**< what the inner model says */
    LOGP_LATENCY_UNIFORM,     /**< every whole ns in 0 .. L alike */
    LOGP_LATENCY_EXPONENTIAL, /**< mean L */
    LOGP_LATENCY_LOGNORMAL,   /**< median L, exp(normal(0, sigma)) times it */
    LOGP_LATENCY_SAMPLES,     /**< one of a list, all alike */
};

/** Zero is a good default for every field that the kind does not need. Draws are rounded to whole
 *  nanoseconds, and at most LOGP_PARAM_MAX_NS. */
struct logp_latency {
    enum logp_latency_kind kind;
    double sigma;           /**< lognormal: of the logarithm, > 0; 0: 1 */
    const int64_t *samples; /**< n_samples times in ns, >= 0, copied */
    int n_samples;
    uint64_t seed;
};

/**
 * Read samples: one time in ns a line, '#' begins a comment.
 * @param samples  out: to be freed with free()
 * @param n        out
 * @return 0; -EINVAL (something else, a number below 0, none at all, more than 2^24, more than
 *         2^25 lines, or one of more than 254 letters), -ENOMEM, or the errno of opening and
 *         reading it
 */
LOGP_API int logp_latency_read(const char *path, int64_t **samples, int *n);

/**
 * @param inner  a model with parameters; it goes over to the new one if 0 is returned
 * @param out    the new model; may be `inner`. After an error: no model, and where it is `inner`,
 *               that is freed
 * @return 0; -EINVAL (kind, sigma, samples, or an inner model without parameters, or whose
 *         latencies vary of themselves: there is no L to be replaced), -ENOMEM
 */
LOGP_API int logp_latency_create(struct logp_delay *inner, const struct logp_latency *latency,
                                 struct logp_delay *out);

LOGP_END_DECLS

#endif
