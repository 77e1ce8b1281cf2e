/* SPDX-License-Identifier: MIT */
/* Datatypes: constants, trees made of them, and how their elements are packed. */
#include "attributes.h"
#include "datatype.h"
#include "rank.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* The name that a rank has given to a constant, which all ranks share. */
struct type_name {
    const struct type *type;
    char name[MPI_MAX_OBJECT_NAME];
};

/* ---- constants ---- */

/* A pair of a value and an index, as MINLOC combines them. */
#define PAIR(value)                                                                                \
    struct {                                                                                       \
        value v;                                                                                   \
        int i;                                                                                     \
    }
typedef PAIR(float) float_int;
typedef PAIR(double) double_int;
typedef PAIR(long) long_int;
typedef PAIR(int) two_int;
typedef PAIR(short) short_int;
typedef PAIR(long double) long_double_int;
typedef float two_real[2];
typedef double two_double_precision[2];

#define BASIC(mpi, c, as)                                                                          \
    {                                                                                              \
        .handle = mpi, .size = sizeof(c), .extent = sizeof(c), .true_ub = sizeof(c),               \
        .alignment = _Alignof(c), .dense = true, .arithmetic = as, .name = #mpi                    \
    }
#define PAIR_TYPE(mpi, c, value, as)                                                               \
    {                                                                                              \
        .handle = mpi, .size = sizeof(value) + sizeof(int), .extent = sizeof(c),                   \
        .true_ub = offsetof(c, i) + sizeof(int), .alignment = _Alignof(c),                         \
        .dense = sizeof(c) == sizeof(value) + sizeof(int), .arithmetic = as, .name = #mpi          \
    }

