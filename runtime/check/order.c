/* SPDX-License-Identifier: MIT */
/*
 * What happens before what in a run: vector clocks.
 *
 * The steps of a run are its late choices, numbered from 0. Entry q of a vp's clock is 1 more than
 * the number of the last step of vp q that the vp depends on, by messages that it has received and
 * keys that it has touched; 0: none. A match aside changes nothing for its vp until the vp looks at
 * the request, so its number does not enter the vp's clock.
 *
 * A dependence may be missing here, but none is invented. Of several messages with one label, the
 * one that was sent first counts as received first. If messages may be lost or doubled, no receive
 * counts. Words that vps share do not count.
 *
 * Source: Mattern, Virtual Time and Global States of Distributed Systems, 1989.
 */
#include "kit.h"

#include <string.h>

/* A message that has not been received yet. */
struct sent {
    int next; /* of this sender and receiver; -1: none */
    int tag;
    uint32_t context;
};

struct key {
    int key, step; /* the last step that has touched it */
};

struct lpi_order {
    int P;
    bool lossy;   /* messages may be lost or doubled */
    int *now;     /* clocks of the vps, of P entries each; so are all clocks */
    int *last;    /* by vp: its last step; -1: none */
    int *clocks;  /* of the steps, without their own numbers */
    int *touched; /* of the last touches of the keys, with their own numbers */
    int *carried; /* of the messages sent */
    int clocks_capacity, touched_capacity, carried_capacity;
    struct lpi_step *steps;
    int n_steps, steps_capacity;
    int *first, *end; /* by sender and receiver: of the messages sent; -1: none */
    struct sent *sent;
    int n_sent, sent_capacity;
    struct key *keys;
    int n_keys, keys_capacity;
};

void lpi_order_free(struct lpi_order *o)
{
    if (o == NULL)
        return;
    free(o->now);
    free(o->last);
    free(o->clocks);
    free(o->touched);
    free(o->carried);
    free(o->steps);
    free(o->first);
    free(o->sent);
    free(o->keys);
    free(o);
}

struct lpi_order *lpi_order_new(int P, bool lossy)
{
    struct lpi_order *o = calloc(1, sizeof(*o));
    const size_t n = (size_t)P;

    if (o == NULL)
        return NULL;
    o->P = P;
    o->lossy = lossy;
    o->now = malloc(n * n * sizeof(*o->now));
    o->last = malloc(n * sizeof(*o->last));
    o->first = malloc(2 * n * n * sizeof(*o->first));
    if (o->now == NULL || o->last == NULL || o->first == NULL) {
        lpi_order_free(o);
        return NULL;
    }
    o->end = o->first + n * n;
    return o;
}

void lpi_order_begin(struct lpi_order *o)
{
    const size_t n = (size_t)o->P;

    memset(o->now, 0, n * n * sizeof(*o->now));
    memset(o->last, -1, n * sizeof(*o->last));
    memset(o->first, -1, 2 * n * n * sizeof(*o->first)); /* and `end` */
    o->n_steps = o->n_sent = o->n_keys = 0;
}

static int *clock_of(int *clocks, int P, int i)
{
    return clocks + (size_t)i * (size_t)P;
}

static void copy(int *to, const int *from, int P)
{
    memcpy(to, from, (size_t)P * sizeof(*to));
}

static void join(int *clock, const int *with, int P)
{
    for (int i = 0; i < P; i++)
        clock[i] = clock[i] > with[i] ? clock[i] : with[i];
}

const int *lpi_order_now(const struct lpi_order *o, int rank)
{
    return o->now + (size_t)rank * (size_t)o->P;
}

const struct lpi_step *lpi_order_step(const struct lpi_order *o, int i)
{
    return &o->steps[i];
}

int lpi_order_last(const struct lpi_order *o, int rank)
{
    return o->last[rank];
}

int lpi_order_touched(const struct lpi_order *o, int key)
{
    for (int i = 0; i < o->n_keys; i++)
        if (o->keys[i].key == key)
            return o->keys[i].step;
    return -1;
}

