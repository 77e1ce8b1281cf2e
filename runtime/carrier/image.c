/* SPDX-License-Identifier: MIT */
/* Stacks set aside: see image.h. */
#include "carrier/image.h"

#include "host/host.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 32 << 20,
    LARGE = (LPI_IMAGE_CLASSES - 1) * LPI_IMAGE_ROUND, /* larger ones come from malloc */
    MOST_WORDS = 2048,                                 /* longer stacks are saved as a whole */
    MOST_GROUPS = 256,
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

void lpi_image_free(struct lpi_images *all, struct lpi_image *image)
{
    const size_t class = image != NULL ? image->class : 0;

    if (class == 0) {
        free(image);
    } else {
        memcpy(image, &all->free[class], sizeof(char *));
        all->free[class] = (char *)image;
    }
}

/* Is there space for so many bytes, header included? A large image that is over 8 times too large does not
 * count. */
static bool has_space(const struct lpi_image *image, size_t bytes)
{
    size_t capacity;

    if (image->class > 0)
        return bytes <= (size_t)image->class * LPI_IMAGE_ROUND;
    capacity = malloc_usable_size((void *)image);
    return bytes <= capacity && capacity / 8 <= bytes;
}

/* An image with space for `bytes`, which takes the place of the last one. NULL: no memory */
static struct lpi_image *make_space(struct lpi_images *all, struct lpi_image *last, size_t bytes)
{
    const size_t capacity = round_up(sizeof(*last) + bytes);
    struct lpi_image *image;

    if (last != NULL && has_space(last, sizeof(*last) + bytes))
        return last;
    image = (struct lpi_image *)take(all, capacity);
    if (image == NULL)
        return NULL;
    image->class = capacity <= LARGE ? (uint16_t)(capacity / LPI_IMAGE_ROUND) : 0;
    lpi_image_free(all, last);
    return image;
}

/* ---- patterns ---- */

/*
 * Which words differ between stacks that wait at the same place, and which of these do so by the
 * same amount: all pointers into the vp's own structures, all that depends on its rank. So an image
 * holds one amount for each group of words.
 */
struct lpi_pattern {
    int base; /* template */
    int n_places, n_groups;
    struct place {
        uint16_t word, group;
    } * places;      /* the words that differ: the first of each group, by group, then the others */
    uint64_t same[]; /* by two words: the bits that do not differ */
};

/* A word of a stack that holds anything. */
typedef uint32_t __attribute__((may_alias)) word;
typedef uint64_t __attribute__((may_alias)) two_words;

/* @return its index; -1: there are too many, or there is no memory */
static int add_pattern(struct lpi_images *all, const struct lpi_pattern *like, size_t bytes,
                       const struct place *places)
{
    const size_t n = (size_t)like->n_places;
    struct lpi_pattern *p;

    if (all->n_patterns == LPI_PATTERNS)
        return -1;
    p = malloc(sizeof(*p) + bytes + n * sizeof(*places));
    if (p == NULL)
        return -1;
    *p = *like;
    memset(p->same, 0xff, bytes);
    p->places = (struct place *)(p->same + bytes / sizeof(p->same[0]));
    for (size_t i = 0; i < n; i++) {
        p->places[i] = places[i];
        memset((char *)p->same + places[i].word * sizeof(word), 0, sizeof(word));
    }
    all->patterns[all->n_patterns] = p;
    return all->n_patterns++;
}

/* What differs in two words that are the same in all stacks of a pattern. */
static uint64_t difference(const two_words *stack, const two_words *base, const uint64_t *same)
{
    return (*stack ^ *base) & *same;
}

