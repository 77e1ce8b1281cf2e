/* SPDX-License-Identifier: MIT */
/* Parser of a replay's text. Its items are described in replay.c. */
#include "kit.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CHOICES = 100000000, OLDEST = 5 };

struct reading {
    const char *at; /* the rest of the line */
    struct lpi_replay *to;
    struct lpi_plan *plan;
};

/* The next number of the line. @return false: none in this range */
static bool number(struct reading *r, int64_t least, int64_t most, int64_t *out)
{
    char *end;

    errno = 0;
    r->at += strspn(r->at, " ");
    *out = strtoll(r->at, &end, 10);
    if (end == r->at || *r->at < '-' || errno != 0 || *out < least || *out > most)
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
    if (end == r->at || *r->at < '0' || errno != 0)
        return false;
    r->at = end;
    return true;
}

/* The rest of the line, to be freed. @return 0; -EINVAL, -ENOMEM */
static int read_text(struct reading *r, char **out)
{
    const char *end;
    char *to;

    r->at += *r->at == ' ';
    end = r->at + strcspn(r->at, "\r\n");
    *out = to = malloc((size_t)(end - r->at) + 1);
    if (to == NULL)
        return -ENOMEM;
    while (r->at < end) {
        unsigned byte;

        if (*r->at != '\\') {
            *to++ = *r->at++;
        } else if (r->at[1] == '\\') {
            *to++ = '\\';
            r->at += 2;
        } else if (sscanf(r->at, "\\x%2x", &byte) == 1 && byte != 0 && end - r->at >= 4) {
            *to++ = (char)byte;
            r->at += 4;
        } else {
            break;
        }
    }
    *to = '\0';
    if (r->at == end)
        return 0;
    free(*out);
    *out = NULL;
    return -EINVAL;
}

/* The same, for an item that occurs only once. */
static int read_once(struct reading *r, char **out)
{
    return *out != NULL ? -EINVAL : read_text(r, out);
}

static int read_argument(struct reading *r)
{
    char *argument = NULL;
    const int rc = read_text(r, &argument);

    return rc != 0 ? rc : lpi_replay_add_argument(&r->to->facts, argument) ? 0 : -ENOMEM;
}

static int read_failed(struct reading *r)
{
    struct logp_replay *f = &r->to->facts;
    int64_t error;
    size_t n;
    int kind = LOGP_FAILURE_UNCONTROLLED;

    r->at += *r->at == ' ';
    n = strcspn(r->at, " \n");
    while (kind > LOGP_FAILURE_NONE && (strlen(lpi_failure_names[kind]) != n ||
                                        strncmp(lpi_failure_names[kind], r->at, n) != 0))
        kind--;
    r->at += n;
    if (kind == LOGP_FAILURE_NONE || !number(r, INT32_MIN, INT32_MAX, &error))
        return -EINVAL;
    f->kind = (enum logp_failure_kind)kind;
    f->error = (int)error;
    return read_once(r, &f->expression);
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

    while (r->at += strspn(r->at, " \r"), *r->at != '\n' && *r->at != '\0') {
        const size_t n = strcspn(r->at, " \r\n");
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

static int read_sends(struct reading *r)
{
    int64_t most; /* bytes of a send that does not wait */

    if (!number(r, 0, INT64_MAX - 1, &most))
        return -EINVAL;
    r->plan->network.rendezvous_from = most + 1;
    return 0;
}

static int read_most_faults(struct reading *r)
{
    struct logp_fault_limits *f = &r->plan->most_faults;
    int *const all[] = {&f->crashes, &f->restarts, &f->lost, &f->doubled, &f->partitions};
    int64_t n;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (!number(r, 0, INT32_MAX, &n))
            return -EINVAL;
        *all[i] = (int)n;
    }
    return 0;
}

static int read_fault_places(struct reading *r)
{
    struct logp_fault_places *at = &r->plan->fault_places;
    uint64_t *const masks[] = {&at->ranks, &at->senders, &at->receivers, &at->tags, &at->half};
    int64_t one_way;

    for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++)
        if (!seed(r, masks[i]))
            return -EINVAL;
    if (!number(r, 0, 1, &one_way))
        return -EINVAL;
    at->one_way = one_way != 0;
    return 0;
}

static int read_params(struct reading *r)
{
    struct logp_params *m = &r->plan->network.params;
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
    r->plan->network.undelayed = false;
    return 0;
}

static int read_latency(struct reading *r)
{
    int64_t kind;
    int rc;

    if (!number(r, LOGP_LATENCY_AS_IS, LOGP_LATENCY_SAMPLES, &kind))
        return -EINVAL;
    r->plan->latency.kind = (enum logp_latency_kind)kind;
    rc = lpi_text_read_fraction(&r->at, &r->plan->latency.sigma);
    return rc == 0 && !(r->plan->latency.sigma >= 0) ? -EINVAL : rc;
}

