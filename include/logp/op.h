/* SPDX-License-Identifier: MIT */
/**
 * @file op.h
 * How elements combine: the operations of reductions.
 *
 * The built-in ones are sum, prod, min and max of int32, int64, float and double; sums and products
 * of integers wrap around. A program may pass an operation of its own, on elements of any size.
 */
#ifndef LOGP_OP_H
#define LOGP_OP_H

#include <logp/defs.h>

LOGP_BEGIN_DECLS

/** An associative operation on elements. */
struct logp_op {
    const char *name;     /**< "sum" */
    const char *type;     /**< of its elements: "double" */
    size_t element_bytes; /**< of one element, > 0 */
    bool commutative;     /**< false: operands are combined in the order of their ranks */
    /** acc[i] = acc[i] op in[i] for n elements; the two do not overlap. */
    void (*combine)(void *acc, const void *in, size_t n, void *arg);
    /** n operands for an experiment, the same for the same seed, whose results do not depend on the
     *  order of combining; NULL: bytes at random. */
    void (*fill)(void *buf, size_t n, uint64_t seed, void *arg);
    void *arg; /**< passed to both */
};

/** The built-in operations. @param n out: their number. @return static storage. */
LOGP_API const struct logp_op *logp_ops(size_t *n);

/** @return the built-in operation with this name and type; NULL: none. */
LOGP_API const struct logp_op *logp_op_find(const char *name, const char *type);

/**
 * What one combination of two elements takes on this host: the median of several sweeps over two
 * vectors of n elements.
 * @param n  elements of a vector, >= 1
 * @return picoseconds per element, >= 1; -ENOMEM
 */
LOGP_API int64_t logp_op_measure(const struct logp_op *op, size_t n);

LOGP_END_DECLS

#endif
