/* SPDX-License-Identifier: MIT */
/* Windows: how they are made, epochs of all kinds, all operations, locks. */
#include "check.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Other MPIs share what they allocate between processes, which not all hosts let them do. */
static MPI_Win allocate(MPI_Aint size, int unit, void *memory)
{
    void *own;
    MPI_Win win;

    if (is_logp()) {
        MPI_Win_allocate(size, unit, MPI_INFO_NULL, MPI_COMM_WORLD, memory, &win);
        return win;
    }
    own = malloc((size_t)size);
    memcpy(memory, &own, sizeof(void *));
    MPI_Win_create(own, size, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    return win;
}

/* ---- fence ---- */

static void fences(void)
{
    int *memory, *ring, value = 100 + me, got[3] = {0, 0, 0}, *found, flag;
    MPI_Aint *size;
    MPI_Win win;
    MPI_Datatype pairs;

    memory = calloc(8, sizeof(int));
    MPI_Win_create(memory, 8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_attr(win, MPI_WIN_BASE, &found, &flag);
    CHECK(flag && found == memory);
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &size, &flag);
    CHECK(flag && *size == 8 * sizeof(int));
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &found, &flag);
    CHECK(flag && *found == sizeof(int));
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &found, &flag);
    CHECK(flag && *found == MPI_WIN_FLAVOR_CREATE);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Put(&value, 1, MPI_INT, right(), 1, 1, MPI_INT, win);
    MPI_Accumulate(&me, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, win);
    MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(memory[1] == 100 + left());
    CHECK(me != 0 || memory[2] == P * (P - 1) / 2);
    MPI_Get(got, 1, MPI_INT, left(), 1, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(got[0] == 100 + (me + 2 * P - 2) % P);
    /* types: elements 0 and 2 of three, into 4 and 6 */
    pairs = vector(2, 1, 2, MPI_INT);
    got[0] = me;
    got[2] = -me;
    MPI_Win_fence(0, win);
    MPI_Put(got, 1, pairs, right(), 4, 1, pairs, win);
    MPI_Win_fence(0, win);
    CHECK(memory[4] == left() && memory[5] == 0 && memory[6] == -left());
    MPI_Accumulate(got, 1, pairs, me, 4, 1, pairs, MPI_REPLACE, win);
    MPI_Win_fence(0, win);
    CHECK(memory[4] == me && memory[5] == 0 && memory[6] == -me);
    MPI_Accumulate((int[]){5, 7}, 2, MPI_INT, me, 4, 1, pairs, MPI_MAX, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(memory[4] == (me > 5 ? me : 5) && memory[6] == 7);
    MPI_Type_free(&pairs);
    MPI_Win_free(&win);
    CHECK(win == MPI_WIN_NULL);
    free(memory);
    win = allocate(4 * sizeof(int), 1, &ring);
    MPI_Win_fence(0, win);
    MPI_Put(&me, 1, MPI_INT, right(), 3 * sizeof(int), 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(ring[3] == left());
    MPI_Win_free(&win);
}

/* Many elements that do not lie in a row, at both ends or at one, and pairs with a hole. */
static void long_types(void)
{
    enum { BLOCKS = 60000, N = 2 * BLOCKS };
    struct pair {
        double v;
        int i;
    } * pairs, *from = calloc(3 * 20000, sizeof(*from));
    int *memory, *row = malloc(N * sizeof(int)), *apart = calloc(3 * BLOCKS, sizeof(int));
    MPI_Datatype blocks, every_third;
    MPI_Win win = allocate(3 * BLOCKS * sizeof(int), sizeof(int), &memory);

    blocks = vector(BLOCKS, 2, 3, MPI_INT);
    for (int i = 0; i < N; i++) {
        row[i] = i;
        apart[i / 2 * 3 + i % 2] = 2 * i;
    }
    MPI_Win_fence(0, win);
    MPI_Accumulate(row, N, MPI_INT, right(), 0, 1, blocks, MPI_SUM, win);
    MPI_Accumulate(apart, 1, blocks, right(), 0, 1, blocks, MPI_SUM, win);
    MPI_Accumulate(apart, 1, blocks, right(), 0, N, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 3 * BLOCKS; i++)
        CHECK(memory[i] == (i % 3 < 2 ? 3 * (i / 3 * 2 + i % 3) : 0) + (i < N ? 2 * i : 0));
    MPI_Win_free(&win);
    MPI_Type_free(&blocks);
    every_third = vector(20000, 1, 3, MPI_DOUBLE_INT);
    win = allocate(3 * 20000 * sizeof(*pairs), sizeof(*pairs), &pairs);
    for (int i = 0; i < 3 * 20000; i++)
        from[i] = (struct pair){.v = i % 2 == 0 ? 1 : -1, .i = i};
    MPI_Win_fence(0, win);
    MPI_Accumulate(from, 1, every_third, right(), 0, 1, every_third, MPI_MAXLOC, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 3 * 20000; i++)
        CHECK(i % 3 == 0 && i % 2 == 0 ? pairs[i].v == 1 && pairs[i].i == i
                                       : pairs[i].v == 0 && pairs[i].i == 0);
    MPI_Win_free(&win);
    MPI_Type_free(&every_third);
    free(row);
    free(apart);
    free(from);
}

/* ---- post, start, complete, wait ---- */

static void posts(void)
{
    int *memory, done = 0, neighbors[2] = {left(), right()}, value = 10 + me;
    MPI_Group world, origin, target;
    MPI_Win win;

    win = allocate(2 * sizeof(int), sizeof(int), &memory);
    MPI_Win_get_group(win, &world);
    MPI_Group_incl(world, 1, &neighbors[0], &origin);
    MPI_Group_incl(world, 1, &neighbors[1], &target);
    for (int round = 0; round < 3; round++) {
        MPI_Win_post(origin, 0, win);
        MPI_Win_start(target, 0, win);
        value += 100;
        MPI_Put(&value, 1, MPI_INT, right(), round % 2, 1, MPI_INT, win);
        MPI_Win_complete(win);
        if (round == 1)
            for (done = 0; !done;)
                MPI_Win_test(win, &done);
        else
            MPI_Win_wait(win);
        CHECK(memory[round % 2] == 10 + left() + 100 * (round + 1));
    }
    MPI_Group_free(&world);
    MPI_Group_free(&origin);
    MPI_Group_free(&target);
    MPI_Win_free(&win);
}

/* ---- locks ---- */

static void locks(void)
{
    enum { ROUNDS = 20 };
    int *memory, value, one = 1;
    long *counter, old, sum = 0, expected = -1, mine = me, zero = 0;
    MPI_Win win;

    /* what is read and written under an exclusive lock is never lost */
    win = allocate(2 * sizeof(int), sizeof(int), &memory);
    memory[0] = memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        value++;
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win);
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush_local(0, win);
    CHECK(value == ROUNDS * P);
    MPI_Get(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    CHECK(value == ROUNDS * P);
    MPI_Win_free(&win);
    /* each ticket is given once, and one rank alone swaps */
    win = allocate(2 * sizeof(long), sizeof(long), &counter);
    counter[0] = 0;
    counter[1] = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Fetch_and_op(&(long){1}, &old, MPI_LONG, 0, 0, MPI_SUM, win);
        MPI_Win_flush(0, win);
        CHECK(old >= 0 && old < (long)ROUNDS * P);
        sum += old;
    }
    MPI_Compare_and_swap(&mine, &expected, &old, MPI_LONG, 0, 1, win);
    MPI_Win_flush_all(win);
    expected = old == -1 ? me : old; /* who has won */
    MPI_Get_accumulate(&zero, 1, MPI_LONG, &old, 1, MPI_LONG, 0, 1, 1, MPI_LONG, MPI_NO_OP, win);
    MPI_Win_flush_local_all(win);
    CHECK(old == expected);
    MPI_Win_unlock_all(win);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == (long)ROUNDS * P * (ROUNDS * P - 1) / 2);
    MPI_Win_free(&win);
}

