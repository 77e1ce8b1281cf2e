/* SPDX-License-Identifier: MIT */
/* Datatypes: sizes, extents, what is sent, packing. Each rank sends to itself and to the next. */
#include "check.h"

#include <stddef.h>
#include <stdint.h>

/* Send n of `type` from `in`, receive m of `other` into `out`, from the left neighbour. */
static MPI_Status pass(const void *in, int n, MPI_Datatype type, void *out, int m,
                       MPI_Datatype other)
{
    MPI_Status s;

    MPI_Sendrecv(in, n, type, (me + 1) % P, 0, out, m, other, (me + P - 1) % P, 0, MPI_COMM_WORLD,
                 &s);
    return s;
}

static void expect(MPI_Datatype t, int size, MPI_Aint lb, MPI_Aint extent, MPI_Aint true_lb,
                   MPI_Aint true_extent)
{
    MPI_Aint at, length;
    int bytes;

    MPI_Type_size(t, &bytes);
    CHECK(bytes == size);
    MPI_Type_get_extent(t, &at, &length);
    CHECK(at == lb && length == extent);
    MPI_Type_get_true_extent(t, &at, &length);
    CHECK(at == true_lb && length == true_extent);
}

static void vectors(void)
{
    int in[30], out[30], flat[30], n;
    MPI_Datatype v, h, c;
    MPI_Status s;

    for (int i = 0; i < 30; i++)
        in[i] = i;
    v = vector(3, 2, 5, MPI_INT);
    expect(v, 24, 0, 48, 0, 48);
    memset(out, -1, sizeof(out));
    s = pass(in, 1, v, flat, 30, MPI_INT);
    MPI_Get_count(&s, MPI_INT, &n);
    CHECK(n == 6 && flat[0] == 0 && flat[1] == 1 && flat[2] == 5 && flat[5] == 11);
    s = pass(flat, 6, MPI_INT, out, 1, v);
    MPI_Get_count(&s, v, &n);
    CHECK(n == 1 && out[0] == 0 && out[6] == 6 && out[11] == 11 && out[2] == -1);
    MPI_Get_elements(&s, v, &n);
    CHECK(n == 6);
    MPI_Type_create_hvector(2, 1, 60, v, &h);
    MPI_Type_commit(&h);
    expect(h, 48, 0, 108, 0, 108);
    pass(in, 1, h, flat, 30, MPI_INT);
    CHECK(flat[6] == 15 && flat[11] == 26);
    MPI_Type_contiguous(3, MPI_INT, &c);
    MPI_Type_commit(&c);
    expect(c, 12, 0, 12, 0, 12);
    pass(in, 2, c, flat, 6, MPI_INT);
    CHECK(flat[5] == 5);
    MPI_Type_free(&v);
    MPI_Type_free(&h);
    MPI_Type_free(&c);
    CHECK(v == MPI_DATATYPE_NULL);
}

static void blocks(void)
{
    int in[20], flat[20], lengths[3] = {2, 0, 3}, displs[3] = {10, 3, 1};
    MPI_Aint bytes[2] = {40, 4};
    MPI_Datatype t;

    for (int i = 0; i < 20; i++)
        in[i] = 100 + i;
    MPI_Type_indexed(3, lengths, displs, MPI_INT, &t);
    MPI_Type_commit(&t);
    expect(t, 20, 4, 44, 4, 44);
    pass(in, 1, t, flat, 5, MPI_INT);
    CHECK(flat[0] == 110 && flat[1] == 111 && flat[2] == 101 && flat[4] == 103);
    MPI_Type_free(&t);
    MPI_Type_create_hindexed(2, lengths, bytes, MPI_INT, &t);
    MPI_Type_commit(&t);
    pass(in, 1, t, flat, 2, MPI_INT);
    CHECK(flat[0] == 110 && flat[1] == 111);
    MPI_Type_free(&t);
    MPI_Type_create_indexed_block(3, 2, displs, MPI_INT, &t);
    MPI_Type_commit(&t);
    pass(in, 1, t, flat, 6, MPI_INT);
    CHECK(flat[2] == 103 && flat[5] == 102);
    MPI_Type_free(&t);
}

struct particle {
    char kind;
    double at[3];
    int id;
};

static void structs(void)
{
    struct particle in[4], out[4];
    int lengths[3] = {1, 3, 1};
    MPI_Aint displs[3] = {offsetof(struct particle, kind), offsetof(struct particle, at),
                          offsetof(struct particle, id)};
    MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT}, t, resized;
    char packed[200];
    int at = 0, size;

    memset(in, 0, sizeof(in));
    memset(out, 0, sizeof(out));
    for (int i = 0; i < 4; i++)
        in[i] = (struct particle){(char)('a' + i), {i, i + .5, -i}, 10 * me + i};
    MPI_Type_create_struct(3, lengths, displs, types, &t);
    MPI_Type_create_resized(t, 0, sizeof(struct particle), &resized);
    MPI_Type_commit(&resized);
    expect(resized, 1 + 24 + 4, 0, sizeof(struct particle), 0,
           offsetof(struct particle, id) + sizeof(int));
    pass(in, 4, resized, out, 4, resized);
    for (int i = 0; i < 4; i++)
        CHECK(out[i].kind == 'a' + i && out[i].at[1] == i + .5 && out[i].at[2] == -i &&
              out[i].id == 10 * ((me + P - 1) % P) + i);
    MPI_Pack_size(4, resized, MPI_COMM_WORLD, &size);
    CHECK(size >= 4 * 29 && size <= (int)sizeof(packed));
    MPI_Pack(in, 2, resized, packed, sizeof(packed), &at, MPI_COMM_WORLD);
    MPI_Pack(&in[2], 2, resized, packed, sizeof(packed), &at, MPI_COMM_WORLD);
    size = at;
    at = 0;
    memset(out, 0, sizeof(out));
    MPI_Unpack(packed, size, &at, out, 4, resized, MPI_COMM_WORLD);
    CHECK(at == size && out[3].id == in[3].id && out[3].at[0] == 3);
    MPI_Type_free(&t);
    MPI_Type_free(&resized);
}