/* Do all that differ from the template do so as in the pattern? Then the amounts go to `amounts`. */
static bool fits(const struct lpi_images *all, const struct lpi_pattern *p, const void *stack,
                 size_t bytes, uint32_t *amounts)
{
    const void *template = all->templates[p->base].stack;
    const two_words *two = stack, *two_of_base = template;
    const word *words = stack, *base = template;
    const size_t n = bytes / sizeof(*two);
    uint64_t other = 0;
    size_t i = 0;

    for (; i + 4 <= n; i += 4)
        other |= difference(two + i, two_of_base + i, p->same + i) |
                 difference(two + i + 1, two_of_base + i + 1, p->same + i + 1) |
                 difference(two + i + 2, two_of_base + i + 2, p->same + i + 2) |
                 difference(two + i + 3, two_of_base + i + 3, p->same + i + 3);
    for (; i < n; i++)
        other |= difference(two + i, two_of_base + i, p->same + i);
    if (other != 0)
        return false;
    for (int k = 0; k < p->n_groups; k++)
        amounts[k] = words[p->places[k].word] - base[p->places[k].word];
    for (int k = p->n_groups; k < p->n_places; k++) {
        const struct place *at = &p->places[k];

        other |= (words[at->word] - base[at->word]) ^ amounts[at->group];
    }
    return other == 0;
}

/* The groups of a pattern that is being made: words that were in the same group before, and differ by
 * the same amount in this stack. */
struct grouping {
    struct {
        int before; /* -1: in none */
        uint32_t amount;
    } groups[MOST_GROUPS];
    int n, most;
    uint16_t slots[4 * MOST_GROUPS]; /* hashed; 0: free, or the group and one more */
};

/* @return the group; `most`: there are too many */
static int group_of(struct grouping *g, int before, uint32_t amount)
{
    enum { SLOTS = sizeof(g->slots) / sizeof(g->slots[0]) };
    unsigned at = ((uint32_t)before * 0x9e3779b9u + amount) * 0x85ebca6bu >> 16;
    int i;

    for (at %= SLOTS; g->slots[at] != 0; at = (at + 1) % SLOTS) {
        i = g->slots[at] - 1;
        if (g->groups[i].before == before && g->groups[i].amount == amount)
            return i;
    }
    if (g->n == g->most)
        return g->most;
    g->groups[g->n].before = before;
    g->groups[g->n].amount = amount;
    g->slots[at] = (uint16_t)++g->n;
    return g->n - 1;
}

/* The coarsest pattern that fits this stack and all that `old` fits, and the amounts of this stack.
 * @return its index; -1: it has more groups than a sixth of the words, or as add_pattern() */
static int refine(struct lpi_images *all, const struct lpi_pattern *old, const void *stack,
                  size_t bytes, uint32_t *amounts)
{
    const size_t n_words = bytes / sizeof(word);
    const word *words = stack;
    const word *base = (const void *)all->templates[old->base].stack;
    struct lpi_pattern made = {.base = old->base};
    struct place first[MOST_WORDS], others[MOST_WORDS];
    int16_t before[MOST_WORDS]; /* by word: its group in old; -1: none */
    struct grouping g;
    int n_others = 0;

    g.n = 0;
    g.most = (int)(n_words / 6 < MOST_GROUPS ? n_words / 6 : MOST_GROUPS);
    memset(g.slots, 0, sizeof(g.slots));
    memset(before, -1, sizeof(before));
    for (int k = 0; k < old->n_places; k++)
        before[old->places[k].word] = (int16_t)old->places[k].group;
    for (size_t i = 0; i < n_words; i++) {
        const uint32_t amount = words[i] - base[i];
        const int n = g.n;
        int group;

        if (before[i] < 0 && amount == 0)
            continue;
        group = group_of(&g, before[i], amount);
        if (group == g.most)
            return -1;
        *(g.n > n ? &first[n] : &others[n_others++]) = (struct place){(uint16_t)i, (uint16_t)group};
    }
    memcpy(first + g.n, others, (size_t)n_others * sizeof(*others));
    made.n_groups = g.n;
    made.n_places = g.n + n_others;
    for (int i = 0; i < g.n; i++)
        amounts[i] = g.groups[i].amount;
    return add_pattern(all, &made, bytes, first);
}

