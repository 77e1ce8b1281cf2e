/* SPDX-License-Identifier: MIT */
/* The time of a row by its formula and by its schedule, and the lower bound of its collective. */
#include "choice/choice.h"
#include "choice/contained.h"
#include "operand/operand.h"
#include "predict/predict.h"
#include "schedule/schedule.h"

#include <logp/delay.h>
#include <logp/algorithm.h>

#include <errno.h>

/*
 * Turn a time for latency L into an upper bound where latencies vary. All algorithms of the table
 * receive from named sources, so the steps of a processor, and the messages it waits for, are the
 * same in every run; each step begins at the latest of times that are sums of durations and of the
 * ends of other steps. A maximum of sums only grows with each of its latencies, and none is larger
 * than L. (A receive from any source, a capacity, or links that messages share would choose by
 * time: there less latency may take longer.)
 */
static struct logp_prediction at_most(struct logp_prediction p)
{
    if (p.certainty == LOGP_PREDICTION_EXACT)
        p.certainty = LOGP_PREDICTION_BOUND;
    return p;
}

/* The order in which messages wait for each other can differ between runs. */
bool lpi_is_predictable(int64_t P, const struct logp_invocation *c)
{
    const bool order_counts = c->model.topology != NULL || lpi_has_ports(&c->model) ||
                              logp_params_capacity(&c->model.params) > 0;

    /* the machine and the fold let messages on unlike ports of unlike links onto the wire in different orders */
    if (P > 1 && lpi_has_ports(&c->model) && c->model.links != NULL &&
        logp_params_capacity(&c->model.params) > 0)
        return false;
    return P >= 1 && P <= LOGP_TREE_MAX && !(order_counts && lpi_varies(P, c));
}

int lpi_by_formula(const struct logp_algorithm *algorithm, int64_t P,
                   const struct logp_invocation *c, struct logp_prediction *out)
{
    const struct lpi_contained *x = lpi_contained_of(algorithm);
    int rc = 0;

    *out = lpi_no_prediction();
    if (x != NULL && c->args.within != NULL && lpi_takes_the_same(x)) {
        const struct logp_invocation in = lpi_within(x, P, c);

        return lpi_by_formula(c->args.within, P, &in, out);
    }
    if (!lpi_is_predictable(P, c) || !lpi_is_plain(c))
        return 0;
    if (c->model.topology != NULL && P > 1)
        rc = lpi_predict_linked(algorithm, P, c, out);
    else if (algorithm->predict != NULL)
        *out = lpi_varies(P, c) ? at_most(algorithm->predict(P, c)) : algorithm->predict(P, c);
    out->by = LOGP_BY_FORMULA;
    return rc == 0 && lpi_lacks_memory(out) ? -ENOMEM : rc;
}

/*
 * By its formula, where messages are delayed by nothing but L, o, g and G, each as small as on any
 * link: as in at_most(), more of any of them, a gap that is shared, a capacity and more links on
 * the way only delay. Where every send waits for its receiver, its request and the answer come
 * first.
 */
int64_t lpi_at_least(const struct logp_algorithm *algorithm, int64_t P,
                     const struct logp_invocation *c)
{
    const struct lpi_contained *x = lpi_contained_of(algorithm);
    struct logp_invocation plain = *c;
    struct logp_params *params = &plain.model.params;
    struct logp_prediction p;

    if (x != NULL && c->args.within != NULL) {
        const struct logp_invocation in = lpi_within(x, P, c);

        return lpi_takes_the_same(x) ? lpi_at_least(c->args.within, P, &in) : 0;
    }

    if (c->args.blocks != NULL || algorithm->predict == NULL || c->model.params.recv_streams ||
        (c->model.topology != NULL && algorithm->along != LOGP_ALONG_NO_TREE))
        return 0;
    plain.args = lpi_schedule_of(algorithm, P, c).args;
    if (c->model.links != NULL)
        logp_links_least(c->model.links, params, params);
    if (c->model.rendezvous_from == 1)
        params->L_ns += params->o_send_ns + 2 * params->L_ns;
    if (lpi_has_ports(
            &c->model)) /* of messages of any sizes only that their ends are busy is certain */
        params->g_ns = params->G_ps = 0;
    params->gap_shared = false;
    params->capacity = 0;
    plain.model.ports = 0;
    plain.model.links = NULL;
    plain.model.arrivals = NULL;
    plain.model.topology = NULL;
    plain.model.rendezvous_from = 0;
    p = algorithm->predict(P, &plain);
    return p.certainty == LOGP_PREDICTION_EXACT || p.certainty == LOGP_PREDICTION_LOWER_BOUND ? p.ns
                                                                                              : 0;
}

