/* SPDX-License-Identifier: MIT */
/* A set of texts, numbered 1, 2, ...: see labels.c. */
#ifndef LPI_LABELS_H
#define LPI_LABELS_H

#include <stdbool.h>
#include <stdint.h>

struct lpi_labels {
    char **texts;
    uint32_t *slots; /* hash table of numbers; 0: free. 2^x slots, more than 2 n; or NULL */
    uint32_t n, n_slots;
    uint32_t last; /* number of the last call */
    bool lacks;    /* memory ran out for a text: reported once */
};

/* The number of the text "first/second", or of first if second is NULL. 0: no memory */
uint32_t lpi_label_number(struct lpi_labels *l, const char *first, const char *second);
/* The text of a number; "": there is none. */
const char *lpi_label_text(const struct lpi_labels *l, uint32_t number);
void lpi_labels_free(struct lpi_labels *l);

#endif
