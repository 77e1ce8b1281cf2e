/* SPDX-License-Identifier: MIT */
/* Requests that the program completes, cancelled sends, persistent collectives, and handles as Fortran's integers. */
#include "check.h"

/* ---- requests that the program completes ---- */

static int queries, drops, cancels;

static int query(void *state, MPI_Status *status)
{
    queries++;
    MPI_Status_set_elements(status, MPI_INT, *(int *)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 7;
    status->MPI_TAG = 8;
    return MPI_SUCCESS;
}

static int drop(void *state)
{
    (void)state;
    drops++;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state, (void)complete;
    cancels++;
    return MPI_SUCCESS;
}

static void general(void)
{
    int n = 3, flag, count;
    MPI_Request request, same;
    MPI_Status status;

    MPI_Grequest_start(query, drop, cancel, &n, &request);
    MPI_Test(&request, &flag, &status);
    CHECK(!flag && queries == 0);
    MPI_Cancel(&request);
    CHECK(cancels == 1);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(request == MPI_REQUEST_NULL && queries == 1 && drops == 1);
    CHECK(status.MPI_SOURCE == 7 && status.MPI_TAG == 8 && count == 3);
    MPI_Grequest_start(query, drop, cancel, &n, &request);
    same = request;
    MPI_Request_free(&request);
    CHECK(drops == 1);
    MPI_Grequest_complete(same);
    CHECK(drops == 2 && request == MPI_REQUEST_NULL);
}

/* ---- cancelled sends and persistent collectives, which the installed MPIs lack ---- */

#ifdef MPI_ABI_VERSION
/* A send that waits for its receiver can be cancelled until a receive matches it; so the second of
 * two is received. It works again for a persistent one, and for one to the own rank. */
static void cancelled_sends(void)
{
    int first = 1, second = 2, got = 0, flag;
    MPI_Request r[3];
    MPI_Status s;

    MPI_Issend(&first, 1, MPI_INT, right(), 70, MPI_COMM_WORLD, &r[0]);
    MPI_Issend(&second, 1, MPI_INT, right(), 70, MPI_COMM_WORLD, &r[1]);
    MPI_Ssend_init(&first, 1, MPI_INT, right(), 71, MPI_COMM_WORLD, &r[2]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Cancel(&r[0]);
    MPI_Wait(&r[0], &s);
    MPI_Test_cancelled(&s, &flag);
    CHECK(flag && r[0] == MPI_REQUEST_NULL);
    for (int round = 0; round < 3; round++) {
        MPI_Start(&r[2]);
        MPI_Cancel(&r[2]);
        MPI_Wait(&r[2], &s);
        MPI_Test_cancelled(&s, &flag);
        CHECK(flag);
    }
    MPI_Start(&r[2]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_INT, left(), MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    CHECK(got == second && s.MPI_TAG == 70);
    MPI_Wait(&r[1], &s);
    MPI_Test_cancelled(&s, &flag);
    CHECK(!flag);
    MPI_Recv(&got, 1, MPI_INT, left(), MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    CHECK(got == first && s.MPI_TAG == 71);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Cancel(&r[2]); /* too late */
    MPI_Wait(&r[2], &s);
    MPI_Test_cancelled(&s, &flag);
    CHECK(!flag);
    MPI_Request_free(&r[2]);
    MPI_Issend(&first, 1, MPI_INT, me, 72, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&got, 1, MPI_INT, me, 72, MPI_COMM_WORLD, &r[1]);
    MPI_Cancel(&r[0]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK(got == first);
}

static void persistent(void)
{
    static int sum; /* an operation that is freed below writes it later */
    int value, *all = malloc((size_t)P * sizeof(int)), flag;
    MPI_Request r[4];

    MPI_Bcast_init(&value, 1, MPI_INT, P - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Allreduce_init(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
    MPI_Allgather_init(&me, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r[2]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r[3]);
    MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
    CHECK(flag && r[0] != MPI_REQUEST_NULL); /* it is not active */
    for (int i = 0; i < 5; i++) {
        value = me == P - 1 ? 10 + i : -1;
        sum = all[0] = all[P - 1] = -1;
        MPI_Startall(4, r);
        MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
        CHECK(value == 10 + i && sum == P * (P - 1) / 2 && all[0] == 0 && all[P - 1] == P - 1);
    }
    MPI_Start(&r[1]);
    MPI_Request_free(&r[1]); /* it goes on */
    for (int i = 0; i < 4; i++)
        if (i != 1)
            MPI_Request_free(&r[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    free(all);
}

/* Half of the ranks start them in another order than the others; by their initialisations they match. */
static void any_order(void)
{
    int value = -1, sums[2] = {-1, -1}, one = 1;
    MPI_Request r[4];

    MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
    MPI_Allreduce_init(&one, &sums[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r[2]);
    MPI_Allreduce_init(&me, &sums[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r[3]);
    for (int round = 0; round < 3; round++) {
        value = me == 0 ? 42 + round : -1;
        for (int i = 0; i < 4; i++)
            MPI_Start(&r[me % 2 == 0 ? i : 3 - i]);
        MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
        CHECK(value == 42 + round && sums[0] == P && sums[1] == P * (P - 1) / 2);
    }
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&r[i]);
}

/* The same where each rank gets what its neighbours send. */
static void any_order_of_neighbours(void)
{
    int periodic = 1, got[2][2] = {{-1, -1}, {-1, -1}}, twice = 2 * me;
    MPI_Request r[2];
    MPI_Comm ring;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &P, &periodic, 0, &ring);
    MPI_Neighbor_allgather_init(&me, 1, MPI_INT, got[0], 1, MPI_INT, ring, MPI_INFO_NULL, &r[0]);
    MPI_Neighbor_allgather_init(&twice, 1, MPI_INT, got[1], 1, MPI_INT, ring, MPI_INFO_NULL, &r[1]);
    MPI_Start(&r[me % 2]);
    MPI_Start(&r[1 - me % 2]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK(got[0][0] == left() && got[0][1] == right());
    CHECK(got[1][0] == 2 * left() && got[1][1] == 2 * right());
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Comm_free(&ring);
}

static void latter(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)n, (void)type; /* inout is the latter operand */
}

/* The program has no handle any more to what a request goes on to use. */
static void freed(void)
{
    int x[4] = {me, 1, me, 2}, last = -1;
    MPI_Datatype pair;
    MPI_Comm copy;
    MPI_Op op;
    MPI_Request r[2];

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    pair = vector(2, 1, 2, MPI_INT);
    MPI_Op_create(latter, 0, &op);
    MPI_Bcast_init(x, 1, pair, P - 1, copy, MPI_INFO_NULL, &r[0]);
    MPI_Reduce_init(&me, &last, 1, MPI_INT, op, 0, copy, MPI_INFO_NULL, &r[1]);
    MPI_Op_free(&op);
    MPI_Type_free(&pair);
    MPI_Comm_free(&copy);
    for (int i = 0; i < 3; i++) {
        x[0] = x[2] = me + i;
        MPI_Startall(2, r);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        CHECK(x[0] == P - 1 + i && x[1] == 1 && x[2] == P - 1 + i && x[3] == 2);
        CHECK(me != 0 || last == P - 1);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

static void wrong(void)
{
    MPI_Request request;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    FAILS(MPI_ERR_COMM, MPI_Barrier_init(MPI_COMM_NULL, MPI_INFO_NULL, &request));
    MPI_Bcast_init(NULL, -1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    FAILS(MPI_ERR_COUNT, MPI_Start(&request));
    MPI_Request_free(&request);
    request = MPI_REQUEST_NULL;
    FAILS(MPI_ERR_REQUEST, MPI_Grequest_complete(request));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}
#endif

/* ---- handles as integers ---- */

static void numbers(void)
{
    MPI_Status status, other;
    MPI_Fint f[16];
    MPI_Comm copy;
    MPI_Datatype t;
    int result;
#ifdef MPI_ABI_VERSION
    MPI_F08_status f08;
    int major, minor;
#endif

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Type_contiguous(2, MPI_INT, &t);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(copy)) == copy && MPI_Type_f2c(MPI_Type_c2f(t)) == t);
    CHECK(MPI_Comm_c2f(copy) == MPI_Comm_c2f(copy));
    CHECK(MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM);
#ifdef MPI_ABI_VERSION /* of MPI 5.0 */
    CHECK(MPI_Comm_fromint(MPI_Comm_toint(copy)) == copy && MPI_Comm_toint(copy) >= 0x400);
    CHECK(MPI_Comm_toint(MPI_COMM_WORLD) == 0x101 && MPI_Type_toint(MPI_INT) == 0x209);
    CHECK(MPI_Type_fromint(MPI_Type_toint(t)) == t && PMPI_Type_fromint(0x209) == MPI_INT);
    CHECK(MPI_File_fromint(MPI_File_toint(MPI_FILE_NULL)) == MPI_FILE_NULL);
    CHECK(MPI_Session_fromint(MPI_Session_toint(MPI_SESSION_NULL)) == MPI_SESSION_NULL);
    MPI_Abi_get_version(&major, &minor);
    CHECK(major == 1 && minor == 0);
    MPI_Status_set_tag(&status, 5);
    MPI_Status_set_source(&status, 6);
    MPI_Status_set_error(&status, 7);
    MPI_Status_c2f08(&status, &f08);
    MPI_Status_f082c(&f08, &other);
    MPI_Status_get_source(&other, &major);
    MPI_Status_get_tag(&other, &minor);
    CHECK(major == 6 && minor == 5 && other.MPI_ERROR == 7);
    MPI_Status_f082f(&f08, f);
    CHECK(f[MPI_F_SOURCE] == 6 && f[MPI_F_TAG] == 5 && f[MPI_F_ERROR] == 7);
    MPI_Status_get_error(&other, &major);
    CHECK(major == 7);
#endif
    CHECK(MPI_Request_f2c(MPI_Request_c2f(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
    MPI_Comm_compare(MPI_Comm_f2c(MPI_Comm_c2f(copy)), MPI_COMM_WORLD, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Sendrecv(&me, 1, MPI_INT, me, 5, &result, 1, MPI_INT, me, 5, copy, &status);
    MPI_Status_c2f(&status, f);
    MPI_Status_f2c(f, &other);
    CHECK(other.MPI_SOURCE == me && other.MPI_TAG == 5);
    MPI_Type_free(&t);
    MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    general();
#ifdef MPI_ABI_VERSION
    cancelled_sends();
    persistent();
    any_order();
    any_order_of_neighbours();
    freed();
    wrong();
#endif
    numbers();
    return all_hold("persistent");
}
