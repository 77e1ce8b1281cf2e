/* SPDX-License-Identifier: MIT */
/*
 * Communicators between two groups. The runtime has one group of both: first comes the one whose rank
 * 0 is lower in MPI_COMM_WORLD.
 */
#include "rank.h"
#include "world.h"

#include <stdlib.h>
#include <string.h>

enum { TAG = (1 << 29) - 1 }; /* of leaders: above all of the runtime's */

/* Threads of the members may join other groups at the same time, so the messages by which all members agree on a context could
 * meet those of another thread. The leaders choose it then, and contexts are unique in the run. */
static bool leaders_choose(void)
{
    /* relaxed: a sync of all ranks comes between */
    return atomic_load_explicit(&the_run.has_multiple, memory_order_relaxed);
}

/* The leaders exchange the ranks of their groups. *context: theirs, if they choose it */
static int meet(MPI_Comm peer, int leader, int tag, const struct group *own, struct group **others,
                uint32_t *context)
{
    struct logp_vp *vp;
    int n = 0, rc;

    COMM(p, peer);
    CHECK(p, (unsigned)leader < (unsigned)p->n_peers, MPI_ERR_RANK,
          "the other leader %d is not a rank of a communicator of %d", leader, p->n_peers);
    CHECK(p, tag >= 0, MPI_ERR_TAG, "the tag is %d, but must be at least 0", tag);
    vp = logp_vp_collective(p->vp);
    leader += p->first_peer;
    rc = mpi_class_of(
        logp_sendrecv(vp, leader, TAG, &own->n, sizeof(n), leader, TAG, &n, sizeof(n), NULL));
    if (rc != MPI_SUCCESS)
        return rc;
    if (leaders_choose()) {
        const uint32_t mine = logp_group_context(p->vp);

        rc = mpi_class_of(logp_sendrecv(vp, leader, TAG, &mine, sizeof(mine), leader, TAG, context,
                                        sizeof(*context), NULL));
        *context = mine > *context ? mine : *context;
        if (rc != MPI_SUCCESS)
            return rc;
    }
    *others = mpi_new_group(n);
    CHECK_MEMORY(p, *others);
    return mpi_class_of(logp_sendrecv(vp, leader, TAG, own->ranks, (size_t)own->n * sizeof(int),
                                      leader, TAG, (*others)->ranks, (size_t)n * sizeof(int),
                                      NULL));
}

/* The leader of c has `others`, and all get it. NULL: the leader has failed, or there is no memory */
static struct group *share(struct comm *c, int leader, struct group *others, uint32_t *context)
{
    int n = others != NULL ? others->n : 0;

    if (mpi_class_of(logp_broadcast(c->vp, &n, sizeof(n), leader)) != MPI_SUCCESS || n == 0)
        return others;
    if (leaders_choose())
        mpi_class_of(logp_broadcast(c->vp, context, sizeof(*context), leader));
    if (others == NULL)
        others = mpi_new_group(n);
    if (others != NULL)
        mpi_class_of(logp_broadcast(c->vp, others->ranks, (size_t)n * sizeof(int), leader));
    return others;
}

/* Make the communicator of two lists of ranks. context 0: all members agree on it */
static int join(struct comm *c, const struct group *own, const struct group *others,
                uint32_t context, MPI_Comm *out)
{
    const bool first = own->ranks[0] < others->ranks[0];
    const struct group *a = first ? own : others, *b = first ? others : own;
    struct logp_vp *vp = NULL;
    struct group *both;
    int rc;

    for (int i = 0; i < own->n; i++)
        for (int k = 0; k < others->n; k++)
            CHECK(c, own->ranks[i] != others->ranks[k], MPI_ERR_COMM,
                  "rank %d of MPI_COMM_WORLD is in both groups", own->ranks[i]);
    both = mpi_new_group(a->n + b->n);
    CHECK_MEMORY(c, both);
    memcpy(both->ranks, a->ranks, (size_t)a->n * sizeof(int));
    memcpy(both->ranks + a->n, b->ranks, (size_t)b->n * sizeof(int));
    rc = context == 0 ? logp_group_from(mpi_this_rank()->vp, both->ranks, both->n, &vp)
                      : logp_group_create(mpi_this_rank()->vp, context, both->ranks, both->n, &vp);
    free(both);
    return mpi_give_comm(c, rc, vp, a->n, out);
}

int MPI_Intercomm_create(MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader,
                         int tag, MPI_Comm *out)
{
    struct group *own, *others = NULL;
    uint32_t context = 0;
    int rc;

    ENTER_INTRA(c, local);
    *out = MPI_COMM_NULL;
    CHECK(c, (unsigned)local_leader < (unsigned)c->size, MPI_ERR_RANK,
          "the leader %d is not a rank of a communicator of %d", local_leader, c->size);
    own = mpi_ranks_of(c, false);
    CHECK_MEMORY(c, own);
    rc = c->rank == local_leader ? meet(peer, remote_leader, tag, own, &others, &context)
                                 : MPI_SUCCESS;
    others = share(c, local_leader, others, &context);
    if (others != NULL)
        rc = join(c, own, others, context, out);
    else if (rc == MPI_SUCCESS)
        rc = mpi_failed(c, MPI_ERR_OTHER, "the leader has failed");
    free(own);
    free(others);
    return rc;
}

int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm *out)
{
    struct logp_vp *vp = NULL;
    int rc;

    ENTER(c, comm);
    CHECK(c, c->inter, MPI_ERR_COMM, "the communicator is not between two groups");
    rc = logp_group_split(c->vp, 0, high != 0, &vp);
    return mpi_give_comm(c, rc, vp, 0, out);
}

/* Split by colour and key, and then by group. A colour in one group alone makes no communicator. */
int mpi_split_inter(struct comm *c, int color, int key, MPI_Comm *out)
{
    struct logp_vp *mixed = NULL, *vp = NULL;
    const int n_first = mpi_n_first_of(c);
    int rc = logp_group_split(c->vp, color, key, &mixed), n = 0;

    *out = MPI_COMM_NULL;
    if (rc != 0 || mixed == NULL)
        return mpi_class_of(rc);
    for (int i = 0, rank; i < logp_vp_size(mixed); i++) {
        logp_group_translate(mixed, 1, &i, c->vp, &rank);
        n += rank < n_first;
    }
    if (n > 0 && n < logp_vp_size(mixed))
        rc = logp_group_split(mixed, 0, c->first_peer == 0, &vp);
    logp_group_destroy(mixed);
    return mpi_give_comm(c, rc, vp, n, out);
}
