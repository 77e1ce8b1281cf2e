/* SPDX-License-Identifier: MIT */
/* Communicators: groups of the runtime with an error handler, attributes and a name. */
#include "attributes.h"
#include "info.h"
#include "rank.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct comm *mpi_comm_of(MPI_Comm handle)
{
    return comm_in(handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF ? mpi_this_rank() : NULL,
                   handle);
}

void mpi_set_comm(struct comm *c, struct logp_vp *vp, int n_first)
{
    const int rank = logp_vp_rank(vp), size = logp_vp_size(vp);
    const bool first = rank < n_first;

    c->vp = vp;
    c->inter = n_first > 0;
    c->rank = first ? rank : rank - n_first;
    c->size = first ? n_first : size - n_first;
    c->n_peers = c->inter ? size - c->size : size;
    c->first_peer = first ? n_first : 0;
}

int mpi_n_first_of(const struct comm *c)
{
    return !c->inter ? 0 : c->first_peer > 0 ? c->size : c->n_peers;
}

struct comm *mpi_new_comm(struct logp_vp *vp, int n_first, const struct comm *like)
{
    struct comm *c = calloc(1, sizeof(*c));

    if (c == NULL)
        return NULL;
    mpi_set_comm(c, vp, n_first);
    c->owner = mpi_this_rank();
    c->references = 1;
    c->errors = like->errors;
    return c;
}

void mpi_drop_graph(struct graph *g)
{
    if (g == NULL || --g->references > 0)
        return;
    free(g->in);
    free(g->out);
    free(g->index);
    free(g->edges);
    free(g);
}

void mpi_drop_parted(struct parted *p)
{
    for (struct parted *next; p != NULL; p = next) {
        next = p->next;
        free(p);
    }
}

void mpi_drop_comm(struct comm *c)
{
    if (c == NULL || --c->references > 0)
        return;
    logp_group_destroy(c->vp);
    free(c->inner);
    free(c->cart);
    mpi_drop_graph(c->graph);
    mpi_drop_info(&c->info);
    mpi_drop_parted(c->parted);
    mpi_bury_object(&c->object, sizeof(*c));
}

uint64_t mpi_id_of(const struct logp_vp *vp, uint32_t context)
{
    uint64_t id = (context + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    int first = 0;

    logp_group_translate(vp, 1, &first, NULL, &first);
    return ((id ^ id >> 29) + (uint64_t)first) * UINT64_C(0xbf58476d1ce4e5b9) | 1;
}

/* As logp_group_from(), whose messages have one tag for all groups. */
int mpi_join_group(struct logp_vp *vp, const int *members, int n, int tag, struct logp_vp **out)
{
    enum { FIRST_TAG = 1 << 29, N_TAGS = 1 << 28 }; /* above those of the runtime and of inter.c */
    struct logp_vp *group = logp_vp_collective(vp);
    uint32_t context = logp_group_context(vp), other = 0;
    int *ranks = malloc((size_t)n * sizeof(int)), me = 0, rc = ranks != NULL ? 0 : -ENOMEM;

    tag = FIRST_TAG + tag % N_TAGS;
    while (members[me] != logp_vp_rank(vp))
        me++;
    for (int64_t d = 1; rc == 0 && d < n; d *= 2) {
        rc = logp_sendrecv(group, members[(me + d) % n], tag, &context, sizeof(context),
                           members[(me - d + n) % n], tag, &other, sizeof(other), NULL);
        context = other > context ? other : context;
    }
    if (rc == 0)
        rc = logp_group_translate(vp, n, members, NULL, ranks);
    if (rc == 0)
        rc = logp_group_create(vp, context, ranks, n, out);
    free(ranks);
    return rc;
}

int mpi_give_comm(const struct comm *like, int rc, struct logp_vp *vp, int n_first, MPI_Comm *out)
{
    struct comm *c;

    *out = MPI_COMM_NULL;
    if (rc != 0 || vp == NULL)
        return mpi_class_of(rc);
    c = mpi_new_comm(vp, n_first, like);
    CHECK_MEMORY(NULL, c);
    c->id = c->inter ? 0 : mpi_id_of(vp, logp_vp_context(vp));
    *out = (MPI_Comm)c;
    return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm *comm)
{
    int rc;

    ENTER(c, *comm);
    CHECK(c, *comm != MPI_COMM_WORLD && *comm != MPI_COMM_SELF, MPI_ERR_COMM,
          "this communicator cannot be freed");
    rc = mpi_delete_attributes(*comm);
    if (rc != MPI_SUCCESS)
        return rc;
    mpi_drop_comm(c);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

/* ---- properties ---- */

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    ENTER(c, comm);
    *size = c->size;
    return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    ENTER(c, comm);
    *rank = c->rank;
    return MPI_SUCCESS;
}

struct group *mpi_ranks_of(const struct comm *c, bool peers)
{
    const int n = peers ? c->n_peers : c->size,
              first = peers ? c->first_peer : logp_vp_rank(c->vp) - c->rank;
    struct group *g = mpi_new_group(n);

    for (int i = 0; g != NULL && i < n; i++) {
        g->ranks[i] = first + i;
        logp_group_translate(c->vp, 1, &g->ranks[i], NULL, &g->ranks[i]);
    }
    return g;
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    ENTER(c, comm);
    *group = (MPI_Group)mpi_ranks_of(c, false);
    CHECK_MEMORY(c, *group);
    return MPI_SUCCESS;
}

int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
    ENTER(c, comm);
    CHECK(c, c->inter, MPI_ERR_COMM, "the communicator is not between two groups");
    *group = (MPI_Group)mpi_ranks_of(c, true);
    CHECK_MEMORY(c, *group);
    return MPI_SUCCESS;
}

