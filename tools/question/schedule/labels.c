/* SPDX-License-Identifier: MIT */
/*
 * The labels of one rank of a GOAL file, and their operations. Labels of one word and a number, as l1,
 * l2, ..., are an array by number while the numbers are dense; all others are in a hash table with
 * their names.
 */
#include "question/schedule/reading.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORD = sizeof(((struct labels *)0)->word), MOST_DIGITS = 9 };

/* The number at the end of a name, from `word` on: without leading zeros. @return false: there is
 * none */
static bool number_at(struct name name, size_t word, uint32_t *number)
{
    uint32_t n = 0;

    if (name.n == word || name.n - word > MOST_DIGITS ||
        (name.at[word] == '0' && name.n > word + 1))
        return false;
    for (size_t i = word; i < name.n; i++) {
        if (name.at[i] < '0' || name.at[i] > '9')
            return false;
        n = 10 * n + (uint32_t)(name.at[i] - '0');
    }
    *number = n;
    return true;
}

/* The array is for names of one word, that of the first name that has a number. */
static void begin_numbers(struct labels *l, struct name name)
{
    size_t word = name.n;
    uint32_t number;

    while (word > 1 && name.at[word - 1] >= '0' && name.at[word - 1] <= '9')
        word--;
    if (word > MOST_WORD || !number_at(name, word, &number))
        return;
    memcpy(l->word, name.at, word);
    l->n_word = word;
    l->first = number;
}

/* The place in the array; SIZE_MAX: the name is not of the word of this rank. */
static size_t place_of(const struct labels *l, struct name name)
{
    uint32_t number;

    if (l->n_word == 0 || name.n <= l->n_word || memcmp(name.at, l->word, l->n_word) != 0 ||
        !number_at(name, l->n_word, &number) || number < l->first)
        return SIZE_MAX;
    return number - l->first;
}

/* Whether the array may grow to a place: it stays at least a quarter full. */
static bool is_dense(const struct labels *l, size_t place)
{
    return place < 4 * l->n_numbered + 64;
}

static bool add_numbered(struct labels *l, size_t place, int64_t step)
{
    while (place >= l->by_number_capacity) {
        const size_t had = l->by_number_capacity, more = had > 0 ? 2 * had : 64;

        l->by_number = need(realloc(l->by_number, more * sizeof(*l->by_number)));
        memset(l->by_number + had, 0, (more - had) * sizeof(*l->by_number));
        l->by_number_capacity = more;
    }
    if (l->by_number[place] != 0)
        return false;
    l->by_number[place] = (uint32_t)step + 1;
    l->n_numbered++;
    if (place >= l->n_places)
        l->n_places = place + 1;
    return true;
}

/* ---- names ---- */

static size_t hash(struct name name)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

    for (size_t i = 0; i < name.n; i++)
        h = (h ^ (unsigned char)name.at[i]) * UINT64_C(0x100000001b3);
    return (size_t)(h ^ h >> 32);
}

/* The place of a name, or a free one for it. */
static struct label *find(const struct labels *l, struct name name)
{
    size_t i = hash(name) & (l->capacity - 1);

    for (; l->all[i].n > 0; i = (i + 1) & (l->capacity - 1))
        if (l->all[i].n == name.n && memcmp(l->names + l->all[i].at, name.at, name.n) == 0)
            break;
    return &l->all[i];
}

static void grow(struct labels *l)
{
    struct labels larger = *l;

    if (l->n < l->capacity / 4 * 3)
        return;
    larger.capacity = l->capacity > 0 ? 2 * l->capacity : 64;
    larger.all = need(calloc(larger.capacity, sizeof(*larger.all)));
    for (size_t i = 0; i < l->capacity; i++)
        if (l->all[i].n > 0)
            *find(&larger, (struct name){l->names + l->all[i].at, l->all[i].n}) = l->all[i];
    free(l->all);
    *l = larger;
}

size_t keep_name(struct labels *l, struct name name)
{
    const size_t at = l->n_names;

    while (l->n_names + name.n > l->names_capacity) {
        l->names_capacity = l->names_capacity > 0 ? 2 * l->names_capacity : 1024;
        l->names = need(realloc(l->names, l->names_capacity));
    }
    memcpy(l->names + at, name.at, name.n);
    l->n_names += name.n;
    return at;
}

struct name kept_name(const struct labels *l, size_t at, size_t n)
{
    return (struct name){l->names + at, n};
}

/* ---- both ---- */

/* @param place  place_of() the name */
static int64_t find_at(const struct labels *l, struct name name, size_t place)
{
    const struct label *found;

    if (place < l->n_places && l->by_number[place] != 0)
        return (int64_t)l->by_number[place] - 1;
    if (l->n == 0)
        return -1;
    found = find(l, name);
    return found->n > 0 ? (int64_t)found->step : -1;
}

int64_t find_label(const struct labels *l, struct name name)
{
    return find_at(l, name, place_of(l, name));
}

bool add_label(struct labels *l, struct name name, int64_t step)
{
    struct label *label;
    size_t place;

    if (l->n_word == 0)
        begin_numbers(l, name);
    place = place_of(l, name);
    if (find_at(l, name, place) >= 0)
        return false;
    if (place != SIZE_MAX && is_dense(l, place))
        return add_numbered(l, place, step);
    grow(l);
    label = find(l, name);
    *label = (struct label){keep_name(l, name), (uint32_t)name.n, (uint32_t)step};
    l->n++;
    return true;
}

void forget_labels(struct labels *l)
{
    if (l->capacity > 0)
        memset(l->all, 0, l->capacity * sizeof(*l->all));
    if (l->n_places > 0)
        memset(l->by_number, 0, l->n_places * sizeof(*l->by_number));
    l->n = l->n_names = l->n_word = l->n_places = l->n_numbered = 0;
    l->first = 0;
}

void free_labels(struct labels *l)
{
    free(l->all);
    free(l->names);
    free(l->by_number);
    *l = (struct labels){0};
}
