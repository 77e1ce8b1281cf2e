/* SPDX-License-Identifier: MIT */
/*
 * When ranks arrive at a collective: --arrival. A file has the time of each rank, one a line, or is a
 * report of logp mpirun, or the times are drawn: a function of the seed and the rank alone. A table of several numbers of
 * processors, and a prediction, have a list of patterns, each of which must be one for all numbers of processors.
 */
#include "question/rows.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char how[] =
    "none, late@RANK:T, uniform:T, exp:T (its mean), or a file: a time a line for each rank, or "
    "FILE.json of logp mpirun --report";

/* A number in [0, 1) for a rank: the steps of splitmix64. */
static double draw(uint64_t seed, int64_t rank)
{
    uint64_t x =
        (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)rank * UINT64_C(0xd1342543de82ef95);

    for (int i = 0; i < 2; i++) {
        x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
        x ^= x >> 31;
    }
    return (double)(x >> 11) / (double)(UINT64_C(1) << 53);
}

/* A time in units, or with a suffix. */
static bool time_of(const struct question *q, const char *text, int64_t *ns)
{
    int64_t ps;

    if (!logp_time_parse(text, q->model.unit_ns * 1000, &ps) || ps < 0 ||
        ps / 1000 > LOGP_PARAM_MAX_NS)
        return false;
    *ns = (ps + 999) / 1000;
    return true;
}

static struct problem *one_late(const struct question *q, const char *option, const char *text,
                                int64_t P, int64_t *out)
{
    char *end;
    const long long rank = strtoll(text + 5, &end, 10);
    int64_t ns;

    if (end == text + 5 || *end != ':' || !time_of(q, end + 1, &ns))
        return must_be(option, text, "%s", how);
    if (rank < 0 || rank >= P)
        return must_be(option, text, "a rank 0 .. %lld", (long long)P - 1);
    out[rank] = ns;
    return NULL;
}

/* Whether the times are drawn; *exponential: how; *at: the time in the text. */
static bool is_drawn(const char *text, bool *exponential, const char **at)
{
    *exponential = strncmp(text, "exp:", 4) == 0;
    *at = strchr(text, ':') != NULL ? strchr(text, ':') + 1 : "";
    return *exponential || strncmp(text, "uniform:", 8) == 0;
}

/* The times that are drawn last. */
struct drawn {
    int64_t *ns;
    int64_t P, most;
    uint64_t seed;
    bool exponential;
};

static void draw_times(const struct drawn *d, int64_t *out)
{
    for (int64_t r = 0; r < d->P; r++) {
        const double x = draw(d->seed, r);
        const double ns = d->exponential ? -log1p(-x) * (double)d->most : x * ((double)d->most + 1);

        out[r] = ns < (double)LOGP_PARAM_MAX_NS ? (int64_t)ns : LOGP_PARAM_MAX_NS;
    }
}

const int64_t *drawn_arrivals(const struct question *q)
{
    struct drawn *d = part_of(q, PART_ARRIVALS, sizeof(*d));
    struct drawn now = {.P = q->model.P, .seed = q->how.seed};
    const char *at;

    if (q->model.arrival_text == NULL || !is_drawn(q->model.arrival_text, &now.exponential, &at) ||
        !time_of(q, at, &now.most))
        return NULL;
    if (d->ns != NULL && d->P == now.P && d->most == now.most && d->seed == now.seed &&
        d->exponential == now.exponential)
        return d->ns;
    now.ns = kept_by(q, malloc((size_t)now.P * sizeof(*now.ns)), free);
    draw_times(&now, now.ns);
    *d = now;
    return d->ns;
}

/* The field arrivals_ns of a report of logp mpirun. */
static struct problem *from_report(const char *option, const char *file, const char *text,
                                   int64_t P, int64_t *out)
{
    json_t *const all = json_loads(text, 0, NULL),
                  *const times = json_object_get(all, "arrivals_ns"), *time;
    struct problem *problem = NULL;
    const size_t n = json_array_size(times);
    size_t i;

    if (all == NULL)
        problem = option_problem(option, file, "not the JSON of logp mpirun --report FILE.json");
    else if (!json_is_array(times))
        problem = option_problem(option, file,
                                 "has no arrivals_ns; give a report, logp mpirun --report "
                                 "FILE.json, of a program whose ranks all call a collective");
    else if ((int64_t)n != P)
        problem = must_be(option, file, "a report of %lld ranks; it has %zu", (long long)P, n);
    json_array_foreach(problem == NULL ? times : NULL, i, time)
    {
        out[i] = json_integer_value(time);
        if (problem == NULL && (!json_is_integer(time) || out[i] < 0 || out[i] > LOGP_PARAM_MAX_NS))
            problem =
                option_problem(option, file, "arrivals_ns of rank %zu: a time, 0 .. 10^15 ns", i);
    }
    json_decref(all);
    return problem;
}

/* End a line behind its time, before blanks or a comment. */
static void cut_comment(char *line)
{
    char *rest = line + strcspn(line, " \t");

    if (rest[strspn(rest, " \t")] == '\0' || rest[strspn(rest, " \t")] == '#')
        *rest = '\0';
}

