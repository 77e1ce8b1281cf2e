/* SPDX-License-Identifier: MIT */
/* The collectives that a program calls: a table of their arguments. Each call is checked by the
 * buffers that its row requires; then its algorithm is chosen, planned, and run or started. */
#include "choice/choice.h"
#include "collective/collective.h"
#include "schedule/schedule.h"

#include <logp/collective.h>
#include <logp/vp.h>

#include <errno.h>
#include <string.h>

/* The best of those that have steps: others cannot be started. */
static int with_steps(const void *collective, int64_t P, const struct logp_invocation *c,
                      struct lpi_choice *out)
{
    const struct logp_invocation alike = lpi_alike(c);

    return lpi_choose(collective, P, c, &alike, true, NULL, NULL, out);
}

/* Choose the algorithm for a program, with its parameters. Each of the P processors chooses, so only
 * arguments that all of them know count. The root is part of the question only where operands are
 * combined, because the order of ranks may matter. 0; -ENOTSUP (none applies), -ENOMEM */
/* Not inlined: its frame would stay on the stack of a vp that waits in the collective. */
static __attribute__((noinline)) int best(lpi_chooser choose, const char *collective, int64_t P,
                                          struct logp_invocation *c,
                                          const struct logp_algorithm **algorithm)
{
    struct logp_invocation asked = {.args = c->args, .model = c->model};
    struct lpi_choice choice;
    int rc;

    if (asked.args.op == NULL && c->model.number == 0)
        asked.args.root = 0;
    rc = lpi_choice_cached(choose, collective, P, &asked, &choice);
    if (rc != 0 || choice.algorithm == NULL)
        return rc != 0 ? rc : -ENOTSUP;
    *algorithm = choice.algorithm;
    lpi_set_choice(choice.algorithm, P, c, &choice);
    return 0;
}

/* Plan and start. */
static int start(struct logp_vp *vp, const struct logp_algorithm *algorithm,
                 struct logp_invocation *c, void *buf, void *recv_buf,
                 struct logp_request **request)
{
    const int P = logp_vp_size(vp);
    int rc = 0;

    if (algorithm->steps == NULL)
        rc = best(with_steps, logp_collective_find(algorithm->collective)->name, P, c, &algorithm);
    if (rc == 0)
        rc = lpi_plan(algorithm, P, logp_vp_rank(vp), c);
    if (rc == 0)
        lpi_buffers(algorithm, P, logp_vp_rank(vp), c, &buf, &recv_buf);
    return rc != 0 ? rc : lpi_start(vp, algorithm, c, true, buf, recv_buf, request);
}

/* Whether the run function is all: there is nothing to plan, to place in buffers or to wait for. */
static bool is_planned(const struct logp_algorithm *algorithm, int P,
                       const struct logp_invocation *c)
{
    return algorithm->steps == NULL && algorithm->plan == NULL && !c->args.in_place &&
           (unsigned)c->args.root < (unsigned)P && lpi_needs(algorithm, P, c) == NULL &&
           lpi_is_addressable(algorithm, P, c);
}

int lpi_run_once(struct logp_vp *vp, const struct logp_algorithm *algorithm,
                 struct logp_invocation *c, void *buf, void *recv_buf,
                 struct logp_request **request)
{
    int rc;

    if (request != NULL)
        return start(vp, algorithm, c, buf, recv_buf, request);
    if (is_planned(algorithm, logp_vp_size(vp), c))
        return algorithm->run(logp_vp_collective(vp), c, buf, recv_buf);
    rc = lpi_plan(algorithm, logp_vp_size(vp), logp_vp_rank(vp), c);
    if (rc != 0)
        return rc;
    rc = lpi_run(vp, algorithm, c, buf, recv_buf);
    lpi_free_plan(&c->plan);
    return rc;
}

static struct {
    logp_decide_call *decide; /* NULL: nothing does */
    void *arg;
} decision;

void logp_decide_calls(logp_decide_call *decide, void *arg)
{
    decision.decide = decide;
    decision.arg = arg;
}

