/* SPDX-License-Identifier: MIT */
/* The schedules of the table. */
#include <logp/schedule.h>

struct logp_schedule logp_schedule_of(const struct logp_algorithm *algorithm, int64_t P,
                                      const struct logp_coll *c)
{
    return (struct logp_schedule){P, algorithm->steps, algorithm->plan, c};
}
