/* SPDX-License-Identifier: MIT */
/* The functions that move data when a schedule is run. The parts and the work of a compute are done
 * within its time: only the time that they take beyond it is extra. */
#include "reader.h"
#include "schedule/schedule.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    KEPT_STEPS = 24,
    KEPT_RANKS = 1024, /* of more their steps would take too much memory */
};

void lpi_copy(char *at, const char *from, int64_t n, size_t n_bytes, size_t at_stride,
              size_t from_stride)
{
    if (n_bytes == 0 || (at == from && n == 1)) /* in place: it is where it belongs */
        return;
    if (n == 1 && n_bytes == sizeof(double)) /* a size that is known needs no call */
        memcpy(at, from, sizeof(double));
    else if (at_stride == n_bytes && from_stride == n_bytes) /* side by side */
        memmove(at, from, (size_t)n * n_bytes);
    else if (n_bytes == sizeof(double))
        for (; n > 0; n--, at += at_stride, from += from_stride)
            memcpy(at, from, sizeof(double));
    else
        for (; n > 0; n--, at += at_stride, from += from_stride)
            memcpy(at, from, n_bytes);
}

/* acc = acc op n elements. In lanes, which the compiler vectorises, and then those: n combinations
 * either way. */
static void combine_all(const struct logp_op *op, char *acc, const char *next, size_t n,
                        char *lanes)
{
    const size_t size = op->element_bytes, L = LOGP_LANES;

    if (n >= 4 * L) {
        memcpy(lanes, next, L * size);
        for (n -= L, next += L * size; n >= L; n -= L, next += L * size)
            op->combine(lanes, next, L, op->arg);
        for (size_t half = L / 2; half > 0; half /= 2)
            op->combine(lanes, lanes + half * size, half, op->arg);
        op->combine(acc, lanes, 1, op->arg);
    }
    for (; n > 0; n--, next += size)
        op->combine(acc, next, 1, op->arg);
}

void lpi_join(void *arg)
{
    const struct lpi_join *j = arg;

    if (j->n == 0)
        return;
    if (j->into_one) {
        combine_all(j->op, j->at, j->right, j->n, j->left);
        return;
    }
    if (j->at != j->left) /* in place they may overlap */
        memmove(j->at, j->left, j->n * j->op->element_bytes);
    j->op->combine(j->at, j->right, j->n, j->op->arg);
}

void lpi_do_parts(void *arg)
{
    struct lpi_doing *d = arg;
    const struct lpi_call *call = d->call;
    struct logp_step s;

    if (d->work != NULL)
        d->work(call->c, call->buf, call->recv_buf);
    for (int64_t i = 1; i <= d->parts && d->steps(d->P, d->rank, call->c, d->i + i, &s); i++)
        if (s.kind == LOGP_STEP_COPY) {
            lpi_copy(lpi_buffer_ref(call, s.at), lpi_buffer_ref(call, s.right), s.n, s.n_bytes,
                     s.at_stride, s.right_stride);
        } else {
            struct lpi_join join = lpi_join_of(call, &s);

            lpi_join(&join);
        }
}

int logp_schedule_run(struct logp_vp *vp, logp_steps steps, const struct logp_invocation *c,
                      void *buf, void *recv_buf)
{
    return lpi_read(vp, steps, c, buf, recv_buf);
}

/* Copy up to `most` steps. kept == NULL: they are only counted. */
static int64_t copy_steps(struct logp_step *kept, int64_t most, logp_steps steps, int64_t P,
                          int64_t rank, const struct logp_invocation *c)
{
    struct logp_step s = {.kind = LOGP_STEP_SEND};
    int64_t n = 0;

    while (n < most && steps(P, rank, c, n, &s)) {
        if (kept != NULL)
            kept[n] = s;
        n++;
    }
    return n;
}

void lpi_keep(struct lpi_cached_choice *kept, logp_steps steps, int64_t P, int64_t rank,
              const struct logp_invocation *c)
{
    const bool may_change =
        c->args.list != NULL || c->args.blocks != NULL; /* they are the user's */

    *kept = (struct lpi_cached_choice){.n = 0};
    if (steps == NULL || may_change || P > KEPT_RANKS)
        return;
    kept->n = copy_steps(NULL, KEPT_STEPS + 1, steps, P, rank, c);
    if (kept->n > 0 && kept->n <= KEPT_STEPS) /* no memory: they are not kept */
        kept->steps = malloc((size_t)kept->n * sizeof(*kept->steps));
    if (kept->steps != NULL)
        copy_steps(kept->steps, kept->n, steps, P, rank, c);
}

int lpi_run_planned(struct logp_vp *vp, const struct lpi_cached_choice *kept, logp_steps steps,
                    const struct logp_invocation *c, void *buf, void *recv_buf)
{
    const struct lpi_call call = {c, buf, recv_buf};
    const int64_t P = logp_vp_size(vp), rank = logp_vp_rank(vp);
    const bool outside = logp_own_time(vp, false);
    bool counts = false;
    int rc = 0;

    for (int64_t i = 0; rc == 0 && i < kept->n; i++) {
        lpi_count_own(vp, &kept->steps[i], &counts);
        rc = lpi_step(vp, steps, &call, P, rank, &i, &kept->steps[i]);
    }
    logp_own_time(vp, outside);
    return rc;
}

void lpi_free_plan(struct logp_rank_plan *plan)
{
    free(plan->children);
    free(plan->state);
    free(plan->outer);
    free(plan->scratch);
    *plan = (struct logp_rank_plan){.parent = -1};
}

int logp_schedule_begin(const struct logp_schedule *schedule, int rank, struct logp_invocation *c)
{
    *c = (struct logp_invocation){schedule->args, schedule->model, {.parent = -1}};
    return schedule->plan != NULL ? schedule->plan((int)schedule->P, rank, c) : 0;
}

void logp_schedule_end(struct logp_invocation *c)
{
    lpi_free_plan(&c->plan);
}

void lpi_clear_scratch(const struct logp_invocation *c, void *buf, void *recv_buf)
{
    (void)buf, (void)recv_buf;
    if (c->plan.scratch != NULL)
        memset(c->plan.scratch, 0, c->plan.scratch_bytes);
}

void *lpi_alloc_pages(size_t n, size_t size)
{
    const size_t huge = (size_t)2 << 20, bytes = n * size;
    void *memory;

    if (size > 0 && n > SIZE_MAX / 2 / size)
        return NULL;
    memory = bytes >= huge ? aligned_alloc(huge, (bytes / huge + 1) * huge)
                           : aligned_alloc(64, (bytes / 64 + 1) * 64);
    if (memory != NULL && bytes >= huge)
        madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

void *lpi_zeroed(size_t n, size_t size)
{
    void *memory = lpi_alloc_pages(n, size);

    if (memory != NULL)
        memset(memory, 0, n * size);
    return memory;
}