static int read_samples(struct reading *r)
{
    int64_t n;

    if (r->to->samples != NULL || !number(r, 1, (int64_t)strlen(r->at), &n))
        return -EINVAL;
    r->to->samples = malloc((size_t)n * sizeof(*r->to->samples));
    if (r->to->samples == NULL)
        return -ENOMEM;
    for (int64_t i = 0; i < n; i++)
        if (!number(r, 0, LOGP_PARAM_MAX_NS, &r->to->samples[i]))
            return -EINVAL;
    r->plan->latency.samples = r->to->samples;
    r->plan->latency.n_samples = (int)n;
    return 0;
}

static bool skip(struct reading *r, char c)
{
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static int read_choices(struct reading *r)
{
    struct lpi_answers *a = &r->to->answers;
    int64_t n, i, answer;

    if (a->index != NULL || !number(r, 0, MOST_CHOICES, &n))
        return -EINVAL;
    a->index = calloc((size_t)n + 1, sizeof(*a->index));
    if (a->index == NULL)
        return -ENOMEM;
    a->n = a->capacity = (int)n;
    while (r->at += strspn(r->at, " \r"), *r->at != '\n' && *r->at != '\0') {
        if (!number(r, 0, n - 1, &i) || !skip(r, '=') || !number(r, 0, INT32_MAX, &answer))
            return -EINVAL;
        a->index[i] = (int)answer;
    }
    return 0;
}

static int read_chosen(struct reading *r)
{
    struct lpi_answers *a = &r->to->answers;

    if (a->index == NULL || a->what != NULL)
        return -EINVAL;
    a->what = calloc((size_t)a->n + 1, sizeof(*a->what));
    if (a->what == NULL)
        return -ENOMEM;
    a->what_capacity = a->n;
    r->at += strspn(r->at, " ");
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < 4; k++, r->at++) {
            static const char digits[] = "0123456789abcdef";
            const char *digit = *r->at != '\0' ? strchr(digits, *r->at) : NULL;

            if (digit == NULL)
                return -EINVAL;
            a->what[i] = a->what[i] << 4 | (uint64_t)(digit - digits);
        }
    return 0;
}

static int read_drawn(struct reading *r)
{
    struct lpi_drawn *d = &r->to->drawn;
    int64_t n, src, at;

    if (r->plan->drawn != NULL || !number(r, 0, MOST_CHOICES, &n))
        return -EINVAL;
    for (int64_t i = 0; i < n; i++) {
        if (!number(r, 0, LOGP_MAX_PROCESSORS - 1, &src) || !skip(r, ':') ||
            !number(r, 0, UINT32_MAX, &at))
            return -EINVAL;
        if (!LPI_GROW(d->items, d->capacity, d->n + 1))
            return -ENOMEM;
        d->items[d->n++] = (struct lpi_drawn_message){(int)src, (unsigned)at};
    }
    r->plan->drawn = d;
    return 0;
}

/* An item of a replay: its own reader, or a value of struct lpi_replay at an offset. */
static const struct item {
    const char *name;
    enum { OWN, NUMBER, SEED, TEXT, FLAG } kind;
    int (*read)(struct reading *r);
    size_t at;           /* int, uint64_t, char *, bool */
    int64_t least, most; /* of a number */
} items[] = {
    {"program", TEXT, .at = offsetof(struct lpi_replay, facts.name)},
    {"processors", NUMBER, .at = offsetof(struct lpi_replay, plan.P), .least = 1,
     .most = LOGP_MAX_PROCESSORS},
    {"run", SEED, .at = offsetof(struct lpi_replay, plan.run)},
    {"seed", SEED, .at = offsetof(struct lpi_replay, plan.seed)},
    {"failed", OWN, .read = read_failed},
    {"directory", TEXT, .at = offsetof(struct lpi_replay, facts.directory)},
    {"argument", OWN, .read = read_argument},
    {"environment", TEXT, .at = offsetof(struct lpi_replay, facts.environment)},
    {"vary", OWN, .read = read_vary},
    {"misses", NUMBER, .at = offsetof(struct lpi_replay, plan.misses), .most = 1000000},
    {"steps", SEED, .at = offsetof(struct lpi_replay, plan.most_steps)},
    {"sends", OWN, .read = read_sends},
    {"most-faults", OWN, .read = read_most_faults},
    {"fault-places", OWN, .read = read_fault_places},
    {"most-overtaken", NUMBER, .at = offsetof(struct lpi_replay, plan.most_overtaken),
     .most = INT32_MAX},
    {"keeps-order", FLAG, .at = offsetof(struct lpi_replay, plan.keeps_order)},
    {"relies-on-buffers", FLAG, .at = offsetof(struct lpi_replay, plan.relies)},
    {"params", OWN, .read = read_params},
    {"latency", OWN, .read = read_latency},
    {"samples", OWN, .read = read_samples},
    {"drawn", OWN, .read = read_drawn},
    {"choices", OWN, .read = read_choices},
    {"chosen", OWN, .read = read_chosen},
    {"faults", TEXT, .at = offsetof(struct lpi_replay, facts.faults)},
    {"noise", TEXT, .at = offsetof(struct lpi_replay, facts.noise)},
    {"end", FLAG, .at = offsetof(struct lpi_replay, has_end)},
};

