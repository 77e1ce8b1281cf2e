/* SPDX-License-Identifier: MIT */
/* --place partners: ranks that exchange most share a core. Their traffic is known from the
 * schedules of the algorithms, or from a report that logp mpirun wrote. */
#include "question/choice/choice.h"
#include "answer/answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char only_without[] = "block or round-robin";

/* The number of cores that the machine will have on the wall clock, in one process. */
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
    static int *core_of;

    free(core_of);
    core_of = or_end(calloc((size_t)q->model.P, sizeof(*core_of)));
    return core_of;
}

static void check_P(const struct question *q)
{
    if (q->model.P > LOGP_PLACE_MAX)
        bad_option("--place", q->how.place_text, "%s, as there are more than %d processors",
                   only_without, LOGP_PLACE_MAX);
}

void place_partners(struct question *q, const struct logp_invocation *c, const struct row *rows,
                    size_t n)
{
    static const uint64_t most = UINT64_C(1) << 24;
    struct logp_schedule *schedules;
    size_t known = 0;
    int *core_of, rc;

    q->how.core_of = NULL;
    if (q->how.place != PLACE_PARTNERS || q->how.traffic_file != NULL ||
        q->how.clock != LOGP_CLOCK_WALL || n == 0)
        return;
    check_P(q);
    schedules = or_end(calloc(n, sizeof(*schedules)));
    for (size_t i = 0; i < n; i++) {
        schedules[known] = logp_schedule_of(rows[i].algorithm, q->model.P, &c->args, &c->model);
        known += schedules[known].steps != NULL;
    }
    if (known == 0)
        bad_option("--place", q->how.place_text, "%s, as %s %s has no schedule", only_without,
                   rows[0].algorithm->collective, rows[0].algorithm->name);
    core_of = room(q);
    rc = or_end_without_memory(logp_place_schedules(schedules, known, most, cores_of(q), core_of));
    free(schedules);
    if (rc == -E2BIG)
        bad_option("--place", q->how.place_text, "%s, as there are more than 2^24 messages",
                   only_without);
    if (rc != 0)
        bad_option("--place", q->how.place_text, "%s, as the schedule cannot be followed: %s",
                   only_without, logp_error_text(rc));
    q->how.core_of = core_of;
}

/* ---- traffic from a report ---- */

/* The number under this key of a report, 0 .. most. If it is missing or wrong, the process ends. */
static int64_t number_in(const struct question *q, const json_t *it, const char *key, int64_t most)
{
    const json_t *value = json_object_get(it, key);

    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        json_integer_value(value) > most)
        bad_option("--place", q->how.traffic_file,
                   "a report of logp mpirun --report FILE.json: \"%s\" is missing or wrong", key);
    return json_integer_value(value);
}

/* The traffic between the ranks of the report; to be freed. */
static struct logp_traffic *read_traffic(const struct question *q, size_t *n)
{
    struct logp_traffic *all;
    json_error_t error;
    const json_t *pairs, *pair;
    const char *why;
    char *text = text_of_file(q->how.traffic_file, &why);
    json_t *report;
    size_t i;

    if (text == NULL)
        bad_option("--place", q->how.traffic_file, "%s", why);
    report = json_loads(text, 0, &error);
    free(text);
    if (report == NULL)
        bad_option("--place", q->how.traffic_file, "line %d: %s", error.line, error.text);
    if (number_in(q, report, "P", LOGP_MAX_PROCESSORS) != q->model.P)
        bad_option("--place", q->how.traffic_file, "a report of %lld ranks; it has %lld",
                   (long long)q->model.P,
                   (long long)json_integer_value(json_object_get(report, "P")));
    pairs = json_object_get(report, "pairs");
    *n = json_array_size(pairs);
    all = or_end(calloc(*n + 1, sizeof(*all)));
    json_array_foreach(pairs, i, pair)
    {
        all[i] = (struct logp_traffic){(int)number_in(q, pair, "from", q->model.P - 1),
                                       (int)number_in(q, pair, "to", q->model.P - 1),
                                       number_in(q, pair, "messages", INT64_MAX),
                                       number_in(q, pair, "bytes", INT64_MAX)};
    }
    json_decref(report);
    return all;
}

const int *partners_of(const struct question *q)
{
    struct logp_traffic *traffic;
    int *core_of;
    size_t n;

    if (q->how.place != PLACE_PARTNERS || q->how.clock != LOGP_CLOCK_WALL)
        return NULL;
    if (q->how.traffic_file == NULL && q->how.core_of == NULL)
        bad_option("--place", q->how.place_text, "%s, or a report (FILE.json): %s has no schedule",
                   only_without, q->line.words[0]);
    if (q->how.traffic_file == NULL)
        return q->how.core_of;
    check_P(q);
    traffic = read_traffic(q, &n);
    core_of = room(q);
    or_end_without_memory(logp_place_traffic(q->model.P, traffic, n, cores_of(q), core_of));
    free(traffic);
    return core_of;
}
