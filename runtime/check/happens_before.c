/* SPDX-License-Identifier: MIT */
/*
 * The order of events in a run: vector clocks.
 *
 * The steps of a run are its late choices, numbered from 0. Entry q of a vp's clock is 1 more than
 * the number of the last step of vp q that the vp depends on, by messages that it has received, keys
 * that it has touched, and answers to sends that wait; 0: none. A match aside changes nothing for its
 * vp until the request completes, and the vp may complete its requests in any order. So its number
 * does not enter an entry; the clock has a bit for each of the first MOST_ASIDE ones instead.
 *
 * A dependence may be missing here, but none is invented. Of several messages with one label, the
 * one that was sent first counts as received first. A message that is lost is not sent, and one that
 * comes twice is sent twice. Words that vps share do not count.
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

enum { BITS = 31, MOST_ASIDE = 2 * BITS };

struct lpi_order {
    int P, width; /* of a clock: P entries, then the bits of the matches aside, BITS in each */
    int *now;     /* clocks of the vps */
    int *last;    /* by vp: its last step; -1: none */
    int *clocks;  /* of the steps, without their own numbers */
    int *touched; /* of the last touches of the keys, with their own numbers */
    int *carried; /* of the messages sent */
    int clocks_capacity, touched_capacity, carried_capacity;
    struct lpi_step *steps;
    int n_steps, steps_capacity;
    struct aside {
        int rank, step;
        uint32_t request;
    } aside[MOST_ASIDE];
    int n_aside;
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

struct lpi_order *lpi_order_new(int P)
{
    struct lpi_order *o = calloc(1, sizeof(*o));
    const size_t n = (size_t)P;

    if (o == NULL)
        return NULL;
    o->P = P;
    o->width = P + MOST_ASIDE / BITS;
    o->now = malloc(n * (size_t)o->width * sizeof(*o->now));
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

    memset(o->now, 0, n * (size_t)o->width * sizeof(*o->now));
    memset(o->last, -1, n * sizeof(*o->last));
    memset(o->first, -1, 2 * n * n * sizeof(*o->first)); /* and `end` */
    o->n_steps = o->n_sent = o->n_keys = o->n_aside = 0;
}

static int *clock_of(const struct lpi_order *o, int *clocks, int i)
{
    return clocks + (size_t)i * (size_t)o->width;
}

static void copy(const struct lpi_order *o, int *to, const int *from)
{
    memcpy(to, from, (size_t)o->width * sizeof(*to));
}

static void join(const struct lpi_order *o, int *clock, const int *with)
{
    int i = 0;

    for (; i < o->P; i++)
        clock[i] = clock[i] > with[i] ? clock[i] : with[i];
    for (; i < o->width; i++)
        clock[i] |= with[i];
}

static bool has_bit(const struct lpi_order *o, const int *clock, int aside)
{
    return (clock[o->P + aside / BITS] >> aside % BITS & 1) != 0;
}

static void set_bit(const struct lpi_order *o, int *clock, int aside)
{
    clock[o->P + aside / BITS] |= 1 << aside % BITS;
}

