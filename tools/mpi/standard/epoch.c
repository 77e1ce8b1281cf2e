/* SPDX-License-Identifier: MIT */
/*
 * Epochs of windows. Post, complete and the grant of a lock to the next holder are messages; locks
 * are taken in the target's memory, and cost their origin a round trip.
 */
#include "request.h"
#include "window.h"

#include <stdatomic.h>
#include <stdlib.h>

/* ---- time ---- */

int mpi_take_turn(struct win *w)
{
    bool found;

    return w->timed ? mpi_class_of(logp_peek(w->comm->vp, w->comm->rank, TAG_NONE, &found, NULL))
                    : MPI_SUCCESS;
}

static int64_t streamed(const struct win *w, size_t bytes)
{
    return bytes > 1 ? ((int64_t)(bytes - 1) * w->params.G_ps + 999) / 1000 : 0;
}

/* As a send: gap, then o. The answer comes after 2 L; the bytes of both directions are streamed. */
int mpi_start_operation(struct win *w, int rank, size_t bytes, size_t bytes_back,
                        int64_t *arrival_ns)
{
    const struct logp_params *p = &w->params;
    const int64_t out = streamed(w, bytes), gap = p->g_ns + out;
    int64_t start, end;

    if (!w->timed)
        return MPI_SUCCESS;
    start = logp_now(w->comm->vp);
    start = start > w->next_ns ? start : w->next_ns;
    w->next_ns = start + (gap > p->o_send_ns ? gap : p->o_send_ns);
    *arrival_ns = start + p->o_send_ns + out + p->L_ns;
    end = *arrival_ns + p->L_ns + streamed(w, bytes_back);
    if (end > w->done_ns[rank])
        w->done_ns[rank] = end;
    return mpi_class_of(logp_sleep_until(w->comm->vp, start + p->o_send_ns));
}

static int pass(struct win *w, int64_t ns)
{
    return w->timed ? mpi_class_of(logp_sleep_until(w->comm->vp, logp_now(w->comm->vp) + ns))
                    : MPI_SUCCESS;
}

/* Wait for the operations at these targets. Where that takes no time, let other ranks run first: a
 * loop of epochs may wait for one of them. */
static int finish(struct win *w, int first, int n)
{
    int64_t end = 0;
    const int remote = mpi_flush_remote(w, first, n);
    int rc = MPI_SUCCESS;

    for (int i = first; i < first + n; i++) {
        end = w->done_ns[i] > end ? w->done_ns[i] : end;
        w->done_ns[i] = 0;
        TELL(end_accesses, w, i);
    }
    if (w->timed)
        rc = mpi_class_of(logp_sleep_until(w->comm->vp, end));
    else
        rc = mpi_class_of(logp_yield(w->comm->vp));
    for (int i = first; i < first + n && w->timed && rc == MPI_SUCCESS; i++)
        rc = mpi_perform_arrived(w, i);
    return rc == MPI_SUCCESS ? remote : rc;
}

/* ---- fence ---- */

int MPI_Win_fence(int assert, MPI_Win win)
{
    int rc;

    ENTER_WIN(w, win);
    TELL(returned, w, FRAME);
    CHECK(w->comm,
          (assert &
           ~(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED)) == 0,
          MPI_ERR_ASSERT, "the assertion %d is not one of a fence", assert);
    CHECK(w->comm, !w->started && !w->posted && !w->all_locked, MPI_ERR_RMA_SYNC,
          "another epoch of the window has not ended");
    for (int i = 0; i < w->comm->size; i++)
        CHECK(w->comm, w->access[i] == 0, MPI_ERR_RMA_SYNC, "rank %d is still locked", i);
    TELL(begin_fence, w);
    rc = finish(w, 0, w->comm->size);
    w->fences++;
    TELL(end_fence, w);
    w->fenced = (assert &MPI_MODE_NOSUCCEED) == 0;
    w->unfenced = false;
    return rc == MPI_SUCCESS ? mpi_class_of(logp_barrier(w->comm->vp)) : rc;
}

