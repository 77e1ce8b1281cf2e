/* SPDX-License-Identifier: MIT */
/*
 * Sessions: a rank that has one may call MPI, without MPI_Init(), too. There are the sets of processes mpi://WORLD and
 * mpi://SELF, whose groups become communicators without a parent. Source: MPI 4.0, 11.3
 */
#include "attributes.h"
#include "info.h"
#include "rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session {
    struct object object;
    struct comm errors; /* for its error handler alone */
    MPI_Info info;
};

static const char *const sets[] = {"mpi://WORLD", "mpi://SELF"};
enum { N_SETS = sizeof(sets) / sizeof(sets[0]) };

static const char *const levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                     "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
static const int level_values[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                   MPI_THREAD_MULTIPLE};
enum { N_LEVELS = sizeof(levels) / sizeof(levels[0]) };

#define SESSION(s, handle)                                                                         \
    struct session *s = object_of(handle);                                                         \
    CHECK(NULL, s != NULL, MPI_ERR_SESSION, "the session is null or has been finalized")
#define ENTER_SESSION(s, handle)                                                                   \
    mpi_enter(__func__);                                                                           \
    SESSION(s, handle)

/* Grant the level that the hints ask for, unless MPI_Init_thread() or another session has granted one. */
static int grant(struct rank *r, MPI_Info info)
{
    const char *wanted = mpi_info_value(info, "thread_level");

    if (r->initialized || r->n_sessions > 0)
        return MPI_SUCCESS;
    r->thread_level = MPI_THREAD_SINGLE;
    for (int i = 0; wanted != NULL && i < N_LEVELS; i++)
        if (strcmp(wanted, levels[i]) == 0)
            r->thread_level =
                level_values[i] < mpi_most_threads() ? level_values[i] : mpi_most_threads();
    return mpi_let_threads_call(r);
}

int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
    struct rank *r = mpi_enter_any(__func__);
    struct session *s = calloc(1, sizeof(*s));
    int rc;

    *session = MPI_SESSION_NULL;
    CHECK_MEMORY(NULL, s);
    rc = mpi_set_info(&s->info, info);
    if (rc == MPI_SUCCESS)
        rc = grant(r, s->info);
    if (rc != MPI_SUCCESS) {
        mpi_drop_info(&s->info);
        free(s);
        return rc;
    }
    s->errors = r->no_file;
    s->errors.errors = mpi_keep_errhandler(handler);
    s->errors.of = s;
    r->n_sessions++;
    *session = (MPI_Session)s;
    return MPI_SUCCESS;
}

int MPI_Session_finalize(MPI_Session *session)
{
    ENTER_SESSION(s, *session);
    mpi_this_rank()->n_sessions--;
    mpi_drop_info(&s->info);
    mpi_bury_object(&s->object, sizeof(*s));
    *session = MPI_SESSION_NULL;
    return MPI_SUCCESS;
}

int MPI_Session_get_info(MPI_Session session, MPI_Info *info)
{
    const int level = mpi_enter(__func__)->thread_level;
    int rc;

    SESSION(s, session);
    rc = mpi_get_info(s->info, info);
    for (int i = 0; rc == MPI_SUCCESS && i < N_LEVELS; i++)
        if (level == level_values[i])
            rc = MPI_Info_set(*info, "thread_level", levels[i]);
    return rc;
}

/* ---- sets of processes ---- */

int MPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int *n)
{
    (void)info;
    ENTER_SESSION(s, session);
    *n = N_SETS;
    return MPI_SUCCESS;
}

int MPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int *length, char *name)
{
    (void)info;
    ENTER_SESSION(s, session);
    CHECK(&s->errors, n >= 0 && n < N_SETS, MPI_ERR_ARG, "set %d of processes, but there are %d", n,
          N_SETS);
    CHECK(&s->errors, *length >= 0, MPI_ERR_ARG, "the length is %d, but must be at least 0",
          *length);
    if (*length > 0)
        snprintf(name, (size_t)*length, "%s", sets[n]);
    *length = (int)strlen(sets[n]) + 1;
    return MPI_SUCCESS;
}

/* The ranks of a set; their number is < 0: there is none of this name. */
static int n_in_set(const char *name)
{
    return strcmp(name, sets[0]) == 0 ? logp_vp_size(mpi_this_rank()->vp)
                                      : (strcmp(name, sets[1]) == 0 ? 1 : -1);
}

#define CHECK_SET(s, name)                                                                         \
    CHECK(&(s)->errors, n_in_set(name) > 0, MPI_ERR_ARG,                                           \
          "there is no set of processes %s, but mpi://WORLD and mpi://SELF", name)

int MPI_Session_get_pset_info(MPI_Session session, const char *name, MPI_Info *info)
{
    char text[16];
    int rc;

    ENTER_SESSION(s, session);
    CHECK_SET(s, name);
    snprintf(text, sizeof(text), "%d", n_in_set(name));
    rc = MPI_Info_create(info);
    return rc == MPI_SUCCESS ? MPI_Info_set(*info, "mpi_size", text) : rc;
}

int MPI_Group_from_session_pset(MPI_Session session, const char *name, MPI_Group *group)
{
    struct group *g;
    int n;

    ENTER_SESSION(s, session);
    *group = MPI_GROUP_NULL;
    CHECK_SET(s, name);
    n = n_in_set(name);
    g = mpi_new_group(n);
    CHECK_MEMORY(&s->errors, g);
    for (int i = 0; i < n; i++)
        g->ranks[i] = strcmp(name, sets[0]) == 0 ? i : logp_vp_rank(mpi_this_rank()->vp);
    *group = (MPI_Group)g;
    return MPI_SUCCESS;
}

/* ---- communicators without a parent ---- */

/* Calls with different names may run at the same time. */
static int tag_of_name(const char *name)
{
    uint32_t hash = 5381;

    for (; *name != '\0'; name++)
        hash = 33 * hash + (unsigned char)*name;
    return (int)(hash >> 1);
}

int MPI_Comm_create_from_group(MPI_Group group, const char *name, MPI_Info info,
                               MPI_Errhandler handler, MPI_Comm *out)
{
    const struct group *g = mpi_group_of(group);
    struct comm like = {.errors = handler};
    struct rank *r = mpi_enter(__func__);
    struct logp_vp *vp = NULL;
    int rc;

    *out = MPI_COMM_NULL;
    CHECK(NULL, g != NULL, MPI_ERR_GROUP, "the group is null or has been freed");
    if (g->n == 0)
        return MPI_SUCCESS;
    rc = mpi_join_group(r->vp, g->ranks, g->n, tag_of_name(name), &vp);
    rc = mpi_give_comm(&like, rc, vp, 0, out);
    if (rc == MPI_SUCCESS) {
        mpi_keep_errhandler(handler);
        rc = mpi_set_info(&((struct comm *)*out)->info, info);
    }
    return rc;
}

/* ---- errors ---- */

int MPI_Session_create_errhandler(MPI_Session_errhandler_function *function,
                                  MPI_Errhandler *handler)
{
    /* both kinds of functions get the address of a handle */
    return MPI_Comm_create_errhandler((MPI_Comm_errhandler_function *)(void *)function, handler);
}

ERROR_HANDLERS(Session, MPI_Session, ENTER_SESSION, &object->errors)
