/* SPDX-License-Identifier: MIT */
/* The collectives that a program calls: each chooses, plans, and runs, after which nothing is kept,
 * or starts: call.h. */
#include "call.h"
#include "choice.h"
#include "collective/collective.h"
#include "schedule/progress.h"
#include "schedule/schedule.h"

#include <logp/shared.h>
#include <logp/vp.h>

#include <errno.h>

/* The best of those that have steps: others cannot be started. */
static int with_steps(const void *collective, int64_t P, const struct logp_invocation *c,
                      struct lpi_choice *out)
{
    const struct logp_invocation alike = lpi_alike(c);

    return lpi_choose(collective, P, c, &alike, true, NULL, out);
}

/* What a program takes, with its k: each of its P processors chooses, by what all of them know. The
 * root is none of the question but where operands are combined: in the order of ranks, perhaps. 0;
 * -ENOTSUP (none applies), -ENOMEM */
static int best(lpi_chooser choose, const char *collective, int64_t P, struct logp_invocation *c,
                const struct logp_algorithm **algorithm)
{
    struct logp_invocation asked = {.args = c->args, .model = c->model};
    struct lpi_choice choice;
    int rc;

    if (asked.args.op == NULL)
        asked.args.root = 0;
    rc = lpi_choice_cached(choose, collective, P, &asked, &choice);
    if (rc != 0 || choice.algorithm == NULL)
        return rc != 0 ? rc : -ENOTSUP;
    *algorithm = choice.algorithm;
    if (choice.k > 0)
        c->args.k = choice.k;
    return 0;
}

/* Plan and start. */
static int start(struct logp_vp *vp, const struct logp_algorithm *algorithm,
                 struct logp_invocation *c, void *buf, void *recv_buf,
                 struct logp_pending **pending)
{
    const int P = logp_vp_size(vp);
    int rc = 0;

    if (algorithm->steps == NULL)
        rc = best(with_steps, logp_collective_find(algorithm->collective)->name, P, c, &algorithm);
    if (rc == 0)
        rc = lpi_plan(algorithm, P, logp_vp_rank(vp), c);
    if (rc == 0)
        lpi_buffers(algorithm, P, logp_vp_rank(vp), c, &buf, &recv_buf);
    return rc != 0 ? rc : lpi_start(vp, algorithm, c, true, buf, recv_buf, pending);
}

/* Is there nothing to plan, to place and to wait for beside it? */
static bool is_planned(const struct logp_algorithm *algorithm, int P,
                       const struct logp_invocation *c)
{
    return algorithm->steps == NULL && algorithm->plan == NULL && !c->args.in_place &&
           (unsigned)c->args.root < (unsigned)P && lpi_needs(algorithm, P, c) == NULL &&
           lpi_is_addressable(algorithm, P, c);
}

int lpi_run_once(struct logp_vp *vp, const struct logp_algorithm *algorithm,
                 struct logp_invocation *c, void *buf, void *recv_buf,
                 struct logp_pending **pending)
{
    int rc;

    if (pending != NULL)
        return start(vp, algorithm, c, buf, recv_buf, pending);
    if (is_planned(algorithm, logp_vp_size(vp), c))
        return algorithm->run(logp_vp_collective(vp), c, buf, recv_buf);
    rc = lpi_plan(algorithm, logp_vp_size(vp), logp_vp_rank(vp), c);
    if (rc != 0)
        return rc;
    rc = lpi_run(vp, algorithm, c, buf, recv_buf);
    lpi_free_plan(&c->plan);
    return rc;
}

int lpi_run_best(struct logp_vp *vp, const struct logp_collective *collective,
                 struct logp_invocation *c, const void *buf, void *recv_buf,
                 struct logp_pending **pending)
{
    const int P = logp_vp_size(vp);
    const struct logp_algorithm *algorithm = NULL;

    c->model.undelayed =
        pending == NULL && logp_shared_possible(vp); /* what is started has steps */
    if (!c->model.undelayed && logp_vp_params(vp, &c->model.params) == 0) {
        const int rc = best(lpi_by_mean, collective->name, P, c, &algorithm);

        if (rc == -ENOMEM)
            return rc;
    }
    if (algorithm == NULL)
        algorithm = lpi_best_undelayed(collective, P, c);
    return lpi_run_once(vp, algorithm, c, (void *)buf, recv_buf, pending); /* which is only read */
}

int lpi_call_broadcast(struct logp_vp *vp, void *buf, size_t n_bytes, int root,
                       struct logp_pending **pending)
{
    struct logp_invocation c = {.args.root = root, .args.n_bytes = n_bytes};

    if (buf == NULL && n_bytes > 0)
        return -EINVAL;
    return lpi_run_best(vp, &lpi_broadcast, &c, buf, NULL, pending);
}

int lpi_call_barrier(struct logp_vp *vp, struct logp_pending **pending)
{
    struct logp_invocation c = {.args.tag = 0};

    return lpi_run_best(vp, &lpi_barrier, &c, NULL, NULL, pending);
}

