/* SPDX-License-Identifier: MIT */
/*
 * --check: type signatures of messages. The signature of a datatype is the sequence of its basic
 * types, here a hash of it: a polynomial, so that the hash of a sequence follows from those of its
 * parts. Half of the 64 bits sent with a message are that hash of its data, the other half is the
 * place of the send in the program. 0: unknown. A receive compares it with the hash of as many of
 * its own elements as have arrived; a part of an element is not compared.
 * The two buffers of one call, and the arguments of one collective at the members of a
 * communicator, are compared in the same way.
 * MPI_PACKED matches all, and types of one size and kind match each other: MPI_LONG and MPI_INT64_T.
 * Source: MPI 3.1, 3.3.1
 */
#include "check.h"
#include "host/host.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>
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

/* Of an address in this rank's copy of the executable; 0: unknown */
static uint32_t place_in_file(const struct rank *r, void *caller)
{
    uintptr_t place;

    if (the_run.times_calls) /* it is called by a function of timed.c */
        caller = r->timed_caller;
    if (caller == NULL || r->host->base == 0)
        return 0;
    caller = mpi_caller(r, caller);
    place = (uintptr_t)caller - 1 - r->host->base;
    return place <= UINT32_MAX && (the_job->main != NULL || place < the_job->file_bytes)
               ? (uint32_t)place
               : 0;
}

uint64_t check_signature_of(const struct comm *comm, struct type *t, size_t n, void *caller)
{
    uint32_t hash;

    if (n * t->size == 0)
        return 0;
    hash = hash_of(comm->owner, t, n);
    return hash == 0 ? 0 : (uint64_t)hash << 32 | place_in_file(comm->owner, caller);
}

/* ---- a difference is reported once, and the run continues ---- */

static bool say_first(void)
{
    return !atomic_flag_test_and_set_explicit(&the_said.types, memory_order_relaxed);
}

static const char *name_type(const struct type *t)
{
    return t->kind == TYPE_BASIC ? t->name : "this datatype";
}

/* Of the call that began r, or of the one that is running. */
static const char *name_begin(const struct rank *rank, const struct request *r, char *text)
{
    char names[1][PLACE_TEXT];
    uintptr_t place;

    if (r == NULL || r->call == NULL)
        return host_name_here(text);
    place = the_run.times_calls ? r->place : host_place_of(rank->host, r->caller);
    host_name_places(the_job, &place, 1, names);
    return place != 0 ? memcpy(text, names[0], PLACE_TEXT) : host_name_here(text);
}

void check_signature(const struct comm *comm, const struct request *r, struct type *t,
                     uint64_t bits, size_t bytes, int source, int tag)
{
    const struct rank *rank = comm->owner;
    const bool is_part = r != NULL && r->is_part, is_short = is_part && bytes != r->count * t->size;
    uintptr_t place = bits & UINT32_MAX;
    const char *call = r != NULL && r->call != NULL ? r->call : rank->call;
    char text[1][PLACE_TEXT], here[PLACE_TEXT];
    uint32_t hash;

    if (!is_short && (bits == 0 || bytes == 0 || t->size == 0 || bytes % t->size != 0))
        return;
    hash = is_short ? 0 : hash_of(comm->owner, t, bytes / t->size);
    if ((!is_short && (hash == 0 || hash == bits >> 32)) || !say_first())
        return;
    host_name_places(the_job, &place, 1, text);
    name_begin(rank, r, here);
    if (is_short)
        check_name_finding(
            "rank %d: %s: rank %d sends %zu bytes%s where %zu are expected%s; more such messages "
            "are not named\n",
            logp_vp_rank(rank->vp), call, source, bytes, text[0], r->count * t->size, here);
    else if (is_part)
        check_name_finding(
            "rank %d: %s: the data from rank %d%s have another type signature than %s%s; more "
            "such messages are not named\n",
            logp_vp_rank(rank->vp), call, source, text[0], name_type(t), here);
    else
        check_name_finding(
            "rank %d: %s: the message from rank %d with tag %d%s has another type signature than "
            "%s%s; more such messages are not named\n",
            logp_vp_rank(rank->vp), call, source, tag, text[0], name_type(t), here);
}

void check_alike(const struct comm *comm, struct type *a, size_t n, const char *a_is,
                 struct type *b, size_t m, const char *b_is)
{
    struct rank *r = comm->owner;
    char here[PLACE_TEXT];
    uint32_t first, second;

    if ((a == b && n == m) || n * a->size == 0 || m * b->size == 0)
        return;
    first = hash_of(r, a, n);
    second = hash_of(r, b, m);
    if (first == 0 || second == 0 || first == second || !say_first())
        return;
    host_name_here(here);
    check_name_finding(
        "rank %d: %s: the type signatures of %s (%zu bytes of %s) and of %s (%zu bytes of %s) "
        "differ%s; more such calls are not named\n",
        logp_vp_rank(r->vp), r->call, a_is, n * a->size, name_type(a), b_is, m * b->size,
        name_type(b), here);
}

/* ---- a collective, as each member calls it ---- */

/* Which collective it is, for all members alike */
static uint64_t key_of(uint64_t id, uint64_t number)
{
    const uint64_t key = (id ^ number << 32) * UINT64_C(0x9e3779b97f4a7c15);

    return (key ^ key >> 32) + number;
}