/* Letters as in op.c: integers by size and sign, others by name. */
static struct type constants[] = {
    BASIC(MPI_CHAR, char, 'b'),
    BASIC(MPI_SIGNED_CHAR, signed char, 'b'),
    BASIC(MPI_UNSIGNED_CHAR, unsigned char, 'B'),
    BASIC(MPI_BYTE, unsigned char, 'o'),
    BASIC(MPI_PACKED, unsigned char, '-'),
    BASIC(MPI_SHORT, short, 'h'),
    BASIC(MPI_UNSIGNED_SHORT, unsigned short, 'H'),
    BASIC(MPI_INT, int, 'i'),
    BASIC(MPI_UNSIGNED, unsigned, 'I'),
    BASIC(MPI_LONG, long, sizeof(long) == 8 ? 'l' : 'i'),
    BASIC(MPI_UNSIGNED_LONG, unsigned long, sizeof(long) == 8 ? 'L' : 'I'),
    BASIC(MPI_LONG_LONG_INT, long long, 'l'), /* MPI_LONG_LONG is a synonym */
    BASIC(MPI_UNSIGNED_LONG_LONG, unsigned long long, 'L'),
    BASIC(MPI_INT8_T, int8_t, 'b'),
    BASIC(MPI_UINT8_T, uint8_t, 'B'),
    BASIC(MPI_INT16_T, int16_t, 'h'),
    BASIC(MPI_UINT16_T, uint16_t, 'H'),
    BASIC(MPI_INT32_T, int32_t, 'i'),
    BASIC(MPI_UINT32_T, uint32_t, 'I'),
    BASIC(MPI_INT64_T, int64_t, 'l'),
    BASIC(MPI_UINT64_T, uint64_t, 'L'),
    BASIC(MPI_AINT, MPI_Aint, sizeof(MPI_Aint) == 8 ? 'l' : 'i'),
    BASIC(MPI_OFFSET, MPI_Offset, 'l'),
    BASIC(MPI_COUNT, MPI_Count, 'l'),
    BASIC(MPI_C_BOOL, _Bool, 't'),
    BASIC(MPI_CXX_BOOL, _Bool, 't'),
    BASIC(MPI_WCHAR, wchar_t, 'i'),
    BASIC(MPI_FLOAT, float, 'f'),
    BASIC(MPI_DOUBLE, double, 'd'),
    BASIC(MPI_LONG_DOUBLE, long double, 'g'),
    BASIC(MPI_C_COMPLEX, float _Complex, 'x'), /* MPI_C_FLOAT_COMPLEX is a synonym */
    BASIC(MPI_CXX_FLOAT_COMPLEX, float _Complex, 'x'),
    BASIC(MPI_C_DOUBLE_COMPLEX, double _Complex, 'y'),
    BASIC(MPI_CXX_DOUBLE_COMPLEX, double _Complex, 'y'),
    BASIC(MPI_C_LONG_DOUBLE_COMPLEX, long double _Complex, 'z'),
    BASIC(MPI_CXX_LONG_DOUBLE_COMPLEX, long double _Complex, 'z'),
    /* Fortran's, as its compilers have them here; those that are not listed are not there */
    BASIC(MPI_CHARACTER, char, 'b'),
    BASIC(MPI_LOGICAL, int32_t, 'i'),
    BASIC(MPI_LOGICAL1, int8_t, 'b'),
    BASIC(MPI_LOGICAL2, int16_t, 'h'),
    BASIC(MPI_LOGICAL4, int32_t, 'i'),
    BASIC(MPI_LOGICAL8, int64_t, 'l'),
    BASIC(MPI_INTEGER, int32_t, 'i'),
    BASIC(MPI_INTEGER1, int8_t, 'b'),
    BASIC(MPI_INTEGER2, int16_t, 'h'),
    BASIC(MPI_INTEGER4, int32_t, 'i'),
    BASIC(MPI_INTEGER8, int64_t, 'l'),
    BASIC(MPI_REAL, float, 'f'),
    BASIC(MPI_REAL4, float, 'f'),
    BASIC(MPI_REAL8, double, 'd'),
    BASIC(MPI_DOUBLE_PRECISION, double, 'd'),
    BASIC(MPI_COMPLEX, float _Complex, 'x'),
    BASIC(MPI_COMPLEX8, float _Complex, 'x'),
    BASIC(MPI_COMPLEX16, double _Complex, 'y'),
    BASIC(MPI_DOUBLE_COMPLEX, double _Complex, 'y'),
#ifdef HAS_INTEGER16
    BASIC(MPI_INTEGER16, integer16, 'q'),
    BASIC(MPI_LOGICAL16, integer16, 'q'),
#endif
#ifdef HAS_REAL16
    BASIC(MPI_REAL16, real16, 'k'),
    BASIC(MPI_COMPLEX32, complex32, 'c'),
#endif
    BASIC(MPI_2REAL, two_real, 0),
    BASIC(MPI_2DOUBLE_PRECISION, two_double_precision, 0),
    PAIR_TYPE(MPI_2INTEGER, two_int, int, 'T'),
    PAIR_TYPE(MPI_FLOAT_INT, float_int, float, 'F'),
    PAIR_TYPE(MPI_DOUBLE_INT, double_int, double, 'D'),
    PAIR_TYPE(MPI_LONG_INT, long_int, long, 'P'),
    PAIR_TYPE(MPI_2INT, two_int, int, 'T'),
    PAIR_TYPE(MPI_SHORT_INT, short_int, short, 'S'),
    PAIR_TYPE(MPI_LONG_DOUBLE_INT, long_double_int, long double, 'G'),
};

enum { N_CONSTANTS = sizeof(constants) / sizeof(constants[0]), FIRST = 0x200, LAST = 0x400 };

struct type *mpi_type_of(MPI_Datatype handle)
{
    static unsigned char places[LAST - FIRST]; /* 1 + index; filled once, with the same values */
    const uintptr_t h = (uintptr_t)handle;

    if (h >= LAST)
        return object_of(handle);
    if (h <= FIRST)
        return NULL;
    if (places[h - FIRST] == 0)
        for (int i = 0; i < N_CONSTANTS; i++)
            if (constants[i].handle == handle)
                places[h - FIRST] = (unsigned char)(i + 1);
    return places[h - FIRST] != 0 ? &constants[places[h - FIRST] - 1] : NULL;
}

const struct type *mpi_constant_of(char arithmetic)
{
    const struct type *t = constants;

    while (t->arithmetic != arithmetic)
        t++;
    return t;
}

