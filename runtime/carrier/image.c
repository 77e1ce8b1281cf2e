/* SPDX-License-Identifier: MIT */
/* Stacks set aside: see image.h. */
#include "carrier/image.h"

#include "host/host.h"

#include <endian.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 32 << 20,
    LARGE = (LPI_IMAGE_CLASSES - 1) * LPI_IMAGE_ROUND, /* larger ones come from malloc */
    MOST_WORDS = 2048,                                 /* longer stacks are saved as a whole */
    MOST_GROUPS = 256,
    RENEW = 64,   /* stacks of a place, after which it gets another template */
    PATIENCE = 4, /* stacks in a row that do not fit the usual pattern of their place */
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

/* Whether there is space for this number of bytes, header included. A large image that is over 8
 * times too large does not count. */
static bool has_space(const struct lpi_image *image, size_t bytes)
{
    size_t capacity;

    if (image->class > 0)
        return bytes <= (size_t)image->class * LPI_IMAGE_ROUND;
    capacity = malloc_usable_size((void *)image);
    return bytes <= capacity && capacity / 8 <= bytes;
}

/* An image of this number of bytes, header included, which takes the place of the last one. NULL:
 * no memory */
static struct lpi_image *make_space(struct lpi_images *all, struct lpi_image *last, size_t bytes)
{
    const size_t capacity = round_up(bytes);
    struct lpi_image *image;

    if (last != NULL && has_space(last, bytes))
        return last;
    image = (struct lpi_image *)take(all, capacity);
    if (image == NULL)
        return NULL;
    image->class = capacity <= LARGE ? (uint16_t)(capacity / LPI_IMAGE_ROUND) : 0;
    lpi_image_free(all, last);
    return image;
}

static struct lpi_whole_image *whole_of(struct lpi_image *image)
{
    return (struct lpi_whole_image *)image;
}

/* ---- patterns ---- */

/*
 * The words that differ between stacks that wait at the same place, in groups that differ by the
 * same amount: all pointers into the vp's own structures, all times. Many amounts are a multiple of
 * the difference of the ranks: addresses in arrays by rank. So an image holds one amount for each
 * group of words that is not linear in the rank.
 */
struct lpi_pattern {
    int base; /* template */
    int n_places, n_groups, n_linear;
    struct place {
        uint16_t word, group;
    } * places; /* the words that differ: the first of each group, by group, then the others */
    uint32_t *slopes; /* of the first n_linear groups: the amount for each rank more */
    uint64_t same[];  /* by two words: the bits that do not differ */
};

/* A word of a stack, of any type. */
typedef uint32_t __attribute__((may_alias)) word;
typedef uint64_t __attribute__((may_alias)) two_words;

/* The amounts of the linear groups of a rank. */
static void follow_rank(const struct lpi_images *all, const struct lpi_pattern *p, int rank,
                        uint32_t *amounts)
{
    const uint32_t distance = (uint32_t)rank - (uint32_t)all->templates[p->base].rank;

    for (int k = 0; k < p->n_linear; k++)
        amounts[k] = p->slopes[k] * distance;
}

/* @return its index; -1: there are too many, or there is no memory */
static int add_pattern(struct lpi_images *all, const struct lpi_pattern *like, size_t bytes,
                       const struct place *places, const uint32_t *slopes)
{
    const size_t n = (size_t)like->n_places, n_linear = (size_t)like->n_linear;
    struct lpi_pattern *p;

    if (all->n_patterns == LPI_PATTERNS)
        return -1;
    p = malloc(sizeof(*p) + bytes + n_linear * sizeof(*slopes) + n * sizeof(*places));
    if (p == NULL)
        return -1;
    *p = *like;
    memset(p->same, 0xff, bytes);
    p->slopes = (uint32_t *)(p->same + bytes / sizeof(p->same[0]));
    p->places = (struct place *)(p->slopes + n_linear);
    for (size_t i = 0; i < n_linear; i++)
        p->slopes[i] = slopes[i];
    for (size_t i = 0; i < n; i++) {
        p->places[i] = places[i];
        memset((char *)p->same + places[i].word * sizeof(word), 0, sizeof(word));
    }
    all->patterns[all->n_patterns] = p;
    return all->n_patterns++;
}

