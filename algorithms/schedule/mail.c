/* SPDX-License-Identifier: MIT */
/*
 * Messages under way in a fold. Most ranks have one or two at a time: a list, beside the rank's own
 * state, so that memory is touched in the order of ranks. A rank that comes to have many (the root
 * of a flat tree, everyone in an all-to-all) has all of them on a pile, until none is left. To put
 * there is to write on its last sheet; the first to be taken sorts what is on sheets into slots, by
 * source and tag.
 *
 * A sheet is so many letters in a row, the first of which has the pile's next sheet. Sheets are
 * given out in the order of memory: who sends to all in turn has theirs side by side, not a page
 * for each.
 */
#include "mail.h"

#include "schedule.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LISTED = 16, SHEET = 8, FIRST_BLOCK = 6 };

enum { EMPTY = -1, TAKEN = -2 }; /* a slot's src */

struct lpi_pile {
    uint32_t left;            /* how many letters, in slots and on sheets */
    uint32_t listed;          /* of them on sheets */
    uint32_t first, end;      /* the first sheet, and where the next letter goes on the last one */
    struct lpi_letter *slots; /* the first letter of each source and tag */
    uint32_t n_slots, n_used; /* 2^x > 2 n_used, or 0 */
};

static bool is(const struct lpi_letter *l, int32_t src, int32_t tag)
{
    return l->src == src && l->tag == tag;
}

/* ---- letters and sheets ---- */

/* Those of block b begin at 2^b - 2^FIRST_BLOCK: none moves when there come to be more. */
static int block_of(uint32_t index)
{
    return 31 - __builtin_clz(index + (1u << FIRST_BLOCK));
}

static struct lpi_letter *at(const struct lpi_mail *m, uint32_t index)
{
    const int b = block_of(index);

    return &m->blocks[b][(index + (1u << FIRST_BLOCK)) ^ 1u << b];
}

/* An unused sheet; 0: no memory. */
static uint32_t new_sheet(struct lpi_mail *m)
{
    const uint32_t sheet = m->sheets;
    int b;

    if (sheet != 0) {
        m->sheets = at(m, sheet)->next;
        return sheet;
    }
    if (m->n > UINT32_MAX / 2)
        return 0;
    m->n += SHEET; /* so sheet 0 is never given out */
    b = block_of(m->n);
    if (m->blocks[b] == NULL)
        m->blocks[b] = lpi_alloc_pages((size_t)1 << b, sizeof(struct lpi_letter));
    if (m->blocks[b] != NULL)
        return m->n;
    m->n -= SHEET;
    return 0;
}

/* An unused letter; 0: no memory. */
static uint32_t new_letter(struct lpi_mail *m)
{
    const uint32_t index = m->letters;

    if (index != 0) {
        m->letters = at(m, index)->next;
        return index;
    }
    if (m->next % SHEET == 0)
        m->next = new_sheet(m);
    return m->next != 0 ? m->next++ : 0;
}

static void free_letter(struct lpi_mail *m, uint32_t index)
{
    at(m, index)->next = m->letters;
    m->letters = index;
}

/* ---- piles ---- */

/* Sources next to each other have slots next to each other. */
static struct lpi_letter *slot_of(const struct lpi_pile *p, int32_t src, int32_t tag)
{
    const uint32_t x = (uint32_t)src + (uint32_t)tag * UINT32_C(0x9e3779b1);

    for (uint32_t i = x ^ x >> 11 ^ x >> 22;; i++) {
        struct lpi_letter *slot = &p->slots[i & (p->n_slots - 1)];

        if (slot->src == EMPTY || is(slot, src, tag))
            return slot;
    }
}

/* With room for all letters of the pile, and without the slots whose letters are gone. 0; -ENOMEM
 */
static int make_slots(struct lpi_pile *p)
{
    struct lpi_letter *const old = p->slots;
    const uint32_t n_old = p->n_slots;
    uint32_t n = 64;

    while (n / 2 <= p->left)
        n *= 2;
    p->slots = malloc(n * sizeof(*p->slots));
    if (p->slots == NULL) {
        p->slots = old;
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < n; i++)
        p->slots[i].src = EMPTY;
    p->n_slots = n;
    p->n_used = 0;
    for (uint32_t i = 0; i < n_old; i++)
        if (old[i].src >= 0) {
            *slot_of(p, old[i].src, old[i].tag) = old[i];
            p->n_used++;
        }
    free(old);
    return 0;
}

/* 0; -ENOMEM */
static int put_into_slot(struct lpi_mail *m, struct lpi_pile *p, const struct lpi_letter *letter)
{
    struct lpi_letter *slot = slot_of(p, letter->src, letter->tag);
    uint32_t index;

    if (slot->src == EMPTY) {
        *slot = *letter;
        slot->next = 0;
        p->n_used++;
        return 0;
    }
    index = new_letter(m);
    if (index == 0)
        return -ENOMEM;
    *at(m, index) = *letter;
    at(m, index)->next = 0;
    if (slot->next == 0)
        slot->next = index;
    else
        at(m, slot->last)->next = index;
    slot->last = index;
    return 0;
}

