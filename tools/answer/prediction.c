/* SPDX-License-Identifier: MIT */
/* Predictions under the delay model of the options. */
#include "question/choice/choice.h"
#include "question/schedule/schedule.h"
#include "answer/runs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Whether the model's delays are the same in each run. */
static bool is_fixed(const struct question *q, const struct logp_invocation *c,
                     const struct logp_delay *delay)
{
    return !is_faulty(q) ||
           (logp_fault_predictable(delay->model) && !c->model.params.latency_varies);
}

static int fold_once(const struct logp_schedule *s, const struct logp_delay *delay,
                     struct logp_fold *fold)
{
    const int rc = need_memory(logp_schedule_fold(s, delay, LOGP_FOLD_MESSAGES, fold));

    return rc == 0 && fold->unreceived > 0 ? -EPROTO : rc;
}

/* Predict by the schedule, under the model itself; twice, because the delays of a plug-in may
 * change with time. */
static struct problem *predict_model(const struct question *q, const struct logp_invocation *c,
                                     const struct logp_algorithm *algorithm,
                                     struct logp_prediction *out)
{
    const struct logp_schedule s = logp_schedule_of(algorithm, q->model.P, &c->args, &c->model);
    struct logp_fold first, second;
    struct logp_delay delay;
    int rc;

    *out = (struct logp_prediction){.certainty = LOGP_PREDICTION_NONE};
    if (q->model.P > LOGP_MAX_PROCESSORS)
        return NULL;
    TRY(create_delay(q, &delay, &rc));
    if (need_memory(rc) != 0)
        return NULL;
    if (is_fixed(q, c, &delay) && s.steps != NULL && q->what.by != LOGP_BY_FORMULA &&
        q->model.P <= LOGP_FOLD_P) {
        rc = fold_once(&s, &delay, &first);
        if (rc != 0)
            out->ns = rc;
        else if (fold_once(&s, &delay, &second) == 0 && first.ns == second.ns)
            *out = (struct logp_prediction){LOGP_PREDICTION_EXACT, first.ns, LOGP_BY_SCHEDULE};
    }
    logp_delay_destroy(&delay);
    return NULL;
}

/* The bytes of all buffers of a run, without scratch. */
static __int128 buffer_bytes(const struct question *q, const struct logp_invocation *c,
                             const struct logp_collective *collective)
{
    const size_t element = c->args.op != NULL ? c->args.op->element_bytes : 1;
    __int128 all = 0;

    if (collective->operands == LOGP_OPERANDS_TOTAL) /* sizes() would need a plan */
        return (__int128)q->model.P * c->args.count * (int64_t)element;
    for (int rank = 0; rank < q->model.P; rank++) {
        size_t buf, recv_buf;

        collective->sizes((int)q->model.P, rank, c, &buf, &recv_buf);
        all += (__int128)buf + (__int128)recv_buf;
    }
    return all;
}

/* Whether a plug-in's algorithm has a step where no list of steps is that long; e: of which rank. */
static bool is_endless(const struct question *q, const struct logp_algorithm *a,
                       const struct logp_schedule *s, struct logp_schedule_error *e)
{
    enum { MOST_ASKED = 512 };
    bool endless = false;

    for (int rank = 0; is_of_plugin(q, a) && !endless && rank < s->P && rank < MOST_ASKED; rank++) {
        struct logp_invocation c;
        struct logp_step step;

        if (need_memory(logp_schedule_begin(s, rank, &c)) != 0)
            break;
        endless = s->steps(s->P, rank, &c, LOGP_GRAPH_MAX, &step);
        logp_schedule_end(&c);
        if (endless)
            *e = (struct logp_schedule_error){
                rank, LOGP_GRAPH_MAX, "it has one more; steps() must return false after the last",
                -1};
    }
    return endless;
}

/* Follow the data through the steps of a plug-in's algorithm, as of --schedule FILE --as COLLECTIVE, unless there
 * are too many bytes or messages. @return whether they are wrong */