bool mpi_share_bytes(const void *a, const struct type *a_type, size_t n, const void *b,
                     const struct type *b_type, size_t m)
{
    const size_t a_bytes = n * a_type->size, b_bytes = m * b_type->size;
    const uintptr_t a_at = (uintptr_t)a + (uintptr_t)a_type->true_lb,
                    b_at = (uintptr_t)b + (uintptr_t)b_type->true_lb;

    if (a_bytes == 0 || b_bytes == 0)
        return false;
    return a_at == b_at || (in_a_row(a_type, n) && in_a_row(b_type, m) && a_at < b_at + b_bytes &&
                            b_at < a_at + a_bytes);
}

void mpi_keep_type(struct type *type)
{
    if (type != NULL && type->references > 0)
        type->references++;
}

void mpi_drop_type(struct type *type)
{
    if (type == NULL || type->references == 0 || --type->references > 0)
        return;
    mpi_drop_type(type->old);
    for (size_t i = 0; type->olds != NULL && i < type->count; i++)
        mpi_drop_type(type->olds[i]);
    free(type->olds);
    free(type->blocks);
    free(type->displs);
    mpi_drop_recipe(type->recipe);
    mpi_bury_object(&type->object, sizeof(*type));
}

/* ---- packing ---- */

/* Where a copy to or from packed bytes is: it passes over the first `skip` bytes of the data, and
 * copies the next `left`. */
struct walk {
    char *packed;
    size_t skip, left;
    bool in;
};

/* n bytes of data that lie in a row. */
static void copy_row(struct walk *w, char *at, size_t n)
{
    if (w->skip >= n) {
        w->skip -= n;
        return;
    }
    at += w->skip;
    n = n - w->skip < w->left ? n - w->skip : w->left;
    memcpy(w->in ? at : w->packed, w->in ? w->packed : at, n);
    w->packed += n;
    w->left -= n;
    w->skip = 0;
}

/* The whole blocks of a vector from block i on, each of which lies in a row. @return the next block */
static size_t copy_rows(struct walk *w, const struct type *t, size_t i, char *at)
{
    const size_t bytes = t->block * t->old->size,
                 n = bytes > 0 && w->left / bytes < t->count - i ? w->left / bytes : t->count - i;
    char *packed = w->packed;

    at += (ptrdiff_t)i * t->stride;
    for (size_t k = 0; k < n; k++, at += t->stride, packed += bytes)
        memcpy(w->in ? at : packed, w->in ? packed : at, bytes);
    w->packed = packed;
    w->left -= n * bytes;
    return i + n;
}

static void copy_element(struct walk *w, const struct type *t, char *at);

static void copy_block(struct walk *w, const struct type *old, size_t n, char *at)
{
    const size_t first = old->size > 0 ? w->skip / old->size : n;

    if (old->dense && old->extent == (ptrdiff_t)old->size) {
        copy_row(w, at, n * old->size);
        return;
    }
    if (first >= n) {
        w->skip -= n * old->size;
        return;
    }
    w->skip -= first * old->size;
    for (size_t k = first; k < n && w->left > 0; k++)
        copy_element(w, old, at + (ptrdiff_t)k * old->extent);
}

static void copy_element(struct walk *w, const struct type *t, char *at)
{
    size_t i = 0;

    if (t->kind == TYPE_BASIC && !t->dense) { /* a pair: the value, then the index */
        copy_row(w, at, t->size - sizeof(int));
        if (w->left > 0)
            copy_row(w, at + t->true_ub - (ptrdiff_t)sizeof(int), sizeof(int));
        return;
    }
    if (t->dense) {
        copy_row(w, at + t->true_lb, t->size);
        return;
    }
    if (t->kind == TYPE_VECTOR && t->block * t->old->size > 0) {
        i = w->skip / (t->block * t->old->size);
        w->skip -= i * t->block * t->old->size;
    }
    if (t->kind == TYPE_VECTOR && w->skip == 0 && t->old->dense &&
        t->old->extent == (ptrdiff_t)t->old->size)
        i = copy_rows(w, t, i, at);
    for (; i < t->count && w->left > 0; i++)
        if (t->kind == TYPE_VECTOR)
            copy_block(w, t->old, t->block, at + (ptrdiff_t)i * t->stride);
        else
            copy_block(w, t->olds != NULL ? t->olds[i] : t->old, t->blocks[i], at + t->displs[i]);
}

