/* SPDX-License-Identifier: MIT */
/* What objects keep: how a datatype was made, distributed arrays, external32; attributes and infos. */
#include "check.h"

static void expect(MPI_Datatype type, int combiner, int n_ints, const int ints[], int n_addresses,
                   const MPI_Aint addresses[], int n_types, const MPI_Datatype types[])
{
    int ni, na, nt, how, *i;
    MPI_Aint *a;
    MPI_Datatype *t;

    MPI_Type_get_envelope(type, &ni, &na, &nt, &how);
    CHECK(ni == n_ints && na == n_addresses && nt == n_types && how == combiner);
    i = calloc((size_t)(ni + 1), sizeof(*i));
    a = calloc((size_t)(na + 1), sizeof(*a));
    t = calloc((size_t)(nt + 1), sizeof(*t));
    MPI_Type_get_contents(type, ni, na, nt, i, a, t);
    for (int k = 0; k < ni; k++)
        CHECK(i[k] == ints[k]);
    for (int k = 0; k < na; k++)
        CHECK(a[k] == addresses[k]);
    for (int k = 0; k < nt; k++)
        CHECK(t[k] == types[k]);
    free(i);
    free(a);
    free(t);
}

#define LIST(type, ...)                                                                            \
    sizeof((type[]){__VA_ARGS__}) / sizeof(type), (const type[])                                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define EMPTY 0, NULL

static void contents(void)
{
    const int blocks[2] = {1, 2}, displs[2] = {0, 3};
    const MPI_Aint bytes[2] = {0, 16};
    const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Datatype t, dup, inner;
    int n, n_types, n_ints, n_addresses;

    MPI_Type_contiguous(3, MPI_INT, &t);
    expect(t, MPI_COMBINER_CONTIGUOUS, LIST(int, 3), EMPTY, LIST(MPI_Datatype, MPI_INT));
    MPI_Type_dup(t, &dup);
    MPI_Type_get_contents(dup, 0, 0, 1, NULL, NULL, &inner);
    MPI_Type_free(&t); /* what it was made of stays */
    MPI_Type_size(inner, &n);
    CHECK(n == 12);
    MPI_Type_free(&inner);
    MPI_Type_get_envelope(dup, &n_ints, &n_addresses, &n_types, &n);
    CHECK(n == MPI_COMBINER_DUP && n_ints == 0 && n_addresses == 0 && n_types == 1);
    MPI_Type_free(&dup);
    MPI_Type_vector(2, 1, 3, MPI_INT, &t);
    expect(t, MPI_COMBINER_VECTOR, LIST(int, 2, 1, 3), EMPTY, LIST(MPI_Datatype, MPI_INT));
    MPI_Type_free(&t);
    MPI_Type_create_hvector(2, 1, 24, MPI_INT, &t);
    expect(t, MPI_COMBINER_HVECTOR, LIST(int, 2, 1), LIST(MPI_Aint, 24),
           LIST(MPI_Datatype, MPI_INT));
    MPI_Type_free(&t);
    MPI_Type_indexed(2, blocks, displs, MPI_INT, &t);
    expect(t, MPI_COMBINER_INDEXED, LIST(int, 2, 1, 2, 0, 3), EMPTY, LIST(MPI_Datatype, MPI_INT));
    MPI_Type_free(&t);
    MPI_Type_create_hindexed(2, blocks, bytes, MPI_INT, &t);
    expect(t, MPI_COMBINER_HINDEXED, LIST(int, 2, 1, 2), 2, bytes, LIST(MPI_Datatype, MPI_INT));
    MPI_Type_free(&t);
    MPI_Type_create_indexed_block(2, 2, displs, MPI_INT, &t);
    expect(t, MPI_COMBINER_INDEXED_BLOCK, LIST(int, 2, 2, 0, 3), EMPTY,
           LIST(MPI_Datatype, MPI_INT));
    MPI_Type_free(&t);
    MPI_Type_create_hindexed_block(2, 2, bytes, MPI_INT, &t);
    expect(t, MPI_COMBINER_HINDEXED_BLOCK, LIST(int, 2, 2), 2, bytes, LIST(MPI_Datatype, MPI_INT));
    MPI_Type_free(&t);
    MPI_Type_create_struct(2, blocks, bytes, types, &t);
    expect(t, MPI_COMBINER_STRUCT, LIST(int, 2, 1, 2), 2, bytes, 2, types);
    MPI_Type_free(&t);
    MPI_Type_create_resized(MPI_INT, -4, 12, &t);
    expect(t, MPI_COMBINER_RESIZED, EMPTY, LIST(MPI_Aint, -4, 12), LIST(MPI_Datatype, MPI_INT));
    MPI_Type_free(&t);
    MPI_Type_create_subarray(2, (int[]){4, 5}, (int[]){2, 3}, (int[]){1, 1}, MPI_ORDER_C, MPI_INT,
                             &t);
    expect(t, MPI_COMBINER_SUBARRAY, LIST(int, 2, 4, 5, 2, 3, 1, 1, MPI_ORDER_C), EMPTY,
           LIST(MPI_Datatype, MPI_INT));
    MPI_Type_free(&t);
    MPI_Type_get_envelope(MPI_DOUBLE, &n_ints, &n_addresses, &n_types, &n);
    CHECK(n == MPI_COMBINER_NAMED && n_types == 0);
    MPI_Type_match_size(MPI_TYPECLASS_REAL, sizeof(double), &t);
    MPI_Type_size(t, &n);
    CHECK(n == sizeof(double));
    MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 2, &t);
    MPI_Type_size(t, &n);
    CHECK(n == 2);
}

