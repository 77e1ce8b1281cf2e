/* SPDX-License-Identifier: MIT */
/*
 * A plan and its answers as text: one item a line, its name first.
 *
 *     logp-replay 1
 *     program NAME
 *     processors 3
 *     run 12                 the run-th of its size
 *     seed 1234
 *     vary untimed order messages
 *     misses 3
 *     sends 0                those of more bytes wait for their receiver; left out: none do
 *     relies-on-buffers      it does not fail where all sends are buffered
 *     params L o_send o_recv g G gamma gap_shared capacity store_forward latency_varies seed
 *     latency 3 1            the kind, sigma
 *     samples 2 100 200      how many, then all of them
 *     choices 14 3=2 9=1     how many; those that were not answered with the usual one
 */
#include "kit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1, MOST_CHOICES = 100000000 };

void lpi_replay_write(struct lpi_text *t, const struct lpi_job *job)
{
    const struct lpi_plan *p = &job->plan;
    const struct logp_params *m = &p->params;

    lpi_text_add(t,
                 "logp-replay %d\nprogram %s\nprocessors %d\nrun %" PRIu64 "\nseed %" PRIu64 "\n",
                 VERSION, job->check.name, p->P, p->run, p->seed);
    lpi_text_add(t, "vary%s%s%s%s\nmisses %d\n", p->untimed ? " untimed" : "",
                 p->late ? " late" : "", p->order ? " order" : "", p->messages ? " messages" : "",
                 p->misses);
    if (p->rendezvous >= 0)
        lpi_text_add(t, "sends %" PRId64 "\n", p->rendezvous);
    if (p->relies)
        lpi_text_add(t, "relies-on-buffers\n");
    if (p->has_params)
        lpi_text_add(t,
                     "params %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
                     " %d %" PRId64 " %d %d %" PRIu64 "\n",
                     m->L_ns, m->o_send_ns, m->o_recv_ns, m->g_ns, m->G_ps, m->gamma_ps,
                     m->gap_shared, m->capacity, m->store_forward, m->latency_varies, m->seed);
    if (p->latency.kind != LOGP_LATENCY_AS_IS)
        lpi_text_add(t, "latency %d %.17g\n", (int)p->latency.kind, p->latency.sigma);
    if (p->latency.kind == LOGP_LATENCY_SAMPLES) {
        lpi_text_add(t, "samples %d", p->latency.n_samples);
        for (int i = 0; i < p->latency.n_samples; i++)
            lpi_text_add(t, " %" PRId64, p->latency.samples[i]);
        lpi_text_add(t, "\n");
    }
    lpi_text_add(t, "choices %d", job->taken.n);
    for (int i = 0; i < job->taken.n; i++)
        if (job->taken.index[i] != 0)
            lpi_text_add(t, " %d=%d", i, job->taken.index[i]);
    lpi_text_add(t, "\n");
}

/* ---- and back ---- */

struct reading {
    const char *at; /* what is left of the line */
    struct lpi_plan *plan;
    struct lpi_answers *answers;
    int64_t *samples;
};

/* The next number of the line. @return false: there is none in this range */
static bool number(struct reading *r, int64_t least, int64_t most, int64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoll(r->at, &end, 10);
    if (end == r->at || errno != 0 || *out < least || *out > most)
        return false;
    r->at = end;
    return true;
}

static bool seed(struct reading *r, uint64_t *out)
{
    char *end;

    errno = 0;
    r->at += strspn(r->at, " ");
    *out = strtoull(r->at, &end, 10);
    if (end == r->at || *r->at == '-' || errno != 0)
        return false;
    r->at = end;
    return true;
}

static int read_program(struct reading *r)
{
    r->at += strcspn(r->at, "\n");
    return 0;
}

static int read_processors(struct reading *r)
{
    int64_t P;

    if (!number(r, 1, LOGP_MAX_PROCESSORS, &P))
        return -EINVAL;
    r->plan->P = (int)P;
    return 0;
}

static int read_run(struct reading *r)
{
    return seed(r, &r->plan->run) ? 0 : -EINVAL;
}

static int read_seed(struct reading *r)
{
    return seed(r, &r->plan->seed) ? 0 : -EINVAL;
}

static int read_vary(struct reading *r)
{
    const struct {
        const char *name;
        bool *what;
    } words[] = {{"untimed", &r->plan->untimed},
                 {"late", &r->plan->late},
                 {"order", &r->plan->order},
                 {"messages", &r->plan->messages}};

    while (r->at += strspn(r->at, " "), *r->at != '\n' && *r->at != '\0') {
        const size_t n = strcspn(r->at, " \n");
        size_t i = 0;

        while (i < 4 && (strlen(words[i].name) != n || strncmp(words[i].name, r->at, n) != 0))
            i++;
        if (i == 4)
            return -EINVAL;
        *words[i].what = true;
        r->at += n;
    }
    return 0;
}

static int read_misses(struct reading *r)
{
    int64_t n;

    if (!number(r, 0, 1000000, &n))
        return -EINVAL;
    r->plan->misses = (int)n;
    return 0;
}

static int read_sends(struct reading *r)
{
    return number(r, 0, INT64_MAX, &r->plan->rendezvous) ? 0 : -EINVAL;
}

static int read_relies(struct reading *r)
{
    r->plan->relies = true;
    return 0;
}