/* The stack becomes a template. @return a pattern without places; -1: as add_pattern() */
static int add_template(struct lpi_images *all, const void *stack, size_t bytes)
{
    const int i = all->n_templates;
    char *copy = i < LPI_TEMPLATES ? take(all, round_up(bytes)) : NULL;

    if (copy == NULL)
        return -1;
    memcpy(copy, stack, bytes);
    all->templates[i].stack = copy;
    all->templates[i].bytes = bytes;
    all->n_templates++;
    return add_pattern(all, &(struct lpi_pattern){.base = i}, bytes, NULL);
}

/* Put a pattern in front of the recent ones. It replaces the k-th, which it refines or is; the last, if
 * there is no k-th. */
static void put_first(struct lpi_images *all, int k, int pattern)
{
    if (k >= LPI_RECENT_PATTERNS)
        k = LPI_RECENT_PATTERNS - 1;
    memmove(all->recent + 1, all->recent, (size_t)k * sizeof(all->recent[0]));
    all->recent[0] = pattern;
}

/* Find a pattern for a stack, and its amounts: a recent one that fits or can be refined, or else that of a
 * new template. @return its index; -1: as add_pattern() */
static int pattern_for(struct lpi_images *all, const void *stack, size_t bytes, uint32_t *amounts)
{
    int found = -1, k = 0;

    for (; k < all->n_recent; k++) {
        const struct lpi_pattern *p = all->patterns[all->recent[k]];

        if (all->templates[p->base].bytes != bytes)
            continue;
        if (fits(all, p, stack, bytes, amounts)) {
            found = all->recent[k];
            break;
        }
        found = refine(all, p, stack, bytes, amounts);
        if (found >= 0)
            break;
    }
    if (found < 0) {
        found = add_template(all, stack, bytes);
        all->n_recent += found >= 0 && all->n_recent < LPI_RECENT_PATTERNS;
    }
    if (found >= 0)
        put_first(all, k, found);
    return found;
}

struct lpi_image *lpi_image_save(struct lpi_images *all, struct lpi_image *last, const void *stack,
                                 size_t bytes)
{
    uint32_t amounts[MOST_GROUPS];
    struct lpi_image *image;
    int pattern = -1;
    size_t n = bytes;

    if (!all->whole && bytes <= MOST_WORDS * sizeof(word))
        pattern = pattern_for(all, stack, bytes, amounts);
    if (pattern >= 0)
        n = (size_t)all->patterns[pattern]->n_groups * sizeof(amounts[0]);
    image = make_space(all, last, n);
    if (image == NULL)
        return NULL;
    if (n > 0)
        memcpy(image->memory, pattern >= 0 ? (const void *)amounts : stack, n);
    image->stack_bytes = (uint32_t)bytes;
    image->pattern = (int16_t)pattern;
    return image;
}

void lpi_image_restore(const struct lpi_images *all, const struct lpi_image *image, void *stack)
{
    const uint32_t *amounts = (const void *)image->memory;
    const struct lpi_pattern *p;
    word *words = stack;

    if (image->pattern < 0) {
        memcpy(stack, image->memory, image->stack_bytes);
        return;
    }
    p = all->patterns[image->pattern];
    memcpy(stack, all->templates[p->base].stack, image->stack_bytes);
    for (int i = 0; i < p->n_places; i++)
        words[p->places[i].word] += amounts[p->places[i].group];
}

struct lpi_image *lpi_image_whole(struct lpi_images *all, struct lpi_image *image)
{
    struct lpi_image *whole;

    if (image->pattern < 0)
        return image;
    whole = make_space(all, NULL, image->stack_bytes);
    if (whole == NULL)
        return NULL;
    lpi_image_restore(all, image, whole->memory);
    whole->stack_bytes = image->stack_bytes;
    whole->pattern = -1;
    lpi_image_free(all, image);
    return whole;
}

void lpi_images_fini(struct lpi_images *all)
{
    for (int i = 0; i < all->n_patterns; i++)
        free(all->patterns[i]);
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
