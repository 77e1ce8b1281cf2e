/* SPDX-License-Identifier: MIT */
/* What one rank needs for a collective by any row of the table: a plan, and operands that can be
 * checked. */
#ifndef LOGP_TESTS_TASK_H
#define LOGP_TESTS_TASK_H

#include "support.h"

struct task {
    const struct logp_collective *collective;
    struct logp_plan *plan;
    struct logp_invocation c; /* planned, too: its collective must know */
    void *buf, *recv_buf;
};

static inline void test_prepare(struct task *t, const struct logp_algorithm *row, int P, int rank,
                                uint64_t seed, const struct logp_invocation *c)
{
    const struct logp_schedule s = logp_schedule_of(row, P, &c->args, &c->model);
    size_t n, n_recv;

    t->collective = logp_collective_find(row->collective);
    cr_assert_eq(logp_schedule_begin(&s, rank, &t->c), 0);
    cr_assert_eq(logp_plan_create(row, P, rank, &c->args, &c->model, &t->plan), 0);
    logp_plan_sizes(t->plan, &n, &n_recv);
    t->buf = malloc(n + 1);
    t->recv_buf = malloc(n_recv + 1);
    logp_collective_fill(t->collective, P, rank, seed, &t->c, t->buf, t->recv_buf);
}

/* Does the rank hold what it must? */
static inline bool test_is_right(const struct task *t, int P, int rank, uint64_t seed)
{
    return logp_collective_check(t->collective, P, rank, seed, &t->c, t->buf, t->recv_buf) == 1;
}

static inline void test_put_away(struct task *t)
{
    logp_plan_destroy(t->plan);
    logp_schedule_end(&t->c);
    free(t->buf);
    free(t->recv_buf);
}

#endif
