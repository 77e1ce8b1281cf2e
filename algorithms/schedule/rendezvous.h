/* SPDX-License-Identifier: MIT */
/*
 * rendezvous.c: sends of a fold that wait for their receivers. A request goes as a letter of its own; it
 * or a plain letter meets the first receive of its source and tag that is posted, and only those
 * posted are received. What a request meets waits for the payload, which needs no mail.
 */
#ifndef LPI_SCHEDULE_RENDEZVOUS_H
#define LPI_SCHEDULE_RENDEZVOUS_H

#include "mail.h"

#include <stdbool.h>

enum lpi_posted_state { LPI_POSTED, LPI_CTS_SENT, LPI_MATCHED };

/* A receive that is posted. */
struct lpi_posted {
    int64_t posted; /* when */
    int64_t arrival;
    size_t n_bytes;
    int32_t src, tag;
    enum lpi_posted_state state;
};

/* Of a rank. */
struct lpi_posted_list {
    struct lpi_posted *all;     /* in the order of posting */
    uint32_t n, next, capacity; /* from next on they have not been received */
    bool blocked;               /* the rank waits for the next of them */
    bool exchanging;            /* at sends whose receives have been posted ahead */
    bool rts_sent;              /* its request is on its way, or answered */
    uint32_t matched;           /* by its request: which of the receiver's */
    int64_t cts_at;             /* when that is back; -1: not yet */
};

struct lpi_rendezvous {
    struct lpi_posted_list *ranks;
    int64_t from; /* sends of so many bytes wait; 0: none, and nothing is kept */
    const struct logp_delay_ops *ops;
    void *model;
};

/* ops of a delay model: how long an answer takes. 0; -ENOMEM. To be ended in any case. */
int lpi_rendezvous_init(struct lpi_rendezvous *rendezvous, size_t P, int64_t from,
                        const struct logp_delay_ops *ops, void *model);
void lpi_rendezvous_fini(struct lpi_rendezvous *rendezvous, size_t P);

/* Does a send wait for its receiver? */
static inline bool lpi_rendezvous_waits(const struct lpi_rendezvous *rendezvous, size_t n_bytes)
{
    return rendezvous->from > 0 && (n_bytes > 0 ? n_bytes : 1) >= (uint64_t)rendezvous->from;
}

/* Rank r posts a receive at its time now. *wakes: who has its answer by that; -1: nobody. 0;
 * -ENOMEM */
int lpi_rendezvous_post(struct lpi_rendezvous *rendezvous, struct lpi_fold_mail *mail,
                        struct lpi_fold_inbox *inbox, int64_t r, int32_t src, int32_t tag,
                        int64_t now, int64_t *wakes);
/* A letter to dst; is_request: of its payload, which is to come. *wakes: whether dst can go on by
 * it. 0; -ENOMEM */
int lpi_rendezvous_send(struct lpi_rendezvous *rendezvous, struct lpi_fold_mail *mail,
                        struct lpi_fold_inbox *inbox, int64_t dst,
                        const struct lpi_fold_message *message, bool is_request, bool *wakes);
/* The payload of a send that has its answer. @return dst can go on by it */
bool lpi_rendezvous_data(struct lpi_rendezvous *rendezvous, int64_t src, int64_t dst,
                         int64_t arrival);
/* The next receive of a rank that has posted any. NULL: nothing has come for it */
const struct lpi_posted *lpi_rendezvous_take(struct lpi_rendezvous *rendezvous, int64_t r);

#endif
