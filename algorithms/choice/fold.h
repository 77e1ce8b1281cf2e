/* SPDX-License-Identifier: MIT */
/* predict.c: what a row takes by its formula, and by its schedule, for who compares many. */
#ifndef LPI_CHOICE_FOLD_H
#define LPI_CHOICE_FOLD_H

#include <logp/algorithm.h>

/* Of a row that applies, with its k. 0; -ENOMEM */
int lpi_by_formula(const struct logp_algorithm *algorithm, int64_t P,
                   const struct logp_invocation *c, struct logp_prediction *out);
/* The least time of a row whose messages depend on its k alone; 0: not known. */
int64_t lpi_at_least(const struct logp_algorithm *algorithm, int64_t P,
                     const struct logp_invocation *c);
/* Should its schedule be folded, as the formula says no more than this? */
bool lpi_is_open(const struct logp_algorithm *algorithm, int64_t P, const struct logp_invocation *c,
                 const struct logp_prediction *formula);

/* Folds under one model. */
struct lpi_folds {
    struct logp_delay delay;
    int rc;              /* of its making */
    uint64_t most, left; /* messages: of one fold, and of all that are still to come */
};

/* 0; -ENOMEM, and there is nothing to end */
int lpi_folds_init(struct lpi_folds *folds, int64_t P, const struct logp_invocation *c);
void lpi_folds_fini(struct lpi_folds *folds);
/* few: no more messages than that, and if it has more they do not count; 0: as many as are left.
 * 0; -ETIME: it takes longer than `until`; -E2BIG: too many messages; -ENOMEM; or else it cannot be
 * folded */
int lpi_fold(struct lpi_folds *folds, const struct logp_algorithm *algorithm, int64_t P,
             const struct logp_invocation *c, uint64_t few, int64_t until,
             struct logp_prediction *out);

#endif