/* The best under the model in force, or on the host where there is none. Of a transposition nothing
 * is known there: then the model takes no time. */
static int run_best(struct logp_vp *vp, const struct logp_collective *collective,
                    struct logp_invocation *c, void *buf, void *recv_buf,
                    struct logp_request **request)
{
    const int P = logp_vp_size(vp);
    const bool by_model = collective == &lpi_transpose;
    const struct logp_algorithm *algorithm = NULL;
    int rc = 0;

    /* a collective that is started needs steps */
    c->model.undelayed = !by_model && request == NULL && logp_shared_possible(vp);
    if (by_model && logp_vp_network(vp, &c->model) != 0)
        c->model.params = (struct logp_params){0};
    if (by_model || (!c->model.undelayed && logp_vp_network(vp, &c->model) == 0))
        rc = best(lpi_by_mean, collective->name, P, c, &algorithm);
    if (rc == -ENOMEM || (rc != 0 && by_model))
        return rc;
    if (algorithm == NULL)
        algorithm = lpi_best_undelayed(collective, P, c);
    if (decision.decide != NULL)
        algorithm = decision.decide(vp, algorithm, c, request != NULL, decision.arg);
    return lpi_run_once(vp, algorithm, c, buf, recv_buf, request);
}

static bool has_operands(const struct logp_collective *collective, const struct logp_args *a, int P)
{
    const struct logp_op *op = a->op;

    if (collective->operands == LOGP_OPERANDS_VECTOR)
        return op != NULL && op->combine != NULL && op->element_bytes > 0 && a->count >= 0;
    if (collective->operands == LOGP_OPERANDS_MATRIX)
        return a->rows >= 1 && a->cols >= 1 && a->rows <= INT64_MAX - P && a->cols <= INT64_MAX - P;
    return true;
}

bool lpi_is_callable(const struct logp_vp *vp, const struct logp_collective *collective,
                     struct logp_invocation *c, const void *buf, const void *recv_buf)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    struct logp_buffer_ref at = {LOGP_RECV_BUF, 0};
    size_t bytes, recv_bytes;

    if (!has_operands(collective, &c->args, P))
        return false;
    c->args.in_place = buf == LOGP_IN_PLACE || recv_buf == LOGP_IN_PLACE;
    if (c->args.in_place && (collective->in_place == NULL || !collective->in_place(P, me, c, &at) ||
                             (at.buffer == LOGP_BUF ? buf : recv_buf) == LOGP_IN_PLACE))
        return false;
    if (c->args.blocks != NULL)
        return true;
    collective->sizes(P, me, c, &bytes, &recv_bytes);
    return (buf != NULL || bytes == 0) && (recv_buf != NULL || recv_bytes == 0);
}

/* Not inlined, as best(). */
__attribute__((noinline)) int lpi_note_call(struct logp_vp *vp, const char *name,
                                            const struct logp_collective *collective,
                                            const struct logp_args *a, bool started)
{
    struct logp_call call = {.name = name, .root = collective->rooted ? a->root : -1};

    if (a->blocks != NULL) {
        call.sizes[0] = (int64_t)a->blocks->before[a->blocks->n];
    } else if (a->op != NULL) {
        call.sizes[0] = a->count;
        call.sizes[1] = (int64_t)a->op->element_bytes;
    } else if (collective->operands == LOGP_OPERANDS_MATRIX) {
        call.sizes[0] = a->rows;
        call.sizes[1] = a->cols;
    } else {
        call.sizes[0] = (int64_t)a->n_bytes;
    }
    if (a->op != NULL)
        memcpy(&call.op, &a->op->combine, sizeof(call.op));
    return logp_vp_note_call(vp, started, &call);
}

int lpi_call(struct logp_vp *vp, const char *name, const struct logp_collective *collective,
             struct logp_invocation *c, const void *buf, void *recv_buf,
             struct logp_request **request)
{
    int rc;

