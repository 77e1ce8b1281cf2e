/* SPDX-License-Identifier: MIT */
/* Point to point: all modes, requests of all kinds, wildcards, probes, nobody, long messages. */
#include "check.h"

enum { LONG = 200000 };

static void modes(void)
{
    int in = me, out = -1;
    MPI_Request r;
    MPI_Status s;
    int (*const isends[])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                          MPI_Request *) = {MPI_Isend, MPI_Issend, MPI_Ibsend};
    static char buffer[10000];
    void *detached;
    int size, n;

    MPI_Buffer_attach(buffer, sizeof(buffer));
    for (int i = 0; i < 3; i++) {
        isends[i](&in, 1, MPI_INT, right(), 10 + i, MPI_COMM_WORLD, &r);
        MPI_Recv(&out, 1, MPI_INT, left(), 10 + i, MPI_COMM_WORLD, &s);
        CHECK(out == left() && s.MPI_SOURCE == left() && s.MPI_TAG == 10 + i);
        MPI_Get_count(&s, MPI_INT, &n);
        CHECK(n == 1);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        CHECK(r == MPI_REQUEST_NULL);
    }
    MPI_Irecv(&out, 1, MPI_INT, left(), 20, MPI_COMM_WORLD, &r);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(&in, 1, MPI_INT, right(), 20, MPI_COMM_WORLD);
    MPI_Wait(&r, &s);
    CHECK(out == left());
    if (me % 2 == 0 && (me + 1 < P))
        MPI_Ssend(&in, 1, MPI_INT, right(), 21, MPI_COMM_WORLD);
    if (me % 2 == 1) {
        MPI_Recv(&out, 1, MPI_INT, left(), 21, MPI_COMM_WORLD, &s);
        CHECK(out == left());
    }
    MPI_Bsend(&in, 1, MPI_INT, right(), 22, MPI_COMM_WORLD);
    MPI_Recv(&out, 1, MPI_INT, left(), 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(out == left());
    MPI_Buffer_detach(&detached, &size);
    CHECK(detached == buffer && size == (int)sizeof(buffer));
}

static void wildcards(void)
{
    int seen = 0, x, flag = 0, n;
    MPI_Status s;

    if (me > 0)
        for (int i = 0; i < 3; i++) {
            x = 100 * me + i;
            MPI_Send(&x, 1, MPI_INT, 0, 30 + i, MPI_COMM_WORLD);
        }
    for (int i = 0; me == 0 && i < 3 * (P - 1); i++) {
        if (i % 2) {
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
        } else {
            for (flag = 0; !flag;)
                MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &s);
        }
        MPI_Get_count(&s, MPI_INT, &n);
        CHECK(n == 1);
        if (i % 3) {
            MPI_Recv(&x, 1, MPI_INT, s.MPI_SOURCE, s.MPI_TAG, MPI_COMM_WORLD, &s);
        } else {
            MPI_Message m;

            MPI_Mprobe(s.MPI_SOURCE, s.MPI_TAG, MPI_COMM_WORLD, &m, &s);
            MPI_Mrecv(&x, 1, MPI_INT, &m, &s);
            CHECK(m == MPI_MESSAGE_NULL);
        }
        CHECK(x == 100 * s.MPI_SOURCE + s.MPI_TAG - 30);
        seen += x;
    }
    CHECK(me > 0 || seen == 3 * 100 * P * (P - 1) / 2 + 3 * (P - 1));
    MPI_Barrier(MPI_COMM_WORLD);
}

static void nobody(void)
{
    int x = 5, n;
    MPI_Request r;
    MPI_Status s;

    MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &s);
    CHECK(x == 5 && s.MPI_SOURCE == MPI_PROC_NULL && s.MPI_TAG == MPI_ANY_TAG);
    MPI_Get_count(&s, MPI_INT, &n);
    CHECK(n == 0);
    MPI_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, &s);
    CHECK(s.MPI_SOURCE == MPI_PROC_NULL);
}

