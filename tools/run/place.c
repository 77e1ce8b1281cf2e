/* SPDX-License-Identifier: MIT */
/* --place partners: ranks that exchange most share a core. Their traffic is known from the
 * schedules of the algorithms, or from a report that logp mpirun wrote. */
#include "choice/choice.h"
#include "run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char only_without[] = "block or round-robin";

/* The number of cores that the machine will have on the wall clock, in one process. */
static int cores_of(const struct options *o)
{
    struct logp_host host;
    int n = o->n_cores;

    if (n == 0 && logp_host_info(&host) == 0)
        n = host.n_cores;
    return n < 1 ? 1 : n < o->P ? n : (int)o->P;
}

/* Memory for P cores, until the next call. */
static int *room(const struct options *o)
{
    static int *core_of;

    free(core_of);
    core_of = or_end(calloc((size_t)o->P, sizeof(*core_of)));
    return core_of;
}

static void check_P(const struct options *o)
{
    if (o->P > LOGP_PLACE_MAX)
        bad_option("--place", o->place_text, "%s, as there are more than %d processors",
                   only_without, LOGP_PLACE_MAX);
}

void place_partners(struct options *o, const struct logp_invocation *c, const struct row *rows,
                    size_t n)
{
    static const uint64_t most = UINT64_C(1) << 24;
    struct logp_schedule *schedules;
    size_t known = 0;
    int *core_of, rc;

    o->core_of = NULL;
    if (o->place != PLACE_PARTNERS || o->traffic_file != NULL || o->clock != LOGP_CLOCK_WALL ||
        n == 0)
        return;
    check_P(o);
    schedules = or_end(calloc(n, sizeof(*schedules)));
    for (size_t i = 0; i < n; i++) {
        schedules[known] = logp_schedule_of(rows[i].algorithm, o->P, &c->args, &c->model);
        known += schedules[known].steps != NULL;
    }
    if (known == 0)
        bad_option("--place", o->place_text, "%s, as %s %s has no schedule", only_without,
                   rows[0].algorithm->collective, rows[0].algorithm->name);
    core_of = room(o);
    rc = or_end_without_memory(logp_place_schedules(schedules, known, most, cores_of(o), core_of));
    free(schedules);
    if (rc == -E2BIG)
        bad_option("--place", o->place_text, "%s, as there are more than 2^24 messages",
                   only_without);
    if (rc != 0)
        bad_option("--place", o->place_text, "%s, as the schedule cannot be followed: %s",
                   only_without, logp_error_text(rc));
    o->core_of = core_of;
}

/* ---- traffic from a report ---- */

/* The number under this key of a report, 0 .. most. If it is missing or wrong, the process ends. */
static int64_t number_in(const struct options *o, const json_t *it, const char *key, int64_t most)
{
    const json_t *value = json_object_get(it, key);

    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        json_integer_value(value) > most)
        bad_option("--place", o->traffic_file,
                   "a report of logp mpirun --report FILE.json: \"%s\" is missing or wrong", key);
    return json_integer_value(value);
}

/* The traffic between the ranks of the report; to be freed. */
static struct logp_traffic *read_traffic(const struct options *o, size_t *n)
{
    struct logp_traffic *all;
    json_error_t error;
    const json_t *pairs, *pair;
    const char *why;
    char *text = text_of_file(o->traffic_file, &why);
    json_t *report;
    size_t i;

    if (text == NULL)
        bad_option("--place", o->traffic_file, "%s", why);
    report = json_loads(text, 0, &error);
    free(text);
    if (report == NULL)
        bad_option("--place", o->traffic_file, "line %d: %s", error.line, error.text);
    if (number_in(o, report, "P", LOGP_MAX_PROCESSORS) != o->P)
        bad_option("--place", o->traffic_file, "a report of %lld ranks; it has %lld",
                   (long long)o->P, (long long)json_integer_value(json_object_get(report, "P")));
    pairs = json_object_get(report, "pairs");
    *n = json_array_size(pairs);
    all = or_end(calloc(*n + 1, sizeof(*all)));
    json_array_foreach(pairs, i, pair)
    {
        all[i] = (struct logp_traffic){
            (int)number_in(o, pair, "from", o->P - 1), (int)number_in(o, pair, "to", o->P - 1),
            number_in(o, pair, "messages", INT64_MAX), number_in(o, pair, "bytes", INT64_MAX)};
    }
    json_decref(report);
    return all;
}

const int *partners_of(const struct options *o)
{
    struct logp_traffic *traffic;
    int *core_of;
    size_t n;

    if (o->place != PLACE_PARTNERS || o->clock != LOGP_CLOCK_WALL)
        return NULL;
    if (o->traffic_file == NULL && o->core_of == NULL)
        bad_option("--place", o->place_text, "%s, or a report (FILE.json): %s has no schedule",
                   only_without, o->words[0]);
    if (o->traffic_file == NULL)
        return o->core_of;
    check_P(o);
    traffic = read_traffic(o, &n);
    core_of = room(o);
    or_end_without_memory(logp_place_traffic(o->P, traffic, n, cores_of(o), core_of));
    free(traffic);
    return core_of;
}
