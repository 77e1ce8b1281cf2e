/* SPDX-License-Identifier: MIT */
/* Communicators between two groups: how they are made and split, messages and collectives. */
#include "check.h"

static int low, n_own, n_other, rank; /* `low`: of the ranks below P / 2 */
static MPI_Comm local, inter;

static int sum_of(int first, int n)
{
    return n * first + n * (n - 1) / 2;
}

/* The first rank of the other group in MPI_COMM_WORLD. */
static int other(void)
{
    return low ? P / 2 : 0;
}

static void what_it_is(void)
{
    int flag, n, result;
    MPI_Group group;
    MPI_Comm copy;

    MPI_Comm_test_inter(inter, &flag);
    CHECK(flag);
    MPI_Comm_test_inter(local, &flag);
    CHECK(!flag);
    MPI_Comm_size(inter, &n);
    CHECK(n == n_own);
    MPI_Comm_rank(inter, &n);
    CHECK(n == rank);
    MPI_Comm_remote_size(inter, &n);
    CHECK(n == n_other);
    MPI_Comm_remote_group(inter, &group);
    MPI_Group_size(group, &n);
    CHECK(n == n_other);
    MPI_Group_rank(group, &n);
    CHECK(n == MPI_UNDEFINED);
    MPI_Group_free(&group);
    MPI_Comm_group(inter, &group);
    MPI_Group_rank(group, &n);
    CHECK(n == rank);
    MPI_Group_free(&group);
    MPI_Comm_dup(inter, &copy);
    MPI_Comm_compare(inter, copy, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_compare(inter, local, &result);
    CHECK(result == MPI_UNEQUAL);
    MPI_Comm_free(&copy);
}

static void messages(void)
{
    int x = -1, to = rank % n_other, found;
    MPI_Status status;
    MPI_Request r;

    /* rank 0 of each group hears all of the other */
    MPI_Isend(&me, 1, MPI_INT, 0, 5, inter, &r);
    for (int i = 0; rank == 0 && i < n_other; i++) {
        MPI_Probe(MPI_ANY_SOURCE, 5, inter, &status);
        MPI_Recv(&x, 1, MPI_INT, status.MPI_SOURCE, MPI_ANY_TAG, inter, &status);
        CHECK(x == other() + status.MPI_SOURCE && status.MPI_TAG == 5);
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (rank < n_own && rank < n_other) {
        MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 6, inter, &r);
        MPI_Ssend(&me, 1, MPI_INT, to, 6, inter);
        MPI_Wait(&r, &status);
        CHECK(status.MPI_SOURCE == rank && x == other() + rank);
        MPI_Sendrecv(&me, 1, MPI_INT, to, 7, &x, 1, MPI_INT, to, 7, inter, &status);
        CHECK(status.MPI_SOURCE == rank && x == other() + rank);
    }
    MPI_Barrier(inter);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &found, MPI_STATUS_IGNORE);
    CHECK(!found);
}

/* Which root a rank passes, if it is rank `of` of the lower group. */
static int root(int of)
{
    return !low ? of : rank == of ? MPI_ROOT : MPI_PROC_NULL;
}

static void one_to_all(MPI_Request *request)
{
    int x[3] = {me, me, me}, *all = malloc((size_t)(P + 1) * 3 * sizeof(int)), one = -1;
    int *counts = malloc((size_t)P * sizeof(int)), *displs = malloc((size_t)P * sizeof(int));
    const int last = P / 2 - 1;
    /* MPICH 4.0's MPI_Ibcast() between groups ends with wrong data for any root but 0 */
    const int from = request != NULL && !is_logp() ? 0 : last;

    if (request != NULL)
        MPI_Ibcast(x, 3, MPI_INT, root(from), inter, request);
    else
        MPI_Bcast(x, 3, MPI_INT, root(from), inter);
    if (request != NULL)
        MPI_Wait(request, MPI_STATUS_IGNORE);
    CHECK(x[2] == (low ? me : from));
    for (int i = 0; i < P; i++) {
        all[i] = 100 + i;
        counts[i] = 1;
        displs[i] = P - 1 - i;
    }
    MPI_Scatter(all, 1, MPI_INT, &one, 1, MPI_INT, root(0), inter);
    CHECK(one == (low ? -1 : 100 + rank));
    MPI_Scatterv(all, counts, displs, MPI_INT, &one, 1, MPI_INT, root(0), inter);
    CHECK(one == (low ? -1 : 100 + P - 1 - rank));
    MPI_Gather(&me, 1, MPI_INT, all, 1, MPI_INT, root(last), inter);
    for (int i = 0; root(last) == MPI_ROOT && i < n_other; i++)
        CHECK(all[i] == P / 2 + i);
    MPI_Gatherv(&me, 1, MPI_INT, all, counts, displs, MPI_INT, root(last), inter);
    for (int i = 0; root(last) == MPI_ROOT && i < n_other; i++)
        CHECK(all[P - 1 - i] == P / 2 + i);
    free(all);
    free(counts);
    free(displs);
}

