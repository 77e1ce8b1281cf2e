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
struct lpi_letter {
    int64_t arrival;
    size_t n_bytes;
    int32_t src, dst, tag;
    uint32_t next;       /* of the same receiver, or of the same bucket; or a free one */
    uint32_t same, last; /* in a bucket, of the same source and tag: the next; of the first: the
                            last */
};

/* What has been put for one receiver: the first few in a list, others in buckets. */
struct lpi_inbox {
    uint32_t first, last;
    uint32_t listed, spilled; /* how many are in the list; elsewhere */
};

struct lpi_mail {
    struct lpi_letter *letters;
    uint32_t n, room, free; /* letters made, room for, first free one */
    uint32_t *buckets;      /* 2^x of them; NULL: none yet */
    uint32_t n_buckets, n_keys;
};

/* Put a copy. 0; -ENOMEM */
int lpi_mail_put(struct lpi_mail *mail, struct lpi_inbox *inbox, const struct lpi_letter *letter);
/* Take the first from src with this tag. @return its index, which can be read until the next
 * lpi_mail_put(); 0: there is none */
uint32_t lpi_mail_take(struct lpi_mail *mail, struct lpi_inbox *inbox, int32_t dst, int32_t src,
                       int32_t tag);
void lpi_mail_fini(struct lpi_mail *mail);

#endif