/* ---- post, start, complete, wait ---- */

/* The ranks of a group in the window. */
static int translate(struct win *w, MPI_Group group, int ranks[], int *n)
{
    const struct group *g = mpi_group_of(group);

    CHECK(w->comm, g != NULL, MPI_ERR_GROUP, "the group is null or has been freed");
    CHECK(w->comm, g->n <= w->comm->size, MPI_ERR_GROUP, "the group has ranks outside the window");
    *n = g->n;
    logp_group_translate(mpi_this_rank()->vp, g->n, g->ranks, w->comm->vp, ranks);
    for (int i = 0; i < g->n; i++)
        CHECK(w->comm, ranks[i] >= 0, MPI_ERR_GROUP, "rank %d of the group is outside the window",
              i);
    return MPI_SUCCESS;
}

/* Send an empty message. It never waits for its receiver, with any --rendezvous. */
static int tell(struct win *w, int rank, int tag)
{
    return mpi_class_of(logp_send_as(w->comm->vp, LOGP_SEND_BUFFERED, rank, tag, NULL, 0));
}

static int hear(struct win *w, int rank, int tag)
{
    return mpi_class_of(logp_recv(w->comm->vp, rank, tag, NULL, 0, NULL));
}

/* Another kind of epochs begins, or the window goes. */
int mpi_check_fenced(struct win *w)
{
    CHECK(w->comm, !w->unfenced, MPI_ERR_RMA_SYNC,
          "an operation has been started since the last MPI_Win_fence; call it again first");
    return MPI_SUCCESS;
}

int MPI_Win_post(MPI_Group group, int assert, MPI_Win win)
{
    int rc;

    ENTER_WIN(w, win);
    CHECK(w->comm, (assert & ~(MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT)) == 0,
          MPI_ERR_ASSERT, "the assertion %d is not one of MPI_Win_post", assert);
    CHECK(w->comm, !w->posted, MPI_ERR_RMA_SYNC, "the window is posted already");
    rc = translate(w, group, w->post_ranks, &w->n_posted);
    if (rc != MPI_SUCCESS)
        return rc;
    w->posted = true;
    for (int i = 0; i < w->n_posted && rc == MPI_SUCCESS && (assert &MPI_MODE_NOCHECK) == 0; i++)
        rc = tell(w, w->post_ranks[i], TAG_POST);
    return rc;
}

int MPI_Win_start(MPI_Group group, int assert, MPI_Win win)
{
    int rc;

    ENTER_WIN(w, win);
    CHECK(w->comm, (assert & ~MPI_MODE_NOCHECK) == 0, MPI_ERR_ASSERT,
          "the assertion %d is not one of MPI_Win_start", assert);
    CHECK(w->comm, !w->started && !w->all_locked, MPI_ERR_RMA_SYNC,
          "another epoch of the window has not ended");
    rc = mpi_check_fenced(w);
    if (rc == MPI_SUCCESS)
        rc = translate(w, group, w->start_ranks, &w->n_started);
    if (rc != MPI_SUCCESS)
        return rc;
    w->started = true;
    w->fenced = false;
    for (int i = 0; i < w->n_started && rc == MPI_SUCCESS; i++) {
        w->access[w->start_ranks[i]] |= STARTED;
        if ((assert &MPI_MODE_NOCHECK) == 0)
            rc = hear(w, w->start_ranks[i], TAG_POST);
    }
    return rc;
}

int MPI_Win_complete(MPI_Win win)
{
    int rc = MPI_SUCCESS;

    ENTER_WIN(w, win);
    CHECK(w->comm, w->started, MPI_ERR_RMA_SYNC, "MPI_Win_start has not been called");
    w->started = false;
    for (int i = 0; i < w->n_started && rc == MPI_SUCCESS; i++) {
        const int rank = w->start_ranks[i];

        rc = finish(w, rank, 1);
        w->access[rank] &= (unsigned char)~STARTED;
        if (rc == MPI_SUCCESS)
            rc = tell(w, rank, TAG_COMPLETE);
    }
    return rc;
}

