/* SPDX-License-Identifier: MIT */
/* A planted bug for each word; `right` does much the same without one. */
#include "check.h"

static int x[8];
static MPI_Win win;

static void sum(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)length, (void)type;
}

static void ignore(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
}

/* What is made is freed, or left. */
static void objects(const char *which, int frees)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Group group = MPI_GROUP_NULL, pair = MPI_GROUP_NULL;
    MPI_Op op = MPI_OP_NULL;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL, same;
    int key = MPI_KEYVAL_INVALID;

    if (strcmp(which, "error handler") == 0) {
        MPI_Comm_create_errhandler(ignore, &handler);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
        MPI_Comm_get_errhandler(MPI_COMM_WORLD, &same);
        MPI_Errhandler_free(&same);
    }
    if (strcmp(which, "attribute key") == 0)
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    if (strcmp(which, "communicator") == 0)
        MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &comm);
    if (strcmp(which, "datatype") == 0)
        for (int i = 0; i < 3; i++) {
            if (frees && i > 0)
                MPI_Type_free(&type);
            MPI_Type_vector(2, 1, 2, MPI_INT, &type); /* left */
        }
    if (strcmp(which, "group") == 0) {
        MPI_Comm_group(MPI_COMM_WORLD, &group);
        MPI_Group_incl(group, 1, (int[]){0}, &pair);
        MPI_Group_free(&pair);
    }
    if (strcmp(which, "operation") == 0)
        MPI_Op_create(sum, 1, &op);
    if (strcmp(which, "info") == 0)
        MPI_Info_create(&info);
    if (strcmp(which, "window") == 0)
        MPI_Win_create(x, sizeof(x), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (!frees)
        return;
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
    if (type != MPI_DATATYPE_NULL)
        MPI_Type_free(&type);
    if (group != MPI_GROUP_NULL)
        MPI_Group_free(&group);
    if (op != MPI_OP_NULL)
        MPI_Op_free(&op);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    if (handler != MPI_ERRHANDLER_NULL)
        MPI_Errhandler_free(&handler);
    if (key != MPI_KEYVAL_INVALID)
        MPI_Comm_free_keyval(&key);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (strcmp(which, "window") == 0)
        MPI_Win_free(&win);
}

static void use_freed(const char *which)
{
    MPI_Comm comm, comm_copy;
    MPI_Datatype type, type_copy;
    MPI_Group group, group_copy;
    int out;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    comm_copy = comm, type_copy = type, group_copy = group;
    MPI_Comm_free(&comm);
    MPI_Type_free(&type);
    MPI_Group_free(&group);
    if (strcmp(which, "comm") == 0)
        MPI_Comm_rank(comm_copy, &out);
    if (strcmp(which, "type") == 0)
        MPI_Type_size(type_copy, &out);
    if (strcmp(which, "group") == 0)
        MPI_Group_size(group_copy, &out);
}

/* The buffer of a send is written before the send is complete, or after. */
static void write_early(int early)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype every_second = vector(4, 1, 2, MPI_INT);

    if (me == 0)
        MPI_Isend(x, 1, every_second, 1, 0, MPI_COMM_WORLD, &request); /* written */
    x[1] = 7;                                                          /* none of its data */
    if (early)
        x[2] = 7;
    if (me == 1)
        MPI_Recv(x, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* complete */
    x[2] = 7;
    MPI_Type_free(&every_second);
}

