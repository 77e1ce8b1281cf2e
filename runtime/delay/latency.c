/* SPDX-License-Identifier: MIT */
/*
 * Random latencies: see logp/delay.h. The model calls the inner one and replaces its L by a drawn
 * latency. Draws have no state, so senders on different cores share nothing, and a repeated run
 * draws the same latencies.
 */
#include "delay/delay.h"

#include <logp/delay.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 1 << 24 };

struct varied {
    struct lpi_inner in;
    struct logp_latency how;
    int64_t L;
    bool (*is_drawn)(void *arg, const struct logp_latency_draw *draw); /* NULL: all are */
    void *arg;
    int64_t samples[];
};

/* Standard normal. Box & Muller, Ann. Math. Stat. 29(2), 1958 */
static double normal(uint64_t random)
{
    return sqrt(-2 * log(fraction(random))) *
           cos(2 * 3.14159265358979323846 * fraction(mix(random)));
}

/* L: the latency of the link without the draw. */
static int64_t draw(const struct varied *v, const struct logp_transfer *t, int64_t L)
{
    const uint64_t random = draw_of(v->how.seed, t->src, t->dst, t->number);

    switch (v->how.kind) {
    case LOGP_LATENCY_UNIFORM:
        return below(random, L + 1);
    case LOGP_LATENCY_EXPONENTIAL:
        return exponential(random, L);
    case LOGP_LATENCY_LOGNORMAL:
        return rounded((double)L * exp(v->how.sigma * normal(random)));
    case LOGP_LATENCY_SAMPLES:
        return v->samples[below(random, v->how.n_samples)];
    case LOGP_LATENCY_AS_IS:
        break;
    }
    return L;
}

static __attribute__((noinline)) bool asks(const struct varied *v, const struct logp_transfer *t,
                                           int64_t L)
{
    const struct logp_latency_draw d = {t->src, t->dst, t->number, t->start, draw(v, t, L), L};

    return v->is_drawn(v->arg, &d);
}

static void send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    const struct varied *v = model;
    const int64_t L = v->in.ops.link != NULL ? lpi_inner_link(model, t->src, t->dst)->L_ns : v->L;

    v->in.ops.send(v->in.delay.model, port, t);
    if (__builtin_expect(v->is_drawn == NULL, true) || asks(v, t, L))
        t->arrival += draw(v, t, L) - L;
}

static void destroy(void *model)
{
    struct varied *v = model;

    logp_delay_destroy(&v->in.delay);
    free(v);
}

static int64_t lookahead(void *model)
{
    const struct varied *v = model;
    const int64_t inner = lpi_inner_lookahead(model);

    if (v->how.kind == LOGP_LATENCY_AS_IS)
        return inner;
    return v->in.ops.link == NULL && inner > v->L ? inner - v->L
                                                  : 0; /* with links, L is not v->L */
}

static void network(void *model, struct logp_network *out)
{
    const struct varied *v = model;

    lpi_inner_network(model, out);
    out->latency = &v->how;
}

static const struct logp_delay_ops ops = {
    .size = sizeof(ops),
    .name = "latency",
    .start = lpi_inner_start,
    .send = send,
    .recv = lpi_inner_recv,
    .params = lpi_inner_params,
    .capacity = lpi_inner_capacity,
    .destroy = destroy,
    .restart = lpi_inner_restart,
    .lookahead = lookahead,
    .link = lpi_inner_link,
    .network = network,
};

static bool valid(const struct logp_latency *l)
{
    if (l->kind < LOGP_LATENCY_AS_IS || l->kind > LOGP_LATENCY_SAMPLES || !(l->sigma >= 0) ||
        (l->kind == LOGP_LATENCY_SAMPLES && (l->samples == NULL || l->n_samples < 1)))
        return false;
    for (int i = 0; l->kind == LOGP_LATENCY_SAMPLES && i < l->n_samples; i++)
        if (l->samples[i] < 0 || l->samples[i] > LOGP_PARAM_MAX_NS)
            return false;
    return true;
}

