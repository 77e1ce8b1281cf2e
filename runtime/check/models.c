/* SPDX-License-Identifier: MIT */
/* The ready models of histories. */
#include <logp/history.h>

#include <string.h>

static bool set(struct logp_model_state *s, const struct logp_history_operation *o)
{
    switch (o->kind) {
    case LOGP_HISTORY_READ:
        return o->pending || o->output == s->values[0];
    case LOGP_HISTORY_WRITE:
        s->values[0] = o->input;
        return true;
    default:
        return false;
    }
}

static bool store(struct logp_model_state *s, const struct logp_history_operation *o)
{
    if (o->kind != LOGP_HISTORY_REMOVE)
        return set(s, o);
    s->values[0] = LOGP_HISTORY_EMPTY;
    return true;
}

static bool queue(struct logp_model_state *s, const struct logp_history_operation *o)
{
    if (o->kind == LOGP_HISTORY_ENQUEUE) {
        s->values[s->n_values++] = o->input;
        return true;
    }
    if (o->kind != LOGP_HISTORY_DEQUEUE)
        return false;
    const int64_t first = s->n_values == 0 ? LOGP_HISTORY_EMPTY : s->values[0];

    if (s->n_values > 0)
        memmove(s->values, s->values + 1, --s->n_values * sizeof(*s->values));
    return o->pending || o->output == first;
}

/* The state is empty, or the client that holds the lock. */
static bool lock(struct logp_model_state *s, const struct logp_history_operation *o)
{
    if (o->kind == LOGP_HISTORY_RELEASE)
        return s->n_values == 1 && s->values[--s->n_values] == o->client;
    if (o->kind != LOGP_HISTORY_ACQUIRE)
        return false;
    const bool got = s->n_values == 0;

    if (got)
        s->values[s->n_values++] = o->client;
    return o->pending || (o->output != 0) == got;
}

static const int64_t zero, empty = LOGP_HISTORY_EMPTY;

static const struct logp_model models[] = {
    {"register", &zero, 1, false, set},
    {"queue", NULL, 0, false, queue},
    {"key-value", &empty, 1, true, store},
    {"lock", NULL, 0, false, lock},
};

const struct logp_model *logp_model_find(const char *name)
{
    for (size_t i = 0; name != NULL && i < sizeof(models) / sizeof(models[0]); i++)
        if (strcmp(models[i].name, name) == 0)
            return &models[i];
    return NULL;
}
