/* SPDX-License-Identifier: MIT */
/*
 * Stacks that are set aside, each as the difference from a template.
 *
 * Vps that wait at the same place of the same program have nearly the same words on the stack, at
 * the same addresses, and many of those that differ do so by the same amount, or by a multiple of the
 * difference of their ranks. So some stacks are kept whole as templates. A pattern lists the words
 * that differ from a template, those of them that differ by the same amount, and those that vary
 * with the rank. Of every other stack only the amounts are kept that do not follow from its rank,
 * in as few bytes as each needs. With a million vps this takes a fraction of the memory. Most of
 * the copied data is the template, which stays in the cache.
 */
#ifndef LPI_IMAGE_H
#define LPI_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lpi_chunk_of_images;
struct lpi_pattern;

enum {
    LPI_TEMPLATES = 256,
    LPI_PATTERNS = 4096,
    LPI_RECENT = 4,
    LPI_IMAGE_CLASSES = 513,
    LPI_IMAGE_ROUND = 8
};

/* A stack that is set aside. */
struct lpi_image {
    int16_t pattern; /* index; -1: whole */
    uint16_t class;  /* of its size, in units of LPI_IMAGE_ROUND; 0: it is of malloc() */
    unsigned char amounts[];
};

/* The same if there is no pattern for it. */
struct lpi_whole_image {
    struct lpi_image image;
    uint32_t bytes;
    char stack[];
};

/* A place at which vps wait: patterns of one template. */
struct lpi_recent {
    int usual, all; /* patterns: of most stacks, and of all of them */
    int misfits;    /* stacks in a row that do not fit the former */
    int n;          /* stacks so far; it stops above RENEW (image.c) */
};

/* The memory, the templates and the patterns of all images of a core. */
struct lpi_images {
    struct lpi_chunk_of_images *chunks; /* the first is in use */
    char *free[LPI_IMAGE_CLASSES];      /* lists, by class */
    struct {
        char *stack;
        size_t bytes;
        int rank;
    } templates[LPI_TEMPLATES];
    int n_templates;
    struct lpi_pattern *patterns[LPI_PATTERNS];
    int n_patterns;
    struct lpi_recent recent[LPI_RECENT]; /* newest first */
    int n_recent;
    bool whole; /* never make differences */
};

/* Set aside `bytes` (a multiple of 8) of the stack of a rank, in the memory of the vp's last image if that
 * is large enough (NULL: it has none). @return the image; NULL: no memory, and nothing is set aside */
struct lpi_image *lpi_image_save(struct lpi_images *all, struct lpi_image *last, int rank,
                                 const void *stack, size_t bytes);
/* The bytes of its stack. */
size_t lpi_image_bytes(const struct lpi_images *all, const struct lpi_image *image);
/* The image is kept, since its memory serves the next one. */
void lpi_image_restore(const struct lpi_images *all, const struct lpi_image *image, int rank,
                       void *stack);
/* The stack as a whole, for writing, in place of `image`; NULL: no memory, and `image` stays. */
struct lpi_whole_image *lpi_image_whole(struct lpi_images *all, struct lpi_image *image, int rank);
/* Other images take its memory. NULL: nothing to do. */
void lpi_image_free(struct lpi_images *all, struct lpi_image *image);
/* After all large images have been freed. */
void lpi_images_fini(struct lpi_images *all);

#endif
