/* SPDX-License-Identifier: MIT */
/*
 * --check: operations on windows that conflict. Two operations conflict if they have bytes of a
 * target in common, at least one of them writes, they are not both atomic, and neither is complete
 * when the other one starts. An operation is complete at the next fence, or, without fences, at the
 * end of its origin's epoch or at a flush. The last N_ACCESSES operations at each target are known.
 *
 * Atomic operations of two origins conflict if they differ and neither is MPI_NO_OP, since no
 * window promises more (accumulate_ops). MPI_Compare_and_swap() conflicts with no atomic operation.
 *
 * Without delays an operation is performed when it is called. So if the first of its bytes are
 * others at the end of its epoch, and no other origin has used them, the target itself has written
 * them. Its earlier writes are found with a copy of the first bytes of its window at the last
 * fence.
 *
 * An operation also notes the buffers of its origin until it is complete. check.c compares them
 * with those of requests and of other operations.
 * Source: MPI 3.1, 11.7
 */
#include "check.h"
#include "host/host.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static uintptr_t place_of_access(const struct access *a)
{
    return a->rank == NULL     ? a->place
           : a->caller != NULL ? host_place_of(a->rank->host, a->caller)
                               : 0;
}

/* Report a conflict, once in a run, which continues: the data are undefined, but the program may
 * not read them. */
static void name_conflict(int rank, const struct access *a, const struct access *before)
{
    uintptr_t places[2];
    char texts[2][PLACE_TEXT];

    if (atomic_flag_test_and_set_explicit(&the_said.conflict,
                                          memory_order_relaxed)) /* no data depends on it */
        return;
    places[0] = place_of_access(a);
    places[1] = place_of_access(before);
    host_name_places(the_job, places, 2, texts);
    check_name_finding(
        "rank %d: %s: conflicts at rank %d%s with %s of rank %d%s in the same epoch%s; more "
        "conflicts are not named\n",
        a->origin, a->call, rank, texts[0], before->call, before->origin, texts[1],
        a->kind == 'u' && before->kind == 'u' ? ": their operations differ" : "");
}

static bool go_together(const struct access *a, const struct access *b)
{
    if (a->kind == 'u' && b->kind == 'u')
        return a->op == b->op || a->op == MPI_NO_OP || b->op == MPI_NO_OP || a->origin == b->origin;
    return a->kind == 'r' && b->kind == 'r';
}

/* The target itself has written bytes that this operation uses. `by` sees it in this call. */
static void name_own_write(int by, const char *call, int rank, const struct access *a)
{
    uintptr_t place;
    char text[1][PLACE_TEXT];

    if (atomic_flag_test_and_set_explicit(&the_said.conflict,
                                          memory_order_relaxed)) /* no data depends on it */
        return;
    place = place_of_access(a);
    host_name_places(the_job, &place, 1, text);
    check_name_finding(
        "rank %d: %s: rank %d itself has written the bytes that %s of rank %d%s uses in the same "
        "epoch; more conflicts are not named\n",
        by, call, rank, a->call, a->origin, text[0]);
}

static bool overlap(const struct access *a, const struct access *b)
{
    return a->from < b->to && b->from < a->to;
}

/* a: an operation; own: a load or store of its target. An atomic operation may only read. */
static bool conflicts_with_own(const struct access *a, const struct access *own)
{
    return overlap(a, own) &&
           (own->kind == 'w' || a->kind == 'w' || (a->kind == 'u' && a->op != MPI_NO_OP));
}

/* Whether the target has written bytes of a since the last fence. No other origin has used them. */
static bool changed_since_fence(const struct target *t, const struct access *a)
{
    const uintptr_t base = (uintptr_t)t->base, end = base + t->at_fence.n;

    return a->fences >= 0 && a->fences == t->at_fence.fences && a->from >= base && a->from < end &&
           memcmp((const void *)a->from, t->at_fence.bytes + (a->from - base),
                  (a->to < end ? a->to : end) - a->from) != 0;
}

/* a begins: exclude it and the accesses that it may overlap from the comparison of bytes.
 * @return  an access that conflicts with it; NULL: none */
