/* SPDX-License-Identifier: MIT */
/* Collectives: blocking and not, with counts of their own, in place, derived types, own operations. */
#include "check.h"

enum { MOST = 64 };

/* Complete a call that may be nonblocking. */
static MPI_Request request;
static void done(int nonblocking)
{
    if (nonblocking)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void blocks(int i, int root)
{
    int one[2] = {me, 10 * me}, all[2 * MOST], out[2 * MOST];
    MPI_Comm c = MPI_COMM_WORLD;

    memset(all, -1, sizeof(all));
    i ? MPI_Igather(one, 2, MPI_INT, all, 2, MPI_INT, root, c, &request)
      : MPI_Gather(one, 2, MPI_INT, all, 2, MPI_INT, root, c);
    done(i);
    for (int k = 0; me == root && k < P; k++)
        CHECK(all[2 * k] == k && all[2 * k + 1] == 10 * k);
    for (int k = 0; k < P; k++)
        out[k] = 1000 * me + k;
    i ? MPI_Iscatter(out, 1, MPI_INT, one, 1, MPI_INT, root, c, &request)
      : MPI_Scatter(out, 1, MPI_INT, one, 1, MPI_INT, root, c);
    done(i);
    CHECK(one[0] == 1000 * root + me);
    i ? MPI_Iallgather(&me, 1, MPI_INT, all, 1, MPI_INT, c, &request)
      : MPI_Allgather(&me, 1, MPI_INT, all, 1, MPI_INT, c);
    done(i);
    for (int k = 0; k < P; k++)
        CHECK(all[k] == k);
    i ? MPI_Ialltoall(out, 1, MPI_INT, all, 1, MPI_INT, c, &request)
      : MPI_Alltoall(out, 1, MPI_INT, all, 1, MPI_INT, c);
    done(i);
    for (int k = 0; k < P; k++)
        CHECK(all[k] == 1000 * k + me);
    one[0] = me == root ? 77 : 0;
    i ? MPI_Ibcast(one, 1, MPI_INT, root, c, &request) : MPI_Bcast(one, 1, MPI_INT, root, c);
    done(i);
    CHECK(one[0] == 77);
    i ? MPI_Ibarrier(c, &request) : MPI_Barrier(c);
    done(i);
}

static void in_place(void)
{
    int all[MOST], sum;

    for (int k = 0; k < P; k++)
        all[k] = 100 * me + k;
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int k = 0; k < P; k++)
        CHECK(all[k] == 100 * k + me);
    all[me] = me;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int k = 0; k < P; k++)
        CHECK(all[k] == k);
    all[0] = me == 0 ? -3 : me;
    if (me == 0)
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Gather(&me, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    CHECK(me > 0 || (all[0] == -3 && all[P - 1] == (P > 1 ? P - 1 : -3)));
    sum = me;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == P * (P - 1) / 2);
    sum = me + 1;
    if (me == P - 1)
        MPI_Reduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_PROD, P - 1, MPI_COMM_WORLD);
    else
        MPI_Reduce(&sum, NULL, 1, MPI_INT, MPI_PROD, P - 1, MPI_COMM_WORLD);
    if (me == P - 1 && P <= 12) {
        int product = 1;

        for (int k = 1; k <= P; k++)
            product *= k;
        CHECK(sum == product);
    }
}

