/* SPDX-License-Identifier: MIT */
/*
 * Messages under way in a fold. Most ranks have one or two at a time: a list, beside the rank's own
 * state, so that memory is touched in the order of ranks. A rank that has many (the root of a flat
 * tree) has those that do not fit into its list in buckets of all ranks together, by receiver,
 * source and tag; a bucket chains the first letter of each key, and each of these chains the others
 * of its key. As long as one of a rank's is in a bucket no more go into its list, so what is in
 * the list is older.
 */
#include "mail.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LISTED = 16 };

static uint32_t bucket_of(const struct lpi_mail *m, int32_t dst, int32_t src, int32_t tag)
{
    uint64_t x = ((uint64_t)(uint32_t)dst << 32 | (uint32_t)src) ^ (uint64_t)(uint32_t)tag << 20;

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9); /* splitmix64 */
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(x >> 33) & (m->n_buckets - 1);
}

static bool same_key(const struct lpi_letter *l, int32_t dst, int32_t src, int32_t tag)
{
    return l->src == src && l->dst == dst && l->tag == tag;
}

/* As many buckets as keys, at least. 0; -ENOMEM */
static int grow_buckets(struct lpi_mail *m)
{
    const uint32_t before = m->n_buckets;
    uint32_t *old = m->buckets;

    if (m->n_keys < m->n_buckets)
        return 0;
    m->n_buckets = before > 0 ? 2 * before : 1024;
    m->buckets = calloc(m->n_buckets, sizeof(*m->buckets));
    if (m->buckets == NULL) {
        m->buckets = old;
        m->n_buckets = before;
        return -ENOMEM;
    }
    for (uint32_t b = 0; b < before; b++)
        for (uint32_t i = old[b], next; i != 0; i = next) {
            struct lpi_letter *l = &m->letters[i];
            uint32_t *bucket = &m->buckets[bucket_of(m, l->dst, l->src, l->tag)];

            next = l->next;
            l->next = *bucket;
            *bucket = i;
        }
    free(old);
    return 0;
}

/* An unused letter; 0: no memory. */
static uint32_t new_letter(struct lpi_mail *m)
{
    const uint32_t index = m->free;

    if (index != 0) {
        m->free = m->letters[index].next;
        return index;
    }
    if (m->n + 1 >= m->room) {
        const uint32_t room = m->room > 0 ? 2 * m->room : 4096;
        struct lpi_letter *more = NULL;

        if (room > m->room)
            more = realloc(m->letters, room * sizeof(*more));
        if (more == NULL)
            return 0;
        m->letters = more;
        m->room = room;
    }
    return ++m->n;
}

static void put_into_bucket(struct lpi_mail *m, uint32_t index)
{
    struct lpi_letter *l = &m->letters[index];
    uint32_t *bucket = &m->buckets[bucket_of(m, l->dst, l->src, l->tag)], i = *bucket;

    while (i != 0 && !same_key(&m->letters[i], l->dst, l->src, l->tag))
        i = m->letters[i].next;
    l->same = 0;
    if (i != 0) {
        m->letters[m->letters[i].last].same = index;
        m->letters[i].last = index;
        return;
    }
    l->last = index;
    l->next = *bucket;
    *bucket = index;
    m->n_keys++;
}

int lpi_mail_put(struct lpi_mail *m, struct lpi_inbox *inbox, const struct lpi_letter *letter)
{
    const bool spills = inbox->listed >= LISTED || inbox->spilled > 0;
    uint32_t index;

    if (spills && grow_buckets(m) != 0)
        return -ENOMEM;
    index = new_letter(m);
    if (index == 0)
        return -ENOMEM;
    m->letters[index] = *letter;
    if (spills) {
        put_into_bucket(m, index);
        inbox->spilled++;
        return 0;
    }
    m->letters[index].next = 0;
    if (inbox->listed++ == 0)
        inbox->first = index;
    else
        m->letters[inbox->last].next = index;
    inbox->last = index;
    return 0;
}

static uint32_t release(struct lpi_mail *m, uint32_t index)
{
    m->letters[index].next = m->free;
    m->free = index;
    return index;
}

static uint32_t take_from_bucket(struct lpi_mail *m, int32_t dst, int32_t src, int32_t tag)
{
    uint32_t *link = &m->buckets[bucket_of(m, dst, src, tag)], index;
    struct lpi_letter *l;

    while (*link != 0 && !same_key(&m->letters[*link], dst, src, tag))
        link = &m->letters[*link].next;
    index = *link;
    if (index == 0)
        return 0;
    l = &m->letters[index];
    if (l->same != 0) {
        m->letters[l->same].last = l->last;
        m->letters[l->same].next = l->next;
        *link = l->same;
    } else {
        *link = l->next;
        m->n_keys--;
    }
    return release(m, index);
}

uint32_t lpi_mail_take(struct lpi_mail *m, struct lpi_inbox *inbox, int32_t dst, int32_t src,
                       int32_t tag)
{
    uint32_t before = 0, index = inbox->listed > 0 ? inbox->first : 0;

    while (index != 0 && (m->letters[index].src != src || m->letters[index].tag != tag)) {
        before = index;
        index = m->letters[index].next;
    }
    if (index == 0) {
        index = inbox->spilled > 0 ? take_from_bucket(m, dst, src, tag) : 0;
        inbox->spilled -= index != 0;
        return index;
    }
    if (before == 0)
        inbox->first = m->letters[index].next;
    else
        m->letters[before].next = m->letters[index].next;
    if (inbox->last == index)
        inbox->last = before;
    inbox->listed--;
    return release(m, index);
}

void lpi_mail_fini(struct lpi_mail *m)
{
    free(m->letters);
    free(m->buckets);
}