/* Return the most messages of one fold: on a topology each costs in proportion to its links. */
static uint64_t most_messages(int64_t P, const struct logp_invocation *c)
{
    const uint64_t most_hops = 1 << 24;
    int far, across;

    if (c->model.topology == NULL)
        return LOGP_FOLD_MESSAGES;
    far = logp_topology_hops(c->model.topology, 0, (int)P - 1);
    across = logp_topology_hops(c->model.topology, 0, (int)P / 2);
    return most_hops / (uint64_t)(8 + (far > across ? far : across));
}

/* Whether a schedule for P ranks on this network can be folded. */
static bool is_foldable(int64_t P, const struct logp_invocation *c)
{
    return lpi_is_predictable(P, c) && c->args.root >= 0 && c->args.root < P &&
           (c->model.topology == NULL || P == 1 || logp_topology_size(c->model.topology) == P) &&
           (c->model.links == NULL || logp_links_size(c->model.links) == P);
}

bool lpi_is_open(const struct logp_algorithm *algorithm, int64_t P, const struct logp_invocation *c,
                 const struct logp_prediction *formula)
{
    switch (formula->certainty) {
    case LOGP_PREDICTION_EXACT:
        return false;
    case LOGP_PREDICTION_BOUND:
        if (!algorithm->rough && lpi_contained_of(algorithm) == NULL)
            return false;
        break;
    case LOGP_PREDICTION_NONE:
        if (formula->ns == LPI_TOO_LONG)
            return false;
        break;
    case LOGP_PREDICTION_LOWER_BOUND:
        break;
    }
    return algorithm->steps != NULL && P <= LOGP_FOLD_P && is_foldable(P, c);
}

int lpi_folds_init(struct lpi_folds *folds, int64_t P, const struct logp_invocation *c)
{
    /* without chance: every message takes the most that it may */
    struct logp_network network = {.params = c->model.params,
                                   .topology = c->model.topology,
                                   .links = c->model.links,
                                   .ports = c->model.ports};

    network.params.latency_varies = false;
    *folds = (struct lpi_folds){.most = most_messages(P, c), .left = LOGP_FOLD_MESSAGES};
    folds->rc = logp_network_delay(&network, P, NULL, &folds->delay, NULL);
    return folds->rc == -ENOMEM ? folds->rc : 0;
}

void lpi_folds_fini(struct lpi_folds *folds)
{
    if (folds->rc == 0)
        logp_delay_destroy(&folds->delay);
}

int lpi_fold(struct lpi_folds *folds, const struct logp_algorithm *algorithm, int64_t P,
             const struct logp_invocation *c, uint64_t few, int64_t until,
             struct logp_prediction *out)
{
    const bool any_number = folds->most == 0;
    const uint64_t left = folds->most < folds->left ? folds->most : folds->left;
    const uint64_t most = few > 0 && few < left ? few : left;
    struct logp_schedule schedule;
    struct logp_fold fold;
    int64_t alone = 0;
    int rc = folds->rc;