/* A rank waits for what another writes. */
static void flags(void)
{
    int *flag, value = 0, one = 1;
    MPI_Win win;

    win = allocate(sizeof(int), sizeof(int), &flag);
    *flag = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (me > 0) /* the token comes from below */
        while (value == 0) {
            MPI_Fetch_and_op(NULL, &value, MPI_INT, me, 0, MPI_NO_OP, win);
            MPI_Win_flush(me, win);
        }
    if (me + 1 < P)
        MPI_Accumulate(&one, 1, MPI_INT, me + 1, 0, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

static void requests(void)
{
    int *memory, got = -1, old = -1, flag = 0;
    MPI_Request r[3];
    MPI_Win win;

    win = allocate(2 * sizeof(int), sizeof(int), &memory);
    memory[0] = memory[1] = me;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, win);
    MPI_Rget(&got, 1, MPI_INT, right(), 0, 1, MPI_INT, win, &r[0]);
    MPI_Rput(&me, 1, MPI_INT, right(), 1, 1, MPI_INT, win, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK(got == right());
    MPI_Win_flush(right(), win);
    MPI_Raccumulate(&(int){1000}, 1, MPI_INT, right(), 1, 1, MPI_INT, MPI_SUM, win, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Win_flush(right(), win);
    MPI_Rget_accumulate(&(int){5}, 1, MPI_INT, &old, 1, MPI_INT, right(), 1, 1, MPI_INT, MPI_PROD,
                        win, &r[0]);
    while (!flag)
        MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
    CHECK(old == me + 1000);
    MPI_Win_unlock(right(), win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
    CHECK(memory[1] == 5 * (left() + 1000));
    MPI_Win_unlock(me, win);
    MPI_Win_free(&win);
}

/* ---- other windows ---- */

static void shared(void)
{
    int *memory, *other, unit, rank, n, next;
    MPI_Aint size;
    MPI_Win win;
    MPI_Comm comm;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    next = (rank + 1) % n;
    MPI_Win_allocate_shared((rank + 1) * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, comm,
                            &memory, &win);
    MPI_Win_lock_all(0, win);
    memory[rank] = 7 * rank;
    MPI_Win_sync(win);
    MPI_Barrier(comm);
    MPI_Win_sync(win);
    MPI_Win_shared_query(win, next, &size, &unit, &other);
    CHECK(size == (next + 1) * (MPI_Aint)sizeof(int) && unit == sizeof(int));
    CHECK(other[next] == 7 * next);
    MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &other);
    CHECK(size == sizeof(int) && other[0] == 0 && (rank > 0 || other == memory));
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    if (n < P && is_logp()) { /* over processes */
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        FAILS(MPI_ERR_RMA_SHARED,
              MPI_Win_allocate_shared(4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    }
    MPI_Comm_free(&comm);
}

/* Parts that need not follow each other begin where any type may. */
static void shared_apart(void)
{
    char *memory, *other;
    MPI_Aint size;
    MPI_Info info;
    MPI_Comm comm;
    MPI_Win win;
    int rank, n, unit;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Win_allocate_shared(rank % 2 == 0 ? 4 : 12, 1, info, comm, &memory, &win);
    CHECK((uintptr_t)memory % _Alignof(max_align_t) == 0);
    MPI_Win_lock_all(0, win);
    memory[3] = (char)rank;
    MPI_Win_sync(win);
    MPI_Barrier(comm);
    MPI_Win_sync(win);
    for (int i = 0; i < n; i++) {
        MPI_Win_shared_query(win, i, &size, &unit, &other);
        CHECK(size == (i % 2 == 0 ? 4 : 12) && other[3] == (char)i);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Info_free(&info);
    MPI_Comm_free(&comm);
}

static void dynamic(void)
{
    int memory[4] = {me, 0, 0, 0}, value = 50 + me, two[2] = {60 + me, 70 + me};
    MPI_Aint here, *all = malloc((size_t)P * sizeof(*all));
    MPI_Win win;

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, memory, 3 * sizeof(int)); /* regions that touch are one */
    MPI_Win_attach(win, &memory[3], sizeof(int));
    MPI_Win_attach(win, &value, 0); /* a region may be empty */
    MPI_Get_address(&memory[2], &here);
    MPI_Allgather(&here, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, right(), all[right()], 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(memory[2] == 50 + left());
    MPI_Win_fence(0, win);
    MPI_Put(two, 2, MPI_INT, right(), all[right()], 2, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(memory[2] == 60 + left() && memory[3] == 70 + left());
    MPI_Win_detach(win, &value);
    MPI_Win_detach(win, &memory[3]);
    MPI_Win_detach(win, memory);
    MPI_Win_free(&win);
    free(all);
}

/* ---- targets that take no part, and operations of many messages between processes ---- */

struct pair {
    short value;
    int index;
};

/* All ranks add to the same elements, by all ways; the target waits for a message. */
static void sums(long *memory, MPI_Win win)
{
    enum { N = 3000, ROUNDS = 20 };
    long *ones = malloc(N * sizeof(*ones)), old, one = 1;
    MPI_Datatype every_second;

    for (int i = 0; i < N; i++)
        ones[i] = 1;
    every_second = vector(N / 2, 1, 2, MPI_LONG);
    memset(memory, 0, N * sizeof(*memory));
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        for (int i = 1; i < P; i++)
            MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 2; i < N; i++)
            CHECK(memory[i] == (long)ROUNDS * (P - 1) * (i % 2 == 0 ? 2 : 1));
        CHECK(memory[0] == 2L * ROUNDS * (P - 1) && memory[1] == 2L * ROUNDS * (P - 1));
    } else {
        for (int i = 0; i < ROUNDS; i++) {
            MPI_Win_lock(i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win);
            MPI_Accumulate(ones, N, MPI_LONG, 0, 0, N, MPI_LONG, MPI_SUM, win);
            MPI_Accumulate(ones, N / 2, MPI_LONG, 0, 0, 1, every_second, MPI_SUM, win);
            MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 1, MPI_SUM, win);
            MPI_Win_flush(0, win);
            CHECK(old >= 2 * i + 1 && old < 2L * ROUNDS * (P - 1));
            MPI_Win_unlock(0, win);
        }
        MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Type_free(&every_second);
    free(ones);
}

/* The old value and the swap are one step: each rank gets a number of its own. */
static void numbers(long *memory, MPI_Win win)
{
    long own = -1, seen = 0, next, *all = malloc((size_t)P * sizeof(*all));

    memory[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    while (own < 0) {
        next = seen + 1;
        MPI_Compare_and_swap(&next, &seen, &own, MPI_LONG, P - 1, 0, win);
        MPI_Win_flush(P - 1, win);
        if (own != seen) {
            seen = own;
            own = -1;
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Allgather(&own, 1, MPI_LONG, all, 1, MPI_LONG, MPI_COMM_WORLD);
    for (int i = 0; i < P; i++)
        CHECK(i == me || all[i] != own);
    CHECK(own < P);
    MPI_Barrier(MPI_COMM_WORLD);
    free(all);
}

/* 100 kB there and back, elements that are not in a row at either end, and requests. */
static void long_operations(long *memory, MPI_Win win)
{
    enum { N = 12500 };
    long *out = malloc(N * sizeof(*out)), *in = malloc(N * sizeof(*in));
    MPI_Datatype blocks = vector(N / 5, 3, 5, MPI_LONG);
    MPI_Request requests[2];

    for (int i = 0; i < N; i++) {
        out[i] = me * 1000000L + i;
        in[i] = -1;
        memory[i] = -2;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right(), 0, win);
    MPI_Put(out, 1, blocks, right(), 0, 1, blocks, win);
    MPI_Win_flush(right(), win);
    MPI_Rget(in, N, MPI_LONG, right(), 0, N, MPI_LONG, win, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++)
        CHECK(in[i] == (i % 5 < 3 ? out[i] : -2));
    memset(in, 0, N * sizeof(*in));
    MPI_Rput(out, N, MPI_LONG, right(), 0, N, MPI_LONG, win, &requests[0]);
    MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush(right(), win);
    MPI_Rget_accumulate(out, N, MPI_LONG, in, N, MPI_LONG, right(), 0, N, MPI_LONG, MPI_SUM, win,
                        &requests[1]);
    for (int done = 0; !done;)
        MPI_Test(&requests[1], &done, MPI_STATUS_IGNORE);
    CHECK(memcmp(in, out, N * sizeof(*in)) == 0);
    MPI_Win_unlock(right(), win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        CHECK(memory[i] == 2 * (left() * 1000000L + i));
    MPI_Type_free(&blocks);
    free(out);
    free(in);
}

/* Pairs have a hole. */
static void pairs(long *memory, MPI_Win win)
{
    struct pair *there = (struct pair *)memory, own[600];

    for (int i = 0; i < 600; i++) {
        there[i] = (struct pair){-1, -1};
        own[i] = (struct pair){(short)((me + i) % P), me};
    }
    MPI_Win_fence(0, win);
    MPI_Accumulate(own, 600, MPI_SHORT_INT, 0, 0, 600, MPI_SHORT_INT, MPI_MAXLOC, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 600 && me == 0; i++)
        CHECK(there[i].value == P - 1 && (there[i].index + i) % P == P - 1);
    MPI_Win_fence(0, win);
    memset(own, 0, sizeof(own));
    MPI_Get(own, 600, MPI_SHORT_INT, 0, 0, 600, MPI_SHORT_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    for (int i = 0; i < 600; i++)
        CHECK(own[i].value == P - 1 && (own[i].index + i) % P == P - 1);
}

/* What is not attached cannot be used: the operation, or what waits for it, says so. */
static void unattached(void)
{
    int value = 1, memory = 5, rc;
    MPI_Aint here, there;
    MPI_Win win;

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Get_address(&memory, &here);
    MPI_Sendrecv(&here, 1, MPI_AINT, left(), 2, &there, 1, MPI_AINT, right(), 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, win);
    rc = MPI_Put(&value, 1, MPI_INT, right(), there, 1, MPI_INT, win);
    CHECK(class_of(rc == MPI_SUCCESS ? MPI_Win_flush(right(), win) : rc) == MPI_ERR_RMA_RANGE);
    rc = MPI_Get(&value, 1, MPI_INT, right(), there, 1, MPI_INT, win);
    CHECK(class_of(rc == MPI_SUCCESS ? MPI_Win_flush(right(), win) : rc) == MPI_ERR_RMA_RANGE);
    MPI_Win_unlock(right(), win);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(memory == 5);
    MPI_Win_free(&win);
}

static void apart(void)
{
    enum { BYTES = 100000 };
    long *memory;
    MPI_Win win = allocate(BYTES, sizeof(long), &memory);

    sums(memory, win);
    numbers(memory, win);
    long_operations(memory, win);
    MPI_Win_free(&win);
    win = allocate(BYTES, sizeof(struct pair), &memory);
    pairs(memory, win);
    MPI_Win_free(&win);
    if (is_logp())
        unattached();
}

static int handled;

static void handle(MPI_Win *win, int *error, ...)
{
    handled = *win != MPI_WIN_NULL ? *error : 0;
}

static void objects(void)
{
    int key, own = 5, *value, flag, length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Errhandler handler, was;
    MPI_Info info;
    MPI_Win win;

    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "a window");
    MPI_Win_get_name(win, name, &length);
    CHECK(strcmp(name, "a window") == 0 && length == 8);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL);
    MPI_Win_set_attr(win, key, &own);
    MPI_Win_get_attr(win, key, &value, &flag);
    CHECK(flag && value == &own);
    MPI_Win_delete_attr(win, key);
    MPI_Win_get_attr(win, key, &value, &flag);
    CHECK(!flag);
    MPI_Win_free_keyval(&key);
    CHECK(key == MPI_KEYVAL_INVALID);
    MPI_Win_get_info(win, &info);
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);
    MPI_Win_get_errhandler(win, &was);
    CHECK(was == MPI_ERRORS_ARE_FATAL);
    MPI_Win_create_errhandler(handle, &handler);
    MPI_Win_set_errhandler(win, handler);
    MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
    CHECK(handled == MPI_ERR_OTHER);
    MPI_Errhandler_free(&handler);
    MPI_Win_free(&win);
}

/* ---- errors ---- */

static void own_function(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)n, (void)type;
}

static void wrong_places(MPI_Win win)
{
    int x = 0;
    double d = 0;
    MPI_Op op;

    FAILS(MPI_ERR_RANK, MPI_Put(&x, 1, MPI_INT, P, 0, 1, MPI_INT, win));
    FAILS(MPI_ERR_DISP, MPI_Put(&x, 1, MPI_INT, me, -1, 1, MPI_INT, win));
    FAILS(MPI_ERR_RMA_RANGE, MPI_Put(&x, 1, MPI_INT, me, 4, 1, MPI_INT, win));
    FAILS(MPI_ERR_RMA_RANGE, MPI_Get(&d, 1, MPI_DOUBLE, me, 3, 1, MPI_DOUBLE, win));
    FAILS(MPI_ERR_COUNT, MPI_Get(&x, -1, MPI_INT, me, 0, 1, MPI_INT, win));
    FAILS(MPI_ERR_TYPE, MPI_Get(&x, 1, MPI_INT, me, 0, 2, MPI_INT, win));
    FAILS(MPI_ERR_TYPE, MPI_Put(&x, 1, MPI_DATATYPE_NULL, me, 0, 1, MPI_INT, win));
    FAILS(MPI_ERR_TYPE, MPI_Accumulate(&x, 1, MPI_INT, me, 0, 1, MPI_FLOAT, MPI_SUM, win));
    FAILS(MPI_ERR_OP, MPI_Accumulate(&x, 1, MPI_INT, me, 0, 1, MPI_INT, MPI_OP_NULL, win));
    FAILS(MPI_ERR_OP, MPI_Accumulate(&d, 1, MPI_DOUBLE, me, 0, 1, MPI_DOUBLE, MPI_BAND, win));
    MPI_Op_create(own_function, 1, &op);
    FAILS(MPI_ERR_OP, MPI_Fetch_and_op(&x, &x, MPI_INT, me, 0, op, win));
    MPI_Op_free(&op);
}

static void wrong_epochs(MPI_Win win)
{
    int x = 0, flag;
    MPI_Request r;

    FAILS(MPI_ERR_RMA_SYNC, MPI_Put(&x, 1, MPI_INT, me, 0, 1, MPI_INT, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Compare_and_swap(&x, &x, &x, MPI_INT, me, 0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_complete(win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_wait(win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_test(win, &flag));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_unlock(me, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_unlock_all(win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_flush(me, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_flush_all(win));
    FAILS(MPI_ERR_LOCKTYPE, MPI_Win_lock(0, me, 0, win));
    FAILS(MPI_ERR_RANK, MPI_Win_lock(MPI_LOCK_SHARED, P, 0, win));
    FAILS(MPI_ERR_ASSERT, MPI_Win_lock(MPI_LOCK_SHARED, me, 1, win));
    FAILS(MPI_ERR_ASSERT, MPI_Win_lock_all(1, win));
    FAILS(MPI_ERR_ASSERT, MPI_Win_fence(1, win));
    FAILS(MPI_ERR_ASSERT, MPI_Win_post(MPI_GROUP_EMPTY, 1, win));
    FAILS(MPI_ERR_ASSERT, MPI_Win_start(MPI_GROUP_EMPTY, 1, win));
    FAILS(MPI_ERR_GROUP, MPI_Win_post(MPI_GROUP_NULL, 0, win));
    FAILS(MPI_ERR_GROUP, MPI_Win_start(MPI_GROUP_NULL, 0, win));
    MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_free(&win));
    MPI_Win_unlock(me, win);
    MPI_Win_fence(0, win);
    wrong_places(win);
    FAILS(MPI_ERR_RMA_SYNC, MPI_Rget(&x, 1, MPI_INT, me, 0, 1, MPI_INT, win, &r));
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void wrong(void)
{
    int memory[4] = {0}, key, flag, unit, *base;
    MPI_Aint size;
    MPI_Win win;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    FAILS(MPI_ERR_SIZE, MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    FAILS(MPI_ERR_DISP, MPI_Win_create(memory, 4, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    FAILS(MPI_ERR_COMM, MPI_Win_create(memory, 4, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win));
    FAILS(MPI_ERR_SIZE, MPI_Win_allocate(-1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    FAILS(MPI_ERR_SIZE, MPI_Win_allocate_shared(-1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    FAILS(MPI_ERR_COMM, MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_NULL, &win));
    win = MPI_WIN_NULL;
    FAILS(MPI_ERR_WIN, MPI_Win_free(&win));
    FAILS(MPI_ERR_WIN, MPI_Win_fence(0, win));
    FAILS(MPI_ERR_WIN, MPI_Put(memory, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    FAILS(MPI_ERR_WIN, MPI_Win_sync(win));
    MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    FAILS(MPI_ERR_ARG, MPI_Win_set_errhandler(win, MPI_ERRHANDLER_NULL));
    wrong_epochs(win);
    FAILS(MPI_ERR_RMA_FLAVOR, MPI_Win_attach(win, memory, 4));
    FAILS(MPI_ERR_RMA_FLAVOR, MPI_Win_detach(win, memory));
    FAILS(MPI_ERR_RMA_FLAVOR, MPI_Win_shared_query(win, me, &size, &unit, &base));
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    FAILS(MPI_ERR_KEYVAL, MPI_Win_set_attr(win, key, &flag));
    FAILS(MPI_ERR_KEYVAL, MPI_Win_delete_attr(win, key));
    FAILS(MPI_ERR_KEYVAL, MPI_Win_free_keyval(&key));
    MPI_Win_free(&win);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
    FAILS(MPI_ERR_RMA_RANGE, MPI_Put(memory, 1, MPI_INT, me, (MPI_Aint)memory, 1, MPI_INT, win));
    MPI_Win_unlock(me, win);
    FAILS(MPI_ERR_BASE, MPI_Win_detach(win, memory));
    FAILS(MPI_ERR_SIZE, MPI_Win_attach(win, memory, -1));
    MPI_Win_free(&win);
}

/* ---- the emulated time of each call at rank 0 ---- */

static double now;

static void took(const char *what)
{
    if (me == 0)
        printf("%.3f us: %s\n", (MPI_Wtime() - now) * 1e6, what);
    now = MPI_Wtime();
}

static void times(void)
{
    static char bytes[1001];
    int value;
    MPI_Win win;

    MPI_Win_create(bytes, sizeof(bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (me == 0) {
        now = MPI_Wtime();
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        took("lock");
        MPI_Put(&now, 1, MPI_BYTE, 1, 0, 1, MPI_BYTE, win);
        MPI_Win_flush(1, win);
        took("put a byte and flush");
        MPI_Put(&now, 1, MPI_BYTE, 1, 0, 1, MPI_BYTE, win);
        MPI_Put(&now, 1, MPI_BYTE, 1, 0, 1, MPI_BYTE, win);
        MPI_Win_flush(1, win);
        took("put a byte twice and flush");
        MPI_Get(bytes, 1001, MPI_BYTE, 1, 0, 1001, MPI_BYTE, win);
        MPI_Win_flush(1, win);
        took("get 1001 bytes and flush");
        MPI_Fetch_and_op(&(char){1}, &value, MPI_CHAR, 1, 0, MPI_SUM, win);
        MPI_Win_flush(1, win);
        took("fetch and flush");
        MPI_Win_unlock(1, win);
        took("unlock");
        MPI_Win_lock_all(0, win);
        took("lock all");
        MPI_Win_unlock_all(win);
    }
    MPI_Win_free(&win);
}

/* ---- operations of unlike sizes that start at unlike times take effect as they arrive ---- */

enum { MOST_COUNT = 1000, O_NS = 2000, L_NS = 6000 }; /* and G is 1 ns */

struct one {
    double arrival_ns;
    long before; /* how many had come before it */
};

/* Each rank counts itself at rank 0, within an operation of a size of its own. */
static struct one count_oneself(MPI_Win win, double begin, int round)
{
    static long ones[MOST_COUNT], old[MOST_COUNT];
    const unsigned x = (unsigned)(me * 7919 + round * 104729) % 1009;
    const int count = 1 + (int)(x % MOST_COUNT);
    const double start_ns = 1000.0 * (double)(x * 31 % 23) + 100000.0 * (round + 1);

    ones[0] = 1;
    nanosleep(
        &(struct timespec){.tv_nsec = (long)(begin * 1e9 + start_ns - MPI_Wtime() * 1e9 + 0.5)},
        NULL);
    MPI_Get_accumulate(ones, count, MPI_LONG, old, count, MPI_LONG, 0, 0, count, MPI_LONG, MPI_SUM,
                       win);
    memset(ones, 0x55, sizeof(ones)); /* what is combined has been taken */
    MPI_Win_flush(0, win);
    memset(ones, 0, sizeof(ones));
    return (struct one){start_ns + O_NS + 8.0 * count - 1 + L_NS, old[0]};
}

static int by_arrival(const void *a, const void *b)
{
    const double x = ((const struct one *)a)->arrival_ns, y = ((const struct one *)b)->arrival_ns;

    return (x > y) - (x < y);
}

static void orders(void)
{
    enum { ROUNDS = 20, US = 1000000 };
    struct one own, *all = malloc((size_t)P * sizeof(*all));
    double begin, now_s;
    long *counters;
    MPI_Win win = allocate(MOST_COUNT * sizeof(long), sizeof(long), &counters);

    memset(counters, 0, MOST_COUNT * sizeof(long));
    MPI_Barrier(MPI_COMM_WORLD);
    now_s = MPI_Wtime();
    MPI_Allreduce(&now_s, &begin, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    begin = (double)(long)(begin * US) / US + 1e-3; /* a whole number of us */
    MPI_Win_lock_all(0, win);
    for (int round = 0; round < ROUNDS; round++) {
        own = count_oneself(win, begin, round);
        MPI_Gather(&own, sizeof(own), MPI_BYTE, all, sizeof(own), MPI_BYTE, 0, MPI_COMM_WORLD);
        if (me == 0)
            qsort(all, (size_t)P, sizeof(*all), by_arrival);
        for (int i = 0; i < P && me == 0; i++)
            CHECK(all[i].before == (long)round * P + i ||
                  (i > 0 && all[i].arrival_ns == all[i - 1].arrival_ns) ||
                  (i + 1 < P && all[i].arrival_ns == all[i + 1].arrival_ns));
        begin += 1e-3;
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    free(all);
    if (me == 0)
        puts("windows: the order holds");
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "order") == 0) {
        orders();
        return MPI_Finalize();
    }
    if (argc > 1) {
        times();
        return MPI_Finalize();
    }
    fences();
    long_types();
    posts();
    locks();
    flags();
    requests();
    shared();
    shared_apart();
    dynamic();
    apart();
    objects();
    if (is_logp())
        wrong();
    return all_hold("windows");
}