static int read_params(struct reading *r)
{
    struct logp_params *m = &r->plan->params;
    int64_t *const times[] = {&m->L_ns, &m->o_send_ns, &m->o_recv_ns,
                              &m->g_ns, &m->G_ps,      &m->gamma_ps};
    int64_t shared, store, varies;

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        if (!number(r, 0, LOGP_PARAM_MAX_NS, times[i]))
            return -EINVAL;
    if (!number(r, 0, 1, &shared) || !number(r, LOGP_CAPACITY_RULE, INT64_MAX, &m->capacity) ||
        !number(r, 0, 1, &store) || !number(r, 0, 1, &varies) || !seed(r, &m->seed))
        return -EINVAL;
    m->gap_shared = shared != 0;
    m->store_forward = store != 0;
    m->latency_varies = varies != 0;
    r->plan->has_params = true;
    return 0;
}

static int read_latency(struct reading *r)
{
    int64_t kind;
    char *end;

    if (!number(r, LOGP_LATENCY_AS_IS, LOGP_LATENCY_SAMPLES, &kind))
        return -EINVAL;
    r->plan->latency.kind = (enum logp_latency_kind)kind;
    r->plan->latency.sigma = strtod(r->at, &end);
    if (end == r->at || !(r->plan->latency.sigma >= 0))
        return -EINVAL;
    r->at = end;
    return 0;
}

static int read_samples(struct reading *r)
{
    int64_t n;

    if (r->samples != NULL || !number(r, 1, (int64_t)strlen(r->at), &n))
        return -EINVAL;
    r->samples = malloc((size_t)n * sizeof(*r->samples));
    if (r->samples == NULL)
        return -ENOMEM;
    for (int64_t i = 0; i < n; i++)
        if (!number(r, 0, LOGP_PARAM_MAX_NS, &r->samples[i]))
            return -EINVAL;
    r->plan->latency.samples = r->samples;
    r->plan->latency.n_samples = (int)n;
    return 0;
}

static int read_choices(struct reading *r)
{
    struct lpi_answers *a = r->answers;
    int64_t n, i, answer;

    if (a->index != NULL || !number(r, 0, MOST_CHOICES, &n))
        return -EINVAL;
    a->index = calloc((size_t)n + 1, sizeof(*a->index));
    if (a->index == NULL)
        return -ENOMEM;
    a->n = a->room = (int)n;
    while (r->at += strspn(r->at, " "), *r->at != '\n' && *r->at != '\0') {
        if (!number(r, 0, n - 1, &i) || *r->at++ != '=' || !number(r, 0, INT32_MAX, &answer))
            return -EINVAL;
        a->index[i] = (int)answer;
    }
    return 0;
}

static const struct {
    const char *name;
    int (*read)(struct reading *r);
} items[] = {
    {"program", read_program}, {"processors", read_processors},
    {"run", read_run},         {"seed", read_seed},
    {"vary", read_vary},       {"misses", read_misses},
    {"sends", read_sends},     {"relies-on-buffers", read_relies},
    {"params", read_params},   {"latency", read_latency},
    {"samples", read_samples}, {"choices", read_choices},
};

/* One line. @return 0; -EINVAL, -ENOMEM */
static int read_item(struct reading *r)
{
    const size_t n = strcspn(r->at, " \n");

    for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
        if (strlen(items[i].name) == n && strncmp(items[i].name, r->at, n) == 0) {
            int rc;

            r->at += n;
            rc = items[i].read(r);
            if (rc != 0)
                return rc;
            r->at += strspn(r->at, " \r");
            return *r->at == '\n' || *r->at == '\0' ? 0 : -EINVAL;
        }
    return -EINVAL;
}

/* After "logp-replay 1"; NULL: it does not begin so. */
static const char *after_version(const char *text)
{
    int version = 0, n = 0;

    if (sscanf(text, "logp-replay %d%n", &version, &n) != 1 || version != VERSION ||
        text[n] != '\n')
        return NULL;
    return text + n + 1;
}

int lpi_replay_parse(const char *text, struct lpi_plan *plan, struct lpi_answers *answers,
                     int64_t **samples)
{
    struct reading r = {.at = after_version(text), .plan = plan, .answers = answers};
    int rc = 0;

    *plan = (struct lpi_plan){.rendezvous = -1};
    *answers = (struct lpi_answers){0};
    if (r.at == NULL)
        return -EINVAL;
    while (rc == 0 && *r.at != '\0') {
        rc = read_item(&r);
        r.at += *r.at == '\n';
    }
    *samples = r.samples;
    if (rc == 0 && (plan->P == 0 || answers->index == NULL ||
                    (plan->latency.kind == LOGP_LATENCY_SAMPLES) != (r.samples != NULL)))
        rc = -EINVAL;
    return rc;
}

char *logp_replay_name(const char *replay)
{
    const char *at = replay != NULL ? after_version(replay) : NULL;

    for (; at != NULL && *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n')
        if (strncmp(at, "program ", 8) == 0)
            return strndup(at + 8, strcspn(at + 8, "\n"));
    return NULL;
}

int logp_replay_read(const char *path, char **text)
{
    enum { MOST = 64 << 20 };
    struct lpi_text t = {0};
    FILE *f = fopen(path, "re");
    char part[4096];
    size_t n;
    int rc = 0;

    *text = NULL;
    if (f == NULL)
        return -errno;
    lpi_text_add(&t, "%s", "");
    while (rc == 0 && (n = fread(part, 1, sizeof(part), f)) > 0) {
        lpi_text_add(&t, "%.*s", (int)n, part);
        rc = t.failed ? -ENOMEM : t.n > MOST ? -EFBIG : 0;
    }
    if (rc == 0 && ferror(f))
        rc = -errno;
    fclose(f);
    if (rc != 0)
        free(t.s);
    else
        *text = t.s;
    return rc;
}
