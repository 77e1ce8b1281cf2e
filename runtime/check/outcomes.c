/* SPDX-License-Identifier: MIT */
/*
 * The number of different outcomes of the runs of a search. The outcome of a run consists of the
 * events that each vp has seen in it: its receives, the hits and misses of its polls, its choices,
 * the value that it has returned, and for each shared object the order of the vps that touched it.
 * Its hash is the sum of the vps' hashes, so the order of events of different vps does not matter.
 * Hashes are kept in a table with linear probing, up to MOST of them.
 */
#include "kit.h"

enum { FIRST = 256, MOST = 1 << 20 };

/* ---- the outcome of a run ---- */

bool lpi_views_begin(struct lpi_views *v, int P)
{
    if (!LPI_GROW(v->of, v->capacity, P))
        return false;
    v->P = P;
    lpi_views_reset(v);
    return true;
}

void lpi_views_reset(struct lpi_views *v)
{
    for (int i = 0; i < v->P; i++)
        v->of[i] = (uint64_t)i;
    for (int i = 0; i < LPI_VIEWS_KEYS; i++)
        v->touched[i] = 0;
}

void lpi_views_note_other(struct lpi_views *v, const struct logp_note *n)
{
    uint64_t what = (uint64_t)n->value;

    if (n->kind == LOGP_NOTE_COMPUTED || n->kind == LOGP_NOTE_WAITED ||
        (n->kind >= LOGP_NOTE_ASKED && n->kind != LOGP_NOTE_TOO_LATE))
        return;
    if (n->kind == LOGP_NOTE_TOUCHED) {
        uint64_t *key = &v->touched[what % LPI_VIEWS_KEYS];

        *key = lpi_kit_mix(*key ^ (uint64_t)(n->rank + 1));
        what = *key;
    }
    lpi_views_add(v, n->rank, what << 4 | (uint64_t)n->kind);
}

uint64_t lpi_views_hash(const struct lpi_views *v)
{
    uint64_t sum = 0;

    for (int i = 0; i < v->P; i++)
        sum += lpi_kit_mix(v->of[i] + (uint64_t)i);
    return sum != 0 ? sum : 1; /* 0 is an empty slot */
}

/* ---- all outcomes ---- */

/* @return whether the hash is a new one */
static bool insert(struct lpi_known *slots, uint64_t capacity, struct lpi_known x)
{
    uint64_t at = x.hash & (capacity - 1);

    while (slots[at].hash != 0) {
        if (slots[at].hash == x.hash) {
            slots[at].run = x.run < slots[at].run ? x.run : slots[at].run;
            return false;
        }
        at = (at + 1) & (capacity - 1);
    }
    slots[at] = x;
    return true;
}

/* Twice the slots. @return false: no memory */
static bool grow(struct lpi_outcomes *o)
{
    const uint64_t capacity = o->capacity > 0 ? 2 * o->capacity : FIRST;
    struct lpi_known *slots = calloc(capacity, sizeof(*slots));

    if (slots == NULL)
        return false;
    for (uint64_t i = 0; i < o->capacity; i++)
        if (o->slots[i].hash != 0)
            insert(slots, capacity, o->slots[i]);
    free(o->slots);
    o->slots = slots;
    o->capacity = capacity;
    return true;
}

static bool add(struct lpi_outcomes *o, struct lpi_known x)
{
    if (o->n >= MOST || (2 * o->n >= o->capacity && !grow(o)) || !insert(o->slots, o->capacity, x))
        return false;
    o->n++;
    return true;
}

bool lpi_outcomes_add(struct lpi_outcomes *o, uint64_t hash, uint64_t run)
{
    return add(o, (struct lpi_known){hash, run});
}

bool lpi_outcomes_write(const struct lpi_outcomes *o, FILE *f)
{
    for (uint64_t i = 0; i < o->capacity; i++)
        if (o->slots[i].hash != 0 && fwrite(&o->slots[i], sizeof(o->slots[i]), 1, f) != 1)
            return false;
    return fflush(f) == 0;
}

bool lpi_outcomes_read(struct lpi_outcomes *o, FILE *f)
{
    struct lpi_known x;

    rewind(f);
    while (fread(&x, sizeof(x), 1, f) == 1)
        if (!add(o, x) && o->slots == NULL)
            return false;
    return ferror(f) == 0;
}

void lpi_outcomes_free(struct lpi_outcomes *o)
{
    free(o->slots);
    *o = (struct lpi_outcomes){0};
}