/* The bits that differ in two words, of those that are the same in all stacks of a pattern. */
static uint64_t difference(const two_words *stack, const two_words *base, const uint64_t *same)
{
    return (*stack ^ *base) & *same;
}

/* Whether all words that differ from the template do so as in the pattern. Then the amounts go to
 * `amounts`. */
static bool fits(const struct lpi_images *all, const struct lpi_pattern *p, int rank,
                 const void *stack, size_t bytes, uint32_t *amounts)
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
    follow_rank(all, p, rank, amounts);
    for (int k = p->n_linear; k < p->n_groups; k++)
        amounts[k] = words[p->places[k].word] - base[p->places[k].word];
    for (int k = 0; k < p->n_places; k++) {
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

/* Whether the amount of a group is a multiple of `distance`, the difference of the ranks, in all
 * stacks so far. slope: the amount for each rank more. */
static bool is_linear(const struct lpi_pattern *old, int before, uint32_t amount, uint32_t distance,
                      uint32_t *slope)
{
    if (before >= old->n_linear) /* it was not */
        return false;
    if (before >= 0) {
        *slope = old->slopes[before];
        return amount == *slope * distance;
    }
    if (distance == 0)
        return false;
    *slope = distance == UINT32_MAX ? -amount /* INT32_MIN / -1 would overflow */
                                    : (uint32_t)((int32_t)amount / (int32_t)distance);
    return amount == *slope * distance;
}

/* Number the groups anew, the linear ones first. @return how many of them there are */
static int put_linear_first(const struct lpi_pattern *old, const struct grouping *g,
                            uint32_t distance, uint16_t *numbers, uint32_t *slopes)
{
    bool linear[MOST_GROUPS];
    int n = 0, at;

    for (int i = 0; i < g->n; i++) {
        linear[i] = is_linear(old, g->groups[i].before, g->groups[i].amount, distance, &slopes[n]);
        if (linear[i])
            numbers[i] = (uint16_t)n++;
    }
    at = n;
    for (int i = 0; i < g->n; i++)
        if (!linear[i])
            numbers[i] = (uint16_t)at++;
    return n;
}

/* The coarsest pattern that fits this stack and all that `old` fits, but guesses that words which
 * begin to differ are linear in the rank; and the amounts of this stack.
 * @return its index; -1: it has more groups than a sixth of the words, or as add_pattern() */
static int refine(struct lpi_images *all, const struct lpi_pattern *old, int rank,
                  const void *stack, size_t bytes, uint32_t *amounts)
{
    const size_t n_words = bytes / sizeof(word);
    const word *words = stack;
    const word *base = (const void *)all->templates[old->base].stack;
    const uint32_t distance = (uint32_t)rank - (uint32_t)all->templates[old->base].rank;
    struct lpi_pattern made = {.base = old->base};
    struct place places[MOST_WORDS], others[MOST_WORDS];
    int16_t before[MOST_WORDS]; /* by word: its group in old; -1: none */
    uint16_t first[MOST_GROUPS], numbers[MOST_GROUPS];
    uint32_t slopes[MOST_GROUPS];
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
        if (g.n > n)
            first[n] = (uint16_t)i;
        else
            others[n_others++] = (struct place){(uint16_t)i, (uint16_t)group};
    }
    made.n_linear = put_linear_first(old, &g, distance, numbers, slopes);
    made.n_groups = g.n;
    made.n_places = g.n + n_others;
    for (int i = 0; i < g.n; i++) {
        amounts[numbers[i]] = g.groups[i].amount;
        places[numbers[i]] = (struct place){first[i], numbers[i]};
    }
    for (int i = 0; i < n_others; i++)
        places[g.n + i] = (struct place){others[i].word, numbers[others[i].group]};
    return add_pattern(all, &made, bytes, places, slopes);
}

