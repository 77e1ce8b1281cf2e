/* SPDX-License-Identifier: MIT */
/* Predictions under the delay model that the options ask for. */
#include "choice/choice.h"
#include "run/run.h"

#include <stdio.h>

/* Does the model always answer the same? */
static bool is_fixed(const struct options *o, const struct logp_invocation *c,
                     const struct logp_delay *delay)
{
    return !is_faulty(o) ||
           (logp_fault_predictable(delay->model) && !c->model.params.latency_varies);
}

static bool fold_once(const struct logp_schedule *s, const struct logp_delay *delay,
                      struct logp_fold *fold)
{
    return or_end_without_memory(logp_schedule_fold(s, delay, LOGP_FOLD_MESSAGES, fold)) == 0;
}

/* By its schedule, under the model itself; twice, as what a plug-in answers may change with time.
 */
static struct logp_prediction predict_model(const struct options *o,
                                            const struct logp_invocation *c,
                                            const struct logp_algorithm *algorithm)
{
    const struct logp_schedule s = logp_schedule_of(algorithm, o->P, &c->args, &c->model);
    struct logp_prediction p = {.certainty = LOGP_PREDICTION_NONE};
    struct logp_fold first, second;
    struct logp_delay delay;

    if (o->P > LOGP_MAX_PROCESSORS || or_end_without_memory(create_delay(o, &delay)) != 0)
        return p;
    if (is_fixed(o, c, &delay) && s.steps != NULL && o->by != LOGP_BY_FORMULA &&
        o->P <= LOGP_FOLD_P && fold_once(&s, &delay, &first) && fold_once(&s, &delay, &second) &&
        first.ns == second.ns)
        p = (struct logp_prediction){LOGP_PREDICTION_EXACT, first.ns, LOGP_BY_SCHEDULE};
    logp_delay_destroy(&delay);
    return p;
}

/* Our formulas do not know the rules of a plug-in, unless it says that latencies vary up to L; nor
 * faults and noise. */
struct logp_prediction predict(const struct options *o, const struct logp_invocation *c,
                               const struct logp_algorithm *algorithm)
{
    if (is_faulty(o) || (o->plugin != NULL && !c->model.params.latency_varies))
        return predict_model(o, c, algorithm);
    return predict_by(algorithm, o->P, c, o->by);
}

const char *why_unpredicted(const struct options *o, const struct logp_algorithm *a)
{
    static char why[192];
    const bool has_formula = a->predict != NULL || a->predict_linked != NULL;

    if (o->plugin == NULL && !o->emulated)
        return "messages take no time with --delay none; type --delay logp";
    if (a->steps == NULL && !has_formula)
        return "it has neither steps nor a closed form, only a run function; measure it with logp "
               "run, or give it steps or predict (logp/algorithm.h)";
    if (a->steps == NULL && o->by == LOGP_BY_SCHEDULE)
        return "it has no steps, only a closed form; remove --by schedule";
    if (o->by == LOGP_BY_FORMULA)
        return "it has no closed form here; remove --by formula";
    if (o->by == LOGP_BY_SCHEDULE && has_formula && !is_faulty(o) && o->plugin == NULL)
        return "it has too many steps to add up; remove --by schedule";
    if (is_faulty(o))
        return "random faults or noise decide its time; measure it with logp run";
    snprintf(why, sizeof(why), "it has no closed form here, and %s",
             a->steps == NULL
                 ? "no steps, only a run function"
                 : "it has too many steps, or its model depends on more than messages");
    return why;
}

void say_unpredicted_rows(const struct options *o, const struct logp_invocation *c,
                          const struct row *rows, size_t n)
{
    const struct logp_algorithm *without[MAX_ALGORITHMS];
    char list[MAX_LIST];
    size_t many = 0;

    if (o->by != LOGP_BY_EITHER || o->list != NULL || o->P == 1 || !o->emulated || is_faulty(o) ||
        o->plugin != NULL || c->model.params.latency_varies)
        return;
    for (size_t i = 0; i < n; i++)
        if (rows[i].algorithm->steps != NULL &&
            rows[i].record.prediction.certainty == LOGP_PREDICTION_NONE)
            without[many++] = rows[i].algorithm;
    if (many > 0)
        say_note(
            "not predicted, since their schedules have more than %d messages or %d processors: %s; "
            "--by schedule has no such limits",
            LOGP_FOLD_MESSAGES, LOGP_FOLD_P, names_of(without, many, list));
}

int64_t latest_end(const struct options *o, const struct logp_invocation *c,
                   const struct logp_algorithm *algorithm)
{
    struct logp_prediction p;

    if (logp_algorithm_needs(algorithm, o->P, &c->args, &c->model) != NULL)
        return -1;
    p = predict(o, c, algorithm);
    return p.certainty == LOGP_PREDICTION_EXACT || p.certainty == LOGP_PREDICTION_BOUND ? p.ns : -1;
}

const struct logp_algorithm *predicted_best(const struct options *o, const char *collective,
                                            const struct logp_invocation *c, int64_t *ns)
{
    const struct logp_algorithm *chosen[MAX_ALGORITHMS], *best = NULL;
    const size_t n = choose_algorithms(o, collective, c, chosen);

    *ns = -1;
    for (size_t i = 0; i < n; i++) {
        const int64_t its = latest_end(o, c, chosen[i]);

        if (its >= 0 && (best == NULL || its < *ns)) {
            best = chosen[i];
            *ns = its;
        }
    }
    return best;
}

int64_t lower_bound(const struct options *o, const char *collective,
                    const struct logp_invocation *c)
{
    if (o->plugin != NULL || !o->emulated)
        return -1;
    return logp_collective_lower_bound(collective, o->P, &c->args, &c->model);
}

double estimate_ns(const struct options *o, const struct logp_invocation *c,
                   const struct logp_algorithm *algorithm)
{
    const double own_ns = (o->fibers ? 1e3 : 1e4) * (double)o->P; /* of a run, on the host */
    const bool wall = o->clock == LOGP_CLOCK_WALL;
    struct logp_prediction p = {.certainty = LOGP_PREDICTION_NONE};
    double run_ns = own_ns, all_ns;

    if (wall && o->emulated && o->plugin == NULL)
        p = predict_by(algorithm, o->P, c, LOGP_BY_FORMULA);
    if (p.certainty != LOGP_PREDICTION_NONE)
        run_ns += (double)p.ns;
    all_ns = run_ns * o->reps;
    if (wall && o->limit_ns > 0 && all_ns > (double)o->limit_ns)
        all_ns = (double)o->limit_ns;
    return all_ns + run_ns * o->warmup;
}