static void all_to_all(void)
{
    int *in = malloc((size_t)P * sizeof(int)), *out = malloc((size_t)P * sizeof(int));
    int *counts = malloc((size_t)P * sizeof(int)), *displs = malloc((size_t)P * sizeof(int));
    MPI_Request r;

    for (int i = 0; i < P; i++) {
        in[i] = 100 * me + i;
        counts[i] = 1;
        displs[i] = i;
    }
    MPI_Allgather(&me, 1, MPI_INT, out, 1, MPI_INT, inter);
    for (int i = 0; i < n_other; i++)
        CHECK(out[i] == other() + i);
    memset(out, 0, (size_t)P * sizeof(int));
    MPI_Iallgatherv(&me, 1, MPI_INT, out, counts, displs, MPI_INT, inter, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < n_other; i++)
        CHECK(out[i] == other() + i);
    MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, inter);
    for (int i = 0; i < n_other; i++)
        CHECK(out[i] == 100 * (other() + i) + rank);
    memset(out, 0, (size_t)P * sizeof(int));
    MPI_Alltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, inter);
    for (int i = 0; i < n_other; i++)
        CHECK(out[i] == 100 * (other() + i) + rank);
    free(in);
    free(out);
    free(counts);
    free(displs);
}

static void reductions(void)
{
    const int sum = sum_of(other(), n_other), parts = n_own * n_other;
    int x = -1, *in = malloc((size_t)parts * sizeof(int)),
        *out = malloc((size_t)parts * sizeof(int));
    int *counts = malloc((size_t)n_own * sizeof(int));
    MPI_Request r;

    MPI_Allreduce(&me, &x, 1, MPI_INT, MPI_SUM, inter);
    CHECK(x == sum);
    MPI_Iallreduce(&me, &x, 1, MPI_INT, MPI_MAX, inter, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(x == other() + n_other - 1);
    x = -1;
    MPI_Reduce(&me, &x, 1, MPI_INT, MPI_SUM, root(0), inter);
    CHECK(x == (root(0) == MPI_ROOT ? sum : -1));
    /* each group's vector has n_own * n_other elements */
    for (int i = 0; i < parts; i++)
        in[i] = me + i;
    for (int i = 0; i < n_own; i++)
        counts[i] = n_other;
    MPI_Reduce_scatter_block(in, out, n_other, MPI_INT, MPI_SUM, inter);
    for (int i = 0; i < n_other; i++)
        CHECK(out[i] == sum + n_other * (rank * n_other + i));
    memset(out, 0, (size_t)parts * sizeof(int));
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, inter);
    for (int i = 0; i < n_other; i++)
        CHECK(out[i] == sum + n_other * (rank * n_other + i));
    free(in);
    free(out);
    free(counts);
}

