/* SPDX-License-Identifier: MIT */
/* Predictions of an algorithm, and the choice of the best: see logp/collective.h. */
#include "choice/choice.h"
#include "predict/predict.h"

#include <logp/algorithm.h>

#include <errno.h>

const char *logp_certainty_name(enum logp_certainty certainty)
{
    static const char *const names[] = {"none", "exact", "bound", "lower-bound"};

    return names[certainty];
}

const char *logp_algorithm_needs(const struct logp_algorithm *algorithm, int64_t P,
                                 const struct logp_args *args, const struct logp_network *model)
{
    const struct logp_invocation c = lpi_invocation(args, model);

    if (P < 1 || P > LOGP_TREE_MAX)
        return "1 to 2^61 processors";
    return lpi_needs(algorithm, P, &c);
}

bool logp_algorithm_same_results(const struct logp_algorithm *algorithm,
                                 const struct logp_args *args)
{
    return lpi_gives_same(algorithm, args);
}

struct logp_prediction logp_algorithm_predict_by(const struct logp_algorithm *algorithm, int64_t P,
                                                 const struct logp_args *args,
                                                 const struct logp_network *model,
                                                 enum logp_basis by)
{
    struct logp_invocation c = lpi_invocation(args, model);
    struct logp_prediction p = lpi_no_prediction();
    int rc;

    if (!lpi_is_predictable(P, &c) || lpi_is_drawn(&c.model) || lpi_needs(algorithm, P, &c) != NULL)
        return p;
    rc = lpi_resolve_free(algorithm, P, &c);
    if (rc == 0)
        rc = lpi_predict_by(algorithm, P, &c, by, &p);
    return rc == -ENOMEM ? lpi_no_memory() : p;
}

static bool is_bounded(const struct logp_prediction *p)
{
    return p->certainty == LOGP_PREDICTION_EXACT || p->certainty == LOGP_PREDICTION_BOUND;
}

/* Whether the parameters of a row are searched here, by predictions: not taken from the cache, nor from a rule. */
static bool is_searched(int64_t P, const struct logp_invocation *c)
{
    return P <= LOGP_TREE_MAX && !c->model.undelayed;
}

struct logp_prediction logp_algorithm_predict_until(const struct logp_algorithm *algorithm,
                                                    int64_t P, struct logp_args *args,
                                                    const struct logp_network *model, int64_t until)
{
    struct logp_invocation c = lpi_invocation(args, model);
    struct lpi_choice choice = {.prediction = {.certainty = LOGP_PREDICTION_NONE}};
    int rc = 0;

    if (!lpi_is_predictable(P, &c) || lpi_is_drawn(&c.model) || lpi_needs(algorithm, P, &c) != NULL)
        return lpi_no_prediction();
    if (is_searched(P, &c)) {
        rc = lpi_choose_until(algorithm, P, &c, until > 0 ? until : 1, &choice);
        if (rc == 0 && (choice.algorithm == NULL ||
                        (is_bounded(&choice.prediction) && choice.prediction.ns > until)))
            return lpi_at_least_ns((__int128)until + 1);
    }
    if (rc == 0 && is_bounded(&choice.prediction)) {
        lpi_set_choice(algorithm, P, &c, &choice);
    } else if (rc == 0) {
        rc = lpi_resolve_free(algorithm, P, &c);
        if (rc == 0)
            rc = lpi_predict_by(algorithm, P, &c, LOGP_BY_EITHER, &choice.prediction);
    }
    if (rc == -ENOMEM)
        return lpi_no_memory();
    *args = lpi_schedule_of(algorithm, P, &c).args;
    return choice.prediction;
}

struct logp_prediction logp_algorithm_predict(const struct logp_algorithm *algorithm, int64_t P,
                                              const struct logp_args *args,
                                              const struct logp_network *model)
{
    return logp_algorithm_predict_by(algorithm, P, args, model, LOGP_BY_EITHER);
}

const struct logp_algorithm *logp_algorithm_best(const char *collective, int64_t P,
                                                 const struct logp_args *args,
                                                 const struct logp_network *model)
{
    const struct logp_collective *what = logp_collective_find(collective);
    const struct logp_invocation c = lpi_invocation(args, model);
    struct lpi_choice choice;
    int rc;

    if (what != NULL && lpi_is_cacheable(&c))
        rc = lpi_choice_cached(lpi_by_mean, what->name, P, &c, &choice);
    else
        rc = lpi_choose(collective, P, &c, &c, false, NULL, NULL, &choice);
    return rc == 0 ? choice.algorithm : NULL;
}

int logp_algorithm_choose(const char *collective, int64_t P, const struct logp_args *args,
                          const struct logp_network *model, struct logp_choice *out)
{
    return logp_algorithm_choose_watched(collective, P, args, model, NULL, NULL, out);
}

int logp_algorithm_choose_watched(const char *collective, int64_t P, const struct logp_args *args,
                                  const struct logp_network *model, logp_choice_watch *watch,
                                  void *arg, struct logp_choice *out)
{
    const struct lpi_watch watched = {watch, arg};
    const struct logp_invocation c = lpi_invocation(args, model);
    struct lpi_choice choice;
    int rc;

    *out = (struct logp_choice){.algorithm = NULL};
    rc = lpi_choose(collective, P, &c, &c, false, &watched, out, &choice);
    if (rc != 0)
        return rc;
    out->algorithm = choice.algorithm;
    return choice.algorithm != NULL ? 0 : -ENOTSUP;
}

int64_t logp_algorithm_textbook(const struct logp_algorithm *algorithm, int64_t P,
                                const struct logp_args *args, const struct logp_network *model)
{
    const struct logp_invocation c = lpi_invocation(args, model);

    return algorithm->textbook != NULL && c.model.links == NULL ? algorithm->textbook(P, &c) : -1;
}