static bool has_wrong_data(const struct question *q, const struct logp_invocation *c,
                           const struct logp_algorithm *a, struct logp_schedule_error *e)
{
    enum { MOST_BYTES = 1 << 22, MOST_P = 512 };
    const struct logp_collective *collective = logp_collective_find(a->collective);
    struct logp_schedule s = logp_schedule_of(a, q->model.P, &c->args, &c->model);

    if (!is_of_plugin(q, a) || s.steps == NULL || collective == NULL)
        return false;
    if (is_endless(q, a, &s, e))
        return true;
    if (q->model.P > MOST_P || buffer_bytes(q, c, collective) > MOST_BYTES)
        return false;
    s.model.rendezvous_from = 0;
    return need_memory(logp_schedule_check(&s, collective, e)) == -EPROTO;
}

/* The formulas do not hold with faults and noise, nor for a plug-in, except one that declares
 * latencies up to L. */
struct problem *predict(const struct question *q, const struct logp_invocation *c,
                        const struct logp_algorithm *algorithm, struct logp_prediction *out)
{
    struct logp_schedule_error error;
    const int64_t *ends;

    if (has_wrong_data(q, c, algorithm, &error)) {
        *out = (struct logp_prediction){.certainty = LOGP_PREDICTION_NONE, .ns = -EPROTO};
        return NULL;
    }
    if (is_faulty(q) || (q->model.plugin != NULL && !c->model.params.latency_varies))
        return predict_model(q, c, algorithm, out);
    if (by_graph(q))
        *out = (struct logp_prediction){LOGP_PREDICTION_EXACT, time_of_graph(q, &ends)->ns,
                                        LOGP_BY_SCHEDULE};
    else
        *out = predict_by(algorithm, q->model.P, c, q->what.by);
    return NULL;
}

bool has_wrong_steps(const struct logp_prediction *p)
{
    return p->certainty == LOGP_PREDICTION_NONE &&
           (p->ns == -EDEADLK || p->ns == -EMSGSIZE || p->ns == -EINVAL || p->ns == -EPROTO);
}

static struct problem *wrong_steps(const struct logp_algorithm *a, int rc,
                                   const struct logp_fold *fold)
{
    const struct logp_wait_info wait = {
        .kind = LOGP_WAIT_RECV, .source = (int)fold->source, .tag = fold->tag};
    char text[128];

    if (rc == -EPROTO)
        return failure("%s %s: %llu message%s never received", a->collective, a->name,
                       (unsigned long long)fold->unreceived,
                       fold->unreceived == 1 ? " is" : "s are");
    if (rc != -EDEADLK)
        return failure("%s %s: a step of rank %lld: %s", a->collective, a->name,
                       (long long)fold->rank,
                       rc == -EMSGSIZE
                           ? "the message is larger than its receive"
                           : "its rank, its tag or its time is out of range: a rank is 0 .. P-1, a "
                             "tag and a time are >= 0");
    say("%s %s: %s", a->collective, a->name, logp_error_text(rc));
    logp_wait_text(&wait, text, sizeof(text));
    return failure("  rank %lld %s", (long long)fold->rank, text);
}

static struct problem *wrong_data(const struct logp_algorithm *a,
                                  const struct logp_schedule_error *e)
{
    char rank[48] = "", of[48] = "";

    if (e->rank >= 0)
        snprintf(rank, sizeof(rank), "rank %lld after %lld of its steps: ", (long long)e->rank,
                 (long long)e->step);
    if (e->of >= 0)
        snprintf(of, sizeof(of), " (of rank %lld)", (long long)e->of);
    return failure("%s %s: %s%s%s", a->collective, a->name, rank, e->what, of);
}

