/* SPDX-License-Identifier: MIT */
/*
 * Messages under way in a fold. Most ranks have one or two at a time: a list, beside the rank's own
 * state, so that memory is touched in the order of ranks. A rank that has many (the root of a flat
 * tree, everyone in an all-to-all) has those that do not fit into its list on a pile. To put there
 * is to append; the first to be taken makes an index of the pile, by source and tag. As long as
 * there is any on its pile no more go into a rank's list, so what is in the list is older.
 */
#include "mail.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LISTED = 16 };

static const uint32_t taken = UINT32_MAX; /* a slot whose letters are gone; a letter's last */

struct lpi_pile {
    struct lpi_letter *letters; /* 1 .. n, in the order in which they were put */
    uint32_t n, room, left;
    uint32_t indexed;         /* as far as the index goes */
    uint32_t *slots;          /* the first of each source and tag; 0: none */
    uint32_t n_slots, n_used; /* 2^x > 2 n_used, or 0 */
};

static bool is(const struct lpi_letter *l, int32_t src, int32_t tag)
{
    return l->src == src && l->tag == tag;
}

/* ---- piles ---- */

/* Sources next to each other have slots next to each other. */
static uint32_t *slot_of(const struct lpi_pile *p, int32_t src, int32_t tag)
{
    const uint32_t x = (uint32_t)src + (uint32_t)tag * UINT32_C(0x9e3779b1);
    uint32_t at = x ^ x >> 11 ^ x >> 22;

    for (;; at++) {
        uint32_t *slot = &p->slots[at & (p->n_slots - 1)];

        if (*slot == 0 || (*slot != taken && is(&p->letters[*slot], src, tag)))
            return slot;
    }
}

/* Close ranks: the letters that are left are 1 .. n, and none is in the index. */
static void close_up(struct lpi_pile *p)
{
    uint32_t n = 0;

    for (uint32_t i = 1; i <= p->n; i++)
        if (p->letters[i].last != taken)
            p->letters[++n] = p->letters[i];
    p->n = n;
    p->indexed = p->n_used = 0;
    free(p->slots);
    p->slots = NULL;
    p->n_slots = 0;
}

/* Put all into the index. 0; -ENOMEM */
static int complete_index(struct lpi_pile *p)
{
    if (p->n_slots <= 2 * (p->n_used + (p->n - p->indexed))) {
        uint32_t n = 64;

        close_up(p);
        while (n / 4 <= p->n)
            n *= 2;
        p->slots = calloc(n, sizeof(*p->slots));
        if (p->slots == NULL)
            return -ENOMEM;
        p->n_slots = n;
    }
    while (p->indexed < p->n) {
        const uint32_t i = ++p->indexed;
        struct lpi_letter *l = &p->letters[i];
        uint32_t *slot = slot_of(p, l->src, l->tag);

        l->next = 0;
        l->last = i;
        if (*slot == 0) {
            *slot = i;
            p->n_used++;
        } else {
            p->letters[p->letters[*slot].last].next = i;
            p->letters[*slot].last = i;
        }
    }
    return 0;
}

static int put_on_pile(struct lpi_pile *p, const struct lpi_letter *letter)
{
    if (p->n + 1 >= p->room) {
        if (p->n > 0 && p->left <= p->n / 2) {
            close_up(p);
        } else {
            const uint32_t room = p->room > 0 ? 2 * p->room : 64;
            struct lpi_letter *more = NULL;

            if (room > p->room)
                more = realloc(p->letters, room * sizeof(*more));
            if (more == NULL)
                return -ENOMEM;
            p->letters = more;
            p->room = room;
        }
    }
    p->letters[++p->n] = *letter;
    p->letters[p->n].last = 0;
    p->left++;
    return 0;
}

static int take_from_pile(struct lpi_pile *p, int32_t src, int32_t tag, struct lpi_letter *out)
{
    uint32_t *slot, next;
    struct lpi_letter *l;

    if (p->indexed < p->n && complete_index(p) != 0)
        return -ENOMEM;
    slot = slot_of(p, src, tag);
    if (*slot == 0)
        return -EAGAIN;
    l = &p->letters[*slot];
    *out = *l;
    next = l->next;
    if (next != 0)
        p->letters[next].last = l->last;
    l->last = taken;
    *slot = next != 0 ? next : taken;
    if (--p->left > 0)
        return 0;
    free(p->letters);
    free(p->slots);
    *p = (struct lpi_pile){.letters = NULL};
    return 0;
}

static struct lpi_pile *pile_of(struct lpi_mail *m, struct lpi_inbox *inbox)
{
    if (inbox->pile == 0) {
        if (m->n_piles + 1 >= m->pile_room) {
            const uint32_t room = m->pile_room > 0 ? 2 * m->pile_room : 16;
            struct lpi_pile *more = realloc(m->piles, room * sizeof(*more));

            if (more == NULL)
                return NULL;
            m->piles = more;
            m->pile_room = room;
        }
        inbox->pile = ++m->n_piles;
        m->piles[inbox->pile] = (struct lpi_pile){.letters = NULL};
    }
    return &m->piles[inbox->pile];
}

/* ---- lists ---- */

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

int lpi_mail_put(struct lpi_mail *m, struct lpi_inbox *inbox, const struct lpi_letter *letter)
{
    uint32_t index;

    if (inbox->listed >= LISTED || (inbox->pile != 0 && m->piles[inbox->pile].left > 0)) {
        struct lpi_pile *pile = pile_of(m, inbox);

        return pile != NULL ? put_on_pile(pile, letter) : -ENOMEM;
    }
    index = new_letter(m);
    if (index == 0)
        return -ENOMEM;
    m->letters[index] = *letter;
    m->letters[index].next = 0;
    if (inbox->listed++ == 0)
        inbox->first = index;
    else
        m->letters[inbox->last].next = index;
    inbox->last = index;
    return 0;
}

int lpi_mail_take(struct lpi_mail *m, struct lpi_inbox *inbox, int32_t src, int32_t tag,
                  struct lpi_letter *out)
{
    uint32_t before = 0, index = inbox->listed > 0 ? inbox->first : 0;

    while (index != 0 && !is(&m->letters[index], src, tag)) {
        before = index;
        index = m->letters[index].next;
    }
    if (index == 0)
        return inbox->pile != 0 && m->piles[inbox->pile].left > 0
                   ? take_from_pile(&m->piles[inbox->pile], src, tag, out)
                   : -EAGAIN;
    *out = m->letters[index];
    if (before == 0)
        inbox->first = out->next;
    else
        m->letters[before].next = out->next;
    if (inbox->last == index)
        inbox->last = before;
    inbox->listed--;
    m->letters[index].next = m->free;
    m->free = index;
    return 0;
}

uint32_t lpi_mail_left(const struct lpi_mail *m, const struct lpi_inbox *inbox)
{
    return inbox->listed + (inbox->pile != 0 ? m->piles[inbox->pile].left : 0);
}

void lpi_mail_fini(struct lpi_mail *m)
{
    for (uint32_t i = 1; i <= m->n_piles; i++) {
        free(m->piles[i].letters);
        free(m->piles[i].slots);
    }
    free(m->piles);
    free(m->letters);
}
