/* SPDX-License-Identifier: MIT */
/* Find, predict, plan and run an algorithm of the table: see collective.h. */
#include "algorithms.h"
#include "schedule/list.h"

#include <logp/schedule.h>
#include <logp/tree.h>
#include <logp/vp.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *logp_certainty_name(enum logp_certainty certainty)
{
    static const char *const names[] = {"none", "exact", "bound", "lower-bound"};

    return names[certainty];
}

const struct logp_algorithm *logp_algorithm_find(const char *collective, const char *name)
{
    size_t n;
    const struct logp_algorithm *a = logp_algorithms(&n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(a[i].collective, collective) == 0 && strcmp(a[i].name, name) == 0)
            return &a[i];
    return strcmp(collective, lpi_listed.collective) == 0 && strcmp(name, lpi_listed.name) == 0
               ? &lpi_listed
               : NULL;
}

const struct logp_collective *logp_collective_find(const char *name)
{
    size_t n;
    const struct logp_collective *c = logp_collectives(&n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(c[i].name, name) == 0)
            return &c[i];
    return strcmp(name, lpi_listed_collective.name) == 0 ? &lpi_listed_collective : NULL;
}

const char *logp_algorithm_needs(const struct logp_algorithm *algorithm, int64_t P,
                                 const struct logp_coll *c)
{
    return algorithm->needs != NULL ? algorithm->needs(P, c) : NULL;
}

/* How much a prediction promises: a lower bound less than any other. */
static int promise(const struct logp_prediction *p)
{
    if (p->certainty == LOGP_PREDICTION_NONE)
        return 0;
    return p->certainty == LOGP_PREDICTION_LOWER_BOUND ? 1 : 2;
}

static bool better(const struct logp_prediction *p, const struct logp_prediction *than)
{
    if (promise(p) != promise(than))
        return promise(p) > promise(than);
    return promise(p) > 0 && p->ns < than->ns;
}

static const struct logp_algorithm *best_by(const char *collective, int64_t P,
                                            const struct logp_coll *c, enum logp_basis by)
{
    size_t n;
    const struct logp_algorithm *a = logp_algorithms(&n), *best = NULL;
    struct logp_coll free_network = *c; /* the formulas know no capacity: compare without */
    struct logp_prediction least = lpi_no_prediction();

    free_network.params.capacity = 0;
    for (size_t i = 0; i < n; i++) {
        struct logp_prediction p;

        if (strcmp(a[i].collective, collective) != 0 || logp_algorithm_needs(&a[i], P, c) != NULL)
            continue;
        p = logp_predict_by(&a[i], P, &free_network, by);
        if (best == NULL || better(&p, &least)) {
            best = &a[i];
            least = p;
        }
    }
    return best;
}

const struct logp_algorithm *logp_algorithm_best(const char *collective, int64_t P,
                                                 const struct logp_coll *c)
{
    return best_by(collective, P, c, LOGP_BY_EITHER);
}

/*
 * Where latencies vary, what holds for L is an upper bound. All algorithms of the table receive
 * from named sources, so what each processor does, and which message it waits for, is the same in
 * every run; each step begins at the latest of times that are sums of durations and of the ends of
 * other steps. A maximum of sums only grows with each of its latencies, and none is larger than L.
 * (A receive from any source, a capacity, or links that messages share would choose by time: there
 * less latency may take longer.)
 */
static struct logp_prediction at_most(struct logp_prediction p)
{
    if (p.certainty == LOGP_PREDICTION_EXACT)
        p.certainty = LOGP_PREDICTION_BOUND;
    return p;
}

static struct logp_prediction by_formula(const struct logp_algorithm *algorithm, int64_t P,
                                         const struct logp_coll *c)
{
    const bool varies = c->params.latency_varies && c->params.L_ns > 0 && P > 1;
    const bool linked = c->topology != NULL && P > 1;
    struct logp_prediction p = lpi_no_prediction();

    if (logp_capacity(&c->params) > 0)
        return p;
    if (linked)
        p = lpi_topology_predict(algorithm, P, c);
    else if (algorithm->predict != NULL)
        p = varies ? at_most(algorithm->predict(P, c)) : algorithm->predict(P, c);
    p.by = LOGP_BY_FORMULA;
    return p;
}

/* How many messages are folded at once: on a topology each costs as much as it has links to take.
 */
