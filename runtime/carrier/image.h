/* SPDX-License-Identifier: MIT */
/*
 * Stacks that are set aside, each as the difference from a template.
 *
 * Vps that wait at the same place of the same program have nearly the same words on the stack, at
 * the same addresses. So some stacks are kept whole as templates, and of the others a bit for each
 * word and the words that differ. With a million vps this takes a fraction of the memory, and most
 * of what is copied is the template, which stays in the cache.
 */
#ifndef LPI_IMAGE_H
#define LPI_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lpi_chunk_of_images;

enum {
    LPI_TEMPLATES = 256,
    LPI_RECENT_TEMPLATES = 4,
    LPI_IMAGE_CLASSES = 65,
    LPI_IMAGE_ROUND = 64
};

/* A stack that is set aside; zeroed: none yet. Its memory is kept for the next time. */
struct lpi_image {
    char *memory;
    uint32_t capacity; /* of memory */
    int32_t base;      /* index of its template; -1: memory holds the whole stack */
};

/* The memory and the templates of all images of a core. */
struct lpi_images {
    struct lpi_chunk_of_images *chunks; /* the first is in use */
    char *free[LPI_IMAGE_CLASSES];      /* lists, by capacity in units of LPI_IMAGE_ROUND */
    struct {
        char *stack;
        size_t bytes;
    } templates[LPI_TEMPLATES];
    int n_templates;
    int recent[LPI_RECENT_TEMPLATES]; /* the last that were near, newest first */
    bool whole;                       /* never make differences */
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
