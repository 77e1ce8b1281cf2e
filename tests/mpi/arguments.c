/* SPDX-License-Identifier: MIT */
/*
 * Wrong arguments, each with the class of its error, and right ones beside them that look alike. All ranks
 * make the same wrong call, or one alone makes it, and no message is left of it.
 */
#include "check.h"

#include <limits.h>
#include <stdint.h>

enum { N = 8, MOST = 16 /* ranks */ };
static int a[64], b[64], counts[16], displs[16];
static MPI_Request request;
static MPI_Comm world;

/* ---- null pointers ---- */

static void results(void)
{
    MPI_Status status;
    MPI_Datatype type;
    MPI_Win win;
    int n;

    FAILS(MPI_ERR_ARG, MPI_Comm_size(world, NULL));
    FAILS(MPI_ERR_ARG, MPI_Comm_rank(world, NULL));
    FAILS(MPI_ERR_ARG, MPI_Initialized(NULL));
    FAILS(MPI_ERR_ARG, MPI_Comm_dup(world, NULL));
    FAILS(MPI_ERR_ARG, MPI_Comm_split(world, 0, 0, NULL));
    FAILS(MPI_ERR_ARG, MPI_Comm_group(world, NULL));
    FAILS(MPI_ERR_ARG, MPI_Type_contiguous(2, MPI_INT, NULL));
    FAILS(MPI_ERR_ARG, MPI_Type_size(MPI_INT, NULL));
    FAILS(MPI_ERR_ARG, MPI_Isend(a, 1, MPI_INT, 0, 0, world, NULL));
    FAILS(MPI_ERR_ARG, MPI_Irecv(a, 1, MPI_INT, 0, 0, world, NULL));
    FAILS(MPI_ERR_ARG, MPI_Iallreduce(a, b, 1, MPI_INT, MPI_SUM, world, NULL));
    FAILS(MPI_ERR_ARG, MPI_Op_create(NULL, 1, NULL));
    FAILS(MPI_ERR_ARG, MPI_Win_allocate(8, 1, MPI_INFO_NULL, world, NULL, &win));
    FAILS(MPI_ERR_ARG, MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, world, NULL, &win));
    FAILS(MPI_ERR_ARG, MPI_Get_count(&status, MPI_INT, NULL));
    FAILS(MPI_ERR_ARG, MPI_Allgatherv(a, 1, MPI_INT, b, NULL, displs, MPI_INT, world));
    FAILS(MPI_ERR_ARG, MPI_Allgatherv(a, 1, MPI_INT, b, counts, NULL, MPI_INT, world));
    FAILS(MPI_ERR_ARG, MPI_Reduce_scatter(a, b, NULL, MPI_INT, MPI_SUM, world));
    CHECK(PMPI_Type_contiguous(2, MPI_INT, &type) == MPI_SUCCESS);
    FAILS(MPI_ERR_ARG, PMPI_Type_size(type, NULL));
    CHECK(MPI_Type_size(type, &n) == MPI_SUCCESS && n == 2 * sizeof(int));
    MPI_Type_free(&type);
}

static void buffers(void)
{
    FAILS(MPI_ERR_BUFFER, MPI_Bcast(NULL, 1, MPI_INT, 0, world));
    FAILS(MPI_ERR_BUFFER, MPI_Allreduce(NULL, b, 1, MPI_INT, MPI_SUM, world));
    FAILS(MPI_ERR_BUFFER, MPI_Allreduce(a, NULL, 1, MPI_INT, MPI_SUM, world));
    FAILS(MPI_ERR_BUFFER, MPI_Allgather(NULL, 1, MPI_INT, b, 1, MPI_INT, world));
    FAILS(MPI_ERR_BUFFER, MPI_Send(NULL, 1, MPI_INT, me, 0, world));
    CHECK(MPI_Bcast(NULL, 0, MPI_INT, 0, world) == MPI_SUCCESS);
    CHECK(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, world) == MPI_SUCCESS);
    CHECK(MPI_Reduce(a, me == 0 ? b : NULL, 1, MPI_INT, MPI_SUM, 0, world) == MPI_SUCCESS);
    CHECK(MPI_Gather(a, 1, MPI_INT, me == 0 ? b : NULL, 1, MPI_INT, 0, world) == MPI_SUCCESS);
    CHECK(MPI_Scatter(me == 0 ? a : NULL, 1, MPI_INT, b, 1, MPI_INT, 0, world) == MPI_SUCCESS);
}

