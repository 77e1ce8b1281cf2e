/* SPDX-License-Identifier: MIT */
/*
 * A cache of choices, with the k of each: all processors of a program ask the same question, many
 * times. It serves all machines of the process. An answer does not change once it is stored, so a
 * look-up takes no lock and no reference. The number of places is fixed; an answer without a place
 * is computed each time. The storage is static, so nothing is freed.
 *
 * A place is empty, then claimed by the one thread that fills it, and then ready for ever. A thread
 * that comes meanwhile computes the answer itself. A question is at the first places from its hash
 * on, in the order in which they were claimed: an empty place ends the search.
 */
#include "choice/choice.h"
#include "operand/operand.h"

#include <stdatomic.h>
#include <string.h>

enum { PLACES = 4096, PROBES = 16, WORDS = 32 };

/* All arguments on which the choice depends, and no others: neither tag nor seed, and of the
 * operation its properties, not its address. */
struct question {
    uint64_t word[WORDS];
};

enum { EMPTY, CLAIMED, READY };

static struct place {
    _Alignas(64) _Atomic int state;
    const struct logp_algorithm *best; /* and below: read-only once READY */
    int64_t value;
    const struct logp_algorithm *within, *first;
    int64_t first_k;
    struct question question;
} places[PLACES];

/* Pointers are smaller in the page's WebAssembly, where the sizes do not matter. */
#define HAS_WIDE_POINTERS (sizeof(void *) == 8)

_Static_assert(!HAS_WIDE_POINTERS || sizeof(struct place) == 320, "five cache lines");

static struct question question_of(lpi_chooser choose, const void *what, int64_t P,
                                   const struct logp_invocation *c)
{
    static const struct logp_op none = {.element_bytes = SIZE_MAX, .commutative = true};
    const struct logp_invocation alike = lpi_alike(c);
    const struct logp_args *a = &alike.args;
    const struct logp_params *p = &c->model.params;
    const struct logp_op *op = a->op != NULL ? a->op : &none;

    _Static_assert(!HAS_WIDE_POINTERS ||
                       (sizeof(*a) == 168 + sizeof(a->reserved) && sizeof(*p) == 88),
                   "all fields are looked at; in place or not is all one");
    return (struct question){{(uintptr_t)choose,
                              (uintptr_t)what,
                              (uint64_t)P,
                              lpi_n_added(),
                              (uint64_t)(uint32_t)a->root | (uint64_t)op->commutative << 32,
                              (uintptr_t)op->name,
                              (uintptr_t)op->type,
                              op->element_bytes,
                              a->n_bytes,
                              (uint64_t)a->count,
                              (uint64_t)a->rows,
                              (uint64_t)a->cols,
                              (uint64_t)a->packing | (uint64_t)(c->args.blocks != NULL) << 8 |
                                  (uint64_t)lpi_must_be_same(a) << 9,
                              (uint64_t)a->k,
                              (uint64_t)a->window,
                              (uint64_t)a->block_bytes,
                              (uint64_t)a->pack_ns,
                              (uint64_t)a->work_ns,
                              (uint64_t)a->no_overlap,
                              (uint64_t)p->L_ns,
                              (uint64_t)p->o_send_ns,
                              (uint64_t)p->o_recv_ns,
                              (uint64_t)p->g_ns,
                              (uint64_t)p->G_ps,
                              (uint64_t)p->O_ps,
                              (uint64_t)p->gamma_ps,
                              (uint64_t)p->capacity,
                              (uint64_t)p->gap_shared | (uint64_t)p->store_forward << 1 |
                                  (uint64_t)p->latency_varies << 2 | (uint64_t)p->recv_streams << 3,
                              c->model.number}};
}

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

/* In four parts, which the processor works out side by side. */
static size_t hash_of(const struct question *q)
{
    uint64_t h[4] = {0};

    _Static_assert(WORDS % 4 == 0, "no word is left over");
    for (int i = 0; i < WORDS; i += 4)
        for (int k = 0; k < 4; k++)
            h[k] = mix(h[k], q->word[i + k]);
    return (size_t)mix(mix(mix(h[0], h[1]), h[2]), h[3]);
}

static bool is_for(const struct place *place, const struct question *q)
{
    return memcmp(&place->question, q, sizeof(*q)) == 0;
}

/* NULL: it is not there. */
static const struct place *find(const struct question *q, size_t hash)
{
    for (size_t i = 0; i < PROBES; i++) {
        struct place *place = &places[(hash + i) % PLACES];
        /* acquire: pairs with the release in keep() */
        const int state = atomic_load_explicit(&place->state, memory_order_acquire);

        if (state == EMPTY)
            return NULL;
        if (state == READY && is_for(place, q))
            return place;
    }
    return NULL;
}

static void keep(const struct question *q, size_t hash, const struct lpi_choice *best)
{
    for (size_t i = 0; i < PROBES; i++) {
        struct place *place = &places[(hash + i) % PLACES];
        int state = EMPTY;

        /* acquire: as in find(); where it is claimed, no thread has written there before */
        if (atomic_compare_exchange_strong_explicit(&place->state, &state, CLAIMED,
                                                    memory_order_acquire, memory_order_acquire)) {
            place->best = best->algorithm;
            place->value = best->value;
            place->within = best->within;
            place->first = best->first;
            place->first_k = best->first_k;
            place->question = *q;
            /* release: pairs with the acquire in find() and above */
            atomic_store_explicit(&place->state, READY, memory_order_release);
            return;
        }
        if (state == READY && is_for(place, q))
            return;
    }
}

/* The needs of a plug-in's row may depend on more than the question: then it is asked again. */
int lpi_choice_cached(lpi_chooser choose, const void *what, int64_t P,
                      const struct logp_invocation *c, struct lpi_choice *out)
{
    const struct question q = question_of(choose, what, P, c);
    const size_t hash = hash_of(&q);
    const struct place *place = find(&q, hash);
    int rc;

    if (place != NULL && lpi_is_candidate(place->best, P, c)) {
        *out = (struct lpi_choice){.algorithm = place->best,
                                   .value = place->value,
                                   .within = place->within,
                                   .first = place->first,
                                   .first_k = place->first_k};
        return 0;
    }
    rc = choose(what, P, c, out);
    if (rc == 0 && place == NULL && out->algorithm != NULL)
        keep(&q, hash, out);
    return rc;
}
