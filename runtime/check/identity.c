/* SPDX-License-Identifier: MIT */
/* Identities of the answers of a run: see kit.h. */
#include "kit.h"

#include <string.h>

static uint64_t name_of(const struct logp_alternative *a)
{
    const uint64_t fields[] = {(uint64_t)a->kind,
                               (uint64_t)(uint32_t)a->rank,
                               (uint64_t)(uint32_t)a->source,
                               (uint64_t)(uint32_t)a->tag,
                               (uint64_t)(uint32_t)(a->kind != LOGP_MISS ? a->index : 0),
                               a->context,
                               a->request,
                               (uint64_t)lpi_kit_passed(a)};
    uint64_t name = 0;

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        name = lpi_kit_mix(name ^ fields[i]);
    return name | 1;
}

/* The place of this name, or where it belongs. There is a free place. */
static struct lpi_seen *find(const struct lpi_identities *ids, uint64_t name)
{
    const uint64_t mask = (uint64_t)ids->capacity - 1;
    uint64_t i = name & mask;

    while (ids->seen[i].name != 0 && ids->seen[i].name != name)
        i = (i + 1) & mask;
    return &ids->seen[i];
}

static bool grow(struct lpi_identities *ids)
{
    const struct lpi_identities old = *ids;

    ids->capacity = old.capacity > 0 ? 2 * old.capacity : 256;
    ids->seen = calloc((size_t)ids->capacity, sizeof(*ids->seen));
    if (ids->seen == NULL) {
        *ids = old;
        return false;
    }
    for (int i = 0; i < old.capacity; i++)
        if (old.seen[i].name != 0)
            *find(ids, old.seen[i].name) = old.seen[i];
    free(old.seen);
    return true;
}

void lpi_identities_begin(struct lpi_identities *ids)
{
    if (ids->n_seen > 0)
        memset(ids->seen, 0, (size_t)ids->capacity * sizeof(*ids->seen));
    ids->n_seen = 0;
}

static uint64_t turn_of(const struct lpi_identities *ids, const struct logp_alternative *a)
{
    const uint64_t name = name_of(a);

    return lpi_kit_mix(name + (ids->capacity > 0 ? find(ids, name)->n : 0));
}

uint64_t lpi_identity(const struct lpi_identities *ids, const struct logp_alternative *a, int i)
{
    return lpi_kit_mix(turn_of(ids, &a[i]) ^ lpi_kit_mix(turn_of(ids, &a[0])));
}

uint64_t lpi_identity_of_event(const struct logp_fault_event *event)
{
    uint64_t what = lpi_kit_mix((uint64_t)(uint32_t)event->src);

    what = lpi_kit_mix(what ^ (uint64_t)(uint32_t)event->dst);
    what = lpi_kit_mix(what ^ event->number);
    return event->kind != NULL ? lpi_kit_mix(what ^ (uint64_t)(unsigned char)event->kind[0]) : what;
}

bool lpi_identities_take(struct lpi_identities *ids, const struct logp_alternative *a)
{
    const uint64_t name = name_of(a);
    struct lpi_seen *s;

    if (2 * ids->n_seen >= ids->capacity && !grow(ids))
        return false;
    s = find(ids, name);
    ids->n_seen += s->name == 0;
    s->name = name;
    s->n++;
    return true;
}
