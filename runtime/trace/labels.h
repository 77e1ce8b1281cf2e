/* SPDX-License-Identifier: MIT */
/* labels.c: texts, each once, by number: 1, 2, ... */
#ifndef LPI_LABELS_H
#define LPI_LABELS_H

#include <stdbool.h>
#include <stdint.h>

struct lpi_labels {
    char **texts;
    uint32_t *slots; /* numbers, by what the text hashes to; 0: none. 2^x > 2 n, or NULL */
    uint32_t n, n_slots;
    uint32_t last; /* asked for */
    bool lacks;    /* there was no memory for one: to be told once */
};

/* The number of the text "first/second"; second NULL: of the first alone. 0: no memory */
uint32_t lpi_label_number(struct lpi_labels *l, const char *first, const char *second);
/* "": there is none of this number. */
const char *lpi_label_text(const struct lpi_labels *l, uint32_t number);
void lpi_labels_free(struct lpi_labels *l);

#endif
