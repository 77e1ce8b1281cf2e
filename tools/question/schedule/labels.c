/* SPDX-License-Identifier: MIT */
/* Labels: a hash table of the names of one rank. */
#include "question/schedule/reading.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

/* Return the slot of a name, or the free slot for it. */
static struct label *place_of(const struct labels *l, struct name name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    size_t i;

    for (i = 0; i < name.n; i++)
        hash = (hash ^ (unsigned char)name.at[i]) * UINT64_C(0x100000001b3);
    i = (size_t)(hash ^ hash >> 32) & (l->capacity - 1);
    while (l->all[i].name.at != NULL &&
           (l->all[i].name.n != name.n || memcmp(l->all[i].name.at, name.at, name.n) != 0))
        i = (i + 1) & (l->capacity - 1);
    return &l->all[i];
}

bool add_label(struct labels *l, struct name name, int64_t step)
{
    struct label *place;

    if (l->n >= l->capacity / 2) {
        struct labels larger = {.n = l->n, .capacity = l->capacity > 0 ? 2 * l->capacity : 64};

        larger.all = need(calloc(larger.capacity, sizeof(*larger.all)));
        for (size_t i = 0; i < l->capacity; i++)
            if (l->all[i].name.at != NULL)
                *place_of(&larger, l->all[i].name) = l->all[i];
        free(l->all);
        *l = larger;
    }
    place = place_of(l, name);
    if (place->name.at != NULL)
        return false;
    *place = (struct label){name, step};
    l->n++;
    return true;
}

int64_t find_label(const struct labels *l, struct name name)
{
    const struct label *place = l->capacity > 0 ? place_of(l, name) : NULL;

    return place != NULL && place->name.at != NULL ? place->step : -1;
}

void forget_labels(struct labels *l)
{
    free(l->all);
    *l = (struct labels){.n = 0};
}
