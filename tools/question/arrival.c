/* SPDX-License-Identifier: MIT */
/*
 * When ranks arrive at a collective: --arrival. A file has the time of each rank, one a line, or
 * the times are drawn: a function of the seed and the rank alone.
 */
#include "question/rows.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char how[] =
    "none, late@RANK:T, uniform:T, exp:T (its mean), or a file with a time a line for each rank";


/* A number in [0, 1) for a rank: the steps of splitmix64. */
static double draw(uint64_t seed, int64_t rank)
{
    uint64_t x = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)rank * UINT64_C(0xd1342543de82ef95);

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
                                int64_t *out)
{
    char *end;
    const long long rank = strtoll(text + 5, &end, 10);
    int64_t ns;

    if (end == text + 5 || *end != ':' || !time_of(q, end + 1, &ns))
        return option_problem(option, text, "%s", how);
    if (rank < 0 || rank >= q->model.P)
        return option_problem(option, text, "a rank 0 .. %lld", (long long)q->model.P - 1);
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

const int64_t *drawn_arrivals(const struct question *q)
{
    struct drawn *d = part_of(q, PART_ARRIVALS, sizeof(*d));
    struct drawn now = {.P = q->model.P, .seed = q->how.seed};
    const char *at;

    if (q->model.arrival_text == NULL ||
        !is_drawn(q->model.arrival_text, &now.exponential, &at) || !time_of(q, at, &now.most))
        return NULL;
    if (d->ns != NULL && d->P == now.P && d->most == now.most && d->seed == now.seed &&
        d->exponential == now.exponential)
        return d->ns;
    now.ns = kept_by(q, malloc((size_t)now.P * sizeof(*now.ns)), free);
    for (int64_t r = 0; r < now.P; r++) {
        const double x = draw(now.seed, r);
        const double ns =
            now.exponential ? -log1p(-x) * (double)now.most : x * ((double)now.most + 1);

        now.ns[r] = ns < (double)LOGP_PARAM_MAX_NS ? (int64_t)ns : LOGP_PARAM_MAX_NS;
    }
    *d = now;
    return d->ns;
}

/* Lines that are empty, or begin with #, have no time. */
static struct problem *from_file(const struct question *q, const char *option, const char *file,
                                 int64_t *out)
{
    const char *why;
    char *text = text_of_file(file, &why), *save = NULL;
    struct problem *problem = NULL;
    int64_t n = 0;

    if (text == NULL)
        return option_problem(option, file, "cannot read it: %s; give %s", why, how);
    for (char *line = strtok_r(text, "\r\n", &save); line != NULL && problem == NULL;
         line = strtok_r(NULL, "\r\n", &save)) {
        line += strspn(line, " \t");
        line[strcspn(line, " \t")] = '\0';
        if (*line == '\0' || *line == '#')
            continue;
        if (n < q->model.P && !time_of(q, line, &out[n]))
            problem = option_problem(option, file, "rank %lld: %s: a time, 0 .. 10^15 ns",
                                     (long long)n, shown_text(line));
        n++;
    }
    free(text);
    if (problem == NULL && n != q->model.P)
        return option_problem(option, file, "a time for each of %lld ranks; it has %lld",
                              (long long)q->model.P, (long long)n);
    return problem;
}

struct problem *apply_arrival(struct question *q, const char *option, const char *text)
{
    const char *at;
    bool exponential;
    int64_t *ns, most;

    q->model.network.arrivals = NULL;
    q->model.arrival_text = strcmp(text, "none") != 0 ? text : NULL;
    if (q->model.arrival_text == NULL)
        return NULL;
    if (q->model.P > LOGP_MAX_PROCESSORS)
        return option_problem(option, text, "none: at most %d processors arrive late",
                              LOGP_MAX_PROCESSORS);
    if (is_drawn(text, &exponential, &at)) /* by drawn_arrivals(), when the seed is known */
        return time_of(q, at, &most) ? NULL : option_problem(option, text, "%s", how);
    ns = kept_by(q, calloc((size_t)q->model.P, sizeof(*ns)), free);
    TRY(strncmp(text, "late@", 5) == 0 ? one_late(q, option, text, ns)
                                       : from_file(q, option, text, ns));
    q->model.network.arrivals = ns;
    return NULL;
}
