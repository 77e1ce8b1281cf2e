/* SPDX-License-Identifier: MIT */
/* Windows: creation and queries. */
#include "attributes.h"
#include "info.h"
#include "request.h"
#include "window.h"
#include "host/host.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct win *mpi_win_of(MPI_Win handle)
{
    return object_of(handle);
}

/* ---- making them ---- */

static void drop_target(struct target *t)
{
    if (t == NULL)
        return;
    mpi_drop_operations(t);
    while (t->regions != NULL) {
        struct region *next = t->regions->next;

        free(t->regions);
        t->regions = next;
    }
    pthread_mutex_destroy(&t->mutex);
    free(t);
}

static void drop_win(struct win *w)
{
    struct win **at = w->comm != NULL ? &w->comm->owner->windows : NULL;

    TELL(forget_origins, w);
    mpi_drop_remote(w);
    while (at != NULL && *at != NULL && *at != w)
        at = &(*at)->next_of_rank;
    if (at != NULL && *at == w)
        *at = w->next_of_rank;
    drop_target(w->own);
    free(w->targets);
    free(w->access);
    free(w->done_ns);
    free(w->start_ranks);
    free(w->post_ranks);
    mpi_drop_info(&w->info);
    if (w->comm != NULL) {
        w->comm->of = NULL; /* requests may still have the communicator */
        mpi_drop_comm(w->comm);
    }
    mpi_bury_object(&w->object, sizeof(*w));
}

static struct win *new_win(struct comm *like, int flavor)
{
    const size_t n = (size_t)like->size;
    struct win *w = calloc(1, sizeof(*w));
    struct logp_vp *vp = NULL;

    if (w == NULL)
        return NULL;
    w->flavor = flavor;
    w->model = MPI_WIN_UNIFIED;
    w->own = calloc(1, sizeof(*w->own));
    w->targets = calloc(n, sizeof(struct target *));
    w->access = calloc(n, 1);
    w->done_ns = calloc(n, sizeof(*w->done_ns));
    w->start_ranks = calloc(n, sizeof(int));
    w->post_ranks = calloc(n, sizeof(int));
    if (w->own != NULL)
        pthread_mutex_init(&w->own->mutex, NULL);
    if (w->own == NULL || w->targets == NULL || w->access == NULL || w->done_ns == NULL ||
        w->start_ranks == NULL || w->post_ranks == NULL ||
        mpi_class_of(logp_group_dup(like->vp, &vp)) != MPI_SUCCESS ||
        (w->comm = mpi_new_comm(vp, 0, like)) == NULL) {
        drop_win(w);
        return NULL;
    }
    w->own->win = w;
    w->own->last = &w->own->first;
    w->comm->errors = MPI_ERRORS_ARE_FATAL;
    w->comm->of = w;
    w->timed = logp_machine_delayed(logp_vp_machine(vp));
    if (!w->timed || logp_vp_params(vp, &w->params) != 0)
        memset(&w->params, 0, sizeof(w->params));
    return w;
}

static bool is_on_one_node(const struct comm *c)
{
    const int node = host_node_of(the_job, logp_vp_rank(c->owner->vp));
    bool is_one = true;

    for (int i = 0; i < c->size && the_job->node_size > 0 && is_one; i++) {
        int rank = i;

        logp_group_translate(c->vp, 1, &rank, NULL, &rank);
        is_one = host_node_of(the_job, rank) == node;
    }
    return is_one;
}

