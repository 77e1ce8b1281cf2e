/* SPDX-License-Identifier: MIT */
/* Stacks set aside: see image.h. */
#include "carrier/image.h"

#include "host/host.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 32 << 20,
    LARGE = (LPI_IMAGE_CLASSES - 1) * LPI_IMAGE_ROUND, /* larger ones come from malloc */
    MOST_WORDS = 1024,                                 /* longer stacks are saved as a whole */
    MOST_DIFFERENCE = MOST_WORDS + MOST_WORDS / 64 + 1,
};

struct lpi_chunk_of_images {
    struct lpi_chunk_of_images *next;
    size_t bytes, used;
    _Alignas(LPI_IMAGE_ROUND) char memory[];
};

/* ---- memory ---- */

/* @return false: no memory */
static bool next_chunk(struct lpi_images *all, size_t least)
{
    const size_t bytes = least > CHUNK ? least : CHUNK;
    struct lpi_chunk_of_images *k = lpi_memory_zeroed(1, sizeof(*k) + bytes);

    if (k == NULL)
        return false;
    k->bytes = bytes;
    k->next = all->chunks;
    all->chunks = k;
    return true;
}

static size_t round_up(size_t bytes)
{
    return (bytes + LPI_IMAGE_ROUND - 1) / LPI_IMAGE_ROUND * LPI_IMAGE_ROUND;
}

static char *take(struct lpi_images *all, size_t capacity)
{
    const size_t class = capacity / LPI_IMAGE_ROUND;
    struct lpi_chunk_of_images *k = all->chunks;
    char *memory;

    if (capacity > LARGE)
        return malloc(capacity);
    if (all->free[class] != NULL) {
        memory = all->free[class];
        memcpy(&all->free[class], memory, sizeof(char *));
        return memory;
    }
    if ((k == NULL || k->bytes - k->used < capacity) && !next_chunk(all, capacity))
        return NULL;
    k = all->chunks;
    k->used += capacity;
    return k->memory + k->used - capacity;
}

static void give_back(struct lpi_images *all, const struct lpi_image *image)
{
    const size_t class = image->capacity / LPI_IMAGE_ROUND;

    if (image->capacity > LARGE) {
        free(image->memory);
    } else if (image->memory != NULL) {
        memcpy(image->memory, &all->free[class], sizeof(char *));
        all->free[class] = image->memory;
    }
}

void lpi_image_forget(struct lpi_image *image)
{
    if (image->capacity > LARGE)
        free(image->memory);
    *image = (struct lpi_image){0};
}

/* Make space for `bytes`; the old contents are lost. Replace a large block that is over 8 times too
 * large. */
static bool make_space(struct lpi_images *all, struct lpi_image *image, size_t bytes)
{
    const size_t capacity = round_up(bytes);
    char *memory;

    if (bytes <= image->capacity && (image->capacity <= LARGE || image->capacity / 8 <= bytes))
        return true;
    memory = take(all, capacity);
    if (memory == NULL)
        return false;
    give_back(all, image);
    image->memory = memory;
    image->capacity = (uint32_t)capacity;
    return true;
}

/* ---- differences: n_words / 64 (rounded up) words of bits, then the words that differ ---- */

static size_t mask_words(size_t n_words)
{
    return (n_words + 63) / 64;
}

/* The bits of the words k .. k + 3 that differ; their values go to out. */
static unsigned subtract_four(uint64_t **out, const uint64_t *stack, const uint64_t *base)
{
    unsigned mask = 0;

    if (((stack[0] ^ base[0]) | (stack[1] ^ base[1]) | (stack[2] ^ base[2]) |
         (stack[3] ^ base[3])) == 0)
        return 0;
    for (unsigned k = 0; k < 4; k++) {
        const unsigned differs = stack[k] != base[k];

        **out = stack[k]; /* without a branch: overwritten if it is equal */
        *out += differs;
        mask |= differs << k;
    }
    return mask;
}

/* @return its length in words */
static size_t subtract(uint64_t *out, const uint64_t *stack, const uint64_t *base, size_t n_words)
{
    uint64_t *next = out + mask_words(n_words);

    for (size_t i = 0; i < n_words; i += 64) {
        const size_t end = n_words - i < 64 ? n_words - i : 64;
        uint64_t mask = 0;
        size_t k = 0;

        for (; k + 4 <= end; k += 4)
            mask |= (uint64_t)subtract_four(&next, stack + i + k, base + i + k) << k;
        for (; k < end; k++) {
            const uint64_t differs = stack[i + k] != base[i + k];

            *next = stack[i + k];
            next += differs;
            mask |= differs << k;
        }
        out[i / 64] = mask;
    }
    return (size_t)(next - out);
}

