/* SPDX-License-Identifier: MIT */
/*
 * Messages under way in a fold. Most ranks have one or two at a time: these are a list next to the
 * rank's state, so that memory is touched in the order of ranks. A rank with many messages (the
 * root of a flat tree, each rank of an all-to-all) keeps all of them in an overflow, until none is
 * left. A new message is written to its last block. The first receive sorts the messages of the
 * blocks into entries, by source and tag.
 *
 * A block is a row of messages, the first of which has the overflow's next block. Blocks are given
 * out in the order of memory, so the blocks of a rank that sends to all are next to each other, not
 * on a page each.
 */

#include "schedule/schedule.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LISTED = 16, BLOCK = 8, FIRST_BLOCK = 6 };

enum { EMPTY = -1 };                           /* the src of an entry */
static const uint32_t no_message = UINT32_MAX; /* its next: all of its messages are taken */

struct lpi_overflow {
    uint32_t left;       /* how many messages, in entries and on blocks */
    uint32_t listed;     /* of them on blocks */
    uint32_t first, end; /* the first block, and the place of the next message in the last one */
    struct lpi_fold_message *entries; /* the first message of each source and tag */
    uint32_t n_entries, n_used;       /* 2^x > 2 n_used, or 0 */
};

static bool is(const struct lpi_fold_message *l, int32_t src, int32_t tag)
{
    return l->src == src && l->tag == tag;
}

/* ---- messages and blocks ---- */

/* Those of block b begin at 2^b - 2^FIRST_BLOCK: none moves when there come to be more. */
static int block_of(uint32_t index)
{
    return 31 - __builtin_clz(index + (1u << FIRST_BLOCK));
}

static struct lpi_fold_message *at(const struct lpi_fold_mail *m, uint32_t index)
{
    const int b = block_of(index);

    return &m->blocks[b][(index + (1u << FIRST_BLOCK)) ^ 1u << b];
}

/* An unused block; 0: no memory. */
static uint32_t new_block(struct lpi_fold_mail *m)
{
    const uint32_t block = m->blocks_used;
    int b;

    if (block != 0) {
        m->blocks_used = at(m, block)->next;
        return block;
    }
    if (m->n > UINT32_MAX / 2)
        return 0;
    m->n += BLOCK; /* so block 0 is never given out */
    b = block_of(m->n);
    if (m->blocks[b] == NULL)
        m->blocks[b] = lpi_alloc_pages((size_t)1 << b, sizeof(struct lpi_fold_message));
    if (m->blocks[b] != NULL)
        return m->n;
    m->n -= BLOCK;
    return 0;
}

/* An unused message; 0: no memory. */
static uint32_t new_message(struct lpi_fold_mail *m)
{
    const uint32_t index = m->messages;

    if (index != 0) {
        m->messages = at(m, index)->next;
        return index;
    }
    if (m->next % BLOCK == 0)
        m->next = new_block(m);
    return m->next != 0 ? m->next++ : 0;
}

static void free_message(struct lpi_fold_mail *m, uint32_t index)
{
    at(m, index)->next = m->messages;
    m->messages = index;
}

/* ---- overflows ---- */

/* Sources next to each other have entries next to each other. */
static struct lpi_fold_message *entry_of(const struct lpi_overflow *p, int32_t src, int32_t tag)
{
    const uint32_t x = (uint32_t)src + (uint32_t)tag * UINT32_C(0x9e3779b1);

    for (uint32_t i = x ^ x >> 11 ^ x >> 22;; i++) {
        struct lpi_fold_message *entry = &p->entries[i & (p->n_entries - 1)];

        if (entry->src == EMPTY || is(entry, src, tag))
            return entry;
    }
}

/* Make space for all messages of the overflow and a quarter more, without the entries of messages
 * that are gone. Without the quarter, each message that follows could need new space: where 2^x - 1
 * messages are under way, as many as a rank of 2^x has others.
 * @return 0; -ENOMEM */
static int make_slots(struct lpi_overflow *p)
{
    struct lpi_fold_message *const old = p->entries;
    const uint32_t n_old = p->n_entries;
    uint32_t n = 64;

    while (n / 2 <= p->left + p->left / 4)
        n *= 2;
    p->entries = malloc(n * sizeof(*p->entries));
    if (p->entries == NULL) {
        p->entries = old;
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < n; i++)
        p->entries[i].src = EMPTY;
    p->n_entries = n;
    p->n_used = 0;
    for (uint32_t i = 0; i < n_old; i++)
        if (old[i].src != EMPTY && old[i].next != no_message) {
            *entry_of(p, old[i].src, old[i].tag) = old[i];
            p->n_used++;
        }
    free(old);
    return 0;
}

/* 0; -ENOMEM */
static int put_into_entry(struct lpi_fold_mail *m, struct lpi_overflow *p,
                          const struct lpi_fold_message *message)
{
    struct lpi_fold_message *entry = entry_of(p, message->src, message->tag);
    uint32_t index;

    if (entry->src == EMPTY || entry->next == no_message) {
        p->n_used += entry->src == EMPTY;
        *entry = *message;
        entry->next = 0;
        return 0;
    }
    index = new_message(m);
    if (index == 0)
        return -ENOMEM;
    *at(m, index) = *message;
    at(m, index)->next = 0;
    if (entry->next == 0)
        entry->next = index;
    else
        at(m, entry->last)->next = index;
    entry->last = index;
    return 0;
}