/* ---- one buffer for two things ---- */

static void collectives_in_place(void)
{
    FAILS(MPI_ERR_BUFFER, MPI_Allreduce(a, a, 1, MPI_INT, MPI_SUM, world));
    FAILS(MPI_ERR_BUFFER, MPI_Allreduce(a, a + 1, 2, MPI_INT, MPI_SUM, world));
    FAILS(MPI_ERR_BUFFER, MPI_Scan(a, a, 2, MPI_INT, MPI_SUM, world));
    FAILS(MPI_ERR_BUFFER, MPI_Allgather(a + me, 1, MPI_INT, a, 1, MPI_INT, world));
    FAILS(MPI_ERR_BUFFER, MPI_Alltoall(a, 1, MPI_INT, a, 1, MPI_INT, world));
    FAILS(MPI_ERR_BUFFER, MPI_Reduce_scatter_block(a, a, 1, MPI_INT, MPI_SUM, world));
    /* the second of two blocks, too */
    if (P > 1)
        FAILS(MPI_ERR_BUFFER, MPI_Reduce_scatter_block(a, a + 2, 2, MPI_INT, MPI_SUM, world));
    FAILS(MPI_ERR_BUFFER, MPI_Iallreduce(a, a, 1, MPI_INT, MPI_SUM, world, &request));
    CHECK(MPI_Allreduce(a, a + 2, 2, MPI_INT, MPI_SUM, world) == MPI_SUCCESS);
    CHECK(MPI_Allreduce(a, a, 0, MPI_INT, MPI_SUM, world) == MPI_SUCCESS);
    CHECK(MPI_Allreduce(MPI_IN_PLACE, a, 2, MPI_INT, MPI_SUM, world) == MPI_SUCCESS);
    CHECK(MPI_Allgather(a + P, 1, MPI_INT, a, 1, MPI_INT, world) == MPI_SUCCESS);
    /* what is received counts at the root alone */
    CHECK(MPI_Reduce(a, me == 0 ? b : a, 1, MPI_INT, MPI_SUM, 0, world) == MPI_SUCCESS);
    CHECK(MPI_Gather(a, 1, MPI_INT, me == 0 ? b : a, 1, MPI_INT, 0, world) == MPI_SUCCESS);
}

