/* SPDX-License-Identifier: MIT */
/* --place partners: ranks that exchange most share a core. Their traffic is known from the
 * schedules of the algorithms, or from a report that logp mpirun wrote. */
#include "answer/runs.h"
#include "question/choice/choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char only_without[] = "block or round-robin";

/* The most cores that the machine will have on the wall clock, in one process. If it takes fewer,
 * neighbours among these become one core. */
static int cores_of(const struct question *q)
{
    struct logp_host host;
    int n = q->how.n_cores;

    if (n == 0 && logp_host_info(&host) == 0)
        n = host.n_cores;
    return n < 1 ? 1 : n < q->model.P ? n : (int)q->model.P;
}

/* Memory for P cores, until the next call. */
static int *room(const struct question *q)
{
    free(q->work->core_of);
    q->work->core_of = need(calloc((size_t)q->model.P, sizeof(int)));
    return q->work->core_of;
}

static struct problem *check_P(const struct question *q)
{
    return q->model.P > LOGP_PLACE_MAX ? option_problem("--place", q->how.place_text,
                                                        "%s, as there are more than %d processors",
                                                        only_without, LOGP_PLACE_MAX)
                                       : NULL;
}

/* Place the ranks by the messages of n schedules. */
static struct problem *place_by(struct question *q, const struct logp_schedule *schedules, size_t n,
                                const struct logp_algorithm *first)
{
    static const uint64_t most = UINT64_C(1) << 24;
    int *core_of, rc;

    if (n == 0)
        return option_problem("--place", q->how.place_text, "%s, as %s %s has no schedule",
                              only_without, first->collective, first->name);
    core_of = room(q);
    rc = need_memory(logp_place_schedules(schedules, n, most, cores_of(q), core_of));
    if (rc == -E2BIG)
        return option_problem("--place", q->how.place_text,
                              "%s, as there are more than 2^24 messages", only_without);
    if (rc != 0)
        return option_problem("--place", q->how.place_text,
                              "%s, as the schedule cannot be followed: %s", only_without,
                              logp_error_text(rc));
    q->how.core_of = core_of;
    return NULL;
}

struct problem *place_partners(struct question *q, const struct logp_invocation *c,
                               const struct row *rows, size_t n)
{
    struct logp_schedule *schedules;
    struct problem *problem;
    size_t known = 0;

    q->how.core_of = NULL;
    if (q->how.place != PLACE_PARTNERS || q->how.traffic_file != NULL ||
        q->how.clock != LOGP_CLOCK_WALL || n == 0)
        return NULL;
    TRY(check_P(q));
    schedules = need(calloc(n, sizeof(*schedules)));
    for (size_t i = 0; i < n; i++) {
        schedules[known] = logp_schedule_of(rows[i].algorithm, q->model.P, &c->args, &c->model);
        known += schedules[known].steps != NULL;
    }
    problem = place_by(q, schedules, known, rows[0].algorithm);
    free(schedules);
    return problem;
}

/* ---- traffic from a report ---- */

/* The number under this key of a report, 0 .. most. */
static struct problem *number_in(const struct question *q, const json_t *it, const char *key,
                                 int64_t most, int64_t *out)
{
    const json_t *value = json_object_get(it, key);

    *out = json_integer_value(value);
    if (json_is_integer(value) && *out >= 0 && *out <= most)
        return NULL;
    return must_be("--place", q->how.traffic_file,
                   "a report of logp mpirun --report FILE.json: \"%s\" is missing or wrong", key);
}

static struct problem *pair_of(const struct question *q, const json_t *it, struct logp_traffic *out)
{
    const int64_t last = q->model.P - 1;
    int64_t from, to;

    TRY(number_in(q, it, "from", last, &from));
    TRY(number_in(q, it, "to", last, &to));
    TRY(number_in(q, it, "messages", INT64_MAX, &out->messages));
    TRY(number_in(q, it, "bytes", INT64_MAX, &out->bytes));
    out->from = (int)from;
    out->to = (int)to;
    return NULL;
}

/* Place the ranks by the traffic of the report. */
static struct problem *place_by_pairs(const struct question *q, const json_t *report, int *core_of)
{
    const json_t *pairs = json_object_get(report, "pairs");
    const size_t n = json_array_size(pairs);
    struct problem *problem = NULL;
    struct logp_traffic *all;
    int64_t P;

    TRY(number_in(q, report, "P", LOGP_MAX_PROCESSORS, &P));
    if (P != q->model.P)
        return must_be("--place", q->how.traffic_file, "a report of %lld ranks; it has %lld",
                       (long long)q->model.P, (long long)P);
    all = need(calloc(n + 1, sizeof(*all)));
    for (size_t i = 0; i < n && problem == NULL; i++)
        problem = pair_of(q, json_array_get(pairs, i), &all[i]);
    if (problem == NULL)
        need_memory(logp_place_traffic(q->model.P, all, n, cores_of(q), core_of));
    free(all);
    return problem;
}

static struct problem *place_by_report(const struct question *q, int *core_of)
{
    struct problem *problem;
    json_error_t error;
    const char *why;
    char *text = text_of_file(q->how.traffic_file, &why);
    json_t *report;

    if (text == NULL)
        return option_problem("--place", q->how.traffic_file, "%s", why);
    report = json_loads(text, 0, &error);
    free(text);
    if (report == NULL)
        return option_problem("--place", q->how.traffic_file, "line %d: %s", error.line,
                              error.text);
    problem = place_by_pairs(q, report, core_of);
    json_decref(report);
    return problem;
}

struct problem *partners_of(const struct question *q, const int **out)
{
    *out = NULL;
    if (q->how.place != PLACE_PARTNERS || q->how.clock != LOGP_CLOCK_WALL)
        return NULL;
    *out = q->how.core_of;
    if (q->how.traffic_file == NULL && q->how.core_of == NULL)
        return option_problem("--place", q->how.place_text,
                              "%s, or a report (FILE.json): %s has no schedule", only_without,
                              q->line.words[0]);
    if (q->how.traffic_file == NULL)
        return NULL;
    TRY(check_P(q));
    *out = room(q);
    return place_by_report(q, q->work->core_of);
}
