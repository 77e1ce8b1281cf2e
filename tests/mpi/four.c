/* SPDX-License-Identifier: MIT */
/* What programs use of MPI 4: partitioned messages, a send and a receive in one request, sessions, large counts. */
#include "check.h"

static void part_message(MPI_Datatype type, int stride)
{
    enum { N = 12 };
    int out[2 * N] = {0}, in[2 * N] = {0}, flag;
    MPI_Request requests[2];

    MPI_Precv_init(in, 3, N / 3, type, left(), 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Psend_init(out, 4, N / 4, type, right(), 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++)
            out[i * stride] = 100 * round + 10 * me + i;
        MPI_Startall(2, requests);
        MPI_Pready_range(2, 3, requests[1]);
        MPI_Pready(1, requests[1]);
        MPI_Pready_list(1, (int[]){0}, requests[1]);
        do
            MPI_Parrived(requests[0], 2, &flag);
        while (!flag);
        CHECK(in[(N - 1) * stride] == 100 * round + 10 * left() + N - 1);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < N; i++)
            CHECK(in[i * stride] == 100 * round + 10 * left() + i);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void send_and_receive(void)
{
    int x = -1, y = me;
    MPI_Request requests[2];
    MPI_Status statuses[2];

    MPI_Isendrecv(&me, 1, MPI_INT, right(), 1, &x, 1, MPI_INT, left(), 1, MPI_COMM_WORLD,
                  &requests[0]);
    MPI_Isendrecv_replace(&y, 1, MPI_INT, right(), 2, left(), 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    CHECK(x == left() && y == left());
    CHECK(statuses[0].MPI_SOURCE == left() && statuses[1].MPI_TAG == 2);
}

static void begin_session(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    char name[64];
    int n, length = sizeof(name), size;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n);
    CHECK(n == 2);
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name);
    CHECK(strcmp(name, "mpi://WORLD") == 0 && length == 12);
    MPI_Group_from_session_pset(session, name, &group);
    MPI_Comm_create_from_group(group, "four", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Comm_size(comm, &size);
    CHECK(size == P);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
}

static void count_more(void)
{
    const MPI_Count ones[] = {1, 1, 1, 1, 1}, many = 3000000000;
    const MPI_Aint places[] = {0, 1, 2, 3, 4};
    int all[5] = {0}, sum = 0;
    MPI_Datatype type;
    MPI_Request request;
    MPI_Status status;
    MPI_Count n;

    MPI_Type_contiguous_c(many, MPI_CHAR, &type);
    MPI_Type_size_c(type, &n);
    CHECK(n == many);
    MPI_Type_free(&type);
    MPI_Allreduce_c(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == P * (P - 1) / 2);
    if (P > 5)
        return;
    MPI_Iallgatherv_c(&me, 1, MPI_INT, all, ones, places, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    for (int i = 0; i < P; i++)
        CHECK(all[i] == i);
    MPI_Sendrecv_c(&me, 1, MPI_INT, right(), 3, all, 1, MPI_INT, left(), 3, MPI_COMM_WORLD,
                   &status);
    MPI_Get_count_c(&status, MPI_INT, &n);
    CHECK(all[0] == left() && n == 1);
}

static void add_many(void *in, void *inout, MPI_Count *n, MPI_Datatype *type)
{
    CHECK(*type == MPI_INT);
    for (MPI_Count i = 0; i < *n; i++)
        ((int *)inout)[i] += ((const int *)in)[i];
}

static void combine_more(void)
{
    int local = 2, sum = 0;
    MPI_Op op;

    MPI_Op_create_c(add_many, 1, &op);
    MPI_Allreduce(&me, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    CHECK(sum == P * (P - 1) / 2);
    MPI_Reduce_local(&sum, &local, 1, MPI_INT, op);
    CHECK(local == sum + 2);
    MPI_Op_free(&op);
}

/* What a program was started with, and names that one rank gives and the others look up. */
static void name_things(void)
{
    char text[MPI_MAX_PORT_NAME], port[MPI_MAX_PORT_NAME];
    int flag = 0, class = 0;
    MPI_Info info;

    MPI_Info_create_env(0, NULL, &info);
    MPI_Info_get(info, "maxprocs", 15, text, &flag);
    CHECK(flag && atoi(text) == P);
    MPI_Info_free(&info);
    MPI_Info_get(MPI_INFO_ENV, "command", 1000, text, &flag);
    CHECK(flag && strstr(text, "four") != NULL);
    MPI_Open_port(MPI_INFO_NULL, port);
    if (me == 0)
        MPI_Publish_name("four", MPI_INFO_NULL, port);
    MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Lookup_name("four", MPI_INFO_NULL, text);
    CHECK(strcmp(text, port) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (me == 0) {
        MPI_Error_class(MPI_Publish_name("four", MPI_INFO_NULL, "other"), &class);
        CHECK(class == MPI_ERR_SERVICE);
        CHECK(MPI_Unpublish_name("four", MPI_INFO_NULL, port) == MPI_SUCCESS);
        CHECK(MPI_Close_port(port) == MPI_SUCCESS);
        MPI_Error_class(MPI_Close_port(port), &class);
        CHECK(class == MPI_ERR_PORT);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Error_class(MPI_Lookup_name("four", MPI_INFO_NULL, text), &class);
    CHECK(class == MPI_ERR_NAME);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    MPI_Datatype apart;

    start(&argc, &argv);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &apart);
    MPI_Type_commit(&apart);
    part_message(MPI_INT, 1);
    part_message(apart, 2);
    MPI_Type_free(&apart);
    send_and_receive();
    begin_session();
    count_more();
    combine_more();
    name_things();
    return all_hold("four");
}