int MPI_Win_wait(MPI_Win win)
{
    int rc = MPI_SUCCESS;

    ENTER_WIN(w, win);
    CHECK(w->comm, w->posted, MPI_ERR_RMA_SYNC, "the window has not been posted");
    for (; w->n_posted > 0 && rc == MPI_SUCCESS; w->n_posted--)
        rc = hear(w, LOGP_ANY_SOURCE, TAG_COMPLETE);
    w->posted = false;
    TELL(end_own_accesses, w);
    return rc;
}

int MPI_Win_test(MPI_Win win, int *flag)
{
    struct logp_status from;
    bool found = true;
    int rc = MPI_SUCCESS;

    ENTER_WIN(w, win);
    CHECK(w->comm, w->posted, MPI_ERR_RMA_SYNC, "the window has not been posted");
    while (w->n_posted > 0 && found && rc == MPI_SUCCESS) {
        rc = mpi_class_of(logp_probe(w->comm->vp, LOGP_ANY_SOURCE, TAG_COMPLETE, &found, &from));
        if (rc == MPI_SUCCESS && found) {
            rc = hear(w, from.source, TAG_COMPLETE);
            w->n_posted--;
        }
    }
    *flag = w->n_posted == 0;
    w->posted = w->n_posted > 0;
    if (!w->posted)
        TELL(end_own_accesses, w);
    return rc;
}

/* ---- locks ---- */

bool mpi_take_lock(struct target *t, struct waiter *waiter, int64_t *at)
{
    bool taken;

    pthread_mutex_lock(&t->mutex);
    taken = t->first == NULL && (waiter->exclusive ? t->holders == 0 : t->holders >= 0);
    *at = t->free_ns;
    if (taken) {
        t->holders = waiter->exclusive ? -1 : t->holders + 1;
    } else {
        *t->last = waiter;
        t->last = &waiter->next;
    }
    pthread_mutex_unlock(&t->mutex);
    return taken;
}

struct waiter *mpi_give_up_lock(struct target *t, int64_t free_ns)
{
    struct waiter *next = NULL, **end = &next;

    pthread_mutex_lock(&t->mutex);
    t->holders = t->holders < 0 ? 0 : t->holders - 1;
    t->free_ns = t->holders == 0 ? free_ns : t->free_ns;
    while (t->first != NULL && (t->first->exclusive ? t->holders == 0 : t->holders >= 0)) {
        *end = t->first;
        t->first = (*end)->next;
        end = &(*end)->next;
        *end = NULL;
        t->holders = next->exclusive ? -1 : t->holders + 1;
    }
    if (t->first == NULL)
        t->last = &t->first;
    pthread_mutex_unlock(&t->mutex);
    return next;
}

/* Take the lock for a request that has arrived at *from: it is answered L after *from, which is set
 * if the lock is free later. A waiter gets a message from the last holder. */
static int acquire(struct win *w, int rank, bool exclusive, int64_t *from)
{
    const int64_t asked = *from;
    struct waiter waiter = {NULL, w->comm->rank, exclusive, false};
    int64_t at = 0;
    bool taken = true;
    int rc = MPI_SUCCESS;

    if (w->targets[rank] == NULL)
        rc = mpi_acquire_remote(w, rank, exclusive, &taken, &at);
    else
        taken = mpi_take_lock(w->targets[rank], &waiter, &at);
    if (rc != MPI_SUCCESS)
        return rc;
    if (!taken) {
        rc = hear(w, LOGP_ANY_SOURCE, TAG_GRANT);
        *from = w->timed ? logp_now(w->comm->vp) : 0;
    } else if (w->timed && at > asked) {
        rc = mpi_class_of(logp_sleep_until(w->comm->vp, at));
        *from = at;
    }
    if (rc == MPI_SUCCESS)
        w->access[rank] |= exclusive ? LOCKED | EXCLUSIVE : LOCKED;
    return rc == MPI_SUCCESS && rank == w->comm->rank ? mpi_perform_arrived(w, rank) : rc;
}

