/* SPDX-License-Identifier: MIT */
/*
 * The time of an algorithm with several patterns of arrivals: the mean of its times. It has one set of parameters for
 * all patterns; those that are the best for one of them are tried.
 */
#include "answer/answer.h"

#include <errno.h>
#include <string.h>

static bool is_bounded(const struct logp_prediction *p)
{
    return p->certainty == LOGP_PREDICTION_EXACT || p->certainty == LOGP_PREDICTION_BOUND;
}

static bool same_knobs(const struct logp_algorithm *a, const struct logp_args *x,
                       const struct logp_args *y)
{
    bool same = true;

    for (int i = 0; i < LOGP_MAX_KNOBS && a->knobs[i].field != 0; i++)
        same &= memcmp((const char *)x + a->knobs[i].field, (const char *)y + a->knobs[i].field,
                       sizeof(int64_t)) == 0;
    return same;
}

/* Whether an algorithm runs the same steps with both: also those of a row within it. */
static bool same_parameters(const struct logp_algorithm *a, const struct logp_args *x,
                            const struct logp_args *y)
{
    return x->within == y->within && x->first == y->first && x->first_k == y->first_k &&
           same_knobs(a, x, y) && (x->within == NULL || same_knobs(x->within, x, y));
}

/* No rank ends before it begins. */
static int64_t latest(const int64_t *arrivals, int64_t P)
{
    int64_t ns = 0;

    for (int64_t r = 0; arrivals != NULL && r < P; r++)
        ns = arrivals[r] > ns ? arrivals[r] : ns;
    return ns;
}

/* The sum of times that is still below the mean `until`, and what of it is left. */
struct budget {
    __int128 spent, most, rest; /* rest: the least that the patterns to come take */
};

static struct budget budget_of(const struct arrivals *arrivals, int64_t P, int64_t until)
{
    struct budget b = {.most = INT64_MAX};

    if (until < INT64_MAX)
        b.most = (__int128)until * (int64_t)arrivals->n + (int64_t)arrivals->n - 1;
    for (size_t i = 0; i < arrivals->n; i++)
        b.rest += latest(arrivals->ns[i], P);
    return b;
}

/* The most that a pattern may take; < 0: no time. */
static int64_t left_for(struct budget *b, const int64_t *arrivals, int64_t P)
{
    __int128 left;

    if (b->most == INT64_MAX)
        return INT64_MAX;
    b->rest -= latest(arrivals, P);
    left = b->most - b->spent - b->rest;
    return left < 0 ? -1 : left < INT64_MAX ? (int64_t)left : INT64_MAX;
}

/* The best parameters for each pattern, and the times with them. */
struct best_for {
    struct logp_args args[MOST_ARRIVALS];
    struct logp_prediction time[MOST_ARRIVALS];
};

/* As logp_algorithm_predict_until(): of one pattern. */
static struct logp_prediction predict_pattern(const struct logp_algorithm *a, int64_t P,
                                              const int64_t *arrivals,
                                              const struct logp_network *model, int64_t most,
                                              struct logp_args *args)
{
    struct logp_network with = *model;
    struct logp_prediction p = {.certainty = LOGP_PREDICTION_LOWER_BOUND};

    with.arrivals = arrivals;
    if (most >= 0)
        p = logp_algorithm_predict_until(a, P, args, &with, most);
    if (p.certainty == LOGP_PREDICTION_NONE && p.ns == LOGP_PREDICTION_NO_MEMORY)
        need_memory(-ENOMEM);
    return p;
}

/* @return the first time that is later than all may be, or not known; otherwise the last */
static struct logp_prediction best_parameters(const struct arrivals *arrivals,
                                              const struct logp_algorithm *a, int64_t P,
                                              const struct logp_invocation *c, int64_t until,
                                              struct best_for *best)
{
    struct budget b = budget_of(arrivals, P, until);
    struct logp_prediction p = {.certainty = LOGP_PREDICTION_EXACT};

    for (size_t i = 0; i < arrivals->n && is_bounded(&p); i++) {
        best->args[i] = c->args;
        best->time[i] = p = predict_pattern(a, P, arrivals->ns[i], &c->model,
                                            left_for(&b, arrivals->ns[i], P), &best->args[i]);
        b.spent += p.ns;
    }
    return p;
}

/* The mean over all patterns with the parameters that are the best for pattern `of`, and the time with each. */
static struct logp_prediction mean_over(const struct arrivals *arrivals,
                                        const struct logp_algorithm *a, int64_t P,
                                        const struct logp_invocation *c,
                                        const struct best_for *best, size_t of, int64_t until,
                                        int64_t ns[MOST_ARRIVALS])
{
    struct logp_prediction p, all = {.certainty = LOGP_PREDICTION_EXACT};
    struct budget b = budget_of(arrivals, P, until);

    for (size_t i = 0; i < arrivals->n; i++) {
        const int64_t most = left_for(&b, arrivals->ns[i], P);
        struct logp_args args = best->args[of];

        p = same_parameters(a, &args, &best->args[i])
                ? best->time[i]
                : predict_pattern(a, P, arrivals->ns[i], &c->model, most, &args);
        if (!is_bounded(&p) || p.ns > most)
            return (struct logp_prediction){.certainty = LOGP_PREDICTION_NONE};
        if (p.certainty == LOGP_PREDICTION_BOUND)
            all.certainty = LOGP_PREDICTION_BOUND;
        if (i == 0 || p.by == LOGP_BY_SCHEDULE)
            all.by = p.by;
        b.spent += ns[i] = p.ns;
    }
    all.ns = (int64_t)(b.spent / (int64_t)arrivals->n);
    return all;
}

struct logp_prediction predict_mean(const struct arrivals *arrivals, const struct logp_algorithm *a,
                                    int64_t P, struct logp_invocation *c, int64_t until,
                                    int64_t *ns)
{
    struct logp_prediction mean = {.certainty = LOGP_PREDICTION_NONE}, p;
    struct best_for best;
    int64_t times[MOST_ARRIVALS];
    size_t chosen = 0;

    if (a->steps == NULL)
        return mean;
    p = best_parameters(arrivals, a, P, c, until, &best);
    if (!is_bounded(&p))
        return p;
    mean = (struct logp_prediction){.certainty = LOGP_PREDICTION_LOWER_BOUND};
    for (size_t i = 0, k; i < arrivals->n; i++) {
        for (k = 0; k < i && !same_parameters(a, &best.args[k], &best.args[i]);)
            k++;
        if (k < i)
            continue;
        p = mean_over(arrivals, a, P, c, &best, i, is_bounded(&mean) ? mean.ns - 1 : until, times);
        if (!is_bounded(&p))
            continue;
        mean = p;
        chosen = i;
        if (ns != NULL)
            memcpy(ns, times, arrivals->n * sizeof(*ns));
    }
    c->args = best.args[chosen];
    return mean;
}
