/* SPDX-License-Identifier: MIT */
/* Sends of a fold that wait for their receivers: see schedule.h. */

#include "schedule/schedule.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_CAPACITY = 4 };

int lpi_rendezvous_init(struct lpi_fold_rendezvous *rendezvous, size_t P, int64_t from,
                        const struct logp_delay_ops *ops, void *model)
{
    rendezvous->from = from;
    rendezvous->ops = ops;
    rendezvous->model = model;
    rendezvous->ranks = from > 0 ? lpi_zeroed(P, sizeof(*rendezvous->ranks)) : NULL;
    return from > 0 && rendezvous->ranks == NULL ? -ENOMEM : 0;
}

void lpi_rendezvous_fini(struct lpi_fold_rendezvous *rendezvous, size_t P)
{
    for (size_t r = 0; rendezvous->ranks != NULL && r < P; r++)
        free(rendezvous->ranks[r].all);
    free(rendezvous->ranks);
}

/* A request is a message that arrives before time 0. */
static int64_t as_request(int64_t arrival)
{
    return -1 - arrival;
}

/* L of the way back. */
static int64_t cts_ns(const struct lpi_fold_rendezvous *rendezvous, int from, int to)
{
    if (rendezvous->ops->link != NULL)
        return rendezvous->ops->link(rendezvous->model, from, to)->L_ns;
    return rendezvous->ops->params != NULL ? rendezvous->ops->params(rendezvous->model)->L_ns : 0;
}

/* A message, or a request, meets a receive of rank r. @return the sender has its answer */
static bool match(struct lpi_fold_rendezvous *rendezvous, int64_t r, struct lpi_posted *m,
                  const struct lpi_fold_message *message)
{
    struct lpi_posted_list *sender = &rendezvous->ranks[message->src];
    const int64_t rts_at = as_request(message->arrival);

    m->n_bytes = message->n_bytes;
    if (message->arrival >= 0) {
        m->arrival = message->arrival;
        m->state = LPI_MATCHED;
        return false;
    }
    m->state = LPI_CTS_SENT;
    sender->cts_at =
        (rts_at > m->posted ? rts_at : m->posted) + cts_ns(rendezvous, (int)r, message->src);
    sender->matched = (uint32_t)(m - rendezvous->ranks[r].all);
    return true;
}

int lpi_rendezvous_post(struct lpi_fold_rendezvous *rendezvous, struct lpi_fold_mail *mail,
                        struct lpi_fold_inbox *inbox, int64_t r, int32_t src, int32_t tag,
                        int64_t now, int64_t *wakes)
{
    struct lpi_posted_list *k = &rendezvous->ranks[r];
    struct lpi_fold_message message;
    struct lpi_posted *m;
    int rc;

    *wakes = -1;
    if (k->n == k->capacity) {
        const uint32_t capacity = k->capacity > 0 ? 2 * k->capacity : FIRST_CAPACITY;

        m = realloc(k->all, capacity * sizeof(*m));
        if (m == NULL)
            return -ENOMEM;
        k->all = m;
        k->capacity = capacity;
    }
    m = &k->all[k->n++];
    *m = (struct lpi_posted){.posted = now, .src = src, .tag = tag};
    rc = lpi_mail_take(mail, inbox, src, tag, &message);
    if (rc == 0 && match(rendezvous, r, m, &message))
        *wakes = src;
    return rc == -EAGAIN ? 0 : rc;
}

/* Whether the rank waits for this receive; then it is not blocked any more. */
static bool wakes_for(struct lpi_posted_list *k, uint32_t which)
{
    const bool wakes = k->blocked && k->next == which;

    k->blocked = k->blocked && !wakes;
    return wakes;
}

int lpi_rendezvous_send(struct lpi_fold_rendezvous *rendezvous, struct lpi_fold_mail *mail,
                        struct lpi_fold_inbox *inbox, int64_t dst,
                        const struct lpi_fold_message *message, bool is_request, bool *wakes)
{
    struct lpi_posted_list *k = &rendezvous->ranks[dst];
    struct lpi_fold_message sent = *message;
    uint32_t i = k->next;

    *wakes = false;
    if (is_request) {
        rendezvous->ranks[message->src].rts_sent = true;
        rendezvous->ranks[message->src].cts_at = -1;
        sent.arrival = as_request(message->arrival);
    }
    while (i < k->n && (k->all[i].state != LPI_POSTED || k->all[i].src != sent.src ||
                        k->all[i].tag != sent.tag))
        i++;
    if (i == k->n)
        return lpi_mail_put(mail, inbox, &sent);
    if (!match(rendezvous, dst, &k->all[i], &sent))
        *wakes = wakes_for(k, i);
    return 0;
}

bool lpi_rendezvous_data(struct lpi_fold_rendezvous *rendezvous, int64_t src, int64_t dst,
                         int64_t arrival)
{
    struct lpi_posted_list *sender = &rendezvous->ranks[src], *k = &rendezvous->ranks[dst];

    k->all[sender->matched].arrival = arrival;
    k->all[sender->matched].state = LPI_MATCHED;
    sender->rts_sent = false;
    return wakes_for(k, sender->matched);
}

const struct lpi_posted *lpi_rendezvous_take(struct lpi_fold_rendezvous *rendezvous, int64_t r)
{
    struct lpi_posted_list *k = &rendezvous->ranks[r];
    const struct lpi_posted *m = &k->all[k->next];

    k->blocked = m->state != LPI_MATCHED;
    if (k->blocked)
        return NULL;
    if (++k->next == k->n)
        k->next = k->n = 0;
    return m;
}