/* A struct ends where the next one of an array could begin, unless its extent is given. */
static void padding(void)
{
    const int lengths[2] = {1, 1};
    const MPI_Aint displs[2] = {0, 4};
    const MPI_Datatype types[2] = {MPI_INT, MPI_CHAR};
    MPI_Datatype t, narrow, of_narrow;

    MPI_Type_create_struct(2, lengths, displs, types, &t);
    expect(t, 5, 0, 8, 0, 5);
    MPI_Type_create_resized(t, 0, 5, &narrow);
    expect(narrow, 5, 0, 5, 0, 5);
    MPI_Type_create_struct(1, lengths, displs, &narrow, &of_narrow);
    expect(of_narrow, 5, 0, 5, 0, 5);
    MPI_Type_free(&t);
    MPI_Type_free(&narrow);
    MPI_Type_free(&of_narrow);
    MPI_Type_create_struct(0, NULL, NULL, NULL, &t);
    expect(t, 0, 0, 0, 0, 0);
    MPI_Type_free(&t);
}

static void subarrays(void)
{
    int in[4][6], out[4][6], flat[6], sizes[2] = {4, 6}, sub[2] = {2, 3}, starts[2] = {1, 2};
    MPI_Datatype t, copy;

    for (int i = 0; i < 24; i++)
        in[i / 6][i % 6] = i;
    MPI_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_C, MPI_INT, &t);
    MPI_Type_commit(&t);
    expect(t, 24, 0, 96, 32, 36);
    pass(in, 1, t, flat, 6, MPI_INT);
    CHECK(flat[0] == 8 && flat[2] == 10 && flat[3] == 14 && flat[5] == 16);
    memset(out, -1, sizeof(out));
    MPI_Type_dup(t, &copy);
    MPI_Type_free(&t);
    MPI_Type_commit(&copy);
    pass(flat, 6, MPI_INT, out, 1, copy);
    CHECK(out[1][2] == 8 && out[2][4] == 16 && out[0][0] == -1 && out[1][1] == -1);
    MPI_Type_free(&copy);
    MPI_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_FORTRAN, MPI_INT, &t);
    MPI_Type_commit(&t);
    pass(in, 1, t, flat, 6, MPI_INT);
    CHECK(flat[0] == 1 + 2 * 4 && flat[1] == 2 + 2 * 4 && flat[2] == 1 + 3 * 4);
    MPI_Type_free(&t);
}

static void pairs(void)
{
    struct {
        double v;
        int i;
    } in[2] = {{1.5, 3}, {2.5, 4}}, out[2];
    MPI_Aint lb, extent;
    MPI_Status status;
    MPI_Count many;
    int size;

    MPI_Type_size(MPI_DOUBLE_INT, &size);
    MPI_Type_get_extent(MPI_DOUBLE_INT, &lb, &extent);
    CHECK(size == 12 && extent == sizeof(in[0]));
    status = pass(in, 2, MPI_DOUBLE_INT, out, 2, MPI_DOUBLE_INT);
    MPI_Get_elements(&status, MPI_DOUBLE_INT, &size);
    CHECK(size == 4 || !is_logp()); /* others count pairs */
    MPI_Status_set_elements_x(&status, MPI_BYTE, INT64_MAX - 5);
    MPI_Get_elements_x(&status, MPI_BYTE, &many);
    CHECK(many == INT64_MAX - 5);
    CHECK(out[0].v == 1.5 && out[0].i == 3 && out[1].v == 2.5 && out[1].i == 4);
}

/* Elements are those that the type is made of, in parts of it, too: MPI 3.1, 8.3 */
static void set_elements(MPI_Datatype t, int n, int whole)
{
    MPI_Status status;
    int elements, count;

    memset(&status, 0, sizeof(status));
    MPI_Status_set_elements(&status, t, n);
    MPI_Get_elements(&status, t, &elements);
    MPI_Get_count(&status, t, &count);
    CHECK((elements == n && count == whole) || !is_logp()); /* Open MPI counts whole types */
}

static void statuses(void)
{
    const int lengths[2] = {1, 2};
    const MPI_Aint displs[2] = {0, 8};
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, v = vector(3, 1, 2, MPI_INT), s, h;

    MPI_Type_create_struct(2, lengths, displs, types, &s);
    MPI_Type_create_hindexed(2, lengths, displs, MPI_INT, &h);
    MPI_Type_commit(&s);
    MPI_Type_commit(&h);
    set_elements(v, 3, 1);
    set_elements(v, 7, MPI_UNDEFINED);
    set_elements(s, 3, 1);
    set_elements(s, 5, MPI_UNDEFINED); /* a whole one, an int and a double */
    set_elements(h, 6, 2);
    set_elements(h, 2, MPI_UNDEFINED);
    set_elements(MPI_DOUBLE_INT, 4, 2);
    set_elements(MPI_DOUBLE_INT, 3, MPI_UNDEFINED);
    set_elements(MPI_INT, 0, 0);
    MPI_Type_free(&v);
    MPI_Type_free(&s);
    MPI_Type_free(&h);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    vectors();
    blocks();
    structs();
    padding();
    subarrays();
    pairs();
    statuses();
    return all_hold("types");
}
