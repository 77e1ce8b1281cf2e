/* SPDX-License-Identifier: MIT */
/*
 * The search for an order of operations (Wing and Gong). The events form a list. An invocation
 * before the first return may be next: its two events leave the list. At a return, the last
 * operation that was chosen comes back. A pair (operations done, state) that was reached before is
 * not entered again (Lowe). A pending operation has no return, so nothing forces it into the order.
 */
#include "history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1, HEAD = 0 };

/* An event in the list; 0 is the head. `partner` of an invocation: its return, or NONE. */
struct event {
    int previous, next, partner, operation;
    bool returns;
};

/* A choice: an invocation, and where the state before it begins in `values`. */
struct choice {
    int event;
    size_t from, n_values;
};

/* A configuration that was reached: words [first, end) of the set (all bits before are set, none
 * after) and the state, one after the other. */
struct seen {
    struct seen *next;
    uint64_t hash;
    size_t n_words;
    uint64_t words[];
};

struct search {
    const struct logp_model *model;
    const struct logp_history_operation *operations;
    struct event *events;
    struct choice *choices;
    size_t n_choices, returns_left;
    uint64_t *done; /* a bit for each event */
    size_t n_done_words;
    int64_t *values; /* the states of all choices, then the current one */
    size_t capacity;
    struct logp_model_state state; /* in `values` */
    struct seen **table;
    size_t n_seen, n_buckets; /* a power of two */
    uint64_t *key;            /* space for a configuration */
    size_t key_room;
};

static bool grow(void **array, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return true;
    void *more = realloc(*array, 2 * needed * size);

    if (more == NULL)
        return false;
    *array = more;
    *capacity = 2 * needed;
    return true;
}

static void link_out(struct search *s, int i)
{
    struct event *e = s->events;

    e[e[i].previous].next = e[i].next;
    if (e[i].next != NONE)
        e[e[i].next].previous = e[i].previous;
}

static void link_in(struct search *s, int i)
{
    struct event *e = s->events;

    e[e[i].previous].next = i;
    if (e[i].next != NONE)
        e[e[i].next].previous = i;
}

static void flip(struct search *s, int event)
{
    s->done[event / 64] ^= UINT64_C(1) << event % 64;
}

static bool rehash(struct search *s)
{
    const size_t n = s->n_buckets == 0 ? 1024 : 2 * s->n_buckets;
    struct seen **table = calloc(n, sizeof(struct seen *));

    if (table == NULL)
        return false;
    for (size_t b = 0; b < s->n_buckets; b++)
        for (struct seen *c = s->table[b], *next; c != NULL; c = next) {
            next = c->next;
            c->next = table[c->hash & (n - 1)];
            table[c->hash & (n - 1)] = c;
        }
    free(s->table);
    s->table = table;
    s->n_buckets = n;
    return true;
}