/* Each element of an array of 7 x 9 belongs to one process of 2 x 3, in the order of the array. */
static void darrays(void)
{
    const int sizes[2] = {7, 9}, grid[2] = {2, 3}, blocks[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2},
              kinds[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    int array[63], part[63], seen[63] = {0}, n, position, n_addresses, n_types;
    MPI_Datatype t;
    MPI_Aint lb, extent;

    for (int i = 0; i < 63; i++)
        array[i] = i;
    for (int order = 0; order < 2; order++)
        for (int rank = 0; rank < 6; rank++) {
            MPI_Type_create_darray(6, rank, 2, sizes, kinds, blocks, grid,
                                   order ? MPI_ORDER_FORTRAN : MPI_ORDER_C, MPI_INT, &t);
            MPI_Type_commit(&t);
            MPI_Type_get_extent(t, &lb, &extent);
            CHECK(lb == 0 && extent == sizeof(array));
            MPI_Type_size(t, &n);
            position = 0;
            MPI_Pack(array, 1, t, part, sizeof(part), &position, MPI_COMM_SELF);
            CHECK(position == n);
            n /= (int)sizeof(int);
            for (int i = 0; i < n; i++) {
                const int row = order ? part[i] % 7 : part[i] / 9,
                          column = order ? part[i] / 7 : part[i] % 9;

                seen[part[i]]++;
                CHECK(row / 4 == rank / 3 && column / 2 % 3 == rank % 3);
                CHECK(i == 0 || part[i] > part[i - 1]);
            }
            MPI_Type_get_envelope(t, &n, &n_addresses, &n_types, &position);
            CHECK(n == 4 + 4 * 2 && position == MPI_COMBINER_DARRAY);
            MPI_Type_free(&t);
        }
    for (int i = 0; i < 63; i++)
        CHECK(seen[i] == 2);
}

static void external(void)
{
    struct {
        int i;
        double d;
        short s[2];
    } in = {0x01020304, -1.5, {5, -2}}, out = {0, 0, {0, 0}};
    const int lengths[3] = {1, 1, 2};
    const MPI_Aint at[3] = {0, (char *)&in.d - (char *)&in, (char *)&in.s - (char *)&in};
    const MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_SHORT};
    const unsigned char expected[16] = {1, 2, 3, 4, 0xbf, 0xf8, 0, 0, 0, 0, 0, 0, 0, 5, 0xff, 0xfe};
    unsigned char data[32];
    MPI_Datatype t;
    MPI_Aint size, position = 0;

    MPI_Type_create_struct(3, lengths, at, types, &t);
    MPI_Type_commit(&t);
    MPI_Pack_external_size("external32", 1, t, &size);
    CHECK(size == 16);
    MPI_Pack_external("external32", &in, 1, t, data, sizeof(data), &position);
    CHECK(position == 16 && memcmp(data, expected, 16) == 0);
    position = 0;
    MPI_Unpack_external("external32", data, 16, &position, &out, 1, t);
    CHECK(position == 16 && out.i == in.i && out.d == in.d && out.s[0] == 5 && out.s[1] == -2);
    MPI_Type_free(&t);
    if (is_logp()) { /* others give long the size that it has here */
        const long wide = -3;
        long back = 0;

        position = 0;
        MPI_Pack_external("external32", &wide, 1, MPI_LONG, data, sizeof(data), &position);
        CHECK(position == 4);
        position = 0;
        MPI_Unpack_external("external32", data, 4, &position, &back, 1, MPI_LONG);
        CHECK(back == wide);
    }
}