/* Send the request for a lock. *at: when it has arrived */
static int ask(struct win *w, int64_t *at)
{
    int rc = pass(w, w->params.o_send_ns + w->params.L_ns);

    if (rc == MPI_SUCCESS)
        rc = mpi_take_turn(w);
    *at = w->timed ? logp_now(w->comm->vp) : 0;
    return rc;
}

static int await_grant(struct win *w, int64_t from_ns)
{
    return w->timed ? mpi_class_of(logp_sleep_until(w->comm->vp, from_ns + w->params.L_ns))
                    : MPI_SUCCESS;
}

static int release(struct win *w, int rank)
{
    const bool unchecked = (w->access[rank] & UNCHECKED) != 0;
    const int64_t now = w->timed ? logp_now(w->comm->vp) : 0;
    struct waiter *next;
    int rc = MPI_SUCCESS;

    w->access[rank] &= (unsigned char)~(LOCKED | EXCLUSIVE | UNCHECKED);
    if (unchecked)
        return rc;
    if (w->targets[rank] == NULL)
        return mpi_release_remote(w, rank, now + w->params.L_ns);
    next = mpi_give_up_lock(w->targets[rank], now + w->params.L_ns);
    while (next != NULL && rc == MPI_SUCCESS) {
        /* read first: after its message the rank may resume, which ends its waiter */
        struct waiter *told = next->is_remote ? next : NULL;
        const int waiting = next->rank;

        next = next->next;
        free(told);
        rc = tell(w, waiting, TAG_GRANT);
    }
    return rc;
}

int MPI_Win_lock(int type, int rank, int assert, MPI_Win win)
{
    int64_t from = 0;
    int rc;

    ENTER_WIN(w, win);
    CHECK(w->comm, type == MPI_LOCK_SHARED || type == MPI_LOCK_EXCLUSIVE, MPI_ERR_LOCKTYPE,
          "%d is not a type of locks", type);
    if (rank != MPI_PROC_NULL)
        CHECK_WIN_RANK(w, rank);
    CHECK(w->comm, (assert & ~MPI_MODE_NOCHECK) == 0, MPI_ERR_ASSERT,
          "the assertion %d is not one of MPI_Win_lock", assert);
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    CHECK(w->comm, !w->started && !w->all_locked && w->access[rank] == 0, MPI_ERR_RMA_SYNC,
          "another epoch at rank %d has not ended", rank);
    rc = mpi_check_fenced(w);
    if (rc != MPI_SUCCESS)
        return rc;
    w->fenced = false;
    if (assert & MPI_MODE_NOCHECK) {
        w->access[rank] = LOCKED | UNCHECKED;
        return MPI_SUCCESS;
    }
    rc = ask(w, &from);
    if (rc == MPI_SUCCESS)
        rc = acquire(w, rank, type == MPI_LOCK_EXCLUSIVE, &from);
    return rc == MPI_SUCCESS ? await_grant(w, from) : rc;
}

int MPI_Win_unlock(int rank, MPI_Win win)
{
    int rc;

    ENTER_WIN(w, win);
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    CHECK_WIN_RANK(w, rank);
    CHECK(w->comm, !w->all_locked && (w->access[rank] & LOCKED) != 0, MPI_ERR_RMA_SYNC,
          "rank %d is not locked", rank);
    rc = finish(w, rank, 1);
    if (rc == MPI_SUCCESS)
        rc = pass(w, w->params.o_send_ns);
    if (rc == MPI_SUCCESS)
        rc = mpi_take_turn(w);
    return rc == MPI_SUCCESS ? release(w, rank) : rc;
}