    if (!lpi_is_callable(vp, collective, c, buf, recv_buf))
        return -EINVAL;
    rc = lpi_note_call(vp, name, collective, &c->args, request != NULL);
    if (rc != 0)
        return rc;
    return run_best(vp, collective, c, (void *)buf, recv_buf, request); /* buf is only read */
}

static int start_call(struct logp_vp *vp, const char *name,
                      const struct logp_collective *collective, struct logp_invocation *c,
                      const void *buf, void *recv_buf, struct logp_request **request)
{
    return request != NULL ? lpi_call(vp, name, collective, c, buf, recv_buf, request) : -EINVAL;
}

/* ---- the table ---- */

#define PARAMETERS(...) __VA_ARGS__

/* logp_NAME() and logp_iNAME(): its parameters, its buffers, and then what logp_args has of it. */
#define CALL(name, parameters, buf, recv_buf, ...)                                                 \
    int logp_##name(struct logp_vp *vp, PARAMETERS parameters)                                     \
    {                                                                                              \
        return logp_vp_note_error(vp, "logp_" #name,                                               \
                                  lpi_call(vp, "logp_" #name, &lpi_##name,                         \
                                           &(struct logp_invocation){.args = {__VA_ARGS__}}, buf,  \
                                           recv_buf, NULL));                                       \
    }                                                                                              \
    int logp_i##name(struct logp_vp *vp, PARAMETERS parameters, struct logp_request **request)     \
    {                                                                                              \
        return logp_vp_note_error(vp, "logp_i" #name,                                              \
                                  start_call(vp, "logp_i" #name, &lpi_##name,                      \
                                             &(struct logp_invocation){.args = {__VA_ARGS__}},     \
                                             buf, recv_buf, request));                             \
    }

/* Of two buffers of blocks, one of which may be the root's alone, and of two vectors. */
#define BLOCKS (const void *send_buf, void *recv_buf, size_t n_bytes)
#define ROOTED_BLOCKS (const void *send_buf, void *recv_buf, size_t n_bytes, int root)
#define VECTORS (const void *send_buf, void *recv_buf, int64_t count, const struct logp_op *op)

CALL(broadcast, (void *buf, size_t n_bytes, int root), buf, NULL, .n_bytes = n_bytes, .root = root)
CALL(scatter, ROOTED_BLOCKS, send_buf, recv_buf, .n_bytes = n_bytes, .root = root)
CALL(gather, ROOTED_BLOCKS, send_buf, recv_buf, .n_bytes = n_bytes, .root = root)
CALL(allgather, BLOCKS, send_buf, recv_buf, .n_bytes = n_bytes)
CALL(alltoall, BLOCKS, send_buf, recv_buf, .n_bytes = n_bytes)
CALL(transpose, (const void *send_buf, void *recv_buf, int64_t rows, int64_t cols, size_t n_bytes),
     send_buf, recv_buf, .rows = rows, .cols = cols, .n_bytes = n_bytes)
CALL(allreduce, VECTORS, send_buf, recv_buf, .count = count, .op = op)
CALL(reduce_scatter, VECTORS, send_buf, recv_buf, .count = count, .op = op)
CALL(scan, VECTORS, send_buf, recv_buf, .count = count, .op = op)
CALL(exscan, VECTORS, send_buf, recv_buf, .count = count, .op = op)
CALL(reduce,
     (const void *send_buf, void *recv_buf, int64_t count, const struct logp_op *op, int root),
     send_buf, recv_buf, .count = count, .op = op, .root = root)

int logp_barrier(struct logp_vp *vp)
{
    return logp_vp_note_error(vp, "logp_barrier",
                              lpi_call(vp, "logp_barrier", &lpi_barrier,
                                       &(struct logp_invocation){.args = {.tag = 0}}, NULL, NULL,
                                       NULL));
}

int logp_ibarrier(struct logp_vp *vp, struct logp_request **request)
{
    return logp_vp_note_error(vp, "logp_ibarrier",
                              start_call(vp, "logp_ibarrier", &lpi_barrier,
                                         &(struct logp_invocation){.args = {.tag = 0}}, NULL, NULL,
                                         request));
}