/* The stack becomes a template. @return a pattern without places; -1: as add_pattern() */
static int add_template(struct lpi_images *all, int rank, const void *stack, size_t bytes)
{
    const int i = all->n_templates;
    char *copy = i < LPI_TEMPLATES ? take(all, round_up(bytes)) : NULL;

    if (copy == NULL)
        return -1;
    memcpy(copy, stack, bytes);
    all->templates[i].stack = copy;
    all->templates[i].bytes = bytes;
    all->templates[i].rank = rank;
    all->n_templates++;
    return add_pattern(all, &(struct lpi_pattern){.base = i}, bytes, NULL, NULL);
}

/* Put a place in front of the recent ones. It replaces the k-th; the last, if there is no k-th. */
static void put_first(struct lpi_images *all, int k, struct lpi_recent place)
{
    if (k >= LPI_RECENT)
        k = LPI_RECENT - 1;
    memmove(all->recent + 1, all->recent, (size_t)k * sizeof(all->recent[0]));
    all->recent[0] = place;
}

/* The usual pattern of a place, or the one for all stacks. Every stack that fits neither refines the
 * latter. It refines the former only after several such stacks in a row, so that rare stacks do not
 * make all images larger.
 * @return its index; -1: as refine() */
static int pattern_of(struct lpi_images *all, struct lpi_recent *place, int rank, const void *stack,
                      size_t bytes, uint32_t *amounts)
{
    const bool again = place->misfits == PATIENCE;
    int *which = again ? &place->usual : &place->all;
    int refined;

    if (fits(all, all->patterns[place->usual], rank, stack, bytes, amounts)) {
        place->misfits = 0;
        return place->usual;
    }
    place->misfits = again ? 0 : place->misfits + 1;
    if (!again && fits(all, all->patterns[place->all], rank, stack, bytes, amounts))
        return place->all;
    refined = refine(all, all->patterns[*which], rank, stack, bytes, amounts);
    if (refined >= 0)
        *which = refined;
    return refined;
}

/* Find a pattern for a stack, and its amounts: one of a recent place, or else that of a new template.
 * The first stacks of a place are often unlike all others, so a later one becomes its template.
 * @return its index; -1: as add_pattern() */
static int pattern_for(struct lpi_images *all, int rank, const void *stack, size_t bytes,
                       uint32_t *amounts)
{
    struct lpi_recent place;
    int found = -1, k = 0, n = 0;

    for (; k < all->n_recent && found < 0; k++) {
        place = all->recent[k];
        if (all->templates[all->patterns[place.usual]->base].bytes != bytes)
            continue;
        n = place.n + (place.n <= RENEW);
        if (n == RENEW)
            break;
        place.n = n;
        found = pattern_of(all, &place, rank, stack, bytes, amounts);
        if (found >= 0)
            break;
    }
    if (found < 0) {
        found = add_template(all, rank, stack, bytes);
        if (found < 0)
            return -1;
        place = (struct lpi_recent){.usual = found, .all = found, .n = k < all->n_recent ? n : 0};
        all->n_recent += k == all->n_recent && k < LPI_RECENT;
    }
    put_first(all, k, place);
    return found;
}

/* ---- amounts ---- */

/* Each amount has a code of two bits for its number of bytes. All codes come first, then the
 * bytes. */
enum { CODES_PER_BYTE = 4, CODE_BITS = 2, CODE_MASK = 3 };
static const unsigned char width_of[] = {0, 1, 2, 4};

static unsigned code_of(uint32_t amount)
{
    const int32_t n = (int32_t)amount;

    return n == 0 ? 0 : n == (int8_t)n ? 1 : n == (int16_t)n ? 2 : 3;
}

static size_t code_bytes(int n)
{
    return ((size_t)n + CODES_PER_BYTE - 1) / CODES_PER_BYTE;
}

/* Write n amounts to `out`. @return the bytes */
static size_t encode(const uint32_t *amounts, int n, unsigned char *out)
{
    unsigned char *at = out + code_bytes(n);

    memset(out, 0, code_bytes(n));
    for (int i = 0; i < n; i++) {
        const unsigned code = code_of(amounts[i]);
        const uint32_t amount = htole32(amounts[i]);

        out[i / CODES_PER_BYTE] |= (unsigned char)(code << i % CODES_PER_BYTE * CODE_BITS);
        memcpy(at, &amount, sizeof(amount)); /* the next amount overwrites unused bytes */
        at += width_of[code];
    }
    return (size_t)(at - out);
}