/* One request to all: it costs as much as one lock. */
int MPI_Win_lock_all(int assert, MPI_Win win)
{
    int64_t from = 0;
    int rc;

    ENTER_WIN(w, win);
    CHECK(w->comm, (assert & ~MPI_MODE_NOCHECK) == 0, MPI_ERR_ASSERT,
          "the assertion %d is not one of MPI_Win_lock_all", assert);
    CHECK(w->comm, !w->started && !w->all_locked, MPI_ERR_RMA_SYNC,
          "another epoch of the window has not ended");
    for (int i = 0; i < w->comm->size; i++)
        CHECK(w->comm, w->access[i] == 0, MPI_ERR_RMA_SYNC, "rank %d is locked already", i);
    rc = mpi_check_fenced(w);
    if (rc != MPI_SUCCESS)
        return rc;
    w->fenced = false;
    rc = ask(w, &from);
    for (int i = 0; i < w->comm->size && rc == MPI_SUCCESS; i++)
        if (assert & MPI_MODE_NOCHECK)
            w->access[i] = LOCKED | UNCHECKED;
        else
            rc = acquire(w, i, false, &from);
    w->all_locked = rc == MPI_SUCCESS;
    return rc == MPI_SUCCESS ? await_grant(w, from) : rc;
}

int MPI_Win_unlock_all(MPI_Win win)
{
    int rc;

    ENTER_WIN(w, win);
    CHECK(w->comm, w->all_locked, MPI_ERR_RMA_SYNC, "MPI_Win_lock_all has not been called");
    w->all_locked = false;
    rc = finish(w, 0, w->comm->size);
    if (rc == MPI_SUCCESS)
        rc = pass(w, w->params.o_send_ns);
    if (rc == MPI_SUCCESS)
        rc = mpi_take_turn(w);
    for (int i = 0; i < w->comm->size && rc == MPI_SUCCESS; i++)
        rc = release(w, i);
    return rc;
}

/* ---- flush: an operation copies its buffer at once, and so is complete locally, too ---- */

/* Wait for the operations at these targets; with nothing to wait for, poll. */
static int flush(struct win *w, int first, int n)
{
    bool waits = false;
    int rc;

    for (int i = first; i < first + n; i++)
        waits = waits || w->done_ns[i] > 0 || (w->targets[i] == NULL && w->remote[i].pending);
    if (waits) {
        rc = finish(w, first, n);
    } else {
        for (int i = first; i < first + n; i++)
            TELL(end_accesses, w, i);
        rc = mpi_class_of(logp_yield(w->comm->vp));
    }
    return rc == MPI_SUCCESS ? mpi_perform_arrived(w, w->comm->rank) : rc;
}

static int flush_one(const char *call, int rank, MPI_Win win)
{
    mpi_enter(call);
    WIN(w, win);
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    CHECK_WIN_RANK(w, rank);
    CHECK(w->comm, (w->access[rank] & LOCKED) != 0, MPI_ERR_RMA_SYNC, "rank %d is not locked",
          rank);
    return flush(w, rank, 1);
}

static int flush_all(const char *call, MPI_Win win)
{
    bool locked = false;

    mpi_enter(call);
    WIN(w, win);
    for (int i = 0; i < w->comm->size; i++)
        locked = locked || (w->access[i] & LOCKED) != 0;
    CHECK(w->comm, locked, MPI_ERR_RMA_SYNC, "no rank is locked");
    return flush(w, 0, w->comm->size);
}

int MPI_Win_flush(int rank, MPI_Win win)
{
    return flush_one(__func__, rank, win);
}

int MPI_Win_flush_local(int rank, MPI_Win win)
{
    return flush_one(__func__, rank, win);
}

int MPI_Win_flush_all(MPI_Win win)
{
    return flush_all(__func__, win);
}

int MPI_Win_flush_local_all(MPI_Win win)
{
    return flush_all(__func__, win);
}

/* A program may call it in a loop that waits for a write of another rank, so let other ranks
 * run. */
int MPI_Win_sync(MPI_Win win)
{
    int rc;

    ENTER_WIN(w, win);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with that of the rank that has written */
    rc = mpi_class_of(logp_yield(w->comm->vp));
    return rc == MPI_SUCCESS ? mpi_perform_arrived(w, w->comm->rank) : rc;
}