static void add(uint64_t *stack, const uint64_t *difference, size_t n_words)
{
    const uint64_t *word = difference + mask_words(n_words);

    for (size_t i = 0; i < mask_words(n_words); i++)
        for (uint64_t mask = difference[i]; mask != 0; mask &= mask - 1)
            stack[64 * i + (size_t)__builtin_ctzll(mask)] = *word++;
}

static bool add_template(struct lpi_images *all, const void *stack, size_t bytes)
{
    const int i = all->n_templates;

    if (i == LPI_TEMPLATES)
        return false;
    all->templates[i].stack = take(all, round_up(bytes));
    if (all->templates[i].stack == NULL)
        return false;
    memcpy(all->templates[i].stack, stack, bytes);
    all->templates[i].bytes = bytes;
    all->n_templates++;
    return true;
}

/* Move the i-th recent template to the front; i == LPI_RECENT_TEMPLATES: insert `base` there. */
static void move_to_front(struct lpi_images *all, int i, int base)
{
    if (i == LPI_RECENT_TEMPLATES)
        i--;
    for (; i > 0; i--)
        all->recent[i] = all->recent[i - 1];
    all->recent[0] = base;
}

/*
 * The difference from a recent template: the first with at most a third of the words, or else the
 * nearest. If all differ by more, the stack becomes a template, while there is capacity.
 * @return  length of the difference in words; 0: there is no template
 */
static size_t difference_of(struct lpi_images *all, const void *stack, size_t bytes,
                            uint64_t *difference, int32_t *base)
{
    const size_t n_words = bytes / sizeof(uint64_t), enough = n_words / 3;
    uint64_t other[MOST_DIFFERENCE];
    size_t least = SIZE_MAX;
    int nearest = LPI_RECENT_TEMPLATES;

    for (int k = 0; k < LPI_RECENT_TEMPLATES && k < all->n_templates && least > enough; k++) {
        const int i = all->recent[k];
        size_t n;

        if (all->templates[i].bytes != bytes)
            continue;
        n = subtract(other, stack, (const void *)all->templates[i].stack, n_words);
        if (n < least) {
            memcpy(difference, other, n * sizeof(uint64_t));
            least = n;
            nearest = k;
            *base = i;
        }
    }
    if (least > enough && add_template(all, stack, bytes)) {
        *base = all->n_templates - 1;
        nearest = LPI_RECENT_TEMPLATES;
        least = mask_words(n_words);
        memset(difference, 0, least * sizeof(uint64_t));
    }
    if (least == SIZE_MAX)
        return 0;
    if (nearest > 0)
        move_to_front(all, nearest, *base);
    return least;
}

bool lpi_image_save(struct lpi_images *all, struct lpi_image *image, const void *stack,
                    size_t bytes)
{
    uint64_t difference[MOST_DIFFERENCE];
    int32_t base = -1;
    size_t n = 0;

    if (!all->whole && bytes <= MOST_WORDS * sizeof(uint64_t))
        n = difference_of(all, stack, bytes, difference, &base) * sizeof(uint64_t);
    if (n == 0 || n >= bytes)
        base = -1;
    n = base >= 0 ? n : bytes;
    if (!make_space(all, image, n))
        return false;
    memcpy(image->memory, base >= 0 ? (const void *)difference : stack, n);
    image->base = base;
    return true;
}

void lpi_image_restore(const struct lpi_images *all, const struct lpi_image *image, void *stack,
                       size_t bytes)
{
    if (image->base < 0) {
        memcpy(stack, image->memory, bytes);
        return;
    }
    memcpy(stack, all->templates[image->base].stack, bytes);
    add(stack, (const void *)image->memory, bytes / 8);
}

char *lpi_image_whole(struct lpi_images *all, struct lpi_image *image, size_t bytes)
{
    struct lpi_image whole = {.base = -1};

    if (image->base < 0)
        return image->memory;
    if (!make_space(all, &whole, bytes))
        return NULL;
    lpi_image_restore(all, image, whole.memory, bytes);
    give_back(all, image);
    *image = whole;
    return image->memory;
}

void lpi_images_fini(struct lpi_images *all)
{
    for (int i = 0; i < all->n_templates; i++)
        if (round_up(all->templates[i].bytes) > LARGE)
            free(all->templates[i].stack);
    while (all->chunks != NULL) {
        struct lpi_chunk_of_images *next = all->chunks->next;

        lpi_memory_free(all->chunks, 1, sizeof(*all->chunks) + all->chunks->bytes);
        all->chunks = next;
    }
    *all = (struct lpi_images){0};
}