/* Copy `bytes` of the data of n elements, from byte `skip` on. */
static void copy_data(const struct type *type, size_t n, const void *buf, void *packed, size_t skip,
                      size_t bytes, bool in)
{
    struct walk w = {.packed = packed, .skip = skip, .left = bytes, .in = in};

    if (bytes > 0)
        copy_block(&w, type, n, (char *)buf);
}

void mpi_pack(const struct type *type, size_t n, const void *buf, void *out)
{
    copy_data(type, n, buf, out, 0, n * type->size, false);
}

void mpi_unpack(const struct type *type, size_t n, const void *in, size_t bytes, void *buf)
{
    copy_data(type, n, buf, (void *)in, 0, bytes, true);
}

void mpi_fill_payload(void *data, size_t at, void *out, size_t n)
{
    const struct elements *e = data;

    copy_data(e->type, e->n, e->buf, out, at, n, false);
}

void mpi_drain_payload(void *data, size_t at, const void *bytes, size_t n)
{
    const struct elements *e = data;

    copy_data(e->type, e->n, e->buf, (void *)bytes, at, n, true);
}

/* ---- making types ---- */

static struct type *new_type(enum type_kind kind)
{
    struct type *t = calloc(1, sizeof(*t));

    if (t != NULL) {
        t->kind = kind;
        t->references = 1;
        t->alignment = 1;
        t->lb = t->true_lb = PTRDIFF_MAX;
        t->extent = t->true_ub = PTRDIFF_MIN; /* its upper bound, while it is made */
    }
    return t;
}

/* n olds begin at `at`: extend the bounds of t, and its size. */
static void include(struct type *t, const struct type *old, size_t n, ptrdiff_t at, bool *fits)
{
    const ptrdiff_t last = n > 0 ? product((ptrdiff_t)n - 1, old->extent, fits) : 0;
    const ptrdiff_t lowest = plus(at, last < 0 ? last : 0, fits),
                    highest = plus(at, last > 0 ? last : 0, fits);
    ptrdiff_t low, high;

    if (n == 0)
        return;
    t->size =
        (size_t)plus((ptrdiff_t)t->size, product((ptrdiff_t)n, (ptrdiff_t)old->size, fits), fits);
    t->alignment = old->alignment > t->alignment ? old->alignment : t->alignment;
    low = plus(lowest, old->lb, fits);
    high = plus(plus(highest, old->lb, fits), old->extent, fits);
    t->lb = low < t->lb ? low : t->lb;
    t->extent = high > t->extent ? high : t->extent;
    if (old->size == 0)
        return;
    low = plus(lowest, old->true_lb, fits);
    high = plus(highest, old->true_ub, fits);
    t->true_lb = low < t->true_lb ? low : t->true_lb;
    t->true_ub = high > t->true_ub ? high : t->true_ub;
}

/* A struct ends where the next one in an array could begin. */
static void pad(struct type *t, bool *fits)
{
    const ptrdiff_t a = (ptrdiff_t)t->alignment, rest = t->extent % a;

    t->extent = plus(t->extent, rest > 0 ? a - rest : 0, fits);
}

/* The bounds are complete. in_order: its blocks follow each other */
static int finish(struct type *t, bool in_order, bool pads, bool fits, MPI_Datatype *out)
{
    ptrdiff_t true_extent;

    if (t->lb == PTRDIFF_MAX)
        t->lb = t->extent = 0;
    if (t->true_lb == PTRDIFF_MAX)
        t->true_lb = t->true_ub = 0;
    t->extent = minus(t->extent, t->lb, &fits);
    true_extent = minus(t->true_ub, t->true_lb, &fits);
    if (pads)
        pad(t, &fits);
    if (!fits) {
        mpi_drop_type(t);
        return mpi_failed(NULL, MPI_ERR_ARG,
                          "the size or a bound of the datatype is not below 2^63");
    }
    t->dense = in_order && true_extent == (ptrdiff_t)t->size;
    *out = (MPI_Datatype)t;
    return MPI_SUCCESS;
}

