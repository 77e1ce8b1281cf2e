/* SPDX-License-Identifier: MIT */
/*
 * --check: operations on windows that conflict. Two operations conflict if they have bytes of a
 * target in common, at least one of them writes, they are not both atomic, and neither is complete
 * when the other one starts. An operation is complete at the next fence, or, without fences, at the end
 * of its origin's epoch or at a flush. The last N_ACCESSES operations at each target are known.
 *
 * Atomic operations of two origins conflict if they differ and neither is MPI_NO_OP, since no window
 * promises more (accumulate_ops). MPI_Compare_and_swap() conflicts with no atomic operation.
 *
 * An operation also notes the buffers of its origin until it is complete. check.c compares them with
 * those of requests and of other operations.
 * Source: MPI 3.1, 11.7
 */
#include "host.h"
#include "window.h"

#include <stdatomic.h>

/* What a program gets is undefined, but it may not look: it is said once, and the run goes on. */
static void name_conflict(const struct win *w, int rank, const struct access *a,
                          const struct access *before)
{
    uintptr_t places[2];
    char texts[2][PLACE_TEXT];

    if (atomic_flag_test_and_set_explicit(&the_job->said.conflict,
                                          memory_order_relaxed)) /* no data depends on it */
        return;
    places[0] = a->caller != NULL ? place_of(a->rank, a->caller) : 0;
    places[1] = before->caller != NULL ? place_of(before->rank, before->caller) : 0;
    name_places(the_job, places, 2, texts);
    fflush(stdout);
    fprintf(stderr,
            "rank %d: %s: conflicts at rank %d%s with %s of rank %d%s in the same epoch%s; more "
            "conflicts are not named\n",
            w->comm->rank, a->call, rank, texts[0], before->call, before->origin, texts[1],
            a->kind == 'u' && before->kind == 'u' ? ": their operations differ" : "");
}

static bool go_together(const struct access *a, const struct access *b)
{
    if (a->kind == 'u' && b->kind == 'u')
        return a->op == b->op || a->op == MPI_NO_OP || b->op == MPI_NO_OP || a->origin == b->origin;
    return a->kind == 'r' && b->kind == 'r';
}

static bool conflict(const struct access *a, const struct access *b)
{
    return a->from < b->to && b->from < a->to && a->fences == b->fences && !go_together(a, b);
}

void check_access(struct win *w, int rank, const struct access *given)
{
    struct rank *r = this_rank();
    struct target *t = w->targets[rank];
    struct access a = *given, before = {.to = 0};

    if (!the_job->checks)
        return;
    a.origin = w->comm->rank;
    a.rank = r;
    a.caller = the_job->times_calls ? NULL : r->caller;
    a.fences = w->access[rank] == 0 ? w->fences : -1;
    r->caller = NULL;
    pthread_mutex_lock(&t->mutex);
    for (int i = 0; i < N_ACCESSES; i++)
        if (t->accesses[i].from < t->accesses[i].to && conflict(&a, &t->accesses[i])) {
            before = t->accesses[i];
            break;
        }
    t->accesses[t->next_access++ % N_ACCESSES] = a;
    pthread_mutex_unlock(&t->mutex);
    if (before.to > 0)
        name_conflict(w, rank, &a, &before);
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
    forget_buffers(w->comm->owner, o);
}

void check_origin(struct win *w, int rank, const char *call, const void *in,
                  const struct type *in_type, size_t n, const void *out,
                  const struct type *out_type, size_t m)
{
    struct request *o;

    if (!the_job->checks)
        return;
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
                          .caller = the_job->times_calls ? NULL : this_rank()->caller,
                          .place = the_job->times_calls ? place_here() : 0};
    w->origins->n_active++;
    check_buffers(o, in, in_type, n, out, out_type, m);
}

static void end_origins(struct win *w, int rank)
{
    for (int i = 0; w->origins != NULL && w->origins->n_active > 0 && i < N_ORIGINS; i++)
        if (w->origins->last[i].active && w->origins->last[i].peer == rank)
            end_origin(w, &w->origins->last[i]);
}

void forget_origins(struct win *w)
{
    for (int i = 0; w->origins != NULL && i < N_ORIGINS; i++)
        end_origin(w, &w->origins->last[i]);
    free(w->origins);
    w->origins = NULL;
}

/* Those between fences end by their number. */
void end_accesses(struct win *w, int rank)
{
    struct target *t = w->targets[rank];

    end_origins(w, rank);
    if (!the_job->checks || w->access[rank] == 0)
        return;
    pthread_mutex_lock(&t->mutex);
    for (int i = 0; i < N_ACCESSES; i++)
        if (t->accesses[i].origin == w->comm->rank && t->accesses[i].fences < 0)
            t->accesses[i].to = t->accesses[i].from;
    pthread_mutex_unlock(&t->mutex);
}
