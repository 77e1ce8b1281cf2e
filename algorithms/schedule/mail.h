/* SPDX-License-Identifier: MIT */
/*
 * mail.c: messages under way in a fold. Those of one receiver, source and tag are taken in the
 * order in which they were put.
 */
#ifndef LPI_SCHEDULE_MAIL_H
#define LPI_SCHEDULE_MAIL_H

#include <stddef.h>
#include <stdint.h>

/* Indices of letters, all of them: 0 is none. */
struct lpi_fold_message {
    int64_t arrival;
    size_t n_bytes;
    int32_t src, tag;
    uint32_t
        next; /* in a list: the next; in a slot: the next of this source and tag, also listed */
    uint32_t last; /* in a slot: the last of them */
};

/* What has been put for one receiver: the first few in a list, others on a pile of its own. */
struct lpi_fold_inbox {
    uint32_t first, last, listed;
    uint32_t overflow; /* its number; 0: it has never had one */
};

struct lpi_overflow;

struct lpi_fold_mail {
    struct lpi_fold_message *blocks[32]; /* of all letters: block b has 2^b, or is yet to be made */
    uint32_t n;                          /* letters in blocks that have been given out, by sheets */
    uint32_t blocks_used, messages;      /* first free ones */
    uint32_t next;                       /* the sheet that single letters are cut from */
    struct lpi_overflow *overflows;
    uint32_t n_overflows, overflow_capacity;
    uint64_t left; /* how many letters have not been taken */
};

/* Put a copy. 0; -ENOMEM */
int lpi_mail_put(struct lpi_fold_mail *mail, struct lpi_fold_inbox *inbox,
                 const struct lpi_fold_message *message);
/* Take the first from src with this tag. 0; -EAGAIN: there is none; -ENOMEM */
int lpi_mail_take(struct lpi_fold_mail *mail, struct lpi_fold_inbox *inbox, int32_t src,
                  int32_t tag, struct lpi_fold_message *out);
void lpi_mail_fini(struct lpi_fold_mail *mail);

#endif