struct problem *check_last_step(const struct question *q, const struct logp_invocation *c,
                                const struct logp_algorithm *a)
{
    const struct logp_schedule s = logp_schedule_of(a, q->model.P, &c->args, &c->model);
    struct logp_schedule_error error;

    return s.steps != NULL && is_endless(q, a, &s, &error) ? wrong_data(a, &error) : NULL;
}

struct problem *check_steps(const struct question *q, const struct logp_invocation *c,
                            const struct logp_algorithm *a)
{
    const struct logp_params free = {0};
    const struct logp_schedule s = logp_schedule_of(a, q->model.P, &c->args, &c->model);
    struct logp_schedule_error error;
    struct logp_delay delay;
    struct logp_fold fold;
    int rc;

    if (s.steps == NULL || q->model.P > LOGP_MAX_PROCESSORS)
        return NULL;
    TRY(check_last_step(q, c, a));
    if (q->model.emulated || q->model.plugin != NULL)
        TRY(create_delay(q, &delay, &rc));
    else
        rc = logp_delay_create("logp", &free, &delay);
    if (need_memory(rc) != 0)
        return NULL;
    rc = fold_once(&s, &delay, &fold);
    logp_delay_destroy(&delay);
    if (rc == 0 && has_wrong_data(q, c, a, &error))
        return wrong_data(a, &error);
    if ((rc != -EDEADLK && rc != -EMSGSIZE && rc != -EINVAL && rc != -EPROTO) ||
        (fold.rank < 0 && rc != -EPROTO))
        return NULL;
    return wrong_steps(a, rc, &fold);
}

const char *why_unpredicted(const struct question *q, const struct logp_algorithm *a, char why[192])
{
    const bool has_formula = a->predict != NULL || a->predict_linked != NULL;

    if (q->model.plugin == NULL && !q->model.emulated)
        return "messages take no time with --delay none; type --delay logp";
    if (a->steps == NULL && !has_formula)
        return "it has neither steps nor a closed form, only a run function; measure it with logp "
               "run, or give it steps or predict (logp/algorithm.h)";
    if (a->steps == NULL && q->what.by == LOGP_BY_SCHEDULE)
        return "it has no steps, only a closed form; remove --by schedule";
    if (q->what.by == LOGP_BY_FORMULA)
        return "it has no closed form here; remove --by formula";
    if (q->what.by == LOGP_BY_SCHEDULE && has_formula && !is_faulty(q) && q->model.plugin == NULL)
        return "it has too many steps to add up; remove --by schedule";
    if (is_faulty(q))
        return "random faults or noise decide its time; measure it with logp run";
    snprintf(why, 192, "it has no closed form here, and %s",
             a->steps == NULL
                 ? "no steps, only a run function"
                 : "it has too many steps, or its model depends on more than messages");
    return why;
}

void say_unpredicted_rows(const struct question *q, const struct logp_invocation *c,
                          const struct row *rows, size_t n)
{
    const struct logp_algorithm *without[MAX_ALGORITHMS];
    char list[MAX_LIST];
    size_t many = 0;

    if (q->what.by != LOGP_BY_EITHER || q->what.list != NULL || q->model.P == 1 ||
        !q->model.emulated || is_faulty(q) || q->model.plugin != NULL ||
        c->model.params.latency_varies)
        return;
    for (size_t i = 0; i < n; i++)
        if (rows[i].algorithm->steps != NULL && !has_wrong_steps(&rows[i].record.prediction) &&
            rows[i].record.prediction.certainty == LOGP_PREDICTION_NONE)
            without[many++] = rows[i].algorithm;
    if (many > 0)
        say_note(
            "not predicted, since their schedules have more than %d messages or %d processors: %s; "
            "--by schedule has no such limits",
            LOGP_FOLD_MESSAGES, LOGP_FOLD_P, names_of(without, many, list));
}