/* Create a window over own memory, if there is any. The ranks exchange the targets' addresses. */
static int make(struct comm *c, int flavor, void *base, MPI_Aint size, int unit, MPI_Info info,
                MPI_Win *win)
{
    const struct logp_machine *m = logp_vp_machine(c->vp);
    struct win *w;
    int rc;

    CHECK(c, size >= 0, MPI_ERR_SIZE, "the size is %lld, but must be at least 0", (long long)size);
    CHECK(c, unit > 0, MPI_ERR_DISP, "the unit of displacements is %d, but must be at least 1",
          unit);
    CHECK(c, (uintptr_t)base <= UINTPTR_MAX - (uintptr_t)size, MPI_ERR_SIZE,
          "%lld bytes at %p are beyond all memory", (long long)size, base);
    CHECK(c, logp_machine_clock(m) != LOGP_CLOCK_VIRTUAL || logp_machine_cores(m) == 1,
          MPI_ERR_UNSUPPORTED_OPERATION,
          "on the virtual clock a window needs all ranks on one core: --cores 0");
    CHECK(c, flavor != MPI_WIN_FLAVOR_SHARED || !mpi_has_others(c), MPI_ERR_RMA_SHARED,
          "its ranks are in several processes, which share no memory; split the communicator by "
          "MPI_COMM_TYPE_SHARED");
    CHECK(c, flavor != MPI_WIN_FLAVOR_SHARED || is_on_one_node(c), MPI_ERR_RMA_SHARED,
          "its ranks are on several nodes, which share no memory; split the communicator by "
          "MPI_COMM_TYPE_SHARED");
    w = new_win(c, flavor);
    CHECK_MEMORY(c, w);
    w->own->base = base;
    w->own->size = size;
    w->own->unit = unit;
    w->next_of_rank = c->owner->windows;
    c->owner->windows = w;
    rc = mpi_find_targets(w);
    if (rc == MPI_SUCCESS)
        rc = mpi_set_info(&w->info, info);
    *win = (MPI_Win)w;
    return rc;
}

int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    int rc;

    ENTER_INTRA(c, comm);
    CHECK(c, base != NULL || size == 0, MPI_ERR_BASE,
          "the memory of the window is null, but its size is %lld", (long long)size);
    rc = make(c, MPI_WIN_FLAVOR_CREATE, base, size, unit, info, win);
    if (rc == MPI_SUCCESS && size > 0 && is_on_stack(c->owner, (uintptr_t)base))
        ((struct win *)*win)->on_stack = (uintptr_t)base;
    return rc;
}

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    ENTER_INTRA(c, comm);
    return make(c, MPI_WIN_FLAVOR_DYNAMIC, MPI_BOTTOM, 0, 1, info, win);
}

static const size_t line = 64; /* bytes of a cache line: memory begins on one */

static void *new_memory(size_t bytes)
{
    void *memory = aligned_alloc(line, (bytes + line) / line * line);

    if (memory != NULL)
        memset(memory, 0, bytes);
    return memory;
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                     MPI_Win *win)
{
    void *memory;
    int rc;

    ENTER_INTRA(c, comm);
    CHECK(c, base != NULL, MPI_ERR_ARG, "base is a null pointer");
    CHECK(c, size >= 0, MPI_ERR_SIZE, "the size is %lld, but must be at least 0", (long long)size);
    memory = new_memory((size_t)size);
    CHECK(c, memory != NULL, MPI_ERR_NO_MEM, "no memory for %lld bytes", (long long)size);
    rc = make(c, MPI_WIN_FLAVOR_ALLOCATE, memory, size, unit, info, win);
    if (rc != MPI_SUCCESS) {
        free(memory);
        return rc;
    }
    ((struct win *)*win)->memory = memory;
    memcpy(base, &memory, sizeof(void *));
    return rc;
}

/* Whether a hint of the window allows gaps between the parts of ranks. */
static bool is_apart(const struct win *w)
{
    const char *value = mpi_info_value(w->info, "alloc_shared_noncontig");

    return value != NULL && strcmp(value, "true") == 0;
}

/* Bytes of a rank's part, up to the next one; *fits: false if they are 2^63 or more. */
static MPI_Aint part_of(const struct win *w, int rank, bool apart, bool *fits)
{
    const MPI_Aint size = w->targets[rank]->size, all = (MPI_Aint)line;

    return apart ? plus(size, all - 1, fits) / all * all : size;
}

/* The parts of the ranks follow each other in memory of rank 0, whose hint also determines whether
 * each begins on a cache line. */