static uint64_t most_messages(int64_t P, const struct logp_coll *c)
{
    const uint64_t most_hops = 1 << 24;
    int far, across;

    if (c->topology == NULL)
        return LOGP_FOLD_MESSAGES;
    far = logp_topology_hops(c->topology, 0, (int)P - 1);
    across = logp_topology_hops(c->topology, 0, (int)P / 2);
    return most_hops / (uint64_t)(8 + (far > across ? far : across));
}

/* The fold, up to `most` messages; 0: any number. */
static struct logp_prediction by_schedule(const struct logp_algorithm *algorithm, int64_t P,
                                          const struct logp_coll *c, uint64_t most)
{
    struct logp_coll settled = *c; /* chosen once, not by each rank */
    const struct logp_schedule schedule = logp_schedule_of(algorithm, P, &settled);
    struct logp_prediction p = {.by = LOGP_BY_SCHEDULE};
    struct logp_delay ends, delay;
    struct logp_fold fold;

    if (algorithm->steps == NULL ||
        logp_delay_create(c->params.store_forward ? "store-forward" : "loggp", &c->params, &ends))
        return p;
    delay = ends;
    if (c->topology != NULL && logp_topology_delay(c->topology, ends, &delay) != 0) {
        logp_delay_destroy(&ends);
        return p;
    }
    if (algorithm->window != NULL)
        settled.window = algorithm->window(P, c);
    if (algorithm->block != NULL)
        settled.block_bytes = algorithm->block(P, c);
    if (logp_schedule_fold(&schedule, &delay, most, &fold) == 0) {
        p.certainty = c->params.latency_varies && c->params.L_ns > 0 && P > 1
                          ? LOGP_PREDICTION_BOUND
                          : LOGP_PREDICTION_EXACT;
        p.ns = fold.ns;
    }
    logp_delay_destroy(&delay);
    return p;
}

struct logp_prediction logp_predict_by(const struct logp_algorithm *algorithm, int64_t P,
                                       const struct logp_coll *c, enum logp_basis by)
{
    const bool varies = c->params.latency_varies && c->params.L_ns > 0 && P > 1;
    const bool order_counts = c->topology != NULL || logp_capacity(&c->params) > 0;
    struct logp_prediction p = lpi_no_prediction(), folded;

    if (P < 1 || P > LOGP_TREE_MAX || (order_counts && varies) ||
        logp_algorithm_needs(algorithm, P, c) != NULL)
        return p;
    if (by != LOGP_BY_SCHEDULE) {
        p = by_formula(algorithm, P, c);
        if (by == LOGP_BY_FORMULA || promise(&p) > 1 || P > LOGP_FOLD_P)
            return p;
    }
    if (c->root < 0 || c->root >= P ||
        (c->topology != NULL && P > 1 && logp_topology_size(c->topology) != P))
        return p;
    if (by == LOGP_BY_SCHEDULE)
        return by_schedule(algorithm, P, c, 0);
    folded = by_schedule(algorithm, P, c, most_messages(P, c));
    return folded.certainty != LOGP_PREDICTION_NONE ? folded : p;
}

struct logp_prediction logp_predict(const struct logp_algorithm *algorithm, int64_t P,
                                    const struct logp_coll *c)
{
    return logp_predict_by(algorithm, P, c, LOGP_BY_EITHER);
}

int64_t logp_textbook_cost(int64_t P, const struct logp_params *p, size_t n_bytes)
{
    const int64_t once = p->o_send_ns + p->L_ns + p->o_recv_ns + logp_stream_ns(p, n_bytes);
    const __int128 ns = P > 1 ? (__int128)once * (64 - __builtin_clzll((uint64_t)P - 1)) : 0;

    return ns > INT64_MAX ? -1 : (int64_t)ns;
}

int logp_coll_plan(const struct logp_algorithm *algorithm, int P, int rank, struct logp_coll *c)
{
    int rc;

    c->plan = (struct logp_plan){.parent = -1};
    if (rank < 0 || rank >= P || c->root < 0 || c->root >= P)
        return -EINVAL;
    if (logp_algorithm_needs(algorithm, P, c) != NULL)
        return -ENOTSUP;
    rc = algorithm->plan != NULL ? algorithm->plan(P, rank, c) : 0;
    if (rc != 0 || c->plan.scratch_bytes == 0)
        return rc;
    c->plan.scratch = c->plan.scratch_bytes < SIZE_MAX / 4
                          ? aligned_alloc(64, (c->plan.scratch_bytes + 63) / 64 * 64)
                          : NULL;
    if (c->plan.scratch != NULL)
        return 0;
    logp_coll_unplan(c);
    return -ENOMEM;
}

