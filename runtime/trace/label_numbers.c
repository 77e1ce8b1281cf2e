/* SPDX-License-Identifier: MIT */
/* Texts by number: see trace.h. Most calls ask for the text of the call before. */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

static bool is(const char *text, const char *first, const char *second)
{
    const size_t n = strlen(first);

    if (strncmp(text, first, n) != 0)
        return false;
    return second == NULL ? text[n] == '\0' : text[n] == '/' && strcmp(text + n + 1, second) == 0;
}

/* FNV-1a: Fowler, Noll, Vo. */
static uint32_t hash_on(uint32_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT32_C(16777619);
    return hash;
}

static uint32_t hash_of(const char *first, const char *second)
{
    const uint32_t hash = hash_on(UINT32_C(2166136261), first);

    return second == NULL ? hash : hash_on(hash_on(hash, "/"), second);
}

/* The slot of a text, or the free slot for it. */
static uint32_t *find(const struct lpi_labels *l, const char *first, const char *second)
{
    for (uint32_t at = hash_of(first, second);; at++) {
        uint32_t *slot = &l->slots[at & (l->n_slots - 1)];

        if (*slot == 0 || is(l->texts[*slot - 1], first, second))
            return slot;
    }
}

/* Make space for one more text. */
static bool grow(struct lpi_labels *l)
{
    const uint32_t n_slots = l->n_slots > 0 ? 2 * l->n_slots : 16;
    uint32_t *slots;
    char **texts;

    if (2 * (l->n + 1) < l->n_slots)
        return true;
    texts = realloc(l->texts, n_slots / 2 * sizeof(char *));
    if (texts == NULL)
        return false;
    l->texts = texts;
    slots = calloc(n_slots, sizeof(*slots));
    if (slots == NULL)
        return false;
    free(l->slots);
    l->slots = slots;
    l->n_slots = n_slots;
    for (uint32_t i = 0; i < l->n; i++)
        *find(l, l->texts[i], NULL) = i + 1;
    return true;
}

static char *joined(const char *first, const char *second)
{
    const size_t n = strlen(first), more = second != NULL ? 1 + strlen(second) : 0;
    char *text = malloc(n + more + 1);

    if (text == NULL)
        return NULL;
    memcpy(text, first, n + 1);
    if (second != NULL) {
        text[n] = '/';
        memcpy(text + n + 1, second, more);
    }
    return text;
}

uint32_t lpi_label_number(struct lpi_labels *l, const char *first, const char *second)
{
    uint32_t *slot;

    if (l->last != 0 && is(l->texts[l->last - 1], first, second))
        return l->last;
    if (!grow(l)) {
        l->lacks = true;
        return 0;
    }
    slot = find(l, first, second);
    if (*slot == 0) {
        l->texts[l->n] = joined(first, second);
        if (l->texts[l->n] == NULL) {
            l->lacks = true;
            return 0;
        }
        *slot = ++l->n;
    }
    l->last = *slot;
    return *slot;
}

const char *lpi_label_text(const struct lpi_labels *l, uint32_t number)
{
    return number >= 1 && number <= l->n ? l->texts[number - 1] : "";
}

void lpi_labels_free(struct lpi_labels *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        free(l->texts[i]);
    free(l->texts);
    free(l->slots);
    *l = (struct lpi_labels){0};
}