/* Rank i has i + 1 elements. */
static void vectors(int i)
{
    int counts[MOST], displs[MOST], to[MOST], to_displs[MOST], total = 0, mine[MOST * MOST],
                                                               all[MOST * MOST];
    MPI_Comm c = MPI_COMM_WORLD;
    MPI_Datatype types[MOST];
    int bytes[MOST], to_bytes[MOST];

    for (int k = 0; k < P; k++) {
        counts[k] = k + 1;
        displs[k] = total;
        total += k + 1;
        to[k] = me + 1;
        to_displs[k] = k * (me + 1);
        types[k] = MPI_INT;
    }
    for (int k = 0; k < P * (me + 1); k++)
        mine[k] = 1000 * me + k;
    memset(all, -1, sizeof(all));
    i ? MPI_Igatherv(mine, me + 1, MPI_INT, all, counts, displs, MPI_INT, P - 1, c, &request)
      : MPI_Gatherv(mine, me + 1, MPI_INT, all, counts, displs, MPI_INT, P - 1, c);
    done(i);
    for (int k = 0; me == P - 1 && k < P; k++)
        for (int j = 0; j <= k; j++)
            CHECK(all[displs[k] + j] == 1000 * k + j);
    i ? MPI_Iallgatherv(mine, me + 1, MPI_INT, all, counts, displs, MPI_INT, c, &request)
      : MPI_Allgatherv(mine, me + 1, MPI_INT, all, counts, displs, MPI_INT, c);
    done(i);
    for (int k = 0; k < P; k++)
        for (int j = 0; j <= k; j++)
            CHECK(all[displs[k] + j] == 1000 * k + j);
    memset(mine, -1, sizeof(mine));
    i ? MPI_Iscatterv(all, counts, displs, MPI_INT, mine, me + 1, MPI_INT, 0, c, &request)
      : MPI_Scatterv(all, counts, displs, MPI_INT, mine, me + 1, MPI_INT, 0, c);
    done(i);
    for (int j = 0; j <= me; j++)
        CHECK(mine[j] == 1000 * me + j);
    for (int k = 0; k < P * (me + 1); k++)
        mine[k] = 1000 * me + k;
    i ? MPI_Ialltoallv(mine, to, to_displs, MPI_INT, all, counts, displs, MPI_INT, c, &request)
      : MPI_Alltoallv(mine, to, to_displs, MPI_INT, all, counts, displs, MPI_INT, c);
    done(i);
    for (int k = 0; k < P; k++)
        for (int j = 0; j <= k; j++)
            CHECK(all[displs[k] + j] == 1000 * k + me * (k + 1) + j);
    for (int k = 0; k < P; k++) {
        bytes[k] = displs[k] * (int)sizeof(int);
        to_bytes[k] = to_displs[k] * (int)sizeof(int);
    }
    memset(all, -1, sizeof(all));
    i ? MPI_Ialltoallw(mine, to, to_bytes, types, all, counts, bytes, types, c, &request)
      : MPI_Alltoallw(mine, to, to_bytes, types, all, counts, bytes, types, c);
    done(i);
    for (int k = 0; k < P; k++)
        CHECK(all[displs[k]] == 1000 * k + me * (k + 1));
}

static void first_of(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type; /* the left one: not commutative */
    memcpy(inout, in, (size_t)*n * sizeof(int));
}

static void last_of(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)n, (void)type; /* the right one is there */
}

