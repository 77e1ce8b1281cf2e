/* SPDX-License-Identifier: MIT */
/* Predict an algorithm of the table, and choose the best: see collective.h. */
#include "choice.h"
#include "predict/predict.h"

#include <logp/links.h>
#include <logp/schedule.h>
#include <logp/topology.h>
#include <logp/tree.h>

#include <errno.h>
#include <string.h>

const char *logp_certainty_name(enum logp_certainty certainty)
{
    static const char *const names[] = {"none", "exact", "bound", "lower-bound"};

    return names[certainty];
}

const char *logp_algorithm_needs(const struct logp_algorithm *algorithm, int64_t P,
                                 const struct logp_args *args, const struct logp_model *model)
{
    const struct logp_coll c = lpi_coll(args, model);

    return lpi_needs(algorithm, P, &c);
}

const char *lpi_needs_blocks(const struct logp_algorithm *a, int64_t P, const struct logp_coll *c)
{
    const struct logp_blocks *b = c->args.blocks, *r = c->args.recv_blocks;

    if (!a->any_blocks)
        return "blocks that are all alike";
    if (strcmp(a->collective, "alltoall") != 0)
        return b->n == P ? NULL : "as many blocks as processors";
    return r != NULL && b->n == r->n && (b->n == P || b->n / P == P) && b->n % P == 0
               ? NULL
               : "a block from each processor to each";
}

struct logp_coll lpi_alike(const struct logp_coll *c)
{
    const struct logp_blocks *b = c->args.blocks;
    struct logp_coll alike = *c;

    if (b == NULL)
        return alike;
    alike.args.blocks = alike.args.recv_blocks = NULL;
    alike.args.n_bytes = b->before[b->n] / (size_t)b->n + (b->before[b->n] % (size_t)b->n > 0);
    alike.args.count = alike.args.n_bytes < INT64_MAX ? (int64_t)alike.args.n_bytes : INT64_MAX;
    return alike;
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
    const bool linked = c->model.topology != NULL && P > 1;
    struct logp_prediction p = lpi_no_prediction();

    if (logp_capacity(&c->model.params) > 0 || c->args.blocks != NULL || c->model.links != NULL ||
        c->model.rendezvous_from > 0 || c->model.params.recv_streams)
        return p;
    if (linked)
        p = lpi_predict_linked(algorithm, P, c);
    else if (algorithm->predict != NULL)
        p = lpi_varies(P, c) ? at_most(algorithm->predict(P, c)) : algorithm->predict(P, c);
    p.by = LOGP_BY_FORMULA;
    return p;
}

/* How many messages are folded at once: on a topology each costs as much as it has links to take.
 */
static uint64_t most_messages(int64_t P, const struct logp_coll *c)
{
    const uint64_t most_hops = 1 << 24;
    int far, across;

    if (c->model.topology == NULL)
        return LOGP_FOLD_MESSAGES;
    far = logp_topology_hops(c->model.topology, 0, (int)P - 1);
    across = logp_topology_hops(c->model.topology, 0, (int)P / 2);
    return most_hops / (uint64_t)(8 + (far > across ? far : across));
}

void lpi_settle(const struct logp_algorithm *algorithm, int64_t P, struct logp_coll *c)
{
    const struct logp_coll asked = *c;

    for (int i = 0; i < LOGP_MAX_KNOBS && algorithm->knobs[i].field != 0; i++)
        if (algorithm->knobs[i].value != NULL)
            *(int64_t *)((char *)&c->args + algorithm->knobs[i].field) =
                algorithm->knobs[i].value(P, &asked);
}

/* The delay model that is folded under. 0; or an error */
static int delay_of(const struct logp_model *model, struct logp_delay *out)
{
    struct logp_params params = model->params;
    struct logp_delay ends;
    int rc;

    params.latency_varies = false; /* every message takes the most that it may */
    if (model->links != NULL)
        return logp_links_delay(model->links, &params, out);
    rc = logp_delay_create(logp_delay_name(&params), &params, &ends);
    *out = ends;
    if (rc != 0 || model->topology == NULL)
        return rc;
    rc = logp_topology_delay(model->topology, ends, out);
    if (rc != 0)
        logp_delay_destroy(&ends);
    return rc;
}

/* The fold, up to `most` messages; 0: any number. */
static struct logp_prediction by_schedule(const struct logp_algorithm *algorithm, int64_t P,
                                          const struct logp_coll *c, uint64_t most)
{
    struct logp_coll settled = *c;
    struct logp_schedule schedule;
    struct logp_prediction p = {.by = LOGP_BY_SCHEDULE};
    struct logp_delay delay;
    struct logp_fold fold;
    int rc;

    if (algorithm->steps == NULL || !lpi_is_addressable(algorithm, P, c))
        return p;
    rc = delay_of(&c->model, &delay);
    if (rc != 0)
        return rc == -ENOMEM ? lpi_no_memory() : p;
    lpi_settle(algorithm, P, &settled);
    schedule = logp_schedule_of(algorithm, P, &settled.args, &settled.model);
    rc = logp_schedule_fold(&schedule, &delay, most, &fold);
    if (rc == -ENOMEM)
        p = lpi_no_memory();
    else if (rc == 0) {
        p.certainty = lpi_varies(P, c) ? LOGP_PREDICTION_BOUND : LOGP_PREDICTION_EXACT;
        p.ns = fold.ns;
    }
    logp_delay_destroy(&delay);
    return p;
}