static int copied, dropped;

static int copy(MPI_Datatype type, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)type, (void)keyval;
    copied += *(int *)state;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int drop(MPI_Datatype type, int keyval, void *value, void *state)
{
    (void)type, (void)keyval, (void)value, (void)state;
    dropped++;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    int key, own = 5, step = 3, flag, *value;
    MPI_Datatype t, dup;

    MPI_Type_create_keyval(copy, drop, &key, &step);
    MPI_Type_contiguous(2, MPI_INT, &t);
    MPI_Type_set_attr(t, key, &own);
    MPI_Type_dup(t, &dup);
    CHECK(copied == 3);
    MPI_Type_free(&t);
    CHECK(dropped == 1 || !is_logp());
    MPI_Type_get_attr(dup, key, &value, &flag);
    CHECK(flag && value == &own);
    MPI_Type_delete_attr(dup, key);
    CHECK(dropped == 2 || !is_logp());
    MPI_Type_get_attr(dup, key, &value, &flag);
    CHECK(!flag);
    MPI_Type_free(&dup);
    MPI_Type_set_attr(MPI_INT, key, &own); /* each rank's own, of a constant */
    MPI_Type_get_attr(MPI_INT, key, &value, &flag);
    CHECK(flag && value == &own);
    MPI_Type_delete_attr(MPI_INT, key);
    MPI_Type_free_keyval(&key);
    CHECK(key == MPI_KEYVAL_INVALID);
}

static int fail(void *object, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)object, (void)keyval, (void)state, (void)in, (void)out, (void)flag;
    return MPI_ERR_OTHER;
}