    *out = (struct logp_prediction){.by = LOGP_BY_SCHEDULE};
    if (rc == 0 && (algorithm->steps == NULL || !lpi_is_addressable(algorithm, P, c)))
        rc = -ENOTSUP;
    if (rc == 0 && !any_number && most == 0)
        rc = -E2BIG;
    if (rc != 0)
        return rc;
    schedule = lpi_schedule_of(algorithm, P, c);
    /* with several ports a message that arrives later may find another port free, and end sooner */
    if (until < INT64_MAX && !lpi_has_ports(&c->model))
        rc = lpi_alone(&schedule, &folds->delay, c->args.root, until, &alone);
    if (rc == 0 && alone > until)
        rc = -ETIME;
    if (rc != 0)
        return rc;
    rc = lpi_fold_until(&schedule, &folds->delay, most, until, &fold);
    if (!any_number && (rc != -E2BIG || few == 0))
        folds->left -= fold.messages;
    if (rc == 0 && fold.unreceived > 0)
        rc = -EPROTO;
    if (rc == 0) {
        out->certainty = lpi_varies(P, c) ? LOGP_PREDICTION_BOUND : LOGP_PREDICTION_EXACT;
        out->ns = fold.ns;
    }
    return rc;
}

/* The fold of one row. any_number: of messages. 0; -ENOMEM */
static int by_schedule(const struct logp_algorithm *algorithm, int64_t P,
                       const struct logp_invocation *c, bool any_number,
                       struct logp_prediction *out)
{
    struct lpi_folds folds;
    int rc;

    *out = (struct logp_prediction){.by = LOGP_BY_SCHEDULE};
    if (!is_foldable(P, c))
        return 0;
    rc = lpi_folds_init(&folds, P, c);
    if (rc != 0)
        return rc;
    if (any_number)
        folds.most = 0;
    rc = lpi_fold(&folds, algorithm, P, c, 0, INT64_MAX, out);
    lpi_folds_fini(&folds);
    if (rc == -EDEADLK || rc == -EMSGSIZE || rc == -EINVAL || rc == -EPROTO)
        out->ns = rc;
    return rc == -ENOMEM ? rc : 0;
}

int lpi_predict_by(const struct logp_algorithm *algorithm, int64_t P,
                   const struct logp_invocation *c, enum logp_basis by, struct logp_prediction *out)
{
    struct logp_prediction folded;
    int rc;

    if (by == LOGP_BY_SCHEDULE)
        return by_schedule(algorithm, P, c, true, out);
    rc = lpi_by_formula(algorithm, P, c, out);
    if (lpi_only_bounds(P, c, out))
        *out = lpi_no_prediction();
    if (rc != 0 || by == LOGP_BY_FORMULA || !lpi_is_open(algorithm, P, c, out))
        return rc;
    rc = by_schedule(algorithm, P, c, false, &folded);
    if (folded.certainty != LOGP_PREDICTION_NONE)
        *out = folded;
    else if (out->certainty == LOGP_PREDICTION_NONE)
        out->ns = folded.ns;
    return rc;
}

/* ---- the lower bound of a collective ---- */

int64_t logp_collective_lower_bound(const char *collective, int64_t P, const struct logp_args *args,
                                    const struct logp_network *model)
{
    const struct logp_collective *what = logp_collective_find(collective);
    struct logp_invocation c = lpi_invocation(args, model);
    struct lpi_ways ways;
    int64_t ns;

    if (what == NULL || what->bound == NULL || args->blocks != NULL || P < 1 || P > LOGP_TREE_MAX)
        return -1;
    if (lpi_ways_init(&ways, P, &c))
        c.plan.state = &ways;
    if (c.model.links != NULL)
        logp_links_least(c.model.links, &c.model.params, &c.model.params);
    if (lpi_has_ports(&c.model)) { /* the bounds are for one port: without its gap they hold */
        c.model.params.g_ns = c.model.params.G_ps = 0;
        c.model.params.gap_shared = false;
    }
    if (lpi_varies(P, &c) || args->count < 0 || args->rows < 0 || args->cols < 0 ||
        lpi_times(&c.model.params, 1).D > 3 * LOGP_PARAM_MAX_NS)
        return -1;
    ns = what->bound(P, &c);
    return ns < INT64_MAX / 8 ? ns : -1;
}
