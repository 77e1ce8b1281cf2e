/* SPDX-License-Identifier: MIT */
/* vector.c: a vector of count elements on each processor, for what combines them. */
#ifndef LPI_VECTOR_H
#define LPI_VECTOR_H

#include "collective.h"

#include <logp/algorithm.h>

/* Of an element: 8 without an operation. */
static inline size_t lpi_element_bytes(const struct logp_invocation *c)
{
    return c->args.op != NULL ? c->args.op->element_bytes : 8;
}

/* Whole elements in blocks of args.block_bytes, at least one; 0: nothing is asked for. */
int64_t lpi_elements_asked(const struct logp_invocation *c);
/* Of so many elements. */
int64_t lpi_elements_bytes(const struct logp_invocation *c, int64_t elements);
/* Of the vector of each processor. */
size_t lpi_vector_bytes(const struct logp_invocation *c);
/* logp_collective.sizes of what leaves each processor a vector in recv_buf, too. */
void lpi_vectors_sizes(int P, int rank, const struct logp_invocation *c, size_t *buf,
                       size_t *recv_buf);
const char *lpi_needs_commutative(int64_t P, const struct logp_invocation *c);
/* Is there what is combined? 0; -EINVAL (no operation, a negative count) */
int lpi_vector_valid(const struct logp_invocation *c);
/* logp_collective.in_place: the operands are where the result will be, from its beginning. */
bool lpi_vector_in_place(int64_t P, int64_t rank, const struct logp_invocation *c,
                         struct logp_buffer_ref *at);
/* logp_collective.promise: the vectors of so many ranks combined; 0: nothing. */
bool lpi_vector_promise(int64_t ranks, const struct logp_invocation *c, int64_t j,
                        struct logp_postcondition *out);
/* logp_algorithm.plan: room for another vector. 0; as lpi_vector_valid() */
int lpi_vector_plan(int P, int rank, struct logp_invocation *c);

/* Steps with the whole vector; combine: at = left op right. */

static inline bool lpi_send_vector(struct logp_step *out, const struct logp_invocation *c,
                                   int64_t to, enum logp_buffer from)
{
    return logp_step_send(out, to, c->args.tag, from, 0, lpi_vector_bytes(c));
}

static inline bool lpi_receive_vector(struct logp_step *out, const struct logp_invocation *c,
                                      int64_t from, enum logp_buffer into)
{
    return logp_step_receive(out, from, c->args.tag, into, 0, lpi_vector_bytes(c));
}

static inline bool lpi_combine_vector(struct logp_step *out, const struct logp_invocation *c,
                                      enum logp_buffer at, enum logp_buffer left,
                                      enum logp_buffer right)
{
    return logp_step_combine(out, (struct logp_buffer_ref){at, 0},
                             (struct logp_buffer_ref){left, 0}, (struct logp_buffer_ref){right, 0},
                             c->args.count, lpi_combine_ns(&c->model.params, c->args.count));
}

/* Elements of a vector in n parts as even as can be: where part i begins. */
static inline int64_t lpi_rank_plan_begin(int64_t count, int64_t n, int64_t i)
{
    const int64_t longer = count % n;

    return i * (count / n) + (i < longer ? i : longer);
}

/* Processors in pairs, so that a power of two is left: with X = 2^x <= P < 2 X and r = P - X, ranks
 * 0 and 1, 2 and 3, ..., 2 r - 2 and 2 r - 1 are pairs, of which the second stands for both. */
struct lpi_fold {
    int64_t X, pairs;
    int64_t j; /* which of the X this rank is; -1: the first of a pair */
};

struct lpi_fold lpi_fold_of(int64_t P, int64_t rank);

/* The rank that is the j-th of the X, of a pair the second. */
static inline int64_t lpi_unfold(const struct lpi_fold *f, int64_t j)
{
    return j < f->pairs ? 2 * j + 1 : j + f->pairs;
}

#endif