static void decode(const unsigned char *in, int n, uint32_t *amounts)
{
    const unsigned char *at = in + code_bytes(n);

    for (int i = 0; i < n; i++) {
        const unsigned code = in[i / CODES_PER_BYTE] >> i % CODES_PER_BYTE * CODE_BITS & CODE_MASK;
        uint32_t amount = 0;

        memcpy(&amount, at, width_of[code]);
        amount = le32toh(amount);
        amounts[i] = code == 1   ? (uint32_t)(int8_t)amount
                     : code == 2 ? (uint32_t)(int16_t)amount
                                 : amount;
        at += width_of[code];
    }
}

/* ---- images ---- */

static struct lpi_image *save_whole(struct lpi_images *all, struct lpi_image *last,
                                    const void *stack, size_t bytes)
{
    struct lpi_image *image = make_space(all, last, sizeof(struct lpi_whole_image) + bytes);

    if (image == NULL)
        return NULL;
    image->pattern = -1;
    whole_of(image)->bytes = (uint32_t)bytes;
    memcpy(whole_of(image)->stack, stack, bytes);
    return image;
}

struct lpi_image *lpi_image_save(struct lpi_images *all, struct lpi_image *last, int rank,
                                 const void *stack, size_t bytes)
{
    uint32_t amounts[MOST_GROUPS];
    unsigned char coded[MOST_GROUPS / CODES_PER_BYTE + sizeof(amounts)];
    const struct lpi_pattern *p;
    struct lpi_image *image;
    int pattern = -1;
    size_t n;

    if (!all->whole && bytes <= MOST_WORDS * sizeof(word))
        pattern = pattern_for(all, rank, stack, bytes, amounts);
    if (pattern < 0)
        return save_whole(all, last, stack, bytes);
    p = all->patterns[pattern];
    n = encode(amounts + p->n_linear, p->n_groups - p->n_linear, coded);
    image = make_space(all, last, sizeof(*image) + n);
    if (image == NULL)
        return NULL;
    image->pattern = (int16_t)pattern;
    memcpy(image->amounts, coded, n);
    return image;
}

size_t lpi_image_bytes(const struct lpi_images *all, const struct lpi_image *image)
{
    return image->pattern < 0 ? ((const struct lpi_whole_image *)image)->bytes
                              : all->templates[all->patterns[image->pattern]->base].bytes;
}

void lpi_image_restore(const struct lpi_images *all, const struct lpi_image *image, int rank,
                       void *stack)
{
    const size_t bytes = lpi_image_bytes(all, image);
    const struct lpi_pattern *p;
    uint32_t amounts[MOST_GROUPS];
    word *words = stack;

    if (image->pattern < 0) {
        memcpy(stack, ((const struct lpi_whole_image *)image)->stack, bytes);
        return;
    }
    p = all->patterns[image->pattern];
    memcpy(stack, all->templates[p->base].stack, bytes);
    follow_rank(all, p, rank, amounts);
    decode(image->amounts, p->n_groups - p->n_linear, amounts + p->n_linear);
    for (int i = 0; i < p->n_places; i++)
        words[p->places[i].word] += amounts[p->places[i].group];
}

struct lpi_whole_image *lpi_image_whole(struct lpi_images *all, struct lpi_image *image, int rank)
{
    const size_t bytes = lpi_image_bytes(all, image);
    struct lpi_image *whole;

    if (image->pattern < 0)
        return whole_of(image);
    whole = make_space(all, NULL, sizeof(struct lpi_whole_image) + bytes);
    if (whole == NULL)
        return NULL;
    lpi_image_restore(all, image, rank, whole_of(whole)->stack);
    whole->pattern = -1;
    whole_of(whole)->bytes = (uint32_t)bytes;
    lpi_image_free(all, image);
    return whole_of(whole);
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
