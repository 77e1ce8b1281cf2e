/* SPDX-License-Identifier: MIT */
/* What the readers share. */
#ifndef LPI_SCHEDULE_H
#define LPI_SCHEDULE_H

#include <logp/algorithm.h>

/* schedule.c: what a plan function has made, or what is all 0 but for the parent, and more than
 * once. */
void lpi_free_plan(struct logp_rank_plan *part);

/* fold.c: logp_schedule_fold(), but -ETIME as soon as a rank is busy beyond `until`, in ns: what
 * ends later is of no interest. */
int lpi_fold_until(const struct logp_schedule *schedule, const struct logp_delay *delay,
                   uint64_t most, int64_t until, struct logp_fold *out);

/* fold.c: a delay model in which nothing takes time, for who follows a fold by its messages:
 * on_send and on_recv are as send and recv of any model, and what one makes the arrival of a message the other gets. */
struct logp_delay_ops
lpi_timeless(void (*on_send)(void *, struct logp_port *, struct logp_transfer *),
             void (*on_recv)(void *, struct logp_port *, struct logp_transfer *));

/* alone.c: what a rank is busy for at least; where it comes to be more than `until`, perhaps less
 * of it. 0; as logp_delay_functions(), or what the plan returns */
int lpi_alone(const struct logp_schedule *schedule, const struct logp_delay *delay, int rank,
              int64_t until, int64_t *ns);

/* schedule.c: room for n pieces of size bytes, in huge pages where there are many: a fault costs a
 * microsecond; and the same, zeroed. NULL: no memory. */
void *lpi_alloc_pages(size_t n, size_t size);
void *lpi_zeroed(size_t n, size_t size);

/* run.c: the steps of a rank, where they are few and of no more than is planned: to be read again
 * and again. */
struct lpi_cached_choice {
    struct logp_step *steps; /* NULL: they are not kept */
    int64_t n;
};

void lpi_keep(struct lpi_cached_choice *kept, logp_steps steps, int64_t P, int64_t rank,
              const struct logp_invocation *c);
/* As logp_schedule_run(), with what is kept of these steps. */
int lpi_run_planned(struct logp_vp *vp, const struct lpi_cached_choice *kept, logp_steps steps,
                    const struct logp_invocation *c, void *buf, void *recv_buf);

#endif