static const struct access *meet_others(struct target *t, struct access *a, bool *is_first)
{
    const struct access *found = NULL;

    *is_first = a->in_a_row;
    for (int i = 0; i < N_OWN_ACCESSES && found == NULL; i++) {
        const struct access *b = &t->own_accesses[i];

        if (b->fences == a->fences && b->origin != a->origin && conflicts_with_own(a, b))
            found = b;
    }
    for (int i = 0; i < N_ACCESSES; i++) {
        struct access *b = &t->accesses[i];

        if (b->from == b->to || a->fences != b->fences ||
            (a->in_a_row && b->in_a_row && !overlap(a, b)))
            continue;
        *is_first = false;
        b->n_summed = 0;
        if (a->origin != b->origin)
            a->is_shared = b->is_shared = true;
        if (found == NULL && overlap(a, b) && !go_together(a, b))
            found = b;
    }
    return found;
}

/* Whether the window is not shared memory and changes by calls alone, at once. */
static bool is_compared(const struct win *w)
{
    return !w->timed && w->flavor != MPI_WIN_FLAVOR_SHARED;
}

void check_begin_access(struct target *t, const struct access *given)
{
    const struct win *w = t->win;
    struct access a = *given, before = {.to = 0};
    const struct access *found;
    struct access *slot;
    bool is_first, changed;

    pthread_mutex_lock(&t->mutex);
    found = meet_others(t, &a, &is_first);
    if (found != NULL)
        before = *found;
    changed = is_compared(w) && is_first && changed_since_fence(t, &a);
    slot = &t->accesses[t->next_access++ % N_ACCESSES];
    /* an origin is not at the fence yet, or an operation is not known any more */
    if (a.fences != t->at_fence.fences || (slot->from < slot->to && slot->fences == a.fences))
        t->at_fence.fences = -1;
    *slot = a;
    t->n_unfinished += is_compared(w);
    pthread_mutex_unlock(&t->mutex);
    if (before.to > 0)
        name_conflict(w->comm->rank, &a, &before);
    else if (changed)
        name_own_write(a.origin, a.call, w->comm->rank, &a);
}

void check_access(struct win *w, int rank, struct access *a)
{
    struct rank *r = mpi_this_rank();

    a->origin = w->comm->rank;
    a->rank = r;
    a->caller = the_run.times_calls ? NULL : r->caller;
    a->fences = w->access[rank] == 0 ? w->fences : -1;
    r->caller = NULL;
    if (w->targets[rank] != NULL)
        check_begin_access(w->targets[rank], a);
    else
        a->place = place_of_access(a); /* it goes with the operation */
}

/* ---- loads and stores of the target ---- */

static bool is_within(struct target *t, uintptr_t from, size_t n)
{
    const uintptr_t base = (uintptr_t)t->base;
    bool within = from < base + (size_t)t->size && base < from + n;

    for (const struct region *r = t->regions; r != NULL && !within; r = r->next)
        within = from < (uintptr_t)r->base + (size_t)r->size && (uintptr_t)r->base < from + n;
    return within;
}

/* Note an access of the target, or extend one that adjoins it. */
static void note_own_access(struct target *t, const struct access *a)
{
    for (int i = 0; i < N_OWN_ACCESSES; i++) {
        struct access *b = &t->own_accesses[i];

        if (b->from < b->to && b->kind == a->kind && b->fences == a->fences && a->from <= b->to &&
            b->from <= a->to) {
            b->from = a->from < b->from ? a->from : b->from;
            b->to = a->to > b->to ? a->to : b->to;
            return;
        }
    }
    t->own_accesses[t->next_own_access++ % N_OWN_ACCESSES] = *a;
}

/* In an epoch that a fence or MPI_Win_post has begun, operations of other ranks on this memory may
 * still come, so the access is noted. With locks it is compared only with those under way: a later
 * operation may wait for a message of this rank. */