void logp_coll_unplan(struct logp_coll *c)
{
    free(c->plan.children);
    free(c->plan.state);
    free(c->plan.scratch);
    c->plan = (struct logp_plan){.parent = -1};
}

int logp_coll_run(struct logp_vp *vp, const struct logp_algorithm *algorithm,
                  const struct logp_coll *c)
{
    struct logp_vp *view = logp_vp_collective(vp);

    return algorithm->run != NULL ? algorithm->run(view, c)
                                  : logp_schedule_run(view, algorithm->steps, c);
}

/* What a program takes: each of its P processors chooses, so no schedule is folded for it. */
static const struct logp_algorithm *best_at_once(const char *collective, int64_t P,
                                                 const struct logp_coll *c)
{
    return best_by(collective, P, c, LOGP_BY_FORMULA);
}

/* Plan, run, unplan: of all that it makes, nothing stays. */
static int run_once(struct logp_vp *vp, const struct logp_algorithm *algorithm, struct logp_coll *c)
{
    int rc = logp_coll_plan(algorithm, logp_vp_size(vp), logp_vp_rank(vp), c);

    if (rc != 0)
        return rc;
    rc = logp_coll_run(vp, algorithm, c);
    logp_coll_unplan(c);
    return rc;
}

int logp_broadcast(struct logp_vp *vp, void *buf, size_t n_bytes, int root)
{
    struct logp_coll c = {.root = root, .buf = buf, .n_bytes = n_bytes};
    const struct logp_algorithm *algorithm;

    if (buf == NULL && n_bytes > 0)
        return -EINVAL;
    if (logp_vp_params(vp, &c.params) == 0)
        algorithm = best_at_once("broadcast", logp_vp_size(vp), &c);
    else
        algorithm = logp_algorithm_find("broadcast", "binomial");
    return run_once(vp, algorithm, &c);
}

int logp_barrier(struct logp_vp *vp)
{
    const struct logp_coll c = {.tag = 0};

    return lpi_barrier_dissemination_run(logp_vp_collective(vp), &c);
}

int logp_alltoall(struct logp_vp *vp, void *send_buf, size_t n_bytes, void *recv_buf)
{
    const struct logp_coll c = {.buf = send_buf, .n_bytes = n_bytes, .recv_buf = recv_buf};

    if (n_bytes > 0 && (send_buf == NULL || recv_buf == NULL))
        return -EINVAL;
    return lpi_alltoall_linear_run(logp_vp_collective(vp), &c);
}

/* The choice is made for blocks all as large as the largest, for which predictions are formulas. */
int logp_transpose(struct logp_vp *vp, void *buf, int64_t rows, int64_t cols, size_t n_bytes,
                   void *recv_buf)
{
    const int P = logp_vp_size(vp);
    struct logp_coll c = {.rows = rows, .cols = cols, .n_bytes = n_bytes};
    struct logp_coll even = c;
    size_t before, after;
    const struct logp_algorithm *algorithm;

    if (rows < 1 || cols < 1 || rows > INT64_MAX - P || cols > INT64_MAX - P)
        return -EINVAL;
    if (logp_vp_params(vp, &c.params) != 0)
        c.params = (struct logp_params){0};
    logp_collective_find("transpose")->sizes(P, logp_vp_rank(vp), &c, &before, &after);
    if ((buf == NULL && before > 0) || (recv_buf == NULL && after > 0))
        return -EINVAL;
    even.params = c.params;
    even.rows = (rows + P - 1) / P * P;
    even.cols = (cols + P - 1) / P * P;
    algorithm = best_at_once("transpose", P, &even);
    c.buf = buf;
    c.recv_buf = recv_buf;
    return run_once(vp, algorithm, &c);
}

int logp_reduce(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                const struct logp_op *op, int root)
{
    struct logp_coll c = {.root = root,
                          .buf = (void *)send_buf, /* is only read */
                          .recv_buf = recv_buf,
                          .count = count,
                          .op = op};
    const int P = logp_vp_size(vp);
    const struct logp_algorithm *algorithm = logp_algorithm_find("reduce", "binomial");

    if (op == NULL || op->combine == NULL || op->element_bytes == 0 || count < 0 ||
        (count > 0 && (send_buf == NULL || (recv_buf == NULL && logp_vp_rank(vp) == root))))
        return -EINVAL;
    if (logp_vp_params(vp, &c.params) == 0)
        algorithm = best_at_once("reduce", P, &c);
    else if (logp_algorithm_needs(algorithm, P, &c) != NULL)
        algorithm = logp_algorithm_find("reduce", "flat");
    return run_once(vp, algorithm, &c);
}