static int create(struct logp_delay *inner, const struct logp_latency *latency,
                  struct logp_delay *out)
{
    const size_t n = latency->kind == LOGP_LATENCY_SAMPLES && latency->n_samples > 0
                         ? (size_t)latency->n_samples
                         : 0;
    struct logp_delay_ops functions;
    struct varied *v;
    int rc = logp_delay_functions(inner, &functions);

    if (rc != 0)
        return rc;
    if (!valid(latency) || functions.params == NULL ||
        (latency->kind != LOGP_LATENCY_AS_IS && functions.params(inner->model)->latency_varies))
        return -EINVAL;
    v = calloc(1, sizeof(*v) + n * sizeof(v->samples[0]));
    if (v == NULL)
        return -ENOMEM;
    v->in.delay = *inner;
    v->in.ops = functions;
    v->how = *latency;
    v->how.samples = NULL;
    v->how.sigma = latency->sigma > 0 ? latency->sigma : 1;
    v->L = functions.params(inner->model)->L_ns;
    if (n > 0)
        memcpy(v->samples, latency->samples, n * sizeof(v->samples[0]));
    *inner = (struct logp_delay){0};
    *out = (struct logp_delay){&ops, v};
    return 0;
}

int logp_latency_create(struct logp_delay *inner, const struct logp_latency *latency,
                        struct logp_delay *out)
{
    const int rc = create(inner, latency, out);

    if (rc != 0)
        lpi_delay_fail(inner, out);
    return rc;
}

void lpi_latency_seed(const struct logp_delay *delay, uint64_t seed)
{
    struct varied *v = delay->model;

    if (delay->ops->send == send)
        v->how.seed = seed;
}

void lpi_latency_ask(const struct logp_delay *delay,
                     bool (*is_drawn)(void *arg, const struct logp_latency_draw *draw), void *arg)
{
    struct varied *v = delay->model;

    if (delay->ops->send != send)
        return;
    v->is_drawn = is_drawn;
    v->arg = arg;
}

/* ---- a file of samples ---- */

/* Parse the number in a line; -1: there is none. @return 0; -EINVAL */
static int parse(char *line, int64_t *ns)
{
    char *end;

    line[strcspn(line, "#\n")] = '\0';
    line += strspn(line, " \t\r");
    *ns = -1;
    if (*line == '\0')
        return 0;
    errno = 0;
    *ns = strtoll(line, &end, 10);
    end += strspn(end, " \t\r");
    return errno != 0 || *end != '\0' || *ns < 0 || *ns > LOGP_PARAM_MAX_NS ? -EINVAL : 0;
}

static int append(int64_t **samples, int *n, int *space, int64_t ns)
{
    if (*n == *space) {
        int64_t *larger;

        *space = *space > 0 ? 2 * *space : 256;
        larger = realloc(*samples, (size_t)*space * sizeof(*larger));
        if (larger == NULL)
            return -ENOMEM;
        *samples = larger;
    }
    (*samples)[(*n)++] = ns;
    return 0;
}

int logp_latency_read(const char *path, int64_t **samples, int *n)
{
    FILE *f = fopen(path, "re");
    char line[256];
    int rc = 0, space = 0;

    *samples = NULL;
    *n = 0;
    if (f == NULL)
        return -errno;
    for (int lines = 0; rc == 0 && fgets(line, sizeof(line), f) != NULL; lines++) {
        const bool whole = strchr(line, '\n') != NULL || feof(f);
        int64_t ns;

        rc = whole && *n < MOST_SAMPLES && lines < 2 * MOST_SAMPLES ? parse(line, &ns) : -EINVAL;
        if (rc == 0 && ns >= 0)
            rc = append(samples, n, &space, ns);
    }
    if (rc == 0 && ferror(f))
        rc = -errno;
    fclose(f);
    if (rc == 0 && *n == 0)
        rc = -EINVAL;
    if (rc != 0) {
        free(*samples);
        *samples = NULL;
    }
    return rc;
}