void check_own_access(struct win *w, uintptr_t from, size_t n, bool writes, const char *call,
                      void *caller, bool lasts)
{
    struct target *t = w->own;
    const struct access a = {.from = from,
                             .to = from + n,
                             .origin = w->comm->rank,
                             .rank = mpi_this_rank(),
                             .fences = w->posted ? -1 : w->fences,
                             .kind = writes ? 'w' : 'r',
                             .in_a_row = true,
                             .call = call,
                             .caller = caller};
    struct access before = {.to = 0};

    if (w->flavor == MPI_WIN_FLAVOR_SHARED)
        return;
    pthread_mutex_lock(&t->mutex);
    if (is_within(t, from, n)) {
        for (int i = 0; i < N_ACCESSES && before.to == 0; i++) {
            const struct access *b = &t->accesses[i];

            if ((b->fences < 0 || b->fences == w->fences) && conflicts_with_own(b, &a))
                before = *b;
        }
        if (lasts && (w->posted || w->fenced))
            note_own_access(t, &a);
    }
    pthread_mutex_unlock(&t->mutex);
    if (before.to > 0)
        name_conflict(w->comm->rank, &a, &before);
}

/* An operation uses its buffers until the epoch ends. */
void check_windows(struct rank *rank, const struct win *of, const void *buf,
                   const struct type *type, size_t n, bool writes, void *caller)
{
    const uintptr_t from = (uintptr_t)buf + (uintptr_t)type->true_lb;
    const size_t bytes = in_a_row(type, n) ? n * type->size : 1;

    if (n * type->size == 0)
        return;
    caller = mpi_caller(rank, caller);
    for (struct win *w = rank->windows; w != NULL; w = w->next_of_rank)
        check_own_access(w, from, bytes, writes, rank->call, the_run.times_calls ? NULL : caller,
                         w == of && !w->posted);
}

void check_end_own_accesses(struct win *w)
{
    struct target *t = w->own;

    pthread_mutex_lock(&t->mutex);
    for (int i = 0; i < N_OWN_ACCESSES; i++)
        if (t->own_accesses[i].fences < 0)
            t->own_accesses[i].to = t->own_accesses[i].from;
    pthread_mutex_unlock(&t->mutex);
}

/* ---- at the end of an epoch ---- */

/* Whether the target has written bytes of a since a was performed. */
static bool changed_since(const struct access *a)
{
    return a->from < a->to && a->n_summed > 0 &&
           check_sum_bytes((const unsigned char *)a->from, a->n_summed) != a->sum;
}

void check_begin_fence(struct win *w)
{
    struct target *t = w->own;
    struct access changed = {.to = 0};

    if (!is_compared(w))
        return;
    pthread_mutex_lock(&t->mutex);
    for (int i = 0; i < N_ACCESSES; i++)
        if (t->accesses[i].fences == w->fences && changed_since(&t->accesses[i]))
            changed = t->accesses[i];
    pthread_mutex_unlock(&t->mutex);
    if (changed.to > 0)
        name_own_write(w->comm->rank, mpi_this_rank()->call, w->comm->rank, &changed);
}

void check_end_fence(struct win *w)
{
    struct target *t = w->own;

    if (!is_compared(w) || t->base == NULL)
        return;
    pthread_mutex_lock(&t->mutex);
    t->at_fence.fences = -1;
    if (t->n_unfinished == 0) {
        t->at_fence.fences = w->fences;
        t->at_fence.n = (size_t)t->size < sizeof(t->at_fence.bytes) ? (size_t)t->size
                                                                    : sizeof(t->at_fence.bytes);
        memcpy(t->at_fence.bytes, t->base, t->at_fence.n);
    }
    pthread_mutex_unlock(&t->mutex);
}

/* ---- the buffers of the origin ---- */

enum { N_ORIGINS = 16 };

/* The last operations of this rank on a window. */
struct origins {
    struct request last[N_ORIGINS]; /* active: not complete; peer: its target */
    unsigned next;
    int n_active;
};

static void end_origin(struct win *w, struct request *o)
{
    if (o->active && o->n_summed > 0)
        check_sum(o);
    w->origins->n_active -= o->active;
    o->active = false;
    check_forget_buffers(w->comm->owner, o);
}