int lpi_call_alltoall(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                      struct logp_pending **pending)
{
    struct logp_invocation c = {
        .args = {.n_bytes = n_bytes, .in_place = send_buf == LOGP_IN_PLACE}};

    if (n_bytes > 0 && (send_buf == NULL || recv_buf == NULL))
        return -EINVAL;
    return lpi_run_best(vp, &lpi_alltoall, &c, send_buf, recv_buf, pending);
}

int lpi_call_transpose(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t rows,
                       int64_t cols, size_t n_bytes, struct logp_pending **pending)
{
    const int P = logp_vp_size(vp);
    struct logp_invocation c = {.args = {.rows = rows, .cols = cols, .n_bytes = n_bytes}};
    const struct logp_algorithm *algorithm;
    size_t before, after;
    int rc;

    if (rows < 1 || cols < 1 || rows > INT64_MAX - P || cols > INT64_MAX - P)
        return -EINVAL;
    if (logp_vp_params(vp, &c.model.params) != 0)
        c.model.params = (struct logp_params){0};
    lpi_transpose.sizes(P, logp_vp_rank(vp), &c, &before, &after);
    if ((send_buf == NULL && before > 0) || (recv_buf == NULL && after > 0))
        return -EINVAL;
    rc = best(lpi_by_mean, lpi_transpose.name, P, &c, &algorithm);
    return rc != 0 ? rc : lpi_run_once(vp, algorithm, &c, (void *)send_buf, recv_buf, pending);
}

int lpi_call_scatter(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                     int root, struct logp_pending **pending)
{
    struct logp_invocation c = {
        .args = {.root = root, .n_bytes = n_bytes, .in_place = recv_buf == LOGP_IN_PLACE}};

    if ((n_bytes > 0 && (recv_buf == NULL || (send_buf == NULL && logp_vp_rank(vp) == root))) ||
        (c.args.in_place && logp_vp_rank(vp) != root))
        return -EINVAL;
    return lpi_run_best(vp, &lpi_scatter, &c, send_buf, recv_buf, pending);
}

int lpi_call_gather(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                    int root, struct logp_pending **pending)
{
    struct logp_invocation c = {
        .args = {.root = root, .n_bytes = n_bytes, .in_place = send_buf == LOGP_IN_PLACE}};

    if ((n_bytes > 0 && (send_buf == NULL || (recv_buf == NULL && logp_vp_rank(vp) == root))) ||
        (c.args.in_place && logp_vp_rank(vp) != root))
        return -EINVAL;
    return lpi_run_best(vp, &lpi_gather, &c, send_buf, recv_buf, pending);
}

int lpi_call_allgather(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                       struct logp_pending **pending)
{
    struct logp_invocation c = {
        .args = {.n_bytes = n_bytes, .in_place = send_buf == LOGP_IN_PLACE}};

    if (n_bytes > 0 && (send_buf == NULL || recv_buf == NULL))
        return -EINVAL;
    return lpi_run_best(vp, &lpi_allgather, &c, send_buf, recv_buf, pending);
}

/* Of all that combine vectors on all. */
static int combine_all(struct logp_vp *vp, const struct logp_collective *collective,
                       const void *send_buf, void *recv_buf, int64_t count,
                       const struct logp_op *op, struct logp_pending **pending)
{
    struct logp_invocation c = {
        .args = {.count = count, .op = op, .in_place = send_buf == LOGP_IN_PLACE}};

    if (op == NULL || op->combine == NULL || op->element_bytes == 0 || count < 0 ||
        (count > 0 && (send_buf == NULL || recv_buf == NULL)))
        return -EINVAL;
    return lpi_run_best(vp, collective, &c, send_buf, recv_buf, pending);
}

int lpi_call_allreduce(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                       const struct logp_op *op, struct logp_pending **pending)
{
    return combine_all(vp, &lpi_allreduce, send_buf, recv_buf, count, op, pending);
}

int lpi_call_reduce_scatter(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                            const struct logp_op *op, struct logp_pending **pending)
{
    return combine_all(vp, &lpi_reduce_scatter, send_buf, recv_buf, count, op, pending);
}

int lpi_call_scan(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                  const struct logp_op *op, struct logp_pending **pending)
{
    return combine_all(vp, &lpi_scan, send_buf, recv_buf, count, op, pending);
}

int lpi_call_exscan(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                    const struct logp_op *op, struct logp_pending **pending)
{
    return combine_all(vp, &lpi_exscan, send_buf, recv_buf, count, op, pending);
}

int lpi_call_reduce(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                    const struct logp_op *op, int root, struct logp_pending **pending)
{
    struct logp_invocation c = {
        .args = {.root = root, .count = count, .op = op, .in_place = send_buf == LOGP_IN_PLACE}};

    if (op == NULL || op->combine == NULL || op->element_bytes == 0 || count < 0 ||
        (count > 0 && (send_buf == NULL || (recv_buf == NULL && logp_vp_rank(vp) == root))) ||
        (c.args.in_place && logp_vp_rank(vp) != root))
        return -EINVAL;
    return lpi_run_best(vp, &lpi_reduce, &c, send_buf, recv_buf, pending);
}
