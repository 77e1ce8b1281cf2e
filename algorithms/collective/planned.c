/* SPDX-License-Identifier: MIT */
/* Plans that make all steps of their rank. */
#include "collective/collective.h"

#include <errno.h>
#include <stdlib.h>

int lpi_planned_add(struct lpi_planned **list, const struct logp_step *step)
{
    const size_t n = *list != NULL ? (size_t)(*list)->n : 0;
    const size_t space = n > 0 ? 2 * n : 64;

    if (n == 0 || (n >= 64 && (n & (n - 1)) == 0)) {
        struct lpi_planned *larger = realloc(*list, sizeof(*larger) + space * sizeof(*step));

        if (larger == NULL)
            return -ENOMEM;
        larger->steps = (struct logp_step *)(larger + 1);
        larger->n = (int64_t)n;
        *list = larger;
    }
    if (step != NULL)
        (*list)->steps[(*list)->n++] = *step;
    return 0;
}