/* Every rank sends a long message to both neighbours, and waits in each of the four ways. */
static void many(int how)
{
    static int in[2][LONG], out[LONG];
    MPI_Request r[4];
    MPI_Status s[4];
    int n = 0, index, flag, indices[4], some;

    for (int i = 0; i < LONG; i++)
        out[i] = me + i;
    memset(in, 0, sizeof(in));
    MPI_Irecv(in[0], LONG, MPI_INT, left(), 40, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(in[1], LONG, MPI_INT, right(), 41, MPI_COMM_WORLD, &r[1]);
    MPI_Isend(out, LONG, MPI_INT, right(), 40, MPI_COMM_WORLD, &r[2]);
    MPI_Isend(out, LONG, MPI_INT, left(), 41, MPI_COMM_WORLD, &r[3]);
    if (how == 0) {
        MPI_Waitall(4, r, s);
        CHECK(s[0].MPI_SOURCE == left() && s[1].MPI_SOURCE == right());
    }
    while (how == 1 && n++ < 4) {
        MPI_Waitany(4, r, &index, &s[0]);
        CHECK(index >= 0 && index < 4 && r[index] == MPI_REQUEST_NULL);
    }
    while (how == 2 && n < 4) {
        MPI_Waitsome(4, r, &some, indices, s);
        CHECK(some > 0);
        n += some;
    }
    for (flag = 0; how == 3 && !flag;)
        MPI_Testall(4, r, &flag, s);
    for (n = 0; how == 4 && n < 4;) {
        MPI_Testany(4, r, &index, &flag, &s[0]);
        n += flag;
    }
    for (n = 0; how == 5 && n < 4;) {
        MPI_Testsome(4, r, &some, indices, s);
        n += some;
    }
    for (int i = 0; how == 6 && i < 4; i++)
        for (flag = 0; !flag;)
            MPI_Test(&r[i], &flag, &s[i]);
    for (int i = 0; i < 4; i++)
        CHECK(r[i] == MPI_REQUEST_NULL);
    for (int i = 0; i < LONG; i++)
        CHECK(in[0][i] == left() + i && in[1][i] == right() + i);
    MPI_Waitany(4, r, &index, &s[0]);
    CHECK(index == MPI_UNDEFINED);
}

static void persistent(void)
{
    int in = 0, out = 0;
    MPI_Request r[2];

    MPI_Send_init(&out, 1, MPI_INT, right(), 50, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(&in, 1, MPI_INT, left(), 50, MPI_COMM_WORLD, &r[1]);
    for (int i = 0; i < 10; i++) {
        out = 10 * me + i;
        MPI_Startall(2, r);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        CHECK(in == 10 * left() + i && r[0] != MPI_REQUEST_NULL);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    CHECK(r[0] == MPI_REQUEST_NULL);
}

/* A message that is too long for its receive is truncated there, and is not the next receive's. */
static void too_long_is_not_the_next_ones(void)
{
    int out[3] = {1, 2, 3}, first[2] = {9, 9}, second[3] = {9, 9, 9}, rc;
    MPI_Request r[2];
    MPI_Status s[2];

    MPI_Irecv(first, 1, MPI_INT, me, 63, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(second, 3, MPI_INT, me, 63, MPI_COMM_WORLD, &r[1]);
    MPI_Send(out, 3, MPI_INT, me, 63, MPI_COMM_WORLD);
    MPI_Send(out + 1, 1, MPI_INT, me, 63, MPI_COMM_WORLD);
    rc = MPI_Wait(&r[0], &s[0]);
    MPI_Error_class(rc, &rc);
    CHECK(rc == MPI_ERR_TRUNCATE || !is_logp());
    CHECK(MPI_Wait(&r[1], &s[1]) == MPI_SUCCESS && second[0] == 2 && second[1] == 9);
    CHECK(first[0] == 1 && first[1] == 9);
}

static void both(void)
{
    int out = me, in = -1, rc, n;
    int two[2] = {me, me};
    MPI_Request r;
    MPI_Status s;

    MPI_Sendrecv(&out, 1, MPI_INT, right(), 60, &in, 1, MPI_INT, left(), 60, MPI_COMM_WORLD, &s);
    CHECK(in == left() && s.MPI_SOURCE == left());
    MPI_Sendrecv_replace(&out, 1, MPI_INT, left(), 61, right(), 61, MPI_COMM_WORLD, &s);
    CHECK(out == right());
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Isend(two, 2, MPI_INT, me, 62, MPI_COMM_WORLD, &r);
    rc = MPI_Recv(&in, 1, MPI_INT, me, 62, MPI_COMM_WORLD, &s);
    MPI_Error_class(rc, &rc);
    CHECK(rc == MPI_ERR_TRUNCATE);
    MPI_Wait(&r, &s);
    too_long_is_not_the_next_ones();
    rc = MPI_Send(&in, 1, MPI_INT, P, 0, MPI_COMM_WORLD);
    MPI_Error_class(rc, &rc);
    CHECK(rc == MPI_ERR_RANK);
    rc = MPI_Send(&in, 1, MPI_INT, me, -5, MPI_COMM_WORLD);
    MPI_Error_class(rc, &rc);
    CHECK(rc == MPI_ERR_TAG);
    rc = MPI_Send(&in, -1, MPI_INT, me, 0, MPI_COMM_WORLD);
    MPI_Error_class(rc, &rc);
    CHECK(rc == MPI_ERR_COUNT);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Irecv(&in, 1, MPI_INT, me, 63, MPI_COMM_WORLD, &r);
    MPI_Cancel(&r);
    MPI_Wait(&r, &s);
    MPI_Test_cancelled(&s, &n);
    CHECK(n);
}

/* Two of three receives are complete, the second with an error: MPI 3.1, 3.7.5. */
static void error_in_status(void)
{
    int in[3] = {0, 0, 0}, out[2] = {1, 2}, flag = 0, rc = MPI_SUCCESS;
    MPI_Request r[3];
    MPI_Status s[3];

    if (!is_logp()) /* Open MPI gives the third back, too */
        return;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, left(), 60 + i, MPI_COMM_WORLD, &r[i]);
    MPI_Send(out, 1, MPI_INT, right(), 60, MPI_COMM_WORLD);
    MPI_Send(out, 2, MPI_INT, right(), 61, MPI_COMM_WORLD);
    while (!flag)
        rc = MPI_Testall(3, r, &flag, s);
    CHECK(class_of(rc) == MPI_ERR_IN_STATUS && s[0].MPI_ERROR == MPI_SUCCESS);
    CHECK(class_of(s[1].MPI_ERROR) == MPI_ERR_TRUNCATE && s[2].MPI_ERROR == MPI_ERR_PENDING);
    CHECK(r[0] == MPI_REQUEST_NULL && r[1] == MPI_REQUEST_NULL && r[2] != MPI_REQUEST_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(out, 1, MPI_INT, right(), 62, MPI_COMM_WORLD);
    MPI_Wait(&r[2], &s[2]);
    CHECK(in[0] == 1 && in[2] == 1 && s[2].MPI_TAG == 62);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    int flag;
    double t;

    MPI_Initialized(&flag);
    CHECK(!flag);
    start(&argc, &argv);
    t = MPI_Wtime();
    modes();
    wildcards();
    nobody();
    for (int how = 0; how < 7; how++)
        many(how);
    persistent();
    both();
    error_in_status();
    CHECK(MPI_Wtime() >= t && MPI_Wtick() > 0);
    if (me == 0)
        puts("point to point: all hold");
    MPI_Finalize();
    MPI_Finalized(&flag);
    CHECK(flag);
    return 0;
}