int mpi_make_vector(const char *call, int count, int block, ptrdiff_t stride, bool fits,
                    MPI_Datatype old, MPI_Datatype *out)
{
    bool row_fits = true;
    ptrdiff_t row;
    struct type *t;

    mpi_enter(call);
    TYPE(from, old, NULL);
    CHECK_COUNT(NULL, count);
    CHECK(NULL, block >= 0, MPI_ERR_ARG, "the block length is %d, but must be at least 0", block);
    t = new_type(TYPE_VECTOR);
    CHECK_MEMORY(NULL, t);
    t->old = from;
    mpi_keep_type(from);
    t->count = (size_t)count;
    t->block = (size_t)block;
    t->stride = stride;
    if (count > 0)
        include(t, from, t->block, 0, &fits);
    if (count > 1) /* the last */
        include(t, from, t->block, product(count - 1, stride, &fits), &fits);
    t->size = (size_t)product((ptrdiff_t)count * block, (ptrdiff_t)from->size, &fits);
    row = product(block, from->extent, &row_fits);
    return finish(t,
                  from->dense && from->extent == (ptrdiff_t)from->size && from->true_lb == 0 &&
                      (count == 1 || (row_fits && stride == row)),
                  false, fits, out);
}

int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *type)
{
    const int rc = mpi_make_vector(__func__, 1, count, 0, true, old, type);

    return mpi_describe(rc, type, MPI_COMBINER_CONTIGUOUS, INTS(&count, 1), NONE, NONE,
                        BYTES(NULL, 0), &old, 1);
}

int MPI_Type_vector(int count, int block, int stride, MPI_Datatype old, MPI_Datatype *type)
{
    const struct type *from = mpi_type_of(old);
    bool fits = true;
    const ptrdiff_t bytes = product(stride, from != NULL ? from->extent : 0, &fits);
    const int rc = mpi_make_vector(__func__, count, block, bytes, fits, old, type);

    return mpi_describe(rc, type, MPI_COMBINER_VECTOR, INTS(&count, 1), INTS(&block, 1),
                        INTS(&stride, 1), BYTES(NULL, 0), &old, 1);
}

int MPI_Type_create_hvector(int count, int block, MPI_Aint stride, MPI_Datatype old,
                            MPI_Datatype *type)
{
    const int rc = mpi_make_vector(__func__, count, block, stride, true, old, type);

    return mpi_describe(rc, type, MPI_COMBINER_HVECTOR, INTS(&count, 1), INTS(&block, 1), NONE,
                        BYTES(&stride, 1), &old, 1);
}

static int make_resized(const char *call, MPI_Datatype old, MPI_Aint lb, MPI_Aint extent,
                        MPI_Datatype *type)
{
    bool fits = true;
    int rc;

    mpi_enter(call);
    plus(lb, extent, &fits);
    CHECK(NULL, fits, MPI_ERR_ARG, "the lower bound %lld and the extent %lld have no upper bound",
          (long long)lb, (long long)extent);
    rc = mpi_make_vector(call, 1, 1, 0, true, old, type);
    if (rc == MPI_SUCCESS) {
        ((struct type *)*type)->lb = lb;
        ((struct type *)*type)->extent = extent;
    }
    return rc;
}

int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *type)
{
    const MPI_Aint bounds[2] = {lb, extent};
    const int rc = make_resized(__func__, old, lb, extent, type);

    if (rc == MPI_SUCCESS)
        ((struct type *)*type)->alignment = 1;
    return mpi_describe(rc, type, MPI_COMBINER_RESIZED, NONE, NONE, NONE, BYTES(bounds, 2), &old,
                        1);
}