void check_origin(struct win *w, int rank, const char *call, const void *in,
                  const struct type *in_type, size_t n, const void *out,
                  const struct type *out_type, size_t m)
{
    struct request *o;

    if (w->origins == NULL)
        w->origins = calloc(1, sizeof(*w->origins));
    if (w->origins == NULL)
        return;
    o = &w->origins->last[w->origins->next++ % N_ORIGINS];
    end_origin(w, o);
    *o = (struct request){.kind = REQUEST_OPERATION,
                          .active = true,
                          .comm = w->comm,
                          .peer = rank,
                          .call = call,
                          .caller = the_run.times_calls ? NULL : mpi_this_rank()->caller,
                          .place = the_run.times_calls ? host_place_here() : 0};
    w->origins->n_active++;
    check_buffers(o, in, in_type, n, out, out_type, m);
    if (in_type != NULL)
        check_windows(w->comm->owner, w, in, in_type, n, false, mpi_this_rank()->caller);
    if (out_type != NULL)
        check_windows(w->comm->owner, w, out, out_type, m, true, mpi_this_rank()->caller);
}

/* Whether ranks other than its target may change the bytes of a. Operations with requests are not
 * noted. */
static bool others_may_change(const struct access *a)
{
    return a->is_shared || !a->in_a_row || (a->kind == 'u' && a->fences < 0);
}

void check_end_performed(struct target *t, int origin)
{
    if (!is_compared(t->win))
        return;
    pthread_mutex_lock(&t->mutex);
    t->n_unfinished--;
    for (int i = 0; i < N_ACCESSES; i++) {
        struct access *a = &t->accesses[(t->next_access - 1 - (unsigned)i) % N_ACCESSES];

        if (a->origin != origin)
            continue;
        if (a->from < a->to && !others_may_change(a)) {
            a->n_summed = a->to - a->from < FIRST_SUMMED ? a->to - a->from : FIRST_SUMMED;
            a->sum = check_sum_bytes((const unsigned char *)a->from, a->n_summed);
        }
        break;
    }
    pthread_mutex_unlock(&t->mutex);
}

void check_performed(struct win *w, int rank, const void *out, size_t n_out)
{
    struct request *o =
        w->origins != NULL ? &w->origins->last[(w->origins->next - 1) % N_ORIGINS] : NULL;

    if (!is_compared(w) || w->targets[rank] == NULL)
        return;
    if (out != NULL && o != NULL && o->n_summed == 0)
        check_note_bytes(o, out, n_out);
    check_end_performed(w->targets[rank], w->comm->rank);
}

static void end_origins(struct win *w, int rank)
{
    for (int i = 0; w->origins != NULL && w->origins->n_active > 0 && i < N_ORIGINS; i++)
        if (w->origins->last[i].active && w->origins->last[i].peer == rank)
            end_origin(w, &w->origins->last[i]);
}

void check_forget_origins(struct win *w)
{
    for (int i = 0; w->origins != NULL && i < N_ORIGINS; i++)
        end_origin(w, &w->origins->last[i]);
    free(w->origins);
    w->origins = NULL;
}

void check_end_accesses_of(struct target *t, int origin, const char *call)
{
    struct access changed = {.to = 0};

    pthread_mutex_lock(&t->mutex);
    for (int i = 0; i < N_ACCESSES; i++) {
        struct access *a = &t->accesses[i];

        if (a->origin != origin || a->fences >= 0)
            continue;
        if (changed_since(a))
            changed = *a;
        a->to = a->from;
    }
    pthread_mutex_unlock(&t->mutex);
    if (changed.to > 0)
        name_own_write(origin, call, t->win->comm->rank, &changed);
}

/* End operations at a target. Those between fences end by the number of the fence; those in other
 * processes by mpi_flush_remote(). */
void check_end_accesses(struct win *w, int rank)
{
    end_origins(w, rank);
    if (w->access[rank] != 0 && w->targets[rank] != NULL)
        check_end_accesses_of(w->targets[rank], w->comm->rank, mpi_this_rank()->call);
}

/* ---- memory that has gone ---- */

void check_returned(const struct win *w, uintptr_t frame)
{
    const struct object *o = &w->object;

    if (w->on_stack != 0 && w->on_stack < frame)
        check_name_returned("memory of the window", "MPI_Win_create",
                            o->caller != NULL ? host_place_of(w->comm->owner->host, o->caller)
                                              : o->place);
}
