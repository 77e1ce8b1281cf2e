/* SPDX-License-Identifier: MIT */
/* Communicators that are made of others: duplicates, those of a colour, and those of a group. */
#include "attributes.h"
#include "collective.h"
#include "info.h"
#include "host/host.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct cart *copy_of(const struct cart *from)
{
    const size_t n = sizeof(*from) + 2 * (size_t)from->n_dims * sizeof(int);
    struct cart *cart = malloc(n);

    if (cart == NULL)
        return NULL;
    cart->n_dims = from->n_dims;
    cart->dims = (int *)(cart + 1);
    cart->periods = cart->dims + cart->n_dims;
    memcpy(cart->dims, from->dims, (size_t)from->n_dims * sizeof(int));
    memcpy(cart->periods, from->periods, (size_t)from->n_dims * sizeof(int));
    return cart;
}

/* A duplicate also has the topology, the attributes and an info. */
static int duplicate(MPI_Comm comm, MPI_Info info, MPI_Comm out)
{
    const struct comm *c = mpi_comm_of(comm);
    struct comm *made = (struct comm *)out;
    int rc = MPI_SUCCESS;

    if (c->cart != NULL)
        made->cart = copy_of(c->cart);
    if (c->graph != NULL)
        c->graph->references++;
    made->graph = c->graph;
    if (info != NULL)
        rc = mpi_set_info(&made->info, info);
    return rc == MPI_SUCCESS ? mpi_copy_attributes(comm, out) : rc;
}

/* info: NULL: that of comm */
static int dup(const char *call, MPI_Comm comm, const MPI_Info *info, MPI_Comm *out)
{
    struct logp_vp *vp = NULL;
    int rc;

    ENTER_AS(c, call, comm);
    rc = logp_group_dup(c->vp, &vp);
    rc = mpi_give_comm(c, rc, vp, mpi_n_first_of(c), out);
    if (rc == MPI_SUCCESS)
        rc = duplicate(comm, info != NULL ? *info : c->info, *out);
    if (rc != MPI_SUCCESS && vp != NULL) { /* a function that copies an attribute has failed */
        if (mpi_delete_attributes(*out) == MPI_SUCCESS)
            mpi_drop_comm((struct comm *)*out);
        *out = MPI_COMM_NULL;
    }
    return rc;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
    return dup(__func__, comm, NULL, out);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *out)
{
    return dup(__func__, comm, &info, out);
}

/* The members have agreed on the context of a duplicate. */
static int complete_duplicate(struct request *r)
{
    const struct comm *like = r->comm;
    struct comm *made = r->made;
    const int n = logp_vp_size(like->vp);
    int *members = malloc((size_t)n * sizeof(int)), rc;

    r->made = NULL;
    CHECK_MEMORY(NULL, members);
    for (int i = 0; i < n; i++)
        logp_group_translate(like->vp, 1, &i, NULL, &members[i]);
    rc = logp_group_create(mpi_this_rank()->vp, r->made_context, members, n, &made->vp);
    free(members);
    if (rc == 0 && !made->inter)
        made->id = mpi_id_of(made->vp, r->made_context);
    return mpi_class_of(rc);
}

/* The first member chooses a context that no other rank of the process chooses: the members may make
 * other communicators before they wait for this one. MPI_COMM_SELF has context 1. */
static int idup(const char *call, MPI_Comm comm, const MPI_Info *info, MPI_Comm *out,
                MPI_Request *request)
{
    static _Atomic uint32_t last_context = 1;
    struct comm *made;
    int rc;

    ENTER_AS(c, call, comm);
    BEGIN(r, c);
    made = mpi_new_comm(c->vp, mpi_n_first_of(c), c);
    CHECK_MEMORY(c, made);
    made->vp = NULL;
    r->made = made;
    r->at_end = complete_duplicate;
    if (logp_vp_rank(c->vp) == 0)
        r->made_context = ++last_context;
    *out = (MPI_Comm)made;
    rc = mpi_class_of(
        logp_ibroadcast(c->vp, &r->made_context, sizeof(r->made_context), 0, &r->under_way));
    if (rc == MPI_SUCCESS)
        rc = duplicate(comm, info != NULL ? *info : c->info, *out);
    return mpi_end_collective(r, rc, request);
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *out, MPI_Request *request)
{
    CALLED();
    return idup(__func__, comm, NULL, out, request);
}