/* Lines that are empty, or begin with #, have no time. */
static struct problem *from_file(const struct question *q, const char *option, const char *file,
                                 int64_t P, int64_t *out)
{
    const char *why;
    char *text = text_of_file(file, &why), *save = NULL;
    struct problem *problem = NULL;
    int64_t n = 0;

    if (text == NULL)
        return option_problem(option, file, "must be %s; as a file it cannot be read: %s", how,
                              why);
    if (text[strspn(text, " \t\r\n")] == '{') {
        problem = from_report(option, file, text, P, out);
        free(text);
        return problem;
    }
    for (char *line = strtok_r(text, "\r\n", &save); line != NULL && problem == NULL;
         line = strtok_r(NULL, "\r\n", &save)) {
        line += strspn(line, " \t");
        if (*line == '\0' || *line == '#')
            continue;
        cut_comment(line);
        if (n < P && !time_of(q, line, &out[n]))
            problem = option_problem(option, file, "rank %lld: %s: a time, 0 .. 10^15 ns",
                                     (long long)n, line);
        n++;
    }
    free(text);
    if (problem == NULL && n != P)
        return must_be(option, file, "a time for each of %lld ranks; it has %lld", (long long)P,
                       (long long)n);
    return problem;
}

/* One pattern for P ranks, which the question keeps. Times that are drawn are 0: the seed may not
 * be known yet. */
static struct problem *read_pattern(const struct question *q, const char *option, const char *text,
                                    int64_t P, int64_t **out)
{
    const char *at;
    bool exponential;
    int64_t most;

    if (P > LOGP_MAX_PROCESSORS)
        return must_be(option, text, "none: at most %d processors arrive late",
                       LOGP_MAX_PROCESSORS);
    *out = kept_by(q, calloc((size_t)P, sizeof(**out)), free);
    if (is_drawn(text, &exponential, &at))
        return time_of(q, at, &most) ? NULL : must_be(option, text, "%s", how);
    return strncmp(text, "late@", 5) == 0 ? one_late(q, option, text, P, *out)
                                          : from_file(q, option, text, P, *out);
}

/* Read all patterns of a list for P ranks, with those that are drawn. */
static struct problem *read_patterns(const struct question *q, const char *option, const char *text,
                                     int64_t P, struct arrivals *out)
{
    struct drawn d = {.P = P, .seed = q->how.seed};
    char *rest = kept_by(q, strdup(text), free), *item;
    const char *at;

    out->n = 0;
    while ((item = strsep(&rest, ",")) != NULL) {
        int64_t *ns = NULL;

        if (out->n == MOST_ARRIVALS)
            return must_be(option, text, "at most %d patterns", MOST_ARRIVALS);
        if (*item == '\0')
            return option_problem(option, text,
                                  "a pattern is empty; write none where all ranks begin together");
        if (strcmp(item, "none") != 0)
            TRY(read_pattern(q, option, item, P, &ns));
        if (ns != NULL && is_drawn(item, &d.exponential, &at) && time_of(q, at, &d.most))
            draw_times(&d, ns);
        out->ns[out->n++] = ns;
    }
    return NULL;
}

struct problem *arrivals_of(const struct question *q, int64_t P, struct arrivals *out)
{
    out->n = 0;
    return q->model.arrival_text != NULL
               ? read_patterns(q, "arrival", q->model.arrival_text, P, out)
               : NULL;
}

/* A list where one pattern is wanted; a comma may be in the name of a file. */
static struct problem *refuse_patterns(const struct question *q, const char *option,
                                       const char *text)
{
    return strchr(text, ',') == NULL || access(text, F_OK) == 0
               ? NULL
               : option_problem(option, text,
                                "%s takes one pattern; logp predict and logp tune choose for "
                                "several, logp bench runs each",
                                q->line.words[0]);
}

struct problem *apply_arrival(struct question *q, const char *option, const char *text)
{
    const bool several = (q->line.sets & OPTIONS_SPANS) != 0;
    const bool may_be_list = (q->line.sets & OPTIONS_PATTERNS) != 0;
    struct arrivals patterns;
    const char *at;
    bool exponential;
    int64_t *ns;

    q->model.network.arrivals = NULL;
    q->model.arrival_text = strcmp(text, "none") != 0 ? text : NULL;
    q->model.has_patterns = may_be_list && strchr(text, ',') != NULL;
    if (q->model.arrival_text == NULL)
        return NULL;
    for (size_t i = 0; several && i < q->span.n_P; i++)
        TRY(read_patterns(q, option, text, q->span.P_list[i], &patterns));
    if (q->model.has_patterns)
        return read_patterns(q, option, text, q->model.P, &patterns);
    if (several)
        return NULL;
    TRY(refuse_patterns(q, option, text));
    TRY(read_pattern(q, option, text, q->model.P, &ns));
    q->model.network.arrivals = is_drawn(text, &exponential, &at) ? NULL : ns;
    return NULL;
}