/* Print the error of an algorithm's steps, once for each algorithm. */
static void say_left_out_as_wrong(const struct question *q, const struct logp_invocation *c,
                                  const struct logp_algorithm *a)
{
    struct work *work = q->work;

    for (size_t i = 0; i < work->n_wrong; i++)
        if (work->wrong[i] == a)
            return;
    if (work->n_wrong < MAX_ALGORITHMS && tell_problem(q, check_steps(q, c, a)) != EXIT_OK)
        work->wrong[work->n_wrong++] = a;
}

struct problem *latest_end(const struct question *q, const struct logp_invocation *c,
                           const struct logp_algorithm *algorithm, int64_t *ns)
{
    struct logp_prediction p;

    *ns = -1;
    if (logp_algorithm_needs(algorithm, q->model.P, &c->args, &c->model) != NULL)
        return NULL;
    TRY(predict(q, c, algorithm, &p));
    if (has_wrong_steps(&p))
        say_left_out_as_wrong(q, c, algorithm);
    if (p.certainty == LOGP_PREDICTION_EXACT || p.certainty == LOGP_PREDICTION_BOUND)
        *ns = p.ns;
    return NULL;
}

struct problem *predicted_best(const struct question *q, const char *collective,
                               const struct logp_invocation *c, const struct logp_algorithm **best,
                               int64_t *ns)
{
    const struct logp_algorithm *chosen[MAX_ALGORITHMS];
    int64_t its;
    size_t n;

    TRY(choose_algorithms(q, collective, c, chosen, &n));
    *best = NULL;
    *ns = -1;
    for (size_t i = 0; i < n; i++) {
        TRY(latest_end(q, c, chosen[i], &its));
        if (its >= 0 && (*best == NULL || its < *ns)) {
            *best = chosen[i];
            *ns = its;
        }
    }
    return NULL;
}

int64_t lower_bound(const struct question *q, const char *collective,
                    const struct logp_invocation *c)
{
    if (q->model.plugin != NULL || !q->model.emulated)
        return -1;
    return logp_collective_lower_bound(collective, q->model.P, &c->args, &c->model);
}

struct expected_time expect_time(const struct question *q, const struct logp_invocation *c,
                                 const struct logp_algorithm *algorithm)
{
    const double own_ns =
        (q->how.fibers ? 1e3 : 1e4) * (double)q->model.P; /* of a run, on the host */
    const bool wall = q->how.clock == LOGP_CLOCK_WALL;
    struct logp_prediction p = {.certainty = LOGP_PREDICTION_NONE};
    double run_ns = own_ns, all_ns;

    if (wall && q->model.emulated && q->model.plugin == NULL)
        p = predict_by(algorithm, q->model.P, c, LOGP_BY_FORMULA);
    if (p.certainty != LOGP_PREDICTION_NONE)
        run_ns += (double)p.ns;
    all_ns = run_ns * q->how.reps;
    if (!wall || q->how.limit_ns == 0)
        return (struct expected_time){all_ns + run_ns * q->how.warmup,
                                      all_ns + run_ns * q->how.warmup};
    if (all_ns > (double)q->how.limit_ns)
        all_ns = (double)q->how.limit_ns;
    /* The last run begins before the limit; on a busy host all runs may take until then. */
    return (struct expected_time){all_ns + run_ns * q->how.warmup,
                                  (double)q->how.limit_ns + run_ns * (q->how.warmup + 1)};
}

double estimate_ns(const struct question *q, const struct logp_invocation *c,
                   const struct logp_algorithm *algorithm)
{
    return expect_time(q, c, algorithm).likely_ns;
}

double time_left_ns(struct expected_time all, struct expected_time done, double spent_ns)
{
    const double likely = done.likely_ns > 0 ? spent_ns / done.likely_ns : 1;
    const double most = done.most_ns > 0 ? spent_ns / done.most_ns : 1;
    const double learnt_ns = (all.likely_ns - done.likely_ns) * likely;
    const double bound_ns = (all.most_ns - done.most_ns) * (most > 1 ? most : 1);

    return learnt_ns < bound_ns ? learnt_ns : bound_ns;
}
