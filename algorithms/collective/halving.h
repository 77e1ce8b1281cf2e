/* SPDX-License-Identifier: MIT */
/*
 * halving.c: vectors are combined by recursive halving, so that of X = 2^x <= P processors
 * (lpi_fold) the j-th ends with the result's part j of X; the others have handed theirs over.
 */
#ifndef LPI_HALVING_H
#define LPI_HALVING_H

#include "predict/rounds.h"
#include "vector.h"

/* What a processor does it as, and where: v + shift, mod P, is its rank; a vector in which its
 * parts are, and one that what comes is in. */
struct lpi_halving {
    int64_t P, v, shift;
    struct logp_buffer_ref acc, in;
};

/* Of X parts of a vector n from `first` on, sent to virtual rank peer or received from there. */
bool lpi_move_parts(bool sends, const struct lpi_halving *h, int64_t peer,
                    struct logp_buffer_ref vector, int64_t X, int64_t first, int64_t n,
                    const struct logp_invocation *c, struct logp_step *out);
/* Of who stands for itself or a pair. @return steps that it takes; or -1: *out is step i */
int64_t lpi_halve(const struct lpi_halving *h, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out);
/* All that, where P = 2^x divides the vector. */
void lpi_halving_rounds(struct lpi_rounds *r, int64_t P, const struct logp_invocation *c);
/* At most, until all can go on; and the longest time of a message for d parts. */
__int128 lpi_halving_at_most(int64_t P, const struct logp_invocation *c);
int64_t lpi_parts_at_most(int64_t X, int64_t d, const struct logp_invocation *c);

#endif