/* @return 0; -EINVAL, -ENOMEM */
static int read_value(const struct item *item, struct reading *r)
{
    void *to = (char *)r->to + item->at;
    int64_t n;

    switch (item->kind) {
    case TEXT:
        return read_once(r, to);
    case SEED:
        return seed(r, to) ? 0 : -EINVAL;
    case NUMBER:
        if (!number(r, item->least, item->most, &n))
            return -EINVAL;
        *(int *)to = (int)n;
        return 0;
    case FLAG:
        *(bool *)to = true;
        return 0;
    case OWN:
        break;
    }
    return item->read(r);
}

/* Parse one line. @return 0; -EINVAL, -ENOMEM */
static int read_item(struct reading *r)
{
    const size_t n = strcspn(r->at, " \r\n");

    for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
        if (strlen(items[i].name) == n && strncmp(items[i].name, r->at, n) == 0) {
            int rc;

            r->at += n;
            rc = read_value(&items[i], r);
            if (rc != 0)
                return rc;
            r->at += strspn(r->at, " \r");
            return *r->at == '\n' || *r->at == '\0' ? 0 : -EINVAL;
        }
    return -EINVAL;
}

/* @return after the line "logp-replay N"; NULL: it does not begin so */
static const char *after_version(const char *text, int *version)
{
    static const char name[] = "logp-replay ";
    struct reading r = {.at = text + strlen(name)};
    int64_t n;

    *version = 0;
    if (strncmp(text, name, strlen(name)) != 0 || !number(&r, 1, INT32_MAX, &n) ||
        (*r.at != '\n' && *r.at != '\r'))
        return NULL;
    *version = (int)n;
    r.at += strcspn(r.at, "\n");
    return *r.at == '\n' ? r.at + 1 : r.at;
}

static bool is_whole(const struct lpi_replay *r)
{
    return r->plan.P > 0 && r->answers.index != NULL &&
           (r->has_end || r->facts.version == OLDEST) &&
           (r->plan.latency.kind == LOGP_LATENCY_SAMPLES) == (r->samples != NULL) &&
           (!r->plan.network.undelayed || (r->facts.faults == NULL && r->facts.noise == NULL));
}

static void fill_facts(struct lpi_replay *r)
{
    struct logp_replay *f = &r->facts;

    f->P = r->plan.P;
    f->run = r->plan.run;
    f->seed = r->plan.seed;
    f->has_params = !r->plan.network.undelayed;
    f->params = r->plan.network.params;
    f->n_choices = r->answers.n;
    r->plan.network.faults = f->faults;
    r->plan.network.noise = f->noise;
    f->n_deviations = lpi_answers_deviations(&r->answers);
    if (f->kind != LOGP_FAILURE_ASSERTED) {
        free(f->expression);
        f->expression = NULL;
    }
}

int lpi_replay_parse(const char *text, struct lpi_replay **out)
{
    struct lpi_replay *r = *out = lpi_replay_new();
    struct reading reading = {.to = r};
    int rc = 0;

    if (r == NULL)
        return -ENOMEM;
    reading.plan = &r->plan;
    reading.at = after_version(text, &r->facts.version);
    r->facts.line = 1;
    if (reading.at == NULL)
        return -EINVAL;
    if (r->facts.version < OLDEST || r->facts.version > LOGP_REPLAY_VERSION)
        return -EPROTONOSUPPORT;
    while (rc == 0 && *reading.at != '\0') {
        r->facts.line++;
        rc = r->has_end ? -EINVAL : read_item(&reading);
        reading.at += rc == 0 && *reading.at == '\n';
    }
    if (rc == 0 && r->facts.name == NULL)
        r->facts.name = strdup("");
    if (rc == 0 && r->facts.name == NULL)
        rc = -ENOMEM;
    if (rc == 0 && !is_whole(r)) {
        r->facts.line++;
        rc = -EINVAL;
    }
    if (rc == 0)
        r->facts.line = 0;
    fill_facts(r);
    return rc;
}

int logp_replay_parse(const char *text, struct logp_replay **out)
{
    struct lpi_replay *r = NULL;
    const int rc = text != NULL ? lpi_replay_parse(text, &r) : -EINVAL;

    *out = r != NULL ? &r->facts : NULL;
    return rc;
}