/* A duplicate whose attributes cannot be copied is none. */
static void failing_copies(void)
{
    int first, second, own = 5;
    MPI_Datatype t, dup_type = MPI_INT;
    MPI_Comm comm, dup_comm = MPI_COMM_WORLD;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_create_keyval(copy, drop, &first, &own);
    MPI_Type_create_keyval((MPI_Type_copy_attr_function *)fail, MPI_TYPE_NULL_DELETE_FN, &second,
                           NULL);
    MPI_Type_contiguous(2, MPI_INT, &t);
    MPI_Type_set_attr(t, first, &own);
    MPI_Type_set_attr(t, second, &own);
    CHECK(MPI_Type_dup(t, &dup_type) != MPI_SUCCESS && dup_type == MPI_DATATYPE_NULL);
    MPI_Type_free(&t);
    MPI_Type_free_keyval(&first);
    MPI_Type_free_keyval(&second);
    MPI_Comm_create_keyval((MPI_Comm_copy_attr_function *)fail, MPI_COMM_NULL_DELETE_FN, &first,
                           NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_attr(comm, first, &own);
    CHECK(MPI_Comm_dup(comm, &dup_comm) != MPI_SUCCESS && dup_comm == MPI_COMM_NULL);
    MPI_Comm_delete_attr(comm, first);
    CHECK(MPI_Comm_dup(comm, &dup_comm) == MPI_SUCCESS);
    MPI_Comm_free(&dup_comm);
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&first);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* A constant has its name in the standard until a rank gives it another, which is that rank's own. */
static void names(void)
{
    char name[MPI_MAX_OBJECT_NAME], expected[32];
    int length;

    MPI_Type_get_name(MPI_C_COMPLEX, name, &length);
    CHECK(strcmp(name, "MPI_C_COMPLEX") == 0 && length == 13);
    MPI_Type_get_name(MPI_LONG_LONG_INT, name, &length);
    CHECK(strcmp(name, "MPI_LONG_LONG_INT") == 0);
    MPI_Type_get_name(MPI_SHORT, name, &length);
    CHECK(strcmp(name, "MPI_SHORT") == 0);
    snprintf(expected, sizeof(expected), "of rank %d", me);
    MPI_Type_set_name(MPI_SHORT, "another");
    MPI_Type_set_name(MPI_SHORT, expected);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_get_name(MPI_SHORT, name, &length);
    CHECK(strcmp(name, expected) == 0 && length == (int)strlen(expected));
    MPI_Type_get_name(MPI_UNSIGNED_SHORT, name, &length);
    CHECK(strcmp(name, "MPI_UNSIGNED_SHORT") == 0);
}

/* MPI_COMM_WORLD and MPI_COMM_SELF have infos, too, and nothing frees these before the end. */
static void infos_of_constants(void)
{
    char value[8];
    int flag;
    MPI_Info info, kept;

    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
    MPI_Comm_set_info(MPI_COMM_WORLD, info);
    MPI_Comm_set_info(MPI_COMM_SELF, info);
    MPI_Info_free(&info);
    MPI_Comm_get_info(MPI_COMM_WORLD, &kept);
    MPI_Info_get(kept, "key", 7, value, &flag);
    CHECK(!is_logp() || (flag && strcmp(value, "value") == 0));
    MPI_Info_free(&kept);
}

static void infos(void)
{
    MPI_Info info, dup;
    MPI_Comm comm;
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    int flag, length;

    MPI_Info_create(&info);
    MPI_Info_set(info, "first", "one");
    MPI_Info_set(info, "second", "twenty");
    MPI_Info_get_valuelen(info, "second", &length, &flag);
    CHECK(flag && length == 6);
    MPI_Info_get_valuelen(info, "third", &length, &flag);
    CHECK(!flag);
    MPI_Info_dup(info, &dup);
    MPI_Info_delete(info, "first");
    MPI_Info_get_nthkey(info, 0, key);
    CHECK(strcmp(key, "second") == 0);
    MPI_Info_get_nkeys(dup, &length);
    CHECK(length == 2);
    MPI_Info_get(dup, "first", MPI_MAX_INFO_VAL, value, &flag);
    CHECK(flag && strcmp(value, "one") == 0);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, dup, &comm);
    MPI_Info_free(&info);
    MPI_Info_free(&dup);
    MPI_Comm_get_info(comm, &info);
    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);
    MPI_Comm_free(&comm);
}

