/* SPDX-License-Identifier: MIT */
/* Communicators, groups, grids, attributes and error handlers. */
#include "check.h"

static void splits(void)
{
    MPI_Comm half, copy, reversed, none;
    int rank, size, result, x;

    MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &half);
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &size);
    CHECK(size == (P + (me % 2 == 0)) / 2 && rank == size - 1 - me / 2);
    MPI_Allreduce(&me, &x, 1, MPI_INT, MPI_MAX, half);
    CHECK(x == (me % 2 == (P - 1) % 2 ? P - 1 : P - 2));
    MPI_Comm_dup(half, &copy);
    MPI_Comm_compare(half, copy, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_compare(half, half, &result);
    CHECK(result == MPI_IDENT);
    if (size > 1) { /* messages of one are not those of the other */
        int a = 1, b = 2, to = (rank + 1) % size, from = (rank + size - 1) % size;
        MPI_Request r[2];

        MPI_Isend(&a, 1, MPI_INT, to, 0, half, &r[0]);
        MPI_Isend(&b, 1, MPI_INT, to, 0, copy, &r[1]);
        MPI_Recv(&x, 1, MPI_INT, from, 0, copy, MPI_STATUS_IGNORE);
        CHECK(x == 2);
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, half, MPI_STATUS_IGNORE);
        CHECK(x == 1);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
    CHECK(half == MPI_COMM_NULL);
    MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : 0, 0, &none);
    CHECK((none == MPI_COMM_NULL) == (me == 0));
    if (none != MPI_COMM_NULL)
        MPI_Comm_free(&none);
    MPI_Comm_split(MPI_COMM_WORLD, 0, P - me, &reversed);
    MPI_Comm_compare(MPI_COMM_WORLD, reversed, &result);
    CHECK(P == 1 ? result == MPI_CONGRUENT : result == MPI_SIMILAR);
    MPI_Comm_free(&reversed);
    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    MPI_Comm_size(MPI_COMM_SELF, &size);
    CHECK(rank == 0 && size == 1);
}

static void groups(void)
{
    MPI_Group world, even, odd, both, none;
    MPI_Comm made;
    int n, rank, ranges[1][3] = {{0, P - 1, 2}}, result, ranks[1] = {0}, out[1];

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, ranges, &even);
    MPI_Group_difference(world, even, &odd);
    MPI_Group_size(even, &n);
    CHECK(n == (P + 1) / 2);
    MPI_Group_rank(even, &rank);
    CHECK(rank == (me % 2 ? MPI_UNDEFINED : me / 2));
    MPI_Group_union(odd, even, &both);
    MPI_Group_compare(both, world, &result);
    CHECK(result == (P == 1 ? MPI_IDENT : MPI_SIMILAR));
    MPI_Group_intersection(odd, even, &none);
    MPI_Group_size(none, &n);
    CHECK(n == 0);
    if (P > 1) {
        MPI_Group_translate_ranks(odd, 1, ranks, world, out);
        CHECK(out[0] == 1);
    }
    MPI_Comm_create(MPI_COMM_WORLD, even, &made);
    CHECK((made == MPI_COMM_NULL) == (me % 2 == 1));
    if (made != MPI_COMM_NULL) {
        MPI_Allreduce(&me, &n, 1, MPI_INT, MPI_MIN, made);
        CHECK(n == 0);
        MPI_Comm_free(&made);
    }
    if (me % 2 == 1) {
        MPI_Comm_create_group(MPI_COMM_WORLD, odd, 3, &made);
        MPI_Comm_size(made, &n);
        CHECK(n == P / 2);
        MPI_Barrier(made);
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&even);
    if (odd != MPI_GROUP_EMPTY)
        MPI_Group_free(&odd);
    MPI_Group_free(&both);
    CHECK(world == MPI_GROUP_NULL);
}

static void grids(void)
{
    int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], rank, source, dest, n, remain[2] = {0, 1},
        status, d[2], p[2];
    MPI_Comm grid, row;

    MPI_Dims_create(P, 2, dims);
    CHECK(dims[0] * dims[1] == P && dims[0] >= dims[1]);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Topo_test(grid, &status);
    CHECK(status == MPI_CART);
    MPI_Topo_test(MPI_COMM_WORLD, &status);
    CHECK(status == MPI_UNDEFINED);
    MPI_Cart_coords(grid, me, 2, coords);
    CHECK(coords[0] == me / dims[1] && coords[1] == me % dims[1]);
    MPI_Cart_rank(grid, coords, &rank);
    CHECK(rank == me);
    MPI_Cart_shift(grid, 0, 1, &source, &dest);
    CHECK(dest == (me + dims[1]) % P && source == (me + P - dims[1]) % P);
    MPI_Cart_shift(grid, 1, 1, &source, &dest);
    CHECK(dest == (coords[1] + 1 < dims[1] ? me + 1 : MPI_PROC_NULL));
    CHECK(source == (coords[1] > 0 ? me - 1 : MPI_PROC_NULL));
    MPI_Sendrecv(&me, 1, MPI_INT, dest, 0, &rank, 1, MPI_INT, source, 0, grid, MPI_STATUS_IGNORE);
    CHECK(source == MPI_PROC_NULL || rank == source);
    MPI_Cart_get(grid, 2, d, p, coords);
    CHECK(d[0] == dims[0] && p[0] == 1 && p[1] == 0);
    MPI_Cart_sub(grid, remain, &row);
    MPI_Comm_size(row, &n);
    CHECK(n == dims[1]);
    MPI_Cartdim_get(row, &n);
    CHECK(n == 1);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
}

static int copied, dropped;

static int copy(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)state;
    copied++;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int drop(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)value, (void)state;
    dropped++;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    int key, flag, *value, own = 5, length;
    MPI_Comm dup;
    char name[MPI_MAX_OBJECT_NAME];

    MPI_Comm_create_keyval(copy, drop, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &own);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_get_attr(dup, key, &value, &flag);
    CHECK(flag && value == &own && copied == 1);
    MPI_Comm_free(&dup);
    CHECK(dropped == 1);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    CHECK(dropped == 2);
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
    CHECK(!flag);
    MPI_Comm_free_keyval(&key);
    CHECK(key == MPI_KEYVAL_INVALID);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    CHECK(flag && *value >= 32767);
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    CHECK(strcmp(name, "MPI_COMM_WORLD") == 0 && length == 14);
}

static int handled;

static void handle(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    handled = *error;
}

static void handlers(void)
{
    MPI_Errhandler own, was;
    char text[MPI_MAX_ERROR_STRING];
    int length, class_of;

    MPI_Comm_create_errhandler(handle, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &was);
    MPI_Bcast(&length, 1, MPI_INT, P + 3, MPI_COMM_WORLD);
    MPI_Error_class(handled, &class_of);
    CHECK(class_of == MPI_ERR_ROOT);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&own);
    MPI_Error_string(MPI_ERR_TAG, text, &length);
    CHECK(length > 0 && length == (int)strlen(text));
}

int main(int argc, char **argv)
{
    int provided, level, version, sub;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    CHECK(provided >= MPI_THREAD_FUNNELED);
    MPI_Query_thread(&level);
    CHECK(level == provided);
    MPI_Get_version(&version, &sub);
    CHECK(version >= 3);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &P);
    splits();
    groups();
    grids();
    attributes();
    handlers();
    return all_hold("communicators");
}
