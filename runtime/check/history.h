/* SPDX-License-Identifier: MIT */
/* Histories, as their files share them. */
#ifndef LPI_CHECK_HISTORY_H
#define LPI_CHECK_HISTORY_H

#include <logp/history.h>

/* An event. The order of events is (time_ns, number). */
struct lpi_moment {
    int64_t time_ns;
    uint64_t number;
    int operation;
    bool returns;
};

/* Find an order of the operations with the given events, which are sorted; the operations whose
 * return is not among them are pending. 0; -EPROTO: there is none; -ENOMEM. */
int lpi_linearize(const struct logp_model *model, const struct logp_history_operation *operations,
                  const struct lpi_moment *moments, size_t n);

#endif