const int *lpi_order_now(const struct lpi_order *o, int rank)
{
    return clock_of(o, o->now, rank);
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

/* The match aside of that step; n_aside: there is none, or it has no bit */
static int aside_at(const struct lpi_order *o, int step)
{
    int i = 0;

    while (i < o->n_aside && o->aside[i].step != step)
        i++;
    return i;
}

bool lpi_order_has(const struct lpi_order *o, const int *clock, int i)
{
    const int aside = o->steps[i].is_aside ? aside_at(o, i) : 0;

    return o->steps[i].is_aside ? aside < o->n_aside && has_bit(o, clock, aside)
                                : i < clock[o->steps[i].rank];
}

bool lpi_order_is_first(const struct lpi_order *o, int i, int from)
{
    const int *clock = clock_of(o, o->clocks, i);

    for (int q = 0; q < o->P; q++)
        if (clock[q] > from + 1)
            return false;
    return lpi_order_aside_after(o, clock, from, -1) < 0;
}

int lpi_order_first_after(const struct lpi_order *o, const int *clock, int rank, int from)
{
    int first = -1;

    for (int i = clock[rank] - 1; i > from; i = clock_of(o, o->clocks, i)[rank] - 1)
        first = i;
    return first;
}

int lpi_order_aside_after(const struct lpi_order *o, const int *clock, int from, int before)
{
    for (int i = 0; i < o->n_aside; i++)
        if (o->aside[i].step > from && o->aside[i].step > before && has_bit(o, clock, i))
            return o->aside[i].step;
    return -1;
}

/* The step touches the key: it depends on the step that has touched it last. */
static bool touch(struct lpi_order *o, int *clock, int step, int key)
{
    int i = 0;

    while (i < o->n_keys && o->keys[i].key != key)
        i++;
    if (!LPI_GROW(o->keys, o->keys_capacity, i + 1) ||
        !LPI_GROW(o->touched, o->touched_capacity, (i + 1) * o->width))
        return false;
    if (i < o->n_keys)
        join(o, clock, clock_of(o, o->touched, i));
    else
        o->n_keys++;
    o->keys[i] = (struct key){key, step};
    return true;
}

bool lpi_order_add_step(struct lpi_order *o, int rank, const int *key)
{
    int *clock = clock_of(o, o->now, rank);
    const int step = o->n_steps;

    if (!LPI_GROW(o->steps, o->steps_capacity, step + 1) ||
        !LPI_GROW(o->clocks, o->clocks_capacity, (step + 1) * o->width) ||
        (key != NULL && !touch(o, clock, step, *key)))
        return false;
    o->steps[step] = (struct lpi_step){rank, false, o->last[rank]};
    copy(o, clock_of(o, o->clocks, step), clock);
    o->n_steps++;
    o->last[rank] = step;
    clock[rank] = step + 1;
    for (int i = 0; key != NULL && i < o->n_keys; i++)
        if (o->keys[i].step == step)
            copy(o, clock_of(o, o->touched, i), clock);
    return true;
}

bool lpi_order_send(struct lpi_order *o, const struct logp_note *n)
{
    const int pair = n->rank * o->P + n->peer, i = o->n_sent;

    if (!LPI_GROW(o->sent, o->sent_capacity, i + 1) ||
        !LPI_GROW(o->carried, o->carried_capacity, (i + 1) * o->width))
        return false;
    o->sent[i] = (struct sent){-1, n->tag, n->context};
    copy(o, clock_of(o, o->carried, i), clock_of(o, o->now, n->rank));
    if (o->first[pair] < 0)
        o->first[pair] = i;
    else
        o->sent[o->end[pair]].next = i;
    o->end[pair] = i;
    o->n_sent++;
    return true;
}

/* The message of this label that has been sent first; before: the one before it, of the same sender
 * and receiver. @return -1: there is none, or it is under way */
static int find(const struct lpi_order *o, int from, int to, int tag, uint32_t context, int *before)
{
    int i = o->first[from * o->P + to];

    *before = -1;
    while (i >= 0 && (o->sent[i].tag != tag || o->sent[i].context != context)) {
        *before = i;
        i = o->sent[i].next;
    }
    return i;
}

bool lpi_order_add_aside(struct lpi_order *o, const struct logp_alternative *a)
{
    const int step = o->n_steps;
    int before, i = find(o, a->source, a->rank, a->tag, a->context, &before);

    if (!LPI_GROW(o->steps, o->steps_capacity, step + 1) ||
        !LPI_GROW(o->clocks, o->clocks_capacity, (step + 1) * o->width))
        return false;
    o->steps[step] = (struct lpi_step){a->rank, true, o->last[a->rank]};
    /* its sender waits if the message is under way */
    copy(o, clock_of(o, o->clocks, step),
         i >= 0 ? clock_of(o, o->carried, i) : clock_of(o, o->now, a->source));
    if (o->n_aside < MOST_ASIDE)
        o->aside[o->n_aside++] = (struct aside){a->rank, step, a->request};
    o->n_steps++;
    o->last[a->rank] = step;
    return true;
}

void lpi_order_receive(struct lpi_order *o, const struct logp_note *n)
{
    const int pair = n->peer * o->P + n->rank;
    int *clock = clock_of(o, o->now, n->rank);
    int before, i = find(o, n->peer, n->rank, n->tag, n->context, &before);

    for (int k = 0; k < o->n_aside; k++)
        if (o->aside[k].rank == n->rank && o->aside[k].request == n->request)
            set_bit(o, clock, k);
    if (i < 0)
        return;
    if (before < 0)
        o->first[pair] = o->sent[i].next;
    else
        o->sent[before].next = o->sent[i].next;
    if (o->end[pair] == i)
        o->end[pair] = before;
    join(o, clock, clock_of(o, o->carried, i));
}

int lpi_order_sent(const struct lpi_order *o, const struct logp_note *n)
{
    int before, i = find(o, n->peer, n->rank, n->tag, n->context, &before);

    return i >= 0 ? clock_of(o, o->carried, i)[n->peer] : o->n_steps;
}

void lpi_order_answer(struct lpi_order *o, const struct logp_note *n)
{
    const int aside = aside_at(o, o->n_steps - 1);
    int before;

    /* else the sender does not wait for it */
    if (aside < o->n_aside && find(o, n->peer, n->rank, n->tag, n->context, &before) < 0)
        set_bit(o, clock_of(o, o->now, n->peer), aside);
}
