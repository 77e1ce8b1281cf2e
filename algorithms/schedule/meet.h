/* SPDX-License-Identifier: MIT */
/*
 * meet.c: sends of a fold that wait for their receivers. A request goes as a letter of its own; it
 * or a plain letter meets the first receive of its source and tag that is posted, and only those
 * posted are received. What a request meets waits for the payload, which needs no mail.
 */
#ifndef LPI_SCHEDULE_MEET_H
#define LPI_SCHEDULE_MEET_H

#include "mail.h"

#include <stdbool.h>

enum lpi_meeting_state { LPI_POSTED, LPI_PROMISED, LPI_MET };

/* A receive that is posted. */
struct lpi_meeting {
    int64_t posted; /* when */
    int64_t arrival;
    size_t n_bytes;
    int32_t src, tag;
    enum lpi_meeting_state state;
};

/* Of a rank. */
struct lpi_meetings {
    struct lpi_meeting *all; /* in the order of posting */
    uint32_t n, next, room;  /* from next on they have not been received */
    bool blocked;            /* the rank waits for the next of them */
    bool exchanging;         /* at sends whose receives have been posted ahead */
    bool asks;               /* its request is on its way, or answered */
    uint32_t met;            /* by its request: which of the receiver's */
    int64_t answer;          /* when that is back; -1: not yet */
};

struct lpi_meet {
    struct lpi_meetings *ranks;
    int64_t from; /* sends of so many bytes wait; 0: none, and nothing is kept */
    const struct logp_delay_ops *ops;
    void *model;
};

/* ops of a delay model: how long an answer takes. 0; -ENOMEM. To be ended in any case. */
int lpi_meet_init(struct lpi_meet *meet, size_t P, int64_t from, const struct logp_delay_ops *ops,
                  void *model);
void lpi_meet_fini(struct lpi_meet *meet, size_t P);

/* Does a send wait for its receiver? */
static inline bool lpi_meet_waits(const struct lpi_meet *meet, size_t n_bytes)
{
    return meet->from > 0 && (n_bytes > 0 ? n_bytes : 1) >= (uint64_t)meet->from;
}

/* Rank r posts a receive at its time now. *wakes: who has its answer by that; -1: nobody. 0;
 * -ENOMEM */
int lpi_meet_post(struct lpi_meet *meet, struct lpi_mail *mail, struct lpi_inbox *inbox, int64_t r,
                  int32_t src, int32_t tag, int64_t now, int64_t *wakes);
/* A letter to dst; is_request: of its payload, which is to come. *wakes: whether dst can go on by
 * it. 0; -ENOMEM */
int lpi_meet_send(struct lpi_meet *meet, struct lpi_mail *mail, struct lpi_inbox *inbox,
                  int64_t dst, const struct lpi_letter *letter, bool is_request, bool *wakes);
/* The payload of a send that has its answer. @return dst can go on by it */
bool lpi_meet_pay(struct lpi_meet *meet, int64_t src, int64_t dst, int64_t arrival);
/* The next receive of a rank that has posted any. NULL: nothing has come for it */
const struct lpi_meeting *lpi_meet_take(struct lpi_meet *meet, int64_t r);

#endif
