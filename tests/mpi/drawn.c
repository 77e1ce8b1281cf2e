/* SPDX-License-Identifier: MIT */
/*
 * Right programs, drawn: drawn FIRST COUNT runs the programs of the seeds FIRST, FIRST + 1, ... All
 * ranks draw the same steps. Each step knows what its data must be, and says its seed where they are
 * not that. Whoever runs this also looks at stderr: no check may blame any of these programs.
 */
#include "check.h"

#include <stdint.h>

enum { MOST = 64, STEPS = 12 };

static long seed, step;
static uint64_t state;

/* 0 .. below - 1, equal on all ranks */
static int draw(int below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)below);
}

#define RIGHT(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            printf("seed %ld, step %ld, rank %d, line %d: %s does not hold\n", seed, step, me,     \
                   __LINE__, #holds);                                                              \
            MPI_Abort(MPI_COMM_WORLD, 3);                                                          \
        }                                                                                          \
    } while (0)

static int value(int rank, int i)
{
    return (int)(seed % 1000) * 100 + (int)step * 1000 + 17 * rank + i;
}

/* Committed, with `count` ints as its data, at every stride-th place. */
static MPI_Datatype draw_type(int count, int stride)
{
    MPI_Datatype type, part;
    int blocks[2] = {1, count - 1};

    switch (draw(4)) {
    case 0:
        MPI_Type_vector(count, 1, stride, MPI_INT, &type);
        break;
    case 1:
        MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)sizeof(int) * stride, &part);
        MPI_Type_contiguous(count, part, &type);
        MPI_Type_free(&part);
        break;
    case 2:
        MPI_Type_vector(count - 1, 1, stride, MPI_INT, &part);
        MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, (MPI_Aint)sizeof(int) * stride},
                               (MPI_Datatype[]){MPI_INT, part}, &type);
        MPI_Type_free(&part);
        break;
    default:
        MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)sizeof(int) * stride, &part);
        MPI_Type_indexed(2, blocks, (int[]){0, 1}, part, &type);
        MPI_Type_free(&part);
        break;
    }
    MPI_Type_commit(&type);
    return type;
}

/* Each rank sends to the one `by` further on; the receive may be longer than the message. */
static void exchange(MPI_Comm comm)
{
    const int by = draw(P), count = 1 + draw(8), more = draw(3), tag = draw(5), way = draw(6),
              any = draw(2), to = (me + by) % P, from = (me - by + P) % P, stride = 2 + draw(2);
    int out[MOST] = {0}, in[MOST], got;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status;
    MPI_Datatype type = MPI_INT;
    int is_typed = draw(2) && count > 1;

    if (is_typed)
        type = draw_type(count, stride);
    for (int i = 0; i < MOST; i++) {
        out[i] = i % (is_typed ? stride : 1) == 0 ? value(me, i / (is_typed ? stride : 1)) : -1;
        in[i] = -2;
    }
    if (way == 0) {
        MPI_Sendrecv(out, is_typed ? 1 : count, type, to, tag, in, count + more, MPI_INT,
                     any ? MPI_ANY_SOURCE : from, any ? MPI_ANY_TAG : tag, comm, &status);
    } else {
        if (way == 1) {
            MPI_Recv_init(in, count + more, MPI_INT, from, tag, comm, &requests[0]);
            MPI_Send_init(out, is_typed ? 1 : count, type, to, tag, comm, &requests[1]);
            MPI_Startall(2, requests);
        } else {
            MPI_Irecv(in, count + more, MPI_INT, any ? MPI_ANY_SOURCE : from, tag, comm,
                      &requests[0]);
            if (way == 2)
                MPI_Issend(out, is_typed ? 1 : count, type, to, tag, comm, &requests[1]);
            else
                MPI_Isend(out, is_typed ? 1 : count, type, to, tag, comm, &requests[1]);
        }
        if (way == 3) {
            int first;

            MPI_Waitany(2, requests, &first, &status);
            MPI_Waitany(2, requests, &got, first == 0 ? MPI_STATUS_IGNORE : &status);
        } else if (way == 4) {
            MPI_Status statuses[2];

            for (int done = 0, some, at[2]; done < 2; done += some) {
                MPI_Waitsome(2, requests, &some, at, statuses);
                for (int i = 0; i < some; i++)
                    if (at[i] == 0)
                        status = statuses[i];
            }
        } else {
            MPI_Status statuses[2];
            int flag = 0;

            while (!flag)
                MPI_Testall(2, requests, &flag, statuses);
            status = statuses[0];
        }
        if (way == 1) {
            MPI_Request_free(&requests[0]);
            MPI_Request_free(&requests[1]);
        }
        MPI_Get_count(&status, MPI_INT, &got);
        RIGHT(got == count && status.MPI_SOURCE == from && status.MPI_TAG == tag);
    }
    for (int i = 0; i < MOST; i++)
        RIGHT(in[i] == (i < count ? value(from, i) : -2));
    if (is_typed)
        MPI_Type_free(&type);
    if (any) /* the next step's messages are not taken for these */
        MPI_Barrier(comm);
}