static void reductions(int i)
{
    MPI_Comm c = MPI_COMM_WORLD;
    double x = me + 1, y = 0, expected = 0;
    int in[MOST], out = -1, flags = 1 << (me % 30), all_flags = 0, counts[MOST], left[MOST];
    struct {
        double v;
        int i;
    } mine = {(me * 7) % P, me}, best = {-1, -1};
    float complex_in[2] = {1, 2}, complex_out[2];
    MPI_Op op;

    i ? MPI_Iallreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, c, &request)
      : MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, c);
    done(i);
    CHECK(y == P * (P + 1) / 2);
    i ? MPI_Ireduce(&x, &y, 1, MPI_DOUBLE, MPI_MAX, 0, c, &request)
      : MPI_Reduce(&x, &y, 1, MPI_DOUBLE, MPI_MAX, 0, c);
    done(i);
    CHECK(me > 0 || y == P);
    MPI_Allreduce(&flags, &all_flags, 1, MPI_INT, MPI_BOR, c);
    for (int k = 0; k < P; k++)
        CHECK(all_flags & 1 << (k % 30));
    MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, c);
    for (int k = 0; k < P; k++)
        expected = (k * 7) % P > expected ? (k * 7) % P : expected;
    CHECK(best.v == expected && (best.i * 7) % P == (int)expected);
    MPI_Allreduce(complex_in, complex_out, 1, MPI_C_FLOAT_COMPLEX, MPI_SUM, c);
    CHECK(complex_out[0] == P && complex_out[1] == 2 * P);
    for (int k = 0; k < P; k++) {
        in[k] = me + k;
        counts[k] = 1;
    }
    i ? MPI_Ireduce_scatter_block(in, &out, 1, MPI_INT, MPI_SUM, c, &request)
      : MPI_Reduce_scatter_block(in, &out, 1, MPI_INT, MPI_SUM, c);
    done(i);
    CHECK(out == P * (P - 1) / 2 + P * me);
    MPI_Reduce_scatter(in, &out, counts, MPI_INT, MPI_SUM, c);
    CHECK(out == P * (P - 1) / 2 + P * me);
    i ? MPI_Iscan(&me, &out, 1, MPI_INT, MPI_SUM, c, &request)
      : MPI_Scan(&me, &out, 1, MPI_INT, MPI_SUM, c);
    done(i);
    CHECK(out == me * (me + 1) / 2);
    i ? MPI_Iexscan(&me, &out, 1, MPI_INT, MPI_SUM, c, &request)
      : MPI_Exscan(&me, &out, 1, MPI_INT, MPI_SUM, c);
    done(i);
    CHECK(me == 0 || out == me * (me - 1) / 2);
    MPI_Op_create(first_of, 0, &op);
    in[0] = 500 + me;
    i ? MPI_Iallreduce(in, left, 1, MPI_INT, op, c, &request)
      : MPI_Allreduce(in, left, 1, MPI_INT, op, c);
    MPI_Op_free(&op); /* also while a reduction is under way */
    CHECK(op == MPI_OP_NULL);
    MPI_Op_create(last_of, 0, &op);
    done(i);
    CHECK(left[0] == 500);
    MPI_Op_free(&op);
}

/* ---- all ranks get the same bits of an allreduce, whatever the order of combining changes ---- */

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((double *)inout)[i] += ((double *)in)[i];
}