int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                            MPI_Win *win)
{
    struct {
        char *memory;
        bool apart;
    } first = {NULL, false};
    MPI_Aint before = 0, total = 0;
    bool fits = true;
    struct win *w;
    int rc;

    ENTER_INTRA(c, comm);
    CHECK(c, base != NULL, MPI_ERR_ARG, "base is a null pointer");
    rc = make(c, MPI_WIN_FLAVOR_SHARED, NULL, size, unit, info, win);
    if (rc != MPI_SUCCESS)
        return rc;
    w = (struct win *)*win;
    if (c->rank == 0) {
        first.apart = is_apart(w);
        for (int i = 0; i < c->size; i++)
            total = plus(total, part_of(w, i, first.apart, &fits), &fits);
        w->memory = first.memory = fits ? new_memory((size_t)total) : NULL;
    }
    rc = mpi_class_of(logp_broadcast(w->comm->vp, &first, sizeof(first), 0));
    CHECK(c, fits, MPI_ERR_SIZE, "the ranks want 2^63 bytes or more");
    CHECK(c, first.memory != NULL, MPI_ERR_NO_MEM, "no memory for the %lld bytes of this rank",
          (long long)size);
    for (int i = 0; i < c->rank; i++)
        before += part_of(w, i, first.apart, &fits);
    w->own->base = first.memory + before;
    memcpy(base, &w->own->base, sizeof(void *));
    return rc == MPI_SUCCESS ? mpi_class_of(logp_barrier(w->comm->vp)) : rc;
}

int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *unit, void *base)
{
    const struct target *t;

    ENTER_WIN(w, win);
    CHECK(w->comm, w->flavor == MPI_WIN_FLAVOR_SHARED, MPI_ERR_RMA_FLAVOR,
          "the window is not one of MPI_Win_allocate_shared");
    CHECK(w->comm, base != NULL, MPI_ERR_ARG, "base is a null pointer");
    if (rank != MPI_PROC_NULL)
        CHECK_WIN_RANK(w, rank);
    if (rank == MPI_PROC_NULL) /* the first that has any */
        for (rank = 0; rank + 1 < w->comm->size && w->targets[rank]->size == 0;)
            rank++;
    t = w->targets[rank];
    *size = t->size;
    *unit = t->unit;
    memcpy(base, t->size > 0 ? (const void *)&t->base : &(void *){NULL}, sizeof(void *));
    return MPI_SUCCESS;
}

int MPI_Win_attach(MPI_Win win, void *base, MPI_Aint size)
{
    struct region *r;

    ENTER_WIN(w, win);
    CHECK(w->comm, w->flavor == MPI_WIN_FLAVOR_DYNAMIC, MPI_ERR_RMA_FLAVOR,
          "the window is not dynamic");
    CHECK(w->comm, size >= 0, MPI_ERR_SIZE, "the size is %lld, but must be at least 0",
          (long long)size);
    CHECK(w->comm, (uintptr_t)base <= UINTPTR_MAX - (uintptr_t)size, MPI_ERR_SIZE,
          "%lld bytes at %p are beyond all memory", (long long)size, base);
    r = malloc(sizeof(*r));
    CHECK_MEMORY(w->comm, r);
    pthread_mutex_lock(&w->own->mutex);
    *r = (struct region){w->own->regions, base, size};
    w->own->regions = r;
    pthread_mutex_unlock(&w->own->mutex);
    return MPI_SUCCESS;
}

int MPI_Win_detach(MPI_Win win, const void *base)
{
    struct region **link, *r;

    ENTER_WIN(w, win);
    CHECK(w->comm, w->flavor == MPI_WIN_FLAVOR_DYNAMIC, MPI_ERR_RMA_FLAVOR,
          "the window is not dynamic");
    pthread_mutex_lock(&w->own->mutex);
    for (link = &w->own->regions; *link != NULL && (*link)->base != base;)
        link = &(*link)->next;
    r = *link;
    if (r != NULL)
        *link = r->next;
    pthread_mutex_unlock(&w->own->mutex);
    CHECK(w->comm, r != NULL, MPI_ERR_BASE, "no memory is attached at %p", base);
    free(r);
    return MPI_SUCCESS;
}