int MPI_Type_dup(MPI_Datatype old, MPI_Datatype *type)
{
    int rc;

    ENTER_TYPE(t, old);
    rc = make_resized(__func__, old, t->lb, t->extent, type);
    rc = mpi_describe(rc, type, MPI_COMBINER_DUP, NONE, NONE, NONE, BYTES(NULL, 0), &old, 1);
    if (rc != MPI_SUCCESS)
        return rc;
    mpi_type_of(*type)->committed = t->references == 0 || t->committed;
    rc = mpi_copy_attributes(old, *type);
    if (rc != MPI_SUCCESS) { /* a function that copies an attribute has failed */
        if (mpi_delete_attributes(*type) == MPI_SUCCESS)
            mpi_drop_type(mpi_type_of(*type));
        *type = MPI_DATATYPE_NULL;
    }
    return rc;
}

/* Where blocks begin, in one of two ways. */
struct places {
    const int *displs; /* in olds */
    const MPI_Aint *bytes;
};

/* blocks: NULL: each has `block` */
static int make_blocks(const char *call, int count, const int *blocks, int block,
                       struct places places, const MPI_Datatype *olds, MPI_Datatype old,
                       MPI_Datatype *out)
{
    struct type *t;
    bool in_order = true, fits = true;
    ptrdiff_t end = 0;

    mpi_enter(call);
    CHECK_COUNT(NULL, count);
    for (int i = 0; i < (olds == NULL && old != NULL ? 1 : count); i++)
        CHECK(NULL, mpi_type_of(olds != NULL ? olds[i] : old) != NULL, MPI_ERR_TYPE,
              "datatype %d is null or has been freed", i);
    for (int i = 0; i < count; i++)
        CHECK(NULL, (blocks != NULL ? blocks[i] : block) >= 0, MPI_ERR_ARG,
              "block length %d is negative", i);
    t = new_type(TYPE_BLOCKS);
    CHECK_MEMORY(NULL, t);
    t->count = (size_t)count;
    t->blocks = calloc(t->count + 1, sizeof(*t->blocks));
    t->displs = calloc(t->count + 1, sizeof(*t->displs));
    t->olds = calloc(t->count + 1, sizeof(struct type *));
    if (t->blocks == NULL || t->displs == NULL || t->olds == NULL) {
        t->count = 0;
        mpi_drop_type(t);
        return mpi_failed(NULL, MPI_ERR_NO_MEM, "no memory");
    }
    for (size_t i = 0; i < t->count; i++) {
        struct type *from = mpi_type_of(olds != NULL ? olds[i] : old);

        t->olds[i] = from;
        mpi_keep_type(from);
        t->blocks[i] = (size_t)(blocks != NULL ? blocks[i] : block);
        t->displs[i] =
            places.bytes != NULL ? places.bytes[i] : product(places.displs[i], from->extent, &fits);
        include(t, from, t->blocks[i], t->displs[i], &fits);
        if (!fits)
            break;
        in_order &=
            t->blocks[i] == 0 || (t->displs[i] == end && from->dense && from->true_lb == 0 &&
                                  (from->extent == (ptrdiff_t)from->size || t->blocks[i] == 1));
        if (t->blocks[i] > 0)
            end = plus(t->displs[i], (ptrdiff_t)(t->blocks[i] * from->size), &in_order);
    }
    return finish(t, in_order, olds != NULL, fits, out);
}

int MPI_Type_indexed(int count, const int blocks[], const int displs[], MPI_Datatype old,
                     MPI_Datatype *type)
{
    const int rc =
        make_blocks(__func__, count, blocks, 0, (struct places){displs, NULL}, NULL, old, type);

    return mpi_describe(rc, type, MPI_COMBINER_INDEXED, INTS(&count, 1),
                        INTS(blocks, (size_t)count), INTS(displs, (size_t)count), BYTES(NULL, 0),
                        &old, 1);
}

int MPI_Type_create_hindexed(int count, const int blocks[], const MPI_Aint displs[],
                             MPI_Datatype old, MPI_Datatype *type)
{
    const int rc =
        make_blocks(__func__, count, blocks, 0, (struct places){NULL, displs}, NULL, old, type);

    return mpi_describe(rc, type, MPI_COMBINER_HINDEXED, INTS(&count, 1),
                        INTS(blocks, (size_t)count), NONE, BYTES(displs, (size_t)count), &old, 1);
}