int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *out, MPI_Request *request)
{
    CALLED();
    return idup(__func__, comm, &info, out, request);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *out)
{
    struct logp_vp *vp = NULL;
    int rc;

    ENTER(c, comm);
    CHECK(c, color >= 0 || color == MPI_UNDEFINED, MPI_ERR_ARG,
          "the colour is %d, but must be at least 0 or MPI_UNDEFINED", color);
    if (c->inter)
        return mpi_split_inter(c, color == MPI_UNDEFINED ? LOGP_NO_COLOUR : color, key, out);
    rc = logp_group_split(c->vp, color == MPI_UNDEFINED ? LOGP_NO_COLOUR : color, key, &vp);
    return mpi_give_comm(c, rc, vp, 0, out);
}

/* The ranks of a process share memory, if --nodes does not divide them. */
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out)
{
    const struct logp_vp *vp = mpi_this_rank()->vp;
    const struct logp_machine *m = logp_vp_machine(vp);
    const int node = host_node_of(the_job, logp_vp_rank(vp)),
              place = node * logp_machine_processes(m) + logp_machine_process(m);

    (void)info;
    ENTER(c, comm);
    CHECK(c, type == MPI_COMM_TYPE_SHARED || type == MPI_UNDEFINED, MPI_ERR_ARG,
          "%d is not a type of communicators", type);
    return MPI_Comm_split(comm, type == MPI_UNDEFINED ? MPI_UNDEFINED : place, key, out);
}

/* The place of this rank in a group; MPI_UNDEFINED */
static int place_in(const struct group *g)
{
    const int me = logp_vp_rank(mpi_this_rank()->vp);

    for (int i = 0; i < g->n; i++)
        if (g->ranks[i] == me)
            return i;
    return MPI_UNDEFINED;
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *out)
{
    const struct group *g = mpi_group_of(group);
    struct logp_vp *vp = NULL;
    int place, rc;

    ENTER(c, comm);
    CHECK(c, g != NULL, MPI_ERR_GROUP, "the group is null or has been freed");
    place = place_in(g);
    if (c->inter)
        return mpi_split_inter(c, place == MPI_UNDEFINED ? LOGP_NO_COLOUR : 0,
                               place == MPI_UNDEFINED ? 0 : place, out);
    /* groups of different lists may be made at once: they differ in their first ranks */
    rc = logp_group_split(c->vp, place == MPI_UNDEFINED ? LOGP_NO_COLOUR : g->ranks[0],
                          place == MPI_UNDEFINED ? 0 : place, &vp);
    return mpi_give_comm(c, rc, vp, 0, out);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *out)
{
    const struct group *g = mpi_group_of(group);
    struct logp_vp *vp = NULL;
    int *members, rc;

    ENTER_INTRA(c, comm);
    CHECK(c, tag >= 0, MPI_ERR_TAG, "the tag is %d, but must be at least 0", tag);
    CHECK(c, g != NULL, MPI_ERR_GROUP, "the group is null or has been freed");
    *out = MPI_COMM_NULL;
    if (place_in(g) == MPI_UNDEFINED)
        return MPI_SUCCESS;
    members = malloc((size_t)g->n * sizeof(int));
    CHECK_MEMORY(c, members);
    rc = logp_group_translate(mpi_this_rank()->vp, g->n, g->ranks, c->vp, members);
    rc = rc != 0 ? rc : mpi_join_group(c->vp, members, g->n, tag, &vp);
    free(members);
    return mpi_give_comm(c, rc, vp, 0, out);
}