bool lpi_order_is_first(const struct lpi_order *o, int i, int from)
{
    const int *clock = o->clocks + (size_t)i * (size_t)o->P;

    for (int q = 0; q < o->P; q++)
        if (clock[q] > from + 1)
            return false;
    return true;
}

int lpi_order_first_after(const struct lpi_order *o, const int *clock, int rank, int from)
{
    int first = -1;

    for (int i = clock[rank] - 1; i > from;
         i = o->clocks[(size_t)i * (size_t)o->P + (size_t)rank] - 1)
        first = i;
    return first;
}

/* The step touches the key: it depends on the step that has touched it last. */
static bool touch(struct lpi_order *o, int *clock, int step, int key)
{
    int i = 0;

    while (i < o->n_keys && o->keys[i].key != key)
        i++;
    if (!LPI_GROW(o->keys, o->keys_capacity, i + 1) ||
        !LPI_GROW(o->touched, o->touched_capacity, (i + 1) * o->P))
        return false;
    if (i < o->n_keys)
        join(clock, clock_of(o->touched, o->P, i), o->P);
    else
        o->n_keys++;
    o->keys[i] = (struct key){key, step};
    return true;
}

bool lpi_order_add_step(struct lpi_order *o, int rank, bool is_aside, const int *key)
{
    int *clock = clock_of(o->now, o->P, rank);
    const int step = o->n_steps;

    if (!LPI_GROW(o->steps, o->steps_capacity, step + 1) ||
        !LPI_GROW(o->clocks, o->clocks_capacity, (step + 1) * o->P) ||
        (key != NULL && !touch(o, clock, step, *key)))
        return false;
    o->steps[step] = (struct lpi_step){rank, is_aside, o->last[rank]};
    copy(clock_of(o->clocks, o->P, step), clock, o->P);
    o->n_steps++;
    o->last[rank] = step;
    if (!is_aside)
        clock[rank] = step + 1;
    for (int i = 0; key != NULL && i < o->n_keys; i++)
        if (o->keys[i].step == step)
            copy(clock_of(o->touched, o->P, i), clock, o->P);
    return true;
}

bool lpi_order_send(struct lpi_order *o, const struct logp_note *n)
{
    const int pair = n->rank * o->P + n->peer, i = o->n_sent;

    if (o->lossy)
        return true;
    if (!LPI_GROW(o->sent, o->sent_capacity, i + 1) ||
        !LPI_GROW(o->carried, o->carried_capacity, (i + 1) * o->P))
        return false;
    o->sent[i] = (struct sent){-1, n->tag, n->context};
    copy(clock_of(o->carried, o->P, i), clock_of(o->now, o->P, n->rank), o->P);
    if (o->first[pair] < 0)
        o->first[pair] = i;
    else
        o->sent[o->end[pair]].next = i;
    o->end[pair] = i;
    o->n_sent++;
    return true;
}

/* The message of this note, which has been sent first of those with its label; before: the one
 * before it, of the same sender and receiver. @return -1: there is none */
static int find(const struct lpi_order *o, int from, int to, const struct logp_note *n, int *before)
{
    int i = o->first[from * o->P + to];

    *before = -1;
    while (i >= 0 && (o->sent[i].tag != n->tag || o->sent[i].context != n->context)) {
        *before = i;
        i = o->sent[i].next;
    }
    return i;
}

void lpi_order_receive(struct lpi_order *o, const struct logp_note *n)
{
    const int pair = n->peer * o->P + n->rank;
    int before, i = find(o, n->peer, n->rank, n, &before);

    if (i < 0)
        return;
    if (before < 0)
        o->first[pair] = o->sent[i].next;
    else
        o->sent[before].next = o->sent[i].next;
    if (o->end[pair] == i)
        o->end[pair] = before;
    join(clock_of(o->now, o->P, n->rank), clock_of(o->carried, o->P, i), o->P);
}

int lpi_order_sent(const struct lpi_order *o, const struct logp_note *n)
{
    int before, i = find(o, n->peer, n->rank, n, &before);

    return i >= 0 ? o->carried[(size_t)i * (size_t)o->P + (size_t)n->peer] : o->n_steps;
}