/* From the blocks into entries. 0; -ENOMEM: nothing more can be taken */
static int sort(struct lpi_fold_mail *m, struct lpi_overflow *p)
{
    uint32_t block = p->first;
    int rc = p->n_entries <= 2 * (p->n_used + p->listed) ? make_slots(p) : 0;

    while (rc == 0 && p->listed > 0) {
        const uint32_t n = p->listed < BLOCK - 1 ? p->listed : BLOCK - 1, next = at(m, block)->next;

        if (p->listed > n)
            for (uint32_t i = 0; i < BLOCK; i += 2)
                __builtin_prefetch(at(m, next + i));
        for (uint32_t i = 1; rc == 0 && i <= n; i++)
            rc = put_into_entry(m, p, at(m, block + i));
        p->listed -= n;
        at(m, block)->next = m->blocks_used;
        m->blocks_used = block;
        block = next;
    }
    p->end = 0;
    return rc;
}

static int put_on_overflow(struct lpi_fold_mail *m, struct lpi_overflow *p,
                           const struct lpi_fold_message *message)
{
    if (p->end % BLOCK == 0) {
        const uint32_t block = new_block(m);

        if (block == 0)
            return -ENOMEM;
        if (p->listed > 0)
            at(m, p->end - BLOCK)->next = block;
        else
            p->first = block;
        p->end = block + 1;
    }
    *at(m, p->end++) = *message;
    p->listed++;
    p->left++;
    return 0;
}

static int take_from_overflow(struct lpi_fold_mail *m, struct lpi_overflow *p, int32_t src,
                              int32_t tag, struct lpi_fold_message *out)
{
    struct lpi_fold_message *entry;

    if (p->listed > 0 && sort(m, p) != 0)
        return -ENOMEM;
    entry = entry_of(p, src, tag);
    if (entry->src == EMPTY || entry->next == no_message)
        return -EAGAIN;
    *out = *entry;
    if (out->next != 0) {
        *entry = *at(m, out->next);
        entry->last = out->last;
        free_message(m, out->next);
    } else {
        entry->next = no_message; /* it is for the next of this source and tag */
    }
    if (--p->left == 0) {
        free(p->entries);
        *p = (struct lpi_overflow){.entries = NULL};
    }
    return 0;
}

/* The number of an unused overflow; 0: no memory. */
static uint32_t new_overflow(struct lpi_fold_mail *m)
{
    if (m->n_overflows + 1 >= m->overflow_capacity) {
        const uint32_t capacity = m->overflow_capacity > 0 ? 2 * m->overflow_capacity : 16;
        struct lpi_overflow *more = realloc(m->overflows, capacity * sizeof(*more));

        if (more == NULL)
            return 0;
        m->overflows = more;
        m->overflow_capacity = capacity;
    }
    m->overflows[++m->n_overflows] = (struct lpi_overflow){.entries = NULL};
    return m->n_overflows;
}

/* ---- lists ---- */

static void take_from_list(struct lpi_fold_mail *m, struct lpi_fold_inbox *inbox, uint32_t before,
                           struct lpi_fold_message *out)
{
    const uint32_t index = before != 0 ? at(m, before)->next : inbox->first;

    *out = *at(m, index);
    if (before == 0)
        inbox->first = out->next;
    else
        at(m, before)->next = out->next;
    if (inbox->last == index)
        inbox->last = before;
    inbox->listed--;
    free_message(m, index);
}

/* All of a list. 0; -ENOMEM */
static int move_to_overflow(struct lpi_fold_mail *m, struct lpi_fold_inbox *inbox)
{
    struct lpi_fold_message message;
    int rc = 0;

    if (inbox->overflow == 0)
        inbox->overflow = new_overflow(m);
    if (inbox->overflow == 0)
        return -ENOMEM;
    while (rc == 0 && inbox->listed > 0) {
        take_from_list(m, inbox, 0, &message);
        rc = put_on_overflow(m, &m->overflows[inbox->overflow], &message);
    }
    return rc;
}

int lpi_mail_put(struct lpi_fold_mail *m, struct lpi_fold_inbox *inbox,
                 const struct lpi_fold_message *message)
{
    uint32_t index;
    int rc = 0;

    m->left++;
    if (inbox->listed == LISTED)
        rc = move_to_overflow(m, inbox);
    if (inbox->overflow != 0 && m->overflows[inbox->overflow].left > 0)
        return rc == 0 ? put_on_overflow(m, &m->overflows[inbox->overflow], message) : rc;
    index = rc == 0 ? new_message(m) : 0;
    if (index == 0)
        return -ENOMEM;
    *at(m, index) = *message;
    at(m, index)->next = 0;
    if (inbox->listed++ == 0)
        inbox->first = index;
    else
        at(m, inbox->last)->next = index;
    inbox->last = index;
    return 0;
}

int lpi_mail_take(struct lpi_fold_mail *m, struct lpi_fold_inbox *inbox, int32_t src, int32_t tag,
                  struct lpi_fold_message *out)
{
    uint32_t before = 0, index = inbox->listed > 0 ? inbox->first : 0;
    int rc = 0;

    while (index != 0 && !is(at(m, index), src, tag)) {
        before = index;
        index = at(m, index)->next;
    }
    if (index != 0)
        take_from_list(m, inbox, before, out);
    else if (inbox->overflow != 0 && m->overflows[inbox->overflow].left > 0)
        rc = take_from_overflow(m, &m->overflows[inbox->overflow], src, tag, out);
    else
        rc = -EAGAIN;
    m->left -= rc == 0;
    return rc;
}

void lpi_mail_fini(struct lpi_fold_mail *m)
{
    for (uint32_t i = 1; i <= m->n_overflows; i++)
        free(m->overflows[i].entries);
    free(m->overflows);
    for (size_t b = 0; b < sizeof(m->blocks) / sizeof(m->blocks[0]); b++)
        free(m->blocks[b]);
}