/* 1: the configuration is new, and is kept; 0: it is known; -ENOMEM. */
static int enter(struct search *s)
{
    size_t first = 0, end = s->n_done_words, n = 2;
    uint64_t hash = 0;

    while (first < end && s->done[first] == UINT64_MAX)
        first++;
    while (end > first && s->done[end - 1] == 0)
        end--;
    if (!grow((void **)&s->key, &s->key_room, end - first + s->state.n_values + 2, sizeof(*s->key)))
        return -ENOMEM;
    s->key[0] = first;
    s->key[1] = end;
    memcpy(s->key + n, s->done + first, (end - first) * sizeof(*s->key));
    n += end - first;
    if (s->state.n_values > 0)
        memcpy(s->key + n, s->state.values, s->state.n_values * sizeof(*s->key));
    n += s->state.n_values;
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ s->key[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    if (s->n_seen >= s->n_buckets && !rehash(s))
        return -ENOMEM;
    struct seen **bucket = &s->table[hash & (s->n_buckets - 1)];

    for (struct seen *c = *bucket; c != NULL; c = c->next)
        if (c->hash == hash && c->n_words == n && memcmp(c->words, s->key, n * 8) == 0)
            return 0;
    struct seen *made = malloc(sizeof(*made) + n * sizeof(made->words[0]));

    if (made == NULL)
        return -ENOMEM;
    made->next = *bucket;
    made->hash = hash;
    made->n_words = n;
    memcpy(made->words, s->key, n * sizeof(made->words[0]));
    *bucket = made;
    s->n_seen++;
    return 1;
}

/* Try the operation of an invocation. 1: it is the next in the order; 0: it cannot be; -ENOMEM. */
static int choose(struct search *s, int i)
{
    const struct choice before = {i, (size_t)(s->state.values - s->values), s->state.n_values};
    const size_t from = before.from + before.n_values;

    if (!grow((void **)&s->values, &s->capacity, from + before.n_values + 1, sizeof(*s->values)))
        return -ENOMEM;
    s->state.values = s->values + from;
    memcpy(s->state.values, s->values + before.from, before.n_values * sizeof(*s->values));
    flip(s, i);
    const int rc = s->model->step(&s->state, &s->operations[s->events[i].operation]) ? enter(s) : 0;

    if (rc <= 0) {
        flip(s, i);
        s->state = (struct logp_model_state){s->values + before.from, before.n_values};
        return rc;
    }
    s->choices[s->n_choices++] = before;
    link_out(s, i);
    if (s->events[i].partner != NONE) {
        link_out(s, s->events[i].partner);
        s->returns_left--;
    }
    return 1;
}

/* Undo the last choice. @return its event */
static int undo(struct search *s)
{
    const struct choice *last = &s->choices[--s->n_choices];

    if (s->events[last->event].partner != NONE) {
        link_in(s, s->events[last->event].partner);
        s->returns_left++;
    }
    link_in(s, last->event);
    flip(s, last->event);
    s->state = (struct logp_model_state){s->values + last->from, last->n_values};
    return last->event;
}

static int find_order(struct search *s)
{
    int i = s->events[HEAD].next;

    while (s->returns_left > 0) {
        if (s->events[i].returns) {
            if (s->n_choices == 0)
                return -EPROTO;
            i = s->events[undo(s)].next;
            continue;
        }
        const int rc = choose(s, i);

        if (rc < 0)
            return rc;
        i = rc > 0 ? s->events[HEAD].next : s->events[i].next;
    }
    return 0;
}

/* The list of events. `operations` may be more than the events are about. */
static bool list_events(struct search *s, struct logp_history_operation *operations,
                        const struct lpi_moment *moments, size_t n)
{
    int largest = 0;

    for (size_t i = 0; i < n; i++)
        largest = moments[i].operation > largest ? moments[i].operation : largest;
    int *invoked = calloc((size_t)largest + 1, sizeof(*invoked));

    if (invoked == NULL)
        return false;
    s->events[HEAD] = (struct event){NONE, n > 0 ? 1 : NONE, NONE, NONE, false};
    for (size_t i = 0; i < n; i++) {
        const int at = (int)i + 1, op = moments[i].operation;

        s->events[at] =
            (struct event){at - 1, i + 1 < n ? at + 1 : NONE, NONE, op, moments[i].returns};
        operations[op].pending = !moments[i].returns;
        if (moments[i].returns) {
            s->events[invoked[op]].partner = at;
            flip(s, at); /* so that words fill up: only invocations are distinguished */
            s->returns_left++;
        } else
            invoked[op] = at;
    }
    flip(s, HEAD);
    free(invoked);
    return true;
}

int lpi_linearize(const struct logp_model *model, const struct logp_history_operation *operations,
                  const struct lpi_moment *moments, size_t n)
{
    size_t n_operations = 0;

    for (size_t i = 0; i < n; i++)
        if ((size_t)moments[i].operation >= n_operations)
            n_operations = (size_t)moments[i].operation + 1;
    struct logp_history_operation *copy = malloc((n_operations + 1) * sizeof(*copy));
    struct search s = {.model = model, .operations = copy, .n_done_words = n / 64 + 1};
    int rc = -ENOMEM;

    s.events = malloc((n + 1) * sizeof(*s.events));
    s.choices = malloc((n + 1) * sizeof(*s.choices));
    s.done = calloc(s.n_done_words, sizeof(*s.done));
    if (copy != NULL && s.events != NULL && s.choices != NULL && s.done != NULL && rehash(&s) &&
        grow((void **)&s.values, &s.capacity, model->n_initial + 1, sizeof(*s.values))) {
        if (n_operations > 0)
            memcpy(copy, operations, n_operations * sizeof(*copy));
        if (model->n_initial > 0)
            memcpy(s.values, model->initial, model->n_initial * sizeof(*s.values));
        s.state = (struct logp_model_state){s.values, model->n_initial};
        if (list_events(&s, copy, moments, n))
            rc = find_order(&s);
    }
    for (size_t b = 0; b < s.n_buckets; b++)
        for (struct seen *c = s.table[b], *next; c != NULL; c = next) {
            next = c->next;
            free(c);
        }
    free(s.table);
    free(s.key);
    free(s.values);
    free(s.done);
    free(s.choices);
    free(s.events);
    free(copy);
    return rc;
}