/* All send to one, which takes them in any order, with or without a probe. */
static void gather_any(MPI_Comm comm)
{
    const int root = draw(P), tag = draw(5), way = draw(3);
    int x = value(me, 0), seen[MOST] = {0};

    if (me != root) {
        MPI_Send(&x, 1, MPI_INT, root, tag, comm);
        return;
    }
    for (int i = 1; i < P; i++) {
        MPI_Status status;
        MPI_Message message;

        if (way == 0) {
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, &status);
        } else if (way == 1) {
            MPI_Probe(MPI_ANY_SOURCE, tag, comm, &status);
            MPI_Recv(&x, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, comm, &status);
        } else {
            MPI_Mprobe(MPI_ANY_SOURCE, tag, comm, &message, &status);
            MPI_Mrecv(&x, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        }
        RIGHT(x == value(status.MPI_SOURCE, 0) && !seen[status.MPI_SOURCE]);
        seen[status.MPI_SOURCE] = 1;
    }
}

static void sum_pairs(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void collective(MPI_Comm comm)
{
    const int root = draw(P), count = 1 + draw(4), starts = draw(2);
    int in[MOST], out[MOST * 4], sum = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Op op = MPI_SUM;

    for (int i = 0; i < MOST; i++)
        in[i] = value(me, i);
    for (int r = 0; r < P; r++)
        sum += value(r, 0);
    switch (draw(6)) {
    case 0:
        if (starts)
            MPI_Ibcast(in, count, MPI_INT, root, comm, &request);
        else
            MPI_Bcast(in, count, MPI_INT, root, comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        RIGHT(in[count - 1] == value(root, count - 1));
        break;
    case 1:
        if (draw(2))
            MPI_Op_create(sum_pairs, 1, &op);
        if (starts)
            MPI_Iallreduce(in, out, count, MPI_INT, op, comm, &request);
        else
            MPI_Allreduce(in, out, count, MPI_INT, op, comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        RIGHT(out[0] == sum);
        if (op != MPI_SUM)
            MPI_Op_free(&op);
        break;
    case 2:
        MPI_Gather(in, count, MPI_INT, me == root ? out : NULL, count, MPI_INT, root, comm);
        for (int r = 0; r < P && me == root; r++)
            RIGHT(out[r * count] == value(r, 0));
        break;
    case 3:
        MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm);
        for (int r = 0; r < P; r++)
            RIGHT(out[r] == value(r, me));
        break;
    case 4:
        MPI_Scan(in, out, count, MPI_INT, MPI_SUM, comm);
        sum = 0;
        for (int r = 0; r <= me; r++)
            sum += value(r, 0);
        RIGHT(out[0] == sum);
        break;
    default:
        out[me] = value(me, 0);
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 1, MPI_INT, comm);
        for (int r = 0; r < P; r++)
            RIGHT(out[r] == value(r, 0));
        break;
    }
}

/* Each rank writes its own place of rank `at`, and reads it back in the next epoch. */
static void window(MPI_Comm comm)
{
    const int at = draw(P), way = draw(3);
    int *base, x = value(me, 0), got = -1;
    MPI_Win win;

    MPI_Win_allocate((MPI_Aint)sizeof(int) * P, sizeof(int), MPI_INFO_NULL, comm, &base, &win);
    if (way == 0) {
        MPI_Win_fence(0, win);
        MPI_Put(&x, 1, MPI_INT, at, me, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        MPI_Get(&got, 1, MPI_INT, at, (me + 1) % P, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        RIGHT(got == value((me + 1) % P, 0));
    } else if (way == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, at, 0, win);
        MPI_Put(&x, 1, MPI_INT, at, me, 1, MPI_INT, win);
        MPI_Win_flush(at, win);
        MPI_Get(&got, 1, MPI_INT, at, me, 1, MPI_INT, win);
        MPI_Win_unlock(at, win);
        RIGHT(got == x);
    } else {
        int one = 1;

        MPI_Win_lock_all(0, win);
        for (int i = 0; i < 3; i++)
            MPI_Accumulate(&one, 1, MPI_INT, at, 0, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_unlock_all(win);
        MPI_Barrier(comm);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, at, 0, win);
        MPI_Get(&got, 1, MPI_INT, at, 0, 1, MPI_INT, win);
        MPI_Win_unlock(at, win);
        RIGHT(got == 3 * P);
    }
    MPI_Win_free(&win);
}

/* Epochs of windows one after the other. Each rank writes places of its own at two targets, adds to a place that all
 * share, and writes its own window between the epochs. */
static void epochs(MPI_Comm comm)
{
    enum { ROUNDS = 3 };
    const int way = draw(4), stride = 1 + draw(2), near = (1 + draw(P)) % P,
              far = (1 + draw(P)) % P, is_dynamic = draw(2), with_request = draw(2);
    const int targets[2] = {(me + near) % P, (me + far) % P};
    /* of each rank: its own place, two of each origin, one that all add to */
    const int size = stride * (2 * P + 2);
    int *base = calloc((size_t)size, sizeof(int)), one = 1, got[2], added = 0;
    MPI_Aint at[MOST], mine;
    MPI_Group all;
    MPI_Win win;

    if (is_dynamic) {
        MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win);
        MPI_Win_attach(win, base, (MPI_Aint)sizeof(int) * size);
        MPI_Get_address(base, &mine);
    } else {
        MPI_Win_create(base, (MPI_Aint)sizeof(int) * size, 1, MPI_INFO_NULL, comm, &win);
        mine = 0;
    }
    MPI_Allgather(&mine, 1, MPI_AINT, at, 1, MPI_AINT, comm);
    MPI_Win_get_group(win, &all);
    for (int round = 0; round < ROUNDS; round++) {
        int values[2] = {value(me, round), value(me, round + 100)};

        base[0] = value(me, 50 + round); /* between two epochs */
        if (way == 0) {
            MPI_Win_fence(0, win);
        } else if (way == 1) {
            MPI_Barrier(comm);
            MPI_Win_post(all, 0, win);
            MPI_Win_start(all, 0, win);
        } else {
            MPI_Barrier(comm);
            MPI_Win_lock_all(0, win);
        }
        for (int k = 0; k < 2; k++) {
            const MPI_Aint there =
                at[targets[k]] + (MPI_Aint)sizeof(int) * stride * (1 + 2 * me + k);
            MPI_Request request;

            if (way >= 2 && with_request) {
                MPI_Rput(&values[k], 1, MPI_INT, targets[k], there, 1, MPI_INT, win, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            } else {
                MPI_Put(&values[k], 1, MPI_INT, targets[k], there, 1, MPI_INT, win);
            }
            if (way >= 2 && with_request && me % 2 == 0) { /* beside those of the others */
                MPI_Raccumulate(&one, 1, MPI_INT, targets[k],
                                at[targets[k]] + (MPI_Aint)sizeof(int) * stride * (2 * P + 1), 1,
                                MPI_INT, MPI_SUM, win, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            } else {
                MPI_Accumulate(&one, 1, MPI_INT, targets[k],
                               at[targets[k]] + (MPI_Aint)sizeof(int) * stride * (2 * P + 1), 1,
                               MPI_INT, MPI_SUM, win);
            }
        }
        if (way == 3) { /* own places again, once they are complete */
            MPI_Win_flush_all(win);
            for (int k = 0; k < 2; k++)
                MPI_Get(&got[k], 1, MPI_INT, targets[k],
                        at[targets[k]] + (MPI_Aint)sizeof(int) * stride * (1 + 2 * me + k), 1,
                        MPI_INT, win);
            MPI_Win_flush_all(win);
            RIGHT(got[0] == values[0] && got[1] == values[1]);
        }
        if (way == 0) {
            MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        } else if (way == 1) {
            MPI_Win_complete(win);
            MPI_Win_wait(win);
        } else {
            MPI_Win_unlock_all(win);
            MPI_Barrier(comm);
        }
        values[0] = values[1] = -1;
        for (int r = 0; r < P; r++)
            for (int k = 0; k < 2; k++)
                if ((r + (k == 0 ? near : far)) % P == me) {
                    RIGHT(base[stride * (1 + 2 * r + k)] == value(r, round + 100 * k));
                    added++;
                }
        RIGHT(base[stride * (2 * P + 1)] == added && base[0] == value(me, 50 + round));
        for (int i = 1; i < stride * (2 * P + 1); i++)
            base[i] = -1;
    }
    MPI_Group_free(&all);
    if (is_dynamic) {
        MPI_Barrier(comm);
        MPI_Win_detach(win, base);
    }
    MPI_Win_free(&win);
    free(base);
}

/* Many at once: messages of types with the same signature into parts of one buffer, and collectives. They are
 * completed in a drawn order. */
static void at_once(MPI_Comm comm)
{
    enum { PAIRS = 4, MOST_REQUESTS = 4 * PAIRS };
    const int count = 2 + draw(4), order = draw(3), is_persistent = draw(2);
    int out[PAIRS][MOST], in[PAIRS][MOST], sums[PAIRS], all[MOST * PAIRS], mine[PAIRS],
        n_requests = 0;
    MPI_Request requests[MOST_REQUESTS];
    MPI_Datatype type = draw_type(count, 2), other = draw_type(count, 3);

    for (int k = 0; k < PAIRS; k++) {
        const int by = draw(P), to = (me + by) % P, from = (me - by + P) % P, synchronous = draw(2);

        mine[k] = value(me, k);
        for (int i = 0; i < MOST; i++) {
            out[k][i] = i % 2 == 0 ? value(me, k + i / 2) : -1;
            in[k][i] = -2;
        }
        if (is_persistent) {
            MPI_Recv_init(in[k], 1, other, from, k, comm, &requests[n_requests++]);
            (synchronous ? MPI_Ssend_init : MPI_Send_init)(out[k], 1, type, to, k, comm,
                                                           &requests[n_requests++]);
            MPI_Startall(2, &requests[n_requests - 2]);
        } else {
            MPI_Irecv(in[k], 1, other, from, k, comm, &requests[n_requests++]);
            (synchronous ? MPI_Issend : MPI_Isend)(out[k], 1, type, to, k, comm,
                                                   &requests[n_requests++]);
        }
        MPI_Iallreduce(&mine[k], &sums[k], 1, MPI_INT, MPI_MAX, comm, &requests[n_requests++]);
        MPI_Iallgather(&mine[k], 1, MPI_INT, all + k * P, 1, MPI_INT, comm,
                       &requests[n_requests++]);
        state ^= (uint64_t)by << 40;
    }
    if (order == 0) {
        MPI_Waitall(n_requests, requests, MPI_STATUSES_IGNORE);
    } else {
        int open = n_requests, index, flag = 1;

        while (open > 0) {
            if (order == 1)
                MPI_Waitany(n_requests, requests, &index, MPI_STATUS_IGNORE);
            else
                MPI_Testany(n_requests, requests, &index, &flag, MPI_STATUS_IGNORE);
            open -= flag && index != MPI_UNDEFINED;
        }
    }
    for (int k = 0; is_persistent && k < PAIRS; k++) {
        MPI_Request_free(&requests[4 * k]);
        MPI_Request_free(&requests[4 * k + 1]);
    }
    for (int k = 0; k < PAIRS; k++) {
        int largest = value(0, k), from = -1;

        for (int r = 0; r < P; r++) {
            largest = value(r, k) > largest ? value(r, k) : largest;
            RIGHT(all[k * P + r] == value(r, k));
        }
        for (int r = 0; r < P; r++)
            from = in[k][0] == value(r, k) ? r : from;
        RIGHT(sums[k] == largest && from >= 0);
        for (int i = 0; i < MOST; i++)
            RIGHT(in[k][i] == (i % 3 == 0 && i / 3 < count ? value(from, k + i / 3) : -2));
    }
    MPI_Type_free(&type);
    MPI_Type_free(&other);
}

/* A send that nobody receives, and a receive that no message comes for, are taken back. */
static void take_back(MPI_Comm comm)
{
    int x = value(me, 0), flag;
    MPI_Request request;
    MPI_Status status;

    if (draw(2))
        MPI_Issend(&x, 1, MPI_INT, (me + 1) % P, 77, comm, &request);
    else
        MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 78, comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    RIGHT(flag);
    MPI_Barrier(comm);
}

/* Groups of even and odd ranks, then both in one again: the order of the ranks changes. */
static void two_groups(void)
{
    const int root = draw((P + 1) / 2), is_started = draw(2);
    int x = me, sum = -1, others = 0, rank, expected;
    MPI_Comm half, both, merged, group_comm;
    MPI_Request request;
    MPI_Group world, evens;

    if (P < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 3, &both);
    for (int r = 1 - me % 2; r < P; r += 2)
        others += r;
    if (is_started) {
        MPI_Iallreduce(&x, &sum, 1, MPI_INT, MPI_SUM, both, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, both);
    }
    RIGHT(sum == others);
    x = me == 2 * root ? 1234 : me;
    MPI_Bcast(&x, 1, MPI_INT, me % 2 == 1 ? root : me == 2 * root ? MPI_ROOT : MPI_PROC_NULL, both);
    RIGHT(x == (me % 2 == 1 || me == 2 * root ? 1234 : me));
    MPI_Intercomm_merge(both, me % 2 == 0, &merged);
    MPI_Comm_rank(merged, &rank);
    expected = me % 2 == 1 ? me / 2 : P / 2 + me / 2;
    MPI_Bcast(&x, 1, MPI_INT, P - 1, merged);
    RIGHT(rank == expected);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, (int[][3]){{0, P - 1, 2}}, &evens);
    if (me % 2 == 0) {
        MPI_Comm_create_group(MPI_COMM_WORLD, evens, 9, &group_comm);
        MPI_Scan(&me, &sum, 1, MPI_INT, MPI_SUM, group_comm);
        RIGHT(sum == me / 2 * (me / 2 + 1));
        MPI_Comm_free(&group_comm);
    }
    MPI_Group_free(&evens);
    MPI_Group_free(&world);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

/* A communicator with the same ranks in the same order, or of a part of them. */
static void communicator(void)
{
    const int color = draw(3), key = draw(2);
    MPI_Comm comm;
    int rank, size, x, sum;

    MPI_Comm_split(MPI_COMM_WORLD, me % (color + 1), key ? -me : me, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    x = 1;
    MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, comm);
    RIGHT(sum == size && rank < size);
    MPI_Comm_free(&comm);
}

static void run(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;

    state = (uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15);
    if (draw(3) == 0)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (step = 0; step < STEPS; step++)
        switch (draw(8)) {
        case 0:
        case 1:
            exchange(comm);
            break;
        case 6:
            at_once(comm);
            break;
        case 7:
            if (draw(2))
                take_back(comm);
            else if (draw(2))
                epochs(comm);
            else
                two_groups();
            break;
        case 2:
            gather_any(comm);
            MPI_Barrier(comm); /* likewise */
            break;
        case 3:
            collective(comm);
            break;
        case 4:
            if (draw(4) == 0)
                communicator();
            break;
        default:
            if (draw(4) == 0)
                window(comm);
            break;
        }
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    const long first = argc > 1 ? atol(argv[1]) : 1, count = argc > 2 ? atol(argv[2]) : 100;

    start(&argc, &argv);
    for (seed = first; seed < first + count; seed++) {
        run();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (me == 0)
        printf("drawn: all hold, seeds %ld to %ld\n", first, first + count - 1);
    MPI_Finalize();
    return 0;
}