/*
 * A word of a member call, and what the member has given. The word is in three parts: which collective it is,
 * the rank of the member, and two bits. It is claimed by the first member to come, and then shown with all
 * it needs; the members after it find everything in one cache line.
 */
enum { STARTS = 1, IS_SHOWN = 2, RANK_SHIFT = 2, KEY_SHIFT = 26 };

static bool is_same(uint64_t word, uint64_t other)
{
    return (word ^ other) >> KEY_SHIFT == 0;
}

static int rank_in(uint64_t word)
{
    return (int)(word >> RANK_SHIFT & ((1 << (KEY_SHIFT - RANK_SHIFT)) - 1));
}

/* The word of the first member of this collective to come, which may be this one, with its `given`. No word is
 * used twice: another collective that had this place is not compared any more. */
static uint64_t first_call(struct member_call *at, uint64_t mine, uint64_t given)
{
    /* acquire, here and below: pairs with the release of another first member */
    uint64_t first = atomic_load_explicit(&at->word, memory_order_acquire);

    while (!is_same(first, mine))
        if (atomic_compare_exchange_weak_explicit(&at->word, &first, mine, memory_order_acquire,
                                                  memory_order_acquire)) {
            atomic_store_explicit(&at->given, given, memory_order_relaxed);
            atomic_store_explicit(&at->word, mine | IS_SHOWN, memory_order_release);
            return mine | IS_SHOWN;
        }
    while (is_same(first, mine) && (first & IS_SHOWN) == 0) {
        sched_yield(); /* to the claimant */
        first = atomic_load_explicit(&at->word, memory_order_acquire);
    }
    return first;
}

/* The first signature of data that a member has given; the hash of no data is 0. */
static uint64_t first_given(struct member_call *at, uint64_t given)
{
    /* relaxed, both: each value is complete in itself */
    uint64_t first = atomic_load_explicit(&at->given, memory_order_relaxed);

    while (first >> 32 == 0 && given >> 32 != 0)
        if (atomic_compare_exchange_weak_explicit(&at->given, &first, given, memory_order_relaxed,
                                                  memory_order_relaxed))
            return given;
    return first;
}

/* Write the place in what a member has given, and the place of this call. */
static void name_both(uint64_t given, char text[1][PLACE_TEXT], char here[PLACE_TEXT])
{
    const uintptr_t place = given & UINT32_MAX;

    host_name_places(the_job, &place, 1, text);
    host_name_here(here);
}

static void name_order(const struct rank *r, uint64_t first, uint64_t given, bool starts)
{
    char text[1][PLACE_TEXT], here[PLACE_TEXT];

    name_both(given, text, here);
    check_name_finding(
        "rank %d: %s: rank %d calls a %s collective%s in its place%s; more such calls are "
        "not named\n",
        logp_vp_rank(r->vp), r->call, rank_in(first), starts ? "blocking" : "nonblocking", text[0],
        here);
}

static void name_member(const struct rank *r, uint64_t first, uint64_t given, const struct type *t)
{
    char text[1][PLACE_TEXT], here[PLACE_TEXT];

    name_both(given, text, here);
    check_name_finding(
        "rank %d: %s: rank %d calls it with another type signature%s than %s%s; more such "
        "calls are not named\n",
        logp_vp_rank(r->vp), r->call, rank_in(first), text[0], name_type(t), here);
}

/* Compare this call with that of the first member to come: its data, unless hash is 0, and whether it is
 * nonblocking. A persistent collective, which has a communicator of its own, may be started in another
 * order. */
static void meet(struct comm *comm, const struct type *t, uint32_t hash, bool starts)
{
    const struct rank *r = comm->owner;
    const uint64_t key = key_of(comm->id, ++comm->n_compared),
                   given = (uint64_t)hash << 32 | place_in_file(r, r->caller),
                   mine = key >> KEY_SHIFT << KEY_SHIFT | (uint64_t)comm->rank << RANK_SHIFT |
                          (starts ? STARTS : 0);
    struct member_call *at = &the_said.members[key % N_MEMBER_CALLS];
    const uint64_t first = first_call(at, mine, given);
    uint64_t other;

    /* the member that comes first is mostly the same as before: its next line is there by then */
    if (first == (mine | IS_SHOWN))
        __builtin_prefetch(
            &the_said.members[key_of(comm->id, comm->n_compared + 1) % N_MEMBER_CALLS], 1);

    if (!is_same(first, mine))
        return;
    other = first_given(at, given);
    if (((first ^ mine) & STARTS) != 0 && r->started == NULL &&
        !atomic_flag_test_and_set_explicit(&the_said.order, memory_order_relaxed))
        name_order(r, first, other, starts);
    if (hash != 0 && other >> 32 != hash && say_first())
        name_member(r, first, other, t);
}

void check_order(struct comm *comm, bool starts)
{
    if (comm->id != 0 && comm->size > 1)
        meet(comm, NULL, 0, starts);
}

void check_members(struct comm *comm, struct type *t, size_t n, bool starts)
{
    if (comm->id != 0 && comm->size > 1)
        meet(comm, t, n * t->size > 0 ? hash_of(comm->owner, t, n) : 0, starts);
}