static void check_same(const void *own, size_t bytes)
{
    char of_first[64];

    memcpy(of_first, own, bytes);
    MPI_Bcast(of_first, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK(memcmp(of_first, own, bytes) == 0);
}

/* 0: blocking; 1: started; 2: persistent, which MPIs before 4.0 and the standard ABI lack */
#ifdef MPI_ABI_VERSION
enum { N_FORMS = 3 };
#else
enum { N_FORMS = 2 };
#define MPI_Allreduce_init(x, y, n, type, op, comm, info, request) (void)(request)
#endif

static void same_bits_of(int form, const void *x, size_t bytes, MPI_Datatype type, MPI_Op op)
{
    char y[64];

    if (form == 0)
        MPI_Allreduce(x, y, 1, type, op, MPI_COMM_WORLD);
    if (form == 1)
        MPI_Iallreduce(x, y, 1, type, op, MPI_COMM_WORLD, &request);
    if (form == 2) {
        MPI_Allreduce_init(x, y, 1, type, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    if (form > 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (form == 2)
        MPI_Request_free(&request);
    check_same(y, bytes);
}

static void same_bits(void)
{
    static const double sums[] = {0.1, 1e16, -1e16};
    const double x = sums[me % 3], factor = 1.1 + me * 0.37, zero = me % 2 == 0 ? 0.0 : -0.0;
    const double z[2] = {factor, x};
    const float f = (float)(me % 3 == 0 ? 0.1 : me % 3 == 1 ? 1e8 : -1e8);
    MPI_Op op;

    for (int form = 0; form < N_FORMS; form++) {
        same_bits_of(form, &x, sizeof(x), MPI_DOUBLE, MPI_SUM);
        same_bits_of(form, &f, sizeof(f), MPI_FLOAT, MPI_SUM);
        same_bits_of(form, &factor, sizeof(factor), MPI_DOUBLE, MPI_PROD);
        same_bits_of(form, z, sizeof(z), MPI_C_DOUBLE_COMPLEX, MPI_PROD);
        if (is_logp())
            same_bits_of(form, &zero, sizeof(zero), MPI_DOUBLE, MPI_MIN);
        for (int commutes = 0; commutes < 2; commutes++) {
            MPI_Op_create(add, commutes, &op);
            same_bits_of(form, &x, sizeof(x), MPI_DOUBLE, op);
            MPI_Op_free(&op);
        }
    }
}

/* All ranks leave the loop together: the norm is the same on all of them. */
static void loop_ends_together(void)
{
    double part = 1.0 / (me + 3), norm, tolerance;
    int rounds = 0, sum;

    MPI_Allreduce(&part, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    tolerance = norm;
    MPI_Bcast(&tolerance, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (; norm > tolerance; rounds++) {
        part *= 0.5;
        MPI_Allreduce(&part, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Allreduce(&rounds, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == 0);
}

/* A column of a matrix is broadcast and gathered. */
static void derived(void)
{
    int matrix[4][5], rows[MOST][4];
    MPI_Datatype column, resized;

    for (int r = 0; r < 4; r++)
        for (int k = 0; k < 5; k++)
            matrix[r][k] = me == 0 ? 10 * r + k : -1;
    column = vector(4, 1, 5, MPI_INT);
    MPI_Bcast(&matrix[0][2], 1, column, 0, MPI_COMM_WORLD);
    for (int r = 0; r < 4; r++)
        CHECK(matrix[r][2] == 10 * r + 2 && (me == 0 || matrix[r][3] == -1));
    MPI_Gather(&matrix[0][2], 1, column, rows, 4, MPI_INT, 0, MPI_COMM_WORLD);
    for (int k = 0; me == 0 && k < P; k++)
        CHECK(rows[k][3] == 32);
    MPI_Type_create_resized(column, 0, sizeof(int), &resized);
    MPI_Type_commit(&resized);
    if (P >= 1) {
        int one[4] = {me, me, me, me}, wide[4 * MOST];

        MPI_Datatype wide_column, step;
        MPI_Type_vector(4, 1, P, MPI_INT, &wide_column);
        MPI_Type_create_resized(wide_column, 0, sizeof(int), &step);
        MPI_Type_commit(&step);
        MPI_Allgather(one, 4, MPI_INT, wide, 1, step, MPI_COMM_WORLD);
        for (int r = 0; r < 4; r++)
            for (int k = 0; k < P; k++)
                CHECK(wide[r * P + k] == k);
        MPI_Type_free(&wide_column);
        MPI_Type_free(&step);
    }
    for (int i = 0; i < 2; i++) { /* rank k gets column k; the root's stays in place */
        int all[4][MOST], mine[4] = {-1, -1, -1, -1};
        MPI_Datatype wide, step;

        MPI_Type_vector(4, 1, MOST, MPI_INT, &wide);
        MPI_Type_create_resized(wide, 0, sizeof(int), &step);
        MPI_Type_commit(&step);
        for (int k = 0; k < 4 * MOST; k++)
            all[k / MOST][k % MOST] = 100 * (k / MOST) + k % MOST;
        if (me == 0 && i)
            MPI_Iscatter(all, 1, step, MPI_IN_PLACE, 0, MPI_INT, 0, MPI_COMM_WORLD, &request);
        else if (me == 0)
            MPI_Scatter(all, 1, step, MPI_IN_PLACE, 0, MPI_INT, 0, MPI_COMM_WORLD);
        else if (i)
            MPI_Iscatter(NULL, 0, MPI_INT, mine, 4, MPI_INT, 0, MPI_COMM_WORLD, &request);
        else
            MPI_Scatter(NULL, 0, MPI_INT, mine, 4, MPI_INT, 0, MPI_COMM_WORLD);
        done(i);
        for (int row = 0; row < 4; row++)
            CHECK(me == 0 ? all[row][0] == 100 * row : mine[row] == 100 * row + me);
        MPI_Type_free(&wide);
        MPI_Type_free(&step);
    }
    MPI_Type_free(&column);
    MPI_Type_free(&resized);
}

/* Addresses are in the datatype, and the buffer is MPI_BOTTOM. */
static void absolute(void)
{
    int here[2] = {me, me + 1}, there[2] = {-1, -1}, all[MOST][2], counts[MOST], displs[MOST];
    MPI_Datatype out, in;
    MPI_Aint at;

    MPI_Get_address(here, &at);
    MPI_Type_create_hindexed(1, (int[]){2}, &at, MPI_INT, &out);
    MPI_Get_address(there, &at);
    MPI_Type_create_hindexed(1, (int[]){2}, &at, MPI_INT, &in);
    MPI_Type_commit(&out);
    MPI_Type_commit(&in);
    MPI_Bcast(MPI_BOTTOM, 1, me == P - 1 ? out : in, P - 1, MPI_COMM_WORLD);
    CHECK(me == P - 1 || (there[0] == P - 1 && there[1] == P));
    MPI_Gather(MPI_BOTTOM, 1, out, all, 2, MPI_INT, 0, MPI_COMM_WORLD);
    for (int k = 0; me == 0 && k < P; k++)
        CHECK(all[k][0] == k && all[k][1] == k + 1);
    MPI_Scatter(all, 2, MPI_INT, MPI_BOTTOM, 1, in, 0, MPI_COMM_WORLD);
    CHECK(there[0] == me && there[1] == me + 1);
    for (int k = 0; k < P; k++)
        counts[k] = k == 0, displs[k] = 0;
    there[0] = -1;
    MPI_Gatherv(MPI_BOTTOM, me == 0, out, MPI_BOTTOM, counts, displs, in, 0, MPI_COMM_WORLD);
    CHECK(me != 0 || there[0] == 0);
    MPI_Type_free(&out);
    MPI_Type_free(&in);
}

/* A nonblocking collective goes on while its rank waits in something else. */
static void progress(void)
{
    MPI_Request r;
    int x = me, y = -1, sum;

    MPI_Iallreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
    if (me == 0) {
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Send(&x, 1, MPI_INT, right(), 5, MPI_COMM_WORLD);
        MPI_Recv(&y, 1, MPI_INT, left(), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&y, 1, MPI_INT, left(), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&x, 1, MPI_INT, right(), 5, MPI_COMM_WORLD);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    CHECK(y == left() && sum == P * (P - 1) / 2);
}

/* Fortran's types of 16 bytes: values that 8 bytes cannot hold. */
static void sixteen_bytes(void)
{
#if defined(__SIZEOF_INT128__) && defined(__SIZEOF_FLOAT128__) && defined(MPI_INTEGER16) &&        \
    defined(MPI_REAL16) && defined(MPI_COMPLEX32)
    const __int128 one = (__int128)1 << 90;
    __int128 n = one * (me + 1) + 1, all;
    __float128 tiny = (__float128)1 + (__float128)1 / one * me, most, z[2] = {0, one}, product[2];

    MPI_Allreduce(&n, &all, 1, MPI_INTEGER16, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all == one * (P * (P + 1) / 2) + P);
    MPI_Allreduce(&n, &all, 1, MPI_INTEGER16, MPI_BOR, MPI_COMM_WORLD);
    CHECK((all & 1) == 1 && all >= one * P);
    MPI_Allreduce(&tiny, &most, 1, MPI_REAL16, MPI_MAX, MPI_COMM_WORLD);
    CHECK((most - 1) * one == P - 1);
    MPI_Reduce_local(z, memcpy(product, z, sizeof(z)), 1, MPI_COMPLEX32, MPI_PROD);
    CHECK(product[0] == -(__float128)one * one && product[1] == 0);
#endif
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int i = 0; i < 2; i++) {
        for (int root = 0; root<P; root += P> 2 ? P - 1 : 1)
            blocks(i, root);
        vectors(i);
        reductions(i);
    }
    same_bits();
    loop_ends_together();
    in_place();
    derived();
    absolute();
    if (is_logp()) /* other MPIs may lack them */
        sixteen_bytes();
    if (P > 1)
        progress();
    return all_hold("collectives");
}