static void made_of_it(void)
{
    MPI_Comm made;
    MPI_Group group, first;
    int n, x, flag;

    MPI_Intercomm_merge(inter, low ? 1 : 0, &made);
    MPI_Comm_rank(made, &x);
    CHECK(x == (low ? n_other + rank : rank));
    MPI_Comm_test_inter(made, &flag);
    CHECK(!flag);
    MPI_Allreduce(&me, &x, 1, MPI_INT, MPI_SUM, made);
    CHECK(x == sum_of(0, P));
    MPI_Comm_free(&made);
    /* the first of each group, then those of even and of odd rank */
    MPI_Comm_group(inter, &group);
    x = 0;
    MPI_Group_incl(group, 1, &x, &first);
    MPI_Comm_create(inter, first, &made);
    CHECK((made == MPI_COMM_NULL) == (rank > 0));
    if (made != MPI_COMM_NULL) {
        MPI_Sendrecv(&me, 1, MPI_INT, 0, 0, &x, 1, MPI_INT, 0, 0, made, MPI_STATUS_IGNORE);
        CHECK(x == other());
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&first);
    MPI_Group_free(&group);
    MPI_Comm_split(inter, rank % 2, -rank, &made);
    CHECK((made == MPI_COMM_NULL) == (rank % 2 == 1 && n_other < 2));
    if (made != MPI_COMM_NULL) {
        MPI_Comm_remote_size(made, &n);
        CHECK(n == (n_other + (rank % 2 == 0)) / 2);
        MPI_Allreduce(&me, &x, 1, MPI_INT, MPI_MIN, made);
        CHECK(x == other() + rank % 2);
        MPI_Comm_free(&made);
    }
}

static void wrong(void)
{
    MPI_Comm made;
    MPI_Group group;
    int x = 0, n;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    FAILS(MPI_ERR_COMM, MPI_Comm_remote_size(MPI_COMM_WORLD, &x));
    FAILS(MPI_ERR_COMM, MPI_Comm_remote_group(MPI_COMM_WORLD, &group));
    FAILS(MPI_ERR_COMM, MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &made));
    FAILS(MPI_ERR_ROOT, MPI_Bcast(&x, 1, MPI_INT, MPI_ROOT, MPI_COMM_WORLD));
    FAILS(MPI_ERR_COMM, MPI_Intercomm_create(MPI_COMM_NULL, 0, MPI_COMM_WORLD, 0, 0, &made));
    FAILS(MPI_ERR_RANK, MPI_Intercomm_create(MPI_COMM_SELF, 1, MPI_COMM_WORLD, 0, 0, &made));
    FAILS(MPI_ERR_RANK, MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, P, 0, &made));
    FAILS(MPI_ERR_TAG, MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 0, -1, &made));
    FAILS(MPI_ERR_COMM, MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, me, 0, &made));
    if (inter == MPI_COMM_NULL)
        return;
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    FAILS(MPI_ERR_RANK, MPI_Send(&x, 1, MPI_INT, n_other, 0, inter));
    FAILS(MPI_ERR_RANK, MPI_Recv(&x, 1, MPI_INT, n_other, 0, inter, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_ROOT, MPI_Bcast(&x, 1, MPI_INT, n_other, inter));
    FAILS(MPI_ERR_COMM, MPI_Scan(&x, &n, 1, MPI_INT, MPI_SUM, inter));
    FAILS(MPI_ERR_BUFFER, MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, inter));
    FAILS(MPI_ERR_COMM, MPI_Intercomm_create(inter, 0, MPI_COMM_WORLD, 0, 0, &made));
    FAILS(MPI_ERR_COMM, MPI_Cart_create(inter, 1, &n_own, &x, 0, &made));
    FAILS(MPI_ERR_COMM, MPI_Comm_create_group(inter, MPI_GROUP_EMPTY, 0, &made));
}

int main(int argc, char **argv)
{
    MPI_Request r;

    start(&argc, &argv);
    low = me < P / 2;
    n_own = low ? P / 2 : P - P / 2;
    n_other = P - n_own;
    inter = MPI_COMM_NULL;
    if (P > 1) {
        /* the leaders are the last ranks: an order of ranks is not one of leaders */
        MPI_Comm_split(MPI_COMM_WORLD, low, me, &local);
        MPI_Comm_rank(local, &rank);
        MPI_Intercomm_create(local, n_own - 1, MPI_COMM_WORLD, low ? P - 1 : P / 2 - 1, 9, &inter);
        what_it_is();
        messages();
        one_to_all(NULL);
        one_to_all(&r);
        all_to_all();
        reductions();
        made_of_it();
        MPI_Ibarrier(inter, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    if (is_logp())
        wrong();
    if (P > 1) {
        MPI_Comm_free(&local);
        MPI_Comm_free(&inter);
    }
    return all_hold("inter");
}
