/* SPDX-License-Identifier: MIT */
/* A schedule that is a list, as a collective with one algorithm. It stands outside the table: it
 * has no arguments to choose from. */
#include "list.h"

#include <logp/schedule.h>

#include <string.h>

static bool steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,
                  struct logp_step *out)
{
    (void)P;
    if (i >= c->list->n[rank])
        return false;
    *out = c->list->steps[rank][i];
    return true;
}

static const char *needs(int64_t P, const struct logp_coll *c)
{
    return c->list != NULL && c->list->P == P ? NULL : "a list of the steps of all ranks";
}

static void sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf)
{
    (void)P, (void)rank;
    *buf = 0;
    *recv_buf = c->list->most_bytes;
}

static void fill(int P, int rank, uint64_t seed, const struct logp_coll *c)
{
    (void)P, (void)rank, (void)seed;
    if (c->list->most_bytes > 0)
        memset(c->recv_buf, 0, c->list->most_bytes);
}

/* That all messages come is all that there is to see. */
static int check(int P, int rank, uint64_t seed, const struct logp_coll *c)
{
    (void)P, (void)rank, (void)seed, (void)c;
    return true;
}

const struct logp_collective lpi_listed_collective = {.name = "schedule",
                                                      .summary = "the steps of a list",
                                                      .operands = LOGP_OPERANDS_NONE,
                                                      .sizes = sizes,
                                                      .fill = fill,
                                                      .check = check};

const struct logp_algorithm lpi_listed = {.collective = "schedule",
                                          .name = "listed",
                                          .summary = "the steps of a list",
                                          .source = "",
                                          .needs = needs,
                                          .steps = steps};
