/* SPDX-License-Identifier: MIT */
/*
 * --check: type signatures of messages. The signature of a datatype is the sequence of its basic
 * types, here a hash of it: a polynomial, so that the hash of a sequence follows from those of its
 * parts. Half of the 64 bits beside a message are that hash of its data, the other half is the place of
 * the send in the program. 0: unknown. A receive compares it with the hash of as many of its own elements as
 * have arrived; a part of an element is not compared.
 * MPI_PACKED matches all, and types of one size and kind match each other: MPI_LONG and MPI_INT64_T.
 * Source: MPI 3.1, 3.3.1
 */
#include "host.h"

#include <link.h>
#include <string.h>

#define BASE UINT64_C(0x9e3779b97f4a7c15) /* odd, so that no power of it is 0 */

static struct signature then(struct signature a, struct signature b)
{
    return (struct signature){a.sum + a.power * b.sum, a.power * b.power};
}

static struct signature times(struct signature s, size_t n)
{
    struct signature all = {0, 1};

    for (; n > 0; n /= 2) {
        if (n % 2 != 0)
            all = then(s, all); /* equal parts: the order does not count */
        s = then(s, s);
    }
    return all;
}

static struct signature letter(char kind, size_t size)
{
    return (struct signature){((uint64_t)(unsigned char)kind << 8 | size) * BASE >> 7, BASE};
}

static struct signature of_basic(const struct type *t)
{
    static const char pairs[] = "FDPTSG", values[] = "fdlihg";
    const char *pair = t->arithmetic != 0 ? strchr(pairs, t->arithmetic) : NULL;

    return pair == NULL ? letter(t->arithmetic, t->size)
                        : then(letter(values[pair - pairs], t->size - sizeof(int)),
                               letter('i', sizeof(int)));
}

static struct signature of(struct type *t)
{
    struct signature all = {0, 1};

    if (t->kind == TYPE_BASIC) /* ranks share it: nothing is kept there */
        return of_basic(t);
    if (t->signature.power != 0)
        return t->signature;
    if (t->kind == TYPE_VECTOR)
        all = times(of(t->old), t->count * t->block);
    for (size_t i = 0; t->kind == TYPE_BLOCKS && i < t->count; i++)
        all = then(all, times(of(t->olds != NULL ? t->olds[i] : t->old), t->blocks[i]));
    t->signature = all;
    return all;
}

/* 32 bits, not 0; 0: it matches all. */
static uint32_t hash_of(struct rank *r, struct type *t, size_t n)
{
    struct signature s;
    uint32_t hash;

    if (r->signed_last.type == t && r->signed_last.n == n)
        return r->signed_last.hash;
    s = times(of(t), n);
    hash = (uint32_t)((s.sum ^ s.sum >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 32) | 1;
    hash = t->handle == MPI_PACKED ? 0 : hash;
    if (t->references == 0) { /* others may be freed, and another one may have this address */
        r->signed_last.type = t;
        r->signed_last.n = n;
        r->signed_last.hash = hash;
    }
    return hash;
}

uint64_t signature_of(const struct comm *comm, struct type *t, size_t n, void *caller)
{
    uintptr_t place;
    uint32_t hash;

    if (!the_job->checks || n * t->size == 0)
        return 0;
    place = caller != NULL && !the_job->times_calls
                ? (uintptr_t)caller - 1 - comm->owner->host->base
                : 0;
    hash = hash_of(comm->owner, t, n);
    return hash == 0 ? 0 : (uint64_t)hash << 32 | (place <= UINT32_MAX ? place : 0);
}

void check_signature(const struct comm *comm, struct type *t, uint64_t bits, size_t bytes,
                     int source, int tag)
{
    const struct rank *r = comm->owner;
    uintptr_t place;
    char text[1][PLACE_TEXT], here[PLACE_TEXT];
    uint32_t hash;

    if (bits == 0 || bytes == 0 || t->size == 0 || bytes % t->size != 0)
        return;
    hash = hash_of(comm->owner, t, bytes / t->size);
    if (hash == 0 || hash == bits >> 32 ||
        atomic_flag_test_and_set_explicit(&the_job->said.types, memory_order_relaxed))
        return;
    place = bits & UINT32_MAX;
    name_places(the_job, &place, 1, text);
    fflush(stdout);
    fprintf(stderr,
            "rank %d: %s: the message from rank %d with tag %d%s has another type signature than "
            "%s%s; more such messages are not named\n",
            logp_vp_rank(r->vp), r->call, source, tag, text[0],
            t->kind == TYPE_BASIC ? t->name : "this datatype", name_here(here));
}