/* A duplicate is complete whenever it is waited for, and whatever is made meanwhile. */
static void duplicates(void)
{
    MPI_Comm a, b, c;
    MPI_Request r[2];
    int x = me, flag, result;

    if (me == 0) { /* it does not wait for the others */
        MPI_Comm_idup(MPI_COMM_WORLD, &a, &r[0]);
        for (int i = 1; i < P; i++)
            MPI_Send(&x, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_idup(MPI_COMM_WORLD, &a, &r[0]);
    }
    MPI_Comm_idup(MPI_COMM_WORLD, &b, &r[1]);
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Comm_compare(a, b, &result);
    CHECK(result == MPI_CONGRUENT);
    /* messages of one are not those of the others */
    MPI_Isend(&me, 1, MPI_INT, (me + 1) % P, 0, a, &r[0]);
    MPI_Barrier(c);
    MPI_Iprobe(MPI_ANY_SOURCE, 0, b, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, a, MPI_STATUS_IGNORE);
    CHECK(x == (me + P - 1) % P);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Allreduce(&me, &x, 1, MPI_INT, MPI_MAX, b);
    CHECK(x == P - 1);
    MPI_Comm_free(&a);
    MPI_Comm_free(&b);
    MPI_Comm_free(&c);
}

static void wrong(void)
{
    int key, n, one = 1, cyclic = MPI_DISTRIBUTE_CYCLIC, block = MPI_DISTRIBUTE_BLOCK, two = 2,
                zero = 0;
    MPI_Aint position = 0, size;
    MPI_Datatype t;
    MPI_Info info;
    MPI_Comm comm;
    MPI_Request request;
    char data[8];

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    FAILS(MPI_ERR_TYPE, MPI_Type_get_envelope(MPI_DATATYPE_NULL, &n, &n, &n, &n));
    FAILS(MPI_ERR_TYPE, MPI_Type_get_contents(MPI_INT, 0, 0, 0, &n, &size, &t));
    MPI_Type_contiguous(2, MPI_INT, &t);
    FAILS(MPI_ERR_ARG, MPI_Type_get_contents(t, 0, 0, 1, &n, &size, &t));
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(MPI_COMM_WORLD, key, &n));
    FAILS(MPI_ERR_KEYVAL, MPI_Type_set_attr(t, key + 1, &n));
    FAILS(MPI_ERR_KEYVAL, MPI_Type_delete_attr(t, key));
    FAILS(MPI_ERR_TYPE, MPI_Type_set_attr(MPI_DATATYPE_NULL, key, &n));
    FAILS(MPI_ERR_TYPE, MPI_Type_get_attr(MPI_DATATYPE_NULL, key, &n, &n));
    n = key;
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_free_keyval(&n));
    MPI_Type_free(&t);
    FAILS(MPI_ERR_ARG, MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &t));
    FAILS(MPI_ERR_ARG,
          MPI_Type_create_darray(1, 1, 1, &two, &block, &one, &one, MPI_ORDER_C, MPI_INT, &t));
    FAILS(MPI_ERR_ARG,
          MPI_Type_create_darray(1, 0, 1, &two, &block, &one, &one, MPI_ORDER_C, MPI_INT, &t));
    FAILS(MPI_ERR_ARG,
          MPI_Type_create_darray(1, 0, 1, &two, &cyclic, &zero, &one, MPI_ORDER_C, MPI_INT, &t));
    FAILS(MPI_ERR_ARG,
          MPI_Type_create_darray(1, 0, 1, &two, &cyclic, &one, &two, MPI_ORDER_C, MPI_INT, &t));
    FAILS(MPI_ERR_ARG,
          MPI_Type_create_darray(1, 0, 1, &two, &two, &one, &one, MPI_ORDER_C, MPI_INT, &t));
    FAILS(MPI_ERR_ARG, MPI_Type_create_darray(1, 0, 1, &two, &cyclic, &one, &one, 3, MPI_INT, &t));
    FAILS(MPI_ERR_ARG, MPI_Pack_external_size("native", 1, MPI_INT, &size));
    FAILS(MPI_ERR_COUNT, MPI_Pack_external_size("external32", -1, MPI_INT, &size));
    FAILS(MPI_ERR_TYPE, MPI_Pack_external_size("external32", 1, MPI_LONG_DOUBLE, &size));
    FAILS(MPI_ERR_ARG, MPI_Pack_external("external32", data, 3, MPI_INT, data, 8, &position));
    FAILS(MPI_ERR_ARG, MPI_Unpack_external("external32", data, 3, &position, &n, 1, MPI_INT));
    MPI_Info_create(&info);
    FAILS(MPI_ERR_INFO_NOKEY, MPI_Info_delete(info, "none"));
    FAILS(MPI_ERR_ARG, MPI_Info_get_nthkey(info, 0, data));
    MPI_Info_free(&info);
    FAILS(MPI_ERR_INFO, MPI_Info_dup(MPI_INFO_NULL, &info));
    FAILS(MPI_ERR_INFO, MPI_Info_get_valuelen(MPI_INFO_NULL, "none", &n, &n));
    FAILS(MPI_ERR_COMM, MPI_Comm_idup(MPI_COMM_NULL, &comm, &request));
    FAILS(MPI_ERR_COMM, MPI_Comm_set_info(MPI_COMM_NULL, MPI_INFO_NULL));
    FAILS(MPI_ERR_COMM, MPI_Comm_get_info(MPI_COMM_NULL, &info));
}