int MPI_Win_free(MPI_Win *win)
{
    int rc;

    ENTER_WIN(w, *win);
    TELL(returned, w, FRAME);
    CHECK(w->comm, !w->started && !w->posted && !w->all_locked, MPI_ERR_RMA_SYNC,
          "an epoch of the window has not ended");
    for (int i = 0; i < w->comm->size; i++)
        CHECK(w->comm, w->access[i] == 0, MPI_ERR_RMA_SYNC, "rank %d is still locked", i);
    rc = mpi_check_fenced(w);
    if (rc == MPI_SUCCESS)
        rc = mpi_delete_attributes(*win);
    if (rc != MPI_SUCCESS)
        return rc;
    rc = mpi_await_remote(w, 0, w->comm->size);
    if (rc == MPI_SUCCESS)
        rc = mpi_class_of(logp_barrier(w->comm->vp));
    free(w->memory);
    drop_win(w);
    *win = MPI_WIN_NULL;
    return rc;
}

/* ---- queries ---- */

int MPI_Win_get_group(MPI_Win win, MPI_Group *group)
{
    ENTER_WIN(w, win);
    *group = (MPI_Group)mpi_ranks_of(w->comm, false);
    CHECK_MEMORY(w->comm, *group);
    return MPI_SUCCESS;
}

int MPI_Win_set_info(MPI_Win win, MPI_Info info)
{
    ENTER_WIN(w, win);
    return mpi_set_info(&w->info, info);
}

/* The hints that the standard names, with their defaults. */
int MPI_Win_get_info(MPI_Win win, MPI_Info *info)
{
    static const char *const hints[][2] = {{"no_locks", "false"},
                                           {"accumulate_ordering", "rar,raw,war,waw"},
                                           {"accumulate_ops", "same_op_no_op"},
                                           {"same_size", "false"},
                                           {"same_disp_unit", "false"}};
    int length, set, rc;

    ENTER_WIN(w, win);
    rc = mpi_get_info(w->info, info);
    for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]) && rc == MPI_SUCCESS; i++) {
        rc = MPI_Info_get_valuelen(*info, hints[i][0], &length, &set);
        if (rc == MPI_SUCCESS && !set)
            rc = MPI_Info_set(*info, hints[i][0], hints[i][1]);
    }
    return rc;
}

int MPI_Win_set_name(MPI_Win win, const char *name)
{
    ENTER_WIN(w, win);
    snprintf(w->name, sizeof(w->name), "%s", name);
    return MPI_SUCCESS;
}

int MPI_Win_get_name(MPI_Win win, char *name, int *length)
{
    ENTER_WIN(w, win);
    *length = snprintf(name, MPI_MAX_OBJECT_NAME, "%s", w->name);
    return MPI_SUCCESS;
}

ATTRIBUTES(Win, MPI_Win, OBJECT_WIN, ENTER_WIN)

int MPI_Win_get_attr(MPI_Win win, int keyval, void *value, int *flag)
{
    ENTER_WIN(w, win);
    const struct own_attribute own[] = {{MPI_WIN_BASE, w->own->base},
                                        {MPI_WIN_SIZE, &w->own->size},
                                        {MPI_WIN_DISP_UNIT, &w->own->unit},
                                        {MPI_WIN_CREATE_FLAVOR, &w->flavor},
                                        {MPI_WIN_MODEL, &w->model}};

    return mpi_get_attribute(win, keyval, own, sizeof(own) / sizeof(own[0]), value, flag);
}

/* ---- errors ---- */

int MPI_Win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *handler)
{
    mpi_enter(__func__);
    return MPI_Comm_create_errhandler((MPI_Comm_errhandler_function *)(void (*)(void))function,
                                      handler);
}

ERROR_HANDLERS(Win, MPI_Win, ENTER_WIN, object->comm)