static struct logp_prediction predict_by(const struct logp_algorithm *algorithm, int64_t P,
                                         const struct logp_coll *c, enum logp_basis by)
{
    const bool order_counts = c->model.topology != NULL || logp_capacity(&c->model.params) > 0;
    struct logp_prediction p = lpi_no_prediction(), folded;
    bool rough;

    if (P < 1 || P > LOGP_TREE_MAX || (order_counts && lpi_varies(P, c)) ||
        lpi_needs(algorithm, P, c) != NULL)
        return p;
    if (by != LOGP_BY_SCHEDULE) {
        p = by_formula(algorithm, P, c);
        rough = algorithm->rough && p.certainty == LOGP_PREDICTION_BOUND;
        if (by == LOGP_BY_FORMULA || lpi_lacks_memory(&p) || (promise(&p) > 1 && !rough) || P > LOGP_FOLD_P ||
            (promise(&p) == 0 && p.ns == LPI_TOO_LONG))
            return p;
    }
    if (c->args.root < 0 || c->args.root >= P ||
        (c->model.topology != NULL && P > 1 && logp_topology_size(c->model.topology) != P) ||
        (c->model.links != NULL && logp_links_size(c->model.links) != P))
        return p;
    if (by == LOGP_BY_SCHEDULE)
        return by_schedule(algorithm, P, c, 0);
    folded = by_schedule(algorithm, P, c, most_messages(P, c));
    return folded.certainty != LOGP_PREDICTION_NONE || lpi_lacks_memory(&folded) ? folded : p;
}

struct logp_prediction logp_predict_by(const struct logp_algorithm *algorithm, int64_t P,
                                       const struct logp_args *args, const struct logp_model *model,
                                       enum logp_basis by)
{
    const struct logp_coll c = lpi_coll(args, model);

    return predict_by(algorithm, P, &c, by);
}

struct logp_prediction logp_predict(const struct logp_algorithm *algorithm, int64_t P,
                                    const struct logp_args *args, const struct logp_model *model)
{
    return logp_predict_by(algorithm, P, args, model, LOGP_BY_EITHER);
}

/* *least: what is predicted of it. */
static const struct logp_algorithm *best_by(const char *collective, int64_t P,
                                            const struct logp_coll *c, bool steps,
                                            enum logp_basis by, struct logp_prediction *least)
{
    const struct logp_algorithm *a, *best = NULL;
    /* the formulas know no capacity, and no blocks: compare without */
    struct logp_coll free_network = by == LOGP_BY_FORMULA ? lpi_alike(c) : *c;

    *least = lpi_no_prediction();
    free_network.model.params.capacity = 0;
    for (size_t i = 0; (a = logp_algorithm_at(collective, i)) != NULL; i++) {
        struct logp_prediction p;

        if (lpi_needs(a, P, c) != NULL || (steps && a->steps == NULL))
            continue;
        p = predict_by(a, P, &free_network, by);
        if (best == NULL || better(&p, least)) {
            best = a;
            *least = p;
        }
    }
    return best;
}

const struct logp_algorithm *lpi_best(const char *collective, int64_t P, const struct logp_coll *c,
                                      bool steps)
{
    struct logp_prediction least;

    return best_by(collective, P, c, steps, LOGP_BY_FORMULA, &least);
}

/* Schedules are folded where no formula says when any ends at the latest. Where links differ or
 * sends wait for receivers no formula says anything, and what is too large to be folded is taken as
 * if all links were alike, and nobody waited. */
static const struct logp_algorithm *best_of_all(const char *collective, int64_t P,
                                                const struct logp_coll *c)
{
    struct logp_prediction least;
    const struct logp_algorithm *best = best_by(collective, P, c, false, LOGP_BY_FORMULA, &least);
    struct logp_coll plain = *c;

    if (best != NULL &&
        (promise(&least) < 2 || c->model.topology != NULL || c->args.blocks != NULL))
        best = best_by(collective, P, c, false, LOGP_BY_EITHER, &least);
    if (best == NULL || promise(&least) > 0 ||
        (c->model.links == NULL && c->model.rendezvous_from == 0))
        return best;
    plain.model.links = NULL;
    plain.model.rendezvous_from = 0;
    return best_by(collective, P, &plain, false, LOGP_BY_FORMULA, &least);
}

const struct logp_algorithm *logp_algorithm_best(const char *collective, int64_t P,
                                                 const struct logp_args *args,
                                                 const struct logp_model *model)
{
    const struct logp_collective *what = logp_collective_find(collective);
    const struct logp_coll c = lpi_coll(args, model);

    if (what == NULL || c.model.topology != NULL || c.model.links != NULL || c.args.list != NULL ||
        c.args.blocks != NULL || c.model.rendezvous_from > 0)
        return best_of_all(collective, P, &c);
    return lpi_best_kept(best_of_all, what->name, P, &c);
}

int64_t logp_algorithm_textbook(const struct logp_algorithm *algorithm, int64_t P,
                                const struct logp_args *args, const struct logp_model *model)
{
    const struct logp_coll c = lpi_coll(args, model);

    return algorithm->textbook != NULL && c.model.links == NULL ? algorithm->textbook(P, &c) : -1;
}