int MPI_Type_create_indexed_block(int count, int block, const int displs[], MPI_Datatype old,
                                  MPI_Datatype *type)
{
    const int rc =
        make_blocks(__func__, count, NULL, block, (struct places){displs, NULL}, NULL, old, type);

    return mpi_describe(rc, type, MPI_COMBINER_INDEXED_BLOCK, INTS(&count, 1), INTS(&block, 1),
                        INTS(displs, (size_t)count), BYTES(NULL, 0), &old, 1);
}

int MPI_Type_create_hindexed_block(int count, int block, const MPI_Aint displs[], MPI_Datatype old,
                                   MPI_Datatype *type)
{
    const int rc =
        make_blocks(__func__, count, NULL, block, (struct places){NULL, displs}, NULL, old, type);

    return mpi_describe(rc, type, MPI_COMBINER_HINDEXED_BLOCK, INTS(&count, 1), INTS(&block, 1),
                        NONE, BYTES(displs, (size_t)count), &old, 1);
}

int MPI_Type_create_struct(int count, const int blocks[], const MPI_Aint displs[],
                           const MPI_Datatype types[], MPI_Datatype *type)
{
    const int rc =
        make_blocks(__func__, count, blocks, 0, (struct places){NULL, displs}, types, NULL, type);

    return mpi_describe(rc, type, MPI_COMBINER_STRUCT, INTS(&count, 1), INTS(blocks, (size_t)count),
                        NONE, BYTES(displs, (size_t)count), types, (size_t)count);
}

int MPI_Type_commit(MPI_Datatype *type)
{
    ENTER_TYPE(t, *type);
    t->committed = true;
    return MPI_SUCCESS;
}

int MPI_Type_free(MPI_Datatype *type)
{
    int rc;

    ENTER_TYPE(t, *type);
    CHECK(NULL, t->references > 0, MPI_ERR_TYPE, "%s is a constant and cannot be freed", t->name);
    rc = mpi_delete_attributes(*type);
    if (rc != MPI_SUCCESS)
        return rc;
    mpi_drop_type(t);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

/* ---- queries ---- */

int MPI_Type_size_x(MPI_Datatype type, MPI_Count *size)
{
    mpi_enter("MPI_Type_size");
    TYPE(t, type, NULL);
    *size = (MPI_Count)t->size;
    return MPI_SUCCESS;
}

int MPI_Type_size(MPI_Datatype type, int *size)
{
    MPI_Count bytes = 0;
    const int rc = MPI_Type_size_x(type, &bytes);

    *size = int_or_undefined((uint64_t)bytes);
    return rc;
}

int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent)
{
    ENTER_TYPE(t, type);
    *lb = t->lb;
    *extent = t->extent;
    return MPI_SUCCESS;
}

int MPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent)
{
    ENTER_TYPE(t, type);
    *lb = t->true_lb;
    *extent = t->true_ub - t->true_lb;
    return MPI_SUCCESS;
}

#define LONG_EXTENT(name)                                                                          \
    int MPI_Type_get_##name##_x(MPI_Datatype type, MPI_Count *lb, MPI_Count *extent)               \
    {                                                                                              \
        MPI_Aint at = 0, length = 0;                                                               \
        const int rc = MPI_Type_get_##name(type, &at, &length);                                    \
                                                                                                   \
        *lb = at;                                                                                  \
        *extent = length;                                                                          \
        return rc;                                                                                 \
    }
LONG_EXTENT(extent)
LONG_EXTENT(true_extent)

int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent)
{
    MPI_Aint lb;

    return MPI_Type_get_extent(type, &lb, extent);
}

int MPI_Type_lb(MPI_Datatype type, MPI_Aint *lb)
{
    MPI_Aint extent;

    return MPI_Type_get_extent(type, lb, &extent);
}

int MPI_Type_ub(MPI_Datatype type, MPI_Aint *ub)
{
    MPI_Aint lb = 0, extent = 0;
    const int rc = MPI_Type_get_extent(type, &lb, &extent);

    *ub = lb + extent;
    return rc;
}