/* Fortran's types by precision and range: the smallest that is large enough, one for the same arguments. */
static void f90(void)
{
    const struct {
        int precision, range, size; /* precision -1: an integer */
    } all[] = {{6, 37, 4},
               {6, MPI_UNDEFINED, 4},
               {7, MPI_UNDEFINED, 8},
               {MPI_UNDEFINED, 38, 8},
               {15, 307, 8},
               {-1, 2, 1},
               {-1, 3, 2},
               {-1, 9, 4},
               {-1, 10, 8},
               {-1, 18, 8}};
    int ints[2], n_ints, n_addresses, n_types, combiner, size;
    double x = 1.5, sum;
    MPI_Datatype t, same;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const int p = all[i].precision, r = all[i].range;

        if (p == -1) {
            MPI_Type_create_f90_integer(r, &t);
            MPI_Type_create_f90_integer(r, &same);
        } else {
            MPI_Type_create_f90_real(p, r, &t);
            MPI_Type_create_f90_real(p, r, &same);
        }
        MPI_Type_size(t, &size);
        CHECK(t == same && size == all[i].size);
        MPI_Type_get_envelope(t, &n_ints, &n_addresses, &n_types, &combiner);
        CHECK(combiner == (p == -1 ? MPI_COMBINER_F90_INTEGER : MPI_COMBINER_F90_REAL));
        CHECK(n_ints == (p == -1 ? 1 : 2) && n_addresses == 0 && n_types == 0);
        MPI_Type_get_contents(t, n_ints, 0, 0, ints, NULL, NULL);
        CHECK(ints[0] == (p == -1 ? r : p) && ints[n_ints - 1] == r);
        if (p == -1)
            continue;
        MPI_Type_create_f90_complex(p, r, &t);
        MPI_Type_size(t, &size);
        CHECK(size == 2 * all[i].size);
    }
    MPI_Type_create_f90_real(15, 307, &t);
    MPI_Allreduce(&x, &sum, 1, t, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == 1.5 * P);
    if (!is_logp())
        return;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    FAILS(MPI_ERR_TYPE, MPI_Type_free(&t)); /* it is as a constant */
    FAILS(MPI_ERR_ARG, MPI_Type_create_f90_real(99, 1, &t));
    FAILS(MPI_ERR_ARG, MPI_Type_create_f90_real(MPI_UNDEFINED, MPI_UNDEFINED, &t));
    FAILS(MPI_ERR_ARG, MPI_Type_create_f90_complex(1, 9999, &t));
    FAILS(MPI_ERR_ARG, MPI_Type_create_f90_integer(39, &t));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    contents();
    darrays();
    external();
    attributes();
    infos();
    infos_of_constants();
    duplicates();
    f90();
    if (is_logp()) { /* others leave a duplicate that fails as it was, and name synonyms otherwise */
        failing_copies();
        names();
        wrong();
    }
    return all_hold("contents");
}