int MPI_Comm_remote_size(MPI_Comm comm, int *size)
{
    ENTER(c, comm);
    CHECK(c, c->inter, MPI_ERR_COMM, "the communicator is not between two groups");
    *size = c->n_peers;
    return MPI_SUCCESS;
}

/* As MPI_Group_compare(), of the ranks of two communicators. */
static int compare(const struct comm *x, const struct comm *y, bool peers, int *result)
{
    MPI_Group a = (MPI_Group)mpi_ranks_of(x, peers), b = (MPI_Group)mpi_ranks_of(y, peers);

    CHECK(NULL, a != NULL && b != NULL, MPI_ERR_NO_MEM, "no memory");
    MPI_Group_compare(a, b, result);
    MPI_Group_free(&a);
    return MPI_Group_free(&b);
}

int MPI_Comm_compare(MPI_Comm a, MPI_Comm b, int *result)
{
    int others = MPI_IDENT;

    ENTER(x, a);
    COMM(y, b);
    *result = x == y ? MPI_IDENT : MPI_UNEQUAL;
    if (x == y || x->inter != y->inter)
        return MPI_SUCCESS;
    compare(x, y, false, result);
    if (x->inter)
        compare(x, y, true, &others);
    if (*result == MPI_UNEQUAL || others == MPI_UNEQUAL)
        *result = MPI_UNEQUAL;
    else
        *result = *result == MPI_IDENT && others == MPI_IDENT ? MPI_CONGRUENT : MPI_SIMILAR;
    return MPI_SUCCESS;
}

int MPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    ENTER(c, comm);
    *flag = c->inter;
    return MPI_SUCCESS;
}

int MPI_Comm_get_parent(MPI_Comm *parent)
{
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int MPI_Comm_set_name(MPI_Comm comm, const char *name)
{
    ENTER(c, comm);
    snprintf(c->name, sizeof(c->name), "%s", name);
    return MPI_SUCCESS;
}

int MPI_Comm_get_name(MPI_Comm comm, char *name, int *length)
{
    mpi_enter(__func__);
    if (comm == MPI_COMM_NULL) {
        *length = snprintf(name, MPI_MAX_OBJECT_NAME, "MPI_COMM_NULL");
        return MPI_SUCCESS;
    }
    COMM(c, comm);
    *length = snprintf(name, MPI_MAX_OBJECT_NAME, "%s", c->name);
    return MPI_SUCCESS;
}