/* Where its name is: that of a constant may be this rank's own. */
static char *name_of(struct type *t)
{
    const struct rank *r = mpi_this_rank();

    for (int i = 0; i < r->n_type_names; i++)
        if (r->type_names[i].type == t)
            return r->type_names[i].name;
    return t->name;
}

int MPI_Type_set_name(MPI_Datatype type, const char *name)
{
    struct rank *r = mpi_enter(__func__);
    char *at;

    TYPE(t, type, NULL);
    at = name_of(t);
    if (at == t->name && t->references == 0) {
        struct type_name *names =
            realloc(r->type_names, ((size_t)r->n_type_names + 1) * sizeof(*names));

        CHECK_MEMORY(NULL, names);
        r->type_names = names;
        names[r->n_type_names].type = t;
        at = names[r->n_type_names++].name;
    }
    snprintf(at, MPI_MAX_OBJECT_NAME, "%s", name);
    return MPI_SUCCESS;
}

int MPI_Type_get_name(MPI_Datatype type, char *name, int *length)
{
    mpi_enter(__func__);
    if (type == MPI_DATATYPE_NULL) {
        *length = snprintf(name, MPI_MAX_OBJECT_NAME, "MPI_DATATYPE_NULL");
        return MPI_SUCCESS;
    }
    TYPE(t, type, NULL);
    *length = snprintf(name, MPI_MAX_OBJECT_NAME, "%s", name_of(t));
    return MPI_SUCCESS;
}

int MPI_Get_address(const void *location, MPI_Aint *address)
{
    *address = (MPI_Aint)location;
    return MPI_SUCCESS;
}

MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint displacement)
{
    return (MPI_Aint)((uintptr_t)base + (uintptr_t)displacement); /* it may pass 2^63 */
}

MPI_Aint MPI_Aint_diff(MPI_Aint a, MPI_Aint b)
{
    return (MPI_Aint)((uintptr_t)a - (uintptr_t)b);
}

/* ---- pack and unpack ---- */

int MPI_Pack_size(int count, MPI_Datatype type, MPI_Comm comm, int *size)
{
    ENTER(c, comm);
    TYPE(t, type, c);
    CHECK_COUNT(c, count);
    CHECK_SIZE(c, t, (size_t)count);
    *size = int_or_undefined((size_t)count * t->size);
    return MPI_SUCCESS;
}

int MPI_Pack(const void *in, int count, MPI_Datatype type, void *out, int size, int *position,
             MPI_Comm comm)
{
    ENTER(c, comm);
    DATA_TYPE(t, type, c);
    CHECK_COUNT(c, count);
    CHECK_AT(c, in, t, (size_t)count, " to pack");
    CHECK(c, out != NULL || count == 0 || t->size == 0, MPI_ERR_BUFFER,
          "the buffer to pack to is null");
    CHECK(c, fits_in(*position, (size_t)count * t->size, size), MPI_ERR_ARG,
          "%zu bytes from %d on do not fit in %d", (size_t)count * t->size, *position, size);
    mpi_pack(t, (size_t)count, in, (char *)out + *position);
    *position += (int)((size_t)count * t->size);
    return MPI_SUCCESS;
}

int MPI_Unpack(const void *in, int size, int *position, void *out, int count, MPI_Datatype type,
               MPI_Comm comm)
{
    ENTER(c, comm);
    DATA_TYPE(t, type, c);
    CHECK_COUNT(c, count);
    CHECK_AT(c, out, t, (size_t)count, " to unpack to");
    CHECK(c, in != NULL || count == 0 || t->size == 0, MPI_ERR_BUFFER,
          "the buffer to unpack is null");
    CHECK(c, fits_in(*position, (size_t)count * t->size, size), MPI_ERR_ARG,
          "%zu bytes from %d on are not within %d", (size_t)count * t->size, *position, size);
    mpi_unpack(t, (size_t)count, (const char *)in + *position, (size_t)count * t->size, out);
    *position += (int)((size_t)count * t->size);
    return MPI_SUCCESS;
}
