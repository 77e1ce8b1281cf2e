/* SPDX-License-Identifier: MIT */
/* Sends of a fold that wait for their receivers: see meet.h. */
#include "meet.h"

#include "schedule.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_ROOM = 4 };

int lpi_meet_init(struct lpi_meet *meet, size_t P, int64_t from, const struct logp_delay_ops *ops,
                  void *model)
{
    meet->from = from;
    meet->ops = ops;
    meet->model = model;
    meet->ranks = from > 0 ? lpi_zeroed(P, sizeof(*meet->ranks)) : NULL;
    return from > 0 && meet->ranks == NULL ? -ENOMEM : 0;
}

void lpi_meet_fini(struct lpi_meet *meet, size_t P)
{
    for (size_t r = 0; meet->ranks != NULL && r < P; r++)
        free(meet->ranks[r].all);
    free(meet->ranks);
}

/* A request is a letter that arrives before time 0. */
static int64_t as_request(int64_t arrival)
{
    return -1 - arrival;
}

/* L of the way back. */
static int64_t answer_ns(const struct lpi_meet *meet, int from, int to)
{
    if (meet->ops->link != NULL)
        return meet->ops->link(meet->model, from, to)->L_ns;
    return meet->ops->params != NULL ? meet->ops->params(meet->model)->L_ns : 0;
}

/* A letter, or a request, meets a receive of rank r. @return the sender has its answer */
static bool meets(struct lpi_meet *meet, int64_t r, struct lpi_meeting *m,
                  const struct lpi_letter *letter)
{
    struct lpi_meetings *sender = &meet->ranks[letter->src];
    const int64_t asked = as_request(letter->arrival);

    m->n_bytes = letter->n_bytes;
    if (letter->arrival >= 0) {
        m->arrival = letter->arrival;
        m->state = LPI_MET;
        return false;
    }
    m->state = LPI_PROMISED;
    sender->answer = (asked > m->posted ? asked : m->posted) + answer_ns(meet, (int)r, letter->src);
    sender->met = (uint32_t)(m - meet->ranks[r].all);
    return true;
}

int lpi_meet_post(struct lpi_meet *meet, struct lpi_mail *mail, struct lpi_inbox *inbox, int64_t r,
                  int32_t src, int32_t tag, int64_t now, int64_t *wakes)
{
    struct lpi_meetings *k = &meet->ranks[r];
    struct lpi_letter letter;
    struct lpi_meeting *m;
    int rc;

    *wakes = -1;
    if (k->n == k->room) {
        const uint32_t room = k->room > 0 ? 2 * k->room : FIRST_ROOM;

        m = realloc(k->all, room * sizeof(*m));
        if (m == NULL)
            return -ENOMEM;
        k->all = m;
        k->room = room;
    }
    m = &k->all[k->n++];
    *m = (struct lpi_meeting){.posted = now, .src = src, .tag = tag};
    rc = lpi_mail_take(mail, inbox, src, tag, &letter);
    if (rc == 0 && meets(meet, r, m, &letter))
        *wakes = src;
    return rc == -EAGAIN ? 0 : rc;
}

/* Does the rank wait for this receive? Then it goes on. */
static bool wakes_for(struct lpi_meetings *k, uint32_t which)
{
    const bool wakes = k->blocked && k->next == which;

    k->blocked = k->blocked && !wakes;
    return wakes;
}

int lpi_meet_send(struct lpi_meet *meet, struct lpi_mail *mail, struct lpi_inbox *inbox,
                  int64_t dst, const struct lpi_letter *letter, bool is_request, bool *wakes)
{
    struct lpi_meetings *k = &meet->ranks[dst];
    struct lpi_letter sent = *letter;
    uint32_t i = k->next;

    *wakes = false;
    if (is_request) {
        meet->ranks[letter->src].asks = true;
        meet->ranks[letter->src].answer = -1;
        sent.arrival = as_request(letter->arrival);
    }
    while (i < k->n && (k->all[i].state != LPI_POSTED || k->all[i].src != sent.src ||
                        k->all[i].tag != sent.tag))
        i++;
    if (i == k->n)
        return lpi_mail_put(mail, inbox, &sent);
    if (!meets(meet, dst, &k->all[i], &sent))
        *wakes = wakes_for(k, i);
    return 0;
}

bool lpi_meet_pay(struct lpi_meet *meet, int64_t src, int64_t dst, int64_t arrival)
{
    struct lpi_meetings *sender = &meet->ranks[src], *k = &meet->ranks[dst];

    k->all[sender->met].arrival = arrival;
    k->all[sender->met].state = LPI_MET;
    sender->asks = false;
    return wakes_for(k, sender->met);
}

const struct lpi_meeting *lpi_meet_take(struct lpi_meet *meet, int64_t r)
{
    struct lpi_meetings *k = &meet->ranks[r];
    const struct lpi_meeting *m = &k->all[k->next];

    k->blocked = m->state != LPI_MET;
    if (k->blocked)
        return NULL;
    if (++k->next == k->n)
        k->next = k->n = 0;
    return m;
}