/* Every other element of one array is sent, and the others are received. */
static void interleaved(void)
{
    MPI_Datatype every_other;

    MPI_Type_vector(N, 1, 2, MPI_INT, &every_other);
    FAILS(MPI_ERR_TYPE, MPI_Send(a, 1, every_other, me, 0, world));
    FAILS(MPI_ERR_TYPE, MPI_Bcast(a, 1, every_other, 0, world));
    FAILS(MPI_ERR_TYPE, MPI_Irecv(a, 1, every_other, me, 0, world, &request));
    MPI_Type_commit(&every_other);
    for (int i = 0; i < 2 * N; i++)
        a[i] = i;
    CHECK(MPI_Sendrecv(a, 1, every_other, me, 0, a + 1, 1, every_other, me, 0, world,
                       MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < N; i++)
        CHECK(a[2 * i + 1] == 2 * i);
    FAILS(MPI_ERR_RANK,
          MPI_Sendrecv(a, 1, MPI_INT, -7, 0, b, 1, MPI_INT, me, 0, world, MPI_STATUS_IGNORE));
    MPI_Type_free(&every_other);
}

static void messages(void)
{
    MPI_Request r[2];

    CHECK(MPI_Irecv(a, 4, MPI_INT, me, 1, world, &r[0]) == MPI_SUCCESS);
    CHECK(MPI_Irecv(a + 4, 4, MPI_INT, me, 2, world, &r[1]) == MPI_SUCCESS);
    CHECK(MPI_Send(b, 4, MPI_INT, me, 2, world) == MPI_SUCCESS);
    CHECK(MPI_Send(b, 4, MPI_INT, me, 1, world) == MPI_SUCCESS);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK(MPI_Isend(b, 4, MPI_INT, me, 1, world, &r[0]) == MPI_SUCCESS);
    CHECK(MPI_Isend(b + 2, 4, MPI_INT, me, 1, world, &r[1]) == MPI_SUCCESS); /* both only read */
    CHECK(MPI_Recv(a, 4, MPI_INT, me, 1, world, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_Recv(a, 4, MPI_INT, me, 1, world, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; i++) { /* one after the other */
        CHECK(MPI_Irecv(a, 4, MPI_INT, me, 1, world, &r[0]) == MPI_SUCCESS);
        CHECK(MPI_Send(b, 4, MPI_INT, me, 1, world) == MPI_SUCCESS);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    }
}

/* ---- operations ---- */

static void operations(void)
{
    MPI_Op none = MPI_OP_NULL;

    FAILS(MPI_ERR_OP, MPI_Allreduce(a, b, 1, MPI_BYTE, MPI_MAX, world));
    FAILS(MPI_ERR_OP, MPI_Allreduce(a, b, 1, MPI_PACKED, MPI_BOR, world));
    FAILS(MPI_ERR_OP, MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_BAND, world));
    FAILS(MPI_ERR_OP, MPI_Allreduce(a, b, 1, MPI_INT, MPI_MAXLOC, world));
    FAILS(MPI_ERR_OP, MPI_Allreduce(a, b, 1, MPI_INT, none, world));
    a[0] = 5;
    CHECK(MPI_Allreduce(a, b, sizeof(int), MPI_BYTE, MPI_BOR, world) == MPI_SUCCESS && b[0] == 5);
}

static void ranks_of_groups(void)
{
    MPI_Group all, out;

    MPI_Comm_group(world, &all);
    FAILS(MPI_ERR_RANK, MPI_Group_incl(all, 1, (int[]){P}, &out));
    if (P > 1) {
        FAILS(MPI_ERR_RANK, MPI_Group_incl(all, 2, (int[]){0, 0}, &out));
        FAILS(MPI_ERR_RANK, MPI_Group_excl(all, 2, (int[]){1, 1}, &out));
    }
    FAILS(MPI_ERR_RANK, MPI_Group_range_incl(all, 1, (int[][3]){{0, P, 1}}, &out));
    FAILS(MPI_ERR_RANK, MPI_Group_range_excl(all, 1, (int[][3]){{-1, 0, 1}}, &out));
    FAILS(MPI_ERR_ARG, MPI_Group_range_incl(all, 1, (int[][3]){{0, 0, 0}}, &out));
    FAILS(MPI_ERR_ARG, MPI_Group_range_excl(all, -1, NULL, &out));
    CHECK(MPI_Group_range_incl(all, 1, (int[][3]){{0, P, P + 1}}, &out) == MPI_SUCCESS);
    MPI_Group_free(&out);
    CHECK(MPI_Group_range_incl(all, 1, (int[][3]){{P - 1, 0, -1}}, &out) == MPI_SUCCESS);
    MPI_Group_free(&out);
    MPI_Group_free(&all);
}

/* ---- the rest, each by a rank alone ---- */

static void arrays(MPI_Datatype raw)
{
    MPI_Aint far[1] = {0};
    MPI_Datatype type;
    MPI_Status status;
    int n, flag, none[1] = {-1}, one[1] = {1};

    FAILS(MPI_ERR_ARG, MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE));
    FAILS(MPI_ERR_ARG, MPI_Waitany(2, NULL, &n, &status));
    FAILS(MPI_ERR_ARG, MPI_Testall(2, NULL, &flag, MPI_STATUSES_IGNORE));
    FAILS(MPI_ERR_ARG, MPI_Startall(1, NULL));
    FAILS(MPI_ERR_COUNT, MPI_Startall(-1, &request));
    CHECK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    FAILS(MPI_ERR_ARG, MPI_Type_indexed(1, NULL, displs, MPI_INT, &type));
    FAILS(MPI_ERR_ARG, MPI_Type_create_hindexed(1, one, NULL, MPI_INT, &type));
    FAILS(MPI_ERR_ARG, MPI_Type_create_struct(1, one, far, NULL, &type));
    FAILS(MPI_ERR_ARG, MPI_Type_create_subarray(1, NULL, one, displs, MPI_ORDER_C, MPI_INT, &type));
    FAILS(MPI_ERR_ARG, MPI_Type_create_subarray(1, one, one, displs, 77, MPI_INT, &type));
    FAILS(MPI_ERR_ARG, MPI_Dims_create(4, 1, NULL));
    FAILS(MPI_ERR_ARG, MPI_Get_count(NULL, MPI_INT, &n));
    FAILS(MPI_ERR_ARG, MPI_Test_cancelled(NULL, &flag));
    FAILS(MPI_ERR_COUNT, MPI_Gatherv(a, 1, MPI_INT, b, none, displs, MPI_INT, 0, MPI_COMM_SELF));
    FAILS(MPI_ERR_TYPE, MPI_Gatherv(a, 1, raw, b, one, displs, MPI_INT, 0, MPI_COMM_SELF));
    FAILS(MPI_ERR_TYPE, MPI_Scatterv(a, one, displs, raw, b, 1, MPI_INT, 0, MPI_COMM_SELF));
    FAILS(MPI_ERR_BUFFER, MPI_Gatherv(NULL, 1, MPI_INT, b, one, displs, MPI_INT, 0, MPI_COMM_SELF));
    FAILS(MPI_ERR_BUFFER, MPI_Allgatherv(NULL, 1, MPI_INT, b, one, displs, MPI_INT, MPI_COMM_SELF));
    FAILS(MPI_ERR_BUFFER,
          MPI_Alltoallv(a, one, displs, MPI_INT, NULL, one, displs, MPI_INT, MPI_COMM_SELF));
    FAILS(MPI_ERR_ARG,
          MPI_Alltoallv(a, NULL, displs, MPI_INT, b, one, displs, MPI_INT, MPI_COMM_SELF));
}

static void in_place(void)
{
    FAILS(MPI_ERR_BUFFER, MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, MPI_COMM_SELF));
    FAILS(MPI_ERR_BUFFER, MPI_Irecv(MPI_IN_PLACE, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request));
    FAILS(MPI_ERR_BUFFER, MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_SELF));
    FAILS(MPI_ERR_BUFFER, MPI_Allreduce(a, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF));
    FAILS(MPI_ERR_BUFFER, MPI_Gather(a, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_SELF));
    FAILS(MPI_ERR_BUFFER, MPI_Scatter(MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, 0, MPI_COMM_SELF));
    FAILS(MPI_ERR_BUFFER, MPI_Alltoall(a, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, MPI_COMM_SELF));
    FAILS(MPI_ERR_BUFFER,
          MPI_Sendrecv_replace(NULL, 1, MPI_INT, 0, 0, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
}

static void on_windows(MPI_Datatype raw)
{
    MPI_Win win;

    MPI_Win_create(b, sizeof(b), sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, win);
    FAILS(MPI_ERR_BUFFER, MPI_Put(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    FAILS(MPI_ERR_BUFFER, MPI_Get(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    FAILS(MPI_ERR_BUFFER, MPI_Fetch_and_op(a, NULL, MPI_INT, 0, 0, MPI_SUM, win));
    FAILS(MPI_ERR_BUFFER, MPI_Compare_and_swap(a, NULL, a + 1, MPI_INT, 0, 0, win));
    FAILS(MPI_ERR_TYPE, MPI_Put(a, 1, raw, 0, 0, 1, MPI_INT, win));
    FAILS(MPI_ERR_TYPE, MPI_Put(a, 1, MPI_INT, 0, 0, 1, raw, win));
    CHECK(MPI_Put(NULL, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win) == MPI_SUCCESS);
    CHECK(MPI_Fetch_and_op(NULL, a, MPI_INT, 0, 0, MPI_NO_OP, win) == MPI_SUCCESS);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void others(MPI_Datatype raw)
{
    static char room[256];
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Message message;
    MPI_Comm comm;
    MPI_Info info;
    void *memory;
    int position = 0, flag, size;

    MPI_Isend(a, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    MPI_Mprobe(0, 0, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE);
    FAILS(MPI_ERR_COUNT, MPI_Mrecv(b, -1, MPI_INT, &message, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_TYPE, MPI_Mrecv(b, 1, raw, &message, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_BUFFER, MPI_Mrecv(NULL, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
    CHECK(MPI_Mrecv(b, 1, MPI_INT, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    FAILS(MPI_ERR_BUFFER, MPI_Bsend(a, 1, MPI_INT, 0, 0, MPI_COMM_SELF));
    FAILS(MPI_ERR_ARG, MPI_Buffer_attach(room, -1));
    FAILS(MPI_ERR_BUFFER, MPI_Buffer_attach(NULL, 10));
    MPI_Buffer_attach(room, sizeof(room));
    FAILS(MPI_ERR_BUFFER, MPI_Buffer_attach(room, sizeof(room)));
    FAILS(MPI_ERR_BUFFER, MPI_Bsend(a, 65, MPI_INT, 0, 0, MPI_COMM_SELF));
    CHECK(MPI_Bsend(a, 1, MPI_INT, 0, 0, MPI_COMM_SELF) == MPI_SUCCESS);
    MPI_Recv(b, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    FAILS(MPI_ERR_ARG, MPI_Buffer_detach(NULL, &size));
    CHECK(MPI_Buffer_detach(&memory, &size) == MPI_SUCCESS && memory == room && size == 256);
    FAILS(MPI_ERR_TYPE, MPI_Pack(a, 1, raw, room, 64, &position, MPI_COMM_SELF));
    FAILS(MPI_ERR_BUFFER, MPI_Pack(a, 1, MPI_INT, NULL, 64, &position, MPI_COMM_SELF));
    FAILS(MPI_ERR_BUFFER, MPI_Unpack(room, 64, &position, NULL, 1, MPI_INT, MPI_COMM_SELF));
    FAILS(MPI_ERR_ARG, MPI_Comm_split_type(MPI_COMM_SELF, 77, 0, MPI_INFO_NULL, &comm));
    FAILS(MPI_ERR_ARG, MPI_Errhandler_free(&handler));
    FAILS(MPI_ERR_ARG, MPI_Comm_create_errhandler(NULL, &handler));
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_get_attr(world, MPI_KEYVAL_INVALID, &memory, &flag));
    FAILS(MPI_ERR_ARG, MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory));
    FAILS(MPI_ERR_ARG, MPI_Alloc_mem(1, MPI_INFO_NULL, NULL));
    MPI_Info_create(&info);
    FAILS(MPI_ERR_ARG, MPI_Info_set(info, NULL, "x"));
    FAILS(MPI_ERR_ARG, MPI_Info_set(info, "key", NULL));
    FAILS(MPI_ERR_INFO_KEY, MPI_Info_set(info, "", "x"));
    FAILS(MPI_ERR_ARG, MPI_Info_get(info, "key", -1, room, &flag));
    MPI_Info_free(&info);
    MPI_Cart_create(MPI_COMM_SELF, 1, (int[]){1}, (int[]){0}, 0, &comm);
    FAILS(MPI_ERR_ARG, MPI_Cart_coords(comm, 0, 0, b));
    FAILS(MPI_ERR_ARG, MPI_Cart_rank(comm, NULL, b));
    MPI_Comm_free(&comm);
}

/* Sizes and places that no 64 bits hold: MPI 3.1, 4.1.5 and 3.2.5. */
static void sizes(void)
{
    const MPI_Aint far[2] = {INTPTR_MAX, INTPTR_MIN};
    const int all = INT_MAX, two[2] = {INT_MAX, INT_MAX}, ones[2] = {1, 1}, from[2] = {0, 0};
    const MPI_Datatype doubles[2] = {MPI_DOUBLE, MPI_DOUBLE};
    int counts[MOST], n, elements, position = 0;
    MPI_Datatype large, other;
    MPI_Status status;
    MPI_Aint lb, extent;
    MPI_Count n_x;

    MPI_Type_contiguous(all, MPI_DOUBLE, &large);
    MPI_Type_commit(&large);
    CHECK(MPI_Type_size(large, &n) == MPI_SUCCESS && n == MPI_UNDEFINED);
    CHECK(MPI_Type_size_x(large, &n_x) == MPI_SUCCESS && n_x == all * (MPI_Count)8);
    CHECK(MPI_Pack_size(1, large, world, &n) == MPI_SUCCESS && n == MPI_UNDEFINED);
    FAILS(MPI_ERR_COUNT, MPI_Pack_size(all, large, world, &n));
    FAILS(MPI_ERR_COUNT, MPI_Pack_external_size("external32", all, large, &lb));
    FAILS(MPI_ERR_ARG, MPI_Type_contiguous(all, large, &other));
    FAILS(MPI_ERR_ARG, MPI_Type_vector(all, all, all, large, &other));
    FAILS(MPI_ERR_ARG, MPI_Type_vector(2, 1, all, large, &other));
    FAILS(MPI_ERR_ARG, MPI_Type_create_hvector(3, 1, INTPTR_MAX, MPI_INT, &other));
    FAILS(MPI_ERR_ARG, MPI_Type_indexed(2, ones, two, large, &other));
    FAILS(MPI_ERR_ARG, MPI_Type_create_indexed_block(2, 1, two, large, &other));
    FAILS(MPI_ERR_ARG, MPI_Type_create_hindexed(2, ones, far, MPI_INT, &other));
    FAILS(MPI_ERR_ARG, MPI_Type_create_struct(2, ones, far, doubles, &other));
    FAILS(MPI_ERR_ARG, MPI_Type_create_struct(1, two, far + 1, &large, &other));
    FAILS(MPI_ERR_ARG,
          MPI_Type_create_subarray(2, two, two, from, MPI_ORDER_C, MPI_DOUBLE, &other));
    FAILS(MPI_ERR_ARG, MPI_Type_create_subarray(2, two, ones, ones, MPI_ORDER_C, large, &other));
    FAILS(MPI_ERR_ARG, MPI_Type_create_resized(MPI_INT, INTPTR_MAX, 1, &other));
    MPI_Type_create_resized(MPI_INT, INTPTR_MIN, INTPTR_MAX, &other);
    CHECK(MPI_Type_get_extent(other, &lb, &extent) == MPI_SUCCESS && lb == INTPTR_MIN &&
          extent == INTPTR_MAX);
    MPI_Type_free(&other);

    FAILS(MPI_ERR_COUNT, MPI_Send(a, all, large, 0, 0, world));
    FAILS(MPI_ERR_COUNT, MPI_Recv(a, all, large, 0, 0, world, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_COUNT, MPI_Bcast(a, all, large, 0, world));
    FAILS(MPI_ERR_COUNT, MPI_Pack(a, all, large, b, 4, &position, world));
    FAILS(MPI_ERR_ARG, MPI_Pack(a, 1, MPI_INT, b, -1, &position, world));
    FAILS(MPI_ERR_ARG, MPI_Unpack(b, -1, &position, a, 1, MPI_INT, world));
    for (int i = 0; i < P; i++)
        counts[i] = all;
    FAILS(MPI_ERR_BUFFER, MPI_Reduce_scatter(a, b, counts, MPI_DOUBLE, MPI_SUM, world));

    memset(&status, 0, sizeof(status));
    MPI_Status_set_elements_x(&status, MPI_BYTE, (MPI_Count)5 << 30);
    MPI_Get_count(&status, MPI_BYTE, &n);
    MPI_Get_elements(&status, MPI_BYTE, &elements);
    MPI_Get_elements_x(&status, MPI_BYTE, &n_x);
    CHECK(n == MPI_UNDEFINED && elements == MPI_UNDEFINED && n_x == (MPI_Count)5 << 30);
    MPI_Get_count(&status, MPI_INT, &n);
    CHECK(n == 5 << 28);
    FAILS(MPI_ERR_COUNT, MPI_Status_set_elements_x(&status, large, INT64_MAX));
    CHECK(MPI_Aint_diff(MPI_Aint_add(INTPTR_MAX, 1), 1) == INTPTR_MAX);
    MPI_Type_free(&large);
}

static void far_in_windows(void)
{
    MPI_Win win;

    MPI_Win_create(b, sizeof(b), 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, win);
    FAILS(MPI_ERR_DISP, MPI_Put(a, 1, MPI_INT, 0, INTPTR_MAX, 1, MPI_INT, win));
    FAILS(MPI_ERR_DISP, MPI_Get(a, 1, MPI_INT, 0, INTPTR_MAX - 3, 1, MPI_INT, win));
    FAILS(MPI_ERR_DISP, MPI_Accumulate(a, 1, MPI_INT, 0, INTPTR_MIN, 1, MPI_INT, MPI_SUM, win));
    FAILS(MPI_ERR_RMA_RANGE, MPI_Put(a, 1, MPI_INT, 0, sizeof(b), 1, MPI_INT, win));
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Win_create(b, sizeof(b), INT_MAX, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, win);
    FAILS(MPI_ERR_DISP, MPI_Put(a, 1, MPI_INT, 0, INTPTR_MAX / 2, 1, MPI_INT, win));
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

/* A call that fails has sent and posted nothing: the next one of its kind finds its own messages. */
static void nothing_is_posted(MPI_Datatype raw)
{
    int counts[MOST], wrong[MOST], displs[MOST], in[MOST], out[MOST], one = me;
    MPI_Datatype types[MOST], raws[MOST], none[MOST];
    MPI_Request request, pair[3];
    MPI_Aint bytes[2] = {0, 0};
    MPI_Comm ring;

    for (int i = 0; i < P; i++) {
        counts[i] = wrong[i] = 1;
        displs[i] = i;
        types[i] = raws[i] = MPI_INT;
        none[i] = MPI_DATATYPE_NULL;
        in[i] = 100 * me + i;
    }
    wrong[(me + P - 1) % P] = -1; /* that comes last */
    raws[(me + P - 1) % P] = raw;
#define GOT(value)                                                                                 \
    for (int i = 0; i < P; i++) {                                                                  \
        CHECK(out[i] == (value));                                                                  \
        out[i] = -1;                                                                               \
    }
    FAILS(MPI_ERR_COUNT,
          MPI_Alltoallv(in, wrong, displs, MPI_INT, out, counts, displs, MPI_INT, world));
    in[0] += 1000;
    MPI_Alltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, world);
    GOT(100 * i + me + (me == 0 ? 1000 : 0))
    for (int i = 0; i < P; i++)
        displs[i] *= (int)sizeof(int);
    FAILS(MPI_ERR_TYPE,
          MPI_Ialltoallw(in, counts, displs, raws, out, counts, displs, types, world, &request));
    FAILS(MPI_ERR_TYPE, MPI_Alltoallw(in, counts, displs, types, out, counts, displs, raws, world));
    in[0] += 1000;
    MPI_Alltoallw(in, counts, displs, types, out, counts, displs, types, world);
    GOT(100 * i + me + (me == 0 ? 2000 : 0))
    FAILS(MPI_ERR_TYPE, MPI_Alltoallw(in, counts, displs, none, out, counts, displs, none, world));
    for (int i = 0; i < P; i++) { /* no data, and no datatype: E3SM and PnetCDF do so */
        counts[i] = i == right();
        wrong[i] = i == left();
        types[i] = i == right() ? MPI_INT : MPI_DATATYPE_NULL;
        none[i] = i == left() ? MPI_INT : MPI_DATATYPE_NULL;
    }
    MPI_Alltoallw(in, counts, displs, types, out, wrong, displs, none, world);
    CHECK(out[left()] == in[me] - 100 * me + 100 * left());
    for (int i = 0; i < P; i++) {
        counts[i] = 1;
        wrong[i] = i == P - 1 ? -1 : 1;
        displs[i] = i;
    }
    FAILS(MPI_ERR_COUNT, MPI_Allgatherv(&one, 1, MPI_INT, out, wrong, displs, MPI_INT, world));
    MPI_Allgatherv(&one, 1, MPI_INT, out, counts, displs, MPI_INT, world);
    GOT(i)
    one += 10;
    if (me == 0) {
        FAILS(MPI_ERR_COUNT, MPI_Gatherv(&one, 1, MPI_INT, out, wrong, displs, MPI_INT, 0, world));
        FAILS(MPI_ERR_COUNT, MPI_Scatterv(in, wrong, displs, MPI_INT, &one, 1, MPI_INT, 0, world));
        in[P - 1] = -5;
    }
    MPI_Gatherv(&one, 1, MPI_INT, out, counts, displs, MPI_INT, 0, world);
    if (me == 0)
        GOT(i + 10)
    for (int i = 0; i < P; i++)
        in[i] += 7;
    MPI_Scatterv(in, counts, displs, MPI_INT, &one, 1, MPI_INT, 0, world);
    CHECK(me == P - 1 ? one == 2 : one == me + 7 + (me == 0 ? 2000 : 0));

    FAILS(MPI_ERR_BUFFER, MPI_Sendrecv(NULL, 1, MPI_INT, right(), 0, &one, 1, MPI_INT, left(), 0,
                                       world, MPI_STATUS_IGNORE));
    MPI_Sendrecv(&me, 1, MPI_INT, right(), 0, &one, 1, MPI_INT, left(), 0, world,
                 MPI_STATUS_IGNORE);
    CHECK(one == left());
    MPI_Recv_init(&one, 1, MPI_INT, left(), 0, world, &pair[0]);
    MPI_Send_init(&P, 1, MPI_INT, right(), 0, world, &pair[1]);
    pair[2] = MPI_REQUEST_NULL;
    FAILS(MPI_ERR_REQUEST, MPI_Startall(3, pair));
    CHECK(MPI_Startall(2, pair) == MPI_SUCCESS);
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
    CHECK(one == P);
    MPI_Request_free(&pair[0]);
    MPI_Request_free(&pair[1]);

    MPI_Cart_create(world, 1, &P, (int[]){1}, 0, &ring);
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    types[0] = types[1] = raws[0] = none[0] = none[1] = MPI_INT;
    raws[1] = raw;
    bytes[1] = sizeof(int);
    counts[0] = counts[1] = 1;
    in[0] = me;
    in[1] = me;
    FAILS(MPI_ERR_TYPE,
          MPI_Neighbor_alltoallw(in, counts, bytes, raws, out, counts, bytes, types, ring));
    in[0] = in[1] = me + 50;
    MPI_Neighbor_alltoallw(in, counts, bytes, types, out, counts, bytes, types, ring);
    CHECK(out[0] == left() + 50 && out[1] == right() + 50);
    wrong[0] = wrong[1] = 0;
    none[0] = none[1] = MPI_DATATYPE_NULL;
    CHECK(MPI_Neighbor_alltoallw(in, wrong, bytes, none, out, wrong, bytes, none, ring) ==
          MPI_SUCCESS);
    MPI_Comm_free(&ring);
}

int main(int argc, char **argv)
{
    MPI_Datatype raw;

    start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (is_logp()) { /* others crash, or do not look */
        results();
        buffers();
        collectives_in_place();
        interleaved();
        messages();
        operations();
        ranks_of_groups();
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        MPI_Type_contiguous(1, MPI_INT, &raw); /* not committed */
        arrays(raw);
        in_place();
        on_windows(raw);
        others(raw);
        sizes();
        far_in_windows();
        nothing_is_posted(raw);
        MPI_Type_free(&raw);
    }
    MPI_Comm_free(&world);
    return all_hold("arguments");
}
