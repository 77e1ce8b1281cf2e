/* SPDX-License-Identifier: MIT */
/*
 * Stacks that are set aside, each as the difference from a template.
 *
 * Vps that wait at the same place of the same program have nearly the same words on the stack, at
 * the same addresses, and many of those that differ do so by the same amount. So some stacks are
 * kept whole as templates. A pattern says which words differ from a template, and which of them by the
 * same amount. Of every other stack only these amounts are kept. With a million vps this takes a
 * fraction of the memory. Most of what is copied is the template, which stays in the cache.
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
    LPI_RECENT_PATTERNS = 4,
    LPI_IMAGE_CLASSES = 257,
    LPI_IMAGE_ROUND = 16
};

/* A stack that is set aside; zeroed: none yet. Its memory is kept for the next time. */
struct lpi_image {
    char *memory;
    uint32_t capacity; /* of memory */
    int32_t pattern;   /* index; -1: memory holds the whole stack */
};

/* The memory, the templates and the patterns of all images of a core. */
struct lpi_images {
    struct lpi_chunk_of_images *chunks; /* the first is in use */
    char *free[LPI_IMAGE_CLASSES];      /* lists, by capacity in units of LPI_IMAGE_ROUND */
    struct {
        char *stack;
        size_t bytes;
    } templates[LPI_TEMPLATES];
    int n_templates;
    struct lpi_pattern *patterns[LPI_PATTERNS];
    int n_patterns;
    int recent
        [LPI_RECENT_PATTERNS]; /* the last that were used, newest first; of each template at most one */
    int n_recent;
    bool whole; /* never make differences */
};

/* Set aside `bytes` (a multiple of 8) of a stack. false: no memory, and nothing is set aside. */
bool lpi_image_save(struct lpi_images *all, struct lpi_image *image, const void *stack,
                    size_t bytes);
void lpi_image_restore(const struct lpi_images *all, const struct lpi_image *image, void *stack,
                       size_t bytes);
/* The stack as a whole, for writing; NULL: no memory. */
char *lpi_image_whole(struct lpi_images *all, struct lpi_image *image, size_t bytes);
/* Free a large image, which has memory of its own. Call it before lpi_images_fini(). */
void lpi_image_forget(struct lpi_image *image);
void lpi_images_fini(struct lpi_images *all);

#endif