/* A short buffer is written before what reads it is complete. */
static void write_read(const char *what)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int sum[8], value = me;

    MPI_Win_create(x, sizeof(x), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (strcmp(what, "Isend") == 0)
        MPI_Isend(&value, 1, MPI_INT, me, 0, MPI_COMM_WORLD, &request); /* Isend */
    if (strcmp(what, "Iallreduce") == 0)
        MPI_Iallreduce(&value, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, /* Iallreduce */
                       &request);
    if (strcmp(what, "Put") == 0)
        MPI_Put(&value, 1, MPI_INT, me, 0, 1, MPI_INT, win); /* Put */
    value += me == 0;
    if (strcmp(what, "Isend") == 0)
        MPI_Recv(sum, 1, MPI_INT, me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* until here */
    MPI_Win_fence(0, win);                 /* until the fence */
    MPI_Win_free(&win);
}

/* The target writes what an operation uses, or its origin what it gets. */
static void write_own(const char *what)
{
    const int before = strcmp(what, "before") == 0, locks = strcmp(what, "locked") == 0,
              gets = strcmp(what, "got") == 0;
    int value = 5;

    MPI_Win_create(x, sizeof(x), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (before && me == 0)
        x[1] = 6;
    if (before) /* no order of the epoch */
        MPI_Barrier(MPI_COMM_WORLD);
    if (locks && me == 1)
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    if (gets && me == 1)
        MPI_Get(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win); /* got */
    else if (me == 1)
        MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win); /* used */
    value += gets;
    if (!before)
        MPI_Barrier(MPI_COMM_WORLD);
    if (!before && !gets && me == 0)
        x[1] = 6;
    MPI_Barrier(MPI_COMM_WORLD);
    if (locks && me == 1)
        MPI_Win_unlock(0, win);
    MPI_Win_fence(0, win); /* fenced */
    x[1] = 7;
    MPI_Win_free(&win);
}

/* Two operations at rank 0: one of them is at `second`. */
static void operate(int second, int locks)
{
    const MPI_Op own = me == 1 ? MPI_MAX : MPI_SUM;
    int value = me, got, other, old;
    MPI_Request request = MPI_REQUEST_NULL;

    MPI_Win_create(x, sizeof(x), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (locks) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
        if (second != 1)
            MPI_Win_flush(0, win);
        MPI_Get(&got, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
        MPI_Rget(&other, 1, MPI_INT, 0, 7, 1, MPI_INT, win, &request);
        MPI_Win_unlock(0, win);
    } else {
        MPI_Win_fence(0, win);
        for (int i = 0; i < 2; i++) { /* the same bytes in two epochs */
            if (me == 0)
                MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win); /* one */
            if (me == 1)
                MPI_Get(&got, 1, MPI_INT, 0, second, 1, MPI_INT, win); /* other */
            MPI_Accumulate(&value, 1, MPI_INT, 0, 5, 1, MPI_INT, MPI_SUM, win);
            MPI_Get_accumulate(NULL, 0, MPI_INT, &old, 1, MPI_INT, 0, 5, 1, MPI_INT, MPI_NO_OP,
                               win);
            if (second == 3)                                                    /* of two ranks */
                MPI_Accumulate(&value, 1, MPI_INT, 0, 4, 1, MPI_INT, own, win); /* op */
            MPI_Win_fence(0, win);
        }
    }
    MPI_Win_free(&win);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* its operation is complete */
}

/* An operation that is not complete reads or writes a buffer that another one writes, or a request. */
static void share_origin(const char *which)
{
    int value = me, got[2] = {0};
    MPI_Request request = MPI_REQUEST_NULL;

    MPI_Win_create(x, sizeof(x), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (strcmp(which, "fetched") == 0) {
        MPI_Get(got, 2, MPI_INT, 0, 0, 2, MPI_INT, win);     /* fetched by */
        MPI_Get(got + 1, 1, MPI_INT, 0, 2, 1, MPI_INT, win); /* fetched */
    }
    if (strcmp(which, "replaced") == 0) {
        MPI_Put(&value, 1, MPI_INT, 0, me, 1, MPI_INT, win);            /* replaced by */
        MPI_Irecv(&value, 1, MPI_INT, me, 6, MPI_COMM_WORLD, &request); /* replaced */
        MPI_Send(got, 1, MPI_INT, me, 6, MPI_COMM_WORLD);
    }
    if (strcmp(which, "added") == 0) {
        MPI_Irecv(got, 1, MPI_INT, me, 6, MPI_COMM_WORLD, &request);     /* added by */
        MPI_Accumulate(got, 1, MPI_INT, 0, 5, 1, MPI_INT, MPI_SUM, win); /* added */
        MPI_Send(&value, 1, MPI_INT, me, 6, MPI_COMM_WORLD);
    }
    if (strcmp(which, "read") == 0) {
        MPI_Get(got, 1, MPI_INT, 0, 1, 1, MPI_INT, win);  /* read by */
        MPI_Send(got, 1, MPI_INT, me, 6, MPI_COMM_WORLD); /* read */
        MPI_Recv(&value, 1, MPI_INT, me, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (strcmp(which, "right") == 0) {
        MPI_Put(&value, 1, MPI_INT, 0, me, 1, MPI_INT, win);
        MPI_Accumulate(&value, 1, MPI_INT, 0, 7, 1, MPI_INT, MPI_SUM, win);
        MPI_Isend(&value, 1, MPI_INT, me, 6, MPI_COMM_WORLD, &request);
        MPI_Recv(got, 1, MPI_INT, me, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 20; i++) { /* complete before it is used again */
            MPI_Get(got, 2, MPI_INT, 1, 2, 2, MPI_INT, win);
            MPI_Win_flush_local(1, win);
        }
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Win_fence(0, win);
    if (strcmp(which, "right") == 0)
        for (int i = 0; i < 3; i++) {
            MPI_Get(got, 1, MPI_INT, i % 2, 4, 1, MPI_INT, win);
            MPI_Win_fence(0, win);
        }
    MPI_Win_free(&win);
}

/* In an epoch of fences each rank gets words of the next one into its own window: at `to`. */
static void get_around(int to)
{
    MPI_Request request;

    MPI_Win_create(x, sizeof(x), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Isend(x + 1, 1, MPI_INT, me, 6, MPI_COMM_WORLD, &request); /* two read */
    MPI_Recv(x + 5, 1, MPI_INT, me, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Get(x + to, 2, MPI_INT, (me + 1) % P, 1, 2, MPI_INT, win); /* around */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static __attribute__((noinline)) void begin_send(MPI_Request *request, const int *given)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    const int own = me;

    MPI_Isend(given != NULL ? given : &own, 1, MPI_INT, me, 8, world, request); /* local request */
}

/* The request stays, but it is known to be complete. */
static __attribute__((noinline)) void complete_send(MPI_Request *request)
{
    const int own = me;
    int got, done = 0;

    MPI_Isend(&own, 1, MPI_INT, me, 8, MPI_COMM_WORLD, request);
    MPI_Recv(&got, 1, MPI_INT, me, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (!done)
        MPI_Request_get_status(*request, &done, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void begin_window(void)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    int values[4] = {0};

    MPI_Win_create(values, 16, 4, MPI_INFO_NULL, world, &win); /* local window */
}

/* A buffer is a local variable of a function that has returned. */
static void return_early(const char *which)
{
    MPI_Request request = MPI_REQUEST_NULL;
    const int sent = me;
    int got = 0;

    if (strcmp(which, "window") == 0) {
        begin_window();
        MPI_Win_free(&win); /* window too late */
        return;
    }
    if (strcmp(which, "nothing") == 0) {
        complete_send(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        begin_send(&request, NULL); /* its receiver says that it has come */
        MPI_Recv(&got, 1, MPI_INT, me, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    begin_send(&request, strcmp(which, "request") == 0 ? NULL : &sent);
    MPI_Recv(&got, 1, MPI_INT, me, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* request too late */
}

/* Blocking and nonblocking collectives in two orders */
static void change_order(int first)
{
    MPI_Request request;
    int value = 0;

    if (first)
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    if (!first)
        MPI_Bcast(&x[1], 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A broadcast need not wait, but it may. */
static void rely_on_bcast(void)
{
    int value = me, got;

    if (me == 1)
        MPI_Recv(&got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* before */
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);                        /* may wait */
    if (me == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
}

/* An operation on its way holds its datatype, whichever rank performs it. */
static void accumulate_pairs(void)
{
    enum { ROUNDS = 3000 };
    int ones[4] = {1, 1, 1, 1};
    MPI_Datatype pair = vector(2, 1, 2, MPI_INT);

    MPI_Win_create(x, sizeof(x), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Win_sync(win);
        MPI_Accumulate(ones, 1, pair, (me + i) % P, 0, 1, pair, MPI_SUM, win);
        if (i % 8 == 7)
            MPI_Win_flush_all(win);
    }
    MPI_Win_unlock_all(win);
    MPI_Type_free(&pair);
    MPI_Win_free(&win);
}

/* Four ints, as two pairs, as a structure with an int and three more, or as what they are not. */
static void exchange(MPI_Datatype out, int n_out, MPI_Datatype in, int n_in)
{
    MPI_Request request;
    MPI_Message message;
    double room[8];

    if (me == 0) {
        MPI_Send(x, n_out, out, 1, 3, MPI_COMM_WORLD); /* sent */
        MPI_Isend(x, n_out, out, 1, 3, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Ssend(x, n_out, out, 1, 3, MPI_COMM_WORLD);
    } else if (me == 1) {
        MPI_Recv(room, n_in, in, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* received */
        MPI_Irecv(room, n_in, in, 0, 3, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(room, n_in, in, &message, MPI_STATUS_IGNORE);
    }
}

/* Data that do not lie in a row, on either side, beside what they are not. */
static void exchange_unlike(int sends)
{
    MPI_Datatype pair = vector(2, 1, 2, MPI_INT);

    if (sends)
        exchange(pair, 2, MPI_DOUBLE, 2);
    else
        exchange(MPI_DOUBLE, 2, pair, 2);
    MPI_Type_free(&pair);
}

static void exchange_types(void)
{
    MPI_Datatype pair, whole;

    pair = vector(2, 1, 2, MPI_INT);
    MPI_Type_create_struct(2, (int[]){2, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, pair},
                           &whole);
    MPI_Type_commit(&whole);
    exchange(MPI_INT, 4, pair, 2);
    exchange(pair, 2, MPI_INT, 8);
    exchange(whole, 1, MPI_INT32_T, 4);
    exchange(MPI_INT, 2, whole, 1); /* a part of an element */
    exchange(MPI_INT, 4, whole, 2);
    exchange(MPI_INT, 0, MPI_DOUBLE, 1);
    exchange(MPI_PACKED, 16, MPI_INT, 4);
    exchange(MPI_2INT, 2, MPI_INT, 4);
    MPI_Type_free(&pair);
    MPI_Type_free(&whole);
}

/* Data of two types in one call, or given to one collective by two ranks. `other` is what one of them
 * has in place of MPI_LONG. */
static void disagree(const char *which, MPI_Datatype other)
{
    enum { MOST = 16 };
    long in[MOST] = {0}, out[MOST];
    int counts[MOST], displs[MOST];
    MPI_Datatype mine = me == 1 ? other : MPI_LONG;
    MPI_Request request;

    for (int i = 0; i < MOST; i++)
        counts[i] = 1, displs[i] = i;
    if (strcmp(which, "put") == 0) {
        MPI_Win_create(out, sizeof(out), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_fence(0, win);
        MPI_Put(in, 1, other, me, 0, 1, MPI_LONG, win); /* put */
        MPI_Win_fence(0, win);
        MPI_Win_free(&win);
    }
    if (strcmp(which, "itself") == 0)
        MPI_Alltoall(in, 1, other, out, 1, MPI_LONG, MPI_COMM_WORLD); /* itself */
    if (strcmp(which, "members") == 0)
        MPI_Bcast(in, 1, mine, 0, MPI_COMM_WORLD); /* members */
    if (strcmp(which, "duplicate") == 0) {
        MPI_Comm comm, ordered;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_split(comm, 0, -me, &ordered); /* other ranks in it */
        MPI_Barrier(ordered);
        MPI_Allreduce(in, out, 1, mine, MPI_SUM, ordered); /* duplicate */
        MPI_Comm_free(&comm);
        MPI_Comm_free(&ordered);
    }
    if (strcmp(which, "later") == 0) {
        MPI_Comm comm;

        MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Bcast(in, 1, MPI_LONG, 0, comm);
        MPI_Bcast(in, 1, mine, 0, comm); /* later */
        MPI_Comm_free(&comm);
    }
    if (strcmp(which, "grouped") == 0) {
        MPI_Comm comm;
        MPI_Group all;

        MPI_Comm_group(MPI_COMM_WORLD, &all);
        MPI_Comm_create_group(MPI_COMM_WORLD, all, 0, &comm);
        MPI_Allreduce(in, out, 1, mine, MPI_SUM, comm); /* grouped */
        MPI_Group_free(&all);
        MPI_Comm_free(&comm);
    }
    if (strcmp(which, "merged") == 0) {
        MPI_Comm part, both, comm;

        MPI_Comm_split(MPI_COMM_WORLD, me == 0, 0, &part);
        MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, me == 0, 5, &both);
        MPI_Intercomm_merge(both, me == 0, &comm);
        MPI_Bcast(in, 1, mine, 0, comm); /* merged */
        MPI_Comm_free(&part);
        MPI_Comm_free(&both);
        MPI_Comm_free(&comm);
    }
    if (strcmp(which, "started") == 0) {
        MPI_Bcast_init(in, 1, MPI_LONG, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
        MPI_Scatter_init(in, 1, MPI_LONG, out, 1, mine, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request); /* started */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    if (strcmp(which, "root") == 0)
        MPI_Gather(in, 1, mine, out, 1, MPI_LONG, 0, MPI_COMM_WORLD); /* root */
    if (strcmp(which, "gatherv") == 0) {
        MPI_Igatherv(in, 1, mine, out, counts, displs, MPI_LONG, 0, MPI_COMM_WORLD, /* gatherv */
                     &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (strcmp(which, "short") == 0)
        MPI_Gatherv(in, me != 1, MPI_LONG, out, counts, displs, MPI_LONG, 0, /* short */
                    MPI_COMM_WORLD);
    if (strcmp(which, "long") == 0)
        MPI_Gatherv(in, 1 + (me == 1), MPI_LONG, out, counts, displs, MPI_LONG, 0, /* long */
                    MPI_COMM_WORLD);
    if (strcmp(which, "irecv") == 0 && me == 0)
        MPI_Send(in, 1, other, 1, 4, MPI_COMM_WORLD); /* sends */
    if (strcmp(which, "irecv") == 0 && me == 1) {
        MPI_Irecv(out, 1, MPI_LONG, 0, 4, MPI_COMM_WORLD, &request); /* posted */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (strcmp(which, "place") == 0) { /* what is in place is of no type */
        MPI_Alltoallv(MPI_IN_PLACE, counts, displs, MPI_INT, out, counts, displs, MPI_LONG,
                      MPI_COMM_WORLD);
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, out, 1, MPI_LONG, MPI_COMM_WORLD);
    }
}

/* An operation after a fence is not complete when the window goes, or another epoch begins. */
static void leave_fence(const char *what)
{
    MPI_Win_create(x, sizeof(x), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (me == 0)
        MPI_Put(&P, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    if (strcmp(what, "fence") == 0)
        MPI_Win_fence(0, win);
    if (strcmp(what, "lock") == 0 && me == 0)
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win); /* lock after put */
    if (strcmp(what, "lock_all") == 0 && me == 0)
        MPI_Win_lock_all(0, win); /* lock_all after put */
    MPI_Win_free(&win);           /* free after put */
}

/* Each rank has its own lock and asks for that of the next. */
static void lock_in_a_circle(void)
{
    MPI_Win_create(x, sizeof(x), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, (me + 1) % P, 0, win); /* next */
}

/* A request that is not complete writes a buffer that another call uses, or the other way round. */
static void share(const char *which)
{
    const int next = (me + 1) % P, before = (me + P - 1) % P, tag = 5;
    const MPI_Comm world = MPI_COMM_WORLD;
    int given[2] = {me, 1}, sums[2], copy[2] = {7, 7}, all[128] = {0}, one = 1;
    MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    if (strcmp(which, "taken") == 0) {
        MPI_Irecv(sums, 1, MPI_INT, before, tag, world, &r[0]);         /* taken by */
        MPI_Iallreduce(given, sums, 2, MPI_INT, MPI_SUM, world, &r[1]); /* taken */
        MPI_Send(&one, 1, MPI_INT, next, tag, world);
    }
    if (strcmp(which, "reduced") == 0) {
        MPI_Iallreduce(given, sums, 2, MPI_INT, MPI_SUM, world, &r[0]); /* reduced by */
        MPI_Irecv(given + 1, 1, MPI_INT, before, tag, world, &r[1]);    /* reduced */
        MPI_Send(&one, 1, MPI_INT, next, tag, world);
    }
    if (strcmp(which, "gathered") == 0) {
        MPI_Iallgather(given, 2, MPI_INT, all, 2, MPI_INT, world, &r[0]); /* gathered by */
        MPI_Isend(all + 1, 1, MPI_INT, next, tag, world, &r[1]);          /* gathered */
        MPI_Recv(&one, 1, MPI_INT, before, tag, world, MPI_STATUS_IGNORE);
    }
    if (strcmp(which, "twice") == 0) {
        MPI_Ibcast(copy, 2, MPI_INT, 0, world, &r[0]); /* twice by */
        MPI_Ibcast(copy, 2, MPI_INT, 0, world, &r[1]); /* twice */
    }
    if (strcmp(which, "sent") == 0) {
        MPI_Irecv(copy, 1, MPI_INT, before, tag, world, &r[0]); /* sent by */
        MPI_Send(copy, 1, MPI_INT, next, tag, world);           /* sent now */
    }
    if (strcmp(which, "received") == 0) {
        MPI_Isend(copy, 1, MPI_INT, next, tag, world, &r[0]);              /* received by */
        MPI_Recv(copy, 1, MPI_INT, before, tag, world, MPI_STATUS_IGNORE); /* received now */
    }
    if (strcmp(which, "waits") == 0) {
        MPI_Irecv(copy, 1, MPI_INT, before, tag, world, &r[0]); /* waits by */
        MPI_Bcast(copy, 2, MPI_INT, 0, world);                  /* waits */
        MPI_Send(&one, 1, MPI_INT, next, tag, world);
    }
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

/* Requests may read the same buffer, and the root of a broadcast reads. */
static void read_together(void)
{
    const int next = (me + 1) % P, before = (me + P - 1) % P, tag = 5;
    const MPI_Comm world = MPI_COMM_WORLD;
    int given[2] = {me, 1}, sums[2], maxima[2], copy[2] = {7, 7}, one;
    MPI_Request r[3];

    MPI_Iallreduce(given, sums, 2, MPI_INT, MPI_SUM, world, &r[0]);
    MPI_Iallreduce(given, maxima, 2, MPI_INT, MPI_MAX, world, &r[1]);
    MPI_Isend(given + 1, 1, MPI_INT, next, tag, world, &r[2]);
    MPI_Recv(&one, 1, MPI_INT, before, tag, world, MPI_STATUS_IGNORE);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    MPI_Ibcast(me == 0 ? copy : sums, 2, MPI_INT, 0, world, &r[0]);
    MPI_Isend(copy, 1, MPI_INT, next, tag, world, &r[1]);
    MPI_Bcast(me == 0 ? copy : maxima, 2, MPI_INT, 0, world);
    MPI_Recv(&one, 1, MPI_INT, before, tag, world, MPI_STATUS_IGNORE);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"communicator",  "datatype",     "group",
                                        "operation",     "info",         "window",
                                        "error handler", "attribute key"};
    static const char *const types[] = {"put",   "itself",    "members", "root", "gatherv",
                                        "irecv", "duplicate", "started", "later"};
    const char *word = argc > 1 ? argv[1] : "right";

    start(&argc, &argv);
    if (strcmp(word, "right") == 0) {
        for (int i = 0; i < 8; i++)
            objects(kinds[i], 1);
        use_freed("nothing");
        write_early(0);
        exchange_types();
        for (int i = 0; i < 9; i++)
            disagree(types[i], MPI_INT64_T);
        disagree("place", MPI_LONG);
        operate(2, 0);
        operate(2, 1);
        leave_fence("fence");
        read_together();
        share_origin("right");
        get_around(6);
        return_early("nothing");
        change_order(0);
    }
    if (strcmp(word, "pairs") == 0)
        accumulate_pairs();
    if (argc > 2 && strcmp(word, "left") == 0)
        objects(argv[2], 0);
    if (argc > 2 && strcmp(word, "freed") == 0)
        use_freed(argv[2]);
    if (strcmp(word, "message") == 0 && me == 1)
        MPI_Send(x, 3, MPI_INT, 0, 9, MPI_COMM_WORLD); /* never received */
    if (strcmp(word, "types") == 0)
        exchange(MPI_INT, 4, MPI_DOUBLE, 2);
    if (strcmp(word, "order") == 0)
        exchange(MPI_FLOAT_INT, 1, MPI_2INT, 1);
    if (strcmp(word, "bytes") == 0)
        exchange(MPI_INT, 2, MPI_BYTE, 8);
    if (strcmp(word, "gathered") == 0 || strcmp(word, "scattered") == 0)
        exchange_unlike(strcmp(word, "gathered") == 0);
    if (strcmp(word, "early") == 0)
        write_early(1);
    if (argc > 2 && strcmp(word, "written") == 0)
        write_read(argv[2]);
    if (argc > 2 && strcmp(word, "target") == 0)
        write_own(argv[2]);
    if (strcmp(word, "conflict") == 0)
        operate(1, 0);
    if (strcmp(word, "ops") == 0)
        operate(3, 0);
    if (strcmp(word, "locked") == 0)
        operate(1, 1);
    if (strcmp(word, "operations") == 0)
        MPI_Reduce(&me, x, 1, MPI_INT, me == 1 ? MPI_MAX : MPI_SUM, 0, MPI_COMM_WORLD);
    if (argc > 2 && strcmp(word, "disagree") == 0)
        disagree(argv[2], MPI_DOUBLE);
    if (argc > 2 && strcmp(word, "share") == 0)
        share(argv[2]);
    if (argc > 2 && strcmp(word, "origin") == 0)
        share_origin(argv[2]);
    if (argc > 2 && strcmp(word, "fence") == 0)
        leave_fence(argv[2]);
    if (strcmp(word, "forget") == 0) {
        MPI_Request request;

        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Request_free(&request); /* forget */
    }
    if (strcmp(word, "null") == 0)
        MPI_Win_create(NULL, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win); /* null */
    if (strcmp(word, "around") == 0)
        get_around(2);
    if (argc > 2 && strcmp(word, "returned") == 0)
        return_early(argv[2]);
    if (strcmp(word, "order-of") == 0)
        change_order(me == 1);
    if (strcmp(word, "alone") == 0 && me == 1)
        MPI_Barrier(MPI_COMM_WORLD); /* alone */
    if (strcmp(word, "relies") == 0)
        rely_on_bcast();
    if (strcmp(word, "locks") == 0)
        lock_in_a_circle();
    if (strcmp(word, "own") == 0)
        MPI_Gather(x, 2, MPI_INT, x + 2, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return argc > 3 ? atoi(argv[3]) : 0;
}