/* From the sheets into slots. 0; -ENOMEM: nothing more can be taken */
static int sort(struct lpi_mail *m, struct lpi_pile *p)
{
    uint32_t sheet = p->first;
    int rc = p->n_slots <= 2 * (p->n_used + p->listed) ? make_slots(p) : 0;

    while (rc == 0 && p->listed > 0) {
        const uint32_t n = p->listed < SHEET - 1 ? p->listed : SHEET - 1, next = at(m, sheet)->next;

        if (p->listed > n)
            for (uint32_t i = 0; i < SHEET; i += 2)
                __builtin_prefetch(at(m, next + i));
        for (uint32_t i = 1; rc == 0 && i <= n; i++)
            rc = put_into_slot(m, p, at(m, sheet + i));
        p->listed -= n;
        at(m, sheet)->next = m->sheets;
        m->sheets = sheet;
        sheet = next;
    }
    p->end = 0;
    return rc;
}

static int put_on_pile(struct lpi_mail *m, struct lpi_pile *p, const struct lpi_letter *letter)
{
    if (p->end % SHEET == 0) {
        const uint32_t sheet = new_sheet(m);

        if (sheet == 0)
            return -ENOMEM;
        if (p->listed > 0)
            at(m, p->end - SHEET)->next = sheet;
        else
            p->first = sheet;
        p->end = sheet + 1;
    }
    *at(m, p->end++) = *letter;
    p->listed++;
    p->left++;
    return 0;
}

static int take_from_pile(struct lpi_mail *m, struct lpi_pile *p, int32_t src, int32_t tag,
                          struct lpi_letter *out)
{
    struct lpi_letter *slot;

    if (p->listed > 0 && sort(m, p) != 0)
        return -ENOMEM;
    slot = slot_of(p, src, tag);
    if (slot->src == EMPTY)
        return -EAGAIN;
    *out = *slot;
    if (out->next != 0) {
        *slot = *at(m, out->next);
        slot->last = out->last;
        free_letter(m, out->next);
    } else {
        slot->src = TAKEN;
    }
    if (--p->left == 0) {
        free(p->slots);
        *p = (struct lpi_pile){.slots = NULL};
    }
    return 0;
}

/* The number of an unused pile; 0: no memory. */
static uint32_t new_pile(struct lpi_mail *m)
{
    if (m->n_piles + 1 >= m->pile_capacity) {
        const uint32_t capacity = m->pile_capacity > 0 ? 2 * m->pile_capacity : 16;
        struct lpi_pile *more = realloc(m->piles, capacity * sizeof(*more));

        if (more == NULL)
            return 0;
        m->piles = more;
        m->pile_capacity = capacity;
    }
    m->piles[++m->n_piles] = (struct lpi_pile){.slots = NULL};
    return m->n_piles;
}

/* ---- lists ---- */

static void take_from_list(struct lpi_mail *m, struct lpi_inbox *inbox, uint32_t before,
                           struct lpi_letter *out)
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
    free_letter(m, index);
}

/* All of a list. 0; -ENOMEM */
static int move_to_pile(struct lpi_mail *m, struct lpi_inbox *inbox)
{
    struct lpi_letter letter;
    int rc = 0;

    if (inbox->pile == 0)
        inbox->pile = new_pile(m);
    if (inbox->pile == 0)
        return -ENOMEM;
    while (rc == 0 && inbox->listed > 0) {
        take_from_list(m, inbox, 0, &letter);
        rc = put_on_pile(m, &m->piles[inbox->pile], &letter);
    }
    return rc;
}

int lpi_mail_put(struct lpi_mail *m, struct lpi_inbox *inbox, const struct lpi_letter *letter)
{
    uint32_t index;
    int rc = 0;

    m->left++;
    if (inbox->listed == LISTED)
        rc = move_to_pile(m, inbox);
    if (inbox->pile != 0 && m->piles[inbox->pile].left > 0)
        return rc == 0 ? put_on_pile(m, &m->piles[inbox->pile], letter) : rc;
    index = rc == 0 ? new_letter(m) : 0;
    if (index == 0)
        return -ENOMEM;
    *at(m, index) = *letter;
    at(m, index)->next = 0;
    if (inbox->listed++ == 0)
        inbox->first = index;
    else
        at(m, inbox->last)->next = index;
    inbox->last = index;
    return 0;
}

int lpi_mail_take(struct lpi_mail *m, struct lpi_inbox *inbox, int32_t src, int32_t tag,
                  struct lpi_letter *out)
{
    uint32_t before = 0, index = inbox->listed > 0 ? inbox->first : 0;
    int rc = 0;

    while (index != 0 && !is(at(m, index), src, tag)) {
        before = index;
        index = at(m, index)->next;
    }
    if (index != 0)
        take_from_list(m, inbox, before, out);
    else if (inbox->pile != 0 && m->piles[inbox->pile].left > 0)
        rc = take_from_pile(m, &m->piles[inbox->pile], src, tag, out);
    else
        rc = -EAGAIN;
    m->left -= rc == 0;
    return rc;
}

void lpi_mail_fini(struct lpi_mail *m)
{
    for (uint32_t i = 1; i <= m->n_piles; i++)
        free(m->piles[i].slots);
    free(m->piles);
    for (size_t b = 0; b < sizeof(m->blocks) / sizeof(m->blocks[0]); b++)
        free(m->blocks[b]);
}
